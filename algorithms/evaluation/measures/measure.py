"""A measure of performance, declared once: how it is computed, named, explained, drawn and written.

The table of numbers, its tooltips and workings, the threshold curve, the permutation test, the JSON and the text of the
command line are loops over :data:`algorithms.evaluation.measures.registry.MEASURES`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Final

from algorithms.core.scores import FormulaWorking
from algorithms.data.columns import FloatArray
from algorithms.evaluation.measures.confusion_counts import Matrices
from algorithms.evaluation.measures.intervals import Interval
from algorithms.evaluation.measures.measure_workings import ClassValue, weighted_average
from algorithms.evaluation.measures.metrics import DEFAULT_OPTIONS, MetricOptions, Report
from algorithms.text.numbers import amount, in_100, index


class Unit(Enum):
    """How a value is written."""

    PERCENT = "percent"
    INDEX = "index"
    BITS = "bits"
    RATIO = "ratio"
    COST = "cost"

    def text(self, value: float | None) -> str:
        """The value for a table; a dash where it is undefined."""
        return _WRITTEN[self](value)


_WRITTEN: Final = {Unit.PERCENT: in_100, Unit.INDEX: index, Unit.BITS: index, Unit.RATIO: amount, Unit.COST: amount}


class Section(Enum):
    """Part of the table of numbers, in the order of the table."""

    HEADLINE = 1
    CLASSES = 2
    ERRORS = 3
    COSTS = 4
    SPECIAL = 5
    FURTHER = 6


class Basis(Enum):
    """What a measure is computed from, in the order of the columns of the text report."""

    DECISIONS = 1
    RANKING = 2
    PROBABILITIES = 3


@dataclass(frozen=True, eq=False)
class MeasureInput:
    """What measures are computed from: a report, the chosen options, and the costs that apply.

    ``costs`` (k, k) stand in the order of the report's classes. ``is_priced`` is False where the costs count as a
    column says whose values are unknown. The workings of the classes are kept: averages go by them again.
    """

    report: Report
    options: MetricOptions = DEFAULT_OPTIONS
    costs: FloatArray | None = None
    is_priced: bool = True
    workings: dict[str, list[FormulaWorking | None]] = field(default_factory=dict, init=False, repr=False)
    """Of every class (k), by the id of the measure."""

    def label(self, code: int) -> str:
        return self.report.classes[code]


@dataclass(frozen=True)
class Bounds:
    """Both ends of an interval; ``workings`` makes those of both where they are to be shown."""

    low: float
    high: float
    workings: Callable[[], tuple[FormulaWorking, FormulaWorking]]

    @classmethod
    def of(cls, interval: Interval | None, name: str) -> Bounds | None:
        """The bounds of an interval of the measure ``name``; None without an interval."""
        return None if interval is None else cls(*interval.ends, partial(interval.worked, name))


def drawn_later(report: Report) -> bool:
    """Whether the intervals that a job draws are complete."""
    return report.drawn is not None


@dataclass(frozen=True)
class MeasureInterval:
    """The 95% interval of a measure, with its own row under that of the measure.

    ``whole`` is that of all classes together, ``of_class`` that of one class. ``is_drawn`` is False while a job still
    draws it. ``key`` is its key in JSON.
    """

    name: str
    whole: Callable[[MeasureInput], Bounds | None]
    of_class: Callable[[MeasureInput, int], Bounds | None] | None = None
    key: str = ""
    sentence: str = "Of 100 intervals made like this one, about 95 hold the true value."
    is_drawn: Callable[[Report], bool] = lambda _report: True


@dataclass(frozen=True)
class ClassColumn:
    """Head and tooltip of a measure's column in the table of classes."""

    head: str
    tip: str


@dataclass(frozen=True)
class PermutationWords:
    """A measure in the permutation test. ``typical`` says a mean, with ``{}`` in its place.

    ``axis`` is the name with its unit, for axes and tables.
    """

    axis: str
    typical: str
    unit: Unit = Unit.INDEX

    def text(self, value: float) -> str:
        """The value for a sentence or an axis."""
        return in_100(value) if self.unit is Unit.PERCENT else f"{value:.3f}"


