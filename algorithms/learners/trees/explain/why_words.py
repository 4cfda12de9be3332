"""What :mod:`algorithms.learners.trees.explain.why` found, in words and as sums with their terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from algorithms.core.scores import FormulaWorking, Term
from algorithms.data.schema import Schema
from algorithms.learners.trees.explain import chaid_reasons
from algorithms.learners.trees.explain.chaid_reasons import ChaidReasons
from algorithms.learners.trees.explain.gain_curve import USUAL_DECIMALS, figure, telling_decimals
from algorithms.learners.trees.explain.reasons import NodeReasons, SplitCandidate, SplitVerdict
from algorithms.learners.trees.growth.impurity import IMPURITIES, shares
from algorithms.learners.trees.words import listed, number, softness_words
from algorithms.structures.tree import SplitTest

WITH_THRESHOLD: Final = (SplitTest.NUMERIC, SplitTest.LINEAR)
IMPURITY_NAMES: Final[Mapping[str, str]] = {
    "information-gain": "entropy",
    "gain-ratio": "entropy",
    "gini": "Gini index",
    "error": "classification error",
}
GAIN_NAMES: Final[Mapping[str, str]] = {
    "information-gain": "Information gain",
    "gain-ratio": "Information gain",
    "gini": "Gain in Gini index",
    "error": "Gain in classification error",
}


LEAST_SEEN: Final = 0.0005
"""Gains that differ by less may be the same in three decimals."""


def columns(reasons: NodeReasons) -> tuple[str, str]:
    """What the two numbers of a candidate are that are shown first."""
    return ("Chi-square", "Adjusted p") if reasons.compares_chances else ("Gain", "Gain ratio")


def gain_decimals(reasons: NodeReasons) -> tuple[int, int]:
    """How many decimals the gains of a node's candidates have in a table, and their gain ratios."""
    split = [candidate for candidate in reasons.candidates if candidate.is_split]
    return telling_decimals(each.gain for each in split), telling_decimals(each.gain_ratio for each in split)


def second_figure(reasons: NodeReasons, candidate: SplitCandidate, decimals: int = USUAL_DECIMALS) -> str:
    """The second number of a candidate for reading: its gain ratio, or the chance that candidates are compared by."""
    value = candidate.gain_ratio
    return chaid_reasons.small_chance(value) if reasons.compares_chances else figure(value, decimals)


def amount(weight: float) -> str:
    """A number of records: whole where it is, else with one decimal."""
    return f"{weight:,.0f}" if abs(weight - round(weight)) < 0.005 else f"{weight:,.1f}"


def records_words(weight: float) -> str:
    """``12 records``, ``1 record``."""
    return f"{amount(weight)} record{'' if amount(weight) == '1' else 's'}"


def branch_names(schema: Schema, candidate: SplitCandidate, at_most: int = 3) -> tuple[str, ...]:
    """What leads down each branch: ``≤ 2.5``, ``red or blue``."""
    if candidate.answers:
        return candidate.answers
    if candidate.test in WITH_THRESHOLD:
        return (f"≤ {number(candidate.threshold)}", f"> {number(candidate.threshold)}")
    values = schema.attributes[candidate.attribute].values
    codes = [np.flatnonzero(candidate.branch_of == branch) for branch in range(len(candidate.children))]
    return tuple(listed([values[code] for code in of_branch], at_most) for of_branch in codes)


def test_words(schema: Schema, candidate: SplitCandidate) -> str:
    """The question: ``age ≤ 2.5``, ``colour (red, green or blue)``, ``colour: red or blue, against green``."""
    if not candidate.is_split:
        return candidate.name
    if candidate.answers:
        return f"{candidate.name}: {', against '.join(candidate.answers)}"
    if candidate.test in WITH_THRESHOLD:
        return f"{candidate.name} ≤ {number(candidate.threshold)}"
    if candidate.test == SplitTest.MULTIWAY and np.count_nonzero(candidate.branch_of >= 0) == len(candidate.children):
        values = schema.attributes[candidate.attribute].values
        present = [values[code] for code in np.flatnonzero(candidate.branch_of >= 0)]
        return f"{candidate.name} ({listed(present, 3)})"
    return f"{candidate.name}: {', against '.join(branch_names(schema, candidate, 2))}"


# ---- in words --------------------------------------------------------------------------------------------------------


def headline(reasons: NodeReasons) -> str:
    """In a sentence, why the node asks what it asks, and in another where its threshold is soft; empty for a leaf."""
    return " ".join(part for part in (_headline(reasons), _softness(reasons)) if part)


