"""Base classes of the tree learners: grow a tree, prune it, return the model; class priors and costs as weights.

Source of priors: Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984), section 4.4.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.learner import Learner, Problem
from algorithms.core.parameters import Option, boolean, choice, integer, real, when
from algorithms.core.resampling import inner_parts
from algorithms.core.run_control import RunContext
from algorithms.core.scores import Costs, problems_of_costs, weighed_by_costs
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.data.summary import Summary
from algorithms.learners.trees import parameters
from algorithms.learners.trees.growth.engine import KERNELS as GROWTH_KERNELS
from algorithms.learners.trees.growth.engine import grow
from algorithms.learners.trees.growth.growing_tree import MOST_BRANCHES
from algorithms.learners.trees.growth.growth_options import GrowthOptions, GrowthResult
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.pruning.cost_complexity import (
    chosen_by_cross_validation,
    critical_sequence,
    critically_pruned,
    pruning_sequence,
)
from algorithms.learners.trees.pruning.error_estimates import (
    CostRule,
    by_bound,
    by_description_length,
    by_price,
    by_smoothing,
    by_testing,
)
from algorithms.learners.trees.pruning.methods import held_out_counts, pruned_by_cost, stopped_by_chance, stopped_early
from algorithms.structures.tree import Tree

if TYPE_CHECKING:
    from algorithms.learners.trees.explain.node_reasons import NodeReasons
    from algorithms.learners.trees.growth.oblique_growth import ObliqueSearch

KERNELS: Final = (
    *GROWTH_KERNELS,
    "algorithms.learners.trees.kernels.prediction_kernels",
    "algorithms.learners.trees.kernels.pruning_kernels",
    "algorithms.learners.trees.kernels.raising_kernels",
)
"""Kernel modules that a tree learner needs."""

_PARAMETER_OF: Final = {"search": "split_search", "weighed": "attributes_weighed"}
"""Parameter of a growth option where the two names differ."""


class TreeLearner(Learner):
    """Base of learners of a single tree; each declares the parameters of its growth with its own defaults."""

    family: ClassVar[str] = "Trees"
    burden: ClassVar[int] = 3
    kernels: ClassVar[tuple[str, ...]] = KERNELS

    @property
    def reads_sparse(self) -> bool:
        """Whether growth on bins, a byte for each number, is possible; sparse columns use it under any search."""
        return replace(self.growth(), search="binned").uses_bins

    def check(self, summary: Summary) -> list[Problem]:
        problems = super().check(summary)
        return problems or too_many_values(summary, self.growth())

    def growth(self) -> GrowthOptions:
        """Growth options under these parameters: each option has the value of its parameter, else its default."""
        values: dict[str, Any] = self.values()
        names = {option.name: _PARAMETER_OF.get(option.name, option.name) for option in fields(GrowthOptions)}
        return GrowthOptions(**{option: values[name] for option, name in names.items() if name in values})

    @property
    def form_version(self) -> int:
        options = self.growth()
        return 2 if options.uses_bins and options.weighed is not None else 1

    def as_before(self) -> Self:
        """The same with exact search: before version 2, binned search gave way to it where attributes were drawn."""
        return self.with_values(split_search="exact") if self.form_version > 1 else self

    @property
    def growth_share(self) -> float:
        """Share of the work that growing takes, for the progress."""
        return 0.85

    def _fit(self, data: Dataset, context: RunContext) -> TreeModel:
        ensure_compiled(self.kernels, context)
        grown_on, held_out = self.parts(data)
        growing = context.child(self.growth_share, 0)
        grown = self.grown(grown_on, self.growth(), growing)
        growing.complete()
        pruning = context.child(1 - self.growth_share, 1)
        tree, completed = self._pruned(grown, grown_on, held_out, pruning)
        pruning.complete()
        return TreeModel(tree, partial=grown.partial or not completed)

    def parts(self, data: Dataset) -> tuple[Dataset, Dataset | None]:
        """Weighted records of ``data`` to grow the tree on, and records held out to test it, or None."""
        return self.weighed(data), None

    def weighed(self, data: Dataset) -> Dataset:
        """The data with the learner's record weights."""
        return data

    def grown(
        self, data: Dataset, options: GrowthOptions, context: RunContext, whole: Dataset | None = None
    ) -> GrowthResult:
        """The unpruned tree grown on ``data``, the records of a node of a tree grown on ``whole``, by these options."""
        return grow(data, options, context)

    def search(self) -> ObliqueSearch | None:
        """Options of a search for linear tests under these parameters; None without a search."""
        return None

    def reasons(self, tree: Tree, node: int, data: Dataset, context: RunContext) -> NodeReasons:
        """The evaluated splits of a node of a tree that was grown on ``data``."""
        from algorithms.learners.trees.explain.node_reasons import NodeEvaluator
        from algorithms.learners.trees.growth.postprocessing import softness_at

        reasons = NodeEvaluator(tree, node, data, self.growth(), context, self.search()).reasons()
        return replace(reasons, softness=softness_at(tree, node, data, context))

    @abstractmethod
    def _pruned(
        self, grown: GrowthResult, data: Dataset, held_out: Dataset | None, context: RunContext
    ) -> tuple[Tree, bool]:
        """The pruned tree of ``grown``, and whether pruning was completed."""


