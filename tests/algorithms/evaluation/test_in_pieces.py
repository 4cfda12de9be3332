"""Trees grown and judged on a file that is read in pieces."""

from __future__ import annotations

import shutil
import threading
from collections import namedtuple
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from algorithms.catalogue import builtin
from algorithms.core.errors import Cancelled, DataError, ParameterError, UnsuitableDataError
from algorithms.core.run_control import RunContext
from algorithms.evaluation.measures.metrics import report
from algorithms.evaluation.methods.methods import CrossValidation, Holdout, TrainingSet
from algorithms.evaluation.out_of_core import OutOfCoreTree, grow_in_pieces
from algorithms.evaluation.report import report_to_json, report_to_text
from algorithms.io.reading import read
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.project.models import load_model, save_model
from tests.expected_texts import evaluation as wording
from tests.expected_texts import learners as learners_wording
from tests.waiting import wait_until


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """30,000 records whose class hangs on two numbers and a colour, some values and classes missing."""
    rng = np.random.default_rng(0)
    n = 30_000
    x = rng.normal(size=(n, 3)).round(4)
    colour = rng.choice(["red", "green", "blue"], n)
    y = np.where(x[:, 0] + x[:, 1] * (colour == "red") > 0.2, "yes", "no").astype(object)
    y[rng.random(n) < 0.05] = "no"
    frame = pd.DataFrame(x, columns=list("abc"))
    frame["colour"], frame["class"] = colour, y
    frame.loc[::40, "a"], frame.loc[::1000, "class"] = np.nan, None
    found = tmp_path_factory.mktemp("pieces") / "table.csv"
    frame.to_csv(found, index=False)
    return found


def grown(path: Path, learner=None, method=None, context: RunContext | None = None, **more) -> OutOfCoreTree:
    return grow_in_pieces(
        learner or C45(), path, method or Holdout(percent=70.0), context or RunContext(seed=1), sample=5000, **more
    )


def test_the_tree_judged_is_as_right_as_that_of_memory(path: Path) -> None:
    found = grown(path, C45(min_leaf=20))
    data = read(path, RunContext())
    known = data.class_codes >= 0
    told = report(found.result)
    assert found.n_records == 30_000
    assert found.result.n_without_class == 30
    assert abs(told.n - 0.3 * known.sum()) < 300
    assert told.n_tests == told.n == told.confusion.sum()
    model = C45(min_leaf=20).fit(data.take(known).take(np.arange(20_000)), RunContext())
    rest = data.take(known).take(np.arange(20_000, int(known.sum())))
    assert abs(told.accuracy - np.mean(model.predict(rest) == rest.class_codes)) < 0.01


def test_the_numbers_are_those_of_the_judged_tree_on_the_records_themselves(path: Path) -> None:
    found = grown(path, Cart(pruning="none", max_depth=6))
    data, held_out = found.sample, found.is_held_out
    assert 0.25 < held_out.mean() < 0.35
    whole = read(path, RunContext())
    np.testing.assert_array_equal(data.column("b"), whole.column("b")[data.row_ids])
    everything = grown(path, Cart(pruning="none", max_depth=6), TrainingSet())
    known = whole.take(whole.class_codes >= 0)
    decided = everything.judged_model.predict(known)
    confusion = np.zeros((2, 2))
    np.add.at(confusion, (known.class_codes, decided), 1)
    np.testing.assert_array_equal(report(everything.result).confusion, confusion)
    leaves = everything.judged_model.tree.first_child < 0
    np.testing.assert_array_equal(everything.judged_model.tree.counts[leaves].sum(axis=0), confusion.sum(axis=1))
    assert everything.result.test_is_training


def test_the_same_seed_gives_the_same_numbers_and_another_holds_out_others(path: Path) -> None:
    one, again, other = (grown(path, context=RunContext(seed=seed)) for seed in (1, 1, 2))
    assert report(one.result).confusion.tolist() == report(again.result).confusion.tolist()
    assert not np.array_equal(one.is_held_out, other.is_held_out)


