"""The job that compares learners: what is tested, waited for, skipped, stopped and resumed."""

from __future__ import annotations

import threading
from concurrent.futures import wait

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import evaluation as evaluation_wording
from tests.expected_texts import tabs_classify as wording
from tests.workbench.stage import Stage
from tests.workbench.tabs.classify.compared_learners import (
    GATE,
    WORK,
    Knowing,
    Last,
    OpenTab,
    Slow,
    Steady,
    Tried,
    Unable,
    compare,
    is_over,
    names,
    opened,
    table,
    words,
)
from tests.workbench.toy import Broken, Plain
from tests.workbench.toys.reading import plain
from tests.workbench.window_helpers import Wait, judged, part, press, small_data
from workbench.session import learner_comparison
from workbench.session.learner_comparison import ComparisonEntry, Trial
from workbench.session.runs import RunState
from workbench.session.session import Session
from workbench.tabs.classify.comparison_rows import ROW_ROLE, ComparisonColumn
from workbench.tabs.classify.runs_model import options
from workbench.tabs.evaluate.compare_pane import ComparePane


def test_each_learner_that_declares_itself_is_judged_on_the_same_folds(compared_tab: OpenTab) -> None:
    session, tab = compared_tab(Knowing, Plain, Unable)
    assert [run.learner.id for run in session.runs] == ["zero-r", "knowing"]
    assert len({(run.method, run.seed) for run in session.runs}) == 1
    assert all(run.trained is not None for run in session.runs)
    first, second = (run.result for run in session.runs)
    assert first is not None and second is not None
    assert first.row_ids.tolist() == second.row_ids.tolist()
    assert names(tab) == ["Knowing", ZeroR.name]
    assert words(tab, "headline").startswith(wording.TAKE_KNOWING)
    assert wording.SIGNIFICANTLY_WORSE in [row.distance for row in table(tab).model_.rows]
    assert evaluation_wording.best_chosen_by_its_tests(2) in words(tab, "caveat")
    assert session.current_run is session.runs[1]


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


def test_one_that_fails_is_named_and_the_others_are_ranked(compared_tab: OpenTab) -> None:
    session, tab = compared_tab(Knowing, Broken)
    assert names(tab) == ["Knowing", ZeroR.name, Broken.name]
    row = table(tab).model().index(2, 0).data(ROW_ROLE)
    assert row.beside == "failed"
    assert wording.IT_IS_BROKEN in row.sentence()
    assert session.runs[2].state is RunState.FAILED
    assert words(tab, "headline").startswith(wording.TAKE_KNOWING)


def test_stopping_keeps_and_ranks_what_is_judged(opened_tab: OpenTab, wait_until: Wait) -> None:
    session, tab = opened_tab(Knowing, Slow)
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
    wait_until(lambda: plain(verdict.text()).startswith("Accuracy "))
    said = table(tab).model().index(0, 0).data(ROW_ROLE).explanation
    assert wording.MAY_BE_AS_RIGHT in said
    GATE.release(11)
    press(tab, "classify.several.again")
    wait_until(lambda: is_over(session) and not tab.ranking.failure.isVisible())
    assert [run.learner.id for run in session.runs] == ["zero-r", "knowing", "slow", "slow"]


def family(session: Session) -> set[int]:
    """The numbers of pairs that the ranking corrects its p-values for."""
    trial = session.analyses.comparison.current
    assert trial is not None and trial.ranking is not None
    return {place.lead.n_pairs for place in trial.ranking.learners if place.lead is not None}


def test_verdicts_are_provisional_until_all_learners_are_tested(
    opened_tab: OpenTab, stage: Stage, wait_until: Wait
) -> None:
    session, tab = opened_tab(Knowing, Slow)
    compare(tab)
    wait_until(lambda: words(tab, "headline") == wording.judged_so_far(2, 3))
    wait_until(lambda: any(row.standing is not None for row in table(tab).model_.rows))
    assert all(row.beside.endswith(wording.SO_FAR_ENDS) for row in table(tab).model_.rows if row.standing)
    wait_until(lambda: bool(family(session)))  # with the second learner there is a pair
    assert family(session) == {3}, "the pairs of the three learners that were asked for"
    pane = stage.show(ComparePane(session), 900, 600)
    pane.refresh()
    wait_until(lambda: pane.comparison.exported.comparison is not None)
    assert pane.comparison.exported.comparison.pairs[0].lead.n_pairs == 3
    headline, sentences = (part(pane, QLabel, f"evaluate.comparison.{name}") for name in ("headline", "words"))
    wait_until(lambda: headline.text().startswith(wording.SO_FAR))
    assert sentences.text().startswith(wording.provisional(2, 3))
    GATE.release(11)
    wait_until(lambda: is_over(session))
    assert table(tab).model_.heading(ComparisonColumn.BESIDE) == "Compared"
    wait_until(lambda: headline.text() and not headline.text().startswith(wording.SO_FAR))
    wait_until(lambda: not pane.comparison.is_comparing)
    assert wording.provisional(2, 3) not in sentences.text() and wording.provisional(3, 3) not in sentences.text()


