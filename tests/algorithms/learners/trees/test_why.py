"""Why a node asks what it asks: the same numbers by which the tree was grown, at every node, for every criterion."""

from __future__ import annotations

import dataclasses
import re
from functools import cache

import numpy as np
import pytest

from algorithms.core.errors import Cancelled
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.explain.node_reasons import MOST_DRAWN, NodeReasons, SplitVerdict
from algorithms.learners.trees.explain.why_words import gain_sum, headline, ratio_sum, verdict_words, why_leaf, workings
from algorithms.learners.trees.growth.engine import grow
from algorithms.learners.trees.parameters import RAISING
from algorithms.learners.trees.routing import records_at
from algorithms.learners.trees.tree_learner import WholeTreeLearner, why
from algorithms.structures.tree import SplitTest, Tree
from algorithms.text.numbers import fixed
from tests.algorithms.battery_data import all_missing, constant, doubled, mixed
from tests.algorithms.evaluation.arithmetic import reckoned
from tests.expected_texts import learners as wording

LEARNERS: tuple[C45 | Cart, ...] = (
    C45(),
    C45(criterion="information-gain", average_gain_rule=False),
    C45(criterion="gini"),
    C45(nominal_splits="binary"),
    C45(criterion="error", split_without_gain=True),
    Cart(pruning="none"),
    Cart(pruning="none", criterion="gain-ratio", thresholds="data-value"),
    Cart(pruning="none", criterion="error"),
    Cart(pruning="none", nominal_splits="multiway", min_leaf=3),
    C45(criterion="chi-square"),
    C45(criterion="chi-square", nominal_splits="grouped", numeric_splits="entropy"),
    C45(numeric_splits="equal-width", average_gain_rule=False),
    C45(numeric_splits="equal-frequency", criterion="error", split_without_gain=True),
    Cart(pruning="none", criterion="chi-square"),
    C45(ordinal_splits="multiway", average_gain_rule=False),
    C45(ordinal_splits="multiway", criterion="chi-square"),
)
DATA = {
    "plain": mixed(90),
    "missing": mixed(90, 1, missing=0.2),
    "weighted": mixed(90, 2, weighted=True),
    "weighted and missing": mixed(90, 3, missing=0.15, weighted=True),
    "doubled": doubled(mixed(90, 4)),
}


def grown(learner: C45 | Cart, data: Dataset) -> Tree:
    return grow(data, learner.growth(), RunContext()).tree


@cache
def inner_reasons(learner: C45 | Cart, data: Dataset) -> list[tuple[Tree, int, NodeReasons]]:
    tree = grown(learner, data)
    return [(tree, node, why(tree, node, data, learner)) for node in range(tree.n_nodes) if not tree.is_leaf(node)]


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda made: f"{made.id} {made.criterion} {made.nominal_splits}")
def test_the_gain_is_the_one_by_which_the_tree_grew(learner: C45 | Cart, name: str) -> None:
    found = inner_reasons(learner, DATA[name])
    assert found
    for tree, node, reasons in found:
        chosen = reasons.chosen
        assert chosen is not None and not reasons.moved
        assert chosen.verdict is SplitVerdict.CHOSEN and reasons.candidates[0] is chosen
        assert chosen.attribute == tree.attribute[node] and chosen.test == tree.test[node]
        if chosen.test == SplitTest.NUMERIC:
            assert chosen.threshold == tree.threshold[node]
        np.testing.assert_allclose(reasons.counts, tree.counts[node], rtol=1e-9, atol=1e-9)
        worth = chosen.gain if learner.criterion == "chi-square" else max(chosen.value, 0.0)
        gain = 0.0 if reasons.criterion != learner.criterion else worth
        assert gain == pytest.approx(float(tree.gain[node]), abs=1e-9)


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("learner", LEARNERS[:6], ids=lambda made: f"{made.id} {made.criterion}")
def test_a_grown_leaf_would_ask_nothing(learner: C45 | Cart, name: str) -> None:
    tree = grown(learner, DATA[name])
    for node in range(tree.n_nodes):
        if tree.is_leaf(node):
            reasons = why(tree, node, DATA[name], learner)
            assert reasons.chosen is None
            assert why_leaf(reasons, learner).sentence


