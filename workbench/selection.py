"""The one selection of the window: which records are meant, whatever view they were chosen in.

A boolean mask over the base positions of the rows, so that it survives every choice of rows and costs the same
whether one record is selected or a million.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt, Signal

from algorithms.core.data import Dataset, IntArray

Mask = NDArray[np.bool_]


class How(StrEnum):
    """What choosing some records does to the selection there is."""

    REPLACE = "replace"
    ADD = "add"
    REMOVE = "remove"
    TOGGLE = "toggle"


def how_by_keys(modifiers: Qt.KeyboardModifier) -> How:
    """The way of selecting that the held keys ask for: Shift adds, Ctrl toggles, Alt removes."""
    if modifiers & Qt.KeyboardModifier.AltModifier:
        return How.REMOVE
    if modifiers & Qt.KeyboardModifier.ControlModifier:
        return How.TOGGLE
    if modifiers & Qt.KeyboardModifier.ShiftModifier:
        return How.ADD
    return How.REPLACE


class Selection(QObject):
    """The selected records of the table in view. Views set it by rows of a data set and paint :meth:`mask_of`."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._mask: Mask = np.zeros(0, dtype=np.bool_)
        self._count = 0

    def __len__(self) -> int:
        """Number of selected base positions."""
        return self._count

    def forget(self, n_base: int) -> None:
        """Another table: nothing of its ``n_base`` positions is selected."""
        self._set(np.zeros(n_base, dtype=np.bool_))

    def clear(self) -> None:
        """Select nothing."""
        if self._count:
            self._set(np.zeros(len(self._mask), dtype=np.bool_))

    def select(self, data: Dataset, rows: IntArray | Mask, how: How = How.REPLACE) -> None:
        """Select rows of ``data``: numbers or a boolean mask over them."""
        positions = data.positions[rows]
        size = max(len(self._mask), int(positions.max()) + 1 if len(positions) else 0)
        mask = np.zeros(size, dtype=np.bool_)
        mask[: len(self._mask)] = self._mask
        if how is How.REPLACE:
            mask[:] = False
        mask[positions] = ~mask[positions] if how is How.TOGGLE else how is not How.REMOVE
        if len(mask) != len(self._mask) or not np.array_equal(mask, self._mask):
            self._set(mask)

    def mask_of(self, data: Dataset) -> Mask:
        """Which rows of ``data`` are selected (n,)."""
        positions = data.positions
        inside = positions < len(self._mask)
        if bool(inside.all()):
            return self._mask[positions]
        found = np.zeros(len(positions), dtype=np.bool_)
        found[inside] = self._mask[positions[inside]]
        return found

    def rows_of(self, data: Dataset) -> IntArray:
        """The selected rows of ``data``, ascending."""
        return np.flatnonzero(self.mask_of(data))

    def _set(self, mask: Mask) -> None:
        mask.flags.writeable = False
        self._mask, self._count = mask, int(np.count_nonzero(mask))
        self.changed.emit()
