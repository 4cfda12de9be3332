"""What the run in view said stands beside the records: shown when wrong ones are listed, sorted, copied, saved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QFontMetrics, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog, QMenu

from algorithms.core.run_control import RunContext
from algorithms.data.conditions import Join, RecordCondition, Relation
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.costs.decision_rules import AtThreshold
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.tested_records import Answer
from algorithms.io.reading import read
from algorithms.learners.trees.stump import DecisionStump
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import evaluation as evaluation_wording
from tests.expected_texts import tabs_preprocess as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import CONTROL, LEFT, NONE, Wait, choose_entry, judged, part, small_data
from workbench.session.runs import Run
from workbench.session.selection import save_part, selected_part
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.preprocess.tab import PreprocessTab
from workbench.tabs.preprocess.table import records_model
from workbench.tabs.preprocess.table.filter_and_find_bars import ConditionRow, ListedBar
from workbench.tabs.preprocess.table.records_model import JUDGED_BY
from workbench.widgets.labels import ElidedLabel


@pytest.fixture
def tab(session: Session, stage: Stage) -> PreprocessTab:
    tab = stage.show(PreprocessTab(session), 1200, 900, active=True)
    stage.open(session, small_data())
    return tab


def heads(tab: PreprocessTab) -> list[str]:
    """The heads of the table as they stand from left to right."""
    header, model = tab.records.view.horizontalHeader(), tab.records.model
    return [model.headerData(header.logicalIndex(at), Qt.Orientation.Horizontal) for at in range(header.count())]


def switch(tab: PreprocessTab) -> QAction:
    found = tab.findChild(QAction, "preprocess.records.answers")
    assert isinstance(found, QAction)
    return found


def column(tab: PreprocessTab, which: Answer) -> list[str]:
    model = tab.records.model
    return [model.text(row, model.n_attributes + which.value) or "" for row in range(model.rowCount())]


def list_wrong(tab: PreprocessTab, session: Session, run: Run) -> None:
    assert run.result is not None and session.data is not None
    wrong = run.result.row_ids[~run.result.right]
    session.selection.select(session.data, wrong, by="the confusion matrix", by_judgement=True)
    tab.records.show_selected()


def test_listing_the_wrong_records_shows_what_was_said_of_each(
    tab: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    assert not switch(tab).isVisible()
    run = judged(session, wait_until, DecisionStump(), CrossValidation(folds=3))
    list_wrong(tab, session, run)
    assert heads(tab)[:5] == ["class", wording.run_predicted(1), wording.PROBABILITY, wording.CORRECT, "first"]
    n = tab.records.model.rowCount()
    assert 0 < n < 60
    assert all(text in (wording.WRONG_IS_YES, wording.WRONG_IS_NO) for text in column(tab, Answer.JUDGED))
    truths = [tab.records.model.text(row, 2) for row in range(n)]
    assert all(said != truth for said, truth in zip(column(tab, Answer.SAID), truths, strict=True))
    assert switch(tab).isVisible() and switch(tab).isChecked()
    switch(tab).trigger()
    assert heads(tab) == ["class", "first", "second"]


def test_answers_that_go_and_come_leave_the_columns_where_they_are(
    session: Session, stage: Stage, wait_until: Wait
) -> None:
    tab = stage.show(PreprocessTab(session), 700, 900, active=True)
    schema = Schema((*(numeric(f"number {at}") for at in range(12)), nominal("class", ["yes", "no"])), 12)
    stage.open(session, Dataset(schema, [*(np.arange(60.0) for _ in range(12)), np.arange(60) % 3 == 0]))
    run = judged(session, wait_until, DecisionStump(), CrossValidation(folds=3))
    list_wrong(tab, session, run)
    view = tab.records.view
    view.go_to(1, tab.records.model.n_attributes)
    across = view.horizontalScrollBar()
    assert across.maximum() > 0 == across.value()
    judged(session, wait_until, ZeroR(), CrossValidation(folds=3))
    assert across.value() == 0
    assert tab.records.model.n_answers and heads(tab)[:2] == ["class", wording.run_predicted(2)]


def test_a_long_name_in_a_condition_is_cut_once(qapp: QApplication) -> None:
    """A name that was cut for the list already was cut again in the box, as "Con…000 in……"."""
    names = [f"Concentration of substance {i:03} in the left ventricle after {i % 9} hours" for i in range(30)]
    data = Dataset(Schema(tuple(map(numeric, names))), [np.arange(3.0)] * 30)
    row = ConditionRow(data, 0, 1)
    row.show_data(data)
    box = part(row, QComboBox, "preprocess.filter.1.attribute")
    assert [box.itemText(index) for index in range(box.count())] == names


def test_answers_that_are_asked_for_come_into_sight(session: Session, stage: Stage, wait_until: Wait) -> None:
    tab = stage.show(PreprocessTab(session), 700, 900, active=True)
    schema = Schema((*(numeric(f"number {at}") for at in range(12)), nominal("class", ["yes", "no"])), 12)
    stage.open(session, Dataset(schema, [*(np.arange(60.0) for _ in range(12)), np.arange(60) % 3 == 0]))
    judged(session, wait_until, ZeroR(), CrossValidation(folds=3))
    across = tab.records.view.horizontalScrollBar()
    across.setValue(across.maximum())
    switch(tab).trigger()
    assert tab.records.model.n_answers and across.value() == 0


def test_listing_the_selected_records_leaves_the_columns_where_they_are(
    session: Session, stage: Stage, wait_until: Wait
) -> None:
    """The cursor, out of sight on the right, drew the predictions behind the pinned class."""
    tab = stage.show(PreprocessTab(session), 700, 900, active=True)
    schema = Schema((*(numeric(f"number {at}") for at in range(12)), nominal("class", ["yes", "no"])), 12)
    stage.open(session, Dataset(schema, [*(np.arange(60.0) for _ in range(12)), np.arange(60) % 3 == 0]))
    assert session.data is not None
    session.selection.select(session.data, np.arange(20, 40))
    across = tab.records.view.horizontalScrollBar()
    tab.records.view.go_to(1, 11)
    across.setValue(0)
    tab.records.show_selected()
    wait_until(lambda: tab.records.order.n_shown == 20)
    assert across.maximum() > 0 == across.value() and tab.records.view.currentIndex().column() == 11


def test_what_was_judged_can_be_read_far_below_the_records_in_sight(
    tab: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    judged(session, wait_until, ZeroR(), CrossValidation(folds=3))
    switch(tab).trigger()
    model, view = tab.records.model, tab.records.view
    metrics = QFontMetrics(themes.font(bold=True))
    verdicts = column(tab, Answer.JUDGED)
    assert any(text.startswith("no, actual ") for text in verdicts)
    widest = max(metrics.horizontalAdvance(text) for text in verdicts)
    assert view.columnWidth(model.n_attributes + Answer.JUDGED.value) > widest
    shown = tab.records.answers.shown
    assert shown is not None and shown.words(Answer.SAID.value) == shown.answers.classes
    assert shown.words(Answer.JUDGED.value) == tuple(f"no, actual {name}" for name in shown.answers.classes)


def test_a_click_on_a_head_sorts_by_the_answers(tab: PreprocessTab, session: Session, wait_until: Wait) -> None:
    judged(session, wait_until, DecisionStump(), CrossValidation(folds=3))
    switch(tab).trigger()
    header = tab.records.view.horizontalHeader()
    sure = QPoint(header.sectionViewportPosition(3 + Answer.SURE.value) + 20, 8)
    QTest.mouseClick(header.viewport(), LEFT, NONE, sure)
    shown = [float(text) for text in column(tab, Answer.SURE)]
    assert shown == sorted(shown) and heads(tab)[2] == wording.SORTED_BY_PROBABILITY
    QTest.mouseClick(header.viewport(), LEFT, NONE, sure)
    assert [float(text) for text in column(tab, Answer.SURE)] == sorted(shown, reverse=True)
    switch(tab).trigger()
    assert tab.records.order.look.is_plain, "sorted by what nobody sees any more would be a riddle"


def test_answers_are_copied_as_they_stand(tab: PreprocessTab, session: Session, wait_until: Wait) -> None:
    run = judged(session, wait_until, DecisionStump(), CrossValidation(folds=3))
    switch(tab).trigger()
    header = tab.records.view.verticalHeader()
    QTest.mouseClick(header.viewport(), LEFT, NONE, QPoint(10, header.sectionViewportPosition(0) + 8))
    QTest.keyClick(tab.records.view, Qt.Key.Key_C, CONTROL)
    cells = QApplication.clipboard().text().splitlines()[1].split("\t")
    assert run.result is not None
    said = column(tab, Answer.SAID)[0]
    assert (
        cells[1] == said and cells[3].split(",")[0] in ("yes", "no") and cells[0] in ("yes", "no") and len(cells) == 6
    )
    assert (cells[3] == "yes") == (cells[0] == cells[1])


def test_answers_are_not_typed_into_nor_pasted_over(tab: PreprocessTab, session: Session, wait_until: Wait) -> None:
    judged(session, wait_until, DecisionStump(), CrossValidation(folds=3))
    switch(tab).trigger()
    view, before = tab.records.view, session.data
    view.go_to(0, 3 + Answer.SAID.value)
    view.setFocus()
    for key in (Qt.Key.Key_X, Qt.Key.Key_F2, Qt.Key.Key_Delete, Qt.Key.Key_Return):
        QTest.keyClick(view, key)
    QApplication.clipboard().setText("no")
    view.go_to(0, 3 + Answer.SAID.value)
    QTest.keyClick(view, Qt.Key.Key_V, CONTROL)
    assert session.data is before
    assert wording.CANNOT_BE_CHANGED in tab.records.notice.text


def test_a_block_can_still_be_pasted_beside_the_answers(tab: PreprocessTab, session: Session, wait_until: Wait) -> None:
    judged(session, wait_until, DecisionStump(), CrossValidation(folds=3))
    switch(tab).trigger()
    tab.records.view.go_to(1, 0)
    QApplication.clipboard().setText("1\t2\n3\t4")
    QTest.keyClick(tab.records.view, Qt.Key.Key_V, CONTROL)
    assert session.data is not None
    assert session.data.column(0)[1:3].tolist() == [1, 3] and session.data.column(1)[1:3].tolist() == [2, 4]
    assert heads(tab)[1] == wording.run_predicted(1) and (column(tab, Answer.JUDGED)[1] or "").split(",")[0] in (
        "yes",
        "no",
    )


def test_answers_follow_the_run_in_view_and_the_threshold(
    tab: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    run = judged(session, wait_until, DecisionStump(), CrossValidation(folds=3))
    switch(tab).trigger()
    label = session.classes[session.class_of_interest]
    session.decisions.choose(run, AtThreshold(label, 0.0))
    session.turns.finish()
    assert set(column(tab, Answer.SAID)) == {label}
    session.start_run(ZeroR(), CrossValidation(folds=3))
    wait_until(lambda: not session.runs[-1].is_running)
    session.turns.finish()
    assert heads(tab)[1] == wording.run_predicted(2) and switch(tab).text() == wording.ANSWERS_OF_RUN_2
    session.remove_runs(session.runs[1])
    session.remove_runs(session.runs[0])
    session.turns.finish()
    assert heads(tab) == ["class", "first", "second"] and not switch(tab).isVisible()


def test_answers_stay_with_their_records_when_some_are_removed_and_columns_come(
    tab: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    judged(session, wait_until, DecisionStump(), CrossValidation(folds=3, repeats=2))
    switch(tab).trigger()
    data = session.data
    assert data is not None
    said = column(tab, Answer.SAID)
    session.edit("Remove some", data.without([0, 1, 5]))
    assert column(tab, Answer.SAID) == [word for at, word in enumerate(said) if at not in (0, 1, 5)]
    changed = session.data
    assert changed is not None
    session.edit("One column less", changed.select_columns([0, 2]))
    session.turns.finish()
    assert heads(tab) == ["class", wording.run_predicted(1), wording.PROBABILITY, wording.CORRECT, "first"]
    session.undo_stack.undo()
    session.undo_stack.undo()
    assert heads(tab) == ["class", wording.run_predicted(1), wording.PROBABILITY, wording.CORRECT, "first", "second"]
    assert column(tab, Answer.SAID) == said


def test_many_answers_are_found_in_a_job(
    tab: PreprocessTab, session: Session, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records_model, "AT_ONCE", 0)
    judged(session, wait_until, DecisionStump(), CrossValidation(folds=3))
    switch(tab).trigger()
    wait_until(lambda: heads(tab)[1] == wording.run_predicted(1))
    assert "" not in column(tab, Answer.SAID)


def test_answers_are_saved_with_the_selected_records(
    tab: PreprocessTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    run = judged(session, wait_until, DecisionStump(), CrossValidation(folds=3))
    assert session.data is not None and run.result is not None
    session.selection.select(session.data, np.array([4, 9]), by="the test")
    part = selected_part(session)
    assert part is not None
    job = save_part(session, part, str(tmp_path / "few.csv"))
    wait_until(lambda: not job.is_running)
    lines = (tmp_path / "few.csv").read_text("utf-8").splitlines()
    assert lines[0] == wording.HEAD_OF_SAVED_ANSWERS and len(lines) == 3
    for line, row in zip(lines[1:], (4, 9), strict=True):
        test = run.result.row_ids.tolist().index(row)
        cells = line.split(",")
        assert cells[3] == run.result.classes[run.result.decision[test]]
        assert cells[5] == ("yes" if run.result.right[test] else "no")


def test_what_is_listed_is_exported_in_its_order_with_headings_and_what_the_run_said(
    tab: PreprocessTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    run = judged(session, wait_until, DecisionStump(), CrossValidation(folds=3))
    data = session.data
    assert data is not None and run.result is not None
    session.selection.select(data, np.array([4, 9, 21]), by="the test")
    session.selected_asked.emit()
    wait_until(lambda: tab.records.model.rowCount() == 3)
    tab.records.order.sort_by("first")
    tab.records.order.sort_by("first")
    wait_until(lambda: tab.records.order.order is not None and tab.records.order.look.sort == ("first", True))
    rows = [tab.records.model.record(row) for row in range(3)]
    assert sorted(rows) == [4, 9, 21] and rows != sorted(rows)
    choose_entry(tab, "preprocess.records.export")
    dialog = part(tab, QFileDialog, "file_dialog")
    assert dialog.nameFilters()[0] == "Excel (*.xlsx)" and dialog.windowTitle() == wording.export_3(len(data))
    dialog.fileSelected.emit(str(tmp_path / "listed.xlsx"))
    dialog.reject()
    wait_until(lambda: not session.jobs.running)
    said = session.messages.history[-1].text
    assert said == wording.saved_3(len(data))
    written = read(tmp_path / "listed.xlsx", RunContext())
    assert written.schema.names == (
        "first",
        "second",
        "class",
        evaluation_wording.run_said(1),
        "probability",
        "correct",
    )
    assert written.column(0).tolist() == pytest.approx([float(data.column(0)[row]) for row in rows])
    by_id = dict(zip(run.result.row_ids.tolist(), run.result.decision.tolist(), strict=True))
    said_of = written.schema.attributes[3]
    assert [said_of.values[code] for code in written.column(3)] == [run.result.classes[by_id[row]] for row in rows]


def test_what_the_filter_shows_is_exported(
    tab: PreprocessTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    data = session.data
    assert data is not None
    tab.records.open_filter()
    tab.records.order.filter_by((RecordCondition("first", Relation.MORE, str(np.median(data.column(0)))),), Join.ALL)
    wait_until(lambda: 0 < tab.records.model.rowCount() < len(data))
    shown = tab.records.model.rowCount()
    tab.records.export()
    dialog = part(tab, QFileDialog, "file_dialog")
    dialog.fileSelected.emit(str(tmp_path / "shown.csv"))
    dialog.reject()
    wait_until(lambda: not session.jobs.running)
    assert len((tmp_path / "shown.csv").read_text("utf-8").splitlines()) == shown + 1


def test_copied_records_have_headings_and_copied_cells_have_none(
    tab: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    judged(session, wait_until, DecisionStump(), CrossValidation(folds=3))
    switch(tab).trigger()
    view = tab.records.view
    view.selectRow(2)
    view.copy()
    lines = QGuiApplication.clipboard().text().splitlines()
    names = sorted(["first", "second", "class", wording.run_predicted(1), wording.PROBABILITY, wording.CORRECT])
    assert len(lines) == 2 and sorted(lines[0].split("\t")) == names
    view.go_to(1, 0)
    view.copy()
    assert QGuiApplication.clipboard().text() == tab.records.model.whole_text(1, 0)


def test_copied_records_are_pasted_without_their_headings(tab: PreprocessTab, session: Session) -> None:
    view, model = tab.records.view, tab.records.model
    view.selectRow(2)
    view.copy()
    view.go_to(5, 0)
    view.paste_asked.emit()
    assert [model.whole_text(5, at) for at in range(3)] == [model.whole_text(2, at) for at in range(3)]
    assert session.data is not None and session.undo_stack.count() == 1


def test_records_are_copied_and_pasted_in_the_same_order_where_the_class_stands_first(
    tab: PreprocessTab, session: Session
) -> None:
    view, model = tab.records.view, tab.records.model
    width = view.horizontalHeader().length()
    view.setFixedWidth(width // 2)
    view.pin_class()
    assert session.data is not None
    assert view.horizontalHeader().logicalIndex(0) == session.data.schema.class_index != 0
    view.selectRow(2)
    assert view.chosen_block() == (2, [2, 0, 1], 1, 3)
    view.copy()
    view.go_to(5, session.data.schema.class_index or 0)
    view.paste_asked.emit()
    n = model.n_attributes
    assert [model.whole_text(5, at) for at in range(n)] == [model.whole_text(2, at) for at in range(n)]


def test_it_is_said_which_model_was_asked() -> None:
    assert wording.NOT_TRAINED_ON_IT in JUDGED_BY[False] and wording.FINAL_MODEL in JUDGED_BY[False]
    assert wording.HAD_LEARNED_FROM_IT in JUDGED_BY[True]


def test_the_right_button_asks_why_of_the_record_under_it(
    tab: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    run = judged(session, wait_until, DecisionStump(), CrossValidation(folds=3))
    list_wrong(tab, session, run)
    asked: list[object] = []
    session.explanation_asked.connect(asked.append)
    view = tab.records.view
    view.go_to(1, tab.records.model.n_attributes)
    view.customContextMenuRequested.emit(view.visualRect(view.currentIndex()).center())
    menu = next(w for w in QApplication.topLevelWidgets() if w.objectName() == "preprocess.records.menu")
    assert isinstance(menu, QMenu)
    named = {action.text().partition("\t")[0]: action for action in menu.actions()}
    assert not any(named[name].isEnabled() for name in (wording.EDIT_THE_CELL, "Paste", "Clear")), (
        "it is what a run said"
    )
    QTest.mouseClick(menu, LEFT, pos=menu.actionGeometry(named[wording.EXPLAIN_THE_PREDICTION]).center())
    assert session.data is not None
    assert asked == [int(session.data.row_ids[tab.records.model.records(np.array([1]))[0]])]


def test_answers_about_a_table_that_was_changed_since_say_so_and_no_row_moves_under_the_mouse(
    tab: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    judged(session, wait_until, ZeroR(), CrossValidation(folds=2))
    switch(tab).trigger()
    said, view = part(tab, ElidedLabel, "preprocess.records.facts"), tab.records.view
    wait_until(lambda: wording.run_predicted(1) in heads(tab))
    assert wording.JUDGED_BEFORE_THE_CHANGES not in said.text()
    before = view.mapToGlobal(view.visualRect(view.model().index(1, 0)).center())
    tab.records.edits.set_cell(0, 0, "7.5")
    wait_until(lambda: said.text().startswith(wording.RUN_1_JUDGED_BEFORE))
    assert wording.ANSWERS_ARE_OLDER in said.toolTip()
    assert wording.JUDGED_BEFORE_THE_CHANGES in said.shown()
    wait_until(lambda: not session.jobs.running)
    assert view.mapToGlobal(view.visualRect(view.model().index(1, 0)).center()) == before
    session.undo_stack.undo()
    wait_until(lambda: wording.JUDGED_BEFORE_THE_CHANGES not in said.text() + said.toolTip())


def test_which_records_are_listed_is_said_in_fewer_words_rather_than_cut(qapp: QApplication) -> None:
    bar, by = ListedBar(), "the confusion matrix of run 1"
    bar.say(67, 150, by, 67)
    words = part(bar, ElidedLabel, "preprocess.records.listed.words")
    for shown in (wording.only_67_listed(by), f"67 of 150: {by}", wording.ONLY_67_LISTED):
        words.resize(words.fontMetrics().horizontalAdvance(shown) + 1, words.height())
        assert words.shown() == shown
