"""The one selection of the window."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt

from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, numeric
from tests.expected_texts import session as wording
from workbench.session.selection import Selection, SelectionMode, how_by_keys


@pytest.fixture
def data() -> Dataset:
    return Dataset(Schema((numeric("x"),)), [np.arange(6.0)])


def test_ways_of_selecting_add_remove_and_toggle(data: Dataset) -> None:
    selection = Selection()
    selection.select(data, np.array([1, 2]))
    selection.select(data, np.array([4]), SelectionMode.ADD)
    assert selection.rows_of(data).tolist() == [1, 2, 4]
    selection.select(data, np.array([2, 5]), SelectionMode.TOGGLE)
    assert selection.rows_of(data).tolist() == [1, 4, 5]
    selection.select(data, np.array([1]), SelectionMode.REMOVE)
    assert selection.rows_of(data).tolist() == [4, 5]
    selection.select(data, data.column(0) < 1)
    assert selection.rows_of(data).tolist() == [0]
    assert len(selection) == 1


def test_a_selection_survives_another_choice_of_rows(data: Dataset) -> None:
    selection = Selection()
    part = data.take([5, 3, 1])
    selection.select(part, np.array([0, 1]))
    assert selection.rows_of(data).tolist() == [3, 5]
    assert selection.mask_of(part).tolist() == [True, True, False]
    assert selection.mask_of(data.take([3, 3])).tolist() == [True, True]


def test_change_is_told_once_and_only_where_something_changed(data: Dataset) -> None:
    selection = Selection()
    told: list[int] = []
    selection.changed.connect(lambda: told.append(len(selection)))
    selection.select(data, np.array([1]))
    selection.select(data, np.array([1]))
    selection.clear()
    selection.clear()
    assert told == [1, 0]


def test_rows_beyond_what_was_ever_selected_are_not_selected(data: Dataset) -> None:
    selection = Selection()
    assert not selection.mask_of(data).any()
    selection.forget(2)
    assert selection.mask_of(data).tolist() == [False] * 6


def test_held_keys_say_how_to_select() -> None:
    assert how_by_keys(Qt.KeyboardModifier.NoModifier) is SelectionMode.REPLACE
    assert how_by_keys(Qt.KeyboardModifier.ShiftModifier) is SelectionMode.ADD
    assert how_by_keys(Qt.KeyboardModifier.ControlModifier) is SelectionMode.TOGGLE
    assert how_by_keys(Qt.KeyboardModifier.AltModifier) is SelectionMode.REMOVE


def test_records_that_leave_the_table_leave_the_selection_and_come_back_with_it(data: Dataset) -> None:
    selection = Selection()
    selection.select(data, np.array([1, 2, 5]))
    selection.look_at(data.take([0, 1, 3, 4, 5]))
    assert len(selection) == 2 and selection.n_gone == 1
    assert selection.mask_of(data).tolist() == [False, True, False, False, False, True]
    selection.look_at(data)
    assert selection.rows_of(data).tolist() == [1, 2, 5] and selection.n_gone == 0


def test_what_is_chosen_anew_forgets_the_records_that_left(data: Dataset) -> None:
    selection = Selection()
    selection.select(data, np.array([1, 2]))
    part = data.take([0, 3, 4])
    selection.look_at(part)
    selection.select(part, np.array([1]))
    selection.look_at(data)
    assert selection.rows_of(data).tolist() == [3]


def test_turning_it_over_selects_the_others_of_the_table_alone(data: Dataset) -> None:
    selection = Selection()
    part = data.take([0, 1, 2, 3])
    selection.look_at(part)
    selection.select(part, np.array([0, 3]))
    selection.invert(part)
    assert selection.rows_of(part).tolist() == [1, 2]
    selection.look_at(data)
    assert selection.rows_of(data).tolist() == [1, 2]


def test_the_selection_says_by_what_it_was_chosen(data: Dataset) -> None:
    selection = Selection()
    selection.select(data, np.array([1]), by="the histogram of x")
    selection.select(data, np.array([2]), SelectionMode.ADD, by="the scatter plot")
    selection.select(data, np.array([3]), SelectionMode.ADD, by="the histogram of x")
    assert selection.sources == (wording.THE_SCATTER_PLOT, wording.HISTOGRAM_OF_X)
    selection.select(data, np.array([4]), by="the tree")
    assert selection.sources == ("the tree",)
    selection.clear()
    assert selection.sources == ()


def test_records_that_the_table_does_not_have_yet_are_not_counted(data: Dataset) -> None:
    selection, longer = Selection(), data.with_new_rows(2)
    selection.look_at(data)
    selection.select(longer, np.array([5, 7]))
    assert len(selection) == 1 and selection.n_gone == 1
    selection.look_at(longer)
    assert selection.rows_of(longer).tolist() == [5, 7]


def test_what_a_view_was_told_does_not_change_under_it(data: Dataset) -> None:
    selection, mask = Selection(), np.zeros(6, dtype=np.bool_)
    mask[2] = True
    selection.select(data, mask)
    told = selection.mask_of(data)
    mask[3] = True
    selection.select(data, np.array([5]), SelectionMode.ADD)
    assert np.flatnonzero(told).tolist() == [2]
    assert selection.rows_of(data).tolist() == [2, 5]


def test_a_record_added_after_another_was_undone_does_not_take_over_its_selection(data: Dataset) -> None:
    selection = Selection()
    selection.look_at(data)
    first = data.with_new_rows()
    selection.look_at(first)
    selection.select(first, np.array([2, 6]))
    selection.look_at(data)
    assert selection.rows_of(data).tolist() == [2]
    selection.look_at(first)
    assert selection.rows_of(first).tolist() == [2, 6]
    selection.look_at(data)
    other = data.with_new_rows()
    selection.look_at(other)
    assert selection.rows_of(other).tolist() == [2]
    assert selection.n_chosen == 1


def test_of_several_added_records_those_that_are_the_same_stay_selected(data: Dataset) -> None:
    selection = Selection()
    one = data.with_new_rows()
    two = one.with_new_rows()
    for each in (data, one, two):
        selection.look_at(each)
    selection.select(two, np.array([6, 7]))
    selection.look_at(one)
    selection.look_at(one.with_new_rows())
    assert selection.rows_of(one.with_new_rows()).tolist() == [6]
