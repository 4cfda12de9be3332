"""Evaluation of a learner: parallel folds, each with its own recipe and model, which can be trained again.

For a tree, rules or a network edited by hand, each fold trains its own model and repeats the edit at the node with the
same path of tests, with its own thresholds. A model without such a node stays unedited. The edit was chosen on all
records, so the result is optimistic and says so.
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import Cancelled, ClusterError, CoppiceError, DataError
from algorithms.core.filters import FittedRecipe, Recipe, TrainingFilter
from algorithms.core.learner import Codes, Learner, Model
from algorithms.core.model_editing import EditedModel, EditsApplied
from algorithms.core.record_costs import RecordCosts
from algorithms.core.resampling import Method, Split
from algorithms.core.run_control import RunContext
from algorithms.core.training import LearnedModel, SearchResult, TrainedClassifier, learn, suited_to
from algorithms.data.alignment import aligned, differences
from algorithms.data.columns import FloatArray, IntArray, are_all_rows
from algorithms.data.dataset import Dataset
from algorithms.evaluation.compare.significance_tests import (
    LEAST_PARTS,
    FoldScores,
    PairedComparison,
    compared,
    paired_by_records,
    paired_t,
)
from algorithms.evaluation.measures.confusion_counts import confusion_matrix
from algorithms.evaluation.result import EvaluationResult, FoldFailure, PhaseSeconds, left_out_words, weights_in_range
from algorithms.text.numbers import percent


@dataclass(frozen=True, eq=False)
class FoldOutcome:
    """The predictions of one fold; ``tested`` (m,) are the positions of its test records."""

    split: Split
    tested: IntArray
    truth: Codes
    decision: Codes
    probabilities: NDArray[np.floating]
    undecided: int
    class_weights: FloatArray
    fit_seconds: float
    predict_seconds: float
    partial: bool
    search: SearchResult | None
    left_out: str = ""
    """A sentence on the columns that the model could not use after the recipe; empty without any."""
    differences: tuple[str, ...] = ()
    """Sentences on how a test file differs from the training data."""


MOST_PARTS: Final = 128
"""Largest number of tasks into which the folds are grouped, to limit overhead for thousands of folds."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class FoldWeights:
    """Summed weights of tested and of correct records, and of squares; relative to the largest if extreme."""

    tested: float
    right: float
    squares: float

    @classmethod
    def of(cls, weights: FloatArray, right: NDArray[np.bool_]) -> FoldWeights:
        """Sums of the tested records' ``weights`` (m,); ``right`` (m,) marks the correct ones."""
        tested = float(weights.sum())
        return cls(tested, min(tested, float(weights[right].sum())), float(weights @ weights))


@dataclass(frozen=True)
class FoldDone:
    """Event of a completed fold, in any order; ``failed`` is the error in a sentence, if any."""

    index: int
    n_folds: int
    repeat: int
    fold: int
    n_tested: int
    n_right: int
    failed: str | None = None
    weights: FoldWeights | None = None
    """None if unweighted."""

    @property
    def sums(self) -> FoldWeights:
        """The weights, or counts if unweighted."""
        if self.weights is not None:
            return self.weights
        return FoldWeights(float(self.n_tested), float(self.n_right), float(self.n_tested))


def train(
    learner: Learner, data: Dataset, recipe: Recipe, context: RunContext, method: Method | None = None
) -> TrainedClassifier:
    """The recipe and model fitted on all labelled records, as ``method`` evaluates them if given."""
    ensure_compiled(kernels_of(learner), context)
    learned = learn(suited_to(learner, method), recipe, data.labelled(), context)
    return classifier_of(learned, data, datetime.now(UTC).isoformat(timespec="seconds"))


def classifier_of(learned: LearnedModel, data: Dataset, created: str = "") -> TrainedClassifier:
    """A classifier from a model learned on records of ``data``; ``created`` is the ISO 8601 time."""
    return TrainedClassifier(
        input_schema=data.schema,
        recipe=learned.recipe,
        model=learned.model,
        learner=learned.learner,
        filters=learned.filters,
        search=learned.search,
        data_name=data.origin.file_name,
        created=created,
        marks=data.origin.marks,
        cleaning=data.origin.cleaning,
        reading=data.origin.reading,
    )


