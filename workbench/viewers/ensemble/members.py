"""The members of an ensemble: their table, small trees side by side, and votes for records."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QHeaderView, QTableView

from algorithms.data.columns import FloatArray
from algorithms.data.schema import Schema
from algorithms.learners.ensembles.model import LazyStructures
from algorithms.structures.members import Members, VoteRounds
from algorithms.structures.model_structure import ModelStructure
from algorithms.structures.tree import Tree, question_words
from algorithms.text.numbers import with_minus
from algorithms.text.sentences import typeset
from workbench.layout.tree_layout import SmallTree, small_tree
from workbench.style.structure_colors import StructureColors, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.chart_base import PaintedChart
from workbench.widgets.labels import draw_elided, elided
from workbench.widgets.layouts import named
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, draw_text, pen_and_brush
from workbench.widgets.tables import CellsModel, set_row_height, show_as_list

if TYPE_CHECKING:
    from algorithms.evaluation.curves.learning_curves import MemberErrors


ROUND_ERROR: Final = "weighted error of the member"
ASKS: Final = 2
"""The column that takes the remaining width."""
HEADING: Final = ("Member", "Model", "Root split", "Vote weight", "Weighted error")
COPIED: Final = 2_000
"""The most members copied as text; a file has all."""


def first_question(part: ModelStructure) -> str:
    """The question at the root of a tree; empty for other members."""
    return typeset(question_words(part, 0)) if isinstance(part, Tree) else ""


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

    def __init__(self) -> None:
        super().__init__()
        self.rows = MembersModel()
        named(self, "visualize.members", "Members of the ensemble")
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
        columns += [(ROUND_ERROR, record.member_errors), ("bound on the training error", record.training_bound)]
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


FAR: Final = 10**9
"""More than any number of members."""


class MemberCanvas(PaintedChart):
    """The base of views in which a click or arrow keys choose a member, a double click or Enter opens it.

    ``opened`` and ``moved`` carry its number. Subclasses say which member is at a point, what a choice changes, and how
    far each key moves.
    """

    opened = Signal(int)
    moved = Signal(int)

    def __init__(self, name: str, title: str) -> None:
        super().__init__(name, title)
        self.chosen = 0
        self._colored: frozenset[int] | None = None
        themes.follow(self.measured)

    @property
    def look(self) -> StructureColors:
        return StructureColors(current_theme().only(self._colored))

    def color_only(self, colored: frozenset[int] | None) -> None:
        """Shows only these classes in their colours; None for all."""
        if colored != self._colored:
            self._colored = colored
            self.measured()
            self.update()

    @property
    def n_shown(self) -> int:
        return 0

    def choose(self, member: int) -> None:
        """Chooses a member, or the nearest one there is."""
        if self.n_shown:
            self.chosen = min(max(0, member), self.n_shown - 1)
            self.changed()
            self.moved.emit(self.chosen)

    def words(self) -> str:
        """What the view says with this choice."""
        return ""

    def measured(self) -> None:
        self.setMinimumSize(self.sizeHint())

    def changed(self) -> None:
        """Updates the view after another member was chosen."""
        self.setAccessibleDescription(self.words())
        self.update()

    def at(self, point: QPoint) -> int:
        """The member at a point; -1 for none."""
        return -1

    def tip(self, point: QPoint) -> str:
        return ""

    def steps(self) -> dict[Qt.Key, int]:
        """How far each key moves, apart from Home and End."""
        return {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}

    def mousePressEvent(self, event: QMouseEvent) -> None:
        member = self.at(event.position().toPoint())
        if member >= 0:
            self.choose(member)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.n_shown and self.at(event.position().toPoint()) == self.chosen:
            self.opened.emit(self.chosen)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, steps = Qt.Key(event.key()), {Qt.Key.Key_Home: -FAR, Qt.Key.Key_End: FAR} | self.steps()
        if key in steps:
            self.choose(self.chosen + steps[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.n_shown:
            self.opened.emit(self.chosen)
        else:
            super().keyPressEvent(event)

    def tip_at(self, point: QPointF) -> str:
        return self.tip(point.toPoint())


THUMBNAIL: Final = QSize(196, 150)
THUMBNAIL_GAP: Final = 8
MOST_NODES: Final = 360
"""The most nodes drawn of a tree."""
FEW_ENDS: Final = 26
"""Up to this many leaves have symbols of their classes; more are coloured bars."""
LEVELS_APART: Final = 22.0
WIDEST: Final = 4.0
MOST_SAVED: Final = 120
"""Up to this many trees an export has all; beyond, the visible ones."""
MOST_KEPT: Final = 300
"""The most pictures kept, so that a choice repaints only frames."""
MAKING: Final = 0.02
"""Seconds of painting before the finished pictures are shown."""
MOST_WHOLE: Final = 60
"""The most trees kept as a whole, the last ones painted."""


def has_trees(members: Members) -> bool:
    parts = members.parts
    if isinstance(parts, LazyStructures):
        return parts.all_trees
    return members.n_members > 0 and all(isinstance(part, Tree) for part in parts)


class ThumbnailCanvas(MemberCanvas):
    """Small pictures of all trees, lines by share of records; click or arrows choose, Enter opens."""

    def __init__(self) -> None:
        super().__init__("visualize.committee.gallery", "The trees of the ensemble")
        self.members: Members | None = None
        self._drawn: dict[int, SmallTree] = {}
        self._whole: dict[int, Tree] = {}
        self._pictures: dict[int, QPixmap] = {}

    @property
    def n_shown(self) -> int:
        return 0 if self.members is None else self.members.n_members

    def show_members(self, members: Members) -> None:
        """Shows these trees; nothing if a member is no tree."""
        self.members = members if has_trees(members) else None
        self.chosen, self._drawn, self._whole = 0, {}, {}
        self.measured()
        self.changed()

    def words(self) -> str:
        return self.words_of(self.chosen)

    def words_of(self, member: int) -> str:
        if self.members is None or not 0 <= member < self.members.n_members:
            return ""
        name, what, *_ = row_of(self.members, member)
        asked = first_question(self.members.parts[member])
        return f"{name}: {what}" + (f"; its root tests {asked}" if asked else "")

    # ---- where things are --------------------------------------------------------------------------------------------

    @property
    def columns(self) -> int:
        return max(
            1, (self.width() + themes.px(THUMBNAIL_GAP)) // (themes.px(THUMBNAIL.width()) + themes.px(THUMBNAIL_GAP))
        )

    @property
    def _cell_width(self) -> int:
        gap = themes.px(THUMBNAIL_GAP)
        return max(themes.px(THUMBNAIL.width()), (self.width() + gap) // self.columns - gap)

    def box(self, member: int) -> QRect:
        wide, high, gap = self._cell_width, themes.px(THUMBNAIL.height()), themes.px(THUMBNAIL_GAP)
        row, column = divmod(member, self.columns)
        return QRect(column * (wide + gap), row * (high + gap), wide, high)

    def at(self, point: QPoint) -> int:
        if self.members is None:
            return -1
        wide, high, gap = self._cell_width, themes.px(THUMBNAIL.height()), themes.px(THUMBNAIL_GAP)
        column = point.x() // (wide + gap)
        member = (point.y() // (high + gap)) * self.columns + column
        inside = 0 <= column < self.columns and 0 <= member < self.members.n_members
        return member if inside and self.box(member).contains(point) else -1

    @property
    def taken(self) -> QRect:
        """The part that an export has."""
        few = self.members is not None and self.members.n_members <= MOST_SAVED
        return self.rect() if few else self.visibleRegion().boundingRect()

    def measured(self) -> None:
        n = 0 if self.members is None else self.members.n_members
        self._pictures = {}
        self.setMinimumSize(themes.px(THUMBNAIL.width()), self.box(n - 1).bottom() + 1 if n else 0)
        self.updateGeometry()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.measured()

    # ---- painting ----------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            begun, look = perf_counter(), self.look
            for member in self._lying_in(event.rect()):
                self._paint_frame(painter, look, member)
                kept = self._pictures.get(member)
                if kept is None and perf_counter() - begun < MAKING:
                    kept = self._pictured(look, member)
                if kept is None:
                    self.update(self.box(member))
                else:
                    painter.drawPixmap(self.box(member).topLeft(), kept)

    def _pictured(self, look: StructureColors, member: int) -> QPixmap:
        """Paints a tree into a picture, and keeps it until there are too many."""
        box, sharp = self.box(member), self.devicePixelRatioF()
        picture = QPixmap(box.size() * sharp)
        picture.setDevicePixelRatio(sharp)
        picture.fill(Qt.GlobalColor.transparent)
        with QPainter(picture) as painter:
            painter.translate(-box.topLeft())
            self._paint_tree(painter, look, member)
        while len(self._pictures) >= MOST_KEPT:
            del self._pictures[next(iter(self._pictures))]
        self._pictures[member] = picture
        return picture

    def _lying_in(self, part: QRect) -> range:
        if self.members is None or part.isEmpty():
            return range(0)
        row = themes.px(THUMBNAIL.height()) + themes.px(THUMBNAIL_GAP)
        first = max(0, part.top() // row) * self.columns
        return range(first, min(self.members.n_members, (part.bottom() // row + 1) * self.columns))

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        look = self.look
        for member in self._lying_in(part):
            self._paint_frame(painter, look, member)
            self._paint_tree(painter, look, member)

    def _paint_frame(self, painter: QPainter, look: StructureColors, member: int) -> None:
        box, is_chosen = QRectF(self.box(member)).adjusted(1, 1, -1, -1), member == self.chosen
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(look.accent if is_chosen else look.line, 2.0 if is_chosen and self.hasFocus() else 1.0)
        pen_and_brush(painter, pen, look.accent_soft if is_chosen else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, 6, 6)

    def _paint_tree(self, painter: QPainter, look: StructureColors, member: int) -> None:
        assert self.members is not None
        box, font = QRectF(self.box(member)).adjusted(1, 1, -1, -1), themes.font(11)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tree = self._tree(member)
        if member not in self._drawn:
            self._drawn[member] = small_tree(tree, MOST_NODES)
        drawn = self._drawn[member]
        metrics = QFontMetricsF(font)
        name, what, *_ = row_of(self.members, member)
        lines = (f"{name} · {what.removeprefix('tree of ')}", first_question(tree) or "one leaf")
        for line, (text, color) in enumerate(zip(lines, (look.text, look.dim), strict=True)):
            fits = elided(metrics, text, box.width() - 14)
            at = QPointF(box.left() + 7, box.top() + 5 + metrics.ascent() + line * metrics.height())
            draw_text(painter, at, fits, color, font)
        room = box.adjusted(8, 2 * metrics.height() + 14, -8, -9)
        paint_small_tree(painter, look, tree, drawn, room)

    def _tree(self, member: int) -> Tree:
        """A tree, kept as a whole while it is among the last ones painted."""
        assert self.members is not None
        tree = self._whole.pop(member, None)
        if tree is None:
            part = self.members.parts[member]
            assert isinstance(part, Tree)
            tree = part
        self._whole[member] = tree
        while len(self._whole) > MOST_WHOLE:
            del self._whole[next(iter(self._whole))]
        return tree

    # ---- mouse and keys ----------------------------------------------------------------------------------------------

    def tip(self, point: QPoint) -> str:
        return self.words_of(self.at(point))

    def steps(self) -> dict[Qt.Key, int]:
        sideways = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        return sideways | {Qt.Key.Key_Up: -self.columns, Qt.Key.Key_Down: self.columns}


def paint_small_tree(painter: QPainter, look: StructureColors, tree: Tree, drawn: SmallTree, room: QRectF) -> None:
    """Paints a tree into a rectangle: leaves as symbols of classes, or as colours if there are many."""
    step = min(themes.px(LEVELS_APART), room.height() / max(1, drawn.depth))
    x = room.left() + drawn.x * room.width()
    y = room.top() + drawn.level * step
    weight = tree.counts[drawn.nodes].sum(axis=1)
    share = np.sqrt(weight / max(float(weight[0]), 1e-300))
    for place in range(len(drawn.nodes) - 1, 0, -1):
        above = int(drawn.above[place])
        painter.setPen(QPen(look.dim, max(1.0, WIDEST * float(share[place]))))
        painter.drawLine(QPointF(x[above], y[above]), QPointF(x[place], y[place]))
    ends = np.flatnonzero(drawn.ends)
    apart = room.width() / max(1, len(ends))
    for place in ends.tolist():
        code, middle = int(tree.decision[drawn.nodes[place]]), QPointF(x[place], y[place])
        if len(ends) <= FEW_ENDS:
            draw_symbol(painter, look, code, middle, min(themes.px(4), 0.42 * apart))
        else:
            wide = max(1.0, 0.8 * apart)
            painter.fillRect(QRectF(x[place] - wide / 2, y[place] - 2, wide, 5.0), look.class_color(code))
    if drawn.is_cut:
        corner = Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignRight
        draw_text(painter, room.adjusted(0, 0, 0, 7), "…", look.dim, themes.font(10), corner)


ROW: Final = 30
VOTE_WIDTH: Final = 52
NAMES: Final = 280
SUMMARY: Final = 4
"""Rows above those of the members: names, classes, sums, decisions."""
LARGEST: Final = 11.0
LEAST: Final = 2.0


class VoteCanvas(MemberCanvas):
    """A dot for each member's vote on each record, and above them the sums up to the chosen member.

    Symbol and colour show the class, the size shows the record's weight in training, a frame marks a wrong vote. A
    click or the arrow keys choose the last member counted, a double click or Enter opens it.
    """

    def __init__(self) -> None:
        super().__init__("visualize.committee.vote", "The vote as it forms")
        self.members: Members | None = None

    @property
    def n_shown(self) -> int:
        return 0 if self.members is None else self.members.n_members

    def show_members(self, members: Members) -> None:
        """Shows the votes of these members, all of them counted."""
        self.members = members if members.rounds is not None else None
        self.chosen = max(0, members.n_members - 1)
        self.measured()
        self.changed()

    @property
    def _rounds(self) -> VoteRounds:
        assert self.members is not None
        assert self.members.rounds is not None
        return self.members.rounds

    # ---- in numbers and words --------------------------------------------------------------------------------------

    def sums(self) -> FloatArray:
        """The summed votes (n, k) of the members up to the chosen one."""
        assert self.members is not None
        return self._rounds.sums(self.members.weights, self.chosen + 1)

    def sum_words(self) -> list[str]:
        """The sum of each record: the signed difference for two classes, else the largest sum."""
        assert self.members is not None
        sums = self.sums()
        if sums.shape[1] == 2:
            plus = plus_class(self.members.schema)
            signed = sums[:, plus] - sums[:, 1 - plus]
            return [with_minus(f"{value:+.3g}") for value in (signed + 0.0).tolist()]
        return [f"{value:.3g}" for value in sums.max(axis=1).tolist()]

    def words(self) -> str:
        """The number of members counted, and their wrong predictions, in words."""
        if self.members is None:
            return ""
        decided, truth = self.sums().argmax(axis=1), self._rounds.truth
        wrong = int(np.count_nonzero(decided != truth))
        votes = self._rounds.votes[self.chosen].argmax(axis=1)
        alone = int(np.count_nonzero(votes != truth))
        first = "1 member has" if self.chosen == 0 else f"The first {self.chosen + 1} members together have"
        return f"{first} {wrong} of {len(truth)} records wrong; {row_name(self.members, self.chosen)} alone {alone}."

    def rows(self) -> list[tuple[str, ...]]:
        members = self.members
        if members is None:
            return []
        rounds, classes = self._rounds, members.schema.classes
        table: list[tuple[str, ...]] = [("member", "root test", "vote weighs", *rounds.names)]
        table.append(("class", "", "", *(classes[code] for code in rounds.truth.tolist())))
        for member in range(members.n_members):
            votes = rounds.votes[member].argmax(axis=1).tolist()
            cells = (
                f"{classes[code]} ({w:.3g})" for code, w in zip(votes, rounds.counted[member].tolist(), strict=True)
            )
            asks = first_question(members.parts[member])
            table.append((row_name(members, member), asks, f"{members.weights[member]:.4g}", *cells))
        table.append((f"sum of {self.chosen + 1}", "", "", *self.sum_words()))
        table.append(("decided", "", "", *(classes[code] for code in self.sums().argmax(axis=1).tolist())))
        return table

    # ---- the picture -----------------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        if self.members is None:
            return QSize(0, 0)
        height = (SUMMARY + self.members.n_members) * themes.px(ROW) + 8
        return QSize(themes.px(NAMES) + len(self._rounds.names) * themes.px(VOTE_WIDTH) + 2, height)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self.paint(painter, event.rect())
            if self.members is not None and self._scrolled > 0:
                painter.translate(0, self._scrolled)
                painter.fillRect(0, 0, self.width(), self.head, current_theme().color("pane"))
                self._paint_summary(painter, self.look, themes.px(ROW))

    @property
    def head(self) -> int:
        """The height of the rows above the members, which do not scroll."""
        return SUMMARY * themes.px(ROW) + 4

    @property
    def _scrolled(self) -> int:
        return self.visibleRegion().boundingRect().top()

    def row_of(self, member: int) -> QRect:
        return QRect(0, (SUMMARY + member) * themes.px(ROW) + 5, self.width(), themes.px(ROW))

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        """Paints the rows in this part, and the rows above them."""
        members = self.members
        if members is None:
            return
        look, row = self.look, themes.px(ROW)
        self._paint_summary(painter, look, row)
        largest = float(self._rounds.counted.max(initial=1.0))
        first = max(0, part.top() // row - SUMMARY)
        for member in range(first, min(members.n_members, part.bottom() // row - SUMMARY + 1)):
            self._paint_member(painter, look, member, row, largest)
        pen_and_brush(painter, QPen(look.accent, 2 if self.hasFocus() else 1))
        top = (SUMMARY + self.chosen) * row + 6
        painter.drawRoundedRect(QRectF(1, top, self.sizeHint().width() - 3, row - 2), 4, 4)

    def _paint_summary(self, painter: QPainter, look: StructureColors, row: int) -> None:
        assert self.members is not None
        rounds, decided = self._rounds, self.sums().argmax(axis=1)
        heading = "1 member heard" if self.chosen == 0 else f"{self.chosen + 1} members heard"
        font = themes.font(12)
        for line, text in enumerate(("Record", "Class", f"Sum, {heading}", "Decided")):
            draw_elided(painter, QRectF(6, line * row, themes.px(NAMES) - 12, row), text, look.dim, font, MIDDLE_LEFT)
        for record, (name, total) in enumerate(zip(rounds.names, self.sum_words(), strict=True)):
            box = QRectF(themes.px(NAMES) + record * themes.px(VOTE_WIDTH), 0, themes.px(VOTE_WIDTH), row)
            draw_elided(painter, box, name, look.text, themes.font(12, bold=True))
            draw_symbol(painter, look, int(rounds.truth[record]), box.translated(0, row).center(), 6)
            draw_elided(painter, box.translated(0, 2 * row), total, look.text, font)
            draw_symbol(painter, look, int(decided[record]), box.translated(0, 3 * row).center(), 6)
            if decided[record] != rounds.truth[record]:
                self._frame(painter, look, box.translated(0, 3 * row))
        painter.setPen(QPen(look.dim, 1))
        painter.drawLine(QPointF(0, SUMMARY * row + 2), QPointF(self.sizeHint().width(), SUMMARY * row + 2))

    def _paint_member(self, painter: QPainter, look: StructureColors, member: int, row: int, largest: float) -> None:
        assert self.members is not None
        rounds, top = self._rounds, (SUMMARY + member) * row + 5
        votes = rounds.votes[member].argmax(axis=1)
        painter.setOpacity(1.0 if member <= self.chosen else 0.35)
        weighs = (
            "" if np.all(self.members.weights == self.members.weights[0]) else f"  × {self.members.weights[member]:.3g}"
        )
        question = first_question(self.members.parts[member])
        text = " · ".join(filter(None, (row_name(self.members, member), question))) + weighs
        box = QRectF(6, top, themes.px(NAMES) - 12, row)
        draw_elided(painter, box, text, look.text, themes.font(12), MIDDLE_LEFT)
        for i in range(len(rounds.names)):
            box = QRectF(themes.px(NAMES) + i * themes.px(VOTE_WIDTH), top, themes.px(VOTE_WIDTH), row)
            size = LEAST + (LARGEST - LEAST) * float(np.sqrt(rounds.counted[member, i] / largest))
            draw_symbol(painter, look, int(votes[i]), box.center(), size)
            if votes[i] != rounds.truth[i]:
                self._frame(painter, look, box)
        painter.setOpacity(1.0)

    @staticmethod
    def _frame(painter: QPainter, look: StructureColors, box: QRectF) -> None:
        pen_and_brush(painter, QPen(look.bad, 2))
        painter.drawRoundedRect(box.adjusted(4, 2, -4, -2), 3, 3)

    # ---- mouse and keys --------------------------------------------------------------------------------------------

    def place_at(self, point: QPoint) -> tuple[int, int]:
        """The member and the record at a point; -1 beside them."""
        if self.members is None or self._scrolled <= point.y() < self._scrolled + self.head:
            return -1, -1
        member = point.y() // themes.px(ROW) - SUMMARY
        record = (point.x() - themes.px(NAMES)) // themes.px(VOTE_WIDTH)
        n = len(self._rounds.names)
        return (member if 0 <= member < self.members.n_members else -1), (record if 0 <= record < n else -1)

    def at(self, point: QPoint) -> int:
        return self.place_at(point)[0]

    def tip(self, point: QPoint) -> str:
        member, record = self.place_at(point)
        if self.members is None or member < 0 or record < 0:
            return ""
        rounds, classes = self._rounds, self.members.schema.classes
        vote = classes[int(rounds.votes[member, record].argmax())]
        weighed = f"{rounds.counted[member, record]:.3g}"
        return f"{row_name(self.members, member)} predicts {vote}; weight of the record in training {weighed}"


def row_name(members: Members, member: int) -> str:
    return members.names[member] if len(set(members.names[:2])) > 1 else f"Round {member + 1}"


def plus_class(schema: Schema) -> int:
    """The positive one of two classes: the larger of two numbers, else the second."""
    try:
        first, second = (float(label) for label in schema.classes)
    except ValueError:
        return 1
    return int(second > first)
