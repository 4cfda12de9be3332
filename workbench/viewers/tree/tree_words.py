"""A tree in words: branch labels, conditions of a path, a node's figures, a record's answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Final

import numpy as np

from algorithms.data.columns import Mask
from algorithms.data.dataset import Dataset
from algorithms.learners.trees.routing import branches, linear_sums, own_branches, soft_shares
from algorithms.structures.tree import KNOWN, NO_NODE, SplitTest, Tree, branch_words, softness_words, subject_words
from algorithms.text.numbers import (
    WHOLE_WITHIN,
    cut_number,
    data_number,
    percent,
    records_words,
    weight_text,
)
from algorithms.text.sentences import counted, listed, typeset
from workbench.viewers.original_units import Unscaled, value_in_own_units

if TYPE_CHECKING:
    from workbench.viewers.tree.tree_drawing import TreePlan


def branch_label(tree: Tree, child: int, at_most: int = 3) -> str:
    """``≤ 2.5``, ``≤ about 2.5`` (soft), ``red or blue`` at an edge; empty at the root."""
    parent = int(tree.parent[child])
    if parent == NO_NODE:
        return ""
    words = _branch_answer(tree, parent, child - int(tree.first_child[parent]), at_most).removeprefix("= ")
    return words.replace(" ", " about ", 1) if tree.is_soft(parent) else words


def range_label(tree: Tree, child: int) -> str:
    """``2.5–7``, the range of a branch that has both ends, in short; empty for other branches."""
    parent = int(tree.parent[child])
    if parent == NO_NODE or int(tree.test[parent]) != SplitTest.RANGES:
        return ""
    branch = child - int(tree.first_child[parent])
    low, high = _bounds(tree, parent, branch) if not tree.is_for_missing(parent, branch) else (-inf, inf)
    if low == -inf or high == inf:
        return ""
    missing = " or missing" if tree.missing_is_value and tree.missing_to[parent] == branch else ""
    return f"{cut_number(low)}{'–' if low >= 0 else ' to '}{cut_number(high)}{missing}"


def threshold_label(tree: Tree, node: int) -> str:
    return cut_number(float(tree.threshold[node]))


def condition(tree: Tree, child: int, at_most: int = 6) -> str:
    """``age ≤ 2.5``, ``colour = red or blue`` (``at_most`` values) on the branch; empty at the root."""
    parent = int(tree.parent[child])
    if parent == NO_NODE:
        return ""
    branch = child - int(tree.first_child[parent])
    return f"{subject_words(tree, parent)} {_branch_answer(tree, parent, branch, at_most)}"


def _branch_answer(tree: Tree, node: int, branch: int, at_most: int) -> str:
    return typeset(branch_words(tree, node, branch, at_most=at_most))


@dataclass
class _Range:
    low: float | None = None
    high: float | None = None

    def narrow(self, low: float, high: float) -> None:
        """Narrows the range to numbers above ``low`` and up to ``high``; either may be infinite."""
        if low > -inf:
            self.low = low if self.low is None else max(self.low, low)
        if high < inf:
            self.high = high if self.high is None else min(self.high, high)

    def words(self, name: str) -> str:
        if self.low is None and self.high is None:
            return f"{name} {KNOWN}"
        low, high = cut_number(self.low or 0.0), cut_number(self.high or 0.0)
        if self.low is not None and self.high is not None:
            return f"{low} < {name} ≤ {high}"
        return f"{name} ≤ {high}" if self.high is not None else f"{name} > {low}"


def _bounds(tree: Tree, node: int, branch: int) -> tuple[float, float]:
    """The range of a branch: above the first number, up to the second."""
    ends = tree.ends(node) if int(tree.test[node]) == SplitTest.RANGES else (float(tree.threshold[node]), inf)
    return float(ends[branch - 1]) if branch else -inf, float(ends[branch])


def path_conditions(tree: Tree, node: int, at_most: int = 6) -> list[str]:
    """The conditions from the root to a node, joined by attribute: ``2.5 < age ≤ 7``.

    They follow the order in which the path first tests each attribute. Up to ``at_most`` values are named. A
    condition on a weighted sum stands alone.
    """
    ranges: dict[int, _Range] = {}
    values: dict[int, set[int]] = {}
    only_missing: set[int] = set()
    only_known: set[int] = set()
    sums: dict[int, str] = {}
    order: dict[int, None] = {}
    for child in tree.path(node)[1:]:
        parent = int(tree.parent[child])
        if tree.is_linear(parent):
            branch = child - int(tree.first_child[parent])
            order[-child] = None
            sums[-child] = f"{subject_words(tree, parent)} {_branch_answer(tree, parent, branch, at_most)}"
            continue
        attribute = int(tree.attribute[parent])
        order.setdefault(attribute)
        branch = child - int(tree.first_child[parent])
        if not (tree.missing_is_value and int(tree.missing_to[parent]) == branch):
            only_known.add(attribute)
        if tree.is_for_missing(parent, branch):
            only_missing.add(attribute)
        elif int(tree.test[parent]) in (SplitTest.NUMERIC, SplitTest.RANGES):
            ranges.setdefault(attribute, _Range()).narrow(*_bounds(tree, parent, branch))
        else:
            codes = set(tree.values_of_branch(parent, branch))
            values[attribute] = values[attribute] & codes if attribute in values else codes
    conditions = []
    for index in order:
        if index in sums:
            conditions.append(sums[index])
            continue
        described = tree.schema.attributes[index]
        or_missing = "" if index in only_known else " or missing"
        if index in only_missing:
            conditions.append(f"{described.name} is missing")
        elif index in ranges:
            conditions.append(ranges[index].words(described.name) + or_missing)
        else:
            named = listed([described.values[code] for code in sorted(values[index])], at_most)
            conditions.append(f"{described.name} = {named}{or_missing}")
    return conditions


def size_words(n: int, n_leaves: int, n_shown: int, selected: float) -> str:
    """The size of a tree of ``n`` nodes, how much is shown, and the weight of selected records, in words."""
    if n_shown < n:
        words = f"{n_shown:,} of {n:,} nodes shown · {counted(n_leaves, 'leaf', 'leaves')} in all"
    else:
        words = f"{counted(n, 'node')} · {counted(n_leaves, 'leaf', 'leaves')}"
    return f"{words} · {records_words(selected)} selected" if selected > 0 else words


def parts_words(plan: TreePlan, nodes: Mask | list[int]) -> str:
    """Why some of these nodes have fractions of records; empty without fractions."""
    wordings = parts_wordings(plan, nodes)
    return wordings[0] if wordings else ""


def parts_wordings(plan: TreePlan, nodes: Mask | list[int]) -> tuple[str, ...]:
    """The same in several lengths, the longest first."""
    records, root = plan.records[nodes], float(plan.records[0])
    in_part = abs(records - records.round()) >= WHOLE_WITHIN
    if not in_part.any():
        return ()
    example = weight_text(float(records[in_part.argmax()]))
    if abs(root - round(root)) >= WHOLE_WITHIN:
        return f"{example} records: they count by their weights.", "Records count by their weights", "Weighted"
    return (
        f"{example} records: a value that is missing or has no branch divides a record into parts.",
        f"{example} records: a missing value divides a record into parts",
        "Parts of records: values are missing",
        "Parts: values missing",
    )


def question(tree: Tree, node: int, at_most: int | None = None) -> str:
    """``age ≤ 2.5?``, ``x + 0.98 y ≤ 20?`` (``at_most`` terms) of a node; empty for a leaf."""
    if tree.is_leaf(node):
        return ""
    name = subject_words(tree, node, at_most=at_most)
    if tree.has_threshold(node):
        return f"{name} ≤ {cut_number(float(tree.threshold[node]))}?"
    return f"{name}?"


def name_of_leaf(plan: TreePlan, node: int) -> str:
    """``leaf 17``, by the number used in table and search."""
    return f"leaf {plan.leaf_number[node]:,}"


def count_texts(plan: TreePlan, node: int) -> tuple[str, ...]:
    """``417 records``, ``8 of 9 · 88.9%`` at a mixed leaf, or ``8.1% of 417 wrong`` for tested ones, longest first."""
    records, wrong = float(plan.records[node]), plan.counted.wrong
    if wrong is None:
        right = float(plan.counted.counts[node][plan.tree.decision[node]])
        if plan.tree.is_leaf(node) and right < records:
            of_all = f"{weight_text(right)} of {weight_text(records)}"
            return f"{of_all} · {percent(right / records, records)}", of_all, weight_text(records)
        return records_words(records), weight_text(records)
    if records <= 0:
        return "none tested", "none"
    share = percent(float(wrong[node]) / records, records)
    return f"{share} of {weight_text(records)} wrong", f"{share} wrong", share


def selected_texts(selected: float, records: float) -> tuple[str, ...]:
    """The selected records of a node: ``15 of 50 selected``, ``15/50 selected``; none without the word or the whole."""
    some, whole = weight_text(selected), weight_text(records)
    return f"{some} of {whole} selected", f"{some}/{whole} selected"


def tested_words(plan: TreePlan, node: int) -> str:
    """The errors on a node's tested records, as a sentence; empty for training records."""
    records, wrong = float(plan.records[node]), plan.counted.wrong
    if wrong is None:
        return ""
    if records <= 0:
        return "No tested record reaches this node."
    return f"Tested: {weight_text(float(wrong[node]))} of {records_words(records)} misclassified."


