"""A few of the lives of ``python -m tests.kill_minus_nine``, which is to be run 200 times before a release."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from tests.kill_minus_nine import kill


def test_every_acknowledged_action_is_there_after_a_kill(qapp: QApplication) -> None:
    figures = kill(3, seed=7)
    assert figures.lost == [] and figures.lives == 3
