"""What every test of the window leaves behind is taken away: a window left open takes the mouse from the next test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication


@pytest.fixture(autouse=True)
def no_window_stays(qapp: QApplication) -> Iterator[None]:
    """Hide the windows that the test did not."""
    yield
    for left in qapp.topLevelWidgets():
        if left.isVisible():
            left.hide()
