"""The search finds what looking at every record finds, whatever the distance and the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.core.errors import Cancelled
from algorithms.core.run_control import FINISH, RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.neighbors import search
from algorithms.learners.neighbors.search import (
    BruteForceIndex,
    KDTreeIndex,
    NearestRecords,
    NeighborSettings,
    Searcher,
    distances,
    points_of,
    prototypes_of,
)
from tests.algorithms.learners.neighbors.plain import distance, nearest, values_of

DISTANCES = ("euclidean", "manhattan", "minkowski", "chebyshev", "heom", "gower", "value-difference")


PLAIN = NeighborSettings(scaling="none", k=5)


def nothing() -> None:
    return None


def table_of(points: np.ndarray) -> Dataset:
    """Points of any numbers (n, d) as a table with two classes."""
    n, d = points.shape
    schema = Schema((*(numeric(f"x{i}") for i in range(d)), nominal("class", ("p", "q"))), d)
    return Dataset(schema, [*np.ascontiguousarray(points.T), np.arange(n) % 2])


def small(seed: int, n: int, *, listed: bool, missing: float = 0.0, weighted: bool = False) -> Dataset:
    """Whole numbers between 0 and 4, so that many are equally far, and lists of values where ``listed``."""
    random = np.random.default_rng(seed)
    columns: list[Any] = [random.integers(0, 5, n).astype(float) for _ in range(3)]
    attributes = [numeric("a"), numeric("b"), numeric("c")]
    if listed:
        columns += [random.integers(0, 3, n), random.integers(0, 4, n)]
        attributes += [nominal("d", ("x", "y", "z")), nominal("e", ("1", "2", "3", "4"), ordinal=True)]
    for column in columns:
        column[random.random(n) < missing] = np.nan if column.dtype.kind == "f" else -1
    schema = Schema((*attributes, nominal("class", ("p", "q"))), len(attributes))
    weights = random.integers(1, 4, n).astype(float) if weighted else None
    return Dataset(schema, [*columns, random.integers(0, 2, n)], weights=weights)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 30),
    kind=st.sampled_from(DISTANCES),
    scaling=st.sampled_from(["range", "z-score", "none"]),
    missing=st.sampled_from(["far", "ignore"]),
    k=st.integers(1, 9),
    listed=st.booleans(),
    gaps=st.sampled_from([0.0, 0.2]),
    weighted=st.booleans(),
)
def test_every_way_finds_the_same_neighbours_as_looking_at_every_record(
    seed: int, n: int, kind: str, scaling: str, missing: str, k: int, listed: bool, gaps: float, weighted: bool
) -> None:
    data = small(seed, n, listed=listed, missing=gaps, weighted=weighted)
    other = small(seed + 1, 5, listed=listed, missing=gaps)
    repeated = data.with_weights(None).take(np.repeat(np.arange(n), data.weight_array.astype(int)))
    kept = prototypes_of(data, NeighborSettings(kind, scaling, missing, k=k, power=3.0), nothing)
    searcher = Searcher(kept)
    points = points_of(kept, other, nothing)
    trained = [values_of(data, row) for row in kept.row_ids]
    expected = []
    for row in range(len(other)):
        far = np.array([distance(kept, repeated, values_of(other, row), values) for values in trained])
        expected.append((nearest(far, kept.weights, k), far))
    for way in searcher.ways(k):
        found = searcher.nearest(points, k, RunContext(), way=way)
        far = distances(kept, found.reduced)
        for row, (rows, true) in enumerate(expected):
            at = found.point == row
            assert set(found.row[at].tolist()) == rows, way
            assert far[at] == pytest.approx(true[found.row[at]], rel=1e-9, abs=1e-12)
            assert np.all(far[at][1:] >= far[at][:-1])


@pytest.mark.parametrize("seed", range(4))
def test_the_cosine_is_one_minus_the_cosine(seed: int) -> None:
    data = small(seed, 50, listed=False)
    kept = prototypes_of(data, NeighborSettings("cosine", "none", k=3), nothing)
    searcher = Searcher(kept)
    plain = np.array([values_of(data, row) for row in kept.row_ids])
    lengths = np.sqrt((plain**2).sum(axis=1))
    cosines = plain @ plain.T / np.where(lengths > 0, lengths, 1)[:, None] / np.where(lengths > 0, lengths, 1)
    for way in searcher.ways(3):
        found = searcher.nearest((kept.numbers, kept.codes), 50, RunContext(), way=way)
        far = np.full((50, 50), np.nan)
        far[found.point, found.row] = distances(kept, found.reduced)
        both = np.outer(lengths > 0, lengths > 0)
        assert far[both] == pytest.approx((1 - cosines)[both], abs=1e-9)
        one = (lengths > 0)[:, None] != (lengths > 0)[None, :]
        assert far[one] == pytest.approx(np.ones(one.sum()))


@pytest.mark.parametrize("kind", [*DISTANCES, "cosine"])
def test_many_records_in_many_axes_are_found_by_every_way(kind: str) -> None:
    random = np.random.default_rng(3)
    n, d = 6000, 8
    schema = Schema((*(numeric(f"x{i}") for i in range(d)), nominal("class", ("p", "q"))), d)
    columns: list[Any] = [random.normal(size=n) for _ in range(d)]
    columns[0] = columns[0].round(1)
    data = Dataset(schema, [*columns, random.integers(0, 2, n)])
    kept = prototypes_of(data, NeighborSettings(kind, k=5, power=3.0), nothing)
    searcher = Searcher(kept)
    assert "tree" in searcher.ways(5)
    assert ("products" in searcher.ways(5)) == (kind in ("euclidean", "heom", "cosine", "value-difference"))
    points = kept.numbers[:300] + 0.01, kept.codes[:300]
    found = {way: searcher.nearest(points, 5, RunContext(), way=way) for way in searcher.ways(5)}
    for way, near in found.items():
        assert np.array_equal(near.row, found["scan"].row), way
        assert near.reduced.tobytes() == found["scan"].reduced.tobytes(), way
    fastest = searcher.nearest(points, 5, RunContext())
    assert np.array_equal(fastest.row, found["scan"].row)


HARD: dict[str, Any] = {
    "tiny": lambda x: x * 1e-25,
    "far from zero": lambda x: x + 1e8,
    "one far out": lambda x: np.where(np.arange(len(x))[:, None] == 7, 1e14, x),
    "of many sizes": lambda x: x * 10.0 ** np.arange(-20, 12, 4),
    "whole numbers": lambda x: np.round(x),
}


@pytest.mark.parametrize("numbers", HARD)
def test_products_in_single_precision_miss_nothing(numbers: str) -> None:
    random = np.random.default_rng(5)
    searcher = Searcher(prototypes_of(table_of(HARD[numbers](random.normal(size=(3000, 8)))), PLAIN, nothing))
    asked = np.vstack([HARD[numbers](random.normal(size=(60, 8))), np.full((1, 8), 1e14), np.full((1, 8), np.nan)])
    points = asked, np.zeros((len(asked), 0), dtype=np.int32)
    scanned = searcher.nearest(points, 5, RunContext(), way="scan")
    for way in searcher.ways(5):
        near = searcher.nearest(points, 5, RunContext(), way=way)
        assert np.array_equal(near.row, scanned.row), way
        assert near.reduced.tobytes() == scanned.reduced.tobytes(), way


def test_a_record_far_out_costs_the_others_no_second_search() -> None:
    random = np.random.default_rng(6)
    kept = prototypes_of(table_of(HARD["one far out"](random.normal(size=(3000, 8)) * 100)), PLAIN, nothing)
    points = random.normal(size=(50, 8)) * 100, np.zeros((50, 0), dtype=np.int32)
    rows, bound = BruteForceIndex(kept, [], nothing).find(points, 14, nothing)
    true = np.sort(((points[0][:, None, :] - kept.numbers) ** 2).sum(axis=2), axis=1)
    assert np.all(bound <= true[:, 14])
    assert np.all(bound > true[:, 4])
    assert np.all(rows >= 0)


def test_records_are_searched_in_parts_where_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_CELLS_OF_A_TREE", 8 * 700)
    monkeypatch.setattr(search, "_MOST_KEPT", 0)
    random = np.random.default_rng(7)
    searcher = Searcher(prototypes_of(table_of(random.normal(size=(3000, 8))), PLAIN, nothing))
    points = random.normal(size=(40, 8)), np.zeros((40, 0), dtype=np.int32)
    found = [searcher.nearest(points, 5, RunContext(), way=way) for way in searcher.ways(5)]
    assert len(found) == 3
    assert all(np.array_equal(near.row, found[0].row) for near in found)


@pytest.mark.parametrize(("seconds", "chosen"), [("009", BruteForceIndex), ("901", KDTreeIndex), ("990", type(None))])
def test_the_fastest_way_is_found_by_trying(
    seconds: str, chosen: type[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(8)
    searcher = Searcher(prototypes_of(table_of(random.normal(size=(2500, 8))), PLAIN, nothing))
    points = random.normal(size=(600, 8)), np.zeros((600, 0), dtype=np.int32)
    scanned = searcher.nearest(points, 5, RunContext(), way="scan")
    spent = dict(zip((BruteForceIndex, KDTreeIndex, type(None)), map(float, seconds), strict=True))
    now = [0.0]
    asked = Searcher._asked

    def slowly(self: Searcher, points: Any, left: Any, k: int, way: Any, context: RunContext) -> Any:
        now[0] += spent[type(way)]
        return asked(self, points, left, k, way, context)

    monkeypatch.setattr(Searcher, "_asked", slowly)
    monkeypatch.setattr(search, "thread_time", lambda: now[0])
    found = searcher._fastest(points, 5, RunContext())
    assert type(found) is chosen
    assert np.array_equal(searcher.nearest(points, 5, RunContext()).row, scanned.row)


@pytest.mark.parametrize("way", ["tree", "products"])
def test_every_way_sees_a_stop_inside_a_block(way: str) -> None:
    random = np.random.default_rng(9)
    kept = prototypes_of(table_of(random.normal(size=(3000, 8))), PLAIN, nothing)
    stopped = RunContext()
    asked = Searcher(kept)._index(way, stopped)
    assert asked is not None
    looks = [0]

    def look() -> None:
        looks[0] += 1
        if looks[0] == 3:
            stopped.cancel()
        stopped.checkpoint()

    with pytest.raises(Cancelled):
        asked.find((kept.numbers[:256], kept.codes[:256]), 14, look)
    assert looks[0] == 3


def test_a_record_is_left_out_of_its_own_neighbours_but_not_its_twins() -> None:
    data = small(1, 30, listed=True)
    data = data.take([*range(30), 4]).with_weights([1.0] * 20 + [2.0] + [0.5] * 10)
    kept = prototypes_of(data, NeighborSettings(k=1), nothing)
    found: list[tuple[int, int]] = []

    def take(rows: np.ndarray, near: NearestRecords) -> None:
        found.extend(zip(rows[near.point].tolist(), near.row.tolist(), strict=True))

    Searcher(kept).each_of_others(np.arange(kept.n_records), 1, RunContext(), take)
    for row in range(kept.n_records):
        assert ((row, row) in found) == (kept.weights[row] == 2.0)


def test_hundreds_of_equally_near_records_are_all_found() -> None:
    schema = Schema((numeric("a"), nominal("class", ("p", "q"))), 1)
    data = Dataset(schema, [np.zeros(5000), np.arange(5000) % 2])
    kept = prototypes_of(data, NeighborSettings(k=3), nothing)
    near = Searcher(kept).nearest((np.zeros((7, 1)), np.zeros((7, 0), dtype=np.int32)), 3, RunContext())
    assert np.bincount(near.point).tolist() == [5000] * 7


def test_the_scan_sees_a_stop() -> None:
    kept = prototypes_of(small(2, 50, listed=True), NeighborSettings(), nothing)
    many = kept.numbers.repeat(40, axis=0), kept.codes.repeat(40, axis=0)
    stopped = RunContext()
    stopped.control[0] = FINISH
    whole = Searcher(kept).nearest(many, 5, stopped)
    assert len(np.unique(whole.point)) == 2000  # what was found so far is no answer
    stopped.cancel()
    with pytest.raises(Cancelled):
        Searcher(kept).nearest(many, 5, stopped)
