"""CART beside scikit-learn's: ``python -m tests.benchmarks.cart_against_scikit_learn [--seeds N] [set ...]``.

Both grow on the same records of the same stratified ten folds of the published data sets, and are pruned by cost and
complexity at the same price of a leaf: the one that CART chose in that fold (ten folds inside its training records,
the smallest tree within one standard error of the least error). A price is counted in wrong training records here, so
the sequence of scikit-learn's tree is taken by those too, with its own nodes and counts.

scikit-learn takes numbers only. A list of values is given to it as one column of 0 and 1 for each value (a missing
value: all 0), ordered values as their rank, missing numbers as they are: it sends them to the side that gains more.
CART runs twice: as it is, with questions of groups of values and surrogates for missing ones; and on those same columns
without surrogates, which is the comparison of like with like. What the first gains over the second is what its
questions are worth on that set.
"""

from __future__ import annotations

import argparse
import csv
import sys
from dataclasses import dataclass
from functools import partial
from math import sqrt
from pathlib import Path
from statistics import mean, stdev

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.run_control import RunContext, thread_pool
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema, numeric
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.io.reading import read
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.growth.engine import grow
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.pruning.cost_complexity import chosen_by_cross_validation
from algorithms.structures.tree import Tree

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
FOLDS = 10
TESTED = 3000
"""Small sets are judged with so many seeds that about as many records are tested."""

BELOW = 1.0
"""So many points may CART be below scikit-learn on a set."""


def matrix(data: Dataset) -> FloatArray:
    """The predictors as scikit-learn takes them (n, columns)."""
    parts: list[FloatArray] = []
    for index in data.schema.predictors:
        attribute, column = data.schema.attributes[index], data.column(index)
        if attribute.kind is AttributeKind.NOMINAL:
            parts.append((np.asarray(column)[:, None] == np.arange(len(attribute.values))).astype(float))
        else:
            numbers = np.asarray(column, dtype=float)
            parts.append(np.where(data.missing(index), np.nan, numbers)[:, None])
    return np.hstack(parts)


def as_numbers(data: Dataset) -> Dataset:
    """The same records with the columns of :func:`matrix` as attributes."""
    x = matrix(data)
    attributes = (*(numeric(f"x{column}") for column in range(x.shape[1])), data.schema.class_attribute)
    return Dataset(Schema(attributes, x.shape[1]), [*x.T, data.class_codes])


def pruned(data: Dataset, learner: Cart, context: RunContext) -> tuple[Tree, float]:
    """CART's tree and a price at which it is the best of its sequence: the middle of those, infinite for the root."""
    growth = learner.growth()
    tree = grow(data, growth, context.child(0.1, 0)).tree

    def grown(part: Dataset, within: RunContext) -> Tree:
        return grow(part, growth, within).tree

    choice = chosen_by_cross_validation(tree, data, grown, context.child(0.9, 1))
    assert choice is not None
    alphas, at = choice.sequence.alphas, choice.chosen
    return choice.tree, float(np.sqrt(alphas[at] * alphas[at + 1])) if at + 1 < len(alphas) else float("inf")


def prices(tree: DecisionTreeClassifier) -> FloatArray:
    """The price, in shares of wrong training records, at which each node of scikit-learn's tree becomes a leaf (m,), by
    weakest links; infinite for leaves and for what goes with a node above it."""
    nodes = tree.tree_
    left, right, m = nodes.children_left, nodes.children_right, nodes.node_count
    parent = np.full(m, -1)
    for children in (left, right):
        parent[children[children >= 0]] = np.flatnonzero(children >= 0)
    weight = nodes.weighted_n_node_samples
    cost = (1 - nodes.value[:, 0].max(axis=1) / nodes.value[:, 0].sum(axis=1)) * weight / weight[0]
    below, leaves, end = np.where(left < 0, cost, 0.0), np.where(left < 0, 1, 0), np.arange(m) + 1
    for node in range(m - 1, 0, -1):
        below[parent[node]] += below[node]
        leaves[parent[node]] += leaves[node]
        end[parent[node]] = max(end[parent[node]], end[node])
    price, last, inner = np.full(m, np.inf), 0.0, left >= 0
    while inner[0]:
        g = np.where(inner, (cost - below) / np.maximum(leaves - 1, 1), np.inf)
        node = int(np.argmin(g))
        last = max(last, float(g[node]))
        price[node] = last
        gained, lost = cost[node] - below[node], leaves[node] - 1
        inner[node : end[node]] = False
        while node >= 0:
            below[node] += gained
            leaves[node] -= lost
            node = int(parent[node])
    return price


def said_at(tree: DecisionTreeClassifier, x: FloatArray, alpha: float) -> tuple[IntArray, int]:
    """What scikit-learn's tree says of each record when it is pruned at this price (n,), and its leaves."""
    nodes, price = tree.tree_, prices(tree)
    final, stopped = np.zeros(nodes.node_count, dtype=np.int64), np.zeros(nodes.node_count, dtype=bool)
    stopped[0] = price[0] <= alpha * (1 + 1e-12) + 1e-12
    for node in range(nodes.node_count):
        for child in (nodes.children_left[node], nodes.children_right[node]):
            if child >= 0:
                final[child] = final[node] if stopped[node] else child
                stopped[child] = stopped[node] or price[child] <= alpha * (1 + 1e-12) + 1e-12
    leaves = np.unique(final[nodes.children_left < 0])
    return tree.classes_[nodes.value[:, 0].argmax(axis=1)][final[tree.apply(x)]], len(leaves)


