"""Taking rules from a file that anybody may have made: nothing in it may lead a compiled loop astray."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.array_state import ArraySpec, ArrayState, anything, flags, index, offsets, weights
from algorithms.core.plain_json import finite_number
from algorithms.core.rule_set import RuleSet
from algorithms.core.schema import Schema

_STATE: Final = ArrayState("The saved rules are", {
    "rule_start": offsets("conditions", "rules+1"),
    "decision": index("classes", "rules"),
    "covered": weights("rules", "classes"),
    "decided": weights("rules", "classes"),
    "votes": weights("voters", "classes"),
    "attribute": index("attributes", "conditions"),
    "low": anything("conditions"),
    "high": anything("conditions"),
    "low_is_open": flags("conditions"),
    "offset": index("places", "conditions", lowest=-1),
    "value_in": flags("values"),
    "takes_missing": flags("conditions"),
    "missing_share": ArraySpec(dtype=np.float64, shape=("conditions",), lowest=0.0, highest=1.0, optional=True),
    "default_counts": weights("classes"),
})  # fmt: skip


def checked_rules(schema: Schema, arrays: Mapping[str, NDArray[Any]], values: Mapping[str, Any]) -> RuleSet:
    """Rules of these arrays and plain values; raises :class:`ModelFileError` where they are none over this schema."""
    default, ordered = values.get("default_decision"), values.get("is_ordered")
    correction, criterion = finite_number(values.get("correction")), values.get("criterion")
    require, k = _STATE.require, len(schema.classes)
    require(k >= 1, "it has no classes")
    require(type(default) is int and 0 <= default < k, "the default rule decides for no class")
    require(isinstance(ordered, bool), "it does not say whether its rules are a list")
    require(correction is not None and correction >= 0, "its correction is no number")
    require(isinstance(criterion, str), "it lacks its description")
    assert (
        isinstance(default, int) and correction is not None and isinstance(ordered, bool) and isinstance(criterion, str)
    )
    read = _STATE.read(arrays, attributes=len(schema), classes=k, places=_size(arrays.get("value_in")) + 1)
    require(len(read["votes"]) == (0 if ordered else len(read["decision"])), "votes is of another size")
    require(ordered or "missing_share" not in read, "rules that vote divide no record")
    rules = RuleSet(
        schema=schema,
        default_decision=default,
        is_ordered=ordered,
        correction=correction,
        criterion=criterion,
        by_coverage=values.get("by_coverage") is True,
        **read,
    )
    _check_conditions(rules)
    with np.errstate(over="ignore", invalid="ignore"):
        sums = rules.probabilities().sum(axis=1)
        voted = rules.votes.sum()
    require(np.isfinite(voted) and np.all(np.abs(sums - 1.0) < 1e-6), "its weights have no finite sum")
    return rules


def _size(array: Any) -> int:
    return int(array.size) if isinstance(array, np.ndarray) else 0


def _check_conditions(rules: RuleSet) -> None:
    """Each condition is about a predictor, and has the bounds or the values that suit it."""
    predictors, require = set(rules.schema.predictors), _STATE.require
    conditions = zip(rules.attribute.tolist(), rules.offset.tolist(), rules.low.tolist(), rules.high.tolist(),
                     strict=True)  # fmt: skip
    for column, offset, low, high in conditions:
        attribute = rules.schema.attributes[column]
        require(column in predictors, f"it asks for {attribute.name}")
        if attribute.kind.is_coded:
            within = offset >= 0 and offset + len(attribute.values) <= len(rules.value_in)
            require(within, f"the values of {attribute.name} are missing")
        else:
            require(offset == -1 and low == low and high == high, f"{attribute.name} has no bounds")
