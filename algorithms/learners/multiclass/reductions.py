"""Multiclass reductions: one-vs-rest, one-vs-one, error-correcting output codes, and their model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final, Self

import numpy as np

from algorithms.core.array_state import ArrayState, weights, words
from algorithms.core.errors import DataError
from algorithms.core.learner import (
    Codes,
    Explanation,
    Learner,
    Model,
    Predictions,
    Probabilities,
    Problem,
    State,
    WatchedModel,
    WrappingLearner,
    monotone_problems,
    too_many_pairs,
)
from algorithms.core.parameters import Option, boolean, choice, integer, learner_parameter, text, when
from algorithms.core.run_control import RunContext
from algorithms.core.training import held_out
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, Schema
from algorithms.data.summary import Summary
from algorithms.learners.ensembles.member_training import NEAR, heaviest, places, side_by_side, weighty
from algorithms.learners.ensembles.model import DAMAGED, damaged, in_blocks, packed, prefixed, saved_members, votes_of
from algorithms.learners.multiclass import codes
from algorithms.learners.multiclass.codes import (
    FEW,
    Code,
    bch,
    exhaustive,
    given_code,
    one_vs_one,
    one_vs_rest,
    random_code,
)
from algorithms.learners.probability_scaling import class_shares, coupled
from algorithms.learners.trees.c45 import C45
from algorithms.structures.members import CodedMembers, Committee
from algorithms.text.numbers import percent
from algorithms.text.sentences import within_sentence

_BLOCK: Final = 1 << 13
"""Records predicted at once."""

REST, VOTES, COUPLED, ROUNDS, HAMMING = "rest", "votes", "coupled", "rounds", "hamming"
DECODINGS: Final = {
    REST: "Predicts the class whose member gives it the highest probability.",
    VOTES: "Each member votes for one class of its pair; the class with most votes is taken, of equal ones the surer.",
    COUPLED: "Probabilities are found that agree best with those of all pairs (Wu, Lin and Weng).",
    ROUNDS: "Probabilities are found whose pairs are nearest to those of the members (Hastie and Tibshirani).",
    HAMMING: "The class is taken whose code word differs in the fewest places from what the members decide.",
    "logistic": "Predicts the class with the best-fitting code word; confident members count most.",
    "exponential": "Predicts the class with the best-fitting code word; unsure members count little.",
    "absolute": "The class is taken whose code word is nearest to the probabilities of the members.",
}
_DECIDES: Final = (VOTES, HAMMING)
"""Decodings that use members' decisions instead of probabilities."""
_PAIRS: Final = (VOTES, COUPLED, ROUNDS)
"""Decodings of pairwise members."""
_MOST_NAMED: Final = 3
_STATE: Final = ArrayState(DAMAGED, {
    "code": words("classes", "members", known=(-1, 0, 1)),
    "class_weights": weights("classes"),
    "member_weights": weights("members"),
    "accuracy": weights("members"),
})  # fmt: skip


