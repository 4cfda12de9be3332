"""The page Explain, shown, and the scatter plot of iris."""

from __future__ import annotations

import pytest

from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.trees.c45 import C45
from tests.workbench.stage import Stage
from tests.workbench.tabs.visualize.scatter_helpers import pane_of, rest
from tests.workbench.window_helpers import Wait, judged
from workbench.session.session import Session
from workbench.tabs.visualize.explain.explain_page import ExplainPage
from workbench.tabs.visualize.scatter.records_views import ScatterPane
from workbench.tabs.visualize.tab import VisualizeTab


@pytest.fixture
def explain(session: Session, stage: Stage) -> ExplainPage:
    return stage.show(ExplainPage(session), 1000, 700)


@pytest.fixture
def iris(session: Session, tab: VisualizeTab, wait_until: Wait) -> ScatterPane:
    """The pane after C4.5 was judged on iris, at rest: petal width across, petal length upwards."""
    session.open_sample("iris")
    wait_until(lambda: session.data is not None)
    judged(session, wait_until, C45(), CrossValidation(folds=5))
    pane = pane_of(tab)
    rest(session, pane, wait_until)
    return pane