def sentence(plan: TreePlan, node: int) -> str:
    tree = plan.worded
    classes, counts = tree.schema.classes, plan.counted.counts[node]
    parts = [
        f"{classes[code]} {weight_text(float(counts[code]))}"
        for code in counts.argsort()[::-1].tolist()
        if counts[code] > 0
    ]
    where = " and ".join(path_conditions(tree, node)) or "all records"
    if tree.is_leaf(node):
        what = f"{name_of_leaf(plan, node)} predicts {classes[int(tree.decision[node])]}."
    else:
        soft = softness_words(tree, node)
        what = f"tests {question(tree, node)}" + (f" {soft.capitalize()}." if soft else "")
    words = f"{where}: {what} {records_words(float(plan.records[node]))}: {', '.join(parts[:8]) or 'none'}."
    return f"{words} {tested_words(plan, node)}".rstrip()


MOST_TERMS: Final = 4


@dataclass(frozen=True)
class HighlightedPath:
    """The nodes that a record passes, a label for each branch, and the path in sentences; empty without a record."""

    nodes: tuple[int, ...] = ()
    labels: Mapping[int, str] = field(default_factory=dict)
    sentences: tuple[str, ...] = ()


def highlighted_path(
    tree: Tree,
    record: Dataset,
    nodes: Sequence[int],
    shares: Mapping[int, float] | None = None,
    unscaled: Unscaled | None = None,
    raw: Dataset | None = None,
    own: Tree | None = None,
    worded: Tree | None = None,
) -> HighlightedPath:
    """The path of one record (under the tree's schema) over these nodes, each after its parent.

    ``shares`` are the parts of a divided record in the nodes. ``unscaled`` maps numbers to original units; ``raw`` is
    the record as in the table. ``own`` is the tree in original units, ``worded`` besides with thresholds of few digits.
    A threshold has all its digits where the record lies between it and the one of few digits.
    """
    own = tree if own is None else own
    worded = own if worded is None else worded
    labels: dict[int, str] = {}
    sentences: list[str] = []
    for child in nodes:
        parent = int(tree.parent[child])
        if parent == NO_NODE:
            continue
        share = 1.0 if shares is None else shares.get(child, 1.0)
        is_between = tree.is_numeric(parent) and _is_between(own, worded, parent, record, unscaled, raw)
        label, sentence = _record_answer(tree, own if is_between else worded, parent, child, record, unscaled, raw)
        labels[child] = label if share >= 1 else f"{label}: {percent(share)}"
        if sentence not in sentences:
            sentences.append(sentence)
    return HighlightedPath(tuple(nodes), labels, tuple(sentences))


