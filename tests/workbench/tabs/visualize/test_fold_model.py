"""*Why this class?* on a record that was predicted wrong explains the model of the fold that erred."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QSpinBox

from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.evaluation import runner
from algorithms.evaluation.costs.decision_rules import AtThreshold
from algorithms.evaluation.methods.methods import CrossValidation, TrainingSet
from algorithms.evaluation.what_if import nearest_record, one_record
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.trees.c45 import C45
from tests.expected_texts import tabs_visualize as wording
from tests.workbench.person import Person
from tests.workbench.window_helpers import Wait, judged, part, show_page
from workbench.app.main_window import MainWindow
from workbench.session.runs import Run
from workbench.tabs.visualize.explain.record_form import RecordForm
from workbench.tabs.visualize.explain.record_prediction import when_tested, wrong_when_tested
from workbench.tabs.visualize.explain.value_charts import ProbabilityBars
from workbench.tabs.visualize.scatter.records_views import ScatterPane
from workbench.viewers.tree.tree_view import TreeView


def judged_iris(window: MainWindow, wait_until: Wait, learner: Learner) -> tuple[Run, int, int]:
    """A run on iris, a row that is wrong only where it was tested, and one that is right by every model."""
    session = window.session
    window.open_sample("iris")
    wait_until(lambda: session.summary is not None)
    run = judged(session, wait_until, learner, CrossValidation(folds=10))
    assert run.trained is not None and run.result is not None
    missed = np.isin(run.data.row_ids, run.result.row_ids[run.result.decision != run.result.truth])
    right = run.trained.predict(run.data) == run.data.class_codes
    return run, int(np.flatnonzero(missed & right)[0]), int(np.flatnonzero(~missed & right)[0])


def why(window: MainWindow, person: Person, run: Run, row: int) -> QLabel:
    """Asks why the record in this row has its prediction; the banner of the fold's model."""
    window.session.selection.select(run.data, np.array([row]))
    person.choose_entry("selection.why")
    return part(window, QLabel, "visualize.fold-model")


@pytest.mark.parametrize("learner", [C45(), Ripper(), NaiveBayes()], ids=lambda each: each.id)
def test_every_pane_explains_the_model_of_the_fold_that_erred(
    window: MainWindow, person: Person, wait_until: Wait, learner: Learner
) -> None:
    run, row, other = judged_iris(window, wait_until, learner)
    assert run.result is not None
    test = int(np.flatnonzero(run.result.row_ids == run.data.row_ids[row])[0])
    said = run.result.classes[int(run.result.decision[test])]
    sure = 100 * run.result.probabilities[test].max()
    banner = why(window, person, run, row)
    fold = int(run.result.folds[test]) + 1
    name = f"odel of fold {fold}"
    wait_until(lambda: banner.text() == wording.banner_of_fold_model(name, row + 1))
    card = person.see(QLabel, "visualize.what-if.said")
    actual = part(window, QLabel, "visualize.what-if.actual")
    wait_until(lambda: card.text().startswith(wording.fold_model_would_say(name, said, sure)))
    if isinstance(learner, C45):
        person.click("visualize.what-if.to-model")
        way = person.see(QLabel, "visualize.path.words")
        wait_until(lambda: way.text().startswith(wording.fold_model_would_say(name, said, sure)))
        [view] = [each for each in window.findChildren(TreeView) if each.isVisible()]
        assert run.trained is not None
        wait_until(lambda: view.drawing is not None and view.canvas.item.marks.lit)
        assert view.drawing.tree is not run.trained.structure()
        ends = [leaf for leaf in view.canvas.item.marks.lit if view.drawing.tree.is_leaf(leaf)]
        assert [view.drawing.tree.schema.classes[int(view.drawing.tree.decision[leaf])] for leaf in ends] == [said]
        assert not window.findChild(QAction, "visualize.growth").isEnabled()

    if isinstance(learner, C45):
        person.click("visualize.page.explain")
    # the model of all records comes back by a click, with the same record
    person.click("visualize.fold-model.back")
    truth = run.data.schema.classes[int(run.data.class_codes[row])]
    wait_until(
        lambda: card.text().startswith(wording.would_say(truth)) and wording.record_shown(row + 1) in actual.text()
    )
    assert banner.isHidden() or not banner.isVisible()

    # a record that no fold got wrong is explained by the model of all records
    why(window, person, run, row)
    wait_until(lambda: card.text().startswith(wording.WOULD_SAY_OF_FOLD))
    why(window, person, run, other)
    wait_until(lambda: card.text().startswith(wording.WOULD_SAY) and wording.record_shown(other + 1) in actual.text())
    assert not banner.isVisible()
    assert part(window, QSpinBox, "visualize.what-if.record").value() == other + 1


