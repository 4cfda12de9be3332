"""Runs compared in words in the Evaluate tab, by mouse and keys."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from itertools import combinations, pairwise
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QGuiApplication, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QListWidget, QPushButton, QTableWidget
from scipy.special import betainc

from algorithms.evaluation.compare.comparison import WORSE_THAN_BASELINE, BaselineVerdict
from algorithms.evaluation.compare.multi_comparison import SIMULTANEOUS_MEANING, compare_over_rows
from algorithms.evaluation.compare.ranking import By, Contender, in_words
from algorithms.evaluation.compare.ranking import test_of_difference as the_test
from algorithms.evaluation.compare.significance_tests import (
    SIMULTANEOUS,
    FoldScores,
    LeadVerdict,
    SignificanceTest,
    mcnemar_exact,
    paired_by_records,
)
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import ByCost
from algorithms.evaluation.methods.methods import CrossValidation, TrainingSet
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.text.numbers import p_text, percent
from tests.expected_texts import evaluation as evaluation_wording
from tests.expected_texts import tabs_classify as tabs_classify_wording
from tests.expected_texts import tabs_evaluate as wording
from tests.workbench.stage import Stage
from tests.workbench.toy import Contrary, Plain
from tests.workbench.window_helpers import Wait, activate, finished_early, judged, press, small_data
from workbench.session.learner_comparison import ranked_under
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.evaluate.compare_pane import BASELINE, BY_THRESHOLD, STATISTICS, ComparisonView, statistic_of
from workbench.tabs.evaluate.tab import EvaluateTab
from workbench.viewers.charts import forest_plot
from workbench.viewers.charts.forest_plot import ForestPlot, ForestRow
from workbench.viewers.charts.significance_charts import CriticalDifference, words_above
from workbench.widgets.dialogs import Popover
from workbench.widgets.examples import FaintExample
from workbench.widgets.labels import elided
from workbench.widgets.painting import draw_text

TEN = CrossValidation()


@pytest.fixture
def session(stage: Stage) -> Session:
    return stage.session(small_data(60), Plain)


@pytest.fixture
def tab(session: Session, stage: Stage) -> EvaluateTab:
    return stage.show(EvaluateTab(session), 1100, 700)


def said(tab: EvaluateTab, name: str) -> str:
    return tab.findChild(QLabel, f"evaluate.comparison.{name}").text()


def compare(tab: EvaluateTab, *rows: int) -> None:
    """Turn to the page, and take away the ticks of these rows."""
    press(tab, "evaluate.page.compare")
    view = tab.findChild(ComparisonView)
    assert view is not None
    view.all_tests.setChecked(True)
    for row in rows:
        tick(tab, row)


def tick(tab: EvaluateTab, row: int) -> None:
    tab.findChild(QPushButton, "evaluate.compared.choose").setChecked(True)
    runs = tab.findChild(QListWidget, "evaluate.compared.runs")
    runs.setFocus()
    runs.setCurrentRow(row)
    QTest.keyClick(runs, Qt.Key.Key_Space)


def rows(tab: EvaluateTab) -> list[str]:
    table = tab.findChild(QTableWidget, "evaluate.comparison.tests")
    return [table.item(row, 0).text() for row in range(table.rowCount())]


def test_two_runs_are_compared_in_words_with_the_tests_under_them(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    judged(session, wait_until, ZeroR(), TEN)
    press(tab, "evaluate.page.compare")
    wait_until(lambda: said(tab, "headline") == wording.COMPARE_NEEDS_TWO_RUNS)
    asked: list[str] = []
    session.tab_asked.connect(asked.append)
    press(tab, "evaluate.comparison.start")
    example = tab.findChild(ComparisonView).findChild(FaintExample)
    assert asked == ["classify"] and example.isVisible()
    press(tab, "evaluate.page.performance")
    pages = ("performance", "compare", "costs", "diagnostics")
    places = {name: tab.findChild(QPushButton, f"evaluate.page.{name}") for name in pages}
    before = {name: button.geometry() for name, button in places.items()}
    judged(session, wait_until, Plain(), TEN)
    assert {name: button.geometry() for name, button in places.items()} == before
    compare(tab)
    wait_until(lambda: "Comparing" not in said(tab, "headline"))
    assert not example.isVisible()
    assert not tab.findChild(QListWidget, "evaluate.compared.runs").isVisible()
    words = said(tab, "headline") + said(tab, "words")
    assert wording.CANNOT_TELL_TWO_APART in words or wording.HIGHER_ACCURACY in words or "equivalent" in words
    assert wording.ACCURACY in said(tab, "words")
    assert said(tab, "words").endswith(wording.SHADED_BAND), "the band of the chart has a legend"
    assert rows(tab)[:2] == [evaluation_wording.CORRECTED_RESAMPLED_T, "Paired t"]
    table = tab.findChild(QTableWidget, "evaluate.comparison.tests")
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().startswith(wording.HEAD_OF_COPIED_TESTS)
    # what T, b and c are, in words and as a formula, is a click away, by Enter as well
    at = rows(tab).index("McNemar, exact")
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualItemRect(table.item(at, 1)).center())
    opened = tab.findChild(Popover)
    assert wording.DISCORDANT_COUNTS in opened.accessibleName()
    QTest.keyClick(opened, Qt.Key.Key_Escape)
    assert wording.SOURCE_OF_CORRECTED_T in table.item(0, 0).toolTip()


def test_with_costs_the_verdict_is_the_one_of_the_ranking_and_another_measure_can_be_chosen(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    """The page said that one run has the highest AUC, and the compared learners that none costs less."""
    runs = [judged(session, wait_until, learner, TEN) for learner in (ZeroR(), Plain(), Plain())]
    compare(tab)
    measure = tab.findChild(QComboBox, "evaluate.compared.by")
    wait_until(measure.isVisible)
    assert measure.currentData() is By.RIGHT
    session.set_costs(CostMatrix(session.classes, ((0.0, 1.0), (10.0, 0.0))))
    wait_until(lambda: measure.currentData() is By.COST)
    contenders = [
        Contender(key, run.learner.name, key, run.report, FoldScores.of(run.result)) for key, run in enumerate(runs)
    ]
    snapshot = session.analyses.comparison.cost_snapshot()
    words = in_words(ranked_under(snapshot, contenders, runs, int).ranking).headline
    assert wording.LESS_THAN_THE_BASELINE in words and wording.LESS_THAN_THE_BASELINE in said(tab, "headline")
    forest = tab.findChild(ForestPlot)
    assert {row.by for row in forest.rows} == {By.COST}
    assert forest.table_rows()[0][1] == wording.FOREST_BY_COST
    table = tab.findChild(QTableWidget, "evaluate.comparison.tests")
    assert [table.horizontalHeaderItem(column).text() for column in (2, 3)] == wording.P_VALUES
    p_values = [[table.item(row, column).text() for column in (2, 3)] for row in range(table.rowCount())]
    assert p_values[:2] == [[p_text(row.p_value), p_text(row.adjusted)] for row in forest.rows[1:]]
    measure.setCurrentIndex(measure.findData(By.AUC))
    measure.activated.emit(measure.currentIndex())
    assert wording.POOLED_AUC_IN_RUNS not in said(tab, "words")
    wait_until(lambda: forest.table_rows()[0][1] == "mean AUC")
    assert wording.POOLED_AUC_IN_RUNS in said(tab, "words"), "Runs had 0.702 beside 0.711 in the chart"
    assert all(evaluation_wording.CORRECTED_RESAMPLED_T[1:] in name for name in rows(tab))
    session.set_costs(None)
    wait_until(lambda: measure.findData(By.COST) < 0 and measure.currentData() is By.RIGHT)


def test_the_bold_name_of_the_best_run_is_not_cut_where_there_is_room(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = list[tuple[str, str]]()

    def noted(metrics: QFontMetricsF, name: str, *rest: object) -> str:
        written.append((name, elided(metrics, name, *rest)))
        return written[-1][1]

    monkeypatch.setattr(forest_plot, "elided", noted)
    forest = stage.show(ForestPlot("forest"), 1200, 200)
    names = [f"Logistic regression (run {number})" for number in (3, 4)]
    forest.rows = [
        ForestRow(names[0], 0.8, (0.7, 0.9)),
        ForestRow(names[1], 0.7, (0.6, 0.8), By.RIGHT, 0.1, (0.0, 0.2), 0.2, 0.2, LeadVerdict.CHANCE),
    ]
    forest.grab()
    assert {whole for whole, _ in written} == set(names) and all(whole == shown for whole, shown in written)


def test_an_arrow_below_the_rows_shows_where_a_far_baseline_lies_with_its_value_beside_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The value stood in the heading, far from an arrow between the intervals that nothing explained."""
    drawn = dict[str, QRectF]()

    def noted(painter: QPainter, place: QRectF, text: str, *style: object) -> None:
        drawn[text] = place
        draw_text(painter, place, text, *style)

    monkeypatch.setattr(forest_plot, "draw_text", noted)
    forest = stage.show(ForestPlot("forest"), 1200, 200)
    forest.rows = [
        ForestRow("Naive Bayes", 0.6, (0.59, 0.61), beside=BaselineVerdict.BETTER),
        ForestRow("C4.5", 0.59, (0.58, 0.6), By.RIGHT, 0.01, (0.0, 0.02), 0.2, 0.2, LeadVerdict.CHANCE),
    ]
    for baseline, is_left in ((0.2, True), (0.9, False)):
        forest._baseline = baseline
        image = forest.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
        pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
        words = drawn[f"baseline {percent(baseline)}"]
        ink = np.flatnonzero((pixels[round(words.top()) : round(words.bottom())] < 150).any(axis=0))
        ink = ink[ink < forest._headings[1][0]]  # without the other axis
        arrow = ink[(ink < words.left()) | (ink > words.right())]
        assert 0 < np.ptp(arrow) <= 3 * themes.px(forest_plot.ARROW)
        assert bool(arrow.max() < words.left()) is is_left
        assert words.top() >= themes.px(forest_plot.HEAD) + 2 * themes.px(forest_plot.ROW), "below the rows"
        assert f"baseline {percent(baseline)}" not in forest._headings[0][3]
        assert percent(baseline) in forest.tip_at(words.center())
    forest._baseline = 0.57
    forest.grab()
    assert forest._headings[0][3].startswith(f"dashed: baseline {percent(0.57)}")


