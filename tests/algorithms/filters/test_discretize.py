"""Cutting numbers into ranges as a step of a recipe."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from algorithms.core.errors import ModelFileError
from algorithms.core.learner import State
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.filters import discretize
from algorithms.filters.discretize import (
    FINEST,
    ONE_RANGE,
    Discretize,
    Discretized,
    chi_merge_cuts,
    chi_square_statistics,
    cuts_by_class,
    merge_intervals,
)
from algorithms.filters.select_attributes import class_counts, contingency_table, ranges_of
from algorithms.io.samples import samples
from algorithms.learners.trees.id3 import ID3

NAN = float("nan")


def table(x: object, classes: object, weights: object = None) -> Dataset:
    schema = Schema((numeric("x"), nominal("list", "pq"), nominal("class", "abc")), 2)
    x = np.asarray(x, dtype=float)
    weights = None if weights is None else np.asarray(weights, dtype=float)
    return Dataset(schema, [x, np.zeros(len(x), dtype=int), np.asarray(classes)], weights=weights)


def iris() -> Dataset:
    return next(s for s in samples() if s.id == "iris").make(None, 1, RunContext(seed=1))


def by_hand(x: np.ndarray, y: np.ndarray) -> list[tuple[float, float]]:
    """The gaps that Fayyad and Irani's rule cuts, from the formulas of the paper, one cut after the other."""

    def entropy(labels: np.ndarray) -> float:
        p = np.unique(labels, return_counts=True)[1] / len(labels)
        return float(-(p * np.log2(p)).sum())

    values = np.unique(x)
    best: tuple[float, float, float] | None = None
    for low, high in pairwise(values):
        left, right = y[x <= low], y[x > low]
        after = (len(left) * entropy(left) + len(right) * entropy(right)) / len(y)
        if best is None or after < best[0] - 1e-12:
            best = (after, float(low), float(high))
    if best is None:
        return []
    after, low, high = best
    left, right = y[x <= low], y[x > low]
    k, k1, k2 = (len(np.unique(part)) for part in (y, left, right))
    delta = np.log2(3**k - 2) - (k * entropy(y) - k1 * entropy(left) - k2 * entropy(right))
    if entropy(y) - after <= (np.log2(len(y) - 1) + delta) / len(y):
        return []
    return [*by_hand(x[x <= low], left), (low, high), *by_hand(x[x > low], right)]


def test_cuts_by_the_class_of_iris_are_those_of_the_rule_by_hand() -> None:
    data = iris()
    for index in range(4):
        gaps = by_hand(data.column(index), data.class_codes)
        cuts = cuts_by_class(data, index)
        assert len(cuts) == len(gaps)
        assert all(low < cut <= high for cut, (low, high) in zip(cuts, gaps, strict=True))


def test_weights_are_repetition() -> None:
    random = np.random.default_rng(3)
    x, y, weights = random.integers(0, 12, 80), random.integers(0, 3, 80), random.integers(1, 6, 80)
    y[x > 6] = 2
    repeated = table(np.repeat(x, weights), np.repeat(y, weights))
    assert cuts_by_class(table(x, y, weights), 0) == cuts_by_class(repeated, 0) != ()


def test_what_tells_nothing_becomes_one_range() -> None:
    data = table(np.arange(60), np.arange(60) % 2)
    changed = Discretize().fit(data, RunContext()).transform(data)
    assert changed.schema.attributes[0].values == (ONE_RANGE,)
    assert set(changed.column(0).tolist()) == {0}


def test_ranges_hold_their_lower_cut_and_missing_stays_missing() -> None:
    data = table([1, 1, 2, 2, 9, 9, NAN], [0, 0, 1, 1, 2, 2, 0])
    learned = Discretize(by="equal-width", ranges=2).fit(data, RunContext())
    changed = learned.transform(data)
    assert changed.schema.attributes[0].kind is AttributeKind.ORDINAL
    assert changed.column(0).tolist() == [0, 0, 0, 0, 1, 1, -1]
    (cut,) = learned.cuts["x"]
    assert learned.transform(table([cut, np.nextafter(cut, -1)], [0, 0])).column(0).tolist() == [1, 0]


