"""A result as JSON values, as plain text, and as a verdict in words about its class of interest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from algorithms.data.dataset import Dataset
from algorithms.evaluation.costs.mean_cost import MeanCost
from algorithms.evaluation.measures.class_rates import KAPPA
from algorithms.evaluation.measures.intervals import Interval
from algorithms.evaluation.measures.measure import Bounds, MeasureInput
from algorithms.evaluation.measures.measure_workings import plain_average, weighted_average
from algorithms.evaluation.measures.metrics import DEFAULT_OPTIONS, MetricOptions, Report
from algorithms.evaluation.measures.registry import MEASURES, of_text_report
from algorithms.evaluation.result import EvaluationResult
from algorithms.text.names import shortened
from algorithms.text.numbers import amount, coefficient, interval_words, percent
from algorithms.text.sentences import baseline_words, confused, quoted

MOST_CELLS: Final = 4
"""Most cells of the cost matrix listed for one formula."""
_PAIRS: Final = frozenset(
    {
        ("yes", "no"),
        ("y", "n"),
        ("true", "false"),
        ("t", "f"),
        ("1", "0"),
        ("+", "-"),
        ("positive", "negative"),
        ("pos", "neg"),
        ("ja", "nein"),
        ("oui", "non"),
        ("si", "no"),
        ("sí", "no"),
    }
)


def affirmative(labels: Sequence[str]) -> int | None:
    """Index of the affirmative label of a pair such as yes/no in any case; None for other labels.

    >>> affirmative(["No", "Yes"])
    1
    """
    if len(labels) != 2:
        return None
    first, second = (label.strip().casefold() for label in labels)
    if (first, second) in _PAIRS:
        return 0
    return 1 if (second, first) in _PAIRS else None


@dataclass(frozen=True)
class AccuracyVerdict:
    """The verdict in parts: "Accuracy 94.6%", "(95% CI 92.6–96.0)", and its meaning."""

    headline: str
    interval_words: str
    sentence: str

    def text(self) -> str:
        return f"{self.headline} {self.interval_words}. {self.sentence}"


def verdict(
    report: Report, class_of_interest: int, leaks: Sequence[str] = (), against_baseline: str = ""
) -> AccuracyVerdict:
    """The report in words, with recall and precision of a class.

    ``leaks`` are clauses on how the class leaks, ``against_baseline`` is the verdict of the paired test.
    """
    sentences = (
        leak_words(leaks),
        baseline_sentence(report, against_baseline),
        *([report.estimate.caution] if report.estimate is not None and report.estimate.caution else []),
        *_class_sentences(report, class_of_interest),
        report.narrow,
        report.weights_words(),
    )
    return AccuracyVerdict(
        headline=f"Accuracy {percent(report.accuracy, report.n)}",
        interval_words=f"({interval_words(*report.interval, report.n, report.decimals_beside_baseline)})",
        sentence=" ".join(filter(None, sentences)),
    )


def leak_words(leaks: Sequence[str]) -> str:
    """Sentences about leaks; empty without any."""
    if not leaks:
        return ""
    return f"{'Leak' if len(leaks) == 1 else 'Leaks'}: {'; '.join(leaks)}. New records may be predicted less well."


def default_class_of_interest(report: Report) -> int:
    """Code of the class that means yes, else of the rarest tested class, the last in a tie."""
    said_yes = affirmative([metrics.label for metrics in report.per_class])
    if said_yes is not None and report.per_class[said_yes].n > 0:
        return said_yes
    present = [(metrics.n, -code) for code, metrics in enumerate(report.per_class) if metrics.n > 0]
    return -min(present)[1] if present else 0


def baseline_sentence(report: Report, verdict: str = "") -> str:
    """The baseline with the ``verdict`` of the paired test; without that test only its accuracy."""
    shown = report.baseline_accuracy, report.n, report.decimals_beside_baseline
    baseline = baseline_words(report.baseline_class, *shown)
    if report.test_is_training:
        return f"Tested on its own training data, which is optimistic. {baseline}."
    if abs(report.accuracy - report.baseline_accuracy) < 1e-12:
        return f"{baseline}: the same."
    return f"{baseline}: {verdict}" if verdict else f"{baseline}."


def _class_sentences(report: Report, code: int) -> list[str]:
    chosen = report.per_class[code]
    if chosen.recall is None:
        return [f"No tested record is of class {quoted(chosen.label)}."]
    recall = f"Recall {percent(chosen.recall, report.n)}"
    if chosen.precision is None:
        return [f"{recall}; class {quoted(chosen.label)} is never predicted."]
    return [f"{recall}, precision {percent(chosen.precision, report.n)} ({chosen.label})."]


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
            {"label": metrics.label, "n": metrics.n, "pairs": vars(metrics.pairs), **of_class}
            for metrics, of_class in zip(report.per_class, per_class, strict=True)
        ],
        "averages": {
            name: {measure.json_class_keys[0]: measure.averaged(given, average).value for measure in measures}
            for name, average in (("weighted_by_records", weighted_average), ("macro", plain_average))
        },
        "currency": report.currency,
        "cost_formulas": _formulas_to_json(report),
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


OWN_COSTS: Final = "under the learner's own costs"


def report_to_text(
    result: EvaluationResult,
    report: Report,
    leaks: Sequence[str] = (),
    *,
    are_own_costs: bool = False,
    against_baseline: str = "",
) -> str:
    """The verdict, the measures, the table of classes, and the confusion matrix as text.

    ``leaks`` and ``against_baseline`` are for :func:`verdict`; ``are_own_costs`` says that the costs are the learner's.
    Long class labels are shortened.
    """
    classes = tuple(shortened(label, among=report.classes) for label in report.classes)
    per_class = tuple(
        replace(of, counts=replace(of.counts, label=label)) for of, label in zip(report.per_class, classes, strict=True)
    )
    report = replace(
        report,
        classes=classes,
        per_class=per_class,
        baseline_class=classes[report.classes.index(report.baseline_class)],
    )
    interest = default_class_of_interest(report)
    parts = [
        verdict(report, interest, leaks, against_baseline).text(),
        _measure_lines(result, report, are_own_costs=are_own_costs),
        _class_table(report),
        _confusion_table(report),
    ]
    parts.extend(f"Note: {sentence}" for sentence in result.remarks())
    return "\n\n".join(parts[:4]) + "".join(
        f"\n\n{note}" if i == 0 else f"\n{note}" for i, note in enumerate(parts[4:])
    )


def _measure_lines(result: EvaluationResult, report: Report, *, are_own_costs: bool) -> str:
    kappa_interval = None if report.drawn is None else report.drawn.kappa
    digits = report.n, report.decimals_beside_baseline
    rows = [
        ("accuracy", f"{percent(report.accuracy, report.n)}  ({interval_words(*report.interval, *digits)})"),
        ("baseline", f"{percent(report.baseline_accuracy, *digits)}  (always {report.baseline_class})"),
        ("kappa", f"{coefficient(KAPPA.value(report))}{_interval_words(kappa_interval)}"),
        ("AUC", f"{coefficient(report.auc)}{_interval_words(report.auc_interval)}"),
    ]
    if report.cost is not None:
        rows.append(("cost", _cost_words(report.cost, report.currency)))
        rows += [("", OWN_COSTS)] if are_own_costs else []
        rows += [("", words) for words in _formula_words(report)]
    times = "" if report.n == report.n_tests else f", {report.n_tests} tests"
    rows.append(("tested on", f"{report.n} records{times}, {result.method.described()}, seed {result.seed}"))
    return "\n".join(f"{name:<10} {value}" for name, value in rows)


def _formulas_to_json(report: Report) -> list[dict[str, Any]]:
    """The cells of the cost matrix that differ by record, with the number of missing values."""
    formulas = {} if report.cost_sums is None else report.cost_sums.formulas
    return [
        {
            "actual": report.classes[i],
            "predicted": report.classes[j],
            "formula": cell.formula,
            "missing": cell.n_missing,
        }
        for (i, j), cell in formulas.items()
    ]


def _formula_words(report: Report) -> list[str]:
    """A line for each formula of the costs, with the cells that have it."""
    formulas = {} if report.cost_sums is None else report.cost_sums.formulas
    lines = []
    for formula in dict.fromkeys(cell.formula for cell in formulas.values()):
        cells = [place for place, cell in formulas.items() if cell.formula == formula]
        pairs = ", ".join(confused(report.classes[i], report.classes[j]) for i, j in cells[:MOST_CELLS])
        more = f" and {len(cells) - MOST_CELLS} more" if len(cells) > MOST_CELLS else ""
        missing = formulas[cells[0]].n_missing
        instead = f" ({missing:,} missing: mean of the others)" if missing else ""
        lines.append(f"{pairs}{more}: cost {formula}{instead}")
    return lines


def _interval_words(interval: Interval | None) -> str:
    return "" if interval is None else f"  (95% CI {coefficient(interval.low)}–{coefficient(interval.high)})"


def _cost_words(cost: MeanCost, currency: str) -> str:
    """Costs in words: "41 EUR in total, 0.41 a record  (95% CI 0.313–0.507)"."""
    total = f"{cost.total:,.12g} {currency}".rstrip()
    words = f"{total} in total, {amount(plain(cost.mean))} a record"
    bounds = None if cost.low is None or cost.spread is None else [cost.low, cost.mean + cost.spread]
    return words if bounds is None else f"{words}  (95% CI {amount(bounds[0])}–{amount(bounds[1])})"


def _class_table(report: Report) -> str:
    given, measures = MeasureInput(report), of_text_report()
    n = f"{sum(metrics.n for metrics in report.per_class):g}"
    header = ["class", "records", *(measure.symbol or measure.name for measure in measures)]
    values = [
        [
            measure.unit.text(None if working is None else working.value, report.n)
            for working in measure.class_workings(given)
        ]
        for measure in measures
    ]
    rows = [
        [metrics.label, f"{metrics.n:g}", *(of_measure[code] for of_measure in values)]
        for code, metrics in enumerate(report.per_class)
    ]
    means = [
        [name, n, *(measure.unit.text(measure.averaged(given, average).value, report.n) for measure in measures)]
        for name, average in (
            ("mean weighted by records", weighted_average),
            ("mean of classes (macro)", plain_average),
        )
    ]
    return table([header, *rows, *means])


def _confusion_table(report: Report) -> str:
    header = ["", *(f"predicted {label}" for label in report.classes)]
    rows = [
        [f"actual {label}", *(f"{cell:g}" for cell in cells)]
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
