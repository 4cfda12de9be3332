"""Why a node is a leaf: nothing left to ask, a limit, or pruned with these costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, log

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.scores import FormulaWorking, Term
from algorithms.data.columns import FloatArray
from algorithms.learners.trees.explain.chaid_reasons import ChaidReasons, leaf_sentence
from algorithms.learners.trees.explain.gain_curve import figure
from algorithms.learners.trees.explain.reasons import Explainable, GrowsTrees, NodeReasons, SplitVerdict
from algorithms.learners.trees.explain.why_words import amount, quantity, quantity_figure, records_words, test_words
from algorithms.learners.trees.growth.chi_square import chi_square
from algorithms.learners.trees.node_records import NodeRecords, records_at
from algorithms.learners.trees.pruning.cost_complexity import strengths
from algorithms.learners.trees.pruning.error_estimates import CostRule, as_leaves
from algorithms.learners.trees.pruning.methods import held_out_counts, log_chances, stopped_early, training_errors
from algorithms.learners.trees.whole_tree import WholeTreeLearner
from algorithms.structures.tree import NO_NODE, Tree

Cut = tuple[str, tuple[FormulaWorking, ...]]

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
    working = FormulaWorking("Chance of branches so far apart", "P({X}, {df})", terms, chance, "Quinlan 1986")
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


def _priced(errors: float, rule: CostRule) -> FormulaWorking:
    terms = (
        Term("errors", errors, "training records that are wrong"),
        Term("leaves", 1, "leaves"),
        Term("price", rule.second, "what a leaf costs, in wrong records"),
    )
    value = errors + rule.second
    return FormulaWorking("Price of one leaf", "{errors} + {leaves} x {price}", terms, value, "TSKK section 3.5.2")


def _described(errors: float, rule: CostRule) -> FormulaWorking:
    terms = (
        Term("leaf", rule.second, "bits that name a class: log2 of their number"),
        Term("errors", errors, "training records that are wrong"),
        Term("error", rule.first, "bits that name a record: log2 of the number of training records"),
    )
    value = rule.second + errors * rule.first
    return FormulaWorking("Description of one leaf", "{leaf} + {errors} x {error}", terms, value, "Eq. 3.12")


def _bounded(learner: WholeTreeLearner, own: float, errors: float, n: float) -> FormulaWorking:
    rate = f"cautious error rate of {amount(errors)} wrong in {amount(n)}, confidence {learner.confidence:g}"
    terms = (Term("n", n, "training records here"), Term("U", own / n, rate))
    sources = {"normal": "Eq. 3.13", "corrected": "program C4.5, release 8"}
    source = sources.get(learner.bound, "Quinlan 1993, section 4.2")
    return FormulaWorking("Errors expected of one leaf", "{n} x {U}", terms, own, source)


def _smoothed(reasons: NodeReasons, errors: float, n: float, rule: CostRule) -> FormulaWorking:
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
    return FormulaWorking("Errors expected of one leaf", formula, terms, value, "Cestnik and Bratko 1991")


@dataclass(frozen=True)
class LeafReason:
    """Why nothing is asked at a leaf: a sentence, and the sums that decided where pruning did."""

    sentence: str
    workings: tuple[FormulaWorking, ...] = ()


def why_leaf(
    reasons: NodeReasons,
    learner: Explainable,
    context: RunContext | None = None,
    otherwise: str = "The tree was finished early.",
) -> LeafReason:
    """Why the node of these reasons, a leaf, is not divided. Grows the tree below it anew to compare with.

    ``otherwise`` is said where the learner itself would have divided it.
    """
    context = RunContext() if context is None else context
    options, tree, weight = reasons.options, reasons.tree, reasons.weight
    label = reasons.schema.classes[int(tree.decision[reasons.node])]
    if weight <= 0:
        return LeafReason("No training record comes here: it decides as the question above it would.")
    if weight - float(reasons.counts.max()) <= 1e-9 * weight:
        one = amount(weight) == "1"
        whole = "The one record here is" if one else f"All {records_words(weight)} here are"
        return LeafReason(f"{whole} {label}: there is nothing left to ask.")
    depth = len(tree.path(reasons.node)) - 1
    if isinstance(reasons, ChaidReasons):
        ended = leaf_sentence(reasons, depth)
        if ended:
            return LeafReason(ended)
    assert isinstance(learner, GrowsTrees)
    if weight < 2.0 * options.min_leaf - 1e-9:
        return LeafReason(
            f"Only {records_words(weight)} come{'s' if amount(weight) == '1' else ''} here, and a question needs two "
            f"branches of at least {records_words(options.min_leaf)}."
        )
    if options.max_depth is not None and depth >= options.max_depth:
        questions = "question" if options.max_depth == 1 else "questions"
        return LeafReason(f"The tree may ask no more than {options.max_depth} {questions} in a row.{_best(reasons)}")
    if reasons.chosen is None:
        return LeafReason(_no_question(reasons))
    if isinstance(learner, WholeTreeLearner):
        cut = cut_back(reasons, learner, depth, context)
        if cut is not None:
            return LeafReason(*cut)
    if options.max_leaves is not None:
        return LeafReason(
            f"The tree may have no more than {options.max_leaves} leaves, and other questions came first."
            f"{_best(reasons)}"
        )
    if isinstance(learner, WholeTreeLearner) and (learner.raises or learner.tests_inside):
        return LeafReason(f"This leaf took a question's place when the tree was cut back.{_best(reasons)}")
    return LeafReason(f"{otherwise}{_best(reasons)}")


def _best(reasons: NodeReasons) -> str:
    if reasons.chosen is None:
        return ""
    question, what = test_words(reasons.schema, reasons.chosen), quantity(reasons)
    return f" The best question would have been {question} ({what} {quantity_figure(reasons, reasons.chosen)})."


def _no_question(reasons: NodeReasons) -> str:
    verdicts = {candidate.verdict for candidate in reasons.candidates}
    if verdicts <= {SplitVerdict.CONSTANT, SplitVerdict.USED_ABOVE, SplitVerdict.MISSING}:
        return "The records here are alike in every attribute: no question tells them apart."
    if reasons.compares_chances and verdicts & {SplitVerdict.NO_GAIN, SplitVerdict.BELOW_LEAST_GAIN}:
        return "What every question shows here may well be chance."
    if SplitVerdict.BELOW_LEAST_GAIN in verdicts:
        return f"No question gains the {figure(reasons.options.min_gain)} that a question must gain."
    if verdicts & {SplitVerdict.NO_GAIN, SplitVerdict.BELOW_AVERAGE}:
        return "No question tells anything about the class here."
    if SplitVerdict.TOO_MANY_THRESHOLDS in verdicts:
        return "What the best question gains does not pay for the choice among so many thresholds."
    return f"No question leaves two branches of at least {records_words(reasons.options.min_leaf)}."
