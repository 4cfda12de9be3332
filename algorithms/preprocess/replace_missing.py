"""Filling missing values with the middle of those that are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.errors import ModelFileError
from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import Problem, State
from algorithms.core.params import Option, choice, columns
from algorithms.core.schema import Attribute, Kind
from algorithms.core.summary import Summary

Fill = float | str

_FILLED_KINDS: Final = (Kind.NUMERIC, Kind.NOMINAL, Kind.ORDINAL)


class MissingReplaced(FittedFilter):
    """Fills what is missing in each named column with the value learned for it: a number, or a label."""

    id: ClassVar[str] = "missing-replaced"

    def __init__(self, fills: Mapping[str, Fill]) -> None:
        self.fills = dict(fills)

    def transform(self, data: Dataset) -> Dataset:
        replaced: dict[int, tuple[Attribute, Any]] = {}
        for name, fill in self.fills.items():
            if name not in data.schema:
                continue
            index = data.schema.index_of(name)
            missing = data.missing(index)
            attribute = data.schema.attributes[index]
            value = _stored(attribute, fill)
            if value is not None and np.any(missing):
                column = data.column(index).copy()
                column[missing] = value
                replaced[index] = (attribute, column)
        return data.with_columns(replaced) if replaced else data

    def to_state(self) -> State:
        names = list(self.fills)
        values = [fill if isinstance(fill, str) else None for fill in self.fills.values()]
        numbers = np.array([np.nan if isinstance(fill, str) else fill for fill in self.fills.values()])
        return State({"names": names, "labels": values}, {"numbers": numbers})

    @classmethod
    def from_state(cls, state: State) -> Self:
        names, labels, numbers = state.values.get("names"), state.values.get("labels"), state.arrays.get("numbers")
        damaged = ModelFileError("The saved fill-in values are damaged.", remedy="Save the model again.")
        if not isinstance(names, list) or not isinstance(labels, list) or not isinstance(numbers, np.ndarray):
            raise damaged
        if len(labels) != len(names) or numbers.shape != (len(names),) or numbers.dtype != np.float64:
            raise damaged
        fills: dict[str, Fill] = {}
        for name, label, number in zip(names, labels, numbers.tolist(), strict=True):
            if not isinstance(name, str) or not (label is None or isinstance(label, str)):
                raise damaged
            fills[name] = number if label is None else label
        return cls(fills)


def _stored(attribute: Attribute, fill: Fill) -> float | int | None:
    """The fill in the column's own type; None where the column cannot hold it."""
    if attribute.kind.is_coded and isinstance(fill, str):
        code = attribute.code_of(fill)
        return code if code >= 0 else None
    return fill if attribute.kind.is_float and not isinstance(fill, str) else None


@dataclass(frozen=True, kw_only=True)
class ReplaceMissing(Filter):
    """Fills missing numbers with the mean or median, missing values of a list with the most frequent one."""

    id: ClassVar[str] = "replace-missing"
    name: ClassVar[str] = "Fill missing values"
    sentence: ClassVar[str] = (
        "Puts the average (or middle) number, or the most frequent value, where a value is missing. What to put is "
        "learned from the training records alone."
    )
    family: ClassVar[str] = "Missing values"
    fitted: ClassVar[type[FittedFilter]] = MissingReplaced

    numeric: str = choice(
        "mean",
        Option("mean", "mean", "The average of the known numbers."),
        Option("median", "median", "The number in the middle: a few extreme ones do not move it."),
        label="Numbers",
        help="What takes the place of a missing number.",
    )
    columns: tuple[str, ...] = columns(
        (), label="Columns", help="Only these columns are filled; without a choice, all but the one to predict."
    )

    def check(self, summary: Summary) -> list[Problem]:
        problems = []
        for name in self.columns:
            if name not in summary.schema:
                problems.append(Problem(f"There is no column {name!r} to fill.", "Choose among those there are.", name))
                continue
            index = summary.schema.index_of(name)
            attribute = summary.schema.attributes[index]
            if index == summary.schema.class_index:
                problems.append(Problem(f"{name} is the column to predict: it is not filled.", "Leave it out.", name))
            elif attribute.kind not in _FILLED_KINDS:
                sentence = f"{name} is {attribute.kind.value}: it has no average to fill in."
                problems.append(Problem(sentence, "Leave it out.", name))
        return problems

    def fit(self, data: Dataset, context: RunContext) -> MissingReplaced:
        """Learn a fill for each column; one without any known value gets none and stays as it is.

        Infinite numbers have no part in an average.
        """
        fills: dict[str, Fill] = {}
        for index in self._chosen(data):
            context.checkpoint()
            attribute = data.schema.attributes[index]
            column = data.column(index)
            known = ~data.missing(index) if attribute.kind.is_coded else np.isfinite(column)
            column, weights = column[known], data.weight_array[known]
            if weights.sum() <= 0:
                continue
            if attribute.kind.is_coded:
                totals = np.bincount(column, weights, minlength=len(attribute.values))
                fills[attribute.name] = attribute.values[int(np.argmax(totals))]
            elif self.numeric == "mean":
                fills[attribute.name] = _mean(column, weights)
            else:
                fills[attribute.name] = _median(column, weights)
        return MissingReplaced(fills)

    def _chosen(self, data: Dataset) -> list[int]:
        schema = data.schema
        indices = [schema.index_of(name) for name in self.columns] if self.columns else list(range(len(schema)))
        return [i for i in indices if i != schema.class_index and schema.attributes[i].kind in _FILLED_KINDS]


def _mean(values: FloatArray, weights: FloatArray) -> float:
    largest = float(np.abs(values).max())
    if largest == 0.0:
        return 0.0
    return float(np.average(values / largest, weights=weights) * largest)


def _median(values: FloatArray, weights: FloatArray) -> float:
    """The weighted median: half of the weight lies at or below it; the middle of two values that both do."""
    order = np.argsort(values, kind="stable")
    ordered, cumulated = values[order], np.cumsum(weights[order])
    half = cumulated[-1] / 2
    low = int(np.searchsorted(cumulated, half, side="left"))
    high = int(np.searchsorted(cumulated, half, side="right"))
    high = min(high, len(ordered) - 1)
    return float(ordered[low]) if low == high else float(ordered[low] / 2 + ordered[high] / 2)
