"""Several files of one schema read as one table: columns by name, kinds that take all values, the file as a column."""

from __future__ import annotations

from pathlib import Path

import pytest

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.schema import AttributeKind
from algorithms.io.reading import read_stacked
from tests.algorithms.io.helpers import cells, kinds, written
from tests.expected_texts import io as wording

MAY = "size,colour,class\n1.5,red,a\n2.5,blue,b\n3.5,red,a\n"
JUNE = "class,size,colour\nc,7,green\na,,red\n"


def files(folder: Path, *texts: str) -> list[Path]:
    return [written(folder, text, f"{name}.csv") for name, text in zip(("may", "june", "july"), texts, strict=False)]


def test_columns_agree_by_name_in_any_order(tmp_path: Path) -> None:
    data = read_stacked(files(tmp_path, MAY, JUNE), RunContext())
    assert data.schema.names == ("size", "colour", "class")
    assert cells(data, "size") == [1.5, 2.5, 3.5, 7.0, None]
    assert cells(data, "colour") == ["red", "blue", "red", "green", "red"]
    assert cells(data, "class") == ["a", "b", "a", "c", "a"]
    assert data.schema.class_index == 2 and not data.origin.description
    assert data.origin.name == wording.MAY_AND_ONE_MORE


def test_the_class_of_the_first_file_is_the_class(tmp_path: Path) -> None:
    data = read_stacked(
        files(tmp_path, "class,size\na,1.5\nb,2.5\na,3.5\n", "size,class\n9.5,c\n8.5,d\n"), RunContext()
    )
    assert data.schema.class_index == 0 and data.schema.classes == ("a", "b", "c", "d")


def test_the_file_of_each_record_is_a_column_if_asked_for(tmp_path: Path) -> None:
    data = read_stacked(files(tmp_path, MAY, JUNE), RunContext(), file_column="month")
    assert cells(data, "month") == ["may.csv"] * 3 + ["june.csv"] * 2
    assert not data.schema.attributes[3].used and data.schema.class_index == 2
    with pytest.raises(DataError):
        read_stacked(files(tmp_path, MAY, JUNE), RunContext(), file_column="size")


def test_a_column_that_a_file_lacks_is_missing_there_and_said(tmp_path: Path) -> None:
    june = "size,colour,shop,class\n4,red,x,b\n5,blue,y,a\n"
    data = read_stacked(files(tmp_path, MAY, june), RunContext())
    assert cells(data, "shop") == [None, None, None, "x", "y"]
    assert data.origin.description == wording.MAY_LACKS_SHOP


def test_a_file_with_other_columns_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        read_stacked(files(tmp_path, MAY, "x,y\n1,2\n3,4\n"), RunContext())
    assert (caught.value.sentence, caught.value.place) == (wording.JUNE_LACKS_COLUMNS, "june.csv")
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("first", "second", "kind", "expected"),
    [
        ("1\n2\n1\n", "1.5\n2.25\n3.5\n", AttributeKind.NUMERIC, [1.0, 2.0, 1.0, 1.5, 2.25, 3.5]),
        (
            "red\nblue\nred\n",
            "green\nred\ngreen\n",
            AttributeKind.NOMINAL,
            ["red", "blue", "red", "green", "red", "green"],
        ),
        ("?\n?\n?\n", "4.5\n2.25\n3.5\n", AttributeKind.NUMERIC, [None, None, None, 4.5, 2.25, 3.5]),
    ],
)
def test_a_column_gets_a_kind_that_takes_all_values(
    tmp_path: Path, first: str, second: str, kind: AttributeKind, expected: list[object]
) -> None:
    texts = ["value,class\n" + "".join(f"{cell},ab\n" for cell in text.split()) for text in (first, second)]
    data = read_stacked(files(tmp_path, *texts), RunContext())
    assert kinds(data)["value"] is kind
    assert cells(data, "value") == expected


def test_numbers_and_words_become_nominal(tmp_path: Path) -> None:
    texts = ["value,class\n1.5,a\n2.5,b\n3.5,a\n", "value,class\nlow,a\nhigh,b\nlow,a\n"]
    data = read_stacked(files(tmp_path, *texts), RunContext())
    assert kinds(data)["value"] is AttributeKind.NOMINAL
    assert cells(data, "value") == ["1.5", "2.5", "3.5", "low", "high", "low"]
