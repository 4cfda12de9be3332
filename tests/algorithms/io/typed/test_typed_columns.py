"""Columns with types become attributes by the rules of text files; values, labels and what is missing are kept."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.core.errors import Cancelled, DataError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.number_formats import PLAIN, NumberFormat
from algorithms.data.schema import AttributeKind
from algorithms.io.column_pieces import MANY_SPELLINGS
from algorithms.io.text.delimited import TextSource
from algorithms.io.text.options import ReadOptions
from algorithms.io.typed_columns import PLAIN_COLUMN, ColumnCells, ColumnDetails, TypedTable
from tests.algorithms.io.helpers import cells, kinds
from tests.expected_texts import io as wording

LEVELS = ColumnDetails({"1": "low", "2": "middle", "3": "high"}, is_ordered=True)


def table_of(
    columns: dict[str, ColumnCells],
    details: dict[str, ColumnDetails] | None = None,
    options: ReadOptions | None = None,
    context: RunContext | None = None,
    numbers: NumberFormat = PLAIN,
) -> Dataset:
    with TextSource("") as source:
        table = TypedTable(source, list(columns), context or RunContext(), options or ReadOptions(), numbers=numbers)
        for name, column in columns.items():
            table.add(column, (details or {}).get(name, PLAIN_COLUMN))
        return table.dataset()


def of_frame(frame: pd.DataFrame, options: ReadOptions | None = None, block: int = 1 << 20) -> Dataset:
    """The table of a frame whose columns are added in blocks; a column of words follows them as class."""
    columns = {name: ColumnCells() for name in frame.columns}
    for start in range(0, len(frame), block):
        for name, column in columns.items():
            column.add_series(frame[name].iloc[start : start + block])
    words = ColumnCells()
    words.add(["yes", "no"] * (len(frame) // 2) + ["yes"] * (len(frame) % 2))
    return table_of({**columns, "class": words}, options=options)


def column_of(
    *blocks: Any, name: str = "x", details: ColumnDetails = PLAIN_COLUMN
) -> tuple[AttributeKind, list[object]]:
    """Kind and cells of a column that is read in these blocks of Python values."""
    column = ColumnCells()
    for block in blocks:
        column.add_series(pd.Series(block, dtype=object))
    n = sum(map(len, blocks))
    last = ColumnCells()
    last.add(["a"] * n)
    data = table_of({name: column, "class": last}, {name: details})
    return data.schema.attributes[0].kind, cells(data, name)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint32", "uint64", "Int64", "UInt8"])
def test_integers_are_numbers(dtype: str) -> None:
    frame = pd.DataFrame({"x": pd.Series([3, 1, 4, 1, 5, 9, 2, 6] * 10, dtype=dtype)})
    data = of_frame(frame)
    assert kinds(data)["x"] is AttributeKind.NUMERIC and cells(data, "x")[:4] == [3.0, 1.0, 4.0, 1.0]


def test_missing_integers_are_missing() -> None:
    data = of_frame(pd.DataFrame({"x": pd.Series([3, None, 4, 9], dtype="Int32")}))
    assert cells(data, "x") == [3.0, None, 4.0, 9.0]


@pytest.mark.parametrize("first", [2**53, -(2**53) - 40, 2**64 - 60])
def test_integers_that_floats_cannot_hold_keep_every_digit(first: int) -> None:
    numbers = [first + number for number in range(40)]
    frame = pd.DataFrame({"x": pd.Series(numbers, dtype="uint64" if first > 2**63 else "int64")})
    data = of_frame(frame)
    assert kinds(data)["x"] is AttributeKind.IDENTIFIER and cells(data, "x") == list(map(str, numbers))


def test_a_late_integer_beyond_floats_makes_earlier_ones_texts_too() -> None:
    numbers = [*range(0, 300, 3), 2**60 + 1]
    data = of_frame(pd.DataFrame({"x": numbers}), block=50)
    assert cells(data, "x") == list(map(str, numbers))


def test_integers_of_sixteen_digits_under_the_name_of_an_identifier_keep_them() -> None:
    numbers = [1234567890123451 + 2 * number for number in range(30)]
    data = of_frame(pd.DataFrame({"id": numbers}))
    assert kinds(data)["id"] is AttributeKind.IDENTIFIER and cells(data, "id") == list(map(str, numbers))


def test_few_distinct_floats_keep_all_their_digits() -> None:
    data = of_frame(pd.DataFrame({"x": [0.1 + 0.2, 1 / 3] * 20}))
    assert kinds(data)["x"] is AttributeKind.NUMERIC and cells(data, "x")[:2] == [0.1 + 0.2, 1 / 3]


def test_two_recurring_integers_are_nominal_and_booleans_too() -> None:
    frame = pd.DataFrame(
        {"x": [0, 1] * 10, "y": [True, False] * 10, "z": pd.Series([True, None] * 10, dtype="boolean")}
    )
    data = of_frame(frame)
    assert {kinds(data)[name] for name in "xyz"} == {AttributeKind.NOMINAL}
    assert cells(data, "x")[:2] == ["0", "1"] and cells(data, "y")[:2] == ["TRUE", "FALSE"]
    assert cells(data, "z")[:2] == ["TRUE", None]


def test_infinite_numbers_are_missing_and_the_table_says_so() -> None:
    data = of_frame(pd.DataFrame({"x": [np.inf, 1.5, -np.inf, 2.5]}))
    assert cells(data, "x") == [None, 1.5, None, 2.5] and "x" in data.origin.description


def test_an_infinite_number_as_text_is_named_too() -> None:
    column = ColumnCells()
    column.add([1.5, "inf", 2.5, 3.5])
    data = table_of({"x": column})
    assert cells(data, "x") == [1.5, None, 2.5, 3.5] and wording.INFINITE_IN_X in data.origin.description


def test_numbers_that_count_the_records_are_an_identifier_unless_a_kind_is_given() -> None:
    frame = pd.DataFrame({"x": range(1, 31), "hours": pd.to_timedelta(range(1, 31), unit="h")})
    assert kinds(of_frame(frame))["x"] is AttributeKind.IDENTIFIER
    data = of_frame(frame, ReadOptions(kinds={"x": AttributeKind.NUMERIC}))
    assert kinds(data)["x"] is kinds(data)["hours"] is AttributeKind.NUMERIC


@pytest.mark.parametrize(("n", "kind"), [(20, AttributeKind.NOMINAL), (21, AttributeKind.NUMERIC)])
def test_a_last_column_of_few_recurring_integers_is_the_class(n: int, kind: AttributeKind) -> None:
    numbers, last = ColumnCells(), ColumnCells()
    numbers.add(np.arange(6.0 * n) / 7)
    last.add(np.tile(np.arange(float(n)), 6))
    assert kinds(table_of({"x": numbers, "y": last}))["y"] is kind


def test_numbers_under_the_name_of_a_code_are_none() -> None:
    frame = pd.DataFrame({"postcode": [10115 + 37 * (k % 30) for k in range(90)]})
    assert kinds(of_frame(frame))["postcode"] is AttributeKind.NOMINAL


def test_numbers_have_a_point_whatever_the_mark_of_the_texts() -> None:
    column = ColumnCells()
    column.add(np.array([1.5, 2.5] * 20))
    data = table_of({"x": column}, numbers=NumberFormat(",", "."))
    assert kinds(data)["x"] is AttributeKind.NUMERIC and cells(data, "x")[:2] == [1.5, 2.5]


def test_dates_are_seconds_in_utc() -> None:
    moments = pd.to_datetime(["2024-02-29 12:00", None, "1969-12-31 23:59:59.5"], format="ISO8601")
    frame = pd.DataFrame({"naive": moments, "berlin": moments.tz_localize("Europe/Berlin")})
    data = of_frame(frame)
    assert kinds(data)["naive"] is AttributeKind.DATE and kinds(data)["berlin"] is AttributeKind.DATE
    assert cells(data, "naive") == [1709208000.0, None, -0.5]
    assert cells(data, "berlin") == [1709208000.0 - 3600, None, -0.5 - 3600]


def test_times_and_durations_are_hours() -> None:
    assert column_of([time(12, 30), "", time(0, 15)])[1] == [12.5, None, 0.25]
    assert column_of([time(1, 0, 4, 500_000)])[1] == [1.00125]
    assert column_of([timedelta(hours=-2, minutes=-5, seconds=-7), timedelta(hours=30), "x"])[1] == [
        "-02:05:07", "30:00:00", "x",
    ]  # fmt: skip
    data = of_frame(pd.DataFrame({"x": pd.to_timedelta(["90min", None, "-1h"])}))
    assert cells(data, "x") == [1.5, None, -1.0] and "x" in data.origin.description


def test_python_values_of_all_kinds() -> None:
    zoned = datetime(2024, 1, 1, 12, tzinfo=UTC)
    assert column_of([date(2024, 1, 1), zoned, None, pd.Timestamp(zoned)])[1] == [
        1704067200.0, 1704110400.0, None, 1704110400.0,
    ]  # fmt: skip
    assert column_of([Decimal("1.25"), 3, np.float32(0.5), None, True and 7.0])[1] == [1.25, 3.0, 0.5, None, 7.0]
    assert column_of([Decimal(10**20), 2**60 + 1])[1] == [str(10**20), str(2**60 + 1)]
    assert column_of([Decimal("NaN"), Decimal("1.5")])[1] == [None, 1.5]
    assert column_of([b"red", "blue", pd.NA, pd.NaT])[1] == ["red", "blue", None, None]
    assert column_of([timedelta(hours=2), pd.Timedelta(hours=1)])[1] == [2.0, 1.0]


def test_small_blocks_of_numbers_are_joined_and_keep_their_values() -> None:
    column, numbers = ColumnCells(), np.arange(40_000.0) ** 1.5
    for start in range(0, len(numbers), 100):
        column.add(numbers[start : start + 100])
    assert len(column.parts) == 1
    column.add(["", "n/a", 1.5])
    column.add(np.array([2.5, np.nan]))
    column.add(np.full(5, np.nan))
    column.add(np.full(3, 0.25))
    column.add_moments(np.array([np.nan]))
    assert cells(table_of({"x": column}), "x") == [
        *numbers.tolist(), None, None, 1.5, 2.5, *[None] * 6, 0.25, 0.25, 0.25, None,
    ]  # fmt: skip


def test_numbers_among_words_keep_their_spellings_whatever_the_block() -> None:
    kind, values = column_of([1, 2, 3], ["x", "y", 2.5], [None, "x", "1"])
    assert kind is AttributeKind.NOMINAL and values == ["1", "2", "3", "x", "y", "2.5", None, "x", "1"]


def test_a_text_and_numbers_that_are_spelled_alike_are_one_value() -> None:
    assert column_of(["1", 1, "x", 0.1 + 0.2, 0.3], ["x"])[1] == ["1", "1", "x", "0.3", "0.3", "x"]


def test_markers_among_numbers_are_missing() -> None:
    kind, values = column_of([1.5, "n/a", 3, "-"], [4, "NULL", 6, 7])
    assert kind is AttributeKind.NUMERIC and values == [1.5, None, 3.0, None, 4.0, None, 6.0, 7.0]


def test_markers_that_occur_are_published() -> None:
    published: list[object] = []
    column = ColumnCells()
    column.add(["red", "NULL", "blue", "none"])
    table_of({"x": column}, context=RunContext(listener=published.append))
    assert published == [ReadOptions(missing=("NULL",))]


def test_markers_are_those_that_the_options_give() -> None:
    column = ColumnCells()
    column.add(["red", "NULL", "blue", "none"])
    assert cells(table_of({"x": column}, options=ReadOptions(missing=("blue",))), "x") == ["red", "NULL", None, "none"]


def test_categories_keep_their_order_and_unused_ones() -> None:
    levels = pd.Categorical(["mid", "low", None, "mid"] * 9, categories=["low", "mid", "high"])
    column = ColumnCells()
    column.add_series(pd.Series(levels))
    labels = {name: name for name in levels.categories}
    for is_ordered, kind in ((False, AttributeKind.NOMINAL), (True, AttributeKind.ORDINAL)):
        again = ColumnCells(list(column.parts), set(column.texts))
        data = table_of({"x": again}, {"x": ColumnDetails(labels, is_ordered)})
        assert data.schema.attributes[0].values == ("low", "mid", "high") and kinds(data)["x"] is kind
        assert cells(data, "x")[:4] == ["mid", "low", None, "mid"]


def test_labels_of_numbers_name_the_values_in_their_order() -> None:
    kind, values = column_of([3, 1, None, 2, 1], details=LEVELS)
    assert kind is AttributeKind.ORDINAL and values == ["high", "low", None, "middle", "low"]


def test_values_without_a_label_stand_among_the_others_as_numbers() -> None:
    column = ColumnCells()
    column.add(np.array([1.0, 2.0, 4.0, 5.0]))
    data = table_of({"x": column}, {"x": ColumnDetails({"1": "never", "5": "always"})})
    assert data.schema.attributes[0].values == ("never", "2", "4", "always")


def test_labels_of_a_few_special_values_make_no_categories() -> None:
    kind, values = column_of([10.5, 20, 99, 35, 47], details=ColumnDetails({"99": "no answer"}))
    assert kind is AttributeKind.NUMERIC and values == [10.5, 20.0, 99.0, 35.0, 47.0]


def test_equal_labels_stay_apart() -> None:
    details = ColumnDetails({"1": "other", "2": "other", "3": ""})
    assert column_of([1, 2, 3, 1], details=details)[1] == ["other (1)", "other (2)", "(3)", "other (1)"]


def test_categories_that_do_not_recur_are_identifiers() -> None:
    names = [f"person {number}" for number in range(100)]
    kind, values = column_of(names, name="who", details=ColumnDetails(dict(zip(names, names, strict=True))))
    assert kind is AttributeKind.IDENTIFIER and values == names


def test_the_kind_that_the_options_give_comes_before_labels() -> None:
    column = ColumnCells()
    column.add(np.array([3.0, 1.0, 2.0]))
    options = ReadOptions(kinds={"x": AttributeKind.NUMERIC})
    assert cells(table_of({"x": column}, {"x": LEVELS}, options), "x") == [3.0, 1.0, 2.0]


def test_very_many_texts_are_kept() -> None:
    texts = [f"text {number}" for number in range(2 * MANY_SPELLINGS + 10)]
    data = of_frame(pd.DataFrame({"x": texts}), block=7000)
    assert kinds(data)["x"] is AttributeKind.IDENTIFIER and cells(data, "x") == texts


def test_a_description_is_kept_and_makes_no_attribute_another() -> None:
    column, plain = ColumnCells(), ColumnCells()
    for each in (column, plain):
        each.add(np.arange(30.0) ** 2)
    data = table_of({"x": column}, {"x": ColumnDetails(description="Length (cm)")})
    assert data.schema.attributes[0].description == "Length (cm)" and data.schema == table_of({"x": plain}).schema


def test_two_columns_of_one_name_are_told_apart() -> None:
    with TextSource("") as source:
        table = TypedTable(source, ["x", "x"], RunContext(), ReadOptions())
        for _ in range(2):
            column = ColumnCells()
            column.add(np.arange(3.0))
            table.add(column)
        assert table.dataset().schema.names == ("x", "x (2)")


def test_a_table_without_records_is_refused() -> None:
    with pytest.raises(DataError) as caught:
        table_of({"x": ColumnCells()})
    assert caught.value.remedy


def test_a_stop_is_heard_while_columns_are_converted() -> None:
    column, context = ColumnCells(), RunContext()
    column.add(np.arange(100.0))
    context.cancel()
    with pytest.raises(Cancelled):
        table_of({"x": column}, context=context)


@given(
    st.lists(st.one_of(st.none(), st.floats(allow_infinity=False, allow_nan=False)), min_size=1, max_size=60),
    st.integers(1, 60),
)
def test_any_floats_come_back_bit_for_bit(numbers: list[float | None], block: int) -> None:
    data = of_frame(
        pd.DataFrame({"x": pd.Series(numbers, dtype=float)}), ReadOptions(kinds={"x": AttributeKind.NUMERIC}), block
    )
    assert cells(data, "x") == numbers


@given(st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)), min_size=1, max_size=60), st.integers(1, 60))
def test_any_integers_come_back_digit_for_digit(numbers: list[int | None], block: int) -> None:
    frame = pd.DataFrame({"x": pd.Series(numbers, dtype="Int64")})
    data = of_frame(frame, ReadOptions(kinds={"x": AttributeKind.TEXT}), block)
    assert cells(data, "x") == [None if number is None else str(number) for number in numbers]


@given(
    st.lists(st.one_of(st.none(), st.text(max_size=5), st.integers(-9, 9), st.booleans()), min_size=1, max_size=40),
    st.integers(1, 40),
)
def test_any_mixture_comes_back_as_spelled(values: list[object], block: int) -> None:
    frame = pd.DataFrame({"x": pd.Series(values, dtype=object)})
    data = of_frame(frame, ReadOptions(missing=(), kinds={"x": AttributeKind.TEXT}), block)
    spelled = [
        str(value).upper() if isinstance(value, bool) else None if value is None else str(value).strip()
        for value in values
    ]
    assert cells(data, "x") == [text or None for text in spelled]


@pytest.mark.parametrize("kind", [None, AttributeKind.NOMINAL, AttributeKind.DATE])
def test_dates_beyond_the_year_9999_are_missing_and_named(kind: AttributeKind | None) -> None:
    """They come from Arrow files, whose dates may have 64 bits; no calendar can write them."""
    when, words = ColumnCells(), ColumnCells()
    when.add_moments(np.array([0.0, 1e17, 86400.0, -1e17, 253402300799.0, np.nan] * 4))
    words.add(["yes", "no"] * 12)
    options = ReadOptions(kinds={} if kind is None else {"when": kind})
    data = table_of({"when": when, "class": words}, options=options)
    column = data.column(0)[:6]
    if kind is AttributeKind.NOMINAL:
        assert data.schema.attributes[0].values[:2] == ("1970-01-01", "1970-01-02")
        assert (column < 0).tolist() == [False, True, False, True, False, True]
    else:
        assert np.array_equal(column, [0.0, np.nan, 86400.0, np.nan, 253402300799.0, np.nan], equal_nan=True)
    assert wording.FAR_DATES_IN_WHEN in data.origin.description
