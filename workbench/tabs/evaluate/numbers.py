"""Metrics of a run as figures with their formulas, and its values for the glossary, without widgets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.parameters import Configurable, Parameter
from algorithms.core.scores import FormulaWorking, Term
from algorithms.data.columns import FloatArray
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.measures.intervals import accuracy_interval
from algorithms.evaluation.measures.measure import Bounds, Measure, MeasureInput, MeasureInterval, Unit
from algorithms.evaluation.measures.measure_workings import plain_average, weighted_average
from algorithms.evaluation.measures.metrics import DEFAULT_OPTIONS, MetricOptions, Report
from algorithms.evaluation.measures.ranking_measures import auc_name
from algorithms.evaluation.measures.registry import MEASURES, in_table_order, of_class_table
from algorithms.evaluation.tuning.search_space import said_value
from algorithms.structures.tree import SplitTest, Tree
from algorithms.text.names import shortened
from algorithms.text.numbers import UNDEFINED, amount, interval_words, percent, significant
from algorithms.text.sentences import BRIEF_NAMES, baseline_words, confused, counted, in_brief, of_class, quoted
from workbench.session.decision_rules import code_among
from workbench.session.runs import Run, learner_of_model, structure_of
from workbench.session.session import Session
from workbench.widgets.help_pages import NO_VALUES, GlossaryValues, as_plain_text, entry_of, meaning, term_in


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


def _checked(unit: Unit, value: float | None, working: FormulaWorking, n: float) -> MetricFigure:
    """A figure with its formula, if the formula gives the number shown."""
    agrees = value is not None and working.value is not None and abs(working.value - value) < 1e-9
    return MetricFigure(unit.text(value, n), value, unit.written(working, n) if agrees else None)


def _worked_figure(measure: Measure, working: FormulaWorking | None, n: float) -> MetricFigure:
    if working is None:
        return MetricFigure(UNDEFINED)
    return _checked(measure.unit, working.value, working, n)


def _figure(measure: Measure, given: MeasureInput) -> MetricFigure:
    if not measure.has_whole:
        return NOTHING
    working = measure.working(given)
    if working is None:
        return MetricFigure(UNDEFINED)
    value = working.value if measure.reported is None else measure.reported(given.report)
    return _checked(measure.unit, value, working, given.report.n)


def _class_figure(measure: Measure, given: MeasureInput, code: int) -> MetricFigure:
    if measure.of_class is None:
        return NOTHING
    working = measure.class_workings(given)[code] if measure.is_averaged else measure.of_class(given, code)
    return _worked_figure(measure, working, given.report.n)


def lines(
    report: Report, code: int, costs: CostMatrix | None, options: MetricOptions = DEFAULT_OPTIONS
) -> list[MetricRow]:
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


def workings_of_terms(report: Report, code: int, costs: CostMatrix | None) -> dict[str, list[FormulaWorking]]:
    """Worked formulas by the glossary's entry: for class ``code`` if a measure has class values, else for all."""
    given, workings = _input_of(report, costs), dict[str, list[FormulaWorking]]()
    for measure in in_table_order():
        entry = entry_of(term_in(measure.glossary or measure.name))
        if entry is None or not measure.applies(given):
            continue
        of_class, of_all = _class_figure(measure, given, code).working, _figure(measure, given).working
        which = "all classes" if of_class is None else f"class {given.label(code)}"
        workings.setdefault(entry, []).extend(
            replace(working, name=f"{measure.row_name(given)}, {which}") for working in (of_class or of_all,) if working
        )
        if measure.id == "accuracy" and measure.interval is not None:
            bounds = measure.interval.whole(given)
            ends = () if bounds is None else bounds.workings()
            workings[str(entry_of("95% CI"))] = [measure.unit.written(end, report.n) for end in ends]
    return workings


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
    figure, high = _checked(unit, bounds.low, lower, n), _checked(unit, bounds.high, upper, n)
    return replace(figure, text=unit.range_text(bounds.low, bounds.high, n), upper=high.working)


@dataclass(frozen=True)
class HeadlineMetric:
    """A metric of the strip: name, figure and sentence, with its place on an axis from ``lowest`` to 1.

    ``interval`` is None without one, ``mark`` is the baseline on the axis. ``brief`` has ever shorter words for where
    axis and sentence have no room: the baseline, or the positive class.
    """

    name: str
    figure: MetricFigure
    sentence: str
    interval: tuple[float, float] | None = None
    interval_words: str = ""
    lowest: float = 0.0
    is_percent: bool = True
    names: tuple[str, ...] = ()
    """The classes that the sentence names whole; they are cut to the room that it has."""
    mark: float | None = None
    brief: tuple[str, ...] = ()
    narrow: str = ""
    """Why the interval is too narrow; empty if it is not."""


