"""How the values of a table are written in its cells."""

from __future__ import annotations

from typing import Final

import numpy as np

from algorithms.core.columns import Column
from algorithms.core.recast import date_labels, number_label
from algorithms.core.schema import Attribute

LONG: Final = 11
"""A number of more characters than this is shortened where it is read."""
DIGITS: Final = 7
"""Significant digits that are left of it, and two after the point in any case."""


def briefly(text: str) -> str:
    """The text of a number in no more digits than are read: "0.30000000000000004" is "0.3". Whole numbers stay."""
    if len(text) <= LONG or ("." not in text and "e" not in text):
        return text
    whole = len(text.partition("e")[0].partition(".")[0].lstrip("-")) if "e" not in text else 0
    return min(f"{float(text):.{max(DIGITS, whole + 2)}g}", text, key=len)


def cell_texts(attribute: Attribute, values: Column) -> list[str | None]:
    """How the values of one column are written, None where missing."""
    if attribute.kind.is_coded:
        return [attribute.values[code] if code >= 0 else None for code in values.tolist()]
    if attribute.kind.is_string:
        return [value if isinstance(value, str) else None for value in values.tolist()]
    missing = np.isnan(values)
    if attribute.kind.value == "date":
        texts: list[str | None] = [None] * len(values)
        for row, text in zip(np.flatnonzero(~missing).tolist(), date_labels(values[~missing]).tolist(), strict=True):
            texts[row] = text.replace("T", " ")
        return texts
    return [None if gone else number_label(v) for v, gone in zip(values.tolist(), missing.tolist(), strict=True)]
