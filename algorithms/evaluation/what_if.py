"""What if one record had other values: its path in a tree, effects of attributes, and changes of the decision.

A change of several attributes is measured as by Wachter et al. (2018): a weighted sum of absolute differences. The
weights are 1 / standard deviation here, and a nominal value counts 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from math import comb
from typing import Final

import numpy as np

from algorithms.core.learner import Codes
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.costs.decision_rules import DecisionRule
from algorithms.learners.trees.routing import part_down, shares_of_parent, soft_shares, ways_down
from algorithms.structures.rule_set import RuleSet
from algorithms.structures.tree import SplitTest, Tree

MOST_VALUES: Final = 200
"""Largest number of values of an attribute to try before bisection."""
HALVINGS: Final = 40
FINER: Final = np.arange(1.0, 12.0)
"""Decimals beyond those of the data that a value may have to lie just past a threshold."""
NEXT_TO_NOTHING: Final = 0.05
"""Largest rounding of a value, as a share of its change."""
MOST_CELLS: Final = 2_000_000
N_PLACES: Final = 101
"""Evenly spaced numbers at which the effect of an attribute is computed, besides the candidates for a flip."""
LEAST_STEP: Final = 0.01
"""Smallest difference of probabilities between neighbouring values that is narrowed down."""
NARROW: Final = 1e-4
"""Width, as a share of an attribute's range, from which a step counts as vertical."""
_HAIR: Final = 1e-9
MOST_COMBINED: Final = 60_000
"""Changes of several attributes to predict, for each number of attributes."""
FIRST_TRIED: Final = 256
"""The smallest so many changes are predicted first, then four times as many, until one flips the decision."""
MOST_JOINED: Final = 60
"""So many attributes are tried together."""
MOST_ATTRIBUTES: Final = {2: 12, 3: 8}
"""So many attributes are combined where not all changes of two or three can be predicted."""

Value = float | int
"""A number (NaN if missing) or a value's code (-1 if missing)."""


@dataclass(frozen=True)
class LeafPath:
    """A leaf that a share of a record reaches, with the nodes on its path."""

    nodes: tuple[int, ...]
    share: float

    @property
    def leaf(self) -> int:
        return self.nodes[-1]


def ways(tree: Tree, record: Dataset) -> tuple[LeafPath, ...]:
    """Leaves that a record reaches, by share; missing, unseen and soft values split it as in the model."""
    shares, paths = shares_of_parent(tree), list[LeafPath]()
    waiting: list[LeafPath] = [LeafPath((0,), 1.0)]
    while waiting:
        way = waiting.pop()
        node = way.leaf
        if tree.is_leaf(node):
            paths.append(way)
            continue
        row = np.zeros(1, dtype=np.int64)
        branch, left = ways_down(tree, node, record, row), soft_shares(tree, node, record, row)
        for nth, child in enumerate(tree.children(node)):
            share = way.share * float(part_down(branch, left, nth, float(shares[child]))[0])
            if share > 0:
                waiting.append(LeafPath((*way.nodes, child), share))
    return tuple(sorted(paths, key=lambda way: (-way.share, way.leaf)))


@dataclass(frozen=True)
class DecisionFlip:
    """A value that changes the decision; ``distance`` in standard deviations, 1 for nominal values."""

    attribute: int
    value: Value
    decision: int
    distance: float


def one_record(data: Dataset, row: int) -> Dataset:
    """One record as a separate data set, which is cheap to change."""
    rows = np.array([row], dtype=np.int64)
    return Dataset(data.schema, [data.cells(index, rows) for index in range(len(data.schema))])


def changed(record: Dataset, values: Mapping[int, Value]) -> Dataset:
    """The record with other values, by attribute index."""
    attributes = record.schema.attributes
    return record.with_columns({index: (attributes[index], np.array([value])) for index, value in values.items()})


