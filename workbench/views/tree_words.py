"""What a tree's view says in words: branch labels, the conditions of a path gathered, what a node knows."""

from __future__ import annotations

from dataclasses import dataclass

from algorithms.core.structures import NO_NODE, Test, Tree
from algorithms.trees.words import branch_words, listed, number


def branch_label(tree: Tree, child: int, at_most: int = 3) -> str:
    """What stands on the edge to a node: ``≤ 2.5``, ``red or blue``; empty for the root."""
    parent = int(tree.parent[child])
    if parent == NO_NODE:
        return ""
    words = branch_words(tree, parent, child - int(tree.first_child[parent]), at_most=at_most)
    return _typeset(words).removeprefix("= ")


def condition(tree: Tree, child: int, at_most: int = 6) -> str:
    """The whole condition that leads to a node: ``age ≤ 2.5``, ``colour = red or blue``; empty for the root."""
    parent = int(tree.parent[child])
    if parent == NO_NODE:
        return ""
    name = tree.schema.attributes[int(tree.attribute[parent])].name
    words = branch_words(tree, parent, child - int(tree.first_child[parent]), at_most=at_most)
    return f"{name} {_typeset(words)}"


def _typeset(words: str) -> str:
    for typed, printed in (("<= ", "≤ "), (">= ", "≥ ")):
        if words.startswith(typed):
            return printed + words[len(typed) :]
    return words


@dataclass
class _Range:
    low: float | None = None
    high: float | None = None

    def words(self, name: str) -> str:
        if self.low is not None and self.high is not None:
            return f"{number(self.low)} < {name} ≤ {number(self.high)}"
        return f"{name} ≤ {number(self.high)}" if self.high is not None else f"{name} > {number(self.low or 0.0)}"


def path_conditions(tree: Tree, node: int) -> list[str]:
    """The conditions from the root to a node with those on one attribute gathered: ``2.5 < age ≤ 7``.

    They stand in the order in which the path first asks for each attribute.
    """
    ranges: dict[int, _Range] = {}
    values: dict[int, set[int]] = {}
    order: dict[int, None] = {}
    for child in tree.path(node)[1:]:
        parent = int(tree.parent[child])
        attribute = int(tree.attribute[parent])
        order.setdefault(attribute)
        branch = child - int(tree.first_child[parent])
        if tree.test[parent] == Test.NUMERIC:
            found = ranges.setdefault(attribute, _Range())
            threshold = float(tree.threshold[parent])
            if branch == 0:
                found.high = threshold if found.high is None else min(found.high, threshold)
            else:
                found.low = threshold if found.low is None else max(found.low, threshold)
        else:
            codes = set(tree.values_of_branch(parent, branch))
            values[attribute] = values[attribute] & codes if attribute in values else codes
    return [_gathered(tree, attribute, ranges, values) for attribute in order]


def _gathered(tree: Tree, attribute: int, ranges: dict[int, _Range], values: dict[int, set[int]]) -> str:
    described = tree.schema.attributes[attribute]
    if attribute in ranges:
        return ranges[attribute].words(described.name)
    return f"{described.name} = {listed([described.values[code] for code in sorted(values[attribute])], 6)}"


def amount(weight: float) -> str:
    """A number of records: whole where it is, else with one decimal (fractions of records, weights)."""
    return f"{weight:,.0f}" if abs(weight - round(weight)) < 0.005 else f"{weight:,.1f}"


def records_words(weight: float) -> str:
    """``12 records``, ``1 record``, ``3.5 records``."""
    return f"{amount(weight)} record{'' if amount(weight) == '1' else 's'}"


def percent(share: float) -> str:
    """A share in hundredths, with a decimal only where it tells something: ``97.4%``, ``100%``, ``0%``."""
    words = f"{100 * share:.1f}"
    if words == "100.0" and share < 1:
        return ">99.9%"
    if words == "0.0" and share > 0:
        return "<0.1%"
    return f"{words.removesuffix('.0')}%"


def question(tree: Tree, node: int) -> str:
    """What a node asks: ``age ≤ 2.5?``, ``colour?``; empty for a leaf."""
    if tree.is_leaf(node):
        return ""
    name = tree.schema.attributes[int(tree.attribute[node])].name
    if tree.test[node] == Test.NUMERIC:
        return f"{name} ≤ {number(float(tree.threshold[node]))}?"
    return f"{name}?"


def sentence(tree: Tree, node: int) -> str:
    """All that a node knows as one sentence, for screen readers."""
    classes = tree.schema.classes
    counts = tree.counts[node]
    total = float(counts.sum())
    parts = [
        f"{classes[code]} {amount(float(counts[code]))}" for code in counts.argsort()[::-1].tolist() if counts[code] > 0
    ]
    where = " and ".join(path_conditions(tree, node)) or "all records"
    what = f"asks {question(tree, node)}" if not tree.is_leaf(node) else f"decides {classes[int(tree.decision[node])]}"
    return f"{where}: {what} {records_words(total)}: {', '.join(parts[:8])}."
