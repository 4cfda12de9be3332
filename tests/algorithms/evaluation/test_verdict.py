"""The verdict in words, and the report as text and JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.evaluation.checks.warnings import few_tested
from algorithms.evaluation.compare.comparison import BaselineVerdict, ahead_of_baseline, beside_baseline
from algorithms.evaluation.compare.significance_tests import PairedComparison, PairedLead
from algorithms.evaluation.costs.cost_matrix import zero_one
from algorithms.evaluation.costs.mean_cost import costs_of_tests
from algorithms.evaluation.measures.metrics import Report, report
from algorithms.evaluation.methods.methods import CrossValidation, TrainingSet
from algorithms.evaluation.report import (
    default_class_of_interest,
    plain,
    report_to_json,
    report_to_text,
    table,
    verdict,
)
from algorithms.evaluation.runner import evaluate
from algorithms.text.numbers import decimals_apart, interval_words, percent
from tests.algorithms.evaluation.results import random_result
from tests.algorithms.evaluation.test_metrics import made
from tests.algorithms.evaluation.toys import Means, two_classes
from tests.expected_texts import evaluation as wording


def of_matrix(cells: list[list[int]], classes: tuple[str, ...]) -> Report:
    pairs = [(i, j) for i, row in enumerate(cells) for j, cell in enumerate(row) for _ in range(cell)]
    truth, decision = zip(*pairs, strict=True)
    return report(made(truth, decision, classes=classes))


BREAST = of_matrix([[438, 20], [18, 223]], ("benign", "malignant"))


def test_verdict_says_how_often_it_is_right_beside_guessing():
    found = verdict(BREAST, 1)
    assert found.headline == wording.judged_right(94.6)
    assert found.interval_words == wording.BETWEEN
    assert found.sentence == (wording.BESIDE_GUESSING_MALIGNANT)


def test_class_of_interest_is_the_rarest_unless_chosen():
    assert default_class_of_interest(BREAST) == 1
    assert default_class_of_interest(of_matrix([[5, 0, 0], [0, 5, 0], [0, 0, 9]], ("a", "b", "c"))) == 1
    assert default_class_of_interest(of_matrix([[5, 0, 0], [0, 9, 0], [0, 0, 0]], ("a", "b", "c"))) == 0
    assert wording.FINDS_BENIGN in verdict(BREAST, 0).sentence


def test_class_of_interest_is_the_one_that_says_yes_where_there_is_one():
    assert default_class_of_interest(of_matrix([[5, 1], [1, 9]], ("no", "Yes"))) == 1
    assert default_class_of_interest(of_matrix([[9, 1], [1, 5]], ("true", "FALSE"))) == 0
    assert default_class_of_interest(of_matrix([[5, 1], [1, 9]], ("no", "maybe"))) == 0
    assert default_class_of_interest(of_matrix([[5, 0], [0, 0]], ("no", "yes"))) == 0, "no tested record is a yes"


def test_verdict_where_the_class_is_never_said_or_never_there():
    assert wording.FINDS_NONE_NEVER_SAYS in verdict(of_matrix([[5, 0], [2, 0]], ("a", "b")), 1).sentence
    assert wording.NO_TESTED_RECORD_IS_B in verdict(of_matrix([[5, 1], [0, 0]], ("a", "b")), 1).sentence


def test_verdict_beside_guessing_is_that_of_the_paired_test():
    """The command line judged by the interval of the accuracy, the window by the paired test."""
    for cells in ([[6, 2], [2, 2]], [[8, 0], [4, 0]]):
        assert wording.GUESSING_AS_OFTEN in verdict(of_matrix(cells, ("a", "b")), 0).sentence
    worse = of_matrix([[10, 70], [5, 15]], ("a", "b"))
    assert verdict(worse, 0).sentence.startswith(wording.GUESSING_MORE_OFTEN), "no verdict without a test"
    assert verdict(worse, 0, (), "So.").sentence.startswith(wording.beside_guessing("So."))


def test_a_baseline_outside_the_interval_is_shown_outside_it():
    """It stood as 80.0% beside 80.0–82.8, and the sentence said that it lies outside."""
    assert decimals_apart(0.8, 0.8004, 0.8277) == decimals_apart(0.828, 0.8004, 0.8277) == 2
    assert decimals_apart(0.8, 0.800004, 0.8277) == 4 and decimals_apart(0.8, 0.8004, 0.8277, 99) == 2
    for inside in ((0.80004, 0.8000, 0.8277), (0.9, 0.8004, 0.8277), (0.81, 0.8004, 0.8277)):
        assert decimals_apart(*inside) is None, "the usual decimals say so already"
    assert percent(0.8, 99, 2) == "80.00%" and interval_words(0.8004, 0.8277, 99, 2) == "95% CI 80.04–82.77"
    assert percent(0.99999, 50, 2) == ">99.99%" and percent(0.999, 50) == "100%" and percent(0.9999) == ">99.9%"
    close = replace(of_matrix([[750, 50], [136, 64]], ("a", "b")), interval=(0.8004, 0.8277), n=1000)
    assert close.decimals_beside_baseline == 2
    said, text = verdict(close, 0), report_to_text(random_result(12), close)
    assert said.interval_words == wording.FINE_INTERVAL and said.sentence.startswith(wording.FINE_BASELINE)
    assert wording.FINE_INTERVAL in text and wording.FINE_BASELINE_ALONE in text


def ahead(difference: float, corrected: float, *, by_records: bool = False) -> PairedLead:
    ends = difference - 0.01, difference + 0.01
    return PairedLead(PairedComparison(difference, 0.005, ends, 0.95, 0.03, 10, by_records), 0.03, corrected)


def test_the_corrected_p_decides_beside_the_baseline_and_the_sign_tells_better_from_worse():
    assert BaselineVerdict.of(ahead(0.05, 0.03)) is BaselineVerdict.BETTER
    assert BaselineVerdict.of(ahead(-0.05, 0.03)) is BaselineVerdict.WORSE
    assert BaselineVerdict.of(ahead(0.05, 0.06)) is BaselineVerdict.of(ahead(-0.05, 0.05)) is BaselineVerdict.UNCLEAR


def test_a_verdict_beside_the_baseline_that_the_interval_does_not_suggest_is_explained():
    inside, outside = of_matrix([[75, 5], [10, 10]], ("a", "b")), of_matrix([[700, 50], [50, 200]], ("a", "b"))
    assert beside_baseline(inside, ahead(0.05, 0.06), "fold") == wording.NOT_CLEAR_BESIDE
    assert beside_baseline(outside, ahead(0.15, 0.03), "fold") == wording.HIGHER_BESIDE
    assert beside_baseline(inside, ahead(0.05, 0.03), "fold") == wording.HIGHER_BESIDE + wording.INSIDE_BY_FOLD
    by_records = ahead(-0.05, 0.03, by_records=True)
    assert beside_baseline(inside, by_records, "fold") == wording.LOWER_BESIDE + wording.INSIDE_BY_RECORD
    assert beside_baseline(outside, ahead(0.15, 0.06), "fold") == wording.NOT_CLEAR_BESIDE + wording.OUTSIDE_DEPENDENT
    by_records = ahead(0.15, 0.06, by_records=True)
    assert beside_baseline(outside, by_records, "fold") == wording.NOT_CLEAR_BESIDE + wording.OUTSIDE_BY_RECORD
    assert beside_baseline(inside, None, "fold") == ""


def test_the_baseline_is_the_most_frequent_class_of_training_on_the_same_tests():
    result = replace(random_result(400), baseline_class=1)
    lead = ahead_of_baseline(result)
    assert lead is not None and lead.paired is not None and lead.paired.by_records
    share = float(np.mean(result.truth == 1))
    assert lead.paired.difference == pytest.approx(float(np.mean(result.right)) - share)
    assert ahead_of_baseline(replace(result, test_is_training=True)) is None


def test_verdict_on_training_records_says_that_it_flatters():
    result = evaluate(Means(), two_classes(), TrainingSet(), RunContext(seed=1))
    assert verdict(report(result), 0).sentence.startswith(wording.TESTED_ON_TRAINING)


@pytest.mark.parametrize(
    ("share", "words"),
    [(1.0, "100.0%"), (0.0, "0.0%"), (0.9996, ">99.9%"), (0.0004, "<0.1%"), (0.946, "94.6%"), (0.5, "50.0%")],
)
def test_percent(share, words):
    assert percent(share) == words


def test_json_is_strict_and_has_every_number():
    result = evaluate(Means(), two_classes(), CrossValidation(), RunContext(seed=7))
    values = report_to_json(result, report(result, costs_of_tests(zero_one(("no", "yes")), result)))
    again = json.loads(json.dumps(values, allow_nan=False))
    needed = (
        "accuracy error_rate interval kappa auc confusion classes per_class total_cost seconds learner method seed n"
    )
    assert set(needed.split()) <= set(again)
    assert again["seed"] == 7
    assert again["learner"] == {"id": "means", "parameters": {"digits": 3}}
    assert np.array(again["confusion"]).sum() == again["n"] == 60
    assert again["per_class"][1]["label"] == "yes"


def test_json_of_what_is_undefined_is_null():
    judged = of_matrix([[5, 0], [0, 0]], ("a", "b"))
    result = made([0] * 5, [0] * 5, classes=("a", "b"))
    values = report_to_json(result, judged)
    assert values["kappa"] is None
    assert values["per_class"][1]["recall"] is None
    assert plain({"x": [float("nan"), (np.inf, 1)]}) == {"x": [None, [None, 1]]}


def test_text_starts_with_the_verdict_and_shows_the_matrix_with_labels():
    result = made([0, 0, 1, 1], [0, 0, 1, 0], classes=("benign", "malignant"))
    text = report_to_text(replace(result, warnings=("Beware.",), marks=("Filled.",)), report(result))
    lines = text.splitlines()
    assert lines[0].startswith(wording.RIGHT_3_OF_4)
    assert wording.HEAD_OF_MATRIX in lines
    assert wording.ROW_OF_MALIGNANT in lines
    assert "Note: Beware." in lines
    assert "Note: Filled." in lines
    assert "nan" not in text.lower().replace("malignant", "")


def test_table_aligns_its_columns():
    assert table([["a", "bbb"], ["cc", "1"]]) == wording.ALIGNED_TABLE


def test_a_run_that_was_stopped_early_is_not_sent_to_the_folds_it_had_already() -> None:
    whole = replace(random_result(12), n_training=100)
    stopped = replace(whole, partial=True)
    [advised], [meant] = (list(few_tested(result, report(result))) for result in (whole, stopped))
    assert advised.remedy == wording.JUDGE_BY_FOLDS and meant.remedy != wording.JUDGE_BY_FOLDS
