"""What the values of a column are taken for."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.data.schema import AttributeKind
from algorithms.io.column_meaning import sorted_naturally
from algorithms.io.reading import ReadOptions
from tests.algorithms.io.conftest import MANY_BLOCKS
from tests.algorithms.io.helpers import cells, kinds, table
from tests.expected_texts import io as wording


def column(folder: Path, name: str, values: list[str]) -> tuple[AttributeKind, list[object]]:
    """Kind and cells of a column with these values, before another one."""
    data = table(folder, f"{name},other\n" + "".join(f"{value},{i / 8}\n" for i, value in enumerate(values)))
    return data.schema.attributes[0].kind, cells(data, name)


def test_numbers_are_numeric_to_the_last_bit(tmp_path: Path) -> None:
    numbers = np.random.default_rng(1).normal(size=200) * 10.0 ** np.arange(-100, 100)
    kind, found = column(tmp_path, "x", [repr(v) for v in numbers.tolist()])
    assert kind is AttributeKind.NUMERIC
    assert found == numbers.tolist()


def test_two_whole_numbers_are_nominal(tmp_path: Path) -> None:
    assert column(tmp_path, "flag", ["0", "1", "1", "0"]) == (AttributeKind.NOMINAL, ["0", "1", "1", "0"])
    assert column(tmp_path, "sex", ["1", "2"] * 6)[0] is AttributeKind.NOMINAL
    assert column(tmp_path, "length", ["1.5", "2.5"] * 6)[0] is AttributeKind.NUMERIC
    assert column(tmp_path, "rooms", ["1", "2", "3"] * 6)[0] is AttributeKind.NUMERIC


def test_a_few_whole_numbers_are_classes_where_the_class_is_expected(tmp_path: Path) -> None:
    rows = "".join(f"{i % 5},{i / 8},{i % 3}\n" for i in range(60))
    data = table(tmp_path, "rooms,x,quality\n" + rows)
    assert kinds(data) == {"rooms": AttributeKind.NUMERIC, "x": AttributeKind.NUMERIC, "quality": AttributeKind.NOMINAL}
    assert data.schema.class_index == 2
    assert table(tmp_path, "class,x,quality\n" + rows).schema.class_index == 0


def test_codes_with_leading_zeros_keep_them(tmp_path: Path) -> None:
    assert column(tmp_path, "plz", ["01067", "80331", "01067"]) == (AttributeKind.NOMINAL, ["01067", "80331", "01067"])
    kind, found = column(tmp_path, "part", [f"{i:05d}" for i in range(300)])
    assert kind is AttributeKind.IDENTIFIER
    assert found[7] == "00007"


def test_postcodes_are_no_numbers_even_without_leading_zeros(tmp_path: Path) -> None:
    assert column(tmp_path, "zip", ["90210", "10001", "60601", "90210"])[0] is AttributeKind.NOMINAL
    assert column(tmp_path, "home_zip_code", [str(10000 + i * 7 % 50) for i in range(300)])[0] is AttributeKind.NOMINAL


def test_integers_too_long_for_a_float_are_strings(tmp_path: Path) -> None:
    values = [str(12345678901234567890 + i) for i in range(40)]
    assert column(tmp_path, "account", values) == (AttributeKind.IDENTIFIER, values)


def test_identifiers_are_known_by_name_and_distinctness(tmp_path: Path) -> None:
    assert column(tmp_path, "ID", ["1", "2", "3"]) == (AttributeKind.IDENTIFIER, ["1", "2", "3"])
    assert column(tmp_path, "customer_id", [str(i) for i in range(300)])[0] is AttributeKind.IDENTIFIER
    assert column(tmp_path, "customerId", [f"C{i}" for i in range(300)])[0] is AttributeKind.IDENTIFIER
    assert column(tmp_path, "code", [f"X-{i:04d}" for i in range(300)])[0] is AttributeKind.IDENTIFIER
    assert column(tmp_path, "Name", ["human", "python", "salmon"])[0] is AttributeKind.IDENTIFIER
    assert column(tmp_path, "idle", [str(i * 3) for i in range(300)])[0] is AttributeKind.NUMERIC
    assert column(tmp_path, "age", [str(i * 7 % 100) for i in range(300)])[0] is AttributeKind.NUMERIC


def test_long_distinct_strings_are_text(tmp_path: Path) -> None:
    values = [f"the {i}th remark of many about what was seen on that day in the field" for i in range(60)]
    assert column(tmp_path, "remark", values)[0] is AttributeKind.TEXT


def test_recurring_strings_are_nominal_in_sorted_naturally(tmp_path: Path) -> None:
    data = table(tmp_path, "day,x\n" + "".join(f"day {i % 12},{i / 8}\n" for i in range(60)))
    assert data.schema.attributes[0].values == tuple(f"day {i}" for i in range(12))
    assert sorted_naturally(["10", "9.5", "-1", "+1"]) == ("-1", "+1", "9.5", "10")
    assert sorted_naturally(["b", "A", "a", "a10", "a2"]) == sorted_naturally(["a2", "a10", "a", "A", "b"])
    assert sorted_naturally(["b", "A", "a", "a10", "a2"]) == ("A", "a", "a2", "a10", "b")


def test_words_for_true_and_false_are_nominal(tmp_path: Path) -> None:
    assert column(tmp_path, "b", ["true", "false", "true"]) == (AttributeKind.NOMINAL, ["true", "false", "true"])


@pytest.mark.parametrize(
    "values",
    [
        ["2024-01-31", "2023-12-01", "?"],
        ["2024-01-31T00:00:00Z", "2023-12-01 00:00", "NA"],
        ["31.01.2024", "1.12.2023", "-"],
        ["01/31/2024", "12/01/2023", ""],
        ["31/01/2024", "01/12/2023", ""],
        ["2024/01/31", "2023/12/01", ""],
        ["31-Jan-2024", "01-Dec-2023", ""],
    ],
)
def test_dates_are_seconds_since_1970(tmp_path: Path, values: list[str]) -> None:
    kind, found = column(tmp_path, "when", values)
    assert kind is AttributeKind.DATE
    assert found == [
        datetime(2024, 1, 31, tzinfo=UTC).timestamp(),
        datetime(2023, 12, 1, tzinfo=UTC).timestamp(),
        None,
    ]


def test_dates_that_can_be_read_in_two_ways_stay_words(tmp_path: Path) -> None:
    assert column(tmp_path, "when", ["01/02/2024", "03/04/2024"])[0] is AttributeKind.NOMINAL


def test_a_column_without_any_value_is_numeric_and_missing(tmp_path: Path) -> None:
    assert column(tmp_path, "nothing", ["?", "", "NA"]) == (AttributeKind.NUMERIC, [None, None, None])


@pytest.mark.parametrize(
    ("late", "first"),
    [("oops", "1.0"), ("007", "1.0"), ("12345678901234567890", "1.0"), ("1e5x", "001.50e1"), ("oops", "+2.50")],
)
def test_a_number_column_that_turns_out_to_hold_words_keeps_every_spelling(
    tmp_path: Path, late: str, first: str, small_blocks: int
) -> None:
    n = small_blocks * MANY_BLOCKS // len("1.50,a\n")
    spelled = [first, *(f"{i % 90 + 1}.50" for i in range(n)), late]
    data = table(tmp_path, "x,c\n" + "".join(f"{value},a\n" for value in spelled))
    found = cells(data, "x")
    assert data.schema.attributes[0].kind is AttributeKind.NOMINAL
    assert found[:3] == [first, "1.50", "2.50"]
    assert found[-2:] == [spelled[-2], late]


def test_words_that_first_seem_few_may_become_many(tmp_path: Path) -> None:
    n = 60_000
    rows = "".join(f"{'a' if i < 1000 else f'w{i}'},{i % 7 if i < 1000 else i + 0.25},{i % 2}\n" for i in range(n))
    data = table(tmp_path, "word,number,c\n" + rows)
    assert data.schema.attributes[0].kind is AttributeKind.IDENTIFIER
    assert data.schema.attributes[1].kind is AttributeKind.NUMERIC
    assert cells(data, "word")[-1] == f"w{n - 1}"
    assert data.column(1)[-1] == n - 1 + 0.25
    assert data.column(1)[6] == 6.0


def test_a_column_empty_for_long_is_what_its_late_values_are(tmp_path: Path, small_blocks: int) -> None:
    n = small_blocks * MANY_BLOCKS // len(",x\n")
    rows = "".join(f"{'' if i < n else i % 2},x\n" for i in range(n + n // 4))
    data = table(tmp_path, "late,c\n" + rows)
    assert data.schema.attributes[0].kind is AttributeKind.NOMINAL
    assert data.schema.attributes[0].values == ("0", "1")
    assert np.count_nonzero(data.missing(0)) == n


@pytest.mark.parametrize("name", ["", "row", "Unnamed: 0", "index"])
def test_a_column_that_only_counts_the_records_is_an_identifier(tmp_path: Path, name: str) -> None:
    rows = "".join(f"{i},{i % 7}.5,{'ab'[i % 2]}\n" for i in range(3000))
    data = table(tmp_path, f"{name},x,class\n{rows}")
    assert [a.kind for a in data.schema.attributes] == [
        AttributeKind.IDENTIFIER,
        AttributeKind.NUMERIC,
        AttributeKind.NOMINAL,
    ]
    assert data.column(0)[2999] == "2999"


def test_whole_numbers_that_each_record_has_once_number_the_records_whatever_their_name(tmp_path: Path) -> None:
    for numbers in (
        [100_000 + i for i in range(2000)],
        [100_000 + i * 7 % 2000 for i in range(2000)],
        [100_000 + i + i // 10 for i in range(2000)],
        list(range(20)),
    ):
        kind, found = column(tmp_path, "Vertrag", [str(i) for i in numbers])
        assert kind is AttributeKind.IDENTIFIER
        assert found == [str(i) for i in numbers]


def test_numbers_in_order_are_numbers_where_they_are_few_or_wide_apart_or_recur(tmp_path: Path) -> None:
    rows = "".join(f"{2 * i},{i % 7}.5,{'ab'[i % 2]}\n" for i in range(60))
    assert table(tmp_path, "minutes,x,class\n" + rows).schema.attributes[0].kind is AttributeKind.NUMERIC
    assert table(tmp_path, rows, ReadOptions(header=False)).schema.attributes[0].kind is AttributeKind.NUMERIC
    uneven = [*range(59), 88]
    assert column(tmp_path, "row", [str(i) for i in uneven])[0] is AttributeKind.NUMERIC
    for numbers in (range(19), [*range(40), 39], [i / 2 for i in range(41)], [*range(0, 50, 2), *range(1, 49, 2), 90]):
        assert column(tmp_path, "minutes", [str(i) for i in numbers])[0] is AttributeKind.NUMERIC


@pytest.mark.parametrize("n", [300, 60_000])
def test_a_value_that_keeps_a_column_from_being_numeric_is_named_with_its_line_and_a_remedy(
    tmp_path: Path, n: int
) -> None:
    values = [f"{i * 7919 % 100_003 / 8:.3f}" for i in range(n)]
    values[n - 5] = values[n - 3] = "viel"
    values[n - 2] = "?"
    rows = "".join(f"{v},{i % 7}.5,{'ab'[i % 2]}\n" for i, v in enumerate(values))
    data = table(tmp_path, "Alter,x,class\n" + rows)
    assert data.schema.attributes[0].kind is not AttributeKind.NUMERIC
    told = data.origin.description
    assert wording.alter_is_not_numeric(data.schema.attributes[0].kind.value, n - 1) in told
    assert wording.first_of_them(n - 3) in told
    assert wording.MARKS_FOR_MISSING in told
    mended = table(tmp_path, "Alter,x,class\n" + rows, ReadOptions(missing=("?", "viel")))
    assert mended.schema.attributes[0].kind is AttributeKind.NUMERIC
    assert mended.origin.description == ""


def test_a_decimal_comma_that_begins_late_is_told(tmp_path: Path) -> None:
    rows = "".join(f"{i / 4 if i < 20_000 else str(i / 4).replace('.', ',')};{'ab'[i % 2]}\n" for i in range(30_000))
    told = table(tmp_path, "x;class\n" + rows).origin.description
    assert wording.DECIMAL_COMMA_FROM_LINE in told
    assert wording.OTHER_DECIMAL_MARK in told


def test_a_column_of_codes_or_of_few_numbers_beside_words_is_not_called_spoiled(tmp_path: Path) -> None:
    doors = [("2", "3", "4", "5more")[i % 4] for i in range(400)]
    articles = [f"{20000 + i}{'A' if i % 3 else ''}" for i in range(400)]
    rows = "".join(
        f"{door},{article},{i % 7}.5\n" for i, (door, article) in enumerate(zip(doors, articles, strict=True))
    )
    assert table(tmp_path, "doors,article,x\n" + rows).origin.description == ""


def test_a_typeset_minus_is_a_minus(tmp_path: Path) -> None:
    values = [f"{i - 200.5}".replace("-", "\N{MINUS SIGN}") for i in range(400)]
    kind, found = column(tmp_path, "x", values)
    assert kind is AttributeKind.NUMERIC
    assert found == [i - 200.5 for i in range(400)]
    assert column(tmp_path, "x", ["1.5", "\N{MINUS SIGN}2e\N{MINUS SIGN}1", "3"])[1] == [1.5, -0.2, 3.0]


def test_a_kind_that_is_given_is_obeyed_or_refused_in_words(tmp_path: Path) -> None:
    content = "a,b,c\n1,x,2024-01-31\n2,y,2024-02-01\n3,x,\n"
    given = {"a": AttributeKind.NOMINAL, "b": AttributeKind.TEXT, "c": AttributeKind.IDENTIFIER}
    data = table(tmp_path, content, ReadOptions(kinds=given))
    assert kinds(data) == given
    assert cells(data, "c") == ["2024-01-31", "2024-02-01", None]
    sizes = table(tmp_path, "s,n\nsmall,1\nlarge,2\nmedium,3\n", ReadOptions(kinds={"s": AttributeKind.ORDINAL}))
    assert sizes.schema.attributes[0].values == ("small", "medium", "large")
    for name, kind in (("b", AttributeKind.NUMERIC), ("b", AttributeKind.DATE)):
        with pytest.raises(DataError) as caught:
            table(tmp_path, content, ReadOptions(kinds={name: kind}))
        assert caught.value.place == "b"


def test_infinite_numbers_count_as_missing_and_that_is_said(tmp_path: Path) -> None:
    words = ("inf", "-inf", "Inf", "-Infinity", "1e999", "+inf")
    rows = [f"{i * 1.25},{words[i % 6] if i in (7, 31, 33) else i * 0.5},{'ab'[i % 2]}" for i in range(60)]
    data = table(tmp_path, "x,y,c\n" + "\n".join(rows))
    assert np.flatnonzero(data.missing(1)).tolist() == [7, 31, 33]
    assert data.origin.description == wording.INFINITE_IN_Y
    few = table(tmp_path, "x,c\n" + "".join(f"{(1, 2.5, 'inf')[i % 3]},{'ab'[i % 2]}\n" for i in range(60)))
    assert few.schema.attributes[0].kind is AttributeKind.NUMERIC
    assert few.origin.description == wording.INFINITE_IN_X


def test_infinite_numbers_among_words_are_words(tmp_path: Path) -> None:
    data = table(tmp_path, "x,c\n" + "".join(f"{('low', 'high', 'inf')[i % 3]},{'ab'[i % 2]}\n" for i in range(60)))
    assert data.schema.attributes[0].values == ("high", "inf", "low")
    assert data.origin.description == ""


def test_columns_with_the_same_values_are_told_apart_by_their_names(tmp_path: Path) -> None:
    names = ["size", "id", "length", "class", "zip", "no"]
    rows = "".join(",".join([str(i % 4)] * len(names)) + ",1.5\n" for i in range(16))
    assert list(kinds(table(tmp_path, ",".join(names) + ",last\n" + rows)).values())[:5] == [
        AttributeKind.NUMERIC,
        AttributeKind.NUMERIC,
        AttributeKind.NUMERIC,
        AttributeKind.NOMINAL,
        AttributeKind.NOMINAL,
    ]
    rows = "".join(",".join([str(7 * i)] * len(names)) + ",1.5\n" for i in range(9))
    assert list(kinds(table(tmp_path, ",".join(names) + ",last\n" + rows)).values())[:3] == [
        AttributeKind.NUMERIC,
        AttributeKind.IDENTIFIER,
        AttributeKind.NUMERIC,
    ]


def letters(last: str = "d") -> str:
    rows = "".join(f"{'AB'[i % 2]},{i % 5},{i % 4},{i % 7 - 1}\n" for i in range(60))
    return f"letter,b,c,{last}\n" + rows


def test_a_last_column_like_its_neighbours_is_numeric_beside_a_nominal_first_one(tmp_path: Path) -> None:
    data = table(tmp_path, letters())
    assert list(kinds(data).values()) == [AttributeKind.NOMINAL, *[AttributeKind.NUMERIC] * 3]
    assert cells(data, "d")[:8] == [-1, 0, 1, 2, 3, 4, 5, -1]
    assert data.schema.class_attribute.name == "letter"


def test_a_last_column_of_few_integers_stays_nominal_where_it_differs_from_its_neighbours(tmp_path: Path) -> None:
    assert kinds(table(tmp_path, letters("class")))["class"] is AttributeKind.NOMINAL
    assert kinds(table(tmp_path, letters("zip")))["zip"] is AttributeKind.NOMINAL
    measured = letters().replace(",3,", ",3.25,")
    assert kinds(table(tmp_path, measured))["d"] is AttributeKind.NOMINAL


def test_a_last_column_is_no_class_by_position_where_another_class_is_given(tmp_path: Path) -> None:
    content = "a,b,c\n" + "".join(f"{i / 8},{'xy'[i % 2]},{i % 3}\n" for i in range(30))
    assert kinds(table(tmp_path, content))["c"] is AttributeKind.NOMINAL
    given = table(tmp_path, content, ReadOptions(class_name="b"))
    assert kinds(given)["c"] is AttributeKind.NUMERIC and given.schema.class_attribute.name == "b"


def test_columns_alike_keep_their_own_order_of_values(tmp_path: Path) -> None:
    data = table(tmp_path, "a,b,c\nx,y,1.5\ny,x,2.5\nx,y,1.5\ny,x,2.5\n")
    assert cells(data, "a") == ["x", "y", "x", "y"] and cells(data, "b") == ["y", "x", "y", "x"]


def test_a_value_of_the_last_character_of_unicode_is_a_value(tmp_path: Path) -> None:
    last = "\U0010ffff"
    assert cells(table(tmp_path, f"a,b\n{last},1.5\nx,2.5\n{last * 2},3.5\n"), "a") == [last, "x", last * 2]
