"""Threshold optimizer: the decision threshold of a class, chosen by cross-validation (registry entry)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from algorithms.core.learner import Learner, Problem, WrappingLearner
from algorithms.core.parameters import Option, choice, declared_as, learner_parameter, text
from algorithms.core.record_costs import CostCell, RecordCosts
from algorithms.core.run_control import RunContext
from algorithms.core.scores import costs_of_data, halfway, next_best, problems_of_costs
from algorithms.core.training import held_out
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.learners.costs.calibrated import Calibrated
from algorithms.learners.costs.cost_sensitive import CostSensitive
from algorithms.learners.costs.wrapped_models import ThresholdModel
from algorithms.learners.ensembles.member_training import weighty
from algorithms.learners.trees.c45 import C45

AIMS: Final = {"cost": "the least cost", "f": "the highest F-measure", "balanced": "the highest balanced accuracy"}


@dataclass(frozen=True, kw_only=True)
class ChosenThreshold(WrappingLearner):
    """The threshold best in cross-validation, the middle of the widest interval; the model learns from all records."""

    id: ClassVar[str] = "chosen-threshold"
    name: ClassVar[str] = "Threshold optimizer"
    sentence: ClassVar[str] = (
        "Chooses the probability threshold of a class by cross-validation inside the training records, so "
        "that a rare class is predicted although it is seldom the most probable."
    )
    source: ClassVar[str] = "Sheng and Ling, Thresholding for making classifiers cost-sensitive (2006); TSKK Eq. 5.83"
    family: ClassVar[str] = "Costs"
    kernels: ClassVar[tuple[str, ...]] = C45.kernels
    always_resamples: ClassVar[bool] = True

    base: Learner = learner_parameter(
        C45(), label="Base learner", help="The learner whose probabilities are thresholded."
    )
    aim: str = choice(
        "cost",
        Option("cost", "Cost", "Lowest total cost; if all costs are 1, the highest accuracy."),
        Option("f", "F-measure", "Balances recall and precision of the class."),
        Option("balanced", "Balanced accuracy", "Mean of recall and specificity of the class."),
        label="Objective",
        help="The measure that the threshold maximizes.",
    )
    costs: tuple[tuple[CostCell, ...], ...] = declared_as(CostSensitive, "costs")
    of_class: str = text(
        "",
        label="Positive class",
        help="The class whose threshold is chosen. Empty: the rarest class in the training records.",
    )
    folds: int = declared_as(Calibrated, "folds")

    def check(self, summary: Summary) -> list[Problem]:
        problems = super().check(summary) or problems_of_costs(self.costs, summary)
        if problems or not self.of_class.strip() or self.of_class.strip() in summary.schema.classes:
            return problems
        classes = ", ".join(summary.schema.classes[:8])
        return [Problem(f"There is no class {self.of_class.strip()!r}.", f"The classes are {classes}.")]

    def summary(self) -> str:
        return f"{self.name} for {AIMS[self.aim].split(' ', 1)[1]}, {self.base.summary()}"

    def _fit(self, data: Dataset, context: RunContext) -> ThresholdModel:
        data = weighty(data)
        code, threshold = self._code(data), None
        judged = held_out(self.base, data, self.folds, context.child(0.8, 0))
        if judged is not None and judged.tested.any():
            rows = np.flatnonzero(judged.tested)
            truth = data.class_codes[rows].astype(np.int64)
            costs = costs_of_data(self.costs, data).take(rows)
            threshold = self._best(judged.probabilities[rows], truth, data.weight_array[rows], code, costs)
        inner = self.base.fit(data, context.child(0.2, 1))
        return ThresholdModel(inner, self.base.name, code, threshold, AIMS[self.aim])

    def _code(self, data: Dataset) -> int:
        """Class whose threshold is chosen: the named one, else the rarest."""
        if self.of_class.strip():
            return data.schema.classes.index(self.of_class.strip())
        counts = data.class_weights
        return int(np.argmin(np.where(counts > 0, counts, np.inf)))

    def _best(
        self, probabilities: FloatArray, truth: np.ndarray, weights: FloatArray, code: int, costs: RecordCosts
    ) -> float:
        """Best threshold, halfway between two probabilities."""
        scores = probabilities[:, code]
        order = np.argsort(-scores, kind="stable")
        ends = np.flatnonzero(np.append(scores[order][1:] != scores[order][:-1], True))
        gains = self._gains(probabilities, truth, weights, code, costs)[order]
        sums = np.concatenate([[[0.0] * gains.shape[1]], np.cumsum(gains, axis=0)[ends]])
        worth = self._worth(sums, truth, weights, code)
        levels = np.concatenate([[1.0 + 1e-9], scores[order][ends]])
        best = np.flatnonzero(worth >= worth.max() - 1e-12 * max(1.0, float(np.abs(worth).max())))
        lower = np.append(levels[1:], 0.0)
        widest = best[int(np.argmax(levels[best] - lower[best]))]
        return float(halfway(lower[widest], levels[widest]))

    def _gains(
        self, probabilities: FloatArray, truth: np.ndarray, weights: FloatArray, code: int, costs: RecordCosts
    ) -> FloatArray:
        """Gain of predicting the class for each record: the saved cost, or weights of (true, false) positives."""
        if self.aim == "cost":
            spared = costs.of(truth, next_best(probabilities, code)) - costs.of(truth, np.full_like(truth, code))
            return np.asarray((weights * spared)[:, None])
        is_of_class = truth == code
        return np.stack([weights * is_of_class, weights * ~is_of_class], axis=1)

    def _worth(self, sums: FloatArray, truth: np.ndarray, weights: FloatArray, code: int) -> FloatArray:
        """Objective of each threshold (t,) from the summed gains of the records that reach it (t, 1 or 2)."""
        if self.aim == "cost":
            return sums[:, 0]
        positive = float(weights[truth == code].sum())
        negative = float(weights.sum()) - positive
        hits, alarms = sums.T
        if self.aim == "f":
            return np.asarray(2 * hits / np.maximum(hits + alarms + positive, 1e-300))
        return np.asarray((hits / max(positive, 1e-300) + 1 - alarms / max(negative, 1e-300)) / 2)
