"""Oblique trees of data that is hard on numbers: constants, copies, huge, tiny and lost values; stopping in time."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.core.errors import Cancelled
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.oblique import ObliqueTree
from algorithms.structures.tree import SplitTest
from tests.algorithms.learners.trees.oblique_data import BARE, fit, slanting, table


def hostile(name: str, n: int = 120) -> list[FloatArray]:
    random = np.random.default_rng(2)
    x, y = random.normal(size=(2, n))
    extremes = np.where(x > 0, 1e300, -1e300)
    return {
        "constant": [np.ones(n), np.full(n, 7.0)],
        "one constant": [x, np.ones(n)],
        "duplicates": [x, x],
        "collinear": [x, 2 * x + 1, -3 * x],
        "collinear but for rounding": [x, x * 0.1 + x * 0.2, x * 0.3],
        "huge": [x * 1e300, y * 1e300],
        "largest there are": [np.where(x > 0, 1.7e308, -1.7e308), np.where(y > 0, 1.7e308, -1.7e308)],
        "extremes and small": [extremes, y * 1e-300],
        "tiny": [x * 1e-310, y * 1e-310],
        "huge and tiny": [x * 1e300, y * 1e-300, x + y],
        "infinite": [np.where(x > 1, np.inf, x), y, x + y],
        "far from zero": [1e9 + x * 1e-3, 1e9 + y * 1e-3],
        "neighbouring numbers": [np.nextafter(1.0, 2.0) + 0.0 * x, np.where(y > 0, 1.0, np.nextafter(1.0, 2.0))],
        "all missing": [np.full(n, np.nan), np.full(n, np.nan)],
        "one missing": [x, np.full(n, np.nan), y],
        "mostly missing": [np.where(x > 1, x, np.nan), np.where(y > 1, y, np.nan)],
    }[name]


@pytest.mark.parametrize("criterion", ["gini", "gain-ratio", "error"])
@pytest.mark.parametrize(
    "name",
    [
        "constant",
        "one constant",
        "duplicates",
        "collinear",
        "collinear but for rounding",
        "huge",
        "largest there are",
        "extremes and small",
        "tiny",
        "huge and tiny",
        "infinite",
        "far from zero",
        "neighbouring numbers",
        "all missing",
        "one missing",
        "mostly missing",
    ],
)
def test_hostile_numbers_give_a_sound_tree(name: str, criterion: str) -> None:
    columns = hostile(name)
    random = np.random.default_rng(3)
    codes = random.integers(0, 2, 120)
    data = table(columns, codes)
    learner = ObliqueTree(pruning="none", criterion=criterion, restarts=3)
    tree = fit(data, learner)
    model = TreeModel(tree)
    assert np.isfinite(model.predict_proba(data)).all()
    leaves = model.leaves_of(data)
    for leaf in np.flatnonzero(tree.test == SplitTest.LEAF).tolist():
        assert tree.counts[leaf].tolist() == np.bincount(codes[leaves == leaf], minlength=2).tolist()


def test_collinear_attributes_are_not_summed() -> None:
    x = np.random.default_rng(4).normal(size=200)
    tree = fit(table([x, 2 * x + 1, -3 * x], (x > 0.2).astype(int)))
    assert (tree.n_leaves, tree.is_numeric(0)) == (2, True)


def test_a_line_far_from_zero_is_found() -> None:
    data = slanting(300, 13)
    far = table([1e6 + data.column(0), -1e6 + 1e-3 * data.column(1)], data.class_codes)
    tree = fit(far, ObliqueTree())
    assert (tree.n_leaves, tree.is_linear(0)) == (2, True)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 60), st.integers(1, 4))
def test_leaves_part_the_records(seed: int, n: int, d: int) -> None:
    random = np.random.default_rng(seed)
    columns = random.integers(-3, 4, (d, n)).astype(float)
    columns[random.random((d, n)) < 0.1] = np.nan
    data = table(columns, random.integers(0, 3, n), classes="abc")
    model = ObliqueTree(pruning="none", restarts=2, min_leaf=1).fit(data, RunContext())
    assert isinstance(model, TreeModel)
    leaves, tree = model.leaves_of(data), model.tree
    assert np.all(tree.test[leaves] == SplitTest.LEAF)
    for leaf in np.flatnonzero(tree.test == SplitTest.LEAF).tolist():
        assert tree.counts[leaf].tolist() == np.bincount(data.class_codes[leaves == leaf], minlength=3).tolist()


def test_a_stop_is_heeded_and_an_early_finish_leaves_a_tree() -> None:
    data, context = slanting(60_000, 14, 10), RunContext()
    ends: list[str] = []

    def learn() -> None:
        try:
            BARE.fit(data, context)
        except Cancelled:
            ends.append("cancelled")

    fit(slanting(50, 1))
    thread = threading.Thread(target=learn)
    thread.start()
    thread.join(0.02)
    context.cancel()
    thread.join(2.0)
    assert ends == ["cancelled"]
    finishing = RunContext()
    finishing.finish()
    assert BARE.fit(data, finishing).partial
