"""Why a node of a tree is a leaf: nothing left to ask, a limit, or cut back."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.scores import Term, Working
from algorithms.core.structures import NO_NODE, Tree
from algorithms.trees.chaid_reasons import ChaidReasons
from algorithms.trees.chaid_words import leaf_sentence
from algorithms.trees.engine import grow
from algorithms.trees.error_estimates import estimated_errors
from algorithms.trees.pruning import training_errors
from algorithms.trees.why import Explainable, GrowsTrees, NodeReasons, Verdict
from algorithms.trees.why_words import amount, figure, records_words, test_words

_SLACK = 0.1
"""C4.5 prefers a leaf that costs at most so many more estimated errors."""


@dataclass(frozen=True)
class LeafReason:
    """Why nothing is asked at a leaf: a sentence, and the sums that decided where pruning did."""

    sentence: str
    workings: tuple[Working, ...] = ()


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
        return LeafReason(leaf_sentence(reasons, depth))
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
    cut = _cut_back(reasons, learner, depth, context)
    if cut is not None:
        return cut
    if options.max_leaves is not None:
        return LeafReason(
            f"The tree may have no more than {options.max_leaves} leaves, and other questions came first."
            f"{_best(reasons)}"
        )
    if getattr(learner, "pruning", "none") == "error-based":
        return LeafReason(f"This leaf took a question's place when the tree was cut back.{_best(reasons)}")
    return LeafReason(f"{otherwise}{_best(reasons)}")


def _best(reasons: NodeReasons) -> str:
    if reasons.chosen is None:
        return ""
    what = "gain ratio" if reasons.compares_ratios else "gain"
    question = test_words(reasons.schema, reasons.chosen)
    return f" The best question would have been {question} ({what} {figure(reasons.chosen.value)})."


def _no_question(reasons: NodeReasons) -> str:
    verdicts = {candidate.verdict for candidate in reasons.candidates}
    if verdicts <= {Verdict.CONSTANT, Verdict.USED_ABOVE, Verdict.MISSING}:
        return "The records here are alike in every attribute: no question tells them apart."
    if Verdict.BELOW_LEAST_GAIN in verdicts:
        return f"No question gains the {figure(reasons.options.min_gain)} that a question must gain."
    if verdicts & {Verdict.NO_GAIN, Verdict.BELOW_AVERAGE}:
        return "No question tells anything about the class here."
    if Verdict.TOO_MANY_THRESHOLDS in verdicts:
        return "What the best question gains does not pay for the choice among so many thresholds."
    return f"No question leaves two branches of at least {records_words(reasons.options.min_leaf)}."


# ---- cut back --------------------------------------------------------------------------------------------------------


def _cut_back(reasons: NodeReasons, learner: GrowsTrees, depth: int, context: RunContext) -> LeafReason | None:
    """The comparison that made the node a leaf, or None where the learner's pruning would have kept its questions."""
    pruning = getattr(learner, "pruning", "none")
    if pruning == "none":
        return None
    options = reasons.options
    limit = None if options.max_depth is None else options.max_depth - depth
    below = grow(reasons.records.here, replace(options, max_depth=limit, max_leaves=None), context.child(0.0, 1)).tree
    if below.n_nodes == 1:
        return None
    wrong = training_errors(below)
    leaves = below.n_leaves
    if wrong[0] - float(wrong[below.n_children == 0].sum()) < 1e-3:
        return LeafReason(
            f"{_would(reasons, leaves)} would not get one more of these training records right: it was cut back."
        )
    if pruning == "pessimistic":
        penalty = float(getattr(learner, "penalty", 0.5))
        own, best = _priced(float(wrong[0]), 1, penalty), _least(below, wrong + penalty)
        if own.value is None or own.value > best + 1e-9:
            return None
        price = f"training errors and {amount(penalty)} for each leaf" if penalty else "training errors"
        return LeafReason(
            f"{_would(reasons, leaves)} was cut back: counting {price}, it comes to {best:.2f}, and one leaf to "
            f"{own.value:.2f}.",
            (own,),
        )
    if pruning == "cost-complexity":
        return LeafReason(
            f"{_would(reasons, leaves)} was cut back: tested inside the training records, the smaller tree did about "
            "as well."
        )
    return _by_estimate(reasons, learner, below, leaves)


def _would(reasons: NodeReasons, leaves: int) -> str:
    assert reasons.chosen is not None
    return f"Asking on, first {test_words(reasons.schema, reasons.chosen)}, in {leaves} leaves"


def _by_estimate(reasons: NodeReasons, learner: GrowsTrees, below: Tree, leaves: int) -> LeafReason | None:
    confidence = float(getattr(learner, "confidence", 0.25))
    normal = getattr(learner, "bound", "exact") == "normal"
    estimates = estimated_errors(below.counts, confidence, normal=normal)
    own, best = float(estimates[0]), _least(below, estimates)
    if own > best + _SLACK:
        return None
    n = float(below.counts[0].sum())
    wrong = float(training_errors(below)[0])
    more = "" if own <= best else f" (a leaf may cost {_SLACK} more)"
    terms = (
        Term("n", n, "training records here"),
        Term("U", own / n, f"cautious error rate of {amount(wrong)} wrong in {amount(n)}, confidence {confidence:g}"),
    )
    return LeafReason(
        f"{_would(reasons, leaves)} was cut back: on so many new records one leaf is expected to get {own:.2f} wrong, "
        f"the questions {best:.2f}{more}.",
        (Working("Errors expected of one leaf", "{n} x {U}", terms, own, "Quinlan 1993, section 4.2"),),
    )


def _priced(errors: float, leaves: int, penalty: float) -> Working:
    terms = (
        Term("errors", errors, "training records that are wrong"),
        Term("leaves", leaves, "leaves"),
        Term("price", penalty, "what a leaf costs, in wrong records"),
    )
    value = errors + leaves * penalty
    return Working("Price of one leaf", "{errors} + {leaves} x {price}", terms, value, "Eq. 3.12")


def _least(tree: Tree, as_leaf: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    """What the tree's branches cost at best, where each node costs ``as_leaf`` (m,) or what its children cost."""
    below = np.zeros(tree.n_nodes)
    for node in range(tree.n_nodes - 1, 0, -1):
        cost = float(as_leaf[node]) if tree.is_leaf(node) else min(float(as_leaf[node]), float(below[node]))
        if tree.parent[node] != NO_NODE:
            below[tree.parent[node]] += cost
    return float(below[0])
