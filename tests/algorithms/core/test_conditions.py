"""Conditions on records, as they are built from menus."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.data.columns import STRING
from algorithms.data.conditions import Join, RecordCondition, Relation, matches, matching, relations
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from tests.expected_texts import core as wording


def table() -> Dataset:
    schema = Schema(
        (
            numeric("age"),
            nominal("city", ("Bern", "Paris", "Rome")),
            nominal("level", ("low", "mid", "high"), ordinal=True),
            Attribute("day", AttributeKind.DATE),
            Attribute("note", AttributeKind.TEXT),
        )
    )
    notes = np.array(["Late payer", "good", np.nan, "late", "GOOD"], dtype=STRING)
    days = [0.0, 86400.0, np.nan, 2 * 86400.0, 3 * 86400.0]
    return Dataset(schema, [[17, 18, np.nan, 40, 18.5], [0, 1, 2, -1, 0], [0, 1, 2, -1, 2], days, notes])


@pytest.mark.parametrize(
    ("attribute", "relation", "value", "rows"),
    [
        ("age", Relation.IS, "18", [1]),
        ("age", Relation.IS_NOT, "18", [0, 3, 4]),
        ("age", Relation.LESS, "18", [0]),
        ("age", Relation.AT_MOST, "18", [0, 1]),
        ("age", Relation.AT_LEAST, "18,5", [3, 4]),
        ("age", Relation.MORE, "18", [3, 4]),
        ("age", Relation.MISSING, "", [2]),
        ("age", Relation.PRESENT, "", [0, 1, 3, 4]),
        ("city", Relation.IS, "Bern", [0, 4]),
        ("city", Relation.IS_NOT, "Bern", [1, 2]),
        ("city", Relation.CONTAINS, "R", [0, 1, 2, 4]),
        ("city", Relation.CONTAINS_NOT, "me", [0, 1, 4]),
        ("city", Relation.BEGINS, "p", [1]),
        ("city", Relation.ENDS, "E", [2]),
        ("city", Relation.MISSING, "", [3]),
        ("level", Relation.AT_LEAST, "mid", [1, 2, 4]),
        ("level", Relation.IS, "low", [0]),
        ("day", Relation.MORE, "1970-01-02", [3, 4]),
        ("day", Relation.IS, "1970-01-01", [0]),
        ("note", Relation.IS, "good", [1, 4]),
        ("note", Relation.IS_NOT, "good", [0, 3]),
        ("note", Relation.CONTAINS, "LATE", [0, 3]),
        ("note", Relation.CONTAINS_NOT, "late", [1, 4]),
        ("note", Relation.ENDS, "payer", [0]),
        ("note", Relation.MISSING, "", [2]),
    ],
)
def test_records_that_match(attribute: str, relation: Relation, value: str, rows: list[int]) -> None:
    assert np.flatnonzero(matches(table(), RecordCondition(attribute, relation, value))).tolist() == rows


def test_several_conditions_are_joined_by_all_or_any() -> None:
    both = (RecordCondition("age", Relation.AT_LEAST, "18"), RecordCondition("city", Relation.IS, "Bern"))
    assert np.flatnonzero(matching(table(), both, Join.ALL)).tolist() == [4]
    assert np.flatnonzero(matching(table(), both, Join.ANY)).tolist() == [0, 1, 3, 4]
    assert matching(table(), ()).all()


def test_every_relation_of_a_kind_can_be_asked() -> None:
    data, values = table(), {"age": "1", "city": "Rome", "level": "low", "day": "2024-01-31", "note": "x"}
    for attribute in data.schema.attributes:
        for relation in relations(attribute.kind):
            assert matches(data, RecordCondition(attribute.name, relation, values[attribute.name])).shape == (5,)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (RecordCondition("age", Relation.IS, "old"), wording.NOT_A_NUMBER),
        (RecordCondition("age", Relation.IS, " "), wording.NEEDS_A_VALUE),
        (RecordCondition("age", Relation.BEGINS, "1"), "numeric"),
        (RecordCondition("level", Relation.IS, "top"), wording.HAS_NO_VALUE),
        (RecordCondition("day", Relation.IS, "soon"), wording.NOT_A_DATE),
        (RecordCondition("size", Relation.IS, "1"), wording.NO_COLUMN_NAMED),
    ],
)
def test_what_cannot_be_asked_is_refused_in_words(condition: RecordCondition, words: str) -> None:
    with pytest.raises(DataError, match=words):
        matches(table(), condition)


def test_a_condition_says_itself() -> None:
    assert str(RecordCondition("age", Relation.AT_LEAST, "18")) == wording.AGE_AT_LEAST_18
    assert str(RecordCondition("age", Relation.MISSING, "18")) == wording.AGE_IS_MISSING