@dataclass(frozen=True)
class Measure:
    """A measure of performance.

    - ``id`` addresses it in options and files; ``name`` heads its row; ``symbol`` is its short sign in text tables and
      ``term`` its name within a sentence, each by default the name.
    - ``sentence`` is its tooltip, with ``{class}`` for the class of interest; ``explain`` makes it from the values, and
      ``glossary`` is the entry of the glossary that is shown instead.
    - ``whole`` computes it for all classes together, ``of_class`` for the class with a code, both with their working.
      None in place of a working is an undefined value. With ``is_averaged`` all classes together are the average of the
      classes by their records, of ``average_name`` and ``quantity`` (by default the name).
    - ``curve`` computes it of many confusion matrices (p,), from costs (k, k) and the beta of F; ``curve_name`` is its
      name there, where it differs.
    - ``worst`` and ``best`` are its range, ``chance`` what guessing reaches, where that is one value.
    - ``key`` and ``class_keys`` are its JSON keys, by default its id; an empty one leaves it out, as do averages.
    - ``reported`` is the value the report itself gives, where that is not the one of the working.
    - ``applies`` says whether it has a row; ``title`` is the name of the row where that depends on the values.
    """

    id: str
    name: str
    sentence: str = ""
    whole: Callable[[MeasureInput], FormulaWorking | None] | None = None
    of_class: Callable[[MeasureInput, int], FormulaWorking | None] | None = None
    section: Section = Section.FURTHER
    basis: Basis = Basis.DECISIONS
    unit: Unit = Unit.INDEX
    symbol: str = ""
    term: str = ""
    worst: float = 0.0
    best: float = 1.0
    chance: float | None = None
    is_averaged: bool = False
    average_name: str = ""
    quantity: str = ""
    interval: MeasureInterval | None = None
    curve: Callable[[Matrices, FloatArray | None, float], FloatArray] | None = None
    curve_name: str = ""
    column: ClassColumn | None = None
    permutation: PermutationWords | None = None
    key: str | None = None
    class_keys: tuple[str, ...] | None = None
    glossary: str = ""
    explain: Callable[[MeasureInput, int], str] | None = None
    title: Callable[[MeasureInput], str] | None = None
    reported: Callable[[Report], float | None] | None = None
    applies: Callable[[MeasureInput], bool] = lambda _input: True

    @property
    def higher_is_better(self) -> bool:
        return self.best > self.worst

    @property
    def lowest(self) -> float:
        """The lowest value it can have."""
        return min(self.worst, self.best)

    @property
    def has_whole(self) -> bool:
        """Whether it has a value for all classes together."""
        return self.whole is not None or self.is_averaged

    @property
    def json_key(self) -> str:
        """Its key among the values of all classes together; empty where it is not written there."""
        own = "" if self.whole is None else self.id.replace("-", "_")
        return own if self.key is None else self.key

    @property
    def json_class_keys(self) -> tuple[str, ...]:
        """Its keys among the values of a class."""
        own = () if self.of_class is None else (self.id.replace("-", "_"),)
        return own if self.class_keys is None else self.class_keys

    @property
    def in_sentence(self) -> str:
        """Its name within a sentence."""
        return self.term or self.name

    @property
    def curve_label(self) -> str:
        """Its name as a curve."""
        return self.curve_name or self.name

    def row_name(self, given: MeasureInput) -> str:
        return self.name if self.title is None else self.title(given)

    def tooltip(self, given: MeasureInput, code: int) -> str:
        """What it says, with the class of interest ``code``; empty where the glossary says it."""
        sentence = self.sentence.replace("{class}", given.label(code))
        return sentence if self.explain is None else f"{sentence} {self.explain(given, code)}".strip()

    def working(self, given: MeasureInput) -> FormulaWorking | None:
        """Formula of the value of all classes together."""
        if self.whole is not None:
            return self.whole(given)
        return self.averaged(given, weighted_average) if self.is_averaged else None

    def class_workings(self, given: MeasureInput) -> list[FormulaWorking | None]:
        """How the value of each class came about; None where it is undefined. The measure must have such values."""
        workings = given.workings.get(self.id)
        if workings is None:
            assert self.of_class is not None
            workings = [self.of_class(given, code) for code in range(len(given.report.classes))]
            given.workings[self.id] = workings
        return workings

    def averaged(
        self, given: MeasureInput, average: Callable[[str, str, list[ClassValue]], FormulaWorking]
    ) -> FormulaWorking:
        """An average of the values of the classes. A ranking measure leaves out classes without a value."""
        values = [
            (c.label, c.n, None if working is None else working.value)
            for c, working in zip(given.report.per_class, self.class_workings(given), strict=True)
        ]
        if self.basis is Basis.RANKING:
            values = [value for value in values if value[2] is not None]
        name = self.average_name or self.row_name(given)
        return average(name, self.quantity or name.lower(), values)

    def value_of(self, given: MeasureInput) -> float | None:
        """The value of all classes together."""
        if self.reported is not None:
            return self.reported(given.report)
        working = self.working(given)
        return None if working is None else working.value

    def value(self, report: Report, options: MetricOptions = DEFAULT_OPTIONS) -> float | None:
        """:meth:`value_of` of a report without costs of its own."""
        return self.value_of(MeasureInput(report, options))

    def class_value(self, report: Report, code: int, options: MetricOptions = DEFAULT_OPTIONS) -> float | None:
        """The value of class ``code``; None where it is undefined, or the measure has no values of classes."""
        working = None if self.of_class is None else self.of_class(MeasureInput(report, options), code)
        return None if working is None else working.value
