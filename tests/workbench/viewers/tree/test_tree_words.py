"""What is drawn and said of a tree, before there is a window."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from algorithms.core.filters import Filter, fit_recipe
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.runner import train
from algorithms.filters.scale import Scale
from algorithms.learners.rules.model import RuleLearner, RuleMatcher, RuleModel
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.rules.sequential_covering import SequentialCovering
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.chaid import Chaid
from algorithms.learners.trees.edits import EditedSplit
from algorithms.learners.trees.routing import arrivals
from algorithms.learners.trees.tree_learner import TreeLearner
from algorithms.structures.tree import Tree, question_words, step_words
from algorithms.text.numbers import MINUS, cut_number, data_number, percent, records_words
from algorithms.text.sentences import typeset
from tests.expected_texts import viewers as wording
from tests.workbench.random_trees import random_tree, schema_of
from tests.workbench.tree_by_hand import by_hand, plan_of
from workbench.style.theme import current_theme
from workbench.viewers.original_units import (
    in_own_units,
    own_number,
    table_numbers,
    tree_in_own_units,
    unscaled_by,
    written_rules,
    written_tree,
)
from workbench.viewers.tree.node_card import card_html, slim_html
from workbench.viewers.tree.tree_drawing import (
    BEYOND,
    BOX_HEIGHT,
    LEAST_OF_NAME,
    NAME_LINE,
    collapsed_below,
    draw_tree,
    plan_tree,
    readable_depth,
)
from workbench.viewers.tree.tree_table import TreeTable, rules_text
from workbench.viewers.tree.tree_words import (
    HighlightedPath,
    branch_label,
    condition,
    count_texts,
    highlighted_path,
    path_conditions,
    question,
    sentence,
    threshold_label,
)


def answered(age: float, colour: int, nodes: tuple[int, ...]) -> HighlightedPath:
    tree = by_hand()
    columns = [np.array([age]), np.array([colour]), np.array([-1]), np.array([np.nan]), np.array([0])]
    return highlighted_path(tree, Dataset(tree.schema, columns), nodes)


def test_branches_read_as_a_person_writes_them() -> None:
    tree = by_hand()
    assert [branch_label(tree, node) for node in range(7)] == [
        "", "≤ 40.5", "> 40.5", "≤ 20.25", "> 20.25", wording.RED_OR_BLUE, wording.GREEN_OR_YELLOW,
    ]  # fmt: skip


def test_a_small_threshold_keeps_the_digits_that_tell_values_apart() -> None:
    assert [cut_number(value) for value in (1.23456785e-05, 1.5e-05)] == [f"1.23456785e{MINUS}05", f"1.5e{MINUS}05"]


@pytest.mark.parametrize(
    ("threshold", "text"),
    [
        (12880.75, "12,880.75"),
        (0.016231, "0.016231"),
        (-1.71173254, "−1.71173254"),
        (100 / 3, "33.33333"),
    ],
)
def test_a_threshold_is_written_alike_on_all_pages(threshold: float, text: str) -> None:
    tree = replace(by_hand(), threshold=np.array([threshold, threshold, *[np.nan] * 5]))
    assert {threshold_label(tree, 0), cut_number(threshold), own_number("age", 1, lambda *_: threshold)} == {text}
    assert (branch_label(tree, 1), condition(tree, 2), question(tree, 0)) == (
        f"≤ {text}",
        f"age > {text}",
        wording.is_age_at_most(text),
    )
    assert path_conditions(tree, 2)[0] == f"age > {text}" and typeset(question_words(tree, 0)) == f"age ≤ {text}"
    assert typeset(step_words(tree, 1)) == f"age ≤ {text}" and EditedSplit("age", threshold).words() == f"age <= {text}"


def test_a_threshold_is_written_alike_in_the_node_and_on_its_branches() -> None:
    tree = replace(by_hand(), threshold=np.array([880.7512, 5.123456, *[np.nan] * 5]))
    assert (threshold_label(tree, 0), threshold_label(tree, 1)) == ("880.7512", "5.123456")
    assert branch_label(tree, 1).removeprefix("≤ ") == threshold_label(tree, 0)
    assert branch_label(tree, 4).removeprefix("> ") == threshold_label(tree, 1)


def test_conditions_on_one_attribute_are_gathered() -> None:
    assert path_conditions(by_hand(), 4) == [wording.AGE_BETWEEN]
    assert path_conditions(by_hand(), 5) == [wording.AGE_OVER_40, wording.COLOUR_IS_RED_OR_BLUE]


def test_a_record_answers_each_question_on_its_way() -> None:
    low = answered(30, 0, (0, 1, 4))
    assert low.labels == {1: "30, so ≤ 40.5", 4: "30, so > 20.25"}
    assert low.sentences == (wording.AGE_40_ANSWERED_YES, wording.age_answered_no(20.25, 30))
    assert answered(2019, 0, (0, 2)).labels == {2: "2,019, so > 40.5"}
    assert answered(50, 2, (0, 2, 5)).sentences == (wording.age_answered_no(40.5, 50), "colour? blue.")
    unknown = answered(50, -1, (0, 2, 5))
    assert unknown.labels[5] == "missing" and unknown.sentences[1] == wording.COLOUR_NOT_KNOWN


def test_a_number_is_told_at_the_branches_of_ranges_too() -> None:
    random = np.random.default_rng(2)
    schema = Schema((numeric("depth"), nominal("class", ("no", "yes"))), 1)
    depth = random.normal(size=300)
    data = Dataset(schema, [depth, (np.abs(depth) > 0.7).astype(np.int8)])
    tree = Chaid().fit(data, RunContext(seed=1)).structure()
    record = data.take(np.flatnonzero(depth < -1)[:1])
    path = highlighted_path(tree, record, (0, 1))
    words = data_number(depth[depth < -1][0])
    assert path.labels[1].startswith(f"{words}, so ≤ −")
    assert path.sentences[0].endswith(f"? {words}.")


def test_a_node_can_be_read_aloud() -> None:
    said = sentence(plan_of(by_hand()), 4)
    assert said == wording.LEAF_ALOUD


@pytest.mark.parametrize(
    ("share", "words"),
    [(1.0, "100.0%"), (0.9999, ">99.9%"), (0.0001, "<0.1%"), (0.0, "0.0%"), (0.974, "97.4%"), (0.5, "50.0%")],
)
def test_percentages_never_claim_certainty(share: float, words: str) -> None:
    assert percent(share) == words


def test_a_mixed_leaf_says_how_many_records_are_of_its_class() -> None:
    tree = by_hand()
    tree.counts[3] = 0
    tree.counts[3, 0], tree.counts[3, 1] = 8, 1
    tree.decision[3] = 0
    assert count_texts(plan_of(tree), 3) == (wording.EIGHT_OF_NINE, wording.EIGHT_OF_NINE.split(" · ")[0], "9")
    tree.counts[3, 1] = 0
    assert count_texts(plan_of(tree), 3)[0] == records_words(8)


def test_one_record_is_singular_and_fractions_are_kept() -> None:
    assert [records_words(weight) for weight in (1.0, 2.0, 2.5, 12345.0)] == [
        "1 record", "2 records", "2.5 records", "12,345 records",
    ]  # fmt: skip


def test_a_box_is_found_where_it_is_drawn() -> None:
    tree = random_tree(500, seed=3)
    drawing = draw_tree(plan_of(tree), np.zeros(tree.n_nodes, bool))
    for node in range(tree.n_nodes):
        left, top, right, bottom = drawing.box(node)
        assert drawing.node_at((left + right) / 2, (top + bottom) / 2) == node
    assert drawing.node_at(drawing.box(0)[2] + 5, 10) == -1


def test_shares_of_a_node_without_records_are_zero() -> None:
    tree = by_hand()
    tree.counts[3] = 0
    assert plan_of(tree).shares(np.array([3, 4])).tolist() == [[0, 0, 0], [0, 1, 0]]


def test_a_tree_too_wide_to_read_is_first_shown_less_deep() -> None:
    plan = plan_of(random_tree(2000))
    depth = readable_depth(plan, 1300, 700)
    assert 1 <= depth < plan.tree.depth
    assert draw_tree(plan, collapsed_below(plan, depth)).width * 0.6 < 1300


def test_names_are_measured_once_each() -> None:
    asked: list[str] = []
    plan_tree(random_tree(2000), lambda text: float(asked.append(text) or len(text)))
    assert len([text for text in asked if not text.startswith("≤ ")]) < 24


def test_a_box_is_wide_enough_for_the_threshold_at_its_branch() -> None:
    tree = replace(by_hand(), threshold=np.array([0.016231, 40.5, *[np.nan] * 5]))
    plan = plan_tree(tree, lambda text: 9.0 * len(text))
    assert (plan.widths[[1, 2]] / 2 + BEYOND >= 9 * len("≤ 0.016231") * LEAST_OF_NAME).all()
    narrower = plan_tree(replace(tree, threshold=np.round(tree.threshold)), lambda text: 9.0 * len(text))
    assert (narrower.widths[[1, 2]] < plan.widths[[1, 2]]).all()


def test_shares_below_each_other_have_as_many_decimals_as_all_records_allow() -> None:
    shares = (0.0, 0.0001, 0.48, 0.607, 0.9999, 1.0)
    assert [percent(share) for share in shares] == ["0.0%", "<0.1%", "48.0%", "60.7%", ">99.9%", "100.0%"]
    model = TreeTable()
    model.set_plan(plan_of(by_hand()))
    assert [model.node_text(node, 4) for node in (0, 1, 3, 4, 6)] == ["40%", "56%", "100%", "0%", "50%"]
    many = by_hand()
    model.set_plan(plan_of(replace(many, counts=10 * many.counts)))
    assert [model.node_text(node, 4) for node in (0, 1, 3, 4, 6)] == ["40.0%", "55.6%", "100.0%", "0.0%", "50.0%"]


def test_a_tree_of_one_leaf_is_one_rule() -> None:
    schema = schema_of()
    tree = random_tree(1, schema=schema)
    assert rules_text(plan_of(tree)).startswith(wording.rule_of_one_leaf(schema.classes[int(tree.decision[0])]))


def test_a_soft_threshold_is_told_at_the_branch_on_the_card_and_for_a_record() -> None:
    tree = by_hand()
    soft = replace(tree, soft_from=np.array([35.0, *[np.nan] * 6]), soft_to=np.array([48.0, *[np.nan] * 6]))
    plan = plan_of(soft)
    assert (branch_label(soft, 1), branch_label(soft, 2)) == (wording.ABOUT_40_OR_LESS, wording.ABOVE_ABOUT_40)
    assert branch_label(soft, 3) == "≤ 20.25"
    assert wording.SOFT_35_TO_48 in card_html(plan, 0) and "soft" not in card_html(plan, 1)
    assert wording.SOFT_35_TO_48_SENTENCE in sentence(plan, 0)
    near = Dataset(schema_of(), [np.array([45.0]), *[np.array([0])] * 4])
    way = highlighted_path(soft, near, (0, 1, 2), {1: 0.2, 2: 0.8})
    assert way.labels[1] == wording.near_threshold(45, 20) and way.labels[2] == wording.near_threshold(45, 80)
    assert way.sentences == (wording.GOES_BOTH_WAYS,)


def test_of_a_node_that_may_still_be_divided_the_card_says_that_nothing_is_decided() -> None:
    plan = plan_of(by_hand())
    ended, waiting = card_html(plan, 3, offers_reasons=True), card_html(plan, 3, offers_reasons=True, is_waiting=True)
    assert wording.DECIDES_CLASS_0 in ended and "Leaf 1" in ended and wording.WHY_IT_ENDS in ended
    assert "Predicts" not in waiting and "Leaf" not in waiting and "ends here" not in waiting
    assert (
        wording.NOT_DECIDED_YET in waiting
        and wording.WOULD_DECIDE_CLASS_0 in waiting
        and wording.WHAT_MAY_BE_ASKED in waiting
    )
    assert wording.DECIDES_CLASS_0 in slim_html(plan, 3) and wording.NOT_DECIDED_YET in slim_html(
        plan, 3, is_waiting=True
    )
    assert wording.AGE_40_QUESTION in slim_html(plan, 0) and wording.SLIM_CARD_OF_ROOT in slim_html(plan, 0)
    assert slim_html(plan, 3).count("class 0") == 1 and wording.SLIM_CARD_OF_LEAF in slim_html(plan, 3)


def test_a_card_that_may_say_little_counts_the_conditions_and_shortens_names() -> None:
    tree, name = by_hand(), "a_name_that_goes_on_and_on_until_nobody_remembers_how_it_began"
    first, *others = tree.schema.attributes
    plan = plan_of(replace(tree, schema=replace(tree.schema, attributes=(replace(first, name=name), *others))))
    for node in range(7):
        whole, brief = card_html(plan, node), card_html(plan, node, most=(2, 0))
        assert name in whole or (node == 0 and "age" not in whole)
        assert name not in brief
        assert (wording.ONE_CONDITION_HOLDS in brief or wording.TWO_CONDITIONS_HOLD in brief) is (node > 0)
        one_of_two = "where 1 more condition holds, and</span><br>" in card_html(plan, node, most=(2, 1))
        assert one_of_two is (wording.TWO_CONDITIONS_HOLD in brief)


def test_of_a_large_tree_only_the_numbers_that_are_said_are_turned_back() -> None:
    """Each takes a while by ranks, and the window's thread waits for them."""
    tree = random_tree(2001, seed=4)
    asked: list[tuple[str, float]] = []

    def unscaled(name: str, value: float) -> float:
        asked.append((name, value))
        return 10 * value

    leaf = max((node for node in range(tree.n_nodes) if tree.is_leaf(node)), key=lambda node: len(tree.path(node)))
    whole, path = tree_in_own_units(tree, unscaled), tree.path(leaf)
    n_whole = len(asked)
    asked.clear()
    worded = tree_in_own_units(tree, unscaled, nodes=path)
    numeric = [node for node in path if tree.is_numeric(node)]
    assert 0 < len(numeric) <= len(asked) < n_whole / 20
    assert path_conditions(worded, leaf) == path_conditions(whole, leaf) != path_conditions(tree, leaf)


