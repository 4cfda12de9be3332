"""Figures of shares that make a whole."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.hundredths import in_hundredths


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
