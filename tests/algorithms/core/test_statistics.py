"""Statistics and histograms say what is in a column."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.core.errors import Cancelled
from algorithms.data.column_statistics import (
    BinKind,
    NominalStatistics,
    NumericStatistics,
    TextStatistics,
    binned,
    histogram,
    statistics,
)
from algorithms.data.columns import STRING
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric


def table(values: list[float], codes: list[int], labels: tuple[str, ...] = ("no", "yes")) -> Dataset:
    return Dataset(Schema((numeric("x"), nominal("y", labels)), 1), [values, codes])


def test_numbers_are_described_by_their_quartiles_and_moments() -> None:
    found = statistics(table([1.0, 2.0, 3.0, 4.0, np.nan], [0, 0, 1, 1, 1]), 0)
    assert isinstance(found, NumericStatistics)
    assert (found.n, found.n_missing, found.n_distinct) == (5, 1, 4)
    assert (found.mean, found.median, found.minimum, found.maximum) == (2.5, 2.5, 1.0, 4.0)
    assert (found.lower_quartile, found.upper_quartile) == (1.75, 3.25)
    assert found.standard_deviation == pytest.approx(np.std([1, 2, 3, 4], ddof=1))


def test_a_column_without_values_has_no_moments() -> None:
    data = table([np.nan, np.nan], [0, 1])
    found = statistics(data, 0)
    assert isinstance(found, NumericStatistics)
    assert np.isnan(found.mean) and found.n_missing == 2 and found.n_distinct == 0
    assert histogram(data, 0) is None


def test_nominal_values_are_counted_in_their_order() -> None:
    found = statistics(table([1.0, 2.0, 3.0], [1, -1, 1]), 1)
    assert isinstance(found, NominalStatistics)
    assert found.counts.tolist() == [0, 2] and found.n_missing == 1 and found.n_distinct == 1


def test_text_is_described_by_examples() -> None:
    text = np.array(["b", "abc", np.nan, "b"], dtype=STRING)
    data = Dataset(Schema((Attribute("t", AttributeKind.TEXT),)), [text])
    found = statistics(data, 0)
    assert isinstance(found, TextStatistics)
    assert (found.examples, found.n_missing, found.n_distinct) == (("b", "abc"), 1, 2)
    assert (found.shortest, found.longest) == (1, 3)
    assert histogram(data, 0) is None


def test_few_numbers_get_a_bar_each_split_by_class() -> None:
    found = histogram(table([1.0, 2.0, 2.0, 10.0, np.nan], [0, 0, 1, 1, 1]), 0)
    assert found is not None
    assert found.kind is BinKind.VALUE and found.labels == ("1", "2", "10")
    assert found.counts.tolist() == [[1, 0], [1, 1], [0, 1]]
    assert found.classes == ("no", "yes") and not found.has_unclassified


def test_bars_of_numbers_keep_a_place_for_values_of_their_step_that_do_not_occur() -> None:
    values = [2.0, 2.2, 2.3, 2.3, 3.0, 2.2, 2.0, 3.0]
    found = histogram(table(values, [0] * 8), 0)
    assert found is not None and found.kind is BinKind.VALUE
    assert found.labels == ("2", "2.1", "2.2", "2.3", "2.4", "2.5", "2.6", "2.7", "2.8", "2.9", "3")
    assert found.counts[:, 0].tolist() == [2, 0, 2, 2, 0, 0, 0, 0, 0, 0, 2]
    far = histogram(table([*values, 90.0, 90.0], [0] * 10), 0)
    assert far is not None and far.kind is BinKind.RANGE, "an axis of numbers has one scale"


def test_records_without_class_have_a_column_of_their_own() -> None:
    found = histogram(table([1.0, 1.0, 2.0], [0, -1, 1]), 0)
    assert found is not None and found.has_unclassified
    assert found.counts.tolist() == [[1, 0, 1], [0, 1, 0]]


@pytest.mark.parametrize("class_index", [None, 0])
def test_without_a_nominal_class_there_is_one_colour(class_index: int | None) -> None:
    data = Dataset(Schema((numeric("y"), numeric("x")), class_index), [[0.1, 0.2], [1.0, 2.0]])
    found = histogram(data, 1)
    assert found is not None
    assert found.classes == () and not found.has_unclassified and found.counts.tolist() == [[1], [1]]


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=True), min_size=1, max_size=80),
    st.integers(2, 24),
)
def test_every_number_is_in_one_bin_and_between_its_edges(values: list[float], max_bars: int) -> None:
    found = histogram(table(values, [0] * len(values)), 0, max_bars=max_bars)
    assert found is not None
    assert found.counts.sum() == len(values) and len(found.labels) <= max_bars
    if found.kind is BinKind.RANGE:
        assert np.all(np.diff(found.edges) >= 0)
        assert found.edges[0] <= min(values) and max(values) <= found.edges[-1]


def test_ranges_have_round_edges_and_hold_what_they_say() -> None:
    values = np.linspace(0.13, 9.87, 500)
    found = histogram(table(values.tolist(), [0] * 500), 0)
    assert found is not None and found.kind is BinKind.RANGE
    assert found.edges.tolist() == [i / 2 for i in range(21)]
    expected, _ = np.histogram(values, bins=found.edges)
    assert found.counts[:, 0].tolist() == expected.tolist()
    assert found.labels[0] == "0 to 0.5"


def test_whole_numbers_get_whole_edges() -> None:
    found = histogram(table([float(i) for i in range(30)], [0] * 30), 0, max_bars=24)
    assert found is not None and found.kind is BinKind.RANGE
    assert np.array_equal(found.edges, np.floor(found.edges))


def test_of_many_nominal_values_the_most_frequent_are_shown() -> None:
    labels = tuple(f"v{i}" for i in range(40))
    codes = [*range(40), 39, 39, 38]
    found = histogram(Dataset(Schema((nominal("x", labels),)), [codes]), 0, max_bars=3)
    assert found is not None
    assert found.labels == ("v0", "v38", "v39") and found.counts[:, 0].tolist() == [1, 2, 3]
    assert found.n_left_out == 37


def test_dates_are_labelled_as_dates() -> None:
    data = Dataset(Schema((Attribute("d", AttributeKind.DATE),)), [[0.0, 86400.0]])
    found = histogram(data, 0)
    assert found is not None and found.labels == ("1970-01-01", "1970-01-02")


def test_ranges_of_dates_begin_at_midnights() -> None:
    data = Dataset(Schema((Attribute("d", AttributeKind.DATE),)), [[86400.0 * 3.3 * i for i in range(60)]])
    found = histogram(data, 0)
    assert found is not None and found.kind is BinKind.RANGE
    assert found.counts.sum() == 60 and len(found.labels) <= 24
    assert found.labels[0] == "1970-01-01 to 1970-01-15"


def test_numbers_that_never_repeat_are_shown_in_ranges() -> None:
    found = histogram(table([60.0, 75.0, 90.0, 120.0, 220.0], [0] * 5), 0)
    assert found is not None and found.kind is BinKind.RANGE


def test_infinite_numbers_are_left_out_of_the_histogram() -> None:
    found = histogram(table([1.0, np.inf, 2.0], [0, 0, 0]), 0)
    assert found is not None and found.counts.sum() == 2 and found.n_left_out == 1


def test_a_long_computation_can_be_stopped() -> None:
    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        histogram(table([1.0], [0]), 0, stop)
    with pytest.raises(Cancelled):
        statistics(table([1.0], [0]), 0, stop)


def test_the_bins_of_the_records_are_known() -> None:
    data = table([1.0, 2.0, 2.0, 10.0, np.nan], [0, 0, 1, -1, 1])
    found = binned(data, 0)
    assert found is not None
    assert found.bins.tolist() == [0, 1, 1, 2, -1]
    assert found.among(np.array([1, 2])).tolist() == [False, True, True, True, False]
    assert found.counts_of(np.ones(5, dtype=np.bool_)).tolist() == found.histogram.counts.tolist()
    assert found.counts_of(np.array([False, True, False, True, True])).tolist() == [[0, 0, 0], [1, 0, 0], [0, 0, 1]]


def test_values_that_have_no_bar_are_in_no_bin() -> None:
    data = table([0.0] * 7, [0, 0, 1, 1, 2, 2, 3], labels=("a", "b", "c", "d"))
    found = binned(data, 1, max_bars=3)
    assert found is not None and found.histogram.n_left_out == 1
    assert found.bins.tolist() == [0, 0, 1, 1, 2, 2, -1]
    assert found.among(np.array([0, 1, 2])).tolist() == [True] * 6 + [False]
