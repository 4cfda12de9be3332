"""The viewer of a model within another: how its answers are changed, and the inner model in the viewer of its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from algorithms.structures.members import ModelStructure, Wrapped
from workbench.jobs.jobs import Jobs
from workbench.viewers.original_units import Unscaled, show_structure
from workbench.widgets.buttons import quiet_button
from workbench.widgets.labels import label
from workbench.widgets.panes import clear_row
from workbench.widgets.text_table import TextTable

if TYPE_CHECKING:
    from workbench.viewers.structures import Viewer


class WrappedView(QWidget):
    """What is done with the answers of a model, and that model; the buttons of its viewer stand among its own."""

    title = "Model within"
    facts_changed = Signal()

    def __init__(self, jobs: Jobs | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.shown: Wrapped | None = None
        self._jobs = jobs
        self._unscaled: Unscaled | None = None
        self._viewers: dict[type[ModelStructure], QWidget] = {}
        self._controls: dict[type[ModelStructure], QWidget] = {}
        self._sentence = label("", "", wrap=True)
        self._sentence.setObjectName("visualize.within.words")
        self.table = TextTable("visualize.within.table", "How answers are changed")
        self._nothing = label("There is no picture of the model within.", "dim")
        self.pages = QStackedWidget()
        for page in (self._nothing, self.table):
            self.pages.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addWidget(self._sentence)
        column.addWidget(self.pages, 1)
        self.controls, self._line = clear_row()
        self._as_table = quiet_button("What changes", "visualize.within.as-table", "How its answers are changed")
        self._as_table.setCheckable(True)
        self._as_table.toggled.connect(self._show)
        self._line.addWidget(self._as_table)

    def set_unscaled(self, unscaled: Unscaled | None) -> None:
        """Have the model within word numbers of rescaled columns as the table has them."""
        self._unscaled = unscaled

    def set_structure(self, structure: Wrapped) -> None:
        """Show this model and the one within it."""
        self.shown = structure
        self._sentence.setText(structure.words)
        self.table.show_rows(structure.rows)
        viewer = self._viewer(type(structure.parts[0]))
        if viewer is not None:
            show_structure(cast("Viewer", viewer), structure.parts[0], self._unscaled)
        self._show()
        self.facts_changed.emit()

    def facts(self) -> str:
        """The model within, in words."""
        viewer = self.viewer
        if self.shown is None or viewer is None:
            return ""
        return ", ".join(filter(None, (self.shown.names[0], cast("Viewer", viewer).facts())))

    @property
    def viewer(self) -> QWidget | None:
        """What shows the model within; None where nothing does."""
        return None if self.shown is None else self._viewers.get(type(self.shown.parts[0]))

    def _show(self) -> None:
        viewer = self.viewer or self._nothing
        self.pages.setCurrentWidget(self.table if self._as_table.isChecked() else viewer)
        for kind, controls in self._controls.items():
            is_shown = self.shown is not None and kind is type(self.shown.parts[0])
            controls.setVisible(is_shown and not self._as_table.isChecked())

    def _viewer(self, kind: type[ModelStructure]) -> QWidget | None:
        if kind not in self._viewers:
            from workbench.viewers.structures import viewer_for  # late: it names this very viewer

            made = viewer_for(kind, self._jobs)
            if made is None:
                return None
            self._viewers[kind] = cast(QWidget, made)
            self._controls[kind] = made.controls
            self.pages.addWidget(self._viewers[kind])
            self._line.addWidget(made.controls)
        return self._viewers[kind]
