"""Cores that are kept awake while a window is measured.

A virtual machine gives a core back to its host as soon as nothing runs on it, and gets it again late: a program that
does nothing but wake every millisecond was up to 47 ms late beside one busy core, and at most 4 ms late while
something ran on every core. Such a gap is not one that the window could do anything about.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys

TURNING = """
import os
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
begun_by = int({parent})
while os.getppid() == begun_by:
    for _ in range(100_000):
        pass
"""


def keep_awake() -> None:
    """Until this process ends, a process of the lowest priority turns on every core; Linux only, elsewhere nothing."""
    if not hasattr(os, "SCHED_IDLE"):
        return
    for _ in range(os.cpu_count() or 1):
        turning = subprocess.Popen([sys.executable, "-S", "-c", TURNING.format(parent=os.getpid())])
        atexit.register(turning.kill)
