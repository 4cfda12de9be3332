"""The support vector machine learners, with kernels and linear, and their shared parameters."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from algorithms.core.learner import Learner, Problem, Variant, too_many_pairs
from algorithms.core.parameters import BALANCED, Option, choice, class_weights, declared_as, integer, real, when
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.learners.design_matrix import DesignRecords, too_long_lists
from algorithms.learners.svm.binary_machines import (
    AS_THEY_ARE,
    HARD,
    RANGE,
    SOFT,
    SQUARED,
    STANDARD,
    MachinePlan,
    Solver,
    Units,
    learned_space,
    train_machines,
)
from algorithms.learners.svm.kernel_functions import (
    GAUSSIAN,
    LINEAR,
    POLYNOMIAL,
    SIGMOID,
    Similarity,
    usual_gamma,
    usual_length,
)
from algorithms.learners.svm.linear_solvers import MOST_BY_NEWTON, linear_solution
from algorithms.learners.svm.model import SupportVectorModel
from algorithms.learners.svm.smo import BinaryProblem, Smo, SmoLimits, SmoSolution

USUAL_COST: Final = 4.0
"""The automatic cost is this over the mean squared distance of records from their centre in kernel space."""
AUTOMATIC: Final = "automatic"
PAIRS: Final = "one-vs-one"
REST: Final = "one-vs-rest"
MANY_CLASSES: Final = 100
"""Up to this many classes (4,950 pairs) the automatic reduction is one-vs-one, else one-vs-rest."""
_HARDENING: Final = (1e2, 1e4, 1e6)
"""Growing costs, in the same unit, that approach a hard margin."""


class MarginLearner(Learner):
    """Base of both learners, each of which declares its parameters."""

    family: ClassVar[str] = "Margins"
    kernels: ClassVar[tuple[str, ...]] = ("algorithms.learners.svm.kernels",)
    margin: str
    c: float | None
    probabilities: str
    class_cost: str
    several: str
    scaling: str
    tolerance: float
    cache: float = 500.0
    """Memory of the kernel cache of each machine in megabytes."""

    @property
    def resamples(self) -> bool:
        return self.probabilities == "platt"

    def check(self, summary: Summary) -> list[Problem]:
        problems = super().check(summary) or too_long_lists(summary)
        if not problems and self.several == PAIRS:
            problems = too_many_pairs(summary, "machines", "Tell each class from the rest.")
        return problems

    @abstractmethod
    def similarity(self, x: FloatArray, weights: FloatArray) -> Similarity:
        """Kernel, with automatic parameters computed from features (n, t) and weights (n,)."""

    def _fit(self, data: Dataset, context: RunContext) -> SupportVectorModel:
        records = DesignRecords.of(data)
        space = learned_space(records.data, records.weights, self.scaling, context)
        x = space.of_all(records.data, context.checkpoint)
        units = Units.of(x, records.codes, records.weight_array, context.checkpoint)
        context.checkpoint()
        similarity = self.similarity(units.x, units.weights)
        length = usual_length(similarity, units.x)
        effort = SmoLimits(self.tolerance, self.cache)
        cost = self.c if self.c is not None else USUAL_COST / length
        is_many = self.several == AUTOMATIC and len(records.active) > MANY_CLASSES
        against_rest = self.several == REST or is_many
        class_cost = _class_cost(records, self.class_cost)
        plan = MachinePlan(self.margin, cost, class_cost, against_rest, self.resamples, similarity)
        held, is_whole = train_machines(records, space, units, plan, self.solver(similarity, effort, length), context)
        return SupportVectorModel(held, partial=not is_whole)

    def solver(self, similarity: Similarity, effort: SmoLimits, length: float) -> Solver:
        """Solver of binary problems under these parameters."""
        if self.margin != HARD:
            return lambda task, context: self.separated(task, similarity, effort, context)

        def harden(task: BinaryProblem, context: RunContext) -> SmoSolution:
            begun: Smo | None = None
            tries = replace(effort, most_steps=max(20_000, 20 * len(task.y)))
            for cost in _HARDENING:
                smo = Smo(task.with_cost(np.full(len(task.y), cost / length)), similarity, tries, context, begun)
                solution, begun = smo.solve(), smo
                unmet = bool(np.any(solution.slack > 0))
                if not unmet or context.finishing:
                    break
            if unmet and similarity.kind == LINEAR and task.x.shape[1] <= MOST_BY_NEWTON and not context.finishing:
                # SMO does not converge at such costs, but interior points find the least total slack
                solution = linear_solution(task.with_cost(np.full(len(task.y), cost / length)), effort, context)
            return replace(solution, unmet=unmet)

        return harden

    def separated(
        self, task: BinaryProblem, similarity: Similarity, effort: SmoLimits, context: RunContext
    ) -> SmoSolution:
        """Solution by SMO."""
        return Smo(task, similarity, effort, context).solve()


def _class_cost(records: DesignRecords, how: str) -> tuple[float, ...]:
    weights = records.class_weight[records.active]
    if how != BALANCED:
        return (1.0,) * len(weights)
    return tuple((float(weights.sum()) / (len(weights) * weights)).tolist())


@dataclass(frozen=True, kw_only=True)
class SupportVectorMachine(MarginLearner):
    """Kernel support vector machine (TSKK 5.5), solved by SMO with second-order pairs, shrinking and a kernel cache."""

    id: ClassVar[str] = "svm"
    name: ClassVar[str] = "Support vector machine"
    sentence: ClassVar[str] = (
        "Maximizes the margin between the classes, linear or through a kernel. Only the support vectors "
        "determine the boundary."
    )
    source: ClassVar[str] = (
        "Cortes and Vapnik, Support-vector networks (1995); Fan, Chen and Lin, Working set selection using second "
        "order information, JMLR 6 (2005); TSKK 5.5"
    )
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(5),)

    kernel: str = choice(
        GAUSSIAN,
        Option(GAUSSIAN, "Gaussian (RBF)", "Similarity falls with the distance: flexible boundaries."),
        Option(LINEAR, "Linear", "A straight boundary."),
        Option(POLYNOMIAL, "Polynomial", "Products of attributes up to the degree."),
        Option(SIGMOID, "Sigmoid", "Like a unit of a neural network; not always positive semidefinite."),
        label="Kernel",
        help="Similarity of two records, which decides the shape of the boundary.",
    )
    margin: str = choice(
        SOFT,
        Option(SOFT, "Soft (hinge)", "The cost is proportional to the margin violation."),
        Option(SQUARED, "Soft (squared hinge)", "The cost is the squared margin violation."),
        Option(HARD, "Hard", "No violation is allowed; only for separable classes."),
        label="Margin",
        help="Whether training records may lie inside the margin or on the wrong side, and what that costs.",
    )
    c: float | None = real(
        None,
        lo=1e-9,
        hi=1e12,
        label="Penalty C",
        help="Larger values fit the training records more closely; smaller ones widen the margin. "
        "Automatic: 4 over the mean squared distance of the records from their mean in the kernel "
        "space.",
        optional=True,
        none_label="automatic",
        enabled_if=when("margin", SOFT, SQUARED),
    )
    gamma: float | None = real(
        None,
        lo=1e-12,
        hi=1e12,
        label="Gamma",
        help="Larger values bend the boundary more. Automatic: 1 over the sum of the variances of all attributes.",
        optional=True,
        none_label="automatic",
        enabled_if=when("kernel", GAUSSIAN, POLYNOMIAL, SIGMOID),
    )
    degree: int = integer(
        2, lo=1, hi=10, label="Degree", help="Degree of the polynomial.", enabled_if=when("kernel", POLYNOMIAL)
    )
    constant: float | None = real(
        None,
        label="Coef0",
        help="Constant added to the product before the power or the sigmoid. Automatic: 1 for a "
        "polynomial, 0 for a sigmoid.",
        optional=True,
        none_label="automatic",
        advanced=True,
        enabled_if=when("kernel", POLYNOMIAL, SIGMOID),
    )
    probabilities: str = choice(
        "plain",
        Option("plain", "None", "A function of the distance alone: ranks are right, sizes are not."),
        Option("platt", "Platt scaling", "A logistic curve fitted in five folds; takes five times as long."),
        label="Probability calibration",
        help="How the distance from the boundary becomes a probability.",
    )
    class_cost: str = class_weights()
    several: str = choice(
        AUTOMATIC,
        Option(AUTOMATIC, "Automatic", "One-vs-one up to 100 classes, one-vs-rest for more."),
        Option(PAIRS, "One-vs-one", "A machine for each pair of classes; they vote."),
        Option(REST, "One-vs-rest", "A machine for each class; the largest value decides."),
        label="Multi-class",
        help="How machines for two classes decide among more.",
        advanced=True,
    )
    scaling: str = choice(
        STANDARD,
        Option(STANDARD, "Standardize", "Mean 0, standard deviation 1."),
        Option(RANGE, "Range 0 to 1", "From the smallest to the largest training value."),
        Option(AS_THEY_ARE, "None", "Attributes with large values count more."),
        label="Scaling",
        help="The scale of numeric attributes. Nominal values become zeros and ones in any case.",
        advanced=True,
    )
    tolerance: float = real(
        1e-3,
        lo=1e-8,
        hi=0.5,
        label="Tolerance",
        help="Training stops if no pair of records violates the optimality conditions by more than this.",
        advanced=True,
    )
    cache: float = real(
        500.0,
        lo=1.0,
        hi=100_000.0,
        label="Kernel cache (MB)",
        help="Memory for rows of the kernel matrix; further rows are computed again.",
        unit="MB",
        advanced=True,
    )

    def similarity(self, x: FloatArray, weights: FloatArray) -> Similarity:
        if self.kernel == LINEAR:
            return Similarity(LINEAR)
        gamma = self.gamma if self.gamma is not None else usual_gamma(x, weights)
        if self.kernel == GAUSSIAN:
            return Similarity(GAUSSIAN, gamma)
        constant = self.constant if self.constant is not None else float(self.kernel == POLYNOMIAL)
        return Similarity(self.kernel, gamma, self.degree if self.kernel == POLYNOMIAL else 1, constant)


@dataclass(frozen=True, kw_only=True)
class LinearSupportVectorMachine(MarginLearner):
    """Linear support vector machine with an unpenalised bias.

    With few terms, Newton's method solves squared slacks and interior points linear ones. Otherwise SMO or dual
    coordinate descent is used.
    """

    id: ClassVar[str] = "linear-svm"
    name: ClassVar[str] = "Linear support vector machine"
    sentence: ClassVar[str] = (
        "Maximizes the margin between two classes with a linear boundary: fast even for very many "
        "records, with a weight for each attribute."
    )
    source: ClassVar[str] = (
        "Hsieh, Chang, Lin, Keerthi and Sundararajan, A dual coordinate descent method for large-scale linear SVM "
        "(2008); Keerthi and DeCoste, A modified finite Newton method, JMLR 6 (2005); "
        "Ferris and Munson, Interior-point methods for massive support vector machines (2002); TSKK 5.5"
    )

    margin: str = declared_as(SupportVectorMachine, "margin", default=SQUARED)
    c: float | None = declared_as(SupportVectorMachine, "c")
    probabilities: str = declared_as(SupportVectorMachine, "probabilities")
    class_cost: str = declared_as(SupportVectorMachine, "class_cost")
    several: str = declared_as(SupportVectorMachine, "several")
    scaling: str = declared_as(SupportVectorMachine, "scaling")
    tolerance: float = declared_as(SupportVectorMachine, "tolerance")

    def similarity(self, x: FloatArray, weights: FloatArray) -> Similarity:
        return Similarity(LINEAR)

    def separated(
        self, task: BinaryProblem, similarity: Similarity, effort: SmoLimits, context: RunContext
    ) -> SmoSolution:
        return linear_solution(task, effort, context)
