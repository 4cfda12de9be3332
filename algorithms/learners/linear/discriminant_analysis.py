"""Linear and quadratic discriminant analysis: moments, covariances, discriminant axes, and both learners."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.learner import Learner, Problem
from algorithms.core.parameters import Option, choice, real, when
from algorithms.core.run_control import RunContext
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.learners.design_matrix import (
    DesignMatrix,
    DesignRecords,
    independent,
    learned_terms,
    most_terms,
    priors_parameter,
    problems_of_priors,
    too_long_lists,
)
from algorithms.learners.linear.model import LinearModel, QuadraticModel
from algorithms.learners.probability_scaling import class_shares
from algorithms.structures.design_terms import Terms
from algorithms.structures.hyperplanes import Axes, Gaussians, Hyperplanes


def products(design: DesignMatrix, weights: FloatArray | None, context: RunContext) -> FloatArray:
    """Weighted correlations (t, t) of standardised terms."""

    def add_up(starts: range) -> FloatArray:
        sums = np.zeros((len(design.terms), len(design.terms)))
        for start in starts:
            context.checkpoint()
            x, rows = design.block(start)[:-1], design.rows(start)
            sums += x @ x.T if weights is None else (x * weights[rows]) @ x.T
        return sums

    parts = context.map(add_up, design.chunks())
    total = sum(r.stop - r.start for r in map(design.rows, design)) if weights is None else float(weights.sum())
    return np.asarray(sum(parts[1:], parts[0]) / total)


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Moments of the standardised terms in k classes.

    ``weight`` is (k,), ``mean`` (k, t). ``scatter`` (k, t, t), or (1, t, t) if pooled, sums the weighted products of
    deviations from the class means. ``squares`` (t, t) sums the squares of these products over all records, or is
    zero if not requested.
    """

    weight: FloatArray
    mean: FloatArray
    scatter: FloatArray
    squares: FloatArray

    @property
    def pooled(self) -> FloatArray:
        """Within-class scatter of all classes (t, t)."""
        return np.asarray(self.scatter.sum(axis=0))


def class_moments(
    design: DesignMatrix,
    codes: NDArray[np.int32],
    weights: FloatArray,
    k: int,
    context: RunContext,
    *,
    apart: bool = False,
    squares: bool = False,
) -> ClassMoments:
    """Moments of records with class codes (n,), ``apart`` or pooled, in two passes against cancellation."""
    weight = np.bincount(codes, weights, minlength=k).astype(np.float64)
    chunks = design.chunks()

    def sums(starts: range) -> FloatArray:
        results = np.zeros((len(design.terms), k))
        for start in starts:
            context.checkpoint()
            rows = design.rows(start)
            member = np.zeros((rows.stop - rows.start, k))
            member[np.arange(len(member)), codes[rows]] = weights[rows]
            results += design.block(start)[:-1] @ member
        return results

    every = context.map(sums, chunks)
    mean = (sum(every[1:], every[0]) / weight).T
    groups = k if apart else 1

    def scatters(starts: range) -> tuple[FloatArray, FloatArray]:
        t = len(design.terms)
        results, squared = np.zeros((groups, t, t)), np.zeros((t, t))
        for start in starts:
            context.checkpoint()
            rows = design.rows(start)
            distance = design.block(start)[:-1] - mean[codes[rows]].T
            for group in range(groups):
                own = codes[rows] == group if apart else slice(None)
                results[group] += (distance[:, own] * weights[rows][own]) @ distance[:, own].T
            if squares:
                square = distance * distance
                squared += (square * weights[rows]) @ square.T
        return results, squared

    results = context.map(scatters, chunks)
    scatter = sum((part for part, _ in results[1:]), results[0][0])
    return ClassMoments(weight, mean, scatter, np.asarray(sum((part for _, part in results[1:]), results[0][1])))


def divisor(weight: float, less: float) -> float:
    """Weight less the degrees of freedom of the means, but at least half of it for very small weights."""
    return max(weight - less, weight / 2, float(np.finfo(np.float64).tiny))


_BLOCK: Final = 256
FLOOR: Final = 1e-6
"""Ridge added to the variances of standardised terms if the covariance is singular."""


def chosen_shrinkage(moments: ClassMoments) -> float:
    """Shrinkage of correlations, 0 to 1: their summed variances over summed squares (Schäfer and Strimmer 2005)."""
    n, scatter = float(moments.weight.sum()), moments.pooled
    spread = np.sqrt(np.maximum(np.diag(scatter) / n, 0.0))
    size = np.outer(spread, spread)
    varies = size > 0
    np.fill_diagonal(varies, False)
    if n <= 1 or not varies.any():
        return 1.0 if n <= 1 else 0.0
    mean = np.divide(scatter / n, size, out=np.zeros_like(size), where=varies)
    squares = np.divide(moments.squares, size**2, out=np.zeros_like(size), where=varies)
    variance = np.maximum(squares - n * mean**2, 0.0) * n / (n - 1) ** 3
    correlation = mean * n / (n - 1)
    below = float((correlation[varies] ** 2).sum())
    return float(min(1.0, variance[varies].sum() / below)) if below > 0 else 1.0


