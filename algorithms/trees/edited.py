"""A tree that a learner grew and a person changed: a learner of its own, so that it can be judged like any other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final

from algorithms.core.by_hand import EditedByHand, EditsMade
from algorithms.core.compiling import ensure_compiled
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.errors import DataError
from algorithms.core.learner import Learner, Model
from algorithms.core.params import learner as learner_parameter
from algorithms.core.params import text
from algorithms.core.structures import Tree
from algorithms.trees.c45 import C45
from algorithms.trees.hand_edits import Edit, Edits, edits_from_text, edits_to_text
from algorithms.trees.induction import KERNELS
from algorithms.trees.model import TreeModel
from algorithms.trees.paths import follow
from algorithms.trees.reasons import GrowsTrees
from algorithms.trees.why import parts_of

BY_HAND: Final = "edited by hand"


@dataclass(frozen=True, kw_only=True)
class EditedTree(EditedByHand):
    """The tree of ``base``, changed by hand.

    ``edits`` is JSON text (:mod:`algorithms.trees.hand_edits`). On any records ``base`` grows its tree first; then each
    change is made in turn at the node to which the same questions lead, with the thresholds that these records gave
    them. Where the tree asks something else on the way, that change is left out: nothing that was learned from other
    records is carried over, but what the person chose.
    """

    id: ClassVar[str] = "edited-tree"
    name: ClassVar[str] = "Tree edited by hand"
    sentence: ClassVar[str] = "A tree that was grown by another learner and then changed by a person, node by node."
    family: ClassVar[str] = "Trees"
    kernels: ClassVar[tuple[str, ...]] = KERNELS
    kind: ClassVar[str] = "tree"
    whole: ClassVar[str] = "tree"
    came_about: ClassVar[str] = "grew"
    leads_there: ClassVar[str] = "where the same questions led to the place"

    base: Learner = learner_parameter(C45(), label="Grown by", help="The learner whose tree was changed.")
    edits: str = text("[]", label="Changes", help="What was changed by hand, as plain data.")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "edits", edits_to_text(edits_from_text(self.edits)))

    @property
    def grower(self) -> Learner:
        return self.base

    @cached_property
    def changes(self) -> Edits:
        """What was changed, in turn."""
        return edits_from_text(self.edits)

    def changed_model(self, model: Model, edits: Sequence[Any], data: Dataset, context: RunContext) -> Model:
        """A model of ``base`` on ``data`` with these changes made; tells which by :class:`EditsMade`."""
        from algorithms.trees.asking import edited

        ensure_compiled(KERNELS, context)
        tree = model.structure()
        if not isinstance(tree, Tree):
            raise DataError(f"{self.base.name} grows no tree that could be changed.", remedy="Choose a tree learner.")
        grown_on = parts_of(self.base, data)[0] if isinstance(self.base, GrowsTrees) else data
        made = []
        for nth, edit in enumerate(edits):
            changed = edited(tree, edit, grown_on, self.base, context.child(1.0 / len(edits), nth))
            made.append(changed is not None)
            tree = tree if changed is None else changed
        context.publish(EditsMade(tuple(made)))
        return TreeModel(tree, partial=model.partial)


def grower_of(learner: Learner) -> Learner:
    """The learner that grew a tree: the base of one that was edited by hand."""
    return learner.base if isinstance(learner, EditedTree) else learner


def edited_further(learner: Learner, edits: Sequence[Edit]) -> Learner:
    """The learner whose tree has these changes; the base itself where there are none."""
    base = grower_of(learner)
    return EditedTree(base=base, edits=edits_to_text(edits)) if edits else base


def asked_by_hand(tree: Tree, node: int, learner: Learner) -> bool:
    """Whether a person put the question at a node of the tree of this learner."""
    changes = learner.changes if isinstance(learner, EditedTree) else ()
    return any(edit.question is not None and follow(tree, edit.at) == node for edit in changes)
