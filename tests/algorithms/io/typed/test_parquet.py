"""Parquet and Arrow files are read as the libraries that write them read them, whatever their version and codec."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from algorithms.cli import main
from algorithms.core import extras
from algorithms.core.errors import Cancelled, DataError, MissingExtraError
from algorithms.core.extras import PARQUET
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.io.reading import ReadOptions, read, sheets, sniff
from algorithms.io.text.large_files import survey
from tests.algorithms.io.helpers import cells, kinds, refused, table, written
from tests.expected_texts import io as wording
from tests.fuzz.typed_files import arrow_table

pa = pytest.importorskip("pyarrow", reason="pyarrow (the extra parquet) is not installed")
pq = pytest.importorskip("pyarrow.parquet")
feather = pytest.importorskip("pyarrow.feather")

CODECS = ["NONE", "SNAPPY", "GZIP", "BROTLI", "ZSTD", "LZ4"]
N = 90


def parquet(folder: Path, made: Any, name: str = "table.parquet", **options: Any) -> Path:
    path = folder / name
    pq.write_table(made, path, **options)
    return path


def read_back(folder: Path, made: Any, options: ReadOptions | None = None, **writing: Any) -> Dataset:
    return read(parquet(folder, made, **writing), RunContext(), options)


def check_all_types(data: Dataset) -> None:
    """That a table of :func:`arrow_table` was read as it was written."""
    made = {attribute.name: attribute.kind.value for attribute in data.schema.attributes}
    assert made == {
        "id": "identifier", "small": "numeric", "size": "numeric", "flag": "nominal", "day": "date", "moment": "date",
        "clock": "numeric", "price": "numeric", "words": "nominal", "bytes": "nominal", "colour": "nominal",
        "place.x": "numeric", "place.name": "nominal", "pair[0]": "identifier", "pair[1]": "numeric",
        "class": "nominal",
    }  # fmt: skip
    numbers = range(N)
    assert cells(data, "id") == [str(10**18 + number) for number in numbers]
    assert cells(data, "small") == [None if number % 7 == 3 else float(number % 100) for number in numbers]
    assert cells(data, "size") == [number / 3 for number in numbers]
    assert cells(data, "flag")[:6] == [None, "FALSE", "TRUE", "FALSE", "TRUE", None]
    assert cells(data, "day")[:2] == [1577836800.0, 1577923200.0]
    assert cells(data, "moment")[:2] == [1577836800.0, 1577840400.0]
    assert cells(data, "clock")[:2] == [0.5, 1.5]
    assert cells(data, "price")[:3] == [0.0, 0.25, 0.5]
    assert cells(data, "words")[:2] == [None, "text 1"]
    assert cells(data, "bytes")[:2] == ["text 0", "text 1"]
    assert data.schema.attributes[data.schema.index_of("colour")].values == ("red", "blue")
    assert cells(data, "place.x")[:2] == [None, 1.5] and cells(data, "place.name")[:2] == [None, "here"]
    assert cells(data, "pair[0]")[:2] == ["0", "1"] and data.schema.classes == ("a", "b", "c")
    assert wording.LEFT_OUT_LISTS in data.origin.description and len(data) == N


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize(("version", "page"), [("1.0", "1.0"), ("2.4", "2.0"), ("2.6", "2.0")])
def test_every_version_and_codec_of_parquet_is_read(tmp_path: Path, codec: str, version: str, page: str) -> None:
    made = arrow_table(N)
    data = read_back(tmp_path, made, compression=codec, version=version, data_page_version=page, row_group_size=16)
    check_all_types(data)


@pytest.mark.parametrize("codec", ["uncompressed", "lz4", "zstd"])
@pytest.mark.parametrize("chunk", [16, 1000])
def test_feather_files_are_read(tmp_path: Path, codec: str, chunk: int) -> None:
    path = tmp_path / "table.feather"
    feather.write_feather(arrow_table(N), path, compression=codec, chunksize=chunk)
    check_all_types(read(path, RunContext()))


@pytest.mark.parametrize("encoding", ["PLAIN", "BYTE_STREAM_SPLIT", "DELTA_BINARY_PACKED"])
def test_other_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    made = pa.table({"x": pa.array(range(0, 90, 3), pa.int64())})
    data = read_back(tmp_path, made, use_dictionary=False, column_encoding=encoding)
    assert cells(data, "x") == [float(number) for number in range(0, 90, 3)]


def test_what_pandas_writes_is_read_with_its_categories_and_index(tmp_path: Path) -> None:
    levels = pd.Categorical(["low", "high"] * 10, categories=["low", "middle", "high"], ordered=True)
    frame = pd.DataFrame(
        {"x": np.arange(20.0) ** 2, "level": levels}, index=pd.Index([f"p{n}" for n in range(20)], name="who")
    )
    path = tmp_path / "frame.parquet"
    frame.to_parquet(path)
    data = read(path, RunContext())
    assert data.schema.attributes[1].values == ("low", "middle", "high")
    assert kinds(data) == {
        "x": AttributeKind.NUMERIC,
        "level": AttributeKind.ORDINAL,
        "who": AttributeKind.IDENTIFIER,
    }


def test_nanoseconds_of_old_programs_are_read(tmp_path: Path) -> None:
    made = pa.table({"when": pa.array([datetime(1500, 1, 1), datetime(9999, 1, 1), None] * 5, pa.timestamp("us"))})
    data = read_back(tmp_path, made, use_deprecated_int96_timestamps=True)
    assert cells(data, "when")[:3] == [-14831769600.0, 253370764800.0, None]


def test_a_large_block_of_an_arrow_file_is_read_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("algorithms.io.typed.parquet.BATCH", 7)
    feather.write_feather(pa.table({"x": np.arange(50.0) ** 2}), tmp_path / "table.feather")
    assert cells(read(tmp_path / "table.feather", RunContext()), "x") == [float(n * n) for n in range(50)]


def test_decimals_of_any_width(tmp_path: Path) -> None:
    made = pa.table(
        {
            "small": pa.array([Decimal("1.5"), None, Decimal("-2.25")], pa.decimal128(5, 2)),
            "large": pa.array([Decimal(10**30 + n) for n in range(3)], pa.decimal256(40, 0)),
            "whole": pa.array([Decimal(n) for n in (5, 7, 9)], pa.decimal128(30, 0)),
        }
    )
    data = read_back(tmp_path, made)
    assert cells(data, "small") == [1.5, None, -2.25] and cells(data, "whole") == [5.0, 7.0, 9.0]
    assert cells(data, "large") == [str(10**30 + n) for n in range(3)]


def test_names_with_points_and_of_structs_do_not_mix(tmp_path: Path) -> None:
    made = pa.table([pa.array([{"b": 1.5}, {"b": 2.5}]), pa.array([3.5, 4.5])], names=["a", "a.b"])
    data = read_back(tmp_path, made)
    assert data.schema.names == ("a.b", "a.b (2)")
    assert cells(data, "a.b") == [1.5, 2.5] and cells(data, "a.b (2)") == [3.5, 4.5]


def test_columns_of_bytes_are_left_out_by_name(tmp_path: Path) -> None:
    made = pa.table({"x": [1.5, 2.5], "picture": [b"\xff\xd8", b"\x00\x01"]})
    data = read_back(tmp_path, made)
    assert data.schema.names == ("x",) and wording.LEFT_OUT_BINARY in data.origin.description


def test_a_file_of_lists_alone_is_refused_with_their_names(tmp_path: Path) -> None:
    path = parquet(tmp_path, pa.table({"basket": [[1], [2, 3]]}))
    assert wording.LEFT_OUT_BASKET in refused(tmp_path, path.read_bytes(), name="a.parquet").sentence


def test_texts_are_read_as_in_text_files(tmp_path: Path) -> None:
    made = pa.table(
        {
            "amount": ["1,5", "2,25", "n/a"] * 20,
            "zip": [f"0{1000 + n}" for n in range(60)],
            "day": ["2024-01-31", "2024-02-29", None] * 20,
        }
    )
    data = read_back(tmp_path, made)
    assert cells(data, "amount")[:3] == [1.5, 2.25, None] and cells(data, "zip")[0] == "01000"
    assert kinds(data)["day"] is AttributeKind.DATE
    kept = read_back(tmp_path, made, ReadOptions(missing=(), kinds={"amount": AttributeKind.NOMINAL}))
    assert cells(kept, "amount")[:3] == ["1,5", "2,25", "n/a"]


def test_the_content_counts_and_not_the_name(tmp_path: Path) -> None:
    content = parquet(tmp_path, pa.table({"x": [1.5, 2.5]})).read_bytes()
    for name in ("table.csv", "table.arff", "table.xlsx", "table"):
        assert cells(table(tmp_path, content, name=name), "x") == [1.5, 2.5]
        assert sheets(tmp_path / name) == () and sniff(tmp_path / name) == ReadOptions()
    text = table(tmp_path, "PAR1,class\n1.5,a\n2.5,b\n", name="table.parquet")
    assert text.schema.names == ("PAR1", "class")


def test_a_description_of_a_column_is_kept(tmp_path: Path) -> None:
    fields = [pa.field("x", pa.float64(), metadata={"comment": "Length\n(cm)"})]
    data = read_back(tmp_path, pa.table([pa.array([1.5, 2.5])], schema=pa.schema(fields)))
    assert data.schema.attributes[0].description == "Length (cm)"


def test_an_encrypted_file_is_refused_by_name(tmp_path: Path) -> None:
    assert "encrypted" in refused(tmp_path, b"PARE" + bytes(100) + b"PARE", name="a.parquet").sentence


def test_packed_cut_off_and_empty_files_are_refused(tmp_path: Path) -> None:
    content = parquet(tmp_path, arrow_table(N)).read_bytes()
    for part in (content[:-4], content[: len(content) // 2], content[:4] + bytes(200)):
        assert "damaged" in refused(tmp_path, part, name="a.parquet").sentence
    empty = parquet(tmp_path, arrow_table(N).slice(0, 0)).read_bytes()
    assert wording.NO_RECORDS in refused(tmp_path, empty, name="a.parquet").sentence


def test_a_table_that_cannot_fit_into_memory_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("algorithms.io.typed_columns.free_memory", lambda: 1000)
    content = parquet(tmp_path, arrow_table(N)).read_bytes()
    assert wording.RECORDS_OF_16_COLUMNS in refused(tmp_path, content, name="a.parquet").sentence
    feather.write_feather(arrow_table(N), tmp_path / "a.feather")
    content = (tmp_path / "a.feather").read_bytes()
    assert wording.RECORDS_OF_16_COLUMNS in refused(tmp_path, content, name="b.feather").sentence


def nested_schema(depth: int) -> bytes:
    """A file without records whose schema is a column inside so many groups, as its metadata in Thrift."""
    group = b"\x35\x02\x18\x01a\x15\x02\x00"
    elements = b"\x48\x01s\x15\x02\x00" + depth * group + b"\x15\x02\x25\x02\x18\x01x\x00"
    n, size = depth + 2, bytearray()
    while n > 127:
        size.append(n & 127 | 128)
        n >>= 7
    footer = b"\x15\x04\x19\xfc" + bytes([*size, n]) + elements + b"\x16\x00\x19\x0c\x00"
    return b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"


@pytest.mark.parametrize("depth", [1, 50, 100_000])
def test_a_schema_may_be_nested_at_any_depth(tmp_path: Path, depth: int) -> None:
    word = wording.NO_RECORDS if depth == 1 else "nested"
    assert word in refused(tmp_path, nested_schema(depth), name="a.parquet").sentence


def test_long_texts_that_recur_very_often_are_no_danger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small file may repeat a text of megabytes a million times."""
    long = [letter * 2_000_000 for letter in "abc"]
    made = pa.table(
        {"x": pa.DictionaryArray.from_arrays(pa.array([0, 1, 2] * 40_000), pa.array(long)), "y": range(120_000)}
    )
    path = parquet(tmp_path, made, store_schema=False, compression="zstd")
    assert path.stat().st_size < 1_000_000
    data = read(path, RunContext())
    assert kinds(data)["x"] is AttributeKind.NOMINAL and data.schema.attributes[0].values == tuple(long)
    many = [str(n) * 50_000 for n in range(30)]
    made = pa.table({"x": pa.DictionaryArray.from_arrays(pa.array([*range(30)] * 4000), pa.array(many))})
    monkeypatch.setattr("algorithms.io.typed_columns.free_memory", lambda: 1 << 30)
    content = parquet(tmp_path, made, store_schema=False, compression="zstd").read_bytes()
    assert wording.GB_OF_TEXT in refused(tmp_path, content, name="a.parquet").sentence


