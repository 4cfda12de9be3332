"""Compare learners: a run for each learner on the same folds, ranked in words and in a table."""

from __future__ import annotations

import threading
from concurrent.futures import wait
from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QFontMetricsF, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QTableView, QWidget

from algorithms.core.errors import DataError
from algorithms.evaluation.compare.ranking import BASELINE, By, _ranked_by, in_column
from algorithms.evaluation.compare.significance_tests import SIMULTANEOUS, SIMULTANEOUS_MEANING, LeadVerdict
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost
from algorithms.evaluation.methods.methods import CrossValidation, Holdout
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.text.numbers import p_text, percent, price
from tests.expected_texts import evaluation as evaluation_wording
from tests.expected_texts import tabs_classify as wording
from tests.workbench.stage import Stage
from tests.workbench.tabs.classify.compared_learners import (
    GATE,
    WORK,
    Knowing,
    Last,
    Many,
    Slow,
    Steady,
    Unable,
    compare,
    is_over,
    names,
    opened,
    tab_of,
    table,
    words,
)
from tests.workbench.toy import Broken, Plain
from tests.workbench.window_helpers import Wait, judged, part, press, small_data
from workbench.session import learner_comparison
from workbench.session.learner_comparison import ComparisonEntry, Trial
from workbench.session.runs import RunState
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.classify.comparison_rows import ROW_ROLE, ComparisonColumn, ComparisonRow, offered, rows_of
from workbench.tabs.classify.comparison_rows import test_rows as rows_of_tests
from workbench.tabs.classify.comparison_rows import test_words as words_of_tests
from workbench.tabs.classify.runs_model import cost_sentence, options
from workbench.tabs.classify.tab import ClassifyTab
from workbench.tabs.evaluate.compare_pane import ComparePane, ComparisonView
from workbench.tabs.evaluate.costs.cost_ranking import CostRankingModel

ACROSS = Qt.Orientation.Horizontal
PARTS = ("headline", "table", "offer.1", "details", "sentences", "caveat")
Tried = tuple[Session, ClassifyTab]


@pytest.fixture
def tried(stage: Stage, wait_until: Wait) -> Tried:
    """A session whose two learners were tried, and the tab that shows how they stand."""
    session = opened(stage, Knowing)
    tab = tab_of(session, stage)
    compare(tab)
    wait_until(lambda: is_over(session))
    return session, tab


def test_each_learner_that_declares_itself_is_judged_on_the_same_folds(stage: Stage, wait_until: Wait) -> None:
    session = opened(stage, Knowing, Plain, Unable)
    tab = tab_of(session, stage)
    compare(tab)
    wait_until(lambda: is_over(session))
    assert [run.learner.id for run in session.runs] == ["zero-r", "knowing"]
    assert len({(run.method, run.seed) for run in session.runs}) == 1
    assert all(run.trained is not None for run in session.runs)
    first, second = (run.result for run in session.runs)
    assert first is not None and second is not None
    assert first.row_ids.tolist() == second.row_ids.tolist()
    assert names(tab) == ["Knowing", ZeroR.name]
    assert words(tab, "headline").startswith(wording.TAKE_KNOWING)
    assert wording.SIGNIFICANTLY_WORSE in [row.distance for row in table(tab).model_.rows]
    assert evaluation_wording.best_looks_better(2) in words(tab, "caveat")
    assert session.current_run is session.runs[1]


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
def test_nothing_of_the_ranking_overlaps_in_a_low_tab(stage: Stage, wait_until: Wait, more: type[Plain]) -> None:
    session = opened(stage, Knowing, more)
    tab = tab_of(session, stage)
    compare(tab)
    wait_until(lambda: is_over(session))
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
        longest = max(seen.fontMetrics().horizontalAdvance(f"21 · {name}") for name in names(tab))
        assert seen.columnWidth(0) > longest
    assert "significantly worse" in seen.model_.as_text("\t")


