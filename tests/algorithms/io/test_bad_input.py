"""Whatever is wrong with a file is told in a plain sentence with a remedy and a place, and nothing else is raised."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import pytest

from algorithms.core.errors import Cancelled, DataError
from algorithms.core.run_control import RunContext, thread_pool
from algorithms.io.reading import ReadOptions, read, sniff
from algorithms.io.text import text_source
from algorithms.io.text.large_files import survey
from tests.algorithms.io.conftest import MANY_BLOCKS
from tests.algorithms.io.helpers import cells, refused, table, written
from tests.expected_texts import core as core_wording
from tests.expected_texts import io as wording

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(100)


@pytest.mark.parametrize("content", ["", "\n\n  \n", "\ufeff"])
@pytest.mark.parametrize("name", ["table.csv", "table.arff"])
def test_an_empty_file_is_refused(tmp_path: Path, content: str, name: str) -> None:
    error = refused(tmp_path, content, name=name)
    assert name in error.place


def test_a_file_with_nothing_but_names_is_refused(tmp_path: Path) -> None:
    assert "no records" in refused(tmp_path, "a,b,c\n").sentence


@pytest.mark.parametrize(
    ("content", "name", "word"),
    [
        (bytes(range(256)) * 50, "table.csv", wording.NOT_A_TEXT_FILE),
        (bytes(range(256)) * 50, "table.arff", wording.NOT_A_TEXT_FILE),
        (PNG, "table.csv", "picture"),
        (b"PK\x03\x04....[Content_Types].xml....xl/workbook.xml", "table.xlsx", "workbook"),
        (b"PK\x03\x04....something", "table.zip", "archive"),
        (b"\xd0\xcf\x11\xe0" + bytes(600), "table.xls", "workbook"),
        (b"%PDF-1.7 ...", "table.csv", "PDF"),
        (b"PAR1" + bytes(100), "table.parquet", "Parquet"),
    ],
)
def test_what_is_no_text_is_refused_by_its_name(tmp_path: Path, content: bytes, name: str, word: str) -> None:
    assert word in refused(tmp_path, content, name=name).sentence


def test_a_file_cut_off_within_quotes_is_refused_where_they_begin(tmp_path: Path) -> None:
    error = refused(tmp_path, 'a,b\n1,x\n2,"y\n3,z\n')
    assert error.place == core_wording.at_line("table.csv", 3)
    assert "never closed" in error.sentence


def test_a_packed_file_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    packed = gzip.compress(b"a,b\n" + os.urandom(5000).hex().encode() + b",1\n")
    assert wording.DAMAGED_OR_CUT_OFF in refused(tmp_path, packed[:2000], name="table.csv.gz").sentence


@pytest.mark.parametrize("says_its_size", [True, False])
@pytest.mark.parametrize("name", ["table.csv.gz", "table.arff"])
def test_a_packed_file_that_swells_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, says_its_size: bool
) -> None:
    monkeypatch.setattr(text_source, "FREE_OF_RATIO", 8 << 20)
    header = b"@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n" if "arff" in name else b"a,b\n"
    packed = bytearray(gzip.compress(header + b"1,2\n" * (6 << 20)))
    if not says_its_size:
        packed[-4:] = bytes(4)
    error = refused(tmp_path, bytes(packed), name=name)
    assert error.sentence == wording.unpacks_to_too_much(name)
    if name != "table.arff":
        with pytest.raises(DataError, match="200 times"):
            survey(tmp_path / name, RunContext())


def test_a_packed_file_of_ordinary_ratio_is_read_whatever_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_source, "FREE_OF_RATIO", 1 << 10)
    rows = "".join(f"{i * 37 % 1001 / 8},v{i % 7}\n" for i in range(20_000))
    assert len(table(tmp_path, gzip.compress(f"a,b\n{rows}".encode()), name="table.csv.gz")) == 20_000


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("a,b,c\n1,2,3\n4,5\n6,7,8\n", "line 3"),
        ("a,b,c\n1,2,3\n4,5,6,7\n8,9,10\n", "line 3"),
        ("a,b,c\n1,2,3,4\n4,5\n6,7,8\n", "line 2"),
        ('a,b,c\n1,"x\ny",3\n4,5\n6,7,8\n', "line 4"),
        ('a,b,c\n1,"x,y",3\n\n4,5\n6,7,8\n', "line 4"),
        ("a,b,c\n" + "1,2,3\n" * 1_500_000 + "4,5\n", "line 1500002"),
    ],
)
def test_a_record_of_another_length_is_refused_with_its_line(tmp_path: Path, content: str, place: str) -> None:
    error = refused(tmp_path, content)
    assert error.place == f"table.csv, {place}"
    assert wording.OTHERS_HAVE_3 in error.sentence


def test_a_wrong_encoding_is_refused_with_the_line(tmp_path: Path) -> None:
    error = refused(tmp_path, "a,b\n1,x\n2,é\n".encode("latin-1"), ReadOptions(encoding="utf-8"))
    assert error.place == core_wording.at_line("table.csv", 3)
    assert "klingon" in refused(tmp_path, "a,b\n1,2\n", ReadOptions(encoding="klingon")).sentence
    with pytest.raises(DataError):
        sniff(written(tmp_path, "a,b\n1,x\n2,é\n".encode("latin-1")), ReadOptions(encoding="utf-8"))


def test_a_path_that_is_no_readable_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing.csv"):
        with pytest.raises(DataError) as caught:
            read(path, RunContext())
        assert caught.value.remedy and caught.value.place


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b\n1,2\n")
    path.chmod(0)
    with pytest.raises(DataError, match=wording.MAY_NOT_BE_READ):
        read(path, RunContext())


def test_a_file_that_shrinks_while_it_loads_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b\n" + "1.25,x\n" * 4_000_000)
    context = RunContext()
    caught: list[BaseException] = []

    def work() -> None:
        try:
            read(path, context)
        except DataError as error:
            caught.append(error)

    worker = threading.Thread(target=work)
    worker.start()
    while (context.progress() or 0.0) == 0.0:
        pass
    os.truncate(path, 1000)
    worker.join()
    assert len(caught) == 1 and "shorter" in str(caught[0])


@pytest.mark.skipif(os.name != "posix", reason="an open file cannot be deleted here")
def test_a_file_that_is_deleted_while_it_loads_is_read_to_its_end_even_twice(tmp_path: Path, small_blocks: int) -> None:
    n = small_blocks * MANY_BLOCKS // len("10000.5,x\n")
    path = written(tmp_path, "a,b\n" + "".join(f"{i}.5,x\n" for i in range(n)) + "oops,y\n")
    deleted = threading.Event()

    def heard(_: object) -> None:
        path.unlink(missing_ok=True)
        deleted.set()

    data = read(path, RunContext(listener=heard))
    assert deleted.is_set()
    assert len(data) == n + 1
    assert cells(data.take([0, n]), "a") == ["0.5", "oops"]


def test_one_column_is_a_table(tmp_path: Path) -> None:
    data = table(tmp_path, "v\n1\n2\n3.5\n")
    assert cells(data, "v") == [1.0, 2.0, 3.5]
    assert data.schema.class_index is None
    assert data.schema.predictors == (0,)
    assert cells(table(tmp_path, 'v\na\n""\nb\n'), "v") == ["a", None, "b"]


def test_ten_thousand_columns_are_a_table(tmp_path: Path) -> None:
    names = ",".join(f"c{i}" for i in range(10_000))
    rows = "\n".join(
        ",".join(f"{i * j % 97}.5" if j % 2 else f"v{i * j % 7}" for j in range(10_000)) for i in range(20)
    )
    data = table(tmp_path, f"{names}\n{rows}\n")
    assert (len(data), len(data.schema)) == (20, 10_000)
    assert cells(data, "c9999")[1] == 9999 % 97 + 0.5
    assert cells(data, "c9998")[1] == f"v{9998 % 7}"


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_field_of_five_megabytes_is_a_field(tmp_path: Path, quote: str) -> None:
    inside = "x\n" if quote else "xy"
    data = table(tmp_path, f"a,b\n1.5,{quote}{inside * 2_500_000}{quote}\n2.5,y\n")
    assert [len(str(value)) for value in cells(data, "b")] == [5_000_000, 1]


def test_no_class_one_class_and_all_missing_are_tables(tmp_path: Path) -> None:
    assert table(tmp_path, "a,b\n1.5,2.5\n3.5,4.5\n").schema.class_index is None
    content = "a,class\n1,x\n2,x\n"
    assert table(tmp_path, content).schema.classes == ("x",)
    data = table(tmp_path, "a,b\n?,?\n?,?\n")
    assert data.missing(0).all() and data.missing(1).all()


@pytest.mark.parametrize("name", ["table.csv", "table.arff"])
def test_a_stop_ends_the_reading_and_leaves_no_thread(tmp_path: Path, name: str) -> None:
    header = "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n" if name.endswith("arff") else "a,b\n"
    path = written(tmp_path, header + "1.25,x\n" * 3_000_000, name)
    before = threading.active_count()
    context = RunContext()
    stop = threading.Timer(0.05, context.cancel)
    stop.start()
    with pytest.raises(Cancelled):
        read(path, context)
    stop.join()
    assert threading.active_count() == before


def test_any_number_of_threads_reads_the_same(tmp_path: Path, small_blocks: int) -> None:
    n = small_blocks * MANY_BLOCKS // len("100.125,v12,10000\n")
    rows = "".join(f"{i * 37 % 1001 / 8},v{i * i % 13},{i}\n" for i in range(n))
    path = written(tmp_path, "a,b,id\n" + rows)
    alone = read(path, RunContext())
    with thread_pool(3) as pool:
        together = read(path, RunContext(executor=pool))
    assert alone.schema == together.schema
    for index in range(3):
        assert (alone.column(index) == together.column(index)).all()


def test_a_number_of_three_hundred_digits_beside_a_text_is_read(tmp_path: Path) -> None:
    """pandas raised an OverflowError for it, which is no ValueError."""
    head = "@relation r\n@attribute n integer\n@attribute c {yes,no}\n@data\n8,yes\n"
    data = table(tmp_path, f"{head}{'9' * 400},no\n1_000,yes\n", name="table.arff")
    assert cells(data, "n") == ["8", "9" * 400, "1_000"]