def evaluate(
    learner: Learner,
    data: Dataset,
    method: Method,
    context: RunContext,
    *,
    recipe: Recipe = (),
    test_data: Dataset | None = None,
) -> EvaluationResult:
    """Evaluate ``recipe`` and ``learner`` on ``data`` by ``method``; ``test_data`` is the test file, if any.

    Publishes a :class:`FoldDone` per fold. The numbers depend only on the context's seed, not on the number of threads.
    An early finish keeps the complete folds. Failed folds are recorded; if all fail, the first error is raised. Raises
    :class:`DataError` for unusable data, and :class:`Cancelled`.
    """
    labelled = data.labelled()
    n_without = len(data) - len(labelled)
    check_classes(labelled)
    splits = method.splits(labelled, np.random.default_rng(context.seeds))
    warnings = method.remarks(labelled)
    tested: _TestFile | None = None
    if method.needs_test_data:
        tested = _test_file(labelled, test_data)
        n_without += tested.n_without_class
    warnings += out_of_bag_warnings(learner, recipe)
    ensure_compiled(kernels_of(learner), context)
    job = _Job(suited_to(learner, method), recipe, labelled, tested, splits, context, method.part_name)
    if context.workers is not None and not (len(splits) == 1 and _gives_parts_away(learner)):
        job.sent = _SentFolds(job.learner, recipe, method, context.seeds.entropy, context.seeds.spawn_key), data
    outcomes = job.run()
    return _merged_result(learner, job, method, outcomes, n_without, tuple(warnings))


def out_of_bag_warnings(learner: Learner, recipe: Recipe) -> list[str]:
    """Warns of an out-of-bag estimate with synthetic records: leaving out their parents would leave no bag."""
    steps = [step for step in recipe if isinstance(step, TrainingFilter) and step.makes_up]
    if not steps or not _tests_left_out(learner):
        return []
    return [
        f"{learner.name} tests itself by training records that its samples left out, and learns from others that were "
        f"made from them ({steps[0].name}): its own estimates are optimistic. "
        "The numbers here come from records that took no part in that."
    ]


def _tests_left_out(learner: Learner) -> bool:
    return learner.tests_left_out or any(map(_tests_left_out, learner.inner_learners))


def _gives_parts_away(learner: Learner) -> bool:
    """Whether workers train parts of a single model: members of an ensemble, settings of a search."""
    return learner.gives_parts_away or any(map(_gives_parts_away, learner.inner_learners))


def kernels_of(learner: Learner) -> tuple[str, ...]:
    """Modules of compiled loops that the learner and its nested learners need, without repeats."""
    within = [kernels_of(value) for value in learner.values().values() if isinstance(value, Learner)]
    return tuple(dict.fromkeys([*learner.kernels, *(name for names in within for name in names)]))


@dataclass(frozen=True, eq=False)
class _TestFile:
    """A test file as read, and its labelled records."""

    data: Dataset
    labelled: Dataset

    @property
    def n_without_class(self) -> int:
        return len(self.data) - len(self.labelled)


class _SentFolds(NamedTuple):
    """What a worker must know to test folds of some data, besides these."""

    learner: Learner
    recipe: Recipe
    method: Method
    entropy: Any
    spawn_key: tuple[int, ...]


def _sent_fold(
    folds: _SentFolds, data: Dataset, test_data: Dataset | None, index: int, context: RunContext
) -> FoldOutcome:
    """The outcome of a fold on a worker, which makes the splits again; without the records of the split."""
    labelled = data.labelled()
    seeds = np.random.SeedSequence(folds.entropy, spawn_key=folds.spawn_key)
    splits = folds.method.splits(labelled, np.random.default_rng(seeds))
    tested = None if test_data is None else _test_file(labelled, test_data)
    ensure_compiled(kernels_of(folds.learner), context)
    job = _Job(folds.learner, folds.recipe, labelled, tested, splits, context, folds.method.part_name)
    nothing = np.empty(0, dtype=np.int64)
    split = splits[index]
    return replace(job.judged(split, context), split=replace(split, train=nothing, test=None))


