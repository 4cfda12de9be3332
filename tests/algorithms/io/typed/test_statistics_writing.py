"""Files of SPSS, Stata and SAS read back the same, with names that those programs allow."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from algorithms.core.errors import Cancelled, DataError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import STRING
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.io.reading import ReadOptions, read
from algorithms.io.typed.statistics_files import SAS, SPSS, STATA, StatisticsFormat, lawful_names
from algorithms.io.writing import write_table
from tests.algorithms.io.helpers import cells
from tests.algorithms.io.test_table_formats import LABEL, storage, tables
from tests.expected_texts import io as wording

pyreadstat = pytest.importorskip("pyreadstat", reason="the extra statistics-files is not installed")
FORMATS = {".sav": SPSS, ".dta": STATA, ".xpt": SAS}
EXAMPLES = int(os.environ.get("COPPICE_EXAMPLES", "5"))
"""A child process writes and reads each, which takes seconds."""
READ = {".sav": pyreadstat.read_sav, ".dta": pyreadstat.read_dta, ".xpt": pyreadstat.read_xport}


@pytest.mark.parametrize("suffix", FORMATS)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=tables())
def test_any_table_reads_back_the_same(tmp_path: Path, suffix: str, data: Dataset) -> None:
    path, format = tmp_path / f"table{suffix}", FORMATS[suffix]
    for index, attribute in enumerate(data.schema.attributes):
        numbers = data.column(index) if attribute.kind is AttributeKind.NUMERIC else np.zeros(0)
        if (np.abs(numbers) > format.largest).any() or (suffix == ".xpt" and (np.abs(numbers) < 1e-70).any()):
            data = data.with_column(index, attribute, np.arange(len(data)) / 7)
    write_table(path, data)
    names = lawful_names(data.schema.names, format)
    kinds = {
        name: attribute.kind
        for name, attribute in zip(names, data.schema.attributes, strict=True)
        if not (attribute.kind.is_coded and format.longest_value_label)
    }
    again = read(path, RunContext(), ReadOptions(class_name="", missing=(), kinds=kinds))
    assert list(again.schema.names) == names
    for index, attribute in enumerate(data.schema.attributes):
        found = again.schema.attributes[index]
        assert cells(again, found.name) == cells(data, attribute.name)
        assert found.description == expected_label(attribute, found.name)
        if data.missing(index).all():
            continue
        assert storage(found) == storage(attribute)
        if attribute.kind.is_coded and format.longest_value_label:
            assert found.values == attribute.values
            assert (found.kind is attribute.kind) == (suffix == ".sav" or attribute.kind is AttributeKind.NOMINAL)


def expected_label(attribute: Attribute, name: str) -> str:
    parts = [*([attribute.name] if name != attribute.name else []), *filter(None, [attribute.description])]
    return " ".join(": ".join(parts).split())


@settings(max_examples=100, deadline=None)
@given(names=st.lists(LABEL, min_size=1, max_size=8, unique=True), format=st.sampled_from([*FORMATS.values()]))
def test_names_become_lawful_and_stay_different(names: list[str], format: StatisticsFormat) -> None:
    lawful = lawful_names(names, format)
    assert len({name.casefold() for name in lawful}) == len(names)
    for name in lawful:
        assert format.illegal.search(name) is None and name[0].isalpha() | (name[0] == "_")
        assert len(name) <= format.longest_name[0] and len(name.encode()) <= format.longest_name[1]
    assert lawful_names(lawful, format) == lawful


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_library_accepts_names_and_values_of_any_kind(tmp_path: Path, suffix: str) -> None:
    names = [
        "größe",
        "日本語",
        "a b",
        "1a",
        "_a",
        "a.b",
        "@a",
        "int",
        "str5",
        "x" * 70,
        "X" * 70,
        "ü" * 40,
        "",
        "a\n",
        "A B",
    ]
    schema = Schema((*map(numeric, names), nominal("label", ("ü" * 80, "no"))))
    data = Dataset(schema, [*([[1.0, 2.0]] * len(names)), [0, 1]])
    path = tmp_path / f"table{suffix}"
    write_table(path, data)
    frame, meta = READ[suffix](path)
    assert len(frame.columns) == len(names) + 1 and len(set(map(str.lower, frame.columns))) == len(names) + 1
    assert meta.column_names_to_labels[frame.columns[2]] == "a b"
    again = read(path, RunContext(), ReadOptions(kinds={"label": AttributeKind.NOMINAL}))
    assert cells(again, "label") == ["ü" * 80, "no"]


@pytest.mark.parametrize("suffix", FORMATS)
def test_days_and_moments_are_dates_in_the_program(tmp_path: Path, suffix: str) -> None:
    day, moment = (Attribute(name, AttributeKind.DATE) for name in ("day", "moment"))
    data = Dataset(Schema((day, moment)), [[86400.0 * 365, np.nan], [0.5, -86400.0]])
    path = tmp_path / f"table{suffix}"
    write_table(path, data)
    frame, _ = READ[suffix](path)
    assert str(frame["day"][0])[:10] == "1971-01-01"
    assert str(frame["moment"][1])[:19] == "1969-12-31 00:00:00"


def test_pandas_reads_what_is_written_for_stata(tmp_path: Path) -> None:
    kinds = nominal("kind", ("low", "high", "never"), ordinal=True)
    notes = np.array(["日本", np.nan, "=1+1"], dtype=object).astype(STRING)
    when = Attribute("when", AttributeKind.DATE)
    schema = Schema((numeric("x"), kinds, Attribute("note", AttributeKind.TEXT, description="said"), when))
    write_table(tmp_path / "a.dta", Dataset(schema, [[0.1, np.nan, -2.0], [1, -1, 0], notes, [0.0, 86400.0, np.nan]]))
    frame = pd.read_stata(tmp_path / "a.dta")
    assert frame["x"].tolist()[::2] == [0.1, -2.0] and frame["x"].isna().tolist() == [False, True, False]
    assert frame["kind"].cat.categories.tolist() == ["low", "high"] and frame["kind"].cat.codes.tolist() == [1, -1, 0]
    assert frame["note"].tolist() == ["日本", "", "=1+1"]
    assert frame["when"].tolist()[:2] == [pd.Timestamp("1970-01-01"), pd.Timestamp("1970-01-02")]


def test_what_the_program_cannot_hold_is_refused_by_name(tmp_path: Path) -> None:
    for suffix, number in (("dta", 1e308), ("sav", np.finfo(np.float64).max), ("xpt", 1e76)):
        with pytest.raises(DataError, match=wording.TAKEN_FOR_MISSING):
            write_table(tmp_path / f"a.{suffix}", Dataset(Schema((numeric("x"),)), [[number, 1.0]]))
    long = np.array(["x" * 40_000, "y"], dtype=STRING)
    with pytest.raises(DataError, match=wording.TEXTS_TOO_LONG):
        write_table(tmp_path / "a.sav", Dataset(Schema((Attribute("t", AttributeKind.TEXT),)), [long]))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_table_that_the_disk_cannot_hold_is_refused(tmp_path: Path, suffix: str) -> None:
    """A limit of a file's size stands for the full disk; the library reports none for files of SAS."""
    resource = pytest.importorskip("resource")
    numbers = [np.random.default_rng(column).normal(size=2000) for column in range(6)]
    data = Dataset(Schema(tuple(numeric(f"x{column}") for column in range(6))), numbers)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, before[1]))
    try:
        with pytest.raises(DataError, match=wording.NOT_WRITTEN_AS_A_WHOLE):
            write_table(tmp_path / f"table{suffix}", data)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_text_with_a_zero_character_is_refused_and_not_cut(tmp_path: Path, suffix: str) -> None:
    note = Attribute("note", AttributeKind.TEXT)
    texts = Dataset(Schema((note,)), [np.array(["a\0b", "c"], dtype=object).astype(STRING)])
    for data in (texts, Dataset(Schema((nominal("note", ("a\0b", "c")),)), [[0, 1]])):
        with pytest.raises(DataError, match=wording.ZERO_CHARACTER):
            write_table(tmp_path / f"table{suffix}", data)


