"""Bringing numbers to a common scale, beside scikit-learn where the definition is the same."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from algorithms.core.errors import DataError, ModelFileError, ParameterError
from algorithms.core.filters import Filter, FittedRecipe
from algorithms.core.learner import State
from algorithms.core.run_control import RunContext
from algorithms.data.column_statistics import quantiles
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.filters import scale
from algorithms.filters.scale import CapOutliers, Capped, Scale, Scaled, UnitLength
from algorithms.filters.text_counts import TextToWords
from tests.expected_texts import filters as wording

NAN, INF = float("nan"), float("inf")


def table(*columns: Any, weights: Any = None) -> Dataset:
    names = [numeric(f"x{i}") for i in range(len(columns))]
    n = len(columns[0])
    schema = Schema((*names, nominal("y", "ab")), len(columns))
    return Dataset(schema, [*(np.asarray(c, dtype=float) for c in columns), np.arange(n) % 2], weights=weights)


def scaled(data: Dataset, filter: Filter, other: Dataset | None = None) -> np.ndarray:
    changed = filter.fit(data, RunContext()).transform(other or data)
    return np.column_stack([changed.column(i) for i in range(len(changed.schema) - 1)])


def numbers(n: int = 400) -> list[np.ndarray]:
    random = np.random.default_rng(5)
    columns = [random.normal(50, 7, n), random.lognormal(0, 2, n), random.integers(0, 6, n) * 1.0, np.full(n, 3.1)]
    columns[1][::9] = NAN
    columns[2][::7] = NAN
    return columns


@pytest.mark.parametrize(
    ("filter", "peer"),
    [
        (Scale(by="range"), ("MinMaxScaler", {})),
        (Scale(by="range", low=-1, high=3, clip=True), ("MinMaxScaler", {"feature_range": (-1, 3), "clip": True})),
        (Scale(by="z-score"), ("StandardScaler", {})),
        (Scale(by="robust"), ("RobustScaler", {})),
        (Scale(by="rank"), ("QuantileTransformer", {"subsample": None})),
        (Scale(by="rank", quantiles=40), ("QuantileTransformer", {"subsample": None, "n_quantiles": 40})),
        (
            Scale(by="rank", shape="bell", quantiles=40),
            ("QuantileTransformer", {"subsample": None, "n_quantiles": 40, "output_distribution": "normal"}),
        ),
    ],
    ids=lambda case: case.summary() if isinstance(case, Scale) else case[0],
)
def test_scales_are_those_of_scikit_learn(filter: Scale, peer: tuple[str, dict[str, Any]]) -> None:
    from sklearn import preprocessing

    train, test = numbers(), [column * 1.3 - 2 for column in numbers(90)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fewer records than quantiles
        fitted = getattr(preprocessing, peer[0])(**peer[1]).fit(np.column_stack(train))
    for columns in (train, test):
        ours, theirs = scaled(table(*train), filter, table(*columns)), fitted.transform(np.column_stack(columns))
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


def test_logarithm_keeps_the_sign_and_zero() -> None:
    found = scaled(table([0, np.e - 1, 1 - np.e, NAN, INF]), Scale(by="log"))[:, 0]
    np.testing.assert_allclose(found, [0, 1, -1, NAN, INF], atol=1e-15)


def test_numbers_below_zero_can_be_refused() -> None:
    filter = Scale(by="log", below_zero="refuse")
    with pytest.raises(DataError, match=wording.X1_HAS_NUMBERS_BELOW_0):
        filter.fit(table([1, 2], [1, -2]), RunContext())
    found = scaled(table([0, 1]), filter, table([-1, 0]))[:, 0]
    assert np.isnan(found[0]) and found[1] == 0


@pytest.mark.parametrize("by", ["range", "z-score", "robust", "rank"])
def test_weights_are_repetition(by: str) -> None:
    random = np.random.default_rng(2)
    x, weights = random.normal(size=50).round(1), random.integers(0, 4, 50)
    other = table(np.linspace(-3, 3, 31))
    filter = Scale(by=by, quantiles=20)
    weighted = scaled(table(x, weights=weights), filter, other)
    np.testing.assert_allclose(weighted, scaled(table(np.repeat(x, weights)), filter, other), atol=1e-12)


def test_weights_of_any_sum_have_the_quantiles_of_equal_ones() -> None:
    x = np.array([3.0, 1.0, 4.0, 1.5])
    for weight in (0.25, 1.0, 0.7):
        found = quantiles(x, np.full(4, weight), (0.1, 0.5, 0.9))
        np.testing.assert_allclose(found, np.quantile(x, (0.1, 0.5, 0.9)), atol=1e-12)


@pytest.mark.parametrize("by", ["range", "z-score", "robust", "rank"])
def test_infinities_have_no_say_and_stay_at_the_ends(by: str) -> None:
    x = np.arange(11.0)
    filter = Scale(by=by, quantiles=11)
    with_ends = scaled(table([*x, INF, -INF]), filter, table([*x, INF, -INF]))[:, 0]
    np.testing.assert_allclose(with_ends[:-2], scaled(table(x), filter)[:, 0], atol=1e-12)
    assert with_ends[-2] == (1 if by == "rank" else INF) and with_ends[-1] == (0 if by == "rank" else -INF)


@pytest.mark.parametrize(("by", "level"), [("range", 0.0), ("z-score", 0.0), ("robust", 0.0), ("rank", 0.0)])
def test_constant_numbers_become_the_lower_end(by: str, level: float) -> None:
    found = scaled(table([0.1] * 7), Scale(by=by), table([0.1, 0.1 + 1e-3]))[:, 0]
    assert found[0] == level and found[0] <= found[1] <= 1


@pytest.mark.parametrize("by", ["range", "z-score", "robust", "rank"])
def test_very_large_and_very_small_numbers_do_not_overflow(by: str) -> None:
    for ends in ([-1.7e308, 0, 1.7e308], [1e-306, 2e-306, 5e-306]):
        found = scaled(table(ends), Scale(by=by))[:, 0]
        assert np.all(np.isfinite(found)) and found[0] <= found[1] <= found[2]


def test_column_without_a_number_stays_as_it_is() -> None:
    for by in ("range", "z-score", "robust", "rank"):
        assert scaled(table([NAN, INF]), Scale(by=by), table([5, NAN]))[0, 0] == 5


def test_only_the_chosen_columns_are_scaled_and_others_refused() -> None:
    found = scaled(table([1, 3], [1, 3]), Scale(columns=("x1",)))
    assert found.tolist() == [[1, -1], [3, 1]]
    summary = summarize(table([1, 3]))
    assert [Scale(columns=(name,)).check(summary)[0].column for name in ("nothing", "y")] == ["nothing", "y"]


def words(n: int = 60) -> Dataset:
    """Texts counted as sparse columns, some of them with numbers of many words."""
    random = np.random.default_rng(3)
    texts = [" ".join(random.choice(["red", "blue", "green", "tall", "small"], 6)) for _ in range(n)]
    data = Dataset(
        Schema((Attribute("t", AttributeKind.TEXT), nominal("y", "ab")), 1),
        [np.array(texts, dtype=object), np.arange(n) % 2],
    )
    counted = TextToWords(columns=("t",), by="count", norm="none").fit(data, RunContext()).transform(data)
    assert counted.sparse_column(2) is not None
    return counted


def dense_twin(data: Dataset) -> np.ndarray:
    return np.column_stack([data.column(i) for i in range(2, len(data.schema))])


@pytest.mark.parametrize(
    ("filter", "peer"),
    [
        (Scale(by="z-score"), ("StandardScaler", {"with_mean": False})),
        (Scale(by="range"), ("MaxAbsScaler", {})),
        (Scale(by="robust"), ("RobustScaler", {"with_centering": False})),
    ],
    ids=lambda case: case.summary() if isinstance(case, Scale) else case[0],
)
def test_sparse_columns_stay_sparse_and_are_those_of_scikit_learn(filter: Scale, peer: tuple[str, Any]) -> None:
    preprocessing = pytest.importorskip("sklearn.preprocessing")
    data = words()
    fitted = filter.fit(data, RunContext())
    changed = fitted.transform(data)
    assert all(changed.sparse_column(i) is not None for i in range(2, len(changed.schema)))
    expected = getattr(preprocessing, peer[0])(**peer[1]).fit_transform(dense_twin(data))
    assert np.allclose(dense_twin(changed), expected)
    assert changed.schema == data.schema and np.array_equal(changed.row_ids, data.row_ids)
    part = data.take(np.array([5, 2, 2, 40]))
    assert np.allclose(dense_twin(fitted.transform(part)), expected[[5, 2, 2, 40]]), "rows that are no whole base"
    again = Scaled.from_state(fitted.to_state())
    assert np.allclose(dense_twin(again.transform(data)), expected)


def test_logarithms_keep_columns_sparse_and_ranks_refuse_to_make_too_many_dense(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = words()
    logs = Scale(by="log").fit(data, RunContext()).transform(data)
    assert logs.sparse_column(2) is not None and np.allclose(dense_twin(logs), np.log1p(dense_twin(data)))
    ranked = Scale(by="rank", shape="bell").fit(data, RunContext())
    even = Scale(by="rank").fit(data, RunContext()).transform(data)
    assert even.sparse_column(2) is not None, "the lowest number has rank 0"
    assert ranked.transform(data).sparse_column(2) is None
    monkeypatch.setattr(scale, "MOST_DENSE_CELLS", 100)
    with pytest.raises(DataError, match=wording.WOULD_BECOME_DENSE):
        ranked.transform(data)
    problems = Scale(by="rank", shape="bell").check(summarize(data))
    assert [wording.WOULD_BECOME_DENSE in problem.sentence for problem in problems] == [True]
    assert Scale(by="z-score").check(summarize(data)) == []


def test_ends_in_the_wrong_order_are_refused() -> None:
    with pytest.raises(ParameterError, match="larger"):
        Scale(by="range", low=1, high=1)


@pytest.mark.parametrize(
    "state",
    [
        State({}, {}),
        State({"way": "eval", "names": []}, {"learned": np.zeros((0, 6))}),
        State({"way": "line", "names": ["x"]}, {"learned": np.zeros((1, 5))}),
        State({"way": "line", "names": ["x"]}, {"learned": np.zeros((1, 6))}),
        State({"way": "rank", "names": ["x"]}, {"learned": np.array([[2.0, 1.0]])}),
        State({"way": "rank", "names": ["x"]}, {"learned": np.array([[2.0, NAN]])}),
        State({"way": "rank", "names": ["x"]}, {"learned": np.zeros((1, 0))}),
        State({"way": "line", "names": ["x", "y"]}, {"learned": np.ones((1, 6))}),
    ],
)
def test_damaged_file_is_refused(state: State) -> None:
    with pytest.raises(ModelFileError):
        Scaled.from_state(state)


@pytest.mark.parametrize(
    "filter", [*(Scale(by=by) for by in ("range", "z-score", "robust", "rank", "log")), Scale(by="rank", shape="bell")]
)
def test_a_threshold_between_scaled_numbers_parts_the_numbers_themselves_alike(filter: Scale) -> None:
    data = table(*numbers(), np.arange(400) // 80)
    learned = filter.fit(data, RunContext())
    changed = learned.transform(data)
    for index in range(5):
        name, own, after = f"x{index}", data.column(index), changed.column(index)
        ends = np.unique(after[~np.isnan(after)])
        for threshold in ((ends[:-1] + ends[1:]) / 2).tolist():
            found = learned.unscaled(name, threshold)
            assert found is not None
            np.testing.assert_array_equal(own <= found, after <= threshold)
    assert learned.unscaled("y", 0.5) == 0.5
    twice = FittedRecipe((learned, Scale(by="range").fit(changed, RunContext())))
    back = twice.unscaled("x0", float(twice.transform(data).column(0)[3]))
    assert back == pytest.approx(data.column(0)[3], rel=1e-6)


# ---- capping ---------------------------------------------------------------------------------------------------------


def test_quantiles_of_training_are_the_limits_as_numpy_computes_them() -> None:
    train, test = numbers(), [column * 1.3 - 2 for column in numbers(90)]
    found = scaled(table(*train), CapOutliers(by="quantiles", lower=5, upper=90), table(*test))
    limits = np.nanquantile(np.column_stack(train), (0.05, 0.9), axis=0)
    np.testing.assert_allclose(found, np.clip(np.column_stack(test), *limits), rtol=1e-12)


def test_winsorized_numbers_are_those_of_scipy() -> None:
    from scipy.stats.mstats import winsorize

    x = np.random.default_rng(1).permutation(np.arange(101.0))
    found = scaled(table(x), CapOutliers(by="quantiles", lower=10, upper=95))[:, 0]
    np.testing.assert_allclose(found, np.asarray(winsorize(x, (10 / 101, 5 / 101))), rtol=1e-12)


def test_fences_of_tukey_are_the_limits() -> None:
    x = [1.0, 2.0, 3.0, 4.0, 100.0, NAN, -INF]  # quartiles 2 and 4, so that the fences are -1 and 7
    assert scaled(table(x), CapOutliers())[:, 0].tolist()[:5] == [1, 2, 3, 4, 7]
    assert np.isnan(scaled(table(x), CapOutliers())[5, 0]) and scaled(table(x), CapOutliers())[6, 0] == -1
    assert scaled(table(x), CapOutliers(k=0), table([0, 9]))[:, 0].tolist() == [2, 4]


def test_an_attribute_whose_quartiles_are_equal_has_no_fences() -> None:
    x = [0.0] * 80 + list(range(1, 21))
    assert scaled(table(x), CapOutliers())[:, 0].tolist() == x
    assert CapOutliers().fit(table(x), RunContext()).learned_rows()[1] == ["x0", "none", "none"]
    assert scaled(table(x), CapOutliers(by="quantiles", lower=0, upper=95))[:, 0].max() == pytest.approx(15.05)


def test_limits_weigh_records_and_learn_nothing_from_an_empty_column() -> None:
    weighted = scaled(table([1, 2, 9], weights=[2, 2, 0]), CapOutliers(k=0), table([0, 9, 1.5]))
    assert weighted[:, 0].tolist() == [1, 2, 1.5]
    assert scaled(table([NAN, NAN]), CapOutliers(), table([0, 9]))[:, 0].tolist() == [0, 9]


def test_limits_are_shown_and_their_state_is_checked() -> None:
    fitted = CapOutliers().fit(table([1.0, 2.0, 3.0, 4.0, 100.0]), RunContext())
    assert fitted.learned_rows()[1] == ["x0", "-1", "7"]
    assert fitted.unscaled("x0", 3.0) == 3.0
    assert Capped.from_state(fitted.to_state()).learned.tolist() == fitted.learned.tolist()
    turned = State({"way": "line", "names": ["x"]}, {"learned": np.array([[0, 0.5, 1, 0, 3, 2.0]])})
    with pytest.raises(ModelFileError):
        Capped.from_state(turned)
    with pytest.raises(ParameterError):
        CapOutliers(by="quantiles", lower=60, upper=40)


# ---- unit length -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
def test_records_have_the_lengths_of_scikit_learn(norm: str) -> None:
    from sklearn.preprocessing import normalize

    columns = [np.nan_to_num(column) for column in numbers()]
    columns[0][3] = columns[1][3] = columns[2][3] = columns[3][3] = 0.0
    expected = normalize(np.column_stack(columns), norm)
    np.testing.assert_allclose(scaled(table(*columns), UnitLength(norm=norm)), expected, rtol=1e-12)


def test_a_missing_number_has_no_length_and_large_ones_do_not_overflow() -> None:
    found = scaled(table([3.0, 3e300, NAN], [4.0, 4e300, NAN], [NAN, 0.0, 0.0]), UnitLength())
    np.testing.assert_allclose(found[:2], [[0.6, 0.8, NAN], [0.6, 0.8, 0.0]], rtol=1e-12)
    assert np.isnan(found[2, :2]).all() and found[2, 2] == 0
    assert UnitLength().fit(table([1.0]), RunContext()).unscaled("x0", 0.6) is None


def test_numbers_near_the_limits_of_floating_point_have_unit_length() -> None:
    tiny = 5e-324
    for norm, share in (("l1", 0.5), ("l2", 0.5**0.5), ("max", 1.0)):
        found = scaled(table([1e308, tiny], [1e308, tiny]), UnitLength(norm=norm))
        np.testing.assert_allclose(found, [[share, share], [share, share]], rtol=1e-12)