def flips(
    trained: TrainedClassifier,
    data: Dataset,
    record: Dataset,
    attributes: Sequence[int],
    context: RunContext,
    pause: Callable[[], None] = lambda: None,
    decide: DecisionRule | None = None,
) -> tuple[DecisionFlip, ...]:
    """For each attribute, the nearest value that changes the decision for the record, by ascending distance.

    ``data`` supplies candidate values. Numbers are tried where they occur, then bisected to the boundary, and
    rounded to lie just past it. ``context`` is checked often for a stop, and ``pause`` is called as often.
    ``decide`` replaces the model's own decisions.
    """
    variants = _Variants(trained, record, context, pause, decide)
    own = int(variants.decide(record)[0])
    tries = []
    for index in attributes:
        variants.pause()
        tries.append((index, _values_to_try(trained, data, record, index)))
    nearest: dict[int, float] = {}
    for (index, values), decisions in zip(tries, variants.decisions(tries), strict=True):
        others = values[decisions != own]
        if len(others):
            nearest[index] = _nearest(data, record, index, others)
    boundaries = _bisected(variants, data, nearest, own)
    boundaries |= _snapped_to_data(variants, data, boundaries, own)
    values_found = list(boundaries.items())
    decided = variants.decisions([(index, np.array([value])) for index, value in values_found])
    alternatives = [
        _flip(data, record, index, value, int(decision[0]))
        for (index, value), decision in zip(values_found, decided, strict=True)
    ]
    return tuple(sorted(alternatives, key=lambda flip: flip.distance))


@dataclass(frozen=True)
class JointChange:
    """Values of one or more attributes that together change the decision: none of them can be dropped."""

    parts: tuple[DecisionFlip, ...]

    @property
    def decision(self) -> int:
        return self.parts[0].decision

    @property
    def distance(self) -> float:
        """Sum over the attributes: absolute differences in standard deviations, 1 for each nominal value."""
        return sum(part.distance for part in self.parts)

    @property
    def values(self) -> dict[int, Value]:
        return {part.attribute: part.value for part in self.parts}


def joint_changes(
    trained: TrainedClassifier,
    data: Dataset,
    record: Dataset,
    attributes: Sequence[int],
    singles: Sequence[DecisionFlip],
    context: RunContext,
    pause: Callable[[], None] = lambda: None,
    decide: DecisionRule | None = None,
    most: int = MOST_COMBINED,
) -> tuple[JointChange, ...]:
    """The smallest change of two attributes, and of three: each if it is smaller than all changes of fewer attributes.

    ``singles`` are the :func:`flips` of the attributes. The values that these try are combined, at most ``most`` of
    them: if they are more, evenly spaced ones of the attributes that alone lower the probability of the decision most.
    Numbers are then moved towards the record's.
    """
    variants = _Variants(trained, record, context, pause, decide)
    own = int(variants.decide(record)[0])
    least = min((flip.distance for flip in singles), default=np.inf)
    steps = _steps(variants, trained, data, record, attributes[:MOST_JOINED], own)
    found: list[JointChange] = []
    for size in (2, 3):
        nearest: dict[int, float] | None = None
        for group in combinations(_thinned(steps, size, most), size):
            if (closer := _least_of(variants, group, own, least)) is not None:
                nearest, least = closer
        if nearest is not None:
            change = _tightened(variants, data, nearest, own)
            decision = variants.decision_with(change)
            parts = [_flip(data, record, index, value, decision) for index, value in change.items()]
            found.append(JointChange(tuple(sorted(parts, key=lambda part: (-part.distance, part.attribute)))))
            least = found[-1].distance
    return tuple(found)


_Steps = tuple[int, FloatArray, FloatArray]
"""An attribute, values (v,) of it that alone do not flip the decision, and their distances (v,)."""


def _steps(
    variants: _Variants,
    trained: TrainedClassifier,
    data: Dataset,
    record: Dataset,
    attributes: Sequence[int],
    own_class: int,
) -> list[_Steps]:
    """The steps of each attribute that has any; first the one that most lowers the probability of the decision."""
    steps: list[tuple[float, _Steps]] = []
    for index in attributes:
        values = _values_to_try(trained, data, record, index)
        values = values[values != variants.own(index)]
        decisions, probabilities = variants.judged({index: values})
        values, shares = values[decisions == own_class], probabilities[decisions == own_class, own_class]
        if len(values):
            steps.append((float(shares.min()), (index, values, _distances(data, record, index, values))))
    return [step for _, step in sorted(steps, key=lambda pair: pair[0])]


def _thinned(steps: Sequence[_Steps], size: int, most: int) -> list[_Steps]:
    """Steps whose combinations of ``size`` are at most ``most``: of the first attributes, evenly spaced values."""
    first = steps[: MOST_ATTRIBUTES[size]]
    n = max(2, int((most / max(1, comb(len(first), size))) ** (1 / size)))
    kept = [
        np.unique(np.linspace(0, len(values) - 1, min(n, len(values))).round().astype(int)) for _, values, _ in first
    ]
    return [(index, values[some], far[some]) for (index, values, far), some in zip(first, kept, strict=True)]


