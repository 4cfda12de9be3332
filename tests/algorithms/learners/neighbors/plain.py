"""The slow, obvious twin of the search: every distance by its definition, every record looked at."""

from __future__ import annotations

import numpy as np

from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.structures.prototypes import Prototypes

EQUAL = 1e-10
"""Distances that differ relatively by no more are the same: the search rounds to 40 bits."""


def difference(kept: Prototypes, data: Dataset, index: int, one: float, other: float) -> float | None:
    """How far two values of an attribute are apart by the settings of ``kept``; None where they do not count."""
    attribute, column = data.schema.attributes[index], np.asarray(data.column(index), dtype=float)
    is_listed = attribute.kind is AttributeKind.NOMINAL
    known = column[column >= 0] if attribute.kind.is_coded else column[~np.isnan(column)]
    unknown = [value < 0 if attribute.kind.is_coded else bool(np.isnan(value)) for value in (one, other)]
    low, high = (known.min(), known.max()) if len(known) else (0.0, 0.0)
    unit = {"range": high - low, "none": 1.0, "z-score": known.std() if len(known) else 0.0}.get(kept.scaling)
    if unit is None:
        unit = 4 * known.std() if len(known) else 0.0
    if any(unknown):
        if kept.missing == "ignore":
            return None
        if kept.missing == "one" or is_listed:
            return 1.0
        if high == low and kept.scaling != "none":
            return 0.0
        if all(unknown):
            return float(high - low) / unit
        value = other if unknown[0] else one
        return float(max(abs(value - low), abs(high - value)) / unit)
    if not is_listed:
        return 0.0 if high == low and kept.scaling != "none" else abs(one - other) / unit
    if kept.distance != "value-difference":
        return float(one != other)
    shares = []
    for value in (one, other):
        has = column == value
        if not has.any():
            return float(one != other)
        shares.append(np.bincount(data.class_codes[has], minlength=len(data.schema.classes)) / has.sum())
    return float(np.sqrt(((shares[0] - shares[1]) ** 2).sum()))


def distance(kept: Prototypes, data: Dataset, one: list[float], other: list[float]) -> float:
    """The distance of two records, given as the values of the attributes to learn from; ``data`` is for training."""
    found = [
        difference(kept, data, index, a, b) for index, a, b in zip(data.schema.predictors, one, other, strict=True)
    ]
    known = np.array([d for d in found if d is not None])
    if not len(known):
        return np.inf if found else 0.0
    if kept.distance == "gower":
        return float(known.mean())
    if kept.distance == "chebyshev":
        return float(known.max())
    power = {"manhattan": 1.0, "minkowski": kept.power}.get(kept.distance, 2.0)
    whole = float((known**power).sum())
    if kept.missing == "ignore":
        whole *= len(found) / len(known)
    return float(whole ** (1 / power))


def values_of(data: Dataset, row: int) -> list[float]:
    return [float(data.column(index)[row]) for index in data.schema.predictors]


def nearest(far: np.ndarray, weights: np.ndarray, k: float) -> set[int]:
    """Of the records at these distances (n,): the nearest that together weigh k, and all as near as the last."""
    order = np.argsort(far, kind="stable")
    mass, reach = 0.0, np.inf
    for row in order:
        mass += weights[row]
        if mass >= k:
            reach = far[row]
            break
    return set(np.flatnonzero((far <= reach) | (far <= reach * (1 + EQUAL))).tolist())
