"""A leak that is left in stands in the verdict on each page, and leaves it with the leak."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel

from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import warnings as wording
from tests.workbench.person import Person
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged, part
from workbench.app.main_window import MainWindow


def leaky(n: int = 200, n_copies: int = 50) -> Dataset:
    """Two numbers that tell little, a column that is the class, and copies of the first records."""
    random, rows = np.random.default_rng(0), np.arange(n + n_copies) % n
    schema = Schema((numeric("a"), numeric("b"), nominal("paid", ["n", "y"]), nominal("class", ["good", "bad"])), 3)
    values = [each[rows] for each in random.normal(size=(2, n))]
    return Dataset(schema, [*values, rows % 2, rows % 2])


@pytest.fixture
def window(stage: Stage) -> MainWindow:
    shown = stage.window(2400, 1000)
    stage.open(shown.session, leaky())
    return shown


def test_a_leak_stands_in_the_verdict_until_it_is_gone(window: MainWindow, person: Person, wait_until: Wait) -> None:
    session = window.session
    judged(session, wait_until, ZeroR(), CrossValidation(folds=5))
    person.go_to("Classify")
    sentence = part(window, QLabel, "classify.sentence")
    wait_until(lambda: sentence.text().startswith(wording.LEAKS_OF_PAID))
    assert wording.PAID_PREDICTS_CLASS in sentence.text() and wording.TESTED_DUPLICATE_TRAINING in sentence.text()

    person.click("warnings")
    person.click("warnings.giveaway.remedy")
    wait_until(lambda: session.summary is not None)
    wait_until(lambda: not session.jobs.running)
    assert "paid alone" in sentence.text(), "the run in view was judged with it"
    judged(session, wait_until, ZeroR(), CrossValidation(folds=5))
    wait_until(lambda: sentence.text().startswith("Leak: ") and "paid" not in sentence.text())
    person.click("warnings.twins.remedy")
    judged(session, wait_until, ZeroR(), CrossValidation(folds=5))
    wait_until(lambda: "Leak" not in sentence.text())
