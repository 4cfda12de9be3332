"""How many records are in the nodes of a picture, in as many words as there is room for in all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtGui import QFontMetricsF

from workbench.views.tree_badges import badge_room
from workbench.views.tree_drawing import TreePlan
from workbench.views.tree_marks import Marks
from workbench.views.tree_words import count_texts, selected_texts

AIR: Final = 8.0
AIR_OF_SELECTED: Final = 14.0
"""What stays free beside the words in a box, both sides together, in units of the drawing."""


class CountWords:
    """The words for one painting. Where records are selected, or badges stand beside the words, all nodes in view that
    tell the same tell it in the same form: the longest that has room in each of them."""

    def __init__(self, plan: TreePlan, marks: Marks, metrics: QFontMetricsF, scale: float) -> None:
        self._plan, self._marks, self._metrics, self._scale = plan, marks, metrics, scale
        self._form = {True: 0, False: 0}

    def is_of_selected(self, node: int) -> bool:
        """Whether it is told how many of a node's records are selected, not only how many there are."""
        selected = self._marks.selected
        return self._plan.counted.wrong is None and selected is not None and bool(selected[node] > 0)

    def agree(self, nodes: Sequence[int], widths: Sequence[float]) -> None:
        """Find the form that has room in all of these nodes, whose boxes are so wide (pixels)."""
        for node, width in zip(nodes, widths, strict=True):
            is_selected = self.is_of_selected(node)
            if not (is_selected or self._marks.badges):
                continue
            whole, room, form = self._whole(node), self.room(node, width), self._form[is_selected]
            while form < len(whole) - 1 and self._metrics.horizontalAdvance(whole[form]) > room:
                form += 1
            self._form[is_selected] = form

    def texts(self, node: int) -> Sequence[str]:
        """What may be said of a node, the most first."""
        whole = self._whole(node)
        return whole[min(self._form[self.is_of_selected(node)], len(whole) - 1) :]

    def room(self, node: int, width: float) -> float:
        """The pixels for the words in a box of this width, beside its badge."""
        air = AIR_OF_SELECTED if self.is_of_selected(node) else AIR
        badge = self._marks.badges.get(node, "")
        return width - air * self._scale - badge_room(badge, self._metrics, self._scale)

    def _whole(self, node: int) -> tuple[str, ...]:
        selected = self._marks.selected
        if selected is not None and self.is_of_selected(node):
            return selected_texts(float(selected[node]), float(self._plan.records[node]))
        return count_texts(self._plan, node)
