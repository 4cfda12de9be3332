"""Workers of a Dask cluster, or processes of this computer, that do the parts of a run (extra ``cluster``).

:meth:`RunContext.call` gives a part to :meth:`Cluster.call`, which sends it to a worker (:mod:`worker_processes`). Data
sets are scattered once, by a hash of their content. While the part runs, this program asks each worker twice a second:
a question carries stops there; an answer carries progress, published events and kept results back. A worker gets parts
once it told its versions.

Dask turns functions (as names), values and answers into bytes by pickle, and a worker does whatever its scheduler asks.
So whoever can reach scheduler or workers can run code there: a cluster is for machines that trust each other. Processes
of this computer listen on the loopback address only, and demand a key (TLS) that only they and this program have.
Pickle is never read from a file here: these processes do not spill to disk.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, InvalidStateError, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from algorithms.core.errors import Cancelled, ClusterError, ParameterError, WorkersEndedError
from algorithms.core.extras import CLUSTER
from algorithms.core.run_control import CANCEL, STOP, RunContext, usable_cores
from algorithms.core.worker_processes import (
    KeptResult,
    PartAnswer,
    PartReport,
    PartRequest,
    SentData,
    data_digest,
    own_versions,
    processes_of_this_computer,
    report_parts,
    run_part,
    silence_dask,
    source_digest,
)
from algorithms.data.dataset import Dataset

T = TypeVar("T")
R = TypeVar("R")

PROCESSES: Final = "processes"
SCHEMES: Final = ("tcp", "tls")
MOST_PROCESSES: Final = 1024
CONNECTING_SECONDS: Final = 10.0
_GRACE_SECONDS: Final = 3.0
"""Seconds after which a connection is given up that has not noticed its own time limit."""
STARTING_SECONDS: Final = 120.0
ANSWER_SECONDS: Final = 10.0
"""Seconds in which a worker tells its versions; until then it gets no parts."""
ASK_SECONDS: Final = 0.5
"""Seconds between two questions to a worker."""
_TICK: Final = 0.05
"""Seconds between two looks at stops and answers."""
_LOOK_SECONDS: Final = 2.0
"""Seconds between two looks at which workers there are."""
_TELL_SECONDS: Final = 30.0
"""Seconds for which workers are told of a part that was stopped."""
MOST_AT_ONCE: Final = 256
"""Largest number of parts that wait for workers at once."""
_MOST_TRIES: Final = 10
"""How often a part is given away at most; it is given again if its worker ended, or the one with its data."""
_PROGRESS: Final = 1 << 20
DASK: Final = ("dask", "distributed")
SAME_VERSION: Final = "Install the same version on all computers."
_NO_COPPICE: Final = "has no Coppice, or an old one"


def check_address(text: str) -> None:
    """Raise :class:`ParameterError` unless the text is "processes", "processes:N" or "tcp://HOST:PORT"."""
    kind, colon, rest = text.partition(":")
    if kind == PROCESSES:
        if not colon or (rest.isascii() and rest.isdigit() and 1 <= int(rest[:9]) <= MOST_PROCESSES):
            return
        raise ParameterError(f"{text!r} names no number of processes.", remedy="Write processes or processes:2.")
    host, _, port = rest.removeprefix("//").rpartition(":")
    if kind not in SCHEMES or not rest.startswith("//") or not host or not (port.isascii() and port.isdigit()):
        raise ParameterError(
            f"{text!r} is no address of a cluster.",
            remedy="Write processes:2 for processes of this computer, or tcp://HOST:PORT as a Dask scheduler names it.",
        )


def check_usable(text: str) -> None:
    """As :func:`check_address`; raises :class:`MissingExtraError` if Dask is not installed."""
    check_address(text)
    CLUSTER.require("A cluster does the work", text, "Using it")


@contextmanager
def cluster_at(text: str, note: Callable[[str], object]) -> Iterator[Cluster]:
    """Context manager: the workers at an address, or as many processes of this computer as it says, until it ends.

    ``note`` gets sentences on versions that differ. Raises :class:`ClusterError`, and :class:`MissingExtraError`.
    """
    check_usable(text)
    silence_dask()
    if text.partition(":")[0] == PROCESSES:
        n = int(text.partition(":")[2] or usable_cores())
        with (
            processes_of_this_computer(n) as (address, security),
            Cluster(address, note, security=security, n_expected=n) as cluster,
        ):
            yield cluster
    else:
        with Cluster(text, note) as cluster:
            yield cluster


class ClusterOnDemand:
    """A cluster that is reached when its first part is given, and again after its connection was lost."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.notes: deque[str] = deque()
        """Sentences on versions that differ, which nobody has shown yet."""
        self._stack = ExitStack()
        self._cluster: Cluster | None = None
        self._reaching: Future[Cluster] | None = None
        self._is_closed = False
        self._lock, self._in_stack = threading.Lock(), threading.Lock()

    def n_threads(self, context: RunContext) -> int:
        """As :meth:`Cluster.n_threads`."""
        return self._reached(context).n_threads(context)

    def spread(self, f: Callable[[T], R], items: Sequence[T], context: RunContext) -> list[R]:
        """As :meth:`Cluster.spread`."""
        return self._reached(context).spread(f, items, context)

    def call(self, f: Callable[..., R], values: Sequence[Any], context: RunContext) -> R:
        """As :meth:`Cluster.call`."""
        return self._reached(context).call(f, values, context)

    def _reached(self, context: RunContext) -> Cluster:
        """The cluster. A thread reaches it, and goes on after a stop of the ``context``, for the next run."""
        with self._lock:
            if self._is_closed:
                raise Cancelled
            if self._cluster is not None and self._cluster.is_connected:
                return self._cluster
            if self._reaching is None or self._reaching.done():
                new = self._reaching = Future[Cluster]()
                threading.Thread(target=self._reach, args=(new,), name="coppice-reaches", daemon=True).start()
            reaching = self._reaching
        waiting = context.child(0.0, 0)
        waiting.say("Starting workers" if self.address.startswith(PROCESSES) else "Connecting to the cluster", True)
        try:
            while not wait([reaching], _TICK).done:
                context.checkpoint()
                if self._is_closed:
                    raise Cancelled
            return reaching.result()
        finally:
            waiting.complete()

    def _reach(self, reaching: Future[Cluster]) -> None:
        try:
            with self._in_stack:
                self._stack.close()
                if self._is_closed:
                    raise Cancelled
                self._cluster = self._stack.enter_context(cluster_at(self.address, self.notes.append))
            reaching.set_result(self._cluster)
        except BaseException as error:
            reaching.set_exception(error)

    def close(self) -> None:
        """End the connection, and processes of this computer; parts that run raise :class:`ClusterError`."""
        with self._lock:
            self._is_closed = True
        with self._in_stack:
            self._stack.close()


