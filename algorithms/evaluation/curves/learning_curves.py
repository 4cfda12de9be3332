"""Error curves: by number of training records, by a parameter's value, by ensemble members, by leaves of a tree.

A learning curve trains on growing, nested subsets of each training part. A complexity curve splits each training part
into training and validation records; the test records are not used for the choice.

Sources: TSKK sections 3.4 to 3.6, and 5.6.1 with Figure 5.30 (comparison with independent members); Breiman et al.
1984, section 3.4 (pruned trees by folds).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import Cancelled, CoppiceError, DataError, ParameterError
from algorithms.core.filters import Recipe, fit_recipe
from algorithms.core.learner import Learner
from algorithms.core.parameters import ParameterKind
from algorithms.core.resampling import Method, Split, inner_fold_numbers, learned_beside, nested_order
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier, learn
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.methods.by_column import ByColumn
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import check_classes, kernels_of, train
from algorithms.evaluation.tuning.parameter_search import ERROR, loss_of
from algorithms.evaluation.tuning.search_space import TriedSetting, space_of
from algorithms.learners.ensembles.member_training import heaviest, places
from algorithms.learners.ensembles.model import CommitteeModel, seen_by, votes_of
from algorithms.learners.trees.pruning.pruning_sequence import SubtreeSequence, shrinking, unpruned, wrong_after
from algorithms.structures.tree import Tree
from algorithms.text.numbers import percent

MOST_PARTS: Final = 30
"""Largest number of splits used; larger methods by column are subsampled, others become ten folds."""
SHARES: Final = (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1.0)
"""Default shares of each training part in a learning curve."""
VALIDATION_FOLDS: Final = 5
"""In a complexity curve, one in this many training records is a validation record."""
MOST_VALUES: Final = 200
TRAINING, VALIDATION, TEST = "training", "validation", "test"
RECORDS: Final = "Training records"


@dataclass(frozen=True, eq=False)
class ErrorCurve:
    """Errors at v values in p splits: ``errors`` (v, p), NaN if not computed yet."""

    name: str
    errors: FloatArray

    @cached_property
    def n(self) -> IntArray:
        """Number of splits evaluated at each value (v,)."""
        counts: IntArray = np.count_nonzero(np.isfinite(self.errors), axis=1)
        return counts

    @cached_property
    def mean(self) -> FloatArray:
        """Mean error over the evaluated splits at each value (v,), NaN without any."""
        total = np.where(np.isfinite(self.errors), self.errors, 0.0).sum(axis=1)
        return np.where(self.n > 0, total / np.maximum(self.n, 1), np.nan)

    @cached_property
    def spread(self) -> FloatArray:
        """Standard error of each mean (v,), 0 for fewer than two splits."""
        squares = np.where(np.isfinite(self.errors), (self.errors - self.mean[:, None]) ** 2, 0.0).sum(axis=1)
        several = np.maximum(self.n - 1, 1) * np.maximum(self.n, 1)
        return np.where(self.n > 1, np.sqrt(squares / several), 0.0)

    @property
    def standard_error(self) -> FloatArray:
        """As :attr:`spread` (v,), but NaN for fewer than two splits."""
        return np.where(self.n > 1, self.spread, np.nan)


@dataclass(frozen=True, eq=False)
class Sweep:
    """Errors by training size or parameter value.

    ``places`` (v,) are the values as numbers, or 0, 1, 2 ... for words. ``method`` made the splits. ``failures`` are
    the distinct error messages of models that failed.
    """

    what: str
    values: tuple[str, ...]
    places: FloatArray
    is_number: bool
    lines: tuple[ErrorCurve, ...]
    method: Method
    seed: int
    failures: tuple[str, ...] = ()

    @property
    def n_done(self) -> int:
        return int(np.isfinite(self.lines[-1].errors).sum())

    @property
    def is_whole(self) -> bool:
        return self.n_done == self.lines[-1].errors.size

    def line(self, name: str) -> ErrorCurve:
        return next(line for line in self.lines if line.name == name)

    def rows(self) -> list[list[str]]:
        """A header, then one row per value: mean and standard error of each line, and the number of splits."""
        names = [cell for line in self.lines for cell in (f"{line.name} error", f"standard error of {line.name}")]
        table = [[self.what, *names, "parts tested"]]
        for place, value in enumerate(self.values):
            cells = [f"{cell:.6g}" for line in self.lines for cell in (line.mean[place], line.standard_error[place])]
            table.append([value, *("" if cell == "nan" else cell for cell in cells), str(int(self.lines[-1].n[place]))])
        return table


@dataclass(frozen=True, eq=False)
class _Point:
    """One value of a curve: the setting and the share of the training part."""

    setting: TriedSetting
    share: float = 1.0


def learning_curve(
    learner: Learner,
    data: Dataset,
    method: Method,
    context: RunContext,
    *,
    recipe: Recipe = (),
    shares: Sequence[float] = SHARES,
    begun: Sweep | None = None,
) -> Sweep:
    """Training and test error by number of training records.

    ``shares`` (0 to 1, ascending) are those of each training part. A :class:`Sweep` is published after each model. An
    early finish keeps what is done, and ``begun`` continues such a sweep. The numbers depend on neither pauses nor
    threads. Raises :class:`DataError`, :class:`ParameterError` and :class:`Cancelled`.
    """
    if not shares or any(not 0 < share <= 1 for share in shares) or list(shares) != sorted(set(shares)):
        raise ParameterError("Shares of the training part must go up from above 0 to at most 100 %.", place="sizes")
    labelled = data.labelled()
    check_classes(labelled)
    splits, used = splits_for(labelled, method, context)
    n_train = len(splits[0].train)
    sizes = np.array([max(1, round(share * n_train)) for share in shares], dtype=np.float64)
    points = [_Point(TriedSetting((), learner, recipe), share) for share in shares]
    empty = _empty(
        RECORDS, tuple(f"{int(size)}" for size in sizes), sizes, (TRAINING, TEST), len(splits), used, context
    )
    return _CurveRun(labelled, splits, points, context, begun or empty).run(kernels_of(learner))


def complexity_curve(
    learner: Learner,
    data: Dataset,
    method: Method,
    context: RunContext,
    name: str,
    values: str,
    *,
    recipe: Recipe = (),
    begun: Sweep | None = None,
) -> Sweep:
    """As :func:`learning_curve`, with validation error, by parameter ``name`` with ``values`` as typed."""
    space = space_of(learner, recipe, f"{name}={values}")
    settings = [setting for setting in space.grid() if setting.values[0]]
    if len(settings) > MOST_VALUES:
        raise ParameterError(f"At most {MOST_VALUES} values make a curve.", place=name)
    axis = space.axes[0]
    is_number = axis.parameter.kind in (ParameterKind.REAL, ParameterKind.INTEGER)
    is_number = is_number and all(setting.values[0] != "none" for setting in settings)
    if is_number:
        settings.sort(key=lambda setting: float(setting.values[0]))
    typed, read = [setting.values[0] for setting in settings], tuple(setting.shown[0] for setting in settings)
    places = np.array([float(value) for value in typed]) if is_number else np.arange(len(typed), dtype=np.float64)
    labelled = data.labelled()
    check_classes(labelled)
    splits, used = splits_for(labelled, method, context)
    names = (TRAINING, VALIDATION, TEST)
    empty = _empty(axis.label, read, places, names, len(splits), used, context, is_number=is_number)
    points = [_Point(setting) for setting in settings]
    return _CurveRun(labelled, splits, points, context, begun or empty).run(kernels_of(learner))


def splits_for(data: Dataset, method: Method, context: RunContext) -> tuple[list[Split], Method]:
    """The splits for a curve and their method: the given one, or ten folds.

    Ten folds replace methods with many splits or without unseen records of this table. Of a method by column, evenly
    spaced splits are taken instead, since random folds would separate what it keeps together.
    """
    if method.honest and not method.needs_test_data:
        splits = method.splits(data, np.random.default_rng(context.seeds))
        if len(splits) > MOST_PARTS and isinstance(method, ByColumn):
            return [
                splits[number] for number in np.linspace(0, len(splits) - 1, MOST_PARTS).round().astype(int).tolist()
            ], method
        if len(splits) <= MOST_PARTS and not splits[0].resubstitution:
            return list(splits), method
    folds = CrossValidation(folds=max(2, min(10, len(data))))
    return list(folds.splits(data, np.random.default_rng(context.seeds))), folds


def _empty(
    what: str,
    values: tuple[str, ...],
    places: FloatArray,
    names: tuple[str, ...],
    n_parts: int,
    method: Method,
    context: RunContext,
    *,
    is_number: bool = True,
) -> Sweep:
    lines = tuple(ErrorCurve(name, np.full((len(values), n_parts), np.nan)) for name in names)
    entropy = context.seeds.entropy
    return Sweep(what, values, places, is_number, lines, method, entropy if isinstance(entropy, int) else 0)


class _CurveRun:
    """Trains the models of a curve that are still missing, one for each value and split."""

    def __init__(
        self, data: Dataset, splits: Sequence[Split], points: Sequence[_Point], context: RunContext, begun: Sweep
    ) -> None:
        self.data, self.splits, self.points, self.context = data, splits, points, context
        self.sweep = begun
        self._lock = threading.Lock()
        if begun.lines[0].errors.shape != (len(points), len(splits)):
            raise DataError("What was begun is another curve.", remedy="Start it again.")

    def run(self, kernels: tuple[str, ...]) -> Sweep:
        ensure_compiled(kernels, self.context)
        wanted = np.argwhere(np.isnan(self.sweep.lines[-1].errors).T)  # by split, so that whole curves come first
        weight = 1 / max(1, len(wanted))
        self.context.map(lambda cell: self._judge(int(cell[1]), int(cell[0]), weight), list(wanted))
        self.context.checkpoint()
        if not self.sweep.n_done:
            why = self.sweep.failures[0] if self.sweep.failures else "Nothing was tested yet."
            raise DataError(why, remedy="Run it again.")
        return self.sweep

    def _judge(self, place: int, part: int, weight: float) -> None:
        """Evaluate one value in one split; does nothing after an early finish."""
        context = self.context.child(weight, part * len(self.points) + place, finish_cancels=True)
        if context.cancelled:
            self.context.checkpoint()
            return
        try:
            self._keep(place, part, self._errors(self.points[place], part, context))
        except Cancelled:
            self.context.checkpoint()
        except CoppiceError as error:
            self._failed(str(error))
        context.complete()

    def _errors(self, point: _Point, part: int, context: RunContext) -> list[float]:
        split = self.splits[part]
        assert split.test is not None
        train = self.data.take(split.train)
        random = np.random.default_rng((part, *np.atleast_1d(np.asarray(self.context.seeds.generate_state(2)))))
        parts = []
        if len(self.sweep.lines) == 2:
            order = nested_order(train.class_codes.astype(np.int64), random)
            train = train.take(np.sort(order[: max(1, round(point.share * len(order)))]))
        else:
            numbers = inner_fold_numbers(train, min(VALIDATION_FOLDS, len(train)), random, stratified=True)
            parts.append(train.take(numbers == 0))
            train = train.take(learned_beside(train, numbers == 0))
        learned = learn(point.setting.learner, point.setting.recipe, train, context)
        judged = (train, *parts, self.data.take(split.test))
        return [loss_of(ERROR, learned.model, learned.recipe.transform(records), context) for records in judged]

    def _keep(self, place: int, part: int, errors: Sequence[float]) -> None:
        with self._lock:
            lines = []
            for line, error in zip(self.sweep.lines, errors, strict=True):
                of_line = line.errors.copy()
                of_line[place, part] = error
                lines.append(ErrorCurve(line.name, of_line))
            self.sweep = replace(self.sweep, lines=tuple(lines))
            self.context.say(f"{self.sweep.n_done} of {lines[0].errors.size} models tested")
            self.context.publish(self.sweep)

    def _failed(self, why: str) -> None:
        with self._lock:
            if why not in self.sweep.failures:
                self.sweep = replace(self.sweep, failures=(*self.sweep.failures, why))


def _spread_of_difference(differences: FloatArray) -> float:
    """Standard error of the mean paired difference (p,) of two values; infinite for fewer than two."""
    finite = differences[np.isfinite(differences)]
    return float(np.std(finite, ddof=1) / np.sqrt(len(finite))) if len(finite) > 1 else float("inf")


def _at(sweep: Sweep, value: int) -> str:
    """Position on the curve: "at 5", or "with “none”" for words."""
    return f"at {sweep.values[value]}" if sweep.is_number else f"with “{sweep.values[value]}”"


def sweep_words(sweep: Sweep) -> str:
    """The curve in sentences, which consider whether its change is significant."""
    test = sweep.lines[-1]
    judged = np.flatnonzero(np.isfinite(test.mean))
    if len(sweep.values) < 2:
        return f"Error rate {percent(test.mean[judged[0]])}. One value makes no curve: give two or more."
    if len(judged) < 2:
        return "Too few parts are tested yet for a verdict."
    best = int(judged[np.argmin(test.mean[judged])])
    if len(sweep.lines) == 2:
        halves = judged[sweep.places[judged] <= sweep.places[judged[-1]] / 2]
        last, before = int(judged[-1]), int(halves[-1] if len(halves) else judged[-2])
        gained = float(test.mean[before] - test.mean[last])
        sure = 2 * _spread_of_difference(test.errors[before] - test.errors[last])
        gap = float(test.mean[last] - sweep.line(TRAINING).mean[last])
        more = (
            "One part was tested, so the curve has no error bars."
            if int(test.n[[before, last]].min()) < 2
            else "More records would probably help: the curve still falls at its end."
            if gained > sure and gained > 0
            else "The curve is level at its end: more records alone would help little."
        )
        records = f"{int(sweep.places[last]):,} record{'' if sweep.values[last] == '1' else 's'}"
        fits = " It fits its training records much better than new ones." if gap > 0.1 else ""
        return f"{more}{fits} Error rate with {records}: {percent(test.mean[last])}."
    validation = sweep.line(VALIDATION)
    chosen = int(judged[np.argmin(validation.mean[judged])])
    return (
        f"Lowest validation error {_at(sweep, chosen)} "
        f"({percent(validation.mean[chosen])}, optimistic as the best of {len(judged)}); there "
        f"the error rate on test records, which took no part, is {percent(test.mean[chosen])}."
        + ("" if best == chosen else f" The lowest test error is {_at(sweep, best)}.")
    )


if TYPE_CHECKING:
    from algorithms.learners.ensembles.gradient_boosting import GradientModel
    from algorithms.learners.ensembles.voting_and_stacking import StackedModel

    Committee = CommitteeModel | GradientModel | StackedModel

Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class MemberErrors:
    """Weighted error rates on the tested records of ``parts`` out of ``planned`` splits.

    ``together`` (m,) are those of the first 1 .. m members (of gradient boosting, rounds), ``alone`` (m,) those of each
    member. NaN if undefined: stacking has only the error of all members, gradient boosting none of single trees. A
    smaller ensemble keeps its last error.
    """

    together: FloatArray
    alone: FloatArray
    tested: float
    parts: int
    planned: int
    method: Method

    @property
    def error(self) -> float:
        """Error of the whole ensemble."""
        return float(self.together[-1])

    @property
    def mean_alone(self) -> float:
        """Mean error of the members; NaN if single members make no decision."""
        return float(np.mean(self.alone)) if np.isfinite(self.alone).all() else float("nan")


def independent_error(error: float | FloatArray, members: int) -> FloatArray:
    """Error of a majority vote of independent members (TSKK Figure 5.30); half of the ties count as errors."""
    from scipy.stats import binom

    e = np.asarray(error, dtype=np.float64)
    half = members // 2
    above_half = binom.sf(half, members, e)
    return np.asarray(above_half + (0.5 * binom.pmf(half, members, e) if members % 2 == 0 else 0.0))


def decisions_of(model: Committee, data: Dataset) -> Iterator[tuple[Codes | None, Codes | None]]:
    """Decisions (n,) of the first 1, 2, ... members (or rounds), and of each alone; None if undefined."""
    from algorithms.learners.ensembles.gradient_boosting import GradientModel

    if isinstance(model, CommitteeModel):
        order = places(model.class_weights)
        sums = np.zeros((len(data), len(model.classes)))
        for member, weight in zip(model.members, model.weights.tolist(), strict=True):
            sums += weight * votes_of(member, data, averaged=model.averaged)
            yield heaviest(sums, order), member.predict(seen_by(member, data))
    elif isinstance(model, GradientModel):
        for scores in model.staged(data):
            yield model.scoring.probabilities(scores).argmax(axis=1).astype(np.int32), None
    else:
        for member in model.members[:-1]:
            yield None, member.predict(data)
        yield model.predict(data), model.members[-1].predict(data)


def member_errors(
    learner: Learner, data: Dataset, method: Method, context: RunContext, *, recipe: Recipe = ()
) -> MemberErrors:
    """Train on each split and test every member and the first 1, 2, ... of them.

    The seeds are those of a run, so these are the ensembles of its folds. A partial result is published after each
    split; an early finish keeps it. Raises :class:`DataError` if the learner makes no ensemble, and :class:`Cancelled`.
    """
    labelled = data.labelled()
    check_classes(labelled)
    splits, used = splits_for(labelled, method, context)
    ensure_compiled(kernels_of(learner), context)
    lock = threading.Lock()
    by_split: dict[int, tuple[FloatArray, FloatArray, float]] = {}

    def one(number: int) -> None:
        part = context.child(1 / len(splits), number, finish_cancels=True).child(1.0, number, finish_cancels=True)
        if part.cancelled:
            context.checkpoint()
            return
        try:
            test = splits[number].test
            assert test is not None
            errors_of_split = _split_errors(
                learner, recipe, labelled.take(splits[number].train), labelled.take(test), part
            )
        except Cancelled:
            context.checkpoint()
            return
        with lock:
            by_split[number] = errors_of_split
            context.publish(_merged(by_split, len(splits), used))
        part.complete()

    context.map(one, range(len(splits)))
    context.checkpoint()
    if not by_split:
        raise DataError("No part was tested yet.", remedy="Run it again.")
    return _merged(by_split, len(splits), used)


def _split_errors(
    learner: Learner, recipe: Recipe, train: Dataset, test: Dataset, context: RunContext
) -> tuple[FloatArray, FloatArray, float]:
    """Error weight of the first members and of each alone (m,) in one split, and the tested weight."""
    learned = learn(learner, recipe, train, context)
    model, seen = learned.model, learned.recipe.transform(test)
    # late: the window opens without C4.5
    from algorithms.learners.ensembles.gradient_boosting import GradientModel
    from algorithms.learners.ensembles.voting_and_stacking import StackedModel

    if not isinstance(model, CommitteeModel | GradientModel | StackedModel):
        raise DataError(f"{learner.name} makes no ensemble.", remedy="Choose bagging, boosting, a forest or votes.")
    truth, weight = seen.class_codes.astype(np.int32), seen.weight_array
    together, alone = [], []
    for together_now, own in decisions_of(model, seen):
        context.checkpoint()
        together.append(np.nan if together_now is None else float(weight[together_now != truth].sum()))
        alone.append(np.nan if own is None else float(weight[own != truth].sum()))
    return np.array(together), np.array(alone), float(weight.sum())


def _merged(by_split: dict[int, tuple[FloatArray, FloatArray, float]], planned: int, method: Method) -> MemberErrors:
    """All splits in order; a smaller ensemble keeps its error and fills missing members with their mean."""
    parts = [by_split[number] for number in sorted(by_split)]
    m, tested = max(len(part[0]) for part in parts), sum(part[2] for part in parts)
    together, alone = np.zeros(m), np.zeros(m)
    for first, own, _ in parts:
        together += np.concatenate([first, np.full(m - len(first), first[-1])])
        alone += np.concatenate([own, np.full(m - len(own), own.mean())])
    tested = max(tested, 1e-300)
    return MemberErrors(together / tested, alone / tested, tested, len(parts), planned, method)


MOST_SPLITS: Final = 30
"""Largest number of splits used; ten folds replace methods with more."""
_GROWING: Final = 0.2


@dataclass(frozen=True, eq=False)
class TreeSizes:
    """An unpruned tree with its pruning sequence (s + 1 trees) and the error of each of them.

    ``training`` (s + 1,) is the training error. ``unseen`` (s + 1,) is the error on the records tested by ``method``,
    of trees grown without them and pruned to at most as many leaves. ``spread`` (s + 1,) is its standard error,
    counting each record once. ``is_own`` says whether ``method`` and splits are those of the run.
    """

    trained: TrainedClassifier
    shrinking: SubtreeSequence
    training: FloatArray
    unseen: FloatArray
    spread: FloatArray
    n_training: int
    n_tested: int
    method: Method
    is_own: bool

    @property
    def leaves(self) -> IntArray:
        """Number of leaves after each pruning step (s + 1,)."""
        return self.shrinking.leaves

    @property
    def best(self) -> int:
        """Pruning step with the least error on unseen records, the smallest tree in a tie."""
        return int(np.flatnonzero(self.unseen <= self.unseen.min() + 1e-12)[-1])


def tree_sizes(
    learner: Learner,
    data: Dataset,
    recipe: Recipe,
    method: Method,
    context: RunContext,
    test_data: Dataset | None = None,
) -> TreeSizes:
    """Grow the learner's tree unpruned on all labelled records and evaluate it at every size.

    The splits are those of :func:`evaluate` under the same seed, or ten folds for methods without unseen records or
    with more than :data:`MOST_SPLITS` splits. ``test_data`` is the test file, if any. Raises :class:`DataError` if
    there is no tree or too few records, and :class:`Cancelled`.
    """
    ensure_compiled(kernels_of(learner), context)
    bare = unpruned(learner)
    context.say("Growing the whole tree")
    trained = train(bare, data, recipe, context.child(_GROWING, key=1))
    tree = trained.structure()
    if not isinstance(tree, Tree):
        raise DataError(f"{learner.name} grows no tree.", remedy="Choose a tree learner.")
    labelled = data.labelled()
    judging = context.child(1 - _GROWING, key=0, same_seed=True)
    splits, used = _splits(labelled, method, judging)
    tested = None
    if used.needs_test_data and test_data is not None:
        tested = test_data.take(aligned(labelled.schema, test_data).class_codes >= 0)
    shrunk = shrinking(tree)
    mine = wrong_after(shrunk, trained.prepared(labelled), context.checkpoint)
    context.say("Testing smaller trees")
    judge = _SplitTest(bare, recipe, labelled, tested, shrunk.leaves, len(splits), judging)
    parts = judging.map(judge.wrong, list(enumerate(splits)))
    weight, n_tested = sum(part[1] for part in parts), sum(part[2] for part in parts)
    unseen = np.sum([part[0] for part in parts], axis=0) / max(weight, 1e-300)
    return TreeSizes(
        trained=trained,
        shrinking=shrunk,
        training=mine / max(float(labelled.weight_array.sum()), 1e-300),
        unseen=unseen,
        spread=np.sqrt(np.maximum(unseen * (1 - unseen), 0.0) / max(1, _n_distinct(splits, n_tested))),
        n_training=len(labelled),
        n_tested=n_tested,
        method=used,
        is_own=used == method,
    )


def _n_distinct(splits: Sequence[Split], n_tested: int) -> int:
    """Number of distinct tested records; ``n_tested`` for a test file."""
    parts = [split.test for split in splits if split.test is not None]
    return len(np.unique(np.concatenate(parts))) if parts else n_tested


def _splits(data: Dataset, method: Method, context: RunContext) -> tuple[list[Split], Method]:
    """The splits to evaluate on, and their method."""
    if method.honest:
        splits = method.splits(data, np.random.default_rng(context.seeds))
        if len(splits) <= MOST_SPLITS and not splits[0].resubstitution:
            return list(splits), method
    folds = CrossValidation(folds=max(2, min(10, len(data))))
    return list(folds.splits(data, np.random.default_rng(context.seeds))), folds


@dataclass(frozen=True, eq=False)
class _SplitTest:
    """Grows a tree on the training part of a split and tests it at each number of ``leaves`` (s + 1,)."""

    learner: Learner
    recipe: Recipe
    data: Dataset
    tested: Dataset | None
    leaves: IntArray
    n_splits: int
    context: RunContext

    def wrong(self, numbered: tuple[int, Split]) -> tuple[FloatArray, float, int]:
        """Weight of the errors at each size (s + 1,), tested weight, and number of tested records."""
        index, split = numbered
        context = self.context.child(1 / self.n_splits, index).child(1.0, index)
        context.checkpoint()
        fitted, prepared = fit_recipe(self.recipe, self.data.take(split.train), context.child(0.1, 0))
        schema = self.data.schema
        if split.test is not None:
            test = self.data.take(split.test)
        elif self.tested is not None:
            test = aligned(schema, self.tested, fitted.rare_values(schema))
        else:
            raise DataError("The test file is not there.", remedy="Use cross-validation instead.")
        tree = self.learner.fit(prepared, context.child(0.9, 1)).structure()
        assert isinstance(tree, Tree)
        shrunk = shrinking(tree)
        wrong = wrong_after(shrunk, fitted.transform(test), context.checkpoint)
        context.complete()
        steps = np.minimum(shrunk.n_steps, np.searchsorted(-shrunk.leaves, -self.leaves))
        return wrong[steps], float(test.weight_array.sum()), len(test)
