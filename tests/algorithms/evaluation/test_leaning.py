"""Bias and variance of any learner on one table, and the averaged boundary beside the true one."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import ParameterError
from algorithms.core.filters import fit_recipe
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.bias_variance import BiasVariance, BoundaryPlane, leaning, leaning_words, most_records
from algorithms.evaluation.regions import RegionAxis
from algorithms.filters.scale import Scale
from algorithms.io.samples import best_rule
from algorithms.learners.neighbors.k_nearest import KNearestNeighbors
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.stump import DecisionStump
from tests.algorithms.learners.rules.hand_made import sample
from tests.expected_texts import evaluation as wording

PLANE = BoundaryPlane(RegionAxis(0, 2.0, 18.0), RegionAxis(1, 2.0, 18.0))


def test_the_parts_add_up_and_a_stump_leans_where_a_neighbour_wavers() -> None:
    data = sample("skewed-gaussians").take(np.arange(300))
    stump = leaning(DecisionStump(), data, RunContext(seed=2), sets=20, records=60)
    near = leaning(KNearestNeighbors(k=1), data, RunContext(seed=2), sets=20, records=60)
    for found in (stump, near):
        loss, bias, unbiased, biased = found.parts
        assert loss == pytest.approx(bias + unbiased - biased)
        assert (found.sets, found.records, len(found.decomposition.truth)) == (20, 60, 102)
    assert stump.parts[1] > near.parts[1]
    assert wording.MORE_BY_BIAS in leaning_words(stump)


def test_the_averaged_boundary_of_neighbours_follows_the_true_one_and_a_stump_s_is_straight() -> None:
    """As Figures 5.33 and 5.34 have it: flexible models scatter around the true line, stiff ones miss it together."""
    data = sample("skewed-gaussians").take(np.arange(400))
    found = [
        leaning(learner, data, RunContext(seed=1), sets=15, records=150, plane=PLANE)
        for learner in (KNearestNeighbors(k=1), Cart(pruning="none", max_depth=1))
    ]
    apart = []
    for one in found:
        assert one.ground is not None and one.best is not None and one.ground.decision.shape == one.best.shape
        apart.append(float(np.mean(one.ground.decision != one.best)))
        assert one.ground.probability.min() >= 0.5
    assert apart[0] < 0.1 < apart[1]
    rule = best_rule(data)
    assert rule is not None and rule(np.array([[5.0, 5.0], [12.0, 12.0]])).tolist() == [0, 1]


def test_the_averaged_boundary_gives_the_other_attributes_the_values_of_near_records() -> None:
    """The models look at the third attribute alone, which is high where the first is."""
    random = np.random.default_rng(1)
    x, y = random.random((2, 300))
    z = (x > 0.7) + 0.1 * random.random(300)
    schema = Schema((numeric("x"), numeric("y"), numeric("z"), nominal("class", ("low", "high"))), 3)
    data = Dataset(schema, [x, y, z, (x > 0.7).astype(np.int32)])
    plane = BoundaryPlane(RegionAxis(0, 0.0, 1.0), RegionAxis(1, 0.0, 1.0))
    ground = leaning(DecisionStump(), data, RunContext(seed=1), sets=4, records=100, plane=plane).ground
    assert ground is not None
    assert ground.decision[:, 5].max() == 0 and ground.decision[:, -5].min() == 1
    assert best_rule(sample("iris")) is None
    _, scaled = fit_recipe((Scale(),), data, RunContext(seed=1))
    assert scaled.origin.name == data.origin.name and best_rule(scaled) is None, "its boundary is elsewhere now"


def test_the_same_on_any_threads_and_what_is_too_much_is_refused() -> None:
    data = sample("iris")
    published: list[object] = []
    found = leaning(Cart(), data, RunContext(seed=5, listener=published.append), sets=6)
    again = leaning(Cart(), data, RunContext(seed=5), sets=6)
    assert np.array_equal(found.decomposition.shares, again.decomposition.shares)
    assert any(isinstance(one, BiasVariance) for one in published) and found.best is None and found.ground is None
    for odd in (data, data.take(np.arange(0, 150, 7)), sample("skewed-gaussians").take(np.arange(37))):
        assert leaning(DecisionStump(), odd, RunContext(), sets=2, records=most_records(odd)).sets == 2
    with pytest.raises(ParameterError, match="records here"):
        leaning(Cart(), data, RunContext(), records=len(data))
    with pytest.raises(ParameterError, match="fewest"):
        leaning(Cart(), data, RunContext(), sets=1)
