"""Axes that stand beside one another: what each shows, which way up it stands, and which lines are meant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from workbench.layout.multi_axis_points import OUTSIDE, Places
from workbench.layout.plane import DEEPEST
from workbench.layout.points import Coordinates, Mask, Scale

BEYOND: Final = 0.04
"""How far beyond the end of an axis a value is drawn that is not in view, as a share of the axis."""
MISSING: Final = -0.13
"""Where a line passes that has no value on an axis, as a share of the axis."""
MARGIN: Final = 0.03
_BLOCK: Final = 65_536


@dataclass(frozen=True)
class AxisView:
    """What part of an axis is seen, in its units, and whether its largest value is below."""

    low: float
    high: float
    turned: bool = False

    def heights(self, units: Coordinates) -> Coordinates:
        """How high records (m,) lie, as shares of the axis: 0 below, 1 above."""
        share = (units - np.float32(self.low)) * np.float32(1 / (self.high - self.low))
        if self.turned:
            share = np.float32(1) - share
        np.clip(share, np.float32(-BEYOND), np.float32(1 + BEYOND), out=share)
        share[units == np.float32(OUTSIDE)] = MISSING
        return share

    @property
    def shows_all(self) -> bool:
        """Whether no value lies beyond what is seen."""
        return self.low <= 0.0 and self.high >= 1.0

    @property
    def line(self) -> tuple[float, float]:
        """The height of the axis's zero, and how much a unit is higher."""
        slope = (-1 if self.turned else 1) / (self.high - self.low)
        return self.height(0.0), slope

    def height(self, unit: float) -> float:
        """How high one place of the axis lies, however far outside."""
        share = (unit - self.low) / (self.high - self.low)
        return 1 - share if self.turned else share

    def unit(self, height: float) -> float:
        """The place of the axis at a height."""
        share = 1 - height if self.turned else height
        return self.low + share * (self.high - self.low)

    def flipped(self) -> AxisView:
        return replace(self, turned=not self.turned)

    def zoomed(self, factor: float, height: float, whole: tuple[float, float]) -> AxisView:
        """Seen ``factor`` times larger, what lies at a height stays there; never more than the whole axis."""
        at, size = self.unit(height), self.high - self.low
        shrunk = max(size / factor, DEEPEST)
        if shrunk >= whole[1] - whole[0]:
            return replace(self, low=whole[0], high=whole[1])
        low = at - (at - self.low) * shrunk / size
        return replace(self, low=low, high=low + shrunk).panned(0.0, whole)

    def panned(self, share: float, whole: tuple[float, float]) -> AxisView:
        """Moved upwards by a share of its size, inside the whole axis."""
        size = self.high - self.low
        step = -share * size if self.turned else share * size
        low = min(max(self.low + step, whole[0]), max(whole[0], whole[1] - size))
        return replace(self, low=low, high=low + size)


def whole_view(scale: Scale) -> AxisView:
    """All of an axis, with room for the spread of its outermost values."""
    return AxisView(*whole_range(scale))


def whole_range(scale: Scale) -> tuple[float, float]:
    """The range that shows all of an axis."""
    if scale.is_banded:
        return 0.0, 1.0
    margin = max(0.0, scale.gap * 0.5)
    return -margin, 1.0 + margin


@dataclass(frozen=True)
class Brush:
    """A chosen range of an axis in its units; ``with_missing`` chooses the records without a value too."""

    low: float
    high: float
    with_missing: bool = False

    def holds(self, units: Coordinates) -> Mask:
        """Which records (m,) it chooses."""
        found = (units >= np.float32(self.low)) & (units <= np.float32(self.high))
        if self.with_missing:
            found |= units == np.float32(OUTSIDE)
        return found


def brush_between(scale: Scale, view: AxisView, first: float, last: float) -> Brush:
    """The brush between two heights of an axis; of nominal values whole bands are chosen, those whose middle is."""
    low, high = sorted((view.unit(first), view.unit(last)))
    with_missing = min(first, last) <= MISSING + MARGIN
    if scale.is_banded:
        n = scale.n_bands
        bands = np.flatnonzero((np.arange(n) + 0.5 >= low * n) & (np.arange(n) + 0.5 <= high * n))
        if len(bands):
            low, high = bands[0] / n, (bands[-1] + 1) / n
        else:
            at = min(n - 1, max(0, int((low + high) / 2 * n)))
            low, high = at / n, (at + 1) / n
        if with_missing and max(first, last) < 0:
            low = high = OUTSIDE
    elif with_missing and max(first, last) < -BEYOND:
        low = high = OUTSIDE
    return Brush(float(low), float(high), with_missing)


def brushed(places: Places, brushes: Mapping[int, Brush]) -> Mask:
    """Which records (m,) every brush chooses; ``brushes`` by the number of their axis."""
    found = np.ones(len(places), dtype=np.bool_)
    for axis, brush in brushes.items():
        found &= brush.holds(places.units[axis])
    return found


def nearest_line(
    places: Places,
    left: int,
    views: tuple[AxisView, ...],
    share: float,
    height: float,
    reach: float,
    among: Mask | None = None,
) -> int:
    """The record whose line right of an axis passes nearest to a place, at most ``reach`` away; -1 for none.

    ``share`` of the way from that axis to the next one; ``height`` and ``reach`` are shares of an axis.
    ``among`` (m,) are the records that can be meant.
    """
    best, found = reach, -1
    ends = (views[left], places.units[left]), (views[left + 1], places.units[left + 1])
    is_straight = all(view.shows_all and not places.n_missing[left + at] for at, (view, _) in enumerate(ends))
    (first, last), shares = ends, (np.float32(1 - share), np.float32(share))
    zero, slope = zip(*(view.line for view, _ in ends), strict=True)
    constant = np.float32(zero[0] * (1 - share) + zero[1] * share - height)
    slopes = np.float32(slope[0] * (1 - share)), np.float32(slope[1] * share)
    for start in range(0, len(places), _BLOCK):
        part = slice(start, start + _BLOCK)
        if is_straight:
            away = first[1][part] * slopes[0]
            away += last[1][part] * slopes[1]
            away += constant
        else:
            away = first[0].heights(first[1][part]) * shares[0]
            away += last[0].heights(last[1][part]) * shares[1]
            away -= np.float32(height)
        np.abs(away, out=away)
        if among is not None:
            away[~among[part]] = np.inf
        at = int(np.argmin(away))
        if float(away[at]) <= best:
            best, found = float(away[at]), start + at
    return found


def heights_of(places: Places, views: tuple[AxisView, ...], at: NDArray[Any]) -> Coordinates:
    """The heights (r, k) of some records on all axes."""
    if not views:
        return np.empty((len(at), 0), dtype=np.float32)
    return np.stack([view.heights(unit[at]) for view, unit in zip(views, places.units, strict=True)], axis=1)
