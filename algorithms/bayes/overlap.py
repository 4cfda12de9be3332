"""How much two densities of one number overlap: the least share of wrong decisions by that number alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.bayes.likelihoods import Likelihoods
from algorithms.core.columns import FloatArray
from algorithms.core.conditionals import Conditionals, Form

PLACES: Final = 401
_REACH: Final = 4.5
"""So many deviations from the mean nothing of a normal density is left to be seen, nor to err about: 7 in a million."""
DENSITIES: Final = (Form.NORMAL, Form.KERNELS)


@dataclass(frozen=True, eq=False)
class Overlap:
    """Two classes along one number, each with its share of all records.

    ``values`` (v,) ascend; ``curves`` (2, v) are the densities times the shares. ``boundaries`` (b,) are where both
    are equal, ``likelier`` (b + 1,) which of the two is the likelier one up to each, and after the last.
    ``wrong`` (2,) is the share of all records that are of a class and said to be of the other: together the Bayes
    error of the two densities, below which no classifier can come that knows no more than this number.
    """

    values: FloatArray
    curves: FloatArray
    boundaries: FloatArray
    likelier: tuple[int, ...]
    wrong: tuple[float, float]

    @property
    def bayes_error(self) -> float:
        return self.wrong[0] + self.wrong[1]


@dataclass(frozen=True, eq=False)
class Densities:
    """The densities of one number in two classes: ``logs`` (2, v) at ``values`` (v,), ascending."""

    values: FloatArray
    logs: FloatArray

    def overlap(self, share: float) -> Overlap:
        """The overlap where the first of the two has this share, from 0 to 1, of their records.

        Source: TSKK, section 5.3.3 (Example 5.3); Duda, Hart and Stork, Pattern Classification (2001), section 2.2.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            joint = self.logs + np.log([[share], [1 - share]])
            lead = joint[0] - joint[1]
        lead = np.where(np.isnan(lead), 0.0, np.clip(lead, -1e300, 1e300))
        ahead = lead > 0
        at = np.flatnonzero(ahead[1:] != ahead[:-1])
        part = lead[at] / (lead[at] - lead[at + 1])
        boundaries = self.values[at] + part * (self.values[at + 1] - self.values[at])
        likelier = tuple((~ahead[np.append(at, len(ahead) - 1)]).astype(int).tolist())
        values = np.concatenate([self.values, boundaries])
        order = np.argsort(values, kind="stable")
        curves = np.exp(joint)
        both = np.vstack([np.append(curve, np.interp(boundaries, self.values, curve))[order] for curve in curves])
        values, steps, least = values[order], np.diff(values[order]), both.min(axis=0)
        loses = (both[:, 1:] + both[:, :-1]).argmin(axis=0)
        areas = np.bincount(loses, steps * (least[1:] + least[:-1]) / 2, minlength=2)
        return Overlap(values, both, boundaries, likelier, (float(areas[0]), float(areas[1])))


def is_density(held: Conditionals, place: int) -> bool:
    """Whether the attribute at this place is a number with a density in every class."""
    return int(held.form[place]) in DENSITIES


def densities(held: Conditionals, place: int, codes: tuple[int, int]) -> Densities | None:
    """The densities of the number at this place in two classes; None where one of them has none."""
    spots = []
    for code in codes:
        width, points = float(held.deviation[place, code]), held.point[held.points_of(place, code)]
        centre = float(held.mean[place, code])
        ends = (float(points[0]), float(points[-1])) if len(points) else (centre, centre)
        low, high = ends[0] - _REACH * width, ends[1] + _REACH * width
        if not np.isfinite(high - low):
            return None
        spots.append(np.linspace(low, high, PLACES))
    values = np.unique(np.concatenate(spots))
    logs = Likelihoods(held).of(place, values)[:, list(codes)].T
    return Densities(values, np.asarray(logs))
