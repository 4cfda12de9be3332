"""Error-correcting output codes: each class has a word of bits, each bit a member; the nearest word wins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.enabling import when
from algorithms.core.errors import DataError
from algorithms.core.learner import Problem
from algorithms.core.params import Option, choice, integer, text
from algorithms.core.summary import Summary
from algorithms.multiclass.codes import FEW, Code, bch, exhaustive, given_code, one_vs_one, random_code
from algorithms.multiclass.learning import ByCode, coded_model
from algorithms.multiclass.model import HAMMING, CodedModel
from algorithms.trees.c45 import C45


@dataclass(frozen=True, kw_only=True)
class ErrorCorrectingCodes(ByCode):
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
