"""The parameters that tree learners share, declared once: each learner gives its own default."""

from __future__ import annotations

from typing import Any, Final

from algorithms.core.params import Option, boolean, choice, integer, real, when

CRITERIA: Final = (
    Option("gain-ratio", "gain ratio", "How much a question tells about the class, for the answers it takes."),
    Option("information-gain", "information gain", "How much a question tells about the class, in bits."),
    Option("gini", "Gini index", "How much less mixed the classes are after a question."),
    Option("error", "classification error", "How many fewer records a question leaves wrong."),
)

ERROR_BASED: Final = Option(
    "error-based",
    "by estimated errors",
    "Cuts what would not pay on new records, guessed cautiously from the training.",
)
PESSIMISTIC: Final = Option("pessimistic", "by a price for leaves", "Cuts what does not earn the price of its leaves.")
COST_COMPLEXITY: Final = Option(
    "cost-complexity",
    "by cost and complexity",
    "Cuts back to the smallest tree that does about as well as the best when tested inside the training records.",
)
UNPRUNED: Final = Option("none", "none", "Leaves the tree as it grew: it fits the training records as well as it can.")


TWOING: Final = Option("twoing", "twoing", "How far apart a question sets the classes, gathered in two kinds.")


def criterion(default: str, *more: Option) -> Any:
    return choice(
        default,
        *CRITERIA,
        *more,
        label="Questions are chosen by",
        help="What makes one question better than another while the tree grows.",
    )


def pruning(default: str, *options: Option) -> Any:
    return choice(
        default,
        *options,
        label="Pruning",
        help="How the tree is cut back after it has grown, so that it does not learn the training records by heart.",
    )


def confidence(default: float) -> Any:
    return real(
        default,
        lo=0.0001,
        hi=0.5,
        label="Pruning confidence",
        help="The smaller, the more of the tree is cut away.",
        enabled_if=when("pruning", "error-based"),
    )


def raising(default: bool) -> Any:
    return boolean(
        default,
        label="Raise subtrees",
        help="Pruning may also put a branch in the place of the question above it.",
        enabled_if=when("pruning", "error-based"),
        advanced=True,
    )


def bound(default: str) -> Any:
    return choice(
        default,
        Option("exact", "exact", "The exact one-sided limit of the binomial distribution, as in C4.5."),
        Option("normal", "normal approximation", "The upper end of a two-sided interval: a little more cautious."),
        label="Estimate of errors",
        help="How the errors on new records are guessed from those on the training records.",
        enabled_if=when("pruning", "error-based"),
        advanced=True,
    )


def penalty(default: float) -> Any:
    return real(
        default,
        lo=0.0,
        label="Price of a leaf",
        help="How many fewer training records have to be wrong for one more leaf to be worth it.",
        unit="records",
        enabled_if=when("pruning", "pessimistic"),
        advanced=True,
    )


def min_leaf(default: int) -> Any:
    return integer(
        default,
        lo=1,
        label="Smallest branch",
        help="A question is asked only if at least two of its branches receive this many records.",
        unit="records",
    )


def max_depth() -> Any:
    return integer(
        None, lo=1, optional=True, label="Most questions in a row", help="How deep the tree may grow.", unit="questions"
    )


def max_leaves() -> Any:
    return integer(
        None,
        lo=2,
        optional=True,
        label="Most leaves",
        help="How many leaves the tree may grow; those come first that gain most.",
        unit="leaves",
        advanced=True,
    )


def min_gain() -> Any:
    return real(
        0.0,
        lo=0.0,
        label="Least gain",
        help="A question that gains less than this is not asked.",
        advanced=True,
    )


def nominal_splits(default: str) -> Any:
    return choice(
        default,
        Option("multiway", "one for each value"),
        Option("binary", "two groups of values"),
        label="Branches of a list of values",
        help="Whether a question about a list of values has a branch for each of them, or two for groups of them.",
        advanced=True,
    )


def thresholds(default: str) -> Any:
    return choice(
        default,
        Option("midpoint", "half way between two values"),
        Option("data-value", "a value that occurs"),
        label="Thresholds of numbers",
        help="Where between two neighbouring numbers the line is drawn.",
        advanced=True,
    )


def split_without_gain(default: bool) -> Any:
    return boolean(
        default,
        label="Ask on without gain",
        help="Goes on asking where no single question gains anything, because two together may.",
        advanced=True,
    )
