"""The last line of the window follows what is done, and repeats nothing that stands in a line of its own."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import numpy as np
import pytest
from PySide6.QtWidgets import QLabel

from algorithms.core.run_control import RunContext
from algorithms.data.schema import renamed
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from tests.expected_texts import widgets as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, part, small_data
from workbench.app.main_window import MainWindow
from workbench.jobs.messages import Message
from workbench.widgets.labels import ElidedLabel
from workbench.widgets.status_line import JobRow


@pytest.fixture
def window(stage: Stage, wait_until: Wait) -> MainWindow:
    window = stage.window()
    stage.open(window.session, small_data())
    return window


def test_cores_and_memory_are_as_large_as_other_facts_and_explained(window: MainWindow) -> None:
    machine, source = part(window, QLabel, "jobs.machine"), part(window, QLabel, "selection.source")
    assert machine.font().pixelSize() == source.font().pixelSize()
    assert machine.toolTip() == wording.CORES_AND_MEMORY


def said(window: MainWindow) -> str:
    return part(window, QLabel, "jobs.said").text()


def shown(window: MainWindow) -> str:
    return part(window, ElidedLabel, "jobs.said").shown()


def test_the_last_line_says_what_was_done_and_undone_and_not_what_was_long_before(
    window: MainWindow, wait_until: Wait, tmp_path: Path
) -> None:
    session = window.session
    assert session.data is not None
    session.saving.save_data(str(tmp_path / "a.csv"))
    wait_until(lambda: said(window).startswith("Saved"))
    session.edit("Remove a record", session.data.take(np.arange(1, len(session.data))))
    assert said(window) == wording.REMOVE_A_RECORD
    session.undo_stack.undo()
    assert said(window) == wording.UNDONE_REMOVE_RECORD
    session.undo_stack.redo()
    assert said(window) == wording.REMOVE_A_RECORD
    session.set_document(small_data(20))
    assert said(window) == ""


def test_what_was_saved_is_told_in_fewer_words_where_the_line_is_short(window: MainWindow, wait_until: Wait) -> None:
    """After saving predictions the line was cut within the words on the decision rule."""
    name = "predictions of the logistic regression for all patients of the last three years.csv"
    message = window.session.messages.good(wording.saved_with_rule(name), name, brief=wording.saved_briefly(name))
    assert said(window) == message.text
    window.resize(960, 600)
    wait_until(lambda: shown(window) != message.text)
    assert shown(window).startswith(wording.SAVED_150) and shown(window).endswith(wording.END_OF_NAME)


def test_an_edit_is_not_said_any_more_once_something_else_was_done(window: MainWindow) -> None:
    session = window.session
    session.set_costs(CostMatrix(("yes", "no"), ((0.0, 10.0), (1.0, 0.0))))
    assert said(window) != ""
    window.show_tab(1)
    assert said(window) == ""
    session.undo_stack.undo()
    assert said(window) != ""
    assert session.data is not None
    session.selection.select(session.data, np.array([0]))
    assert said(window) == ""
    session.messages.note("All is well.")
    window.show_tab(0)
    assert said(window) == wording.ALL_IS_WELL, "that was no edit"


def test_what_stands_in_a_line_of_its_own_is_not_said_once_more(window: MainWindow) -> None:
    session = window.session
    session.messages.note("All is well.")
    offered = session.messages.add(Message("Something is kept.", action_text="Restore", action=lambda: None))
    assert said(window) == wording.ALL_IS_WELL
    session.messages.dismiss(offered)
    assert said(window) == wording.ALL_IS_WELL


def test_a_long_name_in_the_last_line_is_told_from_the_others(window: MainWindow) -> None:
    session, names = (
        window.session,
        [f"the_attribute_with_a_very_long_name_number_{at}_of_the_second_row" for at in "12"],
    )
    data = small_data()
    for at, name in enumerate(names):
        data = data.with_schema(data.schema.with_attribute(at, renamed(data.schema.attributes[at], name)))
    session.set_document(data)
    for name, mark in zip(names, "12", strict=True):
        session.set_used([name], False)
        assert said(window) == f"{wording.DONE_LEAVE_OUT}{name}"
        assert len(shown(window)) <= len(wording.DONE_LEAVE_OUT) + 40 and f"{mark}_of" in shown(window)
        session.undo_stack.undo()
        assert shown(window).startswith(wording.UNDONE_LEAVE_OUT) and f"{mark}_of" in shown(window)


def test_two_jobs_in_the_last_line_are_told_apart_by_their_names(window: MainWindow, wait_until: Wait) -> None:
    gate = Event()

    def work(context: RunContext) -> None:
        context.say("The program is being prepared for its first use: 24 of 38 parts ready", is_waiting=True)
        while not gate.wait(0.01):
            context.checkpoint()

    window.resize(1280, 720)
    names = ("C4.5 decision tree", "Try 11 learners")
    jobs = [window.session.jobs.start(wording.ten_folds(name), work, can_finish=True) for name in names]

    def titles() -> list[str]:
        rows = [row for row in window.findChildren(JobRow) if row.isVisible()]
        return [row.findChildren(ElidedLabel)[0].shown() for row in rows]

    wait_until(lambda: len(titles()) == 2)
    wait_until(lambda: all(said.startswith(name) for said, name in zip(titles(), names, strict=True)))
    jobs[1].stop()
    wait_until(lambda: titles() == [wording.ten_folds(names[0])])
    jobs[0].stop()
    wait_until(lambda: not titles())
    last = part(window, ElidedLabel, "jobs.said")
    last.setFixedWidth(last.fontMetrics().horizontalAdvance(f"Stopped: {names[0]}") + 20)
    assert last.shown() == f"Stopped: {names[0]}", "the method was cut in its middle"
