"""Parameter search on inner folds, and the learner that searches inside the training records, then trains on all.

There are three losses. That of the chosen setting in the search is optimistic, as the best of several. Adding its
estimated bias (Tibshirani and Tibshirani 2009) gives a cheap estimate. The loss on outer folds (nested
cross-validation, TSKK Algorithm 3.3) is unbiased and stands in the verdict.

Source: TSKK section 3.7 and Algorithm 3.2 (model selection inside the training part); Bergstra and Bengio (2012) for
random search; Jamieson and Talwalkar (2016) for successive halving.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import Cancelled, CoppiceError, DataError
from algorithms.core.filters import FittedRecipe, Recipe, fit_recipe
from algorithms.core.learner import Codes, Learner, Model, Problem
from algorithms.core.parameters import Option, choice, column, declared_as, integer, learner_parameter, text, when
from algorithms.core.resampling import Method, inner_fold_numbers, learned_beside, nested_order
from algorithms.core.run_control import RunContext
from algorithms.core.training import LearnedModel, RecipeLearner, SearchResult, learn
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.evaluation.curves.roc import pairs_of_class
from algorithms.evaluation.measures.metrics import confusion, estimated_accuracy, probability_scores
from algorithms.evaluation.methods.by_column import IN_ORDER, ByGroup, TimeHoldout, group_folds
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.tuning.search_space import RECIPE, TriedSetting, axis_of, space_of, tried_values
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.trees.c45 import C45
from algorithms.text.numbers import percent
from algorithms.text.sentences import within_sentence


@dataclass(frozen=True)
class InnerFolds:
    """The column that inner folds respect: groups of records, or their order in time with ``in_order``."""

    column: str
    in_order: bool = False

    def numbers(self, data: Dataset, folds: int, random: np.random.Generator) -> IntArray | None:
        """Fold 0..k-1 (at most ``folds``) that tests each record (n,); -1 for records that only train.

        Records of a group share a fold. In time order, fold 0 follows a first training part, and each fold trains on
        what precedes it. None if the column has a single group or does not exist, so that any folds will do.
        """
        if self.column not in data.schema:
            return None
        values, missing = (
            data.column(data.schema.index_of(self.column)),
            data.missing(data.schema.index_of(self.column)),
        )
        _, places = np.unique(values[~missing], return_inverse=True)
        groups = np.full(len(data), -1, dtype=np.int64)
        groups[~missing] = places
        if self.in_order:
            return _in_order(groups, folds)
        n = int(places.max(initial=-1)) + 1
        groups[missing] = n  # records without a value form one group, as in the outer folds
        sizes = np.bincount(groups, minlength=n)
        if len(sizes) < 2:
            return None
        return group_folds(sizes, min(folds, len(sizes)), random)[groups]


def _in_order(moments: IntArray, folds: int) -> IntArray | None:
    """Time-ordered folds of about equal size after a first training part; equal times share a fold."""
    has_moment = moments >= 0
    counts = np.bincount(moments[has_moment])
    if len(counts) < 2:
        return None
    before = np.cumsum(counts) - counts
    part_of = np.minimum(before * (folds + 1) // int(counts.sum()), folds)
    _, part_of = np.unique(part_of, return_inverse=True)  # renumber: a frequent time can leave folds empty
    folds_of = np.full(len(moments), -1, dtype=np.int64)
    folds_of[has_moment] = part_of[moments[has_moment]] - 1
    return folds_of


def inner_folds_of(method: Method) -> InnerFolds | None:
    """The column of a method that inner folds must respect; None if any folds will do."""
    if isinstance(method, ByGroup | TimeHoldout) and method.column:
        return InnerFolds(method.column, isinstance(method, TimeHoldout))
    return None


ERROR: Final = "error"
Loss = Callable[[Codes, Codes, NDArray[np.floating], FloatArray], float]
"""Loss from true classes (m,), decisions (m,), probabilities (m, k) and weights (m,)."""


def _balanced_error(truth: Codes, decision: Codes, _: NDArray[np.floating], weights: FloatArray) -> float:
    """Mean error rate of the classes that occur."""
    of_class = np.bincount(truth, weights)
    wrong = np.bincount(truth, weights * (truth != decision), minlength=len(of_class))
    present = of_class > 0
    return float(np.mean(wrong[present] / of_class[present]))


def _one_minus_auc(truth: Codes, _: Codes, probabilities: NDArray[np.floating], weights: FloatArray) -> float:
    """1 - AUC, averaged over the classes by weight; 0.5 for a single class."""
    of_class = np.bincount(truth, weights, minlength=probabilities.shape[1])
    areas = [pairs_of_class(truth, probabilities, code, weights).auc for code in range(len(of_class))]
    defined = [(float(n), area) for n, area in zip(of_class, areas, strict=True) if area is not None and n > 0]
    total = sum(n for n, _ in defined)
    return 1 - sum(n * area for n, area in defined) / total if total else 0.5


LOSSES: Final[Mapping[str, Loss]] = {
    ERROR: lambda truth, decision, _, weights: float(np.average(truth != decision, weights=weights)),
    "balanced-error": _balanced_error,
    "log-loss": lambda truth, _, shares, weights: probability_scores(truth, shares, weights).log_loss().value or 0.0,
    "brier": lambda truth, _, shares, weights: probability_scores(truth, shares, weights).brier().value or 0.0,
    "auc": _one_minus_auc,
}
OPTIONS: Final = (
    Option(ERROR, "Error rate", "Lowest error rate."),
    Option("balanced-error", "Balanced error rate", "Lowest mean error rate of the classes."),
    Option("log-loss", "Log loss", "Best probabilities by log loss."),
    Option("brier", "Brier score", "Best probabilities by squared error."),
    Option("auc", "AUC", "Best ranking, independent of a threshold."),
)
WORDS: Final[Mapping[str, str]] = {
    ERROR: "error rate",
    "balanced-error": "average error rate of the classes",
    "log-loss": "log loss",
    "brier": "Brier score",
    "auc": "1 − AUC",
}


def loss_of(measure: str, model: Model, data: Dataset, context: RunContext) -> float:
    """Loss of a model on prepared, labelled records; NaN if their weights sum to zero."""
    weights = data.weight_array
    if not len(data) or not float(weights.sum()) > 0:
        return float("nan")
    truth = data.class_codes.astype(np.int32)
    predictions = model.judged(data, context)
    return LOSSES[measure](truth, predictions.decisions, predictions.probabilities, weights)


LEAST_RECORDS: Final = 2
"""Minimum number of records for a search."""
ETA: Final = 3
"""Reduction factor of successive halving: 1/ETA of the settings continue with ETA times the records."""
LEAST_TO_BEGIN: Final = 30
"""Minimum number of training records in the first round of halving."""
_SAME: Final = 1e-12


@dataclass(frozen=True, eq=False)
class _Round:
    """Results of one round: losses (s, K) of s settings on K folds, and mean model sizes (s,)."""

    losses: FloatArray
    sizes: FloatArray
    failures: tuple[str, ...]


def searched(
    settings: Sequence[TriedSetting],
    names: tuple[str, ...],
    labels: tuple[str, ...],
    data: Dataset,
    context: RunContext,
    folds: int,
    measure: str,
    halving: bool,
    inner: InnerFolds | None = None,
) -> SearchResult:
    """Evaluate the settings by folds of ``data``, the training records, and choose the best.

    Folds are stratified or respect ``inner``. Ties go to the smallest models, then to the first setting. All settings
    share folds and seeds. An early finish chooses by the complete folds. Raises the first error if every setting
    failed, and :class:`Cancelled`.
    """
    random = np.random.default_rng(context.seeds)
    numbers = None if inner is None else inner.numbers(data, folds, random)
    in_order = numbers is not None and inner is not None and inner.in_order
    if numbers is None:
        k = min(folds, len(np.unique(data.row_ids[data.row_ids >= 0])))
        numbers = inner_fold_numbers(data, k, random, stratified=True)
    k = int(numbers.max()) + 1
    evaluation = _InnerEvaluation(settings, data, numbers, k, measure, int(random.integers(2**31)), in_order)
    shares = _shares(len(settings), len(data) * (k - 1) // k) if halving else [1.0]
    c = len(settings)
    losses, sizes, failures = np.full((c, k), np.nan), np.zeros(c), [""] * c
    n_train, which = np.zeros(c, dtype=np.int64), np.arange(c)
    for number, share in enumerate(shares):
        if number:
            if context.finishing:
                break
            which = _best(losses, sizes, evaluation.weights, which, math.ceil(len(which) / ETA))
        outcome = evaluation.evaluate_round(which, share, context.child(1 / len(shares), number))
        if number and not np.isfinite(outcome.losses).any():
            break  # no fold was completed before an early finish: keep the last round
        losses[which], sizes[which] = outcome.losses, outcome.sizes
        n_train[which] = max(1, round(share * len(data) * (k - 1) / k))
        for place, why in zip(which.tolist(), outcome.failures, strict=True):
            failures[place] = why
    context.checkpoint()
    kept = np.isfinite(losses).any(axis=0)
    if not kept.any() and not context.finishing:
        raise DataError(next(filter(None, failures), "None of the settings could be tested."))
    chosen = int(_best(losses[:, kept], sizes, evaluation.weights[kept], which, 1)[0]) if kept.any() else 0
    return SearchResult(
        names=names,
        labels=labels,
        settings=tuple(setting.values for setting in settings),
        losses=losses[:, kept],
        weights=evaluation.weights[kept],
        n_train=n_train,
        chosen=chosen,
        measure=measure,
        strategy="halving" if halving else "folds",
        n_records=len(data),
        failures=tuple(failures),
        partial=context.finishing,
        labelled_settings=tuple(setting.shown for setting in settings),
    )


def _shares(n_settings: int, n_train: int) -> list[float]:
    """Share of the training records in each round of halving, ending with 1."""
    rounds = 1 + math.floor(math.log(max(1, n_settings), ETA) + 1e-9)
    while rounds > 1 and n_train / ETA ** (rounds - 1) < LEAST_TO_BEGIN:
        rounds -= 1
    return [float(ETA) ** (step - rounds + 1) for step in range(rounds)]


def _best(losses: FloatArray, sizes: FloatArray, weights: FloatArray, which: IntArray, n: int) -> IntArray:
    """Ascending indices of the ``n`` settings with the least loss; a fold counts once any of them has completed it."""
    complete = np.isfinite(losses[which]).any(axis=0)
    shares = weights[complete] / max(float(weights[complete].sum()), 1e-300)
    mean = losses[which][:, complete] @ shares
    mean = np.where(np.isfinite(mean), mean, np.inf)
    rank = np.lexsort((which, sizes[which], np.round(mean / _SAME) * _SAME))
    return np.sort(which[rank[: max(1, n)]])


@dataclass(frozen=True, eq=False)
class _InnerEvaluation:
    """The inner folds on which settings are evaluated."""

    settings: Sequence[TriedSetting]
    data: Dataset
    numbers: IntArray
    k: int
    measure: str
    seed: int
    in_order: bool
    """Whether each fold is trained only on earlier folds."""
    weights: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        tested = self.numbers >= 0
        weights = np.bincount(self.numbers[tested], self.data.weight_array[tested], minlength=self.k)
        object.__setattr__(self, "weights", weights)

    def evaluate_round(self, which: IntArray, share: float, context: RunContext) -> _Round:
        """Evaluate these settings, trained on this share of each fold's training records."""
        workers = context.workers
        n_groups = 1 if workers is None else min(len(which), math.ceil(workers.n_threads(context) / self.k))
        groups = np.array_split(which, n_groups)
        folds = [context.child(1 / self.k, fold, finish_cancels=True) for fold in range(self.k)]
        parts = [(fold, number) for fold in range(self.k) for number in range(n_groups)]

        def tested(part: tuple[int, int]) -> _Round | None:
            fold, number = part
            weight = len(groups[number]) / len(which)
            return self._tested(fold, groups[number], share, folds[fold].child(weight, number, same_seed=True), context)

        by_part = dict(zip(parts, context.spread(tested, parts), strict=True))
        context.checkpoint()
        nothing = _Round(np.full((len(which), 1), np.nan), np.zeros(len(which)), ("",) * len(which))
        by_fold = []
        for fold in range(self.k):
            of_groups = [of for number in range(n_groups) if (of := by_part[fold, number]) is not None]
            is_whole = len(of_groups) == n_groups
            if is_whole:
                folds[fold].complete()
            by_fold.append(_joined(of_groups) if is_whole else nothing)
        losses = np.stack([of_fold.losses[:, 0] for of_fold in by_fold], axis=1)
        sizes = np.mean([of_fold.sizes for of_fold in by_fold], axis=0)
        failures = tuple(
            next(filter(None, whys), "") for whys in zip(*(of_fold.failures for of_fold in by_fold), strict=True)
        )
        context.complete()
        return _Round(losses, sizes, failures)

    def _tested(self, fold: int, group: IntArray, share: float, part: RunContext, context: RunContext) -> _Round | None:
        """Losses of a group of the settings on one fold (s, 1); None after an early finish of the round's context."""
        if part.cancelled:
            context.checkpoint()
            return None
        own = {place: self.settings[place] for place in group.tolist()}
        try:
            of_fold = self.numbers, fold, share, self.seed, self.in_order
            tested = part.call(_losses, own, *of_fold, self.measure, self.data)
        except Cancelled:
            context.checkpoint()
            return None
        part.complete()
        return tested


