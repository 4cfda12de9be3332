"""The viewer of committees, driven by mouse and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QStackedWidget

from algorithms.core.run_control import RunContext
from algorithms.evaluation.methods.methods import Holdout
from algorithms.learners.ensembles.adaboost import AdaBoost
from algorithms.learners.ensembles.bagging import Bagging
from algorithms.learners.ensembles.model import CommitteeModel, rounds_of, votes_of
from algorithms.learners.ensembles.random_forest import RandomForest
from algorithms.structures.members import Members
from algorithms.structures.tree import Tree
from tests.algorithms.battery_data import mixed
from tests.algorithms.learners.rules.hand_made import sample
from tests.expected_texts import viewers as wording
from tests.textbook.test_ensembles import BAGGED, boosted_on_the_printed_samples, rows, stump_on
from tests.workbench.random_trees import random_tree
from tests.workbench.window_helpers import choose_entry, show_view
from workbench.app.main_window import MainWindow
from workbench.layout.tree_layout import small_tree
from workbench.style.structure_colors import StructureColors
from workbench.style.theme import DARK, LIGHT, Theme
from workbench.viewers.ensemble.ensemble_charts import few_judged, order_of
from workbench.viewers.ensemble.ensemble_view import (
    ATTRIBUTES,
    ERROR,
    GALLERY,
    MEMBERS,
    ONE,
    TOGETHER,
    VOTE,
    WEIGHTS,
    EnsembleView,
)
from workbench.viewers.ensemble.members import MembersModel, MembersTable, error_rows, first_question, paint_small_tree
from workbench.viewers.tree.tree_view import TreeView
from workbench.viewers.viewer_registry import viewer_for

Wait = Callable[..., None]
CLASSIFY, VISUALIZE = 1, 3


def learned(learner: RandomForest | AdaBoost | Bagging) -> Members:
    found = learner.fit(mixed(80), RunContext(seed=1)).structure()
    assert isinstance(found, Members)
    return found


@pytest.fixture(scope="module")
def forest() -> Members:
    return learned(RandomForest(members=12))


@pytest.fixture
def view(qapp: QApplication, forest: Members) -> Iterator[EnsembleView]:
    made = EnsembleView(viewer_for)
    made.controls.setParent(made)
    made.resize(1000, 500)
    made.set_structure(forest)
    made.show()
    yield made
    made.hide()
    made.deleteLater()


def press(view: EnsembleView, name: str) -> None:
    button = view.findChild(QPushButton, name)
    assert isinstance(button, QPushButton)
    button.click()


def test_the_error_by_the_number_of_members_is_read_out_and_is_a_table(view: EnsembleView, forest: Members) -> None:
    assert view.page == ERROR
    QTest.keyClick(view.plot, Qt.Key.Key_End)
    out_of_bag = 100 * forest.known.out_of_bag
    assert view.plot.accessibleDescription().startswith(wording.errors_of_12_members(out_of_bag))
    words = view.findChild(QLabel, "visualize.committee.words")
    assert isinstance(words, QLabel)
    begins = wording.drawn_from_members(1 + int(few_judged(forest.known).sum()))
    assert begins in words.text()
    show_view(view, MEMBERS)
    assert begins not in words.text()
    show_view(view, ERROR)
    assert view.plot.bands is not None
    drawn = np.isfinite(view.plot.bands.lines[0].mean)
    assert np.array_equal(drawn, forest.known.out_of_bag_share >= 0.95) and not drawn.all()
    choose_entry(view, "visualize.committee.as-table")
    assert view.pages.currentWidget() is view.twin
    QTest.keyClick(view.twin, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t") == ["members", "training", wording.OUT_OF_BAG]
    assert float(lines[-1].split("\t")[2]) == pytest.approx(forest.known.out_of_bag, rel=1e-5)


def test_the_attribute_that_matters_most_stands_first(view: EnsembleView, forest: Members) -> None:
    show_view(view, ATTRIBUTES)
    assert view.page == ATTRIBUTES
    most = int(np.argmax(forest.known.permutation_importance))
    assert order_of(forest)[0] == most
    assert view.bars.words(0).startswith(wording.without_attribute(forest.schema.attributes[most].name))
    assert view.rows()[0] == ("attribute", wording.IMPORTANCE_BY_PERMUTATION, wording.IMPORTANCE_BY_IMPURITY)
    assert len(view.rows()) == 1 + len(forest.schema.predictors)
    assert not view.bars.grab().isNull()


def test_each_kind_of_importance_has_an_axis_with_zero_and_a_sentence(view: EnsembleView, forest: Members) -> None:
    harmful = np.where(np.arange(len(forest.schema)) == forest.schema.predictors[0], -0.2, 0.4)
    known = replace(forest.known, permutation_importance=harmful)
    view.set_structure(replace(forest, known=known))
    show_view(view, ATTRIBUTES)
    permutation, impurity = view.bars.axes()
    assert permutation.x(-0.2) < permutation.x(0.0) < permutation.x(0.4) <= impurity.left
    assert permutation.left > 0 and impurity.x(0.0) == impurity.left
    assert impurity.x(impurity.most) < view.bars.width()
    words = view.findChild(QLabel, "visualize.committee.words")
    assert isinstance(words, QLabel) and words.text().startswith(wording.PERMUTATION_IMPORTANCE_IS)


def test_lines_of_small_trees_of_boosting_are_as_wide_as_the_weight_in_the_round(view: EnsembleView) -> None:
    words = view.findChild(QLabel, "visualize.committee.words")
    assert isinstance(words, QLabel)
    show_view(view, GALLERY)
    assert wording.MORE_RECORDS_GO in words.text()
    view.set_structure(learned(AdaBoost(members=3)))
    show_view(view, GALLERY)
    assert wording.WEIGHT_IN_THIS_ROUND in words.text()


def test_a_tree_of_the_forest_is_opened_by_a_double_click_and_left_again(
    view: EnsembleView, forest: Members, wait_until: Wait
) -> None:
    show_view(view, MEMBERS)
    cell = view.table.visualRect(view.table.rows.index(2, 1)).center()
    QTest.mouseClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=cell)
    QTest.mouseDClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=cell)
    assert view.page == ONE
    shown = view.one._stack.currentWidget()
    assert isinstance(shown, TreeView)
    assert shown.tree is forest.parts[2]
    press(view, "visualize.member.next")
    assert shown.tree is forest.parts[3]
    press(view, "visualize.member.all")
    assert view.page == MEMBERS
    assert view.table.chosen == 3
    QTest.keyClick(view.table, Qt.Key.Key_Return)
    assert (view.page, view.one.at) == (ONE, 3)


def test_boosting_shows_each_round(view: EnsembleView) -> None:
    boosted = learned(AdaBoost(members=6))
    view.set_structure(boosted)
    assert view.plot.bands is not None
    expected = ["training", wording.ERROR_IN_ITS_ROUND, wording.MOST_IN_TRAINING]
    drawn = [expected[1], expected[0], expected[2]]  # the second line is dashed, as in the chart of a random forest
    assert [line.name for line in view.plot.bands.lines] == drawn
    assert np.all(view.plot.bands.lines[2].mean >= view.plot.bands.lines[1].mean) and len(boosted.schema.classes) > 2
    assert error_rows(boosted)[0] == ("members", *expected)
    assert view.table.rows.columnCount() == 5
    show_view(view, MEMBERS)
    assert view.rows()[1][0] == "Round 1"


def test_the_vote_of_the_printed_samples_forms_round_by_round(view: EnsembleView) -> None:
    """Figures 5.35 and 5.36: ten stumps, whose votes come to 2 2 2 -6 -6 -6 -6 2 2 2; Figure 5.39 of boosting."""
    data = sample("stumps")
    printed = [rows(part) for part in BAGGED.split("|")]
    stumps = [stump_on(data.take(drawn)) for drawn in printed]
    counted = [np.bincount(drawn, minlength=10).astype(float) for drawn in printed]
    votes = [votes_of(model, data, averaged=False) for model in stumps]
    bagged = CommitteeModel(
        data.schema,
        stumps,
        weights=np.ones(10),
        averaged=False,
        class_weights=np.array([4.0, 6.0]),
        rounds=rounds_of(data, counted, votes),
    )
    view.set_structure(bagged.structure())
    show_view(view, VOTE)
    assert view.vote.sum_words() == ["+2"] * 3 + ["−6"] * 4 + ["+2"] * 3
    assert view.vote.rows()[2][:3] == ("Member 1", "x ≤ 0.35", "1")
    assert view.vote.rows()[2][4].endswith("(2)")
    words = view.findChild(QLabel, "visualize.committee.words")
    assert isinstance(words, QLabel)
    assert words.text().startswith(wording.ALL_10_HAVE_NONE_WRONG)
    QTest.keyClick(view.vote, Qt.Key.Key_Home)
    assert words.text() == wording.FIRST_HAS_3_WRONG
    _, found = boosted_on_the_printed_samples(printed=True)
    alphas = np.array(found.importances)
    said = [votes_of(model, data, averaged=False) for model in found.members]
    boosted = CommitteeModel(
        data.schema,
        found.members,
        weights=alphas,
        averaged=False,
        class_weights=np.array([4.0, 6.0]),
        rounds=rounds_of(data, [10 * w for w in found.weights[:3]], said),
    )
    view.set_structure(boosted.structure())
    assert view.vote.sum_words() == ["+5.16"] * 3 + ["−3.08"] * 4 + ["+0.397"] * 3
    assert not view.vote.grab().isNull()


def test_a_member_is_opened_from_the_vote_and_many_records_have_none(view: EnsembleView, forest: Members) -> None:
    assert forest.rounds is None
    found = Bagging(members=4).fit(mixed(20), RunContext(seed=1)).structure()
    assert isinstance(found, Members)
    view.set_structure(found)
    show_view(view, VOTE)
    view.resize(1000, 260)
    QTest.keyClick(view.vote, Qt.Key.Key_End)
    QTest.qWait(1)
    assert view.vote.visibleRegion().contains(view.vote.row_of(3).center())
    top = view.vote.visibleRegion().boundingRect().top()
    assert top > 0 and view.vote.place_at(QPoint(20, top + 3)) == (-1, -1)
    assert view.vote.sums() == pytest.approx(
        4 * Bagging(members=4).fit(mixed(20), RunContext(seed=1)).predict_proba(mixed(20))
    )
    QTest.keyClick(view.vote, Qt.Key.Key_Up)
    QTest.keyClick(view.vote, Qt.Key.Key_Return)
    assert (view.page, view.one.at) == (ONE, 2)


def test_any_tree_of_the_gallery_is_opened_by_mouse_and_keys_and_left_to_where_it_hangs(
    view: EnsembleView, forest: Members, tmp_path: Path
) -> None:
    show_view(view, GALLERY)
    gallery = view.gallery
    QTest.mouseClick(gallery, Qt.MouseButton.LeftButton, pos=gallery.box(4).center())
    assert gallery.accessibleDescription() == gallery.words_of(4)
    assert first_question(forest.parts[4]) in gallery.words_of(4)
    QTest.mouseDClick(gallery, Qt.MouseButton.LeftButton, pos=gallery.box(4).center())
    assert (view.page, view.one.at) == (ONE, 4)
    shown = view.one._stack.currentWidget()
    assert isinstance(shown, TreeView)
    assert shown.tree is forest.parts[4]
    press(view, "visualize.member.all")
    assert (view.page, gallery.chosen) == (GALLERY, 4)
    QTest.keyClick(gallery, Qt.Key.Key_Down)
    assert gallery.chosen == 4 + gallery.columns
    QTest.keyClick(gallery, Qt.Key.Key_Home)
    QTest.keyClick(gallery, Qt.Key.Key_Return)
    assert (view.page, view.one.at) == (ONE, 0)
    view.show_page(GALLERY)
    view.export.save_picture(str(tmp_path / "trees.svg"))
    assert (tmp_path / "trees.svg").read_text().count("<text") >= 2 * forest.n_members
    assert len(view.rows()) == 1 + forest.n_members


def test_a_small_tree_keeps_whole_levels_and_stands_under_its_parents(forest: Members) -> None:
    for part in forest.parts:
        assert isinstance(part, Tree)
        whole, cut = small_tree(part, 10**6), small_tree(part, 4)
        assert sorted(whole.nodes.tolist()) == list(range(part.n_nodes))
        assert np.array_equal(whole.level, part.depths[whole.nodes]) and not whole.is_cut
        inner = np.flatnonzero(~whole.ends).tolist()
        for at in inner:
            below = whole.x[whole.above == at]
            assert whole.x[at] == pytest.approx((below[0] + below[-1]) / 2)
        for depth in range(whole.depth + 1):
            assert np.all(np.diff(whole.x[whole.level == depth]) > 0)
        assert cut.is_cut == (part.n_nodes > len(cut.nodes)) and cut.depth >= 1


def test_votes_weigh_by_error_as_the_law_of_boosting_has_it(view: EnsembleView) -> None:
    """Figure 5.37: the rounds lie on the curve, of two classes, of several and with the error as printed."""
    for learner in (AdaBoost(members=5), AdaBoost(members=4, printed_error=True)):
        boosted = learned(learner)
        view.set_structure(boosted)
        show_view(view, WEIGHTS)
        bands = view.weights.bands
        assert bands is not None and [line.name for line in bands.lines][-1] == wording.ROUNDS_OF_THIS_COMMITTEE
        law, rounds = bands.lines[0].mean, bands.lines[-1].mean
        there = np.isfinite(rounds)
        assert all(bands.lines[-1].numbers[index] for index in np.flatnonzero(there).tolist())
        assert learner.printed_error or law[-1] == pytest.approx(0, abs=1e-9)
        assert len(bands.lines) == 2 and law[there] == pytest.approx(rounds[there])
        assert view.rows()[1][2] == f"{boosted.weights[0]:.6g}"
        QTest.keyClick(view.weights, Qt.Key.Key_Home)
        assert view.weights.accessibleDescription().startswith(wording.ERROR_IN_ROUND)
    view.set_structure(learned(Bagging(members=3)))
    assert view.views.findData(WEIGHTS) < 0


@pytest.mark.parametrize(("how", "n_columns"), [("members", 4), ("judge", 3)])
def test_where_members_do_not_vote_there_is_no_column_of_their_weights(
    forest: Members, how: str, n_columns: int
) -> None:
    rows = MembersModel()
    rows.show_members(replace(forest, how=how))
    heads = [rows.headerData(at, Qt.Orientation.Horizontal) for at in range(rows.columnCount())]
    assert len(heads) == n_columns and ("Vote weight" in heads) == (how == "members")
    assert all(rows.data(rows.index(0, at)) for at in range(n_columns))


def test_a_committee_of_committees_is_looked_into_as_well(view: EnsembleView) -> None:
    nested = learned(Bagging(base=Bagging(members=2), members=3))
    view.set_structure(nested)
    assert nested.parts[0].info.member_phrase == wording.COMMITTEE_OF_2
    view.open_member(1)
    inner = view.one._stack.currentWidget()
    assert isinstance(inner, EnsembleView)
    assert inner.members is nested.parts[1]


def test_the_pages_are_saved_as_tables_and_pictures(view: EnsembleView, tmp_path: Path, wait_until: Wait) -> None:
    for page in (ERROR, ATTRIBUTES, MEMBERS):
        view.show_page(page)
        view.export.save_csv(str(tmp_path / f"{page}.csv"))
        assert len((tmp_path / f"{page}.csv").read_text().splitlines()) == len(view.rows())
    view.show_page(ATTRIBUTES)
    view.export.save_picture(str(tmp_path / "bars.svg"))
    assert "svg" in (tmp_path / "bars.svg").read_text()


def test_the_window_shows_a_forest_in_small_and_in_large(window: MainWindow, wait_until: Wait) -> None:
    window.open_sample("iris")
    wait_until(lambda: window.session.summary is not None, 60)
    window.show_tab(CLASSIFY)
    window.session.start_run(RandomForest(members=8), Holdout(), 1)
    run = window.session.current_run
    assert run is not None
    wait_until(lambda: not run.is_running and not window.session.jobs.running, 120)
    small = window.findChild(QStackedWidget, "classify.model")
    assert isinstance(small, QStackedWidget)
    wait_until(lambda: isinstance(small.currentWidget(), EnsembleView) and small.isVisible(), 60)
    window.show_tab(VISUALIZE)

    def shown() -> list[EnsembleView]:
        return [found for found in window.findChildren(EnsembleView) if found.isVisible() and found.members is not None]

    wait_until(lambda: bool(shown()), 60)
    view = shown()[0]
    show_view(view, TOGETHER)
    words = view.findChild(QLabel, "visualize.committee.words")
    untested = view.findChild(QLabel, "visualize.committee.untested")
    assert isinstance(words, QLabel) and words.text() == ""
    assert isinstance(untested, QLabel) and untested.text().startswith(wording.TEST_MEMBERS_TO_SEE)
    assert untested.isVisible() and not view.together.isVisible()
    test = view.findChild(QPushButton, "visualize.committee.test-here")
    assert isinstance(test, QPushButton) and test.text() == wording.TEST_THE_MEMBERS
    QTest.mouseClick(test, Qt.MouseButton.LeftButton)
    wait_until(lambda: view.tested is not None and not window.session.jobs.running, 60)
    assert view.tested is not None and view.together.bands is not None and run.report is not None
    assert view.tested.error == pytest.approx(1 - run.report.accuracy)
    at = view.together.bands.chosen
    assert view.together.bands.lines[2].mean[at] == pytest.approx(view.tested.error)
    assert wording.INDEPENDENTLY in words.text()
    QTest.mouseClick(view.together, Qt.MouseButton.LeftButton)
    QTest.keyClick(view.together, Qt.Key.Key_Home)
    assert view.together.at == 0
    show_view(view, ERROR)
    assert view.plot.bands is not None and view.plot.bands.lines[-1].name == "tested"
    assert view.rows()[0][-2:] == ("tested", wording.MEMBER_ALONE_TESTED)
    show_view(view, MEMBERS)
    table = view.findChild(MembersTable)
    assert isinstance(table, MembersTable)
    assert table.rows.rowCount() == 8
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(20, 10))
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert isinstance(view.one._stack.currentWidget(), TreeView)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_branches_of_a_small_tree_stand_out_from_the_ground(qapp: QApplication, theme: Theme) -> None:
    tree = random_tree(7)
    image = QImage(200, 120, QImage.Format.Format_RGB32)
    image.fill(theme.color("pane"))
    with QPainter(image) as painter:
        paint_small_tree(painter, StructureColors(theme), tree, small_tree(tree, 20), QRectF(10, 10, 180, 100))
    line = StructureColors(theme).dim.name()
    assert line in {image.pixelColor(x, y).name() for x in range(200) for y in range(120)}
