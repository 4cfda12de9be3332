"""Memory of learning from a large table: nothing that is as large as the table is copied."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.data.columns import LARGE, are_all_rows, distinct, group_numbers, is_ascending, running_sums
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.data.sorting import sorted_rows
from algorithms.data.summary import summarize
from algorithms.evaluation.checks.data_quality_checks import table_duplicates
from algorithms.evaluation.curves.roc import ScoredClass
from algorithms.evaluation.measures.intervals import influence
from algorithms.evaluation.methods.methods import Holdout, TrainingSet
from algorithms.evaluation.runner import evaluate
from algorithms.filters import select_attributes
from algorithms.filters.discretize import weights_upto
from algorithms.filters.select_attributes import SelectAttributes, best_binary_cut
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.trees.cart import Cart

N = LARGE * 8 // 5
"""Two thirds of which are still many."""


@pytest.fixture(scope="module")
def table() -> Dataset:
    """Ten numbers and nine nominal attributes, and a class of three that three numbers tell."""
    random = np.random.default_rng(1)
    numbers = list(random.normal(size=(10, N)))
    codes = [random.integers(0, 8, N).astype(np.int8) for _ in range(9)]
    classes = np.digitize(numbers[0] + numbers[1] * numbers[2], [-1.0, 1.0]).astype(np.int8)
    attributes = [numeric(f"x{i}") for i in range(10)]
    attributes += [nominal(f"c{i}", [f"v{code}" for code in range(8)]) for i in range(9)]
    schema = Schema((*attributes, nominal("class", ["low", "middle", "high"])), 19)
    return Dataset(schema, [*numbers, *codes, classes])


def size(data: Dataset) -> int:
    return sum(data.column(index).nbytes for index in range(len(data.schema)))


def peak_of(work: Callable[[], object]) -> int:
    """The most bytes that arrays take while some work is done, above those before."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        work()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def test_taking_all_rows_shares_the_columns(table: Dataset) -> None:
    whole = table.take(np.arange(N))
    assert all(whole.column(index) is table.column(index) for index in range(len(table.schema)))
    assert table.take(np.ones(N, dtype=np.bool_)).has_all_positions
    assert not table.take(np.arange(N)[::-1]).has_all_positions


def test_a_passing_column_is_not_kept(table: Dataset) -> None:
    rows = np.random.default_rng(2).permutation(N)
    part = table.take(rows)
    assert np.array_equal(part.passing_column(0), table.column(0)[rows])
    assert 0 not in part._materialised
    some = slice(N - 5, N + 5)
    assert np.array_equal(part.passing_cells(10, some), table.column(10)[rows[some]])
    assert np.array_equal(part.passing_cells(0, rows[:7]), table.column(0)[rows[rows[:7]]])


TREE = Cart(split_search="binned", max_depth=6, pruning="none")


@pytest.mark.parametrize(("learner", "most"), [(TREE, 1.1), (NaiveBayes(), 0.8)])
@pytest.mark.parametrize("method", [TrainingSet(), Holdout()])
def test_evaluation_takes_less_than_the_table_again(
    table: Dataset, learner: Cart | NaiveBayes, most: float, method: TrainingSet | Holdout
) -> None:
    few = table.take(np.arange(2000))
    evaluate(learner, few, method, RunContext())  # compiles
    peak = peak_of(lambda: evaluate(learner, table, method, RunContext()))
    assert peak < most * size(table)


def test_cutting_a_number_takes_a_few_columns(table: Dataset) -> None:
    column = table.column(0).nbytes
    assert peak_of(lambda: weights_upto(table, 0)) < 4.5 * column


def test_rating_and_sorting_a_number_take_a_few_columns(table: Dataset) -> None:
    column = table.column(0).nbytes
    assert peak_of(lambda: SelectAttributes().scores(table, [0], RunContext())) < 6.0 * column
    assert peak_of(lambda: sorted_rows(table, 0, descending=True)) < 2.5 * column
    assert peak_of(lambda: sorted_rows(table, 12)) < 2.0 * column
    assert peak_of(lambda: summarize(table)) < 1.5 * column
    assert peak_of(lambda: table_duplicates(table, lambda: None)) < 4.0 * column


@pytest.mark.parametrize("measure", ["information-gain", "gini", "chi-square", "one-rule"])
def test_the_best_cut_is_the_same_in_blocks(monkeypatch: pytest.MonkeyPatch, measure: str) -> None:
    random = np.random.default_rng(4)
    counts = random.integers(0, 3, (3, 500)) + np.repeat([[0, 1], [1, 0], [0, 0]], 250, axis=1)
    upto = np.concatenate([np.zeros((3, 1), dtype=np.int64), np.cumsum(counts, axis=1)], axis=1)
    whole = best_binary_cut(upto, measure)
    monkeypatch.setattr(select_attributes, "_BLOCK", 7)
    assert best_binary_cut(upto, measure) == whole
    assert 200 < whole[0] < 300


def test_large_arrays_are_summed_and_grouped_as_numpy_does() -> None:
    random = np.random.default_rng(3)
    numbers, codes = random.normal(size=300_000), random.integers(0, 1000, 300_000)
    assert np.array_equal(running_sums(numbers), np.cumsum(numbers))
    assert np.array_equal(running_sums(numbers > 0, np.int32), np.cumsum(numbers > 0))
    assert running_sums(codes[:0]).dtype == np.int64
    assert np.array_equal(distinct(codes), np.unique(codes))
    assert np.array_equal(group_numbers(codes), np.unique(codes, return_inverse=True)[1])


def test_all_rows_and_ascending_values_are_recognised_across_blocks() -> None:
    rows = np.arange(300_000)
    assert are_all_rows(rows, 300_000)
    assert is_ascending(rows)
    swapped = rows.copy()
    swapped[[131_072, 131_073]] = swapped[[131_073, 131_072]]
    assert not are_all_rows(swapped, 300_000)
    assert not is_ascending(swapped)
    assert not is_ascending(np.array([1, 1]))
    assert is_ascending(rows[:1])
    assert are_all_rows(rows[:0], 0)


def test_influences_are_the_same_in_blocks(table: Dataset) -> None:
    result = evaluate(NaiveBayes(), table.take(np.arange(150_000)), TrainingSet(), RunContext())
    scored = ScoredClass.of(result, 1)
    points = scored.points()
    values = influence(scored, points)
    assert values is not None
    place = np.cumsum(scored.begins) - 1
    beaten = (points.negatives - (points.alarms[:-1] + points.alarms[1:]) / 2) / points.negatives
    lost_to = (points.found[:-1] + points.found[1:]) / (2 * points.positives)
    share = np.where(scored.is_of_class, beaten[place], lost_to[place]) - points.pairs.auc
    n = np.array([np.count_nonzero(scored.is_of_class), np.count_nonzero(~scored.is_of_class)])
    factor = np.sqrt(n / (n - 1)) / [points.positives, points.negatives]
    expected = (share * np.where(scored.is_of_class, *factor)).astype(np.float32)
    assert np.array_equal(values[scored.rows], expected)