@pytest.mark.parametrize("name", DATA)
def test_the_curve_is_highest_at_the_best_threshold_and_as_high_as_its_gain(name: str) -> None:
    n_curves = 0
    for learner in (C45(), Cart(pruning="none"), C45(criterion="information-gain")):
        for _tree, _node, reasons in inner_reasons(learner, DATA[name]):
            for candidate in reasons.candidates:
                if candidate.test != SplitTest.NUMERIC or candidate.verdict is SplitVerdict.TOO_FEW:
                    continue
                curve = reasons.curve(candidate.attribute)
                assert curve is not None
                n_curves += 1
                assert curve.gain[curve.chosen] == pytest.approx(candidate.gain, abs=1e-9)
                assert curve.thresholds[curve.chosen] == candidate.threshold
                assert curve.correction == pytest.approx(candidate.correction, abs=1e-9)
    assert n_curves > 20


def test_the_sums_come_to_the_gain_with_all_their_terms() -> None:
    for learner in (C45(), Cart(pruning="none"), C45(criterion="chi-square"), C45(numeric_splits="equal-width")):
        for name in ("plain", "weighted and missing"):
            for _tree, _node, reasons in inner_reasons(learner, DATA[name]):
                assert reasons.chosen is not None
                for working in workings(reasons, reasons.chosen):
                    values = {term.symbol: repr(float(term.value or 0.0)) for term in working.terms}
                    formula = re.sub(r"\{([^}]+)\}", lambda found: values[found[1]], working.formula)  # noqa: B023
                    formula = formula.replace(" x ", " * ").replace("^", "**").replace("log2", "np.log2")
                    value = eval(formula, {"np": np})  # noqa: S307  (the formula is the program's own)
                    assert value == pytest.approx(working.value, abs=1e-9)


@pytest.mark.parametrize("learner", [C45(), C45(criterion="information-gain")], ids=lambda made: str(made.criterion))
def test_what_could_not_be_asked_stands_by_what_questions_are_compared_by(learner: C45) -> None:
    rng, n = np.random.default_rng(3), 400
    codes = rng.integers(0, 2, n)
    names = [f"noise {i}" for i in range(8)]
    schema = Schema((numeric("telling"), *map(numeric, names), nominal("class", ("a", "b"))), 9)
    columns = [codes + 0.8 * rng.random(n), *(np.round(rng.random(n) * 3**i) for i in range(8)), codes]
    data = Dataset(schema, columns)
    reasons = why(grown(learner, data), 0, data, learner)
    grey = [candidate for candidate in reasons.candidates if not candidate.verdict.is_valid and candidate.is_split]
    told = [c.gain_ratio if learner.criterion == "gain-ratio" else c.gain for c in grey]
    assert len({candidate.verdict for candidate in grey}) > 1, "for several reasons"
    assert told == sorted(told, reverse=True)


def test_a_tie_goes_to_the_first_attribute_and_is_said() -> None:
    data = DATA["doubled"]
    reasons = why(grown(Cart(pruning="none"), data), 0, data, Cart(pruning="none"))
    assert reasons.chosen is not None
    tied = [candidate for candidate in reasons.candidates if candidate.verdict is SplitVerdict.TIED]
    assert [candidate.name for candidate in tied] == [f"{reasons.chosen.name} again"]
    assert wording.STANDS_FIRST in headline(reasons)


def test_each_attribute_says_why_it_was_not_taken() -> None:
    n = 40
    codes = np.arange(n) % 2
    lone = np.zeros(n, dtype=int)
    lone[0] = 1
    schema = Schema(
        (
            numeric("telling"),
            nominal("lone", ("usual", "odd")),
            nominal("same", ("one", "two")),
            numeric("unknown"),
            numeric("noise"),
            nominal("class", ("a", "b")),
        ),
        5,
    )
    noise = np.random.default_rng(1).random(n)
    columns = [codes + 0.1 * noise, lone, np.zeros(n, int), np.full(n, np.nan), noise, codes]
    data = Dataset(schema, columns)
    reasons = why(grown(C45(), data), 0, data, C45())
    verdicts = {candidate.name: candidate.verdict for candidate in reasons.candidates}
    assert verdicts["telling"] is SplitVerdict.CHOSEN
    assert verdicts["lone"] is SplitVerdict.TOO_FEW
    assert verdicts["same"] is SplitVerdict.CONSTANT
    assert verdicts["unknown"] is SplitVerdict.MISSING
    assert verdicts["noise"] in (SplitVerdict.TOO_MANY_THRESHOLDS, SplitVerdict.BELOW_AVERAGE)
    assert shown_once(reasons, "noise")
    assert [candidate.rank for candidate in reasons.candidates][:2] == [1, None]
    for candidate in reasons.candidates:
        assert verdict_words(reasons, candidate).endswith(".")


