"""Parameter search: candidates judged on inner folds by accuracy, costs or losses, and what the found loss is worth.

Three losses are kept apart. The loss of the chosen setting in the search is the best of several and so too good. The
same with its bias added (Tibshirani and Tibshirani 2009) is a cheap estimate. The loss on folds that took no part in
the choice (nested cross-validation, TSKK Algorithm 3.3) is the honest one, which the verdict gives.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import Cancelled, CoppiceError, DataError
from algorithms.core.filters import FittedRecipe, Recipe, fit_recipe
from algorithms.core.learner import Codes, Model
from algorithms.core.parameters import Option
from algorithms.core.resampling import Method, inner_fold_numbers, learned_beside, nested_order
from algorithms.core.run_control import RunContext
from algorithms.core.training import SearchResult
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.curves.scored import pairs_of_class
from algorithms.evaluation.measures.metrics import confusion, estimated_accuracy
from algorithms.evaluation.measures.probabilities import probability_scores
from algorithms.evaluation.methods.by_column import ByGroup, TimeHoldout, group_folds
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.tuning.search_space import TriedSetting
from algorithms.text.numbers import in_hundredths


@dataclass(frozen=True)
class InnerFolds:
    """The column that inner folds respect: groups of records, or, with ``in_order``, their order in time."""

    column: str
    in_order: bool = False

    def numbers(self, data: Dataset, folds: int, random: np.random.Generator) -> IntArray | None:
        """The fold 0..k-1 that tests each record (n,), -1 for one that is learned from only; at most ``folds``.

        Records of a group are in one fold. In order of time fold 0 comes after a first part that is only learned from,
        and each fold is to be learned from what came before it. None where the column names a single group, or is not
        there: then any folds will do.
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
        groups[missing] = n = (
            int(places.max(initial=-1)) + 1
        )  # records without a value are one group, as they are judged
        sizes = np.bincount(groups, minlength=n)
        if len(sizes) < 2:
            return None
        return group_folds(sizes, min(folds, len(sizes)), random)[groups]


