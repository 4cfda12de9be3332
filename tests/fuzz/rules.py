"""What holds for everything that is read, whatever the file was."""

from __future__ import annotations

import numpy as np

from algorithms.core.learner import Codes, Probabilities
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.dataset import Dataset
from algorithms.data.schema import MISSING_CODE
from algorithms.data.summary import summarize
from tests.fuzz.case import BrokenRuleError

CLOSE: float = 1e-6


def check_probabilities(shares: Probabilities, n: int, k: int) -> None:
    """Raise :class:`BrokenRuleError` where these are no probabilities of ``n`` records and ``k`` classes."""
    if shares.shape != (n, k):
        raise BrokenRuleError(f"probabilities of the shape {shares.shape} for {n} records and {k} classes")
    if not np.all(np.isfinite(shares)):
        raise BrokenRuleError("probabilities that are no numbers")
    if np.any(shares < -1e-12) or np.any(shares > 1 + CLOSE):
        raise BrokenRuleError("probabilities outside of 0 to 1")
    if n and not np.allclose(shares.sum(axis=1), 1.0, atol=CLOSE):
        raise BrokenRuleError("probabilities that do not sum to one")


def check_decisions(codes: Codes, n: int, k: int) -> None:
    """Raise :class:`BrokenRuleError` where these are no classes of ``n`` records."""
    if codes.shape != (n,) or np.any((codes < 0) | (codes >= k)):
        raise BrokenRuleError("a decision for no class")


def check_classifier(trained: TrainedClassifier, records: Dataset) -> None:
    """Raise :class:`BrokenRuleError` where the answers of a model about these records break a rule."""
    n, k = len(records), len(trained.classes)
    with np.errstate(all="ignore"):
        said = trained.judged(records, RunContext(seed=1))
        again, decided = trained.predict_proba(records), trained.predict(records)
    for shares in (said.probabilities, again):
        check_probabilities(shares, n, k)
    for codes in (said.decisions, decided):
        check_decisions(codes, n, k)


def check_table(data: Dataset) -> None:
    """Raise :class:`BrokenRuleError` where columns, codes, names or weights of a table do not fit together."""
    names = data.schema.names
    if len(set(names)) != len(names):
        raise BrokenRuleError("two columns have one name")
    for index, attribute in enumerate(data.schema.attributes):
        column = data.column(index)
        if column.shape != (len(data),):
            raise BrokenRuleError(f"a column of shape {column.shape} in a table of {len(data)} records")
        if len(set(attribute.values)) != len(attribute.values):
            raise BrokenRuleError("a value stands twice in an attribute")
        if len(column) and attribute.kind.is_coded:
            if column.min() < MISSING_CODE or column.max() >= len(attribute.values):
                raise BrokenRuleError("a code without a value")
        elif attribute.kind.is_float and np.isinf(column).any():
            raise BrokenRuleError("a number that is infinite")
        for text in (attribute.name, *attribute.values):
            text.encode("utf-8")
    weights = data.weight_array
    if not np.all(np.isfinite(weights)) or np.any(weights < 0):
        raise BrokenRuleError("a weight that is none")
    summary = summarize(data)
    for index in range(len(names)):
        summary.of(index).count()
