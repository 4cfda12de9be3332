"""Learners and models.

A *learner* is a learning algorithm with its parameters and holds no state. A *model* is what was induced from data.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.core.context import RunContext
from algorithms.core.errors import ModelFileError, UnsuitableDataError
from algorithms.core.parameters import Configurable
from algorithms.data.alignment import aligned
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.data.summary import Summary, summarize
from algorithms.structures.members import ModelStructure

Codes = NDArray[np.int32]
Probabilities = NDArray[np.float64]

_HEAVIEST: Final = 1e30
_LIGHTEST: Final = 1e-30
_NOTHING: Final = 1e-40


@dataclass(frozen=True)
class Problem:
    """Why a learner cannot take the data: a plain sentence, what to do about it, and the column meant, if one."""

    sentence: str
    remedy: str = ""
    column: str | None = None


@dataclass(frozen=True)
class State:
    """A model as plain values and arrays: what is written to disk. ``values`` holds JSON values only.

    ``kinds`` finds the class of a model by its id, for a model that is made of others.
    """

    values: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]
    kinds: Callable[[str], type[Model]] | None = field(default=None, compare=False)

    def kind(self, id: str) -> type[Model]:
        """The class of a model within this one; raises :class:`CoppiceError` where it is not known."""
        if self.kinds is None:
            raise ModelFileError(f"The saved model holds another one, {id[:80]!r}, that cannot be made here.")
        return self.kinds(id)


@dataclass(frozen=True)
class NumberInContext:
    """A record's number in a column beside the training records': their average and standard deviation."""

    name: str
    value: float
    average: float
    deviation: float


@dataclass(frozen=True)
class LogOddsTerm:
    """What one thing known of a record adds to the log odds of the decided class against the next one, ``against``
    (a code); below 0 it speaks for that one. ``what`` says it ("age = 51"), ``beside`` what it is compared with;
    ``number`` has both where it is a number, as the model sees it."""

    what: str
    beside: str
    added: float
    against: int
    number: NumberInContext | None = None


@dataclass(frozen=True)
class Explanation:
    """Why one record was classified as it was: the steps in words, in order, and the nodes or parts they passed.

    Of models that add up what speaks for and against a class, ``reasons`` has the same as ``steps`` in numbers.
    """

    decision: int
    probabilities: tuple[float, ...]
    steps: tuple[str, ...]
    parts: tuple[int, ...] = ()
    reasons: tuple[LogOddsTerm, ...] = ()


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a model says of n records: the class codes decided (n,), int32, and the class probabilities (n, k).

    ``undecided`` says of how many it had nothing to go by, so that it gave them the shares of the classes in training.
    """

    decisions: Codes
    probabilities: Probabilities
    undecided: int = 0


@dataclass(frozen=True)
class Variant:
    """A setting of a learner that is worth comparing with others, and how it differs from the defaults: it is called
    what the summary of the learner so set says.

    ``burden`` says how much there is to understand in its models, which settles what is the simplest of several that do
    equally well: 0 nothing (a constant answer), 1 a single question, 2 read at a glance, 3 read with patience, 4 too
    large to read, 5 cannot be read (votes, weights, distances).
    """

    burden: int
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Suggestion:
    """A value of a parameter, as a person would type it, and in words how it was found."""

    text: str
    words: str


