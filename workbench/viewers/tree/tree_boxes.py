"""Which boxes and edges of a tree drawing a view touches, and where they are in its pixels."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF

from algorithms.data.columns import FloatArray
from workbench.layout.camera import Camera
from workbench.layout.tree_layout import IndexArray
from workbench.viewers.tree.tree_drawing import BOX_HEIGHT, NARROWEST, ROW_HEIGHT, TreeDrawing

NAMES_FROM: Final = 0.5
FULL_FROM: Final = 0.57
"""From here on what is smaller than names can be read as well: in letters of eight pixels or more."""
SHARES_FROM: Final = 4 / NARROWEST
WIDEST_EDGE: Final = 16.0
MOST_BOXES: Final = 6000
"""From afar no more than about so many boxes, and edges, are painted: of those on one spot the first."""


class Detail(IntEnum):
    FAR = 0
    SHARES = 1
    NAMES = 2
    FULL = 3


@dataclass(frozen=True)
class View:
    """From the drawing to pixels: ``px = x * scale_x + left``, ``py = y * scale_y + top``, in a window of this size."""

    scale_x: float
    scale_y: float
    left: float
    top: float
    width: float
    height: float

    @classmethod
    def through(cls, camera: Camera) -> View:
        """What a camera sees."""
        left, top = camera.to_view(0.0, 0.0)
        return cls(camera.scale, camera.scale_y, left, top, camera.view_width, camera.view_height)

    @property
    def detail(self) -> Detail:
        if self.scale_x >= FULL_FROM:
            return Detail.FULL
        if self.scale_x >= NAMES_FROM:
            return Detail.NAMES
        return Detail.SHARES if self.scale_x >= SHARES_FROM else Detail.FAR


class Boxes:
    """The boxes and edges that a view touches, in pixels.

    Only those of the mask ``only`` (m,) where one is given, and from afar about ``most``. ``nodes`` (v,) with their
    ``left``, ``top``, ``width`` and ``height``; ``edges`` (e,) are the nodes whose edge from the parent is touched.
    """

    def __init__(
        self, drawing: TreeDrawing, view: View, only: NDArray[np.bool_] | None = None, most: int = MOST_BOXES
    ) -> None:
        self._drawing, self._view = drawing, view
        shown = drawing.shown if only is None else drawing.shown[only[drawing.shown]]
        half = drawing.widths[shown] / 2 * view.scale_x
        middle = drawing.layout.x[shown] * view.scale_x + view.left
        top = drawing.top[shown] * view.scale_y + view.top
        height = BOX_HEIGHT * view.scale_y
        across = (middle + half > -8) & (middle - half < view.width + 8)
        seen = np.flatnonzero(across & (top + height > -24) & (top < view.height + 24))
        from_x = drawing.parent_x[shown] * view.scale_x + view.left
        from_y = top - ROW_HEIGHT * view.scale_y
        reaches = (np.maximum(middle, from_x) > -WIDEST_EDGE) & (np.minimum(middle, from_x) < view.width + WIDEST_EDGE)
        reaches &= (top > -WIDEST_EDGE) & (from_y < view.height + WIDEST_EDGE) & (shown != 0)
        edges = np.flatnonzero(reaches)
        if view.detail is Detail.FAR:
            seen, edges = _thinned(seen, most, top, middle), _thinned(edges, most, top, middle, from_x)
        self.nodes: IndexArray = shown[seen]
        self.edges: IndexArray = shown[edges]
        self.left, self.top = (middle - half)[seen], top[seen]
        self.width = 2 * half[seen]
        self.height = np.full(len(seen), BOX_HEIGHT * view.scale_x if view.detail >= Detail.NAMES else height)

    def edge_ends(self, children: IndexArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Start and end of the edges to these children: x and y, x and y, in pixels."""
        drawing, view = self._drawing, self._view
        parents = drawing.tree.parent[children]
        box = BOX_HEIGHT * (view.scale_x if view.detail >= Detail.NAMES else view.scale_y)
        return (
            drawing.parent_x[children] * view.scale_x + view.left,
            drawing.top[parents] * view.scale_y + view.top + box,
            drawing.layout.x[children] * view.scale_x + view.left,
            drawing.top[children] * view.scale_y + view.top,
        )

    def rect_of(self, node: int) -> QRectF | None:
        """A node's box, None where it is out of view."""
        at = np.flatnonzero(self.nodes == node)
        if not len(at):
            return None
        i = int(at[0])
        return QRectF(self.left[i], self.top[i], self.width[i], self.height[i])


def _thinned(chosen: IndexArray, most: int, top: FloatArray, *across: FloatArray) -> IndexArray:
    """Of those that fall on the same few pixels of a row, which follow each other, only the first."""
    cell = 1.0
    while len(chosen) > most and cell < 16:
        differs: NDArray[np.bool_] = np.ones(len(chosen), dtype=np.bool_)
        differs[1:] = np.diff(top[chosen]) != 0
        for x in across:
            differs[1:] |= np.diff(np.floor(x[chosen] / cell)) != 0
        chosen = chosen[differs]
        cell *= 2
    return chosen
