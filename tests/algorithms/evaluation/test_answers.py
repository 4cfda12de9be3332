"""What a run said of each record it tested: from the very tests, whatever the order and number of records."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from algorithms.core.record_costs import RecordCosts
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost, DecisionRule, active_choice
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.runner import evaluate
from algorithms.evaluation.tested_records import Answer, TestPredictions, with_answers
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import evaluation as wording
from tests.workbench.window_helpers import small_data


def made(repeats: int = 1, n: int = 40) -> tuple[Dataset, EvaluationResult]:
    """A table and a result on it whose decisions and probabilities are drawn at random."""
    data = small_data(n, ("a", "b", "c"))
    result = evaluate(ZeroR(), data, CrossValidation(folds=4, repeats=repeats), RunContext(seed=1))
    random = np.random.default_rng(4)
    probabilities = random.dirichlet(np.ones(3), len(result))
    decision = probabilities.argmax(axis=1).astype(np.int32)
    return data, replace(result, probabilities=probabilities, decision=decision)


def test_every_tested_record_has_the_decision_and_its_probability() -> None:
    _, result = made()
    answers = TestPredictions.of(result, result.decision)
    for test, id in enumerate(result.row_ids.tolist()):
        code = int(result.decision[test])
        ids = np.array([id])
        assert answers.texts(Answer.SAID, ids) == [result.classes[code]]
        assert answers.texts(Answer.SURE, ids) == [f"{100 * result.probabilities[test, code]:.1f}"]
        truth = result.classes[int(result.truth[test])]
        right = "yes" if result.truth[test] == code else f"no, actual {truth}"
        assert answers.texts(Answer.JUDGED, ids) == [right]


def test_untested_records_have_no_answer_and_come_last() -> None:
    data, result = made()
    answers = TestPredictions.of(result, result.decision)
    ids = np.array([1000, *data.row_ids.tolist(), -5])
    for which in Answer:
        assert answers.texts(which, ids)[0] is answers.texts(which, ids)[-1] is None
        for descending in (False, True):
            assert set(answers.order(which, ids, descending)[-2:].tolist()) == {0, len(ids) - 1}


def test_of_several_tests_the_class_said_most_often_counts() -> None:
    data, result = made(repeats=5)
    answers = TestPredictions.of(result, result.decision)
    for id in data.row_ids.tolist():
        tests = result.row_ids == id
        votes = np.bincount(result.decision[tests], minlength=3)
        said = int(answers.said[answers.places(np.array([id]))[0]])
        assert votes[said] == votes.max()
        own = [result.probabilities[tests & (result.decision == code), code].sum() for code in range(3)]
        assert all(own[said] >= own[code] for code in np.flatnonzero(votes == votes.max()))
        sure = 100 * float(result.probabilities[tests, said].mean())
        assert float(answers.texts(Answer.SURE, np.array([id]))[0] or "nan") == pytest.approx(sure, abs=0.06)
        n_wrong = int(np.count_nonzero(result.decision[tests] != result.truth[tests]))
        truth = result.classes[int(result.truth[tests][0])]
        often = "" if n_wrong == 5 else f" in {n_wrong} of 5"
        words = wording.wrong_is(often, truth) if n_wrong else "yes"
        assert answers.texts(Answer.JUDGED, np.array([id])) == [words]


def test_records_are_sorted_by_what_was_said_of_them() -> None:
    data, result = made(repeats=3)
    answers, ids = TestPredictions.of(result, result.decision), data.row_ids[::-1]
    sure = [float(text or "nan") for text in answers.texts(Answer.SURE, ids[answers.order(Answer.SURE, ids, True)])]
    assert sure == sorted(sure, reverse=True)
    said = answers.texts(Answer.SAID, ids[answers.order(Answer.SAID, ids, False)])
    assert said == sorted(str(text) for text in said)
    at = answers.places(ids[answers.order(Answer.JUDGED, ids, True)])
    assert np.all(np.diff(answers.n_wrong[at]) <= 0), "what was wrong most often comes first"


def test_answers_become_columns_of_a_table() -> None:
    data, result = made()
    answers = TestPredictions.of(result, result.decision)
    part = data.take([7, 3, 30])
    told = with_answers(part, answers, 2)
    assert told.schema.names == (*data.schema.names, wording.run_said(2), "probability", "correct")
    assert [a.kind for a in told.schema.attributes[-3:]] == [
        AttributeKind.NOMINAL,
        AttributeKind.NUMERIC,
        AttributeKind.NOMINAL,
    ]
    texts = answers.texts(Answer.SAID, part.row_ids)
    assert [told.schema.attributes[-3].values[code] for code in told.column(wording.run_said(2)).tolist()] == texts
    assert with_answers(told, answers, 2).schema.names[-3:] == (wording.RUN_2_SAID_AGAIN, "probability 2", "correct 2")


def test_other_decisions_have_other_answers() -> None:
    data, result = made()
    at = DecisionRule(result.classes, AtThreshold("b", 0.0), None).of(result)
    assert set(at.tolist()) == {1}
    costs = RecordCosts(np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [99.0, 99.0, 0.0]]))
    by_cost = DecisionRule(result.classes, ByCost(), costs).of(result)
    assert np.count_nonzero(by_cost == 2) > np.count_nonzero(result.decision == 2)
    for choice, table in ((ByCost(), None), (None, costs)):
        assert DecisionRule(result.classes, choice, table).of(result) is result.decision
    assert TestPredictions.of(result, at).texts(Answer.SAID, data.row_ids) == ["b"] * len(data)


def test_a_choice_is_in_force_for_its_class_and_while_there_are_costs() -> None:
    at = AtThreshold("yes", 0.3)
    assert active_choice(at, "yes", False) == at and active_choice(at, "no", True) is None
    assert active_choice(ByCost(), "yes", True) == ByCost() and active_choice(ByCost(), "yes", False) is None
