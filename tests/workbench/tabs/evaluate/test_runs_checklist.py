"""The list of runs: every row is as high as its words need, whatever was there before and however wide it was."""

from itertools import pairwise

import pytest
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QApplication

from tests.workbench.window_helpers import Wait
from workbench.tabs.evaluate.runs_checklist import ChecklistRow, RunsChecklist

NAMES = ("Naive Bayes", "C4.5 decision tree", "ZeroR (majority class)", "1R", "Support vector machine")


def _entries(names: tuple[str, ...]) -> list[ChecklistRow]:
    return [ChecklistRow(name, f"6.533 · run {at + 12}", QPen(), name, shown=True) for at, name in enumerate(names)]


def _is_laid_out(runs: RunsChecklist) -> bool:
    """Whether each row begins where the one above it, at the height of its words, ends."""
    tops = [runs.visualItemRect(runs.item(row)).top() for row in range(runs.count())]
    return [below - top for top, below in pairwise(tops)] == [runs.sizeHintForRow(r) for r in range(runs.count() - 1)]


@pytest.mark.parametrize("width", [132, 150, 164])
def test_rows_are_as_high_as_their_words_after_every_change(qapp: QApplication, wait_until: Wait, width: int) -> None:
    runs = RunsChecklist("runs", "Runs")
    runs.resize(400, 90)
    runs.show_entries(_entries(NAMES))
    runs.show()
    wait_until(lambda: _is_laid_out(runs))
    low = runs.sizeHintForRow(1)
    runs.resize(width, 90)
    wait_until(lambda: _is_laid_out(runs))
    assert runs.sizeHintForRow(1) > low
    runs.show_entries(_entries(NAMES[::-1]))
    wait_until(lambda: _is_laid_out(runs))
