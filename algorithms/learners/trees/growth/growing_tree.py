"""A growing tree: sorted orders of the data, room for nodes, and the arguments of the compiled loops."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import Column, FloatArray, IntArray
from algorithms.data.dataset import Dataset, Derivation
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.learners.trees.growth import loop_arguments
from algorithms.learners.trees.growth.growth_options import GrowthOptions
from algorithms.learners.trees.growth.loop_arguments import (
    Attributes,
    GrowingTree,
    NodeArrays,
    Rules,
    SurrogateArrays,
    WordLayout,
    Workspace,
)
from algorithms.structures.tree import NO_NODE, SplitTest, Tree

Words = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class SortedOrders:
    """The records sorted by each predictor.

    ``words`` (d, n) holds ``rank << 32 | record`` for the d predictors, see
    :mod:`algorithms.learners.trees.kernels.sorting_kernels`. ``largest_rank`` (d,) is the largest rank of a known
    value. ``n_missing`` (d,) is the number of missing values, whose records come last.
    """

    words: Words
    largest_rank: IntArray
    n_missing: IntArray

    @property
    def has_missing(self) -> bool:
        return bool(self.n_missing.any())

    def records(self, predictor: int) -> IntArray:
        """The records with a known value, sorted by the predictor at this place."""
        row = self.words[predictor, : self.words.shape[1] - int(self.n_missing[predictor])]
        return (row & np.uint64(0xFFFFFFFF)).astype(np.int64)

    def largest_up_to(self, predictor: int, numbers: Column, limit: float) -> float:
        """The largest of the numbers of a predictor up to a limit, which is not below all of them."""
        words, n_known = self.words[predictor], self.words.shape[1] - int(self.n_missing[predictor])

        def number(position: int) -> float:
            return float(numbers[int(words[position]) & 0xFFFFFFFF])

        return number(bisect_right(range(n_known), limit, key=number) - 1)


def _computed(data: Dataset, checkpoint: Callable[[], None]) -> SortedOrders:
    from algorithms.learners.trees.kernels import sorting_kernels as kernels

    n, predictors = len(data), data.schema.predictors
    words = np.empty((len(predictors), n), dtype=np.uint64)
    keys, other_keys = np.empty(n, np.uint64), np.empty(n, np.uint64)
    records, other_records = np.empty(n, np.uint32), np.empty(n, np.uint32)
    for place, index in enumerate(predictors):
        checkpoint()
        attribute, column = data.schema.attributes[index], data.column(index)
        if attribute.kind.is_coded:
            codes = np.ascontiguousarray(column, dtype=np.int32).copy()
            kernels.code_words(codes, len(attribute.values), words[place])
            continue
        m = int(kernels.number_keys(in_a_row(column), keys, records))
        if kernels.radix_sort(keys[:m], records[:m], other_keys[:m], other_records[:m]) == 1:
            keys, other_keys = other_keys, keys
            records[:m] = other_records[:m]
        kernels.rank_words(keys, records, m, words[place])
    return _described(words)


def in_a_row(column: Column) -> FloatArray:
    """The numbers of a column, contiguous and read-only, as the compiled loops expect."""
    numbers = np.ascontiguousarray(column, dtype=np.float64).view()
    numbers.flags.writeable = False
    return numbers


def _described(words: Words) -> SortedOrders:
    d, n = words.shape
    largest, missing = np.zeros(d, dtype=np.int64), np.zeros(d, dtype=np.int64)
    for place in range(d):
        n_known = int(np.searchsorted(words[place], np.uint64(0xFFFFFFFF << 32)))
        missing[place] = n - n_known
        largest[place] = int(words[place, n_known - 1]) >> 32 if n_known else 0
    return SortedOrders(words, largest, missing)


def _taken(orders: SortedOrders, parent: Dataset, rows: IntArray) -> SortedOrders:
    from algorithms.learners.trees.kernels import sorting_kernels as kernels

    counts = np.bincount(rows, minlength=len(parent)) if len(rows) else np.zeros(len(parent), dtype=np.int64)
    first = np.zeros(len(parent) + 1, dtype=np.int64)
    np.cumsum(counts, out=first[1:])
    chosen = np.argsort(rows, kind="stable").astype(np.int64, copy=False)
    words = np.empty((len(orders.words), len(rows)), dtype=np.uint64)
    for place in range(len(words)):
        kernels.chosen_words(orders.words[place], first, chosen, words[place])
    return _described(words)


SORTED_ORDERS = Derivation[SortedOrders]("sorted orders", _computed, _taken)
"""Sorted orders of a data set; those of a subset of rows are selected in one pass."""


def resized(nodes: NodeArrays, length: int) -> NodeArrays:
    """The first nodes, or all nodes with room for more."""
    return NodeArrays._make(enlarged(array, length)[:length] for array in nodes)


def enlarged(array: NDArray[Any], length: int) -> NDArray[Any]:
    """The array, enlarged in its first dimension if it is smaller."""
    if length <= len(array):
        return array
    larger = np.empty((length, *array.shape[1:]), dtype=array.dtype)
    larger[: len(array)] = array
    return larger


MOST_REPEATS = 255
"""Largest weight that is counted as an integer."""

MOST_BRANCHES = 32767
"""Maximum number of branches of a split: branch numbers are int16."""

_CRITERIA = {
    "information-gain": loop_arguments.ENTROPY,
    "gain-ratio": loop_arguments.ENTROPY,
    "gini": loop_arguments.GINI,
    "error": loop_arguments.ERROR,
    "twoing": loop_arguments.TWOING,
}


def rules_of(options: GrowthOptions) -> Rules:
    """The options as numbers for the compiled loops."""
    return Rules(
        criterion=_CRITERIA[options.criterion],
        gain_ratio=options.criterion == "gain-ratio",
        measures_all=options.criterion == "gain-ratio",
        average_gain=options.average_gain_rule,
        numeric_correction=options.numeric_correction,
        numeric_min_split=options.numeric_min_split,
        nominal_correction=options.nominal_correction,
        split_without_gain=options.split_without_gain,
        fractional=options.missing == "fractional",
        min_leaf=float(options.min_leaf),
        min_gain=float(options.min_gain),
        max_depth=-1 if options.max_depth is None else int(options.max_depth),
        max_leaves=0 if options.max_leaves is None else int(options.max_leaves),
        surrogates=int(options.surrogates) if options.missing == "majority" else 0,
        weighed=int(options.weighed or 0),
        best_of=int(options.best_of),
    )


def layout_of(n_records: int, n_classes: int, largest_rank: int, most_repeats: int = 1) -> WordLayout:
    """Bit layout of record, count, class and rank in a word; raises :class:`DataError` if they do not fit."""
    record_bits = max(1, (n_records - 1).bit_length())
    repeat_bits = (most_repeats - 1).bit_length()
    class_bits = max(1, (n_classes - 1).bit_length())
    class_shift = record_bits + repeat_bits
    rank_bits = 64 - class_shift - class_bits
    if rank_bits < (largest_rank + 1).bit_length():
        raise DataError("There are too many records and classes for a tree.", remedy="Take a sample of the records.")
    return WordLayout(
        record_mask=np.uint64((1 << record_bits) - 1),
        class_shift=np.uint64(class_shift),
        class_mask=np.uint64((1 << class_bits) - 1),
        rank_shift=np.uint64(class_shift + class_bits),
        missing_rank=np.uint64((1 << rank_bits) - 1),
        repeat_shift=np.uint64(record_bits),
        repeat_mask=np.uint64((1 << repeat_bits) - 1),
    )


def attributes_of(data: Dataset, options: GrowthOptions) -> Attributes:
    """Kinds and sizes of the predictors of this data; see :func:`attributes_in`."""
    return attributes_in(data.schema, float(data.weight_array.sum()), options)


def attributes_in(schema: Schema, weight: float, options: GrowthOptions) -> Attributes:
    """Kinds and sizes of the predictors, for records of this total weight.

    As in C4.5, the average gain excludes attributes with more values than three tenths of the weight, unless all are
    such.
    """
    predictors = [schema.attributes[index] for index in schema.predictors]
    n_values = np.array([len(a.values) for a in predictors], dtype=np.int64)
    few = n_values < 0.3 * weight
    return Attributes(
        kind=np.array([_split_kind(a, options) for a in predictors], dtype=np.int8),
        n_values=n_values,
        is_averaged=few if few.any() else np.ones(len(predictors), dtype=np.bool_),
    )


def _split_kind(attribute: Attribute, options: GrowthOptions) -> int:
    if attribute.kind is AttributeKind.NUMERIC or (
        attribute.kind is AttributeKind.ORDINAL and options.ordinal_splits == "ordered"
    ):
        return loop_arguments.ORDERED
    asked = options.ordinal_splits if attribute.kind is AttributeKind.ORDINAL else options.nominal_splits
    if asked == "binary" or len(attribute.values) > MOST_BRANCHES:
        return loop_arguments.SUBSET
    return loop_arguments.MULTIWAY if asked == "multiway" else loop_arguments.GROUPED


class Growth(ABC):
    """Arrays of a growing tree. ``counts`` (nodes, k) are the class weights of each node."""

    words: NDArray[np.uint64]
    space: Workspace

    classes: NDArray[np.int32]
    layout: WordLayout
    kernels: ModuleType
    """The compiled loops."""

    def __init__(
        self, n: int, n_classes: int, attributes: Attributes, options: GrowthOptions, context: RunContext
    ) -> None:
        """Arrays for growing a tree on n records."""
        self.n_records = n
        self.control = context.control
        self.rules = rules_of(options)._replace(seed=context.seeds.generate_state(1, np.uint64)[0])
        self.second_rules = self.rules._replace(criterion=loop_arguments.GINI)
        self.attributes = attributes
        int8, int16, int32, int64, real = np.int8, np.int16, np.int32, np.int64, np.float64
        capacity = min(n // 4 + 64, 1024 + (1 << 22) // max(1, n_classes))
        types: tuple[Any, ...] = (int8, *[int32] * 7, int16, int32, *[int64] * 3, real, real, int32)
        self.nodes = NodeArrays._make(np.empty(capacity, dtype=dtype) for dtype in types)
        self.counts = np.empty((capacity, max(1, n_classes)), dtype=np.float64)
        self.branch_of = np.empty(256, dtype=np.int16)
        self.state: IntArray = np.zeros(loop_arguments.STATE_SIZE, dtype=np.int64)

    def _workspace(
        self, n_branch: int, n_scratch: int, n_weights: int, most_codes: int = 0, n_leaf: int = 0
    ) -> Workspace:
        """Working arrays; with ``most_codes`` the tree grows on codes, and only small nodes have words."""
        n_attributes, n_classes = len(self.attributes.kind), self.counts.shape[1]
        kinds: tuple[Any, ...] = (*[np.int32] * 5, np.int8, np.float64)
        most = max(most_codes, int(self.attributes.n_values.max(initial=0)) + 1)
        return Workspace(
            gains=np.empty(n_attributes),
            split_infos=np.empty(n_attributes),
            cuts=np.zeros(n_attributes, dtype=np.int64),
            side=np.empty(n_scratch if most_codes else self.n_records, dtype=np.uint8),
            branch=np.empty(n_branch, dtype=np.int32),
            scratch=np.empty(n_scratch, dtype=np.uint64),
            table=np.empty((most, n_classes)),
            values=np.empty(most, dtype=np.int64),
            group=np.empty(most, dtype=np.int16),
            order=np.empty(most, dtype=np.int64),
            weights=np.empty(n_weights),
            scratch_weights=np.empty(n_scratch if n_weights else 0),
            settled=np.zeros(2),
            stand_ins=SurrogateArrays._make(np.empty(2 * self.rules.surrogates, dtype=kind) for kind in kinds),
            most_values=most - 1,
            drawn=np.zeros(n_attributes, dtype=np.int64),
            top_values=np.empty(self.rules.best_of),
            top_gains=np.empty(self.rules.best_of),
            top_splits=np.empty((self.rules.best_of, 2), dtype=np.int64),
            leaf=np.zeros(n_leaf, dtype=np.int32),
        )

    @property
    def arrays(self) -> GrowingTree:
        """The arguments of the compiled loops; new whenever an array was enlarged."""
        return GrowingTree(**{name: getattr(self, name) for name in GrowingTree._fields})

    @property
    def n_nodes(self) -> int:
        return int(self.state[loop_arguments.N_NODES])

    @property
    def n_branches(self) -> int:
        return int(self.state[loop_arguments.N_BRANCHES])

    @property
    def stand_ins(self) -> SurrogateArrays:
        n = int(self.state[loop_arguments.N_STAND_INS])
        return SurrogateArrays._make(array[:n] for array in self.space.stand_ins)

    def _load(self, orders: SortedOrders, context: RunContext) -> None:
        from algorithms.learners.trees.kernels.split_kernels import load_words

        for place in range(len(orders.words)):
            context.checkpoint()
            load_words(orders.words[place], self.classes, self.layout, self.words[place])

    def run(self) -> bool:
        """Grows until the end or a stop; returns whether it was stopped."""
        return self.run_steps(self.step)

    def run_steps(self, step: Callable[[], int]) -> bool:
        """Repeats a compiled loop until the end or a stop, with more room; returns whether it was stopped."""
        while (ended := step()) not in (loop_arguments.FINISHED, loop_arguments.STOPPED):
            self.make_room(ended)
        return bool(ended == loop_arguments.STOPPED)

    @abstractmethod
    def step(self) -> int:
        """Calls the compiled loop; returns why it ended."""

    def make_room(self, what: int) -> None:
        """Enlarges the full arrays."""
        if what == loop_arguments.NODES_FULL:
            length = 2 * len(self.counts) + int(self.attributes.n_values.max(initial=2))
            self.nodes = resized(self.nodes, length)
            self.counts = enlarged(self.counts, length)
        elif what == loop_arguments.BRANCHES_FULL:
            room = (1 + self.rules.surrogates) * int(self.attributes.n_values.max(initial=2))
            self.branch_of = enlarged(self.branch_of, 2 * len(self.branch_of) + room)
        elif what == loop_arguments.STAND_INS_FULL:
            stand_ins = self.space.stand_ins
            length = 2 * len(stand_ins.node) + self.rules.surrogates
            more = SurrogateArrays._make(enlarged(array, length) for array in stand_ins)
            self.space = self.space._replace(stand_ins=more)

    def decisions(self) -> NDArray[np.int32]:
        from algorithms.learners.trees.kernels.split_kernels import decide

        decisions = np.empty(self.n_nodes, dtype=np.int32)
        decide(self.counts[: self.n_nodes], self.nodes.parent[: self.n_nodes], decisions)
        return decisions


class UnitGrowth(Growth):
    """Growth on whole weights without missing values: one word for a record of any weight, none for weight 0."""

    def __init__(
        self,
        data: Dataset,
        orders: SortedOrders,
        options: GrowthOptions,
        context: RunContext,
        repeats: IntArray | None = None,
    ) -> None:
        from algorithms.learners.trees.kernels import integer_kernels

        self.kernels = integer_kernels
        n, largest = len(data), int(orders.largest_rank.max(initial=0))
        super().__init__(n, len(data.schema.classes), attributes_of(data, options), options, context)
        self.classes, k = data.class_codes.astype(np.int32), self.counts.shape[1]
        self.layout = layout_of(n, k, largest, 1 if repeats is None else int(repeats.max(initial=1)))
        many = np.isin(self.attributes.kind, (loop_arguments.MULTIWAY, loop_arguments.GROUPED))
        self.space = self._workspace(n if many.any() else 0, n, 0, n_leaf=0 if repeats is not None else n)
        if repeats is None:
            self.words = np.empty_like(orders.words)
            self._load(orders, context)
            self.counts[0] = np.bincount(self.classes, minlength=k)
        else:
            self.n_records = int(np.count_nonzero(repeats))
            self._load_repeated(orders, repeats, context)
            self.counts[0] = np.bincount(self.classes, weights=repeats, minlength=k)
        total = int(self.counts[0].sum())
        self.scaled = scaled_x_log_x(total if self.rules.criterion == loop_arguments.ENTROPY else 0)
        self.kernels.begin(self.n_records, self.arrays)

    def _load_repeated(self, orders: SortedOrders, repeats: IntArray, context: RunContext) -> None:
        from algorithms.learners.trees.kernels.split_kernels import load_repeated

        layout = self.layout
        marks = self.classes.astype(np.uint64) << layout.class_shift
        marks |= np.maximum(repeats - 1, 0).astype(np.uint64) << layout.repeat_shift
        marks |= np.arange(len(repeats), dtype=np.uint64)
        counts = (repeats > 0).astype(np.uint8)
        self.words = np.empty((len(orders.words), self.n_records + 1), dtype=np.uint64)  # one to write past the end
        for place in range(len(orders.words)):
            context.checkpoint()
            load_repeated(orders.words[place], marks, counts, layout, self.words[place])

    def step(self) -> int:
        return int(self.kernels.grow(self.words, self.scaled, self.layout, self.arrays))


WEIGHTED_KERNELS: Final = (
    "algorithms.learners.trees.kernels.weighted_scan_kernels",
    "algorithms.learners.trees.kernels.weighted_kernels",
)
"""Kernel modules that growth on weights or missing values needs; most first runs do not wait for them."""


class WeightedGrowth(Growth):
    """Growth on records with weights or missing values; whoever makes it has :data:`WEIGHTED_KERNELS` compiled."""

    def __init__(self, data: Dataset, orders: SortedOrders, options: GrowthOptions, context: RunContext) -> None:
        from algorithms.learners.trees.kernels import weighted_kernels

        self.kernels = weighted_kernels
        n, k, weights = len(data), len(data.schema.classes), data.weight_array
        super().__init__(n, k, attributes_of(data, options), options, context)
        self.classes = data.class_codes.astype(np.int32)
        self.layout = layout_of(n, k, int(orders.largest_rank.max(initial=0)))
        room = n + n // 2 if self.rules.fractional and orders.has_missing else n
        self.space = self._workspace(n, room, n)
        self.words = np.empty((len(orders.words) + 1, room), dtype=np.uint64)
        self._load(orders, context)
        self.words[-1, :n] = self.classes.astype(np.uint64) << self.layout.class_shift
        self.words[-1, :n] |= np.arange(n, dtype=np.uint64)
        self.weights = np.empty(room)
        self.weights[:n] = weights
        self.counts[0] = np.bincount(self.classes, weights=weights, minlength=self.counts.shape[1])
        self.space.settled[1] = n / max(float(weights.sum()), 1e-300)
        self.kernels.begin(n, self.arrays)

    def step(self) -> int:
        return int(self.kernels.grow(self.words, self.weights, self.layout, self.arrays))

    def make_room(self, what: int) -> None:
        super().make_room(what)
        if what == loop_arguments.WORDS_FULL:
            end = int(self.state[loop_arguments.WORDS_END])
            self._close_gaps()
            if 4 * (end - int(self.state[loop_arguments.WORDS_END])) < len(self.weights):
                self._enlarge_words(2 * len(self.weights) + 64)

    def _close_gaps(self) -> None:
        """Compacts the words of the open nodes over those of divided nodes."""
        nodes, end = self.nodes, 0
        open_nodes = nodes.frontier[: int(self.state[loop_arguments.N_OPEN])]
        for node in open_nodes[np.argsort(nodes.start[open_nodes], kind="stable")].tolist():
            start, size = int(nodes.start[node]), int(nodes.size[node])
            self.words[:, end : end + size] = self.words[:, start : start + size]
            self.weights[end : end + size] = self.weights[start : start + size]
            nodes.start[node] = end
            end += size
        self.state[loop_arguments.WORDS_END] = end

    def _enlarge_words(self, length: int) -> None:
        words = np.empty((len(self.words), length), dtype=np.uint64)
        words[:, : self.words.shape[1]] = self.words
        self.words, self.weights = words, enlarged(self.weights, length)
        scratch = np.empty(length, dtype=np.uint64)
        self.space = self.space._replace(scratch=scratch, scratch_weights=np.empty(length))


def scaled_x_log_x(n: int) -> IntArray:
    """x log2 x for x = 0..n in fixed point, as precise as sums in int64 allow; the last item stands for one."""
    x = np.arange(n + 1, dtype=np.float64)
    exact = x * np.log2(np.maximum(x, 1.0))
    scale = 2.0 ** min(44, 60 - int(np.ceil(np.log2(exact[-1] + 2.0))))
    scaled = np.empty(n + 2, dtype=np.int64)
    scaled[:-1] = np.rint(exact * scale)
    scaled[-1] = int(scale)
    return scaled


def tree_of(
    schema: Schema,
    options: GrowthOptions,
    growth: Growth,
    between: Callable[[int, NDArray[Any], NDArray[Any], str], FloatArray],
) -> Tree:
    """The grown tree; ``between`` gives the thresholds between ``low`` and ``high`` of the nodes of a predictor."""
    m = growth.n_nodes
    nodes = resized(growth.nodes, m)
    inner = nodes.test != SplitTest.LEAF
    thresholds = np.full(m, np.nan)
    for place, index in enumerate(schema.predictors):
        here = np.flatnonzero((nodes.test == SplitTest.NUMERIC) & (nodes.attribute == place))
        if len(here) and schema.attributes[index].kind is AttributeKind.NUMERIC:
            thresholds[here] = between(place, nodes.low[here], nodes.high[here], options.thresholds)
    predictors = np.array([*schema.predictors, NO_NODE], dtype=np.int32)
    return Tree(
        schema=schema,
        test=nodes.test.copy(),
        attribute=predictors[np.where(inner, nodes.attribute, len(predictors) - 1)],
        threshold=thresholds,
        first_child=nodes.first_child.copy(),
        n_children=np.where(inner, nodes.n_children, 0).astype(np.int32),
        parent=nodes.parent.copy(),
        offset=nodes.offset.copy(),
        branch_of=growth.branch_of[: growth.n_branches].copy(),
        counts=growth.counts[:m].astype(np.float64),
        decision=growth.decisions(),
        gain=np.where(inner, nodes.gain, np.nan),
        missing_to=np.full(m, -1, dtype=np.int16) if options.missing == "fractional" else nodes.missing_to.copy(),
        criterion=options.criterion,
    )
