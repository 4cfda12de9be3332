"""What is written in any format reads back the same, and a failure leaves what was there."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from algorithms.core.errors import Cancelled, DataError, MissingExtraError
from algorithms.core.extras import Extra
from algorithms.core.run_control import RunContext
from algorithms.data.columns import STRING
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.io.reading import ReadOptions, read
from algorithms.io.text.options import Style
from algorithms.io.writing import CSV, EXCEL, SAS, SPSS, STATA, TSV, WRITABLE, write_table, written_format
from tests.algorithms.io.helpers import cells
from tests.expected_texts import core as core_wording
from tests.expected_texts import io as wording

USABLE = [format for format in WRITABLE if format.extra is None or format.extra.is_installed]
SUFFIXES = [format.suffixes[0] for format in USABLE if format not in (CSV, TSV, EXCEL, SPSS, STATA, SAS)]
DECLARED = [".arff"]
LABELLED = [".parquet", ".feather"]
ORDERED = [".parquet", ".feather"]
"""The formats that declare all kinds, those that declare nominal ones and descriptions, and ordinal ones."""
KINDS = [AttributeKind.NUMERIC, AttributeKind.NOMINAL, AttributeKind.ORDINAL, AttributeKind.TEXT, AttributeKind.DATE]
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00\ufeff"), min_size=1, max_size=12)
LABEL = TEXT.filter(lambda text: text.strip() == text)
CELLS = {
    AttributeKind.NUMERIC: st.floats(allow_nan=False, allow_infinity=False),
    AttributeKind.NOMINAL: LABEL,
    AttributeKind.ORDINAL: LABEL,
    AttributeKind.TEXT: LABEL,
    AttributeKind.DATE: st.integers(-(10**9), 10**10),
}


@st.composite
def tables(draw: st.DrawFn) -> Dataset:
    """A table of one to five attributes of any kinds, with missing values and names in any script."""
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=5))
    names = draw(st.lists(LABEL, min_size=len(kinds), max_size=len(kinds), unique_by=str.casefold))
    n = draw(st.integers(1, 12))
    attributes, columns = list[Attribute](), []
    for kind, name in zip(kinds, names, strict=True):
        values = draw(st.lists(st.none() | CELLS[kind], min_size=n, max_size=n))
        labels: tuple[str, ...] = ()
        if kind.is_coded:
            unused = draw(st.lists(LABEL, max_size=2))
            labels = tuple(dict.fromkeys([*unused, *(value for value in values if value is not None)])) or ("a",)
            columns.append(np.array([-1 if v is None else labels.index(v) for v in values], dtype=np.int8))
        elif kind.is_float:
            columns.append(np.array([math.nan if v is None else v for v in values], dtype=np.float64))
        else:
            columns.append(np.array([np.nan if v is None else v for v in values], dtype=object).astype(STRING))
        attributes.append(Attribute(name, kind, labels, description=draw(st.just("") | LABEL)))
    return Dataset(Schema(tuple(attributes)), columns, origin=DataOrigin("made up"))


def small() -> Dataset:
    schema = Schema((Attribute("size", AttributeKind.NUMERIC), Attribute("kind", AttributeKind.NOMINAL, ("a", "b"))), 1)
    return Dataset(schema, [np.array([1.5, math.nan, -3.0]), np.array([0, 1, -1])], origin=DataOrigin("small"))


def undeclared_kinds(suffix: str, data: Dataset) -> dict[str, AttributeKind]:
    """The kinds that a file of this format does not declare, so that reading must be told them."""
    attributes = data.schema.attributes
    if suffix in DECLARED:
        return {}
    is_labelled = suffix in LABELLED
    return {a.name: a.kind for a in attributes if not (is_labelled and a.kind.is_coded)}


def storage(attribute: Attribute) -> str:
    """How the values are stored: formats need not tell identifiers from texts, nor what is ordinal."""
    return "codes" if attribute.kind.is_coded else "strings" if attribute.kind.is_string else attribute.kind.value


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=tables())
def test_any_table_reads_back_the_same(tmp_path: Path, suffix: str, data: Dataset) -> None:
    path = tmp_path / f"table{suffix}"
    path.unlink(missing_ok=True)
    write_table(path, data)
    again = read(path, RunContext(), ReadOptions(class_name="", missing=(), kinds=undeclared_kinds(suffix, data)))
    assert again.schema.names == data.schema.names
    for index, attribute in enumerate(data.schema.attributes):
        if not data.missing(index).all():
            assert storage(again.schema.attributes[index]) == storage(attribute)
        assert cells(again, attribute.name) == cells(data, attribute.name)
        found = again.schema.attributes[index]
        if suffix in LABELLED:
            assert found.description == " ".join(attribute.description.split())
        if attribute.kind.is_coded and suffix in LABELLED + DECLARED and not data.missing(index).all():
            assert found.values == attribute.values
            assert (found.kind is attribute.kind) == (suffix in ORDERED or attribute.kind is AttributeKind.NOMINAL)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=tables())
def test_any_workbook_reads_back_the_same(tmp_path: Path, data: Dataset) -> None:
    """A child process reads each; a record without a value is an empty row, which no program sees."""
    missing = np.array([data.missing(index) for index in range(len(data.schema))])
    assume(not missing.all(axis=0).any() and not missing.all(axis=1).any())
    path = tmp_path / "table.xlsx"
    write_table(path, data)
    kinds = undeclared_kinds(".xlsx", data)
    again = read(path, RunContext(), ReadOptions(class_name="", missing=(), header=True, kinds=kinds))
    assert again.schema.names == data.schema.names
    for name in data.schema.names:
        assert cells(again, name) == cells(data, name)


@pytest.mark.parametrize("suffix", [format.suffixes[0] for format in USABLE])
def test_a_stop_or_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"table{suffix}"
    write_table(path, small())
    before = path.read_bytes()
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    context = RunContext()
    context.cancel()
    with pytest.raises(Cancelled):
        write_table(path, small(), context)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    with pytest.raises(DataError, match=core_wording.CANNOT_BE_WRITTEN) as caught:
        write_table(tmp_path / "nowhere" / path.name, small())
    assert caught.value.remedy


def test_the_name_chooses_the_format_and_what_is_only_read_is_refused(tmp_path: Path) -> None:
    assert [written_format(name).name for name in ("a.ARFF", "a", "a.txt", "a.xlsx")][1:] == ["CSV", "CSV", "Excel"]
    for name, sentence in (("a.json", wording.NOT_WRITTEN_AS_JSON), ("a.csv.gz", wording.NOT_WRITTEN_AS_GZ)):
        with pytest.raises(DataError, match=sentence) as caught:
            write_table(tmp_path / name, small())
        assert ".arff" in caught.value.remedy
    assert list(tmp_path.iterdir()) == []


def test_tabs_stand_between_the_cells_of_a_tsv_and_formulas_are_neutralised_on_request(tmp_path: Path) -> None:
    data = Dataset(Schema((Attribute("a\tb", AttributeKind.NOMINAL, ("=1", "x,y")),)), [[0, 1]])
    tabs, neutral = "size\tkind\n1.5\ta\n\tb\n-3\t\n", '"a\tb"\n\'=1\nx,y\n'
    write_table(tmp_path / "a.tsv", small())
    assert (tmp_path / "a.tsv").read_text("utf-8") == tabs
    write_table(tmp_path / "b.tab", data, style=Style(neutral=True))
    assert (tmp_path / "b.tab").read_text("utf-8") == neutral


ARFF_OF_SMALL = """@relation small

@attribute size numeric
@attribute kind {a,b}
@attribute 'the day' date "yyyy-MM-dd"

@data
1.5,a,1970-01-01,{1}
?,b,1970-01-02,{2}
-3,?,?,{0.5}
"""


@pytest.mark.parametrize("suffix", [format.suffixes[0] for format in WRITABLE if format.extra is not None])
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Extra, "is_installed", False)
    with pytest.raises(MissingExtraError, match=wording.WRITING_IT_NEEDS) as caught:
        write_table(tmp_path / f"table{suffix}", small())
    assert caught.value.remedy.endswith('"')
    assert list(tmp_path.iterdir()) == []


def test_arff_declares_kinds_values_dates_and_weights(tmp_path: Path) -> None:
    when = Attribute("the day", AttributeKind.DATE)
    data = small().with_new_column(when, np.array([0.0, 86400.0, math.nan])).with_weights([1.0, 2.0, 0.5])
    write_table(tmp_path / "a.arff", data)
    assert (tmp_path / "a.arff").read_text("utf-8") == ARFF_OF_SMALL
    again = read(tmp_path / "a.arff", RunContext())
    assert again.weight_array.tolist() == [1.0, 2.0, 0.5]
    assert again.schema.class_attribute.name == "kind"
