"""Learning from a table in several files, and evaluation by whole files."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from algorithms.catalogue import builtin
from algorithms.core.errors import Cancelled, DataError, ParameterError
from algorithms.core.run_control import RunContext
from algorithms.evaluation.measures.metrics import report
from algorithms.evaluation.methods.methods import CrossValidation, Holdout, LeaveOneOut, TrainingSet
from algorithms.evaluation.partitioned import PartitionedRun, grouped, learn_from_files, splits_of_parts
from algorithms.evaluation.report import report_to_text
from algorithms.io.reading import read
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.partitions import matching_files
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.stump import DecisionStump
from algorithms.project.models import load_model, save_model
from tests.expected_texts import evaluation as wording
from tests.expected_texts import learners as learners_wording


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    """6,000 records whose class hangs on two numbers and a colour, some values and classes missing."""
    rng = np.random.default_rng(0)
    n = 6000
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    frame["colour"] = rng.choice(["red", "green", "blue"], n)
    frame["class"] = np.where(frame["a"] + frame["b"] * (frame["colour"] == "red") > 0.2, "yes", "no")
    frame.loc[rng.random(n) < 0.05, "class"] = "no"
    frame.loc[::40, "a"], frame.loc[::1000, "class"] = np.nan, None
    return frame


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, table: pd.DataFrame) -> Path:
    """The table in 1, 8 and 23 Parquet files and in 5 CSV files."""
    folder = tmp_path_factory.mktemp("parts")
    for n_parts in (1, 8, 23):
        for number, rows in enumerate(np.array_split(np.arange(len(table)), n_parts)):
            table.iloc[rows].to_parquet(folder / f"{n_parts}-{number}.parquet")
    for number, rows in enumerate(np.array_split(np.arange(len(table)), 5)):
        table.iloc[rows].to_csv(folder / f"part-{number}.csv", index=False)
    return folder


def learned(where: Path, pattern: str, learner: Any = None, method: Any = None, **more: Any) -> PartitionedRun:
    paths, context = matching_files(str(where / pattern)), more.pop("context", RunContext(seed=1))
    return learn_from_files(learner or C45(), paths, method or Holdout(percent=70.0), context, **more)


@pytest.mark.parametrize("pattern", ["1-*.parquet", "8-*.parquet", "23-*.parquet", "part-*.csv"])
def test_any_files_give_the_tree_of_the_table_in_memory(folder: Path, pattern: str, tmp_path: Path) -> None:
    learner = C45(raising=False, min_leaf=5)
    with ThreadPoolExecutor(2) as threads:
        context = RunContext(executor=threads)
        run = learned(folder, pattern, learner, TrainingSet(), context=context, folder=tmp_path)
    whole = read(folder / "1-0.parquet", RunContext())
    twin = C45(raising=False, min_leaf=5, split_search="binned").fit(whole.labelled(), RunContext())
    assert run.trained is not None
    for name, array in run.trained.model.tree.arrays().items():
        np.testing.assert_array_equal(array, twin.tree.arrays()[name], err_msg=name)
    right = np.mean(twin.predict(whole.labelled()) == whole.labelled().class_codes)
    assert report(run.result).accuracy == pytest.approx(right, abs=1e-12)
    assert (run.result.n_training, run.result.n_without_class) == (5994, 6)
    assert list(tmp_path.iterdir()) == []


def test_held_out_files_are_judged_by_the_model_of_the_others(folder: Path) -> None:
    learner = C45(raising=False, min_leaf=5, split_search="binned")
    run = learned(folder, "8-*.parquet", learner)
    (split,) = splits_of_parts(Holdout(percent=70.0), [749] * 8, RunContext(seed=1).random())
    parts = [read(folder / f"8-{number}.parquet", RunContext()).labelled() for number in range(8)]
    whole = read(folder / "1-0.parquet", RunContext()).labelled()
    ends = np.cumsum([0, *map(len, parts)])
    rows = [np.arange(ends[number], ends[number + 1]) for number in range(8)]
    model = learner.fit(whole.take(np.concatenate([rows[number] for number in split.training])), RunContext())
    tested = whole.take(np.concatenate([rows[number] for number in split.tested]))
    confusion = np.zeros((2, 2))
    np.add.at(confusion, (tested.class_codes, model.predict(tested)), 1)
    np.testing.assert_array_equal(report(run.result).confusion, confusion)
    assert run.result.n_tested == len(tested)
    assert len(run.result.truth) < len(tested)


def test_every_file_is_tested_once_in_folds_of_files(folder: Path) -> None:
    run = learned(folder, "8-*.parquet", Cart(pruning="pessimistic"), CrossValidation(folds=4, repeats=2))
    summary = report(run.result)
    assert run.result.n_tested == 2 * 5994
    assert set(zip(run.result.repeats.tolist(), run.result.folds.tolist(), strict=True)) == {
        (repeat, fold) for repeat in range(2) for fold in range(4)
    }
    assert 0.9 < summary.accuracy < 1.0


def test_files_are_split_whole() -> None:
    sizes = [10, 20, 0, 30, 40]
    random = np.random.default_rng(0)
    (whole,) = splits_of_parts(TrainingSet(), sizes, random)
    assert whole.training == whole.tested == (0, 1, 3, 4)
    (half,) = splits_of_parts(Holdout(percent=50.0), sizes, random)
    assert sorted(half.training + half.tested) == [0, 1, 3, 4]
    assert abs(sum(sizes[number] for number in half.training) - 50) <= 20
    folds = splits_of_parts(CrossValidation(folds=3), sizes, random)
    assert sorted(number for split in folds for number in split.tested) == [0, 1, 3, 4]
    assert all(not set(split.training) & set(split.tested) for split in folds)
    with pytest.raises(DataError, match=wording.FOLDS_OF_WHOLE_FILES):
        splits_of_parts(CrossValidation(folds=5), sizes, random)
    with pytest.raises(DataError, match=wording.SINGLE_FILE_HELD_OUT):
        splits_of_parts(Holdout(), [5], random)
    with pytest.raises(DataError):
        splits_of_parts(TrainingSet(), [0, 0], random)


def test_rows_that_are_equal_become_one() -> None:
    rows, weights = grouped(np.array([[1.0, 0.5], [0.0, 0.2], [1.0, 0.5]]), np.array([1.0, 2.0, 4.0]))
    np.testing.assert_array_equal(rows, [[0.0, 0.2], [1.0, 0.5]])
    np.testing.assert_array_equal(weights, [2.0, 5.0])


def test_the_saved_model_opens_as_any_other(folder: Path, tmp_path: Path) -> None:
    run = learned(folder, "part-*.csv")
    assert run.trained is not None
    assert run.trained.model.tree.counts[0].sum() == 5994
    save_model(tmp_path / "m.coppice-model", run.trained)
    loaded = load_model(tmp_path / "m.coppice-model", builtin())
    data = read(folder / "part-2.csv", RunContext())
    np.testing.assert_array_equal(loaded.predict(data), run.trained.predict(data))


def test_the_report_says_how_the_model_came_about(folder: Path) -> None:
    run = learned(folder, "8-*.parquet")
    text = report_to_text(run.result, report(run.result))
    assert wording.RECORDS_IN_FILES in text
    assert wording.WHOLE_FILES_HELD_OUT in text
    assert "not raised" in text


@pytest.mark.parametrize(
    ("learner", "method", "class_name", "error", "words"),
    [
        (C45(), LeaveOneOut(), None, ParameterError, learners_wording.NEEDS_ALL_IN_MEMORY),
        (Cart(), Holdout(), None, ParameterError, wording.NEEDS_ALL_RECORDS),
        (DecisionStump(), Holdout(), None, ParameterError, learners_wording.NEEDS_ALL_IN_MEMORY),
        (C45(), Holdout(), "a", DataError, wording.CANNOT_BE_PREDICTED),
        (C45(), Holdout(), "nothing", DataError, "column"),
    ],
)
def test_what_cannot_be_done_is_said(folder: Path, learner, method, class_name, error, words) -> None:
    with pytest.raises(error, match=words):
        learned(folder, "part-*.csv", learner, method, class_name=class_name)


class _StopsWhenTesting(RunContext):
    """A run that gets a stop once the first held-out files are tested."""

    def __init__(self, stop: str) -> None:
        super().__init__(seed=1)
        self._word = stop

    def say(self, message: str, is_waiting: bool = False) -> None:
        super().say(message, is_waiting)
        if message == "Testing the held-out records":
            getattr(self, self._word)()


def test_a_run_that_is_stopped(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        learned(folder, "8-*.parquet", context=_StopsWhenTesting("cancel"), folder=tmp_path)
    assert list(tmp_path.iterdir()) == []
    run = learned(folder, "8-*.parquet", method=CrossValidation(folds=4), context=_StopsWhenTesting("finish"))
    assert run.result.partial
    assert run.trained is None
    assert set(run.result.folds.tolist()) == {0}


def test_naive_bayes_is_judged_and_saved_as_a_tree_is(folder: Path, tmp_path: Path) -> None:
    run = learned(folder, "8-*.parquet", NaiveBayes(), CrossValidation(folds=4))
    assert run.trained is not None
    assert run.result.n_tested == 5994
    assert report(run.result).accuracy > 0.8
    save_model(tmp_path / "m.coppice-model", run.trained)
    data = read(folder / "part-1.csv", RunContext())
    np.testing.assert_array_equal(
        load_model(tmp_path / "m.coppice-model", builtin()).predict(data), run.trained.predict(data)
    )


def test_progress_reaches_the_end(folder: Path) -> None:
    context = RunContext(seed=1)
    learned(folder, "8-*.parquet", method=CrossValidation(folds=2), context=context)
    assert context.progress() == pytest.approx(1.0)
