"""Class balancing of training records: oversampling, undersampling, SMOTE and SMOTE-NC.

Source: Chawla, Bowyer, Hall and Kegelmeyer, SMOTE: synthetic minority over-sampling technique, JAIR 16 (2002).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from algorithms.core.filters import TrainingFilter
from algorithms.core.learner import Problem
from algorithms.core.parameters import Option, choice, integer, real, when
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray, missing_column
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.data.synthetic_ids import ids_between
from algorithms.filters.checks import class_codes, counts_of, problems_without_class
from algorithms.filters.neighbor_cleaning import nearest_others, points_of, progress, same_scale_parameter, spreads

_CELLS: Final = 1 << 20
"""Number of votes counted at a time."""
_LARGEST: Final = 1e140
"""Larger numbers are scaled down before they are squared."""


def spread_evenly(n: int, wanted: int, random: np.random.Generator) -> IntArray:
    """``wanted`` indices of 0..n-1: each equally often, and a random remainder without repetition."""
    whole, rest = divmod(wanted, n)
    more = np.sort(random.choice(n, rest, replace=False))
    return np.concatenate([np.repeat(np.arange(n), whole), more]).astype(np.int64)


def synthetic_records(
    data: Dataset, rows: IntArray, wanted: int, k: int, same_scale: bool, context: RunContext
) -> tuple[IntArray, IntArray, dict[int, Any]]:
    """``wanted`` synthetic records of the class with the records ``rows``, by SMOTE-NC.

    Returns the two source rows (w,) of each, and the predictor columns by index. A number is interpolated at random
    between a record and one of its ``k`` nearest of the class; if one is missing, the other is taken. A nominal value
    is the mode of these neighbours. ``same_scale`` measures numbers in standard deviations of all training records.
    """
    own = data.take(rows)
    scale = spreads(data, same_scale)
    near = nearest_others(points_of(own, scale, gap_of_values(own, scale)), k, progress(context))
    random = context.random()
    base = spread_evenly(len(own), wanted, random)
    columns: dict[int, Any] = {}
    along = random.random(wanted)
    mate = base if near.shape[1] == 0 else near[base, random.integers(0, near.shape[1], wanted)]
    for index in data.schema.predictors:
        context.checkpoint()
        column = own.column(index)
        if data.schema.attributes[index].kind.is_coded:
            columns[index] = _modes_of_neighbors(column, near, context.checkpoint)[base]
        else:
            columns[index] = _between(column[base], column[mate], along)
    return rows[base], rows[mate], columns


def gap_of_values(own: Dataset, scale: dict[int, tuple[float, float]]) -> float:
    """The distance of two nominal values: the median deviation of the numbers in the class, or 1."""
    deviations = []
    for index, (_, unit) in scale.items():
        column = own.column(index)
        finite = column[np.isfinite(column)] / unit
        largest = max(1.0, float(np.abs(finite).max(initial=0.0)) / _LARGEST)
        deviations.append(float((finite / largest).std()) * largest if len(finite) else 0.0)
    return float(np.median(deviations)) if deviations else 1.0


def _between(one: FloatArray, other: FloatArray, along: FloatArray) -> FloatArray:
    there, there_too = np.isfinite(one), np.isfinite(other)
    with np.errstate(invalid="ignore", over="ignore"):
        mixed = one * (1 - along) + other * along
    low, high = np.fmin(one, other), np.fmax(one, other)
    return np.asarray(np.where(there & there_too, np.clip(mixed, low, high), np.where(there, one, other)))


def _modes_of_neighbors(column: Any, near: IntArray, checkpoint: Callable[[], None]) -> Any:
    """The mode of the values of each record's neighbours; ties go to its own value, else to the first."""
    if near.shape[1] == 0:
        return column
    values, places = np.unique(column.astype(np.int64), return_inverse=True)
    modes, size = np.empty(len(places), dtype=np.int64), len(values)
    step = max(1, _CELLS // max(size, near.shape[1]))
    for start in range(0, len(places), step):
        checkpoint()
        own = places[start : start + step]
        rows = np.arange(len(own))
        cells = rows[:, None] * size + places[near[start : start + step]]
        votes = 2 * np.bincount(cells.ravel(), minlength=len(own) * size).reshape(-1, size)
        votes[rows, own] += 1
        modes[start : start + step] = np.argmax(votes, axis=1)
    return values[modes]


def append_synthetic(data: Dataset, base: IntArray, mate: IntArray, columns: dict[int, Any]) -> Dataset:
    """The data followed by synthetic records, whose negative ids encode the source rows ``base`` and ``mate`` (w,).

    They have the class and weight of ``base``. Columns that are not predictors are missing.
    """
    wanted, schema = len(base), data.schema
    joined: list[Any] = []
    for index, attribute in enumerate(schema.attributes):
        old = data.column(index)
        if index == schema.class_index:
            new = old[base]
        elif index in columns:
            new = columns[index].astype(old.dtype)
        else:
            new = missing_column(attribute, wanted)
        joined.append(np.concatenate([old, new]))
    weights = None if data.weights is None else np.concatenate([data.weights, data.weights[base]])
    ids = np.concatenate([data.row_ids, ids_between(data.row_ids[base], data.row_ids[mate])])
    return Dataset(schema, joined, weights=weights, row_ids=ids, origin=data.origin)


@dataclass(frozen=True, kw_only=True)
class BalanceClasses(TrainingFilter):
    """Balances classes by oversampling, SMOTE or undersampling.

    Oversampling and SMOTE bring rare classes to ``evenness`` times the size of the largest. Undersampling reduces
    frequent classes to the size of the smallest over ``evenness``.
    """

    id: ClassVar[str] = "balance-classes"
    name: ClassVar[str] = "Balance the classes"
    sentence: ClassVar[str] = (
        "Makes the classes more equal in number among the training records, so that rare ones are not passed over. "
        "Tested records stay as they are."
    )
    family: ClassVar[str] = "Training records"

    by: str = choice(
        "oversample",
        Option("oversample", "repeating rare ones", "Records of rare classes come several times."),
        Option("undersample", "leaving out frequent ones", "Records of frequent classes are left out by chance."),
        Option("smote", "making new rare ones (SMOTE)", "New records lie between two near ones of a rare class."),
        label="By",
        help="How the classes become more equal.",
    )
    evenness: float = real(
        100.0,
        lo=1.0,
        hi=100.0,
        label="Evenness",
        help="100 makes all classes equal; 50 leaves a rare class half as many records as the most frequent.",
        unit="%",
    )
    k: int = integer(
        5,
        lo=1,
        hi=1000,
        label="Near records",
        help="A new record lies between one and one of its so many nearest of the class.",
        enabled_if=when("by", "smote"),
    )
    same_scale: bool = same_scale_parameter(enabled_if=when("by", "smote"))

    @property
    def makes_up(self) -> bool:
        return self.by == "smote"

    def check(self, summary: Summary) -> list[Problem]:
        return problems_without_class(summary)

    def trained_on(self, data: Dataset, context: RunContext) -> Dataset:
        codes = class_codes(data)
        counts = counts_of(codes, data)
        present = counts[counts > 0]
        if len(present) < 2:
            return data
        if self.by == "undersample":
            return self._fewer(data, codes, counts, max(1, round(int(present.min()) * 100 / self.evenness)), context)
        target = round(int(present.max()) * self.evenness / 100)
        rare = [code for code in range(len(counts)) if 0 < counts[code] < target]
        if not rare:
            return data
        if self.by == "smote":
            return self._made_up(data, codes, {code: target - int(counts[code]) for code in rare}, context)
        random = context.random()
        more = []
        for code in rare:
            rows = np.flatnonzero(codes == code)
            more.append(rows[spread_evenly(len(rows), target - len(rows), random)])
        return data.take(np.concatenate([np.arange(len(data)), *more]))

    def _fewer(self, data: Dataset, codes: IntArray, counts: IntArray, most: int, context: RunContext) -> Dataset:
        random, stays = context.random(), np.ones(len(data), dtype=np.bool_)
        for code in np.flatnonzero(counts > most):
            rows = np.flatnonzero(codes == code)
            stays[rows] = False
            stays[random.choice(rows, most, replace=False)] = True
        return data.take(stays)

    def _made_up(self, data: Dataset, codes: IntArray, wanted: dict[int, int], context: RunContext) -> Dataset:
        bases: list[IntArray] = []
        mates: list[IntArray] = []
        parts: list[dict[int, Any]] = []
        for code, number in wanted.items():
            rows = np.flatnonzero(codes == code)
            within = context.child(1 / len(wanted), code)
            base, mate, columns = synthetic_records(data, rows, number, self.k, self.same_scale, within)
            bases.append(base)
            mates.append(mate)
            parts.append(columns)
        joined = {index: np.concatenate([part[index] for part in parts]) for index in parts[0]}
        return append_synthetic(data, np.concatenate(bases), np.concatenate(mates), joined)
