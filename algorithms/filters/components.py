"""Principal component analysis (PCA) of numeric attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Self

import numpy as np

from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import Problem, State
from algorithms.core.parameters import Option, boolean, choice, columns, integer, real, when
from algorithms.core.run_control import RunContext
from algorithms.data.column_statistics import deviation, mean
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, free_name, numeric
from algorithms.data.summary import Summary
from algorithms.filters.checks import StoredState, chosen, problems_of_choice

_BLOCK: Final = 4096
"""Number of records processed at a time, which fit into the processor cache."""


class Components(FittedFilter):
    """Replaces numbers by principal components.

    Numbers are centred by ``centres`` and scaled by ``units`` (d,). ``loadings`` (c, d) has unit rows with a positive
    largest loading; ``shares`` (c,) are the explained shares of variance. Missing and infinite numbers count as the
    mean.
    """

    id: ClassVar[str] = "principal-components"

    def __init__(
        self, names: Sequence[str], centres: FloatArray, units: FloatArray, loadings: FloatArray, shares: FloatArray
    ) -> None:
        self.names = tuple(names)
        self.centres, self.units, self.loadings, self.shares = centres, units, loadings, shares

    def transform(self, data: Dataset) -> Dataset:
        if not self.names:
            return data
        positions = [data.schema.index_of(name) if name in data.schema else None for name in self.names]
        scores = np.zeros((len(self.loadings), len(data)))
        for column, index in enumerate(positions):
            if index is None or data.schema.attributes[index].kind is not AttributeKind.NUMERIC:
                continue
            values = data.column(index)
            for start in range(0, len(data), _BLOCK):
                block = slice(start, start + _BLOCK)
                scores[:, block] += self.loadings[:, column, None] * self._standardised(values[block], column)
        replaced = set(positions)
        stay = [i for i in range(len(data.schema)) if i not in replaced]
        taken = {data.schema.names[i] for i in stay}
        named: list[Attribute] = []
        for number in range(1, len(scores) + 1):
            named.append(numeric(free_name(f"component {number}", taken)))
            taken.add(named[-1].name)
        class_index = data.schema.class_index
        class_at = stay.index(class_index) if class_index in stay else None
        attributes = [*(data.schema.attributes[i] for i in stay), *named]
        return data.remade(attributes, [*(data.content(i) for i in stay), *scores], class_at)

    def _standardised(self, values: FloatArray, column: int) -> FloatArray:
        moved = (values - self.centres[column]) / self.units[column]
        moved[~np.isfinite(moved)] = 0.0
        return np.asarray(moved)

    def learned_rows(self) -> list[list[str]]:
        """The loadings, as a table with the explained share of variance of each component."""
        if not len(self.loadings):
            return []
        shares = [f"component {number} ({share:.1%})" for number, share in enumerate(self.shares, start=1)]
        rows = [
            [name, *(f"{weight:.3f}" for weight in self.loadings[:, number])] for number, name in enumerate(self.names)
        ]
        return [["Column", *shares], *rows]

    def to_state(self) -> State:
        arrays = {"centres": self.centres, "units": self.units, "loadings": self.loadings, "shares": self.shares}
        return State({"names": list(self.names)}, arrays)

    @classmethod
    def from_state(cls, state: State) -> Self:
        stored = StoredState(state, "components")
        names = stored.names("names")
        d = len(names)
        centres, units = stored.numbers("centres", d), stored.numbers("units", d)
        loadings = stored.numbers("loadings", None, d)
        shares = stored.numbers("shares", len(loadings))
        finite = all(bool(np.all(np.isfinite(array))) for array in (centres, units, loadings, shares))
        if not finite or np.any(units <= 0) or len(set(names)) < d:
            raise stored.damaged()
        return cls(names, centres, units, loadings, shares)


@dataclass(frozen=True, kw_only=True)
class PrincipalComponents(Filter):
    """Principal component analysis (Pearson 1901, Hotelling 1933).

    The largest loading of a component is positive, the first of equal ones. Constant columns contribute nothing.
    """

    id: ClassVar[str] = "principal-components"
    name: ClassVar[str] = "Principal components (PCA)"
    sentence: ClassVar[str] = (
        "Replaces correlated numeric attributes by a few linear combinations that keep most of the variance."
    )
    family: ClassVar[str] = "Numbers"
    adds_columns: ClassVar[bool] = True
    fitted: ClassVar[type[FittedFilter]] = Components

    keep: str = choice(
        "share",
        Option("share", "Explained variance", "As many components as this share needs."),
        Option("number", "Number", "This many components; fewer if there are fewer attributes."),
        label="Keep",
        help="How many components stay.",
    )
    share: float = real(
        0.95,
        lo=0.01,
        hi=1.0,
        label="Explained variance",
        help="From 0 to 1: 0.95 keeps 95% of the variance.",
        enabled_if=when("keep", "share"),
    )
    components: int = integer(
        2, lo=1, hi=10_000, label="Components", help="Number of components.", enabled_if=when("keep", "number")
    )
    same_scale: bool = boolean(
        True,
        label="Standardize",
        help="Divides each numeric attribute by its standard deviation. Without it attributes with large "
        "values make up the first components.",
    )
    columns: tuple[str, ...] = columns(
        (),
        label="Attributes",
        help="Only these are transformed",
        without="all numeric attributes",
        kinds=(AttributeKind.NUMERIC,),
    )

    def check(self, summary: Summary) -> list[Problem]:
        only = "components are made of numbers only"
        return problems_of_choice(
            summary, self.columns, (AttributeKind.NUMERIC,), do="combine", done="combined", only=only
        )

    def fit(self, data: Dataset, context: RunContext) -> Components:
        """Learn centres, units and loadings from records of positive weight; no components without known numbers."""
        names, centres, units = [], [], []
        for index in chosen(data.schema, self.columns, (AttributeKind.NUMERIC,)):
            context.checkpoint()
            column = data.column(index)
            usable = np.isfinite(column) & (True if data.weights is None else data.weights > 0)
            values = column[usable]
            if len(values) == 0:
                continue
            weights = None if data.weights is None else data.weights[usable]
            names.append(data.schema.attributes[index].name)
            centres.append(mean(values, weights))
            spread = deviation(values, weights, centres[-1]) if self.same_scale else 1.0
            units.append(spread or 1.0)
        fitted = Components(names, np.array(centres), np.array(units), np.zeros((0, len(names))), np.zeros(0))
        if not names:
            return fitted
        vectors, variances = self._directions(data, fitted, context)
        total = float(variances.sum())
        shares = variances / total if total > 0 else np.zeros(len(variances))
        kept = self._kept(shares)
        return Components(names, fitted.centres, fitted.units, vectors[:kept], shares[:kept])

    def _kept(self, shares: FloatArray) -> int:
        if self.keep == "number":
            return min(self.components, len(shares))
        # the smallest number of components that reach the share, as in scikit-learn
        return min(len(shares), int(np.searchsorted(np.cumsum(shares), self.share - 1e-12, side="left")) + 1)

    def _directions(self, data: Dataset, fitted: Components, context: RunContext) -> tuple[FloatArray, FloatArray]:
        """All components (c, d) by decreasing variance, and the variances (c,)."""
        d, n = len(fitted.names), len(data)
        indices = [data.schema.index_of(name) for name in fitted.names]
        if d > n:  # with more columns than records the SVD is cheaper
            table = np.column_stack([fitted._standardised(data.column(i), column) for column, i in enumerate(indices)])
            _, values, vectors = np.linalg.svd(table * np.sqrt(data.weight_array)[:, None], full_matrices=False)
            return _fixed_sign(vectors), values**2
        products = np.zeros((d, d))
        for start in range(0, n, 8 * _BLOCK):
            context.checkpoint()
            rows = slice(start, start + 8 * _BLOCK)
            table = np.column_stack(
                [fitted._standardised(data.column(i)[rows], column) for column, i in enumerate(indices)]
            )
            weighed = table if data.weights is None else table * data.weights[rows, None]
            products += weighed.T @ table
        values, vectors = np.linalg.eigh((products + products.T) / 2)
        return _fixed_sign(vectors.T[::-1].copy()), np.clip(values[::-1], 0, None)


def _fixed_sign(vectors: FloatArray) -> FloatArray:
    """The rows with the sign that makes the largest entry positive."""
    sizes = np.abs(vectors)
    largest = np.argmax(sizes > sizes.max(axis=1, keepdims=True) * (1 - 1e-9), axis=1)
    return np.asarray(vectors * np.where(vectors[np.arange(len(vectors)), largest] < 0, -1.0, 1.0)[:, None])
