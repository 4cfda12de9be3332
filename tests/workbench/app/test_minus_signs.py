"""Negative numbers have a minus sign, never a hyphen, wherever a page shows them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.bayes.bayesian_network import BayesianNetwork
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.chaid import Chaid
from tests.pages.texts import TextsOfWindow
from tests.recording.pictures import pages_of_table
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged
from workbench.style.theme import LIGHT_NAME, themes
from workbench.tabs.preprocess.tab import PreprocessTab

HYPHEN = re.compile(r"(?:^|[\s(=≤<>≥~,:→±])-\d")
"""A hyphen where a number begins."""


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


def test_no_page_writes_a_negative_number_with_a_hyphen(
    stage: Stage, qapp: QApplication, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    themes.install(qapp, LIGHT_NAME)
    window = stage.window(1440, 900)
    stage.open(window.session, below_zero())
    texts = TextsOfWindow(window, monkeypatch)

    def look(page: str) -> None:
        assert [line for line in texts.lines() if HYPHEN.search(line)] == [], page

    (tab,) = window.findChildren(PreprocessTab)
    for name in ("depth", "change", "degrees"):
        tab.attributes.choose(name)
        look(name)
    tab.attribute.ranges_asked.emit("change")
    look("discretization")
    tab.ranges.close_pane()
    for learner in (C45(), Chaid(), BayesianNetwork(), LogisticRegression(), Ripper()):
        judged(window.session, wait_until, learner, CrossValidation(folds=3))
    for page in pages_of_table(window):
        look(page)
    qapp.setStyleSheet("")
