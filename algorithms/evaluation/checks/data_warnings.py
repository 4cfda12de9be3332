"""Warnings about the data alone: columns that give the class away, identifiers, constants, rare classes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from algorithms.data.number_formats import NumberForm
from algorithms.data.schema import AttributeKind
from algorithms.data.summary import AttributeSummary, Summary
from algorithms.evaluation.checks.leakage import LeakingAttribute
from algorithms.evaluation.checks.warning import Emphasis, ResultWarning, name_of
from algorithms.text.names import shortened
from algorithms.text.numbers import in_hundredths, in_percent

FEW_RECORDS: Final = 5
FEW_NUMBERS: Final = 10
"""Up to so many different numbers are probably labels."""
FEWEST_TO_IDENTIFY: Final = 10
NEARLY_ALL: Final = 0.9
MOST_LISTED: Final = 12
LONGEST_NAME: Final = 40
NAMED_LIKE_AN_IDENTIFIER: Final = re.compile(r"(^|[_\W])(id|nr|no|number|index|key|uuid|guid)$|^id[_\W]", re.IGNORECASE)
WHAT_A_GIVEAWAY_MEANS: Final = (
    "One rule on this column, judged on records it never saw. Often such a column is known only after what is to be "
    "predicted, or is the same thing under another name. Then the model would be of no use: leave it out."
)
WHAT_MANY_NUMBERS_MEAN: Final = (
    "Each different number is a class of its own: numbers near each other count as wrong as those far away, and most "
    "classes have few records."
)


def data_warnings(
    summary: Summary, giveaways: Sequence[LeakingAttribute], left_out: Collection[str] = ()
) -> list[ResultWarning]:
    """Every warning about the data; columns that the recipe takes away (``left_out``) are in none."""
    found = [*numeric_class(summary), *giveaway(giveaways, _class_name(summary), left_out)]
    found += [*identifiers(summary, left_out), *constants(summary, left_out), *few_records(summary)]
    return found


def _class_name(summary: Summary) -> str:
    return "" if summary.schema.class_index is None else summary.schema.class_attribute.name


def numeric_class(summary: Summary) -> Iterator[ResultWarning]:
    """A class whose labels are many different numbers."""
    index = summary.schema.class_index
    if index is None:
        return
    attribute = summary.schema.attributes[index]
    if attribute.kind is not AttributeKind.NOMINAL or not all(map(_is_number, attribute.values)):
        return
    n = summary.of(index).n_distinct
    if n > FEW_NUMBERS:
        sentence = numeric_class_words(shortened(attribute.name, LONGEST_NAME), n)
        yield ResultWarning("numeric-class", (sentence,), WHAT_MANY_NUMBERS_MEAN, "cut it into ranges")


def numeric_class_words(name: str, n: int | None) -> str:
    """That the class ``name`` holds ``n`` different numbers, None where they are not counted."""
    different = "holds numbers" if n is None else f"holds {n:,} different number{'' if n == 1 else 's'}"
    return f"{name} {different}. What is predicted must be one of a few classes."


def _is_number(label: str) -> bool:
    try:
        float(label)
    except ValueError:
        return False
    return True


def giveaway(
    found: Sequence[LeakingAttribute], class_name: str, left_out: Collection[str] = ()
) -> Iterator[ResultWarning]:
    """Columns that alone predict the class nearly always."""
    found = [each for each in found if each.name not in left_out]
    if not found:
        return
    columns = tuple(each.name for each in found)
    parts: tuple[str | Emphasis, ...]
    if len(found) == 1:
        times = Emphasis(in_hundredths(found[0].accuracy))
        parts = (name_of(columns[0]), " alone predicts ", name_of(class_name), " ", times)
        parts = (*parts, " times in 100: is it known before?")
    else:
        parts = (f"{len(found)} columns each predict ", name_of(class_name), " alone: are they known before?")
    listed = ", ".join(f"{each.name} ({in_hundredths(each.accuracy)} in 100)" for each in found[:MOST_LISTED])
    best = max(each.accuracy for each in found)
    which = shortened(columns[0], LONGEST_NAME) if len(found) == 1 else f"each of {len(found)} columns"
    up_to = "" if len(found) == 1 else "up to "
    leak = f"{which} alone predicts {shortened(class_name, LONGEST_NAME)} ({up_to}{in_percent(best)})"
    why = f"{listed}. {WHAT_A_GIVEAWAY_MEANS}"
    yield ResultWarning("giveaway", parts, why, _leave_out(columns), columns, leak=leak)


def identifiers(summary: Summary, left_out: Collection[str] = ()) -> Iterator[ResultWarning]:
    """Columns of which nearly every record has a value of its own."""
    found = [each.attribute.name for each in _used(summary, left_out) if looks_like_identifier(each, summary.n_records)]
    if found:
        yield _of_columns("identifiers", found, "looks like an identifier", "look like identifiers")


def unread_amounts(found: Mapping[str, NumberForm]) -> Iterator[ResultWarning]:
    """Columns that look like amounts, percents or numbers, but not surely enough to be read as such unasked."""
    for name, form in found.items():
        removed = f"{', '.join(form.units)} goes, and " if form.units else ""
        why = f"{form.doubt or _marks_of(form)} As numbers, {removed}what is no number is missing."
        yield ResultWarning(
            "unread-amounts", (name_of(name), f" looks like {form.what}"), why, "read as numbers", columns=(name,)
        )


def _marks_of(form: NumberForm) -> str:
    """The marks of numbers without a unit."""
    decimal = "a comma" if form.numbers.decimal == "," else "a point"
    if form.numbers.thousands == " ":
        return f"Blanks stand between thousands, and the decimal mark is {decimal}."
    return f"The decimal mark is {decimal}."


def constants(summary: Summary, left_out: Collection[str] = ()) -> Iterator[ResultWarning]:
    """Columns with one value."""
    found = [each.attribute.name for each in _used(summary, left_out) if each.n_distinct <= 1 and summary.n_records > 1]
    if found:
        yield _of_columns("constant", found, "is the same everywhere", "are the same everywhere")


def few_records(summary: Summary) -> Iterator[ResultWarning]:
    """Classes with too few records to judge by."""
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
        why = "Too few to judge by."
    else:
        parts = (f"{len(few)} classes have fewer than {FEW_RECORDS} records",)
        why = f"{', '.join(f'{label}: {n}' for n, label in few[:MOST_LISTED])}. Too few to judge by."
    rare = rare_classes(summary, FEW_RECORDS)
    yield ResultWarning("few", parts, why, leave_records_out(rare), labels=tuple(rare))


def rare_classes(summary: Summary, least: int) -> list[str]:
    """The classes with fewer records than ``least``; none where fewer than two others would remain."""
    counts = [] if summary.class_counts is None else summary.class_counts.tolist()
    rare = [summary.schema.classes[code] for code, count in enumerate(counts) if 0 < count < least]
    return rare if sum(count >= least for count in counts) >= 2 else []


def leave_records_out(labels: Sequence[str]) -> str:
    """The remedy for rare classes; empty where there are none to leave out."""
    if not labels:
        return ""
    return "leave its records out" if len(labels) == 1 else "leave their records out"


def looks_like_identifier(found: AttributeSummary, n_records: int) -> bool:
    """Whether nearly every record has a value of its own, in a column that does not merely measure finely."""
    present = n_records - found.n_missing
    if present < FEWEST_TO_IDENTIFY or found.n_distinct < NEARLY_ALL * present:
        return False
    return found.attribute.kind is AttributeKind.NOMINAL or bool(NAMED_LIKE_AN_IDENTIFIER.search(found.attribute.name))


def _used(summary: Summary, left_out: Collection[str]) -> Iterator[AttributeSummary]:
    """The columns that are learned from."""
    for index in summary.schema.predictors:
        if summary.schema.attributes[index].name not in left_out:
            yield summary.of(index)


def _of_columns(id: str, columns: Sequence[str], one: str, many: str) -> ResultWarning:
    parts: tuple[str | Emphasis, ...] = (f"{len(columns)} columns {many}",)
    if len(columns) == 1:
        parts = (name_of(columns[0]), f" {one}")
    return ResultWarning(id, parts, ", ".join(columns[:MOST_LISTED]), _leave_out(columns), tuple(columns))


def _leave_out(columns: Sequence[str]) -> str:
    return "leave it out" if len(columns) == 1 else "leave them out"
