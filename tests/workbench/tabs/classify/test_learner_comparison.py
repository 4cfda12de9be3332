"""The ranking of compared learners: its table, tests and words, and the runs taken from it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QFontMetricsF, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QStyleOptionViewItem, QTableView, QWidget

from algorithms.core.errors import DataError
from algorithms.evaluation.compare.comparison import BaselineVerdict, difference_from_best, signed_difference
from algorithms.evaluation.compare.multi_comparison import SIMULTANEOUS_MEANING
from algorithms.evaluation.compare.ranking import (
    BASELINE,
    By,
    _ranked_by,
    in_column,
    lead_sentence,
)
from algorithms.evaluation.compare.significance_tests import (
    SIMULTANEOUS,
    LeadVerdict,
    PairedLead,
)
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost
from algorithms.evaluation.methods.methods import CrossValidation, Holdout
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.text.numbers import MINUS, p_text, p_words, percent, percent_range, price
from tests.expected_texts import evaluation as evaluation_wording
from tests.expected_texts import tabs_classify as wording
from tests.workbench.stage import Stage
from tests.workbench.tabs.classify.compared_learners import (
    Knowing,
    Last,
    Many,
    OpenTab,
    Tried,
    compare,
    is_over,
    names,
    opened,
    tab_of,
    table,
    words,
)
from tests.workbench.toy import Plain
from tests.workbench.window_helpers import Wait, judged, part, press, small_data
from workbench.session import learner_comparison
from workbench.session.runs import RunState
from workbench.session.saving import PREDICT_BY_COST, PREDICT_NEW_DATA
from workbench.style.theme import LIGHT_NAME, themes
from workbench.tabs.classify.comparison_pane import TestsTable as TableOfTests
from workbench.tabs.classify.comparison_rows import (
    AS_EASY,
    AS_WELL,
    TITLES,
    ComparisonColumn,
    ComparisonRow,
    offered,
    rows_of,
)
from workbench.tabs.classify.comparison_rows import test_rows as rows_of_tests
from workbench.tabs.classify.comparison_rows import test_words as words_of_tests
from workbench.tabs.classify.run_summary import adjusted_words
from workbench.tabs.classify.runs_model import cost_sentence
from workbench.tabs.evaluate.compare_pane import ComparisonView
from workbench.tabs.evaluate.costs.cost_ranking import CostRankingModel
from workbench.widgets.tables import TIGHT

ACROSS = Qt.Orientation.Horizontal
PARTS = ("headline", "table", "offer.1", "details", "sentences", "caveat")


def test_a_tab_that_is_made_after_a_comparison_was_restored_shows_its_ticks_and_opens_its_runs(
    tried: Tried, stage: Stage, wait_until: Wait
) -> None:
    """Options of one learner stood beside the ranking, and *Open run* only set them."""
    session, _ = tried
    later = tab_of(session, stage)
    session.turns.finish()
    assert later.is_comparing and later.ranking.isVisible()
    press(later, "classify.several.open")
    session.turns.finish()
    assert not later.is_comparing and not later.ranking.isVisible()


@pytest.mark.parametrize("more", [Plain, Many])
def test_nothing_of_the_ranking_overlaps_in_a_low_tab(
    compared_tab: OpenTab, wait_until: Wait, more: type[Plain]
) -> None:
    session, tab = compared_tab(Knowing, more)
    tab.resize(900, 480)
    session.turns.finish()
    wait_until(lambda: tab.ranking.isVisible())
    tab.ranking.details.click()
    inside = tab.ranking.table.parentWidget()

    def places() -> list[QRect]:
        seen = (tab.findChild(QWidget, f"classify.several.{name}") for name in PARTS)
        return [QRect(shown.mapTo(inside, QPoint()), shown.size()) for shown in seen]

    wait_until(lambda: all(above.bottom() < below.top() for above, below in pairwise(places())))
    wait_until(lambda: places()[-1].bottom() < inside.height())
    parts = [tab.findChild(QLabel, f"classify.several.{name}") for name in ("headline", "sentences", "caveat")]
    assert all(words.height() >= words.heightForWidth(words.width()) for words in parts)
    table(tab).setFocus()
    QTest.keyClick(table(tab), Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    last = table(tab).visualRect(table(tab).model().index(len(names(tab)) - 1, 0))
    wait_until(lambda: table(tab).viewport().visibleRegion().boundingRect().contains(last))
    header = table(tab).horizontalHeader()
    words = [
        header.fontMetrics().horizontalAdvance(header.model().headerData(at, ACROSS)) for at in range(header.count())
    ]
    seen = [at for at in range(1, header.count()) if not header.isSectionHidden(at)]
    assert all(header.sectionSize(at) >= words[at] + 12 for at in seen)


def test_in_a_narrow_table_the_name_has_the_room_and_what_is_said_of_it_stands_below(
    tried: Tried, wait_until: Wait
) -> None:
    _, tab = tried
    seen = table(tab)
    for width, is_narrow in ((300, True), (500, False)):
        seen.setFixedWidth(width)
        wait_until(lambda is_narrow=is_narrow: seen.is_narrow is is_narrow)
        shown = [seen.name_in(row, seen.columnWidth(0)) for row in seen.model_.rows]
        assert shown == [f"{row.learner} (run {row.run.number})" for row in seen.model_.rows if row.run is not None]
    assert "significantly worse" in seen.model_.as_text("\t")


def test_a_row_shows_no_more_lines_than_it_has_room_for_and_gets_the_room(
    tried: Tried, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = "A tree with a name that is long, questions in a row 3"
    monkeypatch.setattr(ComparisonRow, "learner", whole)
    seen = table(tried[1])
    seen.setFixedWidth(320)
    wait_until(lambda: seen.is_narrow)
    seen.measure()
    row, high = seen.model_.rows[0], seen.rowHeight(0)
    assert row.run is not None
    name = f"{wording.LONG_NAME} (run {row.run.number})"
    assert seen.lines_in(row, high) == [name, wording.QUESTIONS_IN_A_ROW_3, "recommended"]
    assert seen.name_in(row, 60) == name and seen.name_in(row, 900) == f"{whole} (run {row.run.number})"
    assert [len(seen.lines_in(row, high - below)) for below in (1, high // 2)] == [2, 1]
    seen.verticalHeader().resizeSection(0, high // 2)
    seen.viewport().repaint()
    wait_until(lambda: seen.rowHeight(0) == high)


def test_the_result_of_one_run_gives_way_to_the_ranking(opened_tab: OpenTab, wait_until: Wait) -> None:
    session, tab = opened_tab(Knowing)
    assert tab.verdict.isVisible()
    compare(tab)
    wait_until(lambda: is_over(session) and not tab.verdict.isVisible())
    assert tab.several.hasFocus(), "the button to stop took the keys, and gave them back"
    press(tab, "classify.compare.back")
    wait_until(lambda: tab.verdict.isVisible() and not tab.ranking.isVisible())


def test_the_row_of_one_that_is_set_aside_for_how_it_ranks_the_records_says_so(tried: Tried) -> None:
    trial = tried[0].analyses.comparison.current
    ranking = trial.ranking
    best, other = ranking.standings[:2]
    paired, key = replace(other.lead.paired, difference=0.3), other.contender.key
    chance = replace(other, lead=replace(other.lead, corrected=0.5), above_baseline=None)
    areas = [f"{place.contender.report.auc:.3f}" for place in (other, best)]
    for corrected, beside in ((0.012, wording.AUC_SURELY_LOWER), (0.1, wording.NOT_SIGNIFICANTLY_WORSE)):
        lead = PairedLead(paired, 0.01, corrected, 10)
        trial.ranking = replace(ranking, standings=(best, chance), area_leads={key: lead})
        row = rows_of(trial)[1]
        assert row.beside == beside
        assert wording.not_recommended_by_auc(*areas, lead.chance_words()) in row.explanation


def test_a_time_that_is_not_known_yet_is_not_shown(tried: Tried) -> None:
    """A run whose folds were all tested, but which had not ended, had a time of 0 ms."""
    session, tab = tried
    model = table(tab).model_
    row = next(place for place, row in enumerate(model.rows) if row.run is session.runs[0])
    assert model.text(row, ComparisonColumn.TIME)
    session.ledger.update(session.runs[0], seconds=0.0)
    assert model.text(row, ComparisonColumn.TIME) == ""


def test_the_compared_runs_are_parts_in_turn_whose_paces_tell_the_time_left(tried: Tried) -> None:
    session, _ = tried
    trial = session.analyses.comparison.current
    parts = trial.job.context.parts_in_turn()
    assert len(parts) == len(trial.entries) and {part.done for part in parts} == {1.0}
    assert sum(part.weight for part in parts) == pytest.approx(1.0)


def test_a_click_or_an_arrow_key_on_a_row_brings_its_run_into_view(tried: Tried, wait_until: Wait) -> None:
    session, tab = tried
    view = table(tab)
    at = view.visualRect(view.model().index(1, 0)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert session.current_run is session.runs[0]
    wait_until(lambda: ZeroR.name in tab.findChild(QLabel, "classify.about").text())
    QTest.keyClick(view, Qt.Key.Key_Up)
    assert session.current_run is session.runs[1]
    assert view.currentIndex().row() == 0


def test_the_best_and_the_easiest_to_read_are_offered_with_the_verdict_of_the_ranking(compared_tab: OpenTab) -> None:
    session, tab = compared_tab(Knowing, Last)
    session.turns.finish()
    first, second = tab.ranking.cards
    assert first.isVisible() and not second.isVisible(), "the simpler of two equals is both"
    assert first.run is session.runs[1]
    trial = session.analyses.comparison.current
    ranking = trial.ranking
    ranking.__dict__["recommended"] = other = ranking.standings[1]
    best, simplest = offered(trial, "yes")
    assert other.verdict is LeadVerdict.NEGLIGIBLE and other.verdict.value in simplest.sentences
    assert [best.run, simplest.run] == [trial.entry_of(place.contender).run for place in (ranking.best, other)]
    assert wording.only_rival(2, other.contender.name) in best.sentences
    ranking.__dict__["recommended"] = ranking.best
    [alone] = offered(trial, "yes")
    assert alone.sentences.endswith(lead_sentence(ranking.best.contender, other, By.RIGHT))
    counts = ranking.best.contender.report.per_class[0].counts
    assert best.sentences.startswith(wording.yes_missed(f"{counts.fn:.0f}", f"{counts.tp + counts.fn:.0f}"))
    assert alone.title.endswith(AS_WELL)
    easy = replace(other.contender, burden=ranking.best.contender.burden)
    object.__setattr__(other, "contender", easy)
    [alone] = offered(trial, "yes")
    assert alone.title == TITLES[By.RIGHT] and alone.sentences.endswith(wording.equally_easy(easy.name))
    lowest = ranking.learners[-1]
    assert lowest.contender.burden == 0, "only the baseline is easier to read"
    for place in (other, ranking.best):
        object.__setattr__(place, "contender", replace(place.contender, burden=easy.burden + 2))
    object.__setattr__(lowest, "contender", replace(lowest.contender, burden=1))
    [alone] = offered(trial, "yes")
    assert alone.title.endswith(AS_EASY)
    tab.ranking.open.setFocus()
    press(tab, "classify.several.open")
    assert tab.window().focusWidget() is tab.show_ranking and tab.show_ranking.isVisible()
    assert session.current_run is session.runs[1] and tab.learner() == Knowing()
    assert not tab.is_comparing and trial.is_away


def test_with_costs_they_are_ranked_by_what_a_record_costs_as_on_the_costs_page_and_in_the_verdict(
    tried: Tried, wait_until: Wait
) -> None:
    session, tab = tried
    classes = session.runs[0].report.classes
    session.set_costs(CostMatrix(classes, ((0.0, 3.0), (40.0, 0.0))))
    wait_until(lambda: evaluation_wording.RANKED_BY_COST in words(tab, "sentences"))
    head = table(tab).model().headerData(ComparisonColumn.FIGURE, ACROSS)
    assert head == evaluation_wording.LEAST_EXPECTED_COST, "Runs shows the cost under the rule in force"
    bold = QFontMetricsF(themes.font(12.5, bold=True))
    assert all(
        bold.horizontalAdvance(row.figure_words) + 12 <= table(tab).columnWidth(1) for row in table(tab).model_.rows
    )
    rows = {row.entry.run: row for row in table(tab).model_.rows}
    for run, row in rows.items():
        session.decisions.choose(run, ByCost())
        wait_until(lambda run=run: session.decisions.reports.cost_per_record(run) is not None)
        assert row.figure == session.decisions.reports.cost_per_record(run)
        assert row.figure_words == in_column(row.figure, By.COST), "with as many decimals as those above and below it"
        assert wording.costs_as_decided(price(row.figure)) in cost_sentence(run, session)
    board = CostRankingModel(session)
    board.weigh()
    assert {run: rows[run].figure for run in board.ranked.runs} == {
        run: held.cheapest.mean for run, held in zip(board.ranked.runs, board.ranked.standings, strict=True)
    }
    session.set_costs(None)
    wait_until(lambda: evaluation_wording.RANKED_BY_RIGHT in words(tab, "sentences"))


@pytest.mark.parametrize("cost", [40.0, "40 * first"])
def test_costs_that_were_set_before_rank_every_learner(stage: Stage, wait_until: Wait, cost: float | str) -> None:
    session = opened(stage, Knowing)
    session.set_costs(CostMatrix(session.classes, ((0.0, 3.0), (cost, 0.0))))
    trial = session.analyses.comparison.start(CrossValidation(folds=2), 1)
    wait_until(lambda: is_over(session))
    assert [entry.run.state for entry in trial.entries] == [RunState.DONE] * 2
    assert trial.unfinished == "" and trial.ranking.by is By.COST and trial.costs == session.costs


def test_a_tip_names_the_run_and_is_wrapped_and_large_costs_do_not_overlap(tried: Tried, wait_until: Wait) -> None:
    session, tab = tried
    session.set_costs(CostMatrix(session.runs[0].report.classes, ((0.0, 30_000.0), (40_000.0, 0.0))))
    wait_until(lambda: evaluation_wording.RANKED_BY_COST in words(tab, "sentences"))
    session.turns.finish()
    model = table(tab).model_
    for row, shown in enumerate(model.rows):
        tip = model.tip(row, 0)
        assert tip.startswith(wording.tip_of_run(shown.run.number, shown.learner))
        assert max(map(len, tip.splitlines())) <= 90
    ends = QFontMetricsF(themes.font(11)).horizontalAdvance("".join(model.ends_of_axis()))
    usual = QFontMetricsF(themes.font(12.5))
    for shown in model.rows:
        assert usual.horizontalAdvance(shown.ends_words) + 12 <= table(tab).columnWidth(ComparisonColumn.INTERVAL)
    assert ends < table(tab).columnWidth(ComparisonColumn.AXIS) - 8
    assert not any("." in end for end in model.ends_of_axis())


def test_no_figure_of_the_ranking_is_cut_and_intervals_are_those_of_the_list_of_runs(tried: Tried) -> None:
    """ ">0.999" and "1 min 12 s" were cut, and an end of 100.0 was ">99.9"."""
    session, tab = tried
    model = table(tab).model_
    run = session.runs[0]
    session.ledger.update(run, seconds=72.0)
    long = replace(run.report, auc=0.9998, interval=(0.987, 0.99999))
    for row in model.rows:
        object.__setattr__(row.standing.contender, "report", long)
    table(tab).resize(760, 400)
    table(tab).measure()
    bold = QFontMetricsF(themes.font(12.5, bold=True))
    for column in (ComparisonColumn.INTERVAL, ComparisonColumn.OTHER, ComparisonColumn.TIME):
        texts = [model.text(row, column) for row in range(len(model.rows))]
        assert max(map(bold.horizontalAdvance, texts)) + 12 <= table(tab).columnWidth(column), texts
        assert not table(tab).isColumnHidden(column)
    assert model.text(0, ComparisonColumn.INTERVAL) == percent_range(0.987, 0.99999)
    table(tab).resize(660, 400)
    assert table(tab).isColumnHidden(ComparisonColumn.TIME) and not table(tab).isColumnHidden(ComparisonColumn.OTHER)


def test_every_compared_run_can_be_opened_and_back_shows_the_options_of_the_run_in_view(
    compared_tab: OpenTab, wait_until: Wait
) -> None:
    session, tab = compared_tab(Knowing, Last)
    session.turns.finish()
    button = part(tab, QPushButton, "classify.several.open")
    for row, kind in ((1, Last), (2, ZeroR)):
        table(tab).selectRow(row)
        session.turns.finish()
        assert type(session.current_run.learner) is kind
        assert button.text() == wording.open_run(session.current_run.number)
    asked: list[tuple[str, int]] = []
    session.saving_asked.connect(lambda what: asked.append((what, session.current_run.number)))
    chosen = session.current_run.number
    press(tab, "classify.several.predict")
    session.turns.finish()
    assert asked == [("ranked-file", chosen)] and tab.is_comparing, "new data in one click"
    ways = [button for button in tab.ranking.findChildren(QPushButton) if button.text() == PREDICT_NEW_DATA]
    assert len(ways) == 1
    table(tab).selectRow(2)
    session.turns.finish()
    press(tab, "classify.compare.back")
    assert tab.learner() == ZeroR() and not tab.is_comparing
    wait_until(lambda: tab.show_ranking.isVisible())
    press(tab, "classify.several.show")
    session.turns.finish()
    table(tab).selectRow(1)
    session.turns.finish()
    press(tab, "classify.several.open")
    assert tab.learner() == Last() and not tab.is_comparing


def test_a_run_taken_from_a_ranking_by_cost_keeps_the_rule_that_ranked_it(tried: Tried, wait_until: Wait) -> None:
    session, tab = tried
    session.set_costs(CostMatrix(session.runs[0].report.classes, ((0.0, 3.0), (40.0, 0.0))))
    wait_until(lambda: evaluation_wording.RANKED_BY_COST in words(tab, "sentences"))
    ranked_at = table(tab).model_.rows[0].figure
    assert table(tab).model_.heading(ComparisonColumn.FIGURE) == evaluation_wording.LEAST_EXPECTED_COST
    press(tab, "classify.several.open")
    run = session.current_run
    assert session.decisions.chosen(run) == ByCost()
    wait_until(lambda: session.decisions.reports.cost_per_record(run) is not None)
    assert session.decisions.reports.cost_per_record(run) == ranked_at
    assert session.messages.open[-1].sentence == wording.decides_by_cost(run.number)


def test_predicting_new_data_changes_no_rule_before_a_file_is_chosen(tried: Tried, wait_until: Wait) -> None:
    session, tab = tried
    session.set_costs(CostMatrix(session.runs[0].report.classes, ((0.0, 3.0), (40.0, 0.0))))
    wait_until(lambda: evaluation_wording.RANKED_BY_COST in words(tab, "sentences"))
    asked: list[str] = []
    session.saving_asked.connect(asked.append)
    steps, button = session.history.stack.count(), part(tab, QPushButton, "classify.several.predict")
    wait_until(lambda: button.text() == PREDICT_BY_COST)
    press(tab, "classify.several.predict")
    session.turns.finish()
    assert asked == ["ranked-file"] and session.history.stack.count() == steps
    assert [session.decisions.chosen(run) for run in session.runs] == [None] * len(session.runs)
    session.analyses.comparison.use_ranking_rule(session.current_run)
    assert session.decisions.chosen(session.current_run) == ByCost()
    wait_until(lambda: button.text() == PREDICT_NEW_DATA)  # the rule is that of the run now


def test_a_run_taken_from_a_ranking_by_cost_keeps_a_rule_of_its_own(tried: Tried, wait_until: Wait) -> None:
    session, tab = tried
    session.set_costs(CostMatrix(session.runs[0].report.classes, ((0.0, 3.0), (40.0, 0.0))))
    wait_until(lambda: evaluation_wording.RANKED_BY_COST in words(tab, "sentences"))
    own = AtThreshold(session.classes[1], 0.2)
    for run in session.runs:
        session.decisions.choose(run, own)
    wait_until(lambda: evaluation_wording.RANKED_BY_COST in words(tab, "sentences"))
    press(tab, "classify.several.open")
    assert session.decisions.chosen(session.current_run) == own


def test_the_baseline_has_a_row_of_its_own_where_it_was_not_trained(opened_tab: OpenTab, wait_until: Wait) -> None:
    session, tab = opened_tab(Knowing, Last)
    tab.learners.model.tick(frozenset((Knowing.id, Last.id)))
    compare(tab)
    wait_until(lambda: is_over(session))
    session.turns.finish()
    baseline = next(row for row in table(tab).model_.rows if row.entry is None)
    report = session.runs[0].report
    assert (baseline.learner, baseline.figure) == (
        wording.always_baseline(report.baseline_class),
        report.baseline_accuracy,
    )
    assert len(session.runs) == 2 and len(table(tab).model_.rows) == 3
    at = table(tab).model_.rows.index(baseline)
    QTest.mouseClick(
        table(tab).viewport(),
        Qt.MouseButton.LeftButton,
        pos=table(tab).visualRect(table(tab).model().index(at, 0)).center(),
    )
    assert session.current_run in session.runs, "the baseline has no run to show"


def test_the_page_of_a_compared_run_has_the_adjusted_verdict_beside_its_own(tried: Tried) -> None:
    """Its p alone was called significant, that of the comparison not, and neither said why."""
    session, _ = tried
    trial = session.analyses.comparison.current
    place = next(place for place in trial.ranking.learners if place.above_baseline is not None)
    run, n = trial.entry_of(place.contender).run, 5
    for corrected, verdict in ((0.001, "significant"), (0.2, "not significant")):
        places = [
            replace(of, above_baseline=replace(of.above_baseline, corrected=corrected, n_pairs=n))
            if of is place
            else of
            for of in trial.ranking.standings
        ]
        trial.ranking = replace(trial.ranking, standings=tuple(places))
        place = next(of for of in trial.ranking.learners if trial.entry_of(of.contender).run is run)
        assert adjusted_words(run, trial) == wording.adjusted_for(n, verdict, p_words(corrected))
    trial.ranking = replace(trial.ranking, by=By.COST)
    assert adjusted_words(run, trial) == f"{wording.P_OF_THIS_RUN_ALONE}."
    assert adjusted_words(run, None) == ""


def test_a_ranking_by_auc_shows_the_accuracy_beside_it_and_its_own_tests(tried: Tried) -> None:
    """AUC stood in two columns with a scale in percent; no test was named, nor that it is the mean of the folds."""
    session, tab = tried
    trial = session.analyses.comparison.current
    knowing, guess = (place.contender for place in trial.ranking.standings)
    baseline = replace(guess, key=BASELINE)
    trial.ranking = _ranked_by(By.AUC, [knowing, guess, baseline])
    tab.ranking.refresh()
    model = table(tab).model_
    heads = [model.heading(column) for column in ComparisonColumn]
    assert heads.count("Mean AUC") == 1 and "AUC" not in heads and "Accuracy" in heads
    assert model.text(0, ComparisonColumn.OTHER) == percent(knowing.report.accuracy)
    assert not any("%" in end for end in model.ends_of_axis())
    assert model.text(2, ComparisonColumn.INTERVAL) == "exact"
    tests = part(tab, QTableView, "classify.several.tests").model()
    assert tests.rowCount() == 3
    row = [tests.index(1, column).data() for column in range(tests.columnCount())]
    place = trial.ranking.standings[1]
    assert place.lead.n_pairs == 1 and "(95% CI)" in tests.headerData(2, Qt.Orientation.Horizontal)
    three = replace(place, lead=replace(place.lead, n_pairs=3))
    several = replace(trial.ranking, standings=(trial.ranking.standings[0], three, *trial.ranking.standings[2:]))
    assert SIMULTANEOUS in rows_of_tests(several)[0][2] and SIMULTANEOUS_MEANING in words_of_tests(several)
    assert evaluation_wording.FAMILY_OF_3 in words_of_tests(several)
    steps = replace(
        place.lead, paired=replace(place.lead.paired, difference=0.3), p_value=0.03, corrected=0.04, n_pairs=3
    )
    by_steps = replace(three, lead=steps)
    assert by_steps.lead.is_by_steps
    several = replace(several, standings=(*several.standings[:1], by_steps))
    assert words_of_tests(several).endswith(
        evaluation_wording.so_for(place.contender.name, p_words(steps.p_of_interval))
    )
    assert words(tab, "of-tests").startswith(evaluation_wording.CORRECTED_RESAMPLED_T)
    assert row[3:5] == [p_text(place.lead.corrected), p_text(place.lead.p_value)]
    assert row[1] == place.verdict.value
    difference = difference_from_best(place.lead, By.AUC)
    assert difference.difference < 0 and row[2] == signed_difference(difference, By.AUC) and row[2].startswith(MINUS)
    above = trial.ranking.standings[0].above_baseline
    words_of_best = f"{p_text(above.corrected)} {BaselineVerdict.of(above).mark}"
    assert [tests.index(0, column).data() for column in (5, 6)] == [words_of_best, p_text(above.p_value)]
    assert all(verdict.legend in words(tab, "of-tests") for verdict in BaselineVerdict)


@pytest.mark.parametrize("scale", [0.9, 1.0, 1.5])
def test_the_table_of_tests_cuts_no_number_and_breaks_names_before_it_cuts_them(
    stage: Stage, wait_until: Wait, qapp: QApplication, scale: float
) -> None:
    """An interval stood as "−15.9 points (…to −12.0)", which reads as another number."""
    themes.install(qapp, LIGHT_NAME)
    themes.set_scale(scale)
    try:
        tests = stage.show(TableOfTests("tests", "Tests"), round(760 * scale), 300)
        tests.setStyleSheet(TIGHT)
        head = ("Learner", "Verdict", "Difference from the best\n(95% CI)", "Adjusted\np", "p")
        row = (
            "Support vector machine, linear",
            LeadVerdict.NEGLIGIBLE.value,
            "−15.9 points (−19.7 to −12.0)",
            "0.063",
            "<0.001",
        )
        tests.show_rows([(*head, "Adjusted p\n(baseline)", "p\n(baseline)"), *[(*row, "<0.001 ▲", "<0.001")] * 3])
        for column in range(7):
            index, option = tests.model().index(0, column), QStyleOptionViewItem()
            tests.initViewItemOption(option)
            option.rect, option.widget = tests.visualRect(index), tests
            tests.itemDelegate().initStyleOption(option, index)
            shown = option.text.split("\u2028")
            assert " ".join(shown) == index.data() and (len(shown) == 2) is (column in (0, 1))
        assert tests.verticalScrollBar().maximum() == 0
    finally:
        themes.set_scale(1.0)


@pytest.mark.parametrize("width", range(500, 900, 100))
def test_the_table_of_tests_has_whole_headings_and_no_scroll_bar_of_rows(
    stage: Stage, wait_until: Wait, width: int
) -> None:
    """ "Adjusted p" was cut, and a horizontal scroll bar over the last row brought a vertical one.

    The verdict and what it follows from come first, and no column in view is cut.
    """
    tests = stage.show(TableOfTests("tests", "Tests"), width, 300)
    tests.setStyleSheet(TIGHT)
    head = ("Learner", "Verdict", "Difference from the best\n(simultaneous 95% CI)", "Adjusted\np", "p")
    row = ("C4.5 decision tree", "not significant", "−0.104 (−0.214 to 0.005)", "0.063", "0.008", "<0.001 ▲")
    tests.show_rows([(*head, "Adjusted p\n(baseline)", "p\n(baseline)"), *[(*row, "<0.001")] * 5])
    tests.setFixedHeight(tests.content_height())
    wait_until(lambda: not tests.verticalScrollBar().isVisible())
    metrics = tests.horizontalHeader().fontMetrics()
    for column in range(7):
        lines = str(tests.model().headerData(column, ACROSS)).split("\n")
        assert max(map(metrics.horizontalAdvance, lines)) <= tests.columnWidth(column), lines
    starts = [tests.columnViewportPosition(column) for column in range(7)]
    ends, room = [start + tests.columnWidth(at) for at, start in enumerate(starts)], tests.viewport().width()
    assert all(end <= room or start >= room for start, end in zip(starts, ends, strict=True)) and ends[2] <= room


def test_costs_that_could_not_be_ranked_by_do_not_keep_later_ones_from_being_so(
    tried: Tried, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, tab = tried
    classes, asked = session.runs[0].report.classes, []

    def failing(*_given: object) -> None:
        asked.append(True)
        raise DataError("What they cost could not be found.")

    with monkeypatch.context() as patched:
        patched.setattr(learner_comparison, "ranked_under", failing)
        session.set_costs(CostMatrix(classes, ((0.0, 3.0), (40.0, 0.0))))
        wait_until(lambda: bool(session.messages.open))
    assert asked == [True] and session.messages.open[-1].sentence == wording.COSTS_NOT_FOUND
    session.set_costs(CostMatrix(classes, ((0.0, 30.0), (4.0, 0.0))))
    wait_until(lambda: evaluation_wording.RANKED_BY_COST in words(tab, "sentences"))


def test_two_of_those_tried_are_compared_by_the_verdict_of_the_ranking(
    compared_tab: OpenTab, stage: Stage, wait_until: Wait
) -> None:
    session, _ = compared_tab(Many)
    trial = session.analyses.comparison.current
    assert trial is not None and trial.ranking is not None
    first, other = trial.ranking.best, trial.ranking.standings[-1]
    two = [trial.entry_of(each.contender).run for each in (first, other)]
    assert len(session.analyses.compared.tried_with(two)) == 15
    view = stage.show(ComparisonView(session.jobs, lambda: session.ask_for_tab("classify")), 900, 600)
    view.compare(two, session.analyses.compared.tried_with(two))
    said = part(view, QLabel, "evaluate.comparison.words")
    wait_until(lambda: bool(said.text()))
    assert other.lead is not None and other.lead.n_pairs == 105
    assert other.lead.chance_words().removesuffix(")") in said.text()
    alone = judged(session, wait_until, ZeroR(), Holdout())
    assert session.analyses.compared.tried_with([two[0], alone]) == [two[0], alone]


def test_the_ranking_can_be_copied_and_put_away(tried: Tried) -> None:
    session, tab = tried
    QTest.keyClick(table(tab), Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0] == wording.HEAD_OF_COPIED_RANKING
    assert lines[1].startswith("Knowing\t")
    press(tab, "classify.compare.back")
    session.turns.finish()
    assert not tab.ranking.isVisible()
    assert len(session.runs) == 2


def test_a_ranking_that_was_put_away_is_shown_again_without_judging_anew(tried: Tried, wait_until: Wait) -> None:
    session, tab = tried
    show, before = tab.show_ranking, words(tab, "headline")
    assert not show.isVisible()
    press(tab, "classify.compare.back")
    session.turns.finish()
    wait_until(lambda: show.isVisible() and not tab.ranking.isVisible())
    assert show.text() == wording.SHOW_COMPARISON_OF_2 and show.hasFocus()
    QTest.keyClick(show, Qt.Key.Key_Return)
    wait_until(lambda: tab.ranking.isVisible() and not show.isVisible())
    assert words(tab, "headline") == before and len(names(tab)) == len(session.runs) == 2
    assert table(tab).hasFocus()
    press(tab, "classify.compare.back")
    session.turns.finish()
    session.remove_runs(*session.runs)
    assert not show.isVisible(), "nothing of it is left in the ledger"


def test_another_table_puts_the_ranking_away(tried: Tried) -> None:
    session, tab = tried
    session.set_document(small_data(40))
    session.turns.finish()
    assert session.analyses.comparison.current is None
    assert not tab.ranking.isVisible()


def test_a_ranking_of_an_older_table_says_so(tried: Tried) -> None:
    session, tab = tried
    session.set_used(["second"], False)
    session.turns.finish()
    assert wording.LEARNED_FROM_2_COLUMNS_NOW_1 in words(tab, "doubts")
