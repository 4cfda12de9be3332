"""Numbers as text: amounts of money, and shares in hundredths that add up."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from math import floor, log10
from typing import Final


def amount(value: float) -> str:
    """A cost or a weight: whole where it is whole, else with up to three digits."""
    rounded = round(value, 3)
    return f"{int(rounded):,}" if rounded == int(rounded) else f"{rounded:,.3f}".rstrip("0")


def price(value: float) -> str:
    """As :func:`amount`, without its fraction from a hundred on: "0.42", "2,717"."""
    return amount(value) if value == int(value) or abs(value) < 100 else f"{value:,.0f}"


KEPT: Final = 5
"""Decimals of the hundredths before they are rounded: what lies below comes from how shares are stored."""


MOST_DECIMALS: Final = 4
"""Finer differences between shares of records are not written."""


def decimals_for(span: float) -> int:
    """How many decimals of hundredths tell the ends of a ``span`` of shares apart, in about two figures: 1 or more."""
    wide = 100.0 * abs(span)
    return min(MOST_DECIMALS, max(1, 1 - floor(log10(wide)))) if wide > 0 else 1


def adding_up(whole: float, parts: Sequence[float]) -> list[float]:
    """The signed ``parts`` of a ``whole``, all shares, in hundredths with one decimal, so that what is written adds up.

    Each is rounded down or up, those up that lose most by being rounded down (the largest remainders). The whole comes
    first, rounded as :func:`in_hundredths` does.
    """
    tenths = round(10 * float(in_hundredths(whole)))
    exact = [round(1000.0 * part, KEPT) for part in parts]
    down = [floor(each) for each in exact]
    by_remainder = sorted(range(len(parts)), key=lambda at: down[at] - exact[at])
    for at in by_remainder[: max(0, tenths - sum(down))]:
        down[at] += 1
    return [each / 10 for each in (tenths, *down)]


def in_hundredths(share: float, decimals: int = 1) -> str:
    """A share in hundredths with one decimal, or more: "86.2".

    Two shares that make a whole are written so that their figures do too, as 86.2 and 13.8: halves are rounded to the
    even digit, in decimals, so that of 86.25 and 13.75 one goes up and one down.
    """
    return f"{Decimal(repr(round(100.0 * float(share), KEPT))).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN)}"


def in_percent(share: float) -> str:
    """A share as a percentage with one decimal: "86.2%"."""
    return f"{in_hundredths(share)}%"