class _GivenPart:
    """A part that a worker does, seen from here."""

    def __init__(self, context: RunContext) -> None:
        self.context = context
        self.n_heard = 0
        self.failure: BaseException | None = None
        """What a listener raised while the part ran; the part raises it."""
        self.among: list[str] | None = None
        """The workers that may get it, in this try; None: all."""
        self.worker = ""
        """The worker that told of it last, in this try."""
        self.is_lost = False
        """Whether it may be with a worker that does no parts, in this try; such a try does not count."""
        self._is_over = False
        self._lock = threading.RLock()

    def begin_try(self) -> None:
        self.among, self.worker, self.is_lost = None, "", False

    def hear(self, n_before: int, events: Sequence[Any]) -> None:
        """Publish the new events; a part that is started again repeats its first ones."""
        with self._lock:
            new = events[max(0, self.n_heard - n_before) :]
            self.n_heard += len(new)
            for event in new:
                if not isinstance(event, KeptResult):
                    self.context.publish(event)
                elif self.context.kept is not None:
                    self.context.kept[event.key] = event.value

    def report(self, worker: str, told: PartReport) -> None:
        """Show what its ``worker`` tells while it runs."""
        with self._lock:
            if self._is_over or self.failure is not None:
                return
            self.worker = worker
            try:
                if told.progress is not None:
                    self.context.advance(round(told.progress * _PROGRESS), _PROGRESS)
                self.context.say(told.message, told.is_waiting)
                self.hear(told.n_before, told.events)
            except BaseException as error:
                self.failure = error

    def check(self) -> None:
        """Raise what a listener raised."""
        if self.failure is not None:
            raise self.failure

    def end(self) -> None:
        """Show nothing more of it: a late report would undo what its caller says."""
        with self._lock:
            self._is_over = True