def _joined(groups: Sequence[_Round]) -> _Round:
    """The results of groups of settings on one fold, one after the other."""
    return _Round(
        np.concatenate([group.losses for group in groups]),
        np.concatenate([group.sizes for group in groups]),
        tuple(failure for group in groups for failure in group.failures),
    )


def _losses(
    settings: Mapping[int, TriedSetting],
    numbers: IntArray,
    fold: int,
    share: float,
    seed: int,
    in_order: bool,
    measure: str,
    data: Dataset,
    context: RunContext,
) -> _Round:
    """Losses of settings by their place on one of the folds ``numbers`` (n,); trained on this share of the others."""
    earlier, tested = numbers < fold, numbers == fold
    train = np.flatnonzero(earlier if in_order else learned_beside(data, tested))
    if share < 1:
        order = nested_order(data.class_codes[train], np.random.default_rng((seed, fold)))
        train = np.sort(train[order[: max(1, round(share * len(train)))]])
    training, validation = data.take(train), data.take(np.flatnonzero(numbers == fold))
    prepared: dict[Recipe, tuple[FittedRecipe, Dataset, Dataset] | CoppiceError] = {}
    preparing = threading.Lock()

    def parts_of(recipe: Recipe) -> tuple[FittedRecipe, Dataset, Dataset] | CoppiceError:
        with preparing:
            if recipe not in prepared:
                try:
                    fitted, changed = fit_recipe(recipe, training, context.child(0.0, 0, same_seed=True))
                    prepared[recipe] = fitted, changed, fitted.transform(validation)
                except CoppiceError as error:
                    prepared[recipe] = error
            return prepared[recipe]

    def judge(place: int) -> tuple[float, float, str]:
        own = context.child(1 / len(settings), place, same_seed=True)
        outcomes = context.once(f"setting {place}", lambda: judged(settings[place], own))
        own.complete()
        return outcomes

    def judged(setting: TriedSetting, own: RunContext) -> tuple[float, float, str]:
        parts = parts_of(setting.recipe)
        if isinstance(parts, CoppiceError):
            return float("nan"), 0.0, str(parts)
        try:
            model = setting.learner.fit(parts[1], own)
        except CoppiceError as error:
            return float("nan"), 0.0, str(error)
        return loss_of(measure, model, parts[2], own), float(sum(model.facts().values())), ""

    outcomes = context.map(judge, list(settings))
    return _Round(
        np.array([[loss] for loss, _, _ in outcomes]),
        np.array([size for _, size, _ in outcomes]),
        tuple(why for _, _, why in outcomes),
    )


