"""What a window asks of every learner about a table of very many columns: its cost grows with the columns alone."""

from __future__ import annotations

import sys
import tracemalloc

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.learner import Learner
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.data.summary import AttributeSummary, Summary
from algorithms.learners.bayes.bayesian_network import BayesianNetwork
from tests.expected_texts import core as wording

COLUMNS = 10_000
CALLS = 40
"""Function calls for each column."""
BYTES = 1_000
"""Memory for each column."""


def wide(columns: int = COLUMNS) -> Summary:
    """The summary of 100 records with numbers and lists in turn, and a class of two values."""
    listed = [numeric(f"x{i}") if i % 2 else nominal(f"x{i}", ("a", "b")) for i in range(columns)]
    schema = Schema((*listed, nominal("class", ("y", "z"))), columns)
    described = tuple(AttributeSummary(attribute, lambda: (0, 2)) for attribute in schema.attributes)
    return Summary(schema, 100, described, np.array([50.0, 50.0]), 0)


def cost_of_checking(learner: Learner, summary: Summary) -> tuple[int, int]:
    """Function calls and the most bytes held while the learner says whether it can take the data."""
    calls = 0

    def count(_frame: object, _event: str, _argument: object) -> None:
        nonlocal calls
        calls += 1

    learner.check(summary)  # what is imported or kept once is not counted
    tracemalloc.start()
    sys.setprofile(count)
    try:
        learner.check(summary)
    finally:
        sys.setprofile(None)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return calls, peak


@pytest.fixture(scope="module")
def summary() -> Summary:
    return wide()


@pytest.mark.parametrize("kind", list(builtin().learners), ids=lambda kind: kind.id)
def test_saying_whether_a_wide_table_can_be_learned_grows_with_the_columns_alone(
    kind: type[Learner], summary: Summary
) -> None:
    calls, peak = cost_of_checking(kind(), summary)
    assert calls <= CALLS * COLUMNS
    assert peak <= BYTES * COLUMNS


@pytest.mark.parametrize(
    "arcs",
    [
        {"structure": "k2", "forbidden": "* -> *"},
        {"structure": "k2", "required": "x0 -> *", "forbidden": "* -> *"},
        {"structure": "given", "required": "* -> *"},
    ],
    ids=str,
)
def test_arcs_between_any_columns_are_judged_without_an_arc_for_each_two(
    arcs: dict[str, str], summary: Summary
) -> None:
    calls, peak = cost_of_checking(BayesianNetwork(**arcs), summary)  # type: ignore[arg-type]
    assert calls <= CALLS * COLUMNS
    assert peak <= 2 * BYTES * COLUMNS


@pytest.mark.parametrize(
    ("required", "forbidden", "said"),
    [
        ("* -> *", "", "circle"),
        ("x0 -> x1; x1 -> x2; x2 -> x0", "", "circle"),
        ("x0 -> *; * -> x1", "", ""),
        ("x0 -> x1", "* -> *", wording.MUST_AND_MAY_NOT),
        ("x0 -> x1", "* -> x1", wording.MUST_AND_MAY_NOT),
        ("x0 -> x1", "x0 -> *", wording.MUST_AND_MAY_NOT),
        ("x0 -> x1", "x1 -> x0; * -> x2", ""),
        ("* -> x1", "x1 -> *", ""),
    ],
)
def test_arcs_that_cannot_be_are_refused(required: str, forbidden: str, said: str) -> None:
    learner = BayesianNetwork(structure="k2", required=required, forbidden=forbidden)
    problems = [problem.sentence for problem in learner.check(wide(4))]
    assert len(problems) == bool(said)
    assert all(said in problem for problem in problems)
