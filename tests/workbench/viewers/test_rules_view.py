"""The viewer of rules, driven by mouse and keys, and what the window says of rules elsewhere."""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QPlainTextEdit, QSpinBox

from algorithms.core.errors import DataError
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.rules.model import RuleMatcher, RuleModel
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.rules.rule_logic import CounterExample, DataOverlap, WholeSpaceFindings, on_data
from algorithms.structures.rule_set import DEFAULT_RULE, Rule, RuleCondition, RuleSet, put_together
from algorithms.text.numbers import weight_text
from tests.expected_texts import learners as learners_wording
from tests.expected_texts import tabs_visualize as tabs_visualize_wording
from tests.expected_texts import viewers as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, follow_link, press_link, show_page
from workbench.app.main_window import MainWindow
from workbench.session.selection import SelectionMode
from workbench.style.theme import DARK_NAME, LIGHT_NAME, current_theme, themes
from workbench.tabs.visualize.explain.explain_page import WhatIfPane
from workbench.tabs.visualize.extensions.rules import RuleRecords
from workbench.viewers.charts.export import write_rules
from workbench.viewers.rules_list import (
    BAR,
    GAP,
    TWO_LINES,
    WIDEST_CONDITIONS,
    RulesColumn,
    RulesList,
    RulesPainter,
    RulesTable,
)
from workbench.viewers.rules_view import HIDDEN, RuleSetView
from workbench.widgets.labels import LinkLabel

VISUALIZE = 3


def many(n: int = 5000) -> RuleSet:
    """So many rules over twenty numbers and a list of values."""
    random = np.random.default_rng(1)
    attributes = [*(numeric(f"number {i}") for i in range(20)), nominal("colour", ("red", "green", "blue"))]
    schema = Schema((*attributes, nominal("class", ("no", "yes"))), 21)
    rules = []
    for number in range(n):
        at = random.choice(20, 4, replace=False)
        conditions = [RuleCondition(int(i), low=float(random.normal())) for i in at[:3]]
        conditions.append(RuleCondition(20, values=(number % 3,)))
        rules.append(Rule(tuple(conditions), number % 2))
    made = put_together(schema, rules, 0)
    made.covered[:] = random.integers(0, 50, (n, 2))
    made.decided[:] = np.floor(made.covered / 2)
    made.default_counts[:] = 10, 3
    return made


@pytest.fixture
def view(stage: Stage) -> RuleSetView:
    view = stage.show(RuleSetView(), 1100, 600)
    view.set_structure(many(40))
    return view


@pytest.fixture
def shown(window: MainWindow, wait_until: Wait) -> RuleSetView:
    """RIPPER's rules for iris in Visualize."""
    window.open_sample("iris")
    wait_until(lambda: window.session.summary is not None, 60)
    window.session.start_run(Ripper(), CrossValidation(folds=3), 1)
    run = window.session.current_run
    assert run is not None
    wait_until(lambda: not run.is_running and not window.session.jobs.running, 120)
    window.show_tab(VISUALIZE)
    wait_until(lambda: any(found.isVisible() for found in window.findChildren(RuleSetView)), 30)
    return next(found for found in window.findChildren(RuleSetView) if found.isVisible())


def click(view: RuleSetView, row: int, part: RulesColumn = RulesColumn.CONDITIONS) -> None:
    at = view.list.visualRect(view.table.index(row, part)).center()
    QTest.mouseClick(view.list.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)


def rows(view: RuleSetView) -> list[int]:
    return [view.table.rule_of(row) for row in range(view.table.n_shown)]


def test_every_rule_is_a_row_and_the_default_one_the_last(view: RuleSetView) -> None:
    assert rows(view) == [*range(40), DEFAULT_RULE]
    said = [str(view.table.index(40, part).data()) for part in RulesColumn]
    assert said == ["else", "otherwise", "no", "13", "77%", wording.NO_10_YES_3]
    assert view.facts() == wording.RULES_FACTS


