"""Parsing of dates: the format of a column, its values in seconds since 1970-01-01 UTC, and their parts.

Files, typed cells and columns that change their kind all use this module. A format is :data:`ISO` or a ``strptime``
pattern; month names are English in any system language.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.data.columns import FloatArray

ISO: Final = ""
"""Format of dates written like 2024-01-31 or 2024-01-31 18:30; a column may mix both."""

Checkpoint = Callable[[], None]

FEW_TEXTS: Final = 30
"""Up to this many texts, pandas' preparations cost more than the dates."""
LONGEST_FORMAT: Final = 200
"""Largest number of characters of a format, since pandas needs quadratic time."""
_BLOCK: Final = 8192
_DAY: Final = r"[+-]?\d{4,6}-\d{2}-\d{2}"
_ZONE: Final = r" ?Z|[+-]\d{2}(:?\d{2})?"
ISO_DATE: Final = rf"{_DAY}([T ]\d{{1,2}}(:\d{{2}}(:\d{{2}}(\.\d{{1,9}})?)?)?(?P<zone>{_ZONE})?)?"
"""The pattern of a date of ISO 8601, of ASCII digits."""
_ISO_DATE: Final = re.compile(ISO_DATE, re.ASCII)
_TIMES: Final = (("", ""), (r" \d{1,2}:\d{2}", " %H:%M"), (r" \d{1,2}:\d{2}:\d{2}", " %H:%M:%S"))
_DAYS: Final = (
    (r"\d{4}/\d{1,2}/\d{1,2}", ("%Y/%m/%d",)),
    (r"\d{4}\.\d{1,2}\.\d{1,2}", ("%Y.%m.%d",)),
    (r"\d{1,2}\.\d{1,2}\.\d{4}", ("%d.%m.%Y",)),
    (r"\d{1,2}\.\d{1,2}\.\d{2}", ("%d.%m.%y",)),
    (r"\d{1,2}/\d{1,2}/\d{2}", ("%d/%m/%y", "%m/%d/%y")),
    (r"\d{1,2}/\d{1,2}/\d{4}", ("%d/%m/%Y", "%m/%d/%Y")),
    (r"\d{1,2}-\d{1,2}-\d{4}", ("%d-%m-%Y", "%m-%d-%Y")),
    (r"\d{1,2}-[A-Za-z]{3,9}-\d{4}", ("%d-%b-%Y",)),
    (r"\d{1,2} [A-Za-z]{3,9} \d{4}", ("%d %b %Y",)),
    (r"[A-Za-z]{3,9} \d{1,2}, \d{4}", ("%b %d, %Y",)),
)
_FORMATS: Final = (
    (_ISO_DATE, (ISO,)),
    *(
        (re.compile(day + time, re.ASCII), tuple(format + clock for format in formats))
        for day, formats in _DAYS
        for time, clock in _TIMES
    ),
)
"""Pairs of a pattern and the formats that a text of this pattern may have."""
_ANY_DATE: Final = re.compile("|".join(pattern.pattern for pattern, _ in _FORMATS), re.ASCII)

LAST_OF_CENTURY: Final = 68
"""The last of two-digit years in this century: 68 is 2068, 69 is 1969."""

KNOWN_FORMATS: Final = frozenset({*(format for _, formats in _FORMATS for format in formats), "%d %B %Y"})
_NUMERIC_FORMATS: Final = frozenset(format.replace("%b", "%m").replace("%B", "%m") for format in KNOWN_FORMATS - {ISO})

_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH_NUMBERS: Final = {name: n for n, month in enumerate(_MONTHS, start=1) for name in (month, month[:3])}
_WORD: Final = re.compile(r"[A-Za-z]+")


def date_format(examples: Sequence[str]) -> str | None:
    """The format in which all examples are dates; None if none fits or several disagree, as for 04/05/2024 alone."""
    fitting = fitting_formats(examples)
    return fitting[0] if len(fitting) == 1 else None


