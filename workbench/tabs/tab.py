"""A tab is made in pieces: no turn of the event loop makes a whole one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence

from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from workbench.session.session import Session

Step = Callable[[], object]


class Tab(QWidget):
    """A tab that is whole at once, or made ``in_pieces`` by :meth:`steps` until somebody wants it and completes it.

    It is put together from the whole to its leaves, each part made in its place: Qt dresses all that is in a widget
    anew whenever the widget is put into another. Events come before it is whole, so what a tab does when it is shown or
    resized stands in :meth:`_come_into_view` and :meth:`_take_size`, which wait for that.
    """

    def __init__(self, session: Session, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__(parent)
        self._session = session
        self._making = self._make()
        self.is_complete = False
        self._was_seen = False
        if not in_pieces:
            self.complete()

    def complete(self) -> None:
        """Make what is not made yet."""
        while not self.is_complete:
            self._make_some()

    def steps(self) -> Iterator[Step]:
        """What it takes to be complete, and then what it can do before anybody looks, piece by piece."""
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
        """It has come into view, and is whole."""

    def _painted_last(self) -> Sequence[QWidget]:
        """Parts that take a while to paint the first time: then each has a turn of its own."""
        return ()

    def _take_size(self) -> None:
        """It is whole, and has this size now."""

    @abstractmethod
    def _make(self) -> Iterator[bool]:
        """Make the tab; yields True after each piece that took a while, and connects it to the session at the end."""

    def _steps_besides(self) -> Iterator[Step]:
        return iter(())