def test_conditions_without_room_are_told_from_those_of_other_rules(stage: Stage) -> None:
    names = [f"an_attribute_with_a_very_long_name_{'ab'[at]}_{'xyz'[at] * 30}" for at in range(2)]
    schema = Schema((*(numeric(name) for name in names), nominal("class", ("no", "yes"))), 2)
    rules = [Rule((RuleCondition(0, low=0.5), RuleCondition(1, low=float(at))), at % 2) for at in range(4)]
    view = stage.show(RuleSetView(), 400, 300)
    view.set_structure(put_together(schema, [*rules, Rule((RuleCondition(1, low=0.5),), 0)], 0))
    painter = RulesPainter(view.table)
    for width in (110, 180, 260):
        assert len({painter.brief_conditions(rule, width) for rule in range(5)}) == 5
    assert all(len(painter.brief_conditions(rule, 180)) < 40 for rule in range(5))


def test_a_narrow_list_parts_two_conditions_between_its_lines(stage: Stage) -> None:
    schema = Schema((numeric("petal length"), numeric("petal width"), nominal("class", ("no", "yes"))), 2)
    rules = [Rule((RuleCondition(0, high=4.9), RuleCondition(1, high=1.6)), 0), Rule((RuleCondition(0, high=4.9),), 1)]
    table = RulesTable()
    table.set_rules(put_together(schema, rules, 0), None)
    painter = RulesPainter(table)
    shown = stage.show(RulesList(table, painter), 265, 300)
    assert painter.lines(0, 150, 2) == (wording.LENGTH_AND, wording.WIDTH_ALONE)
    assert painter.lines(0, 400, 2) == (wording.LENGTH_AND_WIDTH,)
    assert painter.lines(1, 150, 2) == (wording.LENGTH_ALONE,) and painter.lines(DEFAULT_RULE, 90, 2) == ("otherwise",)
    lengthy = [f"the_attribute_with_a_long_name_{n}_{'ab'[n] * 30}" for n in range(2)]
    renamed = Schema((*(numeric(name) for name in lengthy), nominal("class", ("no", "yes"))), 2)
    table.set_rules(put_together(renamed, rules, 0), None)
    first, rest = painter.lines(0, 130, 2)
    assert first.endswith(wording.END_OF_FIRST_CONDITION) and "0_" in first and rest.endswith(" ≤ 1.6") and "1_" in rest
    narrow = shown.rowHeight(0)
    table.set_rules(put_together(schema, rules, 0), None)
    shown.resize(1300, 300)
    assert narrow >= themes.px(TWO_LINES) > shown.rowHeight(0)


def test_long_class_names_and_conditions_take_the_width_of_bars_and_the_free_height(stage: Stage) -> None:
    """Class names were cut at 130 pixels beside wide bars, and conditions in a list with free rows below."""
    names = ("a class with a rather long name", "another class with a long name")
    schema = Schema((*(numeric(f"an attribute of many letters {i}") for i in range(3)), nominal("class", names)), 3)
    rules = [Rule(tuple(RuleCondition(i, low=0.25) for i in range(3)), 0)]
    view = stage.show(RuleSetView(), 1240, 500)
    view.set_structure(put_together(schema, rules, 1))
    shown, painter = view.list, RulesPainter(view.table)
    assert shown.columnWidth(RulesColumn.CLASS) == painter.class_width() > themes.px(180)
    assert painter.is_cut(0, shown.columnWidth(RulesColumn.CONDITIONS) - 16)
    assert shown.rowHeight(0) >= themes.px(TWO_LINES)
    view.set_structure(put_together(schema, [Rule((RuleCondition(0, low=0.25),), 0)] * 3, 1))
    assert shown.rowHeight(0) < themes.px(TWO_LINES)


