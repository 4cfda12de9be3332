"""Groups with more errors, probable label errors, and errors by attribute, on tables whose errors are known."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest, chi2

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import Column, IntArray, Mask, missing_mask
from algorithms.data.conditions import Relation, matching
from algorithms.data.dataset import Dataset
from algorithms.data.schema import MISSING_CODE, Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.evaluation.error_groups import (
    ErrorGroups,
    equal_rates,
    error_groups,
    errors_by_attribute,
    rates_by_group,
)
from algorithms.evaluation.label_errors import confident_classes, label_errors
from algorithms.evaluation.methods.methods import CrossValidation, TrainingSet
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.runner import evaluate
from algorithms.evaluation.tested_records import RecordErrors, Share, levels_of
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.zero_r import ZeroR

COLORS = ("red", "green", "blue", "white", "black")


def made_table(n: int, seed: int) -> Dataset:
    """Three numbers, two nominal attributes and a class that none of them tells."""
    random = np.random.default_rng(seed)
    attributes = [numeric(f"x{j}") for j in range(3)] + [nominal(f"c{j}", COLORS) for j in range(2)]
    columns = [random.normal(size=n) for _ in range(3)] + [random.integers(0, 5, n).astype(np.int8) for _ in range(2)]
    schema = Schema((*attributes, nominal("class", ("yes", "no"))), 5)
    return Dataset(schema, [*columns, random.integers(0, 2, n).astype(np.int8)])


def with_errors(data: Dataset, wrong: IntArray | Mask) -> RecordErrors:
    """Tests of all records, wrong where ``wrong`` (n,) says so."""
    n, truth = len(data), data.class_codes.astype(np.int32)
    decision = np.where(wrong, 1 - truth, truth).astype(np.int32)
    probabilities = np.full((n, 2), 0.2)
    probabilities[np.arange(n), decision] = 0.8
    blank = evaluate(ZeroR(), data, CrossValidation(folds=2), RunContext())
    zeros = np.zeros(n, dtype=np.int32)
    arrays = {"truth": truth, "decision": decision, "probabilities": probabilities, "folds": zeros, "repeats": zeros}
    return RecordErrors.of(replace(blank, row_ids=data.row_ids, **arrays), data)


def planted(data: Dataset, rate: float, seed: int) -> Mask:
    """Errors at ``rate``, and at 1 - rate where x0 > 0.674 and c1 is blue, in 5% of the records."""
    random = np.random.default_rng(seed)
    inside = (data.column(0) > 0.674) & (data.column(4) == 2)
    return np.where(inside, random.random(len(data)) < 1 - rate, random.random(len(data)) < rate)


def searched(data: Dataset, wrong: IntArray | Mask, seed: int = 1) -> ErrorGroups:
    return error_groups(with_errors(data, wrong), RunContext(seed=seed))


def test_a_planted_group_of_two_conditions_is_found_and_nothing_else() -> None:
    data = made_table(1000, 3)
    found = searched(data, planted(data, 0.1, 3))
    (group,) = found.groups
    assert {one.attribute for one in group.conditions} == {"x0", "c1"}
    assert group.p_adjusted == pytest.approx(1 / 200)
    rows = group.rows_in(data)
    assert np.count_nonzero(rows) == group.records == group.new
    assert group.inside.value > 0.7 > 0.2 > group.elsewhere.value
    assert found.to_json()["groups"][0]["records"] == group.records == found.rows()[1][1]
    assert found.written_rows()[1][0] == group.words


def test_errors_at_random_give_no_groups() -> None:
    """At most 5% of alarms are expected; ``tests.benchmarks.error_analysis`` makes a hundred."""
    alarms = 0
    for seed in range(15):
        data = made_table(200, seed)
        alarms += bool(searched(data, np.random.default_rng(seed + 99).random(200) < 0.2, seed).groups)
    assert alarms <= 2


def test_a_second_group_is_found_among_the_records_that_the_first_leaves() -> None:
    data = made_table(1500, 5)
    wrong = planted(data, 0.05, 5) | (data.column(3) == 0)
    found = searched(data, wrong)
    assert [one.attribute for one in found.groups[0].conditions] == ["c0"]
    assert {one.attribute for one in found.groups[1].conditions} == {"x0", "c1"}
    assert found.groups[1].new < found.groups[1].records


def test_missing_values_can_be_a_condition() -> None:
    data = made_table(600, 1)
    column = data.column(3).copy()
    gone = np.random.default_rng(0).random(600) < 0.1
    column[gone] = MISSING_CODE
    data = data.with_columns({3: (data.schema.attributes[3], column)})
    found = searched(data, gone.astype(np.int64))
    assert [one.relation for one in found.groups[0].conditions] == [Relation.MISSING]
    assert found.groups[0].inside.value == 1


def test_no_errors_and_only_errors_give_no_groups() -> None:
    data = made_table(100, 2)
    for wrong in (np.zeros(100, dtype=np.int64), np.ones(100, dtype=np.int64)):
        found = searched(data, wrong)
        assert found.groups == () and found.n_permutations == 0


RANDOM = np.random.default_rng(4)
COLUMNS = [
    (numeric("x"), np.where(np.arange(500) % 7 == 0, np.nan, np.round(RANDOM.normal(size=500), 2))),
    (numeric("x"), np.where(RANDOM.random(500) < 0.1, np.inf, RANDOM.normal(size=500))),
    (numeric("x"), np.full(500, np.nan)),
    (numeric("x"), 1e15 + np.arange(500.0)),
    (Attribute("day", AttributeKind.DATE), RANDOM.uniform(0, 2e9, 500)),
    (Attribute("size", AttributeKind.ORDINAL, ("low", "mid", "high")), RANDOM.integers(-1, 3, 500).astype(np.int8)),
    (nominal("code", [f"v{code}" for code in range(200)]), RANDOM.integers(0, 200, 500).astype(np.int16)),
]


@pytest.mark.parametrize(("attribute", "column"), COLUMNS)
def test_levels_hold_as_many_records_as_their_conditions_say(attribute: Attribute, column: Column) -> None:
    data = Dataset(Schema((attribute,)), [column])
    levels = levels_of(attribute, column, 10)
    for code, conditions in enumerate(levels.conditions):
        assert not conditions or np.array_equal(matching(data, conditions), levels.codes == code)
    for cut, ways in enumerate(levels.cuts or ()):
        below = matching(data, ways[:1])
        assert np.array_equal(below, levels.codes <= cut)
        assert bool((below ^ matching(data, ways[1:]) ^ missing_mask(attribute, column)).all())


def test_error_rates_have_the_intervals_of_wilson() -> None:
    data = made_table(400, 6)
    wrong = planted(data, 0.1, 6)
    found = errors_by_attribute(with_errors(data, wrong), "c1")
    assert [one.label for one in found.parts] == list(COLORS)
    assert sum(one.records for one in found.parts) == 400
    for code, one in enumerate(found.parts):
        k, n = int(wrong[data.column(4) == code].sum()), int((data.column(4) == code).sum())
        ends = binomtest(k, n).proportion_ci(method="wilson")
        assert one.error.value == pytest.approx(k / n)
        assert one.error.interval == pytest.approx((ends.low, ends.high), abs=2e-5)


def test_rates_of_groups_are_those_of_their_confusion_matrices() -> None:
    data = made_table(400, 7)
    errors = with_errors(data, planted(data, 0.2, 7))
    found = rates_by_group(errors, "c0", 0)
    yes, says = data.class_codes == 0, errors.decision == 0
    for code, one in enumerate(found.groups):
        inside = data.column(3) == code
        tp, fp = np.sum(inside & yes & says), np.sum(inside & ~yes & says)
        rates = [
            np.mean(yes[inside]),
            np.mean((yes == says)[inside]),
            tp / np.sum(inside & yes),
            fp / np.sum(inside & ~yes),
            tp / (tp + fp),
        ]
        assert [rate.value for rate in one.rates] == pytest.approx(rates)
        assert one.miscalibration == pytest.approx(np.mean(errors.result.probabilities[inside, 0]) - rates[0])
    assert len(found.rows()) == len(found.written_rows()) == 6


def test_equal_rates_are_tested_by_counts_drawn_at_random() -> None:
    small = [Share(0.0, 5.0, 5.0), Share(5.0, 5.0, 5.0)]
    assert equal_rates(small) == pytest.approx(2 / 252, abs=0.003)  # Fisher's exact test
    weighted = [Share(30.5, 100.0, 100.0), Share(50.0, 100.0, 100.0)]
    statistic = 100 * (0.305**2 + 0.5**2 - 2 * 0.4025**2) / (0.4025 * 0.5975)
    assert equal_rates(weighted) == pytest.approx(chi2.sf(statistic, 1))
    assert equal_rates(small[:1]) is None


def test_where_base_rates_differ_a_sentence_says_that_not_all_can_be_equal() -> None:
    data = made_table(400, 8)
    same = rates_by_group(with_errors(data, planted(data, 0.1, 8)), "c0", 0)
    classes = np.where(data.column(3) < 2, 0, data.class_codes).astype(np.int8)
    other = data.with_columns({5: (data.schema.attributes[5], classes)})
    found = rates_by_group(with_errors(other, planted(other, 0.1, 8)), "c0", 0)
    assert found.p_base is not None and found.p_base < 0.001 < 0.05 < (same.p_base or 0)
    assert "Chouldechova" in found.sentence and "Chouldechova" not in same.sentence


def test_text_has_no_groups() -> None:
    texts = np.array(["a", "b"] * 50, dtype=object)
    data = made_table(100, 1).with_new_column(Attribute("note", AttributeKind.TEXT), texts, at=0)
    with pytest.raises(DataError):
        errors_by_attribute(with_errors(data, np.zeros(100, dtype=np.int64)), "note")


def two_clouds(n: int, apart: float, share: float, seed: int) -> tuple[Dataset, Mask]:
    """Two normal classes in four dimensions, and which classes were swapped."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, 2, n)
    columns = [random.normal(size=n) + (truth * apart if j < 2 else 0) for j in range(4)]
    swapped = random.random(n) < share
    schema = Schema((*(numeric(f"x{j}") for j in range(4)), nominal("class", ("yes", "no"))), 4)
    return Dataset(schema, [*columns, np.where(swapped, 1 - truth, truth).astype(np.int8)]), swapped


