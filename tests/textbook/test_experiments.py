"""The book's experiments with trees in small: their shape, not their digits (TSKK 3.5, 3.7, Figure 3.21)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.io.samples import skewed_gaussians
from algorithms.learners.neighbors.k_nearest import KNearestNeighbors
from algorithms.learners.trees.cart import Cart
from tests.experiments.drawing import save_curve, save_plane, save_rows
from tests.experiments.leanings import LEANING, leaning
from tests.experiments.measuring import gaussian_curve, learners, skewed_contest, xor_curve


def test_gaussian_in_noise_errors_fall_together_then_part() -> None:
    small, large = gaussian_curve(0.1, seeds=3), gaussian_curve(0.2, seeds=3)
    assert small.training[7] < small.training[0] / 2.5
    assert small.unseen[7] < small.unseen[0] / 2.5
    assert np.all(np.diff(small.training) <= 1e-12)
    assert small.training[-1] < 0.02
    assert small.unseen[-1] > small.unseen.min() + 0.02
    gap = {name: float(curve.unseen[49] - curve.training[49]) for name, curve in (("10", small), ("20", large))}
    assert gap["20"] < 0.75 * gap["10"]


def test_a_nearest_neighbour_leans_less_and_wavers_more_than_a_small_tree() -> None:
    near, tree = (leaning(learner, 100, 300) for learner in LEANING.values())
    assert near.bias.mean() < tree.bias.mean()
    assert near.variance.mean() > tree.variance.mean()
    for found in (near, tree):
        assert found.loss == pytest.approx(found.bias + found.unbiased - found.biased)


def test_xor_is_lost_among_irrelevant_attributes() -> None:
    alone, crowded = xor_curve(0, seeds=5), xor_curve(100, seeds=5)
    assert alone.unseen[11] < 0.1
    assert crowded.unseen[:50].min() > 0.4
    assert crowded.training[-1] == 0.0
    assert crowded.unseen[-1] > 0.4


def test_one_slanting_line_does_what_takes_many_steps() -> None:
    contests, _ = skewed_contest(seeds=3, size=600)
    oblique, pruned, whole = contests
    assert oblique.leaves == 2
    assert oblique.error < min(pruned.error, whole.error)
    assert pruned.leaves >= 4
    assert whole.leaves >= 10


def test_pictures_and_numbers_are_written(qapp: QApplication, tmp_path: Path) -> None:
    curve = gaussian_curve(0.1, seeds=1, size=1000, most=20)
    save_curve(curve, tmp_path / "curve.png")
    _, models = skewed_contest(seeds=1, size=100)
    save_plane(models[0], learners()[0][1], skewed_gaussians(100, 0, RunContext()), tmp_path / "plane.png")
    save_rows(("a", "b"), [(1, 0.123456789)], tmp_path / "rows.csv")
    for name in ("curve.png", "plane.png"):
        image = QImage(str(tmp_path / name))
        colours = {image.pixel(x, y) for x in range(0, image.width(), 5) for y in range(0, image.height(), 5)}
        assert len(colours) > 5
    assert (tmp_path / "rows.csv").read_text() == "a,b\n1,0.123457\n"


def test_the_nearest_neighbour_has_less_bias_and_more_variance_than_a_shallow_tree() -> None:
    """Averages over 100 training sets of 100 records, one of seven given the wrong class, either side of a wave."""
    random = np.random.default_rng(7)
    schema = Schema((numeric("x"), numeric("y"), nominal("class", ("a", "b"))), 2)

    def drawn(n: int, wrong: float) -> Dataset:
        x, y = random.uniform(-1.5, 1.5, n), random.uniform(-1.5, 1.5, n)
        side = (x > 0.6 * np.sin(3 * y)).astype(int)
        return Dataset(schema, [x, y, np.where(random.random(n) < wrong, 1 - side, side)])

    unseen, training = drawn(300, 0.0), [drawn(100, 1 / 7) for _ in range(100)]

    def bias_and_variance(learner: Learner) -> tuple[float, float]:
        said = np.array([learner.fit(data, RunContext()).predict(unseen) for data in training])
        main = said.mean(axis=0) > 0.5
        return float((main != unseen.class_codes).mean()), float((said != main).mean())

    near = bias_and_variance(KNearestNeighbors(k=1))
    tree = bias_and_variance(Cart(max_depth=1, pruning="none"))
    assert near[0] < 0.5 * tree[0]
    assert near[1] > 1.5 * tree[1]