class CodedModel(WatchedModel):
    """Binary members with their ``code`` (k, m) and its decoding ``by``.

    ``class_weights`` (k,) are those of training; a class without weight is never predicted. ``member_weights`` (m,) is
    the record weight and ``accuracy`` (m,) the accuracy of each member, out of sample if ``tested``.
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

    def _judged(self, data: Dataset, context: RunContext) -> Predictions:
        parts = in_blocks(data, context, lambda part: self._decoded(part, context), _BLOCK)
        shares, decisions = (np.concatenate([part[side] for part in parts]) for side in (0, 1))
        return Predictions(decisions, shares)

    def _decoded(self, data: Dataset, context: RunContext) -> tuple[Probabilities, Codes]:
        """Probabilities (n, k) and decisions (n,)."""
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

    def read(self, data: Dataset, context: RunContext) -> FloatArray:
        """Input of the decoding (n, m): the probability of each member's side 1, or its decision as 1 or 0."""
        return self._sides(data, context, decided=self.by in _DECIDES)

    def _sides(self, data: Dataset, context: RunContext, *, decided: bool) -> FloatArray:
        sides = np.empty((len(data), len(self.members)))
        class_index = self.schema.class_index
        assert class_index is not None
        if self.members:
            unknown = np.full(len(data), -1)
            data = data.with_column(class_index, self.members[0].schema.class_attribute, unknown)
        for number, member in enumerate(self.members):
            context.checkpoint()
            seen = data.with_schema(member.schema)
            if decided:
                sides[:, number] = member.decided(seen, context)
            else:
                sides[:, number] = votes_of(member, seen, averaged=True, context=context)[:, 1]
        return sides

    def _shares(self, sides: FloatArray) -> Probabilities:
        if not self.members:
            return np.tile(class_shares(self.class_weights), (len(sides), 1))
        if self.by == REST:
            return codes.rest_shares(sides, self.code, class_shares(self.class_weights))
        if self.by == VOTES:
            counts = codes.votes(sides, self.code)
            return np.asarray(counts / counts.sum(axis=1, keepdims=True))
        if self.by in (COUPLED, ROUNDS):
            return self._coupled(sides)
        is_hamming = self.by == HAMMING
        distances = codes.hamming_distances(sides, self.code) if is_hamming else codes.losses(sides, self.code, self.by)
        return codes.shares_of_distances(distances, class_shares(self.class_weights))

    def _coupled(self, sides: FloatArray) -> Probabilities:
        there: FloatArray = (self.code != 0).any(axis=1).astype(np.float64)
        pairs = codes.pair_shares(sides, self.code, there)
        active = np.flatnonzero(there)
        if self.by == COUPLED:
            inner = coupled(pairs)
        else:
            weights = np.abs(self.code[active].astype(np.float64)) * np.sqrt(np.maximum(self.member_weights, 1e-12))
            pair_weights = weights @ weights.T
            mean = float(self.member_weights.mean()) or 1.0
            inner = codes.coupled_in_rounds(pairs, np.where(pair_weights > 0, pair_weights, mean))
        shares = np.zeros((len(sides), len(self.classes)))
        shares[:, active] = inner
        return shares

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
        return f"the lowest member accuracy is {percent(self.accuracy[worst])}, for {one} against {other}, on {on}"

    def explain(self, data: Dataset, row: int) -> Explanation:
        one, context = aligned(self.schema, data).take([row]), RunContext()
        shares, decisions = self._decoded(one, context)
        decision = int(decisions[0])
        steps = tuple(self._steps(self.read(one, context)[0], decision))
        return Explanation(decision, tuple(shares[0].tolist()), steps)

    def _steps(self, sides: FloatArray, decision: int) -> Iterator[str]:
        """Sentences about each member's answer and the bits that differ from the predicted class's word."""
        yield from (
            f"{member.classes[side >= 0.5]}, not {member.classes[side < 0.5]}"
            + ("" if self.by in _DECIDES else f" (probability {max(side, 1 - side):.3f})")
            for member, side in zip(self.members, sides.tolist(), strict=True)
        )
        if self.by in (REST, VOTES, COUPLED, ROUNDS) or not self.members:
            return
        read = sides >= 0.5
        answers = "".join("1" if bit else "0" for bit in read)
        yield f"these predictions in a row, 1 for the first side of a problem and 0 for the second: {answers}"
        word = "".join("·01"[side] for side in np.where(self.code[decision] == 0, 0, (self.code[decision] + 3) // 2))
        failed = np.flatnonzero(self._structure.failed_bits(read, decision)) + 1
        named = ", ".join(str(bit) for bit in failed[:20].tolist())
        differs = f"; answer {named} differs" if len(failed) == 1 else f"; answers {named} differ" if named else ""
        yield f"those of {self.classes[decision]} would be {word}{differs}"

    def to_state(self) -> State:
        inside = packed(self.members) if self.members else State({}, {})
        values = {"members": dict(inside.values), "by": self.by, "tested": self.tested, "partial": self.partial}
        return State(values, prefixed("members", inside) | {name: getattr(self, name) for name in _STATE.specs})

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        values, by = state.values, state.values.get("by")
        if by not in DECODINGS or not schema.classes:
            raise damaged()
        read = _STATE.read(state.arrays, classes=len(schema.classes))
        code = read["code"]
        m = code.shape[1]
        sides = [(code == side).sum(axis=0) for side in (1, -1)]
        if any(np.any(side < 1) or (by in _PAIRS and np.any(side > 1)) for side in sides):
            raise damaged()
        schemas = [two_sided(schema, code, column) for column in range(m)]
        members = saved_members(schema, state, schemas=schemas) if m else ()
        tested, partial = values.get("tested") is True, values.get("partial") is True
        return cls(schema, members, by=str(by), tested=tested, partial=partial, **read)


def two_sided(schema: Schema, code: Code, column: int) -> Schema:
    """Schema of a member with two class values, side -1 first, named by the classes on each side."""
    one, other = _side(schema.classes, code[:, column] == 1), _side(schema.classes, code[:, column] == -1)
    alone = np.count_nonzero(code[:, column] == 1) == 1 and np.count_nonzero(code[:, column] == -1) > 1
    if alone:
        other = f"not {one}"
    if one == other:
        one, other = f"{one} (1)", f"{other} (0)"
    class_index = schema.class_index
    assert class_index is not None
    attribute: Attribute = replace(schema.class_attribute, values=(other, one))
    return schema.with_attribute(class_index, attribute)


def _side(classes: tuple[str, ...], on: Any) -> str:
    labels = [label for label, here in zip(classes, on.tolist(), strict=True) if here]
    more = len(labels) - _MOST_NAMED
    named = [*labels[:_MOST_NAMED], f"{more} more"] if more > 1 else labels
    return " + ".join(named)


MANY = 1000
"""From this number of members on, a message states it."""
_FOLDS = 5


@dataclass(frozen=True, kw_only=True)
class BinaryReduction(WrappingLearner):
    """Base of learners that reduce a multiclass problem to binary members."""

    family: ClassVar[str] = "Many classes"
    gives_parts_away: ClassVar[bool] = True
    kernels: ClassVar[tuple[str, ...]] = C45.kernels

    base: Learner = learner_parameter(C45(), label="Base learner", help="The learner that separates two classes.")
    test_members: bool = boolean(
        False,
        label="Estimate member accuracy",
        help="Estimates the accuracy of each member by cross-validation inside the training records, "
        "which takes six times as long. Otherwise it is the training accuracy, which is optimistic.",
        advanced=True,
    )

    def check(self, summary: Summary) -> list[Problem]:
        why = "the two sides of a member are not in the order of the classes"
        return self.base.check(_of_two_sides(summary)) or monotone_problems(self.base, why)

    def summary(self) -> str:
        more = [f"{within_sentence(self.parameter(k).label)} {v}" for k, v in self.changed().items() if k != "base"]
        return ", ".join([self.name, self.base.summary(), *more])


def _of_two_sides(summary: Summary) -> Summary:
    """Summary of a binary problem: the most frequent class against all others."""
    class_index = summary.schema.class_index
    if class_index is None or summary.class_counts is None or len(summary.schema.classes) <= 2:
        return summary
    most = float(summary.class_counts.max())
    attribute = replace(summary.schema.class_attribute, values=("one side", "other side"))
    attributes = list(summary.attributes)
    attributes[class_index] = attributes[class_index].under(attribute)
    return replace(
        summary,
        schema=summary.schema.with_attribute(class_index, attribute),
        attributes=tuple(attributes),
        class_counts=np.array([most, float(summary.class_counts.sum()) - most]),
    )


def train_coded_model(learner: BinaryReduction, data: Dataset, code: Code, by: str, context: RunContext) -> CodedModel:
    """Model with a member for each column of a code (k, L) that has records on both sides."""
    data = weighty(data)
    codes = data.class_codes.astype(np.int64)
    class_weights = np.bincount(codes, data.weights, minlength=len(code)).astype(np.float64)
    there = np.bincount(codes, minlength=len(code)) > 0
    code = np.where(there[:, None], code, 0).astype(np.int8)
    code = code[:, (code == 1).any(axis=0) & (code == -1).any(axis=0)]

    n = code.shape[1]
    if n > MANY:
        context.say(f"{int(there.sum()):,} classes: {n:,} models")

    def make(column: int, part: RunContext) -> tuple[int, Model, float, float]:
        return part.call(_member, learner, data, code, column)

    members = side_by_side(make, n, context) if n else []
    context.say("")
    return CodedModel(
        data.schema,
        [model for _, model, _, _ in members],
        code=np.ascontiguousarray(code[:, [column for column, *_ in members]]),
        by=by,
        class_weights=class_weights,
        member_weights=np.array([weight for _, _, weight, _ in members], dtype=np.float64),
        accuracy=np.array([accuracy for *_, accuracy in members], dtype=np.float64),
        tested=learner.test_members,
        partial=len(members) < n or context.finishing,
    )


def _member(
    learner: BinaryReduction, data: Dataset, code: Code, column: int, part: RunContext
) -> tuple[int, Model, float, float]:
    """Column and member, the weight of its records, and its accuracy."""
    sides = code[data.class_codes.astype(np.int64), column]
    own = data if sides.all() else data.take(sides != 0)
    class_index = data.schema.class_index
    assert class_index is not None
    attribute = two_sided(data.schema, code, column).class_attribute
    own = own.with_column(class_index, attribute, (sides[sides != 0] == 1).astype(np.int64))
    model = learner.base.fit(own, part.child(0.2 if learner.test_members else 1.0, 0))
    judged = held_out(learner.base, own, _FOLDS, part.child(0.8, 1)) if learner.test_members else None
    weights = own.weight_array
    accuracy = None if judged is None else judged.accuracy(own)
    if accuracy is None:
        right = model.decided(own, part) == own.class_codes
        accuracy = float(weights[right].sum() / weights.sum()) if weights.sum() > 0 else 1.0
    return column, model, float(weights.sum()), accuracy


@dataclass(frozen=True, kw_only=True)
class OneVsRest(BinaryReduction):
    """One-vs-rest: predicts the class of the surest member; probabilities are normalised."""

    id: ClassVar[str] = "one-vs-rest"
    name: ClassVar[str] = "One-vs-rest"
    sentence: ClassVar[str] = (
        "Trains a binary model for each class against all others and predicts the class with the highest probability."
    )
    source: ClassVar[str] = "TSKK section 5.8; Rifkin and Klautau, In defense of one-vs-all classification (2004)"

    def _fit(self, data: Dataset, context: RunContext) -> CodedModel:
        return train_coded_model(self, data, one_vs_rest(len(data.schema.classes)), REST, context)


@dataclass(frozen=True, kw_only=True)
class OneVsOne(BinaryReduction):
    """One-vs-one: k (k - 1) / 2 pairwise members that vote, or whose probabilities are coupled."""

    id: ClassVar[str] = "one-vs-one"
    name: ClassVar[str] = "One-vs-one"
    sentence: ClassVar[str] = "Trains a binary model for each pair of classes and combines their predictions."
    source: ClassVar[str] = "TSKK section 5.8; Hastie and Tibshirani (1998); Wu, Lin and Weng (2004)"

    combine: str = choice(
        COUPLED,
        Option(COUPLED, "Pairwise coupling", "Probabilities that agree best with all pairs (Wu, Lin and Weng)."),
        Option(ROUNDS, "Relative entropy", "Iterative coupling (Hastie and Tibshirani)."),
        Option(VOTES, "Voting", "Each pair votes for one class; probabilities are shares of the votes."),
        label="Coupling",
        help="How the predictions of all pairs are combined.",
    )

    def check(self, summary: Summary) -> list[Problem]:
        remedy = "Choose one-vs-rest or error-correcting output codes."
        return super().check(summary) or too_many_pairs(summary, "models", remedy)

    def _fit(self, data: Dataset, context: RunContext) -> CodedModel:
        there = np.flatnonzero(np.bincount(data.class_codes, minlength=len(data.schema.classes)))
        own = one_vs_one(len(there))
        code = np.zeros((len(data.schema.classes), own.shape[1]), dtype=np.int8)
        code[there] = own
        return train_coded_model(self, data, code, self.combine, context)


@dataclass(frozen=True, kw_only=True)
class ErrorCorrectingCodes(BinaryReduction):
    """Error-correcting output codes: minimum distance d corrects floor((d - 1) / 2) wrong members."""

    id: ClassVar[str] = "error-correcting-output-codes"
    name: ClassVar[str] = "Error-correcting output codes (ECOC)"
    sentence: ClassVar[str] = (
        "Assigns a binary code word to each class and trains a model for each bit. The nearest code word "
        "decides, so that some bits may be wrong."
    )
    source: ClassVar[str] = "Dietterich and Bakiri (1995); Allwein, Schapire and Singer (2000); TSKK section 5.8"

    code: str = choice(
        "automatic",
        Option("automatic", "Automatic", "Exhaustive up to 6 classes, BCH for more."),
        Option("exhaustive", "Exhaustive", "Every split of the classes in two, up to 11 classes."),
        Option("bch", "BCH", "Words of a BCH code with a large minimum distance."),
        Option("random", "Random", "The best of many random codes."),
        Option("sparse", "Sparse random", "As random, but each bit leaves out half of the classes."),
        label="Code",
        help="The kind of code, unless code words are given.",
    )
    length: int = integer(
        15,
        lo=1,
        hi=255,
        label="Code length",
        help="Number of bits of a code word; more for BCH codes and if so many do not separate all "
        "classes. Repeated bits are dropped.",
        unit="bits",
        enabled_if=when("code", "bch", "random", "sparse", "automatic"),
    )
    given: str = text(
        "",
        label="Code words",
        help="Class = word, separated by semicolons: yes = 0110; no = 1001. A dot leaves the class out of "
        "a bit. Empty: made by the code above.",
        advanced=True,
    )
    decode: str = choice(
        "logistic",
        Option("logistic", "Log loss", "Weights bits by the predicted probabilities."),
        Option("exponential", "Exponential loss", "As log loss, with a larger penalty for confident errors."),
        Option("absolute", "Absolute distance", "Distance of the predicted probabilities from the code word."),
        Option(HAMMING, "Hamming distance", "Number of bits that differ from the decisions of the members."),
        label="Decoding",
        help="The distance of a code word from the predictions of the members.",
    )

    def check(self, summary: Summary) -> list[Problem]:
        problems = super().check(summary)
        if problems:
            return problems
        classes = summary.schema.classes
        try:
            if self.given.strip():
                given_code(self.given, classes)
            elif self.code == "exhaustive":
                exhaustive(len(classes))
        except DataError as error:
            return [Problem(error.sentence, error.remedy)]
        return []

    def code_for(self, classes: tuple[str, ...], random: np.random.Generator, checkpoint: Callable[[], None]) -> Code:
        """Code (k, L) for these classes; raises :class:`DataError` if there is none."""
        k = len(classes)
        if self.given.strip():
            return given_code(self.given, classes)
        if k < 3:
            return one_vs_one(k)
        if self.code == "exhaustive" or (self.code == "automatic" and k <= FEW):
            return exhaustive(k)
        if self.code in ("bch", "automatic"):
            return bch(k, self.length, random, checkpoint)
        return random_code(k, self.length, random, sparse=self.code == "sparse", checkpoint=checkpoint)

    def _fit(self, data: Dataset, context: RunContext) -> CodedModel:
        schema = data.schema
        counts = data.class_weights
        there = np.flatnonzero(counts) if not self.given.strip() and counts.any() else np.arange(len(counts))
        labels = tuple(schema.classes[code] for code in there.tolist())
        whole = np.zeros((len(counts), 0), dtype=np.int8)
        if len(labels) > 1:
            context.say(f"Choosing code words of {len(labels):,} classes")
            own = self.code_for(labels, context.child(0.0, 1).random(), context.checkpoint)
            context.say("")
            whole = np.zeros((len(counts), own.shape[1]), dtype=np.int8)
            whole[there] = own
        return train_coded_model(self, data, whole, self.decode, context.child(1.0, 0))
