"""How deep a tree is shown follows a slider that may be drawn through many depths at once."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from workbench.parts.latest import Latest
from workbench.views.tree_layouts import Layouts


class LevelSlider(QObject):
    """Shows a tree down to the depth of a slider by ``show`` (it takes the depth): the latest one, as soon as the
    layout before it is done."""

    def __init__(self, layouts: Layouts, show: Callable[[int], None], parent: QObject) -> None:
        super().__init__(parent)
        self._layouts, self._show = layouts, show
        self._wanted: int | None = None
        self._latest = Latest(self._follow, self)
        layouts.free.connect(self._follow)

    def slide_to(self, depth: int) -> None:
        """Show the tree down to this depth, or soon to a later one."""
        self._wanted = depth
        self._latest.wish()

    def forget(self) -> None:
        """What was wanted so far is of another tree."""
        self._wanted = None

    def _follow(self) -> None:
        if self._wanted is not None and not self._layouts.is_busy:
            depth, self._wanted = self._wanted, None
            self._show(depth)
