"""What the tree in view shows of records: the selected ones lit, the tested ones counted, in every node."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QFont, QFontMetricsF
from PySide6.QtWidgets import QAbstractButton, QApplication

import resources
from algorithms.core.learner import Learner
from algorithms.evaluation.methods.methods import CrossValidation, TestFile, TrainingSet
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.edited_tree import EditedTree
from algorithms.learners.trees.pruning.pruning_sequence import CutBackTree
from tests.expected_texts import tabs_visualize as wording
from tests.workbench.stage import Stage
from tests.workbench.tree_by_hand import by_hand, plan_of
from tests.workbench.window_helpers import Wait, choose_entry, judged
from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.tabs.visualize.tab import VisualizeTab
from workbench.viewers.tree.node_card import card_html
from workbench.viewers.tree.tree_drawing import Marks
from workbench.viewers.tree.tree_paint import NodeCountLabels
from workbench.viewers.tree.tree_view import TreeView
from workbench.viewers.tree.tree_words import count_texts, sentence


@pytest.fixture
def session(stage: Stage, wait_until: Wait) -> Session:
    session = stage.session()
    session.open_sample("iris")
    wait_until(lambda: session.data is not None)
    return session


@pytest.fixture
def view(session: Session, tab: VisualizeTab, wait_until: Wait) -> TreeView:
    judged(session, wait_until, C45(), CrossValidation(folds=5))
    wait_until(lambda: tab.findChild(TreeView) is not None)
    view = tab.findChild(TreeView)
    wait_until(lambda: view.drawing is not None)
    return view


def counts_tested(view: TreeView) -> bool:
    found = view.controls.findChild(QAction, "visualize.counts.tested")
    assert found is not None and found.isVisible()
    return found.isChecked()


def test_how_many_are_selected_is_said_in_the_same_form_in_all_nodes(qapp: QApplication) -> None:
    plan, metrics = plan_of(by_hand()), QFontMetricsF(QFont())
    selected = np.array([3.0, 2.0, 1.0, 2.0, 0.0, 1.0, 0.0])

    def said(width: float, last: float) -> list[str]:
        counts = NodeCountLabels(plan, Marks(selected=selected), metrics, 1.0)
        counts.agree([0, 1, 2], [width, width, last])
        return [counts.texts(node)[0] for node in (0, 1, 2, 4)]

    wide, less = (
        metrics.horizontalAdvance(words) + 15 for words in (wording.selected_of(3, 15), wording.selected_share(3, 15))
    )
    assert said(wide, wide) == [
        wording.selected_of(3, 15),
        wording.selected_of(2, 9),
        wording.selected_of(1, 6),
        "4 records",
    ]
    fewer = [*map(wording.selected_share, (3, 2, 1), (15, 9, 6)), "4 records"]
    assert said(wide, less) == fewer, "where one is narrow all say less"
    usual = [count_texts(plan, node)[0] for node in (0, 1, 2, 4)]
    assert said(wide, 10) == usual, "a number without its word would be one of the class"


def test_beside_badges_all_nodes_say_their_records_in_the_same_form(qapp: QApplication) -> None:
    metrics = QFontMetricsF(QFont())
    counts = NodeCountLabels(plan_of(by_hand()), Marks(badges={0: "10/10", 1: "8/10"}), metrics, 1.0)
    counts.agree([0, 1, 4], [metrics.horizontalAdvance("15 records"), 400, 400])
    assert [counts.texts(node)[0] for node in (0, 1, 4)] == ["15", "9", "4"]


def test_selected_records_are_lit_in_every_node(session: Session, view: TreeView, wait_until: Wait) -> None:
    assert session.data is not None and view.tree is not None
    session.selection.select(session.data, np.arange(0, 10))
    wait_until(lambda: view.canvas.item.marks.selected is not None)
    selected = view.canvas.item.marks.selected
    assert selected is not None and selected[0] == 10
    for node in range(view.tree.n_nodes):
        if not view.tree.is_leaf(node):
            assert selected[node] == pytest.approx(selected[list(view.tree.children(node))].sum())
    assert wording.LIT_10 in view.facts()
    assert view.foot.of_branches.text() == wording.SELECTED_AND_BRANCHES, "a key of the bar under the nodes"
    session.selection.select(session.data, np.arange(140, 150), SelectionMode.ADD)
    wait_until(lambda: view.canvas.item.marks.selected is not None and view.canvas.item.marks.selected[0] == 20)
    session.selection.clear()
    wait_until(lambda: view.canvas.item.marks.selected is None)
    assert "lit" not in view.facts() and "▬" not in view.foot.of_branches.text()


def test_a_selection_made_while_the_tab_was_hidden_is_lit_when_it_is_seen(
    session: Session, view: TreeView, wait_until: Wait
) -> None:
    tab = view.window()
    tab.hide()
    assert session.data is not None
    session.selection.select(session.data, np.arange(3))
    tab.show()
    wait_until(lambda: view.canvas.item.marks.selected is not None and view.canvas.item.marks.selected[0] == 3)


def test_tested_records_are_counted_with_the_share_that_was_wrong(
    session: Session, view: TreeView, wait_until: Wait
) -> None:
    run = session.current_run
    assert run is not None and run.result is not None and view.tree is not None
    choose_entry(view.window(), "visualize.counts.tested")
    wait_until(lambda: view.drawing is not None and view.drawing.plan.counted.are_tested)
    assert view.drawing is not None
    plan = view.drawing.plan
    assert plan.counted.wrong is not None
    assert plan.records[0] == 150 and plan.counted.wrong[0] == pytest.approx((~run.result.right).sum())
    leaves = view.tree.n_children == 0
    assert plan.counted.wrong[leaves].sum() == pytest.approx(plan.counted.wrong[0])
    assert count_texts(plan, 0)[0].endswith(wording.OF_150_WRONG)
    assert "misclassified" in sentence(plan, 0)
    columns = [view.table.model().headerData(i, Qt.Orientation.Horizontal) for i in range(5)]
    assert columns[2:] == ["Tested", "Errors", "Predicted"]
    choose_entry(view.window(), "visualize.counts.training")
    wait_until(lambda: view.drawing is not None and not view.drawing.plan.counted.are_tested)


def test_another_run_counts_its_training_records_again(session: Session, view: TreeView, wait_until: Wait) -> None:
    first = view.tree
    choose_entry(view.window(), "visualize.counts.tested")
    wait_until(lambda: view.drawing is not None and view.drawing.plan.counted.are_tested)
    session.start_run(C45(min_leaf=20), TrainingSet())
    wait_until(lambda: view.tree is not first and view.drawing is not None, 60)
    assert not counts_tested(view)
    assert view.drawing is not None and not view.drawing.plan.counted.are_tested


def test_what_is_counted_is_saved_with_the_table(
    session: Session, view: TreeView, wait_until: Wait, tmp_path: Path
) -> None:
    choose_entry(view.window(), "visualize.counts.tested")
    wait_until(lambda: view.drawing is not None and view.drawing.plan.counted.are_tested)
    path = tmp_path / "tree.csv"
    view.export.save_csv(str(path))
    wait_until(path.exists)
    wait_until(lambda: path.read_text(encoding="utf-8").endswith("\n"))
    assert "tested records,wrong" in path.read_text(encoding="utf-8").splitlines()[0]
    assert view.controls.findChild(QAbstractButton, "visualize.save") is not None


def test_a_test_file_that_is_gone_leaves_the_training_records(
    session: Session, view: TreeView, wait_until: Wait, tmp_path: Path
) -> None:
    path = tmp_path / "new.csv"
    assert session.data is not None
    path.write_text((Path(resources.FOLDER) / "datasets" / "iris.csv").read_text(encoding="utf-8"), encoding="utf-8")
    first = view.tree
    session.start_run(C45(), TestFile(path=str(path)))
    wait_until(lambda: view.tree is not first and view.drawing is not None, 60)
    choose_entry(view.window(), "visualize.counts.tested")
    wait_until(lambda: view.drawing is not None and view.drawing.plan.counted.are_tested)
    assert view.drawing is not None and view.drawing.plan.records[0] == 150
    choose_entry(view.window(), "visualize.counts.training")
    wait_until(lambda: view.drawing is not None and not view.drawing.plan.counted.are_tested)
    path.unlink()
    told: list[object] = []
    session.messages.added.connect(told.append)
    choose_entry(view.window(), "visualize.counts.tested")
    wait_until(lambda: not counts_tested(view) and told)
    assert not view.drawing.plan.counted.are_tested


@pytest.mark.parametrize(
    ("learner", "is_corrected"),
    [
        (C45(), True),
        (EditedTree(base=CutBackTree(base=C45(), leaves=3)), True),
        (C45(numeric_correction=False), False),
        (Cart(), False),
    ],
    ids=["corrected", "edited", "not", "cart"],
)
def test_the_card_names_a_gain_after_the_mdl_correction_as_the_table_of_candidates_does(
    session: Session, tab: VisualizeTab, wait_until: Wait, learner: Learner, is_corrected: bool
) -> None:
    judged(session, wait_until, learner, TrainingSet())
    wait_until(lambda: (shown := tab.findChild(TreeView)) is not None and shown.drawing is not None)
    view = tab.findChild(TreeView)
    assert view.drawing is not None and view.card.is_corrected == is_corrected
    card = card_html(view.drawing.plan, 0, is_corrected=view.card.is_corrected)
    assert (wording.RATIO_MDL.lower() in card.lower()) == is_corrected and "decrease (MDL)" not in card
