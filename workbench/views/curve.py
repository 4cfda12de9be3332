"""The viewer of curves: plot, table twin, and what can be taken away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QPointF, QSize, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from algorithms.evaluation.curve_kind import CurveKind
from workbench.jobs import Jobs
from workbench.theme import current_theme, themes
from workbench.views.curve_lines import CurveLine, as_csv
from workbench.views.curve_plot import CurvePlot, line_pen
from workbench.views.curve_table import CurveTable
from workbench.views.export import Export, ExportedScene, Table

LEGEND_LINE: Final = 20


class _ExportedCurves(ExportedScene):
    name, title = "curve", "Curves"

    def __init__(self, view: CurveView) -> None:
        super().__init__(view.plot)
        self._curves = view

    def size(self) -> QSize:
        return super().size() + QSize(0, LEGEND_LINE * (1 + len(self._curves.plot.lines)))

    def paint(self, painter: QPainter) -> None:
        """The plot, and under it which line is which."""
        super().paint(painter)
        plot = self._curves.plot
        top = super().size().height() + LEGEND_LINE / 2
        painter.setFont(themes.font(12))
        for at, line in enumerate(plot.lines):
            middle = top + LEGEND_LINE * (at + 0.5)
            painter.setPen(line_pen(line.look, in_view=at == 0))
            painter.drawLine(QPointF(16, middle), QPointF(46, middle))
            painter.setPen(current_theme().color("text"))
            painter.drawText(QPointF(54, middle + 4), line.titled())

    def table(self) -> Table | None:
        lines = self._curves.plot.lines
        return (lambda delimiter: as_csv(lines, delimiter)) if lines else None


class CurveView(QWidget):
    """Curves with one operating point. ``threshold_chosen`` comes while it is dragged, stepped, or chosen as a row."""

    threshold_chosen = Signal(float)

    def __init__(self, name: str, jobs: Jobs | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "clear")
        self.plot = CurvePlot(name)
        self.table = CurveTable(f"{name}.table")
        self._stack = QStackedWidget()
        self._stack.addWidget(self.plot)
        self._stack.addWidget(self.table)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._stack)
        self.export = Export(_ExportedCurves(self), jobs, self)
        self.plot.threshold_chosen.connect(self.threshold_chosen)
        self.plot.copy_asked.connect(self.export.copy_table)
        self.table.threshold_chosen.connect(self.threshold_chosen)

    def show_lines(self, lines: Sequence[CurveLine], kind: CurveKind) -> None:
        """Show these curves, the run in view first."""
        self.plot.show_lines(lines, kind)
        self.table.show_line(lines[0] if lines else None)

    def show_table(self, wanted: bool) -> None:
        """Show the points as a table instead of the picture."""
        self._stack.setCurrentIndex(int(wanted))
        (self.table if wanted else self.plot).setFocus()