@dataclass(frozen=True)
class Judged:
    """Of one seed, over the ten folds: accuracies in percent and mean leaves, of CART as it is, of CART on the columns
    of numbers, and of scikit-learn at the price of each of these."""

    accuracy: tuple[float, float, float, float]
    leaves: tuple[float, float, float, float]


def judged(data: Dataset, numbers: Dataset, seed: int) -> Judged:
    x, y = matrix(data), data.class_codes.astype(np.int64)
    right, leaves, context = np.zeros(4), np.zeros(4), RunContext(seed=seed)
    for fold, split in enumerate(CrossValidation(folds=FOLDS).splits(data, np.random.default_rng(seed))):
        assert split.test is not None
        theirs = DecisionTreeClassifier(random_state=seed).fit(x[split.train], y[split.train])
        for at, (table, learner) in enumerate(((data, Cart()), (numbers, Cart(surrogates=0)))):
            tree, alpha = pruned(table.take(split.train), learner, context.child(0.05, 2 * fold + at))
            said = TreeModel(tree).predict(table.take(split.test))
            other, n_leaves = said_at(theirs, x[split.test], alpha)
            right[at] += np.count_nonzero(said == y[split.test])
            right[2 + at] += np.count_nonzero(other == y[split.test])
            leaves[at] += tree.n_leaves / FOLDS
            leaves[2 + at] += n_leaves / FOLDS
    a, b, c, d = (100 * right / len(y)).tolist()
    e, f, g, h = leaves.tolist()
    return Judged((a, b, c, d), (e, f, g, h))


@dataclass(frozen=True)
class Compared:
    """One data set, with the means over the seeds."""

    name: str
    kinds: str
    by_seed: list[Judged]

    def mean_of(self, at: int) -> float:
        return mean(found.accuracy[at] for found in self.by_seed)

    def leaves_of(self, at: int) -> float:
        return mean(found.leaves[at] for found in self.by_seed)

    def difference(self, ours: int) -> tuple[float, float]:
        """Mean difference to scikit-learn at the same price, and its standard error over the seeds."""
        found = [each.accuracy[ours] - each.accuracy[2 + ours] for each in self.by_seed]
        return mean(found), stdev(found) / sqrt(len(found)) if len(found) > 1 else 0.0

    def line(self) -> str:
        own, own_error = self.difference(0)
        like, like_error = self.difference(1)
        return (
            f"{self.name:14s} {self.kinds:8s} {len(self.by_seed):3d}  {self.mean_of(0):6.2f} {self.mean_of(2):6.2f}"
            f" {own:+6.2f} ±{own_error:4.2f} {self.leaves_of(0):6.1f} {self.leaves_of(2):6.1f}   "
            f"{self.mean_of(1):6.2f} {self.mean_of(3):6.2f} {like:+6.2f} ±{like_error:4.2f}"
            f" {self.leaves_of(1):6.1f} {self.leaves_of(3):6.1f}"
        )


def kinds_of(data: Dataset) -> str:
    """n: numbers, v: lists of values, ?: values are missing."""
    attributes = [data.schema.attributes[index] for index in data.schema.predictors]
    listed = any(a.kind is AttributeKind.NOMINAL for a in attributes)
    missing = any(data.missing(index).any() for index in data.schema.predictors)
    numbers = any(a.kind is not AttributeKind.NOMINAL for a in attributes)
    return ("n" if numbers else "") + ("v" if listed else "") + ("?" if missing else "")


def compared(path: Path, seeds: int | None) -> Compared:
    data = read(path, RunContext())
    numbers = as_numbers(data)
    n = seeds or min(60, max(3, -(-TESTED // len(data))))
    with thread_pool() as pool:
        found = list(pool.map(partial(judged, data, numbers), range(1, n + 1)))
    return Compared(path.stem, kinds_of(data), found)


def main() -> int:
    """Print the table; 1 where CART is clearly more than a point below on a set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--seeds", type=int, help=f"unless given, as many as test {TESTED:,} records, 3 at least")
    chosen = parser.parse_args()
    with (SHARED / "reference" / "weka-cv.csv").open(newline="") as file:
        known = [row["dataset"] for row in csv.DictReader(file)]
    ensure_compiled(Cart.kernels, RunContext())
    print(
        "                                CART as it is beside scikit-learn         CART on columns of numbers beside it"
    )
    print(
        "data set       kinds  seeds   ours  theirs   difference    leaves         ours  theirs   difference    leaves"
    )
    found = []
    for name in chosen.sets or known:
        found.append(compared(SHARED / "datasets" / f"{name}.arff", chosen.seeds))
        print(found[-1].line(), flush=True)
    for at, words in enumerate(("as it is", "on columns of numbers")):
        ours, theirs = mean(c.mean_of(at) for c in found), mean(c.mean_of(2 + at) for c in found)
        worst = min(found, key=lambda c: c.difference(at)[0])
        print(
            f"{words}: mean {ours:.2f} and {theirs:.2f}, {ours - theirs:+.2f} points; the worst set is {worst.name},"
            f" {worst.difference(at)[0]:+.2f}"
        )
    below = [c.name for c in found for d, error in (c.difference(0),) if d + 2 * error < -BELOW]
    print(f"more than a point below, beyond two standard errors: {', '.join(below) or 'none'}")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