def test_all_tests_are_shown_unasked_in_a_large_window_until_they_are_folded(
    stage: Stage, session: Session, wait_until: Wait
) -> None:
    runs = [judged(session, wait_until, learner, CrossValidation(folds=5)) for learner in (ZeroR(), C45())]
    view = stage.show(ComparisonView(session.jobs, lambda: None), 1200, 700)
    view.compare(runs)
    wait_until(view.forest.isVisible)
    assert not view.all_tests.isChecked() and not view.table.isVisible()
    view.resize(1200, 1300)
    wait_until(view.table.isVisible)
    assert view.all_tests.isChecked()
    view.resize(1200, 700)
    wait_until(lambda: not view.table.isVisible())
    view.resize(1200, 1300)
    wait_until(view.table.isVisible)
    view.all_tests.click()
    view.resize(1200, 1310)
    wait_until(lambda: not view.table.isVisible())
    assert not view.all_tests.isChecked()


def test_the_point_of_a_high_row_leaves_the_ends_of_a_short_interval_in_sight() -> None:
    low, high = forest_plot.ROW, forest_plot.MOST_ROW
    assert forest_plot.radius_of_point(low, 40) == forest_plot.DOT < forest_plot.radius_of_point(high, 40)
    assert all(forest_plot.radius_of_point(high, half) < half for half in (4, 5, 6, 9))