def _least_of(
    variants: _Variants, group: Sequence[_Steps], own_class: int, least: float
) -> tuple[dict[int, float], float] | None:
    """The minimal change with a step of each attribute of a group, and its distance, if that is below ``least``."""
    distances = reduce(np.add.outer, [far for _, _, far in group])
    places = np.flatnonzero(distances.ravel() < least)
    places = places[np.argsort(distances.ravel()[places], kind="stable")]
    start, n_tried = 0, FIRST_TRIED
    while start < len(places):
        some = np.unravel_index(places[start : start + n_tried], distances.shape)
        start, n_tried = start + n_tried, 4 * n_tried
        tried = {index: values[place] for (index, values, _), place in zip(group, some, strict=True)}
        for row in np.flatnonzero(variants.judged(tried)[0] != own_class).tolist():
            change = {index: float(values[row]) for index, values in tried.items()}
            if _is_minimal(variants, change, own_class):
                return change, float(distances[tuple(part[row] for part in some)])
    return None


def _is_minimal(variants: _Variants, change: Mapping[int, float], own_class: int) -> bool:
    """Whether the change flips the decision, and no part of it does."""
    parts = [dict(some) for size in range(1, len(change) + 1) for some in combinations(change.items(), size)]
    return all((variants.decision_with(part) != own_class) == (len(part) == len(change)) for part in parts)


def _tightened(variants: _Variants, data: Dataset, change: dict[int, float], own_class: int) -> dict[int, float]:
    """The change with each number moved to the boundary of the decision, one after the other, while it is minimal."""
    for index in change:
        others = variants.with_values({other: value for other, value in change.items() if other != index})
        moved = _bisected(others, data, {index: change[index]}, own_class)
        closer = {**change, **moved, **_snapped_to_data(others, data, moved, own_class)}
        if _is_minimal(variants, closer, own_class):
            change = closer
    return change


@dataclass(frozen=True, eq=False)
class AttributeEffect:
    """Class probabilities (v, k) at ascending values or codes (v,) of one attribute of a record."""

    attribute: int
    values: FloatArray
    probabilities: FloatArray


def effect_of(
    trained: TrainedClassifier,
    data: Dataset,
    record: Dataset,
    index: int,
    context: RunContext,
    pause: Callable[[], None] = lambda: None,
) -> AttributeEffect:
    """Individual conditional expectation (Goldstein et al. 2015): probabilities along an attribute.

    A step between neighbouring values is bisected until it is narrow, so a piecewise constant model has vertical steps.
    """
    own = float(record.column(index)[0])
    values = _values_to_try(trained, data, record, index)
    if record.schema.attributes[index].kind.is_coded:
        values = np.arange(len(record.schema.attributes[index].values), dtype=np.float64)
    elif len(values):
        ends = (values[0], values[-1]) if own != own else (min(values[0], own), max(values[-1], own))
        values = np.unique(np.concatenate((values, np.linspace(*ends, N_PLACES))))
    variants = _Variants(trained, record, context, pause, None)
    probabilities, widest = variants.judged({index: values})[1], NARROW * np.ptp(values) if len(values) else 0.0
    while not record.schema.attributes[index].kind.is_coded:
        is_step = np.abs(np.diff(probabilities, axis=0)).max(axis=1, initial=0.0) > LEAST_STEP
        after = np.flatnonzero(is_step & (np.diff(values) > widest)) + 1
        if not len(after):
            break
        middle = values[after - 1] / 2 + values[after] / 2
        probabilities = np.insert(probabilities, after, variants.judged({index: middle})[1], axis=0)
        values = np.insert(values, after, middle)
    return AttributeEffect(index, values, probabilities)


@dataclass(frozen=True)
class SimilarRecord:
    """A record by its row, and its Euclidean distance over standardized attributes."""

    row: int
    distance: float


def nearest_record(
    data: Dataset,
    record: Dataset,
    label: str,
    context: RunContext,
    besides: int | None = None,
    *,
    of_label: bool = False,
) -> SimilarRecord | None:
    """The most similar record of a class other than ``label``, or of it if ``of_label``; None if there is none.

    Numbers count by deviations, and other differences 1.
    """
    schema = data.schema
    if schema.class_index is None or not schema.class_attribute.kind.is_coded:
        return None
    own = schema.classes.index(label) if label in schema.classes else -1
    codes = data.class_codes
    rows = np.flatnonzero((codes >= 0) & ((codes == own) == of_label))
    rows = rows[rows != besides] if besides is not None else rows
    if not len(rows):
        return None
    squares = np.zeros(len(rows))
    for index in schema.predictors:
        context.checkpoint()
        kind, now = schema.attributes[index].kind, float(record.column(index)[0])
        if kind.is_coded:
            squares += data.column(index)[rows] != now
        elif kind.is_float:
            column = np.asarray(data.column(index), dtype=np.float64)
            with np.errstate(invalid="ignore", over="ignore"):
                difference = (column[rows] - now) / _deviation(column)
            squares += np.where(np.isfinite(difference), difference * difference, 1.0)
    best = int(np.argmin(squares))
    return SimilarRecord(int(rows[best]), float(np.sqrt(squares[best])))


