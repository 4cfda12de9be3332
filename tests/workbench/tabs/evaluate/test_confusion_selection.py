"""Cells of the confusion matrix set the window's selection and show it, by mouse and keys."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.costs.decision_rules import AtThreshold
from algorithms.evaluation.measures.confusion_counts import HEAD, cell_sentence, selected_words
from algorithms.evaluation.methods.methods import CrossValidation, TestFile
from algorithms.io.text.text_writing import write_csv
from algorithms.learners.trees.cart import Cart
from algorithms.text.numbers import percent
from tests.expected_texts import tabs_evaluate as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import CONTROL, LEFT, NONE, SHIFT, Wait, choose_entry, part, small_data
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.tabs.evaluate import confusion_pane
from workbench.tabs.evaluate.confusion_pane import (
    LARGEST,
    PERCENTAGES,
    SELECTED_BAR,
    ConfusionPane,
    ConfusionTable,
    ConfusionTableView,
)
from workbench.tabs.evaluate.tab import EvaluateTab
from workbench.viewers.charts.confusion_matrix import ConfusionView


@pytest.fixture
def session(stage: Stage) -> Session:
    return stage.session(small_data(90, ("yes", "no", "perhaps")))


@pytest.fixture
def tab(session: Session, stage: Stage) -> EvaluateTab:
    return stage.show(EvaluateTab(session), 1100, 700)


def judge(session: Session, wait_until: Wait, method: CrossValidation | TestFile | None = None) -> Run:
    session.start_run(Cart(pruning="none", max_depth=2), method or CrossValidation(folds=5), 1)
    run = session.current_run
    assert run is not None
    wait_until(lambda: not run.is_running)
    assert run.result is not None
    return run


@pytest.fixture
def run(tab: EvaluateTab, session: Session, wait_until: Wait) -> Run:
    return judge(session, wait_until)


def ids_of(run: Run, truth: int | None, decision: int | None, decided: IntArray | None = None) -> list[int]:
    """Ids of the records that were tested in a cell; None stands for a whole row or column."""
    result = run.result
    assert result is not None
    said = result.decision if decided is None else decided
    wanted = np.ones(len(result), dtype=np.bool_)
    if truth is not None:
        wanted &= result.truth == truth
    if decision is not None:
        wanted &= said == decision
    return sorted(set(result.row_ids[wanted].tolist()))


def selected(session: Session, data: Dataset | None = None) -> list[int]:
    shown = session.data if data is None else data
    assert shown is not None
    return sorted(shown.row_ids[session.selection.mask_of(shown)].tolist())


def view_of(tab: EvaluateTab) -> ConfusionView:
    found = tab.findChild(ConfusionView, "evaluate.confusion")
    assert found is not None
    return found


def click(tab: EvaluateTab, row: int, column: int, keys: Qt.KeyboardModifier = NONE) -> None:
    view = view_of(tab)
    QTest.mouseClick(view.viewport(), LEFT, keys, view.place(row, column).center().toPoint())


def sentence(tab: EvaluateTab) -> str:
    found = tab.findChild(QLabel, "evaluate.sentence")
    assert found is not None
    return found.text()


def test_a_click_on_a_cell_selects_its_records_and_still_says_what_it_is(
    tab: EvaluateTab, session: Session, run: Run
) -> None:
    click(tab, 1, 0)
    assert selected(session) == ids_of(run, 1, 0) != []
    pane = tab.findChild(ConfusionPane)
    key, facts = part(pane, QLabel, "evaluate.confusion.bar-key"), pane._facts.text()
    assert key.isVisible() and key.shown() == SELECTED_BAR, "a legend of the bar in the cell, whole"
    assert any(facts.endswith(shares) for shares in PERCENTAGES), "what cells show is still said"
    assert wording.SAID_TO_BE_YES in sentence(tab)
    assert session.selection.sources == (wording.SOURCE_IS_CELL_NO_YES,)
    click(tab, 1, 1, SHIFT)
    assert selected(session) == sorted(ids_of(run, 1, 0) + ids_of(run, 1, 1))
    n = len(ids_of(run, 1, 0))
    assert sentence(tab).endswith(selected_words(len(ids_of(run, 1, 1)), len(ids_of(run, 1, 1))))
    click(tab, 1, 0, CONTROL)
    assert selected(session) == ids_of(run, 1, 1)
    assert sentence(tab).endswith(selected_words(n, 0)), "the frame of the cell is not taken for a selection"


def test_a_click_on_a_name_selects_its_row_or_column(tab: EvaluateTab, session: Session, run: Run) -> None:
    click(tab, 2, HEAD)
    assert selected(session) == ids_of(run, 2, None)
    assert session.selection.sources == (wording.SOURCE_IS_ROW_PERHAPS,)
    assert sentence(tab).startswith(wording.RECORDS_ARE_PERHAPS)
    click(tab, HEAD, 0)
    assert selected(session) == ids_of(run, None, 0)


def test_keys_walk_to_cells_and_names_and_select(tab: EvaluateTab, session: Session, run: Run) -> None:
    view = view_of(tab)
    view.setFocus()
    errors = view.counts - np.diag(np.diag(view.counts))
    assert view.cell is not None and view.counts[view.cell] == errors.max() and view.cell[0] != view.cell[1]
    counts = 50.0 * np.eye(3)[[1, 2, 0]]
    counts[0, 1] += 1
    view.set_matrix(view.classes, counts)
    assert view.cell == (0, 1), "the cell entered at is the largest confusion under the rule in use"
    for chosen in ((0, 1), (0, 0)):  # also where the keyboard had entered
        view.choose(*chosen)
        counts = counts + np.eye(3)[[2, 0, 1]] * 100
        view.set_matrix(view.classes, counts)
        assert view.cell == chosen
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert view.cell == (1, 0) and len(session.selection) == 0
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert selected(session) == ids_of(run, 1, 0)
    assert view.accessibleDescription().endswith("selected.")
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert view.cell == (1, HEAD)
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert selected(session) == ids_of(run, 1, None)


def test_the_most_frequent_confusion_is_selected_and_explained_by_three_keys(
    tab: EvaluateTab, session: Session, run: Run
) -> None:
    view, asked = view_of(tab), list[object]()
    session.explanation_asked.connect(asked.append)
    assert not tab.confusion.to_explain.isVisible()
    view.setFocus(Qt.FocusReason.MouseFocusReason)
    QTest.keyClick(view, Qt.Key.Key_Left)
    entered = view.cell
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert entered is not None and selected(session) == ids_of(run, *entered) != []
    QTest.keyClick(view, Qt.Key.Key_Tab)
    assert tab.confusion.to_explain.hasFocus()
    assert tab.confusion.to_explain.text() == wording.explain_selected(len(selected(session)))
    QTest.keyClick(tab.confusion.to_explain, Qt.Key.Key_Return)
    assert asked == [None]  # what is selected
    session.selection.clear()
    assert view.hasFocus() and view.cell == entered


def test_the_share_that_is_selected_is_marked_in_each_cell(tab: EvaluateTab, session: Session, run: Run) -> None:
    view, right = view_of(tab), ids_of(run, 0, 0)
    plain = view.viewport().grab().toImage()
    assert session.data is not None
    session.selection.select(session.data, np.array(right[: len(right) // 2]))
    marked = view.viewport().grab().toImage()
    cell = view.place(0, 0)
    foot = int(cell.bottom()) - 4
    begin, end = QPoint(int(cell.left()) + 8, foot), QPoint(int(cell.right()) - 8, foot)
    assert marked.pixelColor(begin).lightness() < marked.pixelColor(end).lightness() < plain.pixelColor(end).lightness()
    other = view.place(1, 1).center().toPoint() + QPoint(0, int(view.place(1, 1).height() / 2) - 4)
    assert marked.pixelColor(other) == plain.pixelColor(other)
    assert wording.share_selected(len(right) // 2) in view.words(0, 0)
    assert wording.NONE_SELECTED in view.words(1, 1)


def test_the_table_says_how_many_are_selected_and_selects_by_keys(tab: EvaluateTab, session: Session, run: Run) -> None:
    table = tab.findChild(ConfusionTableView, "evaluate.confusion.table")
    assert table is not None
    choose_entry(tab, "evaluate.confusion.as-table")
    QTest.mouseClick(table.viewport(), LEFT, NONE, table.visualRect(table.model().index(0, 0)).center())
    QTest.keyClick(table, Qt.Key.Key_Right, SHIFT)
    QTest.keyClick(table, Qt.Key.Key_Space)
    assert selected(session) == sorted(ids_of(run, 0, 0) + ids_of(run, 0, 1))
    n = len(ids_of(run, 0, 0))
    assert table.model().index(0, 0).data() == f"{n} ({n} selected)"
    assert table.model().index(2, 2).data() == str(len(ids_of(run, 2, 2)))


def test_the_table_has_totals_that_select_what_they_count(tab: EvaluateTab, session: Session, run: Run) -> None:
    table = tab.findChild(ConfusionTableView, "evaluate.confusion.table")
    choose_entry(tab, "evaluate.confusion.as-table")
    model = table.model()
    totals = [model.index(0, 3).data(), model.index(3, 1).data(), model.index(3, 3).data()]
    assert totals == [str(len(ids_of(run, *cell))) for cell in ((0, None), (None, 1), (None, None))]
    assert model.headerData(3, Qt.Orientation.Horizontal) == model.headerData(3, Qt.Orientation.Vertical) == "total"
    for row, column, cell in ((0, 3, (0, None)), (3, 1, (None, 1)), (3, 3, (None, None))):
        table.setCurrentIndex(model.index(row, column))
        QTest.keyClick(table, Qt.Key.Key_Space)
        assert selected(session) == ids_of(run, *cell)


def test_the_total_of_all_weights_is_said_as_it_is_shown(qapp: QApplication) -> None:
    """Of 0.4 records, rounded, the tooltip and the words of a screen reader said "0 test records"."""
    model = ConfusionTable()
    model.set_matrix(("a", "total"), np.array([[0.25, 0.1], [0.0, 0.05]]))
    assert [model.text(row, 2) for row in range(3)] == ["0.35", "0.05", "0.4"]
    assert model.tip(2, 2) == f"{wording.records_judged(0.4)}."
    model.set_selected(np.array([[0.25, 0.0], [0.0, 0.0]]))
    assert model.tip(2, 2) == f"{wording.records_judged(0.4)}.{selected_words(0.4, 0.25)}"


def test_all_cells_of_many_classes_are_selected_in_little_memory(qapp: QApplication) -> None:
    """A mask of the whole matrix for each chosen cell: of 200 classes more than a gigabyte."""
    model, k = ConfusionTable(), 60
    table, meant = ConfusionTableView(model), []
    table.cells_meant.connect(lambda cells, _how: meant.append(cells))
    model.set_matrix(tuple(f"class {number}" for number in range(k)), np.ones((k, k)))
    table.selectAll()
    tracemalloc.start()
    QTest.keyClick(table, Qt.Key.Key_Space)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert meant[0].shape == (k, k) and meant[0].all() and most < 1_000_000 + 200 * k * k


def test_the_largest_confusions_of_several_classes_are_listed_and_selected(stage: Stage, wait_until: Wait) -> None:
    session = stage.session(small_data(200, ("a", "b", "c", "d")))
    tab = stage.show(EvaluateTab(session), 1100, 700)
    run = judge(session, wait_until)
    pane = tab.findChild(ConfusionPane)
    assert pane.order.isVisible() and not pane.largest.isVisible()
    pane.order.setCurrentIndex(pane.order.findData(LARGEST))
    wrong = run.report.confusion - np.diag(np.diag(run.report.confusion))
    rows = pane.largest.model().rows[1:]
    assert pane.largest.isVisible() and len(rows) == np.count_nonzero(wrong)
    assert [float(row[2]) for row in rows] == sorted(wrong[wrong > 0].tolist(), reverse=True)
    actual, predicted = (run.report.classes.index(name) for name in rows[0][:2])
    n = wrong[actual, predicted]
    assert rows[0][3:] == (percent(n / run.report.confusion[actual].sum()), percent(n / wrong.sum()))
    place = pane.largest.visualRect(pane.largest.model().index(0, 0)).center()
    QTest.mouseClick(pane.largest.viewport(), LEFT, NONE, place)
    assert selected(session) == ids_of(run, actual, predicted)
    assert sentence(tab).startswith(cell_sentence(run.report.classes, run.report.confusion, actual, predicted))
    choose_entry(tab, "evaluate.confusion.as-table")
    assert tab.findChild(ConfusionTableView).isVisible() and not pane.largest.isVisible()


def test_the_decisions_in_force_say_which_records_a_cell_has(tab: EvaluateTab, session: Session, run: Run) -> None:
    session.set_class_of_interest(1)
    tab.deciding.decide_at(0.99)
    decided = session.decisions.asked(run).decisions()
    assert run.result is not None and (decided != run.result.decision).any()
    click(tab, HEAD, 1)
    assert selected(session) == ids_of(run, None, 1, decided) != ids_of(run, None, 1)
    tab.deciding.choose(None)
    shown = view_of(tab).selected
    assert shown is not None and shown.sum() == len(ids_of(run, None, 1, decided))
    assert shown[:, 1].sum() == len(set(ids_of(run, None, 1, decided)) & set(ids_of(run, None, 1)))


def test_records_of_an_older_table_are_found_by_their_ids(
    tab: EvaluateTab, session: Session, run: Run, wait_until: Wait
) -> None:
    wrong = ids_of(run, 1, 0)
    assert session.data is not None
    session.edit("Keep some", session.data.take(np.arange(89, 10, -1)))
    click(tab, 1, 0)
    assert selected(session) == [id for id in wrong if id > 10]
    assert session.selection.n_gone == len([id for id in wrong if id <= 10])


def test_a_record_that_was_tested_often_is_selected_once(tab: EvaluateTab, session: Session, wait_until: Wait) -> None:
    run = judge(session, wait_until, CrossValidation(folds=3, repeats=4))
    click(tab, 0, HEAD)
    assert selected(session) == ids_of(run, 0, None) and len(session.selection) == 30
    assert wording.ALL_SELECTED in view_of(tab).words(0, HEAD)


def test_records_of_a_test_file_are_not_in_the_table_and_it_says_so(
    tab: EvaluateTab, session: Session, tmp_path: Path, wait_until: Wait
) -> None:
    write_csv(tmp_path / "test.csv", small_data(30, ("yes", "no", "perhaps"), seed=3))
    judge(session, wait_until, TestFile(path=str(tmp_path / "test.csv")))
    click(tab, 0, 0)
    assert len(session.selection) == 0
    assert sentence(tab).endswith(wording.NOT_RECORDS_OF_THIS_TABLE)


def test_many_tests_are_sorted_in_a_job(
    tab: EvaluateTab, session: Session, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confusion_pane, "AT_ONCE", 20)
    run = judge(session, wait_until)
    click(tab, 1, 0)
    click(tab, 1, 1)
    wait_until(lambda: selected(session) == ids_of(run, 1, 1))
    wait_until(lambda: view_of(tab).selected is not None)


def test_out_of_sight_nothing_is_marked_until_it_is_seen(tab: EvaluateTab, session: Session, run: Run) -> None:
    tab.hide()
    assert session.data is not None
    session.selection.select(session.data, np.arange(5))
    assert view_of(tab).selected is None
    tab.show()
    shown = view_of(tab).selected
    assert shown is not None and shown.sum() == 5


def test_the_sentence_keeps_the_width_of_the_pane_beside_a_selection(
    tab: EvaluateTab, session: Session, run: Run, wait_until: Wait
) -> None:
    """Beside two buttons it took eight lines, and the matrix lost its height."""
    pane, button = tab.findChild(ConfusionPane), tab.findChild(QPushButton, "evaluate.confusion.wrong")
    assert pane is not None and button is not None
    button.click()
    wait_until(pane.to_explain.isVisible)
    wait_until(lambda: pane.sentence.width() > 0.9 * pane.view.width())


def test_records_selected_under_another_rule_are_not_offered_for_explanation(
    tab: EvaluateTab, session: Session, run: Run, wait_until: Wait
) -> None:
    """After a new threshold the errors of the old rule still stood there as "Explain the 7 selected"."""
    tab.confusion.wrong.click()
    wait_until(tab.confusion.to_explain.isVisible)
    assert len(selected(session))
    session.decisions.choose(run, AtThreshold(session.decisions.label_of_interest(run), 0.9))
    wait_until(lambda: not tab.confusion.to_explain.isVisible())
    tab.confusion.wrong.click()
    wait_until(tab.confusion.to_explain.isVisible)
    assert tab.confusion.to_explain.text() == wording.explain_selected(len(selected(session)))


def test_all_wrong_records_are_selected_at_once(tab: EvaluateTab, session: Session, run: Run) -> None:
    button = tab.findChild(QPushButton, "evaluate.confusion.wrong")
    assert button is not None
    QTest.mouseClick(button, LEFT)
    result = run.result
    assert result is not None
    assert button.text() == wording.select_misclassified(int((~result.right).sum()))
    assert selected(session) == sorted(result.row_ids[~result.right].tolist()) != []
    assert session.selection.sources == (wording.SOURCE_IS_ALL_WRONG,)
    label = session.classes[session.class_of_interest]
    session.decisions.choose(run, AtThreshold(label, 0.0))
    tab.following.finish()
    assert session.selection.sources[0].endswith(wording.BY_DEFAULT_RULE)  # still true of those that are selected
    button.click()  # its caption has become longer, so it moves before a person can press it
    assert session.selection.sources[0].endswith(wording.as_it_always_says(label))


def test_the_button_counts_no_weights_as_records(tab: EvaluateTab, session: Session, wait_until: Wait) -> None:
    session.set_document(small_data(90, ("yes", "no", "perhaps")).with_weights(np.where(np.arange(90) < 45, 0.5, 1.5)))
    assert judge(session, wait_until).report.confusion.sum() == 90
    button = tab.findChild(QPushButton, "evaluate.confusion.wrong")
    wait_until(lambda: button.isEnabled())
    assert button.text() == wording.SELECT_SOME_MISCLASSIFIED
