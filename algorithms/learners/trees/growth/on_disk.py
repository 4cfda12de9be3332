"""Growth of trees on more records than memory holds, level by level from files of codes.

Nodes with too many records are divided level by level. For each level one pass over the files counts the classes in
the bins of all its nodes (RainForest: Gehrke, Ramakrishnan and Ganti 2000). Then the records of the smaller nodes are
gathered, and the subtree of each such node grows in memory. The files stand on this disk, or with the workers that have
the parts of a table (:mod:`.partitioned`).
"""

from __future__ import annotations

import heapq
from abc import abstractmethod
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import DataError, ParameterError
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray, missing_column
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.growth import loop_arguments
from algorithms.learners.trees.growth.binned_growth import KERNELS as BINNED_KERNELS
from algorithms.learners.trees.growth.binned_growth import BinnedGrowth, Bins, Codes
from algorithms.learners.trees.growth.engine import KERNELS
from algorithms.learners.trees.growth.growing_tree import tree_of
from algorithms.learners.trees.growth.growth_options import GrowthOptions, GrowthResult
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.pruning.methods import with_leaves
from algorithms.structures.tree import SplitTest, Tree

BLOCK: Final = 1 << 16
"""Records read at a time."""

IN_MEMORY: Final = 96 << 20
"""Largest number of bytes, of codes and working memory, for dividing a node's records in memory."""

LEVEL_BYTES: Final = 64 << 20
"""Largest number of bytes of the histograms of nodes that are counted in one pass."""

COUNTING_SHARE: Final = 0.5


@dataclass(frozen=True, eq=False)
class CodedFile:
    """Records as rows of codes, in one file or in several one after the other, and the weight of their classes (k,)."""

    paths: tuple[Path, ...]
    width: int
    code_type: np.dtype[Any]
    counts: FloatArray

    @property
    def n_records(self) -> int:
        return int(self.counts.sum())

    def blocks(self, n: int = BLOCK) -> Iterator[Codes]:
        """All records in order, ``n`` at a time; raises :class:`DataError` if they cannot be read."""
        for path in self.paths:
            try:
                with path.open("rb") as file:
                    while len(codes := self._read(file, n)):
                        yield codes
            except OSError as error:
                raise lost(error) from None

    def read(self, start: int, n: int) -> Codes:
        """The ``n`` records from ``start`` on; of a single file only."""
        try:
            with self.paths[0].open("rb") as file:
                file.seek(start * self.width * self.code_type.itemsize)
                return self._read(file, n)
        except OSError as error:
            raise lost(error) from None

    def _read(self, file: BinaryIO, n: int) -> Codes:
        codes = np.fromfile(file, dtype=self.code_type, count=n * self.width)
        return codes.reshape(-1, self.width)

    def and_those_of(self, other: CodedFile) -> CodedFile:
        """These records and then the other's."""
        return replace(self, paths=(*self.paths, *other.paths), counts=self.counts + other.counts)


def lost(error: OSError) -> DataError:
    """The error of a working file that cannot be written or read."""
    reason = error.strerror or str(error)
    return DataError(f"The working copy on disk could not be used: {reason}.", remedy="Is the disk full?")


def file_bins(bins: Bins, thresholds: str) -> Bins:
    """Bins of a sample for all records: without gaps, divided at the future thresholds.

    A number is then in a bin above a threshold exactly if it is larger, also if the sample lacks it.
    """
    lower, upper = [], []
    for place, ends in enumerate(bins.upper):
        positions = np.arange(max(0, len(ends) - 1))
        cuts = bins.between(place, positions, positions + 1, thresholds) if len(ends) else ends
        lower.append(np.append(-np.inf, cuts))
        upper.append(np.append(cuts, np.inf))
    return Bins(bins.n_codes, tuple(lower), tuple(upper))


