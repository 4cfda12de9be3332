"""A stop is heard while records with a list of very many values become numbers."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from algorithms.core.errors import Cancelled
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal
from algorithms.learners.neural.neural_network import NeuralNetwork
from algorithms.learners.neural.perceptron import Perceptron
from algorithms.learners.svm.support_vector_machine import LinearSupportVectorMachine, SupportVectorMachine
from algorithms.learners.trees.growth import chaid_growth
from algorithms.learners.trees.growth.chaid_growth import MergingRules, merged
from algorithms.structures.design_terms import Terms
from tests.benchmarks.stops import stopped


@pytest.mark.parametrize("learner", [SupportVectorMachine, LinearSupportVectorMachine, NeuralNetwork, Perceptron])
def test_records_become_numbers_some_at_a_time_and_none_after_a_stop(
    learner: type[Learner], monkeypatch: pytest.MonkeyPatch
) -> None:
    r, n = np.random.default_rng(0), 4000
    schema = Schema((nominal("city", [f"v{i}" for i in range(400)]), nominal("y", "ab")), 1)
    data = Dataset(schema, [r.integers(0, 400, n).astype(np.int32), r.integers(0, 2, n).astype(np.int32)])
    context, records = RunContext(), list[int]()
    as_numbers = Terms.of

    def stopped(terms: Terms, *asked: Any) -> np.ndarray:
        context.cancel()
        found = as_numbers(terms, *asked)
        records.append(found.shape[1])
        return found

    monkeypatch.setattr(Terms, "of", stopped)
    with pytest.raises(Cancelled):
        learner().fit(data, context)
    assert len(records) == 1 and records[0] < n / 4


def test_the_benchmark_of_stops_counts_the_work_of_all_threads() -> None:
    def late(_part: int) -> None:
        end = time.process_time() + 0.2
        while not context.cancelled or time.process_time() < end:
            pass

    def work(own: RunContext) -> None:
        nonlocal context
        context = own
        own.map(late, range(2))
        own.checkpoint()

    context = RunContext()
    assert 0.05 < stopped(work, 0.1).seconds < 10.0


def test_pairs_of_categories_are_compared_row_by_row_and_none_after_a_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    context, calls, compare = RunContext(), 0, chaid_growth.chi_square

    def counted(pairs: np.ndarray) -> Any:
        nonlocal calls
        calls += 1
        context.cancel()
        return compare(pairs)

    monkeypatch.setattr(chaid_growth, "chi_square", counted)
    table = np.random.default_rng(0).integers(1, 9, (60, 2)).astype(np.float64)
    with pytest.raises(Cancelled):
        merged(table, MergingRules(), ordered=False, checkpoint=context.checkpoint)
    assert calls == 1
