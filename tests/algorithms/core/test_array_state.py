"""A declared specification of arrays refuses every array that is not as declared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.core.array_state import ArrayState, flags, indices, numbers, offsets, shares, weights
from algorithms.core.errors import ModelFileError
from algorithms.core.plain_json import finite_number
from algorithms.learners.bayes import bayesian_network
from algorithms.learners.bayes import naive_bayes as bayes_validation
from algorithms.learners.neighbors import k_nearest as neighbors_validation
from algorithms.learners.rules import model as rules_validation
from algorithms.learners.trees import model as trees_validation
from algorithms.structures.bayes_network import BayesNetwork, Conditionals
from algorithms.structures.prototypes import Prototypes
from algorithms.structures.rule_set import RuleSet
from algorithms.structures.tree import Tree
from tests.expected_texts import core as wording

STATE = ArrayState("The saved thing is", {
    "start": offsets("items", "parts+1"),
    "attribute": indices("attributes", "items", lowest=-1),
    "yes": flags("items"),
    "weight": numbers("items"),
    "count": weights("parts", "classes"),
    "prior": shares("classes"),
})  # fmt: skip


def arrays(**changed: Any) -> dict[str, Any]:
    found: dict[str, Any] = {
        "start": np.array([0, 1, 3], dtype=np.int32),
        "attribute": np.array([0, -1, 3], dtype=np.int32),
        "yes": np.array([0, 1, 1], dtype=np.int8),
        "weight": np.array([-1.0, 0.0, 5.0]),
        "count": np.array([[1.0, 0.0], [0.5, 1e300]]),
        "prior": np.array([0.25, 0.75]),
    }
    return {**found, **changed}


def test_arrays_as_declared_are_read() -> None:
    read = STATE.read(arrays(), attributes=4, classes=2)
    assert all(np.array_equal(read[name], array) for name, array in arrays().items())


@pytest.mark.parametrize(
    "changed",
    [
        {"start": np.array([0, -(2**31), 3], dtype=np.int32)},
        {"start": np.array([0, 2**31 - 1, 3], dtype=np.int32)},
        {"start": np.array([0, 1, 2], dtype=np.int32)},
        {"start": np.array([1, 1, 3], dtype=np.int32)},
        {"start": np.zeros(0, dtype=np.int32)},
        {"start": np.array([[0, 1, 3]], dtype=np.int32)},
        {"start": np.array([0, 1, 3])},
        {"attribute": np.array([0, 4, 1], dtype=np.int32)},
        {"attribute": np.array([0, -2, 1], dtype=np.int32)},
        {"attribute": np.array([0, 1], dtype=np.int32)},
        {"yes": np.array([0, 1, 2], dtype=np.int8)},
        {"weight": np.array([np.nan, 0.0, 0.0])},
        {"weight": np.array([1e101, 0.0, 0.0])},
        {"count": np.array([[1.0, -1.0], [0.0, 0.0]])},
        {"count": np.array([[1.7e308, 1.7e308], [0.0, 0.0]])},
        {"count": np.array([[np.inf, 0.0], [0.0, 0.0]])},
        {"prior": np.array([0.25, 0.25])},
        {"prior": np.array([-0.25, 1.25])},
        {"prior": None},
        {"prior": [0.25, 0.75]},
    ],
)
def test_an_array_that_is_not_as_declared_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(ModelFileError, match=wording.SAVED_IS_DAMAGED):
        STATE.read(arrays(**changed), attributes=4, classes=2)


@pytest.mark.parametrize(
    ("state", "structure"),
    [
        (rules_validation._STATE, RuleSet),
        (trees_validation._STATE, Tree),
        (bayes_validation._STATE, Conditionals),
        (bayesian_network._STATE, BayesNetwork),
        (neighbors_validation._STATE, Prototypes),
    ],
)
def test_every_array_of_a_structure_is_declared(state: ArrayState, structure: Any) -> None:
    assert set(structure.ARRAYS) <= set(state.specs)
    optional = {name for name, spec in state.specs.items() if spec.optional}
    assert set(state.specs) - set(structure.ARRAYS) <= optional & set(structure.__dataclass_fields__)


@pytest.mark.parametrize("value", [True, "1", None, 10**400, float("inf"), float("nan")])
def test_what_no_float_can_hold_is_no_finite_number(value: Any) -> None:
    assert finite_number(value) is None
    assert finite_number(3) == 3.0
