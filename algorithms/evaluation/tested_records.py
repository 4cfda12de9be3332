"""Tested records as tables: predictions per record, errors, levels of attributes, cells of the matrix, export."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import pairwise
from math import isfinite, isnan, nan
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError, ModelFileError
from algorithms.core.learner import Codes
from algorithms.core.training import with_decisions
from algorithms.data.columns import Column, FloatArray, IntArray, Mask, missing_mask
from algorithms.data.conditions import RecordCondition, Relation
from algorithms.data.convert_kind import cell_texts
from algorithms.data.dataset import Dataset
from algorithms.data.editing import read_cell
from algorithms.data.schema import MISSING_CODE, Attribute, AttributeKind, Schema, free_name, nominal, numeric
from algorithms.data.sorting import sorted_rows
from algorithms.evaluation.measures.intervals import accuracy_interval
from algorithms.evaluation.result import EvaluationResult, kish
from algorithms.filters.discretize import shortest_between
from algorithms.text.numbers import in_thousands, number, percent, percent_range

Checkpoint = Callable[[], None]
JUDGEMENTS: Final = ("yes", "no", "no in part")
MOST_VALUES: Final = 30
"""The most values of a nominal attribute that have conditions or rows of their own: the most frequent ones."""


class Answer(Enum):
    """Column of a tested record: prediction, its probability, or whether it is correct."""

    SAID = 0
    SURE = 1
    JUDGED = 2


@dataclass(frozen=True, eq=False)
class TestPredictions:
    """The predictions of a run for its u test records.

    ``ids`` (u,) are ascending record ids. ``said`` (u,) is the predicted class code, over repeats the most frequent
    one, ties by probability. ``sure`` (u,) is the mean probability of that class, ``truth`` (u,) the true class.
    ``n_tests`` and ``n_wrong`` (u,) count tests and errors.
    """

    __test__ = False

    classes: tuple[str, ...]
    ids: IntArray
    said: Codes
    truth: Codes
    sure: FloatArray
    n_tests: IntArray
    n_wrong: IntArray

    @classmethod
    def of(cls, result: EvaluationResult, decision: Codes, checkpoint: Checkpoint = lambda: None) -> TestPredictions:
        """Predictions of a run under these decisions (m,)."""
        ids, record = np.unique(result.row_ids, return_inverse=True)
        checkpoint()
        n_tests = np.bincount(record, minlength=len(ids))
        n_wrong = np.bincount(record[decision != result.truth], minlength=len(ids))
        tests = np.arange(len(record))
        decided = np.empty(len(ids), dtype=np.int32)
        if len(ids) == len(record):
            decided[record] = decision
        else:
            decided[:] = _majority(record, decision, result.probabilities[tests, decision], len(result.classes))
        checkpoint()
        truth = np.empty(len(ids), dtype=np.int32)
        truth[record] = result.truth
        sums = np.bincount(record, result.probabilities[tests, decided[record]], minlength=len(ids))
        return cls(result.classes, ids, decided, truth, sums / np.maximum(n_tests, 1), n_tests, n_wrong)

    def places(self, ids: IntArray) -> IntArray:
        """Index of each record id in the arrays, -1 if untested."""
        if not len(self.ids):
            return np.full(len(ids), -1, dtype=np.int64)
        places = np.searchsorted(self.ids, ids).clip(max=len(self.ids) - 1)
        return np.where(self.ids[places] == ids, places, -1)

    def column(self, which: Answer, ids: IntArray) -> tuple[Attribute, Column]:
        """One column for these record ids, with its attribute; missing if untested."""
        places = self.places(ids)
        is_tested = places >= 0
        if which is Answer.SURE:
            return numeric("probability"), np.where(is_tested, self.sure[places], np.nan)
        if which is Answer.SAID:
            return nominal("predicted", self.classes), np.where(is_tested, self.said[places], MISSING_CODE)
        tests, wrong = self.n_tests[places], self.n_wrong[places]
        codes = np.where(wrong == 0, 0, np.where(wrong == tests, 1, 2))
        return nominal("correct", JUDGEMENTS), np.where(is_tested, codes, MISSING_CODE)

    def texts(self, which: Answer, ids: IntArray) -> list[str | None]:
        """One column for these record ids as text; None if untested."""
        places = self.places(ids)
        if which is Answer.SURE:
            shares = np.where(places >= 0, self.sure[places], np.nan)
            return [None if isnan(share) else f"{100 * share:.1f}" for share in shares.tolist()]
        if which is Answer.SAID:
            return [self.classes[self.said[place]] if place >= 0 else None for place in places.tolist()]
        return [self._judged(place) if place >= 0 else None for place in places.tolist()]

    def words(self, which: Answer) -> tuple[str, ...]:
        """Longest possible texts of a column, for its width; empty for numbers."""
        if which is Answer.SURE:
            return ()
        if which is Answer.SAID:
            return self.classes
        most = int(self.n_tests.max(initial=1))
        often = f" in {most} of {most}" if most > 1 else ""
        return tuple(f"{JUDGEMENTS[1]}{often}, actual {name}" for name in self.classes)

    def _judged(self, place: int) -> str:
        tests, wrong = int(self.n_tests[place]), int(self.n_wrong[place])
        if not wrong:
            return JUDGEMENTS[0]
        often = "" if wrong == tests else f" in {wrong} of {tests}"
        return f"{JUDGEMENTS[1]}{often}, actual {self.classes[int(self.truth[place])]}"

    def order(self, which: Answer, ids: IntArray, descending: bool, checkpoint: Checkpoint = lambda: None) -> IntArray:
        """Row order of these record ids by one column, untested records last; errors by their frequency."""
        attribute, column = self.column(which, ids)
        if which is Answer.JUDGED:
            places = self.places(ids)
            share = self.n_wrong[places] / np.maximum(self.n_tests[places], 1)
            attribute, column = numeric("wrong"), np.where(places >= 0, share, np.nan)
        return sorted_rows(Dataset(Schema((attribute,)), [column]), 0, descending, checkpoint)


def _majority(record: IntArray, decision: Codes, own: NDArray[np.floating], k: int) -> IntArray:
    """Most frequent decision of each record (u,) over its tests; ties by probability."""
    cells, where = np.unique(record * k + decision, return_inverse=True)
    votes, sums = np.bincount(where), np.bincount(where, own)
    ordered = cells[np.lexsort((sums, votes, cells // k))]
    is_last = np.append(ordered[1:] // k != ordered[:-1] // k, True)
    most: IntArray = ordered[is_last] % k
    return most


def with_answers(data: Dataset, answers: TestPredictions, run: int) -> Dataset:
    """The records with prediction, probability and correctness of run number ``run`` as columns."""
    ids = data.row_ids
    for which, name in (
        (Answer.SAID, f"run {run} predicted"),
        (Answer.SURE, "probability"),
        (Answer.JUDGED, "correct"),
    ):
        attribute, column = answers.column(which, ids)
        data = data.with_new_column(Attribute(free_name(name, data.schema), attribute.kind, attribute.values), column)
    return data


@dataclass(frozen=True, eq=False)
class RecordPredictions:
    """Last ``decision`` (n,) of each record, -1 if untested; ``wrong`` (n,): at least half of its tests."""

    decision: Codes
    wrong: NDArray[np.bool_]


def tested_rows(result: EvaluationResult, data: Dataset) -> IntArray | None:
    """Row of ``data`` of each test (m,) by record id, -1 if absent; None if all are, as with a test file."""
    if result.method.needs_test_data or not len(data) or not len(result):
        return None
    rows = rows_of_ids(data, result.row_ids)
    return rows if bool((rows >= 0).any()) else None


def rows_of_ids(data: Dataset, wanted: IntArray) -> IntArray:
    """Row of ``data`` of each record id, -1 if absent."""
    n, ids = len(data), data.row_ids
    if not n:
        return np.full(len(wanted), -1, dtype=np.int64)
    order = None if bool((ids[1:] > ids[:-1]).all()) else np.argsort(ids, kind="stable")
    places = np.searchsorted(ids, wanted, sorter=order).clip(max=n - 1)
    rows = places if order is None else order[places]
    return np.where(ids[rows] == wanted, rows, -1)


def judged(result: EvaluationResult, data: Dataset, decisions: Codes | None = None) -> RecordPredictions | None:
    """Predictions for the records of ``data``, by ``decisions`` (m,) if given; None if none was tested."""
    rows = tested_rows(result, data)
    if rows is None:
        return None
    n, is_here = len(data), rows >= 0
    all_said = result.decision if decisions is None else decisions
    rows, decided, right = rows[is_here], all_said[is_here], all_said[is_here] == result.truth[is_here]
    decision = np.full(n, -1, dtype=np.int32)
    decision[rows] = decided
    tests = np.bincount(rows, minlength=n)
    n_wrong = np.bincount(rows[~right], minlength=n)
    return RecordPredictions(decision, (n_wrong > 0) & (2 * n_wrong >= tests))


@dataclass(frozen=True, eq=False)
class CellsOfTests:
    """Table row (of n) and cell of the confusion matrix (of k classes) of each test (m,)."""

    k: int
    n: int
    rows: IntArray
    cells: IntArray
    """Matrix row times k plus matrix column."""
    weights: FloatArray | None

    @classmethod
    def of(cls, result: EvaluationResult, decision: Codes, data: Dataset) -> CellsOfTests | None:
        """Cells of the tests under these decisions (m,); None if no record of ``data`` was tested."""
        rows = tested_rows(result, data)
        if rows is None:
            return None
        k, is_here = len(result.classes), rows >= 0
        cells = result.truth.astype(np.int64) * k + decision
        weights = None if result.weights is None else result.weights[is_here]
        return cls(k, len(data), rows[is_here], cells[is_here], weights)

    def records_in(self, wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mask (n,) of the records with a test in any of the wanted cells (k, k)."""
        mask = np.zeros(self.n, dtype=np.bool_)
        mask[self.rows[wanted.reshape(-1)[self.cells]]] = True
        return mask

    def counts_of(self, mask: NDArray[np.bool_]) -> FloatArray:
        """Confusion matrix (k, k) of the tests of the records in the mask (n,)."""
        chosen = np.flatnonzero(mask[self.rows])
        weights = None if self.weights is None else self.weights[chosen]
        counts = np.bincount(self.cells[chosen], weights=weights, minlength=self.k * self.k)
        return counts.astype(np.float64).reshape(self.k, self.k)