def test_the_words_of_the_rule_in_focus_lie_over_nothing_however_low_the_view(stage: Stage, wait_until: Wait) -> None:
    names = [f"an_attribute_with_a_very_long_name_{'ab'[at]}_{'xyz'[at] * 30}" for at in range(2)]
    schema = Schema((*(numeric(name) for name in names), nominal("class", ("no", "yes"))), 2)
    rules = [Rule((RuleCondition(0, low=0.5), RuleCondition(1, low=float(at))), at % 2) for at in range(4)]
    view = stage.show(RuleSetView(), 400, 300)
    view.set_structure(put_together(schema, rules, 0))
    view.focus_rule(3)
    said = view.findChild(QLabel, "visualize.rules.detail")
    assert said is not None
    wait_until(lambda: said.height() >= said.heightForWidth(said.width()))
    assert not said.geometry().intersects(view.list.geometry())


def test_a_click_on_a_head_sorts_and_another_turns_it_round(view: RuleSetView) -> None:
    header = view.list.horizontalHeader()

    def press(part: RulesColumn) -> None:
        at = QPoint(header.sectionViewportPosition(part) + 20, header.height() // 2)
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)

    press(RulesColumn.RECORDS)
    rules = view.table.rules
    assert rules is not None
    weights = [float(rules.decided_by(rule).sum()) for rule in rows(view)]
    assert weights == sorted(weights)
    press(RulesColumn.RECORDS)
    assert [float(rules.decided_by(rule).sum()) for rule in rows(view)] == sorted(weights, reverse=True)
    press(RulesColumn.RIGHT)
    shares = [view.table.right_share(rule) for rule in rows(view)]
    assert shares in (sorted(shares), sorted(shares, reverse=True))
    press(RulesColumn.NUMBER)
    assert rows(view)[0] in (0, DEFAULT_RULE)


@pytest.mark.parametrize("part", [RulesColumn.RECORDS, RulesColumn.RIGHT, RulesColumn.CLASS])
def test_a_rule_keeps_the_focus_where_the_rows_are_sorted(view: RuleSetView, part: RulesColumn) -> None:
    view.focus_rule(3)
    said = view.findChild(QLabel, "visualize.rules.detail").text()
    for order in (Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder):
        view.list.sortByColumn(int(part), order)
        assert view.focused_rule == 3
        assert [view.table.rule_of(index.row()) for index in view.list.selectionModel().selectedRows()] == [3]
    assert view.findChild(QLabel, "visualize.rules.detail").text() == said


def test_typing_shows_only_the_rules_that_say_so(view: RuleSetView) -> None:
    field = view.findChild(QLineEdit, "visualize.rules.find")
    field.setFocus()
    QTest.keyClicks(field, "colour = green")
    assert view.table.n_shown == 13
    assert all(wording.COLOUR_IS_GREEN in view.table.conditions(rule) for rule in rows(view))
    assert view.findChild(QLabel, "visualize.rules.found").text() == wording.found_of_41(13)
    QTest.keyClicks(field, "zz")
    assert view.findChild(QLabel, "visualize.rules.found").text() == wording.NO_RULE_SAYS_SO
    field.clear()
    assert view.table.n_shown == 41


def test_the_rule_in_focus_is_said_in_whole(view: RuleSetView) -> None:
    click(view, 2)
    words = view.findChild(QLabel, "visualize.rules.detail").text()
    assert words.startswith(wording.rule_on_number(3))
    assert wording.ASKED_AFTER_2 in words
    assert view.table.rules is not None
    counts = view.table.rules.decided_by(2)
    right, total = weight_text(counts[view.table.rules.decision_of(2)]), weight_text(counts.sum())
    assert wording.of_records_correct(right, total) in words, '"right about 50" reads as roughly 50'
    QTest.keyClick(view.list, Qt.Key.Key_Down)
    assert view.findChild(QLabel, "visualize.rules.detail").text().startswith("Rule 4: ")


def test_rules_are_filtered_by_class_and_by_what_they_decide(view: RuleSetView) -> None:
    classes = view.findChild(QComboBox, "visualize.rules.class")
    classes.setFocus()
    QTest.keyClicks(classes, "yes")
    rules = view.table.rules
    assert rules is not None
    assert rows(view) == [rule for rule in range(40) if rules.decision[rule] == 1]
    least = view.findChild(QSpinBox, "visualize.rules.least")
    least.setFocus()
    least.selectAll()
    QTest.keyClicks(least, "30")
    QTest.keyClick(least, Qt.Key.Key_Return)
    weights = rules.decided.sum(axis=1)
    assert rows(view) == [rule for rule in range(40) if rules.decision[rule] == 1 and weights[rule] >= 30]
    assert view.findChild(QLabel, "visualize.rules.found").text() == wording.found_of_41(view.table.n_shown)


