"""Learning from a table in several files, and evaluation by whole files: holdout, cross-validation or training set.

A model is trained on the training files only, its bins included. Tested records with the same class, decision and
probabilities are one row with their number, so that a result is small where a model has few answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import DataError, ParameterError
from algorithms.core.filters import FittedRecipe
from algorithms.core.learner import Learner, Model
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import FloatArray, IntArray
from algorithms.evaluation.methods.methods import CrossValidation, Holdout, TrainingSet
from algorithms.evaluation.out_of_core import GroupedResult, check_learnable, with_class_named
from algorithms.evaluation.result import PhaseSeconds
from algorithms.evaluation.runner import kernels_of
from algorithms.io.text.options import ReadOptions
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.bayes.partitioned import naive_bayes_from_parts, suited_naive_bayes
from algorithms.learners.partitions import Arrays, Partition, PartitionedTable, class_counts, partitioned
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.growth.on_disk import check_can_grow_on_disk
from algorithms.learners.trees.growth.partitioned import tree_from_parts

_READING: Final = 0.4
_JUDGING: Final = 0.4
"""Shares of the progress; the rest is the training on all records."""


@dataclass(frozen=True)
class PartsLearning:
    """How a kind of learner learns from parts: its settings there, the model, and sentences on how it came about.

    ``suited`` raises :class:`ParameterError` for a setting that needs all records in memory.
    """

    suited: Callable[[Any], Learner]
    fit: Callable[[Any, PartitionedTable, RunContext], Model]
    remarks: Callable[[Any], list[str]]


def _suited_tree(learner: C45 | Cart) -> Learner:
    check_can_grow_on_disk(learner)
    return replace(learner, split_search="binned")


def _tree_remarks(learner: C45 | Cart) -> list[str]:
    remarks = [
        f"Each number was cut into at most {learner.bins} ranges of about as many records, and missing values follow "
        "the larger branch."
    ]
    if learner.raises:
        remarks.append("Subtrees were cut but not raised, as that needs all records in memory.")
    return remarks


_TREE: Final = PartsLearning(_suited_tree, tree_from_parts, _tree_remarks)
LEARNS_FROM_PARTS: Final[Mapping[str, PartsLearning]] = {
    C45.id: _TREE,
    Cart.id: _TREE,
    NaiveBayes.id: PartsLearning(suited_naive_bayes, naive_bayes_from_parts, lambda learner: []),
}
"""The learners that learn from parts, by id."""


def parts_learning(learner: Learner) -> PartsLearning:
    """How a learner learns from parts; raises :class:`ParameterError` if it needs all records in memory."""
    if learner.id not in LEARNS_FROM_PARTS:
        *others, last = LEARNS_FROM_PARTS
        raise ParameterError(
            f"{learner.name} needs all records in memory.",
            remedy=f"From files in parts {', '.join(others)} and {last} learn; --append reads files as one table.",
            place="learner",
        )
    return LEARNS_FROM_PARTS[learner.id]


@dataclass(frozen=True, eq=False)
class PartitionedRun:
    """The classifier of all parts (None if the run was finished before) and the result of the held-out ones."""

    trained: TrainedClassifier | None
    result: GroupedResult


def learn_from_files(
    learner: Learner,
    paths: Sequence[Path],
    method: Method,
    context: RunContext,
    *,
    options: ReadOptions | None = None,
    class_name: str | None = None,
    folder: str | Path | None = None,
) -> PartitionedRun:
    """Learn from a table in several files without bringing it together, and evaluate the learner by whole files.

    An early finish keeps the folds that are complete, or the best model so far of the first. Raises
    :class:`DataError`, :class:`ParameterError` and :class:`Cancelled`.
    """
    learning = parts_learning(learner)
    learner = learning.suited(learner)
    if not isinstance(method, Holdout | TrainingSet | CrossValidation):
        raise ParameterError(
            f"{method.name} needs all records in memory.",
            remedy="Evaluate files in parts with holdout, cross-validation or training-set.",
            place="method",
        )
    begin = perf_counter()
    ensure_compiled(kernels_of(learner), context)
    reading = context.child(_READING, 0)
    with partitioned(paths, reading, with_class_named(options, class_name), folder) as table:
        reading.complete()
        largest = max(table.parts, key=lambda part: part.n_records)
        check_learnable(largest.dataset(), learner, context)
        return _judged(learner, learning, table, method, context, perf_counter() - begin)


def _judged(
    learner: Learner,
    learning: PartsLearning,
    table: PartitionedTable,
    method: Holdout | TrainingSet | CrossValidation,
    context: RunContext,
    load: float,
) -> PartitionedRun:
    splits = splits_of_parts(method, [part.n_records for part in table.parts], context.random())
    rows, seconds = list[_TestedRows](), np.zeros(2)
    counts, partial = np.zeros(len(table.schema.classes)), False
    judging = context.child(_JUDGING, 1)
    judging.runs_parts_in_turn = True
    model: Model | None = None
    for number, split in enumerate(splits):
        if rows and context.finishing:
            partial = True
            break
        fold = judging.child(1 / len(splits), number)
        training = table.chosen(split.training)
        start = perf_counter()
        model = learning.fit(learner, training, fold)
        seconds[0] += perf_counter() - start
        partial = partial or model.partial
        if rows and model.partial:
            break
        context.say("Testing the held-out records")
        start = perf_counter()
        rows.append(_tested(model, table.chosen(split.tested), split, context))
        seconds[1] += perf_counter() - start
        (own,) = training.combined(class_counts, None, context)
        counts += own
        context.say("")
        fold.complete()
    judging.complete()
    tests = _TestedRows(*(np.concatenate(arrays) for arrays in zip(*rows, strict=True)))
    trained = None
    if isinstance(method, TrainingSet):
        trained = model
    elif not partial and not context.finishing:
        context.say("Training on all records")
        trained = learning.fit(learner, table, context.child(1 - _READING - _JUDGING, 2))
        context.say("")
    entropy = context.seeds.entropy
    result = GroupedResult(
        learner=learner,
        method=method,
        recipe=(),
        seed=entropy if isinstance(entropy, int) else 0,
        schema=table.schema,
        classes=table.schema.classes,
        row_ids=np.arange(len(tests.truth)),
        repeats=tests.repeats,
        folds=tests.folds,
        truth=tests.truth,
        decision=tests.decision,
        probabilities=tests.probabilities,
        weights=tests.weights,
        baseline_class=int(np.argmax(counts)),
        n_training=table.n_records,
        n_without_class=table.n_without_class,
        test_is_training=isinstance(method, TrainingSet),
        n_folds=len(splits),
        timings=PhaseSeconds(float(seconds[0]), float(seconds[1]), load),
        partial=partial,
        warnings=_remarks(table, method, learning, learner),
        n_tested=int(tests.weights.sum()),
    )
    return PartitionedRun(None if trained is None else _classifier(learner, trained, table), result)


def _remarks(table: PartitionedTable, method: Method, learning: PartsLearning, learner: Learner) -> tuple[str, ...]:
    n = len(table.parts)
    files = (
        f"The {table.n_records:,} records stand in {n:,} file{'s' if n > 1 else ''}, which were learned from in parts"
    )
    held_out = "." if isinstance(method, TrainingSet) else "; whole files were held out."
    return (files + held_out, *learning.remarks(learner))


def _classifier(learner: Learner, model: Model, table: PartitionedTable) -> TrainedClassifier:
    return TrainedClassifier(
        input_schema=table.schema,
        recipe=FittedRecipe(),
        model=model,
        learner=learner,
        data_name=table.origin.file_name,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        reading=table.origin.reading,
    )


# ---- splits ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PartSplit:
    """The numbers of the training parts and of the tested ones."""

    training: tuple[int, ...]
    tested: tuple[int, ...]
    repeat: int = 0
    fold: int = 0


def splits_of_parts(
    method: Holdout | TrainingSet | CrossValidation, sizes: Sequence[int], random: np.random.Generator
) -> list[PartSplit]:
    """The folds of whole parts with these numbers of records; raises :class:`DataError` for too few parts."""
    filled = [number for number, n in enumerate(sizes) if n]
    n = len(filled)
    if not n:
        raise DataError("There is no record with a class.", remedy="Open data with more records.")
    if isinstance(method, TrainingSet):
        return [PartSplit(tuple(filled), tuple(filled))]
    if n < 2:
        raise DataError(
            "A single file cannot be held out from itself.", remedy="Open it as a table, or name several files."
        )
    if isinstance(method, Holdout):
        order = [filled[place] for place in random.permutation(n).tolist()]
        share = np.cumsum([sizes[number] for number in order])[:-1] / sum(sizes)
        n_training = 1 + int(np.argmin(np.abs(share - method.percent / 100)))
        return [PartSplit(tuple(sorted(order[:n_training])), tuple(sorted(order[n_training:])))]
    if n < method.folds:
        raise DataError(
            f"{method.folds} folds of whole files need at least {method.folds} files; there are {n} with records.",
            remedy=f"Choose at most {n} folds, or holdout.",
            place="folds",
        )
    splits = []
    for repeat in range(method.repeats):
        order = [filled[place] for place in random.permutation(n).tolist()]
        for fold in range(method.folds):
            tested = sorted(order[fold :: method.folds])
            training = [number for number in filled if number not in tested]
            splits.append(PartSplit(tuple(training), tuple(tested), repeat, fold))
    return splits


# ---- tests -----------------------------------------------------------------------------------------------------------


class _TestedRows(NamedTuple):
    """Tested records (m): those with equal values in one row, ``weights`` their number."""

    truth: NDArray[np.int32]
    decision: NDArray[np.int32]
    probabilities: FloatArray
    weights: FloatArray
    repeats: NDArray[np.int32]
    folds: NDArray[np.int32]


def _answers(model: Model, part: Partition) -> Arrays:
    """Rows (m, 2 + k) of truth, decision and probabilities, all different, and the number of records of each (m,)."""
    data = part.dataset()
    judged = model.judged(data, RunContext())
    rows = np.column_stack([data.class_codes, judged.decisions, judged.probabilities]).astype(np.float64)
    return grouped(rows, np.ones(len(rows)))


def _joined(total: Arrays, more: Arrays) -> Arrays:
    """The different rows of both."""
    return grouped(np.concatenate([total[0], more[0]]), np.concatenate([total[1], more[1]]))


def grouped(rows: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The different rows (m, c) in ascending order, and the sum of the weights of each (m,)."""
    if not len(rows):
        return rows, weights
    order = np.lexsort(rows.T[::-1])
    rows, weights = rows[order], weights[order]
    first = np.flatnonzero(np.append(True, np.any(rows[1:] != rows[:-1], axis=1)))
    return rows[first], np.add.reduceat(weights, first)


def _tested(model: Model, table: PartitionedTable, split: PartSplit, context: RunContext) -> _TestedRows:
    rows, weights = table.combined(_answers, model, context, _joined)
    m = len(rows)
    number: IntArray = np.ones(m, dtype=np.int32)
    return _TestedRows(
        truth=rows[:, 0].astype(np.int32),
        decision=rows[:, 1].astype(np.int32),
        probabilities=np.ascontiguousarray(rows[:, 2:]),
        weights=weights,
        repeats=number * np.int32(split.repeat),
        folds=number * np.int32(split.fold),
    )
