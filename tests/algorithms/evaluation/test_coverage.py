"""What intervals hold: of one part by itself what they say, of folds less, and the verdict says so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from algorithms.core.run_control import RunContext
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.evaluation.measures.intervals import (
    BY_FOLDS,
    MEASURED,
    ONE_PART,
    IntervalCoverage,
    accuracy_interval,
    coverage_of,
    narrowness,
)
from algorithms.evaluation.measures.metrics import report
from algorithms.evaluation.methods.by_column import GroupCrossValidation
from algorithms.evaluation.methods.methods import (
    Bootstrap632,
    Bootstrap632Plus,
    CompleteCrossValidation,
    CrossValidation,
    Holdout,
    LeaveOneOut,
    RepeatedHoldout,
    TrainingSet,
)
from algorithms.evaluation.report import report_to_text, verdict
from algorithms.evaluation.runner import evaluate
from tests.algorithms.evaluation.toys import Means, two_classes
from tests.benchmarks.interval_coverage import CASES, LEARNERS, measure, table
from tests.expected_texts import evaluation as wording


@pytest.mark.parametrize("n", [34, 68, 136, 272])
def test_of_independent_tests_the_interval_holds_the_truth_95_times_in_100(n):
    """Reckoned exactly: every count of right ones with its binomial chance, over accuracies from .5 to .97."""
    intervals = [accuracy_interval(k / n, n) for k in range(n + 1)]
    held = []
    for p in np.arange(0.5, 0.975, 0.01):
        holds = np.array([low <= p <= high for low, high in intervals])
        held.append(float(stats.binom.pmf(np.arange(n + 1), n, p) @ holds))
    assert 0.93 <= np.mean(held) <= 0.97


def judged(method):
    return evaluate(Means(), two_classes(60), method, RunContext(seed=2))


def test_folds_are_said_to_have_a_narrow_range_with_what_was_measured():
    result = judged(CrossValidation())
    said = narrowness(result)
    assert wording.folds_hold_so_often(BY_FOLDS[10].model) in said
    assert said in verdict(report(result), 0).sentence
    assert said in report_to_text(result, report(result))
    assert wording.MUCH_TOO_NARROW in narrowness(judged(Bootstrap632(samples=5)))
    assert wording.folds_hold_so_often(MEASURED["leave-one-out"][1].model) in narrowness(judged(LeaveOneOut()))


@pytest.mark.parametrize("folds", [2, 3, 5, 10])
def test_each_number_of_folds_has_a_coverage_of_its_own(folds):
    said = narrowness(judged(CrossValidation(folds=folds)))
    assert wording.held_so_often(BY_FOLDS[folds].model) in said


@pytest.mark.parametrize(
    "method",
    [
        CrossValidation(folds=4),
        CrossValidation(folds=2, repeats=3),
        CrossValidation(repeats=10),
        CompleteCrossValidation(size=1),
        RepeatedHoldout(percent=50.0),
        Bootstrap632(samples=5),
    ],
)
def test_nothing_is_cited_for_settings_that_were_not_measured(method):
    assert coverage_of(method) is None
    assert "coverage" not in narrowness(judged(method)) and "narrow" in narrowness(judged(method))


@pytest.mark.parametrize(
    "method",
    [CrossValidation(repeats=3), CompleteCrossValidation(), RepeatedHoldout(), Bootstrap632(), Bootstrap632Plus()],
)
def test_the_settings_that_were_measured_are_cited(method):
    assert coverage_of(method) == MEASURED[method.id][1]


def test_by_groups_the_range_is_said_to_be_of_tests_that_hang_together():
    data = two_classes(60)
    groups = Attribute("patient", AttributeKind.IDENTIFIER), np.array([f"p{i % 12}" for i in range(60)], dtype=object)
    result = evaluate(
        Means(), data.with_new_column(*groups), GroupCrossValidation(column="patient"), RunContext(seed=2)
    )
    said = narrowness(result)
    assert wording.RECORDS_OF_A_GROUP in said
    assert wording.folds_hold_so_often(MEASURED["group-cross-validation"][1].model) in said


@pytest.mark.parametrize("method", [Holdout(), TrainingSet()])
def test_one_part_is_not(method):
    assert narrowness(judged(method)) == ""


def test_the_script_measures_every_method_and_learner_it_names():
    found = measure(7, 3)
    assert {name for _, name in found} == set(LEARNERS)
    lines = table(found).split("\n")
    methods = [line.split(" | ")[0].removeprefix("| ") for line in lines[2:]]
    assert list(dict.fromkeys(methods)) == list(CASES)
    whole = next(tally for (method, _), tally in found.items() if CASES[method].method == Holdout())
    assert 0 < np.mean(whole.width) < 0.4
    assert len(whole.held_model) == len(whole.bias)


def test_what_the_program_says_is_what_the_published_table_has():
    """The lines of all learners together, rounded, in ``resources/docs/coverage.md``."""
    published = {}
    for line in (Path(__file__).parents[3] / "resources/docs/coverage.md").read_text(encoding="utf-8").split("\n"):
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 5 and cells[2] == "**all**":
            published[cells[1]] = IntervalCoverage(*(round(float(cell.split()[0])) for cell in cells[4:6]))
    one_part, *others = CASES
    assert published.pop(one_part) == ONE_PART
    assert published == {
        **{name: MEASURED[CASES[name].method.id][1] for name in others},
        **{f"{folds} folds": measured for folds, measured in BY_FOLDS.items()},
    }
