"""The verb ``rank``: columns by a measure of relevance to the class, with the stability over folds."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from algorithms.cli.arguments import WrongUseError, id_and_assignments, made
from algorithms.cli.output import say
from algorithms.cli.sources import source_of, with_class
from algorithms.cli.watching import watched

if TYPE_CHECKING:
    from algorithms.core.context import RunContext
    from algorithms.core.registry import Registry
    from algorithms.filters.attribute_ranking import AttributeRanking

MOST_FOLDS: Final = 10_000


def rank_columns(options: argparse.Namespace, registry: Registry) -> None:
    from algorithms.filters.attribute_ranking import TITLES, ranked, rows_of, to_json
    from algorithms.filters.select_attributes import AttributeSelection

    id, assignments = id_and_assignments(options.filter)
    step = made(registry.filters.get(id), assignments, registry)
    if not isinstance(step, AttributeSelection):
        able = ", ".join(each.id for each in registry.filters if issubclass(each, AttributeSelection))
        raise WrongUseError(f"{id} does not judge columns. These do: {able}.")
    source = source_of(options.data, registry, options.sheet)

    def work(context: RunContext) -> tuple[AttributeRanking, str]:
        data = with_class(source(context), options.class_name)
        context.say("Ranking columns")
        return ranked(step, data, context, folds=options.folds), data.origin.description

    found, reading = watched(work, seed=options.seed, threads=options.threads)
    if options.json:
        say({**to_json(found), "reading": reading})
        return
    rows = [list(TITLES), *rows_of(found)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(TITLES))]
    lines = []
    for row in rows:
        cells = (
            cell.ljust(width) if at == 1 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append("  ".join(cells).rstrip())
    say("\n".join([*lines, "", found.sentence()]))


def add_rank(verbs: Any, sheet_help: str) -> None:
    """The verb and its options."""
    from algorithms.cli.arguments import threads, whole

    rank = verbs.add_parser("rank", help="rank columns by their relevance to the class")
    rank.add_argument("data", metavar="DATA", help="a file, or sample:NAME[:size=N,seed=N]")
    rank.add_argument("--sheet", metavar="NAME", help=sheet_help)
    rank.add_argument("--class", metavar="COLUMN", dest="class_name", help="the column to predict")
    rank.add_argument(
        "--filter",
        metavar="ID[:NAME=VALUE,...]",
        default="select-attributes",
        help="how to judge: select-attributes:by=MEASURE, or wrapper:base=LEARNER (default: select-attributes)",
    )
    folds = partial(whole, least=2, most=MOST_FOLDS)
    rank.add_argument("--folds", metavar="N", type=folds, default=10, help="folds left out in turn (default: 10)")
    rank.add_argument("--seed", metavar="N", type=whole, default=1, help="the same seed gives the same numbers")
    rank.add_argument("--threads", metavar="N", type=threads, help="default: one a processor core")
    rank.add_argument("--json", action="store_true", help="one JSON object")
    rank.set_defaults(run=rank_columns)
