"""The reasons for a split or a leaf in words, and as formulas with their terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import exp, log
from typing import Final

import numpy as np

from algorithms.core.run_control import RunContext
from algorithms.core.scores import FormulaWorking, Term
from algorithms.data.columns import FloatArray
from algorithms.data.schema import Schema
from algorithms.learners.trees.explain import chaid_reasons
from algorithms.learners.trees.explain.chaid_reasons import ChaidReasons, leaf_sentence
from algorithms.learners.trees.explain.node_reasons import NodeReasons, SplitCandidate, SplitVerdict
from algorithms.learners.trees.growth.split_criteria import IMPURITIES, chi_square, shares
from algorithms.learners.trees.pruning.cost_complexity import strengths
from algorithms.learners.trees.pruning.error_estimates import CostRule, as_leaves
from algorithms.learners.trees.pruning.methods import held_out_counts, log_chances, stopped_early, training_errors
from algorithms.learners.trees.routing import records_at
from algorithms.learners.trees.tree_learner import TreeLearner, WholeTreeLearner
from algorithms.structures.tree import SplitTest, Tree, softness_words
from algorithms.text.numbers import (
    USUAL_DECIMALS,
    cut_number,
    fixed,
    number,
    p_text,
    p_words,
    points,
    records_words,
    telling_decimals,
    weight_text,
)
from algorithms.text.sentences import counted, listed

WITH_THRESHOLD: Final = (SplitTest.NUMERIC, SplitTest.LINEAR)
IMPURITY_NAMES: Final[Mapping[str, str]] = {
    "information-gain": "entropy",
    "gain-ratio": "entropy",
    "gini": "Gini index",
    "error": "classification error",
}
DIGITS: Final = range(4, 10)
"""Significant digits that a term of a gain may have."""
TIE: Final = 1e-9
"""Added to a result before it is rounded, since a reader rounds halves up."""
NO_GAIN: Final = "It has no gain here."
LEAST_SEEN: Final = 0.0005
"""Gains that differ by less can look equal in three decimals."""


def columns(reasons: NodeReasons) -> tuple[str, str]:
    """Headings of the first two numbers of a candidate."""
    corrected = is_corrected(reasons)
    return ("Chi-square", "Adjusted p") if reasons.compares_chances else (gain_title(corrected), ratio_title(corrected))


def is_corrected(reasons: NodeReasons) -> bool:
    """Whether gains of numbers are those after the MDL correction of C4.5."""
    return reasons.options.numeric_correction and not reasons.compares_chances


def gain_title(corrected: bool) -> str:
    """The name of a gain, which tells one after the MDL correction from the information gain itself."""
    return "Gain (MDL)" if corrected else "Gain"


def ratio_title(corrected: bool) -> str:
    """The name of a gain ratio, which tells one of a gain after the MDL correction from that of the gain itself."""
    return "Gain ratio (MDL)" if corrected else "Gain ratio"


TOLD_APART: Final = 5
"""Of so many candidates, the best first, numbers that differ are written differently."""


def gain_decimals(reasons: NodeReasons) -> tuple[int, int]:
    """Decimals of the gains and gain ratios in a table of a node's candidates: as many as tell its best ones apart."""
    split = [candidate for candidate in reasons.candidates if candidate.is_split][:TOLD_APART]
    return telling_decimals(shown.gain for shown in split), telling_decimals(shown.gain_ratio for shown in split)


def second_figure(reasons: NodeReasons, candidate: SplitCandidate, decimals: int = USUAL_DECIMALS) -> str:
    """The second number of a candidate as text: its gain ratio, or the p-value that compares candidates."""
    value = candidate.gain_ratio
    return p_text(value) or fixed(value) if reasons.compares_chances else fixed(value, decimals)


def branch_names(schema: Schema, candidate: SplitCandidate, at_most: int = 3) -> tuple[str, ...]:
    """Condition of each branch: ``≤ 2.5``, ``red or blue``."""
    if candidate.answers:
        return candidate.answers
    if candidate.test in WITH_THRESHOLD:
        return (f"≤ {cut_number(candidate.written_threshold)}", f"> {cut_number(candidate.written_threshold)}")
    values = schema.attributes[candidate.attribute].values
    codes = [np.flatnonzero(candidate.branch_of == branch) for branch in range(len(candidate.children))]
    return tuple(listed([values[code] for code in of_branch], at_most) for of_branch in codes)


