"""What stands in the window while something is being opened, driven by mouse."""

from __future__ import annotations

from threading import Event

from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from algorithms.catalogue import builtin
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.registry import Sample
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, click, part, small_data


class Gate:
    """A sample that takes until it is let through, a third of the way."""

    def __init__(self) -> None:
        self.open = Event()
        self.sample = Sample("gate", "Gate", "", "", 60, self._make)

    def _make(self, _size: int | None, _seed: int, context: RunContext) -> Dataset:
        context.advance(1, 3)
        while not self.open.wait(0.01):
            context.checkpoint()
        return small_data()


def test_what_is_being_opened_is_said_in_the_middle_and_can_be_stopped(stage: Stage, wait_until: Wait) -> None:
    gate, registry = Gate(), builtin()
    registry.add_sample(gate.sample)
    window = stage.window(registry=registry)
    welcome = part(window, QWidget, "welcome")
    window.open_sample("gate")
    wait_until(lambda: window.findChild(QPushButton, "opening.stop") is not None)
    assert part(window, QLabel, "opening.title").text() == "Opening Gate ..."
    wait_until(lambda: part(window, QLabel, "opening.far").text().startswith("33 of 100 done"))
    assert not welcome.isVisible() and part(window, QPushButton, "opening.stop").hasFocus()
    click(part(window, QPushButton, "opening.stop"))
    assert welcome.isVisible() and part(window, QPushButton, "welcome.open").hasFocus()
    assert window.session.data is None
    window.open_sample("gate")
    wait_until(lambda: window.findChild(QPushButton, "opening.stop") is not None and not welcome.isVisible())
    gate.open.set()
    wait_until(lambda: window.session.summary is not None)
    assert part(window, QWidget, "preprocess.records").isVisible()
    assert not welcome.isVisible()
