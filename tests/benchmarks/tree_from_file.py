"""A tree grown from a file that need not fit in memory: ``python -m tests.benchmarks.tree_from_file``.

A CSV file of 10,000,000 records with 20 numbers is made in a temporary folder, and ``main.py evaluate --in-pieces``
grows and judges a tree on it in a process of its own. Printed are the peak of that process's memory (all of it, and
what is no file of the system's), the time, the accuracy on the held-out records, and that of the exact tree of
1,000,000 of the records in memory; what it said of its progress; then how long a finish and a stop take on the way.
"""

from __future__ import annotations

import argparse
import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
import threading
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
BLOCK = 500_000


def make_file(path: Path, n_records: int) -> None:
    """20 numbers of five digits; the class depends on six of them, one record in ten has a class drawn at random."""
    random = np.random.default_rng(1)
    with path.open("wb") as file:
        file.write(",".join([*(f"x{i}" for i in range(20)), "class"]).encode() + b"\n")
        for first in range(0, n_records, BLOCK):
            n = min(BLOCK, n_records - first)
            x = np.clip(random.normal(size=(n, 20)).round(4), -9.9999, 9.9999)
            score = x[:, 0] + x[:, 1] * x[:, 2] + np.where(x[:, 3] > 0.5, x[:, 4], -x[:, 5])
            y = np.where(random.random(n) < 0.1, random.integers(0, 3, n), np.digitize(score, [-1.0, 1.0]))
            file.write(lines(x, y))


def lines(x: NDArray[np.float64], y: NDArray[np.int64]) -> bytes:
    """Records of numbers between -10 and 10 as text: 10 million would take pandas a quarter of an hour."""
    n, d = x.shape
    digits = np.rint(np.abs(x) * 10_000).astype(np.int32)
    text = np.full((n, 8 * d + 7), ord(" "), dtype=np.uint8)
    numbers = text[:, : 8 * d].reshape(n, d, 8)
    numbers[:, :, 0] = np.where(x < 0, ord("-"), ord(" "))
    for place, at in enumerate((1, 3, 4, 5, 6)):
        numbers[:, :, at] = ord("0") + digits // 10 ** (4 - place) % 10
    numbers[:, :, 2], numbers[:, :, 7] = ord("."), ord(",")
    text[:, 8 * d : -1] = np.frombuffer(b"low   middlehigh  ", dtype=np.uint8).reshape(3, 6)[y]
    text[:, -1] = ord("\n")
    return text[text != ord(" ")].tobytes()


def command(path: Path, *more: str) -> list[str]:
    return [sys.executable, str(ROOT / "main.py"), "evaluate", str(path), "--learner", "c4.5", "--json", *more]


class Watched:
    """A process, the peak of its memory, and what it says of its progress on a terminal."""

    def __init__(self, words: list[str]) -> None:
        terminal, its_end = pty.openpty()
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=its_end, text=True)
        os.close(its_end)
        self.begin, self.peak, self.own_peak = time.perf_counter(), 0, 0
        self.said: list[tuple[float, str]] = []
        self._threads = [threading.Thread(target=self._watch), threading.Thread(target=self._listen, args=(terminal,))]
        for thread in self._threads:
            thread.start()

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

    def _listen(self, terminal: int) -> None:
        while True:
            try:
                heard = os.read(terminal, 65536)
            except OSError:  # its end was closed
                break
            if not heard:
                break
            words = heard.decode(errors="replace").replace("\x1b[K", "").strip("\r\n ").rsplit("\r", 1)[-1]
            if words and (not self.said or self.said[-1][1] != words):
                self.said.append((time.perf_counter() - self.begin, words))
        os.close(terminal)

    def ended(self) -> tuple[str, float]:
        output, _ = self.process.communicate()
        for thread in self._threads:
            thread.join()
        return output, time.perf_counter() - self.begin

    def progress(self) -> str:
        """When each kind of work began and at what share, and the longest time without a change."""
        kinds = dict[str, tuple[float, str]]()
        for when, words in self.said:
            kinds.setdefault(words.lstrip("0123456789.% "), (when, words))
        steps = "; ".join(f"{when:.0f} s: {words}" for when, words in kinds.values())
        times = [0.0, *(when for when, _ in self.said)]
        still = max(b - a for a, b in pairwise(times)) if self.said else float("inf")
        return f"{len(self.said)} changes, the longest time without one {still:.1f} s; {steps}"


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


def beside_the_exact_tree(path: Path, part: Path, options: list[str]) -> None:
    """What the exact tree of 1,000,000 of the records does, in memory."""
    with path.open() as whole, part.open("w") as some:
        for _, line in zip(range(1_000_001), whole, strict=False):
            some.write(line)
    exact = Watched(command(part, "--method", "holdout", *options))
    output, took = exact.ended()
    other = json.loads(output)
    print(
        f"exact, 1,000,000 of the records in memory: {took:.0f} s, peak {exact.peak / 1e6:,.0f} MB; right"
        f" {100 * other['accuracy']:.2f} %; {other['model']['leaves']:,} leaves",
        flush=True,
    )


def stops(path: Path, seconds: float) -> None:
    """How long a finish and a stop take on the way of a run that lasts so long."""
    for share in (0.2, 0.6):
        after, code, output = stopped_after(path, share * seconds, 1)
        words = json.loads(output) if output else {}
        print(
            f"finished after {share:.0%}: {after:.1f} s, exit code {code}, partial {words.get('partial')},"
            f" right {100 * words.get('accuracy', 0):.2f} %",
            flush=True,
        )
    for share in (0.1, 0.5, 0.9):
        after, code, _ = stopped_after(path, share * seconds, 2)
        print(f"stopped after {share:.0%}: {after:.1f} s, exit code {code}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--file", type=Path, help="made where it does not exist, and left there")
    parser.add_argument("--learner-options", nargs="*", default=["-p", "min_leaf=20"])
    chosen = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts behind the scenes ignores Ctrl-C
    with tempfile.TemporaryDirectory() as folder:
        path: Path = chosen.file or Path(folder) / "large.csv"
        if not path.exists():
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
        print(f"progress: {watched.progress()}", flush=True)
        beside_the_exact_tree(path, Path(folder) / "part.csv", chosen.learner_options)
        stops(path, seconds)


if __name__ == "__main__":
    main()