def shrink_correlations(covariance: FloatArray, shrinkage: float) -> FloatArray:
    """Covariance with correlations multiplied by 1 - ``shrinkage`` and unchanged variances."""
    result = (1.0 - shrinkage) * covariance
    np.fill_diagonal(result, np.diag(covariance))
    return result


def make_invertible(
    covariance: FloatArray, checkpoint: Callable[[], None] = lambda: None
) -> tuple[FloatArray, np.ndarray]:
    """Invertible covariance (t, t), if need be by :data:`FLOOR`; mask (t,) of terms dependent on earlier ones."""
    size = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    follows = ~independent(covariance / np.outer(size, size), checkpoint) | (np.diag(covariance) < 1e-10)
    if follows.any():
        covariance = covariance + FLOOR * np.eye(len(covariance))
    return covariance, follows


def inverse_root(covariance: FloatArray, checkpoint: Callable[[], None] = lambda: None) -> tuple[FloatArray, float]:
    """Inverse Cholesky factor of a covariance (t, t), and its log determinant; ``checkpoint`` may raise."""
    from scipy.linalg import LinAlgError, solve_triangular  # late: a list of learners needs none of it

    try:
        root = _lower_root(covariance, checkpoint)
    except LinAlgError:  # linear dependence up to rounding
        whole = float(np.abs(np.diag(covariance)).max())
        root = _lower_root(covariance + FLOOR * max(whole, 1.0) * np.eye(len(covariance)), checkpoint)
    inverse = np.zeros_like(root)
    for start in range(0, len(root), _BLOCK):
        checkpoint()
        own = slice(start, start + _BLOCK)  # the inverse is zero above its diagonal blocks
        inverse[start:, own] = solve_triangular(root[start:, start:], np.eye(len(root))[start:, own], lower=True)
    return inverse, 2.0 * float(np.log(np.diag(root)).sum())


def _lower_root(covariance: FloatArray, checkpoint: Callable[[], None]) -> FloatArray:
    """Blocked Cholesky factor of a covariance (t, t) (Golub and Van Loan, Matrix Computations, 4.2.9)."""
    from scipy.linalg import cholesky, solve_triangular  # late: a list of learners needs none of it

    rest, root = covariance.copy(), np.zeros_like(covariance)
    for start in range(0, len(rest), _BLOCK):
        checkpoint()
        own, below = slice(start, start + _BLOCK), slice(start + _BLOCK, None)
        root[own, own] = cholesky(rest[own, own], lower=True)
        root[below, own] = solve_triangular(root[own, own], rest[below, own].T, lower=True).T
        rest[below, below] -= root[below, own] @ root[below, own].T
    return root


def discriminant_axes(inverse: FloatArray, mean: FloatArray, prior: FloatArray) -> Axes:
    """Directions that best separate class means (k, t) relative to the within-class covariance.

    ``prior`` (k,) holds the class shares, ``inverse`` (t, t) the inverse Cholesky factor of the covariance. The
    largest loading of each axis is positive. Sources: Fisher (1936), Rao (1948).
    """
    t, m = len(inverse), min(len(prior) - 1, len(inverse))
    if m < 1:
        return Axes(np.zeros((t, 0)))
    apart = (mean - prior @ mean) * np.sqrt(prior)[:, None]
    within = inverse @ apart.T
    vectors, sizes, _ = np.linalg.svd(within, full_matrices=False)
    values, vectors = sizes[:m] ** 2, vectors[:, :m]
    kept = values > 1e-12 * max(float(values[0]), 1e-300)
    loading = inverse.T @ vectors[:, kept]
    if not loading.shape[1] or values[0] <= 0:
        return Axes(np.zeros((t, 0)))
    size = np.abs(loading)
    largest = np.argmax(size >= size.max(axis=0) * (1 - 1e-9), axis=0)
    loading = loading * np.sign(loading[largest, np.arange(loading.shape[1])])
    return Axes(np.ascontiguousarray(loading), np.asarray(values[kept] / values[kept].sum()))


MOST_NUMBERS = 30_000_000
"""Largest number of entries of all covariances together (240 MB)."""


