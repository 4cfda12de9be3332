"""The model of quadratic discriminants."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from algorithms.core.align import aligned
from algorithms.core.columns import FloatArray
from algorithms.core.data import Dataset
from algorithms.core.gaussians import Gaussians
from algorithms.core.learner import Explanation, Model, Probabilities, State
from algorithms.core.schema import Schema
from algorithms.core.term_words import listed, remarks_on_terms
from algorithms.linear.model import BLOCK, softmax
from algorithms.linear.validation import checked_gaussians

_MOST_SAID = 8


class QuadraticModel(Model):
    """The class with the largest share times normal density. Missing and unseen values count as in a
    :class:`LinearModel`; a class that no training record has is never decided."""

    id: ClassVar[str] = "quadratic-model"

    def __init__(self, held: Gaussians, *, partial: bool = False) -> None:
        super().__init__(held.schema, partial=partial)
        self.held = held

    def __repr__(self) -> str:
        return f"QuadraticModel({self.held.n_terms} terms)"

    def _distances(self, terms: FloatArray, code: int) -> FloatArray:
        """How far records (t, b) are from a class's middle, squared, in its own spreads (b,)."""
        apart = self.held.root[code] @ (terms - self.held.mean[code][:, None])
        return np.asarray(np.einsum("tb,tb->b", apart, apart))

    def scores(self, data: Dataset) -> FloatArray:
        """Log share plus log density (n, k), but for what all classes have alike; minus infinity for classes that are
        never decided. Of records under the model's schema."""
        held, k = self.held, self.held.n_classes
        found = np.full((len(data), k), -np.inf)
        with np.errstate(divide="ignore"):
            start = np.log(held.prior) - 0.5 * held.log_det
        for at in range(0, len(data), BLOCK):
            rows = slice(at, min(at + BLOCK, len(data)))
            terms = np.empty((held.n_terms, rows.stop - rows.start))
            held.terms.put(data, rows, terms)
            for code in np.flatnonzero(held.prior > 0).tolist():
                found[rows, code] = start[code] - 0.5 * self._distances(terms, code)
        return found

    def _predict_proba(self, data: Dataset) -> Probabilities:
        return softmax(self.scores(data))

    def structure(self) -> Gaussians:
        return self.held

    def facts(self) -> dict[str, int | float]:
        return {"terms": self.held.n_terms}

    def remark(self) -> str:
        found = remarks_on_terms(self.held.terms)
        mixed = [self.classes[code] for code in np.flatnonzero(self.held.blended > 0).tolist()]
        if mixed:
            part = float(self.held.blended.max())
            found.append(f"the shape of {listed(mixed)} is in part (up to {part:.0%}) that of all classes together")
        return "; ".join(found)

    def explain(self, data: Dataset, row: int) -> Explanation:
        """How far the record is from the middle of each class, the likeliest class first, and where it differs most."""
        record = aligned(self.schema, data).take([row])
        probabilities, decision = self._predict_proba(record)[0], int(self._predict(record)[0])
        terms = self.held.terms.of(record)
        steps = []
        for code in np.argsort(-probabilities, kind="stable").tolist()[:_MOST_SAID]:
            if self.held.prior[code] > 0:
                far = float(np.sqrt(self._distances(terms, code)[0]))
                share = f"{self.held.prior[code]:.1%} of all"
                steps.append(f"{far:.3g} spreads from the middle of {self.classes[code]} ({share}): "
                             f"{probabilities[code]:.1%} likely")  # fmt: skip
        if not self.held.n_terms:
            return Explanation(decision, tuple(float(p) for p in probabilities), tuple(steps))
        away = np.abs(terms[:, 0] - self.held.mean[decision]) / self.held.deviation[decision]
        furthest = int(np.argmax(away))
        steps.append(f"Least usual for {self.classes[decision]}: {self.held.terms.name(furthest)}, "
                     f"{away[furthest]:.3g} standard deviations away")  # fmt: skip
        return Explanation(decision, tuple(float(p) for p in probabilities), tuple(steps), (furthest,))

    def to_state(self) -> State:
        values: dict[str, Any] = {"partial": self.partial}
        return State(values, self.held.arrays())

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        return cls(checked_gaussians(schema, state), partial=state.values.get("partial") is True)