@dataclass(frozen=True, eq=False)
class TestedRecords:
    """True class and weight (n,) of records, -1 and 0 if untested; ``wrong`` (n,) is weight times share wrong."""

    truth: IntArray
    weights: FloatArray
    wrong: FloatArray


def judged_records(
    result: EvaluationResult, data: Dataset, classes: tuple[str, ...], decisions: Codes | None = None
) -> TestedRecords:
    """Tests by row of the tested table, in codes of ``classes``; ``decisions`` (m,) replace the model's own."""
    n, ids = len(data), data.row_ids
    order = np.argsort(ids, kind="stable")
    places = np.searchsorted(ids[order], result.row_ids)
    rows = order[np.minimum(places, max(0, n - 1))] if n else np.zeros(0, dtype=np.int64)
    is_here = np.flatnonzero(ids[rows] == result.row_ids) if n else np.zeros(0, dtype=np.int64)
    rows = rows[is_here]
    code_of = np.array([classes.index(label) if label in classes else -1 for label in result.classes], dtype=np.int64)
    truth = np.full(n, -1, dtype=np.int64)
    truth[rows] = code_of[result.truth[is_here]]
    times = np.bincount(rows, minlength=n)
    wrong = (result.decision if decisions is None else decisions)[is_here] != result.truth[is_here]
    wrong_times = np.bincount(rows, weights=wrong, minlength=n)
    weights = np.zeros(n)
    weights[rows] = result.weight_array[is_here]
    share = np.divide(wrong_times, times, out=np.zeros(n), where=times > 0)
    return TestedRecords(truth, weights, weights * share)


