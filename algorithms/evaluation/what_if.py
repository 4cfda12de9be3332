"""What if one record had other values: its path in a tree, effects of attributes, and changes of the decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
    probabilities, widest = variants.probabilities(index, values), NARROW * np.ptp(values) if len(values) else 0.0
    while not record.schema.attributes[index].kind.is_coded:
        is_step = np.abs(np.diff(probabilities, axis=0)).max(axis=1, initial=0.0) > LEAST_STEP
        after = np.flatnonzero(is_step & (np.diff(values) > widest)) + 1
        if not len(after):
            break
        middle = values[after - 1] / 2 + values[after] / 2
        probabilities = np.insert(probabilities, after, variants.probabilities(index, middle), axis=0)
        values = np.insert(values, after, middle)
    return AttributeEffect(index, values, probabilities)


@dataclass(frozen=True)
class SimilarRecord:
    """A record by its row, and its Euclidean distance over standardized attributes."""

    row: int
    distance: float


def nearest_of_another_class(
    data: Dataset, record: Dataset, label: str, context: RunContext, besides: int | None = None
) -> SimilarRecord | None:
    """The most similar record of another class, or None: numbers by deviations, other differences count 1."""
    schema = data.schema
    if schema.class_index is None or not schema.class_attribute.kind.is_coded:
        return None
    own = schema.classes.index(label) if label in schema.classes else -1
    codes = data.class_codes
    rows = np.flatnonzero((codes >= 0) & (codes != own))
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

    def probabilities(self, index: int, values: FloatArray) -> FloatArray:
        """Class probabilities (v, k) with these values (v,) of one attribute."""
        most = max(1, MOST_CELLS // max(1, len(self._cells)))
        parts = []
        for start in range(0, max(1, len(values)), most):
            self.pause()
            some = values[start : start + most]
            columns = [np.repeat(cell, len(some)) for cell in self._cells]
            columns[index][:] = some
            parts.append(self._trained.judged(Dataset(self._record.schema, columns), self._context).probabilities)
        return np.concatenate(parts).astype(np.float64)

    def _decisions_at_once(self, part: Sequence[tuple[int, FloatArray]]) -> list[Codes]:
        """Decisions for the record with each value (n,) of each attribute."""
        ends = np.cumsum([len(values) for _, values in part])
        columns = [np.repeat(cell, ends[-1]) for cell in self._cells]
        for (index, values), end in zip(part, ends.tolist(), strict=True):
            columns[index][end - len(values) : end] = values
        return np.split(self.decide(Dataset(self._record.schema, columns)), ends[:-1])

    def decide(self, records: Dataset) -> Codes:
        """Decision for each record (n,)."""
        predictions = self._trained.judged(records, self._context)
        return predictions.decisions if self._decide is None else self._decide.on(predictions, records)


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
    if record.schema.attributes[index].kind.is_coded:
        return DecisionFlip(index, int(value), decision, 1.0)
    column = np.asarray(data.column(index), dtype=np.float64)
    distance = abs(value - _value_or_median(data, record, index)) / _deviation(column)
    return DecisionFlip(index, value, decision, distance)


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
