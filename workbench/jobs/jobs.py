"""Background jobs: started, watched and stopped, with an estimate of the time left.

Each job has its own thread, which hands parts to one shared pool of workers and works itself where none is free. So a
short job never queues behind a long one, and a job never runs on more threads than the machine has cores. Workers
append messages to an outbox and never touch Qt. The window's thread empties the outbox in slices of a few milliseconds,
so ten thousand events cannot stall it. Progress is not sent: one timer reads it.

A worker reads the frozen values that its job was given: data sets, results, settings of learners, copies made when the
job started. It never reads the session, its costs and decisions, a widget or a model of Qt: these change meanwhile. A
guard in the tests of the window raises where a worker does.

Python collects garbage in whichever thread allocates. A worker that collected a widget would destroy it outside the
window's thread, and Qt would crash. So automatic collection is off while a window exists, and a timer of the window's
thread collects.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from math import exp, sqrt
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from algorithms.core.errors import Cancelled, CoppiceError
from algorithms.core.run_control import PartDone, RunContext, thread_pool, usable_cores
from workbench.jobs.messages import TABLE, Messages

if TYPE_CHECKING:
    from algorithms.core.cluster import ClusterOnDemand

LEAST_SHARE: Final = 0.02
LEAST_SECONDS: Final = 0.3
"""Below this share or time there is no estimate."""
LEAST_TRIED: Final = 0.25
"""Before parts of so much of the work have begun to tell their pace, there is none either: quick ones come first."""
SETTLES_IN: Final = 0.25
"""The estimate follows a change of pace within about this share of the time left, ..."""
LEAST_TO_SETTLE: Final = 3.0
"""... and within at least this many seconds."""


STARTING_SECONDS: Final = 0.2
"""What a part takes to start, whatever its weight."""


class TimeEstimate:
    """Estimates the time left of work that began at ``now`` (seconds of a monotonic clock).

    The estimate moves smoothly from its last value towards the latest one. Where parts run in turn, the part under way
    goes on at its own pace, and those to come at one between the mean and the slowest so far: quick learners are tried
    first, so the mean alone foretells far too little. Waiting time does not count. Once the estimated time is over
    without progress, there is no estimate until the work goes on.
    """

    def __init__(self, now: float) -> None:
        self.is_waiting = False
        self._seen = now
        self._worked = 0.0
        """Seconds of work, without waiting, until :attr:`_seen`."""
        self._share = 0.0
        self._since_moved = 0.0
        self._left: float | None = None

    def seconds_left(self, share: float, now: float, is_waiting: bool, parts: Sequence[PartDone] = ()) -> float | None:
        """Estimated seconds from ``now`` to the end; ``share`` is the work done (0 to 1, below 0 for unknown).

        ``parts`` are those begun so far, if the work has parts that run in turn.
        """
        passed, self._seen = now - self._seen, now
        if not self.is_waiting:
            self._worked += passed
            self._since_moved += passed
        self.is_waiting = is_waiting
        if share != self._share:
            tried = sum(part.weight for part in parts if part.done >= 1 or _tells(part)) if parts else 1.0
            is_known = share > LEAST_SHARE and self._worked > LEAST_SECONDS and tried >= LEAST_TRIED
            self._left = self._settled(self._latest(share, parts)) if is_known else None
            self._share, self._since_moved = share, 0.0
        if is_waiting or self._left is None or self._since_moved > self._left:
            return None
        return self._left - self._since_moved

    def _latest(self, share: float, parts: Sequence[PartDone]) -> float:
        """Seconds left by the mean pace, or more by the paces of ``parts``."""
        mean = self._worked * (1 - share) / share
        if not parts:
            return mean
        told = [part for part in parts if _tells(part)]
        paces = [(part.seconds / part.done - STARTING_SECONDS) / part.weight for part in told]
        pace = sqrt(self._worked / share * max([self._worked / share, *paces]))
        under_way, to_come = parts[-1], max(0.0, 1.0 - sum(part.weight for part in parts))
        left = max(0.0, pace * under_way.weight - under_way.seconds)
        if under_way in told:
            left = under_way.seconds * (1 - under_way.done) / under_way.done
        return left + pace * to_come

    def _settled(self, latest: float) -> float:
        """Seconds left, part of the way from the last estimate to the ``latest`` one."""
        expected = 0.0 if self._left is None else self._left - self._since_moved
        if expected <= 0:
            return latest
        trust = 1 - exp(-self._since_moved / max(LEAST_TO_SETTLE, SETTLES_IN * latest))
        return expected + trust * (latest - expected)


def _tells(part: PartDone) -> bool:
    """Whether so much of a part is done that it tells its pace."""
    return part.done > LEAST_SHARE and part.seconds > LEAST_SECONDS


_log = logging.getLogger(__name__)
T = TypeVar("T")
Callback = Callable[[Any], object]
Quiet = Callable[[], object]

POLL_MS: Final = 60
POST_MS: Final = 8
SLICE_SECONDS: Final = 0.008
MOST_JOBS: Final = 32


class JobState(StrEnum):
    RUNNING = "running"
    FINISHING = "finishing"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(frozen=True, eq=False)
class Callbacks:
    """Called in the window's thread on the events of a job."""

    done: Callback | None = None
    failed: Callback | None = None
    stopped: Quiet | None = None
    event: Callback | None = None


