"""The perceptron: one node that is moved whenever it answers wrongly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from algorithms.core.classed_records import Records
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.design import too_long_lists
from algorithms.core.layers import Activation, Layers
from algorithms.core.learner import Learner, Problem
from algorithms.core.params import Option, boolean, choice, integer, real
from algorithms.core.summary import Summary
from algorithms.neural.examples import Examples
from algorithms.neural.inputs import ONE_OF_K, input_terms, standardising
from algorithms.neural.model import NeuralModel
from algorithms.neural.neural_network import only_shares
from algorithms.neural.passes import Passing, passed

CONSTANT: Final = "constant"
DECREASING: Final = "decreasing"


@dataclass(frozen=True, kw_only=True)
class Perceptron(Learner):
    """Adds ``rate (wanted - answered) x`` to the weights for each record that it answers wrongly (TSKK Algorithm 5.4).

    Answers are -1 and 1. With more than two classes there is a perceptron for each, which tells it from the rest, and
    the one with the largest weighed sum decides. A record's weight multiplies its step.
    """

    id: ClassVar[str] = "perceptron"
    name: ClassVar[str] = "Perceptron"
    sentence: ClassVar[str] = (
        "Moves a straight boundary a little for each record that lies on its wrong side, until none does: finds one "
        "wherever there is one."
    )
    family: ClassVar[str] = "Networks"
    source: ClassVar[str] = "Rosenblatt (1958); Gallant (1990); Tan, Steinbach, Karpatne and Kumar, Algorithm 5.4"
    kernels: ClassVar[tuple[str, ...]] = ("algorithms.neural.kernels",)

    learning_rate: float = real(
        0.1,
        lo=1e-9,
        hi=1e6,
        label="Learning rate",
        help="How far the weights move for each record that was wrong. "
        "As they begin at zero, another rate makes all of them larger or smaller, and the boundary is the same.",
    )
    schedule: str = choice(
        CONSTANT,
        Option(CONSTANT, "stays the same", "Every step is as large."),
        Option(DECREASING, "falls", "In pass 1, 2, 3 .. it is divided by 1, 2, 3 ..: the boundary comes to rest."),
        label="The learning rate",
        help="Whether later steps are as large as the first.",
    )
    epochs: int = integer(
        200, lo=1, hi=10_000_000, label="Passes at most", help="How many times all training records are passed at most."
    )
    pocket: bool = boolean(
        True,
        label="Keep the best (pocket)",
        help="Keeps the weights of the pass with the fewest errors, which matters where no boundary is without any; "
        "otherwise the last ones stay.",
    )
    shuffle: bool = boolean(
        True,
        label="In random order",
        help="Passes the records in another order each time, rather than in that of the table.",
        advanced=True,
    )
    standardise: bool = standardising()

    @property
    def resamples(self) -> bool:
        """Whether weights differ from repetition: a record that is met twice is not wrong twice."""
        return True

    def check(self, summary: Summary) -> list[Problem]:
        return super().check(summary) or too_long_lists(summary)

    def _fit(self, data: Dataset, context: RunContext) -> NeuralModel:
        records = Records.of(data)
        terms = input_terms(records, ONE_OF_K, self.standardise, context)
        if len(records.active) < 2 or not len(terms):
            return NeuralModel(only_shares(terms, records, "perceptron", "mistakes"))
        outputs = 1 if len(records.active) == 2 else len(records.active)
        found, course = passed(Examples.of(records, terms, not self.standardise), outputs, self.passing(), context)
        sizes, kinds = np.array([len(terms), outputs], dtype=np.int32), np.array([Activation.SIGN], dtype=np.int8)
        layers = Layers(
            terms.schema, terms, records.class_weight, sizes, kinds, found.ravel(), course, "perceptron", "mistakes",
            not self.standardise,
        )  # fmt: skip
        return NeuralModel(layers, partial=context.finishing)

    def passing(self) -> Passing:
        """How the records are passed."""
        return Passing(self.learning_rate, self.schedule == DECREASING, self.epochs, self.pocket, self.shuffle)
