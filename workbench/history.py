"""The document in view, and the documents before and after it that undo and redo bring back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoStack

from algorithms.core.errors import DataError
from workbench.commands import Document, Edit, steps_of

MOST_STEPS: Final = 400
"""So many steps can be undone one by one; more would keep every table there ever was."""
FOLDED: Final = 100
"""Beyond :data:`MOST_STEPS`, so many of the oldest become one step."""


class History(QObject):
    """Holds the document and its undo stack. Only what is shown is announced, not what is passed on the way there."""

    leaving = Signal(object)
    """This document is about to make way for another one, shown or passed."""
    shown = Signal(object, object)
    """The document before, None where there was none, and the one in view now."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.stack = QUndoStack(self)
        self._document: Document | None = None
        self._opened: Document | None = None
        self._is_on_the_way = False
        self._is_filling = False

    @property
    def document(self) -> Document | None:
        """The document in view."""
        return self._document

    @property
    def opened(self) -> Document | None:
        """The document before its first edit."""
        return self._opened

    @property
    def needed(self) -> Document:
        """The document in view; raises :class:`DataError` where there is none."""
        if self._document is None:
            raise DataError("No table is open.", remedy="Open one first.")
        return self._document

    def push(self, text: str, after: Document) -> None:
        """Put ``after`` in the place of the document; ``text`` names the step for undo."""
        self.stack.push(Edit(text, self.needed, after, self.show))
        if self.stack.count() > MOST_STEPS:
            self._fold_oldest()

    def go_to(self, step: int) -> None:
        """Undo or redo to after this many steps; what lies between is not shown."""
        before = self._document
        if before is None or step == self.stack.index() or not 0 <= step <= self.stack.count():
            return
        self._is_on_the_way = True
        self.stack.setIndex(step)
        self._is_on_the_way = False
        after, self._document = self.needed, before
        self.show(after)

    def show(self, document: Document) -> None:
        """Bring a document into view; the stack does so by itself."""
        if self._is_filling:
            return
        before = self._document
        if before is not None:
            self.leaving.emit(before)
        self._document = document
        if not self._is_on_the_way:
            self.shown.emit(before, document)

    def begin(self, opened: Document) -> None:
        """Forget everything: ``opened`` is what the next steps start from. It is not shown yet."""
        self._opened = None
        self.stack.clear()
        self._document = None
        self._opened = opened

    def _fold_oldest(self) -> None:
        """Make one step of the oldest ones: what lay between them is forgotten."""
        opened, clean = self._opened, self.stack.cleanIndex()
        if opened is None:
            return
        steps = steps_of(self.stack)
        left = FOLDED - 1
        names = ["", "Earlier changes", *(name for name, _ in steps[FOLDED:])]
        documents = [opened, *(document for _, document in steps[left:])]
        self._is_filling = True
        self.stack.blockSignals(True)
        self.stack.clear()
        self.stack.blockSignals(False)
        self._is_filling = False
        self.fill(names, documents, len(documents) - 1, clean - left if clean > left else 0 if clean == 0 else None)

    def fill(self, names: Sequence[str], documents: Sequence[Document], index: int, clean: int | None = 0) -> None:
        """Make the undo stack as it was, without showing any step; it is clean after so many, None for nowhere."""
        stack = self.stack
        self._is_filling = True
        stack.blockSignals(True)
        for name, before, after in zip(names[1:], documents, documents[1:], strict=False):
            stack.push(Edit(name, before, after, self.show))
        if clean is None:
            stack.resetClean()
        elif clean:
            stack.setIndex(clean)
            stack.setClean()
        stack.setIndex(index)
        stack.blockSignals(False)
        self._is_filling = False
        stack.canUndoChanged.emit(stack.canUndo())
        stack.canRedoChanged.emit(stack.canRedo())
        stack.undoTextChanged.emit(stack.undoText())
        stack.redoTextChanged.emit(stack.redoText())
        stack.indexChanged.emit(stack.index())
