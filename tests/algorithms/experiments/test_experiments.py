"""Grids of cells in a file: keys, resuming, failures, and what a stranger or a crash may do to the file."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.errors import Cancelled, ModelFileError, ParameterError, UnreadFileError
from algorithms.core.run_control import RunContext, thread_pool
from algorithms.data.dataset import Dataset
from algorithms.evaluation.measures.metrics import report
from algorithms.evaluation.runner import evaluate, train
from algorithms.experiments.experiment import DATA, LEARNER, Experiment, ExperimentData, content_digest
from algorithms.experiments.experiment_file import CellState, ExperimentFile, FailureKind
from algorithms.experiments.running import (
    CellEnded,
    DataEnded,
    DataFailed,
    check_may_read,
    read_declared,
    run_experiment,
)
from algorithms.io.reading import read
from algorithms.learners.bayes.bayesian_network import BayesianNetwork
from algorithms.learners.ensembles.bagging import Bagging
from tests.algorithms.evaluation.toys import NearestMean, hooked
from tests.algorithms.experiments.grids import grid, learner, numbers, run_all
from tests.expected_texts import experiments as wording


@pytest.fixture
def place(tmp_path) -> Path:
    return tmp_path / "trees.coppice-experiment"


@pytest.fixture
def table(tmp_path) -> Path:
    """A small file in the folder of the experiment."""
    path = tmp_path / "small.csv"
    path.write_text("\n".join(["x,class", *(f"{i},{'yes' if i > 17 else 'no'}" for i in range(36)), ""]))
    return path


# ---- the grid --------------------------------------------------------------------------------------------------------


def test_every_combination_is_a_cell_with_a_key_of_its_own():
    experiment = grid(seeds=(1, 2))
    cells = experiment.cells()
    assert len(cells) == experiment.n_cells == 18 and len({cell.key for cell in cells}) == 18
    assert experiment.levels(cells[0]) == {
        "data": "sample:iris",
        "learner": "c4.5",
        "recipe": wording.NO_STEPS,
        "method": "cross-validation",
        "seed": "1",
    }
    assert Experiment.from_json(experiment.to_json(), builtin()) == experiment


def test_a_key_follows_from_values_and_content_not_from_order_and_place(table, tmp_path):
    content = content_digest(read(table, RunContext()))
    moved = tmp_path / "moved.csv"
    moved.write_bytes(table.read_bytes())
    first = grid([str(table)]).with_content(0, content)
    other = grid([str(moved)], ["zero-r", "c4.5"]).with_content(0, content_digest(read(moved, RunContext())))
    assert {cell.key for cell in other.cells()} < {cell.key for cell in first.cells()}
    moved.write_text(moved.read_text().replace("35,yes", "35,no"))
    assert content_digest(read(moved, RunContext())) != content


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"data": ()}, wording.NO_DATA_SET),
        ({"methods": grid().methods * 2}, wording.IS_GIVEN_TWICE),
        ({"data": ["a.csv", "./a.csv"]}, wording.A_IS_GIVEN_TWICE),
        ({"seeds": (1, 1)}, wording.SEED_IS_GIVEN_TWICE),
    ],
)
def test_a_factor_has_levels_and_none_of_them_twice(change, words):
    with pytest.raises(ParameterError, match=words):
        grid(**change)


def test_names_of_equal_learners_tell_their_options():
    learners = learner("c4.5"), learner("c4.5", min_leaf="9"), learner("zero-r"), learner("zero-r")
    experiment = Experiment((ExperimentData("sample:iris"),), learners, methods=grid().methods)
    first, second, third, fourth = experiment.names(LEARNER)
    assert first != second and "9" in second and third != fourth
    assert len({cell.key for cell in experiment.cells()}) == 4


def test_places_outside_the_folder_and_those_in_options_need_permission(tmp_path):
    folder, secret = tmp_path / "mail", tmp_path / "secret.csv"
    (folder / "in").mkdir(parents=True)
    secret.write_text("x")
    (folder / "link.csv").symlink_to(secret)
    sources = ["in/a.csv", "../other.csv", "link.csv", str(secret), "https://a.example/t.csv", "sample:iris"]
    learners = (Bagging(base=BayesianNetwork(structure="file", network_file="/net.bif ")), learner("zero-r"))
    experiment = Experiment(tuple(map(ExperimentData, sources)), learners, methods=grid().methods)
    context, allowed = RunContext(), {str(folder / "../other.csv")}
    with pytest.raises(UnreadFileError, match=wording.ONLY_THE_EXPERIMENT_NAMES) as asked:
        check_may_read(experiment.files(folder), folder, allowed, context)
    unread = {str(folder / "link.csv"), "https://a.example/t.csv", "/net.bif ", "/net.bif", str(secret)}
    assert context.unread_files == unread
    asked.value.allow()
    check_may_read(experiment.files(folder), folder, allowed, context)
    assert not context.unread_files


# ---- running ---------------------------------------------------------------------------------------------------------


def test_a_cell_is_the_run_that_evaluate_gives_with_its_seed(place):
    registry = builtin()
    with ExperimentFile.create(place, grid(["sample:iris"], ["c4.5"], seeds=(7,)), registry) as file:
        run_all(file)
        [record] = file.records().values()
        context = RunContext(seed=7)
        data = read_declared(registry, file.folder)(file.experiment.data[0], context)
        alone = evaluate(
            file.experiment.learners[0],
            data,
            file.experiment.methods[0],
            context.child(0.5, 0, same_seed=True),
        )
        model = train(file.experiment.learners[0], data, (), context.child(0.5, 1), file.experiment.methods[0])
        run = file.run(record, data)
    assert run.result is not None and run.trained is not None
    assert np.array_equal(run.result.probabilities, alone.probabilities)
    assert np.array_equal(run.result.row_ids, alone.row_ids) and run.result.seed == 7
    assert record.measures["accuracy"] == report(alone).accuracy
    assert record.measures["auc"] == report(alone).auc
    assert np.array_equal(run.trained.predict_proba(data), model.predict_proba(data))
    assert record.facts == {name: float(value) for name, value in model.model.facts().items()}


def test_order_threads_and_interruptions_change_no_number(tmp_path):
    registry = builtin()
    whole = ExperimentFile.create(tmp_path / "whole", grid(), registry)
    run_all(whole)
    expected = numbers(whole)
    assert {state for state, *_ in expected.values()} == {CellState.DONE}
    for threads in (1, 2):
        place, n_stops = tmp_path / f"parts{threads}", 0
        with ExperimentFile.create(place, grid(), registry) as parts:
            for _ in range(3):
                ended: list[object] = []
                with thread_pool(threads) as pool:
                    context = RunContext(executor=pool)
                    with context.overheard(lambda event, e=ended, c=context: _stop_after(event, e, c)):
                        try:
                            run_experiment(parts, context, read_declared(registry, parts.folder))
                        except Cancelled:
                            n_stops += 1
        assert n_stops >= 2
        with ExperimentFile.open(place, registry, write=True) as again:
            run_all(again)
            assert numbers(again) == expected


def test_a_stop_keeps_what_was_done_and_goes_on_there(place):
    registry, contexts, ended = builtin(), [], []

    def cancel(data: Dataset, context: RunContext) -> None:
        contexts.append(context)

    registry.add_learner(type(hooked(cancel)), NearestMean)
    experiment = grid(learners=["c4.5", "means"], registry=registry)
    with ExperimentFile.create(place, experiment, registry) as file:
        context = RunContext(listener=lambda event: _stop_after(event, ended, context))
        with pytest.raises(Cancelled):
            run_experiment(file, context, read_declared(registry, file.folder))
        states = [record.state for record in file.records().values()]
        assert states.count(CellState.DONE) == len(ended) == 2
        n_fits = len(contexts)
        run_all(file, registry)
        assert {record.state for record in file.records().values()} == {CellState.DONE}
        assert len(contexts) == n_fits + 2 * 4, "of the learner that was done on the first set nothing is fitted again"


def _stop_after(event: object, ended: list[object], context: RunContext) -> None:
    if isinstance(event, CellEnded):
        ended.append(event)
        if len(ended) == 2:
            context.cancel()


def test_what_fails_is_kept_with_its_reason_while_the_others_go_on(place, tmp_path):
    def leak(data: Dataset, context: RunContext) -> None:
        raise MemoryError

    registry, events = builtin(), []
    registry.add_learner(type(hooked(leak)), NearestMean)
    absent = str(tmp_path / "absent.csv")
    experiment = grid(["sample:iris", absent, "sample:vertebrates"], ["id3", "c4.5", "means"], registry)
    with ExperimentFile.create(place, experiment, registry) as file:
        run_all(file, registry, events.append)
        records = [*file.records().values()]
        levels = [tuple(experiment.levels(record.cell).values())[:2] for record in records]
        failed = {level: record for level, record in zip(levels, records, strict=True) if record.failure}
        assert {level: record.failure for level, record in failed.items()} == {
            ("sample:iris", "id3"): FailureKind.LEARNER,
            ("sample:iris", "means"): FailureKind.MEMORY,
            ("absent", "id3"): FailureKind.DATA,
            ("absent", "c4.5"): FailureKind.DATA,
            ("absent", "means"): FailureKind.DATA,
            ("sample:vertebrates", "means"): FailureKind.MEMORY,
        }
        assert wording.ABSENT in failed["absent", "c4.5"].message
        assert wording.NUMERIC in failed["sample:iris", "id3"].message
        assert wording.NO_MEMORY in failed["sample:iris", "means"].message
        assert [event.index for event in events if isinstance(event, DataFailed)] == [1]
        assert sorted(event.index for event in events if isinstance(event, DataEnded)) == [0, 2]
        # once the file is there, its cells are computed; what a learner cannot take is not tried again
        Path(absent).write_text("x,class\n" + "\n".join(f"{i % 7},{'ab'[i % 2]}" for i in range(30)) + "\n")
        events.clear()
        run_all(file, registry, events.append)
        again = [event.record.cell for event in events if isinstance(event, CellEnded)]
        assert len(again) == 3 + 2
        names = {tuple(experiment.levels(r.cell).values())[:2]: r for r in file.records().values()}
        assert names["absent", "c4.5"].state is CellState.DONE


def test_a_cell_that_takes_too_long_is_left_and_the_others_go_on(place):
    registry = builtin()

    def wait(data: Dataset, context: RunContext) -> None:
        while True:
            context.checkpoint()
            time.sleep(0.002)

    registry.add_learner(type(hooked(wait)), NearestMean)
    with ExperimentFile.create(
        place, grid(["sample:vertebrates"], ["means", "zero-r"], registry, time_limit=0.3), registry
    ) as file:
        run_all(file, registry)
        slow, fast = file.records().values()
    assert (slow.failure, fast.state) == (FailureKind.TIME, CellState.DONE)
    assert wording.TOOK_LONGER in slow.message


class CountedWorkers:
    """Workers that do each part here, and count their names; there are more threads than cells."""

    def __init__(self) -> None:
        self.parts: Counter[str] = Counter()

    def n_threads(self, context: RunContext) -> int:
        return 100

    def spread(self, f, items, context):
        return [f(item) for item in items]

    def call(self, f, values, context):
        self.parts[f.__name__] += 1
        return f(*values, RunContext(seed=context.seeds))


@pytest.mark.parametrize(("limit", "n_whole"), [(None, 0), (60.0, 2)])
def test_with_a_time_limit_workers_get_whole_cells_so_that_waits_do_not_count(place, limit, n_whole):
    workers = CountedWorkers()
    experiment = grid(["sample:vertebrates"], ["c4.5", "zero-r"], time_limit=limit)
    with ExperimentFile.create(place, experiment, builtin()) as file:
        run_experiment(file, RunContext(workers=workers), read_declared(builtin(), file.folder))
        assert {record.state for record in file.records().values()} == {CellState.DONE}
    assert workers.parts["_evaluated_within"] == n_whole and (len(workers.parts) == 1 or not n_whole)


def test_a_file_that_changed_gives_its_cells_no_mixed_results(place, table):
    registry = builtin()
    with ExperimentFile.create(place, grid([table.name], ["zero-r"]), registry) as file:
        run_all(file)
        file.extend(file.experiment.extended(grid([table.name], ["zero-r", "c4.5"])))
        table.write_text(table.read_text().replace("35,yes", "35,no"))
        run_all(file)
        done, failed = file.records().values()
        assert (done.state, failed.failure) == (CellState.DONE, FailureKind.DATA)
        assert wording.HAS_CHANGED in failed.message
        file.set_content(0, "")
        file.forget(file.experiment.cells())
        run_all(file)
        assert {record.state for record in file.records().values()} == {CellState.DONE}


def test_the_same_records_under_two_names_count_once(place, table):
    twin = table.with_name("twin.csv")
    twin.write_bytes(table.read_bytes())
    with ExperimentFile.create(place, grid([table.name, twin.name], ["zero-r"]), builtin()) as file:
        run_all(file)
        one, other = file.records().values()
    assert one.state is CellState.DONE and wording.ARE_THOSE_OF_SMALL in other.message


def test_cells_are_added_repeated_and_left_out(place):
    registry = builtin()
    with ExperimentFile.create(place, grid(["sample:iris"], ["c4.5"]), registry) as file:
        run_all(file)
        before = numbers(file)
        file.extend(file.experiment.extended(grid(["sample:iris", "sample:vertebrates"], ["zero-r"])))
        assert [record.state for record in file.records().values()].count(CellState.WAITING) == 3
        out = [cell for cell in file.experiment.cells() if cell.data == 1]
        file.leave_out([*out, *(cell for cell in file.experiment.cells() if cell.key in before)])
        events: list[object] = []
        run_all(file, listener=events.append)
        assert len([event for event in events if isinstance(event, CellEnded)]) == 1
        file.put_back(file.experiment.cells())
        states = [record.state for record in file.records().values()]
        assert states == [CellState.DONE, CellState.DONE, CellState.WAITING, CellState.WAITING]
        file.forget(file.experiment.cells()[:1])
        run_all(file)
        assert {key: numbers(file)[key] for key in before} == before


# ---- the file --------------------------------------------------------------------------------------------------------


def test_one_process_writes_and_others_may_look(place):
    registry = builtin()
    with ExperimentFile.create(place, grid(["sample:iris"], ["zero-r"]), registry) as file:
        with pytest.raises(ModelFileError, match=wording.BEING_RUN):
            ExperimentFile.open(place, registry, write=True)
        with ExperimentFile.open(place, registry) as reader:
            run_all(file)
            assert [record.state for record in reader.records().values()] == [CellState.DONE]
            with pytest.raises(ModelFileError, match=wording.OPENED_FOR_READING):
                reader.forget(reader.experiment.cells())
    with pytest.raises(ModelFileError, match=wording.EXISTS_ALREADY):
        ExperimentFile.create(place, grid(), registry)
    ExperimentFile.open(place, registry, write=True).close()


def test_a_full_disk_is_a_sentence_and_loses_no_cell(place):
    registry = builtin()
    with ExperimentFile.create(place, grid(), registry) as file:
        file._connection.execute("PRAGMA max_page_count = 30")
        with pytest.raises(ModelFileError, match=wording.CANNOT_BE_WRITTEN) as raised:
            run_all(file)
        assert wording.MAKE_ROOM in str(raised.value)
        done = {key: row for key, row in numbers(file).items() if row[0] is CellState.DONE}
        assert done
    with ExperimentFile.open(place, registry, write=True) as file:
        run_all(file)
        after = numbers(file)
    assert len(after) == 9 and {key: after[key] for key in done} == done


def test_a_disk_that_is_full_at_the_beginning_leaves_no_file(place, monkeypatch):
    def full(self, statement, *values):
        raise self._fault(sqlite3.OperationalError("database or disk is full"))

    monkeypatch.setattr(ExperimentFile, "_execute", full)
    with pytest.raises(ModelFileError, match=wording.RUN_IT_AGAIN) as caught:
        ExperimentFile.create(place, grid(), builtin())
    assert wording.ALL_CELLS_KEPT not in str(caught.value) and not place.exists()


def test_a_file_that_was_cut_or_changed_is_refused_or_whole(place):
    registry = builtin()
    with ExperimentFile.create(place, grid(["sample:iris"]), registry) as file:
        run_all(file)
        first = file.experiment.cells()[0]
        expected = numbers(file)
    whole, random, n_refused = place.read_bytes(), np.random.default_rng(1), 0
    cut = [whole[:size] for size in (0, 10, 100, 5000, *random.integers(100, len(whole), 20).tolist())]
    places = random.integers(0, len(whole), 60).tolist()
    changed = [whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :] for at in places]
    for content in (*cut, *changed):
        place.write_bytes(content)
        try:
            with ExperimentFile.open(place, registry) as file:
                done = {key: row for key, row in numbers(file).items() if row[0] is CellState.DONE}
                assert done.items() <= expected.items()
                for record in file.records().values():
                    file.trained(record.cell)
        except ModelFileError:
            n_refused += 1
    assert n_refused >= len(cut)
    place.write_bytes(whole)
    with sqlite3.connect(place) as connection:
        connection.execute("UPDATE cell SET result = zeroblob(100) WHERE key = ?", (first.key,))
    connection.close()
    with ExperimentFile.open(place, registry) as file, pytest.raises(ModelFileError, match=wording.HAS_CHANGED):
        file.result(first)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON cell BEGIN DELETE FROM experiment; END",
        "CREATE VIEW v AS SELECT * FROM cell",
        "PRAGMA application_id = 1",
        "PRAGMA user_version = 99",
        "UPDATE experiment SET content = '{}'",
        "UPDATE experiment SET content = 'x'",
        "DELETE FROM experiment",
    ],
)
def test_a_database_of_another_make_is_refused(place, statement):
    registry = builtin()
    ExperimentFile.create(place, grid(), registry).close()
    with sqlite3.connect(place) as connection:
        connection.execute(statement)
    connection.close()
    with pytest.raises(ModelFileError):
        ExperimentFile.open(place, registry)


def test_another_file_is_no_experiment(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("x,class\n1,a\n")
    with pytest.raises(ModelFileError, match=wording.NO_EXPERIMENT):
        ExperimentFile.open(path, builtin())
    with pytest.raises(ModelFileError):
        ExperimentFile.open(tmp_path / "absent", builtin())


def test_paths_refer_to_the_folder_of_the_experiment(place, table, tmp_path, monkeypatch):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    with ExperimentFile.create(place, grid([table.name], ["zero-r"]), builtin()) as file:
        run_all(file)
        assert file.experiment.names(DATA) == ("small",)
        assert [record.state for record in file.records().values()] == [CellState.DONE]


# ---- kill -9 ---------------------------------------------------------------------------------------------------------

LIFE = """
import sys
from algorithms.catalogue import builtin
from algorithms.experiments.experiment_file import ExperimentFile
from algorithms.experiments.running import CellEnded
from tests.algorithms.experiments.grids import run_all
with ExperimentFile.open(sys.argv[1], builtin(), write=True) as file:
    print("open", flush=True)
    run_all(file, listener=lambda event: print("kept", flush=True) if isinstance(event, CellEnded) else None)
