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
from algorithms.learners.probability_scaling import coupled
from algorithms.learners.trees.c45 import C45
from algorithms.structures.members import CodedMembers, Committee

_BLOCK: Final = 1 << 13
"""Records predicted at once."""

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
        return Predictions(
            np.concatenate([codes for _, codes in parts]), np.concatenate([shares for shares, _ in parts])
        )

    def _decoded(self, data: Dataset, context: RunContext | None = None) -> tuple[Probabilities, Codes]:
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

    def read(self, data: Dataset, context: RunContext | None = None) -> FloatArray:
        """Input of the decoding (n, m): the probability of each member's side 1, or its decision as 1 or 0."""
        return self._sides(data, context, decided=self.by in _DECIDES)

    def _sides(self, data: Dataset, context: RunContext | None, *, decided: bool) -> FloatArray:
        sides = np.empty((len(data), len(self.members)))
        class_index = self.schema.class_index
        assert class_index is not None
        if self.members:
            unknown = np.full(len(data), -1)
            data = data.with_column(class_index, self.members[0].schema.class_attribute, unknown)
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
            counts = codes.votes(sides, self.code)
            return np.asarray(counts / counts.sum(axis=1, keepdims=True))
        if self.by in (COUPLED, ROUNDS):
            return self._coupled(sides)
        is_hamming = self.by == HAMMING
        distances = codes.hamming_distances(sides, self.code) if is_hamming else codes.losses(sides, self.code, self.by)
        return codes.shares_of_distances(distances, weights if total > 0 else np.ones(k))

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
        return f"it finds it hardest to tell {one} from {other}: right {100 * self.accuracy[worst]:.1f} in 100 on {on}"

    def explain(self, data: Dataset, row: int) -> Explanation:
        one = aligned(self.schema, data).take([row])
        shares, decisions = self._decoded(one)
        decision = int(decisions[0])
        return Explanation(decision, tuple(shares[0].tolist()), tuple(self._steps(self.read(one)[0], decision)))

    def _steps(self, sides: FloatArray, decision: int) -> Iterator[str]:
        """Sentences about each member's answer and the bits that differ from the predicted class's word."""
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

    def to_state(self) -> State:
        inside = packed(self.members) if self.members else State({}, {})
        values: dict[str, Any] = {
            "members": dict(inside.values),
            "by": self.by,
            "tested": self.tested,
            "partial": self.partial,
        }
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
        return cls(
            schema,
            members,
            by=str(by),
            tested=values.get("tested") is True,
            partial=values.get("partial") is True,
            **read,
        )


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
    """Wording of the classes on one side."""
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
    kernels: ClassVar[tuple[str, ...]] = C45.kernels

    base: Learner = learner_parameter(
        C45(), label="Members are", help="The learner that tells two sides apart; one for two classes will do."
    )
    test_members: bool = boolean(
        False,
        label="Test each member",
        help="How often each member is right is found on folds of the training records that it did not learn from; "
        "takes six times as long. Otherwise it is found on its own training records, which flatters it.",
        advanced=True,
    )

    def check(self, summary: Summary) -> list[Problem]:
        return self.base.check(_of_two_sides(summary))

    def summary(self) -> str:
        more = [f"{self.parameter(k).label.lower()} {v}" for k, v in self.changed().items() if k != "base"]
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

    def make(column: int, part: RunContext) -> tuple[int, Model, float, float]:
        return column, *_member(learner, data, code, column, part)

    n = code.shape[1]
    if n > MANY:
        context.say(f"{int(there.sum()):,} classes: {n:,} models")
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
) -> tuple[Model, float, float]:
    """Member of a column, the weight of its records, and its accuracy."""
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
    return model, float(weights.sum()), accuracy


