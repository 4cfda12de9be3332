"""Taking linear models from a file that anybody may have made: nothing in it is believed before it was looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.array_state import (
    ArraySpec,
    ArrayState,
    anything,
    finite,
    flags,
    numbers,
    shares,
    spreads,
    weights,
)
from algorithms.core.checked_terms import TERM_ARRAYS, checked_terms
from algorithms.core.gaussians import Gaussians
from algorithms.core.hyperplanes import Axes, Hyperplanes
from algorithms.core.learner import State
from algorithms.core.schema import Schema

_WHAT: Final = "The saved model is"
_AXES: Final[Mapping[str, ArraySpec]] = {"loading": numbers("terms", "axes"), "share": finite("axes")}
_PLANES: Final = ArrayState(_WHAT, {
    **TERM_ARRAYS,
    **_AXES,
    "class_weight": weights("classes"),
    "weight": numbers("terms", "classes"),
    "bias": numbers("classes"),
    "covariance": finite("intervals", "classes", "classes"),
    "runs_away": flags("terms"),
    "follows": flags("terms"),
    "tested": replace(finite("tests", 3), optional=True),
    "profile": replace(anything("profiles", 3), optional=True),
})  # fmt: skip
_CLOUDS: Final = ArrayState(_WHAT, {
    **TERM_ARRAYS,
    **_AXES,
    "class_weight": weights("classes"),
    "prior": shares("classes"),
    "mean": numbers("classes", "terms"),
    "deviation": spreads("classes", "terms"),
    "root": numbers("classes", "terms", "terms"),
    "log_det": numbers("classes"),
    "blended": weights("classes"),
})  # fmt: skip
_KINDS: Final = ("logistic", "discriminant")
_PENALTIES: Final = ("none", "ridge", "lasso", "firth")


def checked_hyperplanes(schema: Schema, state: State) -> Hyperplanes:
    """The model in a saved state; raises :class:`ModelFileError` where it is none over this schema."""
    kind, penalty = state.values.get("kind"), state.values.get("penalty")
    _PLANES.require(kind in _KINDS and penalty in _PENALTIES, "it is of no known kind")
    k = len(schema.classes)
    _PLANES.require(k >= 1, "it has no classes")
    arrays = _PLANES.read(state.arrays, attributes=len(schema), classes=k)
    terms = checked_terms(schema, arrays)
    _PLANES.require(len(arrays["covariance"]) in (0, len(terms) + 1), "covariance is of another size")
    own = {name: arrays[name] for name in Hyperplanes.ARRAYS if name in arrays}
    tested, profile = own.get("tested", np.zeros((0, 3))), own.get("profile", np.zeros((0, 3)))
    index = tested[:, 0]
    _PLANES.require(np.all(np.isin(index, terms.attribute)) and np.all(tested[:, 1] >= 0) and np.all(tested[:, 2] >= 1),
                    "a test is of no attribute")  # fmt: skip
    _PLANES.require(len(profile) in (0, len(terms)), "profile is of another size")
    shares_of_chance = profile[np.isfinite(profile[:, 0]), 0]
    _PLANES.require(np.all((shares_of_chance >= 0) & (shares_of_chance <= 1)), "a p value is none")
    return Hyperplanes(schema, terms, **own, axes=_axes(arrays), kind=str(kind), penalty=str(penalty))


def checked_gaussians(schema: Schema, state: State) -> Gaussians:
    """The densities in a saved state; raises :class:`ModelFileError` where they are none over this schema."""
    k = len(schema.classes)
    _CLOUDS.require(k >= 1, "it has no classes")
    arrays = _CLOUDS.read(state.arrays, attributes=len(schema), classes=k)
    own = {name: arrays[name] for name in Gaussians.ARRAYS}
    return Gaussians(schema, checked_terms(schema, arrays), **own, axes=_axes(arrays))


def _axes(arrays: Mapping[str, NDArray[Any]]) -> Axes:
    """The discriminant axes among arrays that were read."""
    return Axes(arrays["loading"], arrays["share"])
