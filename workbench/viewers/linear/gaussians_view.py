"""The viewer of quadratic discriminants: the middle and the spread of each class, by attribute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from algorithms.structures.hyperplanes import Gaussians
from workbench.jobs.jobs import Jobs
from workbench.style.wording import counted
from workbench.viewers.charts.export import Drawing, Export, Exported, Table, rows_written
from workbench.widgets.fields import SearchField
from workbench.widgets.labels import label
from workbench.widgets.text_table import TextTable


class ExportedClouds(Exported):
    """The table: as it stands, and its figures."""

    name: ClassVar[str] = "class-clouds"
    title: ClassVar[str] = "The shape of each class"

    def __init__(self, view: CloudsView) -> None:
        self._view = view

    def picture(self) -> QImage:
        return self._view.table.grab().toImage()

    def drawing(self) -> Drawing | None:
        table = self._view.table
        return table.size(), lambda painter: table.render(painter)

    def table(self) -> Table | None:
        return None if self._view.held is None else rows_written(self._view.table_rows())


class CloudsView(QWidget):
    """A row for each term: its mean and standard deviation in each class, those first that differ most."""

    title = "The shape of each class"
    facts_changed = Signal()

    def __init__(self, jobs: Jobs | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.held: Gaussians | None = None
        self._words = label("", "", wrap=True)
        self._words.setObjectName("visualize.clouds.words")
        self.search = SearchField("Find an attribute", "visualize.clouds.find")
        self.search.setToolTip("Shows only what has these letters in its name")
        self.table = TextTable("visualize.clouds", "Average and standard deviation of each attribute in each class")
        self.export = Export(ExportedClouds(self), jobs, self)
        self.controls = QWidget()
        self.controls.setProperty("part", "clear")
        line = QHBoxLayout(self.controls)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self.export.button("visualize.clouds.save"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self._words)
        column.addWidget(self.search)
        column.addWidget(self.table, 1)
        self.search.textChanged.connect(self._again)

    def set_structure(self, structure: Gaussians) -> None:
        """Show these classes."""
        self.held = structure
        self.search.clear()
        self._words.setText(
            "Each class is a cloud of records: its middle, ± one standard deviation. The attributes in which the "
            "classes differ most come first."
        )
        self._again()
        self.facts_changed.emit()

    def facts(self) -> str:
        """How many terms and classes there are, in words."""
        if self.held is None:
            return ""
        return f"{counted(self.held.n_terms, 'term')} · {self.held.n_classes} classes"

    def _again(self) -> None:
        if self.held is not None:
            self.table.show_rows(self.table_rows())

    def table_rows(self) -> Sequence[Sequence[str]]:
        """The heading, the shares of the classes, and a row for each term that is shown."""
        held = self.held
        assert held is not None
        wanted = self.search.text().casefold()
        means = np.array([held.mean_of(code) for code in range(held.n_classes)])
        spreads = np.array([held.deviation_of(code) for code in range(held.n_classes)])
        known = held.class_weight > 0
        apart = np.ptp(held.mean[known], axis=0) if known.any() else np.zeros(held.n_terms)
        rows = [["Term", *held.schema.classes]]
        if not wanted:
            rows.append(["(share of all)", *(f"{share:.1%}" for share in held.prior.tolist())])
        for at in np.argsort(-apart, kind="stable").tolist():
            if wanted in held.terms.name(at).casefold():
                cells = [f"{means[code, at]:.4g} ± {spreads[code, at]:.3g}" if known[code] else ""
                         for code in range(held.n_classes)]  # fmt: skip
                rows.append([held.terms.name(at), *cells])
        return rows
