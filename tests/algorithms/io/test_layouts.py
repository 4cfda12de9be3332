"""How a text table is cut into fields: delimiters, decimal marks, encodings, quotes, headers, missing marks."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from algorithms.core.run_control import RunContext
from algorithms.data.schema import AttributeKind
from algorithms.io.reading import ReadOptions, describe, read, sniff
from algorithms.io.text.delimited import opened
from algorithms.io.text.text_source import TextFile
from tests.algorithms.io.helpers import cells, kinds, table, written
from tests.expected_texts import io as wording


@pytest.mark.parametrize(
    ("content", "delimiter"),
    [
        ("x,y\n1.5,a b\n2,b\n", ","),
        ("x;y\n1.5;a b\n2;b\n", ";"),
        ("x\ty\n1.5\ta b\n2\tb\n", "\t"),
        ("x|y\n1.5|a b\n2|b\n", "|"),
        ("sep=;\nx;y\n1.5;a b\n2;b\n", ";"),
        ('x,y\n1.5,"a b"\n2,"b"\n', ","),
        ("x,y\n1.5,'a b'\n2,'b'\n", ","),
        ("x, y\n1.5, a b\n2, b \n", ","),
        ("x,y\r\n1.5,a b\r\n2,b\r\n", ","),
        ("x,y\r1.5,a b\r2,b\r", ","),
        ("x,y,\n1.5,a b,\n2,b,\n", ","),
        ("x,y\n1.5,a b,\n2,b,\n", ","),
        ("\n\nx,y\n1.5,a b\n\n2,b\n\n", ","),
    ],
)
def test_delimiters_quotes_and_line_ends_are_recognised(tmp_path: Path, content: str, delimiter: str) -> None:
    data = table(tmp_path, content)
    assert data.schema.names == ("x", "y")
    assert cells(data, "x") == [1.5, 2.0]
    assert cells(data, "y") == ["a b", "b"]
    assert sniff(tmp_path / "table.csv").delimiter == delimiter


def test_runs_of_blanks_part_fields(tmp_path: Path) -> None:
    data = table(tmp_path, "x    y\n 1.5  a\n 22   b\n")
    assert cells(data, "x") == [1.5, 22.0]
    assert cells(data, "y") == ["a", "b"]


def test_a_semicolon_in_some_texts_does_not_part_fields(tmp_path: Path) -> None:
    data = table(tmp_path, "n,note\n1,one; two\n2,three\n3,four; five; six\n")
    notes = ["one; two", "three", "four; five; six"]
    assert cells(data, "note") == notes


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("x;y\n1,5;a\n-2,25;b\n", [1.5, -2.25]),
        ("x;y\n1.234,5;a\n2.234.000;b\n", [1234.5, 2234000.0]),
        ('x,y\n"1,234.5",a\n"2,234,000",b\n', [1234.5, 2234000.0]),
        ("x;y\n1.5e3;a\n-2E-2;b\n", [1500.0, -0.02]),
    ],
)
def test_decimal_commas_and_thousands_are_recognised(tmp_path: Path, content: str, expected: list[float]) -> None:
    assert cells(table(tmp_path, content), "x") == expected


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1"])
def test_encodings_are_recognised(tmp_path: Path, encoding: str) -> None:
    data = table(tmp_path, "größe;plätze\nhüben;1,5\ndrüben;2,5\n".encode(encoding))
    assert data.schema.names == ("größe", "plätze")
    assert cells(data, "größe") == ["hüben", "drüben"]
    assert cells(data, "plätze") == [1.5, 2.5]


def test_an_encoding_that_shows_only_far_down_is_recognised(tmp_path: Path) -> None:
    content = b"a,b\n" + b"x,1\n" * 500_000 + "é,2\n".encode("latin-1")
    data = table(tmp_path, content)
    assert len(data) == 500_001
    assert data.schema.attributes[0].values == ("x", "é")


def test_a_packed_file_is_read(tmp_path: Path) -> None:
    data = table(tmp_path, gzip.compress(b"a,b\n1.5,x\n2,y\n"), name="table.csv.gz")
    assert cells(data, "a") == [1.5, 2.0]


def test_a_file_without_names_gets_numbered_ones(tmp_path: Path) -> None:
    data = table(tmp_path, "5.1,3.5,a\n4.9,3.0,b\n")
    assert data.schema.names == ("Column 1", "Column 2", "Column 3")
    assert len(data) == 2


@pytest.mark.parametrize("years", ["1990,1991,1992", "0,1,2"])
def test_numbers_that_count_on_beside_a_word_are_names(tmp_path: Path, years: str) -> None:
    rows = "".join(f"{i}.5,{i * 7 % 5},{i % 3}.25,{'ab'[i % 2]}\n" for i in range(20))
    data = table(tmp_path, f"{years},class\n{rows}")
    assert data.schema.names == (*years.split(","), "class")
    assert len(data) == 20


def test_numbers_beside_a_word_that_comes_again_are_a_record(tmp_path: Path) -> None:
    assert len(table(tmp_path, "1,2,a\n4,9,b\n5,5,a\n3,8,b\n")) == 4


def test_words_above_words_are_names_unless_they_come_again(tmp_path: Path) -> None:
    content = "colour,size\nred,small\nblue,large\n"
    assert table(tmp_path, content).schema.names == ("colour", "size")
    content = "red,small\nblue,large\nred,large\n"
    assert len(table(tmp_path, content)) == 3


def test_names_of_rows_without_a_name_of_their_own_are_a_column(tmp_path: Path) -> None:
    data = table(tmp_path, "a,b\nr1,1.5,x\nr2,2,y\n")
    assert data.schema.names == ("Column 1", "a", "b")


def test_duplicate_names_are_numbered_and_said(tmp_path: Path) -> None:
    data = table(tmp_path, "x,x,y,x\n1,2,a,3\n4,5,b,6\n")
    assert data.schema.names == ("x", "x (2)", "y", "x (3)")
    assert "'x'" in data.origin.description and "'x (2)'" in data.origin.description


@pytest.mark.parametrize("mark", ["", "?", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "#N/A", "<NA>", "\\N"])
def test_missing_marks_are_recognised_in_every_column(tmp_path: Path, mark: str) -> None:
    data = table(tmp_path, f"n,c\n1.5,x\n{mark},y\n2.5,{mark}\n")
    assert cells(data, "n") == [1.5, None, 2.5]
    assert cells(data, "c") == ["x", "y", None]


@pytest.mark.parametrize("mark", ["-", "--", ".", "none", "unknown", "*", "inf"])
def test_a_dash_is_missing_among_numbers_and_a_value_among_words(tmp_path: Path, mark: str) -> None:
    data = table(tmp_path, f"n,c\n1.5,x\n{mark},y\n2.5,{mark}\n")
    assert cells(data, "n") == [1.5, None, 2.5]
    assert cells(data, "c") == ["x", "y", mark]


def test_na_among_country_codes_is_namibia(tmp_path: Path) -> None:
    codes = [a + b for a in "BDEFG" for b in "EKRSX"] + ["NA"]
    data = table(tmp_path, "n,land\n" + "".join(f"{i / 4},{code}\n" for i, code in enumerate(codes * 3)))
    assert "NA" in data.schema.attributes[1].values
    assert not data.missing(1).any()


def test_what_is_recognised_can_be_corrected(tmp_path: Path) -> None:
    content = "a;b\n1,5;x\n-9;y\n"
    assert cells(table(tmp_path, content, ReadOptions(missing=("-9",))), "a") == [1.5, None]
    assert table(tmp_path, content, ReadOptions(header=False)).schema.names == ("Column 1", "Column 2")
    assert cells(table(tmp_path, content, ReadOptions(delimiter="|")), "a;b") == ["1,5;x", "-9;y"]
    assert cells(table(tmp_path, "a,b\n'x',1\n", ReadOptions(quote='"')), "a") == ["'x'"]
    assert table(tmp_path, content, ReadOptions(class_name="a")).schema.class_index == 0
    assert table(tmp_path, content, ReadOptions(class_name="")).schema.class_index is None
    nominal = table(tmp_path, content, ReadOptions(kinds={"a": AttributeKind.NOMINAL}))
    assert kinds(nominal)["a"] is AttributeKind.NOMINAL
    assert cells(nominal, "a") == ["1,5", "-9"]


def test_what_is_recognised_is_said_in_words(tmp_path: Path) -> None:
    path = written(tmp_path, "a;b\n1,5;x\n?;y\n")
    words = describe(sniff(path))
    assert words == wording.RECOGNISED


@pytest.mark.parametrize(
    ("word", "words"),
    [("-", wording.NA_FOR_MISSING), ("z", wording.NA_AND_DASH_FOR_MISSING)],
    ids=["value elsewhere", "never a value"],
)
def test_a_mark_is_said_to_be_missing_where_it_is_so_in_every_column(tmp_path: Path, word: str, words: str) -> None:
    content = f"n,c\n1.5,x\nn/a,{word}\n-,y\n2.5,n/a\n"
    heard: list[object] = []
    data = read(written(tmp_path, content), RunContext(listener=heard.append))
    assert cells(data, "n") == [1.5, None, None, 2.5]
    assert cells(data, "c") == ["x", word, "y", None]
    read_as = [event for event in heard if isinstance(event, ReadOptions)][-1]
    assert describe(sniff(tmp_path / "table.csv")).endswith(f", {words}")
    assert describe(read_as).endswith(f", {words}")


def test_reading_tells_what_it_recognised_and_how_far_it_is(tmp_path: Path) -> None:
    heard: list[object] = []
    context = RunContext(listener=heard.append)
    read(written(tmp_path, "a;b\n1,5;x\n2,5;y\n"), context)
    assert any(isinstance(event, ReadOptions) and event.delimiter == ";" for event in heard)
    assert context.progress() == 1.0


def test_blanks_within_quotes_stay_and_others_go(tmp_path: Path) -> None:
    data = table(tmp_path, 'a,b\n" x ", y \n"a , b" ,z\n')
    assert cells(data, "a") == [" x ", "a , b"]
    assert cells(data, "b") == ["y", "z"]


def test_quotes_may_hold_delimiters_line_ends_and_quotes(tmp_path: Path) -> None:
    data = table(tmp_path, 'a,b\n"x,1\n2",p\n"say ""hi""",q\n5" pipe,p\n')
    assert cells(data, "a") == ["x,1\n2", 'say "hi"', '5" pipe']


