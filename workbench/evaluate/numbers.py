"""The numbers of a run as they are shown, each with its working where there is one. No widgets."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from algorithms.core.data import FloatArray
from algorithms.core.errors import DataError
from algorithms.core.scores import Term, Working, ratio
from algorithms.evaluation import workings
from algorithms.evaluation.costs import CostMatrix
from algorithms.evaluation.metrics import ClassMetrics, Report
from workbench.views.figures import UNDEFINED, amount, counted, in_100, index


@dataclass(frozen=True)
class Figure:
    """One number or range: as text, as a number to sort by, and how it, and the upper end of a range, came about."""

    text: str
    value: float | None = None
    working: Working | None = None
    upper: Working | None = None

    @property
    def workings(self) -> tuple[Working, ...]:
        return tuple(working for working in (self.working, self.upper) if working is not None)


NOTHING = Figure("")


@dataclass(frozen=True)
class Line:
    """One metric: its plain name with the field's term, what it says, for all classes and for the class of interest."""

    name: str
    tip: str
    whole: Figure
    of_class: Figure = NOTHING


def _checked(text: str, value: float | None, working: Working) -> Figure:
    """A figure with its working, left out where it does not lead to the number shown."""
    agrees = value is None or (working.value is not None and abs(working.value - value) < 1e-9)
    return Figure(text, value, working if agrees and value is not None else None)


def _mean(report: Report, values: list[float | None]) -> float | None:
    """Mean of the classes' values weighted by their records, None where one of them is undefined."""
    pairs = [(c.n, v) for c, v in zip(report.per_class, values, strict=True) if c.n]
    if not pairs or any(v is None for _, v in pairs):
        return None
    return ratio(sum(n * v for n, v in pairs if v is not None), sum(n for n, _ in pairs))


def class_figures(report: Report, code: int) -> dict[str, Figure]:
    """Found, sure, F, AUC and false alarms of one class."""
    c, counts = report.per_class[code], workings.Counts.of(report.confusion, code)
    return {
        "found": _checked(in_100(c.recall), c.recall, counts.recall()),
        "sure": _checked(in_100(c.precision), c.precision, counts.precision()),
        "f": _checked(index(c.f), c.f, counts.f_measure()),
        "auc": Figure(index(c.auc), c.auc),
        "alarms": _checked(in_100(c.fpr), c.fpr, counts.false_positive_rate()),
    }


def lines(report: Report, code: int, costs: CostMatrix | None) -> list[Line]:
    """The metrics, for all classes together and for class ``code``."""
    of = class_figures(report, code)
    label = report.per_class[code].label
    low, high = report.interval
    bounds = workings.interval_bounds(report.accuracy, report.n)
    return [
        Line(
            "Right (accuracy)",
            "The share of records that were classified rightly.",
            _checked(in_100(report.accuracy), report.accuracy, workings.accuracy(report.confusion)),
        ),
        Line(
            "Its 95% interval",
            "Of 100 intervals made like this one, 95 hold the true share.",
            replace(
                _checked(f"{in_100(low)} to {in_100(high)}", low, bounds[0]),
                upper=_checked(in_100(high), high, bounds[1]).working,
            ),
        ),
        Line(
            f"Always guessing {report.baseline_class}",
            "What guessing the most frequent class would reach: the mark to beat.",
            _checked(in_100(report.baseline_accuracy), report.baseline_accuracy, _baseline(report)),
        ),
        Line(
            "Kappa",
            "Agreement with the truth beyond what chance would give; 1 is perfect, 0 chance.",
            _checked(index(report.kappa), report.kappa, workings.kappa(report.confusion)),
        ),
        Line(
            "Found (recall, TPR)",
            f"Of the records that are {label}, how many in 100 were found.",
            _average(report, [c.recall for c in report.per_class], percent=True),
            of["found"],
        ),
        Line(
            "Sure (precision)",
            f"Of the records said to be {label}, how many in 100 really are.",
            _average(report, [c.precision for c in report.per_class], percent=True),
            of["sure"],
        ),
        Line(
            "F",
            "The harmonic mean of found and sure: high only where both are.",
            _average(report, [c.f for c in report.per_class]),
            of["f"],
        ),
        Line(
            "AUC",
            "The chance that a record of the class is thought more likely to be in it than one of another class.",
            Figure(index(report.auc), report.auc),
            of["auc"],
        ),
        Line(
            "False alarms (FPR)",
            f"Of the records that are not {label}, how many in 100 were said to be.",
            _average(report, [c.fpr for c in report.per_class], percent=True),
            of["alarms"],
        ),
        Line("Cost per record", "What a decision costs on average.", cost_figure(report, costs)),
    ]


