"""Rule extraction: rules of a decision tree, and surrogate rules learned from the predictions of any model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self

import numpy as np

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import DataError, ModelFileError
from algorithms.core.learner import Codes, Explanation, Learner, Model, Probabilities, Problem, State, WrappingLearner
from algorithms.core.parameters import Option, choice, declared_as, learner_parameter, real, when
from algorithms.core.resampling import inner_parts
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.data.summary import Summary
from algorithms.learners.rules.c45_rules import C45Rules, TreeRewriting, joined, tree_paths
from algorithms.learners.rules.model import KERNELS, RuleMatcher, RuleModel, decided_as_counted
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.oblique import ObliqueTree
from algorithms.learners.trees.tree_learner import KERNELS as TREE_KERNELS
from algorithms.structures.model_structure import ModelStructure
from algorithms.structures.rule_set import Rule, RuleSet, put_together, weight_words
from algorithms.structures.tree import Tree
from algorithms.text.numbers import percent

_GROWING: Final = 0.5
"""Share of the progress that growing the tree takes."""

_SHORTER: Final = when("form", "simplified")


@dataclass(frozen=True, kw_only=True)
class TreeRules(WrappingLearner):
    """A rule for each leaf of the tree that ``base`` grows.

    Unsimplified, exactly one rule fires for any record and predicts as its leaf. A missing value follows the branch
    that takes it. Where the tree divides a record, uses a surrogate split or has soft thresholds, the rules follow the
    heaviest branch, the primary split and the sharp threshold. Of an attribute never missing in training, a missing
    value meets no condition. Simplified rules are those of :class:`~algorithms.learners.rules.c45_rules.C45Rules`.
    """

    id: ClassVar[str] = "tree-rules"
    name: ClassVar[str] = "Rules from a tree"
    sentence: ClassVar[str] = (
        "Writes a tree as rules, one per path, so that exactly one fires for each record. Optionally simplifies them."
    )
    source: ClassVar[str] = "Quinlan, Simplifying Decision Trees (1987)"
    family: ClassVar[str] = "Rules"
    burden: ClassVar[int] = 3
    kernels: ClassVar[tuple[str, ...]] = (*TREE_KERNELS, *KERNELS)

    base: Learner = learner_parameter(C45(), label="Base learner", help="The learner that grows the tree.")
    form: str = choice(
        "as-they-are",
        Option("as-they-are", "None", "Exactly one rule fires for each record, as in the tree."),
        Option("simplified", "C4.5 rules", "Drops conditions and rules that are not needed."),
        label="Simplification",
        help="Whether the rules are the paths of the tree or are simplified to a decision list.",
    )
    confidence: float = declared_as(C45Rules, "confidence", enabled_if=_SHORTER)
    rules_weight: float = declared_as(C45Rules, "rules_weight", enabled_if=_SHORTER)
    class_order: str = declared_as(C45Rules, "class_order", enabled_if=_SHORTER)
    exceptions: str = declared_as(C45Rules, "exceptions", enabled_if=_SHORTER)

    def check(self, summary: Summary) -> list[Problem]:
        if isinstance(self.base, ObliqueTree):
            remedy = "Choose a learner of a tree that asks about one attribute at a time."
            return [Problem("Rules cannot express splits on combinations of attributes.", remedy)]
        return super().check(summary)

    def _fit(self, data: Dataset, context: RunContext) -> RuleModel:
        ensure_compiled(self.kernels, context)
        growing = context.child(_GROWING, 0, same_seed=True)
        model = self.base.fit(data, growing)
        growing.complete()
        tree = model.structure()
        if not isinstance(tree, Tree):
            raise DataError(f"{self.base.name} grows no tree to read rules off.", remedy="Choose a tree learner.")
        reading = context.child(1 - _GROWING, 1)
        if self.form == "as-they-are":
            return RuleModel(rules_of(tree, data, reading), partial=model.partial)
        weighty = data.without_weightless()
        settings = {name: getattr(self, name) for name in ("confidence", "rules_weight", "class_order", "exceptions")}
        rules, partial = TreeRewriting(weighty, C45Rules(**settings), reading).rules(tree)
        counted = RuleMatcher(rules).counted(weighty, reading.checkpoint)
        return RuleModel(decided_as_counted(counted), partial=model.partial or partial)


def rules_of(tree: Tree, data: Dataset, context: RunContext) -> RuleSet:
    """A rule for each leaf of a tree grown on this data, with the counts of the leaves."""
    lacking = frozenset(
        index for index in np.unique(tree.attribute).tolist() if index >= 0 and data.missing(index).any()
    )
    paths = tree_paths(tree, context.checkpoint, lacking)
    listed = [Rule(joined(conditions), int(tree.decision[leaf])) for leaf, conditions in paths]
    rules = put_together(tree.schema, listed, int(tree.decision[0]))
    counts = tree.counts[[leaf for leaf, _ in paths]]
    return replace(rules, covered=counts, decided=counts.copy(), correction=0.0, criterion=tree.criterion)


READABLE: Final[Mapping[str, type[Model]]] = {RuleModel.id: RuleModel, TreeModel.id: TreeModel}
"""Models that can be surrogates."""


@dataclass(frozen=True)
class SurrogateFidelity:
    """Weight of held-out records on which two models agree, and the total weight held out."""

    same: float
    total: float

    @property
    def share(self) -> float:
        """From 0 to 1; 0 where nothing was held out."""
        return self.same / self.total if self.total > 0 else 0.0

    def __str__(self) -> str:
        return f"for {percent(self.share)} of the records ({weight_words(self.total)} held out)"


class MimicModel(Model):
    """A surrogate: rules or a tree ``inner`` that learned the predictions of the model of ``original``."""

    id: ClassVar[str] = "mimic"

    def __init__(self, inner: Model, original: str, fidelity: SurrogateFidelity, *, partial: bool = False) -> None:
        super().__init__(inner.schema, partial=partial)
        self.inner, self.original, self.fidelity = inner, original, fidelity

    def _predict_proba(self, data: Dataset) -> Probabilities:
        return self.inner.predict_proba(data)

    def _predict(self, data: Dataset) -> Codes:
        return self.inner.predict(data)

    def structure(self) -> ModelStructure:
        return self.inner.structure()

    def facts(self) -> dict[str, int | float]:
        facts = self.inner.facts()
        return {**facts, "fidelity": self.fidelity.share} if self.fidelity.total > 0 else facts

    def remark(self) -> str:
        if self.fidelity.total <= 0:
            return f"it stands for {self.original}; how well was not found out"
        return f"it predicts the same as {self.original} {self.fidelity}"

    def explain(self, data: Dataset, row: int) -> Explanation:
        why = self.inner.explain(data, row)
        remark = self.remark()
        steps = (*why.steps, f"{remark[0].upper()}{remark[1:]}")
        return Explanation(why.decision, why.probabilities, steps, why.parts)

    def to_state(self) -> State:
        state = self.inner.to_state()
        values: dict[str, Any] = {
            "inner": self.inner.id,
            "values": dict(state.values),
            "original": self.original,
            "same": self.fidelity.same,
            "total": self.fidelity.total,
            "partial": self.partial,
        }
        return State(values, state.arrays)

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        kept = state.values
        kind, values, original = READABLE.get(str(kept.get("inner"))), kept.get("values"), kept.get("original")
        same, total = kept.get("same"), kept.get("total")
        if kind is None or not isinstance(values, dict) or not isinstance(original, str):
            raise _damaged()
        if not isinstance(same, int | float) or not isinstance(total, int | float) or not 0 <= same <= total:
            raise _damaged()
        inner = kind.from_state(schema, State(values, state.arrays))
        return cls(inner, original, SurrogateFidelity(float(same), float(total)), partial=kept.get("partial") is True)


def _damaged() -> ModelFileError:
    return ModelFileError("The saved model is damaged: what stands for another model is missing.", remedy="Save again.")


_SHARES: Final = (0.3, 0.2, 0.3, 0.2)
"""Shares of the progress: model and surrogate on a part of the records, then both on all."""


@dataclass(frozen=True, kw_only=True)
class ExtractedRules(WrappingLearner):
    """A surrogate model: ``reader`` learns the predictions of the model of ``base`` on its training records.

    Fidelity is measured on held-out records: both learn from the other records, then their predictions are compared.
    Finally both learn from all records, and the model is that of ``reader``.
    """

    id: ClassVar[str] = "extracted-rules"
    name: ClassVar[str] = "Rules from any model (surrogate)"
    sentence: ClassVar[str] = (
        "Trains any model, then learns rules or a tree from its predictions as a readable surrogate, and "
        "reports how often both agree (fidelity)."
    )
    source: ClassVar[str] = "Craven and Shavlik, Extracting Tree-Structured Representations of Trained Networks (1996)"
    family: ClassVar[str] = "Rules"
    burden: ClassVar[int] = 3
    kernels: ClassVar[tuple[str, ...]] = C45Rules.kernels
    always_resamples: ClassVar[bool] = True

    base: Learner = learner_parameter(C45(), label="Base learner", help="The learner whose model the rules imitate.")
    reader: Learner = learner_parameter(
        C45Rules(),
        label="Surrogate learner",
        help="The learner of rules or trees that learns the predictions of the model.",
    )
    held_out: float = real(
        33.0,
        lo=1.0,
        hi=90.0,
        label="Held-out share",
        help="Share of the records that measures the fidelity: how often rules and model agree.",
        unit="%",
        advanced=True,
    )

    def check(self, summary: Summary) -> list[Problem]:
        return super().check(summary) or self.reader.check(summary)

    def _fit(self, data: Dataset, context: RunContext) -> Model:
        parts = [context.child(share, number) for number, share in enumerate(_SHARES)]
        fidelity = self._fidelity(data, context, parts[0], parts[1])
        model, inner = self._pair(data, parts[2], parts[3])
        partial = model.partial or inner.partial or context.finishing
        return MimicModel(inner, self.base.name, fidelity, partial=partial)

    def _fidelity(self, data: Dataset, context: RunContext, first: RunContext, second: RunContext) -> SurrogateFidelity:
        """Agreement of model and surrogate on held-out records; zero weight where records are too few."""
        weighty = data.without_weightless()
        if len(weighty) < 2 or context.finishing:
            return SurrogateFidelity(0.0, 0.0)
        learned, tested = inner_parts(weighty, 1 - self.held_out / 100, context.random())
        if not tested.any() or not learned.any():
            return SurrogateFidelity(0.0, 0.0)
        model, inner = self._pair(weighty.take(learned), first, second)
        rest = weighty.take(tested)
        held = np.array(rest.weight_array, dtype=np.float64)
        same = model.decided(rest, context) == inner.decided(rest, context)
        return SurrogateFidelity(float(held[same].sum()), float(held.sum()))

    def _pair(self, data: Dataset, first: RunContext, second: RunContext) -> tuple[Model, Model]:
        """The model of these records, and the surrogate that learned its predictions on them."""
        model = self.base.fit(data, first)
        first.complete()
        index = data.schema.class_index
        assert index is not None
        answered = data.with_column(index, data.schema.class_attribute, model.decided(data, second))
        inner = self.reader.fit(answered, second)
        second.complete()
        if inner.id not in READABLE:
            raise DataError(
                f"{self.reader.name} makes neither rules nor a tree.", remedy="Choose a learner of rules or of a tree."
            )
        return model, inner
