"""What is written as CSV reads back the same."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from algorithms.core.errors import Cancelled, DataError
from algorithms.core.registry import Sample
from algorithms.core.run_control import RunContext
from algorithms.data.columns import STRING
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.io.reading import read
from algorithms.io.samples import samples
from algorithms.io.text.options import ReadOptions, Style
from algorithms.io.text.text_writing import write_csv
from tests.algorithms.io.helpers import cells

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=12)
LABEL = TEXT.filter(lambda text: text.strip() == text and "\ufeff" not in text)
NUMBER = st.none() | st.floats(allow_nan=False, allow_infinity=False)
MOMENT = st.none() | st.integers(-(10**9), 10**10)


def options_for(data: Dataset) -> ReadOptions:
    """The options that read what :func:`write_csv` wrote as it was: only an empty field is missing, kinds are given."""
    return ReadOptions(
        delimiter=",",
        decimal=".",
        thousands="",
        encoding="utf-8",
        quote='"',
        header=True,
        missing=(),
        kinds={attribute.name: attribute.kind for attribute in data.schema.attributes},
        class_name="" if data.schema.class_index is None else data.schema.class_attribute.name,
    )


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.tuples(NUMBER, st.none() | LABEL, st.none() | TEXT, MOMENT), min_size=1, max_size=12),
    name=LABEL.filter(lambda text: text not in ("label", "text", "when")),
)
def test_any_table_reads_back_the_same(tmp_path: Path, rows: list[tuple[object, ...]], name: str) -> None:
    numbers, labels, texts, moments = (list(column) for column in zip(*rows, strict=True))
    values = tuple(sorted({label for label in labels if isinstance(label, str)}))
    schema = Schema(
        (
            numeric(name),
            nominal("label", values),
            Attribute("text", AttributeKind.TEXT),
            Attribute("when", AttributeKind.DATE),
        ),
        1,
    )
    columns = [
        np.array([math.nan if v is None else v for v in numbers], dtype=np.float64),
        np.array([-1 if v is None else values.index(str(v)) for v in labels], dtype=np.int8),
        np.array([np.nan if v is None else v for v in texts], dtype=object).astype(STRING),
        np.array([math.nan if v is None else v for v in moments], dtype=np.float64),
    ]
    data = Dataset(schema, columns)
    path = tmp_path / "table.csv"
    write_csv(path, data)
    again = read(path, RunContext(), options_for(data))
    assert again.schema.names == schema.names
    assert [a.kind for a in again.schema.attributes] == [a.kind for a in schema.attributes]
    assert again.schema.class_index == 1
    for index, attribute in enumerate(schema.attributes):
        assert cells(again, again.schema.names[index]) == cells(data, attribute.name)


@pytest.mark.parametrize("sample", [s for s in samples() if s.id != "xor-with-bystanders"], ids=lambda s: s.id)
def test_a_sample_reads_back_the_same(tmp_path: Path, sample: Sample) -> None:
    data = sample.make(50, 1, RunContext())
    path = tmp_path / "table.csv"
    write_csv(path, data)
    again = read(path, RunContext(), options_for(data))
    assert again.schema.class_index == data.schema.class_index
    for name in data.schema.names:
        assert cells(again, name) == cells(data, name)


def test_only_the_chosen_rows_and_edited_cells_are_written(tmp_path: Path) -> None:
    data = Dataset(Schema((numeric("a"), nominal("b", ("x", "y")))), [[1.0, 2.5, -0.0], [0, 1, 0]])
    write_csv(tmp_path / "table.csv", data.with_cells(0, [1], [math.nan]).take([2, 1]))
    assert (tmp_path / "table.csv").read_text() == "a,b\n-0.0,x\n,y\n"


def test_a_missing_value_in_the_only_column_is_not_a_blank_line(tmp_path: Path) -> None:
    data = Dataset(Schema((numeric("a"),)), [[1.5, math.nan, 2.0]])
    write_csv(tmp_path / "table.csv", data)
    assert cells(read(tmp_path / "table.csv", RunContext()), "a") == [1.5, None, 2.0]


def test_a_stopped_or_failed_writing_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("old\n")
    context = RunContext()
    context.cancel()
    data = Dataset(Schema((numeric("a"),)), [np.arange(10.0)])
    with pytest.raises(Cancelled):
        write_csv(path, data, context)
    assert path.read_text() == "old\n"
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]
    with pytest.raises(DataError) as caught:
        write_csv(tmp_path / "nowhere" / "table.csv", data)
    assert caught.value.remedy


def test_formulas_are_neutralised_on_request_and_numbers_stay(tmp_path: Path) -> None:
    schema = Schema((numeric("-x"), nominal("=list", ("=1+1", "-5")), Attribute("text", AttributeKind.TEXT)), 1)
    data = Dataset(schema, [[-1.5, -math.inf], [0, 1], np.array(["+cmd|'a;b'", "\t@x"], dtype=STRING)])
    path = tmp_path / "a.csv"
    write_csv(path, data)
    assert path.read_bytes() == b"-x,=list,text\n-1.5,=1+1,+cmd|'a;b'\n-inf,-5,\"\t@x\"\n"
    write_csv(path, data, style=Style(delimiter=";", neutral=True))
    assert path.read_bytes() == b"'-x;'=list;text\n-1.5;'=1+1;\"'+cmd|'a;b'\"\n-inf;-5;'\t@x\n"