def test_each_way_of_cutting() -> None:
    data = table([*range(20), 1000], [0] * 21)
    assert len(Discretize(by="equal-frequency", ranges=4).fit(data, RunContext()).cuts["x"]) == 3
    assert len(Discretize(by="equal-width", ranges=4).fit(data, RunContext()).cuts["x"]) == 1
    assert Discretize(by="class").fit(data, RunContext()).cuts["x"] == ()


@pytest.mark.parametrize(
    ("index", "published"),
    [
        (0, (4.9, 5.0, 5.5, 5.8, 7.1)),
        (2, (3.0, 4.5, 4.8, 5.0, 5.2)),
        (3, (1.0, 1.4, 1.7, 1.8, 1.9)),
    ],
)
def test_merging_iris_into_six_intervals_gives_the_published_ones(index: int, published: tuple[float, ...]) -> None:
    """The six intervals that exercises on Kerber's paper give for these attributes, each by the number it begins at."""
    data = iris()
    cuts = chi_merge_cuts(data, index, 0.01, 6)
    column = data.column(index)
    assert [column[column > cut].min() for cut in cuts] == list(published)


def by_chi_square(x: np.ndarray, y: np.ndarray, most: int, enough: float) -> list[float]:
    """Kerber's rule, one merge after the other, with scipy's statistic: where each interval but the first begins."""
    from scipy.stats import chi2_contingency

    tables = [(value, np.bincount(y[x == value], minlength=3).astype(float)) for value in np.unique(x)]
    while len(tables) > 1:
        scores = []
        for (_, low), (_, high) in pairwise(tables):
            both = np.vstack([low, high])
            both = both[:, both.sum(axis=0) > 0]
            scores.append(0.0 if both.shape[1] < 2 else chi2_contingency(both, correction=False).statistic)
        at = int(np.argmin(np.round(scores, 12)))
        if scores[at] >= enough and len(tables) <= most:
            break
        tables[at : at + 2] = [(tables[at][0], tables[at][1] + tables[at + 1][1])]
    return [float(value) for value, _ in tables[1:]]


@pytest.mark.parametrize("significance", [0.5, 0.9, 0.99])
def test_neighbours_are_joined_as_the_test_says(significance: float) -> None:
    from scipy.stats import chi2

    random = np.random.default_rng(4)
    x, y = random.integers(0, 30, 300).astype(float), random.integers(0, 3, 300)
    y[(x > 8) & (x < 20)] = 1
    cuts = chi_merge_cuts(table(x, y), 0, significance, 20)
    assert [x[x > cut].min() for cut in cuts] == by_chi_square(x, y, 20, chi2.ppf(significance, 2))


@pytest.mark.parametrize("k", [2, 3, 9])
def test_merging_takes_of_all_pairs_the_first_of_the_smallest_differences(k: int) -> None:
    """A plain twin that looks through all pairs at each step, on random tables with many equal differences."""
    random = np.random.default_rng(k)
    for _ in range(20):
        cells = random.poisson(1, (int(random.integers(2, 60)), k)).astype(float)
        cells = cells[cells.sum(axis=1) > 0]
        enough, most = float(random.choice([0.0, 1.0, 4.0])), int(random.integers(1, 40))
        plain, starts = cells.copy(), list(range(len(cells)))
        while len(plain) > 1:
            scores = chi_square_statistics(plain[:-1], plain[1:])
            at = int(np.argmin(scores))
            if scores[at] >= enough and len(plain) <= most:
                break
            plain[at] += plain[at + 1]
            plain = np.delete(plain, at + 1, axis=0)
            del starts[at + 1]
        assert merge_intervals(cells, enough, most) == starts


def test_each_merger_compares_the_new_interval_with_its_neighbours_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    compared, difference = 0, discretize._difference

    def counted(low: list[float], high: list[float]) -> float:
        nonlocal compared
        compared += 1
        return difference(low, high)

    monkeypatch.setattr(discretize, "_difference", counted)
    cells = np.random.default_rng(5).poisson(2, (FINEST, 3)).astype(float) + 1
    assert len(merge_intervals(cells, 1e9, 6)) == 1
    assert FINEST < compared <= 2 * FINEST


def test_merging_of_very_many_numbers_begins_with_fewer_intervals() -> None:
    random = np.random.default_rng(4)
    x = random.normal(size=3 * FINEST)
    cuts = chi_merge_cuts(table(x, np.where(x > 0.5, 1, 0)), 0, 0.99, 5)
    assert cuts and max(abs(cut - 0.5) for cut in cuts) < 0.01


