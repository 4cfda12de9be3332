"""Why a node of a tree is a leaf: nothing left to ask, a limit, or cut back."""

from __future__ import annotations

from dataclasses import dataclass

from algorithms.core.context import RunContext
from algorithms.core.scores import Working
from algorithms.trees.chaid_reasons import ChaidReasons
from algorithms.trees.chaid_words import leaf_sentence
from algorithms.trees.gain_figures import figure
from algorithms.trees.reasons import Explainable, GrowsTrees, NodeReasons, Verdict
from algorithms.trees.whole_tree import WholeTreeLearner
from algorithms.trees.why_cut import cut_back
from algorithms.trees.why_words import amount, quantity, quantity_figure, records_words, test_words


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
    if verdicts <= {Verdict.CONSTANT, Verdict.USED_ABOVE, Verdict.MISSING}:
        return "The records here are alike in every attribute: no question tells them apart."
    if reasons.compares_chances and verdicts & {Verdict.NO_GAIN, Verdict.BELOW_LEAST_GAIN}:
        return "What every question shows here may well be chance."
    if Verdict.BELOW_LEAST_GAIN in verdicts:
        return f"No question gains the {figure(reasons.options.min_gain)} that a question must gain."
    if verdicts & {Verdict.NO_GAIN, Verdict.BELOW_AVERAGE}:
        return "No question tells anything about the class here."
    if Verdict.TOO_MANY_THRESHOLDS in verdicts:
        return "What the best question gains does not pay for the choice among so many thresholds."
    return f"No question leaves two branches of at least {records_words(reasons.options.min_leaf)}."
