"""Networks whose shape follows from the class or from an order: naive, TAN, and Algorithm 5.3 of the book."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from algorithms.bayes.family_scores import conditional_information
from algorithms.bayes.network_records import MOST_CELLS, StateRecords
from algorithms.bayes.structure_search import Limits
from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext


def naive(n: int, class_node: int) -> list[set[int]]:
    """Every attribute hangs on the class alone."""
    return [set() if node == class_node else {class_node} for node in range(n)]


def tree_augmented(records: StateRecords, context: RunContext) -> list[set[int]]:
    """Every attribute hangs on the class and on at most one other: the tree of most mutual information given the class.

    Source: Chow and Liu (1968); Friedman, Geiger and Goldszmidt, Bayesian network classifiers (1997).
    """
    class_node = records.nodes.class_node
    parents = naive(len(records.nodes), class_node)
    nodes = [node for node in range(len(parents)) if node != class_node]
    if len(nodes) < 2:
        return parents
    information = _pairwise(records, nodes, context)
    if context.finishing:
        return parents
    for parent, child in _largest_tree(information):
        parents[nodes[child]].add(nodes[parent])
    return parents


def _pairwise(records: StateRecords, nodes: Sequence[int], context: RunContext) -> FloatArray:
    """The mutual information of each two nodes given the class; zero where their table would be too large."""
    found = np.zeros((len(nodes), len(nodes)))
    total = len(nodes) * (len(nodes) - 1) // 2
    done = 0
    context.advance(0, max(1, total))
    for one in range(len(nodes)):
        for other in range(one):
            context.checkpoint()
            if context.finishing:
                return found
            family = (records.nodes.class_node, nodes[one], nodes[other])
            if records.nodes.cells(family) <= MOST_CELLS:
                found[one, other] = found[other, one] = conditional_information(records.counts(family))
        done += one
        context.advance(done)
    return found


def _largest_tree(information: FloatArray) -> list[tuple[int, int]]:
    """The arcs of the tree that joins the most information, away from the first node; nothing joins what shares
    none."""
    n = len(information)
    inside = np.zeros(n, dtype=np.bool_)
    inside[0] = True
    best, source = information[0].copy(), np.zeros(n, dtype=np.int64)
    arcs = []
    for _ in range(n - 1):
        node = int(np.argmax(np.where(inside, -1.0, best)))
        if best[node] > 1e-12:
            arcs.append((int(source[node]), node))
        inside[node] = True
        nearer = information[node] > best
        best[nearer], source[nearer] = information[node][nearer], node
    return arcs


def by_order(
    records: StateRecords, order: Sequence[int], limits: Limits, significance: float, context: RunContext
) -> list[set[int]]:
    """The parents of each node are those before it in the order on which it depends when the others are known.

    Of the nodes before it the one on which it depends most clearly is taken, given those taken so far, until none is
    significant; then those are left out again on which it does not depend given the rest. Dependence is decided by
    the likelihood ratio test (G squared).

    Source: TSKK, Algorithm 5.3; Margaritis and Thrun, grow and shrink (1999).
    """
    found: list[set[int]] = [set() for _ in order]
    for parent, child in limits.wishes.required:
        found[child].add(parent)
    context.advance(0, len(order))
    for at, node in enumerate(order):
        own = found[node]
        while len(own) < limits.max_parents and not context.finishing:
            context.checkpoint()
            free = [each for each in order[:at] if each not in own and limits.allows(each, node)]
            chances = [_chance(records, node, each, own) for each in free]
            if not chances or min(chances)[0] >= significance:
                break
            own.add(free[chances.index(min(chances))])
        for each in sorted(own):
            if (each, node) not in limits.wishes.required and _chance(records, node, each, own - {each})[
                0
            ] >= significance:
                own.remove(each)
        context.advance(at + 1)
    return found


def _chance(records: StateRecords, node: int, other: int, given: set[int]) -> tuple[float, float]:
    """How probable so strong a dependence of two nodes given others is by chance; and the statistic, turned round,
    which tells apart what is equally improbable."""
    from scipy.special import chdtrc  # late: a list of learners needs none of it

    family = (*sorted(given), node, other)
    if records.nodes.cells(family) > MOST_CELLS:
        return 1.0, 0.0
    counts = records.counts(family)
    table = counts.reshape(-1, *counts.shape[-2:])
    statistic = 2 * float(table.sum()) * conditional_information(table)
    rows, columns = (np.count_nonzero(table.sum(axis=axis) > 0, axis=1) for axis in (2, 1))
    freedom = int(np.sum(np.maximum(rows - 1, 0) * np.maximum(columns - 1, 0)))
    return (float(chdtrc(freedom, statistic)), -statistic) if freedom > 0 else (1.0, 0.0)
