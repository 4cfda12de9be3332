"""Evaluation results made of given numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.result import EvaluationResult
from algorithms.learners.trees.zero_r import ZeroR


def result_of(
    truth: Any, probabilities: Any, *, decision: Any = None, weights: Any = None, classes: tuple[str, ...] = ()
) -> EvaluationResult:
    """Records of these true classes (m,) and probabilities (m, k), decided for the most probable class by default."""
    given = np.asarray(probabilities, dtype=np.float64)
    m, k = given.shape
    labels = classes or tuple("abcdefghijklmnopqrstuvwxyz"[:k])
    decided = given.argmax(axis=1) if decision is None else decision
    return EvaluationResult(
        learner=ZeroR(),
        method=CrossValidation(),
        recipe=(),
        seed=1,
        schema=Schema((numeric("x"), nominal("class", labels)), 1),
        classes=labels,
        row_ids=np.arange(m),
        repeats=np.zeros(m, dtype=np.int32),
        folds=np.zeros(m, dtype=np.int32),
        truth=np.asarray(truth, dtype=np.int32),
        decision=np.asarray(decided, dtype=np.int32),
        probabilities=given,
        weights=None if weights is None else np.asarray(weights, dtype=np.float64),
        baseline_class=0,
        n_training=m,
        n_without_class=0,
        test_is_training=False,
        n_folds=10,
    )


def random_result(
    m: int, k: int = 2, *, seed: int = 0, digits: int | None = 2, weighted: bool = False
) -> EvaluationResult:
    """Records whose probabilities lean towards their class, rounded to ``digits`` so that many are equal."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, k, m)
    scores = random.random((m, k)) + 0.6 * (np.arange(k) == truth[:, None])
    probabilities = scores / scores.sum(axis=1, keepdims=True)
    if digits is not None:
        probabilities = probabilities.round(digits)
    return result_of(truth, probabilities, weights=random.random(m) + 0.5 if weighted else None)
