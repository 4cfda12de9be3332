"""Metrics of a run as figures with their formulas, without widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.scores import FormulaWorking
from algorithms.data.columns import FloatArray
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.measures.intervals import accuracy_interval
from algorithms.evaluation.measures.measure import Bounds, Measure, MeasureInput, MeasureInterval, Unit
from algorithms.evaluation.measures.measure_workings import plain_average, weighted_average
from algorithms.evaluation.measures.metrics import DEFAULT_OPTIONS, MetricOptions, Report
from algorithms.evaluation.measures.registry import MEASURES, in_table_order, of_class_table
from algorithms.evaluation.report import narrow_words
from algorithms.text.names import shortened
from algorithms.text.numbers import UNDEFINED, amount
from algorithms.text.sentences import baseline_words, counted
from workbench.widgets.help import meaning


@dataclass(frozen=True)
class MetricFigure:
    """A number or range as text, as a sort key, and with the formulas of its value and of the upper end."""

    text: str
    value: float | None = None
    working: FormulaWorking | None = None
    upper: FormulaWorking | None = None
    is_last: bool = False
    """Whether its row sorts below all others."""

    @property
    def workings(self) -> tuple[FormulaWorking, ...]:
        return tuple(working for working in (self.working, self.upper) if working is not None)


NOTHING = MetricFigure("")
LONGEST_LABEL = 36
"""Longest class label in a sentence."""
BASELINE_NAME = 20
"""Longest class name in a sentence of the strip."""
COMING = "…"
"""Placeholder for a value that is being computed."""
MOST_TIED = 3
"""Up to so many equally frequent confusions are listed."""


@dataclass(frozen=True)
class MetricRow:
    """A metric: name, meaning, and figures for all classes and for the class of interest."""

    name: str
    tip: str
    whole: MetricFigure
    of_class: MetricFigure = NOTHING


def _checked(text: str, value: float | None, working: FormulaWorking) -> MetricFigure:
    """A figure with its formula, if the formula gives the number shown."""
    agrees = value is None or (working.value is not None and abs(working.value - value) < 1e-9)
    return MetricFigure(text, value, working if agrees and value is not None else None)


def _worked_figure(measure: Measure, working: FormulaWorking | None, n: float) -> MetricFigure:
    if working is None:
        return MetricFigure(UNDEFINED)
    return _checked(measure.unit.text(working.value, n), working.value, working)


def _figure(measure: Measure, given: MeasureInput) -> MetricFigure:
    """The figure of all classes."""
    if not measure.has_whole:
        return NOTHING
    working = measure.working(given)
    if working is None:
        return MetricFigure(UNDEFINED)
    value = working.value if measure.reported is None else measure.reported(given.report)
    return _checked(measure.unit.text(value, given.report.n), value, working)


def _class_figure(measure: Measure, given: MeasureInput, code: int) -> MetricFigure:
    """The figure of class ``code``."""
    if measure.of_class is None:
        return NOTHING
    working = measure.class_workings(given)[code] if measure.is_averaged else measure.of_class(given, code)
    return _worked_figure(measure, working, given.report.n)


def lines(
    report: Report, code: int, costs: CostMatrix | None, options: MetricOptions = DEFAULT_OPTIONS
) -> list[MetricRow]:
    """The metrics of all classes and of class ``code``."""
    given = _input_of(report, costs, options)
    rows = []
    for measure in in_table_order():
        if measure.applies(given):
            tip = f"{meaning(measure.glossary) if measure.glossary else ''} {measure.tooltip(given, code)}".strip()
            figures = _figure(measure, given), _class_figure(measure, given, code)
            rows.append(MetricRow(measure.row_name(given), tip, *figures))
            if measure.interval is not None:
                rows.append(_interval_row(measure.interval, measure.unit, given, code))
    return rows


def row_name(
    measure: Measure, report: Report, costs: CostMatrix | None, options: MetricOptions = DEFAULT_OPTIONS
) -> str:
    """The name of the row of a measure in :func:`lines`."""
    return measure.row_name(_input_of(report, costs, options))


def _input_of(report: Report, costs: CostMatrix | None, options: MetricOptions = DEFAULT_OPTIONS) -> MeasureInput:
    return MeasureInput(report, options, ordered_costs(report, costs))


def _interval_row(interval: MeasureInterval, unit: Unit, given: MeasureInput, code: int) -> MetricRow:
    """The 95% interval of a measure, for all classes and, if it has one, for the class of interest."""
    if not interval.is_drawn(given.report):
        return MetricRow(interval.name, interval.sentence, MetricFigure(COMING))
    figures = [_interval_figure(interval.whole(given), unit, given.report.n)]
    if interval.of_class is not None:
        figures.append(_interval_figure(interval.of_class(given, code), unit, given.report.n))
    return MetricRow(interval.name, interval.sentence, *figures)


def _interval_figure(bounds: Bounds | None, unit: Unit, n: float) -> MetricFigure:
    if bounds is None:
        return MetricFigure(UNDEFINED)
    lower, upper = bounds.workings()
    figure = _checked(unit.range_text(bounds.low, bounds.high, n), bounds.low, lower)
    return replace(figure, upper=_checked("", bounds.high, upper).working)


@dataclass(frozen=True)
class HeadlineMetric:
    """A metric of the strip: name, figure and sentence, with its place on an axis from ``lowest`` to 1.

    ``interval`` is None without one, ``mark`` is the baseline on the axis. ``narrow`` says how narrow the interval is,
    and why; empty if it is not.
    """

    name: str
    figure: MetricFigure
    sentence: str
    interval: tuple[float, float] | None = None
    interval_words: str = ""
    lowest: float = 0.0
    is_percent: bool = True
    mark: float | None = None
    narrow: tuple[str, str] = ("", "")


def headline_metrics(report: Report, code: int) -> list[HeadlineMetric]:
    """Accuracy, precision, recall, F1 and AUC of class ``code``; averages of all classes beyond two."""
    given = MeasureInput(report)
    accuracy = MEASURES.get("accuracy")
    guessed = shortened(report.baseline_class, BASELINE_NAME, report.classes)
    guess = baseline_words(guessed, report.baseline_accuracy, report.n)
    first = _headline("Accuracy", accuracy, _figure(accuracy, given), guess, given, report.interval)
    further = _class_headlines(given, code) if len(report.classes) == 2 else _macro_headlines(given)
    return [replace(first, mark=report.baseline_accuracy, narrow=(narrow_words(report), report.narrow)), *further]


def _headline(
    name: str,
    measure: Measure,
    figure: MetricFigure,
    sentence: str,
    given: MeasureInput,
    interval: tuple[float, float] | None = None,
) -> HeadlineMetric:
    words = "" if interval is None else f"95% CI {measure.unit.range_text(*interval, given.report.n)}".removesuffix("%")
    lowest = 0.0 if measure.chance is None else measure.chance
    return HeadlineMetric(name, figure, sentence, interval, words, lowest, measure.unit is Unit.PERCENT)


def _class_headlines(given: MeasureInput, code: int) -> list[HeadlineMetric]:
    """Precision, recall, F1 and AUC of a class, with their intervals."""
    report = given.report
    names = [shortened(name, BASELINE_NAME, report.classes) for name in report.classes]
    counts, label, other = report.per_class[code].counts, names[code], names[1 - code]
    per_test = report.n_effective / max(float(report.confusion.sum()), 1.0)
    right, predicted, actual = (amount(n) for n in (counts.tp, counts.tp + counts.fp, counts.tp + counts.fn))
    shares = (
        ("precision", counts.tp + counts.fp, f"{right} of {predicted} predicted {label} are {label}"),
        ("recall", counts.tp + counts.fn, f"{right} of {actual} {label} are predicted {label}"),
    )
    metrics = []
    for id, n, sentence in shares:
        measure = MEASURES.get(id)
        figure = _class_figure(measure, given, code)
        interval = None if figure.value is None else accuracy_interval(figure.value, n * per_test)
        metrics.append(_headline(id.capitalize(), measure, figure, sentence, given, interval))
    for id, name, sentence in (
        ("f", "F1", "Harmonic mean of precision and recall"),
        ("auc", "AUC", f"How often {label} ranks above {other}"),
    ):
        measure = MEASURES.get(id)
        metrics.append(
            _headline(
                name, measure, _class_figure(measure, given, code), sentence, given, _class_bounds(measure, given, code)
            )
        )
    return metrics


def _class_bounds(measure: Measure, given: MeasureInput, code: int) -> tuple[float, float] | None:
    interval = measure.interval
    if interval is None or interval.of_class is None or not interval.is_drawn(given.report):
        return None
    bounds = interval.of_class(given, code)
    return None if bounds is None else (bounds.low, bounds.high)


def _macro_headlines(given: MeasureInput) -> list[HeadlineMetric]:
    """Macro averages of precision, recall and F1, and the AUC weighted by records."""
    mean = f"Mean of {len(given.report.classes)} classes"
    metrics = []
    for id, name in (("precision", "Precision"), ("recall", "Recall"), ("f", "F1")):
        measure = MEASURES.get(id)
        figure = _worked_figure(measure, measure.averaged(given, plain_average), given.report.n)
        metrics.append(_headline(f"{name}, macro", measure, figure, mean, given))
    area = MEASURES.get("auc")  # weighted by records, as in the table of runs
    return [*metrics, _headline("AUC, weighted", area, _figure(area, given), "Mean by records", given)]


def class_headers() -> tuple[tuple[str, str], ...]:
    """Titles and tooltips of the table of classes."""
    columns = [(measure.column, measure.glossary) for measure in of_class_table()]
    heads = [(column.head, column.tip or meaning(entry)) for column, entry in columns if column is not None]
    return (("Class", ""), ("Records", "How many tested records are of the class"), *heads)


def class_rows(report: Report) -> list[list[MetricFigure]]:
    """Cells of every class (label, records, measures), then those of both averages."""
    given, measures = MeasureInput(report), of_class_table()
    columns = [[_worked_figure(each, working, report.n) for working in each.class_workings(given)] for each in measures]
    rows = [
        [MetricFigure(c.label), MetricFigure(amount(c.n), c.n), *(column[code] for column in columns)]
        for code, c in enumerate(report.per_class)
    ]
    n = float(report.confusion.sum())
    for name, average in (("by records (average)", weighted_average), ("by classes (average)", plain_average)):
        figures = [_worked_figure(measure, measure.averaged(given, average), report.n) for measure in measures]
        rows.append([MetricFigure(name, is_last=True), MetricFigure(amount(n), n), *figures])
    return rows


def ordered_costs(report: Report, costs: CostMatrix | None) -> FloatArray | None:
    """The costs in the order of the run's classes, means where they differ by record; None if they do not apply."""
    if costs is None:
        return None
    if costs.varies:
        return None if report.cost_sums is None else report.cost_sums.table
    try:
        return costs.ordered(report.classes)
    except DataError:
        return None


