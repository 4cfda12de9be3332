"""Why this split: table of candidates, gain curve and worked formulas of the node in focus."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from pathlib import Path
from typing import Final

from PySide6.QtCore import QRect, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHeaderView,
    QScrollArea,
    QStackedWidget,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from algorithms.core.files import CsvWriter
from algorithms.core.run_control import RunContext
from algorithms.core.scores import FormulaWorking
from algorithms.core.training import TrainedClassifier
from algorithms.data.dataset import Dataset
from algorithms.learners.trees.edited_tree import asked_by_hand, grower_of
from algorithms.learners.trees.edits import EditedSplit
from algorithms.learners.trees.explain.node_reasons import GainCurve, NodeReasons, SplitCandidate, SplitVerdict
from algorithms.learners.trees.explain.why_words import (
    WITH_THRESHOLD,
    LeafReason,
    columns,
    gain_decimals,
    gain_title,
    headline,
    is_corrected,
    second_figure,
    test_words,
    verdict_words,
    why_leaf,
    workings,
)
from algorithms.learners.trees.pruning.pruning_sequence import asked_by, cut_words
from algorithms.learners.trees.tree_learner import TreeLearner, why
from algorithms.structures.tree import NO_NODE, SplitTest, Tree
from algorithms.text.numbers import cut_number, data_number, fixed, records_words, significant
from algorithms.text.sentences import counted
from workbench.jobs.jobs import LatestTask
from workbench.jobs.ui_scheduling import MadeInPieces, single_shot
from workbench.session.runs import Run, learned_from, structure_of
from workbench.session.session import Session
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.export import Export, ExportedScene, write_table_text
from workbench.viewers.original_units import TableNumbers, own_number, table_numbers, unscaled_by
from workbench.viewers.tree.gain_and_pruning_curves import GainPlot
from workbench.widgets.buttons import quiet_button
from workbench.widgets.dialogs import CSV, ask_where_to_save_table
from workbench.widgets.fields import SEARCHED_FROM, SearchField
from workbench.widgets.help_pages import meaning, term_in
from workbench.widgets.keyboard_focus import set_visible
from workbench.widgets.labels import (
    TERM_ROLE,
    ElidedLabel,
    LinkLabel,
    TermHeader,
    label,
    link,
    show_text,
)
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, filled, named, row_layout
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT
from workbench.widgets.panes import Pane
from workbench.widgets.tables import LinesDelegate, set_row_height, show_as_list

VALUE: Final = Qt.ItemDataRole.UserRole
ATTRIBUTE: Final = Qt.ItemDataRole.UserRole + 1
ROW_HEIGHT: Final = 23
FEWEST_ROWS: Final = 5
MOST_ROWS: Final = 9
"""The table asks for room for so many rows; where there are more it scrolls."""
MOST_WHOLE: Final = 15
"""A table of no more rows than this takes all free room until it shows them."""
MOST_BROKEN: Final = 200
"""Longest table whose names may take two lines each."""
ROOM: Final = 10
TIGHT: Final = "QTableView::item, QHeaderView::section { padding: 0 4px; }"
GAIN_TIPS: Final = {
    "gini": "Decrease of the Gini index by the split",
    "error": "Decrease of the error rate by the split",
    "twoing": "How far apart the classes are in the two branches (twoing)",
    "chi-square": "How far the branches are from what independence would give",
}
CORRECTED: Final = (
    "That of a number is after the MDL correction: less log2 of its number of thresholds, per record of the node."
)
RATIO_OF_CORRECTED: Final = "That of a number divides its gain after the MDL correction."
RATIO_TIPS: Final = {
    "chi-square": "p-value of the split, adjusted for the number of ways to form its branches (Bonferroni)"
}


class _Item(QTableWidgetItem):
    """A cell that sorts by its number; cells without one come last in falling order."""

    def __lt__(self, other: QTableWidgetItem) -> bool:
        mine, theirs = self.data(VALUE), other.data(VALUE)
        if isinstance(mine, float) and isinstance(theirs, float):
            return mine < theirs
        return self.text().lower() < other.text().lower()


class CandidateTable(QTableWidget):
    """The candidates of a node; ``attribute_chosen`` carries the attribute of the current row."""

    attribute_chosen = Signal(int)

    def __init__(self, name: str) -> None:
        super().__init__(0, 3)
        named(self, name, "Candidate attributes of this split, with their gains")
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._names = LinesDelegate(self)
        self.setItemDelegateForColumn(0, self._names)
        self.setStyleSheet(TIGHT)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalHeader(TermHeader(self))
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideNone)  # Qt would cut both lines as one
        header = show_as_list(self)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSortIndicatorClearable(True)
        header.sortIndicatorChanged.connect(self._size_rows)
        self._reasons: NodeReasons | None = None
        self._sized: tuple[object, ...] = ()
        """What the rows have their heights for."""
        self.itemSelectionChanged.connect(self._reached)
        themes.follow_now(self._dress)

    @property
    def attribute(self) -> int:
        """The attribute of the current row, -1 for none."""
        item = self.item(self.currentRow(), 0)
        return -1 if item is None else int(item.data(ATTRIBUTE))

    def show_reasons(self, reasons: NodeReasons | None) -> None:
        """Shows the candidates, best first, and selects the first row."""
        self._reasons, self._sized = reasons, ()
        with QSignalBlocker(self):
            self.setSortingEnabled(False)
            self.setRowCount(0 if reasons is None else len(reasons.candidates))
            if reasons is not None:
                self._set_headers(reasons)
                decimals = gain_decimals(reasons)
                for row, candidate in enumerate(reasons.candidates):
                    self._set_row(row, reasons, candidate, decimals)
            with QSignalBlocker(self.horizontalHeader()):  # the rows get their heights below
                self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.DescendingOrder)
            self.setSortingEnabled(True)
            self._fit_columns()
            self._size_rows()
        if self.rowCount():
            self.selectRow(0)
            self.scrollToTop()

    def _set_headers(self, reasons: NodeReasons) -> None:
        gain = GAIN_TIPS.get(reasons.criterion) or f"{meaning('gain')}\nBit: {meaning('bit')}"
        ratio = RATIO_TIPS.get(reasons.criterion) or meaning("gain ratio")
        if is_corrected(reasons):
            gain, ratio = f"{gain}\n{CORRECTED}", f"{ratio}\n{RATIO_OF_CORRECTED}"
        for column, (title, tip) in enumerate(zip(("Attribute", *columns(reasons)), ("", gain, ratio), strict=True)):
            item = QTableWidgetItem(title.replace(" (", "\n("))
            item.setToolTip(tip or title)
            item.setData(TERM_ROLE, term_in(title))
            item.setData(Qt.ItemDataRole.AccessibleTextRole, title)
            item.setTextAlignment(MIDDLE_RIGHT if column else MIDDLE_LEFT)
            self.setHorizontalHeaderItem(column, item)

    def show_named(self, words: str) -> None:
        """Shows the attributes with these letters in their names."""
        wanted = words.strip().casefold()
        for row in range(self.rowCount()):
            item = self.item(row, 0)
            self.setRowHidden(row, item is not None and wanted not in item.text().casefold())

    def _set_row(self, row: int, reasons: NodeReasons, candidate: SplitCandidate, decimals: tuple[int, int]) -> None:
        theme = current_theme()
        tip = f"{test_words(reasons.schema, candidate)}. {verdict_words(reasons, candidate)}"
        worst = float("-inf")
        cells = (
            (candidate.name, None),
            (fixed(candidate.gain, decimals[0]), candidate.gain if candidate.is_split else worst),
            (second_figure(reasons, candidate, decimals[1]), candidate.gain_ratio if candidate.is_split else worst),
        )
        for column, (text, value) in enumerate(cells):
            item = _Item(text)
            item.setData(VALUE, value)
            item.setData(ATTRIBUTE, candidate.attribute)
            item.setToolTip(tip)
            item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, tip)
            if column:
                item.setTextAlignment(MIDDLE_RIGHT)
            if candidate.verdict in (SplitVerdict.CHOSEN, SplitVerdict.BEST):
                item.setFont(themes.font(bold=True))
            elif not candidate.verdict.is_valid:
                item.setForeground(theme.color("dim"))
            self.setItem(row, column, item)

    def _fit_columns(self) -> None:
        metrics = QFontMetrics(themes.font(bold=True))
        for column in (1, 2):
            item = self.horizontalHeaderItem(column)
            title = "" if item is None else max(item.text().split("\n"), key=len)
            figures = [cell.text() for row in range(self.rowCount()) if (cell := self.item(row, column)) is not None]
            longest = max([*figures, "0.000"], key=len)
            across = max(metrics.horizontalAdvance(title), metrics.horizontalAdvance(longest) + themes.px(14))
            self.horizontalHeader().resizeSection(column, across + themes.px(ROOM))

    def _size_rows(self) -> None:
        """Makes rows two lines high where their names are wider than the column."""
        metrics, low = QFontMetrics(themes.font(bold=True)), themes.px(ROW_HEIGHT)
        room = self.viewport().width() - self.columnWidth(1) - self.columnWidth(2)
        n_rows = self.rowCount() if self.rowCount() <= MOST_BROKEN else 0
        names = [self.model().index(row, 0).data() for row in range(n_rows)]
        if (sized := (names, self.rowCount(), room, low, self.horizontalHeader().sizeHint().height())) == self._sized:
            return
        self._sized = sized
        for row in range(n_rows):
            option, index = QStyleOptionViewItem(), self.model().index(row, 0)
            self.initViewItemOption(option)
            option.rect = QRect(0, 0, room, low)
            self.setRowHeight(row, low if self._names.fits(option, index) else low + metrics.lineSpacing())
        self.setMinimumHeight(self._height_of(min(self.rowCount(), FEWEST_ROWS)))
        self.setMaximumHeight(self._height_of(self.rowCount()))
        self.updateGeometry()

    def _height_of(self, n_rows: int) -> int:
        if self.rowCount() > MOST_BROKEN:
            return self.horizontalHeader().sizeHint().height() + n_rows * themes.px(ROW_HEIGHT) + 4
        return self.horizontalHeader().sizeHint().height() + sum(map(self.rowHeight, range(n_rows))) + 4

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._size_rows()

    def sizeHint(self) -> QSize:
        return QSize(themes.px(240), self._height_of(min(self.rowCount(), MOST_ROWS)))

    def _reached(self) -> None:
        if self.attribute >= 0:
            self.attribute_chosen.emit(self.attribute)

    def _dress(self) -> None:
        set_row_height(self, themes.px(ROW_HEIGHT))
        self._sized = ()
        self._size_rows()
        palette, theme = self.palette(), current_theme()
        palette.setColor(palette.ColorRole.Highlight, theme.color("accent_soft"))
        palette.setColor(palette.ColorRole.HighlightedText, theme.color("text"))
        self.setPalette(palette)
        if self._reasons is not None:
            self.show_reasons(self._reasons)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy) and self._reasons is not None:
            QGuiApplication.clipboard().setText(candidates_csv(self._reasons, "\t"))
        else:
            super().keyPressEvent(event)


def candidates_csv(reasons: NodeReasons, delimiter: str = ",") -> str:
    written = io.StringIO()
    out = CsvWriter(written, delimiter)
    first, second = (f"{name[0].lower()}{name[1:]}" for name in columns(reasons))
    third = "degrees of freedom" if reasons.compares_chances else "split information"
    out.writerow(["rank", "attribute", "question", first, second, third, "threshold", "why"])
    for candidate in reasons.candidates:
        numbers = [candidate.gain, candidate.gain_ratio, candidate.split_information]
        threshold = candidate.threshold if candidate.test in WITH_THRESHOLD else ""
        shown = [value if value == value else "" for value in numbers]
        words = verdict_words(reasons, candidate)
        question = test_words(reasons.schema, candidate)
        out.writerow([candidate.rank or "", candidate.name, question, *shown, threshold, words])
    return written.getvalue()


class UseSplitButton(ClearWidget):
    """Offers a candidate for the node; ``asked(question)`` carries it."""

    asked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._candidate: SplitCandidate | None = None
        self._threshold: float | None = None
        self._is_asked = False
        self._button = quiet_button("Split here", "visualize.why.adopt", "", self._ask)
        row_layout(self._button, 1, inside=self)

    def show_candidate(self, reasons: NodeReasons, candidate: SplitCandidate) -> None:
        """Offers this candidate; the node's own question is not offered."""
        self._candidate, self._threshold = candidate, None
        self._is_asked = candidate.verdict is SplitVerdict.CHOSEN and not reasons.is_leaf
        self._say()

    def show_threshold(self, threshold: float | None) -> None:
        """Offers this threshold of the candidate; None for its best one."""
        self._threshold = threshold
        self._say()

    def _say(self) -> None:
        candidate, threshold = self._candidate, self._threshold
        if candidate is None:
            return
        is_sum = candidate.test == SplitTest.LINEAR
        able = candidate.is_split and not is_sum
        by_hand = threshold is not None and candidate.test == SplitTest.NUMERIC
        is_other = by_hand and threshold != candidate.threshold
        self._button.setVisible(not self._is_asked or is_other)
        self._button.setEnabled(able)
        at_threshold = f" at {data_number(threshold)}" if threshold is not None and by_hand else ""
        self._button.setText(f"Split here{at_threshold}")
        self._button.setAccessibleName(f"Split on {candidate.name} here{at_threshold}")
        tip = "Use this split at the node; the learner grows the tree below it. Undo takes it back."
        if self._is_asked and not by_hand:
            tip = "The node has this split already."
        elif is_sum:
            tip = "A split by hand tests one attribute; the learner finds sums of several numbers."
        elif not able:
            tip = "This attribute does not divide the records here."
        self._button.setToolTip(tip)

    def _ask(self) -> None:
        if self._candidate is not None:
            self.asked.emit(EditedSplit(self._candidate.name, self._threshold))


