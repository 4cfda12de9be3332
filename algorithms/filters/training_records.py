"""Filters of training records: by formula, sampling, class weights, or class."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.filters import TrainingFilter
from algorithms.core.learner import Problem
from algorithms.core.parameters import Option, boolean, choice, integer, real, text, when
from algorithms.core.plain_json import typed_number
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, smallest_code_dtype
from algorithms.data.dataset import Dataset
from algorithms.data.formulas import evaluate_formula, parse_formula, rename_in_formula, without_records
from algorithms.data.schema import Schema
from algorithms.data.summary import Summary
from algorithms.filters.checks import class_codes, problems_without_class, quotas


@dataclass(frozen=True, kw_only=True)
class FilterRecords(TrainingFilter):
    """Keeps the training records for which a formula (:mod:`algorithms.filters.computed_columns`) is true.

    Records with a missing result are dropped. The formula may use the class, since tested records are not filtered.
    """

    id: ClassVar[str] = "filter-records"
    name: ClassVar[str] = "Filter training records"
    sentence: ClassVar[str] = (
        'Trains only on the records that meet a condition, such as age >= 18 and town = "Bern". All '
        "others are still tested."
    )
    family: ClassVar[str] = "Training records"

    formula: str = text(
        "",
        label="Condition",
        help=(
            'Columns by name, in [brackets] if not one word; < <= = != > >=, and, or, not, true, false; "texts"; '
            "missing(column); + - * / mod and functions as in a column from a formula."
        ),
        formulas=True,
    )

    def with_columns_renamed(self, rename: Callable[[str], str | None]) -> Self:
        return self.with_values(formula=rename_in_formula(self.formula, rename))

    def check(self, summary: Summary) -> list[Problem]:
        if not self.formula.strip():
            return [Problem("No formula is given yet.", "Type one, such as age >= 18.")]
        try:
            evaluate_formula(parse_formula(self.formula, summary.schema), without_records(summary.schema))
        except DataError as error:
            return [Problem(error.sentence, error.remedy, error.place or None)]
        return []

    def trained_on(self, data: Dataset, context: RunContext) -> Dataset:
        """The records for which the formula is true; raises :class:`DataError` if it is invalid or none are."""
        if not self.formula.strip() or not len(data):
            return data
        value = evaluate_formula(parse_formula(self.formula, data.schema), data, context.checkpoint)
        kept = np.isfinite(value) & (value != 0)
        if not kept.any():
            raise DataError(
                f"{self.formula.strip()} is true for none of the training records, so there is nothing to learn from.",
                remedy="Ask for less.",
            )
        return data.take(kept)


@dataclass(frozen=True, kw_only=True)
class SampleRecords(TrainingFilter):
    """Samples training records with or without replacement, optionally stratified by class; the order stays."""

    id: ClassVar[str] = "sample-records"
    name: ClassVar[str] = "Sample records"
    sentence: ClassVar[str] = "Trains on a random sample of the training records. All others are still tested."
    family: ClassVar[str] = "Training records"

    size: str = choice(
        "share",
        Option("share", "Share", "A percentage of the training records."),
        Option("number", "Number", "A number of records."),
        label="Size",
        help="How the sample size is given.",
    )
    share: float = real(
        50.0,
        lo=0.01,
        hi=1000.0,
        label="Sample size (%)",
        help="Percent of the training records. More than 100 needs replacement.",
        unit="%",
        enabled_if=when("size", "share"),
    )
    number: int = integer(
        1000,
        lo=1,
        hi=100_000_000,
        label="Sample size",
        help="Number of records in the sample.",
        unit="records",
        enabled_if=when("size", "number"),
    )
    replacement: bool = boolean(
        False, label="With replacement", help="A record can be drawn several times, as in a bootstrap sample."
    )
    stratified: bool = boolean(True, label="Stratified", help="Each class keeps its share.")

    def check(self, summary: Summary) -> list[Problem]:
        return problems_without_class(summary) if self.stratified else []

    def trained_on(self, data: Dataset, context: RunContext) -> Dataset:
        n = len(data)
        wanted = self.number if self.size == "number" else max(1, round(n * self.share / 100))
        wanted = wanted if self.replacement else min(wanted, n)
        if n == 0:
            return data
        random = context.random()
        groups = class_codes(data) + 1 if self.stratified else np.zeros(n, dtype=np.int64)
        order = np.argsort(groups, kind="stable")
        counts = np.bincount(groups)
        ends = np.cumsum(counts)
        drawn = [
            random.choice(order[end - count : end], quota, replace=self.replacement)
            for end, count, quota in zip(ends, counts, quotas(counts, wanted), strict=True)
            if quota
        ]
        context.checkpoint()
        return data.take(np.sort(np.concatenate(drawn)))


@dataclass(frozen=True, kw_only=True)
class ClassWeights(TrainingFilter):
    """Multiplies weights by class weights; balanced ones, total / (k times the class's weight), as in scikit-learn."""

    id: ClassVar[str] = "class-weights"
    name: ClassVar[str] = "Class weights"
    sentence: ClassVar[str] = (
        "Weights training records by their class, without repeating any. Tested records count as before."
    )
    family: ClassVar[str] = "Training records"

    weights: str = choice(
        "balanced",
        Option("balanced", "Balanced", "The rarer a class, the larger the weight of its records."),
        Option("given", "Given", "The weights below."),
        label="Weights",
        help="The weight of a record of each class.",
    )
    given: str = text(
        "",
        label="Weights per class",
        help="Class = weight, separated by semicolons: yes = 5; no = 1. A class without a weight gets 1.",
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
        """The weight of each class (k,) from typed text; raises :class:`DataError` for an invalid weight or class."""
        classes, weights = schema.classes, np.ones(len(schema.classes))
        for part in filter(str.strip, re.split(r"[;\n]", self.given)):
            label, equals, number = (piece.strip() for piece in part.rpartition("="))
            try:
                weight = typed_number(number)
            except ValueError:
                weight = -1.0
            if not equals or not 0 <= weight < 1e12:
                raise DataError(f"{part.strip()!r} is not class = weight.", remedy="Type it like yes = 5; no = 1.")
            if label not in classes:
                remedy = f"The classes are {', '.join(classes[:8])}{', ...' if len(classes) > 8 else ''}."
                raise DataError(f"There is no class {label!r}.", remedy=remedy)
            weights[classes.index(label)] = weight
        if not np.any(weights > 0):
            raise DataError("All weights are 0: nothing could be learned.", remedy="Give a class more than 0.")
        return weights


def _balanced(data: Dataset) -> FloatArray:
    codes = data.class_codes.astype(np.int64)
    has_class = codes >= 0
    sums = np.bincount(codes[has_class], data.weight_array[has_class], minlength=len(data.schema.classes))
    k = np.count_nonzero(sums)
    return np.asarray(np.divide(sums.sum(), k * sums, out=np.ones(len(sums)), where=sums > 0))


def without_classes(data: Dataset, labels: Collection[str]) -> Dataset:
    """The data without some classes; records without one stay. Raises :class:`DataError` if fewer than two remain."""
    attribute = data.schema.class_attribute
    kept = [code for code, label in enumerate(attribute.values) if label not in labels]
    if len(kept) < 2:
        raise DataError("Fewer than two classes would remain.", remedy="Leave out fewer.", place=attribute.name)
    table = np.full(len(attribute.values) + 1, -2, dtype=np.int64)
    table[kept] = np.arange(len(kept))
    table[-1] = -1  # a missing class, code -1, stays missing
    codes = table[data.class_codes]
    stays = codes >= -1
    named = replace(attribute, values=tuple(attribute.values[code] for code in kept))
    shrunk = codes[stays].astype(smallest_code_dtype(len(kept)))
    assert data.schema.class_index is not None
    return data.take(stays).with_column(data.schema.class_index, named, shrunk)
