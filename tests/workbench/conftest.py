"""What every test of the window leaves behind is taken away: a window left open takes the mouse from the next test,
and a session that is garbage would be taken down by whichever thread happens to collect it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from workbench.session import Session
from workbench.settings import Settings

if TYPE_CHECKING:
    from workbench.visualize.tab import VisualizeTab


@pytest.fixture(autouse=True, scope="package")
def no_thread_but_this_one_collects() -> Iterator[None]:
    """As in the program: a worker that collected would take widgets down in a thread that is not theirs."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(autouse=True, scope="module")
def what_stays_is_not_searched() -> None:
    """What is here when a file's tests begin is here to stay: collecting after each test passes over it."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def no_window_stays(qapp: QApplication) -> Iterator[None]:
    """Take down whole the windows that the test made, hidden ones too, then collect what nobody holds any more, here
    and now: the collector would take a window down in no particular order, parts first, which the bindings do not
    bear."""
    before = {id(kept): kept for kept in qapp.topLevelWidgets()}
    yield
    for left in qapp.topLevelWidgets():
        if id(left) not in before and left.parent() is None:
            left.hide()
            left.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()


@pytest.fixture
def session(qapp: QApplication, tmp_path: Path) -> Iterator[Session]:
    """A session with settings of its own, closed at the end."""
    made = Session(settings=Settings(tmp_path / "settings.json"))
    yield made
    assert made.close()


@pytest.fixture
def tab(session: Session) -> Iterator[VisualizeTab]:
    """The Visualize tab, shown; the tests of another tab have a ``tab`` of their own."""
    from workbench.visualize.tab import VisualizeTab

    made = VisualizeTab(session)
    made.resize(1200, 800)
    made.show()
    yield made
    made.close()
    made.deleteLater()
