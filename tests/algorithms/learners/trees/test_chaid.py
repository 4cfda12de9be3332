"""CHAID against worked cases that others published, and the properties of its rules."""

from __future__ import annotations

from itertools import combinations
from math import comb, exp, log
from typing import Any

import numpy as np
import pytest
from scipy import stats

from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, Schema, nominal, numeric
from algorithms.io.samples import samples
from algorithms.learners.trees.chaid import Chaid
from algorithms.learners.trees.explain.chaid_reasons import small_chance
from algorithms.learners.trees.explain.node_reasons import SplitVerdict
from algorithms.learners.trees.explain.why_words import headline, second_figure, verdict_words, why_leaf, workings
from algorithms.learners.trees.growth.chaid_growth import MergingRules, merged
from algorithms.learners.trees.growth.growth_options import equal_weight_ends
from algorithms.learners.trees.growth.split_criteria import (
    adjusted,
    chi_square,
    log_comparisons,
    log_groupings,
    log_p_value,
)
from algorithms.learners.trees.model import TreeModel, checked_tree
from algorithms.learners.trees.routing import records_at, rows_reaching
from algorithms.learners.trees.tree_learner import why
from algorithms.structures.tree import SplitTest, Tree, path_words
from algorithms.text.numbers import p_text, p_words
from tests.algorithms.battery_data import mixed
from tests.expected_texts import learners as wording

NAN = float("nan")
SMALL = Chaid(min_leaf=1, min_split=2)

TITANIC = {"first": (122, 203), "second": (167, 118), "third": (528, 178), "crew": (673, 212)}
"""Those who died and who lived by class: the table ``Titanic`` of R (Dawson 1995)."""

MALE, FEMALE = (wording.equals("Sex", value) for value in ("male", "female"))
CHILD, ADULT = (wording.equals("Age", value) for value in ("child", "adult"))
FIRST, SECOND, THIRD, CREW = (wording.equals("Class", value) for value in ("first", "second", "third", "crew"))
SECOND_OR_CREW = wording.equals("Class", "second or crew")


SURVIVORS = {
    ("first", "male", "child"): (0, 5),
    ("first", "female", "child"): (0, 1),
    ("first", "male", "adult"): (118, 57),
    ("first", "female", "adult"): (4, 140),
    ("second", "male", "child"): (0, 11),
    ("second", "female", "child"): (0, 13),
    ("second", "male", "adult"): (154, 14),
    ("second", "female", "adult"): (13, 80),
    ("third", "male", "child"): (35, 13),
    ("third", "female", "child"): (17, 14),
    ("third", "male", "adult"): (387, 75),
    ("third", "female", "adult"): (89, 76),
    ("crew", "male", "adult"): (670, 192),
    ("crew", "female", "adult"): (3, 20),
}
"""The whole table ``Titanic``: those who died and who lived by class, sex and age."""


def fit(data: Dataset, learner: Chaid | None = None) -> TreeModel:
    model = (learner or Chaid()).fit(data, RunContext(seed=1))
    assert isinstance(model, TreeModel)
    tree = model.tree
    checked_tree(tree.schema, tree.arrays(), tree.criterion, missing_is_value=True)
    for node in np.flatnonzero(tree.test != SplitTest.LEAF).tolist():
        assert tree.counts[list(tree.children(node))].sum(axis=0) == pytest.approx(tree.counts[node])
    return model


def from_codes(codes: object, classes: object, *, ordinal: bool = False, weights: object = None) -> Dataset:
    codes, classes = np.asarray(codes), np.asarray(classes)
    attribute = nominal("x", [f"v{i}" for i in range(codes.max() + 1)], ordinal=ordinal)
    schema = Schema((attribute, nominal("class", [f"k{i}" for i in range(classes.max() + 1)])), 1)
    return Dataset(schema, [codes, classes], weights=None if weights is None else np.asarray(weights))


def titanic() -> Dataset:
    codes = np.repeat(np.arange(4).repeat(2), [n for counts in TITANIC.values() for n in counts])
    classes = np.repeat([0, 1] * 4, [n for counts in TITANIC.values() for n in counts])
    return from_codes(codes, classes)


# ---- published cases -------------------------------------------------------------------------------------------------


