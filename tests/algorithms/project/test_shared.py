"""What data sets share is written once, and what is gone is not kept for it."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from algorithms.core.errors import ModelFileError
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.project import shared_storage
from algorithms.project.shared_storage import SharedReader, SharedWriter
from tests.expected_texts import project as wording


class Counts:
    """An outlet that counts what goes out."""

    def __init__(self) -> None:
        self.n = 0

    def array(self, number: int, array: NDArray[Any]) -> None:
        self.n += 1

    def definition(self, values: Mapping[str, Any]) -> None:
        self.n += 1


def table(at: int) -> Dataset:
    values = tuple(f"value {at} {n}" for n in range(300))
    schema = Schema(
        (Attribute(f"x{at}", AttributeKind.NUMERIC), Attribute("list", AttributeKind.NOMINAL, values)), None
    )
    return Dataset(schema, [np.arange(3.0) + at, np.zeros(3, dtype=np.int16)])


def test_a_writer_of_many_tables_remembers_those_alive_and_a_bounded_number_of_lists(monkeypatch: Any) -> None:
    monkeypatch.setattr(shared_storage, "MOST_TUPLES", 20)
    monkeypatch.setattr(shared_storage, "MOST_GROUPS", 20)
    outlet = Counts()
    writer = SharedWriter(outlet)
    for at in range(200):
        writer.data(table(at))
    gc.collect()
    assert len(writer._known) < 40 and len(writer._groups) <= 20


def test_what_is_the_same_is_written_once() -> None:
    outlet = Counts()
    writer = SharedWriter(outlet)
    data = table(1)
    number = writer.data(data)
    before = outlet.n
    assert writer.data(data) == number and outlet.n == before
    edited = data.with_cells(0, np.array([0]), np.array([5.0]))
    writer.data(edited)
    assert outlet.n - before <= 4, "an edited cell: where, what, and the data set"


def test_the_description_of_an_attribute_is_kept() -> None:
    written: list[Mapping[str, Any]] = []
    outlet = Counts()
    outlet.definition = written.append  # type: ignore[method-assign]
    number = SharedWriter(outlet).attribute(Attribute("x", AttributeKind.NUMERIC, description="in cm"))
    reader = SharedReader()
    reader.definition(written[-1])
    assert reader.things[number].description == "in cm"


@pytest.mark.parametrize(("name", "values"), [("x\ud800", []), ("x", ["a", "\ud800"]), ("x", ["a", "a"])])
def test_an_attribute_that_no_file_can_hold_is_refused(name: str, values: list[str]) -> None:
    """Half of a surrogate pair was let in, and every table written from that project failed."""
    described = {"name": name, "kind": "nominal", "used": True, "values": values}
    with pytest.raises(ModelFileError, match=wording.MAKES_NO_SENSE):
        SharedReader().definition({"define": "attribute", "number": 0, **described})
