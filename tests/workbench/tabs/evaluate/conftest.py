"""What tests of decision rules and their costs share."""

from __future__ import annotations

import pytest

from tests.workbench.stage import Stage
from tests.workbench.tabs.evaluate.cost_boards import board_of_three_runs
from tests.workbench.window_helpers import Wait, small_data
from workbench.session.session import Session
from workbench.tabs.evaluate.costs.cost_board import CostBoard


@pytest.fixture
def session(stage: Stage) -> Session:
    """A session with a table of two classes, the second of them positive."""
    session = stage.session(small_data(240, seed=5))
    session.set_class_of_interest(1)
    return session


@pytest.fixture
def board(session: Session, stage: Stage, wait_until: Wait) -> CostBoard:
    """The cost page of three runs."""
    return board_of_three_runs(session, stage, wait_until)
