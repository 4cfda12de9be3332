"""Tables from the clipboard."""

from __future__ import annotations

import pytest

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.io.text.delimited import PASTED, read_text, sniff_text
from algorithms.io.text.options import ReadOptions
from tests.algorithms.io.helpers import cells, kinds
from tests.expected_texts import core as core_wording
from tests.expected_texts import io as wording

SHEET = 'size\tcolour\tkind\n1,5\tred, dark\ta\n2,5\t"two\nlines"\tb\n3,5\tblue\ta\n'


def pasted(text: str, options: ReadOptions | None = None) -> Dataset:
    return read_text(text, RunContext(), options)


def test_cells_copied_from_a_spreadsheet_are_a_table() -> None:
    data = pasted(SHEET)
    assert kinds(data) == {
        "size": AttributeKind.NUMERIC,
        "colour": AttributeKind.NOMINAL,
        "kind": AttributeKind.NOMINAL,
    }
    assert cells(data, "size") == [1.5, 2.5, 3.5]
    assert cells(data, "colour") == ["red, dark", "two\nlines", "blue"]
    assert data.origin.name == PASTED
    assert data.origin.path is None


def test_text_with_commas_and_arff_are_tables_too() -> None:
    assert len(pasted("a,b\n1,x\n2,y\n3,x\n")) == 3
    text = "@relation r\n@attribute x numeric\n@attribute c {p,q}\n@data\n1,p\n2,q\n"
    assert pasted(text).schema.classes == (
        "p",
        "q",
    )


def test_what_was_recognised_can_be_corrected() -> None:
    assert sniff_text(SHEET).decimal == ","
    assert sniff_text(SHEET).header is True
    assert len(pasted("x\ty\nu\tv\n", ReadOptions(header=False))) == 2


@pytest.mark.parametrize("text", ["", "  \n \n", "just a sentence", "one\ntwo\nthree\n", "https://example.org/x"])
def test_what_is_no_table_is_said_to_be_none(text: str) -> None:
    with pytest.raises(DataError) as caught:
        pasted(text)
    assert caught.value.sentence and wording.COPY_THE_CELLS in (caught.value.remedy or "")
    assert caught.value.place == PASTED


def test_a_faulty_line_is_named() -> None:
    with pytest.raises(DataError) as caught:
        pasted("a\tb\n1\t2\n3\t4\n5\t6\t7\n")
    assert caught.value.place == core_wording.at_line("pasted table", 4)
