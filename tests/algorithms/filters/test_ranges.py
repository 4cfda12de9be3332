"""Numbers cut into ranges: where the cuts lie, what the ranges are called and hold, and that nothing is given away."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.core.errors import DataError
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema, nominal, numeric
from algorithms.filters.discretize import (
    Distribution,
    discretize_column,
    equal_frequency,
    equal_width,
    range_counts,
    range_labels,
    shortest_between,
    typed_cuts,
)
from tests.expected_texts import filters as wording


def of(*values: float) -> Distribution:
    return Distribution.of(np.array(values, dtype=np.float64))


def people() -> Dataset:
    schema = Schema((numeric("age"), nominal("sex", ["f", "m"])), 0)
    return Dataset(schema, [[18, 20, np.nan, 21, 35, 60], [0, 1, 0, 1, 0, 1]])


def test_equal_width_cuts_the_span_into_equal_parts():
    found = of(*range(101))
    assert equal_width(found, 4) == (24.5, 49.5, 74.5)
    assert range_counts(found, equal_width(found, 4)).tolist() == [25, 25, 25, 26]


def test_equal_frequency_gives_each_range_about_as_many_records():
    found = of(1, 1, 1, 2, 3, 4, 5, 6, 100)
    assert equal_frequency(found, 3) == (1.5, 4.5)
    assert range_counts(found, equal_frequency(found, 3)).tolist() == [3, 3, 3]


def test_where_too_many_share_a_number_there_are_fewer_ranges():
    assert len(equal_frequency(of(*[5] * 50, 6, 7), 4)) < 3
    assert range_counts(of(*[5] * 50, 6, 7), equal_frequency(of(*[5] * 50, 6, 7), 4)).min() > 0


def test_a_range_that_would_hold_nobody_is_joined_to_its_neighbour():
    found = of(0, 1, 2, 100)
    assert range_counts(found, equal_width(found, 10)).tolist() == [3, 1]


def test_cuts_are_the_shortest_numbers_between_two_values():
    assert shortest_between(20, 21) == 20.5
    assert shortest_between(20, 35) == 30
    assert shortest_between(20.13, 20.19) == 20.16
    assert shortest_between(-3, 4) == 0
    assert shortest_between(20, 60, near=35.25) == 40
    assert shortest_between(1.0, np.nextafter(1.0, 2)) == np.nextafter(1.0, 2)


@given(st.floats(-1e9, 1e9), st.floats(1e-9, 1e9))
def test_a_cut_lies_between_its_values(low: float, gap: float):
    high = low + gap
    if high > low:
        assert low < shortest_between(low, high) <= high


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=200), st.integers(2, 20))
def test_every_record_is_in_one_range_and_no_range_is_empty(values: list[float], n: int):
    found = of(*values)
    if len(found.values) < 2:
        return
    for cuts in (equal_width(found, n), equal_frequency(found, n)):
        counts = range_counts(found, cuts)
        assert list(cuts) == sorted(set(cuts))
        assert counts.sum() == len(values)
        assert not len(cuts) or counts.min() > 0
        codes = np.searchsorted(cuts, np.array(values), side="right")
        assert np.bincount(codes, minlength=len(counts)).tolist() == counts.tolist()


def test_what_a_person_types_is_sorted_and_read_with_either_decimal_mark():
    assert typed_cuts("31, 20.5") == (20.5, 31)
    assert typed_cuts("20,5; 31") == (20.5, 31)
    assert typed_cuts("31 31") == (31,)


@pytest.mark.parametrize(("text", "words"), [("20, abc", "'abc'"), ("  ", "No value"), ("1, inf", "'inf'")])
def test_what_is_no_number_is_named(text: str, words: str):
    with pytest.raises(DataError, match=words):
        typed_cuts(text)


def test_ranges_are_called_as_a_person_would():
    assert range_labels((20.5, 31)) == ("under 20.5", "20.5 to 31", wording.or_more(31))
    assert range_labels((0,)) == ("under 0", wording.or_more(0))


def test_the_numbers_beside_are_left_out_of_learning_and_the_ranges_are_the_class():
    cut = discretize_column(people(), 0, (20.5, 35), keep=True, found_in_data=False)
    assert cut.schema.names == ("age", "age (ranges)", "sex")
    assert cut.schema.class_attribute.name == "age (ranges)"
    assert cut.schema.class_attribute.kind is AttributeKind.ORDINAL
    assert cut.schema.predictors == (2,)
    assert cut.class_codes.tolist() == [0, 0, -1, 1, 2, 2], "a number on a cut counts upward"
    assert cut.origin.marks == ()


def test_in_the_place_of_the_numbers_the_class_keeps_its_name():
    cut = discretize_column(people(), 0, (30,), keep=False, found_in_data=True)
    assert cut.schema.names == ("age", "sex")
    assert cut.schema.classes == ("under 30", wording.or_more(30))
    assert len(cut.origin.marks) == 1
    assert "all records" in cut.origin.marks[0]


def test_cutting_twice_marks_once_and_names_apart():
    once = discretize_column(people(), 0, (30,), keep=True, found_in_data=True)
    twice = discretize_column(once.with_class("age"), 0, (20,), keep=True, found_in_data=True)
    assert len(twice.origin.marks) == 1
    assert len(set(twice.schema.names)) == 4


def test_what_is_no_number_cannot_be_cut():
    with pytest.raises(DataError, match="only numbers"):
        discretize_column(people(), 1, (1,), keep=False, found_in_data=False)
    with pytest.raises(DataError, match="same number"):
        equal_width(of(3, 3), 2)


@pytest.mark.parametrize(
    "values",
    [
        (-np.inf, 1, 2, 3, np.inf),
        (-np.inf, 1, 2),
        (1, 2, np.inf),
        (-1.7e308, 0, 1.7e308),
        (0, 5e-324),
        (0, 1e-320, 2e-320),
        (1, np.nextafter(1, 2)),
    ],
)
@pytest.mark.parametrize("rule", [equal_width, equal_frequency])
@pytest.mark.parametrize("n_ranges", [2, 3, 5])
def test_the_largest_and_smallest_numbers_there_are_can_be_cut(values, rule, n_ranges) -> None:
    distribution = of(*values)
    cuts = rule(distribution, n_ranges)
    assert np.all(np.isfinite(cuts))
    assert list(cuts) == sorted(set(cuts))
    assert range_counts(distribution, cuts).sum() == len(values)
    assert all(range_counts(distribution, cuts) > 0)


def test_there_is_a_number_between_two_infinities() -> None:
    assert shortest_between(-np.inf, np.inf) == 0
    assert shortest_between(-np.inf, 3) < 3
    assert shortest_between(3, np.inf) > 3
