"""Asking of a network whether two of its nodes are independent given what is known."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from algorithms.core.bayes_network import BayesNetwork
from workbench.parts import label
from workbench.parts.fields import ElidedComboBox, drop_down
from workbench.views.network_canvas import NetworkCanvas
from workbench.views.network_words import independence_words


class NetworkQuestion(QWidget):
    """Two attributes to choose, the answer, and the paths between them, which are lit in the graph."""

    def __init__(self, canvas: NetworkCanvas, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "clear")
        self._canvas, self._is_asked = canvas, False
        self.one = self._choice("visualize.network.one", "First attribute", "The attribute that may tell something")
        self.other = self._choice("visualize.network.other", "Second attribute", "The attribute it may tell about")
        self.answer = label("", "strong", wrap=True)
        self.answer.setObjectName("visualize.network.answer")
        self.ways = label("", "dim", wrap=True)
        self.ways.setObjectName("visualize.network.paths")
        line = QWidget()
        line.setProperty("part", "clear")
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        for widget in (label("Are", "dim"), self.one, label("and", "dim"), self.other,
                       label("independent, given what is known?", "dim")):  # fmt: skip
            row.addWidget(widget)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for part in (line, self.answer, self.ways):
            column.addWidget(part)

    def _choice(self, name: str, says: str, tip: str) -> ElidedComboBox:
        made = drop_down(name, says, tip, 12)
        made.currentIndexChanged.connect(self.again)
        return made

    def show_network(self, network: BayesNetwork) -> None:
        """Ask about this network: about the class and the first other attribute to begin with."""
        names = [network.name(node) for node in network.nodes]
        first = next((node for node in network.nodes if node != network.class_node), 0)
        for box, node in ((self.one, first), (self.other, network.class_node)):
            box.blockSignals(True)
            box.clear()
            box.addItems(names)
            box.setCurrentIndex(node)
            box.blockSignals(False)
        self.again()

    def follow(self, wanted: bool) -> None:
        """Whether the question is asked: then its paths are lit."""
        self._is_asked = wanted
        self.again()

    def again(self) -> None:
        """Answer anew: another pair, or other values are known."""
        network = self._canvas.network
        if not self._is_asked or network is None or self.one.currentIndex() < 0:
            self._canvas.light({})
            return
        answer, lines, shown = independence_words(
            network, self.one.currentIndex(), self.other.currentIndex(), set(self._canvas.known)
        )
        self.answer.setText(answer)
        self.ways.setText("\n".join(lines))
        lit = {arc: False for path in shown for arc in path.arcs}
        lit.update({arc: True for path in shown if path.is_open for arc in path.arcs})
        self._canvas.light(lit)
