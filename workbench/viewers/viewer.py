"""What a viewer of a model is, viewers of the parts of a model inside another viewer, and that of a wrapped model.

A wrapped model shows how its predictions are changed, and the inner model in its own viewer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast, runtime_checkable

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget

from algorithms.core.training import TrainedClassifier
from algorithms.data.dataset import Dataset
from algorithms.structures.members import WrappedStructure
from algorithms.structures.model_structure import ModelStructure
from workbench.jobs.jobs import Jobs
from workbench.viewers.charts.export import Drawing, Export, Exported, Table, exported_widget
from workbench.viewers.original_units import TableNumbers, show_structure
from workbench.widgets.buttons import quiet_button
from workbench.widgets.labels import label
from workbench.widgets.layouts import column_layout, filled, named
from workbench.widgets.panes import ClearRow
from workbench.widgets.tables import TextTable


@runtime_checkable
class ShowsOneClass(Protocol):
    """A viewer that shows the evidence for one class."""

    def set_interest(self, code: int) -> None:
        """Shows the evidence for the class of this code."""


@runtime_checkable
class ComparesTwoClasses(Protocol):
    """A viewer that compares two classes at a time, line by line."""

    def compared_words(self) -> str:
        """Which two classes are compared, and how many others are left out; empty for two classes."""

    def whole_height(self) -> int:
        """Height at which it shows all lines without a scroll bar, in pixels."""


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


@dataclass(frozen=True)
class RecordShown:
    """A record whose values a viewer was given, by their places; its ``name`` is that of these values alone."""

    name: str = ""
    values: Mapping[int, float] = field(default_factory=dict)

    def name_of(self, values: Mapping[int, float]) -> str:
        """The name of the record if these are its values, else empty."""
        return self.name if self.values == values else ""


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

    def show_part(self, part: ModelStructure, numbers: TableNumbers | None) -> None:
        """Shows a part in its viewer, with numbers as the table has them."""
        self.viewer_of(part)
        show_structure(self._viewers[type(part)], part, numbers)

    def show_controls(self, part: ModelStructure | None) -> None:
        """Shows the buttons of this part's viewer only; None hides all."""
        for kind, viewer in self._viewers.items():
            viewer.controls.setVisible(part is not None and kind is type(part))

    def facts(self, part: ModelStructure) -> str:
        viewer = self._viewers.get(type(part))
        return "" if viewer is None else viewer.facts()


class ExportedWithin(Exported):
    """Exports the viewer of the inner model while that is in view, else the table of what changes."""

    name, title = "within", "Model within"

    def __init__(self, view: WrappedStructureView) -> None:
        self._view = view
        self._table = exported_widget(self.name, self.title, view.table, lambda: view.table_rows)

    @property
    def _shown(self) -> Exported:
        inner: object = self._view.pages.currentWidget()
        return inner.export.exported if isinstance(inner, ShowsExport) else self._table

    @property
    def is_large(self) -> bool:
        return self._shown.is_large

    def view(self) -> Drawing | None:
        return self._shown.view()

    def drawing(self) -> Drawing | None:
        return self._shown.drawing()

    def table(self) -> Table | None:
        return self._shown.table()


class WrappedStructureView(QWidget):
    """A model within another and what is done with its predictions; the buttons of both stand in one row."""

    title = "Model within"
    facts_changed = Signal()

    def __init__(self, viewer_for: ViewerFactory, jobs: Jobs | None = None) -> None:
        super().__init__()
        self.shown: WrappedStructure | None = None
        self._numbers: TableNumbers | None = None
        self._sentence = named(label("", "", wrap=True), "visualize.within.words")
        self.table = TextTable("visualize.within.table", "How answers are changed")
        self.pages = filled(QStackedWidget(), self.table)
        column_layout(self._sentence, (self.pages, 1), inside=self, spacing=10)
        self._as_table = quiet_button(
            "What changes", "visualize.within.as-table", "How its answers are changed", checkable=True
        )
        self._as_table.toggled.connect(self._show)
        self.export = Export(ExportedWithin(self), jobs, self)
        self._save = self.export.button("visualize.within.save")
        self.controls = ClearRow(self._as_table, self._save)
        self._parts = PartViewers(viewer_for, jobs, self.pages, self.controls.line)

    def set_numbers(self, numbers: TableNumbers | None) -> None:
        self._numbers = numbers

    def set_structure(self, structure: WrappedStructure) -> None:
        self.shown = structure
        self._sentence.setText(structure.words)
        self.table.show_rows(structure.rows)
        self._parts.show_part(structure.parts[0], self._numbers)
        self._show()
        self.facts_changed.emit()

    def sketch(self, trained: TrainedClassifier, data: Dataset) -> None:
        viewer: object = self.viewer
        if isinstance(viewer, ShowsTrainingRecords):
            viewer.sketch(trained, data)

    def facts(self) -> str:
        if self.shown is None:
            return ""
        return ", ".join(filter(None, (self.shown.names[0], self._parts.facts(self.shown.parts[0]))))

    @property
    def table_rows(self) -> Sequence[Sequence[str]]:
        return () if self.shown is None else self.shown.rows

    @property
    def viewer(self) -> QWidget | None:
        return None if self.shown is None else self._parts.viewer_of(self.shown.parts[0])

    def _show(self) -> None:
        viewer = None if self._as_table.isChecked() else self.viewer
        self.pages.setCurrentWidget(viewer or self.table)
        self._parts.show_controls(None if viewer is None or self.shown is None else self.shown.parts[0])
        self._save.setVisible(not isinstance(viewer, ShowsExport))  # else the menu of the inner viewer is there
