"""Taking rules from a file that anybody may have made: nothing in it may lead a compiled loop astray."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import ModelFileError
from algorithms.core.rule_set import RuleSet
from algorithms.core.schema import Schema

_TYPES: Final[Mapping[str, type[np.generic]]] = {
    "rule_start": np.int32,
    "decision": np.int32,
    "covered": np.float64,
    "decided": np.float64,
    "votes": np.float64,
    "attribute": np.int32,
    "low": np.float64,
    "high": np.float64,
    "low_is_open": np.int8,
    "offset": np.int32,
    "value_in": np.int8,
    "takes_missing": np.int8,
    "default_counts": np.float64,
}


def checked_rules(schema: Schema, arrays: Mapping[str, NDArray[Any]], values: Mapping[str, Any]) -> RuleSet:
    """Rules of these arrays and plain values; raises :class:`ModelFileError` where they are none over this schema."""
    default, ordered = values.get("default_decision"), values.get("is_ordered")
    correction, criterion = values.get("correction"), values.get("criterion")
    _require(isinstance(default, int) and not isinstance(default, bool), "its default rule is missing")
    _require(isinstance(ordered, bool), "it does not say whether its rules are a list")
    _require(isinstance(correction, int | float) and 0 <= correction < np.inf, "its correction is no number")
    _require(isinstance(criterion, str), "it lacks its description")
    typed = {name: _typed(name, arrays) for name in RuleSet.ARRAYS}
    assert isinstance(default, int) and isinstance(ordered, bool) and isinstance(criterion, str)
    rules = RuleSet(
        schema=schema,
        default_decision=default,
        is_ordered=ordered,
        correction=float(correction or 0.0),
        criterion=criterion,
        by_coverage=values.get("by_coverage") is True,
        **typed,
    )
    _check_rules(rules)
    _check_conditions(rules)
    return rules


def _require(truth: Any, what: str) -> None:
    if not bool(truth):
        raise ModelFileError(f"The saved rules are damaged: {what}.", remedy="Save the model again.")


def _typed(name: str, arrays: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    _require(name in arrays, f"{name} is missing")
    array = arrays[name]
    _require(isinstance(array, np.ndarray) and array.dtype == np.dtype(_TYPES[name]), f"{name} is of another type")
    return np.ascontiguousarray(array)


def _check_rules(rules: RuleSet) -> None:
    r, k = len(rules.decision), len(rules.schema.classes)
    _require(k >= 1, "it has no classes")
    _require(rules.rule_start.shape == (r + 1,) and rules.rule_start[0] == 0, "its rules have no beginning")
    _require(np.all(np.diff(rules.rule_start) >= 0), "its rules overlap")
    _require(rules.rule_start[-1] == len(rules.attribute), "its conditions belong to no rule")
    _require(np.all((rules.decision >= 0) & (rules.decision < k)), "a rule decides for no class")
    _require(0 <= rules.default_decision < k, "the default rule decides for no class")
    shapes = {"covered": (r, k), "decided": (r, k), "votes": (0 if rules.is_ordered else r, k), "default_counts": (k,)}
    for name, shape in shapes.items():
        array = getattr(rules, name)
        _require(array.shape == shape, f"{name} is of another size")
        _require(np.all(np.isfinite(array)) and np.all(array >= 0), f"{name} holds what is no weight")


def _check_conditions(rules: RuleSet) -> None:
    c, attributes = len(rules.attribute), rules.schema.attributes
    for name in ("low", "high", "low_is_open", "offset", "takes_missing"):
        _require(getattr(rules, name).shape == (c,), f"{name} is of another size")
    _require(rules.value_in.ndim == 1 and rules.decision.ndim == 1 and rules.attribute.ndim == 1, "it is no list")
    for name in ("low_is_open", "takes_missing", "value_in"):
        _require(np.all(np.isin(getattr(rules, name), (0, 1))), f"{name} is neither yes nor no")
    _require(np.all((rules.attribute >= 0) & (rules.attribute < len(attributes))), "it asks for no column")
    for index, offset, low, high in zip(rules.attribute, rules.offset, rules.low, rules.high, strict=True):
        attribute = attributes[int(index)]
        _require(int(index) in rules.schema.predictors, f"it asks for {attribute.name}")
        if attribute.kind.is_coded:
            within = offset >= 0 and offset + len(attribute.values) <= len(rules.value_in)
            _require(within, f"the values of {attribute.name} are missing")
        else:
            _require(offset == -1 and not np.isnan(low) and not np.isnan(high), f"{attribute.name} has no bounds")
