"""Exports of classifiers with a decision rule predict as the classifier does, in every format."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.core.filters import Recipe
from algorithms.core.learner import Learner
from algorithms.core.record_costs import FormulaCosts, RecordCosts
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost, Choice, DecisionRule
from algorithms.evaluation.runner import train
from algorithms.export.formats import exported
from algorithms.export.model_view import ExportedRule
from algorithms.filters.replace_missing import ReplaceMissing
from algorithms.learners.linear.discriminant_analysis import LinearDiscriminant
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.rules.part import Part
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.rules.sequential_covering import SequentialCovering
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from tests.algorithms.export.pmml_reader import Pmml
from tests.algorithms.export.pmml_schema import faults
from tests.algorithms.export.test_exports import by_python, by_sql, odd_data, rows
from tests.expected_texts import export as wording

LEARNERS: list[Learner] = [
    C45(),
    C45(pruning="none"),
    Cart(),
    Cart(pruning="none", surrogates=0),
    Part(),
    Ripper(),
    SequentialCovering(order="unordered"),
    LogisticRegression(),
    LinearDiscriminant(),
]
RECIPES: list[Recipe] = [(), (ReplaceMissing(),)]
RULES = {"low": 0.23, "high": 0.81, "always": 0.0, "never": np.inf, "costs": None, "rewards": None}


def with_rule(trained: TrainedClassifier, name: str) -> TrainedClassifier:
    k = len(trained.classes)
    threshold = RULES[name]
    choice: Choice = ByCost() if threshold is None else AtThreshold(trained.classes[1], threshold)
    costs = np.random.default_rng(k).integers(1, 9, (k, k)).astype(float) + 0.5
    np.fill_diagonal(costs, -1.5 if name == "rewards" else 0.0)
    costs[1] *= 4
    return replace(trained, deciding=DecisionRule(trained.classes, choice, RecordCosts(costs)))


HOSTILE = ("C:\\Users\\x", '"""; raise SystemExit; """', "it's -- \n{label}", "a\\x")


@pytest.mark.parametrize("label", HOSTILE)
def test_no_label_of_a_class_becomes_code(label: str) -> None:
    data = odd_data(1, 200)
    attribute = replace(data.schema.class_attribute, values=(data.schema.classes[0], label, data.schema.classes[2]))
    data = data.with_column(data.schema.class_index, attribute, data.class_codes)
    model = train(C45(pruning="none"), data, (), RunContext(seed=1))
    records = rows(data)
    for name in RULES:
        trained = with_rule(model, name)
        decisions = [trained.classes[code] for code in trained.predict(data)]
        assert [decided for decided, _ in by_python(trained, records)] == decisions
        assert by_sql(trained, records) == decisions


def test_exports_of_many_classes_by_costs_stay_small_and_quick() -> None:
    """Without stages of its own the query takes minutes: SQLite repeats each expected cost in each comparison."""
    random, k = np.random.default_rng(1), 30
    codes = np.repeat(np.arange(k), 8).astype(np.int32)
    columns = [codes + random.normal(0, 2.0, len(codes)), random.normal(size=len(codes))]
    columns[0][::9] = np.nan
    schema = Schema((numeric("a"), numeric("b"), nominal("class", tuple(f"k{i}" for i in range(k)))), 2)
    data = Dataset(schema, [*columns, codes])
    trained = with_rule(train(C45(pruning="none"), data, (), RunContext(seed=1)), "costs")
    records = rows(data)
    decisions = [trained.classes[code] for code in trained.predict(data)]
    assert by_sql(trained, records) == decisions
    pmml = exported(trained, "pmml")
    assert [Pmml(pmml).decided(record) for record in records[:40]] == decisions[:40]
    plain = exported(replace(trained, deciding=None), "pmml")
    assert len(pmml) < 3 * len(plain)


def two_classes(data: Dataset) -> Dataset:
    """The records with the last class merged into the one before."""
    place = data.schema.class_index
    attribute = replace(data.schema.class_attribute, values=data.schema.classes[:2])
    return data.with_column(place, attribute, np.minimum(data.class_codes, 1))


@pytest.mark.parametrize("classes", [3, 2])
@pytest.mark.parametrize("recipe", RECIPES, ids=["as it is", "filled"])
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.summary()[:60])
def test_every_format_predicts_by_the_decision_rule(learner: Learner, recipe: Recipe, classes: int) -> None:
    training, data = odd_data(1, 200), odd_data(51, 150, missing=0.25)
    if classes == 2:
        training, data = two_classes(training), two_classes(data)
    model = train(learner, training, recipe, RunContext(seed=1))
    assert len(model.classes) == classes
    records, n_moved = rows(data), 0
    for name in RULES:
        trained = with_rule(model, name)
        decisions = [trained.classes[code] for code in trained.predict(data)]
        n_moved += sum(own != code for own, code in zip(model.predict(data), trained.predict(data), strict=True))
        python = by_python(trained, records)
        assert [label for label, _ in python] == decisions
        assert np.allclose([shares for _, shares in python], trained.predict_proba(data), atol=1e-9)
        assert by_sql(trained, records) == decisions
        text = exported(trained, "pmml")
        assert faults(text) == []
        document = Pmml(text)
        assert [document.decided(record) for record in records] == decisions
        assert wording.decision_rule(trained.deciding.words) in exported(trained, "text")  # type: ignore[union-attr]
    assert n_moved > 0


def test_the_model_alone_names_no_decision_rule() -> None:
    trained = train(C45(), odd_data(1), (), RunContext(seed=1))
    default = replace(trained, deciding=DecisionRule(trained.classes, None, None))
    for format in ("text", "sql", "python", "pmml"):
        assert exported(default, format) == exported(trained, format)
        assert wording.DECISION_RULE not in exported(trained, format)


def test_costs_that_differ_by_record_are_refused_in_words() -> None:
    trained = train(C45(), odd_data(1), (), RunContext(seed=1))
    k = len(trained.classes)
    formula = FormulaCosts("amount", np.ones(3), 1.0)
    costs = RecordCosts(np.zeros((k, k)), {(0, 1): formula})
    for format in ("text", "sql", "python", "pmml"):
        with pytest.raises(DataError, match=wording.COSTS_DIFFER):
            exported(replace(trained, deciding=DecisionRule(trained.classes, ByCost(), costs)), format)


@pytest.mark.parametrize(
    ("costs", "shares", "own", "decided"),
    [
        ([[0.0, 0.1], [0.3, 0.0]], [0.75, 0.25], 0, 0),  # 0.3 * 0.25 and 0.1 * 0.75 differ in the last digit
        ([[0.0, 0.1], [0.3, 0.0]], [0.75, 0.25], 1, 1),
        ([[0.0, 0.3, 0.3], [0.1, 0.0, 0.2], [0.3, 0.2, 0.0]], [0.25, 0.75, 0.0], 2, 0),
    ],
)
def test_a_tie_of_expected_costs_but_for_rounding_is_decided_as_by_the_model(
    costs: list[list[float]], shares: list[float], own: int, decided: int
) -> None:
    classes = ("a", "b", "c")[: len(costs)]
    deciding = DecisionRule(classes, ByCost(), RecordCosts(np.array(costs)))
    rule = ExportedRule(deciding, classes, np.array(costs))
    assert rule.codes(np.array([shares]), [own]) == [decided]
    program: dict[str, Any] = {"CLASSES": classes}
    exec(rule.python(), program)  # noqa: S102
    assert program["_decided"](classes[own], dict(zip(classes, shares, strict=True))) == classes[decided]
    stages, choice = rule.chosen([f"'{label}'" for label in classes], "s.p", str(own))
    columns = ", ".join(f"{expression} AS {name}" for name, expression in stages[0][1].items())
    given = ", ".join(f"{share} AS p{code}" for code, share in enumerate(shares))
    with closing(sqlite3.connect(":memory:")) as base:
        query = f"SELECT {choice} FROM (SELECT {columns} FROM (SELECT {given}) AS s) AS expected"
        assert base.execute(query).fetchone() == (classes[decided],)
