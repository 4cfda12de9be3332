"""The viewer of curves: plot, table and export."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from PySide6.QtCore import QModelIndex, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QPainter, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QStackedWidget, QTableView, QWidget

from algorithms.evaluation.curves.curve_base import CurveKind, TraceColumn, ValueFormat
from workbench.jobs.jobs import Jobs
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.curve_plot import (
    NEVER,
    NOW,
    SOMETIMES,
    CurveLine,
    CurvePlot,
    as_csv,
    cell_words,
    line_pen,
    plain_name,
    point_sentence,
)
from workbench.viewers.charts.export import Export, ExportedScene, Table
from workbench.widgets.layouts import ClearWidget, column_layout, filled, named
from workbench.widgets.painting import MIDDLE_RIGHT, draw_text
from workbench.widgets.tables import CellsModel, Role, set_row_height, show_as_list

ROUND, ROUND_FIGURE = 20, 28
TIGHT, TIGHT_FIGURE = 14, 20
"""Padding of a title and of a figure, wide and narrow; the narrow ones serve tables that are too wide."""
WIDEST: Final = {ValueFormat.SHARE: ">99.9%", ValueFormat.THRESHOLD: "over 100%", ValueFormat.MARK: SOMETIMES}
"""The widest text of a column by form, apart from titles."""
WHEN: Final = f"\n{SOMETIMES}: under some costs nothing costs less\n{NEVER}: under none\n{NOW}: at the costs set"
CHEAPEST_NOW: Final = "So decides the threshold that costs least on these records, at the costs set."


class CurveModel(CellsModel):
    def __init__(self) -> None:
        super().__init__()
        self.line: CurveLine | None = None
        self.cheapest: int | None = None
        """The row of least cost at the costs set; None without costs."""
        self.widest: list[str] = []

    def show_line(self, line: CurveLine | None) -> None:
        if line is not self.line:
            self.beginResetModel()
            self.line, self.cheapest = line, None
            columns = () if line is None else line.trace.columns
            self.widest = [WIDEST.get(column.form, "") for column in columns]
            self.endResetModel()

    def mark(self, row: int | None) -> None:
        """Marks the row of least cost."""
        if row != self.cheapest:
            self.cheapest = row
            self.changed()

    def size(self) -> tuple[int, int]:
        return (0, 0) if self.line is None else (len(self.line.trace), len(self.line.trace.columns))

    def _column(self, column: int) -> TraceColumn:
        assert self.line is not None
        return self.line.trace.columns[column]

    def heading(self, column: int) -> str:
        return plain_name(self._column(column))

    def heading_tip(self, column: int) -> str:
        shown = self._column(column)
        return f"{shown.name}{WHEN if shown.form is ValueFormat.MARK else ''}"

    def side(self, column: int) -> Qt.AlignmentFlag:
        return MIDDLE_RIGHT

    def text(self, row: int, column: int) -> str:
        shown = self._column(column)
        return NOW if row == self.cheapest and shown.form is ValueFormat.MARK else cell_words(shown, row)

    def tip(self, row: int, column: int) -> str:
        assert self.line is not None
        sentence = point_sentence(self.line, row)
        return f"{sentence}\n{CHEAPEST_NOW}" if row == self.cheapest else sentence

    def value(self, row: int, column: int, role: int) -> Any:
        return themes.font(bold=True) if role == Role.FontRole and row == self.cheapest else None


class CurveTable(QTableView):
    """The points of the run in view; Enter or a double click chooses a row's threshold."""

    threshold_chosen = Signal(float)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, name, "The curve as a table; where its rows are thresholds, Enter decides by one")
        self._model = CurveModel()
        self.setModel(self._model)
        show_as_list(self).setTextElideMode(Qt.TextElideMode.ElideRight)
        self.activated.connect(self._chosen)
        themes.follow_now(self._measure)

    def show_line(self, line: CurveLine | None) -> None:
        self._model.show_line(line)
        self._spread()

    def mark_cheapest(self, threshold: float | None) -> None:
        """Marks the row with the decisions of a threshold and scrolls to it; None for none."""
        trace = None if self._model.line is None else self._model.line.trace
        row = None
        if threshold is not None and trace is not None and trace.thresholds is not None and len(trace):
            row = trace.nearest(threshold)
        if row != self._model.cheapest:
            self._model.mark(row)
            if row is not None:
                self.scrollTo(self._model.index(row, 0), QAbstractItemView.ScrollHint.PositionAtCenter)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._spread()

    def _spread(self) -> None:
        header, metrics, model = self.horizontalHeader(), self.horizontalHeader().fontMetrics(), self._model
        titles = [model.heading(column) for column in range(model.columnCount())]
        figures = QFontMetrics(themes.font(bold=True))  # the row of least cost is bold
        needed: list[int] = []
        for around, around_figure in ((ROUND, ROUND_FIGURE), (TIGHT, TIGHT_FIGURE)):
            needed = [
                max(metrics.horizontalAdvance(title) + around, figures.horizontalAdvance(widest) + around_figure)
                for title, widest in zip(titles, model.widest, strict=True)
            ]
            if sum(needed) <= self.viewport().width():
                break
        spare = max(0, self.viewport().width() - sum(needed)) // max(1, len(needed))
        for column_at, across in enumerate(needed):
            header.resizeSection(column_at, across + spare)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy) and self._model.line is not None:
            QGuiApplication.clipboard().setText(as_csv([self._model.line], "\t"))
        else:
            super().keyPressEvent(event)

    def _chosen(self, index: QModelIndex) -> None:
        thresholds = None if self._model.line is None else self._model.line.trace.thresholds
        if thresholds is not None:
            self.threshold_chosen.emit(float(thresholds[index.row()]))

    def _measure(self) -> None:
        set_row_height(self, themes.px(25))
        self._spread()


