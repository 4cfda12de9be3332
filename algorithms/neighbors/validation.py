"""Taking kept records from a file that anybody may have made: nothing in it may lead a compiled loop astray."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.array_state import (
    ArrayState,
    anything,
    finite,
    index,
    weights,
    whole,
)
from algorithms.core.plain_json import finite_number
from algorithms.core.prototypes import Prototypes
from algorithms.core.schema import Schema

_STATE: Final = ArrayState("The saved records are", {
    "numbers": anything("records", "width"),
    "codes": whole("records", "coded", lowest=-1),
    "labels": index("classes", "records"),
    "weights": weights("records"),
    "row_ids": whole("records", dtype=np.int64),
    "number_attribute": index("attributes", "numbers"),
    "centre": finite("numbers"),
    "unit": anything("numbers"),
    "low": finite("width"),
    "high": finite("width"),
    "code_attribute": index("attributes", "codes"),
    "table_start": whole("codes", lowest=-1),
    "table": weights("table"),
})  # fmt: skip
_MOST_K: Final = 2**53
_WORDS: Final = {
    "distance": (
        "euclidean", "manhattan", "minkowski", "chebyshev", "cosine", "heom", "gower", "value-difference", "exact",
    ),
    "scaling": ("range", "z-score", "none", "four-deviations"),
    "missing": ("far", "one", "ignore", "none"),
    "votes": ("majority", "inverse", "inverse-square", "kernel"),
}  # fmt: skip


def checked_prototypes(schema: Schema, arrays: Mapping[str, NDArray[Any]], values: Mapping[str, Any]) -> Prototypes:
    """Prototypes of these arrays and plain values; raises :class:`ModelFileError` where they are none."""
    require = _STATE.require
    for name, words in _WORDS.items():
        require(values.get(name) in words, f"its {name} is unknown")
    k, power, width = values.get("k"), finite_number(values.get("power")), finite_number(values.get("kernel_width"))
    require(type(k) is int and 1 <= k <= _MOST_K, "its k is no number of records")
    require(power is not None and power > 0 and width is not None and width > 0, "a setting is no number")
    require(len(schema.classes) >= 1, "it has no classes")
    read = _STATE.read(arrays, attributes=len(schema), classes=len(schema.classes))
    assert isinstance(k, int) and power is not None and width is not None
    kept = Prototypes(
        schema=schema,
        distance=values["distance"],
        scaling=values["scaling"],
        missing=values["missing"],
        votes=values["votes"],
        k=k,
        power=power,
        kernel_width=width,
        **read,
    )
    _check_shapes(kept)
    _check_contents(kept)
    return kept


def _check_shapes(kept: Prototypes) -> None:
    number, code, require = kept.number_attribute.tolist(), kept.code_attribute.tolist(), _STATE.require
    require(sorted([*number, *code]) == sorted(kept.schema.predictors), "it looks at other columns")
    require(all(kept.schema.attributes[column].kind.is_coded for column in code), "a column has no values")
    is_cosine, p = kept.distance == "cosine", len(number)
    values = sum(len(kept.schema.attributes[column].values) for column in code)
    require(kept.numbers.shape[1] == (p + values + 1 if is_cosine else p), "numbers is of another size")
    require(kept.codes.shape[1] == (0 if is_cosine else len(code)), "codes is of another size")


def _check_contents(kept: Prototypes) -> None:
    require = _STATE.require
    require(np.all(kept.weights > 0), "a weight is none")
    require(not np.any(np.isinf(kept.numbers)), "a number is infinite")
    require(np.all(kept.unit > 0), "a scale is none")
    sizes = [len(kept.schema.attributes[column].values) ** 2 for column in kept.code_attribute.tolist()]
    used = sum(size for size, start in zip(sizes, kept.table_start.tolist(), strict=True) if start >= 0)
    require(used == len(kept.table), "the differences of values are of another number")
    for at, column in enumerate(kept.code_attribute.tolist()):
        m, start = len(kept.schema.attributes[column].values), int(kept.table_start[at])
        require(start == -1 or 0 <= start <= len(kept.table) - m * m, "the differences of values are missing")
        if kept.codes.shape[1]:
            require(np.all((kept.codes[:, at] >= -1) & (kept.codes[:, at] < m)), "a value is none")