def test_words(schema: Schema, candidate: SplitCandidate) -> str:
    """The split as text: ``age ≤ 2.5``, ``colour (red, green or blue)``, ``colour: red or blue, against green``."""
    if not candidate.is_split:
        return candidate.name
    if candidate.answers:
        return f"{candidate.name}: {', against '.join(candidate.answers)}"
    if candidate.test in WITH_THRESHOLD:
        return f"{candidate.name} ≤ {cut_number(candidate.written_threshold)}"
    if candidate.test == SplitTest.MULTIWAY and np.count_nonzero(candidate.branch_of >= 0) == len(candidate.children):
        values = schema.attributes[candidate.attribute].values
        present = [values[code] for code in np.flatnonzero(candidate.branch_of >= 0)]
        return f"{candidate.name} ({listed(present, 3)})"
    return f"{candidate.name}: {', against '.join(branch_names(schema, candidate, 2))}"


def headline(reasons: NodeReasons) -> str:
    """Sentence on why the node has its split, and one on its soft threshold; empty for a leaf."""
    return " ".join(part for part in (_headline(reasons), _softness(reasons)) if part)


def _softness(reasons: NodeReasons) -> str:
    """Sentence on why the threshold is soft; empty if it is sharp."""
    soft = reasons.softness
    if soft is None or reasons.is_leaf:
        return ""
    return (
        f"The threshold is {softness_words(reasons.tree, reasons.node)}: as far as it could be moved with no more than "
        f"about {number(soft.errors + soft.spread, 3)} records wrong here, not clearly more than {number(soft.errors)}."
        " A number between goes down both branches."
    )


def _headline(reasons: NodeReasons) -> str:
    if isinstance(reasons, ChaidReasons):
        return chaid_reasons.headline(reasons)
    chosen = reasons.chosen
    if reasons.is_leaf or chosen is None:
        return ""
    if reasons.by_hand:
        return f"You made this split. Splitting on {chosen.name} {_worth(reasons, chosen)}."
    if reasons.moved and reasons.options.draws:
        return f"This split was drawn at random: {_drawn_from(reasons)}. Splitting on {chosen.name} " + (
            f"{_worth(reasons, chosen)}."
        )
    if reasons.moved:
        return (
            f"The split on {chosen.name} was the best for a subtree. Pruning raised it to this node, where it "
            f"{_worth(reasons, chosen)}."
        )
    words = f"Splitting on {chosen.name} {_worth(reasons, chosen)}"
    if reasons.compares_ratios and any(c.verdict is SplitVerdict.TIED for c in reasons.candidates):
        words += f" (gain ratio {fixed(chosen.gain_ratio, 3)})"
    tied = [c.name for c in reasons.candidates if c.verdict is SplitVerdict.TIED]
    if chosen.value <= 1e-9 and not reasons.compares_chances:
        return (
            f"No single split has a gain here. Splits on zero gain are allowed, since two together may gain: "
            f"the node splits on {chosen.name}."
        )
    if tied:
        return f"{words}, as much as {listed(tied, 3)}; it stands first in the table."
    rivals = sum(c.is_split for c in reasons.candidates) - 1
    if reasons.compares_chances:
        words += ", the lowest of all splits." if rivals else ", and it is the only split."
    elif reasons.compares_ratios:
        words += _ratio_clause(reasons, chosen, rivals)
    else:
        words += ", more than any other split." if rivals else ", and it is the only split."
    if reasons.options.criterion == "error" and reasons.criterion == "gini":
        words = f"No split lowers the classification error, so the Gini index decides. {words}"
    return words


def _drawn_from(reasons: NodeReasons) -> str:
    """Phrase on the splits that a random choice was made from."""
    options = reasons.options
    among = []
    if options.weighed is not None:
        among.append(f"only {options.weighed} random attribute{'s' * (options.weighed > 1)} counted")
    if options.best_of > 1:
        among.append(f"one of the best {options.best_of} is taken")
    return " and ".join(among)


