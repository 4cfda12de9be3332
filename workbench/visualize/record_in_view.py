"""Which one record all panes of Visualize show where several are selected."""

from __future__ import annotations

from algorithms.core.data import Dataset
from workbench.selection import Selection


def record_in_view(selection: Selection, data: Dataset, now: int | None) -> int | None:
    """The place of the record in ``data``: the one that is in view ``now`` where it is selected, else the first one
    selected; None where none of these records is."""
    mask = selection.mask_of(data)
    if now is not None and 0 <= now < len(mask) and mask[now]:
        return now
    first = int(mask.argmax()) if len(mask) else 0
    return first if len(mask) and mask[first] else None
