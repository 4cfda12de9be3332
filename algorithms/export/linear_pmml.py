"""Weighed sums as a PMML 4.4 RegressionModel (Data Mining Group, pmml.org): a table for each class, softmax of all.

A missing number is replaced by its mean in training; a label that is missing or has no coefficient adds nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from algorithms.export.pmml_parts import Element, PmmlWriter, free_name, sub

NEVER: Final = -1e300
"""The score of a class without training records: its softmax is 0. Programs ask for a table for every class."""

if TYPE_CHECKING:
    from algorithms.export.linear import LinearSubject


class RegressionWriter(PmmlWriter):
    """Writes a table of coefficients for each class that can be decided."""

    def __init__(self, subject: LinearSubject) -> None:
        means = {each.attribute.name: each.mean for each in subject.weighed if each.each is not None}
        self.linear = subject
        super().__init__(replace(subject, fills={**means, **subject.fills}))
        taken = {attribute.name for attribute in self.fields()} | {subject.class_name}
        cut = [attribute.name for attribute in subject.used if attribute.name in subject.cuts]
        self.ranges = {name: free_name(f"{name}, as a range", taken) for name in cut}

    def write_model(self, root: Element) -> None:
        subject, name = self.linear, self.linear.trained.learner.name
        model = sub(
            root,
            "RegressionModel",
            modelName=name,
            functionName="classification",
            algorithmName=name,
            normalizationMethod="softmax",
        )
        self.write_schema(model)
        self.write_output(model)
        if self.ranges:
            made = sub(model, "LocalTransformations")
            for attribute in subject.used:
                if attribute.name in self.ranges:
                    derived = self.ranges[attribute.name]
                    field = sub(made, "DerivedField", name=derived, optype="categorical", dataType="string")
                    self.write_ranges(field, attribute.name, attribute.values)
        place_of = {code: place for place, code in enumerate(subject.decided)}
        for code, label in enumerate(subject.classes):
            if code in place_of:
                self._table(model, place_of[code], label)
            else:
                sub(model, "RegressionTable", intercept=repr(NEVER), targetCategory=label)

    def _table(self, model: Element, place: int, label: str) -> None:
        weighed = self.linear.weighed
        moved = sum(float(each.each[place]) * each.mean for each in weighed if each.each is not None)
        start = float(self.linear.start[place]) - moved
        table = sub(model, "RegressionTable", intercept=repr(start), targetCategory=label)
        for each in weighed:
            if each.each is not None:
                sub(table, "NumericPredictor", name=each.attribute.name, coefficient=repr(float(each.each[place])))
        for each in weighed:
            field = self.ranges.get(each.attribute.name, each.attribute.name)
            for value, row in zip(each.labels, each.rows, strict=True):
                sub(table, "CategoricalPredictor", name=field, value=value, coefficient=repr(float(row[place])))
