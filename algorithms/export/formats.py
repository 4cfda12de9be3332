"""The formats that trained models can be exported to, the registry of exporters, and those of linear models.

Linear models are exported as text, SQL, Python and a PMML RegressionModel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from sys import float_info
from typing import Any, Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import FloatArray
from algorithms.data.schema import Attribute
from algorithms.export import pmml, rules, tree_code
from algorithms.export.model_view import ExportSubject, GiveWay, TreeSubject, with_breaks
from algorithms.export.pmml import Element, PmmlWriter, sub
from algorithms.export.rules import RuleSubject
from algorithms.export.tree_code import (
    LABEL_READER,
    NUMBER_READERS,
    Query,
    added,
    as_tuple,
    choice_by_sums,
    comment,
    filled,
    label_value,
    mysql,
    predicting,
    quoted_text,
    standard_sql,
)
from algorithms.structures.design_terms import FARTHEST, IS_NUMBER
from algorithms.structures.hyperplanes import Hyperplanes
from algorithms.structures.model_structure import ModelStructure
from algorithms.text.numbers import number

# ---- linear models ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ColumnTerm:
    """The contribution of a column to the scores of the k classes that can be predicted.

    A number contributes ``per_unit`` (k,) times what it is above ``mean``, and nothing if missing; beyond ``reach``
    it counts as the nearer end. A nominal value in ``labels`` contributes its row of ``rows`` (m, k); any other label
    contributes nothing.
    """

    attribute: Attribute
    per_unit: FloatArray | None
    mean: float
    reach: tuple[float, float]
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
                farthest = FARTHEST * float(terms.unit[places[0]])
                reach = (mean - farthest, mean + farthest)
                contributions.append(ColumnTerm(attribute, each, mean, reach, (), np.zeros((0, 0))))
            else:
                labels = tuple(attribute.values[code] for code in terms.value[places].tolist())
                contributions.append(ColumnTerm(attribute, None, 0.0, (0.0, 0.0), labels, coefficient[places]))
        return tuple(contributions)

    @cached_property
    def start(self) -> FloatArray:
        """The scores (k,) before any attribute contributes: numeric attributes equal their means."""
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


NEVER: Final = -1e300
"""The score of a class without training records; its softmax is 0."""


# ---- SQL -------------------------------------------------------------------------------------------------------------


def linear_as_sql(subject: LinearSubject, give_way: GiveWay) -> Query:
    """The query that adds up the terms."""
    sums = {f"p{code}": repr(NEVER) for code in range(len(subject.classes))}
    for place, code in enumerate(subject.decided):
        terms = [repr(float(subject.start[place]))]
        for column in with_breaks(subject.weighed, give_way):
            terms.append(_sql_term(subject, column, place))
        sums[f"p{code}"] = added(terms, "\n      + ")
    return Query(
        subject, lambda choice: choice, *choice_by_sums(subject, [("sums", sums)], shares=_sql_shares(subject))
    )


_MOST_APART: Final = 700.0
"""Scores that differ by more count as so far apart: databases have no larger exp()."""


def _sql_shares(subject: LinearSubject) -> list[str]:
    """The SQL expressions of the probability of each class by the scores."""
    shares = []
    for code in range(len(subject.classes)):
        apart = [f"(sums.p{other} - sums.p{code})" for other in subject.decided if other != code]
        odds = [
            f"EXP(CASE WHEN {each} > {_MOST_APART} THEN {_MOST_APART} WHEN {each} < -{_MOST_APART} "
            f"THEN -{_MOST_APART} ELSE {each} END)"
            for each in apart
        ]
        shares.append(f"1.0 / (1.0 + {added(odds or ['0.0'])})" if code in subject.decided else "0.0")
    return shares


def _sql_term(subject: LinearSubject, column: ColumnTerm, place: int) -> str:
    expression = filled(subject, column.attribute)
    if column.per_unit is not None:
        one, (low, high), most = float(column.per_unit[place]), column.reach, float_info.max
        return (
            f"CASE WHEN {expression} BETWEEN {low!r} AND {high!r} THEN {one!r} * ({expression} - ({column.mean!r})) "
            f"WHEN {expression} BETWEEN {high!r} AND {most!r} THEN {one * (high - column.mean)!r} "
            f"WHEN {expression} BETWEEN {-most!r} AND {low!r} THEN {one * (low - column.mean)!r} ELSE 0.0 END"
        )
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
    for value, mean, (low, high), each in _numbers(record):
        if value is not None and isfinite(value):
            above = min(max(value, low), high) - mean
            scores = [score + one * above for score, one in zip(scores, each)]
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
    frame = _FRAME.format(
        classes=as_tuple(subject.classes),
        start=repr(tuple(subject.start.tolist())),
        predict=predicting(subject.rule),
        numbers=NUMBER_READERS,
        labels=LABEL_READER,
    )
    decided = as_tuple(tuple(subject.classes[code] for code in subject.decided))
    numbers, labels = list[str](), list[str]()
    for column in subject.weighed:
        name, fill = column.attribute.name, subject.fills.get(column.attribute.name)
        if column.per_unit is not None:
            one = tuple(column.per_unit.tolist())
            numbers.append(
                f"        (_number(record, {name!r}, {fill!r}), {column.mean!r}, {column.reach!r}, {one!r}),"
            )
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
            '    """Each number with its mean in training, its range, and what one more of it adds to the scores."""',
            *("    return (", *numbers, "    )", "", ""),
            "def _labels(record):",
            '    """Each label with what labels add to the scores."""',
            *("    return (", *labels, "    )", ""),
        ]
    )


def linear_as_pmml(subject: LinearSubject, _give_way: GiveWay) -> str:
    """The document of a linear model; raises :class:`DataError` for a name that XML cannot contain."""
    return _RegressionWriter(subject).written()


class _RegressionWriter(PmmlWriter):
    """Writer of a table of coefficients for each class that can be predicted."""

    def __init__(self, subject: LinearSubject) -> None:
        means = {column.attribute.name: column.mean for column in subject.weighed if column.per_unit is not None}
        self.linear = subject
        super().__init__(replace(subject, fills={**means, **subject.fills}))

    def reach(self, name: str) -> tuple[float, float] | None:
        numbers = (column for column in self.linear.weighed if column.per_unit is not None)
        return next((column.reach for column in numbers if column.attribute.name == name), None)

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


# ---- formats and exporters -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Format:
    """A format with its ``id``; ``suffix`` is that of its files, ``brief`` describes it in the help."""

    id: str
    name: str
    suffix: str
    brief: str


TEXT: Final = Format("text", "text", "txt", "indented lines")
SQL: Final = Format("sql", "SQL", "sql", "one query")
MYSQL: Final = Format("mysql", "SQL for MySQL", "sql", "one query for MySQL or MariaDB")
PYTHON: Final = Format("python", "Python", "py", "a module")
PMML: Final = Format("pmml", "PMML", "pmml", "PMML 4.4")


@dataclass(frozen=True)
class Exporter:
    """Exporter of one kind of model to one format.

    ``sentence`` describes the file in menus. ``write`` calls its second argument every few milliseconds and raises
    :class:`DataError` if the model cannot be exported.
    """

    format: Format
    subject: type[ExportSubject[Any]]
    sentence: str
    write: Callable[[Any, GiveWay], str]


_QUERY: Final = "One query that predicts for every row of a table."
_IN_MYSQL: Final = "One query that predicts for every row of a table in MySQL or MariaDB."
_MODULE: Final = "A module with a function that predicts, without dependencies."
_READERS: Final = "programs that read the Predictive Model Markup Language 4.4."


def _in(dialect: Callable[[Query], str], write: Callable[[Any, GiveWay], Query]) -> Callable[[Any, GiveWay], str]:
    """A writer of queries in one dialect."""
    return lambda subject, give_way: dialect(write(subject, give_way))


EXPORTERS: Final[list[Exporter]] = [
    Exporter(TEXT, TreeSubject, "The tree as indented lines, to be read, pasted or printed.", tree_code.tree_as_text),
    Exporter(SQL, TreeSubject, _QUERY, _in(standard_sql, tree_code.tree_as_sql)),
    Exporter(MYSQL, TreeSubject, _IN_MYSQL, _in(mysql, tree_code.tree_as_sql)),
    Exporter(PYTHON, TreeSubject, _MODULE, tree_code.tree_as_python),
    Exporter(PMML, TreeSubject, f"For {_READERS}", pmml.tree_as_pmml),
    Exporter(TEXT, RuleSubject, "The rules as lines, to be read, pasted or printed.", rules.rules_as_text),
    Exporter(SQL, RuleSubject, _QUERY, _in(standard_sql, rules.rules_as_sql)),
    Exporter(MYSQL, RuleSubject, _IN_MYSQL, _in(mysql, rules.rules_as_sql)),
    Exporter(PYTHON, RuleSubject, _MODULE, rules.rules_as_python),
    Exporter(PMML, RuleSubject, f"A rule set for {_READERS}", rules.rules_as_pmml),
    Exporter(TEXT, LinearSubject, "The sum of each class as lines, to be read, pasted or printed.", linear_as_text),
    Exporter(SQL, LinearSubject, _QUERY, _in(standard_sql, linear_as_sql)),
    Exporter(MYSQL, LinearSubject, _IN_MYSQL, _in(mysql, linear_as_sql)),
    Exporter(PYTHON, LinearSubject, _MODULE, linear_as_python),
    Exporter(PMML, LinearSubject, f"A regression model for {_READERS}", linear_as_pmml),
]
"""The registry of exporters; a new format, or a new kind of model for a format, is an exporter in it."""


def formats() -> list[Format]:
    return list(dict.fromkeys(exporter.format for exporter in EXPORTERS))


def exporters_of(structure: type[ModelStructure]) -> list[Exporter]:
    return [exporter for exporter in EXPORTERS if exporter.subject.kind is structure]


def exporter_of(structure: type[ModelStructure], id: str) -> Exporter | None:
    """The exporter of models with this structure to the format with this id; None if there is none."""
    return next((exporter for exporter in exporters_of(structure) if exporter.format.id == id), None)


def exported(trained: TrainedClassifier, id: str, give_way: GiveWay = lambda: None) -> str:
    """A trained model in the format with this id; raises :class:`DataError` if it cannot be exported."""
    structure = type(trained.structure())
    exporter = exporter_of(structure, id)
    if exporter is not None:
        return exporter.write(exporter.subject.of(trained), give_way)
    suitable = exporters_of(structure)
    of_format = [each for each in EXPORTERS if not suitable or each.format.id == id]
    *others, last = dict.fromkeys(name for each in of_format for name in each.subject.models)
    models = f"{', '.join(others)} and {last}" if others else last
    so = f" as {of_format[0].format.name}" if suitable else ""
    raise DataError(f"{trained.learner.name} cannot be exported{so}: only {models} can.", remedy="Save it as a model.")
