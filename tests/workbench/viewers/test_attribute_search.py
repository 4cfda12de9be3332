"""Every list of attributes is searched where there are many."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTableWidgetItem

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.ensembles.random_forest import RandomForest
from algorithms.structures.bayes_network import Conditionals
from algorithms.structures.members import Members
from tests.workbench.stage import Stage
from workbench.app.main_window import MainWindow
from workbench.tabs.visualize.tree.why_pane import CandidateTable
from workbench.viewers.ensemble.ensemble_view import EnsembleView
from workbench.viewers.nomogram_view import NomogramView
from workbench.widgets.fields import SEARCHED_FROM, SearchPopup


def table(n: int) -> Dataset:
    """Records with so many numbers, of which the first tells the class."""
    random, codes = np.random.default_rng(0), np.arange(60) % 2
    numbers = [Attribute(f"number {index}", AttributeKind.NUMERIC) for index in range(n)]
    schema = Schema((*numbers, Attribute("kind", AttributeKind.NOMINAL, ("yes", "no"))), n)
    return Dataset(schema, [codes + random.normal(0, 0.5, 60), *random.normal(size=(n - 1, 60)), codes])


MANY = SEARCHED_FROM + 5


def test_the_nomogram_shows_the_attributes_that_are_searched(stage: Stage) -> None:
    view = stage.show(NomogramView(), 700, 500)
    for n, is_many in ((3, False), (MANY, True)):
        structure = NaiveBayes().fit(table(n), RunContext(seed=1)).structure()
        assert isinstance(structure, Conditionals)
        view.set_structure(structure)
        assert view.search.isHidden() is not is_many and len(view.canvas.order) == n
    view.search.setText("BER 12")
    assert [view.canvas.line(row).name for row in range(len(view.canvas.order))] == ["number 12"]
    view.search.setText("xyzzy")
    view.canvas.grab()
    assert view.canvas.order == []
    view.search.clear()
    assert len(view.canvas.order) == MANY


def test_the_importance_of_attributes_is_searched(stage: Stage) -> None:
    view = stage.show(EnsembleView(lambda *_: None, stage.session().jobs), 700, 500)
    structure = RandomForest(members=5).fit(table(MANY), RunContext(seed=1)).structure()
    assert isinstance(structure, Members)
    view.set_structure(structure)
    assert not view.search.isHidden() and len(view.bars._order) == MANY
    view.search.setText("12")
    assert view.bars._order == [12]


def test_the_candidates_of_a_split_are_searched(stage: Stage) -> None:
    candidates = stage.show(CandidateTable("candidates"), 300, 300)
    candidates.setRowCount(MANY)
    for row in range(MANY):
        candidates.setItem(row, 0, QTableWidgetItem(f"number {row}"))
    candidates.show_named(" BER 12")
    assert [row for row in range(MANY) if not candidates.isRowHidden(row)] == [12]
    candidates.show_named("")
    assert not any(candidates.isRowHidden(row) for row in range(MANY))


def test_the_class_is_searched_among_many_columns(stage: Stage) -> None:
    session = stage.session(table(MANY))
    window = stage.show(MainWindow(session), 1200, 800)
    assert session.data is not None and session.data.schema.class_attribute.name == "kind"
    window.top.ask_for_class()
    popup = window.findChild(SearchPopup)
    popup.search.setText("number 12")
    QTest.keyClick(popup.search, Qt.Key.Key_Return)
    assert session.data.schema.class_attribute.name == "number 12"
