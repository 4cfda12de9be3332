"""Growth of oblique trees: linear tests found by search, and random combinations (Forest-RC).

Source: Breiman, Random forests, Machine Learning 45 (2001), section 5: L attributes are drawn and added with
coefficients drawn evenly from -1 to 1, F such sums are made at each node, and the best one is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema
from algorithms.learners.trees.growth.engine import grow
from algorithms.learners.trees.growth.frontier_growth import (
    NO_VALUES,
    TOLERANCE,
    Assembly,
    FrontierGrowth,
    GrowingNode,
    PlainTest,
    one_split,
)
from algorithms.learners.trees.growth.growing_tree import rules_of
from algorithms.learners.trees.growth.growth_options import GrowthOptions
from algorithms.learners.trees.growth.split_criteria import IMPURITIES, disorder, split_information
from algorithms.learners.trees.routing import tree_branches, ways_down
from algorithms.structures.tree import NO_NODE, SplitTest, Tree

if TYPE_CHECKING:
    from algorithms.learners.trees.kernels.oblique_kernels import ObliqueObjective, ScaledRecords

SAMPLE: Final = 2048
"""Nodes of more weight search on a sample; all records then refine the test."""
_LEAST_SAMPLE: Final = 512
_SLACK: Final = 1e-9
"""A test must be better by this much gain."""
_DIGITS: Final = (2, 3, 4, 5, 6, 8, 10, 12)
_CENTRE_STEPS: Final = 1024
_MIXING: Final = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


@dataclass(frozen=True)
class ObliqueSearch:
    """Options of the search for linear tests.

    ``restarts`` is the number of random starting directions besides the best axis-parallel one, ``jumps`` that of
    random directions at the end of a climb. A coefficient is dropped below ``share`` of the largest importance. A node
    must weigh at least ``per_attribute`` times the number of its numeric attributes. ``seed`` fixes the random
    directions independently of the run, so that an explanation finds the same test.
    """

    restarts: int = 10
    jumps: int = 5
    share: float = 0.1
    seed: int = 1
    per_attribute: float = 2.0


@dataclass(frozen=True, eq=False)
class LinearTest:
    """A linear test; the term of the largest weight comes first, with coefficient 1.

    ``value`` is its worth by the criterion, ``gain`` by the criterion's impurity over all records of the node;
    ``children`` (2, k) are the class weights of the records with an answer, and ``missing_to`` the heavier branch.
    """

    attributes: tuple[int, ...]
    coefficients: tuple[float, ...]
    stand_ins: tuple[float, ...]
    threshold: float
    gain: float
    split_information: float
    value: float
    children: FloatArray
    missing_to: int

    @property
    def test(self) -> PlainTest:
        return PlainTest(self.attributes[0], SplitTest.LINEAR, self.threshold)


@dataclass(frozen=True, eq=False)
class _Scaled:
    """Values of attributes (d, n), each minus its ``centre`` and divided by its ``scale``, a power of two."""

    attributes: tuple[int, ...]
    values: FloatArray
    centre: FloatArray
    scale: FloatArray
    has_value: NDArray[np.bool_]
    """Whether each record (n,) has any of the values."""


def linear_test(
    here: Dataset, options: GrowthOptions, how: ObliqueSearch, random: np.random.Generator, context: RunContext
) -> LinearTest | None:
    """The best linear test on two or more numeric attributes; None if no valid one exists.

    The order of the records, or several light records in place of a heavy one, do not change the result: scales and
    centres are rounded, and a sample is chosen by the values of the records.
    """
    from algorithms.learners.trees.kernels.oblique_kernels import ObliqueObjective, ScaledRecords

    scaled = _scaled(here)
    weights = here.weight_array
    total = float(weights.sum())
    d = len(scaled.attributes)
    if d < 2 or total < how.per_attribute * d:
        return None
    rows = np.flatnonzero(scaled.has_value)
    whole = len(rows) == len(here)
    values = scaled.values if whole else np.ascontiguousarray(scaled.values[:, rows])
    classes = np.ascontiguousarray(here.class_codes[rows], dtype=np.int64)
    records = ScaledRecords(values, classes, np.ascontiguousarray(weights[rows], dtype=np.float64))
    aim = ObliqueObjective(rules_of(options).criterion, max(float(options.min_leaf), 1e-300) - 1e-9, _SLACK * total)
    k = len(here.schema.classes)
    direction = _direction(records, aim, how, random, k, context)
    context.checkpoint()
    weighty = np.flatnonzero(direction)
    if len(weighty) < 2:
        return None
    return _in_own_units(here, scaled, direction, weighty, aim, options, total)


def _direction(
    records: ScaledRecords,
    aim: ObliqueObjective,
    how: ObliqueSearch,
    random: np.random.Generator,
    k: int,
    context: RunContext,
) -> FloatArray:
    """The best direction (d,) of the scaled values; zeros if there is none."""
    from algorithms.learners.trees.kernels.oblique_kernels import MOST_CYCLES, climb, room_for, search

    d, n = records.values.shape
    starts = random.normal(size=(how.restarts, d))
    jumps = random.normal(size=(how.restarts + 1, how.jumps, d))
    direction, some = np.zeros(d), _sample(records)
    searched = records if some is None else _taken(records, some)
    share = float(searched.weights.sum()) / float(records.weights.sum())
    near = aim._replace(least=aim.least * share, slack=aim.slack * share)
    room = room_for(searched.values.shape[1], k)
    search(searched, starts, jumps, how.share, near, room, context.control, direction)
    if some is not None and np.any(direction):
        room = room_for(n, k)
        climb(records, direction, direction != 0.0, np.empty((0, d)), MOST_CYCLES, aim, room, context.control)
    return direction


def _taken(records: ScaledRecords, rows: IntArray) -> ScaledRecords:
    return records._replace(
        values=np.ascontiguousarray(records.values[:, rows]),
        classes=records.classes[rows],
        weights=records.weights[rows],
    )


def _sample(records: ScaledRecords) -> IntArray | None:
    """A sample of about :data:`SAMPLE` weight, chosen by the records themselves; None to search all records."""
    total = float(records.weights.sum())
    if total <= SAMPLE:
        return None
    mixed = records.classes.astype(np.uint64)
    for column in records.values:
        mixed = (mixed ^ (column + 0.0).view(np.uint64)) * _MIXING[0]
        mixed ^= mixed >> np.uint64(29)
    for factor in _MIXING[1:]:
        mixed = (mixed ^ (mixed >> np.uint64(31))) * factor
    rows = np.flatnonzero((mixed >> np.uint64(11)).astype(np.float64) < SAMPLE / total * 2.0**53)
    return rows if len(rows) >= _LEAST_SAMPLE else None


# ---- scales ----------------------------------------------------------------------------------------------------------


def _scaled(here: Dataset) -> _Scaled:
    """The finite, non-constant numeric predictors, scaled; a missing value takes the centre."""
    attributes, values, centres, scales = list[int](), list[FloatArray](), list[float](), list[float]()
    is_known = np.zeros(len(here), dtype=np.bool_)
    weights = here.weight_array
    for index in here.schema.predictors:
        if here.schema.attributes[index].kind is not AttributeKind.NUMERIC:
            continue
        column = np.asarray(here.column(index), dtype=np.float64)
        missing = np.isnan(column)
        scale = _scale(column[~missing], weights[~missing])
        if scale is None:
            continue
        centre, exponent = scale
        is_known |= ~missing
        attributes.append(index)
        values.append(np.where(missing, 0.0, np.ldexp(column, -exponent) - np.ldexp(centre, -exponent)))
        centres.append(centre)
        scales.append(float(np.ldexp(1.0, exponent)))
    stacked = np.array(values) if values else np.zeros((0, len(here)))
    return _Scaled(tuple(attributes), stacked, np.array(centres), np.array(scales), is_known)


def _scale(column: FloatArray, weights: FloatArray) -> tuple[float, int] | None:
    """Mean, rounded to a small part of the scale, and the power of two nearest the standard deviation."""
    if len(column) == 0 or not np.all(np.isfinite(column)):
        return None
    low, high = float(column.min()), float(column.max())
    if low == high:
        return None
    largest = int(np.frexp(max(abs(low), abs(high)))[1])
    small = np.ldexp(column, -largest)
    total = float(weights.sum())
    mean = float(np.dot(small, weights)) / total
    spread = float(np.sqrt(np.dot(np.square(small - mean), weights) / total))
    if not spread > 0.0:
        return None
    exponent = int(np.floor(np.log2(spread) + 0.5))
    unit = float(np.ldexp(1.0, exponent)) / _CENTRE_STEPS
    centre = float(np.ldexp(np.round(mean / unit) * unit, largest))
    exponent += largest
    if not -1000 < exponent < 1000:
        return None
    return centre, exponent


# ---- back in the attributes' own units -------------------------------------------------------------------------------


def _in_own_units(
    here: Dataset,
    scaled: _Scaled,
    direction: FloatArray,
    weighty: IntArray,
    aim: ObliqueObjective,
    options: GrowthOptions,
    total: float,
) -> LinearTest | None:
    """The test with coefficients in the attributes' units, in the fewest digits that split the records as well."""
    order = weighty[np.lexsort((weighty, -np.abs(direction[weighty])))]
    attributes = tuple(scaled.attributes[m] for m in order.tolist())
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        whole = direction[order] / scaled.scale[order]
        whole = whole / whole[0]
    if not np.all(np.isfinite(whole)) or np.any(whole == 0.0):
        return None
    stand_ins = tuple(float(c) for c in scaled.centre[order])
    columns = [np.asarray(here.column(index), dtype=np.float64) for index in attributes]
    exact = judged_sum(here, attributes, whole.tolist(), stand_ins, columns, aim, options, total)
    if exact is None:
        return None
    for digits in _DIGITS:
        rounded = [float(f"{c:.{digits}g}") for c in whole]
        short = judged_sum(here, attributes, rounded, stand_ins, columns, aim, options, total)
        if short is not None and short.gain >= exact.gain - _SLACK:
            return short
    return exact