def test_chi_square_of_class_and_survival_on_the_titanic() -> None:
    """R prints ``chisq.test``: X-squared = 190.4, df = 3, p-value < 2.2e-16."""
    statistic, freedom = chi_square(np.array(list(TITANIC.values())))
    assert round(float(statistic), 1) == 190.4
    assert freedom == 3


def test_third_class_and_crew_of_the_titanic_are_one_group() -> None:
    """Kass's steps by hand: the pair third/crew differs least (chi-square 0.34, p 0.56) and is merged; second differs
    from both; 3 groups of 4 values can be formed in 6 ways."""
    table = np.array(list(TITANIC.values()), dtype=float)
    by_pair = {pair: stats.chi2_contingency(table[list(pair)], correction=False) for pair in combinations(range(4), 2)}
    assert max(by_pair, key=lambda pair: by_pair[pair].pvalue) == (2, 3)
    found = merged(table, MergingRules(), ordered=False)
    assert found.groups == ((0,), (1,), (2, 3))
    expected = stats.chi2_contingency(np.array([table[0], table[1], table[2] + table[3]]), correction=False)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.log_p == pytest.approx(np.log(expected.pvalue))
    assert exp(found.log_multiplier) == pytest.approx(6)
    tree = fit(titanic()).tree
    assert tree.gain[0] == pytest.approx(expected.statistic)
    assert [path_words(tree, n)[0] for n in (1, 2, 3)] == [
        wording.equals("x", "v0"),
        wording.equals("x", "v1"),
        wording.equals("x", "v2 or v3"),
    ]


def test_chi_square_and_chance_of_the_python_chaid_package() -> None:
    """Rambatino/CHAID, tests/test_tree.py, test_p_and_chi_values: 3.9375 and 0.0472, calculated by hand there."""
    data = from_codes([0] * 4 + [1] * 3, [0] * 3 + [1] * 4)
    found = merged(np.array([[3.0, 1.0], [0.0, 3.0]]), MergingRules(), ordered=False)
    assert (round(found.statistic, 4), round(exp(found.log_p), 4)) == (3.9375, 0.0472)
    assert fit(data, Chaid(min_leaf=1, min_split=2, alpha=0.0473)).tree.n_leaves == 2
    assert fit(data, Chaid(min_leaf=1, min_split=2, alpha=0.0471)).tree.n_leaves == 1


def test_chi_square_with_weights_of_the_python_chaid_package() -> None:
    """The same, test_p_and_chi_values_when_weighting_applied: 1.6179 and 0.4453."""
    gender, income = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1], [0, 0, 1, 0, 2, 0, 1, 2, 1, 0, 1]
    weights = [0.9, 0.8, 0.9, 1.1, 1.2, 0.8, 1.3, 0.2, 0.5, 0.7, 1.1]
    table = np.zeros((2, 3))
    np.add.at(table, (gender, income), weights)
    found = merged(table, MergingRules(), ordered=False)
    assert (round(found.statistic, 4), round(exp(found.log_p), 4)) == (1.6179, 0.4453)


