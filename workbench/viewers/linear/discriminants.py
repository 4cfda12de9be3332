"""Viewers of discriminant analysis: Gaussians of the classes, and records on discriminant axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QWidget

from algorithms.structures.hyperplanes import Gaussians
from algorithms.text.sentences import counted
from workbench.jobs.jobs import Jobs
from workbench.viewers.charts.export import Drawing, Export, Exported, Table, rows_written
from workbench.viewers.scatter.scatter_view import ScatterView
from workbench.widgets.fields import ElidedComboBox, SearchField, drop_down
from workbench.widgets.labels import label
from workbench.widgets.layouts import ClearWidget, column_layout, named, row_layout
from workbench.widgets.panes import ClearRow
from workbench.widgets.tables import TextTable, table_switch


class ProjectionView(ClearWidget):
    """Records as points on two discriminant axes; ``axes_chosen`` comes when other axes are chosen."""

    axes_chosen = Signal()

    def __init__(self, jobs: Jobs | None = None) -> None:
        super().__init__()
        self.setObjectName("visualize.projection")
        self.scatter = ScatterView(jobs)
        self.scatter.canvas.setObjectName("visualize.projection.scatter")
        self.scatter.canvas.setAccessibleName("The records on the discriminant axes")
        self.scatter.table.setObjectName("visualize.projection.scatter-table")
        self.across = self._choice("visualize.projection.across", "Axis across")
        self.up = self._choice("visualize.projection.up", "Axis upwards")
        self.as_table = self.scatter.export.offer(table_switch("visualize.projection.as-table"))
        self.as_table.toggled.connect(self.scatter.show_table)
        self.scatter.canvas.table_wanted.connect(self.as_table.toggle)
        save = self.scatter.export.button("visualize.projection.save")
        self._words = named(label("", "", wrap=True), "visualize.projection.words")
        column_layout(
            row_layout(label("Across", "dim"), self.across, label("upwards", "dim"), self.up, 1, save),
            self._words,
            (self.scatter, 1),
            inside=self,
            spacing=8,
        )

    def _choice(self, name: str, says: str) -> ElidedComboBox:
        box = drop_down(name, says, f"{says}: the first has most of the differences between the classes", 14)
        box.activated.connect(self.axes_chosen)
        return box

    def offer(self, names: list[str], up: list[str]) -> None:
        """Offers these axes, the first two chosen."""
        self.across.offer(names)
        self.up.offer(up, min(1, len(up) - 1) if len(names) > 1 else 0)

    def say(self, words: str) -> None:
        self._words.setText(words)


class ExportedGaussians(Exported):
    name, title = "class-clouds", "Mean and spread by class"

    def __init__(self, view: GaussiansView) -> None:
        self._view = view

    def drawing(self) -> Drawing | None:
        table = self._view.table
        return table.size(), lambda painter: table.render(painter, QPoint())

    def table(self) -> Table | None:
        return None if self._view.held is None else rows_written(self._view.table_rows())


class GaussiansView(QWidget):
    """A row for each term: mean and standard deviation by class, the largest differences first."""

    title = "Mean and spread by class"
    facts_changed = Signal()

    def __init__(self, jobs: Jobs | None = None) -> None:
        super().__init__()
        self.held: Gaussians | None = None
        self._words = named(label("", "", wrap=True), "visualize.clouds.words")
        self.search = SearchField("Find an attribute", "visualize.clouds.find")
        self.search.setToolTip("Shows only what has these letters in its name")
        self.table = TextTable("visualize.clouds", "Mean and standard deviation of each attribute in each class")
        self.export = Export(ExportedGaussians(self), jobs, self)
        self.controls = ClearRow(self.export.button("visualize.clouds.save"))
        column_layout(self._words, self.search, (self.table, 1), inside=self, spacing=8)
        self.search.textChanged.connect(self._again)

    def set_structure(self, structure: Gaussians) -> None:
        self.held = structure
        self.search.clear()
        self._words.setText(
            "Each class is a cloud of records: its middle, ± one standard deviation. The attributes in which the "
            "classes differ most come first."
        )
        self._again()
        self.facts_changed.emit()

    def facts(self) -> str:
        if self.held is None:
            return ""
        return f"{counted(self.held.n_terms, 'term')} · {self.held.n_classes} classes"

    def _again(self) -> None:
        if self.held is not None:
            self.table.show_rows(self.table_rows())

    def table_rows(self) -> Sequence[Sequence[str]]:
        """The heading, the shares of the classes, and a row for each term shown."""
        held = self.held
        assert held is not None
        wanted = self.search.text().casefold()
        means = np.array([held.mean_of(code) for code in range(held.n_classes)])
        spreads = np.array([held.deviation_of(code) for code in range(held.n_classes)])
        has_records = held.class_weight > 0
        apart = np.ptp(held.mean[has_records], axis=0) if has_records.any() else np.zeros(held.n_terms)
        rows = [["Term", *held.schema.classes]]
        if not wanted:
            rows.append(["(share of all)", *(f"{share:.1%}" for share in held.prior.tolist())])
        for term in np.argsort(-apart, kind="stable").tolist():
            if wanted in held.terms.name(term).casefold():
                cells = [f"{means[code, term]:.4g} ± {spreads[code, term]:.3g}" if has_records[code] else ""
                         for code in range(held.n_classes)]  # fmt: skip
                rows.append([held.terms.name(term), *cells])
        return rows
