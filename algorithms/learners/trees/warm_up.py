"""Calls that compile the tree kernels: the one list of what to prepare, a function for each kernel module.

:func:`algorithms.compiled.ahead_of_time.warm_up` finds this module beside the folder ``kernels``. A kernel module
without a function here has loops that only other compiled loops call.
"""

from __future__ import annotations

import numpy as np

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.trees.growth.growth_options import GrowthOptions
from algorithms.structures.tree import Tree

SCHEMA = Schema((numeric("x"), nominal("v", "abc"), nominal("class", "no")), 2)


def tiny_data() -> Dataset:
    return Dataset(SCHEMA, [np.arange(4.0), np.array([0, 1, 2, 0]), np.array([0, 1, 0, 1])])


def leaf() -> Tree:
    none, real = np.full(1, -1, dtype=np.int32), np.full(1, np.nan)
    return Tree(
        schema=SCHEMA,
        test=np.zeros(1, dtype=np.int8),
        attribute=none,
        threshold=real,
        first_child=none,
        n_children=np.zeros(1, dtype=np.int32),
        parent=none,
        offset=none,
        branch_of=np.zeros(0, dtype=np.int16),
        counts=np.full((1, 2), 2.0),
        decision=np.zeros(1, dtype=np.int32),
        gain=real,
        missing_to=np.full(1, -1, dtype=np.int16),
    )


def split_kernels() -> None:
    from algorithms.learners.trees.growth.growing_tree import layout_of
    from algorithms.learners.trees.kernels.split_kernels import decide, load_repeated, load_words

    words, layout = np.zeros(1, dtype=np.uint64), layout_of(1, 2, 0)
    decide(np.ones((1, 2)), np.array([-1], dtype=np.int32), np.empty(1, dtype=np.int32))
    load_words(words, np.zeros(1, dtype=np.int32), layout, words.copy())
    load_repeated(words, words, np.ones(1, dtype=np.uint8), layout, np.zeros(2, dtype=np.uint64))


def sorting_kernels() -> None:
    from algorithms.learners.trees.kernels import sorting_kernels as kernels

    column = np.array([1.0, np.nan, 2.0])
    column.flags.writeable = False
    keys, records, words = np.empty(3, np.uint64), np.empty(3, np.uint32), np.empty(3, np.uint64)
    n_known = kernels.number_keys(column, keys, records)
    kernels.radix_sort(keys[:n_known], records[:n_known], keys.copy()[:n_known], records.copy()[:n_known])
    kernels.rank_words(keys, records, n_known, words)
    kernels.code_words(np.array([0, -1, 1], dtype=np.int32), 2, words)
    kernels.chosen_words(words, np.array([0, 1, 1, 2], dtype=np.int64), np.array([0, 1], dtype=np.int64), words.copy())


def integer_kernels() -> None:
    from algorithms.learners.trees.growth.growing_tree import SORTED_ORDERS, UnitGrowth

    data = tiny_data()
    UnitGrowth(data, data.derived(SORTED_ORDERS), GrowthOptions(), RunContext()).run()


def weighted_kernels() -> None:
    from algorithms.learners.trees.growth.growing_tree import SORTED_ORDERS, WeightedGrowth

    data = tiny_data()
    WeightedGrowth(data, data.derived(SORTED_ORDERS), GrowthOptions(), RunContext()).run()


def binned_kernels() -> None:
    """Grows a small tree with histograms and without."""
    from algorithms.learners.trees.growth.binned_growth import BinnedGrowth, Bins

    ends = np.arange(4.0)
    bins = Bins(np.array([4, 3]), (ends, np.zeros(0)), (ends, np.zeros(0)))
    codes = np.zeros((4, 8), dtype=np.uint8)
    codes[:, :3] = [[0, 0, 0], [1, 1, 1], [2, 2, 0], [3, 0, 1]]
    growth = BinnedGrowth(SCHEMA, bins, np.array([2.0, 2.0]), 4, GrowthOptions(search="binned"), RunContext())
    growth.load(codes, None)
    growth.count_root()
    growth.run()
    growth.number_anew()


