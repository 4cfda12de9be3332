"""The way in: verbs, missing system parts, the start, what happens to the unexpected."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from tests.expected_texts import app as wording
from tests.workbench.window_helpers import Wait
from workbench.app import start
from workbench.app.crash_reports import LOG_NAME, CrashDialog, CrashFunnel
from workbench.app.start import X11_LIBRARIES, missing_package, what_is_missing

ROOT = Path(__file__).resolve().parents[3]

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the packages are those of Linux")


class Emitter(QObject):
    said = Signal(object)


def test_a_signal_can_be_emitted_ten_thousand_times(qapp: QApplication) -> None:
    emitter = Emitter()
    heard: list[object] = []
    emitter.said.connect(heard.append)
    for number in range(10_000):
        emitter.said.emit(number)
    assert len(heard) == 10_000


# ---- what the system must have -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("library", "package"),
    [
        ("libEGL.so.1", "libegl1"),
        ("libxkbcommon.so.0", "libxkbcommon0"),
        ("libxcb-cursor.so.0", "libxcb-cursor0"),
        ("libGL.so.1", "libgl1"),
    ],
)
def test_a_missing_library_is_named_by_its_package_in_one_line(library: str, package: str) -> None:
    said = what_is_missing(lambda name: name != library, {"DISPLAY": ":0"}, "linux")
    assert said is not None
    assert said.endswith(wording.sudo_apt_install(package))
    assert "\n" not in said


def test_all_missing_libraries_are_named_at_once() -> None:
    said = what_is_missing(lambda name: name not in X11_LIBRARIES, {"DISPLAY": ":0"}, "linux")
    assert said is not None
    assert all(package in said for package in X11_LIBRARIES.values())


def test_no_display_is_said_so() -> None:
    said = what_is_missing(lambda name: True, {}, "linux")
    assert said is not None and "no display" in said


def test_without_a_window_to_show_no_display_is_needed() -> None:
    assert what_is_missing(lambda name: True, {"QT_QPA_PLATFORM": "offscreen"}, "linux") is None


def test_other_systems_bring_what_qt_needs() -> None:
    assert what_is_missing(lambda name: False, {}, "darwin") is None
    assert what_is_missing(lambda name: False, {}, "win32") is None


def test_a_failed_import_of_qt_names_the_package() -> None:
    error = ImportError("libEGL.so.1: cannot open shared object file: No such file or directory")
    assert missing_package(error).endswith(wording.SUDO_APT_INSTALL_EGL)


@on_linux
@pytest.mark.parametrize("display", ["", ":98765"])
def test_a_start_without_a_display_ends_with_one_line_and_exit_code_1(display: str) -> None:
    environment = {k: v for k, v in os.environ.items() if k not in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY")}
    if display:
        environment["DISPLAY"] = display
    ended = subprocess.run(
        [sys.executable, "main.py"], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert len(ended.stderr.strip().splitlines()) == 1
    assert "Traceback" not in ended.stderr


# ---- the start -----------------------------------------------------------------------------------------------------


def test_a_verb_goes_to_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert start.run(["list", "learners"]) == 0
    assert "zero-r" in capsys.readouterr().out


def test_a_word_that_is_no_verb_and_no_file_is_a_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert start.run(["frobnicate"]) == 2


START = """
import sys
from workbench.app import start as app
from PySide6.QtCore import QTimer
heavy = []
def look():
    from PySide6.QtWidgets import QApplication
    window = QApplication.topLevelWidgets()
    late = ("scipy", "numba", "pandas", "sklearn", "pyqtgraph", "importlib.metadata")
    late += ("algorithms.registration", "algorithms.learners.trees.c45", "workbench.warnings.warnings")
    heavy.extend(name for name in late if name in sys.modules)
    for widget in window:
        if widget.objectName() == "main":
            widget.close()
