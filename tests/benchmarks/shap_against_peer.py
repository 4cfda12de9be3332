"""Shapley values beside those of the package ``shap`` on the same trees and linear models, and the time of both.

``python -m tests.benchmarks.shap_against_peer [--records 10000] [--background 100]`` prints for each model the largest
difference of any value, and for 100 boosted trees of depth 6 the seconds of both: path-dependent, and interventional
against the background records. ``shap`` explains with one thread; this project with one, then with one for each core.

Printed is also by how much the sums miss the prediction: those of ``shap`` do so by some 1e-8 where they are
interventional, as it computes these in single precision. So the values cannot agree better there. That ours are those
of all coalitions to 1e-12 is asserted in ``test_shapley.py``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import shap  # type: ignore[import-not-found]

from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext, thread_pool, usable_cores
from algorithms.data.dataset import Dataset
from algorithms.evaluation.shapley import TreeShapley, tree_shapley
from algorithms.learners.ensembles.adaboost import AdaBoost
from algorithms.learners.ensembles.gradient_boosting import GradientBoosting
from algorithms.learners.ensembles.random_forest import RandomForest
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.structures.tree import Tree, TreeSum
from tests.benchmarks.committees_against_scikit_learn import generated


def table(data: Dataset) -> np.ndarray:
    return np.column_stack([np.asarray(data.column(i), dtype=np.float64) for i in data.schema.predictors])


def as_dictionary(tree: Tree, outputs: np.ndarray) -> dict[str, Any]:
    """A tree of thresholds as ``shap`` reads it; the predictors come first in the schema."""
    leaf = tree.n_children == 0
    left = np.where(leaf, -1, tree.first_child).astype(np.int32)
    return {
        "children_left": left,
        "children_right": np.where(leaf, -1, left + 1).astype(np.int32),
        "children_default": left,
        "features": np.where(leaf, -1, tree.attribute).astype(np.int32),
        "thresholds": np.where(leaf, -1.0, tree.threshold),
        "values": outputs.reshape(tree.n_nodes, -1).copy(),
        "node_sample_weight": tree.counts.sum(axis=1),
    }


def peer(trees: TreeSum, code: int, background: np.ndarray | None) -> Any:
    """The explainer of ``shap`` for the output of one class."""
    chosen = [
        as_dictionary(tree, outputs[:, code - first : code - first + 1])
        for tree, outputs, first in zip(trees.trees, trees.outputs, trees.first_class, strict=True)
        if 0 <= code - first < outputs.shape[1]
    ]
    model = {"trees": chosen, "input_dtype": np.float64, "internal_dtype": np.float64}
    if background is None:
        return shap.TreeExplainer(model, feature_perturbation="tree_path_dependent")
    return shap.TreeExplainer(model, background, feature_perturbation="interventional")


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def ours(trees: TreeSum, records: Dataset, background: Dataset | None, threads: int) -> TreeShapley:
    with thread_pool(threads) as pool:
        found = tree_shapley(trees, records, background, RunContext(executor=pool if threads > 1 else None))
    assert found is not None
    return found


def compare_trees(name: str, learner: Learner, data: Dataset, records: Dataset, background: Dataset) -> None:
    model = learner.fit(data, RunContext(seed=1))
    trees = model.tree_sum()
    assert trees is not None
    code, a = len(data.schema.classes) - 1, len(data.schema.predictors)
    for title, others in (("path-dependent", None), ("interventional", background)):
        explainer = peer(trees, code, None if others is None else table(others))
        theirs = np.asarray(explainer.shap_values(table(records), check_additivity=False)).reshape(len(records), a)
        found = ours(trees, records, others, 1)
        difference = np.abs(found.values[:, :a, code] - theirs).max()
        own = found.values[:, :, code].sum(axis=1) + found.base[code] - found.prediction[:, code]
        other = theirs.sum(axis=1) + float(np.ravel(explainer.expected_value)[0])
        other += (trees.start[code] if trees.is_log else 0.0) - found.prediction[:, code]
        missed = f"sums miss the prediction by {np.abs(own).max():.0e}, those of shap by {np.abs(other).max():.0e}"
        print(f"{name:18s} {title:15s} largest difference {difference:.1e}; {missed}", flush=True)


def compare_linear(data: Dataset, records: Dataset, background: Dataset) -> None:
    model: Any = LogisticRegression().fit(data, RunContext())
    weight, terms = model.planes.weight[:, 1] - model.planes.weight[:, 0], model.planes.terms
    bias = float(model.planes.bias[1] - model.planes.bias[0])
    masker = shap.maskers.Independent(terms.of(background).T, max_samples=len(background))
    theirs = shap.LinearExplainer((weight, bias), masker).shap_values(terms.of(records).T)
    others = model.additive_scores(background).parts
    found = [model.additive_scores(records.take([row])).parts - others for row in range(len(records))]
    values = np.array([(parts[:, 1] - parts[:, 0])[terms.attribute] for parts in found])
    print(f"{'logistic regression':20s} {'interventional':15s} largest difference {np.abs(values - theirs).max():.1e}")


def compare_speed(n: int, n_background: int) -> None:
    data, records, background = generated(20_000, 1), generated(n, 2), generated(n_background, 3)
    learner = GradientBoosting(members=100, max_depth=6, early_stopping=False)
    trees = learner.fit(data, RunContext(seed=1)).tree_sum()
    assert trees is not None
    leaves = sum(tree.n_leaves for tree in trees.trees)
    print(f"\n{n:,} records x {len(trees.trees)} boosted trees of depth 6 ({leaves:,} leaves), seconds")
    x = table(records)
    for title, others in (("path-dependent", None), (f"interventional, {n_background}", background)):
        explainer = peer(trees, 1, None if others is None else table(others))
        few = records.take(np.arange(2))
        explainer.shap_values(table(few), check_additivity=False)
        ours(trees, few, others, 1)
        seconds, theirs = timed(lambda e=explainer: e.shap_values(x, check_additivity=False))
        one, found = timed(lambda o=others: ours(trees, records, o, 1))
        several, again = timed(lambda o=others: ours(trees, records, o, usable_cores()))
        assert np.array_equal(found.values, again.values)
        difference = np.abs(found.values[:, : x.shape[1], 1] - theirs.reshape(x.shape)).max()
        print(
            f"{title:20s} shap {seconds:7.1f}, ours with 1 thread {one:7.1f} ({seconds / one:.1f} times as fast), with "
            f"{usable_cores()} threads {several:7.1f} ({seconds / several:.1f}); largest difference {difference:.1e}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--background", type=int, default=100)
    options = parser.parse_args()
    data, records, background = generated(3_000, 1), generated(200, 2), generated(50, 3)
    learners = {
        "C4.5": C45(),
        "CART": Cart(),
        "random forest": RandomForest(members=30),
        "AdaBoost": AdaBoost(members=10),
        "gradient boosting": GradientBoosting(members=50, max_depth=6),
    }
    for name, learner in learners.items():
        compare_trees(name, learner, data, records, background)
    compare_linear(data, records, background)
    compare_speed(options.records, options.background)


if __name__ == "__main__":
    main()
