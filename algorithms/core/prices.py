"""How costs are written."""

from __future__ import annotations


def amount(value: float) -> str:
    """A cost or a weight: whole where it is whole, else with up to three digits."""
    rounded = round(value, 3)
    return f"{int(rounded):,}" if rounded == int(rounded) else f"{rounded:,.3f}".rstrip("0")


def price(value: float) -> str:
    """As :func:`amount`, without its fraction from a hundred on: "0.42", "2,717"."""
    return amount(value) if value == int(value) or abs(value) < 100 else f"{value:,.0f}"
