"""Blocks of plain text: the compiled loops read what the general reader reads, to the last bit, or leave it alone."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.io import plain
from algorithms.io.parsing import Parsed, Plan, marks_among_numbers, parse
from algorithms.io.pieces import CodePiece, NumberPiece, Storage, StringPiece
from algorithms.io.reading import ReadOptions, read
from algorithms.io.recognise import Layout
from algorithms.io.source import Block
from tests.algorithms.io.helpers import written

NUMBERS, CODES, STRINGS = Storage.NUMBERS, Storage.CODES, Storage.STRINGS


@pytest.fixture(autouse=True)
def loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loops are compiled, and used for files of any size."""
    from algorithms.io.field_kernels import warm_up

    warm_up()
    monkeypatch.setattr(plain, "kernels_ready", lambda _: True)


def plan(
    *storage: Storage,
    delimiter: str = ",",
    decimal: str = ".",
    quote: str = '"',
    thousands: str = "",
    missing: tuple[str, ...] | None = None,
) -> Plan:
    names = tuple(f"column {i}" for i in range(len(storage)))
    layout = Layout("utf-8", delimiter, quote, decimal, thousands, False, False, names)
    return Plan(layout, storage, marks_among_numbers(missing), "refuse", "table.csv", compiled=True)


def by_both(text: str, of: Plan, only: list[int] | None = None) -> tuple[Parsed, Parsed]:
    block = Block(0, 1, text.encode("utf-8"))
    return parse(block, of, only), parse(block, Plan(of.layout, of.storage, of.missing, of.ragged, of.file_name), only)


def is_plain(text: str, of: Plan) -> bool:
    fields = range(len(of.storage))
    return plain.plain_pieces(text.encode("utf-8"), of.layout, of.storage, of.missing, fields) is not None


def assert_alike(text: str, of: Plan, only: list[int] | None = None) -> None:
    found, expected = by_both(text, of, only)
    assert found.n_records == expected.n_records
    assert found.misfits == expected.misfits
    assert found.pieces.keys() == expected.pieces.keys()
    for index, piece in found.pieces.items():
        other = expected.pieces[index]
        if isinstance(piece, NumberPiece):
            assert isinstance(other, NumberPiece)
            assert piece.infinite == other.infinite
            np.testing.assert_array_equal(np.isnan(piece.values), np.isnan(other.values))
            present = ~np.isnan(piece.values)
            np.testing.assert_array_equal(piece.values[present].view(np.int64), other.values[present].view(np.int64))
        elif isinstance(piece, CodePiece):
            assert isinstance(other, CodePiece)
            assert list(piece.spellings) == list(other.spellings)
            np.testing.assert_array_equal(piece.codes, other.codes)
        else:
            assert isinstance(other, StringPiece)
            assert piece.values.tolist() == other.values.tolist()
            np.testing.assert_array_equal(piece.hashes, other.hashes)


PLAIN = {
    "numbers and words": ("1.5,red\n-2,blue\n+3e2,red\n", plan(NUMBERS, CODES)),
    "spellings of numbers": ("0.5,a\n.5,a\n5.,a\n-0.0,a\n1E-3,a\n12e+2,a\n", plan(NUMBERS, CODES)),
    "missing marks": ("1.5,NA\nNA,?\n,\nnull,red\n-nan,x\n--,y\n", plan(NUMBERS, CODES)),
    "marks that a person gave": ("1,a\nx,b\n,c\n", plan(NUMBERS, CODES, missing=("x",))),
    "ends of lines of Windows": ("1,a\r\n2,b\r\n", plan(NUMBERS, CODES)),
    "quotes": ('"1.5","a, b"\n2,c\n"NA",""\n3,"d\ne"\n', plan(NUMBERS, CODES)),
    "quotes that are letters": ('1,5" pipe\n2,"x"\n3,a"b"c\n', plan(NUMBERS, CODES)),
    "blanks around fields": (' 1 , red \n 2,"x y" \n3 ,  \n', plan(NUMBERS, CODES)),
    "decimal commas": ("1,5;rot\n-2;blau\n,25;rot\n", plan(NUMBERS, CODES, delimiter=";", decimal=",")),
    "tabs": ("1\ta b\n2\tc\n", plan(NUMBERS, CODES, delimiter="\t")),
    "blanks between fields": ("1 a\n2 b\n", plan(NUMBERS, CODES, delimiter=" ")),
    "letters of many bytes": ("1,größe\n2,東京\n3,größe\n", plan(NUMBERS, CODES)),
    "strings beside": ("1,a,some text\n2,b,\n", plan(NUMBERS, CODES, STRINGS)),
    "numbers as codes": ("01,1.0\n1,1\n01,1.00\n", plan(CODES, CODES)),
    "many digits": ("0.123456789012345678901234567890,a\n0.00000000000000000000012345,b\n", plan(NUMBERS, CODES)),
    "near the ends": ("4.9e-324,a\n2.2250738585072014e-308,b\n1e-400,c\n", plan(NUMBERS, CODES)),
    "no quotes": ('1,"a\n2,b"\n', plan(NUMBERS, CODES, quote="")),
}


