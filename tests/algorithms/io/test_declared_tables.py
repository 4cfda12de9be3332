"""C4.5's and Orange's tables have the kinds, values, class and roles that they declare; other texts stay as before."""

from __future__ import annotations

from pathlib import Path

import pytest

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.io.reading import ReadOptions, read
from tests.algorithms.io.helpers import cells, kinds, refused, table, written
from tests.expected_texts import io as wording

NAMES = """| Golf, as C4.5 has it
Play, Don't Play.   | the classes

outlook: sunny, overcast,
         rain.
temp\\: F:   continuous.
wind:      weak, strong
town:      discrete 9.
id:        ignore.
size:      1\\,5, S\\. Ann
"""
DATA = """| records
sunny, 85, weak, Bonn, 1, 1\\,5, Don't Play.
rain, ?, strong, Ulm, 2, S\\. Ann, Play | mild
overcast, 83.5, weak, Bonn, 3, ?, Play.
"""


def c45(
    folder: Path,
    names: str = NAMES,
    data: str = DATA,
    opened: str = "golf.names",
    options: ReadOptions | None = None,
) -> Dataset:
    written(folder, names, "golf.names")
    written(folder, data, "golf.data")
    return read(folder / opened, RunContext(), options)


@pytest.mark.parametrize("opened", ["golf.names", "golf.data"])
def test_names_and_data_are_read_by_either(tmp_path: Path, opened: str) -> None:
    data = c45(tmp_path, opened=opened)
    assert data.schema.names == ("outlook", "temp: F", "wind", "town", "id", "size", "class")
    assert data.schema.attributes[0].values == ("sunny", "overcast", "rain")
    assert data.schema.classes == ("Play", "Don't Play") and cells(data, "class") == ["Don't Play", "Play", "Play"]
    assert cells(data, "temp: F") == [85, None, 83.5] and cells(data, "size") == ["1,5", "S. Ann", None]
    assert cells(data, "town") == ["Bonn", "Ulm", "Bonn"] and kinds(data)["town"] is AttributeKind.NOMINAL
    assert [attribute.name for attribute in data.schema.attributes if not attribute.used] == ["id"]
    assert data.origin.name == "golf"


def test_a_class_may_be_an_attribute_as_in_c5(tmp_path: Path) -> None:
    data = c45(tmp_path, "b.\na: continuous.\nb: x, y.\nc: continuous.\n", "1,x,2\n2,y,3\n")
    assert data.schema.names == ("a", "b", "c") and data.schema.classes == ("x", "y")


def test_only_the_marks_of_c45_are_missing_and_a_given_kind_comes_first(tmp_path: Path) -> None:
    names, records = "NA, b.\nNA: NA, none, big.\nx: continuous.\n", "NA, 1, NA\nN/A, 2, b\n?, 3, NA\nnone, 4, b\n"
    data = c45(tmp_path, names, records)
    assert cells(data, "NA") == ["NA", None, None, "none"] and data.schema.classes == ("NA", "b")
    assert cells(data, "class") == ["NA", "b", "NA", "b"] and cells(data, "x") == [1, 2, 3, 4]
    nominal = c45(tmp_path, names, records, options=ReadOptions(kinds={"x": AttributeKind.NOMINAL}))
    assert cells(nominal, "x") == ["1", "2", "3", "4"]


