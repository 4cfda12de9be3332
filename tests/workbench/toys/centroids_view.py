"""The viewer of centroids: a table of the means."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QVBoxLayout, QWidget

from tests.workbench.toys.centroids import Centroids
from workbench.jobs.jobs import Jobs
from workbench.viewers.charts.export import Export, ExportedDrawing, Table, rows_written
from workbench.widgets.panes import ClearRow
from workbench.widgets.tables import TextTable


class ExportedCentroids(ExportedDrawing):
    """Exports the table of centroids."""

    name, title = "centroids", "Centroids"

    def __init__(self, view: CentroidsView) -> None:
        self._view = view

    def size(self) -> QSize:
        return self._view.table.size()

    def paint(self, painter: QPainter) -> None:
        self._view.table.render(painter)

    def table(self) -> Table | None:
        return rows_written(self._view.rows)


class CentroidsView(QWidget):
    """The mean of each class, a column a number."""

    title = "Centroids"
    facts_changed = Signal()

    def __init__(self, jobs: Jobs | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: list[list[str]] = []
        self._facts = ""
        self.table = TextTable("visualize.centroids.table", "Mean of each class")
        column = QVBoxLayout(self)
        column.addWidget(self.table)
        self.export = Export(ExportedCentroids(self), jobs, self)
        self.controls = ClearRow(self.export.button("visualize.centroids.save"))

    def set_structure(self, structure: Centroids) -> None:
        """Shows these centroids."""
        names = [structure.schema.attributes[index].name for index in structure.attributes]
        means = zip(structure.schema.classes, structure.mean.tolist(), strict=True)
        self.rows = [["class", *names], *([label, *(f"{value:.3g}" for value in mean)] for label, mean in means)]
        self.table.show_rows(self.rows)
        self._facts = structure.info.facts
        self.facts_changed.emit()

    def facts(self) -> str:
        return self._facts
