"""The parameters that committees share, declared once."""

from __future__ import annotations

from typing import Any

from algorithms.core.params import Option, choice, integer


def members(default: int) -> Any:
    return integer(
        default,
        lo=1,
        hi=10_000,
        label="Members",
        help="How many models decide together. More do no harm but take longer; beyond some number nothing changes.",
        unit="models",
    )


def combine(default: str) -> Any:
    return choice(
        default,
        Option("probabilities", "their probabilities, averaged", "How sure each member is counts as well."),
        Option("votes", "their votes", "Each member names one class; the class named most often is taken."),
        label="What counts is",
        help="How the members come to one answer.",
        advanced=True,
    )
