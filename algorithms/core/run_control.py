"""Control of a run: its stop signal, progress, seeds, thread pool and time limits, all in a :class:`RunContext`.

Any ``concurrent.futures.Executor`` can run the parts in threads, and :class:`Workers` in other processes. Contexts form
a tree: a job has one, and each part (a fold, an ensemble member) has a child with a weight. Every context owns an int64
control array, which compiled loops read and write without the interpreter lock:

=====  ================================================================================
index  meaning
=====  ================================================================================
STOP   ``RUN``, ``FINISH`` (return the best so far, marked partial) or ``CANCEL``
DONE   steps done, written by the loop of this context
TOTAL  number of steps, 0 while unknown
=====  ================================================================================
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import Cancelled, UnreadFileError

_LIMITS: list[Any] = []
_TICK: Final = 0.02
"""Seconds between two looks at what is left of a time limit."""


def usable_cores() -> int:
    """Number of processor cores that this process may use, at least 1."""
    affinity = getattr(os, "sched_getaffinity", None)
    return max(1, len(affinity(0)) if affinity else os.cpu_count() or 1)


def free_memory() -> int | None:
    """Free memory in bytes; None where the system does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, ValueError, StopIteration):
        pass
    try:  # other systems than Linux: the total memory
        return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return None


def thread_pool(threads: int | None = None, begin: Callable[[], None] | None = None) -> ThreadPoolExecutor:
    """A pool of worker threads (default: one per usable core), each with one BLAS thread; ``begin`` runs first in each.

    Use it as a context manager, or call ``shutdown`` to end its threads.
    """
    use_one_blas_thread()
    count = threads or usable_cores()
    return ThreadPoolExecutor(max_workers=count, thread_name_prefix="coppice-worker", initializer=begin)


def use_one_blas_thread() -> None:
    """Let BLAS use one thread in this process from now on: their number changes the last bits of sums."""
    if not _LIMITS:
        from threadpoolctl import threadpool_limits

        _LIMITS.append(threadpool_limits(limits=1))
        os.environ["OPENBLAS_NUM_THREADS"] = "1"  # for the library of scipy, which is loaded later


STOP: Final = 0
DONE: Final = 1
TOTAL: Final = 2

RUN: Final = 0
FINISH: Final = 1
CANCEL: Final = 2

T = TypeVar("T")
R = TypeVar("R")


def stoppable(items: Iterable[T], checkpoint: Callable[[], object]) -> Iterator[T]:
    """The items, with a checkpoint before each."""
    for item in items:
        checkpoint()
        yield item


Listener = Callable[[Any], object]
Interval = tuple[float, float]
Kept = dict[Any, Any]
"""Stored results of parts of a run, by seed and name."""


class PartDone(NamedTuple):
    """A part of a run: its share of the expected work, how much of it is done (0 to 1), and its seconds so far."""

    weight: float
    done: float
    seconds: float


class Workers(Protocol):
    """Processes, perhaps on other computers, that do parts of a run (see :mod:`algorithms.core.cluster`)."""

    def n_threads(self, context: RunContext, /) -> int:
        """Number of parts that they do at once, at least 1; a stop of the ``context`` ends a wait for them."""

    def spread(self, f: Callable[[T], R], items: Sequence[T], context: RunContext) -> list[R]:
        """As :meth:`RunContext.spread`."""

    def call(self, f: Callable[..., R], values: Sequence[Any], context: RunContext) -> R:
        """As :meth:`RunContext.call`."""


