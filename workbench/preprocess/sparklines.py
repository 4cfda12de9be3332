"""The small histograms of the attribute list, counted in the background, those on the screen first."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QObject, QTimer

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.statistics import NominalStatistics, histogram, statistics
from workbench.jobs import Job
from workbench.preprocess.attributes_model import AttributesModel, Sparkline
from workbench.session import Session

BARS: Final = 14
BATCH: Final = 16
WAIT_MS: Final = 25

NOTHING: Final = Sparkline(np.empty(0, dtype=np.int64))


def sparkline(data: Dataset, index: int, context: RunContext) -> Sparkline:
    """The sparkline of one attribute: counts of its few values in order, else a histogram of at most 14 bars."""
    attribute = data.schema.attributes[index]
    if attribute.kind.is_string:
        return NOTHING
    if attribute.kind.is_coded and len(attribute.values) <= 40:
        counted = statistics(data, index, context.checkpoint)
        assert isinstance(counted, NominalStatistics)
        return Sparkline(counted.counts)
    found = histogram(data, index, context.checkpoint, by_class=False, max_bars=BARS)
    return NOTHING if found is None else Sparkline(found.counts[:, 0])


class Sparklines(QObject):
    """Fills the model's sparklines for the rows that :meth:`show` names, a batch a job, one job at a time."""

    def __init__(self, session: Session, model: AttributesModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._model = session, model
        self._first, self._last = 0, -1
        self._job: Job | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WAIT_MS)
        self._timer.timeout.connect(self._next)

    def show(self, first: int, last: int) -> None:
        """These rows are on the screen now."""
        self._first, self._last = first, last
        if not self._timer.isActive():
            self._timer.start()

    def _next(self) -> None:
        data = self._model.dataset
        rows = self._model.without_sparkline(self._first, self._last)[:BATCH]
        if data is None or not rows or (self._job is not None and self._job.is_running):
            return

        def work(context: RunContext) -> dict[int, Sparkline]:
            context.say("Counting for the small histograms")
            return {row: sparkline(data, row, context) for row in rows}

        self._job = self._session.jobs.start(
            "Small histograms", work, on_done=lambda found: self._model.add_sparklines(data, found)
        )
        self._job.failed.connect(lambda _: self._model.add_sparklines(data, dict.fromkeys(rows, NOTHING)))
        self._job.ended.connect(self._timer.start)
