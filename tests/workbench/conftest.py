"""What every test of the window leaves behind is taken away: a window left open takes the mouse from the next test,
and a session that is garbage would be taken down by whichever thread happens to collect it."""

from __future__ import annotations

import gc
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from shiboken6 import Shiboken

from tests.workbench.kept_process import Process
from tests.workbench.person import Person
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait
from workbench.app.main_window import MainWindow
from workbench.jobs.jobs import Jobs
from workbench.jobs.messages import Messages
from workbench.session.decision_rules import ClassOfInterest, DecisionReports, Decisions
from workbench.session.document import History, Summaries
from workbench.session.learner_comparison import ComparisonSelection, Trials
from workbench.session.model_editing import ModelEditing
from workbench.session.run_analyses import RunAnalysis
from workbench.session.runs import RunList
from workbench.session.saving import ProjectSaving
from workbench.session.selection import Selection
from workbench.session.session import Session
from workbench.style.theme import LIGHT_NAME, palette, themes

if TYPE_CHECKING:
    from workbench.tabs.visualize.tab import VisualizeTab


@pytest.fixture(autouse=True, scope="module")
def each_file_begins_undressed(qapp: QApplication) -> Iterator[None]:
    """Theme and text size that the tests of another file put on are taken off: which was before hangs on chance.

    Nothing is installed any more either, else a change of the text size would put a style sheet on again, and leave
    it on for the rest of the file. Font and palette are the program's, as texts are as wide as in the window then."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(themes, "_app", None)
        themes.set_scale(1.0)
        themes.choose(LIGHT_NAME)
        qapp.setStyleSheet("")
        qapp.setPalette(palette(themes.current))
        qapp.setFont(themes.font())
        yield


OWNED_BY_THE_WINDOW = (
    Session,
    History,
    Summaries,
    Selection,
    RunList,
    RunAnalysis,
    Trials,
    ModelEditing,
    Decisions,
    ClassOfInterest,
    DecisionReports,
    ComparisonSelection,
    ProjectSaving,
)
"""Classes whose objects change with what a person does: a worker gets a snapshot, never one of these."""


@pytest.fixture(autouse=True)
def no_worker_reads_the_session(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A thread other than the window's that reads an attribute of the session or its parts fails the test."""
    window = threading.get_ident()
    reads: list[str] = []

    def checked(owner: object, name: str) -> object:
        if threading.get_ident() != window and not name.startswith("__"):
            reads.append(f"{type(owner).__name__}.{name}\n{''.join(traceback.format_stack(limit=6))}")
        return object.__getattribute__(owner, name)

    for owned in OWNED_BY_THE_WINDOW:
        monkeypatch.setattr(owned, "__getattribute__", checked, raising=False)
    yield
    assert not reads, "\n".join(reads[:3])


@pytest.fixture(autouse=True)
def no_window_stays(qapp: QApplication) -> Iterator[None]:
    """Take down whole the windows that the test made, hidden ones too. Windows that Qt made for itself are left to it:
    a plot's layout deletes a hidden widget of its own.

    What nobody holds any more is collected before the next test, here and now: the collector would take a window down
    in no particular order, parts first, which the bindings do not bear. What is here when a test begins is here to
    stay, and later collections pass over it: each looks at what one test made."""
    gc.collect()
    gc.freeze()
    before = {id(kept): kept for kept in qapp.topLevelWidgets()}
    yield
    for left in qapp.topLevelWidgets():
        if id(left) not in before and left.parent() is None and Shiboken.createdByPython(left):
            left.hide()
            left.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture(autouse=True)
def nothing_is_raised_into_qt(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Qt calls painting, events and slots, and an error in them ends there: the bindings hand it to the last hook,
    which tells it and goes on. Here it fails the test."""
    raised: list[str] = []

    def note(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        raised.append("".join(traceback.format_exception(kind, error, trace)))

    monkeypatch.setattr(sys, "excepthook", note)
    yield
    assert not raised, "\n".join(raised)


@pytest.fixture
def stage(qapp: QApplication, tmp_path: Path, wait_until: Wait) -> Iterator[Stage]:
    """Makes the sessions, widgets and windows of a test; a file with a ``session``, ``tab`` or ``window`` of its own
    makes it with this."""
    made = Stage(tmp_path, wait_until)
    yield made
    made.close()


@pytest.fixture
def session(stage: Stage) -> Session:
    """A session without a table."""
    return stage.session()


@pytest.fixture
def tab(session: Session, stage: Stage) -> VisualizeTab:
    """The Visualize tab, shown."""
    from workbench.tabs.visualize.tab import VisualizeTab

    return stage.show(VisualizeTab(session), 1200, 800)


@pytest.fixture
def window(stage: Stage) -> MainWindow:
    """The whole window, as small as it has to work."""
    return stage.window(1280, 720)


@pytest.fixture
def person(window: MainWindow, wait_until: Wait) -> Person:
    """Somebody who sees the window and has mouse and keys."""
    return Person(window, wait_until)


@pytest.fixture
def jobs(qapp: QApplication) -> Iterator[Jobs]:
    """Jobs without a session."""
    made = Jobs(Messages())
    yield made
    assert made.shutdown()


@pytest.fixture
def process(qapp: QApplication, tmp_path: Path, wait_until: Wait) -> Iterator[Callable[[], Process]]:
    made: list[Process] = []

    def make() -> Process:
        made.append(Process(tmp_path / "kept", wait_until))
        return made[-1]

    yield make
    for each in made:
        each.session.close()
