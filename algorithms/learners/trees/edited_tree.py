"""A tree edited by the user: changed questions, grafted subtrees, and the learner that replays the edits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import DataError, UnsuitableDataError
from algorithms.core.learner import Learner, Model
from algorithms.core.model_editing import EditedModel, EditsApplied, ModelEdit, edits_parameter
from algorithms.core.parameters import learner_parameter
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.chaid import Chaid
from algorithms.learners.trees.edits import EditedSplit, TreeEdit, follow
from algorithms.learners.trees.growth.engine import grow
from algorithms.learners.trees.growth.frontier_growth import NodeSplit, one_split
from algorithms.learners.trees.growth.growth_options import TOLERANCE
from algorithms.learners.trees.growth.postprocessing import with_empty_branches
from algorithms.learners.trees.growth.split_evaluation import Surrogate, answered_by, surrogates_of, with_surrogates
from algorithms.learners.trees.id3 import ID3
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.pruning.methods import held_out_counts, with_leaves
from algorithms.learners.trees.pruning.pruning_sequence import asked_by
from algorithms.learners.trees.routing import NodeTest, branch_counts, branches, records_at
from algorithms.learners.trees.tree_learner import KERNELS, TreeLearner
from algorithms.structures.tree import SOFT_ARRAYS, SURROGATE_ARRAYS, TERM_ARRAYS, SplitTest, Tree

OF_NODES: Final = ("test", "attribute", "threshold", "n_children", "gain", "missing_to", "counts", "decision")
"""Arrays over the nodes that are copied unchanged; the others hold positions."""


def pruned_at(tree: Tree, node: int) -> Tree:
    """The tree with a node turned into a leaf."""
    return tree if tree.is_leaf(node) else with_leaves(tree, np.arange(tree.n_nodes) == node)


def grafted(tree: Tree, node: int, piece: Tree) -> Tree:
    """The tree with ``piece`` for the subtree at ``node``, which keeps records and decision; its nodes come last."""
    tree, piece = _as_soft(pruned_at(tree, node), piece), _as_soft(piece, tree)
    if piece.n_nodes == 1:
        return tree
    m = tree.n_nodes
    arrays: dict[str, Any] = {}
    for name in (*OF_NODES, *(SOFT_ARRAYS if tree.has_soft_thresholds else ())):
        arrays[name] = _joined(getattr(tree, name), getattr(piece, name))
        if name not in ("counts", "decision"):
            arrays[name][node] = getattr(piece, name)[0]
    arrays["first_child"] = _joined(tree.first_child, _moved(piece.first_child, m - 1))
    parent = _moved(piece.parent, m - 1)
    parent[piece.parent == 0] = node
    arrays["parent"] = _joined(tree.parent, parent)
    offset = _moved(piece.offset, len(tree.branch_of))
    offset = np.where(piece.test == SplitTest.RANGES, piece.offset + len(tree.cuts), offset)
    offset = np.where(piece.test == SplitTest.LINEAR, piece.offset + len(tree.term_start) - 1, offset)
    arrays["offset"] = _joined(tree.offset, offset.astype(np.int32))
    arrays["first_child"][node], arrays["offset"][node] = piece.first_child[0] + m - 1, offset[0]
    arrays["term_start"] = np.append(tree.term_start, piece.term_start[1:] + len(tree.term_attribute)).astype(np.int32)
    for name in ("branch_of", "cuts", *TERM_ARRAYS[1:]):
        arrays[name] = np.append(getattr(tree, name), getattr(piece, name))
    return replace(tree, **arrays, **_surrogates(tree, piece, node, m - 1))


def _as_soft(tree: Tree, other: Tree) -> Tree:
    """The tree with arrays of soft thresholds if the other one has them."""
    if tree.has_soft_thresholds or not other.has_soft_thresholds:
        return tree
    sharp = np.full(tree.n_nodes, np.nan)
    return replace(tree, soft_from=sharp, soft_to=sharp.copy())


def _moved(numbers: NDArray[Any], by: int) -> NDArray[Any]:
    """Positions shifted by ``by``; -1 stays."""
    return np.where(numbers >= 0, numbers + by, -1).astype(numbers.dtype)


def _joined(ours: NDArray[Any], theirs: NDArray[Any]) -> NDArray[Any]:
    """The concatenated node arrays of both, without the piece's root."""
    return np.concatenate([ours, theirs[1:]]).astype(ours.dtype)


def _surrogates(tree: Tree, piece: Tree, node: int, by: int) -> dict[str, Any]:
    """Surrogate arrays of both trees, in the order of their nodes."""
    theirs = np.where(piece.surrogate_node == 0, node, piece.surrogate_node + by)
    arrays = {name: np.append(getattr(tree, name), getattr(piece, name)) for name in SURROGATE_ARRAYS}
    arrays["surrogate_node"] = np.append(tree.surrogate_node, theirs).astype(np.int32)
    offset = _moved(piece.surrogate_offset, len(tree.branch_of))
    arrays["surrogate_offset"] = np.append(tree.surrogate_offset, offset)
    order = np.argsort(arrays["surrogate_node"], kind="stable")
    return {name: array[order] for name, array in arrays.items()}


