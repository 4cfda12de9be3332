"""Taking linear models from a file that anybody may have made: nothing in it is believed before it was looked at."""

from __future__ import annotations

from typing import Final

import numpy as np

from algorithms.core.checked_terms import WHOLE, checked_terms, require, shaped, typed
from algorithms.core.gaussians import Gaussians
from algorithms.core.hyperplanes import Axes, Hyperplanes
from algorithms.core.learner import State
from algorithms.core.schema import Schema

_WHOLE: Final = {**WHOLE, "runs_away": np.int8, "follows": np.int8}
_KINDS: Final = ("logistic", "discriminant")
_PENALTIES: Final = ("none", "ridge", "lasso")


def checked_hyperplanes(schema: Schema, state: State) -> Hyperplanes:
    """The model in a saved state; raises :class:`ModelFileError` where it is none over this schema."""
    kind, penalty = state.values.get("kind"), state.values.get("penalty")
    require(kind in _KINDS and penalty in _PENALTIES, "it is of no known kind")
    terms = checked_terms(schema, state)
    arrays = {name: typed(name, state, _WHOLE) for name in Hyperplanes.ARRAYS}
    t, k = len(terms), len(schema.classes)
    require(k >= 1, "it has no classes")
    shaped(arrays["class_weight"], (k,), "class_weight")
    require(np.all(arrays["class_weight"] >= 0), "a class has a weight below zero")
    shaped(arrays["weight"], (t, k), "weight")
    shaped(arrays["bias"], (k,), "bias")
    has_intervals = len(arrays["covariance"]) > 0
    shaped(arrays["covariance"], (t + 1 if has_intervals else 0, k, k), "covariance")
    for name in ("runs_away", "follows"):
        shaped(arrays[name], (t,), name)
    axes = checked_axes(t, state)
    return Hyperplanes(schema, terms, **arrays, axes=axes, kind=str(kind), penalty=str(penalty))


def checked_gaussians(schema: Schema, state: State) -> Gaussians:
    """The densities in a saved state; raises :class:`ModelFileError` where they are none over this schema."""
    terms = checked_terms(schema, state)
    arrays = {name: typed(name, state, _WHOLE) for name in Gaussians.ARRAYS}
    t, k = len(terms), len(schema.classes)
    require(k >= 1, "it has no classes")
    shapes = {"mean": (k, t), "deviation": (k, t), "root": (k, t, t)}
    for name in Gaussians.ARRAYS:
        shaped(arrays[name], shapes.get(name, (k,)), name)
    for name in ("class_weight", "prior", "blended"):
        require(np.all(arrays[name] >= 0), f"{name} holds what is below zero")
    require(abs(float(arrays["prior"].sum()) - 1.0) < 1e-6, "the shares of its classes do not sum to 1")
    require(np.all(arrays["deviation"] > 0), "a class has no spread")
    return Gaussians(schema, terms, **arrays, axes=checked_axes(t, state))


def checked_axes(t: int, state: State) -> Axes:
    """The discriminant axes over so many terms in a saved state."""
    loading, share = typed("loading", state), typed("share", state)
    require(share.ndim == 1, "its axes are no list")
    shaped(loading, (t, len(share)), "loading")
    shaped(share, (len(share),), "share")
    return Axes(loading, share)