def shown_once(reasons: NodeReasons, name: str) -> bool:
    """Whether gain, ratio and formulas of a numeric candidate are all after the correction that its curve has."""
    candidate = next(c for c in reasons.candidates if c.name == name)
    curve, (gain, ratio) = reasons.curve(candidate.attribute), workings(reasons, candidate)
    assert curve is not None and curve.correction > 0
    raw = candidate.gain + candidate.correction
    if candidate.verdict is SplitVerdict.TOO_MANY_THRESHOLDS:
        words = verdict_words(reasons, candidate)
        assert f"{raw:.3f}" in words and f"{candidate.correction:.3f}" in words
    return (
        curve.gain[curve.nearest(candidate.threshold)] == pytest.approx(candidate.gain, abs=1e-9)
        and candidate.gain == gain.value
        and candidate.gain_ratio == ratio.value == pytest.approx(candidate.gain / candidate.split_information)
        and "log2({t})" in gain.formula
    )


def test_a_split_whose_gain_the_correction_exceeds_shows_one_gain() -> None:
    shown = 0
    for learner in (C45(), C45(criterion="information-gain")):
        tree = grown(learner, DATA["plain"])
        for node in range(tree.n_nodes):
            reasons = why(tree, node, DATA["plain"], learner)
            for candidate in reasons.candidates:
                if candidate.verdict is SplitVerdict.TOO_MANY_THRESHOLDS and candidate.correction:
                    assert candidate.gain < 0 and shown_once(reasons, candidate.name)
                    shown += 1
    assert shown


def test_an_attribute_used_above_that_tells_no_more_says_so() -> None:
    schema = Schema((nominal("first", ("x", "y")), nominal("second", ("x", "y")), nominal("class", ("a", "b"))), 2)
    first, second = np.repeat([0, 1], 8), np.tile([0, 0, 1, 1], 4)
    data = Dataset(schema, [first, second, np.where((first == 0) & (second == 0), 0, 1)])
    learner = Cart(pruning="none", nominal_splits="multiway")
    tree = grown(learner, data)
    below = next(node for node in range(1, tree.n_nodes) if not tree.is_leaf(node))
    reasons = why(tree, below, data, learner)
    above = schema.attributes[int(tree.attribute[0])].name
    assert [c.verdict for c in reasons.candidates if c.name == above] == [SplitVerdict.USED_ABOVE]


def test_fractions_of_records_reach_every_branch() -> None:
    data = DATA["weighted and missing"]
    tree = grown(C45(), data)
    for node in range(tree.n_nodes):
        records = records_at(tree, node, data)
        np.testing.assert_allclose(records.counts, tree.counts[node], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("data", [all_missing(mixed()), constant(mixed())], ids=["all missing", "constant"])
def test_records_that_are_alike_ask_nothing(data: Dataset) -> None:
    reasons = why(grown(C45(), data), 0, data, C45())
    assert reasons.chosen is None and not any(candidate.is_split for candidate in reasons.candidates)
    assert wording.ALIKE_IN_EVERY in why_leaf(reasons, C45()).sentence


def test_a_leaf_that_was_cut_back_shows_the_comparison() -> None:
    data = mixed(300, 7)
    learners: list[WholeTreeLearner] = [
        C45(raising=False),
        Cart(pruning="pessimistic"),
        C45(pruning="critical-value", critical_value=0.3),
    ]
    learners += [C45(pruning=method) for method in RAISING]
    for learner in learners:
        model = learner.fit(data, RunContext())
        tree = model.structure()
        assert isinstance(tree, Tree)
        said = []
        for node in range(tree.n_nodes):
            if tree.is_leaf(node):
                reasons = why(tree, node, data, learner)
                said.append(why_leaf(reasons, learner).sentence)
        assert not any("finished early" in sentence for sentence in said)
        assert not any(wording.TOOK_A_QUESTIONS_PLACE in sentence for sentence in said)
        assert any("prun" in sentence.lower() for sentence in said), learner


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (C45(pruning="reduced-error"), wording.HELD_OUT_LEAF_GETS),
        (C45(pruning="description-length"), wording.BITS_OF_LEAF),
        (C45(pruning="minimum-error"), wording.LEAF_IS_EXPECTED_TO_GET),
        (C45(pruning="critical-value", critical_value=0.3), wording.LESS_THAN_ASKED),
        (C45(pruning="critical-value"), wording.TESTED_INSIDE_TRAINING),
        (Cart(early_stopping=True), wording.WRONG_WITHOUT_IT),
        (Cart(pruning="none", significance=0.01), wording.ONE_IS_ALLOWED),
    ],
    ids=lambda value: value.pruning if isinstance(value, WholeTreeLearner) else "",
)
def test_each_method_says_what_it_compared_at_a_leaf(learner: WholeTreeLearner, words: str) -> None:
    data = mixed(300, 7)
    tree = learner.fit(data, RunContext(seed=1)).structure()
    assert isinstance(tree, Tree)
    leaves = [node for node in range(tree.n_nodes) if tree.is_leaf(node)]
    found = [why_leaf(why(tree, node, data, learner), learner) for node in leaves]
    said = [reason.sentence for reason in found]
    assert any(words in sentence for sentence in said), said
    for reason in found:
        for working in reason.workings:
            if "P(" in working.formula:
                continue
            plain = dataclasses.replace(working, formula=working.formula.replace(" x ", " · "))
            assert working.value == pytest.approx(reckoned(plain))


