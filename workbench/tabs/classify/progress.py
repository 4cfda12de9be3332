"""Progress of a run: folds, interim results, training curves, and the buttons that end it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Final

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QWidget

from algorithms.compiled.ahead_of_time import PREPARING
from algorithms.evaluation.measures.intervals import accuracy_interval
from algorithms.evaluation.runner import FoldDone
from algorithms.structures.hyperplanes import DualityGap
from algorithms.structures.layers import NetworkTraining
from algorithms.text.numbers import interval_words, percent, percent_range, seconds, tick_text
from algorithms.text.sentences import counted
from workbench.jobs.jobs import Job, JobState
from workbench.layout.ticks import nice_step
from workbench.session.runs import Run, RunState
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, current_theme, themes
from workbench.viewers.charts.chart_base import ExportedChart
from workbench.viewers.charts.export import Export
from workbench.viewers.charts.legend import LegendChart
from workbench.viewers.charts.training_curves import DualityGapPlot, TrainingHistoryPlot, history_words
from workbench.widgets.buttons import quiet_button
from workbench.widgets.help_pages import meaning
from workbench.widgets.keyboard_focus import set_visible
from workbench.widgets.labels import label
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, named, row_layout, row_widget
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, draw_text, pen_and_brush, saved
from workbench.widgets.panes import Pane
from workbench.widgets.status_line import FINISH, FINISH_TIP, offer_finish, show_progress
from workbench.widgets.tables import TextTable, table_switch

SILENT: Final = 0.5
"""Seconds without news after which another training is shown."""


class LearningCourse(ClearWidget):
    """Follows one network or SVM that the current run trains, then the next; hidden without any."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._shown: NetworkTraining | DualityGap | None = None
        self._heard = 0.0
        self.plot: TrainingHistoryPlot | None = None
        self.gap: DualityGapPlot | None = None
        self.words = named(label("", "dim", wrap=True), "classify.learning.words")
        self._column = column_layout(self.words, inside=self)
        self.hide()
        session.ledger.learning.connect(self._take)
        session.current_run_changed.connect(self._leave)
        session.runs_changed.connect(self._leave_what_is_over)

    def _take(self, run: Run, learning: NetworkTraining | DualityGap) -> None:
        if run is not self._session.current_run or not run.is_running:
            return
        now = monotonic()
        if self._shown is not None and not learning.continues(self._shown) and now - self._heard < SILENT:
            return
        self._shown, self._heard = learning, now
        if isinstance(learning, NetworkTraining):
            if self.plot is None:
                self.plot = TrainingHistoryPlot("classify.learning")
                self._column.insertWidget(0, self.plot)
            self.plot.show_course(learning.course)
            self._show_only(self.plot, history_words(learning.course))
        else:
            if self.gap is None:
                self.gap = DualityGapPlot("classify.gap")
                self._column.insertWidget(0, self.gap)
            self.gap.show_course(learning.course)
            self._show_only(self.gap, self.gap.words)

    def _show_only(self, wanted: QWidget, words: str) -> None:
        self.words.setText(words)
        for page in (self.plot, self.gap):
            if page is not None:
                page.setVisible(page is wanted)
        self.show()

    def _leave_what_is_over(self) -> None:
        run = self._session.current_run
        if run is None or not run.is_running:
            self._leave()

    def _leave(self) -> None:
        self._shown = None
        self.hide()


NARROWEST = 3.0
GAP = 5.0
LEAST_SPAN: Final = 0.003
"""Least extent of the axis of accuracies."""
MOST_STEPS: Final = 3
DOT: Final = 4.0
BESIDE_TITLE: Final = 3
BESIDE_TICK: Final = 6
"""Least pixels between the title of the upward axis and its labels, and between these and the axis."""
FOLDS_CHART: Final = 150