class Job(QObject):
    """One piece of background work. All its signals are emitted in the window's thread."""

    progressed = Signal(float, str)
    """Share done (-1 while unknown) and the present step in words."""
    done = Signal(object)
    failed = Signal(object)
    stopped = Signal()
    finishable_changed = Signal()
    stop_moved = Signal()
    ended = Signal(object)
    """The job itself, after any of done, failed, stopped."""

    def __init__(
        self,
        title: str,
        context: RunContext,
        can_finish: bool,
        worth_asking: bool,
        callbacks: Callbacks,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._callbacks = callbacks
        self.title = title
        self.context = context
        self.can_finish = can_finish
        self.worth_asking = worth_asking
        self.kept = ""
        """What stays of the work if it is stopped, as a sentence for the question before that."""
        self.forecast: Callable[[], float | None] | None = None
        """Estimates the seconds left where the work knows more than its progress; None if only that is known."""
        self.state = JobState.RUNNING
        self._has_something = False
        self.has_stop_in_view = False
        """Whether the page in view has a Stop for it, so that the status line needs none."""
        self.future: Future[None] | None = None
        self._started = time.monotonic()
        self._ended_after: float | None = None
        self._shown: tuple[float, str, float | None] = (-1.0, "", None)
        self._pace = TimeEstimate(self._started)

    @property
    def is_running(self) -> bool:
        return self.state in (JobState.RUNNING, JobState.FINISHING)

    @property
    def is_finishable(self) -> bool:
        """Whether :meth:`finish` would give a result now."""
        return self.can_finish and self._has_something and self.state is JobState.RUNNING

    def set_has_something(self, has_something: bool) -> None:
        """Set whether finishing early would keep anything."""
        if has_something != self._has_something:
            self._has_something = has_something
            self.finishable_changed.emit()

    def set_stop_in_view(self, is_in_view: bool) -> None:
        if self.is_running and is_in_view != self.has_stop_in_view:
            self.has_stop_in_view = is_in_view
            self.stop_moved.emit()

    @property
    def progress(self) -> float:
        """Share done, -1 while unknown."""
        return self._shown[0]

    @property
    def seconds(self) -> float:
        """Duration so far, or total duration."""
        return time.monotonic() - self._started if self._ended_after is None else self._ended_after

    @property
    def seconds_left(self) -> float | None:
        """Estimated time left; None without an estimate."""
        return self._shown[2]

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for another job."""
        return self._pace.is_waiting

    def stop(self) -> None:
        """Stop the job at once; committed work, such as a renamed file, still ends as done."""
        if self.is_running:
            self.context.cancel()
            if self.context.cancelled:
                self._end(JobState.STOPPED)

    def drop(self) -> None:
        """End the job without waiting for its thread."""
        if self.is_running:
            self._end(JobState.STOPPED)

    def finish(self) -> None:
        """Ask the work to return its result so far."""
        if self.is_running and self.can_finish:
            self.state = JobState.FINISHING
            self.context.finish()
            self.finishable_changed.emit()

    def go_on(self) -> None:
        """The part that was asked to finish is done; the next part can be asked again."""
        if self.is_running:
            self.state, self._has_something = JobState.RUNNING, False
            self.finishable_changed.emit()

    def _end(self, state: JobState, value: object = None) -> None:
        """Set the final state, call the callbacks and release them."""
        self._ended_after = self.seconds
        self.state = state
        callbacks, self._callbacks = self._callbacks, Callbacks()
        try:
            if state is JobState.STOPPED:
                if callbacks.stopped is not None:
                    callbacks.stopped()
                self.stopped.emit()
            else:
                callback = callbacks.done if state is JobState.DONE else callbacks.failed
                if callback is not None:
                    callback(value)
                (self.done if state is JobState.DONE else self.failed).emit(value)
        finally:  # the job has ended even if a callback raises
            self.ended.emit(self)

    def poll(self) -> None:
        """Announce changed progress, and each second the time left."""
        progress = self.context.progress()
        share = -1.0 if progress is None else round(progress, 3)
        left = self._pace.seconds_left(share, time.monotonic(), self.context.is_waiting, self.context.parts_in_turn())
        left = left if self.forecast is None else self.forecast()
        shown = share, self.context.message, None if left is None else round(left, 1 if left < 1 else 0)
        if shown != self._shown:
            self._shown = shown
            self.progressed.emit(share, shown[1])

    def receive(self, state: JobState | None, value: object) -> None:
        """Take one message of the worker: an event (state None) or the end; a stopped job ignores it."""
        if not self.is_running:
            return
        if state is not None:
            self._end(state, value)
            return
        if self._callbacks.event is not None:
            self._callbacks.event(value)


WorkerMessages = deque[tuple[Job, JobState | None, object]]
"""Messages of workers in order, until the window's thread takes them. No Qt: a worker that waits for a lock of Qt,
while the window's thread holds it and waits for the interpreter, would wait for ever."""


class Jobs(QObject):
    """The running jobs and their threads."""

    started = Signal(object)
    ended = Signal(object)
    crashed = Signal(object)
    """The exception of a job that failed by a bug, not by something the user did."""

    def __init__(self, messages: Messages | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.messages = messages or Messages(self)
        self._running: list[Job] = []
        self.unread_files: set[str] = set()
        """Files named only by a project; no job may open them, see :class:`RunContext`."""
        self.chosen_files: set[str] = set()
        """Files and addresses that the user chose in this session, or allowed an experiment to read."""
        self.passwords: dict[str, str] = {}
        """Passwords of database servers by address, for the jobs of this session; see :class:`RunContext`."""
        self._held: dict[Future[None], object] = {}
        """Work of each thread, held so that the window's thread releases it last: it may own widgets."""
        self._drivers: ThreadPoolExecutor | None = None
        self._workers: ThreadPoolExecutor | None = None
        self._making_workers = threading.Lock()
        self.cluster: ClusterOnDemand | None = None
        """The workers to which jobs give their parts; None where they do all themselves."""
        self._closed = False
        self._outbox: WorkerMessages = deque()
        self._post = QTimer(self)
        self._post.setInterval(POST_MS)
        self._post.timeout.connect(self._drain)
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_MS)
        self._timer.timeout.connect(self._poll)

    @property
    def running(self) -> tuple[Job, ...]:
        """The running jobs, the oldest first."""
        return tuple(self._running)

    def executor(self) -> Executor | None:
        """The shared pool of workers, None after the end; the first call takes 0.1 s and is a job's."""
        with self._making_workers:
            if self._workers is None and not self._closed:
                self._workers = thread_pool(max(1, usable_cores() - 1), give_the_window_precedence)
            return self._workers

    def start(
        self,
        title: str,
        work: Callable[[RunContext], T],
        on_done: Callback | None = None,
        on_failed: Callback | None = None,
        on_stopped: Quiet | None = None,
        on_event: Callback | None = None,
        can_finish: bool = False,
        worth_asking: bool = False,
        seed: int = 0,
        says: str = "",
    ) -> Job:
        """Run ``work(context)`` in the background; its callbacks are called in this thread after this call returns.

        ``context`` publishes events and progress; :meth:`Job.stop` and :meth:`Job.finish` reach the work through it.
        ``says`` is what it does, in words, until the work says otherwise. Without ``on_failed`` an error becomes a
        message. Closing the window asks before it stops a job that is ``worth_asking`` about. A job without a title is
        not shown. After :meth:`shutdown` the job is stopped at once.
        """
        outbox = self._outbox

        def listen(event: object) -> None:
            outbox.append((job, None, event))

        context = RunContext(seed=seed, listener=listen, workers=self.cluster)
        context.unread_files, context.passwords = self.unread_files, self.passwords
        context.say(says)
        callbacks = Callbacks(on_done, on_failed or partial(self.show_error, about=title), on_stopped, on_event)
        job = Job(title, context, can_finish, worth_asking, callbacks, self)
        if self._closed:
            job.state = JobState.STOPPED
            return job
        job.ended.connect(self._forget)
        self._running.append(job)
        if self._drivers is None:
            self._drivers = ThreadPoolExecutor(
                MOST_JOBS, thread_name_prefix="coppice-job", initializer=give_the_window_precedence
            )
        job.future = self._drivers.submit(_run, outbox, self.executor, [(job, work)])
        self._held[job.future] = work
        self._timer.start()
        self._post.start()
        self.started.emit(job)
        return job

    def use_cluster(self, address: str) -> None:
        """Give the parts of jobs that start from now on to the workers at an address; none for an empty one."""
        before = self.cluster
        if before is not None and before.address == address:
            return
        self.cluster = None
        if address:
            from algorithms.core.cluster import ClusterOnDemand  # few need it, and the start does not wait for it

            self.cluster = ClusterOnDemand(address)
        if before is not None:
            futures = [future for future in self._held if not future.done()]
            _in_a_thread(before, futures).start()

    def stop_all(self) -> None:
        for job in self.running:
            job.stop()

    def shutdown(self, seconds: float = 2.0) -> bool:
        """Stop every job and end every thread; returns whether all ended within ``seconds``."""
        self._closed = True
        self.stop_all()
        self._timer.stop()
        self._post.stop()
        if self.cluster is not None:  # its parts raise, as if it were gone
            _in_a_thread(self.cluster, ()).start()
        _, late = wait(self._held, timeout=seconds)
        for pool in (self._drivers, self._workers):
            if pool is not None:
                pool.shutdown(wait=not late, cancel_futures=True)
        while self._outbox:  # committed work still ends as done
            self._receive_next()
        for job in self.running:
            job.drop()
        return not late

    def _drain(self) -> None:
        while self.cluster is not None and self.cluster.notes:
            self.messages.warn(self.cluster.notes.popleft())
        until = time.monotonic() + SLICE_SECONDS
        while self._outbox and time.monotonic() < until:
            self._receive_next()
        if not self._running and not self._outbox:
            self._let_go()
            if not self._held:
                self._post.stop()

    def _receive_next(self) -> None:
        job, state, value = self._outbox.popleft()
        job.receive(state, value)

    def _let_go(self) -> None:
        self._held = {future: work for future, work in self._held.items() if not future.done()}

    def _poll(self) -> None:
        for job in self.running:
            job.poll()

    def _forget(self, job: Job) -> None:
        if job in self._running:
            self._running.remove(job)
        self._let_go()
        if not self._running:
            self._timer.stop()
        if job.state is JobState.DONE and job.title:
            self.messages.mended(job.title)
        self.ended.emit(job)
        job.deleteLater()

    def show_error(
        self, error: object, about: str = TABLE, instead: Callback | None = None, try_again: Quiet | None = None
    ) -> None:
        """Show an error as a message with an offer to try again, or give it to ``instead``; report others as bugs."""
        if not isinstance(error, CoppiceError):
            self.report_bug(error)
        elif instead is not None:
            instead(error)
        else:
            self.messages.error(error, about, try_again)

    def report_bug(self, error: object) -> None:
        """Log an unexpected error and emit :attr:`crashed`."""
        _log.error("a job failed", exc_info=error if isinstance(error, BaseException) else None)
        self.crashed.emit(error)


def _in_a_thread(cluster: ClusterOnDemand, users: Sequence[Future[None]]) -> threading.Thread:
    """A thread that closes a cluster once its users have ended; that may take seconds."""

    def close() -> None:
        wait(users)
        cluster.close()

    return threading.Thread(target=close, name="coppice-leaves-cluster", daemon=True)


def _run(
    outbox: WorkerMessages,
    executor: Callable[[], Executor | None],
    held: list[tuple[Job, Callable[[RunContext], object]]],
) -> None:
    """In the job's thread: do the work and release it before the thread ends, see ``Jobs._held``."""
    job, work = held.pop()
    state: JobState = JobState.STOPPED
    value: object = None
    try:
        job.context.checkpoint()
        job.context.executor = executor()
        value = work(job.context)
        state = JobState.DONE
    except Cancelled:
        value = None
    except BaseException as error:  # else the job would seem to run for ever
        state, value = JobState.FAILED, error
    outbox.append((job, state, value))
    del job, work, value


class LatestTask:
    """One job at a time, of which the latest request wins: a new one stops the one before.

    ``work`` holds frozen values only, never the session. Callbacks come for the latest job only, and none after
    :meth:`stop`. Without ``jobs`` all work is done at once.
    """

    def __init__(self, jobs: Jobs | None) -> None:
        self._jobs = jobs
        self._job: Job | None = None
        self._key: tuple[object, ...] | None = None

    @property
    def is_running(self) -> bool:
        return self._job is not None and self._job.is_running

    def run(
        self,
        title: str,
        work: Callable[[RunContext], T],
        on_done: Callback | None = None,
        on_failed: Callback | None = None,
        on_stopped: Quiet | None = None,
        on_event: Callback | None = None,
        *,
        key: tuple[object, ...] | None = None,
        at_once: bool = False,
        can_finish: bool = False,
        seed: int = 0,
        says: str = "",
    ) -> None:
        """Stop the job before and start this one; see :meth:`Jobs.start`.

        ``key`` holds the inputs: a running job with the same inputs goes on instead. Short work is done ``at_once``,
        without a job; then ``on_failed`` gets expected errors only.
        """
        if key is not None and self._key is not None and self.is_running and are_same(key, self._key):
            return
        self.stop()
        if at_once or self._jobs is None:
            try:
                result = work(RunContext(seed=seed, listener=on_event))
            except CoppiceError as error:
                if on_failed is None:
                    raise
                on_failed(error)
            else:
                if on_done is not None:
                    on_done(result)
            return

        def end(callback: Callable[..., object] | None, *result: object) -> None:
            if self._job is job:
                self._job = self._key = None
                if callback is not None:
                    callback(*result)

        failed = partial(end, on_failed or partial(self._jobs.show_error, about=title))
        job = self._job = self._jobs.start(
            title,
            work,
            partial(end, on_done),
            failed,
            partial(end, on_stopped),
            on_event,
            can_finish=can_finish,
            seed=seed,
            says=says,
        )
        self._key = key

    def stop(self) -> None:
        """Stop the job that runs; nothing of it lands any more."""
        job, self._job, self._key = self._job, None, None
        if job is not None:
            job.stop()


def are_same(inputs: tuple[object, ...], others: tuple[object, ...]) -> bool:
    """Whether two keys hold identical arrays, and otherwise equal values."""
    return len(inputs) == len(others) and all(
        one is other or (not isinstance(one, np.ndarray) and one == other)
        for one, other in zip(inputs, others, strict=True)
    )


_NOTHING: Final = threading.Event()
BREATH_SECONDS: Final = 0.004
NICENESS: Final = 4
"""Added to the niceness of worker threads, on systems with a niceness per thread."""


def give_way() -> None:
    """Release the interpreter to the window; called every few milliseconds by workers in plain Python."""
    _NOTHING.wait(BREATH_SECONDS)


def give_the_window_precedence() -> None:
    """In a worker thread: give the window's thread precedence on a busy core; only Linux has this per thread."""
    if sys.platform == "linux":
        with suppress(OSError):
            window = os.getpriority(os.PRIO_PROCESS, os.getpid())
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), window + NICENESS)


