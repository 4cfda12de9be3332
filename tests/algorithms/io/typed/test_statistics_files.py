"""Files of SPSS, SAS, Stata and R are read as they were written, with what they say of their columns."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
from collections import Counter
from datetime import date, datetime, time
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from algorithms.core import extras
from algorithms.core.errors import Cancelled, DataError, MissingExtraError
from algorithms.core.extras import STATISTICS
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.io.child_process import ProcessLimits
from algorithms.io.reading import ReadOptions, read, sheets, sniff
from algorithms.io.typed import statistics_files
from algorithms.io.typed.statistics_program import _chunks, _converted, in_units, type_of
from algorithms.io.typed_columns import ColumnCells
from tests.algorithms.io.helpers import cells, kinds, refused, table, written
from tests.expected_texts import io as wording

pyreadstat = pytest.importorskip("pyreadstat", reason="pyreadstat (the extra statistics-files) is not installed")
pyreadr = pytest.importorskip("pyreadr")

SEX = "Sex of the person"
DAY, MOMENT, CLOCK = date(2020, 1, 2), datetime(2020, 1, 2, 3, 4, 5), time(2, 30)


def survey_frame() -> pd.DataFrame:
    """Records of a survey with a column of each kind."""
    return pd.DataFrame(
        {
            "sex": [1.0, 2.0, 3.0, 9.0, np.nan] * 2,
            "age": [20.5, 30.0, 99.0, 98.0, 41.5] * 2,
            "word": ["a", "béb", "", "zz", "d"] * 2,
            "day": [DAY, None] * 5,
            "moment": [MOMENT] * 10,
            "clock": [CLOCK] * 10,
        }
    )


def spss(path: Path, **writing: Any) -> Path:
    pyreadstat.write_sav(
        survey_frame(),
        path,
        column_labels={"sex": SEX.replace("of ", "of\n")},
        variable_value_labels={"sex": {2: "female", 1: "male", 8: "absent", 9: "unknown"}, "age": {99: "refused"}},
        missing_ranges={"sex": [{"lo": 8, "hi": 9}], "age": [{"lo": 98, "hi": 99}], "word": ["zz"]},
        variable_measure={"sex": "ordinal"},
        **writing,
    )
    return path


def values(data: Dataset, name: str) -> tuple[str, ...]:
    return data.schema.attributes[data.schema.index_of(name)].values


@pytest.mark.parametrize("writing", [{}, {"row_compress": True}, {"compress": True}])
def test_an_spss_file_is_read_with_its_labels_and_declared_missing_values(
    tmp_path: Path, writing: dict[str, bool]
) -> None:
    data = read(spss(tmp_path / "a.sav", **writing), RunContext())
    assert kinds(data) == {
        "sex": AttributeKind.ORDINAL,
        "age": AttributeKind.NUMERIC,
        "word": AttributeKind.NOMINAL,
        "day": AttributeKind.DATE,
        "moment": AttributeKind.DATE,
        "clock": AttributeKind.NUMERIC,
    }
    assert values(data, "sex") == ("male", "female", "3")
    assert cells(data, "sex")[:5] == ["male", "female", "3", None, None]
    assert cells(data, "age")[:5] == [20.5, 30.0, None, None, 41.5]
    assert cells(data, "word")[:5] == ["a", "béb", None, None, "d"]
    assert cells(data, "day")[:2] == [1577923200.0, None] and cells(data, "moment")[0] == 1577934245.0
    assert cells(data, "clock")[0] == 2.5
    assert data.schema.attributes[0].description == SEX
    assert wording.DECLARED_OF_SPSS in data.origin.description


def test_a_portable_file_of_spss_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.por"
    frame = pd.DataFrame({"SEX": [1.0, 2.0, 1.0] * 3, "NAME": ["one", "two", "one"] * 3, "DAY": [DAY] * 9})
    pyreadstat.write_por(frame, path, column_labels={"SEX": SEX})
    data = read(path, RunContext())
    assert data.schema.attributes[0].description == SEX and cells(data, "NAME")[:2] == ["one", "two"]
    assert cells(data, "DAY")[0] == 1577923200.0


@pytest.mark.parametrize("version", [8, 10, 12, 13, 14, 15])
def test_stata_files_of_all_versions_are_read(tmp_path: Path, version: int) -> None:
    path = tmp_path / "a.dta"
    frame = survey_frame().drop(columns=["clock"]).assign(sex=[1, 2] * 5, word=["a", "b"] * 5)
    labels = {"sex": {2: "female", 1: "male"}}
    pyreadstat.write_dta(frame, path, version=version, variable_value_labels=labels, column_labels={"age": "In years"})
    data = read(path, RunContext())
    assert cells(data, "sex")[:2] == ["male", "female"] and cells(data, "word")[:2] == ["a", "b"]
    assert cells(data, "day")[:2] == [1577923200.0, None] and cells(data, "moment")[0] == 1577934245.0
    assert [attribute.description for attribute in data.schema.attributes][:2] == ["", "In years"]


def test_special_missing_values_of_stata_are_missing_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.dta"
    frame = pd.DataFrame({"code": [1, 2, "a", "z", None] * 2, "x": np.arange(10.0)})
    labels = {"code": {1: "yes", 2: "no", "a": "refused", "b": "unknown"}}
    special = {"code": ["a", "b", "z"]}
    pyreadstat.write_dta(frame, path, missing_user_values=special, variable_value_labels=labels)
    data = read(path, RunContext())
    assert cells(data, "code")[:5] == ["yes", "no", None, None, None] and values(data, "code") == ("yes", "no")
    assert wording.DECLARED_OF_STATA in data.origin.description


@pytest.mark.parametrize(
    ("format", "number", "seconds"),
    [
        ("%td", 21916.0, date(2020, 1, 2)),
        ("%tdCCYY-NN-DD", 0.0, date(1960, 1, 1)),
        ("%tm", 721.0, date(2020, 2, 1)),
        ("%tq", 241.0, date(2020, 4, 1)),
        ("%th", 121.0, date(2020, 7, 1)),
        ("%tw", 3121.0, date(2020, 1, 8)),
        ("%tm", -13.0, date(1958, 12, 1)),
    ],
)
def test_dates_of_stata_are_read_by_their_unit(tmp_path: Path, format: str, number: float, seconds: date) -> None:
    path = tmp_path / "a.dta"
    pyreadstat.write_dta(pd.DataFrame({"when": [number, np.nan]}), path, variable_format={"when": format})
    assert cells(read(path, RunContext()), "when") == [(seconds - date(1970, 1, 1)).days * 86400.0, None]


@pytest.mark.parametrize("version", [5, 8])
def test_transport_files_of_sas_are_read(tmp_path: Path, version: int) -> None:
    path = tmp_path / "a.xpt"
    pyreadstat.write_xport(survey_frame(), path, file_format_version=version, column_labels={"age": "In years"})
    data = read(path, RunContext())
    assert cells(data, "age")[:2] == [20.5, 30.0] and cells(data, "word")[:3] == ["a", "béb", None]
    assert cells(data, "day")[:2] == [1577923200.0, None] and cells(data, "moment")[0] == 1577934245.0
    assert cells(data, "clock")[0] == 2.5 and data.schema.attributes[1].description == "In years"


@pytest.mark.parametrize(
    ("format", "shown", "type"),
    [
        ("sas7bdat", "DATE9", "sas days"),
        ("sas7bdat", "E8601DA10", "sas days"),
        ("sas7bdat", "E8601DT19", "sas moments"),
        ("sas7bdat", "DATETIME20.", "sas moments"),
        ("sas7bdat", "TIME8", "seconds"),
        ("sas7bdat", "TOD9.", "time of day"),
        ("xport", "TIMEAMPM11", "time of day"),
        ("sas7bdat", "BEST12", "numbers"),
        ("sas7bdat", "DATING", "numbers"),
        ("sav", "EDATE10", "spss moments"),
        ("sav", "MOYR8", "spss moments"),
        ("sav", "F8.2", "numbers"),
        ("dta", "%tcHH:MM:SS", "stata hours"),
        ("dta", "%9.0g", "numbers"),
        ("dta", "%ty", "numbers"),
    ],
)
def test_the_format_of_a_column_tells_what_its_numbers_are(format: str, shown: str, type: str) -> None:
    about = SimpleNamespace(readstat_variable_types={"x": "double"}, original_variable_types={"x": shown})
    assert type_of(format, about, "x") == type


def test_the_time_of_day_of_moments_is_no_number_of_hours_since_1960() -> None:
    seconds = np.array([1661437223.0, 5400.0, 86400.0 + 1800.0, np.nan])  # the first two from the manual of SAS
    type, bodies = in_units("time of day", seconds)
    hours = np.frombuffer(bodies[0])
    assert type == "hours" and hours[1:3].tolist() == [1.5, 0.5] and np.isnan(hours[3])
    assert hours[0] == pytest.approx(14 + 20 / 60 + 23 / 3600)


def test_dates_beyond_the_calendar_are_missing() -> None:
    for type in ("sas days", "spss moments", "stata tm", "stata tw", "stata tc"):
        cells_of = ColumnCells()
        cells_of.add_moments(np.frombuffer(in_units(type, np.array([1e300, -1e300, np.inf, np.nan]))[1][0]))
        assert cells_of.is_empty


def test_letters_for_missing_values_are_counted() -> None:
    declared = Counter[str]()
    kind, bodies = _converted([1.5, "A", "_", "A", None], "numbers", None, declared)
    assert kind == "numbers" and np.frombuffer(bodies[0])[0] == 1.5 and np.isnan(np.frombuffer(bodies[0])[1:]).all()
    assert declared == {".A": 2, "._": 1}


@pytest.mark.parametrize("name", ["a.sav", "a.zsav"])
def test_records_are_read_in_chunks_without_loss(tmp_path: Path, name: str) -> None:
    spss(tmp_path / name, compress=name.endswith(".zsav"))
    reader = partial(pyreadstat.read_sav, str(tmp_path / name), user_missing=True)
    chunks = list(_chunks(reader, {"output_format": "dict"}, 4))
    assert [n for n, _, _ in chunks] == [4, 4, 2]
    assert [value for _, own, _ in chunks for value in own["word"]] == survey_frame()["word"].tolist()


def test_texts_in_another_encoding_than_declared_are_read(tmp_path: Path) -> None:
    content = spss(tmp_path / "a.sav").read_bytes()
    assert content.count("béb".encode()) == 2
    data = table(tmp_path, content.replace("béb".encode(), "béb ".encode("cp1252")), name="b.sav")
    assert cells(data, "word")[1] == "béb" and wording.READ_AS_WINDOWS in data.origin.description
    given = table(tmp_path, (tmp_path / "b.sav").read_bytes(), ReadOptions(encoding="ISO-8859-1"), name="b.sav")
    assert cells(given, "word")[1] == "béb" and wording.READ_AS_WINDOWS not in given.origin.description


def people() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "x": [1.5, 2.0, np.nan],
            "level": pd.Categorical(["low", "high", "low"], categories=["low", "middle", "high"]),
            "flag": [True, False, True],
            "name": ["a", None, "é"],
            "day": [DAY] * 3,
            "moment": [pd.Timestamp(MOMENT)] * 3,
        }
    )


def r_names(name: bytes) -> bytes:
    return struct.pack(">iiii", 0x402, 1, 0x40009, len(name)) + name


def r_numbers(*numbers: float) -> bytes:
    return struct.pack(f">ii{len(numbers)}d", 14, len(numbers), *numbers)


@pytest.mark.parametrize("pack", [bytes, partial(gzip.compress, mtime=0), bz2.compress, lzma.compress])
def test_a_data_frame_of_r_is_read_however_it_is_packed(tmp_path: Path, pack: Any) -> None:
    pyreadr.write_rds(str(tmp_path / "plain.rds"), people())
    content = (tmp_path / "plain.rds").read_bytes()
    data = table(tmp_path, pack(content), name="a.rds")
    assert values(data, "level") == ("low", "middle", "high") and cells(data, "level") == ["low", "high", "low"]
    assert cells(data, "x") == [1.5, 2.0, None] and cells(data, "flag") == ["TRUE", "FALSE", "TRUE"]
    assert cells(data, "name") == ["a", None, "é"] and sheets(tmp_path / "a.rds") == ()


def test_a_data_frame_among_the_objects_of_an_r_file_is_chosen(tmp_path: Path) -> None:
    pyreadr.write_rdata(str(tmp_path / "one.rdata"), people(), df_name="people")
    pyreadr.write_rdata(str(tmp_path / "two.rdata"), pd.DataFrame({"legs": [4.0, 2.5]}), df_name="pets")
    one, two = [(tmp_path / name).read_bytes() for name in ("one.rdata", "two.rdata")]
    start = two.index(struct.pack(">i", 0x402))
    vector = r_names(b"v") + r_numbers(1.0, 2.0)
    path = written(tmp_path, one[:-4] + vector + two[start:], "all.RData")
    assert sheets(path) == ("people", "pets") and sniff(path).sheet == "people"
    first = read(path, RunContext())
    assert first.schema.names == tuple(people()) and wording.LEFT_OUT_VECTOR in first.origin.description
    assert cells(read(path, RunContext(), ReadOptions(sheet="pets")), "legs") == [4.0, 2.5]
    with pytest.raises(DataError) as caught:
        read(path, RunContext(), ReadOptions(sheet="v"))
    assert caught.value.remedy == wording.DATA_FRAMES_ARE


def test_what_is_no_data_frame_is_refused_by_name(tmp_path: Path) -> None:
    head = struct.pack(">iii", 2, 0x20300, 0x20300)
    a_list = struct.pack(">ii", 19, 1) + r_numbers(1.5)
    for content in (b"X\n" + head + r_numbers(1.0), b"X\n" + head + a_list):
        assert wording.NO_DATA_FRAME in refused(tmp_path, content, name="a.rds").sentence
    objects = b"RDX2\nX\n" + head + r_names(b"heights") + r_numbers(1.5) + struct.pack(">i", 254)
    assert "heights" in refused(tmp_path, objects, name="a.rdata").sentence


@pytest.mark.parametrize("start", [b"A\n2\n263171\n131840\n787\n", b"RDA3\nA\n3\n", b"B\n\3\0\0\0", b"RDB2\nB\n"])
def test_r_files_of_another_form_are_refused_by_name(tmp_path: Path, start: bytes) -> None:
    for content in (start, gzip.compress(start, mtime=0)):
        assert wording.NOT_IN_XDR in refused(tmp_path, content, name="a.rds").sentence
    assert table(tmp_path, "A\n2\n263171\n1\n", name="a.csv").schema.names == ("A",)


def test_row_names_of_r_become_a_column(tmp_path: Path) -> None:
    frame = pd.DataFrame({"mpg": [21.5, 22.8], "class": ["a", "b"]})
    pyreadr.write_rds(str(tmp_path / "a.rds"), frame)
    content = (tmp_path / "a.rds").read_bytes()
    for row, name in ((b"1", b"Mazda RX4"), (b"2", b"Datsun 710")):
        written_row = struct.pack(">ii", 0x40009, 1) + row
        assert content.count(written_row) == 1
        content = content.replace(written_row, struct.pack(">ii", 0x40009, len(name)) + name)
    data = table(tmp_path, content, name="b.rds")
    assert cells(data, "row names") == ["Mazda RX4", "Datsun 710"]


def test_the_content_counts_and_not_the_name(tmp_path: Path) -> None:
    content = spss(tmp_path / "a.sav").read_bytes()
    for name in ("table.csv", "table.arff", "table.dta"):
        assert len(table(tmp_path, content, name=name)) == 10 and sheets(tmp_path / name) == ()


def test_damaged_packed_and_empty_files_are_refused(tmp_path: Path) -> None:
    content = spss(tmp_path / "a.sav").read_bytes()
    for part in (content[:100], content[:-300], content[:8] + bytes(400)):
        assert wording.NOT_AN_SPSS_FILE in refused(tmp_path, part, name="b.sav").sentence
    pyreadstat.write_sav(survey_frame().iloc[:0], tmp_path / "empty.sav")
    assert wording.NO_RECORDS in refused(tmp_path, (tmp_path / "empty.sav").read_bytes(), name="b.sav").sentence
    damaged_list = written(tmp_path, b"RDX3\nX\n" + bytes(600), "b.rdata")
    with pytest.raises(DataError, match="damaged"):
        sheets(damaged_list)
    for head in (
        bytes(12) + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf",
        b"HEADER RECORD*******LIB",
        b"<stata_dta>",
        b"RDX3\nX\n",
    ):
        assert "damaged" in refused(tmp_path, head + bytes(600), name="b.bin").sentence


def test_a_table_that_cannot_fit_into_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("algorithms.io.typed.statistics_files.free_memory", lambda: 100)
    content = spss(tmp_path / "a.sav").read_bytes()
    assert wording.MORE_THAN_FIT in refused(tmp_path, content, name="b.sav").sentence


def test_a_process_without_memory_or_time_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = spss(tmp_path / "a.sav").read_bytes()
    monkeypatch.setattr(statistics_files, "LIMITS", ProcessLimits(memory=1 << 20))
    assert refused(tmp_path, content, name="b.sav").place == "b.sav"
    monkeypatch.setattr(statistics_files, "LIMITS", ProcessLimits(seconds=0.01))
    assert wording.TOOK_MORE_THAN in refused(tmp_path, content, name="b.sav").sentence


def test_it_is_read_with_progress_until_stopped(tmp_path: Path) -> None:
    path = spss(tmp_path / "a.sav")
    steps: list[float] = []

    class Stopping(RunContext):
        def advance(self, done: int, total: int | None = None) -> None:
            super().advance(done, total)
            steps.append(self.progress() or 0.0)
            self.cancel()

    with pytest.raises(Cancelled):
        read(path, Stopping())
    assert steps == [1.0]


def test_without_the_libraries_the_command_that_installs_them_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(extras, "import_module", absent)
    for start, format in ((b"$FL2@(#)", "SPSS"), (b"\x72\x02\x01\x00", "Stata"), (b"RDX3\nX\n", "an R file")):
        error = refused(tmp_path, start + bytes(600), name="a.bin")
        assert isinstance(error, MissingExtraError) and error.remedy.endswith(STATISTICS.command)
        assert format in error.sentence and "pyreadstat" in error.sentence


columns = st.one_of(
    st.lists(st.one_of(st.none(), st.floats(-1e9, 1e9)), min_size=1, max_size=30),
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6), min_size=1, max_size=30),
    st.lists(st.dates(date(1600, 1, 1), date(3000, 1, 1)), min_size=1, max_size=30),
)


def seen(value: object) -> object:
    """A value as the program keeps it in a column of numbers, texts or dates."""
    if isinstance(value, date):
        return float((value - date(1970, 1, 1)).days * 86400)
    return value.strip() or None if isinstance(value, str) else value


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(columns, st.sampled_from(["sav", "zsav", "dta", "xpt", "rds"]))
def test_any_column_comes_back(tmp_path: Path, column: list[Any], format: str) -> None:
    path = tmp_path / f"a.{format}"
    is_text, is_date = isinstance(column[0], str), isinstance(column[0], date)
    if not is_text and not is_date:
        column = [np.nan if value is None else value for value in column]
    frame = pd.DataFrame({"x": column, "n": range(len(column))})
    if format in ("sav", "zsav"):
        pyreadstat.write_sav(frame, path, compress=format == "zsav")
    elif format == "rds":
        pyreadr.write_rds(str(path), frame)
    else:
        (pyreadstat.write_dta if format == "dta" else pyreadstat.write_xport)(frame, path)
    kind = AttributeKind.TEXT if is_text else AttributeKind.DATE if is_date else AttributeKind.NUMERIC
    data = read(path, RunContext(), ReadOptions(kinds={"x": kind}, missing=()))
    expected = [None if isinstance(value, float) and np.isnan(value) else seen(value) for value in column]
    if format == "xpt" and kind is AttributeKind.NUMERIC:
        assert cells(data, "x") == [None if value is None else pytest.approx(value) for value in expected]
    else:
        assert cells(data, "x") == expected


@pytest.mark.parametrize("shown", ["%td", "%-td", "%-tdCCYY.NN.DD", "%-d"])
def test_dates_of_stata_are_dates_wherever_they_stand_in_their_column(tmp_path: Path, shown: str) -> None:
    path, frame = tmp_path / "days.dta", pd.DataFrame({"day": [21916.0, 21917.0] * 10, "y": ["a", "b"] * 10})
    pyreadstat.write_dta(frame, path, variable_format={"day": shown})
    data = read(path, RunContext())
    assert data.schema.attributes[0].kind is AttributeKind.DATE
    assert data.column(0)[0] == np.datetime64("2020-01-02", "s").astype(np.int64)


def test_labels_of_values_stay_distinct_if_one_is_named_like_another_with_its_value(tmp_path: Path) -> None:
    path, frame = tmp_path / "q.sav", pd.DataFrame({"q": [1.0, 2.0, 3.0] * 10, "y": ["a", "b", "c"] * 10})
    pyreadstat.write_sav(frame, path, variable_value_labels={"q": {1.0: "a", 2.0: "a", 3.0: "a (1)"}})
    data = read(path, RunContext())
    assert data.schema.attributes[0].values == ("a (1) 2", "a (2)", "a (1)")
    assert data.column(0)[:3].tolist() == [0, 1, 2]
