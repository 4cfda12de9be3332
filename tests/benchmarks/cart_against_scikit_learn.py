"""CART beside scikit-learn's: ``python -m tests.benchmarks.cart_against_scikit_learn [seeds] [set ...]``.

Both are judged by the same stratified ten folds of the published data sets (3 seeds unless given) and pruned by cost
and complexity, the price of a leaf chosen in the same way: ten folds inside the training records, the smallest tree
whose error is within one standard error of the least. What differs: scikit-learn takes numbers only, so lists of values
are given to it as one column of 0 and 1 for each value (a missing value: all 0), ordered values as their rank, missing
numbers as they are (it sends them to the side that gains more); it prunes by Gini, this program by errors.
"""

from __future__ import annotations

import csv
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.executor import thread_pool
from algorithms.core.resampling import fold_numbers
from algorithms.core.schema import Kind
from algorithms.evaluation.methods import CrossValidation
from algorithms.evaluation.runner import evaluate
from algorithms.io.reading import read
from algorithms.trees.cart import Cart

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
FOLDS = 10


def matrix(data: Dataset) -> FloatArray:
    """The predictors as scikit-learn takes them (n, columns)."""
    parts: list[FloatArray] = []
    for index in data.schema.predictors:
        attribute, column = data.schema.attributes[index], data.column(index)
        if attribute.kind is Kind.NOMINAL:
            parts.append((np.asarray(column)[:, None] == np.arange(len(attribute.values))).astype(float))
        else:
            numbers = np.asarray(column, dtype=float)
            parts.append(np.where(data.missing(index), np.nan, numbers)[:, None])
    return np.hstack(parts)


def prices(tree: DecisionTreeClassifier) -> FloatArray:
    """The price at which each node of a grown tree becomes a leaf (m,), by weakest links; infinite for leaves."""
    nodes = tree.tree_
    left, right, m = nodes.children_left, nodes.children_right, nodes.node_count
    parent = np.full(m, -1)
    for children in (left, right):
        parent[children[children >= 0]] = np.flatnonzero(children >= 0)
    cost = nodes.impurity * nodes.weighted_n_node_samples / nodes.weighted_n_node_samples[0]
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


def wrong_at(tree: DecisionTreeClassifier, x: FloatArray, y: IntArray, alphas: FloatArray) -> IntArray:
    """How many tested records the tree gets wrong when it is pruned at each of these prices (a,)."""
    nodes, price = tree.tree_, prices(tree)
    final = np.zeros((nodes.node_count, len(alphas)), dtype=np.int64)
    stopped = np.zeros((nodes.node_count, len(alphas)), dtype=bool)
    stopped[0] = price[0] <= alphas
    for node in range(nodes.node_count):
        for child in (nodes.children_left[node], nodes.children_right[node]):
            if child >= 0:
                final[child] = np.where(stopped[node], final[node], child)
                stopped[child] = stopped[node] | (price[child] <= alphas)
    decision = tree.classes_[nodes.value[:, 0].argmax(axis=1)]
    said = decision[final[tree.apply(x)]]
    return np.asarray((said != y[:, None]).sum(axis=0))


def pruned_like_ours(x: FloatArray, y: IntArray, random: np.random.Generator) -> DecisionTreeClassifier:
    """scikit-learn's tree at the price that ten folds inside speak for, by the rule of one standard error."""
    whole = DecisionTreeClassifier(random_state=0).fit(x, y)
    alphas = np.append(0.0, np.unique(prices(whole)[np.isfinite(prices(whole))]))
    between = np.append(np.sqrt(alphas[:-1] * alphas[1:]), 1e300)
    number = fold_numbers(y, len(y), min(FOLDS, len(y) // 2), random)
    wrong = np.zeros(len(alphas))
    for fold in range(int(number.max()) + 1):
        part = DecisionTreeClassifier(random_state=0).fit(x[number != fold], y[number != fold])
        wrong += wrong_at(part, x[number == fold], y[number == fold], between)
    error = wrong / len(y)
    best = int(np.flatnonzero(error <= error.min() + 1e-12)[-1])
    limit = error[best] + np.sqrt(error[best] * (1 - error[best]) / len(y))
    chosen = int(np.flatnonzero(error <= limit + 1e-12)[-1])
    return DecisionTreeClassifier(random_state=0, ccp_alpha=float(alphas[chosen])).fit(x, y)


@dataclass(frozen=True)
class Compared:
    """Accuracies in percent and leaves, means over folds and seeds."""

    name: str
    ours: float
    theirs: float
    our_leaves: float
    their_leaves: float


def compared(path: Path, seeds: int) -> Compared:
    data = read(path, RunContext())
    x, y = matrix(data), data.class_codes.astype(np.int64)
    ours, theirs, our_leaves, their_leaves = [], [], [], []
    for seed in range(1, seeds + 1):
        with thread_pool() as pool:
            result = evaluate(Cart(), data, CrossValidation(folds=FOLDS), RunContext(seed=seed, executor=pool))
        ours.append(100 * float((result.truth == result.decision).mean()))
        our_leaves.append(Cart().fit(data, RunContext(seed=seed)).facts()["leaves"])
        right = 0
        for split in CrossValidation(folds=FOLDS).splits(data, np.random.default_rng(seed)):
            assert split.test is not None
            tree = pruned_like_ours(x[split.train], y[split.train], np.random.default_rng(seed))
            right += int((tree.predict(x[split.test]) == y[split.test]).sum())
        theirs.append(100 * right / len(y))
        their_leaves.append(pruned_like_ours(x, y, np.random.default_rng(seed)).get_n_leaves())
    return Compared(path.stem, mean(ours), mean(theirs), mean(our_leaves), mean(their_leaves))


def main(seeds: int, names: list[str]) -> int:
    """Print the table; 1 where the mean of CART is more than a point below."""
    with (SHARED / "reference" / "weka-cv.csv").open(newline="") as file:
        known = [row["dataset"] for row in csv.DictReader(file)]
    print("data set         ours   scikit-learn    diff   leaves ours / scikit-learn")
    found = []
    for name in names or known:
        c = compared(SHARED / "datasets" / f"{name}.arff", seeds)
        found.append(c)
        print(
            f"{c.name:14s} {c.ours:6.2f}         {c.theirs:6.2f}  {c.ours - c.theirs:+6.2f}   "
            f"{c.our_leaves:6.1f} / {c.their_leaves:6.1f}",
            flush=True,
        )
    difference = mean(c.ours - c.theirs for c in found)
    print(f"mean {mean(c.ours for c in found):.2f} and {mean(c.theirs for c in found):.2f}: {difference:+.2f} points")
    return 0 if difference >= -1 else 1


if __name__ == "__main__":
    given = sys.argv[1:]
    n_seeds = int(given.pop(0)) if given and given[0].isdigit() else 3
    sys.exit(main(n_seeds, given))
