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
    Option("gain-ratio", "Gain ratio", "Information gain divided by the entropy of the split."),
    Option("information-gain", "Information gain", "Reduction of the entropy of the class, in bits."),
    Option("gini", "Gini index", "Reduction of the impurity of the class."),
    Option("error", "Classification error", "Reduction of the misclassification rate."),
)

CHI_SQUARE: Final = Option(
    "chi-square", "Chi-square", "p-value of the chi-square test, corrected for the number of possible splits."
)

TWOING: Final = Option("twoing", "Twoing", "Separation of the classes gathered in two groups.")


def criterion(default: str, *more: Option, note: str = "") -> Any:
    """``note`` is one more sentence of its help."""
    return choice(
        default, *CRITERIA, *more, label="Split criterion", help=f"The measure that chooses a split. {note}".rstrip()
    )


BY_LOOPS: Final = when("criterion", "gain-ratio", "information-gain", "gini", "error", "twoing")
"""While this holds trees grow in compiled loops, which alone draw questions and try lines between ranges."""

TWO_BRANCHES: Final = when("numeric_splits", "binary")


def numeric_splits() -> Any:
    return choice(
        "binary",
        Option("binary", "Binary (threshold)"),
        Option("entropy", "Entropy (MDL)", "Cuts where the class changes, as often as MDL allows (Fayyad and Irani)."),
        Option("equal-frequency", "Equal frequency"),
        Option("equal-width", "Equal width"),
        label="Numeric splits",
        help="Whether a split on a numeric attribute is a threshold or several intervals, which every "
        "node chooses for its own records.",
        advanced=True,
    )


def numeric_branches() -> Any:
    return integer(
        4,
        lo=2,
        hi=100,
        label="Number of branches",
        help="Number of intervals of a numeric split; fewer if the attribute has fewer values.",
        unit="intervals",
        enabled_if=when("numeric_splits", "equal-frequency", "equal-width"),
        advanced=True,
    )


def min_leaf(default: int) -> Any:
    return integer(
        default,
        lo=1,
        label="Min. records per leaf",
        help="A split needs at least two branches with this many records.",
        unit="records",
    )


def max_depth() -> Any:
    return integer(
        None,
        lo=1,
        optional=True,
        label="Maximum depth",
        help="Largest number of splits between the root and a leaf.",
        unit="levels",
    )


def max_leaves() -> Any:
    return integer(
        None,
        lo=2,
        optional=True,
        label="Maximum leaves",
        help="Largest number of leaves. Nodes with the largest gain are split first.",
        unit="leaves",
        advanced=True,
    )


def min_gain() -> Any:
    return real(
        0.0,
        lo=0.0,
        label="Min. gain",
        help="A split with less gain is not made. By chi-square 2 means p ≤ 0.01, 3 means p ≤ 0.001.",
        advanced=True,
    )


GROUPED: Final = Option("grouped", "Grouped", "Merges groups of values, two at a time, while the gain ratio rises.")


def nominal_splits(default: str, *more: Option) -> Any:
    return choice(
        default,
        Option("multiway", "Multiway"),
        Option("binary", "Binary"),
        *more,
        label="Nominal splits",
        help="Whether a split on a nominal attribute has one branch per value or per group of values.",
        advanced=True,
    )


def ordinal_splits() -> Any:
    return choice(
        "ordered",
        Option("ordered", "Binary (threshold)"),
        Option("multiway", "Multiway"),
        label="Ordinal splits",
        help="Whether a split on an ordinal attribute is a threshold or has one branch per value.",
        advanced=True,
        earlier="ordered",
    )


def thresholds(default: str, enabled_if: EnabledIf | None = None) -> Any:
    return choice(
        default,
        Option("midpoint", "Midpoint"),
        Option("data-value", "Data value"),
        label="Threshold position",
        help="Where a threshold lies between two neighbouring values.",
        enabled_if=enabled_if,
        advanced=True,
    )