def _worth(reasons: NodeReasons, candidate: SplitCandidate) -> str:
    """Value of a split by the criterion, in plain words."""
    gain = candidate.gain
    if reasons.compares_chances:
        return f"separates the classes with {p_words(candidate.gain_ratio)}"
    if reasons.criterion == "gini":
        return f"reduces the Gini index by {fixed(gain, 3)}"
    if reasons.criterion == "twoing":
        return f"has a twoing value of {fixed(gain, 3)}"
    if reasons.criterion == "error":
        return f"raises the accuracy by {points(gain).removeprefix('+')}"
    corrected = " after the MDL correction" if candidate.correction > 0 else ""
    return f"has an information gain of {fixed(gain, 3)} bits{corrected}"


def _ratio_clause(reasons: NodeReasons, chosen: SplitCandidate, rivals: int) -> str:
    ratio = f" (gain ratio {fixed(chosen.gain_ratio, 3)})"
    if not rivals:
        return f"{ratio}, and it is the only split."
    larger = [c for c in reasons.candidates if not c.verdict.is_valid and c.gain_ratio > chosen.gain_ratio + 1e-9]
    barred = [c.name for c in larger if c.verdict is SplitVerdict.BELOW_AVERAGE]
    among = "any other split with at least average gain" if barred else "any other split"
    words = f", and a higher gain ratio than {among}{ratio}."
    if barred:
        words += f" {listed(barred, 2)} would have a larger ratio, but a gain below average."
    telling = [c for c in reasons.candidates if c.verdict.is_valid and c.gain > chosen.gain + LEAST_SEEN]
    if telling:
        most = max(telling, key=lambda c: c.gain)
        words += (
            f" {most.name} has a larger gain ({fixed(most.gain, 3)}), but a larger split information, so its "
            f"gain ratio is smaller (gain ratio {fixed(most.gain_ratio, 3)})."
        )
    return words


def verdict_words(reasons: NodeReasons, candidate: SplitCandidate) -> str:
    """Sentence on why the node splits by an attribute, or does not."""
    if isinstance(reasons, ChaidReasons):
        return chaid_reasons.verdict_words(reasons, candidate)
    chosen, verdict = reasons.chosen, candidate.verdict
    weight = weight_text(reasons.options.min_leaf)
    what, mine = quantity(reasons), quantity_figure(reasons, candidate)
    lower = f"Its {what} is {mine}."
    if chosen is not None:
        decimals = telling_decimals((candidate.value, chosen.value))
        mine, other = (quantity_figure(reasons, compared, decimals) for compared in (candidate, chosen))
        lower = f"Its {what} of {mine} is less than the {other} of {chosen.name}."
        if reasons.compares_chances:
            lower = f"Its p-value is higher than that of {chosen.name}."
    words = {
        SplitVerdict.CHOSEN: _asked_words(reasons),
        SplitVerdict.BEST: "The best split for these records.",
        SplitVerdict.TIED: f"As good as {chosen.name if chosen else 'the best'}, which stands first in the table.",
        SplitVerdict.LOWER: lower,
        SplitVerdict.BELOW_AVERAGE: _below_average(reasons, candidate),
        SplitVerdict.NO_GAIN: NO_GAIN,
        SplitVerdict.BELOW_LEAST_GAIN: f"Its gain is below the minimum of {fixed(reasons.options.min_gain, 3)}."
        if not reasons.compares_chances
        else f"Its {what} of {mine} is above the limit.",
        SplitVerdict.TOO_FEW: f"It would leave fewer than two branches with at least {weight} records"
        f"{_of_numbers(reasons, candidate)}.",
        SplitVerdict.TOO_MANY_THRESHOLDS: _below_correction(reasons, candidate),
        SplitVerdict.USED_ABOVE: "Already used above: all records here have the same value.",
        SplitVerdict.CONSTANT: "All records here have the same value.",
        SplitVerdict.MISSING: "No record here has a value for it.",
    }[verdict]
    if (reasons.moved or reasons.by_hand) and verdict in (SplitVerdict.LOWER, SplitVerdict.TIED):
        return f"Its {what} here is {mine}."
    return words


