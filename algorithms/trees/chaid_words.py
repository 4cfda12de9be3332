"""What was weighed at a node of a CHAID tree, in words and as sums."""

from __future__ import annotations

from dataclasses import replace
from math import exp

from algorithms.core.scores import Term, Working
from algorithms.trees.chaid_reasons import ChaidCandidate, ChaidReasons
from algorithms.trees.chi_square import adjusted
from algorithms.trees.reasons import Candidate, Verdict

_SOURCE = "Kass 1980"
_PEARSON = "Pearson; Kass 1980"


def chance(p: float) -> str:
    """A chance for reading: ``0.032``, ``below 0.001``."""
    if p != p:
        return "-"
    return "below 0.001" if p < 0.001 else f"{p:.3f}"


def small_chance(p: float) -> str:
    """A chance for comparing: ``0.032``, ``3e-52``."""
    if p != p:
        return "-"
    return f"{p:.3f}" if p >= 0.001 else f"{p:.0e}".replace("e-0", "e-") if p > 0 else "<1e-300"


def headline(reasons: ChaidReasons) -> str:
    """Why the node asks what it asks; empty for a leaf."""
    chosen = reasons.chosen
    if reasons.is_leaf or chosen is None:
        return ""
    rivals = sum(c.is_split for c in reasons.candidates) - 1
    end = ", which is less likely than of any other." if rivals else "."
    return (
        f"Were {chosen.name} of no matter for the class, its groups would differ so clearly with a chance of "
        f"{chance(chosen.gain_ratio)}{end}"
    )


def verdict_words(reasons: ChaidReasons, candidate: Candidate) -> str:
    """Why an attribute was asked or not."""
    rules, p = reasons.rules, chance(candidate.gain_ratio)
    limit = "" if rules is None else f"{rules.split:g}"
    not_enough = f"Its adjusted chance of {p} is more than the {limit} at which a question is asked."
    lower = _not_below(reasons.chosen, candidate) if reasons.chosen else not_enough
    best = "The clearest question for these records." if reasons.chosen else not_enough
    return {
        Verdict.CHOSEN: "Asked here.",
        Verdict.BEST: best if candidate.is_split else "No two of its groups differ enough to stay apart.",
        Verdict.LOWER: lower,
        Verdict.BELOW_LEAST_GAIN: not_enough,
        Verdict.NO_GAIN: "No two of its groups differ enough, or weigh enough, to stay apart.",
    }.get(candidate.verdict, "It is the same for all records here.")


def _not_below(chosen: Candidate, candidate: Candidate) -> str:
    said = (
        f"Its adjusted chance of {small_chance(candidate.gain_ratio)} is not below the "
        f"{small_chance(chosen.gain_ratio)} of {chosen.name}."
    )
    if candidate.gain > chosen.gain:
        said += " Its higher chi-square comes of more groups, or of more ways to form them."
    return said


def leaf_sentence(reasons: ChaidReasons, depth: int) -> str:
    """Why a leaf that is not pure grew no question; empty where it did, and what came after took it away."""
    rules = reasons.rules
    assert rules is not None
    if reasons.weight < rules.min_split - 1e-9:
        return f"Only {reasons.weight:,.6g} records come here, and a question needs {rules.min_split:,.6g}."
    if rules.max_depth is not None and depth >= rules.max_depth:
        return f"The tree may ask no more than {rules.max_depth} question{'s' * (rules.max_depth > 1)} in a row."
    best = next((c for c in reasons.candidates if c.is_split), None)
    if best is None:
        return "No attribute has two groups of values here that differ enough."
    if reasons.chosen is not None:
        return ""
    return (
        f"What the clearest question, {best.name}, shows here may be chance: so clear an answer comes with a chance of "
        f"{chance(best.gain_ratio)}, and more than {rules.split:g} is not trusted."
    )


def workings(reasons: ChaidReasons, candidate: Candidate) -> tuple[Working, ...]:
    """The statistic as the sum over branches and classes, and the adjustment of its chance."""
    split = candidate.split if isinstance(candidate, ChaidCandidate) else None
    if split is None or not candidate.is_split:
        return ()
    grouping = split.grouping
    exhaustive = reasons.rules is not None and reasons.rules.merging.exhaustive
    ways = "pairs of groups that were compared" if exhaustive else "ways of forming so many groups"
    terms = replace(candidate, log_p=grouping.log_p, log_ways=grouping.log_multiplier)
    return chance_workings(terms, ways, candidate.answers, _SOURCE)


def chance_workings(
    candidate: Candidate, ways: str, answers: tuple[str, ...] = (), source: str = _PEARSON
) -> tuple[Working, ...]:
    """The chi-square statistic of a candidate's branches, and its chance adjusted for the ``ways`` to choose them."""
    children = candidate.children
    answers = answers or tuple(f"branch {b + 1}" for b in range(len(children)))
    n, rows, columns = float(children.sum()), children.sum(axis=1), children.sum(axis=0)
    terms, parts = [Term("n", n, "records here")], []
    for b, answer in enumerate(answers):
        for c in range(children.shape[1]):
            if columns[c] <= 0 or rows[b] <= 0:
                continue
            symbol, expected = f"{b + 1}.{c + 1}", float(rows[b] * columns[c] / n)
            parts.append(f"({{O{symbol}}} - {{E{symbol}}})^2 / {{E{symbol}}}")
            class_name = f"class {c + 1}"
            terms.append(Term(f"O{symbol}", float(children[b, c]), f"records with {answer}, {class_name}"))
            terms.append(Term(f"E{symbol}", expected, "as many as there would be were they independent"))
    statistic = Working("Chi-square", " + ".join(parts), tuple(terms), candidate.gain, source)
    freedom = f"{candidate.split_information:g}"
    adjustment = (
        Term("p", adjusted(candidate.log_p, 0.0), f"chance of so much at {freedom} degrees of freedom"),
        Term("ways", exp(min(candidate.log_ways, 700.0)), ways),
    )
    return statistic, Working("Adjusted chance", "min(1, {p} x {ways})", adjustment, candidate.gain_ratio, source)
