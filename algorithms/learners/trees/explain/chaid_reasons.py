"""Why a CHAID node splits as it does: each predictor's groups and tests, as values and as text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp

import numpy as np

from algorithms.core.run_control import RunContext
from algorithms.core.scores import FormulaWorking, Term
from algorithms.data.dataset import Dataset
from algorithms.learners.trees.explain.node_reasons import GainCurve, NodeReasons, SplitCandidate, SplitVerdict
from algorithms.learners.trees.growth.chaid_growth import (
    CategoryPredictor,
    CategoryTest,
    ChaidOptions,
    ChaidSplit,
    best_of,
    is_significant,
    judged,
    predictors_of,
    table_of,
)
from algorithms.learners.trees.growth.growth_options import GrowthOptions
from algorithms.learners.trees.growth.split_criteria import adjusted
from algorithms.learners.trees.routing import records_at
from algorithms.structures.tree import SplitTest, Tree, range_words
from algorithms.text.numbers import p_text, p_words, with_minus
from algorithms.text.sentences import listed, typeset


@dataclass(frozen=True, eq=False, kw_only=True)
class ChaidReasons(NodeReasons):
    """The splits of a node of a CHAID tree; a candidate's ``value`` is minus the log of its adjusted p-value."""

    rules: ChaidOptions

    def curve(self, attribute: int) -> GainCurve | None:
        """None, because CHAID does not try single thresholds."""
        return None


def chaid_reasons(tree: Tree, node: int, data: Dataset, options: ChaidOptions, context: RunContext) -> ChaidReasons:
    """The evaluated predictors of a node, the best first; ``data`` are the training records of the tree."""
    records = records_at(tree, node, data, context.checkpoint)
    k = len(data.schema.classes)
    classes, weights = records.whole.class_codes.astype(np.int64), records.whole.weight_array
    splits: list[tuple[CategoryPredictor, ChaidSplit | None]] = []
    for predictor in predictors_of(records.whole, options.intervals, context):
        table = table_of(predictor, records.rows, classes, weights, k)
        splits.append((predictor, judged(predictor, table, options.merging, context)))
    best = best_of([split for _, split in splits])
    asked = None if tree.is_leaf(node) else int(tree.attribute[node])
    chosen_index = asked if asked is not None else None if best is None else best.predictor.index
    mark = SplitVerdict.CHOSEN if asked is not None else SplitVerdict.BEST
    candidates = [_candidate(predictor, split, options) for predictor, split in splits]
    candidates = [replace(c, verdict=mark) if c.attribute == chosen_index else c for c in candidates]
    candidates.sort(key=lambda c: (c.attribute != chosen_index, not c.is_split, -c.value if c.is_split else 0.0))
    ranked = [replace(c, rank=i + 1 if c.is_split else None) for i, c in enumerate(candidates)]
    significant = asked is not None or is_significant(best, options)
    return ChaidReasons(
        tree=tree,
        node=node,
        options=GrowthOptions(min_leaf=options.merging.least, max_depth=options.max_depth),
        records=records,
        criterion="chi-square",
        candidates=tuple(ranked),
        chosen=next((c for c in ranked if c.attribute == chosen_index and significant), None),
        rules=options,
    )


def _candidate(predictor: CategoryPredictor, split: ChaidSplit | None, options: ChaidOptions) -> SplitCandidate:
    attribute, name = predictor.index, predictor.attribute.name
    if split is None or len(split.grouping.groups) < 2:
        verdict = SplitVerdict.CONSTANT if split is None else SplitVerdict.NO_GAIN
        return SplitCandidate(attribute=attribute, name=name, test=SplitTest.LEAF, verdict=verdict)
    grouping, test = split.grouping, split.test
    significant = is_significant(split, options)
    children = np.zeros((test.n_branches, grouping.table.shape[1]))
    for group, row in zip(grouping.groups, grouping.table, strict=True):
        children[test.branch_of_category[split.present[group[0]]]] = row
    return SplitCandidate(
        attribute=attribute,
        name=name,
        test=test.test,
        threshold=test.threshold,
        branch_of=test.branch_of.astype(np.int16),
        children=children,
        gain=grouping.statistic,
        split_information=float(grouping.freedom),
        gain_ratio=adjusted(grouping.log_p, grouping.log_multiplier),
        value=-grouping.log_adjusted,
        verdict=SplitVerdict.LOWER if significant else SplitVerdict.BELOW_LEAST_GAIN,
        answers=answers(split, test),
        log_p=grouping.log_p,
        log_ways=grouping.log_multiplier,
    )


def answers(split: ChaidSplit, test: CategoryTest) -> tuple[str, ...]:
    """Condition of each branch: ``red or blue``, ``<= 2.5 or missing``, ``is missing``."""
    phrases = []
    values = split.predictor.attribute.values
    for b in range(test.n_branches):
        codes = np.flatnonzero(test.branch_of_category[:-1] == b).tolist()
        if not codes:
            phrases.append("is missing")
            continue
        if split.predictor.ends is None:
            words = listed([values[code] for code in codes], 3)
        else:
            words = range_words(float(test.ends[b - 1]) if b else -np.inf, float(test.ends[b]))
        phrases.append(f"{typeset(words)}{' or missing' if test.missing_to == b else ''}")
    return tuple(phrases)