def test_explain_steps_through_the_wrong_records_with_the_models_that_erred_and_the_tabs_stay_in_place(
    window: MainWindow, person: Person, wait_until: Wait
) -> None:
    """Entered by Visualize > Explain, there was no way to a record that was predicted wrong."""
    session = window.session
    run, _row, _right = judged_iris(window, wait_until, NaiveBayes())
    assert run.result is not None
    missed = np.isin(run.data.row_ids, run.result.row_ids[run.result.decision != run.result.truth])
    wrong = np.flatnonzero(missed).tolist()
    assert len(wrong) > 2
    person.go_to("Visualize")
    person.click("visualize.page.explain")
    card, number = person.see(QLabel, "visualize.what-if.said"), person.see(QSpinBox, "visualize.what-if.record")
    after = person.see(QPushButton, "visualize.what-if.next-error")
    wait_until(lambda: card.text().startswith(wording.WOULD_SAY))
    pages = person.see(QPushButton, "visualize.page.model")
    place = pages.mapTo(window, pages.rect().topLeft())
    assert after.isEnabled()

    for row in wrong[:2]:
        person.click("visualize.what-if.next-error")
        wait_until(lambda row=row: card.text().startswith(wording.WOULD_SAY_OF_FOLD) and number.value() == row + 1)
        assert person.see(QLabel, "visualize.fold-model").text().endswith(wording.PREDICTS_WRONG)
        assert pages.mapTo(window, pages.rect().topLeft()) == place and after.hasFocus()
    for row in (*wrong[2:], wrong[0]):  # after the last one the first
        wait_until(after.isEnabled)
        person.click("visualize.what-if.next-error")
        wait_until(lambda row=row: number.value() == row + 1)

    # the model of all records says that the record was wrong when tested, and the one that erred is a click away
    person.click("visualize.fold-model.back")
    tested = part(window, QLabel, "visualize.what-if.tested")
    wait_until(lambda: wording.WRONG_WHEN_TESTED in tested.text())
    person.click("visualize.what-if.erring")
    wait_until(lambda: card.text().startswith(wording.WOULD_SAY_OF_FOLD))

    # of several selected records only these; and none without tests
    session.selection.select(run.data, np.array([wrong[1], wrong[2]]))
    wait_until(lambda: number.value() == wrong[1] + 1)
    assert part(window, QLabel, "visualize.what-if.place").text() == wording.selected_of(1, 2)
    session.selection.select(run.data, np.flatnonzero(~missed)[:2])
    wait_until(lambda: not after.isEnabled())
    assert after.toolTip() == wording.NO_OTHER_ERROR_SELECTED
    session.selection.clear()
    judged(session, wait_until, NaiveBayes(), TrainingSet())
    wait_until(lambda: not after.isEnabled())
    assert after.toolTip() == wording.NOT_TESTED_BY_OTHERS


@pytest.mark.parametrize("learner", [C45(), NaiveBayes()], ids=lambda each: each.id)
def test_what_if_says_that_the_model_is_being_trained_and_nothing_of_the_other(
    window: MainWindow, person: Person, wait_until: Wait, monkeypatch: pytest.MonkeyPatch, learner: Learner
) -> None:
    session, may_train = window.session, threading.Event()
    run, row, other = judged_iris(window, wait_until, learner)
    train = runner.model_of_fold

    def train_when_allowed(*arguments: Any) -> runner.FoldClassifier:
        assert may_train.wait(60)
        return train(*arguments)

    monkeypatch.setattr(runner, "model_of_fold", train_when_allowed)
    why(window, person, run, other)
    card = person.see(QLabel, "visualize.what-if.said")
    actual = part(window, QLabel, "visualize.what-if.actual")
    number = part(window, QSpinBox, "visualize.what-if.record")
    wait_until(lambda: card.text().startswith(wording.WOULD_SAY) and wording.record_shown(other + 1) in actual.text())
    why(window, person, run, row)
    wait_until(lambda: card.text().startswith(wording.MODEL_OF_FOLD) and card.text().endswith(wording.BEING_TRAINED))
    shares, flip = (
        part(window, ProbabilityBars, "visualize.what-if.shares"),
        part(window, QLabel, "visualize.what-if.flip"),
    )
    assert not part(window, RecordForm, "").isEnabled() and shares.rows == [] and flip.text() == ""
    assert number.isEnabled()
    session.selection.select(run.data, np.array([other, row]))
    session.set_class_of_interest(1 - min(session.class_of_interest, 1))
    wait_until(lambda: not session.turns.is_busy)
    assert card.text().endswith(wording.BEING_TRAINED) and shares.rows == []
    may_train.set()
    wait_until(lambda: card.text().startswith(wording.WOULD_SAY_OF_FOLD))
    assert part(window, RecordForm, "").isEnabled()


def test_the_number_keeps_the_focus_while_other_folds_are_trained(
    window: MainWindow, person: Person, wait_until: Wait
) -> None:
    session = window.session
    run, row, other = judged_iris(window, wait_until, NaiveBayes())
    why(window, person, run, row)
    card, number = person.see(QLabel, "visualize.what-if.said"), person.see(QSpinBox, "visualize.what-if.record")
    actual = part(window, QLabel, "visualize.what-if.actual")
    wait_until(lambda: card.text().startswith(wording.WOULD_SAY_OF_FOLD))
    session.selection.clear()
    number.setFocus()
    for step in range(1, 5):
        QTest.keyClick(number, Qt.Key.Key_Up)
        wait_until(lambda step=step: wording.record_shown(row + 1 + step) in actual.text())
        assert number.hasFocus()
    values: list[int] = []
    number.valueChanged.connect(values.append)
    number.selectAll()
    QTest.keyClicks(number, str(other + 1))
    assert values == [] and number.hasFocus()
    QTest.keyClick(number, Qt.Key.Key_Return)
    wait_until(lambda: wording.record_shown(other + 1) in actual.text())
    assert values == [other + 1] and number.hasFocus()