def test_a_file_that_swells_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("algorithms.io.text.text_source.FREE_OF_RATIO", 1 << 20)
    made = pa.table({"x": ["a" * 1_000_000 + str(n) for n in range(20)]})
    content = parquet(tmp_path, made, compression="zstd", use_dictionary=False).read_bytes()
    assert wording.unpacks_to_too_much("a.parquet") in refused(tmp_path, content, name="a.parquet").sentence


def test_a_dictionary_larger_than_its_batch_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("algorithms.io.typed.parquet.BATCH", 10)
    texts = [f"text {n % 70}" for n in range(200)]
    assert cells(read_back(tmp_path, pa.table({"x": texts, "y": range(200)})), "x") == texts


def test_very_many_columns_are_read(tmp_path: Path) -> None:
    made = pa.table({f"x{n}": [n + 0.5, n + 1.5] for n in range(3000)})
    data = read_back(tmp_path, made)
    assert len(data.schema) == 3000 and cells(data, "x2999") == [2999.5, 3000.5]


def test_it_is_read_in_batches_with_progress_until_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("algorithms.io.typed.parquet.BATCH", 10)
    path = parquet(tmp_path, pa.table({"x": np.arange(100.0), "y": np.arange(100.0)}))
    steps: list[float] = []

    class Stopping(RunContext):
        def advance(self, done: int, total: int | None = None) -> None:
            super().advance(done, total)
            steps.append(self.progress() or 0.0)
            if len(steps) == 15:
                self.cancel()

    with pytest.raises(Cancelled):
        read(path, Stopping())
    assert steps == sorted(steps) and 0.7 < steps[-1] < 0.8


