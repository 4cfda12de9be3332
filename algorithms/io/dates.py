"""Dates as files write them: which format a column has, and its values as seconds since 1970-01-01 UTC."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

from algorithms.core.columns import FloatArray

_TIME: Final = r"[T ]\d{1,2}:\d{2}(:\d{2}(\.\d{1,9})?)?( ?Z|[+-]\d{2}:?\d{2})?"
_FORMATS: Final = (
    (re.compile(r"\d{4}-\d{2}-\d{2}"), ("%Y-%m-%d",)),
    (re.compile(r"\d{4}-\d{2}-\d{2}" + _TIME), ("ISO8601",)),
    (re.compile(r"\d{4}/\d{1,2}/\d{1,2}"), ("%Y/%m/%d",)),
    (re.compile(r"\d{4}/\d{1,2}/\d{1,2} \d{1,2}:\d{2}"), ("%Y/%m/%d %H:%M",)),
    (re.compile(r"\d{4}/\d{1,2}/\d{1,2} \d{1,2}:\d{2}:\d{2}"), ("%Y/%m/%d %H:%M:%S",)),
    (re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}"), ("%d.%m.%Y",)),
    (re.compile(r"\d{1,2}\.\d{1,2}\.\d{4} \d{1,2}:\d{2}"), ("%d.%m.%Y %H:%M",)),
    (re.compile(r"\d{1,2}\.\d{1,2}\.\d{4} \d{1,2}:\d{2}:\d{2}"), ("%d.%m.%Y %H:%M:%S",)),
    (re.compile(r"\d{1,2}/\d{1,2}/\d{4}"), ("%d/%m/%Y", "%m/%d/%Y")),
    (re.compile(r"\d{1,2}/\d{1,2}/\d{4} \d{1,2}:\d{2}"), ("%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M")),
    (re.compile(r"\d{1,2}/\d{1,2}/\d{4} \d{1,2}:\d{2}:\d{2}"), ("%d/%m/%Y %H:%M:%S", "%m/%d/%Y %H:%M:%S")),
    (re.compile(r"\d{1,2}-\d{1,2}-\d{4}"), ("%d-%m-%Y", "%m-%d-%Y")),
    (re.compile(r"\d{1,2}[- ][A-Za-z]{3}[- ]\d{4}"), ("%d-%b-%Y", "%d %b %Y")),
    (re.compile(r"[A-Z][a-z]{2} \d{1,2}, \d{4}"), ("%b %d, %Y",)),
)


def date_format(examples: Sequence[str]) -> str | None:
    """The one format in which all the examples are dates; None where there is none, or two that disagree.

    04/05/2024 alone says nothing; among 25/12/2024 it is the 4th of May.
    """
    if not examples:
        return None
    for pattern, formats in _FORMATS:
        if pattern.fullmatch(examples[0]) is None:
            continue
        if not all(pattern.fullmatch(example) for example in examples):
            return None
        fitting = [f for f in formats if not np.isnan(parse_dates(examples, f)).any()]
        return fitting[0] if len(fitting) == 1 else None
    return None


def parse_dates(texts: Sequence[str], format: str) -> FloatArray:
    """Seconds since 1970-01-01 UTC, NaN where a text is not a date in this format. Times without a zone are UTC."""
    given = pd.Series(list(texts), dtype=object)
    moments = pd.to_datetime(given, format=format, errors="coerce", utc=True)
    values = moments.dt.tz_localize(None).to_numpy(dtype="datetime64[us]")
    seconds = values.astype(np.int64).astype(np.float64) / 1e6
    seconds[np.isnat(values)] = np.nan
    return seconds
