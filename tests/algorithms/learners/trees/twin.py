"""A slow, obvious tree grower over plain lists, for the compiled one to be compared with."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from algorithms.data.columns import missing_mask
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.learners.trees.growth.growth_options import GrowthOptions
from algorithms.learners.trees.growth.split_criteria import (
    classification_error,
    gain,
    information_gain,
    split_information,
    twoing,
)
from algorithms.structures.tree import SplitTest, Tree

SMALL = 1e-9


def gain_ratio(children: ArrayLike) -> NDArray[np.float64]:
    """Information gain per bit of split information; 0 if all records take one branch."""
    information, gained = split_information(children), information_gain(children)
    return np.asarray(np.divide(gained, information, out=np.zeros_like(gained), where=information > 0))


SPLIT_VALUES: dict[str, Callable[[ArrayLike], NDArray[np.float64]]] = {
    "information-gain": information_gain,
    "gain-ratio": gain_ratio,
    "gini": gain,
    "error": lambda children: gain(children, classification_error),
    "twoing": twoing,
}
"""What each criterion maximizes, from the class counts of the branches."""


def entropy(weights: Any) -> float:
    weights = np.asarray(weights, dtype=float)
    shares = weights[weights > 0] / weights.sum()
    return float(-(shares * np.log2(shares)).sum())


def impurity(criterion: str, counts: Any) -> float:
    counts = np.asarray(counts, dtype=float)
    if counts.sum() == 0:
        return 0.0
    shares = counts / counts.sum()
    if criterion == "gini":
        return float(1 - (shares**2).sum())
    if criterion == "error":
        return float(1 - shares.max())
    return entropy(counts)


@dataclass
class Split:
    attribute: int
    test: SplitTest
    gain: float
    ratio: float
    branch_of: dict[float, int]
    """Branch of each known value in the node."""


@dataclass
class TwinNode:
    counts: Any
    split: Split | None = None
    children: list[TwinNode] = field(default_factory=list)

    @property
    def n_leaves(self) -> int:
        return sum(child.n_leaves for child in self.children) if self.children else 1


class Twin:
    """Grows by trying every split of every attribute at every node."""

    def __init__(self, data: Dataset, options: GrowthOptions, seed: int = 0) -> None:
        """``seed`` is the tree's, of which the attributes drawn at a node follow."""
        self.options, self.seed = options, seed
        self.schema = data.schema
        self.places = data.schema.predictors
        self.columns = {a: data.column(a) for a in self.places}
        self.missing = {a: missing_mask(data.schema.attributes[a], data.column(a)) for a in self.places}
        self.y = data.class_codes
        self.k = len(data.schema.classes)
        self.n = len(data)
        many = [len(data.schema.attributes[a].values) >= 0.3 * data.weight_array.sum() for a in self.places]
        self.averaged = {a: all(many) or not m for a, m in zip(self.places, many, strict=True)}
        rows = [r for r in range(self.n) if data.weight_array[r] > 0]
        self.root = self.grow(rows, [float(data.weight_array[r]) for r in rows], ())

    def counts(self, rows: list[int], weights: list[float]) -> Any:
        return np.bincount(self.y[rows], weights=weights, minlength=self.k) if rows else np.zeros(self.k)

    def grow(self, rows: list[int], weights: list[float], way: tuple[int, ...]) -> TwinNode:
        """The subtree of some records; ``way`` are the branches that lead to it."""
        o, counts = self.options, self.counts(rows, weights)
        node = TwinNode(counts)
        total = counts.sum()
        if total - counts.max() <= SMALL * total or total < 2 * o.min_leaf - SMALL:
            return node
        if o.max_depth is not None and len(way) >= o.max_depth:
            return node
        split = self.best(rows, weights, o.criterion, way)
        if split is not None and o.criterion == "error" and split.gain <= SMALL:
            split = self.best(rows, weights, "gini", way)
            assert split is not None
            split.gain = 0.0
        if split is None:
            return node
        node.split = split
        parts = enumerate(self.divided(rows, weights, split))
        node.children = [self.grow(r, w, (*way, branch)) for branch, (r, w) in parts]
        return node

    def divided(self, rows: list[int], weights: list[float], split: Split) -> list[tuple[list[int], list[float]]]:
        column, missing = self.columns[split.attribute], self.missing[split.attribute]
        n = max(split.branch_of.values()) + 1
        known = [0.0] * n
        for r, w in zip(rows, weights, strict=True):
            if not missing[r]:
                known[split.branch_of[column[r]]] += w
        heaviest = int(np.argmax(known))
        parts: list[tuple[list[int], list[float]]] = [([], []) for _ in range(n)]
        for r, w in zip(rows, weights, strict=True):
            if not missing[r]:
                shares = {split.branch_of[column[r]]: 1.0}
            elif self.options.missing == "majority":
                shares = {heaviest: 1.0}
            else:
                shares = {b: known[b] / sum(known) for b in range(n)}
            for b, share in shares.items():
                parts[b][0].append(r)
                parts[b][1].append(w * share)
        return parts

    def drawn(self, rows: list[int], weights: list[float], criterion: str, way: tuple[int, ...]) -> list[Split]:
        """The best splits by the attributes that a node weighs: the first drawn ones that differ there, in order."""
        found, differing = dict[int, Split](), 0
        for a in drawn_order(self.seed, way, self.places):
            if self.options.weighed is not None and found and differing >= self.options.weighed:
                break
            differing += len({self.columns[a][r] for r in rows if not self.missing[a][r]}) > 1
            split = self.of_attribute(a, rows, weights, criterion)
            if split is not None:
                found[a] = split
        return [found[a] for a in self.places if a in found]

    def best(self, rows: list[int], weights: list[float], criterion: str, way: tuple[int, ...]) -> Split | None:
        o = self.options
        found = self.drawn(rows, weights, criterion, way)
        if o.average_gain_rule:
            gains = [s.gain for s in found if self.averaged[s.attribute]]
            if gains:
                found = [s for s in found if s.gain >= np.mean(gains) - 1e-3]
        best = None
        for s in found:
            if o.criterion == "gain-ratio":
                s.gain = s.ratio
            if best is None or s.gain > best.gain + SMALL:
                best = s
        if best is None or best.gain < o.min_gain - SMALL:
            return None
        if best.gain <= SMALL and not (o.split_without_gain and o.min_gain <= 0):
            return None
        return best

    def of_attribute(self, a: int, rows: list[int], weights: list[float], criterion: str) -> Split | None:
        o, attribute = self.options, self.schema.attributes[a]
        known = [(r, w) for r, w in zip(rows, weights, strict=True) if not self.missing[a][r]]
        values = sorted({self.columns[a][r] for r, _ in known})
        if len(values) < 2:
            return None
        total, total_known = sum(weights), sum(w for _, w in known)
        least, need_all = o.min_leaf, True
        if attribute.kind is AttributeKind.NOMINAL and o.nominal_splits == "multiway":
            ways = [{v: b for b, v in enumerate(values)}]
            test, need_all = SplitTest.MULTIWAY, False
        elif attribute.kind is AttributeKind.NOMINAL:
            ways = list(groupings(values))
            test = SplitTest.SUBSET
        else:
            ways = [{v: int(v > cut) for v in values} for cut in values[:-1]]
            test = SplitTest.NUMERIC if attribute.kind is AttributeKind.NUMERIC else SplitTest.ORDINAL
            if o.numeric_min_split and test is SplitTest.NUMERIC:
                least = max(least, min(25, 0.1 * total_known / self.k))
        best: Split | None = None
        candidates = 0
        for way in ways:
            branches = np.zeros((max(way.values()) + 1, self.k))
            for r, w in known:
                branches[way[self.columns[a][r]], self.y[r]] += w
            enough = branches.sum(axis=1) >= least - SMALL
            if not (enough.all() if need_all else enough.sum() >= 2):
                continue
            candidates += 1
            before = impurity(criterion, branches.sum(axis=0)) * total_known
            after = sum(impurity(criterion, b) * b.sum() for b in branches)
            gain = (before - after) / total
            info = entropy([*branches.sum(axis=1), total - total_known])
            if best is None or gain > best.gain + SMALL:
                best = Split(a, test, gain, info, way)
        if best is not None and o.numeric_correction and test is SplitTest.NUMERIC:
            best.gain -= np.log2(candidates) / total
            if best.gain <= SMALL:
                return None
        if best is not None:
            best.ratio = best.gain / best.ratio if best.ratio > SMALL else 0.0
        return best


