"""Warnings about a data set and about the evaluation of a result: sentence, reason and remedy."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from algorithms.core.filters import FittedRecipe
from algorithms.data.dataset import Dataset
from algorithms.data.number_formats import NumberForm
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.data.summary import AttributeSummary, Summary
from algorithms.evaluation.checks.data_quality_checks import (
    LEAST_SHARED,
    LEAST_TWINS,
    TIMES,
    LeakingAttribute,
    RunChecks,
)
from algorithms.evaluation.checks.warning import MEANING, Emphasis, ResultWarning, name_of
from algorithms.evaluation.measures.metrics import Report, may_be_guessing, ranking_measure
from algorithms.evaluation.result import EvaluationResult
from algorithms.text.names import shortened
from algorithms.text.numbers import interval_words, percent

FEW_RECORDS: Final = 5
FEW_NUMBERS: Final = 10
"""Up to this number of distinct values, a numeric class is probably a set of labels."""
FEWEST_TO_IDENTIFY: Final = 10
NEARLY_ALL: Final = 0.9
MOST_LISTED: Final = 12
LONGEST_NAME: Final = 40
BY_FOLDS: Final = "Test by folds: --method cross-validation"
UNREAD_COMMAND: Final = "Write them alike in the file, or open it in the window and choose to read them"
NAMED_LIKE_AN_IDENTIFIER: Final = re.compile(r"(^|[_\W])(id|nr|no|number|index|key|uuid|guid)$|^id[_\W]", re.IGNORECASE)
WHAT_A_GIVEAWAY_MEANS: Final = (
    "Cross-validated accuracy of one rule on this column. Such a column is often known only after the class, or is the "
    "class under another name. Then the model is of no use: leave the column out."
)
WHAT_A_COST_ATTRIBUTE_MEANS: Final = (
    "Such a value may be known only afterwards, and another value changes the cost as well as the prediction."
)
WHAT_CLASSES_ARE: Final = "Classifiers predict one of a few classes. Discretized, each range of numbers is a class."
WHAT_MANY_NUMBERS_MEAN: Final = (
    "Each distinct number is a class: near numbers count as wrong as distant ones, and most classes have few records."
)


@dataclass(frozen=True)
class CheckedData:
    """Summary of a data set, its leaking columns, those that the recipe removes, and those that the costs use."""

    summary: Summary
    giveaways: Sequence[LeakingAttribute] = ()
    left_out: Collection[str] = ()
    of_costs: Collection[str] = ()

    def used(self) -> Iterator[AttributeSummary]:
        """Summaries of the predictors that the recipe keeps."""
        schema = self.summary.schema
        return (self.summary.of(i) for i in schema.predictors if schema.attributes[i].name not in self.left_out)


def data_warnings(data: CheckedData) -> list[ResultWarning]:
    return [warning for warnings_about in DATA_WARNINGS for warning in warnings_about(data)]


def numeric_class(data: CheckedData) -> Iterator[ResultWarning]:
    """Warning that the class is not nominal, or has many distinct numbers as labels."""
    summary = data.summary
    index = summary.schema.class_index
    if index is None:
        return
    attribute = summary.schema.attributes[index]
    if not attribute.kind.is_coded:
        sentence = class_kind_words(attribute, summary.of(index).n_distinct)
        why = WHAT_CLASSES_ARE if attribute.kind is AttributeKind.NUMERIC else ""
        yield ResultWarning("numeric-class", (sentence,), why)
        return
    if attribute.kind is not AttributeKind.NOMINAL or not all(map(_is_number, attribute.values)):
        return
    n = summary.of(index).n_distinct
    if n > FEW_NUMBERS:
        sentence = numeric_class_words(shortened(attribute.name, LONGEST_NAME), n)
        command = "Discretize the class in the window, or choose another column: --class COLUMN"
        remedy = "discretize it"
        yield ResultWarning("numeric-class", (sentence,), WHAT_MANY_NUMBERS_MEAN, remedy, command=command)


def class_kind_words(attribute: Attribute, n: int | None) -> str:
    """The sentence that a class is not nominal; ``n`` is the number of its distinct values, None if unknown."""
    name = shortened(attribute.name, LONGEST_NAME)
    if attribute.kind is AttributeKind.NUMERIC:
        return numeric_class_words(name, n)
    return f"{name} is {attribute.kind.value}. The class must be nominal."


def numeric_class_words(name: str, n: int | None) -> str:
    """The sentence that class ``name`` has ``n`` distinct numbers; without the count if ``n`` is None."""
    different = "holds numbers" if n is None else f"holds {n:,} different number{'' if n == 1 else 's'}"
    return f"{name} {different}. The class must have few values."


def _is_number(label: str) -> bool:
    try:
        float(label)
    except ValueError:
        return False
    return True


def leaking(data: CheckedData) -> Iterator[ResultWarning]:
    """Warning about predictors that alone predict the class almost perfectly."""
    schema = data.summary.schema
    if schema.class_index is not None:
        left = [each for each in data.giveaways if each.name not in data.left_out]
        yield from giveaway(left, schema.class_attribute.name)


def giveaway(found: Sequence[LeakingAttribute], class_name: str) -> Iterator[ResultWarning]:
    """Warning about these leaking columns; nothing if ``found`` is empty."""
    if not found:
        return
    columns = tuple(each.name for each in found)
    parts: tuple[str | Emphasis, ...]
    if len(found) == 1:
        times = Emphasis(percent(found[0].accuracy))
        parts = (name_of(columns[0]), " alone predicts ", name_of(class_name), " ", times)
        parts = (*parts, " correctly: is it known beforehand?")
    else:
        parts = (
            f"{len(found)} columns each predict ",
            name_of(class_name),
            " alone: are they known at prediction time?",
        )
    listed = in_a_list(f"{each.name} (accuracy {percent(each.accuracy)})" for each in found)
    best = max(each.accuracy for each in found)
    which = shortened(columns[0], LONGEST_NAME) if len(found) == 1 else f"each of {len(found)} columns"
    up_to = "" if len(found) == 1 else "up to "
    leak = f"{which} alone predicts {shortened(class_name, LONGEST_NAME)} ({up_to}{percent(best)})"
    why = f"{listed}. {WHAT_A_GIVEAWAY_MEANS}"
    command = leave_out_command(columns)
    yield ResultWarning("giveaway", parts, why, leave_out(columns), columns, leak=leak, command=command)


def identifiers(data: CheckedData) -> Iterator[ResultWarning]:
    """Warning about columns in which nearly every record has a distinct value."""
    n = data.summary.n_records
    found = [column.attribute.name for column in data.used() if looks_like_identifier(column, n)]
    if found:
        yield column_warning("identifiers", found, "looks like an identifier", "look like identifiers")


def unread_amounts(found: Mapping[str, NumberForm]) -> Iterator[ResultWarning]:
    """Warnings about text columns that look like amounts, percents or numbers but were not parsed."""
    for name, form in found.items():
        removed = f"{', '.join(form.units)} goes, and " if form.units else ""
        why = f"{form.doubt or _number_format_sentence(form)} As numbers, {removed}what is no number is missing."
        parts, command = (name_of(name), f" looks like {form.what}"), UNREAD_COMMAND
        yield ResultWarning("unread-amounts", parts, why, "read as numbers", columns=(name,), command=command)


def _number_format_sentence(form: NumberForm) -> str:
    """A sentence on the decimal mark and thousands separator of numbers without a unit."""
    decimal = "a comma" if form.numbers.decimal == "," else "a point"
    if form.numbers.thousands == " ":
        return f"Blanks stand between thousands, and the decimal mark is {decimal}."
    return f"The decimal mark is {decimal}."


def constants(data: CheckedData) -> Iterator[ResultWarning]:
    """Warning about columns with a single value."""
    n = data.summary.n_records
    found = [column.attribute.name for column in data.used() if column.n_distinct <= 1 and n > 1]
    if found:
        yield column_warning("constant", found, "is constant", "are constant")


def costs_as_attributes(data: CheckedData) -> Iterator[ResultWarning]:
    """Warning about predictors that a formula of the costs uses."""
    found = [column.attribute.name for column in data.used() if column.attribute.name in data.of_costs]
    if found:
        both = "is both a cost and an attribute of the model", "are both costs and attributes of the model"
        warning = column_warning("cost-attribute", found, *both)
        yield replace(warning, why=f"{warning.why}. {WHAT_A_COST_ATTRIBUTE_MEANS}")


def few_records(data: CheckedData) -> Iterator[ResultWarning]:
    """Warning about classes with too few records for an evaluation."""
    summary = data.summary
    if summary.class_counts is None:
        return
    classes = summary.schema.classes
    few = [(int(n), classes[code]) for code, n in enumerate(summary.class_counts) if 0 < n < FEW_RECORDS]
    if not few:
        return
    parts: tuple[str | Emphasis, ...]
    if len(few) == 1:
        n, label = few[0]
        parts = (f"only {n} {'record is' if n == 1 else 'records are'} ", name_of(label, classes))
        why = "Too few to test."
    else:
        parts = (f"{len(few)} classes have fewer than {FEW_RECORDS} records",)
        why = f"{in_a_list(f'{label}: {n}' for n, label in few)}. Too few to test."
    rare = rare_classes(summary, FEW_RECORDS)
    remedy = leave_records_out(rare)
    yield ResultWarning("few", parts, why, remedy, labels=tuple(rare), command=remedy.capitalize())


DATA_WARNINGS: Final[list[Callable[[CheckedData], Iterable[ResultWarning]]]] = [
    numeric_class,
    leaking,
    identifiers,
    constants,
    costs_as_attributes,
    few_records,
]
"""The registry of data set warnings in display order."""


def rare_classes(summary: Summary, least: int) -> list[str]:
    """Classes with fewer than ``least`` records; empty if fewer than two other classes would remain."""
    counts = [] if summary.class_counts is None else summary.class_counts.tolist()
    rare = [summary.schema.classes[code] for code, count in enumerate(counts) if 0 < count < least]
    return rare if sum(count >= least for count in counts) >= 2 else []


def leave_records_out(labels: Sequence[str]) -> str:
    """The remedy text for rare classes; empty without any."""
    if not labels:
        return ""
    return "leave its records out" if len(labels) == 1 else "leave their records out"


def looks_like_identifier(found: AttributeSummary, n_records: int) -> bool:
    """Whether nearly every value is distinct in a column that is nominal or named like an identifier."""
    present = n_records - found.n_missing
    if present < FEWEST_TO_IDENTIFY or found.n_distinct < NEARLY_ALL * present:
        return False
    return found.attribute.kind is AttributeKind.NOMINAL or bool(NAMED_LIKE_AN_IDENTIFIER.search(found.attribute.name))


def in_a_list(items: Iterable[str]) -> str:
    """The first items with commas, and how many more: "a, b and 3 more"."""
    every = list(items)
    more = f" and {len(every) - MOST_LISTED:,} more" if len(every) > MOST_LISTED else ""
    return f"{', '.join(every[:MOST_LISTED])}{more}"


def column_warning(id: str, columns: Sequence[str], one: str, many: str) -> ResultWarning:
    """A warning about columns to leave out; ``one`` and ``many`` say what is wrong with one and with several."""
    parts: tuple[str | Emphasis, ...] = (f"{len(columns)} columns {many}",)
    if len(columns) == 1:
        parts = (name_of(columns[0]), f" {one}")
    listed, command = in_a_list(columns), leave_out_command(columns)
    return ResultWarning(id, parts, listed, leave_out(columns), tuple(columns), command=command)


def leave_out(columns: Sequence[str]) -> str:
    """The remedy of leaving these columns out."""
    return "leave it out" if len(columns) == 1 else "leave them out"


def leave_out_command(columns: Sequence[str]) -> str:
    """The remedy on the command line, without the step if a name has a mark that its text would need."""
    them = "it" if len(columns) == 1 else "them"
    if any(mark in name for name in columns for mark in ",;="):
        return f"Leave {them} out with --filter remove-attributes"
    step = shlex.quote(f"remove-attributes:columns={','.join(columns)}")
    return f"Leave {them} out: --filter {step}"


WIDE: Final = 0.2
"""Width of a confidence interval from which a warning is shown."""
WHAT_TWINS_MEAN: Final = (
    "If the same thing was entered twice, the test is optimistic: remove duplicates. If different things have equal "
    "values, keep them."
)
WHAT_SHARING_MEANS: Final = (
    "A tested record that is also a training record makes the test optimistic. Remove these records from training."
)
WHAT_DRIFT_MEANS: Final = (
    "The percentage is the share of the distribution that differs between training and tested records, each time "
    "significantly (Kolmogorov-Smirnov test for numeric, chi-square test for nominal attributes, Holm correction). The "
    "accuracy holds for records like the tested ones. If the attribute was measured in another way or time, leave it "
    "out or train on newer records."
)
WHAT_A_CLASS_DRIFT_MEANS: Final = (
    "The class distribution differs significantly between training and tested records. The probabilities assume that "
    "of training: look at the recall of each class."
)
WHAT_FEW_MEAN: Final = (
    "With so few tested records the accuracy can be far from the true one. Cross-validation tests every record once; "
    "the other remedy is more records."
)
WHAT_TRAINING_RECORDS_MEAN: Final = (
    "Tests the same learner with cross-validation, on records that it was not trained on."
)
WHAT_SHUFFLING_IS: Final = (
    "A permutation test repeats the run on tables with permuted classes. If it does as well there, the result is not "
    "significant."
)
WHAT_A_MARK_MEANS: Final = (
    "It was applied to the whole table before the folds were made, so the result may be optimistic. As a step of the "
    "recipe it is learned in each fold from the training records alone."
)


def evaluation_warnings(result: EvaluationResult, report: Report, checks: RunChecks) -> list[ResultWarning]:
    """All warnings about how a result was evaluated, except harmless ones; ``checks`` describe its records."""
    found: list[ResultWarning] = []
    if report.test_is_training:
        found.append(tested_on_training())
    elif may_be_guessing(report):
        found.append(may_be_chance(report))
    found += [warning for warnings_about in TEST_WARNINGS for warning in warnings_about(result, report)]
    found += record_warnings(checks)
    return [each for each in found if not each.harmless]


WHAT_LATER_ROWS_MEAN: Final = (
    "What happens after a record is not known when it is predicted, so that the result is optimistic. Aggregate table "
    "with the dates of records and rows leaves later rows out."
)


def step_warnings(recipe: FittedRecipe) -> list[ResultWarning]:
    """Warnings about what the fitted steps tell a record of its future."""
    told = [(place, fitted.leak()) for place, fitted in enumerate(recipe.filters)]
    return [
        ResultWarning(f"later-rows-{place}", (sentence,), WHAT_LATER_ROWS_MEAN) for place, sentence in told if sentence
    ]


def tested_on_training() -> ResultWarning:
    sentence = "Tested on its own training data, which is optimistic"
    remedy = "test with folds"
    return ResultWarning("tested-on-training", (sentence,), WHAT_TRAINING_RECORDS_MEAN, remedy, command=BY_FOLDS)


def may_be_chance(report: Report) -> ResultWarning:
    """Warning that the confidence interval of the ranking measure does not lie above the value of guessing."""
    if ranking_measure(report) == "accuracy" or report.auc is None or report.auc_interval is None:
        what, interval = "accuracy", interval_words(*report.interval)
        by = f"{percent(report.accuracy)}, {interval}; baseline {percent(report.baseline_accuracy)}"
    else:
        what, (low, high) = "AUC", report.auc_interval.ends
        by = f"{report.auc:.3f}, 95% CI {low:.3f}–{high:.3f}; baseline 0.5"
    parts = (f"The 95% CI of the {what} does not lie above the baseline ({by})",)
    command = "Run a permutation test: --shuffle 99"
    return ResultWarning("luck", parts, WHAT_SHUFFLING_IS, "permutation test", command=command)


def few_tested(result: EvaluationResult, report: Report) -> Iterator[ResultWarning]:
    """Warning that the confidence interval of the accuracy is wider than :data:`WIDE`."""
    low, high = report.interval
    if high - low <= WIDE or report.test_is_training:
        return
    of_weight = "" if report.n_kish is None else f" (worth {report.n_kish:,.1f} of equal weight)"
    sentence = f"Only {report.n:,} tested records{of_weight}: the 95% CI is {100 * (high - low):.0f} points wide"
    can_test_more = result.n_training > report.n and not result.method.needs_test_data and not result.partial
    remedy, command = ("test with folds", BY_FOLDS) if can_test_more else (MEANING, "")
    yield ResultWarning("few-tested", (sentence,), WHAT_FEW_MEAN, remedy, command=command)


def estimate_warnings(result: EvaluationResult, _report: Report) -> Iterator[ResultWarning]:
    """Warning that the .632 bootstrap is optimistic for a learner that memorises."""
    made = result.estimate
    if made is not None and made.caution:
        sentence = "The .632 estimate is optimistic for a learner that memorizes"
        why, command = f"{made.caution} {made.remark}", "Test by the .632+ bootstrap: --method bootstrap-632-plus"
        yield ResultWarning("estimate", (sentence,), why, "test with .632+", command=command)


def twins(checks: RunChecks) -> Iterator[ResultWarning]:
    """Warning about tested records that duplicate a training record."""
    found = checks.twins
    if found is None or found.share < LEAST_TWINS:
        return
    parts = (Emphasis(percent(found.share)), " of tested records duplicate a training record")
    if found.natural:
        yield ResultWarning("twins", parts, natural(found.share, found.by_chance), harmless=True)
    else:
        clause = f"{percent(found.share)} of the tested records duplicate a training record"
        why = f"{by_chance(found.by_chance)} {WHAT_TWINS_MEAN}"
        command = "Remove duplicates from the file"
        yield ResultWarning("twins", parts, why, "remove duplicates", leak=clause, command=command)


def shared(checks: RunChecks) -> Iterator[ResultWarning]:
    """Warning about test file records that are training records too."""
    found = checks.overlap
    if found is None or found.share < LEAST_SHARED:
        return
    parts = (Emphasis(percent(found.share)), " of the records in the test file duplicate a training record")
    if found.natural:
        yield ResultWarning("shared", parts, natural(found.share, found.by_chance), harmless=True)
    else:
        clause = f"{percent(found.share)} of the records in the test file duplicate a training record"
        remedy, command = "take them out of training", "Take them out of the training file"
        yield ResultWarning("shared", parts, WHAT_SHARING_MEANS, remedy, leak=clause, command=command)


def natural(share: float, expected: float) -> str:
    """The explanation of duplicates that are as frequent as expected by chance."""
    return f"{natural_words(share, expected)} They are no sign of a leak."


def natural_words(share: float, expected: float) -> str:
    """That the ``share`` of duplicates is about the ``expected`` one, or not significantly more."""
    if share > TIMES * expected:
        return f"{by_chance(expected)} {percent(share)} is not significantly more."
    return f"Such duplicates are natural: these columns have few values. {by_chance(expected)}"


def by_chance(share: float) -> str:
    """A sentence on the share of duplicates expected by chance."""
    return f"By chance about {percent(share)} would have a duplicate."


def drift(checks: RunChecks) -> Iterator[ResultWarning]:
    """Warns of attributes whose distribution differs between test and training records."""
    own = [each for each in checks.drifts if not each.is_class]
    columns = tuple(dict.fromkeys(each.name for each in own))
    if not columns:
        return
    parts: tuple[str | Emphasis, ...] = (f"{len(columns)} columns have another distribution in the tested records",)
    if len(columns) == 1:
        parts = (name_of(columns[0]), " has another distribution in the tested records")
    listed = in_a_list(each.words() for each in own)
    why, command = f"{listed}. {WHAT_DRIFT_MEANS}", leave_out_command(columns)
    yield ResultWarning("drift", parts, why, leave_out(columns), columns, command=command)


def class_drift(checks: RunChecks) -> Iterator[ResultWarning]:
    """Warning that the class distribution differs between tested and training records."""
    for each in checks.drifts:
        if each.is_class:
            share = f"{percent(each.distance)} differ"
            sentence = f"The class distribution differs in the tested records ({share})"
            yield ResultWarning("class-drift", (sentence,), WHAT_A_CLASS_DRIFT_MEANS, MEANING)


TEST_WARNINGS: Final[list[Callable[[EvaluationResult, Report], Iterable[ResultWarning]]]] = [
    few_tested,
    estimate_warnings,
]
"""The registry of warnings about the evaluation."""
RECORD_WARNINGS: Final[list[Callable[[RunChecks], Iterable[ResultWarning]]]] = [twins, shared, drift, class_drift]
"""The registry of warnings from comparing tested with training records."""


def record_warnings(checks: RunChecks) -> list[ResultWarning]:
    """All warnings from comparing tested with training records, harmless ones included."""
    return [warning for warnings_about in RECORD_WARNINGS for warning in warnings_about(checks)]


def before_split_warning(words: str) -> ResultWarning:
    """Warning that the step described by ``words`` changed the whole table before the split into folds."""
    return ResultWarning("mark", (words,), WHAT_A_MARK_MEANS, MEANING, leak=words.removesuffix("."))


def leaks(checks: RunChecks, data: Dataset) -> tuple[str, ...]:
    """A clause for each way the class leaks into training or testing in a run on ``data``, for the verdict."""
    found = (
        *giveaway(checks.giveaways, data.schema.class_attribute.name),
        *record_warnings(checks),
        *map(before_split_warning, data.origin.marks),
    )
    return tuple(each.leak for each in found if each.leak)