class RunContext:
    """Progress, stops, randomness and threads of a run or of one of its parts.

    ``seed`` feeds a ``SeedSequence``. ``executor`` runs the parts of :meth:`map`; without one they run in turn in the
    calling thread. ``listener`` receives the objects of :meth:`publish`, in the thread that publishes. ``workers`` do
    what is given to :meth:`call`; without them it is done here.
    """

    def __init__(
        self,
        *,
        seed: int | np.random.SeedSequence = 0,
        executor: Executor | None = None,
        listener: Listener | None = None,
        workers: Workers | None = None,
    ) -> None:
        self.control: NDArray[np.int64] = np.zeros(3, dtype=np.int64)
        self.seeds = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
        self.executor, self.workers = executor, workers
        self._listener = listener
        self._lock = threading.Lock()
        self._children: list[tuple[float, RunContext]] = []
        self._finish_cancels = False
        self._is_committed = False
        self._message = ""
        self._waits, self._said_at = False, 0.0
        self._ended_waits: list[Interval] = []
        self.runs_parts_in_turn = False
        """Whether the parts run one after another, so that the pace of one tells nothing of another's."""
        self._began_at = time.monotonic()
        self._took: float | None = None
        self.unread_files: set[str] = set()
        """Paths that only a loaded project or experiment names; opening them needs the user's permission."""
        self.passwords: dict[str, str] = {}
        """Passwords of database servers by address, as the user gave them; they are held in memory only."""
        self.kept: Kept | None = None
        """Stored results of parts, reused if a run is repeated (see :meth:`once`); None to store nothing."""

    def cancel(self) -> None:
        """Stop as soon as possible: work in this context raises :class:`Cancelled`. No effect after :meth:`commit`."""
        self._stop(CANCEL)

    def finish(self) -> None:
        """Stop soon and return the best so far, marked as partial."""
        self._stop(FINISH)

    def _stop(self, word: int) -> None:
        if word == FINISH and self._finish_cancels:
            word = CANCEL
        with self._lock:
            if self._is_committed:
                return
            self.control[STOP] = max(int(self.control[STOP]), word)
            children = [child for _, child in self._children]
        for child in children:
            child._stop(word)

    @property
    def cancelled(self) -> bool:
        return bool(self.control[STOP] == CANCEL)

    @property
    def finishing(self) -> bool:
        """Whether the run should stop soon and return the best so far."""
        return bool(self.control[STOP] != RUN)

    @property
    def can_finish(self) -> bool:
        """Whether an early finish shortens this part; otherwise it drops the part."""
        return not self._finish_cancels

    def drop_when_finishing(self) -> None:
        """Have an early finish drop this part instead of shortening it."""
        self._finish_cancels = True

    def checkpoint(self) -> None:
        """Raise :class:`Cancelled` if the run was cancelled; cheap enough for every few milliseconds."""
        if self.control[STOP] == CANCEL:
            raise Cancelled

    def commit(self) -> None:
        """Mark the start of an irreversible action: later stops have no effect. Raises :class:`Cancelled`."""
        with self._lock:
            self.checkpoint()
            self._is_committed = True

    def check_may_open(self, path: str) -> None:
        """Raise :class:`UnreadFileError` if the file is named only by a loaded project or experiment."""
        unread = self.unread_files
        if path in unread:
            raise UnreadFileError([path], lambda: unread.discard(path))

    def progress(self) -> float | None:
        """The share of the work done, from 0 to 1; None while unknown."""
        with self._lock:
            children = [(weight, child) for weight, child in self._children if weight > 0]
        if children:
            whole = max(1.0, sum(weight for weight, _ in children))
            return min(1.0, sum(weight * (child.progress() or 0.0) for weight, child in children) / whole)
        total = int(self.control[TOTAL])
        return None if total <= 0 else min(1.0, int(self.control[DONE]) / total)

    def advance(self, done: int, total: int | None = None) -> None:
        """Set the number of steps done and, if given, their total."""
        if total is not None:
            self.control[TOTAL] = total
        self.control[DONE] = done

    def complete(self) -> None:
        """Mark this part as done."""
        self.advance(1, 1)
        self.say("")
        waits = self._merged_waits()
        with self._lock:
            self._children.clear()
            self._ended_waits = waits
        self._took = self.worked

    @property
    def worked(self) -> float:
        """Seconds since this part began, until it was completed, without :attr:`waited`."""
        return time.monotonic() - self._began_at - self.waited if self._took is None else self._took

    def parts_in_turn(self) -> list[PartDone]:
        """The parts begun so far, if they run one after another; else empty."""
        if not self.runs_parts_in_turn:
            return []
        with self._lock:
            children = [(weight, child) for weight, child in self._children if weight > 0]
        return [PartDone(weight, child.progress() or 0.0, child.worked) for weight, child in children]

    @property
    def message(self) -> str:
        """The current activity in a few words: that of the latest part with a message, else this context's own."""
        with self._lock:
            children = [child for _, child in self._children]
        return next((message for child in reversed(children) if (message := child.message)), self._message)

    @property
    def is_waiting(self) -> bool:
        """Whether the part that shows the message waits for something else, so that its speed means nothing."""
        with self._lock:
            children = [child for _, child in self._children]
        return next((child.is_waiting for child in reversed(children) if child.message), self._waits)

    def say(self, message: str, is_waiting: bool = False) -> None:
        """Set the current activity as text, and whether it is a wait for something else."""
        now = time.monotonic()
        with self._lock:
            if self._waits and not is_waiting:
                self._ended_waits.append((self._said_at, now))
            self._said_at = self._said_at if self._waits and is_waiting else now
            self._message, self._waits = message, is_waiting

    def say_slow(self, work: str) -> None:
        """Set the current activity to work that may take minutes."""
        self.say(f"{work}, which may take minutes")

    @property
    def waited(self) -> float:
        """Seconds of waits for something else, such as compilation; parts that wait at once count once."""
        return sum(end - begin for begin, end in self._merged_waits())

    def _merged_waits(self) -> list[Interval]:
        """The waits of this context and its parts, also one under way, ascending and disjoint."""
        with self._lock:
            waits, children = [*self._ended_waits], [child for _, child in self._children]
            if self._waits:
                waits.append((self._said_at, time.monotonic()))
        merged: list[Interval] = []
        for begin, end in sorted(waits + [one for child in children for one in child._merged_waits()]):
            if merged and begin <= merged[-1][1]:
                merged[-1] = merged[-1][0], max(end, merged[-1][1])
            else:
                merged.append((begin, end))
        return merged

    def publish(self, event: object) -> None:
        """Pass an intermediate result (a tested fold, a table) to the listener."""
        if self._listener is not None:
            self._listener(event)

    @contextmanager
    def overheard(self, hear: Listener) -> Iterator[None]:
        """While the context manager is open, ``hear`` gets all that is published here, before the listener."""
        before = self._listener

        def both(event: object) -> None:
            hear(event)
            if before is not None:
                before(event)

        self._listener = both
        try:
            yield
        finally:
            self._listener = before

    def child(
        self,
        weight: float,
        key: int,
        *,
        finish_cancels: bool = False,
        finish_forgotten: bool = False,
        same_seed: bool = False,
        listener: Listener | None = None,
    ) -> RunContext:
        """The context of a part that takes ``weight`` (0 to 1) of this run's work.

        ``key`` numbers the part among its siblings and determines its seed; with ``same_seed`` the part has this
        context's seed. With ``finish_cancels`` an early finish drops the part instead of shortening it. With
        ``finish_forgotten`` only a later finish affects the part, not an earlier one. A ``listener`` replaces that of
        the run.
        """
        own = np.random.SeedSequence(self.seeds.entropy, spawn_key=(*self.seeds.spawn_key, key))
        seeds = self.seeds if same_seed else own
        part = RunContext(seed=seeds, executor=self.executor, listener=listener or self._listener, workers=self.workers)
        part._finish_cancels = finish_cancels or self._finish_cancels
        part.kept, part.unread_files, part.passwords = self.kept, self.unread_files, self.passwords
        with self._lock:
            self._children.append((weight, part))
            word = int(self.control[STOP])
        if word == CANCEL or (word == FINISH and not finish_forgotten):
            part._stop(word)
        return part

    def once(self, name: str, make: Callable[[], R], is_whole: Callable[[R], bool] = lambda _: True) -> R:
        """The result of ``make``, or the stored one from an earlier run of this part.

        ``name`` distinguishes several results of a part. ``is_whole`` decides whether a result is stored. Nothing is
        stored if :attr:`kept` is None. The seed identifies the part, so all else about the run must be the same.
        """
        if self.kept is None:
            return make()
        key = self.seeds.entropy, self.seeds.spawn_key, name
        if key in self.kept:
            earlier: R = self.kept[key]
            return earlier
        result = make()
        if is_whole(result):
            self.kept[key] = result
        return result

    def random(self) -> np.random.Generator:
        """A random generator with this context's seed; each call returns the same sequence."""
        return np.random.default_rng(self.seeds)

    def map(self, f: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """``[f(item) for item in items]`` on the executor's threads, in order.

        The caller itself runs the parts that no thread has started, so that nested maps cannot deadlock. A cancelled
        run starts no further part. Once the running parts have ended, the first error or stop in order is raised.
        """

        def part(item: T) -> R:
            self.checkpoint()
            return f(item)

        todo = list(items)
        if self.executor is None or len(todo) < 2:
            return [part(item) for item in todo]
        futures = [self.executor.submit(part, item) for item in todo]
        return _gathered(part, todo, futures)

    def spread(self, f: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """As :meth:`map`, for parts that :meth:`call` their work: a few more at once than the workers can do.

        Each worker has one part ahead, so that it need not wait for the next.
        """
        if self.workers is None:
            return self.map(f, items)

        def part(item: T) -> R:
            self.checkpoint()
            return f(item)

        return self.workers.spread(part, list(items), self)

    def call(self, f: Callable[..., R], *values: Any) -> R:
        """``f(*values, self)``, by a worker if there are any: with the seed, stops and progress of this context.

        ``f`` is a function of a module and ``values`` are data sets and plain values, since both may travel to another
        process. There the context has no workers, so that parts of the part run where it runs.
        """
        return f(*values, self) if self.workers is None else self.workers.call(f, values, self)


def _gathered(f: Callable[[T], R], items: list[T], futures: list[Future[R]]) -> list[R]:
    own: dict[int, R] = {}
    try:
        for i, (item, future) in enumerate(zip(items, futures, strict=True)):
            if future.cancel():
                own[i] = f(item)
        return [own[i] if i in own else future.result() for i, future in enumerate(futures)]
    finally:
        for future in futures:
            future.cancel()
        wait([future for future in futures if not future.cancelled()])


class TimeLimit:
    """Time limit of a part; cancels the part's context when the time is over."""

    def __init__(self) -> None:
        self._over = threading.Event()

    @property
    def is_over(self) -> bool:
        return self._over.is_set()

    def reach(self, context: RunContext) -> None:
        """Stop the part."""
        self._over.set()
        context.cancel()


@contextmanager
def limited(context: RunContext, seconds: float | None) -> Iterator[TimeLimit]:
    """Cancels ``context`` after ``seconds`` (None: never) unless the block ends; then :attr:`TimeLimit.is_over`.

    What the context waits for meanwhile, such as compilation or workers, does not count.
    """
    limit = TimeLimit()
    if seconds is None:
        yield limit
        return
    begin, waited, ended = time.monotonic(), context.waited, threading.Event()

    def watch() -> None:
        left = seconds
        while not ended.wait(max(left, _TICK)):
            left = seconds - (time.monotonic() - begin) + (context.waited - waited)
            if left <= 0:
                limit.reach(context)
                return

    threading.Thread(target=watch, name="coppice-limit", daemon=True).start()
    try:
        yield limit
    finally:
        ended.set()
