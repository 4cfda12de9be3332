"""The viewer of Bayesian networks: graph, evidence and posteriors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter
from typing import Final

import numpy as np
from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtWidgets import QSplitter, QWidget

from algorithms.data.columns import FloatArray
from algorithms.learners.bayes.network_files import write_bif, write_xmlbif
from algorithms.learners.bayes.network_model import posteriors
from algorithms.structures.bayes_network import BayesNetwork
from algorithms.text.sentences import counted
from workbench.jobs.jobs import Jobs, LatestTask
from workbench.viewers.charts.export import Export, ExportedPicture, Table
from workbench.viewers.network.network_canvas import NetworkCanvas
from workbench.viewers.network.network_tables import (
    ProbabilityTable,
    class_words,
    has_same_states,
    independence_words,
    share_rows,
)
from workbench.widgets.buttons import add_check, add_entry, menu_button, quiet_button
from workbench.widgets.fields import ElidedComboBox, drop_down
from workbench.widgets.labels import label
from workbench.widgets.layouts import ClearWidget, column_layout, filled, named, row_layout
from workbench.widgets.panes import ClearRow, over_canvas
from workbench.widgets.tables import PictureOrTable, TextTable


class NetworkQuestion(ClearWidget):
    """Two attributes to choose, whether they are independent, and the paths between them, highlighted in the graph."""

    def __init__(self, canvas: NetworkCanvas) -> None:
        super().__init__()
        self._canvas, self._is_asked = canvas, False
        self.one = self._choice("visualize.network.one", "First attribute", "The attribute that may tell something")
        self.other = self._choice("visualize.network.other", "Second attribute", "The attribute it may tell about")
        self.answer = named(label("", "strong", wrap=True), "visualize.network.answer")
        self.ways = named(label("", "dim", wrap=True), "visualize.network.paths")
        ends = label("independent, given what is known?", "dim")
        line = ClearRow(label("Are", "dim"), self.one, label("and", "dim"), self.other, ends, 1, spacing=None)
        column_layout(line, self.answer, self.ways, inside=self, spacing=4)

    def _choice(self, name: str, says: str, tip: str) -> ElidedComboBox:
        box = drop_down(name, says, tip, 12)
        box.currentIndexChanged.connect(self.again)
        return box

    def show_network(self, network: BayesNetwork) -> None:
        """Asks about this network, at first about the class and the first other attribute."""
        names = [network.name(node) for node in network.nodes]
        first = next((node for node in network.nodes if node != network.class_node), 0)
        for box, node in ((self.one, first), (self.other, network.class_node)):
            box.offer(names, node)
        self.again()

    def follow(self, wanted: bool) -> None:
        """Whether the question is open; then its paths are highlighted."""
        self._is_asked = wanted
        self.again()

    def again(self) -> None:
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


AT_ONCE: Final = 0.008
"""Seconds up to which inference runs in the window's thread."""
_SMALL: Final = 16
KEY: Final = "Thick arrows begin or end at the chosen attribute."
PATHS_KEY: Final = f"{KEY} Of the paths asked about, open ones are blue, blocked ones dashed."
Shares = tuple[FloatArray, ...]
Inference = tuple[Shares | None, Shares, float | None]
"""Posteriors (None for contradictory evidence), priors, and the seconds that inference took, if measured."""


