"""Subcommand ``compare``: evaluates several learners on one or more data sets and tests their differences."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from algorithms.cli.arguments import (
    LearnerArgument,
    WrongUseError,
    check_columns,
    check_output,
    id_and_all_assignments,
    method_of,
    without_effect,
)
from algorithms.cli.output import (
    STOPPED,
    as_json,
    check_neutral,
    print_note,
    print_result,
    print_warnings,
    warnings_about_table,
    watched,
    write_rows,
)
from algorithms.cli.sources import recipe_of, rules_of, saved_reading, source_of, with_class, with_rules
from algorithms.core.errors import CoppiceError, DataError, ParameterError
from algorithms.text.numbers import bare_percent, p_text, percent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from algorithms.core.filters import Recipe
    from algorithms.core.learner import Learner
    from algorithms.core.registry import Registry
    from algorithms.core.resampling import Method
    from algorithms.core.run_control import RunContext
    from algorithms.data.dataset import Dataset, ReplayedEdit
    from algorithms.evaluation.checks.warning import ResultWarning
    from algorithms.evaluation.compare.comparison import ComparedRun, Pair
    from algorithms.evaluation.compare.disagreement import Disagreement, SettingDifference
    from algorithms.evaluation.compare.multi_comparison import MultiComparison
    from algorithms.evaluation.compare.significance_tests import SignificanceTest
    from algorithms.experiments.experiment import Experiment, ExperimentData

    PairTests = tuple[str, str, list[SignificanceTest]]
    """Names of two learners and the results of every significance test between them."""

LEAST: Final = 2
UNUSABLE: Final = 1
"""Exit code if a data set or learner failed; the other results are still printed."""


@dataclass(frozen=True)
class ComparisonFailure:
    """A data set that could not be used (``learner`` is empty), or a learner that failed on a data set."""

    title: str
    learner: str
    error: CoppiceError

    @property
    def sentence(self) -> str:
        what = f"{self.learner} on {self.title}" if self.learner else self.title
        return f"{what} was left out: {' '.join(str(self.error).split())}"


@dataclass(eq=False)
class Table:
    """The results so far: the run of each learner by data set (in the order of the command) and learner name."""

    names: tuple[str, ...]
    corner: str
    runs: dict[str, dict[str, ComparedRun]] = field(default_factory=dict)
    failures: list[ComparisonFailure] = field(default_factory=list)
    warnings: dict[str, list[ResultWarning]] = field(default_factory=dict)
    readings: dict[str, str] = field(default_factory=dict)
    """Description of how each data set was parsed."""
    above_baseline: tuple[Pair, ...] = ()
    """The test of each learner against the baseline; only for a single data set."""
    disagreement: Disagreement | None = None
    """Where the two learners of ``--disagreement`` differ."""
    is_stopped: bool = False
    """Whether the user stopped the command before all learners were evaluated."""
    current: str = ""
    """The data set and learner being evaluated, for the progress line."""

    @property
    def is_whole(self) -> bool:
        return not self.is_stopped and not self.failures

    @property
    def evaluated(self) -> tuple[str, ...]:
        """Learners with a result on at least one data set."""
        return tuple(name for name in self.names if any(name in runs for runs in self.runs.values()))

    @property
    def n_planned(self) -> int:
        """Number of compared learners, which sets the correction of p-values. Learners that failed do not count."""
        dropped = {failure.learner for failure in self.failures} - set(self.evaluated)
        return len(self.names) - len(dropped & set(self.names))

    @property
    def complete(self) -> list[str]:
        """Data sets on which all learners of ``evaluated`` have a result."""
        return [title for title, runs in self.runs.items() if runs and all(name in runs for name in self.evaluated)]

    def rows(self, written: Callable[[float], str] = bare_percent) -> list[list[str]]:
        """A header, then one row per data set: accuracy of each learner as ``written``, empty without a result."""
        lines = [[self.corner, *self.names]]
        for title, runs in self.runs.items():
            lines.append([title, *(written(runs[name].accuracy) if name in runs else "" for name in self.names)])
        return lines

    def print_accuracies(self, title: str) -> None:
        """Print the accuracies on a data set to standard error."""
        runs = self.runs[title]
        if runs:
            accuracies = (f"{name} {percent(runs[name].accuracy)}" for name in self.names if name in runs)
            print_note(f"{title}: {', '.join(accuracies)}")

    def fail(self, title: str, learner: str, error: CoppiceError) -> None:
        """Record a failure; print it at once if there are several data sets, since the rest may take long."""
        failure = ComparisonFailure(title, learner, error)
        self.failures.append(failure)
        if self.corner != "fold":
            print_note(failure.sentence)


def compare_learners(options: argparse.Namespace, registry: Registry) -> int:
    inactive: list[ResultWarning] = []
    learners = [_learner(text, registry, inactive) for text in options.learner]
    if len(learners) < LEAST:
        raise WrongUseError("compare needs two learners at least: --learner ID --learner ID")
    method, unread = method_of(options, registry)
    if method.needs_test_data or not method.honest:
        raise WrongUseError(
            f"{method.id} is no method to compare by: each learner must be tested on records it never saw."
        )
    recipe: Recipe = recipe_of(options, registry)
    rules = rules_of(options, registry)
    saved = saved_reading(options, registry)
    sources = [with_rules(source_of(text, registry, like=lambda: saved), rules) for text in options.data]
    check_output(
        "--out",
        options.out,
        *options.data,
        options.recipe,
        *(path for learner_argument in learners for path in learner_argument.files),
    )
    check_neutral(options, options.out)
    inactive += unread
    _check_distinct(options.data)
    files = [path for learner_argument in learners for path in learner_argument.files]
    if options.keep is not None and files:
        raise WrongUseError("--keep needs the table of costs itself, not the name of its file.")
    check_output("--keep", options.keep, *options.data, options.recipe, options.out)
    names, titles = named([learner_argument.unread for learner_argument in learners]), _titles(options.data)
    table = Table(tuple(names), "fold" if len(sources) == 1 else "data set")
    two = _two_of(options.disagreement, names, len(sources))
    experiment = _experiment(options, learners, method, recipe, rules)
    of_data = dict(zip((data.source for data in experiment.data), zip(sources, titles, strict=True), strict=True))

    def read(declared: ExperimentData, context: RunContext) -> Dataset:
        source, title = of_data[declared.source]
        data = with_class(source(context), options.class_name)
        check_columns([method], data.schema)
        check_columns(recipe, data.schema)
        table.readings[title] = data.origin.description
        return data

    def work(context: RunContext) -> tuple[MultiComparison | None, list[PairTests]]:
        from algorithms.experiments.experiment_file import ExperimentFile
        from algorithms.experiments.running import run_experiment

        with ExperimentFile.create(options.keep, experiment, registry) as file:
            run_experiment(
                file,
                context,
                read,
                one_by_one=True,
                learner_of=lambda cell, data: learners[cell.learner].of(data.schema.classes),
            )
        table.is_stopped = context.finishing
        overall, runs = _compare_completed(table, options)
        table.disagreement = _disagreement_of(table, two)
        return overall, _tests_of_pairs(overall, runs) if overall is not None and len(sources) == 1 else []

    overall, tests = watched(
        work,
        options.seed,
        options.threads,
        lambda event: _hear(event, table, titles, recipe, options),
        may_finish=lambda: any(list(table.runs.values())),
        about=lambda: table.current,
        cluster=options.cluster,
    )
    if options.out is not None:
        _write_csv(options.out, table, options.neutral, overall)
    if options.json:
        print_result(_to_json(table, overall, tests, inactive))
    else:
        print_result(_to_text(table, overall, tests, options.out))
        print_warnings(inactive)
        for title, warnings in table.warnings.items():
            print_warnings(warnings, title if len(sources) > 1 else "")
        for failure in table.failures if len(sources) == 1 else ():
            print_note(failure.sentence)
    return STOPPED if table.is_stopped else UNUSABLE if table.failures else 0


def _learner(words: Sequence[str], registry: Registry, inactive: list[ResultWarning]) -> LearnerArgument:
    """The learner of an id and its ``-p`` parameters; adds warnings on parameters without effect to ``inactive``."""
    id, given = id_and_all_assignments(words[0], words[1:])
    learner = LearnerArgument(id, given, registry)
    inactive += without_effect(learner.unread, given)
    return learner


def named(learners: list[Learner]) -> list[str]:
    """Names of the learners: the id, or the id with its options if ids repeat, numbered if these repeat too."""
    ids = [learner.id for learner in learners]
    names = [learner.id if ids.count(learner.id) == 1 else learner.summary() for learner in learners]
    return [name if names.count(name) == 1 else f"{name} #{number + 1}" for number, name in enumerate(names)]


def _check_distinct(texts: Sequence[str]) -> None:
    """Raise :class:`WrongUseError` for a repeated data set: the tests assume independent data sets."""
    seen: set[str] = set()
    for text in texts:
        place = text if text.startswith("sample:") else os.path.realpath(text)
        if place in seen:
            raise WrongUseError(f"{text} is given twice. Each data set counts once.")
        seen.add(place)


def _two_of(given: Sequence[str] | None, names: Sequence[str], n_sources: int) -> tuple[str, str] | None:
    """The names of two learners that are given by name or place, 1 for the first; None if none are given."""
    if given is None:
        return None
    if n_sources > 1:
        raise WrongUseError("--disagreement is about the records of one data set.")
    places = {str(place): name for place, name in enumerate(names, 1)}
    for text in given:
        if text not in names and text not in places:
            raise WrongUseError(f"--disagreement: no learner {text!r} is compared. There are: {', '.join(names)}.")
    one, other = (text if text in names else places[text] for text in given)
    if one == other:
        raise WrongUseError("--disagreement needs two different learners.")
    return one, other


def _disagreement_of(table: Table, two: tuple[str, str] | None) -> Disagreement | None:
    """Where two learners differ; None unless both have a result."""
    from algorithms.evaluation.compare.disagreement import disagreement

    [runs] = table.runs.values() if two is not None and table.runs else [{}]
    if two is None or not all(name in runs for name in two):
        return None
    first, second = (runs[name].scores.result for name in two)
    return disagreement(two, first, second)


def _titles(paths: list[str]) -> list[str]:
    """File names without folder and suffix; the numbered paths if two names are equal."""
    short = [path if path.startswith("sample:") else Path(path).stem for path in paths]
    return short if len(set(short)) == len(short) else [f"{path} #{number + 1}" for number, path in enumerate(paths)]


def _experiment(
    options: argparse.Namespace,
    learners: Sequence[LearnerArgument],
    method: Method,
    recipe: Recipe,
    rules: Sequence[ReplayedEdit],
) -> Experiment:
    """The declaration of what is compared."""
    from algorithms.experiments.experiment import Experiment, ExperimentData
    from algorithms.filters.cleaning_rules import CleaningRule

    cleaning = tuple(rule for rule in rules if isinstance(rule, CleaningRule))
    sources = options.data if options.keep is None else [kept_source(text, options.keep) for text in options.data]
    return Experiment(
        tuple(ExperimentData(source, options.class_name, cleaning=cleaning) for source in sources),
        tuple(learner.unread for learner in learners),
        (recipe,),
        (method,),
        (options.seed,),
        models=False,
        time_limit=options.time_limit,
    )


def kept_source(text: str, file: str) -> str:
    """A data set as an experiment file names it: relative to the folder of the file if it is below, else absolute."""
    if text.startswith("sample:") or "://" in text:
        return text
    folder, path = Path(os.path.realpath(file)).parent, Path(os.path.realpath(text))
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)


def _hear(event: object, table: Table, titles: Sequence[str], recipe: Recipe, options: argparse.Namespace) -> None:
    """Enter what the experiment says into the table."""
    from algorithms.evaluation.compare.comparison import ComparedRun
    from algorithms.evaluation.compare.significance_tests import FoldScores
    from algorithms.experiments.running import CellEnded, CellStarted, DataEnded, DataFailed

    if isinstance(event, DataFailed):
        table.fail(titles[event.index], "", event.error)
    elif isinstance(event, CellStarted):
        title = titles[event.cell.data]
        table.runs.setdefault(title, {})
        table.current = f"{title}: {table.names[event.cell.learner]}"
    elif isinstance(event, CellEnded):
        title, name = titles[event.record.cell.data], table.names[event.record.cell.learner]
        if event.result is not None:
            scores, burden = FoldScores.of(event.result), event.learner.variants()[0].burden
            table.runs[title][name] = ComparedRun(name, scores, event.report, burden=burden)
        elif event.error is not None:
            table.fail(title, name, event.error)
    elif isinstance(event, DataEnded):
        title = titles[event.index]
        if event.result is not None and not event.context.finishing:
            context = event.context.child(0.0, len(table.names) + 1)
            table.warnings[title] = warnings_about_table(event.data, recipe, context, event.result)
        if table.corner != "fold" and not options.json:
            table.print_accuracies(title)
        if options.out is not None:
            _write_csv(options.out, table, options.neutral)


def _compare_completed(table: Table, options: argparse.Namespace) -> tuple[MultiComparison | None, list[ComparedRun]]:
    """The comparison over the data sets on which all learners have a result, and the runs on the first of them.

    The comparison is None if failures leave fewer than two learners or no data set. If nothing was evaluated it raises
    :class:`ParameterError` if all failures are wrong use, else :class:`DataError`.
    """
    import numpy as np

    from algorithms.evaluation.compare.comparison import compared_runs, parts_of_all
    from algorithms.evaluation.compare.multi_comparison import compare_over_rows
    from algorithms.evaluation.compare.significance_tests import n_pairs_of

    names, rows = list(table.evaluated), table.complete
    if not names and table.failures:
        raise _error_without_results(table)
    if not table.is_whole and (len(names) < LEAST or not rows):
        return None, []
    runs = [[table.runs[title][name] for name in names] for title in rows]
    n_pairs = n_pairs_of(table.n_planned)
    if table.corner == "fold":
        parts, scores = parts_of_all(runs[0])
        share = float(np.mean([run.scores.test_share for run in runs[0]]))
        overall = compare_over_rows(
            names, parts, scores, rope=options.rope, correction=options.correction, test_share=share, n_pairs=n_pairs
        )
        # the same conclusion as the window shows
        comparison = compared_runs(runs[0], correction=options.correction, n_planned=table.n_planned)
        sentences = (
            *comparison.sentences,
            *(pair.sentence() for pair in comparison.pairs if len(comparison.pairs) > 1),
        )
        table.above_baseline = comparison.above_baseline
        return replace(overall, headline=comparison.headline, sentences=sentences), runs[0]
    scores = np.array([[run.accuracy for run in row] for row in runs]).reshape(len(runs), len(names))
    significant = _significantly_better(runs, len(names))
    return compare_over_rows(
        names, rows, scores, rope=options.rope, correction=options.correction, sure=significant, n_pairs=n_pairs
    ), runs[0]


def _error_without_results(table: Table) -> CoppiceError:
    """The error to raise if no learner has a result; with several data sets the failures were printed before."""
    first, *others = [failure.error for failure in table.failures]
    if table.corner == "fold" and all(str(other) == str(first) for other in others):
        return first
    is_wrong_use = all(isinstance(error, ParameterError) for error in (first, *others))
    if table.corner == "fold":
        sentences = " ".join(failure.sentence for failure in table.failures)
    else:
        sentences = "No data set could be compared."
    return ParameterError(sentences) if is_wrong_use else DataError(sentences)


def _tests_of_pairs(overall: MultiComparison, judged: list[ComparedRun]) -> list[PairTests]:
    """Results of every applicable significance test for each pair of learners on one data set."""
    from algorithms.evaluation.compare.comparison import tests_of

    pairs = [(judged[pair.first], judged[pair.second]) for pair in overall.pairs]
    return [(one.name, other.name, tests_of(one, other)) for one, other in pairs]


def _significantly_better(judged: list[list[ComparedRun]], k: int) -> NDArray[np.int64]:
    """Array (n, k, k): 1 if learner a is significantly better than b by the unadjusted corrected resampled t test."""
    import numpy as np

    from algorithms.evaluation.compare.significance_tests import compared

    significant = np.zeros((len(judged), k, k), dtype=np.int64)
    for row, runs in enumerate(judged):
        for a in range(k):
            for b in range(k):
                if a != b:
                    paired = compared(runs[a].scores, runs[b].scores)
                    significant[row, a, b] = paired.significant and paired.difference > 0
    return significant


# ---- output --------------------------------------------------------------------------------------------------------


def _to_text(table: Table, overall: MultiComparison | None, pairs: list[PairTests], written: str | None) -> str:
    """The comparison and its pairwise tests as text; all accuracies follow if it leaves out data sets or learners."""
    from algorithms.evaluation.report import table as in_columns

    parts = [] if overall is None else overall_to_text(overall, pairs, table.corner, table.above_baseline)
    if overall is None or (not table.is_whole and table.corner != "fold"):
        head = "Accuracies so far:"
        parts.append(f"{head}\n{in_columns([['data set', *table.names], *table.rows(percent)[1:]])}")
    parts.extend(_disagreement_to_text(table))
    if table.is_stopped:
        parts.append("Note: Finished early: the results so far are compared.")
    parts.extend(f"Note: {failure.sentence}" for failure in table.failures)
    parts.extend([f"Saved as {written}."] if written else [])
    return "\n\n".join(parts)


def _settings_of(table: Table, apart: Disagreement) -> list[SettingDifference]:
    from algorithms.evaluation.compare.disagreement import differing_settings

    [runs] = table.runs.values()
    first, second = (runs[name].scores.result for name in apart.names)
    return differing_settings(first, second)


def _disagreement_to_text(table: Table) -> list[str]:
    """Sentences, counts and differing settings of two learners; empty without ``--disagreement``."""
    from algorithms.evaluation.report import table as in_columns

    apart = table.disagreement
    if apart is None:
        return []
    parts = [f"{apart.headline}. {' '.join(apart.sentences)}", in_columns(apart.rows())]
    settings = _settings_of(table, apart)
    return [*parts, *([in_columns([["setting", *apart.names], *map(list, settings)])] if settings else [])]


def _disagreement_to_json(table: Table, apart: Disagreement) -> dict[str, Any]:
    from algorithms.evaluation.compare.disagreement import CELLS, DISAGREE

    cells = {
        key: {"weight": apart.weight(kinds), "share": apart.share(kinds), "interval": apart.interval(kinds)}
        for kinds, key, _ in CELLS
    }
    return {
        "first": apart.names[0],
        "second": apart.names[1],
        "headline": apart.headline,
        "sentences": list(apart.sentences),
        "cells": cells,
        "disagree": {"share": apart.share(DISAGREE), "interval": apart.interval(DISAGREE)},
        "oracle_accuracy": apart.oracle.value,
        "oracle_working": apart.oracle.sentence(),
        "kappa": apart.kappa.value,
        "kappa_interval": None if apart.kappa_interval is None else apart.kappa_interval.ends,
        "mcnemar": _test_to_json(apart.mcnemar),
        "settings": [one._asdict() for one in _settings_of(table, apart)],
    }


def overall_to_text(
    overall: MultiComparison,
    pairs: Sequence[PairTests],
    corner: str,
    above_baseline: Sequence[Pair] = (),
    written: Callable[[float], str] = percent,
) -> list[str]:
    """The parts of the text of a comparison; ``written`` is how a score is written."""
    from algorithms.evaluation.compare.multi_comparison import FOLDS_AS_SETS, pairwise_rows, score_rows
    from algorithms.evaluation.report import table

    parts = [f"{overall.headline}. {' '.join(overall.sentences)}", table(score_rows(overall, corner, written))]
    tests = [["", "statistic", "p"]]
    tests += [[t.name, t.statistic_words(_statistic), p_text(t.p_value)] for t in overall.tests]
    if overall.tests:
        parts.append(table(tests))
    caution = f" {FOLDS_AS_SETS}" if corner == "fold" else ""
    parts.append(f"Critical difference of mean ranks {overall.critical:.2f} (Nemenyi).{caution}")
    parts.append(table(pairwise_rows(overall, p_text)))
    parts += [table(_baseline_rows(above_baseline))] if above_baseline else []
    if pairs:
        rows = [["each pair alone", "test", "statistic", "p"]]
        rows += [
            [f"{one}, {other}", t.name, t.statistic_words(_statistic), p_text(t.p_value)]
            for one, other, tests_of_pair in pairs
            for t in tests_of_pair
        ]
        parts.append(table(rows))
        parts.extend(dict.fromkeys(f"Note: {t.name}: {t.caution}" for _, _, own in pairs for t in own if t.caution))
    cautions = (f"Note: {pair.test.name}: {pair.test.caution}" for pair in overall.pairs if pair.test.caution)
    return [*parts, *dict.fromkeys(cautions)]


def _statistic(value: float) -> str:
    """A statistic with four decimals, a count without."""
    from algorithms.text.numbers import fixed

    return f"{value:.0f}" if value.is_integer() else fixed(value)


def _baseline_rows(pairs: Sequence[Pair]) -> list[list[str]]:
    """The rows of a table: a header, then the test of each learner against the baseline."""
    from algorithms.evaluation.compare.comparison import deciding_test

    lines = [["against the baseline", "test", "p", f"{pairs[0].lead.correction_name} p", "verdict"]]
    for pair in pairs:
        p_values = p_text(pair.p_value), p_text(pair.corrected)
        lines.append([pair.first.name, deciding_test(pair).name, *p_values, pair.lead.verdict.value])
    return lines


def _write_csv(path: str, table: Table, neutral: bool, overall: MultiComparison | None = None) -> None:
    """Write accuracies, mean ranks and, after an empty line, the tests as CSV; only accuracies without ``overall``."""
    from algorithms.evaluation.compare.multi_comparison import pairwise_rows, score_rows

    rows = table.rows()
    if overall is not None:
        scores = score_rows(overall, table.corner)
        # data sets outside the comparison keep their accuracies above its mean rows
        rows = scores if table.is_whole or table.corner == "fold" else [*rows, *_padded(scores[-2:], table, overall)]
        rows = [*rows, [], *pairwise_rows(overall)]
    write_rows(path, rows, neutral)


def _padded(rows: list[list[str]], table: Table, overall: MultiComparison) -> list[list[str]]:
    """Rows of the comparison with an empty cell for each learner outside it."""
    by_name = ((name, dict(zip(overall.learners, cells, strict=True))) for name, *cells in rows)
    return [[name, *(cells.get(learner, "") for learner in table.names)] for name, cells in by_name]


def _test_to_json(test: SignificanceTest) -> dict[str, Any]:
    return {"name": test.name, "statistic": test.statistic, "p_value": test.p_value, "caution": test.caution}


def _to_json(
    table: Table, overall: MultiComparison | None, pairs: list[PairTests], inactive: list[ResultWarning]
) -> dict[str, Any]:
    """The comparison with its runs and failures as JSON values, null or empty without a comparison."""
    warnings = [
        {"data": title, **warning} for title, of_data_set in table.warnings.items() for warning in as_json(of_data_set)
    ]
    remarks = [{"data": failure.title, **as_json((), [failure.sentence])[0]} for failure in table.failures]
    content: dict[str, Any] = {
        "headline": None,
        "sentences": [],
        "learners": list(table.names),
        "rows": [],
        "accuracy": [],
        "places": {},
        "critical_difference": None,
        "not_told_apart": [],
        "tests": [],
        "correction": None,
        "pairs": [],
        "tests_of_pairs": [],
    }
    if overall is not None:
        content = overall_to_json(overall, pairs)
    content["baseline"] = _baseline_to_json(table.above_baseline) if table.above_baseline else None
    if table.disagreement is not None:
        content["disagreement"] = _disagreement_to_json(table, table.disagreement)
    content["data_sets"] = [
        {
            "data": title,
            "reading": table.readings[title],
            "accuracy": {name: runs[name].accuracy if name in runs else None for name in table.names},
        }
        for title, runs in table.runs.items()
    ]
    content["partial"] = table.is_stopped
    content["failures"] = [
        {"data": failure.title, "learner": failure.learner or None, "sentence": str(failure.error)}
        for failure in table.failures
    ]
    content["warnings"] = [*as_json(inactive), *remarks, *warnings]
    return content


def overall_to_json(overall: MultiComparison, pairs: list[PairTests]) -> dict[str, Any]:
    names = overall.learners
    return {
        "headline": overall.headline,
        "sentences": list(overall.sentences),
        "learners": list(names),
        "rows": list(overall.rows),
        "accuracy": overall.scores.tolist(),
        "places": dict(zip(names, overall.ranks.tolist(), strict=True)),
        "critical_difference": overall.critical,
        "not_told_apart": [[names[overall.order[place]] for place in range(a, b + 1)] for a, b in overall.bars],
        "tests": [_test_to_json(test) for test in overall.tests],
        "correction": overall.correction,
        "pairs": [
            {
                "first": names[pair.first],
                "second": names[pair.second],
                "wins": pair.wins,
                "draws": pair.draws,
                "losses": pair.losses,
                "sure_wins": pair.sure_wins,
                "sure_losses": pair.sure_losses,
                "difference": pair.difference,
                "simultaneous_interval": pair.interval,
                "test": pair.test.name,
                "p_value": pair.test.p_value,
                "corrected": pair.corrected,
                "nemenyi": pair.nemenyi,
                "belief": {"first": pair.posterior.first, "same": pair.posterior.same, "second": pair.posterior.second},
                "rope": pair.posterior.rope,
            }
            for pair in overall.pairs
        ],
        "tests_of_pairs": [
            {"first": one, "second": other, "tests": [_test_to_json(test) for test in tests]}
            for one, other, tests in pairs
        ],
    }


def _baseline_to_json(pairs: Sequence[Pair]) -> dict[str, Any]:
    from algorithms.evaluation.compare.comparison import deciding_test

    return {
        "name": pairs[0].second.name,
        "measure": pairs[0].by.value,
        "correction": pairs[0].lead.correction,
        "learners": [
            {
                "learner": pair.first.name,
                "difference": None if pair.paired is None else pair.paired.difference,
                "simultaneous_interval": pair.lead.interval,
                "test": deciding_test(pair).name,
                "p_value": pair.p_value,
                "corrected": pair.corrected,
                "verdict": pair.lead.verdict.value,
            }
            for pair in pairs
        ],
    }
