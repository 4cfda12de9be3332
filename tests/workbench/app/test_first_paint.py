"""What waits for the window to be seen: after its first painting, once, and at the latest after a while."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QWidget

from tests.expected_texts import app as wording
from workbench.app import background_preparation
from workbench.app.background_preparation import AfterFirstPaint, CompilingNote
from workbench.jobs.jobs import Jobs
from workbench.jobs.messages import Messages

Wait = Callable[[Callable[[], object]], None]


class Painted(QWidget):
    """Notes when it was painted."""

    def __init__(self, order: list[str]) -> None:
        super().__init__()
        self.order = order

    def paintEvent(self, event: object) -> None:  # noqa: N802 - Qt's name
        self.order.append("painted")


def test_what_waits_comes_after_the_first_painting_and_once(qapp: QApplication, wait_until: Wait) -> None:
    order: list[str] = []
    window = Painted(order)
    AfterFirstPaint(window, lambda: order.append("then"))
    window.show()
    wait_until(lambda: "then" in order)
    window.update()
    wait_until(lambda: order.count("painted") > 1)
    window.update()
    wait_until(lambda: order.count("painted") > 2)
    assert order[:2] == ["painted", "then"]
    assert order.count("then") == 1
    window.close()


def test_a_window_that_is_never_painted_keeps_nothing_waiting(
    qapp: QApplication, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background_preparation, "AT_LATEST_MS", 1)
    order: list[str] = []
    window = Painted(order)
    AfterFirstPaint(window, lambda: order.append("then"))
    wait_until(lambda: order)
    assert order == ["then"]


def test_whether_to_compile_is_asked_beside_the_window(
    qapp: QApplication, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    messages = Messages()
    jobs = Jobs(messages)
    asked: list[int] = []
    monkeypatch.setattr(
        "workbench.app.background_preparation.start_compiling", lambda: not asked.append(threading.get_ident())
    )
    running = [False, True, True]
    monkeypatch.setattr("workbench.app.background_preparation.is_compiling", running.pop)
    monkeypatch.setattr(
        "workbench.app.background_preparation.preparing_words", lambda: f"{2 - len(running)} of 2 parts"
    )
    CompilingNote(jobs, shown.append, messages).begin()
    assert not shown
    wait_until(lambda: shown == [wording.parts_ready(0, 2), wording.parts_ready(1, 2), ""])
    assert len(asked) == 1 and asked[0] != threading.get_ident()
    assert not running
    jobs.shutdown()


ORDER = """
import gc, sys
from PySide6.QtCore import QEvent, QObject
from workbench.app import start as app
order = []
class Look(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and "painted" not in order:
            order.append("painted")
        return False
look = Look()
made, settled = app.make_window, app.settle
def make(application):
    window = made(application)
    window.centralWidget().installEventFilter(look)
    return window
def settle(window):
    order.append("settled")
    settled(window)
    order.append(gc.isenabled())
    window.close()
app.make_window, app.settle = make, settle
code = app.run([])
print(code, order)
"""


def test_the_program_settles_once_the_person_sees_it(tmp_path: Path) -> None:
    environment = {"QT_QPA_PLATFORM": "offscreen", "COPPICE_HOME": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-c", ORDER],
        cwd=Path(__file__).resolve().parents[3],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    printed = "0 ['painted', 'settled', False]"
    assert ended.stdout.strip() == printed, ended.stderr