UPPER_HALF: Final = 0.5
"""Where the axes begin if nothing lies below, so that an interval is wider than its dot."""


def headline_metrics(report: Report, code: int) -> list[HeadlineMetric]:
    """Accuracy, precision, recall, F1 and AUC of class ``code``; averages of all classes beyond two."""
    given = MeasureInput(report)
    accuracy = MEASURES.get("accuracy")
    digits = report.n, report.decimals_beside_baseline
    guess = baseline_words(report.baseline_class, report.baseline_accuracy, *digits)
    first = _headline("Accuracy", accuracy, _figure(accuracy, given), guess, given, report.interval)
    further = _class_headlines(given, code) if len(report.classes) == 2 else _macro_headlines(given)
    briefer = (in_brief(guess, report.classes, most) for most in BRIEF_NAMES)
    wordings = tuple(dict.fromkeys((guess, *briefer, f"Baseline {percent(report.baseline_accuracy, *digits)}")))
    ends = interval_words(*report.interval, *digits)
    marked = replace(first, mark=report.baseline_accuracy, brief=wordings, narrow=report.narrow, interval_words=ends)
    metrics = [marked, *further]
    shown = [
        end for each in metrics for end in (each.figure.value, each.mark, *(each.interval or ())) if end is not None
    ]
    lowest = UPPER_HALF if min(shown, default=0.0) >= UPPER_HALF else 0.0
    return [replace(each, lowest=max(each.lowest, lowest)) for each in metrics]


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
    is_percent = measure.unit is Unit.PERCENT
    return HeadlineMetric(name, figure, sentence, interval, words, lowest, is_percent, given.report.classes)


def _class_headlines(given: MeasureInput, code: int) -> list[HeadlineMetric]:
    report = given.report
    counts, label, other = report.per_class[code].counts, report.classes[code], report.classes[1 - code]
    per_test = report.n_effective / max(float(report.confusion.sum()), 1.0)
    right, predicted, actual = amount(counts.tp), counts.tp + counts.fp, counts.tp + counts.fn
    name, of_actual = quoted(label), of_class(actual, label)
    shares = (
        ("precision", predicted, f"{right} of {amount(predicted)} records predicted {name} are of that class"),
        ("recall", actual, f"{right} of {of_actual} are predicted {name}"),
    )
    metrics, positive = [], f"Positive: {label}"
    brief = tuple(dict.fromkeys((positive, *(in_brief(positive, report.classes, most) for most in BRIEF_NAMES))))
    for id, n, sentence in shares:
        measure = MEASURES.get(id)
        figure = _class_figure(measure, given, code)
        interval = None if figure.value is None else accuracy_interval(figure.value, n * per_test)
        metrics.append(_headline(id.capitalize(), measure, figure, sentence, given, interval))
    for id, short, sentence in (
        ("f", "F1", "Harmonic mean of precision and recall"),
        ("auc", "AUC", f"How often {name} ranks above {quoted(other)}"),
    ):
        measure, bounds = MEASURES.get(id), None
        figure, drawn = _class_figure(measure, given, code), measure.interval
        if drawn is not None and drawn.of_class is not None and drawn.is_drawn(report):
            bounds = drawn.of_class(given, code)
        ends = None if bounds is None else (bounds.low, bounds.high)
        metrics.append(_headline(short, measure, figure, sentence, given, ends))
    return [replace(metric, brief=brief) for metric in metrics]


def _macro_headlines(given: MeasureInput) -> list[HeadlineMetric]:
    mean = f"Mean of {len(given.report.classes)} classes"
    metrics = []
    for id, name in (("precision", "Precision"), ("recall", "Recall"), ("f", "F1")):
        measure = MEASURES.get(id)
        figure = _worked_figure(measure, measure.averaged(given, plain_average), given.report.n)
        metrics.append(_headline(f"{name}, macro", measure, figure, mean, given))
    area = MEASURES.get("auc")  # weighted by records, as in the table of runs
    return [
        *metrics,
        _headline(auc_name(given.report), area, _figure(area, given), "Weighted by records", given),
    ]


def class_headers() -> tuple[tuple[str, str], ...]:
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
    pairs = [confused(actual, predicted) for actual, predicted in named]
    whole = "the only error" if n == total == 1 else f"{amount(n)} of {amount(total)} errors"
    if len(pairs) > 1:
        pairs, whole = [", ".join(pairs[:-1]), pairs[-1]], f"{amount(n)} each, of {amount(total)} errors"
    return f"Most frequent: {' and '.join(pairs)} ({whole})."