def run_of(data: Dataset, learner: NaiveBayes | Cart, seed: int = 1) -> RecordErrors:
    return RecordErrors.of(evaluate(learner, data, CrossValidation(folds=5), RunContext(seed=seed)), data)


def test_most_reported_label_errors_are_swapped_classes() -> None:
    data, swapped = two_clouds(2000, 3, 0.03, 1)
    found = label_errors(run_of(data, NaiveBayes()))
    hits = np.count_nonzero(swapped[found.places])
    assert hits / len(found) > 0.8 and hits / np.count_nonzero(swapped) > 0.6
    assert found.floor == pytest.approx(0.03, abs=0.015)
    margins = found.of_given - found.of_suggested
    assert bool((np.diff(margins) >= 0).all()) and bool((found.given != found.suggested).all())
    assert found.rows()[1][0] == int(found.ids[0]) + 1 and len(found.written_rows(5)) == 6


@pytest.mark.parametrize("apart", [0.0, 1.5, 3.0])
def test_clean_and_random_classes_have_no_label_errors(apart: float) -> None:
    """At most 5% of alarms are expected; ``tests.benchmarks.error_analysis`` makes a hundred."""
    alarms = sum(len(label_errors(run_of(two_clouds(400, apart, 0, seed)[0], NaiveBayes()))) > 0 for seed in range(10))
    assert alarms <= 1


