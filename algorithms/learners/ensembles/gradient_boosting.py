"""Gradient boosting: trees fitted to the gradient of a loss, their model, and the learner.

Source: Friedman, Greedy function approximation: a gradient boosting machine (2001). The trees are grown in
:mod:`boosted_growth`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.array_state import ArrayState, indices, numbers
from algorithms.core.learner import (
    Explanation,
    Learner,
    Predictions,
    Probabilities,
    Problem,
    State,
    Variant,
    WatchedModel,
)
from algorithms.core.parameters import BALANCED, boolean, class_weights, columns, integer, real
from algorithms.core.run_control import RunContext
from algorithms.data.alignment import aligned
from algorithms.data.columns import Column, FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema
from algorithms.data.summary import Summary
from algorithms.learners.ensembles.boosted_growth import KERNELS, BoostingLimits, LossTrees
from algorithms.learners.ensembles.member_training import weighty
from algorithms.learners.ensembles.model import (
    DAMAGED,
    committee_arrays,
    committee_of,
    damaged,
    in_blocks,
    joined_trees,
    packed,
    prefixed,
    saved_members,
)
from algorithms.learners.ensembles.random_forest import impurity_importance, shares
from algorithms.learners.probability_scaling import softmax
from algorithms.learners.trees import parameters as tree_parameters
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.routing import JoinedTrees, ValueBlocks
from algorithms.structures.members import Committee, Members

_STATE: Final = ArrayState(DAMAGED, {
    "answers": numbers("answers"),
    "start": numbers("scores"),
    "present": replace(indices("classes", "present", dtype=np.int64), ascending=True),
})  # fmt: skip


class Scores:
    """Conversion of scores into class probabilities: one score for two classes, else one for each present class.

    ``present`` (c,) lists the classes with training records, ascending; others have probability 0.
    """

    def __init__(self, present: IntArray, n_classes: int) -> None:
        self.present, self.n_classes = present, n_classes

    @property
    def n_scores(self) -> int:
        return 1 if len(self.present) <= 2 else len(self.present)

    @property
    def scored(self) -> IntArray:
        """Classes with a score; of two, the second."""
        return self.present[-self.n_scores :]

    def shares(self, scores: FloatArray) -> FloatArray:
        """Probabilities (n, c) of the present classes from scores (n, s)."""
        if len(self.present) == 1:
            return np.ones((len(scores), 1))
        if len(self.present) == 2:
            second = 1 / (1 + np.exp(-np.clip(scores[:, 0], -500, 500)))
            return np.column_stack([1 - second, second])
        return softmax(scores.copy())

    def probabilities(self, scores: FloatArray) -> Probabilities:
        """Probabilities (n, k) of all classes from scores (n, s)."""
        shares = np.zeros((len(scores), self.n_classes))
        shares[:, self.present] = self.shares(scores)
        return shares


class GradientModel(WatchedModel):
    """Boosted trees, one for each score in every round.

    ``answers`` concatenates the contributions of all nodes of all trees; ``start`` (s,) holds the initial scores.
    """

    id: ClassVar[str] = "gradient-boosted"

    def __init__(
        self,
        schema: Schema,
        trees: Sequence[TreeModel],
        *,
        answers: FloatArray,
        start: FloatArray,
        present: IntArray,
        known: Committee | None = None,
        partial: bool = False,
    ) -> None:
        super().__init__(schema, partial=partial)
        self.trees, self.answers, self.start = tuple(trees), answers, start
        self.scoring = Scores(present, len(schema.classes))
        self.known = known or Committee()
        self._ends = np.cumsum([model.tree.n_nodes for model in self.trees])

    def answer_of(self, number: int) -> FloatArray:
        """Contributions of the nodes (m,) of a tree to its score."""
        return self.answers[self._ends[number] - self.trees[number].tree.n_nodes : self._ends[number]]

    def _scores(self, data: Dataset, context: RunContext) -> FloatArray:
        scores = np.tile(self.start, (len(data), 1))
        if len(data) == 1:
            np.add.at(scores[0], np.arange(len(self.trees)) % len(self.start), self._added(data))
            return scores
        kept = ValueBlocks(data)
        for number in range(len(self.trees)):
            context.checkpoint()
            self._add(number, data, scores, kept)
        return scores

    @cached_property
    def _joined(self) -> JoinedTrees | None:
        return joined_trees(self.trees)

    def _added(self, one: Dataset) -> FloatArray:
        """What each tree (t,) adds to its score of one record."""
        leaves = np.full(len(self.trees), -1) if self._joined is None else self._joined.leaves(one)
        added = self.answers[leaves]
        for number in np.flatnonzero(leaves < 0).tolist():
            added[number] = self.answer_of(number)[self.trees[number].leaves_of(one)[0]]
        return added

    def _add(self, number: int, data: Dataset, scores: FloatArray, kept: ValueBlocks | None = None) -> None:
        scores[:, number % len(self.start)] += self.answer_of(number)[self.trees[number].leaves_of(data, kept)]

    def staged(self, data: Dataset) -> Iterator[FloatArray]:
        """Scores (n, s) after each round; the array is reused by the next round."""
        scores = np.tile(self.start, (len(data), 1))
        for number in range(len(self.trees)):
            self._add(number, data, scores)
            if (number + 1) % len(self.start) == 0 or number + 1 == len(self.trees):
                yield scores

    def _judged(self, data: Dataset, context: RunContext) -> Predictions:
        def probabilities(part: Dataset) -> Probabilities:
            return self.scoring.probabilities(self._scores(part, context))

        shares = np.concatenate(in_blocks(data, context, probabilities))
        return Predictions(np.argmax(shares, axis=1).astype(np.int32), shares)

    def structure(self) -> Members:
        return self._structure

    @cached_property
    def _structure(self) -> Members:
        s = len(self.start)
        several = [f", {self.classes[code]}" if s > 1 else "" for code in self.scoring.scored.tolist()]
        names = tuple(f"Round {number // s + 1}{several[number % s]}" for number in range(len(self.trees)))
        parts = tuple(model.tree for model in self.trees)
        return Members(self.schema, parts, names, np.ones(len(parts)), True, self.known, how="sums")

    def facts(self) -> dict[str, int | float]:
        trees = [model.tree for model in self.trees]
        return {
            "members": len(trees),
            "leaves": sum(tree.n_leaves for tree in trees),
            "depth": max(tree.depth for tree in trees),
        }

    def explain(self, data: Dataset, row: int) -> Explanation:
        """Number and sum of the trees for and against the predicted class."""
        one = aligned(self.schema, data).take([row])
        shares = self._predict_proba(one)[0]
        decision = int(np.argmax(shares))
        before = float(self.scoring.probabilities(self.start[None, :])[0, decision])
        name = self.classes[decision]
        steps = [f"before any tree: {name} {before:.1%}, as often as in training"]
        place = np.flatnonzero(self.scoring.scored == decision)
        score = int(place[0]) if len(place) else 0
        sign = 1.0 if len(place) else -1.0
        added = (sign * self._added(one)[score :: len(self.start)]).tolist()
        for_it, against = [x for x in added if x > 0], [x for x in added if x < 0]
        steps.append(f"{len(for_it)} of {len(added)} trees speak for {name}: {sum(for_it):+.2f} in all")
        if against:
            steps.append(f"{len(against)} speak against it: {sum(against):+.2f}")
        steps.append(f"together: {name} {float(shares[decision]):.1%}")
        return Explanation(decision, tuple(shares.tolist()), tuple(steps))

    def to_state(self) -> State:
        inside = packed(self.trees)
        own = {"answers": self.answers, "start": self.start, "present": self.scoring.present}
        arrays = prefixed("members", inside) | own | committee_arrays(self.known)
        return State({"members": dict(inside.values), "partial": self.partial}, arrays)

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        members, k = saved_members(schema, state), len(schema.classes)
        read = _STATE.read(state.arrays, classes=k)
        start, present = read["start"], read["present"]
        trees = [member for member in members if isinstance(member, TreeModel)]
        if len(trees) != len(members) or not len(present) or len(start) != Scores(present, k).n_scores:
            raise damaged()
        if len(read["answers"]) != sum(model.tree.n_nodes for model in trees) or len(trees) % len(start):
            raise damaged()
        known, partial = committee_of(schema, state.arrays), state.values.get("partial") is True
        return cls(schema, trees, **read, known=known, partial=partial)


LEAST_HELD_OUT: Final = 10_000
"""Least number of records of which early stopping holds some out."""
_HELD_OUT_SHARE: Final = 0.1
_PATIENCE: Final = 10
"""Number of rounds without a lower loss after which early stopping ends."""


def _monotone(direction: str, never: str) -> Any:
    sentence = f"Attributes with which the probability of the second class never {never}"
    return columns((), label=f"Monotone {direction}", help=sentence, without="none", advanced=True, earlier=())


@dataclass(frozen=True, kw_only=True)
class GradientBoosting(Learner):
    """Gradient boosting of the logistic loss, with one tree a class and round for several classes.

    The initial scores are the log shares of the classes. Trees split numbers in 255 bins; of more than 255 nominal
    values the rarest count as one. Missing values go where the loss falls most. With ``size`` below 100 each round
    draws records without replacement.
    """

    id: ClassVar[str] = "gradient-boosting"
    name: ClassVar[str] = "Gradient boosting"
    sentence: ClassVar[str] = (
        "Adds small trees one after another, each fitted to the remaining errors: among the most accurate "
        "learners for tables."
    )
    source: ClassVar[str] = "Friedman, Greedy function approximation (2001); Stochastic gradient boosting (2002)"
    family: ClassVar[str] = "Ensembles"
    kernels: ClassVar[tuple[str, ...]] = KERNELS
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(5),)

    members: int = integer(
        100,
        lo=1,
        hi=10_000,
        label="Boosting rounds",
        help="Number of trees; with several classes this many for each. Too many overfit.",
        unit="rounds",
    )
    step: float = real(
        0.1,
        lo=0.001,
        hi=1.0,
        label="Learning rate",
        help="Shrinkage of each tree. Smaller values need more rounds and have a lower error.",
    )
    max_depth: int = integer(
        3,
        lo=1,
        hi=30,
        label="Maximum depth",
        help="Largest number of splits between the root and a leaf of each tree.",
        unit="levels",
    )
    min_leaf: int = tree_parameters.min_leaf(5)
    early_stopping: bool = boolean(
        True,
        label="Early stopping",
        help=f"Holds out a tenth of {LEAST_HELD_OUT:,} or more records, and ends when the log loss on them has not "
        f"fallen for {_PATIENCE} rounds.",
        earlier=False,
    )
    max_leaves: int = integer(
        0,
        lo=0,
        hi=100_000,
        label="Maximum leaves",
        help="Largest number of leaves of each tree; the leaf with the largest gain is split next. 0 sets no limit.",
        unit="leaves",
        advanced=True,
        earlier=0,
    )
    penalty: float = real(
        1.0,
        lo=0.0,
        hi=1e6,
        label="Penalty strength",
        help="L2 penalty of the leaf values. A larger one shrinks the values of leaves with few records.",
        advanced=True,
        earlier=1.0,
    )
    min_curvature: float = real(
        0.0,
        lo=0.0,
        hi=1e6,
        label="Min. hessian per leaf",
        help="Smallest sum of the second derivatives of the loss in a leaf (min_child_weight in XGBoost).",
        advanced=True,
        earlier=0.0,
    )
    size: float = real(
        100.0,
        lo=1.0,
        hi=100.0,
        label="Sample size (%)",
        help="Share of the training records that each round uses, drawn at random. Half often has a lower "
        "error and takes half the time.",
        unit="%",
        advanced=True,
    )
    attributes_given: float = real(
        100.0,
        lo=1.0,
        hi=100.0,
        label="Features per member",
        help="Share of the attributes that the trees of each round use, drawn at random.",
        unit="%",
        advanced=True,
        earlier=100.0,
    )
    class_cost: str = class_weights(earlier="equal")
    rising: tuple[str, ...] = _monotone("increasing", "falls")
    falling: tuple[str, ...] = _monotone("decreasing", "rises")

    def check(self, summary: Summary) -> list[Problem]:
        problems, chosen = super().check(summary), self.monotone_attributes
        if problems or not chosen:
            return problems
        if (k := len(summary.schema.classes)) != 2:
            return [Problem(f"Monotone attributes need two classes, but there are {k}.", "Choose none.")]
        if twice := sorted(set(self.rising) & set(self.falling)):
            return [Problem(f"{twice[0]} is to be increasing and decreasing.", "Choose one of them.", twice[0])]
        attributes = [summary.schema.attributes[index] for index in summary.schema.predictors]
        remedy = "Choose an attribute that the model can use."
        return [
            Problem(f"{name} is no predictor, so nothing is monotone in it.", remedy, name)
            for name in sorted(chosen - {attribute.name for attribute in attributes})
        ] + [
            Problem(f"{attribute.name} has no order, so nothing is monotone in it.", "Make it ordinal.", attribute.name)
            for attribute in attributes
            if attribute.name in chosen and attribute.kind is AttributeKind.NOMINAL
        ]

    @property
    def monotone_attributes(self) -> frozenset[str]:
        return frozenset((*self.rising, *self.falling))

    @property
    def resamples(self) -> bool:
        return self.size < 100

    def _fit(self, data: Dataset, context: RunContext) -> GradientModel:
        ensure_compiled(self.kernels, context)
        data = weighty(data)
        if not data.weight_array.any():
            data = data.with_weights(None)
        truth, k = data.class_codes, len(data.schema.classes)
        held = np.bincount(truth, data.weight_array, minlength=k).astype(np.float64)
        scoring = Scores(np.flatnonzero(held).astype(np.int64), k)
        factors = np.ones(k)
        if self.class_cost == BALANCED:
            factors[scoring.present] = held.sum() / (len(scoring.present) * held[scoring.present])
        start, is_single = _start((factors * held)[scoring.present]), len(scoring.present) == 1
        limits = BoostingLimits(
            max_depth=0 if is_single else self.max_depth,
            max_leaves=self.max_leaves,
            min_leaf=self.min_leaf,
            min_curvature=self.min_curvature,
            penalty=self.penalty,
            step=self.step,
            rising=self.rising,
            falling=self.falling,
        )
        growing = LossTrees(data, limits, scoring.scored, start, factors, context)
        learned, validation = self._held_out(data, context)
        judged = truth[validation]
        judged_weights = data.weight_array[validation] * factors[judged]
        trees, answers, errors, losses = list[TreeModel](), list[FloatArray](), list[float](), list[float]()
        for number in range(1 if is_single else self.members):
            if trees and (context.finishing or (losses and number - _best(losses) >= _PATIENCE)):
                break
            part = context.child(1 / self.members, number)
            random = part.random()
            growing.begin_round(_drawn(learned, self.size, random), self.attributes_given, random)
            for score in range(scoring.n_scores):
                tree, answer = growing.grown(score, part)
                trees.append(TreeModel(tree))
                answers.append(0.0 * answer if is_single else answer)
            if number:
                errors.append(growing.wrong)
            if len(validation):
                losses.append(_log_loss(scoring.probabilities(growing.scores[validation]), judged, judged_weights))
            part.complete()
        is_partial = context.finishing and len(trees) < self.members * scoring.n_scores
        growing.shares()
        errors.append(0.0 if is_single else growing.wrong)
        kept = _best(losses) if losses else len(errors)
        trees, answers = trees[: kept * scoring.n_scores], answers[: kept * scoring.n_scores]
        importance = shares(np.sum([impurity_importance(model.tree) for model in trees], axis=0))
        return GradientModel(
            data.schema,
            trees,
            answers=np.concatenate(answers),
            start=start,
            present=scoring.present,
            known=Committee(
                training_error=np.array(errors[:kept]) / data.weight_array.sum(), impurity_importance=importance
            ),
            partial=is_partial,
        )

    def _held_out(self, data: Dataset, context: RunContext) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The records to grow trees on, and those that are held out for early stopping, both ascending."""
        n = len(data)
        if not self.early_stopping or n < LEAST_HELD_OUT:
            return np.arange(n, dtype=np.int32), np.zeros(0, dtype=np.int32)
        drawn = context.child(0.0, self.members).random().permutation(n).astype(np.int32)
        n_held = round(n * _HELD_OUT_SHARE)
        return np.sort(drawn[n_held:]), np.sort(drawn[:n_held])


def _drawn(rows: NDArray[np.int32], percent: float, random: np.random.Generator) -> NDArray[np.int32]:
    """This share of the rows, drawn without replacement, ascending."""
    if percent >= 100:
        return rows
    return np.sort(rows[random.permutation(len(rows))[: max(1, round(len(rows) * percent / 100))]])


def _best(losses: list[float]) -> int:
    """The number of rounds with the lowest loss, the first of equal ones; 0 without losses."""
    return int(np.argmin(losses)) + 1 if losses else 0


def _log_loss(shares: Probabilities, truth: Column, weights: FloatArray) -> float:
    """Mean log loss of probabilities (m, k) for records of these classes and weights (m,)."""
    own = shares[np.arange(len(truth)), truth]
    return float(-(weights @ np.log(np.maximum(own, 1e-300))) / weights.sum())


def _start(held: FloatArray) -> FloatArray:
    """Initial scores, which give the classes their shares in training (c,)."""
    logarithm = np.log(held / held.sum())
    return np.asarray(logarithm if len(held) > 2 else (logarithm[-1:] - logarithm[:1]))
