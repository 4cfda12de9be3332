"""Metrics of a run as figures with their formulas, without widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.scores import FormulaWorking, ratio
from algorithms.data.columns import FloatArray
from algorithms.evaluation.costs import cost_workings
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.cost_workings import COST, TOTAL_COST
from algorithms.evaluation.measures import measure_workings
from algorithms.evaluation.measures.measure import Bounds, Measure, MeasureInput, MeasureInterval, Unit
from algorithms.evaluation.measures.measure_workings import plain_average, weighted_average
from algorithms.evaluation.measures.metrics import DEFAULT_OPTIONS, MetricOptions, Report
from algorithms.evaluation.measures.registry import in_table_order, of_class_table
from algorithms.text.names import shortened
from algorithms.text.numbers import UNDEFINED, amount, in_100
from algorithms.text.sentences import counted
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


def _worked_figure(measure: Measure, working: FormulaWorking | None) -> MetricFigure:
    if working is None:
        return MetricFigure(UNDEFINED)
    return _checked(measure.unit.text(working.value), working.value, working)


def _figure(measure: Measure, given: MeasureInput) -> MetricFigure:
    """The figure of all classes."""
    if not measure.has_whole:
        return NOTHING
    working = measure.working(given)
    if working is None:
        return MetricFigure(UNDEFINED)
    value = working.value if measure.reported is None else measure.reported(given.report)
    return _checked(measure.unit.text(value), value, working)


def _class_figure(measure: Measure, given: MeasureInput, code: int) -> MetricFigure:
    """The figure of class ``code``."""
    if measure.of_class is None:
        return NOTHING
    return _worked_figure(
        measure, measure.class_workings(given)[code] if measure.is_averaged else measure.of_class(given, code)
    )


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


def _input_of(report: Report, costs: CostMatrix | None, options: MetricOptions = DEFAULT_OPTIONS) -> MeasureInput:
    return MeasureInput(report, options, ordered_costs(report, costs), not is_unpriced(report, costs))


def _interval_row(interval: MeasureInterval, unit: Unit, given: MeasureInput, code: int) -> MetricRow:
    """The 95% interval of a measure, for all classes and, if it has one, for the class of interest."""
    if not interval.is_drawn(given.report):
        return MetricRow(interval.name, interval.sentence, MetricFigure(COMING))
    figures = [_interval_figure(interval.whole(given), unit)]
    if interval.of_class is not None:
        figures.append(_interval_figure(interval.of_class(given, code), unit))
    return MetricRow(interval.name, interval.sentence, *figures)


def _interval_figure(bounds: Bounds | None, unit: Unit) -> MetricFigure:
    if bounds is None:
        return MetricFigure(UNDEFINED)
    lower, upper = bounds.workings()
    figure = _checked(f"{unit.text(bounds.low)} to {unit.text(bounds.high)}", bounds.low, lower)
    return replace(figure, upper=_checked("", bounds.high, upper).working)


def class_headers() -> tuple[tuple[str, str], ...]:
    """Titles and tooltips of the table of classes."""
    columns = [(measure.column, measure.glossary) for measure in of_class_table()]
    heads = [(column.head, column.tip or meaning(entry)) for column, entry in columns if column is not None]
    return (("Class", ""), ("Records", "How many tested records are of the class"), *heads)


def class_rows(report: Report) -> list[list[MetricFigure]]:
    """Cells of every class (label, records, measures), then those of both averages."""
    given, measures = MeasureInput(report), of_class_table()
    columns = [[_worked_figure(each, working) for working in each.class_workings(given)] for each in measures]
    rows = [
        [MetricFigure(c.label), MetricFigure(amount(c.n), c.n), *(column[code] for column in columns)]
        for code, c in enumerate(report.per_class)
    ]
    n = float(report.confusion.sum())
    for name, average in (("by records (average)", weighted_average), ("by classes (average)", plain_average)):
        figures = [_worked_figure(measure, measure.averaged(given, average)) for measure in measures]
        rows.append([MetricFigure(name, is_last=True), MetricFigure(amount(n), n), *figures])
    return rows


def ordered_costs(report: Report, costs: CostMatrix | None) -> FloatArray | None:
    """The costs in the order of the run's classes; None if they do not apply."""
    if costs is None:
        return None
    try:
        return costs.ordered(report.classes)
    except DataError:
        return None


