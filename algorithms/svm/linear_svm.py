"""Support vector machines with a straight boundary, for very many records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.svm import parameters
from algorithms.svm.machines import SQUARED
from algorithms.svm.parameters import MarginLearner, linearly
from algorithms.svm.similarity import LINEAR, Similarity
from algorithms.svm.smo import Effort, Separation, Solution


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
    kernels: ClassVar[tuple[str, ...]] = ("algorithms.svm.kernels",)

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
        self, task: Separation, similarity: Similarity, effort: Effort, context: RunContext
    ) -> tuple[Solution, FloatArray | None, bool]:
        return linearly(task, effort, context)
