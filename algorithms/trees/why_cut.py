"""Why pruning made a node of a tree a leaf: what its questions would have cost, and what a leaf costs."""

from __future__ import annotations

from dataclasses import replace
from math import exp, log

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.scores import Term, Working
from algorithms.core.structures import NO_NODE, Tree
from algorithms.trees.chi_square import chi_square
from algorithms.trees.critical_values import strengths
from algorithms.trees.gain_figures import figure
from algorithms.trees.leaf_costs import CostRule, as_leaves
from algorithms.trees.node_records import NodeRecords, records_at
from algorithms.trees.pruning import held_out_counts, training_errors
from algorithms.trees.reasons import NodeReasons
from algorithms.trees.stopping import log_chances, stopped_early
from algorithms.trees.whole_tree import WholeTreeLearner
from algorithms.trees.why_words import amount, records_words, test_words

Cut = tuple[str, tuple[Working, ...]]

_SPARES_NOTHING = ("error-based", "pessimistic", "description-length", "cost-complexity")
"""The methods that cut whatever gets no more training records right."""


def cut_back(reasons: NodeReasons, learner: WholeTreeLearner, depth: int, context: RunContext) -> Cut | None:
    """The comparison that made the node a leaf, in a sentence with its sums; None where it would have kept its
    questions."""
    stops = learner.early_stopping or learner.chance_allowed is not None
    if learner.pruning == "none" and not stops:
        return None
    below = _grown_below(reasons, learner, depth, context)
    if below.n_nodes == 1:
        return None
    if learner.chance_allowed is not None and log_chances(below)[0] > log(learner.chance_allowed) + 1e-9:
        return _by_chance(reasons, learner.chance_allowed, below)
    here = None
    if reasons.held_out is not None:
        here = records_at(reasons.tree, reasons.node, reasons.held_out, context.checkpoint)
    tested = held_out_counts(below, None if here is None else here.here, context)
    if learner.early_stopping and here is not None and stopped_early(below, tested).n_nodes == 1:
        return _stopped(reasons, below, tested, here)
    wrong = training_errors(below)
    if learner.pruning in _SPARES_NOTHING and wrong[0] - float(wrong[below.n_children == 0].sum()) < 1e-3:
        return f"{_would(reasons, below)} would not get one more of these training records right: it was cut back.", ()
    if learner.tests_inside:
        return (
            f"{_would(reasons, below)} was cut back: tested inside the training records, the smaller tree did about as "
            "well."
        ), ()
    if learner.pruning == "critical-value":
        return _too_weak(reasons, learner, below)
    rule = learner.cost_rule(reasons.records.whole, reasons.held_out)
    if rule is None:
        return None
    return _compared(reasons, learner, rule, below, tested, here)


def _grown_below(reasons: NodeReasons, learner: WholeTreeLearner, depth: int, context: RunContext) -> Tree:
    options = reasons.options
    limit = None if options.max_depth is None else options.max_depth - depth
    below = replace(options, max_depth=limit, max_leaves=None)
    return learner.grown_below(reasons.records.here, reasons.records.whole, below, context.child(0.0, 1))


def _would(reasons: NodeReasons, below: Tree) -> str:
    assert reasons.chosen is not None
    return f"Asking more (first {test_words(reasons.schema, reasons.chosen)}, in all {below.n_leaves:,} leaves)"


def _by_chance(reasons: NodeReasons, significance: float, below: Tree) -> Cut:
    assert reasons.chosen is not None
    statistic, freedom = chi_square(below.counts[list(below.children(0))])
    chance = exp(float(log_chances(below)[0]))
    terms = (
        Term("X", float(statistic), "chi-square of class and branch"),
        Term("df", float(freedom), "degrees of freedom: branches less one, times classes less one"),
    )
    working = Working("Chance of branches so far apart", "P({X}, {df})", terms, chance, "Quinlan 1986")
    return (
        f"Asking {test_words(reasons.schema, reasons.chosen)} was given up: chance alone would set its branches as far "
        f"apart {100 * chance:.3g} times in 100, and {100 * significance:g} are allowed."
    ), (working,)


def _stopped(reasons: NodeReasons, below: Tree, tested: FloatArray, here: NodeRecords) -> Cut:
    assert reasons.chosen is not None
    question = f"Asking {test_words(reasons.schema, reasons.chosen)}"
    n = float(tested[0].sum())
    if n <= 0:
        return f"{question} was not tried: none of the records held out comes here.", ()
    wrong = tested.sum(axis=1) - tested[np.arange(below.n_nodes), below.decision]
    before, after = float(wrong[0]), float(wrong[list(below.children(0))].sum())
    return (
        f"{question} was given up: of the {records_words(n)} held out that come here, {amount(before)} would be wrong "
        f"without it and {amount(after)} with it."
    ), ()