@dataclass(frozen=True, kw_only=True)
class Learner(Configurable, ABC):
    """A learning algorithm with its parameters (a frozen dataclass; see :mod:`algorithms.core.parameters`)."""

    family: ClassVar[str]
    """The heading it stands under in lists: "Trees", "Rules", "Baselines" ..."""
    source: ClassVar[str] = ""
    """Where the algorithm is defined: a paper or a chapter."""
    kernels: ClassVar[tuple[str, ...]] = ()
    """Modules of compiled loops that fit or predict will import, for compiling them ahead."""
    listed: ClassVar[bool] = True
    """Whether a person may choose it to start with; one that only comes about by other work is not offered."""
    tried_with_several: ClassVar[tuple[Variant, ...]] = ()
    """What of it "Try several" compares with the others; nothing where it is empty."""

    always_resamples: ClassVar[bool] = False
    """Whether it resamples under all settings; see :attr:`resamples`."""

    @property
    def resamples(self) -> bool:
        """Whether it draws or splits records while it learns: then weights are not the same as repetition."""
        return self.always_resamples

    @property
    def tests_left_out(self) -> bool:
        """Whether it tests by records that samples of its training records left out (out of bag)."""
        return False

    def check(self, summary: Summary) -> list[Problem]:
        """Why this data cannot be learned from, in plain words; empty where it can. Never looks at the records."""
        return common_problems(summary)

    def suggested(self, parameter: str, data: Dataset, context: RunContext) -> Suggestion:
        """A value for a parameter that is declared as ``suggested``, found in the records that have a class.

        Raises ``ValueError`` for any other parameter: most learners declare none so.
        """
        raise ValueError(f"{self.id} suggests no {parameter}")

    def fit(self, data: Dataset, context: RunContext) -> Model:
        """The model induced from the records that have a class. Never touches ``data``.

        Raises :class:`UnsuitableDataError` where :meth:`check` finds a problem, :class:`Cancelled` on a stop.
        """
        problems = self.check(summarize(data, context.checkpoint, counted=False))
        if problems:
            raise UnsuitableDataError(problems[0].sentence, remedy=problems[0].remedy, place=problems[0].column or "")
        codes = data.class_codes
        labelled = data if bool(np.all(codes >= 0)) else data.take(codes >= 0)
        model = self._fit(with_bounded_weights(labelled), context)
        context.checkpoint()
        return model

    @abstractmethod
    def _fit(self, data: Dataset, context: RunContext) -> Model:
        """:meth:`fit` on data that passed :meth:`check` and whose records all have a class (one class may be all)."""


class WrappingLearner(Learner):
    """Base of the learners that train another learner; a subclass declares it as the parameter ``base``."""

    base: Learner

    @property
    def resamples(self) -> bool:
        return self.always_resamples or self.base.resamples

    def check(self, summary: Summary) -> list[Problem]:
        return self.base.check(summary)

    def summary(self) -> str:
        return f"{self.name}, {self.base.summary()}"


class Model(ABC):
    """What was induced. ``schema`` is that of the training data; ``partial`` says that it was finished early."""

    id: ClassVar[str]
    """Names the class in a saved model."""
    decides_otherwise: ClassVar[bool] = False
    """Whether it may decide for a class that is not the likeliest: by costs, at a threshold."""
    undecided_words: ClassVar[str] = "{records} like nothing that the model knows: the shares of the classes decided."
    """What is said of the ``undecided`` records of a :class:`Predictions`; ``{records}`` is "1 record was", or more."""

    def __init__(self, schema: Schema, *, partial: bool = False) -> None:
        self.schema = schema
        self.partial = partial

    @property
    def classes(self) -> tuple[str, ...]:
        return self.schema.classes

    def predict_proba(self, data: Dataset) -> Probabilities:
        """Class probabilities (n, k), rows summing to 1.

        Columns are found by name and values by label; a value never seen in training counts as missing.
        Raises :class:`DataError` where a needed column is absent or of another kind.
        """
        return self._predict_proba(aligned(self.schema, data))

    def predict(self, data: Dataset) -> Codes:
        """The class code decided for each record (n,), int32."""
        return self._predict(aligned(self.schema, data))

    def judged(self, data: Dataset, context: RunContext) -> Predictions:
        """Decisions and probabilities at once, found as :meth:`predict` and :meth:`predict_proba` would.

        A model for which that takes long does it in one go and heeds the context's stops.
        """
        decisions = self.predict(data)
        context.checkpoint()
        return Predictions(decisions, self.predict_proba(data))

    def decided(self, data: Dataset, context: RunContext) -> Codes:
        """The decisions of :meth:`predict`; a model for which these take long heeds the context's stops."""
        context.checkpoint()
        if type(self).judged is Model.judged:  # which would find probabilities besides
            return self.predict(data)
        return self.judged(data, context).decisions

    @abstractmethod
    def _predict_proba(self, data: Dataset) -> Probabilities: ...

    def _predict(self, data: Dataset) -> Codes:
        codes: Codes = np.argmax(self._predict_proba(data), axis=1).astype(np.int32)
        return codes

    @abstractmethod
    def structure(self) -> ModelStructure:
        """What there is to look at."""

    @abstractmethod
    def explain(self, data: Dataset, row: int) -> Explanation:
        """Why record ``row`` of ``data`` is classified as it is."""

    def remarks(self, judgement: Predictions) -> list[str]:
        """What is to be known of how it judged these records: a sentence for each thing out of the ordinary."""
        n = judgement.undecided
        if not n:
            return []
        return [self.undecided_words.format(records="1 record was" if n == 1 else f"{n:,} records were")]

    @abstractmethod
    def facts(self) -> dict[str, int | float]:
        """Sizes worth reporting: ``leaves, nodes, depth, rules ...``"""

    def remark(self) -> str:
        """What else a person should know of it; empty where there is nothing.

        One sentence with its own subject ("it converged: ..."), without its first capital and its full stop.
        """
        return ""

    @abstractmethod
    def to_state(self) -> State:
        """Everything but the schema as plain values and arrays."""

    @classmethod
    @abstractmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        """The model again, bit for bit; raises :class:`ModelFileError` where the state is not one of this class."""


