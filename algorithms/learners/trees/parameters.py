"""The parameters that several tree learners declare, each with its own default."""

from __future__ import annotations

from typing import Any, Final

from algorithms.core.parameters import (
    AllOf,
    EnabledIf,
    Option,
    boolean,
    choice,
    cost_matrix,
    integer,
    real,
    reals,
    when,
)

CRITERIA: Final = (
    Option("gain-ratio", "gain ratio", "How much a question tells about the class, for the answers it takes."),
    Option("information-gain", "information gain", "How much a question tells about the class, in bits."),
    Option("gini", "Gini index", "How much less mixed the classes are after a question."),
    Option("error", "classification error", "How many fewer records a question leaves wrong."),
)

CHI_SQUARE: Final = Option(
    "chi-square",
    "chi-square",
    "How rarely chance alone would set the branches so far apart, however many lines or groups there were to choose.",
)

TWOING: Final = Option("twoing", "twoing", "How far apart a question sets the classes, gathered in two kinds.")


def criterion(default: str, *more: Option, note: str = "") -> Any:
    """``note`` is one more sentence of its help."""
    return choice(
        default,
        *CRITERIA,
        *more,
        label="Questions are chosen by",
        help=f"What makes one question better than another while the tree grows. {note}".rstrip(),
    )


BY_LOOPS: Final = when("criterion", "gain-ratio", "information-gain", "gini", "error", "twoing")
"""While this holds trees grow in compiled loops, which alone draw questions and try lines between ranges."""

TWO_BRANCHES: Final = when("numeric_splits", "binary")


def numeric_splits() -> Any:
    return choice(
        "binary",
        Option("binary", "two: a line"),
        Option(
            "entropy",
            "as many as the classes ask for",
            "Cuts where the classes change, as often as that pays (entropy and description length, Fayyad and Irani).",
        ),
        Option("equal-frequency", "ranges of equally many records"),
        Option("equal-width", "equally wide ranges"),
        label="Branches of a number",
        help="Whether a question about a number draws one line, or cuts the numbers of the records that come to it "
        "into several ranges, anew for every question.",
        advanced=True,
    )


def numeric_branches() -> Any:
    return integer(
        4,
        lo=2,
        hi=100,
        label="Ranges for branches",
        help="Into how many ranges a question cuts a number; fewer where it has fewer values.",
        unit="ranges",
        enabled_if=when("numeric_splits", "equal-frequency", "equal-width"),
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
        help="A question that gains less than this is not asked. By chi-square 2 asks for a chance of 1 in 100 at "
        "most, 3 for 1 in 1000.",
        advanced=True,
    )


GROUPED: Final = Option(
    "grouped",
    "groups of values",
    "Puts values together, two groups at a time, as long as the question gains more for the answers it takes.",
)


def nominal_splits(default: str, *more: Option) -> Any:
    return choice(
        default,
        Option("multiway", "one for each value"),
        Option("binary", "two groups of values"),
        *more,
        label="Branches of a list of values",
        help="Whether a question about a list of values has a branch for each of them, or for groups of them.",
        advanced=True,
    )


def ordinal_splits() -> Any:
    return choice(
        "ordered",
        Option("ordered", "two: a line that keeps the order"),
        Option("multiway", "one for each value"),
        label="Ordinal splits",
        help="Whether a question about ordered values draws one line through them or has a branch for each value.",
        advanced=True,
        earlier="ordered",
    )


def thresholds(default: str, enabled_if: EnabledIf | None = None) -> Any:
    return choice(
        default,
        Option("midpoint", "half way between two values"),
        Option("data-value", "a value that occurs"),
        label="Thresholds of numbers",
        help="Where between two neighbouring numbers the line is drawn.",
        enabled_if=enabled_if,
        advanced=True,
    )


def split_search(enabled_if: EnabledIf | AllOf = BY_LOOPS) -> Any:
    return choice(
        "exact",
        Option("exact", "every value", "Between any two values of a number there may be a line."),
        Option(
            "binned",
            "ranges of values",
            "Cuts every number into ranges of equally many records first and draws lines only between those. "
            "Missing values follow the larger branch.",
        ),
        label="Lines are tried between",
        help="Where the lines through numbers are looked for; between every value where chance draws questions.",
        enabled_if=enabled_if,
        advanced=True,
    )


