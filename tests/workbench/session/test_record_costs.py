"""Costs that differ by record: from the table that has their columns, and what follows where no table has them."""

from __future__ import annotations

from threading import Event
from weakref import ref

import numpy as np
import pytest

from algorithms.data.dataset import Dataset
from algorithms.data.schema import nominal, numeric
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost, by_expected_cost
from algorithms.evaluation.costs.mean_cost import CostSums
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
PAID = CostMatrix(("yes", "no"), ((0.0, "paid"), ("5 * paid", 0.0)))
DEARER = CostMatrix(("yes", "no"), ((0.0, "2 * paid"), ("10 * paid", 0.0)))


def paid(data: Dataset, amounts: np.ndarray) -> Dataset:
    return data.with_new_column(numeric("paid"), amounts)


def judged_on(session: Session, wait_until: Wait) -> Run:
    return judged(session, wait_until, NaiveBayes(), CrossValidation(folds=3))


def worths(session: Session, run: Run) -> list[float] | None:
    """The cost of predicting no for yes for each test, in the order of the table."""
    costs = session.decisions.costs_of(run)
    assert run.result is not None
    if costs is None:
        return None
    place = run.result.classes.index("yes"), run.result.classes.index("no")
    return costs.formulas[place].values[np.argsort(run.result.row_ids)].tolist()


def test_a_column_made_after_the_run_counts_as_it_is_by_now(stage: Stage, wait_until: Wait) -> None:
    """Costs are named first; then the column is made, its values change, and both are undone."""
    data = small_data(N)
    session = stage.session(data)
    run = judged_on(session, wait_until)
    session.set_costs(PAID)
    problem = session.decisions.cost_problem(run)
    assert worths(session, run) is None and problem is not None and problem.place == "paid"
    session.edit("Make paid", paid(data, WORTH))
    assert worths(session, run) == WORTH.tolist()
    assert session.decisions.costs_of(run) is session.decisions.costs_of(run), "it is looked up once"
    assert session.decisions.cost_problem(run) is None
    session.edit("Change paid", paid(data, 2 * WORTH))
    assert worths(session, run) == (2 * WORTH).tolist()
    session.history.go_to(2)
    assert worths(session, run) == WORTH.tolist()
    session.history.go_to(1)
    assert worths(session, run) is None


def test_a_column_that_was_made_one_of_numbers_after_the_run_counts(stage: Stage, wait_until: Wait) -> None:
    data = small_data(N)
    session = stage.session(data.with_new_column(nominal("paid", ("low", "high")), np.arange(N) % 2))
    run = judged_on(session, wait_until)
    session.set_costs(PAID)
    assert worths(session, run) is None
    session.edit("Make paid one of numbers", paid(data, WORTH))
    assert worths(session, run) == WORTH.tolist()


def test_the_default_rule_applies_where_the_columns_of_the_costs_are_not_known(stage: Stage, wait_until: Wait) -> None:
    """The costs decide differently for each record, so without their columns they decide nothing."""
    session = stage.session(small_data(N))
    run = judged_on(session, wait_until)
    deciding = RunDecisions(session)
    deciding.look_at(run, "yes")
    session.set_costs(COSTS)
    deciding.choose(ByCost())
    assert run.result is not None and run.report is not None
    expected = by_expected_cost(run.result, COSTS.ordered(run.result.classes))
    report = deciding.report()
    assert report is not None and report.confusion.tolist() == expected.confusion.tolist()
    assert expected.confusion.tolist() != run.report.confusion.tolist(), "or it shows nothing"
    assert deciding.offer() is not None and deciding.theoretical is not None
    session.set_costs(COSTS.times("gone"))
    assert deciding.choice is None and deciding.report() is run.report and deciding.offer() is None
    session.set_costs(COSTS)
    assert deciding.choice == ByCost()


