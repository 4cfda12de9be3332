"""Growth of oblique trees: linear tests found by search, and random combinations (Forest-RC).

Source: Breiman, Random forests, Machine Learning 45 (2001), section 5: L attributes are drawn and added with
coefficients drawn evenly from -1 to 1, F such sums are made at each node, and the best one is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema
from algorithms.learners.trees.growth.engine import grow
from algorithms.learners.trees.growth.frontier_growth import FrontierGrowth, GrowingNode, NodeSplit, one_split
from algorithms.learners.trees.growth.growing_tree import rules_of
from algorithms.learners.trees.growth.growth_options import TOLERANCE, GrowthOptions
from algorithms.learners.trees.growth.split_criteria import IMPURITIES, disorder, split_information
from algorithms.learners.trees.routing import NodeTest, node_test, ways_down
from algorithms.structures.tree import SplitTest, Tree

if TYPE_CHECKING:
    from algorithms.learners.trees.kernels.oblique_kernels import ObliqueObjective, ScaledRecords

SAMPLE: Final = 2048
"""Nodes of more weight search on a sample; all records then refine the test."""
_LEAST_SAMPLE: Final = 512
PER_ATTRIBUTE: Final = 2.0
"""A node must weigh at least so many times the number of its numeric attributes."""
_DIGITS: Final = (2, 3, 4, 5, 6, 8, 10, 12)
_CENTRE_STEPS: Final = 1024
_MIXING: Final = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


@dataclass(frozen=True)
class ObliqueSearch:
    """Options of the search for linear tests.

    ``restarts`` is the number of random starting directions besides the best axis-parallel one, ``jumps`` that of
    random directions at the end of a climb. A coefficient is dropped below ``share`` of the largest importance.
    ``seed`` fixes the random directions independently of the run, so that an explanation finds the same test.
    """

    restarts: int = 10
    jumps: int = 5
    share: float = 0.1
    seed: int = 1


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
    value: float
    children: FloatArray
    missing_to: int


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
    from algorithms.learners.trees.kernels import oblique_kernels as kernels

    scaled, weights, k = _scaled(here), here.weight_array, len(here.schema.classes)
    total, d = float(weights.sum()), len(scaled.attributes)
    if d < 2 or total < PER_ATTRIBUTE * d:
        return None
    records = kernels.ScaledRecords(scaled.values, here.class_codes.astype(np.int64), weights.astype(np.float64))
    if not scaled.has_value.all():
        records = _taken(records, np.flatnonzero(scaled.has_value))
    least = max(float(options.min_leaf), 1e-300) - TOLERANCE
    aim = kernels.ObliqueObjective(rules_of(options).criterion, least, TOLERANCE * total)
    starts = random.normal(size=(how.restarts, d))
    jumps = random.normal(size=(how.restarts + 1, how.jumps, d))
    direction, some = np.zeros(d), _sample(records)
    searched = records if some is None else _taken(records, some)
    share = float(searched.weights.sum()) / float(records.weights.sum())
    near = aim._replace(least=aim.least * share, slack=aim.slack * share)
    room = kernels.room_for(searched.values.shape[1], k)
    kernels.search(searched, starts, jumps, how.share, near, room, context.control, direction)
    if some is not None and np.any(direction):
        room, jumps = kernels.room_for(records.values.shape[1], k), np.empty((0, d))
        active = direction != 0.0
        kernels.climb(records, direction, active, jumps, kernels.MOST_CYCLES, aim, room, context.control)
    context.checkpoint()
    weighty = np.flatnonzero(direction)
    return None if len(weighty) < 2 else _in_own_units(here, scaled, direction, weighty, aim, options)


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


def _in_own_units(
    here: Dataset,
    scaled: _Scaled,
    direction: FloatArray,
    weighty: IntArray,
    aim: ObliqueObjective,
    options: GrowthOptions,
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
    exact = judged_sum(here, attributes, whole.tolist(), stand_ins, aim, options)
    if exact is None:
        return None
    for digits in _DIGITS:
        rounded = [float(f"{c:.{digits}g}") for c in whole]
        short = judged_sum(here, attributes, rounded, stand_ins, aim, options)
        if short is not None and short.gain >= exact.gain - TOLERANCE:
            return short
    return exact


def judged_sum(
    here: Dataset,
    attributes: tuple[int, ...],
    coefficients: list[float],
    stand_ins: tuple[float, ...],
    aim: ObliqueObjective,
    options: GrowthOptions,
) -> LinearTest | None:
    """The test with these coefficients and its best threshold on the records with any of the values."""
    from algorithms.learners.trees.kernels.oblique_kernels import NONE, ScaledRecords, best_cut, room_for

    sums, is_known = np.zeros(len(here)), np.zeros(len(here), dtype=np.bool_)
    with np.errstate(over="ignore", invalid="ignore"):
        for index, coefficient, stand_in in zip(attributes, coefficients, stand_ins, strict=True):
            column = np.asarray(here.column(index), dtype=np.float64)
            missing = np.isnan(column)
            is_known |= ~missing
            sums += coefficient * np.where(missing, stand_in, column)
    if not np.all(np.isfinite(sums)):
        return None
    rows, k, total = np.flatnonzero(is_known), len(here.schema.classes), float(here.weight_array.sum())
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
    ratio = gain / information if information > TOLERANCE else 0.0
    return LinearTest(
        attributes=attributes,
        coefficients=tuple(coefficients),
        stand_ins=stand_ins,
        threshold=threshold,
        gain=gain,
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


@dataclass(eq=False, kw_only=True)
class ObliqueSplit(NodeSplit):
    """A node's split: a linear test, or one of a single attribute, for which ``linear`` is None."""

    linear: LinearTest | None


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
    """Growth with the best linear or attribute tests; seed and path fix the random directions of a node."""

    def __init__(self, data: Dataset, options: GrowthOptions, how: ObliqueSearch, context: RunContext) -> None:
        weights = data.weights
        weighty = data if weights is None or bool(np.all(weights > 0)) else data.take(weights > 0)
        super().__init__(weighty, options, context.child(1.0, 0), is_unit=weights is None)
        self.how, self.work = how, context.child(0.0, 1)

    def find_split(self, node: GrowingNode[ObliqueSplit]) -> ObliqueSplit | None:
        question = self.best_question(self.records(node), node.path)
        self.partial = self.work.finishing
        if question is None or self.partial:
            return None
        linear = question if isinstance(question, LinearTest) else None
        stump = question if isinstance(question, Tree) else stump_of(self.data.schema, question)
        value = float(stump.gain[0])
        gain = value if linear is None else linear.gain
        if linear is None and self.options.criterion == "gain-ratio":
            gain = _gain(stump, "information-gain")
        return ObliqueSplit(
            test=node_test(stump, 0),
            branch=ways_down(stump, 0, self.data, node.rows),
            missing_to=int(stump.missing_to[0]),
            gain=value,
            urgency=float(np.float32(gain * float(node.counts.sum()))),
            linear=linear,
        )

    def best_question(self, here: Dataset, way: tuple[int, ...]) -> LinearTest | Tree | None:
        """The linear test of these records at the end of these branches, or the tree of one split by an attribute.

        The best question about one attribute stays where no linear test is worth more. Where neither lessens the
        misclassification error, both are judged by Gini, as trees of single attributes are.
        """
        options, how = self.options, self.how
        stump = self.stump(here)
        if self.work.finishing:
            return None
        linear = linear_test(here, options, how, random_of(how.seed, way), self.work)
        alone = _value(stump, options.criterion)
        if options.criterion == "error" and max(alone, 0.0 if linear is None else linear.value) <= TOLERANCE:
            linear = linear_test(here, replace(options, criterion="gini"), how, random_of(how.seed, way), self.work)
            alone = _value(stump, "gini")
        is_better = linear is not None and linear.value > max(alone, 0.0) + TOLERANCE
        if linear is not None and is_better and linear.value >= options.min_gain - TOLERANCE:
            return linear
        return None if stump.is_leaf(0) else stump

    def stump(self, here: Dataset) -> Tree:
        """The tree of the best split of these records by one attribute."""
        return grow(here, replace(self.options, max_depth=1, max_leaves=None), self.work).tree

    def tree(self) -> Tree:
        tests = [node.split.linear for node in self.nodes if node.split is not None]
        return _with_terms(super().tree(), [test for test in tests if test is not None])