def _softness(reasons: NodeReasons) -> str:
    """Why the threshold is soft; empty where it is not."""
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
        return f"You put this question here. Asking about {chosen.name} {_worth(reasons, chosen)}."
    if reasons.moved and reasons.options.draws:
        return f"This question was drawn by chance: {_drawn_from(reasons)}. Asking about {chosen.name} " + (
            f"{_worth(reasons, chosen)}."
        )
    if reasons.moved:
        return (
            f"Asking about {chosen.name} was the best for the records it was first asked of. Cutting the tree back "
            f"moved it up here, where it {_worth(reasons, chosen)}."
        )
    words = f"Asking about {chosen.name} {_worth(reasons, chosen)}"
    if reasons.compares_ratios and any(c.verdict is SplitVerdict.TIED for c in reasons.candidates):
        words += f" (gain ratio {figure(chosen.gain_ratio)})"
    tied = [c.name for c in reasons.candidates if c.verdict is SplitVerdict.TIED]
    if chosen.value <= 1e-9 and not reasons.compares_chances:
        return (
            f"No question alone tells anything here. {chosen.name} is asked because the tree may ask on without gain: "
            "two questions together may tell what none does alone."
        )
    if tied:
        return f"{words}, as much as {listed(tied, 3)}; it stands first in the table."
    rivals = sum(c.is_split for c in reasons.candidates) - 1
    if reasons.compares_chances:
        words += ", which is less likely than of any other question." if rivals else ", and it is the only question."
    elif reasons.compares_ratios:
        words += _ratio_clause(reasons, chosen, rivals)
    else:
        words += ", more than any other question." if rivals else ", and it is the only question there is."
    if reasons.options.criterion == "error" and reasons.criterion == "gini":
        words = f"No question leaves fewer records wrong, so the Gini index decides. {words}"
    return words


def _drawn_from(reasons: NodeReasons) -> str:
    """Among what a question was drawn."""
    options = reasons.options
    among = []
    if options.weighed is not None:
        among.append(f"only {options.weighed} attribute{'s' * (options.weighed > 1)}, drawn for it, counted")
    if options.best_of > 1:
        among.append(f"one of the best {options.best_of} is taken")
    return " and ".join(among)


def _worth(reasons: NodeReasons, candidate: SplitCandidate) -> str:
    """What a question is worth by the criterion, in plain words."""
    gain = candidate.gain
    if reasons.compares_chances:
        likely = chaid_reasons.chance(candidate.gain_ratio)
        return f"sets its branches so far apart in their classes that chance would do so with a probability of {likely}"
    if reasons.criterion == "gini":
        return f"leaves the classes {figure(gain)} less mixed (Gini index)"
    if reasons.criterion == "twoing":
        return f"sets the classes apart by {figure(gain)} (twoing)"
    if reasons.criterion == "error":
        return f"puts {100 * gain:.1f} more records in 100 right"
    return f"tells {gain:.2f} bit{'s' if gain > 1 else ''} about the class"


def _ratio_clause(reasons: NodeReasons, chosen: SplitCandidate, rivals: int) -> str:
    ratio = f" (gain ratio {figure(chosen.gain_ratio)})"
    if not rivals:
        return f"{ratio}, and it is the only question there is."
    larger = [c for c in reasons.candidates if not c.verdict.is_valid and c.gain_ratio > chosen.gain_ratio + 1e-9]
    barred = [c.name for c in larger if c.verdict is SplitVerdict.BELOW_AVERAGE]
    unpaid = [c.name for c in larger if c.verdict is SplitVerdict.TOO_MANY_THRESHOLDS]
    among = "any other question of at least average gain" if barred else "any other question"
    words = f": for the way it divides the records, more than {among}{ratio}."
    if barred:
        words += f" {listed(barred, 2)} would have a larger ratio, but tells too little."
    telling = [c for c in reasons.candidates if c.verdict.is_valid and c.gain > chosen.gain + LEAST_SEEN]
    if telling:
        most = max(telling, key=lambda c: c.gain)
        words += (
            f" {most.name} tells more ({figure(most.gain)}), but divides them more evenly or into more parts, and for "
            f"that it tells less (gain ratio {figure(most.gain_ratio)})."
        )
    if unpaid:
        words += (
            f" The larger ratio of {listed(unpaid, 2)} does not count: its gain does not pay for the choice among so "
            "many thresholds."
        )
    return words


