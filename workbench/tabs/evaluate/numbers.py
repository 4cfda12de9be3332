"""The numbers of a run as they are shown, each with its working where there is one. No widgets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.scores import FormulaWorking, ratio
from algorithms.data.columns import FloatArray
from algorithms.evaluation.costs import cost_workings
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.measures import measure_workings, report_workings
from algorithms.evaluation.measures.intervals import Interval, MatrixIntervals
from algorithms.evaluation.measures.measure_workings import Each, plain_average, weighted_average
from algorithms.evaluation.measures.metrics import ClassMetrics, MetricOptions, Report
from algorithms.text.names import shortened
from algorithms.text.numbers import UNDEFINED, amount, in_100, index
from algorithms.text.sentences import counted
from workbench.tabs.evaluate.further_numbers import further
from workbench.widgets.help import meaning


@dataclass(frozen=True)
class MetricFigure:
    """One number or range: as text, as a number to sort by, and how it, and the upper end of a range, came about."""

    text: str
    value: float | None = None
    working: FormulaWorking | None = None
    upper: FormulaWorking | None = None
    is_last: bool = False
    """Whether its row stands below the others however they are sorted."""

    @property
    def workings(self) -> tuple[FormulaWorking, ...]:
        return tuple(working for working in (self.working, self.upper) if working is not None)


NOTHING = MetricFigure("")
DEFAULTS = MetricOptions()
LONGEST_GUESS = 12
"""Letters of the class that guessing says, in the narrow column of names."""
LONGEST_LABEL = 36
"""Letters of a class in a sentence; its row of the matrix says it whole."""
COMING = "…"
"""In the place of what is being computed."""
MOST_TIED = 3
"""So many mistakes that are made equally often are named."""


@dataclass(frozen=True)
class MetricRow:
    """One metric: its plain name with the field's term, what it says, for all classes and for the class of interest."""

    name: str
    tip: str
    whole: MetricFigure
    of_class: MetricFigure = NOTHING


def _checked(text: str, value: float | None, working: FormulaWorking) -> MetricFigure:
    """A figure with its working, left out where it does not lead to the number shown."""
    agrees = value is None or (working.value is not None and abs(working.value - value) < 1e-9)
    return MetricFigure(text, value, working if agrees and value is not None else None)


def class_figures(report: Report, code: int) -> dict[str, MetricFigure]:
    """Found, sure, F, AUC and false alarms of one class."""
    c, counts = report.per_class[code], measure_workings.BinaryCounts.of(report.confusion, code, report.classes[code])
    return {
        "found": _checked(in_100(c.recall), c.recall, counts.recall()),
        "sure": _checked(in_100(c.precision), c.precision, counts.precision()),
        "f": _checked(index(c.f), c.f, counts.f_measure()),
        "auc": _checked(index(c.auc), c.auc, c.pairs.working()),
        "alarms": _checked(in_100(c.fpr), c.fpr, counts.false_positive_rate()),
    }


def lines(report: Report, code: int, costs: CostMatrix | None, options: MetricOptions = DEFAULTS) -> list[MetricRow]:
    """The metrics, for all classes together and for class ``code``."""
    return [
        *_whole_lines(report),
        *_class_lines(report, code),
        *_beyond_lines(report, code),
        *_cost_lines(report, costs),
        *_rarer_lines(report, code),
        *(worked_line(name, tip, show, whole, *of) for name, tip, show, whole, of in further(report, code, options)),
    ]


def _whole_lines(report: Report) -> list[MetricRow]:
    low, high = report.interval
    bounds = report_workings.interval(report)
    guess = measure_workings.baseline(
        report.confusion, report.classes.index(report.baseline_class), report.baseline_class
    )
    return [
        MetricRow(
            "Right (accuracy)",
            "The share of tested records whose predicted class is the actual one.",
            _checked(in_100(report.accuracy), report.accuracy, report_workings.accuracy(report)),
        ),
        MetricRow(
            "Its 95% interval",
            "Of 100 intervals made like this one, 95 hold the true share.",
            replace(
                _checked(f"{in_100(low)} to {in_100(high)}", low, bounds[0]),
                upper=_checked(in_100(high), high, bounds[1]).working,
            ),
        ),
        MetricRow(
            f"Guessing {shortened(report.baseline_class, LONGEST_GUESS, report.classes)}",
            f"What always predicting the most frequent class, {report.baseline_class}, would reach: the mark to beat.",
            _checked(in_100(report.baseline_accuracy), report.baseline_accuracy, guess),
        ),
        MetricRow(
            "Kappa",
            meaning("kappa"),
            _checked(index(report.kappa), report.kappa, measure_workings.kappa(report.confusion)),
        ),
        _drawn_line("Kappa", report, lambda drawn: (drawn.kappa,)),
    ]