FLATTERS: Final = "optimistic"
"""Mark of an optimistic estimate."""
ESTIMATE: Final = "estimate"
HONEST: Final = "honest"


@dataclass(frozen=True)
class SearchFigure:
    """One estimate of a search: value, name, mark (optimistic, estimate or honest) and explanation."""

    value: float | None
    name: str
    mark: str
    sentence: str


def figures(
    search: SearchResult, honest_error: float | None = None, method: str = "", remark: str = ""
) -> tuple[SearchFigure, ...]:
    """The winner's optimistic loss, its bias-corrected loss, and the error by the outer ``method`` if known.

    ``honest_error`` is the error rate on records not used in the search, comparable only if settings were chosen by
    error. With a ``remark`` it is the method's own estimate, which also uses training records.
    """
    of = WORDS[search.measure]
    best = SearchFigure(
        search.optimistic,
        f"{of} of the winner in the search",
        FLATTERS,
        f"The best of {search.n_settings:,} settings on the very records it was chosen by: expect worse on new ones.",
    )
    corrected = SearchFigure(search.corrected, f"{of}, corrected for the choice", ESTIMATE, _bias_sentence(search))
    rows = [best, corrected]
    if honest_error is not None and search.measure == ERROR:
        sentence = f"On records that took no part in choosing ({method}). This is the number to believe."
        unseen = SearchFigure(honest_error, "error rate on unseen records", HONEST, sentence)
        rows.append(SearchFigure(honest_error, f"error rate by {method}", ESTIMATE, remark) if remark else unseen)
    return tuple(rows)


