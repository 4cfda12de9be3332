"""Partial dependence beside scikit-learn, accumulated local effects and Friedman's H of functions that are known."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.filters import fit_recipe
from algorithms.core.learner import Probabilities, State
from algorithms.core.run_control import RunContext
from algorithms.core.training import LearnedModel, learn
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.evaluation.attribute_effects import (
    attribute_effects,
    effect_grid,
    effects_on,
    friedman_h,
    local_effects,
    pair_effects_on,
    similarity_order,
)
from algorithms.evaluation.learner_effects import LearnerEffects, LocalChanges, PairEffects
from algorithms.evaluation.methods.methods import CrossValidation, LeaveOneOut
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import evaluation as wording
from tests.workbench.toy import ToyModel

Function = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def made(n: int, seed: int = 0) -> Dataset:
    """Two correlated numbers and one that is independent, and a nominal attribute of three values."""
    random = np.random.default_rng(seed)
    first = random.uniform(size=n)
    second = np.clip(first + 0.05 * random.normal(size=n), 0, 1)
    third = random.uniform(size=n)
    color = random.integers(0, 3, n)
    codes = (random.uniform(size=n) < 0.3 + 0.4 * first).astype(np.int32)
    attributes = (
        numeric("first"),
        numeric("second"),
        numeric("third"),
        nominal("color", ("red", "green", "blue")),
        nominal("class", ("no", "yes")),
    )
    return Dataset(Schema(attributes, 4), [first, second, third, color, codes])


class Known(ToyModel):
    """A model whose probability of "yes" is a known function of the numbers (n, 4)."""

    def __init__(self, schema: Schema, function: Function) -> None:
        super().__init__(schema, np.ones(2))
        self.function = function

    def _predict_proba(self, data: Dataset) -> Probabilities:
        table = np.column_stack([np.asarray(data.column(i), dtype=np.float64) for i in range(4)])
        share = self.function(table)
        return np.column_stack([1 - share, share])


def known(data: Dataset, function: Function) -> LearnedModel:
    fitted, _prepared = fit_recipe((), data, RunContext())
    return LearnedModel(fitted, Known(data.schema, function), ZeroR(), ())


def test_partial_dependence_is_that_of_scikit_learn() -> None:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.inspection import partial_dependence

    data = made(120)
    learned = learn(NaiveBayes(), (), data, RunContext())

    class Theirs(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
        def fit(self, _table: object, _codes: object = None) -> Theirs:
            self.classes_ = np.array([0, 1])
            self.n_features_in_ = 4
            return self

        def predict_proba(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
            columns = [table[:, 0], table[:, 1], table[:, 2], table[:, 3].astype(np.int32)]
            return learned.model.predict_proba(Dataset(data.schema, [*columns, np.zeros(len(table), dtype=np.int32)]))

        def predict(self, table: NDArray[np.float64]) -> NDArray[np.int64]:
            return self.predict_proba(table).argmax(axis=1)

    table = np.column_stack([np.asarray(data.column(i), dtype=np.float64) for i in range(4)])
    asked = {"method": "brute", "response_method": "predict_proba"}
    grid = effect_grid(data, 0, 15)
    theirs = partial_dependence(Theirs().fit(table), table, [0], kind="both", custom_values={0: grid}, **asked)
    ours = effects_on(learned, data, 0, grid, RunContext(), 50)
    np.testing.assert_allclose(ours.dependence[:, 1], theirs["average"][0], atol=1e-12)
    np.testing.assert_allclose(ours.lines[:, :, 1], theirs["individual"][0][::3], atol=1e-12)
    both = partial_dependence(Theirs().fit(table), table, [(0, 3)], grid_resolution=12, **asked)
    numbers, codes = both["grid_values"]
    pair = pair_effects_on(learned, data, (0, 3), (numbers, codes), RunContext())
    assert pair.dependence.shape == (12, 3, 2)
    np.testing.assert_allclose(pair.dependence[:, :, 1], both["average"][0], atol=1e-12)


def test_second_order_effects_of_a_sum_are_0_and_of_a_product_its_centred_product() -> None:
    data = made(300)
    grids = effect_grid(data, 0, 6), effect_grid(data, 2, 5)
    shift = np.array([0.25, 0.0, 0.125])
    additive = known(data, lambda x: 0.25 * (x[:, 0] > 0.5) + 0.125 * (x[:, 2] > 0.3) + shift[x[:, 3].astype(int)])
    codes = np.array([1.0, 0.0, 2.0])
    for pair, both in (((0, 2), grids), ((0, 3), (grids[0], codes)), ((3, 2), (codes, grids[1]))):
        assert np.all(pair_effects_on(additive, data, pair, both, RunContext()).local == 0)
    smooth = known(data, lambda x: 0.1 + 0.3 * x[:, 0] ** 2 + 0.2 * np.sin(x[:, 2]))
    np.testing.assert_allclose(pair_effects_on(smooth, data, (0, 2), grids, RunContext()).local, 0, atol=1e-15)
    product = known(data, lambda x: 0.5 + 0.5 * (x[:, 0] - 0.5) * (x[:, 2] - 0.5))
    local = pair_effects_on(product, data, (0, 2), grids, RunContext()).local[:, :, 1]
    twist = np.diff(np.diff(local, axis=0), axis=1)  # main effects leave this as it is
    np.testing.assert_allclose(twist, 0.5 * np.outer(np.diff(grids[0]), np.diff(grids[1])), atol=1e-12)


@pytest.mark.parametrize("pair", [(0, 2), (0, 1), (3, 0), (0, 3)])
def test_second_order_effects_are_those_of_a_slow_twin(pair: tuple[int, int]) -> None:
    """The correlated pair (0, 1) has cells without a record."""
    data = made(80, 3)
    learned = known(data, lambda x: 0.4 * x[:, 0] * x[:, 1] + 0.1 * (x[:, 2] > 0.4) * x[:, 0] + 0.1 * x[:, 3] * x[:, 0])
    grids = tuple(np.array([2.0, 0.0, 1.0]) if index == 3 else effect_grid(data, index, 5) for index in pair)
    v, w = map(len, grids)
    table = np.column_stack([np.asarray(data.column(i), dtype=np.float64) for i in range(4)])

    def ask(row: int, first: float, second: float) -> float:
        record = table[row : row + 1].copy()
        record[0, pair[0]], record[0, pair[1]] = first, second
        return float(learned.model.function(record)[0])  # type: ignore[attr-defined]

    def places(axis: int, row: int) -> tuple[dict[int, float], list[int]]:
        """Shares of the values of the grid, and the intervals of a record."""
        grid, own = grids[axis], table[row, pair[axis]]
        if pair[axis] == 3:
            place = grid.tolist().index(own)
            return {place: 1.0}, [i for i in (place - 1, place) if 0 <= i < len(grid) - 1]
        interval = next(i for i in range(len(grid) - 1) if own <= grid[i + 1])
        return {interval: 0.5, interval + 1: 0.5}, [interval]

    cells: dict[tuple[int, int], list[float]] = {}
    at, along, across = np.zeros((v, w)), np.zeros((v - 1, w)), np.zeros((v, w - 1))
    for row in range(len(table)):
        (shares1, intervals1), (shares2, intervals2) = places(0, row), places(1, row)
        for i in intervals1:
            for j in intervals2:
                (a, b), (c, d) = grids[0][i : i + 2], grids[1][j : j + 2]
                change = (ask(row, b, d) - ask(row, a, d)) - (ask(row, b, c) - ask(row, a, c))
                cells.setdefault((i, j), []).append(change)
        for i, one in shares1.items():
            for j, other in shares2.items():
                at[i, j] += one * other
            for j in intervals2:
                across[i, j] += one
        for i in intervals1:
            for j, other in shares2.items():
                along[i, j] += other

    def mean(i: int, j: int) -> float:
        near = min(sorted(cells), key=lambda cell: (w * (cell[0] - i)) ** 2 + (v * (cell[1] - j)) ** 2)
        return float(np.mean(cells[near]))

    surface = np.zeros((v, w))
    for i in range(1, v):
        for j in range(1, w):
            surface[i, j] = surface[i - 1, j] + surface[i, j - 1] - surface[i - 1, j - 1] + mean(i - 1, j - 1)
    main1, main2 = np.zeros(v), np.zeros(w)
    for i in range(1, v):
        main1[i] = main1[i - 1] + along[i - 1] @ (surface[i] - surface[i - 1]) / along[i - 1].sum()
    for j in range(1, w):
        main2[j] = main2[j - 1] + across[:, j - 1] @ (surface[:, j] - surface[:, j - 1]) / across[:, j - 1].sum()
    rest = surface - main1[:, None] - main2
    rest -= (at * rest).sum() / at.sum()
    local = pair_effects_on(learned, data, pair, (grids[0], grids[1]), RunContext()).local[:, :, 1]
    np.testing.assert_allclose(local, rest, atol=1e-12)


def test_a_pair_over_folds_has_intervals_and_counts_all_records_and_begins_coarsely() -> None:
    data, method = made(200), CrossValidation(folds=4)
    published: list[LearnerEffects] = []
    context = RunContext(seed=3, listener=lambda one: published.append(one) if isinstance(one, LearnerEffects) else 0)
    context.kept = {}
    found = attribute_effects(Cart(), data, method, context, (), pairs=[("first", "color")])
    pair = found.of(("first", "color"))
    assert isinstance(pair, PairEffects) and pair.is_whole and pair.n_records == 200
    ends, means = pair.intervals(1), pair.dependence(1)
    assert ends is not None and np.all(ends[0] <= means) and np.all(means <= ends[1])
    assert pair.counts.sum() == pytest.approx(200) and pair.counts.shape == (11, 3)
    assert len(pair.rows(1)) == 1 + 33
    coarse = published[0].of(("first", "color"))
    assert isinstance(coarse, PairEffects) and len(coarse.folds) == 1 and len(coarse.grids[0]) == 4
    assert len(published) == 5
    kept = dict(context.kept)
    again = RunContext(seed=3)
    again.kept = kept
    single = attribute_effects(Cart(), data, method, again, ("first",)).effects[0]
    assert single.rows(1) == attribute_effects(Cart(), data, method, RunContext(seed=3), ("first",)).effects[0].rows(1)
    assert len([key for key in kept if key[2] == "model"]) == 4 and again.kept.keys() == kept.keys()
    assert single.counts.sum() == 200


def test_local_effects_of_a_sum_are_its_terms_whatever_is_correlated() -> None:
    data = made(400)
    learned = known(data, lambda x: 0.1 + 0.3 * x[:, 0] + 0.2 * x[:, 1] ** 2)
    for index, term in ((0, lambda v: 0.3 * v), (1, lambda v: 0.2 * v**2)):
        grid = effect_grid(data, index, 40)
        local = effects_on(learned, data, index, grid, RunContext()).local[:, 1]
        np.testing.assert_allclose(local - local[0], term(grid) - term(grid[0]), atol=1e-12)
    none = effects_on(learned, data, 2, effect_grid(data, 2), RunContext())
    np.testing.assert_allclose(none.local, 0, atol=1e-15)


def test_local_effects_are_those_of_a_slow_twin() -> None:
    data = made(60, 3)
    learned = known(data, lambda x: 0.5 * x[:, 0] * x[:, 1] + 0.1 * (x[:, 2] > 0.4))
    for index in (0, 2):
        grid = effect_grid(data, index, 7)
        own = np.asarray(data.column(index))
        steps, counts = np.zeros(len(grid) - 1), np.zeros(len(grid) - 1)
        for row in range(60):
            interval = next(i for i in range(len(grid) - 1) if own[row] <= grid[i + 1])
            low, high = (
                learned.model.predict_proba(
                    data.take([row]).with_column(index, data.schema.attributes[index], np.array([value]))
                )[0, 1]
                for value in grid[interval : interval + 2]
            )
            steps[interval] += high - low
            counts[interval] += 1
        curve = np.concatenate([[0.0], np.cumsum(steps / np.maximum(counts, 1))])
        curve -= sum(c * (a + b) / 2 for c, a, b in zip(counts, curve[:-1], curve[1:], strict=True)) / 60
        local = effects_on(learned, data, index, grid, RunContext()).local[:, 1]
        np.testing.assert_allclose(local, curve, atol=1e-12)


def test_correlated_attributes_mislead_partial_dependence_but_not_local_effects() -> None:
    """Where first and second are nearly equal, x1 (1 - x2) never exceeds a quarter: its effect bends."""
    data = made(1000)
    learned = known(data, lambda x: x[:, 0] * (1 - x[:, 1]))
    found = effects_on(learned, data, 0, effect_grid(data, 0, 20), RunContext())
    assert np.all(np.diff(found.dependence[:, 1]) >= -1e-12)
    assert found.local[len(found.local) // 2, 1] > found.local[0, 1] + 0.2
    assert np.argmax(found.dependence[:, 1]) == len(found.dependence) - 1


def test_nominal_values_are_ordered_by_likeness_and_their_effects_are_exact() -> None:
    data = made(300)
    shift = np.array([0.0, 1.0, 0.5])
    near = np.asarray(data.column(2)) + shift[np.asarray(data.column(3))]
    ordered = data.with_column(2, numeric("third"), near)
    order = similarity_order(ordered, 3, np.array([0, 1, 2]))
    assert order.tolist() in ([0, 2, 1], [1, 2, 0])
    effect = np.array([0.1, 0.5, 0.2])
    learned = known(data, lambda x: effect[x[:, 3].astype(int)])
    found = effects_on(learned, data, 3, np.array([0.0, 1.0, 2.0]), RunContext())
    np.testing.assert_allclose(found.local[:, 1] - found.local[0, 1], effect - effect[0], atol=1e-12)
    np.testing.assert_allclose(found.dependence[:, 1], effect, atol=1e-12)


def test_likeness_is_that_of_a_slow_twin() -> None:
    random = np.random.default_rng(2)
    n, c = 300, 6
    own, color = random.integers(-1, c, n), random.integers(-1, 3, n)
    number = np.where(random.uniform(size=n) < 0.1, np.nan, (0.3 * own + random.normal(size=n)).round(1))
    attributes = (
        nominal("own", tuple("abcdef")),
        nominal("color", tuple("rgb")),
        numeric("number"),
        nominal("class", ("n", "y")),
    )
    data = Dataset(Schema(attributes, 3), [own, color, number, np.zeros(n, dtype=np.int32)])
    at = np.unique(np.quantile(number[np.isfinite(number)], np.linspace(0, 1, 101)))
    distances = np.zeros((c, c))
    for i, j in np.ndindex(c, c):
        shares, steps = [], []
        for code in (i, j):
            colors, numbers = color[(own == code) & (color >= 0)], number[(own == code) & np.isfinite(number)]
            shares.append(np.array([np.mean(colors == one) for one in range(3)]))
            steps.append(np.array([np.mean(numbers <= value) for value in at]))
        distances[i, j] = np.abs(shares[0] - shares[1]).sum() / 2 + np.abs(steps[0] - steps[1]).max()
    centre = np.eye(c) - 1 / c
    first = np.linalg.eigh(-centre @ distances**2 @ centre / 2)[1][:, -1]
    slow = np.argsort(first).tolist()
    assert similarity_order(data, 0, np.arange(c)).tolist() in (slow, slow[::-1])


def test_h_of_known_functions() -> None:
    data = made(50)
    context = RunContext()
    additive = known(data, lambda x: 0.3 * x[:, 0] + 0.2 * x[:, 2] ** 2)
    np.testing.assert_allclose(friedman_h(additive, data, (0, 1, 2), context)[0], 0, atol=1e-7)
    product = known(data, lambda x: (x[:, 0] - 0.5) * (x[:, 2] - 0.5) + 0.5)
    h, joint = (one[:, 1] for one in friedman_h(product, data, (0, 1, 2), context))
    assert h[1] > 0.8 and h[0] == pytest.approx(0, abs=1e-7) and h[2] == pytest.approx(0, abs=1e-7)
    first, third = np.asarray(data.column(0)), np.asarray(data.column(2))
    assert joint[1] == pytest.approx(np.std((first - 0.5) * (third - 0.5)))


def test_a_share_of_next_to_nothing_does_not_rank_first() -> None:
    h, joint = np.array([[[0.98], [0.2], [0.5]]]), np.array([[[0.001], [0.03], [0.1]]])
    found = LearnerEffects((), (), ("a", "b", "c"), h, joint)
    assert [one.names for one in found.interactions(0)] == [("b", "c"), ("a", "c"), ("a", "b")]
    assert [one.is_small for one in found.interactions(0)] == [False, False, True]
    again = LearnerEffects.from_state(found.to_state())
    assert again.interactions(0) == found.interactions(0)
    state = found.to_state()
    older = State(state.values, {"h": h})
    unsized = LearnerEffects.from_state(older)
    assert unsized.interactions(0)[0].names == ("a", "b") and unsized.interactions(0)[0].written_joint == ""
    assert len(LearnerEffects.from_state(unsized.to_state()).interactions(0)) == 3


def test_a_fuller_result_is_not_replaced_by_a_first_answer_or_by_fewer_folds() -> None:
    data, published = made(100), []
    context = RunContext(listener=lambda one: published.append(one) if isinstance(one, LearnerEffects) else 0)
    whole = attribute_effects(
        ZeroR(), data, CrossValidation(folds=5), context, ("first",), interacting=("first", "third")
    )
    coarse, one_fold, two_folds = published[:3]
    assert wording.ONE_OF_5_FOLDS in coarse.effects[0].remark and not whole.effects[0].remark
    assert wording.ONE_OF_5_PARTS in one_fold.effects[0].remark
    assert coarse.with_new(one_fold).effects == one_fold.effects
    for fewer in (coarse, one_fold):
        kept = two_folds.with_new(fewer)
        assert kept.effects == two_folds.effects and len(kept.h) == 2
    assert two_folds.with_new(whole).effects == whole.effects and len(two_folds.with_new(whole).h) == 5


def test_effects_over_folds_have_intervals_and_are_the_same_again() -> None:
    data, method = made(200), CrossValidation(folds=4)
    found = attribute_effects(Cart(), data, method, RunContext(seed=3), ("first",)).effects[0]
    ends = found.intervals(1)
    assert ends is not None and np.all(ends[0] <= found.dependence(1)) and np.all(found.dependence(1) <= ends[1])
    names = "first", "second", "third"
    several = attribute_effects(Cart(), data, method, RunContext(seed=3), names, interacting=names)
    again = several.effects[0]
    assert again.rows(1) == found.rows(1)
    assert sum(fold.n for fold in found.folds) == 200
    strongest = several.interactions(1)
    assert [one.h for one in strongest] == sorted((one.h for one in strongest), reverse=True)
    assert all(0 <= one.h <= 1.5 for one in strongest) and len(strongest) == 3


class KnownLearner(ZeroR):
    """Learns 0.1 + 0.8 first third, whatever the records."""

    id = "known"

    def _fit(self, data: Dataset, context: RunContext) -> Known:
        return Known(data.schema, lambda x: 0.1 + 0.8 * x[:, 0] * x[:, 2])


@pytest.mark.parametrize("n", [100, 150])
def test_local_effects_over_folds_of_few_records_are_not_shrunk(n: int) -> None:
    """Of 0.8 x z the effect of x has the slope 0.4, and both together 0.8 (x - 1/2) (z - 1/2)."""
    ranges, errors, n_inside = [], [], 0
    for seed in range(6):
        data = made(n, seed)
        found = attribute_effects(
            KnownLearner(),
            data,
            CrossValidation(folds=10),
            RunContext(seed=seed),
            ("first",),
            pairs=[("first", "third")],
        )
        (one,), (pair,) = found.effects, found.pairs
        ranges.append(np.ptp(one.local(1)) / np.ptp(one.grid))
        ends = one.intervals(1, is_local=True)
        assert ends is not None
        n_inside += int(ends[0, -1] <= 0.4 * (one.grid[-1] - np.mean(data.column(0))) <= ends[1, -1])
        truth = 0.8 * np.outer(pair.grids[0] - 0.5, pair.grids[1] - 0.5)
        errors.append(np.abs(pair.local(1) - truth).max())
        folds = pair.local(1)
        # each alone is gone: no row or column has a mean of its own
        assert np.abs(np.average(folds, axis=1, weights=pair.counts.sum(axis=0))).max() < 0.06
    assert np.mean(ranges) == pytest.approx(0.4, abs=0.025)
    assert n_inside >= 4
    assert np.mean(errors) < 0.06


def test_folds_whose_intervals_have_as_many_records_keep_their_own_curves() -> None:
    random = np.random.default_rng(0)
    folds = [LocalChanges(random.normal(size=(4, 2)), np.full(4, 3.0), np.ones(5)) for _fold in range(3)]
    for fold, local in zip(folds, local_effects(folds), strict=True):
        np.testing.assert_allclose(local, local_effects([fold])[0], atol=1e-12)
    some = [
        LocalChanges(fold.sums * mask[:, None], fold.counts * mask, fold.records)
        for fold, mask in zip(folds, np.array([[1.0, 0, 1, 0], [0, 1, 1, 0], [0, 0, 1, 0]]), strict=True)
    ]
    mean = np.mean(local_effects(some), axis=0)
    middle = np.mean([fold.sums[2] for fold in folds], axis=0) / 3
    np.testing.assert_allclose(np.diff(mean, axis=0), [folds[0].sums[0] / 3, folds[1].sums[1] / 3, middle, middle])


def test_leave_one_out_is_refused() -> None:
    for method in (LeaveOneOut(), CrossValidation(folds=30, stratified=False)):
        with pytest.raises(DataError, match=wording.ONE_RECORD_AT_A_TIME):
            attribute_effects(ZeroR(), made(30), method, RunContext(), ("first",))


def test_many_values_are_ordered_in_little_memory_and_too_many_refused() -> None:
    random = np.random.default_rng(0)
    codes = random.integers(0, 900, 4000)
    columns = [codes, random.normal(size=4000), random.integers(0, 2, 4000)]
    names = tuple(str(value) for value in range(2000))
    schema = Schema((nominal("city", names), numeric("near"), nominal("class", ("no", "yes"))), 2)
    data = Dataset(schema, columns)
    tracemalloc.start()
    order = similarity_order(data, 0, np.unique(codes))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 150e6 and sorted(order) == np.unique(codes).tolist()
    many = data.with_column(0, schema.attributes[0], random.permutation(np.arange(4000) % 2000))
    with pytest.raises(DataError, match="2,000"):
        effect_grid(many, 0)
    with pytest.raises(DataError, match="4,000"):
        attribute_effects(ZeroR(), data, CrossValidation(folds=2), RunContext(), (), pairs=[("city", "near")])


def test_text_has_no_effect() -> None:
    data = made(30)
    texts = data.with_column(2, Attribute("third", AttributeKind.TEXT), np.array(["a"] * 30, dtype=object))
    with pytest.raises(DataError, match=wording.NO_NUMBER_AND_NO_VALUES):
        attribute_effects(Cart(), texts, CrossValidation(), RunContext(), ("third",))
