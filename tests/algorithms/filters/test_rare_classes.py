"""Records of some classes are left out, and their labels with them."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.filters.training_records import without_classes


def table() -> Dataset:
    schema = Schema((numeric("x"), nominal("class", ["a", "b", "c"])), 1)
    return Dataset(schema, [np.arange(6), [0, 1, 2, -1, 2, 0]])


def test_records_and_labels_leave_and_the_others_keep_their_class():
    left = without_classes(table(), ["b"])
    assert left.schema.classes == ("a", "c")
    assert left.row_ids.tolist() == [0, 2, 3, 4, 5]
    assert left.class_codes.tolist() == [0, 1, -1, 1, 0]


def test_two_classes_must_remain():
    with pytest.raises(DataError, match="two classes"):
        without_classes(table(), ["b", "c"])
