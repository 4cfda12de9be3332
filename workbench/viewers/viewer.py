"""What a viewer of a model is, and viewers of the parts of a model inside another viewer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, cast, runtime_checkable

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget

from algorithms.core.training import TrainedClassifier
from algorithms.data.dataset import Dataset
from algorithms.structures.model_structure import ModelStructure
from workbench.jobs.jobs import Jobs
from workbench.viewers.charts.export import Export
from workbench.viewers.original_units import Unscaled, show_structure


@runtime_checkable
class ShowsOneClass(Protocol):
    """A viewer that shows the evidence for one class."""

    def set_interest(self, code: int) -> None:
        """Shows the evidence for the class of this code."""


@runtime_checkable
class ShowsExport(Protocol):
    """A viewer with a menu to copy and save what it shows."""

    export: Export


@runtime_checkable
class ShowsLegend(Protocol):
    """A viewer with a legend of classes below its picture."""

    def put_legend_above(self) -> None:
        """Places the legend above the picture, for panes that cut off what is below."""


@runtime_checkable
class ShowsTrainingRecords(Protocol):
    """A viewer that shows the training records in the model."""

    def sketch(self, trained: TrainedClassifier, data: Dataset) -> None:
        """Shows how the records ``data``, as they were before the recipe, lie in the model."""


class Viewer(Protocol):
    """Shows one kind of structure: ``title`` and :meth:`facts` head its pane, with ``controls``."""

    title: str

    @property
    def controls(self) -> QWidget: ...

    @property
    def facts_changed(self) -> SignalInstance: ...

    def set_structure(self, structure: Any) -> None:
        """Shows this structure in place of the last one."""

    def facts(self) -> str: ...


ViewerFactory = Callable[[type[ModelStructure], Jobs | None], Viewer]
"""Makes a viewer for structures of a type."""


class PartViewers:
    """Viewers of the parts of a model: pages of ``pages``, their buttons in ``row``, made when first needed."""

    def __init__(self, make: ViewerFactory, jobs: Jobs | None, pages: QStackedWidget, row: QHBoxLayout) -> None:
        self._make, self._jobs, self._pages, self._row = make, jobs, pages, row
        self._viewers: dict[type[ModelStructure], Viewer] = {}

    def viewer_of(self, part: ModelStructure) -> QWidget:
        kind = type(part)
        if kind not in self._viewers:
            viewer = self._make(kind, self._jobs)
            self._viewers[kind] = viewer
            self._pages.addWidget(cast(QWidget, viewer))
            self._row.addWidget(viewer.controls)
        return cast(QWidget, self._viewers[kind])

    def show_part(self, part: ModelStructure, unscaled: Unscaled | None) -> None:
        """Shows a part in its viewer, with numbers in original units where ``unscaled`` gives them."""
        self.viewer_of(part)
        show_structure(self._viewers[type(part)], part, unscaled)

    def show_controls(self, part: ModelStructure | None) -> None:
        """Shows the buttons of this part's viewer only; None hides all."""
        for kind, viewer in self._viewers.items():
            viewer.controls.setVisible(part is not None and kind is type(part))

    def facts(self, part: ModelStructure) -> str:
        viewer = self._viewers.get(type(part))
        return "" if viewer is None else viewer.facts()