def test_a_single_tree_cannot_tell_label_errors() -> None:
    data, _swapped = two_clouds(400, 4, 0.05, 2)
    found = label_errors(run_of(data, Cart()))
    assert len(found) == 0 and found.why_none == found.sentence


def test_classes_that_the_models_have_seen_are_no_evidence() -> None:
    data, _swapped = two_clouds(100, 3, 0.1, 2)
    result = evaluate(NaiveBayes(), data, TrainingSet(), RunContext())
    with pytest.raises(DataError):
        label_errors(RecordErrors.of(result, data))


def test_the_confident_class_is_above_the_mean_of_its_own_records() -> None:
    """Northcutt, Jiang and Chuang (2021), Eq. 1 and 2, by hand."""
    probabilities = np.array([[0.9, 0.1], [0.5, 0.5], [0.8, 0.2], [0.1, 0.9], [0.6, 0.4]])
    thresholds, confident = confident_classes(probabilities, np.array([0, 0, 1, 1, 1]))
    assert thresholds == pytest.approx([0.7, 0.5])
    assert confident.tolist() == [0, 1, 0, 1, -1]


def test_repeated_tests_count_each_record_once() -> None:
    data = made_table(120, 3)
    result: EvaluationResult = evaluate(NaiveBayes(), data, CrossValidation(folds=3, repeats=4), RunContext(seed=2))
    errors = RecordErrors.of(result, data)
    assert len(errors) == 120
    assert errors.share(errors.wrong).value == pytest.approx(float(np.mean(~result.right)))
    assert not math.isnan(error_groups(errors, RunContext()).p_best)