def test_centres_are_those_of_scikit_learn() -> None:
    from sklearn import preprocessing

    random = np.random.default_rng(6)
    x = np.concatenate([random.normal(m, 0.6, n) for m, n in ((0, 200), (4, 50), (9, 120), (11.5, 80))])
    changed = Discretize(by="k-means", ranges=4).fit(table(x, [0] * 450), RunContext()).transform(table(x, [0] * 450))
    peer = preprocessing.KBinsDiscretizer(n_bins=4, encode="ordinal", strategy="kmeans", subsample=None)
    assert changed.column(0).tolist() == peer.fit_transform(x[:, None])[:, 0].astype(int).tolist()


def test_numbers_are_cut_where_a_person_says() -> None:
    data = table([1, 2, 2.5, 3, NAN, np.inf], [0] * 6)
    changed = Discretize(by="given", cuts=(3, 2)).fit(data, RunContext()).transform(data)
    assert changed.column(0).tolist() == [0, 1, 1, 2, -1, 2]
    assert Discretize(by="given").check(summarize(data))


def test_only_the_chosen_numbers_are_cut_and_others_are_refused() -> None:
    data = iris()
    changed = Discretize(columns=("Petal Width",)).fit(data, RunContext()).transform(data)
    kinds = [a.kind for a in changed.schema.attributes]
    assert kinds == [
        AttributeKind.NUMERIC,
        AttributeKind.NUMERIC,
        AttributeKind.NUMERIC,
        AttributeKind.ORDINAL,
        AttributeKind.NOMINAL,
    ]
    for name in ("nothing", "list", "class"):
        assert Discretize(columns=(name,)).check(summarize(table([1, 2], [0, 1])))[0].column == name


def test_id3_learns_from_what_was_cut() -> None:
    data = iris()
    learned = Discretize().fit(data, RunContext())
    model = ID3().fit(learned.transform(data), RunContext(seed=1))
    assert np.mean(model.predict(learned.transform(data)) == data.class_codes) > 0.94


@pytest.mark.parametrize(
    "state",
    [
        State({}, {}),
        State({"names": ["x"], "sizes": [2]}, {"cuts": np.zeros(1)}),
        State({"names": ["x"], "sizes": [2]}, {"cuts": np.array([2.0, 1.0])}),
        State({"names": ["x"], "sizes": [1]}, {"cuts": np.array([np.nan])}),
        State({"names": [1], "sizes": [1]}, {"cuts": np.zeros(1)}),
        State({"names": ["x"], "sizes": [-1]}, {"cuts": np.zeros(0)}),
        State({"names": ["x"], "sizes": [1]}, {"cuts": np.zeros(1, dtype=np.int64)}),
    ],
)
def test_damaged_file_is_refused(state: State) -> None:
    with pytest.raises(ModelFileError):
        Discretized.from_state(state)


def test_very_many_classes_are_cut_by() -> None:
    names = [f"k{i}" for i in range(800)]
    data = Dataset(Schema((numeric("x"), nominal("class", names)), 1), [np.arange(800.0), np.arange(800)])
    assert np.all(np.diff(Discretize().fit(data, RunContext()).cuts["x"]) > 0)


def test_infinite_numbers_count_on_their_side_of_the_cuts() -> None:
    x = np.concatenate([np.arange(20.0), [np.inf, -np.inf, NAN, np.inf]])
    y = np.concatenate([np.repeat([0, 1], 10), [0, 1, 0, 1]])
    data = table(x, y)
    values, n = ranges_of(data, 0, lambda: None)
    slow = contingency_table(values, n, data.class_codes.astype(np.int64), len(data.schema.classes), None)
    assert n > 1 and class_counts(data, 0, lambda: None).tolist() == slow.tolist()


def test_whole_weights_and_records_cut_alike_whether_logarithms_are_looked_up_or_not() -> None:
    random = np.random.default_rng(2)
    y = random.integers(0, 3, 900)
    x = random.normal(y, 1.0).round(2)
    plain, weighed = table(x, y), table(x, y, np.ones(900))
    assert cuts_by_class(plain, 0) == cuts_by_class(weighed, 0) != ()
