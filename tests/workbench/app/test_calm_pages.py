"""A page has few buttons, whatever is done on it; what is rare stands in menus and links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QCursor

from algorithms.core.learner import Learner
from algorithms.evaluation.costs.decision_rules import AtThreshold
from algorithms.evaluation.methods.methods import CrossValidation, TrainingSet
from algorithms.evaluation.tuning.parameter_search import Tuned
from algorithms.learners.bayes.bayesian_network import BayesianNetwork
from algorithms.learners.rules.c45_rules import C45Rules
from algorithms.learners.trees.c45 import C45
from tests.pages.inspection import MOST_BUTTONS, inspect
from tests.pages.states import states_of_evaluate, states_of_preprocess, states_of_visualize
from tests.pages.tables import TABLES
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged, press
from workbench.app.main_window import MainWindow

N_RECORDS = 90


def crowded(states: Iterator[str], window: MainWindow, wait_until: Wait) -> tuple[list[str], dict[str, Sequence[str]]]:
    """The states of pages, and the buttons in view of those that have too many."""
    seen: dict[str, Sequence[str]] = {}
    for state in states:
        wait_until(lambda: not window.session.jobs.running and not window.session.turns.is_busy, 60)
        seen[state] = inspect(window).buttons
    return list(seen), {state: buttons for state, buttons in seen.items() if len(buttons) > MOST_BUTTONS}


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
    states, crowds = crowded(states_of_visualize(window), window, wait_until)
    stem = f"visualize-{run.number:02}-{learner.id}-"
    assert modes <= {state.removeprefix(stem).removesuffix("-selected") for state in states}
    assert crowds == {}


def test_no_page_of_evaluate_has_more_than_fifteen_buttons_with_records_selected(
    stage: Stage, wait_until: Wait
) -> None:
    """The page switch *Experiment* was the sixteenth of Performance and of Diagnostics."""
    QCursor.setPos(QPoint(1, 1))
    window = stage.window(1280, 720)
    stage.open(window.session, TABLES["breast-cancer"]().take(np.arange(N_RECORDS)))
    run = judged(window.session, wait_until, C45(), CrossValidation(folds=2))
    states, crowds = crowded(states_of_evaluate(window), window, wait_until)
    assert {f"evaluate-page-{page}-selected" for page in ("performance", "diagnostics", "costs")} <= set(states)
    assert crowds == {}
    window.session.decisions.choose(run, AtThreshold(window.session.positive_label, 0.2))
    window.session.set_used([run.data.schema.names[0]], False)
    window.session.undo_stack.undo()
    press(window, "evaluate.page.performance")
    _states, crowds = crowded(iter(["at a threshold to reset, with a step to redo"]), window, wait_until)
    assert window.top.redo.is_painted and crowds == {}


def test_only_the_warnings_ask_for_something_while_they_are_open(stage: Stage, wait_until: Wait) -> None:
    """A tuned run with a step to redo and a remedy had seventeen buttons on Diagnostics."""
    QCursor.setPos(QPoint(1, 1))
    window = stage.window(1280, 720)
    session = window.session
    stage.open(session, TABLES["breast-cancer"]().take(np.arange(N_RECORDS)))
    judged(session, wait_until, Tuned(base=C45(), tried="min_leaf=1,20", folds=2), TrainingSet())
    assert session.data is not None
    session.set_used([session.data.schema.names[0]], False)
    session.undo_stack.undo()
    _states, crowds = crowded(states_of_evaluate(window), window, wait_until)
    assert crowds == {}
    press(window, "evaluate.page.diagnostics")
    window.badge.click()
    wait_until(lambda: not session.jobs.running and not session.turns.is_busy, 60)
    buttons = inspect(window).buttons
    assert any(name.endswith(".remedy") for name in buttons) and not any(
        name.startswith("evaluate.") for name in buttons
    )


def test_preprocess_has_no_more_than_fifteen_buttons_with_all_its_parts_open(stage: Stage, wait_until: Wait) -> None:
    QCursor.setPos(QPoint(1, 1))
    window = stage.window(2560, 1440)
    stage.open(window.session, TABLES["breast-cancer"]().take(np.arange(N_RECORDS)))
    states, crowds = crowded(states_of_preprocess(window), window, wait_until)
    assert "preprocess-selected-steps-ranges-filter" in states
    assert crowds == {}
