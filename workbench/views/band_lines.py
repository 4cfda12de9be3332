"""What a plot of lines with bands shows: each line's means and spreads, and how all is read in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from PySide6.QtCore import Qt

from algorithms.core.columns import FloatArray

LOOKS: Final = (
    (0, Qt.PenStyle.SolidLine),
    (2, Qt.PenStyle.DashLine),
    (1, Qt.PenStyle.DotLine),
    (3, Qt.PenStyle.DashDotLine),
    (4, Qt.PenStyle.DashDotDotLine),
)
"""Colour and pattern of each line: never told apart by colour alone."""
NOWHERE: Final = -1


@dataclass(frozen=True, eq=False)
class BandLine:
    """One line: the mean at each value (v,), NaN where it is not known, and half the width of its band (v,), 0 where
    chance cannot be told: of one test only."""

    name: str
    mean: FloatArray
    spread: FloatArray


@dataclass(frozen=True, eq=False)
class Bands:
    """What is drawn. ``places`` (v,) are the values as numbers; those of words stand evenly.

    ``chosen`` is the value that was chosen, NOWHERE where none was, and ``mark`` what stands at it.
    """

    across: str
    upward: str
    values: tuple[str, ...]
    places: FloatArray
    is_number: bool
    lines: tuple[BandLine, ...]
    chosen: int = NOWHERE
    mark: str = ""
    scale: float = 100.0
    """What the numbers are multiplied by where they are read: 100 for shares."""
    by_factors: bool = True
    """Whether numbers that differ much stand by equal factors."""
    marks: tuple[tuple[float, str], ...] = ()
    """What is written along the values, and at which places; without any, each value as far as there is room."""

    @property
    def names(self) -> tuple[str, ...]:
        """What is drawn, then the name of each line that is."""
        return (self.upward, *(line.name for line in self.lines[: len(LOOKS)]))

    def sentence(self, at: int) -> str:
        """ "Smallest branch 5: training 2.0, test 5.3 (standard error 0.8)"."""
        parts = [
            f"{line.name} {self.number(line.mean[at])}"
            + (f" (standard error {self.number(line.spread[at])})" if line.spread[at] > 0 else "")
            for line in self.lines
            if np.isfinite(line.mean[at])
        ]
        mark = f", {self.mark}" if at == self.chosen and self.mark else ""
        return f"{self.across} {self.values[at]}{mark}: {', '.join(parts) or 'not judged yet'}; {self.upward}"

    def number(self, value: float) -> str:
        return f"{self.scale * value:.1f}" if self.scale == 100 else f"{value:.4g}"