def judged_sum(
    here: Dataset,
    attributes: tuple[int, ...],
    coefficients: list[float],
    stand_ins: tuple[float, ...],
    columns: Sequence[FloatArray],
    aim: ObliqueObjective,
    options: GrowthOptions,
    total: float,
) -> LinearTest | None:
    """The test with these coefficients and its best threshold on the records with any of the values."""
    from algorithms.learners.trees.kernels.oblique_kernels import NONE, ScaledRecords, best_cut, room_for

    sums, is_known = np.zeros(len(here)), np.zeros(len(here), dtype=np.bool_)
    with np.errstate(over="ignore", invalid="ignore"):
        for column, coefficient, stand_in in zip(columns, coefficients, stand_ins, strict=True):
            missing = np.isnan(column)
            is_known |= ~missing
            sums += coefficient * np.where(missing, stand_in, column)
    if not np.all(np.isfinite(sums)):
        return None
    rows, k = np.flatnonzero(is_known), len(here.schema.classes)
    sums = np.ascontiguousarray(sums[rows])
    classes, weights = here.class_codes[rows].astype(np.int64), here.weight_array[rows].astype(np.float64)
    records = ScaledRecords(sums[None, :], classes, weights)
    mixed, low, high = best_cut(sums, records, aim, room_for(len(rows), k))
    if mixed >= NONE:
        return None
    threshold = between(float(low), float(high))
    children = np.zeros((2, k))
    np.add.at(children, ((sums > threshold).astype(np.int64), classes), weights)
    sides = children.sum(axis=1)
    before = 0.0 if options.criterion == "twoing" else float(disorder(options.criterion, children.sum(axis=0)))
    gain = (before - float(mixed)) / total
    rest = max(0.0, total - float(sides.sum()))
    information = float(split_information(np.array([*sides, rest])[:, None]))
    ratio = gain / information if information > _SLACK else 0.0
    return LinearTest(
        attributes=attributes,
        coefficients=tuple(coefficients),
        stand_ins=stand_ins,
        threshold=threshold,
        gain=gain,
        split_information=information,
        value=ratio if options.criterion == "gain-ratio" else gain,
        children=children,
        missing_to=0 if sides[0] >= sides[1] else 1,
    )