LEGEND_LINE: Final = 20


class _ExportedCurves(ExportedScene):
    def __init__(self, view: CurveView) -> None:
        super().__init__(view.plot, "curve", "Curves", self._lines)
        self._curves = view

    def size(self) -> QSize:
        return super().size() + QSize(0, LEGEND_LINE * (1 + len(self._curves.plot.lines)))

    def paint(self, painter: QPainter) -> None:
        """Paints the plot, and the legend of its lines below."""
        super().paint(painter)
        plot = self._curves.plot
        top = super().size().height() + LEGEND_LINE / 2
        painter.setFont(themes.font(12))
        for row, line in enumerate(plot.lines):
            middle = top + LEGEND_LINE * (row + 0.5)
            painter.setPen(line_pen(line.look, in_view=row == 0))
            painter.drawLine(QPointF(16, middle), QPointF(46, middle))
            draw_text(painter, QPointF(54, middle + 4), line.titled(), current_theme().color("text"))

    def _lines(self) -> Table | None:
        lines = self._curves.plot.lines
        return (lambda delimiter: as_csv(lines, delimiter)) if lines else None


class CurveView(ClearWidget):
    """Curves with one operating point; ``threshold_chosen`` comes from dragging, stepping, or a row of the table."""

    threshold_chosen = Signal(float)

    def __init__(self, name: str, jobs: Jobs | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plot = CurvePlot(name)
        self.table = CurveTable(f"{name}.table")
        self._stack = filled(QStackedWidget(), self.plot, self.table)
        column_layout(self._stack, inside=self)
        self.export = Export(_ExportedCurves(self), jobs, self)
        self.plot.threshold_chosen.connect(self.threshold_chosen)
        self.plot.copy_asked.connect(self.export.copy_table)
        self.table.threshold_chosen.connect(self.threshold_chosen)

    def show_lines(self, lines: Sequence[CurveLine], kind: CurveKind) -> None:
        self.plot.show_lines(lines, kind)
        self.table.show_line(lines[0] if lines else None)

    def show_table(self, wanted: bool) -> None:
        self._stack.setCurrentIndex(int(wanted))
        (self.table if wanted else self.plot).setFocus()
