"""Warnings about how a result was tested: on which records, on how many, and how they differ from the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from algorithms.data.dataset import Dataset
from algorithms.evaluation.checks.data_quality_checks import (
    LEAST_SHARED,
    LEAST_TWINS,
    DuplicateRecords,
    RunChecks,
    TestFileOverlap,
)
from algorithms.evaluation.checks.data_warnings import giveaway
from algorithms.evaluation.checks.drift import Drift
from algorithms.evaluation.checks.warning import MEANING, Emphasis, ResultWarning, name_of
from algorithms.evaluation.measures.metrics import Report, may_be_guessing, ranking_measure
from algorithms.evaluation.result import EvaluationResult
from algorithms.text.numbers import in_hundredths, in_percent

WIDE: Final = 0.2
"""From this width on an interval says little."""
MOST_LISTED: Final = 12
WHAT_TWINS_MEAN: Final = (
    "Where they are the same thing entered twice, the test is easier than life: keep one of each. Where different "
    "things merely look alike, leave them."
)
WHAT_SHARING_MEANS: Final = (
    "A tested record that also trained the model is no test: it was learned by heart. Without these records in "
    "training the test file says what happens on new ones."
)
WHAT_DRIFT_MEANS: Final = (
    "The tested records are of another kind than those that trained the model, more than chance explains "
    "(Kolmogorov-Smirnov for numbers, chi-square for values, corrected by Holm). The accuracy is about records like "
    "the tested ones; where those to come are like neither, it says little. Is the column measured in the same way, "
    "at the same time, of the same people? If not, leave it out or train on newer records."
)
WHAT_A_CLASS_DRIFT_MEANS: Final = (
    "The classes have other shares among the tested records than among those that trained the model, more than chance "
    "explains. Its probabilities are made for the shares it was trained with: look at each class by itself."
)
WHAT_FEW_MEAN: Final = (
    "So few records were tested that the accuracy may be far from the true one: that is what the range says. Folds "
    "test every record once; more records are the only other remedy."
)
WHAT_TRAINING_RECORDS_MEAN: Final = "Judges the same learner by cross-validation, on records it did not learn from."
WHAT_SHUFFLING_IS: Final = (
    "A shuffle test makes the same run on tables whose classes are dealt out at random. Where it does as well there, "
    "its result says nothing."
)
WHAT_A_MARK_MEANS: Final = (
    "It was done to the table before the folds were made, with the tested records in view: what is measured may "
    "flatter. Done as a step of the recipe, the same is learned in each fold from its training records alone."
)


def evaluation_warnings(result: EvaluationResult, report: Report, checks: RunChecks) -> list[ResultWarning]:
    """Every warning about how a result was tested; ``checks`` is what was found out about its records."""
    found: list[ResultWarning] = []
    if report.test_is_training:
        found.append(tested_on_training())
    elif may_be_guessing(report):
        found.append(may_be_luck(report))
    found += [*few_tested(result, report), *estimate(result), *twins(checks.twins), *shared(checks.overlap)]
    found += [*drift(checks.drifts), *class_drift(checks.drifts)]
    return [each for each in found if not each.harmless]


def tested_on_training() -> ResultWarning:
    sentence = "Tested on its own training records, which flatters it"
    return ResultWarning("tested-on-training", (sentence,), WHAT_TRAINING_RECORDS_MEAN, "judge by folds")


def may_be_luck(report: Report) -> ResultWarning:
    """Where the interval of the measure that ranks runs reaches down to what guessing achieves."""
    if ranking_measure(report) == "accuracy" or report.auc is None or report.auc_interval is None:
        by = f"accuracy {100 * report.accuracy:.1f}%, baseline {100 * report.baseline_accuracy:.1f}%"
    else:
        low, high = report.auc_interval.ends
        by = f"AUC {report.auc:.3f}, 95% CI {low:.3f}–{high:.3f}"
    return ResultWarning("luck", (f"It may be no better than guessing ({by})",), WHAT_SHUFFLING_IS, "shuffle test")


def few_tested(result: EvaluationResult, report: Report) -> Iterator[ResultWarning]:
    """Where the interval is so wide that it says little."""
    low, high = report.interval
    if high - low <= WIDE or report.test_is_training:
        return
    of_weight = "" if report.n_kish is None else f" (worth {report.n_kish:,.1f} of equal weight)"
    sentence = (
        f"Only {report.n:,} tested records{of_weight}: the truth lies anywhere in {100 * (high - low):.0f} of 100"
    )
    can_test_more = result.n_training > report.n and not result.method.needs_test_data and not result.partial
    yield ResultWarning("few-tested", (sentence,), WHAT_FEW_MEAN, "judge by folds" if can_test_more else MEANING)


def estimate(result: EvaluationResult) -> Iterator[ResultWarning]:
    """The .632 bootstrap flatters a learner that memorises."""
    made = result.estimate
    if made is not None and made.caution:
        sentence = "The .632 estimate flatters a learner that memorises"
        yield ResultWarning("estimate", (sentence,), f"{made.caution} {made.remark}", "judge by .632+")


def twins(found: DuplicateRecords | None) -> Iterator[ResultWarning]:
    """Tested records with an exact copy among those that trained the model."""
    if found is None or found.share < LEAST_TWINS:
        return
    parts = (Emphasis(in_hundredths(found.share)), " in 100 tested records have an exact twin in training")
    if found.natural:
        yield ResultWarning("twins", parts, natural(found.by_chance), harmless=True)
    else:
        clause = f"{in_percent(found.share)} of the tested records duplicate a training record"
        why = f"{by_chance(found.by_chance)} {WHAT_TWINS_MEAN}"
        yield ResultWarning("twins", parts, why, "keep one of each", leak=clause)


def shared(found: TestFileOverlap | None) -> Iterator[ResultWarning]:
    """Records of the test file that are training records too."""
    if found is None or found.share < LEAST_SHARED:
        return
    parts = (Emphasis(f"{100 * found.share:.1f}"), " in 100 records of the test file are training records too")
    if found.natural:
        yield ResultWarning("shared", parts, natural(found.by_chance), harmless=True)
    else:
        clause = f"{in_percent(found.share)} of the test file are training records too"
        yield ResultWarning("shared", parts, WHAT_SHARING_MEANS, "take them out of training", leak=clause)


def natural(share: float) -> str:
    """Why copies that chance explains are no warning."""
    return (
        f"Such copies are natural: these columns take few values. {by_chance(share)} It says nothing against the test."
    )


def by_chance(share: float) -> str:
    """How many copies chance would make."""
    return f"By chance about {in_percent(share)} would have one."


def drift(found: Sequence[Drift]) -> Iterator[ResultWarning]:
    """Columns whose tested values are of another kind than those that trained the model."""
    own = [each for each in found if not each.is_class]
    columns = tuple(dict.fromkeys(each.name for each in own))
    if not columns:
        return
    parts: tuple[str | Emphasis, ...] = (f"{len(columns)} columns are of another kind in the tested records",)
    if len(columns) == 1:
        parts = (name_of(columns[0]), " is of another kind in the tested records")
    listed = ", ".join(each.words() for each in own[:MOST_LISTED])
    remedy = "leave it out" if len(columns) == 1 else "leave them out"
    yield ResultWarning("drift", parts, f"{listed}. {WHAT_DRIFT_MEANS}", remedy, columns)


def class_drift(found: Sequence[Drift]) -> Iterator[ResultWarning]:
    """Other shares of the classes among the tested records."""
    for each in found:
        if each.is_class:
            share = f"{100 * each.distance:.0f} in 100 differ"
            sentence = f"The classes have other shares in the tested records ({share})"
            yield ResultWarning("class-drift", (sentence,), WHAT_A_CLASS_DRIFT_MEANS, MEANING)


def mark(words: str) -> ResultWarning:
    """What was done to the table with the tested records in view."""
    return ResultWarning("mark", (words,), WHAT_A_MARK_MEANS, MEANING, leak=words.removesuffix("."))


def leaks(checks: RunChecks, data: Dataset) -> tuple[str, ...]:
    """What is left in of the answer, for the verdict on a run on ``data``: a clause for each leak."""
    found = (
        *giveaway(checks.giveaways, data.schema.class_attribute.name),
        *twins(checks.twins),
        *shared(checks.overlap),
        *map(mark, data.origin.marks),
    )
    return tuple(each.leak for each in found if each.leak)
