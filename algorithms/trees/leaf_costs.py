"""What the nodes of a tree would cost as leaves, by each method of pruning that compares such costs.

The rules are plain tuples of numbers that the compiled loops take; :func:`as_leaves` is their plain reference.
"""

from __future__ import annotations

from math import log2
from typing import Final, NamedTuple

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.scores import normal_quantile, upper_quantile
from algorithms.core.structures import Int32Array, Tree
from algorithms.trees.error_estimates import LEAF_PENALTY, estimated_errors, smoothed_errors

EXACT: Final = 0
NORMAL: Final = 1
PRICED: Final = 2
SMOOTHED: Final = 3
TESTED: Final = 4
CORRECTED: Final = 5

SLACK: Final = 0.1
"""A smaller tree may have this many more estimated errors than the larger one (C4.5's own allowance)."""

_NO_WORSE: Final = 1e-9
"""Costs that differ by less, for each record, are equal."""


class CostRule(NamedTuple):
    """What a leaf costs from its class weights. ``inner`` is added for each question, and a leaf that costs at most
    ``slack`` more than what is below it is preferred.

    ========= ===============  ========  =============  ==============================================================
    kind      ``first``        second    ``priors``     cost of a leaf of weight n, w of it wrong
    ========= ===============  ========  =============  ==============================================================
    EXACT     confidence                                n times the binomial upper bound of w / n
    NORMAL    quantile                                  n times the upper bound by the normal approximation
    CORRECTED quantile         confi-                   n times the upper bound of the program C4.5
                               dence
    PRICED    of an error      a leaf                   first x w + second
    SMOOTHED  m                          of the k       n times the m-estimate of the error
                                         classes
    TESTED                                              weight of the held out records that it gets wrong
    ========= ===============  ========  =============  ==============================================================
    """

    kind: int
    first: float
    second: float
    inner: float
    slack: float
    priors: FloatArray


_NONE: Final = np.zeros(0)


def by_bound(confidence: float, bound: str = "exact") -> CostRule:
    """C4.5's estimated errors by the "exact" one-sided bound, the "normal" approximation of the two-sided one, or as
    "corrected" in the program C4.5; see :func:`estimated_errors`.

    Sources: Quinlan, C4.5 (1993), section 4.2; TSKK Eq. 3.13.
    """
    if bound == "corrected":
        return CostRule(CORRECTED, upper_quantile(confidence), confidence, 0.0, SLACK, _NONE)
    if bound == "normal":
        return CostRule(NORMAL, normal_quantile(1 - confidence), 0.0, 0.0, SLACK, _NONE)
    return CostRule(EXACT, confidence, 0.0, 0.0, SLACK, _NONE)


def by_price(n: float, penalty: float = LEAF_PENALTY) -> CostRule:
    """The pessimistic estimate over n training records: their errors and ``penalty`` for each leaf (TSKK section
    3.5.2)."""
    return CostRule(PRICED, 1.0, penalty, 0.0, _no_worse(n), _NONE)


def by_description_length(n: float, n_classes: int, n_attributes: int) -> CostRule:
    """Bits that describe tree and errors (TSKK Eq. 3.12): log2 of the attributes for a question, log2 of the classes
    for a leaf, log2 of the n training records for each that is wrong."""
    error, leaf, question = (log2(max(x, 1.0)) for x in (n, float(n_classes), float(n_attributes)))
    return CostRule(PRICED, error, leaf, question, _no_worse(n) * max(error, 1.0), _NONE)


def by_smoothing(priors: FloatArray, m: float) -> CostRule:
    """Expected errors by the m-estimate with these class ``priors`` (k,); see :func:`smoothed_errors`."""
    return CostRule(SMOOTHED, m, 0.0, 0.0, _no_worse(1.0), np.asarray(priors, dtype=np.float64))


def by_testing(n: float) -> CostRule:
    """Errors on n held out records (Quinlan, Simplifying Decision Trees, 1987, section 2.2)."""
    return CostRule(TESTED, 0.0, 0.0, 0.0, _no_worse(n), _NONE)


def _no_worse(n: float) -> float:
    return _NO_WORSE * max(n, 1.0)


def as_leaves(rule: CostRule, counts: FloatArray, decision: Int32Array, tested: FloatArray) -> FloatArray:
    """Cost (m,) of nodes with these class weights (m, k) and decisions (m,) as leaves.

    ``tested`` (m, k) are the class weights of the held out records in each, where the rule asks for them.
    """
    nodes = np.arange(len(counts))
    if rule.kind == EXACT:
        return estimated_errors(counts, rule.first)
    if rule.kind == NORMAL:
        return estimated_errors(counts, _alpha(rule), bound="normal")
    if rule.kind == CORRECTED:
        return estimated_errors(counts, rule.second, bound="corrected")
    if rule.kind == TESTED:
        return np.asarray(tested.sum(axis=1) - tested[nodes, decision])
    wrong = counts.sum(axis=1) - counts[nodes, decision]
    if rule.kind == PRICED:
        return np.asarray(rule.first * wrong + rule.second)
    return smoothed_errors(counts, decision, rule.priors, rule.first)


def _alpha(rule: CostRule) -> float:
    from scipy import special  # late: listing learners does without

    return 2.0 * float(special.ndtr(-rule.first))


def cost_of(rule: CostRule, tree: Tree, tested: FloatArray | None = None) -> float:
    """What the tree costs: its leaves, and its questions where those cost anything."""
    none = np.zeros_like(tree.counts)
    own = as_leaves(rule, tree.counts, tree.decision, none if tested is None else tested)
    return float(own[tree.n_children == 0].sum()) + rule.inner * float(np.count_nonzero(tree.n_children))
