"""A learner made for tests: one parameter of each kind, and a model that knows only the most frequent class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.learner import Explanation, Learner, Model, Probabilities, Problem, State, Variant
from algorithms.core.parameters import (
    Option,
    boolean,
    choice,
    column,
    columns,
    cost_matrix,
    file,
    integer,
    integers,
    learner_parameter,
    real,
    reals,
    text,
    when,
)
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.data.summary import Summary
from algorithms.structures.tree import Prior


class ToyModel(Model):
    """Says the most frequent class."""

    id = "toy-model"

    def __init__(self, schema: Schema, counts: Any) -> None:
        super().__init__(schema)
        self.counts = counts

    def _predict_proba(self, data: Dataset) -> Probabilities:
        return np.tile(self.counts / self.counts.sum(), (len(data), 1))

    def structure(self) -> Prior:
        return Prior(self.schema, self.counts)

    def explain(self, data: Dataset, row: int) -> Explanation:
        return Explanation(int(self.counts.argmax()), tuple(self.counts / self.counts.sum()), ("It is the toy.",))

    def facts(self) -> dict[str, int | float]:
        return {"toys": 1}

    def to_state(self) -> State:
        return State({}, {"counts": self.counts})

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        return cls(schema, state.arrays["counts"])


@dataclass(frozen=True, kw_only=True)
class Plain(Learner):
    """A toy with two parameters."""

    id = "toy-plain"
    name = "Plain toy"
    sentence = "Says the most frequent class, whatever it is asked."
    family = "Toys"
    depth: int | None = integer(3, lo=1, hi=9, optional=True, label="Depth", help="How deep.")
    confidence: float = real(0.25, lo=0.01, hi=0.5, label="Confidence", help="How sure.")

    def _fit(self, data: Dataset, context: RunContext) -> ToyModel:
        return ToyModel(data.schema, np.bincount(data.class_codes, minlength=len(data.schema.classes)).astype(float))


@dataclass(frozen=True, kw_only=True)
class Contrary(Plain):
    """A toy that says the rarest class."""

    id = "toy-contrary"
    name = "Contrary toy"

    def _fit(self, data: Dataset, context: RunContext) -> ToyModel:
        counts = np.bincount(data.class_codes, minlength=len(data.schema.classes))
        return ToyModel(data.schema, 1.0 / (1.0 + counts))


@dataclass(frozen=True, kw_only=True)
class Picky(Plain):
    """A toy that takes nothing."""

    id = "toy-picky"
    name = "Picky toy"
    sentence = "Takes no data at all."

    def check(self, summary: Summary) -> list[Problem]:
        return [Problem("It needs nominal attributes only.", "Cut the numeric ones into ranges.")]


@dataclass(frozen=True, kw_only=True)
class Broken(Plain):
    """A toy that fails on every data."""

    id = "toy-broken"
    name = "Broken toy"
    sentence = "Always fails."
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(3),)

    def _fit(self, data: Dataset, context: RunContext) -> ToyModel:
        raise DataError("It is broken.", remedy="Choose another.")


@dataclass(frozen=True, kw_only=True)
class Everything(Plain):
    """A toy with a parameter of each kind."""

    id = "toy-everything"
    name = "Toy of everything"
    sentence = "Has one option of each kind."
    rate: float | None = real(None, optional=True, lo=0, label="Rate", help="A rate.", unit="per s")
    criterion: str = choice(
        "gini",
        Option("gini", "Gini index", "Breiman's."),
        Option("entropy", "Information gain", "Quinlan's."),
        label="Criterion",
        help="How splits are judged.",
    )
    pruning: bool = boolean(True, label="Prune", help="Whether to cut back.")
    penalty: float = real(0.5, lo=0, label="Penalty", help="For each leaf.", enabled_if=when("pruning", True))
    title: str = text("", label="Title", help="Any text.")
    subset: tuple[str, ...] = columns(label="Columns", help="Some columns.")
    group: str | None = column(None, label="Group", help="One column.")
    sizes: tuple[int, ...] = integers((8, 4), lo=1, label="Layers", help="Units of each layer.")
    shares: tuple[float, ...] = reals((0.5, 0.5), lo=0, label="Shares", help="How frequent the classes are.")
    base: Learner = learner_parameter(Plain(), label="Base learner", help="What is repeated.")
    costs: tuple[tuple[float, ...], ...] = cost_matrix(label="Costs", help="What mistakes cost.")
    path: str = file("a.csv", label="Test file", help="Records to test.")
    secret: int = integer(1, lo=0, label="Secret", help="For experts.", advanced=True)
