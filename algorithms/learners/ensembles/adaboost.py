"""AdaBoost: boosting rounds, record weights of each round, and the learner.

Sources: Freund and Schapire, Experiments with a new boosting algorithm (1996); TSKK Algorithm 5.7 and Eqs. 5.68 to
5.70; Zhu, Zou, Rosset and Hastie, Multi-class AdaBoost (2009).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final, TypeGuard, cast

import numpy as np
from numpy.typing import NDArray

from algorithms.core.learner import Learner, Model, WrappingLearner
from algorithms.core.parameters import Option, boolean, choice, declared_as, integer, learner_parameter, when
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.learners.ensembles.bagging import Bagging
from algorithms.learners.ensembles.member_training import drawn_rows, heaviest, places, sample_of, weighty
from algorithms.learners.ensembles.model import CommitteeModel, can_be_seen, rounds_of, seen_by, votes_of
from algorithms.learners.trees.stump import KERNELS, DecisionStump, ReweightedStumps
from algorithms.structures.members import Committee

LEAST_ERROR: Final = 1e-10
"""Error that replaces 0: the vote then weighs 11.5, and no round follows."""
_EVEN: Final = 1e-9
_LARGEST: Final = 700.0
"""Largest exponent of e without overflow, rounded down."""

Fit = Callable[[int, FloatArray, RunContext], Model]
"""Trains the member of a round on record weights (n,) that sum to 1."""


@dataclass(frozen=True)
class BoostingRules:
    """Rules of boosting rounds.

    ``n_classes`` above 2 means SAMME: a member must beat guessing among these classes, and its vote gains half the
    log of ``n_classes`` - 1. ``resets`` limits how often a member no better than guessing resets the weights.
    ``printed`` divides the error by the number of records, as Eq. 5.68 is printed, but not for resets, which it could
    never cause. A first member with an error below ``strong`` switches to the rules of two classes.
    """

    rounds: int
    n_classes: int
    resets: int
    printed: bool = False
    strong: float = 0.0

    def after_first(self, error: float) -> BoostingRules:
        """Rules after the first member, given its weighted error."""
        return replace(self, n_classes=2) if error < self.strong else self

    @property
    def most_error(self) -> float:
        """Weighted error of guessing."""
        return 1 - 1 / self.n_classes

    def importance(self, error: float, n: int) -> float:
        """Weight of a member's vote, given its weighted error on n records (Eq. 5.69)."""
        counted = min(max(error / n if self.printed else error, LEAST_ERROR), 1 - LEAST_ERROR)
        return 0.5 * float(np.log((1 - counted) / counted) + np.log(self.n_classes - 1))


@dataclass(eq=False)
class Boosted:
    """Members so far, with vote weights, weighted errors and training errors.

    ``bound`` is the upper bound of the training error. ``weights`` (rounds + 1, n) are the record weights before each
    round and after the last, if kept.
    """

    members: list[Model] = field(default_factory=list)
    importances: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    training: list[float] = field(default_factory=list)
    bound: list[float] = field(default_factory=list)
    weights: list[FloatArray] = field(default_factory=list)
    resets: int = 0

    def committee(self) -> Committee:
        return Committee(
            training_error=np.array(self.training),
            member_errors=np.array(self.errors),
            training_bound=np.array(self.bound),
        )


