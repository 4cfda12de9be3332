"""What the verdict says of a model, whatever there is to look at in it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel

from algorithms.catalogue import builtin
from algorithms.core.run_control import RunContext
from algorithms.evaluation.costs.decision_rules import AtThreshold
from algorithms.evaluation.measures.metrics import report
from algorithms.evaluation.methods.methods import CrossValidation, Holdout
from algorithms.evaluation.report import baseline_sentence
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.trees.c45 import C45
from algorithms.text.numbers import coefficient
from tests.algorithms.evaluation.results import result_of
from tests.expected_texts import tabs_classify as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged, part, small_data
from workbench.tabs.classify.run_summary import interest_in, measures_of, structure_facts
from workbench.tabs.evaluate.numbers import headline_metrics


@pytest.mark.parametrize(
    ("learner", "title", "said"),
    [
        ("zero-r", "The model", wording.KNOWS_ONLY_FREQUENCIES),
        ("decision-stump", "The tree", wording.TREE_FACTS),
        ("one-r", "The rules", "rules"),
        ("naive-bayes", "The model", wording.WEIGHED_EACH),
        ("logistic-regression", "The model", wording.TERMS_WEIGHED_TOGETHER),
        ("quadratic-discriminant", "The model", wording.CLASSES_OF_OWN_SHAPE),
        ("neural-network", "The network", wording.TWENTY_HIDDEN_NODES),
        ("perceptron", "The network", wording.INPUTS_AND_1_OUTPUT),
        ("k-nearest-neighbors", "The records", wording.KEPT_60_ASKS_5),
        ("rote", "The records", wording.KEPT_60),
    ],
)
def test_a_model_is_described_by_what_it_is(learner: str, title: str, said: str) -> None:
    model = builtin().learners.get(learner)().fit(small_data(60), RunContext(seed=1))
    found, facts = structure_facts(model.structure(), 60)
    assert (found, facts.endswith(wording.ALL_60)) == (title, True)
    assert said in facts


def test_measures_name_their_class_among_several() -> None:
    shares = [[0.8, 0.1, 0.1], [0.2, 0.3, 0.5], [0.4, 0.3, 0.3], [0.2, 0.2, 0.6]]
    run = SimpleNamespace(report=report(result_of([0, 1, 2, 2], np.array(shares))))
    measures = measures_of(run, "c")
    assert [measure.name for measure in measures] == list(wording.MEASURES_OF_C)
    assert measures[-1].figure == coefficient(run.report.per_class[2].auc) != coefficient(run.report.auc)
    run = SimpleNamespace(report=report(result_of([0, 1], np.eye(2))))
    assert [measure.name for measure in measures_of(run, "b")] == ["Precision", "Recall", "F1", "AUC"]


def test_a_long_class_name_stands_once_above_its_measures(stage: Stage, wait_until: Wait) -> None:
    names = "diagnosis confirmed", "diagnosis not confirmed", "away"
    window = stage.window(1280, 720)
    stage.open(window.session, small_data(240, names))
    window.show_tab(1)
    judged(window.session, wait_until, C45(), CrossValidation(folds=3))
    above, first = part(window, QLabel, "classify.measured-class"), part(window, QLabel, "classify.measure.0")
    for code, name in enumerate(names):
        window.session.set_class_of_interest(code)
        wait_until(lambda name=name: name in above.text())
        assert above.isVisible() is (name != "away")
        assert (name in first.accessibleName()) is (name == "away")


def test_tests_of_a_repeated_method_are_not_called_records(stage: Stage, wait_until: Wait) -> None:
    """ "145 of 840 records" were missed of a table of 240; the link then selected 78."""
    window = stage.window(1280, 720)
    stage.open(window.session, small_data(240))
    window.show_tab(1)
    run = judged(window.session, wait_until, NaiveBayes(), CrossValidation(folds=3, repeats=3))
    code = interest_in(run.report, window.session.positive_label)
    counts, sentence = run.report.per_class[code].counts, part(window, QLabel, "classify.sentence")
    sentence.linkActivated.emit("missed")
    wait_until(lambda: len(window.session.selection) > 0)
    n_records = len(window.session.selection)
    assert n_records < counts.fn
    said = wording.yes_missed_tests(int(counts.fn), int(counts.tp + counts.fn), n_records)
    assert said in sentence.accessibleName() and wording.OF_720_TESTS in sentence.accessibleName()
    window.session.decisions.choose(run, AtThreshold("yes", 0.4))
    wait_until(lambda: said not in sentence.accessibleName())
    assert wording.TESTS_OF_YES_MISSED in sentence.accessibleName()


def test_an_interval_that_is_known_to_be_narrow_says_so_beside_it(stage: Stage, wait_until: Wait) -> None:
    """ "No warnings" stood above an interval of folds that covers 89% instead of 95%."""
    window = stage.window(1280, 720)
    stage.open(window.session, small_data(240))
    window.show_tab(1)
    run = judged(window.session, wait_until, C45(), CrossValidation(folds=10))
    headline = part(window, QLabel, "classify.verdict")
    assert headline.accessibleName().endswith(wording.SLIGHTLY_NARROW)
    assert headline.toolTip() == run.report.narrow and run.report.narrow
    assert headline_metrics(run.report, 1)[0].narrow[0] in wording.SLIGHTLY_NARROW
    judged(window.session, wait_until, C45(), Holdout())
    assert wording.SLIGHTLY_NARROW not in headline.accessibleName() and not headline.toolTip()
    assert headline_metrics(window.session.current_run.report, 1)[0].narrow == ("", "")


def test_only_nearest_neighbours_are_asked() -> None:
    model = builtin().learners.get("rote")().fit(small_data(60), RunContext(seed=1))
    assert "asked" not in structure_facts(model.structure(), 60)[1]


def test_the_baseline_is_compared_by_the_interval_of_the_accuracy() -> None:
    truth = np.arange(200) % 4 == 0
    shares = np.column_stack([np.ones(200), np.zeros(200)])
    own = report(result_of(truth.astype(int), shares, decision=(np.arange(200) < 3).astype(np.int64)))
    assert wording.INSIDE_THE_INTERVAL in baseline_sentence(own, names_interval=True)
