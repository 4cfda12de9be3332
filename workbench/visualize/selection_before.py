"""The selection as it was before steps selected anything: it is there again when they are put away."""

from __future__ import annotations

from algorithms.core.data import Dataset
from workbench.selection import Mask, Selection


class SelectionBefore:
    """``source`` is by what steps say that they select."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._kept: tuple[Dataset, Mask, tuple[str, ...], bool] | None = None

    def keep(self, selection: Selection, data: Dataset) -> None:
        """Remember what is selected, unless a step selected it."""
        if selection.sources != (self._source,):
            self._kept = data, selection.mask_of(data).copy(), selection.sources, selection.by_judgement

    def bring_back(self, selection: Selection) -> None:
        """Select that again, where the last to select anything was a step."""
        kept, self._kept = self._kept, None
        if selection.sources != (self._source,):
            return
        if kept is None or not kept[1].any():
            selection.clear()
            return
        data, mask, sources, by_judgement = kept
        selection.select(data, mask, by=", ".join(sources), by_judgement=by_judgement)
