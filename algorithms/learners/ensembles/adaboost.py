"""AdaBoost: boosting rounds, weights of records in each round, and the learner.

Source: Freund and Schapire, Experiments with a new boosting algorithm (1996); TSKK Algorithm 5.7 and Eqs. 5.68 to 5.70;
Zhu, Zou, Rosset and Hastie, Multi-class AdaBoost (2009) for several classes.

Source: TSKK Algorithm 5.7 and Eq. 5.69; a reset is told by the error that the member had in its round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final, TypeGuard, cast

import numpy as np
from numpy.typing import NDArray

from algorithms.core.context import RunContext
from algorithms.core.learner import Learner, Model, Problem
from algorithms.core.parameters import Option, boolean, choice, integer, when
from algorithms.core.parameters import learner as learner_parameter
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.learners.ensembles import member_training
from algorithms.learners.ensembles.member_training import drawn_rows, heaviest, places, sample_of, weighty
from algorithms.learners.ensembles.model import CommitteeModel, can_be_seen, rounds_of, seen_by, votes_of
from algorithms.learners.trees.stump import KERNELS, DecisionStump, ReweightedStumps
from algorithms.structures.members import Committee

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


_SAME = 1e-6


def was_boosted(model: object) -> TypeGuard[CommitteeModel]:
    """Whether this is a committee whose rounds left weights to the next."""
    return isinstance(model, CommitteeModel) and 0 < len(model.known.member_errors) == len(model.members)


def weights_by_round(model: CommitteeModel, data: Dataset, context: RunContext) -> Iterator[FloatArray]:
    """The weights (n,) before each round, and after the last, adding up to one; ``data`` is what training had.

    A record without a class, or without weight, has 0. Where a member's error is not that of the weights that the round
    before left, the weights had begun anew. Raises :class:`Cancelled`.
    """
    known = data.class_codes >= 0
    own = np.where(known, data.weight_array, 0.0)
    begin = own / own.sum() if own.sum() > 0 else own
    weights, truth = begin, data.class_codes
    for member, error, alpha in zip(model.members, model.known.member_errors, model.weights, strict=True):
        context.checkpoint()
        wrong = known & (member.decided(seen_by(member, data), context) != truth)
        if abs(float(weights[wrong].sum()) - error) > _SAME and abs(float(begin[wrong].sum()) - error) <= _SAME:
            weights = begin
        yield weights
        left = weights * np.where(wrong, np.exp(alpha), np.exp(-alpha))
        total = float(left.sum())
        weights = left / total if total > 0 else weights
    yield weights


def first_members(model: CommitteeModel, n: int) -> CommitteeModel:
    """The committee of the first so many members."""
    return CommitteeModel(
        model.schema,
        model.members[:n],
        weights=model.weights[:n],
        averaged=model.averaged,
        class_weights=model.class_weights,
        names=model.names[:n],
    )


STRONG: Final = 0.25
"""A first member that errs on less than this share of the weight is strong."""


@dataclass(frozen=True, kw_only=True)
class AdaBoost(Learner):
    """AdaBoost by reweighting, or by resampling as Algorithm 5.7 of TSKK; several classes by SAMME or as AdaBoost.M1.

    By itself it takes AdaBoost.M1 where the first member errs on less than :data:`STRONG` of the weight: the rounds of
    SAMME raise what was wrong ``k - 1`` times more, which costs strong members accuracy and makes weak ones usable.

    By resampling, a member that is no better than guessing makes the weights begin anew, ``resets`` times at most; by
    weights, which would bring the same member again, the rounds end there.
    """

    id: ClassVar[str] = "adaboost"
    name: ClassVar[str] = "AdaBoost"
    sentence: ClassVar[str] = (
        "Makes one small model after the other, each learning most from the records that the earlier ones had wrong; "
        "those that err less have more to say."
    )
    source: ClassVar[str] = "Freund and Schapire (1996); TSKK Algorithm 5.7; Zhu et al., Multi-class AdaBoost (2009)"
    family: ClassVar[str] = "Committees"
    kernels: ClassVar[tuple[str, ...]] = (*DecisionStump.kernels, *KERNELS)

    base: Learner = learner_parameter(
        DecisionStump(), label="Members are", help="The learner that makes every member: a weak one is enough."
    )
    members: int = member_training.members(50)
    by: str = choice(
        "weights",
        Option("weights", "weights", "Each member learns from all records, the difficult ones weighing more."),
        Option("samples", "samples", "Each member learns from records drawn anew, the difficult ones more often."),
        label="Difficult records count by",
        help="How a member is made to learn most from the records that were wrong before.",
    )
    resets: int = integer(
        10,
        lo=0,
        hi=10_000,
        label="Fresh beginnings",
        help="Where a member is no better than guessing all records count the same again, so often at most.",
        unit="times",
        enabled_if=when("by", "samples"),
        advanced=True,
    )
    several_classes: str = choice(
        "automatic",
        Option(
            "automatic",
            "what suits the first",
            "Half of the time (AdaBoost.M1) where the first member is wrong less than 1 time in 4, else as SAMME.",
        ),
        Option("samme", "better than guessing", "With ten classes being right 11 times in 100 will do (SAMME)."),
        Option("half", "right half of the time", "However many classes there are (AdaBoost.M1)."),
        label="With several classes a member must be",
        help="What is asked of a member before its vote counts.",
        advanced=True,
    )
    printed_error: bool = boolean(
        False,
        label="Error as printed",
        help="Divides a member's weighted error by the number of records, as the textbook prints it (Eq. 5.68): votes "
        "then weigh far more alike. For following its examples.",
        advanced=True,
    )

    @property
    def resamples(self) -> bool:
        return self.by == "samples" or self.printed_error or self.base.resamples

    def check(self, summary: Summary) -> list[Problem]:
        return self.base.check(summary)

    def summary(self) -> str:
        return f"{self.name}, {self.members} × {self.base.summary()}"

    def rules(self, data: Dataset) -> BoostingRules:
        """How rounds go on with these records."""
        k = 2 if self.several_classes == "half" else max(2, len(np.unique(data.class_codes)))
        strong = STRONG if self.several_classes == "automatic" else 0.0
        return BoostingRules(self.members, k, self.resets if self.by == "samples" else 0, self.printed_error, strong)

    def _fit(self, data: Dataset, context: RunContext) -> CommitteeModel:
        data = weighty(data)
        few = can_be_seen(data, self.members)
        found = boosted(data, self.rules(data), self._member_of(data, context), context, keep_weights=few)
        rounds = None
        if few:
            votes = [votes_of(member, data, averaged=False) for member in found.members]
            rounds = rounds_of(data, [len(data) * weights for weights in found.weights[: len(votes)]], votes)
        class_weights = np.bincount(data.class_codes, data.weights, minlength=len(data.schema.classes))
        return CommitteeModel(
            data.schema,
            found.members,
            weights=np.array(found.importances),
            averaged=False,
            class_weights=class_weights.astype(np.float64),
            known=found.committee(),
            names=[f"Round {i + 1}" for i in range(len(found.members))],
            rounds=rounds,
            partial=context.finishing,
        )

    def _member_of(self, data: Dataset, context: RunContext) -> Fit:
        """Makes the member of each round."""
        plain = self.by == "weights" and type(self.base) is DecisionStump
        stumps = ReweightedStumps.of(cast(DecisionStump, self.base), data, context) if plain else None
        total = float(data.weight_array.sum())

        def drawn(number: int, weights: FloatArray, part: RunContext) -> Model:
            rows = drawn_rows(weights, len(data), len(data), part.child(0.0, 0).random())
            return self.base.fit(sample_of(data, rows), part.child(1.0, 1))

        def weighed(number: int, weights: FloatArray, part: RunContext) -> Model:
            found = stumps.best(weights * total, part) if stumps is not None and weights.all() else None
            return found or self.base.fit(data.with_weights(weights * total if total > 0 else None), part.child(1.0, 1))

        return drawn if self.by == "samples" else weighed