@dataclass(frozen=True, eq=False)
class DiscriminantMoments:
    """Moments and shares (k,) of the active classes, and the shrinkage of correlations."""

    of_classes: ClassMoments
    prior: FloatArray
    shrinkage: float
    is_sample: bool

    def pooled(self) -> FloatArray:
        """Pooled within-class covariance (t, t), divided by n - k or n."""
        weight = self.of_classes.weight
        less = float(len(weight)) if self.is_sample else 0.0
        return shrink_correlations(self.of_classes.pooled / divisor(float(weight.sum()), less), self.shrinkage)

    def own(self, place: int) -> FloatArray:
        """Covariance of one class (t, t), divided by n - 1 or n."""
        less = 1.0 if self.is_sample else 0.0
        scatter = self.of_classes.scatter[place] / divisor(float(self.of_classes.weight[place]), less)
        return shrink_correlations(scatter, self.shrinkage)


@dataclass(frozen=True, kw_only=True)
class Discriminant(Learner):
    """Base of the learners that model each class as a normal distribution."""

    family: ClassVar[str] = "Linear"
    burden: ClassVar[int] = 3

    shrinkage: str = choice(
        "none",
        Option("none", "None", "The covariances of the training records."),
        Option("automatic", "Automatic", "Minimizes the expected error (Schäfer and Strimmer 2005)."),
        Option("given", "Given", "0 keeps the correlations; 1 treats attributes as uncorrelated."),
        label="Covariance shrinkage",
        help="Whether correlations of attributes are shrunk towards zero, which helps if there are few records.",
    )
    amount: float = real(
        0.5,
        lo=0.0,
        hi=1.0,
        label="Shrinkage amount",
        help="Share of each correlation that is removed.",
        enabled_if=when("shrinkage", "given"),
    )
    priors: tuple[float, ...] = priors_parameter()
    variance: str = choice(
        "sample",
        Option("sample", "Sample (n − k)", "Unbiased: less one for each class mean."),
        Option("population", "Population (n)", "Maximum likelihood; slightly smaller."),
        label="Variance estimate",
        help="The divisor of the covariances of a class.",
        advanced=True,
    )

    def check(self, summary: Summary) -> list[Problem]:
        problems = super().check(summary) or too_long_lists(summary) or problems_of_priors(self.priors, summary)
        if problems:
            return problems
        t = most_terms(summary)
        if self._covariances(len(summary.schema.classes)) * t * t > MOST_NUMBERS:
            return [Problem(f"{t:,} terms are too many for a covariance of each two.", "Select attributes first.")]
        return []

    def _covariances(self, k: int) -> int:
        """Number of covariances stored for k classes."""
        return 1

    def _moments(
        self, records: DesignRecords, terms: Terms, context: RunContext, *, apart: bool
    ) -> DiscriminantMoments:
        is_automatic = self.shrinkage == "automatic"
        moments = class_moments(
            DesignMatrix(records.data, terms), records.codes, records.weight_array, len(records.active), context,
            apart=apart, squares=is_automatic,
        )  # fmt: skip
        given = self.amount if self.shrinkage == "given" else 0.0
        shrinkage = chosen_shrinkage(moments) if is_automatic else given
        prior = class_shares(records.class_weight, self.priors)[records.active]
        return DiscriminantMoments(moments, prior, shrinkage, self.variance == "sample")


def expand_to_classes(values: FloatArray, active: np.ndarray, k: int) -> FloatArray:
    """Values (k, ...) of all classes from those of the active ones (a, ...); the others are zero."""
    result = np.zeros((k, *values.shape[1:]))
    result[active] = values
    return result


_PROJECTION_BLOCK: Final = 8192
_MOST_NAMED: Final = 3


def projected(terms: Terms, axes: Axes, data: Dataset, checkpoint: Callable[[], None]) -> FloatArray:
    """Scores (n, m) of records on the axes, in within-class standard deviations from the mean."""
    data = aligned(terms.schema, data)
    places = np.empty((len(data), len(axes)))
    for start in range(0, len(data), _PROJECTION_BLOCK):
        checkpoint()
        rows = slice(start, start + _PROJECTION_BLOCK)
        places[rows] = terms.of(data, rows).T @ axes.loading
    return places


def axis_name(axis: int) -> str:
    return f"Discriminant {axis + 1}"


def axis_words(terms: Terms, axes: Axes, axis: int) -> str:
    """Sentence about the axis's share of between-class variance and its largest loadings."""
    loading = axes.loading[:, axis]
    largest = np.argsort(-np.abs(loading), kind="stable")[:_MOST_NAMED].tolist()
    made_of = ", ".join(f"{'less' if loading[term] < 0 else 'more'} {terms.name(term)}" for term in largest)
    return f"{axis_name(axis)} has {axes.share[axis]:.1%} of the differences between the classes: {made_of}."


