"""A tree as a Python module without dependencies: a function a question, a call a record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from algorithms.export.subject import Ask, Subject
from algorithms.trees.paths import Bounds

BREATH: Final = 100
DEEP: Final = 600
"""A tree deeper than this needs more room for calls than Python gives."""

NUMBER_READERS: Final = '''def _number(record, name, fill=None):
    value = record.get(name)
    if isinstance(value, str):
        value = value.strip()
        value = None if value in ("", "?") else float(value)
    return fill if value is None or value != value else value


def _range(record, name, cuts, labels, fill=None, instead=None):
    """The range that a number lies in: from one cut up to, but not including, the next."""
    value = _number(record, name, fill)
    return instead if value is None else labels[bisect_right(cuts, value)]
'''
"""What reads a number, and a range that a number is cut into, from a record."""

LABEL_READER: Final = """def _label(record, name, known, fill=None):
    value = record.get(name)
    if value is None or value != value:
        return fill
    if isinstance(value, float) and str(value) not in known and value.is_integer():
        value = int(value)
    value = str(value)
    return value if value in known else fill
"""
"""What reads a label from a record."""

_FRAME: Final = '''
from bisect import bisect_right
from math import inf

CLASSES = {classes}


def predict(record):
    """The class of a record: a mapping from column names to values. None, nan, "" and "?" are missing values."""
    return predict_with_probabilities(record)[0]


def predict_with_probabilities(record):
    """The class of a record, and the probability of each class by its name."""
    out = _Out()
    {start}
    if not out.divided:
        return CLASSES[out.decision], dict(zip(CLASSES, out.sums))
    total = sum(out.sums)
    shares = [each / total for each in out.sums]
    return CLASSES[shares.index(max(shares))], dict(zip(CLASSES, shares))


class _Out:
    """What the leaves say that a record reaches, whole or divided."""

    def __init__(self):
        self.sums = [0.0] * len(CLASSES)
        self.decision = 0
        self.divided = False


{numbers}

def _sum(record, terms):
    """The sum of coefficients times values, a stand-in for each missing one; None where all are missing."""
    total, known = 0.0, False
    for name, coefficient, stand_in, fill in terms:
        value = _number(record, name, fill)
        known = known or value is not None
        total += coefficient * (stand_in if value is None else value)
    return total if known and total == total else None


def _left(value, low, at, high):
    """The part of a number that goes down the left branch of a soft threshold: all up to low, none from high on."""
    if value is None:
        return None
    if value <= at:
        return 1.0 if value <= low else 1.0 - 0.5 * (value - low) / (at - low)
    return 0.0 if value >= high else 0.5 - 0.5 * (value - at) / (high - at)


{labels}

def _leaf(out, weight, decision, probabilities):
    out.decision = decision
    for code, probability in probabilities.items():
        out.sums[code] += weight * probability
'''


def as_python(subject: Subject, give_way: Callable[[], None] = lambda: None) -> str:
    """The module's source; ``give_way`` is called every few milliseconds."""
    tree = subject.tree
    lines = [f"# {comment(line)}" for line in subject.heading()]
    if tree.depth > DEEP:
        lines += ["", "import sys", "", f"sys.setrecursionlimit(max(sys.getrecursionlimit(), {tree.depth + 500}))"]
    frame = _FRAME.format(
        classes=repr(tuple(subject.classes)),
        start=_call(subject, 0, "1.0"),
        numbers=NUMBER_READERS,
        labels=LABEL_READER,
    )
    lines.append(frame)
    for nth, node in enumerate(subject.depth_first()):
        if nth % BREATH == 0:
            give_way()
        if not tree.is_leaf(node):
            lines += ["", *_function(subject, node), ""]
    lines += _known(subject)
    return "\n".join(lines).rstrip("\n") + "\n"


