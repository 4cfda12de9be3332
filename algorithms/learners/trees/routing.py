"""The branches and leaves that the records of a data set take in a tree, with the shares of divided records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.structures.tree import NO_NODE, Int32Array, SplitTest, Tree

if TYPE_CHECKING:
    from algorithms.learners.trees.kernels.prediction_kernels import Routing


NO_VALUES: Final = np.zeros(0, dtype=np.int16)
NO_ENDS: Final = np.zeros(0)


def left_share(low: float, threshold: float, high: float, values: FloatArray) -> FloatArray:
    """Share of each value (n,) that goes down the left branch of a threshold that is soft from ``low`` to ``high``.

    The share is 1 up to ``low``, 0.5 at the threshold, 0 from ``high`` on and linear between; NaN for a missing value.
    """
    below, above = threshold - low, high - threshold
    with np.errstate(invalid="ignore", over="ignore"):
        left = 1.0 - 0.5 * (values - low) / below if below > 0 else np.where(values <= threshold, 1.0, 0.5)
        right = 0.5 - 0.5 * (values - threshold) / above if above > 0 else np.zeros(len(values))
        shares = np.clip(np.where(values <= threshold, left, right), 0.0, 1.0)
    return np.where(np.isnan(values), np.nan, shares)


def soft_shares(tree: Tree, node: int, data: Dataset, rows: IntArray) -> FloatArray | None:
    """Left share (n,) of these records at a soft threshold, NaN where missing; None where the threshold is sharp."""
    if not tree.is_soft(node):
        return None
    values = np.asarray(data.column(int(tree.attribute[node]))[rows], dtype=np.float64)
    return left_share(float(tree.soft_from[node]), float(tree.threshold[node]), float(tree.soft_to[node]), values)


def part_down(branch: IntArray, left: FloatArray | None, nth: int, share: float) -> FloatArray:
    """Share of each record (n,) that goes down branch ``nth`` of a node.

    ``branch`` (n,) is the branch by the sharp threshold; -1 sends a record down all branches, ``share`` down this one.
    ``left`` are the :func:`soft_shares`.
    """
    sharp = np.where(branch < 0, share, (branch == nth).astype(np.float64))
    if left is None:
        return sharp
    return np.where(np.isnan(left), sharp, left if nth == 0 else 1.0 - left)


BLOCK: Final = 8192
"""Number of records routed at a time: their values fit the processor's cache."""


def used_attributes(tree: Tree) -> IntArray:
    """Ascending positions (a,) of the attributes that the tree tests, those of surrogates and linear tests included."""
    own = tree.attribute[tree.attribute >= 0]
    return np.unique(np.concatenate((own, tree.surrogate_attribute, tree.term_attribute))).astype(np.int64)


def value_counts(tree: Tree) -> Int32Array:
    """Number of values of the attribute that each node tests (m,); 0 for leaves and numeric tests."""
    return np.where(tree.offset >= 0, _sizes(tree)[tree.attribute], 0).astype(np.int32)


def _sizes(tree: Tree) -> Int32Array:
    return np.array([len(a.values) for a in tree.schema.attributes] or [0], dtype=np.int32)