class _Job:
    """The folds of one evaluation and their outcomes."""

    sent: tuple[_SentFolds, Dataset] | None = None
    """What workers do the folds from; None to do them here."""

    def __init__(
        self,
        learner: Learner,
        recipe: Recipe,
        data: Dataset,
        tested: _TestFile | None,
        splits: Sequence[Split],
        context: RunContext,
        part_name: str,
    ) -> None:
        self.part_name = part_name
        self.learner, self.recipe, self.data, self.tested = learner, recipe, data, tested
        self.splits, self.context = splits, context
        weights = (data if tested is None else tested.labelled).weights
        self._weights = None if weights is None else weights_in_range(weights)
        self.errors: dict[int, Exception] = {}
        self._n_apart = int(splits[0].resubstitution)
        self._n_published = 0
        self._lock = threading.Lock()

    @property
    def n_folds(self) -> int:
        """Number of folds, without the resubstitution split."""
        return len(self.splits) - self._n_apart

    def run(self) -> list[FoldOutcome]:
        """Outcomes of the completed folds in fold order; raises the first error if every fold failed."""
        n = len(self.splits)
        size = math.ceil(n / MOST_PARTS)
        parts = [range(start, min(start + size, n)) for start in range(0, n, size)]
        by_part = self.context.spread(self._run_part, parts)
        self.context.checkpoint()
        outcomes = [outcome for part in by_part for outcome in part]
        if not outcomes and self.errors:
            raise self.errors[min(self.errors)]
        if not any(not outcome.split.resubstitution for outcome in outcomes):
            raise DataError(
                f"No {self.part_name} was complete yet, so there is nothing to evaluate.", remedy="Run it again."
            )
        return outcomes

    def _run_part(self, part: range) -> list[FoldOutcome]:
        n = len(self.splits)
        part_context = self.context.child(len(part) / n, part[0], finish_cancels=n > 1)
        outcomes = []
        for index in part:
            outcome = self._run_fold(index, part_context.child(1 / len(part), index, finish_cancels=n > 1))
            if outcome is not None:
                outcomes.append(outcome)
        part_context.complete()
        return outcomes

    def _run_fold(self, index: int, context: RunContext) -> FoldOutcome | None:
        """The fold's outcome; None if it failed (which is recorded) or was dropped by an early finish."""
        self.context.checkpoint()
        if context.cancelled:
            return None
        split = self.splits[index]
        try:
            outcome = context.once("fold", lambda: self._outcome(index, split, context), lambda made: not made.partial)
            if not np.array_equal(outcome.tested, self._tested(split)):  # a damaged cache file
                outcome = self._outcome(index, split, context)
            outcome = replace(outcome, split=split)
        except Cancelled:
            self.context.checkpoint()
            return None
        except ClusterError:  # no failure of the fold
            raise
        except Exception as error:  # one fold's failure must not stop its siblings; it is recorded
            if not isinstance(error, CoppiceError):  # a bug of the learner, not something the person did
                _log.error("fold %d of repeat %d failed", split.fold + 1, split.repeat + 1, exc_info=error)
            with self._lock:
                self.errors[index] = error
            self._publish(index, split, 0, 0, _sentence(error))
            return None
        context.complete()
        right = outcome.truth == outcome.decision
        sums = None if self._weights is None else FoldWeights.of(self._weights[outcome.tested], right)
        self._publish(index, split, len(outcome.tested), int(np.count_nonzero(right)), None, sums)
        return outcome

    def _tested(self, split: Split) -> IntArray:
        """Positions of the records that a fold tests."""
        if self.tested is not None:
            return np.arange(len(self.tested.labelled))
        return split.train if split.test is None else split.test

    def _outcome(self, index: int, split: Split, context: RunContext) -> FoldOutcome:
        """The outcome of a fold, tested here or by a worker."""
        if self.sent is None:
            return self.judged(split, context)
        folds, data = self.sent
        return context.call(_sent_fold, folds, data, None if self.tested is None else self.tested.data, index)

    def judged(self, split: Split, context: RunContext) -> FoldOutcome:
        """Train and test a fold."""
        train = self.data.take(split.train)
        positions = self._tested(split)
        begin = perf_counter()
        learned = learn(self.learner, self.recipe, train, context)
        model = learned.model
        trained, waited = perf_counter(), context.waited
        test, sentences = self._test_part(positions, learned.recipe)
        prepared_test = learned.recipe.transform(test, context.checkpoint)
        judgement = model.judged(prepared_test, context)
        context.checkpoint()
        return FoldOutcome(
            split=split,
            tested=positions,
            truth=test.class_codes.astype(np.int32),
            decision=judgement.decisions,
            probabilities=judgement.probabilities,
            undecided=judgement.undecided,
            class_weights=train.class_weights,
            fit_seconds=trained - begin - waited,
            predict_seconds=perf_counter() - trained - (context.waited - waited),
            partial=model.partial,
            search=learned.search,
            left_out=left_out_words(prepared_test.schema) if self.recipe else "",
            differences=sentences,
        )

    def _test_part(self, positions: IntArray, recipe: FittedRecipe) -> tuple[Dataset, tuple[str, ...]]:
        """The tested records in the training schema, and how a test file differs from it."""
        if self.tested is None:
            return self.data.take(positions), ()
        schema = self.data.schema
        rare = recipe.rare_values(schema)
        mismatches = differences(schema, self.tested.data, rare, recipe.lists_of_numbers(schema))
        return aligned(schema, self.tested.labelled, rare), tuple(difference.sentence for difference in mismatches)

    def _publish(
        self,
        index: int,
        split: Split,
        n_tested: int,
        n_right: int,
        failed: str | None,
        weights: FoldWeights | None = None,
    ) -> None:
        if split.resubstitution:
            return
        with self._lock:
            self._n_published += 1
            self.context.say(f"{self._n_published} of {self.n_folds} {self.part_name}s tested")
        number = index - self._n_apart
        fold = FoldDone(number, self.n_folds, split.repeat, split.fold, n_tested, n_right, failed, weights)
        self.context.publish(fold)


