"""The vote of a committee on few records as it forms: a row for each member, a column for each record."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from algorithms.data.columns import FloatArray
from algorithms.data.schema import Schema
from algorithms.structures.members import Members, Rounds
from workbench.style.figures import with_minus
from workbench.style.structure_colors import Look, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.viewers.ensemble.member_canvas import MemberCanvas
from workbench.viewers.ensemble.members_table import first_question

ROW: Final = 30
CELL: Final = 52
NAMES: Final = 280
SUMMARY: Final = 4
"""Rows above those of the members: names, classes, sums, decisions."""
LARGEST: Final = 11.0
LEAST: Final = 2.0


class VoteCanvas(MemberCanvas):
    """A dot for what each member says of each record: its class by symbol and colour, its size what the record weighed
    when the member learned, framed where it is wrong. Above stand the sums of the members up to the chosen one.

    A click or the arrow keys choose how far the vote has come, a double click or Enter opens the member.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("visualize.committee.vote", "The vote as it forms", parent)
        self.members: Members | None = None

    @property
    def n_shown(self) -> int:
        return 0 if self.members is None else self.members.n_members

    def show_members(self, members: Members) -> None:
        """Show the vote of these members, all of them heard."""
        self.members = members if members.rounds is not None else None
        self.chosen = max(0, members.n_members - 1)
        self.changed()

    def changed(self) -> None:
        self.measured()
        self.setAccessibleDescription(self.words())
        self.update()

    @property
    def _rounds(self) -> Rounds:
        assert self.members is not None
        assert self.members.rounds is not None
        return self.members.rounds

    # ---- in numbers and words --------------------------------------------------------------------------------------

    def sums(self) -> FloatArray:
        """The votes (n, k) of the members up to the chosen one, added up."""
        assert self.members is not None
        return self._rounds.sums(self.members.weights, self.chosen + 1)

    def sum_words(self) -> list[str]:
        """The sum of each record: of two classes for one less for the other, of more that of the strongest."""
        assert self.members is not None
        sums = self.sums()
        if sums.shape[1] == 2:
            plus = plus_class(self.members.schema)
            signed = sums[:, plus] - sums[:, 1 - plus]
            return [with_minus(f"{value:+.3g}") for value in (signed + 0.0).tolist()]
        return [f"{value:.3g}" for value in sums.max(axis=1).tolist()]

    def words(self) -> str:
        """How far the vote has come, and how many it has wrong."""
        if self.members is None:
            return ""
        decided, truth = self.sums().argmax(axis=1), self._rounds.truth
        wrong = int(np.count_nonzero(decided != truth))
        said = self._rounds.votes[self.chosen].argmax(axis=1)
        alone = int(np.count_nonzero(said != truth))
        first = "1 member has" if self.chosen == 0 else f"The first {self.chosen + 1} members together have"
        return f"{first} {wrong} of {len(truth)} records wrong; {row_name(self.members, self.chosen)} alone {alone}."

    def rows(self) -> list[tuple[str, ...]]:
        """The same as a table, the heading first."""
        members = self.members
        if members is None:
            return []
        rounds, classes = self._rounds, members.schema.classes
        found: list[tuple[str, ...]] = [("member", "asks first", "vote weighs", *rounds.names)]
        found.append(("class", "", "", *(classes[code] for code in rounds.truth.tolist())))
        for at in range(members.n_members):
            said = rounds.votes[at].argmax(axis=1).tolist()
            cells = (f"{classes[code]} ({w:.3g})" for code, w in zip(said, rounds.counted[at].tolist(), strict=True))
            asks = first_question(members.parts[at])
            found.append((row_name(members, at), asks, f"{members.weights[at]:.4g}", *cells))
        found.append((f"sum of {self.chosen + 1}", "", "", *self.sum_words()))
        found.append(("decided", "", "", *(classes[code] for code in self.sums().argmax(axis=1).tolist())))
        return found

    # ---- the picture -----------------------------------------------------------------------------------------------

    def measured(self) -> None:
        self.setMinimumSize(self.sizeHint())

    def sizeHint(self) -> QSize:
        if self.members is None:
            return QSize(0, 0)
        height = (SUMMARY + self.members.n_members) * themes.px(ROW) + 8
        return QSize(themes.px(NAMES) + len(self._rounds.names) * themes.px(CELL) + 2, height)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.paint(painter, event.rect())
        if self.members is not None and self._scrolled > 0:
            painter.translate(0, self._scrolled)
            painter.fillRect(0, 0, self.width(), self.head, current_theme().color("pane"))
            self._paint_summary(painter, Look(current_theme()), themes.px(ROW))
        painter.end()

    @property
    def head(self) -> int:
        """The height of what stands above the members, and stays there while they are scrolled."""
        return SUMMARY * themes.px(ROW) + 4

    @property
    def _scrolled(self) -> int:
        return self.visibleRegion().boundingRect().top()

    def row_of(self, member: int) -> QRect:
        """Where the row of a member is."""
        return QRect(0, (SUMMARY + member) * themes.px(ROW) + 5, self.width(), themes.px(ROW))

    def paint(self, painter: QPainter, part: QRect) -> None:
        """Paint the rows that lie in this part, and what stands above them."""
        members = self.members
        if members is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        look, row = Look(current_theme()), themes.px(ROW)
        self._paint_summary(painter, look, row)
        largest = float(self._rounds.counted.max(initial=1.0))
        first = max(0, part.top() // row - SUMMARY)
        for at in range(first, min(members.n_members, part.bottom() // row - SUMMARY + 1)):
            self._paint_member(painter, look, at, row, largest)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(look.accent, 2 if self.hasFocus() else 1))
        top = (SUMMARY + self.chosen) * row + 6
        painter.drawRoundedRect(QRectF(1, top, self.sizeHint().width() - 3, row - 2), 4, 4)

    def _paint_summary(self, painter: QPainter, look: Look, row: int) -> None:
        assert self.members is not None
        rounds, decided = self._rounds, self.sums().argmax(axis=1)
        heading = "1 member heard" if self.chosen == 0 else f"{self.chosen + 1} members heard"
        for line, text in enumerate(("Record", "Class", f"Sum, {heading}", "Decided")):
            self.write(painter, look.dim, text, QRectF(6, line * row, themes.px(NAMES) - 12, row), left=True)
        for at, (name, total) in enumerate(zip(rounds.names, self.sum_words(), strict=True)):
            box = QRectF(themes.px(NAMES) + at * themes.px(CELL), 0, themes.px(CELL), row)
            self.write(painter, look.text, name, box, bold=True)
            draw_symbol(painter, look, int(rounds.truth[at]), box.translated(0, row).center(), 6)
            self.write(painter, look.text, total, box.translated(0, 2 * row))
            draw_symbol(painter, look, int(decided[at]), box.translated(0, 3 * row).center(), 6)
            if decided[at] != rounds.truth[at]:
                self._frame(painter, look, box.translated(0, 3 * row))
        painter.setPen(QPen(look.dim, 1))
        painter.drawLine(QPointF(0, SUMMARY * row + 2), QPointF(self.sizeHint().width(), SUMMARY * row + 2))

    def _paint_member(self, painter: QPainter, look: Look, at: int, row: int, largest: float) -> None:
        assert self.members is not None
        rounds, top = self._rounds, (SUMMARY + at) * row + 5
        said = rounds.votes[at].argmax(axis=1)
        painter.setOpacity(1.0 if at <= self.chosen else 0.35)
        weighs = (
            "" if np.all(self.members.weights == self.members.weights[0]) else f"  × {self.members.weights[at]:.3g}"
        )
        question = first_question(self.members.parts[at])
        text = " · ".join(filter(None, (row_name(self.members, at), question))) + weighs
        self.write(painter, look.text, text, QRectF(6, top, themes.px(NAMES) - 12, row), left=True)
        for i in range(len(rounds.names)):
            box = QRectF(themes.px(NAMES) + i * themes.px(CELL), top, themes.px(CELL), row)
            size = LEAST + (LARGEST - LEAST) * float(np.sqrt(rounds.counted[at, i] / largest))
            draw_symbol(painter, look, int(said[i]), box.center(), size)
            if said[i] != rounds.truth[i]:
                self._frame(painter, look, box)
        painter.setOpacity(1.0)

    @staticmethod
    def _frame(painter: QPainter, look: Look, box: QRectF) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(look.bad, 2))
        painter.drawRoundedRect(box.adjusted(4, 2, -4, -2), 3, 3)

    # ---- mouse and keys --------------------------------------------------------------------------------------------

    def place_at(self, point: QPoint) -> tuple[int, int]:
        """The member and the record at a point; -1 beside them."""
        if self.members is None or self._scrolled <= point.y() < self._scrolled + self.head:
            return -1, -1
        member = point.y() // themes.px(ROW) - SUMMARY
        record = (point.x() - themes.px(NAMES)) // themes.px(CELL)
        n = len(self._rounds.names)
        return (member if 0 <= member < self.members.n_members else -1), (record if 0 <= record < n else -1)

    def at(self, point: QPoint) -> int:
        return self.place_at(point)[0]

    def tip(self, point: QPoint) -> str:
        member, record = self.place_at(point)
        if self.members is None or member < 0 or record < 0:
            return ""
        rounds, classes = self._rounds, self.members.schema.classes
        said = classes[int(rounds.votes[member, record].argmax())]
        weighed = f"{rounds.counted[member, record]:.3g}"
        return f"{row_name(self.members, member)} says {said}; when it learned the record weighed {weighed}"


def row_name(members: Members, at: int) -> str:
    """What a member is called here."""
    return members.names[at] if len(set(members.names[:2])) > 1 else f"Round {at + 1}"


def plus_class(schema: Schema) -> int:
    """Which of two classes counts as plus: the larger where they are numbers, else the second."""
    try:
        first, second = (float(label) for label in schema.classes)
    except ValueError:
        return 1
    return int(second > first)
