"""The book's experiments with trees in small: their shape, not their digits (TSKK 3.5, 3.7, Figure 3.21)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from algorithms.core.context import RunContext
from algorithms.io.generators import skewed_gaussians
from tests.experiments.drawing import save_curve, save_plane, save_rows
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
