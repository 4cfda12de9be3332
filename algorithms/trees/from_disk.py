"""Tree learners on records that are not in memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from algorithms.core.columns import missing_column
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.errors import ParameterError
from algorithms.core.learner import Learner
from algorithms.core.schema import Schema
from algorithms.trees.binning import Bins
from algorithms.trees.c45 import C45
from algorithms.trees.cart import Cart
from algorithms.trees.model import TreeModel
from algorithms.trees.on_disk import CodedFile, grow_on_disk


def check_can_grow_on_disk(learner: Learner) -> None:
    """Raise :class:`ParameterError` where a learner, or a setting of it, needs all records in memory."""
    if not isinstance(learner, C45 | Cart):
        raise ParameterError(
            f"{learner.name} needs all records in memory.",
            remedy="From a file in pieces c4.5 and cart can grow.",
            place="learner",
        )
    if learner.tests_inside or learner.holds_out:
        what = "Stopping by records held out" if learner.early_stopping else f"The pruning {learner.pruning}"
        raise ParameterError(
            f"{what} needs all records in memory.",
            remedy="Choose error-based, pessimistic, description-length, minimum-error or none.",
            place="early_stopping" if learner.early_stopping else "pruning",
        )
    if learner.growth().by_node:
        what = "The criterion chi-square" if learner.criterion == "chi-square" else "Several branches for a number"
        raise ParameterError(
            f"{what} needs all records in memory.",
            remedy="Choose another criterion, and numeric_splits=binary.",
            place="criterion" if learner.criterion == "chi-square" else "numeric_splits",
        )
    if learner.growth().draws:
        raise ParameterError(
            "Questions drawn by chance need all records in memory.",
            remedy="Leave best_of=1 and attributes_weighed empty.",
            place="best_of",
        )
    if learner.nominal_splits == "grouped":
        raise ParameterError(
            "Groups of values need all records in memory.",
            remedy="Choose multiway or binary.",
            place="nominal_splits",
        )
    if getattr(learner, "soft_thresholds", False):
        raise ParameterError(
            "Soft thresholds need all records in memory.",
            remedy="Leave soft_thresholds=false.",
            place="soft_thresholds",
        )
    if learner.priors != "data":
        raise ParameterError(
            "Classes weighed to their priors need all records in memory.",
            remedy="Leave priors=data.",
            place="priors",
        )


def model_from_disk(
    learner: C45 | Cart, file: CodedFile, schema: Schema, bins: Bins, folder: Path, context: RunContext
) -> TreeModel:
    """The learner's tree, grown on records in a file (see :func:`grow_on_disk`) and pruned by its nodes' classes.

    Subtrees are cut, not raised: raising would send the records down anew.
    """
    grown = grow_on_disk(file, schema, bins, learner.growth(), folder, context)
    by_counts = replace(learner, raising=False, with_raising=False)
    tree, completed = by_counts._pruned(grown, _weights_of(file, schema), None, context.child(0.0, 2))
    return TreeModel(tree, partial=grown.partial or not completed)


def _weights_of(file: CodedFile, schema: Schema) -> Dataset:
    """A record for each class, weighing as much as all that have it: what pruning by counts asks of the data."""
    k = len(schema.classes)
    columns = [missing_column(attribute, k) for attribute in schema.attributes]
    columns[schema.index_of(schema.class_attribute.name)] = np.arange(k)
    return Dataset(schema, columns, weights=file.counts)