def _interval_line(name: str, whole: Interval | None, *of_class: Interval | None) -> MetricRow:
    """The 95% interval of a measure, for all classes together and, where it has one, for the class of interest."""
    figures = [_interval_figure(name, interval) for interval in (whole, *of_class)]
    return MetricRow(
        f"95% interval of {name}", "Of 100 intervals made like this one, about 95 hold the true value.", *figures
    )


def _drawn_line(
    name: str, report: Report, intervals: Callable[[MatrixIntervals], tuple[Interval | None, ...]]
) -> MetricRow:
    """As :func:`_interval_line`, of what may still be drawn in a job."""
    if report.drawn is None:
        return replace(_interval_line(name, None), whole=MetricFigure(COMING))
    return _interval_line(name, *intervals(report.drawn))


def _interval_figure(name: str, interval: Interval | None) -> MetricFigure:
    if interval is None:
        return MetricFigure(UNDEFINED)
    (low, high), (lower, upper) = interval.ends, interval.worked(name)
    figure = _checked(f"{index(low)} to {index(high)}", low, lower)
    return replace(figure, upper=_checked(index(high), high, upper).working)


OF_ALL = (
    "Under All: the mean over the classes, each against all others, weighted by its number of records (Weka's weighted "
    "average)."
)


def _most_frequent(report: Report, what: Callable[[ClassMetrics], float | None]) -> str:
    """What the class that counts most in the mean under All has: a rare class beside it looks quite different."""
    largest = max(report.per_class, key=lambda each: each.n)
    return f"Most of it is that of the most frequent class, {largest.label}: {in_100(what(largest))}."


def _class_lines(report: Report, code: int) -> list[MetricRow]:
    of = class_figures(report, code)
    label = report.per_class[code].label
    told = {
        "found": ("Found (recall, TPR)", f"Of the records that are {label}, how many in 100 were said to be."),
        "sure": ("Sure (precision)", f"Of the records said to be {label}, how many in 100 really are."),
        "f": ("F", meaning("F")),
        "auc": ("AUC", meaning("AUC")),
        "alarms": ("False alarms (FPR)", f"Of the records that are not {label}, how many in 100 were said to be."),
    }
    by_records = averages(report, weighted_average)
    found = []
    for what, (name, tip) in told.items():
        most = f" {_most_frequent(report, lambda each: each.fpr)}" if what == "alarms" else ""
        found.append(MetricRow(name, f"{tip} {OF_ALL}{most}", by_records[what], of[what]))
        if what == "f":
            found.append(_drawn_line("F", report, lambda drawn: (drawn.mean_f, drawn.f[code])))
        elif what == "auc":
            found.append(_interval_line("AUC", report.auc_interval, report.per_class[code].auc_interval))
    return found


def _beyond_lines(report: Report, code: int) -> list[MetricRow]:
    log_loss, brier = report.probability.log_loss(), report.probability.brier()
    class_brier = report.probability.class_brier(code)
    wrong = measure_workings.error_rate(report.confusion)
    if report.estimate is not None:  # the estimate is not a share of these records
        wrong = measure_workings.what_is_missing(report.accuracy)
    return [
        MetricRow(
            "Wrong (error rate)",
            "The share of tested records whose predicted class is not the actual one: 1 − accuracy.",
            _checked(in_100(report.error_rate), report.error_rate, wrong),
        ),
        MetricRow(
            "MCC",
            "Matthews' correlation of what was said with what is; 1 is perfect, 0 no better than chance.",
            _checked(index(report.mcc), report.mcc, measure_workings.matthews(report.confusion)),
        ),
        MetricRow(
            "Log loss",
            "How far the probabilities are from the truth; one that is sure and wrong counts most. 0 is perfect.",
            _checked(index(log_loss.value), log_loss.value, log_loss),
        ),
        MetricRow(
            "Brier score",
            "The squared distance of the probabilities from the truth; 0 is perfect. Under All the distances of all "
            "classes are added up and 2 is the worst; for one class only its own counts, 1 is the worst, and so it is "
            "smaller: with two classes the half.",
            _checked(index(brier.value), brier.value, brier),
            _checked(index(class_brier.value), class_brier.value, class_brier),
        ),
    ]