def why(tree: Tree, node: int, data: Dataset, learner: TreeLearner, context: RunContext | None = None) -> NodeReasons:
    """Why ``node`` of ``tree`` has its split, or none, by the records of ``data`` that the tree was grown on.

    ``data`` is the learner's training data, after preprocessing. Raises :class:`Cancelled` on a stop.
    """
    context = RunContext() if context is None else context
    ensure_compiled(learner.kernels, context)
    grown_on, held_out = learner.parts(data.labelled())
    reasons = learner.reasons(tree, node, grown_on, context.child(0.0, 0)).with_short_thresholds(data)
    return replace(reasons, held_out=held_out)


def too_many_values(summary: Summary, options: GrowthOptions) -> list[Problem]:
    """Problems of predictors that have more values than a node can have branches."""
    asked = {AttributeKind.NOMINAL: options.nominal_splits, AttributeKind.ORDINAL: options.ordinal_splits}
    return [
        Problem(
            f"{described.attribute.name} has {described.n_distinct:,} different values, too many for a branch each.",
            "Leave it out, or let the branches be groups of values.",
            described.attribute.name,
        )
        for described in (summary.of(index) for index in summary.schema.predictors)
        if asked.get(described.attribute.kind) == "multiway" and described.n_distinct > MOST_BRANCHES
    ]


GIVEN = "given"
EQUAL = "equal"
BY_COST = "by-cost"


def with_priors(data: Dataset, shares: Sequence[float]) -> Dataset:
    """The data weighted so that classes have these ``shares`` (k,); unchanged if no class that occurs has one."""
    weights, codes = data.weight_array, data.class_codes
    of_class = np.bincount(codes, weights=weights, minlength=len(data.schema.classes))
    wanted = np.where(of_class > 0, np.asarray(shares, dtype=np.float64), 0.0)
    if np.count_nonzero(of_class) < 2 or wanted.sum() <= 0:
        return data
    wanted *= weights.sum() / wanted.sum()
    factor = np.divide(wanted, of_class, out=np.zeros_like(of_class), where=of_class > 0)
    return data.with_weights(weights * factor[codes])


def problems_of_priors(summary: Summary, priors: str, shares: Sequence[float], costs: Costs = ()) -> list[Problem]:
    classes = summary.schema.classes
    if priors == BY_COST:
        return problems_of_costs(costs, summary)
    if priors != GIVEN or not shares:
        return []
    if len(shares) != len(classes):
        names = ", ".join(classes[:8]) + (", …" if len(classes) > 8 else "")
        numbers = "number is" if len(shares) == 1 else "numbers are"
        return [
            Problem(
                f"{len(shares)} {numbers} given as shares, and there are {len(classes)} classes.",
                f"Give one number for each, in this order: {names}.",
            )
        ]
    if sum(shares) <= 0:
        return [Problem("No class has a share.", "Give at least one class a number above 0.")]
    return []


