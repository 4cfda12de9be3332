"""Gradient boosting: as right as the reference, the same in any order, every step as the formulas have it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from algorithms.core.errors import UnsuitableDataError
from algorithms.core.run_control import RunContext, thread_pool
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema, nominal, numeric
from algorithms.learners.ensembles.gradient_boosting import LEAST_HELD_OUT, GradientBoosting, GradientModel
from algorithms.structures.tree import Tree
from tests.algorithms.battery_data import mixed, same_bits
from tests.expected_texts import learners as wording


def boosted(learner: GradientBoosting, data: Dataset) -> GradientModel:
    model = learner.fit(data, RunContext(seed=1))
    assert isinstance(model, GradientModel)
    return model


def two_numbers(n: int, seed: int) -> Dataset:
    x = np.random.default_rng(seed).normal(size=(2, n))
    codes = (x[0] * x[1] > 0).astype(np.int8)
    return Dataset(Schema((numeric("x"), numeric("y"), nominal("class", "ab")), 2), [*x, codes])


def test_the_first_tree_by_hand() -> None:
    """Four records, one of class b: p = 1/4, slopes 1/4 1/4 1/4 -3/4, curvatures 3/16; the split is before the last."""
    data = Dataset(
        Schema((numeric("x"), nominal("class", "ab")), 1), [np.array([1.0, 2, 3, 4]), np.array([0, 0, 0, 1])]
    )
    model = boosted(GradientBoosting(members=1, step=1.0, max_depth=1, min_leaf=1), data)
    tree = model.structure().parts[0]
    assert isinstance(tree, Tree)
    assert tree.threshold[0] == 3.5
    h = 3 / 16
    assert tree.gain[0] == pytest.approx((0.75**2 / (3 * h + 1) + 0.75**2 / (h + 1)) / 4)
    assert model.answers == pytest.approx([0, -0.75 / (3 * h + 1), 0.75 / (h + 1)])
    score = np.log(1 / 3) + model.answers[1:]
    assert model.predict_proba(data)[[0, 3], 1] == pytest.approx(1 / (1 + np.exp(-score)))


class SlowBoosting:
    """The same algorithm record by record, in floats: scores (n, s) after each round, and nothing else."""

    def __init__(self, learner: GradientBoosting, data: Dataset) -> None:
        self.learner, self.data, self.weight = learner, data, data.weight_array
        classes = np.unique(data.class_codes)
        self.targets = [data.class_codes == code for code in (classes[1:] if len(classes) == 2 else classes)]
        held = np.array([self.weight[data.class_codes == code].sum() for code in classes])
        start = np.log(held / held.sum())
        self.scores = np.tile(start if len(held) > 2 else start[1:] - start[:1], (len(data), 1))

    def losses(self, rounds: int) -> list[float]:
        return [self._round() for _ in range(rounds)]

    def shares(self) -> np.ndarray:
        if len(self.targets) == 1:
            return np.asarray(1 / (1 + np.exp(-self.scores)))
        powers = np.exp(self.scores)
        return np.asarray(powers / powers.sum(axis=1, keepdims=True))

    def _round(self) -> float:
        shares, k = self.shares(), len(self.targets)
        for j, target in enumerate(self.targets):
            p, scale = shares[:, j], k / (k - 1) if k > 1 else 1.0
            self._grow(j, np.arange(len(p)), self.weight * (p - target), self.weight * p * (1 - p) * scale)
        after = self.shares()
        right = after[:, 0] * self.targets[0] + (1 - after[:, 0]) * ~self.targets[0] if k == 1 else np.zeros(0)
        if k > 1:
            right = np.sum([after[:, j] * target for j, target in enumerate(self.targets)], axis=0)
        return float(-(self.weight @ np.log(right)))

    def _value(self, g: np.ndarray, h: np.ndarray, rows: np.ndarray, bounds: tuple[float, float]) -> float:
        return float(np.clip(-g[rows].sum() / (h[rows].sum() + self.learner.penalty), *bounds))

    def _grow(
        self,
        j: int,
        rows: np.ndarray,
        g: np.ndarray,
        h: np.ndarray,
        depth: int = 0,
        bounds: tuple[float, float] = (-np.inf, np.inf),
    ) -> None:
        def worth(part: np.ndarray) -> float:
            value = self._value(g, h, part, bounds)
            return float(-(2 * g[part].sum() * value + (h[part].sum() + self.learner.penalty) * value**2))

        best, left, low_high = 1e-9, None, [bounds, bounds]
        for index in self.data.schema.predictors if depth < self.learner.max_depth else ():
            name = self.data.schema.names[index]
            sign = (name in self.learner.rising) - (name in self.learner.falling)
            for side in self._sides(index, rows, g, h):
                parts = rows[side], rows[~side]
                if min(self.weight[part].sum() for part in parts) < self.learner.min_leaf - 1e-9:
                    continue
                first, second = (self._value(g, h, part, bounds) for part in parts)
                gain = sum(worth(part) for part in parts) - worth(rows)
                if sign * (second - first) >= 0 and gain > best * (1 + 1e-9):
                    middle, (low, high) = (first + second) / 2, bounds
                    below_and_above = [(low, middle), (middle, high)][:: sign or 1]
                    best, left, low_high = gain, side, below_and_above if sign else [bounds, bounds]
        if left is None:
            self.scores[rows, j] += self.learner.step * self._value(g, h, rows, bounds)
            return
        self._grow(j, rows[left], g, h, depth + 1, low_high[0])
        self._grow(j, rows[~left], g, h, depth + 1, low_high[1])

    def _sides(self, index: int, rows: np.ndarray, g: np.ndarray, h: np.ndarray) -> list[np.ndarray]:
        """For each way to split these rows by an attribute, which of them go left."""
        values = self.data.column(index)[rows]
        is_nominal = self.data.schema.attributes[index].kind is AttributeKind.NOMINAL
        missing = values < 0 if is_nominal else np.isnan(values)
        present = np.unique(values[~missing])
        if is_nominal:
            ratio = [g[rows][values == v].sum() / (h[rows][values == v].sum()) for v in present]
            present = present[np.argsort(ratio, kind="stable")]
        splits = [np.isin(values, present[: i + 1]) for i in range(len(present))]
        return [*splits, *(split | missing for split in splits)] if missing.any() else splits


@pytest.mark.parametrize(
    ("missing", "classes", "weighted", "monotone"),
    [(0.0, 2, False, False), (0.2, 2, True, False), (0.15, 3, False, False), (0.2, 2, True, True)],
)
def test_the_loss_after_each_round_is_that_of_the_slow_twin(
    missing: float, classes: int, weighted: bool, monotone: bool
) -> None:
    random, n = np.random.default_rng(7), 120
    x, words = random.normal(size=n).round(1), random.integers(0, 5, n).astype(np.int8)
    y = np.where(random.random(n) < missing, np.nan, random.normal(size=n).round(1))
    words[random.random(n) < missing] = -1
    codes = ((x + (words == 2) + 0.4 * random.normal(size=n)) > np.array([[0.0], [0.8]])).sum(axis=0) % classes
    schema = Schema((numeric("x"), numeric("y"), nominal("w", "abcde"), nominal("class", "pqr"[:classes])), 3)
    data = Dataset(schema, [x, y, words, codes.astype(np.int8)])
    if weighted:
        data = data.with_weights(random.integers(1, 8, n) / 4)
    learner = GradientBoosting(members=12, min_leaf=3, max_depth=3)
    if monotone:
        learner = replace(learner, rising=("x",), falling=("y",))
    model = boosted(learner, data)
    losses = [
        -(data.weight_array @ np.log(model.scoring.probabilities(scores)[np.arange(n), codes]))
        for scores in model.staged(data)
    ]
    assert losses == pytest.approx(SlowBoosting(learner, data).losses(12), rel=1e-9)


@pytest.mark.parametrize("max_leaves", [0, 12])
def test_probabilities_are_monotone_in_the_chosen_attributes(max_leaves: int) -> None:
    """Whatever the other attributes are; without the choice they are not."""
    random, n = np.random.default_rng(14), 1500
    x, y, rank = random.normal(size=n), random.normal(size=n), random.integers(0, 6, n).astype(np.int8)
    score = np.sin(3 * x) + x - y + np.cos(2 * y) + np.where(rank == 3, -1, 0.3 * rank) + random.normal(size=n)
    x[random.random(n) < 0.1] = np.nan
    ranked = nominal("rank", "abcdef", ordinal=True)
    schema = Schema((numeric("x"), numeric("y"), ranked, nominal("class", "no")), 3)
    data = Dataset(schema, [x, y, rank, (score > 0).astype(np.int8)])
    learner = GradientBoosting(members=40, max_depth=5, max_leaves=max_leaves)

    def steps(model: GradientModel, index: int, values: np.ndarray) -> np.ndarray:
        """Changes (v - 1, 300) of the second class's probability of 300 records from each value to the next."""
        columns = [np.asarray(data.column(i))[:300] for i in range(4)]
        chances = []
        for value in values:
            columns[index] = np.full(300, value, dtype=columns[index].dtype)
            chances.append(model.predict_proba(Dataset(schema, columns))[:, 1])
        return np.diff(chances, axis=0)

    free, bound = boosted(learner, data), boosted(replace(learner, rising=("x", "rank"), falling=("y",)), data)
    for index, values, sign in ((0, np.linspace(-3, 3, 90), 1), (1, np.linspace(-3, 3, 90), -1), (2, np.arange(6), 1)):
        assert (sign * steps(bound, index, values)).min() >= 0 > (sign * steps(free, index, values)).min()
        assert np.abs(steps(bound, index, values)).max() > 0.05


