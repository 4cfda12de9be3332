"""Drawing and choosing the arrows of a network with the mouse and the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainterPathStroker
from PySide6.QtWidgets import QApplication

from workbench.views.network_paint import arrow_path

if TYPE_CHECKING:
    from workbench.views.network_canvas import Arc, NetworkCanvas

NEAR: Final = 12.0
"""An arrow is meant by a click so near to it: the width of a strip along its line."""


class ArrowHand:
    """What is being done with arrows while they are edited (``is_on``).

    ``begun`` is the box from which an arrow is being drawn, ``end`` the mouse, in units of the drawing; ``chosen`` the
    arrow that was clicked. A press on a box draws nothing yet: without a drag it stays a click. By keys, *A* begins an
    arrow at the box in focus and ends it at another, *Escape* lets go of it, *Delete* drops the chosen one.
    """

    def __init__(self, canvas: NetworkCanvas) -> None:
        self._canvas = canvas
        self._pressed: tuple[int, QPointF] | None = None
        self.is_on = False
        self.begun: int | None = None
        self.end: QPointF | None = None
        self.chosen: Arc | None = None

    def turn(self, wanted: bool) -> None:
        """Arrows are edited from now on, or not any more."""
        self.is_on = wanted
        self.forget()

    def forget(self) -> None:
        """Let go of what was begun, and choose no arrow."""
        self.begun = self.end = self.chosen = self._pressed = None
        self._canvas.update()

    def choose(self, arc: Arc | None) -> None:
        """Show this arrow as the chosen one."""
        if arc != self.chosen:
            self.chosen = arc
            self._canvas.update()

    # ---- the mouse ---------------------------------------------------------------------------------------------------

    def pressed(self, position: QPointF) -> bool:
        """Take a press of the mouse; False where arrows are not edited."""
        if not self.is_on:
            return False
        node, _ = self._canvas.at(position)
        self.begun = self.end = None
        if node >= 0:
            self._pressed = node, position
        else:
            self.choose(self.arrow_at(position))
            if self.chosen is not None:
                self._canvas.arrow_chosen.emit(*self.chosen)
        return True

    def moved(self, position: QPointF) -> None:
        """Draw on, once the mouse has left the place of the press."""
        if self._pressed is None:
            return
        node, start = self._pressed
        if self.begun is None and (position - start).manhattanLength() < QApplication.startDragDistance():
            return
        self.begun, self.end = node, self._canvas.to_drawing(position)
        self._canvas.update()

    def released(self, position: QPointF) -> None:
        """The arrow ends in the box here; without a drag it was a click."""
        if self._pressed is None:
            return
        begun, (_, start) = self.begun, self._pressed
        self._pressed = self.begun = self.end = None
        self._canvas.update()
        node, _ = self._canvas.at(position)
        if begun is None:
            self._canvas.click(start)
        elif node >= 0 and node != begun:
            self._canvas.arrow_drawn.emit(begun, node)

    def arrow_at(self, position: QPointF) -> Arc | None:
        """The arrow that runs by here."""
        canvas = self._canvas
        if canvas.network is None:
            return None
        place, stroker = canvas.to_drawing(position), QPainterPathStroker()
        stroker.setWidth(NEAR)
        boxes = canvas.layout_of.boxes
        for node in canvas.network.nodes:
            for parent in canvas.network.parents[node]:
                path, _ = arrow_path(boxes[parent], boxes[node])
                near = path.controlPointRect().adjusted(-NEAR, -NEAR, NEAR, NEAR).contains(place)
                if near and stroker.createStroke(path).contains(place):
                    return parent, node
        return None

    # ---- the keys ----------------------------------------------------------------------------------------------------

    def key_pressed(self, key: int) -> bool:
        """Take a key; False where it means nothing here."""
        if not self.is_on:
            return False
        node = self._canvas.node
        if key == Qt.Key.Key_A:
            begun, self.begun, self.end = self.begun, None, None
            if begun is None:
                self.begun = node
            elif begun != node:
                self._canvas.arrow_drawn.emit(begun, node)
        elif key == Qt.Key.Key_Escape and (self.begun is not None or self.chosen is not None):
            self.forget()
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.chosen is not None:
            self._canvas.arrow_dropped.emit(*self.chosen)
        else:
            return False
        self._canvas.update()
        return True
