"""Growing and evaluating a tree on a file larger than memory, which is read in pieces.

One pass surveys the file: its columns and a sample of records, whose numbers define the bins. A second pass writes the
codes of every record to working files, separately for held-out records. Trees grow on those files. Held-out records are
tested by their codes, since numbers with equal codes take the same branches.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError, ParameterError, UnsuitableDataError
from algorithms.core.filters import FittedRecipe
from algorithms.core.learner import Learner
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import STRING, FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.data.summary import summarize
from algorithms.data.whole_file import WholeFile
from algorithms.evaluation.methods.methods import Holdout, TrainingSet
from algorithms.evaluation.result import EvaluationResult, PhaseSeconds
from algorithms.io.text.large_files import survey
from algorithms.io.text.options import ReadOptions
from algorithms.io.text.sampling import sampled, scattered
from algorithms.io.text.surveying import SAMPLE, RecordBlock, Survey
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.growth.binned_growth import Bins, Codes, bins_of, encode, room_for_codes
from algorithms.learners.trees.growth.on_disk import CodedFile, check_can_grow_on_disk, file_bins, lost, model_from_disk
from algorithms.learners.trees.model import TreeModel
from algorithms.text.numbers import percent

MOST_CLASSES: Final = 100

_SURVEYING: Final = 0.3
_CODING: Final = 0.4
_GROWING: Final = 0.15
"""Shares of the progress; the tree is grown twice, for the evaluation and on all records."""


@dataclass(frozen=True, eq=False)
class GroupedResult(EvaluationResult):
    """A result with one row per leaf and true class, weighted by its number of records."""

    n_tested: int = 0

    def __len__(self) -> int:
        return self.n_tested

    @property
    def n_records(self) -> int:
        return self.n_tested

    @property
    def weights_are_counts(self) -> bool:
        return True


@dataclass(frozen=True, eq=False)
class OutOfCoreTree:
    """The tree of all records, the result of the training part's tree, and a sample of the records.

    ``sample`` is chosen by record number; its row ids are the numbers in the file, from 0. ``is_held_out`` (n,) marks
    the held-out records of the sample.
    """

    trained: TrainedClassifier
    result: GroupedResult
    judged_model: TreeModel
    sample: Dataset
    is_held_out: NDArray[np.bool_]
    n_records: int
    whole: WholeFile

    def with_totals(self) -> Dataset:
        """The sample with what is known of the whole file."""
        return sampled(self.sample, self.whole)

    def on_sample(self) -> EvaluationResult:
        """The result on the held-out records of the sample, or on all of it for the training set method."""
        codes = self.sample.class_codes
        chosen = np.flatnonzero((codes >= 0) & (self.is_held_out | self.result.test_is_training))
        data, m = self.sample.take(chosen), len(chosen)
        share = np.average(self.result.right, weights=self.result.weight_array)
        words = (
            f"Tested here on {m:,} of the {self.result.n_tested:,} held-out records. Accuracy on all of them: "
            f"{percent(share)}."
        )
        shared = {field.name: getattr(self.result, field.name) for field in fields(EvaluationResult)}
        own: dict[str, Any] = {
            "row_ids": data.row_ids,
            "repeats": np.zeros(m, dtype=np.int32),
            "folds": np.zeros(m, dtype=np.int32),
            "truth": data.class_codes.astype(np.int32),
            "decision": self.judged_model.predict(data),
            "probabilities": self.judged_model.predict_proba(data),
            "weights": None,
            "warnings": (words, *self.result.warnings),
        }
        return EvaluationResult(**{**shared, **own})


def grow_in_pieces(
    learner: Learner,
    path: str | Path,
    method: Method,
    context: RunContext,
    *,
    options: ReadOptions | None = None,
    class_name: str | None = None,
    sample: int = SAMPLE,
    folder: str | Path | None = None,
) -> OutOfCoreTree:
    """Grow a tree on a text file without loading it, and evaluate it by holdout or on the training set.

    Working files go to a new folder in ``folder`` (default: the system's temporary folder) and are removed. An early
    finish returns the best tree so far, that of the sample if the file was not read to its end. Raises
    :class:`DataError`, :class:`ParameterError` and :class:`Cancelled`.
    """
    check_can_grow_on_disk(learner)
    assert isinstance(learner, C45 | Cart)
    if not isinstance(method, Holdout | TrainingSet):
        raise ParameterError(
            f"{method.name} needs all records in memory.",
            remedy="Evaluate a file in pieces with holdout or training-set.",
            place="method",
        )
    learner = replace(learner, split_search="binned")
    given = with_class_named(options, class_name)
    begin = perf_counter()
    with part_of(context, _SURVEYING, 0) as reading:
        surveyed = survey(path, reading, given, sample)
    check_learnable(surveyed.sample, learner, context)
    with tempfile.TemporaryDirectory(prefix="coppice-", dir=folder, ignore_cleanup_errors=True) as room:
        return _OutOfCoreRun(learner, surveyed, method, context, Path(room), begin).done()


def with_class_named(options: ReadOptions | None, class_name: str | None) -> ReadOptions:
    """The options for reading, with this column as the class, if any is named."""
    given = options or ReadOptions()
    if class_name is None:
        return given
    return replace(given, kinds={**given.kinds, class_name: AttributeKind.NOMINAL}, class_name=class_name)


def check_learnable(sample: Dataset, learner: Learner, context: RunContext) -> None:
    """Raise :class:`DataError` if a table cannot be learned from, by a sample of its records."""
    schema = sample.schema
    if schema.class_index is None:
        raise DataError("No column can be the class.", remedy="Name the column to predict.")
    attribute = schema.class_attribute
    if not attribute.kind.is_coded or len(attribute.values) > MOST_CLASSES:
        n = f"has {len(attribute.values):,} different values" if attribute.kind.is_coded else "is not nominal"
        raise DataError(
            f"The class {attribute.name!r} {n}, which cannot be predicted.",
            remedy="Name another column as the class.",
            place=attribute.name,
        )
    problems = learner.check(summarize(sample, context.checkpoint, counted=False))
    if problems:
        raise UnsuitableDataError(problems[0].sentence, remedy=problems[0].remedy, place=problems[0].column or "")
    if len(np.unique(sample.class_codes[sample.class_codes >= 0])) < 2:
        raise DataError(
            f"All records looked at have the same class {attribute.name!r}: there is nothing to tell apart.",
            remedy="Name another column as the class.",
            place=attribute.name,
        )


class _OutOfCoreRun:
    """Grows and evaluates the trees of one file."""

    def __init__(
        self,
        learner: C45 | Cart,
        surveyed: Survey,
        method: Holdout | TrainingSet,
        context: RunContext,
        folder: Path,
        begin: float,
    ) -> None:
        self.learner, self.survey, self.method, self.context, self.folder = learner, surveyed, method, context, folder
        self.begin, self.schema, self.sample = begin, surveyed.sample.schema, surveyed.sample
        self.predictors = self.schema.predictors
        entropy = context.seeds.entropy
        self.seed = entropy if isinstance(entropy, int) else 0
        self.is_held_out = self.held_out(self.sample.row_ids)
        self.n_without_class = 0
        self.class_index = self.schema.index_of(self.schema.class_attribute.name)

    def held_out(self, numbers: IntArray) -> NDArray[np.bool_]:
        """Mask of the test records by their numbers in the file."""
        if isinstance(self.method, TrainingSet):
            return np.zeros(len(numbers), dtype=np.bool_)
        drawn = scattered(numbers, self.seed + 1) >> np.uint64(11)
        return np.asarray(drawn >= np.uint64(int(self.method.percent / 100 * (1 << 53))))

    def done(self) -> OutOfCoreTree:
        coded = None if self.survey.partial else self._coded()
        self.context.checkpoint()
        loaded = perf_counter()
        if coded is None:
            return self._from_sample(loaded)
        training, tested, bins = coded
        with part_of(self.context, _GROWING, 2) as context:
            judged = model_from_disk(self.learner, training, self.schema, bins, self.folder, context)
        if judged.partial and judged.tree.n_nodes == 1:
            return self._from_sample(loaded)
        grown = perf_counter()
        self.context.say("Testing the held-out records")
        cells = self._cells(judged, (self._decoded(codes, bins) for codes in tested.blocks()))
        result = self._result(judged, cells, training.counts, loaded, grown)
        whole = judged
        if isinstance(self.method, Holdout) and not judged.partial:
            self.context.say("Growing the tree of all records")
            with part_of(self.context, _GROWING, 3) as context:
                everything = training.and_those_of(tested)
                whole = model_from_disk(self.learner, everything, self.schema, bins, self.folder, context)
        return self._grown(judged, whole, result)

    # ---- working files -----------------------------------------------------------------------------------------------

    def _coded(self) -> tuple[CodedFile, CodedFile, Bins] | None:
        """Training and test records as code files, with their bins; None after an early finish."""
        usable = self.sample.class_codes >= 0
        bins = bins_of(self.sample.take(usable & ~self.is_held_out), self.learner.bins, self.context.checkpoint)
        bins = file_bins(bins, self.learner.thresholds)
        code_type = bins.code_type(len(self.schema.classes))
        width = room_for_codes(1, len(self.predictors), code_type).shape[1]
        self._check_room(width * code_type.itemsize)
        paths = (self.folder / "training.codes", self.folder / "held-out.codes")
        counts = np.zeros((2, len(self.schema.classes)))
        with part_of(self.context, _CODING, 1) as context, ExitStack() as opened:
            files = [opened.enter_context(path.open("wb")) for path in paths]
            wanted = tuple(sorted((*self.predictors, self.class_index)))
            for rows in self.survey.rows(context, wanted, self.schema):
                self._write(rows, bins, code_type, files, counts)
            if context.finishing:
                return None
        training = CodedFile((paths[0],), width, code_type, counts[0])
        if isinstance(self.method, TrainingSet):
            return training, training, bins
        tested = CodedFile((paths[1],), width, code_type, counts[1])
        if not tested.n_records or not training.n_records:
            raise DataError(
                "There are too few records to hold some out.", remedy="Open the file as a table: it is small enough."
            )
        return training, tested, bins

    def _check_room(self, row_bytes: int) -> None:
        """Raise :class:`DataError` if the disk has no room for the working files."""
        needed = 2 * self.survey.n_records * row_bytes
        free = shutil.disk_usage(self.folder).free
        if needed > free:
            raise DataError(
                f"Growing a tree from this file needs {needed / 1e9:.1f} GB of room in {self.folder.parent}, "
                f"which has {free / 1e9:.1f} GB.",
                remedy="Make room there, or name a folder with more in the variable TMPDIR.",
                place=str(self.folder.parent),
            )

    def _write(
        self, rows: RecordBlock, bins: Bins, code_type: np.dtype[Any], files: Sequence[BinaryIO], counts: FloatArray
    ) -> None:
        classes = rows.columns[self.class_index]
        held_out, labelled = self.held_out(rows.first + np.arange(rows.n)), classes >= 0
        self.n_without_class += int(np.count_nonzero(~labelled))
        codes = room_for_codes(rows.n, len(self.predictors), code_type)
        columns = [rows.columns[index] for index in self.predictors]
        encode([*columns, np.where(labelled, classes, 0)], bins, codes.T, self.context.checkpoint)
        for part, chosen in enumerate((labelled & ~held_out, labelled & held_out)):
            counts[part] += np.bincount(classes[chosen], minlength=counts.shape[1])
            try:
                files[part].write(codes[chosen].tobytes())
            except OSError as error:
                raise lost(error) from None

    def _decoded(self, codes: Codes, bins: Bins) -> Dataset:
        """Records with the upper bound of each bin as value, which takes the same branches."""
        self.context.checkpoint()
        columns: list[Any] = [np.full(len(codes), np.nan if a.kind.is_float else -1) for a in self.schema.attributes]
        for index, attribute in enumerate(self.schema.attributes):
            if attribute.kind.is_string:
                columns[index] = np.full(len(codes), np.nan, dtype=STRING)
        for place, index in enumerate(self.predictors):
            code = codes[:, place].astype(np.int64)
            missing = code == bins.n_codes[place]
            if self.schema.attributes[index].kind.is_coded:
                columns[index] = np.where(missing, -1, code)
            else:
                columns[index] = np.where(missing, np.nan, np.append(bins.upper[place], np.nan)[code])
        columns[self.class_index] = codes[:, len(self.predictors)].astype(np.int64)
        return Dataset(self.schema, columns)

    # ---- judging -----------------------------------------------------------------------------------------------------

    def _cells(self, model: TreeModel, records: Iterable[Dataset]) -> FloatArray:
        """Number of records of each class that reach each node (m, k)."""
        m, k = model.tree.n_nodes, len(self.schema.classes)
        sums = np.zeros(m * k)
        for data in records:
            reached = model.leaves_of(data).astype(np.int64)
            sums += np.bincount(reached * k + data.class_codes, minlength=m * k)
        return sums.reshape(m, k)

    def _result(
        self, model: TreeModel, cells: FloatArray, trained_on: FloatArray, loaded: float, grown: float
    ) -> GroupedResult:
        leaves, truth = np.nonzero(cells)
        m = len(leaves)
        return GroupedResult(
            learner=self.learner,
            method=self.method,
            recipe=(),
            seed=self.seed,
            schema=self.schema,
            classes=self.schema.classes,
            row_ids=np.arange(m),
            repeats=np.zeros(m, dtype=np.int32),
            folds=np.zeros(m, dtype=np.int32),
            truth=truth.astype(np.int32),
            decision=model.tree.decision[leaves].astype(np.int32),
            probabilities=model.probabilities[leaves],
            weights=cells[leaves, truth],
            baseline_class=int(np.argmax(trained_on)),
            n_training=self.survey.n_records - self.n_without_class,
            n_without_class=self.n_without_class,
            test_is_training=isinstance(self.method, TrainingSet),
            n_folds=1,
            timings=PhaseSeconds(grown - loaded, perf_counter() - grown, loaded - self.begin),
            partial=model.partial or self.survey.partial,
            warnings=self._remarks(),
            n_tested=int(cells.sum()),
        )

    def _remarks(self) -> tuple[str, ...]:
        n = len(self.sample)
        remarks = [
            f"The file was read in pieces; each number was cut into at most {self.learner.bins} ranges, whose ends "
            f"come from {n:,} of its {self.survey.n_records:,} records, and missing values follow the larger branch."
        ]
        if self.learner.raises:
            remarks.append("Subtrees were cut but not raised, as that needs all records in memory.")
        return tuple(remarks)

    def _from_sample(self, loaded: float) -> OutOfCoreTree:
        """The tree of the sample, for a run finished before all records were read."""
        labelled = self.sample.class_codes >= 0
        data, held_out = self.sample.take(labelled), self.is_held_out[labelled]
        context = self.context.child(0.0, 4, finish_forgotten=True)
        context.say("Growing the tree of the records read so far")
        learner = replace(self.learner, split_search="binned")
        training = data.take(~held_out)
        model = learner.fit(training, context)
        assert isinstance(model, TreeModel)
        judged = TreeModel(model.tree, partial=True)
        tested = training if isinstance(self.method, TrainingSet) else data.take(held_out)
        counts = np.bincount(training.class_codes, minlength=len(self.schema.classes)).astype(np.float64)
        result = self._result(judged, self._cells(judged, [tested]), counts, loaded, perf_counter())
        warnings = (f"It is the tree of {len(training):,} records read until then.", *result.warnings)
        return self._grown(judged, judged, replace(result, warnings=warnings))

    def _grown(self, judged: TreeModel, whole: TreeModel, result: GroupedResult) -> OutOfCoreTree:
        trained = TrainedClassifier(
            input_schema=self.schema,
            recipe=FittedRecipe(),
            model=whole,
            learner=self.learner,
            data_name=self.sample.origin.file_name,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        survey = self.survey
        return OutOfCoreTree(trained, result, judged, self.sample, self.is_held_out, survey.n_records, survey.whole)


@contextmanager
def part_of(context: RunContext, weight: float, key: int) -> Iterator[RunContext]:
    """A child context with this share ``weight`` of the progress, completed on exit; ``key`` fixes its seed."""
    part = context.child(weight, key)
    yield part
    part.complete()
