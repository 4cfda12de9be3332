"""Oblique trees: the search against its slow twin, the book's skewed Gaussians, the rules, hostile data."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.errors import Cancelled
from algorithms.core.schema import Schema, nominal, numeric
from algorithms.core.structures import Test, Tree
from algorithms.io.generators import skewed_gaussians, xor
from algorithms.trees.c45 import C45
from algorithms.trees.cart import Cart
from algorithms.trees.growing import ENTROPY, ERROR, GINI, TWOING
from algorithms.trees.impurity import SPLIT_VALUES
from algorithms.trees.model import TreeModel
from algorithms.trees.node_records import ways_down
from algorithms.trees.oblique import ObliqueTree
from algorithms.trees.oblique_kernels import Aim, Records, best_cut, best_step, room_for
from algorithms.trees.oblique_search import between
from algorithms.trees.pruning_parameters import METHODS
from algorithms.trees.reasons import Verdict
from algorithms.trees.validation import checked_tree
from algorithms.trees.why import why
from algorithms.trees.why_leaf import why_leaf
from algorithms.trees.why_words import headline, verdict_words, workings

CRITERIA = ("gini", "information-gain", "gain-ratio", "error", "twoing")
CODES = {"gini": GINI, "information-gain": ENTROPY, "error": ERROR, "twoing": TWOING}
BARE = ObliqueTree(pruning="none", criterion="gini")


def fit(data: Dataset, learner: ObliqueTree = BARE) -> Tree:
    model = learner.fit(data, RunContext(seed=1))
    assert isinstance(model, TreeModel)
    tree = model.tree
    checked_tree(tree.schema, tree.arrays(), tree.criterion)
    for node in np.flatnonzero(tree.test != Test.LEAF).tolist():
        assert tree.counts[list(tree.children(node))].sum(axis=0) == pytest.approx(tree.counts[node])
    return tree


def table(columns: Any, codes: Any, weights: Any = None, classes: str = "ab") -> Dataset:
    columns = [np.asarray(column, dtype=np.float64) for column in columns]
    attributes = [numeric(f"x{i + 1}") for i in range(len(columns))]
    schema = Schema((*attributes, nominal("y", classes)), len(columns))
    return Dataset(schema, [*columns, np.asarray(codes)], weights=weights)


def slanting(n: int = 300, seed: int = 0, d: int = 2) -> Dataset:
    """Two classes on the sides of x1 + x2 = 1, and attributes that mean nothing."""
    columns = np.random.default_rng(seed).uniform(0, 1, (d, n)).round(3)
    return table(columns, (columns[0] + columns[1] > 1).astype(int))


def linear_nodes(tree: Tree) -> list[int]:
    found: list[int] = np.flatnonzero(tree.test == Test.LINEAR).tolist()
    return found


# ---- the book --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_skewed_gaussians_are_parted_by_one_slanting_line(seed: int) -> None:
    data, unseen = skewed_gaussians(1000, seed, RunContext()), skewed_gaussians(4000, 100 + seed, RunContext())
    model = ObliqueTree().fit(data, RunContext(seed=1))
    tree = model.structure()
    assert isinstance(tree, Tree)
    assert (tree.n_leaves, tree.is_linear(0)) == (2, True)
    assert set(tree.asked(0)) == {0, 1}
    low, high = sorted(float(tree.term_coefficient[t]) for t in tree.terms(0))
    assert low / high == pytest.approx(1.0, abs=0.2)
    # where the line crosses x1 = x2: the book's boundary x + y = 20 does at 10
    assert float(tree.threshold[0]) / (low + high) == pytest.approx(10.0, abs=0.35)
    axis = Cart(pruning="none").fit(data, RunContext(seed=1))
    right = {name: float((m.predict(unseen) == unseen.class_codes).mean()) for name, m in (("o", model), ("a", axis))}
    assert right["o"] > right["a"]
    assert int(axis.facts()["leaves"]) >= 10


# ---- the search against its twin -------------------------------------------------------------------------------------


def left_mixed(side: Any, records: Records, criterion: str) -> float:
    """What a division leaves mixed, as the search counts it: from the plain impurities."""
    k = int(records.classes.max()) + 1
    children = np.zeros((2, k))
    np.add.at(children, (np.asarray(side, dtype=int), records.classes), records.weights)
    whole, total = children.sum(axis=0), float(records.weights.sum())
    gain = float(SPLIT_VALUES[criterion](children))
    before = 0.0 if criterion == "twoing" else float(SPLIT_VALUES[criterion](np.diag(whole)))
    return (before - gain) * total


def some_records(seed: int, n: int, weighted: bool = False) -> Records:
    random = np.random.default_rng(seed)
    values = random.integers(-4, 5, (2, n)) / 2.0
    weights = random.integers(1, 4, n).astype(float) if weighted else np.ones(n)
    return Records(values, random.integers(0, 3, n), weights)


def test_whoever_chooses_what_questions_are_chosen_by_reads_why_chi_square_is_not_there() -> None:
    asked, elsewhere = ObliqueTree.parameter("criterion"), C45.parameter("criterion")
    assert "chi-square" not in asked.allowed() and "C4.5 and CART offer it" in asked.help
    assert "chi-square" in elsewhere.allowed() and "cannot be counted" not in elsewhere.help


@pytest.mark.parametrize("criterion", sorted(CODES))
@pytest.mark.parametrize("weighted", [False, True])
def test_the_best_cut_is_that_of_trying_every_one(criterion: str, weighted: bool) -> None:
    for seed in range(12):
        records = some_records(seed, 30 if seed else 700, weighted)
        aim = Aim(CODES[criterion], 2.0, 1e-9)
        mixed, low, high = best_cut(records.values[0], records, aim, room_for(records.values.shape[1], 3))
        cuts = np.unique(records.values[0])[:-1]
        tried = []
        for cut in cuts:
            side = records.values[0] > cut
            sizes = records.weights[side].sum(), records.weights[~side].sum()
            if min(sizes) >= 2.0:
                tried.append(left_mixed(side, records, criterion))
        assert mixed == pytest.approx(min(tried), abs=1e-7)
        assert left_mixed(records.values[0] > (low + high) / 2, records, criterion) == pytest.approx(mixed, abs=1e-7)


@pytest.mark.parametrize("criterion", sorted(CODES))
@pytest.mark.parametrize("weighted", [False, True])
def test_the_best_step_is_that_of_trying_every_one(criterion: str, weighted: bool) -> None:
    for seed in range(12):
        records = some_records(seed, 30 if seed else 700, weighted)
        projection, along = records.values[0].copy(), records.values[1].copy()
        aim, room = Aim(CODES[criterion], 1.0, 1e-9), room_for(len(projection), 3)
        mixed, step = best_step(projection, along, 0.25, records, aim, room)
        moving = along != 0
        steps = np.unique((0.25 - projection[moving]) / along[moving])
        tried = []
        for middle in (steps[1:] + steps[:-1]) / 2:
            side = projection + middle * along > 0.25
            if 1 <= records.weights[side].sum() <= records.weights.sum() - 1:
                tried.append(left_mixed(side, records, criterion))
        assert mixed == pytest.approx(min(tried), abs=1e-7)
        assert left_mixed(projection + step * along > 0.25, records, criterion) == pytest.approx(mixed, abs=1e-7)


def test_a_coefficient_is_perturbed_as_oc1_does_it() -> None:
    """Murthy, Kasif and Salzberg (1994), section 3.1: with V_j = sum_i a_i x_ji + a_(d+1) and
    U_j = (a_m x_jm - V_j) / x_jm, the record j lies above the plane where a_m > U_j (below it for x_jm < 0). The U_j
    are sorted, and the best of the splits half way between two of them is the new a_m."""
    random = np.random.default_rng(11)
    x = np.round(random.uniform(-3, 3, (2, 40)), 2)
    a, constant, m = np.array([1.0, 0.75]), -0.5, 1
    records = Records(x, (random.random(40) < 0.5 + 0.2 * np.sign(x[0] - x[1])).astype(np.int64), np.ones(40))
    v = a @ x + constant
    u = (a[m] * x[m] - v) / x[m]
    assert np.array_equal(v > 0, np.where(x[m] > 0, a[m] > u, a[m] < u))
    middles = (np.sort(u)[1:] + np.sort(u)[:-1]) / 2
    tried = {
        float(new): left_mixed(np.where(x[m] > 0, new > u, new < u), records, "gini")
        for new in middles
        if 1 <= np.count_nonzero(np.where(x[m] > 0, new > u, new < u)) <= 39
    }
    mixed, step = best_step(a @ x, x[m], -constant, records, Aim(CODES["gini"], 1.0, 1e-9), room_for(40, 2))
    assert mixed == pytest.approx(min(tried.values()))
    assert min(tried, key=lambda new: abs(new - (a[m] + step))) == pytest.approx(a[m] + step)
    assert tried[min(tried, key=lambda new: abs(new - (a[m] + step)))] == pytest.approx(mixed)


def test_the_threshold_is_the_shortest_number_between_two_others() -> None:
    assert between(13.81, 13.99) == 13.9
    assert between(0.1, 0.9) == 0.5
    assert between(1.0, np.nextafter(1.0, 2.0)) == 1.0
    assert between(-1e300, 1e300) == 0.0
    for low, high in np.sort(np.random.default_rng(1).normal(size=(200, 2))):
        assert low <= between(low, high) < high


# ---- what is asked ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", CRITERIA)
def test_every_question_gains_what_it_says_and_a_sum_more_than_any_attribute(criterion: str) -> None:
    data = slanting(200, 3, 3)
    learner = ObliqueTree(pruning="none", criterion=criterion)
    tree = fit(data, learner)
    assert linear_nodes(tree)
    for node in linear_nodes(tree):
        reasons = why(tree, node, data, learner)
        assert reasons.chosen is not None
        assert not reasons.moved
        rivals = [c.value for c in reasons.candidates if c.test != Test.LINEAR and c.is_split]
        assert reasons.chosen.value > max(rivals)
        if reasons.criterion == criterion:
            children = tree.counts[list(tree.children(node))]
            assert float(SPLIT_VALUES[criterion](children)) == pytest.approx(float(tree.gain[node]), abs=1e-9)


def test_one_attribute_is_asked_where_a_sum_is_not_better() -> None:
    columns = np.random.default_rng(5).uniform(0, 1, (3, 200))
    tree = fit(table(columns, (columns[1] > 0.4).astype(int)))
    assert (tree.n_leaves, tree.is_numeric(0), int(tree.attribute[0])) == (2, True, 1)


def test_what_means_nothing_is_left_out_of_the_sum() -> None:
    tree = fit(slanting(400, 1, 6), ObliqueTree())
    assert tree.is_linear(0)
    assert set(tree.asked(0)) == {0, 1}


def test_coefficients_are_short_and_begin_with_one() -> None:
    tree = fit(slanting(400, 1, 6), ObliqueTree())
    first, second = (float(tree.term_coefficient[t]) for t in tree.terms(0))
    assert first == 1.0
    assert len(repr(second)) <= 6
    assert len(repr(float(tree.threshold[0]))) <= 7


def test_lists_of_values_take_part_by_questions_of_their_own() -> None:
    base = slanting(400, 2)
    colour = np.random.default_rng(1).integers(0, 3, 400)
    codes = np.where(colour == 2, 1 - base.class_codes, base.class_codes)
    schema = Schema((numeric("x1"), numeric("x2"), nominal("colour", "rgb"), nominal("y", "ab")), 3)
    tree = fit(Dataset(schema, [base.column(0), base.column(1), colour, codes]), ObliqueTree(pruning="pessimistic"))
    assert Test.SUBSET in tree.test
    assert linear_nodes(tree)
    assert tree.n_leaves <= 8


def test_with_one_number_or_few_records_it_is_a_tree_of_single_attributes() -> None:
    one = slanting(200, 4)
    tree = fit(one.select_columns([0, 2]))
    assert not linear_nodes(tree)
    few = slanting(19, 4, 10)
    assert not linear_nodes(fit(few))


def test_it_is_cart_where_there_are_no_numbers() -> None:
    random = np.random.default_rng(7)
    schema = Schema((nominal("a", "pqr"), nominal("b", "st"), nominal("y", "ab")), 2)
    data = Dataset(schema, [random.integers(0, 3, 90), random.integers(0, 2, 90), random.integers(0, 2, 90)])
    ours, cart = BARE.fit(data, RunContext()), Cart(min_leaf=2, pruning="none").fit(data, RunContext())
    assert ours.predict_proba(data).tolist() == cart.predict_proba(data).tolist()
    assert ours.facts() == cart.facts()


def test_limits_are_kept() -> None:
    data = xor(400, 3, RunContext())
    assert fit(data, ObliqueTree(pruning="none", max_depth=2)).depth == 2
    assert fit(data, ObliqueTree(pruning="none", max_leaves=5)).n_leaves <= 5
    tree = fit(data, ObliqueTree(pruning="none", min_leaf=20))
    assert tree.counts[tree.test == Test.LEAF].sum(axis=1).min() >= 20
    assert fit(data, ObliqueTree(pruning="none", min_gain=0.9)).n_nodes == 1


def test_with_a_limit_of_leaves_those_come_first_that_gain_most() -> None:
    data = xor(300, 9, RunContext())
    small, whole = (fit(data, ObliqueTree(pruning="none", restarts=2, max_leaves=n)) for n in (3, None))
    assert small.n_leaves == 3
    assert small.threshold[0] == whole.threshold[0]


# ---- missing values --------------------------------------------------------------------------------------------------


def test_a_missing_number_counts_as_the_mean_of_the_node() -> None:
    data = slanting(300, 6)
    first = data.column(0).copy()
    first[::7] = np.nan
    data = data.with_column(0, data.schema.attributes[0], first)
    tree = fit(data, ObliqueTree())
    assert tree.is_linear(0)
    stand_in = {int(tree.term_attribute[t]): float(tree.term_stand_in[t]) for t in tree.terms(0)}
    assert stand_in[0] == pytest.approx(float(np.nanmean(first)), abs=1e-3)
    nothing = table([[np.nan], [np.nan]], [0])
    assert int(ways_down(tree, 0, nothing, np.arange(1))[0]) == int(tree.missing_to[0])
    heavier = int(np.argmax(tree.counts[list(tree.children(0))].sum(axis=1)))
    assert int(tree.missing_to[0]) == heavier


# ---- nothing but the records matters ---------------------------------------------------------------------------------


def same_tree(one: Tree, other: Tree) -> bool:
    return all(np.array_equal(one.arrays()[name], other.arrays()[name], equal_nan=True) for name in Tree.ARRAYS)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_order_of_the_records_does_not_matter(criterion: str) -> None:
    data = slanting(250, 8, 3)
    codes = data.class_codes.copy()
    codes[::11] = 1 - codes[::11]
    data = data.with_column(3, data.schema.attributes[3], codes)
    learner = ObliqueTree(pruning="none", criterion=criterion, restarts=3)
    one = fit(data, learner)
    for seed in range(3):
        assert same_tree(one, fit(data.take(np.random.default_rng(seed).permutation(250)), learner))


@pytest.mark.parametrize("n", [200, 3000])
def test_a_weight_is_a_repetition(n: int) -> None:
    data = slanting(n, 10, 3)
    weights = np.random.default_rng(3).integers(1, 4, n)
    repeated = data.take(np.repeat(np.arange(n), weights))
    learner = ObliqueTree(pruning="none", restarts=2)
    by_weight, by_repetition = fit(data.with_weights(weights.astype(float)), learner), fit(repeated, learner)
    assert np.array_equal(by_weight.test, by_repetition.test)
    assert np.allclose(by_weight.threshold, by_repetition.threshold, equal_nan=True)
    assert np.allclose(by_weight.term_coefficient, by_repetition.term_coefficient)


def test_units_do_not_matter() -> None:
    data = slanting(300, 11, 3)
    scaled = table([data.column(0) * 2.0**40, data.column(1) * 2.0**-30, data.column(2)], data.class_codes)
    one, other = BARE.fit(data, RunContext()), BARE.fit(scaled, RunContext())
    assert isinstance(one, TreeModel)
    assert isinstance(other, TreeModel)
    assert one.leaves_of(data).tolist() == other.leaves_of(scaled).tolist()


def test_many_records_are_searched_by_a_sample_and_judged_whole() -> None:
    data = slanting(20_000, 12, 3)
    tree = fit(data, ObliqueTree(pruning="none", max_depth=1, restarts=2))
    assert tree.is_linear(0)
    wrong = tree.counts[1:].sum() - tree.counts[1:].max(axis=1).sum()
    assert wrong <= 10


def test_the_same_seed_gives_the_same_tree() -> None:
    data = xor(300, 1, RunContext())
    one, other = (fit(data, ObliqueTree(pruning="none", seed=5)) for _ in range(2))
    assert same_tree(one, other)


# ---- hostile data ----------------------------------------------------------------------------------------------------


def hostile(name: str, n: int = 120) -> list[FloatArray]:
    random = np.random.default_rng(2)
    x, y = random.normal(size=(2, n))
    extremes = np.where(x > 0, 1e300, -1e300)
    return {
        "constant": [np.ones(n), np.full(n, 7.0)],
        "one constant": [x, np.ones(n)],
        "duplicates": [x, x],
        "collinear": [x, 2 * x + 1, -3 * x],
        "collinear but for rounding": [x, x * 0.1 + x * 0.2, x * 0.3],
        "huge": [x * 1e300, y * 1e300],
        "largest there are": [np.where(x > 0, 1.7e308, -1.7e308), np.where(y > 0, 1.7e308, -1.7e308)],
        "extremes and small": [extremes, y * 1e-300],
        "tiny": [x * 1e-310, y * 1e-310],
        "huge and tiny": [x * 1e300, y * 1e-300, x + y],
        "infinite": [np.where(x > 1, np.inf, x), y, x + y],
        "far from zero": [1e9 + x * 1e-3, 1e9 + y * 1e-3],
        "neighbouring numbers": [np.nextafter(1.0, 2.0) + 0.0 * x, np.where(y > 0, 1.0, np.nextafter(1.0, 2.0))],
        "all missing": [np.full(n, np.nan), np.full(n, np.nan)],
        "one missing": [x, np.full(n, np.nan), y],
        "mostly missing": [np.where(x > 1, x, np.nan), np.where(y > 1, y, np.nan)],
    }[name]


@pytest.mark.parametrize("criterion", ["gini", "gain-ratio", "error"])
@pytest.mark.parametrize(
    "name",
    [
        "constant",
        "one constant",
        "duplicates",
        "collinear",
        "collinear but for rounding",
        "huge",
        "largest there are",
        "extremes and small",
        "tiny",
        "huge and tiny",
        "infinite",
        "far from zero",
        "neighbouring numbers",
        "all missing",
        "one missing",
        "mostly missing",
    ],
)
def test_hostile_numbers_give_a_sound_tree(name: str, criterion: str) -> None:
    columns = hostile(name)
    random = np.random.default_rng(3)
    codes = random.integers(0, 2, 120)
    data = table(columns, codes)
    learner = ObliqueTree(pruning="none", criterion=criterion, restarts=3)
    tree = fit(data, learner)
    model = TreeModel(tree)
    assert np.isfinite(model.predict_proba(data)).all()
    leaves = model.leaves_of(data)
    for leaf in np.flatnonzero(tree.test == Test.LEAF).tolist():
        assert tree.counts[leaf].tolist() == np.bincount(codes[leaves == leaf], minlength=2).tolist()


def test_collinear_attributes_are_not_summed() -> None:
    x = np.random.default_rng(4).normal(size=200)
    tree = fit(table([x, 2 * x + 1, -3 * x], (x > 0.2).astype(int)))
    assert (tree.n_leaves, tree.is_numeric(0)) == (2, True)


def test_a_line_far_from_zero_is_found() -> None:
    data = slanting(300, 13)
    far = table([1e6 + data.column(0), -1e6 + 1e-3 * data.column(1)], data.class_codes)
    tree = fit(far, ObliqueTree())
    assert (tree.n_leaves, tree.is_linear(0)) == (2, True)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 60), st.integers(1, 4))
def test_leaves_part_the_records(seed: int, n: int, d: int) -> None:
    random = np.random.default_rng(seed)
    columns = random.integers(-3, 4, (d, n)).astype(float)
    columns[random.random((d, n)) < 0.1] = np.nan
    data = table(columns, random.integers(0, 3, n), classes="abc")
    model = ObliqueTree(pruning="none", restarts=2, min_leaf=1).fit(data, RunContext())
    assert isinstance(model, TreeModel)
    leaves, tree = model.leaves_of(data), model.tree
    assert np.all(tree.test[leaves] == Test.LEAF)
    for leaf in np.flatnonzero(tree.test == Test.LEAF).tolist():
        assert tree.counts[leaf].tolist() == np.bincount(data.class_codes[leaves == leaf], minlength=3).tolist()


# ---- stopping --------------------------------------------------------------------------------------------------------


def test_a_stop_is_heeded_and_an_early_finish_leaves_a_tree() -> None:
    data, context = slanting(60_000, 14, 10), RunContext()
    ends: list[str] = []

    def learn() -> None:
        try:
            BARE.fit(data, context)
        except Cancelled:
            ends.append("cancelled")

    fit(slanting(50, 1))
    thread = threading.Thread(target=learn)
    thread.start()
    thread.join(0.02)
    context.cancel()
    thread.join(2.0)
    assert ends == ["cancelled"]
    finishing = RunContext()
    finishing.finish()
    assert BARE.fit(data, finishing).partial


# ---- why -------------------------------------------------------------------------------------------------------------


def test_the_sum_stands_beside_the_attributes_with_its_working() -> None:
    data = slanting(300, 1)
    tree = fit(data)
    reasons = why(tree, 0, data, BARE)
    chosen = reasons.candidates[0]
    assert (chosen.test, chosen.verdict, chosen.rank) == (Test.LINEAR, Verdict.CHOSEN, 1)
    assert headline(reasons).startswith(f"Asking about {chosen.name} leaves the classes")
    assert verdict_words(reasons, reasons.candidates[1]).endswith(f"of {chosen.name}.")
    assert workings(reasons, chosen)[0].value == pytest.approx(float(tree.gain[0]))
    curve = reasons.curve(chosen.attribute)
    assert curve is not None
    assert curve.gain[curve.chosen] == pytest.approx(float(tree.gain[0]))
    assert curve.thresholds[curve.chosen] == pytest.approx(float(tree.threshold[0]), rel=0.05)
    assert reasons.curve(0) is not None


def test_a_sum_that_was_not_better_is_seen_as_a_runner_up() -> None:
    columns = np.random.default_rng(5).uniform(0, 1, (3, 200))
    codes = (columns[1] > 0.4).astype(int)
    codes[:12] = 1 - codes[:12]
    data = table(columns, codes)
    tree = fit(data, ObliqueTree(pruning="none", max_depth=1, restarts=0))
    for node in range(tree.n_nodes):
        reasons = why(tree, node, data, ObliqueTree(pruning="none", max_depth=1, restarts=0))
        assert not reasons.moved
        if reasons.is_leaf:
            assert why_leaf(reasons, BARE).sentence


def test_every_node_of_a_tree_can_be_explained() -> None:
    data = xor(300, 4, RunContext())
    tree = fit(data)
    for node in range(tree.n_nodes):
        reasons = why(tree, node, data, BARE)
        assert not reasons.moved
        if tree.is_leaf(node):
            assert why_leaf(reasons, BARE).sentence
        else:
            assert headline(reasons)


# ---- cut back --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pruning", [option.word for option in METHODS])
@pytest.mark.parametrize("raising", [False, True])
def test_every_way_of_pruning_leaves_a_sound_tree(pruning: str, raising: bool) -> None:
    data = xor(400, 6, RunContext(), 2, 1.5)
    first = data.column(0).copy()
    first[::9] = np.nan
    data = data.with_column(0, data.schema.attributes[0], first)
    whole = fit(data, ObliqueTree(pruning="none"))
    model = ObliqueTree(pruning=pruning, raising=raising, with_raising=raising, folds=3).fit(data, RunContext(seed=2))
    assert isinstance(model, TreeModel)
    tree = model.tree
    checked_tree(tree.schema, tree.arrays(), tree.criterion)
    assert linear_nodes(whole)
    assert tree.n_leaves <= whole.n_leaves or pruning == "reduced-error"
    if pruning != "reduced-error":
        leaves = model.leaves_of(data)
        for leaf in np.flatnonzero(tree.test == Test.LEAF).tolist():
            assert tree.counts[leaf].tolist() == np.bincount(data.class_codes[leaves == leaf], minlength=2).tolist()