def _bias_sentence(search: SearchResult) -> str:
    if search.bias is None:
        return "With one part tested there is nothing to see the bias of choosing by."
    left = " Settings left behind on fewer records count with what they lost there." if search.has_left_behind else ""
    return (
        f"The same with the bias of choosing added, as the folds show it: {loss_words(search.bias, search)} more "
        f"(Tibshirani and Tibshirani 2009).{left}"
    )


def loss_words(loss: float, search: SearchResult) -> str:
    """A loss as text: an error rate in percent, any other loss with four decimals."""
    return percent(loss) if search.measure == ERROR else f"{loss:.4f}"


def figures_of_run(search: SearchResult, result: EvaluationResult) -> tuple[SearchFigure, ...]:
    """:func:`figures` with the run's own error if its tested records were not used in the search."""
    if result.test_is_training or not result.searches:
        return figures(search)
    error = 1 - estimated_accuracy(result, confusion(result))
    return figures(search, error, result.method.described(), result.estimate_remark)


_SEARCHING: Final = 0.95
_KEY: Final = 2
"""Key of the search's child context; the final model keeps the seed that it has without a search."""

GRID: Final = "grid"
RANDOM: Final = "random"
HALVING: Final = "halving"


class InnerFoldsLearner(RecipeLearner):
    """Base of learners whose inner folds respect the columns ``together`` and ``ordered``."""

    together: str | None
    ordered: str | None

    @property
    def inner(self) -> InnerFolds | None:
        """The column that inner folds respect; None if neither groups nor order are set."""
        if self.together:
            return InnerFolds(self.together)
        return InnerFolds(self.ordered, in_order=True) if self.ordered else None

    def judged_by(self, method: Method) -> Self:
        """The learner with inner folds that respect the method's column; its own column takes precedence."""
        by = inner_folds_of(method)
        if by is None or self.inner is not None:
            return self
        return self.with_values(ordered=by.column) if by.in_order else self.with_values(together=by.column)


