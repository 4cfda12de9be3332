"""LIBSVM text becomes a dense table with the label as class, as scikit-learn reads it, and no text does harm."""

from __future__ import annotations

import bz2
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from algorithms.core.run_control import RunContext
from algorithms.data.schema import AttributeKind
from algorithms.io.reading import LIBSVM, ReadOptions, format_of, read
from algorithms.io.text.delimited import read_text, sniff_text
from algorithms.io.text.text_source import TextFile
from tests.algorithms.io.helpers import cells, kinds, refused, table, written
from tests.expected_texts import io as wording

TEXT = "+1 1:0.5 3:1e-3 # first\n-1 2:1\n\n# a remark 1:2\n+1 3:-2.25\r\n"
NAME = "table.libsvm"


@pytest.mark.parametrize("name", [NAME, "table.txt", "table.csv"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_labels_are_the_class_and_unlisted_values_are_zero(tmp_path: Path, name: str, encoding: str) -> None:
    data = table(tmp_path, TEXT.encode(encoding), name=name)
    assert data.schema.names == ("att_1", "att_2", "att_3", "class") and data.schema.classes == ("-1", "1")
    assert cells(data, "att_1") == [0.5, 0, 0] and cells(data, "att_3") == [0.001, 0, -2.25]
    assert cells(data, "class") == ["1", "-1", "1"] and wording.ZERO_UNLESS_LISTED in data.origin.description


def test_queries_zero_based_indices_several_labels_and_missing_numbers_are_read(tmp_path: Path) -> None:
    data = table(tmp_path, "1,3 qid:4 0:1 2:nan\n2 qid:4 0:inf\n2 qid:12\n")
    assert data.schema.names == ("att_0", "att_1", "att_2", "qid", "class")
    assert cells(data, "qid") == ["4", "4", "12"] and kinds(data)["qid"] is AttributeKind.IDENTIFIER
    assert cells(data, "class") == ["1,3", "2", "2"] and cells(data, "att_0") == [1, None, 0]
    assert cells(data, "att_2") == [None, 0, 0] and wording.COUNT_AS_MISSING in data.origin.description


def test_the_first_attribute_has_index_one_unless_zero_occurs(tmp_path: Path) -> None:
    data = table(tmp_path, "1 3:5\n-1 2:1\n", ReadOptions(kinds={"absent": AttributeKind.NOMINAL}), name=NAME)
    assert data.schema.names == ("att_1", "att_2", "att_3", "class")
    assert [data.column(index).tolist() for index in range(3)] == [[0, 0], [0, 1], [5, 0]]


@pytest.mark.parametrize(("n", "kind"), [(20, AttributeKind.NOMINAL), (21, AttributeKind.NUMERIC)])
def test_few_whole_labels_are_classes(tmp_path: Path, n: int, kind: AttributeKind) -> None:
    text = "".join(f"{k % n} 1:{k}\n" for k in range(3 * n))
    assert kinds(table(tmp_path, text, name=NAME))["class"] is kind


def test_labels_with_fractions_or_of_very_many_values_are_numbers(tmp_path: Path) -> None:
    assert kinds(table(tmp_path, "0.5 1:1\n2 1:3\n"))["class"] is AttributeKind.NUMERIC
    years = "".join(f"{1900 + k} 1:{k}\n" for k in range(100))
    assert kinds(table(tmp_path, years))["class"] is AttributeKind.NUMERIC
    many = "".join(f"{k % 100} 1:{k}\n" for k in range(1000))
    assert len(table(tmp_path, many).schema.classes) == 100
    assert table(tmp_path, "1 1:1\n1_0 1:3\n" * 9, name=NAME).schema.classes == ("1", "1_0")
    given_kind = ReadOptions(kinds={"class": AttributeKind.NOMINAL}, class_name="class")
    assert len(table(tmp_path, years, given_kind).schema.classes) == 100


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("1 1:2\n1 1:2 x\n", 2),
        ("1 1:2\n\n1 1:2:3\n", 3),
        ("1 1:2\n1 1:two\n1 1:3\n", 2),
        ("1 1:2\n1 1:2 3 4\n", 2),
        ("1 1:2\n1 1:2_5\n", 2),
        ("1 1:2\n1 2:2 1:3\n", 2),
        ("1 1:2\n1 2:2 2:3\n", 2),
        ("1 1:2\n1 9999999999:1\n", 2),
    ],
)
def test_a_damaged_line_is_refused_with_its_number(tmp_path: Path, text: str, line: int) -> None:
    assert refused(tmp_path, text, name=NAME).place == f"{NAME}, line {line}"


def test_a_table_that_is_too_wide_or_too_large_is_refused_with_its_width(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = "1 3:1\n-1 1355191:1\n1 5:2\n"
    assert refused(tmp_path, wide, name=NAME).sentence == wording.TOO_WIDE_LIBSVM
    monkeypatch.setattr("algorithms.io.typed_columns.free_memory", lambda: 1_000_000)
    large = "".join(f"{k % 2} {k % 9 + 1}:1 40000:1\n" for k in range(100))
    assert wording.RECORDS_OF_40000 in refused(tmp_path, large, name=NAME).sentence


def test_packed_pasted_and_empty_texts(tmp_path: Path) -> None:
    assert len(table(tmp_path, bz2.compress(TEXT.encode()), name="a9a.bz2")) == 3
    assert read_text(TEXT, RunContext()).schema.names[-1] == "class" and sniff_text(TEXT).delimiter is None
    assert len(table(tmp_path, "1\n-1\n" * 9, name=NAME).schema) == 1
    assert wording.NO_RECORDS in refused(tmp_path, "# 1 1:2\n" * 3, name=NAME).sentence


@pytest.mark.parametrize("text", ["1 10:30 11:45\n2 09:15 12:00\n", "label pairs\n1 3:0.5\n", "1 2 3\n4 5 6\n"])
def test_an_ordinary_text_is_not_mistaken_for_it(tmp_path: Path, text: str) -> None:
    with TextFile(written(tmp_path, text)) as source:
        assert format_of(source) is not LIBSVM


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(st.integers(1, 8), st.integers(1, 40), st.booleans(), st.integers(0, 2**32 - 1))
def test_it_is_read_as_scikit_learn_reads_it(tmp_path: Path, width: int, n: int, zero_based: bool, seed: int) -> None:
    random = np.random.default_rng(seed)
    numbers = np.where(random.random((n, width)) < 0.5, 0, random.normal(size=(n, width)))
    numbers[0] = 1.5
    content = io.BytesIO()
    dump_svmlight_file(numbers, random.integers(0, 3, n), content, zero_based=zero_based, comment="made")
    path = written(tmp_path, content.getvalue(), NAME)
    expected, labels = load_svmlight_file(str(path), zero_based=zero_based)
    data = read(path, RunContext())
    assert np.array_equal(np.column_stack([data.column(k) for k in range(width)]), expected.toarray())
    assert [float(str(cell)) for cell in cells(data, "class")] == labels.tolist()
