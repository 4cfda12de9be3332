"""Weighed sums as text, SQL, Python and PMML: what they say of every record is what the model says."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.filters import Recipe
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.runner import train
from algorithms.export.formats import exported
from algorithms.filters.discretize import Discretize
from algorithms.filters.replace_missing import ReplaceMissing
from algorithms.learners.linear.discriminant_analysis import LinearDiscriminant
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.structures.hyperplanes import Hyperplanes
from tests.algorithms.export.pmml_reader import Pmml
from tests.algorithms.export.pmml_schema import faults
from tests.algorithms.export.test_exports import by_python, by_sql, odd_data, rows
from tests.expected_texts import export as wording

LEARNERS: list[Learner] = [LogisticRegression(), LogisticRegression(penalty="lasso"), LinearDiscriminant()]
RECIPES: list[Recipe] = [(), (ReplaceMissing(),), (Discretize(),)]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe[0].id if recipe else "as it is")
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: f"{learner.id} {learner.changed()}")
def test_what_is_written_says_what_the_model_says(learner: Learner, recipe: Recipe) -> None:
    trained = train(learner, odd_data(1, 200), recipe, RunContext(seed=1))
    asked = odd_data(50, 300, missing=0.25)
    records = rows(asked)
    probabilities = trained.predict_proba(asked)
    decisions = [trained.classes[code] for code in trained.predict(asked).tolist()]
    python = by_python(trained, records)
    assert [label for label, _ in python] == decisions
    assert np.allclose([shares for _, shares in python], probabilities, atol=1e-11)
    assert by_sql(trained, records) == decisions
    text = exported(trained, "pmml")
    assert faults(text) == []
    scored = [Pmml(text).score(record) for record in records]
    assert np.allclose([shares for _, shares in scored], probabilities, atol=1e-9)
    assert [label for label, _ in scored] == decisions
    told = exported(trained, "text")
    assert told.startswith(wording.WEIGHED_SUMS_OF_CLASS)
    assert told.count("\nScore of ") == len(trained.classes)


def test_what_is_far_out_new_or_never_decided_is_as_in_the_model() -> None:
    """Infinity and a label that training never saw; a class without a record; 1,200 columns in one query."""
    random = np.random.default_rng(1)
    wide = [random.normal(1e6, 2.0, 90) for _ in range(1200)]
    codes = (wide[0] > 1e6).astype(int) * 2
    schema = Schema((*(numeric(f"x{i}") for i in range(1200)), nominal("kind", ["a", "b", "c"]),
                     nominal("y", ["no", "never", "yes"])), 1201)  # fmt: skip
    kind = random.integers(0, 2, 90)
    trained = train(LogisticRegression(strength=10.0), Dataset(schema, [*wide, kind, codes]), (), RunContext(seed=1))
    planes = trained.structure()
    assert isinstance(planes, Hyperplanes) and planes.n_terms == 1201
    far = [column.copy() for column in wide]
    far[0][:3], far[1][:3] = (np.inf, -np.inf, np.nan), (np.nan, 1e6, 5e6)
    asked = Dataset(schema, [*far, np.full(90, 2), codes])
    records = rows(asked)
    decisions = [trained.classes[code] for code in trained.predict(asked).tolist()]
    python = by_python(trained, records)
    assert [label for label, _ in python] == decisions
    assert np.allclose([shares for _, shares in python], trained.predict_proba(asked), atol=1e-9)
    assert "never" not in decisions and python[0][1][1] == 0.0
    pmml = Pmml(exported(trained, "pmml"))
    assert pmml.score(records[2])[1][1] == 0.0
    assert by_sql(trained, records) == decisions


def far_data(seed: int, scale: float, far: int = 0) -> Dataset:
    """90 records of numbers up to ``scale``; those of the first ``far`` records may be anywhere among the floats."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, 3, 90)
    columns = [np.clip(1.4 * (random.random(90) - 0.5) + 0.3 * (codes - 1), -1, 1) * scale for _ in range(3)]
    for column in columns:
        column[:far] = random.choice([1e300, -1e300, 1.7e308, -1.7e308, 1e20, -1e20, 0.0, 1.0], far)
    schema = Schema((*(numeric(f"x{i}") for i in range(3)), nominal("y", ["a", "b", "c"])), 3)
    return Dataset(schema, [*columns, codes])


@pytest.mark.parametrize("learner", [LogisticRegression(), LinearDiscriminant()], ids=lambda learner: learner.id)
def test_infinite_numbers_count_as_missing_in_every_export_as_in_the_model(learner: Learner) -> None:
    """PMML counted them as the end of the range."""
    data = far_data(1, 1.0)
    trained, columns = train(learner, data, (), RunContext(seed=1)), [data.column(i).copy() for i in range(4)]
    for nth in range(3):
        columns[nth][nth * 8 : nth * 8 + 12] = np.resize([np.inf, -np.inf], 12)
    asked = Dataset(data.schema, columns)
    records, probabilities = rows(asked), trained.predict_proba(asked)
    assert not np.allclose(probabilities, trained.predict_proba(data))
    text = exported(trained, "pmml")
    assert faults(text) == []
    for results in (by_python(trained, records), [Pmml(text).score(record) for record in records]):
        assert np.allclose([shares for _, shares in results], probabilities, atol=1e-9)


@pytest.mark.parametrize("scale", [1.0, 1e150, 1.7e308])
@pytest.mark.parametrize("learner", [LogisticRegression(), LinearDiscriminant()], ids=lambda learner: learner.id)
def test_numbers_far_from_the_mean_count_as_far_as_in_the_model(learner: Learner, scale: float) -> None:
    trained, asked = train(learner, far_data(1, scale), (), RunContext(seed=1)), far_data(2, scale, far=30)
    records, probabilities = rows(asked), trained.predict_proba(asked)
    decisions = [trained.classes[code] for code in trained.predict(asked).tolist()]
    assert len(set(decisions)) == 3
    text = exported(trained, "pmml")
    assert faults(text) == []
    for results in (by_python(trained, records), [Pmml(text).score(record) for record in records]):
        assert [label for label, _ in results] == decisions
        assert np.allclose([shares for _, shares in results], probabilities, atol=1e-9)
    assert by_sql(trained, records) == decisions