def verdict_words(reasons: NodeReasons, candidate: SplitCandidate) -> str:
    """Why an attribute was asked or not, in a sentence."""
    if isinstance(reasons, ChaidReasons):
        return chaid_reasons.verdict_words(reasons, candidate)
    chosen, verdict = reasons.chosen, candidate.verdict
    weight = amount(reasons.options.min_leaf)
    what, mine = quantity(reasons), quantity_figure(reasons, candidate)
    lower = f"Its {what} is {mine}."
    if chosen is not None:
        decimals = telling_decimals((candidate.value, chosen.value))
        mine, other = (quantity_figure(reasons, each, decimals) for each in (candidate, chosen))
        lower = f"Its {what} of {mine} is less than the {other} of {chosen.name}."
        if reasons.compares_chances:
            lower = f"Chance alone would set its branches so far apart more often than those of {chosen.name}."
    words = {
        SplitVerdict.CHOSEN: _asked_words(reasons),
        SplitVerdict.BEST: "The best question for these records.",
        SplitVerdict.TIED: f"As good as {chosen.name if chosen else 'the best'}, which stands first in the table.",
        SplitVerdict.LOWER: lower,
        SplitVerdict.BELOW_AVERAGE: _below_average(reasons, candidate),
        SplitVerdict.NO_GAIN: "It tells nothing about the class here.",
        SplitVerdict.BELOW_LEAST_GAIN: f"It gains less than the least gain of {figure(reasons.options.min_gain)}."
        if not reasons.compares_chances
        else f"Its {what} of {mine} is more than is asked for.",
        SplitVerdict.TOO_FEW: f"It would leave fewer than two branches with at least {weight} records"
        f"{_of_numbers(reasons, candidate)}.",
        SplitVerdict.TOO_MANY_THRESHOLDS: f"Its gain of {figure(candidate.gain)} does not pay for the choice among "
        "so many thresholds.",
        SplitVerdict.USED_ABOVE: "Asked already above: it is the same for all records here.",
        SplitVerdict.CONSTANT: "It is the same for all records here.",
        SplitVerdict.MISSING: "No record here has a value for it.",
    }[verdict]
    if (reasons.moved or reasons.by_hand) and verdict in (SplitVerdict.LOWER, SplitVerdict.TIED):
        return f"Its {what} here is {mine}."
    return words


def quantity(reasons: NodeReasons) -> str:
    """What candidates are compared by: ``gain``, ``gain ratio``, ``chance``."""
    return "chance" if reasons.compares_chances else "gain ratio" if reasons.compares_ratios else "gain"


def quantity_figure(reasons: NodeReasons, candidate: SplitCandidate, decimals: int = USUAL_DECIMALS) -> str:
    """A candidate's :func:`quantity` for reading."""
    return chaid_reasons.chance(candidate.gain_ratio) if reasons.compares_chances else figure(candidate.value, decimals)


def _asked_words(reasons: NodeReasons) -> str:
    if reasons.by_hand:
        return "Asked here because you put it here."
    if reasons.moved and reasons.options.draws:
        return "Asked here: drawn by chance."
    return "Asked here since the tree was cut back." if reasons.moved else "Asked here."


def _of_numbers(reasons: NodeReasons, candidate: SplitCandidate) -> str:
    if candidate.test != SplitTest.NUMERIC or not reasons.options.numeric_min_split:
        return ""
    return " (for a number each side needs a tenth of a class's average share, up to 25)"


def _below_average(reasons: NodeReasons, candidate: SplitCandidate) -> str:
    mean = reasons.average_gain if reasons.average_gain is not None else float("nan")
    decimals = telling_decimals((candidate.gain, mean))
    gain, average = figure(candidate.gain, decimals), figure(mean, decimals)
    return f"Its gain of {gain} is below the average of {average}: gain ratios of such are not compared."


# ---- the sums --------------------------------------------------------------------------------------------------------


def workings(reasons: NodeReasons, candidate: SplitCandidate) -> tuple[FormulaWorking, ...]:
    """How a candidate's gain came about, its gain ratio where that is compared, and how many records its threshold may
    get wrong where that is soft; none where it has no split."""
    if not candidate.is_split:
        return ()
    if isinstance(reasons, ChaidReasons):
        return chaid_reasons.workings(reasons, candidate)
    soft = reasons.softness if candidate is reasons.chosen else None
    return (*_gains(reasons, candidate), *(() if soft is None else (soft.working(),)))


def _gains(reasons: NodeReasons, candidate: SplitCandidate) -> tuple[FormulaWorking, ...]:
    if reasons.compares_chances:
        return chaid_reasons.chance_workings(candidate, _ways(candidate))
    if reasons.criterion == "twoing":
        return (twoing_sum(reasons, candidate),)
    found = [gain_sum(reasons, candidate)]
    if reasons.criterion in ("gain-ratio", "information-gain"):
        found.append(ratio_sum(reasons, candidate))
    return tuple(found)


