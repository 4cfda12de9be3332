"""The tree in view as indented text, SQL, Python and PMML, in the menu of its view."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from algorithms.core.structures import Tree
from algorithms.core.trained import TrainedClassifier
from workbench.visualize.program_files import add_programs

if TYPE_CHECKING:
    from workbench.views.tree import TreeView


class TreeFiles(QObject):
    """Adds the formats to the menu of a tree's view; ``trained`` tells what is in view there."""

    def __init__(self, view: TreeView, trained: Callable[[], TrainedClassifier | None]) -> None:
        super().__init__(view)
        from algorithms.export.formats import FORMATS

        self._trained = trained
        sentences = {each.id: each.sentence for each in FORMATS}
        add_programs(view.export, "visualize.save.programs", "tree", sentences, self._tree)

    def _tree(self) -> TrainedClassifier | None:
        trained = self._trained()
        return trained if trained is not None and isinstance(trained.structure(), Tree) else None
