"""What the records are worth by a column: taken from the table that has it, and decisions by cost without it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from algorithms.bayes.naive_bayes import NaiveBayes
from algorithms.core.data import Dataset
from algorithms.core.schema import nominal, numeric
from algorithms.evaluation.costs import CostMatrix
from algorithms.evaluation.methods import CrossValidation
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged, small_data
from workbench.runs import Run
from workbench.session import Session

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
    session.go_to(1)
    assert worths(session, run) == WORTH.tolist()
    session.go_to(0)
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
