"""Groups with more errors, possible label errors, and errors by attribute, on tables whose errors are known."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import Column, IntArray, Mask, missing_mask
from algorithms.data.conditions import Relation, matching
from algorithms.data.dataset import Dataset
from algorithms.data.schema import MISSING_CODE, Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.evaluation.error_groups import (
    OLD_RATES,
    OPTIMISTIC,
    ErrorGroups,
    equal_rates,
    error_groups,
    errors_by_attribute,
    rates_by_group,
)
from algorithms.evaluation.label_errors import (
    BY_PATTERN,
    COARSE_WORDS,
    LIKELIHOOD_RATIO,
    MOST_NOISE,
    NO_PROOF,
    agreement,
    confident_classes,
    label_errors,
)
from algorithms.evaluation.methods.methods import CrossValidation, TrainingSet
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.runner import evaluate
from algorithms.evaluation.tested_records import RecordErrors, levels_of
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import evaluation as wording

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


def test_rates_of_a_later_group_are_of_the_records_that_earlier_groups_leave() -> None:
    """Among all records the second group has fewer errors than elsewhere."""
    data = made_table(4000, 5)
    random, first = np.random.default_rng(6), data.column(3) < 2
    color = np.where(first & (random.random(4000) < 0.9), 0, data.column(4)).astype(np.int8)
    data = data.with_columns({4: (data.schema.attributes[4], color)})
    wrong = random.random(4000) < np.where(first, 0.6, np.where(color == 2, 0.2, 0.03))
    one, two, *_more = searched(data, wrong).groups
    assert {part.attribute for part in two.conditions} == {"c1"}
    rows, left = two.rows_in(data), ~one.rows_in(data)
    assert wrong[rows].mean() < wrong[~rows].mean()
    assert two.inside.value == pytest.approx(wrong[rows & left].mean())
    assert two.elsewhere.value == pytest.approx(wrong[~rows & left].mean())
    assert two.inside.value > two.elsewhere.value and two.new == np.count_nonzero(rows & left)


def test_groups_say_their_rule_and_that_their_rates_are_optimistic() -> None:
    data = made_table(1000, 3)
    rule = "at threshold 9%"
    found = replace(searched(data, planted(data, 0.1, 3)), rule=rule)
    assert OPTIMISTIC in found.sentence and found.to_json()["sentence"] == found.sentence
    assert found.to_json()["decision_rule"] == found.rows()[1][-1] == rule
    old = {**found.to_state(), "groups": 2 * found.to_state()["groups"], "among_left": False}
    assert OLD_RATES in ErrorGroups.from_state(old).notes and OLD_RATES not in found.notes


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
    wrong, group = np.repeat([0.0, 1.0], 5), np.repeat([0, 1], 5)
    assert equal_rates(wrong, group) == pytest.approx(2 / 252, abs=0.003)  # Fisher's exact test
    assert equal_rates(wrong, group, np.full(10, 3.0)) == pytest.approx(2 / 252, abs=0.003)
    assert equal_rates(wrong, np.zeros(10, dtype=np.int64)) is None


def test_equal_rates_of_fractions_and_weights_are_exact_in_groups_of_one_record() -> None:
    """One of 101 records alone in its group: p is its rank, however large a chi-square would be."""
    group = np.append(np.zeros(100, dtype=np.int64), 1)
    fractions = np.append(np.tile([0.0, 0.1, 0.0, 0.0], 25), 0.9)
    assert equal_rates(fractions, group) == pytest.approx(1 / 101, abs=0.004)
    wrong, weights = np.append(np.tile([0.0, 1.0, 0.0, 0.0], 25), 1.0), np.linspace(1, 2, 101)
    assert (equal_rates(wrong, group, weights) or 0) > 0.1
    alarms = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        p = equal_rates(random.binomial(3, 0.1, 90) / 3, np.append(np.zeros(70, dtype=np.int64), np.arange(1, 21)))
        alarms += p is not None and p <= 0.05
    assert alarms <= 8


def test_extremes_are_named_among_rows_of_enough_records_only() -> None:
    data = made_table(400, 6)
    color = data.column(4).copy()
    wrong = np.where(color == 2, 0.9, 0.1) > np.random.default_rng(1).random(400)
    black = np.flatnonzero(color == 4)
    color[black[1:]], wrong[black[0]] = 3, True  # one record, which is wrong
    data = data.with_columns({4: (data.schema.attributes[4], color)})
    found = errors_by_attribute(with_errors(data, wrong), "c1")
    assert found.parts[4].records == 1 and found.parts[4].error.value == 1
    assert "black" not in found.sentence and "blue" in found.sentence
    assert found.parts[2].error.interval_words() in found.sentence
    assert found.to_json()["sentence"] == found.sentence


def test_the_class_has_no_error_rates_of_its_own() -> None:
    errors = with_errors(made_table(50, 1), np.arange(50) % 5 == 0)
    for refused in (lambda: errors_by_attribute(errors, "class"), lambda: rates_by_group(errors, "class", 0)):
        with pytest.raises(DataError, match=wording.IS_THE_CLASS):
            refused()


def test_where_base_rates_differ_a_sentence_says_that_not_all_can_be_equal() -> None:
    data = made_table(400, 8)
    same = rates_by_group(with_errors(data, planted(data, 0.1, 8)), "c0", 0)
    classes = np.where(data.column(3) < 2, 0, data.class_codes).astype(np.int8)
    other = data.with_columns({5: (data.schema.attributes[5], classes)})
    found = rates_by_group(with_errors(other, planted(other, 0.1, 8)), "c0", 0)
    assert found.p_base is not None and found.p_base < 0.001 < 0.05 < (same.p_base or 0)
    assert "Chouldechova" in found.sentence and "Chouldechova" not in same.sentence
    assert wording.COULD_BE_EQUAL not in same.sentence


def test_equal_precision_is_possible_without_false_positives() -> None:
    """Half of each group's class is found and nothing else: PPV, FPR and FNR are equal, predictions are not perfect."""
    n = 2000
    group, place = np.repeat([0, 1], n // 2).astype(np.int8), np.tile(np.arange(n // 2), 2)
    is_yes = place < np.where(group == 0, 500, 200)
    missed = is_yes & (place % 2 == 0)
    schema = Schema((nominal("g", ("A", "B")), nominal("class", ("yes", "no"))), 1)
    data = Dataset(schema, [group, np.where(is_yes, 0, 1).astype(np.int8)])
    found = rates_by_group(with_errors(data, missed), "g", 0)
    first, second = ([rate.value for rate in one.rates[2:]] for one in found.groups)
    assert first == second == [0.5, 0, 1] and found.p_base is not None and found.p_base < 0.001
    assert wording.UNLESS_NONE_IS_WRONG in found.sentence


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


def run_of(data: Dataset, learner: NaiveBayes | Cart | LogisticRegression, seed: int = 1) -> RecordErrors:
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
    assert len(found) == 0 and found.unmet == (COARSE_WORDS,) and COARSE_WORDS in found.sentence


@pytest.mark.parametrize("share", [0.05, 0.2])
def test_one_sided_label_errors_are_never_said_to_be_absent(share: float) -> None:
    data, _none = two_clouds(2000, 4, 0, 3)
    moved = (data.class_codes == 1) & (np.random.default_rng(3).random(2000) < share)
    wrong = data.with_columns({4: (data.schema.attributes[4], np.where(moved, 0, data.class_codes).astype(np.int8))})
    found = label_errors(run_of(wrong, NaiveBayes()))
    assert len(found) == 0 and found.unmet and found.unmet[0] in found.sentence
    assert wording.confidently_contradicted(found.n_candidates) in found.sentence
    assert NO_PROOF in found.sentence and "No sign" not in found.sentence
    assert found.to_json()["conditions_not_met"] == list(found.unmet)


def test_a_floor_that_fails_another_condition_is_kept_and_named() -> None:
    data, _swapped = two_clouds(2000, 6, 0.3, 1)
    found = label_errors(run_of(data, LogisticRegression()))
    assert len(found) == 0 and found.floor >= MOST_NOISE and found.likelihood_ratio > LIKELIHOOD_RATIO
    assert found.to_json()["fitted_floor"] == found.floor and "fitted floor" in found.sentence
    assert found.to_json()["guards"]["contradicted"] > 500


def test_a_second_kind_of_learner_is_asked_about_the_listed_records() -> None:
    """Classes are right by a rule that naive Bayes misses, and a tree learns."""
    random = np.random.default_rng(3)
    cloud, bits = random.integers(0, 2, 2000), random.integers(0, 2, (2000, 2))
    flipped = (bits[:, 0] == 1) & (bits[:, 1] == 1) & (rare := random.random(2000) < 0.25)
    x = cloud * 6 + random.normal(size=2000)
    schema = Schema((numeric("x"), *(nominal(f"b{j}", ("0", "1")) for j in range(3)), nominal("class", ("n", "y"))), 4)
    columns = [x, *(part.astype(np.int8) for part in (*bits.T, rare)), np.where(flipped, 1 - cloud, cloud)]
    data = Dataset(schema, [*columns[:4], columns[4].astype(np.int8)])
    errors, tree = run_of(data, NaiveBayes()), run_of(data, Cart())
    found = label_errors(errors)
    assert len(found) > 50 and BY_PATTERN in found.sentence and "probably wrong" not in found.sentence
    said = agreement(found, errors.result, [("Naive Bayes", errors.result), ("CART", tree.result)])
    chosen = tree.result.probabilities[np.argsort(tree.result.row_ids)].argmax(axis=1)[found.ids]
    n = np.count_nonzero(chosen == found.suggested)
    assert said == wording.suggests_the_same("CART", n, len(found)) and n < len(found) / 10
    assert "another kind" in agreement(found, errors.result)


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
