"""The viewer of a majority-class model: the shares of the classes as bars and as a table."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStackedWidget, QTableWidget, QTableWidgetItem, QWidget

from algorithms.structures.tree import Prior
from algorithms.text.numbers import percent, weight_text
from workbench.jobs.jobs import Jobs
from workbench.style.structure_colors import StructureColors, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.chart_base import ExportedChart, PaintedChart
from workbench.viewers.charts.export import Export
from workbench.widgets.labels import elided, label
from workbench.widgets.layouts import column_layout, filled, named
from workbench.widgets.painting import MIDDLE_RIGHT, draw_text
from workbench.widgets.panes import ClearRow, over_canvas
from workbench.widgets.tables import table_switch

ROW: Final = 44
BAR: Final = 16
WIDEST: Final = 720


class PriorBars(PaintedChart):
    """A bar for each class, the most frequent first."""

    def __init__(self) -> None:
        super().__init__("", "Shares of the classes", takes_keys=False)
        self.prior: Prior | None = None
        self._order: list[int] = []

    def set_prior(self, prior: Prior | None) -> None:
        self.prior = prior
        self._order = [] if prior is None else np.argsort(-prior.counts, kind="stable").tolist()
        self.setMinimumHeight(themes.px(ROW) * len(self._order))
        self.setAccessibleDescription("" if prior is None else "; ".join(words for words, _, _ in _lines(prior)[:20]))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(themes.px(480), themes.px(ROW) * max(1, len(self._order)))

    @property
    def is_empty(self) -> bool:
        return self.prior is None

    def table_rows(self) -> list[list[str]]:
        prior = self.prior
        if prior is None:
            return []
        total = float(prior.counts.sum()) or 1.0
        counts = zip(prior.schema.classes, prior.counts.tolist(), strict=True)
        rows = sorted(([name, f"{n:.12g}", f"{n / total:.6g}"] for name, n in counts), key=lambda row: -float(row[1]))
        return [["class", "records", "share"], *rows]

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        prior, look = self.prior, StructureColors(current_theme())
        assert prior is not None
        total = float(prior.counts.sum()) or 1.0
        row, width = themes.px(ROW), min(self.width() - themes.px(150), themes.px(WIDEST))
        for place, code in enumerate(self._order):
            if part.intersects(QRectF(0, place * row, self.width(), row).toRect()):
                share = float(prior.counts[code]) / total
                self._paint_class(painter, look, code, place, share, row, width)

    def _paint_class(
        self, painter: QPainter, look: StructureColors, code: int, place: int, share: float, row: int, width: int
    ) -> None:
        assert self.prior is not None
        top, bar, radius = place * row, themes.px(BAR), themes.px(5)
        font = themes.font(13, bold=place == 0)
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        draw_symbol(painter, look, code, QPointF(radius + 1, top + row * 0.25), radius * 0.9)
        text = elided(metrics, self.prior.schema.classes[code], width - 20, self.prior.schema.classes)
        draw_text(painter, QPointF(2 * radius + 8, top + row * 0.25 + metrics.ascent() / 2 - 1), text, look.text)
        box = QRectF(0, top + row * 0.5, max(2.0, width * share), bar)
        painter.fillRect(QRectF(0, box.top(), width, bar), look.soft)
        painter.fillRect(box, look.class_color(code))
        pattern = look.pattern(code)
        if pattern is not None:
            painter.fillRect(box, pattern)
        numbers = f"{percent(share)} · {weight_text(float(self.prior.counts[code]))}"
        at = QPointF(width + 10, box.center().y() + metrics.ascent() / 2 - 1)
        draw_text(painter, at, numbers, look.dim, themes.font(12))


class PriorView(QWidget):
    """The shares of the classes, and the class that is always predicted."""

    title = "Class shares"
    facts_changed = Signal()

    def __init__(self, jobs: Jobs | None = None) -> None:
        super().__init__()
        self._prior: Prior | None = None
        self._sentence = label("", "", wrap=True)
        self._bars = PriorBars()
        scroll = over_canvas(self._bars)
        scroll.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.table = self._made_table()
        self._stack = filled(QStackedWidget(), scroll, self.table)
        column_layout(self._sentence, (self._stack, 1), inside=self, spacing=12)
        self.export = Export(ExportedChart(self._bars, "classes", "Shares of the classes"), jobs, self)
        as_table = self.export.offer(table_switch("visualize.prior-as-table"))
        as_table.toggled.connect(lambda wanted: self._stack.setCurrentIndex(int(wanted)))
        self.controls = ClearRow(self.export.button("visualize.prior-save"))

    def set_structure(self, structure: Prior) -> None:
        self._prior = structure
        self._bars.set_prior(structure)
        lines = _lines(structure)
        best = int(np.argmax(structure.counts))
        self._sentence.setText(
            f"This model uses no attribute: it always predicts {structure.schema.classes[best]}, the most frequent "
            "class. Whatever learns something must be right more often than that."
        )
        self.table.setRowCount(len(lines))
        for row, (_, name, (count, share)) in enumerate(lines):
            for column, text in enumerate((name, count, share)):
                item = QTableWidgetItem(text)
                if column:
                    item.setTextAlignment(MIDDLE_RIGHT)
                self.table.setItem(row, column, item)
        self.facts_changed.emit()

    def facts(self) -> str:
        if self._prior is None:
            return ""
        k = len(self._prior.counts)
        return f"{weight_text(float(self._prior.counts.sum()))} records · {k} class{'' if k == 1 else 'es'}"

    def _made_table(self) -> QTableWidget:
        table = named(QTableWidget(0, 3), "visualize.prior-table", "Shares of the classes as a table")
        table.setHorizontalHeaderLabels(["Class", "Records", "Share"])
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setShowGrid(False)
        table.verticalHeader().hide()
        table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        return table


def _lines(prior: Prior) -> list[tuple[str, str, tuple[str, str]]]:
    """(words, name, (records, share)) of each class, the most frequent first."""
    total = float(prior.counts.sum()) or 1.0
    lines = []
    for code in np.argsort(-prior.counts, kind="stable").tolist():
        name, count, share = prior.schema.classes[code], float(prior.counts[code]), float(prior.counts[code]) / total
        lines.append((f"{name} {percent(share)}", name, (weight_text(count), percent(share))))
    return lines
