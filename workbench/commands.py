"""What can be undone: each command holds the document before and after, which share all that did not change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtGui import QUndoCommand

from algorithms.core.data import Dataset
from algorithms.core.filters import Recipe


@dataclass(frozen=True, eq=False)
class Document:
    """The edited data and the recipe that is learned on it inside each fold."""

    data: Dataset
    recipe: Recipe = ()


class Edit(QUndoCommand):
    """One change of the document, with its name for a person: "Change kind of zip to nominal"."""

    def __init__(self, text: str, before: Document, after: Document, show: Callable[[Document], None]) -> None:
        super().__init__(text)
        self._before = before
        self._after = after
        self._show = show

    def redo(self) -> None:
        self._show(self._after)

    def undo(self) -> None:
        self._show(self._before)