def _average(report: Report, values: list[float | None], *, percent: bool = False) -> Figure:
    value = _mean(report, values)
    return Figure(in_100(value) if percent else index(value), value)


def _baseline(report: Report) -> Working:
    code = report.classes.index(report.baseline_class)
    of_class, total = float(report.confusion[code].sum()), float(report.confusion.sum())
    terms = (
        Term("of the class", of_class, f"records that are {report.baseline_class}"),
        Term("tested", total, "records tested"),
    )
    return Working("Baseline", "{of the class} / {tested}", terms, ratio(of_class, total))


def ordered_costs(report: Report, costs: CostMatrix | None) -> FloatArray | None:
    """The costs in the order of the run's classes; None where there are none, or none for these classes."""
    if costs is None:
        return None
    try:
        return costs.ordered(report.classes)
    except DataError:
        return None


def cost_figure(report: Report, costs: CostMatrix | None) -> Figure:
    """Mean cost of a decision."""
    table = ordered_costs(report, costs)
    if table is None:
        return Figure(UNDEFINED)
    total, n = float((report.confusion * table).sum()), float(report.confusion.sum())
    value = ratio(total, n)
    terms = (Term("total cost", total, "sum of all costs"), Term("tested", n, "records tested"))
    return _checked(amount(value), value, Working("Cost per record", "{total cost} / {tested}", terms, value))


def cost_sentence(report: Report, costs: CostMatrix | None) -> str:
    """What the mistakes cost in all, and what guessing would, in words."""
    table = ordered_costs(report, costs)
    n = float(report.confusion.sum())
    if table is None:
        mistakes = n - float(np.trace(report.confusion))
        counts = amount(mistakes)
        return f"Every mistake costs 1: {counts} in all, {in_100(ratio(mistakes, n))} in 100 records."
    total = float((report.confusion * table).sum())
    by_guess = (report.confusion.sum(axis=1) @ table).tolist()
    cheapest = int(np.argmin(by_guess))
    verdict = "" if total < by_guess[cheapest] else " costs no more"
    guess = f"always {report.classes[cheapest]}{verdict}: {amount(by_guess[cheapest])}"
    return f"Total {amount(total)}, {amount(ratio(total, n))} a record; {guess}."


def confusion_sentence(report: Report) -> str:
    """The mistake made most often, in words."""
    mistakes = report.confusion.copy()
    np.fill_diagonal(mistakes, 0.0)
    total = float(mistakes.sum())
    if not total:
        return "Not one mistake."
    true, said = divmod(int(mistakes.argmax()), len(report.classes))
    n = float(mistakes[true, said])
    whole = "the only mistake made" if n == total == 1 else f"{amount(n)} of {amount(total)} mistakes"
    return f"Most often {report.classes[true]} was taken for {report.classes[said]}: {whole}."


def records_judged(report: Report) -> str:
    """How many records were judged, and how often."""
    words = f"{counted(report.n, 'record')} judged"
    return words if report.n_tests == report.n else f"{words}, {counted(report.n_tests, 'time')} in all"


def class_row(metrics: ClassMetrics, figures: dict[str, Figure]) -> list[Figure]:
    """The cells of one class: label, records, found, sure, F, AUC, false alarms."""
    return [Figure(metrics.label), Figure(amount(metrics.n), metrics.n), *figures.values()]