class Share(NamedTuple):
    """A share of ``total`` weight with the effective number of records ``n``, which is their number if unweighted."""

    weight: float
    total: float
    n: float

    @classmethod
    def checked(cls, weight: float, total: float, n: float) -> Share:
        """A share read from a file; raises :class:`ModelFileError` for numbers that are none."""
        share = cls(float(weight), float(total), float(n))
        if not (all(map(isfinite, share)) and 0 <= share.weight <= share.total * (1 + 1e-9) and share.n >= 0):
            raise ModelFileError("The file is damaged: the error rates of a run do not fit together.")
        return share

    @property
    def value(self) -> float:
        """The share; NaN without records."""
        return self.weight / self.total if self.total > 0 else nan

    @property
    def interval(self) -> tuple[float, float] | None:
        """95% interval of Wilson's score method; None without records."""
        return accuracy_interval(min(1.0, max(0.0, self.value)), self.n) if self.total > 0 else None

    def words(self) -> str:
        return percent(self.value if self.total > 0 else None, self.n)

    def interval_words(self) -> str:
        return "" if self.interval is None else percent_range(*self.interval, self.n)

    def to_json(self) -> dict[str, Any]:
        value = self.value
        return {
            "value": None if value != value else value,
            "interval": None if self.interval is None else list(self.interval),
            "n": self.n,
        }


