"""Growing trees whose questions are sums of a few attributes drawn by chance (Forest-RC).

Source: Breiman, Random forests, Machine Learning 45 (2001), section 5: L attributes are drawn and added with
coefficients drawn evenly from -1 to 1, F such sums are made at each node, and the best one is asked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.schema import Kind
from algorithms.trees.engine import GrowthOptions, grow
from algorithms.trees.growth import rules_of
from algorithms.trees.oblique_growth import ObliqueGrowth, Question, random_of
from algorithms.trees.oblique_search import LinearTest, ObliqueSearch, judged_sum

TOLERANCE = 1e-9
_DIGITS = 3
"""Coefficients are written with so many: they are drawn by chance, so that more would say nothing."""


@dataclass(frozen=True)
class Combinations:
    """``sums`` are made at each node, each of ``terms`` attributes, and one of the ``best_of`` best is asked."""

    sums: int
    terms: int
    best_of: int = 1


class CombinedGrowth(ObliqueGrowth):
    """Grows a tree on records of known class; what is drawn at a node follows from the seed and the way to it.

    Numbers are brought to one spread before they are added. Where a draw has fewer than two numbers, its attributes are
    asked about one by one, so that lists of values have their turn.
    """

    def __init__(self, data: Dataset, options: GrowthOptions, how: Combinations, context: RunContext) -> None:
        seed = int(context.seeds.generate_state(1, np.uint64)[0])
        super().__init__(data, options, ObliqueSearch(seed=seed), context)
        self._combined = how
        self._spread = {index: _spread(self.data.column(index)) for index in self._numbers()}

    def _numbers(self) -> list[int]:
        attributes = self.data.schema.attributes
        return [index for index in self.data.schema.predictors if attributes[index].kind is Kind.NUMERIC]

    def asked(self, here: Dataset, way: tuple[int, ...]) -> tuple[Question, bool]:
        random, single, found = random_of(self.how.seed, way), set[int](), list[Question]()
        predictors, terms = np.array(here.schema.predictors, dtype=np.int64), self._combined.terms
        for _ in range(self._combined.sums if len(predictors) else 0):
            self.context.checkpoint()
            drawn = random.permutation(predictors)[:terms].tolist()
            coefficients = random.uniform(-1, 1, len(drawn))
            parts = [(i, c / self._spread[i]) for i, c in zip(drawn, coefficients, strict=True) if self._spread.get(i)]
            if len(parts) < 2:
                single |= set(drawn)
                continue
            test = self._sum(here, parts)
            if test is not None and test.value > TOLERANCE:
                found.append(Question(None, test))
        for index in sorted(single):
            others = [other for other in here.schema.predictors if other != index]
            alone = here.with_schema(here.schema.without_use(others))
            stump = grow(alone, replace(self.options, max_depth=1, max_leaves=None), self.work).tree
            if not stump.is_leaf(0):
                found.append(Question(replace(stump, schema=here.schema), None))
        if not found:
            return Question(None, None), self.context.finishing
        found.sort(key=lambda question: -question.value)
        return found[int(random.integers(min(self._combined.best_of, len(found))))], self.context.finishing

    def _sum(self, here: Dataset, parts: list[tuple[int, float]]) -> LinearTest | None:
        """The best threshold of a sum of these attributes with these coefficients."""
        from algorithms.trees.oblique_kernels import Aim

        parts = sorted(parts, key=lambda part: -abs(part[1]) * self._spread[part[0]])
        attributes = tuple(index for index, _ in parts)
        coefficients = [float(f"{c / parts[0][1]:.{_DIGITS}g}") for _, c in parts]
        if not all(np.isfinite(c) and c != 0 for c in coefficients):
            return None
        columns = [np.asarray(here.column(index), dtype=np.float64) for index in attributes]
        if any(np.all(np.isnan(column)) for column in columns):
            return None
        total = float(here.weight_array.sum())
        stand_ins = tuple(_mean(column, here.weight_array) for column in columns)
        least = max(float(self.options.min_leaf), 1e-300) - TOLERANCE
        aim = Aim(rules_of(self.options).criterion, least, TOLERANCE * total)
        return judged_sum(here, attributes, coefficients, stand_ins, columns, aim, self.options, total)


def _spread(column: FloatArray) -> float:
    """The standard deviation of what is known of a column; 0 where it is none or not finite."""
    known = np.asarray(column, dtype=np.float64)
    known = known[~np.isnan(known)]
    with np.errstate(over="ignore", invalid="ignore"):
        found = float(np.std(np.sort(known))) if len(known) else 0.0
    return found if np.isfinite(found) else 0.0


def _mean(column: FloatArray, weights: FloatArray) -> float:
    """The mean of what is known, in a few digits, so that the order of the records leaves no trace."""
    known = ~np.isnan(column)
    return float(f"{np.average(column[known], weights=weights[known]):.6g}")
