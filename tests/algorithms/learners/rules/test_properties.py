"""What holds for every learner of rules, on any records."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.learners.rules.association_rules import ClassAssociationRules
from algorithms.learners.rules.c45_rules import C45Rules
from algorithms.learners.rules.model import RankedData
from algorithms.learners.rules.one_r import OneR
from algorithms.learners.rules.part import Part
from algorithms.learners.rules.ripper import ClassRules, Ripper, RipperData
from algorithms.learners.rules.sequential_covering import SequentialCovering
from algorithms.structures.rule_set import RuleSet
from tests.algorithms.battery_data import mixed, with_codes
from tests.algorithms.learners.rules.hand_made import meets

WITHOUT_A_SPLIT: tuple[Learner, ...] = (
    Ripper(pruning="none"),
    SequentialCovering(beam=2, pruning="pessimistic"),
    SequentialCovering(beam=1, order="by-rule", measure="entropy", significance=0.01),
    C45Rules(),
    Part(),
    ClassAssociationRules(max_conditions=2),
    OneR(),
)
LISTS = (*WITHOUT_A_SPLIT, Ripper())


def fit(learner: Learner, data: Dataset) -> RuleSet:
    rules = learner.fit(data, RunContext(seed=1)).structure()
    assert isinstance(rules, RuleSet)
    return rules


@given(st.integers(0, 10_000), st.integers(20, 60), st.sampled_from(WITHOUT_A_SPLIT))
@settings(max_examples=30, deadline=None)
def test_a_weight_is_as_good_as_so_many_equal_records(seed: int, n: int, learner: Learner) -> None:
    data, times = mixed(n, seed, missing=0.1), np.random.default_rng(seed).integers(1, 4, n)
    weighed = fit(learner, data.with_weights(times.astype(np.float64)))
    repeated = fit(learner, data.take(np.repeat(np.arange(n), times)))
    assert weighed.decision.tolist() == repeated.decision.tolist()
    assert weighed.attribute.tolist() == repeated.attribute.tolist()
    assert weighed.covered == pytest.approx(repeated.covered)
    assert weighed.decided == pytest.approx(repeated.decided)
    assert weighed.default_decision == repeated.default_decision


@given(st.integers(0, 10_000), st.integers(20, 120), st.sampled_from(LISTS))
@settings(max_examples=30, deadline=None)
def test_the_rules_of_a_list_decide_different_records_and_leave_the_rest_to_the_default_rule(
    seed: int, n: int, learner: Learner
) -> None:
    data = mixed(n, seed, missing=0.0 if isinstance(learner, Part) else 0.1)  # PART divides such records
    rules = fit(learner, data)
    left = np.ones(n, dtype=bool)
    for rule in range(rules.n_rules):
        alone = meets(rules, rule, data) & left
        decided = np.bincount(data.class_codes[alone], minlength=rules.n_classes)
        assert rules.decided[rule].tolist() == decided.tolist()
        left &= ~alone
    assert rules.default_counts.sum() == left.sum()


@given(st.integers(0, 10_000), st.integers(30, 300), st.floats(0.0, 0.6))
@settings(max_examples=30, deadline=None)
def test_leaving_out_a_rule_that_ripper_kept_never_shortens_the_description(seed: int, n: int, noise: float) -> None:
    from algorithms.learners.rules.growing_kernels import exception_bits, rule_bits

    random, data = np.random.default_rng(seed), mixed(n, seed)
    data = with_codes(data, np.where(random.random(n) < noise, random.integers(0, 4, n), data.class_codes))
    ground = RipperData(RankedData.of(data, lambda: None), Ripper(), RunContext(seed=seed))
    one = ClassRules(ground, ground.every, 0, float(np.mean(data.class_codes == 0)), 0)
    one.learn()

    def bits(bodies: list[np.ndarray]) -> float:
        left, found = ground.every, np.zeros(2)
        for body in bodies:
            left, stat = one._part(left, body)
            found = found + stat
        spelled = sum(float(rule_bits(one.task, len(body))) for body in bodies)
        return spelled + float(exception_bits(one.task, found.sum(), found[1], one.task[0] - found[0]))

    whole = bits(one.bodies)
    for out in range(len(one.bodies)):
        assert bits(one.bodies[:out] + one.bodies[out + 1 :]) >= whole - 1e-6
