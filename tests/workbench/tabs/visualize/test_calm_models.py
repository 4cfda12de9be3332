"""A model in view has few buttons, whatever is done with it; what is rare stands in menus and links."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QCursor

from algorithms.core.learner import Learner
from algorithms.evaluation.methods.methods import TrainingSet
from algorithms.learners.bayes.bayesian_network import BayesianNetwork
from algorithms.learners.rules.c45_rules import C45Rules
from algorithms.learners.trees.c45 import C45
from tests.pages.inspection import MOST_BUTTONS, inspect
from tests.pages.states import states_of_visualize
from tests.pages.tables import TABLES
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged

N_RECORDS = 90


@pytest.mark.parametrize(
    ("learner", "modes"),
    [
        (C45Rules(), {"rule-steps", "rules-whole", "rule-edit", "rule-edit-change", "rule-edit-write"}),
        (C45(), {"edit", "edit-ask", "growth", "pruning"}),
        (BayesianNetwork(), {"network-edit", "network-independent"}),
    ],
    ids=lambda given: given.id if isinstance(given, Learner) else "",
)
def test_no_mode_of_a_model_has_more_than_fifteen_buttons(
    stage: Stage, wait_until: Wait, learner: Learner, modes: set[str]
) -> None:
    QCursor.setPos(QPoint(1, 1))  # a chart below the mouse shows its menu
    window = stage.window(1280, 720)
    session = window.session
    stage.open(session, TABLES["breast-cancer"]().take(np.arange(N_RECORDS)))
    run = judged(session, wait_until, learner, TrainingSet())
    stem, seen = f"visualize-{run.number:02}-{learner.id}-", {}
    for state in states_of_visualize(window):
        wait_until(lambda: not session.jobs.running and not session.turns.is_busy, 60)
        seen[state.removeprefix(stem).removesuffix("-selected")] = inspect(window).buttons
    assert modes <= set(seen)
    assert {state: buttons for state, buttons in seen.items() if len(buttons) > MOST_BUTTONS} == {}