@pytest.mark.parametrize(
    ("learner", "name", "source"),
    [
        (C45(pruning="pessimistic"), wording.PRICE_OF_LEAF, wording.SOURCE_OF_PRICE),
        (C45(pruning="description-length"), wording.DESCRIPTION_OF_LEAF, "Eq. 3.12"),
        (C45(raising=False, bound="normal"), wording.ERRORS_OF_LEAF, "Eq. 3.13"),
        (C45(pruning="minimum-error"), wording.ERRORS_OF_LEAF, wording.SOURCE_OF_M_ESTIMATE),
    ],
    ids=["pessimistic", "description-length", "normal", "minimum-error"],
)
def test_the_sum_of_a_leaf_cut_back_cites_where_its_formula_stands(
    learner: WholeTreeLearner, name: str, source: str
) -> None:
    data = mixed(300, 7)
    tree = learner.fit(data, RunContext(seed=1)).structure()
    assert isinstance(tree, Tree)
    leaves = [node for node in range(tree.n_nodes) if tree.is_leaf(node)]
    sums = [working for node in leaves for working in why_leaf(why(tree, node, data, learner), learner).workings]
    assert {working.source for working in sums if working.name == name} == {source}


def test_limits_are_named() -> None:
    data = mixed(200, 8)
    for learner, words in (
        (Cart(pruning="none", max_depth=1), wording.NO_MORE_THAN_1_QUESTION),
        (Cart(pruning="none", max_leaves=3), wording.NO_MORE_THAN_3_LEAVES),
        (Cart(pruning="none", min_leaf=60), "60 records"),
    ):
        tree = grown(learner, data)
        leaves = [node for node in range(tree.n_nodes) if tree.is_leaf(node)]
        said = [why_leaf(why(tree, node, data, learner), learner).sentence for node in leaves]
        assert any(words in sentence for sentence in said), said


def test_pure_leaves_are_explained_by_their_class() -> None:
    data = mixed(60, 9)
    tree = grown(Cart(pruning="none"), data)
    pure = next(n for n in range(tree.n_nodes) if tree.is_leaf(n) and np.count_nonzero(tree.counts[n]) == 1)
    assert (
        wording.NOTHING_LEFT_TO_ASK
        in why_leaf(why(tree, pure, data, Cart(pruning="none")), Cart(pruning="none")).sentence
    )


