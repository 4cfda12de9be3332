"""How fast large files load, against other readers in the same run: ``python -m tests.benchmarks.loading``.

CSV files of 1,000,000 records with 20 numeric columns, and with 10 numeric and 10 nominal ones, are made in a temporary
folder; of a fifth of the records also workbooks. Printed are the time of ``read`` over that of ``pandas.read_csv`` and
of ``iter_rows`` of python-calamine, by the clock and in processor time (medians of interleaved runs). For the mixed CSV
file also the peak of memory over the size of the file (in a process of its own), the longest time for which another
thread could not run, and the time from a stop to its end.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import xlsxwriter
from python_calamine import CalamineWorkbook

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


def table(n_records: int, n_nominal: int) -> pd.DataFrame:
    """20 columns: numeric ones of three kinds, then up to 10 nominal ones with 2 to 1,000 values."""
    random = np.random.default_rng(1)
    columns: dict[str, object] = {}
    for index in range(20 - n_nominal):
        numbers = random.normal(size=n_records)
        columns[f"measure {index}"] = numbers if index < 3 else numbers.round(4)
    columns["measure 9"] = random.integers(0, 100_000, n_records)
    for index, n_values in enumerate((2, 3, 4, 6, 8, 12, 20, 50, 200, 1000)[:n_nominal]):
        values = np.array([f"value {code}" for code in range(n_values)], dtype=object)
        columns[f"group {index}"] = values[random.integers(0, n_values, n_records)]
    return pd.DataFrame(columns)


def write_workbook(path: Path, records: pd.DataFrame) -> None:
    """One sheet with a row of names."""
    with xlsxwriter.Workbook(path, {"constant_memory": True}) as workbook:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, list(records.columns))
        for row, cells in enumerate(records.itertuples(index=False), start=1):
            sheet.write_row(row, 0, cells)


def read_cells(path: Path) -> None:
    """Every cell of the first sheet as an object, which is all that the native library does."""
    for _ in CalamineWorkbook.from_path(path).get_sheet_by_index(0).iter_rows():
        pass


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of one call by the clock, and of the processor, child processes included."""
    start, before = time.perf_counter(), sum(os.times()[:4])
    work()
    return time.perf_counter() - start, sum(os.times()[:4]) - before


def compared(what: str, peer: Callable[[Path], object], path: Path, runs: int, most: float) -> None:
    """Print the median times of the peer and of ``read``, and the median ratios of neighbouring runs."""
    times = np.array([[seconds(lambda: peer(path)), seconds(lambda: read(path, RunContext()))] for _ in range(runs)])
    (theirs, their_processor), (ours, processor) = np.median(times, axis=0)
    clock_ratio, processor_ratio = np.median(times[:, 1] / times[:, 0], axis=0)
    print(
        f"{path.name}: {what} {theirs:.2f} s ({their_processor:.2f} s of processor), read {ours:.2f} s"
        f" ({processor:.2f} s), ratio {clock_ratio:.2f} (of processor {processor_ratio:.2f}), at most {most}"
    )


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
        for name, n_nominal in (("numbers", 0), ("mixed", 10)):
            records = table(chosen.records, n_nominal)
            path, workbook = Path(folder) / f"{name}.csv", Path(folder) / f"{name}.xlsx"
            records.to_csv(path, index=False)
            compared("pandas.read_csv", pd.read_csv, path, chosen.runs, 1.2)
            write_workbook(workbook, records[: chosen.records // 5])
            compared("iter_rows", read_cells, workbook, chosen.runs, 1.5)
        print(f"peak memory {memory_ratio(path):.2f} times the file (below 3)")
        keep_awake()
        stalls = sorted(longest_stall(path) for _ in range(3))
        print(f"longest stall of another thread {1000 * stalls[1]:.0f} ms (below 50)")
        print(f"from stop to stopped {1000 * seconds_to_stop(path):.0f} ms")


if __name__ == "__main__":
    main()