class NetworkView(QWidget):
    """The viewer of a network: nodes open their tables and take evidence; posteriors follow at once."""

    title = "Bayesian network"
    facts_changed = Signal()

    def __init__(self, jobs: Jobs | None = None) -> None:
        super().__init__()
        self._asking = LatestTask(jobs)
        self._record, self._last = "", 0.0
        self.open_node: int | None = None
        self._wished_fit = True
        self.canvas = NetworkCanvas()
        self._words = named(label("", "", wrap=True), "visualize.network.words")
        self.question = NetworkQuestion(self.canvas)
        self.question.hide()
        self.table = TextTable("visualize.network-table", "How probable every value is, as a table")
        self._scroll = over_canvas(self.canvas, is_resized=False)
        self._scroll.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self._scroll.setMinimumWidth(240)
        self._split = filled(
            named(QSplitter(Qt.Orientation.Horizontal), "visualize.network.split"), self._scroll, self._made_side()
        )
        self._split.setChildrenCollapsible(False)
        self._split.setStretchFactor(0, 3)
        self._split.setStretchFactor(1, 2)
        self._stack = PictureOrTable(self._split, self.table, "visualize.network.as-table", self.table_rows)
        self._key = named(label(KEY, "dim", wrap=True), "visualize.network.key")
        column_layout(self._words, self.question, (self._stack, 1), self._key, inside=self, spacing=8)
        self._scroll.viewport().installEventFilter(self)
        canvas = self.canvas
        exported = ExportedPicture("network", "The network", lambda: canvas.whole, canvas.paint, self.table_rows)
        self.export = Export(exported, jobs, self)
        self.export.offer(self._stack.switch)
        self.export.add_text("network (BIF)", "network.bif", lambda: self._written(write_bif), kind="BIF")
        self.export.add_text("network (XMLBIF)", "network.xml", lambda: self._written(write_xmlbif), kind="XMLBIF")
        view = menu_button("View", "visualize.network.view", "Independence of attributes, values, zoom")
        menu, name = view.menu(), "visualize.network."
        self._ask = add_check(menu, "Independent?", False, lambda: self._show_question(self._ask.isChecked()))
        self._ask.setObjectName(f"{name}independent")
        self._ask.setToolTip("Ask whether one attribute tells anything about another, and why")
        tip = "Take all values as not known"
        self._clear = add_entry(menu, f"{name}forget", "Clear values", tip, self._forget)
        add_entry(menu, f"{name}fit", "Fit", "Show the whole network", self._fit)
        save = self.export.button("visualize.network.save")
        self.controls = ClearRow(view, save)
        self.canvas.known_changed.connect(self._known_changed)
        self.canvas.opened.connect(self.open_table)
        self.canvas.zoomed.connect(self._keep_scale)

    def _made_side(self) -> QWidget:
        self._side = ClearWidget()
        self._side.setMinimumWidth(220)
        self._head = named(label("", "strong", wrap=True), "visualize.network.table-of")
        self.node_table = ProbabilityTable("visualize.network.node-table", "The table of the chosen attribute")
        close = quiet_button("Close", "visualize.network.close-table", "Put the table away", self._side.hide)
        column_layout(
            row_layout((self._head, 1), (close, 0, Qt.AlignmentFlag.AlignTop)),
            (self.node_table, 1),
            inside=self._side,
            margins=(8, 0, 0, 0),
        )
        self._side.hide()
        return self._side

    def set_structure(self, structure: BayesNetwork) -> None:
        """Shows this network; the view stays if only arrows or tables changed."""
        held = self.canvas.network
        goes_on = held is not None and has_same_states(held, structure)
        self._last = 0.0 if structure.n_nodes <= _SMALL else 1.0
        self.canvas.show_network(structure)
        self.question.show_network(structure)
        if goes_on and self.open_node is not None and not self._side.isHidden():
            self.open_table(self.open_node)
        if not goes_on:
            self._record = ""
            self._side.hide()
            self._words.setText("")
            self._wished_fit = True
            self._begin()
        self._known_changed()
        self.facts_changed.emit()

    def set_record(self, values: Mapping[int, float], name: str) -> None:
        """Shows a record as evidence: values by position in the schema, except the class."""
        network = self.canvas.network
        if network is None:
            return
        evidence = {}
        for node, index in enumerate(network.attribute.tolist()):
            if index in values and node != network.class_node:
                state = int(network.codes_of(node, np.array([values[index]]))[0])
                if state >= 0:
                    evidence[node] = state
        self._record = name
        self.canvas.set_known(evidence)

    def set_editing(self, wanted: bool) -> None:
        self.canvas.hand.turn(wanted)
        self.node_table.probabilities.is_editable = wanted

    def facts(self) -> str:
        network = self.canvas.network
        if network is None:
            return ""
        return f"{counted(network.n_nodes - 1, 'attribute')} and the class · {counted(network.n_arcs, 'arrow')}"

    def open_table(self, node: int) -> None:
        network = self.canvas.network
        if network is not None:
            on = ", ".join(network.name(parent) for parent in network.parents[node])
            self._head.setText(f"{network.name(node)}, " + (f"given {on}" if on else "on its own"))
            self.open_node = node
            self.node_table.show_node(network, node)
            if not self._side.isVisible():
                self._side.show()
                width = self._split.width()
                self._split.setSizes([round(width * 0.62), round(width * 0.38)])

    def _written(self, write: Callable[[BayesNetwork], str]) -> Table | None:
        network = self.canvas.network
        return None if network is None else lambda _delimiter: write(network)

    def _forget(self) -> None:
        self._record = ""
        self.canvas.set_known({})

    def _fit(self) -> None:
        self._wished_fit = False
        self.canvas.fit(self._scroll.maximumViewportSize() - QSize(2, 2))

    def _begin(self) -> None:
        self.canvas.fit(self._scroll.maximumViewportSize() - QSize(2, 2), least=1.0)  # text as large as other text
        if self.canvas.network is not None:
            where = self.canvas.point(self.canvas.network.class_node)
            self._scroll.ensureVisible(round(where.x()), round(where.y()), 80, 120)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fits the network again when its room has another size."""
        if event.type() == QEvent.Type.Resize and self._wished_fit:
            self._begin()
        return super().eventFilter(watched, event)

    def _keep_scale(self) -> None:
        self._wished_fit = False

    def _show_question(self, wanted: bool) -> None:
        self.question.setVisible(wanted)
        self.question.follow(wanted)
        self._key.setText(PATHS_KEY if wanted else KEY)

    def table_rows(self) -> list[list[str]]:
        """The heading and a row for each state of each node."""
        canvas = self.canvas
        if canvas.network is None:
            return []
        return share_rows(canvas.network, canvas.shares, canvas.before, canvas.known)

    def _known_changed(self) -> None:
        """Computes the posteriors, in a job if that takes long."""
        network, evidence = self.canvas.network, dict(self.canvas.known)
        if network is None:
            return
        self._clear.setEnabled(bool(evidence))
        before = tuple(self.canvas.before)
        self._asking.run(
            "",
            lambda _context: _infer(network, evidence, before),
            on_done=partial(self._answered, network, evidence),
            on_failed=lambda error: self._words.setText(str(error)),
            at_once=self._last < AT_ONCE,
        )

    def _answered(self, network: BayesNetwork, evidence: Mapping[int, int], result: Inference) -> None:
        if network is not self.canvas.network or evidence != self.canvas.known:
            return
        shares, before, took = result
        self._last = self._last if took is None else took
        if shares is None:
            self._words.setText("By the tables these values cannot be together: take one of them back.")
            self.canvas.show_shares((), before)
        else:
            self.canvas.show_shares(shares, before)
            self._words.setText(class_words(network, shares, evidence, self._record if evidence else ""))
        self.question.again()
        self._stack.refresh()


def _infer(network: BayesNetwork, evidence: Mapping[int, int], before: Shares) -> Inference:
    """Posteriors and priors of all nodes, and the seconds of one inference."""
    begun = perf_counter()
    first = before or posteriors(network, {}) or ()
    between = perf_counter()
    if not evidence:
        return first, first, None if before else between - begun
    return posteriors(network, evidence), first, perf_counter() - between
