"""What one fold of an evaluation yielded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.learned import Search
from algorithms.core.learner import Codes
from algorithms.core.resampling import Split


@dataclass(frozen=True, eq=False)
class Outcome:
    """Positions of the tested records (m,), and what the model said of them."""

    split: Split
    tested: IntArray
    truth: Codes
    decision: Codes
    probabilities: NDArray[np.floating]
    undecided: int
    class_weights: FloatArray
    fit_seconds: float
    predict_seconds: float
    partial: bool
    search: Search | None
    left_out: str = ""
    """Which columns the model could not learn from after the recipe, in a sentence; empty where there are none."""
    differences: tuple[str, ...] = ()
    """How a test file differs from the training data, in sentences."""
