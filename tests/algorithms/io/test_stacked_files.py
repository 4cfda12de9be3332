"""Several files of one schema read as one table: columns by name, kinds that take all values, the file as a column."""

from __future__ import annotations

from pathlib import Path

import pytest

from algorithms.core.errors import Cancelled, DataError
from algorithms.core.run_control import RunContext
from algorithms.data.schema import AttributeKind
from algorithms.io.reading import ReadOptions
from algorithms.io.stacking import read_stacked
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


def test_a_column_of_other_kinds_in_some_files_is_said(tmp_path: Path) -> None:
    texts = ["value,class\n1.5,a\n2.5,b\n3.5,a\n", "value,class\nlow,a\nhigh,b\nlow,a\n"]
    assert read_stacked(files(tmp_path, *texts), RunContext()).origin.description == wording.VALUE_IS_NOMINAL
    empty = "value,class\n?,a\n?,b\n?,a\n"
    assert not read_stacked(files(tmp_path, texts[0], empty), RunContext()).origin.description


def test_a_class_of_labels_stays_the_class_where_a_file_has_numbers(tmp_path: Path) -> None:
    texts = ["size,risk\n1.5,0\n2.5,1\n3.5,0\n", "size,risk\n1.5,1\n2.5,1\n4.5,1\n"]
    data = read_stacked(files(tmp_path, *texts), RunContext())
    assert data.schema.class_index == 1 and data.schema.classes == ("0", "1")
    assert cells(data, "risk") == ["0", "1", "0", "1", "1", "1"]


def test_codes_with_leading_zeros_do_not_become_numbers(tmp_path: Path) -> None:
    texts = ["key,class\n007,a\n012,b\n007,a\n012,b\n", "key,class\n100,a\n250,b\n300,b\n100,a\n100,a\n"]
    data = read_stacked(files(tmp_path, *texts), RunContext())
    assert cells(data, "key") == ["007", "012", "007", "012", "100", "250", "300", "100", "100"]


def test_numbers_of_other_units_are_refused_and_a_lacking_unit_is_said(tmp_path: Path) -> None:
    dollars, euros, plain = ("pay,class\n" + "".join(f"{unit}{n},a\n" for n in (10, 12, 15)) for unit in ("$", "€", ""))
    with pytest.raises(DataError) as caught:
        read_stacked(files(tmp_path, dollars, euros), RunContext())
    assert (caught.value.sentence, caught.value.place) == (wording.DOLLARS_AND_EUROS, "pay")
    data = read_stacked(files(tmp_path, dollars, plain), RunContext())
    assert cells(data, "pay") == [10, 12, 15, 10, 12, 15]
    assert data.origin.description.startswith(wording.DOLLARS_AND_NO_UNIT)
    assert read_stacked(files(tmp_path, euros, euros), RunContext()).origin.description.count(wording.UNIT) == 0


def test_weights_of_records_are_kept(tmp_path: Path) -> None:
    head = "@relation r\n@attribute x numeric\n@attribute c {a,b}\n@data\n"
    paths = [
        written(tmp_path, f"{head}1,a,{{2}}\n2,b,{{3}}\n", "may.arff"),
        written(tmp_path, f"{head}3,a\n", "june.arff"),
    ]
    weights = read_stacked(paths, RunContext()).weights
    assert weights is not None and weights.tolist() == [2.0, 3.0, 1.0]


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    paths = [tmp_path / shop / year / "may.csv" for shop, year in (("a", "2023"), ("b", "2023"), ("b", "2024"))]
    for path in paths:
        path.parent.mkdir(parents=True)
        path.write_text(MAY)
    june = written(tmp_path, JUNE, "june.csv")
    data = read_stacked([*paths, june], RunContext(), file_column="file")
    assert cells(data, "file")[::3] == ["a/2023/may.csv", "b/2023/may.csv", "b/2024/may.csv", "june.csv"]


def test_a_file_named_twice_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, MAY, "may.csv")
    (tmp_path / "link.csv").symlink_to(path)
    for other in (path, tmp_path / "." / "may.csv", tmp_path / "link.csv"):
        with pytest.raises(DataError) as caught:
            read_stacked([path, other], RunContext())
        assert caught.value.sentence == wording.MAY_IS_NAMED_TWICE


def test_a_file_without_values_of_a_column_has_no_say_in_its_kind(tmp_path: Path) -> None:
    empty, dates, words = (
        "value,class\n" + "".join(f"{value},ab\n" for value in values)
        for values in ("???", ("2024-01-02", "2024-02-03", "2024-03-05"), ("low", "high", "low"))
    )
    for own, kind in ((dates, AttributeKind.DATE), (words, AttributeKind.NOMINAL)):
        for texts in ((empty, own), (own, empty)):
            data = read_stacked(files(tmp_path, *texts), RunContext())
            assert kinds(data)["value"] is kind and not data.origin.description


def test_values_in_other_orders_are_nominal_and_said(tmp_path: Path) -> None:
    texts = ["size,class\nlow,a\nhigh,b\nlow,a\n", "size,class\nlow,a\nmedium,b\nhigh,a\n"]
    options = ReadOptions(kinds={"size": AttributeKind.ORDINAL})
    data = read_stacked(files(tmp_path, *texts), RunContext(), options)
    assert kinds(data)["size"] is AttributeKind.NOMINAL
    assert data.origin.description == wording.SIZE_IS_NOMINAL
    data = read_stacked(files(tmp_path, texts[1], texts[1]), RunContext(), options)
    assert kinds(data)["size"] is AttributeKind.ORDINAL and not data.origin.description


def test_numbers_of_records_stay_identifiers_beside_numbers(tmp_path: Path) -> None:
    texts = ["user_id,class\n1,a\n2,b\n3,b\n", "user_id,class\n1,a\n1,b\n2,b\n5,a\n"]
    assert kinds(read_stacked(files(tmp_path, *texts), RunContext()))["user_id"] is AttributeKind.IDENTIFIER


def test_a_class_that_is_free_text_in_another_file_is_none(tmp_path: Path) -> None:
    words = "".join(f"1.5,some words {i} of many\n" for i in range(300))
    data = read_stacked(files(tmp_path, "x,y\n1.5,a\n2.5,b\n1.5,a\n", f"x,y\n{words}"), RunContext())
    assert kinds(data)["y"] is AttributeKind.TEXT and data.schema.class_index is None


def test_missing_labels_stay_missing_among_other_labels(tmp_path: Path) -> None:
    texts = ["colour,class\nred,a\n?,b\nblue,a\n", "class,colour\na,green\n?,red\nb,?\n"]
    data = read_stacked(files(tmp_path, *texts), RunContext())
    assert cells(data, "colour") == ["red", None, "blue", "green", "red", None]
    assert cells(data, "class") == ["a", "b", "a", "a", None, "b"]


def test_files_are_read_with_progress_until_stopped(tmp_path: Path) -> None:
    context = RunContext()
    read_stacked(files(tmp_path, MAY, JUNE), context)
    assert context.progress() == 1.0
    context.cancel()
    with pytest.raises(Cancelled):
        read_stacked(files(tmp_path, MAY, JUNE), context)