def quantity(reasons: NodeReasons) -> str:
    """Name of the value that compares candidates: ``gain``, ``gain ratio``, ``p-value``."""
    return "p-value" if reasons.compares_chances else "gain ratio" if reasons.compares_ratios else "gain"


def quantity_figure(reasons: NodeReasons, candidate: SplitCandidate, decimals: int = USUAL_DECIMALS) -> str:
    """A candidate's :func:`quantity` as text."""
    return chaid_reasons.chance(candidate.gain_ratio) if reasons.compares_chances else fixed(candidate.value, decimals)


def _asked_words(reasons: NodeReasons) -> str:
    if reasons.by_hand:
        return "Chosen by you."
    if reasons.moved and reasons.options.draws:
        return "Chosen at random."
    return "Raised here by pruning." if reasons.moved else "Chosen."


def _of_numbers(reasons: NodeReasons, candidate: SplitCandidate) -> str:
    if candidate.test != SplitTest.NUMERIC or not reasons.options.numeric_min_split:
        return ""
    return " (each side of a threshold needs a tenth of the average class size, up to 25)"


def _below_average(reasons: NodeReasons, candidate: SplitCandidate) -> str:
    mean = reasons.average_gain if reasons.average_gain is not None else float("nan")
    decimals = telling_decimals((candidate.gain, mean))
    gain, average = fixed(candidate.gain, decimals), fixed(mean, decimals)
    return f"Its gain of {gain} is below the average of {average}: gain ratios of such are not compared."


def _below_correction(reasons: NodeReasons, candidate: SplitCandidate) -> str:
    gain, correction = candidate.gain + candidate.correction, candidate.correction
    if not correction:
        return NO_GAIN
    decimals = telling_decimals((gain, correction))
    return (
        f"Its gain of {fixed(gain, decimals)} before the MDL correction is below that correction of "
        f"{fixed(correction, decimals)} for {counted(n_thresholds(reasons, candidate), 'threshold')}."
    )


def n_thresholds(reasons: NodeReasons, candidate: SplitCandidate) -> int:
    """Number of thresholds that C4.5's correction of a candidate counts."""
    n: float = 2.0 ** (candidate.correction * reasons.weight)
    return round(n)


def workings(reasons: NodeReasons, candidate: SplitCandidate) -> tuple[FormulaWorking, ...]:
    """Formulas of a candidate's gain, gain ratio if compared, and soft threshold's limit; empty without a split."""
    if not candidate.is_split:
        return ()
    if isinstance(reasons, ChaidReasons):
        return chaid_reasons.workings(reasons, candidate)
    soft = reasons.softness if candidate is reasons.chosen else None
    return (*_gains(reasons, candidate), *(() if soft is None else (soft.working(),)))


def _gains(reasons: NodeReasons, candidate: SplitCandidate) -> tuple[FormulaWorking, ...]:
    if reasons.compares_chances:
        has_lines = candidate.test in (SplitTest.NUMERIC, SplitTest.ORDINAL, SplitTest.RANGES)
        ways = "lines to choose among" if has_lines else "ways of grouping"
        return chaid_reasons.chance_workings(candidate, ways)
    if reasons.criterion == "twoing":
        return (twoing_sum(reasons, candidate),)
    workings = [gain_sum(reasons, candidate)]
    if reasons.criterion in ("gain-ratio", "information-gain"):
        workings.append(ratio_sum(reasons, candidate))
    return tuple(workings)