def test_short_records_can_be_filled_up_and_long_ones_cut(tmp_path: Path) -> None:
    data = table(tmp_path, "a,b,c\n1.5,2.5,x\n4.5,5.5\n6.5,7.5,y,9\n", ReadOptions(ragged="pad"))
    assert cells(data, "b") == [2.5, 5.5, 7.5]
    assert cells(data, "c") == ["x", None, "y"]


def test_very_many_blanks_between_fields_are_one(tmp_path: Path) -> None:
    """Each was looked at once for every blank before it, which takes hours here."""
    data = table(tmp_path, "a b\n1 x\n2" + " \t" * 500_000 + "y  \n3 x\n")
    assert cells(data, "a") == [1.0, 2.0, 3.0] and cells(data, "b") == ["x", "y", "x"]


class CountedFile(TextFile):
    """A file that counts how often it is read from its beginning."""

    beginnings = 0

    def text(self, encoding: str, *, guessed: bool) -> Iterator[bytes]:
        self.beginnings += 1
        return super().text(encoding, guessed=guessed)


@pytest.mark.parametrize("blank", ["\n", " \t\r\n", "\n \n"])
def test_very_many_blank_lines_are_looked_at_once(tmp_path: Path, blank: str) -> None:
    """The first part of the file was read again, eight times as long, as long as it held but two records."""
    path = written(tmp_path, "a,b\n1,2\n" + blank * 200_000 + "3,4\n")
    with CountedFile(path) as source:
        opening = opened(source, ReadOptions())
    assert source.beginnings == 1
    assert opening.names == ("a", "b")
    assert [list(row) for row in opening.rows] == [["1", "2"], ["3", "4"]]
    assert cells(read(path, RunContext()), "a") == [1.0, 3.0]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("value", ["a" + " " * 2_000_000 + "b", '"a"' + " " * 2_000_000 + "b"])
def test_a_run_of_blanks_inside_a_value_is_passed_once(tmp_path: Path, value: str) -> None:
    content = f"x,y\n{value},1 \n" + "c,2 \n" * 20
    data = table(tmp_path, content)
    assert data.schema.names == ("x", "y")
    assert cells(data, "y")[:2] == ["1", "2"]


def test_the_beginning_of_very_long_lines_is_decoded_once(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b\n" + "\n".join(f"{letter * 3_000_000},{n}" for n, letter in enumerate("xyz")))
    with CountedFile(path) as source:
        opening = opened(source, ReadOptions())
    assert source.beginnings == 1 and opening.names == ("a", "b") and opening.rows[0][0] == "x" * 3_000_000
