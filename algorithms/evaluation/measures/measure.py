"""A performance measure, declared once: computation, name, explanation, drawing and output.

The table of measures, tooltips and workings, the threshold curve, the permutation test, JSON and text reports loop over
:data:`algorithms.evaluation.measures.registry.MEASURES`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from typing import Final

from algorithms.core.scores import FormulaWorking
from algorithms.data.columns import FloatArray
from algorithms.evaluation.measures.confusion_counts import Matrices
from algorithms.evaluation.measures.intervals import Interval
from algorithms.evaluation.measures.measure_workings import ClassValue, weighted_average
from algorithms.evaluation.measures.metrics import DEFAULT_OPTIONS, MetricOptions, Report
from algorithms.text.numbers import amount, coefficient, percent, percent_range
from algorithms.text.sentences import quoted


class Unit(Enum):
    """Text format of a value."""

    PERCENT = "percent"
    INDEX = "index"
    BITS = "bits"
    RATIO = "ratio"
    COST = "cost"

    def text(self, value: float | None, n: float | None = None) -> str:
        """The value on ``n`` records for a table; a dash if undefined."""
        return percent(value, n) if self is Unit.PERCENT else _WRITTEN[self](value)

    def written(self, working: FormulaWorking, n: float | None = None) -> FormulaWorking:
        """The formula with its value as a table shows it."""
        return replace(working, shown=self.text(working.value, n))

    def range_text(self, low: float, high: float, n: float | None = None) -> str:
        """Both ends of an interval: "89.8–97.3%", "0.929–0.971", "−0.021 to 0.345"."""
        if self is Unit.PERCENT:
            return f"{percent_range(low, high, n)}%"
        return f"{_WRITTEN[self](low)}{' to ' if low < 0 else '–'}{_WRITTEN[self](high)}"


_WRITTEN: Final = {Unit.INDEX: coefficient, Unit.BITS: coefficient, Unit.RATIO: amount, Unit.COST: amount}


class Section(Enum):
    """Section of the table of measures, in its order."""

    HEADLINE = 1
    CLASSES = 2
    ERRORS = 3
    COSTS = 4
    SPECIAL = 5
    FURTHER = 6


class Basis(Enum):
    """Input of a measure, in the column order of the text report."""

    DECISIONS = 1
    RANKING = 2
    PROBABILITIES = 3


@dataclass(frozen=True, eq=False)
class MeasureInput:
    """A report, the options and the ``costs`` (k, k) in its class order; workings of classes are cached."""

    report: Report
    options: MetricOptions = DEFAULT_OPTIONS
    costs: FloatArray | None = None
    workings: dict[str, list[FormulaWorking | None]] = field(default_factory=dict, init=False, repr=False)
    """Cached workings of every class (k), by measure id."""

    def label(self, code: int) -> str:
        return self.report.classes[code]


@dataclass(frozen=True)
class Bounds:
    """Both bounds of an interval; ``workings`` computes their worked formulas on demand."""

    low: float
    high: float
    workings: Callable[[], tuple[FormulaWorking, FormulaWorking]]

    @classmethod
    def of(cls, interval: Interval | None, name: str) -> Bounds | None:
        """The bounds of an interval of the measure ``name``; None without an interval."""
        return None if interval is None else cls(*interval.ends, partial(interval.worked, name))


def drawn_later(report: Report) -> bool:
    """Whether the intervals that a background job draws are complete."""
    return report.drawn is not None


@dataclass(frozen=True)
class MeasureInterval:
    """The 95% interval of a measure, shown in its own row below it.

    ``whole`` computes it for all classes together, ``of_class`` for one class. ``is_drawn`` is False while a job
    computes it. ``key`` is its JSON key.
    """

    name: str
    whole: Callable[[MeasureInput], Bounds | None]
    of_class: Callable[[MeasureInput, int], Bounds | None] | None = None
    key: str = ""
    sentence: str = "About 95 of 100 such intervals contain the true value."
    is_drawn: Callable[[Report], bool] = lambda _report: True


@dataclass(frozen=True)
class ClassColumn:
    """Header and tooltip of a measure's column in the table of classes."""

    head: str
    tip: str


