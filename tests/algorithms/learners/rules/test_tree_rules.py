"""Rules read off trees: exactly one fires, and says what the tree says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.core.errors import DataError, UnsuitableDataError
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.learners.rules.c45_rules import C45Rules
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.rules.rule_extraction import TreeRules
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.chaid import Chaid
from algorithms.learners.trees.oblique import ObliqueTree
from algorithms.learners.trees.stump import DecisionStump
from algorithms.structures.rule_set import RuleSet
from tests.algorithms.battery_data import mixed
from tests.algorithms.learners.rules.hand_made import meets
from tests.expected_texts import learners as wording

TREES: tuple[Learner, ...] = (
    C45(),
    C45(pruning="none", nominal_splits="grouped"),
    C45(numeric_splits="entropy", criterion="information-gain"),
    Cart(pruning="none"),
    Chaid(),
    DecisionStump(),
)


def fit(learner: Learner, data: Dataset) -> RuleSet:
    rules = learner.fit(data, RunContext(seed=1)).structure()
    assert isinstance(rules, RuleSet)
    return rules


@given(st.integers(0, 10_000), st.integers(20, 150), st.sampled_from(TREES))
@settings(max_examples=30, deadline=None)
def test_rules_of_a_tree_predict_as_the_tree(seed: int, n: int, base: Learner) -> None:
    data, fresh = mixed(n, seed), mixed(60, seed + 1)
    tree, rules = base.fit(data, RunContext(seed=1)), TreeRules(base=base).fit(data, RunContext(seed=1))
    is_grouped = isinstance(base, Chaid) or (isinstance(base, C45) and base.nominal_splits == "grouped")
    for table in (data, *(() if is_grouped else (fresh,))):  # a value new to a node of sets divides the record there
        assert rules.predict(table).tolist() == tree.predict(table).tolist()
        assert rules.predict_proba(data) == pytest.approx(tree.predict_proba(data))


@pytest.mark.parametrize("base", [Chaid(), DecisionStump()], ids=["chaid", "stump"])
@pytest.mark.parametrize("seed", range(4))
def test_where_missing_values_follow_one_branch_they_do_in_rules_too(base: Learner, seed: int) -> None:
    data, fresh = mixed(200, seed, missing=0.2), mixed(100, seed + 50, missing=0.4)
    tree, rules = base.fit(data, RunContext(seed=1)), TreeRules(base=base).fit(data, RunContext(seed=1))
    assert rules.predict(fresh).tolist() == tree.predict(fresh).tolist()


@given(st.integers(0, 10_000), st.sampled_from(TREES), st.booleans())
@settings(max_examples=25, deadline=None)
def test_exactly_one_rule_fires_for_any_record(seed: int, base: Learner, missing: bool) -> None:
    rules = fit(TreeRules(base=base), mixed(120, seed, missing=0.3 if missing else 0.0))
    records = mixed(80, seed + 1, missing=0.5 if missing else 0.0)
    fired = sum(meets(rules, rule, records).astype(int) for rule in range(rules.n_rules))
    assert np.asarray(fired).tolist() == [1] * len(records)


def test_where_no_training_record_lacks_a_value_no_condition_speaks_of_it() -> None:
    assert not fit(TreeRules(), mixed(200, 3)).takes_missing.any()
    assert fit(TreeRules(), mixed(200, 3, missing=0.2)).takes_missing.any()


def test_simplified_rules_are_those_of_c45_rules() -> None:
    data = mixed(300, 3, missing=0.1)
    simplified = fit(TreeRules(base=C45(pruning="none"), form="simplified"), data)
    own = fit(C45Rules(), data)
    assert simplified.decision.tolist() == own.decision.tolist()
    assert simplified.n_rules < fit(TreeRules(base=C45(pruning="none")), data).n_rules


def test_what_is_no_tree_or_weighs_several_numbers_is_refused_in_words() -> None:
    data = mixed(100, 1)
    with pytest.raises(UnsuitableDataError, match=wording.SPLITS_ON_COMBINATIONS):
        TreeRules(base=ObliqueTree()).fit(data, RunContext(seed=1))
    with pytest.raises(DataError, match="no tree"):
        TreeRules(base=Ripper()).fit(data, RunContext(seed=1))
