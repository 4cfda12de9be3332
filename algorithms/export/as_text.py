"""A tree as indented text, a line for each branch."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from algorithms.export.subject import Subject
from algorithms.trees.words import listed, range_words, softness_words

BREATH = 200


def as_text(subject: Subject, give_way: Callable[[], None] = lambda: None) -> str:
    """The tree with what it is at its head; ``give_way`` is called every few milliseconds."""
    tree = subject.tree
    lines = [*subject.heading(), ""]
    if tree.is_leaf(0):
        return "\n".join([*lines, f"Always {subject.node_words(0)}", ""])
    depths = tree.depths
    for nth, node in enumerate(subject.depth_first()):
        if nth % BREATH == 0:
            give_way()
        if node:
            ends = f": {subject.node_words(node)}" if tree.is_leaf(node) else ""
            lines.append(f"{'|   ' * (int(depths[node]) - 1)}{_one_line(subject.way_words(node))}{ends}")
        indent = "|   " * int(depths[node])
        if soft := softness_words(tree, node):
            lines.append(f"{indent}(a number near the threshold goes down both branches: {soft})")
        lines += [f"{indent}({words})" for words in _stand_ins(subject, node)]
    return "\n".join([*lines, ""])


def _stand_ins(subject: Subject, node: int) -> list[str]:
    """The questions that stand in for a node's own, in words."""
    if subject.tree.is_leaf(node):
        return []
    found = []
    for ask in subject.asks(node)[1:]:
        parts = []
        for answer, branch in zip(ask.answers, ask.branches, strict=True):
            if ask.is_number:
                low, high = answer
                said = range_words(-inf if low is None else float(low), inf if high is None else float(high))
            else:
                said = f"= {listed([str(label) for label in answer], 1000)}"
            child = int(subject.tree.first_child[node]) + branch
            parts.append(f"{said} counts as {subject.way_words(child)}")
        found.append(_one_line(f"where the answer is missing, {ask.attribute.name} {', '.join(parts)}"))
    return found


def _one_line(words: str) -> str:
    return " ".join(words.split())
