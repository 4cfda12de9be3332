"""The bias-variance experiment: many training sets drawn from one table, and the errors of each record.

Source: Domingos, A unified bias-variance decomposition for zero-one and squared loss (2000); TSKK section 5.6.2.

Source: Domingos, A unified bias-variance decomposition for zero-one and squared loss (2000); TSKK section 5.6.2 and
Figures 5.33 and 5.34, whose averaged boundary is where most of the models change their decision.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.context import RunContext
from algorithms.core.errors import Cancelled, DataError, ParameterError
from algorithms.core.filters import Recipe
from algorithms.core.learner import Codes, Learner
from algorithms.core.training import learn
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.methods.methods import Holdout
from algorithms.evaluation.regions import TYPICAL, RegionAxis, Regions, grid_records
from algorithms.evaluation.runner import check_classes, kernels_of, with_class
from algorithms.io.samples import best_rule
from algorithms.text.numbers import adding_up

Decisions = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Decomposition:
    """The zero-one loss of m models, each of another training set, on n records of known class.

    ``main`` (n,) is the class that most models decide for, ``shares`` (n, k) how many of them decide for each. Where
    the main decision is wrong the record has ``bias`` 1. A model that differs from the main decision adds to the loss
    where that is right (``unbiased`` variance (n,)), and lessens it where that is wrong and the model right
    (``biased`` (n,)). The classes are taken as without noise, so that bias has in it what no model can tell.
    """

    shares: FloatArray
    main: Decisions
    truth: Decisions

    @property
    def bias(self) -> FloatArray:
        return np.asarray(self.main != self.truth, dtype=np.float64)

    @property
    def variance(self) -> FloatArray:
        """How many of the models decide otherwise than most do (n,)."""
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
        """How many of the models are wrong (n,): bias + unbiased - biased variance, exactly."""
        return np.asarray(1 - self.shares[np.arange(len(self.truth)), self.truth])


def decomposed(
    learner: Learner, draw: Callable[[int], Dataset], models: int, tests: Dataset, context: RunContext
) -> Decomposition:
    """Learn from the training sets ``draw(0)`` to ``draw(models - 1)`` and decompose the loss on ``tests``.

    The models are made side by side; raises :class:`Cancelled` on a stop.
    """

    def one(at: int) -> Decisions:
        part = context.child(1 / models, at)
        found = learner.fit(draw(at), part).predict(tests)
        part.complete()
        return found

    k = len(tests.schema.classes)
    counts = np.zeros((len(tests), k))
    for decisions in context.map(one, range(models)):
        counts[np.arange(len(tests)), decisions] += 1
    return Decomposition(counts / models, counts.argmax(axis=1).astype(np.int32), tests.class_codes.astype(np.int32))


SETS: Final = 50
CELLS: Final = 64
FINER: Final = 4
TRAINING_PERCENT: Final = 66
"""Of the records so many in 100 may be drawn into training sets; the others are tested on."""
PUBLISHED_EVERY: Final = 5


@dataclass(frozen=True, eq=False)
class BoundaryPlane:
    """Two attributes over which the averaged boundary is seen, all others typical."""

    across: RegionAxis
    up: RegionAxis


@dataclass(frozen=True, eq=False)
class BiasVariance:
    """What ``sets`` of ``planned`` training sets of so many ``records`` each led to.

    ``found`` is about the tested records. ``ground`` says of each cell of the ``plane`` what most models decide, and
    how many of them do, as probability; ``best`` (h, w) what the best of all models would say, where that is known.
    """

    found: Decomposition
    sets: int
    planned: int
    records: int
    plane: BoundaryPlane | None
    ground: Regions | None
    best: Codes | None
    best_drawn: Codes | None
    """The same in cells of a quarter of the width and height."""

    @property
    def parts(self) -> tuple[float, float, float, float]:
        """Mean loss, bias, variance where most models are right, and where most are wrong: the first is the second
        plus the third less the fourth."""
        each = (self.found.loss, self.found.bias, self.found.unbiased, self.found.biased)
        loss, bias, unbiased, biased = (float(values.mean()) for values in each)
        return loss, bias, unbiased, biased


def most_records(data: Dataset) -> int:
    """How many records a training set may have in any case: those not tested on, but for what rounding takes."""
    known = int(np.count_nonzero(data.class_codes >= 0))
    return max(1, known * TRAINING_PERCENT // 100 - len(data.schema.classes))


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
    """Learn from ``sets`` training sets of ``records`` each (by default half of those there are to draw from).

    Each set is drawn without putting back from the same two thirds of the records; all models are asked about the same
    other third. A whole :class:`BiasVariance` is published now and then; ``finish`` keeps what there is. Raises
    :class:`ParameterError`, :class:`DataError`, and :class:`Cancelled` on a stop.
    """
    known, _ = with_class(data)
    check_classes(known)
    split = Holdout(percent=TRAINING_PERCENT).splits(known, np.random.default_rng(context.seeds))[0]
    assert split.test is not None
    size = len(split.train) // 2 if records is None else records
    if not 1 <= size <= len(split.train):
        raise ParameterError(f"A training set has 1 to {len(split.train):,} records here.", place="records")
    if sets < 2:
        raise ParameterError("Two training sets are the fewest to compare.", place="sets")
    ensure_compiled(kernels_of(learner), context)
    return _Leaning(learner, recipe, known, split.train, split.test, sets, size, plane, context).run()


class _Leaning:
    """Counts of what the models decide, of the tested records and of the cells of the plane."""

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
        self.shape, self.best, self.best_drawn = (0, 0), None, None
        if plane is not None:
            record = data.derived(TYPICAL, context.checkpoint)
            self.cells, self.shape = grid_records(record, plane.across, plane.up, CELLS)
            self.best = _best(data, plane, self.cells, self.shape)
            if self.best is not None:
                self.best_drawn = _best(data, plane, *grid_records(record, plane.across, plane.up, FINER * CELLS))
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

    def _one(self, at: int) -> None:
        """The model of one training set, unless this was finished before."""
        part = self.context.child(1 / self.sets, at, finish_cancels=True)
        if part.cancelled:
            self.context.checkpoint()
            return
        try:
            drawn = part.child(0.0, 0).random().choice(self.pool, self.size, replace=False)
            learned = learn(self.learner, self.recipe, self.data.take(np.sort(drawn)), part.child(1.0, 1))
            said = learned.model.predict(learned.recipe.transform(self.tests, part.checkpoint))
            part.checkpoint()
            ground = None if self.cells is None else learned.model.predict(learned.recipe.transform(self.cells))
        except Cancelled:
            self.context.checkpoint()
            return
        with self._lock:
            self.counts[np.arange(len(said)), said] += 1
            if ground is not None:
                self.ground[np.arange(len(ground)), ground] += 1
            self.done += 1
            self.context.say(f"{self.done} of {self.sets} training sets")
            if self.done >= 2 and (self.done % PUBLISHED_EVERY == 0 or self.done < PUBLISHED_EVERY):
                self.context.publish(self._so_far())
        part.complete()

    def _so_far(self) -> BiasVariance:
        found = Decomposition(self.counts / self.done, self.counts.argmax(axis=1).astype(np.int32), self.truth)
        ground = None
        if self.cells is not None:
            main = self.ground.argmax(axis=1)
            share = self.ground[np.arange(len(main)), main] / self.done
            ground = Regions(main.astype(np.int32).reshape(self.shape), share.astype(np.float32).reshape(self.shape))
        return BiasVariance(found, self.done, self.sets, self.size, self.plane, ground, self.best, self.best_drawn)


def _best(data: Dataset, plane: BoundaryPlane, cells: Dataset, shape: tuple[int, int]) -> Codes | None:
    """What the best of all models says in the cells; None where nobody knows it, or over other attributes."""
    rule = best_rule(data)
    if rule is None or {plane.across.index, plane.up.index} != {0, 1}:
        return None
    places = np.stack([cells.column(0), cells.column(1)], axis=1).astype(np.float64)
    return rule(places).astype(np.int32).reshape(shape)


def leaning_words(leaning: BiasVariance) -> str:
    """What the numbers say, in sentences."""
    loss, bias, unbiased, biased = leaning.parts
    if loss == 0:
        return "No model is wrong anywhere: there is nothing to explain."
    by_chance = unbiased - biased > bias
    wrong, leant, adds, takes = adding_up(loss, (bias, unbiased, -biased))
    found = f"A model of {leaning.records:,} records is wrong {wrong:.1f} times in 100, more by "
    found += "chance than by bias. " if by_chance else "bias than by chance. "
    found += f"Bias {leant:.1f}: most such models are wrong there together. Variance adds {adds:.1f}, "
    found += "where most are right and a model of another training set is wrong"
    found += f", and takes off {abs(takes):.1f}, where chance makes one right. " if biased > 0 else ". "
    if by_chance:
        return f"{found}More records, or a vote of many such models, would help."
    return (
        f"{found}A more flexible learner, or better attributes, would help more than further records. What no model "
        "can tell is in the bias too."
    )
