"""A node made to ask what a person wants, with the same learner growing on below."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.errors import UnsuitableDataError
from algorithms.core.learner import Learner
from algorithms.core.schema import Kind
from algorithms.core.structures import NO_NODE, Test, Tree
from algorithms.trees.arrivals import arrivals
from algorithms.trees.chaid import Chaid
from algorithms.trees.empty_branches import with_empty_branches
from algorithms.trees.engine import grow
from algorithms.trees.grafting import grafted, pruned_at
from algorithms.trees.hand_edits import Edit, Question
from algorithms.trees.id3 import ID3
from algorithms.trees.node_records import branches, records_at
from algorithms.trees.paths import follow
from algorithms.trees.reasons import GrowsTrees
from algorithms.trees.surrogates import Surrogate, surrogate_sides, surrogates_of

_EQUAL = 1e-9


def edited(tree: Tree, edit: Edit, data: Dataset, learner: Learner, context: RunContext) -> Tree | None:
    """The tree with one change made; None where the way does not lead to a node, or the question cannot be asked.

    ``data`` is what the tree was grown on by ``learner``, weighed as it weighs it. Raises :class:`Cancelled`.
    """
    node = follow(tree, edit.at)
    if node is None:
        return None
    if edit.question is None:
        return pruned_at(tree, node)
    records = records_at(tree, node, data, context.checkpoint)
    piece = asking(records.here, edit.question, learner, context.child(0.0, 0), _ties(tree, node))
    if piece is None:
        return None
    if edit.grown:
        elsewhere = tree.n_leaves - pruned_at_leaves(tree, node)
        piece = grown_below(piece, records.here, learner, len(edit.at), elsewhere, context)
    return grafted(tree, node, piece)


def pruned_at_leaves(tree: Tree, node: int) -> int:
    """How many leaves hang below a node, itself where it is one."""
    leaves = (tree.test == Test.LEAF).astype(np.int64)
    return int(tree.summed_below(leaves)[node] + leaves[node])


def _ties(tree: Tree, node: int) -> int:
    return int(tree.decision[node])


# ---- the question ----------------------------------------------------------------------------------------------------


def asking(here: Dataset, question: Question, learner: Learner, context: RunContext, decision: int) -> Tree | None:
    """The tree of this one question over the records of a node, which decides ``decision``; None where it cannot be.

    Who has no answer goes where the learner sends such records: surrogates first, where it looks for them.
    """
    if question.attribute not in here.schema:
        return None
    index = here.schema.index_of(question.attribute)
    if index not in here.schema.predictors or len(here) == 0:
        return None
    if question.threshold is None and not question.groups:
        tree = _best_of_learner(here, index, learner, context)
    else:
        tree = _as_told(here, index, question)
    if tree is None or tree.is_leaf(0):
        return None
    if not isinstance(learner, Chaid) or tree.criterion == "":
        tree = _with_missing_sent(tree, here, learner)
    tree = replace(tree, decision=_decisions(tree.counts, decision))
    return with_empty_branches(tree) if isinstance(learner, ID3) and not question.groups else tree


def _best_of_learner(here: Dataset, index: int, learner: Learner, context: RunContext) -> Tree | None:
    """The learner's own best question about one attribute, whether it gains enough or not."""
    schema = here.schema
    others = [i for i in schema.predictors if i != index]
    for i in others:
        schema = schema.with_attribute(i, replace(schema.attributes[i], used=False))
    alone = here.with_schema(schema)
    if isinstance(learner, Chaid):
        forced = learner.with_values(alpha=1.0, min_split=2, max_depth=1, pruning="none", early_stopping=False)
        tree = _tree_of(forced, alone, context)
    elif isinstance(learner, GrowsTrees):
        options = replace(
            learner.growth(),
            max_depth=1,
            max_leaves=None,
            min_gain=0.0,
            numeric_correction=False,
            split_without_gain=True,
            surrogates=0,
            weighed=None,
            best_of=1,
        )
        tree = grow(alone, options, context).tree
    else:
        tree = _tree_of(learner, alone, context)
    if tree is None or tree.is_leaf(0) or int(tree.attribute[0]) != index:
        return None
    tree = replace(tree, schema=here.schema)
    for child in tree.children(0):
        tree = pruned_at(tree, child)
    return tree


def _tree_of(learner: Learner, data: Dataset, context: RunContext) -> Tree | None:
    try:
        structure = learner.fit(data, context).structure()
    except UnsuitableDataError:
        return None
    return structure if isinstance(structure, Tree) else None