@dataclass(frozen=True, eq=False)
class RecordErrors:
    """The tests of a run, by record of the tested table.

    ``rows`` (r,) are rows of ``data``, ``record`` (t,) the place in ``rows`` of each test, ``tests`` (t,) its place in
    the result. ``wrong`` (r,) is the share of a record's tests that were wrong under the decisions ``decision`` (m,).
    """

    data: Dataset
    result: EvaluationResult
    decision: Codes
    rows: IntArray
    record: IntArray
    tests: IntArray
    wrong: FloatArray

    @classmethod
    def of(cls, result: EvaluationResult, data: Dataset, decision: Codes | None = None) -> RecordErrors:
        """The tests of records of ``data``, which is the test file if the run has one; :class:`DataError` if none."""
        decided = result.decision if decision is None else decision
        places = rows_of_ids(data, result.row_ids)
        tests = np.flatnonzero(places >= 0)
        if not len(tests):
            raise DataError("None of the tested records is in this table.", remedy="Start the run again.", place="run")
        rows, record = np.unique(places[tests], return_inverse=True)
        wrong = np.bincount(record, decided[tests] != result.truth[tests], minlength=len(rows))
        return cls(data, result, decided, rows, record, tests, wrong / np.bincount(record, minlength=len(rows)))

    def __len__(self) -> int:
        return len(self.rows)

    def of_records(self, of_tests: NDArray[Any]) -> FloatArray:
        """Mean (r,) over the tests of each record of a number for each test of the result (m,)."""
        sums = np.bincount(self.record, of_tests[self.tests], minlength=len(self.rows))
        return np.asarray(sums / np.bincount(self.record, minlength=len(self.rows)))

    @cached_property
    def weights(self) -> FloatArray | None:
        """Weights (r,) of the records; None if all count alike."""
        return None if self.result.weights is None else self.of_records(self.result.weights)

    @cached_property
    def truth(self) -> IntArray:
        """Actual class codes (r,)."""
        truth = np.zeros(len(self.rows), dtype=np.int64)
        truth[self.record] = self.result.truth[self.tests]
        return truth

    def share(self, of: FloatArray | Mask, among: Mask | None = None) -> Share:
        """Weighted mean of ``of`` (r,) among some records, with its interval."""
        values = np.asarray(of, dtype=np.float64) if among is None else np.asarray(of, dtype=np.float64)[among]
        if self.weights is None:
            return Share(float(values.sum()), float(len(values)), float(len(values)))
        weights = self.weights if among is None else self.weights[among]
        return Share(float(values @ weights), float(weights.sum()), kish(weights))


