"""What tests of reading may ask for."""

from __future__ import annotations

import pytest

from algorithms.io.text import text_source

MANY_BLOCKS = 12
"""So many blocks are more than what is looked at first, to find out what a file is like."""


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> int:
    """Have files be read in blocks of 64 KB rather than of megabytes, so that small ones have many; their size."""
    monkeypatch.setattr(text_source, "SMALLEST_BLOCK", 1 << 16)
    return 1 << 16
