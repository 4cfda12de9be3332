"""Taking kept records from a file that anybody may have made: nothing in it may lead a compiled loop astray."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import ModelFileError
from algorithms.core.prototypes import Prototypes
from algorithms.core.schema import Schema

_TYPES: Final[Mapping[str, type[np.generic]]] = {
    "numbers": np.float64,
    "codes": np.int32,
    "labels": np.int32,
    "weights": np.float64,
    "row_ids": np.int64,
    "number_attribute": np.int32,
    "centre": np.float64,
    "unit": np.float64,
    "low": np.float64,
    "high": np.float64,
    "code_attribute": np.int32,
    "table_start": np.int32,
    "table": np.float64,
}
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
    for name, words in _WORDS.items():
        _require(values.get(name) in words, f"its {name} is unknown")
    k, power, width = values.get("k"), values.get("power"), values.get("kernel_width")
    _require(isinstance(k, int) and not isinstance(k, bool) and k >= 1, "its k is no number")
    for number in (power, width):
        _require(isinstance(number, int | float) and 0 < number < np.inf, "a setting is no number")
    typed = {name: _typed(name, arrays) for name in Prototypes.ARRAYS}
    assert isinstance(k, int) and isinstance(power, int | float) and isinstance(width, int | float)
    kept = Prototypes(
        schema=schema,
        distance=values["distance"],
        scaling=values["scaling"],
        missing=values["missing"],
        votes=values["votes"],
        k=k,
        power=float(power),
        kernel_width=float(width),
        **typed,
    )
    _check_shapes(kept)
    _check_contents(kept)
    return kept


def _require(truth: Any, what: str) -> None:
    if not bool(truth):
        raise ModelFileError(f"The saved records are damaged: {what}.", remedy="Save the model again.")


def _typed(name: str, arrays: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    _require(name in arrays, f"{name} is missing")
    array = arrays[name]
    _require(isinstance(array, np.ndarray) and array.dtype == np.dtype(_TYPES[name]), f"{name} is of another type")
    return np.ascontiguousarray(array)


def _check_shapes(kept: Prototypes) -> None:
    n, p, q = len(kept.labels), len(kept.number_attribute), len(kept.code_attribute)
    is_cosine = kept.distance == "cosine"
    values = sum(len(kept.schema.attributes[i].values) for i in _columns(kept, kept.code_attribute))
    width = p + values + 1 if is_cosine else p
    shapes = {
        "numbers": (n, width),
        "codes": (n, 0 if is_cosine else q),
        "labels": (n,),
        "weights": (n,),
        "row_ids": (n,),
        "number_attribute": (p,),
        "centre": (p,),
        "unit": (p,),
        "low": (width,),
        "high": (width,),
        "code_attribute": (q,),
        "table_start": (q,),
        "table": (len(kept.table),),
    }
    for name, shape in shapes.items():
        _require(getattr(kept, name).shape == shape, f"{name} is of another size")
    both = [*_columns(kept, kept.number_attribute), *_columns(kept, kept.code_attribute)]
    _require(sorted(both) == sorted(kept.schema.predictors), "it looks at other columns")


def _columns(kept: Prototypes, indices: NDArray[Any]) -> list[int]:
    _require(indices.ndim == 1, "it names no columns")
    found = [int(index) for index in indices]
    _require(all(0 <= index < len(kept.schema.attributes) for index in found), "it asks for no column")
    return found


def _check_contents(kept: Prototypes) -> None:
    _require(kept.n_classes >= 1, "it has no classes")
    _require(np.all((kept.labels >= 0) & (kept.labels < kept.n_classes)), "a record is of no class")
    _require(np.all(np.isfinite(kept.weights)) and np.all(kept.weights > 0), "a weight is none")
    _require(not np.any(np.isinf(kept.numbers)), "a number is infinite")
    _require(np.all(np.isfinite(kept.centre)) and np.all(kept.unit > 0), "a scale is none")
    _require(np.all(np.isfinite(kept.low)) and np.all(np.isfinite(kept.high)), "a range is none")
    _require(np.all(np.isfinite(kept.table)) and np.all(kept.table >= 0), "a difference is none")
    sizes = [len(kept.schema.attributes[index].values) ** 2 for index in kept.code_attribute.tolist()]
    used = sum(size for size, start in zip(sizes, kept.table_start.tolist(), strict=True) if start >= 0)
    _require(used == len(kept.table), "the differences of values are of another number")
    for at, index in enumerate(kept.code_attribute.tolist()):
        m, start = len(kept.schema.attributes[index].values), int(kept.table_start[at])
        _require(kept.schema.attributes[index].kind.is_coded, "a column has no values")
        _require(start == -1 or 0 <= start <= len(kept.table) - m * m, "the differences of values are missing")
        if kept.codes.shape[1]:
            _require(np.all((kept.codes[:, at] >= -1) & (kept.codes[:, at] < m)), "a value is none")