@dataclass(frozen=True, kw_only=True)
class WholeTreeLearner(TreeLearner):
    """Grows a tree and prunes it by the method ``pruning``.

    If records are held out, in a stratified sample, the tree grows on the others, and its counts are theirs.
    """

    pruning: str = parameters.pruning("none")
    confidence: float = real(
        0.25,
        lo=0.0001,
        hi=0.5,
        label="Confidence factor",
        help="Smaller values prune more. C4.5 and J48 use 0.25.",
        enabled_if=when("pruning", "error-based"),
    )
    penalty: float = real(
        0.5,
        lo=0.0,
        label="Complexity penalty (α)",
        help="Number of training errors that one more leaf must save. Larger values prune more.",
        unit="records",
        enabled_if=when("pruning", "pessimistic"),
    )
    held_out: float = real(
        33.0,
        lo=1.0,
        hi=90.0,
        label="Held-out share",
        help="Share of the training records that prunes the tree and does not grow it.",
        unit="%",
        enabled_if=when("pruning", "reduced-error") | when("early_stopping", True),
    )
    added_records: float | None = real(
        None,
        lo=0.0,
        optional=True,
        none_label="number of classes",
        label="m (estimate)",
        help="Number of virtual records with the prior class distribution in every leaf. Larger values "
        "prune more. Empty: the number of classes.",
        unit="records",
        enabled_if=when("pruning", "minimum-error"),
    )
    critical_value: float | None = real(
        None,
        lo=0.0,
        optional=True,
        none_label="by cross-validation",
        label="Critical value",
        help="A split below this value of the criterion is pruned unless a split below it reaches the "
        "value. Empty: chosen by cross-validation.",
        enabled_if=when("pruning", "critical-value"),
    )
    raising: bool = parameters.raising(False)
    with_raising: bool = boolean(
        False,
        label="Subtree raising",
        help="Pruning may also replace a node by its largest subtree, in addition to the steps of the method.",
        enabled_if=when("pruning", *parameters.RAISING),
        advanced=True,
    )
    bound: str = choice(
        "exact",
        Option(
            "exact", "Exact binomial", "The exact one-sided limit of the binomial distribution, as C4.5 was described."
        ),
        Option("corrected", "As in the C4.5 program", "The approximation of the C4.5 program and of Weka's J48."),
        Option("normal", "Normal approximation", "The upper end of a two-sided interval: slightly more pessimistic."),
        label="Error bound",
        help="How the error on new records is estimated from the training errors.",
        enabled_if=when("pruning", "error-based"),
        advanced=True,
    )
    folds: int = integer(
        10,
        lo=2,
        hi=100,
        label="Pruning folds",
        help="Number of cross-validation folds inside the training records that choose the amount of pruning.",
        unit="folds",
        enabled_if=when("pruning", *parameters.TESTING_INSIDE),
        advanced=True,
    )
    standard_errors: float = real(
        1.0,
        lo=0.0,
        hi=10.0,
        label="Standard errors",
        help="Takes the smallest tree within this many standard errors of the lowest error: 0 is the best "
        "tree, 1 the 1-SE rule.",
        unit="standard errors",
        enabled_if=when("pruning", *parameters.TESTING_INSIDE),
        advanced=True,
    )
    early_stopping: bool = boolean(
        False,
        label="Early stopping on held-out records",
        help="A split is made only if it lowers the error on held-out training records. Fast, but it "
        "misses splits that pay only together.",
        advanced=True,
    )
    seed: int = integer(
        1,
        lo=0,
        label="Random seed",
        help="The same number holds out the same records.",
        enabled_if=when("pruning", "reduced-error") | when("early_stopping", True),
        advanced=True,
    )

    @property
    def chance_allowed(self) -> float | None:
        """Significance level of splits (chi-square test); None without a test."""
        return None

    @property
    def holds_out(self) -> bool:
        """Whether training records are held out to test the tree."""
        return self.early_stopping or self.pruning == "reduced-error"

    @property
    def tests_inside(self) -> bool:
        """Whether the extent of pruning is chosen by cross-validation on the training records."""
        return self.pruning == "cost-complexity" or (self.pruning == "critical-value" and self.critical_value is None)

    @property
    def raises(self) -> bool:
        """Whether pruning may replace a node by its heaviest branch (subtree raising)."""
        if self.pruning == "error-based":
            return self.raising
        return self.with_raising and self.pruning in parameters.RAISING

    @property
    def growth_share(self) -> float:
        return 1 / (self.folds + 1) if self.tests_inside else super().growth_share

    @property
    def resamples(self) -> bool:
        return self.holds_out or self.tests_inside

    def parts(self, data: Dataset) -> tuple[Dataset, Dataset | None]:
        whole = self.weighed(data)
        if not self.holds_out:
            return whole, None
        whole = whole.without_weightless()
        if len(whole) < 2:
            return whole, None
        random = np.random.default_rng(self.seed)
        grown, tested = inner_parts(whole, 1 - self.held_out / 100, random)
        return (whole.take(grown), whole.take(tested)) if bool(tested.any()) else (whole, None)

    def cost_rule(self, data: Dataset, held_out: Dataset | None) -> CostRule | None:
        """Cost rule of the pruning method for a tree grown on ``data``; None if the method compares no costs."""
        n, k = float(data.weight_array.sum()), len(data.schema.classes)
        if self.pruning == "error-based":
            return by_bound(self.confidence, self.bound)
        if self.pruning == "pessimistic":
            return by_price(n, self.penalty)
        if self.pruning == "description-length":
            return by_description_length(n, k, len(data.schema.predictors))
        if self.pruning == "minimum-error":
            if self.added_records is None:
                return by_smoothing(np.full(k, 1.0 / k), float(k))
            weight = data.class_weights
            return by_smoothing(weight / max(float(weight.sum()), 1e-300), self.added_records)
        if self.pruning == "reduced-error" and held_out is not None:
            return by_testing(float(held_out.weight_array.sum()))
        return None

    def _pruned(
        self, grown: GrowthResult, data: Dataset, held_out: Dataset | None, context: RunContext
    ) -> tuple[Tree, bool]:
        tree = self._stopped(grown.tree, held_out, context)
        if tree.n_nodes == 1 or self.pruning == "none":
            return tree, True
        if self.tests_inside:
            return self._chosen_inside(tree, data, held_out, context)
        if self.pruning == "critical-value":
            assert self.critical_value is not None
            return critically_pruned(tree, self.critical_value), True
        rule = self.cost_rule(data, held_out)
        if rule is None:
            return tree, True
        return pruned_by_cost(
            tree,
            data,
            rule,
            context,
            raising=self.raises,
            held_out=held_out,
            collapsing=self.pruning == "error-based",
            leaf_of=grown.leaf_of if tree is grown.tree else None,
        )

    def _stopped(self, tree: Tree, held_out: Dataset | None, context: RunContext) -> Tree:
        """The tree as if growth had stopped early, by a significance test or on held-out records."""
        if self.chance_allowed is not None:
            tree = stopped_by_chance(tree, self.chance_allowed)
        if not self.early_stopping or held_out is None or tree.n_nodes == 1:
            return tree
        return stopped_early(tree, held_out_counts(tree, held_out, context))

    def _chosen_inside(
        self, tree: Tree, data: Dataset, held_out: Dataset | None, context: RunContext
    ) -> tuple[Tree, bool]:
        def grow(part: Dataset, within: RunContext) -> Tree:
            return self._stopped(self.grown(part, self.growth(), within).tree, held_out, within)

        choice = chosen_by_cross_validation(
            tree,
            data,
            grow,
            context,
            folds=self.folds,
            standard_errors=self.standard_errors,
            sequence_of=pruning_sequence if self.pruning == "cost-complexity" else critical_sequence,
        )
        if choice is None:
            return tree, not context.finishing
        return choice.tree, True


