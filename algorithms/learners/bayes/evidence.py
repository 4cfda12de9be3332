"""Weights of evidence of values for a class, the overlap of two densities, and both as text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from algorithms.data.columns import FloatArray
from algorithms.filters.discretize import brief_range_labels, range_words
from algorithms.learners.bayes.distributions import Likelihoods, posteriors
from algorithms.structures.bayes_network import BayesNetwork, Conditionals, DistributionForm
from algorithms.text.numbers import data_number

ONLY_RANGE = "any number"
NO_VALUE = "(no value)"
DENSITIES: Final = (DistributionForm.NORMAL, DistributionForm.KERNELS)
_BEYOND_TELLING = 999_500.0
_HARDLY = 1.05
EQUAL: Final = 1e-9
"""Largest difference of log likelihoods that is rounding."""


def row_labels(held: Conditionals, place: int) -> tuple[str, ...]:
    """Labels of the values or ranges of the attribute at this place."""
    attribute = held.schema.attributes[int(held.attribute[place])]
    if int(held.form[place]) == DistributionForm.VALUES:
        return attribute.values
    return range_words(tuple(held.cuts_of(place).tolist())) or (ONLY_RANGE,)


def state_words(network: BayesNetwork, node: int) -> tuple[str, ...]:
    """Labels of the values or ranges of a node of a network."""
    if network.is_number(node):
        return range_words(tuple(network.cuts_of(node).tolist())) or (ONLY_RANGE,)
    values = network.schema.attributes[int(network.attribute[node])].values
    return values or (NO_VALUE,)


def value_words(held: Conditionals, place: int, value: Any) -> str:
    """A value of the attribute of node ``place`` as text; nominal values are given as codes."""
    attribute = held.schema.attributes[int(held.attribute[place])]
    return attribute.values[int(value)] if attribute.kind.is_coded else data_number(float(value))


def times_words(log_odds: float) -> str:
    """A likelihood ratio as text, from its logarithm, rounded to two digits."""
    times = math.exp(min(abs(log_odds), 700.0))
    if times >= _BEYOND_TELLING:
        return "more than a million times"
    if times < _HARDLY:
        return "about"
    if times < 10:
        return f"{times:.2g} times"
    digits = max(0, int(math.log10(times)) - 1)
    return f"{round(times, -digits):,.0f} times"


def likelihood_words(share: float) -> str:
    """A likelihood in percent, with two digits below 1%, so that a ratio can be checked: "26.1%", "0.27%"."""
    if 1e-4 <= share < 0.01:
        return f"{100 * share:.2g}%"
    return "<0.01%" if 0 < share < 1e-4 else f"{share:.1%}"


def contribution(logs: FloatArray, decision: int, other: int) -> float:
    """What a value adds to the log odds of one class against another, from its log likelihoods (k,).

    It is 0 where both are impossible, and rounding where it is below :data:`EQUAL`.
    """
    ours, theirs = float(logs[decision]), float(logs[other])
    return ours - theirs if math.isfinite(ours) or math.isfinite(theirs) else 0.0


def value_and_interval(held: Conditionals, place: int, value: Any) -> str:
    """An attribute and its value as text, for a number in an interval with the interval: "age = 51 (under 60)"."""
    subject = f"{held.schema.attributes[int(held.attribute[place])].name} = {value_words(held, place, value)}"
    if int(held.form[place]) == DistributionForm.RANGES and len(cuts := held.cuts_of(place)):
        interval = brief_range_labels(cuts.tolist())[int(cuts.searchsorted(float(value), side="right"))]
        return f"{subject} ({interval})"
    return subject


def contribution_words(held: Conditionals, place: int, value: Any, logs: FloatArray, decision: int, other: int) -> str:
    """The :func:`contribution` of a value as a sentence; of a number in an interval, that is named."""
    subject, classes = value_and_interval(held, place, value), held.schema.classes
    if decision == other:
        return f"{subject} is the only class's own"
    difference = contribution(logs, decision, other)
    codes = [decision, other] if difference >= 0 else [other, decision]
    likely = [] if is_density(held, place) else np.exp(logs[codes]).tolist()
    shown = f" ({' against '.join(map(likelihood_words, likely))})" if likely else ""
    for_class, against = (classes[code] for code in codes)
    if not math.isfinite(difference):
        return f"{subject} comes only with {for_class}, never with {against}{shown}"
    if abs(difference) < EQUAL:
        return f"{subject} is as likely in {for_class} as in {against}{shown}"
    ratio = f"{math.exp(abs(difference)):.2f}"
    if abs(difference) >= math.log(_HARDLY):
        ratio = times_words(difference).removesuffix(" times")
    return f"{subject}: likelihood ratio {ratio} for {for_class} against {against}{shown}"


POINTS: Final = 201
"""Evaluated values of a number, evenly spaced from its smallest to its largest."""


@dataclass(frozen=True, eq=False)
class AttributeEvidence:
    """Values of an attribute, their log likelihoods (v, k), and ``labels`` of values or ranges, if it has any."""

    place: int
    name: str
    values: FloatArray
    logs: FloatArray
    labels: tuple[str, ...] = ()
    brief_labels: tuple[str, ...] = ()
    """The labels of ranges with rounded numbers; empty for other values."""

    @property
    def is_curve(self) -> bool:
        return not self.labels

    def odds(self, code: int, other: int) -> FloatArray:
        """Weight of evidence (v,) for a class against another: infinite where a value rules one out, 0 for both."""
        return difference(self.logs[:, code], self.logs[:, other])


def difference(ours: FloatArray, theirs: FloatArray) -> FloatArray:
    """The difference of two logarithms; zero where both are minus infinity."""
    neither = np.isneginf(ours) & np.isneginf(theirs)
    return np.asarray(np.where(neither, 0.0, np.where(neither, 0.0, ours) - np.where(neither, 0.0, theirs)))


class Evidence:
    """Weights of evidence of all attributes, and their sums over chosen values."""

    def __init__(self, held: Conditionals) -> None:
        self.held = held
        self.likelihoods = Likelihoods(held)

    @cached_property
    def lines(self) -> tuple[AttributeEvidence, ...]:
        """Evidence of each attribute, by its place in the structure."""
        return tuple(self._line(place) for place in range(self.held.n_attributes))

    def _line(self, place: int) -> AttributeEvidence:
        held = self.held
        name = held.schema.attributes[int(held.attribute[place])].name
        form = int(held.form[place])
        if form in DENSITIES:
            low, high = held.span[place].tolist()
            values = np.linspace(low, high, POINTS) if np.isfinite(high - low) else np.zeros(1)
            return AttributeEvidence(place, name, values, self.likelihoods.of(place, values))
        labels = row_labels(held, place)
        values, brief_labels = np.arange(len(labels), dtype=np.float64), tuple[str, ...]()
        if form == DistributionForm.RANGES:
            cuts = held.cuts_of(place)
            values = np.concatenate([[cuts[0] - 1.0], cuts]) if len(cuts) else np.zeros(1)
            brief_labels = brief_range_labels(cuts.tolist())
        return AttributeEvidence(place, name, values, self.likelihoods.of(place, values), labels, brief_labels)

    def logs_of(self, place: int, value: float | None) -> FloatArray:
        """Log likelihoods (k,) of a value; zeros where it is unknown."""
        if value is None:
            return np.zeros(self.held.n_classes)
        return np.asarray(self.likelihoods.of(place, np.array([value]))[0])

    def joint(self, values: dict[int, float]) -> FloatArray:
        """Log prior plus the log likelihoods (k,) of the known values by place."""
        total = self.likelihoods.log_prior.copy()
        for place, value in values.items():
            total += self.logs_of(place, value)
        return total

    def probabilities(self, values: dict[int, float]) -> tuple[FloatArray, bool]:
        """Class probabilities (k,) of a record with these values, and whether every class has likelihood zero."""
        shares, none = posteriors(self.joint(values)[None], self.held.prior)
        return shares[0], bool(none[0])

    def strongest_first(self, code: int, other: int, most: float) -> list[int]:
        """The places of the attributes, largest range of evidence first, each clipped at ``most``."""
        reach = []
        for line in self.lines:
            odds = np.clip(line.odds(code, other), -most, most)
            reach.append(-float(odds.max(initial=0.0) - odds.min(initial=0.0)))
        return [int(place) for place in np.argsort(np.array(reach), kind="stable")]


PLACES: Final = 401
_REACH: Final = 4.5
"""Deviations from the mean beyond which 7 in a million of a normal density lie."""


@dataclass(frozen=True, eq=False)
class ClassOverlap:
    """Two class densities along one number, each times its class share.

    ``values`` (v,) ascend; ``curves`` (2, v) are the weighted densities. The curves cross at ``boundaries`` (b,);
    ``likelier`` (b + 1,) is the likelier class before each boundary and after the last. ``wrong`` (2,) is the share of
    all records of each class on the side of the other; the sum is the Bayes error of the two densities.
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
    """Log densities ``logs`` (2, v) of one number in two classes at ascending ``values`` (v,)."""

    values: FloatArray
    logs: FloatArray

    def overlap(self, share: float) -> ClassOverlap:
        """The overlap if the first class has this share (TSKK 5.3.3; Duda, Hart and Stork 2001, section 2.2)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            joint = self.logs + np.log([[share], [1 - share]])
            lead = joint[0] - joint[1]
        lead = np.where(np.isnan(lead), 0.0, np.clip(lead, -1e300, 1e300))
        ahead = lead > 0
        before = np.flatnonzero(ahead[1:] != ahead[:-1])
        part = lead[before] / (lead[before] - lead[before + 1])
        boundaries = self.values[before] + part * (self.values[before + 1] - self.values[before])
        likelier = tuple((~ahead[np.append(before, len(ahead) - 1)]).astype(int).tolist())
        values = np.concatenate([self.values, boundaries])
        order = np.argsort(values, kind="stable")
        curves = np.exp(joint)
        both = np.vstack([np.append(curve, np.interp(boundaries, self.values, curve))[order] for curve in curves])
        values, steps, least = values[order], np.diff(values[order]), both.min(axis=0)
        loses = (both[:, 1:] + both[:, :-1]).argmin(axis=0)
        areas = np.bincount(loses, steps * (least[1:] + least[:-1]) / 2, minlength=2)
        return ClassOverlap(values, both, boundaries, likelier, (float(areas[0]), float(areas[1])))


def is_density(held: Conditionals, place: int) -> bool:
    """Whether the attribute at this place has a density in every class."""
    return int(held.form[place]) in DENSITIES


def densities(held: Conditionals, place: int, codes: tuple[int, int]) -> Densities | None:
    """Densities of the number at this place in two classes; None where one is not finite."""
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