def _ways(candidate: SplitCandidate) -> str:
    """Among what the question is the best."""
    return (
        "lines to choose among"
        if candidate.test in (SplitTest.NUMERIC, SplitTest.ORDINAL, SplitTest.RANGES)
        else "ways of grouping"
    )


def gain_sum(reasons: NodeReasons, candidate: SplitCandidate) -> FormulaWorking:
    """Impurity before, less that of the branches weighed by their records:
    ``0.930 - (429/699 x 0.071 + 270/699 x 0.477)``."""
    impurity, name = IMPURITIES[reasons.criterion], IMPURITY_NAMES[reasons.criterion]
    children, known = candidate.children, float(candidate.children.sum())
    terms = [
        Term("I", float(impurity(children.sum(axis=0))), f"{name} before the question"),
        Term("n", known, "records here" if _all_known(reasons, known) else "records here whose value is known"),
    ]
    parts = []
    each = zip(branch_names(reasons.schema, candidate), children.sum(axis=1), impurity(children), strict=True)
    for i, (branch, weight, value) in enumerate(each, 1):
        parts.append(f"{{n{i}}}/{{n}} x {{I{i}}}")
        terms += [
            Term(f"n{i}", float(weight), f"records with {candidate.name} {branch}"),
            Term(f"I{i}", float(value), f"{name} of these"),
        ]
    formula = f"{{I}} - ({' + '.join(parts)})"
    if not _all_known(reasons, known):
        formula = f"{{n}}/{{N}} x ({formula})"
        terms.append(Term("N", reasons.weight, "all records here"))
    if candidate.correction > 0:
        thresholds = float(round(2.0 ** (candidate.correction * reasons.weight)))
        whole = "N" if not _all_known(reasons, known) else "n"
        formula += f" - log2({{t}})/{{{whole}}}"
        terms.append(Term("t", thresholds, "thresholds to choose among (C4.5's correction)"))
    return FormulaWorking(GAIN_NAMES[reasons.criterion], formula, tuple(terms), candidate.gain, "Eq. 3.8")


def twoing_sum(reasons: NodeReasons, candidate: SplitCandidate) -> FormulaWorking:
    """The shares of the branches times the square of how far their class shares are apart."""
    children, known = candidate.children, float(candidate.children.sum())
    left, right = branch_names(reasons.schema, candidate)
    weights, share = children.sum(axis=1), shares(children)
    terms = [
        Term("n1", float(weights[0]), f"records with {candidate.name} {left}"),
        Term("n2", float(weights[1]), f"records with {candidate.name} {right}"),
        Term("n", known, "records here whose value is known"),
    ]
    parts = []
    for code, label in enumerate(reasons.schema.classes):
        if children[:, code].any():
            parts.append(f"abs({{p1{code}}} - {{p2{code}}})")
            terms += [
                Term(f"p{b + 1}{code}", float(share[b, code]), f"share of {label} in branch {b + 1}") for b in (0, 1)
            ]
    formula = f"{{n1}}/{{n}} x {{n2}}/{{n}} / 4 x ({' + '.join(parts)})^2"
    if not _all_known(reasons, known):
        formula = f"{{n}}/{{N}} x {formula}"
        terms.append(Term("N", reasons.weight, "all records here"))
    return FormulaWorking("Twoing", formula, tuple(terms), candidate.gain, "Breiman et al. 1984, section 4.3.2")


def ratio_sum(reasons: NodeReasons, candidate: SplitCandidate) -> FormulaWorking:
    """The gain per bit of split information."""
    known = float(candidate.children.sum())
    parts, terms = [], [Term("gain", candidate.gain, "information gain"), Term("N", reasons.weight, "all records here")]
    weights = [*candidate.children.sum(axis=1).tolist()]
    names = [f"with {candidate.name} {branch}" for branch in branch_names(reasons.schema, candidate)]
    if not _all_known(reasons, known):
        weights.append(reasons.weight - known)
        names.append(f"without a value of {candidate.name}")
    for i, (weight, name) in enumerate(zip(weights, names, strict=True), 1):
        if weight > 0:
            terms.append(Term(f"n{i}", weight, f"records {name}"))
            parts.append(f"- {{n{i}}}/{{N}} x log2({{n{i}}}/{{N}})")
    value = candidate.gain_ratio if candidate.split_information > 1e-9 else None
    return FormulaWorking("Gain ratio", f"{{gain}} / ({' '.join(parts)})", tuple(terms), value, "Eq. 3.10")


def _all_known(reasons: NodeReasons, known: float) -> bool:
    return abs(reasons.weight - known) <= 1e-9 * max(1.0, reasons.weight)
