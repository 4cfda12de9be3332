"""Any text is a table or is refused in a sentence: nothing that a library raises comes through."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from algorithms.core.errors import CoppiceError, DataError
from algorithms.core.run_control import RunContext
from algorithms.data.schema import AttributeKind
from algorithms.io.column_pieces import CodePiece, Storage
from algorithms.io.reading import read, sniff
from algorithms.io.text.delimited import read_text
from algorithms.io.text.layout_recognition import TextLayout
from algorithms.io.text.options import ReadOptions
from algorithms.io.text.parsing import ParsingPlan, parse
from algorithms.io.text.text_source import TextBlock
from tests.algorithms.io.helpers import cells, kinds, refused, table
from tests.expected_texts import core as core_wording
from tests.expected_texts import io as wording

PIECES = (
    *("a", "b", "é", "1", "2", "-", '"', '"', "'", ",", ",", ";", "\t", " ", "\n", "\n", "\n", "\r", "\r\n", "|", ":"),
    *(".", "%", "€", "{", "}", "NA", "1,000", "1.5", "2.000,5", "\ud800", "9" * 20, "9" * 4400, "2020-01-01"),
    *("12.03.2021", "sep=", "\\", "\\ud800", "@data\n", "@attribute a ", "@relation r\n", "numeric\n", "{a,b}\n"),
    *("date 'yyyy yyyy'\n", "string\n", "?", "TRUE", "inf", "\x1f", "\ufeff", "\u2028", "\x85", "(", "€ 1", "2 %"),
)
WORDS = st.lists(st.sampled_from(PIECES), min_size=3, max_size=12, unique=True)
TEXTS = WORDS.flatmap(lambda words: st.lists(st.sampled_from(words), max_size=60)).map("".join)
TABLES = st.tuples(WORDS, st.sampled_from(",;\t| "), st.integers(2, 20)).flatmap(
    lambda drawn: st.lists(
        st.lists(st.sampled_from(drawn[0]), min_size=3, max_size=3).map(drawn[1].join), min_size=2, max_size=drawn[2]
    ).map("\n".join)
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.one_of(TEXTS, TABLES), name=st.sampled_from(["table.csv", "table.arff"]))
def test_any_text_is_read_or_refused_in_a_sentence(tmp_path: Path, text: str, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    for attempt in (
        lambda: read(path, RunContext()),
        lambda: sniff(path),
        lambda: read_text(text, RunContext()),
    ):
        try:
            attempt()
        except CoppiceError as error:
            assert error.sentence.endswith(".")


@pytest.mark.parametrize("content", ["a,b\n1,2\r3,4\n", "a,b\r1,2\n3,4\n", "a,b\r\n1,2\r3,4\r\n", "a,b\n1,2\n3,4\r"])
def test_a_carriage_return_alone_ends_a_record_among_line_feeds(tmp_path: Path, content: str) -> None:
    assert cells(table(tmp_path, content), "b") == [2.0, 4.0]
    assert cells(read_text(content, RunContext()), "a") == [1.0, 3.0]


def test_a_carriage_return_within_quotes_stays_in_the_value(tmp_path: Path) -> None:
    data = table(tmp_path, 'a,b\n1,"x\ry"\n2,z\r3,z\n')
    assert cells(data, "b") == ["x\ry", "z", "z"]


def test_the_line_of_a_fault_counts_every_line_end(tmp_path: Path) -> None:
    assert refused(tmp_path, "a,b\n1,2\r3,4\n5\n6,7\n").place == core_wording.at_line("table.csv", 4)


@pytest.mark.parametrize("name", ["table.csv", "table.arff"])
def test_an_integer_of_thousands_of_digits_is_a_code(tmp_path: Path, name: str) -> None:
    long = "9" * 5000
    records = f"{long},x\n1,y\n"
    header = "a,b\n" if name.endswith("csv") else "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n"
    data = table(tmp_path, header + records, name=name)
    assert kinds(data)["a"] is not AttributeKind.NUMERIC
    assert cells(data, "a") == [long, "1"]


def test_labels_with_thousands_of_digits_stand_in_their_order(tmp_path: Path) -> None:
    long = "9" * 5000
    data = table(tmp_path, f"a,b\nday {long},1.5\nday 10,2.5\nday 2,3.5\nday 10,1\n")
    assert data.schema.attributes[0].values == ("day 2", "day 10", f"day {long}")


def test_a_delimiter_that_is_no_ascii_character_is_refused_in_its_line(tmp_path: Path) -> None:
    error = refused(tmp_path, "sep=é\naéb\n1é2\n3é4\n")
    assert error.place == core_wording.at_line("table.csv", 1)
    assert "'é'" in error.sentence
    assert "'::'" in refused(tmp_path, "a::b\n1::2\n", ReadOptions(delimiter="::")).sentence
    assert "both" in refused(tmp_path, "a,b\n1,2\n", ReadOptions(quote=",")).sentence


@pytest.mark.parametrize("encoding", ["hex", "rot13", "no-such", "a\0b"])
def test_a_codec_that_is_none_of_text_is_refused(tmp_path: Path, encoding: str) -> None:
    assert "encoding" in refused(tmp_path, "a,b\n1,2\n", ReadOptions(encoding=encoding)).sentence


def test_half_a_character_is_no_text_in_the_encoding(tmp_path: Path) -> None:
    assert "encoding utf-7" in refused(tmp_path, b"a,b\n1,+2AA-\n2,x\n", ReadOptions(encoding="utf-7")).sentence


def test_a_block_of_truth_values_in_a_column_of_numbers_is_not_ones_and_zeros() -> None:
    layout = TextLayout("utf-8", ",", '"', ".", "", True, False, ("a", "b"))
    plan = ParsingPlan(layout, (Storage.NUMBERS, Storage.CODES), ("",), "refuse", "table.csv")
    parsed = parse(TextBlock(0, 1, b"TRUE,x\nFALSE,y\n"), plan)
    assert parsed.misfits == {0}
    assert isinstance(parsed.pieces[0], CodePiece)
    assert sorted(parsed.pieces[0].spellings) == ["FALSE", "TRUE"]


def test_escapes_of_half_characters_in_arff_are_text_that_can_be_written(tmp_path: Path) -> None:
    header = "@relation r\n@attribute a string\n@attribute b {x,'\\ud83d\\ude00'}\n@data\n"
    data = table(tmp_path, header + "'\\ud800z',x\n'w','\\ud83d\\ude00'\n", name="table.arff")
    assert cells(data, "a") == ["\ufffdz", "w"]
    assert cells(data, "b") == ["x", "\U0001f600"]


def test_a_return_within_a_name_with_a_stray_quote_is_no_error_of_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "table.txt"
    path.write_bytes(b'{"a"= 0, "clas\r9= "x"}\n{"a"= 1, "class"= ,y"}\n{"a"= 2, "class"= "x"}\n')
    with pytest.raises(DataError) as error:
        read(path, RunContext())
    assert error.value.place == core_wording.at_line("table.txt", 2)


@pytest.mark.parametrize("mark", ["5", "x", "-", "''", ","])
def test_a_mark_between_thousands_that_no_number_can_have_is_refused(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a;b\n5;x\n55;y\n505;x\n", encoding="utf-8")
    with pytest.raises(DataError) as error:
        read(path, RunContext(), ReadOptions(decimal=",", thousands=mark))
    assert wording.MARK_BETWEEN_THOUSANDS in error.value.sentence
