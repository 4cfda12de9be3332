"""Base class of tabs that are built in several steps, so that no step blocks the event loop for long."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from workbench.session.session import Session

Step = Callable[[], object]


class Tab(QWidget):
    """Tab that is built at once, or ``in_pieces`` by :meth:`steps` until :meth:`complete` is called.

    Widgets are created in their final parent, from outside to inside: Qt styles a subtree again whenever it gets a new
    parent. Events may arrive early, so :meth:`_come_into_view` and :meth:`_take_size` replace the events of showing and
    resizing: they run only once the tab is complete.
    """

    page_turns = Signal()
    """Comes before another page of the tab is shown."""

    def __init__(self, session: Session, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__(parent)
        self._session = session
        self._making = self._make()
        self.is_complete = False
        self._was_seen = False
        if not in_pieces:
            self.complete()

    def complete(self) -> None:
        """Build the remaining pieces."""
        while not self.is_complete:
            self._make_some()

    def steps(self) -> Iterator[Step]:
        """Steps that complete the tab, then further preparation."""
        while not self.is_complete:
            yield self._make_some
        yield from self._steps_besides()

    def _make_some(self) -> None:
        self.is_complete = not next(self._making, False)
        if self.is_complete:
            self._take_size()
            if self.isVisible():
                self._come_into_view()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.is_complete and not self._was_seen:
            self._was_seen = True
            self._session.turns.paint_later(*self._painted_last())
        if self.is_complete:
            self._come_into_view()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.is_complete:
            self._take_size()

    def _come_into_view(self) -> None:
        """Called when the complete tab is shown."""

    def _painted_last(self) -> Sequence[QWidget]:
        """Widgets whose first painting is slow: each is painted in an event of its own."""
        return ()

    def hidden_pages(self) -> Sequence[QWidget]:
        """Hidden pages that are laid out and painted ahead, each in a step."""
        return ()

    def _take_size(self) -> None:
        """Called when the complete tab is resized."""

    @abstractmethod
    def _make(self) -> Iterator[bool]:
        """Build the tab and connect it to the session; yields True after each slow piece."""

    def _steps_besides(self) -> Iterator[Step]:
        return iter(())
