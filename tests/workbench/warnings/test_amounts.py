"""What the records are worth by a column: taken from the table that has it, and decisions by cost without it."""

from __future__ import annotations

from dataclasses import replace
from threading import Event
from weakref import WeakKeyDictionary, ref

import numpy as np
import pytest

from algorithms.data.dataset import Dataset
from algorithms.data.schema import nominal, numeric
from algorithms.evaluation.costs import mean_cost
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost, by_expected_cost
from algorithms.evaluation.costs.mean_cost import at_stake
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from tests.expected_texts import tabs_evaluate as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged, small_data
from workbench.session import decision_rules
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.tabs.evaluate.decision_rules import RunDecisions

N = 60
WORTH = np.arange(1.0, N + 1)
COSTS = CostMatrix(("yes", "no"), ((0.0, 1.0), (5.0, 0.0)))


def paid(data: Dataset, amounts: np.ndarray) -> Dataset:
    return data.with_new_column(numeric("paid"), amounts)


def judged_on(session: Session, wait_until: Wait) -> Run:
    return judged(session, wait_until, NaiveBayes(), CrossValidation(folds=3))


def worths(session: Session, run: Run) -> list[float] | None:
    """The amounts of the tests in the order of the table."""
    found = session.decisions.amounts_of(run)
    assert run.result is not None
    return None if found is None else found[np.argsort(run.result.row_ids)].tolist()


def test_a_column_made_after_the_run_counts_as_it_is_by_now(stage: Stage, wait_until: Wait) -> None:
    """Costs are named first; then the column is made, its values change, and both are undone."""
    data = small_data(N)
    session = stage.session(data)
    run = judged_on(session, wait_until)
    session.set_costs(replace(COSTS, amounts="paid"))
    assert worths(session, run) is None and not session.decisions.is_priced(run)
    session.edit("Make paid", paid(data, WORTH))
    assert worths(session, run) == WORTH.tolist()
    assert session.decisions.amounts_of(run) is session.decisions.amounts_of(run), "it is looked up once"
    session.edit("Change paid", paid(data, 2 * WORTH))
    assert worths(session, run) == (2 * WORTH).tolist()
    session.history.go_to(1)
    assert worths(session, run) == WORTH.tolist()
    session.history.go_to(0)
    assert worths(session, run) is None


def test_a_column_that_was_made_one_of_numbers_after_the_run_counts(stage: Stage, wait_until: Wait) -> None:
    data = small_data(N)
    session = stage.session(data.with_new_column(nominal("paid", ("low", "high")), np.arange(N) % 2))
    run = judged_on(session, wait_until)
    session.set_costs(replace(COSTS, amounts="paid"))
    assert worths(session, run) is None
    session.edit("Make paid one of numbers", paid(data, WORTH))
    assert worths(session, run) == WORTH.tolist()
    assert session.decisions.amounts_in(run, "paid").sum() == pytest.approx(WORTH.sum())


def test_decisions_by_expected_cost_hold_where_amounts_are_not_known(stage: Stage, wait_until: Wait) -> None:
    """What is said to be decided by expected cost is, in every view; only what it costs is not known."""
    session = stage.session(small_data(N))
    run = judged_on(session, wait_until)
    deciding = RunDecisions(session)
    deciding.look_at(run, "yes")
    session.set_costs(COSTS)
    deciding.decide_by_cost()
    assert run.result is not None and run.report is not None
    expected = by_expected_cost(run.result, COSTS.ordered(run.result.classes))
    assert expected.confusion.tolist() != run.report.confusion.tolist(), "or it shows nothing"
    offer, threshold = deciding.offer(), deciding.theoretical
    assert offer is not None and threshold is not None
    session.set_costs(replace(COSTS, amounts="gone"))
    report, question = deciding.report(), session.decisions.question()
    assert report is not None and question is not None
    assert deciding.words().startswith(wording.DECIDED_BY_EXPECTED_COST) and deciding.theoretical == threshold
    assert report.confusion.tolist() == expected.confusion.tolist() and report.at_stake is None
    assert question.decisions().tolist() == expected.decision.tolist()
    said = question.answered(lambda: None).said
    assert said.tolist() == expected.decision[np.argsort(run.result.row_ids)].tolist()
    assert deciding.offer() is None, "nothing is said of costs that are not known"


def test_what_is_offered_follows_the_amounts(stage: Stage, wait_until: Wait) -> None:
    data = small_data(N)
    session = stage.session(data)
    run = judged_on(session, wait_until)
    deciding = RunDecisions(session)
    deciding.look_at(run, "yes")
    session.set_costs(replace(COSTS, amounts="paid"))
    session.edit("Make paid", paid(data, WORTH))
    once = deciding.offer()
    session.edit("Change paid", paid(data, 2 * WORTH))
    twice = deciding.offer()
    assert once is not None and twice is not None and once.cheapest.total > 0
    assert twice.cheapest.total == pytest.approx(2 * once.cheapest.total)
    assert twice.stakes[0] == pytest.approx(2 * once.stakes[0])