def edited(tree: Tree, edit: TreeEdit, data: Dataset, learner: Learner, context: RunContext) -> Tree | None:
    """The tree with one edit; None if the path leads to no node or the split is impossible.

    ``data`` are the training records of the tree by ``learner``, with its weights. Raises :class:`Cancelled`.
    """
    node = follow(tree, edit.at)
    if node is None:
        return None
    if edit.question is None:
        return pruned_at(tree, node)
    records = records_at(tree, node, data, context.checkpoint)
    piece = asking(records.here, edit.question, learner, context.child(0.0, 0), int(tree.decision[node]))
    if piece is None:
        return None
    if edit.grown:
        elsewhere = pruned_at(tree, node).n_leaves - 1
        piece = grown_below(piece, records.here, learner, len(edit.at), elsewhere, context)
    return grafted(tree, node, piece)


def asking(here: Dataset, question: EditedSplit, learner: Learner, context: RunContext, decision: int) -> Tree | None:
    """The tree of this one split of a node's records; None if it is impossible. The node decides ``decision``.

    Records without an answer are routed as the learner does, by its surrogates first.
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
    """The learner's best split by one attribute, even if its gain is below the minimum."""
    alone = here.with_schema(here.schema.without_use([i for i in here.schema.predictors if i != index]))
    if isinstance(learner, Chaid):
        forced = learner.with_values(alpha=1.0, min_split=2, max_depth=1, pruning="none", early_stopping=False)
        tree = _tree_of(forced, alone, context)
    elif isinstance(learner, TreeLearner):
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
    return with_leaves(replace(tree, schema=here.schema), tree.parent == 0)


def _tree_of(learner: Learner, data: Dataset, context: RunContext) -> Tree | None:
    try:
        structure = learner.fit(data, context).structure()
    except UnsuitableDataError:
        return None
    return structure if isinstance(structure, Tree) else None


def _as_told(here: Dataset, index: int, question: EditedSplit) -> Tree | None:
    """The tree of the given threshold or groups, without a ``criterion``, on the records whose value is known."""
    attribute, n = here.schema.attributes[index], len(question.groups)
    if question.threshold is not None:
        if attribute.kind is not AttributeKind.NUMERIC:
            return None
        test = NodeTest(attribute=index, test=SplitTest.NUMERIC, threshold=question.threshold)
    elif not attribute.kind.is_coded:
        return None
    else:
        branch_of = np.full(len(attribute.values), -1, dtype=np.int16)
        for branch, group in enumerate(question.groups):
            codes = [attribute.code_of(value) for value in group]
            branch_of[[code for code in codes if code >= 0]] = branch
        used_branches = branch_of[branch_of >= 0]
        if len(used_branches) == 0:
            return None
        in_order = len(used_branches) == len(branch_of) and bool(np.all(np.diff(used_branches) >= 0))
        kind = SplitTest.SUBSET if n == 2 else SplitTest.MULTIWAY
        if attribute.kind is AttributeKind.ORDINAL and in_order:
            kind = SplitTest.ORDINAL
        test = NodeTest(attribute=index, test=kind, n_branches=n, branch_of=branch_of)
    counts = _counts(here, test.branches(here.column(index)), np.zeros(test.n_branches))
    return one_split(here.schema, NodeSplit(test=test), counts)


def _counts(here: Dataset, branch: IntArray, shares: FloatArray) -> FloatArray:
    """Class weights (b + 1, k) of a node and its branches; a record of no branch is divided by ``shares`` (b,)."""
    open_ones = branch_counts(here, np.where(branch < 0, 0, -1), 1)[0]
    return np.vstack([here.class_weights, branch_counts(here, branch, len(shares)) + np.outer(shares, open_ones)])


def _with_missing_sent(tree: Tree, here: Dataset, learner: Learner) -> Tree:
    """The tree of one split that routes and counts missing values as the learner does."""
    index, n = int(tree.attribute[0]), int(tree.n_children[0])
    branch = branches(tree, 0, here.column(index))
    grouped = isinstance(learner, Chaid)
    whole = grouped or (isinstance(learner, TreeLearner) and learner.growth().missing == "majority")
    surrogates: list[Surrogate] = []
    most = int(getattr(learner, "surrogates", 0))
    if whole and not grouped and n == 2 and most > 0:
        misses = any(bool(here.missing(i).any()) for i in here.schema.predictors)
        surrogates = surrogates_of(branch, index, here, most) if misses else []
    branch = answered_by(surrogates, branch, here)
    answered = branch >= 0
    weight = np.bincount(branch[answered], weights=here.weight_array[answered], minlength=n)
    missing_to = tree.missing_to.copy()
    if whole and (not grouped or not bool(answered.all())):
        missing_to[0] = int(np.argmax(weight))
        branch = np.where(answered, branch, int(missing_to[0]))
    total = float(weight.sum())
    shares = weight / total if total > 0 else np.full(n, 1.0 / n)
    counts = _counts(here, branch, shares)
    tree = replace(tree, counts=counts, missing_to=missing_to, missing_is_value=grouped)
    return with_surrogates(tree, [(0, surrogate) for surrogate in surrogates])


