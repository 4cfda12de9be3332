"""Cutting numbers into ranges as a step of a recipe: where the cuts lie is learned from the training records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import log2
from typing import Any, ClassVar, Self

import numpy as np

from algorithms.core.columns import FloatArray, smallest_code_dtype
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import Problem, State
from algorithms.core.params import Option, choice, columns, integer, when
from algorithms.core.schema import Attribute, Kind
from algorithms.core.summary import Summary
from algorithms.preprocess.choosing import chosen, problems_of_choice
from algorithms.preprocess.ranges import (
    MOST_RANGES,
    Cuts,
    Distribution,
    equal_frequency,
    equal_width,
    range_labels,
    shortest_between,
)
from algorithms.preprocess.stored import Stored

ONE_RANGE = "any number"
"""What the only range is called where there is nothing to cut."""


class Discretized(FittedFilter):
    """Puts ranges in the place of the numbers of each named column: up to, but not including, its upper cut."""

    id: ClassVar[str] = "discretized"

    def __init__(self, cuts: Mapping[str, Cuts]) -> None:
        self.cuts = dict(cuts)

    def transform(self, data: Dataset) -> Dataset:
        replaced: dict[int, tuple[Attribute, Any]] = {}
        for name, cuts in self.cuts.items():
            if name not in data.schema:
                continue
            index = data.schema.index_of(name)
            attribute = data.schema.attributes[index]
            if attribute.kind is not Kind.NUMERIC:
                continue
            column = data.column(index)
            codes = np.searchsorted(np.asarray(cuts), column, side="right").astype(smallest_code_dtype(len(cuts) + 1))
            codes[np.isnan(column)] = -1
            labels = range_labels(cuts) or (ONE_RANGE,)
            replaced[index] = (replace(attribute, kind=Kind.ORDINAL, values=labels), codes)
        return data.with_columns(replaced) if replaced else data

    def to_state(self) -> State:
        sizes = [len(cuts) for cuts in self.cuts.values()]
        numbers = np.array([cut for cuts in self.cuts.values() for cut in cuts], dtype=np.float64)
        return State({"names": list(self.cuts), "sizes": sizes}, {"cuts": numbers})

    @classmethod
    def from_state(cls, state: State) -> Self:
        stored = Stored(state, "ranges")
        names = stored.names("names")
        sizes = stored.sizes("sizes", len(names))
        numbers = stored.numbers("cuts", sum(sizes))
        parts = np.split(numbers, np.cumsum(sizes)[:-1]) if sizes else []
        if any(np.any(~np.isfinite(part)) or np.any(np.diff(part) <= 0) for part in parts):
            raise stored.damaged()
        return cls({name: tuple(part.tolist()) for name, part in zip(names, parts, strict=True)})


@dataclass(frozen=True, kw_only=True)
class Discretize(Filter):
    """Cuts numbers into ordered ranges: as many records in each, each as wide, or where the class changes.

    By the class: of all places to cut the one that tells most about it, again and again on both sides, as long as what
    it tells pays for saying where it is (Fayyad and Irani 1993). A column that has nothing to cut becomes one range.
    Data without a class gets ranges of as many records each.
    """

    id: ClassVar[str] = "discretize"
    name: ClassVar[str] = "Cut numbers into ranges"
    sentence: ClassVar[str] = (
        "Puts ranges in the place of numbers, for learners that take lists of values only. Where to cut is learned "
        "from the training records alone."
    )
    family: ClassVar[str] = "Numbers"
    fitted: ClassVar[type[FittedFilter]] = Discretized

    by: str = choice(
        "class",
        Option("class", "where the class changes", "Cuts where it tells most about the class, and only where it pays."),
        Option("equal-frequency", "as many records in each", "Each range holds about as many training records."),
        Option("equal-width", "each as wide", "Each range is as wide as the others."),
        label="Cuts",
        help="How the places to cut at are found.",
    )
    ranges: int = integer(
        5,
        lo=2,
        hi=MOST_RANGES,
        label="Ranges",
        help="So many ranges are made of each number, fewer where it has too few different values.",
        unit="ranges",
        enabled_if=when("by", "equal-frequency", "equal-width"),
    )
    columns: tuple[str, ...] = columns(
        (), label="Columns", help="Only these columns are cut; without a choice, all numbers but the one to predict."
    )

    def check(self, summary: Summary) -> list[Problem]:
        only = "only numbers can be cut"
        problems = problems_of_choice(summary, self.columns, (Kind.NUMERIC,), do="cut", done="cut", only=only)
        if self.by == "class" and summary.schema.class_index is None:
            problems.append(Problem("No class is chosen to cut by.", "Choose the column to predict, or other cuts."))
        return problems

    def fit(self, data: Dataset, context: RunContext) -> Discretized:
        """Find the cuts of each chosen column."""
        cuts: dict[str, Cuts] = {}
        for index in chosen(data.schema, self.columns, (Kind.NUMERIC,)):
            context.checkpoint()
            cuts[data.schema.attributes[index].name] = self._cuts(data, index, context.checkpoint)
        return Discretized(cuts)

    def _cuts(self, data: Dataset, index: int, checkpoint: Callable[[], None]) -> Cuts:
        column = data.column(index)
        distribution = Distribution.of(column)
        if np.count_nonzero(np.isfinite(distribution.values)) < 2:
            return ()
        if self.by == "equal-width":
            return equal_width(distribution, self.ranges)
        if self.by == "equal-frequency" or not _has_classes(data):
            return equal_frequency(distribution, self.ranges)
        return cuts_by_class(data, index, checkpoint)


def _has_classes(data: Dataset) -> bool:
    index = data.schema.class_index
    return index is not None and data.schema.attributes[index].kind.is_coded


def cuts_by_class(data: Dataset, index: int, checkpoint: Callable[[], None] = lambda: None) -> Cuts:
    """Where to cut the numbers of an attribute by minimum description length.

    Source: Fayyad and Irani, Multi-interval discretization of continuous-valued attributes for classification learning,
    IJCAI (1993).
    """
    column, classes, weights = data.column(index), data.class_codes.astype(np.int64), data.weight_array
    known = np.flatnonzero(np.isfinite(column) & (classes >= 0) & (weights > 0))
    if len(known) == 0:
        return ()
    values, place = np.unique(column[known], return_inverse=True)
    k = len(data.schema.classes)
    cells = np.bincount(place * k + classes[known], weights=weights[known], minlength=len(values) * k)
    upto = np.vstack([np.zeros(k), np.cumsum(cells.reshape(len(values), k), axis=0)])
    found: list[int] = []
    waiting = [(0, len(values))]
    while waiting:
        checkpoint()
        first, last = waiting.pop()
        cut = _paying_cut(upto[first : last + 1] - upto[first])
        if cut is not None:
            found.append(first + cut)
            waiting += [(first, first + cut), (first + cut, last)]
    return tuple(shortest_between(float(values[at - 1]), float(values[at])) for at in sorted(found))


def _paying_cut(upto: FloatArray) -> int | None:
    """The best cut 1..v-1 of v values with the class weights (v + 1, k) below each; None where it does not pay."""
    total = upto[-1]
    n = float(total.sum())
    if len(upto) < 3 or n <= 1 or np.count_nonzero(total) < 2:
        return None
    below, above = upto[1:-1], total - upto[1:-1]
    after = (_bits(below) + _bits(above)) / n
    cut = int(np.argmin(after))
    before, left, right = float(_bits(total)), below[cut], above[cut]
    k, k_left, k_right = (int(np.count_nonzero(counts > 1e-9)) for counts in (total, left, right))
    entropies = [float(_bits(counts)) / max(float(counts.sum()), 1e-300) for counts in (left, right)]
    delta = log2(3**k - 2) - (k * before / n - k_left * entropies[0] - k_right * entropies[1])
    return cut + 1 if before / n - float(after[cut]) > (np.log2(n - 1) + delta) / n else None


def _bits(counts: FloatArray) -> FloatArray:
    """Entropy of class weights (..., k) times their sum."""
    total = counts.sum(axis=-1)
    logs = np.log2(counts, out=np.zeros_like(counts), where=counts > 0)
    inner = (counts * logs).sum(axis=-1)
    return np.asarray(total * np.log2(total, out=np.zeros_like(total), where=total > 0) - inner)
