"""Filters that add columns computed from others of the same record: by a formula, parts of dates, their differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import Problem, State
from algorithms.core.parameters import Option, boolean, choice, column, columns, text, when
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, missing_column
from algorithms.data.convert_kind import MAX_VALUES, natural_order
from algorithms.data.dataset import Dataset
from algorithms.data.dates import ISO, PARTS_OF_DATES, SECONDS_A_DAY, completed_months, parse_dates
from algorithms.data.formula_functions import (
    FormulaDates,
    FormulaNode,
    FormulaTexts,
    FormulaValues,
    help_on_formulas,
    kind_of_values,
)
from algorithms.data.formulas import check_columns, formula_values, parse_formula, rename_in_formula, without_records
from algorithms.data.schema import Attribute, AttributeKind, Schema, free_name, nominal, numeric
from algorithms.data.summary import Summary
from algorithms.filters.checks import StoredState, chosen, problems_of_choice
from algorithms.io.column_meaning import kind_by_recurrence

_AUTO, _NOMINAL_TEXTS, _PLAIN_TEXTS = "auto", "nominal", "text"
_FORMULA_KINDS: Final = tuple(
    kind.value for kind in (AttributeKind.NUMERIC, AttributeKind.DATE, AttributeKind.NOMINAL, AttributeKind.TEXT)
)


class FittedFormula(FittedFilter):
    """Adds the computed column; all its values are missing if the data lacks a column of the formula.

    ``kind`` is that of the column. A nominal one has the ``values`` of training; other texts are missing.
    """

    id: ClassVar[str] = "derived"

    def __init__(self, name: str, formula: str, kind: str = "numeric", values: Sequence[str] = ()) -> None:
        self.name, self.formula = name, formula
        self.kind, self.values = AttributeKind(kind), tuple(values)
        self._tree = parse_formula(formula) if formula else None

    def transform(self, data: Dataset) -> Dataset:
        return self.transform_watched(data, lambda: None)

    def transform_watched(self, data: Dataset, checkpoint: Callable[[], None]) -> Dataset:
        if self._tree is None:
            return data
        attribute = Attribute(free_name(self.name, data.schema), self.kind, self.values)
        tree = parse_formula(self.formula, data.schema)
        if not all(name in data.schema for name in tree.columns()):
            return data.with_new_column(attribute, missing_column(attribute, len(data)))
        return data.with_new_column(attribute, self._column(formula_values(tree, data, checkpoint), checkpoint))

    def _column(self, values: FormulaValues, checkpoint: Callable[[], None]) -> Any:
        match values:
            case FormulaTexts() if self.kind.is_coded:
                return values.codes_in(self.values)
            case FormulaTexts() if self.kind.is_string:
                return values.column(checkpoint)
            case FormulaDates() if self.kind is AttributeKind.DATE:
                return values.seconds
            case np.ndarray() if self.kind is AttributeKind.NUMERIC:
                return values
        sentence = f"{self.name} was {self.kind.value} in training, but its formula now gives {kind_of_values(values)}."
        raise DataError(sentence, remedy="Give its columns the kinds that they had in training.", place=self.name)

    def read(self) -> tuple[str, ...]:
        return () if self._tree is None else self._tree.columns()

    def to_state(self) -> State:
        values: dict[str, Any] = {"name": self.name, "formula": self.formula}
        if self.kind is not AttributeKind.NUMERIC:
            values |= {"kind": self.kind.value, "values": list(self.values)}
        return State(values, {})

    @classmethod
    def from_state(cls, state: State) -> Self:
        stored = StoredState(state, "formula")
        name, formula = stored.text("name"), stored.text("formula")
        kind, values = "numeric", list[str]()
        if stored.value("kind") is not None:  # files of earlier programs have numbers alone
            kind, values = stored.text("kind", _FORMULA_KINDS), stored.names("values")
        if len(set(values)) < len(values):
            raise stored.damaged()
        try:
            return cls(name, formula, kind, values)
        except DataError:
            raise stored.damaged() from None


@dataclass(frozen=True, kw_only=True)
class FormulaColumn(Filter):
    """Adds a column of numbers, dates or texts computed by a formula."""

    id: ClassVar[str] = "derive"
    name: ClassVar[str] = "Formula column"
    sentence: ClassVar[str] = 'Adds a column computed from others: weight / height ^ 2, or upper(split(code, "-", 1)).'
    family: ClassVar[str] = "Columns"
    looks_at_records: ClassVar[bool] = False
    adds_columns: ClassVar[bool] = True
    fitted: ClassVar[type[FittedFilter]] = FittedFormula

    to: str = text("result", label="New name", help="The name of the new column.")
    formula: str = text("", label="Formula", help=help_on_formulas(), formulas=True)
    texts: str = choice(
        _AUTO,
        Option(_AUTO, "Automatic", "Nominal if its values recur, else text, as in a file."),
        Option(_NOMINAL_TEXTS, "Nominal", "Values that learners use; one that training did not have is missing."),
        Option(_PLAIN_TEXTS, "Text", "Text, from which a later step may count words."),
        label="Texts become",
        help="The kind of a column of texts. Numbers and dates keep their kind.",
        advanced=True,
        earlier=_AUTO,
    )

    def with_columns_renamed(self, rename: Callable[[str], str | None]) -> Self:
        return self.with_values(formula=rename_in_formula(self.formula, rename))

    def check(self, summary: Summary) -> list[Problem]:
        if not self.formula.strip():
            return [Problem("No formula is given yet.", "Type one, such as [weight] / height ^ 2.")]
        try:
            formula_values(self._read(summary.schema), without_records(summary.schema))
        except DataError as error:
            return [Problem(error.sentence, error.remedy, error.place or None)]
        return []

    def fit(self, data: Dataset, context: RunContext) -> FittedFormula:
        """Check the formula, and list the values of a nominal column.

        Raises :class:`DataError` if it cannot be evaluated on this data, or has too many different values.
        """
        if not self.formula.strip():
            return FittedFormula("", "")
        tree, name = self._read(data.schema), self.to.strip() or "result"
        values = formula_values(tree, data.take([]), context.checkpoint)
        if not isinstance(values, FormulaTexts):
            kind = AttributeKind.DATE if isinstance(values, FormulaDates) else AttributeKind.NUMERIC
            return FittedFormula(name, self.formula.strip(), kind)
        if self.texts == _PLAIN_TEXTS:
            return FittedFormula(name, self.formula.strip(), AttributeKind.TEXT)
        values = formula_values(tree, data, context.checkpoint)
        assert isinstance(values, FormulaTexts)
        distinct, n = values.distinct(), int(np.count_nonzero(values.codes >= 0))
        length = sum(map(len, distinct)) / max(1, len(distinct))
        if self.texts == _AUTO and kind_by_recurrence(len(distinct), n, length) is not AttributeKind.NOMINAL:
            return FittedFormula(name, self.formula.strip(), AttributeKind.TEXT)
        if len(distinct) > MAX_VALUES:
            sentence = f"{name} would have {len(distinct):,} different values, more than {MAX_VALUES:,}."
            raise DataError(sentence, remedy='Let its texts become "text".', place=name)
        return FittedFormula(name, self.formula.strip(), AttributeKind.NOMINAL, natural_order(sorted(distinct)))

    def _read(self, schema: Schema) -> FormulaNode:
        tree = parse_formula(self.formula, schema)
        check_columns(tree, schema, "the column to predict: a formula with it would give the answer away.")
        return tree


# ---- parts of dates --------------------------------------------------------------------------------------------------

_NUMBER, _NOMINAL, _CYCLIC = "number", "nominal", "cyclic"
WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
LISTED_PARTS: Final[Mapping[str, tuple[int, tuple[str, ...]]]] = {
    "quarter": (1, ("Q1", "Q2", "Q3", "Q4")),
    "month": (1, MONTHS),
    "week": (1, tuple(map(str, range(1, 54)))),
    "day": (1, tuple(map(str, range(1, 32)))),
    "weekday": (1, WEEKDAYS),
    "weekend": (0, ("no", "yes")),
    "hour": (0, tuple(map(str, range(24)))),
    "minute": (0, tuple(map(str, range(60)))),
}
"""Lowest number and values of the parts that may be nominal."""
PERIODS: Final[Mapping[str, tuple[int, float]]] = {
    "quarter": (1, 4.0),
    "month": (1, 12.0),
    "week": (1, 365.2425 / 7),
    "day": (1, 31.0),
    "weekday": (1, 7.0),
    "yearday": (1, 365.2425),
    "hour": (0, 24.0),
    "minute": (0, 60.0),
}
"""Lowest number and period of the parts that recur."""
_PARTS: Final = ("year", "quarter", "month", "week", "day", "weekday", "weekend", "yearday", "hour", "minute")
_PART_NAMES: Final = {"week": "ISO week", "day": "day of month", "yearday": "day of year"}
_DATES: Final = (AttributeKind.DATE,)


def date_part(seconds: FloatArray, part: str) -> FloatArray:
    """The part of each date (n,), NaN where the date is missing; ``weekend`` is 1 on Saturday and Sunday, else 0."""
    if part != "weekend":
        return PARTS_OF_DATES[part](seconds)
    weekday = PARTS_OF_DATES["weekday"](seconds)
    return np.where(np.isnan(weekday), np.nan, (weekday > 5).astype(np.float64))


class DatePartsAdded(FittedFilter):
    """Adds ``parts`` of the dates in the columns ``names``; they are missing if the data lacks the column."""

    id: ClassVar[str] = "date-parts-added"

    def __init__(self, names: Sequence[str], parts: Sequence[str], coding: str) -> None:
        self.names, self.parts, self.coding = tuple(names), tuple(parts), coding

    def transform(self, data: Dataset) -> Dataset:
        changed = data
        for name in self.names:
            seconds = _date_column(data, name)
            for part in self.parts:
                for attribute, values in self._columns(name, part, date_part(seconds, part)):
                    renamed = replace(attribute, name=free_name(attribute.name, changed.schema))
                    changed = changed.with_new_column(renamed, values)
        return changed

    def _columns(self, name: str, part: str, numbers: FloatArray) -> list[tuple[Attribute, Any]]:
        column = f"{name}: {_PART_NAMES.get(part, part)}"
        if self.coding == _NOMINAL and part in LISTED_PARTS:
            lowest, values = LISTED_PARTS[part]
            codes = np.where(np.isnan(numbers), -1, numbers - lowest).astype(np.int64)
            return [(nominal(column, values, ordinal=part != "weekend"), codes)]
        if self.coding == _CYCLIC and part in PERIODS:
            lowest, period = PERIODS[part]
            angle = (numbers - lowest) * (2 * np.pi / period)
            return [(numeric(f"{column} (sin)"), np.sin(angle)), (numeric(f"{column} (cos)"), np.cos(angle))]
        return [(numeric(column), numbers)]

    def read(self) -> tuple[str, ...]:
        return self.names

    def to_state(self) -> State:
        return State({"names": list(self.names), "parts": list(self.parts), "coding": self.coding}, {})

    @classmethod
    def from_state(cls, state: State) -> Self:
        stored = StoredState(state, "parts of dates")
        parts = stored.names("parts")
        if not set(parts) <= set(_PARTS):
            raise stored.damaged()
        return cls(stored.names("names"), parts, stored.text("coding", (_NUMBER, _NOMINAL, _CYCLIC)))


def _date_column(data: Dataset, name: str) -> FloatArray:
    """The dates of a column (n,) in seconds, all missing if it is not there or no date."""
    index = data.schema.index_of(name) if name in data.schema else None
    if index is None or data.schema.attributes[index].kind is not AttributeKind.DATE:
        return np.full(len(data), np.nan)
    return np.asarray(data.column(index), dtype=np.float64)


def _part(default: bool, label: str, help: str) -> Any:
    return boolean(default, label=label, help=help)


@dataclass(frozen=True, kw_only=True)
class DateParts(Filter):
    """Adds parts of dates as columns, in the Gregorian calendar and UTC; weeks are those of ISO 8601.

    A cyclic part with period p becomes sin(2π (x - lowest) / p) and cos(2π (x - lowest) / p), so that December lies
    beside January. Year and weekend do not recur; they stay numbers then.
    """

    id: ClassVar[str] = "date-parts"
    name: ClassVar[str] = "Date parts"
    sentence: ClassVar[str] = "Adds parts of dates, such as year, month and weekday, which learners can use."
    family: ClassVar[str] = "Dates"
    looks_at_records: ClassVar[bool] = False
    adds_columns: ClassVar[bool] = True
    fitted: ClassVar[type[FittedFilter]] = DatePartsAdded

    year: bool = _part(True, "Year", "The year, such as 2024.")
    quarter: bool = _part(False, "Quarter", "1 to 4.")
    month: bool = _part(True, "Month", "1 to 12.")
    week: bool = _part(False, "ISO week", "1 to 53, where a week begins on Monday.")
    day: bool = _part(False, "Day of month", "1 to 31.")
    weekday: bool = _part(True, "Weekday", "1 (Monday) to 7 (Sunday).")
    weekend: bool = _part(False, "Weekend", "1 on Saturday and Sunday, else 0.")
    yearday: bool = _part(False, "Day of year", "1 to 366.")
    hour: bool = _part(False, "Hour", "0 to 23.")
    minute: bool = _part(False, "Minute", "0 to 59.")
    coding: str = choice(
        _NUMBER,
        Option(_NUMBER, "Numeric", "A number for each part."),
        Option(_NOMINAL, "Nominal", "A value of a list, such as Monday; years and days of the year stay numbers."),
        Option(_CYCLIC, "Cyclic (sine, cosine)", "Two numbers in a circle, so that December lies beside January."),
        label="Coding",
        help="What a part becomes.",
    )
    columns: tuple[str, ...] = columns(
        (), label="Attributes", help="Only parts of these", without="all dates", kinds=_DATES
    )

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that are switched on, from years to minutes."""
        return tuple(part for part in _PARTS if getattr(self, part))

    def check(self, summary: Summary) -> list[Problem]:
        only = "only dates have such parts"
        problems = problems_of_choice(summary, self.columns, _DATES, do="take apart", done="taken apart", only=only)
        if not self.parts:
            problems.append(Problem("No part of the dates is chosen.", "Switch one on, such as the year."))
        return problems

    def fit(self, data: Dataset, context: RunContext) -> DatePartsAdded:
        indices = chosen(data.schema, self.columns, _DATES)
        return DatePartsAdded([data.schema.attributes[i].name for i in indices], self.parts, self.coding)