def test_splits_against_the_order_are_refused() -> None:
    random = np.random.default_rng(15)
    x = random.normal(size=300)
    data = Dataset(Schema((numeric("x"), nominal("class", "ab")), 1), [x, (x < 0).astype(np.int8)])
    assert boosted(GradientBoosting(members=2, rising=("x",)), data).trees[0].tree.n_nodes == 1
    assert boosted(GradientBoosting(members=2, falling=("x",)), data).trees[0].tree.n_nodes > 1


@pytest.mark.parametrize(
    ("rising", "falling", "classes", "sentence"),
    [
        (("x",), (), "abc", wording.TWO_CLASSES_BUT_3),
        (("x",), ("x",), "ab", wording.INCREASING_AND_DECREASING),
        (("v",), (), "ab", wording.HAS_NO_ORDER),
        (("absent",), (), "ab", wording.is_no_predictor("absent")),
        ((), ("class",), "ab", wording.is_no_predictor("class")),
        (("x", "left out"), (), "ab", wording.is_no_predictor("left out")),
    ],
)
def test_what_cannot_be_monotone_is_told(
    rising: tuple[str, ...], falling: tuple[str, ...], classes: str, sentence: str
) -> None:
    left_out = replace(numeric("left out"), used=False)
    schema = Schema((numeric("x"), nominal("v", "pq"), nominal("class", classes), left_out), 2)
    codes = np.array([0, 1] * 3, dtype=np.int8)
    data = Dataset(schema, [np.arange(6.0), np.zeros(6, dtype=np.int8), codes, np.arange(6.0)])
    with pytest.raises(UnsuitableDataError, match=sentence):
        GradientBoosting(rising=rising, falling=falling).fit(data, RunContext())


