"""The page Explain, shown."""

from __future__ import annotations

import pytest

from tests.workbench.stage import Stage
from workbench.session.session import Session
from workbench.tabs.visualize.explain.explain_page import ExplainPage


@pytest.fixture
def explain(session: Session, stage: Stage) -> ExplainPage:
    return stage.show(ExplainPage(session), 1000, 700)