def gain_sum(reasons: NodeReasons, candidate: SplitCandidate) -> FormulaWorking:
    """Impurity before, less that of the branches weighed by their records:
    ``0.930 - (429/699 x 0.071 + 270/699 x 0.477)``."""
    impurity, name = IMPURITIES[reasons.criterion], IMPURITY_NAMES[reasons.criterion]
    children, known_weight = candidate.children, float(candidate.children.sum())
    all_known, parts = _all_known(reasons, known_weight), []
    terms = [
        Term("I", float(impurity(children.sum(axis=0))), f"{name} before the split"),
        Term("n", known_weight, "records here" if all_known else "records here whose value is known"),
    ]
    branches = zip(branch_names(reasons.schema, candidate), children.sum(axis=1), impurity(children), strict=True)
    for i, (branch, weight, value) in enumerate(branches, 1):
        parts.append(f"{{n{i}}}/{{n}} x {{I{i}}}")
        terms += [
            Term(f"n{i}", float(weight), f"records with {candidate.name} {branch}"),
            Term(f"I{i}", float(value), f"{name} of these"),
        ]
    formula = f"{{I}} - ({' + '.join(parts)})"
    if not all_known:
        formula = f"{{n}}/{{N}} x ({formula})"
        terms.append(Term("N", reasons.weight, "all records here"))
    if candidate.correction > 0:
        thresholds = float(n_thresholds(reasons, candidate))
        formula += f" - log2({{t}})/{{{'n' if all_known else 'N'}}}"
        terms.append(Term("t", thresholds, "thresholds to choose among (C4.5's correction)"))
    title = "Information gain" if name == "entropy" else f"Gain in {name}"
    title = gain_title(True) if candidate.correction > 0 else title
    before, after = impurity(children.sum(axis=0)), impurity(children).tolist()
    branch_weights, part = children.sum(axis=1) / known_weight, known_weight / reasons.weight

    def gain(written: Callable[[float], float]) -> float:
        rest = float(branch_weights @ np.array([written(value) for value in after]))
        return part * (written(float(before)) - rest) - max(0.0, candidate.correction)

    digits = _telling_digits((gain, candidate.gain))
    return FormulaWorking(title, formula, tuple(terms), candidate.gain, "Eq. 3.8", digits=digits)


def _telling_digits(*sums: tuple[Callable[[Callable[[float], float]], float], float]) -> int:
    """The fewest of :data:`DIGITS` of the terms with which each sum of written terms gives its written value."""

    def gives_values(digits: int) -> bool:
        found = ((of_written(lambda value: float(f"{value:.{digits}g}")), value) for of_written, value in sums)
        return all(fixed(result + TIE, USUAL_DECIMALS) == fixed(value, USUAL_DECIMALS) for result, value in found)

    return next(filter(gives_values, DIGITS), DIGITS[0])


def twoing_sum(reasons: NodeReasons, candidate: SplitCandidate) -> FormulaWorking:
    """The twoing value: shares of the branches times the squared difference of their class shares."""
    children, known_weight = candidate.children, float(candidate.children.sum())
    left, right = branch_names(reasons.schema, candidate)
    weights, share = children.sum(axis=1), shares(children)
    terms = [
        Term("n1", float(weights[0]), f"records with {candidate.name} {left}"),
        Term("n2", float(weights[1]), f"records with {candidate.name} {right}"),
        Term("n", known_weight, "records here whose value is known"),
    ]
    parts = []
    for code, label in enumerate(reasons.schema.classes):
        if children[:, code].any():
            parts.append(f"abs({{p1{code}}} - {{p2{code}}})")
            terms += [
                Term(f"p{b + 1}{code}", float(share[b, code]), f"share of {label} in branch {b + 1}") for b in (0, 1)
            ]
    formula = f"{{n1}}/{{n}} x {{n2}}/{{n}} / 4 x ({' + '.join(parts)})^2"
    if not _all_known(reasons, known_weight):
        formula = f"{{n}}/{{N}} x {formula}"
        terms.append(Term("N", reasons.weight, "all records here"))
    return FormulaWorking("Twoing", formula, tuple(terms), candidate.gain, "Breiman et al. 1984, section 4.3.2")


