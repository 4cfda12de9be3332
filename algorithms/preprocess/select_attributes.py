"""Keeping the attributes that tell most about the class, as the training records say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.enabling import when
from algorithms.core.learner import Problem
from algorithms.core.params import Option, choice, columns, integer, real
from algorithms.core.schema import Kind
from algorithms.core.summary import Summary
from algorithms.preprocess.choosing import chosen, problems_of_choice
from algorithms.preprocess.selection import (
    SPLITS,
    AttributeSelection,
    JudgedAttributes,
    problems_without_class,
    require_class,
)
from algorithms.preprocess.worth import MEASURES, Correlated, class_counts, relief

_KINDS: Final = (Kind.NUMERIC, Kind.NOMINAL, Kind.ORDINAL)
_RANKED: Final = (*MEASURES, "relieff")
_GAINS: Final = ("information-gain", "gain-ratio", "gini", "symmetrical-uncertainty")


@dataclass(frozen=True, kw_only=True)
class SelectAttributes(AttributeSelection):
    """Keeps the attributes that tell most about the class and takes the others away.

    For all measures but ReliefF numbers are cut by the class: once, where the measure is best, as in a tree; or by
    minimum description length (Fayyad and Irani 1993), as CFS always has it. A measure looks at the records whose value
    is known. Gains are scaled down by the share of those (Quinlan 1993), so are ReliefF, which fills the others in by
    their class, and what CFS takes for going with the class; for one rule *missing* is a value (Holte 1993). Of equally
    good attributes the first stays. Columns that no learner looks at stay as they are.
    """

    id: ClassVar[str] = "select-attributes"
    name: ClassVar[str] = "Keep the best columns"
    sentence: ClassVar[str] = (
        "Keeps the columns that tell most about the one to predict. Which these are is found from the training records "
        "alone: chosen from all records, even pure noise would look good."
    )
    family: ClassVar[str] = "Columns"

    by: str = choice(
        "information-gain",
        Option("information-gain", "information gain", "How many bits the column tells about the class."),
        Option(
            "gain-ratio", "gain ratio", "The gain divided by what its own values take to say: long lists gain less."
        ),
        Option("gini", "Gini index", "How much purer the classes are among records of one value."),
        Option("chi-square", "chi-square", "How far the counts are from those of a column that tells nothing."),
        Option("symmetrical-uncertainty", "symmetrical uncertainty", "The gain, from 0 (nothing) to 1 (everything)."),
        Option("one-rule", "one rule", "How often the most frequent class of its value is right."),
        Option("relieff", "near records (ReliefF)", "Whether it differs between near records of different classes."),
        Option(
            "cfs", "subset (CFS)", "Columns that go with the class and not with one another; how many, it says itself."
        ),
        label="Judged by",
        help="What makes a column a good one.",
    )
    keep: str = choice(
        "number",
        Option("number", "the best", "So many columns stay."),
        Option("threshold", "all above", "Every column stays that is judged to be better than a number."),
        label="Keep",
        help="How many columns stay.",
        enabled_if=when("by", *_RANKED),
    )
    number: int = integer(
        10,
        lo=1,
        hi=100_000,
        label="How many",
        help="So many columns stay.",
        unit="columns",
        enabled_if=when("by", *_RANKED) & when("keep", "number"),
    )
    threshold: float = real(
        0.0,
        label="Better than",
        help="Columns judged worse or the same go. 0 takes away what tells nothing.",
        enabled_if=when("by", *_RANKED) & when("keep", "threshold"),
    )
    k: int = integer(
        10,
        lo=1,
        hi=1000,
        label="Near records",
        help="So many of each class are looked at.",
        enabled_if=when("by", "relieff"),
    )
    sampled: int = integer(
        1000,
        lo=10,
        hi=10_000,
        label="Records asked",
        help="So many training records, drawn by chance where there are more, are compared with those near them.",
        unit="records",
        enabled_if=when("by", "relieff"),
        advanced=True,
    )
    numeric_splits: str = choice(
        "binary",
        Option("binary", SPLITS["binary"], "Two ranges, parted where the measure is best, as in a decision tree."),
        Option(
            "mdl",
            SPLITS["mdl"],
            "As many ranges as pay for themselves (Fayyad, Irani); often none with few records: the score is then 0.",
        ),
        label="Numeric splits",
        help="Where numbers are cut before they are judged.",
        enabled_if=when("by", *MEASURES),
        advanced=True,
        earlier="mdl",
    )
    columns: tuple[str, ...] = columns(
        (), label="Columns", help="Only these are judged; all others stay.", without="all"
    )

    def check(self, summary: Summary) -> list[Problem]:
        only = "it is not learned from and not judged"
        problems = problems_of_choice(summary, self.columns, _KINDS, do="judge", done="judged", only=only)
        return problems + problems_without_class(summary)

    def judged(self, data: Dataset, context: RunContext) -> JudgedAttributes:
        """What each column tells about the class, and which stay; raises :class:`DataError` without a class."""
        require_class(data)
        indices = chosen(data.schema, self.columns, _KINDS)
        names = tuple(data.schema.names[index] for index in indices)
        kept, splits = np.zeros(len(indices), dtype=np.bool_), self._splits(data, indices)
        if self.by == "cfs":
            correlated = Correlated(data, indices, context.checkpoint)
            kept[list(correlated.best())] = True
            return JudgedAttributes(names, np.array(correlated.with_class, dtype=np.float64), kept, splits)
        scores = self.scores(data, indices, context)
        if self.keep == "threshold":
            kept = scores > self.threshold
        else:
            kept[np.argsort(-scores, kind="stable")[: self.number]] = True
        return JudgedAttributes(names, scores, kept, splits)

    @property
    def measure_words(self) -> str:
        words = next(option.label for option in self.parameter("by").options if option.word == self.by)
        return words[:1].upper() + words[1:]

    def _splits(self, data: Dataset, indices: list[int]) -> str:
        """How the numbers among these columns are cut, empty where none is."""
        if self.by == "relieff" or all(data.schema.attributes[index].kind.is_coded for index in indices):
            return ""
        return "mdl" if self.by == "cfs" else self.numeric_splits

    def scores(self, data: Dataset, indices: list[int], context: RunContext) -> FloatArray:
        """How good each of these columns is by the chosen measure (d,), the larger the better."""
        has_class = data.class_codes >= 0
        codes, weights = data.class_codes[has_class].astype(np.int64), data.weight_array[has_class]
        of_class = np.bincount(codes, weights, minlength=len(data.schema.classes))
        every = float(of_class.sum())
        if self.by == "relieff":
            known = [float(weights[~data.missing(index)[has_class]].sum()) for index in indices]
            found = relief(data, indices, self.k, self.sampled, context.random(), context.checkpoint)
            return np.asarray(found * known / max(every, 1e-300))

        def score(index: int) -> float:
            context.checkpoint()
            binary = self.by if self.numeric_splits == "binary" else None
            counts = class_counts(data, index, context.checkpoint, binary)
            known = float(counts.sum()) / every if every > 0 else 0.0
            if self.by == "one-rule":
                counts = np.vstack([counts, np.maximum(of_class - counts.sum(axis=0), 0.0)])
            return MEASURES[self.by](counts) * (known if self.by in _GAINS else 1.0)

        return np.array(context.map(score, indices), dtype=np.float64)