def _cost_lines(report: Report, costs: CostMatrix | None) -> list[MetricRow]:
    if ordered_costs(report, costs) is None:
        return []  # every mistake costs 1, and the error says that
    return [
        MetricRow(
            "Cost per record",
            "The amounts of the cost matrix, averaged over the decisions.",
            cost_figure(report, costs),
        ),
        MetricRow(
            "95% interval of it", "Of 100 such intervals, 95 hold the true average.", _cost_bounds(report, costs)
        ),
        MetricRow(
            "Total cost", "The amounts of the cost matrix, summed over all decisions.", total_cost_figure(report, costs)
        ),
    ]


def worked_line(
    name: str, tip: str, show: Callable[[float | None], str], whole: FormulaWorking | None, *of: FormulaWorking
) -> MetricRow:
    """A line of workings, for all classes together and for the class of interest, where there is one."""
    figures = [NOTHING if w is None else _checked(show(w.value), w.value, w) for w in (whole, *of)]
    return MetricRow(name, tip, *figures)


def _rarer_lines(report: Report, code: int) -> list[MetricRow]:
    """What some fields ask for beside the usual numbers."""
    each, counts = (
        report.per_class[code],
        measure_workings.BinaryCounts.of(report.confusion, code, report.classes[code]),
    )
    label, line = each.label, worked_line

    def by_records(name: str, values: list[float | None]) -> FormulaWorking:
        rows = zip(report.per_class, values, strict=True)
        return weighted_average(name, name.lower(), [(c.label, c.n, v) for c, v in rows])

    every, told = report.per_class, report.probability
    return [
        line(
            "Cleared (specificity, TNR)",
            f"Of the records that are not {label}, how many in 100 were not said to be. {OF_ALL} "
            + _most_frequent(report, lambda each: each.specificity),
            in_100,
            by_records("Specificity", [c.specificity for c in every]),
            counts.specificity(),
        ),
        line(
            "F2",
            "As F, but found counts twice as much as sure: where missing one is worse than a false alarm.",
            index,
            by_records("F2", [c.f2 for c in every]),
            counts.f_measure(2),
        ),
        line(
            "F0.5",
            "As F, but sure counts twice as much as found: where a false alarm is worse than missing one.",
            index,
            by_records("F0.5", [c.f05 for c in every]),
            counts.f_measure(0.5),
        ),
        line(
            "Balanced accuracy",
            "The average of what is found of each class: rare classes count as much as frequent ones.",
            in_100,
            report_workings.balanced_accuracy(report),
            counts.balanced_accuracy(),
        ),
        line(
            "G-mean",
            "The geometric mean of what is found of each class; 0 where one class is never found.",
            index,
            report_workings.g_mean(report),
            counts.g_mean(),
        ),
        line(
            "AUC, every class alike",
            "The average of the classes' areas, one against the rest, however rare a class is (macro average).",
            index,
            report_workings.macro_auc(report),
        ),
        line(
            "PR area",
            "The area under precision over recall (average precision); guessing gets the share of the class.",
            index,
            report_workings.pr_area(report),
            each.pairs.average_precision(),
        ),
        _interval_line("PR area", report.pr_area_interval, each.pr_area_interval),
        line(
            "Information (bits)",
            "What the probabilities tell of a record beyond how frequent the classes are (Kononenko and Bratko).",
            index,
            told.information(),
        ),
        line(
            "Information, relative",
            "What the probabilities tell, as a share of all there is to tell: 0 is nothing, 1 everything.",
            index,
            told.relative_information(),
        ),
    ]


Average = Callable[[str, str, Sequence[Each]], FormulaWorking]


