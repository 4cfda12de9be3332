"""Records along many axes: places, bars, the grid of pairs, axes in a row with their brushes, and lines as density."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from workbench.layout.density import over
from workbench.layout.many_axes import (
    BEYOND,
    MISSING,
    OUTSIDE,
    AxisView,
    Brush,
    Gap,
    MultiAxisPoints,
    bars_of,
    brush_between,
    brushed,
    count_lines,
    drawn_lines,
    heights_of,
    inside,
    lines_picture,
    nearest_line,
    places_of,
    whole_range,
    whole_view,
)
from workbench.layout.matrix_layout import PairGrid, with_window
from workbench.layout.points import points_of

COLORS = np.array([[0, 0, 0], [200, 0, 0], [0, 0, 200]], dtype=np.float32)
SPAN = (-0.05, 1.05)


def table(n: int = 400, seed: int = 0, missing: float = 0.1) -> Dataset:
    random = np.random.default_rng(seed)
    schema = Schema(
        (
            Attribute("x", AttributeKind.NUMERIC),
            Attribute("y", AttributeKind.NUMERIC),
            Attribute("color", AttributeKind.NOMINAL, ("red", "green", "blue")),
            Attribute("class", AttributeKind.NOMINAL, ("a", "b")),
        ),
        3,
    )
    x, y = random.normal(size=n), random.normal(size=n)
    x[random.random(n) < missing] = np.nan
    return Dataset(schema, [x, y, random.integers(-1, 3, n), random.integers(-1, 2, n)])


def test_the_plane_of_a_pair_has_the_points_of_a_scatter_plot() -> None:
    data = table()
    places, points = places_of(data, [1, 0], spread=False), points_of(data, 1, 0, spread=False)
    pair = places.pair(0, 1)
    shown = pair.y > OUTSIDE
    assert np.array_equal(np.sort(pair.rows[shown]), np.sort(points.rows))
    at = {int(row): (float(x), float(y)) for row, x, y in zip(points.rows, points.x, points.y, strict=True)}
    for row, x, y in zip(pair.rows[shown], pair.x[shown], pair.y[shown], strict=True):
        assert at[int(row)] == (float(x), float(y))


def test_records_without_a_value_are_counted_and_kept() -> None:
    data = table()
    places = places_of(data, [0, 1, 2])
    n_missing = [int(np.isnan(data.column(0)).sum()), 0, int((data.column(2) < 0).sum())]
    assert list(places.n_missing) == n_missing and len(places) == len(data)
    assert places.n_incomplete == int((np.isnan(data.column(0)) | (data.column(2) < 0)).sum())


@given(st.integers(1, 40))
def test_a_sample_keeps_the_classes_apart(every: int) -> None:
    data = table(123)
    places = places_of(data, [0, 1])
    part = places.sampled(every)
    codes = data.column(3)
    assert [part.class_of(at) for at in range(len(part))] == codes[part.rows].tolist()
    assert np.array_equal(part.rows, places.rows[::every])


def test_some_records_keep_their_places() -> None:
    places = places_of(table(), [0, 1, 2])
    kept = np.arange(len(places)) % 3 == 0
    part = places.only(kept)
    assert all(np.array_equal(new, old[kept]) for new, old in zip(part.units, places.units, strict=True))
    assert [part.class_of(at) for at in range(len(part))] == [places.class_of(at) for at in np.flatnonzero(kept)]
    assert np.count_nonzero(part.of_class(0)) == np.count_nonzero(places.of_class(0) & kept)


def test_bars_count_every_record_that_has_a_value() -> None:
    data = table()
    places = places_of(data, [0, 2])
    numbers, values = bars_of(places, 0, -0.1, 1.1), bars_of(places, 1, 0.3, 0.4)
    assert numbers.counts.sum() == (~np.isnan(data.column(0))).sum()
    assert values.n_bars == 3
    assert values.counts.sum(axis=0).tolist() == np.bincount(data.column(2)[data.column(2) >= 0]).tolist()
    half = np.arange(len(places)) % 2 == 0
    assert bars_of(places, 0, -0.1, 1.1, half).counts.sum() == (half & inside(places, 0, 0.0, 1.0)).sum()


def test_the_largest_value_in_view_is_in_the_last_bar() -> None:
    places = places_of(table(missing=0.0), [0], spread=False)
    bars = bars_of(places, 0, 0.0, 1.0)
    assert bars.counts.sum() == len(places) and bars.counts[:, -1].sum() >= 1


def test_every_place_of_the_grid_belongs_to_one_cell_or_to_none() -> None:
    grid = PairGrid(4, 40.0, 10.0, 402.0, 202.0)
    for row in range(4):
        for column in range(4):
            middle = grid.x(column) + grid.cell_width / 2, grid.y(row) + grid.cell_height / 2
            assert grid.at(*middle) == (row, column)
    assert grid.at(39, 50) is None and grid.at(50, 9) is None
    assert grid.at(grid.x(1) - 2, 50) is None and grid.at(5000, 50) is None


def test_a_cell_shows_its_rows_axis_upwards_and_its_columns_axis_across() -> None:
    grid = PairGrid(3, 0, 0, 300, 300)
    ranges = ((0.0, 1.0), (0.2, 0.4), (0.5, 0.6))
    window = grid.window((1, 2), ranges)
    assert (window.low, window.high, window.left, window.right) == (0.2, 0.4, 0.5, 0.6)
    moved = with_window(ranges, (1, 2), window.zoomed(2.0, 10, 10))
    assert moved[0] == ranges[0] and moved[1] != ranges[1] and moved[2] != ranges[2]
    assert moved[1][1] - moved[1][0] == pytest.approx(0.1)
    assert grid.stepped((0, 0), -1, -1) == (0, 0) and grid.stepped((0, 0), 1, 2) == (2, 1)


@given(st.floats(0.0, 1.0), st.floats(1.0, 30.0), st.booleans())
def test_what_lies_under_the_mouse_stays_there_while_an_axis_is_zoomed(
    height: float, factor: float, turned: bool
) -> None:
    view = AxisView(0.0, 1.0, turned)
    nearer = view.zoomed(factor, height, (0.0, 1.0))
    assert nearer.unit(height) == pytest.approx(view.unit(height), abs=1e-9)
    assert nearer.zoomed(1e-9, 0.5, (0.0, 1.0)) == AxisView(0.0, 1.0, turned)
    assert view.unit(view.height(0.3)) == pytest.approx(0.3)


def test_an_axis_is_moved_upwards_whichever_way_it_stands() -> None:
    for turned in (False, True):
        view = AxisView(0.4, 0.6, turned)
        moved = view.panned(0.5, (0.0, 1.0))
        assert moved.height(view.unit(0.5)) == pytest.approx(0.0)
        far = view.panned(100.0, (0.0, 1.0))
        assert far.low >= 0 and far.high <= 1 + 1e-9


def test_heights_turn_end_beyond_the_axis_and_keep_missing_values_apart() -> None:
    units = np.array([0.0, 0.5, 1.0, OUTSIDE], dtype=np.float32)
    assert AxisView(0.0, 1.0).heights(units).tolist() == pytest.approx([0.0, 0.5, 1.0, MISSING])
    assert AxisView(0.0, 1.0, True).heights(units).tolist() == pytest.approx([1.0, 0.5, 0.0, MISSING])
    near = AxisView(0.4, 0.6).heights(units).tolist()
    assert near == pytest.approx([-BEYOND, 0.5, 1 + BEYOND, MISSING])


def test_brushes_on_several_axes_choose_what_lies_in_all_of_them() -> None:
    data = table()
    places = places_of(data, [0, 1, 2])
    scales = places.scales
    brushes = {
        0: brush_between(scales[0], whole_view(scales[0]), 0.2, 0.7),
        2: brush_between(scales[2], whole_view(scales[2]), 0.4, 0.6),
    }
    found = places.rows[brushed(places, brushes)]
    x = scales[0].units(data.column(0))
    expected = np.flatnonzero((x >= np.float32(0.2)) & (x <= np.float32(0.7)) & (data.column(2) == 1))
    assert np.array_equal(np.sort(found), expected)
    assert np.count_nonzero(brushed(places, {})) == len(data)


def test_a_brush_takes_the_same_records_whichever_way_the_axis_stands() -> None:
    places = places_of(table(), [0])
    view = whole_view(places.scales[0])
    upright = brush_between(places.scales[0], view, 0.1, 0.3)
    turned = brush_between(places.scales[0], view.flipped(), 0.9, 0.7)
    assert upright.low == pytest.approx(turned.low) and upright.high == pytest.approx(turned.high)


def test_a_brush_around_the_place_of_missing_values_takes_them_alone() -> None:
    data = table()
    places = places_of(data, [0, 2])
    for axis, missing in ((0, np.isnan(data.column(0))), (1, data.column(2) < 0)):
        brush = brush_between(places.scales[axis], whole_view(places.scales[axis]), MISSING + 0.02, MISSING - 0.02)
        found = places.rows[brushed(places, {axis: brush})]
        assert np.array_equal(np.sort(found), np.flatnonzero(missing))


def test_a_small_brush_on_a_value_takes_all_of_its_band() -> None:
    data = table()
    places = places_of(data, [2])
    brush = brush_between(places.scales[0], whole_view(places.scales[0]), 0.97, 0.99)
    assert brush == Brush(2 / 3, 1.0)
    assert np.array_equal(np.sort(places.rows[brush.holds(places.units[0])]), np.flatnonzero(data.column(2) == 2))


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("second", [AxisView(0.0, 1.0), AxisView(0.0, 1.0, True), AxisView(0.2, 0.7)])
def test_the_nearest_line_is_the_one_that_passes_there(missing: float, second: AxisView) -> None:
    data = table(missing=missing)
    places = places_of(data, [0, 1], spread=False)
    views = whole_view(places.scales[0]), second
    heights = heights_of(places, views, np.arange(len(places)))
    for at in range(0, len(places), 37):
        height = 0.25 * heights[at, 0] + 0.75 * heights[at, 1]
        found = nearest_line(places, 0, views, 0.75, float(height), 0.01)
        away = abs(0.25 * heights[found, 0] + 0.75 * heights[found, 1] - height)
        assert away < 1e-6
        others = np.arange(len(places)) != found
        assert nearest_line(places, 0, views, 0.75, float(height), 0.5, others) not in (found, -1)
    assert nearest_line(places, 0, views, 0.5, 3.0, 0.01) == -1


def ends(places: MultiAxisPoints, n: int = 20) -> tuple[np.ndarray, np.ndarray]:
    gap = Gap(0, whole_view(places.scales[0]), whole_view(places.scales[1]))
    found = count_lines(places, gap, n, SPAN, COLORS)
    return found.total, lines_picture(found, 30)


def test_every_line_is_counted_once_by_its_ends() -> None:
    data = table()
    places = places_of(data, [1, 2])
    total, _ = ends(places)
    assert total.sum() == len(data)


def test_a_lone_line_has_no_holes_however_steep() -> None:
    schema = Schema(
        (
            Attribute("x", AttributeKind.NUMERIC),
            Attribute("y", AttributeKind.NUMERIC),
            Attribute("c", AttributeKind.NOMINAL, ("a",)),
        ),
        2,
    )
    data = Dataset(schema, [[0.0, 1.0], [1.0, 0.0], [0, -1]])
    places = places_of(data, [0, 1], spread=False).only(np.array([False, True]))
    gap = Gap(0, AxisView(0.0, 1.0), AxisView(0.0, 1.0))
    found = count_lines(places, gap, 40, SPAN, COLORS[:2])
    shown = lines_picture(found, 8) > 0
    assert shown.any(axis=0).all()
    for left, right in zip(shown.T[:-1], shown.T[1:], strict=True):
        assert np.flatnonzero(left).min() <= np.flatnonzero(right).max() + 1 if left[0] else True
        assert (left & right).any(), "neighbouring columns touch"
    assert np.flatnonzero(shown[:, 0]).max() > np.flatnonzero(shown[:, -1]).max()  # it rises


def test_the_picture_of_lines_has_the_colour_of_their_class() -> None:
    data = table(missing=0.0)
    places = places_of(data, [0, 1])
    only_b = places.only(places.of_class(1))
    _, pixels = ends(only_b)
    full = pixels[pixels > 0]
    red, blue = (full >> 16) & 255, full & 255
    assert len(full) and (red == 0).all() and (blue > 0).all()


def test_counting_some_records_only_is_counting_them_alone() -> None:
    places = places_of(table(), [0, 1, 2])
    kept = np.arange(len(places)) % 5 == 0
    gap = Gap(1, whole_view(places.scales[1]), whole_view(places.scales[2]))
    among = count_lines(places, gap, 16, SPAN, COLORS, kept)
    alone = count_lines(places.only(kept), gap, 16, SPAN, COLORS)
    assert np.array_equal(among.total, alone.total) and np.allclose(among.mixed, alone.mixed)


def test_a_picture_over_another_hides_as_much_as_it_is_opaque() -> None:
    above = np.array([[0xFF102030, 0, 0x80400000]], dtype=np.uint32)
    below = np.array([[0xFFFFFFFF, 0x80112233, 0xFF0000FF]], dtype=np.uint32)
    found = over(above, below)
    assert found[0, 0] == 0xFF102030 and found[0, 1] == 0x80112233
    assert found[0, 2] >> 24 == 255 and abs(int(found[0, 2] & 255) - 127) <= 1 and (found[0, 2] >> 16) & 255 == 0x40


def test_all_of_an_axis_has_room_for_the_spread_of_its_ends() -> None:
    schema = Schema((Attribute("few", AttributeKind.NUMERIC),))
    places = places_of(Dataset(schema, [[0.0, 1.0, 2.0, 0.0, 2.0]]), [0])
    low, high = whole_range(places.scales[0])
    assert low < 0 < 1 < high
    assert ((places.units[0] >= low) & (places.units[0] <= high)).all()


def opacity(pixels: np.ndarray) -> np.ndarray:
    return (pixels >> 24).astype(np.float64) / 255


@pytest.mark.parametrize(("begin", "end"), [(10.0, 10.0), (3.5, 27.25), (39.0, 1.0)])
def test_a_drawn_line_lies_where_it_should_and_is_as_wide_everywhere(begin: float, end: float) -> None:
    shown = opacity(drawn_lines(np.array([begin]), np.array([end]), np.full((1, 3), 255.0), (40, 60), 1 - 1e-9))
    linear = opacity(drawn_lines(np.array([begin]), np.array([end]), np.full((1, 3), 255.0), (40, 60), 0.01)) / 0.01
    middles = (np.arange(40)[:, None] + 0.5) * linear
    centre = middles.sum(axis=0) / linear.sum(axis=0)
    expected = begin + (end - begin) * (np.arange(60) + 0.5) / 60
    assert np.abs(centre - expected)[3:-3].max() < 0.6
    assert (shown.max(axis=0) > 0.3).all()


def test_drawn_lines_hide_more_the_more_they_are_and_mix_their_colours() -> None:
    places = np.full(2, 20.5)
    colors = np.array([[200.0, 0, 0], [0, 0, 200.0]])
    one = drawn_lines(places[:1], places[:1], colors[:1], (40, 10), 0.5)
    two = drawn_lines(places, places, colors, (40, 10), 0.5)
    row = int(np.argmax(opacity(one)[:, 5]))
    assert 0.4 < opacity(one)[row, 5] <= 0.51 < opacity(two)[row, 5] < 0.8
    red, blue = (two[row, 5] >> 16) & 255, two[row, 5] & 255
    assert abs(int(red) - int(blue)) <= 1 and red > 40


def test_a_dashed_line_has_gaps_and_no_line_no_pixel() -> None:
    at, color = np.array([8.0]), np.full((1, 3), 99.0)
    dashed = opacity(drawn_lines(at, at, color, (16, 44), 0.9, np.array([True]))).max(axis=0)
    assert (dashed == 0).sum() == 16 and (dashed > 0.5).sum() == 28
    empty = np.empty(0)
    assert not drawn_lines(empty, empty, np.empty((0, 3)), (16, 44), 0.9).any()
