"""The page Explain over a run of a sample."""

from __future__ import annotations

from PySide6.QtGui import QTextDocumentFragment
from PySide6.QtWidgets import QDoubleSpinBox, QLabel

from algorithms.core.learner import Learner
from algorithms.data.columns import FloatArray
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import ByCost
from algorithms.evaluation.methods.methods import TrainingSet
from algorithms.filters.scale import Scale
from algorithms.structures.tree import Tree
from tests.expected_texts import tabs_visualize as wording
from tests.workbench.window_helpers import Wait
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.tabs.visualize.explain.explain_page import ExplainPage, WhatIfPane


def ran(session: Session, learner: Learner, wait_until: Wait, sample: str = "iris", by: str = "") -> None:
    """Trains on a sample, with numbers scaled ``by`` a method if that is given."""
    session.open_sample(sample)
    wait_until(lambda: session.data is not None)
    if by:
        session.set_recipe((Scale(by=by),), "Scale")
    session.start_run(learner, TrainingSet())
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 60)


def decide_by_costs(session: Session, costs: FloatArray) -> None:
    """Lets least expected cost decide the current run, under these costs (k, k)."""
    run = session.current_run
    assert run is not None
    session.set_costs(CostMatrix(session.classes, tuple(map(tuple, costs.tolist()))))
    session.decisions.choose(run, ByCost())


def text(explain: ExplainPage, name: str) -> str:
    found = explain.findChild(QLabel, f"visualize.what-if.{name}")
    assert found is not None
    return found.text()


def opened(explain: ExplainPage, session: Session, wait_until: Wait) -> WhatIfPane:
    explain.show_run(session.current_run)
    session.turns.finish()
    pane = explain.what_if
    assert pane.isVisible()
    wait_until(lambda: wording.WOULD_SAY in text(explain, "said"))
    return pane


def explained_run(session: Session, explain: ExplainPage, learner: Learner, wait_until: Wait, by: str = "") -> Run:
    """A run on iris whose model the page explains at the first record."""
    ran(session, learner, wait_until, by=by)
    opened(explain, session, wait_until)
    run = session.current_run
    assert run is not None and run.trained is not None
    return run


def reasons_text(explain: ExplainPage) -> str:
    """The reasons without markup."""
    return QTextDocumentFragment.fromHtml(text(explain, "ways")).toPlainText()


def asked_number(session: Session, explain: ExplainPage) -> QDoubleSpinBox:
    """The widget of the attribute that the root asks about."""
    assert session.current_run is not None and session.current_run.trained is not None
    tree = session.current_run.trained.structure()
    assert isinstance(tree, Tree)
    name = tree.schema.attributes[int(tree.attribute[0])].name
    found = explain.findChild(QDoubleSpinBox, f"visualize.what-if.{name}")
    assert found is not None
    return found
