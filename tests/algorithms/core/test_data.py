"""Immutable data sets: rows, edits, columns, weights, and what is kept with them."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.core.errors import Cancelled, DataError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import STRING, missing_mask, smallest_code_dtype
from algorithms.data.dataset import Dataset, Derivation
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from tests.expected_texts import core as wording
from tests.expected_texts import evaluation as evaluation_wording
from tests.expected_texts import io as io_wording

SCHEMA = Schema(
    (
        numeric("x"),
        nominal("colour", ("red", "green")),
        Attribute("id", AttributeKind.IDENTIFIER),
        nominal("class", ("a", "b")),
    ),
    3,
)


def table(n: int = 6, **more) -> Dataset:
    x = np.arange(n, dtype=np.float64)
    x[1] = np.nan
    names = np.array([f"r{i}" for i in range(n)], dtype=STRING)
    return Dataset(SCHEMA, [x, [0, 1, -1, 0, 1, 0][:n], names, [0, 1, 0, 1, 0, 1][:n]], **more)


def values(data: Dataset) -> list[list[str]]:
    return [[str(v) for v in data.column(i).tolist()] for i in range(len(data.schema))]


# ---- schema ----------------------------------------------------------------------------------------------------------


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(DataError, match=io_wording.TWO_COLUMNS_NAMED_X):
        Schema((numeric("x"), numeric("x")))


def test_class_position_that_does_not_exist_is_refused():
    with pytest.raises(DataError, match=wording.NO_COLUMN_NUMBER_3):
        Schema((numeric("x"),), 2)


def test_predictors_leave_out_class_identifiers_and_what_is_not_used():
    assert SCHEMA.predictors == (0, 1)
    unused = SCHEMA.with_attribute(0, Attribute("x", AttributeKind.NUMERIC, used=False))
    assert unused.predictors == (1,)
    assert SCHEMA.with_class("colour").predictors == (0, 3)


def test_unknown_column_is_named():
    with pytest.raises(DataError, match="'z'"):
        SCHEMA.index_of("z")
    with pytest.raises(DataError, match=evaluation_wording.NO_CLASS_CHOSEN):
        _ = SCHEMA.with_class(None).class_attribute


# ---- columns ---------------------------------------------------------------------------------------------------------


def test_columns_have_the_type_of_their_kind_and_cannot_be_written():
    data = table()
    assert [data.column(i).dtype for i in range(4)] == [np.float64, np.int8, STRING, np.int8]
    for i in range(4):
        with pytest.raises(ValueError, match="read-only"):
            data.column(i)[0] = data.column(i)[1]


def test_the_callers_array_stays_writable():
    x = np.zeros(3)
    data = Dataset(Schema((numeric("x"),)), [x])
    x[0] = 1
    assert x.flags.writeable and not data.column(0).flags.writeable


@pytest.mark.parametrize(
    ("n", "dtype"), [(0, np.int8), (128, np.int8), (129, np.int16), (32768, np.int16), (32769, np.int32)]
)
def test_codes_take_the_smallest_type(n, dtype):
    assert smallest_code_dtype(n) == dtype


def test_missing_is_known_for_every_kind():
    names = np.array(["a", np.nan], dtype=STRING)
    assert missing_mask(SCHEMA.attributes[2], names).tolist() == [False, True]
    data = table()
    assert np.flatnonzero(data.missing(0)).tolist() == [1]
    assert np.flatnonzero(data.missing(1)).tolist() == [2]


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(DataError, match="different lengths"):
        Dataset(Schema((numeric("x"), numeric("y"))), [np.zeros(2), np.zeros(3)])
    with pytest.raises(DataError, match=wording.ONE_ATTRIBUTE_TWO_COLUMNS):
        Dataset(Schema((numeric("x"),)), [np.zeros(2), np.zeros(2)])


def test_class_codes_need_a_nominal_class():
    assert table().class_codes.tolist() == [0, 1, 0, 1, 0, 1]
    with pytest.raises(DataError, match=wording.NUMERIC_NOT_NOMINAL):
        _ = table().with_class("x").class_codes


# ---- rows ------------------------------------------------------------------------------------------------------------


@given(st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=8), min_size=1, max_size=3))
@settings(deadline=None)
def test_taking_rows_of_taken_rows_is_taking_them_at_once(choices):
    data, rows = table(weights=np.arange(6.0)), np.arange(6)
    for choice in choices:
        at = [i % len(data) for i in choice]
        data, rows = data.take(at), rows[at]
    expected = table()
    assert data.row_ids.tolist() == rows.tolist()
    assert data.weights.tolist() == rows.tolist()
    assert len(data) == len(rows)
    for i in range(4):
        assert [str(v) for v in data.column(i).tolist()] == [str(v) for v in expected.column(i)[rows].tolist()]


def test_rows_are_chosen_by_mask_and_keep_their_ids():
    data = table(row_ids=[10, 11, 12, 13, 14, 15]).take(np.array([True, False, True, False, False, True]))
    assert data.row_ids.tolist() == [10, 12, 15]
    assert data.positions.tolist() == [0, 2, 5]
    assert data.column("id").tolist() == ["r0", "r2", "r5"]


def test_no_row_at_all():
    data = table().take(np.zeros(6, dtype=bool))
    assert len(data) == 0
    assert data.column(0).tolist() == []
    assert len(Dataset(Schema(()), [])) == 0


# ---- edits -----------------------------------------------------------------------------------------------------------


def test_edited_cells_are_seen_and_the_original_is_not_touched():
    data = table()
    before = values(data)
    edited = data.with_cells(0, [0, 4], [9.0, 8.0]).with_cells(0, [4], [7.0]).with_cells(1, [2], [1])
    assert [str(v) for v in edited.column(0).tolist()] == ["9.0", "nan", "2.0", "3.0", "7.0", "5.0"]
    assert edited.column(1).tolist() == [0, 1, 1, 0, 1, 0]
    assert values(data) == before


def test_a_cell_set_twice_at_once_has_the_last_value_everywhere():
    edited = table().with_cells(0, [3, 3], [1.0, 2.0])
    assert edited.cells(0, np.array([3])).tolist() == [2.0]
    assert edited.column(0)[3] == 2.0


@given(
    st.lists(st.tuples(st.lists(st.integers(0, 5), min_size=1, max_size=4, unique=True), st.floats(-9, 9)), max_size=5),
    st.lists(st.integers(0, 5), min_size=1, max_size=6),
)
@settings(deadline=None)
def test_sparse_edits_equal_edits_in_place(edits, rows):
    data, plain = table(), table().column(0).copy()
    for at, value in edits:
        data = data.with_cells(0, at, value)
        plain[at] = value
    np.testing.assert_array_equal(data.cells(0, np.array(rows)), plain[rows])
    np.testing.assert_array_equal(data.take(rows).column(0), plain[rows])
    np.testing.assert_array_equal(data.column(0), plain)
    np.testing.assert_array_equal(data.cells(0, np.array(rows)), plain[rows])


def test_an_edit_of_chosen_rows_goes_to_those_rows():
    part = table().take([5, 3, 1]).with_cells(0, [0, 2], [50.0, 10.0])
    assert part.column(0).tolist() == [50.0, 3.0, 10.0]
    assert part.take([2]).column(0).tolist() == [10.0]


def test_an_edit_with_a_value_beyond_the_codes_type_widens_the_column():
    many = nominal("many", [str(i) for i in range(300)])
    data = Dataset(Schema((nominal("n", ("0", "1")),)), [[0, 1, 0]])
    wide = data.with_schema(Schema((many,))).with_cells(0, [1], [299])
    assert wide.column(0).tolist() == [0, 299, 0]


def test_strings_are_edited_and_emptied():
    edited = table().with_cells(2, [1, 2], np.array(["new", np.nan], dtype=STRING))
    assert edited.column(2)[1] == "new"
    assert edited.missing(2).tolist() == [False, False, True, False, False, False]


# ---- columns replaced, added, chosen ---------------------------------------------------------------------------------


def test_replaced_columns_forget_their_edits():
    data = table().with_cells(0, [0], [99.0]).with_column(0, numeric("y"), np.full(6, 2.0))
    assert data.column("y").tolist() == [2.0] * 6
    assert data.schema.names == ("y", "colour", "id", "class")


def test_columns_replaced_on_chosen_rows_are_missing_elsewhere_but_right_here():
    part = table().take([4, 2]).with_columns({0: (numeric("x"), [40.0, 20.0]), 1: (nominal("c", ("u",)), [0, -1])})
    assert part.column(0).tolist() == [40.0, 20.0]
    assert part.take([1]).column(0).tolist() == [20.0]
    assert part.column(1).tolist() == [0, -1]
    assert part.column("id").tolist() == ["r4", "r2"]


def test_a_new_column_stands_where_it_was_asked_for_and_the_class_moves_with_it():
    data = table().with_cells(1, [0], [1]).with_new_column(numeric("z"), np.arange(6.0), at=1)
    assert data.schema.names == ("x", "z", "colour", "id", "class")
    assert data.schema.class_attribute.name == "class"
    assert data.column("colour").tolist() == [1, 1, -1, 0, 1, 0]
    assert table().with_new_column(numeric("z"), np.zeros(6)).schema.names[-1] == "z"


def test_chosen_columns_keep_their_edits_and_the_class_only_if_chosen():
    data = table().with_cells(0, [0], [99.0]).select_columns([3, 0])
    assert data.schema.names == ("class", "x")
    assert data.schema.class_index == 0
    assert data.column("x")[0] == 99.0
    assert table().select_columns([0]).schema.class_index is None


def test_a_column_of_another_length_is_refused():
    with pytest.raises(DataError, match="different length"):
        table().with_column(0, numeric("x"), [1.0])


# ---- weights ---------------------------------------------------------------------------------------------------------


def test_weights_are_ones_unless_given():
    assert table().weights is None
    assert table().weight_array.tolist() == [1.0] * 6
    assert table().with_weights(np.arange(6)).take([5, 5]).weight_array.tolist() == [5.0, 5.0]
    assert table().with_weights(np.arange(6)).with_weights(None).weights is None


@pytest.mark.parametrize("weights", [[-1.0] * 6, [np.nan] * 6, [np.inf] * 6, [1.0] * 5])
def test_weights_that_make_no_sense_are_refused(weights):
    with pytest.raises(DataError, match=r"[Ww]eights"):
        table().with_weights(weights)


# ---- kept with the data ----------------------------------------------------------------------------------------------


def counting(**more) -> tuple[Derivation[float], list[int]]:
    """A derivation that notes the number of records it was computed on."""
    computed: list[int] = []

    def compute(data: Dataset, checkpoint) -> float:
        computed.append(len(data))
        return float(np.nansum(data.column(0) * data.weight_array))

    return Derivation("sum", compute, **more), computed


def test_what_is_derived_is_computed_once():
    derivation, computed = counting()
    data = table()
    assert data.derived(derivation) == data.derived(derivation) == 14.0
    assert computed == [6]


def test_what_does_not_use_weights_is_shared_with_other_weights():
    derivation, computed = counting()
    data = table()
    data.with_weights(np.full(6, 2.0)).derived(derivation)
    data.derived(derivation)
    assert computed == [6]
    weighted, computed = counting(uses_weights=True)
    assert data.with_weights(np.full(6, 2.0)).derived(weighted) == 28.0
    assert data.derived(weighted) == 14.0
    assert computed == [6, 6]


def test_taken_rows_take_from_the_parent_where_that_is_cheaper():
    taken: list[list[int]] = []

    def take(value: float, parent: Dataset, rows) -> float:
        taken.append(rows.tolist())
        return float(np.nansum(parent.column(0)[rows]))

    derivation, computed = counting(take=take)
    part = table().take([2, 3]).take([1, 1])
    assert part.derived(derivation) == 6.0
    assert computed == [6]
    assert taken == [[2, 3], [1, 1]]


def test_an_edit_derives_anew():
    derivation, computed = counting()
    data = table()
    data.derived(derivation)
    assert data.with_cells(0, [0], [100.0]).derived(derivation) == 114.0
    assert data.with_column(0, numeric("x"), np.ones(6)).derived(derivation) == 6.0
    assert computed == [6, 6, 6]


def test_many_threads_derive_and_read_once_and_the_same():
    begun = threading.Barrier(8)
    computed: list[int] = []

    def compute(data: Dataset, checkpoint) -> int:
        computed.append(1)
        return len(data)

    derivation, data, found = Derivation("n", compute), table().take([0, 1, 2]), []

    def ask() -> None:
        begun.wait(10)
        found.append((data.derived(derivation), id(data.column(0))))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(computed) == 1
    assert len(set(found)) == 1


def test_whoever_waits_for_a_derivation_can_be_stopped():
    computing, go_on = threading.Event(), threading.Event()

    def compute(data: Dataset, checkpoint) -> int:
        computing.set()
        assert go_on.wait(10)
        return 1

    derivation, data = Derivation("slow", compute), table()
    first = threading.Thread(target=data.derived, args=(derivation,))
    first.start()
    assert computing.wait(10)
    context = RunContext()
    context.cancel()
    with pytest.raises(Cancelled):
        data.derived(derivation, context.checkpoint)
    go_on.set()
    first.join(10)
    assert data.derived(derivation) == 1


def test_a_stopped_derivation_is_computed_by_the_next_who_asks():
    calls: list[int] = []

    def compute(data: Dataset, checkpoint) -> int:
        calls.append(1)
        checkpoint()
        return 7

    derivation, data, context = Derivation("stopped", compute), table(), RunContext()
    context.cancel()
    with pytest.raises(Cancelled):
        data.derived(derivation, context.checkpoint)
    assert data.derived(derivation) == 7
    assert len(calls) == 2


def test_copies_of_a_row_may_get_different_values_in_a_new_column() -> None:
    data = Dataset(Schema((numeric("x"),)), [[1.0, 2.0]]).take([1, 1, 0])
    replaced = data.with_column(0, numeric("x"), [7.0, 8.0, 9.0])
    assert replaced.column(0).tolist() == [7.0, 8.0, 9.0]
    assert replaced.row_ids.tolist() == [1, 1, 0]
    added = data.with_new_column(numeric("y"), [4.0, 5.0, 6.0])
    assert added.column("y").tolist() == [4.0, 5.0, 6.0]
    assert added.column("x").tolist() == [2.0, 2.0, 1.0]


def test_added_records_are_missing_and_have_ids_that_no_record_had() -> None:
    data = table()
    longer = data.with_new_rows(2)
    assert len(longer) == 8 and len(data) == 6
    assert longer.row_ids.tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert all(longer.missing(i)[6:].all() for i in range(4))
    assert values(longer.take(np.arange(6))) == values(data)
    assert not longer.same_column(0, data, 0)


def test_the_id_of_an_undone_record_is_not_given_again() -> None:
    data = table()
    first, second = data.with_new_rows(), data.with_new_rows()
    assert first.row_ids[-1] != second.row_ids[-1]
    assert data.take([0, 2]).with_new_rows().row_ids.tolist() == [0, 2, 8]


def test_added_records_are_edited_chosen_and_weighed_like_any_other() -> None:
    data = table(weights=np.full(6, 2.0)).take([5, 1, 0]).with_new_rows(2)
    assert data.weight_array.tolist() == [2, 2, 2, 1, 1]
    edited = data.with_cells(0, np.array([3]), np.array([9.0])).with_cells(3, np.array([4]), np.array([1]))
    assert edited.column(0)[3] == 9 and np.isnan(edited.column(0)[4])
    assert edited.cells(0, np.array([0, 3, 4]))[1] == 9 and edited.cells(0, np.array([0]))[0] == 5
    chosen = edited.take([4, 3, 0])
    assert chosen.column(3).tolist() == [1, -1, 1] and chosen.positions.tolist() == [7, 6, 5]
    wider = chosen.with_new_column(numeric("y"), [1.0, 2.0, 3.0]).with_new_rows()
    assert wider.column("y")[:3].tolist() == [1, 2, 3] and np.isnan(wider.column("y")[3])


def test_adding_a_record_copies_no_column() -> None:
    data = Dataset(Schema((numeric("x"),)), [np.zeros(100)])
    edited = data.with_new_rows().with_cells(0, np.array([100]), np.array([1.0]))
    assert edited._base.columns[0] is data._base.columns[0]
    assert edited.column(0)[100] == 1 and edited.column(0)[:100].sum() == 0


def test_rows_are_left_out_without_a_hold_on_the_table_before() -> None:
    data = table()
    assert data.without([1, 4]).row_ids.tolist() == [0, 2, 3, 5]
    assert data.without(np.arange(6) > 0).row_ids.tolist() == [0]
    assert data.without([]).row_ids.tolist() == [0, 1, 2, 3, 4, 5]
    assert len(data.take([]).without([])) == 0
    assert data.without([1])._parent is None


def test_most_cells_edited_make_a_column_of_their_own() -> None:
    data = Dataset(Schema((numeric("x"),)), [np.zeros(8)])
    edited = data.with_cells(0, np.arange(1, 8), np.arange(1.0, 8.0))
    assert edited._base.patches == {} and edited.column(0).tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    assert edited.with_cells(0, np.array([0]), np.array([9.0])).column(0)[0] == 9


def test_columns_let_go_of_are_made_again() -> None:
    data = Dataset(Schema((numeric("x"),)), [np.zeros(8)]).take([3, 4])
    edited = data.with_cells(0, np.array([0]), np.array([5.0]))
    assert edited.column(0).tolist() == [5, 0]
    edited.let_go_of_columns(but_for=data)
    assert edited._materialised == {} and edited.column(0).tolist() == [5, 0]
    renamed = edited.with_schema(edited.schema)
    edited.let_go_of_columns(but_for=renamed)
    assert 0 in renamed._materialised