def ratio_sum(reasons: NodeReasons, candidate: SplitCandidate) -> FormulaWorking:
    """The gain per bit of split information."""
    known_weight = float(candidate.children.sum())
    gain_is = f"information gain{' after the MDL correction' if candidate.correction > 0 else ''}"
    parts, terms = [], [Term("gain", candidate.gain, gain_is), Term("N", reasons.weight, "all records here")]
    weights = [*candidate.children.sum(axis=1).tolist()]
    names = [f"with {candidate.name} {branch}" for branch in branch_names(reasons.schema, candidate)]
    if not _all_known(reasons, known_weight):
        weights.append(reasons.weight - known_weight)
        names.append(f"without a value of {candidate.name}")
    for i, (weight, name) in enumerate(zip(weights, names, strict=True), 1):
        if weight > 0:
            terms.append(Term(f"n{i}", weight, f"records {name}"))
            parts.append(f"- {{n{i}}}/{{N}} x log2({{n{i}}}/{{N}})")
    value = candidate.gain_ratio if candidate.split_information > 1e-9 else None
    ratio = (lambda written: written(candidate.gain) / candidate.split_information, candidate.gain_ratio)
    gain = (lambda written: written(candidate.gain), candidate.gain)
    digits = _telling_digits(gain) if value is None else _telling_digits(gain, ratio)
    formula = f"{{gain}} / ({' '.join(parts)})"
    title = ratio_title(candidate.correction > 0)
    return FormulaWorking(title, formula, tuple(terms), value, "Eq. 3.10", digits=digits)


def _all_known(reasons: NodeReasons, known_weight: float) -> bool:
    return abs(reasons.weight - known_weight) <= 1e-9 * max(1.0, reasons.weight)


@dataclass(frozen=True)
class LeafReason:
    """Why a node is a leaf: a sentence, and the formulas that decided if it was pruned."""

    sentence: str
    workings: tuple[FormulaWorking, ...] = ()


_SPARES_NOTHING = ("error-based", "pessimistic", "description-length", "cost-complexity")
"""Methods that cut subtrees that classify no more training records correctly."""


def cut_back(reasons: NodeReasons, learner: WholeTreeLearner, depth: int, context: RunContext) -> LeafReason | None:
    """The comparison that pruned the node; None if the method would have kept its subtree."""
    stops = learner.early_stopping or learner.chance_allowed is not None
    if learner.pruning == "none" and not stops:
        return None
    depth_left = None if reasons.options.max_depth is None else reasons.options.max_depth - depth
    options = replace(reasons.options, max_depth=depth_left, max_leaves=None)
    below = learner.grown(reasons.records.here, options, context.child(0.0, 1), reasons.records.whole).tree
    if below.n_nodes == 1:
        return None
    assert reasons.chosen is not None
    question = test_words(reasons.schema, reasons.chosen)
    if learner.chance_allowed is not None and log_chances(below)[0] > log(learner.chance_allowed) + 1e-9:
        return _by_chance(f"The split {question}", learner.chance_allowed, below)
    here = None
    if reasons.held_out is not None:
        here = records_at(reasons.tree, reasons.node, reasons.held_out, context.checkpoint).here
    tested = held_out_counts(below, here, context)
    if learner.early_stopping and here is not None and stopped_early(below, tested).n_nodes == 1:
        return LeafReason(_stopped(f"The split {question}", below, tested))
    would = f"The subtree ({question} first, {below.n_leaves:,} leaves)"
    wrong = training_errors(below)
    if learner.pruning in _SPARES_NOTHING and wrong[0] - float(wrong[below.n_children == 0].sum()) < 1e-3:
        return LeafReason(f"{would} would not lower the training errors: it was pruned.")
    if learner.tests_inside:
        return LeafReason(
            f"{would} was pruned: tested inside the training records, the smaller tree was about as accurate."
        )
    if learner.critical_value is not None and learner.pruning == "critical-value":
        strongest = float(strengths(below)[0])
        return (
            None
            if strongest >= learner.critical_value - 1e-9
            else LeafReason(
                f"{would} was pruned: its best split gains {fixed(strongest, 3)}, below the critical value "
                f"{learner.critical_value:g}."
            )
        )
    rule = learner.cost_rule(reasons.records.whole, reasons.held_out)
    return None if rule is None else _compared(f"{would} was pruned", reasons, learner, rule, below, tested)


def _by_chance(question: str, significance: float, below: Tree) -> LeafReason:
    statistic, freedom = chi_square(below.counts[list(below.children(0))])
    chance = exp(float(log_chances(below)[0]))
    terms = (
        Term("X", float(statistic), "chi-square of class and branch"),
        Term("df", float(freedom), "degrees of freedom: branches less one, times classes less one"),
    )
    working = FormulaWorking("p-value of the branches", "P({X}, {df})", terms, chance, "Quinlan 1986")
    return LeafReason(
        f"{question} was pruned: its branches differ with p = {chance:.3g}, above the significance level "
        f"{significance:g}.",
        (working,),
    )