def drawn_order(seed: int, way: tuple[int, ...], places: Sequence[int]) -> list[int]:
    """A permutation from the tree's seed and the branches on the path, by SplitMix64 (Steele, Lea and Flood 2014)."""
    word = 1
    for branch in reversed(way):
        word = stirred(word ^ stirred(branch + 2))
    word, order = stirred(word ^ seed), list(places)
    for i in range(len(order)):
        word = stirred(word)
        j = i + word % (len(order) - i)
        order[i], order[j] = order[j], order[i]
    return order


def stirred(word: int) -> int:
    z = (word + 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


def groupings(values: list[Any]) -> Any:
    """All ways to put values in two groups, the first value in group 0, by the number that the others' groups write."""
    for bits in itertools.product((0, 1), repeat=len(values) - 1):
        groups = (0, *reversed(bits))
        if any(groups):
            yield dict(zip(values, groups, strict=True))


def assert_same(tree: Tree, twin: TwinNode, node: int = 0) -> None:
    """The compiled tree has the splits, counts and gains of the twin."""
    np.testing.assert_allclose(tree.counts[node], twin.counts, atol=1e-6)
    if twin.split is None:
        assert tree.test[node] == SplitTest.LEAF, f"node {node} is divided, but should be a leaf: {twin.counts}"
        return
    assert tree.test[node] == twin.split.test, f"node {node}: {tree.counts[node]}"
    assert tree.attribute[node] == twin.split.attribute
    assert abs(tree.gain[node] - twin.split.gain) < 1e-7
    children = tree.children(node)
    assert len(children) == len(twin.children)
    for child, twin_child in zip(children, twin.children, strict=True):
        assert tree.parent[child] == node
        assert child > node
        assert_same(tree, twin_child, child)