MOST_BRANCHES: Final = 4
"""A sum over more branches is shown shortened; all its terms are a click away."""


def as_html(working: FormulaWorking) -> str:
    """``Gain = .930 − (429/699 × .071 + ...) = .702``, shortened for many branches."""
    n_parts = working.formula.count("{n") - working.formula.count("{n}")
    terms = working.filled if n_parts <= 2 * MOST_BRANCHES else _shortened(working.filled)
    shown_words = escape(terms).replace(" x ", " × ").replace("- ", "− ")
    sign, _space, value = working.outcome.partition(" ")
    if working.value is not None and not working.shown:
        value = f"{working.value:.3f}" if abs(working.value) < 10 else significant(working.value)
    name = f'<span style="color:{current_theme().dim}">{escape(working.name)}</span>'
    return f"{name} = {shown_words} {escape(sign)} <b>{escape(value)}</b>"


def _shortened(filled: str) -> str:
    joint = " + " if " + " in filled else " - "
    parts = filled.split(joint)
    left_out = len(parts) - MOST_BRANCHES
    return joint.join([*parts[: MOST_BRANCHES - 1], f"({left_out} more)", parts[-1]]) if left_out > 0 else filled


def terms_html(sums: tuple[FormulaWorking, ...]) -> str:
    """The formulas with the value and meaning of every symbol."""
    lines = []
    for working in sums:
        source = f" ({escape(working.source)})" if working.source else ""
        symbols = escape(working.symbolic).replace(" x ", " × ").replace("- ", "− ")
        lines.append(f"<b>{escape(working.name)}</b> = {symbols}{source}")
        lines += [
            f"{escape(t.symbol)} = {escape(significant(t.value, working.digits))}: {escape(t.meaning)}"
            for t in working.terms
        ]
    return "<br>".join(lines)