def averages(report: Report, average: Average) -> dict[str, MetricFigure]:
    """Found, sure, F, AUC and false alarms of all classes together, by this kind of average."""

    def figure(name: str, of: str, show: Callable[[float | None], str], values: list[float | None]) -> MetricFigure:
        classes = [(c.label, c.n, value) for c, value in zip(report.per_class, values, strict=True)]
        if name == "AUC":  # what has no area says nothing about the others
            classes = [each for each in classes if each[2] is not None]
        working = average(name, of, classes)
        return _checked(show(working.value), working.value, working)

    every = report.per_class
    return {
        "found": figure("Recall", "recall", in_100, [c.recall for c in every]),
        "sure": figure("Precision", "precision", in_100, [c.precision for c in every]),
        "f": figure("F", "F", index, [c.f for c in every]),
        "auc": figure("AUC", "AUC", index, [c.auc for c in every]),
        "alarms": figure("False positive rate", "rate", in_100, [c.fpr for c in every]),
    }


def class_rows(report: Report) -> list[list[MetricFigure]]:
    """The cells of every class (label, records, found, sure, F, AUC, false alarms), then those of both averages."""
    rows = [
        [MetricFigure(c.label), MetricFigure(amount(c.n), c.n), *class_figures(report, code).values()]
        for code, c in enumerate(report.per_class)
    ]
    n = float(report.confusion.sum())
    for name, average in (("by records (average)", weighted_average), ("by classes (average)", plain_average)):
        rows.append([MetricFigure(name, is_last=True), MetricFigure(amount(n), n), *averages(report, average).values()])
    return rows


def ordered_costs(report: Report, costs: CostMatrix | None) -> FloatArray | None:
    """The costs in the order of the run's classes; None where there are none, or none for these classes."""
    if costs is None:
        return None
    try:
        return costs.ordered(report.classes)
    except DataError:
        return None


def cost_figure(report: Report, costs: CostMatrix | None) -> MetricFigure:
    """Mean cost of a decision."""
    table = ordered_costs(report, costs)
    if table is None or is_unpriced(report, costs):
        return MetricFigure(UNDEFINED)
    working, _ = cost_workings.costs_worked(report, table)
    return _checked(amount(working.value), working.value, working)


def total_cost_figure(report: Report, costs: CostMatrix | None) -> MetricFigure:
    """The amounts of the cost matrix, summed over all decisions."""
    table = ordered_costs(report, costs)
    if table is None or is_unpriced(report, costs):
        return MetricFigure(UNDEFINED)
    _, working = cost_workings.costs_worked(report, table)
    return _checked(amount(working.value), working.value, working)


def is_unpriced(report: Report, costs: CostMatrix | None) -> bool:
    """Whether the costs count for each record as a column says, and its values are not known here."""
    return costs is not None and bool(costs.amounts) and report.at_stake is None


def _cost_bounds(report: Report, costs: CostMatrix | None) -> MetricFigure:
    """The interval of the cost per record; what cannot be said where there are no costs, or one record."""
    table = ordered_costs(report, costs)
    if table is None or is_unpriced(report, costs):
        return MetricFigure(UNDEFINED)
    bounds = cost_workings.cost_interval(report.confusion, table, report.n_effective, report.at_stake)
    if not bounds:
        return MetricFigure(UNDEFINED)
    low, high = bounds
    return replace(
        _checked(f"{amount(low.value)} to {amount(high.value)}", low.value, low),
        upper=_checked(amount(high.value), high.value, high).working,
    )


def cost_words(report: Report, costs: CostMatrix | None) -> list[str | MetricFigure]:
    """What the decisions cost in all, and what guessing would: words, and among them figures that open."""
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
    """The sentence that words and figures make."""
    return "".join(part.text if isinstance(part, MetricFigure) else part for part in parts)


def confusion_sentence(report: Report) -> str:
    """The mistake made most often, in words."""
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
    pairs = [f"{is_} {'for' if at else 'was taken for'} {was}" for at, (is_, was) in enumerate(named)]
    whole = "the only mistake made" if n == total == 1 else f"{amount(n)} of {amount(total)} mistakes"
    if len(pairs) > 1:
        pairs, whole = [", ".join(pairs[:-1]), pairs[-1]], f"{amount(n)} each, of {amount(total)} mistakes"
    return f"Most often {' and '.join(pairs)}: {whole}."


def records_judged(report: Report) -> str:
    """How many records were judged, and how often."""
    words = f"{counted(report.n, 'record')} judged"
    return words if report.n_tests == report.n else f"{words}, {counted(report.n_tests, 'time')} in all"
