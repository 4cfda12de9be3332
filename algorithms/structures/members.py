"""Structures of ensembles: members, members of a class code, and models wrapped in another model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray
from algorithms.data.schema import Schema
from algorithms.structures.model_structure import ArrayFields, ModelStructure, StructureInfo
from algorithms.structures.tree import Tree
from algorithms.text.numbers import percent
from algorithms.text.sentences import counted

FEW_TREES: Final = 10


def _none() -> FloatArray:
    return np.empty(0)


@dataclass(frozen=True, eq=False)
class Committee(ArrayFields):
    """Statistics of an ensemble of m members on its training records; empty arrays for unknown ones.

    ======================  ====  ==================================================================================
    array                   size  meaning
    ======================  ====  ==================================================================================
    training_error          m     error of the first 1, 2 .. m members together on their training records; for
                                  gradient boosting, by rounds
    out_of_bag_error        m     the same, where only members that did not train on a record predict it; NaN while
                                  all members trained on every record
    out_of_bag_share        m     the weight of the records that count there, as a share of all; empty if unknown
    impurity_importance     a     the share of each attribute of the schema in the gain of all splits
    permutation_importance  a     the increase of the out-of-bag error if the attribute's values are permuted
    member_errors           m     the weighted error of each member in its boosting round
    training_bound          m     upper bound of the training error of the first 1, 2 .. m boosted members: the mean
                                  of exp(votes against - votes for the class) over the records. For two classes, the
                                  usual error and no resets it is the product of 2 sqrt(e (1 - e)) over the errors e
                                  (TSKK Eq. 5.70)
    ======================  ====  ==================================================================================

    ``tested`` is the weight of the records that at least one member did not train on. ``strength`` s and
    ``correlation`` r are those of a random forest (Breiman 2001, section 2.2), NaN if unknown.
    """

    training_error: FloatArray = field(default_factory=_none)
    out_of_bag_error: FloatArray = field(default_factory=_none)
    out_of_bag_share: FloatArray = field(default_factory=_none)
    impurity_importance: FloatArray = field(default_factory=_none)
    permutation_importance: FloatArray = field(default_factory=_none)
    member_errors: FloatArray = field(default_factory=_none)
    training_bound: FloatArray = field(default_factory=_none)
    tested: float = 0.0
    strength: float = float("nan")
    correlation: float = float("nan")

    NUMBERS: ClassVar[tuple[str, ...]] = ("tested", "strength", "correlation")

    @property
    def is_tested(self) -> bool:
        """Whether there is an out-of-bag error."""
        return self.tested > 0 and len(self.out_of_bag_error) > 0

    @property
    def out_of_bag(self) -> float:
        """The out-of-bag error of all members; NaN if there is none."""
        return float(self.out_of_bag_error[-1]) if self.is_tested else float("nan")

    @property
    def bound(self) -> float:
        """Upper bound of the generalisation error, r (1 - s^2) / s^2 (TSKK Eq. 5.72); NaN if s and r are unknown."""
        s = self.strength
        return self.correlation * (1 - s * s) / (s * s) if s > 0 else float("nan")


@dataclass(frozen=True, eq=False)
class VoteRounds:
    """The votes of each of m members on n training records, for ensembles with few records.

    ``counted`` (m, n) is the weight of each record in the training of a member: how often it was drawn, or its weight
    with mean 1. ``votes`` (m, n, k) are the member's votes, ``truth`` (n,) the classes and ``names`` (n) the names of
    the records.
    """

    counted: FloatArray
    votes: FloatArray
    truth: NDArray[np.int32]
    names: tuple[str, ...]

    def sums(self, weights: FloatArray, made: int) -> FloatArray:
        """The sum (n, k) of the votes of the first ``made`` members, multiplied by their weights (m,)."""
        return np.asarray(np.einsum("i,ink->nk", weights[:made], self.votes[:made]))


@dataclass(frozen=True, eq=False)
class Members(ModelStructure, viewer_key="ensemble"):
    """The m members of an ensemble: the structure, learner name and vote weight of each.

    With ``averaged`` class probabilities are averaged; otherwise each member votes for one class. ``how`` names other
    cases: a ``judge``, the last part, decides from the probabilities of the others, or the ``sums`` of the trees' leaf
    values decide. ``rounds`` are set only for few training records.
    """

    schema: Schema
    parts: Sequence[ModelStructure]
    names: tuple[str, ...]
    weights: FloatArray
    averaged: bool
    known: Committee
    how: str = field(default="members", kw_only=True)
    rounds: VoteRounds | None = field(default=None, kw_only=True)

    @property
    def info(self) -> StructureInfo:
        out_of_bag = ""
        if self.known.is_tested:
            accuracy = percent(1 - self.known.out_of_bag)
            out_of_bag = f" · out-of-bag accuracy {accuracy}, of the members not trained on a record"
        members = counted(self.n_members, "member")
        phrase = f"ensemble of {members}"
        return StructureInfo(
            "The ensemble", f"{members}{out_of_bag}", phrase, self._by_importance, self._knows_all_used
        )

    @property
    def _knows_all_used(self) -> bool:
        """Whether all attributes that some member uses are known: by their gains, or from the tests of few trees."""
        if len(self.known.impurity_importance):
            return True
        few = self.n_members <= FEW_TREES
        return few and all(isinstance(part, Tree) and len(part.schema) == len(self.schema) for part in self.parts)

    def _by_importance(self) -> list[int]:
        """The attributes by importance; without importances, by their tests in the first trees."""
        gains, matters = self.known.impurity_importance, self.known.permutation_importance
        used = gains if len(gains) else self._asked_early()
        matters = matters if len(matters) else used
        return [index for index in np.argsort(-matters, kind="stable").tolist() if used[index] > 0]

    def _asked_early(self) -> FloatArray:
        """Weight of each attribute's tests in the first trees (a,): 1 at the root, halved at each level."""
        weight = np.zeros(len(self.schema))
        for tree in self.parts[:FEW_TREES]:
            if isinstance(tree, Tree) and len(tree.schema) == len(weight):
                tested = np.flatnonzero(tree.attribute >= 0)
                np.add.at(weight, tree.attribute[tested], 0.5 ** tree.depths[tested])
        return weight

    @property
    def n_members(self) -> int:
        return len(self.parts)