def test_raised_questions_are_measured_on_the_records_they_have_now() -> None:
    moved, learner = 0, C45()
    for seed in range(8):
        random = np.random.default_rng(seed)
        numbers = random.normal(size=(6, 80))
        codes = (numbers[0] + numbers[1] + 1.5 * random.normal(size=80) > 0).astype(int)
        schema = Schema((*(numeric(f"x{i}") for i in range(6)), nominal("class", "ab")), 6)
        data = Dataset(schema, [*numbers, codes])
        tree = learner.fit(data, RunContext()).structure()
        assert isinstance(tree, Tree)
        for node in range(tree.n_nodes):
            reasons = why(tree, node, data, learner)
            if reasons.moved:
                moved += 1
                assert reasons.chosen is not None and reasons.chosen.attribute == tree.attribute[node]
                sums = gain_sum(reasons, reasons.chosen), ratio_sum(reasons, reasons.chosen)
                assert all(working.value is not None for working in sums)
                assert wording.MOVED_IT_UP in headline(reasons)
    assert moved


def test_records_without_class_or_weight_do_not_count() -> None:
    data = mixed(100, 5)
    codes = np.array(data.class_codes, dtype=np.int64)
    codes[:20] = -1
    weights = np.ones(100)
    weights[20:40] = 0
    full = data.with_column(6, data.schema.class_attribute, codes).with_weights(weights)
    tree = grown(C45(), full.take(codes >= 0))
    reasons = why(tree, 0, full, C45())
    assert reasons.weight == 60 and reasons.chosen is not None
    assert reasons.chosen.value == pytest.approx(float(tree.gain[0]))


def test_a_stop_is_obeyed() -> None:
    data = mixed(100)
    context = RunContext()
    tree = grown(C45(), data)
    context.cancel()
    with pytest.raises(Cancelled):
        why(tree, 0, data, C45(), context)


def test_a_long_curve_is_thinned_without_losing_its_peak() -> None:
    random = np.random.default_rng(0)
    n = 20_000
    x = random.normal(size=n)
    data = Dataset(Schema((numeric("x"), nominal("class", "ab")), 1), [x, (x + random.normal(size=n) > 0).astype(int)])
    learner = dataclasses.replace(C45(), max_depth=1)
    curve = why(grown(learner, data), 0, data, learner).curve(0)
    assert curve is not None
    kept = curve.thinned(800)
    assert len(kept) <= 805 and curve.chosen in kept
    assert curve.gain[kept].max() == curve.gain.max() and curve.gain[kept].min() == curve.gain.min()
    assert curve.drawn.tolist() == curve.thinned(MOST_DRAWN).tolist()


def test_a_thinned_curve_keeps_the_first_and_last_threshold_that_can_be_chosen() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=20_000)
    data = Dataset(Schema((numeric("x"), nominal("class", "ab")), 1), [x, (x > 0).astype(int)])
    learner = dataclasses.replace(C45(), max_depth=1, min_leaf=25)
    curve = why(grown(learner, data), 0, data, learner).curve(0)
    assert curve is not None
    kept, (first, last) = curve.thinned(800).tolist(), np.flatnonzero(curve.allowed)[[0, -1]].tolist()
    assert (first, last) == (24, 20_000 - 1 - 25) and {first - 1, first, last, last + 1} <= set(kept)


def test_a_leaf_cut_back_by_cost_and_complexity_says_so() -> None:
    data, learner = mixed(200, 8), Cart(pruning="cost-complexity")
    tree = learner.fit(data, RunContext(seed=1)).structure()
    assert isinstance(tree, Tree)
    leaves = [node for node in range(tree.n_nodes) if tree.is_leaf(node)]
    said = [why_leaf(why(tree, node, data, learner), learner).sentence for node in leaves]
    assert any(wording.TESTED_INSIDE_TRAINING in sentence for sentence in said), said


def test_a_larger_gain_that_does_not_count_is_named_with_the_reason() -> None:
    learner, data = C45(), mixed(90)
    reasons = inner_reasons(learner, data)[0][2]
    chosen, rivals = reasons.chosen, [c for c in reasons.candidates if c is not reasons.chosen and c.is_split]
    assert chosen is not None and reasons.compares_ratios and rivals
    telling = dataclasses.replace(
        rivals[-1], name="Age", verdict=SplitVerdict.LOWER, gain=chosen.gain + 0.1, gain_ratio=chosen.gain_ratio - 0.01
    )
    others = tuple(telling if c is rivals[-1] else c for c in reasons.candidates)
    told = headline(dataclasses.replace(reasons, candidates=others))
    assert wording.age_tells_more(fixed(telling.gain, 3)) in told
    assert wording.with_gain_ratio(fixed(telling.gain_ratio, 3)) in told
