"""What a classifier would say of a record if its values were others: the ways it goes, and what would flip it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.core.data import Dataset, FloatArray
from algorithms.core.learner import Codes
from algorithms.core.structures import Tree
from algorithms.core.trained import TrainedClassifier
from algorithms.trees.node_records import branches
from algorithms.trees.routing import shares_of_parent

MOST_VALUES: Final = 200
"""Numbers tried for an attribute before the boundary is narrowed down."""
HALVINGS: Final = 40
DIGITS: Final = range(2, 13)

Value = float | int
"""A number, or the code of a value; NaN and -1 are missing."""


@dataclass(frozen=True)
class Way:
    """A leaf that a record reaches with a share of its weight, and the nodes it passes."""

    nodes: tuple[int, ...]
    share: float

    @property
    def leaf(self) -> int:
        return self.nodes[-1]


def ways(tree: Tree, record: Dataset) -> tuple[Way, ...]:
    """The leaves that the one record (under the tree's schema) reaches, the largest share first.

    A value that is missing, or that training never saw at a node, divides the record as the model does.
    """
    shares, found = shares_of_parent(tree), list[Way]()
    waiting: list[Way] = [Way((0,), 1.0)]
    while waiting:
        way = waiting.pop()
        node = way.leaf
        if tree.is_leaf(node):
            found.append(way)
            continue
        branch = int(branches(tree, node, record.column(int(tree.attribute[node])))[0])
        branch = int(tree.missing_to[node]) if branch < 0 else branch
        children = tree.children(node)
        for child in children if branch < 0 else (children[branch],):
            share = way.share * (float(shares[child]) if branch < 0 else 1.0)
            if share > 0:
                waiting.append(Way((*way.nodes, child), share))
    return tuple(sorted(found, key=lambda way: (-way.share, way.leaf)))


@dataclass(frozen=True)
class Flip:
    """A change of one value that changes the decision; ``distance`` is in standard deviations, 1 for a list's value."""

    attribute: int
    value: Value
    decision: int
    distance: float


def one_record(data: Dataset, row: int) -> Dataset:
    """One record as a data set of its own, which is cheap to change whatever it came from."""
    at = np.array([row], dtype=np.int64)
    return Dataset(data.schema, [data.cells(index, at) for index in range(len(data.schema))])


def changed(record: Dataset, values: Mapping[int, Value]) -> Dataset:
    """The one record with other values, by the position of their attribute."""
    attributes = record.schema.attributes
    return record.with_columns({index: (attributes[index], np.array([value])) for index, value in values.items()})


def flips(
    trained: TrainedClassifier,
    data: Dataset,
    record: Dataset,
    attributes: Sequence[int],
    checkpoint: Callable[[], None] = lambda: None,
) -> tuple[Flip, ...]:
    """For each of the attributes the nearest value that changes the decision on the one record, the smallest first.

    ``data`` says which values there are. Numbers are tried where they occur, then narrowed down to the boundary.
    """
    said = int(trained.predict(record)[0])
    found = []
    for index in attributes:
        checkpoint()
        flip = _flip(trained, data, record, index, said)
        if flip is not None:
            found.append(flip)
    return tuple(sorted(found, key=lambda flip: flip.distance))


def _said(trained: TrainedClassifier, record: Dataset, index: int, values: FloatArray) -> Codes:
    """What the model says of the record with each of these values (n,)."""
    columns = [np.repeat(record.column(i), len(values)) for i in range(len(record.schema))]
    columns[index] = values
    return trained.predict(Dataset(record.schema, columns))


def _flip(trained: TrainedClassifier, data: Dataset, record: Dataset, index: int, said: int) -> Flip | None:
    attribute = record.schema.attributes[index]
    now = float(record.column(index)[0])
    if attribute.kind.is_coded:
        codes = np.arange(len(attribute.values), dtype=np.float64)
        decisions = _said(trained, record, index, codes)
        other = np.flatnonzero((decisions != said) & (codes != now))
        if len(other) == 0:
            return None
        steps = np.abs(other - now) if attribute.kind.value == "ordinal" and now >= 0 else np.zeros(len(other))
        best = int(other[np.argmin(steps)])
        return Flip(index, best, int(decisions[best]), 1.0)
    column = np.asarray(data.column(index), dtype=np.float64)
    known = np.unique(column[np.isfinite(column)])
    if len(known) == 0 or not attribute.kind.is_float:
        return None
    if len(known) > MOST_VALUES:
        known = np.unique(np.quantile(known, np.linspace(0, 1, MOST_VALUES), method="nearest"))
    decisions = _said(trained, record, index, known)
    other = np.flatnonzero(decisions != said)
    if len(other) == 0:
        return None
    middle, scale = float(np.median(known)) if now != now else now, float(np.nanstd(column)) or 1.0
    best = int(other[np.argmin(np.abs(known[other] - middle))])
    value = float(known[best]) if now != now else _narrowed(trained, record, index, now, float(known[best]), said)
    decision = int(_said(trained, record, index, np.array([value]))[0])
    return Flip(index, value, decision, abs(value - middle) / scale)


def _narrowed(trained: TrainedClassifier, record: Dataset, index: int, now: float, there: float, said: int) -> float:
    """The number nearest to ``now`` on the way to ``there`` that still changes the decision, in few digits."""
    near, far = now, there
    for _ in range(HALVINGS):
        middle = near / 2 + far / 2
        if middle in (near, far):
            break
        if int(_said(trained, record, index, np.array([middle]))[0]) == said:
            near = middle
        else:
            far = middle
    tries = [round_away(far, now, digits) for digits in DIGITS]
    inside = [value for value in tries if min(far, there) <= value <= max(far, there)]
    if inside:
        flipped = _said(trained, record, index, np.array(inside)) != said
        if flipped.any():
            near_enough = [
                v for v, ok in zip(inside, flipped, strict=True) if ok and abs(v - far) <= 0.05 * abs(far - now)
            ]
            return near_enough[0] if near_enough else far
    return far


def round_away(value: float, origin: float, digits: int) -> float:
    """The value in so many significant digits, rounded away from the origin."""
    if value == 0 or not np.isfinite(value):
        return value
    unit = 10.0 ** (np.floor(np.log10(abs(value))) - digits + 1)
    steps = np.ceil(value / unit) if value > origin else np.floor(value / unit)
    return float(f"{steps * unit:.{digits}g}")
