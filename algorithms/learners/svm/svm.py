"""Support vector machines: with any kernel, and linear ones for many records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from algorithms.core.context import RunContext
from algorithms.core.learner import Variant
from algorithms.core.parameters import Option, choice, integer, real, when
from algorithms.data.columns import FloatArray
from algorithms.learners.svm import parameters
from algorithms.learners.svm.kernel_functions import GAUSSIAN, LINEAR, POLYNOMIAL, SIGMOID, Similarity, usual_gamma
from algorithms.learners.svm.machines import SQUARED
from algorithms.learners.svm.parameters import MarginLearner, linearly
from algorithms.learners.svm.smo import BinaryProblem, SmoLimits, SmoSolution


@dataclass(frozen=True, kw_only=True)
class SupportVectorMachine(MarginLearner):
    """Finds the boundary with the widest margin between two classes in the space of a kernel (TSKK 5.5).

    The dual problem is solved two multipliers at a time (sequential minimal optimisation) with pairs chosen by the
    second order (Fan, Chen and Lin 2005); records that settle at an end are left out meanwhile, and as many rows of the
    kernel are kept as there is room for.
    """

    id: ClassVar[str] = "svm"
    name: ClassVar[str] = "Support vector machine"
    sentence: ClassVar[str] = (
        "Draws the boundary that keeps the classes furthest apart, straight or bent by a kernel: only the records "
        "nearest to it, its support vectors, count."
    )
    family: ClassVar[str] = "Margins"
    source: ClassVar[str] = (
        "Cortes and Vapnik, Support-vector networks (1995); Fan, Chen and Lin, Working set selection using second "
        "order information, JMLR 6 (2005); TSKK 5.5"
    )
    kernels: ClassVar[tuple[str, ...]] = ("algorithms.learners.svm.kernels",)
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
    margin: str = parameters.margin()
    c: float | None = parameters.c()
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
    probabilities: str = parameters.probabilities()
    class_cost: str = parameters.classes_cost()
    several: str = parameters.several()
    scaling: str = parameters.scaling()
    tolerance: float = parameters.tolerance()
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

    def megabytes(self) -> float:
        return self.cache


@dataclass(frozen=True, kw_only=True)
class LinearSupportVectorMachine(MarginLearner):
    """Weighs the numbers so that the margin between two classes is widest, at a cost for every slack.

    With not too many numbers found by Newton's steps on the primal (squared slacks) or by interior points (slacks as
    they are), else by pairs of multipliers or by dual coordinate descent. The constant costs nothing.
    """

    id: ClassVar[str] = "linear-svm"
    name: ClassVar[str] = "Linear support vector machine"
    sentence: ClassVar[str] = (
        "Draws the straight boundary that keeps two classes furthest apart, fast even for very many records, and says "
        "what each attribute weighs in it."
    )
    family: ClassVar[str] = "Margins"
    source: ClassVar[str] = (
        "Hsieh, Chang, Lin, Keerthi and Sundararajan, A dual coordinate descent method for large-scale linear SVM "
        "(2008); Keerthi and DeCoste, A modified finite Newton method, JMLR 6 (2005); "
        "Ferris and Munson, Interior-point methods for massive support vector machines (2002); TSKK 5.5"
    )
    kernels: ClassVar[tuple[str, ...]] = ("algorithms.learners.svm.kernels",)

    margin: str = parameters.margin(SQUARED)
    c: float | None = parameters.c()
    probabilities: str = parameters.probabilities()
    class_cost: str = parameters.classes_cost()
    several: str = parameters.several()
    scaling: str = parameters.scaling()
    tolerance: float = parameters.tolerance()

    def similarity(self, x: FloatArray, weights: FloatArray) -> Similarity:
        return Similarity(LINEAR)

    def megabytes(self) -> float:
        return 500.0

    def separated(
        self, task: BinaryProblem, similarity: Similarity, effort: SmoLimits, context: RunContext
    ) -> tuple[SmoSolution, FloatArray | None, bool]:
        return linearly(task, effort, context)