@dataclass(frozen=True, kw_only=True)
class OneVsRest(BinaryReduction):
    """One-vs-rest: predicts the class of the surest member; probabilities are normalised."""

    id: ClassVar[str] = "one-vs-rest"
    name: ClassVar[str] = "One against the rest"
    sentence: ClassVar[str] = (
        "Makes a model for each class that tells it from all others, and takes the class whose model is surest: so a "
        "learner for two classes takes many."
    )
    source: ClassVar[str] = "TSKK section 5.8; Rifkin and Klautau, In defense of one-vs-all classification (2004)"

    def _fit(self, data: Dataset, context: RunContext) -> CodedModel:
        return train_coded_model(self, data, one_vs_rest(len(data.schema.classes)), REST, context)


@dataclass(frozen=True, kw_only=True)
class OneVsOne(BinaryReduction):
    """One-vs-one: k (k - 1) / 2 pairwise members that vote, or whose probabilities are coupled."""

    id: ClassVar[str] = "one-vs-one"
    name: ClassVar[str] = "One against one"
    sentence: ClassVar[str] = (
        "Makes a model for each pair of classes from their records alone, and brings together what all pairs say: "
        "many small questions in place of one large one."
    )
    source: ClassVar[str] = "TSKK section 5.8; Hastie and Tibshirani (1998); Wu, Lin and Weng (2004)"

    combine: str = choice(
        COUPLED,
        Option(COUPLED, "coupled probabilities", "Those that agree best with all pairs at once (Wu, Lin and Weng)."),
        Option(ROUNDS, "coupled, by relative entropy", "Found round by round (Hastie and Tibshirani)."),
        Option(VOTES, "votes", "Each pair votes for one of its two; probabilities are the shares of the votes."),
        label="Pairs give",
        help="How the pairs come to one answer.",
    )

    def check(self, summary: Summary) -> list[Problem]:
        remedy = "Choose one against the rest, or error-correcting codes."
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
    name: ClassVar[str] = "Error-correcting codes"
    sentence: ClassVar[str] = (
        "Gives every class a word of bits and makes a model for each bit; the class with the nearest word is taken, so "
        "that some models may be wrong and the answer is right all the same."
    )
    source: ClassVar[str] = "Dietterich and Bakiri (1995); Allwein, Schapire and Singer (2000); TSKK section 5.8"

    code: str = choice(
        "automatic",
        Option("automatic", "by the number of classes", f"Exhaustive up to {FEW} classes, BCH words for more."),
        Option("exhaustive", "exhaustive", "Every way of dividing the classes in two, for up to 11 classes."),
        Option("bch", "BCH words", "Words of a BCH code, of which the closest two differ in many bits."),
        Option("random", "random", "The best of many codes drawn by chance."),
        Option("sparse", "random, with gaps", "As random, but a bit leaves out a class half of the time."),
        label="Code words",
        help="Where the word of each class comes from, unless you type them.",
    )
    length: int = integer(
        15,
        lo=1,
        hi=255,
        label="Bits",
        help="How many bits a word has, more for BCH words and where so many do not tell all classes apart; what "
        "repeats another bit is left out.",
        unit="bits",
        enabled_if=when("code", "bch", "random", "sparse", "automatic"),
    )
    given: str = text(
        "",
        label="Own words",
        help="Class = word, with semicolons between: yes = 0110; no = 1001. A dot leaves the class out of a bit. "
        "Left empty, the words are made as said above.",
        advanced=True,
    )
    decode: str = choice(
        "logistic",
        Option("logistic", "log loss", "Bits count by how sure the members are, as probabilities do."),
        Option("exponential", "exponential loss", "As log loss, but a bit that is surely wrong counts more."),
        Option("absolute", "distance of probabilities", "How far the members' probabilities are from the word."),
        Option(HAMMING, "bits that differ", "Only what the members decide counts (Hamming distance)."),
        label="Nearest by",
        help="What it means that a word is near to what the members say.",
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

    def code_for(
        self,
        classes: tuple[str, ...],
        random: np.random.Generator,
        checkpoint: Callable[[], None] = lambda: None,
    ) -> Code:
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
