"""The parameters of pruning, which every learner of a whole tree has: each learner gives its own default method."""

from __future__ import annotations

from typing import Any, Final

from algorithms.core.parameters import Option, boolean, choice, integer, real, when

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


def confidence(default: float = 0.25) -> Any:
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


def with_raising() -> Any:
    return boolean(
        False,
        label="Raise subtrees too",
        help="Pruning may also put a branch in the place of the question above it, beyond what the method itself does.",
        enabled_if=when("pruning", *RAISING),
        advanced=True,
    )


def bound() -> Any:
    return choice(
        "exact",
        Option("exact", "exact", "The exact one-sided limit of the binomial distribution, as C4.5 was described."),
        Option("corrected", "as the program C4.5", "The approximation that the program C4.5 makes, and J48 of Weka."),
        Option("normal", "normal approximation", "The upper end of a two-sided interval: a little more cautious."),
        label="Estimate of errors",
        help="How the errors on new records are guessed from those on the training records.",
        enabled_if=when("pruning", "error-based"),
        advanced=True,
    )


def penalty() -> Any:
    return real(
        0.5,
        lo=0.0,
        label="Price of a leaf",
        help="How many fewer training records have to be wrong for one more leaf to be worth it.",
        unit="records",
        enabled_if=when("pruning", "pessimistic"),
    )


def held_out() -> Any:
    return real(
        33.0,
        lo=1.0,
        hi=90.0,
        label="Held out",
        help="So much of the training records is not used to grow the tree, but to test it.",
        unit="%",
        enabled_if=when("pruning", "reduced-error") | when("early_stopping", True),
    )


def seed() -> Any:
    return integer(
        1,
        lo=0,
        label="Seed of the choice",
        help="Which records are held out: the same number chooses the same ones again.",
        enabled_if=when("pruning", "reduced-error") | when("early_stopping", True),
        advanced=True,
    )


def added_records() -> Any:
    return real(
        None,
        lo=0.0,
        optional=True,
        none_label="one for each class",
        label="Records thought to be added",
        help="So many records, with the classes as frequent as in training, are thought to be added to every leaf: the "
        "more, the more is cut away. Left empty, it is one of each class.",
        unit="records",
        enabled_if=when("pruning", "minimum-error"),
    )


def critical_value() -> Any:
    return real(
        None,
        lo=0.0,
        optional=True,
        none_label="found by testing",
        label="Least worth",
        help="A question that gains less is cut, unless one below it gains as much. Left empty, it is found by testing "
        "inside the training records.",
        enabled_if=when("pruning", "critical-value"),
    )


def folds() -> Any:
    return integer(
        10,
        lo=2,
        hi=100,
        label="Folds inside",
        help="In how many parts the training records are cut to find out how far to prune.",
        unit="folds",
        enabled_if=when("pruning", *TESTING_INSIDE),
        advanced=True,
    )


def standard_errors() -> Any:
    return real(
        1.0,
        lo=0.0,
        hi=10.0,
        label="Leeway in pruning",
        help="The smallest tree is taken whose error is within so many standard errors of the best; 0: the best.",
        unit="standard errors",
        enabled_if=when("pruning", *TESTING_INSIDE),
        advanced=True,
    )


def significance() -> Any:
    return real(
        None,
        lo=1e-12,
        hi=1.0,
        optional=True,
        none_label="no test",
        label="Stop by chance",
        help="A question is asked only if chance alone would set the classes of its branches so far apart at most this "
        "often (chi-square test); 0.05 is usual. Left empty, it is not tested.",
        advanced=True,
    )


def early_stopping() -> Any:
    return boolean(
        False,
        label="Stop by records held out",
        help="A question is asked only if it lowers the errors on training records that were held out. Quick, but it "
        "misses questions that pay only together with the next.",
        advanced=True,
    )
