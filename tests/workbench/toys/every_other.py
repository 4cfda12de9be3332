"""A method, made as ``resources/docs/how-to-add-a-method.md`` says: every other record is tested."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from algorithms.core.parameters import integer
from algorithms.core.resampling import Method, Split, enough_records
from algorithms.data.dataset import Dataset


@dataclass(frozen=True, kw_only=True)
class EveryOther(Method):
    """Every n-th record is tested by a model of the others."""

    id: ClassVar[str] = "toy-every-other"
    name: ClassVar[str] = "Every n-th record"
    sentence: ClassVar[str] = "Tests every n-th record of the table with a model trained on the others."

    step: int = integer(3, lo=2, label="Step", help="Which records are tested: each whose place it divides.")

    def splits(self, data: Dataset, random: np.random.Generator) -> Sequence[Split]:
        is_tested = np.arange(enough_records(data, self.step)) % self.step == 0
        return [Split(np.flatnonzero(~is_tested), np.flatnonzero(is_tested), 0, 0)]

    def described(self) -> str:
        return f"1 record in {self.step}"
