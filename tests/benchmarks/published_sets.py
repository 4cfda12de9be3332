"""The published data sets with what others reached on them, for benchmarks that compare learners there."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import evaluate
from algorithms.io.reading import read

SHARED = Path(__file__).resolve().parents[2].parent / "shared"


def published() -> Iterator[tuple[dict[str, str], Dataset]]:
    """Each row of ``shared/reference/weka-cv.csv`` with its data set."""
    with (SHARED / "reference" / "weka-cv.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        data = read(SHARED / "datasets" / f"{row['dataset']}.arff", RunContext())
        if row["dataset"] == "wine":  # its class comes first
            data = data.with_class(data.schema.names[0])
        yield row, data


def accuracy(learner: Learner, data: Dataset, seed: int) -> float:
    """Accuracy in percent by stratified ten-fold cross-validation."""
    result = evaluate(learner, data, CrossValidation(folds=10), RunContext(seed=seed))
    return 100 * float((result.truth == result.decision).mean())
