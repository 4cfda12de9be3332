"""Export of linear models as text, SQL, Python and a PMML RegressionModel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from algorithms.data.columns import FloatArray
from algorithms.data.schema import Attribute
from algorithms.export.model_view import ExportSubject, GiveWay, with_breaks
from algorithms.export.pmml import Element, PmmlWriter, sub
from algorithms.export.tree_code import (
    LABEL_READER,
    NUMBER_READERS,
    PREDICT,
    Query,
    added,
    as_tuple,
    comment,
    filled,
    label_value,
    largest_of,
    quoted_text,
)
from algorithms.structures.design_terms import IS_NUMBER
from algorithms.structures.hyperplanes import Hyperplanes
from algorithms.text.numbers import number


@dataclass(frozen=True, eq=False)
class ColumnTerm:
    """The contribution of a column to the scores of the k classes that can be predicted.

    A number contributes ``per_unit`` (k,) times what it is above ``mean``, and nothing if missing. A nominal value in
    ``labels`` contributes its row of ``rows`` (m, k); any other label contributes nothing.
    """

    attribute: Attribute
    per_unit: FloatArray | None
    mean: float
    labels: tuple[str, ...]
    rows: FloatArray


@dataclass(frozen=True, eq=False)
class LinearSubject(ExportSubject[Hyperplanes]):
    """A linear model prepared for export."""

    kind, models, title = Hyperplanes, ("logistic regression", "linear discriminants"), "Weighed sums"

    @property
    def planes(self) -> Hyperplanes:
        return self.structure

    @property
    def used(self) -> tuple[Attribute, ...]:
        """The columns that contribute to a score."""
        return tuple(column.attribute for column in self.weighed)

    @cached_property
    def decided(self) -> list[int]:
        """The classes that can be predicted: those with training records."""
        weight = self.planes.class_weight
        return np.flatnonzero(weight > 0).tolist() if weight.any() else list(range(len(weight)))

    @cached_property
    def weighed(self) -> tuple[ColumnTerm, ...]:
        """The contribution of each column, in column order; columns without one are omitted."""
        planes, terms, contributions = self.planes, self.planes.terms, []
        coefficient = planes.coefficient[:, self.decided]
        for index in np.unique(terms.attribute).tolist():
            places = np.flatnonzero((terms.attribute == index) & np.any(coefficient != 0, axis=1))
            attribute = planes.schema.attributes[index]
            if not len(places):
                continue
            if terms.value[places[0]] == IS_NUMBER:
                each, mean = coefficient[places[0]], float(terms.centre[places[0]])
                contributions.append(ColumnTerm(attribute, each, mean, (), np.zeros((0, 0))))
            else:
                labels = tuple(attribute.values[code] for code in terms.value[places].tolist())
                contributions.append(ColumnTerm(attribute, None, 0.0, labels, coefficient[places]))
        return tuple(contributions)

    @cached_property
    def start(self) -> FloatArray:
        """The scores (k,) of a record whose numbers equal the means and whose labels contribute nothing."""
        is_list = self.planes.terms.value != IS_NUMBER
        moved = self.planes.terms.centre[is_list] @ self.planes.coefficient[is_list]
        return np.asarray((self.planes.bias - moved)[self.decided])

    @property
    def n_records(self) -> float:
        return float(self.planes.class_weight.sum())

    def size_words(self) -> list[str]:
        return ["Each class has a score, and the largest decides; exp(score) by the sum of all is how probable it is."]

    def missing_words(self) -> list[str]:
        return ["A missing number counts as the average of training, a missing or new label adds nothing."]


def linear_as_text(subject: LinearSubject, _give_way: GiveWay) -> str:
    """The terms of each class as lines."""
    lines = subject.heading()
    for place, code in enumerate(subject.decided):
        lines += ["", f"Score of {' '.join(subject.classes[code].split())}", f"  {subject.start[place]:+.6g}"]
        for column in subject.weighed:
            name = " ".join(column.attribute.name.split())
            if column.per_unit is not None:
                lines.append(f"  {column.per_unit[place]:+.6g} x ({name} - {number(column.mean)})")
            for label, row in zip(column.labels, column.rows, strict=True):
                lines.append(f"  {row[place]:+.6g} where {name} = {' '.join(label.split())}")
    return "\n".join([*lines, ""])


# ---- SQL -------------------------------------------------------------------------------------------------------------


def linear_as_sql(subject: LinearSubject, give_way: GiveWay) -> Query:
    """The query that adds up the terms."""
    sums = {}
    for place in range(len(subject.decided)):
        terms = [repr(float(subject.start[place]))]
        for column in with_breaks(subject.weighed, give_way):
            terms.append(_sql_term(subject, column, place))
        sums[f"p{place}"] = added(terms, "\n      + ")
    largest = largest_of([subject.classes[code] for code in subject.decided])
    return Query(subject, lambda choice: choice, f"CASE {largest} END", [("sums", sums)])


def _sql_term(subject: LinearSubject, column: ColumnTerm, place: int) -> str:
    expression = filled(subject, column.attribute)
    if column.per_unit is not None:
        return f"COALESCE({float(column.per_unit[place])!r} * ({expression} - ({column.mean!r})), 0.0)"
    cases = " ".join(
        f"WHEN {quoted_text(label)} THEN {float(row[place])!r}"
        for label, row in zip(column.labels, column.rows, strict=True)
    )
    return f"CASE {expression} {cases} ELSE 0.0 END"


# ---- Python ----------------------------------------------------------------------------------------------------------

_FRAME = """
from bisect import bisect_right
from math import exp, isfinite