def test_it_cannot_be_read_in_pieces(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=wording.ONLY_THOSE_IN_PIECES):
        survey(parquet(tmp_path, arrow_table(N)), RunContext())


def test_without_pyarrow_the_command_that_installs_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    content = parquet(tmp_path, arrow_table(N)).read_bytes()

    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(extras, "import_module", absent)
    error = refused(tmp_path, content, name="a.parquet")
    assert isinstance(error, MissingExtraError) and error.remedy.endswith(PARQUET.command)
    assert "Parquet" in error.sentence and "pyarrow" in error.sentence
    with pytest.raises(MissingExtraError):
        sniff(written(tmp_path, content, "a.parquet"))
    assert main(["evaluate", str(tmp_path / "a.parquet"), "--learner", "zero-r"]) == 1
    assert PARQUET.command in capsys.readouterr().err


values = st.one_of(
    st.lists(st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=50),
    st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)), min_size=1, max_size=50),
    st.lists(
        st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]), max_size=6)), min_size=1, max_size=50
    ),
    st.lists(st.one_of(st.none(), st.dates()), min_size=1, max_size=50),
)


def seen(value: object) -> object:
    """A value as the program keeps it in a column of numbers, texts or dates."""
    if isinstance(value, date):
        return float((value - date(1970, 1, 1)).days * 86400)
    return value.strip() or None if isinstance(value, str) else value


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(values, st.sampled_from(CODECS), st.integers(1, 60), st.booleans())
def test_any_column_comes_back(tmp_path: Path, column: list[Any], codec: str, group: int, is_feather: bool) -> None:
    made = pa.table({"x": column})
    path = tmp_path / ("a.feather" if is_feather else "a.parquet")
    if is_feather:
        feather.write_feather(made, path, compression="lz4", chunksize=group)
    else:
        pq.write_table(made, path, compression=codec, row_group_size=group)
    type = made.schema.field(0).type
    kind = AttributeKind.TEXT if pa.types.is_string(type) or pa.types.is_integer(type) else AttributeKind.NUMERIC
    kind = AttributeKind.DATE if pa.types.is_date(type) else kind
    data = read(path, RunContext(), ReadOptions(kinds={"x": kind}, missing=()))
    expected = [seen(value) for value in column]
    if pa.types.is_integer(type):
        expected = [None if value is None else str(value) for value in expected]
    assert cells(data, "x") == expected