class Cluster:
    """The workers of a Dask scheduler; a context manager. See :class:`algorithms.core.run_control.Workers`."""

    def __init__(
        self, address: str, note: Callable[[str], object], *, security: Any = None, n_expected: int = 1
    ) -> None:
        self.address, self._note = address, note
        self._own = security is not None
        self._client: Any = _connected(address, security)
        self._given: dict[str, _GivenPart] = {}
        self._dropped: dict[str, float] = {}
        """When parts were given up that may run; workers are told for a while that these are to stop."""
        self._failure: BaseException | None = None
        """What ended the watching thread, which ends every part."""
        self._present: dict[str, int] = {}
        self._threads: dict[str, int] = {}
        """The workers that get parts, with their numbers of threads; ``_present`` are all of the scheduler."""
        self._refused: dict[str, str] = {}
        """Why workers get no parts."""
        self._joining: dict[str, tuple[Future[Any], float]] = {}
        """Workers that were asked for their versions, and when."""
        self._told: set[str] = set()
        """Sentences that were passed on."""
        self._asked: dict[str, tuple[Future[Any] | None, float]] = {}
        self._of_data: WeakKeyDictionary[Dataset, Any] = WeakKeyDictionary()
        self._of_digest: WeakValueDictionary[str, Any] = WeakValueDictionary()
        self._lost_data: set[str] = set()
        """Keys of data sets that no worker holds any more; they are sent again."""
        self._scattering = threading.Lock()
        self._changed = threading.Condition()
        self._closing = threading.Event()
        self.n_scattered = 0
        """How many data sets were sent; each travels once."""
        try:
            self._begin(n_expected)
        except BaseException:
            self._client.close()
            raise
        self._watcher = threading.Thread(target=self._watch, name="coppice-cluster", daemon=True)
        self._watcher.start()

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._watcher.join()
        if not self._own:
            self._stop_rest()
        with suppress(OSError, RuntimeError):
            self._client.close()

    def n_threads(self, _context: RunContext) -> int:
        """As :meth:`Workers.n_threads`."""
        return max(1, sum(self._threads.values()))

    @property
    def is_connected(self) -> bool:
        return self._failure is None and self._client.status in ("running", "connecting")

    # ---- beginning -------------------------------------------------------------------------------------------------

    def _begin(self, n_expected: int) -> None:
        """Wait for the workers, and compare versions."""
        timeout: Any = (TimeoutError, asyncio.TimeoutError)
        self._check_scheduler()
        try:
            self._client.wait_for_workers(n_expected, timeout=STARTING_SECONDS if self._own else CONNECTING_SECONDS)
        except timeout as error:
            raise ClusterError(
                f"The cluster at {self.address} has no workers.", remedy=f"Start some: dask worker {self.address}"
            ) from error
        self._set_workers(self._client.nthreads())
        begin, notes = time.monotonic(), list[str]()
        while self._joining and time.monotonic() - begin < ANSWER_SECONDS + _TICK:
            wait([answer for answer, _ in self._joining.values()], _TICK)
            notes += self._take_in()
        if not self._threads:
            for worker, fault in self._refused.items():
                raise ClusterError(f"The worker {worker} {fault}.", remedy=SAME_VERSION)
            sentence = notes[0] if notes else f"No worker at {self.address} answers."
            raise ClusterError(sentence, remedy="Restart the workers.")
        self._tell(notes)

    def _tell(self, notes: Sequence[str]) -> None:
        """Pass on sentences on workers, each once: a worker that is asked again may answer the same."""
        for note in notes:
            if note not in self._told:
                self._told.add(note)
                self._note(note)

    def _check_scheduler(self) -> None:
        """Raise :class:`ClusterError` if the scheduler does not answer, or has another Dask."""
        try:
            packages = self._sent(self._client.scheduler.versions).result(ANSWER_SECONDS)["packages"]
        except Exception as error:  # one of another version may answer anything
            raise ClusterError(f"The scheduler at {self.address} does not answer.", remedy="Restart it.") from error
        own = own_versions()
        for name in DASK:
            if packages.get(name) != own[name]:
                other = f"{name} {packages.get(name)}, this program has {own[name]}"
                raise ClusterError(f"The scheduler at {self.address} has {other}.", remedy=SAME_VERSION)

    # ---- workers that join and leave -------------------------------------------------------------------------------

    def _set_workers(self, workers: Mapping[str, int]) -> None:
        """Take note of the workers that there are now, with their threads; ask new ones for their versions."""
        with self._changed:
            self._present = dict(workers)
            self._threads = {worker: n for worker, n in workers.items() if worker in self._threads}
            self._refused = {worker: why for worker, why in self._refused.items() if worker in workers}
            self._joining = {worker: asked for worker, asked in self._joining.items() if worker in workers}
            self._ask_versions(workers.keys() - self._threads.keys() - self._refused.keys() - self._joining.keys())
            self._changed.notify_all()

    def _ask_versions(self, workers: Collection[str]) -> None:
        for worker in workers:
            answer = self._sent(self._client.run, own_versions, workers=[worker], on_error="return", asynchronous=True)
            self._joining[worker] = answer, time.monotonic()

    def _take_in(self) -> list[str]:
        """Accept joining workers with the versions of this program and refuse others; returns sentences on them."""
        notes = list[str]()
        for worker, (answer, since) in [*self._joining.items()]:
            if answer.done():
                notes.append(self._take(worker, answer))
            elif time.monotonic() - since > ANSWER_SECONDS:
                with self._changed:
                    self._joining[worker] = answer, math.inf
                    self._threads.pop(worker, None)
                    self._give_again(worker)
                    self._changed.notify_all()
                notes.append(f"The worker {worker} gets no parts until it answers.")
        return [*filter(None, notes)]

    def _take(self, worker: str, answer: Future[Any]) -> str:
        """Give parts to a worker that told its versions, if these are right; a sentence if any differs."""
        told: Any = OSError()
        with suppress(Exception):  # one that left is forgotten
            told = answer.result()[worker]
        versions = told if isinstance(told, dict) else {}
        is_final = bool(versions) or isinstance(told, AttributeError | ImportError)  # others are asked again
        fault = version_fault(versions) if versions else untold_fault(told)
        with self._changed:
            self._joining.pop(worker, None)
            if fault and is_final:
                self._threads.pop(worker, None)
                self._refused[worker] = fault
                self._give_again(worker)
            elif versions and worker in self._present:
                self._threads[worker] = self._present[worker]
            self._changed.notify_all()
        if fault:
            return f"The worker {worker} gets no parts: it {fault}."
        return version_note(worker, versions) if versions else ""

    def _give_again(self, worker: str) -> None:
        """Give the parts again that this worker may have got, unless one that does parts told of them."""
        present = self._present.keys() - self._refused.keys()
        for part in [*self._given.values()]:
            if part.worker not in present and (part.among is None or worker in part.among):
                part.is_lost = True

    def _check_again(self, part: _GivenPart) -> bool:
        """Ask the workers for their versions again, as one may have been replaced.

        Returns whether one is refused now that may have done the ``part``, which then is to be given again.
        """
        self._set_workers(self._lost_unless(self._client.nthreads))
        with self._changed:
            self._ask_versions(self._threads.keys() - self._joining.keys())
            asked = {worker for worker, (_, since) in self._joining.items() if since < math.inf}
            self._changed.wait_for(lambda: self._joining.keys().isdisjoint(asked), ANSWER_SECONDS)
            part.is_lost = any(part.among is None or worker in part.among for worker in self._refused)
            return part.is_lost

    # ---- giving parts away -----------------------------------------------------------------------------------------

    def spread(self, f: Callable[[T], R], items: Sequence[T], context: RunContext) -> list[R]:
        """As :meth:`RunContext.spread`: parts begin as there is room, also on workers that join meanwhile.

        After an error no later part begins, and after a :class:`ClusterError` none at all.
        """
        n_inside = 0
        failed: tuple[int, BaseException] | None = None

        def has_room() -> bool:
            return n_inside < self.n_threads(context) + len(self._threads)  # one ahead of each worker

        def inside(index: int) -> R:
            nonlocal n_inside, failed
            with self._changed:
                self._changed.wait_for(has_room)
                if failed is not None and (failed[0] < index or isinstance(failed[1], ClusterError)):
                    raise failed[1]
                n_inside += 1
            try:
                return f(items[index])
            except BaseException as error:
                with self._changed:
                    if failed is None or index < failed[0]:
                        failed = index, error
                raise
            finally:
                with self._changed:
                    n_inside -= 1
                    self._changed.notify_all()

        if len(items) < 2:
            return [f(item) for item in items]
        with ThreadPoolExecutor(min(len(items), MOST_AT_ONCE), thread_name_prefix="coppice-waits") as pool:
            futures = [pool.submit(inside, index) for index in range(len(items))]
            try:
                return [future.result() for future in futures]
            finally:
                for future in futures:
                    future.cancel()

    def call(self, f: Callable[..., R], values: Sequence[Any], context: RunContext) -> R:
        """As :meth:`RunContext.call`. Raises :class:`ClusterError` if the scheduler is lost."""
        part = _GivenPart(context)
        try:
            n_tries = 0
            while n_tries < _MOST_TRIES:
                context.checkpoint()
                answer = self._tried(f, values, part)
                part.check()
                if answer is not None:
                    part.hear(answer.n_before, answer.events)
                    if answer.outcome == "done":
                        result: R = answer.value
                        return result
                    self._raise_for(answer, part)
                n_tries += not part.is_lost
        finally:
            part.end()
        raise _ended(_MOST_TRIES)

    def _raise_for(self, answer: PartAnswer, part: _GivenPart) -> None:
        """Raise what ended a part that has no value, unless it is to be given away again."""
        if answer.outcome == "error":
            kind, sentence, remedy, place = answer.value
            raise kind(sentence, remedy=remedy, place=place)
        part.context.checkpoint()
        if answer.outcome == "unread":
            for path in answer.value:
                part.context.check_may_open(path)
        elif answer.outcome == "refused":
            self._check_again(part)

    def _tried(self, f: Callable[..., Any], values: Sequence[Any], part: _GivenPart) -> PartAnswer | None:
        """The answer to a part; None if the cluster lost it or its data, so that the caller must send it again."""
        id, context, seeds = uuid.uuid4().hex, part.context, part.context.seeds
        kept, unread = _kept_below(context), frozenset(context.unread_files)
        request = PartRequest(id, source_digest(), seeds.entropy, seeds.spawn_key, context.can_finish, kept, unread)
        ended = threading.Event()
        part.begin_try()
        self._wait_for_workers(part, ended)
        try:
            sent = [self._scattered(value) if isinstance(value, Dataset) else value for value in values]
        except (ClusterError, KeyError):
            if self._client.status != "running":
                raise
            ended.wait(ASK_SECONDS)  # the worker left that was to get the data
            return None
        with self._changed:
            if not self._threads:
                part.is_lost = True
                return None
            part.among = [*self._threads] if self._refused or self._joining else None
            self._given[id] = part
        future: Any = None
        try:
            future = self._lost_unless(
                lambda: self._client.submit(
                    run_part, request, f, *sent, key=f"coppice-{id}", pure=False, workers=part.among
                )
            )
            future.add_done_callback(lambda _: ended.set())
            while not ended.wait(_TICK):
                self._wait_for_workers(part, ended)
                if part.is_lost or (part.among and self._present.keys().isdisjoint(part.among)):  # they left
                    return None
            return self._answer(future, values, sent, part)
        finally:
            self._given.pop(id, None)
            if future is not None and not ended.is_set():
                self._dropped[id] = time.monotonic()
                with suppress(Exception):  # the client may just have closed
                    future.cancel()

    def _wait_for_workers(self, part: _GivenPart, ended: threading.Event) -> None:
        """Wait until there are workers, or the part ended, and say so; raises what ends the wait."""

        def check() -> None:
            part.check()
            part.context.checkpoint()
            self._check_connected()

        check()
        if self._threads:
            return
        part.context.say("Waiting for workers", is_waiting=True)
        try:
            while not self._threads and not ended.wait(_TICK):
                check()
        finally:
            part.context.say("")

    def _answer(self, future: Any, values: Sequence[Any], sent: Sequence[Any], part: _GivenPart) -> PartAnswer | None:
        """The answer of a part that ended; None if it or its data were lost."""
        if future.status == "finished":
            with suppress(
                asyncio.CancelledError, CancelledError, OSError
            ):  # its worker left before it handed the answer over
                answer: PartAnswer = future.result()
                return answer
        elif future.status == "error":
            error = future.exception()
            if type(error).__name__ == "KilledWorker":
                raise _ended(error.allowed_failures + 1)
            if not self._check_again(part):  # another version may lack what was named
                raise error
            return None
        self._check_connected()
        with self._scattering:  # perhaps the data went with the last worker that held them
            for value, used in zip(values, sent, strict=True):
                if isinstance(value, Dataset) and self._of_data[value] is used:
                    self._lost_data.add(used.key)  # no cancel: it would end other parts with these data
        return None

    def _lost_unless(self, act: Callable[[], R]) -> R:
        """The result of a request to the scheduler; raises :class:`ClusterError` if it is gone."""
        self._check_connected()
        timeout: Any = (TimeoutError, asyncio.TimeoutError, asyncio.CancelledError)
        try:
            return act()
        except (OSError, *timeout) as error:
            raise _lost(self.address) from error
        except Exception as error:
            if self.is_connected:
                raise
            raise _lost(self.address) from error  # a client that has closed lacks its scheduler

    def _check_connected(self) -> None:
        if self._failure is not None:
            words = f"{type(self._failure).__name__}: {self._failure}"
            raise ClusterError(f"The watch over the cluster ended by an error: {words}.") from self._failure
        if not self.is_connected:
            raise _lost(self.address)

    def _scattered(self, data: Dataset) -> Any:
        """The data set on the cluster, sent to a worker if its content is not there yet; others fetch it there."""
        with self._scattering:
            future = self._of_data.get(data)
            if future is None or future.key in self._lost_data:
                key = f"coppice-data-{source_digest()}-{data_digest(data)}"
                future = self._of_digest.get(key)
                if future is None or key in self._lost_data:
                    scatter = self._client.scatter  # no broadcast: it never ends if a worker leaves meanwhile
                    workers = [*self._threads] or None
                    future = self._lost_unless(lambda: scatter({key: SentData(data)}, workers=workers)[key])
                    self.n_scattered += 1
                    self._lost_data.discard(key)
                self._of_data[data] = self._of_digest[key] = future
            return future

    # ---- asking for what runs --------------------------------------------------------------------------------------

    def _watch(self) -> None:
        """Look after workers and parts until the end; an error of it ends the parts too, which else wait forever."""
        try:
            self._look()
        except BaseException as error:
            with self._changed:
                self._failure = error
                self._changed.notify_all()

    def _look(self) -> None:
        looking: Future[Any] | None = None
        looked = 0.0
        while self.is_connected and not self._closing.wait(_TICK):
            now = time.monotonic()
            if looking is not None and looking.done():
                with suppress(Exception):  # the next look tells
                    workers = looking.result()["workers"]
                    self._set_workers({worker: int(about["nthreads"]) for worker, about in workers.items()})
                looking = None
            if looking is None and now - looked > _LOOK_SECONDS:
                looking, looked = self._sent(lambda: self._client.scheduler.identity(n_workers=-1)), now
            self._tell(self._take_in())
            self._take_answers()
            self._ask(now)

    def _ask(self, now: float) -> None:
        """Ask the workers for their parts, and tell them of stops: each one that has answered, after a while."""
        for id, since in [*self._dropped.items()]:
            if now - since > _TELL_SECONDS:
                del self._dropped[id]
        asked = {id: (int(part.context.control[STOP]), part.n_heard) for id, part in [*self._given.items()]}
        asked |= dict.fromkeys([*self._dropped], (CANCEL, 0))
        if not asked:
            return
        for worker in [*self._threads]:
            open_question, at = self._asked.get(worker, (None, 0.0))
            if open_question is None and now - at > ASK_SECONDS:
                answer = self._sent(
                    self._client.run, report_parts, asked, workers=[worker], on_error="return", asynchronous=True
                )
                self._asked[worker] = answer, now

    def _take_answers(self) -> None:
        for worker, (answer, at) in [*self._asked.items()]:
            if answer is None or not answer.done():
                continue
            self._asked[worker] = None, at
            told: Any = None
            with suppress(Exception):  # a worker that left; its parts are given to others
                told = answer.result()[worker]
            for id, report in told.items() if isinstance(told, dict) else ():
                if (part := self._given.get(id)) is not None:
                    part.report(worker, report)

    def _sent(self, ask: Callable[..., Any], *values: Any, **options: Any) -> Future[Any]:
        """The answer to a question, which is asked in the client's thread."""

        async def asked() -> Any:
            return await ask(*values, **options)

        return asyncio.run_coroutine_threadsafe(asked(), self._client.loop.asyncio_loop)

    def _stop_rest(self) -> None:
        """Tell the workers of others to stop what was not waited for."""
        words = dict.fromkeys([*self._given, *self._dropped], (CANCEL, 0))
        if words and self._client.status == "running":
            with suppress(Exception):  # the workers notice by themselves, later
                self._sent(self._client.run, report_parts, words, on_error="ignore", asynchronous=True).result(2)


