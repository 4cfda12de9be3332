"""Negative numbers have a minus sign, never a hyphen, wherever a page shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication, QTableView, QWidget

from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.bayes.bayesian_network import BayesianNetwork
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.chaid import Chaid
from tests.pages.inspection import texts_of
from tests.recording.pictures import at_rest, pages_of_table
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


def shown_by(widget: QWidget) -> Iterator[str]:
    """The texts of a widget, and of the first cells of a table."""
    yield from texts_of(widget)
    if isinstance(widget, QTableView) and (model := widget.model()) is not None:
        for row in range(min(model.rowCount(), 12)):
            for column in range(min(model.columnCount(), 12)):
                for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
                    yield str(model.index(row, column).data(role) or "")


def test_no_page_writes_a_negative_number_with_a_hyphen(
    stage: Stage, qapp: QApplication, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    themes.install(qapp, LIGHT_NAME)
    window = stage.window(1440, 900)
    stage.open(window.session, below_zero())
    faults: set[str] = set()
    original = QPainter.drawText

    def draw_text(painter: QPainter, *arguments: Any) -> Any:
        faults.update(text for text in arguments if isinstance(text, str) and HYPHEN.search(text))
        return original(painter, *arguments)

    monkeypatch.setattr(QPainter, "drawText", draw_text)

    def look(page: str) -> None:
        at_rest(window)
        seen = [widget for widget in window.findChildren(QWidget) if not widget.visibleRegion().isEmpty()]
        lines = {line for widget in seen for text in shown_by(widget) for line in text.splitlines()}
        faults.update(line for line in lines if HYPHEN.search(line))
        assert not faults, page

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