def _is_between(
    own: Tree, worded: Tree, node: int, record: Dataset, unscaled: Unscaled | None, raw: Dataset | None
) -> bool:
    """Whether the record's number lies between the threshold of few digits and that of the node."""
    name, value = own.schema.names[int(own.attribute[node])], float(record.column(int(own.attribute[node]))[0])
    value = value_in_own_units(name, value, raw, unscaled)
    return (value <= float(own.threshold[node])) != (value <= float(worded.threshold[node]))


def _record_answer(
    tree: Tree, worded: Tree, parent: int, child: int, record: Dataset, unscaled: Unscaled | None, raw: Dataset | None
) -> tuple[str, str]:
    """The label at the branch, and the question with its answer."""
    if tree.is_linear(parent):
        return _sum_answer(tree, parent, child, record)
    attribute = int(tree.attribute[parent])
    asked, described = question(worded, parent), tree.schema.attributes[attribute]
    value = record.column(attribute)[0]
    if value != value or (described.kind.is_coded and value < 0):
        return "missing", f"{asked} Not known."
    if tree.is_numeric(parent) or not described.kind.is_coded:
        is_low = child == int(tree.first_child[parent])
        answer = ("Yes, " if is_low else "No, ") if tree.is_numeric(parent) else ""
        words = data_number(value_in_own_units(described.name, float(value), raw, unscaled))
        if 0 < left_share(tree, parent, record) < 1:
            return f"{words}, near", f"{asked} {words} is near the threshold: it goes both ways."
        return f"{words}, so {branch_label(worded, child)}", f"{asked} {answer}{words}."
    words = described.values[int(value)]
    if int(branches(tree, parent, record.column(attribute))[0]) < 0:
        return f"{words}, never seen here", f"{asked} {words}, which training never saw here."
    return words, f"{asked} {words}."


def left_share(tree: Tree, node: int, record: Dataset) -> float:
    """The share of one record that goes down the left branch of a soft threshold; 0 for other nodes."""
    left = soft_shares(tree, node, record, np.zeros(1, dtype=np.int64))
    return 0.0 if left is None else float(left[0])


def _sum_answer(tree: Tree, parent: int, child: int, record: Dataset) -> tuple[str, str]:
    """The same for a weighted sum, with its missing numbers named."""
    asked, row = question(tree, parent, MOST_TERMS), np.zeros(1, dtype=np.int64)
    if int(own_branches(tree, parent, record, row)[0]) < 0:
        return "missing", f"{asked} Not known."
    total = data_number(float(linear_sums(tree, parent, record, row)[0][0]))
    missing = [index for index in tree.asked(parent) if np.isnan(record.column(index)[0])]
    names = ", ".join(tree.schema.attributes[index].name for index in missing)
    instead = f" The average stands for {names}, which is not known." if missing else ""
    answer = "Yes" if child == int(tree.first_child[parent]) else "No"
    return f"{total}, so {branch_label(tree, child)}", f"{asked} {answer}, {total}.{instead}"


def answer_forms(label: str) -> list[str]:
    """A record's answer in full and shorter: "0.5, so ≤ 2", "0.5 ≤ 2", "≤ 2"; a cut number would be another number."""
    return [label, label.replace(", so ", " "), label.rpartition(", so ")[2]]
