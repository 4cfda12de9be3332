"""Surrogate rules: a readable model learned from another model's predictions, with its fidelity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.errors import DataError, ModelFileError
from algorithms.core.learner import Codes, Explanation, Learner, Model, Probabilities, Problem, State
from algorithms.core.parameters import learner as learner_parameter
from algorithms.core.parameters import real
from algorithms.core.resampling import inner_parts
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.data.summary import Summary
from algorithms.learners.rules.c45_rules import C45Rules
from algorithms.learners.rules.model import RuleModel
from algorithms.learners.rules.words import weight_words
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.model import TreeModel
from algorithms.structures.members import ModelStructure

READABLE: Final[Mapping[str, type[Model]]] = {RuleModel.id: RuleModel, TreeModel.id: TreeModel}
"""The models that can stand for another one."""


@dataclass(frozen=True)
class SurrogateFidelity:
    """Of records of this summed weight, learned from by neither, the weight for which two models say the same."""

    same: float
    total: float

    @property
    def share(self) -> float:
        """From 0 to 1; 0 where nothing was held out."""
        return self.same / self.total if self.total > 0 else 0.0

    def __str__(self) -> str:
        return f"for {100 * self.share:.1f} of 100 records ({weight_words(self.total)} held out)"


class MimicModel(Model):
    """What ``inner`` says, rules or a tree that learned the answers of the model of ``original``."""

    id: ClassVar[str] = "mimic"

    def __init__(self, inner: Model, original: str, fidelity: SurrogateFidelity, *, partial: bool = False) -> None:
        super().__init__(inner.schema, partial=partial)
        self.inner, self.original, self.fidelity = inner, original, fidelity

    def _predict_proba(self, data: Dataset) -> Probabilities:
        return self.inner.predict_proba(data)

    def _predict(self, data: Dataset) -> Codes:
        return self.inner.predict(data)

    def structure(self) -> ModelStructure:
        return self.inner.structure()

    def facts(self) -> dict[str, int | float]:
        found = self.inner.facts()
        return {**found, "fidelity": self.fidelity.share} if self.fidelity.total > 0 else found

    def remark(self) -> str:
        if self.fidelity.total <= 0:
            return f"it stands for {self.original}; how well was not found out"
        return f"it says the same as {self.original} {self.fidelity}"

    def explain(self, data: Dataset, row: int) -> Explanation:
        why = self.inner.explain(data, row)
        said = self.remark()
        return Explanation(why.decision, why.probabilities, (*why.steps, f"{said[0].upper()}{said[1:]}"), why.parts)

    def to_state(self) -> State:
        state = self.inner.to_state()
        values: dict[str, Any] = {
            "inner": self.inner.id,
            "values": dict(state.values),
            "original": self.original,
            "same": self.fidelity.same,
            "total": self.fidelity.total,
            "partial": self.partial,
        }
        return State(values, state.arrays)

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        kept = state.values
        kind, values, original = READABLE.get(str(kept.get("inner"))), kept.get("values"), kept.get("original")
        same, total = kept.get("same"), kept.get("total")
        if kind is None or not isinstance(values, dict) or not isinstance(original, str):
            raise _damaged()
        if not isinstance(same, int | float) or not isinstance(total, int | float) or not 0 <= same <= total:
            raise _damaged()
        inner = kind.from_state(schema, State(values, state.arrays))
        return cls(inner, original, SurrogateFidelity(float(same), float(total)), partial=kept.get("partial") is True)


def _damaged() -> ModelFileError:
    return ModelFileError("The saved model is damaged: what stands for another model is missing.", remedy="Save again.")


_SHARES: Final = (0.3, 0.2, 0.3, 0.2)
"""The shares of the work, for the progress: the model on some records and what stands for it, then both on all."""


@dataclass(frozen=True, kw_only=True)
class ExtractedRules(Learner):
    """What ``reader`` learns from the answers that the model of ``base`` gives on its training records.

    How faithful that is, is found on records held out: ``base`` learns from the others and answers for all, ``reader``
    learns its answers on the others, and both are compared where neither has learned from. Then both learn from all
    records, of which the model is the reader's.
    """

    id: ClassVar[str] = "extracted-rules"
    name: ClassVar[str] = "Rules of any model"
    sentence: ClassVar[str] = (
        "Lets any learner make a model, and puts rules or a tree in its place that learn its answers: what cannot be "
        "read itself can be read so, and it is said how often both agree."
    )
    source: ClassVar[str] = "Craven and Shavlik, Extracting Tree-Structured Representations of Trained Networks (1996)"
    family: ClassVar[str] = "Rules"
    kernels: ClassVar[tuple[str, ...]] = C45Rules.kernels

    base: Learner = learner_parameter(C45(), label="The model", help="The learner whose model is put into rules.")
    reader: Learner = learner_parameter(
        C45Rules(), label="Put into", help="The learner of rules, or of a tree, that learns the model's answers."
    )
    held_out: float = real(
        33.0,
        lo=1.0,
        hi=90.0,
        label="Records held out",
        help="So many of the records tell how often the rules say what the model says.",
        unit="%",
        advanced=True,
    )

    @property
    def resamples(self) -> bool:
        return True

    def check(self, summary: Summary) -> list[Problem]:
        return self.base.check(summary) or self.reader.check(summary)

    def summary(self) -> str:
        return f"{self.name}, {self.base.summary()}"

    def _fit(self, data: Dataset, context: RunContext) -> Model:
        parts = [context.child(share, number) for number, share in enumerate(_SHARES)]
        fidelity = self._fidelity(data, context, parts[0], parts[1])
        model, inner = self._pair(data, parts[2], parts[3])
        partial = model.partial or inner.partial or context.finishing
        return MimicModel(inner, self.base.name, fidelity, partial=partial)

    def _fidelity(self, data: Dataset, context: RunContext, first: RunContext, second: RunContext) -> SurrogateFidelity:
        """How often both agree on records that neither has learned from; nothing where too few are there."""
        weights = data.weights
        weighty = data if weights is None or bool(np.all(weights > 0)) else data.take(weights > 0)
        if len(weighty) < 2 or context.finishing:
            return SurrogateFidelity(0.0, 0.0)
        learned, tested = inner_parts(weighty, 1 - self.held_out / 100, context.random())
        if not tested.any() or not learned.any():
            return SurrogateFidelity(0.0, 0.0)
        model, inner = self._pair(weighty.take(learned), first, second)
        rest = weighty.take(tested)
        held = np.array(rest.weight_array, dtype=np.float64)
        same = model.decided(rest, context) == inner.decided(rest, context)
        return SurrogateFidelity(float(held[same].sum()), float(held.sum()))

    def _pair(self, data: Dataset, first: RunContext, second: RunContext) -> tuple[Model, Model]:
        """The model of these records, and the one that learned its answers on them."""
        model = self.base.fit(data, first)
        first.complete()
        index = data.schema.class_index
        assert index is not None
        answered = data.with_column(index, data.schema.class_attribute, model.decided(data, second))
        inner = self.reader.fit(answered, second)
        second.complete()
        if inner.id not in READABLE:
            raise DataError(
                f"{self.reader.name} makes neither rules nor a tree.", remedy="Choose a learner of rules or of a tree."
            )
        return model, inner
