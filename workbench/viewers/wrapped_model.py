"""The viewer of a model within another: how its predictions are changed, and the inner model in its own viewer."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from algorithms.core.training import TrainedClassifier
from algorithms.data.dataset import Dataset
from algorithms.structures.members import WrappedStructure
from workbench.jobs.jobs import Jobs
from workbench.viewers.charts.export import Drawing, Export, Exported, Table, exported_widget
from workbench.viewers.original_units import Unscaled
from workbench.viewers.viewer import PartViewers, ShowsExport, ShowsTrainingRecords, ViewerFactory
from workbench.widgets.buttons import quiet_button
from workbench.widgets.labels import label
from workbench.widgets.layouts import column_layout, filled, named
from workbench.widgets.panes import ClearRow
from workbench.widgets.tables import TextTable


class ExportedWithin(Exported):
    """Exports the viewer of the inner model while that is in view, else the table of what changes."""

    name, title = "within", "Model within"

    def __init__(self, view: WrappedStructureView) -> None:
        self._view = view
        self._table = exported_widget(self.name, self.title, view.table, lambda: view.table_rows)

    @property
    def _shown(self) -> Exported:
        inner: object = self._view.pages.currentWidget()
        return inner.export.exported if isinstance(inner, ShowsExport) else self._table

    @property
    def is_large(self) -> bool:
        return self._shown.is_large

    def view(self) -> Drawing | None:
        return self._shown.view()

    def drawing(self) -> Drawing | None:
        return self._shown.drawing()

    def table(self) -> Table | None:
        return self._shown.table()


class WrappedStructureView(QWidget):
    """A model within another and what is done with its predictions; the buttons of both stand in one row."""

    title = "Model within"
    facts_changed = Signal()

    def __init__(self, viewer_for: ViewerFactory, jobs: Jobs | None = None) -> None:
        super().__init__()
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
        self.export = Export(ExportedWithin(self), jobs, self)
        self._save = self.export.button("visualize.within.save")
        self.controls = ClearRow(self._as_table, self._save)
        self._parts = PartViewers(viewer_for, jobs, self.pages, self.controls.line)

    def set_unscaled(self, unscaled: Unscaled | None) -> None:
        self._unscaled = unscaled

    def set_structure(self, structure: WrappedStructure) -> None:
        self.shown = structure
        self._sentence.setText(structure.words)
        self.table.show_rows(structure.rows)
        self._parts.show_part(structure.parts[0], self._unscaled)
        self._show()
        self.facts_changed.emit()

    def sketch(self, trained: TrainedClassifier, data: Dataset) -> None:
        viewer: object = self.viewer
        if isinstance(viewer, ShowsTrainingRecords):
            viewer.sketch(trained, data)

    def facts(self) -> str:
        if self.shown is None:
            return ""
        return ", ".join(filter(None, (self.shown.names[0], self._parts.facts(self.shown.parts[0]))))

    @property
    def table_rows(self) -> Sequence[Sequence[str]]:
        return () if self.shown is None else self.shown.rows

    @property
    def viewer(self) -> QWidget | None:
        return None if self.shown is None else self._parts.viewer_of(self.shown.parts[0])

    def _show(self) -> None:
        viewer = None if self._as_table.isChecked() else self.viewer
        self.pages.setCurrentWidget(viewer or self.table)
        self._parts.show_controls(None if viewer is None or self.shown is None else self.shown.parts[0])
        self._save.setVisible(not isinstance(viewer, ShowsExport))  # else the menu of the inner viewer is there
