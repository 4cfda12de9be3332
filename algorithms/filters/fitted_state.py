"""Reading what a fitted filter wrote: nothing in a file is believed before it was looked at."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from algorithms.core.errors import ModelFileError
from algorithms.core.learner import State
from algorithms.data.columns import FloatArray


class StoredState:
    """The state of a fitted filter; every reading raises :class:`ModelFileError` where it is not what it should be.

    ``what`` names it in that error: "The saved ranges are damaged."
    """

    def __init__(self, state: State, what: str) -> None:
        self._state = state
        self._what = what

    def damaged(self) -> ModelFileError:
        return ModelFileError(f"The saved {self._what} are damaged.", remedy="Save the model again.")

    def value(self, key: str) -> Any:
        return self._state.values.get(key)

    def names(self, key: str) -> list[str]:
        """A list of texts."""
        found = self.value(key)
        if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
            raise self.damaged()
        return found

    def lists(self, key: str, n: int) -> list[list[str]]:
        """``n`` lists of texts."""
        found = self.value(key)
        if not isinstance(found, list) or len(found) != n or not all(isinstance(each, list) for each in found):
            raise self.damaged()
        if not all(isinstance(text, str) for each in found for text in each):
            raise self.damaged()
        return found

    def text(self, key: str, allowed: Collection[str] | None = None) -> str:
        found = self.value(key)
        if not isinstance(found, str) or (allowed is not None and found not in allowed):
            raise self.damaged()
        return found

    def flag(self, key: str) -> bool:
        found = self.value(key)
        if not isinstance(found, bool):
            raise self.damaged()
        return found

    def sizes(self, key: str, n: int | None = None) -> list[int]:
        """Whole numbers of zero or more, ``n`` of them where it is given."""
        found = self.value(key)
        if not isinstance(found, list) or not all(type(each) is int and each >= 0 for each in found):
            raise self.damaged()
        if n is not None and len(found) != n:
            raise self.damaged()
        return found

    def numbers(self, key: str, *shape: int | None) -> FloatArray:
        """An array of float64 of this shape; None stands for any length."""
        found = self._state.arrays.get(key)
        if not isinstance(found, np.ndarray) or found.dtype != np.float64 or found.ndim != len(shape):
            raise self.damaged()
        if any(wanted is not None and wanted != length for wanted, length in zip(shape, found.shape, strict=True)):
            raise self.damaged()
        return found