CLASSES = {classes}
# The scores of a record whose numbers are the means.
START = {start}


{predict}
    scores = list(START)
    for value, mean, each in _numbers(record):
        if value is not None and isfinite(value):
            scores = [score + one * (value - mean) for score, one in zip(scores, each)]
    for value, rows in _labels(record):
        scores = [score + one for score, one in zip(scores, rows.get(value, ()))] or scores
    largest = max(scores)
    shares = [exp(score - largest) for score in scores]
    total = sum(shares)
    found = dict.fromkeys(CLASSES, 0.0)
    found.update(zip(DECIDED, (share / total for share in shares)))
    return DECIDED[scores.index(largest)], found


{numbers}

{labels}
"""


def linear_as_python(subject: LinearSubject, _give_way: GiveWay) -> str:
    """A Python module that adds up the terms."""
    lines = [f"# {comment(line)}" for line in subject.heading()]
    start = tuple(subject.start.tolist())
    classes = as_tuple(subject.classes)
    frame = _FRAME.format(
        classes=classes, start=repr(start), predict=PREDICT, numbers=NUMBER_READERS, labels=LABEL_READER
    )
    decided = as_tuple(tuple(subject.classes[code] for code in subject.decided))
    numbers, labels = list[str](), list[str]()
    for column in subject.weighed:
        name, fill = column.attribute.name, subject.fills.get(column.attribute.name)
        if column.per_unit is not None:
            one = tuple(column.per_unit.tolist())
            numbers.append(f"        (_number(record, {name!r}, {fill!r}), {column.mean!r}, {one!r}),")
            continue
        rows = {label: tuple(row.tolist()) for label, row in zip(column.labels, column.rows, strict=True)}
        labels.append(f"        ({label_value(subject, column.attribute)}, {rows!r}),")
    return "\n".join(
        [
            *lines,
            frame,
            f"DECIDED = {decided}",
            "",
            "",
            "def _numbers(record):",
            '    """Each number with its mean in training, and what one more of it adds to the scores."""',
            *("    return (", *numbers, "    )", "", ""),
            "def _labels(record):",
            '    """Each label with what labels add to the scores."""',
            *("    return (", *labels, "    )", ""),
        ]
    )


NEVER: Final = -1e300
"""The score of a class without training records; its softmax is 0. PMML needs a table for every class."""


def linear_as_pmml(subject: LinearSubject, _give_way: GiveWay) -> str:
    """The document of a linear model; raises :class:`DataError` for a name that XML cannot contain."""
    return _RegressionWriter(subject).written()


class _RegressionWriter(PmmlWriter):
    """Writer of a table of coefficients for each class that can be predicted."""

    def __init__(self, subject: LinearSubject) -> None:
        means = {column.attribute.name: column.mean for column in subject.weighed if column.per_unit is not None}
        self.linear = subject
        super().__init__(replace(subject, fills={**means, **subject.fills}))

    def write_model(self, root: Element) -> None:
        subject = self.linear
        model = self.write_head(root, "RegressionModel", normalizationMethod="softmax")
        self.write_range_fields(model)
        place_of = {code: place for place, code in enumerate(subject.decided)}
        for code, label in enumerate(subject.classes):
            if code in place_of:
                self._table(model, place_of[code], label)
            else:
                sub(model, "RegressionTable", intercept=repr(NEVER), targetCategory=label)

    def _table(self, model: Element, place: int, label: str) -> None:
        weighed = self.linear.weighed
        moved = sum(float(column.per_unit[place]) * column.mean for column in weighed if column.per_unit is not None)
        start = float(self.linear.start[place]) - moved
        table = sub(model, "RegressionTable", intercept=repr(start), targetCategory=label)
        for column in weighed:
            if column.per_unit is not None:
                sub(
                    table,
                    "NumericPredictor",
                    name=column.attribute.name,
                    coefficient=repr(float(column.per_unit[place])),
                )
        for column in weighed:
            field = self.ranges.get(column.attribute.name, column.attribute.name)
            for value, row in zip(column.labels, column.rows, strict=True):
                sub(table, "CategoricalPredictor", name=field, value=value, coefficient=repr(float(row[place])))
