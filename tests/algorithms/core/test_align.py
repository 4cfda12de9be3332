"""Bringing data under the schema that a model was trained on."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.data.alignment import aligned, differences
from algorithms.data.columns import STRING
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from tests.expected_texts import core as wording

TRAINED = Schema(
    (
        numeric("x"),
        nominal("colour", ("red", "green")),
        Attribute("id", AttributeKind.IDENTIFIER),
        nominal("class", ("a", "b")),
    ),
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
    assert any("'mauve'" in s and wording.COUNTS_AS_MISSING in s for s in sentences)


def test_a_declared_value_that_no_record_has_is_no_difference():
    data = given(X, (nominal("colour", ("red", "green", "mauve")), [0, 1]))
    assert [d for d in differences(TRAINED, data) if "mauve" in d.sentence] == []


def test_words_serve_where_values_are_needed():
    data = given(X, (Attribute("colour", AttributeKind.TEXT), np.array(["green", np.nan], dtype=STRING)))
    assert aligned(TRAINED, data).column("colour").tolist() == [1, -1]


def test_a_missing_predictor_is_fatal_and_named():
    data = given(COLOUR)
    assert [d.column for d in differences(TRAINED, data) if d.fatal] == ["x"]
    with pytest.raises(DataError, match=wording.column_is_missing("x")):
        aligned(TRAINED, data)


def test_of_many_columns_that_do_not_fit_three_are_told_and_the_others_counted():
    schema = Schema((*(numeric(name) for name in "abcde"), nominal("class", ("no", "yes"))), 5)
    with pytest.raises(DataError, match=wording.THREE_MISSING_2_MORE_PATTERN):
        aligned(schema, given(COLOUR))


def test_a_predictor_of_another_kind_is_fatal():
    data = given((nominal("x", ("1", "low")), [0, 1]), COLOUR)
    with pytest.raises(DataError, match=wording.must_hold_numbers("x", "low", 9)):
        aligned(TRAINED, data)
    dates = given((Attribute("x", AttributeKind.DATE), [0.0, 86400.0]), COLOUR)
    with pytest.raises(DataError, match=wording.X_IS_DATE):
        aligned(TRAINED, dates)


def test_the_first_value_that_is_no_number_is_named_among_words_too():
    data = given((Attribute("x", AttributeKind.TEXT), np.array(["1", "viel"], dtype=STRING)), COLOUR)
    with pytest.raises(DataError) as caught:
        aligned(TRAINED, data)
    assert str(caught.value).startswith(wording.must_hold_numbers("x", "viel", 9))
    assert caught.value.remedy == wording.CORRECT_THE_FILE


def test_numbers_that_look_like_categories_are_numbers_to_a_model_that_wants_them():
    data = given((nominal("x", ("0", "10", "none")), [1, -1]), COLOUR)
    assert differences(TRAINED, data) == []
    assert np.array_equal(aligned(TRAINED, data).column("x"), [10.0, np.nan], equal_nan=True)


def test_numbers_kept_as_words_are_numbers_to_a_model_that_wants_them():
    data = given((Attribute("x", AttributeKind.IDENTIFIER), np.array(["1e3", "-2"], dtype=STRING)), COLOUR)
    assert aligned(TRAINED, data).column("x").tolist() == [1000.0, -2.0]


def test_a_column_without_any_value_fits_every_kind():
    data = given((nominal("x", ()), [-1, -1]), (numeric("colour"), [np.nan, np.nan]))
    assert [d for d in differences(TRAINED, data) if d.fatal] == []
    found = aligned(TRAINED, data)
    assert np.isnan(found.column("x")).all()
    assert found.column("colour").tolist() == [-1, -1]


@pytest.mark.parametrize("one", ["1", "1.0"])
def test_codes_that_look_like_numbers_find_their_labels(one: str):
    schema = Schema((nominal("class", ("0", one)), nominal("ward", ("2", "07"))), 0)
    data = given((numeric("class"), [1.0, 1.0]), (numeric("ward"), [7.0, 3.0]), class_index=0)
    found = aligned(schema, data)
    assert found.class_codes.tolist() == [1, 1]
    assert found.column("ward").tolist() == [1, -1]
    assert [d.sentence for d in differences(schema, data)] == [wording.WARD_3_UNSEEN]


def test_a_number_that_two_labels_spell_is_neither():
    schema = Schema((nominal("ward", ("7", "07")),), None)
    assert aligned(schema, given((numeric("ward"), [7.0, 7.5]))).column("ward").tolist() == [0, -1]
    assert aligned(schema, given((nominal("ward", ("7.0", "07")), [0, 1]))).column("ward").tolist() == [-1, 1]


def test_an_identifier_that_looks_like_categories_does_no_harm():
    found = aligned(TRAINED, given(X, COLOUR, (nominal("id", ("p",)), [0, 0])))
    assert len(found) == 2


def test_class_and_identifiers_may_be_absent():
    found = aligned(TRAINED, given(X, COLOUR))
    assert found.column("class").tolist() == [-1, -1]
    assert np.isnan(found.column("id")).all()


def test_an_unseen_class_is_not_counted():
    data = given(X, COLOUR, (nominal("class", ("b", "z")), [0, 1]), class_index=2)
    assert aligned(TRAINED, data).class_codes.tolist() == [1, -1]
    assert any("'z'" in d.sentence and wording.IS_NOT_COUNTED in d.sentence for d in differences(TRAINED, data))


def test_new_columns_are_named():
    data = given(X, COLOUR, (numeric("extra"), [0.0, 0.0]))
    assert [d.sentence for d in differences(TRAINED, data)] == [wording.EXTRA_IS_NEW]