@dataclass(frozen=True, eq=False)
class Levels:
    """An attribute cut into levels: ``codes`` (r,) of the records, the last code for all without a level of their own.

    ``conditions`` describe each level. ``cuts`` (for numbers and ordered values) are the conditions "at most" and "more
    than" after each level but the last; else None.
    """

    attribute: Attribute
    codes: NDArray[np.uint8]
    labels: tuple[str, ...]
    conditions: tuple[tuple[RecordCondition, ...], ...]
    cuts: tuple[tuple[RecordCondition, RecordCondition], ...] | None
    has_missing: bool

    @property
    def n_codes(self) -> int:
        return len(self.labels) + 1


def levels_of(attribute: Attribute, column: Column, bins: int) -> Levels:
    """The levels of a column (r,): ranges of numbers, the most frequent values, and missing as the last one."""
    missing = missing_mask(attribute, column)
    make = _ranges if attribute.kind.is_float else _values
    codes, labels, conditions, cuts = make(attribute, column, missing, bins)
    if missing.any():
        codes[missing] = len(labels)
        labels.append("missing")
        conditions.append((RecordCondition(attribute.name, Relation.MISSING),))
    n = len(labels)
    whole = np.where((codes < 0) | (codes > n), n, codes).astype(np.uint8)
    return Levels(attribute, whole, tuple(labels), tuple(conditions), cuts, bool(missing.any()))


_Cuts = tuple[tuple[RecordCondition, RecordCondition], ...] | None
_Parts = tuple[IntArray, list[str], list[tuple[RecordCondition, ...]], _Cuts]


def _ranges(attribute: Attribute, column: Column, missing: Mask, bins: int) -> _Parts:
    """About ``bins`` ranges of equally many numbers, cut at short numbers between values."""
    values = np.sort(column[~missing])
    thresholds: list[float] = []
    texts: list[str] = []
    for place in (len(values) * np.arange(1, bins)) // bins if len(values) else ():
        low = values[place]
        above = np.searchsorted(values, low, side="right")
        if above == len(values):
            break
        if attribute.kind is AttributeKind.DATE:
            text = cell_texts(attribute, values[place : place + 1])[0] or ""
            cut = float(read_cell(attribute, text))  # a text has whole microseconds
        else:
            cut = shortest_between(float(low), float(values[above]))
            text = _exact(cut)
        if not thresholds or cut > thresholds[-1]:
            thresholds.append(cut)
            texts.append(text)
    codes = np.searchsorted(np.array(thresholds), column, side="left")
    at_most = [RecordCondition(attribute.name, Relation.AT_MOST, text) for text in texts]
    more = [RecordCondition(attribute.name, Relation.MORE, text) for text in texts]
    if not texts:
        return codes, ["any value"], [()], ()
    shown = [in_thousands(text) if attribute.kind is AttributeKind.NUMERIC else text for text in texts]
    between = [f"{low} to {high}" for low, high in pairwise(shown)]
    conditions = [(at_most[0],), *zip(more, at_most[1:], strict=False), (more[-1],)]
    labels = [f"at most {shown[0]}", *between, f"more than {shown[-1]}"]
    return codes, labels, list(conditions), tuple(zip(at_most, more, strict=True))


def _exact(value: float) -> str:
    """The shortest text that is read as this number."""
    return number(value) if float(number(value)) == value else repr(value)


