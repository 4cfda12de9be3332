"""The steps of Hunt's algorithm in words: a heading and a sentence for each, and all of them as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

from algorithms.core.columns import FloatArray
from algorithms.core.structures import Tree
from algorithms.trees.gain_figures import figure, telling_decimals
from algorithms.trees.hunt import Hunt, Phase, Step
from algorithms.trees.reasons import Candidate, NodeReasons
from algorithms.trees.why_words import amount, branch_names, columns, headline, records_words, test_words
from algorithms.trees.words import branch_words, path_words

HEADING: Final = ("step", "what happens", "node", "records", "classes", "measure", "candidates", "chosen", "why")
MOST_CLASSES: Final = 4
MOST_CANDIDATES: Final = 3
DIGITS: Final = 5
_DOES: Final = {
    Phase.LOOK: "look at",
    Phase.DIVIDE: "divide",
    Phase.LEAF: "leaf",
    Phase.CUT: "cut back",
    Phase.KEEP: "the tree that was kept",
}


def where_words(hunt: Hunt, step: Step) -> str:
    """Where the step's node stands: ``all records``, ``Home Owner = No and Marital Status = Single``."""
    path = path_words(hunt.grown, step.node)
    return _typeset(" and ".join(path)) if path else "all records"


def title(hunt: Hunt, at: int) -> str:
    """The step in a few words: ``Look at Home Owner = No``."""
    step = hunt.steps[at]
    place = _place(hunt.grown, step.node)
    if step.phase is Phase.KEEP:
        return "The tree that was kept"
    verb = {Phase.LOOK: "Look at", Phase.DIVIDE: "Divide", Phase.LEAF: "A leaf", Phase.CUT: "Cut back"}[step.phase]
    return f"{verb}: {place}"


def titles(hunt: Hunt) -> list[str]:
    """All steps in a few words each. Where several would read the same, the answers above that tell them apart stand
    behind: ``A leaf: age > 3 under size ≤ 2``."""
    tree = hunt.grown
    told, reached = [title(hunt, at) for at in range(len(hunt.steps))], [step.node for step in hunt.steps]
    while True:
        times = Counter(told)
        alike = [at for at, words in enumerate(told) if times[words] > 1 and tree.parent[reached[at]] > 0]
        if not alike:
            return told
        for at in alike:
            reached[at] = int(tree.parent[reached[at]])
            told[at] += f" under {_place(tree, reached[at])}"


def _place(tree: Tree, node: int) -> str:
    """The answer that leads to a node."""
    parent = int(tree.parent[node])
    if parent < 0:
        return "all records"
    name = tree.schema.attributes[int(tree.attribute[parent])].name
    words = branch_words(tree, parent, node - int(tree.first_child[parent]), at_most=2, digits=DIGITS)
    return f"{name} {_typeset(words)}"


def _typeset(words: str) -> str:
    return words.replace("<= ", "≤ ").replace(">= ", "≥ ")


def sentence(hunt: Hunt, at: int) -> str:
    """What happens in the step at this position, and why."""
    step = hunt.steps[at]
    if step.phase is Phase.KEEP and hunt.was_edited:
        return "Then it was changed by hand. This is the tree of the run."
    if step.phase is Phase.KEEP:
        return (
            "Cutting back also put branches in the place of questions above them. This is the tree that the learner "
            "kept."
        )
    reasons = step.reasons
    assert reasons is not None
    here = f"{records_words(reasons.weight)} ({class_words(reasons)})" if reasons.weight > 0 else "No record"
    if step.phase is Phase.LOOK:
        return f"{here}: not all of one class, so every question about them is weighed. {candidate_words(reasons)}"
    if step.phase is Phase.DIVIDE:
        return f"{headline(reasons)} {_children(reasons)}"
    decides = reasons.schema.classes[int(reasons.tree.decision[reasons.node])]
    why = "" if step.leaf is None else step.leaf.sentence
    return f"{why} It {'becomes' if step.phase is Phase.CUT else 'stays'} a leaf that says {decides}."


def class_words(reasons: NodeReasons) -> str:
    """The classes of the records here, the most frequent first: ``4 No, 3 Yes``."""
    counts, classes = reasons.counts, reasons.schema.classes
    order = [code for code in (-counts).argsort(kind="stable").tolist() if counts[code] > 0]
    shown = [f"{amount(float(counts[code]))} {classes[code]}" for code in order[:MOST_CLASSES]]
    return ", ".join(shown) + (f", {len(order) - MOST_CLASSES} more" if len(order) > MOST_CLASSES else "")


def candidate_words(reasons: NodeReasons) -> str:
    """The best questions with what they were compared by: ``By gain ratio: Home Owner (0.217); Age ≤ 30 (0.129).``"""
    split = [candidate for candidate in reasons.candidates if candidate.is_split and candidate.verdict.is_valid]
    if not split:
        return ""
    best = split[:MOST_CANDIDATES]
    decimals = telling_decimals(_compared(reasons, c) for c in best)
    shown = [f"{test_words(reasons.schema, c)} ({figure(_compared(reasons, c), decimals)})" for c in best]
    more = len(split) - MOST_CANDIDATES
    return f"By {measure(reasons)}: {'; '.join(shown)}{f'; {more} more' if more > 0 else ''}."


def measure(reasons: NodeReasons) -> str:
    """What questions are compared by."""
    first, second = (name.lower() for name in columns(reasons))
    return second if reasons.compares_ratios or first == "chi-square" else first


def _compared(reasons: NodeReasons, candidate: Candidate) -> float:
    is_second = measure(reasons) == columns(reasons)[1].lower()
    return candidate.gain_ratio if is_second else candidate.gain


def _children(reasons: NodeReasons) -> str:
    chosen = reasons.chosen
    if chosen is None:
        return ""
    sums: FloatArray = chosen.children.sum(axis=1)
    names = branch_names(reasons.schema, chosen, 2)
    parts = [f"{name} ({records_words(float(n))})" for name, n in zip(names, sums, strict=True)]
    shown = "; ".join(parts[:MOST_CLASSES]) + (f"; {len(parts) - MOST_CLASSES} more" if len(parts) > 4 else "")
    return f"Its branches: {shown}."


def rows(hunt: Hunt, checkpoint: Callable[[], None] = lambda: None) -> list[list[str]]:
    """All steps as rows of text under a heading, with every candidate of a node that was looked at."""
    found = [list(HEADING)]
    for at, step in enumerate(hunt.steps):
        checkpoint()
        reasons = step.reasons
        if reasons is None:
            found.append([str(at + 1), _DOES[step.phase], "", "", "", "", "", "", sentence(hunt, at)])
            continue
        split = [c for c in reasons.candidates if c.is_split] if step.phase is Phase.LOOK else []
        values = [_compared(reasons, c) for c in split]
        decimals = telling_decimals(values)
        chosen = reasons.chosen if step.phase is Phase.DIVIDE else None
        found.append(
            [
                str(at + 1),
                _DOES[step.phase],
                where_words(hunt, step),
                amount(reasons.weight),
                class_words(reasons),
                measure(reasons) if split else "",
                "; ".join(
                    f"{test_words(reasons.schema, c)}: {figure(value, decimals)}"
                    for c, value in zip(split, values, strict=True)
                ),
                "" if chosen is None else test_words(reasons.schema, chosen),
                sentence(hunt, at),
            ]
        )
    return found
