"""After an edit only the columns that it touched are counted anew."""

from __future__ import annotations

import pytest

from algorithms.data import summary as module
from algorithms.data.convert_kind import recast
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric, renamed
from algorithms.data.summary import summarize


def table() -> Dataset:
    return Dataset(Schema((numeric("a"), numeric("b"), nominal("c", ["x", "y"])), 2), [[1.0, 2.0], [3.0, 3.0], [0, -1]])


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the columns whose distinct values were counted."""
    names: list[str] = []
    original = module.count_distinct

    def count(attribute: Attribute, column: object) -> int:
        names.append(attribute.name)
        return original(attribute, column)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "count_distinct", count)
    return names


def facts(data: Dataset) -> list[tuple[str, int, int]]:
    return [(a.attribute.name, a.n_missing, a.n_distinct) for a in summarize(data).attributes]


def test_a_rename_and_another_class_count_nothing(counted: list[str]) -> None:
    data = table()
    summarize(data)
    counted.clear()
    edited = data.with_schema(data.schema.with_attribute(0, renamed(numeric("a"), "z"))).with_class("z")
    assert facts(edited) == [("z", 0, 2), ("b", 0, 1), ("c", 1, 1)]
    assert summarize(edited).class_counts is None and counted == []


def test_a_changed_column_is_counted_anew(counted: list[str]) -> None:
    data = table()
    summarize(data)
    counted.clear()
    edited = recast(data, 1, AttributeKind.NOMINAL).with_cells(0, [0], [2.0])
    assert facts(edited) == [("a", 0, 1), ("b", 0, 1), ("c", 1, 1)]
    assert counted == ["a", "b"]


def test_removed_columns_do_not_shift_the_counts(counted: list[str]) -> None:
    data = table()
    summarize(data)
    counted.clear()
    assert facts(data.select_columns([2, 0])) == [("c", 1, 1), ("a", 0, 2)]
    assert counted == []


def test_other_rows_are_counted_anew() -> None:
    data = table()
    summarize(data)
    assert facts(data.take([1])) == [("a", 0, 1), ("b", 0, 1), ("c", 1, 0)]


def test_swapped_names_do_not_swap_the_counts() -> None:
    data = table()
    summarize(data)
    swapped = Schema((numeric("b"), numeric("a"), data.schema.attributes[2]), 2)
    assert facts(data.with_schema(swapped)) == [("b", 0, 2), ("a", 0, 1), ("c", 1, 1)]
