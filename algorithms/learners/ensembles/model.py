"""The ensemble model: votes or averaged probabilities, packed members, vote rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Final, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from algorithms.core.array_state import ArrayState, anything, indices, weights, whole
from algorithms.core.errors import ModelFileError
from algorithms.core.learner import Explanation, Model, Predictions, Probabilities, State, WatchedModel
from algorithms.core.run_control import RunContext
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema
from algorithms.learners.ensembles.member_training import heaviest, places
from algorithms.learners.probability_scaling import class_shares, normalised
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.routing import MOST_JOINED, JoinedTrees, ValueBlocks
from algorithms.structures.members import Committee, Members, VoteRounds
from algorithms.structures.model_structure import ModelStructure
from algorithms.structures.tree import TreeSum
from algorithms.text.numbers import percent

_MOST: Final = 100_000
"""Largest number of members in a saved ensemble."""
DAMAGED: Final = "The saved ensemble is"
_PARTS: Final = ArrayState(DAMAGED, {
    "member": indices("members", "parts"),
    "rows": whole("parts", dtype=np.int64, lowest=0),
})  # fmt: skip


def packed(models: Sequence[Model]) -> State:
    """States of models packed into one; :func:`unpacked` restores the models."""
    states = [model.to_state() for model in models]
    groups: dict[tuple[str, str, tuple[int, ...]], list[tuple[int, NDArray[Any]]]] = {}
    for owner, state in enumerate(states):
        for name, given in state.arrays.items():
            array = np.asarray(given)
            key = name, array.dtype.str, array.shape[1:] if array.ndim else (-1,)
            groups.setdefault(key, []).append((owner, array))
    arrays: dict[str, NDArray[Any]] = {}
    for number, group in enumerate(groups.values()):
        parts = [array.reshape(1) if array.ndim == 0 else array for _, array in group]
        arrays[f"{number}/data"] = np.concatenate(parts)
        arrays[f"{number}/member"] = np.array([owner for owner, _ in group], dtype=np.int32)
        arrays[f"{number}/rows"] = np.array([len(part) for part in parts], dtype=np.int64)
    members = [
        {
            "id": model.id,
            "values": dict(state.values),
            "unused": [i for i, attribute in enumerate(model.schema.attributes) if not attribute.used],
        }
        for model, state in zip(models, states, strict=True)
    ]
    names = [{"name": name, "single": shape == (-1,)} for name, _, shape in groups]
    return State({"members": members, "arrays": names}, arrays)


def unpacked(schema: Schema, state: State, schemas: Sequence[Schema] = ()) -> tuple[Model, ...]:
    """Models of a packed state, with ``schemas`` of their own if given; raises :class:`ModelFileError`."""
    members, names = state.values.get("members"), state.values.get("arrays")
    if not isinstance(members, list) or not isinstance(names, list) or not 0 < len(members) <= _MOST:
        raise damaged()
    if len(schemas) not in (0, len(members)):
        raise damaged()
    arrays: list[dict[str, NDArray[Any]]] = [{} for _ in members]
    for number, described in enumerate(names):
        data = state.arrays.get(f"{number}/data")
        if not isinstance(described, dict) or data is None or data.ndim == 0:
            raise damaged()
        parts = {part: state.arrays.get(f"{number}/{part}") for part in _PARTS.specs}
        read = _PARTS.read(parts, members=len(members))
        is_single, start = described.get("single") is True, 0
        fits = np.all(read["rows"] <= len(data)) and sum(read["rows"].tolist()) == len(data)
        if not fits or (is_single and np.any(read["rows"] != 1)):
            raise damaged()
        for owner, rows in zip(read["member"].tolist(), read["rows"].tolist(), strict=True):
            arrays[owner][str(described.get("name"))] = data[start] if is_single else data[start : start + rows]
            start += rows
    own_schemas = schemas or [schema] * len(members)
    return tuple(_model(its, state, member, own) for its, member, own in zip(own_schemas, members, arrays, strict=True))


def _model(schema: Schema, state: State, member: Any, arrays: dict[str, NDArray[Any]]) -> Model:
    if not isinstance(member, dict) or not isinstance(member.get("values"), dict):
        raise damaged()
    unused = member.get("unused")
    if not isinstance(unused, list) or not all(type(index) is int and 0 <= index < len(schema) for index in unused):
        raise damaged()
    own = State(member["values"], arrays, state.kinds)
    return state.kind(str(member.get("id"))).from_state(schema.without_use(unused), own)


def prefixed(prefix: str, state: State) -> dict[str, NDArray[Any]]:
    """Arrays of a state with a prefix and a slash before their names."""
    return {f"{prefix}/{name}": array for name, array in state.arrays.items()}


def under(prefix: str, state: State) -> dict[str, NDArray[Any]]:
    """Arrays of a state whose names have this prefix and a slash, without both."""
    start = f"{prefix}/"
    return {name.removeprefix(start): array for name, array in state.arrays.items() if name.startswith(start)}


def saved_members(
    schema: Schema, state: State, key: str = "members", schemas: Sequence[Schema] = ()
) -> tuple[Model, ...]:
    """Models that a state packs under a key; raises :class:`ModelFileError` as :func:`unpacked` does."""
    inside = state.values.get(key)
    if not isinstance(inside, dict):
        raise damaged()
    return unpacked(schema, State(inside, under(key, state), state.kinds), schemas)


def damaged() -> ModelFileError:
    return ModelFileError("The saved ensemble is damaged: its members do not fit together.", remedy="Save it again.")


MOST_RECORDS: Final = 40
MOST_MEMBERS: Final = 200
_RECORDS_STATE: Final = ArrayState(DAMAGED, {
    "counted": weights("members", "records"),
    "votes": weights("members", "records", "classes"),
    "truth": indices("classes", "records"),
})  # fmt: skip


def can_be_seen(data: Dataset, members: int) -> bool:
    """Whether records and members are few enough to keep vote rounds."""
    return 0 < len(data) <= MOST_RECORDS and 0 < members <= MOST_MEMBERS


def rounds_of(data: Dataset, counted: Sequence[FloatArray], votes: Iterable[FloatArray]) -> VoteRounds:
    """Vote rounds from the training counts (n,) and votes (n, k) of each member."""
    learned_from = np.stack(counted).astype(np.float64)
    return VoteRounds(learned_from, np.stack(list(votes)), data.class_codes.astype(np.int32), _names(data))


def _names(data: Dataset) -> tuple[str, ...]:
    """Names of records: the value of the only predictor if numeric, else the record number."""
    numbers = [index for index in data.schema.predictors if data.schema.attributes[index].kind is AttributeKind.NUMERIC]
    if len(data.schema.predictors) == 1 and numbers:
        return tuple(f"{value:g}" for value in data.column(numbers[0]).tolist())
    return tuple(str(number + 1) if number >= 0 else "made up" for number in data.row_ids.tolist())


def rounds_state(rounds: VoteRounds | None) -> State:
    if rounds is None:
        return State({}, {})
    arrays: dict[str, Any] = {name: getattr(rounds, name) for name in ("counted", "votes", "truth")}
    return State({"names": list(rounds.names)}, arrays)


def rounds_from(state: State, members: int, classes: int) -> VoteRounds | None:
    """Vote rounds from a saved state, None if not kept; raises :class:`ModelFileError` if damaged."""
    names = state.values.get("names")
    if names is None:
        return None
    if not isinstance(names, list) or not 0 < len(names) <= MOST_RECORDS:
        raise damaged()
    read = _RECORDS_STATE.read(state.arrays, members=members, classes=classes, records=len(names))
    return VoteRounds(read["counted"], read["votes"], read["truth"], tuple(str(name) for name in names))


R = TypeVar("R")


def joined_trees(members: Sequence[Model]) -> JoinedTrees | None:
    """The trees of the members side by side; None if some are no such trees, or all are too large together."""
    models = [member for member in members if isinstance(member, TreeModel)]
    if len(models) < len(members) or sum(model.n_nodes for model in models) > MOST_JOINED:
        return None
    trees = [model.tree for model in models]
    return JoinedTrees(trees) if all(map(JoinedTrees.fits, trees)) else None


def in_blocks(data: Dataset, context: RunContext, predict: Callable[[Dataset], R], size: int = 1 << 15) -> list[R]:
    """Results of ``predict`` on blocks of at most ``size`` records, on the threads of the context."""
    starts = list(range(0, len(data), size)) or [0]
    rows = np.arange(len(data))
    return context.map(
        lambda start: predict(data if len(starts) == 1 else data.take(rows[start : start + size])), starts
    )


_STATE: Final = ArrayState(DAMAGED, {"weights": weights("members"), "class_weights": weights("classes")})
_COMMITTEE: Final = ArrayState(DAMAGED, {
    "training_error": anything("training"),
    "out_of_bag_error": anything("tested"),
    "out_of_bag_share": replace(anything("shares"), optional=True),
    "impurity_importance": anything("impurity"),
    "permutation_importance": anything("permuted"),
    "member_errors": anything("judged"),
    "training_bound": replace(anything("bounds"), optional=True),
    "numbers": anything(len(Committee.NUMBERS)),
})  # fmt: skip


class CommitteeModel(WatchedModel):
    """m members with vote weights (m,), for probabilities if ``averaged``; ties go to the class heavier in training."""

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
        rounds: VoteRounds | None = None,
        partial: bool = False,
    ) -> None:
        super().__init__(schema, partial=partial)
        self.members = tuple(kept_small(member) for member in members)
        self.weights, self.averaged, self.class_weights = weights, averaged, class_weights
        self.known, self.rounds = known or Committee(), rounds
        self.names = tuple(names) or tuple(f"Member {i + 1}" for i in range(len(self.members)))

    def _judged(self, data: Dataset, context: RunContext) -> Predictions:
        shares = np.concatenate(in_blocks(data, context, lambda part: self._shares(self._sums(part, context))))
        return Predictions(heaviest(shares, places(self.class_weights)), shares)

    @cached_property
    def _joined(self) -> JoinedTrees | None:
        return joined_trees(self.members)

    def _sums(self, data: Dataset, context: RunContext) -> FloatArray:
        """Weighted vote sums (n, k) of all members, added in order."""
        sums = np.zeros((len(data), len(self.classes)))
        if len(data) == 1 and self._joined is not None:
            return self._sums_by_leaves(data, self._joined, self._joined.leaves(data))
        kept = ValueBlocks(data)
        for member, weight in zip(self.members, self.weights.tolist(), strict=True):
            context.checkpoint()
            if isinstance(member, TreeModel):
                sums += weight * member.votes(seen_by(member, data), kept, averaged=self.averaged)
            else:
                sums += weight * votes_of(member, data, averaged=self.averaged, context=context)
        return sums

    def _sums_by_leaves(self, one: Dataset, joined: JoinedTrees, leaves: IntArray) -> FloatArray:
        """Weighted vote sums (1, k) of trees in which one record ends in these nodes (m,)."""
        votes = joined.probabilities[leaves] if self.averaged else np.eye(len(self.classes))[joined.decision[leaves]]
        for number in np.flatnonzero(leaves < 0).tolist():
            votes[number] = votes_of(self.members[number], one, averaged=self.averaged)[0]
        return np.add.accumulate(self.weights[:, None] * votes)[-1:]

    def _shares(self, sums: FloatArray) -> Probabilities:
        """Normalised sums; the class shares in training where all sums are zero."""
        return normalised(sums, class_shares(self.class_weights))

    def structure(self) -> Members:
        return self._structure

    @cached_property
    def _structure(self) -> Members:
        parts = LazyStructures(self.members)
        return Members(self.schema, parts, self.names, self.weights, self.averaged, self.known, rounds=self.rounds)

    def tree_sum(self) -> TreeSum | None:
        models = [member for member in self.members if isinstance(member, TreeModel)]
        whole = float(self.weights.sum())
        if len(models) < len(self.members) or not whole > 0:
            return None
        eye = np.eye(len(self.classes))
        outputs = [
            weight / whole * (model.probabilities if self.averaged else eye[model.tree.decision])
            for model, weight in zip(models, self.weights.tolist(), strict=True)
        ]
        trees = [model.tree for model in models]
        start = np.zeros(len(self.classes))
        return TreeSum(trees, outputs, [0] * len(trees), start, whole_only=not self.averaged)

    def facts(self) -> dict[str, int | float]:
        facts: dict[str, int | float] = {"members": len(self.members)}
        member_facts = [member.facts() for member in self.members]
        for name in member_facts[0]:
            values = [figures[name] for figures in member_facts if name in figures]
            if len(values) == len(member_facts) and all(isinstance(value, int) for value in values):
                facts[name] = max(values) if name == "depth" else sum(values)
        if np.isfinite(self.known.strength) and np.isfinite(self.known.correlation):
            facts |= {"strength": self.known.strength, "correlation": self.known.correlation}
        return facts

    def remark(self) -> str:
        if not self.known.is_tested:
            return ""
        accuracy = percent(1 - self.known.out_of_bag)
        return f"the out-of-bag accuracy is {accuracy}; only members not trained on a record predict it"

    def explain(self, data: Dataset, row: int) -> Explanation:
        one = aligned(self.schema, data).take([row])
        if self._joined is None:
            judged = [member.judged(seen_by(member, one), RunContext()) for member in self.members]
            decisions = np.array([int(each.decisions[0]) for each in judged])
            eye, sums = np.eye(len(self.classes)), np.zeros((1, len(self.classes)))
            for each, weight in zip(judged, self.weights.tolist(), strict=True):
                sums += weight * (each.probabilities if self.averaged else eye[each.decisions])
        else:
            leaves = self._joined.leaves(one)
            sums = self._sums_by_leaves(one, self._joined, leaves)
            decisions = self._decisions(one, self._joined, leaves)
        shares = self._shares(sums)
        decision = int(heaviest(shares, places(self.class_weights))[0])
        return Explanation(decision, tuple(shares[0].tolist()), tuple(self._steps(decisions)))

    def _steps(self, decisions: IntArray) -> Iterator[str]:
        """Sentences on how many members decided (m,) for each class."""
        whole, total = max(float(self.weights.sum()), 1e-300), len(decisions)
        heard = [(float(self.weights[decisions == code].sum()), code) for code in np.unique(decisions).tolist()]
        votes = "votes" if np.all(self.weights == self.weights[0]) else "votes, weighted by the accuracy of each member"
        for weight, code in sorted(heard, key=lambda pair: (-pair[0], pair[1])):
            n = int(np.count_nonzero(decisions == code))
            who = f"{n} of {total} {'member' if total == 1 else 'members'} {'predicts' if n == 1 else 'predict'}"
            yield f"{who} {self.classes[code]} ({percent(weight / whole)} of the {votes})"
        if self.averaged:
            yield "Their average probabilities decide"

    def _decisions(self, one: Dataset, joined: JoinedTrees, leaves: IntArray) -> IntArray:
        """The class (m,) that each tree decides for one record, which ends in these nodes (m,)."""
        decisions = joined.decision[leaves].astype(np.int64)
        for number in np.flatnonzero(leaves < 0).tolist():
            member = self.members[number]
            decisions[number] = member.predict(seen_by(member, one))[0]
        return decisions

    def to_state(self) -> State:
        inside = packed(self.members)
        seen = rounds_state(self.rounds)
        values = {
            "members": dict(inside.values),
            "names": list(self.names),
            "averaged": self.averaged,
            "partial": self.partial,
            "rounds": dict(seen.values),
        }
        arrays = {"weights": self.weights, "class_weights": self.class_weights, **committee_arrays(self.known)}
        return State(values, prefixed("members", inside) | prefixed("rounds", seen) | arrays)

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        values, arrays = state.values, state.arrays
        members, names, seen = saved_members(schema, state), values.get("names"), values.get("rounds", {})
        if not isinstance(names, list) or not isinstance(seen, dict):
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
            rounds=rounds_from(State(seen, under("rounds", state)), len(members), len(schema.classes)),
            names=[str(name) for name in names],
            partial=values.get("partial") is True,
        )


def committee_arrays(committee: Committee) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {name: getattr(committee, name) for name in Committee.ARRAYS}
    return arrays | {"numbers": np.array([getattr(committee, name) for name in Committee.NUMBERS], dtype=np.float64)}


def committee_of(schema: Schema, arrays: Mapping[str, NDArray[Any]]) -> Committee:
    """Statistics from saved arrays; raises :class:`ModelFileError` if they do not fit the schema."""
    read: dict[str, Any] = _COMMITTEE.read(arrays)
    numbers = read.pop("numbers")
    if any(len(array) not in (0, len(schema)) for name, array in read.items() if name.endswith("importance")):
        raise damaged()
    return Committee(**read, **dict(zip(Committee.NUMBERS, numbers.tolist(), strict=True)))


class LazyStructures(Sequence[ModelStructure]):
    """Structures of models, built on access, so that large trees are expanded only while shown."""

    def __init__(self, members: Sequence[Model]) -> None:
        self._members = members

    def __len__(self) -> int:
        return len(self._members)

    @property
    def all_trees(self) -> bool:
        """Whether all members are trees, without expanding any."""
        return len(self._members) > 0 and all(isinstance(member, TreeModel) for member in self._members)

    @overload
    def __getitem__(self, key: int) -> ModelStructure: ...

    @overload
    def __getitem__(self, key: slice) -> Sequence[ModelStructure]: ...

    def __getitem__(self, key: int | slice) -> ModelStructure | Sequence[ModelStructure]:
        return LazyStructures(self._members[key]) if isinstance(key, slice) else self._members[key].structure()


def kept_small(member: Model) -> Model:
    return member.compact() if isinstance(member, TreeModel) else member


def seen_by(member: Model, data: Dataset) -> Dataset:
    """Data under the schema of a member that may use fewer attributes."""
    return data if member.schema == data.schema else data.with_schema(member.schema)


def votes_of(member: Model, data: Dataset, *, averaged: bool, context: RunContext | None = None) -> FloatArray:
    """Votes (n, k) of a member: its probabilities if ``averaged``, else 1 for its class; ``context`` may stop it."""
    seen = seen_by(member, data)
    if context is None or type(member).judged is Model.judged:
        return member.predict_proba(seen) if averaged else np.eye(len(member.classes))[member.predict(seen)]
    judged = member.judged(seen, context)
    return judged.probabilities if averaged else np.eye(len(member.classes))[judged.decisions]
