"""How well it pays that a node hangs on some parents."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Final

import numpy as np

from algorithms.bayes.network_records import MOST_CELLS, StateRecords
from algorithms.core.columns import FloatArray

IMPOSSIBLE: Final = -np.inf


class FamilyScores:
    """Scores of families, each found once; a larger one is better, and that of a network is the sum of its families'.

    =====  =========================================================================================================
    kind   the score of a node with r states under parents with q combinations, from counts N_jk of n records
    =====  =========================================================================================================
    bic    log likelihood - log(n) / 2 q (r - 1)                                            (Schwarz 1978)
    aic    log likelihood - q (r - 1)                                                       (Akaike 1974)
    mdl    bic - the length of the list of parents, log(v) for each of v nodes             (Lam and Bacchus 1994)
    bdeu   log marginal likelihood under a Dirichlet prior of ``records`` / (q r) in each cell  (Buntine 1991)
    k2     the same with 1 in each cell                                                    (Cooper and Herskovits 1992)
    =====  =========================================================================================================
    """

    def __init__(self, records: StateRecords, kind: str, prior_records: float = 1.0) -> None:
        self.records, self.kind, self._prior = records, kind, prior_records
        self._found: dict[tuple[int, tuple[int, ...]], float] = {}

    def of(self, node: int, parents: Sequence[int]) -> float:
        """The score of a node under these parents; minus infinity where their table would be too large."""
        key = node, tuple(sorted(parents))
        if key not in self._found:
            family = (*key[1], node)
            too_large = len(parents) > 0 and self.records.nodes.cells(family) > MOST_CELLS
            self._found[key] = IMPOSSIBLE if too_large else self._score(self.records.counts(family), len(parents))
        return self._found[key]

    def _score(self, counts: FloatArray, n_parents: int) -> float:
        states = int(counts.shape[-1])
        table = counts.reshape(-1, states)
        combinations = len(table)
        if self.kind in ("bdeu", "k2"):
            cell = 1.0 if self.kind == "k2" else self._prior / (combinations * states)
            return _marginal(table, cell)
        found: float = log_likelihood(table)
        free = combinations * (states - 1)
        if self.kind == "aic":
            return found - free
        n = max(self.records.weight, 1.0)
        found -= log(n) / 2 * free
        return found - n_parents * log(max(2, len(self.records.nodes))) if self.kind == "mdl" else found


def log_likelihood(table: FloatArray) -> float:
    """The largest log likelihood (nats) of counts (q, r) of r states under each of q combinations."""
    inside = np.sum(table * np.log(table, out=np.zeros_like(table), where=table > 0))
    rows = table.sum(axis=1)
    return float(inside - np.sum(rows * np.log(rows, out=np.zeros_like(rows), where=rows > 0)))


def _marginal(table: FloatArray, cell: float) -> float:
    from scipy.special import gammaln  # late: a list of learners needs none of it

    used = table[table.sum(axis=1) > 0]  # rows without records add nothing
    row = cell * table.shape[1]
    found = np.sum(gammaln(used + cell)) - used.size * gammaln(cell)
    return float(found + len(used) * gammaln(row) - np.sum(gammaln(used.sum(axis=1) + row)))


def conditional_information(counts: FloatArray) -> float:
    """The mutual information (nats) of two nodes given a third, from counts (third, one, other); zero without any."""
    total = float(counts.sum())
    if total <= 0:
        return 0.0
    ones, others = counts.sum(axis=2, keepdims=True), counts.sum(axis=1, keepdims=True)
    expected = ones * others
    ratio = np.divide(counts * counts.sum(axis=(1, 2), keepdims=True), expected,
                      out=np.ones_like(counts), where=counts > 0)  # fmt: skip
    return max(0.0, float(np.sum(counts * np.log(ratio))) / total)