def test_a_changed_name_gives_way_to_a_lawful_one_and_ends_in_no_point() -> None:
    assert lawful_names(["a b", "A_b", "a-b"], STATA) == ["a_b_2", "A_b", "a_b_3"]
    assert lawful_names(["x."], SPSS) == ["x_"]


@pytest.mark.parametrize("suffix", FORMATS)
def test_values_of_which_one_is_empty_are_texts(tmp_path: Path, suffix: str) -> None:
    data = Dataset(Schema((nominal("word", ("", "b")), numeric("x"))), [[0, 1, -1], [1.0, 2.0, 3.0]])
    write_table(tmp_path / f"table{suffix}", data)
    again, _ = READ[suffix](tmp_path / f"table{suffix}")
    assert again["word"].fillna("").tolist() == ["", "b", ""]


@pytest.mark.parametrize("suffix", FORMATS)
def test_reserved_names_are_changed(tmp_path: Path, suffix: str) -> None:
    names = ["_N", "_all", "_b", "_coef", "_cons", "_pi", "_pred", "_rc", "_skip", "_ERROR_", "_N_", "_numeric_"]
    data = Dataset(Schema(tuple(map(numeric, names))), [np.arange(3.0)] * len(names))
    write_table(tmp_path / f"table{suffix}", data)
    again, _ = READ[suffix](tmp_path / f"table{suffix}")
    assert list(again.columns) == [f"v{name}" for name in names]


def test_a_stop_ends_the_child_and_leaves_the_old_file(tmp_path: Path) -> None:
    path, context = tmp_path / "table.sav", RunContext()
    data = Dataset(Schema(tuple(numeric(f"x{i}") for i in range(20))), [np.arange(200_000.0)] * 20)
    path.write_text("old")
    asked = list[int]()
    original = context.checkpoint

    def stop_while_the_child_writes() -> None:
        asked.append(1)
        if len(asked) == 25:
            context.cancel()
        original()

    context.checkpoint = stop_while_the_child_writes  # type: ignore[method-assign]
    with pytest.raises(Cancelled):
        write_table(path, data, context)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["table.sav"]
