"""Imputation of missing values: by mean, mode, a constant, or the nearest training records."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import Problem, State
from algorithms.core.parameters import Option, boolean, choice, columns, integer, real, text, when
from algorithms.core.run_control import RunContext
from algorithms.data.column_statistics import deviation, mean, quantiles
from algorithms.data.columns import FloatArray, smallest_code_dtype
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, free_name, nominal
from algorithms.data.summary import Summary
from algorithms.filters.checks import StoredState, chosen, problems_of_choice

_CELLS: Final = 1 << 18
"""Number of distances computed at a time, which fit into the processor cache."""


@dataclass(frozen=True, eq=False)
class DonorRecords:
    """Training records from which nearest-neighbour imputation takes values.

    ``table`` (m, d) holds numbers, or codes into ``labels`` (a list for each column, empty for numbers), NaN if
    missing. ``units`` (d,) is the unit of distance of each column, ``weights`` (m,) the weight of each record.
    """

    names: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    table: FloatArray
    units: FloatArray
    weights: FloatArray

    def filled(
        self, data: Dataset, targets: Sequence[str], k: int, checkpoint: Callable[[], None] = lambda: None
    ) -> Mapping[str, FloatArray]:
        """For each known target column, the mean or modal code of the ``k`` nearest donors of each record (n,).

        NaN if the value is not missing, or if no donor is comparable. Distances are Euclidean over the columns known in
        both records, scaled up for missing ones (as in scikit-learn's KNNImputer). Different nominal values have
        distance 1. The first of equally distant donors count.
        """
        there = [name for name in targets if name in self.names and name in data.schema]
        lent = {name: np.full(len(data), np.nan) for name in there}
        lacks = {name: data.missing(data.schema.index_of(name)) for name in there}
        rows = np.flatnonzero(np.any(list(lacks.values()), axis=0)) if there else np.zeros(0, dtype=np.int64)
        if len(rows) == 0 or len(self.table) == 0:
            return lent
        receivers = np.column_stack([self._as_stored(data, column)[rows] for column in range(len(self.names))])
        step = max(1, _CELLS // len(self.table))
        for start in range(0, len(rows), step):
            checkpoint()
            block = rows[start : start + step]
            distances = self._distances(receivers[start : start + step])
            for name in there:
                mine = lacks[name][block]
                if np.any(mine):
                    lent[name][block[mine]] = self._lent(self.names.index(name), distances[mine], k)
        return lent

    def _as_stored(self, data: Dataset, number: int) -> FloatArray:
        """The column of other data as numbers or codes of these labels; NaN if missing or unknown."""
        name, labels = self.names[number], self.labels[number]
        if name not in data.schema:
            return np.full(len(data), np.nan)
        index = data.schema.index_of(name)
        return stored_column(data.schema.attributes[index], data.column(index), labels)

    def _distances(self, receivers: FloatArray) -> FloatArray:
        """Squared distances (r, m), infinite between records without a column known in both."""
        has, donors_have = ~np.isnan(receivers), ~np.isnan(self.table)
        shared = has.astype(np.float64) @ donors_have.T.astype(np.float64)  # integers are exact in any order
        total, gap = np.zeros(shared.shape), np.empty(shared.shape)
        for column, labels in enumerate(self.labels):
            mine, theirs = receivers[:, column] / self.units[column], self.table[:, column] / self.units[column]
            np.subtract(np.nan_to_num(mine)[:, None], np.nan_to_num(theirs), out=gap)
            if labels:
                gap[...] = gap != 0
            gap *= gap
            if not np.all(donors_have[:, column]):
                gap *= donors_have[:, column]
            gap[~has[:, column]] = 0.0
            total += gap
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(shared > 0, total / shared * len(self.names), np.inf)

    def _lent(self, number: int, distances: FloatArray, k: int) -> FloatArray:
        donors = np.flatnonzero(~np.isnan(self.table[:, number]))
        if len(donors) == 0:
            return np.full(len(distances), np.nan)
        says = _nearest(distances[:, donors], k) * self.weights[donors]
        values = self.table[donors, number]
        weight = says.sum(axis=1)
        with np.errstate(invalid="ignore"):
            if not self.labels[number]:
                return np.asarray((says * values).sum(axis=1) / weight)
        votes = np.column_stack([(says * (values == code)).sum(axis=1) for code in range(len(self.labels[number]))])
        return np.where(weight > 0, np.argmax(votes, axis=1), np.nan)


def stored_column(attribute: Attribute, column: NDArray[Any], labels: Sequence[str]) -> FloatArray:
    """The column as float64: finite numbers, or codes into ``labels``; NaN otherwise."""
    if not attribute.kind.is_coded:
        return (
            np.where(np.isfinite(column), column, np.nan) if attribute.kind.is_float else np.full(len(column), np.nan)
        )
    code_of = {label: float(code) for code, label in enumerate(labels)}
    table = np.array([*(code_of.get(value, np.nan) for value in attribute.values), np.nan])
    return np.asarray(table[column])


def _nearest(distances: FloatArray, k: int) -> FloatArray:
    """Indicator (r, m) of the ``k`` smallest distances in each row, the first of ties."""
    k = min(k, distances.shape[1])
    farthest = np.partition(distances, k - 1, axis=1)[:, k - 1 : k]
    nearer, tied = distances < farthest, distances == farthest
    wanted = k - np.count_nonzero(nearer, axis=1, keepdims=True)
    near = nearer | (tied & (np.cumsum(tied, axis=1) <= wanted))
    return np.asarray((near & np.isfinite(distances)).astype(np.float64))


Fill = float | str

_FILLED_KINDS: Final = (AttributeKind.NUMERIC, AttributeKind.NOMINAL, AttributeKind.ORDINAL)
_KNOWN: Final = ("known", "missing")


class MissingReplaced(FittedFilter):
    """Replaces missing values of named columns by learned numbers or labels.

    Columns in ``added`` get their label as a new value. ``marks`` maps columns to the names of their indicator columns.
    Columns in ``near`` use the ``k`` nearest ``donors``, and ``fills`` only if no donor is comparable.
    """

    id: ClassVar[str] = "missing-replaced"

    def __init__(
        self,
        fills: Mapping[str, Fill],
        *,
        added: Collection[str] = (),
        marks: Mapping[str, str] | None = None,
        near: Collection[str] = (),
        k: int = 0,
        donors: DonorRecords | None = None,
    ) -> None:
        self.fills = dict(fills)
        self.added, self.near = tuple(added), tuple(near)
        self.marks = dict(marks or {})
        self.k, self.donors = k, donors

    @property
    def is_plain(self) -> bool:
        """Whether the filter only replaces missing values by constants."""
        return not (self.added or self.marks or self.near)

    def transform(self, data: Dataset) -> Dataset:
        return self.transform_watched(data, lambda: None)

    def transform_watched(self, data: Dataset, checkpoint: Callable[[], None]) -> Dataset:
        replaced: dict[int, tuple[Attribute, Any]] = {}
        lent = self.donors.filled(data, self.near, self.k, checkpoint) if self.donors is not None else {}
        for name, fill in self.fills.items():
            if name not in data.schema:
                continue
            index = data.schema.index_of(name)
            attribute = self._with_value(data.schema.attributes[index], fill)
            value, missing = _stored(attribute, fill), data.missing(index)
            if value is None or not (np.any(missing) or attribute != data.schema.attributes[index]):
                continue
            kind = smallest_code_dtype(len(attribute.values)) if attribute.kind.is_coded else np.float64
            column = data.column(index).astype(kind)
            column[missing] = self._lent(name, attribute, lent[name][missing], value) if name in lent else value
            replaced[index] = (attribute, column)
        masks = {name: data.missing(data.schema.index_of(name)) for name in self.marks if name in data.schema}
        changed = data.with_columns(replaced) if replaced else data
        for name, mark in self.marks.items():
            missed = masks.get(name, np.ones(len(data), dtype=np.bool_))
            changed = changed.with_new_column(nominal(free_name(mark, changed.schema), _KNOWN), missed.astype(np.int8))
        return changed

    def _with_value(self, attribute: Attribute, fill: Fill) -> Attribute:
        """The attribute with the imputed label as a new value, which makes it nominal."""
        if attribute.name not in self.added or not attribute.kind.is_coded or not isinstance(fill, str):
            return attribute
        values = attribute.values if fill in attribute.values else (*attribute.values, fill)
        return replace(attribute, kind=AttributeKind.NOMINAL, values=values)

    def _lent(self, name: str, attribute: Attribute, lent: FloatArray, value: float) -> NDArray[Any]:
        assert self.donors is not None
        if attribute.kind.is_coded:
            labels = self.donors.labels[self.donors.names.index(name)]
            codes = np.array([*(attribute.code_of(label) for label in labels), -1], dtype=np.float64)
            lent = codes[np.nan_to_num(lent, nan=-1).astype(np.int64)]
            return np.where(lent < 0, value, lent)
        return np.where(np.isnan(lent), value, lent)

    def learned_rows(self) -> list[list[str]]:
        """The imputed value of each column, as a table."""
        rows = [
            [name, f"what the {self.k} most similar records have"]
            if name in self.near
            else [name, fill if isinstance(fill, str) else f"{fill:.6g}"]
            for name, fill in self.fills.items()
        ]
        return [["Column", "Filled with"], *rows] if rows else []

    def to_state(self) -> State:
        names = list(self.fills)
        labels = [fill if isinstance(fill, str) else None for fill in self.fills.values()]
        arrays = {"numbers": np.array([np.nan if isinstance(f, str) else f for f in self.fills.values()], dtype=float)}
        values: dict[str, Any] = {"names": names, "labels": labels}
        values |= {"added": list(self.added), "near": list(self.near), "k": self.k}
        values |= {"marked": list(self.marks), "marks": list(self.marks.values())}
        if self.donors is not None:
            values |= {"donors": list(self.donors.names), "values": [list(entry) for entry in self.donors.labels]}
            arrays |= {"table": self.donors.table, "units": self.donors.units, "weights": self.donors.weights}
        return State(values, arrays)

    @classmethod
    def from_state(cls, state: State) -> Self:
        stored = StoredState(state, "fill-in values")
        names, labels = stored.names("names"), stored.value("labels")
        numbers = stored.numbers("numbers", len(names))
        if not isinstance(labels, list) or len(labels) != len(names):
            raise stored.damaged()
        if not all(label is None or isinstance(label, str) for label in labels):
            raise stored.damaged()
        pairs = zip(names, labels, numbers.tolist(), strict=True)
        fills: dict[str, Fill] = {name: number if label is None else label for name, label, number in pairs}
        if "added" not in state.values:  # saved by an older version
            return cls(fills)
        marked, marks, k = stored.names("marked"), stored.names("marks"), stored.value("k")
        if len(marks) != len(marked) or type(k) is not int or k < 0:
            raise stored.damaged()
        added, near, donors = stored.names("added"), stored.names("near"), _donors(stored) if k else None
        return cls(fills, added=added, marks=dict(zip(marked, marks, strict=True)), near=near, k=k, donors=donors)


def _donors(stored: StoredState) -> DonorRecords:
    names = stored.names("donors")
    labels = stored.lists("values", len(names))
    table, units = stored.numbers("table", None, len(names)), stored.numbers("units", len(names))
    weights = stored.numbers("weights", len(table))
    if np.any(np.isinf(table)) or not np.all(units > 0) or not np.all(weights > 0):
        raise stored.damaged()
    for column, values in enumerate(labels):
        if values and not np.all(np.isnan(table[:, column]) | np.isin(table[:, column], np.arange(len(values)))):
            raise stored.damaged()
    return DonorRecords(tuple(names), tuple(map(tuple, labels)), table, units, weights)


def _stored(attribute: Attribute, fill: Fill) -> float | int | None:
    """The imputed value in the column's type; None if the column cannot hold it."""
    if attribute.kind.is_coded and isinstance(fill, str):
        code = attribute.code_of(fill)
        return code if code >= 0 else None
    return fill if attribute.kind.is_float and not isinstance(fill, str) else None


@dataclass(frozen=True, kw_only=True)
class ReplaceMissing(Filter):
    """Imputation by mean, median, mode, constant, or nearest neighbours.

    Neighbours are nearest over all predictors (Troyanskaya et al. 2001); for unscaled numbers this equals
    scikit-learn's KNNImputer. A column without a known value stays unchanged.
    """

    id: ClassVar[str] = "replace-missing"
    name: ClassVar[str] = "Impute missing values"
    sentence: ClassVar[str] = (
        "Replaces missing values by the mean, the mode, a constant or the values of nearest neighbours, "
        "learned from the training records alone."
    )
    family: ClassVar[str] = "Missing values"
    fitted: ClassVar[type[FittedFilter]] = MissingReplaced

    numeric: str = choice(
        "mean",
        Option("mean", "Mean", "The mean of the known values."),
        Option("median", "Median", "The median of the known values, robust to outliers."),
        Option("mode", "Mode", "The most frequent value; of several the smallest."),
        Option("constant", "Constant", "The number below."),
        Option("nearest", "Nearest neighbours", "The mean of the nearest training records."),
        Option("leave", "None", "Numbers stay missing."),
        label="Numeric attributes",
        help="The value that replaces a missing number.",
    )
    number: float = real(
        0.0, label="Constant", help="The number that replaces missing values.", enabled_if=when("numeric", "constant")
    )
    nominal: str = choice(
        "mode",
        Option("mode", "Mode", "The most frequent value."),
        Option("value", "Own value", "Missing becomes a value of its own."),
        Option("nearest", "Nearest neighbours", "The most frequent value of the nearest training records."),
        Option("leave", "None", "Nominal values stay missing."),
        label="Nominal attributes",
        help="The value that replaces a missing nominal value.",
    )
    label: str = text(
        "missing",
        label="Name of the missing value",
        help="Added to the values of the attribute. Ordinal attributes become nominal: the new value has no rank.",
        enabled_if=when("nominal", "value"),
    )
    k: int = integer(
        5,
        lo=1,
        hi=1000,
        label="k",
        help="Number of nearest training records.",
        enabled_if=when("numeric", "nearest") | when("nominal", "nearest"),
    )
    same_scale: bool = boolean(
        True,
        label="Standardize",
        help="Divides each numeric attribute by its standard deviation before distances are computed.",
        enabled_if=when("numeric", "nearest") | when("nominal", "nearest"),
        advanced=True,
    )
    compared: int = integer(
        1000,
        lo=10,
        hi=50_000,
        label="Sample size",
        help="Largest number of training records that are searched for neighbours, drawn at random.",
        unit="records",
        enabled_if=when("numeric", "nearest") | when("nominal", "nearest"),
        advanced=True,
    )
    indicator: bool = boolean(
        False,
        label="Missing indicator",
        help='Adds an attribute "known or missing" for each attribute with missing values in training.',
    )
    columns: tuple[str, ...] = columns(
        (), label="Attributes", help="Only these are imputed", without="all but the class", kinds=_FILLED_KINDS
    )

    def check(self, summary: Summary) -> list[Problem]:
        only = "it has no average to fill in"
        return problems_of_choice(summary, self.columns, _FILLED_KINDS, do="fill", done="filled", only=only)

    def fit(self, data: Dataset, context: RunContext) -> MissingReplaced:
        """Learn the value to impute for each column with a known value."""
        fills: dict[str, Fill] = {}
        added, near, marks = [], [], {}
        names = set(data.schema.names)
        for index in chosen(data.schema, self.columns, _FILLED_KINDS):
            context.checkpoint()
            attribute = data.schema.attributes[index]
            missing = data.missing(index)
            if self.indicator and np.any(missing):
                marks[attribute.name] = free_name(f"{attribute.name} is missing", names)
                names.add(marks[attribute.name])
            way = self.nominal if attribute.kind.is_coded else self.numeric
            fill = None if way == "leave" else self._fill(attribute, data, index, ~missing)
            if fill is not None:
                fills[attribute.name] = fill
                added += [attribute.name] if way == "value" else []
                near += [attribute.name] if way == "nearest" else []
        donors = self._donors(data, context) if near else None
        return MissingReplaced(fills, added=added, marks=marks, near=near, k=self.k if near else 0, donors=donors)

    def _fill(self, attribute: Attribute, data: Dataset, index: int, present: NDArray[np.bool_]) -> Fill | None:
        """The value to impute in a column; None without known values."""
        if attribute.kind.is_coded and self.nominal == "value":
            return self.label
        if not attribute.kind.is_coded and self.numeric == "constant":
            return self.number
        if not attribute.kind.is_coded:
            present = present & np.isfinite(data.column(index))
        column = data.column(index)[present]
        weights = None if data.weights is None else data.weights[present]
        if len(column) == 0 or (weights is not None and weights.sum() <= 0):
            return None
        if attribute.kind.is_coded:
            totals = np.bincount(column, weights, minlength=len(attribute.values))
            return attribute.values[int(np.argmax(totals))]
        if self.numeric == "median":
            return float(quantiles(column, weights, 0.5))
        if self.numeric == "mode":
            values, place = np.unique(column + 0.0, return_inverse=True)
            return float(values[np.argmax(np.bincount(place, weights))])
        return mean(column, weights)

    def _donors(self, data: Dataset, context: RunContext) -> DonorRecords:
        rows = np.flatnonzero(data.weight_array > 0)
        if len(rows) > self.compared:
            rows = np.sort(context.random().choice(rows, self.compared, replace=False))
        predictors = data.schema.predictors
        attributes = [data.schema.attributes[i] for i in predictors]
        labels = tuple(a.values if a.kind.is_coded else () for a in attributes)
        columns = [stored_column(a, data.cells(i, rows), a.values) for i, a in zip(predictors, attributes, strict=True)]
        scaled = [self.same_scale and not a.kind.is_coded for a in attributes]
        units = [self._unit(data, i) if is_scaled else 1.0 for i, is_scaled in zip(predictors, scaled, strict=True)]
        table = np.array(columns).reshape(len(predictors), len(rows)).T.copy()
        names = tuple(a.name for a in attributes)
        return DonorRecords(names, labels, table, np.array(units), data.weight_array[rows].copy())

    @staticmethod
    def _unit(data: Dataset, index: int) -> float:
        column = data.column(index)
        usable = np.isfinite(column) & (data.weight_array > 0)
        if not np.any(usable):
            return 1.0
        values, weights = column[usable], None if data.weights is None else data.weights[usable]
        return deviation(values, weights, mean(values, weights)) or 1.0