def _as_told(here: Dataset, index: int, question: Question) -> Tree | None:
    """The question with the person's own threshold or groups."""
    attribute = here.schema.attributes[index]
    if question.threshold is not None:
        if attribute.kind is not Kind.NUMERIC:
            return None
        return _one_question(here, index, Test.NUMERIC, question.threshold, np.zeros(0, dtype=np.int16), 2)
    if not attribute.kind.is_coded:
        return None
    branch_of = np.full(len(attribute.values), -1, dtype=np.int16)
    for branch, group in enumerate(question.groups):
        for value in group:
            code = attribute.code_of(value)
            if code >= 0:
                branch_of[code] = branch
    known = branch_of[branch_of >= 0]
    if len(known) == 0:
        return None
    n = len(question.groups)
    in_order = attribute.kind is Kind.ORDINAL and len(known) == len(branch_of) and bool(np.all(np.diff(known) >= 0))
    test = Test.ORDINAL if in_order else Test.SUBSET if n == 2 else Test.MULTIWAY
    return _one_question(here, index, test, float("nan"), branch_of, n)


def _one_question(
    here: Dataset, index: int, test: Test, threshold: float, branch_of: NDArray[np.int16], n_branches: int
) -> Tree:
    """A tree of one question whose counts are of the records that have an answer; ``criterion`` is empty."""
    m, k = n_branches + 1, len(here.schema.classes)
    first, children = np.full(m, NO_NODE, dtype=np.int32), np.zeros(m, dtype=np.int32)
    first[0], children[0] = 1, n_branches
    parent = np.zeros(m, dtype=np.int32)
    parent[0] = NO_NODE
    tests, attributes = np.zeros(m, dtype=np.int8), np.full(m, -1, dtype=np.int32)
    tests[0], attributes[0] = test, index
    thresholds, offset = np.full(m, np.nan), np.full(m, -1, dtype=np.int32)
    thresholds[0], offset[0] = threshold, -1 if test == Test.NUMERIC else 0
    tree = Tree(
        schema=here.schema,
        test=tests,
        attribute=attributes,
        threshold=thresholds,
        first_child=first,
        n_children=children,
        parent=parent,
        offset=offset,
        branch_of=branch_of,
        counts=np.zeros((m, k)),
        decision=np.zeros(m, dtype=np.int32),
        gain=np.full(m, np.nan),
        missing_to=np.full(m, -1, dtype=np.int16),
    )
    branch = branches(tree, 0, here.column(index))
    return replace(tree, counts=_counts(here, branch, np.zeros(n_branches), k))


def _counts(here: Dataset, branch: IntArray, shares: FloatArray, k: int) -> FloatArray:
    """Class weights of a node and its branches (b + 1, k); a record of no branch counts by ``shares`` (b,) in all."""
    weights, codes = here.weight_array, here.class_codes.astype(np.int64)
    known = branch >= 0
    cells = branch[known] * k + codes[known]
    sums = np.bincount(cells, weights=weights[known], minlength=len(shares) * k).reshape(len(shares), k)
    open_ones = np.bincount(codes[~known], weights=weights[~known], minlength=k)
    whole = np.bincount(codes, weights=weights, minlength=k)
    return np.vstack([whole, sums + np.outer(shares, open_ones)])


# ---- records without an answer ---------------------------------------------------------------------------------------


def _with_missing_sent(tree: Tree, here: Dataset, learner: Learner) -> Tree:
    """The tree of one question whose records without an answer go where the learner sends them, and are counted so."""
    index, n, k = int(tree.attribute[0]), int(tree.n_children[0]), tree.counts.shape[1]
    branch = branches(tree, 0, here.column(index))
    grouped = isinstance(learner, Chaid)
    whole = grouped or (isinstance(learner, GrowsTrees) and learner.growth().missing == "majority")
    found: list[Surrogate] = []
    most = int(getattr(learner, "surrogates", 0))
    if whole and not grouped and n == 2 and most > 0:
        misses = any(bool(here.missing(i).any()) for i in here.schema.predictors)
        found = surrogates_of(branch, index, here, most) if misses else []
    for surrogate in found:
        open_rows = np.flatnonzero(branch < 0)
        branch[open_rows] = surrogate_sides(surrogate, here.column(surrogate.attribute)[open_rows])
    answered = branch >= 0
    weight = np.bincount(branch[answered], weights=here.weight_array[answered], minlength=n)
    missing_to = tree.missing_to.copy()
    if whole and (not grouped or not bool(answered.all())):
        missing_to[0] = int(np.argmax(weight))
        branch = np.where(answered, branch, int(missing_to[0]))
    total = float(weight.sum())
    shares = weight / total if total > 0 else np.full(n, 1.0 / n)
    counts = _counts(here, branch, shares, k)
    return _with_surrogates(replace(tree, counts=counts, missing_to=missing_to, missing_is_value=grouped), found)


