"""Widgets made ahead of the tab that they are for, one at a time: no turn of the event loop makes a whole tab."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from PySide6.QtWidgets import QWidget

from workbench.session import Session

T = TypeVar("T", bound=QWidget)
Maker = Callable[[Session, QWidget | None], T]


class Ahead:
    """Keeps what was made until its tab takes it; a tab that is wanted earlier makes it itself.

    Until then it stands in a widget that nobody sees: what shows itself is not a window of its own.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._unseen = QWidget()
        self._made: dict[Maker[Any], QWidget] = {}

    def make(self, maker: Maker[T]) -> None:
        """Make it, where nobody did."""
        if maker not in self._made:
            self._made[maker] = maker(self._session, self._unseen)

    def take(self, maker: Maker[T], parent: QWidget) -> T:
        """What was made, or is made now; it is the parent's from then on."""
        made = self._made.pop(maker, None)
        if made is None:
            return maker(self._session, parent)
        made.setParent(parent)
        return cast(T, made)
