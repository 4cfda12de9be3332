"""Every learner takes weights at the ends of what a number can hold, alone and mixed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.learner import Learner, with_bounded_weights
from algorithms.core.run_control import RunContext
from tests.algorithms.battery import sound, suiting
from tests.algorithms.battery_data import mixed, through_disk
from tests.algorithms.project.damaged_models import VARIANTS, few

REGISTRY = builtin()
_N = 40
_RANDOM = np.random.default_rng(0)
WEIGHTS = {
    "huge": np.full(_N, 1e300),
    "tiny": np.full(_N, 1e-300),
    "mixed": _RANDOM.choice([1e300, 1.0, 1e-300], _N),
}
CASES = [(kind, 0, weights) for kind in REGISTRY.learners for weights in WEIGHTS]
CASES += [(kind, 1 + at, "mixed") for kind in REGISTRY.learners for at in range(len(VARIANTS.get(kind.id, ())))]


@pytest.mark.parametrize(
    ("kind", "number", "weights"), CASES, ids=[f"{kind.id}/{number}-{weights}" for kind, number, weights in CASES]
)
def test_extreme_weights_are_learned_from_and_the_model_is_loaded_again(
    kind: type[Learner], number: int, weights: str
) -> None:
    learner = few(kind, **({}, *VARIANTS.get(kind.id, ()))[number])
    data = suiting(learner, _N, missing=0.1).with_weights(WEIGHTS[weights])
    model = learner.fit(data, RunContext(seed=1))
    sound(model, data)
    state = replace(through_disk(model.to_state()), kinds=REGISTRY.models.get)
    assert REGISTRY.models.get(model.id).from_state(model.schema, state).facts() == model.facts()


def test_ordinary_weights_stay_as_they_are() -> None:
    data = mixed(_N, weighted=True)
    assert with_bounded_weights(data) is data
    assert with_bounded_weights(mixed(_N)).weights is None
    nothing = data.with_weights(np.zeros(_N))
    assert with_bounded_weights(nothing) is nothing


def test_extreme_weights_keep_their_proportions() -> None:
    weights = with_bounded_weights(mixed(4).with_weights([1e300, 3e300, 1e200, 0.0])).weight_array
    assert weights[1] / weights[0] == 3e300 / 1e300
    assert weights[1] <= 1e30 and weights[2:].tolist() == [0.0, 0.0]
    light = with_bounded_weights(mixed(2).with_weights([1e-300, 2e-300])).weight_array
    assert light[1] == 2 * light[0] > 1e-32