def _values(attribute: Attribute, column: Column, missing: Mask, bins: int) -> _Parts:
    """The most frequent values, and for ordered ones with few values the cuts between them."""
    counts = np.bincount(column[~missing].astype(np.int64), minlength=len(attribute.values))
    order = np.argsort(-counts, kind="stable")[:MOST_VALUES]
    shown = sorted(order[counts[order] > 0].tolist())
    code_of = np.full(len(attribute.values) + 1, -1)
    code_of[shown] = np.arange(len(shown))
    labels = [attribute.values[code] for code in shown]
    conditions = [(RecordCondition(attribute.name, Relation.IS, label),) for label in labels]
    cuts: _Cuts = None
    if attribute.kind is AttributeKind.ORDINAL and len(shown) == np.count_nonzero(counts):
        at_most, more = ([RecordCondition(attribute.name, way, label) for label in labels[:-1]] for way in _WAYS)
        cuts = tuple(zip(at_most, more, strict=True))
    return code_of[column], labels, list(conditions), cuts


_WAYS: Final = (Relation.AT_MOST, Relation.MORE)


SINGLE_PRECISION: Final = 7
"""Reliable decimals of a probability in runs saved by older versions."""
ITSELF: Final = "predicted by the default rule"


def predictions(
    result: EvaluationResult, tested: Dataset, decisions: Codes | None = None, checkpoint: Callable[[], object] = int
) -> Dataset:
    """Table of the tested records of ``tested``, by repeat and record.

    Columns: ``record`` (number in the table), the record with its class last, the decision, a probability for each
    class, correctness, fold (and repeat). ``decisions`` (m,) replace the model's own, which then form the last column.
    ``checkpoint`` may raise to stop. Raises :class:`DataError` if a tested record is missing from ``tested``.
    """
    decided = result.decision if decisions is None else decisions
    positions = _positions(result, tested)
    checkpoint()
    order = np.lexsort((positions, result.repeats))
    checkpoint()
    data = _with_own_row_ids(tested.take(positions[order]), checkpoint)
    class_index = data.schema.class_index
    if class_index is not None:
        others = [i for i in range(len(data.schema)) if i != class_index]
        data = data.select_columns([*others, class_index])
    data = data.with_new_column(numeric(free_name("record", data.schema)), result.row_ids[order] + 1.0, at=0)
    probabilities = result.probabilities[order].astype(np.float64)
    if result.probabilities.dtype == np.float32:
        probabilities = np.round(probabilities, SINGLE_PRECISION)
    checkpoint()
    data = with_decisions(data, result.classes, decided[order], probabilities)
    checkpoint()
    judged = nominal(free_name("correct", data.schema), JUDGEMENTS[:2])
    data = data.with_new_column(judged, np.where((decided == result.truth)[order], 0, 1))
    data = data.with_new_column(numeric(free_name("fold", data.schema)), result.folds[order] + 1.0)
    if np.any(result.repeats != result.repeats[:1]):
        data = data.with_new_column(numeric(free_name("repeat", data.schema)), result.repeats[order] + 1.0)
    if result.weights is not None:
        data = data.with_new_column(numeric(free_name("weight", data.schema)), result.weights[order])
    if decisions is not None:
        itself = nominal(free_name(ITSELF, data.schema), result.classes)
        data = data.with_new_column(itself, result.decision[order])
    return data


def _with_own_row_ids(data: Dataset, checkpoint: Callable[[], object]) -> Dataset:
    """A copy with its own row ids, so that repeated records may have different decisions."""
    columns = []
    for index in range(len(data.schema)):
        checkpoint()
        columns.append(data.column(index))
    return Dataset(data.schema, columns, origin=data.origin)


def _positions(result: EvaluationResult, tested: Dataset) -> IntArray:
    """Position of each tested record in ``tested``."""
    ids = tested.row_ids
    order = np.argsort(ids, kind="stable")
    positions = order[np.searchsorted(ids[order], result.row_ids).clip(max=max(0, len(ids) - 1))] if len(ids) else order
    if len(positions) != len(result.row_ids) or not np.array_equal(ids[positions], result.row_ids):
        raise DataError(
            "The tested records are not in this table.", remedy="Start the run again, then save.", place="run"
        )
    return positions