def between(low: float, high: float) -> float:
    """The shortest number in the middle half between low < high; low if there is none."""
    middle, quarter = low + (high - low) / 2, (high - low) / 4
    for digits in range(1, 18):
        rounded = float(f"{middle:.{digits}g}")
        if low + quarter <= rounded <= high - quarter and low <= rounded < high:
            return rounded
    return middle if low <= middle < high else low


@dataclass(frozen=True, eq=False)
class ObliqueSplit:
    """A node's split: a better linear test, else the best split by one attribute as a tree of one split."""

    stump: Tree | None
    linear: LinearTest | None

    @property
    def is_any(self) -> bool:
        return self.linear is not None or (self.stump is not None and not self.stump.is_leaf(0))

    @property
    def value(self) -> float:
        if self.linear is not None:
            return self.linear.value
        return 0.0 if self.stump is None else float(self.stump.gain[0])

    @property
    def n_branches(self) -> int:
        return 2 if self.stump is None or self.linear is not None else int(self.stump.n_children[0])

    def tree(self, schema: Schema) -> Tree:
        """The tree of this split alone."""
        if self.linear is not None:
            return stump_of(schema, self.linear)
        assert self.stump is not None
        return self.stump


def best_question(
    here: Dataset, options: GrowthOptions, how: ObliqueSearch, way: tuple[int, ...], context: RunContext
) -> tuple[ObliqueSplit, LinearTest | None, bool]:
    """The best split of the records, the linear test evaluated, and whether the search was stopped.

    ``way`` are the branches that lead to the node: with the seed they fix its random directions.

    The best question about one attribute stays where no linear test is worth more. Where neither lessens the
    misclassification error, both are judged by Gini, as trees of single attributes are.
    """
    stump = grow(here, replace(options, max_depth=1, max_leaves=None), context).tree
    if context.finishing:
        return ObliqueSplit(stump, None), None, True
    linear, alone = linear_test(here, options, how, random_of(how.seed, way), context), _value(stump, options.criterion)
    if options.criterion == "error" and max(alone, 0.0 if linear is None else linear.value) <= TOLERANCE:
        linear = linear_test(here, replace(options, criterion="gini"), how, random_of(how.seed, way), context)
        alone = _value(stump, "gini")
    least = max(alone, 0.0)
    is_better = linear is not None and linear.value > least + TOLERANCE and linear.value >= options.min_gain - TOLERANCE
    return ObliqueSplit(stump, linear if is_better else None), linear, context.finishing


