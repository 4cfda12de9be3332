"""The compiled search for conditions beside the plainest way to find them."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.data.dataset import Dataset
from algorithms.learners.rules.condition_kernels import RuleCriterion, fill_logs, worth_of
from algorithms.learners.rules.model import LAST_RANK, RankedData
from algorithms.learners.rules.rule_measures import MEASURES, RulePrior
from algorithms.learners.rules.sequential_covering import NOTHING_NEEDED, ConditionScorer, is_condition
from tests.algorithms.battery_data import mixed

BEAM, LEAST = 3, 2.0


def plainly(
    ranked: RankedData, rows: np.ndarray, place: int, measure: str, ground: RulePrior, needed: np.ndarray
) -> list[list[tuple[float, ...]]]:
    """On each side of a predictor the best of all conditions: rounded worth, weight, lowest and highest rank."""
    weights = ranked.weights if len(ranked.weights) else np.ones(ranked.n_records)
    ranks = ranked.ranks[place, rows].astype(np.int64)
    values = np.unique(ranks[ranks <= LAST_RANK]).tolist()
    if ranked.is_listed[place]:
        sides: list[list[tuple[int, int]]] = [[(v, v) for v in values], []]
    else:
        sides = [[(0, v) for v in values], [(v, LAST_RANK) for v in reversed(values)]]
    best: list[list[tuple[float, ...]]] = []
    for side in sides:
        found: list[tuple[float, ...]] = []
        for low, high in side:
            met = rows[(ranks >= low) & (ranks <= high)]
            counts = np.bincount(ranked.codes[met], weights[met], minlength=len(ground.counts)).astype(np.float64)
            weight = float(counts.sum())
            own = slice(None) if ground.target is None else ground.target
            if LEAST <= weight < weights[rows].sum() and (len(needed) == 0 or np.any((counts >= needed)[own])):
                worth = float(MEASURES[measure](counts, ground))
                found.append((round(worth * 1e9) / 1e9, weight, float(low), float(high)))
        best.append(sorted(found, key=lambda each: (-each[0], -each[1]))[:BEAM])
    return best


@pytest.mark.parametrize("target", [None, 1])
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_best_conditions_are_those_of_all_that_there_are(measure: str, target: int | None, weighted: bool) -> None:
    data: Dataset = mixed(90, 4, missing=0.15)
    random = np.random.default_rng(1)
    if weighted:
        data = data.with_weights(random.integers(1, 9, len(data)) / 4)
    ranked = RankedData.of(data, lambda: None)
    rows = np.flatnonzero(random.random(len(data)) < 0.7)
    weights = np.array(data.weight_array, dtype=np.float64)
    counts = np.bincount(data.class_codes[rows], weights[rows], minlength=len(data.schema.classes)).astype(np.float64)
    ground = RulePrior(counts, target)
    weigher = ConditionScorer(ranked, measure, ground.m, LEAST, lambda: None)
    for needed in (NOTHING_NEEDED, counts * 0.3):
        found = weigher.best(weigher.ordered(rows), float(counts.sum()), ground, BEAM, needed)
        for place in range(len(ranked.predictors)):
            for side, wanted in enumerate(plainly(ranked, rows, place, measure, ground, needed)):
                own = found[place, side][is_condition(found[place, side])]
                assert own == pytest.approx(np.array(wanted).reshape(-1, 4), abs=1e-8)


@pytest.mark.parametrize("target", [None, 0, 2])
@pytest.mark.parametrize("measure", MEASURES)
def test_the_compiled_measures_are_the_measures(measure: str, target: int | None) -> None:
    random = np.random.default_rng(2)
    logs = np.zeros(200)
    fill_logs(logs)
    everything = np.array([40.0, 25.0, 0.0, 90.0])
    for _ in range(100):
        counts = np.floor(random.random(4) * (everything + 1) * (random.random(4) < 0.7))
        ground = RulePrior(everything, target, 3.0)
        wanted = float(MEASURES[measure](counts, ground))
        for table in (logs, logs[:0]):
            code = list(MEASURES).index(measure)
            judge = RuleCriterion(everything, -1 if target is None else target, code, 3.0, 1.0, table, table[:0])
            assert float(worth_of(counts, float(counts.sum()), judge)) == pytest.approx(wanted, abs=1e-9)
