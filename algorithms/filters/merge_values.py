"""Making one value of several: of those that are rare in training, or of those a person names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import Problem, State
from algorithms.core.parameters import Option, choice, columns, integer, text, when
from algorithms.data.alignment import RareLabels
from algorithms.data.columns import smallest_code_dtype
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.data.summary import Summary
from algorithms.filters.choice_checks import chosen, problems_of_choice
from algorithms.filters.fitted_state import StoredState

_LISTS: Final = (AttributeKind.NOMINAL, AttributeKind.ORDINAL)


class ValuesMerged(FittedFilter):
    """Gives some values of each named column one name, in the place of the first of them."""

    id: ClassVar[str] = "values-merged"

    def __init__(self, merged: Mapping[str, tuple[str, ...]], to: str, are_rare: bool = False) -> None:
        self.merged, self.to, self.are_rare = dict(merged), to, are_rare

    def rare_values(self) -> dict[str, RareLabels]:
        """Where rare values were merged: no value is rarer than one that training never saw."""
        return {name: RareLabels(labels, self.to) for name, labels in self.merged.items() if self.are_rare}

    def transform(self, data: Dataset) -> Dataset:
        replaced: dict[int, tuple[Attribute, Any]] = {}
        for name, labels in self.merged.items():
            if name not in data.schema:
                continue
            index = data.schema.index_of(name)
            attribute = data.schema.attributes[index]
            if attribute.kind.is_coded and set(labels) & set(attribute.values):
                named = [self.to if value in labels else value for value in attribute.values]
                values = tuple(dict.fromkeys(named))
                codes = np.array([*map(values.index, named), -1], dtype=smallest_code_dtype(len(values)))
                replaced[index] = (replace(attribute, values=values), codes[data.column(index)])
        return data.with_columns(replaced) if replaced else data

    def found(self) -> list[list[str]]:
        """Which values of each column became one."""
        rows = [[name, ", ".join(labels), self.to] for name, labels in self.merged.items() if labels]
        return [["Column", "Values", "Became"], *rows] if rows else []

    def to_state(self) -> State:
        lists = [list(each) for each in self.merged.values()]
        return State({"names": list(self.merged), "values": lists, "to": self.to, "rare": self.are_rare}, {})

    @classmethod
    def from_state(cls, state: State) -> Self:
        stored = StoredState(state, "merged values")
        names = stored.names("names")
        lists = stored.lists("values", len(names))
        merged = {name: tuple(each) for name, each in zip(names, lists, strict=True)}
        are_rare = "rare" in state.values and stored.flag("rare")  # which older versions did not keep
        return cls(merged, stored.text("to"), are_rare)


@dataclass(frozen=True, kw_only=True)
class MergeValues(Filter):
    """Makes one value of those that fewer training records have than a number, or of those that are named."""

    id: ClassVar[str] = "merge-values"
    name: ClassVar[str] = "Merge values"
    sentence: ClassVar[str] = (
        "Makes one value of several: of all that are rare among the training records, or of those you name."
    )
    family: ClassVar[str] = "Values of lists"
    fitted: ClassVar[type[FittedFilter]] = ValuesMerged

    by: str = choice(
        "rare",
        Option("rare", "the rare ones", "Those that few training records have, where there are at least two."),
        Option("given", "those named", "The values typed below, with semicolons between them."),
        label="Merge",
        help="Which values become one.",
    )
    at_least: int = integer(
        5,
        lo=1,
        label="Rare is under",
        help="A value that fewer training records have is rare.",
        unit="records",
        enabled_if=when("by", "rare"),
    )
    values_named: str = text(
        "", label="Values", help="The values to merge: red; blue; green.", enabled_if=when("by", "given")
    )
    to: str = text("other", label="Its name", help="What the merged value is called.")
    columns: tuple[str, ...] = columns(
        (), label="Columns", help="Only these are merged.", without="all lists of values"
    )

    def _named(self) -> tuple[str, ...]:
        return tuple(part.strip() for part in self.values_named.split(";") if part.strip())

    def check(self, summary: Summary) -> list[Problem]:
        only = "only values of a list are merged"
        problems = problems_of_choice(summary, self.columns, _LISTS, do="merge values of", done="changed", only=only)
        if self.by == "given" and not self._named():
            problems.append(Problem("No values to merge are named yet.", "Type them with semicolons: red; blue."))
        if not self.to.strip():
            problems.append(Problem("The merged value has no name.", "Type one, such as other."))
        return problems

    def fit(self, data: Dataset, context: RunContext) -> ValuesMerged:
        """Find the rare values of each chosen column; one alone is left as it is."""
        merged: dict[str, tuple[str, ...]] = {}
        for index in chosen(data.schema, self.columns, _LISTS) if self.to.strip() else ():
            context.checkpoint()
            attribute = data.schema.attributes[index]
            if self.by == "given":
                found = tuple(value for value in attribute.values if value in self._named())
            else:
                codes = data.column(index)
                known = codes >= 0
                weights = None if data.weights is None else data.weights[known]
                counts = np.bincount(codes[known], weights, minlength=len(attribute.values))
                found = tuple(v for v, n in zip(attribute.values, counts.tolist(), strict=True) if n < self.at_least)
            if len(found) > 1 or (found and self.to.strip() in attribute.values):
                merged[attribute.name] = found
        return ValuesMerged(merged, self.to.strip(), are_rare=self.by == "rare")