@dataclass(frozen=True, eq=False)
class CodedMembers(Members, viewer_key="code"):
    """Members that each separate some classes from others, by a code.

    ``code`` (k, m) is 1 or -1 for the two sides of a member, 0 if the member had no records of the class. ``accuracy``
    (m,) is that of each member on its two sides: with ``tested`` on records it did not train on, else on its training
    records. ``decoding`` describes in words how the class is decoded.
    """

    code: NDArray[np.int8]
    accuracy: FloatArray
    tested: bool
    decoding: str

    @property
    def info(self) -> StructureInfo:
        facts = f"{counted(self.n_members, 'member')}, each for two sides"
        return replace(super().info, title="The members", facts=facts)

    def failed_bits(self, read: NDArray[np.bool_], label: int) -> NDArray[np.bool_]:
        """Mask (m,) of the members that decided for the wrong side of class ``label``; ``read`` (m,) is decided."""
        word = self.code[label]
        return np.asarray((word != 0) & (read != (word == 1)))


@dataclass(frozen=True, eq=False)
class WrappedStructure(Members, viewer_key="wrapped"):
    """A single model whose predictions are changed; ``words`` says how, ``rows`` as a table with the heading first."""

    words: str
    rows: tuple[tuple[str, ...], ...]

    @property
    def info(self) -> StructureInfo:
        inner = self.parts[0].info
        return replace(super().info, title=inner.title, facts=inner.facts)

    @classmethod
    def around(
        cls, schema: Schema, part: ModelStructure, name: str, words: str, rows: tuple[tuple[str, ...], ...]
    ) -> WrappedStructure:
        """The structure of a model called ``name`` that is wrapped in another model."""
        return cls(schema, (part,), (name,), np.ones(1), True, Committee(), words, rows)
