"""Shares written in hundredths."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from typing import Final

KEPT: Final = 5
"""Decimals of the hundredths before they are rounded: what lies below comes from how shares are stored."""


def in_hundredths(share: float) -> str:
    """A share in hundredths with one decimal: "86.2".

    Two shares that make a whole are written so that their figures do too, as 86.2 and 13.8: halves are rounded to the
    even digit, in decimals, so that of 86.25 and 13.75 one goes up and one down.
    """
    return f"{Decimal(repr(round(100.0 * float(share), KEPT))).quantize(Decimal('0.1'), ROUND_HALF_EVEN)}"