print("whole", flush=True)
"""


def test_a_process_killed_at_random_moments_and_resumed_gives_the_same_table(tmp_path):
    registry = builtin()
    with ExperimentFile.create(tmp_path / "whole", grid(), registry) as whole:
        run_all(whole)
        expected = numbers(whole)
    place, random = tmp_path / "killed", np.random.default_rng(int(time.time()))
    ExperimentFile.create(place, grid(), registry).close()
    n_kept = 0
    for _ in range(8):
        process = subprocess.Popen(
            [sys.executable, "-c", LIFE, str(place)], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3]
        )
        assert process.stdout is not None
        lines: list[str] = []
        for line in process.stdout:
            lines.append(line.strip())
            if random.random() < 0.3:
                time.sleep(random.uniform(0, 0.05))
                break
        process.kill()
        lines += [line.strip() for line in process.stdout]
        process.wait()
        process.stdout.close()
        n_kept += lines.count("kept")
        with ExperimentFile.open(place, registry) as file:
            done = {key: row for key, row in numbers(file).items() if row[0] is CellState.DONE}
        assert done.items() <= expected.items()
        assert len(done) >= n_kept, "what was said to be kept is in the file"
        n_kept = len(done)
        if "whole" in lines:
            break
    with ExperimentFile.open(place, registry, write=True) as file:
        run_all(file)
        assert numbers(file) == expected
