"""Views of trained models for exporters: names, comments, decision rule, and the tests of a tree.

A leaf or a rule that decides alone is given the class that the decision rule predicts there. Where probabilities are
sums, the exported program computes them and applies the decision rule.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final, Generic, Self, TypeVar, cast

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.filters import FittedIdentity
from algorithms.core.scores import tolerance
from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import FloatArray
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.evaluation.costs.decision_rules import AtThreshold, DecisionRule
from algorithms.filters.arrange_attributes import AttributesRemoved
from algorithms.filters.discretize import Discretized
from algorithms.filters.replace_missing import MissingReplaced
from algorithms.learners.trees.edits import Bounds, bounds
from algorithms.learners.trees.routing import leaf_probabilities, shares_of_parent, used_attributes
from algorithms.structures.model_structure import ModelStructure
from algorithms.structures.tree import SplitTest, Tree, question_words, step_words
from algorithms.text.numbers import number

Stage = tuple[str, Mapping[str, str]]
"""The alias of a subquery, and the SQL expression of each of its columns."""

_AT_THRESHOLD: Final = '''

def _decided(_own, shares):
    """One class from a probability on, else the most probable other class."""
    if shares[{label!r}] >= {threshold!r}:
        return {label!r}
    others = [each for each in CLASSES if each != {label!r}] or CLASSES
    return max(others, key=shares.get)'''
_BY_COST: Final = '''

COSTS = {costs}
"""For each class predicted, the cost by true class."""


def _decided(own, shares):
    """The class of least expected cost; the model's own one if no other costs less."""
    expected = [sum(cost * share for cost, share in zip(row, shares.values())) for row in COSTS]
    decided = CLASSES.index(own)
    for code, cost in enumerate(expected):
        if cost < expected[decided] - {near!r}:
            decided = code
    return CLASSES[decided]'''


@dataclass(frozen=True, eq=False)
class ExportedRule:
    """A decision rule over the probabilities of ``classes``; ``costs`` (k, k) by true and predicted class decide, or
    the threshold of one class."""

    rule: DecisionRule
    classes: tuple[str, ...]
    costs: FloatArray | None
    code: int = 0
    threshold: float = 1.0

    @classmethod
    def of(cls, trained: TrainedClassifier) -> ExportedRule | None:
        """The rule of a classifier, None for the model's own; raises :class:`DataError` for costs by record."""
        rule, classes = trained.deciding, trained.classes
        if not isinstance(rule, DecisionRule) or rule.choice is None:
            return None
        if isinstance(rule.choice, AtThreshold):
            if rule.choice.label not in classes:
                return None
            threshold = min(max(rule.choice.threshold, 0.0), 2.0)  # infinite for "never"
            return cls(rule, classes, None, classes.index(rule.choice.label), float(threshold))
        if rule.costs is None:
            return None
        if rule.costs.varies:
            raise DataError(
                f"The costs of the decision rule differ by record ({', '.join(rule.costs.columns)}).",
                remedy="Save the model, which holds them, or use costs that are numbers, or the default decision rule.",
            )
        return cls(rule, classes, np.asarray(rule.costs.fixed, dtype=np.float64))

    def codes(self, probabilities: FloatArray, own: Sequence[int]) -> list[int]:
        """The class code by each row of probabilities (m, k); ``own`` are the model's."""
        return [int(code) for code in self.rule(probabilities, np.asarray(own, dtype=np.int32))]

    @property
    def words(self) -> str:
        """The rule as a comment."""
        return f"Decision rule: {self.rule.words}."

    @cached_property
    def near(self) -> float:
        """Expected costs that differ by no more are equal."""
        return 0.0 if self.costs is None else tolerance(self.costs)

    def python(self) -> str:
        """The source of the function that decides by own class and probabilities."""
        if self.costs is None:
            return _AT_THRESHOLD.format(label=self.classes[self.code], threshold=self.threshold)
        return _BY_COST.format(costs=tuple(map(tuple, self.costs.T.tolist())), near=self.near)

    def chosen(self, outcomes: Sequence[str], share: str, own: str) -> tuple[list[Stage], str]:
        """The stage of expected costs, if any, and the SQL expression of the outcome by the columns ``share``0, 1 ...

        ``own`` is the SQL expression of the model's own class as a number, by the same columns.
        """
        codes = range(len(self.classes))
        if self.costs is None:
            others = [code for code in codes if code != self.code] or [self.code]
            rest = _first(others, outcomes, lambda i, j: f"{share}{i} >= {share}{j}")
            return [], f"CASE WHEN {share}{self.code} >= {self.threshold!r} THEN {outcomes[self.code]} {rest} END"
        columns = {"own": own}
        for code in codes:
            terms = [f"{share}{i} * {cost!r}" for i, cost in enumerate(self.costs[:, code].tolist()) if cost]
            columns[f"c{code}"] = " + ".join(terms) or "0.0"

        def compared(i: int, j: int) -> str:
            return f"expected.c{i} <= expected.c{j} + {self.near!r}"

        kept, least = _first(codes, outcomes, compared, "expected.own"), _first(codes, outcomes, compared)
        return [("expected", columns)], f"CASE {kept} {least} END"


def largest_of(
    outcomes: Sequence[str], share: str, slack: str = "", own: str = "", among: Sequence[int] | None = None
) -> str:
    """The SQL expression of the outcome with the largest of the columns ``share``0, 1 ..., or of some ``among`` them.

    Of ties, which ``slack`` widens, the one whose number is in the column ``own`` decides, else the first.
    """

    def compared(i: int, j: int) -> str:
        return f"{share}{i} >= {share}{j}{slack}"

    codes = range(len(outcomes)) if among is None else among
    kept = f"{_first(codes, outcomes, compared, own)} " if own else ""
    return f"CASE {kept}{_first(codes, outcomes, compared)} END"


def _first(codes: Sequence[int], outcomes: Sequence[str], compared: Callable[[int, int], str], own: str = "") -> str:
    """WHEN clauses of the first class that compares so with all others, and is ``own`` if this is given."""
    clauses = []
    for i in codes:
        tests = [*([f"{own} = {i}"] if own else []), *(compared(i, j) for j in codes if j != i)]
        clauses.append(f"WHEN {' AND '.join(tests) or '1 = 1'} THEN {outcomes[i]}")
    return " ".join(clauses)


S = TypeVar("S", bound=ModelStructure)

GiveWay = Callable[[], None]
"""A function called every few milliseconds while a document is written; may raise to stop."""
BREATH: Final = 100
"""Nodes, rules or terms written between two calls of a ``GiveWay`` function."""

T = TypeVar("T")


def with_breaks(items: Iterable[T], give_way: GiveWay, every: int = BREATH) -> Iterator[T]:
    """Yields the items, with a call of ``give_way`` before every ``every`` of them."""
    for nth, item in enumerate(items):
        if nth % every == 0:
            give_way()
        yield item


@dataclass(frozen=True, eq=False)
class ColumnQuestion:
    """A test of one column: ``answers`` are the outcomes, as bounds or labels.

    ``branches`` is the branch of each outcome. It is a node's own test or a surrogate. With ``terms`` it tests a linear
    combination: for each term the column, the coefficient, and the replacement of a missing value. The combination is
    missing if all columns are.
    """

    attribute: Attribute
    answers: tuple[Bounds | tuple[str, ...], ...]
    branches: tuple[int, ...]
    terms: tuple[tuple[Attribute, float, float], ...] = ()

    @property
    def is_number(self) -> bool:
        return not self.attribute.kind.is_coded

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels that lead to a branch; empty for a number."""
        return tuple(str(label) for answer in self.answers for label in answer) if not self.is_number else ()


@dataclass(frozen=True, eq=False)
class ExportSubject(ABC, Generic[S]):
    """A trained model prepared for export.

    ``fills`` are the values that the recipe imputes, by column. ``cuts`` are its discretization cuts, and
    ``fills_of_ranges`` the ranges it imputes after discretization.
    """

    kind: ClassVar[type[ModelStructure]]
    models: ClassVar[tuple[str, ...]]
    """The names of models of this kind, in the plural."""

    trained: TrainedClassifier
    structure: S
    fills: dict[str, float | str]
    cuts: dict[str, tuple[float, ...]]
    fills_of_ranges: dict[str, str]

    @classmethod
    def of(cls, trained: TrainedClassifier) -> Self:
        """The view of a trained model; raises :class:`DataError` if the recipe has a step that cannot be exported."""
        return cls(trained, cast(S, trained.structure()), *recipe_of(trained))

    @property
    def classes(self) -> tuple[str, ...]:
        return self.structure.schema.classes

    @cached_property
    def rule(self) -> ExportedRule | None:
        """The decision rule; None for the model's own decisions."""
        return ExportedRule.of(self.trained)

    @property
    def target(self) -> Attribute:
        """The class attribute."""
        return self.structure.schema.class_attribute

    @property
    def class_name(self) -> str:
        return self.target.name

    def raw(self, attribute: Attribute) -> Attribute:
        """The column of this attribute in the raw data."""
        schema = self.trained.input_schema
        return schema.attributes[schema.index_of(attribute.name)]

    @property
    @abstractmethod
    def used(self) -> tuple[Attribute, ...]:
        """The columns that the model uses."""

    @property
    @abstractmethod
    def title(self) -> str:
        """The beginning of the first comment: "A decision tree"."""

    @property
    @abstractmethod
    def n_records(self) -> float | None:
        """The weight of the training records; None if it is unknown."""

    @abstractmethod
    def size_words(self) -> list[str]:
        """The size and the decision rule of the model, as comments."""

    @abstractmethod
    def missing_words(self) -> list[str]:
        """The treatment of missing values, as comments."""

    def recipe_words(self) -> list[str]:
        """The imputed values and discretized columns of the recipe, as comments."""
        fills = [f"Imputed: {name} is {fill} if missing." for name, fill in self.fills.items()]
        return [*fills, *(f"Cut into ranges: {name}." for name in self.cuts)]

    def heading(self) -> list[str]:
        """The comments at the head of an export."""
        trained, n = self.trained, self.n_records
        return [
            f"{self.title} for {self.class_name}, written by Coppice.",
            f"Learned by: {trained.learner.summary()}.",
            f"From: {trained.data_name or 'a table'}{'' if n is None else f', {amount(n)} records'}"
            + (f", on {trained.created[:10]}." if trained.created else "."),
            *self.size_words(),
            *([] if self.rule is None else [self.rule.words]),
            *self.recipe_words(),
            *(f"Done to the data before: {mark}" for mark in trained.marks),
            *self.missing_words(),
        ]


@dataclass(frozen=True, eq=False)
class TreeSubject(ExportSubject[Tree]):
    """A trained tree."""

    kind, models, title = Tree, ("trees",), "A decision tree"

    @property
    def tree(self) -> Tree:
        return self.structure

    def check_is_sharp(self) -> None:
        """Raise :class:`DataError` if the tree has soft thresholds, which few formats can express."""
        if self.tree.has_soft_thresholds:
            raise DataError(
                "The thresholds of this tree are soft, which cannot be written so.",
                remedy="Write it as Python or text, or learn it without soft thresholds.",
            )

    # ---- names and words ---------------------------------------------------------------------------------------------

    @cached_property
    def used(self) -> tuple[Attribute, ...]:
        """The columns that the tree tests, including surrogates."""
        return tuple(self.tree.schema.attributes[index] for index in used_attributes(self.tree).tolist())

    @property
    def n_records(self) -> float:
        return float(self.tree.counts[0].sum())

    def size_words(self) -> list[str]:
        tree = self.tree
        return [f"Classes: {', '.join(self.counted(0))}.", f"Size: {tree.n_leaves} leaves, depth {tree.depth}."]

    def recipe_words(self) -> list[str]:
        filled = ((name, fill if isinstance(fill, str) else number(fill)) for name, fill in self.fills.items())
        cuts = ((name, ", ".join(map(number, cuts)) or "no number") for name, cuts in self.cuts.items())
        return [
            *(f"Imputed: {name} is {fill} if missing." for name, fill in filled),
            *(f"Discretized: {name} at {listed}." for name, listed in cuts),
        ]

    def missing_words(self) -> list[str]:
        tree = self.tree
        inner = tree.test != SplitTest.LEAF
        if not inner.any():
            return ["It has no split."]
        shared = bool(np.any(tree.missing_to[inner] < 0))
        whole = bool(np.any(tree.missing_to[inner] >= 0))
        clauses = []
        if len(tree.surrogate_node):
            clauses.append("a surrogate split is used if there is one")
        one = "down one branch"
        every = "down every branch in proportion to the training records there"
        if whole and shared:
            clauses.append(f"otherwise the record goes {one} at some splits, and {every} at the others")
        else:
            clauses.append(f"otherwise the record goes {one if whole else every}")
        return [f"Missing and unknown values: {'; '.join(clauses).removeprefix('otherwise ')}."]

    def counted(self, node: int) -> list[str]:
        """The classes in a node with their weights: ``setosa 50``."""
        counts = self.tree.counts[node]
        return [f"{self.classes[code]} {amount(float(counts[code]))}" for code in np.flatnonzero(counts).tolist()]

    def node_words(self, node: int) -> str:
        """The test or prediction of a node in words, and its class counts."""
        tree = self.tree
        what = self.decision(node) if tree.is_leaf(node) else f"{question_words(tree, node)}?"
        return f"{what} ({', '.join(self.counted(node)) or 'no record'})"

    def way_words(self, node: int) -> str:
        """The test on the branch from the parent to a node, in words."""
        return step_words(self.tree, node, at_most=1000)

    # ---- what it does ------------------------------------------------------------------------------------------------

    @cached_property
    def decisions(self) -> list[int]:
        """The class code of every node, by the decision rule."""
        own = self.tree.decision.tolist()
        return own if self.rule is None else self.rule.codes(self.probabilities, own)

    def decision(self, node: int) -> str:
        return self.classes[self.decisions[node]]

    @cached_property
    def probabilities(self) -> FloatArray:
        """Class probabilities of every node (m, k)."""
        return leaf_probabilities(self.tree)

    @cached_property
    def shares(self) -> FloatArray:
        """The share of the parent's records without a known value that goes to each node (m,)."""
        return shares_of_parent(self.tree)

    def asks(self, node: int) -> list[ColumnQuestion]:
        """The test of a node, followed by its surrogates."""
        tree = self.tree
        return [_own(tree, node), *(_stand_in(tree, s) for s in tree.surrogates(node))]

    def without_answer(self, node: int) -> int | None:
        """The child of a record whose tested values are all missing; None if it goes to all children."""
        branch = int(self.tree.missing_to[node])
        return None if branch < 0 else int(self.tree.first_child[node]) + branch

    @property
    def is_divided(self) -> bool:
        """Whether a record with missing values can go to several branches."""
        inner = self.tree.test != SplitTest.LEAF
        return bool(np.any(self.tree.missing_to[inner] < 0))

    def depth_first(self) -> Iterator[int]:
        """The nodes in depth-first order, parents first, children in branch order."""
        waiting = [0]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(self.tree.children(node)))


def _own(tree: Tree, node: int) -> ColumnQuestion:
    attribute = tree.schema.attributes[int(tree.attribute[node])]
    if tree.is_linear(node):
        terms = tuple(
            (
                tree.schema.attributes[int(tree.term_attribute[t])],
                float(tree.term_coefficient[t]),
                float(tree.term_stand_in[t]),
            )
            for t in tree.terms(node)
        )
        threshold = float(tree.threshold[node])
        return ColumnQuestion(attribute, ((None, threshold), (threshold, None)), (0, 1), terms)
    answers: list[Bounds | tuple[str, ...]] = []
    branches = []
    for branch in range(int(tree.n_children[node])):
        if tree.is_for_missing(node, branch):
            continue
        if attribute.kind.is_coded:
            labels = tuple(attribute.values[code] for code in tree.values_of_branch(node, branch))
            if not labels:
                continue
            answers.append(labels)
        else:
            answers.append(bounds(tree, node, branch))
        branches.append(branch)
    return ColumnQuestion(attribute, tuple(answers), tuple(branches))


def _stand_in(tree: Tree, s: int) -> ColumnQuestion:
    attribute, offset = tree.schema.attributes[int(tree.surrogate_attribute[s])], int(tree.surrogate_offset[s])
    if offset < 0:
        threshold, swapped = float(tree.surrogate_threshold[s]), int(tree.surrogate_swapped[s])
        return ColumnQuestion(attribute, ((None, threshold), (threshold, None)), (swapped, 1 - swapped))
    branch_of = tree.branch_of[offset : offset + len(attribute.values)]
    sides = [(b, tuple(attribute.values[c] for c in np.flatnonzero(branch_of == b).tolist())) for b in (0, 1)]
    there = [(b, labels) for b, labels in sides if labels]
    return ColumnQuestion(attribute, tuple(labels for _, labels in there), tuple(b for b, _ in there))


def amount(weight: float) -> str:
    """A weight of records as text, without decimals if it is an integer."""
    return f"{weight:.0f}" if abs(weight - round(weight)) < 5e-7 else f"{weight:.4g}"


def recipe_of(
    trained: TrainedClassifier,
) -> tuple[dict[str, float | str], dict[str, tuple[float, ...]], dict[str, str]]:
    """The recipe's imputed values, cuts and imputed ranges; raises :class:`DataError` for any other step."""
    fills: dict[str, float | str] = {}
    cuts: dict[str, tuple[float, ...]] = {}
    fills_of_ranges: dict[str, str] = {}
    for fitted, step in zip(trained.recipe.filters, trained.filters, strict=True):
        if isinstance(fitted, MissingReplaced) and fitted.is_plain:
            for name, fill in fitted.fills.items():
                if name in cuts and isinstance(fill, str):
                    fills_of_ranges.setdefault(name, fill)
                elif name in trained.input_schema and name not in cuts:
                    attribute = trained.input_schema.attributes[trained.input_schema.index_of(name)]
                    fits = attribute.code_of(fill) >= 0 if isinstance(fill, str) else not attribute.kind.is_coded
                    if fits:
                        fills.setdefault(name, fill)
        elif isinstance(fitted, Discretized):
            schema = trained.input_schema
            for name, column_cuts in fitted.cuts.items():
                if name in schema and schema.attributes[schema.index_of(name)].kind is AttributeKind.NUMERIC:
                    cuts.setdefault(name, tuple(float(cut) for cut in column_cuts))
        elif not isinstance(fitted, AttributesRemoved | FittedIdentity):
            raise DataError(
                f"The step {step.name!r} of the recipe cannot be written so.",
                remedy="Make the step permanent in Preprocess and learn again, or save the model.",
            )
    return fills, cuts, fills_of_ranges
