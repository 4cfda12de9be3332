"""The trees of a committee as small pictures side by side; any of them can be opened."""

from __future__ import annotations

from time import perf_counter
from typing import Final

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import QWidget

from algorithms.learners.ensembles.model import InTurn
from algorithms.structures.members import Members
from algorithms.structures.tree import Tree
from workbench.layout.tree_layout import SmallTree, small_tree
from workbench.style.structure_colors import Look, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.viewers.ensemble.member_canvas import MemberCanvas
from workbench.viewers.ensemble.members_table import first_question, row_of

CELL: Final = QSize(196, 150)
GAP: Final = 8
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
        return max(1, (self.width() + themes.px(GAP)) // (themes.px(CELL.width()) + themes.px(GAP)))

    @property
    def _cell_width(self) -> int:
        """As wide as may be, so that the row is full."""
        gap = themes.px(GAP)
        return max(themes.px(CELL.width()), (self.width() + gap) // self.columns - gap)

    def box(self, at: int) -> QRect:
        """Where a tree is."""
        wide, high, gap = self._cell_width, themes.px(CELL.height()), themes.px(GAP)
        row, column = divmod(at, self.columns)
        return QRect(column * (wide + gap), row * (high + gap), wide, high)

    def at(self, point: QPoint) -> int:
        """The tree at a point, -1 for none."""
        if self.members is None:
            return -1
        wide, high, gap = self._cell_width, themes.px(CELL.height()), themes.px(GAP)
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
        self.setMinimumSize(themes.px(CELL.width()), self.box(n - 1).bottom() + 1 if n else 0)
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
        row = themes.px(CELL.height()) + themes.px(GAP)
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
