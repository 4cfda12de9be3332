"""The members of an ensemble as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from algorithms.learners.trees.words import SHORT, question_words
from algorithms.structures.members import Members
from algorithms.structures.model_structure import ModelStructure
from algorithms.structures.tree import Tree
from workbench.style.theme import themes
from workbench.widgets.layouts import named
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT
from workbench.widgets.tables import CellsModel, set_row_height, show_as_list

if TYPE_CHECKING:
    from algorithms.evaluation.curves.member_errors import MemberErrors


ASKS: Final = 2
"""The column that takes the remaining width."""
HEADING: Final = ("Member", "What it is", "Asks first", "Vote weighs", "Error in its round")
COPIED: Final = 2_000
"""The most members copied as text; a file has all."""


def first_question(part: ModelStructure) -> str:
    """The question at the root of a tree; empty for other members."""
    return question_words(part, 0, digits=SHORT).replace("<=", "≤") if isinstance(part, Tree) else ""


def heading_of(members: Members) -> tuple[str, ...]:
    """The columns of :data:`HEADING` with content: weights only for votes, errors only if known."""
    has_errors = len(members.known.member_errors) > 0
    return (*HEADING[:3], *((HEADING[3],) if members.how == "members" else ()), *((HEADING[4],) if has_errors else ()))


def row_of(members: Members, member: int) -> tuple[str, ...]:
    """The cells of one member, under :func:`heading_of`."""
    part, errors = members.parts[member], members.known.member_errors
    name = members.names[member] if len(set(members.names[:2])) > 1 else f"{members.names[member]} {member + 1}"
    share = float(members.weights[member]) / max(float(members.weights.sum()), 1e-300)
    weighs = (f"{100 * share:.1f}%",) if members.how == "members" else ()
    error = (f"{100 * errors[member]:.1f}%" if member < len(errors) else "",) if len(errors) else ()
    return name, part.info.member_phrase, first_question(part), *weighs, *error


class MembersModel(CellsModel):
    """A row for each member, with the columns that have content."""

    def __init__(self) -> None:
        super().__init__()
        self.members: Members | None = None
        self.titles: tuple[str, ...] = HEADING
        self._texts: dict[int, tuple[str, ...]] = {}

    def show_members(self, members: Members) -> None:
        self.beginResetModel()
        self.members = members
        self.titles = heading_of(members)
        self._texts = {}
        self.endResetModel()

    def row(self, member: int) -> tuple[str, ...]:
        if self.members is None:
            return ()
        if member not in self._texts:
            self._texts[member] = row_of(self.members, member)
        return self._texts[member]

    def size(self) -> tuple[int, int]:
        return (0, 0) if self.members is None else (self.members.n_members, len(self.titles))

    def heading(self, column: int) -> str:
        return self.titles[column]

    def text(self, row: int, column: int) -> str:
        return self.row(row)[column]

    def side(self, column: int) -> Qt.AlignmentFlag:
        return MIDDLE_LEFT if column < 3 else MIDDLE_RIGHT


class MembersTable(QTableView):
    """The view of the table; Enter or a double click opens a member, Ctrl+C copies the rows."""

    opened = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = MembersModel()
        named(self, "visualize.members", "Members of the committee")
        self.setModel(self.rows)
        header = show_as_list(self)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(ASKS, QHeaderView.ResizeMode.Stretch)
        self.doubleClicked.connect(lambda index: self.opened.emit(index.row()))
        themes.follow_now(self._measure)

    @property
    def chosen(self) -> int:
        """The member of the current row, by default the first."""
        return max(0, self.currentIndex().row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.rows.rowCount():
            self.opened.emit(self.chosen)
        elif event.matches(QKeySequence.StandardKey.Copy):
            shown = [self.rows.row(member) for member in range(min(self.rows.rowCount(), COPIED))]
            text = "\n".join("\t".join(row) for row in (self.rows.titles, *shown))
            QGuiApplication.clipboard().setText(text)
        else:
            super().keyPressEvent(event)

    def _measure(self) -> None:
        set_row_height(self, themes.px(28))


def error_rows(members: Members, tested: MemberErrors | None = None) -> list[tuple[str, ...]]:
    """Errors by number of members as a table, the heading first; with those on unseen records if ``tested``."""
    record = members.known
    columns = [("training", record.training_error), ("out of bag", record.out_of_bag_error)]
    if len(record.member_errors):
        columns += [
            ("each member alone, by its weights", record.member_errors),
            ("the most there can be in training", record.training_bound),
        ]
    if tested is not None:
        columns += [("tested", tested.together), ("member alone, tested", tested.alone)]
    there = [(name, values) for name, values in columns if len(values)]
    rows = [("members", *(name for name, _ in there))]
    for index in range(max((len(values) for _, values in there), default=0)):
        cells = (
            f"{values[index]:.6g}" if index < len(values) and np.isfinite(values[index]) else "" for _, values in there
        )
        rows.append((str(index + 1), *cells))
    return rows