@pytest.mark.parametrize("name", PLAIN)
def test_plain_text_is_read_as_the_general_reader_reads_it(name: str) -> None:
    text, of = PLAIN[name]
    assert is_plain(text, of)
    assert_alike(text, of)


LEFT = {
    "a code with a leading zero": ("01,a\n2,b\n", plan(NUMBERS, CODES)),
    "a zero before the point too many": ("00.5,a\n2,b\n", plan(NUMBERS, CODES)),
    "a word among numbers": ("1,a\nmany,b\n", plan(NUMBERS, CODES)),
    "half a number": ("1,a\n2e,b\n", plan(NUMBERS, CODES)),
    "another decimal mark": ("1,5;a\n1.5;b\n", plan(NUMBERS, CODES, delimiter=";", decimal=",")),
    "an infinite number": ("1,a\ninf,b\n", plan(NUMBERS, CODES)),
    "a number too large": ("1,a\n1e400,b\n", plan(NUMBERS, CODES)),
    "a long whole number": ("1,a\n9007199254740993,b\n", plan(NUMBERS, CODES)),
    "doubled quotes": ('1,"say ""x"""\n2,b\n', plan(NUMBERS, CODES)),
    "an empty line": ("1,a\n\n2,b\n", plan(NUMBERS, CODES)),
    "thousands": ("1.000;a\n2;b\n", plan(NUMBERS, CODES, delimiter=";", decimal=",", thousands=".")),
    "a number that marks a missing one": ("-999.0,a\n2,b\n", plan(NUMBERS, CODES, missing=("-999",))),
    "quoted numbers with the delimiter in them": ('"1,5",a\n"2,5",b\n', plan(NUMBERS, CODES, decimal=",")),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_is_not_plain_is_left_to_the_general_reader(name: str) -> None:
    text, of = LEFT[name]
    assert not is_plain(text, of)
    assert_alike(text, of)


@pytest.mark.parametrize("text", ["1,a\n2\n", "1,a,b\n2,c\n", '1,"a"b\n', "1,a\0\n", '1,"a\n'])
def test_records_of_another_length_and_odd_bytes_are_not_plain(text: str) -> None:
    assert not is_plain(text, plan(NUMBERS, CODES))


def test_more_spellings_than_a_table_holds_are_left() -> None:
    text = "".join(f"{i},value {i}\n" for i in range(20_000))
    assert not is_plain(text, plan(NUMBERS, CODES))
    assert is_plain(text, plan(NUMBERS, STRINGS))


def test_only_some_fields_can_be_read() -> None:
    assert_alike('1,a,"say ""x""",4\n2,b,"",5\n', plan(NUMBERS, CODES, CODES, NUMBERS), [1, 3])


def test_in_wide_tables_spellings_stand_as_they_are_met() -> None:
    of = plan(*[CODES] * 2, *[NUMBERS] * 300)
    assert_alike("".join(f"{word},{word}{',1.25' * 300}\n" for word in ("b", "a", "c", "a")), of)


def _decimal(draw: random.Random) -> str:
    kind = draw.randrange(5)
    if kind == 0:
        return repr(struct.unpack("d", struct.pack("Q", draw.getrandbits(64)))[0])
    if kind == 1:
        return repr(draw.gauss(0, 1))
    if kind == 2:
        return f"{draw.randrange(10 ** draw.randrange(1, 20))}e{draw.randrange(-340, 0)}"
    if kind == 3:
        digits = draw.randrange(1, 5)  # half way between two floats
        text = str(((draw.getrandbits(53) | 1 << 52) * 2 + 1) * 5**digits)
        return f"{text[:-digits]}.{text[-digits:]}e-20"
    return f"{draw.uniform(-1e6, 1e6):.{draw.randrange(14)}f}"


def test_every_number_is_the_float_that_python_reads() -> None:
    draw = random.Random(1)
    texts = [text for text in (_decimal(draw) for _ in range(60_000)) if abs(float(text)) < 2.0**53]
    of = plan(NUMBERS, CODES)
    data = "".join(f"{text},a\n" for text in texts).encode()
    found = plain.plain_pieces(data, of.layout, of.storage, of.missing, range(2))
    assert found is not None
    values = found[0]
    assert isinstance(values, NumberPiece)
    expected = np.array([float(text) for text in texts])
    np.testing.assert_array_equal(values.values.view(np.int64), expected.view(np.int64))


CELLS = st.one_of(
    st.floats(allow_nan=False).map(repr),
    st.integers(-(10**17), 10**17).map(str),
    st.sampled_from(["", "NA", "?", "0", "-0", "00", "1e5", "-", " 7", "8 ", '"9"', '"', '""', "1.", "+.5", "x", "é"]),
    st.text("01.,e+- \rabc", max_size=6),  # quotes that are letters may hide blanks from the general reader
)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=8), st.sampled_from([",", ";", "\t"]))
def test_whatever_is_written_is_read_alike(rows: list[tuple[str, str, str]], delimiter: str) -> None:
    of = plan(NUMBERS, CODES, STRINGS, delimiter=delimiter)
    text = "".join(delimiter.join(row) + "\n" for row in rows)
    if is_plain(text, of):
        assert_alike(text, of)


