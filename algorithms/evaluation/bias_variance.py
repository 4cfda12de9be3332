"""Bias-variance decomposition: models of many training sets from one table, and the errors of each record.

Source: Domingos, A unified bias-variance decomposition for zero-one and squared loss (2000); TSKK section 5.6.3.
Figures 5.33 and 5.34 show the averaged boundary, where most models change their decision.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import Cancelled, DataError, ParameterError
from algorithms.core.filters import Recipe
from algorithms.core.learner import Codes, Learner
from algorithms.core.run_control import RunContext
from algorithms.core.training import learn
from algorithms.data.columns import Column, FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.methods.methods import Holdout
from algorithms.evaluation.regions import RegionAxis, Regions, grid_places, values_nearby, weighted_votes
from algorithms.evaluation.runner import check_classes, kernels_of
from algorithms.io.samples import best_rule
from algorithms.text.numbers import adding_up

Decisions = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Decomposition:
    """Zero-one loss of m models, each of its own training set, on n labelled records.

    ``main`` (n,) is the majority decision, ``shares`` (n, k) the share of models for each class. ``bias`` (n,) is 1 if
    the main decision is wrong. ``unbiased`` variance (n,) is the share of models that deviate from a correct main
    decision. ``biased`` variance (n,), which lowers the loss, is the share that is correct despite a wrong one. Noise
    counts as bias.
    """

    shares: FloatArray
    main: Decisions
    truth: Decisions

    @property
    def bias(self) -> FloatArray:
        return np.asarray(self.main != self.truth, dtype=np.float64)

    @property
    def variance(self) -> FloatArray:
        """Share of the models that deviate from the majority decision (n,)."""
        return np.asarray(1 - self.shares[np.arange(len(self.main)), self.main])

    @property
    def unbiased(self) -> FloatArray:
        return np.asarray(np.where(self.main == self.truth, self.variance, 0.0))

    @property
    def biased(self) -> FloatArray:
        right = self.shares[np.arange(len(self.truth)), self.truth]
        return np.asarray(np.where(self.main == self.truth, 0.0, right))

    @property
    def loss(self) -> FloatArray:
        """Share of the models that are wrong (n,): exactly bias + unbiased - biased variance."""
        return np.asarray(1 - self.shares[np.arange(len(self.truth)), self.truth])


SETS: Final = 50
CELLS: Final = 64
FINER: Final = 4
TRAINING_PERCENT: Final = 66
"""Percentage of the records from which training sets are drawn; the others are tested."""
PUBLISHED_EVERY: Final = 5


@dataclass(frozen=True, eq=False)
class BoundaryPlane:
    """The two attributes of the averaged boundary; the others have the values of the nearest records."""

    across: RegionAxis
    up: RegionAxis


@dataclass(frozen=True, eq=False)
class BiasVariance:
    """Result of ``sets`` out of ``planned`` training sets of ``records`` records each.

    ``decomposition`` is that of the tested records. ``ground`` holds the majority decision in each cell of the
    ``plane`` and, as probability, its share of the models. ``best`` (h, w) are the decisions of the Bayes classifier if
    known.
    """

    decomposition: Decomposition
    sets: int
    planned: int
    records: int
    plane: BoundaryPlane | None
    ground: Regions | None
    best: Codes | None
    best_drawn: Codes | None
    """As ``best``, in cells of a quarter of the width and height."""

    @property
    def parts(self) -> tuple[float, float, float, float]:
        """Mean loss, bias, unbiased and biased variance: loss = bias + unbiased - biased."""
        components = (
            self.decomposition.loss,
            self.decomposition.bias,
            self.decomposition.unbiased,
            self.decomposition.biased,
        )
        loss, bias, unbiased, biased = (float(values.mean()) for values in components)
        return loss, bias, unbiased, biased


def most_records(data: Dataset) -> int:
    """Largest size of a training set that is valid for any rounding of the split."""
    n_labelled = int(np.count_nonzero(data.class_codes >= 0))
    return max(1, n_labelled * TRAINING_PERCENT // 100 - len(data.schema.classes))


def leaning(
    learner: Learner,
    data: Dataset,
    context: RunContext,
    *,
    recipe: Recipe = (),
    sets: int = SETS,
    records: int | None = None,
    plane: BoundaryPlane | None = None,
) -> BiasVariance:
    """Estimate bias and variance from ``sets`` training sets of ``records`` each (default: half of the pool).

    The pool is two thirds of the records, and each set is drawn from it without replacement. All models are tested on
    the other third. Partial results are published; an early finish keeps them. Raises :class:`ParameterError`,
    :class:`DataError` and :class:`Cancelled`.
    """
    labelled = data.labelled()
    check_classes(labelled)
    split = Holdout(percent=TRAINING_PERCENT).splits(labelled, np.random.default_rng(context.seeds))[0]
    assert split.test is not None
    size = len(split.train) // 2 if records is None else records
    if not 1 <= size <= len(split.train):
        raise ParameterError(f"A training set has 1 to {len(split.train):,} records here.", place="records")
    if sets < 2:
        raise ParameterError("Two training sets are the fewest to compare.", place="sets")
    ensure_compiled(kernels_of(learner), context)
    return _DecisionCounts(learner, recipe, labelled, split.train, split.test, sets, size, plane, context).run()


class _DecisionCounts:
    """Counts the decisions of all models for the tested records and the cells of the plane."""

    def __init__(
        self,
        learner: Learner,
        recipe: Recipe,
        data: Dataset,
        pool: IntArray,
        tested: IntArray,
        sets: int,
        size: int,
        plane: BoundaryPlane | None,
        context: RunContext,
    ) -> None:
        self.learner, self.recipe, self.data, self.pool = learner, recipe, data, pool
        self.sets, self.size, self.plane, self.context = sets, size, plane, context
        self.tests = data.take(tested)
        self.truth = self.tests.class_codes.astype(np.int32)
        self.cells: Dataset | None = None
        self.weights: FloatArray = np.ones((0, 1))
        self.shape, self.best, self.best_drawn = (0, 0), None, None
        if plane is not None:
            others = values_nearby(data, (plane.across.index, plane.up.index), context.checkpoint)
            values, self.shape = grid_places(others, plane.across, plane.up, CELLS)
            self.cells, self.weights = others.at_places(values, self.shape[0] * self.shape[1])
            self.best = _best(data, plane, values, self.shape)
            if self.best is not None:
                finer = grid_places(others, plane.across, plane.up, FINER * CELLS)
                self.best_drawn = _best(data, plane, *finer)
        k = len(data.schema.classes)
        self.counts = np.zeros((len(self.tests), k))
        self.ground = np.zeros((self.shape[0] * self.shape[1], k))
        self.done = 0
        self._lock = threading.Lock()

    def run(self) -> BiasVariance:
        self.context.map(self._one, range(self.sets))
        self.context.checkpoint()
        if self.done < 2:
            raise DataError("Two training sets at least are needed to compare.", remedy="Run it again.")
        return self._so_far()

    def _one(self, index: int) -> None:
        """Train one model and count its decisions; does nothing after an early finish."""
        part = self.context.child(1 / self.sets, index, finish_cancels=True)
        if part.cancelled:
            self.context.checkpoint()
            return
        try:
            drawn = part.child(0.0, 0).random().choice(self.pool, self.size, replace=False)
            learned = learn(self.learner, self.recipe, self.data.take(np.sort(drawn)), part.child(1.0, 1))
            predicted = learned.model.predict(learned.recipe.transform(self.tests, part.checkpoint))
            part.checkpoint()
            ground = None if self.cells is None else learned.model.predict(learned.recipe.transform(self.cells))
        except Cancelled:
            self.context.checkpoint()
            return
        with self._lock:
            self.counts[np.arange(len(predicted)), predicted] += 1
            if ground is not None:
                votes = weighted_votes(ground, self.weights, self.ground.shape[1])
                self.ground[np.arange(len(votes)), votes.argmax(axis=1)] += 1
            self.done += 1
            self.context.say(f"{self.done} of {self.sets} training sets")
            if self.done >= 2 and (self.done % PUBLISHED_EVERY == 0 or self.done < PUBLISHED_EVERY):
                self.context.publish(self._so_far())
        part.complete()

    def _so_far(self) -> BiasVariance:
        decomposition = Decomposition(self.counts / self.done, self.counts.argmax(axis=1).astype(np.int32), self.truth)
        ground = None
        if self.cells is not None:
            main = self.ground.argmax(axis=1)
            share = self.ground[np.arange(len(main)), main] / self.done
            ground = Regions(main.astype(np.int32).reshape(self.shape), share.astype(np.float32).reshape(self.shape))
        return BiasVariance(
            decomposition, self.done, self.sets, self.size, self.plane, ground, self.best, self.best_drawn
        )


def _best(data: Dataset, plane: BoundaryPlane, values: Mapping[int, Column], shape: tuple[int, int]) -> Codes | None:
    """Decisions of the Bayes classifier in the cells; None if it is unknown for these attributes."""
    rule = best_rule(data)
    if rule is None or {plane.across.index, plane.up.index} != {0, 1}:
        return None
    places = np.stack([values[0], values[1]], axis=1).astype(np.float64)
    return rule(places).astype(np.int32).reshape(shape)


def leaning_words(leaning: BiasVariance) -> str:
    """The decomposition in sentences."""
    loss, bias, unbiased, biased = leaning.parts
    if loss == 0:
        return "No model is wrong anywhere: there is nothing to explain."
    by_chance = unbiased - biased > bias
    wrong, leant, adds, takes = adding_up(loss, (bias, unbiased, -biased))
    words = f"A model of {leaning.records:,} records has an error rate of {wrong:.1f}%, more by "
    words += "variance than by bias. " if by_chance else "bias than by variance. "
    words += f"Bias {leant:.1f} points: most such models are wrong there together. Variance adds {adds:.1f}, "
    words += "where most models are right and this one is wrong"
    words += f", and takes off {abs(takes):.1f}, where most are wrong and this one is right. " if biased > 0 else ". "
    if by_chance:
        return f"{words}More records, or bagging, would help."
    return (
        f"{words}A more flexible learner, or better attributes, would help more than further records. The bias "
        "includes the Bayes error, which no model avoids."
    )