def _too_weak(reasons: NodeReasons, learner: WholeTreeLearner, below: Tree) -> Cut | None:
    assert learner.critical_value is not None
    strongest = float(strengths(below)[0])
    if strongest >= learner.critical_value - 1e-9:
        return None
    return (
        f"{_would(reasons, below)} was cut back: the best of its questions gains {figure(strongest)}, less than the "
        f"{learner.critical_value:g} that is asked for."
    ), ()


def _compared(
    reasons: NodeReasons,
    learner: WholeTreeLearner,
    rule: CostRule,
    below: Tree,
    tested: FloatArray,
    here: NodeRecords | None,
) -> Cut | None:
    costs = as_leaves(rule, below.counts, below.decision, tested)
    own, best = float(costs[0]), least_below(below, costs, rule.inner)
    if own > best + rule.slack:
        return None
    would = f"{_would(reasons, below)} was cut back"
    n, wrong = float(below.counts[0].sum()), float(training_errors(below)[0])
    if learner.pruning == "pessimistic":
        price = f"training errors and {amount(rule.second)} for each leaf" if rule.second else "training errors"
        return f"{would}: counting {price}, it comes to {best:.2f}, and one leaf to {own:.2f}.", (_priced(wrong, rule),)
    if learner.pruning == "description-length":
        return (
            f"{would}: questions, leaves and errors take {best:.1f} bits to write down, one leaf and its errors "
            f"{own:.1f}."
        ), (_described(wrong, rule),)
    if learner.pruning == "reduced-error":
        n = float(tested[0].sum())
        if n <= 0:
            return f"{would}: none of the records held out comes here, so that nothing speaks for it.", ()
        said = f"of the {records_words(n)} held out that come here, one leaf gets {amount(own)} wrong, the questions"
        return f"{would}: {said} {amount(best)}.", ()
    more = "" if own <= best else f" (a leaf may cost {rule.slack:g} more)"
    sums = (
        _smoothed(reasons, wrong, n, rule) if learner.pruning == "minimum-error" else _bounded(learner, own, wrong, n)
    )
    return (
        f"{would}: on as many new records one leaf is expected to get {own:.2f} wrong, all those questions "
        f"{best:.2f}{more}."
    ), (sums,)


def least_below(tree: Tree, as_leaf: FloatArray, inner: float = 0.0) -> float:
    """What the root's question and branches cost at best, where each node costs ``as_leaf`` (m,) or what its children
    cost, and each question ``inner``."""
    below = np.full(tree.n_nodes, inner)
    for node in range(tree.n_nodes - 1, 0, -1):
        cost = float(as_leaf[node]) if tree.is_leaf(node) else min(float(as_leaf[node]), float(below[node]))
        if tree.parent[node] != NO_NODE:
            below[tree.parent[node]] += cost
    return float(below[0])


# ---- the sums --------------------------------------------------------------------------------------------------------


def _priced(errors: float, rule: CostRule) -> Working:
    terms = (
        Term("errors", errors, "training records that are wrong"),
        Term("leaves", 1, "leaves"),
        Term("price", rule.second, "what a leaf costs, in wrong records"),
    )
    value = errors + rule.second
    return Working("Price of one leaf", "{errors} + {leaves} x {price}", terms, value, "TSKK section 3.5.2")


def _described(errors: float, rule: CostRule) -> Working:
    terms = (
        Term("leaf", rule.second, "bits that name a class: log2 of their number"),
        Term("errors", errors, "training records that are wrong"),
        Term("error", rule.first, "bits that name a record: log2 of the number of training records"),
    )
    value = rule.second + errors * rule.first
    return Working("Description of one leaf", "{leaf} + {errors} x {error}", terms, value, "Eq. 3.12")


def _bounded(learner: WholeTreeLearner, own: float, errors: float, n: float) -> Working:
    rate = f"cautious error rate of {amount(errors)} wrong in {amount(n)}, confidence {learner.confidence:g}"
    terms = (Term("n", n, "training records here"), Term("U", own / n, rate))
    sources = {"normal": "Eq. 3.13", "corrected": "program C4.5, release 8"}
    source = sources.get(learner.bound, "Quinlan 1993, section 4.2")
    return Working("Errors expected of one leaf", "{n} x {U}", terms, own, source)


def _smoothed(reasons: NodeReasons, errors: float, n: float, rule: CostRule) -> Working:
    decision = int(reasons.tree.decision[reasons.node])
    prior = float(rule.priors[decision])
    terms = (
        Term("n", n, "training records here"),
        Term("errors", errors, "of them wrong"),
        Term("m", rule.first, "records thought to be added"),
        Term("p", prior, f"share of {reasons.schema.classes[decision]} among those"),
    )
    value = n * (errors + (1 - prior) * rule.first) / (n + rule.first)
    formula = "{n} x ({errors} + (1 - {p}) x {m}) / ({n} + {m})"
    return Working("Errors expected of one leaf", formula, terms, value, "Cestnik and Bratko 1991")
