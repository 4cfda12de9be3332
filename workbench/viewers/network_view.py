"""The viewer of Bayesian networks: graph, evidence and posteriors, and the network in tables and sentences."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from itertools import islice, product
from math import prod
from time import perf_counter
from typing import Any, ClassVar, Final

import numpy as np
from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QSplitter, QWidget

from algorithms.data.columns import FloatArray
from algorithms.learners.bayes.bayesian_network import posteriors
from algorithms.learners.bayes.directed_graph import Path, paths, separated
from algorithms.learners.bayes.evidence import state_words
from algorithms.learners.bayes.network_files import write_bif, write_xmlbif
from algorithms.structures.bayes_network import BayesNetwork
from algorithms.text.names import shortened
from algorithms.text.sentences import counted, likeliest
from workbench.jobs.jobs import Jobs, LatestTask
from workbench.style.theme import themes
from workbench.viewers.charts.export import Export, ExportedPicture, Table
from workbench.viewers.network_canvas import NetworkCanvas, has_same_states
from workbench.viewers.viewer import RecordShown
from workbench.widgets.buttons import add_check, add_entry, menu_button, quiet_button
from workbench.widgets.fields import ElidedComboBox, drop_down
from workbench.widgets.labels import label
from workbench.widgets.layouts import ClearWidget, column_layout, filled, named, row_layout
from workbench.widgets.panes import ClearRow, over_canvas
from workbench.widgets.tables import Index, PictureOrTable, TextModel, TextTable

MOST_ROWS: Final = 1000
MOST_COLUMNS: Final = 12
MOST_PATHS: Final = 5
MOST_NAMED: Final = 6


def node_table(network: BayesNetwork, node: int) -> list[list[str]]:
    """The heading and each state's probability given the parents' states; a large table is cut."""
    parents, own = network.parents[node], state_words(network, node)
    names = [network.name(parent) for parent in parents]
    states = [state_words(network, parent) for parent in parents]
    table, count = (array.reshape(-1, len(own)) for array in (network.table_of(node), network.count_of(node)))
    if len(own) <= MOST_COLUMNS:
        rows = [[*names, *own, "Records"]]
        for row, combination in enumerate(islice(product(*states), MOST_ROWS)):
            rows.append([*combination, *(f"{share:.1%}" for share in table[row]), f"{count[row].sum():.6g}"])
        left = len(table) - MOST_ROWS
    else:
        rows = [[*names, "Value", "Probability", "Records"]]
        for row, combination in enumerate(islice(product(*states, own), MOST_ROWS)):
            rows.append([*combination, f"{table.flat[row]:.1%}", f"{count.flat[row]:.6g}"])
        left = table.size - MOST_ROWS
    if left > 0:
        rows.append([f"{left:,} more rows", *[""] * (len(rows[0]) - 1)])
    return rows


def cell_of(network: BayesNetwork, node: int, row: int, column: int) -> tuple[tuple[int, ...], int] | None:
    """The parents' states and the own state of a cell of :func:`node_table`; None for other cells."""
    shape, before = network.shape(node), len(network.parents[node])
    own = shape[-1]
    if own <= MOST_COLUMNS:
        if not before <= column < before + own or row >= min(MOST_ROWS, prod(shape[:-1])):
            return None
        return tuple(int(state) for state in np.unravel_index(row, shape[:-1])) if before else (), column - before
    if column != before + 1 or row >= min(MOST_ROWS, prod(shape)):
        return None
    states = tuple(int(state) for state in np.unravel_index(row, shape))
    return states[:-1], states[-1]


def share_rows(
    network: BayesNetwork, shares: Sequence[FloatArray], before: Sequence[FloatArray], evidence: Mapping[int, int]
) -> list[list[str]]:
    """The heading, and a row for each state of each node with posterior and prior."""
    rows = [["Attribute", "Value", "Now", "Before", "Known", "Hangs on"]]
    for node in network.nodes:
        on = ", ".join(network.name(parent) for parent in network.parents[node])
        for state, words in enumerate(state_words(network, node)):
            figures = [
                f"{probabilities[node][state]:.4f}" if len(probabilities) else "" for probabilities in (shares, before)
            ]
            rows.append([network.name(node), words, *figures, "yes" if evidence.get(node) == state else "", on])
    return rows