def test_a_rule_is_put_out_of_sight_and_brought_back(view: RuleSetView) -> None:
    click(view, 2)
    QTest.keyClick(view.list, Qt.Key.Key_H)
    assert 2 not in rows(view)
    assert view.focused_rule == 3
    assert view.list.contextMenuPolicy() is Qt.ContextMenuPolicy.ActionsContextMenu
    next(entry for entry in view.list.actions() if entry.objectName() == "visualize.rules.hide").trigger()
    count = view.findChild(LinkLabel, "visualize.rules.found")
    assert count.isVisible() and [words for _target, words in count.links()] == [wording.SHOW_2_HIDDEN]
    follow_link(count, HIDDEN)
    assert rows(view) == [*range(40), DEFAULT_RULE]
    assert not count.isVisible()


def test_what_a_rule_inherits_is_said_on_request(view: RuleSetView) -> None:
    said = view.findChild(QPlainTextEdit, "visualize.rules.inherits")
    click(view, 1)
    assert not said.isVisible()
    view.findChild(QAction, "visualize.rules.whole").trigger()
    assert said.isVisible()
    assert said.toPlainText().splitlines()[0].startswith(wording.rule_on_number(2))
    assert not view.findChild(QLabel, "visualize.rules.detail").isVisible()
    assert said.toPlainText().splitlines()[-1] == learners_wording.ONE_RULE_CANNOT_FIRE
    view.focus_rule(3)
    assert wording.NOT_RULE_1 in said.toPlainText()