@dataclass(frozen=True, kw_only=True)
class LinearDiscriminant(Discriminant):
    """Linear discriminant analysis: normal classes of one covariance, with :data:`FLOOR` added if it is singular."""

    id: ClassVar[str] = "linear-discriminant"
    name: ClassVar[str] = "Linear discriminant"
    sentence: ClassVar[str] = (
        "Models each class as a normal distribution with a common covariance; boundaries are linear. Good "
        "with few records, and it shows the direction that separates the classes best."
    )
    source: ClassVar[str] = "Fisher (1936); Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, 4.3"

    def _fit(self, data: Dataset, context: RunContext) -> LinearModel:
        records = DesignRecords.of(data)
        terms = learned_terms(records.data, records.weights, context)
        t, k = len(terms), len(records.class_weight)
        prior = class_shares(records.class_weight, self.priors)
        weight, bias, axes = np.zeros((t, k)), np.log(np.where(prior > 0, prior, 1e-300)), Axes(np.zeros((t, 0)))
        follows = np.zeros(t, dtype=np.bool_)
        if t and len(records.active) > 1:
            moments = self._moments(records, terms, context, apart=False)
            covariance, follows = make_invertible(moments.pooled(), context.checkpoint)
            context.checkpoint()
            root, _ = inverse_root(covariance, context.checkpoint)
            mean = moments.of_classes.mean
            own = root.T @ (root @ mean.T)
            weight = expand_to_classes(own.T, records.active, k).T
            bias = bias + expand_to_classes(-0.5 * np.einsum("tk,kt->k", own, mean), records.active, k)
            axes = discriminant_axes(root, mean, moments.prior)
        decided = np.where(prior > 0, records.class_weight, 0.0)
        planes = Hyperplanes(
            terms.schema, terms, decided, np.ascontiguousarray(weight), bias, np.zeros((0, k, k)),
            np.zeros(t, dtype=np.int8), follows.astype(np.int8), axes, "discriminant", "none",
        )  # fmt: skip
        return LinearModel(planes)


@dataclass(frozen=True, kw_only=True)
class QuadraticDiscriminant(Discriminant):
    """Quadratic discriminant analysis, regularised as by Friedman (1989): normal classes with their own covariances.

    ``pooling`` is the weight of the pooled covariance in that of each class. A class with a singular covariance uses
    a weight of at least t / (t + n), for t terms and n records of the class.
    """

    id: ClassVar[str] = "quadratic-discriminant"
    name: ClassVar[str] = "Quadratic discriminant"
    sentence: ClassVar[str] = (
        "Models each class as a normal distribution with its own covariance; boundaries are curved. For "
        "numeric attributes and many records per class."
    )
    source: ClassVar[str] = "Friedman, Regularized Discriminant Analysis (1989)"

    pooling: float = real(
        0.0,
        lo=0.0,
        hi=1.0,
        label="Pooled covariance",
        help="Weight of the pooled covariance: 0 gives each class its own, 1 is the linear discriminant.",
    )

    def _covariances(self, k: int) -> int:
        return k

    def _fit(self, data: Dataset, context: RunContext) -> QuadraticModel:
        records = DesignRecords.of(data)
        terms = learned_terms(records.data, records.weights, context)
        t, k = len(terms), len(records.class_weight)
        prior = class_shares(records.class_weight, self.priors)
        mean, spread, root = np.zeros((k, t)), np.ones((k, t)), np.tile(np.eye(t), (k, 1, 1))
        log_det, blended, axes = np.zeros(k), np.zeros(k), Axes(np.zeros((t, 0)))
        if t and len(records.active) > 1:
            moments = self._moments(records, terms, context, apart=True)
            pooled, _ = make_invertible(moments.pooled(), context.checkpoint)
            mean = expand_to_classes(moments.of_classes.mean, records.active, k)
            for place, code in enumerate(records.active.tolist()):
                context.checkpoint()
                context.advance(place, len(records.active))
                covariance, blended[code] = self._of_class(moments, place, pooled)
                root[code], log_det[code] = inverse_root(covariance, context.checkpoint)
                spread[code] = np.sqrt(np.diag(covariance))
            within, _ = inverse_root(pooled, context.checkpoint)
            axes = discriminant_axes(within, moments.of_classes.mean, moments.prior)
        weight = records.class_weight
        held = Gaussians(terms.schema, terms, weight, prior, mean, spread, root, log_det, blended, axes)
        return QuadraticModel(held)

    def _of_class(self, moments: DiscriminantMoments, place: int, pooled: FloatArray) -> tuple[FloatArray, float]:
        """Covariance of an active class, and the weight of the pooled covariance in it."""
        weight = float(moments.of_classes.weight[place])
        own = moments.own(place)
        part, t = self.pooling, len(own)
        if make_invertible(own)[1].any():
            part = max(part, t / (t + weight))
        return (1.0 - part) * own + part * pooled, part