def run_boosting(
    data: Dataset, rules: BoostingRules, fit: Fit, context: RunContext, *, keep_weights: bool = False
) -> Boosted:
    """Boosting rounds on records with a class and positive weight; at least one, also after an early finish.

    If no member beats guessing, the first one is kept.
    """
    rounds, n = Boosted(), len(data)
    truth = data.class_codes.astype(np.int32)
    own = data.weight_array
    begin = own / own.sum() if own.sum() > 0 else np.full(n, 1.0 / n)
    order = places(np.bincount(truth, own, minlength=len(data.schema.classes)).astype(np.float64))
    sums, weights, fallback = np.zeros((n, len(order))), begin, None
    against, tried = np.zeros(n), 0  # votes against a record's class less those for it

    def keep(model: Model, alpha: float, error: float, decisions: NDArray[np.int32]) -> None:
        rounds.members.append(model)
        rounds.importances.append(alpha)
        rounds.errors.append(error)
        for code in np.flatnonzero(np.bincount(decisions)).tolist():
            sums[:, code] += alpha * (decisions == code)
        against[:] += np.where(decisions != truth, alpha, -alpha)
        rounds.training.append(float(begin[heaviest(sums, order) != truth].sum()))
        rounds.bound.append(float(begin @ np.exp(np.minimum(against, _LARGEST))))

    while len(rounds.members) < rules.rounds and not (context.finishing and tried):
        context.checkpoint()
        part = context.child(1 / rules.rounds, tried)
        model = fit(tried, weights, part)
        decisions = model.decided(data, part)
        part.complete()
        wrong = decisions != truth
        error, tried = float(weights[wrong].sum()), tried + 1
        if tried == 1:
            rules = rules.after_first(error)
        if error >= rules.most_error - _EVEN:
            fallback = fallback or (model, error, decisions)
            if rounds.resets >= rules.resets:
                break
            rounds.resets += 1
            weights = begin
            continue
        if keep_weights:
            rounds.weights.append(weights)
        alpha = rules.importance(error, n)
        keep(model, alpha, error, decisions)
        if error <= LEAST_ERROR:
            break
        raised = weights * np.where(wrong, np.exp(alpha), np.exp(-alpha))
        weights = raised / raised.sum()  # Eq. 5.69
    if not rounds.members and fallback is not None:
        model, error, decisions = fallback
        keep(model, 1.0, error, decisions)
    if keep_weights:
        rounds.weights.append(weights)
    return rounds


_SAME = 1e-6


def was_boosted(model: object) -> TypeGuard[CommitteeModel]:
    return isinstance(model, CommitteeModel) and 0 < len(model.known.member_errors) == len(model.members)


def weights_by_round(model: CommitteeModel, data: Dataset, context: RunContext) -> Iterator[FloatArray]:
    """Record weights (n,), summing to 1, before each round and after the last, recomputed on the training ``data``.

    Records without a class or weight have 0. A member's error that does not match the current weights indicates a
    reset. Raises :class:`Cancelled`.
    """
    has_class = data.class_codes >= 0
    own = np.where(has_class, data.weight_array, 0.0)
    begin = own / own.sum() if own.sum() > 0 else own
    weights, truth = begin, data.class_codes
    for member, error, alpha in zip(model.members, model.known.member_errors, model.weights, strict=True):
        context.checkpoint()
        wrong = has_class & (member.decided(seen_by(member, data), context) != truth)
        if abs(float(weights[wrong].sum()) - error) > _SAME and abs(float(begin[wrong].sum()) - error) <= _SAME:
            weights = begin
        yield weights
        left = weights * np.where(wrong, np.exp(alpha), np.exp(-alpha))
        total = float(left.sum())
        weights = left / total if total > 0 else weights
    yield weights


def first_members(model: CommitteeModel, n: int) -> CommitteeModel:
    return CommitteeModel(
        model.schema,
        model.members[:n],
        weights=model.weights[:n],
        averaged=model.averaged,
        class_weights=model.class_weights,
        names=model.names[:n],
    )


STRONG: Final = 0.25
"""A first member with a smaller weighted error is strong."""


