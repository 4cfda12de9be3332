"""How fast a large CSV file loads, against pandas in the same run: ``python -m tests.benchmarks.loading``.

A file of 1,000,000 records with 10 numeric and 10 nominal columns is made in a temporary folder. Printed are the time
of ``read`` over that of ``pandas.read_csv`` (median of interleaved runs), the peak of memory over the size of the
file (in a process of its own), the longest time for which another thread could not run, and the time from a stop to
its end.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd

from algorithms.core.errors import Cancelled
from algorithms.core.run_control import RunContext, thread_pool
from algorithms.io.reading import read
from tests.benchmarks.awake import keep_awake

MEMORY = """
import resource, sys
from algorithms.core.run_control import RunContext
from algorithms.io.reading import read
import algorithms.io.text.delimited
def peak():
    lines = open("/proc/self/status").read().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith("VmHWM")).split()[1])
before = peak()
data = read(sys.argv[1], RunContext())
print(peak() - before, len(data))
"""


def make_file(path: Path, n_records: int) -> None:
    """10 numeric columns of three kinds and 10 nominal ones with 2 to 1,000 values."""
    random = np.random.default_rng(1)
    columns: dict[str, object] = {}
    for index in range(10):
        numbers = random.normal(size=n_records)
        columns[f"measure {index}"] = numbers if index < 3 else numbers.round(4)
    columns["measure 9"] = random.integers(0, 100_000, n_records)
    for index, n_values in enumerate((2, 3, 4, 6, 8, 12, 20, 50, 200, 1000)):
        values = np.array([f"value {code}" for code in range(n_values)], dtype=object)
        columns[f"group {index}"] = values[random.integers(0, n_values, n_records)]
    pd.DataFrame(columns).to_csv(path, index=False)


def seconds(work: object, *arguments: object) -> float:
    """Wall time of one call."""
    assert callable(work)
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


def ratio(path: Path, runs: int) -> tuple[float, float, float]:
    """Median seconds of pandas and of ours, and the median ratio of neighbouring runs."""
    theirs, ours = [], []
    for _ in range(runs):
        theirs.append(seconds(pd.read_csv, path))
        ours.append(seconds(read, path, RunContext()))
    ratios = [mine / other for mine, other in zip(ours, theirs, strict=True)]
    return statistics.median(theirs), statistics.median(ours), statistics.median(ratios)


def memory_ratio(path: Path) -> float:
    """Peak memory of a process that loads the file, above what it used before, over the size of the file."""
    done = subprocess.run([sys.executable, "-c", MEMORY, str(path)], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[0]) / path.stat().st_size


def longest_stall(path: Path) -> float:
    """The longest time, in seconds, that a thread which sleeps 2 ms at a time slept longer, while a worker loads."""
    stalls: list[float] = []
    loaded = threading.Event()

    def work() -> None:
        with thread_pool() as pool:
            read(path, RunContext(executor=pool))
        loaded.set()

    worker = threading.Thread(target=work)
    worker.start()
    last = time.perf_counter()
    while not loaded.is_set():
        time.sleep(0.002)
        now = time.perf_counter()
        stalls.append(now - last - 0.002)
        last = now
    worker.join()
    return max(stalls)


def seconds_to_stop(path: Path) -> float:
    """From the stop, half a second after the start or half way, to the end of the worker."""
    context = RunContext()
    stopped = threading.Event()

    def work() -> None:
        try:
            read(path, context)
        except Cancelled:
            stopped.set()

    worker = threading.Thread(target=work)
    worker.start()
    while (context.progress() or 0.0) < 0.3 and worker.is_alive():
        time.sleep(0.005)
    start = time.perf_counter()
    context.cancel()
    worker.join()
    assert stopped.is_set(), "the file was loaded before it could be stopped"
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.csv"
        make_file(path, chosen.records)
        size = path.stat().st_size
        print(f"{chosen.records:,} records, 20 columns, {size / 1e6:.0f} MB")
        theirs, ours, times = ratio(path, chosen.runs)
        print(f"pandas.read_csv {theirs:.2f} s, read {ours:.2f} s, ratio {times:.2f} (at most 1.6)")
        print(f"peak memory {memory_ratio(path):.2f} times the file (below 3)")
        keep_awake()
        stalls = sorted(longest_stall(path) for _ in range(3))
        print(f"longest stall of another thread {1000 * stalls[1]:.0f} ms (below 50)")
        print(f"from stop to stopped {1000 * seconds_to_stop(path):.0f} ms")


if __name__ == "__main__":
    main()