@pytest.mark.parametrize("by", ["range", "robust", "log", "rank"])
def test_numbers_are_turned_back_whole_without_what_rounding_added(by: str) -> None:
    """Days written as one number differ in their eighth digit; hundredths and millionths come back as they were."""
    days = 20231101 + np.arange(60) % 30
    for column in (days, np.arange(60) / 100 - 0.3, 1e-6 * np.arange(60), 3e6 + 1234.5 * np.arange(60)):
        schema = Schema((numeric("x"), nominal("class", ("a", "b"))), 1)
        data = Dataset(schema, [column.astype(np.float64), np.arange(60) % 2])
        fitted, scaled = fit_recipe([Scale(by=by)], data, RunContext(seed=1))
        unscaled = unscaled_by(fitted)
        back = [in_own_units("x", value, unscaled) for value in scaled.column(0).tolist()]
        assert back == pytest.approx(column, rel=1e-11 if by != "rank" else 1e-9, abs=1e-15)
        if by != "rank":  # of ranks any number between two will do
            assert [float(f"{value:.10g}") for value in back] == back


def named_after(classes: tuple[str, ...]) -> Tree:
    """The tree by hand, with classes of these names."""
    tree = by_hand()
    index = tree.schema.class_index
    assert index is not None
    attributes = list(tree.schema.attributes)
    attributes[index] = replace(attributes[index], values=classes)
    return replace(tree, schema=replace(tree.schema, attributes=tuple(attributes)))