def grow_on_disk(
    file: CodedFile,
    schema: Schema,
    bins: Bins,
    options: GrowthOptions,
    folder: Path,
    context: RunContext,
    in_memory: int = IN_MEMORY,
) -> GrowthResult:
    """Grows a tree on records in a file, each of weight one, with bins from :func:`file_bins`.

    With the same bins it is the tree that grows in memory. Working files in ``folder`` are removed. Raises
    :class:`Cancelled` on a stop; a run that ends early returns the tree so far.
    """
    ensure_compiled((*KERNELS, *BINNED_KERNELS), context)
    options = replace(options, search="binned", missing="majority", surrogates=0, thresholds="data-value")
    counting, rest = context.child(COUNTING_SHARE, 0), context.child(1 - COUNTING_SHARE, 1)
    rest.advance(0, max(1, file.n_records))
    whole_tree = replace(options, max_leaves=None)
    most = max(1, in_memory // (2 * file.width * file.code_type.itemsize + 2))
    growth = _FileGrowth(schema, bins, file, whole_tree, rest, counting, most)
    growth.folder = folder
    partial = growth.run_all()
    context.checkpoint()
    tree = tree_of(schema, options, growth, bins.between)
    if options.max_leaves is not None:
        tree = best_first(tree, growth.nodes.urgency[: growth.n_nodes], options.max_leaves)
    return GrowthResult(tree, partial)


class Routes(NamedTuple):
    """The divided nodes of a growing tree: ``attribute`` (m,), -1 in a leaf, and the child of each code (m, v)."""

    attribute: NDArray[np.int32]
    ways: NDArray[np.int32]


def routed_blocks(file: CodedFile, routes: Routes) -> Iterator[tuple[Codes, NDArray[np.int32]]]:
    """The records of a file in blocks, and the node that each reaches."""
    from algorithms.learners.trees.kernels.binning_kernels import route

    reached = np.empty(BLOCK, dtype=np.int32)
    for codes in file.blocks():
        route(codes, routes.attribute, routes.ways, reached)
        yield codes, reached[: len(codes)]


class LevelGrowth(BinnedGrowth):
    """Growth that divides large nodes level by level; nodes of at most ``most`` records are divided in memory."""

    def __init__(
        self,
        schema: Schema,
        bins: Bins,
        file: CodedFile,
        options: GrowthOptions,
        context: RunContext,
        counting: RunContext,
        most: int,
    ) -> None:
        super().__init__(schema, bins, file.counts, file.n_records, options, context)
        self.file, self.context, self.counting_context = file, context, counting
        self.most = most
        self.ways: dict[int, IntArray] = {}
        """The child of each code, for each divided node."""
        self.small_nodes: list[int] = []

    def run_all(self) -> bool:
        """Grows until the end or a stop; returns whether it was stopped."""
        if not self.state[loop_arguments.N_OPEN]:
            return False
        self.state[loop_arguments.N_OPEN] = 0
        large = [0] if self.n_records > self.most else []
        self.small_nodes = [] if large else [0]
        self.counting_context.advance(0, self.n_records)
        self.load(np.zeros((0, self.file.width), dtype=self.file.code_type), None)
        rows = int(self.first[-1])
        at_a_time = max(1, LEVEL_BYTES // (8 * rows * self.counts.shape[1]))
        while large:
            level, large = large[:at_a_time], large[at_a_time:]
            self.context.say(f"Counting the records of {len(level):,} large {'node' if len(level) == 1 else 'nodes'}")
            self.pool.slot[:] = -1
            self.pool.slot[level] = np.arange(len(level))
            histograms = self._counted(len(level))
            if histograms is None:
                return True
            self.pool = self.pool._replace(histograms=histograms)
            large += self._divided(level)
            self.counting_context.advance(self.n_records - int(self.nodes.size[large].sum()))
        self.counting_context.complete()
        return not self._grow_small()

    @abstractmethod
    def _counted(self, n: int) -> FloatArray | None:
        """Histograms (n, rows, k) of the nodes with a slot, from all records; None after a stop."""

    @abstractmethod
    def _small_batches(self) -> Generator[tuple[list[int], Codes | None]]:
        """Smaller nodes that fit in memory together, and their records, those of a node in a row; None after a stop."""

    def routes(self) -> Routes:
        """The tree so far."""
        m = self.n_nodes
        attribute = np.where(self.nodes.test[:m] != SplitTest.LEAF, self.nodes.attribute[:m], -1).astype(np.int32)
        ways = np.zeros((m, len(self.counting.way)), dtype=np.int32)
        for node, own in self.ways.items():
            ways[node, : len(own)] = own
        return Routes(attribute, ways)

    def _divided(self, level: Sequence[int]) -> list[int]:
        """Divides the nodes of a level by their histograms; returns the children that are still too large."""
        large = []
        for node in level:
            children = self._divide(node)
            large += [child for child in children if self.nodes.size[child] > self.most]
            self.small_nodes += [child for child in children if self.nodes.size[child] <= self.most]
        return large

    def _divide(self, node: int) -> list[int]:
        """Divides a node; returns its children that may be divided further, none if it stays a leaf."""
        from algorithms.learners.trees.kernels.split_kernels import add_children, is_terminal

        whole = self.pool.histograms[int(self.pool.slot[node])]
        best = self.kernels.judge(node, whole, self.block, self.counting, self.arrays)
        if best in (loop_arguments.NO_SPLIT, loop_arguments.INTERRUPTED):
            self._settle(node)
            return []
        n, a = int(self.nodes.n_children[node]), int(best)
        while self.n_nodes + n > len(self.counts):
            self.make_room(loop_arguments.NODES_FULL)
        while self.n_branches + int(self.attributes.n_values[a]) > len(self.branch_of):
            self.make_room(loop_arguments.BRANCHES_FULL)
        if not self.kernels.describe(node, whole, self.block, self.counting, self.arrays):
            self.nodes.test[node] = SplitTest.LEAF
            self._settle(node)
            return []
        first = int(add_children(node, self.counts, self.nodes, self.state))
        rows = slice(int(self.first[a]), int(self.first[a + 1]))
        way = self.counting.way[: rows.stop - rows.start].astype(np.int64)
        histogram = whole[rows]
        present = histogram.sum(axis=1) > 0
        np.add.at(self.counts, first + way[present], histogram[present])
        self.ways[node] = np.where(present, first + way, first)
        children = list(range(first, first + n))
        self.nodes.size[children] = self.counts[children].sum(axis=1).astype(np.int64)
        self.pool.slot[children] = -1
        ended = [c for c in children if is_terminal(self.rules, self.counts[c], int(self.nodes.depth[c]))]
        self.state[loop_arguments.N_SETTLED] += int(self.nodes.size[ended].sum())
        return [child for child in children if child not in ended]

    def _settle(self, node: int) -> None:
        self.pool.slot[node] = -1
        self.nodes.n_children[node] = 0
        self.nodes.gain[node] = np.nan
        self.state[loop_arguments.N_SETTLED] += int(self.nodes.size[node])

    def _grow_small(self) -> bool:
        """Grows the subtrees of the smaller nodes, as many at a time as fit in memory; False after a stop."""
        from algorithms.learners.trees.kernels.split_kernels import push

        if not self.small_nodes:
            return True
        with closing(self._small_batches()) as batches:
            for nodes, codes in batches:
                if codes is None:
                    return False
                self.context.say("Growing the tree")
                self.load(codes, None)
                self.nodes.start[nodes] = np.cumsum(self.nodes.size[nodes]) - self.nodes.size[nodes]
                for node in reversed(nodes):
                    push(self.nodes, self.state, node)
                    self.kernels.count_node(node, self.block, self.first, self.nodes, self.pool, self.control)
                if self.run():
                    return False
        return True

    def batches(self, most: int) -> Iterator[list[int]]:
        """The smaller nodes in batches of at most ``most`` records, or of one node."""
        batch, weight = list[int](), 0
        for node in self.small_nodes:
            size = int(self.nodes.size[node])
            if batch and weight + size > most:
                yield batch
                batch, weight = [], 0
            batch.append(node)
            weight += size
        yield batch


class _FileGrowth(LevelGrowth):
    """Growth on records in a file."""

    folder: Path

    def _counted(self, n: int) -> FloatArray | None:
        from algorithms.learners.trees.kernels.binning_kernels import count_reached

        histograms = np.zeros((n, int(self.first[-1]), self.counts.shape[1]))
        for codes, reached in self._routed_blocks():
            count_reached(codes, reached, self.pool.slot, self.first, histograms)
        return None if self.context.finishing else histograms

    def _routed_blocks(self) -> Iterator[tuple[Codes, NDArray[np.int32]]]:
        """The records of the file in blocks, and the node that each reaches; they end early where the run does."""
        for codes, reached in routed_blocks(self.file, self.routes()):
            if self.context.finishing:
                self.context.checkpoint()
                return
            yield codes, reached

    def _small_batches(self) -> Generator[tuple[list[int], Codes | None]]:
        gathered = self.folder / "by-node.codes"
        try:
            source = self._brought_together(gathered)
            start = 0
            for nodes in self.batches(self.most):
                if source is None:
                    yield nodes, None
                    return
                n = int(self.nodes.size[nodes].sum())
                yield nodes, np.concatenate(list(source.blocks())) if source is self.file else source.read(start, n)
                start += n
        finally:
            gathered.unlink(missing_ok=True)

    def _brought_together(self, path: Path) -> CodedFile | None:
        """A file with the records of each smaller node together; None after a stop."""
        if self.small_nodes == [0]:
            return self.file
        self.context.say("Bringing the records of each branch together")
        groups = np.full(self.n_nodes, -1, dtype=np.int64)
        groups[self.small_nodes] = np.arange(len(self.small_nodes))
        sizes = self.nodes.size[self.small_nodes]
        ends = np.cumsum(sizes) - sizes
        row_bytes = self.file.width * self.file.code_type.itemsize
        try:
            with path.open("wb") as out:
                for codes, reached in self._routed_blocks():
                    rows, n_here = by_group(codes, reached, groups, len(sizes))
                    starts = np.cumsum(n_here) - n_here
                    for group in np.flatnonzero(n_here).tolist():
                        out.seek(int(ends[group]) * row_bytes)
                        out.write(rows[starts[group] : starts[group] + n_here[group]].tobytes())
                    ends += n_here
        except OSError as error:
            raise lost(error) from None
        return None if self.context.finishing else replace(self.file, paths=(path,))


def by_group(codes: Codes, reached: NDArray[np.int32], groups: IntArray, n: int) -> tuple[Codes, IntArray]:
    """The records group by group, and how many each of the n groups has (``groups``, by node; -1 for none)."""
    from algorithms.learners.trees.kernels.binning_kernels import gather

    here = groups[reached]
    n_here = np.bincount(here[here >= 0], minlength=n)
    to = np.empty((int(n_here.sum()), codes.shape[1]), dtype=codes.dtype)
    gather(codes, reached, groups, np.cumsum(n_here) - n_here, to)
    return to, n_here


def best_first(tree: Tree, urgency: FloatArray, most_leaves: int) -> Tree:
    """The tree with at most this many leaves, as if the most urgent node had been divided first."""
    kept = np.zeros(tree.n_nodes, dtype=np.bool_)
    open_nodes = [(-float(urgency[0]), 0)]
    leaves = 1
    while open_nodes:
        _, node = heapq.heappop(open_nodes)
        n = int(tree.n_children[node])
        if tree.is_leaf(node) or leaves + n - 1 > most_leaves:
            continue
        kept[node] = True
        leaves += n - 1
        for child in tree.children(node):
            heapq.heappush(open_nodes, (-float(urgency[child]), child))
    return with_leaves(tree, (tree.test != SplitTest.LEAF) & ~kept)


def check_can_grow_on_disk(learner: Learner) -> None:
    """Raises :class:`ParameterError` if a learner, or a setting of it, needs all records in memory."""
    if not isinstance(learner, C45 | Cart):
        raise ParameterError(
            f"{learner.name} needs all records in memory.",
            remedy="From a file in pieces c4.5 and cart can grow.",
            place="learner",
        )
    pruning = "Choose error-based, pessimistic, description-length, minimum-error or none."
    branches, growth = "Choose another criterion, and numeric_splits=binary.", learner.growth()
    refusals = (
        (learner.early_stopping, "Stopping by records held out needs", pruning, "early_stopping"),
        (learner.tests_inside or learner.holds_out, f"The pruning {learner.pruning} needs", pruning, "pruning"),
        (learner.criterion == "chi-square", "The criterion chi-square needs", branches, "criterion"),
        (growth.by_node, "Several branches for a number needs", branches, "numeric_splits"),
        (growth.draws, "Questions drawn by chance need", "Leave best_of=1 and attributes_weighed empty.", "best_of"),
        (learner.nominal_splits == "grouped", "Groups of values need", "Choose multiway or binary.", "nominal_splits"),
        (
            getattr(learner, "soft_thresholds", False),
            "Soft thresholds need",
            "Leave soft_thresholds=false.",
            "soft_thresholds",
        ),
        (learner.priors != "data", "Classes weighed to their priors need", "Leave priors=data.", "priors"),
    )
    for applies, what, remedy, place in refusals:
        if applies:
            raise ParameterError(f"{what} all records in memory.", remedy=remedy, place=place)


def model_from_disk(
    learner: C45 | Cart, file: CodedFile, schema: Schema, bins: Bins, folder: Path, context: RunContext
) -> TreeModel:
    """The tree by :func:`grow_on_disk`, pruned by class counts; not raised, which would route the records again."""
    grown = grow_on_disk(file, schema, bins, learner.growth(), folder, context)
    return pruned_by_counts(learner, grown, schema, file.counts, context)


def pruned_by_counts(
    learner: C45 | Cart, grown: GrowthResult, schema: Schema, counts: FloatArray, context: RunContext
) -> TreeModel:
    """The grown tree pruned without its records, of which only the number of each class (k,) is known."""
    by_counts = replace(learner, raising=False, with_raising=False)
    columns = [missing_column(attribute, len(counts)) for attribute in schema.attributes]
    columns[schema.index_of(schema.class_attribute.name)] = np.arange(len(counts))
    classes = Dataset(schema, columns, weights=counts)  # pruning by counts needs no more than their weights
    tree, completed = by_counts._pruned(grown, classes, None, context.child(0.0, 2))
    return TreeModel(tree, partial=grown.partial or not completed)
