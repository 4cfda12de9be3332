"""Pictures of the members of an ensemble: small trees side by side, and votes for records."""

from __future__ import annotations

from time import perf_counter
from typing import Final

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from algorithms.data.columns import FloatArray
from algorithms.data.schema import Schema
from algorithms.learners.ensembles.model import InTurn
from algorithms.structures.members import Members, Rounds
from algorithms.structures.tree import Tree
from workbench.layout.tree_layout import SmallTree, small_tree
from workbench.style.figures import with_minus
from workbench.style.structure_colors import Look, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.viewers.ensemble.member_table import first_question, row_of

FAR: Final = 10**9
"""More members than there are."""


class MemberCanvas(QWidget):
    """A view in which a click or the arrow keys choose a member; a double click or Enter opens it.

    ``opened`` and ``moved`` tell its number. Those who paint say which member is at a point, what changes with the
    choice, and how far each key leads.
    """

    opened = Signal(int)
    moved = Signal(int)

    def __init__(self, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.chosen = 0
        themes.follow(self.measured)

    @property
    def n_shown(self) -> int:
        """How many members there are."""
        return 0

    def choose(self, at: int) -> None:
        """Go to a member, or as near as there are any."""
        if self.n_shown:
            self.chosen = min(max(0, at), self.n_shown - 1)
            self.changed()
            self.moved.emit(self.chosen)

    def measured(self) -> None:
        """Take as much room as is needed."""

    def changed(self) -> None:
        """Another member is chosen."""

    def at(self, point: QPoint) -> int:
        """The member at a point, -1 for none."""
        return -1

    def tip(self, point: QPoint) -> str:
        """What is told of a point while the mouse rests there."""
        return ""

    def steps(self) -> dict[Qt.Key, int]:
        """How far each key leads, besides those to the first and the last."""
        return {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}

    def mousePressEvent(self, event: QMouseEvent) -> None:
        found = self.at(event.position().toPoint())
        if found >= 0:
            self.choose(found)

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

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip(event.pos()), self)
            return True
        return super().event(event)

    @staticmethod
    def write(
        painter: QPainter, color: QColor, text: str, box: QRectF, *, left: bool = False, bold: bool = False
    ) -> None:
        """Write a line into a box, shortened in its middle where it is too long."""
        painter.setFont(themes.font(12, bold=bold))
        painter.setPen(color)
        fits = QFontMetricsF(painter.font()).elidedText(text, Qt.TextElideMode.ElideMiddle, box.width())
        side = Qt.AlignmentFlag.AlignLeft if left else Qt.AlignmentFlag.AlignHCenter
        painter.drawText(box, side | Qt.AlignmentFlag.AlignVCenter, fits)


THUMBNAIL: Final = QSize(196, 150)
THUMBNAIL_GAP: Final = 8
MOST_NODES: Final = 360
"""So many nodes of a tree are drawn at most."""
FEW_ENDS: Final = 26
"""So many leaves have the symbols of their classes; more are bars in their colours."""
LEVELS_APART: Final = 22.0
WIDEST: Final = 4.0
MOST_SAVED: Final = 120
"""A picture has all of so many trees; of more, those in view."""
MOST_KEPT: Final = 300
"""So many pictures are kept, so that the next choice paints only frames."""
MAKING: Final = 0.02
"""Seconds for which pictures are made before those that there are are shown."""
MOST_WHOLE: Final = 60
"""So many trees, the last that were painted, are held as a whole."""


def has_trees(members: Members) -> bool:
    """Whether there is something to hang in the gallery."""
    parts = members.parts
    if isinstance(parts, InTurn):
        return parts.all_trees
    return members.n_members > 0 and all(isinstance(part, Tree) for part in parts)


