"""The tree in view for other programs: as indented text, SQL, Python and PMML, in the menu of its view."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from algorithms.core.structures import Tree
from algorithms.core.trained import TrainedClassifier
from workbench.jobs import give_way
from workbench.views.export import Table

if TYPE_CHECKING:
    from workbench.views.tree import TreeView


class TreeFiles(QObject):
    """Adds the formats to the menu of a tree's view; ``trained`` tells what is in view there."""

    def __init__(self, view: TreeView, trained: Callable[[], TrainedClassifier | None]) -> None:
        super().__init__(view)
        from algorithms.export.formats import FORMATS

        self._view, self._trained = view, trained
        menu = view.export.menu.addMenu("For other programs")
        menu.setObjectName("visualize.save.programs")
        menu.setToolTipsVisible(True)
        for each in FORMATS:
            is_text = each.id == "text"
            what, kind = ("indented text", "Text") if is_text else (each.name, each.name)
            made = partial(self._table, each.id)
            view.export.add_text(what, f"tree.{each.suffix}", made, kind=kind, menu=menu)
            for action in menu.actions()[-2:]:
                action.setToolTip(each.sentence)

    def _table(self, id: str) -> Table | None:
        """What writes the tree in view in this format, beside the window where it is large."""
        trained = self._trained()
        if trained is None or not isinstance(trained.structure(), Tree):
            return None

        def write(_delimiter: str) -> str:
            from algorithms.export.formats import exported

            return exported(trained, id, give_way)

        return write
