"""The place of the ledger: beside what is in view, shown as there is room and as the person wants it in each tab."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

from workbench.session import Session
from workbench.theme import SPACE_3, themes

SHARE: Final = 0.265
WIDTHS: Final = (310, 440)
"""The ledger's share of the window's width, and what it is at least and at most, at usual text size."""
ROOM: Final = 1060
"""In narrower windows, at usual text size, the ledger is shown only when it is asked for."""
TABS: Final = ("Classify", "Evaluate")
"""Where it is shown unasked."""


class LedgerBeside(QSplitter):
    """``content`` and, made when it is first wanted, the ledger at its right."""

    def __init__(self, session: Session, content: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._session = session
        self._ledger: QWidget | None = None
        self._is_width_chosen = False
        self.setChildrenCollapsible(False)
        self.setHandleWidth(SPACE_3)
        self.addWidget(content)
        self.splitterMoved.connect(self._width_chosen)

    @property
    def is_made(self) -> bool:
        """Whether the ledger is there, seen or not."""
        return self._ledger is not None

    def choose(self, tab: str, wanted: bool) -> None:
        """Whether it is wanted in this tab from now on."""
        self._session.settings.set(f"ledger.{tab.lower()}", wanted)

    def show_in(self, tab: str, width: int) -> bool:
        """Show or hide it as it is wanted in this tab of a window so wide; returns which."""
        usual = tab in TABS and width >= themes.px(ROOM)
        wanted = bool(self._session.settings.get(f"ledger.{tab.lower()}", usual))
        if wanted:
            self.make(width)
        if self._ledger is not None:
            self._ledger.setVisible(wanted)
            self.refresh()  # else the handle goes later, and what is beside the ledger is laid out twice
            self._fit(width)
        return wanted

    def make(self, width: int) -> None:
        """Make it, hidden, where it is not there yet."""
        if self._ledger is not None:
            return
        from workbench.classify.ledger import Ledger

        self._ledger = Ledger(self._session)
        self._ledger.setObjectName("ledger.pane")
        self._ledger.hide()
        self.addWidget(self._ledger)
        self.setStretchFactor(0, 1)
        self.setStretchFactor(1, 0)
        self._fit(width)

    def _fit(self, width: int) -> None:
        """As wide as suits the window, unless a person chose a width."""
        if self._is_width_chosen:
            return
        least, most = (themes.px(width) for width in WIDTHS)
        wide = min(most, max(least, round(width * SHARE)))
        self.setSizes([max(1, self.width() - wide), wide])

    def _width_chosen(self, _at: int, _index: int) -> None:
        self._is_width_chosen = True
