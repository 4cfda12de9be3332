"""Rules that stand for any model: they learn its answers, and say how often both agree."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.rules.rule_extraction import ExtractedRules, MimicModel, TreeRules
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.oblique import ObliqueTree
from algorithms.learners.trees.stump import DecisionStump
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.structures.rule_set import RuleSet
from algorithms.structures.tree import Tree
from tests.algorithms.battery_data import mixed
from tests.expected_texts import learners as wording

OBLIQUE = ObliqueTree(folds=3, restarts=2, jumps=2)


def fit(data: Dataset, base: Learner, reader: Learner) -> MimicModel:
    model = ExtractedRules(base=base, reader=reader).fit(data, RunContext(seed=1))
    assert isinstance(model, MimicModel)
    return model


def test_they_learn_the_answers_of_the_model_not_the_classes_of_the_records() -> None:
    data = mixed(400, 3)
    stump = DecisionStump().fit(data, RunContext(seed=1))
    model = fit(data, DecisionStump(), TreeRules(base=C45(pruning="none", min_leaf=1)))
    assert model.predict(data).tolist() == stump.predict(data).tolist()
    assert np.mean(model.predict(data) == data.class_codes) < 0.9


def test_rules_that_say_just_what_the_model_says_are_wholly_faithful() -> None:
    assert fit(mixed(300, 4), DecisionStump(), DecisionStump()).fidelity.share == 1.0


@pytest.mark.parametrize("base", [OBLIQUE, C45(pruning="none"), Ripper()], ids=lambda base: base.id)
def test_the_fidelity_is_near_the_agreement_on_new_records(base: Learner) -> None:
    data, fresh = mixed(600, 5), mixed(4000, 6)
    model = fit(data, base, Ripper())
    taught = base.fit(data, RunContext(seed=1))
    agreement = np.mean(model.predict(fresh) == taught.predict(fresh))
    assert model.fidelity.total == pytest.approx(0.33 * 600, abs=5)
    assert model.fidelity.share == pytest.approx(agreement, abs=0.08)


def test_the_fidelity_is_said_with_the_records_it_was_found_on() -> None:
    model = fit(mixed(300, 4), Ripper(), C45())
    assert wording.SAYS_SAME_AS_RIPPER in model.remark()
    assert "held out" in model.explain(mixed(10, 1), 0).steps[-1]
    assert model.facts()["fidelity"] == model.fidelity.share


def test_they_are_rules_or_a_tree_as_the_reader_makes_them() -> None:
    data = mixed(200, 4)
    assert isinstance(fit(data, OBLIQUE, C45()).structure(), Tree)
    assert isinstance(fit(data, OBLIQUE, Ripper()).structure(), RuleSet)
    with pytest.raises(DataError, match=wording.NEITHER_RULES_NOR_TREE):
        fit(data, C45(), ZeroR())


def test_finished_early_nothing_is_said_of_the_fidelity() -> None:
    context = RunContext(seed=1)
    context.finish()
    model = ExtractedRules().fit(mixed(200, 4), context)
    assert model.partial
    assert wording.NOT_FOUND_OUT in model.remark()