_SOURCE = "Kass 1980"
_PEARSON = "Pearson; Kass 1980"


def chance(p: float) -> str:
    """A p-value for a sentence: ``0.032``, ``below 0.001``."""
    if p != p:
        return "-"
    return "below 0.001" if p < 0.001 else f"{p:.3f}"


def small_chance(p: float) -> str:
    """A p-value that is compared with another one: ``0.032``, ``3e−52``."""
    if p != p:
        return "-"
    return f"{p:.3f}" if p >= 0.001 else with_minus(f"{p:.0e}".replace("e-0", "e-") if p > 0 else "<1e-300")


def headline(reasons: ChaidReasons) -> str:
    """Sentence on why the node has its split; empty for a leaf."""
    chosen = reasons.chosen
    if reasons.is_leaf or chosen is None:
        return ""
    rivals = sum(c.is_split for c in reasons.candidates) - 1
    end = ", the lowest of all attributes." if rivals else "."
    return f"The groups of {chosen.name} differ: adjusted {p_words(chosen.gain_ratio)}{end}"


def verdict_words(reasons: ChaidReasons, candidate: SplitCandidate) -> str:
    """Sentence on why the node splits by an attribute, or does not."""
    rules, p = reasons.rules, chance(candidate.gain_ratio)
    not_enough = f"Its adjusted p-value of {p} is above α = {rules.split:g}."
    lower = _not_below(reasons.chosen, candidate) if reasons.chosen else not_enough
    best = "The most significant split for these records." if reasons.chosen else not_enough
    return {
        SplitVerdict.CHOSEN: "Chosen.",
        SplitVerdict.BEST: best if candidate.is_split else "No two of its groups differ enough to stay apart.",
        SplitVerdict.LOWER: lower,
        SplitVerdict.BELOW_LEAST_GAIN: not_enough,
        SplitVerdict.NO_GAIN: "No two of its groups differ enough, or weigh enough, to stay apart.",
    }.get(candidate.verdict, "All records here have the same value.")


def _not_below(chosen: SplitCandidate, candidate: SplitCandidate) -> str:
    phrase = (
        f"Its adjusted p-value of {small_chance(candidate.gain_ratio)} is not below the "
        f"{small_chance(chosen.gain_ratio)} of {chosen.name}."
    )
    if candidate.gain > chosen.gain:
        phrase += " Its higher chi-square comes from more groups, or more ways to form them."
    return phrase


def leaf_sentence(reasons: ChaidReasons, depth: int) -> str:
    """Sentence on why an impure leaf was not divided; empty if pruning removed its split."""
    rules = reasons.rules
    if reasons.weight < rules.min_split - 1e-9:
        return f"Only {reasons.weight:,.6g} records come here, and a split needs {rules.min_split:,.6g}."
    if rules.max_depth is not None and depth >= rules.max_depth:
        return f"The maximum depth of {rules.max_depth} is reached."
    best = next((c for c in reasons.candidates if c.is_split), None)
    if best is None:
        return "No attribute has two groups of values here that differ enough."
    if reasons.chosen is not None:
        return ""
    return (
        f"The most significant split, {best.name}, has an adjusted p-value of {chance(best.gain_ratio)}, above "
        f"α = {rules.split:g}."
    )


def workings(reasons: ChaidReasons, candidate: SplitCandidate) -> tuple[FormulaWorking, ...]:
    """The statistic as a sum over branches and classes, and the adjustment of its p-value."""
    if not candidate.is_split:
        return ()
    exhaustive = reasons.rules.merging.exhaustive
    ways = "pairs of groups that were compared" if exhaustive else "ways of forming so many groups"
    return chance_workings(candidate, ways, candidate.answers, _SOURCE)


def chance_workings(
    candidate: SplitCandidate, ways: str, answers: tuple[str, ...] = (), source: str = _PEARSON
) -> tuple[FormulaWorking, ...]:
    """The chi-square statistic of a candidate's branches, and its p-value adjusted for the ``ways`` to choose them."""
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
            terms.append(Term(f"E{symbol}", expected, "expected if independent"))
    statistic = FormulaWorking("Chi-square", " + ".join(parts), tuple(terms), candidate.gain, source)
    freedom = f"{candidate.split_information:g}"
    adjustment = (
        Term("p", adjusted(candidate.log_p, 0.0), f"p-value at {freedom} degrees of freedom"),
        Term("ways", exp(min(candidate.log_ways, 700.0)), ways),
    )
    p = candidate.gain_ratio
    return statistic, FormulaWorking("Adjusted p-value", "min(1, {p} x {ways})", adjustment, p, source, shown=p_text(p))
