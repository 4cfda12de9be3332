"""Files whose columns have types: Parquet, Arrow, SQLite, SPSS, SAS, Stata and R, whole and damaged."""

from __future__ import annotations

import gzip
import io
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Final

import pandas as pd
import pytest
from numpy.random import Generator

from algorithms.io.reading import sheets
from algorithms.io.text.options import ReadOptions
from tests.fuzz import bytes_mutators
from tests.fuzz.case import Case, written
from tests.fuzz.tables import read_as_the_window_does

_N_MADE: Final = 8
_CODECS: Final = ("none", "snappy", "gzip", "brotli", "zstd", "lz4")


def arrow_table(n: int) -> Any:
    """A ``pyarrow.Table`` of n records with a column of each kind of type."""
    pa = pytest.importorskip("pyarrow")
    numbers = range(n)
    return pa.table(
        {
            "id": pa.array([10**18 + number for number in numbers], pa.int64()),
            "small": pa.array([None if number % 7 == 3 else number % 100 for number in numbers], pa.int8()),
            "size": pa.array([number / 3 for number in numbers]),
            "flag": pa.array([None if number % 5 == 0 else number % 2 == 0 for number in numbers]),
            "day": pa.array([date(2020, 1, 1 + number % 28) for number in numbers]),
            "moment": pa.array([datetime(2020, 1, 1, number % 24) for number in numbers], pa.timestamp("us", "UTC")),
            "clock": pa.array([time(number % 24, 30) for number in numbers]),
            "price": pa.array([Decimal(number) / 4 for number in numbers], pa.decimal128(12, 2)),
            "words": pa.array([None if number % 9 == 0 else f"text {number % 40}" for number in numbers]),
            "bytes": pa.array([f"text {number % 4}".encode() for number in numbers], pa.binary()),
            "colour": pa.array([("red", "blue", None)[number % 3] for number in numbers]).dictionary_encode(),
            "place": pa.array([{"x": number * 1.5, "name": "here"} if number % 6 else None for number in numbers]),
            "pair": pa.array([[number, 1] for number in numbers], pa.list_(pa.int32(), 2)),
            "many": pa.array([[number] * (number % 3) for number in numbers]),
            "class": pa.array([("a", "b", "c")[number % 3] for number in numbers]),
        }
    )


