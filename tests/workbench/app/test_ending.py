"""A request to end the program is followed, whatever its threads are doing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
HANGING_JOB = """
import sys
from PySide6.QtCore import QTimer
from workbench.app import start as app
made = app.make_window
def hanging(application):
    window = made(application)
    window.session.jobs.start("Hang", lambda context: open(sys.argv[1]).read())
    QTimer.singleShot(0, lambda: print("ready", flush=True))
    return window
app.make_window = hanging
sys.exit(app.run([]))
"""
HANGING_WINDOW = """
import sys
from PySide6.QtCore import QCoreApplication, QTimer
from workbench.app.crash_reports import end_on_signals
application = QCoreApplication([])
end_on_signals(application, seconds=0.5)
def hang():
    print("ready", flush=True)
    open(sys.argv[1]).read()
QTimer.singleShot(0, hang)
application.exec()
"""

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")


@pytest.mark.parametrize("script", [HANGING_JOB, HANGING_WINDOW], ids=["a job hangs", "the window hangs"])
def test_a_request_to_end_is_followed_though_something_hangs(script: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    folders = {name: str(tmp_path) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")}
    environment = {**os.environ, **folders, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", script, str(pipe)]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == "ready\n"
            process.send_signal(signal.SIGTERM)
            process.wait(60)
        finally:
            process.kill()
    assert process.returncode in (0, 128 + signal.SIGTERM)
