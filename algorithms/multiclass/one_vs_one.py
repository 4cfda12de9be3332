"""One against one: a member for each pair of classes, which only sees their records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Problem, too_many_pairs
from algorithms.core.params import Option, choice
from algorithms.core.summary import Summary
from algorithms.multiclass.codes import one_vs_one
from algorithms.multiclass.learning import ByCode, coded_model
from algorithms.multiclass.model import COUPLED, ROUNDS, VOTES, CodedModel
from algorithms.trees.c45 import C45


@dataclass(frozen=True, kw_only=True)
class OneVsOne(ByCode):
    """A model for each of the k (k - 1) / 2 pairs of classes; they vote, or their probabilities are coupled."""

    id: ClassVar[str] = "one-vs-one"
    name: ClassVar[str] = "One against one"
    sentence: ClassVar[str] = (
        "Makes a model for each pair of classes from their records alone, and brings together what all pairs say: "
        "many small questions in place of one large one."
    )
    source: ClassVar[str] = "TSKK section 5.8; Hastie and Tibshirani (1998); Wu, Lin and Weng (2004)"
    family: ClassVar[str] = "Many classes"
    kernels: ClassVar[tuple[str, ...]] = C45.kernels

    combine: str = choice(
        COUPLED,
        Option(COUPLED, "coupled probabilities", "Those that agree best with all pairs at once (Wu, Lin and Weng)."),
        Option(ROUNDS, "coupled, by relative entropy", "Found round by round (Hastie and Tibshirani)."),
        Option(VOTES, "votes", "Each pair votes for one of its two; probabilities are the shares of the votes."),
        label="Pairs give",
        help="How the pairs come to one answer.",
    )

    def check(self, summary: Summary) -> list[Problem]:
        remedy = "Choose one against the rest, or error-correcting codes."
        return super().check(summary) or too_many_pairs(summary, "models", remedy)

    def _fit(self, data: Dataset, context: RunContext) -> CodedModel:
        there = np.flatnonzero(np.bincount(data.class_codes, minlength=len(data.schema.classes)))
        own = one_vs_one(len(there))
        code = np.zeros((len(data.schema.classes), own.shape[1]), dtype=np.int8)
        code[there] = own
        return coded_model(self, data, code, self.combine, context)
