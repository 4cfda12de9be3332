"""Rules of a list that decide a record without a value in part, as PART divides it in training.

A record meets a rule by the product of its parts at the rule's conditions: 1 or 0 where its value is known, the
condition's share where it is missing. A rule decides that part of what the rules before it left. Source: Frank and
Witten, Generating Accurate Rule Sets Without Global Optimization (1998), section 3; Weka's MakeDecList.
"""

from __future__ import annotations

import numpy as np

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.rule_set import RuleSet


def met_parts(rules: RuleSet, block: FloatArray, attributes: IntArray) -> FloatArray:
    """The part of each record that meets the conditions of each rule (n, r).

    ``block`` (n, a) holds the records' values of ``attributes`` (a,) as :func:`~algorithms.trees.routing.value_block`.
    """
    parts = np.ones((len(block), rules.n_rules))
    for rule in range(rules.n_rules):
        for c in rules.conditions(rule):
            slot = int(np.searchsorted(attributes, rules.attribute[c]))
            parts[:, rule] *= _met(rules, c, block[:, slot])
    return parts


def _met(rules: RuleSet, c: int, values: FloatArray) -> FloatArray:
    """The part of each record with these values (n,) that meets a condition."""
    missing = np.isnan(values)
    if rules.is_numeric(c):
        low = values > rules.low[c] if rules.low_is_open[c] else values >= rules.low[c]
        met = low & (values <= rules.high[c])
    else:
        met = np.zeros(len(values), dtype=np.bool_)
        met[~missing] = rules.value_in[int(rules.offset[c]) + values[~missing].astype(np.int64)] == 1
    share = 1.0 if rules.takes_missing[c] else float(rules.missing_share[c]) if rules.divides else 0.0
    return np.where(missing, share, met.astype(np.float64))


def probabilities_of_parts(rules: RuleSet, parts: FloatArray) -> FloatArray:
    """Class probabilities (n, k) of records that the rules decide in these parts (n, r + 1).

    The shares of the classes in each rule's training records, summed by the parts; the rules' correction is added as
    for so many records as the rules had by these parts. A record of one rule has that rule's probabilities.
    """
    evidence = rules.evidence()
    sizes = evidence.sum(axis=1, keepdims=True)
    shares, weight = parts @ (evidence / sizes), parts @ sizes
    counts = shares * weight + rules.correction
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def decided_parts(met: FloatArray) -> FloatArray:
    """The part of each record that each rule, and at the end the default one, decides (n, r + 1): rows sum to 1."""
    left = np.cumprod(1.0 - met, axis=1)
    before = np.hstack([np.ones((len(met), 1)), left])
    return np.hstack([met * before[:, :-1], before[:, -1:]])