def _stopped(question: str, below: Tree, tested: FloatArray) -> str:
    n = float(tested[0].sum())
    if n <= 0:
        return f"{question} was not tried: no held-out record comes here."
    wrong = tested.sum(axis=1) - tested[np.arange(below.n_nodes), below.decision]
    before, after = float(wrong[0]), float(wrong[list(below.children(0))].sum())
    return (
        f"{question} was not made: of the {records_words(n)} held out that come here, "
        f"{weight_text(before)} would be wrong without it and {weight_text(after)} with it."
    )


def _compared(
    would: str, reasons: NodeReasons, learner: WholeTreeLearner, rule: CostRule, below: Tree, tested: FloatArray
) -> LeafReason | None:
    """The costs of the subtree ``below`` and of one leaf by the rule; None if the leaf costs clearly more."""
    costs = as_leaves(rule, below.counts, below.decision, tested)
    own, best = float(costs[0]), least_below(below, costs, rule.inner)
    if own > best + rule.slack:
        return None
    n, wrong = float(below.counts[0].sum()), float(training_errors(below)[0])
    errors = Term("errors", wrong, "training records that are wrong")
    if learner.pruning == "reduced-error":
        n = float(tested[0].sum())
        if n <= 0:
            return LeafReason(f"{would}: no held-out record comes here to support it.")
        return LeafReason(
            f"{would}: of the {records_words(n)} held out that come here, one leaf gets {weight_text(own)} wrong, the "
            f"subtree {weight_text(best)}."
        )
    if learner.pruning == "pessimistic":
        price = f"training errors and {weight_text(rule.second)} for each leaf" if rule.second else "training errors"
        sentence = f"{would}: with {price} it costs {best:.2f}, one leaf {own:.2f}."
        leaves, cost = Term("leaves", 1, "leaves"), Term("price", rule.second, "penalty of a leaf, in errors")
        name, formula, source = "Penalized errors of one leaf", "{errors} + {leaves} x {price}", "TSKK section 3.5.2"
        working = FormulaWorking(name, formula, (errors, leaves, cost), wrong + rule.second, source)
        return LeafReason(sentence, (working,))
    if learner.pruning == "description-length":
        sentence = f"{would}: splits, leaves and errors take {best:.1f} bits, one leaf and its errors {own:.1f}."
        leaf = Term("leaf", rule.second, "bits that name a class: log2 of their number")
        bits = Term("error", rule.first, "bits that name a record: log2 of the number of training records")
        name, value = "Description length of one leaf", rule.second + wrong * rule.first
        working = FormulaWorking(name, "{leaf} + {errors} x {error}", (leaf, errors, bits), value, "Eq. 3.12")
        return LeafReason(sentence, (working,))
    more = "" if own <= best else f" (a leaf may cost {rule.slack:g} more)"
    sentence = (
        f"{would}: on as many new records one leaf is expected to get {own:.2f} wrong, the subtree {best:.2f}{more}."
    )
    if learner.pruning == "minimum-error":
        return LeafReason(sentence, (_smoothed(reasons, wrong, n, rule),))
    rate = (
        f"pessimistic error rate of {weight_text(wrong)} wrong in {weight_text(n)}, confidence {learner.confidence:g}"
    )
    sources = {"normal": "Eq. 3.13", "corrected": "program C4.5, release 8"}
    source = sources.get(learner.bound, "Quinlan 1993, section 4.2")
    terms = Term("n", n, "training records here"), Term("U", own / n, rate)
    return LeafReason(sentence, (FormulaWorking("Expected errors of one leaf", "{n} x {U}", terms, own, source),))


def _smoothed(reasons: NodeReasons, errors: float, n: float, rule: CostRule) -> FormulaWorking:
    decision = int(reasons.tree.decision[reasons.node])
    prior = float(rule.priors[decision])
    terms = (
        Term("n", n, "training records here"),
        Term("errors", errors, "of them wrong"),
        Term("m", rule.first, "virtual records"),
        Term("p", prior, f"share of {reasons.schema.classes[decision]} among those"),
    )
    value = n * (errors + (1 - prior) * rule.first) / (n + rule.first)
    formula = "{n} x ({errors} + (1 - {p}) x {m}) / ({n} + {m})"
    return FormulaWorking("Expected errors of one leaf", formula, terms, value, "Cestnik and Bratko 1991")