class _Variants:
    """Decisions of the model for variants of one record."""

    def __init__(
        self,
        trained: TrainedClassifier,
        record: Dataset,
        context: RunContext,
        pause: Callable[[], None],
        decide: DecisionRule | None,
    ) -> None:
        self._trained, self._record, self._context, self._pause = trained, record, context, pause
        self._decide = decide
        self._cells = [record.column(i) for i in range(len(record.schema))]

    def own(self, index: int) -> float:
        """The record's value, NaN if missing."""
        return float(self._cells[index][0])

    def is_number(self, index: int) -> bool:
        return self._record.schema.attributes[index].kind.is_float

    def decisions(self, tries: Sequence[tuple[int, FloatArray]]) -> list[Codes]:
        """Decisions (n,) for each attribute with its values (n,)."""
        decided: list[Codes] = []
        waiting = list(tries)
        while waiting:
            self.pause()
            part = [waiting.pop(0)]
            n_rows = len(part[0][1])
            while waiting and (n_rows + len(waiting[0][1])) * len(self._cells) <= MOST_CELLS:
                n_rows += len(waiting[0][1])
                part.append(waiting.pop(0))
            decided.extend(self._decisions_at_once(part))
        return decided

    def pause(self) -> None:
        """Check for a stop, and let other threads run."""
        self._context.checkpoint()
        self._pause()

    def _decisions_at_once(self, part: Sequence[tuple[int, FloatArray]]) -> list[Codes]:
        """Decisions for the record with each value (n,) of each attribute."""
        ends = np.cumsum([len(values) for _, values in part])
        columns = [np.repeat(cell, ends[-1]) for cell in self._cells]
        for (index, values), end in zip(part, ends.tolist(), strict=True):
            columns[index][end - len(values) : end] = values
        return np.split(self.decide(Dataset(self._record.schema, columns)), ends[:-1])

    def decide(self, records: Dataset) -> Codes:
        """Decision for each record (n,)."""
        return self._judged(records)[0]

    def judged(self, values: Mapping[int, FloatArray]) -> tuple[Codes, FloatArray]:
        """Decisions (v,) and class probabilities (v, k) with these values (v,) of attributes, each with all others."""
        n_rows = len(next(iter(values.values())))
        most = max(1, MOST_CELLS // max(1, len(self._cells)))
        parts = []
        for start in range(0, max(1, n_rows), most):
            self.pause()
            columns = [np.repeat(cell, min(most, n_rows - start)) for cell in self._cells]
            for index, column in values.items():
                columns[index][:] = column[start : start + most]
            parts.append(self._judged(Dataset(self._record.schema, columns)))
        return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])

    def decision_with(self, values: Mapping[int, float]) -> int:
        return int(self.judged({index: np.array([value]) for index, value in values.items()})[0][0])

    def with_values(self, values: Mapping[int, float]) -> _Variants:
        """Variants of the record with these values of some attributes."""
        return _Variants(self._trained, changed(self._record, values), self._context, self._pause, self._decide)

    def _judged(self, records: Dataset) -> tuple[Codes, FloatArray]:
        predictions = self._trained.judged(records, self._context)
        decisions = predictions.decisions if self._decide is None else self._decide.on(predictions, records)
        return decisions, predictions.probabilities.astype(np.float64)


