"""Means and products of the terms of training records: of all, and within their classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.design import Design


def products(design: Design, weights: FloatArray | None, context: RunContext) -> FloatArray:
    """The weighted means (t, t) of the products of standardised terms: their correlations."""

    def add_up(starts: range) -> FloatArray:
        found = np.zeros((len(design.terms), len(design.terms)))
        for start in starts:
            context.checkpoint()
            x, rows = design.block(start)[:-1], design.rows(start)
            found += x @ x.T if weights is None else (x * weights[rows]) @ x.T
        return found

    parts = context.map(add_up, design.chunks())
    total = sum(r.stop - r.start for r in map(design.rows, design)) if weights is None else float(weights.sum())
    return np.asarray(sum(parts[1:], parts[0]) / total)


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Of the standardised terms in each of k classes.

    ``weight`` (k,), ``mean`` (k, t), ``scatter`` (k, t, t) or (1, t, t) for all classes together: the weighted sums of
    products of the distances from the class's mean; ``squares`` (t, t) the weighted sums of the squares of these
    products over all records, where they were asked for.
    """

    weight: FloatArray
    mean: FloatArray
    scatter: FloatArray
    squares: FloatArray

    @property
    def pooled(self) -> FloatArray:
        """The scatter within all classes (t, t)."""
        return np.asarray(self.scatter.sum(axis=0))


def class_moments(
    design: Design,
    codes: NDArray[np.int32],
    weights: FloatArray,
    k: int,
    context: RunContext,
    *,
    apart: bool = False,
    squares: bool = False,
) -> ClassMoments:
    """The moments of records with these classes (n,); the scatter of each class ``apart``. Two passes: first the means,
    then the distances from them, so that nothing is lost where the means lie far apart."""
    weight = np.bincount(codes, weights, minlength=k).astype(np.float64)
    chunks = design.chunks()

    def sums(starts: range) -> FloatArray:
        found = np.zeros((len(design.terms), k))
        for start in starts:
            context.checkpoint()
            rows = design.rows(start)
            member = np.zeros((rows.stop - rows.start, k))
            member[np.arange(len(member)), codes[rows]] = weights[rows]
            found += design.block(start)[:-1] @ member
        return found

    every = context.map(sums, chunks)
    mean = (sum(every[1:], every[0]) / weight).T
    groups = k if apart else 1

    def scatters(starts: range) -> tuple[FloatArray, FloatArray]:
        t = len(design.terms)
        found, squared = np.zeros((groups, t, t)), np.zeros((t, t))
        for start in starts:
            context.checkpoint()
            rows = design.rows(start)
            distance = design.block(start)[:-1] - mean[codes[rows]].T
            for group in range(groups):
                own = codes[rows] == group if apart else slice(None)
                found[group] += (distance[:, own] * weights[rows][own]) @ distance[:, own].T
            if squares:
                square = distance * distance
                squared += (square * weights[rows]) @ square.T
        return found, squared

    found = context.map(scatters, chunks)
    scatter = sum((each for each, _ in found[1:]), found[0][0])
    return ClassMoments(weight, mean, scatter, np.asarray(sum((each for _, each in found[1:]), found[0][1])))


def divisor(weight: float, less: float) -> float:
    """The weight less what the means took, but no less than half of it: weights that sum to little would else make any
    variance."""
    return max(weight - less, weight / 2, float(np.finfo(np.float64).tiny))
