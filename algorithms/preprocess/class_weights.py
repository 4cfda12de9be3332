"""Letting the records of some classes weigh more while a model is learned."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.enabling import when
from algorithms.core.errors import DataError
from algorithms.core.filters import TrainingFilter
from algorithms.core.learner import Problem
from algorithms.core.params import Option, choice, text
from algorithms.core.schema import Schema
from algorithms.core.summary import Summary
from algorithms.preprocess.training_records import class_codes, problems_without_class


@dataclass(frozen=True, kw_only=True)
class ClassWeights(TrainingFilter):
    """Multiplies the weight of each training record by that of its class.

    Balanced, a class of weight w among k classes of weight W together counts W / (k w): all weigh the same then, and
    together as much as before (as scikit-learn's ``class_weight="balanced"``).
    """

    id: ClassVar[str] = "class-weights"
    name: ClassVar[str] = "Weigh the classes"
    sentence: ClassVar[str] = (
        "Lets a training record count more or less by its class, without repeating any. Tested records count as before."
    )
    family: ClassVar[str] = "Training records"

    weights: str = choice(
        "balanced",
        Option("balanced", "all classes the same", "The rarer a class is, the more each of its records counts."),
        Option("given", "given weights", "You say what a record of each class counts."),
        label="Weights",
        help="What a record of each class counts.",
    )
    given: str = text(
        "",
        label="Given",
        help="Class = weight, with semicolons between: yes = 5; no = 1. A class that is not named counts 1.",
        enabled_if=when("weights", "given"),
    )

    def check(self, summary: Summary) -> list[Problem]:
        problems = problems_without_class(summary)
        if problems or self.weights != "given":
            return problems
        if not self.given.strip():
            return [Problem("No weight is given yet.", "Type class = weight, such as yes = 5.")]
        try:
            self._by_class(summary.schema)
        except DataError as error:
            return [Problem(error.sentence, error.remedy)]
        return []

    def trained_on(self, data: Dataset, context: RunContext) -> Dataset:
        codes = class_codes(data)
        factors = self._by_class(data.schema) if self.weights == "given" else _balanced(data)
        return data.with_weights(data.weight_array * np.append(factors, 1.0)[codes])

    def _by_class(self, schema: Schema) -> FloatArray:
        """The weight of each class (k,); raises :class:`DataError` for what is no weight or no class."""
        classes, found = schema.classes, np.ones(len(schema.classes))
        for part in filter(str.strip, re.split(r"[;\n]", self.given)):
            label, equals, number = (each.strip() for each in part.rpartition("="))
            try:
                weight = float(number)
            except ValueError:
                weight = -1.0
            if not equals or not 0 <= weight < 1e12:
                raise DataError(f"{part.strip()!r} is not class = weight.", remedy="Type it like yes = 5; no = 1.")
            if label not in classes:
                remedy = f"The classes are {', '.join(classes[:8])}{', ...' if len(classes) > 8 else ''}."
                raise DataError(f"There is no class {label!r}.", remedy=remedy)
            found[classes.index(label)] = weight
        if not np.any(found > 0):
            raise DataError("All weights are 0: nothing could be learned.", remedy="Give a class more than 0.")
        return found


def _balanced(data: Dataset) -> FloatArray:
    codes = data.class_codes.astype(np.int64)
    known = codes >= 0
    sums = np.bincount(codes[known], data.weight_array[known], minlength=len(data.schema.classes))
    k = np.count_nonzero(sums)
    return np.asarray(np.divide(sums.sum(), k * sums, out=np.ones(len(sums)), where=sums > 0))
