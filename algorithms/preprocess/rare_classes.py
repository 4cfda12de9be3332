"""Leaving out the records of some classes, for example of those too rare to be judged by."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from algorithms.core.columns import smallest_code_dtype
from algorithms.core.data import Dataset
from algorithms.core.errors import DataError


def without_classes(data: Dataset, labels: Collection[str]) -> Dataset:
    """The records of the other classes, and those without a class; the labels leave the list of classes too.

    Raises :class:`DataError` where fewer than two classes would remain.
    """
    attribute = data.schema.class_attribute
    kept = [code for code, label in enumerate(attribute.values) if label not in labels]
    if len(kept) < 2:
        raise DataError("Fewer than two classes would remain.", remedy="Leave out fewer.", place=attribute.name)
    table = np.full(len(attribute.values) + 1, -2, dtype=np.int64)
    table[kept] = np.arange(len(kept))
    table[-1] = -1  # a missing class, code -1, stays missing
    codes = table[data.class_codes]
    stays = codes >= -1
    named = replace(attribute, values=tuple(attribute.values[code] for code in kept))
    shrunk = codes[stays].astype(smallest_code_dtype(len(kept)))
    assert data.schema.class_index is not None
    return data.take(stays).with_column(data.schema.class_index, named, shrunk)