def branches_of_values(tree: Tree, nodes: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Node, value code and branch or -1 (s,) of every value at these multiway nodes."""
    length = value_counts(tree)[nodes].astype(np.int64)
    owner = np.repeat(nodes, length)
    code = np.arange(len(owner)) - np.repeat(np.cumsum(length) - length, length)
    return owner, code, tree.branch_of[tree.offset[owner] + code].astype(np.int64)


def shares_of_parent(tree: Tree) -> FloatArray:
    """Training weight of each node divided by that of itself and its siblings (m,); equal shares if that is 0."""
    weight = tree.counts.sum(axis=1)
    siblings = np.zeros(tree.n_nodes)
    inner = tree.parent[1:]
    np.add.at(siblings, inner, weight[1:])
    share = np.ones(tree.n_nodes)
    whole = siblings[inner]
    equal = 1.0 / np.maximum(tree.n_children[inner], 1)
    share[1:] = np.where(whole > 0, np.divide(weight[1:], whole, out=np.zeros_like(whole), where=whole > 0), equal)
    return share


def leaf_probabilities(tree: Tree) -> FloatArray:
    """Relative class frequencies of every node (m, k); those of the nearest ancestor with weight if it has none."""
    total = tree.counts.sum(axis=1, keepdims=True)
    k = tree.counts.shape[1]
    probabilities: FloatArray = np.divide(tree.counts, total, out=np.full_like(tree.counts, 1.0 / k), where=total > 0)
    for node in np.flatnonzero(total[:, 0] <= 0).tolist():
        if tree.parent[node] != NO_NODE:
            probabilities[node] = probabilities[tree.parent[node]]
    return probabilities


_ROUTED: Final[Mapping[type[np.generic], tuple[str, ...]]] = {
    np.int8: ("test", "surrogate_swapped"),
    np.int16: ("branch_of", "missing_to"),
    np.int32: ("first_child", "n_children", "offset", "surrogate_offset", "term_start"),
    np.float64: ("threshold", "cuts", "surrogate_threshold", "term_coefficient", "term_stand_in"),
}
"""Arrays of a tree that its :class:`Routing` has too, by their type."""


def routing(tree: Tree, *, shared: bool = False) -> Routing:
    """The tree's arrays as the compiled loops take them, over blocks of :func:`used_attributes`.

    The arrays are copies, because some loops change them. With ``shared`` they are the tree's own, to save memory.
    """
    from algorithms.learners.trees.kernels.prediction_kernels import Routing

    def taken(name: str, kind: type[np.generic]) -> NDArray[Any]:
        array = getattr(tree, name)
        return np.require(array if shared else array.copy(), kind, ("C_CONTIGUOUS", "ALIGNED", "WRITEABLE"))

    used = used_attributes(tree)
    return Routing(
        **{name: taken(name, kind) for kind, names in _ROUTED.items() for name in names},
        slot=np.searchsorted(used, tree.attribute).astype(np.int32),
        n_values=value_counts(tree),
        share=shares_of_parent(tree),
        surrogate_start=np.searchsorted(tree.surrogate_node, np.arange(tree.n_nodes + 1)).astype(np.int32),
        surrogate_slot=np.searchsorted(used, tree.surrogate_attribute).astype(np.int32),
        surrogate_n_values=_sizes(tree)[tree.surrogate_attribute],
        term_slot=np.searchsorted(used, tree.term_attribute).astype(np.int32),
    )


def steps(ways: Routing) -> NDArray[np.void]:
    """One compact row a node (m,) with what most tests need to route a record."""
    from algorithms.learners.trees.kernels.prediction_kernels import BY_VALUE, LEAF, NUMERIC, STEP, STOP

    packed = np.empty(len(ways.test), dtype=STEP)
    packed["threshold"], packed["first_child"] = ways.threshold, ways.first_child
    packed["slot"] = np.where(ways.test == LEAF, STOP, np.where(ways.test == NUMERIC, ways.slot, BY_VALUE))
    return packed


def of_missing_only(ways: Routing) -> Routing:
    """What :func:`~algorithms.learners.trees.kernels.prediction_kernels.find_leaves` needs besides the steps.

    A tree of numeric thresholds alone needs only the branches of missing values; any other needs all arrays.
    """
    if np.any(ways.offset >= 0):
        return ways
    unused = ("test", "slot", "threshold", "first_child", "n_children", "offset", "n_values", "share")
    return ways._replace(**{name: getattr(ways, name)[:0].copy() for name in unused})


def value_block(data: Dataset, attributes: IntArray, rows: slice | NDArray[np.integer]) -> FloatArray:
    """The values of some attributes over some rows (r, a): numbers and codes as float64, NaN where missing."""
    n = len(range(*rows.indices(len(data)))) if isinstance(rows, slice) else len(rows)
    block = np.empty((n, len(attributes)))
    for slot, index in enumerate(attributes.tolist()):
        block[:, slot] = data.passing_cells(index, rows)
        if data.schema.attributes[index].kind.is_coded:
            column = block[:, slot]
            column[column < 0] = np.nan
    return block


def value_blocks(data: Dataset, attributes: IntArray) -> Iterator[tuple[slice, FloatArray]]:
    """All records in blocks of :data:`BLOCK`, each with the rows it covers."""
    for first in range(0, len(data), BLOCK):
        rows = slice(first, min(first + BLOCK, len(data)))
        yield rows, value_block(data, attributes, rows)


class ValueBlocks:
    """The :func:`value_blocks` of some records, kept while trees that test the same attributes ask in turn."""

    def __init__(self, data: Dataset) -> None:
        self.data = data
        self._attributes = np.zeros(0, dtype=np.int64)
        self._blocks: list[tuple[slice, FloatArray]] | None = None

    def of(self, attributes: IntArray) -> list[tuple[slice, FloatArray]]:
        if self._blocks is None or not np.array_equal(attributes, self._attributes):
            self._attributes, self._blocks = attributes, list(value_blocks(self.data, attributes))
        return self._blocks


_LEAF, _NUMERIC = int(SplitTest.LEAF), int(SplitTest.NUMERIC)  # members of an enumeration are slow to read
MOST_JOINED: Final = 1_000_000
"""Largest number of nodes that are kept a second time, side by side: about 50 MB."""


class JoinedTrees:
    """The nodes of many trees over the same columns side by side: one record goes down all trees at once.

    The trees test sharp thresholds and listed values only (:meth:`fits`). ``start`` (t,) is the first node of each.
    ``probabilities`` (m, k) and ``decision`` (m,) are those of the nodes.
    """

    @staticmethod
    def fits(tree: Tree) -> bool:
        """Whether a tree can be joined with others."""
        return not tree.has_soft_thresholds and not np.isin(tree.test, (SplitTest.RANGES, SplitTest.LINEAR)).any()

    def __init__(self, trees: Sequence[Tree]) -> None:
        ends = np.cumsum([tree.n_nodes for tree in trees])
        self.start = np.concatenate(([0], ends[:-1]))
        values_end = np.cumsum([len(tree.branch_of) for tree in trees])
        first_value = np.concatenate(([0], values_end[:-1]))
        self._test = np.concatenate([tree.test for tree in trees])
        attribute = np.concatenate([tree.attribute for tree in trees])
        self._attributes = np.unique(attribute[attribute >= 0]).astype(np.int64)
        self._slot = np.searchsorted(self._attributes, attribute)
        self._threshold = np.concatenate([tree.threshold for tree in trees])
        self._child = np.concatenate([tree.first_child + first for tree, first in zip(trees, self.start, strict=True)])
        self._offset = np.concatenate([tree.offset + first for tree, first in zip(trees, first_value, strict=True)])
        self._n_values = np.concatenate([value_counts(tree) for tree in trees])
        self._branch_of = np.concatenate([*(tree.branch_of for tree in trees), NO_VALUES])
        self.probabilities = np.concatenate([leaf_probabilities(tree) for tree in trees])
        self.decision = np.concatenate([tree.decision for tree in trees])

    def leaves(self, record: Dataset) -> IntArray:
        """The node (t,) where one record ends in each tree; -1 in trees that ask for a missing or an unseen value."""
        values = value_block(record, self._attributes, slice(0, 1))[0]
        leaves = self.start.copy()
        going = np.flatnonzero(self._test[leaves] != _LEAF)
        while len(going):
            node = leaves[going]
            value, test = values[self._slot[node]], self._test[node]
            down = np.where(value == value, value > self._threshold[node], -1)
            others = np.flatnonzero(test != _NUMERIC)
            if len(others):
                down[others] = self._listed(node[others], value[others])
            leaves[going] = np.where(down < 0, -1, self._child[node] + down)
            going = going[down >= 0]
            going = going[self._test[leaves[going]] != _LEAF]
        return leaves

    def _listed(self, node: IntArray, value: FloatArray) -> IntArray:
        """The branches at nodes that list values; -1 for other nodes, missing and unseen values."""
        with np.errstate(invalid="ignore"):
            is_listed = (value >= 0) & (value < self._n_values[node])
        down = np.full(len(node), -1)
        node, code = node[is_listed], value[is_listed].astype(np.int64)
        down[is_listed] = self._branch_of[self._offset[node] + code]
        return down


@dataclass(frozen=True, eq=False)
class NodeRecords:
    """Records at a node: positions in ``whole`` (known class, some weight), weights there, and as data ``here``."""

    whole: Dataset
    here: Dataset
    rows: IntArray
    is_unit: bool

    @property
    def counts(self) -> FloatArray:
        """Weight of each class in the node (k,)."""
        return self.here.class_weights


def records_at(tree: Tree, node: int, data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> NodeRecords:
    """The training records ``data`` that reach a node; missing values divide them."""
    weights, codes = data.weight_array, data.class_codes
    kept = np.flatnonzero((codes >= 0) & (weights > 0))
    whole = data if len(kept) == len(data) else data.take(kept)
    rows, weight = np.arange(len(whole)), whole.weight_array.copy()
    shares = shares_of_parent(tree)
    is_unit = bool(np.all(weight == 1)) and not any(bool(whole.missing(i).any()) for i in whole.schema.predictors)
    for child in tree.path(node)[1:]:
        checkpoint()
        branch = ways_down(tree, int(tree.parent[child]), whole, rows)
        weight = np.where(branch < 0, weight * shares[child], weight)
        goes = ((branch == tree.branch_to(child)) | (branch < 0)) & (weight > 0)
        rows, weight = rows[goes], weight[goes]
    here_data = whole.take(rows).with_weights(None if is_unit else weight)
    return NodeRecords(whole, here_data, rows, is_unit)


def ways_down(tree: Tree, node: int, data: Dataset, rows: IntArray) -> IntArray:
    """The branch of each of these records of ``data`` at a node (n,); -1 if it goes down all branches.

    ``data`` has the tree's schema. Without an answer a record follows the node's surrogates, then ``missing_to``.
    """
    branch = own_branches(tree, node, data, rows)
    for s in tree.surrogates(node):
        open_rows = np.flatnonzero(branch < 0)
        if len(open_rows) == 0:
            break
        branch[open_rows] = surrogate_branches(tree, s, data.column(int(tree.surrogate_attribute[s]))[rows[open_rows]])
    return np.where(branch < 0, int(tree.missing_to[node]), branch)


def own_branches(tree: Tree, node: int, data: Dataset, rows: IntArray) -> IntArray:
    """The branch of each of these records by the node's own test (n,); -1 without an answer."""
    if not tree.is_linear(node):
        return branches(tree, node, data.column(int(tree.attribute[node]))[rows])
    total, is_known = linear_sums(tree, node, data, rows)
    return np.where(is_known & (total == total), np.where(total <= tree.threshold[node], 0, 1), -1)


def linear_sums(tree: Tree, node: int, data: Dataset, rows: IntArray) -> tuple[FloatArray, NDArray[np.bool_]]:
    """The linear combination (n,) of a node, summed as in compiled loops, and whether any value is known (n,)."""
    total, is_known = np.zeros(len(rows)), np.zeros(len(rows), dtype=np.bool_)
    with np.errstate(over="ignore", invalid="ignore"):
        for t in tree.terms(node):
            values = np.asarray(data.column(int(tree.term_attribute[t]))[rows], dtype=np.float64)
            missing = np.isnan(values)
            is_known |= ~missing
            total += tree.term_coefficient[t] * np.where(missing, tree.term_stand_in[t], values)
    return total, is_known


def surrogate_branches(tree: Tree, s: int, column: NDArray[np.generic]) -> IntArray:
    """The branch of each value by surrogate ``s`` (n,); -1 without an answer."""
    offset = int(tree.surrogate_offset[s])
    if offset >= 0:
        n_values = len(tree.schema.attributes[int(tree.surrogate_attribute[s])].values)
        return coded_branches(tree.branch_of[offset : offset + n_values], column)
    numbers = np.asarray(column, dtype=np.float64)
    below = np.where(numbers <= tree.surrogate_threshold[s], 0, 1) ^ int(tree.surrogate_swapped[s])
    return np.where(np.isnan(numbers), -1, below)


@dataclass(frozen=True, eq=False, kw_only=True)
class NodeTest:
    """A node's test in the fields of :class:`Tree`: ``branch_of`` value codes, or upper ``ends`` of ranges."""

    attribute: int
    test: SplitTest
    threshold: float = np.nan
    n_branches: int = 2
    branch_of: NDArray[Any] = field(default_factory=lambda: NO_VALUES)
    ends: FloatArray = field(default_factory=lambda: NO_ENDS)

    def branches(self, column: NDArray[np.generic]) -> IntArray:
        """Branch of each value (n,) of the attribute; -1 if it is missing or unseen in training."""
        if self.test not in (SplitTest.NUMERIC, SplitTest.RANGES):
            return coded_branches(self.branch_of, np.asarray(column))
        numbers = np.asarray(column, dtype=np.float64)
        if self.test == SplitTest.NUMERIC:
            branch = np.where(numbers <= self.threshold, 0, 1)
        else:
            branch = np.searchsorted(self.ends, numbers, side="left")
        return np.where(np.isnan(numbers), -1, branch)


def node_test(tree: Tree, node: int) -> NodeTest:
    """The test of an inner node of a tree; that of a linear test lacks its terms."""
    test, offset = SplitTest(int(tree.test[node])), int(tree.offset[node])
    n_values = len(tree.schema.attributes[int(tree.attribute[node])].values)
    is_of_numbers = test in (SplitTest.NUMERIC, SplitTest.RANGES, SplitTest.LINEAR)
    return NodeTest(
        attribute=int(tree.attribute[node]),
        test=test,
        threshold=float(tree.threshold[node]),
        n_branches=int(tree.n_children[node]),
        branch_of=NO_VALUES if is_of_numbers else tree.branch_of[offset : offset + n_values],
        ends=tree.ends(node) if test == SplitTest.RANGES else NO_ENDS,
    )


def branches(tree: Tree, node: int, column: NDArray[np.generic]) -> IntArray:
    """Branch of each value (n,) at a node that tests one attribute; -1 if it is missing or unseen in training."""
    return node_test(tree, node).branches(column)


def branch_counts(data: Dataset, branch: IntArray, n_branches: int) -> FloatArray:
    """Class weights (b, k) of the records in each branch (n,), without those of branch -1."""
    k, is_known = len(data.schema.classes), branch >= 0
    cells = branch[is_known] * k + data.class_codes.astype(np.int64)[is_known]
    sums = np.bincount(cells, weights=data.weight_array[is_known], minlength=n_branches * k)
    return sums.astype(np.float64).reshape(n_branches, k)


def coded_branches(branch_of: NDArray[np.int16], codes: NDArray[np.generic]) -> IntArray:
    """The branch of each value code (n,); -1 for the code -1."""
    return np.append(branch_of, np.int16(-1)).astype(np.int64)[np.asarray(codes, dtype=np.int64)]


def rows_reaching(tree: Tree, node: int, data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> IntArray:
    """Rows of ``data``, as the model sees it, that pass through a node, entirely or (missing values) in part."""
    data = aligned(tree.schema, data)
    rows = np.arange(len(data))
    for child in tree.path(node)[1:]:
        checkpoint()
        branch = ways_down(tree, int(tree.parent[child]), data, rows)
        rows = rows[(branch == tree.branch_to(child)) | (branch < 0)]
    return rows


DIVIDED: Final = -1
"""Leaf of a record that a missing value or a soft threshold divides."""
MOST_PARTS: Final = 5_000_000
"""Maximum number of parts of divided records; beyond it a record goes whole down the heaviest branch."""


@dataclass(frozen=True, eq=False)
class Arrivals:
    """Where n records arrive in a tree of m nodes.

    ``leaf`` (n,) is -1 if a missing value or a soft threshold divides the record. Its parts are in leaves ``part_leaf``
    with shares ``part_share`` at the positions of its row in ``part_row`` (p,); they add up to 1.
    """

    tree: Tree
    leaf: Int32Array
    part_row: IntArray
    part_leaf: IntArray
    part_share: FloatArray

    def tally(self, weights: FloatArray, groups: IntArray | None = None, n_groups: int = 1) -> FloatArray:
        """Weight (m, g) of the records of each group that pass through each node.

        ``weights`` (n,) are the records' weights, ``groups`` (n,) their groups 0 .. g-1; group -1 is not counted.
        Without ``groups`` all records are in one.
        """
        m = self.tree.n_nodes
        group = np.zeros(len(self.leaf), dtype=np.int64) if groups is None else np.asarray(groups, dtype=np.int64)
        whole = np.flatnonzero((self.leaf != DIVIDED) & (group >= 0) & (weights != 0))
        cells = self.leaf[whole].astype(np.int64) * n_groups + group[whole]
        weight = np.asarray(np.bincount(cells, weights=weights[whole], minlength=m * n_groups), dtype=np.float64)
        kept = np.flatnonzero(group[self.part_row] >= 0)
        if len(kept):
            rows = self.part_row[kept]
            cells = self.part_leaf[kept] * n_groups + group[rows]
            weight = weight + np.bincount(cells, weights=self.part_share[kept] * weights[rows], minlength=m * n_groups)
        here = weight.reshape(m, n_groups)
        sums: FloatArray = here + self.tree.summed_below(here)
        return sums


def arrivals(tree: Tree, data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> Arrivals:
    """Leaves that the records reach, thresholds taken as sharp; calls ``checkpoint`` often, which may raise."""
    from algorithms.learners.trees.kernels.prediction_kernels import find_leaves

    data = aligned(tree.schema, data)
    ways = routing(tree)
    fast, leaves = steps(ways), np.empty(len(data), dtype=np.int32)
    for rows, block in value_blocks(data, used_attributes(tree)):
        checkpoint()
        find_leaves(block, fast, ways, leaves[rows])
    divided = np.flatnonzero(leaves == DIVIDED)
    return Arrivals(tree, leaves, *_parts(tree, data, divided, checkpoint, soft=False))


def soft_arrivals(tree: Tree, data: Dataset) -> Arrivals:
    """Leaves that the records of ``data`` reach for a prediction: a soft threshold divides records near it."""
    data = aligned(tree.schema, data)
    rows, part_leaves, shares = _parts(tree, data, np.arange(len(data)), lambda: None, soft=True)
    parts = np.bincount(rows, minlength=len(data))
    leaves = np.full(len(data), DIVIDED, dtype=np.int32)
    whole = parts[rows] == 1
    leaves[rows[whole]] = part_leaves[whole]
    return Arrivals(tree, leaves, rows[~whole], part_leaves[~whole], shares[~whole])


def _parts(
    tree: Tree, data: Dataset, rows: IntArray, checkpoint: Callable[[], None], *, soft: bool
) -> tuple[IntArray, IntArray, FloatArray]:
    """The parts of the records in these rows: row, leaf and share of each."""
    shares = shares_of_parent(tree)
    part_rows, part_leaves, part_shares = [rows[:0]], [rows[:0]], [np.zeros(0)]
    waiting = [(0, rows, np.ones(len(rows)))] if len(rows) else []
    n_parts, most = len(rows), MOST_PARTS + (len(rows) if soft else 0)
    while waiting:
        checkpoint()
        node, here, weight = waiting.pop()
        if tree.is_leaf(node):
            part_rows.append(here)
            part_leaves.append(np.full(len(here), node, dtype=np.int64))
            part_shares.append(weight)
            continue
        branch, children = ways_down(tree, node, data, here), tree.children(node)
        left = soft_shares(tree, node, data, here) if soft else None
        n_divided = int(np.count_nonzero(branch < 0)) + (0 if left is None else int(np.sum((left > 0) & (left < 1))))
        if n_divided and n_parts > most:
            branch, left = np.where(branch < 0, int(np.argmax(shares[list(children)])), branch), None
        else:
            n_parts += (len(children) - 1) * n_divided
        for nth, child in enumerate(children):
            part = weight * part_down(branch, left, nth, shares[child])
            goes = part > 0
            if goes.any():
                waiting.append((child, here[goes], part[goes]))
    return np.concatenate(part_rows), np.concatenate(part_leaves), np.concatenate(part_shares)
