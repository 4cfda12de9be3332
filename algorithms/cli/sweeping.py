"""Subcommands ``curve`` (error by training size or value), ``rank`` (columns by relevance), ``overview`` of a table."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from algorithms.cli.arguments import (
    METHOD_FORM,
    WrongUseError,
    add_arguments,
    assignments_of,
    check_columns,
    check_untried,
    configure,
    id_and_assignments,
    whole,
)
from algorithms.cli.output import (
    STOPPED,
    as_json,
    print_result,
    print_warnings,
    sentences_of,
    warnings_about_table,
    watched,
    write_rows,
)
from algorithms.cli.sources import LearnerTask, add_recipe, recipe_of, source_of_options, with_class
from algorithms.core.plain_json import typed_number

if TYPE_CHECKING:
    from algorithms.core.registry import Registry
    from algorithms.core.resampling import Method
    from algorithms.core.run_control import RunContext
    from algorithms.data.whole_file import WholeFile
    from algorithms.evaluation.checks.overview import TableOverview
    from algorithms.evaluation.checks.warning import ResultWarning
    from algorithms.evaluation.curves.learning_curves import Sweep
    from algorithms.filters.attribute_ranking import AttributeRanking


def draw_curve(options: argparse.Namespace, registry: Registry) -> int:
    from algorithms.evaluation.curves.learning_curves import SHARES, complexity_curve, learning_curve
    from algorithms.evaluation.tuning.search_space import space_of

    task = LearnerTask.of(options, registry)
    method, recipe = task.method, task.recipe
    if method.needs_test_data or not method.honest:
        raise WrongUseError(f"{method.id} makes no curve: each point must be tested on records that it never saw.")
    if options.over is not None and options.sizes is not None:
        raise WrongUseError("--over and --sizes make two different curves: choose one.")
    over = {} if options.over is None else assignments_of([options.over], "--over")
    check_untried(task.given, over, "--over")
    for name, values in over.items():
        space_of(task.typed.unread, recipe, f"{name}={values}").grid()
    shares = SHARES if options.sizes is None else _shares(options.sizes)
    read = task.opened(options, registry)

    def work(context: RunContext) -> tuple[Sweep, list[ResultWarning], str, bool]:
        data, learner = read(context)
        judging = context.child(1.0, 0, same_seed=True)
        if not over:
            sweep = learning_curve(learner, data, method, judging, recipe=recipe, shares=shares)
        else:
            name, values = next(iter(over.items()))
            sweep = complexity_curve(learner, data, method, judging, name, values, recipe=recipe)
        if context.finishing:
            return sweep, task.idle, data.origin.description, True
        warnings = task.idle + warnings_about_table(data, recipe, context.child(0.0, 2))
        return sweep, warnings, data.origin.description, context.finishing

    sweep, warnings, reading, is_stopped = watched(work, options.seed, options.threads, may_finish=True)
    if options.out:
        write_rows(options.out, sweep.rows(), options.neutral)
    if options.json:
        print_result({**sweep_to_json(sweep), "reading": reading, "warnings": as_json(warnings)})
    else:
        print_result(_text(sweep, method))
        print_warnings(warnings)
    return STOPPED if is_stopped else 0


def sweep_to_json(sweep: Sweep) -> dict[str, Any]:
    """The curve as JSON values; unknown numbers are null."""
    from algorithms.evaluation.curves.learning_curves import sweep_words
    from algorithms.evaluation.report import plain

    return {
        "what": sweep.what,
        "values": [float(place) for place in sweep.places] if sweep.is_number else list(sweep.values),
        "lines": {
            line.name: plain(
                {"error": line.mean.tolist(), "standard_error": line.standard_error.tolist(), "n": line.n.tolist()}
            )
            for line in sweep.lines
        },
        "method": sweep.method.to_json(),
        "seed": sweep.seed,
        "whole": sweep.is_whole,
        "failures": list(sweep.failures),
        "words": sweep_words(sweep),
    }


def _text(sweep: Sweep, wanted: Method) -> str:
    from algorithms.evaluation.curves.learning_curves import sweep_words
    from algorithms.evaluation.report import table

    notes = [] if sweep.is_whole else [f"Note: {sweep.n_done:,} of {sweep.lines[0].errors.size:,} models were tested."]
    if sweep.method != wanted:
        notes.append(f"Note: tested with {sweep.method.described()}; {wanted.described()} makes no curve.")
    notes += [f"Note: {why}" for why in sweep.failures]
    return "\n\n".join([sweep_words(sweep), table(sweep.rows()), *notes])


def _shares(text: str) -> tuple[float, ...]:
    shares = []
    for word in text.split(","):
        number = word.strip().removesuffix("%")
        try:
            shares.append(typed_number(number) / 100)
        except ValueError:
            raise WrongUseError(f"--sizes: {word.strip()!r} is no share; write 10%,30%,100%.") from None
    return tuple(sorted(set(shares)))


MOST_FOLDS: Final = 10_000


def rank_columns(options: argparse.Namespace, registry: Registry) -> None:
    from algorithms.evaluation.report import table
    from algorithms.filters.attribute_ranking import TITLES, ranked, rows_of, to_json
    from algorithms.filters.select_attributes import AttributeSelection

    id, assignments = id_and_assignments(options.filter)
    step = configure(registry.filters.get(id), assignments, registry)
    if not isinstance(step, AttributeSelection):
        able = ", ".join(kind.id for kind in registry.filters if issubclass(kind, AttributeSelection))
        raise WrongUseError(f"{id} does not score attributes. These do: {able}.")
    source = source_of_options(options, registry)

    def work(context: RunContext) -> tuple[AttributeRanking, str]:
        data = with_class(source(context), options.class_name)
        context.say("Ranking columns")
        return ranked(step, data, context, folds=options.folds), data.origin.description

    ranking, reading = watched(work, seed=options.seed, threads=options.threads)
    if options.json:
        print_result({**to_json(ranking), "reading": reading})
        return
    print_result(f"{table([TITLES, *rows_of(ranking)], left=1)}\n\n{ranking.sentence()}")


def add_rank(verbs: Any) -> None:
    rank = verbs.add_parser("rank", help="rank columns by their relevance to the class")
    add_arguments(rank, "data", "--sheet", "--query", "--http", "--widths", "--read", "--sample", "--append")
    add_arguments(rank, "--file-column", "--class")
    rank.add_argument(
        "--filter",
        metavar=METHOD_FORM,
        default="select-attributes",
        help="how to score: select-attributes:by=MEASURE, or wrapper:base=LEARNER (default: select-attributes)",
    )
    folds = partial(whole, least=2, most=MOST_FOLDS)
    rank.add_argument("--folds", metavar="N", type=folds, default=10, help="folds left out in turn (default: 10)")
    add_arguments(rank, "--seed", "--threads", "--json")
    rank.set_defaults(run=rank_columns)


MOST_PAIRS: Final = 20
"""Pairs of columns in the text; the JSON has all."""


def describe_table(options: argparse.Namespace, registry: Registry) -> None:
    """Print the findings as sentences, then tables of columns, missing patterns and pairs; or all as JSON."""
    from algorithms.core.filters import fit_recipe
    from algorithms.evaluation.checks.overview_findings import (
        TableChecks,
        check_table,
        file_rows,
        overview_to_json,
        table_findings,
    )
    from algorithms.evaluation.report import table

    source, recipe = source_of_options(options, registry), recipe_of(options, registry)

    def work(context: RunContext) -> tuple[TableChecks, list[ResultWarning], str, WholeFile | None]:
        data = source(context)
        if options.class_name is not None or data.schema.class_index is not None:
            data = with_class(data, options.class_name)
        check_columns(recipe, data.schema)
        checks = check_table(data, context)
        left_out = fit_recipe(recipe, data, context)[0].left_out(data.schema) if recipe else ()
        found = table_findings(checks, left_out, [step.id for step in recipe])
        return checks, found, data.origin.description, data.origin.whole

    checks, found, reading, whole = watched(work, options.seed, options.threads)
    if options.json:
        of_file = {} if whole is None else {"whole_file": whole.to_json()}
        print_result({**overview_to_json(checks, found), "reading": reading, **of_file})
        return
    sentences = [f"- {line}" for line in sentences_of(found)] or ["Nothing found."]
    parts = ["\n".join(sentences), *_overview_tables(checks.overview)]
    if whole is not None:
        parts[:0] = [f"All {whole.n_records:,} records of {whole.file}:", table(file_rows(whole))]
        parts.insert(2, f"The sample of {whole.n_sampled:,} records:")
    print_result("\n\n".join(parts))


def _overview_tables(overview: TableOverview) -> Iterator[str]:
    from algorithms.evaluation.checks.overview_findings import column_rows, pair_rows, pattern_rows
    from algorithms.evaluation.report import table

    yield table(column_rows(overview))
    if overview.patterns:
        yield table(pattern_rows(overview))
    rows = pair_rows(overview.pairs, MOST_PAIRS)
    if len(rows) > 1:
        n = len(overview.pairs.names)
        more = n * (n - 1) // 2 - MOST_PAIRS
        yield table(rows) + (f"\n{more:,} more pairs are in --json." if more > 0 else "")


def add_overview(verbs: Any) -> None:
    overview = verbs.add_parser("overview", help="what there is to know about a table before learning from it")
    add_arguments(overview, "data", "--sheet", "--query", "--http", "--widths", "--read", "--sample")
    add_arguments(overview, "--append", "--file-column", "--class")
    add_recipe(overview)
    add_arguments(overview, "--seed", "--threads", "--json")
    overview.set_defaults(run=describe_table)