def _value(stump: Tree, criterion: str) -> float:
    """Value of a tree of one split by a criterion; minus infinity without a split."""
    if stump.is_leaf(0):
        return -np.inf
    return _gain(stump, criterion) if criterion in ("error", "gini") else float(stump.gain[0])


def _gain(stump: Tree, criterion: str) -> float:
    """Decrease of impurity by a tree of one split."""
    whole, children = stump.counts[0], stump.counts[list(stump.children(0))]
    impurity, shares = IMPURITIES[criterion], children.sum(axis=1) / max(float(whole.sum()), 1e-300)
    return float(impurity(whole) - (shares * impurity(children)).sum())


class ObliqueGrowth(FrontierGrowth[ObliqueSplit]):
    """Grows a tree with the splits that :func:`best_question` finds."""

    def __init__(self, data: Dataset, options: GrowthOptions, how: ObliqueSearch, context: RunContext) -> None:
        weights = data.weights
        super().__init__(
            data if weights is None or bool(np.all(weights > 0)) else data.take(weights > 0),
            context.child(1.0, 0),
            least=2.0 * options.min_leaf,
            max_depth=options.max_depth,
            max_leaves=options.max_leaves,
            is_unit=weights is None,
        )
        self.options, self.how, self.work = options, how, context.child(0.0, 1)

    def find_split(self, node: GrowingNode[ObliqueSplit]) -> ObliqueSplit | None:
        split, self.partial = self.asked(self.records(node), node.path)
        return split if split.is_any and not self.partial else None

    def asked(self, here: Dataset, way: tuple[int, ...]) -> tuple[ObliqueSplit, bool]:
        """The split of these records at the end of these branches, and whether the run is to be finished."""
        split, _, stopped = best_question(here, self.options, self.how, way, self.work)
        return split, stopped

    def n_branches(self, split: ObliqueSplit) -> int:
        return split.n_branches

    def urgency(self, split: ObliqueSplit, counts: FloatArray) -> float:
        criterion, gain = self.options.criterion, split.value
        if split.linear is not None:
            gain = split.linear.gain
        elif criterion == "gain-ratio" and split.stump is not None:
            gain = _gain(split.stump, "information-gain")
        return float(np.float32(gain * float(counts.sum())))

    def branches(self, node: GrowingNode[ObliqueSplit]) -> IntArray:
        assert node.split is not None
        return ways_down(node.split.tree(self.data.schema), 0, self.data, node.rows)

    def tree(self) -> Tree:
        assembly, tests = Assembly(self.nodes), list[LinearTest]()
        for i, node in enumerate(self.nodes):
            split = node.split
            if split is None or node.first_child == NO_NODE:
                continue
            if split.linear is not None:
                assembly.set_test(i, split.linear.test, split.linear.missing_to, split.value)
                assembly.offset[i] = len(tests)
                tests.append(split.linear)
            elif split.stump is not None:
                assembly.set_test(i, _test_of(split.stump), int(split.stump.missing_to[0]), split.value)
        return assembly.tree(self.data.schema, self.options.criterion, **_terms(tests))


