"""Cost-sensitive learning: least expected cost, weighting or sampling by cost, MetaCost, thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from algorithms.core.learner import Learner, Model, Problem, WrappingLearner
from algorithms.core.parameters import (
    Option,
    boolean,
    choice,
    column,
    cost_matrix,
    declared_as,
    learner_parameter,
    text,
    when,
)
from algorithms.core.record_costs import CostCell, RecordCosts
from algorithms.core.run_control import RunContext
from algorithms.core.scores import (
    cheapest_decisions,
    costs_of_data,
    halfway,
    known_amounts,
    next_best,
    problems_of_costs,
    weighed_by_costs,
)
from algorithms.core.training import held_out
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.formulas import parse_formula
from algorithms.data.schema import AttributeKind
from algorithms.data.summary import Summary
from algorithms.data.synthetic_ids import before_recipe
from algorithms.learners.costs.calibrated import Calibrated
from algorithms.learners.costs.wrapped_models import CheapestModel, ThresholdModel
from algorithms.learners.ensembles.bagging import Bagging
from algorithms.learners.ensembles.member_training import OUT_OF_BAG, drawn_rows, sample_of, side_by_side, weighty
from algorithms.learners.ensembles.model import votes_of
from algorithms.learners.trees.c45 import C45

DECISIONS: Final = "decisions"
WEIGHTS: Final = "weights"
SAMPLES: Final = "samples"


@dataclass(frozen=True, kw_only=True)
class CostSensitive(WrappingLearner):
    """Cost-sensitive decisions, record weights or samples around any learner.

    By decisions, the class of least expected cost is predicted. By weights, a record weighs the summed costs of
    misclassifying its class (Ting 2002), which acts like altered priors (Breiman et al. 1984, section 4.4). By samples,
    records are drawn in proportion to these weights, for learners that ignore weights.
    """

    id: ClassVar[str] = "cost-sensitive"
    name: ClassVar[str] = "Cost-sensitive"
    sentence: ClassVar[str] = (
        "Makes any learner cost-sensitive: predicts the class with the lowest expected cost, or weights "
        "training records by their cost."
    )
    source: ClassVar[str] = "TSKK section 5.7, Eqs. 5.79 to 5.83; Ting (2002); Elkan, The foundations (2001)"
    family: ClassVar[str] = "Costs"
    kernels: ClassVar[tuple[str, ...]] = C45.kernels

    base: Learner = learner_parameter(C45(), label="Base learner", help="The learner that is made cost-sensitive.")
    costs: tuple[tuple[CostCell, ...], ...] = cost_matrix(
        label="Cost matrix",
        help="One row per actual class, one column per predicted class; negative costs are rewards. A cost may be a "
        "column or a formula of columns, such as [amount] * 0.2. If all costs are 1, the highest accuracy is "
        "cheapest. Evaluate has costs of its own for finished runs.",
        formulas=True,
    )
    by: str = choice(
        DECISIONS,
        Option(
            DECISIONS,
            "Minimum expected cost",
            "Predicts the class with the lowest expected cost under the learner's probabilities.",
        ),
        Option(WEIGHTS, "Record weights", "Weights each training record by the cost of misclassifying it."),
        Option(SAMPLES, "Resampling", "Draws training records in proportion to their cost."),
        label="Method",
        help="Where the costs enter. For ensembles choose record weights, because they average probabilities.",
    )
    amounts: str | None = column(
        None,
        label="Record cost column",
        help="A column with the value of each record, such as an amount of money: with weights and "
        "resampling its errors count this many times. Do not use it as an attribute if it is unknown "
        "beforehand.",
        enabled_if=when("by", WEIGHTS, SAMPLES),
        advanced=True,
        kinds=(AttributeKind.NUMERIC,),
    )

    @property
    def resamples(self) -> bool:
        return self.by == SAMPLES or super().resamples

    @property
    def raw_columns(self) -> frozenset[str]:
        formulas = (cost for row in self.costs for cost in row if isinstance(cost, str) and self.by == DECISIONS)
        return super().raw_columns.union(*(parse_formula(cost).columns() for cost in formulas))

    @property
    def cost_columns(self) -> frozenset[str]:
        amounts = self.amounts if self.enabled("amounts") else None
        return super().cost_columns | ({amounts} if amounts else frozenset())

    def check(self, summary: Summary) -> list[Problem]:
        problems = super().check(summary) or problems_of_costs(self.costs, summary)
        name = self.amounts if self.by != DECISIONS else None
        if problems or name is None:
            return problems
        schema = summary.cost_schema
        if name not in schema:
            return [Problem(f"There is no column named {name!r}.", "Choose another for the cost of a record.", name)]
        if not schema.attributes[schema.index_of(name)].kind.is_float:
            return [Problem(f"The column {name} holds no numbers.", "Choose another for the cost of a record.", name)]
        return []

    def summary(self) -> str:
        how = {DECISIONS: "", WEIGHTS: ", by weights", SAMPLES: ", by drawing records"}[self.by]
        return f"{self.name}{how}, {self.base.summary()}"

    def _fit(self, data: Dataset, context: RunContext) -> Model:
        costs = costs_of_data(self.costs, data)
        if self.by == DECISIONS:
            return CheapestModel(self.base.fit(data, context.child(1.0, 1)), self.base.name, costs)
        data = weighty(data)
        weights = self._weights(data, costs_of_data(self.costs, data))
        if self.by == WEIGHTS:
            return self.base.fit(data.with_weights(weights), context.child(1.0, 1))
        rows = drawn_rows(weights, len(data), len(data), context.child(0.0, 0).random())
        return self.base.fit(sample_of(data, rows), context.child(1.0, 1))

    def _weights(self, data: Dataset, costs: RecordCosts) -> FloatArray:
        """Cost weights of records (n,); raises :class:`DataError` for a negative amount."""
        weights = data.weight_array
        if self.amounts is not None:
            worth = np.asarray(before_recipe(data, [self.amounts]).column(self.amounts), dtype=np.float64)
            weights = weights * known_amounts(worth, self.amounts)
        return weighed_by_costs(weights, data.class_codes.astype(np.int64), costs)


@dataclass(frozen=True, kw_only=True)
class MetaCost(WrappingLearner):
    """MetaCost: trains on the cheapest classes under bagged probabilities; its probabilities are of the new labels."""

    id: ClassVar[str] = "metacost"
    name: ClassVar[str] = "MetaCost"
    sentence: ClassVar[str] = (
        "Relabels each training record with the class of lowest expected cost, estimated by an ensemble, "
        "and trains one model on these labels: cost-sensitive and still a single tree or rule list."
    )
    source: ClassVar[str] = "Domingos, MetaCost: a general method for making classifiers cost-sensitive (1999)"
    family: ClassVar[str] = "Costs"
    gives_parts_away: ClassVar[bool] = True
    kernels: ClassVar[tuple[str, ...]] = C45.kernels
    always_resamples: ClassVar[bool] = True

    base: Learner = declared_as(CostSensitive, "base")
    costs: tuple[tuple[CostCell, ...], ...] = declared_as(CostSensitive, "costs")
    members: int = declared_as(Bagging, "members", default=10)
    size: float = declared_as(Bagging, "size")
    combine: str = declared_as(Bagging, "combine")
    all_members: bool = boolean(
        True,
        label="Use all members",
        help="All members predict the class probabilities of a record; otherwise only its out-of-bag "
        "members, if there are any.",
        advanced=True,
    )

    @property
    def tests_left_out(self) -> bool:
        return not self.all_members

    def check(self, summary: Summary) -> list[Problem]:
        return super().check(summary) or problems_of_costs(self.costs, summary)

    def summary(self) -> str:
        return f"{self.name}, {self.members:,} × {self.base.summary()}"

    def _fit(self, data: Dataset, context: RunContext) -> Model:
        data = weighty(data)
        probabilities = self._probabilities(data, context.child(0.8, 0))
        class_index = data.schema.class_index
        assert class_index is not None
        own = data.class_codes.astype(np.int32)
        codes = cheapest_decisions(probabilities, own, costs_of_data(self.costs, data))
        cheap = data.with_column(class_index, data.schema.class_attribute, codes.astype(np.int64))
        return self.base.fit(cheap, context.child(0.2, 1))

    def _probabilities(self, data: Dataset, context: RunContext) -> FloatArray:
        """Class probabilities (n, k) of the training records by the members."""
        n = len(data)

        def make(_member: int, part: RunContext) -> tuple[FloatArray, FloatArray]:
            return part.call(_votes, self, data)

        every = np.zeros((n, len(data.schema.classes)))
        asked, times = np.zeros_like(every), np.zeros(n)
        for votes, which in side_by_side(make, self.members, context):
            every += votes
            asked += votes * which[:, None]
            times += which
        sums = np.where((times > 0)[:, None], asked, every)
        return np.asarray(sums / sums.sum(axis=1, keepdims=True))


def _votes(learner: MetaCost, data: Dataset, part: RunContext) -> tuple[FloatArray, FloatArray]:
    """The votes (n, k) of a member, and 1 for each record (n,) that it is asked about, else 0."""
    n = len(data)
    size = max(1, round(n * learner.size / 100))
    rows = drawn_rows(data.weights, n, size, part.child(0.0, 0).random())
    model = learner.base.fit(sample_of(data, rows), part.child(1.0, 1))
    asked = np.ones(n) if learner.all_members else data.derived(OUT_OF_BAG).of(rows).astype(np.float64)
    averaged = learner.combine == "probabilities"
    return votes_of(model, data, averaged=averaged, context=part.child(0.0, 2)), asked


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
