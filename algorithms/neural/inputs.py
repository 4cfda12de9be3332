"""The inputs of networks: a node for each number, and one or several for each list of values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np

from algorithms.core.classed_records import Records
from algorithms.core.context import RunContext
from algorithms.core.design import learned_terms
from algorithms.core.params import boolean
from algorithms.core.terms import IS_NUMBER, Coding, Terms

ONE_OF_K: Final = "one-of-k"
BINARY: Final = "binary"


def standardising() -> Any:
    """Whether numbers are brought onto one scale."""
    return boolean(
        True,
        label="Bring numbers onto one scale",
        help="Measures each number from its average in standard deviations. Without it large numbers drown small ones.",
        advanced=True,
    )


def input_terms(records: Records, coding: str, standardise: bool, context: RunContext) -> Terms:
    """How records become inputs, learned from them; numbers are standardised or left in their own unit.

    A value of a list is 1 where the record has it and 0 where not. Where inputs are not standardised they count from
    zero (:func:`algorithms.neural.examples.rows_of`), and what is missing is still the mean.
    """
    way = Coding.BINARY if coding == BINARY else Coding.EACH_VALUE
    terms = learned_terms(records.data, records.weights, context, way)
    if not standardise:
        return replace(terms, unit=np.ones(len(terms)))
    return replace(terms, unit=np.where(terms.value == IS_NUMBER, terms.unit, VALUE_UNIT))


VALUE_UNIT: Final = 0.5
"""What a value of a list is divided by: as large as a number's standard deviation where half of the records have it."""