def class_words(network: BayesNetwork, shares: Sequence[FloatArray], evidence: Mapping[int, int], record: str) -> str:
    """The posteriors of the classes in words; without evidence, also what to do next."""
    own = shares[network.class_node]
    classes = state_words(network, network.class_node)
    answer = likeliest(classes, own.tolist(), MOST_NAMED)
    if not evidence:
        return f"Nothing is known yet: {answer}. Choose a value to set it, a name to see its table."
    return f"{record or 'With what is known'}: {answer}."


def independence_words(
    network: BayesNetwork, one: int, other: int, evidence: Collection[int]
) -> tuple[str, list[str], list[Path]]:
    """Whether two nodes are independent given the evidence: the answer, a line for each path, and the paths."""
    a, b = network.name(one), network.name(other)
    if one == other:
        return "Choose two different attributes.", [], []
    if one in evidence or other in evidence:
        which = a if one in evidence else b
        return f"{which} is known, so nothing tells more about it. Choose an unknown one, or clear its value.", [], []
    given = ""
    if evidence:
        names = [network.name(node) for node in sorted(evidence)]
        given = f" once {', '.join(names[:3])}{f' and {len(names) - 3} more' if len(names) > 3 else ''} is known"
    ways = paths(network.parents, one, other, evidence)
    if separated(network.parents, one, other, evidence):
        answer = f"Yes, independent: {a} tells nothing about {b}{given}."
    else:
        answer = f"No, not independent: {a} tells something about {b}{given}."
    shown = list(ways.found[:MOST_PATHS])
    lines = [_path_words(network, path) for path in shown]
    if not ways.found:
        lines.append("No path of arrows joins them.")
    elif len(ways.found) > len(shown) or not ways.whole:
        lines.append("There are more paths than are named here.")
    return answer, lines, shown


def _path_words(network: BayesNetwork, path: Path) -> str:
    words = network.name(path.nodes[0])
    for before, after in zip(path.nodes, path.nodes[1:], strict=False):
        words += f" {'→' if (before, after) in path.arcs else '←'} {network.name(after)}"
    if path.is_open:
        return f"Open: {words}"
    node = path.blocked_by[0]
    why = (
        f"arrows meet at {network.name(node)}, of which nothing is known"
        if path.meets_at(node)
        else f"{network.name(node)} is known"
    )
    return f"Blocked: {words} ({why})"


EDIT_TIP = "Double-click to write it in percent: the others of the row share the rest as they do now"


class ProbabilityModel(TextModel):
    """The model of a node's table. ``written(row, state, share)`` follows an edited probability.

    It carries the parents' states, the own state and a share of one. ``refused`` says why a text is no probability.
    """

    written = Signal(object, int, float)
    refused = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.is_editable = False
        self._network: BayesNetwork | None = None
        self._node = 0

    def show_node(self, network: BayesNetwork, node: int) -> None:
        self._network, self._node = network, node
        self.show_rows(node_table(network, node))

    def flags(self, index: Index) -> Qt.ItemFlag:
        own = super().flags(index)
        return own | Qt.ItemFlag.ItemIsEditable if self.is_editable and self._cell(index) is not None else own

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.EditRole and self._network is not None:
            cell = self._cell(index)
            return "" if cell is None else f"{100 * self._network.table_of(self._node)[(*cell[0], cell[1])]:.6g}"
        if role == Qt.ItemDataRole.ToolTipRole and self.is_editable and self._cell(index) is not None:
            return EDIT_TIP
        return super().data(index, role)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        cell = self._cell(index)
        if role != Qt.ItemDataRole.EditRole or cell is None or str(value) == self.data(index, role):
            return False
        try:
            share = float(str(value).strip().removesuffix("%")) / 100
        except ValueError:
            share = -1.0
        if not 0 <= share <= 1:
            self.refused.emit(f"“{value}” is no probability: write a number from 0 to 100, in percent.")
            return False
        self.written.emit(cell[0], cell[1], share)
        return True

    def _cell(self, index: Index) -> tuple[tuple[int, ...], int] | None:
        if self._network is None or not index.isValid():
            return None
        return cell_of(self._network, self._node, index.row(), index.column())


