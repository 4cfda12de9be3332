"""The model of logistic regression and of linear discriminants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final, Self

import numpy as np

from algorithms.core.align import aligned
from algorithms.core.columns import FloatArray
from algorithms.core.data import Dataset
from algorithms.core.hyperplanes import Hyperplanes
from algorithms.core.learner import Explanation, Model, Probabilities, Reason, State
from algorithms.core.schema import Schema
from algorithms.core.term_words import strongest
from algorithms.linear.validation import checked_hyperplanes
from algorithms.linear.words import contribution_words, reason, remark_of

BLOCK: Final = 8192
"""Records that are judged at once, so that what is made meanwhile stays near the processor."""
_MOST_SAID: Final = 20


class LinearModel(Model):
    """The class with the largest weighed sum; the probabilities are the softmax of the sums.

    A missing value counts as the attribute's mean or most frequent value in training, and so does a value that training
    never saw. Of tied classes the first is taken. A class that no training record has is never decided.
    """

    id: ClassVar[str] = "linear-model"

    def __init__(self, planes: Hyperplanes, *, partial: bool = False) -> None:
        super().__init__(planes.schema, partial=partial)
        self.planes = planes

    def __repr__(self) -> str:
        return f"LinearModel({self.planes.n_terms} terms)"

    # ---- classifying -----------------------------------------------------------------------------------------------

    def scores(self, data: Dataset) -> FloatArray:
        """The weighed sums (n, k) of records under the model's schema, minus infinity for classes never decided."""
        planes, k = self.planes, self.planes.n_classes
        never = (planes.class_weight <= 0) & bool(planes.class_weight.any())
        found = np.empty((len(data), k))
        for at in range(0, len(data), BLOCK):
            rows = slice(at, min(at + BLOCK, len(data)))
            terms = np.empty((len(planes.terms), rows.stop - rows.start))
            planes.terms.put(data, rows, terms)
            found[rows] = (planes.weight.T @ terms).T
        found += planes.bias
        found[:, never] = -np.inf
        return found

    def _predict_proba(self, data: Dataset) -> Probabilities:
        return softmax(self.scores(data))

    # ---- looking inside --------------------------------------------------------------------------------------------

    def structure(self) -> Hyperplanes:
        return self.planes

    def facts(self) -> dict[str, int | float]:
        used = int(np.count_nonzero(np.any(self.planes.weight != 0, axis=1)))
        return {"terms": self.planes.n_terms, "used_terms": used}

    def remark(self) -> str:
        return remark_of(self.planes)

    def contributions(self, data: Dataset, row: int, code: int, other: int) -> FloatArray:
        """What each term of a record adds to the log odds of a class against another, beside a record of means (t,)."""
        terms = self.planes.terms.of(aligned(self.schema, data), np.array([row]))[:, 0]
        return np.asarray(terms * (self.planes.weight[:, code] - self.planes.weight[:, other]))

    def explain(self, data: Dataset, row: int) -> Explanation:
        """What each attribute adds for the decided class against the next one, the most first.

        ``parts`` are the terms, by their places.
        """
        record = aligned(self.schema, data).take([row])
        probabilities, decision = self._predict_proba(record)[0], int(self._predict(record)[0])
        others = [code for code in np.argsort(-probabilities, kind="stable").tolist() if code != decision]
        other = others[0] if others and probabilities[others[0]] > 0 else decision
        shares = tuple(float(p) for p in probabilities)
        if decision == other:
            return Explanation(decision, shares, (f"{self.classes[decision]} is the only class there is",))
        added = self.contributions(record, 0, decision, other)
        parts = strongest(added, _MOST_SAID)
        reasons = self._reasons(record, added, parts, decision, other)
        return Explanation(decision, shares, self.steps_of(decision, reasons, len(parts)), tuple(parts), reasons)

    def steps_of(self, decision: int, reasons: Sequence[Reason], n_terms: int) -> tuple[str, ...]:
        """What :meth:`explain` says of these reasons for a class, the first where it begins, then ``n_terms`` of terms;
        their numbers may be put in other units."""
        start, *said = reasons
        ours, theirs = self.classes[decision], self.classes[start.against]
        return (
            f"{start.what}: {ours} against {theirs} {start.added:+.3g} (log odds)",
            *(contribution_words(each, (ours, theirs)) for each in said[:n_terms]),
            *(f"{each.what}: {each.added:+.3g}" for each in said[n_terms:]),
            f"Together: {sum(each.added for each in reasons):+.3g}, for {ours} rather than {theirs}",
        )

    def _reasons(
        self, record: Dataset, added: FloatArray, places: list[int], decision: int, other: int
    ) -> tuple[Reason, ...]:
        """Where a record of averages stands, then what each of these terms adds, then all others in one."""
        start = float(self.planes.bias[decision] - self.planes.bias[other])
        found = [Reason("A record of averages", "", start, other)]
        found += [reason(self.planes.terms, at, record, float(added[at]), other) for at in places]
        if len(places) < int(np.count_nonzero(added)):
            found.append(Reason("All else together", "", float(added.sum() - added[places].sum()), other))
        return tuple(found)

    # ---- on disk ---------------------------------------------------------------------------------------------------

    def to_state(self) -> State:
        values: dict[str, Any] = {"partial": self.partial, "kind": self.planes.kind, "penalty": self.planes.penalty}
        return State(values, self.planes.arrays())

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        return cls(checked_hyperplanes(schema, state), partial=state.values.get("partial") is True)


def softmax(scores: FloatArray) -> FloatArray:
    """Probabilities (n, k) from scores (n, k), in their place."""
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores
