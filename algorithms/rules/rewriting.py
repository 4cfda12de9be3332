"""A tree rewritten as a list of rules: each way made shorter, the best subset for each class, the classes in order."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

import numpy as np
from scipy import special

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.rule_set import Condition, Rule, RuleSet, put_together
from algorithms.core.structures import Tree
from algorithms.rules.class_by_class import by_false_positives, default_class, without_harmful
from algorithms.rules.ranked import LAST_RANK, Ranked
from algorithms.rules.simplifying import Answers, Simplified, Simplifier
from algorithms.rules.subset_choice import Candidates, Choice, Description, best_subset
from algorithms.rules.tree_paths import joined, tree_paths


@dataclass(frozen=True)
class RewritingOptions:
    """See :class:`algorithms.rules.c45_rules.C45Rules`."""

    confidence: float = 0.25
    rules_weight: float = 0.5
    balanced: bool = True
    by_false_positives: bool = False


def rewritten(
    tree: Tree, data: Dataset, options: RewritingOptions, context: RunContext, rewriting: type[Rewriting] | None = None
) -> tuple[RuleSet, bool]:
    """The rules that a tree grown on this data is rewritten to, without counts, and whether it was finished early.

    Then they are the best of the heaviest ways, as far as these were looked at. ``rewriting`` watches their making.
    """
    work = (rewriting or Rewriting)(data, options, context)
    rules, default = work.settled(work.chosen(work.simplified(tree)))
    made = [Rule(joined(each.rule.conditions), each.rule.decision) for each in rules]
    return put_together(data.schema, made, default, criterion="description-length"), context.finishing


class Rewriting:
    """The steps from a tree to a list of rules."""

    def __init__(self, data: Dataset, options: RewritingOptions, context: RunContext) -> None:
        self.data, self.options, self.context = data, options, context
        self.codes = data.class_codes.astype(np.int64)
        self.weights = np.array(data.weight_array, dtype=np.float64)

    def simplified(self, tree: Tree) -> list[Simplified]:
        """The ways of the tree made shorter, each once, without those that are no better than guessing.

        The heaviest are looked at first, so that those stand that matter most where it is finished early.
        """
        simplifier = Simplifier(Answers(self.data, self.context.checkpoint), self.options.confidence)
        ways = tree_paths(tree, self.context.checkpoint)
        heavy = np.array([tree.counts[way.leaf].sum() for way in ways])
        found = dict[tuple[int, frozenset[Condition]], tuple[int, Simplified]]()
        for done, number in enumerate(np.argsort(-heavy, kind="stable").tolist()):
            self.context.checkpoint()
            if self.context.finishing or heavy[number] <= 0:
                break
            self.context.advance(done, 2 * len(ways))
            way = ways[number]
            each = self.shortened(simplifier, Rule(way.conditions, way.decision))
            key = way.decision, frozenset(each.rule.conditions)
            is_sure = bool(each.rule.conditions) and each.error < simplifier.guessing_error(way.decision) - 1e-9
            first, known = found.get(key, (number, None))
            if self.is_taken(each, is_sure=is_sure, is_new=known is None):
                found[key] = (number, each) if known is None or number < first else (first, known)
        return [each for _, each in sorted(found.values(), key=lambda one: one[0])]

    def shortened(self, simplifier: Simplifier, rule: Rule) -> Simplified:
        """A way without the conditions that it can spare."""
        return simplifier.simplified(rule)

    def is_taken(self, each: Simplified, *, is_sure: bool, is_new: bool) -> bool:
        """Whether a rule is one to choose from: it is better than guessing."""
        return is_sure

    def chosen(self, simplified: list[Simplified]) -> list[Simplified]:
        """The best subset for each class, the classes in order, in each the most certain rule first."""
        bits_of = ConditionBits(Ranked.of(self.data, self.context.checkpoint))
        told = Description(float(self.weights.sum()), self.options.balanced, self.options.rules_weight)
        random = self.context.random()
        kept, lengths = dict[int, list[Simplified]](), dict[int, float]()
        classes = sorted({each.rule.decision for each in simplified})
        for number, code in enumerate(classes):
            self.context.advance(len(classes) + number, 2 * len(classes))
            own = [each for each in simplified if each.rule.decision == code]
            choice = self.subset(own, code, bits_of, told, random)
            lengths[code] = choice.bits
            some = [each for each, keep in zip(own, choice.kept.tolist(), strict=True) if keep]
            kept[code] = sorted(some, key=lambda each: each.error)
        if self.options.by_false_positives:
            order = by_false_positives(kept, self.codes, self.weights)
        else:
            order = sorted(kept, key=lambda code: (round(lengths[code], 6), code))
        return [each for code in order for each in kept[code]]

    def settled(self, rules: list[Simplified]) -> tuple[list[Simplified], int]:
        """The list without rules that do harm, and the class of the default rule."""
        default = default_class(rules, self.codes, self.weights, len(self.data.schema.classes))
        if self.context.finishing:
            return rules, default
        return without_harmful(rules, default, self.codes, self.weights, self.context.checkpoint), default

    def subset(
        self,
        own: list[Simplified],
        code: int,
        bits_of: ConditionBits,
        told: Description,
        random: np.random.Generator,
    ) -> Choice:
        """Which of the rules for a class describe it in the fewest bits."""
        is_own = self.codes == code
        weights = np.stack([np.where(is_own, self.weights, 0.0), np.where(is_own, 0.0, self.weights)], axis=1)
        bits = np.array([bits_of.rule(each.rule) for each in own])
        candidates = Candidates.of([each.covered for each in own], bits, weights, told)
        return best_subset(candidates, random, self.context.checkpoint, lambda: self.context.finishing)


class ConditionBits:
    """The bits that spell conditions out: which attribute, and which of its values, or which cut and side of it.

    As in Quinlan's own program (release 8): a value takes as many bits as the values of its attribute are uncertain, a
    cut one bit and half the logarithm of how many different numbers there are; an attribute as many as attributes are
    uncertain, each as likely as its values take bits; a list of values one bit for each value there is.
    """

    def __init__(self, ranked: Ranked) -> None:
        self._attributes = ranked.data.schema.attributes
        self._bits = {index: _branch_bits(ranked, place) for place, index in enumerate(ranked.predictors)}
        shares = np.array(list(self._bits.values())) / max(sum(self._bits.values()), 1e-300)
        self._which = float(special.entr(shares).sum() / np.log(2))

    def condition(self, condition: Condition) -> float:
        """The bits of one condition."""
        if condition.values is None or len(condition.values) == 1:
            return self._which + self._bits[condition.attribute]
        return self._which + len(self._attributes[condition.attribute].values)

    def rule(self, rule: Rule) -> float:
        """The bits of a rule: how many conditions, and each of them, whose order does not matter."""
        m = len(rule.conditions)
        spelled = sum(self.condition(each) for each in rule.conditions)
        return float(spelled + log2(max(1, m)) - special.gammaln(m + 1) / np.log(2))


def _branch_bits(ranked: Ranked, place: int) -> float:
    if not ranked.data.schema.attributes[ranked.predictors[place]].kind.is_coded:
        n = ranked.n_distinct(place)
        return 1.0 + log2(n) / 2 if n > 1 else 0.0
    codes = ranked.ranks[place]
    known = codes <= LAST_RANK
    weights = ranked.weights[known] if len(ranked.weights) else None
    counts = np.bincount(codes[known].astype(np.int64), weights)
    total = ranked.weight_of(np.arange(ranked.n_records))
    return float(special.entr(counts / max(total, 1e-300)).sum() / np.log(2))
