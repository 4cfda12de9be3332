"""Bringing data under the schema that a model was trained on."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.align import aligned, differences
from algorithms.core.data import STRING, Attribute, Dataset, Kind, Schema, nominal, numeric
from algorithms.core.errors import DataError

TRAINED = Schema(
    (numeric("x"), nominal("colour", ("red", "green")), Attribute("id", Kind.IDENTIFIER), nominal("class", ("a", "b"))),
    3,
)


def given(*columns: tuple[Attribute, object], class_index: int | None = None) -> Dataset:
    return Dataset(Schema(tuple(a for a, _ in columns), class_index), [c for _, c in columns], row_ids=[7, 8])


X = (numeric("x"), [1.0, 2.0])
COLOUR = (nominal("colour", ("red", "green")), [0, 1])


def test_data_of_the_same_schema_is_the_same_data():
    data = Dataset(TRAINED, [[1.0], [0], np.array(["i"], dtype=STRING), [1]])
    assert aligned(TRAINED, data) is data
    assert differences(TRAINED, data) == []


def test_columns_are_found_by_name_and_values_by_label():
    data = given((nominal("colour", ("blue", "green", "red")), [2, 1]), (numeric("extra"), [0.0, 0.0]), X)
    found = aligned(TRAINED, data)
    assert found.schema == TRAINED
    assert found.column("x").tolist() == [1.0, 2.0]
    assert found.column("colour").tolist() == [0, 1]
    assert found.row_ids.tolist() == [7, 8]


def test_an_unseen_value_counts_as_missing_and_is_named():
    data = given(X, (nominal("colour", ("mauve", "red")), [0, 1]))
    assert aligned(TRAINED, data).column("colour").tolist() == [-1, 0]
    sentences = [d.sentence for d in differences(TRAINED, data)]
    assert any("'mauve'" in s and "counts as missing" in s for s in sentences)


def test_a_declared_value_that_no_record_has_is_no_difference():
    data = given(X, (nominal("colour", ("red", "green", "mauve")), [0, 1]))
    assert [d for d in differences(TRAINED, data) if "mauve" in d.sentence] == []


def test_words_serve_where_values_are_needed():
    data = given(X, (Attribute("colour", Kind.TEXT), np.array(["green", np.nan], dtype=STRING)))
    assert aligned(TRAINED, data).column("colour").tolist() == [1, -1]


def test_a_missing_predictor_is_fatal_and_named():
    data = given(COLOUR)
    assert [d.column for d in differences(TRAINED, data) if d.fatal] == ["x"]
    with pytest.raises(DataError, match="Column 'x' is missing"):
        aligned(TRAINED, data)


def test_a_predictor_of_another_kind_is_fatal():
    data = given((nominal("x", ("1", "2")), [0, 1]), COLOUR)
    with pytest.raises(DataError, match="Column 'x' is nominal; the model was trained on numeric"):
        aligned(TRAINED, data)


def test_class_and_identifiers_may_be_absent():
    found = aligned(TRAINED, given(X, COLOUR))
    assert found.column("class").tolist() == [-1, -1]
    assert np.isnan(found.column("id")).all()


def test_an_unseen_class_is_not_counted():
    data = given(X, COLOUR, (nominal("class", ("b", "z")), [0, 1]), class_index=2)
    assert aligned(TRAINED, data).class_codes.tolist() == [1, -1]
    assert any("'z'" in d.sentence and "is not counted" in d.sentence for d in differences(TRAINED, data))


def test_new_columns_are_named():
    data = given(X, COLOUR, (numeric("extra"), [0.0, 0.0]))
    assert [d.sentence for d in differences(TRAINED, data)] == ["Column 'extra' is new and not looked at."]
