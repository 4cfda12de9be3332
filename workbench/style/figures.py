"""How figures are written: the same number looks the same wherever it stands."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

from algorithms.text import numbers
from algorithms.text.numbers import in_hundredths

UNDEFINED = "–"
MINUS = "−"
NEARLY = 0.9995
"""From here on three digits would say 1."""
ROUNDING = 1e-12
"""What sums of many parts may be off by."""


def with_minus(figure: str) -> str:
    """A figure with the sign that all figures have that are below 0: "−3", never "-3"."""
    return figure.replace("-", MINUS)


def in_100(share: float | None) -> str:
    """A share as times in 100 with one digit: "94.6", "100"."""
    if share is None:
        return UNDEFINED
    text = with_minus(in_hundredths(share))
    return text[:-2] if share in (0.0, 1.0) else text


def index(value: float | None) -> str:
    """A measure with three digits and no leading zero: ".955", "−.021"; "1.000" only where it is 1, else ">.999"."""
    if value is None:
        return UNDEFINED
    if NEARLY <= value < 1 - ROUNDING:
        return ">.999"
    text = f"{abs(value):.3f}"
    return (MINUS if value < 0 and float(text) else "") + text.removeprefix("0")


def amount(value: float | None) -> str:
    """A cost or a weight: whole where it is whole, else with up to three digits."""
    return UNDEFINED if value is None else with_minus(numbers.amount(value))


def price(value: float | None) -> str:
    """As :func:`amount`, without its fraction from a hundred on: "0.42", "2,717"."""
    return UNDEFINED if value is None or not isfinite(value) else with_minus(numbers.price(value))


def decimals_of(values: Iterable[float | None]) -> int:
    """How many decimals the costs of one narrow column have alike: as many as any needs, fewer the larger they are."""
    known = [abs(value) for value in values if value is not None and isfinite(value)]
    most = max(known, default=0.0)
    room = 3 if most < 10 else 2 if most < 100 else 1 if most < 1000 else 0
    return min(room, max((len(amount(value).partition(".")[2]) for value in known), default=0))


def price_alike(value: float | None, decimals: int) -> str:
    """A cost in a column of so many decimals: "0.680"; "< 1" where they leave nothing of it."""
    if value is None or not isfinite(value):
        return UNDEFINED
    written = f"{value:,.{decimals}f}"
    if value > 0 and not float(written.replace(",", "")):
        return f"< {10**-decimals:g}"
    return with_minus(written) if float(written.replace(",", "")) else f"{0.0:.{decimals}f}"


def seconds(value: float) -> str:
    """A duration: "6 ms", "1.4 s", "2 min 5 s"."""
    if value < 0.0995:
        return f"{1000 * value:.0f} ms" if value >= 0.0005 else "0 ms"
    if value < 60:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def seconds_briefly(value: float) -> str:
    """A duration in one number for a narrow column: "6 ms", "1.4 s", "125 s", "33 min", "2.1 h"."""
    if value < 59.95:
        return seconds(value)
    return f"{value:.0f} s" if value < 600 else f"{value / 60:.0f} min" if value < 5970 else f"{value / 3600:.1f} h"
