"""The worked examples on support vector machines, through the learner."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.learners.svm.kernel_functions import Similarity
from algorithms.learners.svm.model import SupportVectorModel
from algorithms.learners.svm.support_vector_machine import SupportVectorMachine
from tests.algorithms.learners.rules.hand_made import sample


def test_the_widest_margin_between_eight_points() -> None:
    """Figure 5.24: two support vectors with multiplier 65.53, w = (-6.64, -9.32), b = 7.93."""
    data = sample("eight-points")
    learner = SupportVectorMachine(kernel="linear", margin="hard", scaling="none", tolerance=1e-6)
    model = learner.fit(data, RunContext())
    assert isinstance(model, SupportVectorModel)
    held = model.structure()
    assert sorted(held.row_ids.tolist()) == [0, 1]
    assert np.abs(held.coefficient) == pytest.approx(65.55, abs=0.01)
    sign = 1.0 if held.side_names(0)[0] == "1" else -1.0
    assert sign * held.weight[:, 0] == pytest.approx([-6.640, -9.328], abs=2e-3)
    assert sign * held.bias[0] == pytest.approx(7.934, abs=2e-3)
    assert not held.unmet.any()
    assert np.array_equal(model.predict(data), data.class_codes)


def test_the_polynomial_kernel_is_a_product_in_the_space_of_the_example() -> None:
    """Eq. 5.55 to 5.57."""
    points = np.random.default_rng(0).normal(size=(30, 2))
    a, b = points.T
    there = np.column_stack([a**2, b**2, np.sqrt(2) * a, np.sqrt(2) * b, np.sqrt(2) * a * b, np.ones(30)])
    assert np.abs(Similarity("polynomial", 1.0, 2, 1.0).between(points, points) - there @ there.T).max() < 1e-12


def test_the_polynomial_kernel_closes_the_boundary_round_the_circle() -> None:
    data = sample("circle")
    model = SupportVectorMachine(kernel="polynomial", degree=2, c=1e4).fit(data, RunContext())
    assert isinstance(model, SupportVectorModel)
    inside = model.predict(data.take([int(np.argmin(np.hypot(data.column(0) - 0.5, data.column(1) - 0.5)))]))[0]
    angle = np.linspace(0, 2 * np.pi, 73)
    for radius, within in ((0.17, True), (0.23, False)):
        ring = np.column_stack([0.5 + radius * np.cos(angle), 0.5 + radius * np.sin(angle)])
        rows = (ring - model.held.terms.centre) / model.held.terms.unit * model.held.factor + model.held.offset
        codes = np.argmax(model.of_sums(model.sums_of_rows(rows)), axis=1)
        assert np.all((codes == inside) == within)
