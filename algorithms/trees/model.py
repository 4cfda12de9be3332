"""The model that a tree learner induces."""

from __future__ import annotations

import weakref
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.core.align import aligned
from algorithms.core.columns import FloatArray
from algorithms.core.data import Dataset
from algorithms.core.errors import ModelFileError
from algorithms.core.learner import Codes, Explanation, Model, Probabilities, State
from algorithms.core.schema import Schema
from algorithms.core.structures import Int32Array, Tree
from algorithms.trees.arrivals import Arrivals, soft_arrivals
from algorithms.trees.compact import LARGE, CompactTree
from algorithms.trees.node_records import surrogate_branches
from algorithms.trees.routing import (
    leaf_probabilities,
    of_missing_only,
    routing,
    steps,
    used_attributes,
    value_block,
    value_blocks,
)
from algorithms.trees.soft import soft_shares
from algorithms.trees.validation import checked_tree
from algorithms.trees.words import step_words, subject_words

if TYPE_CHECKING:
    from algorithms.trees.prediction_kernels import Routing

DIVIDED: Final = -1


class TreeModel(Model):
    """A decision tree that classifies.

    A record goes down to a leaf, whose relative class frequencies are its probabilities. A value that is missing, or
    that no training record in the node had, follows the node's ``missing_to``: one branch, or all of them in
    proportion to their training weight, the leaves' probabilities mixed accordingly (Quinlan, C4.5, chapter 3). So are
    those of a record whose number is near a soft threshold (chapter 8).
    """

    id: ClassVar[str] = "tree"

    def __init__(self, tree: Tree, *, partial: bool = False) -> None:
        super().__init__(tree.schema, partial=partial)
        self._kept: Tree | CompactTree = tree
        self._whole: weakref.ref[Tree] | None = None

    def compact(self) -> TreeModel:
        """The same model of a large tree, kept small and made whole while it is looked at; itself where it is that."""
        if isinstance(self._kept, CompactTree) or self._kept.n_nodes < LARGE:
            return self
        found = TreeModel(self._kept, partial=self.partial)
        found._kept = CompactTree(self._kept)
        return found

    @property
    def tree(self) -> Tree:
        if isinstance(self._kept, Tree):
            return self._kept
        tree = self._whole() if self._whole is not None else None
        if tree is None:
            tree = self._kept.whole()
            self._whole = weakref.ref(tree)
        return tree

    def __repr__(self) -> str:
        return f"TreeModel({self.tree.n_nodes} nodes)"

    # ---- classifying -----------------------------------------------------------------------------------------------

    @cached_property
    def probabilities(self) -> FloatArray:
        """Relative class frequencies of every node (m, k)."""
        return leaf_probabilities(self.tree)

    @cached_property
    def attributes(self) -> NDArray[np.int64]:
        """Positions of the attributes that the tree looks at, ascending (a,)."""
        return used_attributes(self.tree)

    @cached_property
    def _routing(self) -> Routing:
        return routing(self.tree, shared=True)

    @cached_property
    def _way_down(self) -> tuple[NDArray[np.void], Routing]:
        ways = routing(self.tree, shared=True)
        return steps(ways), of_missing_only(ways)

    def leaves_of(self, data: Dataset) -> Int32Array:
        """The leaf that each record reaches (n,); -1 where a missing value, or a soft threshold, divides it among
        several."""
        if self._kept.has_soft_thresholds:
            return soft_arrivals(self.tree, data).leaf
        data = aligned(self.schema, data)
        leaves = np.empty(len(data), dtype=np.int32)
        for rows, block in value_blocks(data, self.attributes):
            leaves[rows] = self.leaves_in(block)
        return leaves

    def leaves_in(self, block: FloatArray) -> Int32Array:
        """As :meth:`leaves_of`, of records given by the values (n, a) of :attr:`attributes`: numbers, or codes of
        values, NaN where missing. Thresholds are taken as sharp."""
        from algorithms.trees.prediction_kernels import find_leaves

        leaves = np.empty(len(block), dtype=np.int32)
        find_leaves(block, *self._way_down, leaves)
        return leaves

    def _of_nodes(self, name: str, nodes: Int32Array) -> NDArray[Any]:
        """What an array of the tree has for these nodes."""
        kept = self._kept
        return kept.of_nodes(name, nodes) if isinstance(kept, CompactTree) else np.asarray(getattr(kept, name)[nodes])

    def shares_in(self, leaves: Int32Array) -> Probabilities:
        """:attr:`probabilities` of these leaves (n, k), without keeping those of all nodes where that is possible."""
        counts = self._of_nodes("counts", leaves)
        total = counts.sum(axis=1, keepdims=True)
        return np.asarray(counts / total if np.all(total > 0) else self.probabilities[leaves])

    def _predict_proba(self, data: Dataset) -> Probabilities:
        if self._kept.has_soft_thresholds:
            return self._mixed(soft_arrivals(self.tree, data))
        return self._probabilities_at(data, self.leaves_of(data))

    def _mixed(self, found: Arrivals) -> Probabilities:
        """Probabilities (n, k) of records that have arrived, whole or divided."""
        out: Probabilities = self.probabilities[found.leaf]
        out[found.leaf == DIVIDED] = 0.0
        np.add.at(out, found.part_row, found.part_share[:, None] * self.probabilities[found.part_leaf])
        return np.asarray(out / out.sum(axis=1, keepdims=True))

    def _predict(self, data: Dataset) -> Codes:
        if self._kept.has_soft_thresholds:
            found = soft_arrivals(self.tree, data)
            return np.where(
                found.leaf == DIVIDED, np.argmax(self._mixed(found), axis=1), self.tree.decision[found.leaf]
            ).astype(np.int32)
        leaves = self.leaves_of(data)
        decisions = self._of_nodes("decision", leaves).astype(np.int32)
        divided = np.flatnonzero(leaves == DIVIDED)
        if len(divided):
            part = data.take(divided)
            mixed = self._probabilities_at(part, np.full(len(divided), DIVIDED, dtype=np.int32))
            decisions[divided] = np.argmax(mixed, axis=1)
        return decisions

    def _probabilities_at(self, data: Dataset, leaves: Int32Array) -> Probabilities:
        """Probabilities (n, k) of records whose leaves, or division, are known."""
        from algorithms.trees.prediction_kernels import mix_leaves

        out: Probabilities = self.shares_in(leaves)
        divided = np.flatnonzero(leaves == DIVIDED)
        if len(divided):
            out[divided] = 0.0
            part = data.take(divided)
            for rows, block in value_blocks(part, self.attributes):
                mixed = np.zeros((len(block), out.shape[1]))
                mix_leaves(block, np.arange(len(block)), self._routing, self.probabilities, mixed)
                out[divided[rows]] = mixed / mixed.sum(axis=1, keepdims=True)
        return out

    # ---- looking inside --------------------------------------------------------------------------------------------

    def structure(self) -> Tree:
        return self.tree

    def facts(self) -> dict[str, int | float]:
        tree = self.tree
        return {"leaves": tree.n_leaves, "nodes": tree.n_nodes, "depth": tree.depth}

    def explain(self, data: Dataset, row: int) -> Explanation:
        """The conditions the record met on its way, in order, and the nodes it passed.

        Where a missing value, or a soft threshold, divides it, the way goes on down the branch with the largest share.
        """
        record = aligned(self.schema, data).take([row])
        steps, nodes = self._way(record)
        probabilities = self._predict_proba(record)[0]
        return Explanation(
            int(self._predict(record)[0]), tuple(float(p) for p in probabilities), tuple(steps), tuple(nodes)
        )

    def _way(self, record: Dataset) -> tuple[list[str], list[int]]:
        from algorithms.trees.prediction_kernels import stand_in, way

        tree, values = self.tree, value_block(record, self.attributes, slice(0, 1))
        node, nodes, steps = 0, [0], list[str]()
        while not tree.is_leaf(node):
            down = int(way(values, 0, node, self._routing))
            left = soft_shares(tree, node, record, np.zeros(1, dtype=np.int64))
            if left is not None and 0 < left[0] < 1:
                child = int(tree.first_child[node]) + int(left[0] < 0.5)
                steps.append(
                    f"{step_words(tree, child)}, near the threshold: {max(left[0], 1 - left[0]):.0%} goes here"
                )
            elif down < 0:
                instead = int(stand_in(values, 0, node, self._routing))
                child, why = self._way_of_missing(node, values[0], instead)
                steps.append(why)
            else:
                child = int(tree.first_child[node]) + down
                steps.append(step_words(tree, child))
            node = child
            nodes.append(node)
        return steps, nodes

    def _way_of_missing(self, node: int, values: FloatArray, down: int) -> tuple[int, str]:
        """The child shown for a record without an answer, which goes down branch ``down`` (-1: all), and why."""
        tree, first = self.tree, int(self.tree.first_child[node])
        name = subject_words(tree, node)
        is_missing = bool(np.isnan(values[self._routing.slot[node]]))
        what = f"{name} is missing" if is_missing else f"{name} has a value that training never saw here"
        if down >= 0:
            child = first + down
            if tree.is_for_missing(node, down) or tree.missing_is_value:
                return child, what
            name = self._asked_instead(node, values)
            judged = f", judged by {name}" if name else ""
            return child, f"{what}: as if {step_words(tree, child)}{judged}"
        share = self._routing.share[first : first + int(tree.n_children[node])]
        child = first + int(np.argmax(share))
        return child, f"{what}: every branch counts by its share, {step_words(tree, child)} most ({share.max():.0%})"

    def _asked_instead(self, node: int, values: FloatArray) -> str:
        """The attribute of the first surrogate that can tell, empty where none can: a value may be one that no training
        record in the node had."""
        tree = self.tree
        for s in tree.surrogates(node):
            value = values[self._routing.surrogate_slot[s]]
            at = -1 if np.isnan(value) and tree.surrogate_offset[s] >= 0 else value
            if surrogate_branches(tree, s, np.array([at]))[0] >= 0:
                return tree.schema.attributes[int(tree.surrogate_attribute[s])].name
        return ""

    # ---- on disk ---------------------------------------------------------------------------------------------------

    def to_state(self) -> State:
        tree = self.tree
        values: dict[str, Any] = {"criterion": tree.criterion, "partial": self.partial}
        values["missing_is_value"] = tree.missing_is_value
        return State(values, tree.arrays())

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        criterion, partial = state.values.get("criterion"), state.values.get("partial")
        grouped = state.values.get("missing_is_value", False)
        if not isinstance(criterion, str) or not isinstance(partial, bool) or not isinstance(grouped, bool):
            raise ModelFileError("The saved tree lacks its description.", remedy="Save the model again.")
        return cls(checked_tree(schema, state.arrays, criterion, missing_is_value=grouped), partial=partial)