class GalleryCanvas(MemberCanvas):
    """Every tree from its root down: lines as wide as the share of records that go along them, leaves by class.

    A click or the arrow keys choose one, a double click or Enter opens it.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("visualize.committee.gallery", "The trees of the committee", parent)
        self.members: Members | None = None
        self._drawn: dict[int, SmallTree] = {}
        self._whole: dict[int, Tree] = {}
        self._pictures: dict[int, QPixmap] = {}

    @property
    def n_shown(self) -> int:
        return 0 if self.members is None else self.members.n_members

    def show_members(self, members: Members) -> None:
        """Show these trees; nothing where one is no tree."""
        self.members = members if has_trees(members) else None
        self.chosen, self._drawn, self._whole = 0, {}, {}
        self.measured()
        self.changed()

    def words(self, at: int) -> str:
        """One tree in words."""
        if self.members is None or not 0 <= at < self.members.n_members:
            return ""
        name, what, *_ = row_of(self.members, at)
        asked = first_question(self.members.parts[at])
        return f"{name}: {what}" + (f"; it first asks {asked}" if asked else "")

    def changed(self) -> None:
        self.setAccessibleDescription(self.words(self.chosen))
        self.update()

    # ---- where things are --------------------------------------------------------------------------------------------

    @property
    def columns(self) -> int:
        """How many stand side by side."""
        return max(
            1, (self.width() + themes.px(THUMBNAIL_GAP)) // (themes.px(THUMBNAIL.width()) + themes.px(THUMBNAIL_GAP))
        )

    @property
    def _cell_width(self) -> int:
        """As wide as may be, so that the row is full."""
        gap = themes.px(THUMBNAIL_GAP)
        return max(themes.px(THUMBNAIL.width()), (self.width() + gap) // self.columns - gap)

    def box(self, at: int) -> QRect:
        """Where a tree is."""
        wide, high, gap = self._cell_width, themes.px(THUMBNAIL.height()), themes.px(THUMBNAIL_GAP)
        row, column = divmod(at, self.columns)
        return QRect(column * (wide + gap), row * (high + gap), wide, high)

    def at(self, point: QPoint) -> int:
        """The tree at a point, -1 for none."""
        if self.members is None:
            return -1
        wide, high, gap = self._cell_width, themes.px(THUMBNAIL.height()), themes.px(THUMBNAIL_GAP)
        column = point.x() // (wide + gap)
        found = (point.y() // (high + gap)) * self.columns + column
        inside = 0 <= column < self.columns and 0 <= found < self.members.n_members
        return found if inside and self.box(found).contains(point) else -1

    @property
    def taken(self) -> QRect:
        """What a picture to take away has in it."""
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
        painter = QPainter(self)
        begun, look = perf_counter(), Look(current_theme())
        for at in self._lying_in(event.rect()):
            self._paint_frame(painter, look, at)
            kept = self._pictures.get(at)
            if kept is None and perf_counter() - begun < MAKING:
                kept = self._pictured(look, at)
            if kept is None:
                self.update(self.box(at))
            else:
                painter.drawPixmap(self.box(at).topLeft(), kept)
        painter.end()

    def _pictured(self, look: Look, at: int) -> QPixmap:
        """Paint a tree apart, and keep its picture, for as long as it is not among too many."""
        box, sharp = self.box(at), self.devicePixelRatioF()
        made = QPixmap(box.size() * sharp)
        made.setDevicePixelRatio(sharp)
        made.fill(Qt.GlobalColor.transparent)
        painter = QPainter(made)
        painter.translate(-box.topLeft())
        self._paint_tree(painter, look, at)
        painter.end()
        while len(self._pictures) >= MOST_KEPT:
            del self._pictures[next(iter(self._pictures))]
        self._pictures[at] = made
        return made

    def _lying_in(self, part: QRect) -> range:
        """The trees that lie in this part."""
        if self.members is None or part.isEmpty():
            return range(0)
        row = themes.px(THUMBNAIL.height()) + themes.px(THUMBNAIL_GAP)
        first = max(0, part.top() // row) * self.columns
        return range(first, min(self.members.n_members, (part.bottom() // row + 1) * self.columns))

    def paint(self, painter: QPainter, part: QRect) -> None:
        """Paint the trees that lie in this part."""
        look = Look(current_theme())
        for at in self._lying_in(part):
            self._paint_frame(painter, look, at)
            self._paint_tree(painter, look, at)

    def _paint_frame(self, painter: QPainter, look: Look, at: int) -> None:
        box, is_chosen = QRectF(self.box(at)).adjusted(1, 1, -1, -1), at == self.chosen
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(look.accent if is_chosen else look.line, 2.0 if is_chosen and self.hasFocus() else 1.0))
        painter.setBrush(look.accent_soft if is_chosen else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, 6, 6)

    def _paint_tree(self, painter: QPainter, look: Look, at: int) -> None:
        assert self.members is not None
        box, font = QRectF(self.box(at)).adjusted(1, 1, -1, -1), themes.font(11)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tree = self._tree(at)
        if at not in self._drawn:
            self._drawn[at] = small_tree(tree, MOST_NODES)
        drawn = self._drawn[at]
        metrics = QFontMetricsF(font)
        name, what, *_ = row_of(self.members, at)
        lines = (f"{name} · {what.removeprefix('tree of ')}", first_question(tree) or "one leaf")
        for line, (text, color) in enumerate(zip(lines, (look.text, look.dim), strict=True)):
            painter.setFont(font)
            painter.setPen(color)
            fits = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, box.width() - 14)
            painter.drawText(QPointF(box.left() + 7, box.top() + 5 + metrics.ascent() + line * metrics.height()), fits)
        room = box.adjusted(8, 2 * metrics.height() + 14, -8, -9)
        paint_small_tree(painter, look, tree, drawn, room)

    def _tree(self, at: int) -> Tree:
        """A tree, whole while it is among the last that were painted."""
        assert self.members is not None
        tree = self._whole.pop(at, None)
        if tree is None:
            part = self.members.parts[at]
            assert isinstance(part, Tree)
            tree = part
        self._whole[at] = tree
        while len(self._whole) > MOST_WHOLE:
            del self._whole[next(iter(self._whole))]
        return tree

    # ---- mouse and keys ----------------------------------------------------------------------------------------------

    def tip(self, point: QPoint) -> str:
        return self.words(self.at(point))

    def steps(self) -> dict[Qt.Key, int]:
        sideways = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        return sideways | {Qt.Key.Key_Up: -self.columns, Qt.Key.Key_Down: self.columns}


def paint_small_tree(painter: QPainter, look: Look, tree: Tree, drawn: SmallTree, room: QRectF) -> None:
    """Paint a tree into this room: leaves by the symbols of their classes, or where they are many by their colours."""
    step = min(themes.px(LEVELS_APART), room.height() / max(1, drawn.depth))
    x = room.left() + drawn.x * room.width()
    y = room.top() + drawn.level * step
    weight = tree.counts[drawn.nodes].sum(axis=1)
    share = np.sqrt(weight / max(float(weight[0]), 1e-300))
    for place in range(len(drawn.nodes) - 1, 0, -1):
        above = int(drawn.above[place])
        painter.setPen(QPen(look.edge, max(0.6, WIDEST * float(share[place]))))
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
        painter.setPen(look.dim)
        painter.setFont(themes.font(10))
        painter.drawText(room.adjusted(0, 0, 0, 7), Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignRight, "…")


ROW: Final = 30
VOTE_WIDTH: Final = 52
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
        return QSize(themes.px(NAMES) + len(self._rounds.names) * themes.px(VOTE_WIDTH) + 2, height)

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
            box = QRectF(themes.px(NAMES) + at * themes.px(VOTE_WIDTH), 0, themes.px(VOTE_WIDTH), row)
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
            box = QRectF(themes.px(NAMES) + i * themes.px(VOTE_WIDTH), top, themes.px(VOTE_WIDTH), row)
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
