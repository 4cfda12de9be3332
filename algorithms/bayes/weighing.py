"""What each value says for one class against another, and what a record's values say together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from algorithms.bayes.likelihoods import Likelihoods, posteriors
from algorithms.bayes.words import row_labels
from algorithms.core.columns import FloatArray
from algorithms.core.conditionals import Conditionals, Form

POINTS: Final = 201
"""Places of a number that are looked at, evenly from its smallest to its largest."""
_EVEN: Final = (Form.NORMAL, Form.KERNELS)


@dataclass(frozen=True, eq=False)
class Line:
    """One attribute: its values (codes, or numbers ascending) and their log likelihoods (v, k).

    ``labels`` name the values of a list and the ranges of a number; they are empty where numbers lie on a curve.
    """

    place: int
    name: str
    values: FloatArray
    logs: FloatArray
    labels: tuple[str, ...] = ()

    @property
    def is_curve(self) -> bool:
        return not self.labels

    def odds(self, code: int, other: int) -> FloatArray:
        """What each value adds to the log odds of a class against another (v,); infinite where it rules one out, zero
        where it rules out both."""
        return difference(self.logs[:, code], self.logs[:, other])


def difference(ours: FloatArray, theirs: FloatArray) -> FloatArray:
    """The difference of two logarithms, zero where both are minus infinity."""
    neither = np.isneginf(ours) & np.isneginf(theirs)
    return np.asarray(np.where(neither, 0.0, np.where(neither, 0.0, ours) - np.where(neither, 0.0, theirs)))


class Weighing:
    """The lines of all attributes, and the sums over values that a person chose."""

    def __init__(self, held: Conditionals) -> None:
        self.held = held
        self.likelihoods = Likelihoods(held)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """A line for each attribute, by its place in the structure."""
        return tuple(self._line(place) for place in range(self.held.n_attributes))

    def _line(self, place: int) -> Line:
        held = self.held
        name = held.schema.attributes[int(held.attribute[place])].name
        form = int(held.form[place])
        if form in _EVEN:
            low, high = held.span[place].tolist()
            values = np.linspace(low, high, POINTS) if np.isfinite(high - low) else np.zeros(1)
            return Line(place, name, values, self.likelihoods.of(place, values))
        labels = row_labels(held, place)
        values = np.arange(len(labels), dtype=np.float64)
        if form == Form.RANGES:
            cuts = held.cuts_of(place)
            values = np.concatenate([[cuts[0] - 1.0], cuts]) if len(cuts) else np.zeros(1)
        return Line(place, name, values, self.likelihoods.of(place, values), labels)

    def logs_of(self, place: int, value: float | None) -> FloatArray:
        """Log likelihoods (k,) of a value; zeros where it is not known."""
        if value is None:
            return np.zeros(self.held.n_classes)
        return np.asarray(self.likelihoods.of(place, np.array([value]))[0])

    def joint(self, values: dict[int, float]) -> FloatArray:
        """Log prior plus the log likelihoods of the known values (k,), which are given by place."""
        total = self.likelihoods.log_prior.copy()
        for place, value in values.items():
            total += self.logs_of(place, value)
        return total

    def probabilities(self, values: dict[int, float]) -> tuple[FloatArray, bool]:
        """Class probabilities (k,) of a record with these values, and whether every class rules it out."""
        found, none = posteriors(self.joint(values)[None], self.held.prior)
        return found[0], bool(none[0])

    def strongest_first(self, code: int, other: int, most: float) -> list[int]:
        """The places of the lines, those first whose values differ most in what they say, up to ``most``."""
        reach = []
        for line in self.lines:
            odds = np.clip(line.odds(code, other), -most, most)
            reach.append(-float(odds.max(initial=0.0) - odds.min(initial=0.0)))
        return [int(place) for place in np.argsort(np.array(reach), kind="stable")]
