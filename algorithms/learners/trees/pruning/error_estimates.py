"""Error estimates of nodes as leaves: pessimistic, error-based, minimum-error and others.

Sources: TSKK sections 3.5.2 and 3.5.3 (2nd ed.) for the pessimistic error, description length (Eq. 3.12) and normal
approximation (Eq. 3.13); Quinlan, C4.5 (1993), section 4.2, for the binomial limit of a leaf's error; Niblett and
Bratko, Learning Decision Rules in Noisy Domains (1986), and Cestnik and Bratko, On Estimating Probabilities in Tree
Pruning (1991), for the smoothed error.

A rule is a plain tuple of numbers for the compiled loops; :func:`as_leaves` is their plain reference.
"""

from __future__ import annotations

from math import log2
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from algorithms.core.scores import normal_quantile, upper_quantile
from algorithms.data.columns import FloatArray
from algorithms.structures.tree import Int32Array

LEAF_PENALTY: Final = 0.5
"""Penalty of a leaf in the pessimistic estimate, in misclassified records."""


def normal_upper_bound(n: ArrayLike, error: ArrayLike, alpha: float = 0.25) -> FloatArray:
    """Upper limit of the two-sided interval of an error rate under the normal approximation (Eq. 3.13).

    ``error`` is the error rate on ``n`` records; the interval excludes probability ``alpha``, half of it above.
    """
    from scipy import special  # late: listing learners does without

    records, e = np.asarray(n, dtype=np.float64), np.asarray(error, dtype=np.float64)
    z = float(special.ndtri(1 - alpha / 2))
    spread = z * np.sqrt(e * (1 - e) / records + z * z / (4 * records * records))
    return np.asarray((e + z * z / (2 * records) + spread) / (1 + z * z / records))


def binomial_upper_bound(n: ArrayLike, errors: ArrayLike, confidence: float = 0.25) -> FloatArray:
    """The error rate at which at most this many errors among ``n`` records have probability ``confidence``.

    This is the exact one-sided binomial limit, C4.5's U(errors, n). The beta distribution extends it to fractional
    weights. It is 1 if all records are misclassified, and 1 for an empty leaf. From a weight of 1e17 on it is the error
    rate, from which it no longer differs.
    """
    from scipy import special  # late: listing learners does without

    records, wrong = np.broadcast_arrays(np.asarray(n, dtype=np.float64), np.asarray(errors, dtype=np.float64))
    right = records - wrong
    some = right > 1e-12
    bound = special.betaincinv(wrong + 1.0, np.where(some, right, 1.0), 1.0 - confidence)
    bound = np.where(np.isnan(bound), wrong / np.maximum(records, 1e-300), bound)
    return np.asarray(np.where(some, bound, 1.0))


def corrected_upper_bound(n: ArrayLike, errors: ArrayLike, confidence: float = 0.25) -> FloatArray:
    """The one-sided limit of an error rate as in J48 of Weka, after the program C4.5 (release 8).

    It is the normal approximation with half an error more. Without errors it is the exact binomial limit. Between no
    error and one, which fractional records allow, it is linear. From half an error below n on it is 1, as in Weka.
    """
    from scipy import special  # late: listing learners does without

    records, wrong = np.broadcast_arrays(np.asarray(n, dtype=np.float64), np.asarray(errors, dtype=np.float64))
    none = 1.0 - confidence ** (1.0 / records)
    counted = np.maximum(wrong, 1.0)
    e = np.minimum((counted + 0.5) / records, 1.0)
    z = float(special.ndtri(1 - confidence))
    spread = z * np.sqrt(e * (1 - e) / records + z * z / (4 * records * records))
    bound = (e + z * z / (2 * records) + spread) / (1 + z * z / records)
    bound = np.where(counted + 0.5 >= records, np.maximum(counted / records, 1.0), bound)
    between = none + wrong * (bound - 1.0 / records - none) + wrong / records
    return np.asarray(np.where(wrong < 1.0, between, bound))


def estimated_errors(counts: ArrayLike, confidence: float = 0.25, *, bound: str = "exact") -> FloatArray:
    """Estimated number of errors of leaves with these class weights (..., k): n times the upper bound of their error.

    ``bound`` is "exact" for the binomial limit, "normal" for the approximation of the two-sided interval that excludes
    ``confidence``, or "corrected" for the approximation of the program C4.5.
    """
    weights = np.asarray(counts, dtype=np.float64)
    n = weights.sum(axis=-1)
    wrong = n - weights.max(axis=-1)
    some = np.where(n > 0, n, 1.0)
    if bound == "normal":
        rate = normal_upper_bound(some, wrong / some, confidence)
    else:
        rate = (corrected_upper_bound if bound == "corrected" else binomial_upper_bound)(some, wrong, confidence)
    return np.asarray(np.where(n > 0, n * rate, 0.0))


