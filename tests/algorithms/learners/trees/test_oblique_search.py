"""The search for a slanting line, step by step against its slow twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.learners.trees.growth.loop_arguments import ENTROPY, ERROR, GINI, TWOING
from algorithms.learners.trees.growth.oblique_growth import between
from algorithms.learners.trees.kernels.oblique_kernels import (
    ObliqueObjective,
    ScaledRecords,
    best_cut,
    best_step,
    room_for,
)
from tests.algorithms.learners.trees.twin import SPLIT_VALUES

CODES = {"gini": GINI, "information-gain": ENTROPY, "error": ERROR, "twoing": TWOING}


def left_mixed(side: Any, records: ScaledRecords, criterion: str) -> float:
    """What a division leaves mixed, as the search counts it: from the plain impurities."""
    k = int(records.classes.max()) + 1
    children = np.zeros((2, k))
    np.add.at(children, (np.asarray(side, dtype=int), records.classes), records.weights)
    whole, total = children.sum(axis=0), float(records.weights.sum())
    gain = float(SPLIT_VALUES[criterion](children))
    before = 0.0 if criterion == "twoing" else float(SPLIT_VALUES[criterion](np.diag(whole)))
    return (before - gain) * total


def some_records(seed: int, n: int, weighted: bool = False) -> ScaledRecords:
    random = np.random.default_rng(seed)
    values = random.integers(-4, 5, (2, n)) / 2.0
    weights = random.integers(1, 4, n).astype(float) if weighted else np.ones(n)
    return ScaledRecords(values, random.integers(0, 3, n), weights)


@pytest.mark.parametrize("criterion", sorted(CODES))
@pytest.mark.parametrize("weighted", [False, True])
def test_the_best_cut_is_that_of_trying_every_one(criterion: str, weighted: bool) -> None:
    for seed in range(12):
        records = some_records(seed, 30 if seed else 700, weighted)
        aim = ObliqueObjective(CODES[criterion], 2.0, 1e-9)
        mixed, low, high = best_cut(records.values[0], records, aim, room_for(records.values.shape[1], 3))
        cuts = np.unique(records.values[0])[:-1]
        tried = []
        for cut in cuts:
            side = records.values[0] > cut
            sizes = records.weights[side].sum(), records.weights[~side].sum()
            if min(sizes) >= 2.0:
                tried.append(left_mixed(side, records, criterion))
        assert mixed == pytest.approx(min(tried), abs=1e-7)
        assert left_mixed(records.values[0] > (low + high) / 2, records, criterion) == pytest.approx(mixed, abs=1e-7)


@pytest.mark.parametrize("criterion", sorted(CODES))
@pytest.mark.parametrize("weighted", [False, True])
def test_the_best_step_is_that_of_trying_every_one(criterion: str, weighted: bool) -> None:
    for seed in range(12):
        records = some_records(seed, 30 if seed else 700, weighted)
        projection, along = records.values[0].copy(), records.values[1].copy()
        aim, room = ObliqueObjective(CODES[criterion], 1.0, 1e-9), room_for(len(projection), 3)
        mixed, step = best_step(projection, along, 0.25, records, aim, room)
        moving = along != 0
        steps = np.unique((0.25 - projection[moving]) / along[moving])
        tried = []
        for middle in (steps[1:] + steps[:-1]) / 2:
            side = projection + middle * along > 0.25
            if 1 <= records.weights[side].sum() <= records.weights.sum() - 1:
                tried.append(left_mixed(side, records, criterion))
        assert mixed == pytest.approx(min(tried), abs=1e-7)
        assert left_mixed(projection + step * along > 0.25, records, criterion) == pytest.approx(mixed, abs=1e-7)


def test_a_coefficient_is_perturbed_as_oc1_does_it() -> None:
    """Murthy, Kasif and Salzberg (1994), section 3.1: with V_j = sum_i a_i x_ji + a_(d+1) and
    U_j = (a_m x_jm - V_j) / x_jm, the record j lies above the plane where a_m > U_j (below it for x_jm < 0). The U_j
    are sorted, and the best of the splits half way between two of them is the new a_m."""
    random = np.random.default_rng(11)
    x = np.round(random.uniform(-3, 3, (2, 40)), 2)
    a, constant, m = np.array([1.0, 0.75]), -0.5, 1
    records = ScaledRecords(x, (random.random(40) < 0.5 + 0.2 * np.sign(x[0] - x[1])).astype(np.int64), np.ones(40))
    v = a @ x + constant
    u = (a[m] * x[m] - v) / x[m]
    assert np.array_equal(v > 0, np.where(x[m] > 0, a[m] > u, a[m] < u))
    middles = (np.sort(u)[1:] + np.sort(u)[:-1]) / 2
    tried = {
        float(new): left_mixed(np.where(x[m] > 0, new > u, new < u), records, "gini")
        for new in middles
        if 1 <= np.count_nonzero(np.where(x[m] > 0, new > u, new < u)) <= 39
    }
    mixed, step = best_step(
        a @ x, x[m], -constant, records, ObliqueObjective(CODES["gini"], 1.0, 1e-9), room_for(40, 2)
    )
    assert mixed == pytest.approx(min(tried.values()))
    assert min(tried, key=lambda new: abs(new - (a[m] + step))) == pytest.approx(a[m] + step)
    assert tried[min(tried, key=lambda new: abs(new - (a[m] + step)))] == pytest.approx(mixed)


def test_the_threshold_is_the_shortest_number_between_two_others() -> None:
    assert between(13.81, 13.99) == 13.9
    assert between(0.1, 0.9) == 0.5
    assert between(1.0, np.nextafter(1.0, 2.0)) == 1.0
    assert between(-1e300, 1e300) == 0.0
    for low, high in np.sort(np.random.default_rng(1).normal(size=(200, 2))):
        assert low <= between(low, high) < high
