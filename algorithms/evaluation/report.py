"""A result as JSON values and as plain text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from algorithms.data.dataset import Dataset
from algorithms.evaluation.costs.mean_cost import MeanCost
from algorithms.evaluation.measures.agreement import KAPPA
from algorithms.evaluation.measures.intervals import Interval
from algorithms.evaluation.measures.measure import Bounds, MeasureInput
from algorithms.evaluation.measures.measure_workings import plain_average, weighted_average
from algorithms.evaluation.measures.metrics import (
    DEFAULT_OPTIONS,
    MetricOptions,
    Report,
)
from algorithms.evaluation.measures.registry import MEASURES, of_text_report
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.verdict import default_class_of_interest, verdict
from algorithms.text.names import shortened
from algorithms.text.numbers import fixed


def report_to_json(
    result: EvaluationResult, report: Report, options: MetricOptions = DEFAULT_OPTIONS
) -> dict[str, Any]:
    """The whole report as JSON values; undefined values are null, never NaN."""
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
        "confusion": [
            [(int(cell) if cell.is_integer() else cell) for cell in row] for row in report.confusion.tolist()
        ],
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
    """Values and intervals of all classes together, by JSON key."""
    values: dict[str, Any] = {}
    for measure in MEASURES:
        if measure.json_key:
            values[measure.json_key] = measure.value_of(given)
        if measure.interval is not None and measure.interval.key:
            values[measure.interval.key] = _ends(measure.interval.whole(given))
    return values


def _class_measures_to_json(given: MeasureInput) -> list[dict[str, Any]]:
    """Values and intervals of every class, by JSON key."""
    classes: list[dict[str, Any]] = [{} for _ in given.report.classes]
    for measure in MEASURES:
        if measure.of_class is not None and (keys := measure.json_class_keys):
            for values, working in zip(classes, measure.class_workings(given), strict=True):
                for key in keys:
                    values[key] = None if working is None else working.value
        interval = measure.interval
        if interval is not None and interval.of_class is not None and interval.key:
            for code, values in enumerate(classes):
                values[interval.key] = _ends(interval.of_class(given, code))
    return classes


def predictions_to_json(predicted: Dataset, classes: Sequence[str], notes: Sequence[str]) -> dict[str, Any]:
    """Predictions of :meth:`TrainedClassifier.with_judgement` as JSON values."""
    first = len(predicted.schema) - len(classes)
    shares = [predicted.column(first + code).tolist() for code in range(len(classes))]
    records = [
        {"decision": classes[decision], "probabilities": dict(zip(classes, probabilities, strict=True))}
        for decision, *probabilities in zip(predicted.column(first - 1).tolist(), *shares, strict=True)
    ]
    return {"classes": list(classes), "records": records, "warnings": list(notes)}


def plain(value: Any) -> Any:
    """The value with null for every number that is not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def _ends(bounds: Bounds | None) -> list[float] | None:
    return None if bounds is None else [bounds.low, bounds.high]


def report_to_text(result: EvaluationResult, report: Report, leaks: Sequence[str] = ()) -> str:
    """The verdict, the measures, the table of classes, and the confusion matrix as text.

    ``leaks`` are clauses for the verdict. Long class labels are shortened.
    """
    classes = tuple(shortened(label, among=report.classes) for label in report.classes)
    per_class = tuple(
        replace(of, counts=replace(of.counts, label=label)) for of, label in zip(report.per_class, classes, strict=True)
    )
    report = replace(report, classes=classes, per_class=per_class, baseline_class=shortened(report.baseline_class))
    interest = default_class_of_interest(report)
    parts = [
        verdict(report, interest, leaks).text(),
        _measure_lines(result, report),
        _class_table(report),
        _confusion_table(report),
    ]
    parts.extend(f"Note: {sentence}" for sentence in result.remarks())
    return "\n\n".join(parts[:4]) + "".join(
        f"\n\n{note}" if i == 0 else f"\n{note}" for i, note in enumerate(parts[4:])
    )


def _measure_lines(result: EvaluationResult, report: Report) -> str:
    low, high = report.interval
    kappa_interval = None if report.drawn is None else report.drawn.kappa
    rows = [
        ("accuracy", f"{fixed(report.accuracy)}  (95% interval {fixed(low)} to {fixed(high)})"),
        ("baseline", f"{fixed(report.baseline_accuracy)}  (always {report.baseline_class})"),
        ("kappa", f"{fixed(KAPPA.value(report))}{_interval_words(kappa_interval)}"),
        ("AUC", f"{fixed(report.auc)}{_interval_words(report.auc_interval)}"),
    ]
    if report.cost is not None:
        rows.append(("cost", _cost_words(report.cost, report.currency)))
        if report.at_stake is not None:
            rows.append(("", f"the costs count for each record as often as its {report.at_stake.column} says"))
    times = "" if report.n == report.n_tests else f", {report.n_tests} tests"
    rows.append(("judged on", f"{report.n} records{times}, {result.method.described()}, seed {result.seed}"))
    return "\n".join(f"{name:<10} {value}" for name, value in rows)


def _interval_words(interval: Interval | None) -> str:
    return "" if interval is None else f"  (95% interval {fixed(interval.low)} to {fixed(interval.high)})"


def _cost_words(cost: MeanCost, currency: str) -> str:
    """Costs in words: "41 EUR in total, 0.4100 a record  (95% interval 0.3127 to 0.5073)"."""
    total = f"{cost.total:,.12g} {currency}".rstrip()
    words = f"{total} in total, {fixed(plain(cost.mean))} a record"
    bounds = None if cost.low is None or cost.spread is None else [cost.low, cost.mean + cost.spread]
    return words if bounds is None else f"{words}  (95% interval {fixed(bounds[0])} to {fixed(bounds[1])})"


def _class_table(report: Report) -> str:
    given, measures = MeasureInput(report), of_text_report()
    n = f"{sum(metrics.n for metrics in report.per_class):g}"
    header = ["class", "records", *(measure.symbol or measure.name for measure in measures)]
    values = [
        [fixed(None if working is None else working.value) for working in measure.class_workings(given)]
        for measure in measures
    ]
    rows = [
        [metrics.label, f"{metrics.n:g}", *(of_measure[code] for of_measure in values)]
        for code, metrics in enumerate(report.per_class)
    ]
    means = [
        [name, n, *(fixed(measure.averaged(given, average).value) for measure in measures)]
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


def table(rows: Sequence[Sequence[str]], left: int = 0) -> str:
    """Rows as aligned columns, the one at index ``left`` left-aligned and the others right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(
            cell.ljust(w) if i == left else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)
