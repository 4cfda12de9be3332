"""What tests of compared learners share."""

from __future__ import annotations

import pytest

from tests.workbench.stage import Stage
from tests.workbench.tabs.classify.compared_learners import Knowing, OpenTab, Tried, compare, is_over, opened, tab_of
from tests.workbench.toy import Plain
from tests.workbench.window_helpers import Wait


@pytest.fixture
def opened_tab(stage: Stage) -> OpenTab:
    """Shows the tab of a session that knows these learners and the baseline."""

    def show(*learners: type[Plain]) -> Tried:
        session = opened(stage, *learners)
        return session, tab_of(session, stage)

    return show


@pytest.fixture
def compared_tab(opened_tab: OpenTab, wait_until: Wait) -> OpenTab:
    """Shows such a tab, and compares its learners to the end."""

    def compare_all(*learners: type[Plain]) -> Tried:
        session, tab = opened_tab(*learners)
        compare(tab)
        wait_until(lambda: is_over(session))
        return session, tab

    return compare_all


@pytest.fixture
def tried(compared_tab: OpenTab) -> Tried:
    """A session whose two learners were tried, and the tab that shows how they stand."""
    return compared_tab(Knowing)
