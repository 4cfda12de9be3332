"""Small data and small learners for judging the judges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from algorithms.core.errors import DataError, ModelFileError
from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import Explanation, Learner, Model, Probabilities, State
from algorithms.core.parameters import integer
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.structures.tree import Prior


def two_classes(n: int = 60, *, seed: int = 3, weights: Any | None = None) -> Dataset:
    """A numeric attribute that tells two classes apart, with some overlap; the ids start at 100."""
    random = np.random.default_rng(seed)
    codes = (np.arange(n) % 3 == 0).astype(np.int8)
    x = random.normal(codes * 1.5, 1.0)
    schema = Schema((numeric("x"), nominal("class", ("no", "yes"))), 1)
    return Dataset(schema, [x, codes], weights=weights, row_ids=np.arange(100, 100 + n))


class NearestMean(Model):
    """Decides for the class whose mean is nearer; the probabilities fall with the squared distance."""

    id: ClassVar[str] = "nearest-mean"

    def __init__(self, schema: Schema, means: FloatArray, noise: FloatArray) -> None:
        super().__init__(schema)
        self.means, self.noise = means, noise

    def _predict_proba(self, data: Dataset) -> Probabilities:
        x = data.column(self.schema.predictors[0])
        closeness = np.exp(-0.5 * (x[:, None] - self.means[None, :]) ** 2) + 1e-12
        return closeness / closeness.sum(axis=1, keepdims=True)

    def structure(self) -> Prior:
        return Prior(self.schema, self.means)

    def explain(self, data: Dataset, row: int) -> Explanation:
        probabilities = self.predict_proba(data.take([row]))[0]
        return Explanation(int(np.argmax(probabilities)), tuple(probabilities.tolist()), ("the nearest mean",))

    def facts(self) -> dict[str, int | float]:
        return {"means": len(self.means)}

    def to_state(self) -> State:
        return State({}, {"means": self.means, "noise": self.noise})

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        if set(state.arrays) != {"means", "noise"} or state.arrays["means"].shape != (len(schema.classes),):
            raise ModelFileError("The means are damaged.")
        return cls(schema, state.arrays["means"], state.arrays["noise"])


@dataclass(frozen=True, kw_only=True)
class Means(Learner):
    """The class means with a little noise from the context's seed, and a hook called with the data and the context."""

    id: ClassVar[str] = "means"
    name: ClassVar[str] = "Nearest mean"
    sentence: ClassVar[str] = "Decides for the class whose mean is nearest."
    family: ClassVar[str] = "Toys"
    hook: ClassVar[Callable[[Dataset, RunContext], None] | None] = None

    digits: int = integer(3, lo=0, hi=9, label="Digits", help="How many digits of the noise are kept.")

    def _fit(self, data: Dataset, context: RunContext) -> Model:
        hook = type(self).hook
        if hook is not None:
            hook(data, context)
        noise = context.random().normal(0, 1e-3, len(data.schema.classes)).round(self.digits)
        x, codes = data.column(data.schema.predictors[0]), data.class_codes
        means = [x[codes == c].mean() if np.any(codes == c) else np.inf for c in range(len(data.schema.classes))]
        return NearestMean(data.schema, np.array(means) + noise, noise)


class NearestRecord(NearestMean):
    """Decides for the class of the training record whose number is nearest; sure of it."""

    id: ClassVar[str] = "nearest-record"

    def __init__(self, schema: Schema, x: FloatArray, codes: IntArray) -> None:
        super().__init__(schema, x, np.zeros(0))
        self.codes = codes

    def _predict_proba(self, data: Dataset) -> Probabilities:
        nearest = np.abs(data.column(0)[:, None] - self.means[None, :]).argmin(axis=1)
        return np.eye(len(self.schema.classes))[self.codes[nearest]]


@dataclass(frozen=True, kw_only=True)
class Rote(Learner):
    """Knows its training records by heart."""

    id: ClassVar[str] = "rote"
    name: ClassVar[str] = "Rote"
    sentence: ClassVar[str] = "Says the class of the nearest training record."
    family: ClassVar[str] = "Toys"

    def _fit(self, data: Dataset, context: RunContext) -> Model:
        return NearestRecord(data.schema, data.column(0), data.class_codes.astype(np.int64))


def hooked(hook: Callable[[Dataset, RunContext], None]) -> Learner:
    """A :class:`Means` that calls ``hook`` in each fit."""

    @dataclass(frozen=True, kw_only=True)
    class Hooked(Means):
        pass

    setattr(Hooked, "hook", staticmethod(hook))  # noqa: B010  (a plain assignment would make it a method)
    return Hooked()


class Centred(FittedFilter):
    id: ClassVar[str] = "centred"

    def __init__(self, mean: float) -> None:
        self.mean = mean

    def transform(self, data: Dataset) -> Dataset:
        return data.with_column(0, data.schema.attributes[0], data.column(0) - self.mean)

    def to_state(self) -> State:
        return State({"mean": self.mean}, {})

    @classmethod
    def from_state(cls, state: State) -> Self:
        mean = state.values.get("mean")
        if not isinstance(mean, float):
            raise ModelFileError("The mean is damaged.")
        return cls(mean)


@dataclass(frozen=True, kw_only=True)
class Centre(Filter):
    """Takes the mean of the training records away; ``seen`` collects what it was fitted on."""

    id: ClassVar[str] = "centre"
    name: ClassVar[str] = "Centre"
    sentence: ClassVar[str] = "Takes the mean away."
    family: ClassVar[str] = "Toys"
    fitted: ClassVar[type[FittedFilter]] = Centred
    seen: ClassVar[list[frozenset[int]]] = []

    def fit(self, data: Dataset, context: RunContext) -> FittedFilter:
        self.seen.append(frozenset(data.row_ids.tolist()))
        return Centred(float(data.column(0).mean()))


def failing_when(condition: Callable[[Dataset], bool], error: Exception) -> Learner:
    """A learner that raises ``error`` where the condition holds for its training part."""

    def hook(data: Dataset, context: RunContext) -> None:
        if condition(data):
            raise error

    return hooked(hook)


BAD_LUCK = DataError("This fold is cursed.")
