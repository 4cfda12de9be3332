"""Figures of shares that make a whole."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.text.numbers import (
    adding_up,
    data_number,
    decimals_for,
    in_hundredths,
    in_thousands,
    signed,
    significant,
    size_in_points,
    with_minus,
)


@pytest.mark.parametrize("n", [7, 320, 400, 1000, 2000, 16_000])
def test_two_shares_that_make_a_whole_are_written_as_two_that_do(n: int) -> None:
    for k in range(n + 1):
        one = k / n
        for share, rest in ((one, 1 - one), (np.float32(one), 1 - np.float32(one)), (one, (n - k) / n)):
            assert float(in_hundredths(share)) + float(in_hundredths(rest)) == pytest.approx(100.0, abs=1e-9), k


def test_a_share_is_written_with_one_decimal() -> None:
    assert [in_hundredths(share) for share in (0.0, 0.0004, 0.3333, 0.8625, 1.0, -0.0125)] == [
        "0.0", "0.0", "33.3", "86.2", "100.0", "-1.2",
    ]  # fmt: skip


def test_parts_are_written_so_that_they_add_up_and_none_is_off_by_more_than_a_digit():
    drawn = np.random.default_rng(3)
    for n in range(2, 6):
        parts = drawn.random((200, n)) * drawn.choice([-1.0, 1.0], (200, n)) / n
        for row in parts.tolist():
            whole, *shown = adding_up(sum(row), row)
            assert round(10 * whole) == sum(round(10 * part) for part in shown)
            assert max(abs(part - 100 * exact) for part, exact in zip(shown, row, strict=True)) <= 0.1 + 1e-9
    assert adding_up(0.0756, (0.0776, 0.0074, -0.0094)) == [7.6, 7.8, 0.7, -0.9]
    assert adding_up(0.0, (0.0, 0.0)) == [0.0, 0.0, 0.0]


def test_ends_that_lie_close_together_have_the_digits_that_tell_them_apart():
    assert [decimals_for(span) for span in (0.3, 0.01, 0.0099, 0.0013, -0.0005, 1e-9, 0.0)] == [1, 1, 2, 2, 3, 4, 1]
    assert in_hundredths(0.95234, 3) == "95.234"


def test_thousands_are_separated_in_what_is_a_number_with_all_its_digits():
    written = [in_thousands(figure) for figure in ("2000", "-12500.5", "0.0125", "-0.5", "1e+06", "999")]
    assert written == ["2,000", "−12,500.5", "0.0125", "−0.5", "1e+06", "999"]


def test_a_size_of_one_point_is_singular():
    assert [size_in_points(share) for share in (0.01, 0.005, 0.02)] == ["1 point", "0.5 points", "2 points"]


def test_a_rounded_number_keeps_its_last_zeros_and_an_exact_one_has_none() -> None:
    assert [significant(value) for value in (2.0002, 8.9403, 2.5, 0.1 + 0.2, -6.1, 12345.6)] == [
        "2.000", "8.940", "2.5", "0.3", "−6.1", "12,346",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (12500.0, "12,500"),
        (0.016231, "0.016231"),
        (0.1 + 0.2, "0.3"),
        (-1.71173254, "−1.711733"),
        (12345678.5, "12,345,678.5"),
        (2345678901.5, "2,345,678,901.5"),
        (1e300, "1e+300"),
        (-1.23456789e20, "−1.234568e+20"),
        (float("nan"), "–"),
    ],
)
def test_a_value_and_its_threshold_have_seven_digits_and_never_lose_their_fraction(value: float, text: str) -> None:
    assert data_number(value) == text


@pytest.mark.parametrize(
    ("figure", "words"), [("-0.0", "0.0"), ("-0", "0"), ("-0.00%", "0.00%"), ("-0.01", "−0.01"), ("1e-05", "1e−05")]
)
def test_a_zero_has_no_minus(figure: str, words: str) -> None:
    """The mean of a standardized attribute was "average −0.0"."""
    assert with_minus(figure) == words


def test_a_signed_number_has_its_thousands_apart_and_a_zero_no_sign() -> None:
    assert [signed(value) for value in (1563.2, -0.004, 0.004, -2.0)] == ["+1,563.20", "0.00", "0.00", "\u22122.00"]
    assert (signed(float("-inf")), signed(float("inf"))) == ("\u2212∞", "+∞")