def test_errors_name_the_record_or_the_line(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        c45(tmp_path, data=DATA.replace("rain,", "snow,"))
    assert wording.UNDECLARED_SNOW in caught.value.sentence and caught.value.place == wording.PLACE_OF_SNOW
    with pytest.raises(DataError) as caught:
        c45(tmp_path, data=DATA.replace(", Bonn, 3", ""))
    assert caught.value.place == wording.PLACE_OF_SHORT_RECORD
    (tmp_path / "golf.data").unlink()
    with pytest.raises(DataError, match=wording.NO_DATA_BESIDE):
        read(tmp_path / "golf.names", RunContext())


def test_a_description_in_prose_beside_the_data_declares_nothing(tmp_path: Path) -> None:
    prose = "1. Title: Iris Plants Database\n\n2. Sources:\n   (a) Creator: R.A. Fisher\n   (b) Date: July, 1988\n"
    written(tmp_path, prose, "iris.names")
    data = read(written(tmp_path, "5.1,setosa\n4.9,setosa\n6.5,virginica\n" * 9, "iris.data"), RunContext())
    assert data.schema.classes == ("setosa", "virginica") and len(data) == 27


ROWS = "1.5\tred\tAnn\t2\tyes\n2.5\tgreen\tBob\t1\tno\n?\tred\tCy\t1\tyes\n"


@pytest.mark.parametrize(
    "head",
    [
        "size\tcolour\tname\tw\tgood\ncontinuous\tgreen red blue\tstring\tc\tdiscrete\n\t\tmeta\tweight\tclass\n",
        "size\tcolour\tname\tw\tgood\nc\tgreen red blue\ts\tc\td\n\t\tm\tw\tc\n",
        "C#size\tD#colour\tmS#name\twC#w\tcD#good\n",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("delimiter", ["\t", ","])
def test_orange_declares_kinds_values_and_roles(tmp_path: Path, head: str, encoding: str, delimiter: str) -> None:
    data = table(tmp_path, (head + ROWS).replace("\t", delimiter).encode(encoding), name="table.tab")
    assert data.schema.names == ("size", "colour", "name", "w", "good") and data.schema.classes == ("no", "yes")
    assert cells(data, "size") == [1.5, 2.5, None] and kinds(data)["name"] is AttributeKind.TEXT
    assert data.weights is not None and data.weights.tolist() == [2, 1, 1]
    if "blue" in head:
        assert data.schema.attributes[1].values == ("green", "red", "blue")
    assert [attribute.used for attribute in data.schema.attributes] == [True, True, False, False, True]
    other = ReadOptions(class_name="colour", kinds={"name": AttributeKind.NOMINAL})
    again = read(tmp_path / "table.tab", RunContext(), other)
    assert again.schema.attributes[again.schema.class_index or 0].name == "colour"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("C#,F#\n1.5,a\n2.5,b\n", ("C#", "F#")),
        ("song,C#minor,key\n1,2,x\n2,3,y\n", ("song", "C#minor", "key")),
        ("a\tb\nc\td\ne\tf\n", ("a", "b")),
        ("x,y\nc,d\n1,2\n3,4\n", ("x", "y")),
        ("x\ty\nlow high\tc\n1\t2\n", ("x", "y")),
    ],
)
def test_an_ordinary_text_is_not_mistaken_for_one_of_orange(tmp_path: Path, text: str, names: tuple[str, ...]) -> None:
    assert table(tmp_path, text, name="table.tab").schema.names == names


def test_numbers_of_orange_may_have_a_decimal_comma(tmp_path: Path) -> None:
    rows = "".join(f"{k},5\t{'ab'[k % 2]}\n" for k in range(30))
    data = table(tmp_path, "C#x\tcD#y\n" + rows, name="table.tab")
    assert cells(data, "x") == [k + 0.5 for k in range(30)] and data.schema.classes == ("a", "b")


@pytest.mark.parametrize(
    "head", ["x\tw\tc\nc\t\td\n\tweight\tclass\n", "C#x\tw#w\tcD#c\n", "x\tw\tc\nc\td\td\n\tw\tclass\n"]
)
def test_weights_of_orange_count_though_they_are_two_integers(tmp_path: Path, head: str) -> None:
    """Integers that recur were nominal, and the weights were dropped without a word."""
    rows = "".join(f"{k / 4}\t{k % 2 + 1}\t{'ab'[k % 2]}\n" for k in range(40))
    data = table(tmp_path, head + rows, name="table.tab")
    assert data.weights is not None and data.weights.tolist() == [1, 2] * 20


@pytest.mark.parametrize("weight", ["?", "-1"])
def test_a_weight_that_is_none_is_refused_with_its_record(tmp_path: Path, weight: str) -> None:
    """All weights were dropped without a word."""
    error = refused(tmp_path, f"C#x\twC#w\n1.5\t2\n2.5\t{weight}\n3.5\t1\n", name="table.tab")
    assert error.sentence == wording.WEIGHT_OF_RECORD_2 and error.place == wording.PLACE_OF_RECORD_2


def test_a_table_that_only_declares_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=wording.NO_RECORDS):
        table(tmp_path, "a\tb\nc\td\n\tclass\n", name="table.tab")
