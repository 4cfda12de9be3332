"""Looking for something in a tree, as a person does: typed, walked through, put away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit

from algorithms.core.run_control import RunContext
from tests.workbench.random_trees import random_tree
from tests.workbench.stage import Stage
from tests.workbench.tree_by_hand import by_hand, plan_of
from tests.workbench.window_helpers import W, Wait, choose_entry, drawn
from workbench.jobs.jobs import Jobs
from workbench.viewers.tree.tree_search import TreeIndex
from workbench.viewers.tree.tree_view import TreeView
from workbench.viewers.tree.tree_words import name_of_leaf

INDEX = TreeIndex(plan_of(by_hand()))


@pytest.mark.parametrize(
    ("words", "nodes"),
    [
        ("age", [0, 1]),
        ("AGE <= 20.25", [1]),
        ("age≤20.25", [1]),
        ("age > 40", [2]),
        ("> 20.25", [4]),
        ("colour", [2]),
        ("red", [5]),
        ("colour = red", [5]),
        ("class 0", [3, 6]),
        ("leaf", [3, 4, 5, 6]),
        ("leaf 3", [5]),
        ("#2", [4]),
        ("leaf 30", []),
        ("height", []),
        ("0 class", [3, 6]),
        ("red colour", []),
        ("   ", []),
    ],
)
def test_attributes_tests_values_classes_and_leaves_are_found(words: str, nodes: list[int]) -> None:
    assert INDEX.find(words).tolist() == nodes


def test_a_leaf_is_found_by_its_number_as_it_is_written() -> None:
    plan = plan_of(random_tree(4001, seed=4))
    leaf = int((plan.leaf_number == 1234).argmax())
    assert name_of_leaf(plan, leaf) == "leaf 1,234"
    index = TreeIndex(plan)
    assert index.find("leaf 1,234").tolist() == index.find("leaf 1234").tolist() == [leaf]


def test_a_threshold_is_found_with_and_without_its_thousands() -> None:
    tree = by_hand()
    index = TreeIndex(plan_of(replace(tree, threshold=np.where(np.arange(7) == 1, 12500.5, tree.threshold))))
    assert [index.find(words).tolist() for words in ("<= 12500", "≤ 12,500.5", "> 12500.5")] == [[1], [1], [4]]


@pytest.fixture
def view(jobs: Jobs, stage: Stage, wait_until: Wait) -> TreeView:
    return drawn(stage.show(TreeView(jobs), 1000, 600), random_tree(2000, seed=4), wait_until)


def part(view: TreeView, kind: type[W], name: str) -> W:
    found = view.findChild(kind, name) or view.controls.findChild(kind, name)
    assert found is not None, name
    return found


def looked_for(view: TreeView, words: str, wait_until: Wait) -> None:
    QTest.keyClick(view.canvas, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    wait_until(lambda: part(view, QLineEdit, "visualize.find").isVisible())
    QTest.keyClicks(part(view, QLineEdit, "visualize.find"), words)
    wait_until(lambda: view.finder.words == words)


def said(view: TreeView) -> str:
    return part(view, QLabel, "visualize.find.count").text()


def test_a_match_in_a_folded_branch_is_opened_and_can_be_read(view: TreeView, wait_until: Wait) -> None:
    assert view.drawing is not None and view.drawing.layout.n_shown < 100
    looked_for(view, "leaf 700", wait_until)
    assert said(view) == "1 of 1"
    leaf = int(view.finder.matches[0])
    wait_until(lambda: view.drawing is not None and view.drawing.layout.depth[leaf] >= 0)
    assert view.canvas.focus_node == leaf
    assert view.drawing.layout.n_shown < 300, "only the way to the match is opened"
    left, top, right, bottom = view.drawing.box(leaf)
    x, y = view.canvas.camera.to_view((left + right) / 2, (top + bottom) / 2)
    assert 0 < x < view.canvas.width() and 0 < y < view.canvas.height()
    assert view.canvas.camera.scale > 0.6


def test_enter_and_the_buttons_lead_from_match_to_match_and_around(view: TreeView, wait_until: Wait) -> None:
    looked_for(view, "colour", wait_until)
    n = len(view.finder.matches)
    assert n > 5 and said(view) == f"1 of {n:,}"
    field = part(view, QLineEdit, "visualize.find")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert said(view) == f"2 of {n:,}"
    wait_until(lambda: view.canvas.focus_node == view.finder.matches[1])
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert said(view) == f"{n:,} of {n:,}"
    QTest.mouseClick(part(view, QAbstractButton, "visualize.find.next"), Qt.MouseButton.LeftButton)
    assert said(view) == f"1 of {n:,}"


def test_enter_leads_on_where_the_words_were_found_while_they_were_typed(
    view: TreeView, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Callable[[], None]] = []

    def later(_title: str, work: Callable[[RunContext], object], done: Callable[[object], None], **_: object) -> None:
        read.append(lambda: done(work(RunContext())))

    monkeypatch.setattr(view.finder._task, "run", later)
    view.finder.set_plan(None)
    view.finder.set_plan(plan_of(random_tree(2000, seed=4)))
    QTest.keyClick(view.canvas, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(part(view, QLineEdit, "visualize.find"), "colour")
    for done in read:
        done()
    n = len(view.finder.matches)
    assert said(view) == f"1 of {n:,}"
    QTest.keyClick(part(view, QLineEdit, "visualize.find"), Qt.Key.Key_Return)
    assert said(view) == f"2 of {n:,}"


def test_matches_are_lit_and_those_in_folded_branches_counted(view: TreeView, wait_until: Wait) -> None:
    looked_for(view, "age", wait_until)
    marks, tree = view.canvas.item.marks, view.tree
    assert tree is not None and marks.matches is not None and marks.matches_below is not None
    assert marks.matches.sum() == len(view.finder.matches)
    assert marks.matches_below[0] == marks.matches.sum() - marks.matches[0]
    QTest.keyClick(part(view, QLineEdit, "visualize.find"), Qt.Key.Key_Escape)
    assert view.canvas.item.marks.matches is None
    assert part(view, QLineEdit, "visualize.find").isHidden() or not view.finder.bar.isVisible()
    assert view.canvas.hasFocus()


def test_what_is_not_there_is_said(view: TreeView, wait_until: Wait) -> None:
    looked_for(view, "shoe size", wait_until)
    assert said(view) == "nothing found"
    assert not part(view, QAbstractButton, "visualize.find.next").isEnabled()


def test_another_tree_forgets_the_matches(view: TreeView, wait_until: Wait) -> None:
    looked_for(view, "age", wait_until)
    view.set_tree(by_hand())
    wait_until(lambda: view.drawing is not None)
    assert len(view.finder.matches) in (0, 2)
    assert view.canvas.item.marks.matches is None or len(view.canvas.item.marks.matches) == 7


def test_in_the_table_the_row_of_the_match_is_chosen(view: TreeView, wait_until: Wait) -> None:
    choose_entry(view, "visualize.as-table")
    view.controls.look_for.trigger()
    QTest.keyClicks(part(view, QLineEdit, "visualize.find"), "leaf 12")
    wait_until(lambda: view.finder.words == "leaf 12")
    row = view.table.currentIndex().row()
    assert view.table.model().index(row, 1).data() == "leaf 12"


def test_a_large_table_is_copied_by_a_job(view: TreeView, wait_until: Wait) -> None:
    QApplication.clipboard().clear()
    view.export.copy_table()
    assert not QApplication.clipboard().text(), "the window does not write thousands of lines itself"
    wait_until(lambda: QApplication.clipboard().text().count("\n") > 2000)
