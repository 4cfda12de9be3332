"""Error estimates of nodes as leaves: pessimistic, error-based, minimum-error and others.

Sources: TSKK section 3.5.2-3.5.3 (2nd ed.; pessimistic error, description length Eq. 3.12, Eq. 3.13); Quinlan, C4.5
(1993), section 4.2 (binomial limit of a leaf's error); Niblett and Bratko, Learning Decision Rules in Noisy Domains
(1986), and Cestnik and Bratko, On Estimating Probabilities in Tree Pruning (1991) (smoothed error).

The rules are plain tuples of numbers that the compiled loops take; :func:`as_leaves` is their plain reference.
"""

from __future__ import annotations

from math import log2
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from algorithms.core.scores import FormulaWorking, Term, normal_quantile, upper_quantile
from algorithms.data.columns import FloatArray
from algorithms.structures.tree import Int32Array, Tree

LEAF_PENALTY: Final = 0.5
"""What a leaf costs, in wrong records, in the pessimistic estimate."""


PESSIMISTIC_SOURCE: Final = "TSKK section 3.5.2; Quinlan 1987, Simplifying decision trees"


def pessimistic_error(errors: float, leaves: int, n: float, penalty: float = LEAF_PENALTY) -> float:
    """Share of errors of a tree with so many training errors and leaves on n records, each leaf costing ``penalty``."""
    return (errors + penalty * leaves) / n


def pessimistic_working(errors: float, leaves: int, n: float, penalty: float = LEAF_PENALTY) -> FormulaWorking:
    """:func:`pessimistic_error` with its terms."""
    terms = (
        Term("errors", errors, "training records that are wrong"),
        Term("penalty", penalty, "what a leaf costs, in wrong records"),
        Term("leaves", leaves, "leaves of the tree"),
        Term("n", n, "training records"),
    )
    value = pessimistic_error(errors, leaves, n, penalty)
    return FormulaWorking(
        "Pessimistic error", "({errors} + {penalty} x {leaves}) / {n}", terms, value, PESSIMISTIC_SOURCE
    )


def normal_upper_bound(n: ArrayLike, error: ArrayLike, alpha: float = 0.25) -> FloatArray:
    """Upper limit of the two-sided interval of an error rate under the normal approximation (Eq. 3.13).

    ``error`` is the share of wrong records among ``n``; the interval leaves out ``alpha``, half of it above.
    """
    from scipy import special  # late: listing learners does without

    records, e = np.asarray(n, dtype=np.float64), np.asarray(error, dtype=np.float64)
    z = float(special.ndtri(1 - alpha / 2))
    spread = z * np.sqrt(e * (1 - e) / records + z * z / (4 * records * records))
    return np.asarray((e + z * z / (2 * records) + spread) / (1 + z * z / records))


def binomial_upper_bound(n: ArrayLike, errors: ArrayLike, confidence: float = 0.25) -> FloatArray:
    """The error rate at which so few errors among ``n`` records, or fewer, have only chance ``confidence``.

    The exact one-sided limit of the binomial, C4.5's U(errors, n). Through the beta distribution it is defined for
    weights that are not whole numbers too. 1 where all records are wrong; 1 for an empty leaf. From a weight of 1e17
    on, where the limit and the error rate are one number, it is the error rate.
    """
    from scipy import special  # late: listing learners does without

    records, wrong = np.broadcast_arrays(np.asarray(n, dtype=np.float64), np.asarray(errors, dtype=np.float64))
    right = records - wrong
    some = right > 1e-12
    bound = special.betaincinv(wrong + 1.0, np.where(some, right, 1.0), 1.0 - confidence)
    bound = np.where(np.isnan(bound), wrong / np.maximum(records, 1e-300), bound)
    return np.asarray(np.where(some, bound, 1.0))


def corrected_upper_bound(n: ArrayLike, errors: ArrayLike, confidence: float = 0.25) -> FloatArray:
    """The one-sided limit of an error rate as J48 of Weka computes it, after the program C4.5 (release 8).

    The normal approximation at half an error more; the exact binomial limit where there is no error; between none and
    one, where records count in parts, the line through both; 1 from half an error below n on, as in Weka.
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

    ``bound`` is "exact" for the binomial's, "normal" for the approximation of the two-sided interval that leaves out
    ``confidence``, "corrected" for that of the program C4.5.
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
    """Expected number of errors of leaves with class weights (..., k) that decide ``decision`` (...): n times
    1 - (n_c + p_c m) / (n + m), where n_c of the n records are of the class decided and p_c is its prior (k,).

    The m-estimate of Cestnik and Bratko; with even priors and m = k it is (n - n_c + k - 1) / (n + k), Laplace's rule
    of Niblett and Bratko. 0 for an empty leaf.
    """
    weights, chosen = np.asarray(counts, dtype=np.float64), np.asarray(decision, dtype=np.int64)
    n = weights.sum(axis=-1)
    right = np.take_along_axis(weights, chosen[..., None], axis=-1)[..., 0]
    unlikely = 1.0 - np.asarray(priors, dtype=np.float64)[chosen]
    share = np.divide(n - right + unlikely * m, n + m, out=np.zeros_like(n), where=n > 0)
    return np.asarray(n * share)


def description_length(errors: float, leaves: int, questions: int, n: float, classes: int, attributes: int) -> float:
    """Bits that describe a tree with so many leaves and questions, and its errors on n training records (Eq. 3.12).

    A question names one of the ``attributes``, a leaf one of the ``classes``, an error one of the n records.
    """
    return questions * log2(max(attributes, 1)) + leaves * log2(max(classes, 1)) + errors * log2(max(n, 1.0))


def binomial_working(n: float, errors: float, confidence: float = 0.25) -> FormulaWorking:
    """:func:`binomial_upper_bound` with its terms."""
    terms = (
        Term("errors", errors, "training records that are wrong"),
        Term("n", n, "training records"),
        Term("c", confidence, "chance of so few errors, or fewer, at this error rate"),
    )
    value = float(binomial_upper_bound(n, errors, confidence))
    return FormulaWorking(
        "Upper bound of the error rate", "U({errors}, {n}; {c})", terms, value, "Quinlan 1993, section 4.2"
    )


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
