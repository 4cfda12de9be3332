"""Learners (algorithms with their parameters, without state) and models, which were induced from data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import ModelFileError, UnsuitableDataError
from algorithms.core.parameters import Configurable, ParameterKind
from algorithms.core.record_costs import CostCell
from algorithms.core.run_control import RunContext
from algorithms.data.alignment import aligned
from algorithms.data.dataset import Dataset
from algorithms.data.formulas import parse_formula
from algorithms.data.schema import Schema
from algorithms.data.sparse_matrix import MOST_DENSE_CELLS
from algorithms.data.summary import Summary, summarize
from algorithms.structures.model_structure import ModelStructure

if TYPE_CHECKING:
    from algorithms.structures.tree import TreeSum

Codes = NDArray[np.int32]
Probabilities = NDArray[np.float64]

_HEAVIEST: Final = 1e30
_LIGHTEST: Final = 1e-30
_NOTHING: Final = 1e-40


@dataclass(frozen=True)
class Problem:
    """Why a learner cannot use the data: a plain sentence, a remedy, and the column concerned, if any."""

    sentence: str
    remedy: str = ""
    column: str | None = None


@dataclass(frozen=True)
class State:
    """A model as plain values (JSON) and arrays, as saved; ``kinds`` maps an id to the class of an inner model."""

    values: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]
    kinds: Callable[[str], type[Model]] | None = field(default=None, compare=False)

    def kind(self, id: str) -> type[Model]:
        """The class of a nested model with this id; raises :class:`CoppiceError` for an unknown id."""
        if self.kinds is None:
            raise ModelFileError(f"The saved model holds another one, {id[:80]!r}, that cannot be made here.")
        return self.kinds(id)


@dataclass(frozen=True)
class NumberInContext:
    """A numeric value of a record, with mean and standard deviation of its attribute in training."""

    name: str
    value: float
    average: float
    deviation: float


@dataclass(frozen=True)
class LogOddsTerm:
    """Contribution of one attribute value to the log odds of the decided class against class ``against``.

    A negative one supports ``against``. ``what`` is the value as text ("age = 51"), ``beside`` the value it is compared
    with. ``number`` holds both if the value is numeric. Of a nominal value with several indicator terms, ``parts`` has
    each one's text and contribution, largest first.
    """

    what: str
    beside: str
    added: float
    against: int
    number: NumberInContext | None = None
    parts: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Explanation:
    """Why a record was classified so: steps as text, the nodes or parts, and ``reasons`` of additive models."""

    decision: int
    probabilities: tuple[float, ...]
    steps: tuple[str, ...]
    parts: tuple[int, ...] = ()
    reasons: tuple[LogOddsTerm, ...] = ()


@dataclass(frozen=True, eq=False)
class AdditiveScores:
    """Log scores of the classes as sums: ``start`` (k,), and ``parts`` (a, k) of the attributes of the schema.

    Log scores are logarithms of probabilities up to a common term.
    """

    start: NDArray[np.float64]
    parts: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Predictions:
    """Class codes (n,), int32, and probabilities (n, k); ``undecided`` records got the class shares of training."""

    decisions: Codes
    probabilities: Probabilities
    undecided: int = 0


@dataclass(frozen=True)
class Variant:
    """A setting of a learner for a comparison of learners, given by the values that differ from the defaults.

    ``burden`` ranks how hard its models are to read, which breaks ties in accuracy: 0 a constant prediction, 1 a single
    test, 2 read at a glance, 3 read with patience, 4 too large to read, 5 unreadable (votes, weights, distances).
    """

    burden: int
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Suggestion:
    """A suggested parameter value in typed form, and a text on how it was derived."""

    text: str
    words: str


@dataclass(frozen=True, kw_only=True)
class Learner(Configurable, ABC):
    """A learning algorithm with its parameters (a frozen dataclass; see :mod:`algorithms.core.parameters`)."""

    family: ClassVar[str]
    """Its heading in lists: "Trees", "Rules", "Baselines" ..."""
    source: ClassVar[str] = ""
    """The paper or chapter that defines the algorithm."""
    kernels: ClassVar[tuple[str, ...]] = ()
    """Kernel modules that fitting or predicting imports, so that they can be compiled ahead."""
    gives_parts_away: ClassVar[bool] = False
    """Whether it trains one model in parts that workers may do, by :meth:`RunContext.call`."""
    listed: ClassVar[bool] = True
    """Whether lists show the learner; one that is created only by other actions is hidden."""
    burden: ClassVar[int] = 5
    """How hard its models are to read; see :class:`Variant`."""
    tried_with_several: ClassVar[tuple[Variant, ...]] = ()
    """The settings that a comparison of learners takes unless the user chooses others."""

    always_resamples: ClassVar[bool] = False
    """Whether the learner resamples under all settings; see :attr:`resamples`."""

    @property
    def resamples(self) -> bool:
        """Whether training draws or splits records, so that a weight of 2 differs from two copies of a record."""
        return self.always_resamples

    @property
    def reads_sparse(self) -> bool:
        """Whether training uses sparse columns as they are; otherwise they become dense, up to a limit."""
        return False

    @classmethod
    def variants(cls) -> tuple[Variant, ...]:
        """The settings that a comparison takes once the learner is chosen."""
        return cls.tried_with_several or (Variant(cls.burden),)

    @property
    def tests_left_out(self) -> bool:
        """Whether the learner tests on records that its samples left out (out of bag)."""
        return False

    @property
    def inner_learners(self) -> tuple[Learner, ...]:
        """The learners among its parameters."""
        values = (value if isinstance(value, tuple) else (value,) for value in self.values().values())
        return tuple(inner for several in values for inner in several if isinstance(inner, Learner))

    @property
    def raw_columns(self) -> frozenset[str]:
        """The columns that its model reads as they are before the recipe."""
        return frozenset().union(*(inner.raw_columns for inner in self.inner_learners))

    @property
    def cost_columns(self) -> frozenset[str]:
        """The columns that the formulas of its costs use."""
        matrices = (self.values()[p.name] for p in self.parameters() if p.formulas and self.enabled(p.name))
        formulas = (cost for rows in matrices for row in rows for cost in row if isinstance(cost, str))
        own = (parse_formula(cost).columns() for cost in formulas)
        return frozenset().union(*own, *(inner.cost_columns for inner in self.inner_learners))

    @property
    def own_costs(self) -> tuple[tuple[CostCell, ...], ...]:
        """The cost matrix of the learner or, without one, of a learner among its parameters; empty for zero-one."""
        matrices = (p.name for p in self.parameters() if p.kind is ParameterKind.COST_MATRIX and self.enabled(p.name))
        own = next(filter(None, (self.values()[name] for name in matrices)), ())
        return own or next(filter(None, (inner.own_costs for inner in self.inner_learners)), ())

    @property
    def monotone_attributes(self) -> frozenset[str]:
        """The attributes in which the probability of the second class has to be monotone."""
        return frozenset().union(*(inner.monotone_attributes for inner in self.inner_learners))

    def check(self, summary: Summary) -> list[Problem]:
        """The problems of this data for the learner, empty if there are none; never reads the records."""
        return common_problems(summary) or ([] if self.reads_sparse else sparse_problems(summary))

    def suggested(self, parameter: str, data: Dataset, context: RunContext) -> Suggestion:
        """The value of a ``suggested`` parameter for labelled records; raises ``ValueError`` for any other one."""
        raise ValueError(f"{self.id} suggests no {parameter}")

    def fit(self, data: Dataset, context: RunContext) -> Model:
        """The model trained on the records that have a class; never changes ``data``.

        Raises :class:`UnsuitableDataError` for a problem of :meth:`check`, :class:`Cancelled` on a stop.
        """
        problems = self.check(summarize(data, context.checkpoint, counted=False))
        if problems:
            raise UnsuitableDataError(problems[0].sentence, remedy=problems[0].remedy, place=problems[0].column or "")
        model = self._fit(with_bounded_weights(data.labelled()), context)
        context.checkpoint()
        return model

    @abstractmethod
    def _fit(self, data: Dataset, context: RunContext) -> Model:
        """The model trained on data that passed :meth:`check`; all records have a class, perhaps the same one."""


def sparse_problems(summary: Summary) -> list[Problem]:
    """The problem of too many sparse columns for a learner that needs dense ones."""
    if summary.n_sparse_cells <= MOST_DENSE_CELLS:
        return []
    gigabytes = summary.n_sparse_cells * 8 / 1e9
    sentence = f"It needs all word counts as dense columns, which would take {gigabytes:,.1f} GB."
    remedy = "Keep fewer words, or choose a linear learner, naive Bayes or a tree."
    return [Problem(sentence, remedy)]


class WrappingLearner(Learner):
    """Base of the learners that train another learner; a subclass declares it as the parameter ``base``."""

    base: Learner

    @property
    def reads_sparse(self) -> bool:
        return self.base.reads_sparse

    @property
    def resamples(self) -> bool:
        return self.always_resamples or self.base.resamples

    def check(self, summary: Summary) -> list[Problem]:
        return self.base.check(summary)

    def summary(self) -> str:
        return f"{self.name}, {self.base.summary()}"


def most_probable(shares: Probabilities) -> Codes:
    """The class codes (n,) of the largest probabilities (n, k), the first of equal ones."""
    codes: Codes = np.argmax(shares, axis=1).astype(np.int32)
    return codes


class Model(ABC):
    """A trained model; ``schema`` is that of the training data, ``partial`` says that training finished early."""

    id: ClassVar[str]
    """The name of the class in saved models."""
    decides_otherwise: ClassVar[bool] = False
    """Whether the decided class may differ from the most probable one: by costs or a threshold."""
    undecided_words: ClassVar[str] = "{records} like nothing that the model knows: the shares of the classes decided."
    """Remark on the ``undecided`` records of :class:`Predictions`; ``{records}`` is "1 record was" or similar."""

    def __init__(self, schema: Schema, *, partial: bool = False) -> None:
        self.schema = schema
        self.partial = partial

    @property
    def classes(self) -> tuple[str, ...]:
        return self.schema.classes

    def predict_proba(self, data: Dataset) -> Probabilities:
        """Class probabilities (n, k), rows summing to 1.

        Columns are matched by name and values by label; a value unseen in training counts as missing. Raises
        :class:`DataError` if a needed column is absent or of another kind.
        """
        return self._predict_proba(aligned(self.schema, data))

    def predict(self, data: Dataset) -> Codes:
        """The class code decided for each record (n,), int32."""
        return self._predict(aligned(self.schema, data))

    def judged(self, data: Dataset, context: RunContext) -> Predictions:
        """Decisions and probabilities, as :meth:`predict` and :meth:`predict_proba`, in one pass that can stop."""
        if type(self)._predict is Model._predict:
            shares = self.predict_proba(data)
            return Predictions(most_probable(shares), shares)
        decisions = self.predict(data)
        context.checkpoint()
        return Predictions(decisions, self.predict_proba(data))

    def decided(self, data: Dataset, context: RunContext) -> Codes:
        """The decided class codes, as from :meth:`predict`; a slow model checks the context for stops."""
        context.checkpoint()
        if type(self).judged is Model.judged:  # which would compute probabilities as well
            return self.predict(data)
        return self.judged(data, context).decisions

    @abstractmethod
    def _predict_proba(self, data: Dataset) -> Probabilities: ...

    def _predict(self, data: Dataset) -> Codes:
        return most_probable(self._predict_proba(data))

    @abstractmethod
    def structure(self) -> ModelStructure:
        """The contents of the model for display and export: tree, rules, coefficients ..."""

    @abstractmethod
    def explain(self, data: Dataset, row: int) -> Explanation:
        """The explanation of the decision for record ``row`` of ``data``."""

    weighs_pairs: ClassVar[bool] = False
    """Whether :meth:`explain_pair` can weigh any class against any other."""

    def explain_pair(self, data: Dataset, row: int, pair: tuple[int, int] | None = None) -> Explanation:
        """As :meth:`explain`; where pairs are weighed, of the first class of ``pair`` against the second."""
        return self.explain(data, row)

    def tree_sum(self) -> TreeSum | None:
        """The trees of which the model is a sum; None for any other model."""
        return None

    def additive_scores(self, data: Dataset) -> AdditiveScores | None:
        """The log scores as sums over attributes, the parts as means over these records; None if they are no sum."""
        return None

    def remarks(self, judgement: Predictions) -> list[str]:
        """Sentences on unusual properties of these predictions."""
        n = judgement.undecided
        if not n:
            return []
        return [self.undecided_words.format(records="1 record was" if n == 1 else f"{n:,} records were")]

    @abstractmethod
    def facts(self) -> dict[str, int | float]:
        """Sizes to report: ``leaves, nodes, depth, rules ...``"""

    def remark(self) -> str:
        """A remark or "", with its own subject ("it converged: ..."), without initial capital and full stop."""
        return ""

    @abstractmethod
    def to_state(self) -> State:
        """The model without its schema, as plain values and arrays."""

    @classmethod
    @abstractmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        """The identical model from its saved state; raises :class:`ModelFileError` for a state of another class."""


class WatchedModel(Model):
    """A model that computes decisions and probabilities together and checks the context for stops."""

    @abstractmethod
    def _judged(self, data: Dataset, context: RunContext) -> Predictions:
        """As :meth:`judged`, of data under the schema of the model."""

    def judged(self, data: Dataset, context: RunContext) -> Predictions:
        return self._judged(aligned(self.schema, data), context)

    def _predict_proba(self, data: Dataset) -> Probabilities:
        return self._judged(data, RunContext()).probabilities

    def _predict(self, data: Dataset) -> Codes:
        return self._judged(data, RunContext()).decisions


class StructuredModel(Model):
    """A model that saves only its structure: arrays and a few scalar values."""

    @staticmethod
    @abstractmethod
    def checked(schema: Schema, state: State) -> Any:
        """The structure in a saved state; raises :class:`ModelFileError` if it does not fit the schema."""

    def values(self) -> dict[str, Any]:
        """The structure's scalar values by name, as JSON values."""
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
"""Largest number of pairwise models (one for each pair of classes) that fits into memory."""


