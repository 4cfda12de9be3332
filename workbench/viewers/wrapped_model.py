"""The viewer of a model within another: how its predictions are changed, and the inner model in its own viewer."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from algorithms.structures.members import WrappedStructure
from workbench.jobs.jobs import Jobs
from workbench.viewers.original_units import Unscaled
from workbench.viewers.viewer import PartViewers, ViewerFactory
from workbench.widgets.buttons import quiet_button
from workbench.widgets.labels import label
from workbench.widgets.layouts import column_layout, filled, named
from workbench.widgets.panes import ClearRow
from workbench.widgets.tables import TextTable


class WrappedStructureView(QWidget):
    """A model within another and what is done with its predictions; the buttons of both stand in one row."""

    title = "Model within"
    facts_changed = Signal()

    def __init__(self, viewer_for: ViewerFactory, jobs: Jobs | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.shown: WrappedStructure | None = None
        self._unscaled: Unscaled | None = None
        self._sentence = named(label("", "", wrap=True), "visualize.within.words")
        self.table = TextTable("visualize.within.table", "How answers are changed")
        self.pages = filled(QStackedWidget(), self.table)
        column_layout(self._sentence, (self.pages, 1), inside=self, spacing=10)
        self._as_table = quiet_button(
            "What changes", "visualize.within.as-table", "How its answers are changed", checkable=True
        )
        self._as_table.toggled.connect(self._show)
        self.controls = ClearRow(self._as_table)
        self._parts = PartViewers(viewer_for, jobs, self.pages, self.controls.line)

    def set_unscaled(self, unscaled: Unscaled | None) -> None:
        self._unscaled = unscaled

    def set_structure(self, structure: WrappedStructure) -> None:
        """Shows this model and the one within it."""
        self.shown = structure
        self._sentence.setText(structure.words)
        self.table.show_rows(structure.rows)
        self._parts.show_part(structure.parts[0], self._unscaled)
        self._show()
        self.facts_changed.emit()

    def facts(self) -> str:
        """The name of the model within and its facts."""
        if self.shown is None:
            return ""
        return ", ".join(filter(None, (self.shown.names[0], self._parts.facts(self.shown.parts[0]))))

    @property
    def viewer(self) -> QWidget | None:
        """The viewer of the model within."""
        return None if self.shown is None else self._parts.viewer_of(self.shown.parts[0])

    def _show(self) -> None:
        viewer = None if self._as_table.isChecked() else self.viewer
        self.pages.setCurrentWidget(viewer or self.table)
        self._parts.show_controls(None if viewer is None or self.shown is None else self.shown.parts[0])
