"""Multiclass reductions: one-vs-rest, one-vs-one, and error-correcting output codes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.errors import DataError
from algorithms.core.learner import Learner, Model, Problem, too_many_pairs
from algorithms.core.parameters import Option, boolean, choice, integer, text, when
from algorithms.core.parameters import learner as learner_parameter
from algorithms.core.training import held_out
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.learners.ensembles.member_training import side_by_side, weighty
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
from algorithms.learners.multiclass.model import COUPLED, HAMMING, REST, ROUNDS, VOTES, CodedModel, two_sided
from algorithms.learners.trees.c45 import C45

MANY = 1000
"""So many members take so long that their number is said."""
_FOLDS = 5


@dataclass(frozen=True, kw_only=True)
class BinaryReduction(Learner):
    """A learner that has another one tell classes apart two sides at a time."""

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

    @property
    def resamples(self) -> bool:
        return self.base.resamples

    def check(self, summary: Summary) -> list[Problem]:
        return self.base.check(_of_two_sides(summary))

    def summary(self) -> str:
        more = [f"{self.parameter(k).label.lower()} {v}" for k, v in self.changed().items() if k != "base"]
        return ", ".join([self.name, self.base.summary(), *more])


def _of_two_sides(summary: Summary) -> Summary:
    """What a member learns from, as a summary: the most frequent class on one side, all others on the other."""
    at = summary.schema.class_index
    if at is None or summary.class_counts is None or len(summary.schema.classes) <= 2:
        return summary
    most = float(summary.class_counts.max())
    attribute = replace(summary.schema.class_attribute, values=("one side", "other side"))
    attributes = list(summary.attributes)
    attributes[at] = attributes[at].under(attribute)
    return replace(
        summary,
        schema=summary.schema.with_attribute(at, attribute),
        attributes=tuple(attributes),
        class_counts=np.array([most, float(summary.class_counts.sum()) - most]),
    )


@dataclass(frozen=True)
class _Learned:
    """The member of a column, what its records weigh, and how often it is right."""

    column: int
    model: Model
    weight: float
    accuracy: float


def coded_model(learner: BinaryReduction, data: Dataset, code: Code, by: str, context: RunContext) -> CodedModel:
    """The members of a code (k, L) whose rows are the classes of the data; those without records take no part.

    Columns with records on one side only have no member.
    """
    data = weighty(data)
    codes = data.class_codes.astype(np.int64)
    class_weights = np.bincount(codes, data.weights, minlength=len(code)).astype(np.float64)
    there = np.bincount(codes, minlength=len(code)) > 0
    code = np.where(there[:, None], code, 0).astype(np.int8)
    code = code[:, (code == 1).any(axis=0) & (code == -1).any(axis=0)]

    def make(column: int, part: RunContext) -> _Learned:
        return _member(learner, data, code, column, part)

    n = code.shape[1]
    if n > MANY:
        context.say(f"{int(there.sum()):,} classes: {n:,} models")
    found = side_by_side(make, n, context, lambda *_: None) if n else []
    context.say("")
    return CodedModel(
        data.schema,
        [each.model for each in found],
        code=np.ascontiguousarray(code[:, [each.column for each in found]]),
        by=by,
        class_weights=class_weights,
        member_weights=np.array([each.weight for each in found], dtype=np.float64),
        accuracy=np.array([each.accuracy for each in found], dtype=np.float64),
        tested=learner.test_members,
        partial=len(found) < n or context.finishing,
    )


def _member(learner: BinaryReduction, data: Dataset, code: Code, column: int, part: RunContext) -> _Learned:
    sides = code[data.class_codes.astype(np.int64), column]
    own = data if sides.all() else data.take(sides != 0)
    at = data.schema.class_index
    assert at is not None
    attribute = two_sided(data.schema, code, column).class_attribute
    own = own.with_column(at, attribute, (sides[sides != 0] == 1).astype(np.int64))
    model = learner.base.fit(own, part.child(0.2 if learner.test_members else 1.0, 0))
    judged = held_out(learner.base, own, _FOLDS, part.child(0.8, 1)) if learner.test_members else None
    weights = own.weight_array
    accuracy = None if judged is None else judged.accuracy(own)
    if accuracy is None:
        right = model.decided(own, part) == own.class_codes
        accuracy = float(weights[right].sum() / weights.sum()) if weights.sum() > 0 else 1.0
    return _Learned(column, model, float(weights.sum()), accuracy)


@dataclass(frozen=True, kw_only=True)
class OneVsRest(BinaryReduction):
    """The class whose member is surest of it is taken; shares are how sure the members are, divided by their sum."""

    id: ClassVar[str] = "one-vs-rest"
    name: ClassVar[str] = "One against the rest"
    sentence: ClassVar[str] = (
        "Makes a model for each class that tells it from all others, and takes the class whose model is surest: so a "
        "learner for two classes takes many."
    )
    source: ClassVar[str] = "TSKK section 5.8; Rifkin and Klautau, In defense of one-vs-all classification (2004)"
    family: ClassVar[str] = "Many classes"
    kernels: ClassVar[tuple[str, ...]] = C45.kernels

    def _fit(self, data: Dataset, context: RunContext) -> CodedModel:
        return coded_model(self, data, one_vs_rest(len(data.schema.classes)), REST, context)


@dataclass(frozen=True, kw_only=True)
class OneVsOne(BinaryReduction):
    """A model for each of the k (k - 1) / 2 pairs of classes; they vote, or their probabilities are coupled."""

    id: ClassVar[str] = "one-vs-one"
    name: ClassVar[str] = "One against one"
    sentence: ClassVar[str] = (
        "Makes a model for each pair of classes from their records alone, and brings together what all pairs say: "
        "many small questions in place of one large one."
    )
    source: ClassVar[str] = "TSKK section 5.8; Hastie and Tibshirani (1998); Wu, Lin and Weng (2004)"
    family: ClassVar[str] = "Many classes"
    kernels: ClassVar[tuple[str, ...]] = C45.kernels

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
        return coded_model(self, data, code, self.combine, context)


@dataclass(frozen=True, kw_only=True)
class ErrorCorrectingCodes(BinaryReduction):
    """Words whose closest two differ in d bits survive (d - 1) / 2 members that are wrong (rounded down)."""

    id: ClassVar[str] = "error-correcting-output-codes"
    name: ClassVar[str] = "Error-correcting codes"
    sentence: ClassVar[str] = (
        "Gives every class a word of bits and makes a model for each bit; the class with the nearest word is taken, so "
        "that some models may be wrong and the answer is right all the same."
    )
    source: ClassVar[str] = "Dietterich and Bakiri (1995); Allwein, Schapire and Singer (2000); TSKK section 5.8"
    family: ClassVar[str] = "Many classes"
    kernels: ClassVar[tuple[str, ...]] = C45.kernels

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
        """The code (k, L) for these classes; raises :class:`DataError` where there is none."""
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
        counts = np.bincount(data.class_codes, data.weights, minlength=len(schema.classes))
        there = np.flatnonzero(counts) if not self.given.strip() and counts.any() else np.arange(len(counts))
        labels = tuple(schema.classes[code] for code in there.tolist())
        whole = np.zeros((len(counts), 0), dtype=np.int8)
        if len(labels) > 1:
            context.say(f"Choosing code words of {len(labels):,} classes")
            own = self.code_for(labels, context.child(0.0, 1).random(), context.checkpoint)
            context.say("")
            whole = np.zeros((len(counts), own.shape[1]), dtype=np.int8)
            whole[there] = own
        return coded_model(self, data, whole, self.decode, context.child(1.0, 0))
