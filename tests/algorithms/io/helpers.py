"""What the tests of reading share."""

from __future__ import annotations

from pathlib import Path

import pytest

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.io.reading import ReadOptions, read


def written(folder: Path, content: str | bytes, name: str = "table.csv") -> Path:
    """A file with this content."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def table(folder: Path, content: str | bytes, options: ReadOptions | None = None, name: str = "table.csv") -> Dataset:
    """The table read from a file with this content."""
    return read(written(folder, content, name), RunContext(), options)


def kinds(data: Dataset) -> dict[str, AttributeKind]:
    return {attribute.name: attribute.kind for attribute in data.schema.attributes}


def cells(data: Dataset, name: str) -> list[object]:
    """A column as a person sees it: labels, numbers, strings; None where missing."""
    index = data.schema.index_of(name)
    attribute, column, missing = data.schema.attributes[index], data.column(index).tolist(), data.missing(index)
    labels = [*attribute.values, None]
    seen = [labels[value] if attribute.kind.is_coded else value for value in column]
    return [None if absent else value for value, absent in zip(seen, missing.tolist(), strict=True)]


def refused(
    folder: Path, content: str | bytes, options: ReadOptions | None = None, name: str = "table.csv"
) -> DataError:
    """The error that reading raises; it has a sentence, a remedy and a place."""
    with pytest.raises(DataError) as caught:
        table(folder, content, options, name)
    error = caught.value
    assert error.sentence.endswith(".") and error.remedy and error.place
    return error
