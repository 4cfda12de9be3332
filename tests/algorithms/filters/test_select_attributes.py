"""Keeping the best attributes, beside published figures, scikit-learn, scipy and slow twins."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import evaluate
from algorithms.filters.select_attributes import (
    Correlated,
    SelectAttributes,
    chi_square,
    contingency_table,
    information_gain,
    ranges_of,
    relief,
)
from algorithms.io.samples import samples
from algorithms.learners.trees.c45 import C45

WEATHER = """sunny hot high false no/sunny hot high true no/overcast hot high false yes/rainy mild high false yes/
rainy cool normal false yes/rainy cool normal true no/overcast cool normal true yes/sunny mild high false no/
sunny cool normal false yes/rainy mild normal false yes/sunny mild normal true yes/overcast mild high true yes/
overcast hot normal false yes/rainy mild high true no"""


def never() -> None:
    return None


def weather() -> Dataset:
    """Quinlan's 14 Saturday mornings (1986)."""
    rows = [row.split() for row in WEATHER.split("/")]
    columns: list[Any] = []
    attributes = []
    for name, column in zip(
        ("outlook", "temperature", "humidity", "windy", "play"), zip(*rows, strict=True), strict=True
    ):
        values = sorted(set(column))
        attributes.append(nominal(name, values))
        columns.append([values.index(value) for value in column])
    return Dataset(Schema(tuple(attributes), 4), columns)


def iris() -> Dataset:
    return next(s for s in samples() if s.id == "iris").make(None, 1, RunContext(seed=1))


def scores(by: str, data: Dataset) -> np.ndarray:
    return SelectAttributes(by=by).scores(data, list(data.schema.predictors), RunContext(seed=1))


def kept(filter: SelectAttributes, data: Dataset) -> tuple[str, ...]:
    return filter.fit(data, RunContext(seed=1)).transform(data).schema.names


@pytest.mark.parametrize(
    ("by", "published"),
    [
        ("information-gain", (0.247, 0.029, 0.152, 0.048)),
        ("gain-ratio", (0.156, 0.019, 0.152, 0.049)),
        ("one-rule", (10 / 14, 9 / 14, 10 / 14, 9 / 14)),
    ],
)
def test_the_weather_is_judged_as_published(by: str, published: tuple[float, ...]) -> None:
    """Gains and gain ratios of Witten, Frank and Hall, Data Mining (tables 4.7); one rule: table 4.1."""
    np.testing.assert_allclose(scores(by, weather()), published, atol=6e-4)


def test_measures_are_those_of_scikit_learn_and_scipy() -> None:
    from scipy.stats import chi2_contingency
    from sklearn import metrics

    random = np.random.default_rng(2)
    a, c = random.integers(0, 5, 300), random.integers(0, 3, 300)
    c[a == 2] = 1
    counts = contingency_table(a, 5, c, 3, None)
    assert information_gain(counts) == pytest.approx(metrics.mutual_info_score(a, c) / np.log(2), abs=1e-12)
    assert chi_square(counts) == pytest.approx(chi2_contingency(counts, correction=False).statistic, rel=1e-12)
    data = Dataset(Schema((nominal("a", "pqrst"), nominal("c", "xyz")), 1), [a, c])
    wanted = metrics.normalized_mutual_info_score(a, c, average_method="arithmetic")
    assert scores("symmetrical-uncertainty", data)[0] == pytest.approx(wanted, abs=1e-9)
    shares = np.bincount(c) / 300
    inside = sum(np.mean(a == v) * (1 - sum(np.mean(c[a == v] == k) ** 2 for k in range(3))) for v in range(5))
    assert scores("gini", data)[0] == pytest.approx(1 - (shares**2).sum() - inside, abs=1e-12)


def test_the_subset_of_iris_is_the_published_one() -> None:
    """Weka's CfsSubsetEval with best-first search keeps both measures of the petal."""
    data = iris()
    assert kept(SelectAttributes(by="cfs"), data) == ("Petal Length", "Petal Width", data.schema.class_attribute.name)


def test_the_merit_of_a_subset_is_halls_formula() -> None:
    from sklearn import metrics

    data = iris()
    (a, _), (b, _) = (ranges_of(data, index, never) for index in (2, 3))

    def together(one: np.ndarray, other: np.ndarray) -> float:
        return float(metrics.normalized_mutual_info_score(one, other, average_method="arithmetic"))

    c = data.class_codes
    wanted = (together(a, c) + together(b, c)) / np.sqrt(2 + 2 * together(a, b))
    assert Correlated(data, [0, 1, 2, 3], never).merit((2, 3)) == pytest.approx(wanted, abs=1e-9)


