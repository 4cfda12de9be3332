"""Records as points: scales, spreading, groups by class, what is near and inside."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from workbench.layout.points import BAND_SPREAD, ScatterPoints, jitter, nearest, points_of, scale_of, within


def table() -> Dataset:
    schema = Schema(
        (
            Attribute("x", AttributeKind.NUMERIC),
            Attribute("color", AttributeKind.NOMINAL, ("red", "green")),
            Attribute("class", AttributeKind.NOMINAL, ("a", "b", "c")),
        ),
        2,
    )
    x = [0.0, 10.0, 5.0, np.nan, 2.5, np.inf]
    return Dataset(schema, [x, [0, 1, 0, 1, -1, 0], [2, 0, -1, 0, 1, 1]])


def plane(n: int, seed: int = 0) -> ScatterPoints:
    random = np.random.default_rng(seed)
    schema = Schema(
        (
            Attribute("x", AttributeKind.NUMERIC),
            Attribute("y", AttributeKind.NUMERIC),
            Attribute("c", AttributeKind.NOMINAL, ("a", "b")),
        ),
        2,
    )
    return points_of(Dataset(schema, [random.normal(size=n), random.normal(size=n), random.integers(0, 2, n)]), 0, 1)


def test_numbers_lie_between_the_smallest_and_the_largest() -> None:
    scale = scale_of(table(), 0)
    assert (scale.low, scale.high) == (0.0, 10.0)
    assert scale.unit(5.0) == pytest.approx(0.5)
    assert scale.value(0.25) == pytest.approx(2.5)


@pytest.mark.parametrize("values", [[3.0, 3.0], [-1.7e308, 1.7e308], [5e-324, 1e-323], [np.nan, np.nan]])
def test_odd_numbers_have_a_finite_place(values: list[float]) -> None:
    data = Dataset(Schema((Attribute("x", AttributeKind.NUMERIC),)), [values])
    units = scale_of(data, 0).units(data.column(0))
    known = ~np.isnan(values)
    assert np.isfinite(units[known]).all() and np.isnan(units[~known]).all()


def test_records_that_miss_a_value_are_left_out_and_counted() -> None:
    points = points_of(table(), 0, 1)
    assert sorted(points.rows.tolist()) == [0, 1, 2]
    assert points.n_left_out == 3


def test_points_stand_together_by_class_those_without_first() -> None:
    points = points_of(table(), 0, 1)
    assert points.rows.tolist() == [2, 1, 0]
    assert [points.class_of(at) for at in range(3)] == [-1, 0, 2]
    assert points.starts.tolist() == [0, 1, 2, 2, 3]


def test_nominal_values_are_spread_inside_their_band() -> None:
    codes = np.repeat([0, 1, 2], 500)
    schema = Schema((Attribute("c", AttributeKind.NOMINAL, ("a", "b", "d")), Attribute("x", AttributeKind.NUMERIC)))
    points = points_of(Dataset(schema, [codes, np.arange(1500.0)]), 0, 1)
    offset = points.x - (codes[points.rows] + 0.5) / 3
    assert np.abs(offset).max() <= BAND_SPREAD / 6 + 1e-6
    assert np.abs(offset).max() > BAND_SPREAD / 7


def test_few_distinct_numbers_are_spread_less_than_half_their_gap_and_many_not_at_all() -> None:
    schema = Schema((Attribute("few", AttributeKind.NUMERIC), Attribute("many", AttributeKind.NUMERIC)))
    few, many = np.arange(600) % 10.0, np.linspace(0, 1, 600)
    points = points_of(Dataset(schema, [few, many]), 0, 1)
    order = np.argsort(points.rows)
    moved = np.abs(points.x[order] - few / 9)
    assert 0.2 / 9 < moved.max() < 0.5 / 9
    assert np.allclose(points.y[order], many, atol=1e-6)
    still = points_of(Dataset(schema, [few, many]), 0, 1, spread=False)
    assert np.allclose(still.x, few / 9, atol=1e-6)


def test_spread_numbers_stay_on_their_side_of_the_lines_that_a_model_draws() -> None:
    """Lines on a number (it belongs below them), just below one, between two and on both sides of one."""
    values = np.tile([0.0, 1.0, 2.0, 3.0, 4.0], 400)
    schema = Schema((Attribute("x", AttributeKind.NUMERIC), Attribute("y", AttributeKind.NUMERIC)), None)
    data = Dataset(schema, [values, np.arange(len(values), dtype=float)])
    edges = np.array([1.0, np.nextafter(2.0, -np.inf), 3.0, np.nextafter(4.0, -np.inf), 4.0])
    points = points_of(data, 0, 1, edges=(edges, np.empty(0)))
    own = values[points.rows]
    assert not np.array_equal(points.x, own / 4)
    assert (np.abs(points.x - own / 4) < 0.5 / 4).all()
    assert (points.x[own == 1] <= 0.25).all() and (points.x[own == 1] < 0.25).any()
    assert (points.x[own == 2] >= 0.5).all() and (points.x[own == 2] > 0.5).any()
    assert (points.x[own == 3] <= 0.75).all()
    assert (points.x[own == 4] == 1.0).all()
    assert (points.x[own == 0] < 0).any() and (points.x[own == 0] > 0).any()


def test_a_record_keeps_its_place_in_every_choice_of_rows() -> None:
    schema = Schema(
        (Attribute("c", AttributeKind.NOMINAL, ("a", "b")), Attribute("d", AttributeKind.NOMINAL, ("a", "b")))
    )
    data = Dataset(schema, [np.arange(50) % 2, np.arange(50) // 25])
    whole, part = points_of(data, 0, 1), points_of(data.take([40, 7]), 0, 1)
    assert part.x.tolist() == [whole.x[40], whole.x[7]]
    assert part.y.tolist() == [whole.y[40], whole.y[7]]


def test_spreading_is_even_and_differs_between_the_axes() -> None:
    ids = np.arange(100_000)
    across, up = jitter(ids, 0), jitter(ids, 1)
    counts = np.histogram(across, bins=10, range=(-0.5, 0.5))[0]
    assert counts.min() > 9600 and counts.max() < 10_400
    assert abs(np.corrcoef(across, up)[0, 1]) < 0.02


def test_some_of_the_points_keep_their_classes() -> None:
    points = plane(200)
    kept = points.x > 0.5
    part = points.only(kept)
    assert len(part) == kept.sum()
    assert [part.class_of(at) for at in range(len(part))] == [points.class_of(at) for at in np.flatnonzero(kept)]


@given(st.integers(0, 40), st.floats(0, 1), st.floats(0, 1), st.integers(0, 5))
def test_the_nearest_point_is_the_one_that_a_plain_search_finds(n: int, x: float, y: float, seed: int) -> None:
    points = plane(n, seed)
    distance = np.hypot((points.x - np.float32(x)) * 400.0, (points.y - np.float32(y)) * 300.0)
    found = nearest(points, x, y, 400.0, 300.0, 25.0)
    if not n or distance.min() > 25.1:
        assert found == -1
    elif distance.min() < 24.9:
        assert distance[found] == pytest.approx(distance.min(), abs=1e-3)


def test_a_rectangle_holds_what_lies_inside_it() -> None:
    points = plane(500)
    inside = within(points, 0.3, 0.4, 0.6, 0.7)
    expected = [at for at in range(500) if 0.3 <= points.x[at] <= 0.6 and 0.4 <= points.y[at] <= 0.7]
    assert inside.tolist() == expected and expected
