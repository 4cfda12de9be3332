"""Cutting numbers into ranges as a step of a recipe: where the cuts lie is learned from the training records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import Problem, State
from algorithms.core.parameters import Option, choice, columns, integer, real, reals, when
from algorithms.data.columns import smallest_code_dtype
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.data.summary import Summary
from algorithms.filters.choice_checks import chosen, problems_of_choice
from algorithms.filters.fitted_state import StoredState
from algorithms.filters.ranges import (
    MOST_RANGES,
    Cuts,
    Distribution,
    around_centres,
    equal_frequency,
    equal_width,
    range_labels,
)
from algorithms.filters.supervised_cuts import cuts_by_class, merged_cuts

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
            if attribute.kind is not AttributeKind.NUMERIC:
                continue
            column = data.column(index)
            codes = np.searchsorted(np.asarray(cuts), column, side="right").astype(smallest_code_dtype(len(cuts) + 1))
            codes[np.isnan(column)] = -1
            labels = range_labels(cuts) or (ONE_RANGE,)
            replaced[index] = (replace(attribute, kind=AttributeKind.ORDINAL, values=labels), codes)
        return data.with_columns(replaced) if replaced else data

    def found(self) -> list[list[str]]:
        """Where each number is cut."""
        rows = [[name, str(len(cuts) + 1), ", ".join(f"{cut:g}" for cut in cuts)] for name, cuts in self.cuts.items()]
        return [["Column", "Ranges", "Cut at"], *rows] if rows else []

    def to_state(self) -> State:
        sizes = [len(cuts) for cuts in self.cuts.values()]
        numbers = np.array([cut for cuts in self.cuts.values() for cut in cuts], dtype=np.float64)
        return State({"names": list(self.cuts), "sizes": sizes}, {"cuts": numbers})

    @classmethod
    def from_state(cls, state: State) -> Self:
        stored = StoredState(state, "ranges")
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
    Data without a class gets ranges of as many records each. Where neighbours differ: by ChiMerge (Kerber 1992).
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
        Option("k-means", "around centres", "Each number goes to the nearest of so many centres, the means of theirs."),
        Option("chi-merge", "where neighbours differ", "Joins neighbours until their classes differ for certain."),
        Option("given", "at these numbers", "Cuts at the numbers given below."),
        label="Cuts",
        help="How the places to cut at are found.",
    )
    ranges: int = integer(
        5,
        lo=2,
        hi=MOST_RANGES,
        label="Ranges",
        help="So many ranges at most are made of each number, fewer where it has too few different values.",
        unit="ranges",
        enabled_if=when("by", "equal-frequency", "equal-width", "k-means", "chi-merge"),
    )
    significance: float = real(
        0.95,
        lo=0.5,
        hi=0.9999,
        label="How certain",
        help="Neighbours are joined unless the chi-square test says with this certainty that their classes differ.",
        enabled_if=when("by", "chi-merge"),
    )
    cuts: tuple[float, ...] = reals(
        (),
        label="Cut at",
        help="Numbers with commas between them. A number on a cut counts upward.",
        enabled_if=when("by", "given"),
    )
    columns: tuple[str, ...] = columns(
        (), label="Columns", help="Only these columns are cut.", without="all numbers but the one to predict"
    )

    def check(self, summary: Summary) -> list[Problem]:
        only = "only numbers can be cut"
        problems = problems_of_choice(summary, self.columns, (AttributeKind.NUMERIC,), do="cut", done="cut", only=only)
        if self.by == "given" and not self.cuts:
            problems.append(Problem("No number to cut at is given.", "Type one or more: 20.5, 31."))
        if self.by in ("class", "chi-merge") and summary.schema.class_index is None:
            problems.append(Problem("No class is chosen to cut by.", "Choose the column to predict, or other cuts."))
        return problems

    def fit(self, data: Dataset, context: RunContext) -> Discretized:
        """Find the cuts of each chosen column."""

        def cut(index: int) -> Cuts:
            context.checkpoint()
            return self._cuts(data, index, context.checkpoint)

        indices = chosen(data.schema, self.columns, (AttributeKind.NUMERIC,))
        found = context.map(cut, indices)
        return Discretized({data.schema.attributes[i].name: each for i, each in zip(indices, found, strict=True)})

    def _cuts(self, data: Dataset, index: int, checkpoint: Callable[[], None]) -> Cuts:
        if self.by == "given":
            return tuple(sorted(set(self.cuts)))
        if self.by == "class" and _has_classes(data):
            return cuts_by_class(data, index, checkpoint)
        if self.by == "chi-merge" and _has_classes(data):
            return merged_cuts(data, index, self.significance, self.ranges, checkpoint)
        distribution = Distribution.of(data.column(index))
        if np.count_nonzero(np.isfinite(distribution.values)) < 2:
            return ()
        if self.by == "equal-width":
            return equal_width(distribution, self.ranges)
        if self.by == "k-means":
            return around_centres(distribution, self.ranges)
        return equal_frequency(distribution, self.ranges)


def _has_classes(data: Dataset) -> bool:
    index = data.schema.class_index
    return index is not None and data.schema.attributes[index].kind.is_coded