def test_ordinal_groups_of_the_python_chaid_package() -> None:
    """The same, test_new_columns_constructor: the groups are 0-5 against 6-10 and 11-15."""
    orientation = [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 1]
    age = [0, 1, 1, 0, 2, 2, 2, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    income = [0, 0, 1, 1, 2, 0, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    levels = ("0-5", "6-10", "11-15")
    schema = Schema(
        (nominal("orientation", levels, ordinal=True), nominal("age", levels, ordinal=True), nominal("income", levels)),
        2,
    )
    data = Dataset(schema, [orientation, age, income])
    unadjusted = Chaid(min_leaf=1, min_split=2, bonferroni=False)
    reasons = why(fit(data, unadjusted).tree, 0, data, unadjusted)
    assert reasons.chosen is not None and reasons.chosen.answers == ("0-5", "6-10 or 11-15")


@pytest.mark.parametrize(
    ("n", "groups", "ways"), [(3, 2, 3), (4, 2, 7), (4, 3, 6), (5, 2, 15), (5, 3, 25), (10, 4, 34105)]
)
def test_groupings_without_an_order_are_stirling_numbers(n: int, groups: int, ways: int) -> None:
    assert exp(log_groupings(n, groups, ordered=False)) == pytest.approx(ways)


@pytest.mark.parametrize("n", [3, 5, 7])
def test_groupings_in_order_are_as_many_as_can_be_listed(n: int) -> None:
    """Kass (1980), the three Bonferroni multipliers, against listing every grouping."""
    for groups in range(1, n + 1):
        assert exp(log_groupings(n, groups, ordered=True)) == pytest.approx(comb(n - 1, groups - 1))
        in_order = set(combinations(range(1, n - 1), groups - 1))
        apart = set(combinations(range(1, n - 1), groups - 2)) if groups > 1 else set()
        listed = groups * len(in_order) + len(apart)
        assert exp(log_groupings(n, groups, ordered=True, floating=True)) == pytest.approx(listed)


def test_many_categories_have_a_multiplier_too() -> None:
    assert log_groupings(1500, 3, ordered=False) == pytest.approx(1500 * log(3) - log(6))


def passengers() -> Dataset:
    """The table ``Titanic`` of R as weighted records."""
    values = (("first", "second", "third", "crew"), ("male", "female"), ("child", "adult"))
    rows = [(key, died, count) for key, counts in SURVIVORS.items() for died, count in enumerate(counts) if count]
    columns = [[values[i].index(key[i]) for key, _, _ in rows] for i in range(3)]
    names = zip(("Class", "Sex", "Age"), values, strict=True)
    schema = Schema((*(nominal(name, labels) for name, labels in names), nominal("Survived", ("No", "Yes"))), 3)
    weights = np.array([count for _, _, count in rows], dtype=float)
    return Dataset(schema, [*columns, [died for _, died, _ in rows]], weights=weights)


OF_SPSS: dict[str, Any] = {"min_leaf": 50, "min_split": 100, "max_depth": 3, "resplit_alpha": 0.0}
"""The defaults of SPSS: nothing is taken apart again, a node of 100 records at least, a branch of 50."""


def test_the_tree_of_the_titanic_that_spss_grows() -> None:
    """chaidr (R, after IBM SPSS Statistics Algorithms), vignette, section 4.1, standard CHAID: each question with its
    chi-square, its multiplier and its adjusted chance, each leaf with its records and its share of the likelier class.
    """
    tree = fit(passengers(), Chaid(**OF_SPSS)).tree
    assert _asked(tree, Chaid(**OF_SPSS)) == {
        (): ("Sex", "456.9", 1, "2.3e-101"),
        (MALE,): ("Age", "23.12", 1, "1.52e-06"),
        (MALE, ADULT): ("Class", "37.99", 1, "2.84e-08"),
        (FEMALE,): ("Class", "130.7", 6, "2.51e-28"),
    }
    assert _leaves(tree) == {
        (MALE, CHILD): ("No", 64, 54.7),
        (MALE, ADULT, FIRST): ("No", 175, 67.4),
        (MALE, ADULT, SECOND): ("No", 168, 91.7),
        (MALE, ADULT, THIRD): ("No", 462, 83.8),
        (MALE, ADULT, CREW): ("No", 862, 77.7),
        (FEMALE, FIRST): ("Yes", 145, 97.2),
        (FEMALE, SECOND_OR_CREW): ("Yes", 129, 87.6),
        (FEMALE, THIRD): ("No", 196, 54.1),
    }


def test_the_tree_of_the_titanic_by_exhaustive_chaid() -> None:
    """The same, exhaustive CHAID: the women are divided in two first, then again. The multipliers of lists are there
    those of SPSS, three times those of Biggs, de Ville and Suen that are taken here."""
    learner = Chaid(**OF_SPSS, merging="exhaustive")
    tree = fit(passengers(), learner).tree
    women, best = (FEMALE,), (FEMALE, wording.equals("Class", "first, second or crew"))
    assert _asked(tree, learner, times=3) == {
        (): ("Sex", "456.9", 3, "6.91e-101"),
        (MALE,): ("Age", "23.12", 3, "4.55e-06"),
        (MALE, ADULT): ("Class", "37.99", 30, "8.53e-07"),
        women: ("Class", "127.4", 30, "4.44e-28"),
        best: ("Class", "9.384", 12, "0.0263"),
    }
    assert _leaves(tree) == {
        (MALE, CHILD): ("No", 64, 54.7),
        (MALE, ADULT, FIRST): ("No", 175, 67.4),
        (MALE, ADULT, SECOND): ("No", 168, 91.7),
        (MALE, ADULT, THIRD): ("No", 462, 83.8),
        (MALE, ADULT, CREW): ("No", 862, 77.7),
        (*best, FIRST): ("Yes", 145, 97.2),
        (*best, SECOND_OR_CREW): ("Yes", 129, 87.6),
        (*women, THIRD): ("No", 196, 54.1),
    }


def _asked(tree: Tree, learner: Chaid, times: int = 1) -> dict[tuple[str, ...], tuple[str, str, int, str]]:
    """By path: attribute, chi-square, ``times`` the multiplier, and as many times the adjusted chance of a question."""
    found = {}
    for node in np.flatnonzero(tree.test != SplitTest.LEAF).tolist():
        chosen = why(tree, node, passengers(), learner).chosen
        assert chosen is not None
        multiplier, p = times * round(exp(chosen.log_ways)), times * chosen.gain_ratio
        found[tuple(path_words(tree, node))] = (chosen.name, f"{chosen.gain:.4g}", multiplier, f"{p:.3g}")
    return found


def _leaves(tree: Tree) -> dict[tuple[str, ...], tuple[str, int, float]]:
    """By path: the class that a leaf decides, its records, and the share of the class among them in percent."""
    found = {}
    for node in np.flatnonzero(tree.test == SplitTest.LEAF).tolist():
        counts, label = tree.counts[node], tree.schema.classes[int(tree.decision[node])]
        share = round(100 * counts.max() / counts.sum(), 1)
        found[tuple(path_words(tree, node))] = (label, round(counts.sum()), share)
    return found


@pytest.mark.parametrize(
    ("n", "groups", "floating", "printed"),
    [(11, 5, True, 714), (9, 3, False, 28), (10, 2, False, 9), (9, 2, False, 8), (9, 2, True, 15)],
)
def test_multipliers_that_chaidr_prints(n: int, groups: int, floating: bool, printed: int) -> None:
    """chaidr, README, the tree of the penguins: ranges of numbers with and without missing ones."""
    assert exp(log_groupings(n, groups, ordered=True, floating=floating)) == pytest.approx(printed)


@pytest.mark.parametrize(("n", "ordered", "pairs"), [(8, True, 28), (8, False, 84), (11, True, 55), (20, False, 1330)])
def test_multipliers_of_exhaustive_chaid(n: int, ordered: bool, pairs: int) -> None:
    """Biggs, de Ville and Suen (1991), as printed by chaidr, and as many as there are pairs from n groups to two."""
    counted = sum(i - 1 if ordered else comb(i, 2) for i in range(2, n + 1))
    assert exp(log_comparisons(n, ordered=ordered)) == pytest.approx(pairs) == pytest.approx(counted)


@pytest.mark.parametrize(
    ("p", "written"), [(0.0321, "0.032"), (0.001, "0.001"), (3.4e-52, "3e−52"), (4e-8, "4e−8"), (0.0, "<1e−300")]
)
def test_small_chances_can_be_told_apart(p: float, written: str) -> None:
    assert small_chance(p) == written


def test_a_clearer_statistic_that_lost_is_told_why() -> None:
    data = next(s for s in samples() if s.id == "iris").make(None, 1, RunContext(seed=1))
    reasons = why(fit(data, Chaid()).tree, 0, data, Chaid())
    chosen, other = (next(c for c in reasons.candidates if c.name == name) for name in ("Petal Length", "Petal Width"))
    assert other.gain > chosen.gain and chosen is reasons.chosen
    said = verdict_words(reasons, other)
    assert wording.not_below_chance_of_length(small_chance(chosen.gain_ratio)) in said
    assert said.endswith(wording.HIGHER_CHI_SQUARE_OF_MORE_GROUPS)


def test_a_tiny_p_value_is_written_as_on_all_pages() -> None:
    """The formula ended in "= 0.000", and the table had "3e-49" with a hyphen."""
    data = next(s for s in samples() if s.id == "iris").make(None, 1, RunContext(seed=1))
    reasons = why(fit(data, Chaid()).tree, 0, data, Chaid())
    assert reasons.chosen is not None and reasons.chosen.gain_ratio < 0.001
    assert second_figure(reasons, reasons.chosen) == p_text(reasons.chosen.gain_ratio)
    assert headline(reasons).count(p_words(reasons.chosen.gain_ratio)) == 1
    adjusted = workings(reasons, reasons.chosen)[-1]
    assert adjusted.sentence().endswith(" < 0.001") and "-" not in adjusted.filled


# ---- the rules -------------------------------------------------------------------------------------------------------


def test_chances_too_small_for_a_float_are_still_compared() -> None:
    exact = stats.chi2.logsf(np.array([3.0, 50.0, 1200.0]), 3)
    assert log_p_value([3.0, 50.0, 1200.0], 3) == pytest.approx(exact, rel=1e-6)
    assert log_p_value(9000.0, 3) < log_p_value(8000.0, 3) < -3000
    assert log_p_value(5.0, 0) == 0
    assert adjusted(-10_000.0, 5.0) == 0.0


def test_classes_and_categories_that_do_not_occur_do_not_count() -> None:
    found = chi_square([[3, 1, 0], [0, 3, 0], [0, 0, 0]])
    assert (float(found[0]), int(found[1])) == (3.9375, 1)


def counts(*shares: float, n: int = 200) -> FloatArray:
    return np.array([[n * share, n * (1 - share)] for share in shares])


def test_ordered_values_merge_only_with_neighbours() -> None:
    table = counts(0.2, 0.8, 0.2, 0.8)
    assert merged(table, MergingRules(), ordered=True).groups == ((0,), (1,), (2,), (3,))
    assert merged(table, MergingRules(), ordered=False).groups == ((0, 2), (1, 3))


def test_missing_values_may_join_any_group_of_an_order() -> None:
    table = counts(0.2, 0.5, 0.8, 0.79)
    assert merged(table, MergingRules(), ordered=True, floating=3).groups == ((0,), (1,), (2, 3))
    assert merged(counts(0.2, 0.5, 0.8, 0.21), MergingRules(), ordered=True, floating=3).groups == ((0, 3), (1,), (2,))
    assert merged(counts(0.2, 0.21, 0.22, 0.9), MergingRules(), ordered=True, floating=3).groups == ((0, 1, 2), (3,))


def test_a_group_grown_too_wide_is_taken_apart_again() -> None:
    """Neighbours differ too little, the ends of the chain differ: steps 2 and 3 of Kass."""
    table = counts(0.50, 0.55, 0.60, 0.65, 0.90, n=260)
    with_step_3 = merged(table, MergingRules(merge=0.05, resplit=0.05), ordered=True)
    without = merged(table, MergingRules(merge=0.05, resplit=0.0), ordered=True)
    for found in (with_step_3, without):
        for one, other in zip(found.groups, found.groups[1:], strict=False):
            pair = np.array([table[list(one)].sum(axis=0), table[list(other)].sum(axis=0)])
            assert stats.chi2_contingency(pair, correction=False).pvalue <= 0.05
    chain = counts(*np.linspace(0.3, 0.7, 6), n=60)
    taken = merged(chain, MergingRules(merge=0.3, resplit=0.0001), ordered=True)
    kept = merged(chain, MergingRules(merge=0.0001, resplit=0.0), ordered=True)
    assert len(taken.groups) >= len(kept.groups)


def test_values_are_merged_to_two_groups_where_no_difference_is_enough() -> None:
    data = mixed(200)
    tree = Chaid(merge_alpha=0.0, min_leaf=1).fit(data, RunContext(seed=1)).tree
    assert tree.n_nodes > 1
    assert np.all(tree.n_children[tree.n_children > 0] == 2)


def test_take_apart_finds_the_best_of_all_halves() -> None:
    rng = np.random.default_rng(3)
    from algorithms.learners.trees.growth.chaid_growth import _Groups

    for ordered, floating in ((False, None), (True, None), (True, 4)):
        work = _Groups(rng.integers(1, 40, (5, 3)).astype(float), ordered, floating, checkpoint=lambda: None)
        while len(work) > 1:
            assert work.merge_most_alike(-np.inf)
        halves = [half_of(i) for half_of, sums in work._halves(work.groups()[0]) for i in range(len(sums))]
        assert len(halves) == len(set(halves)) == {(False, None): 15, (True, None): 4, (True, 4): 7}[ordered, floating]
        before = work.groups()[0]
        work.take_apart_last(0.0)
        best = min(
            float(
                log_p_value(
                    *chi_square([work.table[list(h)].sum(0), work.table[[c for c in before if c not in h]].sum(0)])
                )
            )
            for h in halves
        )
        assert len(work) == 2
        assert float(log_p_value(*chi_square(work._tables[work._stands]))) == pytest.approx(best)


def test_a_branch_too_light_joins_the_one_most_like_it() -> None:
    table = np.vstack([counts(0.1, 0.9, n=500), [[4.0, 3.0]]])
    assert merged(table, MergingRules(), ordered=False).groups == ((0,), (1,), (2,))
    assert merged(table, MergingRules(least=10), ordered=False).groups == ((0,), (1, 2))


def test_numbers_become_ranges_of_about_equal_weight() -> None:
    assert equal_weight_ends(np.arange(100.0), np.ones(100), 4).tolist() == [24.5, 49.5, 74.5, np.inf]
    assert equal_weight_ends(np.array([1, 1, 1, 1, 2, NAN]), np.ones(6), 10).tolist() == [1.5, np.inf]
    assert equal_weight_ends(np.array([NAN, NAN]), np.ones(2), 10).tolist() == [np.inf]
    by_weight = equal_weight_ends(np.array([1.0, 2, 3]), np.array([2.0, 1, 1]), 2)
    assert by_weight.tolist() == equal_weight_ends(np.array([1.0, 1, 2, 3]), np.ones(4), 2).tolist() == [1.5, np.inf]


def test_a_number_has_a_branch_for_each_of_several_ranges() -> None:
    x = np.repeat(np.arange(9.0), 40)
    data = Dataset(Schema((numeric("x"), nominal("class", "abc")), 1), [x, (x // 3).astype(int)])
    model = fit(data)
    tree = model.tree
    assert tree.test[0] == SplitTest.RANGES
    assert [path_words(tree, n)[0] for n in (1, 2, 3)] == [
        wording.at_most("x", 2.5),
        wording.between("x", 2.5, 5.5),
        wording.above("x", 5.5),
    ]
    assert model.predict(Dataset(data.schema, [[-np.inf, 2.5, 2.6, 5.5, 1e300, np.inf], [0] * 6])).tolist() == [
        0,
        0,
        1,
        1,
        2,
        2,
    ]
    for node in (1, 2, 3):
        assert records_at(tree, node, data).rows.tolist() == rows_reaching(tree, node, data).tolist()
        assert len(rows_reaching(tree, node, data)) == 120


def test_missing_values_are_a_category_that_is_merged() -> None:
    x = np.array([*np.repeat(np.arange(3.0), 50), *[NAN] * 50])
    schema = Schema((numeric("x"), nominal("class", "abc")), 1)
    like_two = fit(Dataset(schema, [x, [*np.repeat([0, 1, 2], 50), *[2] * 50]]))
    assert like_two.tree.n_leaves == 3
    assert path_words(like_two.tree, 3) == (wording.ABOVE_OR_MISSING,)
    own = fit(Dataset(schema, [x, [*np.repeat([0, 1, 1], 50), *[2] * 50]]))
    assert [path_words(own.tree, n)[0] for n in (1, 2, 3)] == [
        wording.at_most("x", 0.5),
        wording.above("x", 0.5),
        wording.is_missing("x"),
    ]
    for model, expected in ((like_two, 2), (own, 2)):
        assert model.predict(Dataset(schema, [[NAN], [0]])).tolist() == [expected]


def test_only_known_and_missing_may_differ() -> None:
    schema = Schema((nominal("x", ("S", "M", "L"), ordinal=True), numeric("n"), nominal("class", "ab")), 2)
    codes, numbers = [*[0, 1, 2] * 30, *[-1] * 60], [*[1.0, 2, 3] * 30, *[NAN] * 60]
    classes = [0] * 90 + [1] * 60
    for column in (0, 1):
        data = Dataset(schema, [codes, numbers, classes]).select_columns([column, 2])
        tree = fit(data).tree
        name = data.schema.attributes[0].name
        assert [path_words(tree, n)[0] for n in (1, 2)] == [f"{name} is known", f"{name} is missing"]


def test_nothing_significant_is_one_leaf_and_says_so() -> None:
    random = np.random.default_rng(1)
    data = from_codes(random.integers(0, 4, 300), random.integers(0, 2, 300))
    tree = fit(data).tree
    assert tree.n_nodes == 1
    assert (
        wording.SHOWS_WHAT_MAY_BE_CHANCE in why_leaf(why(tree, 0, data, Chaid()), Chaid()).sentence
        or "No attribute" in why_leaf(why(tree, 0, data, Chaid()), Chaid()).sentence
    )


@pytest.mark.parametrize("how", [{}, {"missing": 0.2}, {"weighted": True}, {"missing": 0.1, "weighted": True}], ids=str)
def test_reasons_are_those_by_which_the_tree_grew(how: dict[str, float]) -> None:
    data = mixed(400, 5, **how)  # type: ignore[arg-type]
    learner = Chaid(min_leaf=3, min_split=6, alpha=0.3)
    tree = fit(data, learner).tree
    assert tree.n_leaves > 3
    for node in range(tree.n_nodes):
        reasons = why(tree, node, data, learner)
        np.testing.assert_allclose(reasons.counts, tree.counts[node], atol=1e-9)
        if tree.is_leaf(node):
            assert why_leaf(reasons, learner).sentence.endswith(".")
            continue
        assert reasons.chosen is not None and reasons.chosen.verdict is SplitVerdict.CHOSEN
        assert reasons.chosen.attribute == tree.attribute[node]
        assert reasons.chosen.gain == pytest.approx(float(tree.gain[node]))
        assert reasons.candidates[0] is reasons.chosen
        np.testing.assert_allclose(reasons.chosen.children, tree.counts[list(tree.children(node))])
        assert headline(reasons)
        for candidate in reasons.candidates:
            assert verdict_words(reasons, candidate).endswith(".")
            for working in workings(reasons, candidate):
                values = {term.symbol: term.value for term in working.terms}
                formula = working.formula
                for symbol, value in values.items():
                    formula = formula.replace(f"{{{symbol}}}", repr(value))
                formula = formula.replace("^", "**").replace(" x ", " * ")
                assert eval(formula) == pytest.approx(working.value, rel=1e-6)  # noqa: S307  (the program's own)


def test_the_same_tree_whatever_the_order_of_the_records() -> None:
    data = mixed(300, 7, missing=0.1)
    order = np.random.default_rng(2).permutation(300)
    one, other = fit(data, SMALL).tree, fit(data.take(order), SMALL).tree
    for name in ("test", "attribute", "branch_of", "counts", "decision", "missing_to", "cuts"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


def test_small_classes_are_told_apart_unless_branches_must_be_large() -> None:
    """Branches of 7 records and questions to 20 (the defaults of R's CHAID) cannot tell classes of 4 to 6 apart."""
    x = np.repeat(np.arange(6), [30, 20, 6, 5, 4, 4])
    data = from_codes(x, x)
    assert np.mean(fit(data).predict(data) == data.class_codes) == 1
    assert np.mean(fit(data, Chaid(min_leaf=7, min_split=20)).predict(data) == data.class_codes) < 0.95


def test_iris_and_an_identifier_like_list() -> None:
    iris = next(s for s in samples() if s.id == "iris").make(None, 1, RunContext(seed=1))
    model = fit(iris)
    assert np.mean(model.predict(iris) == iris.class_codes) > 0.9
    many = nominal("id", [str(i) for i in range(150)])
    data = iris.with_new_column(many, np.arange(150))
    assert fit(data).tree.attribute[0] != data.schema.index_of("id")


def test_too_many_values_are_refused() -> None:
    attribute: Attribute = nominal("id", [str(i) for i in range(2100)])
    data = Dataset(Schema((attribute, nominal("class", "ab")), 1), [np.arange(2100), np.arange(2100) % 2])
    from algorithms.data.summary import summarize

    assert Chaid().check(summarize(data))[0].column == "id"