def random_of(seed: int, way: tuple[int, ...]) -> np.random.Generator:
    """Random generator of the node at the end of these branches, the same at any time."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=way))


def stump_of(schema: Schema, linear: LinearTest) -> Tree:
    counts = np.vstack([linear.children.sum(axis=0), linear.children])
    test = NodeTest(attribute=linear.attributes[0], test=SplitTest.LINEAR, threshold=linear.threshold)
    split = NodeSplit(test=test, missing_to=linear.missing_to, gain=linear.value)
    return _with_terms(one_split(schema, split, counts, GrowthOptions().criterion), [linear])


def _with_terms(tree: Tree, tests: Sequence[LinearTest]) -> Tree:
    """The tree with the terms of its linear tests, in the order of their nodes."""
    tree.offset[tree.test == SplitTest.LINEAR] = np.arange(len(tests))
    return replace(
        tree,
        term_start=np.cumsum([0, *(len(t.attributes) for t in tests)], dtype=np.int32),
        term_attribute=np.array([a for t in tests for a in t.attributes], dtype=np.int32),
        term_coefficient=np.array([c for t in tests for c in t.coefficients], dtype=np.float64),
        term_stand_in=np.array([c for t in tests for c in t.stand_ins], dtype=np.float64),
    )


_COMBINED_GROWTH_DIGITS = 3
"""Significant digits of coefficients; they are random, so more digits would carry no information."""


class CombinedGrowth(ObliqueGrowth):
    """Grows a tree on records with a known class; the seed and the path of a node fix its random draws.

    ``sums`` are made at each node, each of ``terms`` attributes, and one of the ``best_of`` best is asked.
    Numbers are brought to one spread before they are added. Where a draw has fewer than two numbers, its attributes are
    asked about one by one, so that lists of values have their turn.
    """

    def __init__(
        self, data: Dataset, options: GrowthOptions, context: RunContext, *, sums: int, terms: int, best_of: int
    ) -> None:
        seed = int(context.seeds.generate_state(1, np.uint64)[0])
        super().__init__(data, options, ObliqueSearch(seed=seed), context)
        self._sums, self._terms, self._best_of = sums, terms, best_of
        attributes = data.schema.attributes
        numbers = [index for index in data.schema.predictors if attributes[index].kind is AttributeKind.NUMERIC]
        self._spread = {index: _spread(self.data.column(index)) for index in numbers}

    def best_question(self, here: Dataset, way: tuple[int, ...]) -> LinearTest | Tree | None:
        """One of the best sums drawn at the end of these branches, or the tree of one split by an attribute."""
        random, single = random_of(self.how.seed, way), set[int]()
        questions = list[tuple[float, LinearTest | Tree]]()
        predictors = np.array(here.schema.predictors, dtype=np.int64)
        for _ in range(self._sums if len(predictors) else 0):
            self.context.checkpoint()
            drawn = random.permutation(predictors)[: self._terms].tolist()
            coefficients = random.uniform(-1, 1, len(drawn))
            parts = [(i, c / self._spread[i]) for i, c in zip(drawn, coefficients, strict=True) if self._spread.get(i)]
            if len(parts) < 2:
                single |= set(drawn)
                continue
            test = self._sum(here, parts)
            if test is not None and test.value > TOLERANCE:
                questions.append((test.value, test))
        for index in sorted(single):
            others = [other for other in here.schema.predictors if other != index]
            stump = self.stump(here.with_schema(here.schema.without_use(others)))
            if not stump.is_leaf(0):
                questions.append((float(stump.gain[0]), replace(stump, schema=here.schema)))
        if not questions:
            return None
        questions.sort(key=lambda question: -question[0])
        return questions[int(random.integers(min(self._best_of, len(questions))))][1]

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
        return judged_sum(here, attributes, coefficients, stand_ins, aim, self.options)


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
