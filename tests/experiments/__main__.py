"""Experiments of the book and one about costs: ``python -m tests.experiments NAME|all [FOLDER] [--seeds N]``.

Each writes its pictures (PNG) and numbers (CSV) into the folder, the present one unless given, and says what came out.
Runs without a screen.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from PySide6.QtWidgets import QApplication

from algorithms.core.run_control import RunContext
from algorithms.evaluation.measures.class_rates import KAPPA
from algorithms.io.samples import skewed_gaussians
from algorithms.structures.tree import question_words
from algorithms.text.numbers import percent
from tests.experiments.drawing import save_curve, save_plane, save_rows
from tests.experiments.imbalanced import ways
from tests.experiments.leanings import LEANING, leaning
from tests.experiments.measuring import SEEDS, SizeCurve, at, gaussian_curve, learners, skewed_contest, xor_curve
from workbench.style.theme import LIGHT_NAME, themes

IRRELEVANT: Final = (0, 1, 2, 5, 10, 20, 50, 100)
SIZES: Final = (1, 2, 4, 6, 8, 12, 20, 50, 100, 150)
CURVE_HEADING: Final = ("leaves", "wrong on training records", "wrong on unseen records", "half of the middle half")


def size(folder: Path, seeds: int) -> None:
    """Size against error on *Gaussian in noise*."""
    for share in (10, 20):
        curve = gaussian_curve(share / 100, seeds)
        _keep(curve, folder, f"gaussian-{share}")
        _say(f"Gaussian in noise, {share}% for training", curve)


def irrelevant(folder: Path, seeds: int) -> None:
    """*XOR* with more and more attributes that mean nothing."""
    rows = []
    for n in IRRELEVANT:
        curve = xor_curve(n, seeds)
        rows += [(n, *row) for row in at(curve, SIZES)]
        if n in (IRRELEVANT[0], IRRELEVANT[-1]):
            _keep(curve, folder, f"xor-{n}")
        _say(f"XOR with {n} irrelevant attributes", curve)
    heading = ("irrelevant", "leaves", "wrong in 100 on training records", "wrong in 100 on unseen records")
    save_rows(heading, rows, folder / "xor.csv")


def oblique(folder: Path, seeds: int) -> None:
    """One slanting question against many axis-parallel ones."""
    contests, models = skewed_contest(seeds)
    data = skewed_gaussians(1000, 0, RunContext())
    for (name, learner), model, contest in zip(learners(), models, contests, strict=True):
        print(f"{name}: {contest.leaves:g} leaves, wrong {contest.error:.2f} in 100")
        if model.tree.is_linear(0):
            print(f"   asks first: {question_words(model.tree, 0)}")
        save_plane(model, learner, data, folder / f"skewed-{name.split(',')[0]}{'-whole' if ',' in name else ''}.png")
    rows = [(c.learner, c.leaves, c.error) for c in contests]
    save_rows(("learner", "leaves", "wrong in 100"), rows, folder / "skewed.csv")


def imbalanced(folder: Path, _seeds: int) -> None:
    """One positive record in a hundred, overlooking it a hundred times as dear as a false alarm."""
    rows = []
    for way in ways():
        share = percent(way.report.accuracy)
        found = percent(way.report.per_class[1].recall or 0.0)
        print(f"{way.name}: right {share} in 100, finds {found} in 100 of the positive, costs {way.cost.total:,.0f}")
        print(f"   {way.words}")
        rows.append((way.name, share, found, KAPPA.value(way.report), way.cost.total, way.cost.mean, way.cost.spread))
    heading = (
        "way",
        "right in 100",
        "positive found in 100",
        "kappa",
        "total cost",
        "cost a record",
        "half of its 95%",
    )
    save_rows(heading, rows, folder / "imbalanced.csv")


def bias(folder: Path, _seeds: int) -> None:
    """Bias and variance over 100 training sets of 100 records."""
    rows = []
    for name, learner in LEANING.items():
        found = leaning(learner, 100, 1000)
        parts = [100 * float(part.mean()) for part in (found.loss, found.bias, found.unbiased, found.biased)]
        print(f"{name}: wrong {parts[0]:.1f} in 100 = bias {parts[1]:.1f} + variance {parts[2]:.1f} - {parts[3]:.1f}")
        rows.append((name, *parts))
    save_rows(("learner", "wrong in 100", "bias", "unbiased variance", "biased variance"), rows, folder / "bias.csv")


EXPERIMENTS: Final[dict[str, Callable[[Path, int], None]]] = {
    "size": size,
    "xor": irrelevant,
    "oblique": oblique,
    "imbalanced": imbalanced,
    "bias": bias,
}


def _keep(curve: SizeCurve, folder: Path, name: str) -> None:
    rows = zip(*(column.tolist() for column in (curve.leaves, curve.training, curve.unseen, curve.spread)), strict=True)
    save_rows(CURVE_HEADING, list(rows), folder / f"{name}.csv")
    save_curve(curve, folder / f"{name}.png")


def _say(title: str, curve: SizeCurve) -> None:
    print(f"{title}: wrong in 100 on training and on unseen records")
    for leaves, training, unseen in at(curve, SIZES):
        print(f"  {leaves:4d} leaves {training:6.1f} {unseen:6.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.experiments", description=__doc__)
    parser.add_argument("which", choices=[*EXPERIMENTS, "all"])
    parser.add_argument("folder", nargs="?", type=Path, default=Path())
    parser.add_argument("--seeds", type=int, default=SEEDS)
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication.instance() or QApplication(["experiments"])
    assert isinstance(app, QApplication)
    themes.install(app, LIGHT_NAME)
    for name in EXPERIMENTS if chosen.which == "all" else (chosen.which,):
        EXPERIMENTS[name](chosen.folder, chosen.seeds)


if __name__ == "__main__":
    main()