def _values_to_try(trained: TrainedClassifier, data: Dataset, record: Dataset, index: int) -> FloatArray:
    """Candidate values of an attribute (n,): codes, or numbers from the data and around thresholds."""
    attribute = record.schema.attributes[index]
    now = float(record.column(index)[0])
    if attribute.kind.is_coded:
        codes = np.arange(len(attribute.values), dtype=np.float64)
        return np.asarray(codes[codes != now])
    if not attribute.kind.is_float:
        return np.zeros(0)
    column = np.asarray(data.column(index), dtype=np.float64)
    distinct = np.unique(column[np.isfinite(column)])
    if len(distinct) > MOST_VALUES:
        distinct = np.unique(np.quantile(distinct, np.linspace(0, 1, MOST_VALUES), method="nearest"))
    tree = trained.structure()
    if isinstance(tree, Tree) and attribute.name in tree.schema:
        asking = (tree.attribute == tree.schema.index_of(attribute.name)) & (tree.test == SplitTest.NUMERIC)
        thresholds = np.unique(tree.threshold[asking])
        above = np.nextafter(thresholds, np.inf)
        crossings = np.zeros(0) if trained.filters else _crossings(tree, aligned(tree.schema, record), attribute.name)
        distinct = np.unique(np.concatenate((distinct, thresholds, above, crossings)))
    if isinstance(tree, RuleSet) and attribute.name in tree.schema:
        asking = (tree.attribute == tree.schema.index_of(attribute.name)) & (tree.offset < 0)
        bounds = np.concatenate((tree.low[asking], tree.high[asking]))
        bounds = np.unique(bounds[np.isfinite(bounds)])
        near = (np.nextafter(bounds, -np.inf), bounds, np.nextafter(bounds, np.inf))
        distinct = np.unique(np.concatenate((distinct, *near)))
    return distinct


def _crossings(tree: Tree, record: Dataset, name: str) -> FloatArray:
    """Values of a number just on either side of each linear test's boundary."""
    of_attribute = np.flatnonzero(tree.term_attribute == tree.schema.index_of(name))
    if len(of_attribute) == 0:
        return np.zeros(0)
    own = np.array([float(record.column(int(index))[0]) for index in tree.term_attribute])
    terms = tree.term_coefficient * np.where(np.isnan(own), tree.term_stand_in, own)
    test = np.searchsorted(tree.term_start, of_attribute, side="right") - 1
    others = np.add.reduceat(terms, tree.term_start[:-1])[test] - terms[of_attribute]
    thresholds = np.full(len(tree.term_start) - 1, np.nan)
    linear = tree.test == SplitTest.LINEAR
    thresholds[tree.offset[linear]] = tree.threshold[linear]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        crossing = (thresholds[test] - others) / tree.term_coefficient[of_attribute]
        crossings = np.concatenate((crossing - _HAIR * np.abs(crossing), crossing, crossing + _HAIR * np.abs(crossing)))
    return np.asarray(crossings[np.isfinite(crossings)])


def _nearest(data: Dataset, record: Dataset, index: int, others: FloatArray) -> float:
    """The candidate nearest to the record's value, or to the median if that is missing."""
    now, kind = float(record.column(index)[0]), record.schema.attributes[index].kind
    if kind.is_coded:
        steps = np.abs(others - now) if kind.value == "ordinal" and now >= 0 else np.zeros(len(others))
        return float(others[np.argmin(steps)])
    return float(others[np.argmin(np.abs(others - _value_or_median(data, record, index)))])


def _bisected(variants: _Variants, data: Dataset, nearest: dict[int, float], own_class: int) -> dict[int, float]:
    """The values bisected towards the record's while they change the decision, rounded."""
    bisected = dict(nearest)
    own = {index: variants.own(index) for index in nearest}
    numbers = [index for index in nearest if own[index] == own[index] and variants.is_number(index)]
    near, far = {i: own[i] for i in numbers}, {i: nearest[i] for i in numbers}
    moving = list(numbers)
    for _ in range(HALVINGS):
        middle = {i: near[i] / 2 + far[i] / 2 for i in moving}
        moving = [i for i in moving if middle[i] not in (near[i], far[i])]
        if not moving:
            break
        for index, decision in zip(
            moving, variants.decisions([(i, np.array([middle[i]])) for i in moving]), strict=True
        ):
            (near if int(decision[0]) == own_class else far)[index] = middle[index]
    rounded = {i: _in_few_digits(far[i], own[i], _unit(data, i)) for i in numbers}
    flipped = variants.decisions(list(rounded.items()))
    for (index, values), decisions in zip(rounded.items(), flipped, strict=True):
        still = values[decisions != own_class]
        bisected[index] = float(still[0]) if len(still) else far[index]
    return bisected


