"""The report of a result as JSON values, as plain text, and with every curve."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from algorithms.core.context import RunContext
from algorithms.data.dataset import Dataset
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.mean_cost import MeanCost
from algorithms.evaluation.curves.curve_kind import ClassCurves, curves_of, margins
from algorithms.evaluation.curves.scored import ScoredClass, two_best
from algorithms.evaluation.measures.agreement import KAPPA
from algorithms.evaluation.measures.intervals import Interval
from algorithms.evaluation.measures.measure import Bounds, MeasureInput
from algorithms.evaluation.measures.measure_workings import plain_average, weighted_average
from algorithms.evaluation.measures.metrics import (
    DEFAULT_OPTIONS,
    MetricOptions,
    RankingMetrics,
    Report,
    ranked_with_intervals,
    report_by,
)
from algorithms.evaluation.measures.registry import MEASURES, of_text_report
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.verdict import default_class_of_interest, verdict
from algorithms.text.names import shortened


def report_to_json(
    result: EvaluationResult, report: Report, options: MetricOptions = DEFAULT_OPTIONS
) -> dict[str, Any]:
    """Everything in the report as JSON values; what is undefined is null, never NaN."""
    given, measures = MeasureInput(report, options), of_text_report()
    per_class = _class_measures_to_json(given)
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
        **_measures_to_json(given),
        "interval_note": report.narrow,
        "baseline": {"class": report.baseline_class, "accuracy": report.baseline_accuracy},
        "auc_error": None if report.auc_interval is None else report.auc_interval.error,
        "measures": options.values(),
        "classes": list(report.classes),
        "confusion": [[_whole(cell) for cell in row] for row in report.confusion.tolist()],
        "per_class": [
            {
                "label": metrics.label,
                "n": metrics.n,
                "pairs": vars(metrics.pairs),
                **of_class,
            }
            for metrics, of_class in zip(report.per_class, per_class, strict=True)
        ],
        "averages": {
            name: {measure.json_class_keys[0]: measure.averaged(given, average).value for measure in measures}
            for name, average in (("weighted_by_records", weighted_average), ("macro", plain_average))
        },
        "currency": report.currency,
        "cost_of_a_record": None if report.at_stake is None else report.at_stake.column,
        "honest": not report.test_is_training,
        "partial": result.partial,
        "folds": {"planned": result.n_folds, "failed": len(result.failures)},
        "seconds": {"load": result.timings.load, "fit": result.timings.fit, "predict": result.timings.predict},
        "warnings": list(result.remarks()),
    }
    return {name: plain(value) for name, value in values.items()}


def _measures_to_json(given: MeasureInput) -> dict[str, Any]:
    """The values and intervals of all classes together, by their keys."""
    values: dict[str, Any] = {}
    for measure in MEASURES:
        if measure.json_key:
            values[measure.json_key] = measure.value_of(given)
        if measure.interval is not None and measure.interval.key:
            values[measure.interval.key] = _ends(measure.interval.whole(given))
    return values


def _class_measures_to_json(given: MeasureInput) -> list[dict[str, Any]]:
    """The values and intervals of every class, by their keys."""
    classes: list[dict[str, Any]] = [{} for _ in given.report.classes]
    for measure in MEASURES:
        if measure.of_class is not None and (keys := measure.json_class_keys):
            for values, working in zip(classes, measure.class_workings(given), strict=True):
                for key in keys:
                    values[key] = None if working is None else working.value
        interval = measure.interval
        if interval is not None and interval.of_class is not None and interval.class_key:
            for code, values in enumerate(classes):
                values[interval.class_key] = _ends(interval.of_class(given, code))
    return classes


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
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value


def _ends(bounds: Bounds | None) -> list[float] | None:
    return None if bounds is None else [bounds.low, bounds.high]


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
    per_class = tuple(
        replace(of, counts=replace(of.counts, label=label)) for of, label in zip(report.per_class, classes, strict=True)
    )
    return replace(report, classes=classes, per_class=per_class, baseline_class=shortened(report.baseline_class))


def _facts(result: EvaluationResult, report: Report) -> str:
    low, high = report.interval
    kappa_interval = None if report.drawn is None else report.drawn.kappa
    rows = [
        ("accuracy", f"{number(report.accuracy)}  (95% interval {number(low)} to {number(high)})"),
        ("baseline", f"{number(report.baseline_accuracy)}  (always {report.baseline_class})"),
        ("kappa", f"{number(KAPPA.value(report))}{_interval_words(kappa_interval)}"),
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
    given, measures = MeasureInput(report), of_text_report()
    n = f"{sum(metrics.n for metrics in report.per_class):g}"
    header = ["class", "records", *(measure.symbol or measure.name for measure in measures)]
    values = [[number(working and working.value) for working in measure.class_workings(given)] for measure in measures]
    rows = [
        [metrics.label, f"{metrics.n:g}", *(of_measure[code] for of_measure in values)]
        for code, metrics in enumerate(report.per_class)
    ]
    means = [
        [name, n, *(number(measure.averaged(given, average).value) for measure in measures)]
        for name, average in (
            ("mean weighted by records", weighted_average),
            ("mean of classes (macro)", plain_average),
        )
    ]
    return table([header, *rows, *means])


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