def random_of(seed: int, way: tuple[int, ...]) -> np.random.Generator:
    """Random generator of the node at the end of these branches, the same at any time."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=way))


def stump_of(schema: Schema, linear: LinearTest) -> Tree:
    """The tree of one linear test."""
    counts = np.vstack([linear.children.sum(axis=0), linear.children])
    tree = one_split(schema, linear.test, counts, GrowthOptions().criterion, linear.missing_to, linear.value)
    tree.offset[0] = 0
    return replace(tree, **_terms([linear]))


def _test_of(stump: Tree) -> PlainTest:
    """The test of a tree of one split by a single attribute."""
    test = SplitTest(int(stump.test[0]))
    branch_of = NO_VALUES if test == SplitTest.NUMERIC else tree_branches(stump, 0)
    return PlainTest(
        int(stump.attribute[0]), test, float(stump.threshold[0]), int(stump.n_children[0]), branch_of=branch_of
    )


def _terms(tests: Sequence[LinearTest]) -> dict[str, Any]:
    """The arrays of linear tests in a tree."""
    return {
        "term_start": np.cumsum([0, *(len(t.attributes) for t in tests)], dtype=np.int32),
        "term_attribute": np.array([a for t in tests for a in t.attributes], dtype=np.int32),
        "term_coefficient": np.array([c for t in tests for c in t.coefficients], dtype=np.float64),
        "term_stand_in": np.array([c for t in tests for c in t.stand_ins], dtype=np.float64),
    }


_COMBINED_GROWTH_DIGITS = 3
"""Significant digits of coefficients; they are random, so more digits would carry no information."""


@dataclass(frozen=True)
class Combinations:
    """``sums`` are made at each node, each of ``terms`` attributes, and one of the ``best_of`` best is asked."""

    sums: int
    terms: int
    best_of: int = 1


class CombinedGrowth(ObliqueGrowth):
    """Grows a tree on records with a known class; the seed and the path of a node fix its random draws.

    Numbers are brought to one spread before they are added. Where a draw has fewer than two numbers, its attributes are
    asked about one by one, so that lists of values have their turn.
    """

    def __init__(self, data: Dataset, options: GrowthOptions, how: Combinations, context: RunContext) -> None:
        seed = int(context.seeds.generate_state(1, np.uint64)[0])
        super().__init__(data, options, ObliqueSearch(seed=seed), context)
        self._combined = how
        self._spread = {index: _spread(self.data.column(index)) for index in self._numbers()}

    def _numbers(self) -> list[int]:
        attributes = self.data.schema.attributes
        return [index for index in self.data.schema.predictors if attributes[index].kind is AttributeKind.NUMERIC]

    def asked(self, here: Dataset, way: tuple[int, ...]) -> tuple[ObliqueSplit, bool]:
        random, single, splits = random_of(self.how.seed, way), set[int](), list[ObliqueSplit]()
        predictors, terms = np.array(here.schema.predictors, dtype=np.int64), self._combined.terms
        for _ in range(self._combined.sums if len(predictors) else 0):
            self.context.checkpoint()
            drawn = random.permutation(predictors)[:terms].tolist()
            coefficients = random.uniform(-1, 1, len(drawn))
            parts = [(i, c / self._spread[i]) for i, c in zip(drawn, coefficients, strict=True) if self._spread.get(i)]
            if len(parts) < 2:
                single |= set(drawn)
                continue
            test = self._sum(here, parts)
            if test is not None and test.value > TOLERANCE:
                splits.append(ObliqueSplit(None, test))
        for index in sorted(single):
            others = [other for other in here.schema.predictors if other != index]
            alone = here.with_schema(here.schema.without_use(others))
            stump = grow(alone, replace(self.options, max_depth=1, max_leaves=None), self.work).tree
            if not stump.is_leaf(0):
                splits.append(ObliqueSplit(replace(stump, schema=here.schema), None))
        if not splits:
            return ObliqueSplit(None, None), self.context.finishing
        splits.sort(key=lambda question: -question.value)
        return splits[int(random.integers(min(self._combined.best_of, len(splits))))], self.context.finishing

    def _sum(self, here: Dataset, parts: list[tuple[int, float]]) -> LinearTest | None:
        """The best threshold of a sum of these attributes with these coefficients."""
        from algorithms.learners.trees.kernels.oblique_kernels import ObliqueObjective

        parts = sorted(parts, key=lambda part: -abs(part[1]) * self._spread[part[0]])
        attributes = tuple(index for index, _ in parts)
        coefficients = [float(f"{c / parts[0][1]:.{_COMBINED_GROWTH_DIGITS}g}") for _, c in parts]
        if not all(np.isfinite(c) and c != 0 for c in coefficients):
            return None
        columns = [np.asarray(here.column(index), dtype=np.float64) for index in attributes]
        if any(np.all(np.isnan(column)) for column in columns):
            return None
        total = float(here.weight_array.sum())
        stand_ins = tuple(_mean(column, here.weight_array) for column in columns)
        least = max(float(self.options.min_leaf), 1e-300) - TOLERANCE
        aim = ObliqueObjective(rules_of(self.options).criterion, least, TOLERANCE * total)
        return judged_sum(here, attributes, coefficients, stand_ins, columns, aim, self.options, total)


def _spread(column: FloatArray) -> float:
    """Standard deviation of the known values of a column; 0 if it has none or it is not finite."""
    numbers = np.asarray(column, dtype=np.float64)
    numbers = numbers[~np.isnan(numbers)]
    with np.errstate(over="ignore", invalid="ignore"):
        spread = float(np.std(np.sort(numbers))) if len(numbers) else 0.0
    return spread if np.isfinite(spread) else 0.0


def _mean(column: FloatArray, weights: FloatArray) -> float:
    """Mean of the known values in a few digits, so that it does not depend on the order of records."""
    is_known = ~np.isnan(column)
    return float(f"{np.average(column[is_known], weights=weights[is_known]):.6g}")