def cost_figure(report: Report, costs: CostMatrix | None) -> MetricFigure:
    """Mean cost of a decision."""
    return _figure_of_costs(COST, report, costs)


def total_cost_figure(report: Report, costs: CostMatrix | None) -> MetricFigure:
    """Total cost over all tested records."""
    return _figure_of_costs(TOTAL_COST, report, costs)


def _figure_of_costs(measure: Measure, report: Report, costs: CostMatrix | None) -> MetricFigure:
    given = _input_of(report, costs)
    return MetricFigure(UNDEFINED) if given.costs is None else _figure(measure, given)


def is_unpriced(report: Report, costs: CostMatrix | None) -> bool:
    """Whether a column weights the costs whose values are unknown here."""
    return costs is not None and bool(costs.amounts) and report.at_stake is None


def cost_words(report: Report, costs: CostMatrix | None) -> list[str | MetricFigure]:
    """The total cost and that of the baseline, as words and figures."""
    table = ordered_costs(report, costs)
    n = float(report.confusion.sum())
    if table is None:
        mistakes = n - float(np.trace(report.confusion))
        wrong = _checked(in_100(ratio(mistakes, n)), ratio(mistakes, n), measure_workings.error_rate(report.confusion))
        return [f"Every mistake costs 1: {amount(mistakes)} in all, ", wrong, " in 100 records."]
    if costs is not None and is_unpriced(report, costs):
        return [f"What its tested records cost is not known: {costs.amounts} says how many times each counts."]
    total = total_cost_figure(report, costs)
    matrix, column = cost_workings.summed(report)
    code, guess = cost_workings.cheapest_guess(matrix, table, report.classes, column)
    by_guess = _checked(amount(guess.value), guess.value, guess)
    assert total.value is not None
    assert guess.value is not None
    tail = (
        "."
        if total.value < guess.value
        else ": less than these decisions."
        if guess.value < total.value
        else ", the same."
    )
    always = f" a record; always saying {report.classes[code]} would cost "
    return ["Total ", total, ", ", cost_figure(report, costs), always, by_guess, tail]


def in_words(parts: Sequence[str | MetricFigure]) -> str:
    """The sentence of words and figures."""
    return "".join(part.text if isinstance(part, MetricFigure) else part for part in parts)


def confusion_sentence(report: Report) -> str:
    """The most frequent confusion in words."""
    mistakes = report.confusion.copy()
    np.fill_diagonal(mistakes, 0.0)
    total = float(mistakes.sum())
    if not total:
        return "Not one mistake."
    n = float(mistakes.max())
    often = np.argwhere(mistakes == n)
    if len(often) > MOST_TIED:
        return f"{len(often):,} kinds of mistake are the most frequent: {amount(n)} each, of {amount(total)} mistakes."
    room = LONGEST_LABEL // len(often)
    named = [[shortened(report.classes[code], room, report.classes) for code in pair] for pair in often.tolist()]
    pairs = [f"{is_} {'for' if index else 'was taken for'} {was}" for index, (is_, was) in enumerate(named)]
    whole = "the only mistake made" if n == total == 1 else f"{amount(n)} of {amount(total)} mistakes"
    if len(pairs) > 1:
        pairs, whole = [", ".join(pairs[:-1]), pairs[-1]], f"{amount(n)} each, of {amount(total)} mistakes"
    return f"Most often {' and '.join(pairs)}: {whole}."


def records_judged(report: Report) -> str:
    """The number of tested records and repeats."""
    words = f"{counted(report.n, 'record')} judged"
    return words if report.n_tests == report.n else f"{words}, {counted(report.n_tests, 'time')} in all"
