"""Bias and variance of runs as bars, and the averaged boundary over two attributes (TSKK Figures 5.33 and 5.34).

A bar has the bias, the variance that adds to the error, and the variance that lessens it. The tint of the boundary is
stronger where more models agree; the line is where their majority changes. A dashed line shows the boundary of the best
possible model for generated data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QVBoxLayout, QWidget

from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.bias_variance import SETS, BiasVariance, BoundaryPlane, leaning_words, most_records
from algorithms.evaluation.regions import RegionAxis, Regions, first_axes
from algorithms.text.numbers import adding_up, tick_text
from algorithms.text.sentences import BRIEF_NAMES, in_brief
from workbench.jobs.jobs import LatestTask
from workbench.jobs.ui_scheduling import MadeInPieces
from workbench.layout.grid_regions import contour
from workbench.layout.points import ScatterPoints, points_of, scale_of
from workbench.layout.ticks import nice_step
from workbench.session.run_analyses import BiasVarianceRuns
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, current_theme, themes
from workbench.tabs.evaluate.diagnostics.started_analyses import forecast_label, show_end, show_forecast
from workbench.viewers.charts.chart_base import ExportedChart
from workbench.viewers.charts.export import Export
from workbench.viewers.charts.legend import LegendChart
from workbench.viewers.scatter.rendering import regions_image
from workbench.viewers.scatter.scatter_paint import Backdrop, Outline
from workbench.viewers.scatter.scatter_view import ScatterTableData, ScatterView
from workbench.widgets.buttons import accent_button
from workbench.widgets.examples import FaintExample
from workbench.widgets.fields import NumberField, with_room
from workbench.widgets.keyboard_focus import set_enabled, stepped, swap
from workbench.widgets.labels import elided, elided_at_end, label
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, filled, named, row_layout, split
from workbench.widgets.painting import draw_text, pen_and_brush
from workbench.widgets.panes import FailureNote, Pane, over_canvas
from workbench.widgets.status_line import StopButton
from workbench.widgets.tables import PictureOrTable, TextTable

ROW: Final = 62
MOST_ROW: Final = 90
"""Heights of a row in a low and in a high window."""
BAR: Final = 16
"""Height of a bar in a low row; the bar of a higher row has all that the row has more."""
HEAD: Final = 26
FOOT: Final = 34
TICK: Final = 56
"""Least distance of two ticks."""
HEADING: Final = (
    "learner",
    "error rate (%)",
    "bias",
    "unbiased variance",
    "biased variance",
    "training sets",
    "records each",
)
SHOWN: Final = ("Run", "Error rate", "Bias", "Unbiased variance", "Biased variance", "Sets")
"""Short headings of the table on the page."""
LEGEND: Final = ("bias", "unbiased variance (adds)", "biased variance (takes off)")


@dataclass(frozen=True)
class BiasVarianceRow:
    """One learner, as shares of the tested records: ``loss`` = ``bias`` + ``unbiased`` - ``biased``."""

    name: str
    loss: float
    bias: float
    unbiased: float
    biased: float
    sets: int
    records: int

    def words(self) -> str:
        """The row in words, with rounded figures that add up."""
        wrong, bias, adds, takes = self._shown()
        return f"{self.name}: error rate {wrong}% = bias {bias} + variance {adds} − {takes}"

    def _shown(self) -> tuple[str, ...]:
        shares = adding_up(self.loss, (self.bias, self.unbiased, -self.biased))
        return tuple(f"{abs(share):.1f}" for share in shares)

    def shown(self) -> tuple[str, ...]:
        """The row of the table on the page, with the figures of :meth:`words`."""
        return (self.name, *self._shown(), f"{self.sets} of {self.records:,}")

    def cells(self) -> tuple[str, ...]:
        shares = (self.loss, self.bias, self.unbiased, self.biased)
        return (self.name, *(f"{100 * share:.6g}" for share in shares), str(self.sets), str(self.records))


class BiasVarianceBars(LegendChart):
    """A row of bars for each learner; arrows, Home, End or a click choose one."""

    chosen = Signal(int)
    frame = 1.5

    def __init__(self) -> None:
        super().__init__("evaluate.leaning.bars", "What the error comes from")
        self.learners: tuple[BiasVarianceRow, ...] = ()
        self.row = -1
        themes.follow(self._measure)

    def show_rows(self, rows: Sequence[BiasVarianceRow], row: int) -> None:
        """Shows these learners, one of them chosen; -1 for none."""
        self.learners, self.row = tuple(rows), row
        self._measure()
        self.setAccessibleDescription(self.learners[row].words() if 0 <= row < len(self.learners) else "")

    def table_rows(self) -> list[tuple[str, ...]]:
        return [HEADING, *(row.cells() for row in self.learners)]

    def shown(self) -> list[tuple[str, ...]]:
        """The table on the page, the heading first."""
        return [SHOWN, *(row.shown() for row in self.learners)]

    def sizeHint(self) -> QSize:
        return QSize(themes.px(300), themes.px(HEAD) + themes.px(ROW) * max(1, len(self.learners)) + themes.px(FOOT))

    @property
    def _row_height(self) -> float:
        room = self.height() - themes.px(HEAD) - themes.px(FOOT)
        return min(max(room / max(1, len(self.learners)), themes.px(ROW)), themes.px(MOST_ROW))

    def _measure(self) -> None:
        self.setMinimumHeight(self.sizeHint().height())
        self.update()

    @property
    def is_empty(self) -> bool:
        return not self.learners

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        self._paint_legend(painter)
        most = max(max(row.bias + row.unbiased, row.loss) for row in self.learners)
        for index, row in enumerate(self.learners):
            self._paint_row(painter, index, row, max(most, 1e-9))
        self._paint_axis(painter, max(most, 1e-9))

    def _paint_axis(self, painter: QPainter, most: float) -> None:
        theme, line = current_theme(), QFontMetricsF(themes.font(11)).height()
        top = themes.px(HEAD) + len(self.learners) * self._row_height
        left, width = 8.0, self.width() - 16.0
        painter.setPen(QPen(theme.color("control"), 1))
        painter.drawLine(QPointF(left, top), QPointF(left + width, top))
        step = nice_step(100 * most * themes.px(TICK) / max(1.0, width))
        for n in range(int(100 * most / step) + 1) if step else ():
            x = left + n * step / (100 * most) * width
            painter.setPen(QPen(theme.color("control"), 1))
            painter.drawLine(QPointF(x, top), QPointF(x, top + 3))
            box = QRectF(max(0.0, x - 30), top + 4, 60, line)
            side = Qt.AlignmentFlag.AlignHCenter if x >= 30 else Qt.AlignmentFlag.AlignLeft
            draw_text(painter, box, f"{tick_text(n * step, step)}%", theme.color("dim"), themes.font(11), side)
        below = QRectF(left, top + 4 + line, width, line)
        title = "Error rate of the test records"
        draw_text(painter, below, title, theme.color("dim"), align=Qt.AlignmentFlag.AlignHCenter)

    def _paint_legend(self, painter: QPainter) -> None:
        metrics, x, y = QFontMetricsF(painter.font()), 6.0, themes.px(HEAD) / 2 - 5
        for index, (text, brush) in enumerate(zip(LEGEND, self._brushes(), strict=True)):
            with self.entry(painter, index):
                pen_and_brush(painter, QPen(current_theme().color("dim"), 1), brush)
                painter.drawRect(QRectF(x, y, 12, 10))
                baseline = y + 5 + metrics.ascent() / 2 - 1
                draw_text(painter, QPointF(x + 17, baseline), text, current_theme().color("text"))
            self.put(QRectF(x, y, 17 + metrics.horizontalAdvance(text), 10), index)
            x += 17 + metrics.horizontalAdvance(text) + 14

    @staticmethod
    def _brushes() -> tuple[QBrush, QBrush, QBrush]:
        theme = current_theme()
        return (
            QBrush(theme.run_color(3)),
            QBrush(theme.run_color(2)),
            QBrush(theme.color("text"), Qt.BrushStyle.BDiagPattern),
        )

    def _paint_row(self, painter: QPainter, index: int, row: BiasVarianceRow, most: float) -> None:
        theme, top = current_theme(), themes.px(HEAD) + index * self._row_height
        whole = QRectF(1, top, self.width() - 2, self._row_height - 2)
        if index == self.row:
            pen_and_brush(painter, Qt.PenStyle.NoPen, theme.color("accent_soft"))
            painter.drawRoundedRect(whole, 5, 5)
        font = themes.font(12, bold=index == self.row)
        metrics = QFontMetricsF(font)
        name = elided(metrics, row.name, whole.width() - 12)
        draw_text(painter, QPointF(7, top + metrics.ascent() + 3), name, theme.color("text"), font)
        left, width, high = 7.0, whole.width() - 14, themes.px(BAR) + self._row_height - themes.px(ROW)
        y, scale = top + metrics.height() + 5, width / most
        whole_of_both = row.bias + row.unbiased
        pieces = ((0.0, row.bias), (row.bias, row.unbiased), (whole_of_both - row.biased, row.biased))
        for piece, ((begin, share), brush) in enumerate(zip(pieces, self._brushes(), strict=True)):
            with self.entry(painter, piece):  # the lessening part lies over the others
                painter.fillRect(QRectF(left + begin * scale, y, share * scale, high), brush)
        painter.setPen(QPen(theme.color("text"), 2))
        mark = left + row.loss * scale
        painter.drawLine(QPointF(mark, y - 2), QPointF(mark, y + high + 2))
        font, words = themes.font(11), row.words().removeprefix(f"{row.name}: ")
        metrics = QFontMetricsF(font)
        fits = elided_at_end(metrics, words, whole.width() - 12)
        draw_text(painter, QPointF(7, y + high + metrics.ascent() + 2), fits, theme.color("dim"), font)

    def row_at(self, y: float) -> int:
        """The row at a height; -1 for none."""
        row = int((y - themes.px(HEAD)) // self._row_height)
        return row if 0 <= row < len(self.learners) else -1

    def _choose(self, row: int) -> None:
        if 0 <= row < len(self.learners) and row != self.row:
            self.chosen.emit(row)

    def press(self, event: QMouseEvent) -> None:
        self._choose(self.row_at(event.position().y()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = len(self.learners) - 1
        to = stepped(event, self.row, last, Qt.Key.Key_Up, Qt.Key.Key_Down)
        if to is None:
            super().keyPressEvent(event)
        else:
            self._choose(to)


ASKS: Final = "Is the error bias or variance?"
ABOUT: Final = (
    "A model is trained on each of many random training sets and tested on the same other records. Bias is the error "
    "of the majority vote of these models. Variance is the error of single models where the majority is right."
)
MOST_SETS: Final = 1000


class BiasVariancePage(MadeInPieces, ClearWidget):
    """Bars of all measured runs beside the averaged boundary of the current one."""

    def __init__(self, session: Session, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__(parent)
        self._session = session
        self._offered: object = None
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        session = self._session
        self.leanings = BiasVarianceRuns(session.jobs, session.ledger)
        self.bars = BiasVarianceBars()
        parts = split(parent=self)
        self._pane = Pane("Bias and variance", parent=parts)
        self.table = TextTable("evaluate.leaning.table", "Bias and variance of the error", parent=self._pane)
        self.export = Export(ExportedChart(self.bars, "bias-and-variance", "Bias and variance"), session.jobs, self)
        yield True
        self._fill_numbers()
        yield True
        self.boundary = AveragedBoundary(session, parts)
        filled(parts, self._pane, self.boundary)
        parts.setSizes([520, 620])
        column_layout(parts, inside=self)
        self.bars.chosen.connect(lambda row: self._session.set_current_run(self._measured()[row]))
        self.bars.copy_asked.connect(self.export.copy_table)
        self.leanings.changed.connect(self._changed)

    def _fill_numbers(self) -> None:
        self._pages = PictureOrTable(
            over_canvas(self.bars, parent=self._pane),
            self.table,
            "evaluate.leaning.as-table",
            lambda: self.bars.shown() if self.bars.learners else [],
            self._pane,
        )
        self._save = self.export.button("evaluate.leaning.save")
        self.export.offer(self._pages.switch)
        self._pane.add_action(self._save)
        self._headline = named(label("", "verdict", wrap=True), "evaluate.leaning.headline")
        self._words = named(label("", "dim", wrap=True), "evaluate.leaning.words")
        self._example = FaintExample("bars", grows=True)
        self.failure = FailureNote("evaluate.leaning")
        shown_last = self.failure, self._example, (self._pages, 1), 0
        add_items(self._pane.body, self._headline, self._words, self._controls(), *shown_last)

    def _controls(self) -> QVBoxLayout:
        name = "evaluate.leaning"
        self.sets = named(NumberField(), f"{name}.sets", "Training sets", "How many training sets are drawn")
        self.records = named(NumberField(), f"{name}.records", "Records in each", "How many records each has")
        for field in (self.sets, self.records):
            with_room(field)
            field.setGroupSeparatorShown(True)
        self.sets.setRange(2, MOST_SETS)
        self.sets.setValue(SETS)
        self.records.setRange(1, 1)
        self._start = accent_button("Start", f"{name}.start", "Train a model on each training set", self.start)
        self._stop = StopButton(f"{name}.stop", "Stop; trained models stay", self.leanings.end_early)
        n_sets, n_records = label("Sets", of=self.sets), label("Records in each", of=self.records)
        fields = (n_sets, self.sets, n_records, self.records)
        self._forecast = forecast_label(f"{name}.forecast")
        for field in (self.sets, self.records):
            field.valueChanged.connect(self._say_how_long)
        row = row_layout(*fields, self._start, self._stop, 1, spacing=SPACE_2)
        return column_layout(row, self._forecast, spacing=SPACE_2)  # beside both fields it has no room

    def _say_how_long(self) -> None:
        """Time of the run per trained record, times the records of all training sets."""
        run = self._session.ledger.judged
        if run is None or not run.folds or self.leanings.job_of(run) is not None:
            show_forecast(self._forecast, 0.0)
            return
        models = max(1, len(run.folds))
        share = self.records.value() / max(1, len(run.data))
        show_forecast(self._forecast, run.seconds / models * share * self.sets.value())

    def start(self) -> None:
        run = self._session.ledger.judged
        if run is not None and self._start.isEnabled():
            self.leanings.start(run, self.sets.value(), self.records.value(), self._plane(run))

    def _plane(self, run: Run) -> BoundaryPlane | None:
        structure = None if run.trained is None else run.trained.structure()
        names = first_axes(run.data, structure)
        if names is None or names[0] == names[1]:
            return None
        schema = run.data.schema
        return self.boundary.plane_of(run.data, schema.index_of(names[0]), schema.index_of(names[1]))

    def _offer(self, run: Run) -> None:
        if self._offered is run.data:
            return
        self._offered = run.data
        most = max(1, most_records(run.data))
        self.records.setRange(1, most)
        self.records.setValue(max(1, most // 2))

    def _measured(self) -> list[Run]:
        shown = self._session.ledger.judged
        runs = self._session.runs
        return [run for run in runs if self.leanings.result_of(run) and shown is not None and run.data is shown.data]

    def _changed(self, run: object) -> None:
        mine = self._session.ledger.judged
        if mine is None or run is not mine or not self.isVisible():
            return
        if self.leanings.job_of(mine) is None:
            self.refresh()
        else:
            self._session.turns.later(self.refresh)

    def refresh(self) -> None:
        run = self._session.ledger.judged
        if run is None:
            return
        self._offer(run)
        result, job = self.leanings.result_of(run), self.leanings.job_of(run)
        is_running = job is not None
        measured = self._measured()
        rows = []
        for other in measured:
            if (of_other := self.leanings.result_of(other)) is not None:
                name = f"{other.number} · {other.learner.summary()}"
                rows.append(BiasVarianceRow(name, *of_other.parts, of_other.sets, of_other.records))
        self.bars.show_rows(rows, measured.index(run) if run in measured else -1)
        if result is None:
            self._headline.setText("Training on many training sets…" if is_running else ASKS)
            self._words.setText(ABOUT)
        else:
            first, _, rest = leaning_words(result).partition(". ")
            self._headline.setText(f"{first.removesuffix('.')}.")
            self._words.setText(rest)
        so_far = "" if result is None else f" · {result.sets} of {result.planned} sets of {result.records:,}"
        self._pane.set_facts(f"run {run.number}, {run.learner.summary()}{so_far}", f"run {run.number}{so_far}")
        self._pages.refresh()
        self._pages.setVisible(bool(rows))
        self._example.setVisible(not rows)
        show_end(self.failure, self._start, "Start" if result is None else "Start again", self.leanings.end_of(run))
        self._stop.follow(job)
        swap(self._start, self._stop, is_running)
        self._save.setEnabled(bool(self.bars.learners))
        set_enabled(not is_running, self.sets, self.records)
        self._say_how_long()
        self.boundary.show_leaning(run, result)


NOTHING: Final = "Start to see the majority decision over two attributes."


class AveragedBoundary(Pane):
    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__("Averaged boundary", parent=parent)
        self._session = session
        self._leaning: BiasVariance | None = None
        self._of: tuple[Dataset, BoundaryPlane] | None = None
        self._task = LatestTask(session.jobs)
        self.view = ScatterView(session.jobs, self)
        self.view.canvas.setObjectName("evaluate.leaning.boundary")
        self.view.canvas.setAccessibleName("Majority decision of the models")
        self._words = named(label(NOTHING, "dim", wrap=True), "evaluate.leaning.boundary-words")
        self._save = self.view.export.button("evaluate.leaning.boundary-save")
        self._save.setEnabled(False)
        self.add_action(self._save)
        self._example = FaintExample("boundary", grows=True)
        add_items(self.body, self._words, self._example, (self.view, 1), 0)
        self._show_example()
        themes.changed.connect(self._tint)

    def plane_of(self, data: Dataset, across: int, up: int) -> BoundaryPlane:
        """The plane over two attributes, as wide as their axes."""
        axes = []
        for index in (across, up):
            scale = scale_of(data, index)
            low, high = scale.span
            axes.append(RegionAxis(index, scale.value(low), scale.value(high)))
        return BoundaryPlane(*axes)

    def show_leaning(self, run: Run, result: BiasVariance | None) -> None:
        self._leaning = result
        plane = None if result is None else result.plane
        of = None if plane is None else (run.data, plane)
        if of != self._of:
            self._of = of
            self._place()
        self._tint()

    def _place(self) -> None:
        """Starts a job that computes the records' positions in the plane."""
        self._task.stop()
        self.view.set_points(None, None)
        self._show_example()
        self._save.setEnabled(False)
        self.set_facts("")
        if self._of is None:
            return
        data, plane = self._of
        across, up = plane.across.index, plane.up.index
        names = [data.schema.attributes[index].name for index in (across, up)]
        others = len(set(data.schema.predictors) - {across, up})
        averaged = "averaged over the nearest records" if others else ""
        whole = ", ".join(filter(None, (f"{names[0]} × {names[1]}", averaged)))
        self.set_facts(whole, in_brief(whole, tuple(names), BRIEF_NAMES[0]), averaged)

        sheet = ScatterTableData(data, (across, up), None, data.schema.classes)

        def done(points: ScatterPoints) -> None:
            self.view.set_points(points, sheet)
            self._save.setEnabled(True)
            self._tint()

        self._task.run(
            "Place records", lambda _context: points_of(data, across, up), on_done=done, says="Placing records"
        )

    def _show_example(self) -> None:
        self._example.setVisible(self._of is None)
        self.view.setVisible(self._of is not None)

    def _tint(self) -> None:
        points, result = self.view.points, self._leaning
        if points is None or result is None or result.ground is None or result.plane is None:
            self.view.canvas.set_backdrops([])
            self.view.canvas.set_outlines([])
            self._words.setText(NOTHING if result is None else "")
            return
        place = (*points.across.span, *points.up.span)
        classes = points.n_classes
        names = self._of[0].schema.classes if self._of is not None else ()
        picture = regions_image(result.ground, current_theme(), classes)
        self.view.canvas.set_backdrops([Backdrop(*place, picture, result.ground.decision, names)])
        self.view.canvas.set_outlines(self._outlines(result, place, points))
        agreed = float(np.mean(result.ground.probability >= 0.9))
        best = ""
        if result.best is not None:
            others = 100 * float(np.mean(result.ground.decision != result.best))
            best = f" Dashed: the optimal (Bayes) boundary; the majority differs on {others:.0f}% of the area."
        self._words.setText(
            f"Solid: decision boundary of the majority of {result.sets} models. On {100 * agreed:.0f}% of the area at "
            f"least 90% of them agree.{best}"
        )

    @staticmethod
    def _outlines(
        result: BiasVariance, place: tuple[float, float, float, float], points: ScatterPoints
    ) -> list[Outline]:
        if points.across.is_banded or points.up.is_banded or result.ground is None:
            return []
        outlines = [Outline(border(result.ground, place))]
        if result.best_drawn is not None:
            sure = Regions(result.best_drawn, np.ones(result.best_drawn.shape, dtype=np.float32))
            outlines.append(Outline(border(sure, place), is_dashed=True))
        return outlines


def border(ground: Regions, place: tuple[float, float, float, float]) -> FloatArray:
    """Line pieces (m, 4) around every class, or around one of two, in units of the axes."""
    left, right, low, high = place
    h, w = ground.decision.shape
    codes = np.unique(ground.decision)
    if len(codes) < 2 or min(h, w) < 2:
        return np.zeros((0, 4))
    if len(codes) == 2:
        second = np.where(ground.decision == codes[1], ground.probability, 1 - ground.probability)
        cells = contour(second.astype(np.float64), 0.5)
    else:
        cells = np.concatenate([contour((ground.decision == code).astype(np.float64), 0.5) for code in codes.tolist()])
    scale = np.array([(right - left) / w, (high - low) / h] * 2)
    return np.asarray((cells + 0.5) * scale + np.array([left, low, left, low]))