settle = app.settle
app.settle = lambda window: QTimer.singleShot(100, window, look)
code = app.run([])
print(code, heavy)
"""


def test_the_window_opens_and_closes_without_loading_what_is_heavy(tmp_path: Path) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "COPPICE_HOME": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-c", START],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.stdout.strip() == "0 []", ended.stderr


# ---- the unexpected ------------------------------------------------------------------------------------------------


@pytest.fixture
def funnel(qapp: QApplication, tmp_path: Path) -> Iterator[CrashFunnel]:
    made = CrashFunnel(tmp_path)
    made.install()
    yield made
    made.uninstall()
    for widget in qapp.topLevelWidgets():
        if isinstance(widget, CrashDialog):
            widget.close()


def test_a_bug_is_logged_and_shown_and_the_program_goes_on(
    funnel: CrashFunnel, qapp: QApplication, tmp_path: Path, wait_until: Wait
) -> None:
    shown: list[str] = []
    funnel.happened.connect(shown.append)
    emitter = Emitter()
    emitter.said.connect(lambda value: value / 0)
    emitter.said.emit(1)
    wait_until(lambda: shown)
    assert "ZeroDivisionError" in shown[0]
    assert "ZeroDivisionError" in (tmp_path / LOG_NAME).read_text("utf-8")
    assert os.name != "posix" or (tmp_path / LOG_NAME).stat().st_mode & 0o777 == 0o600
    dialog = next(w for w in qapp.topLevelWidgets() if isinstance(w, CrashDialog) and w.isVisible())
    trace = dialog.findChild(QPlainTextEdit, "crash.trace")
    assert trace is not None and "ZeroDivisionError" in trace.toPlainText()


def test_a_bug_in_a_thread_reaches_the_window(funnel: CrashFunnel, wait_until: Wait) -> None:
    shown: list[str] = []
    funnel.happened.connect(shown.append)
    thread = threading.Thread(target=lambda: {}["absent"])
    thread.start()
    thread.join()
    wait_until(lambda: shown)
    assert "KeyError" in shown[0]


def test_many_bugs_share_one_dialog(funnel: CrashFunnel, qapp: QApplication, wait_until: Wait) -> None:
    shown: list[str] = []
    funnel.happened.connect(shown.append)
    for _ in range(5):
        funnel.report(ValueError("again"))
    wait_until(lambda: len(shown) == 5)
    dialogs = [w for w in qapp.topLevelWidgets() if isinstance(w, CrashDialog) and w.isVisible()]
    assert len(dialogs) == 1


def test_the_funnel_gives_the_hooks_back(qapp: QApplication, tmp_path: Path) -> None:
    before = (sys.excepthook, threading.excepthook, sys.unraisablehook)
    funnel = CrashFunnel(tmp_path)
    funnel.install()
    assert sys.excepthook is not before[0]
    funnel.uninstall()
    assert (sys.excepthook, threading.excepthook, sys.unraisablehook) == before


def test_a_log_that_cannot_be_written_is_no_reason_not_to_start(qapp: QApplication, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    content = "in the way"
    blocked.write_text(content, "utf-8")
    funnel, before = CrashFunnel(blocked / "below"), sys.excepthook
    funnel.install()
    assert sys.excepthook is not before, "errors are caught all the same"
    funnel.uninstall()
    assert blocked.read_text("utf-8") == content


END = """
from workbench.app import start as app
from PySide6.QtCore import QTimer
def edit(window):
    def later():
        window.session.set_used(["Sepal Width"], False)
        window._agreed_to_close = True
        window.close()
    window.session.summary_changed.connect(later)
app.settle = edit
print(app.run(["sample:iris"]))
"""


def test_the_end_is_silent_even_with_edits_that_were_dropped(tmp_path: Path) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "COPPICE_HOME": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-c", END], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    said = [line for line in ended.stderr.splitlines() if "propagateSizeHints" not in line]
    assert (ended.returncode, ended.stdout.strip(), said) == (0, "0", [])