def test_each_record_is_decided_by_its_own_costs(stage: Stage, wait_until: Wait) -> None:
    """A missed yes costs what was paid, a false alarm 31: of equal probabilities the dear record is a yes."""
    session = stage.session(paid(small_data(N), WORTH))
    run = judged_on(session, wait_until)
    session.set_costs(CostMatrix(("yes", "no"), ((0.0, "paid"), (31.0, 0.0))))
    deciding = RunDecisions(session)
    deciding.look_at(run, "yes")
    deciding.choose(ByCost())
    report, result = deciding.report(), run.result
    assert result is not None and report is not None and report.cost_sums is not None
    yes, worth = result.classes.index("yes"), WORTH[result.row_ids - run.data.row_ids[0]]
    probability = result.probabilities[:, yes]
    wanted = probability * worth > (1 - probability) * 31
    decisions = session.decisions.asked(run).decisions()
    assert ((decisions == yes) == wanted).all() and deciding.theoretical is None
    assert deciding.words() == wording.DECIDED_BY_COST_OF_EACH
    missed = worth[(result.truth == yes) & ~wanted].sum()
    assert report.cost_sums.sums.sum() == pytest.approx(missed + 31 * np.sum((result.truth != yes) & wanted))


def test_what_is_offered_follows_the_amounts(stage: Stage, wait_until: Wait) -> None:
    data = small_data(N)
    session = stage.session(data)
    run = judged_on(session, wait_until)
    deciding = RunDecisions(session)
    deciding.look_at(run, "yes")
    session.set_costs(PAID)
    session.edit("Make paid", paid(data, WORTH))
    once = deciding.offer()
    session.edit("Change paid", paid(data, 2 * WORTH))
    twice = deciding.offer()
    assert once is not None and twice is not None and once.cheapest.total > 0
    assert twice.cheapest.total == pytest.approx(2 * once.cheapest.total)


def test_the_costs_under_a_rule_are_summed_for_its_decisions(stage: Stage, wait_until: Wait) -> None:
    data = paid(small_data(N), WORTH)
    session = stage.session(data)
    run = judged_on(session, wait_until)
    deciding = RunDecisions(session)
    deciding.look_at(run, "yes")
    session.set_costs(PAID)
    costs = session.decisions.costs_of(run)
    assert run.result is not None and costs is not None
    for threshold in (0.0, 0.1, 0.5, 0.9, 1.0, None):
        deciding.choose(ByCost()) if threshold is None else deciding.decide_at(threshold)
        report, query = deciding.report(), session.decisions.asked(run)
        assert report is not None and report.cost_sums is not None
        anew = CostSums.of(run.result, query.decisions(), costs)
        assert report.cost_sums.sums == pytest.approx(anew.sums)
        assert report.cost_sums.squares == pytest.approx(anew.squares)


def decided_by_cost(stage: Stage, wait_until: Wait) -> tuple[Session, Run]:
    """A session whose run is decided by what its mistakes cost, each as many times as its column says."""
    session = stage.session(paid(small_data(N), WORTH))
    run = judged_on(session, wait_until)
    session.set_costs(PAID)
    session.decisions.choose(run, ByCost())
    return session, run


def test_what_a_record_costs_now_is_summed_once_until_something_of_it_changes(
    stage: Stage, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ledger asks at each painting."""
    session, run = decided_by_cost(stage, wait_until)
    summed: list[object] = []
    own = CostSums.of
    monkeypatch.setattr(CostSums, "of", lambda *given: summed.append(given) or own(*given))
    first = session.decisions.reports.cost_per_record(run)
    assert first is not None and session.decisions.reports.cost_per_record(run) == first and len(summed) == 1
    session.set_costs(DEARER)
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
    session.set_costs(DEARER)
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
    may_end = Event()

    def ask(source: np.ndarray, answer: str) -> str | None:
        def work(_checkpoint: object) -> str:
            assert may_end.wait(60)
            return answer

        return session.decisions.reports.compute("toy", run, (source,), work)

    source = np.ones(5)
    assert ask(source, "first") is None
    assert ask(source, "same") is None
    may_end.set()
    wait_until(lambda: ask(source, "late") is not None)
    assert ask(source, "late") == "first", "the job that ran went on"
    may_end.clear()
    before = np.ones(5)
    assert ask(before, "before") is None
    kept = ref(before)
    del before
    assert kept() is not None, "its address is not free while the job runs"
    other = np.ones(5)
    assert ask(other, "of another") is None
    may_end.set()
    wait_until(lambda: ask(other, "late") is not None)
    assert ask(other, "late") == "of another"