def _known(subject: Subject) -> list[str]:
    """The labels of each list of values that training knew."""
    lines = ["", "# The values that training knew; any other counts as missing."]
    for nth, attribute in enumerate(subject.used):
        if attribute.kind.is_coded and attribute.name not in subject.cuts:
            lines.append(f"_KNOWN_{nth} = frozenset({as_tuple(subject.raw(attribute).values)})")
    return lines if len(lines) > 2 else []


def _function(subject: Subject, node: int) -> list[str]:
    tree = subject.tree
    where = subject.way_words(node)
    lines = [f"def _node_{node}(record, weight, out):"]
    lines.append(f"    # {comment(f'{where}: ' if where else '')}{comment(subject.node_words(node))}")
    for nth, ask in enumerate(subject.asks(node)):
        if nth == 1:
            lines.append("    # questions that stand in for it")
        lines.append(f"    value = {_value(subject, ask)}")
        if nth == 0 and tree.is_soft(node):
            lines += _both_ways(subject, node)
        for answer, branch in zip(ask.answers, ask.branches, strict=True):
            child = int(tree.first_child[node]) + branch
            lines.append(f"    if {_condition(ask, answer)}:")
            lines.append(f"        return {_call(subject, child, 'weight')}")
    whole = subject.without_answer(node)
    if whole is not None:
        return [*lines, f"    return {_call(subject, whole, 'weight')}  # no answer"]
    lines.append("    out.divided = True  # no answer: every branch counts by its share")
    for child in reversed(tree.children(node)):
        share = float(subject.shares[child])
        if share > 0:
            lines.append(f"    {_call(subject, child, f'weight * {share!r}')}")
    return [*lines, "    return None"]


def _both_ways(subject: Subject, node: int) -> list[str]:
    """What becomes of a number near a soft threshold."""
    tree = subject.tree
    low, at, high = (float(a[node]) for a in (tree.soft_from, tree.threshold, tree.soft_to))
    left, right = tree.children(node)
    return [
        f"    left = _left(value, {low!r}, {at!r}, {high!r})",
        "    if left is not None and 0.0 < left < 1.0:  # near the threshold: it goes both ways",
        "        out.divided = True",
        f"        {_call(subject, left, 'weight * left')}",
        f"        {_call(subject, right, 'weight * (1.0 - left)')}",
        "        return None",
    ]


def _value(subject: Subject, ask: Ask) -> str:
    if ask.terms:
        return f"_sum(record, {tuple((a.name, c, s, subject.fills.get(a.name)) for a, c, s in ask.terms)!r})"
    name, fill = ask.attribute.name, subject.fills.get(ask.attribute.name)
    last = "" if fill is None else f", {fill!r}"
    if name in subject.cuts:
        instead = subject.fills_of_ranges.get(name)
        return (
            f"_range(record, {name!r}, {subject.cuts[name]!r}, {as_tuple(ask.attribute.values)}, {fill!r}, {instead!r})"
        )
    if ask.is_number:
        return f"_number(record, {name!r}{last})"
    return f"_label(record, {name!r}, _KNOWN_{subject.used.index(ask.attribute)}{last})"


def _condition(ask: Ask, answer: Bounds | tuple[str, ...]) -> str:
    if not ask.is_number:
        labels = tuple(str(label) for label in answer)
        return f"value == {labels[0]!r}" if len(labels) == 1 else f"value in {as_tuple(labels)}"
    low, high = answer
    above, up_to = "" if low is None else f" and value > {low!r}", "" if high is None else f" and value <= {high!r}"
    return f"value is not None{above}{up_to}"


def _call(subject: Subject, node: int, weight: str) -> str:
    tree = subject.tree
    if not tree.is_leaf(node):
        return f"_node_{node}(record, {weight}, out)"
    row = subject.probabilities[node]
    said = ", ".join(f"{code}: {float(row[code])!r}" for code in row.nonzero()[0].tolist())
    return f"_leaf(out, {weight}, {int(tree.decision[node])}, {{{said}}})"


def as_tuple(values: tuple[str, ...]) -> str:
    return repr(tuple(values))


def comment(text: str) -> str:
    """One line that ends no comment."""
    return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))
