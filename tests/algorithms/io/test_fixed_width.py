"""Text in columns by position: recognised by its blanks, cut by given widths, and never seen in delimited text."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.data.schema import AttributeKind
from algorithms.io.reading import ReadOptions, read, sniff
from algorithms.io.text.large_files import survey
from algorithms.io.text.text_source import cut_by_width
from tests.algorithms.io.helpers import cells, kinds, refused, table, written
from tests.expected_texts import io as wording

PEOPLE = """\
Name        City            Age
Smith, J    New York         34
Miller, A   Boston            5
Garcia, B                   120
Lee, C      San Francisco    41
"""
NAME = "table.txt"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_columns_of_blanks_are_borders(tmp_path: Path, end: str) -> None:
    data = table(tmp_path, PEOPLE.replace("\n", end), name=NAME)
    assert data.schema.names == ("Name", "City", "Age")
    assert cells(data, "Name") == ["Smith, J", "Miller, A", "Garcia, B", "Lee, C"]
    assert cells(data, "City") == ["New York", "Boston", None, "San Francisco"]
    assert cells(data, "Age") == [34, 5, 120, 41]
    recognised = sniff(tmp_path / NAME)
    assert (recognised.widths, recognised.delimiter, recognised.header) == ((12, 15, 4), None, True)


def test_a_table_without_names_and_with_characters_of_several_bytes(tmp_path: Path) -> None:
    places = ["Zürich", "São Paulo", "Łódź"]
    lines = [f"{i:<3}{places[i % 3]:<10}{i * 1.7:>6.1f}\n" for i in range(9)]
    data = table(tmp_path, "".join(lines), name=NAME)
    assert data.schema.names == ("Column 1", "Column 2", "Column 3")
    assert cells(data, "Column 2") == [places[i % 3] for i in range(9)]
    assert cells(data, "Column 3") == [round(i * 1.7, 1) for i in range(9)]


def test_rules_dates_decimal_commas_and_a_heading_of_two_words(tmp_path: Path) -> None:
    text = (
        "Name       Birth date   Remark  Due on    Pay\n"
        "---------  ----------  -------  --------  -----\n"
        "Ann        1990-01-02                     1,5\n"
        "Bo Lee     1991-11-12           later     12,5\n"
        "Cy         1991-11-12                     112,5\n"
    )
    data = table(tmp_path, text, name=NAME)
    assert data.schema.names == ("Name", "Birth date", "Remark", "Due on", "Pay")
    assert kinds(data)["Birth date"] is AttributeKind.DATE
    assert cells(data, "Pay") == [1.5, 12.5, 112.5]
    assert cells(data, "Due on") == [None, "later", None]


def test_given_widths_cut_fields_that_touch(tmp_path: Path) -> None:
    options = ReadOptions(widths=(8, 1, 3))
    data = table(tmp_path, "20240102M 71\n20240103F  6\n20240104M1034\n", options, NAME)
    assert len(data) == 3
    assert cells(data, "Column 2") == ["M", "F", "M"]
    assert cells(data, "Column 3") == [71, 6, 1034]  # the last column reaches to the end of the line


def test_a_delimited_table_can_be_read_by_width_and_back(tmp_path: Path) -> None:
    text = "a   b,c\n" + "".join(f"{i}   {i},1\n" for i in range(1, 9))
    assert sniff(written(tmp_path, text, NAME)).delimiter == ","
    by_width = table(tmp_path, text, ReadOptions(widths=()), NAME)
    assert by_width.schema.names == ("a", "b,c")
    by_comma = table(tmp_path, PEOPLE, ReadOptions(delimiter=","), NAME)
    assert len(by_comma.schema) == 2


def test_a_value_that_crosses_a_recognised_border_is_refused(tmp_path: Path) -> None:
    lines = ["name         n\n", *(f"{'xy z'[: 1 + i % 4]:<10}{i % 999:>4}\n" for i in range(29_998)), "\n"]
    lines += ["a long name is 12\n"]
    error = refused(tmp_path, "".join(lines), name=NAME)
    assert (error.sentence, error.place) == (wording.VALUE_CROSSES_BORDER, wording.LINE_THAT_IS_CUT)
    data = table(tmp_path, "".join(lines), ReadOptions(widths=(10, 4)), NAME)
    assert len(data) == 29_999


@pytest.mark.parametrize("alphabet", ["ab  ", "a- =", "é  漢", "   a", "a\x1f b"])
def test_cut_lines_are_those_of_plain_slices(alphabet: str) -> None:
    rng = np.random.default_rng(7)
    for _ in range(300):
        lines = ["".join(rng.choice([*alphabet], rng.integers(0, 14))) for _ in range(rng.integers(1, 6))]
        widths = rng.integers(1, 5, rng.integers(1, 5)).tolist()
        borders = [0, *np.cumsum(widths[:-1]).tolist(), None]
        expected = [
            "\x1f".join(line[a:b].replace("\x1f", " ").strip(" ") for a, b in pairwise(borders)) for line in lines
        ]
        for i, line in enumerate(lines):
            is_rule = line.strip() and not set(line) - set("-= ") and ("---" in line or "===" in line)
            expected[i] = "" if is_rule or not line.strip("\x1f ") else expected[i]
        end = str(rng.choice(["\n", "\r\n"]))
        cut = cut_by_width("".join(line + end for line in lines).encode(), widths)
        assert cut.decode().split("\n")[:-1] == expected


def test_a_line_of_many_megabytes_is_cut_in_little_more_memory() -> None:
    data = b"12 34\n" + b"x" * (8 << 20) + b"\n12 34\n"
    tracemalloc.start()
    try:
        assert cut_by_width(data, (3, 2)) == b"12\x1f34\nxxx\x1f" + b"x" * ((8 << 20) - 3) + b"\n12\x1f34\n"
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()


def test_a_single_width_makes_one_column(tmp_path: Path) -> None:
    data = table(tmp_path, PEOPLE, ReadOptions(widths=(5,)), NAME)
    assert (len(data.schema), len(data)) == (1, 4)


@pytest.mark.parametrize("widths", [(0, 3), (-1,), (1 << 21, 3)])
def test_impossible_widths_are_refused(tmp_path: Path, widths: tuple[int, ...]) -> None:
    assert refused(tmp_path, PEOPLE, ReadOptions(widths=widths), NAME).sentence == wording.NO_WIDTHS


def test_lines_without_columns_of_blanks_have_no_borders_to_recognise(tmp_path: Path) -> None:
    text = "one word\nanother word\na b c\nsome more words\n"
    assert refused(tmp_path, text, ReadOptions(widths=()), NAME).sentence == wording.NO_GUTTERS


PROSE = (
    "This is a sentence about the world.\nAnother one  follows here quickly.\nAnd so they went to the woods, all.\n"
    "Nobody knew what would happen there.\nFinally it ended.\nBut not for everyone, it seems to me.\n"
)


@pytest.mark.parametrize("text", [PROSE, "yes\nno\nmaybe  so\nperhaps\n"])
def test_sentences_are_one_column(tmp_path: Path, text: str) -> None:
    assert len(table(tmp_path, text, name=NAME).schema) == 1


@pytest.mark.parametrize("delimiter", [",", ", ", ";", "\t", "|", " ", ",   "])
@pytest.mark.parametrize("is_aligned", [False, True])
@pytest.mark.parametrize("has_names", [False, True])
def test_delimited_tables_are_read_by_their_delimiter(
    tmp_path: Path, delimiter: str, is_aligned: bool, has_names: bool
) -> None:
    rng = np.random.default_rng(1)
    words = ["red", "dark-green", "blue"] if delimiter == " " else ["red", "dark  green", "blue, or so"[:4]]
    rows = [["size", "colour", "weight", "class"]] if has_names else []
    rows += [[f"{rng.normal():.2f}", words[i % 3], str(rng.integers(1, 9999)), "ab"[i % 2]] for i in range(40)]
    width = 12 if is_aligned else 0
    content = "".join(delimiter.join(cell.ljust(width) for cell in row).rstrip() + "\n" for row in rows)
    recognised = sniff(written(tmp_path, content))
    assert (recognised.widths, recognised.delimiter) == (None, delimiter.strip(" ") or " ")


def test_a_survey_reads_as_the_whole_table_is_read(tmp_path: Path) -> None:
    n = 30_000
    lines = [f"{i % 97:<6}{('Zoë', 'a b', '')[i % 3]:<8}{i / 8:>12.3f}  {'ny'[i % 2]}\n" for i in range(n)]
    path = written(tmp_path, "count name          value  class\n" + "".join(lines), NAME)
    data, surveyed = read(path, RunContext()), survey(path, RunContext(seed=1), most=1000)
    assert data.schema.names == ("count", "name", "value", "class")
    assert surveyed.n_records == len(data) == n
    wanted = (2, 3)
    pieces = list(surveyed.rows(RunContext(), wanted, surveyed.sample.schema))
    assert np.array_equal(np.concatenate([piece.columns[2] for piece in pieces]), data.column(2))


NAMES = ["Smith, J", "Miller, A", "Garcia, B", "Lee, C", "Bo, D", "Orr, E", "Zander, F"]
MARKS = ["a;b" if i % 4 else "ab" for i in range(16)]
GROWING = ["x", "xy", "xyz"]


@pytest.mark.parametrize(
    ("lines", "first", "last"),
    [
        ([f"{name:<12}{GROWING[i % 3]:<6}{i + 0.5:>4}" for i, name in enumerate(NAMES)], NAMES, 0.5),
        ([f"{mark:<7}{GROWING[i % 3] if i % 5 else '':<6}{i + 0.5:>4}" for i, mark in enumerate(MARKS)], MARKS, 0.5),
        (
            [f"{'1.5':>3}{'':>6}{'3':>4}", f"{'':>3}{'2':>6}{'34':>4}", f"{'15':>3}{'61':>6}"] * 4,
            [1.5, None, 15] * 4,
            3,
        ),
    ],
    ids=["a comma in each line", "a semicolon in most lines", "one value less in each line"],
)
def test_columns_of_blanks_count_for_more_than_chance_delimiters(
    tmp_path: Path, lines: list[str], first: list[object], last: float
) -> None:
    data = table(tmp_path, "\n".join(lines) + "\n", name=NAME)
    assert len(sniff(tmp_path / NAME).widths or ()) == len(data.schema) == 3
    assert cells(data, "Column 1") == first and float(str(cells(data, "Column 3")[0])) == last


@pytest.mark.parametrize(
    ("lines", "delimiter"),
    [
        ([f"ab cd ef,{i * 7}" for i in range(9)], ","),
        (['"new york" 12', '"rome"      5', '"oslo"      7', '"new delhi" 9'] * 3, " "),
        (
            [f"w{i % 10}    {GROWING[i % 3]} {10 ** (i % 4)} {'bb'[: 1 + i % 2]}" for i in range(60)] + ["w1    x 1"],
            " ",
        ),
    ],
    ids=["texts of three words", "blanks in quotes", "one line too short"],
)
def test_chance_columns_of_blanks_do_not_count_for_more_than_a_delimiter(
    tmp_path: Path, lines: list[str], delimiter: str
) -> None:
    recognised = sniff(written(tmp_path, "\n".join(lines) + "\n", NAME))
    assert (recognised.widths, recognised.delimiter) == (None, delimiter)


@pytest.mark.parametrize("blanks", [1, 9])
def test_few_remarks_behind_words_are_no_column(tmp_path: Path, blanks: int) -> None:
    words = [f"{'abcdefgh'[: 3 + i % 6]}" for i in range(200)]
    for row, remark in (
        (10, "one"),
        (90, "two"),
        (100, "six"),
        *(((k, "odd")) for k in range(150, 150 + 3 * (blanks < 5))),
    ):
        words[row] = f"{'abcdefgh':<{8 + blanks}}{remark}"
    assert len(table(tmp_path, "\n".join(words) + "\n", name=NAME).schema) == 1


def test_longer_numbers_after_the_sample_fit_between_columns_aligned_at_the_right(tmp_path: Path) -> None:
    lines = [f"{i % 97:>3}{'' if i % 9 == 5 else i * 7 % 1300:>9}{i % 10:>4}\n" for i in range(30_000)]
    data = table(tmp_path, "".join(lines) + "  1 123456.5   5\n", name=NAME)
    assert cells(data, "Column 1")[-1] == 1 and cells(data, "Column 2")[-1] == 123456.5


def test_words_of_a_heading_belong_to_the_column_beside_them(tmp_path: Path) -> None:
    head = "Name of B  Due on  Pay\n"
    lines = [
        f"{'abcd'[: 1 + i % 4]:<8}{'xyz'[i % 3]}      {'pq'[i % 2] if i % 3 else ' '}   {i:>4}\n" for i in range(12)
    ]
    data = table(tmp_path, head + "=" * 22 + "\n" + "".join(lines), name=NAME)
    assert data.schema.names == ("Name of", "B", "Due on", "Pay")
    assert cells(data, "B") == [*"xyz" * 4] and cells(data, "Pay") == list(range(12))


def test_quotes_are_characters_in_columns_by_position(tmp_path: Path) -> None:
    data = table(tmp_path, 'name      v\n"Joe      1\nAnn       2\n"B"       3\n', ReadOptions(widths=(10, 2)), NAME)
    assert cells(data, "name") == ['"Joe', "Ann", '"B"'] and cells(data, "v") == [1, 2, 3]
