"""The ledger over a real session: rows, sorting by number, bringing back, notes, removal."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QFontMetricsF, QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QPlainTextEdit, QPushButton, QTableView

from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost
from algorithms.evaluation.methods.methods import CrossValidation, Holdout, TrainingSet
from algorithms.evaluation.runner import FoldDone, FoldWeights
from algorithms.filters.replace_missing import ReplaceMissing
from algorithms.filters.scale import Scale
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.text.numbers import coefficient, percent, price
from tests.expected_texts import tabs_classify as wording
from tests.expected_texts import tabs_evaluate as tabs_evaluate_wording
from tests.workbench.stage import Stage
from tests.workbench.toy import Plain
from tests.workbench.window_helpers import (
    CONTROL,
    LEFT,
    NONE,
    SHIFT,
    Wait,
    finished_early,
    judged,
    part,
    small_data,
)
from workbench.session.decision_rules import WHY_MARKED
from workbench.session.runs import Run
from workbench.session.saving import PREDICT_NEW_DATA, SAVE_TEST_PREDICTIONS
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.classify.progress import so_far
from workbench.tabs.classify.run_summary import RunStatus
from workbench.tabs.classify.runs_model import (
    DOUBTS_ROLE,
    LINES_ROLE,
    RunsColumn,
    RunsModel,
    cost_now,
    cost_per_record,
    cost_sentence,
    doubts,
    least_cost,
    now_sentence,
    pooled_words,
    right_words,
    sentence,
)
from workbench.tabs.classify.runs_pane import ACCURACY_BY, BELOW, COST_BY, MARKED, NAME, PADDING, RunsPane, lines_of
from workbench.tabs.classify.tab import ClassifyTab
from workbench.tabs.evaluate.numbers import headline_metrics
from workbench.widgets.dialogs import Popover
from workbench.widgets.status_line import MessageBar

Judge = Callable[..., Run]


@pytest.fixture
def session(stage: Stage) -> Session:
    return stage.session(small_data(), Plain)


@pytest.fixture
def judge(session: Session, wait_until: Wait) -> Judge:
    return partial(judged, session, wait_until)


@pytest.fixture
def ledger(session: Session, stage: Stage) -> RunsPane:
    return stage.show(RunsPane(session), 420, 600)


def table(ledger: RunsPane) -> QTableView:
    return ledger.findChild(QTableView, "ledger")


def shown(ledger: RunsPane, column: RunsColumn) -> list[str]:
    model = table(ledger).model()
    return [model.index(row, column).data() for row in range(model.rowCount())]


def test_each_run_is_a_row_with_its_figures(ledger: RunsPane, judge: Judge) -> None:
    judge(ZeroR(), CrossValidation(), 3)
    judge(Plain(depth=7), Holdout())
    assert shown(ledger, RunsColumn.LEARNER) == [f"1 · {ZeroR.name}", f"2 · {Plain.name}"]
    below = table(ledger).model().index(1, RunsColumn.LEARNER).data(LINES_ROLE)
    assert below == ["depth 7", wording.HELD_OUT_WITH_SEED]
    assert shown(ledger, RunsColumn.RIGHT)[0] == "50%"
    assert shown(ledger, RunsColumn.AUC)[0] == "0.500"
    assert shown(ledger, RunsColumn.TIME)[0].endswith("s")


def test_the_mean_so_far_counts_weights_as_the_page_beside_it_does(session: Session) -> None:
    run = session.ledger.new(ZeroR(), CrossValidation(), 1)
    run.folds.append(FoldDone(0, 10, 0, 0, 10, 5, weights=FoldWeights(20.0, 15.0, 60.0)))
    assert right_words(run)[0] == percent(0.75) and percent(0.75) in so_far(run.folds)


def test_the_test_method_is_brief_in_the_row_and_whole_in_its_sentence(ledger: RunsPane, judge: Judge) -> None:
    run = judge(ZeroR(), CrossValidation(), 3)
    assert table(ledger).model().index(0, RunsColumn.LEARNER).data(LINES_ROLE) == [wording.TEN_FOLD_CV]
    assert wording.TEN_FOLD_CROSS_VALIDATION in sentence(run)


def test_row_says_after_which_steps_it_learned(ledger: RunsPane, session: Session, judge: Judge) -> None:
    session.set_recipe((Scale(by="range"), ReplaceMissing()), "Two steps")
    run = judge(Plain(), Holdout())
    below = table(ledger).model().index(0, RunsColumn.LEARNER).data(LINES_ROLE)
    assert below == [wording.AFTER_2_STEPS_BELOW, wording.HELD_OUT_WITH_SEED]
    assert wording.AFTER_2_STEPS_LISTED in sentence(run)


def test_row_in_words_says_all_of_it(judge: Judge) -> None:
    run = judge(Plain(depth=7), CrossValidation(folds=5), 3)
    told = sentence(run)
    for words in (
        wording.PLAIN_TOY_OF_DEPTH_7,
        wording.FIVE_FOLDS_SEED_3,
        wording.ACCURACY_50.strip(),
        wording.AUC_OF_TWO_CLASSES,
        "done in",
    ):
        assert words in told


@pytest.mark.parametrize("classes", [("yes", "no"), ("setosa", "versicolor", "virginica")])
def test_the_auc_of_a_run_has_one_name_and_value_in_the_list_and_in_evaluate(
    stage: Stage, wait_until: Wait, classes: tuple[str, ...]
) -> None:
    session = stage.session(small_data(90, classes))
    report = judged(session, wait_until, C45(), CrossValidation(folds=5)).report
    index = RunsModel(session).index(0, RunsColumn.AUC)
    strip = headline_metrics(report, 0)[-1]
    assert strip.figure.text == index.data() == coefficient(report.auc)
    (below,) = index.data(LINES_ROLE)  # a second line would not fit into the row
    assert (strip.name, below) == (("AUC, weighted", "weighted") if len(classes) > 2 else ("AUC", "pooled"))
    assert f"{strip.name} {index.data()}" in sentence(session.runs[0])


def test_columns_sort_by_number_and_back_to_the_order_of_starting(ledger: RunsPane, judge: Judge) -> None:
    runs = [judge(ZeroR(), TrainingSet(), seed) for seed in (1, 2, 3)]
    for run, seconds in zip(runs, (11.0, 2.0, 130.0), strict=True):
        run.seconds = seconds
    view = table(ledger)
    view.sortByColumn(RunsColumn.TIME, Qt.SortOrder.AscendingOrder)
    assert shown(ledger, RunsColumn.TIME) == ["2.0 s", "11.0 s", wording.TWO_MINUTES_TEN]
    view.sortByColumn(RunsColumn.TIME, Qt.SortOrder.DescendingOrder)
    assert shown(ledger, RunsColumn.TIME) == [wording.TWO_MINUTES_TEN, "11.0 s", "2.0 s"]
    view.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
    assert shown(ledger, RunsColumn.TIME) == ["11.0 s", "2.0 s", wording.TWO_MINUTES_TEN]


def test_enter_brings_a_run_back_with_its_options(ledger: RunsPane, session: Session, judge: Judge) -> None:
    tab = ClassifyTab(session)
    first = judge(Plain(depth=7), CrossValidation(folds=5), 4)
    judge(ZeroR(), Holdout())
    tab.learners.choose(ZeroR)
    view = table(ledger)
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Up)
    assert session.current_run is first
    assert isinstance(tab.learner(), ZeroR)
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert session.current_run is first
    assert (tab.learner(), tab.methods.value(), tab.methods.seed()) == (Plain(depth=7), CrossValidation(folds=5), 4)
    tab.deleteLater()


def test_double_click_brings_a_run_back(ledger: RunsPane, session: Session, judge: Judge) -> None:
    first = judge(ZeroR(), CrossValidation())
    judge(ZeroR(), Holdout())
    view = table(ledger)
    middle = view.visualRect(view.model().index(0, RunsColumn.RIGHT)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    QTest.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    assert session.current_run is first


def test_one_click_shows_a_run_and_leaves_the_options(ledger: RunsPane, session: Session, judge: Judge) -> None:
    tab = ClassifyTab(session)
    first = judge(Plain(depth=7), CrossValidation())
    judge(ZeroR(), Holdout())
    tab.learners.choose(ZeroR)
    view = table(ledger)
    middle = view.visualRect(view.model().index(0, RunsColumn.RIGHT)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    assert session.current_run is first
    session.turns.finish()
    assert tab.verdict.about.text() == wording.PLAIN_TOY_BY_10_FOLDS
    assert isinstance(tab.learner(), ZeroR)
    tab.deleteLater()


def test_a_run_on_its_training_records_is_marked_as_doubtful(ledger: RunsPane, judge: Judge) -> None:
    judge(ZeroR(), TrainingSet())
    judge(ZeroR(), CrossValidation())
    model = table(ledger).model()
    assert model.index(0, RunsColumn.LEARNER).data(DOUBTS_ROLE) == [wording.ON_TRAINING_RECORDS]
    assert wording.DOUBTFUL_ON_TRAINING in model.index(0, RunsColumn.LEARNER).data(Qt.ItemDataRole.ToolTipRole)
    assert model.index(1, RunsColumn.LEARNER).data(DOUBTS_ROLE) == []
    assert table(ledger).rowHeight(0) > table(ledger).rowHeight(1)


def test_a_run_finished_early_says_by_how_many_folds_it_was_judged(session: Session, judge: Judge) -> None:
    run = judge(ZeroR(), CrossValidation(folds=5))
    assert run.result is not None and doubts(run) == []
    run.result = finished_early(run.result, 2)
    assert doubts(run) == [wording.only_folds(2, 5)]


def test_a_removed_run_can_be_put_back_in_its_place(ledger: RunsPane, session: Session, judge: Judge) -> None:
    first = judge(ZeroR(), CrossValidation())
    second = judge(ZeroR(), Holdout())
    bar = MessageBar(session.messages)
    bar.show()
    table(ledger).selectRow(0)
    QTest.keyClick(table(ledger), Qt.Key.Key_Delete)
    assert session.runs == (second,)
    QTest.mouseClick(bar.findChild(QPushButton, "messages.action"), Qt.MouseButton.LeftButton)
    assert session.runs == (first, second)
    assert session.current_run is first
    assert ledger.chosen is first
    bar.deleteLater()


def entries_of_menu(ledger: RunsPane) -> dict[str, str]:
    """The entries that the menu of the runs has now, by name."""
    ledger.more.click()
    menu = part(ledger, QMenu, "ledger.menu")
    entries = {action.objectName(): action.text() for action in menu.actions()}
    menu.close()
    menu.setObjectName("")
    return entries


def choose_from_menu(ledger: RunsPane, name: str, words: str) -> None:
    ledger.more.click()
    menu = part(ledger, QMenu, "ledger.menu")
    entry = part(menu, QAction, name)
    assert entry.text() == words
    menu.close()
    menu.setObjectName("")
    entry.trigger()


def test_all_chosen_runs_are_removed_and_put_back_in_one_step(ledger: RunsPane, session: Session, judge: Judge) -> None:
    runs = [
        judge(ZeroR(), method) for method in (CrossValidation(), Holdout(), TrainingSet(), CrossValidation(folds=3))
    ]
    bar = MessageBar(session.messages)
    bar.show()
    view = table(ledger)
    for row, keys in ((0, NONE), (3, CONTROL), (1, CONTROL)):
        place = view.visualRect(view.model().index(row, RunsColumn.LEARNER)).center()
        QTest.mouseClick(view.viewport(), LEFT, keys, place)
    choose_from_menu(ledger, "ledger.remove", wording.remove_these(3))
    session.turns.finish()
    assert session.runs == (runs[2],) and session.current_run is runs[2] and ledger.chosen is runs[2]
    assert wording.THREE_RUNS_REMOVED in bar.findChild(QLabel, "messages.text").text()
    QTest.mouseClick(bar.findChild(QPushButton, "messages.action"), LEFT)
    session.turns.finish()
    assert session.runs == tuple(runs) and session.current_run is runs[1] and ledger.chosen is runs[1]
    bar.deleteLater()


@pytest.mark.parametrize(
    ("name", "words", "wanted", "needed"),
    [
        ("ledger.predict", PREDICT_NEW_DATA, "file", "trained"),
        ("ledger.predictions", SAVE_TEST_PREDICTIONS, "predictions", "result"),
    ],
)
def test_what_a_run_can_save_is_in_its_menu_and_nothing_else(
    ledger: RunsPane, session: Session, judge: Judge, name: str, words: str, wanted: str, needed: str
) -> None:
    """The menu of the page had the test predictions, that of the run not."""
    first, second = judge(ZeroR(), CrossValidation()), judge(ZeroR(), Holdout())
    asked: list[tuple[str, int]] = []
    session.saving_asked.connect(lambda what: asked.append((what, session.current_run.number)))
    table(ledger).selectRow(0)
    choose_from_menu(ledger, name, words)
    assert asked == [(wanted, first.number)]
    session.ledger.update(second, **{needed: None})
    table(ledger).selectRow(1)
    assert name not in entries_of_menu(ledger)


def test_choosing_a_row_survives_changes_of_other_runs(ledger: RunsPane, session: Session, judge: Judge) -> None:
    first = judge(ZeroR(), CrossValidation())
    second = judge(ZeroR(), Holdout())
    table(ledger).selectRow(0)
    session.ledger.set_note(second, "another")
    assert ledger.chosen is first


def test_note_is_written_on_the_chosen_run(ledger: RunsPane, session: Session, judge: Judge) -> None:
    first = judge(ZeroR(), CrossValidation())
    second = judge(ZeroR(), Holdout())
    note = ledger.findChild(QPlainTextEdit, "ledger.note")
    note.setFocus()
    QTest.keyClicks(note, "later")
    table(ledger).selectRow(0)
    assert note.toPlainText() == ""
    QTest.keyClicks(note, "first honest one")
    note = "first honest one"
    assert (first.note, second.note) == (note, "later")


def test_run_is_removed_by_button_and_key(ledger: RunsPane, session: Session, judge: Judge) -> None:
    judge(ZeroR(), CrossValidation())
    second = judge(ZeroR(), Holdout())
    judge(ZeroR(), TrainingSet())
    table(ledger).selectRow(0)
    choose_from_menu(ledger, "ledger.remove", "Remove")
    assert [run.method for run in session.runs] == [Holdout(), TrainingSet()]
    session.turns.finish()
    table(ledger).selectRow(1)
    QTest.keyClick(table(ledger), Qt.Key.Key_Delete)
    assert session.runs == (second,)
    assert session.current_run is second


def test_a_run_whose_row_stands_a_moment_longer_is_neither_removed_twice_nor_shown(
    ledger: RunsPane, session: Session, judge: Judge
) -> None:
    first, second = judge(ZeroR(), CrossValidation()), judge(ZeroR(), Holdout())
    table(ledger).selectRow(0)
    QTest.keyClick(table(ledger), Qt.Key.Key_Delete)
    assert ledger.chosen is first, "its row is not gone yet"
    QTest.keyClick(table(ledger), Qt.Key.Key_Delete)
    QTest.keyClick(table(ledger), Qt.Key.Key_Return)
    assert session.runs == (second,) and session.current_run is second
    session.turns.finish()
    assert ledger.chosen is second


def test_cost_column_comes_with_costs_and_counts_them(ledger: RunsPane, session: Session, judge: Judge) -> None:
    run = judge(ZeroR(), TrainingSet())
    assert table(ledger).isColumnHidden(RunsColumn.COST)
    assert part(ledger, QLabel, "ledger.cost-by").text() == ACCURACY_BY[0]
    session.set_costs(CostMatrix(("yes", "no"), ((0.0, 4.0), (10.0, 0.0))))
    session.turns.finish()
    assert not table(ledger).isColumnHidden(RunsColumn.COST)
    assert run.report is not None
    assert cost_per_record(run, session) == pytest.approx(5.0)
    assert shown(ledger, RunsColumn.COST) == ["5"]
    meaning = part(ledger, QLabel, "ledger.cost-by")
    assert meaning.text() == COST_BY[0] and meaning.geometry().bottom() <= table(ledger).geometry().top()
    session.set_costs(CostMatrix(("other", "no"), ((0.0, 4.0), (10.0, 0.0))))
    assert cost_per_record(run, session) is None


def test_the_tip_of_a_run_names_the_threshold_behind_each_cost(
    ledger: RunsPane, session: Session, judge: Judge, wait_until: Wait
) -> None:
    """Beside 0.472 at a threshold of the user stood "by cost 0.507", and no word of the threshold of that."""
    run = judge(C45(), TrainingSet())
    session.set_costs(CostMatrix(("yes", "no"), ((0.0, 1.0), (5.0, 0.0))))
    label = session.decisions.label_of_interest(run)
    by_cost = "16.7%" if label == "no" else "83.3%"
    session.decisions.choose(run, AtThreshold(label, 0.999 if label == "no" else 0.001))
    wait_until(lambda: least_cost(run, session) is not None)
    tip = sentence(run, now_sentence(run, session))
    now, least = f"{price(cost_now(run, session))}†", price(least_cost(run, session))
    assert wording.two_costs(now, session.decisions.asked(run).phrase, least, by_cost) in tip


def test_figures_under_a_threshold_chosen_on_the_tested_records_are_marked(
    ledger: RunsPane, session: Session, judge: Judge, wait_until: Wait
) -> None:
    """The tuned cost stood among honest ones as one of them; least expected cost is chosen on no record."""
    runs = judge(C45(), CrossValidation(folds=3)), judge(Plain(), CrossValidation(folds=3))
    session.set_costs(CostMatrix(("yes", "no"), ((0.0, 1.0), (5.0, 0.0))))
    session.set_current_run(runs[0])
    label = session.decisions.label_of_interest(runs[0])
    session.decisions.choose(runs[0], AtThreshold(label, 0.9))
    wait_until(lambda: cost_now(runs[0], session) is not None)
    session.turns.finish()
    costs = shown(ledger, RunsColumn.COST)
    assert sorted(cost.endswith("†") for cost in costs) == [False, True]
    status = RunStatus.of(runs[0], session)
    assert status is not None and status.headline().count("†") == 2
    assert WHY_MARKED in sentence(runs[0], now_sentence(runs[0], session))
    assert f"{price(cost_now(runs[0], session))}†" in cost_sentence(runs[0], session)
    meaning = part(ledger, QLabel, "ledger.cost-by")
    wait_until(lambda: meaning.toolTip().endswith(MARKED) or meaning.text().endswith(MARKED))
    row = ledger.model.row_of(runs[0])
    assert len(ledger.model._least(ledger.model._runs[row])) == 1, "by cost stays beside a rule of the user"
    session.decisions.choose(runs[0], ByCost())
    wait_until(lambda: cost_now(runs[0], session) is not None)
    session.turns.finish()
    assert not any("†" in cost for cost in shown(ledger, RunsColumn.COST))
    assert len(ledger.model._least(ledger.model._runs[row])) == 1 and MARKED not in meaning.text()
    assert [pooled_words(run) for run in runs] == [["pooled"], ["pooled"]], "a comparison has the mean of the folds"
    assert WHY_MARKED not in sentence(runs[0], now_sentence(runs[0], session))


def test_the_column_of_costs_is_as_wide_as_its_longest_cost(ledger: RunsPane, session: Session, judge: Judge) -> None:
    judge(Plain(), CrossValidation())
    session.set_costs(CostMatrix(session.classes, ((0.0, 1.234567e9), (9.876543e9, 0.0))))
    session.turns.finish()
    (cost,) = shown(ledger, RunsColumn.COST)
    view = table(ledger)
    room = view.columnWidth(RunsColumn.COST)
    assert room >= QFontMetricsF(themes.font(NAME)).horizontalAdvance(cost) + 2 * PADDING > 70


def test_a_number_at_the_end_of_a_line_is_never_alone_on_the_next(qapp: QApplication) -> None:
    text = "most questions in a row 3"
    wide = round(QFontMetricsF(themes.font(BELOW)).horizontalAdvance("most questions in a row"))
    assert lines_of(text, BELOW, wide) == [wording.MOST_QUESTIONS_IN_A, "row 3"]
    assert lines_of(text, BELOW, 10 * wide) == [text]


def test_a_row_that_comes_to_say_more_stays_in_sight_whole(
    ledger: RunsPane, session: Session, judge: Judge, wait_until: Wait
) -> None:
    view = table(ledger)
    for seed in range(1, 40):
        run = judge(ZeroR(), TrainingSet(), seed)
        if view.verticalScrollBar().maximum() > 0:
            break
    assert session.current_run is run
    lowest = view.currentIndex()
    height = view.rowHeight(lowest.row())
    wait_until(lambda: view.visualRect(lowest).bottom() <= view.viewport().height())
    session.decisions.choose(run, AtThreshold(session.decisions.label_of_interest(run), 0.25))
    wait_until(lambda: view.rowHeight(lowest.row()) > height)
    wait_until(lambda: view.visualRect(lowest).bottom() <= view.viewport().height())


def test_the_run_in_view_is_in_sight_also_where_the_ledger_is_made_or_gets_lower_later(
    session: Session, judge: Judge, stage: Stage, wait_until: Wait
) -> None:
    first, *_, last = [judge(ZeroR(), TrainingSet(), seed) for seed in range(1, 9)]
    ledger = stage.show(RunsPane(session), 420, 420)
    view = table(ledger)

    def is_whole(run: Run) -> bool:
        place = view.visualRect(view.currentIndex())
        is_chosen = ledger.chosen is run and view.verticalScrollBar().maximum() > 0
        return is_chosen and place.top() >= 0 and place.bottom() <= view.viewport().height()

    wait_until(lambda: is_whole(last))
    assert view.rowViewportPosition(view.rowAt(0)) == 0, "the first row in view is whole, too"
    session.set_current_run(first)
    wait_until(lambda: is_whole(first))
    ledger.hide()
    session.set_current_run(last)
    ledger.show()
    wait_until(lambda: is_whole(last))
    ledger.resize(420, 360)
    wait_until(lambda: is_whole(last))
    for height in (350, 371, 395):  # whatever part of a row the room ends with
        ledger.resize(420, height)
        wait_until(lambda: is_whole(last) and view.rowViewportPosition(view.rowAt(0)) == 0)


def test_another_table_empties_the_ledger(ledger: RunsPane, session: Session, judge: Judge, wait_until: Wait) -> None:
    judge(ZeroR(), CrossValidation())
    session.set_document(small_data(30))
    session.turns.finish()
    assert shown(ledger, RunsColumn.LEARNER) == []
    assert not table(ledger).isVisible()
    wait_until(lambda: session.summary is not None)


def test_model_keeps_the_rules_of_item_models(session: Session, judge: Judge) -> None:
    model = RunsModel(session)
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    session.runs_changed.connect(model.refresh)
    first = judge(ZeroR(), CrossValidation())
    judge(ZeroR(), Holdout())
    session.remove_runs(first)
    assert model.rowCount() == 1


def popover(qapp: QApplication) -> Popover:
    return next(w for w in qapp.topLevelWidgets() if isinstance(w, Popover) and w.isVisible())


def test_figure_of_the_run_in_view_opens_by_a_second_click(
    ledger: RunsPane, judge: Judge, session: Session, qapp: QApplication, wait_until: Wait
) -> None:
    run = judge(ZeroR(), CrossValidation())
    assert run.report is not None
    place = table(ledger).visualRect(table(ledger).model().index(0, RunsColumn.AUC)).center()
    QTest.mouseClick(table(ledger).viewport(), Qt.MouseButton.LeftButton, pos=place)
    wait_until(lambda: any(isinstance(w, Popover) and w.isVisible() for w in qapp.topLevelWidgets()))
    assert popover(qapp).accessibleName().startswith(wording.AUC_OPENED)
    popover(qapp).close()


def test_double_click_brings_back_without_opening_a_figure(
    ledger: RunsPane, judge: Judge, session: Session, qapp: QApplication
) -> None:
    judge(ZeroR(), CrossValidation())
    asked: list[object] = []
    brought: list[object] = []
    table(ledger).working_asked.connect(asked.append)
    session.run_brought_back.connect(brought.append)
    place = table(ledger).visualRect(table(ledger).model().index(0, RunsColumn.RIGHT)).center()
    QTest.mouseClick(table(ledger).viewport(), Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseDClick(table(ledger).viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert brought
    assert not table(ledger)._wait.isActive()
    assert not asked


def test_no_figure_opens_from_a_name_or_for_who_has_gone_elsewhere(
    ledger: RunsPane, judge: Judge, wait_until: Wait
) -> None:
    judge(ZeroR(), CrossValidation())
    view, asked = table(ledger), list[object]()
    view.working_asked.connect(asked.append)
    for column in (RunsColumn.LEARNER, RunsColumn.AUC):
        place = view.visualRect(view.model().index(0, column)).center()
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    ledger.note.setFocus()
    wait_until(lambda: not view._wait.isActive())
    assert not asked


def test_figures_open_by_key_and_say_what_evaluate_says(
    ledger: RunsPane, judge: Judge, session: Session, qapp: QApplication
) -> None:
    run = judge(ZeroR(), CrossValidation())
    assert run.report is not None
    session.set_costs(CostMatrix(("yes", "no"), ((0.0, 1.0), (10.0, 0.0))))
    for column, name, value in (
        (RunsColumn.LEARNER, "Accuracy", percent(run.report.accuracy, run.report.n)),
        (RunsColumn.AUC, "AUC", coefficient(run.report.auc)),
        (RunsColumn.COST, tabs_evaluate_wording.COST_PER_RECORD, price(cost_per_record(run, session))),
    ):
        table(ledger).setCurrentIndex(table(ledger).model().index(0, column))
        QTest.keyClicks(table(ledger), "=")
        assert popover(qapp).accessibleName().startswith(name)
        QTest.keyClick(popover(qapp), Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        copied = QGuiApplication.clipboard().text()
        assert f"= {value}\n" in copied


def test_where_costs_stand_in_a_narrow_ledger_the_name_keeps_its_room(
    ledger: RunsPane, session: Session, judge: Judge, wait_until: Wait
) -> None:
    judge(ZeroR(), TrainingSet())
    ledger.setFixedWidth(320)
    hidden = ledger.table.isColumnHidden
    wait_until(lambda: hidden(RunsColumn.TIME) and not hidden(RunsColumn.AUC))
    session.set_costs(CostMatrix(session.classes, ((0.0, 10.0), (1.0, 0.0))))
    wait_until(lambda: hidden(RunsColumn.AUC) and not hidden(RunsColumn.COST))
    session.set_costs(None)
    wait_until(lambda: not hidden(RunsColumn.AUC) and hidden(RunsColumn.COST))


def test_runs_chosen_in_the_ledger_are_compared_in_evaluate(stage: Stage, wait_until: Wait) -> None:
    window = stage.window(1280, 720)
    session = window.session
    stage.open(session, small_data(90))
    window.show_tab(1)
    judged(session, wait_until, ZeroR(), CrossValidation())
    ledger = window.findChild(RunsPane)
    view = table(ledger)
    assert "ledger.compare" not in entries_of_menu(ledger)
    judged(session, wait_until, C45(), CrossValidation())
    assert entries_of_menu(ledger)["ledger.compare"] == "Compare both"
    judged(session, wait_until, Cart(), CrossValidation())
    assert entries_of_menu(ledger)["ledger.compare"] == wording.COMPARE_ALL_3
    for row, keys in ((0, NONE), (2, CONTROL)):
        place = view.visualRect(view.model().index(row, RunsColumn.LEARNER)).center()
        QTest.mouseClick(view.viewport(), LEFT, keys, place)
    assert session.current_run is session.runs[2]
    entries = entries_of_menu(ledger)
    assert entries == {"ledger.compare": wording.COMPARE_THESE_2, "ledger.remove": wording.remove_these(2)}
    choose_from_menu(ledger, "ledger.compare", wording.COMPARE_THESE_2)
    session.turns.finish()
    headline = part(window, QLabel, "evaluate.comparison.headline")
    assert session.analyses.compared.runs() == [session.runs[0], session.runs[2]]
    wait_until(lambda: "run 1" in part(window, QLabel, "evaluate.comparison.words").text())
    assert headline.isVisible() and headline.text() == wording.CART_IS_BETTER
    # by keys: two rows, and both to the clipboard as well
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Home, CONTROL)
    QTest.keyClick(view, Qt.Key.Key_Down, SHIFT)
    assert entries_of_menu(ledger)["ledger.compare"] == wording.COMPARE_THESE_2
    QTest.keyClick(view, Qt.Key.Key_C, CONTROL)
    assert QGuiApplication.clipboard().text().count("Run ") == 2
    choose_from_menu(ledger, "ledger.compare", wording.COMPARE_THESE_2)
    wait_until(lambda: headline.text() == wording.C45_IS_BETTER)
    # a run without a result has nothing to compare: then those are meant that have, and not the chosen rows
    session.start_run(Cart(), CrossValidation())
    stopped = session.current_run
    assert stopped is not None and stopped.job is not None
    stopped.job.stop()
    judged(session, wait_until, ZeroR(), CrossValidation(), seed=2)
    window.show_tab(1)
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Home, CONTROL)
    for _ in range(3):
        QTest.keyClick(view, Qt.Key.Key_Down)
    QTest.keyClick(view, Qt.Key.Key_Up, SHIFT)
    assert session.current_run is session.runs[2]
    assert entries_of_menu(ledger)["ledger.compare"] == wording.COMPARE_3_OF_4


def test_a_run_is_updated_in_attributes_that_runs_have(session: Session) -> None:
    run = session.ledger.new(ZeroR(), TrainingSet(), 1)
    session.ledger.update(run, note="once more", seconds=2.0)
    assert (run.note, run.seconds) == ("once more", 2.0)
    with pytest.raises(AttributeError, match="remark"):
        session.ledger.update(run, remark="lost")