UNITS: Final[Mapping[str, float]] = {
    "seconds": 1.0,
    "minutes": 60.0,
    "hours": 3600.0,
    "days": SECONDS_A_DAY,
    "weeks": 7 * SECONDS_A_DAY,
}
"""Seconds of the units of constant length."""
_MONTHS_OF: Final = {"months": 1, "years": 12}


class DatesSubtracted(FittedFilter):
    """Adds the difference between two dates; ``other`` is a column, or else ``given`` a date in seconds."""

    id: ClassVar[str] = "dates-subtracted"

    def __init__(self, to: str, name: str, other: str, given: float, unit: str) -> None:
        self.to, self.name, self.other, self.given, self.unit = to, name, other, given, unit

    def transform(self, data: Dataset) -> Dataset:
        if not self.name:
            return data
        first = _date_column(data, self.name)
        second = _date_column(data, self.other) if self.other else np.full(len(data), self.given)
        if self.unit in UNITS:
            values = (first - second) / UNITS[self.unit]
        else:
            values = np.trunc(completed_months(first, second) / _MONTHS_OF[self.unit]) + 0.0
        return data.with_new_column(numeric(free_name(self.to, data.schema)), values)

    def read(self) -> tuple[str, ...]:
        return tuple(name for name in (self.name, self.other) if name)

    def to_state(self) -> State:
        words = {"to": self.to, "name": self.name, "other": self.other, "unit": self.unit}
        return State(words, {"given": np.array([self.given])})

    @classmethod
    def from_state(cls, state: State) -> Self:
        stored = StoredState(state, "difference of dates")
        unit = stored.text("unit", (*UNITS, *_MONTHS_OF))
        given = float(stored.numbers("given", 1)[0])
        return cls(stored.text("to"), stored.text("name"), stored.text("other"), given, unit)


