"""Errors of an ensemble on unseen records: by number of members, and of each member alone.

Source of the comparison with independent members: TSKK section 5.6.1, Figure 5.30.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import Cancelled, DataError
from algorithms.core.filters import Recipe
from algorithms.core.learner import Learner
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.core.training import learn
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.curves.learning_curves import splits_for
from algorithms.evaluation.runner import check_classes, kernels_of
from algorithms.learners.ensembles.member_training import heaviest, places
from algorithms.learners.ensembles.model import CommitteeModel, seen_by, votes_of

if TYPE_CHECKING:
    from algorithms.learners.ensembles.gradient_boosting import GradientModel
    from algorithms.learners.ensembles.voting_and_stacking import StackedModel

    Committee = CommitteeModel | GradientModel | StackedModel

Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class MemberErrors:
    """Weighted error rates on the tested records of ``parts`` out of ``planned`` splits.

    ``together`` (m,) are those of the first 1 .. m members (of gradient boosting, rounds), ``alone`` (m,) those of each
    member. NaN if undefined: stacking has only the error of all members, gradient boosting none of single trees. A
    smaller ensemble keeps its last error.
    """

    together: FloatArray
    alone: FloatArray
    tested: float
    parts: int
    planned: int
    method: Method

    @property
    def error(self) -> float:
        """Error of the whole ensemble."""
        return float(self.together[-1])

    @property
    def mean_alone(self) -> float:
        """Mean error of the members; NaN if single members make no decision."""
        return float(np.mean(self.alone)) if np.isfinite(self.alone).all() else float("nan")


def independent_error(error: float | FloatArray, members: int) -> FloatArray:
    """Error of a majority vote of independent members with this error rate each (TSKK Figure 5.30).

    Half of the ties of an even number count as errors.
    """
    from scipy.stats import binom

    e = np.asarray(error, dtype=np.float64)
    half = members // 2
    above_half = binom.sf(half, members, e)
    return np.asarray(above_half + (0.5 * binom.pmf(half, members, e) if members % 2 == 0 else 0.0))


def decisions_of(model: Committee, data: Dataset) -> Iterator[tuple[Codes | None, Codes | None]]:
    """Decisions (n,) of the first 1, 2, ... members (or rounds), and of each alone; None if undefined."""
    from algorithms.learners.ensembles.gradient_boosting import GradientModel

    if isinstance(model, CommitteeModel):
        order = places(model.class_weights)
        sums = np.zeros((len(data), len(model.classes)))
        for member, weight in zip(model.members, model.weights.tolist(), strict=True):
            sums += weight * votes_of(member, data, averaged=model.averaged)
            yield heaviest(sums, order), member.predict(seen_by(member, data))
    elif isinstance(model, GradientModel):
        for scores in model.staged(data):
            yield model.scoring.probabilities(scores).argmax(axis=1).astype(np.int32), None
    else:
        for member in model.members[:-1]:
            yield None, member.predict(data)
        yield model.predict(data), model.members[-1].predict(data)


def member_errors(
    learner: Learner, data: Dataset, method: Method, context: RunContext, *, recipe: Recipe = ()
) -> MemberErrors:
    """Train on each split and test every member and the first 1, 2, ... of them.

    The seeds are those of a run, so these are the ensembles of its folds. A partial result is published after each
    split; an early finish keeps it. Raises :class:`DataError` if the learner makes no ensemble, and :class:`Cancelled`.
    """
    labelled = data.labelled()
    check_classes(labelled)
    splits, used = splits_for(labelled, method, context)
    ensure_compiled(kernels_of(learner), context)
    lock = threading.Lock()
    by_split: dict[int, tuple[FloatArray, FloatArray, float]] = {}

    def one(number: int) -> None:
        part = context.child(1 / len(splits), number, finish_cancels=True).child(1.0, number, finish_cancels=True)
        if part.cancelled:
            context.checkpoint()
            return
        try:
            test = splits[number].test
            assert test is not None
            errors_of_split = _split_errors(
                learner, recipe, labelled.take(splits[number].train), labelled.take(test), part
            )
        except Cancelled:
            context.checkpoint()
            return
        with lock:
            by_split[number] = errors_of_split
            context.publish(_merged(by_split, len(splits), used))
        part.complete()

    context.map(one, range(len(splits)))
    context.checkpoint()
    if not by_split:
        raise DataError("No part was tested yet.", remedy="Run it again.")
    return _merged(by_split, len(splits), used)


def _split_errors(
    learner: Learner, recipe: Recipe, train: Dataset, test: Dataset, context: RunContext
) -> tuple[FloatArray, FloatArray, float]:
    """Error weight of the first members and of each alone (m,) in one split, and the tested weight."""
    learned = learn(learner, recipe, train, context)
    model, seen = learned.model, learned.recipe.transform(test)
    # late: the window opens without C4.5
    from algorithms.learners.ensembles.gradient_boosting import GradientModel
    from algorithms.learners.ensembles.voting_and_stacking import StackedModel

    if not isinstance(model, CommitteeModel | GradientModel | StackedModel):
        raise DataError(f"{learner.name} makes no committee.", remedy="Choose bagging, boosting, a forest or votes.")
    truth, weight = seen.class_codes.astype(np.int32), seen.weight_array
    together, alone = [], []
    for together_now, own in decisions_of(model, seen):
        context.checkpoint()
        together.append(np.nan if together_now is None else float(weight[together_now != truth].sum()))
        alone.append(np.nan if own is None else float(weight[own != truth].sum()))
    return np.array(together), np.array(alone), float(weight.sum())


def _merged(by_split: dict[int, tuple[FloatArray, FloatArray, float]], planned: int, method: Method) -> MemberErrors:
    """All splits in order; a smaller ensemble keeps its error and fills missing members with their mean."""
    parts = [by_split[number] for number in sorted(by_split)]
    m, tested = max(len(part[0]) for part in parts), sum(part[2] for part in parts)
    together, alone = np.zeros(m), np.zeros(m)
    for first, own, _ in parts:
        together += np.concatenate([first, np.full(m - len(first), first[-1])])
        alone += np.concatenate([own, np.full(m - len(own), own.mean())])
    tested = max(tested, 1e-300)
    return MemberErrors(together / tested, alone / tested, tested, len(parts), planned, method)
