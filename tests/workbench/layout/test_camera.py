"""The camera over a wide drawing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.layout.camera import MARGIN, Camera

sizes = st.floats(50, 200_000)
views = st.floats(200, 4000)


@given(sizes, sizes, views, views)
def test_a_fitted_drawing_lies_inside_the_view(width: float, height: float, across: float, down: float) -> None:
    camera = Camera(width, height, across, down).fitted()
    left, top = camera.to_view(0, 0)
    right, bottom = camera.to_view(width, height)
    assert left >= MARGIN - 1e-3 and top >= MARGIN - 1e-3
    assert right <= across - MARGIN + 1e-3 and bottom <= down - MARGIN + 1e-3


def test_a_tree_far_wider_than_high_still_fills_the_height() -> None:
    camera = Camera(130_000, 2_000, 1_400, 800).fitted()
    top, bottom = camera.to_view(0, 0)[1], camera.to_view(0, 2_000)[1]
    assert bottom - top == pytest.approx(800 - 2 * MARGIN)


def test_both_scales_are_equal_where_names_can_be_read() -> None:
    camera = Camera(130_000, 2_000, 1_400, 800).scaled(0.7)
    assert camera.scale == camera.scale_y == pytest.approx(0.7)


@given(st.floats(0.2, 4), st.floats(100, 1300), st.floats(100, 700))
def test_zooming_keeps_the_point_under_the_mouse(factor: float, px: float, py: float) -> None:
    camera = Camera(5_000, 3_000, 1_400, 800, scale=0.8, x=2_500, y=1_500)
    before = camera.to_drawing(px, py)
    after = camera.scaled(camera.scale * factor, px, py)
    if after == after.kept_near() and 0 <= after.x <= 5_000 and 0 <= after.y <= 3_000:
        x, y = after.to_view(*before)
        assert abs(x - px) < 1 and abs(y - py) < 1


def test_the_scale_stays_between_everything_and_three_to_one() -> None:
    camera = Camera(10_000, 1_000, 1_000, 700)
    assert camera.scaled(1e9).scale == 3.0
    assert camera.scaled(1e-9).scale == pytest.approx((1_000 - 2 * MARGIN) / 10_000)


def test_the_drawing_cannot_be_lost_by_panning() -> None:
    camera = Camera(3_000, 1_000, 1_000, 700, x=1_500, y=500).panned(1e9, 1e9)
    left, top = camera.to_view(0, 0)
    right, bottom = camera.to_view(3_000, 1_000)
    assert right > 0 and bottom > 0 and left < 1_000 and top < 700


@given(st.floats(0, 4_900), st.floats(0, 2_900))
def test_a_box_that_is_asked_for_comes_into_view(x: float, y: float) -> None:
    camera = Camera(5_000, 3_000, 1_000, 700, x=2_500, y=1_500).showing(x, y, x + 100, y + 60)
    left, top = camera.to_view(x, y)
    right, bottom = camera.to_view(x + 100, y + 60)
    assert left >= -1e-6 and top >= -1e-6 and right <= 1_000 + 1e-6 and bottom <= 700 + 1e-6


def test_a_box_in_view_moves_nothing() -> None:
    camera = Camera(5_000, 3_000, 1_000, 700, x=2_500, y=1_500)
    assert camera.showing(2_450, 1_450, 2_550, 1_510) == camera