def test_several_threads_grow_the_same_trees() -> None:
    data = two_numbers(110_000, 3)
    learner = GradientBoosting(members=4, max_depth=5, size=80, early_stopping=False)
    alone = boosted(learner, data)
    with thread_pool(3) as pool:
        together = learner.fit(data, RunContext(seed=1, executor=pool))
    assert isinstance(together, GradientModel)
    assert same_bits(alone.answers, together.answers)
    assert all(same_bits(a.tree.threshold, b.tree.threshold) for a, b in zip(alone.trees, together.trees, strict=True))


def test_records_divided_by_parts_give_the_trees_of_records_divided_at_once() -> None:
    """12,000 records are divided by parts, 4,000 of weight 3 at once."""
    data, learner = two_numbers(4000, 16), GradientBoosting(members=4, max_depth=5, min_leaf=15, early_stopping=False)
    at_once = boosted(learner, data.with_weights(np.full(4000, 3.0)))
    by_parts = boosted(learner, data.take(np.tile(np.arange(4000), 3)))
    for one, other in zip(at_once.trees, by_parts.trees, strict=True):
        assert same_bits(one.tree.threshold, other.tree.threshold) and same_bits(one.tree.counts, other.tree.counts)
    assert by_parts.answers == pytest.approx(at_once.answers, rel=1e-9)


