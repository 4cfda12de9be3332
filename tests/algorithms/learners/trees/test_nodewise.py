"""Trees that grow node by node: by chi-square, and with a branch for each range of a number."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from algorithms.catalogue import builtin
from algorithms.core.errors import Cancelled, ParameterError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.filters.discretize import class_weights, mdl_cut_positions
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.chaid import Chaid
from algorithms.learners.trees.edited_tree import EditedTree
from algorithms.learners.trees.edits import EditedSplit, TreeEdit, way_to
from algorithms.learners.trees.explain import why_words
from algorithms.learners.trees.explain.why_words import columns, headline, quantity_figure, verdict_words, why_leaf
from algorithms.learners.trees.growth.engine import grow
from algorithms.learners.trees.growth.frontier_growth import JoinedLists
from algorithms.learners.trees.growth.growth_options import (
    GrowthOptions,
    entropy_ends,
    equal_weight_ends,
    equal_width_ends,
)
from algorithms.learners.trees.growth.nodewise_growth import best_halves
from algorithms.learners.trees.growth.on_disk import check_can_grow_on_disk
from algorithms.learners.trees.growth.split_criteria import SortedRecords, best_cuts, cuts_of, pair_statistics
from algorithms.learners.trees.stump import DecisionStump
from algorithms.learners.trees.tree_learner import why
from algorithms.structures.tree import SplitTest, Tree
from tests.algorithms.battery_data import mixed
from tests.expected_texts import learners as wording


def grown(data: Dataset, **options: object) -> Tree:
    return grow(data, GrowthOptions(**options), RunContext()).tree  # type: ignore[arg-type]


def iris() -> Dataset:
    return builtin().samples.get("iris").make(None, 1, RunContext())


# ---- chi-square ------------------------------------------------------------------------------------------------------


def test_the_statistic_of_each_cut_is_pearsons() -> None:
    random = np.random.default_rng(2)
    known = random.integers(5, 20, 3).astype(float)
    left = np.floor(random.random((3, 6)) * known[:, None])
    left[:, 0] = known
    found = pair_statistics(left, known)
    for at in range(1, 6):
        table = np.array([left[:, at], known - left[:, at]])
        assert found[at] == pytest.approx(chi2_contingency(table, correction=False).statistic)
    assert found[0] == 0.0


def slow_cut(
    values: FloatArray, classes: IntArray, weights: FloatArray, k: int, min_leaf: float, tenth: bool
) -> tuple[float, int, int, float, float] | None:
    """Statistic, degrees of freedom, number of cuts and the values beside the best one, by whole arrays."""
    cuts = cuts_of(values, classes, weights, k)
    below, known = cuts.left.sum(axis=0), float(cuts.class_weights.sum())
    least = max(min_leaf, min(25.0, 0.1 * known / k)) if tenth else min_leaf
    allowed = np.flatnonzero((below >= least - 1e-9) & (known - below >= least - 1e-9))
    if len(allowed) == 0:
        return None
    statistics = pair_statistics(cuts.left[:, allowed], cuts.class_weights)
    best = int(np.argmax(statistics >= statistics.max() * (1.0 - 1e-10)))
    at, freedom = int(allowed[best]), int(np.count_nonzero(cuts.class_weights)) - 1
    return float(statistics[best]), freedom, len(allowed), float(cuts.low[at]), float(cuts.high[at])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("tenth", [False, True])
def test_the_compiled_loops_find_the_cuts_of_the_plain_way(weighted: bool, tenth: bool) -> None:
    random = np.random.default_rng(6)
    for n, k, min_leaf in ((1, 2, 1.0), (7, 2, 1.0), (60, 3, 2.0), (400, 4, 5.0), (50, 2, 40.0)):
        columns = [np.round(random.normal(size=n), digits) for digits in (0, 1, 9)]
        columns[1][random.random(n) < 0.3] = np.nan
        classes = random.integers(0, k, n)
        schema = Schema((*(numeric(name) for name in "xyz"), nominal("class", "abcd"[:k])), 3)
        data = Dataset(schema, [*columns, classes], weights=random.random(n) + 0.1 if weighted else None)
        records = SortedRecords.of(data, (0, 1, 2), lambda: None)
        chosen = random.random(n) < 0.7
        weights = np.where(chosen, data.weight_array * 0.9, np.nan)
        part = records.part(chosen, int(chosen.sum()), weights)
        for some, of_them, rows in (
            (records, data.weight_array, np.arange(n)),
            (part, weights, np.flatnonzero(chosen)),
        ):
            found = best_cuts(some, min_leaf, tenth, lambda: None)
            for place, column in enumerate(columns):
                wanted = slow_cut(column[rows], classes[rows], of_them[rows], k, min_leaf, tenth)
                if wanted is None:
                    assert np.isnan(found.statistic[place]) and np.isnan(found.worths[place])
                    continue
                low, high = column[found.between[place]]
                ways = np.exp(found.log_ways[place])
                told = (found.statistic[place], found.freedom[place], ways, low, high)
                assert told == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("k", [2, 3])
def test_the_best_two_groups_are_the_best_of_all(k: int) -> None:
    random = np.random.default_rng(k)
    for _ in range(20):
        table = np.asarray(random.integers(0, 9, (5, k)) + 1.0, dtype=np.float64)
        group = best_halves(table, 2.0)
        assert group is not None and group[0] == 0
        worth = {
            side: chi2_contingency([table[np.array(side) == g].sum(axis=0) for g in (0, 1)], correction=False).statistic
            for side in product((0, 1), repeat=5)
            if side[0] == 0 and any(side)
        }
        assert worth[tuple(group.tolist())] == pytest.approx(max(worth.values()))


def test_the_question_is_asked_that_chance_explains_least_whatever_its_branches() -> None:
    """Size has the larger statistic, 10.4 with 5 degrees of freedom (chance 0.065); Colour 9.6 with one (0.002)."""
    size, colour, y = [], [], []
    for value, (no, yes) in enumerate([(8, 2), (2, 8), (7, 3), (3, 7), (5, 5), (5, 5)]):
        size += [value] * (no + yes)
        y += [0] * no + [1] * yes
    for code in (0, 1):  # 21 of 30 and 9 of 30 are red
        rows = np.flatnonzero(np.array(y) == code)
        colour += [(int(row), int(nth < (21 if code == 0 else 9))) for nth, row in enumerate(rows)]
    red = [each for _, each in sorted(colour)]
    schema = Schema((nominal("size", "abcdef"), nominal("colour", ("blue", "red")), nominal("class", ("no", "yes"))), 2)
    data = Dataset(schema, [size, red, y])
    learner = C45(criterion="chi-square", pruning="none", max_depth=1)
    tree = grown(data, criterion="chi-square", max_depth=1)
    assert tree.attribute[0] == 1 and tree.gain[0] == pytest.approx(9.6)
    reasons = why(tree, 0, data, learner)
    assert columns(reasons) == ("Chi-square", "Adjusted p")
    by_size, by_colour = reasons.of(0), reasons.of(1)
    assert (by_size.gain, by_size.split_information) == pytest.approx((10.4, 5.0))
    assert by_size.gain > by_colour.gain and by_size.gain_ratio == pytest.approx(0.0646, abs=1e-3)
    assert by_colour.gain_ratio == pytest.approx(0.00195, abs=1e-4)
    assert wording.LEAST_LIKELY_BY_CHANCE in headline(reasons)
    assert wording.MORE_OFTEN_THAN_COLOUR in verdict_words(reasons, by_size)
    assert quantity_figure(reasons, by_size) == "0.065"


def test_a_line_pays_for_the_choice_among_lines() -> None:
    """A list of values and a number tell the same; the number had 55 lines to choose among."""
    y = [0] * 30 + [1] * 30
    schema = Schema((numeric("x"), nominal("half", ("low", "high")), nominal("class", ("no", "yes"))), 2)
    data = Dataset(schema, [np.arange(60.0), y, y])
    assert grown(data, criterion="chi-square").attribute[0] == 1
    candidate = why(grown(data, criterion="chi-square"), 0, data, C45(criterion="chi-square")).of(0)
    assert np.exp(candidate.log_ways) == pytest.approx(55)  # three records, a tenth of a class, on each side
    assert candidate.gain == pytest.approx(60.0)


def test_noise_is_not_asked_about_by_chi_square() -> None:
    random = np.random.default_rng(3)
    schema = Schema((*(numeric(name) for name in "abcdef"), nominal("class", ("no", "yes"))), 6)
    noise = Dataset(schema, [*random.normal(size=(6, 200)), random.integers(0, 2, 200)])
    learner = C45(criterion="chi-square", pruning="none", min_gain=2.0)
    tree = learner.fit(noise, RunContext()).structure()
    assert isinstance(tree, Tree)
    assert tree.n_nodes == 1
    assert why_leaf(why(tree, 0, noise, learner), learner).sentence == (wording.ALL_MAY_BE_CHANCE)
    assert grown(noise, criterion="gini").n_leaves > 20


def test_surrogates_stand_in_by_chi_square_too() -> None:
    data = mixed(300, 4, missing=0.15)
    tree = Cart(criterion="chi-square", pruning="none").fit(data, RunContext()).structure()
    assert isinstance(tree, Tree)
    assert len(tree.surrogate_node) > 0 and np.all(np.diff(tree.surrogate_node) >= 0)
    assert np.all(tree.n_children[tree.surrogate_node] == 2)


# ---- ranges ----------------------------------------------------------------------------------------------------------


def test_ranges_of_equal_width_and_weight() -> None:
    numbers = np.array([0.0, 1, 2, 3, 10, 10, 10, np.nan])
    assert equal_width_ends(numbers, 5).tolist() == [2.0, 4.0, np.inf]  # nothing lies from 4 to 8: one line parts there
    assert equal_weight_ends(numbers, np.ones(8), 2).tolist() == [6.5, np.inf]
    assert equal_width_ends(np.array([3.0, 3.0]), 4).tolist() == [np.inf]
    widest = np.finfo(np.float64).max
    assert equal_width_ends(np.array([-widest, widest]), 2).tolist() == [0.0, np.inf]


def test_ranges_by_entropy_are_those_of_the_filter() -> None:
    data = iris()
    values, cells = class_weights(data, 3)
    cuts = mdl_cut_positions(cells)
    ends = entropy_ends(data.column(3), data.class_codes.astype(np.int64), data.weight_array, 3)
    assert ends[:-1].tolist() == [(values[at - 1] + values[at]) / 2 for at in cuts]
    assert ends.tolist() == pytest.approx([0.8, 1.75, np.inf])


def test_a_question_about_a_number_has_a_branch_for_each_range() -> None:
    data = iris()
    tree = DecisionStump(numeric_splits="entropy").fit(data, RunContext()).structure()
    assert isinstance(tree, Tree)
    assert tree.test[0] == SplitTest.RANGES and tree.n_children[0] == 3
    assert tree.counts.tolist() == [[50, 50, 50], [50, 0, 0], [0, 49, 5], [0, 1, 45]]
    learner = DecisionStump(numeric_splits="entropy")
    reasons = why(tree, 0, data, learner)
    assert why_words.test_words(reasons.schema, reasons.candidates[0]) == (wording.QUESTION_OF_3_RANGES)
    assert reasons.curve(3) is None


def test_every_node_cuts_its_own_numbers() -> None:
    data = iris()
    tree = C45(numeric_splits="equal-width", numeric_branches=3, pruning="none").fit(data, RunContext()).structure()
    assert isinstance(tree, Tree)
    ends: dict[int, set[tuple[float, ...]]] = {}
    for node in np.flatnonzero(tree.test == SplitTest.RANGES).tolist():
        ends.setdefault(int(tree.attribute[node]), set()).add(tuple(tree.ends(node).tolist()))
    assert any(len(each) > 1 for each in ends.values())
    values = {float(value) for index in range(4) for value in data.column(index)}
    assert {end for each in ends.values() for row in each for end in row[:-1]} <= values  # C4.5 asks at values


def test_these_trees_do_not_grow_from_a_file_in_pieces() -> None:
    for learner in (
        C45(criterion="chi-square"),
        C45(numeric_splits="entropy"),
        Cart(criterion="chi-square", pruning="none"),
    ):
        with pytest.raises(ParameterError, match=wording.NEEDS_ALL_IN_MEMORY):
            check_can_grow_on_disk(learner)


def test_growth_is_cancelled_and_finished_early() -> None:
    data = mixed(400, 2)
    cancelled, finishing = RunContext(), RunContext()
    cancelled.cancel()
    with pytest.raises(Cancelled):
        C45(criterion="chi-square").fit(data, cancelled)
    finishing.finish()
    assert C45(numeric_splits="entropy").fit(data, finishing).partial


# ---- CHAID cut back --------------------------------------------------------------------------------------------------


def test_chaid_is_pruned_like_any_other_tree_and_says_why() -> None:
    data = mixed(400, 5)
    whole = Chaid(alpha=0.5, min_split=4).fit(data, RunContext()).structure()
    learner = Chaid(alpha=0.5, min_split=4, pruning="pessimistic", penalty=4.0)
    tree = learner.fit(data, RunContext()).structure()
    assert isinstance(tree, Tree) and isinstance(whole, Tree)
    assert 1 < tree.n_leaves < whole.n_leaves
    said = [
        why_leaf(why(tree, node, data, learner), learner).sentence for node in range(tree.n_nodes) if tree.is_leaf(node)
    ]
    assert any(wording.ASKING_MORE in sentence for sentence in said)
    assert not any("finished early" in sentence for sentence in said)


@pytest.mark.parametrize("base", [C45(criterion="chi-square"), C45(numeric_splits="equal-frequency"), Chaid()])
def test_such_trees_are_changed_by_hand(base: C45 | Chaid) -> None:
    data = iris()
    own = base.fit(data, RunContext()).structure()
    assert isinstance(own, Tree)
    inner = [node for node in range(1, own.n_nodes) if not own.is_leaf(node)]
    edits = (
        TreeEdit(way_to(own, inner[0])) if inner else TreeEdit((), EditedSplit("Sepal Length")),
        TreeEdit((), EditedSplit("Petal Length", 2.45)),
        TreeEdit((), EditedSplit("Sepal Width")),
    )
    for edit in edits:
        learner = EditedTree(base=base, edits=(edit,))
        model = learner.fit(data, RunContext())
        tree = model.structure()
        assert isinstance(tree, Tree)
        assert tree.counts[tree.n_children == 0].sum(axis=0) == pytest.approx(own.counts[0])
        if edit.question is not None:
            assert tree.schema.attributes[int(tree.attribute[0])].name == edit.question.attribute
        else:
            assert tree.n_leaves < own.n_leaves


def test_lists_of_values_are_joined_at_their_offsets() -> None:
    lists = JoinedLists(np.array([7], dtype=np.int16))
    assert [lists.put(np.arange(n)) for n in (2, 0, 3)] == [1, 3, 3]
    assert lists.joined().tolist() == [7, 0, 1, 0, 1, 2] and lists.joined().dtype == np.int16
