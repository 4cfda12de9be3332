"""A Bayesian network in words and tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import islice, product
from math import prod
from typing import Final

import numpy as np

from algorithms.data.columns import FloatArray
from algorithms.learners.bayes.network_model import state_words
from algorithms.learners.bayes.separation import Path, paths, separated
from algorithms.structures.bayes_network import BayesNetwork
from workbench.style.wording import likeliest

MOST_ROWS: Final = 1000
MOST_COLUMNS: Final = 12
MOST_PATHS: Final = 5
MOST_NAMED: Final = 6


def node_table(network: BayesNetwork, node: int) -> list[list[str]]:
    """The heading, and how probable each state is under each combination of the parents' states.

    Many states stand below each other; of a very large table the beginning is shown, and a last row says so.
    """
    parents, own = network.parents[node], state_words(network, node)
    names = [network.name(parent) for parent in parents]
    states = [state_words(network, parent) for parent in parents]
    table, count = (each.reshape(-1, len(own)) for each in (network.table_of(node), network.count_of(node)))
    if len(own) <= MOST_COLUMNS:
        rows = [[*names, *own, "Records"]]
        for at, combination in enumerate(islice(product(*states), MOST_ROWS)):
            rows.append([*combination, *(f"{share:.1%}" for share in table[at]), f"{count[at].sum():.6g}"])
        left = len(table) - MOST_ROWS
    else:
        rows = [[*names, "Value", "Probability", "Records"]]
        for at, combination in enumerate(islice(product(*states, own), MOST_ROWS)):
            rows.append([*combination, f"{table.flat[at]:.1%}", f"{count.flat[at]:.6g}"])
        left = table.size - MOST_ROWS
    if left > 0:
        rows.append([f"{left:,} more rows", *[""] * (len(rows[0]) - 1)])
    return rows


def cell_of(network: BayesNetwork, node: int, row: int, column: int) -> tuple[tuple[int, ...], int] | None:
    """The states of the parents and the own state of a probability that :func:`node_table` shows at a row (below the
    heading) and a column; None where there is none."""
    shape, before = network.shape(node), len(network.parents[node])
    own = shape[-1]
    if own <= MOST_COLUMNS:
        if not before <= column < before + own or row >= min(MOST_ROWS, prod(shape[:-1])):
            return None
        return tuple(int(state) for state in np.unravel_index(row, shape[:-1])) if before else (), column - before
    if column != before + 1 or row >= min(MOST_ROWS, prod(shape)):
        return None
    states = tuple(int(state) for state in np.unravel_index(row, shape))
    return states[:-1], states[-1]


def has_same_states(one: BayesNetwork, other: BayesNetwork) -> bool:
    """Whether two networks are over the same attributes with the same values and ranges."""
    return (
        one.schema == other.schema
        and np.array_equal(one.attribute, other.attribute)
        and np.array_equal(one.size, other.size)
        and np.array_equal(one.cuts, other.cuts)
    )


def share_rows(
    network: BayesNetwork, shares: Sequence[FloatArray], before: Sequence[FloatArray], known: Mapping[int, int]
) -> list[list[str]]:
    """The heading, and a row for each state of each node: how probable it is now and was before."""
    rows = [["Attribute", "Value", "Now", "Before", "Known", "Hangs on"]]
    for node in network.nodes:
        on = ", ".join(network.name(parent) for parent in network.parents[node])
        for state, words in enumerate(state_words(network, node)):
            figures = [f"{each[node][state]:.4f}" if len(each) else "" for each in (shares, before)]
            rows.append([network.name(node), words, *figures, "yes" if known.get(node) == state else "", on])
    return rows


def class_words(network: BayesNetwork, shares: Sequence[FloatArray], known: Mapping[int, int], record: str) -> str:
    """How probable the classes are, and what to do next where nothing is known."""
    own = shares[network.class_node]
    classes = state_words(network, network.class_node)
    said = likeliest(classes, own.tolist(), MOST_NAMED)
    if not known:
        return f"Nothing is known yet: {said}. Click a value to say that it is known, a name to see its table."
    return f"{record + ': ' if record else 'With what is known: '}{said}."


def independence_words(
    network: BayesNetwork, one: int, other: int, known: Collection[int]
) -> tuple[str, list[str], list[Path]]:
    """Whether two nodes are independent given what is known: the answer, a line for each path, and the paths."""
    a, b = network.name(one), network.name(other)
    if one == other:
        return "Choose two different attributes.", [], []
    if one in known or other in known:
        which = a if one in known else b
        return f"{which} is known already: nothing can tell more about it.", [], []
    given = f" once {_listed([network.name(node) for node in sorted(known)])} is known" if known else ""
    ways = paths(network.parents, one, other, known)
    if separated(network.parents, one, other, known):
        answer = f"Yes, independent: {a} tells nothing about {b}{given}."
    else:
        answer = f"No, not independent: {a} tells something about {b}{given}."
    shown = list(ways.found[:MOST_PATHS])
    lines = [_path_words(network, path) for path in shown]
    if not ways.found:
        lines.append("No path of arrows joins them.")
    elif len(ways.found) > len(shown) or not ways.whole:
        lines.append("There are more paths than are named here.")
    return answer, lines, shown


def _path_words(network: BayesNetwork, path: Path) -> str:
    words = network.name(path.nodes[0])
    for before, after in zip(path.nodes, path.nodes[1:], strict=False):
        words += f" {'→' if (before, after) in path.arcs else '←'} {network.name(after)}"
    if path.is_open:
        return f"Open: {words}"
    node = path.blocked_by[0]
    why = (
        f"arrows meet at {network.name(node)}, of which nothing is known"
        if path.meets_at(node)
        else f"{network.name(node)} is known"
    )
    return f"Blocked: {words} ({why})"


def _listed(names: Sequence[str]) -> str:
    shown = list(names[:3])
    return ", ".join(shown) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