def least_below(tree: Tree, as_leaf: FloatArray, inner: float = 0.0) -> float:
    """Least cost of the subtrees below the root: of a node ``as_leaf`` (m,), or of its children and ``inner``."""
    below = np.full(tree.n_nodes, inner)
    for node in range(tree.n_nodes - 1, 0, -1):
        cost = float(as_leaf[node]) if tree.is_leaf(node) else min(float(as_leaf[node]), float(below[node]))
        below[tree.parent[node]] += cost
    return float(below[0])


def why_leaf(
    reasons: NodeReasons,
    learner: TreeLearner,
    context: RunContext | None = None,
    otherwise: str = "The tree was finished early.",
) -> LeafReason:
    """Why a node is a leaf, from the tree grown anew below it; ``otherwise`` if the learner would have split it."""
    context = RunContext() if context is None else context
    options, tree, weight = reasons.options, reasons.tree, reasons.weight
    label = reasons.schema.classes[int(tree.decision[reasons.node])]
    if weight <= 0:
        return LeafReason("No training record comes here: it predicts the class of its parent.")
    if weight - float(reasons.counts.max()) <= 1e-9 * weight:
        one = weight_text(weight) == "1"
        whole = "The one record here is" if one else f"All {records_words(weight)} here are"
        return LeafReason(f"{whole} {label}: the node is pure.")
    depth = len(tree.path(reasons.node)) - 1
    if isinstance(reasons, ChaidReasons):
        ended = leaf_sentence(reasons, depth)
        if ended:
            return LeafReason(ended)
    if weight < 2.0 * options.min_leaf - 1e-9:
        return LeafReason(
            f"Only {records_words(weight)} come{'s' if weight_text(weight) == '1' else ''} here, "
            f"and a split needs two branches of at least {records_words(options.min_leaf)}."
        )
    if options.max_depth is not None and depth >= options.max_depth:
        return LeafReason(f"The maximum depth of {options.max_depth} is reached.{_best(reasons)}")
    if reasons.chosen is None:
        return LeafReason(_no_question(reasons))
    if isinstance(learner, WholeTreeLearner):
        cut = cut_back(reasons, learner, depth, context)
        if cut is not None:
            return cut
    if options.max_leaves is not None:
        return LeafReason(f"The maximum of {options.max_leaves} leaves is reached by better splits.{_best(reasons)}")
    if isinstance(learner, WholeTreeLearner) and (learner.raises or learner.tests_inside):
        return LeafReason(f"Pruning replaced a split by this leaf.{_best(reasons)}")
    return LeafReason(f"{otherwise}{_best(reasons)}")


def _best(reasons: NodeReasons) -> str:
    if reasons.chosen is None:
        return ""
    question, what = test_words(reasons.schema, reasons.chosen), quantity(reasons)
    return f" The best split would have been {question} ({what} {quantity_figure(reasons, reasons.chosen)})."


def _no_question(reasons: NodeReasons) -> str:
    verdicts = {candidate.verdict for candidate in reasons.candidates}
    if verdicts <= {SplitVerdict.CONSTANT, SplitVerdict.USED_ABOVE, SplitVerdict.MISSING}:
        return "The records here have equal values in every attribute: no split separates them."
    if reasons.compares_chances and verdicts & {SplitVerdict.NO_GAIN, SplitVerdict.BELOW_LEAST_GAIN}:
        return "No split is significant here."
    if SplitVerdict.BELOW_LEAST_GAIN in verdicts:
        return f"No split has the minimum gain of {fixed(reasons.options.min_gain, 3)}."
    if verdicts & {SplitVerdict.NO_GAIN, SplitVerdict.BELOW_AVERAGE}:
        return "No split has a gain here."
    if SplitVerdict.TOO_MANY_THRESHOLDS in verdicts:
        return "The MDL correction for many thresholds exceeds the best gain."
    return f"No split has two branches of at least {records_words(reasons.options.min_leaf)}."
