"""The program in a process of its own, and a command to begin with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
IRIS = ["evaluate", "sample:iris", "--learner", "zero-r"]


def run(*argv: str, **options) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own."""
    return subprocess.run(
        [sys.executable, str(ROOT / "main.py"), *argv], capture_output=True, text=True, timeout=300, **options
    )
