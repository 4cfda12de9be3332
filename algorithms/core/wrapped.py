"""What there is to look at where one model decides, or believes, otherwise than the one inside it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.core.members import Committee, Members, ModelStructure
from algorithms.core.schema import Schema


@dataclass(frozen=True, eq=False)
class Wrapped(Members):
    """A single model, and in ``words`` how its answers are changed; ``rows`` is that as a table, the heading first."""

    words: str
    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def around(
        cls, schema: Schema, part: ModelStructure, name: str, words: str, rows: tuple[tuple[str, ...], ...]
    ) -> Wrapped:
        """One model of this name within another."""
        return cls(schema, (part,), (name,), np.ones(1), True, Committee(), words, rows)