class ProbabilityTable(TextTable):
    """The view of a node's table; if editable, a double click or *F2* opens a probability."""

    shares_room: ClassVar[bool] = False

    def __init__(self, name: str, says: str) -> None:
        self.probabilities = ProbabilityModel()
        super().__init__(name, says, self.probabilities)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed | triggers.AnyKeyPressed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """Shares out the width if all headings fit, else each column takes what it needs."""
        header = self.horizontalHeader()
        needed = [
            max(header.sectionSizeHint(column), self.sizeHintForColumn(column))
            for column in range(self.probabilities.columnCount())
        ]
        share = self.viewport().width() // max(1, len(needed))
        if all(width <= share for width in needed):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
            return
        spare = max(0, self.viewport().width() - sum(needed)) // max(1, len(needed))
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, width in enumerate(needed):
            header.resizeSection(column, width + spare)

    def show_node(self, network: BayesNetwork, node: int) -> None:
        """Shows the table of this node with the same cell in focus."""
        here = self.currentIndex()
        row, column = here.row(), here.column()
        self.probabilities.show_node(network, node)
        self._make_room()
        if 0 <= row < self.probabilities.rowCount() and 0 <= column < self.probabilities.columnCount():
            self.setCurrentIndex(self.probabilities.index(row, column))


class NetworkQuestion(ClearWidget):
    """Two attributes to choose, whether they are independent, and the paths between them, highlighted in the graph."""

    paths_changed = Signal()

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
            self.paths_changed.emit()
            return
        answer, lines, shown = independence_words(
            network, self.one.currentIndex(), self.other.currentIndex(), set(self._canvas.known)
        )
        self.answer.setText(answer)
        self.ways.setText("\n".join(lines))
        lit = {arc: False for path in shown for arc in path.arcs}
        lit.update({arc: True for path in shown if path.is_open for arc in path.arcs})
        self._canvas.light(lit)
        self.paths_changed.emit()


AT_ONCE: Final = 0.008
"""Seconds up to which inference runs in the window's thread."""
_SMALL: Final = 16
TICKS_KEY: Final = "The line across a bar is the probability before any value is known."
PATHS_KEY: Final = "Of the paths asked about, open ones are blue, blocked ones dashed."
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
        self._record, self._last = RecordShown(), 0.0
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
        self._key = named(label("", "dim", wrap=True), "visualize.network.key")
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
        self.question.paths_changed.connect(self._say_key)
        self.canvas.opened.connect(self.open_table)
        self.canvas.chosen.connect(self._say_key)
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
            self._record = RecordShown()
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
        self._record = RecordShown(name, evidence)
        self.canvas.set_known(evidence)

    def forget_record(self) -> None:
        """Clears the values if they still are those of a record."""
        if self._record.name_of(self.canvas.known):
            self._forget()

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
        self._record = RecordShown()
        self.canvas.set_known({})

    def _fit(self) -> None:
        self._wished_fit = False
        self.canvas.fit(self._scroll.maximumViewportSize() - QSize(2, 2))

    def _begin(self) -> None:
        """Shows the whole network if its text stays legible, else a part of it with text as large as other text."""
        self.canvas.fit(self._scroll.maximumViewportSize() - QSize(2, 2), least=1.0, legible=1.0 / themes.scale)
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

    def _say_key(self) -> None:
        """Explains the marks that are drawn."""
        canvas, network, arrows = self.canvas, self.canvas.network, ""
        if network is not None and any(canvas.node in ends for ends in canvas.layout_of.routes):
            arrows = f"Thick arrows begin or end at {shortened(network.name(canvas.node))}."
        keys = arrows, TICKS_KEY if canvas.known else "", PATHS_KEY if canvas.lit else ""
        self._key.setText(" ".join(filter(None, keys)))

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
        self._say_key()
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
            self._words.setText(class_words(network, shares, evidence, self._record.name_of(evidence)))
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