def _connected(address: str, security: Any) -> Any:
    """The client of the scheduler at an address; raises :class:`ClusterError` if none answers.

    A thread connects, since Dask waits forever for what another kind of server answers.
    """
    distributed: Any = import_module("distributed")
    connecting, client = Future[Any](), distributed.Client.__new__(distributed.Client)

    def connect() -> None:
        try:
            client.__init__(
                address, timeout=CONNECTING_SECONDS, security=security, set_as_default=False, name="coppice"
            )
        except BaseException as error:
            client.status = "closed"  # else it is closed when it is collected, which fails after 20 s
            with suppress(InvalidStateError):
                connecting.set_exception(error)
            return
        try:
            connecting.set_result(client)
        except InvalidStateError:
            client.close()

    try:
        is_bare = security is None and address.startswith("tls://")
        if is_bare and distributed.Security().get_connection_args("client")["ssl_context"] is None:
            raise ValueError
        threading.Thread(target=connect, name="coppice-connects", daemon=True).start()
        return connecting.result(CONNECTING_SECONDS + _GRACE_SECONDS)
    except TypeError as error:  # it does not know a question
        raise ClusterError(f"The scheduler at {address} has another version of Dask.", remedy=SAME_VERSION) from error
    except (OSError, ValueError, RuntimeError) as error:
        if connecting.cancel():
            with suppress(AttributeError):  # it has no loop yet
                client.loop.add_callback(_cancel_tasks)
        remedy = "Check the address: `dask scheduler` prints it when it starts."
        if address.startswith("tls://") and not isinstance(error, TimeoutError):
            remedy = "Name the certificates in the configuration of Dask: distributed.comm.tls."
        raise ClusterError(f"No Dask scheduler answers at {address}.", remedy=remedy) from error


