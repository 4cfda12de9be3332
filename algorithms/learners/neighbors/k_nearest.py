"""The k nearest neighbours."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.learner import Learner, Problem, Variant
from algorithms.core.parameters import Option, boolean, choice, integer, real, when
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.data.summary import Summary
from algorithms.learners.neighbors.model import EQUAL, NeighborModel, counted, strengths
from algorithms.learners.neighbors.search import KERNELS, NearestRecords
from algorithms.learners.neighbors.space import NeighborSettings, prototypes_of
from algorithms.structures.prototypes import Prototypes

_SCALED: Final = ("euclidean", "manhattan", "minkowski", "chebyshev", "cosine")
_WITH_GAPS: Final = ("euclidean", "manhattan", "minkowski", "chebyshev")
_MOST_VALUES: Final = 5_000
"""The differences of so many values by the class, each with each, take 200 MB."""
_ROWS: Final = 2048
"""So many records are left out, one by one, between two looks at whether to stop."""


@dataclass(frozen=True, kw_only=True)
class KNearestNeighbors(Learner):
    """Keeps the training records; those that are nearest to a new one vote.

    A number counts by its difference, in the unit that ``scaling`` gives; an ordinal value by its place in the order;
    a nominal value as 0 where it is the same and 1 where it is another. The k nearest are those that together weigh
    k, so that a record of weight 2 is the same as two records. Where more are equally far than there are votes left,
    they share these, so that the order of the table never matters; how ties of the votes are settled says
    :func:`algorithms.learners.neighbors.model.counted`.
    """

    id: ClassVar[str] = "k-nearest-neighbors"
    name: ClassVar[str] = "Nearest neighbours"
    sentence: ClassVar[str] = (
        "Learns nothing beforehand: looks for the training records that are most like the new one, and lets them vote."
    )
    family: ClassVar[str] = "Neighbours"
    source: ClassVar[str] = "TSKK, section 4.3; Cover and Hart, Nearest Neighbor Pattern Classification (1967)"
    kernels: ClassVar[tuple[str, ...]] = KERNELS
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(5, {"choose_k": True}),)

    k: int = integer(
        5,
        lo=1,
        label="Neighbours",
        help="So many of the nearest training records vote (k). Few follow every detail, many smooth it out.",
        enabled_if=when("choose_k", False),
    )
    choose_k: bool = boolean(
        False,
        label="Choose their number",
        help="Takes the number that is right most often when each training record is asked about without itself.",
    )
    most_k: int = integer(
        30,
        lo=1,
        hi=1000,
        label="At most",
        help="The largest number of neighbours that is tried.",
        enabled_if=when("choose_k", True),
    )
    votes: str = choice(
        "majority",
        Option("majority", "all the same", "Each neighbour has one vote."),
        Option("inverse", "by 1 / distance", "A neighbour twice as far has half a vote."),
        Option("inverse-square", "by 1 / distance squared", "A neighbour twice as far has a quarter of a vote."),
        Option("kernel", "by a bell curve", "Votes fade with the distance as a Gaussian kernel does."),
        label="Votes",
        help="Whether near neighbours have more to say than those farther away. One at distance 0 then decides alone.",
    )
    kernel_width: float = real(
        0.5,
        lo=0.01,
        hi=10.0,
        label="Width of the curve",
        help="The standard deviation of the bell curve, as a share of the distance of the farthest that votes.",
        enabled_if=when("votes", "kernel"),
        advanced=True,
    )
    distance: str = choice(
        "euclidean",
        Option("euclidean", "Euclidean", "As the crow flies: the root of the sum of squared differences."),
        Option("manhattan", "Manhattan", "The sum of the differences."),
        Option("minkowski", "Minkowski", "Differences raised to a power of your choice, and the root of their sum."),
        Option("chebyshev", "largest difference", "Only the attribute that differs most counts (Chebyshev)."),
        Option("cosine", "angle", "One minus the cosine: proportions count, not sizes."),
        Option("heom", "mixed (HEOM)", "Euclidean over ranges; values of lists 0 or 1; missing is as far as can be."),
        Option("gower", "Gower", "The average difference over the attributes that both records know."),
        Option(
            "value-difference",
            "by the class (HVDM)",
            "Two values of a list are near where they go with the same classes; numbers in four deviations.",
        ),
        label="Distance",
        help="What it means to be near.",
    )
    power: float = real(
        3.0,
        lo=1.0,
        hi=20.0,
        label="Power",
        help="1 is Manhattan, 2 Euclidean; the higher, the more the largest difference decides.",
        enabled_if=when("distance", "minkowski"),
    )
    scaling: str = choice(
        "range",
        Option("range", "to the range", "Smallest 0, largest 1."),
        Option("z-score", "in deviations", "Average 0, standard deviation 1."),
        Option("none", "as they are", "Attributes with large numbers then decide nearly alone."),
        label="Scale numbers",
        help="Brings numbers of different units onto one scale, learned from the training records.",
        enabled_if=when("distance", *_SCALED),
    )
    missing: str = choice(
        "far",
        Option("far", "as far as can be", "It counts as the training value that differs most."),
        Option("ignore", "left out", "Only attributes that both records know count, raised to the number of all."),
        label="Missing values",
        help="How much a missing value differs from another one.",
        enabled_if=when("distance", *_WITH_GAPS),
        advanced=True,
    )

    def check(self, summary: Summary) -> list[Problem]:
        problems = super().check(summary)
        if problems or self.distance != "value-difference":
            return problems
        for index in summary.schema.predictors:
            attribute = summary.schema.attributes[index]
            if attribute.kind is AttributeKind.NOMINAL and len(attribute.values) > _MOST_VALUES:
                sentence = f"{attribute.name} has {len(attribute.values):,} values: too many to compare each with each."
                return [Problem(sentence, "Leave this column out, or choose another distance.", attribute.name)]
        return []

    def _fit(self, data: Dataset, context: RunContext) -> NeighborModel:
        nearness = NeighborSettings(
            self.distance, self.scaling, self.missing, self.votes, self.k, self.power, self.kernel_width
        )
        model = NeighborModel(prototypes_of(data, nearness, context.checkpoint))
        if not self.choose_k:
            return model
        k, partial = best_k(model, self.most_k, context)
        chosen = model.with_k(k)
        return NeighborModel(chosen.kept, partial=partial)


def best_k(model: NeighborModel, most: int, context: RunContext) -> tuple[int, bool]:
    """The smallest k up to ``most`` that is right most often, each record left out of its own neighbours (see
    :meth:`Searcher.nearest_others`); and whether not all records were asked, the run being finished early.

    Scales and differences of values are those of all records.
    """
    kept = model.kept
    most = min(most, max(1, int(np.ceil(kept.weights.sum())) - 1))
    right, n = np.zeros(most), kept.n_records
    order = np.random.default_rng(0).permutation(n)
    blocks = range(0, n, _ROWS)
    context.say("Choosing the number of neighbours")
    for number, first in enumerate(blocks):
        context.checkpoint()
        if context.finishing:
            return int(np.argmax(right)) + 1, True
        rows = np.sort(order[first : first + _ROWS])
        right += right_of(model, rows, most, context.child(1 / len(blocks), number))
    return int(np.argmax(right >= right.max() - EQUAL * max(1.0, right.max()))) + 1, False


def right_of(model: NeighborModel, rows: np.ndarray, most: int, context: RunContext) -> FloatArray:
    """The weight of the records that 1, 2 ... ``most`` neighbours are right about (most,), themselves left out."""
    kept: Prototypes = model.kept
    said = np.empty((len(rows), most), dtype=np.int32)

    def take(at: IntArray, near: NearestRecords) -> None:
        for k in range(1, most + 1):
            context.checkpoint()
            asked = replace(kept, k=k)
            said[at, k - 1] = counted(asked, near, strengths(asked, near, len(at)), len(at))[0]

    model.searcher.each_of_others(rows, most, context, take)
    weights, truth = kept.weights[rows], kept.labels[rows]
    return np.array([weights[said[:, k] == truth].sum() for k in range(most)])