def _table(path: Path, monkeypatch: pytest.MonkeyPatch, worth: int, options: ReadOptions | None = None) -> Dataset:
    monkeypatch.setattr(plain, "worth_compiled", lambda size, context: size >= worth)
    monkeypatch.setattr("algorithms.io.delimited.worth_compiled", plain.worth_compiled)
    monkeypatch.setattr("algorithms.io.arff.worth_compiled", plain.worth_compiled)
    return read(path, RunContext(), options)


@pytest.mark.parametrize("name", ["table.csv", "table.arff"])
def test_a_file_is_the_same_table_either_way(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(2)
    rows = [f"{draw.gauss(0, 1)!r},{draw.randrange(9)},v{draw.randrange(30)},text {i % 700}" for i in range(3000)]
    head = "a,b,c,d\n"
    if name.endswith("arff"):
        listed = ",".join(f"v{i}" for i in range(30))
        head = f"@relation r\n@attribute a real\n@attribute b real\n@attribute c {{{listed}}}\n"
        head += "@attribute d string\n@data\n"
        rows = [row.replace("text ", "text_") for row in rows]
    path = written(tmp_path, head + "\n".join(rows) + "\n", name)
    fast, slow = _table(path, monkeypatch, 0), _table(path, monkeypatch, 1 << 40)
    assert fast.schema == slow.schema
    for index in range(len(fast.schema)):
        np.testing.assert_array_equal(fast.column(index), slow.column(index))


def test_a_small_file_does_not_load_the_loops_and_none_waits_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[tuple[str, ...]] = []
    monkeypatch.setattr(plain, "ensure_compiled", lambda modules, _: loaded.append(tuple(modules)))
    monkeypatch.setattr(plain, "sys", type("NothingLoaded", (), {"modules": {}}))
    assert not plain.worth_compiled(plain.WORTH_LOADING - 1, RunContext())
    assert plain.worth_compiled(plain.WORTH_LOADING, RunContext())
    assert loaded == [plain.KERNELS]
    monkeypatch.setattr(plain, "kernels_ready", lambda _: False)
    assert not plain.worth_compiled(1 << 40, RunContext())