def _decisions(counts: FloatArray, decision: int) -> NDArray[np.int32]:
    """Decisions of the branches: the heaviest class; the node's decision among equals."""
    most = counts.max(axis=1)
    near = counts >= (most - TOLERANCE * most)[:, None]
    decisions = np.where(near[:, decision], decision, np.argmax(near, axis=1)).astype(np.int32)
    decisions[0] = decision
    return decisions


def grown_below(piece: Tree, here: Dataset, learner: Learner, depth: int, elsewhere: int, context: RunContext) -> Tree:
    """The tree of one split with each branch grown by the learner's settings.

    ``depth`` is the number of tests above it, ``elsewhere`` the number of leaves in the rest of the tree; both count
    for the limits of the whole tree.
    """
    n = int(piece.n_children[0])
    weight = piece.counts[1 : n + 1].sum(axis=1)
    for nth, branch in enumerate(np.argsort(-weight, kind="stable").tolist()):
        child = 1 + branch
        most = getattr(learner, "max_leaves", None)
        left = None if most is None else int(most) - elsewhere - piece.n_leaves + 1
        part = records_at(piece, child, here, context.checkpoint).here
        below = _grown(part, learner, depth + 1, left, context.child(1.0 / n, 1 + nth))
        if below is not None:
            piece = grafted(piece, child, below)
    return piece


def _grown(part: Dataset, learner: Learner, depth: int, leaves: int | None, context: RunContext) -> Tree | None:
    """The subtree that the learner grows on the records of a branch; None for a leaf."""
    if len(part) == 0 or len(np.unique(part.class_codes)) < 2 or (leaves is not None and leaves < 2):
        return None
    names = {parameter.name for parameter in learner.parameters()}
    values: dict[str, Any] = {}
    limit = getattr(learner, "max_depth", None)
    if limit is None and isinstance(learner, TreeLearner):
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
    if not getattr(learner, "holds_out", False):
        return tree
    from algorithms.learners.trees.kernels.split_kernels import decide

    counts = held_out_counts(tree, part, context)  # of all records of the branch, those held out included
    decision = np.empty(tree.n_nodes, dtype=np.int32)
    decide(counts, tree.parent, decision)
    return replace(tree, counts=counts, decision=decision)


@dataclass(frozen=True, kw_only=True)
class EditedTree(EditedModel):
    """The tree of ``base``, edited by the user.

    On any records ``base`` grows its tree first. Then each edit applies at the node at the end of its path, with the
    thresholds of these records. An edit whose path the tree lacks is left out. Only the user's choices are carried
    over from other records.
    """

    id: ClassVar[str] = "edited-tree"
    name: ClassVar[str] = "Edited tree"
    sentence: ClassVar[str] = "A tree grown by another learner and edited by a person, node by node."
    family: ClassVar[str] = "Trees"
    kernels: ClassVar[tuple[str, ...]] = KERNELS
    edit: ClassVar[type[ModelEdit]] = TreeEdit
    came_about: ClassVar[str] = "grew"
    leads_there: ClassVar[str] = "where the same tests led to the place"

    base: Learner = learner_parameter(C45(), label="Base learner", help="The learner whose tree was edited.")
    edits: tuple[TreeEdit, ...] = edits_parameter(TreeEdit)

    def changed_model(self, model: Model, data: Dataset, context: RunContext) -> Model:
        ensure_compiled(KERNELS, context)
        tree = model.structure()
        if not isinstance(tree, Tree):
            raise DataError(f"{self.base.name} grows no tree that could be changed.", remedy="Choose a tree learner.")
        grown_on = self.base.parts(data.labelled())[0] if isinstance(self.base, TreeLearner) else data
        was_applied = []
        for nth, edit in enumerate(self.edits):
            changed = edited(tree, edit, grown_on, self.base, context.child(1.0 / len(self.edits), nth))
            was_applied.append(changed is not None)
            tree = tree if changed is None else changed
        context.publish(EditsApplied(tuple(was_applied)))
        return TreeModel(tree, partial=model.partial)


def grower_of(learner: Learner) -> Learner:
    """The learner that grew a tree: the base learner of an edited tree."""
    return learner.base if isinstance(learner, EditedTree) else learner


def has_corrected_gains(learner: Learner) -> bool:
    """Whether gains of numbers in the learner's tree are those after the MDL correction of C4.5."""
    return bool(getattr(asked_by(grower_of(learner)), "numeric_correction", False))


def asked_by_hand(tree: Tree, node: int, learner: Learner) -> bool:
    """Whether the user chose the split at a node of this learner's tree."""
    changes = learner.edits if isinstance(learner, EditedTree) else ()
    return any(edit.question is not None and follow(tree, edit.at) == node for edit in changes)
