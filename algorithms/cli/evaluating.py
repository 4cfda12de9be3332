"""Subcommand ``evaluate``: evaluates one learner, with curves, parameter search and permutation test."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, cast

from algorithms.cli.arguments import (
    LearnerArgument,
    WrongUseError,
    assignments_of,
    bounded,
    check_column,
    check_columns,
    check_output,
    check_untried,
    configure,
    id_and_all_assignments,
    id_and_assignments,
    method_of,
    path_exists,
    without_effect,
)
from algorithms.cli.output import (
    STOPPED,
    as_json,
    check_neutral,
    print_result,
    print_warnings,
    warnings_about_run,
    watched,
    write_csv_text,
)
from algorithms.cli.sources import (
    reading_of,
    recipe_of,
    rules_of,
    source_of,
    source_of_options,
    with_class,
    with_rules,
)
from algorithms.core.errors import Cancelled, DataError, ParameterError
from algorithms.core.parameters import configured
from algorithms.text.names import did_you_mean
from algorithms.text.numbers import coefficient, significant

if TYPE_CHECKING:
    from algorithms.core.learner import Learner
    from algorithms.core.record_costs import RecordCosts
    from algorithms.core.registry import Registry
    from algorithms.core.run_control import RunContext
    from algorithms.core.training import SearchResult, TrainedClassifier
    from algorithms.data.dataset import Dataset
    from algorithms.evaluation.checks.warning import ResultWarning
    from algorithms.evaluation.compare.permutation_test import ShuffleTest
    from algorithms.evaluation.compare.significance_tests import PairedLead
    from algorithms.evaluation.costs.cost_matrix import CostMatrix
    from algorithms.evaluation.curves.curve_base import CurveKind, Trace
    from algorithms.evaluation.measures.metrics import Report
    from algorithms.evaluation.result import EvaluationResult
    from algorithms.evaluation.runner import FoldDone
    from algorithms.structures.hyperplanes import Hyperplanes

BARS: Final = 12
LONGEST: Final = 40


def permutation_test_to_text(luck: ShuffleTest | None) -> str:
    """The permutation test in words with a text histogram; empty without a test."""
    from algorithms.evaluation.compare.permutation_test import histogram
    from algorithms.evaluation.measures.measure import Unit

    if luck is None:
        return ""
    edges, counts = histogram(luck, BARS)
    most = max(1.0, float(counts.max(initial=0)))
    own = min(int(edges.searchsorted(luck.own, side="right")) - 1, len(counts) - 1)
    scale, digits = (100, 1) if luck.words.unit is Unit.PERCENT else (1, 3)
    lines = [
        f"{scale * low:6.{digits}f}  {'#' * round(LONGEST * count / most)}{'  <- this run' * (number == own)}".rstrip()
        for number, (low, count) in enumerate(zip(edges[:-1], counts, strict=True))
    ]
    head = [
        ". ".join(luck.sentences()),
        *_other_measures_line(luck),
        "",
        f"{luck.words.axis} on shuffled classes, from",
    ]
    return "\n".join([*head, *lines])


def _other_measures_line(luck: ShuffleTest) -> list[str]:
    """A line with the p-values under the other measures."""
    others = [luck.judged_by(id) for id in luck.measures if id != luck.measure]
    if not others or not len(luck.scores):
        return []
    words = ", ".join(f"{test.by.in_sentence} p = {test.p_value:.3g}" for test in others)
    return [f"By other measures: {words} (p by {luck.by.in_sentence} = {luck.p_value:.3g})."]


def permutation_test_to_json(luck: ShuffleTest) -> dict[str, Any]:
    """p-values under every measure and all scores on permuted classes."""
    from algorithms.evaluation.compare.permutation_test import ACCURACY

    every = [luck.judged_by(id) for id in luck.measures]
    return {
        "measure": luck.measure,
        "p_value": luck.p_value,
        "as_good": luck.n_as_good,
        "shuffled": len(luck.scores),
        "planned": luck.planned,
        "accuracies": luck.judged_by(ACCURACY).scores.tolist(),
        "measures": {
            test.measure: {
                "own": test.own,
                "p_value": test.p_value,
                "as_good": test.n_as_good,
                "scores": test.scores.tolist(),
            }
            for test in every
        },
    }


@dataclass(frozen=True, eq=False)
class ClassCurve:
    """One curve of one class."""

    kind: CurveKind
    label: str
    trace: Trace


@dataclass(frozen=True)
class CurveRequest:
    """The curves to draw: kinds, classes (empty: the class of interest), folder; ``neutral`` protects spreadsheets."""

    kinds: tuple[CurveKind, ...]
    labels: tuple[str, ...]
    folder: str | None
    neutral: bool = False

    @classmethod
    def of(cls, options: argparse.Namespace, registry: Registry) -> CurveRequest:
        """The curves that the options request; raises :class:`WrongUseError` if the options contradict each other."""
        from algorithms.evaluation.curves.curve_kinds import CURVES

        kinds: list[CurveKind] = []
        for text in options.curve:
            id, assignments = id_and_assignments(text)
            kinds.append(cast("CurveKind", configured(CURVES.get(id), assignments, registry.resolve)))
        for option, texts in (("--curve", options.curve), ("--curve-class", options.curve_class)):
            if len(set(texts)) < len(texts):
                raise WrongUseError(f"{option}: one of these is given twice.")
        if not kinds and (options.curve_class or options.curve_out):
            raise WrongUseError("--curve-class and --curve-out need --curve ID (see: list curves).")
        if len({kind.id for kind in kinds}) < len(kinds) and options.curve_out:
            raise WrongUseError("--curve-out writes one file for each kind of curve: give each kind once.")
        if options.curve_out is not None and not (path_exists(options.curve_out) and Path(options.curve_out).is_dir()):
            raise DataError("The curves cannot be written: there is no such folder.", place=options.curve_out)
        check_neutral(options, options.curve_out, "--curve-out FOLDER")
        return cls(tuple(kinds), tuple(options.curve_class), options.curve_out, options.neutral)

    def check(self, classes: Sequence[str]) -> None:
        """Raise :class:`ParameterError` if a requested class does not exist."""
        for label in self.labels:
            if label not in classes:
                remedy = did_you_mean(label, classes) or f"There are: {', '.join(classes)}."
                raise ParameterError(f"There is no class {label!r} to draw curves of.", remedy=remedy)

    def drawn(
        self, result: EvaluationResult, report: Report, costs: RecordCosts | None, context: RunContext
    ) -> list[ClassCurve]:
        """The requested curves of a result; raises :class:`ParameterError` if a requested class does not exist."""
        if not self.kinds:
            return []
        self.check(result.classes)
        from algorithms.evaluation.curves.curve_base import class_curves
        from algorithms.evaluation.report import default_class_of_interest

        curves: list[ClassCurve] = []
        for label in self.labels or (result.classes[default_class_of_interest(report)],):
            of_class = class_curves(result, result.classes.index(label), context.checkpoint)
            curves += [ClassCurve(kind, label, kind.trace(of_class, costs)) for kind in self.kinds]
        return curves

    def files(self) -> list[Path]:
        """Path of the CSV file of each kind of curve; empty without a folder."""
        return [] if self.folder is None else [Path(self.folder) / f"{kind.id}.csv" for kind in self.kinds]

    def save(self, curves: Sequence[ClassCurve]) -> None:
        """Write a CSV file for each kind of curve; raises :class:`DataError` if one cannot be written."""
        from algorithms.evaluation.curves.curve_base import traces_to_csv

        for kind, path in zip(self.kinds, self.files(), strict=False):
            of_kind = [([curve.label], curve.trace) for curve in curves if curve.kind is kind]
            write_csv_text(path, traces_to_csv(of_kind, ["Class"]), self.neutral)

    def text(self, curves: Sequence[ClassCurve]) -> str:
        """The summary value of each curve, a line each, and where its points are saved."""

        lines = [
            f"{curve.kind.name}, {curve.label}: {curve.trace.value_words} {coefficient(curve.trace.value)}"
            for curve in curves
        ]
        if curves:
            where = f"saved in {self.folder}" if self.folder else "saved with --curve-out FOLDER, shown with --json"
            lines.append(f"Their points are {where}.")
        return "\n".join(lines)


MOST_LINES = 40


def with_search(learner: Learner, tried: Sequence[str], strategy: str | None) -> Learner:
    """A learner that tunes the parameters in ``tried`` ("NAME=VALUES"); ``learner`` itself if that is empty."""
    if not tried:
        if strategy:
            raise WrongUseError("--strategy needs --search NAME=VALUES.")
        return learner
    from algorithms.evaluation.tuning.parameter_search import Tuned
    from algorithms.evaluation.tuning.search_space import tried_text

    id, assignments = id_and_assignments(strategy or "grid")
    refused = [name for name in assignments if name not in ("draws", "folds", "measure")]
    if refused:
        raise WrongUseError(f"--strategy: there is no {refused[0]!r}; a search has draws, folds and measure.")
    given = {name: Tuned.parameter(name).parsed(text) for name, text in assignments.items()}
    values = assignments_of(tried, "--search")
    if len(values) < len(tried):
        raise WrongUseError("--search: a parameter is named twice; give all its values at once: min_leaf=1,2,5.")
    text = tried_text(values)
    return Tuned(base=learner, tried=text, strategy=Tuned.parameter("strategy").parsed(id), **given)


def search_to_text(search: SearchResult | None, result: EvaluationResult) -> str:
    """The settings tried on all records, best first, and the error estimates of the search."""
    from algorithms.evaluation.report import table
    from algorithms.evaluation.result import ranked_settings
    from algorithms.evaluation.tuning.parameter_search import figures_of_run
    from algorithms.text.numbers import fixed

    if search is None:
        return ""
    ranked = ranked_settings(search)
    rows = [["setting", "lost", "error of that", "records"]]
    rows += [
        [
            search.words(setting),
            fixed(_none_if_nan(search.mean[setting])),
            fixed(_none_if_nan(search.spread[setting])),
            f"{search.n_train[setting]}",
        ]
        for setting in ranked[:MOST_LINES]
    ]
    more = [f"and {len(ranked) - MOST_LINES:,} more"] if len(ranked) > MOST_LINES else []
    lines = [
        f"{fixed(row.value):<8} {row.name} [{row.mark}]\n         {row.sentence}"
        for row in figures_of_run(search, result)
    ]
    head = f"Settings tried on all {search.n_records:,} records, the best first:"
    return "\n".join([head, table(rows), *more, "", *lines])


def searched_to_json(trained: TrainedClassifier, result: EvaluationResult) -> dict[str, Any] | None:
    """The search as JSON values with its estimates; None without a search."""
    from algorithms.evaluation.tuning.parameter_search import figures_of_run

    search = trained.search
    if search is None:
        return None
    return {
        "measure": search.measure,
        "strategy": search.strategy,
        "folds": search.n_folds,
        "parameters": list(search.names),
        "settings": [
            {
                "values": dict(zip(search.names, values, strict=True)),
                "loss": float(search.mean[setting]),
                "standard_error": float(search.spread[setting]),
                "records": int(search.n_train[setting]),
                **({"failed": search.failures[setting]} if search.failures[setting] else {}),
            }
            for setting, values in enumerate(search.settings)
        ],
        "chosen": dict(zip(search.names, search.settings[search.chosen], strict=True)),
        "chosen_in_folds": [dict(zip(s.names, s.settings[s.chosen], strict=True)) for s in result.searches],
        "estimates": [
            {"value": row.value, "what": row.name, "mark": row.mark, "sentence": row.sentence}
            for row in figures_of_run(search, result)
        ],
        "learner": trained.learner.to_json(),
        "filters": [step.to_json() for step in trained.filters],
    }


def _none_if_nan(value: Any) -> float | None:
    return float(value) if value == value else None  # false for NaN only


@dataclass(frozen=True, eq=False)
class CommandEvaluation:
    """Result of the command, with its data if they are in memory."""

    result: EvaluationResult
    trained: TrainedClassifier | None
    """The model trained on all records; None if the run was stopped before."""
    costs: RecordCosts | None = None
    are_own_costs: bool = False
    """Whether the costs are those of the learner."""
    data: Dataset | None = None
    test_data: Dataset | None = None

    @property
    def name(self) -> str:
        """Name of the data set."""
        return (
            self.data.origin.name if self.data is not None else "" if self.trained is None else self.trained.data_name
        )


def against_baseline_to_json(
    ahead: PairedLead | None, summary: Report, result: EvaluationResult
) -> dict[str, Any] | None:
    """The verdict of the paired test on the accuracy and the baseline, as the text has it; None without that test."""
    from algorithms.evaluation.compare.comparison import BaselineVerdict, beside_baseline

    if ahead is None:
        return None
    words = beside_baseline(summary, ahead, result.method.part_name)
    return {
        "verdict": BaselineVerdict.of(ahead).word,
        "sentence": f"{words[:1].upper()}{words[1:]}",
        "difference": None if ahead.paired is None else ahead.paired.difference,
        "interval": ahead.interval,
        "p_value": ahead.p_value,
    }


def cheapest_threshold_to_json(
    result: EvaluationResult,
    summary: Report,
    costs: RecordCosts | None,
    context: RunContext,
    data: Dataset | None = None,
) -> dict[str, Any] | None:
    """The cheapest threshold of the class of interest with its cost, and the cost with thresholds chosen elsewhere.

    None without costs. ``data`` are the records, which tell the groups of a method that has some.
    """
    from algorithms.evaluation.costs.decision_rules import NestedThreshold
    from algorithms.evaluation.curves.roc import ScoredClass
    from algorithms.evaluation.report import default_class_of_interest

    if costs is None or not len(result):
        return None
    scored = ScoredClass.of(result, default_class_of_interest(summary), context.checkpoint)
    cheapest, nested = scored.cheapest(costs), NestedThreshold.of(scored, result, costs, context.checkpoint, data)
    elsewhere = None
    if nested is not None:
        parts = "folds" if nested.are_folds else "halves"
        elsewhere = {"parts": parts, "thresholds": list(nested.thresholds), "total_cost": nested.total}
    return {
        "class": scored.classes[scored.code],
        "threshold": cheapest.threshold,
        "total_cost": cheapest.total,
        "chosen_on_other_folds": elsewhere,
    }


MOST_SHUFFLES: Final = 100_000
SHARE_OF_JUDGING: Final = 0.9
NO_MODEL: Final = "The model of all records was not learned or saved: the run was stopped."
NOT_IN_PIECES: Final = "A column of costs needs the whole table in memory: it does not go with --in-pieces."

NOT_IN_PARTS: Final = "A column of costs needs the whole table in memory: it does not go with a pattern of files."


def files_in_parts(options: argparse.Namespace) -> tuple[Path, ...]:
    """The files that DATA names by a pattern; empty if it names none."""
    from algorithms.learners.partitions import is_pattern, matching_files

    return matching_files(options.data) if is_pattern(options.data) else ()


def _refuse_beside_parts(options: argparse.Namespace, typed: LearnerArgument) -> None:
    """Raises :class:`WrongUseError` for an option that needs the whole table of several files in memory."""
    given = {
        "--in-pieces": options.in_pieces,
        "--sample": options.sample,
        "--append": options.append,
        "--query": options.query,
        "--recipe": options.recipe,
        "--clean": options.clean,
        "--filter": options.filter,
        "--search": options.search,
        "--shuffle": options.shuffle,
        "a file of costs for a learner": typed.files,
    }
    refused = next((option for option, value in given.items() if value), None)
    if refused is not None:
        raise WrongUseError(f"Files named by a pattern are learned from in parts: {refused} needs them as one table.")
    if options.cost_amounts:
        raise WrongUseError(NOT_IN_PARTS)


def evaluate_learner(options: argparse.Namespace, registry: Registry) -> int:
    from algorithms.evaluation.compare.comparison import ahead_of_baseline, beside_baseline
    from algorithms.evaluation.compare.permutation_test import ShuffleOptions, shuffle_test
    from algorithms.evaluation.costs.cost_matrix import CostMatrix, read_costs, zero_one
    from algorithms.evaluation.costs.mean_cost import costs_of_tests
    from algorithms.evaluation.measures.metrics import MetricOptions, report
    from algorithms.evaluation.report import plain, report_to_json, report_to_text
    from algorithms.evaluation.runner import evaluate, train
    from algorithms.learners.linear.logistic_regression import coefficients_to_json, coefficients_to_text
    from algorithms.project.models import save_model

    learner_id, given = id_and_all_assignments(options.learner, options.p)
    typed = LearnerArgument(learner_id, given, registry)
    idle = without_effect(typed.unread, given)
    learner = with_search(typed.unread, options.search, options.strategy)
    check_untried(given, options.search, "--search")
    paths = files_in_parts(options)
    method, unread = method_of(options, registry, "holdout" if options.in_pieces or paths else "cross-validation")
    idle += unread
    recipe = recipe_of(options, registry)
    wanted = CurveRequest.of(options, registry)
    measures: MetricOptions = configure(MetricOptions, assignments_of(options.measure, "--measure"), registry)
    if options.measure and not options.json:
        raise WrongUseError("--measure sets what --json shows: add --json.")
    shuffles, by_measure = id_and_assignments(options.shuffle or "")
    planned = 0 if options.shuffle is None else bounded(shuffles, "--shuffle", 1, MOST_SHUFFLES)
    luck_by: ShuffleOptions = configure(ShuffleOptions, by_measure, registry)
    source = source_of_options(options, registry)
    from algorithms.core.run_control import RunContext
    from algorithms.evaluation.tuning.parameter_search import Tuned

    if isinstance(learner, Tuned):
        learner.settings(recipe, RunContext())
    if options.in_pieces and (
        recipe
        or options.search
        or "://" in options.data
        or options.data.startswith("sample:")
        or options.sheet
        or options.append
        or options.query
    ):
        raise WrongUseError(
            "--in-pieces is for text files as they are: no --filter, --recipe, --search, --sheet, --append or sample."
        )
    if options.in_pieces and options.shuffle is not None:
        raise WrongUseError("--shuffle needs the whole table in memory: it does not go with --in-pieces.")
    if options.in_pieces and typed.files:
        raise WrongUseError("--in-pieces reads no file of costs for a learner: write the table of costs itself.")
    if options.in_pieces and options.cost_amounts:
        raise WrongUseError(NOT_IN_PIECES)
    if options.cluster and (options.in_pieces or paths):
        raise WrongUseError("--cluster is for tables in memory: not for --in-pieces or a pattern of files.")
    if paths:
        _refuse_beside_parts(options, typed)
    if options.coefficients and learner_id != "logistic-regression":
        raise WrongUseError(f"--coefficients is for logistic-regression, not for {learner_id}.")
    if method.needs_test_data and not method.values()["path"]:
        raise WrongUseError(f"{method.id} needs a file: --method {method.id}:path=FILE")
    read = (
        *map(str, paths),
        options.data,
        *options.append,
        options.costs,
        options.recipe,
        *typed.files,
        method.values().get("path"),
    )
    check_output("--save", options.save, *read)
    for path in wanted.files():
        check_output("--curve-out", str(path), *read)
    begin = perf_counter()

    def costs_of(classes: tuple[str, ...]) -> CostMatrix | None:
        costs = None if options.costs is None else read_costs(options.costs, classes)
        if options.cost_amounts:
            costs = (costs or zero_one(classes)).times(options.cost_amounts)
        if (options.in_pieces or paths) and costs is not None and costs.varies:
            raise WrongUseError(NOT_IN_PARTS if paths else NOT_IN_PIECES)
        return costs

    def without_table(context: RunContext) -> CommandEvaluation:
        from algorithms.evaluation.out_of_core import grow_in_pieces
        from algorithms.evaluation.partitioned import learn_from_files

        named, reading = options.class_name, reading_of(options)
        done = (
            learn_from_files(learner, paths, method, context, class_name=named, options=reading)
            if paths
            else grow_in_pieces(learner, options.data, method, context, class_name=named, options=reading)
        )
        given = costs_of(done.result.classes)
        costs = None if given is None else costs_of_tests(given, done.result)
        return CommandEvaluation(done.result, done.trained, costs)

    def judged(context: RunContext) -> CommandEvaluation:
        data = with_class(source(context), options.class_name)
        wanted.check(data.schema.classes)
        check_columns([method], data.schema)
        learner = with_search(typed.of(data.schema.classes), options.search, options.strategy)
        check_columns([*recipe, learner], data.schema)
        given_costs = costs_of(data.schema.classes)
        test_data = None
        if method.needs_test_data:
            test_source = source_of(method.values()["path"], registry, like=lambda: data.origin.reading)
            test_data = with_rules(test_source, rules_of(options, registry))(context)
        tested = data if test_data is None else test_data
        if given_costs is not None:
            for name in given_costs.columns:
                check_column(tested.schema, name, "--cost-amounts" if name == options.cost_amounts else "--costs")
            given_costs.of_records(data.schema.classes, tested)
        # the learner in a wrapper may have costs of fewer classes: one against the rest
        own_costs = given_costs is None and len(learner.own_costs) == len(data.schema.classes)
        if own_costs:
            matrix = CostMatrix(data.schema.classes, learner.own_costs)
            given_costs = matrix if all(name in tested.schema for name in matrix.columns) else None
        loaded = perf_counter()
        judging = context.child(SHARE_OF_JUDGING, key=0, same_seed=True)
        result = evaluate(learner, data, method, judging, recipe=recipe, test_data=test_data)
        result = replace(result, timings=replace(result.timings, load=loaded - begin))
        judging.complete()
        costs = None if given_costs is None else costs_of_tests(given_costs, result, tested)
        training = context.child(1 - SHARE_OF_JUDGING, key=1, finish_cancels=True)
        trained = None
        if not context.finishing:
            context.say("Training on all records")
            try:
                trained = train(learner, data, recipe, training, method)
            except Cancelled:
                context.checkpoint()
        return CommandEvaluation(result, trained, costs, own_costs and costs is not None, data, test_data)

    def shuffled(done: CommandEvaluation, context: RunContext) -> ShuffleTest | None:
        if options.shuffle is None or done.data is None or context.finishing:
            return None
        return shuffle_test(
            done.result,
            done.data,
            context.child(1.0, key=3),
            planned=planned,
            test_data=done.test_data,
            measure=luck_by.measure,
        )

    def work(context: RunContext) -> tuple[dict[str, Any] | str, list[ResultWarning], bool]:
        done = without_table(context) if options.in_pieces or paths else judged(context)
        result, trained, costs = done.result, done.trained, done.costs
        if options.save and trained is not None:
            save_model(options.save, trained)
        summary = report(result, costs, context.checkpoint)
        curves = wanted.drawn(result, summary, costs, context)
        wanted.save(curves)
        luck = shuffled(done, context)
        warnings = idle + _warnings(done, summary, context, is_tested_for_luck=luck is not None)
        if not options.json:
            of_search = "" if trained is None else search_to_text(trained.search, result)
            leaks = [warning.leak for warning in warnings if warning.leak]
            parts = (
                report_to_text(
                    result,
                    summary,
                    leaks,
                    are_own_costs=done.are_own_costs,
                    against_baseline=beside_baseline(summary, ahead_of_baseline(result), result.method.part_name),
                ),
                of_search,
                wanted.text(curves),
                permutation_test_to_text(luck),
            )
            last = NO_MODEL if trained is None else _model_line(trained, options.save)
            planes = _hyperplanes(trained) if options.coefficients else None
            table = "" if planes is None else coefficients_to_text(planes)
            return "\n\n".join(filter(None, (*parts, table, last))), warnings, context.finishing
        values = report_to_json(result, summary, measures)
        values["against_baseline"] = plain(against_baseline_to_json(ahead_of_baseline(result), summary, result))
        values["cheapest_threshold"] = plain(cheapest_threshold_to_json(result, summary, costs, context, done.data))
        if done.are_own_costs:
            values["costs"] = "learner"
        if curves:
            from algorithms.evaluation.curves.curve_base import trace_to_json

            values["curves"] = plain(
                [{**curve.kind.to_json(), "class": curve.label, **trace_to_json(curve.trace)} for curve in curves]
            )
        if luck is not None:
            values["shuffle"] = permutation_test_to_json(luck)
        values["data"] = done.name
        values["reading"] = "" if done.data is None else done.data.origin.description
        values["model"] = None if trained is None else plain({"id": trained.model.id, **trained.model.facts()})
        planes = _hyperplanes(trained) if options.coefficients else None
        if planes is not None:
            values["model"].update(plain(coefficients_to_json(planes)))
        values["search"] = None if trained is None else plain(searched_to_json(trained, result))
        values["seconds"]["total"] = perf_counter() - begin
        values["warnings"] = as_json(warnings, result.remarks())
        return values, warnings, context.finishing

    judged_folds: list[FoldDone] = []

    def heard(event: object) -> None:
        from algorithms.evaluation.runner import FoldDone

        if isinstance(event, FoldDone) and event.failed is None:
            judged_folds.append(event)

    content, warnings, is_stopped = watched(
        work,
        options.seed,
        options.threads,
        heard,
        may_finish=lambda: options.in_pieces or bool(paths) or bool(judged_folds),
        cluster=options.cluster,
    )
    print_result(content)
    if not options.json:
        print_warnings(warnings)
    return STOPPED if is_stopped else 0


def _warnings(
    done: CommandEvaluation, summary: Report, context: RunContext, *, is_tested_for_luck: bool
) -> list[ResultWarning]:
    """Warnings about the run; only those about the evaluation if the data are not in memory."""
    from algorithms.evaluation.checks.data_quality_checks import NOTHING
    from algorithms.evaluation.checks.warnings import evaluation_warnings

    if done.data is None or done.trained is None:
        warnings = evaluation_warnings(done.result, summary, NOTHING)
    else:
        of_costs = {*(() if done.costs is None else done.costs.columns), *done.trained.learner.cost_columns}
        warnings = warnings_about_run(done.result, summary, done.data, done.test_data, done.trained, context, of_costs)
    return [warning for warning in warnings if not (is_tested_for_luck and warning.id == "luck")]


def _hyperplanes(trained: TrainedClassifier | None) -> Hyperplanes | None:
    """Coefficients of the model trained on all records; None if it is not linear."""
    from algorithms.structures.hyperplanes import Hyperplanes

    structure = None if trained is None else trained.model.structure()
    return structure if isinstance(structure, Hyperplanes) else None


def _model_line(trained: TrainedClassifier, saved: str | None) -> str:
    counted = trained.model.facts().items()
    facts = ", ".join(
        _counted(value, name) if name.endswith("s") else f"{name} {significant(value)}" for name, value in counted
    )
    remark = f"; {trained.model.remark()}" if trained.model.remark() else ""
    where = f"{remark}, saved as {saved}" if saved else remark
    return f"The model of all records: {facts or trained.learner.name}{where}."


def _counted(n: float, plural: str) -> str:
    """A count with its noun, given in the plural: "1 leaf", "5 leaves"."""
    if n != 1:
        return f"{significant(n)} {plural}"
    return f"1 {plural.removesuffix('aves') + 'af' if plural.endswith('aves') else plural.removesuffix('s')}"
