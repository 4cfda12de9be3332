"""By what settings are chosen: what decisions and probabilities lose on the records of a validation part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Codes, Model
from algorithms.core.params import Option
from algorithms.evaluation.probabilities import probability_scores
from algorithms.evaluation.scored import pairs_of_class

ERROR: Final = "error"
Loss = Callable[[Codes, Codes, NDArray[np.floating], FloatArray], float]
"""What is lost, from the true classes (m,), the decisions (m,), the probabilities (m, k) and the weights (m,)."""


def _error(truth: Codes, decision: Codes, _: NDArray[np.floating], weights: FloatArray) -> float:
    return float(np.average(truth != decision, weights=weights))


def _balanced_error(truth: Codes, decision: Codes, _: NDArray[np.floating], weights: FloatArray) -> float:
    """The mean over the classes that occur of the share of their records that were not found."""
    of_class = np.bincount(truth, weights)
    wrong = np.bincount(truth, weights * (truth != decision), minlength=len(of_class))
    present = of_class > 0
    return float(np.mean(wrong[present] / of_class[present]))


def _log_loss(truth: Codes, _: Codes, probabilities: NDArray[np.floating], weights: FloatArray) -> float:
    return probability_scores(truth, probabilities, weights).log_loss().value or 0.0


def _brier(truth: Codes, _: Codes, probabilities: NDArray[np.floating], weights: FloatArray) -> float:
    return probability_scores(truth, probabilities, weights).brier().value or 0.0


def _one_less_auc(truth: Codes, _: Codes, probabilities: NDArray[np.floating], weights: FloatArray) -> float:
    """1 less the classes' areas under the ROC curve, weighted by the classes; a half where there is one class."""
    of_class = np.bincount(truth, weights, minlength=probabilities.shape[1])
    areas = [pairs_of_class(truth, probabilities, code, weights).auc for code in range(len(of_class))]
    defined = [(float(n), area) for n, area in zip(of_class, areas, strict=True) if area is not None and n > 0]
    total = sum(n for n, _ in defined)
    return 1 - sum(n * area for n, area in defined) / total if total else 0.5


LOSSES: Final[Mapping[str, Loss]] = {
    ERROR: _error,
    "balanced-error": _balanced_error,
    "log-loss": _log_loss,
    "brier": _brier,
    "auc": _one_less_auc,
}
OPTIONS: Final = (
    Option(ERROR, "Fewest errors", "The setting that decides most records rightly."),
    Option("balanced-error", "Fewest errors, classes alike", "Every class counts the same, however rare it is."),
    Option("log-loss", "Best probabilities (log loss)", "The setting whose probabilities are least surprised."),
    Option("brier", "Best probabilities (Brier)", "The setting whose probabilities are nearest to the truth."),
    Option("auc", "Best order (AUC)", "The setting that tells the classes apart best, whatever the threshold."),
)
WORDS: Final[Mapping[str, str]] = {
    ERROR: "error rate",
    "balanced-error": "average error rate of the classes",
    "log-loss": "log loss",
    "brier": "Brier score",
    "auc": "1 − AUC",
}


def lost(measure: str, model: Model, data: Dataset, context: RunContext) -> float:
    """What a model loses on prepared records of known class, at least one; NaN where none of them has weight."""
    weights = data.weight_array
    if not len(data) or not float(weights.sum()) > 0:
        return float("nan")
    truth = data.class_codes.astype(np.int32)
    said = model.judged(data, context)
    return LOSSES[measure](truth, said.decisions, said.probabilities, weights)
