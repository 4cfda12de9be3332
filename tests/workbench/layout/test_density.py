"""Density: every point is counted once in its cell, and the picture mixes the classes' colours."""

from __future__ import annotations

import numpy as np
import pytest

from tests.workbench.layout.test_points import plane
from workbench.layout.camera import Window
from workbench.layout.density import counts_of_class, density_picture, shown_points

WHOLE = Window(-0.01, 1.01, -0.01, 1.01, 320, 200)


def test_counts_are_those_of_a_two_dimensional_histogram() -> None:
    points = plane(5000)
    window = Window(0.2, 0.7, 0.3, 0.9, 100, 60)
    found = counts_of_class(points, 1, window, 2.0)
    first, last = points.starts[2], points.starts[3]
    edges = np.linspace(0.3, 0.9, 31), np.linspace(0.2, 0.7, 51)
    expected = np.histogram2d(points.y[first:last], points.x[first:last], bins=edges)[0][::-1]
    assert found.shape == (30, 50)
    assert np.abs(found - expected).sum() <= 4  # on an edge single precision may decide otherwise
    assert found.sum() == pytest.approx(expected.sum(), abs=2)


def test_no_point_is_lost_and_none_counted_twice() -> None:
    points = plane(200_000)
    total = sum(int(counts_of_class(points, code, WHOLE, 2.0).sum()) for code in (-1, 0, 1))
    assert total == 200_000


def test_only_the_chosen_points_are_counted_where_some_are() -> None:
    points = plane(3000)
    chosen = np.zeros(3000, dtype=np.bool_)
    chosen[::7] = True
    total = sum(int(counts_of_class(points, code, WHOLE, 2.0, chosen).sum()) for code in (0, 1))
    assert total == chosen.sum()


def test_a_cell_has_the_mean_colour_of_its_points() -> None:
    points = plane(4000)
    colors = np.array([[0, 0, 0], [255, 0, 0], [0, 0, 255]], dtype=np.float32)
    one = Window(0, 1, 0, 1, 1, 1)
    pixel = int(density_picture(points, one, colors, 1.0)[0, 0])
    alpha, red, green, blue = (pixel >> shift & 255 for shift in (24, 16, 8, 0))
    share = (points.starts[2] - points.starts[1]) / 4000
    assert alpha == 255 and green == 0
    assert red == pytest.approx(255 * share, abs=2) and blue == pytest.approx(255 * (1 - share), abs=2)


def test_fuller_cells_are_stronger_and_empty_ones_clear() -> None:
    points = plane(20_000)
    colors = np.full((3, 3), 200, dtype=np.float32)
    alpha = density_picture(points, WHOLE, colors, 4.0) >> np.uint32(24)
    counts = counts_of_class(points, 0, WHOLE, 4.0) + counts_of_class(points, 1, WHOLE, 4.0)
    assert (alpha[counts == 0] == 0).all()
    order = np.argsort(counts.ravel(), kind="stable")
    assert (np.diff(alpha.ravel()[order].astype(int)) >= 0).all()


@pytest.mark.parametrize(("n", "least", "most"), [(30, 0.99, 1.0), (2600, 0.6, 0.9), (1_000_000, 0.29, 0.31)])
def test_a_lone_point_is_faint_only_where_others_are_crowded(n: int, least: float, most: float) -> None:
    points = plane(n)
    points.x[0], points.y[0] = 1.6, 1.6
    beside = Window(-0.01, 1.7, -0.01, 1.7, 500, 260)
    alpha = density_picture(points, beside, np.full((3, 3), 200, dtype=np.float32)) >> np.uint32(24)
    lone = alpha[:30, -100:].max() / 255
    assert least <= lone <= most and alpha.max() == 255


def test_no_points_make_a_clear_picture() -> None:
    assert not density_picture(plane(0), WHOLE, np.zeros((3, 3), dtype=np.float32)).any()


def test_the_points_of_a_window_are_found_and_counting_ends_early() -> None:
    points = plane(300_000)
    window = Window(0.45, 0.55, 0.45, 0.55)
    inside = (points.x >= 0.45) & (points.x <= 0.55) & (points.y >= 0.45) & (points.y <= 0.55)
    assert shown_points(points, window, most=10**6).tolist() == np.flatnonzero(inside).tolist()
    assert 50_000 < len(shown_points(points, WHOLE, most=50_000)) < 200_000
