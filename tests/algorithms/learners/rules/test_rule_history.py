"""Rules step by step: the last step has the learner's own rules, and each step says what happened to the records."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.learners.rules.c45_rules import C45Rules
from algorithms.learners.rules.edited_rules import rules_listed
from algorithms.learners.rules.one_r import OneR
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.rules.rule_history import RuleHistory, RulePhase, history_of, sentence, step_rows, title
from algorithms.learners.rules.sequential_covering import SequentialCovering
from algorithms.structures.rule_set import RuleSet
from tests.algorithms.battery_data import mixed
from tests.algorithms.learners.rules.hand_made import sample
from tests.expected_texts import learners as wording

LEARNERS = [
    Ripper(),
    Ripper(pruning="none"),
    SequentialCovering(),
    SequentialCovering(order="by-rule", measure="entropy", beam=1),
    SequentialCovering(order="unordered", pruning="pessimistic"),
    SequentialCovering(pruning="reduced-error", min_weight=1.0),
    C45Rules(),
]
DATA = {"iris": sample("iris"), "mixed": mixed(300, 3, missing=0.15), "vertebrates": sample("vertebrates")}


def told(learner: Learner, data: str, seed: int = 1) -> RuleHistory:
    return history_of(learner, DATA[data], RunContext(seed=seed))


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: f"{learner.id} {learner.changed()}")
def test_the_last_step_has_the_rules_of_the_learner(learner: Learner, data: str) -> None:
    rules = learner.fit(DATA[data], RunContext(seed=1)).structure()
    assert isinstance(rules, RuleSet)
    found = told(learner, data)
    own = rules_listed(rules)
    assert [rule.conditions for rule in found.rules] == [rule.conditions for rule in own]
    assert found.steps[-1].phase is RulePhase.END and found.steps[-1].rules == found.rules


@pytest.mark.parametrize("data", ["iris", "mixed"])
def test_the_condition_that_ripper_adds_is_the_one_that_gains_most(data: str) -> None:
    found = told(Ripper(optimizations=0), data)
    grown = [step for step in found.steps if step.phase is RulePhase.GROW]
    assert grown
    for step in grown:
        best = step.weighed[0]
        chosen = next(each for each in step.weighed if each.is_chosen)
        assert chosen.worth == pytest.approx(best.worth, abs=1e-6)
        assert all(each.right <= each.covered for each in step.weighed)


def test_a_kept_rule_takes_its_records_away_and_a_dropped_one_leaves_them() -> None:
    found = told(Ripper(optimizations=0), "iris")
    left = None
    for step in found.steps:
        assert np.isin(step.covered, step.left).all()
        if step.phase is RulePhase.GROW and left is not None:
            assert np.array_equal(step.left, left)
        if step.phase is RulePhase.KEEP:
            assert step.bits is not None and step.fewest is not None and step.bits >= step.fewest
            left = np.setdiff1d(step.left, step.covered)
        if step.phase is RulePhase.BEGIN and left is not None:
            assert np.array_equal(step.left, left)


def test_a_rule_grows_by_one_condition_and_pruning_keeps_its_beginning() -> None:
    found = told(Ripper(), "mixed")
    pruned = [step for step in found.steps if step.phase is RulePhase.PRUNE]
    assert pruned
    for step in pruned:
        assert step.before is not None
        assert len(step.rule.conditions) <= len(step.before.conditions)


def test_who_finds_no_rule_after_the_other_cannot_be_followed() -> None:
    with pytest.raises(DataError, match=wording.ONE_RULE_AFTER_OTHER):
        told(OneR(), "iris")


@pytest.mark.parametrize("data", ["iris", "mixed"])
def test_c45_rules_lose_the_condition_without_which_they_err_least_and_the_best_subset_is_shown(data: str) -> None:
    found = told(C45Rules(), data)
    spared = [step for step in found.steps if step.phase is RulePhase.SPARE]
    assert spared
    for step in spared:
        assert step.before is not None
        least = min(each.worth for each in step.weighed)
        (chosen,) = [each for each in step.weighed if each.is_chosen]
        assert chosen.worth == pytest.approx(least)
        assert chosen.covered == pytest.approx(len(step.covered))
        assert len(step.rule.conditions) == len(step.before.conditions) - 1 == len(step.weighed) - 1
    choices = [step for step in found.steps if step.phase is RulePhase.CHOOSE]
    harmful = sum(step.phase is RulePhase.HARM for step in found.steps)
    assert sum(each.is_kept for step in choices for each in step.compared) == len(found.rules) + harmful
    candidates = sum(step.phase is RulePhase.CANDIDATE for step in found.steps)
    assert sum(len(step.compared) for step in choices) == candidates
    for at in range(len(found.steps)):
        assert title(found, at) and sentence(found, at)
    assert len(step_rows(found)) == len(found.steps) + 1
