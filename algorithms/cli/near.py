"""The verb ``near``: which records a committee of trees finds near to one, or which lie far out in their class."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from algorithms.cli.output import say
from algorithms.cli.sources import source_of
from algorithms.cli.watching import watched
from algorithms.cli.words import positive

if TYPE_CHECKING:
    from algorithms.core.context import RunContext
    from algorithms.core.registry import Registry


def add_near(verbs: Any, sheet_help: str) -> None:
    """The verb's arguments."""
    near = verbs.add_parser("near", help="which records a saved forest finds near to one, or far out in their class")
    near.add_argument("model", metavar="MODEL")
    near.add_argument("data", metavar="DATA", help="a file, or sample:NAME")
    near.add_argument("--record", type=positive, metavar="N", help="near to this one, from 1; without it, far out")
    near.add_argument("--count", type=positive, default=10, metavar="N", help="so many records at most (10)")
    near.add_argument("--sheet", metavar="NAME", help=sheet_help)
    near.add_argument("--json", action="store_true", help="one JSON object")
    near.set_defaults(run=tell_near)


def tell_near(options: argparse.Namespace, registry: Registry) -> None:
    import numpy as np

    from algorithms.core.align import aligned
    from algorithms.core.errors import DataError
    from algorithms.ensembles.proximity import Proximity
    from algorithms.persistence.models import load_model

    trained = load_model(options.model, registry)
    source = source_of(options.data, registry, options.sheet)

    def work(context: RunContext) -> list[dict[str, Any]]:
        context.say("Sending the records down the trees")
        data = aligned(trained.model.schema, trained.prepared(source(context)))
        found = Proximity.among(trained.model, data, context)
        if options.record is None:
            measure = found.outlyingness(data.class_codes, context)
            order = np.argsort(-np.nan_to_num(measure, nan=-1.0), kind="stable")[: options.count]
            rows, name = order[np.nan_to_num(measure[order]) > 0], "outlyingness"
        elif options.record > len(data):
            raise DataError(f"There is no record {options.record}.", remedy=f"The last one is {len(data)}.")
        else:
            measure = found.to(options.record - 1)
            rows, name = found.nearest(options.record - 1, options.count), "proximity"
        said = [trained.model.classes[code] if code >= 0 else None for code in data.class_codes[rows].tolist()]
        return [
            {"record": row + 1, name: value, "class": label}
            for row, value, label in zip(rows.tolist(), measure[rows].tolist(), said, strict=True)
        ]

    records = watched(work, seed=0, threads=None)
    say({"records": records} if options.json else _as_words(records, options.record))


def _as_words(records: list[dict[str, Any]], near_to: int | None) -> str:
    if not records:
        return "No record shares a leaf with it." if near_to is not None else "No record lies farther out than others."
    if near_to is not None:
        heading = f"Nearest to record {near_to}, by the share of the trees in which they come to one leaf:"
        lines = [f"{r['record']:>8,}  {r['proximity']:.3f}  {r['class'] or '?'}" for r in records]
    else:
        heading = "Farthest out among the records of their class (above 10 a record may well be a mistake):"
        lines = [f"{r['record']:>8,}  {r['outlyingness']:6.1f}  {r['class']}" for r in records]
    return "\n".join([heading, *lines])
