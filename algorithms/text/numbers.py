"""Numbers as text: shares, indices, amounts, thresholds, p-values and durations, each in one format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import pairwise
from math import floor, isfinite, log10
from typing import Final

KEPT: Final = 5
"""Decimals of a percentage before rounding; later digits are artefacts of floating point."""
MOST_DECIMALS: Final = 4
"""Largest number of decimals of a share of records."""


def decimals_for(span: float) -> int:
    """Number of decimals of percentages that shows a ``span`` of shares with about two digits: at least 1."""
    wide = 100.0 * abs(span)
    return min(MOST_DECIMALS, max(1, 1 - floor(log10(wide)))) if wide > 0 else 1


def adding_up(whole: float, parts: Sequence[float]) -> list[float]:
    """The whole and its signed ``parts`` (all shares) in percent with one decimal, rounded so that the parts add up.

    Parts are rounded down, then those with the largest remainders up. The whole comes first, rounded as by
    :func:`in_hundredths`.
    """
    tenths = round(10 * float(in_hundredths(whole)))
    exact = [round(1000.0 * part, KEPT) for part in parts]
    down = [floor(tenth) for tenth in exact]
    by_remainder = sorted(range(len(parts)), key=lambda place: down[place] - exact[place])
    for place in by_remainder[: max(0, tenths - sum(down))]:
        down[place] += 1
    return [tenth / 10 for tenth in (tenths, *down)]


EQUAL_FROM: Final = 9
"""Numbers that are equal to this many decimals differ only by rounding errors of sums."""


def in_decimal(value: float, kept: int = EQUAL_FROM) -> Decimal:
    """A finite number without the artefacts of floating point. Formatted, it rounds halves to the even digit."""
    return Decimal(repr(round(float(value), kept)))


def in_hundredths(share: float, decimals: int = 1) -> str:
    """A share in percent without the sign, with one decimal or more: "86.2".

    Halves are rounded to the even digit in decimal arithmetic. So two shares of a whole add up as text: of 86.25 and
    13.75 one is rounded up and one down.
    """
    return f"{in_decimal(100.0 * float(share), KEPT):.{decimals}f}"  # a product with float32 would be float32


FEW_RECORDS: Final = 100
"""Below this number of records a percentage has no decimals."""


def percent(share: float | None, n: float | None = None, decimals: int | None = None) -> str:
    """A share as a percentage: "94.6%", "100.0%"; "95%" of ``n`` < 100 records; ">99.9%" if not all."""
    if share is None or share != share:
        return UNDEFINED
    text, is_brief = _percentage(share, n, decimals), decimals is None and n is not None and n < FEW_RECORDS
    if float(text.replace(MINUS, "-")) in (0.0, 100.0) and share not in (0.0, 1.0) and not is_brief:
        least = 10 ** -(1 if decimals is None else decimals)
        return f"<{least:g}%" if abs(share) < 0.5 else f">{100 - least:g}%"
    return f"{text}%"


def percent_range(low: float, high: float, n: float | None = None, decimals: int | None = None) -> str:
    """Two shares as a range in percent: "89.8–97.3"; "−1.2 to 3.4" if one is negative."""
    return f"{_percentage(low, n, decimals)}{' to ' if low < 0 else '–'}{_percentage(high, n, decimals)}"


def interval_words(low: float, high: float, n: float | None = None, decimals: int | None = None) -> str:
    """The 95% confidence interval of a share: "95% CI 89.8–97.3"."""
    return f"95% CI {percent_range(low, high, n, decimals)}"


def decimals_apart(share: float, low: float, high: float, n: float | None = None) -> int | None:
    """Decimals of percentages that show that a share lies outside a range; None if the usual ones do, or it does not.

    A share of 80.00% is not in 80.04–82.77, although it seems to be in 80.0–82.8.
    """
    if low <= share <= high or _percentage(share, n) not in (_percentage(low, n), _percentage(high, n)):
        return None
    usual = 0 if n is not None and n < FEW_RECORDS else 1
    for decimals in range(usual + 1, KEPT):
        if in_hundredths(share, decimals) not in (in_hundredths(low, decimals), in_hundredths(high, decimals)):
            return decimals
    return KEPT


def points(difference: float, decimals: int = 1) -> str:
    """A difference of shares with its sign, in percentage points: "+4.0 points", "−0.7 points"."""
    text = with_minus(in_hundredths(difference, decimals))
    return f"{text if difference < 0 else '+' + text} points"


def bare_percent(share: float) -> str:
    """A share in percent for files: two decimals, no sign."""
    return in_hundredths(share, 2)


def size_in_points(share: float) -> str:
    """A size in percentage points that the user chose: "1 point", "0.5 points"."""
    text = number(100.0 * share)
    return f"{text} point{'' if text == '1' else 's'}"


def _percentage(share: float, n: float | None, decimals: int | None = None) -> str:
    usual = 0 if n is not None and n < FEW_RECORDS else 1
    return with_minus(in_hundredths(share, usual if decimals is None else decimals))


EXACT: Final = 12
"""Significant digits of a number the user chose: 2.4500000000000002 is written 2.45."""
BRIEF: Final = 3
"""Significant digits of a number where there is little room."""
USUAL_DECIMALS: Final = 3
MOST_GAIN_DECIMALS: Final = 6


def number(value: float, digits: int = EXACT) -> str:
    """A number with the fewest digits that identify it, at most ``digits`` significant ones."""
    short = f"{value:.{digits}g}"
    if "e" not in short or not abs(value) < 1e15:
        return short
    return min(short, repr(value), key=len)


def typeset_number(value: float) -> str:
    """As :func:`number`, with separated thousands and a typographic minus sign."""
    return in_thousands(number(value))


OWN_DIGITS: Final = 7
"""Significant digits of a value of a record, and of a threshold that it is compared with."""


def significant(value: float | None, digits: int = 4) -> str:
    """An integer in full, another number with about ``digits`` significant digits: "−4.42"; "–" if undefined.

    A number that was rounded keeps its last zeros: 2.0002 is written 2.000, and 2.5 is written 2.5.
    """
    if value is None or value != value:
        return UNDEFINED
    if float(value).is_integer() and abs(value) < 1e15:
        return with_minus(f"{int(value):,}")
    if not 1e-4 <= abs(value) < 10 ** max(9, digits):
        return with_minus(f"{value:.{digits}g}")
    decimals = max(0, digits - 1 - floor(log10(abs(value))))
    written = f"{value:,.{decimals}f}"
    is_rounded = abs(round(value, decimals) - value) > ROUNDING * abs(value)
    return with_minus(written if is_rounded or "." not in written else written.rstrip("0").rstrip("."))


def data_number(value: float | None) -> str:
    """A value of a record, or a threshold that values are compared with: "12,500.5", "0.016231"; alike on all pages.

    It has up to seven significant digits, but below 1e15 at least one decimal if it is not whole.
    """
    if value is None or not abs(value) < 1e15:
        return significant(value, OWN_DIGITS)
    return significant(value, max(OWN_DIGITS, len(f"{abs(value):.0f}") + 1))


def cut_number(value: float) -> str:
    """A threshold that values are compared with: as :func:`data_number`, but whole if it has at most eleven digits.

    So a threshold between two values that agree in seven digits tells them apart. More digits are those of rounding.
    """
    whole = f"{value:.{EXACT - 1}g}"
    if float(whole) != value or float(f"{value:.{OWN_DIGITS}g}") == value:
        return data_number(value)
    return in_thousands(whole)


def fixed(value: float | None, decimals: int = 4) -> str:
    """A number with this many decimals: "0.7020"; "-" if undefined."""
    return "-" if value is None or value != value else f"{value:.{decimals}f}"


def telling_decimals(values: Iterable[float]) -> int:
    """The smallest number of decimals, three to six, with which numbers that differ have different texts."""
    ordered = sorted({round(value, EQUAL_FROM) for value in values if value == value})
    for decimals in range(USUAL_DECIMALS, MOST_GAIN_DECIMALS):
        if all(fixed(low, decimals) != fixed(high, decimals) for low, high in pairwise(ordered)):
            return decimals
    return MOST_GAIN_DECIMALS


def p_text(p: float | None) -> str:
    """A p-value in a column: "0.013", "<0.001", or "0.0496" beside the level of significance; empty if undefined."""
    if p is None or not isfinite(p):
        return ""
    decimals = next((n for n in (3, 4, 5, 6) if round(p, n) != LEVEL), 3)
    return "<0.001" if p < 0.001 else f"{p:.{decimals}f}"


def p_words(p: float) -> str:
    """A p-value in a sentence: "p = 0.013" or "p < 0.001"."""
    return f"p {text[0]} {text[1:]}" if (text := p_text(p)).startswith("<") else f"p = {text}"


def tick_text(value: float, step: float) -> str:
    """A number on an axis, with the digits needed for this step between ticks."""
    if abs(value) < step * 1e-6:
        return "0"
    size = max(abs(value), step)
    power = floor(log10(step))
    if size >= 1e7 or size < 1e-4:
        return f"{value:.{max(0, min(12, floor(log10(size)) - power))}e}"
    decimals = max(0, -power)
    if round(step, decimals) != round(step, decimals + 1):
        decimals += 1
    return f"{value:,.{decimals}f}".replace("-", MINUS)


UNDEFINED = "–"
MINUS = "−"
LEVEL: Final = 0.05
"""Level of significance of the tests."""
NEARLY = 0.9995
"""From here on, three decimals would be rounded to 1."""
WHOLE_WITHIN: Final = 0.005
"""A weight of records this close to an integer is written as one."""
ROUNDING = 1e-12
"""Largest rounding error of sums with many terms."""


def with_minus(figure: str) -> str:
    """The text of a number with a typographic minus sign: "−3" instead of "-3"; a zero has none."""
    is_zero = figure.startswith("-0") and not figure.strip("-0.,%")
    return figure.removeprefix("-") if is_zero else figure.replace("-", MINUS)


def signed(value: float, decimals: int = 2) -> str:
    """A number with its sign, its thousands separated: "+1,563.20"; "0.00" where it rounds to nothing, and "−∞"."""
    if not isfinite(value):
        return with_minus(f"{value:+.0f}").replace("inf", "∞")
    figure = f"{value:+,.{decimals}f}"
    return with_minus(figure) if figure.strip("+-0.") else figure[1:]


def sum_words(values: Iterable[float], total: float) -> str:
    """Says of a sum that its figures, as :func:`signed` writes them, do not add up; empty where they do."""
    parts = [*values, total]
    if not all(map(isfinite, parts)):
        return ""
    *figures, shown = (Decimal(f"{value:.2f}") for value in parts)
    return "" if sum(figures) == shown else "sum before rounding"


def in_thousands(figure: str) -> str:
    """The text of a number with separated thousands and a typographic minus sign: "−12,500.5"; 1e+06 stays."""
    whole, point, rest = figure.partition(".")
    digits = whole.removeprefix("-")
    return with_minus(f"{'-' * whole.startswith('-')}{int(digits):,}{point}{rest}" if digits.isdigit() else figure)


def coefficient(value: float | None) -> str:
    """A coefficient or a probability with three decimals: "0.955", "−0.021"; ">0.999" if nearly but not quite 1."""
    if value is None or value != value:
        return UNDEFINED
    if NEARLY <= value < 1 - ROUNDING:
        return ">0.999"
    text = f"{in_decimal(abs(value)):.3f}" if isfinite(value) else f"{abs(value)}"
    return (MINUS if value < 0 and float(text) else "") + text


def amount(value: float | None) -> str:
    """A cost or a weight: an integer in full, else up to three decimals."""
    if value is None:
        return UNDEFINED
    text = f"{in_decimal(value):,.3f}".removesuffix(".000")
    return "0" if text == "-0" else with_minus(text.rstrip("0") if "." in text else text)


def weight_text(weight: float) -> str:
    """A weight of records: an integer if within 0.005, else with one decimal."""
    return f"{weight:,.0f}" if abs(weight - round(weight)) < WHOLE_WITHIN else f"{weight:,.1f}"


def records_words(weight: float, one: str = "record") -> str:
    """A weight of records with its noun: "12 records", "1 record", "2.5 records"."""
    return f"{weight_text(weight)} {one}{'' if weight_text(weight) == '1' else 's'}"


def price(value: float | None) -> str:
    """As :func:`amount`, without decimals from 100 on: "0.42", "2,717"."""
    if value is None or not isfinite(value):
        return UNDEFINED
    is_whole = abs(value) >= 100 and value != int(value)
    return with_minus(f"{in_decimal(value):,.0f}") if is_whole else amount(value)


def decimals_of(values: Iterable[float | None]) -> int:
    """Number of decimals for the costs in a narrow column: as many as any cost needs, fewer for large costs."""
    finite = [abs(value) for value in values if value is not None and isfinite(value)]
    most = max(finite, default=0.0)
    room = 3 if most < 10 else 2 if most < 100 else 1 if most < 1000 else 0
    return min(room, max((len(amount(value).partition(".")[2]) for value in finite), default=0))


def price_alike(value: float | None, decimals: int) -> str:
    """A cost in a column with this many decimals: "0.680"; "< 1" if it would be rounded to 0."""
    if value is None or not isfinite(value):
        return UNDEFINED
    written = f"{in_decimal(value):,.{decimals}f}"
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


COARSE_FROM: Final = 20.0
"""Seconds from which a forecast is rounded to tens, and later to minutes."""
EXACT_MINUTES: Final = 2
"""Minutes from which a forecast has no seconds."""


def time_left(seconds: float) -> str:
    """Forecast of the remaining time: "12 s left", "about 40 s left"."""
    about = "" if seconds < COARSE_FROM else "about "
    return f"{about}{forecast_duration(seconds)} left"


def forecast_duration(seconds: float) -> str:
    """A duration in the precision of a forecast: "0.4 s", "12 s", "40 s", "1 min 20 s", "3 min", "1.5 h"."""
    if seconds < 0.95:  # from there on it is rounded to 1 s
        return f"{max(seconds, 0.1):.1f} s"
    if seconds < COARSE_FROM:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(10 * round(seconds / 10), 60)
    if minutes >= EXACT_MINUTES:
        return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
    return " ".join(f"{n} {unit}" for n, unit in ((minutes, "min"), (rest, "s")) if n)


_MINUTE: Final = 60
_HOUR: Final = 3600


def duration_words(seconds: float) -> str:
    """A duration, as in "12 s", "1 min 20 s" or "2 h 5 min"."""
    whole = max(1, round(seconds))
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"