def test_a_learner_can_be_skipped_and_the_others_go_on(opened_tab: OpenTab, wait_until: Wait) -> None:
    session, tab = opened_tab(Slow, Last)
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
    assert family(session) == {1}, "one that was skipped leaves the family"
    assert wording.SLOW_WAS_SKIPPED in words(tab, "doubts")
    assert not tab.ranking.skip.isVisible()
    session.analyses.comparison.skip()  # nothing is at work
    assert session.analyses.comparison.current is not None
    assert session.analyses.comparison.current.unfinished == ""


@pytest.mark.parametrize("by_removing", [False, True])
def test_stopping_one_run_of_a_comparison_skips_only_that_learner(
    opened_tab: OpenTab, wait_until: Wait, by_removing: bool
) -> None:
    session, tab = opened_tab(Slow, Last)
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


def test_a_learner_that_takes_longer_than_the_limit_is_left_and_listed_so(
    opened_tab: OpenTab, wait_until: Wait
) -> None:
    session, tab = opened_tab(Knowing, Slow)
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
    opened_tab: OpenTab, wait_until: Wait
) -> None:
    session, tab = opened_tab(Knowing, Slow)
    session.start_run(ZeroR(), CrossValidation(), 7)
    wait_until(lambda: not session.runs[0].is_running)
    seen: list[int] = []
    session.current_run_changed.connect(lambda: seen.append(session.current_run.number))
    compare(tab)
    wait_until(lambda: words(tab, "headline") == wording.judged_so_far(2, 3))
    press(tab, "classify.several.stop")
    wait_until(lambda: is_over(session))
    assert seen == [3]


def test_finishing_early_keeps_the_folds_there_are(opened_tab: OpenTab, wait_until: Wait) -> None:
    session, tab = opened_tab(Knowing, Slow)
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


def test_what_the_ledger_has_already_is_not_judged_again(opened_tab: OpenTab, wait_until: Wait) -> None:
    session, tab = opened_tab(Knowing)
    session.start_run(ZeroR(), CrossValidation(), 1)
    wait_until(lambda: not session.runs[0].is_running)
    compare(tab)
    wait_until(lambda: is_over(session))
    assert [run.learner.id for run in session.runs] == ["zero-r", "knowing"]
    assert len(names(tab)) == 2


def test_what_is_being_judged_already_is_waited_for_and_not_judged_twice(opened_tab: OpenTab, wait_until: Wait) -> None:
    session, tab = opened_tab(Knowing, Slow)
    session.start_run(Slow(), CrossValidation(), 1)
    compare(tab)
    wait_until(lambda: words(tab, "headline") == wording.judged_so_far(2, 3))
    assert session.runs[0].is_running
    GATE.release(11)  # its ten folds and the model of all records
    wait_until(lambda: is_over(session) and not session.runs[0].is_running)
    assert sorted(names(tab)) == ["Knowing", "Slow", ZeroR.name] and len(session.runs) == 3
    assert session.runs[0].state is RunState.DONE


def test_stopping_the_trial_leaves_a_run_alone_that_was_started_before(opened_tab: OpenTab, wait_until: Wait) -> None:
    session, tab = opened_tab(Knowing, Slow)
    session.start_run(Slow(), CrossValidation(), 1)
    compare(tab)
    wait_until(lambda: words(tab, "headline") == wording.judged_so_far(2, 3))
    press(tab, "classify.several.stop")
    assert is_over(session) and session.runs[0].is_running
    GATE.release(11)
    wait_until(lambda: session.runs[0].state is RunState.DONE)


def test_a_trial_that_is_finished_while_it_waits_for_a_run_says_that_not_all_were_judged(
    opened_tab: OpenTab, wait_until: Wait
) -> None:
    session, tab = opened_tab(Knowing, Slow)
    session.start_run(Slow(), CrossValidation(), 1)
    compare(tab)
    wait_until(lambda: words(tab, "headline") == wording.judged_so_far(2, 3))
    session.analyses.comparison.current.job.finish()
    wait_until(lambda: is_over(session))
    assert session.analyses.comparison.current.unfinished == wording.FINISHED_EARLY_NOT_ALL
    GATE.release(11)
    wait_until(lambda: session.runs[0].state is RunState.DONE)


def test_without_a_class_it_cannot_be_pressed_and_says_why(opened_tab: OpenTab, wait_until: Wait) -> None:
    session, tab = opened_tab(Knowing)
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
