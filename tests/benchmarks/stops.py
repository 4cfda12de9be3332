"""How soon learners and filters end after *Stop*: ``python -m tests.benchmarks.stops [ID ...] [--records N]``.

Each works on a table of 20 columns with a long list and missing values, and on one of lists alone. It is stopped at
random moments of the process's processor time, in all its threads. Printed is the longest such time from stop to end,
with the place where the work stood :data:`WANTED` seconds after the stop. Wanted: at most :data:`WANTED`.
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.catalogue import builtin
from algorithms.core.errors import Cancelled, CoppiceError
from algorithms.core.filters import Filter
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext, thread_pool
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.filters.discretize import Discretize
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart

WANTED: Final = 0.1
LONGEST: Final = 3.0
"""Seconds of the processor after which no stop comes any more."""
_FRAMES: Final = 3
LISTS: Final = (2, 5, 12, 40, 150, 700)


@dataclass
class Stop:
    """What came of one stop: seconds of the processor until the end, 0 where the work was done before."""

    seconds: float = 0.0
    place: str = ""


def tables(n: int) -> dict[str, Dataset]:
    """A table of 14 numbers and 6 lists, and one of the lists alone, with 4 classes."""
    r = np.random.default_rng(0)
    x = r.normal(size=(14, n))
    lists = [r.integers(0, size, n).astype(np.int32) for size in LISTS]
    y = np.digitize(x[:4].sum(axis=0) + (lists[3] % 3) + r.normal(size=n), [-1.0, 1.0, 2.5]).astype(np.int32)
    x[2, r.random(n) < 0.1] = np.nan
    lists[4][r.random(n) < 0.1] = -1
    named = [nominal(f"list {size}", [f"v{i}" for i in range(size)]) for size in LISTS]
    of_class = nominal("class", "abcd")
    mixed = Schema((*(numeric(f"x{i}") for i in range(len(x))), *named, of_class), len(x) + len(named))
    return {
        "20 columns": Dataset(mixed, [*x, *lists, y]),
        "lists": Dataset(Schema((*named, of_class), len(named)), [*lists, y]),
    }


def stopped(work: Callable[[RunContext], object], after: float) -> Stop:
    """Stop the work, in a thread of its own and a pool, after so many seconds of the processor."""
    with thread_pool() as pool:
        return _stopped(work, after, RunContext(seed=1, executor=pool))


def _stopped(work: Callable[[RunContext], object], after: float, context: RunContext) -> Stop:
    ended, found = threading.Event(), Stop()
    end = 0.0

    def run() -> None:
        nonlocal end
        try:
            work(context)
        except Cancelled:
            pass
        except CoppiceError as error:
            found.place = str(error)
        finally:
            end = time.process_time()
            ended.set()

    thread = threading.Thread(target=run)
    start = time.process_time()
    thread.start()
    assert thread.ident is not None
    while not ended.wait(0.002):
        if time.process_time() - start >= after:
            break
    if ended.is_set():
        thread.join()
        return found
    begun = time.process_time()
    context.cancel()
    while not ended.wait(0.005):
        if not found.place and time.process_time() - begun > WANTED:
            frame = sys._current_frames().get(thread.ident)
            own = [each for each in traceback.extract_stack(frame) if "algorithms" in each.filename]
            found.place = " < ".join(f"{each.name}:{each.lineno}" for each in reversed(own[-_FRAMES:]))
    thread.join()
    found.seconds = max(0.0, end - begun)
    return found


def subjects(data: Dataset) -> list[tuple[str, Callable[[RunContext], object]]]:
    """Every learner and filter, and some that work longest, by name with what it does."""
    registry = builtin()
    learners: list[tuple[str, Learner]] = [(each.id, each()) for each in registry.learners]
    learners += [
        ("cart surrogates=5", Cart(surrogates=5)),
        ("c4.5 pruning=cost-complexity", C45(pruning="cost-complexity")),
    ]
    filters: list[tuple[str, Filter]] = [(each.id, each()) for each in registry.filters]
    cut = Discretize()
    for_id3 = (
        cut.fit(data, RunContext()).transform(data) if "numeric" in {a.kind for a in data.schema.attributes} else data
    )
    found: list[tuple[str, Callable[[RunContext], object]]] = []
    for name, learner in learners:
        own = for_id3 if name == "id3" else data
        found.append((name, lambda context, learner=learner, own=own: learner.fit(own, context)))
    for name, filter in filters:
        found.append((name, lambda context, filter=filter: filter.fit(data, context)))
    return found


def main() -> int:
    """Print the longest of each; 1 where one is longer than wanted."""
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--stops", type=int, default=4)
    asked = parser.parse_args()
    random, late = np.random.default_rng(), 0
    for title, data in tables(asked.records).items():
        for name, work in subjects(data):
            if asked.names and name.partition(" ")[0] not in asked.names:
                continue
            moments = random.uniform(0.0, 1.0, asked.stops) ** 2 * LONGEST
            worst = max((stopped(work, after) for after in moments), key=lambda each: each.seconds)
            late += worst.seconds > WANTED
            print(f"{title:12} {name:32} {worst.seconds:7.3f} s  {worst.place}", flush=True)
    return int(late > 0)


if __name__ == "__main__":
    sys.exit(main())
