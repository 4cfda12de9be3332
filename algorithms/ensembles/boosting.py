"""Boosting, round by round: each member learns from the records with the weights that the one before left them.

Source: Freund and Schapire, Experiments with a new boosting algorithm (1996); TSKK Algorithm 5.7 and Eqs. 5.68 to 5.70;
Zhu, Zou, Rosset and Hastie, Multi-class AdaBoost (2009) for several classes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Model
from algorithms.core.members import Committee
from algorithms.ensembles.tally import heaviest, places

LEAST_ERROR: Final = 1e-10
"""A member that is never wrong counts as one that is wrong so often: its vote weighs 11.5 and no round follows."""
_EVEN: Final = 1e-9
_LARGEST: Final = 700.0
"""Nearly the largest number whose power of e can be written."""

Fit = Callable[[int, FloatArray, RunContext], Model]
"""Makes the member of a round from the weights (n,) of the records, which add up to one."""


@dataclass(frozen=True)
class BoostingRules:
    """How rounds go on.

    ``n_classes`` above 2 is SAMME: a member must be better than guessing among so many, and its vote weighs more by
    half their number's logarithm. ``resets``: so often the weights begin anew where a member is no better than that.
    ``printed``: importance and weights follow the error divided by the number of records, as Eq. 5.68 is printed; a
    reset is still asked of the usual error, which the printed one could never fire. A first member that errs on less
    than ``strong`` of the weight makes the rounds go on as for two classes (see :meth:`after_first`).
    """

    rounds: int
    n_classes: int
    resets: int
    printed: bool = False
    strong: float = 0.0

    def after_first(self, error: float) -> BoostingRules:
        """The rules from the first member on, by its weighted error."""
        return replace(self, n_classes=2) if error < self.strong else self

    @property
    def most_error(self) -> float:
        """The weighted error from which on a member is no better than guessing."""
        return 1 - 1 / self.n_classes

    def importance(self, error: float, n: int) -> float:
        """What a member's vote weighs that has this weighted error on n records (Eq. 5.69)."""
        counted = min(max(error / n if self.printed else error, LEAST_ERROR), 1 - LEAST_ERROR)
        return 0.5 * float(np.log((1 - counted) / counted) + np.log(self.n_classes - 1))


@dataclass(eq=False)
class Boosted:
    """The members of the rounds so far, what the vote of each weighs, and how often each was wrong by weight.

    ``bound`` is the most that so many members can be wrong in training, whatever became of the weights meanwhile.
    ``weights`` (rounds + 1, n) are those of the records before each round and after the last, while they are ``kept``.
    """

    members: list[Model] = field(default_factory=list)
    importances: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    training: list[float] = field(default_factory=list)
    bound: list[float] = field(default_factory=list)
    weights: list[FloatArray] = field(default_factory=list)
    resets: int = 0

    def committee(self) -> Committee:
        """What is known of these members."""
        return Committee(
            training_error=np.array(self.training),
            member_errors=np.array(self.errors),
            training_bound=np.array(self.bound),
        )


def boosted(
    data: Dataset, rules: BoostingRules, fit: Fit, context: RunContext, *, keep_weights: bool = False
) -> Boosted:
    """The rounds on records that all weigh something and have a class; one at least, also where the run is finished.

    A first member that is no better than guessing is kept where no other comes.
    """
    found, n = Boosted(), len(data)
    truth = data.class_codes.astype(np.int32)
    own = data.weight_array
    begin = own / own.sum() if own.sum() > 0 else np.full(n, 1.0 / n)
    order = places(np.bincount(truth, own, minlength=len(data.schema.classes)).astype(np.float64))
    sums, weights, fallback = np.zeros((n, len(order))), begin, None
    against, made = np.zeros(n), 0  # by how much the votes against a record's class outweigh those for it
    while len(found.members) < rules.rounds and not (context.finishing and made):
        context.checkpoint()
        part = context.child(1 / rules.rounds, made)
        model = fit(made, weights, part)
        said = model.decided(data, part)
        part.complete()
        wrong = said != truth
        error, made = float(weights[wrong].sum()), made + 1
        if made == 1:
            rules = rules.after_first(error)
        if error >= rules.most_error - _EVEN:
            fallback = fallback or (model, error, said)
            if found.resets >= rules.resets:
                break
            found.resets += 1
            weights = begin
            continue
        if keep_weights:
            found.weights.append(weights)
        alpha = rules.importance(error, n)
        _add(found, model, alpha, error, said, sums)
        found.training.append(float(begin[heaviest(sums, order) != truth].sum()))
        against += np.where(wrong, alpha, -alpha)
        found.bound.append(_mean_loss(begin, against))
        if error <= LEAST_ERROR:
            break
        weights = _weighed_anew(weights, wrong, alpha)
    if not found.members and fallback is not None:
        model, error, said = fallback
        _add(found, model, 1.0, error, said, sums)
        found.training.append(error)
        found.bound.append(_mean_loss(begin, np.where(said != truth, 1.0, -1.0)))
    if keep_weights:
        found.weights.append(weights)
    return found


def _add(found: Boosted, model: Model, alpha: float, error: float, said: NDArray[np.int32], sums: FloatArray) -> None:
    found.members.append(model)
    found.importances.append(alpha)
    found.errors.append(error)
    for code in np.flatnonzero(np.bincount(said)).tolist():
        sums[:, code] += alpha * (said == code)


def _mean_loss(weights: FloatArray, against: FloatArray) -> float:
    """The mean of exp(``against``) (n,): at least one for every record that is wrong."""
    return float(weights @ np.exp(np.minimum(against, _LARGEST)))


def _weighed_anew(weights: FloatArray, wrong: NDArray[np.bool_], alpha: float) -> FloatArray:
    """The weights of the next round: heavier where the member was wrong, lighter elsewhere (Eq. 5.69)."""
    found = weights * np.where(wrong, np.exp(alpha), np.exp(-alpha))
    return np.asarray(found / found.sum())