def test_the_ends_of_a_short_interval_are_painted_beside_its_point(stage: Stage) -> None:
    forest = stage.show(ForestPlot("forest"), 900, 400)
    forest.rows = [ForestRow("C4.5", 0.6, (0.2, 1.0)), ForestRow("CART", 0.6, (0.588, 0.612))]
    forest._measure()
    forest.grab()
    x, y = forest._x_of_value, forest_plot.HEAD + 1.5 * forest._row
    half = (x(0.612) - x(0.588)) / 2
    assert 4 < half < forest_plot.OF_ROW * forest._row, "the point of a longer interval would cover it"
    image = forest.grab().toImage()
    at_end, beside = (image.pixelColor(round(x(0.6) + half - 1), round(y + off)).lightness() for off in (0, -2))
    assert at_end < 128 < beside


@pytest.mark.parametrize("width", [380, 520, 900, 1800])
@pytest.mark.parametrize("by", list(By))
def test_the_axis_of_differences_says_from_which_run_and_which_side_is_worse(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, by: By, width: int
) -> None:
    """ "Difference, points" told neither."""
    drawn: list[str] = []
    monkeypatch.setattr(forest_plot, "draw_text", lambda _painter, _place, text, *_style: drawn.append(text))
    forest = stage.show(ForestPlot("forest"), width, 200)
    forest._by = by
    forest.rows = [
        ForestRow("Naive Bayes (run 7)", 0.95, (0.9, 0.99), by),
        ForestRow("ZeroR (run 2)", 0.6, (0.5, 0.7), by, -0.35, (-0.5, -0.2), verdict=LeadVerdict.REAL),
    ]
    forest.grab()
    worse = "worse →" if by is By.COST else "← worse"
    heads = [text for text in drawn if text.startswith("Difference from")]
    assert len(heads) == 1 or width < 900
    assert all("run 7" in head for head in heads)
    assert width < 900 or any(worse in text for text in drawn)
    for narrower in range(600, 1400, 40):
        drawn.clear()
        forest.resize(narrower, 200)
        forest.grab()
        has_axis = any(text.startswith("Difference from") for text in drawn)
        assert not has_axis or any(SIMULTANEOUS in text for text in drawn), "what the bars are stands at every width"
        unit = forest_plot.MEASURES[by].unit
        heads = [text for text in drawn if text.startswith("Difference from")]
        assert narrower < 720 or (heads and all(unit in head for head in heads)), "and the unit, where there is room"
    forest._interval_name = "95% CI"
    drawn.clear()
    for narrower in range(600, 1100, 10):
        forest.resize(narrower, 200)
        forest.grab()
    assert any(text.endswith("95% CI") for text in drawn)
    assert not any(text.endswith("percentage points") for text in drawn), "the kind of interval is worth more room"
    if width == 1800:
        assert heads[0].endswith(SIMULTANEOUS) and ("percentage points" in heads[0]) is (by is By.RIGHT)


