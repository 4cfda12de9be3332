"""A weighed sum of numbers in the tree's viewer: short in the node, whole where it is read, followed and found."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QApplication, QPushButton

from algorithms.core.run_control import RunContext
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.regions import SEPARATIONS, first_axes, is_to_be_found
from algorithms.io.samples import skewed_gaussians
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.ensembles.bagging import Bagging
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.neighbors.k_nearest import KNearestNeighbors
from algorithms.learners.trees.oblique import ObliqueTree
from algorithms.learners.trees.tree_learner import why
from algorithms.structures.tree import Tree
from tests.algorithms.learners.trees.hand_made import slanting_records, slanting_tree
from tests.expected_texts import learners as learners_wording
from tests.expected_texts import viewers as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, drawn
from workbench.tabs.visualize.tree.why_pane import CandidateTable, UseSplitButton, candidates_csv
from workbench.viewers.tree.node_card import card_html
from workbench.viewers.tree.tree_drawing import TreePlan, node_texts, plan_tree
from workbench.viewers.tree.tree_search import TreeIndex
from workbench.viewers.tree.tree_table import rules_text, table_csv
from workbench.viewers.tree.tree_view import TreeView
from workbench.viewers.tree.tree_words import branch_label, condition, highlighted_path, path_conditions, question

NAN = float("nan")


def plan() -> TreePlan:
    return plan_tree(slanting_tree(), lambda text: 7.0 * len(text))


def found(words: str) -> list[int]:
    nodes: IntArray = TreeIndex(plan()).find(words)
    return sorted(nodes.tolist())


def test_the_box_has_the_sum_and_the_edges_the_sides() -> None:
    tree = slanting_tree()
    assert node_texts(tree, 0)[0] == wording.SUM_OF_ROOT
    assert node_texts(tree, 0)[-1] == wording.LENGTH_AND_1_MORE
    assert node_texts(tree, 2) == ("colour",)
    assert branch_label(tree, 1) == "≤ 1"
    assert branch_label(tree, 2) == "> 1"
    assert question(tree, 0) == wording.SUM_QUESTION
    assert condition(tree, 2) == learners_wording.SUM_CONDITION


def test_conditions_on_sums_stand_beside_those_on_single_attributes() -> None:
    assert path_conditions(slanting_tree(), 4) == [learners_wording.SUM_CONDITION, learners_wording.COLOUR_IS_BLUE]


def test_card_table_and_rules_name_the_whole_sum() -> None:
    assert wording.SUM_QUESTION in card_html(plan(), 0)
    assert wording.SUM_QUESTION in table_csv(plan())
    assert rules_text(plan()).splitlines()[0] == wording.FIRST_RULE_ON_SUM


def test_a_record_answers_with_its_sum_and_says_what_the_mean_stands_for() -> None:
    tree = slanting_tree()
    path = highlighted_path(tree, slanting_records([9.0], [1.25], [2]), (0, 2, 4))
    assert path.labels[2] == "6.5, so > 1"
    assert path.sentences == (wording.SUM_ANSWERED_NO, "colour? blue.")
    path = highlighted_path(tree, slanting_records([9.0], [NAN], [2]), (0, 2, 4))
    assert path.sentences[0] == wording.SUM_ANSWERED_WITH_AVERAGE
    path = highlighted_path(tree, slanting_records([NAN], [NAN], [2]), (0, 2, 4))
    assert path.sentences[0] == wording.SUM_NOT_KNOWN


def test_a_sum_is_found_by_any_of_its_attributes_and_by_its_condition() -> None:
    assert found("width") == [0]
    typed = "length - 2 width <= 1"
    assert found(typed) == [0]
    assert found(learners_wording.SUM_CONDITION) == [2]


def test_the_attributes_of_the_first_sum_are_the_axes() -> None:
    tree = slanting_tree()
    assert first_axes(slanting_records([9.0], [1.25], [2]), tree) == ("length", "width")


def test_the_view_paints_a_sum(stage: Stage, wait_until: Wait) -> None:
    made = drawn(stage.show(TreeView(), 900, 600), slanting_tree(), wait_until)
    picture = made.canvas.grab().toImage()
    assert len({picture.pixel(x, y) for x in range(0, 800, 7) for y in range(0, 400, 7)}) > 3
    assert made.drawing is not None and made.drawing.widths[0] > 150


def test_a_sum_is_weighed_in_the_window_but_not_asked_for_by_hand(qapp: QApplication) -> None:
    data = skewed_gaussians(200, 1, RunContext())
    learner = ObliqueTree(pruning="none")
    tree = learner.fit(data, RunContext()).structure()
    assert isinstance(tree, Tree)
    reasons = why(tree, 0, data, learner)
    candidates = CandidateTable("test.candidates")
    candidates.show_reasons(reasons)
    item = candidates.item(0, 0)
    assert item is not None
    assert item.text() == reasons.candidates[0].name
    assert candidates.attribute == len(tree.schema)
    assert f"{reasons.candidates[0].name} ≤" in candidates_csv(reasons)
    adopt = UseSplitButton()
    adopt.show_candidate(reasons, reasons.candidates[0])
    button = adopt.findChild(QPushButton, "visualize.why.adopt")
    assert button is not None
    assert button.isHidden()
    adopt.show_candidate(reasons, reasons.candidates[1])
    assert button.isEnabled()
    adopt.deleteLater()
    candidates.deleteLater()


def test_the_axes_are_what_a_sum_and_a_committee_without_importances_go_by_most() -> None:
    random = np.random.default_rng(2)
    idle, telling, helping = (random.normal(size=300) for _ in range(3))
    codes = (3 * telling + helping > 0).astype(np.int64)
    schema = Schema((numeric("idle"), numeric("telling"), numeric("helping"), nominal("class", ("no", "yes"))), 3)
    data = Dataset(schema, [idle, telling, helping, codes])
    for learner in (LogisticRegression(), Bagging(members=5)):
        model = learner.fit(data, RunContext(seed=1))
        assert first_axes(data, model.structure()) == ("telling", "helping"), learner.name


def test_the_second_axis_does_not_repeat_the_first() -> None:
    """The axes of breast-cancer were the area and the perimeter."""
    random = np.random.default_rng(2)
    area, other = random.normal(size=300), random.normal(size=300)
    perimeter = area + 0.05 * random.normal(size=300)
    codes = (3 * area + other > 0).astype(np.int64)
    names = numeric("area"), numeric("perimeter"), numeric("other")
    data = Dataset(Schema((*names, nominal("class", ("no", "yes"))), 3), [area, perimeter, other, codes])
    axes = first_axes(data, None)
    assert axes is not None and "other" in axes


def test_where_the_model_does_not_say_the_axes_are_what_tells_the_classes_apart_best() -> None:
    random = np.random.default_rng(2)
    idle, helping, telling = (random.normal(size=300) for _ in range(3))
    codes = (3 * telling + 2 * helping > 0).astype(np.int64)
    schema = Schema((numeric("idle"), numeric("helping"), numeric("telling"), nominal("class", ("no", "yes"))), 3)
    data = Dataset(schema, [idle, helping, telling, codes])
    for learner in (NaiveBayes(), KNearestNeighbors()):
        assert first_axes(data, learner.fit(data, RunContext(seed=1)).structure()) == ("telling", "helping")
    many = Dataset(schema, [np.tile(column, 50) for column in (idle, helping, telling, codes)])
    assert is_to_be_found(many, None) and first_axes(many, None) == ("idle", "helping")
    many.derived(SEPARATIONS)
    assert not is_to_be_found(many, None) and first_axes(many, None) == ("telling", "helping")
