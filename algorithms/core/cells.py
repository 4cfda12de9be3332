"""How the values of a table are written in its cells."""

from __future__ import annotations

import numpy as np

from algorithms.core.columns import Column
from algorithms.core.recast import date_labels, number_label
from algorithms.core.schema import Attribute


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
