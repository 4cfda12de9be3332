"""The model of members that tell sides of classes apart, and a code that makes one decision of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Final, Self

import numpy as np

from algorithms.core.array_state import ArrayState, weights, words
from algorithms.core.context import RunContext
from algorithms.core.learner import Codes, Explanation, Model, Predictions, Probabilities, State
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, Schema
from algorithms.learners.ensembles.member_training import NEAR, heaviest, places
from algorithms.learners.ensembles.model import DAMAGED, damaged, packed, unpacked, votes_of
from algorithms.learners.multiclass import codes
from algorithms.learners.multiclass.codes import Code
from algorithms.learners.probability_scaling import coupled
from algorithms.structures.members import CodedMembers, Committee

_BLOCK: Final = 1 << 13
"""Records judged in one go."""

REST, VOTES, COUPLED, ROUNDS, HAMMING = "rest", "votes", "coupled", "rounds", "hamming"
DECODINGS: Final = {
    REST: "The class whose member is surest of it is taken.",
    VOTES: "Each member votes for one class of its pair; the class with most votes is taken, of equal ones the surer.",
    COUPLED: "Probabilities are found that agree best with those of all pairs (Wu, Lin and Weng).",
    ROUNDS: "Probabilities are found whose pairs are nearest to those of the members (Hastie and Tibshirani).",
    HAMMING: "The class is taken whose code word differs in the fewest places from what the members decide.",
    "logistic": "The class is taken whose code word fits best what the members say; sure ones count most.",
    "exponential": "The class is taken whose code word fits best what the members say; doubtful ones count little.",
    "absolute": "The class is taken whose code word is nearest to the probabilities of the members.",
}
_DECIDES: Final = (VOTES, HAMMING)
"""Decodings that ask members for decisions, not for probabilities."""
_PAIRS: Final = (VOTES, COUPLED, ROUNDS)
"""Decodings whose members each tell two classes apart."""
_MOST_NAMED: Final = 3
_STATE: Final = ArrayState(DAMAGED, {
    "code": words("classes", "members", known=(-1, 0, 1)),
    "class_weights": weights("classes"),
    "member_weights": weights("members"),
    "accuracy": weights("members"),
})  # fmt: skip


class CodedModel(Model):
    """m models of two classes each, the ``code`` (k, m) of which classes were on which side, and how it is decoded.

    ``class_weights`` (k,) are those of training; a class without weight there is never decided for. ``member_weights``
    (m,) is what the records of each member weigh, ``accuracy`` (m,) how often it was right about its side.
    """

    id: ClassVar[str] = "coded"

    def __init__(
        self,
        schema: Schema,
        members: Sequence[Model],
        *,
        code: Code,
        by: str,
        class_weights: FloatArray,
        member_weights: FloatArray,
        accuracy: FloatArray,
        tested: bool,
        partial: bool = False,
    ) -> None:
        super().__init__(schema, partial=partial)
        self.members, self.code, self.by = tuple(members), code, by
        self.class_weights, self.member_weights = class_weights, member_weights
        self.accuracy, self.tested = accuracy, tested

    # ---- classifying -----------------------------------------------------------------------------------------------

    def _predict_proba(self, data: Dataset) -> Probabilities:
        return self._decoded(data)[0]

    def _predict(self, data: Dataset) -> Codes:
        return self._decoded(data)[1]

    def judged(self, data: Dataset, context: RunContext) -> Predictions:
        data = aligned(self.schema, data)
        starts = list(range(0, len(data), _BLOCK)) or [0]

        def block(start: int) -> tuple[Probabilities, Codes]:
            part = data if len(starts) == 1 else data.take(np.arange(start, min(start + _BLOCK, len(data))))
            return self._decoded(part, context)

        found = context.map(block, starts)
        return Predictions(
            np.concatenate([codes for _, codes in found]), np.concatenate([shares for shares, _ in found])
        )

    def _decoded(self, data: Dataset, context: RunContext | None = None) -> tuple[Probabilities, Codes]:
        """Shares (n, k) and decisions (n,)."""
        order = places(self.class_weights)
        shares, sides = np.empty((len(data), len(self.classes))), self.read(data, context)
        for start in range(0, len(data), _BLOCK):
            shares[start : start + _BLOCK] = self._shares(sides[start : start + _BLOCK])
        if self.by != VOTES:
            return shares, heaviest(shares, order)
        sure = codes.votes(self._sides(data, context, decided=False), self.code)
        most = shares.max(axis=1, keepdims=True)
        among = np.where(shares >= most * (1 - NEAR), sure + 1e-9 * order, -1.0)
        return shares, np.argmax(among, axis=1).astype(np.int32)

    def read(self, data: Dataset, context: RunContext | None = None) -> FloatArray:
        """What the decoding goes by (n, m): how sure each member is of its one side, or 1 and 0 as it decides."""
        return self._sides(data, context, decided=self.by in _DECIDES)

    def _sides(self, data: Dataset, context: RunContext | None, *, decided: bool) -> FloatArray:
        sides = np.empty((len(data), len(self.members)))
        at = self.schema.class_index
        assert at is not None
        if self.members:
            unknown = np.full(len(data), -1)
            data = data.with_column(at, self.members[0].schema.class_attribute, unknown)
        for number, member in enumerate(self.members):
            if context is not None:
                context.checkpoint()
            seen = data.with_schema(member.schema)
            if decided:
                sides[:, number] = member.predict(seen) if context is None else member.decided(seen, context)
            else:
                sides[:, number] = votes_of(member, seen, averaged=True, context=context)[:, 1]
        return sides

    def _shares(self, sides: FloatArray) -> Probabilities:
        weights, k = self.class_weights, len(self.classes)
        total = float(weights.sum())
        prior = weights / total if total > 0 else np.full(k, 1.0 / k)
        if not self.members:
            return np.tile(prior, (len(sides), 1))
        if self.by == REST:
            return codes.rest_shares(sides, self.code, prior)
        if self.by == VOTES:
            found = codes.votes(sides, self.code)
            return np.asarray(found / found.sum(axis=1, keepdims=True))
        if self.by in (COUPLED, ROUNDS):
            return self._coupled(sides)
        is_hamming = self.by == HAMMING
        distances = codes.hamming_distances(sides, self.code) if is_hamming else codes.losses(sides, self.code, self.by)
        return codes.shares_of_distances(distances, weights if total > 0 else np.ones(k))

    def _coupled(self, sides: FloatArray) -> Probabilities:
        there: FloatArray = (self.code != 0).any(axis=1).astype(np.float64)
        pairs = codes.pair_shares(sides, self.code, there)
        at = np.flatnonzero(there)
        if self.by == COUPLED:
            found = coupled(pairs)
        else:
            weights = np.abs(self.code[at].astype(np.float64)) * np.sqrt(np.maximum(self.member_weights, 1e-12))
            known = weights @ weights.T
            mean = float(self.member_weights.mean()) or 1.0
            found = codes.coupled_in_rounds(pairs, np.where(known > 0, known, mean))
        shares = np.zeros((len(sides), len(self.classes)))
        shares[:, at] = found
        return shares

    # ---- looking inside --------------------------------------------------------------------------------------------

    def structure(self) -> CodedMembers:
        return self._structure

    @cached_property
    def _structure(self) -> CodedMembers:
        return CodedMembers(
            self.schema,
            tuple(member.structure() for member in self.members),
            names=tuple(" or ".join(member.classes[::-1]) for member in self.members),
            weights=np.ones(len(self.members)),
            averaged=self.by not in _DECIDES,
            known=Committee(),
            code=self.code,
            accuracy=self.accuracy,
            tested=self.tested,
            decoding=DECODINGS[self.by],
        )

    def facts(self) -> dict[str, int | float]:
        return {"members": len(self.members)}

    def remark(self) -> str:
        if not self.members:
            return ""
        worst = int(np.argmin(self.accuracy))
        on = "records it did not learn from" if self.tested else "its own training records"
        one, other = self.members[worst].classes[::-1]
        return f"it finds it hardest to tell {one} from {other}: right {100 * self.accuracy[worst]:.1f} in 100 on {on}"

    def explain(self, data: Dataset, row: int) -> Explanation:
        one = aligned(self.schema, data).take([row])
        shares, decisions = self._decoded(one)
        decision = int(decisions[0])
        return Explanation(decision, tuple(shares[0].tolist()), tuple(self._steps(self.read(one)[0], decision)))

    def _steps(self, sides: FloatArray, decision: int) -> Iterator[str]:
        """What each member says, and which bits of the word of the class decided for it has otherwise."""
        yield from (
            f"{member.classes[side >= 0.5]}, not {member.classes[side < 0.5]}"
            + ("" if self.by in _DECIDES else f" ({max(side, 1 - side):.0%} sure)")
            for member, side in zip(self.members, sides.tolist(), strict=True)
        )
        if self.by in (REST, VOTES, COUPLED, ROUNDS) or not self.members:
            return
        read = sides >= 0.5
        answers = "".join("1" if bit else "0" for bit in read)
        yield f"these answers in a row, 1 for the first side of a question and 0 for the second: {answers}"
        word = "".join("·01"[side] for side in np.where(self.code[decision] == 0, 0, (self.code[decision] + 3) // 2))
        failed = np.flatnonzero(self._structure.failed_bits(read, decision)) + 1
        named = ", ".join(str(bit) for bit in failed[:20].tolist())
        differs = f"; answer {named} differs" if len(failed) == 1 else f"; answers {named} differ" if named else ""
        yield f"those of {self.classes[decision]} would be {word}{differs}"

    # ---- kept ------------------------------------------------------------------------------------------------------

    def to_state(self) -> State:
        inside = packed(self.members) if self.members else State({}, {})
        values: dict[str, Any] = {
            "members": dict(inside.values),
            "by": self.by,
            "tested": self.tested,
            "partial": self.partial,
        }
        arrays = {f"members/{name}": array for name, array in inside.arrays.items()}
        arrays |= {"code": self.code, "class_weights": self.class_weights}
        arrays |= {"member_weights": self.member_weights, "accuracy": self.accuracy}
        return State(values, arrays)

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        values, arrays = state.values, state.arrays
        inside, by = values.get("members"), values.get("by")
        if not isinstance(inside, dict) or by not in DECODINGS or not schema.classes:
            raise damaged()
        read = _STATE.read(arrays, classes=len(schema.classes))
        code = read["code"]
        m = code.shape[1]
        sides = [(code == side).sum(axis=0) for side in (1, -1)]
        if any(np.any(side < 1) or (by in _PAIRS and np.any(side > 1)) for side in sides):
            raise damaged()
        own = {name.removeprefix("members/"): a for name, a in arrays.items() if name.startswith("members/")}
        schemas = [two_sided(schema, code, column) for column in range(m)]
        members = unpacked(schema, State(inside, own, state.kinds), schemas) if m else ()
        return cls(
            schema,
            members,
            by=str(by),
            tested=values.get("tested") is True,
            partial=values.get("partial") is True,
            **read,
        )


def two_sided(schema: Schema, code: Code, column: int) -> Schema:
    """The schema of a member: a class of two values, the side of -1 first, named by the classes on them."""
    one, other = _side(schema.classes, code[:, column] == 1), _side(schema.classes, code[:, column] == -1)
    alone = np.count_nonzero(code[:, column] == 1) == 1 and np.count_nonzero(code[:, column] == -1) > 1
    if alone:
        other = f"not {one}"
    if one == other:
        one, other = f"{one} (1)", f"{other} (0)"
    at = schema.class_index
    assert at is not None
    attribute: Attribute = replace(schema.class_attribute, values=(other, one))
    return schema.with_attribute(at, attribute)


def _side(classes: tuple[str, ...], on: Any) -> str:
    """The classes on one side in words."""
    labels = [label for label, here in zip(classes, on.tolist(), strict=True) if here]
    more = len(labels) - _MOST_NAMED
    named = [*labels[:_MOST_NAMED], f"{more} more"] if more > 1 else labels
    return " + ".join(named)