@dataclass(frozen=True, kw_only=True)
class Tuned(InnerFoldsLearner):
    """Chooses settings of ``base`` and the recipe by inner folds, which fit both; tested records play no part."""

    id: ClassVar[str] = "tuned"
    name: ClassVar[str] = "Parameter search"
    sentence: ClassVar[str] = (
        "Tries parameter values of a learner by cross-validation inside the training records and takes the best."
    )
    source: ClassVar[str] = "Tan, Steinbach, Karpatne and Kumar, Algorithm 3.2"
    family: ClassVar[str] = "Trees"
    gives_parts_away: ClassVar[bool] = True
    listed: ClassVar[bool] = False

    base: Learner = learner_parameter(C45(), label="Base learner", help="The learner whose parameters are tuned.")
    tried: str = text(
        "", label="Parameter grid", help="The values to try: min_leaf=1,2,5; criterion=gini,information-gain."
    )
    strategy: str = choice(
        GRID,
        Option(GRID, "Grid", "Every combination of the values."),
        Option(RANDOM, "Random", "A number of random combinations; nearly as good with many values, and faster."),
        Option(
            HALVING,
            "Successive halving",
            "All start on few records; the best third continues on three times as many, and so on.",
        ),
        label="Search",
        help="Whether every combination is tried, or some are left out to save time.",
    )
    draws: int = integer(
        30,
        lo=1,
        hi=5000,
        label="Candidates",
        help="Number of combinations drawn at random; all if there are no more.",
        unit="combinations",
        enabled_if=when("strategy", RANDOM, HALVING),
    )
    folds: int = integer(
        5,
        lo=2,
        hi=100,
        label="Inner folds",
        help="Number of folds inside the training records that compare the candidates. The tested records "
        "are not used.",
        unit="folds",
    )
    together: str | None = column(
        None,
        label="Group column",
        help="Records with the same value in this column stay in one fold. Empty: as in the test method.",
        advanced=True,
    )
    ordered: str | None = column(
        None,
        label="Order column",
        help="A column that grows with time: each fold is trained on earlier records. Empty: as in the test method.",
        advanced=True,
        kinds=IN_ORDER,
    )
    measure: str = choice(ERROR, *OPTIONS, label="Measure", help="The measure that compares the candidates.")

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, values in tried_values(self.tried).items():
            if not name.startswith(f"{RECIPE}."):  # the recipe is unknown until fitting
                axis_of(self.base, (), name, values)

    @property
    def resamples(self) -> bool:
        return bool(self.tried.strip()) or self.base.resamples

    def check(self, summary: Summary) -> list[Problem]:
        return self.base.check(summary)

    def summary(self) -> str:
        parts = []
        for name, values in tried_values(self.tried).items():
            label = name if name.startswith(RECIPE) else within_sentence(axis_of(self.base, (), name, values).label)
            parts.append(f"{label} {values}")
        return (
            f"{self.name}, {self.base.summary()}: {' and '.join(parts)}" if parts else f"{self.name}, {self.base.name}"
        )

    def settings(self, recipe: Recipe, context: RunContext) -> list[TriedSetting]:
        """The settings to try; raises :class:`ParameterError`. Random ones depend on the context's seed."""
        space = space_of(self.base, recipe, self.tried)
        if not space.axes:
            return [TriedSetting((), self.base, recipe)]
        if self.strategy == GRID:
            return space.grid()
        return space.drawn(self.draws, context.random())

    def fit_with(self, recipe: Recipe, data: Dataset, context: RunContext) -> LearnedModel:
        if not self.tried.strip():
            return learn(self.base, recipe, data, context)
        searching = context.child(_SEARCHING, _KEY)
        settings = self.settings(recipe, searching)
        names = tuple(tried_values(self.tried))
        labels = tuple(
            axis_of(self.base, recipe, name, values).label for name, values in tried_values(self.tried).items()
        )
        if len(settings) > 1 and len(np.unique(data.row_ids[data.row_ids >= 0])) >= LEAST_RECORDS:
            halving = self.strategy == HALVING
            by = self.inner
            search = searched(settings, names, labels, data, searching, self.folds, self.measure, halving, by)
        else:
            search = None
        searching.complete()
        chosen = settings[0 if search is None else search.chosen]
        final = context.child(1 - _SEARCHING, _KEY + 1, same_seed=True, finish_forgotten=True)
        learned = learn(chosen.learner, chosen.recipe, data, final)
        if search is not None and search.partial:
            learned.model.partial = True
        return LearnedModel(learned.recipe, learned.model, chosen.learner, chosen.recipe, search)

    def _fit(self, data: Dataset, context: RunContext) -> Model:
        ensure_compiled(self.base.kernels, context)
        return self.fit_with((), data, context).model