@dataclass(frozen=True, kw_only=True)
class ChanceTestedTree(WholeTreeLearner):
    """A pruned tree whose splits may also pass a chi-square test of significance."""

    significance: float | None = real(
        None,
        lo=1e-12,
        hi=1.0,
        optional=True,
        none_label="no test",
        label="Significance level",
        help="A split is made only if the chi-square test of class and branch has at most this p-value; "
        "0.05 is usual. Empty: no test.",
        advanced=True,
    )

    @property
    def chance_allowed(self) -> float | None:
        return self.significance


class PriorWeightedTree(ChanceTestedTree):
    """Base of trees that weight each class to its prior; each declares these parameters among its own."""

    priors: str
    class_shares: tuple[float, ...]
    costs: tuple[tuple[float, ...], ...]

    def check(self, summary: Summary) -> list[Problem]:
        return super().check(summary) or problems_of_priors(summary, self.priors, self.class_shares, self.costs)

    def weighed(self, data: Dataset) -> Dataset:
        """The data weighted by the priors: unchanged, equal classes, by the given shares if any, or by costs.

        By costs, the weight of a class is multiplied by the cost of its misclassification (altered priors, section
        4.4.3).
        """
        k = len(data.schema.classes)
        if self.priors == BY_COST:
            costs = np.array(self.costs, dtype=np.float64) if self.costs else 1.0 - np.eye(k)
            return data.with_weights(weighed_by_costs(data.weight_array, data.class_codes, costs))
        shares = [1.0] * k if self.priors == EQUAL else self.class_shares if self.priors == GIVEN else ()
        return with_priors(data, shares) if shares else data
