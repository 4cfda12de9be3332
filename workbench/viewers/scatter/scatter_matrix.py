"""The viewer of records over every pair of some attributes."""

from __future__ import annotations

from workbench.jobs.jobs import Jobs
from workbench.viewers.scatter.many_axes import ManyAxesView
from workbench.viewers.scatter.records_picture import Taken
from workbench.viewers.scatter.scatter_matrix_canvas import ScatterMatrixCanvas


class _TakenMatrix(Taken):
    name, title = "scatter-matrix", "Scatter matrix"


class ScatterMatrixView(ManyAxesView):
    """A :class:`ScatterMatrixCanvas` with its table twin and its legend."""

    def __init__(self, jobs: Jobs | None = None) -> None:
        self.matrix = ScatterMatrixCanvas(jobs)
        super().__init__(self.matrix, jobs, "visualize.scatter_matrix", _TakenMatrix)

    @property
    def n_shown(self) -> int | None:
        """How many points are drawn one by one in the fullest cell; None where a cell shows density."""
        layers = list(self.matrix.scene.layers.values())
        if not layers or any(layer.shown is None for layer in layers):
            return None
        return max(0 if layer.shown is None else len(layer.shown) for layer in layers)
