"""What the verdict says of a model, whatever there is to look at in it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QLabel

from algorithms.catalogue import builtin
from algorithms.core.run_control import RunContext
from algorithms.evaluation.compare.comparison import ahead_of_baseline, beside_baseline
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost
from algorithms.evaluation.measures.metrics import report
from algorithms.evaluation.methods.methods import CrossValidation, Holdout
from algorithms.evaluation.report import baseline_sentence
from algorithms.evaluation.result import EvaluationResult
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.trees.c45 import C45
from algorithms.text.numbers import coefficient, p_words, percent
from tests.algorithms.evaluation.results import result_of
from tests.expected_texts import tabs_classify as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged, part, small_data
from workbench.style.theme import themes
from workbench.tabs.classify.run_summary import interest_in, measures_of, structure_facts
from workbench.tabs.evaluate.numbers import headline_metrics
from workbench.widgets.interval_axis import IntervalAxis
from workbench.widgets.labels import LinkLabel


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
    assert isinstance(sentence, LinkLabel), "the link says what it does, with the number of records that it selects"
    assert ("missed", wording.select_missed(n_records)) in sentence.links()
    window.session.decisions.choose(run, AtThreshold("yes", 0.4))
    wait_until(lambda: said not in sentence.accessibleName())
    assert wording.TESTS_OF_YES_MISSED in sentence.accessibleName()
    assert ("missed", wording.SELECT_SOME_MISSED) in sentence.links(), "the matrix counts tests, not records"


def test_missed_records_with_weights_are_counted_as_records(stage: Stage, wait_until: Wait) -> None:
    """Weights of which the sum is the number of records were taken for records."""
    window = stage.window(1280, 720)
    stage.open(window.session, small_data(240).with_weights(np.where(np.arange(240) % 3, 0.5, 2.0)))
    window.show_tab(1)
    run = judged(window.session, wait_until, NaiveBayes(), CrossValidation(folds=3))
    code = interest_in(run.report, window.session.positive_label)
    n_missed = int(((run.result.truth == code) & (run.result.decision != code)).sum())
    assert round(run.report.confusion.sum()) == 240 and round(run.report.per_class[code].counts.fn) != n_missed > 0
    sentence = part(window, QLabel, "classify.sentence")
    assert isinstance(sentence, LinkLabel) and ("missed", wording.select_missed(n_missed)) in sentence.links()
    window.session.decisions.choose(run, AtThreshold("yes", 0.4))
    wait_until(lambda: ("missed", wording.SELECT_SOME_MISSED) in sentence.links())


def test_an_interval_that_is_known_to_be_narrow_says_so_beside_it(stage: Stage, wait_until: Wait) -> None:
    """ "No warnings" stood above an interval of folds that covers 89% instead of 95%."""
    window = stage.window(1280, 720)
    stage.open(window.session, small_data(240))
    window.show_tab(1)
    run = judged(window.session, wait_until, C45(), CrossValidation(folds=10))
    headline, narrow = (part(window, QLabel, f"classify.{name}") for name in ("verdict", "narrow"))
    assert headline.accessibleName().endswith(wording.COVERS_ABOUT_89) and "*)" in headline.text()
    assert narrow.isVisible() and narrow.text() == f"* {wording.COVERS_ABOUT_89}", "it is read without a tooltip"
    assert run.report.narrow == wording.COVERS_ABOUT_89 and not headline.toolTip()
    assert "89" not in headline.text() and headline_metrics(run.report, 1)[0].narrow == wording.COVERS_ABOUT_89
    judged(window.session, wait_until, C45(), Holdout())
    assert "*" not in headline.text() and not narrow.isVisible()
    assert headline_metrics(window.session.current_run.report, 1)[0].narrow == ""


def test_the_accuracy_is_the_largest_text_of_the_page(stage: Stage, wait_until: Wait) -> None:
    """It was hardly larger than its label."""
    window = stage.window(1280, 720)
    stage.open(window.session, small_data(240))
    window.show_tab(1)
    run = judged(window.session, wait_until, C45(), Holdout())
    document = QTextDocument()
    document.setHtml(part(window, QLabel, "classify.verdict").text())
    cursor = document.find(percent(run.report.accuracy, run.report.n))
    assert not cursor.isNull() and themes.px(28) <= cursor.charFormat().font().pixelSize() <= themes.px(32)
    assert document.find("Accuracy").charFormat().font().pixelSize() < themes.px(16)


def test_the_baseline_of_the_axis_is_labelled_where_there_is_room(stage: Stage) -> None:
    axis = stage.show(IntervalAxis(), 400, 40)
    axis.show_value(0.947, (0.9, 0.97), 0.363, mark_words=f"{wording.BASELINE}36.3%")
    area = axis.mark_area()
    assert area is not None and abs(area.center().x() - 0.363 * 400) < 5
    axis.show_value(0.947, (0.9, 0.97), 0.9, mark_words=f"{wording.BASELINE}90.0%")
    area = axis.mark_area()
    assert area is not None and area.left() < 360 < area.right() < 370, "clear of the end of the axis"
    axis.resize(120, 40)
    assert axis.mark_area() is None
    axis.show_value(0.947, (0.9, 0.97), None)
    assert axis.mark_area() is None


def test_only_nearest_neighbours_are_asked() -> None:
    model = builtin().learners.get("rote")().fit(small_data(60), RunContext(seed=1))
    assert "asked" not in structure_facts(model.structure(), 60)[1]


def of_folds(gains: list[int]) -> EvaluationResult:
    """Ten folds of 40 records, 27 of them of class a, with ``gains`` more hits than the baseline in each."""
    truth, position = np.tile(np.arange(40) >= 27, 10).astype(int), np.tile(np.arange(40), 10)
    found = (position >= 27) & (position < 27 + np.repeat(gains, 40))
    shares, folds = np.column_stack([np.ones(400), np.zeros(400)]), np.repeat(np.arange(10), 40).astype(np.int32)
    return replace(result_of(truth, shares, decision=found.astype(np.int64)), folds=folds)


@pytest.mark.parametrize(
    ("gains", "verdict", "why"),
    [
        ([4, 5] * 5, wording.ACCURACY_HIGHER, ""),
        ([4, 0] * 5, wording.ACCURACY_NOT_DIFFERENT, wording.OUTSIDE_BUT_DEPENDENT),
        ([1, 2] * 5, wording.ACCURACY_HIGHER, wording.INSIDE_BUT_FOLD_BY_FOLD),
        ([4, 0, 0, 0, 0] * 2, wording.ACCURACY_NOT_DIFFERENT, ""),
    ],
)
def test_the_test_of_the_comparisons_says_whether_a_run_is_above_the_baseline(
    gains: list[int], verdict: str, why: str
) -> None:
    """Outside the interval nothing was said, and inside it another test spoke than in the comparisons."""
    result = of_folds(gains)
    own, ahead = report(result), ahead_of_baseline(result)
    said = f"{verdict} ({p_words(ahead.p_value)}). {why}".rstrip()
    assert beside_baseline(own, ahead, "fold") == said
    assert baseline_sentence(own, said) == f"{wording.BASELINE_OF_A}: {said}"


def test_the_verdict_beside_the_baseline_is_shown(stage: Stage, wait_until: Wait) -> None:
    window = stage.window(1280, 720)
    stage.open(window.session, small_data(240))
    window.show_tab(1)
    run = judged(window.session, wait_until, C45(), CrossValidation(folds=10))
    verdict = beside_baseline(run.report, ahead_of_baseline(run.result), "fold")
    sentence = part(window, QLabel, "classify.sentence")
    wait_until(lambda: verdict in sentence.accessibleName())


@pytest.mark.parametrize("choice", [AtThreshold("yes", 0.9), ByCost()])
def test_a_decision_rule_of_the_user_is_judged_beside_the_baseline_by_the_same_test(
    stage: Stage, wait_until: Wait, choice: AtThreshold | ByCost
) -> None:
    """It was judged by the interval of its accuracy."""
    window = stage.window(1280, 720)
    session = window.session
    stage.open(session, small_data(240))
    window.show_tab(1)
    run = judged(session, wait_until, NaiveBayes(), CrossValidation(folds=10))
    session.set_costs(CostMatrix(("yes", "no"), ((0.0, 9.0), (1.0, 0.0))))
    session.decisions.choose(run, choice)
    wait_until(lambda: session.decisions.reports.decided(run) is not None)
    decided = session.decisions.reports.decided(run)
    result = replace(run.result, decision=session.decisions.asked(run).rule.of(run.result))
    assert decided is not None and (result.decision != run.result.decision).any()
    assert decided.accuracy == pytest.approx(float(result.right.mean()))
    verdict = beside_baseline(decided, ahead_of_baseline(result), "fold")
    assert verdict == session.decisions.reports.baseline_verdict(run) != ""
    sentence = part(window, QLabel, "classify.sentence")
    wait_until(lambda: verdict in sentence.accessibleName())
