"""The decision rule of a trained classifier in exports: a threshold, or least expected cost.

A leaf or a rule that decides alone is given the class that the decision rule predicts there. Where probabilities are
sums, the exported program computes them and applies the decision rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.scores import tolerance
from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import FloatArray
from algorithms.evaluation.costs.decision_rules import AtThreshold, DecisionRule

Stage = tuple[str, Mapping[str, str]]
"""The alias of a subquery, and the SQL expression of each of its columns."""

_AT_THRESHOLD: Final = '''

def _decided(_own, shares):
    """One class from a probability on, else the most probable other class."""
    if shares[{label!r}] >= {threshold!r}:
        return {label!r}
    others = [each for each in CLASSES if each != {label!r}] or CLASSES
    return max(others, key=shares.get)'''
_BY_COST: Final = '''

COSTS = {costs}
"""For each class predicted, the cost by true class."""


def _decided(own, shares):
    """The class of least expected cost; the model's own one if no other costs less."""
    expected = [sum(cost * share for cost, share in zip(row, shares.values())) for row in COSTS]
    decided = CLASSES.index(own)
    for code, cost in enumerate(expected):
        if cost < expected[decided] - {near!r}:
            decided = code
    return CLASSES[decided]'''


@dataclass(frozen=True, eq=False)
class ExportedRule:
    """A decision rule over the probabilities of ``classes``; ``costs`` (k, k) by true and predicted class decide, or
    the threshold of one class."""

    rule: DecisionRule
    classes: tuple[str, ...]
    costs: FloatArray | None
    code: int = 0
    threshold: float = 1.0

    @classmethod
    def of(cls, trained: TrainedClassifier) -> ExportedRule | None:
        """The rule of a classifier, None for the model's own; raises :class:`DataError` for costs by record."""
        rule, classes = trained.deciding, trained.classes
        if not isinstance(rule, DecisionRule) or rule.choice is None:
            return None
        if isinstance(rule.choice, AtThreshold):
            if rule.choice.label not in classes:
                return None
            threshold = min(max(rule.choice.threshold, 0.0), 2.0)  # infinite for "never"
            return cls(rule, classes, None, classes.index(rule.choice.label), float(threshold))
        if rule.costs is None:
            return None
        if rule.costs.varies:
            raise DataError(
                f"The costs of the decision rule differ by record ({', '.join(rule.costs.columns)}).",
                remedy="Save the model, which holds them, or use costs that are numbers, or the default decision rule.",
            )
        return cls(rule, classes, np.asarray(rule.costs.fixed, dtype=np.float64))

    def codes(self, probabilities: FloatArray, own: Sequence[int]) -> list[int]:
        """The class code by each row of probabilities (m, k); ``own`` are the model's."""
        return [int(code) for code in self.rule(probabilities, np.asarray(own, dtype=np.int32))]

    @property
    def words(self) -> str:
        """The rule as a comment."""
        return f"Decision rule: {self.rule.words}."

    @cached_property
    def near(self) -> float:
        """Expected costs that differ by no more are equal."""
        return 0.0 if self.costs is None else tolerance(self.costs)

    def python(self) -> str:
        """The source of the function that decides by own class and probabilities."""
        if self.costs is None:
            return _AT_THRESHOLD.format(label=self.classes[self.code], threshold=self.threshold)
        return _BY_COST.format(costs=tuple(map(tuple, self.costs.T.tolist())), near=self.near)

    def chosen(self, outcomes: Sequence[str], share: str, own: str) -> tuple[list[Stage], str]:
        """The stage of expected costs, if any, and the SQL expression of the outcome by the columns ``share``0, 1 ...

        ``own`` is the SQL expression of the model's own class as a number, by the same columns.
        """
        codes = range(len(self.classes))
        if self.costs is None:
            others = [code for code in codes if code != self.code] or [self.code]
            rest = _first(others, outcomes, lambda i, j: f"{share}{i} >= {share}{j}")
            return [], f"CASE WHEN {share}{self.code} >= {self.threshold!r} THEN {outcomes[self.code]} {rest} END"
        columns = {"own": own}
        for code in codes:
            terms = [f"{share}{i} * {cost!r}" for i, cost in enumerate(self.costs[:, code].tolist()) if cost]
            columns[f"c{code}"] = " + ".join(terms) or "0.0"

        def compared(i: int, j: int) -> str:
            return f"expected.c{i} <= expected.c{j} + {self.near!r}"

        kept, least = _first(codes, outcomes, compared, "expected.own"), _first(codes, outcomes, compared)
        return [("expected", columns)], f"CASE {kept} {least} END"


def largest_of(
    outcomes: Sequence[str], share: str, slack: str = "", own: str = "", among: Sequence[int] | None = None
) -> str:
    """The SQL expression of the outcome with the largest of the columns ``share``0, 1 ..., or of some ``among`` them.

    Of ties, which ``slack`` widens, the one whose number is in the column ``own`` decides, else the first.
    """

    def compared(i: int, j: int) -> str:
        return f"{share}{i} >= {share}{j}{slack}"

    codes = range(len(outcomes)) if among is None else among
    kept = f"{_first(codes, outcomes, compared, own)} " if own else ""
    return f"CASE {kept}{_first(codes, outcomes, compared)} END"


def _first(codes: Sequence[int], outcomes: Sequence[str], compared: Callable[[int, int], str], own: str = "") -> str:
    """WHEN clauses of the first class that compares so with all others, and is ``own`` if this is given."""
    clauses = []
    for i in codes:
        tests = [*([f"{own} = {i}"] if own else []), *(compared(i, j) for j in codes if j != i)]
        clauses.append(f"WHEN {' AND '.join(tests) or '1 = 1'} THEN {outcomes[i]}")
    return " ".join(clauses)