@dataclass(frozen=True)
class PermutationWords:
    """Texts for the permutation test: ``axis`` is name and unit, ``typical`` a sentence with ``{}`` for a mean."""

    axis: str
    typical: str
    unit: Unit = Unit.INDEX

    def text(self, value: float) -> str:
        """The value for a sentence or an axis."""
        return percent(value) if self.unit is Unit.PERCENT else f"{value:.3f}"


@dataclass(frozen=True)
class Measure:
    """A measure of performance.

    - ``id`` is its key in options and files and ``name`` heads its row. ``symbol`` (in text tables) and ``term`` (in
      sentences) are the name by default.
    - ``sentence`` is its tooltip, with ``{class}`` for the class of interest. ``explain`` adds a text computed from the
      values; ``glossary`` is a glossary entry to show instead.
    - ``whole`` computes the worked formula for all classes together, ``of_class`` that of one class; None is undefined.
      With ``is_averaged`` all classes together are the mean of the classes, weighted by records. ``average_name`` and
      ``quantity`` name it in the formula and default to the name.
    - ``curve`` computes the values (p,) of confusion matrices, given costs (k, k) and the beta of F. ``curve_name``
      replaces the name there.
    - ``worst`` and ``best`` are its range, ``chance`` its value under guessing if there is a single one.
    - ``key`` and ``class_keys`` are its JSON keys, by default its id. Averages and empty keys are not written.
    - ``reported`` is the value in the report if it differs from that of the worked formula.
    - ``applies`` says whether it has a row; ``title`` computes the name of the row from the values.
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
        return min(self.worst, self.best)

    @property
    def has_whole(self) -> bool:
        """Whether it has a value for all classes together."""
        return self.whole is not None or self.is_averaged

    @property
    def json_key(self) -> str:
        """JSON key of the value for all classes together; empty if it is not written."""
        own = "" if self.whole is None else self.id.replace("-", "_")
        return own if self.key is None else self.key

    @property
    def json_class_keys(self) -> tuple[str, ...]:
        """JSON keys of the values of a class."""
        own = () if self.of_class is None else (self.id.replace("-", "_"),)
        return own if self.class_keys is None else self.class_keys

    @property
    def in_sentence(self) -> str:
        return self.term or self.name

    @property
    def curve_label(self) -> str:
        return self.curve_name or self.name

    def row_name(self, given: MeasureInput) -> str:
        return self.name if self.title is None else self.title(given)

    def tooltip(self, given: MeasureInput, code: int) -> str:
        """Its explanation for the class of interest ``code``; empty if the glossary has it."""
        sentence = self.sentence.replace("{class}", quoted(given.label(code)))
        return sentence if self.explain is None else f"{sentence} {self.explain(given, code)}".strip()

    def working(self, given: MeasureInput) -> FormulaWorking | None:
        """Worked formula of the value for all classes together; None if undefined."""
        if self.whole is not None:
            return self.whole(given)
        return self.averaged(given, weighted_average) if self.is_averaged else None

    def class_workings(self, given: MeasureInput) -> list[FormulaWorking | None]:
        """Worked formula of each class's value, None if undefined; the measure must have class values."""
        workings = given.workings.get(self.id)
        if workings is None:
            assert self.of_class is not None
            workings = [self.of_class(given, code) for code in range(len(given.report.classes))]
            given.workings[self.id] = workings
        return workings

    def averaged(
        self, given: MeasureInput, average: Callable[[str, str, list[ClassValue]], FormulaWorking]
    ) -> FormulaWorking:
        """An average of the class values; ranking measures omit classes without a value."""
        values = [
            (c.label, c.n, None if working is None else working.value)
            for c, working in zip(given.report.per_class, self.class_workings(given), strict=True)
        ]
        if self.basis is Basis.RANKING:
            values = [value for value in values if value[2] is not None]
        name = self.average_name or self.row_name(given)
        return average(name, self.quantity or name.lower(), values)

    def value_of(self, given: MeasureInput) -> float | None:
        """The value for all classes together; None if undefined."""
        if self.reported is not None:
            return self.reported(given.report)
        working = self.working(given)
        return None if working is None else working.value

    def value(self, report: Report, options: MetricOptions = DEFAULT_OPTIONS) -> float | None:
        """:meth:`value_of` of a report without its own costs."""
        return self.value_of(MeasureInput(report, options))
