"""Gradient boosting with its defaults beside LightGBM's on every published data set, in the same stratified folds.

``python -m tests.benchmarks.boosting_on_all_sets [seed ...]`` prints the accuracies of five-fold cross-validation in
percent, the mean over the seeds for each set, and over all. LightGBM is told which attributes are nominal.
"""

from __future__ import annotations

import sys
import warnings
from statistics import mean

import numpy as np
from lightgbm import LGBMClassifier  # type: ignore[import-not-found]
from sklearn.model_selection import StratifiedKFold

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.learners.ensembles.gradient_boosting import GradientBoosting
from tests.benchmarks.published_sets import published


def right(data: Dataset, seed: int) -> tuple[float, float]:
    """Accuracies in percent of this project and of LightGBM in five folds."""
    truth, schema = np.asarray(data.class_codes), data.schema
    columns = [np.asarray(data.column(index), dtype=np.float64) for index in schema.predictors]
    coded = [place for place, index in enumerate(schema.predictors) if schema.attributes[index].kind.is_coded]
    x = np.column_stack(columns)
    x[:, coded] = np.where(x[:, coded] < 0, np.nan, x[:, coded])
    hits = np.zeros(2)
    for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(x, truth):
        ours = GradientBoosting().fit(data.take(train), RunContext(seed=seed))
        theirs = LGBMClassifier(n_jobs=1, verbose=-1, random_state=seed)
        theirs.fit(x[train], truth[train], categorical_feature=coded)
        decided = (ours.predict(data.take(test)), theirs.predict(x[test]))
        hits += [np.sum(codes == truth[test]) for codes in decided]
    return tuple((100 * hits / len(truth)).tolist())


def main(seeds: list[int]) -> None:
    warnings.simplefilter("ignore")  # scikit-learn warns of classes with fewer records than folds
    totals = []
    for row, data in published():
        totals.append(np.mean([right(data, seed) for seed in seeds], axis=0))
        print(f"{row['dataset']:14s} ours {totals[-1][0]:6.2f}, LightGBM {totals[-1][1]:6.2f}", flush=True)
    print(f"mean: ours {mean(t[0] for t in totals):.2f}, LightGBM {mean(t[1] for t in totals):.2f}")


if __name__ == "__main__":
    main([int(seed) for seed in sys.argv[1:]] or [1, 2, 3])