def test_the_rows_and_marks_of_the_forest_plot_take_the_room_of_a_high_window_up_to_a_maximum(stage: Stage) -> None:
    forest = stage.show(ForestPlot("forest"), 900, 100)
    forest.rows = [ForestRow(f"Learner {number}", 0.6, (0.5, 0.7)) for number in range(3)]
    forest._measure()
    least, most = (forest_plot.HEAD + 3 * row + forest_plot.FOOT for row in (forest_plot.ROW, forest_plot.MOST_ROW))
    heights = []
    for height in (100, (least + most) // 2, 2000):
        forest.resize(900, height)
        heights.append(forest.painted_height)
        last = forest_plot.HEAD + 2.5 * (forest.painted_height - forest_plot.HEAD - forest_plot.FOOT) / 3
        assert "Learner 2" in forest.tip_at(QPointF(10, last)) and not forest.tip_at(QPointF(10, last + 60))
    assert heights == [least, (least + most) // 2, most] and forest.height() == most


@pytest.mark.parametrize("width", range(300, 1200, 60))
def test_no_number_and_no_verdict_of_the_forest_plot_is_cut_nor_written_over_another(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    drawn = list[tuple[QRectF, str]]()

    def noted(painter: QPainter, place: QRectF, text: str, color: QColor, font: QFont, align: object) -> None:
        wide = QFontMetricsF(font).horizontalAdvance(text)
        assert wide <= place.width() + 1 or "…" in text, text
        if align == Qt.AlignmentFlag.AlignCenter:
            place = QRectF(place.center().x() - wide / 2, place.top(), wide, place.height())
        drawn.append((QRectF(place.left(), place.top(), wide, place.height()), text))

    monkeypatch.setattr(forest_plot, "draw_text", noted)
    forest = stage.show(ForestPlot("forest"), width, 200)
    worse = (0.62, 0.98), 0.02, 0.02, LeadVerdict.REAL
    forest.rows = [
        ForestRow("Naive Bayes", 0.95, (0.9, 1.0), beside=BaselineVerdict.BETTER),
        ForestRow("C4.5", 0.15, (0.1, 0.2), By.RIGHT, 0.8, *worse, beside=BaselineVerdict.WORSE),
    ]
    forest.grab()
    assert {"95.0%", "15.0%", "0.020", "▲", "▼", *(row.words for row in forest.rows)} <= {text for _, text in drawn}
    for (one, text), (other, beside) in combinations(drawn, 2):
        assert not one.intersects(other), (text, beside)


@pytest.mark.parametrize("width", range(300, 1200, 60))
def test_numbers_of_an_axis_have_the_same_decimals(stage: Stage, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    """An axis had "90%" beside "92.5%", and "0" beside "+2.5"."""
    drawn = list[tuple[float, str]]()

    def noted(_painter: QPainter, place: QRectF, text: str, _color: QColor, _font: QFont, align: object) -> None:
        if align == Qt.AlignmentFlag.AlignCenter:
            drawn.append((place.center().x(), text))

    monkeypatch.setattr(forest_plot, "draw_text", noted)
    forest = stage.show(ForestPlot("forest"), width, 200)
    forest.rows = [
        ForestRow("Naive Bayes", 0.94, (0.9, 0.98)),
        ForestRow("C4.5", 0.93, (0.89, 0.97), By.RIGHT, -0.01, (-0.04, 0.03), 0.2, 0.2, LeadVerdict.CHANCE),
    ]
    forest.grab()
    for is_share in (True, False):
        axis = [text.rstrip("%") for _, text in drawn if text.endswith("%") is is_share]
        assert len({len(text.partition(".")[2]) for text in axis}) <= 1, axis
        assert axis or width < 500, "a narrow chart has one axis"


def test_the_zero_of_an_axis_in_whole_steps_is_one_digit(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was "00" between "-20" and "+20"."""
    drawn = list[str]()
    monkeypatch.setattr(forest_plot, "draw_text", lambda _painter, _place, text, *_style: drawn.append(text))
    forest = stage.show(ForestPlot("forest"), 900, 200)
    forest.rows = [
        ForestRow("Naive Bayes", 0.94, (0.9, 0.98)),
        ForestRow("ZeroR", 0.6, (0.55, 0.65), By.RIGHT, -0.35, (-0.4, 0.1), 0.2, 0.2, LeadVerdict.CHANCE),
    ]
    forest.grab()
    assert "0" in drawn and "00" not in drawn


def test_runs_with_the_same_accuracy_are_tied_and_none_is_called_the_best(
    session: Session, stage: Stage, wait_until: Wait
) -> None:
    runs = [judged(session, wait_until, Plain(), TEN), judged(session, wait_until, Plain(), TEN)]
    view = stage.show(ComparisonView(session.jobs, int), 900, 500)
    view.compare(runs)
    wait_until(lambda: not view.is_comparing)
    assert [(row.is_tied, row.words) for row in view.forest.rows] == [(True, "tied")] * 2


def test_the_words_of_a_comparison_have_the_height_that_a_narrow_pane_needs(
    session: Session, stage: Stage, wait_until: Wait
) -> None:
    view = stage.show(ComparisonView(session.jobs, int), 440, 500)
    words = view.findChild(QLabel, "evaluate.comparison.words")
    words.setText("word " * 200)
    wait_until(lambda: words.height() >= words.heightForWidth(words.width()) > 0)


def test_a_measure_chosen_by_key_leaves_the_keyboard_in_the_drop_down(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    for learner in (ZeroR(), Plain(), Plain()):
        judged(session, wait_until, learner, TEN)
    compare(tab)
    measure, forest = tab.findChild(QComboBox, "evaluate.compared.by"), tab.findChild(ForestPlot)
    wait_until(measure.isVisible)
    measure.setFocus()
    chosen = measure.itemText(measure.currentIndex() + 1)
    before = forest.table_rows()[0][1]
    QTest.keyClick(measure, Qt.Key.Key_Down)
    assert "Comparing" in said(tab, "headline")
    assert measure.hasFocus() and measure.isVisible() and measure.currentText() == chosen
    wait_until(lambda: "Comparing" not in said(tab, "headline"))
    assert measure.hasFocus() and measure.currentText() == chosen and forest.table_rows()[0][1] != before


def test_it_is_said_that_thresholds_do_not_count_where_there_are_any(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    judged(session, wait_until, ZeroR(), TEN)
    run = judged(session, wait_until, Plain(), TEN)
    compare(tab)
    own = tab.findChild(QLabel, "evaluate.compared.own")
    session.set_costs(CostMatrix(session.classes, ((0.0, 1.0), (10.0, 0.0))))
    assert not own.isVisible()
    session.decisions.choose(run, ByCost())
    assert own.isVisible() and own.text() == BY_THRESHOLD


@pytest.mark.parametrize(("found", "words"), [(7.0, "T = 7"), (7671.0, "T = 7,671"), (10.6789, "T = 10.7")])
def test_a_statistic_is_written_out_however_large(found: float, words: str) -> None:
    assert statistic_of(SignificanceTest(evaluation_wording.WILCOXON, "T", found, 0.5, "Wilcoxon 1945")).text == words


def test_a_binomial_test_shows_both_counts_from_which_its_p_comes() -> None:
    """ "n = 12" read as 12 discordant records, where 24 were: 12 and 12."""
    assert statistic_of(mcnemar_exact(804, 3786)).text == wording.BOTH_DISCORDANT
    five = paired_by_records([1.0] * 5 + [0.0] * 95)
    test = the_test(five, By.RIGHT)
    assert five.p_value == pytest.approx(2 / 2**5), "the sign test; Z = 2.27 would give 0.023"
    assert statistic_of(test).text == wording.FIVE_WON and test.name in STATISTICS
    many = the_test(paired_by_records([1.0] * 3000 + [0.0] * 95), By.COST)
    assert many.symbol == "Z" and many.name in STATISTICS


@pytest.mark.parametrize("values", [[1.0] * 5 + [-1.0] * 4, [1.0] * 60 + [-1.0] * 40, [0.1] * 30 + [-5.0], [1.0] * 2])
def test_the_p_of_records_belongs_to_the_statistic_beside_it(values: list[float]) -> None:
    paired = paired_by_records([*values, *[0.0] * 100])
    test = the_test(paired, By.COST)
    if test.symbol == "Z":
        assert test.statistic is not None
        assert paired.p_value == pytest.approx(2 * NormalDist().cdf(-abs(test.statistic)))
    else:
        won, lost = (count for _, count in test.counts)
        assert paired.p_value == pytest.approx(min(1.0, 2 * betainc(max(won, lost), min(won, lost) + 1, 0.5)))


def test_what_did_not_meet_the_same_tests_is_left_out_until_it_is_ticked(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    for learner, seed in ((ZeroR(), 1), (Plain(), 2), (Plain(), 1)):
        judged(session, wait_until, learner, TEN, seed)
    compare(tab)
    runs = tab.findChild(QListWidget, "evaluate.compared.runs")
    assert [runs.item(row).checkState() is Qt.CheckState.Checked for row in range(3)] == [True, False, True]
    compare(tab, 0, 2)
    wait_until(lambda: said(tab, "headline") == "Which runs?")
    compare(tab, 1, 2)
    wait_until(lambda: wording.NOT_ON_SAME_TESTS in said(tab, "words"))


def test_several_runs_are_compared_with_the_best_and_ranked(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    for learner, seed in ((ZeroR(), 1), (Plain(), 1), (Plain(), 1)):
        judged(session, wait_until, learner, TEN, seed)
    compare(tab)
    wait_until(lambda: wording.FRIEDMAN in rows(tab))
    forest = tab.findChild(ForestPlot)
    assert forest is not None and forest.isVisible()
    assert [row.difference is None for row in forest.rows] == [True, False, False]
    assert [line[-1] for line in forest.table_rows()[1:]] == [row.words for row in forest.rows]
    assert SIMULTANEOUS in forest.table_rows()[0] and SIMULTANEOUS in forest.sentence(forest.rows[1])
    forest.grab()
    heading = next(left for left, _, own, _ in forest._headings if SIMULTANEOUS in own)
    assert forest.tip_at(QPointF(heading + 1, 1)).endswith(SIMULTANEOUS_MEANING)
    assert wording.CRITICAL_DIFFERENCE in rows(tab)
    assert "Tukey-Holm" in said(tab, "words")
    beside = [name for name in rows(tab) if wording.BESIDE_THE_BASELINE in name]
    assert len(beside) == 2, "ZeroR is the baseline of the two others"
    correction = tab.findChild(QComboBox, "evaluate.compared.correction")
    assert correction.isVisible() and correction.currentData() == "tukey-holm"
    correction.setCurrentIndex(correction.findData("bonferroni"))
    correction.activated.emit(correction.currentIndex())
    wait_until(lambda: "Bonferroni" in said(tab, "words"))


def test_it_is_told_and_marked_how_each_run_stands_beside_the_baseline(stage: Stage, wait_until: Wait) -> None:
    """Better, not clearly better, and worse are told apart in the plot, in the table of tests and in words."""
    data = small_data(160)
    session = stage.session(data.take(np.flatnonzero(~np.isin(np.arange(160) % 8, (1, 3)))), Plain, Contrary)
    tab = stage.show(EvaluateTab(session), 1100, 700)
    for learner in (C45(), Plain(), Contrary(), ZeroR()):
        judged(session, wait_until, learner, TEN)
    compare(tab)
    forest, verdicts = tab.findChild(ForestPlot), BaselineVerdict
    wait_until(lambda: len(forest.rows) == 4)
    beside = {row.name.partition(" (")[0]: row.beside for row in forest.rows}
    assert [beside[kind.name.partition(" (")[0]] for kind in (C45, Plain, Contrary, ZeroR)] == [*verdicts, None]
    worst = next(row for row in forest.rows if row.beside is verdicts.WORSE)
    assert worst.words == WORSE_THAN_BASELINE and verdicts.WORSE.value[2] in forest.sentence(worst)
    assert said(tab, "words").startswith(wording.significantly_worse(worst.name))
    table = tab.findChild(QTableWidget, "evaluate.comparison.tests")
    names = [(table.item(row, 0).text(), table.item(row, 3).text()) for row in range(table.rowCount())]
    marks = [adjusted[-1] for name, adjusted in names if f"against {BASELINE}" in name]
    assert sorted(marks) == sorted(verdict.mark for verdict in verdicts)


def test_a_run_finished_early_is_marked_where_it_is_compared(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    whole, early = judged(session, wait_until, ZeroR(), TEN), judged(session, wait_until, Plain(), TEN)
    early.result = finished_early(early.result, 3)
    press(tab, "evaluate.page.compare")
    runs = tab.findChild(QListWidget, "evaluate.compared.runs")
    told = [runs.item(at).data(Qt.ItemDataRole.AccessibleTextRole) for at in range(runs.count())]
    assert [text.endswith(tabs_classify_wording.only_folds(3, 10)) for text in told] == [
        run is early for run in (whole, early)
    ]
    wait_until(lambda: "Accuracy" in said(tab, "words") or "tested" in said(tab, "words"))
    assert said(tab, "words").startswith(wording.finished_early_by_3(early.learner.name, early.number))
    names = [row.name for row in tab.findChild(ForestPlot).rows]
    assert sorted(name.endswith(tabs_classify_wording.tested_folds(3, 10)) for name in names) == [False, True]


def test_the_page_of_a_run_finished_early_says_how_many_folds_are_tested(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    run = judged(session, wait_until, Plain(), TEN)
    run.result = finished_early(run.result, 3)
    session.set_class_of_interest(1)
    parts = tabs_classify_wording.tested_folds(3, 10)
    wait_until(lambda: parts in tab.confusion._facts.text())
    assert tab.curve.runs.item(0).data(Qt.ItemDataRole.AccessibleTextRole).endswith(parts)


def test_runs_judged_before_the_table_was_changed_are_named(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    judged(session, wait_until, ZeroR(), TEN)
    session.set_used(["second"], False)
    judged(session, wait_until, Plain(), TEN)
    press(tab, "evaluate.page.compare")
    wait_until(lambda: "Accuracy" in said(tab, "words"))
    assert said(tab, "words").startswith(wording.JUDGED_ON_AN_OLDER_TABLE)


def test_what_flatters_itself_is_not_compared_and_why_is_said(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    judged(session, wait_until, ZeroR(), TrainingSet())
    judged(session, wait_until, Plain(), TEN)
    compare(tab)
    assert said(tab, "headline") == "Which runs?"
    tick(tab, 0)
    wait_until(lambda: said(tab, "headline") == wording.CANNOT_BE_COMPARED)
    assert evaluation_wording.OWN_TRAINING_RECORDS in said(tab, "words")
    assert not tab.findChild(QTableWidget, "evaluate.comparison.tests").isVisible()


def test_several_runs_have_a_diagram_and_a_table_of_wins_and_both_can_be_saved(
    tab: EvaluateTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    for learner in (ZeroR(), Plain(), ZeroR()):
        judged(session, wait_until, learner, TEN)
    compare(tab, 2)
    pairs = tab.findChild(QTableWidget, "evaluate.comparison.pairs")
    diagram = tab.findChild(CriticalDifference, "evaluate.comparison.places")
    wait_until(lambda: "Comparing" not in said(tab, "headline"))
    assert not pairs.isVisible()
    assert not diagram.isVisible()
    tick(tab, 2)
    wait_until(pairs.isVisible)
    assert pairs.rowCount() == 3
    won, drawn, lost = ([int(pairs.item(row, column).text()) for row in range(3)] for column in (1, 2, 3))
    assert [sum(each) for each in zip(won, drawn, lost, strict=True)] == [10, 10, 10]
    named = {frozenset(pairs.item(row, 0).text().split(" : ")) for row in range(3)}
    assert named == {frozenset(pair) for pair in combinations("123", 2)}
    assert diagram.isVisible()
    wait_until(lambda: diagram.height() >= diagram.sizeHint().height() > 0)
    assert wording.CANNOT_BE_TOLD_APART in diagram.accessibleDescription()
    view = tab.findChild(ComparisonView)
    view.export.save_csv(str(tmp_path / "compared.csv"))
    view.export.save_picture(str(tmp_path / "compared.svg"))
    view.export.save_picture(str(tmp_path / "compared.png"))
    wait_until(lambda: not session.jobs.running)
    written = (tmp_path / "compared.csv").read_text(encoding="utf-8")
    assert written.startswith(said(tab, "headline"))
    assert "mean rank" in written and "Nemenyi p" in written and "Friedman" in written
    drawn_words = "".join(ElementTree.parse(tmp_path / "compared.svg").getroot().itertext())
    assert wording.APART_BY_MORE_THAN_LUCK in drawn_words and "(run 2)" in drawn_words
    assert not QImage(str(tmp_path / "compared.png")).isNull()


def test_all_tests_of_many_runs_scroll_with_the_page_and_not_inside_it(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    for learner in (ZeroR(), Plain(), ZeroR(), Plain(), ZeroR()):
        judged(session, wait_until, learner, TEN)
    compare(tab)
    view = tab.findChild(ComparisonView)
    wait_until(lambda: not view.is_comparing and view.table.rowCount() > 5)
    view.all_tests.setChecked(True)
    wait_until(lambda: view.table.isVisible() and view.pairs.rowCount() == 10)
    for table in (view.pairs, view.table):
        wait_until(lambda table=table: table.height() == table.content_height())
        bar = table.verticalScrollBar()
        assert bar.minimum() == bar.maximum() and not bar.isVisible()
    wait_until(lambda: view.table.parentWidget().height() > view.table.geometry().bottom())  # unfolded
    last = view.table.item(view.table.rowCount() - 1, 0)
    assert last.tableWidget().visibleRegion().boundingRect().bottom() < view.table.visualItemRect(last).bottom()
    activate(tab, wait_until)
    view.table.setFocus()
    view.table.setCurrentItem(last)
    wait_until(lambda: view.table.viewport().visibleRegion().contains(view.table.visualItemRect(last).center()))


def test_the_diagram_keeps_all_names_inside_whatever_their_length_and_number(tab: EvaluateTab) -> None:
    random = np.random.default_rng(1)
    names = [f"a learner with a name of some eighty characters that goes on and on, number {at}" for at in range(9)]
    overall = compare_over_rows(names, [str(at) for at in range(12)], random.random((12, 9)), test_share=0.1)
    diagram = CriticalDifference("diagram")
    diagram.show_comparison(overall)
    diagram.resize(420, diagram.sizeHint().height())
    laid_out = diagram._layout(420)
    assert laid_out is not None
    for placed in laid_out.names:
        box = diagram._box(placed, laid_out)
        assert 0 <= box.left() < box.right() <= 420
        assert 0 <= box.top() < box.bottom() <= diagram.height()
    metrics = QFontMetricsF(diagram.font())
    whole = metrics.horizontalAdvance(words_above(overall, 10_000, metrics))
    above = [words_above(overall, room, metrics) for room in (whole + 1, whole - 1, 1)]
    assert overall.bars and [words.partition("; ")[2] for words in above] == [*wording.KEYS_OF_BARS, ""]
    heights = sorted(placed.y for placed in laid_out.names if placed.on_left)
    assert all(b - a >= 14 for a, b in pairwise(heights))
    assert len(diagram.accessibleDescription()) > 9 * 60


def test_which_runs_are_compared_is_kept_with_the_project(
    tab: EvaluateTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    for learner in (ZeroR(), Plain(), ZeroR()):
        judged(session, wait_until, learner, TEN)
    compare(tab, 0)
    wait_until(lambda: wording.ACCURACY in said(tab, "words"))
    before = said(tab, "headline"), said(tab, "words"), rows(tab)
    path = tmp_path / "kept.coppice"
    session.saving.save_project(str(path))
    wait_until(lambda: path.exists() and not session.jobs.running)
    session.set_document(small_data(60, seed=3))
    session.turns.finish()
    assert not tab.findChild(QPushButton, "evaluate.page.compare").isChecked()
    session.open_file(path)
    wait_until(lambda: len(session.runs) == 3)
    session.turns.finish()
    wait_until(lambda: (said(tab, "headline"), said(tab, "words"), rows(tab)) == before)
    ticked = tab.findChild(QListWidget, "evaluate.compared.runs")
    assert [ticked.item(row).checkState() is Qt.CheckState.Checked for row in range(3)] == [False, True, True]


def test_all_are_compared_once_asked_for_in_a_project_that_still_has_ticks_of_curves(
    session: Session, wait_until: Wait
) -> None:
    runs = [judged(session, wait_until, learner, TEN) for learner in (ZeroR(), Plain(), ZeroR())]
    session.set_place(compared=[1])
    assert session.analyses.compared.runs() == [runs[0], runs[2]]
    session.analyses.compared.ask(None)
    assert session.analyses.compared.runs() == runs


def test_before_runs_are_ticked_what_to_do_stands_under_the_question(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    for learner in (ZeroR(), Plain()):
        judged(session, wait_until, learner, TEN)
    compare(tab, 1)
    session.turns.finish()
    headline = tab.findChild(QLabel, "evaluate.comparison.headline")
    words = tab.findChild(QLabel, "evaluate.comparison.words")
    wait_until(words.isVisible)
    assert said(tab, "headline") == "Which runs?"
    below = words.mapTo(tab, words.rect().topLeft()).y() - headline.mapTo(tab, headline.rect().bottomLeft()).y()
    assert 0 <= below < 30
