"""What tests of compared learners share."""

from __future__ import annotations

import pytest

from tests.workbench.stage import Stage
from tests.workbench.tabs.classify.compared_learners import Knowing, Tried, compare, is_over, opened, tab_of
from tests.workbench.window_helpers import Wait


@pytest.fixture
def tried(stage: Stage, wait_until: Wait) -> Tried:
    """A session whose two learners were tried, and the tab that shows how they stand."""
    session = opened(stage, Knowing)
    tab = tab_of(session, stage)
    compare(tab)
    wait_until(lambda: is_over(session))
    return session, tab
