"""Rules as text, SQL, Python and PMML: what they say of every record is what the model says."""

from __future__ import annotations

import runpy
import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.runner import train
from algorithms.export.formats import exported
from algorithms.export.rules import MOST_VOTING
from algorithms.export.tree_code import AT_ONCE
from algorithms.filters.discretize import Discretize
from algorithms.filters.replace_missing import ReplaceMissing
from algorithms.learners.rules.model import RuleModel
from algorithms.learners.rules.one_r import OneR
from algorithms.learners.rules.part import Part
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.rules.sequential_covering import SequentialCovering
from algorithms.learners.trees.c45 import C45
from algorithms.structures.rule_set import Rule, RuleCondition, put_together
from tests.algorithms.battery_data import mixed
from tests.algorithms.export.pmml_reader import Pmml
from tests.algorithms.export.pmml_schema import faults
from tests.algorithms.export.test_decision_exports import with_rule
from tests.algorithms.export.test_exports import by_python, by_sql
from tests.expected_texts import export as wording

LEARNERS = [Part(), Ripper(), OneR(), OneR(min_bucket=40), SequentialCovering(order="by-rule", measure="entropy")]
VOTING = [SequentialCovering(order="unordered"), SequentialCovering(order="unordered", votes="plain")]
RECIPES = [(), (ReplaceMissing(),), (Discretize(),)]


def trained_on(learner: Learner, recipe: tuple = ()) -> tuple[TrainedClassifier, Dataset]:
    data = mixed(300, 3, missing=0.15)
    return train(learner, data, recipe, RunContext(seed=1)), mixed(200, 9, missing=0.2)


def cells(data: Dataset) -> list[dict[str, object]]:
    """The records as a program would hand them over, None where missing."""
    found: list[dict[str, object]] = [{} for _ in range(len(data))]
    for index in data.schema.predictors:
        attribute, column = data.schema.attributes[index], data.column(index)
        for row, value in enumerate(column.tolist()):
            missing = value < 0 if attribute.kind.is_coded else value != value
            found[row][attribute.name] = None if missing else attribute.values[value] if attribute.values else value
    return found


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe[0].id if recipe else "as it is")
@pytest.mark.parametrize("learner", [*LEARNERS, *VOTING], ids=lambda learner: f"{learner.id} {learner.changed()}")
def test_python_says_what_the_model_says(learner: Learner, recipe: tuple, tmp_path: Path) -> None:
    trained, data = trained_on(learner, recipe)
    path = tmp_path / "rules.py"
    path.write_text(exported(trained, "python"), encoding="utf-8")
    predict = runpy.run_path(str(path))["predict_with_probabilities"]
    said = [predict(record) for record in cells(data)]
    assert [label for label, _ in said] == [trained.classes[code] for code in trained.predict(data)]
    shares = np.array([[found[label] for label in trained.classes] for _, found in said])
    assert shares == pytest.approx(trained.predict_proba(data))


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe[0].id if recipe else "as it is")
@pytest.mark.parametrize("learner", [*LEARNERS, *VOTING], ids=lambda learner: f"{learner.id} {learner.changed()}")
def test_sql_says_what_the_model_says(learner: Learner, recipe: tuple) -> None:
    trained, data = trained_on(learner, recipe)
    records = cells(data)
    with sqlite3.connect(":memory:") as base:
        names = list(records[0])
        quoted = ", ".join(f'"{name}"' for name in names)
        base.execute(f"CREATE TABLE data ({quoted})")
        places = ", ".join("?" for _ in names)
        base.executemany(f"INSERT INTO data VALUES ({places})", [tuple(record.values()) for record in records])
        rows = base.execute(exported(trained, "sql")).fetchall()
    base.close()
    assert [row[-1] for row in rows] == [trained.classes[code] for code in trained.predict(data)]


def test_text_has_a_line_for_each_rule_and_the_default_one() -> None:
    trained, _ = trained_on(Ripper())
    lines = exported(trained, "text").splitlines()
    rules = [line for line in lines if line[:1].isdigit()]
    assert len(rules) == trained.model.facts()["rules"]
    assert rules[0].startswith("1. if ")
    assert lines[-1].startswith("otherwise: ")


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe[0].id if recipe else "as it is")
@pytest.mark.parametrize("learner", [*LEARNERS[1:], *VOTING], ids=lambda learner: f"{learner.id} {learner.changed()}")
def test_pmml_says_what_the_model_says(learner: Learner, recipe: tuple) -> None:
    trained, data = trained_on(learner, recipe)
    text = exported(trained, "pmml")
    assert faults(text) == []
    document = Pmml(text)
    scored = [document.score(record) for record in cells(data)]
    probabilities = trained.predict_proba(data)
    assert np.array([shares for _, shares in scored]) == pytest.approx(probabilities)
    ordered = np.sort(probabilities, axis=1)
    is_clear = (ordered[:, -1] - ordered[:, -2] > 1e-9).tolist()
    decisions = [trained.classes[code] for code in trained.predict(data)]
    assert [label for (label, _), clear in zip(scored, is_clear, strict=True) if clear] == [
        label for label, clear in zip(decisions, is_clear, strict=True) if clear
    ]


