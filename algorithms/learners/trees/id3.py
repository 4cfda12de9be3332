"""Quinlan's ID3, an instance of Hunt's algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from algorithms.core.context import RunContext
from algorithms.core.learner import Problem
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.data.summary import Summary
from algorithms.learners.trees import parameters
from algorithms.learners.trees.growth.growth_options import GrowthOptions
from algorithms.learners.trees.growth.postprocessing import with_empty_branches
from algorithms.learners.trees.induction import ChanceTestedTree
from algorithms.learners.trees.model import TreeModel


@dataclass(frozen=True, kw_only=True)
class ID3(ChanceTestedTree):
    """A decision tree by information gain with a branch for each value of a list of values.

    A node is divided until its records are of one class or alike in every attribute, whether a question gains or not.
    As every value has its branch, no path asks for an attribute twice. A value that no record of a node has leads to a
    leaf that decides as the node would (TSKK 3.3.1, Hunt's algorithm). Ordered values are taken as any other list.
    Missing values are divided among the branches in proportion, as C4.5 does, in training and when classifying.
    """

    id: ClassVar[str] = "id3"
    name: ClassVar[str] = "ID3 decision tree"
    sentence: ClassVar[str] = (
        "Asks about lists of values only, the most telling question first, with a branch for every value: the first "
        "and plainest of the family, good for seeing how a tree comes about."
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
                f"{attribute.name} is a number, and ID3 asks only about lists of values.",
                "Cut it into ranges (a step does so inside the folds), make it nominal or leave it out; C4.5 takes "
                "numbers as they are.",
                attribute.name,
            )
            for attribute in predictors
            if attribute.kind is AttributeKind.NUMERIC
        ]

    def growth(self) -> GrowthOptions:
        return GrowthOptions(
            criterion="information-gain",
            nominal_splits="multiway",
            ordinal_splits="multiway",
            min_leaf=self.min_leaf,
            max_depth=self.max_depth,
            min_gain=self.min_gain,
            missing="fractional",
            split_without_gain=True,
        )

    def _fit(self, data: Dataset, context: RunContext) -> TreeModel:
        model = super()._fit(data, context)
        return TreeModel(with_empty_branches(model.tree), partial=model.partial)
