"""The viewer of a committee: how its error falls with its members, what matters to it, and each member by itself."""

from __future__ import annotations

from typing import ClassVar, Final

import numpy as np
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QButtonGroup, QPushButton, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from algorithms.core.columns import FloatArray
from algorithms.core.members import Members
from workbench.jobs import Jobs
from workbench.parts import label, pill_button, quiet_button
from workbench.parts.scrolling import clear_row, over_canvas
from workbench.parts.text_table import TextTable
from workbench.views.bands import BandLine, BandPlot, Bands
from workbench.views.export import Export, ExportedDrawing, Table, rows_written
from workbench.views.importance import ImportanceBars, importance_rows, known_importances
from workbench.views.members_table import HEADING, MembersTable, error_rows, row_of
from workbench.views.one_member import OneMember
from workbench.views.vote_canvas import VoteCanvas
from workbench.wording import counted

ERROR, ATTRIBUTES, VOTE, MEMBERS, ONE = 0, 1, 2, 3, 4
_PICTURES: Final = (ERROR, ATTRIBUTES, VOTE)
"""Pages that are pictures with a table of the same."""
MOST_PLACES: Final = 150
"""So many numbers of members are drawn at most; the table has all."""


class MembersView(QWidget):
    """A committee to look at; ``controls`` are the buttons of its pages, for the heading of the pane."""

    title = "Committee"
    facts_changed = Signal()

    def __init__(self, jobs: Jobs | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.members: Members | None = None
        self._sentence = label("", "", wrap=True)
        self._sentence.setObjectName("visualize.committee.words")
        self.plot = BandPlot("visualize.committee.error", "Error by the number of members")
        self.bars = ImportanceBars()
        self.vote = VoteCanvas()
        self.table = MembersTable()
        self.twin = TextTable("visualize.committee.table", "The picture as a table")
        self.one = OneMember(jobs)
        self.pages = QStackedWidget()
        for page in (self.plot, _scrolled(self.bars), over_canvas(self.vote), self.table, self.one, self.twin):
            self.pages.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addWidget(self._sentence)
        column.addWidget(self.pages, 1)
        self.export = Export(ExportedCommittee(self), jobs, self)
        self.plot.copy_asked.connect(self.export.copy_table)
        self.table.opened.connect(self.open_member)
        self.vote.opened.connect(self.open_member)
        self.vote.moved.connect(self._vote_moved)
        self.one.left.connect(self._back)
        self.page = MEMBERS
        self.controls = self._made_controls()

    # ---- what is shown ---------------------------------------------------------------------------------------------

    def set_structure(self, structure: Members) -> None:
        """Show these members: the curve of their errors first, where it is known."""
        self.members = structure
        has_curve, has_bars = bool(len(structure.known.training_error)), bool(known_importances(structure))
        self._buttons[ERROR].setVisible(has_curve)
        self._buttons[ATTRIBUTES].setVisible(has_bars)
        self._buttons[VOTE].setVisible(structure.rounds is not None)
        self._sentence.setText(_sentence(structure))
        self.vote.show_members(structure)
        self.table.rows.show_members(structure)
        self.bars.show_members(structure)
        self.plot.show_bands(_bands(structure) if has_curve else None)
        self.show_page(ERROR if has_curve else MEMBERS)
        self.facts_changed.emit()

    def facts(self) -> str:
        """How many members there are, in words."""
        return "" if self.members is None else counted(self.members.n_members, "member")

    def show_page(self, page: int) -> None:
        """Show the error, the attributes, the members or the one opened last."""
        self.page = page
        self._buttons[min(page, MEMBERS)].setChecked(True)
        self._as_table.setEnabled(page in _PICTURES)
        if self.members is not None:
            self._sentence.setText(self.vote.words() if page == VOTE else _sentence(self.members))
        self._show()

    def open_member(self, at: int) -> None:
        """Look inside one member."""
        if self.members is not None:
            self.one.show_member(self.members, at)
            self.show_page(ONE)

    def _vote_moved(self) -> None:
        self._sentence.setText(self.vote.words())
        self._show()

    def _back(self) -> None:
        self.show_page(MEMBERS)
        self.table.selectRow(self.one.at)
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show(self) -> None:
        if self._as_table.isChecked() and self.page in _PICTURES:
            self.twin.show_rows(self.rows())
            self.pages.setCurrentWidget(self.twin)
        else:
            self.pages.setCurrentIndex(self.page)

    def rows(self) -> list[tuple[str, ...]]:
        """The page in view as a table, the heading first."""
        if self.members is None:
            return []
        if self.page == ERROR:
            return error_rows(self.members)
        if self.page == ATTRIBUTES:
            return importance_rows(self.members)
        if self.page == VOTE:
            return self.vote.rows()
        return [HEADING, *(row_of(self.members, at) for at in range(self.members.n_members))]

    # ---- its buttons -----------------------------------------------------------------------------------------------

    def _made_controls(self) -> QWidget:
        row, line = clear_row()
        self._group = QButtonGroup(row)
        self._buttons = [self._page_button(page, *words) for page, words in enumerate(_PAGES)]
        for button in self._buttons:
            line.addWidget(button)
        self._group.idClicked.connect(self.show_page)
        self._as_table = quiet_button("As table", "visualize.committee.as-table", "The same as a table")
        self._as_table.setCheckable(True)
        self._as_table.toggled.connect(self._show)
        line.addWidget(self._as_table)
        line.addWidget(self.export.button("visualize.committee.save"))
        return row

    def _page_button(self, page: int, text: str, name: str, tip: str) -> QPushButton:
        button = pill_button(text, name, tip)
        button.setCheckable(True)
        self._group.addButton(button, page)
        return button


_PAGES: Final = (
    ("Error", "visualize.committee.show-error", "How often the first members together are wrong, by their number"),
    ("Attributes", "visualize.committee.show-attributes", "How much each attribute matters to the committee"),
    ("Vote", "visualize.committee.show-vote", "What each member learned from and says of each record, and the sums"),
    ("Members", "visualize.committee.show-members", "Every member by itself; each can be opened"),
)


class ExportedCommittee(ExportedDrawing):
    """The page in view, and its numbers."""

    name: ClassVar[str] = "committee"
    title: ClassVar[str] = "Committee"

    def __init__(self, view: MembersView) -> None:
        self._view = view

    def size(self) -> QSize:
        if self._view.page == VOTE:
            return self._view.vote.sizeHint()
        shown = {ERROR: self._view.plot, ATTRIBUTES: self._view.bars}.get(self._view.page)
        return QSize() if shown is None or self._view.members is None else shown.size()

    def paint(self, painter: QPainter) -> None:
        if self._view.page == ERROR:
            self._view.plot.paint(painter)
        elif self._view.page == ATTRIBUTES:
            self._view.bars.paint(painter, self._view.bars.rect())
        elif self._view.page == VOTE:
            self._view.vote.paint(painter, self._view.vote.rect())

    def table(self) -> Table | None:
        rows = self._view.rows()
        return rows_written(rows) if rows else None


def _scrolled(bars: ImportanceBars) -> QScrollArea:
    scroll = QScrollArea()
    scroll.setWidgetResizable(True)
    scroll.setFrameShape(QScrollArea.Shape.NoFrame)
    scroll.setWidget(bars)
    for part in (scroll.viewport(), bars):
        part.setAutoFillBackground(False)
    return scroll


_OTHERWISE: Final = {
    "judge": "The last member decides: it has learned what the probabilities that the others give are worth.",
    "sums": "What the leaves of {} say of a record is added up; each tree mends a little of what those before it leave "
    "wrong.",
}


def _sentence(members: Members) -> str:
    known, how = members.known, "by the mean of their probabilities" if members.averaged else "by their votes"
    found = [f"{counted(members.n_members, 'member')} decide{'s' if members.n_members == 1 else ''} {how}."]
    if members.how in _OTHERWISE:
        found = [_OTHERWISE[members.how].format(counted(members.n_members, "tree"))]
    if known.is_tested:
        found.append(
            f"On their own training records they are wrong {100 * known.out_of_bag:.1f} times in 100 where only those "
            "decide that did not learn from the record (out of bag)."
        )
    if np.isfinite(known.bound):
        found.append(
            f"Each tree is {known.strength:.2f} strong, and they err alike by {known.correlation:.2f}: 1 is the most "
            "of both."
        )
    return " ".join(found)


def _bands(members: Members) -> Bands:
    """The curves of the errors, at evenly spread numbers of members where there are very many."""
    known = members.known
    m = len(known.training_error)
    places = np.unique(np.linspace(1, m, min(m, MOST_PLACES)).round().astype(np.int64))
    curves: list[tuple[str, FloatArray]] = [("training", known.training_error)]
    if known.is_tested:
        curves.insert(0, ("out of bag", known.out_of_bag_error))
    elif len(known.member_errors) == m:
        curves.append(("each member alone, by its weights", known.member_errors))
        if len(members.schema.classes) == 2:
            curves.append(("the most there can be in training", known.training_bound))
    none = np.zeros(len(places))
    return Bands(
        across="Members",
        upward="wrong of 100",
        values=tuple(str(place) for place in places.tolist()),
        places=places.astype(np.float64),
        is_number=True,
        lines=tuple(BandLine(name, values[places - 1], none) for name, values in curves),
    )
