"""Base classes of the tree learners: grow a tree, prune it, return the model; class priors and costs as weights.

Source of priors: Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984), section 4.4.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Final

import numpy as np

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.class_decisions import Costs, cost_table, problems_of_costs, weighed_by_costs
from algorithms.core.learner import Learner, Problem
from algorithms.core.parameters import Option, boolean, choice, integer, real, when
from algorithms.core.resampling import inner_parts
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.data.summary import Summary
from algorithms.learners.trees import parameters
from algorithms.learners.trees.growth.engine import KERNELS as GROWTH_KERNELS
from algorithms.learners.trees.growth.engine import grow
from algorithms.learners.trees.growth.growing_tree import MOST_BRANCHES
from algorithms.learners.trees.growth.growth_options import GrowthOptions, GrowthResult
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.pruning.error_estimates import (
    CostRule,
    by_bound,
    by_description_length,
    by_price,
    by_smoothing,
    by_testing,
)
from algorithms.structures.tree import Tree

KERNELS: Final = (
    *GROWTH_KERNELS,
    "algorithms.learners.trees.kernels.prediction_kernels",
    "algorithms.learners.trees.kernels.pruning_kernels",
    "algorithms.learners.trees.kernels.raising_kernels",
)
"""Kernel modules that a tree learner needs."""

_GROWTH_SHARE: Final = 0.85


_PARAMETER_OF: Final = {"search": "split_search", "weighed": "attributes_weighed"}
"""Parameter of a growth option where the two names differ."""


class TreeLearner(Learner):
    """Base of learners of a single tree; each declares the parameters of its growth with its own defaults."""

    family: ClassVar[str] = "Trees"
    kernels: ClassVar[tuple[str, ...]] = KERNELS

    def check(self, summary: Summary) -> list[Problem]:
        problems = super().check(summary)
        return problems or too_many_values(summary, self.growth())

    def growth(self) -> GrowthOptions:
        """Growth options under these parameters: each option has the value of its parameter, else its default."""
        values: dict[str, Any] = self.values()
        names = {option.name: _PARAMETER_OF.get(option.name, option.name) for option in fields(GrowthOptions)}
        return GrowthOptions(**{option: values[name] for option, name in names.items() if name in values})

    @property
    def growth_share(self) -> float:
        """Share of the work that growing takes, for the progress."""
        return _GROWTH_SHARE

    def _fit(self, data: Dataset, context: RunContext) -> TreeModel:
        ensure_compiled(KERNELS, context)
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

    def grown(self, data: Dataset, options: GrowthOptions, context: RunContext) -> GrowthResult:
        """The unpruned tree grown on ``data`` by these options."""
        return grow(data, options, context)

    @abstractmethod
    def _pruned(
        self, grown: GrowthResult, data: Dataset, held_out: Dataset | None, context: RunContext
    ) -> tuple[Tree, bool]:
        """The pruned tree of ``grown``, and whether pruning was completed."""


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


def weighed_to_priors(data: Dataset, priors: str, shares: Sequence[float], costs: Costs = ()) -> Dataset:
    """The data, of known classes, weighted by ``priors``: unchanged, equal classes, by ``shares`` or by costs.

    It is unchanged, too, if ``shares`` are needed and empty. By costs, the weight of a class is multiplied by the cost
    of its misclassification (altered priors, section 4.4.3).
    """
    if priors == BY_COST:
        table = cost_table(costs, len(data.schema.classes))
        return data.with_weights(weighed_by_costs(data.weight_array, data.class_codes, table))
    if priors == EQUAL:
        return with_priors(data, [1.0] * len(data.schema.classes))
    return with_priors(data, shares) if priors == GIVEN and shares else data


def with_priors(data: Dataset, shares: Sequence[float]) -> Dataset:
    """The data, of known classes, with class weights in proportion to ``shares`` (k,) and the same total weight.

    It is unchanged if no class that occurs has a share.
    """
    weights, codes = data.weight_array, data.class_codes
    of_class = np.bincount(codes, weights=weights, minlength=len(data.schema.classes))
    wanted = np.where(of_class > 0, np.asarray(shares, dtype=np.float64), 0.0)
    if np.count_nonzero(of_class) < 2 or wanted.sum() <= 0:
        return data
    wanted *= weights.sum() / wanted.sum()
    factor = np.divide(wanted, of_class, out=np.zeros_like(of_class), where=of_class > 0)
    return data.with_weights(weights * factor[codes])


def problems_of_priors(summary: Summary, priors: str, shares: Sequence[float], costs: Costs = ()) -> list[Problem]:
    """Problems of the given priors or costs for this class attribute."""
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
        label="Pruning confidence",
        help="The smaller, the more of the tree is cut away.",
        enabled_if=when("pruning", "error-based"),
    )
    penalty: float = real(
        0.5,
        lo=0.0,
        label="Price of a leaf",
        help="How many fewer training records have to be wrong for one more leaf to be worth it.",
        unit="records",
        enabled_if=when("pruning", "pessimistic"),
    )
    held_out: float = real(
        33.0,
        lo=1.0,
        hi=90.0,
        label="Held out",
        help="So much of the training records is not used to grow the tree, but to test it.",
        unit="%",
        enabled_if=when("pruning", "reduced-error") | when("early_stopping", True),
    )
    added_records: float | None = real(
        None,
        lo=0.0,
        optional=True,
        none_label="one for each class",
        label="Records thought to be added",
        help="So many records, with the classes as frequent as in training, are thought to be added to every leaf: the "
        "more, the more is cut away. Left empty, it is one of each class.",
        unit="records",
        enabled_if=when("pruning", "minimum-error"),
    )
    critical_value: float | None = real(
        None,
        lo=0.0,
        optional=True,
        none_label="found by testing",
        label="Least worth",
        help="A question that gains less is cut, unless one below it gains as much. Left empty, it is found by testing "
        "inside the training records.",
        enabled_if=when("pruning", "critical-value"),
    )
    raising: bool = parameters.raising(False)
    with_raising: bool = boolean(
        False,
        label="Raise subtrees too",
        help="Pruning may also put a branch in the place of the question above it, beyond what the method itself does.",
        enabled_if=when("pruning", *parameters.RAISING),
        advanced=True,
    )
    bound: str = choice(
        "exact",
        Option("exact", "exact", "The exact one-sided limit of the binomial distribution, as C4.5 was described."),
        Option("corrected", "as the program C4.5", "The approximation that the program C4.5 makes, and J48 of Weka."),
        Option("normal", "normal approximation", "The upper end of a two-sided interval: a little more cautious."),
        label="Estimate of errors",
        help="How the errors on new records are guessed from those on the training records.",
        enabled_if=when("pruning", "error-based"),
        advanced=True,
    )
    folds: int = integer(
        10,
        lo=2,
        hi=100,
        label="Folds inside",
        help="In how many parts the training records are cut to find out how far to prune.",
        unit="folds",
        enabled_if=when("pruning", *parameters.TESTING_INSIDE),
        advanced=True,
    )
    standard_errors: float = real(
        1.0,
        lo=0.0,
        hi=10.0,
        label="Leeway in pruning",
        help="The smallest tree is taken whose error is within so many standard errors of the best; 0: the best.",
        unit="standard errors",
        enabled_if=when("pruning", *parameters.TESTING_INSIDE),
        advanced=True,
    )
    early_stopping: bool = boolean(
        False,
        label="Stop by records held out",
        help="A question is asked only if it lowers the errors on training records that were held out. Quick, but it "
        "misses questions that pay only together with the next.",
        advanced=True,
    )
    seed: int = integer(
        1,
        lo=0,
        label="Seed of the choice",
        help="Which records are held out: the same number chooses the same ones again.",
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

    def grown_below(self, here: Dataset, whole: Dataset, options: GrowthOptions, context: RunContext) -> Tree:
        """The tree grown on the records ``here`` of a node of a tree grown on ``whole``."""
        return self.grown(here, options, context).tree

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
            return self._smoothing(data)
        if self.pruning == "reduced-error" and held_out is not None:
            return by_testing(float(held_out.weight_array.sum()))
        return None

    def _smoothing(self, data: Dataset) -> CostRule:
        k = len(data.schema.classes)
        if self.added_records is None:
            return by_smoothing(np.full(k, 1.0 / k), float(k))
        weight = data.class_weights
        return by_smoothing(weight / max(float(weight.sum()), 1e-300), self.added_records)

    def _pruned(
        self, grown: GrowthResult, data: Dataset, held_out: Dataset | None, context: RunContext
    ) -> tuple[Tree, bool]:
        from algorithms.learners.trees.pruning.cost_complexity import critically_pruned
        from algorithms.learners.trees.pruning.methods import pruned_by_cost

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
        from algorithms.learners.trees.pruning.methods import held_out_counts, stopped_by_chance, stopped_early

        if self.chance_allowed is not None:
            tree = stopped_by_chance(tree, self.chance_allowed)
        if not self.early_stopping or held_out is None or tree.n_nodes == 1:
            return tree
        return stopped_early(tree, held_out_counts(tree, held_out, context))

    def _chosen_inside(
        self, tree: Tree, data: Dataset, held_out: Dataset | None, context: RunContext
    ) -> tuple[Tree, bool]:
        from algorithms.learners.trees.pruning.cost_complexity import (
            chosen_by_cross_validation,
            critical_sequence,
            pruning_sequence,
        )

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
        label="Stop by chance",
        help="A question is asked only if chance alone would set the classes of its branches so far apart at most this "
        "often (chi-square test); 0.05 is usual. Left empty, it is not tested.",
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
        return weighed_to_priors(data, self.priors, self.class_shares, self.costs)