NOT_SPLIT_YET: Final = "Not split yet", "The reasons come with the step in which the node gets its split."
HOW_TO_READ: Final = "Point at it, or use the arrow keys."
DOTTED: Final = "Dotted: too few records on one side."
CURVE: Final = "visualize.why.curve"
DELAY_MS: Final = 90
WIDTH: Final = 300
PLOT_HEIGHT: Final = 130


@dataclass(frozen=True, eq=False)
class _Found:
    data: Dataset
    reasons: NodeReasons
    counted: str
    leaf: LeafReason | None
    curve: GainCurve | None


class WhyPane(MadeInPieces, Pane):
    """Explains a node of a run's tree; ``adopt_asked(node, question)`` asks to put a question there."""

    adopt_asked = Signal(int, object)

    def __init__(
        self,
        session: Session,
        plot: GainPlot | None = None,
        parent: QWidget | None = None,
        *,
        in_pieces: bool = False,
    ) -> None:
        super().__init__("Why this split?", parent=parent)
        self.plot = plot or GainPlot(CURVE)
        self.setObjectName("visualize.why")
        self._session = session
        self._run: Run | None = None
        self._trained: TrainedClassifier | None = None
        self._numbers: TableNumbers | None = None
        self._node = NO_NODE
        self._data: Dataset | None = None
        self.reasons: NodeReasons | None = None
        self._leaf: LeafReason | None = None
        self._sums: tuple[FormulaWorking, ...] = ()
        self._steadiness: Mapping[int, str] = {}
        self._task = LatestTask(session.jobs)
        self._wait = single_shot(self, DELAY_MS, self._ask)
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        self._make_widgets()
        self._make_menu()
        yield True
        self._lay_out()
        yield True
        self.table.attribute_chosen.connect(self._attribute_chosen)
        self.plot.read.connect(self._reading_changed)
        themes.follow_now(self._dress)
        self._say_nothing("Nothing to explain yet", "Train a learner in Classify.")

    def _make_widgets(self) -> None:
        self._sentence = named(label("", "", wrap=True), "visualize.why.sentence")
        self._steady = named(label("", "small", wrap=True), "visualize.why.steady")
        self._steady.hide()
        self.table = CandidateTable("visualize.why.candidates")
        self.search = SearchField("Find an attribute", "visualize.why.find")
        self.search.textChanged.connect(self.table.show_named)
        self._verdict = named(label("", "small", wrap=True), "visualize.why.verdict")
        self._adopt = UseSplitButton()
        self._adopt.asked.connect(self._adopt_asked)
        self._curve_title = ElidedLabel("", "facts")
        self._reading = named(ElidedLabel("", "small"), "visualize.why.reading")
        self._note = QFrame()
        self._note.setProperty("part", "note")
        self._sum = named(LinkLabel(""), "visualize.why.sum")
        self._sum.setTextInteractionFlags(
            self._sum.textInteractionFlags()
            | Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._shows_terms = False
        self._sum.linkActivated.connect(self._show_or_hide_terms)
        self._terms = named(label("", "small", wrap=True, rich=True), "visualize.why.all-terms")

    def _make_menu(self) -> None:
        exported = ExportedScene(self.plot, "gain", "Gain by threshold", self.plot.table)
        self.export = Export(exported, self._session.jobs, self)
        self.export.menu.addSeparator()
        self.export.menu.addAction("Copy candidates", self.copy_candidates)
        self.export.menu.addAction(
            "Save candidates (CSV)...",
            lambda: ask_where_to_save_table(self, "Save", CSV, "candidates.csv", self.save_candidates),
        )
        self._save = self.export.button("visualize.why.save")
        self.plot.copy_asked.connect(self.export.copy_table)
        self.add_action(self._save)

    def _lay_out(self) -> None:
        note = self._note
        column_layout(self._sum, self._terms, inside=note, spacing=4, margins=(10, 8, 10, 8))
        self._stack = QStackedWidget(self)
        self._scroll, content = QScrollArea(self._stack), ClearWidget()
        self._scroll.setWidget(content)
        self._parts = column_layout(
            self._sentence,
            self._steady,
            self.search,
            (self.table, 3),
            self._verdict,
            self._adopt,
            self._curve_title,
            (self.plot, 2),
            self._reading,
            self._note,
            1,
            inside=content,
            spacing=6,
            margins=(0, 0, 4, 0),
        )
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it follows the focus of what is inside
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.viewport().setAutoFillBackground(False)
        self._nothing = ClearWidget(self._stack)
        empty = QVBoxLayout(self._nothing)
        self._nothing_title, self._nothing_text = label("", "heading", wrap=True), label("", "dim", wrap=True)
        for line in (self._nothing_title, self._nothing_text):
            line.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        add_items(empty, 2, self._nothing_title, self._nothing_text, 3)
        filled(self._stack, self._scroll, self._nothing)
        self.body.addWidget(self._stack, 1)

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        return QSize(max(themes.px(WIDTH), least.width()), least.height())

    def _dress(self) -> None:
        self.updateGeometry()
        self.plot.setMinimumHeight(themes.px(PLOT_HEIGHT))
        self.plot.setMaximumHeight(themes.px(2 * PLOT_HEIGHT))
        self._show_sums()

    def show_run(self, run: Run | None) -> None:
        """Explains nodes of this run's tree, the root first."""
        trained = None if run is None else run.trained
        if run is self._run and trained is self._trained:
            return
        self._drop()
        self._run, self._trained, self._data, self._node = run, trained, None, NO_NODE
        self._numbers = None if run is None or trained is None else table_numbers(trained, run.data)
        if run is None or trained is None:
            self._say_nothing("Nothing to explain yet", "Train a learner in Classify.")
        elif structure_of(run, Tree) is None:
            self._say_nothing(
                "No splits to explain", f"{trained.learner.name} does not split one attribute after another."
            )
        elif not isinstance(asked_by(grower_of(trained.learner)), TreeLearner):
            self._say_nothing("No gains to show", f"{trained.learner.name} does not choose its splits by a gain.")
        else:
            self._say_nothing("Comparing the splits", f"On {counted(len(run.data), 'record')} that takes a moment.")
            self.show_node(0)

    def show_node(self, node: int, *, is_open: bool = False) -> None:
        """Explains a node; of one that ``is_open`` it says that its split is still to be chosen."""
        if is_open:
            self._drop()
            self._node = NO_NODE
            self._say_nothing(*NOT_SPLIT_YET)
        elif self._trained is not None and node != self._node and node != NO_NODE:
            self._node = node
            self._wait.start()

    def _drop(self) -> None:
        self._wait.stop()
        self._task.stop()

    def _ask(self) -> None:
        self._drop()
        run, trained, node, kept = self._run, self._trained, self._node, self._data
        numbers = self._numbers
        tree = structure_of(run, Tree)
        if run is None or trained is None or tree is None or not 0 <= node < tree.n_nodes:
            return
        grower = grower_of(trained.learner)
        learner = asked_by(grower)
        if not isinstance(learner, TreeLearner):
            return

        def work(context: RunContext) -> _Found:
            data = learned_from(run, trained, run.data, context) if kept is None else kept
            reasons = why(tree, node, data, learner, context)
            reasons = replace(reasons, by_hand=asked_by_hand(tree, node, trained.learner))
            leaf = why_leaf(reasons, learner, context, cut_words(grower)) if reasons.is_leaf else None
            first = reasons.candidates[0] if reasons.candidates else None
            for candidate in reasons.candidates:  # so that they are known when the window asks
                if numbers is not None and numbers.unscaled is not None and candidate.test == SplitTest.NUMERIC:
                    numbers.own_cut(candidate.name, candidate.threshold)
            curve = None if first is None or not first.is_split else reasons.curve(first.attribute)
            return _Found(data, reasons, records_words(reasons.weight), leaf, curve)

        self._task.run("Compare the splits", work, on_done=self._weighed, says="Comparing the splits")

    def _weighed(self, weighed: _Found) -> None:
        self._data, self.reasons, self._leaf = weighed.data, weighed.reasons, weighed.leaf
        reasons, leaf = weighed.reasons, weighed.leaf
        self._say_where(reasons, weighed.counted)
        self.show_stability(self._steadiness)
        own = self._in_own_units(reasons.chosen, "With numbers as the table has them: {}.")
        self._sentence.setText(" ".join(filter(None, (headline(reasons) if leaf is None else leaf.sentence, own))))
        used = [word for word in ("bit", "gain ratio") if word in self._sentence.text()]
        self._sentence.setToolTip("\n".join(f"{word.capitalize()}: {meaning(word)}" for word in used))
        has_any = bool(reasons.candidates)
        set_visible(has_any, self.table, self._verdict, self._adopt)
        with QSignalBlocker(self.table):
            self.table.show_reasons(reasons)
        self._parts.setStretchFactor(self.table, 300 if self.table.rowCount() <= MOST_WHOLE else 3)
        self.search.setVisible(len(reasons.candidates) > SEARCHED_FROM)
        self.table.show_named(self.search.text() if self.search.isVisibleTo(self) else "")
        self._save.setEnabled(has_any)
        self._stack.setCurrentWidget(self._scroll)
        if has_any:
            self._show_candidate(reasons.candidates[0])
        else:
            self._sums = () if leaf is None else leaf.workings
            self._show_sums()
        self._show_curve(weighed.curve)

    def _say_where(self, reasons: NodeReasons, counted: str) -> None:
        self.set_title("Why this leaf?" if reasons.is_leaf else "Why this split?")
        if reasons.node == 0:
            where = "root"
        elif reasons.is_leaf:
            where = reasons.schema.classes[int(reasons.tree.decision[reasons.node])]
        else:
            where = "" if reasons.chosen is None else reasons.chosen.name
        self.set_facts(" · ".join(part for part in (where, counted) if part), counted)

    def _say_nothing(self, title: str, text: str) -> None:
        self.reasons = None
        self.set_title("Why this split?")
        self.set_facts("")
        self._nothing_title.setText(title)
        self._nothing_text.setText(text)
        self._save.setEnabled(False)
        self._stack.setCurrentWidget(self._nothing)

    def _attribute_chosen(self, attribute: int) -> None:
        """Shows another attribute's formulas, and its gain curve when a job has found it."""
        reasons = self.reasons
        if reasons is None:
            return
        candidate = reasons.of(attribute)
        self._show_candidate(candidate)
        self._drop()
        of_values = attribute < len(reasons.schema) and reasons.schema.attributes[attribute].kind.is_coded
        if not candidate.is_split or of_values:
            self._show_curve(None)
            return

        self._task.run(
            "Try every threshold",
            lambda _context: reasons.curve(attribute),
            on_done=self._show_curve,
            says="Trying every threshold",
        )

    def _show_candidate(self, candidate: SplitCandidate) -> None:
        reasons = self.reasons
        if reasons is None:
            return
        own = self._in_own_units(candidate, " after scaling, {} as the table has it")
        question = f"{test_words(reasons.schema, candidate)}{own}. " if candidate.is_split else f"{candidate.name}. "
        self._verdict.setText(question + verdict_words(reasons, candidate))
        self._adopt.show_candidate(reasons, candidate)
        self._sums = workings(reasons, candidate)
        if self._leaf is not None and candidate is reasons.candidates[0]:
            self._sums += self._leaf.workings
        self._show_sums()

    def _in_own_units(self, candidate: SplitCandidate | None, words: str) -> str:
        """The question in the table's units, put into ``words``; empty if no step rescaled the column."""
        if self._trained is None or candidate is None or candidate.test != SplitTest.NUMERIC or not candidate.is_split:
            return ""
        if not own_number(candidate.name, candidate.threshold, unscaled_by(self._trained.recipe)) or not self._numbers:
            return ""
        own = self._numbers.own_cut(candidate.name, candidate.threshold)
        return words.format(f"{candidate.name} ≤ {cut_number(own)}")

    def _show_curve(self, curve: GainCurve | None) -> None:
        has_points = curve is not None and len(curve.thresholds) > 0
        set_visible(has_points, self._curve_title, self.plot, self._reading)
        for action in self.export.menu.actions()[:6]:
            action.setEnabled(has_points)
        if curve is None or not has_points or self.reasons is None:
            self.plot.show_curve(None)
            return
        gain = gain_title(curve.correction > 0)
        self._curve_title.setText(f"{gain} by threshold of {curve.name}")
        unscaled = None if self._trained is None else unscaled_by(self._trained.recipe)
        candidate = self.reasons.of(curve.attribute)
        written = candidate.written_threshold
        if unscaled is not None and self._numbers is not None and candidate.test == SplitTest.NUMERIC:
            written = self._numbers.own_cut(candidate.name, candidate.threshold)
        self.plot.show_curve(curve, candidate.threshold, unscaled, written)
        if self.plot.unscaled is not None:
            self._curve_title.setText(f"{gain} by threshold, as the table has it, of {curve.name}")

    def show_stability(self, sentences: Mapping[int, str]) -> None:
        """Says how stable the node's split is over folds, if that is known."""
        self._steadiness = sentences
        words = "" if self.reasons is None else sentences.get(self.reasons.node, "")
        show_text(self._steady, words)

    def _adopt_asked(self, question: object) -> None:
        if self.reasons is not None:
            self.adopt_asked.emit(self.reasons.node, question)

    def _reading_changed(self, words: str) -> None:
        curve = self.plot.curve
        dotted = () if curve is None or curve.allowed.all() else (f"{DOTTED} {HOW_TO_READ}", DOTTED)
        self._reading.set_wordings(*((words,) if words else dotted or (HOW_TO_READ,)))
        self._adopt.show_threshold(self.plot.threshold)

    def _show_sums(self) -> None:
        self._note.setVisible(bool(self._sums))
        change = link("terms", "Hide the terms" if self._shows_terms else "Show all terms")
        self._sum.setText("<br>".join((*(as_html(working) for working in self._sums), change)))
        self._sum.setAccessibleName(". ".join(working.sentence() for working in self._sums))
        self._terms.setVisible(self._shows_terms)
        self._terms.setText(terms_html(self._sums) if self._shows_terms else "")

    def _show_or_hide_terms(self, _link: str) -> None:
        self._shows_terms = not self._shows_terms
        self._show_sums()

    def copy_candidates(self) -> None:
        if self.reasons is not None:
            QGuiApplication.clipboard().setText(candidates_csv(self.reasons, "\t"))

    def save_candidates(self, path: str, neutral: bool = False) -> None:
        """Writes the candidates as CSV in a job; ``neutral`` escapes cells that spreadsheets take for formulas."""
        if self.reasons is not None:
            table = partial(candidates_csv, self.reasons)
            self._session.jobs.start(
                f"Save {Path(path).name}", lambda context: write_table_text(path, table, context, neutral)
            )