@dataclass(frozen=True, kw_only=True)
class NestedChoice(InnerFoldsLearner):
    """Chooses the best of several learners by folds of the training records; that one trains on all of them.

    The test then includes the choice (nested cross-validation), so its result is that of the best by any other records.
    ``other`` may be a choice itself, whose learners join.
    """

    id: ClassVar[str] = "nested-choice"
    name: ClassVar[str] = "Model selection"
    sentence: ClassVar[str] = (
        "Compares learners by cross-validation inside the training records and trains the best, so that the test "
        "includes the choice (nested cross-validation)."
    )
    source: ClassVar[str] = "Tan, Steinbach, Karpatne and Kumar, Algorithm 3.2"
    family: ClassVar[str] = "Trees"
    gives_parts_away: ClassVar[bool] = True
    listed: ClassVar[bool] = False
    always_resamples: ClassVar[bool] = True

    base: Learner = learner_parameter(C45(), label="Base learner", help="A learner to choose from.")
    other: Learner = learner_parameter(NaiveBayes(), label="Second learner", help="Another one, or a choice of others.")
    folds: int = integer(5, lo=2, hi=100, label="Inner folds", help="Folds inside the training records.", unit="folds")
    together: str | None = declared_as(Tuned, "together")
    ordered: str | None = declared_as(Tuned, "ordered")

    @classmethod
    def of(cls, learners: Sequence[Learner]) -> Learner:
        first, *others = learners
        return cls(base=first, other=cls.of(others)) if others else first

    @property
    def learners(self) -> tuple[Learner, ...]:
        return self.base, *(self.other.learners if isinstance(self.other, NestedChoice) else (self.other,))

    def check(self, summary: Summary) -> list[Problem]:
        return next((problems for learner in self.learners if (problems := learner.check(summary))), [])

    def summary(self) -> str:
        return f"{self.name}, {len(self.learners)} learners"

    def fit_with(self, recipe: Recipe, data: Dataset, context: RunContext) -> LearnedModel:
        searching, labels = context.child(_SEARCHING, _KEY), ("Learner",)
        names = [learner.summary() for learner in self.learners]
        settings = [
            TriedSetting((name,), learner, recipe, (name,)) for name, learner in zip(names, self.learners, strict=True)
        ]
        search = None
        if len(np.unique(data.row_ids[data.row_ids >= 0])) >= LEAST_RECORDS and data.weight_array.any():
            search = searched(settings, ("learner",), labels, data, searching, self.folds, ERROR, False, self.inner)
        searching.complete()
        chosen = settings[0 if search is None else search.chosen].learner
        final = context.child(1 - _SEARCHING, _KEY + 1, same_seed=True, finish_forgotten=True)
        learned = learn(chosen, recipe, data, final)
        if search is not None and search.partial:
            learned.model.partial = True
        return LearnedModel(learned.recipe, learned.model, chosen, recipe, search)

    def _fit(self, data: Dataset, context: RunContext) -> Model:
        for learner in self.learners:
            ensure_compiled(learner.kernels, context)
        return self.fit_with((), data, context).model


def tuned_base(learner: Learner) -> Learner:
    """The learner whose parameters are searched; ``learner`` itself without a search."""
    return learner.base if isinstance(learner, Tuned | NestedChoice) else learner