def _cancel_tasks() -> None:
    """Cancel what runs on the loop of this thread."""
    for task in asyncio.all_tasks():
        task.cancel()


def _ended(n_times: int) -> WorkersEndedError:
    remedy = "Perhaps it needs more memory than a worker has."
    return WorkersEndedError(f"The workers that did this part or held its data ended, {n_times} times.", remedy=remedy)


def _lost(address: str) -> ClusterError:
    return ClusterError(f"The connection to the cluster at {address} was lost.", remedy="Run it again when it is back.")


def _kept_below(context: RunContext) -> dict[Any, Any] | None:
    """The stored results of a part and its parts."""
    if context.kept is None:
        return None
    entropy, key = context.seeds.entropy, context.seeds.spawn_key
    return {of: value for of, value in [*context.kept.items()] if of[0] == entropy and of[1][: len(key)] == key}


def version_fault(versions: Mapping[str, str]) -> str:
    """Why a worker with these versions can do no part, as in "has no Coppice"; empty if it can.

    Another Coppice lacks functions or computes other numbers; a worker with another Dask may never answer.
    """
    own, theirs = own_versions(), versions.get("coppice")
    if theirs is None:
        return _NO_COPPICE
    if theirs != own["coppice"]:
        return f"has Coppice {theirs}, this program is {own['coppice']}"
    name = next((name for name in DASK if versions.get(name) != own[name]), None)
    return "" if name is None else f"has {name} {versions.get(name)}, this program has {own[name]}"


def untold_fault(answer: object) -> str:
    """Why a worker with this answer in place of its versions gets no parts; empty if the connection failed."""
    if isinstance(answer, OSError):
        return ""
    if isinstance(answer, AttributeError) or "algorithms" in str(answer):
        return _NO_COPPICE
    return f"cannot tell its versions ({type(answer).__name__}: {answer})"


def version_note(worker: str, versions: Mapping[str, str]) -> str:
    """A sentence on versions that may change the last digits of numbers; empty if all are those here."""
    pairs = [(name, versions.get(name), here) for name, here in own_versions().items()]
    differ = ", ".join(f"{name} {other} (here {here})" for name, other, here in pairs if other != here)
    return f"The worker {worker} has {differ}: its numbers may differ in the last digits." if differ else ""
