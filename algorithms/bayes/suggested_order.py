"""An order of the attributes, causes before effects, as far as records can tell it."""

from __future__ import annotations

from typing import Final

from algorithms.bayes.arcs import Wishes, written_names
from algorithms.bayes.compelled import causes_first, compelled
from algorithms.bayes.family_scores import FamilyScores
from algorithms.bayes.network_records import StateRecords
from algorithms.bayes.structure_search import Limits, Tabu, tabu_searched
from algorithms.core.context import RunContext
from algorithms.core.learner import Suggestion
from algorithms.core.schema import Schema

MOST_PARENTS: Final = 3
PATIENCE: Final = 20
MOST_NAMED: Final = 4


def suggested_order(records: StateRecords, schema: Schema, context: RunContext) -> Suggestion:
    """The order, and how it was found.

    Tabu search under BIC finds a network without any wish: its detours turn arrows that came first the wrong way.
    Where two of its arrows meet from attributes that are not joined, records can tell cause from effect, and what
    follows from these is kept; records alone can tell no other direction, so that all else stands in the order of the
    columns.
    """
    n = len(records.nodes)
    names = [schema.attributes[index].name for index in records.nodes.attribute]
    limits = Limits(MOST_PARENTS, Wishes())
    begun: list[set[int]] = [set() for _ in range(n)]
    parents = tabu_searched(FamilyScores(records, "bic"), limits, begun, Tabu(max(2, n // 3), PATIENCE), context)
    arcs = sorted(compelled(parents))
    order = [names[node] for node in causes_first(n, arcs)]
    return Suggestion(written_names(order), _words([(names[a], names[b]) for a, b in arcs], sum(map(len, parents))))


def _words(arcs: list[tuple[str, str]], joined: int) -> str:
    move = "Move attributes where you know better what causes what."
    if not joined:
        return f"The records join no two attributes, so the columns stand as they do in the table. {move}"
    how = f"A network was found in the records, with {joined} arrow{'' if joined == 1 else 's'}"
    if not arcs:
        return (
            f"{how}. None of them has a direction that records can tell, since no two meet, so the columns stand as "
            f"they do in the table. {move}"
        )
    named = "; ".join(f"{cause} before {effect}" for cause, effect in arcs[:MOST_NAMED])
    more = f" and {len(arcs) - MOST_NAMED} more" if len(arcs) > MOST_NAMED else ""
    return (
        f"{how}. The records tell the direction of {len(arcs)}, since arrows that meet leave their mark: "
        f"{named}{more}. All else stands in the order of the columns. {move}"
    )
