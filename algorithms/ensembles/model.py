"""The model of a committee: its members vote, or their class probabilities are averaged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Final, Self, overload

import numpy as np
from numpy.typing import NDArray

from algorithms.core.array_state import ArrayState, anything, weights
from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Codes, Explanation, Judgement, Model, Probabilities, State
from algorithms.core.members import Committee, Members, ModelStructure, Rounds
from algorithms.core.schema import Schema
from algorithms.ensembles.few_records import rounds_from, rounds_state
from algorithms.ensembles.packing import DAMAGED, damaged, packed, under, unpacked
from algorithms.ensembles.tally import heaviest, places
from algorithms.trees.model import TreeModel

_BLOCK: Final = 1 << 15
"""Records judged in one go."""
_STATE: Final = ArrayState(DAMAGED, {"weights": weights("members"), "class_weights": weights("classes")})
_COMMITTEE: Final = ArrayState(DAMAGED, {
    "training_error": anything("training"),
    "out_of_bag_error": anything("tested"),
    "impurity_importance": anything("impurity"),
    "permutation_importance": anything("permuted"),
    "member_errors": anything("judged"),
    "training_bound": replace(anything("bounds"), optional=True),
    "numbers": anything(len(Committee.NUMBERS)),
})  # fmt: skip
"""What committees saved by earlier versions do not have."""


class CommitteeModel(Model):
    """What m members say together, each with its weight (m,).

    ``averaged``: class probabilities are the weighted mean of the members'; otherwise each votes for the class it
    decides, and probabilities are the shares of the votes. Of classes with equal sums the one heavier in training
    (``class_weights`` (k,)) is taken, then the first.
    """

    id: ClassVar[str] = "committee"

    def __init__(
        self,
        schema: Schema,
        members: Sequence[Model],
        *,
        weights: FloatArray,
        averaged: bool,
        class_weights: FloatArray,
        known: Committee | None = None,
        names: Sequence[str] = (),
        rounds: Rounds | None = None,
        partial: bool = False,
    ) -> None:
        super().__init__(schema, partial=partial)
        self.members = tuple(kept_small(member) for member in members)
        self.weights, self.averaged, self.class_weights = weights, averaged, class_weights
        self.known, self.rounds = known or Committee(), rounds
        self.names = tuple(names) or tuple(f"Member {i + 1}" for i in range(len(self.members)))

    # ---- classifying -----------------------------------------------------------------------------------------------

    def _predict_proba(self, data: Dataset) -> Probabilities:
        return self._shares(self._sums(data))

    def _predict(self, data: Dataset) -> Codes:
        return heaviest(self._shares(self._sums(data)), places(self.class_weights))

    def judged(self, data: Dataset, context: RunContext) -> Judgement:
        data = self._as_known(data)
        starts = list(range(0, len(data), _BLOCK)) or [0]

        def block(start: int) -> Probabilities:
            rows = slice(start, start + _BLOCK)
            part = data if len(starts) == 1 else data.take(np.arange(len(data))[rows])
            return self._shares(self._sums(part, context))

        shares = np.concatenate(context.map(block, starts))
        return Judgement(heaviest(shares, places(self.class_weights)), shares)

    def _as_known(self, data: Dataset) -> Dataset:
        from algorithms.core.align import aligned

        return aligned(self.schema, data)

    def _sums(self, data: Dataset, context: RunContext | None = None) -> FloatArray:
        """The weighed votes (n, k) of all members, added in their order."""
        sums = np.zeros((len(data), len(self.classes)))
        for member, weight in zip(self.members, self.weights.tolist(), strict=True):
            if context is not None:
                context.checkpoint()
            sums += weight * votes_of(member, data, averaged=self.averaged, context=context)
        return sums

    def _shares(self, sums: FloatArray) -> Probabilities:
        """The sums as shares; those of the classes in training where nobody has a vote that weighs anything."""
        total = sums.sum(axis=1, keepdims=True)
        known = float(self.class_weights.sum())
        k = len(self.classes)
        prior = self.class_weights / known if known > 0 else np.full(k, 1.0 / k)
        return np.where(total > 0, sums / np.where(total > 0, total, 1.0), prior)

    # ---- looking inside --------------------------------------------------------------------------------------------

    def structure(self) -> Members:
        return self._structure

    @cached_property
    def _structure(self) -> Members:
        parts = InTurn(self.members)
        return Members(self.schema, parts, self.names, self.weights, self.averaged, self.known, rounds=self.rounds)

    def facts(self) -> dict[str, int | float]:
        """How many members there are, and what all of them have, added up; of their depths the largest."""
        facts: dict[str, int | float] = {"members": len(self.members)}
        each = [member.facts() for member in self.members]
        for name in each[0]:
            values = [found[name] for found in each if name in found]
            if len(values) == len(each) and all(isinstance(value, int) for value in values):
                facts[name] = max(values) if name == "depth" else sum(values)
        if np.isfinite(self.known.strength) and np.isfinite(self.known.correlation):
            facts |= {"strength": self.known.strength, "correlation": self.known.correlation}
        return facts

    def remark(self) -> str:
        known = self.known
        if not known.is_tested:
            return ""
        right = 100 * (1 - known.out_of_bag)
        return (
            f"it is right {right:.1f} times in 100 on its own training records where only those members decide that "
            "did not learn from the record (out of bag)"
        )

    def explain(self, data: Dataset, row: int) -> Explanation:
        one = self._as_known(data).take([row])
        shares = self._shares(self._sums(one))
        decision = int(heaviest(shares, places(self.class_weights))[0])
        steps = tuple(self._steps(one))
        return Explanation(decision, tuple(float(share) for share in shares[0]), steps)

    def _steps(self, one: Dataset) -> Iterator[str]:
        """How many members are for which class, and with what weight, the most supported first."""
        said = np.array([int(member.predict(seen_by(member, one))[0]) for member in self.members])
        whole = max(float(self.weights.sum()), 1e-300)
        heard = [(float(self.weights[said == code].sum()), code) for code in np.unique(said).tolist()]
        for weight, code in sorted(heard, key=lambda pair: (-pair[0], pair[1])):
            n = int(np.count_nonzero(said == code))
            who = f"{n} of {len(said)} {'member' if len(said) == 1 else 'members'} {'says' if n == 1 else 'say'}"
            yield f"{who} {self.classes[code]} ({weight / whole:.1%} of the votes)"
        if self.averaged:
            yield "what counts is the average of the probabilities that they give"

    # ---- kept ------------------------------------------------------------------------------------------------------

    def to_state(self) -> State:
        inside = packed(self.members)
        values: dict[str, Any] = {
            "members": dict(inside.values),
            "names": list(self.names),
            "averaged": self.averaged,
            "partial": self.partial,
        }
        seen = rounds_state(self.rounds)
        values["rounds"] = dict(seen.values)
        arrays = {f"members/{name}": array for name, array in inside.arrays.items()}
        arrays |= {"weights": self.weights, "class_weights": self.class_weights}
        arrays |= {f"rounds/{name}": array for name, array in seen.arrays.items()}
        return State(values, arrays | committee_arrays(self.known))

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        values, arrays = state.values, state.arrays
        inside, names = values.get("members"), values.get("names")
        if not isinstance(inside, dict) or not isinstance(names, list):
            raise damaged()
        members = unpacked(schema, State(inside, under("members/", state), state.kinds))
        seen = values.get("rounds", {})
        if not isinstance(seen, dict):
            raise damaged()
        read = _STATE.read(arrays, members=len(members), classes=len(schema.classes))
        if len(names) != len(members) or not np.isfinite(read["weights"].sum()):
            raise damaged()
        return cls(
            schema,
            members,
            weights=read["weights"],
            averaged=values.get("averaged") is True,
            class_weights=read["class_weights"],
            known=committee_of(schema, arrays),
            rounds=rounds_from(State(seen, under("rounds/", state)), len(members), len(schema.classes)),
            names=[str(name) for name in names],
            partial=values.get("partial") is True,
        )


def committee_arrays(known: Committee) -> dict[str, NDArray[Any]]:
    """What is known of a committee as arrays to keep."""
    arrays: dict[str, NDArray[Any]] = {name: getattr(known, name) for name in Committee.ARRAYS}
    return arrays | {"numbers": np.array([getattr(known, name) for name in Committee.NUMBERS], dtype=np.float64)}


def committee_of(schema: Schema, arrays: Mapping[str, NDArray[Any]]) -> Committee:
    """The same again; raises :class:`ModelFileError` where the arrays do not fit the schema."""
    known: dict[str, Any] = _COMMITTEE.read(arrays)
    numbers = known.pop("numbers")
    if any(len(array) not in (0, len(schema)) for name, array in known.items() if name.endswith("importance")):
        raise damaged()
    return Committee(**known, **dict(zip(Committee.NUMBERS, numbers.tolist(), strict=True)))


class InTurn(Sequence[ModelStructure]):
    """What each of these models looks like, found when it is asked for: large trees are whole only while looked at."""

    def __init__(self, members: Sequence[Model]) -> None:
        self._members = members

    def __len__(self) -> int:
        return len(self._members)

    @property
    def all_trees(self) -> bool:
        """Whether there are some and each is a tree, found without making one whole."""
        return len(self._members) > 0 and all(isinstance(member, TreeModel) for member in self._members)

    @overload
    def __getitem__(self, at: int) -> ModelStructure: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[ModelStructure]: ...

    def __getitem__(self, at: int | slice) -> ModelStructure | Sequence[ModelStructure]:
        return InTurn(self._members[at]) if isinstance(at, slice) else self._members[at].structure()


def kept_small(member: Model) -> Model:
    """The same model; that of a large tree in less memory, without what it has worked out for its decisions."""
    return member.compact() if isinstance(member, TreeModel) else member


def seen_by(member: Model, data: Dataset) -> Dataset:
    """The data under the schema of a member that may have been kept from some of the attributes."""
    return data if member.schema == data.schema else data.with_schema(member.schema)


def votes_of(member: Model, data: Dataset, *, averaged: bool, context: RunContext | None = None) -> FloatArray:
    """The votes (n, k) of one member: its class probabilities, or one for the class that it decides.

    A member for which that takes long heeds the stops of the ``context``.
    """
    seen = seen_by(member, data)
    heeds = context is not None and type(member).judged is not Model.judged
    said = member.judged(seen, context) if context is not None and heeds else None
    if averaged:
        return member.predict_proba(seen) if said is None else said.probabilities
    votes = np.zeros((len(data), len(member.classes)))
    votes[np.arange(len(data)), member.predict(seen) if said is None else said.decisions] = 1.0
    return votes
