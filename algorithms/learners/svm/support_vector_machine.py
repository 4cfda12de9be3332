"""The support vector machine learners, with kernels and linear, and their shared parameters."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from algorithms.core.learner import Learner, Problem, Variant, too_many_pairs
from algorithms.core.parameters import Option, choice, declared_as, integer, real, when
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

        def harden(task: BinaryProblem, context: RunContext) -> tuple[SmoSolution, FloatArray | None, bool]:
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
                return *linear_solution(task.with_cost(np.full(len(task.y), cost / length)), effort, context), True
            return solution, None, unmet

        return harden

    def separated(self, task: BinaryProblem, similarity: Similarity, effort: SmoLimits, context: RunContext
                  ) -> tuple[SmoSolution, FloatArray | None, bool]:  # fmt: skip
        """Solution by SMO."""
        return Smo(task, similarity, effort, context).solve(), None, False


def _class_cost(records: DesignRecords, how: str) -> tuple[float, ...]:
    """Cost factor of each active class."""
    weights = records.class_weight[records.active]
    if how != "balanced":
        return (1.0,) * len(weights)
    return tuple((float(weights.sum()) / (len(weights) * weights)).tolist())


@dataclass(frozen=True, kw_only=True)
class SupportVectorMachine(MarginLearner):
    """Kernel support vector machine (TSKK 5.5), solved by SMO with second-order pairs, shrinking and a kernel cache."""

    id: ClassVar[str] = "svm"
    name: ClassVar[str] = "Support vector machine"
    sentence: ClassVar[str] = (
        "Draws the boundary that keeps the classes furthest apart, straight or bent by a kernel: only the records "
        "nearest to it, its support vectors, count."
    )
    source: ClassVar[str] = (
        "Cortes and Vapnik, Support-vector networks (1995); Fan, Chen and Lin, Working set selection using second "
        "order information, JMLR 6 (2005); TSKK 5.5"
    )
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(5),)

    kernel: str = choice(
        GAUSSIAN,
        Option(GAUSSIAN, "Gaussian", "Alike is what is near: bends as much as it must."),
        Option(LINEAR, "linear", "A straight boundary."),
        Option(POLYNOMIAL, "polynomial", "Products of up to so many numbers: curves of that degree."),
        Option(SIGMOID, "sigmoid", "As a node of a neural network; not every such kernel is a product in some space."),
        label="Kernel",
        help="How alike two records are, and so what shape the boundary can have.",
    )
    margin: str = choice(
        SOFT,
        Option(SOFT, "soft", "A record inside the margin or beyond it costs as much as it is too far."),
        Option(SQUARED, "soft, squared", "It costs the square of that: many small slacks rather than a few large."),
        Option(HARD, "hard", "No record may be inside the margin. Only where the classes can be told apart."),
        label="Margin",
        help="Whether training records may lie inside the margin or on the wrong side, and what that costs.",
    )
    c: float | None = real(
        None,
        lo=1e-9,
        hi=1e12,
        label="Cost of a slack (C)",
        help="The more, the closer the boundary follows the training records; the less, the wider the margin. By "
        "itself it is 4 over the mean squared distance of records from their middle, as the kernel measures it.",
        optional=True,
        none_label="automatic",
        enabled_if=when("margin", SOFT, SQUARED),
    )
    gamma: float | None = real(
        None,
        lo=1e-12,
        hi=1e12,
        label="Gamma",
        help="The larger, the nearer records must be to count as alike, and the more the boundary bends. By itself it "
        "is 1 over the sum of the variances of all numbers.",
        optional=True,
        none_label="automatic",
        enabled_if=when("kernel", GAUSSIAN, POLYNOMIAL, SIGMOID),
    )
    degree: int = integer(
        2, lo=1, hi=10, label="Degree", help="Of the polynomial.", enabled_if=when("kernel", POLYNOMIAL)
    )
    constant: float | None = real(
        None,
        label="Constant",
        help="Added to the product before the power or the sigmoid is taken. By itself it is 1 for a polynomial, 0 for "
        "a sigmoid.",
        optional=True,
        none_label="automatic",
        advanced=True,
        enabled_if=when("kernel", POLYNOMIAL, SIGMOID),
    )
    probabilities: str = choice(
        "plain",
        Option("plain", "by distance", "From the distance to the boundary alone: right in order, not in size."),
        Option("platt", "calibrated", "Fitted to records left out in five folds (Platt): takes five times as long."),
        label="Probabilities",
        help="How the distance of a record from the boundary becomes a probability.",
    )
    class_cost: str = choice(
        "equal",
        Option("equal", "the same", "Every record counts the same."),
        Option("balanced", "by class", "The rarer a class, the more its records cost: all classes the same together."),
        label="Slacks of each class cost",
        help="Whether a slack costs more in a rare class. For costs of your own put the step Weigh the classes before.",
        advanced=True,
    )
    several: str = choice(
        AUTOMATIC,
        Option(
            AUTOMATIC,
            "by their number",
            f"Each pair up to {MANY_CLASSES} classes, each from the rest where there are more.",
        ),
        Option(PAIRS, "each pair", "A machine for each pair of classes; they vote."),
        Option(REST, "each from the rest", "A machine for each class; the clearest decides."),
        label="Several classes",
        help="How machines that separate two classes decide between more.",
        advanced=True,
    )
    scaling: str = choice(
        STANDARD,
        Option(STANDARD, "by deviation", "Each number less its average, in standard deviations."),
        Option(RANGE, "0 to 1", "Each number between its smallest and its largest in training."),
        Option(AS_THEY_ARE, "as they are", "Columns of large numbers count more."),
        label="Numbers are taken",
        help="On which scale. Values of lists become zeros and ones in any case.",
        advanced=True,
    )
    tolerance: float = real(
        1e-3,
        lo=1e-8,
        hi=0.5,
        label="Exact to",
        help="Learning ends when no two training records pull against each other by more than this, in margins.",
        advanced=True,
    )
    cache: float = real(
        500.0,
        lo=1.0,
        hi=100_000.0,
        label="Memory for the kernel",
        help="Rows of the kernel that are kept; what does not fit is worked out again.",
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
        "Draws the straight boundary that keeps two classes furthest apart, fast even for very many records, and says "
        "what each attribute weighs in it."
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
    ) -> tuple[SmoSolution, FloatArray | None, bool]:
        return *linear_solution(task, effort, context), False