def test_best_first_search_finds_the_best_of_all_subsets() -> None:
    random = np.random.default_rng(9)
    c = random.integers(0, 2, 300)
    columns = [np.where(random.random(300) < share, c, random.integers(0, 2, 300)) for share in (0.5, 0.4, 0.3, 0.1, 0)]
    columns.append(columns[0].copy())
    data = Dataset(Schema((*(nominal(f"a{i}", "pq") for i in range(6)), nominal("c", "xy")), 6), [*columns, c])
    search = Correlated(data, list(range(6)), never)
    every = [subset for size in range(1, 7) for subset in combinations(range(6), size)]
    assert search.merit(search.best()) == pytest.approx(max(map(search.merit, every)), abs=1e-12)


def expected_gap(x: np.ndarray, y: np.ndarray, is_list: bool, i: int, j: int) -> float:
    """Mean difference over all values that either may have, which are those of its class where it is not known."""
    ones, others = ([x[r]] if np.isfinite(x[r]) else x[(y == y[r]) & np.isfinite(x)] for r in (i, j))
    gaps = [float(a != b) if is_list else abs(a - b) for a in ones for b in others]
    return float(np.mean(gaps))


def relief_by_hand(x: np.ndarray, y: np.ndarray, k: int, lists: tuple[int, ...] = ()) -> np.ndarray:
    """Kononenko's formula, one record and one class after the other."""
    units = [1.0 if at in lists else float(np.nanmax(each) - np.nanmin(each)) for at, each in enumerate(x.T)]
    x, places = x / units, range(x.shape[1])
    worth = np.zeros(x.shape[1])
    shares = np.bincount(y) / len(y)
    for at in range(len(x)):
        gaps = np.array([[expected_gap(x[:, a], y, a in lists, at, i) for a in places] for i in range(len(x))])
        far = gaps.sum(axis=1)
        for code in range(len(shares)):
            among = sorted((i for i in range(len(x)) if i != at and y[i] == code), key=lambda i: far[i])
            nearer = [i for i in among if far[i] < far[among[:k][-1]] - 1e-9]
            tied = [i for i in among if abs(far[i] - far[among[:k][-1]]) <= 1e-9]
            part = -1 if code == y[at] else shares[code] / (1 - shares[y[at]])
            among_tied = (min(k, len(among)) - len(nearer)) * gaps[tied].mean(axis=0)
            worth += part * (gaps[nearer].sum(axis=0) + among_tied) / min(k, len(among)) / len(x)
    return worth


def test_relieff_is_kononenkos_formula() -> None:
    random = np.random.default_rng(4)
    x, y = random.normal(size=(60, 3)), random.integers(0, 3, 60)
    x[:, 0] += y
    schema = Schema((numeric("a"), numeric("b"), numeric("d"), nominal("y", "pqr")), 3)
    data = Dataset(schema, [*x.T.copy(), y])
    found = relief(data, [0, 1, 2], 5, 60, np.random.default_rng(1), never)
    np.testing.assert_allclose(found, relief_by_hand(x, y, 5), atol=1e-9)
    assert found[0] > max(found[1:])


def test_relieff_is_the_same_in_any_order_of_the_records() -> None:
    """Few values make many records equally far: those as far as the kth share its place."""
    random = np.random.default_rng(7)
    x, y = random.integers(0, 3, (120, 4)), random.integers(0, 2, 120)
    y = np.where(random.random(120) < 0.5, x[:, 0] > 0, y)
    schema = Schema((*(nominal(f"v{i}", "uvw") for i in range(4)), nominal("y", "pq")), 4)
    data = Dataset(schema, [*x.T.copy(), y])
    found = [
        relief(data.take(rows), [0, 1, 2, 3], 10, 200, np.random.default_rng(1), never)
        for rows in (np.arange(120), np.arange(120)[::-1], random.permutation(120))
    ]
    np.testing.assert_allclose(found[1:], [found[0]] * 2, atol=1e-12)
    np.testing.assert_allclose(found[0], relief_by_hand(x.astype(float), y, 10, lists=(0, 1, 2, 3)), atol=1e-9)


def test_relieff_takes_what_is_missing_for_what_its_class_has() -> None:
    random = np.random.default_rng(5)
    x, y = random.normal(size=(40, 3)), random.integers(0, 3, 40)
    x[:, 1] = random.integers(0, 3, 40)
    x[random.random(x.shape) < 0.2] = np.nan
    schema = Schema((numeric("a"), nominal("b", "uvw"), numeric("d"), nominal("y", "pqr")), 3)
    listed = np.where(np.isnan(x[:, 1]), -1, x[:, 1]).astype(np.int8)
    data = Dataset(schema, [x[:, 0].copy(), listed, x[:, 2].copy(), y])
    found = relief(data, [0, 1, 2], 5, 60, np.random.default_rng(1), never)
    np.testing.assert_allclose(found, relief_by_hand(x, y, 5, lists=(1,)), atol=1e-9)


