"""Linear and quadratic discriminants: the coefficients and posteriors of others, and covariances that need help."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

from algorithms.core.errors import ModelFileError
from algorithms.core.learner import State
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.learners.linear.discriminant_analysis import (
    ClassMoments,
    LinearDiscriminant,
    QuadraticDiscriminant,
    chosen_shrinkage,
)
from algorithms.learners.linear.model import LinearModel, QuadraticModel
from tests.algorithms.learners.linear.made import numbers
from tests.expected_texts import learners as wording


def linear(data: Dataset, **options: object) -> LinearModel:
    model = LinearDiscriminant(**options).fit(data, RunContext())  # type: ignore[arg-type]
    assert isinstance(model, LinearModel)
    return model


def quadratic(data: Dataset, **options: object) -> QuadraticModel:
    model = QuadraticDiscriminant(**options).fit(data, RunContext())  # type: ignore[arg-type]
    assert isinstance(model, QuadraticModel)
    return model


@pytest.mark.parametrize(("k", "priors"), [(2, ()), (4, ()), (3, (0.2, 0.3, 0.5))])
def test_the_linear_one_is_that_of_scikit_learn(k: int, priors: tuple[float, ...]) -> None:
    data, table, codes = numbers(200, 5, k)
    theirs = LinearDiscriminantAnalysis(priors=list(priors) or None).fit(table, codes)
    model = linear(data, priors=priors, variance="population")
    planes = model.planes
    if k == 2:
        assert planes.log_odds(1, 0)[:-1] == pytest.approx(theirs.coef_[0], rel=1e-6, abs=1e-6)
        assert planes.log_odds(1, 0)[-1] == pytest.approx(theirs.intercept_[0], rel=1e-6)
    else:
        both = np.column_stack([theirs.coef_, theirs.intercept_])
        for code in range(1, k):
            assert planes.log_odds(code, 0) == pytest.approx(both[code] - both[0], rel=1e-6, abs=1e-6)
    other, asked, _ = numbers(100, 5, k, seed=1)
    assert np.abs(model.predict_proba(other) - theirs.predict_proba(asked)).max() < 1e-6


def test_a_sample_variance_has_the_textbooks_divisor() -> None:
    data, _, _ = numbers(80, 3, 4)
    sample, population = (linear(data, variance=each).planes.weight for each in ("sample", "population"))
    assert sample == pytest.approx(population * (80 - 4) / 80)


def test_the_axes_are_the_projection_of_scikit_learn() -> None:
    data, table, codes = numbers(200, 5, 4)
    theirs = LinearDiscriminantAnalysis().fit(table, codes)
    planes = linear(data, variance="population").planes
    ours = planes.terms.of(data).T @ planes.axes.loading
    expected = theirs.transform(table)
    assert len(planes.axes) == 3
    for at in range(3):
        turned = np.sign(np.corrcoef(ours[:, at], expected[:, at])[0, 1])
        assert np.abs(turned * ours[:, at] - expected[:, at]).max() < 1e-6
    assert planes.axes.share == pytest.approx(theirs.explained_variance_ratio_, abs=1e-6)
    loading = planes.axes.loading
    assert np.all(loading[np.abs(loading).argmax(axis=0), np.arange(3)] > 0)


@pytest.mark.parametrize(("k", "priors"), [(2, ()), (3, (0.6, 0.3, 0.1))])
def test_the_quadratic_one_has_the_posteriors_of_scikit_learn(k: int, priors: tuple[float, ...]) -> None:
    data, table, codes = numbers(300, 4, k, apart=0.4)
    table = table * (1 + 0.5 * codes[:, None])
    made = data.with_columns({i: (data.schema.attributes[i], table[:, i].copy()) for i in range(4)})
    theirs = QuadraticDiscriminantAnalysis(priors=list(priors) or None).fit(table, codes)
    model = quadratic(made, priors=priors)
    assert np.abs(model.predict_proba(made) - theirs.predict_proba(table)).max() < 1e-6
    assert model.remark() == ""
    for code in range(k):
        assert model.held.mean_of(code) == pytest.approx(table[codes == code].mean(axis=0))
        assert model.held.deviation_of(code) == pytest.approx(table[codes == code].std(axis=0, ddof=1))


def test_a_quadratic_one_of_shapes_all_alike_is_the_linear_one() -> None:
    data, _, _ = numbers(150, 4, 3)
    assert quadratic(data, pooling=1.0).predict_proba(data) == pytest.approx(linear(data).predict_proba(data))


def test_the_shrinkage_chosen_is_the_ratio_of_its_definition() -> None:
    """Schäfer and Strimmer: variances of correlations over their squares, here record by record."""
    random = np.random.default_rng(0)
    x = random.normal(size=(4, 30)) + random.normal(size=30)
    x -= x.mean(axis=1, keepdims=True)
    n = 30
    z = x / np.sqrt((x**2).mean(axis=1, keepdims=True))
    above = below = 0.0
    for i in range(4):
        for j in range(4):
            if i != j:
                w = z[i] * z[j]
                above += n / (n - 1) ** 3 * ((w - w.mean()) ** 2).sum()
                below += (n / (n - 1) * w.mean()) ** 2
    moments = ClassMoments(np.array([30.0]), np.zeros((1, 4)), (x @ x.T)[None], (x**2) @ (x**2).T)
    assert chosen_shrinkage(moments) == pytest.approx(above / below)


def test_attributes_taken_as_unrelated_have_the_weights_of_each_alone() -> None:
    data, _, _ = numbers(100, 3, 2)
    whole = linear(data, shrinkage="given", amount=1.0).planes.log_odds(1, 0)[:-1]
    alone = [linear(data.select_columns([at, 3])).planes.log_odds(1, 0)[0] for at in range(3)]
    assert whole == pytest.approx(alone)


def test_more_attributes_than_records_are_said_and_shrinkage_helps() -> None:
    random = np.random.default_rng(0)
    codes = np.arange(40) % 2
    table = random.normal(size=(40, 60)) + codes[:, None] * 0.5
    schema = Schema((*(numeric(f"x{i}") for i in range(60)), nominal("y", ("a", "b"))), 60)
    data = Dataset(schema, [*table.T.copy(), codes])
    plain = linear(data)
    assert "shared out" in plain.remark()
    assert np.all(plain.predict(data) == codes)
    asked = random.normal(size=(400, 60)) + (np.arange(400) % 2)[:, None] * 0.5
    other = Dataset(schema, [*asked.T.copy(), np.arange(400) % 2])
    right = np.mean(linear(data, shrinkage="automatic").predict(other) == other.class_codes)
    assert right > np.mean(plain.predict(other) == other.class_codes) + 0.05


def test_what_tells_the_classes_apart_without_spread_still_decides() -> None:
    random = np.random.default_rng(0)
    codes = np.arange(30) % 3
    schema = Schema((numeric("noise"), numeric("tells"), nominal("y", ("a", "b", "c"))), 2)
    data = Dataset(schema, [random.normal(size=30), codes * 2.0, codes])
    for model in (linear(data), quadratic(data)):
        assert np.all(model.predict(data) == codes)
        assert model.remark()


def test_a_class_of_few_records_takes_part_of_the_common_shape() -> None:
    data, _, _ = numbers(60, 4, 3)
    codes = np.where(np.arange(60) < 3, 2, data.class_codes % 2)
    model = quadratic(data.with_column(4, data.schema.class_attribute, codes))
    assert model.held.blended.tolist() == pytest.approx([0, 0, 4 / 7])
    assert wording.SHAPE_IS_IN_PART in model.remark()


def test_a_class_given_no_share_is_never_decided() -> None:
    data, _, _ = numbers(90, 2, 3)
    for model in (linear(data, priors=(1, 1, 0)), quadratic(data, priors=(1, 1, 0))):
        assert np.all(model.predict_proba(data)[:, 2] == 0)


def test_too_many_values_for_covariances_are_refused_in_words() -> None:
    schema = Schema((*(numeric(f"x{i}") for i in range(1500)), nominal("y", [str(i) for i in range(20)])), 1500)
    summary = summarize(Dataset(schema, [*np.zeros((1500, 2)), [0, 1]]), counted=False)
    assert not LinearDiscriminant().check(summary)
    assert wording.TOO_MANY_FOR_COVARIANCE in QuadraticDiscriminant().check(summary)[0].sentence


@pytest.mark.parametrize("name", ["root", "prior", "deviation", "centre", "share"])
def test_a_damaged_file_is_refused(name: str) -> None:
    model = quadratic(numbers(60, 3, 2)[0])
    state = model.to_state()
    for harm in (np.zeros((1, 1, 1, 1)), state.arrays[name].astype(np.float32), state.arrays[name] * np.nan):
        with pytest.raises(ModelFileError):
            QuadraticModel.from_state(model.schema, State(state.values, {**state.arrays, name: harm}))