def test_text_says_what_becomes_of_a_record_that_rules_divide() -> None:
    assert "(missing: " in exported(trained_on(Part())[0], "text")


def test_too_many_votes_for_a_query_are_refused_in_words() -> None:
    voting, _ = trained_on(VOTING[0])
    model = voting.model
    assert isinstance(model, RuleModel)
    many = put_together(model.rules.schema, [Rule((), 0)] * (MOST_VOTING + 1), 0, is_ordered=False)
    with pytest.raises(DataError, match=wording.TOO_MANY_VOTES):
        exported(replace(voting, model=RuleModel(many)), "sql")


@pytest.mark.parametrize("is_voted", [True, False], ids=["votes", "leaves"])
def test_a_long_sum_nests_little_and_decides_as_the_model(is_voted: bool) -> None:
    """MariaDB's stack ended above 600 rules or 650 leaves: each term of a plain sum is one more level to it."""
    rng, n = np.random.default_rng(1), 950
    columns = rng.normal(size=(4, n))
    columns[rng.random((4, n)) < 0.1] = np.nan
    schema = Schema((*map(numeric, "abcd"), nominal("class", ("u", "v", "w"))), 4)
    noise = Dataset(schema, [*columns, rng.integers(0, 3, n).astype(np.int32)])
    own = C45(pruning="none", min_leaf=1, numeric_correction=False, average_gain_rule=False, numeric_min_split=False)
    trained = train(own, noise, (), RunContext(seed=1))
    if is_voted:
        below = [RuleCondition(i % 4, high=float(high)) for i, high in enumerate(rng.normal(size=MOST_VOTING))]
        rules = put_together(schema, [Rule((each,), i % 3) for i, each in enumerate(below)], 0, is_ordered=False)
        votes = rng.integers(1, 9, (MOST_VOTING, 3)).astype(float)
        trained = replace(trained, model=RuleModel(replace(rules, votes=votes)))
    sums = [line for line in exported(trained, "sql").splitlines() if line.count(" + ") > AT_ONCE]
    assert len(sums) == 3 and max(part.count(" + ") for line in sums for part in line.split("(")) <= AT_ONCE
    asked = noise.take(np.arange(100))
    assert by_sql(trained, cells(asked)) == [trained.classes[code] for code in trained.predict(asked)]


def tied(seed: int, n_rules: int, is_divided: bool) -> tuple[TrainedClassifier, Dataset]:
    """Rules whose parts and shares of classes are often equal, and records for most patterns of missing values."""
    rng, names = np.random.default_rng(seed), "abcd"
    schema = Schema((*(nominal(name, ("u", "v")) for name in names), nominal("class", ("k", "l", "m"))), 4)
    rules = []
    for _ in range(n_rules):
        columns = rng.choice(4, rng.integers(1, 3), replace=False).tolist()
        share = float(rng.choice([0.25, 0.5])) if is_divided else 0.0
        conditions = [RuleCondition(i, values=(int(rng.integers(2)),), missing_share=share) for i in columns]
        rules.append(Rule(tuple(conditions), int(rng.integers(3))))
    bare = put_together(schema, rules, int(rng.integers(3)), is_ordered=is_divided)
    counts = rng.choice([0.0, 2.0, 2.0, 4.0], (n_rules, 3))
    full = replace(
        bare,
        covered=counts,
        decided=counts,
        votes=bare.votes if is_divided else counts,
        default_counts=rng.choice([1.0, 1.0, 3.0], 3),
        correction=float(rng.integers(2)),
    )
    plain = Dataset(schema, [*rng.integers(0, 2, (4, 30)).astype(np.int32), rng.integers(0, 3, 30).astype(np.int32)])
    trained = train(Part(), plain, (), RunContext(seed=1))
    every = np.indices((3,) * 4).reshape(4, -1).astype(np.int32) - 1
    asked = Dataset(schema, [*every, np.zeros(every.shape[1], dtype=np.int32)])
    return replace(trained, model=RuleModel(full)), asked


@pytest.mark.parametrize("is_divided", [True, False], ids=["divided", "votes"])
@pytest.mark.parametrize("n_rules", [2, 3, 12])
def test_ties_are_decided_as_by_the_model(n_rules: int, is_divided: bool) -> None:
    n_tied = 0
    for seed in range(12):
        own, asked = tied(seed, n_rules, is_divided)
        for trained in (own, with_rule(own, "costs"), with_rule(own, "low")):
            records, decisions = cells(asked), [trained.classes[code] for code in trained.predict(asked)]
            assert by_sql(trained, records) == decisions
            assert [label for label, _ in by_python(trained, records)] == decisions
        ordered = np.sort(own.predict_proba(asked), axis=1)
        n_tied += int(np.count_nonzero(ordered[:, -1] - ordered[:, -2] < 1e-12))
    assert n_tied > 50
