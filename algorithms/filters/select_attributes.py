"""Attribute selection: what all ways share, and the filter that keeps the most relevant."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.context import RunContext
from algorithms.core.errors import DataError
from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import Problem
from algorithms.core.parameters import Option, choice, columns, integer, real, when
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.data.summary import Summary
from algorithms.filters.arrange_attributes import AttributesRemoved
from algorithms.filters.attribute_worth import MEASURES, Correlated, class_counts, relief
from algorithms.filters.choice_checks import chosen, problems_of_choice

_NO_CLASS = "No class is chosen to judge by."
_CHOOSE = "Choose the column to predict."
SPLITS: Final = {"binary": "best binary split", "mdl": "minimum description length (MDL)"}
"""How numbers are cut before they are judged, in words."""
SMALLEST_SCORE: Final = 0.000001
"""A score nearer to 0 is written as such."""


def score_words(score: float) -> str:
    """A score with three digits that count, none of them behind the sixth decimal: "12.5", "0.0217", "0.000007".

    Closer to 0 than a half of that decimal it says so.
    """
    size = abs(score)
    if size >= 0.001 or score == 0:
        return f"{score:.3g}" if size < 1000 else f"{score:,.0f}"
    return f"{score:.6f}" if size >= SMALLEST_SCORE else f"< {SMALLEST_SCORE:.6f}"


@dataclass(frozen=True, eq=False)
class AttributeScores:
    """Attributes as training records speak of them: ``names``, ``scores`` (d,), the larger the better, NaN where there
    is none, and which to keep (d,). ``splits`` is how numbers were cut, one of :data:`SPLITS`, empty where none
    was."""

    names: tuple[str, ...]
    scores: FloatArray
    kept: NDArray[np.bool_]
    splits: str = ""

    def rows(self, measure: str) -> list[list[str]]:
        """As rows to look at, the heading first: what stays, then what goes, the best of each first."""
        order = np.lexsort((np.where(np.isnan(self.scores), np.inf, -self.scores), ~self.kept))
        told = [
            [
                self.names[at],
                "" if np.isnan(self.scores[at]) else score_words(float(self.scores[at])),
                "yes" if kept else "no",
            ]
            for at, kept in zip(order.tolist(), self.kept[order].tolist(), strict=True)
        ]
        return [["Column", measure, "Stays"], *told]


@dataclass(frozen=True, kw_only=True)
class AttributeSelection(Filter, ABC):
    """Keeps the attributes that training records speak for and takes the others away."""

    fitted: ClassVar[type[FittedFilter]] = AttributesRemoved

    @abstractmethod
    def judged(self, data: Dataset, context: RunContext) -> AttributeScores:
        """The attributes that are judged; raises :class:`DataError` without a class."""

    @property
    def measure_words(self) -> str:
        """What the scores are, as the heading of their column."""
        return "Worth"

    def fit(self, data: Dataset, context: RunContext) -> AttributesRemoved:
        """Find the columns that go; raises :class:`DataError` without a class."""
        found = self.judged(data, context)
        gone = tuple(name for name, kept in zip(found.names, found.kept, strict=True) if not kept)
        return AttributesRemoved(gone, partial(found.rows, self.measure_words))


def has_class(data: Dataset) -> bool:
    return data.schema.class_index is not None and data.schema.class_attribute.kind.is_coded


def require_class(data: Dataset) -> None:
    """Raise :class:`DataError` where there is no class of a list of values."""
    if not has_class(data):
        raise DataError(_NO_CLASS, remedy=_CHOOSE)


def problems_without_class(summary: Summary) -> list[Problem]:
    schema = summary.schema
    without = schema.class_index is None or not schema.class_attribute.kind.is_coded
    return [Problem(_NO_CLASS, _CHOOSE)] if without else []


_KINDS: Final = (AttributeKind.NUMERIC, AttributeKind.NOMINAL, AttributeKind.ORDINAL)
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

    def judged(self, data: Dataset, context: RunContext) -> AttributeScores:
        """What each column tells about the class, and which stay; raises :class:`DataError` without a class."""
        require_class(data)
        indices = chosen(data.schema, self.columns, _KINDS)
        names = tuple(data.schema.names[index] for index in indices)
        kept, splits = np.zeros(len(indices), dtype=np.bool_), self._splits(data, indices)
        if self.by == "cfs":
            correlated = Correlated(data, indices, context.checkpoint)
            kept[list(correlated.best())] = True
            return AttributeScores(names, np.array(correlated.with_class, dtype=np.float64), kept, splits)
        scores = self.scores(data, indices, context)
        if self.keep == "threshold":
            kept = scores > self.threshold
        else:
            kept[np.argsort(-scores, kind="stable")[: self.number]] = True
        return AttributeScores(names, scores, kept, splits)

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
