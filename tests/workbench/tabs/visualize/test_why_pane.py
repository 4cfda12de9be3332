"""Why this split: the pane beside the tree, by mouse and keys, over a real session."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QStyleOptionViewItem

from algorithms.core.learner import Learner
from algorithms.evaluation.methods.methods import TrainingSet
from algorithms.filters.scale import Scale
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.explain.node_reasons import GainCurve
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.structures.tree import Tree
from algorithms.text.numbers import number
from tests.expected_texts import learners as learners_wording
from tests.expected_texts import tabs_visualize as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, part, press_link
from workbench.session.session import Session
from workbench.style.theme import current_theme, themes
from workbench.tabs.visualize.tab import VisualizeTab
from workbench.tabs.visualize.tree.why_pane import MOST_ROWS, WhyPane, candidates_csv
from workbench.viewers.rules_view import RuleSetView
from workbench.viewers.tree.gain_and_pruning_curves import GainPlot, as_csv
from workbench.viewers.tree.node_card import NodeCard
from workbench.viewers.tree.tree_table import rules_text, table_csv
from workbench.viewers.tree.tree_view import TreeView
from workbench.viewers.tree.tree_words import branch_label
from workbench.widgets.labels import TERM_ROLE
from workbench.widgets.tables import LinesDelegate


@pytest.fixture
def pane(session: Session, stage: Stage) -> WhyPane:
    return stage.show(WhyPane(session), 340, 760)


def text(pane: WhyPane, name: str) -> str:
    found = pane.findChild(QLabel, f"visualize.why.{name}")
    assert found is not None
    return found.text()


def all_texts(pane: WhyPane) -> str:
    return " | ".join(label.text() for label in pane.findChildren(QLabel) if label.isVisible())


def ran(session: Session, learner: Learner, wait_until: Wait, sample: str = "iris") -> Tree | None:
    session.open_sample(sample)
    wait_until(lambda: session.data is not None)
    session.start_run(learner, TrainingSet())
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 60)
    assert session.current_run is not None and session.current_run.trained is not None
    structure = session.current_run.trained.structure()
    return structure if isinstance(structure, Tree) else None


def explained(pane: WhyPane, node: int, wait_until: Wait) -> None:
    wait_until(lambda: pane.reasons is not None and pane.reasons.node == node and pane.table.rowCount() >= 0)


def test_without_a_run_it_says_what_to_do(pane: WhyPane) -> None:
    assert wording.CHOOSE_A_LEARNER in all_texts(pane)
    pane.show_run(None)
    assert wording.CHOOSE_A_LEARNER in all_texts(pane)


def test_a_model_without_questions_is_said(session: Session, pane: WhyPane, wait_until: Wait) -> None:
    ran(session, ZeroR(), wait_until)
    pane.show_run(session.current_run)
    assert wording.DOES_NOT_ASK in all_texts(pane)


def test_the_root_is_explained_first(session: Session, pane: WhyPane, wait_until: Wait) -> None:
    tree = ran(session, Cart(pruning="none"), wait_until)
    pane.show_run(session.current_run)
    explained(pane, 0, wait_until)
    assert tree is not None
    name = tree.schema.attributes[int(tree.attribute[0])].name
    assert text(pane, "sentence").startswith(f"Splitting on {name}")
    item = pane.table.item(0, 1)
    assert item is not None and item.text() == f"{tree.gain[0]:.3f}"
    assert "Chosen." in text(pane, "verdict")
    assert f"<b>{tree.gain[0]:.3f}</b>" in text(pane, "sum")
    assert pane.plot.curve is not None and pane.plot.curve.name == name
    assert wording.ROOT_OF_150 in all_texts(pane)


def test_the_arrow_keys_go_through_the_candidates(session: Session, pane: WhyPane, wait_until: Wait) -> None:
    ran(session, C45(), wait_until)
    pane.show_run(session.current_run)
    explained(pane, 0, wait_until)
    reasons = pane.reasons
    assert reasons is not None
    pane.table.setFocus()
    for _ in range(3):
        QTest.keyClick(pane.table, Qt.Key.Key_Down)
    last = reasons.candidates[3]
    assert pane.table.attribute == last.attribute
    assert last.name in text(pane, "verdict")
    wait_until(lambda: pane.plot.curve is not None and pane.plot.curve.name == last.name)
    QTest.keyClick(pane.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith("rank\tattribute") and len(copied.splitlines()) == 1 + len(reasons.candidates)


def test_a_click_on_a_heading_sorts_by_number(session: Session, pane: WhyPane, wait_until: Wait) -> None:
    ran(session, C45(), wait_until)
    pane.show_run(session.current_run)
    explained(pane, 0, wait_until)
    header = pane.table.horizontalHeader()
    at = QPoint(header.sectionViewportPosition(1) + 20, header.height() // 2)
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)
    gains = [item.text() for row in range(pane.table.rowCount()) if (item := pane.table.item(row, 1)) is not None]
    assert len(gains) == 4 and sorted(map(float, gains)) in (list(map(float, gains)), list(map(float, gains[::-1])))


def test_no_row_of_the_candidates_is_cut_while_room_stands_empty(
    session: Session, pane: WhyPane, wait_until: Wait
) -> None:
    ran(session, C45(), wait_until, "wine")
    pane.show_run(session.current_run)
    explained(pane, 0, wait_until)
    table, note = pane.table, pane._note
    rows = table.rowCount()
    assert rows > MOST_ROWS
    for height in range(760, 1400, 40):
        pane.resize(340, height)
        QTest.qWait(1)
        bottom = table.visualItemRect(table.item(rows - 1, 0)).bottom()
        empty = note.parentWidget().height() - note.geometry().bottom()
        assert bottom < table.viewport().height() or empty < themes.px(24), (height, empty)


def test_the_curve_is_read_by_keys_and_mouse(session: Session, pane: WhyPane, wait_until: Wait) -> None:
    ran(session, Cart(pruning="none"), wait_until)
    pane.show_run(session.current_run)
    explained(pane, 0, wait_until)
    explained(pane, 0, wait_until)
    plot = pane.plot
    assert plot.curve is not None
    QTest.keyClick(plot, Qt.Key.Key_Right)
    best = plot.words_at(plot.curve.chosen)
    assert pane._reading.text() == best and "gain 0.333" in best
    QTest.keyClick(plot, Qt.Key.Key_Right)
    assert pane._reading.text() == plot.words_at(plot.curve.chosen + 1)
    QTest.keyClick(plot, Qt.Key.Key_End)
    assert pane._reading.text() == plot.words_at(len(plot.curve.thresholds) - 1)
    QTest.mouseMove(plot.viewport(), plot.viewport().rect().center())
    wait_until(lambda: pane._reading.text() != plot.words_at(len(plot.curve.thresholds) - 1))
    assert pane._reading.text().startswith("≤ ")


def test_the_marked_threshold_is_named_beside_its_line(stage: Stage) -> None:
    """With too little room on its right the words were moved half across it."""
    x = np.linspace(-14.0, 10.0, 200)
    known = np.ones(200, dtype=np.bool_)
    plot = stage.show(GainPlot("gain"), 320, 130)
    for mark in (-8.0, -1.0, 9.0):
        curve = GainCurve(0, "x", x, 0.3 - 0.001 * (x - mark) ** 2, known, np.arange(200.0), 200.0, 0.0, 100)
        plot.show_curve(curve, mark)
        plot.grab()
        words = plot._words.mapRectToScene(plot._words.boundingRect())
        line = plot.getViewBox().mapViewToScene(QPointF(mark, 0.0)).x()
        assert words.left() >= line - 1 or words.right() <= line + 1
    plot.resize(270, 130)
    curve = GainCurve(0, "x", x, np.full(200, 0.275), known, np.arange(200.0), 200.0, 0.0, 100)
    plot.show_curve(curve, -1.415924)
    plot.grab()
    words = plot._words.mapRectToScene(plot._words.boundingRect())
    line = plot.getViewBox().mapViewToScene(QPointF(-1.415924, 0.0)).x()
    assert words.left() >= line - 1 or words.right() <= line + 1
    assert "1.415924" in plot._words.toPlainText(), "not 1.416 below a sentence with 1.415924"


@pytest.mark.parametrize(
    ("learner", "heading", "of_ratio"),
    [
        (C45(), wording.GAIN_MDL, wording.RATIO_MDL),
        (C45(numeric_correction=False), wording.GAIN_ALONE, wording.RATIO_ALONE),
    ],
    ids=["corrected", "not"],
)
def test_a_gain_after_the_mdl_correction_has_a_name_of_its_own(
    session: Session, pane: WhyPane, wait_until: Wait, learner: Learner, heading: str, of_ratio: str
) -> None:
    """It was "Gain", as the information gain in Preprocess, and at small sizes nothing said that they differ.

    So was "Gain ratio" that of either gain."""
    ran(session, learner, wait_until)
    pane.show_run(session.current_run)
    explained(pane, 0, wait_until)
    elide = pane.table.horizontalHeader().textElideMode()
    assert elide is Qt.TextElideMode.ElideNone, "Qt elides two lines as one"
    for column, title in ((1, heading), (2, of_ratio)):
        header = pane.table.horizontalHeaderItem(column)
        assert header is not None and header.text().replace("\n", " ") == title
        assert header.data(TERM_ROLE), "a click leads to the glossary"
    assert f">{of_ratio}<" in text(pane, "sum")
    pane._curve_title.resize(60, 20)
    assert pane._curve_title.text().startswith(f"{heading} ")
    is_corrected = heading == wording.GAIN_MDL
    assert pane.plot.curve is not None and (pane.plot.curve.correction > 0) == is_corrected
    assert ("MDL" in pane.plot.getAxis("left").labelText) == is_corrected
    assert pane.reasons is not None
    assert candidates_csv(pane.reasons).split(",")[3:5] == [f"g{heading[1:]}", f"g{of_ratio[1:]}"]


@pytest.mark.parametrize(("scale", "width"), [(1.0, 340), (1.5, 480)])
def test_names_of_candidates_are_whole_in_a_narrow_pane(
    session: Session, pane: WhyPane, wait_until: Wait, scale: float, width: int
) -> None:
    """ "Concave…worst)" stood for Concave Points (worst)."""
    ran(session, C45(), wait_until, sample="breast-cancer")
    themes.set_scale(scale)
    pane.resize(width, 720)
    pane.show_run(session.current_run)
    explained(pane, 0, wait_until)
    table = pane.table
    for row in range(table.rowCount()):
        option = QStyleOptionViewItem()
        table.initViewItemOption(option)
        option.rect = table.visualRect(table.model().index(row, 0))
        delegate = table.itemDelegateForColumn(0)
        assert isinstance(delegate, LinesDelegate)
        delegate.initStyleOption(option, table.model().index(row, 0))
        item = table.item(row, 0)
        assert item is not None and option.text.replace("\u2028", " ") == item.text()


def test_the_dotted_parts_of_the_curve_are_explained(session: Session, pane: WhyPane, wait_until: Wait) -> None:
    ran(session, C45(), wait_until)
    pane.show_run(session.current_run)
    explained(pane, 0, wait_until)
    curve = pane.plot.curve
    assert curve is not None
    for allowed in (curve.thresholds > curve.thresholds[0], np.ones(len(curve.thresholds), dtype=np.bool_)):
        pane.plot.show_curve(replace(curve, allowed=allowed))
        assert pane._reading.text().startswith(wording.DOTTED) is not allowed.all()


def test_all_terms_are_shown_by_the_keyboard(session: Session, pane: WhyPane, wait_until: Wait) -> None:
    ran(session, C45(), wait_until)
    pane.show_run(session.current_run)
    explained(pane, 0, wait_until)
    sums = part(pane, QLabel, "visualize.why.sum")
    press_link(sums)
    assert wording.ENTROPY_BEFORE in text(pane, "all-terms")
    press_link(sums)
    assert text(pane, "all-terms") == ""


def test_a_soft_threshold_says_how_far_it_may_be_moved(session: Session, pane: WhyPane, wait_until: Wait) -> None:
    tree = ran(session, C45(soft_thresholds=True, min_leaf=5), wait_until)
    assert tree is not None and tree.is_soft(0)
    pane.show_run(session.current_run)
    pane.show_node(0)
    explained(pane, 0, wait_until)
    assert wording.SOFT_FROM in text(pane, "sentence")
    assert wording.DOWN_BOTH_BRANCHES in text(pane, "sentence")
    assert wording.MOST_ERRORS in text(pane, "sum")
    press_link(part(pane, QLabel, "visualize.why.sum"))
    assert wording.WRONG_WITH_THRESHOLD in text(pane, "all-terms")


def test_a_leaf_says_why_it_asks_nothing(session: Session, pane: WhyPane, wait_until: Wait) -> None:
    tree = ran(session, Cart(pruning="none"), wait_until)
    assert tree is not None
    pane.show_run(session.current_run)
    leaf = next(node for node in range(tree.n_nodes) if tree.is_leaf(node))
    pane.show_node(leaf)
    explained(pane, leaf, wait_until)
    assert learners_wording.NOTHING_LEFT_TO_ASK in text(pane, "sentence")
    assert not pane.table.isVisible() and not pane.plot.isVisible()


def test_numbers_are_saved(session: Session, pane: WhyPane, wait_until: Wait, tmp_path: Path) -> None:
    ran(session, Cart(pruning="none"), wait_until)
    pane.show_run(session.current_run)
    explained(pane, 0, wait_until)
    for name, save in (
        ("curve.csv", pane.export.save_csv),
        ("curve.png", pane.export.save_picture),
        ("curve.svg", pane.export.save_picture),
        ("candidates.csv", pane.save_candidates),
    ):
        path = tmp_path / name
        save(str(path))
        wait_until(lambda path=path: path.exists() and path.stat().st_size > 0)
    lines = (tmp_path / "curve.csv").read_text("utf-8").splitlines()
    assert pane.plot.curve is not None and len(lines) == 1 + len(pane.plot.curve.thresholds)


def test_it_is_dressed_anew_in_the_dark(qapp: QApplication, session: Session, pane: WhyPane, wait_until: Wait) -> None:
    ran(session, Cart(pruning="none"), wait_until)
    pane.show_run(session.current_run)
    explained(pane, 0, wait_until)
    before = themes.choice
    themes.install(qapp, "light")
    try:
        themes.choose("dark")
        assert current_theme().dim in text(pane, "sum")
        assert pane.plot.backgroundBrush().color().name() == current_theme().pane
    finally:
        themes.choose(before)


def test_in_the_tab_it_follows_the_node_in_focus(session: Session, wait_until: Wait) -> None:
    from workbench.viewers.tree.tree_view import TreeView

    tab = VisualizeTab(session)
    tab.resize(1200, 760)
    tab.show()
    try:
        ran(session, Cart(pruning="none"), wait_until)
        wait_until(lambda: tab.findChild(WhyPane) is not None)
        pane = tab.findChild(WhyPane)
        view = tab.findChild(TreeView)
        assert pane is not None and view is not None
        explained(pane, 0, wait_until)
        wait_until(lambda: view.drawing is not None)
        view.canvas.setFocus()
        view.canvas.set_focus_node(0)
        QTest.keyClick(view.canvas, Qt.Key.Key_Down)
        node = view.canvas.focus_node
        assert node > 0
        explained(pane, node, wait_until)
        session.start_run(ZeroR(), TrainingSet())
        wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 60)
        assert not pane.isVisible()
    finally:
        tab.close()
        tab.deleteLater()


def test_while_the_questions_are_weighed_it_says_so(session: Session, pane: WhyPane, wait_until: Wait) -> None:
    ran(session, C45(), wait_until)
    pane.show_run(session.current_run)
    assert wording.WEIGHING_THE_QUESTIONS in all_texts(pane) and "150 records" in all_texts(pane)
    explained(pane, 0, wait_until)
    assert wording.WEIGHING_THE_QUESTIONS not in all_texts(pane)


def scaled(session: Session, learner: Learner, stage: Stage, wait_until: Wait) -> VisualizeTab:
    """Visualize with what a learner made of iris, its numbers scaled to their range."""
    session.open_sample("iris")
    wait_until(lambda: session.data is not None)
    session.set_recipe((Scale(by="range"),), "Scale")
    tab = stage.show(VisualizeTab(session), 1200, 800)
    session.start_run(learner, TrainingSet())
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 60)
    session.turns.finish()
    return tab


def test_after_scaling_thresholds_are_said_as_the_table_has_them_too(
    session: Session, stage: Stage, wait_until: Wait
) -> None:
    tab = scaled(session, Cart(pruning="none"), stage, wait_until)
    pane = tab.findChild(WhyPane)
    explained(pane, 0, wait_until)
    assert wording.UNSCALED_QUESTION in text(pane, "sentence")
    assert wording.UNSCALED_AND_SCALED in text(pane, "verdict")
    plot = pane.plot
    at = plot.curve.chosen
    assert plot.words_at(at).startswith(wording.GAIN_AT_UNSCALED)
    assert plot.threshold is None
    plot.read_at(at, hold=True)
    assert plot.threshold == plot.curve.thresholds[at], "what is adopted is asked after scaling, as the tree asks"
    head, *rows = as_csv(plot.curve, ",", plot.unscaled).splitlines()
    assert head.startswith(wording.HEAD_OF_SCALED_GAINS)
    assert rows[at].startswith(f"2.45,{plot.curve.thresholds[at]},")
    view = tab.findChild(TreeView)
    tab.resize(1900, 1000)
    wait_until(lambda: view.drawing is not None)
    card = view.findChild(NodeCard)
    view.canvas.setFocus()
    QTest.keyClick(view.canvas, Qt.Key.Key_Home)
    QTest.keyClick(view.canvas, Qt.Key.Key_Down)
    wait_until(lambda: not card.isHidden() and wording.UNSCALED_CONDITION in card.html)
    plan = view.drawing.plan
    assert branch_label(plan.worded, 1) == "≤ 2.45" and branch_label(plan.tree, 1) != "≤ 2.45"
    assert view.facts().endswith(wording.NUMBERS_AS_IN_TABLE)
    assert rules_text(plan).startswith(wording.NUMBERS_STAND_AS_IN_TABLE)
    assert wording.FIRST_RULE_UNSCALED in rules_text(plan)
    assert wording.UNSCALED_CONDITION in table_csv(plan)


def test_after_scaling_rules_are_worded_as_the_table_has_the_numbers(
    session: Session, stage: Stage, wait_until: Wait
) -> None:
    tab = scaled(session, Ripper(), stage, wait_until)
    view = tab.findChild(RuleSetView)
    wait_until(lambda: view.table.rules is not None)
    trained = session.current_run.trained
    assert view.table.rules is trained.structure()
    lengths = session.data.column("Petal Length")
    for at in range(view.table.worded.n_conditions):
        if view.table.worded.schema.names[view.table.worded.attribute[at]] == "Petal Length":
            ends = [end for end in (view.table.worded.low[at], view.table.worded.high[at]) if np.isfinite(end)]
            assert all(lengths.min() <= end <= lengths.max() for end in ends)
            assert any(number(end) in view.table.conditions(0) for end in ends) or at > 0
    assert view.facts().endswith(wording.NUMBERS_AS_IN_TABLE)
    head = view.export.exported.table()("\t").splitlines()[0]
    assert head.startswith(wording.HEAD_OF_RULES_UNSCALED)