def test_a_column_that_is_mostly_missing_is_worth_little() -> None:
    """What it says is right, but of one record in ten only; another column is right eight times in ten."""
    random = np.random.default_rng(6)
    y = random.integers(0, 2, 500)
    rarely = np.where(random.random(500) < 0.1, y, -1)
    mostly = np.where(random.random(500) < 0.8, y, 1 - y)
    data = Dataset(
        Schema((nominal("rarely", "01"), nominal("mostly", "01"), nominal("y", "01")), 2), [rarely, mostly, y]
    )
    for by in ("information-gain", "gini", "chi-square", "symmetrical-uncertainty", "one-rule"):
        worth = scores(by, data)
        assert worth[0] < worth[1], by
    known = rarely >= 0
    right = known.sum() + max(np.bincount(y[~known]))
    assert scores("one-rule", data)[0] == pytest.approx(right / 500)
    assert scores("symmetrical-uncertainty", data)[0] == pytest.approx(known.mean())
    assert "mostly" in kept(SelectAttributes(by="cfs"), data)
    assert scores("relieff", data)[0] <= known.mean() + 1e-9, "all that is missing is taken for what its class has"
    assert Correlated(data, [0, 1], never).with_class[0] == pytest.approx(known.mean())


def test_relieff_sees_what_two_attributes_say_only_together() -> None:
    random = np.random.default_rng(4)
    bits = random.integers(0, 2, (400, 6))
    attributes = (*(nominal(f"b{i}", "01") for i in range(6)), nominal("y", "01"))
    data = Dataset(Schema(attributes, 6), [*bits.T.copy(), bits[:, 0] ^ bits[:, 1]])
    assert set(kept(SelectAttributes(by="relieff", number=2), data)) == {"b0", "b1", "y"}


def test_the_best_or_all_above_a_number_stay() -> None:
    assert kept(SelectAttributes(number=2), weather()) == ("outlook", "humidity", "play")
    assert kept(SelectAttributes(keep="threshold", threshold=0.04), weather()) == (
        "outlook",
        "humidity",
        "windy",
        "play",
    )
    assert kept(SelectAttributes(number=1, columns=("temperature", "windy")), weather()) == (
        ("outlook", "humidity", "windy", "play")
    )


def test_what_is_not_learned_from_stays() -> None:
    data = weather().with_new_column(Attribute("note", AttributeKind.TEXT), ["x"] * 14)
    assert kept(SelectAttributes(number=1), data) == ("outlook", "play", "note")


def test_weights_are_repetition() -> None:
    weights = np.random.default_rng(2).integers(0, 4, 150)
    data = iris()
    repeated = data.take(np.repeat(np.arange(150), weights))
    for by in ("information-gain", "gain-ratio", "gini", "chi-square", "symmetrical-uncertainty", "one-rule"):
        np.testing.assert_allclose(
            scores(by, data.with_weights(weights.astype(float))), scores(by, repeated), rtol=1e-9
        )


def test_without_a_class_nothing_can_be_judged() -> None:
    data = weather().with_class(None)
    assert SelectAttributes().check(summarize(data))
    with pytest.raises(DataError, match="class"):
        SelectAttributes().fit(data, RunContext())


def test_on_noise_the_default_way_reports_about_chance_and_the_leaky_order_does_not() -> None:
    random = np.random.default_rng(7)
    n, d = 200, 2000
    schema = Schema((*(nominal(f"a{i}", "01") for i in range(d)), nominal("y", "01")), d)
    data = Dataset(schema, [*random.integers(0, 2, (d, n)), np.arange(n) % 2])
    step = SelectAttributes(number=10)
    honest = evaluate(C45(), data, CrossValidation(folds=10), RunContext(seed=1), recipe=(step,))
    leaked = step.fit(data, RunContext(seed=1)).transform(data)
    leaky = evaluate(C45(), leaked, CrossValidation(folds=10), RunContext(seed=1))
    right = [float(np.mean(result.truth == result.decision)) for result in (honest, leaky)]
    assert 0.38 < right[0] < 0.6 < right[1]


def test_what_was_found_lists_what_stays_first_with_its_score() -> None:
    heading, *rows = SelectAttributes(number=2).fit(weather(), RunContext()).learned_rows()
    assert heading == ["Column", "Information gain", "Stays"]
    assert [(name, stays) for name, _, stays in rows] == [
        ("outlook", "yes"),
        ("humidity", "yes"),
        ("windy", "no"),
        ("temperature", "no"),
    ]
    assert [float(gain) for _, gain, _ in rows] == pytest.approx([0.247, 0.152, 0.048, 0.029], abs=6e-4)
