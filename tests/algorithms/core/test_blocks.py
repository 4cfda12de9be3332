"""Blocks of cells from a spreadsheet, pasted over cells and beyond the last record."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.data.convert_kind import cell_texts
from algorithms.data.dataset import Dataset
from algorithms.data.editing import new_values, pasted, read_block, tiled
from algorithms.data.schema import Schema, nominal, numeric
from tests.expected_texts import core as wording


def table() -> Dataset:
    return Dataset(Schema((numeric("x"), nominal("c", ("a", "b")), numeric("y"))), [[1, 2, 3], [0, 1, 0], [7, 8, 9]])


def texts(data: Dataset) -> list[list[str | None]]:
    return [cell_texts(a, data.column(i)) for i, a in enumerate(data.schema.attributes)]


def test_a_block_is_read_as_spreadsheets_write_it() -> None:
    assert read_block("1\ta\r\n2\tb\r\n") == [["1", "a"], ["2", "b"]]
    block = '"two\nlines"\t"say ""a"""\nx'
    assert read_block(block) == [["two\nlines", 'say "a"'], ["x", ""]]
    assert read_block("a") == [["a"]]
    assert read_block("\n1") == [[""], ["1"]]
    with pytest.raises(DataError, match="no cells"):
        read_block("\n")


def test_an_empty_cell_at_the_end_of_a_copied_column_is_a_cell() -> None:
    assert read_block("1\r\n\r\n") == [["1"], [""]]


def test_a_quote_that_stands_for_itself_swallows_no_lines() -> None:
    assert read_block('"so\t1\nb\t2') == [['"so', "1"], ["b", "2"]]
    block = '6" pipe\t1'
    assert read_block(block) == [block.split("\t")]


def test_a_long_text_that_begins_with_a_quote_is_read() -> None:
    rows = read_block('"so\n' + "word\n" * 40_000)
    assert (len(rows), rows[0], rows[-1]) == (40_001, ['"so'], ["word"])


def test_a_block_is_repeated_over_an_area_that_holds_it_several_times() -> None:
    assert tiled([["a"]], 2, 3) == [["a"] * 3] * 2
    assert tiled([["a", "b"]], 2, 2) == [["a", "b"], ["a", "b"]]
    assert tiled([["a", "b"]], 2, 3) == [["a", "b"]]


def test_cells_are_pasted_over_and_empty_ones_clear() -> None:
    after = pasted(table(), np.array([1, 2]), [1, 2], [["b", ""], ["c", "5,5"]])
    assert texts(after) == [["1", "2", "3"], ["a", "b", "c"], ["7", None, "5.5"]]
    assert new_values(table(), after) == {"c": ("c",)}


def test_lines_beyond_the_last_record_become_records() -> None:
    after = pasted(table(), np.array([2]), [0, 1, 2], [["30", "a"], ["40", "b"], ["50", ""]])
    assert texts(after) == [["1", "2", "30", "40", "50"], ["a", "b", "a", "b", None], ["7", "8", "9", None, None]]


def test_what_cannot_be_held_is_named_with_its_line_and_nothing_is_pasted() -> None:
    with pytest.raises(DataError, match=wording.Y_IS_NO_NUMBER_IN_LINE_2) as refused:
        pasted(table(), np.array([0, 1]), [1, 2], [["a", "1"], ["z", "many"]])
    assert refused.value.remedy == wording.NOTHING_PASTED
    with pytest.raises(DataError, match=wording.ONLY_1_COLUMN_LEFT):
        pasted(table(), np.array([0]), [2], [["1", "2"]])
