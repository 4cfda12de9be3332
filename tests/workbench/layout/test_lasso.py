"""Points inside a line drawn by hand, and in a region of a grid: pure numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.layout.grid_regions import Grid
from workbench.layout.points import inside_lasso, thinned

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def winding_twin(polygon: np.ndarray, x: float, y: float) -> int:
    """The winding number edge by edge (Sunday, 2001)."""
    winding = 0
    for (x0, y0), (x1, y1) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        side = (x1 - x0) * (y - y0) - (x - x0) * (y1 - y0)
        if y0 <= y < y1 and side > 0:
            winding += 1
        elif y1 <= y < y0 and side < 0:
            winding -= 1
    return winding


def asked(polygon: np.ndarray, *points: tuple[float, float]) -> list[bool]:
    x, y = np.array(points, dtype=np.float32).T
    return inside_lasso(polygon, x, y).tolist()


def test_points_in_a_square_are_inside_whichever_way_it_is_drawn() -> None:
    points = ((0.5, 0.5), (0.01, 0.99), (1.5, 0.5), (-0.1, 0.5), (0.5, 1.1), (0.5, -0.1))
    assert asked(SQUARE, *points) == [True, True, False, False, False, False]
    assert asked(SQUARE[::-1], *points) == [True, True, False, False, False, False]


def test_a_bay_is_outside() -> None:
    bay = np.array([[0, 0], [4, 0], [4, 4], [3, 4], [3, 1], [1, 1], [1, 4], [0, 4]], dtype=float)
    assert asked(bay, (2, 2), (0.5, 3), (3.5, 3), (2, 0.5)) == [False, True, True, True]


def test_what_is_gone_around_twice_is_inside() -> None:
    twice = np.concatenate([SQUARE, SQUARE * 0.5 + 0.25])
    assert asked(twice, (0.5, 0.5), (0.1, 0.12), (2, 2)) == [True, True, False]


def test_both_halves_of_an_eight_are_inside() -> None:
    eight = np.array([[0, 0], [2, 2], [0, 2], [2, 0]], dtype=float)
    assert asked(eight, (1, 0.3), (1, 1.7), (0.2, 1)) == [True, True, False]


@pytest.mark.parametrize("line", [np.empty((0, 2)), SQUARE[:1], SQUARE[:2], np.array([[0, 1], [1, 1], [2, 1.0]])])
def test_a_line_without_a_face_has_nothing_inside(line: np.ndarray) -> None:
    assert asked(line, (0.5, 0.5), (0.5, 1.0)) == [False, False]


def test_no_point_is_inside_where_there_is_none() -> None:
    assert inside_lasso(SQUARE, np.empty(0, np.float32), np.empty(0, np.float32)).tolist() == []


corner = st.tuples(st.integers(0, 12), st.integers(0, 12))


@settings(max_examples=80, deadline=None)
@given(st.lists(corner, min_size=3, max_size=14), st.lists(corner, min_size=1, max_size=20))
def test_any_polygon_agrees_with_its_twin(corners: list[tuple[int, int]], places: list[tuple[int, int]]) -> None:
    polygon = np.array(corners, dtype=np.float64)
    x = np.array([p[0] + 0.37 for p in places], dtype=np.float32)
    y = np.array([p[1] + 0.21 for p in places], dtype=np.float32)
    expected = [winding_twin(polygon, float(a), float(b)) != 0 for a, b in zip(x, y, strict=True)]
    assert inside_lasso(polygon, x, y).tolist() == expected


def test_corners_that_lie_together_are_left_out() -> None:
    line = np.array([[0, 0], [0.5, 0], [1.0, 0.5], [3, 0], [3.1, 0], [6, 0]], dtype=float)
    assert thinned(line, 2.0).tolist() == [[0, 0], [3, 0], [6, 0]]


CODES = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 0]], dtype=np.int32)


def test_a_patch_is_what_hangs_together() -> None:
    grid = Grid(0.0, 3.0, 0.0, 3.0, CODES)
    assert grid.code_at(0.5, 0.5) == 0 and grid.code_at(2.5, 0.5) == 1 and grid.code_at(-1, 0) is None
    patch = grid.patch_at(0.5, 0.5)
    assert patch is not None
    assert patch.astype(int).tolist() == [[1, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert grid.patch_at(9, 9) is None


def test_points_in_a_patch_are_those_in_its_cells() -> None:
    grid = Grid(0.0, 3.0, 0.0, 3.0, CODES)
    patch = grid.patch_at(2.5, 2.5)
    assert patch is not None
    x = np.array([1.5, 2.9, 0.5, 3.0, 3.1], dtype=np.float32)
    y = np.array([2.5, 2.1, 0.5, 3.0, 2.5], dtype=np.float32)
    assert grid.inside(patch, x, y).tolist() == [True, True, False, True, False]
