"""No page, message or job at work writes a term that the glossary has replaced."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from algorithms.core.learner import Learner
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.costs.calibrated import Calibrated
from algorithms.learners.costs.cost_sensitive import ChosenThreshold, CostSensitive
from algorithms.learners.ensembles.voting_and_stacking import Stacking
from algorithms.learners.multiclass.reductions import OneVsRest
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.rules.rule_extraction import ExtractedRules
from algorithms.learners.trees.c45 import C45
from tests.pages.inspection import replaced_terms
from tests.pages.texts import TextsOfWindow
from tests.recording.pictures import pages_of_table
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged, small_data
from workbench.session.selection import remove_selected
from workbench.style.theme import LIGHT_NAME, themes

PLAIN = (C45(), Ripper(), Stacking(first=NaiveBayes(), second=C45(), third=Ripper(), judge=NaiveBayes()))
WRAPPED = (
    CostSensitive(costs=((0.0, 1.0), (5.0, 0.0))),
    Calibrated(base=NaiveBayes(), by="isotonic"),
    ChosenThreshold(base=NaiveBayes()),
    OneVsRest(base=NaiveBayes()),
    ExtractedRules(base=NaiveBayes()),
)


@pytest.mark.parametrize("learners", [PLAIN, WRAPPED], ids=["plain", "wrapped"])
def test_no_page_writes_a_replaced_term(
    learners: tuple[Learner, ...],
    stage: Stage,
    qapp: QApplication,
    wait_until: Wait,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The second half of the runs is of a table without some records that a model got wrong."""
    themes.install(qapp, LIGHT_NAME)
    window = stage.window(1440, 900)
    session, texts = window.session, TextsOfWindow(window, monkeypatch)
    stage.open(session, small_data(90))

    def look(page: str) -> None:
        faults = [(term, line) for line in texts.lines() for term in replaced_terms(line)]
        assert faults == [], page

    for number, learner in enumerate(learners):
        if number == len(learners) // 2:
            assert session.data is not None
            session.selection.select(session.data, np.arange(3), by="the confusion matrix", by_judgement=True)
            look("selected")
            remove_selected(session)
            wait_until(lambda: session.summary is not None)
            look("removed")
        judged(session, wait_until, learner, CrossValidation(folds=3))
    assert session.data is not None and session.data.origin.marks
    for page in pages_of_table(window):
        if window.badge.isVisible():
            window.badge.click()
            look(f"warnings of {page}")
            window.badge.click()
        look(page)
    qapp.setStyleSheet("")
