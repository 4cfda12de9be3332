"""A model that can be read in the place of another one, and how often both say the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

from algorithms.core.data import Dataset
from algorithms.core.errors import ModelFileError
from algorithms.core.learner import Codes, Explanation, Model, Probabilities, State
from algorithms.core.members import ModelStructure
from algorithms.core.schema import Schema
from algorithms.rules.model import RuleModel
from algorithms.rules.words import weight_words
from algorithms.trees.model import TreeModel

READABLE: Final[Mapping[str, type[Model]]] = {RuleModel.id: RuleModel, TreeModel.id: TreeModel}
"""The models that can stand for another one."""


@dataclass(frozen=True)
class Fidelity:
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

    def __init__(self, inner: Model, original: str, fidelity: Fidelity, *, partial: bool = False) -> None:
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
        return cls(inner, original, Fidelity(float(same), float(total)), partial=kept.get("partial") is True)


def _damaged() -> ModelFileError:
    return ModelFileError("The saved model is damaged: what stands for another model is missing.", remedy="Save again.")