def test_a_step_of_the_threshold_reads_what_is_at_stake_from_the_records_in_order(
    stage: Stage, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With sums and squares as those of deciding every record anew, which no step does."""
    data = paid(small_data(N), WORTH)
    session = stage.session(data)
    run = judged_on(session, wait_until)
    deciding = RunDecisions(session)
    deciding.look_at(run, "yes")
    session.set_costs(replace(COSTS, amounts="paid"))
    amounts = session.decisions.amounts_of(run)
    assert deciding.offer() is not None and run.result is not None and amounts is not None
    found = []
    with monkeypatch.context() as patched:
        patched.setattr("workbench.session.decision_rules.DecisionQuery.decisions", None)
        for threshold in (0.0, 0.1, 0.5, 0.9, 1.0, None):
            deciding.decide_by_cost() if threshold is None else deciding.decide_at(threshold)
            report, query = deciding.report(), session.decisions.asked(run)
            assert report is not None and report.at_stake is not None
            found.append((report.at_stake, query))
    for stake, query in found:
        anew = at_stake(run.result, query.decisions(), amounts, "paid")
        assert stake.sums == pytest.approx(anew.sums) and stake.squares == pytest.approx(anew.squares)
        assert stake.column == "paid"


def decided_by_cost(stage: Stage, wait_until: Wait) -> tuple[Session, Run]:
    """A session whose run is decided by what its mistakes cost, each as many times as its column says."""
    session = stage.session(paid(small_data(N), WORTH))
    run = judged_on(session, wait_until)
    session.set_costs(replace(COSTS, amounts="paid"))
    session.decisions.choose(run, ByCost())
    return session, run


def test_what_a_record_costs_now_is_summed_once_until_something_of_it_changes(
    stage: Stage, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ledger asks at each painting."""
    session, run = decided_by_cost(stage, wait_until)
    summed: list[float] = []
    own = mean_cost.at_stake
    monkeypatch.setattr(mean_cost, "at_stake", lambda *given: summed.append(given[2].sum()) or own(*given))
    first = session.decisions.reports.cost_per_record(run)
    assert first is not None and session.decisions.reports.cost_per_record(run) == first and len(summed) == 1
    session.set_costs(CostMatrix(COSTS.classes, ((0.0, 2.0), (10.0, 0.0)), amounts="paid"))
    assert session.decisions.reports.cost_per_record(run) == pytest.approx(2 * first)
    session.decisions.choose(run, AtThreshold("no", 0.0))
    session.set_class_of_interest(1)
    assert session.data is not None
    said_no = 2 * WORTH[session.data.class_codes == 0].sum() / N
    assert session.decisions.reports.cost_per_record(run) == pytest.approx(said_no)


def test_what_a_record_of_many_costs_now_is_summed_in_a_job_and_told_when_it_is_known(
    stage: Stage, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, run = decided_by_cost(stage, wait_until)
    at_once = session.decisions.reports.cost_per_record(run)
    monkeypatch.setattr(decision_rules, "AT_ONCE", 20)
    session.set_costs(replace(COSTS, costs=((0.0, 2.0), (10.0, 0.0)), amounts="paid"))
    told: list[float | None] = []
    session.decisions.reports.changed.connect(lambda: told.append(session.decisions.reports.cost_per_record(run)))
    assert at_once is not None and session.decisions.reports.cost_per_record(run) is None
    wait_until(lambda: session.decisions.reports.cost_per_record(run) is not None)
    assert told[-1] == session.decisions.reports.cost_per_record(run) == pytest.approx(2 * at_once)
    wait_until(lambda: not session.jobs.running)
    n = len(told)
    assert session.decisions.reports.cost_per_record(run) == told[-1] and len(told) == n, "it is summed once"


def test_a_job_keeps_what_it_computes_from_so_that_nothing_else_is_taken_for_it(
    stage: Stage, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Something new may lie at the address of what is gone: a job that runs must not be taken for one about it."""
    session, run = decided_by_cost(stage, wait_until)
    monkeypatch.setattr(decision_rules, "AT_ONCE", 0)
    may_end, into = Event(), WeakKeyDictionary[Run, str]()

    def ask(source: np.ndarray, answer: str) -> None:
        def work(_checkpoint: object) -> str:
            assert may_end.wait(60)
            return answer

        assert session.decisions.reports.compute("toy", run, (source,), work, into) is None

    source = np.ones(5)
    ask(source, "first")
    ask(source, "of the same")
    may_end.set()
    wait_until(lambda: run in into)
    assert into[run] == "first", "the job that ran went on"
    may_end.clear()
    ask(source, "before")
    kept = ref(source)
    del source
    assert kept() is not None, "its address is not free while the job runs"
    ask(np.ones(5), "of another")
    may_end.set()
    wait_until(lambda: into[run] != "first")
    assert into[run] == "of another"
