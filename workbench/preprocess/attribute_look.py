"""What there is to show of one attribute: its statistics and histograms, found beside the window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.recast import MAX_VALUES
from algorithms.core.statistics import MAX_BARS, Binned, Statistics, binned, statistics

MOST_VALUES: Final = 40
"""So many nominal values are drawn; the table has all."""


@dataclass(frozen=True, eq=False)
class Look:
    """What there is to show of one attribute. ``table`` has all nominal values, ``plot`` the most frequent ones."""

    statistics: Statistics
    plot: Binned | None
    table: Binned | None


def look_at(data: Dataset, index: int, context: RunContext) -> Look:
    """Statistics and histograms of one attribute; takes a while on many records."""
    found = statistics(data, index, context.checkpoint)
    attribute = data.schema.attributes[index]
    most = MOST_VALUES if attribute.kind.is_coded else MAX_BARS
    plot = binned(data, index, context.checkpoint, max_bars=most)
    if attribute.kind.is_coded and len(attribute.values) > most:
        return Look(found, plot, binned(data, index, context.checkpoint, max_bars=MAX_VALUES))
    return Look(found, plot, plot)