@dataclass(frozen=True)
class Bar:
    """Neighbouring folds: how many failed, and tested and correct weight."""

    folds: range
    tested: int = 0
    weight: float = 0.0
    right: float = 0.0
    """Weight of correct predictions out of ``weight``."""
    failed: int = 0

    @property
    def share(self) -> float | None:
        return self.right / self.weight if self.weight else None

    def sentence(self) -> str:
        first, last = self.folds[0] + 1, self.folds[-1] + 1
        which = f"Fold {first}" if first == last else f"Folds {first} to {last}"
        if self.failed:
            return f"{which}: {'failed' if len(self.folds) == 1 else f'{self.failed} failed'}"
        if self.share is None:
            return f"{which}: not tested yet"
        return f"{which}: accuracy {percent(self.share)}, {counted(self.tested, 'record')}"


def bars(folds: Sequence[FoldDone], n_folds: int, most: int) -> list[Bar]:
    """At most ``most`` bars for ``n_folds`` folds, of which the given ones are finished."""
    per_bar = max(1, math.ceil(n_folds / max(1, most)))
    groups: list[list[FoldDone]] = [[] for _ in range(math.ceil(n_folds / per_bar))]
    for fold in folds:
        if fold.index // per_bar < len(groups):
            groups[fold.index // per_bar].append(fold)
    return [
        Bar(
            range(i * per_bar, min(n_folds, (i + 1) * per_bar)),
            tested=sum(f.n_tested for f in group),
            weight=math.fsum(f.sums.tested for f in group),
            right=math.fsum(f.sums.right for f in group),
            failed=sum(f.failed is not None for f in group),
        )
        for i, group in enumerate(groups)
    ]


def ticks_around(shares: Sequence[float]) -> tuple[list[float], float]:
    """Round shares that enclose accuracies and the ends of their interval, and the step between them."""
    if not shares:
        return [0.0, 0.5, 1.0], 0.5
    step = nice_step(max(max(shares) - min(shares), LEAST_SPAN) / MOST_STEPS)
    first, last = math.floor(min(shares) / step + 1e-9), math.ceil(max(shares) / step - 1e-9)
    if first == last:
        first, last = (first - 1, last) if last * step > 1 - step / 2 else (first, last + 1)
    return [min(1.0, place * step) for place in range(first, last + 1)], step


def fold_rows(folds: Sequence[FoldDone]) -> list[list[str]]:
    """Rows of text of the folds under a heading."""
    rows = [["fold", "records tested", "right", "share right", "failed"]]
    for fold in sorted(folds, key=lambda fold: fold.index):
        share = f"{fold.sums.right / fold.sums.tested:.6g}" if fold.sums.tested else ""
        rows.append([str(fold.index + 1), str(fold.n_tested), str(fold.n_right), share, fold.failed or ""])
    return rows


class FoldDots(LegendChart):
    """Accuracy of each fold as a dot, with the mean and its 95% interval; tooltips describe each fold."""

    least = (160, FOLDS_CHART)

    def __init__(self) -> None:
        super().__init__("classify.folds", "Folds", takes_keys=False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.folds: tuple[FoldDone, ...] = ()
        self._n_folds, self._part_name = 0, "fold"
        themes.changed.connect(self.updateGeometry)

    def set_folds(self, folds: Sequence[FoldDone], n_folds: int, part_name: str = "fold") -> None:
        """Shows the finished folds out of ``n_folds``, which ``part_name`` names."""
        self.folds, self._n_folds, self._part_name = tuple(folds), n_folds, part_name
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, themes.px(FOLDS_CHART))

    def _bars(self) -> list[Bar]:
        return bars(self.folds, self._n_folds, int(self._area().width() // NARROWEST))

    def _place(self, index: int, n: int) -> QRectF:
        area = self._area()
        pitch = area.width() / max(1, n)
        gap = min(GAP, 0.25 * pitch)
        return QRectF(area.left() + index * pitch, area.top(), pitch - gap, area.height())

    def _area(self) -> QRectF:
        """Where the dots are: below the legend, beside and above the axes with their titles."""
        metrics = QFontMetricsF(themes.font(11))
        line = metrics.height()
        left = line + themes.px(BESIDE_TITLE) + metrics.horizontalAdvance("100.0%") + BESIDE_TICK
        return QRectF(left, line + 2 * DOT, self.width() - left - DOT, self.height() - 3 * line - 4 * DOT)

    @property
    def is_empty(self) -> bool:
        return not self.folds

    def table_rows(self) -> list[list[str]]:
        return fold_rows(self.folds)

    def paint(self, painter: QPainter, part: QRect | None = None, *, focus: bool = False) -> None:
        """Paints the dots over their axes, and above them what line and band are."""
        self.places.clear()
        if not self._n_folds:
            return
        theme, shown, area = current_theme(), self._bars(), self._area()
        found = mean_interval(self.folds)
        shares = [bar.share for bar in shown if bar.share is not None]
        numbers, step = ticks_around([*shares, *(() if found is None else found[1])])
        low, high = numbers[0], numbers[-1]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

        def y(share: float) -> float:
            return area.bottom() - area.height() * (share - low) / (high - low)

        painter.setFont(themes.font(11))
        self._paint_mean(painter, area, y)
        for share in numbers:
            painter.setPen(QPen(theme.color("line"), 1))
            painter.drawLine(QPointF(area.left(), y(share)), QPointF(area.right(), y(share)))
            tick = QRectF(0, y(share) - 10, area.left() - BESIDE_TICK, 20)
            draw_text(painter, tick, f"{tick_text(100 * share, 100 * step)}%", theme.color("dim"), align=MIDDLE_RIGHT)
        self._paint_titles(painter, area, shown)
        for i, bar in enumerate(shown):
            place = self._place(i, len(shown))
            x, radius = place.center().x(), min(DOT, place.width() / 2)
            if bar.share is not None:
                pen_and_brush(painter, Qt.PenStyle.NoPen, theme.color("accent"))
                painter.drawEllipse(QPointF(x, y(bar.share)), radius, radius)
            elif bar.failed:
                painter.setPen(QPen(theme.color("bad"), 1.5))
                for tilt in (-radius, radius):
                    painter.drawLine(QPointF(x - radius, y(low) - tilt), QPointF(x + radius, y(low) + tilt))

    def legend(self) -> tuple[str, str]:
        """What the line and the band show; empty before the first test."""
        found = mean_interval(self.folds)
        if found is None:
            return "", ""
        return f"mean {percent(found[0])}", f"95% CI of the accuracy: {percent_range(*found[1])}"

    def _paint_mean(self, painter: QPainter, area: QRectF, y: Callable[[float], float]) -> None:
        theme, metrics, found = current_theme(), QFontMetricsF(painter.font()), mean_interval(self.folds)
        if found is None:
            return
        mean, (start, end) = found[0], found[1]
        band = QRectF(area.left(), y(end), area.width(), y(start) - y(end))
        line = QPointF(area.left(), y(mean)), QPointF(area.right(), y(mean))
        x, middle, sample = area.left(), metrics.height() / 2 + 1, float(themes.px(16))
        lefts = (x, x + sample + metrics.horizontalAdvance(self.legend()[0]) + themes.px(18))
        for index in (1, 0):  # the line lies over the band
            words, x = self.legend()[index], lefts[index]
            with self.entry(painter, index):
                painter.setPen(QPen(theme.color("text"), 1.2))
                if index:
                    painter.fillRect(band, theme.color("accent_soft"))
                    painter.fillRect(QRectF(x, middle - 4, sample, 8), theme.color("accent_soft"))
                    painter.setPen(QPen(theme.color("accent"), 1))  # the tint alone is hardly seen on the pane
                    for edge in (band, QRectF(x, middle - 4, sample, 8)):
                        painter.drawLine(edge.topLeft(), edge.topRight())
                        painter.drawLine(edge.bottomLeft(), edge.bottomRight())
                else:
                    painter.drawLine(*line)
                    painter.drawLine(QPointF(x, middle), QPointF(x + sample, middle))
                place = QRectF(x + sample + 6, 0, self.width(), 2 * middle)
                draw_text(painter, place, words, theme.color("dim"), align=MIDDLE_LEFT)
            self.put(QRectF(x, 0, sample + 6 + metrics.horizontalAdvance(words), 2 * middle), index)

    def _paint_titles(self, painter: QPainter, area: QRectF, shown: Sequence[Bar]) -> None:
        dim, metrics, line = current_theme().color("dim"), QFontMetricsF(painter.font()), painter.fontMetrics().height()
        widest = metrics.horizontalAdvance(f"{self._n_folds}") + 8
        step = math.ceil(widest * len(shown) / max(1.0, area.width()))
        for i in range(0, len(shown), step):
            x = self._place(i, len(shown)).center().x()
            number = QRectF(x - widest, area.bottom() + DOT, 2 * widest, line)
            draw_text(painter, number, f"{shown[i].folds[0] + 1}", dim, align=Qt.AlignmentFlag.AlignCenter)
        below = QRectF(area.left(), area.bottom() + DOT + line, area.width(), line)
        draw_text(painter, below, self._part_name.capitalize(), dim, align=Qt.AlignmentFlag.AlignCenter)
        with saved(painter):
            painter.translate(0, area.bottom())
            painter.rotate(-90)
            beside = QRectF(0, 0, area.height(), line)
            draw_text(painter, beside, "Accuracy", dim, align=Qt.AlignmentFlag.AlignCenter)

    def tip_beside(self, point: QPointF) -> str | None:
        if not self._n_folds:
            return None
        shown = self._bars()
        hit = (bar.sentence() for i, bar in enumerate(shown) if self._place(i, len(shown)).contains(point))
        return next(hit, "")


FOLDS_HEIGHT: Final = 150


def so_far(folds: Sequence[FoldDone]) -> str:
    """Interim accuracy with its interval: "Accuracy 94.3% so far (95% CI 91.9–96.0)"; empty before the first test.

    Repeats test the same records again, so the interval counts one repeat. Weighted records count by their effective
    number (Kish).
    """
    found = mean_interval(folds)
    return "" if found is None else f"Accuracy {percent(found[0])} so far ({interval_words(*found[1])})"


def mean_interval(folds: Sequence[FoldDone]) -> tuple[float, tuple[float, float]] | None:
    """Accuracy over these folds with its 95% interval; None before the first test."""
    tested, right = math.fsum(f.sums.tested for f in folds), math.fsum(f.sums.right for f in folds)
    if not tested:
        return None
    by_repeat: dict[int, list[FoldDone]] = {}
    for fold in folds:
        by_repeat.setdefault(fold.repeat, []).append(fold)
    share = right / tested
    return share, accuracy_interval(share, max(map(_effective_n, by_repeat.values())))


def _effective_n(folds: Sequence[FoldDone]) -> float:
    """Effective number (Σ w)² / Σ w² of the records tested in one repeat; 0 without weight."""
    squares = math.fsum(f.sums.squares for f in folds)
    return math.fsum(f.sums.tested for f in folds) ** 2 / squares if squares > 0 else 0.0


def waits_for(run: Run) -> str:
    message = "" if run.job is None else run.job.context.message
    if message.startswith(PREPARING):
        return (
            "The program is being prepared for its first use on this computer: what calculates is translated for its "
            f"processor. That happens once and takes some minutes{message.removeprefix(PREPARING).replace(':', ';')}. "
            "Then this run goes on by itself; everything else can be used meanwhile."
        )
    return "The model of the first fold is being trained and tested."


def is_finishing(run: Run) -> bool:
    """Whether the run was asked to finish early and has not ended yet."""
    return run.is_running and run.job is not None and run.job.state is JobState.FINISHING


def stopped_after(run: Run) -> str:
    """That a run was stopped, and after how many folds: "stopped after 4 of 10 folds"."""
    n = run.folds[0].n_folds if run.folds else 0
    return f"stopped after {len(run.folds)} of {n} {run.method.part_name}s" if n > 1 else "stopped"


def state_words(run: Run) -> str:
    if is_finishing(run):
        return "finishing"
    if run.is_running:
        if run.is_judged:
            return "training on all records"
        n = run.folds[0].n_folds if run.folds else 0
        return f"{len(run.folds)} of {n} {run.method.part_name}s" if n > 1 else "working"
    return {
        RunState.DONE: f"done in {seconds(run.seconds)}",
        RunState.PARTIAL: f"finished early after {len(run.folds)} {run.method.part_name}s",
        RunState.STOPPED: stopped_after(run),
        RunState.FAILED: "failed",
    }.get(run.state, "")


class ProgressPane(Pane):
    """Progress of the current run, or of a compared one; hidden at the end if room is scarce."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("While it runs", parent=parent)
        self.explain(meaning("fold"))
        self._session = session
        self._roomy = True
        self._heard: Job | None = None
        self._shown: Run | None = None
        """The run whose folds are shown."""
        self.setObjectName("classify.progress")
        self.bars = FoldDots()
        self.words = named(label("", wrap=True), "classify.sofar")
        self.finish = quiet_button(FINISH, "classify.finish", FINISH_TIP, self._finish)
        self.table = TextTable("classify.folds.table", "Folds as a table")
        self.table.hide()
        export = Export(ExportedChart(self.bars, "folds", "Folds"), session.jobs, self)
        self.as_table = export.offer(table_switch("classify.folds.as-table"))
        self.as_table.toggled.connect(self._show_table)
        self._save = export.button("classify.folds.save")
        self.add_action(self._save)
        self.share, self._left = QProgressBar(), label("", "dim")
        named(self.share, "classify.progress.share", "Progress of the run").setTextVisible(False)
        self._course = row_widget((self.share, 1), self._left, spacing=SPACE_2)
        buttons = row_layout(self.finish, 1)
        add_items(self.body, self._course, self.bars, self.table, self.words, LearningCourse(session, self), buttons)
        session.runs_changed.connect(self._follow)
        session.current_run_changed.connect(self._follow)
        session.analyses.comparison.changed.connect(self._follow)
        self.refresh()

    @property
    def _run(self) -> Run | None:
        run = self._session.current_run
        return run if run is not None and run.is_running else self._session.analyses.comparison.at_work or run

    def set_roomy(self, roomy: bool) -> None:
        """Whether the folds of a finished run stay visible."""
        if roomy != self._roomy:
            self._roomy = roomy
            self.refresh()

    def _follow(self) -> None:
        self._session.turns.later(self.refresh)

    def refresh(self) -> None:
        self._shown = run = self._run
        n_folds = 0 if run is None else run.folds[0].n_folds if run.folds else run.method.planned
        self.setVisible(run is not None and (run.is_running or (n_folds > 1 and bool(run.folds) and self._roomy)))
        if run is None:
            return
        self.set_title("While it runs" if run.is_running else "Fold by fold")
        is_in_view = run is self._session.current_run
        name, words = run.learner.name, state_words(run)
        self.set_facts(*(words,) if is_in_view else (f"{name}: {words}", name, words))
        self.bars.set_folds(run.folds, n_folds, run.method.part_name)
        is_over = n_folds > 1 and not run.is_running
        self._save.setVisible(is_over)
        if not is_over:
            self.as_table.setChecked(False)
        self.bars.setVisible(n_folds > 1 and not self.as_table.isChecked())
        if self.as_table.isChecked():
            self.table.show_rows(fold_rows(run.folds))
        if run.job is not self._heard and run.job is not None and run.is_running:
            self._heard = run.job
            run.job.progressed.connect(self._show_time_left)
            run.job.finishable_changed.connect(self.refresh)
        words = so_far(run.folds)
        self.words.setText(words or waits_for(run))
        self._show_time_left()
        set_visible(run.is_running, self.words, self._course)
        self.bars.setAccessibleDescription(f"{state_words(run)}. {words}")
        trial = self._session.analyses.comparison.current
        can_end = run.is_running and (trial is None or run.job is not trial.job or not trial.all_are_judged)
        self.finish.setVisible(can_end)
        offer_finish(self.finish, run.job)

    def _show_time_left(self) -> None:
        """Shows the progress of the job, and what a run without a fold waits for; folds come by :meth:`refresh`."""
        run = self._shown
        if run is None or run.job is None:
            return
        show_progress(self.share, self._left, run.job)
        if not run.folds:
            self.words.setText(waits_for(run))

    def _show_table(self, wanted: bool) -> None:
        self.table.setVisible(wanted)
        self.table.setFixedHeight(themes.px(FOLDS_HEIGHT))
        self.refresh()

    @property
    def _running_job(self) -> Job | None:
        run = self._run
        return run.job if run is not None and run.is_running else None

    def _finish(self) -> None:
        if (job := self._running_job) is not None:
            job.finish()
            self.refresh()