def split_search(enabled_if: EnabledIf | AllOf = BY_LOOPS, **earlier: Any) -> Any:
    return choice(
        "exact",
        Option("exact", "Exact", "Every midpoint between two neighbouring values is a candidate."),
        Option(
            "binned",
            "Histogram",
            "Bins every numeric attribute first; thresholds lie between bins. Missing values follow the larger branch.",
        ),
        label="Split search",
        help="Where thresholds are searched. A split drawn among the best k uses the exact search.",
        enabled_if=enabled_if,
        advanced=True,
        **earlier,
    )


def bins(enabled_if: EnabledIf | AllOf = BY_LOOPS, **earlier: Any) -> Any:
    return integer(
        255,
        lo=2,
        hi=10_000,
        label="Histogram bins",
        help="Number of bins of each numeric attribute. Up to 255 bins need the least memory.",
        unit="bins",
        enabled_if=enabled_if & when("split_search", "binned"),
        advanced=True,
        **earlier,
    )


def split_without_gain(default: bool) -> Any:
    return boolean(
        default,
        label="Split on zero gain",
        help="Splits even if no single split gains anything, because two together may.",
        advanced=True,
    )


def best_of(enabled_if: EnabledIf | AllOf = BY_LOOPS) -> Any:
    return integer(
        1,
        lo=1,
        hi=1000,
        label="Choose among best k splits",
        help="Draws each split at random from the k best ones, each threshold being one of them; 1 takes "
        "the best. Other seeds give other trees, for ensembles.",
        unit="splits",
        enabled_if=enabled_if,
        advanced=True,
    )


def attributes_weighed(enabled_if: EnabledIf | AllOf = BY_LOOPS) -> Any:
    return integer(
        None,
        lo=1,
        optional=True,
        none_label="all",
        label="Features per split",
        help="Number of randomly drawn attributes that each split considers. Other seeds give other "
        "trees, for ensembles.",
        unit="attributes",
        enabled_if=enabled_if,
        advanced=True,
    )


def priors() -> Any:
    return choice(
        "data",
        Option("data", "As in the data"),
        Option("equal", "Equal"),
        Option("given", "Given"),
        Option(
            "by-cost",
            "By cost (altered priors)",
            "Priors of the records times the cost of misclassifying the class: splits, pruning and leaves use them.",
        ),
        label="Class priors",
        help="Class distribution of the records that the tree will be used on.",
        advanced=True,
    )


def costs() -> Any:
    return cost_matrix(
        label="Cost matrix",
        help="One row per actual class, one column per predicted class. A tree uses only the total cost "
        "of each class; Cost-sensitive uses every cell.",
        enabled_if=when("priors", "by-cost"),
        advanced=True,
    )


def class_shares() -> Any:
    return reals(
        (),
        lo=0.0,
        label="Prior values",
        help="One number per class in their order, such as 90, 10. Only their ratios count.",
        enabled_if=when("priors", "given"),
        advanced=True,
    )


METHODS: Final = (
    Option("none", "None", "The tree stays as grown and fits its training records as well as it can."),
    Option(
        "error-based",
        "Error-based",
        "Prunes a subtree if an upper confidence bound of its error is no better than that of a leaf (C4.5).",
    ),
    Option(
        "pessimistic",
        "Pessimistic (penalty per leaf)",
        "Prunes a subtree unless it saves more training errors than the penalty of its leaves.",
    ),
    Option(
        "reduced-error",
        "Reduced-error",
        "Prunes a subtree unless it lowers the error on held-out training records. Fewer records grow the tree.",
    ),
    Option(
        "description-length", "MDL", "Prunes a subtree whose description is longer than that of the errors it avoids."
    ),
    Option(
        "cost-complexity",
        "Cost-complexity",
        "Prunes to the smallest tree within the standard errors of the best, by cross-validation inside "
        "the training records (CART).",
    ),
    Option(
        "minimum-error", "Minimum-error (m-estimate)", "Prunes a subtree unless it lowers the m-estimate of the error."
    ),
    Option(
        "critical-value",
        "Critical value",
        "Prunes splits with a small value of the criterion, unless a split below reaches it.",
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
        help="How the grown tree is pruned so that it does not overfit its training records.",
    )


def raising(default: bool) -> Any:
    return boolean(
        default,
        label="Subtree raising",
        help="Pruning may also replace a node by its largest subtree.",
        enabled_if=when("pruning", "error-based"),
        advanced=True,
    )