def test_the_saved_model_is_of_all_records_and_predicts_the_table(path: Path, tmp_path: Path) -> None:
    found = grown(path)
    assert found.trained.model.tree.counts[0].sum() == 30_000 - 30
    save_model(tmp_path / "m.coppice-model", found.trained)
    loaded = load_model(tmp_path / "m.coppice-model", builtin())
    data = read(path, RunContext())
    np.testing.assert_array_equal(loaded.predict(data), found.trained.predict(data))
    _, right = loaded.n_right(loaded.with_judgement(data, loaded.judged(data, RunContext())))
    assert right > 0.9 * len(data)


def test_what_is_told_says_how_the_tree_came_about(path: Path) -> None:
    found = grown(path)
    text = report_to_text(found.result, report(found.result))
    assert wording.READ_IN_PIECES in text
    assert "not raised" in text
    assert wording.without_a_class(30) in text
    values = report_to_json(found.result, report(found.result))
    assert values["honest"]
    assert "binned" in str(values["learner"])


def test_a_column_named_as_the_class_is_one(path: Path) -> None:
    found = grown(path, class_name="colour")
    assert found.result.classes == ("blue", "green", "red")


@pytest.mark.parametrize(
    ("learner", "method", "class_name", "error", "words"),
    [
        (C45(), CrossValidation(), None, ParameterError, learners_wording.NEEDS_ALL_IN_MEMORY),
        (Cart(pruning="cost-complexity"), Holdout(), None, ParameterError, wording.NEEDS_ALL_RECORDS),
        (C45(), Holdout(), "a", DataError, wording.CANNOT_BE_PREDICTED),
        (C45(), Holdout(), "nothing", DataError, "column"),
    ],
)
def test_what_cannot_be_done_is_said(path: Path, learner, method, class_name, error, words) -> None:
    with pytest.raises(error, match=words):
        grown(path, learner, method, class_name=class_name)


def test_a_class_that_is_always_the_same_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("x,class\n" + "".join(f"{i / 7:.3f},yes\n" for i in range(100)), encoding="utf-8")
    with pytest.raises((DataError, UnsuitableDataError)):
        grown(path)


def test_too_little_room_is_said_before_anything_is_written(path: Path, tmp_path: Path, monkeypatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10, 10, 1000))
    with pytest.raises(DataError, match=wording.GB_OF_ROOM) as told:
        grown(path, folder=tmp_path)
    assert "TMPDIR" in told.value.remedy
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_on_the_disk(path: Path, tmp_path: Path) -> None:
    grown(path, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []
    cancelled = RunContext()
    cancelled.cancel()
    with pytest.raises(Cancelled):
        grown(path, context=cancelled, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_finished_before_the_end_of_the_file_it_is_the_tree_of_what_was_read(path: Path) -> None:
    context = RunContext(seed=1)
    context.finish()
    found = grown(path, context=context)
    assert found.result.partial
    assert found.judged_model.partial
    assert found.judged_model.tree.n_leaves > 1
    assert report(found.result).accuracy > 0.8
    assert any(wording.READ_UNTIL_THEN in warning for warning in found.result.warnings)


@pytest.mark.parametrize("finish", [True, False])
def test_a_stop_in_the_middle_is_heeded_soon(path: Path, tmp_path: Path, finish: bool) -> None:
    large = tmp_path / "large.csv"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    with large.open("w", encoding="utf-8") as file:
        file.write(lines[0])
        for _ in range(20):
            file.writelines(lines[1:])
    context, ended = RunContext(seed=1), []

    def work() -> None:
        try:
            ended.append(grown(large, context=context))
        except Cancelled:
            ended.append("cancelled")

    thread = threading.Thread(target=work)
    thread.start()
    assert wait_until(lambda: (context.progress() or 0) >= 0.4 or not thread.is_alive(), seconds=60)
    assert not ended
    (context.finish if finish else context.cancel)()
    thread.join(10.0)
    assert not thread.is_alive()
    if finish:
        assert ended[0].result.partial
        assert ended[0].judged_model.tree.n_leaves > 1
    else:
        assert ended == ["cancelled"]