def test_the_leaf_with_the_largest_gain_is_split_until_there_are_enough_leaves() -> None:
    data = two_numbers(2000, 4)
    whole = boosted(GradientBoosting(members=1, max_depth=4), data).trees[0].tree
    few = boosted(GradientBoosting(members=1, max_depth=4, max_leaves=5), data).trees[0].tree
    assert few.n_leaves == 5
    gain = np.nan_to_num(whole.gain * whole.counts.sum(axis=1))
    waiting, split = {0}, set[int]()
    for _ in range(4):
        node = max(waiting, key=lambda node: gain[node])
        split.add(node)
        waiting = waiting - {node} | {int(whole.first_child[node]), int(whole.first_child[node]) + 1}
    expected = {tuple(whole.counts[node].tolist()) for node in split}
    assert {tuple(few.counts[node].tolist()) for node in np.flatnonzero(few.first_child >= 0)} == expected


def test_early_stopping_keeps_the_rounds_up_to_the_lowest_loss_on_held_out_records() -> None:
    random = np.random.default_rng(5)
    x = random.normal(size=(3, LEAST_HELD_OUT))
    codes = (x[0] + 2 * random.normal(size=LEAST_HELD_OUT) > 0).astype(np.int8)
    schema = Schema((numeric("x"), numeric("y"), numeric("z"), nominal("class", "ab")), 3)
    data = Dataset(schema, [*x, codes])
    learner = GradientBoosting(members=300, step=0.5, max_depth=4)
    model = boosted(learner, data)
    assert 1 <= len(model.trees) < 60
    assert len(model.known.training_error) == len(model.trees) and not model.partial
    x, noise = random.normal(size=(3, 20_000)), random.normal(size=20_000)
    fresh = Dataset(schema, [*x, (x[0] + 2 * noise > 0).astype(np.int8)])
    whole = boosted(replace(learner, early_stopping=False), data)
    wrong = [np.mean(m.predict(fresh) != fresh.class_codes) for m in (model, whole)]
    assert len(whole.trees) == 300 and wrong[0] < wrong[1]


def test_below_the_least_number_of_records_all_are_learned_from() -> None:
    data = two_numbers(200, 1)
    with_it, without = (boosted(GradientBoosting(members=30, early_stopping=on), data) for on in (True, False))
    assert same_bits(with_it.answers, without.answers)


def test_the_rarest_of_very_many_values_share_a_code_and_others_have_their_own() -> None:
    frequent, rare = np.repeat(np.arange(200), 12), np.arange(200, 600)
    codes = np.concatenate([frequent, rare]).astype(np.int16)
    truth = (codes % 3 == 0).astype(np.int8)
    schema = Schema((nominal("v", [f"v{i}" for i in range(600)]), nominal("class", "ab")), 1)
    model = boosted(GradientBoosting(members=30, max_depth=2, min_leaf=1), Dataset(schema, [codes, truth]))
    decided = model.predict(Dataset(schema, [codes, truth]))
    assert np.array_equal(decided[:2400], truth[:2400])
    assert len(set(decided[-300:].tolist())) == 1


def test_a_number_after_an_attribute_of_very_many_values_is_cut_where_the_class_changes() -> None:
    random = np.random.default_rng(13)
    codes, x = random.integers(0, 600, 3000).astype(np.int16), random.normal(size=3000)
    schema = Schema((nominal("v", [f"v{i}" for i in range(600)]), numeric("x"), nominal("class", "ab")), 2)
    data = Dataset(schema, [codes, x, (x > 0.3).astype(np.int8)])
    model = boosted(GradientBoosting(members=5, max_depth=1), data)
    assert model.trees[0].tree.threshold[0] == pytest.approx(0.3, abs=0.05)
    assert np.mean(model.predict(data) == data.class_codes) > 0.99


def test_an_order_of_very_many_values_is_cut_where_the_class_changes() -> None:
    codes = np.repeat(np.arange(900), 4).astype(np.int16)
    truth = ((codes > 180) & (codes < 540)).astype(np.int8)
    schema = Schema((nominal("v", [f"v{i}" for i in range(900)], ordinal=True), nominal("class", "ab")), 1)
    data = Dataset(schema, [codes, truth])
    model = boosted(GradientBoosting(members=30, max_depth=2, min_leaf=1), data)
    assert np.mean(model.predict(data) != truth) < 0.01


def test_a_share_of_the_attributes_is_drawn_anew_for_each_round() -> None:
    random = np.random.default_rng(6)
    x = random.normal(size=(10, 400))
    schema = Schema((*(numeric(f"x{i}") for i in range(10)), nominal("class", "ab")), 10)
    data = Dataset(schema, [*x, (x.sum(axis=0) > 0).astype(np.int8)])
    model = boosted(GradientBoosting(members=30, attributes_given=20.0), data)
    used = [set(model.tree.attribute[model.tree.attribute >= 0].tolist()) for model in model.trees]
    assert all(len(attributes) <= 2 for attributes in used)
    assert len(set.union(*used)) > 5


