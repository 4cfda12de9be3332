"""Subcommand ``experiment``: runs, resumes, changes and shows grids of learners on data sets."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from algorithms.cli.arguments import (
    METHOD_FORM,
    PARAMETER_HELP,
    SEARCH,
    AddLearner,
    AddParameter,
    AddSearch,
    LearnerArgument,
    WrongUseError,
    add_arguments,
    check_output,
    check_untried,
    configure,
    id_and_all_assignments,
    id_and_assignments,
    seconds,
    share,
    whole,
    without_effect,
)
from algorithms.cli.comparing import kept_source, overall_to_json, overall_to_text
from algorithms.cli.evaluating import with_search
from algorithms.cli.output import STOPPED, add_neutral, print_note, print_result, print_warnings, watched
from algorithms.cli.sources import reading_of, rules_of, source_of, with_class, with_rules
from algorithms.core.errors import CoppiceError, DataError, UnreadFileError
from algorithms.text.numbers import p_text
from algorithms.text.sentences import counted

if TYPE_CHECKING:
    from algorithms.core.filters import Recipe
    from algorithms.core.learner import Learner
    from algorithms.core.registry import Registry
    from algorithms.core.resampling import Method
    from algorithms.core.run_control import RunContext
    from algorithms.data.dataset import Dataset
    from algorithms.evaluation.checks.warning import ResultWarning
    from algorithms.evaluation.compare.multi_comparison import MultiComparison
    from algorithms.experiments.experiment import Experiment, ExperimentData
    from algorithms.experiments.experiment_file import CellRecord, ExperimentFile
    from algorithms.experiments.results import ScoreTable, TableRows

UNUSABLE: Final = 1
"""Exit code if cells failed."""
NONE: Final = "none"
_STEP: Final = re.compile(r"\s*\+\s*(?=[a-z][a-z0-9-]*(?::|\s*\+|\s*$))")
"""Separates two steps: a plus sign before an id."""
TABLES: Final = ("scores", "pairs", "wins", "baseline", "cells")
MOST_FAILURES: Final = 10
WAITING_CELLS: Final = "Run them: coppice experiment resume {file}"


# ---- the parser ------------------------------------------------------------------------------------------------------


def add_experiment(verbs: Any, corrections: Sequence[str]) -> None:
    """Declare the verb with its own verbs."""
    experiment = verbs.add_parser("experiment", help="many learners on many files, as a grid in a file that goes on")
    own = experiment.add_subparsers(title="verbs", required=True, metavar="VERB", parser_class=type(experiment))
    file = {"metavar": "FILE", "help": "the experiment, usually named *.coppice-experiment"}

    run = own.add_parser("run", help="begin an experiment and run its cells")
    run.add_argument("file", **file)
    _add_factors(run)
    run.add_argument("--no-models", action="store_true", help="train no model of all records in the cells")
    run.add_argument(
        "--time-limit", metavar="SECONDS", type=seconds, help="leave a cell that takes longer (default: no limit)"
    )
    add_arguments(run, "--threads", "--cluster", "--json")
    run.set_defaults(run=run_new)

    resume = own.add_parser("resume", help="run the waiting cells, and those that failed for lack of data or memory")
    resume.add_argument("file", **file)
    resume.add_argument(
        "--allow", action="store_true", help="let the experiment read files outside its folder, and web addresses"
    )
    add_arguments(resume, "--threads", "--cluster", "--json")
    resume.set_defaults(run=resume_run)

    add = own.add_parser("add", help="add data sets, learners, steps, methods or seeds; their cells then wait")
    add.add_argument("file", **file)
    _add_factors(add)
    add.set_defaults(run=add_levels)

    for verb, words, change in (
        ("repeat", "let cells wait again, whatever came of them", repeat_cells),
        ("leave-out", "leave cells out of running and comparing; their results are kept", leave_out_cells),
        ("put-back", "take cells that were left out in again", put_back_cells),
    ):
        parser = own.add_parser(verb, help=words)
        parser.add_argument("file", **file)
        _add_where(parser)
        if verb == "repeat":
            parser.add_argument("--failed", action="store_true", help="only the cells that failed")
        parser.set_defaults(run=change)

    show = own.add_parser("show", help="compare what is done, or a table of accuracies from elsewhere")
    show.add_argument("file", metavar="FILE", help="an experiment, or a table with a column for each learner")
    show.add_argument("--beside", metavar="TABLE", help="also compare the accuracies in this table")
    _add_where(show)
    show.add_argument("--measure", metavar="ID", action="append", default=[], help="what is compared (accuracy)")
    show.add_argument(
        "--costs",
        metavar="FILE",
        action="append",
        default=[],
        help="a cost matrix; of several, which name their classes, a data set takes the first that has its own",
    )
    show.add_argument("--across", metavar="FACTOR", action="append", default=[], help="compare levels of this factor")
    show.add_argument("--baseline", metavar="NAME", help="compare each competitor with this one (Holm)")
    show.add_argument("--group", metavar="FACTOR", action="append", default=[], help="--table cells: means by it")
    show.add_argument("--sort", metavar="COLUMN", default="", help="with --table cells; --sort=-COLUMN: downwards")
    show.add_argument("--correction", choices=corrections, default="tukey-holm", help="default: tukey-holm")
    show.add_argument("--rope", metavar="SHARE", type=share, default=0.01, help="smaller differences do not matter")
    show.add_argument("--table", choices=TABLES, help="only this table")
    show.add_argument("--export", metavar="FILE", help="write the table (default: scores): .csv .tsv .xlsx .tex .html")
    add_neutral(show)
    add_arguments(show, "--json")
    show.set_defaults(run=show_results)


def _add_factors(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", metavar="DATA", nargs="*", help="files, or sample:NAME[:size=N,seed=N]")
    parser.add_argument("--learner", metavar=METHOD_FORM, action=AddLearner, default=[], help="see: list learners")
    parameter = f"of the learner before it: {PARAMETER_HELP}"
    parser.add_argument("-p", metavar="NAME=VALUE", action=AddParameter, dest="learner", help=parameter)
    searched = "values of the learner before it, tuned inside each training part: min_leaf=1,2,5"
    parser.add_argument("--search", metavar="NAME=VALUES", action=AddSearch, dest="learner", help=searched)
    parser.add_argument("--class", metavar="COLUMN", dest="class_name", help="the column to predict, in every file")
    parser.add_argument(
        "--steps",
        metavar="ID[:NAME=VALUE,...][+ID...]",
        action="append",
        default=[],
        help="a recipe, learned in each fold: discretize+select-attributes; each one is a level, none is no steps",
    )
    parser.add_argument("--recipe", metavar="FILE", action="append", default=[], help="a saved recipe, as a level")
    parser.add_argument("--clean", metavar="RULE", action="append", default=[], help="a cleaning rule for every file")
    method = "a level each; see: list methods (default: cross-validation)"
    parser.add_argument("--method", metavar=METHOD_FORM, action="append", default=[], help=method)
    seed = "a level each; learners with one seed share their folds (default: 1)"
    parser.add_argument("--seed", metavar="N", type=whole, action="append", default=[], help=seed)
    add_arguments(parser, "--sheet", "--query", "--http", "--widths", "--read")


def _add_where(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--where",
        metavar="FACTOR=LEVEL",
        action="append",
        default=[],
        help="only these cells: data=iris, learner=c4.5, recipe, method or seed; several of a factor are alternatives",
    )


# ---- the declaration -------------------------------------------------------------------------------------------------


def _declared(options: argparse.Namespace, registry: Registry) -> tuple[dict[str, Any], list[ResultWarning]]:
    """The levels of the factors that the options name, by the field of :class:`Experiment`, and warnings."""
    from algorithms.experiments.experiment import ExperimentData

    warnings: list[ResultWarning] = []
    learners = tuple(_learner(words, registry, warnings) for words in options.learner)
    methods = tuple(_method(text, registry, warnings) for text in options.method)
    saved = (_saved_recipe(path, registry) for path in options.recipe)
    recipes = (*saved, *(_steps(text, registry) for text in options.steps))
    reading = reading_of(options)
    rules = _rules(options, registry)
    data = tuple(
        ExperimentData(kept_source(text, options.file), options.class_name, reading, rules) for text in options.data
    )
    return {
        "data": data,
        "learners": learners,
        "recipes": recipes,
        "methods": methods,
        "seeds": tuple(options.seed),
    }, warnings


def _learner(words: Sequence[str], registry: Registry, warnings: list[ResultWarning]) -> Learner:
    tried = [word.removeprefix(SEARCH) for word in words[1:] if word.startswith(SEARCH)]
    id, given = id_and_all_assignments(words[0], [word for word in words[1:] if not word.startswith(SEARCH)])
    check_untried(given, tried, "--search")
    argument = LearnerArgument(id, given, registry)
    if argument.files:
        raise WrongUseError("An experiment needs the table of costs itself, not the name of its file.")
    warnings += without_effect(argument.unread, given)
    return with_search(argument.unread, tried, None)


def _method(text: str, registry: Registry, warnings: list[ResultWarning]) -> Method:
    id, assignments = id_and_assignments(text)
    method: Method = configure(registry.methods.get(id), assignments, registry)
    warnings += without_effect(method, assignments)
    return method


def _steps(text: str, registry: Registry) -> Recipe:
    if text.strip() == NONE:
        return ()
    parts = [id_and_assignments(part.strip()) for part in _STEP.split(text)]
    return tuple(configure(registry.filters.get(id), given, registry) for id, given in parts)


def _saved_recipe(path: str, registry: Registry) -> Recipe:
    from algorithms.core.filters import recipe_of
    from algorithms.project.recipes import load_recipe

    return recipe_of(load_recipe(path, registry))


def _rules(options: argparse.Namespace, registry: Registry) -> Any:
    from algorithms.filters.cleaning_rules import CleaningRule

    own = argparse.Namespace(clean=options.clean, recipe=None)
    return tuple(rule for rule in rules_of(own, registry) if isinstance(rule, CleaningRule))


# ---- running ---------------------------------------------------------------------------------------------------------


def run_new(options: argparse.Namespace, registry: Registry) -> int:
    """Begin an experiment and run it."""
    from algorithms.experiments.experiment import Experiment
    from algorithms.experiments.experiment_file import ExperimentFile

    levels, warnings = _declared(options, registry)
    levels["methods"] = levels["methods"] or (_method("cross-validation", registry, warnings),)
    defaults = {"recipes": ((),), "seeds": (1,)}
    levels |= {name: default for name, default in defaults.items() if not levels[name]}
    experiment = Experiment(**levels, models=not options.no_models, time_limit=options.time_limit)
    check_output("FILE", options.file, *options.data, *options.recipe)
    with ExperimentFile.create(options.file, experiment, registry) as file:
        print_warnings(warnings)
        return _run(file, options, registry)


def resume_run(options: argparse.Namespace, registry: Registry) -> int:
    """Run the waiting cells; ask for ``--allow`` before files are read that only the experiment names."""
    from algorithms.core.run_control import RunContext
    from algorithms.experiments.experiment_file import ExperimentFile
    from algorithms.experiments.running import check_may_read

    with ExperimentFile.open(options.file, registry, write=True) as file:
        if not options.allow:
            try:
                check_may_read(file.experiment.files(file.folder), file.folder, set(), RunContext())
            except UnreadFileError as error:
                remedy = "Add --allow if you trust the experiment."
                raise DataError(error.sentence, remedy=remedy, place=error.place) from error
        return _run(file, options, registry)


def _run(file: ExperimentFile, options: argparse.Namespace, registry: Registry) -> int:
    from algorithms.experiments.experiment_file import CellState
    from algorithms.experiments.running import is_to_run, run_experiment

    n_to_run = sum(map(is_to_run, file.records().values()))
    progress = _Progress(file.experiment, n_to_run)

    def work(context: RunContext) -> bool:
        run_experiment(file, context, _reader(file, registry))
        return context.finishing

    stopped = watched(
        work,
        seed=0,
        threads=options.threads,
        listener=progress.hear,
        may_finish=True,
        about=progress.words,
        cluster=options.cluster,
    )
    records = file.records()
    _print(options, file, _result(file, options, {}))
    has_failed = any(record.state is CellState.FAILED for record in records.values())
    return STOPPED if stopped else UNUSABLE if has_failed else 0


def _reader(file: ExperimentFile, registry: Registry) -> Callable[[ExperimentData, RunContext], Dataset]:
    """Reads data sets as the other verbs do: with notes on standard error, and a question for a password."""

    def read(declared: ExperimentData, context: RunContext) -> Dataset:
        source = with_rules(source_of(declared.place(file.folder), registry, declared.reading), declared.cleaning)
        return with_class(source(context), declared.class_name)

    return read


class _Progress:
    """The cells that ended, for the line of progress; failures are printed at once."""

    def __init__(self, experiment: Experiment, n_cells: int) -> None:
        self._experiment, self._n_cells, self._n_ended = experiment, n_cells, 0

    def words(self) -> str:
        return f"{self._n_ended:,} of {counted(self._n_cells, 'cell')}"

    def hear(self, event: object) -> None:
        from algorithms.experiments.experiment import DATA
        from algorithms.experiments.running import CellEnded, DataFailed

        if isinstance(event, DataFailed):
            print_note(f"{self._experiment.names(DATA)[event.index]} was left out: {_in_line(event.error)}")
        elif isinstance(event, CellEnded):
            self._n_ended, self._n_cells = event.n_ended, event.n_cells
            if event.error is not None:
                print_note(f"{_cell_name(self._experiment, event.record)} failed: {_in_line(event.error)}")


def _in_line(error: CoppiceError) -> str:
    return " ".join(str(error).split())


def _cell_name(experiment: Experiment, record: CellRecord) -> str:
    """The levels of a cell, those of factors with a single level left out: "c4.5 on iris, seed 2"."""
    from algorithms.experiments.experiment import DATA, FACTORS, LEARNER, SEED

    levels = experiment.levels(record.cell)
    more = [
        f"seed {levels[factor.word]}" if factor is SEED else levels[factor.word]
        for factor in FACTORS
        if factor not in (DATA, LEARNER) and len(experiment.names(factor)) > 1
    ]
    return ", ".join([f"{levels[LEARNER.word]} on {levels[DATA.word]}", *more])


# ---- changing --------------------------------------------------------------------------------------------------------


def add_levels(options: argparse.Namespace, registry: Registry) -> None:
    """Add levels of factors to an experiment; their cells wait."""
    from algorithms.experiments.experiment_file import ExperimentFile

    levels, warnings = _declared(options, registry)
    if not any(levels.values()):
        raise WrongUseError("Name what to add: DATA, --learner, --steps, --recipe, --method or --seed.")
    with ExperimentFile.open(options.file, registry, write=True) as file:
        before = file.experiment
        added = replace(before, **{name: own for name, own in levels.items() if own})
        file.extend(before.extended(added))
        print_warnings(warnings)
        n_new = file.experiment.n_cells - before.n_cells
        print_result(f"{counted(n_new, 'cell')} added. {WAITING_CELLS.format(file=options.file)}")


def repeat_cells(options: argparse.Namespace, registry: Registry) -> None:
    """Mark cells as waiting; accept a changed data set where all of its cells are repeated."""
    from algorithms.experiments.experiment_file import CellState, ExperimentFile
    from algorithms.experiments.results import chosen_records

    with ExperimentFile.open(options.file, registry, write=True) as file:
        records = chosen_records(file, _where(options), with_left_out=True)
        if options.failed:
            records = [record for record in records if record.state is CellState.FAILED]
        file.forget([record.cell for record in records])
        waiting = {record.cell.data for record in records}
        left = {r.cell.data for r in file.records().values() if r.state is not CellState.WAITING}
        for index in sorted(waiting - left):
            file.set_content(index, "")
        print_result(f"{_cells_wait(len(records))} {WAITING_CELLS.format(file=options.file)}")


def _cells_wait(n: int) -> str:
    return f"{counted(n, 'cell')} {'waits' if n == 1 else 'wait'} again."


def leave_out_cells(options: argparse.Namespace, registry: Registry) -> None:
    """Leave cells out of running and comparing."""
    from algorithms.experiments.experiment_file import ExperimentFile
    from algorithms.experiments.results import chosen_records

    if not options.where:
        raise WrongUseError("Name the cells to leave out: --where data=iris or --where learner=c4.5.")
    with ExperimentFile.open(options.file, registry, write=True) as file:
        records = chosen_records(file, _where(options))
        file.leave_out(record.cell for record in records)
        print_result(f"{counted(len(records), 'cell')} left out.")


def put_back_cells(options: argparse.Namespace, registry: Registry) -> None:
    """Take left-out cells in again."""
    from algorithms.experiments.experiment_file import CellState, ExperimentFile
    from algorithms.experiments.results import chosen_records

    with ExperimentFile.open(options.file, registry, write=True) as file:
        records = chosen_records(file, _where(options), with_left_out=True)
        out = [record.cell for record in records if record.state is CellState.LEFT_OUT]
        file.put_back(out)
        print_result(f"{counted(len(out), 'cell')} put back.")


def _where(options: argparse.Namespace) -> Mapping[str, list[str]]:
    where: dict[str, list[str]] = {}
    for text in options.where:
        word, equals, level = text.partition("=")
        if not equals or not level:
            raise WrongUseError(f"--where: {text!r} is not FACTOR=LEVEL.")
        where.setdefault(word.strip(), []).append(level)
    return where


# ---- showing ---------------------------------------------------------------------------------------------------------


class _Result:
    """The comparison of what is done: the table of scores, and the tests unless there is too little for them."""

    def __init__(self, scores: ScoreTable | None, overall: MultiComparison | None, why_not: str = "") -> None:
        self.scores, self.overall, self.why_not = scores, overall, why_not
        self.records: Sequence[CellRecord] = ()
        """The cells that were compared, with their costs."""


def show_results(options: argparse.Namespace, registry: Registry) -> int:
    """Print or export the comparison, or one table of it."""
    from algorithms.experiments.experiment_file import ExperimentFile

    check_output("--export", options.export, options.file, options.beside)
    if options.neutral and options.export is None:
        raise WrongUseError("--neutralise-formulas changes CSV only: write some with --export FILE.csv.")
    if options.table == "baseline" and options.baseline is None:
        raise WrongUseError("--table baseline needs --baseline NAME.")
    if (options.group or options.sort) and options.table != "cells":
        raise WrongUseError("--group and --sort are for --table cells.")
    if len(options.measure) > 1 and options.table != "cells":
        raise WrongUseError("Competitors are compared by one measure; --table cells has several.")
    if not _is_experiment(options.file):
        if options.table == "cells" or options.where or options.across or options.measure or options.costs:
            raise WrongUseError("--where, --across, --measure, --costs and --table cells are for experiments.")
        _show(options, None, watched(lambda context: _of_table(options, context), seed=0, threads=None))
        return 0
    options.measure = _measures(options)
    with ExperimentFile.open(options.file, registry) as file:
        if options.table == "cells":
            from algorithms.experiments.results import cell_table

            rows = cell_table(
                file,
                _where(options),
                options.measure,
                options.sort,
                options.group,
                whole=options.export is not None,
                costs=options.costs,
            )
            _show_rows(options, rows)
        else:
            _show(options, file, _result(file, options, _where(options)))
    return 0


def _measures(options: argparse.Namespace) -> Sequence[str]:
    """The measures to show; those of costs go with ``--costs``."""
    from algorithms.experiments.results import ACCURACY, COSTS, SHOWN

    of_costs = [id for id in options.measure if id in COSTS]
    if of_costs and not options.costs:
        raise WrongUseError(f"--measure {of_costs[0]} needs --costs FILE.")
    if options.costs and options.measure and not of_costs:
        raise WrongUseError(f"--costs is for --measure {' or '.join(COSTS)}.")
    if options.table == "cells":
        return options.measure or [*SHOWN, *(COSTS if options.costs else ())]
    return options.measure or [COSTS[0] if options.costs else ACCURACY]


def _is_experiment(path: str) -> bool:
    """Whether a file is to be opened as an experiment: it is named so, or it is a database with its mark."""
    from algorithms.core.files import open_regular
    from algorithms.experiments import SUFFIX
    from algorithms.experiments.experiment_file import is_experiment_head

    if path.endswith(SUFFIX):
        return True
    try:
        with open_regular(path) as stream:
            return is_experiment_head(stream.read(100))
    except OSError as error:
        raise DataError(f"{Path(path).name} cannot be read: {error.strerror or error}.", place=path) from error


def _of_table(options: argparse.Namespace, context: RunContext) -> _Result:
    from algorithms.experiments.results import read_score_table

    scores = read_score_table(options.file, context)
    if options.beside is not None:
        scores = scores.beside(read_score_table(options.beside, context))
    return _compared(scores, options)


def _result(file: ExperimentFile, options: argparse.Namespace, where: Mapping[str, list[str]]) -> _Result:
    from algorithms.experiments.results import ACCURACY, chosen_records, read_score_table, score_table

    (measure,), across = getattr(options, "measure", [ACCURACY]), getattr(options, "across", [])
    beside, costs = getattr(options, "beside", None), getattr(options, "costs", ())

    def work(context: RunContext) -> _Result:
        records = chosen_records(file, where, with_left_out=True, costs=costs)
        scores = score_table(file, where, measure, across, context.checkpoint, records=records)
        if beside is not None:
            scores = scores.beside(read_score_table(beside, context))
        result = _compared(scores, options)
        result.records = records
        return result

    return watched(work, seed=0, threads=None)


def _compared(scores: ScoreTable, options: argparse.Namespace) -> _Result:
    try:
        rope, correction = getattr(options, "rope", 0.01), getattr(options, "correction", "tukey-holm")
        return _Result(scores, scores.compared(rope, correction))
    except DataError as error:
        return _Result(scores, None, _in_line(error))


def _show(options: argparse.Namespace, file: ExperimentFile | None, result: _Result) -> None:
    if options.table is not None or options.export is not None:
        _show_rows(options, _rows_of(result, options))
    else:
        _print(options, file, result)


def _rows_of(result: _Result, options: argparse.Namespace) -> TableRows:
    """The rows of the table that ``--table`` names."""
    from algorithms.evaluation.compare.multi_comparison import pairwise_rows

    scores, overall = result.scores, result.overall
    if scores is None:
        raise DataError("Nothing is done yet.", remedy="Run the experiment.")
    if options.table in (None, "scores"):
        is_file = options.export is not None
        rows: list[Sequence[Any]] = [
            *(scores.annotated(scores.score_rows(), scores.gaps) if is_file else scores.score_rows())
        ]
        more = [None] * (len(rows[0]) - 1 - len(scores.competitors))
        if overall is not None:
            means = dict(zip(overall.learners, overall.scores.mean(axis=0).tolist(), strict=True))
            ranks = dict(zip(overall.learners, overall.ranks.tolist(), strict=True))
            rows += [
                [name, *map(of.get, scores.competitors), *more] for name, of in (("mean", means), ("mean rank", ranks))
            ]
        return rows
    if overall is None:
        raise DataError(result.why_not)
    if options.table == "wins":
        return overall.records_of_sure_wins or overall.records_of_wins
    if options.table == "baseline":
        against = scores.against(options.baseline, options.rope)
        return against if options.export is None else scores.annotated(against)
    return _as_numbers(pairwise_rows(overall, repr))


def _as_numbers(rows: Sequence[Sequence[str]]) -> TableRows:
    """Rows of texts with numbers as such from the third column on."""
    numbered: list[Sequence[Any]] = [rows[0]]
    numbered += [[*row[:2], *map(float, row[2:])] for row in rows[1:]]
    return numbered


def _show_rows(options: argparse.Namespace, rows: TableRows) -> None:
    """Print rows as a table or as JSON, or write them to the file of ``--export``."""
    from algorithms.evaluation.report import table
    from algorithms.experiments.results import export_table
    from algorithms.io.text.options import Style

    if options.export is not None:
        style = Style(neutral=options.neutral)
        caption = Path(options.file).stem
        watched(lambda context: export_table(options.export, rows, context, style, caption), seed=0, threads=None)
        print_result(f"Saved as {options.export}.")
    elif options.json:
        head, *body = rows
        print_result([dict(zip(map(str, head), row, strict=True)) for row in body])
    else:
        from algorithms.experiments.results import figure

        print_result(table([[figure(cell) for cell in row] for row in rows]))


def _print(options: argparse.Namespace, file: ExperimentFile | None, result: _Result) -> None:
    """Print the comparison with the state of the cells, as text or JSON."""
    baseline = getattr(options, "baseline", None)
    scores, overall = result.scores, result.overall
    against = None if baseline is None or scores is None or overall is None else scores.against(baseline, options.rope)
    if options.json:
        print_result(_to_json(file, result, against))
        return
    print_result("\n\n".join(filter(None, [*_to_text(result), *_against_text(against), _state_text(file)])))


def _to_text(result: _Result) -> list[str]:
    from algorithms.evaluation.report import table

    scores, overall = result.scores, result.overall
    if scores is None:
        return []
    if overall is None:
        rows = [[scores.corner, *scores.competitors]]
        rows += [[name, *map(scores.written, row)] for name, row in zip(scores.rows, scores.scores, strict=True)]
        return [table(rows), f"Note: {result.why_not}"]
    parts = overall_to_text(overall, [], scores.corner, (), scores.written)
    wins = overall.records_of_wins if scores.test_share is None else []
    sure = overall.records_of_sure_wins if scores.test_share is None else []
    n_gaps = len(scores.rows) - len(overall.rows)
    return [
        *parts,
        *(table(rows) for rows in (wins, sure) if rows),
        f"Note: {counted(n_gaps, scores.corner)} left out, without a value of every competitor." if n_gaps else "",
    ]


def _against_text(against: TableRows | None) -> list[str]:
    from algorithms.evaluation.report import table
    from algorithms.experiments.results import figure

    if against is None:
        return []
    p_values = [[p_text(p) if isinstance(p, float) else str(p) for p in row[-2:]] for row in against]
    return [table([[*map(figure, row[:-2]), *p] for row, p in zip(against, p_values, strict=True)])]


def _state_text(file: ExperimentFile | None) -> str:
    """How many cells are done, wait, failed and are left out, with the first failures."""
    from algorithms.experiments.experiment_file import CellState

    if file is None:
        return ""
    records = [*file.records().values()]
    counts = {state: sum(record.state is state for record in records) for state in CellState}
    words = [f"{n:,} {state}" for state, n in counts.items() if n and state is not CellState.DONE]
    done = f"{counts[CellState.DONE]:,} of {counted(len(records), 'cell')} done"
    lines = [f"{', '.join([done, *words])}."]
    reasons: dict[tuple[int, str], list[CellRecord]] = {}
    for record in records:
        if record.state is CellState.FAILED:
            reasons.setdefault((record.cell.data, record.message), []).append(record)
    for (_, message), of_reason in [*reasons.items()][:MOST_FAILURES]:
        more = f" and {counted(len(of_reason) - 1, 'more cell')}" if len(of_reason) > 1 else ""
        lines.append(f"Note: {_cell_name(file.experiment, of_reason[0])}{more} failed: {message}")
    lines += [f"Note: {len(reasons) - MOST_FAILURES:,} more reasons."] if len(reasons) > MOST_FAILURES else []
    return "\n".join(lines)


def _to_json(file: ExperimentFile | None, result: _Result, against: TableRows | None) -> dict[str, Any]:
    values: dict[str, Any] = {"headline": None, "learners": [], "rows": [], "accuracy": []}
    scores, overall = result.scores, result.overall
    if overall is not None and scores is not None:
        values = overall_to_json(overall, [])
        values["measure"] = scores.measure.id
        values["won_drawn_lost"] = overall.records_of_wins
        values["significantly_won_drawn_lost"] = overall.records_of_sure_wins
    elif scores is not None:
        values |= {"learners": list(scores.competitors), "rows": list(scores.rows), "note": result.why_not}
    if scores is not None:
        gaps = [[None if math.isnan(value) else value for value in row] for row in scores.scores.tolist()]
        values["scores"] = {"rows": list(scores.rows), "competitors": list(scores.competitors), "values": gaps}
    if against is not None:
        head, *body = against
        values["against_baseline"] = [dict(zip(map(str, head), row, strict=True)) for row in body]
    if file is not None:
        experiment = file.experiment
        compared = {record.cell.key: record for record in result.records}
        values["cells"] = [
            {
                **experiment.levels(record.cell),
                "key": record.cell.key,
                "state": str(record.state),
                "measures": dict(record.measures),
                "model": dict(record.facts),
                "seconds": {"fit": record.fit_seconds, "predict": record.predict_seconds},
                "message": record.message,
            }
            for record in (compared.get(other.cell.key, other) for other in file.records().values())
        ]
    return values