def test_the_fold_follows_the_record_in_view(window: MainWindow, person: Person, wait_until: Wait) -> None:
    session = window.session
    run, row, _ = judged_iris(window, wait_until, NaiveBayes())
    assert run.result is not None
    right, shares = run.result.decision == run.result.truth, run.result.probabilities.max(axis=1)
    test = int(np.where(right, shares, 2.0).argmin())
    other = int(np.flatnonzero(run.data.row_ids == run.result.row_ids[test])[0])
    banner, card = why(window, person, run, row), person.see(QLabel, "visualize.what-if.said")
    wait_until(lambda: card.text().startswith(wording.WOULD_SAY_OF_FOLD))
    session.selection.clear()
    part(window, QSpinBox, "visualize.what-if.record").setValue(other + 1)
    name = f"odel of fold {int(run.result.folds[test]) + 1}"
    wait_until(lambda: banner.text() == wording.banner_of_fold_model(name, other + 1, "right"))
    label = run.result.classes[int(run.result.decision[test])]
    prediction = wording.fold_model_would_say(name, label, 100 * shares[test])
    wait_until(lambda: card.text().startswith(prediction))


def test_the_similar_record_beside_the_model_of_a_fold_has_the_prediction_of_its_own_test(
    window: MainWindow, person: Person, wait_until: Wait
) -> None:
    """The model of the fold was trained on it, so a record that was wrong when tested stood there as right."""
    run, _row, _ = judged_iris(window, wait_until, C45(confidence=0.5, min_leaf=1))
    assert run.result is not None
    wrong, truth = wrong_when_tested(run, None), run.data.class_codes
    assert wrong is not None
    labels, pairs = run.data.schema.classes, list[tuple[int, int]]()
    for row in wrong.tolist():
        label = labels[int(truth[row])]
        near = nearest_record(run.data, one_record(run.data, row), label, RunContext(), row)
        pairs += [(row, near.row)] if near is not None and near.row in wrong else []
    row, similar = pairs[0]
    tested = when_tested(run, similar)
    assert tested is not None and tested.label != labels[int(truth[similar])]
    why(window, person, run, row)
    words = person.see(QLabel, "visualize.what-if.similar-words")
    record = wording.similar_record(similar + 1, labels[int(truth[similar])], f"{tested.label} when tested")
    wait_until(lambda: words.text().startswith(record))
    person.click("visualize.fold-model.back")
    wait_until(lambda: words.text().startswith(record))


def test_the_regions_of_the_model_of_a_fold_follow_the_decision_rule_of_its_run(
    window: MainWindow, person: Person, wait_until: Wait
) -> None:
    session = window.session
    run, row, _ = judged_iris(window, wait_until, NaiveBayes())
    label = session.decisions.label_of_interest(run)
    assert label is not None
    session.decisions.choose(run, AtThreshold(label, 0.499))
    banner = why(window, person, run, row)
    wait_until(lambda: "trained without" in banner.text())
    assert banner.text().endswith(wording.PREDICTS_WRONG)
    scatter = window.findChild(ScatterPane)
    assert scatter is not None
    show_page(window, "data")
    wait_until(lambda: wording.BACKGROUND_AT_RULE in scatter.view.remark.text())
    name = banner.text().partition(",")[0][1:]
    wait_until(lambda: wording.background_of_fold(name) in scatter.view.remark.text())


def test_the_banner_of_the_model_of_a_fold_follows_the_decision_rule(
    window: MainWindow, person: Person, wait_until: Wait
) -> None:
    session = window.session
    run, row, _ = judged_iris(window, wait_until, NaiveBayes())
    banner = why(window, person, run, row)
    wait_until(lambda: banner.text().endswith(wording.PREDICTS_WRONG))
    code = int(run.data.class_codes[row])
    session.set_class_of_interest(code)
    session.decisions.choose(run, AtThreshold(run.data.schema.classes[code], 0.0))
    wait_until(lambda: banner.text().endswith(wording.PREDICTS_RIGHT))
    session.decisions.choose(run, None)
    wait_until(lambda: banner.text().endswith(wording.PREDICTS_WRONG))


def test_another_run_takes_the_model_of_a_fold_out_of_view(
    window: MainWindow, person: Person, wait_until: Wait
) -> None:
    session = window.session
    run, row, _ = judged_iris(window, wait_until, C45())
    banner = why(window, person, run, row)
    wait_until(lambda: "trained without" in banner.text())
    judged(session, wait_until, C45(min_leaf=9), CrossValidation(folds=10))
    wait_until(lambda: not banner.isVisible())
