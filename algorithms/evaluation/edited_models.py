"""Evaluation of a tree, rules or a network edited by hand, and the effect of the edit.

Each fold trains its own model and repeats the edit at the node with the same path of tests, with its own thresholds. A
model without such a node stays unedited. The edit was chosen on all records, so the result is optimistic and says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.filters import Recipe
from algorithms.core.model_editing import EditedModel, EditsApplied
from algorithms.core.record_costs import RecordCosts
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.evaluation.compare.significance_tests import (
    LEAST_PARTS,
    FoldScores,
    PairedComparison,
    compared,
    paired_by_records,
    paired_t,
)
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.runner import evaluate
from algorithms.text.numbers import percent

CAVEAT: Final = "Whoever changed it had seen all records, so the result is slightly optimistic for new ones."


def judge_edited(
    learner: EditedModel,
    data: Dataset,
    method: Method,
    context: RunContext,
    *,
    recipe: Recipe = (),
    test_data: Dataset | None = None,
) -> EvaluationResult:
    """As :func:`evaluate`, with a warning on how many folds could repeat each edit."""
    by_fold: list[tuple[bool, ...]] = []

    def hear(event: object) -> None:
        if isinstance(event, EditsApplied):
            by_fold.append(event.made)
        else:
            context.publish(event)

    judging = context.child(1.0, 0, same_seed=True, listener=hear)
    result = evaluate(learner, data, method, judging, recipe=recipe, test_data=test_data)
    words = made_words(
        by_fold, len(learner.edits), method.part_name, learner.edit.kind, learner.leads_there, learner.came_about
    )
    return replace(result, warnings=(*result.warnings, words)) if words else result


def made_words(
    by_fold: Sequence[Sequence[bool]],
    n_edits: int,
    part: str,
    whole: str = "tree",
    leads_there: str = "where the same tests led to the place",
    came_about: str = "grew",
) -> str:
    """A sentence on how many folds could repeat each edit; empty without edits."""
    if not by_fold or not n_edits:
        return ""
    n, counts = len(by_fold), [sum(bool(edits_of_fold[nth]) for edits_of_fold in by_fold) for nth in range(n_edits)]
    whose = f"each {part}'s own {whole}" if n > 1 else f"the {whole} of the training part"
    was, it = ("were", "they") if whole.endswith("s") else ("was", "it")
    if all(count == n for count in counts):
        return f"Edited by hand: {whose} {was} changed in the same way. {CAVEAT}"
    which = ", ".join(f"change {nth} in {count:,}" for nth, count in enumerate(counts, 1))
    where = f"{f'in {counts[0]:,}' if n_edits == 1 else which} of {n:,} {part}s"
    return (
        f"Edited by hand: {whose} {was} changed in the same way {leads_there}, {where}; "
        f"elsewhere {it} stayed as {it} {came_about}. {CAVEAT}"
    )


# ---- what an edit changed --------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ErrorChange:
    """Change of error rate and, with costs, of cost per record: after minus before, with 95% confidence intervals."""

    after: float
    error: PairedComparison
    cost: PairedComparison | None

    def words(self) -> str:
        """The change in a sentence: "Error rate 5.3%, 0.7 more than before (0.4 fewer to 1.8 more): ..."."""
        sentence = f"Error rate {percent(self.after)}, {_difference_words(self.error, 100.0, ('more', 'fewer'))}"
        if self.cost is not None:
            sentence += f" Cost of a record: {_difference_words(self.cost, 1.0, ('more', 'less'))}"
        return sentence


def changed(before: EvaluationResult, after: EvaluationResult, costs: RecordCosts | None = None) -> ErrorChange:
    """The effect of the edit; ``costs`` are those of the tests. Raises :class:`DataError` if not comparable."""
    one, other = FoldScores.of(before), FoldScores.of(after)
    error = compared(one, other)
    cost = None if costs is None else _cost_difference(before, after, costs)
    return ErrorChange(1.0 - float(np.average(after.right, weights=after.weight_array)), error, cost)


def _cost_difference(before: EvaluationResult, after: EvaluationResult, costs: RecordCosts) -> PairedComparison:
    if not np.array_equal(before.row_ids, after.row_ids) or not np.array_equal(before.folds, after.folds):
        raise DataError("The two runs have no test in common.", remedy="Evaluate both with the same method and seed.")
    differences = costs.of(after.truth, after.decision) - costs.of(before.truth, before.decision)
    scale = costs.span or 1.0
    differences = differences / scale
    weights = after.weight_array
    key = after.repeats.astype(np.int64) * (int(after.folds.max(initial=0)) + 1) + after.folds
    _, part = np.unique(key, return_inverse=True)
    weight = np.bincount(part, weights)
    means = np.bincount(part, weights * differences)[weight > 0] / weight[weight > 0]
    if len(means) >= LEAST_PARTS:
        difference = paired_t(means, test_share=FoldScores.of(after).test_share)
    else:
        difference = paired_by_records(differences, weights=after.weights)
    return difference.times(scale)


def _difference_words(change: PairedComparison, scale: float, words: tuple[str, str]) -> str:
    """A difference in words: "0.7 more than before (0.4 fewer to 1.8 more): that may be chance."."""
    low, high = (scale * end for end in change.interval)
    mean = scale * change.difference
    if mean == 0 and low == 0 and high == 0:
        return "the same as before."
    chance = "hardly chance" if change.significant else "that may be chance"
    named = f"{_signed(mean, words)} than before"
    return f"{named} ({_signed(low, words)} to {_signed(high, words)}): {chance}."


def _signed(number: float, words: tuple[str, str]) -> str:
    shown = f"{abs(number):.1f}" if abs(number) >= 0.05 or number == 0 else f"{abs(number):.2g}"
    return f"{shown} {words[1] if number < 0 else words[0]}"
