"""What a run said of each record it tested, to stand beside the record: the class, how sure it was, whether right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from math import isnan
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import Column, FloatArray, IntArray
from algorithms.core.data import Dataset
from algorithms.core.learner import Codes
from algorithms.core.ordering import sorted_rows
from algorithms.core.schema import MISSING_CODE, Attribute, Schema, free_name, nominal, numeric
from algorithms.evaluation.result import EvaluationResult

Checkpoint = Callable[[], None]
JUDGEMENTS: Final = ("right", "wrong", "wrong in part")


class Answer(Enum):
    """What there is to know of a record that was tested."""

    SAID = 0
    SURE = 1
    JUDGED = 2


def _nothing() -> None:
    pass


@dataclass(frozen=True, eq=False)
class Answers:
    """What a run said of the u records that it tested.

    ``ids`` (u,) are the records' ids, ascending. ``said`` (u,) is the class code; of several tests the class said most
    often, of equals the one that was surest. ``sure`` (u,) is the probability of that class, the mean of the tests.
    ``truth`` (u,) is what the record was. ``n_tests`` and ``n_wrong`` (u,) say how often a record was tested, and how
    often what was said of it was wrong.
    """

    classes: tuple[str, ...]
    ids: IntArray
    said: Codes
    truth: Codes
    sure: FloatArray
    n_tests: IntArray
    n_wrong: IntArray

    @classmethod
    def of(cls, result: EvaluationResult, decision: Codes, checkpoint: Checkpoint = _nothing) -> Answers:
        """Of a run under these decisions (m,)."""
        ids, record = np.unique(result.row_ids, return_inverse=True)
        checkpoint()
        n_tests = np.bincount(record, minlength=len(ids))
        n_wrong = np.bincount(record[decision != result.truth], minlength=len(ids))
        tests = np.arange(len(record))
        said = np.empty(len(ids), dtype=np.int32)
        if len(ids) == len(record):
            said[record] = decision
        else:
            said[:] = _most_said(record, decision, result.probabilities[tests, decision], len(result.classes))
        checkpoint()
        truth = np.empty(len(ids), dtype=np.int32)
        truth[record] = result.truth
        sums = np.bincount(record, result.probabilities[tests, said[record]], minlength=len(ids))
        return cls(result.classes, ids, said, truth, sums / np.maximum(n_tests, 1), n_tests, n_wrong)

    def places(self, ids: IntArray) -> IntArray:
        """Where records with these ids stand in the arrays, -1 for one that was not tested."""
        if not len(self.ids):
            return np.full(len(ids), -1, dtype=np.int64)
        at = np.searchsorted(self.ids, ids).clip(max=len(self.ids) - 1)
        return np.where(self.ids[at] == ids, at, -1)

    def column(self, which: Answer, ids: IntArray) -> tuple[Attribute, Column]:
        """What is known of the records with these ids, as a column and what it is; missing where one was not tested."""
        at = self.places(ids)
        known = at >= 0
        if which is Answer.SURE:
            return numeric("probability"), np.where(known, self.sure[at], np.nan)
        if which is Answer.SAID:
            return nominal("said", self.classes), np.where(known, self.said[at], MISSING_CODE)
        tests, wrong = self.n_tests[at], self.n_wrong[at]
        codes = np.where(wrong == 0, 0, np.where(wrong == tests, 1, 2))
        return nominal("judged", JUDGEMENTS), np.where(known, codes, MISSING_CODE)

    def texts(self, which: Answer, ids: IntArray) -> list[str | None]:
        """How it is written for the records with these ids; None where one was not tested."""
        at = self.places(ids)
        if which is Answer.SURE:
            shares = np.where(at >= 0, self.sure[at], np.nan)
            return [None if isnan(share) else f"{100 * share:.1f}" for share in shares.tolist()]
        if which is Answer.SAID:
            return [self.classes[self.said[place]] if place >= 0 else None for place in at.tolist()]
        return [self._judged(place) if place >= 0 else None for place in at.tolist()]

    def words(self, which: Answer) -> tuple[str, ...]:
        """The longest there may be of what is written, of each class; numbers are all alike, so none of them."""
        if which is Answer.SURE:
            return ()
        if which is Answer.SAID:
            return self.classes
        most = int(self.n_tests.max(initial=1))
        often = f" {most} of {most}" if most > 1 else ""
        return tuple(f"wrong{often}, is {name}" for name in self.classes)

    def _judged(self, place: int) -> str:
        tests, wrong = int(self.n_tests[place]), int(self.n_wrong[place])
        if not wrong:
            return JUDGEMENTS[0]
        often = "" if wrong == tests else f" {wrong} of {tests}"
        return f"wrong{often}, is {self.classes[int(self.truth[place])]}"

    def order(self, which: Answer, ids: IntArray, descending: bool, checkpoint: Checkpoint = _nothing) -> IntArray:
        """The rows of the records with these ids by what is known of them, untested ones last; the more often
        something was wrong, the more it counts."""
        attribute, column = self.column(which, ids)
        if which is Answer.JUDGED:
            at = self.places(ids)
            share = self.n_wrong[at] / np.maximum(self.n_tests[at], 1)
            attribute, column = numeric("wrong"), np.where(at >= 0, share, np.nan)
        return sorted_rows(Dataset(Schema((attribute,)), [column]), 0, descending, checkpoint)


def _most_said(record: IntArray, decision: Codes, own: NDArray[np.floating], k: int) -> IntArray:
    """The class decided most often for each record (u,) over its tests; of equals, the one that was surest."""
    cells, where = np.unique(record * k + decision, return_inverse=True)
    votes, sums = np.bincount(where), np.bincount(where, own)
    ordered = cells[np.lexsort((sums, votes, cells // k))]
    is_last = np.append(ordered[1:] // k != ordered[:-1] // k, True)
    found: IntArray = ordered[is_last] % k
    return found


def with_answers(data: Dataset, answers: Answers, run: int) -> Dataset:
    """The records with what run number ``run`` said of them, how probable it thought that, and whether it was right."""
    ids = data.row_ids
    for which, name in ((Answer.SAID, f"run {run} said"), (Answer.SURE, "probability"), (Answer.JUDGED, "judged")):
        attribute, column = answers.column(which, ids)
        data = data.with_new_column(Attribute(free_name(name, data.schema), attribute.kind, attribute.values), column)
    return data
