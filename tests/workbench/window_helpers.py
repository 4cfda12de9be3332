"""Small tables and sessions for tests of the tabs."""

from __future__ import annotations

import numpy as np

from algorithms.core.data import Attribute, Dataset, Kind, Origin, Schema


def small_data(n: int = 60, classes: tuple[str, ...] = ("yes", "no"), seed: int = 0) -> Dataset:
    """``n`` records of two numbers, of which the first tells the class with some noise."""
    random = np.random.default_rng(seed)
    codes = np.arange(n) % len(classes)
    first = codes + random.normal(0, 0.35, n)
    schema = Schema(
        (
            Attribute("first", Kind.NUMERIC),
            Attribute("second", Kind.NUMERIC),
            Attribute("class", Kind.NOMINAL, classes),
        ),
        2,
    )
    return Dataset(schema, [first, random.normal(size=n), codes], origin=Origin("small"))