def too_many_pairs(summary: Summary, parts: str, remedy: str) -> list[Problem]:
    """The problem of too many pairwise models for the classes that occur; ``parts`` is the noun of these models."""
    k = 0 if summary.class_counts is None else int(np.count_nonzero(summary.class_counts))
    n = k * (k - 1) // 2
    if n <= MOST_PAIRS:
        return []
    return [Problem(f"{k:,} classes make {n:,} pairs; {MOST_PAIRS:,} {parts} are the most.", remedy)]


def with_bounded_weights(data: Dataset) -> Dataset:
    """The data with weights scaled so that their squares and sums stay finite; ordinary weights are unchanged.

    If the largest weight lies outside 1e-30 to 1e30, all are multiplied by one power of two. Weights below 1e-40 of the
    largest become 0, since they vanish in any sum with it.
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


def monotone_problems(base: Learner, why: str) -> list[Problem]:
    """The problem of a ``base`` with monotone attributes for a learner or filter that cannot train one."""
    names = ", ".join(sorted(base.monotone_attributes))
    return [Problem(f"{names} cannot be monotone here: {why}.", "Choose no monotone attributes.")] if names else []


def common_problems(summary: Summary) -> list[Problem]:
    """The problems that any classifier has with the data: no nominal class, or no record with a class."""
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