@dataclass(frozen=True, kw_only=True)
class AdaBoost(WrappingLearner):
    """AdaBoost by reweighting or resampling (TSKK Algorithm 5.7), with SAMME or AdaBoost.M1 for several classes.

    The automatic choice is AdaBoost.M1 if the first member's error is below :data:`STRONG`: SAMME raises weights
    ``k - 1`` times more, which makes weak members usable but costs strong ones accuracy.

    With resampling, a member no better than guessing resets the weights, at most ``resets`` times. With reweighting,
    which would train the same member again, the rounds end.
    """

    id: ClassVar[str] = "adaboost"
    name: ClassVar[str] = "AdaBoost"
    sentence: ClassVar[str] = (
        "Trains weak models one after another, each weighted towards the errors of the earlier ones. "
        "Accurate members have larger votes."
    )
    source: ClassVar[str] = "Freund and Schapire (1996); TSKK Algorithm 5.7; Zhu et al., Multi-class AdaBoost (2009)"
    family: ClassVar[str] = "Ensembles"
    kernels: ClassVar[tuple[str, ...]] = (*DecisionStump.kernels, *KERNELS)

    base: Learner = learner_parameter(
        DecisionStump(), label="Base learner", help="The learner of every member. A weak learner suffices."
    )
    members: int = declared_as(Bagging, "members")
    by: str = choice(
        "weights",
        Option("weights", "Weights", "Each member is trained on all records, the difficult ones with larger weights."),
        Option("samples", "Resampling", "Each member is trained on a sample that draws difficult records more often."),
        label="Boosting by",
        help="How a member concentrates on the records that earlier members got wrong.",
    )
    resets: int = integer(
        10,
        lo=0,
        hi=10_000,
        label="Max. restarts",
        help="If a member is no better than guessing, all weights are reset, at most this many times.",
        unit="times",
        enabled_if=when("by", "samples"),
        advanced=True,
    )
    several_classes: str = choice(
        "automatic",
        Option("automatic", "Automatic", "AdaBoost.M1 if the first member has an error rate below 25%, else SAMME."),
        Option("samme", "SAMME", "Better than guessing: with ten classes an accuracy of 11% suffices."),
        Option("half", "AdaBoost.M1", "An accuracy of at least 50% with any number of classes."),
        label="Multi-class (SAMME, M1)",
        help="The accuracy that a member needs before its vote counts.",
        advanced=True,
    )
    printed_error: bool = boolean(
        False,
        label="Error as printed in the book",
        help="Divides the weighted error of a member by the number of records, as the textbook prints it "
        "(Eq. 5.68). Votes then differ less. For following its examples.",
        advanced=True,
    )

    @property
    def resamples(self) -> bool:
        return self.by == "samples" or self.printed_error or self.base.resamples

    def summary(self) -> str:
        return f"{self.name}, {self.members:,} × {self.base.summary()}"

    def rules(self, data: Dataset) -> BoostingRules:
        k = 2 if self.several_classes == "half" else max(2, len(np.unique(data.class_codes)))
        strong = STRONG if self.several_classes == "automatic" else 0.0
        return BoostingRules(self.members, k, self.resets if self.by == "samples" else 0, self.printed_error, strong)

    def _fit(self, data: Dataset, context: RunContext) -> CommitteeModel:
        data = weighty(data)
        few = can_be_seen(data, self.members)
        boosting = run_boosting(data, self.rules(data), self._member_of(data, context), context, keep_weights=few)
        rounds = None
        if few:
            votes = [votes_of(member, data, averaged=False) for member in boosting.members]
            rounds = rounds_of(data, [len(data) * weights for weights in boosting.weights[: len(votes)]], votes)
        return CommitteeModel(
            data.schema,
            boosting.members,
            weights=np.array(boosting.importances),
            averaged=False,
            class_weights=data.class_weights,
            known=boosting.committee(),
            names=[f"Round {i + 1}" for i in range(len(boosting.members))],
            rounds=rounds,
            partial=context.finishing,
        )

    def _member_of(self, data: Dataset, context: RunContext) -> Fit:
        plain = self.by == "weights" and type(self.base) is DecisionStump
        stumps = ReweightedStumps.of(cast(DecisionStump, self.base), data, context) if plain else None
        total = float(data.weight_array.sum())

        def drawn(number: int, weights: FloatArray, part: RunContext) -> Model:
            rows = drawn_rows(weights, len(data), len(data), part.child(0.0, 0).random())
            return self.base.fit(sample_of(data, rows), part.child(1.0, 1))

        def weighed(number: int, weights: FloatArray, part: RunContext) -> Model:
            stump = stumps.best(weights * total, part) if stumps is not None and weights.all() else None
            return stump or self.base.fit(data.with_weights(weights * total if total > 0 else None), part.child(1.0, 1))

        return drawn if self.by == "samples" else weighed
