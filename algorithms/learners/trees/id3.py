"""Quinlan's ID3, an instance of Hunt's algorithm."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from algorithms.core.learner import Problem
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.data.summary import Summary
from algorithms.learners.trees import parameters
from algorithms.learners.trees.growth.growth_options import GrowthOptions
from algorithms.learners.trees.growth.postprocessing import with_empty_branches
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.tree_learner import ChanceTestedTree


@dataclass(frozen=True, kw_only=True)
class ID3(ChanceTestedTree):
    """A decision tree by information gain with a branch for each nominal value.

    A node is divided until its records are of one class or equal in every attribute, even without a gain. No path tests
    an attribute twice. A value without records in a node gets a leaf with the node's decision (TSKK 3.3.1, Hunt's
    algorithm). Ordinal attributes are treated as nominal. Records with missing values are divided among the branches in
    proportion, as in C4.5.
    """

    id: ClassVar[str] = "id3"
    name: ClassVar[str] = "ID3 decision tree"
    sentence: ClassVar[str] = (
        "A decision tree on nominal attributes only, with one branch per value, split by information "
        "gain. The simplest tree learner, good for seeing how a tree grows."
    )
    source: ClassVar[str] = "Quinlan, Induction of Decision Trees, Machine Learning 1 (1986); TSKK section 3.3.1"

    max_depth: int | None = parameters.max_depth()
    min_leaf: int = parameters.min_leaf(1)
    min_gain: float = parameters.min_gain()

    def check(self, summary: Summary) -> list[Problem]:
        problems = super().check(summary)
        predictors = [summary.schema.attributes[index] for index in summary.schema.predictors]
        return problems or [
            Problem(
                f"{attribute.name} is numeric, and ID3 splits only on nominal attributes.",
                "Cut it into ranges (a step does so inside the folds), make it nominal or leave it out; C4.5 takes "
                "numbers as they are.",
                attribute.name,
            )
            for attribute in predictors
            if attribute.kind is AttributeKind.NUMERIC
        ]

    def growth(self) -> GrowthOptions:
        return replace(super().growth(), criterion="information-gain", ordinal_splits="multiway")

    def _fit(self, data: Dataset, context: RunContext) -> TreeModel:
        model = super()._fit(data, context)
        return TreeModel(with_empty_branches(model.tree), partial=model.partial)
