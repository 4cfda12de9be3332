"""The viewer of an ensemble: error curve, importance, and each member in its own viewer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractItemView, QStackedWidget, QWidget

from algorithms.structures.members import Members
from algorithms.text.numbers import coefficient, percent
from algorithms.text.sentences import counted
from workbench.jobs.jobs import Jobs
from workbench.jobs.ui_scheduling import single_shot
from workbench.style.theme import themes
from workbench.viewers.charts.band_plot import BandPlot
from workbench.viewers.charts.export import Drawing, Export, Exported, ExportedDrawing, Table, rows_written
from workbench.viewers.charts.legend import ClassPicker
from workbench.viewers.ensemble.ensemble_charts import (
    ENOUGH_JUDGED,
    ImportanceBars,
    RecordMap,
    attribute_words,
    error_bands,
    few_judged,
    importance_bands,
    importance_rows,
    importance_words,
    independent_bands,
    independent_rows,
    independent_words,
    known_importances,
    round_words,
)
from workbench.viewers.ensemble.ensemble_charts import boosting_round_rows as weight_rows
from workbench.viewers.ensemble.members import (
    MembersTable,
    ThumbnailCanvas,
    VoteCanvas,
    error_rows,
    has_trees,
    heading_of,
    row_of,
)
from workbench.viewers.original_units import TableNumbers
from workbench.viewers.viewer import PartViewers, ViewerFactory
from workbench.widgets.buttons import quiet_button
from workbench.widgets.fields import SEARCHED_FROM, RecordField, SearchField, choosing_view, drop_down
from workbench.widgets.labels import ElidedLabel, label
from workbench.widgets.layouts import ClearWidget, column_layout, filled, named, row_layout
from workbench.widgets.panes import ClearRow, over_canvas
from workbench.widgets.tables import TextTable, table_switch

if TYPE_CHECKING:
    from algorithms.evaluation.curves.learning_curves import MemberErrors


ERROR, TOGETHER, WEIGHTS, ATTRIBUTES, VOTE, GALLERY, ALIKE, MAP, MEMBERS, ONE = range(10)
PICTURES: Final = (ERROR, TOGETHER, WEIGHTS, ATTRIBUTES, VOTE, GALLERY)
"""Pages with a picture that also has a table."""
TEST_TIP: Final = "Train in each fold of the run and test every member on the held-out records"
PAGES: Final = (
    ("Error rate", "Error rate of the first members together, by their number"),
    ("Combined vote", "Error rate of the vote and of independent members"),
    ("Vote weights", "What a member's vote weighs by its error in its round"),
    ("Attribute importance", "Importance of each attribute in the ensemble"),
    ("Votes by record", "The predictions of each member for each record, and the sums"),
    ("Trees", "Every tree as a small picture; each can be opened"),
    ("Similar records", "Records that the trees send to the same leaves as the selected one"),
    ("Proximity map", "The records in a plane by the leaves they share, and which lie far out"),
    ("Members", "Every member by itself; each can be opened"),
)
"""Views by page: name and tooltip."""


_OTHERWISE: Final = {
    "judge": "The last member decides: it has learned what the probabilities that the others give are worth.",
    "sums": "The outputs of the leaves of {} add up; each tree corrects some of the error that those before it leave.",
}


def ensemble_words(members: Members, *, has_curve: bool) -> str:
    """How the members decide and their errors in words; with ``has_curve`` also where the out-of-bag curve begins."""
    record, how = members.known, "by the average of their probabilities" if members.averaged else "by their votes"
    sentences = [f"{counted(members.n_members, 'member')} decide{'s' if members.n_members == 1 else ''} {how}."]
    if members.how in _OTHERWISE:
        sentences = [_OTHERWISE[members.how].format(counted(members.n_members, "tree"))]
    if record.is_tested:
        first, share = int(few_judged(record).sum()) + 1, percent(ENOUGH_JUDGED, decimals=0)
        sentences.append("Out of bag, only members that were not trained on a record predict it.")
        few = f"The curve begins at {first} members: fewer predict less than {share} of the records."
        sentences += [few] if has_curve and first > 1 else []
    if np.isfinite(record.bound):
        sentences.append(
            f"Strength {coefficient(record.strength)}, correlation {coefficient(record.correlation)}: strong "
            "uncorrelated trees have the lowest error."
        )
    return " ".join(sentences)


class MemberPage(QWidget):
    """An open member in its viewer; ``left`` asks for the list."""

    left = Signal()

    def __init__(self, viewer_for: ViewerFactory, jobs: Jobs | None) -> None:
        super().__init__()
        self.at = 0
        self.numbers: TableNumbers | None = None
        self._members: Members | None = None
        self._words = named(ElidedLabel("", "facts"), "visualize.member.words")
        self._stack = QStackedWidget()
        back = quiet_button("All members", "visualize.member.all", "Back to the list", self.left.emit)
        tip = "The member before this one"
        self._before = quiet_button("Before", "visualize.member.before", tip, lambda: self._step(-1))
        self._next = quiet_button("Next", "visualize.member.next", "The member after this one", lambda: self._step(1))
        row = row_layout(back, self._before, self._next, (self._words, 1), spacing=6)
        self._parts = PartViewers(viewer_for, jobs, self._stack, row)
        column_layout(row, (self._stack, 1), inside=self)

    def show_member(self, members: Members, member: int) -> None:
        self._members, self.at = members, member
        part = members.parts[member]
        name, what, *_ = row_of(members, member)
        self._words.setText(f"{name} of {members.n_members:,} · {what}")
        self._before.setEnabled(member > 0)
        self._next.setEnabled(member + 1 < members.n_members)
        self._stack.setCurrentWidget(self._parts.viewer_of(part))
        self._parts.show_controls(part)
        self._parts.show_part(part, self.numbers)

    def _step(self, by: int) -> None:
        if self._members is not None and 0 <= self.at + by < self._members.n_members:
            self.show_member(self._members, self.at + by)


class ExportedEnsemble(ExportedDrawing):
    name, title = "committee", "Ensemble"

    def __init__(self, view: EnsembleView) -> None:
        self._view = view

    def view(self) -> Drawing | None:
        taken = self._taken
        return super().view() if taken is None else taken.view()

    def drawing(self) -> Drawing | None:
        taken = self._taken
        return super().drawing() if taken is None else taken.drawing()

    @property
    def _taken(self) -> Exported | None:
        """The export of the map of records, while the map is in view."""
        view = self._view
        return view.map.scatter.taken if view.page == MAP and view.map is not None else None

    def size(self) -> QSize:
        view = self._view
        if view.page == VOTE:
            return view.vote.sizeHint()
        if view.page == GALLERY:
            return view.gallery.taken.size()
        plot = _plot_of(view)
        shown = plot if plot is not None and plot.bands is not None else view.bars if view.page == ATTRIBUTES else None
        return QSize() if shown is None or view.members is None else shown.size()

    def paint(self, painter: QPainter) -> None:
        view, plot = self._view, _plot_of(self._view)
        if plot is not None:
            plot.paint(painter)
        elif view.page == ATTRIBUTES:
            view.bars.paint(painter, view.bars.rect())
        elif view.page == VOTE:
            view.vote.paint(painter, view.vote.rect())
        elif view.page == GALLERY:
            taken = view.gallery.taken
            painter.translate(-taken.topLeft())
            view.gallery.paint(painter, taken)

    def table(self) -> Table | None:
        taken, rows = self._taken, self._view.rows()
        if taken is not None:
            return taken.table()
        return rows_written(rows) if rows else None


def _plot_of(view: EnsembleView) -> BandPlot | None:
    """The curves in view; None for other pages."""
    return {ERROR: view.plot, TOGETHER: view.together, WEIGHTS: view.weights}.get(view.page)


WIDEST_LIST: Final = 720
"""The most pixels of a list of three short columns, so that a row can be followed by eye."""
ALIKE_HEADING: Final = ("Record", "Class", "Proximity (% of trees)")
_HANGING: Final = (
    "Each tree grows down from its root. The width of a line is {} that pass it, the mark at its end the predicted "
    "class. A double click or Enter opens a tree."
)
_NOT_TESTED: Final = (
    "Test the members to compare three error rates on unseen records: of a single member, of the vote, and of a vote "
    "by members with independent errors."
)
_NO_CURVE: Final = "The tested members make no predictions of their own."


class EnsembleView(QWidget):
    """The viewer of an ensemble; ``controls`` choose its pages, for the heading of the pane."""

    title = "Ensemble"
    facts_changed = Signal()
    test_asked = Signal()
    """Asks to test the members on unseen records, or to stop that."""
    round_looked_at = Signal(int)
    """Carries the round of boosting in view; -1 on other pages."""

    page_turned = Signal(int)
    alike_opened = Signal(int)

    def __init__(self, viewer_for: ViewerFactory, jobs: Jobs | None = None) -> None:
        super().__init__()
        self.members: Members | None = None
        self.tested: MemberErrors | None = None
        self._sentence = named(label("", "", wrap=True), "visualize.committee.words")
        self.plot = BandPlot("visualize.committee.error", "Error by the number of members")
        self.together = BandPlot("visualize.committee.together", "The ensemble and independent members")
        self.weights = BandPlot("visualize.committee.weights", "What votes weigh by error")
        self.bars = ImportanceBars()
        self.search = SearchField("Find an attribute", "visualize.importance.find")
        self.search.textChanged.connect(self.bars.show_named)
        self.vote = VoteCanvas()
        self.gallery = ThumbnailCanvas()
        self._hall, self._ballot = over_canvas(self.gallery), over_canvas(self.vote)
        self._ballot.verticalScrollBar().valueChanged.connect(self.vote.update)
        self.alike = TextTable("visualize.committee.alike", "The records most like the selected one")
        themes.set_length(QWidget.setMaximumWidth, self.alike, WIDEST_LIST)
        self.alike.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.alike.activated.connect(lambda index: self.alike_opened.emit(index.row()))
        self._alike: tuple[str, list[tuple[str, ...]]] = ("", [])
        self.table = MembersTable()
        self.twin = TextTable("visualize.committee.table", "The picture as a table")
        self.one = MemberPage(viewer_for, jobs)
        plots = (self.plot, self.together, self.weights)
        importance = ClearWidget()
        column_layout(self.search, (over_canvas(self.bars), 1), inside=importance, spacing=8)
        painted = (importance, self._ballot, self._hall)
        self.map: RecordMap | None = None
        self._place = QWidget()
        others = (self.alike, self._place, self.table, self.one, self.twin)
        self.pages = filled(QStackedWidget(), *plots, *painted, *others)
        self._test = quiet_button("", "visualize.committee.test", TEST_TIP, self.test_asked.emit)
        self._test.hide()
        self._missing = named(label("", "dim", wrap=True), "visualize.committee.untested")
        self._missing.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._test_here = quiet_button("", "visualize.committee.test-here", TEST_TIP, self.test_asked.emit)
        self._untested = ClearWidget()
        middle = (self._test_here, 0, Qt.AlignmentFlag.AlignHCenter)
        column_layout(1, self._missing, middle, 2, inside=self._untested, spacing=12)
        self.pages.addWidget(self._untested)
        self.record = named(
            RecordField(),
            "visualize.committee.record",
            "Number of the record whose similar records are listed",
            "The record whose similar records are listed; it is selected everywhere",
        )
        self.record.setPrefix("record ")
        self.record.hide()
        self._can_test = self._is_whole = False
        self._end = ""
        self._legend = ClassPicker("visualize.committee.legend", groups=True)
        self._legend.picked.connect(self._color_only)
        top = Qt.AlignmentFlag.AlignTop
        head = row_layout((self._sentence, 1), (self.record, 0, top), (self._test, 0, top))
        self._foot = row_layout((self._legend, 1), spacing=24)
        column_layout(head, (self.pages, 1), self._foot, inside=self, spacing=10)
        self._rounds: QWidget | None = None
        self._can_step = False
        self._round: int | None = None
        self.export = Export(ExportedEnsemble(self), jobs, self)
        for plot in plots:
            plot.copy_asked.connect(self.export.copy_table)
        self.gallery.opened.connect(self.open_member)
        self.gallery.moved.connect(self._gallery_moved)
        self.table.opened.connect(self.open_member)
        self.vote.opened.connect(self.open_member)
        self.vote.moved.connect(self._vote_moved)
        self.vote.moved.connect(self.round_looked_at)
        self.one.left.connect(self._back)
        self.page = self._from = MEMBERS
        views = drop_down("visualize.committee.view", "View of the ensemble", "Choose what is shown", 18)
        self.views = choosing_view(views)
        self.views.activated.connect(lambda _index: self.show_page(self.views.currentData()))
        self._reveal = single_shot(self, 0, lambda: self._gallery_moved(self.gallery.chosen))
        self._offered: set[int] = set()
        self._offer(MEMBERS, True)
        self._as_table = self.export.offer(table_switch("visualize.committee.as-table"))
        self._as_table.toggled.connect(self._show)
        self.controls = ClearRow(self.views, self.export.button("visualize.committee.save"))

    def set_numbers(self, numbers: TableNumbers | None) -> None:
        self.one.numbers = numbers

    def set_interest(self, code: int) -> None:
        """Gives this class a colour where not all have one."""
        self._legend.color_always(code)

    def set_structure(self, structure: Members) -> None:
        """Shows these members, on the page of errors if they are known."""
        self.members, self.tested, self._round = structure, None, None
        self._offer(ATTRIBUTES, bool(known_importances(structure)))
        self._offer(VOTE, structure.rounds is not None)
        self._offer(GALLERY, has_trees(structure))
        self.allow_alike(False)
        self._legend.set_classes(structure.schema.classes)
        self._color_only()
        self.vote.show_members(structure)
        self.gallery.show_members(structure)
        self.table.rows.show_members(structure)
        self.bars.show_members(structure)
        self.search.clear()
        self.search.setVisible(len(structure.schema.predictors) > SEARCHED_FROM)
        by_error = importance_bands(structure)
        self._offer(WEIGHTS, by_error is not None)
        self.weights.show_bands(by_error)
        self._show_errors()
        self.show_page(ERROR if self.plot.bands is not None else MEMBERS)
        self.facts_changed.emit()

    def _offer(self, page: int, offered: bool) -> None:
        if offered is (page in self._offered):
            return
        self._offered ^= {page}
        with QSignalBlocker(self.views):
            self.views.clear()
            for number, (title, tip) in enumerate(PAGES):
                if number in self._offered:
                    self.views.add(title, number, tip)
            self.views.setCurrentIndex(self.views.findData(min(self.page, MEMBERS)))

    def allow_testing(self, allowed: bool) -> None:
        """Whether members can be tested on unseen records."""
        self._can_test = allowed
        self._show_errors()
        self.show_page(self.page)

    def show_tested(self, tested: MemberErrors | None, *, is_running: bool = False, end: str = "") -> None:
        """Shows errors on unseen records, whether a test is running, and why the last one ended too early."""
        self.tested, self._end = tested, end
        self._is_whole = tested is not None and tested.parts == tested.planned and not is_running
        for button in (self._test, self._test_here):
            button.setText("Stop testing" if is_running else "Test the members")
        self._show_errors()
        self.show_page(self.page)

    def allow_alike(self, allowed: bool) -> None:
        """Whether similar records can be found."""
        self._offer(ALIKE, allowed)
        self._offer(MAP, allowed and self.map is not None)

    def show_alike(self, words: str, rows: Sequence[tuple[str, ...]]) -> None:
        """Shows the records most similar to the selected one: number, class, share of the trees."""
        self._alike = words, [ALIKE_HEADING, *rows] if rows else []
        self.alike.show_rows(self._alike[1])
        self.show_page(self.page)

    def add_rounds(self, widget: QWidget) -> None:
        self._rounds = widget
        self._foot.addWidget(widget, 2)
        widget.hide()

    def add_map(self, widget: RecordMap) -> None:
        self.map = widget
        self.pages.insertWidget(MAP, widget)
        self.pages.removeWidget(self._place)
        widget.words_changed.connect(self._say)
        widget.scatter.canvas.table_wanted.connect(self._as_table.toggle)

    def _say(self) -> None:
        self._sentence.setText(self._words())

    def allow_steps(self, allowed: bool) -> None:
        """Whether there are rounds to step through."""
        self._can_step = allowed
        self.show_page(self.page)

    def show_round(self, round_index: int) -> None:
        """Shows a round on every page with rounds."""
        self._round = round_index
        bands = self.weights.bands
        if bands is not None and self.members is not None:
            error = float(self.members.known.member_errors[round_index])
            self.weights.read_at(int(np.argmin(np.abs(bands.places - error))))
        if self.vote.chosen != round_index:
            self.vote.choose(round_index)
        self._say()

    def _show_errors(self) -> None:
        if self.members is None:
            return
        self.plot.show_bands(error_bands(self.members, self.tested))
        n = self.members.n_members
        self.together.show_bands(
            None if self.tested is None else independent_bands(self.tested, n, len(self.members.schema.classes))
        )
        decides = self.members.how != "sums"
        self._offer(ERROR, self.plot.bands is not None or self._can_test)
        self._offer(TOGETHER, decides and (self._can_test or self.together.bands is not None))

    def _color_only(self) -> None:
        for canvas in (self.vote, self.gallery):
            canvas.color_only(self._legend.colored)

    def facts(self) -> str:
        return "" if self.members is None else counted(self.members.n_members, "member")

    def show_page(self, page: int) -> None:
        """Shows a page; the last page has the open member."""
        is_other = page != self.page
        self.page = page
        self.views.setCurrentIndex(self.views.findData(min(page, MEMBERS)))
        self._as_table.setEnabled(page in PICTURES or page == MAP)
        is_left = self._can_test and not self._is_whole and page in (ERROR, TOGETHER)
        self._test.setVisible(is_left and not self._is_untested)
        self._test_here.setVisible(is_left)
        self.record.setVisible(page == ALIKE)
        self._legend.setVisible(page in (VOTE, GALLERY))
        stepping = self._can_step and page in (WEIGHTS, VOTE)
        if self._rounds is not None:
            left = not self._rounds.isHidden() and not stepping
            self._rounds.setVisible(stepping)
            if left:
                self._round = None
                self.round_looked_at.emit(-1)
        self._say()
        self._show()
        if is_other:
            self.page_turned.emit(page)
            self._reveal.start()

    @property
    def _is_untested(self) -> bool:
        """Whether the page in view has no curve before the members are tested."""
        return self.page in (ERROR, TOGETHER) and (self.plot if self.page == ERROR else self.together).bands is None

    def _words(self) -> str:
        members, tested = self.members, self.tested
        if members is None:
            return ""
        if self.page == VOTE:
            return self.vote.words()
        if self.page == WEIGHTS:
            return importance_words(members) if self._round is None else round_words(members, self._round)
        if self.page == GALLERY:
            in_round = len(members.known.member_errors) > 0
            return _HANGING.format("the weight in this round of the records" if in_round else "the number of records")
        if self.page == ATTRIBUTES:
            return attribute_words(members)
        if self.page == ALIKE:
            return self._alike[0]
        if self.page == MAP:
            return "" if self.map is None else self.map.words
        if self.page in (ERROR, TOGETHER) and self._end:
            return self._end
        if self.page == TOGETHER:
            n_classes = len(members.schema.classes)
            return "" if tested is None else independent_words(tested, members.n_members, n_classes)
        if self.page == ERROR and tested is not None:
            so_far = "" if tested.parts == tested.planned else f" ({tested.parts} of {tested.planned} parts so far)"
            together = f"{tested.method.described()}: error rate {percent(tested.error)}{so_far}."
            return f"{together} {ensemble_words(members, has_curve=True)}"
        return ensemble_words(members, has_curve=self.page == ERROR)

    def open_member(self, member: int) -> None:
        if self.members is not None:
            self._from = self.page
            self.one.show_member(self.members, member)
            self.show_page(ONE)

    def _gallery_moved(self, member: int) -> None:
        box = self.gallery.box(member)
        middle = box.center()
        self._hall.ensureVisible(middle.x(), middle.y(), box.width() // 2, box.height() // 2 + 1)

    def _vote_moved(self) -> None:
        row = self.vote.row_of(self.vote.chosen)
        beside = self._ballot.horizontalScrollBar().value()
        self._ballot.ensureVisible(beside, row.center().y(), 0, row.height() // 2 + self.vote.head)
        self._sentence.setText(self.vote.words())
        self._show()

    def _back(self) -> None:
        self.show_page(GALLERY if self._from == GALLERY else MEMBERS)
        if self.page == GALLERY:
            self.gallery.choose(self.one.at)
            self.gallery.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self.table.selectRow(self.one.at)
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show(self) -> None:
        if self.page == MAP and self.map is not None:
            self.map.show_table(self._as_table.isChecked())
        if self._as_table.isChecked() and self.page in PICTURES:
            self.twin.show_rows(self.rows())
            self.pages.setCurrentWidget(self.twin)
        elif self._is_untested:
            self._missing.setText(_NOT_TESTED if self.tested is None else _NO_CURVE)
            self.pages.setCurrentWidget(self._untested)
        else:
            self.pages.setCurrentIndex(self.page)

    def rows(self) -> list[tuple[str, ...]]:
        if self.members is None:
            return []
        if self.page == ERROR:
            return error_rows(self.members, self.tested)
        if self.page == TOGETHER:
            return [] if self.together.bands is None else independent_rows(self.together.bands)
        if self.page == WEIGHTS:
            return weight_rows(self.members)
        if self.page == ATTRIBUTES:
            return importance_rows(self.members)
        if self.page == VOTE:
            return self.vote.rows()
        if self.page == ALIKE:
            return self._alike[1]
        return [heading_of(self.members), *(row_of(self.members, member) for member in range(self.members.n_members))]
