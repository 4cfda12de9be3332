"""Which records a run decided wrongly, found by their ids."""

from __future__ import annotations

import numpy as np

from algorithms.core.run_control import RunContext
from algorithms.evaluation.measures.metrics import report
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import evaluate
from algorithms.evaluation.tested_records import CellsOfTests, judged
from algorithms.io.samples import xor
from algorithms.learners.trees.cart import Cart


def test_each_tested_record_has_its_decision(context: RunContext) -> None:
    data = xor(200, 1, context)
    result = evaluate(Cart(pruning="none"), data, CrossValidation(folds=5), context)
    found = judged(result, data)
    assert found is not None
    truth = data.class_codes
    assert (found.decision >= 0).all()
    np.testing.assert_array_equal(found.wrong, found.decision != truth)
    assert found.wrong.sum() == (~result.right).sum() > 0


def test_records_are_found_by_id_in_any_choice_and_order_of_rows(context: RunContext) -> None:
    data = xor(120, 2, context)
    result = evaluate(Cart(pruning="none"), data, CrossValidation(folds=4), context)
    whole, rows = judged(result, data), np.array([100, 3, 57, 4])
    part = judged(result, data.take(rows))
    assert whole is not None and part is not None
    np.testing.assert_array_equal(part.decision, whole.decision[rows])
    np.testing.assert_array_equal(part.wrong, whole.wrong[rows])


def test_of_several_tests_at_least_half_must_be_wrong(context: RunContext) -> None:
    data = xor(150, 3, context)
    result = evaluate(Cart(pruning="none"), data, CrossValidation(folds=5, repeats=3), context)
    found = judged(result, data)
    assert found is not None
    for row in range(len(data)):
        tests = result.right[result.row_ids == data.row_ids[row]]
        assert found.wrong[row] == ((~tests).sum() * 2 >= len(tests) and not tests.all())


def test_untested_records_have_no_decision(context: RunContext) -> None:
    data = xor(100, 4, context)
    result = evaluate(Cart(pruning="none"), data.take(np.arange(60)), CrossValidation(folds=3), context)
    found = judged(result, data)
    assert found is not None
    assert (found.decision[60:] == -1).all() and not found.wrong[60:].any()


def test_a_run_on_other_records_judged_none_of_these(context: RunContext) -> None:
    data = xor(100, 4, context)
    result = evaluate(Cart(pruning="none"), data.take(np.arange(60)), CrossValidation(folds=3), context)
    assert judged(result, data.take(np.arange(60, 100))) is None


def test_the_records_of_a_cell_and_the_cells_of_records_agree(context: RunContext) -> None:
    data = xor(150, 4, context)
    result = evaluate(Cart(pruning="none"), data, CrossValidation(folds=5, repeats=2), context)
    part = data.take(np.random.default_rng(0).permutation(150)[:90])
    found = CellsOfTests.of(result, result.decision, part)
    assert found is not None
    wanted = np.array([[False, True], [False, False]])
    ids = set(result.row_ids[(result.truth == 0) & (result.decision == 1)].tolist()) & set(part.row_ids.tolist())
    assert set(part.row_ids[found.records_in(wanted)].tolist()) == ids != set()
    inside = np.isin(result.row_ids, part.row_ids)
    expected = np.zeros((2, 2))
    np.add.at(expected, (result.truth[inside], result.decision[inside]), 1)
    np.testing.assert_array_equal(found.counts_of(np.ones(90, dtype=np.bool_)), expected)
    assert found.counts_of(np.zeros(90, dtype=np.bool_)).sum() == 0


def test_cells_count_weights_as_the_matrix_does(context: RunContext) -> None:
    data = xor(80, 5, context).with_weights(np.linspace(0.5, 2, 80))
    result = evaluate(Cart(pruning="none"), data, CrossValidation(folds=4), context)
    found = CellsOfTests.of(result, result.decision, data)
    assert found is not None
    np.testing.assert_allclose(found.counts_of(np.ones(80, dtype=np.bool_)), report(result).confusion)
