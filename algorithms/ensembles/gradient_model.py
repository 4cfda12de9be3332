"""The model of gradient boosting: what the leaves of all trees answer, added up, and made into class probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import ClassVar, Final, Self

import numpy as np

from algorithms.core.align import aligned
from algorithms.core.array_state import ArrayState, index, numbers
from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Codes, Explanation, Judgement, Model, Probabilities, State
from algorithms.core.members import Committee, Members
from algorithms.core.schema import Schema
from algorithms.ensembles.model import committee_arrays, committee_of
from algorithms.ensembles.packing import DAMAGED, damaged, packed, under, unpacked
from algorithms.trees.model import TreeModel

_BLOCK = 1 << 15
"""Records judged in one go."""
_STATE: Final = ArrayState(DAMAGED, {
    "answers": numbers("answers"),
    "start": numbers("scores"),
    "present": replace(index("classes", "present", dtype=np.int64), ascending=True),
})  # fmt: skip


class Scores:
    """How scores become class probabilities: of two classes one score, of more a score for each that occurs.

    ``present`` (c,) are the codes of the classes that training has, ascending; the others have no probability.
    """

    def __init__(self, present: IntArray, n_classes: int) -> None:
        self.present, self.n_classes = present, n_classes

    @property
    def n_scores(self) -> int:
        """How many trees a round has."""
        return 1 if len(self.present) <= 2 else len(self.present)

    @property
    def scored(self) -> IntArray:
        """The classes that the scores speak for: of two the second."""
        return self.present[-self.n_scores :]

    def shares(self, scores: FloatArray) -> FloatArray:
        """The probabilities (n, c) of the present classes, from scores (n, s)."""
        if len(self.present) == 1:
            return np.ones((len(scores), 1))
        if len(self.present) == 2:
            second = 1 / (1 + np.exp(-np.clip(scores[:, 0], -500, 500)))
            return np.column_stack([1 - second, second])
        raised = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(raised / raised.sum(axis=1, keepdims=True))

    def probabilities(self, scores: FloatArray) -> Probabilities:
        """The probabilities (n, k) of all classes."""
        found = np.zeros((len(scores), self.n_classes))
        found[:, self.present] = self.shares(scores)
        return found


class GradientModel(Model):
    """Trees of several rounds, in each one for each score; ``answers`` are what their nodes add to it, all trees' end
    to end; ``start`` (s,) are the scores before any tree.
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

    def answer_of(self, at: int) -> FloatArray:
        """What the nodes (m,) of a tree add to its score."""
        return self.answers[self._ends[at] - self.trees[at].tree.n_nodes : self._ends[at]]

    # ---- classifying -----------------------------------------------------------------------------------------------

    def _scores(self, data: Dataset, context: RunContext | None = None) -> FloatArray:
        scores = np.tile(self.start, (len(data), 1))
        for at in range(len(self.trees)):
            if context is not None:
                context.checkpoint()
            self._add(at, data, scores)
        return scores

    def _add(self, at: int, data: Dataset, scores: FloatArray) -> None:
        """Add what one tree answers to the scores (n, s)."""
        scores[:, at % len(self.start)] += self.answer_of(at)[self.trees[at].leaves_of(data)]

    def staged(self, data: Dataset) -> Iterator[FloatArray]:
        """The scores (n, s) after each round: the same array, which the next round goes on with."""
        scores = np.tile(self.start, (len(data), 1))
        for at in range(len(self.trees)):
            self._add(at, data, scores)
            if (at + 1) % len(self.start) == 0 or at + 1 == len(self.trees):
                yield scores

    def _predict_proba(self, data: Dataset) -> Probabilities:
        return self.scoring.probabilities(self._scores(data))

    def _predict(self, data: Dataset) -> Codes:
        return np.asarray(np.argmax(self._predict_proba(data), axis=1), dtype=np.int32)

    def judged(self, data: Dataset, context: RunContext) -> Judgement:
        data = aligned(self.schema, data)
        rows = np.arange(len(data))

        def block(start: int) -> Probabilities:
            part = data if len(data) <= _BLOCK else data.take(rows[start : start + _BLOCK])
            return self.scoring.probabilities(self._scores(part, context))

        shares = np.concatenate(context.map(block, list(range(0, len(data), _BLOCK)) or [0]))
        return Judgement(np.argmax(shares, axis=1).astype(np.int32), shares)

    # ---- looking inside --------------------------------------------------------------------------------------------

    def structure(self) -> Members:
        return self._structure

    @cached_property
    def _structure(self) -> Members:
        s = len(self.start)
        several = [f", {self.classes[code]}" if s > 1 else "" for code in self.scoring.scored.tolist()]
        names = tuple(f"Round {at // s + 1}{several[at % s]}" for at in range(len(self.trees)))
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
        """How many trees speak for the class decided, and how far they bring its probability."""
        one = aligned(self.schema, data).take([row])
        shares = self._predict_proba(one)[0]
        decision = int(np.argmax(shares))
        before = float(self.scoring.probabilities(self.start[None, :])[0, decision])
        name = self.classes[decision]
        steps = [f"before any tree: {name} {before:.1%}, as often as in training"]
        place = np.flatnonzero(self.scoring.scored == decision)
        at = int(place[0]) if len(place) else 0
        sign = 1.0 if len(place) else -1.0
        added = [
            sign * float(self.answer_of(i)[self.trees[i].leaves_of(one)[0]])
            for i in range(at, len(self.trees), len(self.start))
        ]
        for_it, against = [x for x in added if x > 0], [x for x in added if x < 0]
        steps.append(f"{len(for_it)} of {len(added)} trees speak for {name}: {sum(for_it):+.2f} in all")
        if against:
            steps.append(f"{len(against)} speak against it: {sum(against):+.2f}")
        steps.append(f"together: {name} {float(shares[decision]):.1%}")
        return Explanation(decision, tuple(float(share) for share in shares), tuple(steps))

    # ---- kept ------------------------------------------------------------------------------------------------------

    def to_state(self) -> State:
        inside = packed(self.trees)
        arrays = {f"members/{name}": array for name, array in inside.arrays.items()}
        arrays |= {"answers": self.answers, "start": self.start, "present": self.scoring.present}
        arrays |= committee_arrays(self.known)
        return State({"members": dict(inside.values), "partial": self.partial}, arrays)

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        inside, k = state.values.get("members"), len(schema.classes)
        if not isinstance(inside, dict):
            raise damaged()
        read = _STATE.read(state.arrays, classes=k)
        answers, start, present = read["answers"], read["start"], read["present"]
        members = unpacked(schema, State(inside, under("members/", state), state.kinds))
        trees = [member for member in members if isinstance(member, TreeModel)]
        if len(trees) != len(members) or not len(present) or len(start) != Scores(present, k).n_scores:
            raise damaged()
        if len(answers) != sum(model.tree.n_nodes for model in trees) or len(trees) % len(start):
            raise damaged()
        return cls(
            schema,
            trees,
            answers=answers,
            start=start,
            present=present,
            known=committee_of(schema, state.arrays),
            partial=state.values.get("partial") is True,
        )