def in_words(parts: Sequence[str | MetricFigure]) -> str:
    return "".join(part.text if isinstance(part, MetricFigure) else part for part in parts)


def confusion_sentence(report: Report) -> str:
    """The most frequent confusion in words."""
    mistakes = report.confusion.copy()
    np.fill_diagonal(mistakes, 0.0)
    total = float(mistakes.sum())
    if not total:
        return "No errors."
    n = float(mistakes.max())
    often = np.argwhere(mistakes == n)
    if len(often) > MOST_TIED:
        return f"{len(often):,} confusions are the most frequent: {amount(n)} each, of {amount(total)} errors."
    room = LONGEST_LABEL // len(often)
    named = [[shortened(report.classes[code], room, report.classes) for code in pair] for pair in often.tolist()]
    pairs = [f"{actual} predicted {predicted}" for actual, predicted in named]
    whole = "the only error" if n == total == 1 else f"{amount(n)} of {amount(total)} errors"
    if len(pairs) > 1:
        pairs, whole = [", ".join(pairs[:-1]), pairs[-1]], f"{amount(n)} each, of {amount(total)} errors"
    return f"Most frequent: {' and '.join(pairs)} ({whole})."


def records_judged(report: Report) -> str:
    """The number of tested records and repeats."""
    words = f"{counted(report.n, 'test record')}"
    return words if report.n_tests == report.n else f"{words}, {counted(report.n_tests, 'test')}"
