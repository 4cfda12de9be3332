"""Why a node of a CHAID tree asks what it asks: every predictor's groups and their chance."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.structures import Test, Tree
from algorithms.trees.chaid_growth import (
    CRITERION,
    Branching,
    ChaidOptions,
    Predictor,
    Split,
    best_of,
    branching,
    is_significant,
    judged,
    predictors_of,
    table_of,
)
from algorithms.trees.engine import GrowthOptions
from algorithms.trees.gain_curve import GainCurve
from algorithms.trees.node_records import NodeRecords, records_at
from algorithms.trees.reasons import Candidate, NodeReasons, Verdict
from algorithms.trees.words import KNOWN, listed, range_words


@dataclass(frozen=True, eq=False)
class ChaidCandidate(Candidate):
    """A predictor's groups. ``gain`` is the chi-square statistic with ``split_information`` degrees of freedom,
    ``gain_ratio`` the adjusted chance, ``value`` minus its logarithm; ``split`` is None where all records are alike."""

    split: Split | None = None


@dataclass(frozen=True, eq=False)
class ChaidReasons(NodeReasons):
    """What was weighed at a node of a CHAID tree."""

    rules: ChaidOptions | None = None

    def curve(self, attribute: int) -> GainCurve | None:
        """None: thresholds are not tried one by one."""
        return None


def chaid_reasons(tree: Tree, node: int, data: Dataset, options: ChaidOptions, context: RunContext) -> ChaidReasons:
    """The predictors of ``data``, which the tree was grown on, weighed at a node; the best first."""
    records = records_at(tree, node, data, context.checkpoint)
    k = len(data.schema.classes)
    classes, weights = records.whole.class_codes.astype(np.int64), records.whole.weight_array
    found: list[tuple[Predictor, Split | None]] = []
    for predictor in predictors_of(records.whole, options.intervals, context):
        table = table_of(predictor, records.rows, classes, weights, k)
        found.append((predictor, judged(predictor, table, options.merging, context)))
    best = best_of([split for _, split in found])
    asked = None if tree.is_leaf(node) else int(tree.attribute[node])
    chosen_index = asked if asked is not None else None if best is None else best.predictor.index
    mark = Verdict.CHOSEN if asked is not None else Verdict.BEST
    candidates = [_candidate(predictor, split, options) for predictor, split in found]
    candidates = [replace(c, verdict=mark) if c.attribute == chosen_index else c for c in candidates]
    candidates.sort(key=lambda c: (c.attribute != chosen_index, not c.is_split, -c.value if c.is_split else 0.0))
    ranked = [replace(c, rank=i + 1 if c.is_split else None) for i, c in enumerate(candidates)]
    significant = asked is not None or is_significant(best, options)
    return ChaidReasons(
        tree=tree,
        node=node,
        schema=data.schema,
        options=GrowthOptions(min_leaf=options.merging.least, max_depth=options.max_depth),
        records=records,
        counts=_counts(records),
        criterion=CRITERION,
        candidates=tuple(ranked),
        chosen=next((c for c in ranked if c.attribute == chosen_index and significant), None),
        average_gain=None,
        moved=False,
        above=frozenset(int(tree.attribute[passed]) for passed in tree.path(node)[:-1]),
        rules=options,
    )


def _counts(records: NodeRecords) -> FloatArray:
    return records.counts


def _candidate(predictor: Predictor, split: Split | None, options: ChaidOptions) -> ChaidCandidate:
    nan, n_groups = float("nan"), 0 if split is None else len(split.grouping.groups)
    if split is None or n_groups < 2:
        return ChaidCandidate(
            attribute=predictor.index,
            name=predictor.attribute.name,
            test=Test.LEAF,
            threshold=nan,
            branch_of=np.zeros(0, dtype=np.int16),
            children=np.zeros((0, 0)),
            gain=nan,
            split_information=nan,
            gain_ratio=nan,
            value=nan,
            correction=0.0,
            verdict=Verdict.CONSTANT if split is None else Verdict.NO_GAIN,
            split=split,
        )
    grouping, test = split.grouping, branching(split)
    significant = is_significant(split, options)
    return ChaidCandidate(
        attribute=predictor.index,
        name=predictor.attribute.name,
        test=test.test,
        threshold=test.threshold,
        branch_of=test.branch_of.astype(np.int16),
        children=_children(split, test),
        gain=grouping.statistic,
        split_information=float(grouping.freedom),
        gain_ratio=grouping.adjusted_p,
        value=-grouping.log_adjusted,
        correction=0.0,
        verdict=Verdict.LOWER if significant else Verdict.BELOW_LEAST_GAIN,
        answers=answers(split, test),
        split=split,
    )


def _children(split: Split, test: Branching) -> FloatArray:
    """Class weights (b, k) of the branches."""
    children = np.zeros((test.n_branches, split.grouping.table.shape[1]))
    for group, row in zip(split.grouping.groups, split.grouping.table, strict=True):
        children[test.branch_of_category[split.present[group[0]]]] = row
    return children


def answers(split: Split, test: Branching, at_most: int = 3) -> tuple[str, ...]:
    """What leads down each branch: ``red or blue``, ``<= 2.5 or missing``, ``is missing``."""
    found = []
    values = split.predictor.attribute.values
    for b in range(test.n_branches):
        codes = np.flatnonzero(test.branch_of_category[:-1] == b).tolist()
        missing = test.missing_to == b
        if not codes:
            found.append("is missing")
            continue
        if split.predictor.ends is None:
            words = listed([values[code] for code in codes], at_most)
        else:
            words = range_words(float(test.ends[b - 1]) if b else -np.inf, float(test.ends[b]))
        words = words.replace("<= ", "≤ ") if words != KNOWN else words
        found.append(f"{words} or missing" if missing else words)
    return tuple(found)