def _in_order(moments: IntArray, folds: int) -> IntArray | None:
    """Folds of about equal size after a first training part; records of one moment stay together."""
    has_moment = moments >= 0
    counts = np.bincount(moments[has_moment])
    if len(counts) < 2:
        return None
    before = np.cumsum(counts) - counts
    part_of = np.minimum(before * (folds + 1) // int(counts.sum()), folds)
    _, part_of = np.unique(part_of, return_inverse=True)  # parts that a moment of many records has swallowed
    folds_of = np.full(len(moments), -1, dtype=np.int64)
    folds_of[has_moment] = part_of[moments[has_moment]] - 1
    return folds_of


def inner_folds_of(method: Method) -> InnerFolds | None:
    """The column that a method and its inner folds respect; None where any folds will do."""
    if isinstance(method, ByGroup | TimeHoldout) and method.column:
        return InnerFolds(method.column, isinstance(method, TimeHoldout))
    return None


ERROR: Final = "error"
Loss = Callable[[Codes, Codes, NDArray[np.floating], FloatArray], float]
"""What is lost, from the true classes (m,), the decisions (m,), the probabilities (m, k) and the weights (m,)."""


def _error(truth: Codes, decision: Codes, _: NDArray[np.floating], weights: FloatArray) -> float:
    return float(np.average(truth != decision, weights=weights))


def _balanced_error(truth: Codes, decision: Codes, _: NDArray[np.floating], weights: FloatArray) -> float:
    """Mean error rate of the classes that occur."""
    of_class = np.bincount(truth, weights)
    wrong = np.bincount(truth, weights * (truth != decision), minlength=len(of_class))
    present = of_class > 0
    return float(np.mean(wrong[present] / of_class[present]))


def _log_loss(truth: Codes, _: Codes, probabilities: NDArray[np.floating], weights: FloatArray) -> float:
    return probability_scores(truth, probabilities, weights).log_loss().value or 0.0


def _brier(truth: Codes, _: Codes, probabilities: NDArray[np.floating], weights: FloatArray) -> float:
    return probability_scores(truth, probabilities, weights).brier().value or 0.0


def _one_less_auc(truth: Codes, _: Codes, probabilities: NDArray[np.floating], weights: FloatArray) -> float:
    """1 - AUC, weighted by the classes; 0.5 where there is one class."""
    of_class = np.bincount(truth, weights, minlength=probabilities.shape[1])
    areas = [pairs_of_class(truth, probabilities, code, weights).auc for code in range(len(of_class))]
    defined = [(float(n), area) for n, area in zip(of_class, areas, strict=True) if area is not None and n > 0]
    total = sum(n for n, _ in defined)
    return 1 - sum(n * area for n, area in defined) / total if total else 0.5


LOSSES: Final[Mapping[str, Loss]] = {
    ERROR: _error,
    "balanced-error": _balanced_error,
    "log-loss": _log_loss,
    "brier": _brier,
    "auc": _one_less_auc,
}
OPTIONS: Final = (
    Option(ERROR, "Fewest errors", "The setting that decides most records rightly."),
    Option("balanced-error", "Fewest errors, classes alike", "Every class counts the same, however rare it is."),
    Option("log-loss", "Best probabilities (log loss)", "The setting whose probabilities are least surprised."),
    Option("brier", "Best probabilities (Brier)", "The setting whose probabilities are nearest to the truth."),
    Option("auc", "Best order (AUC)", "The setting that tells the classes apart best, whatever the threshold."),
)
WORDS: Final[Mapping[str, str]] = {
    ERROR: "error rate",
    "balanced-error": "average error rate of the classes",
    "log-loss": "log loss",
    "brier": "Brier score",
    "auc": "1 − AUC",
}


def lost(measure: str, model: Model, data: Dataset, context: RunContext) -> float:
    """Loss of a model on prepared records of known class; NaN where none of them has weight."""
    weights = data.weight_array
    if not len(data) or not float(weights.sum()) > 0:
        return float("nan")
    truth = data.class_codes.astype(np.int32)
    predictions = model.judged(data, context)
    return LOSSES[measure](truth, predictions.decisions, predictions.probabilities, weights)


LEAST_RECORDS: Final = 2
"""With fewer records there is nothing to judge settings by."""
ETA: Final = 3
"""Of the settings one in so many goes on to so many times the records."""
LEAST_TO_BEGIN: Final = 30
"""Halving begins with no fewer training records than this."""
_SAME: Final = 1e-12


@dataclass(frozen=True, eq=False)
class _Rung:
    """Results of one round: losses (s, K) of the s settings, and the sizes of their models (s,)."""

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
    """Judge the settings by folds of ``data``, which holds training records only, and choose the best.

    The folds are stratified, or those of ``inner``, where groups of records belong together or came one after another.

    Of several that lose the same, the one with the smallest models is chosen, then the first. All settings see the
    same folds and seeds. ``finish`` chooses by the folds that are complete. Raises what the first setting failed with
    where none could be judged, :class:`Cancelled` on a stop.
    """
    random = np.random.default_rng(context.seeds)
    numbers = None if inner is None else inner.numbers(data, folds, random)
    in_order = numbers is not None and inner is not None and inner.in_order
    if numbers is None:
        k = min(folds, len(np.unique(data.row_ids[data.row_ids >= 0])))
        numbers = inner_fold_numbers(data, k, random, stratified=True)
    k = int(numbers.max()) + 1
    judging = _Judging(settings, data, numbers, k, measure, int(random.integers(2**31)), in_order)
    shares = _shares(len(settings), len(data) * (k - 1) // k) if halving else [1.0]
    c = len(settings)
    losses, sizes, failures = np.full((c, k), np.nan), np.zeros(c), [""] * c
    n_train, which = np.zeros(c, dtype=np.int64), np.arange(c)
    for number, share in enumerate(shares):
        if number:
            if context.finishing:
                break
            which = _best(losses, sizes, judging.weights, which, math.ceil(len(which) / ETA))
        rung = judging.rung(which, share, context.child(1 / len(shares), number))
        if number and not np.isfinite(rung.losses).any():
            break  # finished early before a fold was complete: what the rung before says holds
        losses[which], sizes[which] = rung.losses, rung.sizes
        n_train[which] = max(1, round(share * len(data) * (k - 1) / k))
        for place, why in zip(which.tolist(), rung.failures, strict=True):
            failures[place] = why
    context.checkpoint()
    kept = np.isfinite(losses).any(axis=0)
    if not kept.any() and not context.finishing:
        raise DataError(next(filter(None, failures), "None of the settings could be judged."))
    chosen = int(_best(losses[:, kept], sizes, judging.weights[kept], which, 1)[0]) if kept.any() else 0
    return SearchResult(
        names=names,
        labels=labels,
        settings=tuple(setting.values for setting in settings),
        losses=losses[:, kept],
        weights=judging.weights[kept],
        n_train=n_train,
        chosen=chosen,
        measure=measure,
        strategy="halving" if halving else "folds",
        n_records=len(data),
        failures=tuple(failures),
        partial=context.finishing,
        said=tuple(setting.said for setting in settings),
    )


def _shares(n_settings: int, n_train: int) -> list[float]:
    """The share of the training records in each round of halving, the last one 1."""
    rounds = 1 + math.floor(math.log(max(1, n_settings), ETA) + 1e-9)
    while rounds > 1 and n_train / ETA ** (rounds - 1) < LEAST_TO_BEGIN:
        rounds -= 1
    return [float(ETA) ** (step - rounds + 1) for step in range(rounds)]


def _best(losses: FloatArray, sizes: FloatArray, weights: FloatArray, which: IntArray, n: int) -> IntArray:
    """The ``n`` of these settings that lose least, ascending; by folds that are complete for any of them."""
    complete = np.isfinite(losses[which]).any(axis=0)
    shares = weights[complete] / max(float(weights[complete].sum()), 1e-300)
    mean = losses[which][:, complete] @ shares
    mean = np.where(np.isfinite(mean), mean, np.inf)
    rank = np.lexsort((which, sizes[which], np.round(mean / _SAME) * _SAME))
    return np.sort(which[rank[: max(1, n)]])


@dataclass(frozen=True, eq=False)
class _Judging:
    """The folds that judge the settings."""

    settings: Sequence[TriedSetting]
    data: Dataset
    numbers: IntArray
    k: int
    measure: str
    seed: int
    in_order: bool
    """Whether each fold is learned from those before it only."""
    weights: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        tested = self.numbers >= 0
        weights = np.bincount(self.numbers[tested], self.data.weight_array[tested], minlength=self.k)
        object.__setattr__(self, "weights", weights)

    def rung(self, which: IntArray, share: float, context: RunContext) -> _Rung:
        """Judge these settings, trained on this share of each fold's training records."""
        by_fold = context.map(lambda fold: self._fold(fold, which, share, context), range(self.k))
        context.checkpoint()
        losses = np.stack([fold_rung.losses[:, 0] for fold_rung in by_fold], axis=1)
        sizes = np.mean([fold_rung.sizes for fold_rung in by_fold], axis=0)
        failures = tuple(
            next(filter(None, whys), "") for whys in zip(*(fold_rung.failures for fold_rung in by_fold), strict=True)
        )
        context.complete()
        return _Rung(losses, sizes, failures)

    def _fold(self, fold: int, which: IntArray, share: float, context: RunContext) -> _Rung:
        """The settings judged by one fold (s, 1); NaN where the search was finished early."""
        n = len(which)
        nothing = _Rung(np.full((n, 1), np.nan), np.zeros(n), ("",) * n)
        within = context.child(1 / self.k, fold, finish_cancels=True)
        if within.cancelled:
            context.checkpoint()
            return nothing
        try:
            judged = self._judged(fold, which, share, within)
        except Cancelled:
            context.checkpoint()
            return nothing
        within.complete()
        return judged

    def _judged(self, fold: int, which: IntArray, share: float, context: RunContext) -> _Rung:
        earlier, tested = self.numbers < fold, self.numbers == fold
        train = np.flatnonzero(earlier if self.in_order else learned_beside(self.data, tested))
        if share < 1:
            order = nested_order(self.data.class_codes[train], np.random.default_rng((self.seed, fold)))
            train = np.sort(train[order[: max(1, round(share * len(train)))]])
        training, validation = self.data.take(train), self.data.take(np.flatnonzero(self.numbers == fold))
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
            own = context.child(1 / len(which), place, same_seed=True)
            outcomes = context.once(f"setting {place}", lambda: judged(self.settings[place], own))
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
            return lost(self.measure, model, parts[2], own), float(sum(model.facts().values())), ""

        outcomes = context.map(judge, which.tolist())
        return _Rung(
            np.array([[loss] for loss, _, _ in outcomes]),
            np.array([size for _, size, _ in outcomes]),
            tuple(why for _, _, why in outcomes),
        )


FLATTERS: Final = "flatters"
"""The mark of a number that was chosen for being good."""
ESTIMATE: Final = "estimate"
HONEST: Final = "honest"


@dataclass(frozen=True)
class SearchFigure:
    """One number of a search: its value, what it is called, the mark that goes with it, and what it is."""

    value: float | None
    name: str
    mark: str
    sentence: str


def figures(
    search: SearchResult, honest_error: float | None = None, method: str = "", remark: str = ""
) -> tuple[SearchFigure, ...]:
    """The optimistic number of the winner, its correction, and the honest one where ``method`` found it.

    ``honest_error`` is the share of wrong decisions on records that took no part in choosing; it can be set beside the
    others only where the settings were chosen by their error. With a ``remark`` it is the method's own estimate, in
    which training records count too.
    """
    of = WORDS[search.measure]
    best = SearchFigure(
        search.optimistic,
        f"{of} of the winner in the search",
        FLATTERS,
        f"The best of {search.n_settings:,} settings on the very records it was chosen by: expect worse on new ones.",
    )
    corrected = SearchFigure(search.corrected, f"{of}, corrected for the choice", ESTIMATE, _of_correction(search))
    rows = [best, corrected]
    if honest_error is not None and search.measure == ERROR:
        sentence = f"On records that took no part in choosing ({method}). This is the number to believe."
        unseen = SearchFigure(honest_error, "error rate on unseen records", HONEST, sentence)
        rows.append(SearchFigure(honest_error, f"error rate by {method}", ESTIMATE, remark) if remark else unseen)
    return tuple(rows)


def _of_correction(search: SearchResult) -> str:
    if search.bias is None:
        return "With one part tested there is nothing to see the bias of choosing by."
    left = " Settings left behind on fewer records count with what they lost there." if search.has_left_behind else ""
    return (
        f"The same with the bias of choosing added, as the folds show it: {loss_words(search.bias, search)} more "
        f"(Tibshirani and Tibshirani 2009).{left}"
    )


def loss_words(loss: float, search: SearchResult) -> str:
    """A loss as text: an error rate in hundredths, another loss with four decimals."""
    return f"{in_hundredths(loss)} in 100" if search.measure == ERROR else f"{loss:.4f}"


def figures_of_run(search: SearchResult, result: EvaluationResult) -> tuple[SearchFigure, ...]:
    """:func:`figures`, and beside them the run's own error where its tested records took no part in choosing."""
    if result.test_is_training or not result.searches:
        return figures(search)
    error = 1 - estimated_accuracy(result, confusion(result))
    return figures(search, error, result.method.described(), result.estimate_remark)
