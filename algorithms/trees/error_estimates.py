"""Estimates of a tree's error on unseen records from its training records alone.

Sources: TSKK section 3.5.2-3.5.3 (2nd ed.; pessimistic error, description length Eq. 3.12, Eq. 3.13); Quinlan, C4.5
(1993), section 4.2 (binomial limit of a leaf's error); Niblett and Bratko, Learning Decision Rules in Noisy Domains
(1986), and Cestnik and Bratko, On Estimating Probabilities in Tree Pruning (1991) (smoothed error).
"""

from __future__ import annotations

from math import log2
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from algorithms.core.scores import Term, Working

FloatArray = NDArray[np.float64]

LEAF_PENALTY: Final = 0.5
"""What a leaf costs, in wrong records, in the pessimistic estimate."""


PESSIMISTIC_SOURCE: Final = "TSKK section 3.5.2; Quinlan 1987, Simplifying decision trees"


def pessimistic_error(errors: float, leaves: int, n: float, penalty: float = LEAF_PENALTY) -> float:
    """Share of errors of a tree with so many training errors and leaves on n records, each leaf costing ``penalty``."""
    return (errors + penalty * leaves) / n


def pessimistic_working(errors: float, leaves: int, n: float, penalty: float = LEAF_PENALTY) -> Working:
    """:func:`pessimistic_error` with its terms."""
    terms = (
        Term("errors", errors, "training records that are wrong"),
        Term("penalty", penalty, "what a leaf costs, in wrong records"),
        Term("leaves", leaves, "leaves of the tree"),
        Term("n", n, "training records"),
    )
    value = pessimistic_error(errors, leaves, n, penalty)
    return Working("Pessimistic error", "({errors} + {penalty} x {leaves}) / {n}", terms, value, PESSIMISTIC_SOURCE)


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


def binomial_working(n: float, errors: float, confidence: float = 0.25) -> Working:
    """:func:`binomial_upper_bound` with its terms."""
    terms = (
        Term("errors", errors, "training records that are wrong"),
        Term("n", n, "training records"),
        Term("c", confidence, "chance of so few errors, or fewer, at this error rate"),
    )
    value = float(binomial_upper_bound(n, errors, confidence))
    return Working("Upper bound of the error rate", "U({errors}, {n}; {c})", terms, value, "Quinlan 1993, section 4.2")
