"""The white card with a one-line heading that everything in a tab stands on."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from workbench.parts.labels import ElidedLabel, label
from workbench.theme import SPACE_2, SPACE_3, SPACE_4


class Pane(QFrame):
    """A card: bold title, dim facts, actions at the right, and what it shows in ``body``."""

    def __init__(
        self, title: str = "", facts: str = "", actions: Sequence[QWidget] = (), parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("part", "pane")
        self._title = label(title, "heading")
        self._facts = ElidedLabel(facts, "facts")
        self._facts.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # they give way to the rest
        self.heading = QHBoxLayout()
        self.heading.setSpacing(SPACE_2)
        self.heading.addWidget(self._title)
        self.heading.addWidget(self._facts, 1)
        self._heading_row = QWidget()
        self._heading_row.setProperty("part", "clear")
        self._heading_row.setLayout(self.heading)
        self.heading.setContentsMargins(0, 0, 0, 0)
        self.body = QVBoxLayout()
        self.body.setSpacing(SPACE_2)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(SPACE_4, SPACE_3, SPACE_4, SPACE_3)
        whole.setSpacing(SPACE_2)
        whole.addWidget(self._heading_row)
        whole.addLayout(self.body, 1)
        self.setAccessibleName(title)
        for action in actions:
            self.add_action(action)
        self._heading_row.setVisible(bool(title or facts or actions))

    def set_title(self, text: str) -> None:
        self._title.setText(text)
        self.setAccessibleName(text)
        self._heading_row.setVisible(True)

    def set_facts(self, text: str, *shorter: str) -> None:
        """The dim words beside the title, and the same in fewer words for where there is little room."""
        self._facts.set_wordings(text, *shorter)
        self._heading_row.setVisible(True)

    def explain(self, meaning: str) -> None:
        """Say what the title means."""
        self._title.setToolTip(meaning)
        self.setAccessibleDescription(meaning)

    def lead_with(self, widget: QWidget) -> None:
        """A widget in the place of the title, which stays the pane's accessible name."""
        self._title.hide()
        self.heading.insertWidget(0, widget)
        self._heading_row.setVisible(True)

    def add_action(self, widget: QWidget) -> None:
        """A widget at the right of the heading."""
        self.heading.addWidget(widget)
        self._heading_row.setVisible(True)
