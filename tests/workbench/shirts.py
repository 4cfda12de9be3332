"""A small table for tests of Preprocess."""

from __future__ import annotations

import numpy as np

from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric


def shirts() -> Dataset:
    """Forty records: a number of each, ages 20 to 24, three sizes, and a risk to predict."""
    schema = Schema(
        (
            Attribute("id", AttributeKind.IDENTIFIER),
            numeric("age"),
            nominal("size", ["small", "large", "medium"]),
            nominal("risk", ["low", "high"]),
        ),
        3,
    )
    ids = np.array([f"no {i}" for i in range(40)], dtype=np.dtypes.StringDType(na_object=np.nan))
    ages = [float(20 + i % 5) for i in range(40)]
    return Dataset(
        schema, [ids, ages, [i % 3 for i in range(40)], [i % 2 for i in range(40)]], origin=DataOrigin("shirts")
    )
