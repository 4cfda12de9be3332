"""Measures of the predicted probabilities; their formulas stand in ``probabilities``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np

from algorithms.core.scores import FormulaWorking
from algorithms.evaluation.measures.measure import Basis, Measure, MeasureInput, Section, Unit
from algorithms.evaluation.measures.probabilities import ProbabilityScores


def _of(compute: Callable[[ProbabilityScores], FormulaWorking]) -> Callable[[MeasureInput], FormulaWorking]:
    return lambda given: compute(given.report.probability)


_LOSS: Final = partial(Measure, basis=Basis.PROBABILITIES, best=0.0)
_GAIN: Final = partial(Measure, basis=Basis.PROBABILITIES, worst=-np.inf, chance=0.0)
LOG_LOSS: Final = _LOSS(
    "log-loss",
    "Log loss",
    "How far the probabilities are from the truth; one that is sure and wrong counts most. 0 is perfect.",
    _of(ProbabilityScores.log_loss),
    section=Section.ERRORS,
    worst=np.inf,
)
BRIER: Final = _LOSS(
    "brier",
    "Brier score",
    "The squared distance of the probabilities from the truth; 0 is perfect. Under All the distances of all "
    "classes are added up and 2 is the worst; for one class only its own counts, 1 is the worst, and so it is "
    "smaller: with two classes the half.",
    _of(ProbabilityScores.brier),
    lambda given, code: given.report.probability.class_brier(code),
    Section.ERRORS,
    worst=2.0,
)
INFORMATION: Final = _GAIN(
    "information",
    "Information (bits)",
    "What the probabilities tell of a record beyond how frequent the classes are (Kononenko and Bratko).",
    _of(ProbabilityScores.information),
    section=Section.SPECIAL,
    unit=Unit.BITS,
    best=np.inf,
)
RELATIVE_INFORMATION: Final = _GAIN(
    "relative-information",
    "Information, relative",
    "What the probabilities tell, as a share of all there is to tell: 0 is nothing, 1 everything.",
    _of(ProbabilityScores.relative_information),
    section=Section.SPECIAL,
)
ABSOLUTE_ERROR: Final = _LOSS(
    "mean-absolute-error",
    "Mean absolute error",
    "How far a probability is from 1 for the true class and 0 for the others, on average (MAE, as in Weka).",
    _of(ProbabilityScores.absolute_error),
    lambda given, code: given.report.probability.class_absolute_error(code),
    worst=1.0,
)
ROOT_SQUARED_ERROR: Final = _LOSS(
    "root-mean-squared-error",
    "Root mean squared error",
    "How far a probability is from 1 for the true class and 0 for the others, where large distances count more "
    "(RMSE, as in Weka).",
    _of(ProbabilityScores.root_squared_error),
    worst=1.0,
)
RELATIVE_ABSOLUTE_ERROR: Final = _LOSS(
    "relative-absolute-error",
    "Relative absolute error",
    "In 100 of what always giving the shares of the classes would err (RAE); below 100 is better than that.",
    _of(ProbabilityScores.relative_absolute_error),
    unit=Unit.PERCENT,
    worst=np.inf,
    chance=1.0,
)
ROOT_RELATIVE_SQUARED_ERROR: Final = _LOSS(
    "root-relative-squared-error",
    "Root relative squared error",
    "In 100 of the RMSE of always giving the shares of the classes (RRSE); below 100 is better than that.",
    _of(ProbabilityScores.root_relative_squared_error),
    unit=Unit.PERCENT,
    worst=np.inf,
    chance=1.0,
)
EXPLAINED_LOG_LOSS: Final = _GAIN(
    "d2-log-loss",
    "Log loss explained (D²)",
    "How much of the log loss of always giving the classes' shares is done away with; 1 is perfect.",
    _of(ProbabilityScores.explained_log_loss),
)
EXPLAINED_BRIER: Final = _GAIN(
    "d2-brier",
    "Brier skill (D²)",
    "How much of the squared distance of always giving the classes' shares is done away with; 1 is perfect.",
    _of(ProbabilityScores.explained_brier),
)
BITS_SAVED: Final = _GAIN(
    "bits-saved",
    "Bits saved",
    "By how much shorter a class can be written down with these probabilities (Weka: complexity improvement).",
    _of(ProbabilityScores.bits_saved),
    unit=Unit.BITS,
    best=np.inf,
)