class StructuredModel(Model):
    """A model whose state is its structure: the structure's arrays and a few single values."""

    @staticmethod
    @abstractmethod
    def checked(schema: Schema, state: State) -> Any:
        """The structure in a saved state; raises :class:`ModelFileError` where it does not fit the schema."""

    def values(self) -> dict[str, Any]:
        """The structure's single values by name, as JSON."""
        return {}

    def to_state(self) -> State:
        structure: Any = self.structure()
        return State({"partial": self.partial, **self.values()}, structure.arrays())

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        construct: Any = cls
        model: Self = construct(cls.checked(schema, state), partial=state.values.get("partial") is True)
        return model


MOST_PAIRS: Final = 50_000
"""So many models of pairs of classes fit into memory."""


def too_many_pairs(summary: Summary, parts: str, remedy: str) -> list[Problem]:
    """What is wrong where each pair of the classes that occur is to have a model, and these would be very many.

    ``parts`` says what they are called.
    """
    k = 0 if summary.class_counts is None else int(np.count_nonzero(summary.class_counts))
    n = k * (k - 1) // 2
    if n <= MOST_PAIRS:
        return []
    return [Problem(f"{k:,} classes make {n:,} pairs; {MOST_PAIRS:,} {parts} are the most.", remedy)]


def with_bounded_weights(data: Dataset) -> Dataset:
    """The data with weights whose squares and sums are numbers: ordinary weights stay as they are.

    Where the largest lies beyond 1e±30, all are multiplied by one power of two. A weight of less than 1e-40 of the
    largest, which no sum of both would show, becomes 0.
    """
    if data.weights is None or not len(data):
        return data
    largest = float(data.weights.max())
    smallest = float(data.weights.min(initial=largest, where=data.weights > 0))
    if not largest > 0 or (_LIGHTEST <= largest <= _HEAVIEST and smallest >= _NOTHING * largest):
        return data
    bounded = min(max(largest, _LIGHTEST), _HEAVIEST)
    weights = np.ldexp(data.weights, int(np.floor(np.log2(bounded) - np.log2(largest))) if bounded != largest else 0)
    return data.with_weights(np.where(data.weights < _NOTHING * largest, 0.0, weights))


def common_problems(summary: Summary) -> list[Problem]:
    """What no classifier can do without: a nominal class, and a record that has it."""
    schema = summary.schema
    if schema.class_index is None:
        return [Problem("No class is chosen.", "Choose the column to predict.")]
    attribute = schema.class_attribute
    if not attribute.kind.is_coded:
        remedy = (
            "Change its kind to nominal." if not attribute.kind.is_float else "Cut it into ranges, or make it nominal."
        )
        return [Problem(f"The class {attribute.name} is {attribute.kind.value}, not nominal.", remedy, attribute.name)]
    if summary.class_counts is None or summary.class_counts.sum() == 0:
        return [
            Problem(f"No record has a value in the class {attribute.name}.", "Choose another class.", attribute.name)
        ]
    return []