def binning_kernels() -> None:
    """Calls the loops with both sizes of codes."""
    from algorithms.learners.trees.kernels import binning_kernels as kernels

    cuts, grid, number = (
        np.array([0.5, np.inf]),
        np.zeros(kernels.GRID + 3, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )
    kernels.lay_grid(cuts, grid)
    column, weights = np.array([1.0, np.nan]), np.ones(2)
    column.flags.writeable = weights.flags.writeable = False
    for own_weights in (np.zeros(0), weights):
        kernels.count_cells(column, own_weights, 1.0, 1.0, np.zeros(1), np.zeros(1), np.zeros(1))
    for code in (np.uint8, np.uint16):
        codes, reached = np.zeros((2, 8), dtype=code), np.zeros(2, dtype=np.int32)
        kernels.encode_numbers(column, cuts, grid, 2, codes[:, 0])
        kernels.route(codes, np.array([-1], dtype=np.int32), np.zeros((1, 4), dtype=np.int32), reached)
        first, slot = np.zeros(2, dtype=np.uint64), np.zeros(1, dtype=np.int32)
        kernels.count_reached(codes, reached, slot, first, np.zeros((1, 4, 1)))
        kernels.gather(codes, reached, number.copy(), number.copy(), codes.copy())


def oblique_kernels() -> None:
    from algorithms.learners.trees.growth.loop_arguments import GINI
    from algorithms.learners.trees.kernels import oblique_kernels as kernels

    records = kernels.ScaledRecords(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([0, 1]), np.ones(2))
    aim, room, control = kernels.ObliqueObjective(GINI, 1.0, 1e-9), kernels.room_for(2, 2), RunContext().control
    direction = np.zeros(2)
    kernels.search(records, np.ones((1, 2)), np.ones((2, 1, 2)), 0.1, aim, room, control, direction)
    active, jumps = np.ones(2, dtype=np.bool_), np.empty((0, 2))
    kernels.climb(records, direction, active, jumps, kernels.MOST_CYCLES, aim, room, control)
    kernels.best_cut(records.values[0], records, aim, room)


def chi_square_kernels() -> None:
    from algorithms.learners.trees.kernels import chi_square_kernels as kernels

    words, classes, weights = np.zeros((1, 1), dtype=np.uint64), np.zeros(1, dtype=np.int64), np.ones(1)
    kernels.best_cuts(words, classes, weights, 2, 1.0, False, np.empty((1, 3)), np.empty((1, 2), dtype=np.int64))
    kernels.words_of(words, np.ones(1, dtype=np.bool_), words.copy())


def stump_kernels() -> None:
    from algorithms.learners.trees.growth.loop_arguments import GINI
    from algorithms.learners.trees.kernels import stump_kernels as kernels

    words = np.arange(2, dtype=np.uint64).reshape(1, 2) * np.uint64((1 << 32) + 1)
    classes, cells = np.array([0, 1], dtype=np.int32), np.zeros((1, 2), dtype=np.uint16)
    words.flags.writeable = False
    kernels.number_blocks(words[0], classes, 2, 1, cells[0])
    kernels.best_cut(words, cells, classes, np.ones(2), np.ones(2), 1.0, GINI, 1e-9, RunContext().control)


def prediction_kernels() -> None:
    from algorithms.learners.trees.kernels.prediction_kernels import find_leaves, mix_leaves, way
    from algorithms.learners.trees.routing import routing, steps

    ways, block = routing(leaf()), np.zeros((1, 1))
    way(block, 0, 0, ways)
    find_leaves(block, steps(ways), ways, np.zeros(1, dtype=np.int32))
    mix_leaves(block, np.arange(1), ways, np.ones((1, 2)), np.zeros((1, 2)))


def pruning_kernels() -> None:
    from algorithms.learners.trees.kernels import pruning_kernels as kernels
    from algorithms.learners.trees.pruning.error_estimates import by_bound

    number, real = np.zeros(1, dtype=np.int32), np.zeros(1)
    kernels.binomial_limit(3.0, 1.0, 0.25)
    kernels.leaf_cost(np.ones(2), 2, 0, by_bound(0.25))
    kernels.cut_where_no_better(real, 0.0, 0.1, number, number)
    kernels.reachable(number, number, number)
    kernels.weakest_links(real, number - 1, number, number)


def raising_kernels() -> None:
    from algorithms.learners.trees.pruning.error_estimates import by_bound
    from algorithms.learners.trees.pruning.methods import raised

    raised(leaf(), tiny_data(), by_bound(0.25), RunContext(), leaf_of=np.zeros(4, dtype=np.int32))


def shapley_kernels() -> None:
    from algorithms.learners.trees.kernels import shapley_kernels as kernels
    from algorithms.learners.trees.routing import routing

    nothing, control = np.zeros(1, dtype=np.int64), np.zeros(3, dtype=np.int64)
    one, outputs, points, none = np.zeros((1, 1)), np.zeros((1, 2)), np.ones(1), np.zeros(0)
    values, divided = np.zeros((1, 1, 2)), np.zeros(1, dtype=np.bool_)
    kernels.find_shares(one, nothing[:0], routing(leaf()), none, none, one.copy())
    paths = kernels.TreePaths(nothing - 1, nothing, nothing - 1, nothing - 1, nothing - 1, nothing, nothing)
    kernels.add_tree(one, one, points, paths, outputs, points, points, values, control)
    kernels.fill_tables(one, points, paths, nothing, points, points, one.copy(), control)
    kernels.add_by_tables(one, paths, nothing, nothing[None], one, outputs, values, divided, control)
