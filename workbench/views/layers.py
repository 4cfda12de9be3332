"""The viewer of perceptrons and networks: their layers with all weights, and how the learning went."""

from __future__ import annotations

from typing import ClassVar, Final

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from algorithms.core.layers import Layers
from workbench.jobs import Jobs
from workbench.parts import label, quiet_button
from workbench.parts.scrolling import clear_row, over_canvas
from workbench.parts.text_table import TextTable
from workbench.views.export import Export, ExportedDrawing, Table, rows_written
from workbench.views.layers_canvas import LayersCanvas
from workbench.views.layers_words import Said, record_words, weight_rows

NODES, TABLE = 0, 1
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
        for page in (over_canvas(self.canvas), self.twin):
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
        line.addWidget(self.as_table)
        line.addWidget(self.export.button("visualize.layers.save"))

    def set_structure(self, structure: Layers) -> None:
        """Show this network."""
        self.canvas.show_layers(structure)
        self.set_record(None)
        self._say_node()
        self.facts_changed.emit()

    def facts(self) -> str:
        """How large it is."""
        return "" if self.canvas.layers is None else self.canvas.layers.in_words

    def set_record(self, said: Said | None) -> None:
        """Show what every node says of a record; None for no record."""
        self.canvas.show_record(said)
        self._say_node()
        self._show()

    def _say_node(self) -> None:
        words, layers = self.canvas.words(), self.canvas.layers
        self.node_words.setText(words)
        self.node_words.setVisible(bool(words))
        self.record_words.setText("" if layers is None else record_words(layers, self.canvas.said))

    def _show(self) -> None:
        layers, wanted = self.canvas.layers, self.as_table.isChecked()
        if wanted and layers is not None:
            self.twin.show_rows(weight_rows(layers, self.canvas.said, MOST_ROWS))
        self.pages.setCurrentIndex(TABLE if wanted else NODES)


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
