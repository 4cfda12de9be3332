"""The viewer of perceptrons and networks: their layers with all weights, and how the learning went."""

from __future__ import annotations

from typing import ClassVar, Final

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from algorithms.structures.layers import Layers
from workbench.jobs.jobs import Jobs
from workbench.viewers.charts.export import Export, ExportedDrawing, Table, rows_written
from workbench.viewers.neural.layers_canvas import LayersCanvas
from workbench.viewers.neural.layers_words import Said, record_words, weight_rows
from workbench.viewers.neural.training_history_plot import CoursePlot, ExportedCourse, course_rows, course_words
from workbench.widgets.buttons import quiet_button
from workbench.widgets.labels import label
from workbench.widgets.panes import clear_row, over_canvas
from workbench.widgets.text_table import TextTable

NODES, TABLE, COURSE = 0, 1, 2
MOST_ROWS: Final = 5000


class LayersView(QWidget):
    """Layers to look at: a node chosen shows its own weights, a record what every node says of it."""

    title = "Layers"
    facts_changed = Signal()

    def __init__(self, jobs: Jobs | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.node_words = label("", "strong", wrap=True)
        self.node_words.setObjectName("visualize.layers.words")
        self.record_words = label("", "dim", wrap=True)
        self.record_words.setObjectName("visualize.layers.record")
        self.canvas = LayersCanvas()
        self.twin = TextTable("visualize.layers.table", "The weights as a table")
        self.pages = QStackedWidget()
        self.course = CoursePlot("visualize.course")
        for page in (over_canvas(self.canvas), self.twin, self.course):
            self.pages.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.record_words)
        column.addWidget(self.node_words)
        column.addWidget(self.pages, 1)
        self.export = Export(ExportedLayers(self.canvas), jobs, self)
        self.canvas.chosen_changed.connect(self._say_node)
        self.controls, line = clear_row()
        self.as_table = quiet_button("As table", "visualize.layers.as-table", "Every weight in a table")
        self.as_table.setCheckable(True)
        self.as_table.toggled.connect(self._show)
        self.as_course = quiet_button("Course", "visualize.layers.course", "How the learning went, epoch by epoch")
        self.as_course.setCheckable(True)
        self.as_course.toggled.connect(self._show)
        self.of_loss = quiet_button("Loss", "visualize.layers.loss", "The loss in place of how many were wrong")
        self.of_loss.setCheckable(True)
        self.of_loss.toggled.connect(self.course.show_loss)
        self._save = self.export.button("visualize.layers.save")
        self._save_course = Export(ExportedCourse(self.course), jobs, self).button("visualize.course.save")
        for button in (self.of_loss, self.as_course, self.as_table, self._save, self._save_course):
            line.addWidget(button)

    def set_structure(self, structure: Layers) -> None:
        """Show this network."""
        self.canvas.show_layers(structure)
        self.course.show_course(structure.course)
        self.as_course.setEnabled(structure.course.epochs > 0)
        self.set_record(None)
        self.facts_changed.emit()

    def facts(self) -> str:
        """How large it is."""
        return "" if self.canvas.layers is None else self.canvas.layers.in_words

    def set_record(self, said: Said | None) -> None:
        """Show what every node says of a record; None for no record."""
        self.canvas.show_record(said)
        self._show()

    def _say_node(self) -> None:
        words, layers = self.canvas.words(), self.canvas.layers
        of_course = self.as_course.isChecked()
        self.node_words.setText(words)
        self.node_words.setVisible(bool(words) and not of_course)
        if layers is not None:
            said = course_words(layers.course) if of_course else record_words(layers, self.canvas.said)
            self.record_words.setText(said)

    def _show(self) -> None:
        layers, wanted, of_course = self.canvas.layers, self.as_table.isChecked(), self.as_course.isChecked()
        if wanted and layers is not None:
            rows = course_rows(layers.course) if of_course else weight_rows(layers, self.canvas.said, MOST_ROWS)
            self.twin.show_rows(rows[: MOST_ROWS + 2])
        self.pages.setCurrentIndex(TABLE if wanted else COURSE if of_course else NODES)
        self.of_loss.setVisible(of_course and not wanted)
        self._save.setVisible(not of_course)
        self._save_course.setVisible(of_course)
        self._say_node()


class ExportedLayers(ExportedDrawing):
    """The nodes with their weights; as a table every weight."""

    name: ClassVar[str] = "layers"
    title: ClassVar[str] = "Layers of the network"

    def __init__(self, canvas: LayersCanvas) -> None:
        self._canvas = canvas

    def size(self) -> QSize:
        return QSize() if self._canvas.layers is None else self._canvas.size()

    def paint(self, painter: QPainter) -> None:
        self._canvas.paint(painter)

    def table(self) -> Table | None:
        layers, said = self._canvas.layers, self._canvas.said
        return None if layers is None else lambda delimiter: rows_written(weight_rows(layers, said))(delimiter)