def test_a_leaf_whose_class_needs_two_lines_is_higher_by_one() -> None:
    plan = plan_of(named_after(("diagnosis confirmed by a second reader", "not_confirmed_by_any_reader_of_it", "no")))
    assert plan.two_lined.tolist() == [False, False, False, True, False, False, True]
    assert plan.heights[[3, 4, 5]].tolist() == [BOX_HEIGHT + NAME_LINE, BOX_HEIGHT, BOX_HEIGHT]


def test_the_card_of_a_node_has_the_colours_of_the_picture() -> None:
    plan, theme = plan_of(by_hand()), current_theme()
    card = card_html(plan, 0, colored=frozenset({1}))
    own, grey = theme.class_color(1).name(), theme.color("others").name()
    assert card.count(own) == 1 and card.count(grey) == 2 and theme.class_color(0).name() not in card


def uneven_table(n: int = 600) -> Dataset:
    """Numbers of many digits, among them neighbours that agree in seven digits, with a class that depends on them."""
    draws = np.random.default_rng(3)
    x, y = draws.random(n), 1e4 * draws.random(n)
    x[1::2] = x[::2] + draws.choice([1e-9, 1e-7, 0.01], n // 2)
    schema = Schema((numeric("x"), numeric("y"), nominal("class", ("a", "b"))), 2)
    is_b = (np.sin(9 * x) + y / 1e4 + 0.1 * draws.random(n) > 0.9) ^ (np.arange(n) % 7 == 1)
    return Dataset(schema, [x, y, is_b.astype(np.int8)])


@pytest.mark.parametrize("steps", [(), (Scale(by="range"),), (Scale(by="log"),)], ids=["plain", "range", "log"])
@pytest.mark.parametrize("learner", [C45(pruning="none", min_leaf=1), Cart(pruning="none", min_leaf=1)])
def test_thresholds_of_few_digits_send_every_record_to_its_leaf(
    learner: TreeLearner, steps: tuple[Filter, ...]
) -> None:
    data = uneven_table()
    trained = train(learner, data, steps, RunContext(seed=1))
    tree, numbers = trained.structure(), table_numbers(trained, data)
    assert isinstance(tree, Tree)
    own = tree_in_own_units(tree, numbers.unscaled)
    worded = written_tree(tree, own, numbers)
    asking = [node for node in range(tree.n_nodes) if tree.is_numeric(node)]
    texts = [threshold_label(worded, node) for node in asking]
    assert np.mean([len(text) for text in texts]) < np.mean([len(threshold_label(own, node)) for node in asking])
    if not steps:
        shown = np.full(tree.n_nodes, np.nan)
        shown[asking] = [float(text.replace(",", "").replace(MINUS, "-")) for text in texts]
        by_hand_leaf = arrivals(replace(tree, threshold=shown), data).leaf
        assert by_hand_leaf.tolist() == arrivals(tree, data).leaf.tolist()
    decided = arrivals(tree, trained.prepared(data)).leaf
    assert arrivals(worded, data).leaf.tolist() == decided.tolist()


@pytest.mark.parametrize("learner", [Ripper(), SequentialCovering()])
def test_bounds_of_few_digits_leave_every_record_its_rule(learner: RuleLearner) -> None:
    data = uneven_table()
    trained = train(learner, data, (), RunContext(seed=1))
    model = trained.model
    assert isinstance(model, RuleModel) and model.rules.n_conditions
    rules = model.rules
    worded = written_rules(rules, rules, table_numbers(trained, data))
    assert (worded.low != rules.low).any() or (worded.high != rules.high).any()
    assert RuleMatcher(worded).first(data).tolist() == RuleMatcher(rules).first(data).tolist()


def test_a_number_between_the_two_thresholds_is_compared_with_the_true_one() -> None:
    tree = replace(by_hand(), threshold=np.array([40.5, 20.2500001, *[np.nan] * 5]))
    worded = replace(tree, threshold=np.array([40.5, 20.25, *[np.nan] * 5]))
    columns = [np.array([20.25000005]), np.array([0]), np.array([-1]), np.array([np.nan]), np.array([0])]
    record = Dataset(tree.schema, columns)
    path = highlighted_path(tree, record, (0, 1, 3), own=tree, worded=worded)
    assert path.labels[3].endswith("≤ 20.2500001")
    far = Dataset(tree.schema, [np.array([3.0]), *columns[1:]])
    assert highlighted_path(tree, far, (0, 1, 3), own=tree, worded=worded).labels[3] == "3, so ≤ 20.25"