def test_enter_chooses_a_rule_and_ctrl_c_copies_them_all(view: RuleSetView) -> None:
    asked: list[int] = []
    view.rule_chosen.connect(lambda rule, _how: asked.append(rule))
    click(view, 0)
    QTest.keyClick(view.list, Qt.Key.Key_Down)
    QTest.keyClick(view.list, Qt.Key.Key_Return)
    assert asked == [0, 1]
    QTest.keyClick(view.list, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 42
    assert lines[0].split("\t")[:6] == ["rule", "if", "then", "covers", "decides", "right"]
    assert lines[-1].split("\t")[:2] == [wording.THE_DEFAULT_RULE, "otherwise"]


def test_where_there_is_little_room_the_conditions_keep_theirs(view: RuleSetView) -> None:
    view.resize(520, 400)
    assert view.list.columnWidth(RulesColumn.CONDITIONS) >= 200
    assert view.list.isColumnHidden(RulesColumn.CLASSES)
    for column in (RulesColumn.RECORDS, RulesColumn.RIGHT):
        assert not view.list.isColumnHidden(column), "its number needs no bar"
        header = view.list.horizontalHeader()
        heading = header.fontMetrics().horizontalAdvance(view.list.model().heading(column))
        assert view.list.columnWidth(column) > heading, "its head is whole"
    assert sum(map(view.list.columnWidth, RulesColumn)) <= view.list.viewport().width() + view.list.columnWidth(
        RulesColumn.CLASSES
    )
    how = view.findChild(QLabel, "visualize.rules.how")
    assert wording.A_FULL_BAR not in how.text()
    view.resize(880, 400)  # as 1280 pixels at a text size of 1.5
    assert not view.list.isColumnHidden(RulesColumn.CLASSES)
    assert view.list.columnWidth(RulesColumn.CONDITIONS) >= 260
    assert wording.A_FULL_BAR in how.text()


def test_the_words_of_many_rules_are_made_beside_the_window(window: MainWindow, wait_until: Wait) -> None:
    view = RuleSetView(window.session.jobs)
    view.resize(1200, 800)
    view.show()
    view.set_structure(many(5000))
    assert not view.search.isEnabled()
    assert view.list.grab().width() > 0  # the rules in sight are there at once
    wait_until(view.search.isEnabled, 30)
    view.search.setText("colour = red")
    assert view.table.n_shown == 1667
    view.hide()
    view.deleteLater()


def test_few_rules_are_searched_at_once_after_many_whose_words_were_being_made(window: MainWindow) -> None:
    view = RuleSetView(window.session.jobs)
    view.set_structure(many(5000))
    assert not view.search.isEnabled()
    view.set_structure(many(40))
    assert view.search.isEnabled()
    view.deleteLater()


@pytest.mark.parametrize("column", [RulesColumn.RECORDS, RulesColumn.RIGHT])
def test_a_tick_marks_the_end_of_a_full_bar(view: RuleSetView, column: RulesColumn) -> None:
    """On a bar that is not full nothing but a faint ground showed where 100% is."""
    rows = view.list
    for row in range(4):
        area = rows.visualRect(rows.model().index(row, column))
        image = rows.viewport().grab(area).toImage()
        dim = current_theme().color("dim").rgb()
        ticks = [
            x
            for x in range(image.width() // 2, image.width())
            if sum(image.pixel(x, y) == dim for y in range(image.height())) > themes.px(BAR)
        ]
        assert len(ticks) == 1 and ticks[0] > image.width() - 2 * GAP


def test_it_is_painted_in_both_themes(qapp: QApplication, view: RuleSetView) -> None:
    painted = set()
    themes.install(qapp, LIGHT_NAME)
    try:
        for choice in (LIGHT_NAME, DARK_NAME):
            themes.choose(choice)
            QApplication.sendPostedEvents()
            image = view.list.grab().toImage()
            painted.add(image.pixelColor(image.width() // 3, image.height() // 2).lightness() > 127)
            assert len({image.pixel(x, y) for x in range(0, image.width(), 3) for y in range(40, 400, 5)}) > 8
    finally:
        themes.choose(LIGHT_NAME)
    assert painted == {True, False}


# ---- in the window ---------------------------------------------------------------------------------------------------


def test_a_chosen_rule_selects_the_records_that_it_decides(
    window: MainWindow, shown: RuleSetView, wait_until: Wait
) -> None:
    session = window.session
    run = session.current_run
    assert run is not None and run.trained is not None
    model = run.trained.model
    assert isinstance(model, RuleModel)
    first = RuleMatcher(model.rules).first(run.data)
    for row, rule in ((0, 0), (shown.table.n_shown - 1, DEFAULT_RULE)):
        click(shown, row)
        expected = np.flatnonzero(first == rule).tolist()
        wait_until(lambda expected=expected: session.selection.rows_of(run.data).tolist() == expected, 20)
        assert expected


def test_records_of_a_rule_that_is_no_more_in_view_are_not_selected(
    window: MainWindow, shown: RuleSetView, wait_until: Wait
) -> None:
    session = window.session
    records = window.findChild(RuleRecords)
    shown.rule_chosen.emit(0, SelectionMode.REPLACE)
    assert session.jobs.running
    records.show_run(None)
    wait_until(lambda: not session.jobs.running, 20)
    assert len(session.selection) == 0


def test_the_rules_that_fire_for_a_selected_record_are_marked(
    window: MainWindow, shown: RuleSetView, wait_until: Wait
) -> None:
    session = window.session
    run = session.current_run
    assert run is not None and run.trained is not None
    assert isinstance(run.trained.model, RuleModel)
    matcher = RuleMatcher(run.trained.model.rules)
    decided = matcher.first(run.data)
    row = int(np.flatnonzero(decided == 0)[0])
    session.selection.select(run.data, np.array([row]))
    wait_until(lambda: shown.table.fired == tuple(matcher.fired(run.data, row).tolist()), 20)
    words = shown.findChild(QLabel, "visualize.rules.how").text()
    assert words.startswith(wording.rule_1_decides(row + 1))
    assert str(shown.table.index(0, 0).data()) == "1: decides"
    none = int(np.flatnonzero(decided == DEFAULT_RULE)[0])
    session.selection.select(run.data, np.array([none]))
    wait_until(lambda: shown.table.fired == (DEFAULT_RULE,), 20)
    session.selection.clear()
    wait_until(lambda: shown.table.fired == (), 20)


def test_the_verdict_and_what_stands_beside_know_rules(
    window: MainWindow, shown: RuleSetView, wait_until: Wait
) -> None:
    window.show_tab(1)
    wait_until(lambda: "The rules" in [found.text() for found in window.findChildren(QLabel)], 20)
    wait_until(lambda: any(found.isVisible() for found in window.findChildren(RulesList)), 20)
    window.show_tab(VISUALIZE)
    window.session.turns.finish()
    show_page(window, "explain")
    said = window.findChild(QLabel, "visualize.what-if.said")
    assert said is not None
    wait_until(lambda: said.text().startswith(tabs_visualize_wording.WOULD_SAY), 30)
    ways = window.findChild(QLabel, "visualize.what-if.ways").text()
    assert "decides: " in ways


def test_rules_are_taken_away_as_picture_drawing_and_table(view: RuleSetView, tmp_path: Path) -> None:
    for suffix, save in (
        ("png", view.export.save_picture),
        ("svg", view.export.save_picture),
        ("csv", view.export.save_csv),
    ):
        save(str(tmp_path / f"rules.{suffix}"))
    assert not QImage(str(tmp_path / "rules.png")).isNull()
    assert ElementTree.parse(tmp_path / "rules.svg").getroot().tag.endswith("svg")
    with (tmp_path / "rules.csv").open(newline="") as file:
        lines = list(csv.reader(file))
    rules = view.table.rules
    assert rules is not None
    assert len(lines) == 42
    assert [float(cell) for cell in lines[5][3:5]] == [rules.covered[4].sum(), rules.decided[4].sum()]


def test_too_many_rules_for_a_picture_are_refused_in_words(view: RuleSetView) -> None:
    view.set_structure(many(600))
    with pytest.raises(DataError, match=wording.TOO_MANY_FOR_PICTURE):
        view.export.exported.drawing()


# ---- overlaps and gaps -----------------------------------------------------------------------------------------------


def test_whether_rules_overlap_or_leave_gaps_is_said_and_shown(
    window: MainWindow, shown: RuleSetView, wait_until: Wait
) -> None:
    session = window.session
    run = session.current_run
    assert run is not None and run.trained is not None and isinstance(run.trained.model, RuleModel)
    wait_until(lambda: shown.logic.answer is not None, 20)
    here = on_data(run.trained.model.rules, run.data)
    said = shown.findChild(LinkLabel, "visualize.rules.exhaustive")
    assert said.text().startswith(wording.not_exhaustive(len(here.none)))
    assert [words for _target, words in said.links()] == [f"Select {len(here.none)} records"]
    press_link(said)
    assert session.selection.rows_of(run.data).tolist() == here.none.tolist()
    assert session.selection.sources == (wording.SOURCE_MEETS_NO_RULE,)


def test_rules_are_found_by_a_bound_with_and_without_its_thousands(view: RuleSetView) -> None:
    rules = many(40)
    low = np.where(np.arange(rules.n_conditions) == 0, 12500.25, rules.low)
    view.set_structure(replace(rules, low=low))
    for words in (">= 12500", "≥ 12,500.25"):
        view.table.look_for(words)
        assert [view.table.rule_of(row) for row in range(view.table.n_shown)] == [0]


def test_a_record_that_could_be_is_looked_at(window: MainWindow, shown: RuleSetView, wait_until: Wait) -> None:
    wait_until(lambda: shown.logic.answer is not None, 20)
    wait_until(lambda: window.findChild(QLabel, "visualize.what-if.said") is not None, 30)
    rules = shown.table.rules
    assert rules is not None
    first = int(rules.attribute[0])
    gap = CounterExample(((first, 4.25),), ())
    shown.logic.show_answer(
        rules,
        DataOverlap(150, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)),
        WholeSpaceFindings(False, False, CounterExample(((first, 1.25),), (0, 1)), gap),
    )
    press_link(shown.findChild(QLabel, "visualize.rules.exhaustive"))
    name = rules.schema.attributes[first].name
    assert shown.findChild(QLabel, "visualize.rules.how").text() == wording.no_rule_fires(name)
    assert shown.table.fired == (DEFAULT_RULE,)
    pane = window.findChild(WhatIfPane)
    index = window.session.data.schema.index_of(name) if window.session.data is not None else -1
    wait_until(lambda: pane.form.values.get(index) == 4.25, 20)


def test_rules_are_saved_as_a_spreadsheet_and_for_other_programs(
    window: MainWindow, shown: RuleSetView, wait_until: Wait, tmp_path: Path
) -> None:
    words = [action.text() for action in shown.export.menu.actions()]
    assert wording.SAVE_SPREADSHEET in words
    run = window.session.current_run
    path = tmp_path / "rules.xlsx"
    shown.export.save_file(str(path), partial(write_rules, lambda: None if run is None else run.trained))
    wait_until(lambda: path.exists() and not window.session.jobs.running, 30)
    rows = load_workbook(path)
    rules = shown.table.rules
    assert rules is not None
    assert rows[0][:3] == ["rule", "if", "then"]
    assert [row[4] for row in rows[1:]] == [float(rules.decided_by(r).sum()) for r in (*range(rules.n_rules), -1)]
    programs = next(action.menu() for action in shown.export.menu.actions() if action.text() == "For other programs")
    assert "Save PMML..." in [action.text() for action in programs.actions()]


def load_workbook(path: Path) -> list[list[object]]:
    from python_calamine import CalamineWorkbook

    return CalamineWorkbook.from_path(str(path)).get_sheet_by_index(0).to_python()


def test_the_rule_that_decides_a_record_comes_into_focus_unless_another_that_fires_has_it(view: RuleSetView) -> None:
    view.focus_rule(3)
    view.set_fired((7, 12), "Record 5")
    assert view.focused_rule == 7
    view.focus_rule(12)
    view.set_fired((7, 12), "Record 5")
    assert view.focused_rule == 12
    view.set_fired(())
    assert view.focused_rule == 12


def test_a_later_rule_for_another_class_is_said_to_conflict(view: RuleSetView) -> None:
    rules = view.table.rules
    assert rules is not None
    other = next(rule for rule in range(8, 40) if rules.decision_of(rule) != rules.decision_of(7))
    view.set_fired((7, other), "Record 5")
    assert view.table.place_words(other) == wording.conflicting(other + 1), '"2 conflicts" reads as a count'
    assert [view.table.conflicts(rule) for rule in (7, other)] == [False, True], "only the later one is amber"
    how = view.findChild(QLabel, "visualize.rules.how")
    assert how is not None and wording.WOULD_CONFLICT in how.text()
    assert wording.FAINT_PART in how.text(), "the two shades of the bars are explained beside a record too"


def test_of_a_divided_record_no_single_rule_is_said_to_decide(view: RuleSetView) -> None:
    view.set_fired((7, 12), "Record 5", divided="A value is missing, so several rules decide a part: rule 8 60%")
    assert [view.table.place_words(rule) for rule in (7, 12)] == [wording.in_part(8), wording.in_part(13)]
    (how,) = view.findChildren(QLabel, "visualize.rules.how")
    assert how.text().startswith(wording.SEVERAL_RULES_DECIDE)
    view.set_fired((7, 12), "Record 6")
    assert view.table.place_words(7) == "8: decides"


def test_in_a_wide_window_the_class_of_a_rule_stays_near_its_conditions(stage: Stage, view: RuleSetView) -> None:
    """At 2,560 pixels the columns If and Then stood 1,800 apart, with no line to follow."""
    stage.show(view, 2560, 700)
    assert view.list.columnWidth(RulesColumn.CONDITIONS) == themes.px(WIDEST_CONDITIONS)
