"""The report of a result as JSON values, as plain text, and with every curve."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from algorithms.core.context import RunContext
from algorithms.data.dataset import Dataset
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.mean_cost import MeanCost
from algorithms.evaluation.curves.curve_kind import ClassCurves, curves_of
from algorithms.evaluation.curves.margins import margins
from algorithms.evaluation.curves.scored import ScoredClass, two_best
from algorithms.evaluation.measures import measure_workings, report_workings
from algorithms.evaluation.measures.intervals import Interval
from algorithms.evaluation.measures.measure_workings import BinaryCounts, Each, plain_average, weighted_average
from algorithms.evaluation.measures.metrics import (
    ClassMetrics,
    MetricOptions,
    RankingMetrics,
    Report,
    ranked_with_intervals,
    report_by,
)
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.verdict import default_class_of_interest, verdict
from algorithms.text.names import shortened

DEFAULTS: Final = MetricOptions()


def report_to_json(result: EvaluationResult, report: Report, options: MetricOptions = DEFAULTS) -> dict[str, Any]:
    """Everything in the report as JSON values; what is undefined is null, never NaN."""
    counts = BinaryCounts.of_all(report.confusion, [""] * len(report.classes))
    drawn = report.drawn
    values = {
        "learner": result.learner.to_json(),
        "filters": [step.to_json() for step in result.recipe],
        "method": result.method.to_json(),
        "seed": result.seed,
        "class": result.schema.class_attribute.name,
        "n": report.n,
        "n_tests": report.n_tests,
        "n_effective": report.n_effective,
        "n_without_class": result.n_without_class,
        "accuracy": report.accuracy,
        "error_rate": report.error_rate,
        "interval": list(report.interval),
        "interval_note": report.narrow,
        "baseline": {"class": report.baseline_class, "accuracy": report.baseline_accuracy},
        "kappa": report.kappa,
        "kappa_interval": _ends(None if drawn is None else drawn.kappa),
        "f_interval": _ends(None if drawn is None else drawn.mean_f),
        "auc": report.auc,
        "auc_interval": _ends(report.auc_interval),
        "auc_error": None if report.auc_interval is None else report.auc_interval.error,
        "mcc": report.mcc,
        "log_loss": report.probability.log_loss().value,
        "brier": report.probability.brier().value,
        "auc_one_vs_one": report_workings.auc_one_vs_one(report).value,
        "pr_area_macro": report_workings.macro_pr_area(report).value,
        "pr_area_interpolated": report_workings.interpolated_pr_area(report).value,
        "top_2_accuracy": None
        if report.in_two is None
        else measure_workings.in_two_guesses(report.in_two, report.confusion).value,
        "mean_absolute_error": report.probability.absolute_error().value,
        "root_mean_squared_error": report.probability.root_squared_error().value,
        "relative_absolute_error": report.probability.relative_absolute_error().value,
        "root_relative_squared_error": report.probability.root_relative_squared_error().value,
        "d2_log_loss": report.probability.explained_log_loss().value,
        "d2_brier": report.probability.explained_brier().value,
        "bits_saved": report.probability.bits_saved().value,
        "auc_macro": report_workings.macro_auc(report).value,
        "balanced_accuracy": report_workings.balanced_accuracy(report).value,
        "g_mean": report_workings.g_mean(report).value,
        "pr_area": report_workings.pr_area(report).value,
        "pr_area_interval": _ends(report.pr_area_interval),
        "information": report.probability.information().value,
        "relative_information": report.probability.relative_information().value,
        "measures": options.values(),
        "classes": list(report.classes),
        "confusion": [[_whole(cell) for cell in row] for row in report.confusion.tolist()],
        "per_class": [
            {
                **asdict(each),
                "auc_interval": _ends(each.auc_interval),
                "pr_area_interval": _ends(each.pr_area_interval),
                "f_interval": _ends(None if drawn is None else drawn.f[code]),
                "f_beta": options.f_measure(counts[code]).value,
                "weighted_accuracy": options.weighted_accuracy(counts[code]).value,
                "brier": report.probability.class_brier(code).value,
                "mean_absolute_error": report.probability.class_absolute_error(code).value,
            }
            for code, each in enumerate(report.per_class)
        ],
        "averages": {
            name: {rate: mean(report, rate) for rate in AVERAGED}
            for name, mean in (("weighted_by_records", _weighted_mean), ("macro", _plain_mean))
        },
        "total_cost": report.total_cost,
        "cost_per_record": report.cost_per_record,
        "cost_interval": None if report.cost is None else _bounds(report.cost),
        "currency": report.currency,
        "cost_of_a_record": None if report.at_stake is None else report.at_stake.column,
        "honest": not report.test_is_training,
        "partial": result.partial,
        "folds": {"planned": result.n_folds, "failed": len(result.failures)},
        "seconds": {"load": result.timings.load, "fit": result.timings.fit, "predict": result.timings.predict},
        "warnings": list(result.remarks()),
    }
    return {name: plain(value) for name, value in values.items()}


def predictions_to_json(predicted: Dataset, classes: Sequence[str], notes: Sequence[str]) -> dict[str, Any]:
    """What :meth:`TrainedClassifier.with_judgement` found of each record, as JSON values."""
    first = len(predicted.schema) - len(classes)
    shares = [predicted.column(first + code).tolist() for code in range(len(classes))]
    records = [
        {"decision": classes[decision], "probabilities": dict(zip(classes, probabilities, strict=True))}
        for decision, *probabilities in zip(predicted.column(first - 1).tolist(), *shares, strict=True)
    ]
    return {"classes": list(classes), "records": records, "warnings": list(notes)}


def plain(value: Any) -> Any:
    """JSON values with null for what is not finite."""
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else list(interval.ends)


def _whole(weight: float) -> int | float:
    """A count as an integer, a sum of weights as it is."""
    return int(weight) if weight.is_integer() else weight


def report_to_text(result: EvaluationResult, report: Report, leaks: Sequence[str] = ()) -> str:
    """The verdict in words, then the numbers, the classes one by one, and the confusion matrix.

    ``leaks`` are clauses for the verdict. Long labels of classes are cut.
    """
    report = _with_short_labels(report)
    interest = default_class_of_interest(report)
    parts = [
        verdict(report, interest, leaks).text(),
        _facts(result, report),
        _class_table(report),
        _confusion_table(report),
    ]
    parts.extend(f"Note: {sentence}" for sentence in result.remarks())
    return "\n\n".join(parts[:4]) + "".join(
        f"\n\n{note}" if i == 0 else f"\n{note}" for i, note in enumerate(parts[4:])
    )


def _with_short_labels(report: Report) -> Report:
    classes = tuple(shortened(label, among=report.classes) for label in report.classes)
    per_class = tuple(replace(of, label=label) for of, label in zip(report.per_class, classes, strict=True))
    return replace(report, classes=classes, per_class=per_class, baseline_class=shortened(report.baseline_class))


def _facts(result: EvaluationResult, report: Report) -> str:
    low, high = report.interval
    rows = [
        ("accuracy", f"{number(report.accuracy)}  (95% interval {number(low)} to {number(high)})"),
        ("baseline", f"{number(report.baseline_accuracy)}  (always {report.baseline_class})"),
        ("kappa", f"{number(report.kappa)}{_interval_words(None if report.drawn is None else report.drawn.kappa)}"),
        ("AUC", f"{number(report.auc)}{_interval_words(report.auc_interval)}"),
    ]
    if report.cost is not None:
        rows.append(("cost", _cost_words(report.cost, report.currency)))
        if report.at_stake is not None:
            rows.append(("", f"the costs count for each record as often as its {report.at_stake.column} says"))
    times = "" if report.n == report.n_tests else f", {report.n_tests} tests"
    rows.append(("judged on", f"{report.n} records{times}, {result.method.described()}, seed {result.seed}"))
    return "\n".join(f"{name:<10} {value}" for name, value in rows)


def _interval_words(interval: Interval | None) -> str:
    return "" if interval is None else f"  (95% interval {number(interval.low)} to {number(interval.high)})"


def _cost_words(cost: MeanCost, currency: str) -> str:
    """ "41 EUR in total, 0.4100 a record  (95% interval 0.3127 to 0.5073)"."""
    total = f"{cost.total:,.12g} {currency}".rstrip()
    said = f"{total} in total, {number(plain(cost.mean))} a record"
    bounds = _bounds(cost)
    return said if bounds is None else f"{said}  (95% interval {number(bounds[0])} to {number(bounds[1])})"


def _bounds(cost: MeanCost) -> list[float] | None:
    return None if cost.low is None or cost.spread is None else [cost.low, cost.mean + cost.spread]


def number(value: float | None) -> str:
    """Four decimals, "-" where undefined."""
    return "-" if value is None else f"{value:.4f}"


def _class_table(report: Report) -> str:
    def row(each: ClassMetrics) -> list[str]:
        rates = (each.recall, each.precision, each.f, each.fpr, each.auc)
        return [each.label, f"{each.n:g}", *(number(rate) for rate in rates)]

    n = f"{sum(each.n for each in report.per_class):g}"
    header = ["class", "records", "recall", "precision", "F", "FPR", "AUC"]
    means = [
        [name, n, *(number(mean(report, rate)) for rate in AVERAGED)]
        for name, mean in (("mean weighted by records", _weighted_mean), ("mean of classes (macro)", _plain_mean))
    ]
    return table([header, *(row(each) for each in report.per_class), *means])


AVERAGED: Final = ("recall", "precision", "f", "fpr", "auc")
"""Rates of single classes that are averaged over the classes."""


def _rates(report: Report, rate: str) -> list[Each]:
    """The rate of each class; what has no AUC says nothing about the others."""
    found: list[Each] = [(each.label, each.n, getattr(each, rate)) for each in report.per_class]
    return [each for each in found if rate != "auc" or each[2] is not None]


def _weighted_mean(report: Report, rate: str) -> float | None:
    return weighted_average(rate, rate, _rates(report, rate)).value


def _plain_mean(report: Report, rate: str) -> float | None:
    return plain_average(rate, rate, _rates(report, rate)).value


def _confusion_table(report: Report) -> str:
    header = ["", *(f"said {label}" for label in report.classes)]
    rows = [
        [f"is {label}", *(f"{cell:g}" for cell in cells)]
        for label, cells in zip(report.classes, report.confusion.tolist(), strict=True)
    ]
    return table([header, *rows])


def table(rows: Sequence[Sequence[str]]) -> str:
    """Cells in columns, the first left-aligned and the others right-aligned."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]

    def line(row: Sequence[str]) -> str:
        cells = [
            cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        ]
        return "  ".join(cells).rstrip()

    return "\n".join(line(row) for row in rows)


def in_full(
    result: EvaluationResult, context: RunContext, costs: CostMatrix | None = None
) -> tuple[Report, tuple[ClassCurves, ...]]:
    """The report and the curves of every class, in code order; classes are dealt with side by side."""
    best = two_best(result.probabilities, context.checkpoint)
    of_all = margins(result, best)

    def of_class(code: int) -> tuple[RankingMetrics, ClassCurves]:
        scored = ScoredClass.of(result, code, context.checkpoint, best)
        points = scored.points()
        context.checkpoint()
        return ranked_with_intervals(result, scored, points), curves_of(scored, points, of_all, context.checkpoint)

    found = context.map(of_class, range(len(result.classes)))
    orders = [order for order, _ in found]
    told = report_by(result, orders, best, costs, checkpoint=context.checkpoint)
    return told, tuple(curves for _, curves in found)
