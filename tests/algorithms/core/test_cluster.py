"""Workers of a cluster: the numbers of this process, stops, and workers that end, hang or join."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.cli import main
from algorithms.core import cluster as clusters
from algorithms.core.cluster import (
    Cluster,
    ClusterOnDemand,
    check_address,
    cluster_at,
    version_fault,
    version_note,
)
from algorithms.core.errors import (
    Cancelled,
    ClusterError,
    DataError,
    ModelFileError,
    ParameterError,
    TimeLimitError,
    UnreadFileError,
    WorkersEndedError,
)
from algorithms.core.extras import CLUSTER
from algorithms.core.run_control import CANCEL, RunContext, thread_pool
from algorithms.core.worker_processes import (
    PartAnswer,
    PartReport,
    PartRequest,
    _RunningPart,
    data_digest,
    own_versions,
    silence_dask,
)
from algorithms.data.dataset import Dataset
from algorithms.evaluation.compare.permutation_test import shuffle_test
from algorithms.evaluation.methods.methods import CrossValidation, Holdout
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.runner import FoldDone, evaluate
from algorithms.evaluation.tuning.parameter_search import Tuned
from algorithms.experiments.experiment_file import CellState, ExperimentFile
from algorithms.experiments.running import CellEnded, read_declared, run_experiment
from algorithms.filters.discretize import Discretize
from tests.algorithms.experiments.grids import grid, learner, numbers, run_all
from tests.expected_texts import core as wording
from tests.house import ROOT
from tests.started_cluster import StartedCluster, started_cluster

needs_dask = pytest.mark.skipif(not CLUSTER.is_installed, reason="the extra cluster (Dask) is not installed")
"""Most tests share two worker processes, which take seconds to start."""


@pytest.fixture(scope="module")
def processes() -> Iterator[Cluster]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL", "15s")
        notes = list[str]()
        with cluster_at("processes:2", notes.append) as cluster:
            yield cluster
        assert_slow_only(notes)


def iris() -> Dataset:
    return builtin().samples.get("iris").make(None, 1, RunContext())


def arrays(result: EvaluationResult) -> tuple[bytes, ...]:
    return result.row_ids.tobytes(), result.decision.tobytes(), result.probabilities.tobytes(), result.folds.tobytes()


# ---- what workers do ------------------------------------------------------------------------------------------------


def where(context: RunContext) -> tuple[int, float, int]:
    """The process, a random number, and the number of threads that share the work there."""
    context.publish("begun")
    context.once("number", lambda: 7)
    return os.getpid(), float(context.random().random()), int(context.workers is None)


def work_until_stopped(context: RunContext) -> str:
    context.advance(1, 4)
    context.publish("begun")
    while not context.finishing:
        threading.Event().wait(0.01)
    context.checkpoint()
    return "finished"


def refuse(what: str, context: RunContext) -> None:
    raise DataError(f"No {what}.", remedy="Get some.", place="here") if what == "salt" else ValueError(what)


def out_of_time(context: RunContext) -> None:
    raise TimeLimitError("It took longer than 1 s.")


def open_file(path: str, context: RunContext) -> str:
    context.check_may_open(path)
    return path


def end_process(context: RunContext) -> None:
    os._exit(1)


def hang_once(marker: str, context: RunContext) -> str:
    """Hang the process as SIGSTOP does; the second time it is done."""
    if Path(marker).exists():
        return "done"
    Path(marker).touch()
    os.kill(os.getpid(), signal.SIGSTOP)
    return "went on"


@needs_dask
def test_folds_on_workers_have_the_numbers_of_this_process_and_data_travel_once(processes: Cluster) -> None:
    data, method, recipe = iris(), CrossValidation(folds=4), (Discretize(),)
    before = processes.n_scattered
    for id in ("c4.5", "linear-svm", "random-forest"):
        own = learner(id)
        here = evaluate(own, data, method, RunContext(seed=3), recipe=recipe)
        folds = list[Any]()
        context = RunContext(seed=3, workers=processes, listener=folds.append)
        there = evaluate(own, data, method, context, recipe=recipe)
        assert arrays(there) == arrays(here) and there.warnings == here.warnings
        assert sum(isinstance(event, FoldDone) for event in folds) == 4 and context.progress() == 1.0
    assert processes.n_scattered == before + 1


@needs_dask
def test_members_settings_and_permutations_on_workers_have_the_numbers_of_this_process(processes: Cluster) -> None:
    data, holdout = iris(), Holdout()
    learners = (learner("random-forest", members="4"), Tuned(base=learner("c4.5"), tried="min_leaf=1,5", folds=2))
    for own in learners:
        here = evaluate(own, data, holdout, RunContext(seed=3))
        there = evaluate(own, data, holdout, RunContext(seed=3, workers=processes))
        assert arrays(there) == arrays(here)
    run = evaluate(learner("naive-bayes"), data, holdout, RunContext(seed=3))
    here_test, there_test = (
        shuffle_test(run, data, RunContext(seed=4, workers=workers), planned=4) for workers in (None, processes)
    )
    assert here_test.scores.tobytes() == there_test.scores.tobytes()


@needs_dask
def test_a_part_has_its_seed_its_events_and_its_kept_results(processes: Cluster) -> None:
    events = list[Any]()
    context = RunContext(seed=5, workers=processes, listener=events.append)
    context.kept = {}
    part = context.child(1.0, 2)
    process, number, is_alone = part.call(where)
    assert process != os.getpid() and number == part.random().random() and is_alone
    assert events == ["begun"]
    assert context.kept == {(part.seeds.entropy, part.seeds.spawn_key, "number"): 7}


@needs_dask
def test_errors_of_the_user_and_of_the_program_come_back_as_they_are(processes: Cluster) -> None:
    context = RunContext(workers=processes)
    with pytest.raises(DataError) as caught:
        context.call(refuse, "salt")
    assert (caught.value.sentence, caught.value.remedy, caught.value.place) == ("No salt.", "Get some.", "here")
    with pytest.raises(ValueError, match="pepper"):
        context.call(refuse, "pepper")
    with pytest.raises(TimeLimitError):
        context.call(out_of_time)


@needs_dask
def test_a_worker_opens_no_file_that_only_a_project_names(processes: Cluster) -> None:
    path = "/" + "folder/" * 60 + "second.csv"
    context = RunContext(workers=processes)
    context.unread_files.add(path)
    with pytest.raises(UnreadFileError) as caught:
        context.call(open_file, path)
    caught.value.allow()
    assert context.call(open_file, path) == path


@needs_dask
def test_after_an_error_of_the_cluster_no_further_part_begins(processes: Cluster) -> None:
    begun = list[int]()

    def lost(number: int) -> None:
        begun.append(number)
        raise ClusterError("It is gone.")

    with pytest.raises(ClusterError):
        RunContext(workers=processes).spread(lost, range(50))
    assert 1 <= len(begun) <= 4  # one that runs and one ahead for each of two workers


@needs_dask
@pytest.mark.parametrize("finish", [True, False])
def test_both_stops_reach_a_part(processes: Cluster, finish: bool) -> None:
    context = RunContext(workers=processes)
    stop = context.finish if finish else context.cancel
    with context.overheard(lambda _: stop()):
        if finish:
            assert context.call(work_until_stopped) == "finished" and context.progress() == 0.25
        else:
            with pytest.raises(Cancelled):
                context.call(work_until_stopped)


@needs_dask
def test_a_worker_that_hangs_costs_only_what_it_did(processes: Cluster, tmp_path: Path) -> None:
    context = RunContext(workers=processes)
    assert context.call(hang_once, str(tmp_path / "begun")) == "done"


@needs_dask
def test_a_part_that_ends_its_workers_is_given_up_with_a_sentence(processes: Cluster) -> None:
    with pytest.raises(WorkersEndedError, match=wording.WORKERS_ENDED):
        RunContext(workers=processes).call(end_process)
    assert RunContext(workers=processes).call(where)[2]


@needs_dask
def test_processes_listen_on_the_loopback_address_only(processes: Cluster) -> None:
    import psutil

    own = psutil.Process()
    listening = [
        connection.laddr.ip
        for process in own.children(recursive=True)
        for connection in process.net_connections(kind="inet")
        if connection.status == psutil.CONN_LISTEN
    ]
    assert listening and set(listening) == {"127.0.0.1"}


@needs_dask
@pytest.mark.parametrize("is_here", [True, False])
def test_a_search_in_folds_in_an_experiment_goes_on_after_stops_with_the_same_numbers(
    processes: Cluster, tmp_path: Path, is_here: bool
) -> None:
    own = Tuned(base=learner("c4.5"), tried="min_leaf=1,5", folds=2)
    experiment = replace(grid(("sample:iris", "sample:wine"), ("zero-r",)), learners=(own, learner("zero-r")))
    with ExperimentFile.create(tmp_path / "whole.coppice-experiment", experiment, builtin()) as file:
        run_all(file)
        expected = numbers(file)
    workers = None if is_here else processes
    with ExperimentFile.create(tmp_path / "stopped.coppice-experiment", experiment, builtin()) as file:
        read = read_declared(builtin(), file.folder)
        for kind, stop in ((CellEnded, RunContext.finish), (FoldDone, RunContext.cancel)):
            context = RunContext(workers=workers)
            with context.overheard(partial(_stop_at, kind, stop, context)), suppress(Cancelled):
                run_experiment(file, context, read)
            assert CellState.DONE in [record.state for record in file.records().values()]
        run_experiment(file, RunContext(workers=workers), read)
        assert numbers(file) == expected


def _stop_at(kind: type, stop: Callable[[RunContext], None], context: RunContext, event: object) -> None:
    if isinstance(event, kind):
        stop(context)


@needs_dask
def test_a_full_disk_below_a_cluster_loses_no_cell(processes: Cluster, tmp_path: Path) -> None:
    with ExperimentFile.create(tmp_path / "grid.coppice-experiment", grid(), builtin()) as file:
        read = read_declared(builtin(), file.folder)
        file._connection.execute("PRAGMA max_page_count = 30")
        with pytest.raises(ModelFileError, match=wording.CANNOT_BE_WRITTEN):
            run_experiment(file, RunContext(workers=processes), read)
        assert {record.state for record in file.records().values()} >= {CellState.WAITING}
        file._connection.execute("PRAGMA max_page_count = 10000")
        run_experiment(file, RunContext(workers=processes), read)
        assert {record.state for record in file.records().values()} == {CellState.DONE}


# ---- workers that end and join -------------------------------------------------------------------------------------


@pytest.fixture
def started(tmp_path: Path) -> Iterator[StartedCluster]:
    with started_cluster(tmp_path) as cluster:
        yield cluster


def assert_slow_only(notes: list[str]) -> None:
    """A slow machine may keep a worker from answering; else nothing is to be said of workers."""
    assert [note for note in notes if wording.UNTIL_IT_ANSWERS not in note] == []


@needs_dask
def test_an_experiment_whose_workers_end_and_join_has_the_same_table(started: StartedCluster, tmp_path: Path) -> None:
    experiment = grid(("sample:iris", "sample:wine"), ("c4.5", "naive-bayes", "zero-r"), seeds=(1, 2))
    with ExperimentFile.create(tmp_path / "here.coppice-experiment", experiment, builtin()) as file:
        run_all(file)
        expected = numbers(file)
    first, _ = started.add_worker(), started.add_worker()
    n_ended, notes = 0, list[str]()

    def hear(event: object) -> None:
        nonlocal n_ended
        if isinstance(event, CellEnded):
            n_ended += 1
            if n_ended == 2:
                first.kill()
                started.add_worker()

    with (
        ExperimentFile.create(tmp_path / "there.coppice-experiment", experiment, builtin()) as file,
        cluster_at(started.address, notes.append) as cluster,
        thread_pool(2) as pool,
    ):
        context = RunContext(executor=pool, listener=hear, workers=cluster)
        run_experiment(file, context, read_declared(builtin(), file.folder))
        assert numbers(file) == expected and n_ended == len(expected)
    assert_slow_only(notes)


@needs_dask
def test_a_worker_with_another_version_that_joins_gets_no_parts(started: StartedCluster, tmp_path: Path) -> None:
    copy, notes = tmp_path / "other", list[str]()
    shutil.copytree(ROOT / "algorithms", copy / "algorithms", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    with (copy / "algorithms" / "core" / "errors.py").open("a") as file:
        file.write("# another version\n")
    good = started.add_worker()
    with cluster_at(started.address, notes.append) as cluster:
        started.add_worker(copy)
        context = RunContext(workers=cluster)
        while not notes:
            assert context.spread(lambda _: context.call(RunContext.progress), range(8)) == [None] * 8
        assert len(notes) == 1 and wording.GETS_NO_PARTS in notes[0]
        assert context.spread(lambda _: context.call(RunContext.progress), range(8)) == [None] * 8 and len(notes) == 1
    with cluster_at(started.address, notes.append) as cluster:
        assert len(notes) == 2 and wording.GETS_NO_PARTS in notes[1] and len(cluster._threads) == 1
        assert RunContext(workers=cluster).call(RunContext.progress) is None
    good.kill()
    good.wait()
    with pytest.raises(ClusterError, match=wording.SAME_VERSION), cluster_at(started.address, notes.append):
        pass


@needs_dask
def test_a_worker_that_hangs_at_the_start_gets_no_parts_until_it_answers(
    started: StartedCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "ANSWER_SECONDS", 1.0)
    notes = list[str]()
    hung, _ = started.add_worker(), started.add_worker()
    with cluster_at(started.address, notes.append) as cluster:
        while len(cluster._threads) < 2:
            threading.Event().wait(0.05)
    hung.send_signal(signal.SIGSTOP)
    with cluster_at(started.address, notes.append) as cluster:
        assert len(notes) == 1 and wording.UNTIL_IT_ANSWERS in notes[0]
        context = RunContext(workers=cluster)
        processes = context.spread(lambda _: context.call(where)[0], range(4))
        assert len(set(processes)) == 1
        hung.send_signal(signal.SIGCONT)
        while len(cluster._threads) < 2:
            threading.Event().wait(0.05)
        assert len(notes) == 1


@needs_dask
def test_a_lost_scheduler_is_one_sentence_and_cells_that_are_done_are_kept(
    started: StartedCluster, tmp_path: Path
) -> None:
    started.add_worker()
    experiment = grid(("sample:iris",), ("naive-bayes", "zero-r"), seeds=(1, 2, 3))

    notes = list[str]()

    def hear(event: object) -> None:
        if isinstance(event, CellEnded) and event.n_ended == 2:
            started.processes[0].kill()

    with (
        ExperimentFile.create(tmp_path / "grid.coppice-experiment", experiment, builtin()) as file,
        cluster_at(started.address, notes.append) as cluster,
    ):
        context = RunContext(listener=hear, workers=cluster)
        with pytest.raises(ClusterError, match=wording.CONNECTION_LOST):
            run_experiment(file, context, read_declared(builtin(), file.folder))
        states = [record.state for record in file.records().values()]
        assert states.count(CellState.DONE) >= 2 and set(states) == {CellState.DONE, CellState.WAITING}
        cluster._watcher.join(60)
        assert not cluster._watcher.is_alive() and cluster._failure is None
    assert_slow_only(notes)


# ---- which workers get parts, without workers ----------------------------------------------------------------------


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """A cluster of the workers "good" and "bad", of which "bad" has not told its versions; nobody watches over it."""
    client = SimpleNamespace(status="closed", nthreads=lambda: {"good": 1, "bad": 1})
    monkeypatch.setattr(clusters, "_connected", lambda *_: client)
    monkeypatch.setattr(Cluster, "_begin", lambda *_: None)
    cluster = Cluster("tcp://host:1", list[str]().append)
    cluster._watcher.join()
    client.status = "running"
    cluster._present, cluster._threads = {"good": 1, "bad": 1}, {"good": 1}
    return cluster


def given(cluster: Cluster, among: list[str] | None = None, worker: str = "") -> clusters._GivenPart:
    part = clusters._GivenPart(RunContext())
    part.among, part.worker = among, worker
    cluster._given[str(len(cluster._given))] = part
    return part


def answered(answer: object) -> Future[Any]:
    future = Future[Any]()
    future.set_result(answer)
    return future


def test_an_error_of_the_watching_thread_ends_what_waits_for_workers(
    bare: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare._threads = {}
    monkeypatch.setattr(bare, "_look", lambda: pytest.fail("of a note"))
    context = RunContext(workers=bare)
    late = threading.Timer(20, context.cancel)
    late.start()
    threading.Timer(0.1, bare._watch).start()
    with pytest.raises(ClusterError, match=wording.WATCH_ENDED):
        context.spread(lambda _: context.call(where), range(4))
    late.cancel()
    assert not bare.is_connected


def test_a_refused_worker_loses_only_the_parts_that_it_may_have_got(bare: Cluster) -> None:
    parts = [
        given(bare),
        given(bare, ["good", "bad"]),
        given(bare, ["good"]),
        given(bare, None, "good"),
        given(bare, None, "bad"),
    ]
    bare._joining["bad"] = answered({"bad": {"coppice": "9"}}), 0.0
    (note,) = bare._take_in()
    assert wording.GETS_NO_PARTS in note
    assert [part.is_lost for part in parts] == [True, True, False, False, True]


def test_a_part_is_given_again_however_many_workers_are_refused(bare: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    n_tries = 0

    def tried(_self: Cluster, _f: object, _values: object, part: clusters._GivenPart) -> PartAnswer | None:
        nonlocal n_tries
        n_tries += 1
        part.is_lost = n_tries < 20
        return None if part.is_lost else PartAnswer("done", "value", 0, [])

    monkeypatch.setattr(Cluster, "_tried", tried)
    assert bare.call(where, (), RunContext()) == "value" and n_tries == 20


def test_a_part_that_is_given_up_is_told_to_stop_for_a_while(bare: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = list[Any]()

    def submit(*_: Any, **_options: Any) -> Future[Any]:
        for other in bare._given.values():
            other.is_lost = True
        return Future()

    bare._client.submit, bare._client.run = submit, None
    monkeypatch.setattr(Cluster, "_sent", lambda _self, *values, **_options: sent.append(values) or Future())
    part = clusters._GivenPart(RunContext())
    assert bare._tried(where, (), part) is None and not bare._given
    (id,) = bare._dropped

    def told() -> list[Any]:  # the watching thread sends other questions too
        return [values[-1] for values in sent if isinstance(values[-1], dict)]

    since = bare._dropped[id]
    bare._ask(since + 1.0)
    assert told() and all(asked == {id: (CANCEL, 0)} for asked in told())
    bare._ask(since + clusters._TELL_SECONDS + 1.0)
    assert not bare._dropped
    n_told = len(told())
    bare._ask(since + clusters._TELL_SECONDS + 2.0)
    assert len(told()) == n_told


def test_a_worker_that_falls_silent_gets_no_parts_and_keeps_those_it_does(bare: Cluster) -> None:
    bare._threads["bad"] = 1
    parts = [given(bare, None, "bad"), given(bare, None, "one that left"), given(bare, ["good"]), given(bare)]
    bare._joining["bad"] = Future(), -math.inf
    (note,) = bare._take_in()
    assert wording.UNTIL_IT_ANSWERS in note and bare._threads == {"good": 1}
    assert [part.is_lost for part in parts] == [False, True, False, True]
    assert bare._take_in() == []


@pytest.mark.parametrize("error", [CancelledError(), asyncio.CancelledError(), OSError()])
def test_a_part_whose_worker_ended_before_it_handed_the_answer_over_is_given_again(
    bare: Cluster, error: BaseException
) -> None:
    def result() -> None:
        raise error

    assert bare._answer(SimpleNamespace(status="finished", result=result), (), (), given(bare)) is None


def test_an_error_of_a_part_counts_not_if_its_worker_is_refused_by_now(
    bare: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "ANSWER_SECONDS", 0.0)
    bare._client.run = None
    monkeypatch.setattr(Cluster, "_sent", lambda *_, **_options: Future())
    bare._refused["bad"] = "has Coppice 9"
    assert bare._check_again(given(bare)) and bare._check_again(given(bare, ["good", "bad"]))
    assert not bare._check_again(given(bare, ["good"]))


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (PackageNotFoundError("numba"), wording.PACKAGE_NOT_FOUND),
        (RuntimeError("no more"), wording.NO_MORE),
        (ModuleNotFoundError("No module named 'algorithms'"), wording.HAS_NO_COPPICE),
        (AttributeError("own_versions"), wording.HAS_NO_COPPICE),
    ],
)
def test_why_a_worker_tells_no_versions_is_named(bare: Cluster, error: Exception, words: str) -> None:
    bare._joining["bad"] = answered({"bad": error}), 0.0
    (note,) = bare._take_in()
    assert words in note
    assert ("bad" in bare._refused) is not isinstance(error, RuntimeError)
    bare._joining["bad"] = answered({"bad": OSError("It left.")}), 0.0
    assert bare._take_in() == []


# ---- what is heard of parts ----------------------------------------------------------------------------------------


def test_a_part_that_begins_anew_tells_each_event_once() -> None:
    heard = list[str]()
    part = clusters._GivenPart(RunContext(listener=heard.append))
    part.hear(0, ["a", "b", "c"])
    again = _RunningPart(PartRequest("id", "", 1, (), True, None, frozenset()))
    for event in "abcde":
        again.context.publish(event)
        part.hear(*again.events(part.n_heard))
    assert heard == [*"abcde"]


def test_a_part_whose_worker_or_data_are_lost_each_time_is_given_up_and_not_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Cluster, "_tried", lambda *_: None)
    with pytest.raises(WorkersEndedError, match=wording.WORKERS_ENDED):
        Cluster.__new__(Cluster).call(where, (), RunContext())


def test_what_a_listener_raises_ends_the_part_and_a_late_report_is_not_shown() -> None:
    def full(_event: object) -> None:
        raise OSError("The disk is full.")

    part = clusters._GivenPart(RunContext(listener=full))
    part.check()
    part.report("a", PartReport(0.5, "Half", False, 0, ["event"]))
    with pytest.raises(OSError, match="full"):
        part.check()
    ended = clusters._GivenPart(RunContext(listener=full))
    ended.end()
    ended.context.complete()
    ended.report("a", PartReport(0.5, "Half", False, 0, ["event"]))
    ended.check()
    assert (ended.context.progress(), ended.context.message) == (1.0, "")


def test_a_stop_ends_the_wait_for_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    context, goes_on = RunContext(), threading.Event()

    @contextmanager
    def slow(_address: str, _note: object) -> Iterator[None]:
        context.cancel()
        goes_on.wait()
        yield

    monkeypatch.setattr(clusters, "cluster_at", slow)
    cluster = ClusterOnDemand("processes:1")
    with pytest.raises(Cancelled):
        cluster.n_threads(context)
    goes_on.set()
    cluster.close()


# ---- addresses and versions ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "here", "processes:0", "processes:x", "tcp://", "tcp://host", "http://host:80"])
def test_an_address_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match=wording.PROCESSES_OR_TCP):
        check_address(text)


def test_addresses_are_taken() -> None:
    for text in ("processes", "processes:12", "tcp://host:8786", "tls://[::1]:8786"):
        check_address(text)


@needs_dask
def test_an_address_without_scheduler_is_one_sentence(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(clusters, "CONNECTING_SECONDS", 0.3)
    argv = ["evaluate", "sample:iris", "--learner", "zero-r", "--cluster"]
    assert main([*argv, "tcp://127.0.0.1:1"]) == 1
    printed = capsys.readouterr().err.strip()
    assert wording.NO_SCHEDULER in printed and "\n" not in printed
    assert main([*argv, "tcp:127.0.0.1"]) == 2


@needs_dask
def test_a_server_of_another_kind_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "CONNECTING_SECONDS", 0.3)
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            for scheme in ("tcp", "tls"):
                address = f"{scheme}://127.0.0.1:{server.server_port}"
                with pytest.raises(ClusterError, match=wording.NO_SCHEDULER_AT), cluster_at(address, pytest.fail):
                    pass
            while "coppice-connects" in [thread.name for thread in threading.enumerate()]:
                threading.Event().wait(0.05)
        finally:
            server.shutdown()


@needs_dask
def test_dask_is_silent_though_it_was_imported_before() -> None:
    logger = logging.getLogger("distributed.client")
    logger.setLevel(logging.WARNING)
    silence_dask()
    assert not logger.isEnabledFor(logging.ERROR)


@needs_dask
def test_versions_that_differ_are_named() -> None:
    own = own_versions()
    assert version_fault(own) == version_note("a", own) == ""
    other = {**own, "numpy": "1.0", "python": "3.0"}
    note = version_note("b", other)
    assert version_fault(other) == "" and note.startswith(wording.WORKER_HAS_PYTHON) and "numpy 1.0" in note
    assert version_fault({**own, "coppice": "9"}).startswith(wording.HAS_COPPICE_9)
    assert version_fault({}).startswith(wording.HAS_NO_COPPICE)
    for name in ("dask", "distributed"):
        assert version_fault({**own, name: "2024.1.0"}).startswith(wording.has_package(name, "2024.1.0"))


def test_the_digest_of_data_is_that_of_their_content() -> None:
    data = iris()
    assert data_digest(data) == data_digest(iris()) != data_digest(data.take(np.arange(149)))
    heavier = data.with_weights(np.full(len(data), 2.0))
    assert len({data_digest(data), data_digest(heavier)}) == 2


def test_without_workers_a_part_is_done_here() -> None:
    calls: Callable[..., Any] = RunContext(seed=1).call
    assert calls(where)[0] == os.getpid()