def fitting_formats(examples: Sequence[str]) -> tuple[str, ...]:
    """The formats in which all examples are dates: none, one, or several that give different days."""
    first = examples[0].strip() if examples else ""
    if not _ANY_DATE.fullmatch(first):
        return ()
    formats = next((formats for pattern, formats in _FORMATS if pattern.fullmatch(first)), ())
    fitting: list[str] = []
    readings: list[FloatArray] = []
    for format in formats:
        seconds = parse_dates(examples, format)
        if not np.isnan(seconds).any() and not any(np.array_equal(seconds, other) for other in readings):
            fitting.append(format)
            readings.append(seconds)
    return tuple(fitting)


def is_written_date(text: str) -> bool:
    """Whether a text looks like a date in one of the formats."""
    return _ANY_DATE.fullmatch(text) is not None


def has_short_year(format: str) -> bool:
    """Whether years have two digits in a format."""
    return "%y" in format


def format_in_order(formats: Sequence[str], order: str) -> str | None:
    """The first of the formats in which day ("d"), month ("m") and year ("y") stand in this order; None if none is."""
    return next((each for each in formats if re.sub(r"[^dmy]", "", each[:8].lower().replace("b", "m")) == order), None)


def parse_dates(texts: Sequence[str], format: str, checkpoint: Checkpoint | None = None) -> FloatArray:
    """Seconds since 1970-01-01 UTC (m,), NaN if a text is not a date in this format. Times without a zone are UTC.

    Raises :class:`DataError` for an invalid format.
    """
    seconds = np.empty(len(texts))
    for start in range(0, len(texts), _BLOCK):
        if checkpoint is not None:
            checkpoint()
        block = [text.strip() for text in texts[start : start + _BLOCK]]
        seconds[start : start + _BLOCK] = _iso_seconds(block) if format == ISO else _seconds(block, format)
    return seconds


def parse_date_columns(columns: Sequence[Sequence[str]], format: str) -> list[FloatArray]:
    """The result of :func:`parse_dates` for each of several columns in one format."""
    if format == ISO or "%f" in format:  # a fraction of a second decides in which unit pandas reads all others
        return [parse_dates(texts, format) for texts in columns]
    seconds = parse_dates([text for texts in columns for text in texts], format)
    ends = np.cumsum([len(texts) for texts in columns]).tolist()
    return [seconds[end - len(texts) : end].copy() for texts, end in zip(columns, ends, strict=True)]


@lru_cache(maxsize=256)  # the attributes of a wide table have few formats
def check_format(format: str) -> None:
    """Raise :class:`DataError` if the format is not a valid ``strptime`` pattern."""
    _seconds(["2024-01-31"], format)


def _seconds(texts: Sequence[str], format: str) -> FloatArray:
    if len(format) > LONGEST_FORMAT:
        raise DataError(
            f"The pattern {format[:20]!r}... has more than {LONGEST_FORMAT} characters.",
            remedy="Name each part of the date once.",
        )
    if "%b" in format or "%B" in format:
        format = format.replace("%b", "%m").replace("%B", "%m")
        texts = [_WORD.sub(_month_number, text) for text in texts]
    few = len(texts) <= FEW_TEXTS and format in _NUMERIC_FORMATS
    try:
        return _few_parsed(texts, format) if few else _parsed(texts, format)
    except (re.error, ValueError, NotImplementedError) as error:
        raise DataError(
            f"Dates cannot be read by the pattern {format!r}: {str(error).rstrip('.')}.",
            remedy="Name each part of the date once.",
        ) from None


def _few_parsed(texts: Sequence[str], format: str) -> FloatArray:
    try:
        return np.array(
            [datetime.strptime(text, format).replace(tzinfo=UTC).timestamp() if text else math.nan for text in texts]
        )
    except ValueError:  # no date, or one that only pandas reads: the year 0, a leap second
        return _parsed(texts, format)


def _month_number(word: re.Match[str]) -> str:
    number = _MONTH_NUMBERS.get(word[0].lower())
    return word[0] if number is None else f"{number:02d}"


