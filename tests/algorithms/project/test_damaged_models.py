"""Whatever a stranger changes in a saved model, it is refused or gives probabilities."""

from __future__ import annotations

import pytest

from algorithms.catalogue import builtin
from tests.algorithms.project.damaged_models import GOOD, names, outcome, subject_of, tried

REGISTRY = builtin()
_MUTANTS = 12


@pytest.mark.parametrize("name", names(REGISTRY))
def test_a_damaged_model_is_refused_or_gives_probabilities_that_sum_to_one(name: str) -> None:
    subject = subject_of(name, REGISTRY)
    assert outcome(subject.content, subject.records, REGISTRY) == "used"
    ends = {seed: tried(subject, seed, REGISTRY) for seed in range(_MUTANTS)}
    assert not {seed: end for seed, end in ends.items() if end[0] not in GOOD}


@pytest.mark.parametrize(("name", "seed"), [("edited-tree/0", 6579), ("one-vs-one/0", 9964)])
def test_mutants_that_once_broke_a_model_are_refused(name: str, seed: int) -> None:
    assert tried(subject_of(name, REGISTRY), seed, REGISTRY)[0] == "refused"