def bins(enabled_if: EnabledIf | AllOf = BY_LOOPS) -> Any:
    return integer(
        255,
        lo=2,
        hi=10_000,
        label="Ranges of a number",
        help="Into how many ranges each number is cut before the tree grows. Up to 255 take the least memory.",
        unit="ranges",
        enabled_if=enabled_if & when("split_search", "binned"),
        advanced=True,
    )


def split_without_gain(default: bool) -> Any:
    return boolean(
        default,
        label="Ask on without gain",
        help="Goes on asking where no single question gains anything, because two together may.",
        advanced=True,
    )


def best_of(enabled_if: EnabledIf | AllOf = BY_LOOPS) -> Any:
    return integer(
        1,
        lo=1,
        hi=1000,
        label="Drawn among the best",
        help="Each question is drawn by chance among so many of the best ones, each threshold being one of its own; 1: "
        "the best is asked. Other seeds draw other trees: for committees.",
        unit="questions",
        enabled_if=enabled_if,
        advanced=True,
    )


def attributes_weighed(enabled_if: EnabledIf | AllOf = BY_LOOPS) -> Any:
    return integer(
        None,
        lo=1,
        optional=True,
        none_label="all",
        label="Attributes weighed",
        help="For each question only so many attributes, drawn by chance, are weighed. Other seeds draw other trees: "
        "for committees.",
        unit="attributes",
        enabled_if=enabled_if,
        advanced=True,
    )


def priors() -> Any:
    return choice(
        "data",
        Option("data", "as in the records"),
        Option("equal", "the same for all"),
        Option("given", "as given here"),
        Option(
            "by-cost",
            "as dear as mistakes are",
            "As in the records, times what it costs to mistake a record of the class: questions, pruning and leaves "
            "all heed it (altered priors).",
        ),
        label="How frequent the classes are",
        help="How frequent the classes are where the tree will be used, if not as in the training records.",
        advanced=True,
    )


def costs() -> Any:
    return cost_matrix(
        label="What mistakes cost",
        help="A row for each true class, a column for each said one. A tree heeds what a class costs in all; which "
        "mistake is made of several is left to Cost-sensitive.",
        enabled_if=when("priors", "by-cost"),
        advanced=True,
    )


def class_shares() -> Any:
    return reals(
        (),
        lo=0.0,
        label="Shares of the classes",
        help="One number for each class in their order, as 90, 10: what counts is how many times larger one is than "
        "another.",
        enabled_if=when("priors", "given"),
        advanced=True,
    )


# ---- pruning ----

METHODS: Final = (
    Option("none", "none", "Leaves the tree as it grew: it fits the training records as well as it can."),
    Option(
        "error-based",
        "by estimated errors",
        "Cuts what would not pay on new records, guessed cautiously from the training.",
    ),
    Option("pessimistic", "by a price for leaves", "Cuts what does not earn the price of its leaves."),
    Option(
        "reduced-error",
        "by testing on records held out",
        "Cuts what does not pay on training records that the tree was not grown on. Nothing is guessed, but fewer "
        "records grow the tree.",
    ),
    Option(
        "description-length",
        "by the shortest description",
        "Cuts what takes longer to write down than the list of errors that it spares.",
    ),
    Option(
        "cost-complexity",
        "by cost and complexity",
        "Cuts back to the smallest tree that does about as well as the best when tested inside the training records.",
    ),
    Option(
        "minimum-error",
        "by smoothed error rates",
        "Cuts what would not pay if a few more records, of all classes, had come to every leaf.",
    ),
    Option(
        "critical-value",
        "by the worth of questions",
        "Cuts the questions that gain little, unless one further down gains enough.",
    ),
)
"""The methods of pruning, in the order of the list."""

RAISING: Final = ("pessimistic", "reduced-error", "description-length", "minimum-error")
"""The methods, besides the estimated errors, whose estimate of a subtree allows raising; none of their authors raises.
"""

TESTING_INSIDE: Final = ("cost-complexity", "critical-value")
"""The methods that choose among nested subtrees by testing inside the training records."""


def pruning(default: str) -> Any:
    return choice(
        default,
        *METHODS,
        label="Pruning",
        help="How the tree is cut back after it has grown, so that it does not learn the training records by heart.",
    )


def raising(default: bool) -> Any:
    return boolean(
        default,
        label="Raise subtrees",
        help="Pruning may also put a branch in the place of the question above it.",
        enabled_if=when("pruning", "error-based"),
        advanced=True,
    )
