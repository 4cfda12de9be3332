"""How numbers are written where they are read."""

from __future__ import annotations

import pytest

from algorithms.data.convert_kind import briefly


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("0.30000000000000004", "0.3"),
        ("0.3333333333333333", "0.3333333"),
        ("-17.123456789012345", "-17.12346"),
        ("123456789.98765432", "123456789.99"),
        ("1.2345678901234567e-05", "1.234568e-05"),
        ("12345678901234", "12345678901234"),
        ("2.5", "2.5"),
        ("", ""),
    ],
)
def test_numbers_are_read_in_few_digits_and_whole_ones_stay(text, read):
    assert briefly(text) == read
    if read:
        assert float(read) == pytest.approx(float(text), rel=1e-6)