@dataclass(frozen=True, kw_only=True)
class DateDifference(Filter):
    """Adds the time between two dates, or from a given date to a date; negative if the first comes earlier.

    Months and years are completed ones of the calendar (:func:`algorithms.data.dates.completed_months`), as an age is.
    """

    id: ClassVar[str] = "date-difference"
    name: ClassVar[str] = "Difference of dates"
    sentence: ClassVar[str] = "Adds the time between two dates, such as days of stay, or an age in completed years."
    family: ClassVar[str] = "Dates"
    looks_at_records: ClassVar[bool] = False
    adds_columns: ClassVar[bool] = True
    fitted: ClassVar[type[FittedFilter]] = DatesSubtracted

    end: str | None = column(None, label="End date", help="The date until which the time is counted.", kinds=_DATES)
    since: str = choice(
        "column",
        Option("column", "Another attribute", "The date of another attribute."),
        Option("given", "A given date", "The same date for all records."),
        label="Start",
        help="From when the time is counted.",
    )
    start: str | None = column(
        None,
        label="Start date",
        help="The date from which the time is counted.",
        enabled_if=when("since", "column"),
        kinds=_DATES,
    )
    date: str = text(
        "2000-01-01",
        label="Given date",
        help="The date from which the time is counted: 2024-01-31, or 2024-01-31 18:30.",
        enabled_if=when("since", "given"),
    )
    unit: str = choice(
        "days",
        Option("seconds", "Seconds"),
        Option("minutes", "Minutes"),
        Option("hours", "Hours"),
        Option("days", "Days", "Days of 24 hours, with fractions."),
        Option("weeks", "Weeks", "Seven days, with fractions."),
        Option("months", "Months (completed)", "Completed months of the calendar."),
        Option("years", "Years (completed)", "Completed years of the calendar, as an age is."),
        label="Unit",
        help="The unit of the difference.",
    )
    to: str = text("difference", label="New name", help="The name of the new column.")

    def _given(self) -> float:
        return float(parse_dates([self.date], ISO)[0])

    def check(self, summary: Summary) -> list[Problem]:
        schema, problems = summary.schema, list[Problem]()
        for name in (self.end, self.start if self.since == "column" else self.end):
            if name is None:
                problems.append(Problem("The two dates are not chosen yet.", "Choose them among the attributes."))
            elif name not in schema:
                problems.append(Problem(f"There is no column {name!r}.", "Choose among those there are.", name))
            elif schema.attributes[schema.index_of(name)].kind is not AttributeKind.DATE:
                remedy = "Make it dates before, by the step Change kind."
                problems.append(Problem(f"{name} has no dates.", remedy, name))
        if self.since == "given" and np.isnan(self._given()):
            problems.append(Problem(f"{self.date!r} is no date.", "Write it as 2024-01-31.", None))
        return list(dict.fromkeys(problems))

    def fit(self, data: Dataset, context: RunContext) -> DatesSubtracted:
        """Raises :class:`DataError` for an attribute that is no date, or for a given date that cannot be read."""
        names = (self.end, self.start if self.since == "column" else self.end)
        if None in names:
            return DatesSubtracted("", "", "", np.nan, self.unit)
        for name in names:
            index = data.schema.index_of(name or "")
            if data.schema.attributes[index].kind is not AttributeKind.DATE:
                remedy = "Make it dates before, by the step Change kind."
                raise DataError(f"{name} has no dates.", remedy=remedy, place=name or "")
        given = self._given() if self.since == "given" else np.nan
        if self.since == "given" and np.isnan(given):
            raise DataError(f"{self.date!r} is no date.", remedy="Write it as 2024-01-31.", place="date")
        other = (self.start or "") if self.since == "column" else ""
        return DatesSubtracted(self.to.strip() or "difference", self.end or "", other, given, self.unit)
