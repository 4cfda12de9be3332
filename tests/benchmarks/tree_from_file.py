"""A tree grown from a file that need not fit in memory: ``python -m tests.benchmarks.tree_from_file``.

A CSV file of 10,000,000 records with 20 numbers is made in a temporary folder, and ``main.py evaluate --in-pieces``
grows and judges a tree on it in a process of its own. Printed are the peak of that process's memory (all of it, and
what is no file of the system's), the time, the accuracy on the held-out records, and that of the exact tree of
1,000,000 of the records in memory; then how long a finish and a stop take, each half way through.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parents[2]
BLOCK = 500_000


def make_file(path: Path, n_records: int) -> None:
    """20 numbers of six digits; the class depends on six of them, one record in ten has a class drawn at random."""
    random = np.random.default_rng(1)
    for first in range(0, n_records, BLOCK):
        n = min(BLOCK, n_records - first)
        x = random.normal(size=(n, 20)).round(4)
        score = x[:, 0] + x[:, 1] * x[:, 2] + np.where(x[:, 3] > 0.5, x[:, 4], -x[:, 5])
        y = np.where(random.random(n) < 0.1, random.integers(0, 3, n), np.digitize(score, [-1.0, 1.0]))
        frame = pd.DataFrame(x, columns=[f"x{i}" for i in range(20)])
        frame["class"] = np.array(["low", "middle", "high"], dtype=object)[y]
        frame.to_csv(path, mode="a", header=first == 0, index=False)


def command(path: Path, *more: str) -> list[str]:
    return [sys.executable, str(ROOT / "main.py"), "evaluate", str(path), "--learner", "c4.5", "--json", *more]


class Watched:
    """A process and the peak of its memory."""

    def __init__(self, words: list[str]) -> None:
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.begin, self.peak, self.own_peak = time.perf_counter(), 0, 0
        self.rows: list[int] = []
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def _watch(self) -> None:
        status = Path(f"/proc/{self.process.pid}/status")
        while self.process.poll() is None:
            try:
                lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
                self.peak = max(self.peak, 1024 * int(lines["VmHWM"].split()[0]))
                self.own_peak = max(self.own_peak, 1024 * int(lines["RssAnon"].split()[0]))
            except (OSError, KeyError):
                return
            time.sleep(0.05)

    def ended(self) -> tuple[str, float]:
        output, _ = self.process.communicate()
        self._thread.join()
        return output, time.perf_counter() - self.begin


def stopped_after(path: Path, seconds: float, signals: int) -> tuple[float, int, str]:
    """Seconds from so many Ctrl-C, sent after ``seconds``, to the end of the process; its exit code and output."""
    watched = Watched(command(path, "--in-pieces"))
    time.sleep(seconds)
    begin = time.perf_counter()
    for _ in range(signals):
        os.kill(watched.process.pid, signal.SIGINT)
        time.sleep(0.3)
    output, _ = watched.ended()
    return time.perf_counter() - begin, watched.process.returncode, output


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--learner-options", nargs="*", default=["-p", "min_leaf=20"])
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path, part = Path(folder) / "large.csv", Path(folder) / "part.csv"
        make_file(path, chosen.records)
        table_bytes = chosen.records * 20 * 8
        size = path.stat().st_size
        print(f"{chosen.records:,} records, {size / 1e6:,.0f} MB; {table_bytes / 1e6:,.0f} MB as a table", flush=True)
        watched = Watched(command(path, "--in-pieces", *chosen.learner_options))
        output, seconds = watched.ended()
        found = json.loads(output)
        print(
            f"in pieces: {seconds:.0f} s, peak {watched.peak / 1e6:,.0f} MB ({watched.own_peak / 1e6:,.0f} MB its own),"
            f" {watched.peak / table_bytes:.2f} of the table; right on {found['n']:,} held-out records"
            f" {100 * found['accuracy']:.2f} %; {found['model']['leaves']:,} leaves; seconds {found['seconds']}",
            flush=True,
        )
        with path.open() as whole, part.open("w") as some:
            for _, line in zip(range(1_000_001), whole, strict=False):
                some.write(line)
        exact = Watched(command(part, "--method", "holdout", *chosen.learner_options))
        output, took = exact.ended()
        other = json.loads(output)
        print(
            f"exact, 1,000,000 of the records in memory: {took:.0f} s, peak {exact.peak / 1e6:,.0f} MB; right"
            f" {100 * other['accuracy']:.2f} %; {other['model']['leaves']:,} leaves",
            flush=True,
        )
        for share in (0.2, 0.6):
            after, code, output = stopped_after(path, share * seconds, 1)
            words = json.loads(output) if output else {}
            print(
                f"finished after {share:.0%}: {after:.1f} s, exit code {code}, partial {words.get('partial')},"
                f" right {100 * words.get('accuracy', 0):.2f} %",
                flush=True,
            )
        after, code, _ = stopped_after(path, 0.5 * seconds, 2)
        print(f"stopped half way: {after:.1f} s, exit code {code}")


if __name__ == "__main__":
    main()
