"""How long work still takes: by its pace, without what it waited, and never a time that has run out."""

from __future__ import annotations

import pytest

from workbench.pace import Pace


def test_the_time_left_goes_down_between_two_steps_of_the_work() -> None:
    pace = Pace(100.0)
    assert pace.seconds_left(0.0, 101.0, False) is None
    assert pace.seconds_left(0.25, 104.0, False) == pytest.approx(12.0)
    assert pace.seconds_left(0.25, 107.0, False) == pytest.approx(9.0)


def test_work_that_stands_still_longer_than_was_foretold_has_no_time_left_until_it_moves() -> None:
    pace = Pace(0.0)
    assert pace.seconds_left(0.5, 4.0, False) == pytest.approx(4.0)
    assert pace.seconds_left(0.5, 8.1, False) is None
    assert pace.seconds_left(0.75, 9.0, False) == pytest.approx(3.0)


def test_waiting_for_something_else_has_no_pace_and_is_no_part_of_it() -> None:
    pace = Pace(0.0)
    assert pace.seconds_left(0.5, 4.0, False) == pytest.approx(4.0)
    assert pace.seconds_left(0.5, 4.5, True) is None
    assert pace.is_waiting
    assert pace.seconds_left(0.5, 204.5, True) is None
    assert pace.seconds_left(0.5, 205.5, False) == pytest.approx(3.5)
    assert pace.seconds_left(0.75, 206.5, False) == pytest.approx(5.5 / 3)


def test_nothing_is_foretold_of_the_first_moments() -> None:
    pace = Pace(0.0)
    assert pace.seconds_left(0.5, 0.1, False) is None
    assert pace.seconds_left(-1.0, 5.0, False) is None