@lru_cache(maxsize=_N_MADE)
def _parquet(which: int) -> bytes:
    pq = pytest.importorskip("pyarrow.parquet")
    into = io.BytesIO()
    pq.write_table(
        arrow_table((3, 40, 400, 40, 40, 3000, 40, 12)[which]),
        into,
        compression=_CODECS[which % len(_CODECS)],
        row_group_size=(1000, 16)[which % 2],
        use_dictionary=which != 3,
        version=("2.6", "1.0", "2.4")[which % 3],
        data_page_version=("1.0", "2.0")[which // 2 % 2],
        write_statistics=which != 4,
    )
    return into.getvalue()


@lru_cache(maxsize=_N_MADE)
def _arrow(which: int) -> bytes:
    feather = pytest.importorskip("pyarrow.feather")
    into = io.BytesIO()
    codec = ("uncompressed", "lz4", "zstd")[which % 3]
    feather.write_feather(
        arrow_table((3, 40, 400, 12)[which % 4]), into, compression=codec, chunksize=(1000, 16)[which % 2]
    )
    return into.getvalue()


HOSTILE_VIEWS: Final = (
    "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r LIMIT 300000) SELECT max(x) AS x FROM r",
    "SELECT zeroblob(2000000000) AS x",
    "SELECT hex(randomblob(60000000)) AS x",
    "SELECT group_concat(a.word || b.word) AS x FROM things a, things b, things c",
    "SELECT load_extension('nothing') AS x",
    "SELECT * FROM pragma_database_list",
    "SELECT * FROM gone",
    "SELECT no_such_function(1) AS x",
    "SELECT printf('%100000000s', 'x') AS x",
    "SELECT replace(printf('%60000s', 'x'), ' ', printf('%6000s', 'y')) AS x",
    "SELECT a.* FROM things a, things b ORDER BY random()",
)


@lru_cache(maxsize=4 * _N_MADE)
def database(which: int) -> bytes:
    """An SQLite database with tables, views and an index, in some page size and encoding."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.db"
        with closing(sqlite3.connect(path)) as base:
            base.execute(f"PRAGMA page_size = {(512, 1024, 4096, 65536)[which % 4]}")
            base.execute(f"PRAGMA encoding = '{('UTF-8', 'UTF-16le', 'UTF-16be')[which % 3]}'")
            if which % 5 == 4:
                base.execute("PRAGMA journal_mode = WAL").close()
            end = " WITHOUT ROWID" if which % 2 else ""
            base.execute(f"CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, size REAL, class TEXT){end}")
            base.execute("CREATE TABLE things (word, number, picture BLOB)")
            base.execute("CREATE INDEX sizes ON people (size)")
            n = (3, 40, 400)[which % 3]
            people = [(k, f"name {k % 40}", None if k % 7 == 0 else k / 4, "ab"[k % 2]) for k in range(n)]
            base.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", people)
            things = [("x" * (k % 900), 2**62 + k, bytes([k % 256, 255])) for k in range(60)]
            base.executemany("INSERT INTO things VALUES (?, ?, ?)", things)
            base.execute("CREATE VIEW small AS SELECT name, class FROM people WHERE size < 10")
            if which >= _N_MADE:
                base.execute(f"CREATE VIEW hostile AS {HOSTILE_VIEWS[which % len(HOSTILE_VIEWS)]}")
            base.commit()
        return path.read_bytes()


@lru_cache(maxsize=4 * _N_MADE)
def statistics_file(suffix: str, which: int) -> bytes:
    """A file of a statistics program with labels, declared missing values and dates, in one of its versions."""
    pyreadstat = pytest.importorskip("pyreadstat")
    n = (3, 40, 400, 12)[which % 4]
    numbers = range(n)
    frame = pd.DataFrame(
        {
            "age": [None if k % 7 == 3 else k % 100 / 4 for k in numbers],
            "sex": [1 + k % 2 for k in numbers],
            "name": [f"näme {k % 40}" for k in numbers],
            "day": [date(2020, 1, 1 + k % 28) for k in numbers],
            "moment": [datetime(2020, 1, 2, k % 24) for k in numbers],
            "words": ["x" * (k % 700) for k in numbers],
        }
    )
    about: dict[str, Any] = {"column_labels": {"age": "In years"}}
    labels = {"sex": {1: "male", 2: "female"}}
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / f"made{suffix}")
        if suffix == ".sav":
            packing: dict[str, Any] = ({}, {"row_compress": True}, {"compress": True})[which % 3]
            missing = {"age": [{"lo": 8, "hi": 9}, 12], "name": ["näme 3"]}
            pyreadstat.write_sav(frame, path, **about, **packing, variable_value_labels=labels, missing_ranges=missing)
        elif suffix == ".dta":
            version = (8, 10, 12, 13, 14, 15)[which % 6]
            if version < 13:
                frame["words"] = frame["words"].str[:80]
            pyreadstat.write_dta(frame, path, **about, version=version, variable_value_labels=labels)
        elif suffix == ".xpt":
            frame["words"] = frame["words"].str[:200]
            pyreadstat.write_xport(frame, path, **about, file_format_version=(5, 8)[which % 2])
        else:
            pyreadr = pytest.importorskip("pyreadr")
            frame["sex"] = pd.Categorical(["male" if k % 2 else "female" for k in numbers])
            if which % 2:
                pyreadr.write_rdata(path, frame, df_name="people")
            else:
                pyreadr.write_rds(path, frame)
        return Path(path).read_bytes()


class _TypedFile:
    suffix: ClassVar[str]

    def make(self, random: Generator) -> Case:
        content = self.whole(int(random.integers(_N_MADE)))
        told = "as it is"
        if random.random() < 0.95:
            content, told = self.damaged(content, random)
        suffix = self.suffix if random.random() < 0.9 else str(random.choice([".csv", ".arff", ".xlsx", ""]))
        return Case(content, f"table{suffix}", {"sheet": "people"} if random.random() < 0.05 else {}, told)

    def whole(self, which: int) -> bytes:
        raise NotImplementedError

    def damaged(self, content: bytes, random: Generator) -> tuple[bytes, str]:
        """Changed anywhere, or in the description of the columns at the end alone."""
        if random.random() < 0.5:
            return bytes_mutators.mutated(content, random)
        length = int.from_bytes(content[-8:-4], "little") if content[-4:] == b"PAR1" else len(content) // 3
        start = max(4, len(content) - 8 - length)
        footer, told = bytes_mutators.mutated(content[start:-8], random)
        size = len(footer).to_bytes(4, "little") if random.random() < 0.8 else content[-8:-4]
        return content[:start] + footer + size + content[-4:], f"footer: {told}"

    def run(self, case: Case, folder: Path) -> str:
        path = written(case, folder)
        sheets(path)
        return read_as_the_window_does(path, ReadOptions(**case.options))


class Sqlite(_TypedFile):
    """SQLite databases, damaged or with views that do harm."""

    name = "sqlite"
    suffix = ".db"

    def make(self, random: Generator) -> Case:
        if random.random() < 0.3:
            content = database(int(random.integers(_N_MADE, 4 * _N_MADE)))
            return Case(content, "table.db", {"sheet": "hostile"}, "a hostile view")
        made = super().make(random)
        table = str(random.choice(["people", "things", "small", "nothing"]))
        return replace(made, options={"sheet": table}) if random.random() < 0.5 else made

    def whole(self, which: int) -> bytes:
        return database(which)

    def damaged(self, content: bytes, random: Generator) -> tuple[bytes, str]:
        """Changed anywhere behind the header, or in the page of the schema alone."""
        end = 512 if random.random() < 0.5 else len(content)
        changed, told = bytes_mutators.mutated(content[16:end], random)
        return content[:16] + changed + content[end:], told


class Sav(_TypedFile):
    """SPSS files, compressed or not."""

    name = "sav"
    suffix = ".sav"

    def whole(self, which: int) -> bytes:
        return statistics_file(self.suffix, which)

    def damaged(self, content: bytes, random: Generator) -> tuple[bytes, str]:
        """Changed anywhere, or in the description of the columns at the beginning alone; the first bytes stay."""
        end = min(len(content), 3000) if random.random() < 0.5 else len(content)
        changed, told = bytes_mutators.mutated(content[24:end], random)
        return content[:24] + changed + content[end:], told


class Dta(Sav):
    """Stata files of several versions."""

    name = "dta"
    suffix = ".dta"


class Xpt(Sav):
    """Transport files of SAS."""

    name = "xpt"
    suffix = ".xpt"


class RData(Sav):
    """R files, packed after the damage or before."""

    name = "rdata"
    suffix = ".rdata"

    def damaged(self, content: bytes, random: Generator) -> tuple[bytes, str]:
        if random.random() < 0.2:
            return bytes_mutators.mutated(gzip.compress(content, mtime=0), random)
        changed, told = super().damaged(content, random)
        return (gzip.compress(changed, mtime=0) if random.random() < 0.5 else changed), told


class Parquet(_TypedFile):
    """Parquet files of several versions and codecs."""

    name = "parquet"
    suffix = ".parquet"

    def make(self, random: Generator) -> Case:
        made = super().make(random)
        return replace(made, options={**made.options, "sample": 12}) if random.random() < 0.3 else made

    def whole(self, which: int) -> bytes:
        return _parquet(which)


class Arrow(_TypedFile):
    """Arrow (Feather) files."""

    name = "arrow"
    suffix = ".feather"

    def whole(self, which: int) -> bytes:
        return _arrow(which)