def _merged_result(
    learner: Learner, job: _Job, method: Method, outcomes: list[FoldOutcome], n_without: int, warnings: tuple[str, ...]
) -> EvaluationResult:
    """One result from the folds' outcomes in fold order."""
    judged = [outcome for outcome in outcomes if not outcome.split.resubstitution]
    fits = [outcome for outcome in outcomes if outcome.split.resubstitution]
    source = job.data if job.tested is None else job.tested.labelled
    positions = _joined([outcome.tested for outcome in judged])
    sizes = [len(outcome.tested) for outcome in judged]
    entropy = job.context.seeds.entropy
    searches = tuple(o.search for o in judged if o.search is not None)
    return EvaluationResult(
        learner=learner,
        method=method,
        recipe=job.recipe,
        seed=entropy if isinstance(entropy, int) else 0,
        schema=job.data.schema,
        classes=job.data.schema.classes,
        row_ids=source.row_ids if are_all_rows(positions, len(source)) else source.row_ids[positions],
        repeats=_of_tests([o.split.repeat for o in judged], sizes),
        folds=_of_tests([o.split.fold for o in judged], sizes),
        truth=_joined([o.truth for o in judged]),
        decision=_joined([o.decision for o in judged]),
        probabilities=_joined([o.probabilities for o in judged]),
        weights=None if source.weights is None else source.weights[positions],
        baseline_class=int(np.argmax(np.sum([o.class_weights for o in judged], axis=0))),
        n_training=len(job.data),
        n_without_class=n_without,
        test_is_training=not method.honest,
        n_folds=job.n_folds,
        timings=PhaseSeconds(sum(o.fit_seconds for o in outcomes), sum(o.predict_seconds for o in outcomes)),
        failures=tuple(
            FoldFailure(job.splits[i].repeat, job.splits[i].fold, _sentence(job.errors[i])) for i in sorted(job.errors)
        ),
        partial=len(outcomes) + len(job.errors) < len(job.splits) or any(o.partial for o in outcomes),
        resubstitution=_resubstitution(job.data, fits[0]) if fits else None,
        warnings=(
            *warnings,
            *judged[0].differences,
            *(o.left_out for o in judged[:1] if o.left_out),
            *_undecided_remark(judged),
            *([] if job.data.origin.whole is None else [job.data.origin.whole.learned_from]),
        ),
        marks=job.data.origin.marks,
        searches=searches,
    )


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """The arrays of the folds one after the other; that of a single fold itself, which may be large."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _of_tests(numbers: list[int], sizes: list[int]) -> NDArray[np.int32]:
    """The number of each fold for each of its tests; that of a single fold takes the memory of one number."""
    if len(numbers) == 1:
        return np.broadcast_to(np.int32(numbers[0]), sizes[0])
    return np.repeat(np.array(numbers, dtype=np.int32), sizes)


def _undecided_remark(judged: list[FoldOutcome]) -> tuple[str, ...]:
    """A sentence on the number of tested records without any basis for a prediction; empty tuple if none."""
    n, n_tested = sum(o.undecided for o in judged), sum(len(o.tested) for o in judged)
    if not n:
        return ()
    return (
        f"For {n:,} of {n_tested:,} tested records the model has no basis for a prediction; it predicted the most "
        "frequent class.",
    )


def _resubstitution(data: Dataset, outcome: FoldOutcome) -> FloatArray:
    """Confusion matrix (k, k) by weight of the full model on its training records."""
    weights = data.weight_array[outcome.tested]
    return confusion_matrix(outcome.truth, outcome.decision, weights, len(data.schema.classes))


def _sentence(error: Exception) -> str:
    return str(error) if isinstance(error, CoppiceError) else f"Unexpected error: {type(error).__name__}: {error}"


def check_classes(data: Dataset) -> None:
    """Raise :class:`DataError` unless at least two classes occur and some record has a weight."""
    attribute = data.schema.class_attribute
    present = np.unique(data.class_codes)
    if len(present) == 0:
        raise DataError(
            f"No record has a value in the class {attribute.name!r}.",
            remedy="Choose another column to predict.",
            place=attribute.name,
        )
    if data.weights is not None and not np.any(data.weights > 0):
        raise DataError(
            "All records have weight 0, so nothing can be learned from them.",
            remedy="Give the records weights above 0 in the file.",
        )
    if len(present) == 1:
        raise DataError(
            f"All records have the same class, {attribute.values[int(present[0])]!r}: there is nothing to tell apart.",
            remedy="Choose another column to predict, or open data with records of another class.",
            place=attribute.name,
        )


def _test_file(data: Dataset, test_data: Dataset | None) -> _TestFile:
    """The test file with its labelled records; raises :class:`DataError` if it is unusable."""
    if test_data is None:
        raise DataError("No test file was given.", remedy="Choose the file to test on.", place="path")
    class_name = data.schema.class_attribute.name
    if class_name not in test_data.schema:
        raise DataError(
            f"The test file has no column {class_name!r}, so it cannot test the model.",
            remedy="Choose a file that has the class. To predict the classes of this one: Use this model on a file, "
            "in the menu.",
            place=class_name,
        )
    is_known = aligned(data.schema, test_data).class_codes >= 0
    if not is_known.any():
        raise DataError("No record of the test file has a known class.", remedy="Choose another test file.")
    return _TestFile(test_data, test_data.take(is_known))


MOST_FOLDS: Final = 100
"""Largest number of folds trained again."""


@dataclass(frozen=True, eq=False)
class FoldModel:
    """The model of a fold."""

    split: Split
    recipe: FittedRecipe
    model: Model


@dataclass(frozen=True, eq=False)
class FoldClassifier:
    """The classifier of a fold, the table rows that trained it, and its seed key."""

    trained: TrainedClassifier
    rows: IntArray
    seed_key: tuple[int, int]


def fold_models(
    learner: Learner, data: Dataset, method: Method, context: RunContext, recipe: Recipe = (), most: int = MOST_FOLDS
) -> list[FoldModel]:
    """The models of at most ``most`` folds of :func:`evaluate` with the same arguments and seed.

    Folds on which the learner fails are omitted. Raises :class:`DataError` and :class:`Cancelled`.
    """
    labelled = data.labelled()
    splits = method.splits(labelled, np.random.default_rng(context.seeds))
    ensure_compiled(kernels_of(learner), context)
    n = len(splits)
    size = math.ceil(n / MOST_PARTS)
    first = int(splits[0].resubstitution)
    suited = suited_to(learner, method)
    parts = [range(start, min(start + size, n, first + most)) for start in range(0, min(n, first + most), size)]

    def fitted(part: range) -> list[FoldModel]:
        within = context.child(len(part) / n, part[0])
        models = [
            _fitted(suited, labelled, recipe, splits, i, within.child(1 / len(part), i)) for i in part if i >= first
        ]
        within.complete()
        return [model for model in models if model is not None]

    return [model for part in context.map(fitted, parts) for model in part]


def model_of_fold(
    learner: Learner, data: Dataset, method: Method, part: tuple[int, int], context: RunContext, recipe: Recipe = ()
) -> FoldClassifier:
    """The model of the fold ``part`` (repeat, fold) of :func:`evaluate`, trained again; raises :class:`DataError`."""
    labelled = data.labelled()
    splits = method.splits(labelled, np.random.default_rng(context.seeds))
    ensure_compiled(kernels_of(learner), context)
    n, index = len(splits), _index_of(splits, part)
    size = math.ceil(n / MOST_PARTS)
    start = index - index % size
    within = context.child(1.0, start).child(1.0, index)
    learned = learn(suited_to(learner, method), recipe, labelled.take(splits[index].train), within)
    rows = np.flatnonzero(data.class_codes >= 0)[splits[index].train]
    return FoldClassifier(classifier_of(learned, data), rows, (start, index))


def _index_of(splits: Sequence[Split], part: tuple[int, int]) -> int:
    """Index of the split of this repeat and fold, without making all splits if folds are in order."""
    n, first = len(splits), int(splits[0].resubstitution)
    repeat, fold = part
    per_repeat = max(1, (n - first) // (int(splits[n - 1].repeat) + 1))
    likely: int = first + repeat * per_repeat + fold
    index: int
    for index in (likely, *range(first, n)):
        if first <= index < n and (splits[index].repeat, splits[index].fold) == part:
            return index
    raise DataError("The run has no such fold.", remedy="Run it again.")


def _fitted(
    learner: Learner, data: Dataset, recipe: Recipe, splits: Sequence[Split], index: int, context: RunContext
) -> FoldModel | None:
    context.checkpoint()
    split = splits[index]
    try:
        learned = learn(learner, recipe, data.take(split.train), context)
        return FoldModel(split, learned.recipe, learned.model)
    except CoppiceError:  # the run recorded the error
        return None
    finally:
        context.complete()


CAVEAT: Final = "Whoever changed it had seen all records, so the result is slightly optimistic for new ones."


def judge_edited(
    learner: EditedModel,
    data: Dataset,
    method: Method,
    context: RunContext,
    *,
    recipe: Recipe = (),
    test_data: Dataset | None = None,
) -> EvaluationResult:
    """As :func:`evaluate`, with a warning on how many folds could repeat each edit."""
    by_fold: list[tuple[bool, ...]] = []

    def hear(event: object) -> None:
        if isinstance(event, EditsApplied):
            by_fold.append(event.made)
        else:
            context.publish(event)

    judging = context.child(1.0, 0, same_seed=True, listener=hear)
    result = evaluate(learner, data, method, judging, recipe=recipe, test_data=test_data)
    words = made_words(
        by_fold, len(learner.edits), method.part_name, learner.edit.kind, learner.leads_there, learner.came_about
    )
    return replace(result, warnings=(*result.warnings, words)) if words else result


def made_words(
    by_fold: Sequence[Sequence[bool]],
    n_edits: int,
    part: str,
    whole: str = "tree",
    leads_there: str = "where the same tests led to the place",
    came_about: str = "grew",
) -> str:
    """A sentence on how many folds could repeat each edit; empty without edits."""
    if not by_fold or not n_edits:
        return ""
    n, counts = len(by_fold), [sum(bool(edits_of_fold[nth]) for edits_of_fold in by_fold) for nth in range(n_edits)]
    whose = f"each {part}'s own {whole}" if n > 1 else f"the {whole} of the training part"
    was, it = ("were", "they") if whole.endswith("s") else ("was", "it")
    if all(count == n for count in counts):
        return f"Edited by hand: {whose} {was} changed in the same way. {CAVEAT}"
    which = ", ".join(f"change {nth} in {count:,}" for nth, count in enumerate(counts, 1))
    where = f"{f'in {counts[0]:,}' if n_edits == 1 else which} of {n:,} {part}s"
    return (
        f"Edited by hand: {whose} {was} changed in the same way {leads_there}, {where}; "
        f"elsewhere {it} stayed as {it} {came_about}. {CAVEAT}"
    )


# ---- what an edit changed --------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ErrorChange:
    """Change of error rate and, with costs, of cost per record: after minus before, with 95% confidence intervals."""

    after: float
    error: PairedComparison
    cost: PairedComparison | None

    def words(self) -> str:
        """The change in a sentence: "Error rate 5.3%, 0.7 more than before (0.4 fewer to 1.8 more): ..."."""
        sentence = f"Error rate {percent(self.after)}, {_difference_words(self.error, 100.0, ('more', 'fewer'))}"
        if self.cost is not None:
            sentence += f" Cost of a record: {_difference_words(self.cost, 1.0, ('more', 'less'))}"
        return sentence


def changed(before: EvaluationResult, after: EvaluationResult, costs: RecordCosts | None = None) -> ErrorChange:
    """The effect of the edit; ``costs`` are those of the tests. Raises :class:`DataError` if not comparable."""
    one, other = FoldScores.of(before), FoldScores.of(after)
    error = compared(one, other)
    cost = None if costs is None else _cost_difference(before, after, costs)
    return ErrorChange(1.0 - float(np.average(after.right, weights=after.weight_array)), error, cost)


def _cost_difference(before: EvaluationResult, after: EvaluationResult, costs: RecordCosts) -> PairedComparison:
    if not np.array_equal(before.row_ids, after.row_ids) or not np.array_equal(before.folds, after.folds):
        raise DataError("The two runs have no test in common.", remedy="Evaluate both with the same method and seed.")
    differences = costs.of(after.truth, after.decision) - costs.of(before.truth, before.decision)
    scale = costs.span or 1.0
    differences = differences / scale
    weights = after.weight_array
    key = after.repeats.astype(np.int64) * (int(after.folds.max(initial=0)) + 1) + after.folds
    _, part = np.unique(key, return_inverse=True)
    weight = np.bincount(part, weights)
    means = np.bincount(part, weights * differences)[weight > 0] / weight[weight > 0]
    if len(means) >= LEAST_PARTS:
        difference = paired_t(means, test_share=FoldScores.of(after).test_share)
    else:
        difference = paired_by_records(differences, weights=after.weights)
    return difference.times(scale)


def _difference_words(change: PairedComparison, scale: float, words: tuple[str, str]) -> str:
    """A difference in words: "0.7 more than before (0.4 fewer to 1.8 more): that may be chance."."""
    low, high = (scale * end for end in change.interval)
    mean = scale * change.difference
    if mean == 0 and low == 0 and high == 0:
        return "the same as before."
    chance = "hardly chance" if change.significant else "that may be chance"
    named = f"{_signed(mean, words)} than before"
    return f"{named} ({_signed(low, words)} to {_signed(high, words)}): {chance}."


def _signed(number: float, words: tuple[str, str]) -> str:
    shown = f"{abs(number):.1f}" if abs(number) >= 0.05 or number == 0 else f"{abs(number):.2g}"
    return f"{shown} {words[1] if number < 0 else words[0]}"
