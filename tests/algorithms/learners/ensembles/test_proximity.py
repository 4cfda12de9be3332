"""How near records are to each other in a committee of trees."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.cli import main
from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.runner import train
from algorithms.learners.ensembles.bagging import Bagging
from algorithms.learners.ensembles.random_forest import (
    ForestProximity,
    RandomForest,
    is_of_trees,
    landscape,
    measured_rows,
    proximities,
)
from algorithms.learners.trees.c45 import C45
from algorithms.project.models import save_model
from tests.algorithms.battery_data import mixed
from tests.expected_texts import learners as wording


def two_clouds() -> Dataset:
    """Thirty records of each class far apart, and in the end one that is called otherwise than those around it."""
    random = np.random.default_rng(2)
    x = np.concatenate([random.normal(0, 1, 30), random.normal(8, 1, 30), [0.1]])
    y = random.normal(0, 1, 61)
    schema = Schema((numeric("x"), numeric("y"), nominal("class", ("low", "high"))), 2)
    return Dataset(schema, [x, y, np.repeat([0, 1], [30, 31])])


def test_records_are_as_near_as_the_share_of_trees_that_have_them_in_one_leaf() -> None:
    data = mixed(80, missing=0.1)
    model = RandomForest(members=20).fit(data, RunContext(seed=1))
    assert is_of_trees(model)
    found = ForestProximity.among(model, data, RunContext())
    leaves = np.stack([member.leaves_of(data) for member in model.members], axis=1)  # type: ignore[attr-defined]
    for row in (0, 17, 79):
        wanted = [1.0 if other == row else float(np.mean(leaves[other] == leaves[row])) for other in range(80)]
        assert found.to(row).tolist() == wanted
        assert proximities(model, data.take([row]), data, RunContext()).tolist() == wanted
        nearest = found.nearest(row, 5)
        assert row not in nearest
        assert np.all(np.diff(found.to(row)[nearest]) <= 0)
        assert found.to(row)[nearest].min(initial=1) > 0


def test_records_that_a_missing_value_divides_share_no_leaf_but_with_themselves() -> None:
    data = mixed(60, missing=0.4)
    model = Bagging(base=C45(), members=5).fit(data, RunContext(seed=1))
    found = ForestProximity.among(model, data, RunContext())
    divided = int(np.flatnonzero((found.leaves < 0).any(axis=1))[0])
    kept = np.mean(found.leaves[divided] >= 0)
    assert found.to(divided)[divided] == 1
    assert np.delete(found.to(divided), divided).max() <= kept


def test_a_record_among_those_of_another_class_lies_farthest_out() -> None:
    data = two_clouds()
    model = RandomForest(members=60, min_leaf=3).fit(data, RunContext(seed=1))
    found = ForestProximity.among(model, data, RunContext())
    measure = found.outlyingness(data.class_codes, RunContext())
    assert int(np.argmax(measure)) == 60
    assert measure[60] > 5
    places = found.plane().places
    low, high = places[:30].mean(axis=0), places[30:60].mean(axis=0)
    assert np.linalg.norm(places[60] - low) < np.linalg.norm(places[60] - high)
    assert np.linalg.norm(low - high) > 2 * places[:30].std()


def test_how_far_out_is_what_the_manual_says_and_groups_without_a_common_leaf_are_equally_far_apart() -> None:
    random = np.random.default_rng(4)
    leaves = random.integers(0, 4, (40, 300)).astype(np.int32)
    codes = random.integers(0, 2, 40)
    found = ForestProximity(leaves).outlyingness(codes, RunContext())
    for code in (0, 1):
        rows = np.flatnonzero(codes == code)
        near = (leaves[rows, None, :] == leaves[None, rows, :]).mean(axis=2)
        raw = len(rows) / np.square(near).sum(axis=1)
        away = raw - np.median(raw)
        assert found[rows] == pytest.approx(np.maximum(away / np.abs(away).mean(), 0))
    wide = ForestProximity(leaves + 70_000)
    assert np.array_equal(
        wide.shares(np.arange(9), np.arange(40)), ForestProximity(leaves).shares(np.arange(9), np.arange(40))
    )
    groups = np.repeat(np.arange(3), 5)
    plane = ForestProximity(np.repeat(groups[:, None], 7, axis=1).astype(np.int32)).plane()
    apart = np.linalg.norm(plane.places[:, None] - plane.places[None], axis=2)
    assert apart == pytest.approx((groups[:, None] != groups).astype(float), abs=1e-7)
    assert plane.share == pytest.approx(1.0)


def test_of_many_records_some_are_placed_and_those_far_out_are_among_them(monkeypatch: pytest.MonkeyPatch) -> None:
    data = two_clouds()
    model = RandomForest(members=40, min_leaf=3).fit(data, RunContext(seed=1))
    whole = landscape(model, data, RunContext())
    assert whole.rows.tolist() == list(range(61)) and whole.farthest[0] == 60
    assert 0 < whole.plane.share <= 1
    monkeypatch.setattr("algorithms.learners.ensembles.random_forest.MOST_PLACED", 50)
    monkeypatch.setattr("algorithms.learners.ensembles.random_forest.MOST_LISTED", 4)
    monkeypatch.setattr("algorithms.learners.ensembles.random_forest.MOST_MEASURED", 60)
    some = landscape(model, data, RunContext(seed=3))
    assert len(some.rows) == 50 and np.all(np.diff(some.rows) > 0)
    assert some.rows[some.farthest].tolist() == whole.rows[whole.farthest][:4].tolist()
    assert some.outlyingness[some.farthest].tolist() == whole.outlyingness[whole.farthest][:4].tolist()
    drawn = measured_rows(61, RunContext(seed=3))
    assert len(drawn) == 60 and drawn.tolist() == measured_rows(61, RunContext(seed=3)).tolist()


def test_only_an_ensemble_of_trees_says_how_near_records_are() -> None:
    data = mixed(30)
    model = C45().fit(data, RunContext())
    assert not is_of_trees(model)
    with pytest.raises(DataError, match=wording.ENSEMBLE_OF_TREES):
        ForestProximity.among(model, data, RunContext())


def test_near_lists_the_nearest_records_and_those_far_out(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    data, saved, table = two_clouds(), tmp_path / "a.coppice-model", tmp_path / "a.csv"
    save_model(saved, train(RandomForest(members=40, min_leaf=3), data, (), RunContext(seed=1)))
    rows = zip(data.column(0).tolist(), data.column(1).tolist(), data.class_codes.tolist(), strict=True)
    table.write_text("x,y,class\n" + "".join(f"{x!r},{y!r},{('low', 'high')[c]}\n" for x, y, c in rows))
    assert main(["near", str(saved), str(table), "--json"], builtin()) == 0
    farthest = json.loads(capsys.readouterr().out)["records"][0]
    assert (farthest["record"], farthest["class"]) == (61, "high")
    assert main(["near", str(saved), str(table), "--record", "1", "--count", "3"], builtin()) == 0
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 4
    assert all(line.endswith("low") for line in printed[1:])
    assert main(["near", str(saved), str(table), "--record", "62"], builtin()) == 1
    assert wording.NO_RECORD_62 in capsys.readouterr().err