GARBAGE_LOOK_MS: Final = 200
GARBAGE_YOUNG: Final = 5000
"""Net number of new containers that triggers a collection of the youngest generation."""
GARBAGE_MIDDLE: Final = 10
"""Collections of a generation per collection of the next older one."""
GARBAGE_SHARE: Final = 0.01
"""Largest share of time spent in full collections, which block the window."""


class GarbageCollector(QObject):
    """Collects garbage in its own thread; automatic collection is off from :meth:`begin` on."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._young = 0
        self._middle = 0
        self._not_before = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(GARBAGE_LOOK_MS)
        self._timer.timeout.connect(self.look)

    def begin(self) -> None:
        """Exclude all present objects from collection, and start."""
        gc.disable()
        gc.freeze()
        self._timer.start()

    def look(self) -> None:
        """Collect the generations that are due."""
        if gc.get_count()[0] < GARBAGE_YOUNG:
            return
        if self._young < GARBAGE_MIDDLE:
            gc.collect(0)
            self._young += 1
            return
        self._young = 0
        if self._middle < GARBAGE_MIDDLE or time.monotonic() < self._not_before:
            gc.collect(1)
            self._middle += 1
            return
        self._middle = 0
        start = time.monotonic()
        gc.collect()
        end = time.monotonic()
        self._not_before = end + (end - start) / GARBAGE_SHARE