def _iso_seconds(texts: Sequence[str]) -> FloatArray:
    matches = [_ISO_DATE.fullmatch(text) for text in texts]
    if all(match is not None and match["zone"] is None for match in matches):
        try:
            return np.array(texts, dtype="datetime64[us]").astype(np.int64) / 1e6
        except ValueError:  # an invalid day such as 30 February: parse one by one
            pass
    return _parsed([text if match else "" for text, match in zip(texts, matches, strict=True)], "ISO8601")


def _parsed(texts: Sequence[str], format: str) -> FloatArray:
    import pandas as pd  # late: every command and the window load this module, but few need dates

    moments = pd.to_datetime(pd.Series(list(texts), dtype=object), format=format, errors="coerce", utc=True)
    values = moments.dt.tz_localize(None).to_numpy(dtype="datetime64[us]")
    seconds = values.astype(np.int64).astype(np.float64) / 1e6
    seconds[np.isnat(values)] = np.nan
    return seconds


# ---- parts of dates --------------------------------------------------------------------------------------------------

SECONDS_A_DAY: Final = 86_400.0
_LAST: Final = 2e11
"""Dates farther than this many seconds from 1970 (about 6,000 years) are outside the calendar's range."""


def _calendar(seconds: FloatArray, unit: str, within: str = "") -> FloatArray:
    """Whole units ("Y", "M", "D") since 1970, or days since the start of the unit ``within``; seconds are from 1970."""
    in_range = np.abs(seconds) < _LAST
    days = (np.where(in_range, np.floor(seconds), 0.0).astype(np.int64) // 86_400).astype("datetime64[D]")
    units = days - days.astype(f"datetime64[{within}]") if within else days.astype(f"datetime64[{unit}]")
    return np.where(in_range, units.astype(np.int64).astype(np.float64), np.nan)


def _weekday(seconds: FloatArray) -> FloatArray:
    return (np.floor(seconds / SECONDS_A_DAY) + 3) % 7 + 1


def _iso_week(seconds: FloatArray) -> FloatArray:
    """The week of ISO 8601: that of its Thursday, counted from the first Thursday of the year."""
    thursday = seconds + (4 - _weekday(seconds)) * SECONDS_A_DAY
    return np.floor(_calendar(thursday, "D", within="Y") / 7) + 1


PARTS_OF_DATES: Final[Mapping[str, Callable[[FloatArray], FloatArray]]] = {
    "year": lambda seconds: _calendar(seconds, "Y") + 1970,
    "quarter": lambda seconds: np.floor(_calendar(seconds, "M") % 12 / 3) + 1,
    "month": lambda seconds: _calendar(seconds, "M") % 12 + 1,
    "week": _iso_week,
    "day": lambda seconds: _calendar(seconds, "D", within="M") + 1,
    "weekday": _weekday,
    "yearday": lambda seconds: _calendar(seconds, "D", within="Y") + 1,
    "hour": lambda seconds: np.floor(seconds % SECONDS_A_DAY / 3600),
    "minute": lambda seconds: np.floor(seconds % 3600 / 60),
    "days": lambda seconds: seconds / SECONDS_A_DAY,
}
"""Parts by name, from seconds (n,): ``weekday`` is 1 (Monday) to 7, ``week`` that of ISO 8601, ``days`` from 1970."""


def _since_month(seconds: FloatArray) -> FloatArray:
    """Seconds since the start of the month (n,)."""
    return _calendar(seconds, "D", within="M") * SECONDS_A_DAY + seconds % SECONDS_A_DAY


def completed_months(later: FloatArray, earlier: FloatArray) -> FloatArray:
    """Completed calendar months between dates (n,), negative where ``later`` comes first.

    A month is complete on the same day and time of a later month; where the month has no such day, on the day after
    its last. So twelve of them are a year of age, and somebody born on 29 February is a year older on 1 March.
    """
    high, low = np.maximum(later, earlier), np.minimum(later, earlier)
    day_high, day_low = (
        _calendar(dates, "D", within="M") * SECONDS_A_DAY + dates % SECONDS_A_DAY for dates in (high, low)
    )
    months = _calendar(high, "M") - _calendar(low, "M") - (day_high < day_low)
    return np.where(later >= earlier, months, -months) + 0.0
