"""The parameters of learners that rewrite a tree as rules, declared once."""

from __future__ import annotations

from typing import Any

from algorithms.core.enabling import Condition
from algorithms.core.params import Option, choice, real


def confidence(enabled_if: Condition | None = None, help: str = "The smaller, the more conditions are dropped.") -> Any:
    return real(
        0.25,
        lo=0.0001,
        hi=0.5,
        label="Pruning confidence",
        help=help,
        enabled_if=enabled_if,
    )


def rules_weight(enabled_if: Condition | None = None) -> Any:
    return real(
        0.5,
        lo=0.0,
        hi=10.0,
        label="Weight of the rules",
        help="What a bit that spells rules out counts against a bit that says where they are wrong: the more, the "
        "fewer rules. Below 1 since rules repeat each other.",
        enabled_if=enabled_if,
    )


def class_order(enabled_if: Condition | None = None) -> Any:
    return choice(
        "description-length",
        Option("description-length", "the shortest description first", "Rules and exceptions of a class, in bits."),
        Option("false-positives", "the fewest wrong first", "Whose rules cover the fewest records of other classes."),
        label="Classes come",
        help="Which class's rules are read first where rules for several classes fire.",
        enabled_if=enabled_if,
        advanced=True,
    )


def exceptions(enabled_if: Condition | None = None) -> Any:
    return choice(
        "balanced",
        Option("counted", "as any choice", "As many bits as single them out of all records, as in the book of 1993."),
        Option("balanced", "evenly", "Dearer where records missed and records wrongly covered differ (1995)."),
        label="Wrong records are told",
        help="How the bits are reckoned that say which records the rules get wrong.",
        enabled_if=enabled_if,
        advanced=True,
    )
