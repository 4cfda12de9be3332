"""What part of a plane is seen, and the marks of its axes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.data.schema import Attribute, AttributeKind
from algorithms.text.numbers import tick_text
from workbench.layout.camera import DEEPEST, Window
from workbench.layout.points import AxisScale
from workbench.layout.ticks import nice_step, roundest_first, ticks

START = Window(-0.03, 1.03, -0.03, 1.03, 800, 500)


def test_a_pixel_and_its_place_are_one() -> None:
    assert START.to_unit(*START.to_pixel(0.3, 0.8)) == pytest.approx((0.3, 0.8))
    assert START.to_pixel(-0.03, 1.03) == pytest.approx((0, 0))


@given(st.floats(0.2, 6), st.floats(0, 800), st.floats(0, 500))
def test_zooming_keeps_what_is_under_the_mouse_while_the_window_may(factor: float, px: float, py: float) -> None:
    seen = START.zoomed(4.0, 400, 250)
    zoomed = seen.zoomed(factor, px, py)
    assert zoomed.right - zoomed.left <= 1.6 + 1e-9
    if factor >= 1:
        assert zoomed.to_unit(px, py) == pytest.approx(seen.to_unit(px, py))


@given(st.lists(st.tuples(st.floats(0.1, 9), st.floats(-4000, 4000), st.floats(-4000, 4000)), max_size=12))
def test_the_points_never_get_out_of_sight_nor_the_view_too_deep(moves: list[tuple[float, float, float]]) -> None:
    seen = START
    for factor, right, down in moves:
        seen = seen.zoomed(factor, 10, 490).panned(right, down)
        assert seen.right > 0 and seen.left < 1 and seen.high > 0 and seen.low < 1
        assert DEEPEST * 0.999 <= seen.right - seen.left <= 1.61


def test_a_larger_window_covers_and_has_the_scale() -> None:
    around = START.around(0.5)
    assert around.covers(START) and not START.covers(around)
    assert around.has_scale_of(START) and not START.zoomed(2, 0, 0).has_scale_of(START)


def test_dragging_moves_the_plane_by_as_many_pixels() -> None:
    moved = START.panned(40, -30)
    x, y = START.to_pixel(0.5, 0.5)
    assert moved.to_pixel(0.5, 0.5) == pytest.approx((x - 40, y + 30))


@pytest.mark.parametrize(("least", "step"), [(0.11, 0.2), (0.021, 0.025), (3.0, 5.0), (1.0, 1.0), (700, 1000)])
def test_steps_are_round(least: float, step: float) -> None:
    assert nice_step(least) == pytest.approx(step)


@pytest.mark.parametrize(
    ("number", "step", "text"),
    [(1500, 500, "1,500"), (-0.5, 0.25, "−0.50"), (0.025, 0.025, "0.025"), (1e-19, 1.0, "0"), (3e9, 1e9, "3e+09")],
)
def test_numbers_have_the_digits_their_steps_need(number: float, step: float, text: str) -> None:
    assert tick_text(number, step) == text


def test_numbers_are_marked_at_round_places() -> None:
    found = ticks(AxisScale(Attribute("x", AttributeKind.NUMERIC), 4.0, 8.0), 0.0, 1.0, 5)
    assert [text for _, text in found] == ["4", "5", "6", "7", "8"]
    assert [unit for unit, _ in found] == pytest.approx([0, 0.25, 0.5, 0.75, 1])


def test_a_low_axis_has_two_numbers() -> None:
    found = ticks(AxisScale(Attribute("x", AttributeKind.NUMERIC), -3.3, 3.3), 0.0, 1.0, 2)
    assert [text for _, text in found] == ["−2.5", "0", "2.5"]


def test_every_band_has_its_name_while_there_is_room() -> None:
    scale = AxisScale(Attribute("c", AttributeKind.NOMINAL, tuple("abcdef")), 0, 6)
    assert [text for _, text in ticks(scale, 0, 1, 6)] == list("abcdef")
    assert [text for _, text in ticks(scale, 0, 1, 3)] == ["a", "c", "e"]
    assert [text for _, text in ticks(scale, 0.4, 0.6, 6)] == ["c", "d"]


def test_dates_are_marked_at_days_and_years() -> None:
    def moment(text: str) -> float:
        return float(np.datetime64(text, "s").astype(np.int64))

    date = Attribute("when", AttributeKind.DATE)
    years = AxisScale(date, moment("2001-05-01"), moment("2021-03-01"))
    assert [text for _, text in ticks(years, 0, 1, 5)] == ["2005", "2010", "2015", "2020"]
    days = AxisScale(date, moment("2024-02-27"), moment("2024-03-02"))
    assert [text for _, text in ticks(days, 0, 1, 5)][:3] == ["2024-02-27", "2024-02-28", "2024-02-29"]


def test_one_value_has_one_mark_at_it() -> None:
    scale = AxisScale(Attribute("x", AttributeKind.NUMERIC), 3.0, 3.0)
    assert (scale.unit(3.0), "3.0") in [(pytest.approx(u), t) for u, t in ticks(scale, 0, 1, 5)]


def test_round_numbers_are_written_first_where_not_all_have_room() -> None:
    texts = ["1", "2", "5", "7", "10", "12", "20", "30.4", "33"]
    assert [texts[at] for at in roundest_first(texts)] == ["1", "33", "20", "10", "5", "2", "12", "7", "30.4"]
    assert roundest_first(["none", "7", "10"]) == [0, 1, 2]
