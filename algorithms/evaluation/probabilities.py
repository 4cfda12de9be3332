"""How good the probabilities are, whatever is decided by them: log loss and Brier score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.learner import Codes
from algorithms.core.scores import Term, Working, ratio

LEAST: Final = float(np.finfo(np.float32).eps)
"""A probability below this counts as this in the log loss: one certain mistake would make it infinite."""
ROWS_AT_ONCE: Final = 1 << 16


@dataclass(frozen=True)
class ProbabilityScores:
    """Sums over the tested records, by weight.

    ``logs`` is the sum of ln p, p the probability given to the true class; ``squares`` that of the squared distances
    between the probabilities of all classes and the truth; ``weight`` that of the records.
    """

    logs: float = 0.0
    squares: float = 0.0
    weight: float = 0.0

    def log_loss(self) -> Working:
        """Mean of −ln p: 0 where every true class was certain."""
        terms = (
            Term("Σ ln p", self.logs, "natural logarithms of the probabilities that the true classes got, summed"),
            Term("tested", self.weight, "records tested"),
        )
        value = ratio(-self.logs, self.weight)
        return Working("Log loss", "−{Σ ln p} / {tested}", terms, None if value is None else value + 0.0)

    def brier(self) -> Working:
        """Mean squared distance of the probabilities from the truth, over all classes: 0 best, 2 worst."""
        terms = (
            Term("Σ (p − y)²", self.squares, "over records and classes; y is 1 for the true class, else 0"),
            Term("tested", self.weight, "records tested"),
        )
        value = ratio(self.squares, self.weight)
        return Working("Brier score", "{Σ (p − y)²} / {tested}", terms, value, source="Brier 1950")


NO_PROBABILITIES: Final = ProbabilityScores()


def probability_scores(
    truth: Codes, probabilities: NDArray[np.floating], weights: FloatArray | None
) -> ProbabilityScores:
    """Sum up the probabilities (m, k) of records of these true classes (m,), a block at a time."""
    logs = squares = 0.0
    for start in range(0, len(truth), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        p = np.asarray(probabilities[rows], dtype=np.float64)
        of_truth = p[np.arange(len(p)), truth[rows]]
        weight = np.ones(len(p)) if weights is None else weights[rows]
        logs += float(np.log(np.clip(of_truth, LEAST, 1.0)) @ weight)
        squares += float((np.einsum("ij,ij->i", p, p) - 2 * of_truth + 1) @ weight)
    total = float(len(truth)) if weights is None else float(weights.sum())
    return ProbabilityScores(logs, max(0.0, squares), total)
