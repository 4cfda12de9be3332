"""What every test may ask for."""

from __future__ import annotations

import faulthandler
import gc
import importlib
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key
from hypothesis import HealthCheck, settings

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as in a worker of the program; more only wait for each other here

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from algorithms.core.run_control import RunContext
    from tests.postgres import PostgresServer

settings.register_profile("coppice", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("coppice")  # how fast the machine is decides no test

LAYOUT_ROUNDS = 4
"""How often layouts are done before a wait ends: one within another asks the outer one again."""

FEW_BUT_LONG = (
    "test_staying_in.py",
    "test_words_of_pages.py",
    "test_kill_minus_nine.py",
    "test_keyboard.py",
    "test_palette_finds_views.py",
    "test_judging_as_a_person.py",
)
"""Files whose few tests take ten times as long as others; begun last, they would leave the other cores idle."""

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(__file__).resolve().parents[1].parent / "shared"


def pytest_sessionstart(session: pytest.Session) -> None:
    """Have the compiled loops made once, before any test waits for them: that takes minutes on a new machine.

    After a crash, what the crashed thread did is told alone, not last of the hundred lines of all others."""
    from algorithms.compiled.ahead_of_time import compile_all

    if (stderr := session.config.stash.get(fault_handler_stderr_fd_key, None)) is not None:
        faulthandler.enable(stderr, all_threads=False)
    if hasattr(session.config, "workerinput") or session.config.option.collectonly:
        return
    if not compile_all():
        pytest.exit("a compiled loop cannot be made: the trace is in failure.txt of its folder in the cache", 3)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Have several workers share out the bytecode of the tests: in step, each would make all of it."""
    worker = getattr(session.config, "workerinput", None)
    if worker is None or sys.dont_write_bytecode or session.config.args != session.config.getini("testpaths"):
        return
    first, of = int(worker["workerid"].removeprefix("gw")), worker["workercount"]
    for file in sorted((ROOT / "tests").rglob("test_*.py"))[first::of]:
        with suppress(Exception, pytest.skip.Exception):  # the collection imports it again, and tells
            importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """Half as many workers again as there are cores: tests of the window wait for timers, threads and processes."""
    from algorithms.core.run_control import usable_cores

    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    return usable_cores() * 3 // 2


def pytest_configure(config: pytest.Config) -> None:
    """Have several workers take the files in the order of :func:`pytest_collection_modifyitems`, and end with the first
    that crashes: a new one gets finished files too, has nothing to run, and the others would wait for it for ever."""
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False
    if getattr(config.option, "maxworkerrestart", "0") is None:
        config.option.maxworkerrestart = "0"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Have several workers begin with the long files, and end with those of few tests."""
    if hasattr(config, "workerinput"):
        tests = Counter(item.path for item in items)
        items.sort(key=lambda item: (item.path.name not in FEW_BUT_LONG, -tests[item.path]))


def pytest_collection_finish() -> None:
    """Have no collection search the modules and the tests themselves, which are here to stay."""
    gc.disable()
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="module")
def only_this_thread_collects() -> Iterator[None]:
    """As in the program: a worker that collected would take down widgets, also those that tests before left behind."""
    gc.disable()
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def shared_datasets() -> Path:
    """The folder of published data sets beside the project; skips where it is absent."""
    folder = SHARED / "datasets"
    if not folder.is_dir():
        pytest.skip("the published data sets are not beside the project")
    return folder


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server on this machine; skips where its programs or its driver are absent."""
    from tests.postgres import programs, running

    pytest.importorskip("psycopg", reason="the extra [database] is not installed")
    folder = programs()
    if folder is None:
        pytest.skip("the programs of a PostgreSQL server are not on this machine")
    with running(folder) as server:
        yield server


@pytest.fixture(scope="session")
def shared_reference() -> Path:
    """The folder of published accuracies beside the project; skips where it is absent."""
    folder = SHARED / "reference"
    if not folder.is_dir():
        pytest.skip("the published accuracies are not beside the project")
    return folder


@pytest.fixture
def context() -> RunContext:
    """A run context without threads, seed 1."""
    from algorithms.core.run_control import RunContext

    return RunContext(seed=1)


@pytest.fixture(scope="session")
def qapp() -> Iterator[QApplication]:
    """The one application of the test run."""
    from PySide6.QtWidgets import QApplication

    app = QApplication.instance() or QApplication(["coppice-tests"])
    assert isinstance(app, QApplication)
    yield app
    app.clipboard().clear()  # without a window system its content is deleted after Python, and that crashes


@pytest.fixture
def wait_until(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """``wait_until(condition, seconds=30)``: runs the event loop until it holds and all is shown and laid out."""
    from PySide6.QtCore import QEvent, QEventLoop, QTimer

    from workbench.jobs.ui_scheduling import UiTaskQueue

    known: WeakSet[UiTaskQueue] = WeakSet()
    later = UiTaskQueue.later

    def noted(turns: UiTaskQueue, *acts: Callable[[], object]) -> None:
        known.add(turns)
        later(turns, *acts)

    monkeypatch.setattr(UiTaskQueue, "later", noted)

    def wait(condition: Callable[[], Any], seconds: float = 30.0) -> None:
        until = time.monotonic() + seconds
        while not condition() or any(turns.is_busy for turns in known):
            if time.monotonic() > until:
                raise AssertionError(f"still not so after {seconds:g} s: {condition}")
            loop = QEventLoop()  # unlike QTest.qWait it lets the worker threads have the interpreter
            QTimer.singleShot(5, loop.quit)
            loop.exec()
        for _ in range(LAYOUT_ROUNDS):
            qapp.sendPostedEvents(None, QEvent.Type.LayoutRequest)

    return wait