def test_balanced_classes_find_more_of_the_rare_one() -> None:
    random = np.random.default_rng(8)
    x = random.normal(size=(2, 3000))
    rare = x[0] + 1.5 * random.normal(size=3000) > 2.8
    data = Dataset(Schema((numeric("x"), numeric("y"), nominal("class", "ab")), 2), [*x, rare.astype(np.int8)])
    recall = [
        boosted(GradientBoosting(members=20, class_cost=how), data).predict(data)[rare].mean()
        for how in ("equal", "balanced")
    ]
    assert recall[0] < 0.4 < 0.6 < recall[1]


def test_a_leaf_needs_its_least_hessian() -> None:
    data = two_numbers(500, 9)
    tree = boosted(GradientBoosting(members=1, max_depth=6, min_leaf=1, min_curvature=20.0), data).trees[0].tree
    share = np.mean(data.class_codes)
    leaves = tree.counts[tree.first_child < 0].sum(axis=1)
    assert leaves.min() * share * (1 - share) >= 20 and tree.n_leaves > 2


def test_fractional_weights_of_a_rare_class_give_the_model_of_whole_ones() -> None:
    """The sums keep the small curvatures of records that are almost certainly of the other class."""
    random = np.random.default_rng(10)
    x, rare = random.normal(size=20_000), np.arange(20_000) % 5000 == 0
    data = Dataset(Schema((numeric("x"), nominal("class", "ab")), 1), [x, rare.astype(np.int8)])
    learner = GradientBoosting(members=10, max_depth=2, min_leaf=100, penalty=0.0, early_stopping=False)
    whole = boosted(learner, data.with_weights(np.full(20_000, 2.0)))
    fractional = boosted(replace(learner, min_leaf=75), data.with_weights(np.full(20_000, 1.5)))
    assert fractional.answers == pytest.approx(whole.answers, rel=1e-6, abs=1e-9)


def test_without_a_penalty_answers_stay_finite_when_everything_is_learned() -> None:
    data = two_numbers(900, 11)
    learner = GradientBoosting(members=400, penalty=0.0, step=0.5, max_depth=6, min_leaf=1)
    model = boosted(learner, data)
    assert np.isfinite(model.answers).all() and np.isfinite(model.predict_proba(data)).all()


def test_a_high_limit_of_leaves_takes_no_more_memory_than_there_can_be_leaves() -> None:
    few = boosted(GradientBoosting(members=1, max_leaves=100_000), two_numbers(300, 12))
    assert few.trees[0].tree.n_leaves <= 8


def test_what_neither_number_tells_alone_is_learned() -> None:
    model, unseen = boosted(GradientBoosting(), two_numbers(1000, 1)), two_numbers(1000, 2)
    assert np.mean(model.predict(unseen) == unseen.class_codes) > 0.95


@pytest.mark.parametrize("size", [100.0, 60.0])
def test_what_training_knew_of_its_records_is_what_the_model_says_of_them(size: float) -> None:
    data = mixed(150, missing=0.2)
    model = boosted(GradientBoosting(members=20, size=size), data)
    assert model.known.training_error[-1] == pytest.approx(np.mean(model.predict(data) != data.class_codes))
    assert model.known.impurity_importance.sum() == pytest.approx(1)


def test_the_order_of_the_records_leaves_no_trace() -> None:
    data, order = mixed(100, missing=0.1), np.random.default_rng(1).permutation(100)
    model, other = (boosted(GradientBoosting(members=15), some) for some in (data, data.take(order)))
    assert same_bits(model.answers, other.answers)


def test_finished_early_the_rounds_that_were_made_are_kept() -> None:
    context = RunContext(seed=1)
    context.finish()
    model = GradientBoosting().fit(two_numbers(50, 1), context)
    assert isinstance(model, GradientModel)
    assert (len(model.trees), model.partial) == (1, True)


def test_why_says_how_many_trees_speak_for_the_class() -> None:
    data = two_numbers(200, 1)
    steps = boosted(GradientBoosting(members=10), data).explain(data, 0).steps
    assert any(wording.TREES_SPEAK_FOR in step for step in steps)