def smoothed_errors(counts: ArrayLike, decision: ArrayLike, priors: ArrayLike, m: float) -> FloatArray:
    """Expected number of errors of leaves with class weights (..., k) and decisions (...); 0 for an empty leaf.

    It is n times 1 - (n_c + p_c m) / (n + m), where n_c of the n records are of the decided class and p_c is its prior
    in ``priors`` (k,): the m-estimate of Cestnik and Bratko. With even priors and m = k it is (n - n_c + k - 1) /
    (n + k), Laplace's rule of Niblett and Bratko.
    """
    weights, chosen = np.asarray(counts, dtype=np.float64), np.asarray(decision, dtype=np.int64)
    n = weights.sum(axis=-1)
    right = np.take_along_axis(weights, chosen[..., None], axis=-1)[..., 0]
    unlikely = 1.0 - np.asarray(priors, dtype=np.float64)[chosen]
    share = np.divide(n - right + unlikely * m, n + m, out=np.zeros_like(n), where=n > 0)
    return np.asarray(n * share)


EXACT: Final = 0
NORMAL: Final = 1
PRICED: Final = 2
SMOOTHED: Final = 3
TESTED: Final = 4
CORRECTED: Final = 5

SLACK: Final = 0.1
"""A smaller tree may have this many more estimated errors than the larger one, as in C4.5."""

_NO_WORSE: Final = 1e-9
"""Costs per record that differ by less are equal."""


class CostRule(NamedTuple):
    """The cost of a leaf from its class weights.

    Each inner node adds ``inner``. A leaf that costs at most ``slack`` more than a subtree is preferred.

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
    TESTED                                              weight of the held-out records that it misclassifies
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
    """C4.5's estimated errors by this bound, see :func:`estimated_errors`.

    Sources: Quinlan, C4.5 (1993), section 4.2; TSKK Eq. 3.13.
    """
    if bound == "corrected":
        return CostRule(CORRECTED, upper_quantile(confidence), confidence, 0.0, SLACK, _NONE)
    if bound == "normal":
        return CostRule(NORMAL, normal_quantile(1 - confidence), 0.0, 0.0, SLACK, _NONE)
    return CostRule(EXACT, confidence, 0.0, 0.0, SLACK, _NONE)


def by_price(n: float, penalty: float = LEAF_PENALTY) -> CostRule:
    """The pessimistic estimate on n training records: errors plus ``penalty`` for each leaf (TSKK section 3.5.2)."""
    return CostRule(PRICED, 1.0, penalty, 0.0, _no_worse(n), _NONE)


def by_description_length(n: float, n_classes: int, n_attributes: int) -> CostRule:
    """Description length of tree and errors in bits (TSKK Eq. 3.12).

    An inner node costs log2 of the attributes, a leaf log2 of the classes, an error log2 of the n training records.
    """
    error, leaf, question = (log2(max(x, 1.0)) for x in (n, float(n_classes), float(n_attributes)))
    return CostRule(PRICED, error, leaf, question, _no_worse(n) * max(error, 1.0), _NONE)


def by_smoothing(priors: FloatArray, m: float) -> CostRule:
    """Expected errors by the m-estimate with these class ``priors`` (k,); see :func:`smoothed_errors`."""
    return CostRule(SMOOTHED, m, 0.0, 0.0, _no_worse(1.0), np.asarray(priors, dtype=np.float64))


def by_testing(n: float) -> CostRule:
    """Errors on n held-out records (Quinlan, Simplifying Decision Trees, 1987, section 2.2)."""
    return CostRule(TESTED, 0.0, 0.0, 0.0, _no_worse(n), _NONE)


def _no_worse(n: float) -> float:
    return _NO_WORSE * max(n, 1.0)


def as_leaves(rule: CostRule, counts: FloatArray, decision: Int32Array, tested: FloatArray) -> FloatArray:
    """Cost (m,) of nodes with these class weights (m, k) and decisions (m,) as leaves.

    ``tested`` (m, k) are the class weights of the held-out records in each node, for the rule that needs them.
    """
    nodes = np.arange(len(counts))
    if rule.kind == EXACT:
        return estimated_errors(counts, rule.first)
    if rule.kind == NORMAL:
        from scipy import special  # late: listing learners does without

        return estimated_errors(counts, 2.0 * float(special.ndtr(-rule.first)), bound="normal")
    if rule.kind == CORRECTED:
        return estimated_errors(counts, rule.second, bound="corrected")
    if rule.kind == TESTED:
        return np.asarray(tested.sum(axis=1) - tested[nodes, decision])
    wrong = counts.sum(axis=1) - counts[nodes, decision]
    if rule.kind == PRICED:
        return np.asarray(rule.first * wrong + rule.second)
    return smoothed_errors(counts, decision, rule.priors, rule.first)
