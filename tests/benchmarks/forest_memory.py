"""Memory of a forest beside scikit-learn's: ``python -m tests.benchmarks.forest_memory [--records N]`` (Linux).

Fifty trees on 100,000 x 20 (as :mod:`tests.benchmarks.committees_against_scikit_learn` generates them), two threads.
Each library learns in a process of its own, after a small forest that loads what it needs. Printed in MB above what the
process held before: the most while it learned, what is kept then, and what is kept after 20,000 records were judged.
Ours keeps the sorted orders of the records with the data; they are counted.
"""

from __future__ import annotations

import argparse
import gc
import subprocess
import sys
from pathlib import Path
from typing import Final

import numpy as np

from algorithms.core.run_control import RunContext, thread_pool
from tests.benchmarks.committees_against_scikit_learn import THREADS, generated, matrix, pairs

_STATUS: Final = Path("/proc/self/status")


def held() -> dict[str, float]:
    """MB of memory of this process now (VmRSS) and at most (VmHWM)."""
    lines = (line.split() for line in _STATUS.read_text().splitlines() if line.startswith(("VmRSS", "VmHWM")))
    return {name.rstrip(":"): int(kilobytes) / 1024 for name, kilobytes, *_ in lines}


def measured(who: str, records: int) -> str:
    """What one of the two takes, in words."""
    data, tests = generated(records, 1), generated(20_000, 2)
    few = generated(300, 3)
    ours, theirs = pairs(plain=False)["forest"]
    x, x_tests = matrix(data), matrix(tests)
    ours.fit(few, RunContext()).predict(few)
    theirs.fit(matrix(few), few.class_codes)
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")
    before = held()["VmRSS"]
    if who == "ours":
        with thread_pool(THREADS - 1) as pool:
            model = ours.fit(data, RunContext(seed=1, executor=pool))
        learned = held()
        model.predict_proba(tests)
    else:
        theirs.fit(x, np.asarray(data.class_codes))
        learned = held()
        theirs.predict_proba(x_tests)
    most, kept, after = learned["VmHWM"] - before, learned["VmRSS"] - before, held()["VmRSS"] - before
    return f"{who}: at most {most:.0f} MB, kept {kept:.0f} MB, after judging {after:.0f} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--who", choices=("ours", "theirs"))
    chosen = parser.parse_args()
    if chosen.who:
        print(measured(chosen.who, chosen.records), flush=True)
        return
    for who in ("ours", "theirs"):
        command = [sys.executable, "-m", __spec__.name, "--who", who, "--records", str(chosen.records)]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