def _snapped_to_data(
    variants: _Variants, data: Dataset, nearest_by_column: dict[int, float], decision: int
) -> dict[int, float]:
    """Replacements of values that the column would not contain, by the next integer or the next value in the data."""
    tries: dict[int, FloatArray] = {}
    for index, value in nearest_by_column.items():
        own = variants.own(index)
        if not variants.is_number(index) or own != own or value == own:
            continue
        column = np.asarray(data.column(index), dtype=np.float64)
        column = column[np.isfinite(column)]
        if np.all(column == np.rint(column)):
            tries[index] = np.array([np.ceil(value) if value > own else np.floor(value)])
        elif abs(value - own) <= _HAIR * float(np.ptp(column)):
            beyond = column[column >= value] if value > own else column[column <= value]
            tries[index] = np.array([beyond.min() if value > own else beyond.max()]) if len(beyond) else np.zeros(0)
    decisions = variants.decisions(list(tries.items()))
    pairs = zip(tries.items(), decisions, strict=True)
    return {index: float(values[0]) for (index, values), decision_then in pairs if np.any(decision_then != decision)}


def _unit(data: Dataset, index: int) -> float:
    """The power of ten of which all numbers of a column are multiples, but at least 0.1% of their range."""
    column = np.asarray(data.column(index), dtype=np.float64)
    column = column[np.isfinite(column)]
    unit = 10.0 ** np.floor(np.log10((np.ptp(column) if len(column) else 0.0) or 1.0))
    for _ in range(3):
        if np.allclose(column / unit, np.rint(column / unit), rtol=0, atol=_HAIR):
            break
        unit /= 10
    return float(unit)


def _in_few_digits(value: float, own: float, unit: float) -> FloatArray:
    """Roundings of the number to tenths of the ``unit`` and finer: to the nearest, then away from the record's."""
    steps = ((np.rint(value / step) + n, step) for step in unit / 10.0**FINER for n in (0, np.sign(value - own)))
    tries = [float(f"{n * step:.12g}") for n, step in steps]
    return np.array([v for v in tries if v != own and abs(v - value) <= NEXT_TO_NOTHING * abs(value - own)])


def _flip(data: Dataset, record: Dataset, index: int, value: float, decision: int) -> DecisionFlip:
    (distance,) = _distances(data, record, index, np.array([value])).tolist()
    return DecisionFlip(
        index, int(value) if record.schema.attributes[index].kind.is_coded else value, decision, distance
    )


def _distances(data: Dataset, record: Dataset, index: int, values: FloatArray) -> FloatArray:
    """Distances (v,) of values of an attribute from the record's, or from the median if that is missing."""
    if record.schema.attributes[index].kind.is_coded:
        return np.ones(len(values))
    column = np.asarray(data.column(index), dtype=np.float64)
    return np.abs(values - _value_or_median(data, record, index)) / _deviation(column)


def _deviation(column: FloatArray) -> float:
    """The sample standard deviation (n − 1) of a column; 1 if it is zero or has fewer than two numbers."""
    present = column[np.isfinite(column)]
    return float(present.std(ddof=1)) or 1.0 if len(present) > 1 else 1.0


def _value_or_median(data: Dataset, record: Dataset, index: int) -> float:
    """The record's number, or the median of all if missing."""
    own = float(record.column(index)[0])
    return float(np.nanmedian(np.asarray(data.column(index), dtype=np.float64))) if own != own else own


SAME_REACH: Final = 1e-6
"""Effects whose sizes differ by no more than this share are equally large."""


def reach(effect: AttributeEffect, code: int, threshold: tuple[int, float] | None) -> tuple[bool, float]:
    """Whether another value changes the prediction ``code``, and how far its probability goes from low to high."""
    shares = effect.probabilities
    if not len(effect.values):
        return False, 0.0
    changes = bool((shares.argmax(axis=1) != code).any())
    if threshold is not None:
        needs = shares[:, threshold[0]] >= threshold[1]
        changes = bool((needs != (code == threshold[0])).any())
    return changes, float(np.ptp(shares[:, code]))


def largest_effect(
    effects: Sequence[AttributeEffect], code: int, threshold: tuple[int, float] | None, places: Mapping[int, int]
) -> AttributeEffect:
    """The effect that changes the prediction ``code``, if any does, and moves its probability furthest.

    Of equally large ones it is that of the attribute with the first place in the model, then in the table.
    """
    sizes = [reach(effect, code, threshold) for effect in effects]
    changes, most = max(sizes)
    enough = most * (1 - SAME_REACH)
    largest = [effect for effect, size in zip(effects, sizes, strict=True) if size[0] == changes and size[1] >= enough]
    return min(largest, key=lambda effect: (places.get(effect.attribute, len(places)), effect.attribute))