def records_judged(report: Report) -> str:
    words = f"{counted(report.n, 'test record')}"
    return words if report.n_tests == report.n else f"{words}, {counted(report.n_tests, 'test')}"


GINI, ENTROPY, ERROR = "Gini index", "Entropy", "Classification error"
GAINS: Final = {"information-gain": "Information gain", "gain-ratio": "Gain ratio"}
"""Criteria whose gain of a split has an entry of its own in the glossary."""
MOST_TERMS: Final = 6
"""Most classes of a formula that is written out."""


def glossary_values(session: Session) -> GlossaryValues:
    """Values of the run in view under its decision rule; none without a run that was tested."""
    run = session.current_run
    if run is None or run.report is None:
        return NO_VALUES
    report = session.decisions.reports.decided(run) or run.report
    code = code_among(report.classes, session.positive_label, [metrics.n for metrics in report.per_class])
    from algorithms.learners.trees.edited_tree import has_corrected_gains  # late: the window opens without learners

    lines = {
        entry: [_line(working) for working in workings]
        for entry, workings in workings_of_terms(report, code, session.costs).items()
    }
    counts = report.per_class[code].counts
    cells = zip(("TP", "FN", "FP", "TN"), (counts.tp, counts.fn, counts.fp, counts.tn), strict=True)
    for term, words in (
        ("Confusion matrix", ", ".join(f"{name} = {amount(n)}" for name, n in cells)),
        (type(run.method).name, run.method.described()),
        ("Random seed", f"Random seed = {run.seed}"),
        ("Threshold", session.decisions.asked(run).words if run.result is not None else ""),
        *_options(run),
        *_root_values(structure_of(run, Tree), is_corrected=has_corrected_gains(learner_of_model(run))),
    ):
        entry = entry_of(term_in(term))
        if entry is not None and words:
            lines.setdefault(entry, []).append(words if words.startswith("**") else as_plain_text(words))
    return f"Run {run.number}, {run.learner.name}, class {report.classes[code]}", lines


def _line(working: FormulaWorking) -> str:
    name, rest = working.name, working.sentence().removeprefix(working.name)
    return f"**{as_plain_text(name)}**{as_plain_text(rest)}"


def _options(run: Run) -> Iterator[tuple[str, str]]:
    """Label and value of each option in force, of the learner and of those within it."""
    learner: Configurable = learner_of_model(run)
    for parameter in learner.parameters():
        if learner.enabled(parameter.name):
            value = getattr(learner, parameter.name)
            yield parameter.label, f"{parameter.label} = {_shown(parameter, value)}"


def _shown(parameter: Parameter, value: Any) -> str:
    if value is None:
        return parameter.none_label
    if isinstance(value, Configurable):
        return value.summary()
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else said_value(parameter, value)


def _root_values(tree: Tree | None, *, is_corrected: bool) -> Iterator[tuple[str, str]]:
    """Impurities of the root from the counts of its classes, and the gain of its split as the tree holds it.

    ``is_corrected`` says that gains of numbers are those after the MDL correction of C4.5.
    """
    if tree is None:
        return
    shares = tree.counts[0] / tree.counts[0].sum()
    known, largest = shares[shares > 0], Term("p", float(shares.max()))
    workings = [FormulaWorking(ERROR, "1 − {p}", (largest,), 1 - float(shares.max()))]
    if len(known) <= MOST_TERMS:
        terms = tuple(Term(f"p{index + 1}", float(p)) for index, p in enumerate(known))
        logs = " + ".join(f"{{{term.symbol}}} · log₂ {{{term.symbol}}}" for term in terms)
        squares = " + ".join(f"{{{term.symbol}}}²" for term in terms)
        workings.append(FormulaWorking(ENTROPY, f"−({logs})", terms, abs(float((known * np.log2(known)).sum()))))
        workings.append(FormulaWorking(GINI, f"1 − ({squares})", terms, 1 - float(known @ known)))
    for working in workings:
        yield working.name, _line(replace(working, name=f"{working.name} of the root"))
    if tree.criterion in GAINS and np.isfinite(tree.gain[0]):
        gain = GAINS[tree.criterion]
        corrected = " (MDL)" if is_corrected and tree.test[0] == SplitTest.NUMERIC else ""
        yield gain, f"**{gain}{corrected} of the root's split** = {significant(float(tree.gain[0]))}"
