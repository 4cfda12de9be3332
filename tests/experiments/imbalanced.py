"""One record in a hundred is of the class that matters: what accuracy hides, and which ways of heeding costs pay."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.core.filters import Recipe
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.costs.mean_cost import MeanCost, mean_cost
from algorithms.evaluation.measures.metrics import Report, report
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.report import verdict
from algorithms.evaluation.runner import evaluate
from algorithms.filters.balance_classes import BalanceClasses
from algorithms.learners.costs.cost_sensitive import ChosenThreshold, CostSensitive, MetaCost
from algorithms.learners.trees.c45 import C45

COSTS = ((0.0, 1.0), (100.0, 0.0))
"""Overlooking a positive record costs a hundred false alarms."""
N_RECORDS = 10_000
SHARE = 0.01


@dataclass(frozen=True)
class Way:
    """One way of heeding the costs, or none: what ten folds say of it."""

    name: str
    report: Report
    cost: MeanCost

    @property
    def words(self) -> str:
        """The program's own verdict on it, which looks beyond accuracy."""
        return verdict(self.report, 1).text()


def one_in_a_hundred(n: int = N_RECORDS, share: float = SHARE, seed: int = 0) -> Dataset:
    """Two clouds of normal numbers that overlap, one with ``share`` of the records, and a number that says nothing."""
    random = np.random.default_rng(seed)
    codes = (random.random(n) < share).astype(np.int64)
    shift = 1.8 * codes
    columns = [random.normal(size=n) + shift, random.normal(size=n) + shift, random.normal(size=n)]
    schema = Schema((*map(numeric, ("x", "y", "noise")), nominal("positive", ("no", "yes"))), 3)
    return Dataset(schema, [*columns, codes])


def ways(n: int = N_RECORDS, seed: int = 1) -> list[Way]:
    """A plain tree first, then SMOTE, weights, a threshold and MetaCost, each by ten folds of the same records."""
    data = one_in_a_hundred(n)
    tried: list[tuple[str, Learner, Recipe]] = [
        ("C4.5", C45(), ()),
        ("C4.5 after SMOTE", C45(), (BalanceClasses(by="smote"),)),
        ("C4.5, classes weighed by cost", CostSensitive(by="weights", costs=COSTS), ()),
        ("C4.5, threshold chosen on held-out records", ChosenThreshold(costs=COSTS), ()),
        ("MetaCost around C4.5", MetaCost(costs=COSTS), ()),
    ]
    found = []
    for name, learner, recipe in tried:
        result = evaluate(learner, data, CrossValidation(folds=10), RunContext(seed=seed), recipe=recipe)
        said = report(result)
        found.append(Way(name, said, mean_cost(said.confusion, np.array(COSTS))))
    return found
