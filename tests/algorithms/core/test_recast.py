"""Changing the kind of an attribute keeps every value, or says which one it cannot keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.core.errors import Cancelled, DataError
from algorithms.data.columns import STRING
from algorithms.data.convert_kind import MAX_VALUES, date_labels, natural_order, number_label, recast, reordered
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from tests.expected_texts import core as wording

NUMBERS = st.lists(st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=40)
LABELS = st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=12, unique=True)


def one_column(attribute: Attribute, values: Any) -> Dataset:
    return Dataset(Schema((attribute,)), [values])


def numbers(values: Sequence[float | None]) -> Dataset:
    return one_column(numeric("x"), [np.nan if v is None else v for v in values])


def texts(values: Sequence[str | None], kind: AttributeKind = AttributeKind.TEXT) -> Dataset:
    return one_column(Attribute("x", kind), np.array([np.nan if v is None else v for v in values], dtype=STRING))


def shown(data: Dataset) -> list[str | None]:
    attribute, column = data.schema.attributes[0], data.column(0)
    if attribute.kind.is_coded:
        return [None if c < 0 else attribute.values[c] for c in column.tolist()]
    return [v if isinstance(v, str) else None for v in column.tolist()]


@settings(max_examples=40, deadline=None)
@given(
    NUMBERS,
    st.sampled_from([AttributeKind.NOMINAL, AttributeKind.ORDINAL, AttributeKind.TEXT, AttributeKind.IDENTIFIER]),
)
def test_numbers_come_back_bit_for_bit(values: list[float | None], through: AttributeKind) -> None:
    data = numbers(values)
    back = recast(recast(data, 0, through), 0, AttributeKind.NUMERIC)
    assert np.array_equal(back.column(0), data.column(0), equal_nan=True)
    assert back.schema == data.schema


@settings(max_examples=40, deadline=None)
@given(LABELS, st.data(), st.sampled_from([AttributeKind.TEXT, AttributeKind.IDENTIFIER, AttributeKind.ORDINAL]))
def test_labels_come_back(labels: list[str], draw: st.DataObject, through: AttributeKind) -> None:
    codes = draw.draw(st.lists(st.integers(-1, len(labels) - 1), min_size=1, max_size=30))
    data = one_column(nominal("x", labels), codes)
    back = recast(recast(data, 0, through), 0, AttributeKind.NOMINAL)
    assert shown(back) == shown(data)
    assert back.schema.attributes[0].kind is AttributeKind.NOMINAL


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(-(10**10), 10**11), min_size=1, max_size=20),
    st.sampled_from([AttributeKind.TEXT, AttributeKind.NOMINAL]),
)
def test_dates_come_back_to_the_second(seconds: list[int], through: AttributeKind) -> None:
    data = one_column(Attribute("x", AttributeKind.DATE), seconds)
    back = recast(recast(data, 0, through), 0, AttributeKind.DATE)
    assert back.column(0).tolist() == seconds


def test_numbers_become_labels_sorted_by_size_in_their_shortest_form() -> None:
    data = recast(numbers([10, 9.5, None, 0.1, 10, -0.0, 0.0]), 0, AttributeKind.NOMINAL)
    assert data.schema.attributes[0].values == ("0", "0.1", "9.5", "10")
    assert shown(data) == ["10", "9.5", None, "0.1", "10", "0", "0"]
    assert data.column(0).dtype == np.int8


def test_text_that_is_no_number_is_named() -> None:
    with pytest.raises(DataError) as error:
        recast(texts(["1", "two", "3", "IV", "two", "1_000", "nan"]), 0, AttributeKind.NUMERIC)
    assert wording.TWO_FOUR_AND_OTHERS in error.value.sentence
    assert error.value.place == "x"
    assert error.value.remedy


def test_decimal_commas_are_read() -> None:
    assert recast(texts(["1,5", "2", "3,25"]), 0, AttributeKind.NUMERIC).column(0).tolist() == [1.5, 2.0, 3.25]


def test_amounts_and_percents_become_numbers_as_they_do_in_a_file() -> None:
    assert recast(texts(["€ 6.554,62", "€ 12"]), 0, AttributeKind.NUMERIC).column(0).tolist() == [6554.62, 12.0]
    percents = recast(one_column(nominal("x", ["2,8 %", "13 %"]), [1, 0, -1]), 0, AttributeKind.NUMERIC).column(0)
    assert percents[:2].tolist() == [13.0, 2.8] and np.isnan(percents[2])


@pytest.mark.parametrize(
    ("labels", "doubt"),
    [
        (["€ 5,50", "$ 6,50"], "several units"),
        (["€ 1,234", "€ 2,500"], "1234 or as 1.234"),
        (["€ 5,50", *(f"€ {i},25" for i in range(9)), "on request"], "on request"),
        (["1e400", "2"], "1e400"),
    ],
)
def test_what_is_not_surely_a_number_is_refused_with_the_reason(labels: list[str], doubt: str) -> None:
    with pytest.raises(DataError, match=doubt):
        recast(texts(labels), 0, AttributeKind.NUMERIC)


def test_only_values_that_occur_must_be_numbers() -> None:
    data = one_column(nominal("x", ["1", "2.5", "other"]), [0, 1, -1])
    column = recast(data, 0, AttributeKind.NUMERIC).column(0)
    assert column[:2].tolist() == [1.0, 2.5] and np.isnan(column[2])


def test_empty_text_is_a_missing_number() -> None:
    column = recast(texts(["1", " ", None, ""]), 0, AttributeKind.NUMERIC).column(0)
    assert column[0] == 1.0 and np.isnan(column[1:]).all()


def test_too_many_different_texts_are_no_categories() -> None:
    many = [f"name {i}" for i in range(MAX_VALUES + 1)]
    with pytest.raises(DataError, match=wording.TOO_MANY_FOR_CATEGORIES):
        recast(texts(many), 0, AttributeKind.NOMINAL)
    with pytest.raises(DataError, match=wording.TOO_MANY_FOR_CATEGORIES):
        recast(numbers(list(range(MAX_VALUES + 1))), 0, AttributeKind.ORDINAL)
    assert len(recast(texts(many[:-1]), 0, AttributeKind.NOMINAL).schema.attributes[0].values) == MAX_VALUES


def test_text_and_identifier_share_their_column() -> None:
    data = texts(["a", "b"])
    assert recast(data, 0, AttributeKind.IDENTIFIER).column(0) is data.column(0)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("10", "9", "-1"), ("-1", "9", "10")),
        (("high", "Low", "medium"), ("Low", "medium", "high")),
        (("Small", "Extra Large", "Large", "Medium"), ("Small", "Medium", "Large", "Extra Large")),
        (("40-59", "6-12", "20-39", "60+"), ("6-12", "20-39", "40-59", "60+")),
        (("60+", "20-59", "<20"), ("<20", "20-59", "60+")),
        (("wed", "mon"), ("mon", "wed")),
        (("red", "blue", "green"), ("red", "blue", "green")),
        ((), ()),
    ],
)
def test_values_are_ranked_as_a_person_expects(given: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert natural_order(given) == expected


def test_an_order_can_be_corrected_and_keeps_every_record() -> None:
    data = one_column(nominal("x", ["a", "b", "c"]), [2, 0, -1, 1])
    ordered = reordered(data, 0, ("c", "a", "b"))
    assert ordered.schema.attributes[0] == nominal("x", ["c", "a", "b"], ordinal=True)
    assert shown(ordered) == ["c", "a", None, "b"]
    with pytest.raises(DataError, match="once"):
        reordered(data, 0, ("a", "b"))


@pytest.mark.parametrize(
    ("written", "first"),
    [
        (["2024-01-31", "1969-12-31"], 1706659200.0),
        (["2024-01-31 12:30", "2024-01-31T12:30:15"], 1706704200.0),
        (["31.01.2024", "01.02.2024"], 1706659200.0),
        (["01/31/2024", "12/25/2023"], 1706659200.0),
        (["31/01/2024", "25/12/2023"], 1706659200.0),
    ],
)
def test_dates_are_read_in_common_forms(written: list[str], first: float) -> None:
    data = recast(texts([*written, None]), 0, AttributeKind.DATE)
    assert data.column(0)[0] == first
    assert np.isnan(data.column(0)[-1])


def test_text_that_is_no_date_is_named() -> None:
    with pytest.raises(DataError, match=wording.AS_DATES_SOON):
        recast(texts(["2024-01-31", "soon"]), 0, AttributeKind.DATE)


def test_dates_that_can_be_read_in_two_ways_are_not_guessed() -> None:
    with pytest.raises(DataError, match=wording.DAY_OR_MONTH_FIRST):
        recast(texts(["04/05/2024", "06/07/2024"]), 0, AttributeKind.DATE)
    assert recast(texts(["05/05/2024"]), 0, AttributeKind.DATE).column(0)[0] == 1714867200.0


def test_dates_are_shown_no_finer_than_needed() -> None:
    assert date_labels(np.array([0.0, 86400.0])).tolist() == ["1970-01-01", "1970-01-02"]
    assert date_labels(np.array([0.0, 61.0])).tolist() == ["1970-01-01T00:00:00", "1970-01-01T00:01:01"]
    assert date_labels(np.array([0.5])).tolist() == ["1970-01-01T00:00:00.500000"]


def test_the_same_kind_is_the_same_data() -> None:
    data = numbers([1, 2])
    assert recast(data, 0, AttributeKind.NUMERIC) is data


def test_rows_that_were_chosen_keep_their_values() -> None:
    data = numbers([5, 6, 7, 8]).take([3, 1])
    assert shown(recast(data, 0, AttributeKind.NOMINAL)) == ["8", "6"]


def test_used_and_class_survive() -> None:
    attribute = Attribute("x", AttributeKind.NUMERIC, used=False)
    data = Dataset(Schema((attribute,), 0), [[1.0, 2.0]])
    changed = recast(data, 0, AttributeKind.NOMINAL)
    assert changed.schema.class_index == 0
    assert changed.schema.attributes[0].used is False


def test_a_long_change_can_be_stopped() -> None:
    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        recast(texts(["a"] * 10), 0, AttributeKind.NOMINAL, stop)


@pytest.mark.parametrize(
    ("number", "label"), [(3.0, "3"), (0.1, "0.1"), (1e300, "1e+300"), (-2.0, "-2"), (1e15, "1000000000000000.0")]
)
def test_numbers_have_a_shortest_label(number: float, label: str) -> None:
    assert number_label(number) == label and float(label) == number
