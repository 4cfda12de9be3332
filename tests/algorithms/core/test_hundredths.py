"""Figures of shares that make a whole."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.text.numbers import adding_up, decimals_for, in_hundredths


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
