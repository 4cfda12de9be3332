"""What of a tree is seen in a view that came to another size, and when there may be room for another depth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject, QSize, QTimer

from algorithms.core.structures import NO_NODE
from workbench.geometry.camera import Camera
from workbench.theme import themes
from workbench.views.tree_boxes import FULL_FROM
from workbench.views.tree_drawing import READABLE_SCALE, TreeDrawing
from workbench.views.tree_paint import HANDLE

AGAIN_MS: Final = 150
NEARLY: Final = 0.97
"""A tree that lacks so little room at the least scale of its words loses but the space around it."""
REDONE: Final = 0.12
"""A view that changed by this share of its size may have room for another depth."""


class Resized(QObject):
    """Calls ``again`` once a view that is resized has rested, where its size is quite another than at the last plan."""

    def __init__(self, size: Callable[[], QSize], again: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._size, self._again = size, again
        self._planned = QSize()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(AGAIN_MS)
        self._timer.timeout.connect(self._rested)

    def plan(self) -> QSize:
        """The size now, for which a depth is chosen."""
        self._planned = self._size()
        return self._planned

    def begin(self) -> None:
        """The view is being resized."""
        self._timer.start()

    def _rested(self) -> None:
        before, now = self._planned, self._size()
        sides = ((now.width(), before.width()), (now.height(), before.height()))
        if any(abs(is_now - was) > REDONE * was for is_now, was in sides):
            self._again()


def close_scale(camera: Camera) -> float:
    """The scale (1 is that of other text) from which on nodes can be read: where all of the tree has room at the least
    scale of its words, that of all of it."""
    whole = camera.fitting_scale / themes.scale
    return READABLE_SCALE if whole < NEARLY * FULL_FROM else min(READABLE_SCALE, max(FULL_FROM, whole))


def looked_on(before: Camera, resized: Camera, drawing: TreeDrawing | None, focus: int) -> Camera:
    """How to go on looking at a tree that is not fitted, in a view of another size than ``before``.

    The node in focus, else the root, stays in sight where it was, at the same scale. Where that is smaller than other
    text and all of the tree can be seen larger, all of it is seen.
    """
    if resized.scale < min(resized.fitting_scale, themes.scale):
        return resized.fitted()
    camera = resized.covered()
    if drawing is None:
        return camera
    nodes = [node for node in (focus, 0) if node != NO_NODE and drawing.layout.depth[node] >= 0]
    kept = next((box for box in map(drawing.box, nodes) if before.sees(*box)), None)
    return camera if kept is None else camera.showing(*kept, margin=HANDLE + 6)