def _with_surrogates(tree: Tree, found: list[Surrogate]) -> Tree:
    offset, lists = [], [tree.branch_of]
    for surrogate in found:
        offset.append(sum(map(len, lists)) if len(surrogate.branch_of) else -1)
        lists.append(surrogate.branch_of)
    return replace(
        tree,
        branch_of=np.concatenate(lists).astype(np.int16),
        surrogate_node=np.zeros(len(found), dtype=np.int32),
        surrogate_attribute=np.array([s.attribute for s in found], dtype=np.int32),
        surrogate_threshold=np.array([s.threshold for s in found], dtype=np.float64),
        surrogate_offset=np.array(offset, dtype=np.int32),
        surrogate_swapped=np.array([s.swapped for s in found], dtype=np.int8),
        surrogate_agreement=np.array([s.agreement for s in found], dtype=np.float64),
    )


def _decisions(counts: FloatArray, decision: int) -> NDArray[np.int32]:
    """What the branches decide: the heaviest class; of equal ones what the node decides, where it is one of them."""
    most = counts.max(axis=1)
    near = counts >= (most - _EQUAL * most)[:, None]
    found = np.where(near[:, decision], decision, np.argmax(near, axis=1)).astype(np.int32)
    found[0] = decision
    return found


# ---- what grows below ------------------------------------------------------------------------------------------------


def grown_below(piece: Tree, here: Dataset, learner: Learner, depth: int, elsewhere: int, context: RunContext) -> Tree:
    """The tree of one question with each branch grown on by the learner's own settings.

    ``depth`` is the number of questions above it, ``elsewhere`` the number of leaves in the rest of the tree: what
    limits the whole tree limits what grows here.
    """
    n = int(piece.n_children[0])
    weight = piece.counts[1 : n + 1].sum(axis=1)
    for nth, branch in enumerate(np.argsort(-weight, kind="stable").tolist()):
        child = 1 + branch
        left = _leaves_left(learner, elsewhere + piece.n_leaves)
        part = records_at(piece, child, here, context.checkpoint).here
        below = _grown(part, learner, depth + 1, left, context.child(1.0 / n, 1 + nth))
        if below is not None:
            piece = grafted(piece, child, below)
    return piece


def _leaves_left(learner: Learner, leaves: int) -> int | None:
    """How many leaves a branch may have, itself among them; None without a limit."""
    most = getattr(learner, "max_leaves", None)
    return None if most is None else int(most) - leaves + 1


def _grown(part: Dataset, learner: Learner, depth: int, leaves: int | None, context: RunContext) -> Tree | None:
    """What the learner makes of the records of a branch; None where it would be a leaf."""
    if len(part) == 0 or len(np.unique(part.class_codes)) < 2 or (leaves is not None and leaves < 2):
        return None
    names = {parameter.name for parameter in learner.parameters()}
    values: dict[str, Any] = {}
    limit = getattr(learner, "max_depth", None)
    if limit is None and isinstance(learner, GrowsTrees):
        limit = learner.growth().max_depth
    if limit is not None:
        if limit <= depth:
            return None
        values["max_depth"] = limit - depth
    if leaves is not None:
        values["max_leaves"] = leaves
    if "priors" in names:
        values["priors"] = learner.parameter("priors").default
    tree = _tree_of(learner.with_values(**values), part, context)
    if tree is None or tree.n_nodes == 1:
        return None
    return _recounted(tree, part, context) if getattr(learner, "holds_out", False) else tree


def _recounted(tree: Tree, here: Dataset, context: RunContext) -> Tree:
    """The tree with the counts of all records of a branch, those too that it was tested on while it grew."""
    from algorithms.trees.kernels import decide

    codes, k = here.class_codes.astype(np.int64), tree.counts.shape[1]
    counts = arrivals(tree, here, context.checkpoint).tally(here.weight_array, codes, k)
    decision = np.empty(tree.n_nodes, dtype=np.int32)
    decide(counts, tree.parent, decision)
    return replace(tree, counts=counts, decision=decision)