def test_a_row_shows_no_more_lines_than_it_has_room_for_and_gets_the_room(
    tried: Tried, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = "A tree with a name that is long, questions in a row 3"
    monkeypatch.setattr(ComparisonRow, "numbered", whole)
    seen = table(tried[1])
    seen.setFixedWidth(320)
    wait_until(lambda: seen.is_narrow)
    seen.measure()
    row, high = seen.model_.rows[0], seen.rowHeight(0)
    assert seen.lines_in(row, high) == [wording.LONG_NAME, wording.QUESTIONS_IN_A_ROW_3, "recommended"]
    assert [len(seen.lines_in(row, high - below)) for below in (1, high // 2)] == [2, 1]
    seen.verticalHeader().resizeSection(0, high // 2)
    seen.viewport().repaint()
    wait_until(lambda: seen.rowHeight(0) == high)


def test_the_result_of_one_run_gives_way_to_the_ranking(stage: Stage, wait_until: Wait) -> None:
    session = opened(stage, Knowing)
    tab = tab_of(session, stage)
    assert tab.verdict.isVisible()
    compare(tab)
    wait_until(lambda: is_over(session) and not tab.verdict.isVisible())
    assert tab.several.hasFocus(), "the button to stop took the keys, and gave them back"
    press(tab, "classify.compare.back")
    wait_until(lambda: tab.verdict.isVisible() and not tab.ranking.isVisible())


def test_the_row_of_one_that_is_set_aside_for_how_it_ranks_the_records_says_so(tried: Tried) -> None:
    trial = tried[0].analyses.comparison.current
    ranking = trial.ranking
    ranking.__dict__["poorer"] = ranking.standings[1:]
    row = rows_of(trial)[1]
    assert row.beside == wording.AUC_SURELY_LOWER
    areas = [f"{each.contender.report.auc:.3f}" for each in ranking.standings]
    assert wording.not_recommended_by_auc(areas[1], areas[0]) in row.explanation


def test_the_same_learner_alone_gives_the_same_numbers(tried: Tried, wait_until: Wait) -> None:
    session, _ = tried
    session.start_run(Knowing(), session.runs[1].method, session.runs[1].seed)
    wait_until(lambda: not session.runs[2].is_running)
    among, alone = session.runs[1].result, session.runs[2].result
    assert among is not None and alone is not None
    assert among.row_ids.tolist() == alone.row_ids.tolist()
    assert among.probabilities.tolist() == alone.probabilities.tolist()


def test_the_time_of_a_run_is_that_of_its_work_however_late_the_window_hears_of_it(
    stage: Stage, wait_until: Wait
) -> None:
    session = opened(stage, Steady)
    trial = session.analyses.comparison.start(CrossValidation(folds=2), 1)
    assert trial.job is not None and trial.job.future is not None
    wait([trial.job.future], timeout=60)  # the window handles no event meanwhile, then all of them at once
    wait_until(lambda: is_over(session))
    guess, steady = session.runs
    assert 2 * WORK <= steady.seconds <= trial.job.seconds and guess.seconds < trial.job.seconds - 2 * WORK


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


def test_one_that_fails_is_named_and_the_others_are_ranked(stage: Stage, wait_until: Wait) -> None:
    session = opened(stage, Knowing, Broken)
    tab = tab_of(session, stage)
    compare(tab)
    wait_until(lambda: is_over(session))
    assert names(tab) == ["Knowing", ZeroR.name, Broken.name]
    row = table(tab).model().index(2, 0).data(ROW_ROLE)
    assert row.beside == "failed"
    assert wording.IT_IS_BROKEN in row.sentence()
    assert session.runs[2].state is RunState.FAILED
    assert words(tab, "headline").startswith(wording.TAKE_KNOWING)


def test_stopping_keeps_and_ranks_what_is_judged(stage: Stage, wait_until: Wait) -> None:
    session = opened(stage, Knowing, Slow)
    tab = tab_of(session, stage)
    compare(tab)
    wait_until(lambda: len(session.runs) == 3)
    assert not tab.several.isEnabled()
    wait_until(lambda: words(tab, "headline") == wording.judged_so_far(2, 3))
    assert session.current_run is session.runs[0], "what came into view first stays there while others are tried"
    verdict = tab.findChild(QLabel, "classify.verdict")
    press(tab, "classify.several.stop")
    assert is_over(session)
    session.turns.finish()
    assert session.runs[2].state is RunState.STOPPED
    assert names(tab) == ["Knowing", ZeroR.name, "Slow"]
    assert table(tab).model().index(2, ComparisonColumn.BESIDE).data() == "stopped"
    assert words(tab, "failure") == wording.STOPPED_ONLY_JUDGED_RANKED
    assert evaluation_wording.RANKED_BY_RIGHT in words(tab, "sentences")
    assert tab.several.isEnabled()
    assert session.current_run is session.runs[1], "what is recommended is in view"
    session.set_current_run(session.runs[0])
    wait_until(lambda: verdict.text().startswith("Accuracy "))
    said = table(tab).model().index(0, 0).data(ROW_ROLE).explanation
    assert wording.MAY_BE_AS_RIGHT in said
    GATE.release(11)
    press(tab, "classify.several.again")
    wait_until(lambda: is_over(session) and not tab.ranking.failure.isVisible())
    assert [run.learner.id for run in session.runs] == ["zero-r", "knowing", "slow", "slow"]


def test_verdicts_are_provisional_until_all_learners_are_tested(stage: Stage, wait_until: Wait) -> None:
    session = opened(stage, Knowing, Slow)
    tab = tab_of(session, stage)
    compare(tab)
    wait_until(lambda: words(tab, "headline") == wording.judged_so_far(2, 3))
    wait_until(lambda: any(row.standing is not None for row in table(tab).model_.rows))
    assert table(tab).model_.heading(ComparisonColumn.BESIDE) == "So far"
    pane = stage.show(ComparePane(session), 900, 600)
    pane.refresh()
    headline, sentences = (part(pane, QLabel, f"evaluate.comparison.{name}") for name in ("headline", "words"))
    wait_until(lambda: headline.text().startswith(wording.SO_FAR))
    assert sentences.text().startswith(wording.provisional(2, 3))
    GATE.release(11)
    wait_until(lambda: is_over(session))
    assert table(tab).model_.heading(ComparisonColumn.BESIDE) == "Compared"
    wait_until(lambda: headline.text() and not headline.text().startswith(wording.SO_FAR))
    wait_until(lambda: not pane.comparison.is_comparing)
    assert wording.provisional(2, 3) not in sentences.text() and wording.provisional(3, 3) not in sentences.text()


def test_a_learner_can_be_skipped_and_the_others_go_on(stage: Stage, wait_until: Wait) -> None:
    session = opened(stage, Slow, Last)
    tab = tab_of(session, stage)
    compare(tab)
    wait_until(
        lambda: (
            session.analyses.comparison.at_work is not None and session.analyses.comparison.at_work.learner == Slow()
        )
    )
    session.turns.finish()
    wait_until(lambda: tab.ranking.skip.toolTip() == wording.LEAVE_SLOW)
    press(tab, "classify.several.skip")
    wait_until(lambda: is_over(session))
    session.turns.finish()
    slow, last = session.runs[1:]
    assert (slow.state, slow.message, last.state) == (RunState.STOPPED, learner_comparison.SKIPPED, RunState.DONE)
    assert names(tab)[-1] == "Slow"
    assert table(tab).model().index(2, ComparisonColumn.BESIDE).data() == "skipped"
    assert wording.SLOW_WAS_SKIPPED in words(tab, "doubts")
    assert not tab.ranking.skip.isVisible()
    session.analyses.comparison.skip()  # nothing is at work
    assert session.analyses.comparison.current is not None
    assert session.analyses.comparison.current.unfinished == ""


@pytest.mark.parametrize("by_removing", [False, True])
def test_stopping_one_run_of_a_comparison_skips_only_that_learner(
    stage: Stage, wait_until: Wait, by_removing: bool
) -> None:
    session = opened(stage, Slow, Last)
    tab = tab_of(session, stage)
    compare(tab)
    wait_until(lambda: session.runs[1:] and session.runs[-1].learner == Slow())
    slow = session.runs[-1]
    session.set_current_run(slow)
    tab.show_run(slow)
    tab.set_comparing(False)
    session.turns.finish()
    trial = session.analyses.comparison.current
    assert trial is not None and trial.job is not None and not trial.job.has_stop_in_view
    if by_removing:
        session.ledger.remove(slow)
    else:
        wait_until(lambda: tab.stop.width() > 10)
        press(tab, "classify.stop")
    wait_until(lambda: is_over(session))
    assert (slow.state, slow.message) == (RunState.STOPPED, learner_comparison.SKIPPED)
    assert session.runs[-1].learner == Last() and session.runs[-1].state is RunState.DONE
    assert trial.unfinished == "" and trial.n_judged == 2


def test_learners_that_are_done_are_counted_before_they_are_ranked(stage: Stage, wait_until: Wait) -> None:
    session = opened(stage, Knowing)
    runs = [judged(session, wait_until, learner, CrossValidation(folds=2)) for learner in (ZeroR(), Knowing())]
    entries = (ComparisonEntry(0, runs[0], has_begun=True), ComparisonEntry(1, runs[1]))
    trial = Trial(entries, CrossValidation(folds=2), 1)
    assert trial.ranking is None and trial.n_judged == 1


def test_the_best_and_the_easiest_to_read_are_offered_with_the_verdict_of_the_ranking(
    stage: Stage, wait_until: Wait
) -> None:
    session = opened(stage, Knowing, Last)
    tab = tab_of(session, stage)
    compare(tab)
    wait_until(lambda: is_over(session))
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
    counts = ranking.best.contender.report.per_class[0].counts
    assert best.sentences.startswith(wording.yes_missed(f"{counts.fn:.0f}", f"{counts.tp + counts.fn:.0f}"))
    press(tab, "classify.several.open")
    assert session.current_run is session.runs[1] and tab.learner() == Knowing()
    assert not tab.is_comparing and trial.is_away


def test_a_learner_that_takes_longer_than_the_limit_is_left_and_listed_so(stage: Stage, wait_until: Wait) -> None:
    session = opened(stage, Knowing, Slow)
    tab = tab_of(session, stage)
    line = tab.compared.limit.line
    assert line.placeholderText() == "no limit"
    QTest.keyClicks(line, "soon")
    assert not tab.several.isEnabled()
    assert wording.LIMIT_MUST_BE_WHOLE in tab.several.toolTip()
    line.selectAll()
    QTest.keyClicks(line, "1")
    compare(tab)
    wait_until(lambda: is_over(session))
    session.turns.finish()
    slow = session.runs[2]
    assert (slow.state, slow.message) == (RunState.STOPPED, wording.STOPPED_AT_LIMIT)
    assert table(tab).model().index(2, ComparisonColumn.BESIDE).data() == "time limit"
    assert session.runs[1].state is RunState.DONE


def test_what_a_person_looks_at_stays_in_view_while_several_are_tried_and_changes_once(
    stage: Stage, wait_until: Wait
) -> None:
    session = opened(stage, Knowing, Slow)
    tab = tab_of(session, stage)
    session.start_run(ZeroR(), CrossValidation(), 7)
    wait_until(lambda: not session.runs[0].is_running)
    seen: list[int] = []
    session.current_run_changed.connect(lambda: seen.append(session.current_run.number))
    compare(tab)
    wait_until(lambda: words(tab, "headline") == wording.judged_so_far(2, 3))
    press(tab, "classify.several.stop")
    wait_until(lambda: is_over(session))
    assert seen == [3]


def test_with_costs_they_are_ranked_by_what_a_record_costs_as_on_the_costs_page_and_in_the_verdict(
    tried: Tried, wait_until: Wait
) -> None:
    session, tab = tried
    classes = session.runs[0].report.classes
    session.set_costs(CostMatrix(classes, ((0.0, 3.0), (40.0, 0.0))))
    wait_until(lambda: evaluation_wording.RANKED_BY_COST in words(tab, "sentences"))
    head = table(tab).model().headerData(ComparisonColumn.FIGURE, ACROSS)
    assert head == "Cost"
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


def test_every_compared_run_can_be_opened_and_back_shows_the_options_of_the_run_in_view(
    stage: Stage, wait_until: Wait
) -> None:
    session = opened(stage, Knowing, Last)
    tab = tab_of(session, stage)
    compare(tab)
    wait_until(lambda: is_over(session))
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
    press(tab, "classify.several.offer.1.predict")
    session.turns.finish()
    best = session.analyses.comparison.current.ranking.best.contender
    numbers = chosen, session.analyses.comparison.current.entry_of(best).run.number
    assert asked == [("file", number) for number in numbers] and tab.is_comparing, "new data in one click"
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
    press(tab, "classify.several.open")
    run = session.current_run
    assert session.decisions.chosen(run) == ByCost()
    wait_until(lambda: session.decisions.reports.cost_per_record(run) is not None)
    assert session.decisions.reports.cost_per_record(run) == ranked_at
    assert session.messages.open[-1].sentence == wording.decides_by_cost(run.number)


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


def test_the_baseline_has_a_row_of_its_own_where_it_was_not_trained(stage: Stage, wait_until: Wait) -> None:
    session = opened(stage, Knowing, Last)
    tab = tab_of(session, stage)
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
    assert place.lead.n_pairs == 1 and "(95% CI)" in tests.headerData(1, Qt.Orientation.Horizontal)
    three = replace(place, lead=replace(place.lead, n_pairs=3))
    several = replace(trial.ranking, standings=(trial.ranking.standings[0], three))
    assert SIMULTANEOUS in rows_of_tests(several)[0][1] and SIMULTANEOUS_MEANING in words_of_tests(several)
    assert words(tab, "of-tests").startswith(evaluation_wording.CORRECTED_RESAMPLED_T)
    assert row[2:4] == [p_text(place.lead.p_value), p_text(place.lead.corrected)]
    assert row[4] == place.verdict.value
    above = trial.ranking.standings[0].above_baseline
    assert [tests.index(0, column).data() for column in (5, 6)] == [p_text(above.p_value), p_text(above.corrected)]


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


def test_finishing_early_keeps_the_folds_there_are(stage: Stage, wait_until: Wait) -> None:
    session = opened(stage, Knowing, Slow)
    tab = tab_of(session, stage)
    compare(tab)
    wait_until(lambda: len(session.runs) == 3)
    GATE.release(4)
    wait_until(lambda: len(session.runs[2].folds) == 4)
    session.analyses.comparison.current.job.finish()
    wait_until(lambda: session.runs[2].is_judged)
    wait_until(lambda: words(tab, "headline") == wording.judged_so_far(3, 3) and session.runs[2].is_judged)
    assert wording.BEING_TRAINED_ON_ALL in words(tab, "doubts")
    GATE.release(1)  # the model of all records, to look at
    wait_until(lambda: is_over(session))
    assert session.runs[2].state is RunState.PARTIAL
    assert sorted(names(tab)) == sorted(["Knowing", ZeroR.name, wording.SLOW_AFTER_4_FOLDS])
    slow = next(row for row in table(tab).model_.rows if row.entry.name == "Slow")
    assert wording.JUDGED_ON_4_FOLDS in slow.sentence()


def test_two_of_those_tried_are_compared_by_the_verdict_of_the_ranking(stage: Stage, wait_until: Wait) -> None:
    session = opened(stage, Many)
    tab = tab_of(session, stage)
    compare(tab)
    wait_until(lambda: is_over(session))
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
    assert other.lead.chance_words() in said.text()
    alone = judged(session, wait_until, ZeroR(), Holdout())
    assert session.analyses.compared.tried_with([two[0], alone]) == [two[0], alone]


def test_what_the_ledger_has_already_is_not_judged_again(stage: Stage, wait_until: Wait) -> None:
    session = opened(stage, Knowing)
    tab = tab_of(session, stage)
    session.start_run(ZeroR(), CrossValidation(), 1)
    wait_until(lambda: not session.runs[0].is_running)
    compare(tab)
    wait_until(lambda: is_over(session))
    assert [run.learner.id for run in session.runs] == ["zero-r", "knowing"]
    assert len(names(tab)) == 2


def test_what_is_being_judged_already_is_waited_for_and_not_judged_twice(stage: Stage, wait_until: Wait) -> None:
    session = opened(stage, Knowing, Slow)
    tab = tab_of(session, stage)
    session.start_run(Slow(), CrossValidation(), 1)
    compare(tab)
    wait_until(lambda: words(tab, "headline") == wording.judged_so_far(2, 3))
    assert session.runs[0].is_running
    GATE.release(11)  # its ten folds and the model of all records
    wait_until(lambda: is_over(session) and not session.runs[0].is_running)
    assert sorted(names(tab)) == ["Knowing", "Slow", ZeroR.name] and len(session.runs) == 3
    assert session.runs[0].state is RunState.DONE


def test_stopping_the_trial_leaves_a_run_alone_that_was_started_before(stage: Stage, wait_until: Wait) -> None:
    session = opened(stage, Knowing, Slow)
    tab = tab_of(session, stage)
    session.start_run(Slow(), CrossValidation(), 1)
    compare(tab)
    wait_until(lambda: words(tab, "headline") == wording.judged_so_far(2, 3))
    press(tab, "classify.several.stop")
    assert is_over(session) and session.runs[0].is_running
    GATE.release(11)
    wait_until(lambda: session.runs[0].state is RunState.DONE)


def test_a_trial_that_is_finished_while_it_waits_for_a_run_says_that_not_all_were_judged(
    stage: Stage, wait_until: Wait
) -> None:
    session = opened(stage, Knowing, Slow)
    tab = tab_of(session, stage)
    session.start_run(Slow(), CrossValidation(), 1)
    compare(tab)
    wait_until(lambda: words(tab, "headline") == wording.judged_so_far(2, 3))
    session.analyses.comparison.current.job.finish()
    wait_until(lambda: is_over(session))
    assert session.analyses.comparison.current.unfinished == wording.FINISHED_EARLY_NOT_ALL
    GATE.release(11)
    wait_until(lambda: session.runs[0].state is RunState.DONE)


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


def test_without_a_class_it_cannot_be_pressed_and_says_why(stage: Stage, wait_until: Wait) -> None:
    session = opened(stage, Knowing)
    tab = tab_of(session, stage)
    session.set_class(None)
    wait_until(lambda: session.summary is not None and not tab.several.isEnabled())
    assert wording.TOO_FEW_LEARNERS in tab.several.toolTip()


def test_the_programs_own_learners_range_from_guessing_to_whole_trees(stage: Stage) -> None:
    session = stage.session(small_data())
    found = session.analyses.comparison.candidates()
    assert found[0][1].name == ZeroR.name
    assert len(found) >= 5
    assert [variant.burden for variant, _ in found] == sorted(variant.burden for variant, _ in found)
    assert TreeModel.id in session.registry.models


def test_what_is_tried_has_the_name_that_the_ledger_gives_it(stage: Stage) -> None:
    session = stage.session(small_data())
    trial = session.analyses.comparison.start(CrossValidation(folds=2), 1)
    session.analyses.comparison.forget()
    names = [entry.name for entry in trial.entries]
    assert C45.name in names and len(set(names)) == len(names)
    assert len(names) == len(session.analyses.comparison.usual()), "each ticked learner once, and no other"
    assert "Gradient boosting" in names
    runs = [entry.run for entry in trial.entries]
    assert names == [", ".join(filter(None, (run.learner.name, options(run)))) for run in runs]


def test_a_worker_ranks_by_costs_it_was_given_and_never_asks_the_session(tried: Tried, wait_until: Wait) -> None:
    """What the window's thread changes while a worker reads it may be half of the old and half of the new."""
    session, _tab = tried
    asked: list[str] = []
    window = threading.get_ident()

    class Watched(Session):
        def __getattribute__(self, name: str) -> object:
            if threading.get_ident() != window:
                asked.append(name)
            return super().__getattribute__(name)

    classes = session.runs[0].report.classes
    session.__class__ = Watched
    session.set_costs(CostMatrix(classes, ((0.0, 3.0), (40.0, 0.0))))
    wait_until(lambda: session.analyses.comparison.current.costs == session.costs)
    session.analyses.comparison.start(session.analyses.comparison.current.method, 7)
    wait_until(lambda: not session.analyses.comparison.current.is_running, 120)
    assert not asked
