"""No page, message or job at work writes a replaced term, or a negative number with a hyphen for a minus sign."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from algorithms.core.learner import Learner
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.bayes.bayesian_network import BayesianNetwork
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.costs.calibrated import Calibrated
from algorithms.learners.costs.cost_sensitive import ChosenThreshold, CostSensitive
from algorithms.learners.ensembles.voting_and_stacking import Stacking
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.multiclass.reductions import OneVsRest
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.rules.rule_extraction import ExtractedRules
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.chaid import Chaid
from tests.pages.inspection import replaced_terms
from tests.pages.texts import TextsOfWindow
from tests.recording.pictures import pages_of_table
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged, small_data
from workbench.session.selection import remove_selected
from workbench.style.theme import LIGHT_NAME, themes
from workbench.tabs.preprocess.tab import PreprocessTab

HYPHEN = re.compile(r"(?:^|[\s(=≤<>≥~,:→±])-\d")
"""A hyphen where a number begins."""
PLAIN = (
    *(C45(), Ripper(), Stacking(first=NaiveBayes(), second=C45(), third=Ripper(), judge=NaiveBayes())),
    *(Chaid(), BayesianNetwork(), LogisticRegression()),
)
WRAPPED = (
    CostSensitive(costs=((0.0, 1.0), (5.0, 0.0))),
    Calibrated(base=NaiveBayes(), by="isotonic"),
    ChosenThreshold(base=NaiveBayes()),
    OneVsRest(base=NaiveBayes()),
    ExtractedRules(base=NaiveBayes()),
)


def below_zero(n: int = 120) -> Dataset:
    random, codes = np.random.default_rng(5), np.arange(n) % 2
    columns = [
        3 * random.normal(size=n) - 4 + 3 * codes,
        random.normal(size=n).round(2) - 2 * codes,
        random.integers(-9, 3, n) + 2.0 * codes,
        codes,
    ]
    schema = Schema((*map(numeric, ("depth", "change", "degrees")), nominal("class", ("no", "yes"))), 3)
    return Dataset(schema, columns, origin=DataOrigin("minus"))


@pytest.mark.parametrize(
    ("data", "learners"), [(below_zero(), PLAIN), (small_data(90), WRAPPED)], ids=["plain", "wrapped"]
)
def test_no_page_writes_a_replaced_term_or_a_negative_number_with_a_hyphen(
    data: Dataset,
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
    stage.open(session, data)

    def look(page: str) -> None:
        lines = texts.lines()
        assert [(term, line) for line in lines for term in replaced_terms(line)] == [], page
        assert [line for line in lines if HYPHEN.search(line)] == [], page

    (tab,) = window.findChildren(PreprocessTab)
    numbers = [attribute.name for attribute in data.schema.attributes if attribute.kind.is_float]
    for name in numbers:
        tab.attributes.choose(name)
        look(name)
    tab.attribute.ranges_asked.emit(numbers[1])
    look("discretization")
    tab.ranges.close_pane()
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
