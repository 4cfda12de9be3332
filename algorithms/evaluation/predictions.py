"""The tested records with what was decided about them, as a table to save."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from algorithms.core.columns import IntArray
from algorithms.core.data import Dataset
from algorithms.core.errors import DataError
from algorithms.core.learner import Codes
from algorithms.core.schema import free_name, nominal, numeric
from algorithms.core.trained import with_decisions
from algorithms.evaluation.result import EvaluationResult

SINGLE_PRECISION: Final = 7
"""So many decimals of a probability are known in a run that was kept by an older program."""
ITSELF: Final = "predicted by the model itself"


def predictions(
    result: EvaluationResult,
    tested: Dataset,
    decisions: Codes | None = None,
    checkpoint: Callable[[], object] = int,
) -> Dataset:
    """The records of ``tested`` that were judged, in the order of repeat and record.

    First comes ``record``, the number that the record has in the table, then the record as it was with its class as
    the last, then the decision, a probability for each class, whether it was right, and the fold (and repeat) in
    which it was judged. ``decisions`` (m,) are those of the tests where it is not decided as the model does: then its
    own are the last column. ``checkpoint``, which may raise, is called between the columns.

    Raises :class:`DataError` where a judged record is not among ``tested``.
    """
    said = result.decision if decisions is None else decisions
    at = _positions(result, tested)
    checkpoint()
    order = np.lexsort((at, result.repeats))
    checkpoint()
    data = _as_table_of_its_own(tested.take(at[order]), checkpoint)
    class_index = data.schema.class_index
    if class_index is not None:
        others = [i for i in range(len(data.schema)) if i != class_index]
        data = data.select_columns([*others, class_index])
    data = data.with_new_column(numeric(free_name("record", data.schema)), result.row_ids[order] + 1.0, at=0)
    probabilities = result.probabilities[order].astype(np.float64)
    if result.probabilities.dtype == np.float32:
        probabilities = np.round(probabilities, SINGLE_PRECISION)
    checkpoint()
    data = with_decisions(data, result.classes, said[order], probabilities)
    checkpoint()
    judged = nominal(free_name("judged", data.schema), ("right", "wrong"))
    data = data.with_new_column(judged, np.where((said == result.truth)[order], 0, 1))
    data = data.with_new_column(numeric(free_name("fold", data.schema)), result.folds[order] + 1.0)
    if np.any(result.repeats != result.repeats[:1]):
        data = data.with_new_column(numeric(free_name("repeat", data.schema)), result.repeats[order] + 1.0)
    if result.weights is not None:
        data = data.with_new_column(numeric(free_name("weight", data.schema)), result.weights[order])
    if decisions is not None:
        itself = nominal(free_name(ITSELF, data.schema), result.classes)
        data = data.with_new_column(itself, result.decision[order])
    return data


def _as_table_of_its_own(data: Dataset, checkpoint: Callable[[], object]) -> Dataset:
    """The data over rows of its own: a record that was judged several times may then have several decisions."""
    columns = []
    for index in range(len(data.schema)):
        checkpoint()
        columns.append(data.column(index))
    return Dataset(data.schema, columns, origin=data.origin)


def _positions(result: EvaluationResult, tested: Dataset) -> IntArray:
    """Where each judged record stands in ``tested``."""
    ids = tested.row_ids
    order = np.argsort(ids, kind="stable")
    at = order[np.searchsorted(ids[order], result.row_ids).clip(max=max(0, len(ids) - 1))] if len(ids) else order
    if len(at) != len(result.row_ids) or not np.array_equal(ids[at], result.row_ids):
        raise DataError(
            "The records that were judged are not in this table.", remedy="Start the run again, then save.", place="run"
        )
    return at
