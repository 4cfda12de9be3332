"""Structures of ensembles: members, members that tell sides of classes apart, and models within a model."""

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
from algorithms.text.sentences import counted

FEW_TREES: Final = 10


def _none() -> FloatArray:
    return np.empty(0)


@dataclass(frozen=True, eq=False)
class Committee(ArrayFields):
    """What is known of how a committee of m members decides on its training records; empty where it is not known.

    ======================  ====  ==================================================================================
    array                   size  meaning
    ======================  ====  ==================================================================================
    training_error          m     error of the first 1, 2 .. m members together on the records they learned from; of
                                  gradient boosting by its rounds
    out_of_bag_error        m     the same, each record judged only by those of them that did not learn from it; NaN
                                  while every record was learned from by all
    impurity_importance     a     the share that each attribute of the schema has in what all questions gained
    permutation_importance  a     how much more often the members are wrong out of bag where an attribute's values are
                                  dealt out anew among the records
    member_errors           m     the weighted error of each member in its round of boosting
    training_bound          m     the most that the first 1, 2 .. m members of a boosted committee are wrong in
                                  training: the mean of exp(votes against - votes for the class) over the records. Of
                                  two classes, the usual error and no resets that is the product of 2 sqrt(e (1 - e))
                                  over the errors e (TSKK Eq. 5.70)
    ======================  ====  ==================================================================================

    ``tested`` is the weight of the records that at least one member did not learn from. ``strength`` s and
    ``correlation`` r are those of a random forest (Breiman 2001, section 2.2), NaN where they are not known.
    """

    training_error: FloatArray = field(default_factory=_none)
    out_of_bag_error: FloatArray = field(default_factory=_none)
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
        """Whether records were judged by members that had not learned from them."""
        return self.tested > 0 and len(self.out_of_bag_error) > 0

    @property
    def out_of_bag(self) -> float:
        """The out-of-bag error of all members; NaN where there is none."""
        return float(self.out_of_bag_error[-1]) if self.is_tested else float("nan")

    @property
    def bound(self) -> float:
        """The most that ever larger forests err, r (1 - s^2) / s^2 (TSKK Eq. 5.72); NaN where it is not known."""
        s = self.strength
        return self.correlation * (1 - s * s) / (s * s) if s > 0 else float("nan")


@dataclass(frozen=True, eq=False)
class VoteRounds:
    """How the vote on n records, few enough to look at, comes about with each of m members.

    ``counted`` (m, n) is what each record weighed when the member learned: how often it was drawn, or its weight, of 1
    on average. ``votes`` (m, n, k) are what the member says of it, ``truth`` (n,) its class, ``names`` (n) what it is
    called.
    """

    counted: FloatArray
    votes: FloatArray
    truth: NDArray[np.int32]
    names: tuple[str, ...]

    def sums(self, weights: FloatArray, made: int) -> FloatArray:
        """The votes (n, k) of the first so many members, whose votes weigh so much (m,), added up."""
        return np.asarray(np.einsum("i,ink->nk", weights[:made], self.votes[:made]))


@dataclass(frozen=True, eq=False)
class Members(ModelStructure, viewer_key="ensemble"):
    """The m members of a committee: what each looks like inside, the learner it came from, and what its vote weighs.

    ``averaged`` says that class probabilities are averaged; otherwise each member votes for one class. ``how``
    says where neither counts: a ``judge``, the last part, decides by the probabilities that the others give, or the
    ``sums`` of what the leaves of trees answer. ``rounds`` are there where training had few records.
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
            accuracy = 100 * (1 - self.known.out_of_bag)
            out_of_bag = f" · right {accuracy:.0f} times in 100 on records that members left out"
        members = counted(self.n_members, "member")
        phrase = f"committee of {members}"
        return StructureInfo("The committee", f"{members}{out_of_bag}", phrase, self._most_important)

    def _most_important(self) -> list[int]:
        """The two attributes that matter most, or decide most in the first trees."""
        known = self.known
        matters = known.permutation_importance if len(known.permutation_importance) else known.impurity_importance
        matters = matters if len(matters) else self._asked_early()
        return [index for index in np.argsort(-matters, kind="stable")[:2].tolist() if matters[index] > 0]

    def _asked_early(self) -> FloatArray:
        """How much each attribute (a,) decides in the first trees: a test counts half of one above it."""
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
    """Members that each tell some classes from others.

    ``code`` (k, m) has 1 where a class is on a member's one side, -1 where it is on the other, 0 where the member never
    saw it. ``accuracy`` (m,) is how often each was right about its side: where ``tested`` on records it did not learn
    from, else on its own training records. ``decoding`` says in words how one class comes out of it.
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
        """Which members (m,) decided for the side that the class with this code is not on; ``read`` (m,) as decided."""
        word = self.code[label]
        return np.asarray((word != 0) & (read != (word == 1)))


@dataclass(frozen=True, eq=False)
class WrappedStructure(Members, viewer_key="wrapped"):
    """A single model, and in ``words`` how its answers are changed; ``rows`` is that as a table, the heading first."""

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
        """One model of this name within another."""
        return cls(schema, (part,), (name,), np.ones(1), True, Committee(), words, rows)
