"""Which one record all panes of Visualize show where several are selected."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtWidgets import QSpinBox, QWidget

from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from workbench.session.selection import Selection
from workbench.widgets.fields import with_room


class RecordNumber(QSpinBox):
    """Counts from 1. ``chosen`` gives the places (n,), ascending and from 0, that the arrows stay among where they are
    several; any number can be typed."""

    def __init__(self, chosen: Callable[[], IntArray], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chosen = chosen
        self.setMinimum(1)
        with_room(self)

    def stepBy(self, steps: int) -> None:
        """Go on by so many records; among the selected ones where there are several."""
        chosen = self._chosen()
        if len(chosen) < 2:
            super().stepBy(steps)
            return
        here = self.value() - 1
        if steps > 0:
            at = int(np.searchsorted(chosen, here, side="right")) + steps - 1
        else:
            at = int(np.searchsorted(chosen, here, side="left")) + steps
        self.setValue(int(chosen[min(max(at, 0), len(chosen) - 1)]) + 1)
        self.selectAll()


def record_in_view(selection: Selection, data: Dataset, now: int | None) -> int | None:
    """The place of the record in ``data``: the one that is in view ``now`` where it is selected, else the first one
    selected; None where none of these records is."""
    mask = selection.mask_of(data)
    if now is not None and 0 <= now < len(mask) and mask[now]:
        return now
    first = int(mask.argmax()) if len(mask) else 0
    return first if len(mask) and mask[first] else None
