"""What the window reads at its start and with a project: settings, and everything a project puts into a session."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Final

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from numpy.random import Generator
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from shiboken6 import delete

from algorithms.catalogue import builtin
from algorithms.core.run_control import RunContext
from algorithms.project.projects import load_project
from tests.fuzz import bytes_mutators
from tests.fuzz.bytes_mutators import TEXT_CHANGES
from tests.fuzz.case import READ, BrokenRuleError, Case, written
from tests.fuzz.saved import Projects, check_project, made_project
from tests.fuzz.structure_mutators import changed_value, json_bytes
from tests.scripted_session import turn
from workbench.app.start import make_window
from workbench.autosave.session_serialization import restored
from workbench.session.session import Session
from workbench.session.settings import HOME_VARIABLE, SET_ASIDE, Settings
from workbench.tabs.classify.methods import PLACE, next_run_from

NAME: Final = "settings.json"
_SECONDS: Final = 60.0


def _stored() -> dict[str, Any]:
    """Settings of everything that the window keeps."""
    return {
        "theme": "dark",
        "text_scale": 1.25,
        "geometry": "AdnQywADAAAAAAAAAAAAAAAABP8AAALPAAAAAAAAAAAAAAT/AAACzwAAAAAAAAAABQAAAAAAAAAAAAAABP8AAALP",
        "folder": "/tmp",
        "recent_files": ["/nowhere/a.csv", "/nowhere/b.coppice"],
        "places": {"/nowhere/b.coppice": {"tab": "Classify", "page": "numbers", "next_run": "{}", "ledger": 1}},
        "visualize.sizes": [[500, 300], [200, 400]],
        "visualize.page": "data",
        "visualize.records": "scatter",
        "ledger.classify": True,
        "ledger.evaluate": False,
    }


def _made(random: Generator) -> Case:
    stored: Any = _stored()
    for _ in range(int(random.choice([1, 1, 2, 4]))):
        stored = changed_value(stored, random)
    content, told = json_bytes(stored, random), "values"
    if random.random() < 0.25:
        content, told = bytes_mutators.mutated(content, random, TEXT_CHANGES)
    return Case(content, NAME, {}, told)


class SettingsFiles:
    """Settings read, used, changed and read again."""

    name = "settings"

    def make(self, random: Generator) -> Case:
        return _made(random)

    def run(self, case: Case, folder: Path) -> str:
        path = written(case, folder)
        settings = Settings(path)
        for name, default in _stored().items():
            if not isinstance(settings.get(name, default), type(default)):
                raise BrokenRuleError(f"the setting {name} is of another type")
        settings.remember_file("/nowhere/new.csv")
        settings.remember_place("/nowhere/b.coppice", {"tab": "Evaluate"})
        settings.place_of("/nowhere/b.coppice")
        if not settings.folder or not settings.recent_files:
            raise BrokenRuleError("a setting is forgotten at once")
        again = Settings(path)
        if again.problems or again.recent_files != settings.recent_files:
            raise BrokenRuleError("what was put aside comes back")
        if settings.problems and path.with_name(NAME + SET_ASIDE).read_bytes() != case.content:
            raise BrokenRuleError("the file that was put aside is another one")
        json.loads(path.read_text("utf-8"))
        return READ


@contextmanager
def _nothing_raised_into_qt() -> Iterator[None]:
    """What events and slots raise is handed to the last hook by the bindings: here it is raised at the end."""
    raised: list[BaseException] = []

    def note(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        raised.append(error)

    before, sys.excepthook = sys.excepthook, note
    try:
        yield
    finally:
        sys.excepthook = before
    if raised:
        raise BrokenRuleError("".join(traceback.format_exception(raised[0]))[-2000:]) from raised[0]


def _application() -> QApplication:
    app = QApplication.instance() or QApplication(["coppice-fuzz"])
    if not isinstance(app, QApplication):
        raise TypeError(type(app).__name__)
    return app


class Windows:
    """Windows opened with settings as they may be."""

    name = "window"

    def __init__(self) -> None:
        self._app = _application()
        with TemporaryDirectory() as folder:
            self._open(Path(folder))

    def make(self, random: Generator) -> Case:
        return _made(random)

    def run(self, case: Case, folder: Path) -> str:
        written(case, folder)
        with _nothing_raised_into_qt():
            self._open(folder)
        return READ

    def _open(self, folder: Path) -> None:
        before = os.environ.get(HOME_VARIABLE)
        os.environ[HOME_VARIABLE] = str(folder)
        try:
            window = make_window(self._app)
            window.show()
            turn(window.isVisible, _SECONDS)
            window._agreed_to_close = True
            window.close()
            window.session.close()
            delete(window)
            self._app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        finally:
            if before is None:
                del os.environ[HOME_VARIABLE]
            else:
                os.environ[HOME_VARIABLE] = before


class Sessions(Projects):
    """Projects that are accepted, restored in a session, until nothing is under way."""

    name = "sessions"

    def __init__(self) -> None:
        super().__init__()
        self._app = _application()
        self._restore(made_project())

    def run(self, case: Case, folder: Path) -> str:
        project = load_project(written(case, folder), self._registry)
        check_project(project)
        with _nothing_raised_into_qt():
            self._restore(project)
        return READ

    def _restore(self, project: Any) -> None:
        session, failed = Session(builtin(), Settings()), list[object]()
        session.jobs.crashed.connect(failed.append)
        try:
            session.restore(restored(project, RunContext(seed=1)))
            next_run_from(session.place.get(PLACE), session.registry)
            self._until(lambda: session.summary is not None or bool(failed), lambda: not session.jobs.running)
        finally:
            session.close()
            delete(session)
        if failed:
            raise BrokenRuleError(f"a job crashed: {failed[0]}")

    def _until(self, *conditions: Callable[[], object]) -> None:
        for condition in conditions:
            turn(condition, _SECONDS)
