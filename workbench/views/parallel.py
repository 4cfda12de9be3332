"""The viewer of records as lines over axes that stand beside one another."""

from __future__ import annotations

from workbench.jobs import Jobs
from workbench.views.many_axes import ManyAxesView
from workbench.views.parallel_canvas import ParallelCanvas
from workbench.views.parallel_layers import MOST_LINES
from workbench.views.records_picture import Taken


class _TakenLines(Taken):
    name, title = "parallel-coordinates", "Parallel coordinates"


class ParallelView(ManyAxesView):
    """A :class:`ParallelCanvas` with its table twin and its legend."""

    def __init__(self, jobs: Jobs | None = None) -> None:
        self.lines = ParallelCanvas(jobs)
        super().__init__(self.lines, jobs, "visualize.parallel", _TakenLines)

    @property
    def n_shown(self) -> int | None:
        """How many lines are drawn one by one; None where density is shown."""
        places = self.places
        return len(places) if places is not None and len(places) <= MOST_LINES else None
