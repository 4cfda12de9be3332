"""Progress of a run: folds, interim results, training curves, and the buttons that end it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Final

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from algorithms.compiled.ahead_of_time import PREPARING
from algorithms.evaluation.measures.intervals import accuracy_interval
from algorithms.evaluation.runner import FoldDone
from algorithms.structures.layers import NetworkTraining
from algorithms.structures.support_vectors import DualityGap
from algorithms.text.numbers import in_100, seconds
from algorithms.text.sentences import counted
from workbench.jobs.jobs import Job, JobState
from workbench.session.runs import Run, RunState
from workbench.session.session import Session
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.chart_base import ExportedChart, PaintedChart
from workbench.viewers.charts.export import Export
from workbench.viewers.charts.training_curves import DualityGapPlot, TrainingHistoryPlot, history_words
from workbench.widgets.buttons import quiet_button
from workbench.widgets.help import meaning
from workbench.widgets.labels import label
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, named, row_layout
from workbench.widgets.panes import Pane
from workbench.widgets.status_line import FINISH, FINISH_TIP
from workbench.widgets.tables import TextTable

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
            self._show_network(learning)
        else:
            self._show_machine(learning)
        self.show()

    def _show_network(self, learning: NetworkTraining) -> None:
        if self.plot is None:
            self.plot = TrainingHistoryPlot("classify.learning")
            self._column.insertWidget(0, self.plot)
        self.plot.show_course(learning.course)
        self.words.setText(history_words(learning.course))
        self._show_only(self.plot)

    def _show_machine(self, learning: DualityGap) -> None:
        if self.gap is None:
            self.gap = DualityGapPlot("classify.gap")
            self._column.insertWidget(0, self.gap)
        self.gap.show_course(learning.course)
        self.words.setText(self.gap.words)
        self._show_only(self.gap)

    def _show_only(self, wanted: QWidget) -> None:
        for page in (self.plot, self.gap):
            if page is not None:
                page.setVisible(page is wanted)

    def _leave_what_is_over(self) -> None:
        run = self._session.current_run
        if run is None or not run.is_running:
            self._leave()

    def _leave(self) -> None:
        self._shown = None
        self.hide()


NARROWEST = 3.0
GAP = 5.0
SCALE_STEP = 0.1


@dataclass(frozen=True)
class Bar:
    """Neighbouring folds: numbers of finished and failed ones, and tested and correct weight."""

    folds: range
    judged: int = 0
    tested: int = 0
    weight: float = 0.0
    right: float = 0.0
    """Weight of correct predictions out of ``weight``."""
    failed: int = 0

    @property
    def share(self) -> float | None:
        return self.right / self.weight if self.weight else None

    def sentence(self) -> str:
        """The bar in words."""
        first, last = self.folds[0] + 1, self.folds[-1] + 1
        which = f"Fold {first}" if first == last else f"Folds {first} to {last}"
        if self.failed:
            return f"{which}: {'failed' if len(self.folds) == 1 else f'{self.failed} failed'}"
        if self.share is None:
            return f"{which}: not judged yet"
        return f"{which}: right {in_100(self.share)} times in 100, {counted(self.tested, 'record')}"


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
            judged=len(group),
            tested=sum(f.n_tested for f in group),
            weight=math.fsum(f.sums.tested for f in group),
            right=math.fsum(f.sums.right for f in group),
            failed=sum(f.failed is not None for f in group),
        )
        for i, group in enumerate(groups)
    ]


def floor_of_scale(shares: Sequence[float]) -> float:
    """Start of the scale: a round share below the lowest accuracy, so that differences are visible."""
    if not shares or min(shares) >= 1.0:
        return 0.0
    return max(0.0, math.floor((min(shares) - 0.02) / SCALE_STEP) * SCALE_STEP)


def fold_rows(folds: Sequence[FoldDone]) -> list[list[str]]:
    """Rows of text of the folds under a heading."""
    rows = [["fold", "records tested", "right", "share right", "failed"]]
    for fold in sorted(folds, key=lambda fold: fold.index):
        share = f"{fold.sums.right / fold.sums.tested:.6g}" if fold.sums.tested else ""
        rows.append([str(fold.index + 1), str(fold.n_tested), str(fold.n_right), share, fold.failed or ""])
    return rows


class FoldBars(PaintedChart):
    """Painted accuracy bars of the folds; tooltips describe each fold."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("classify.folds", "Folds", parent, takes_keys=False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.folds: tuple[FoldDone, ...] = ()
        """The finished folds."""
        self._n_folds = 0
        themes.changed.connect(self.updateGeometry)

    def set_folds(self, folds: Sequence[FoldDone], n_folds: int) -> None:
        """Shows the finished folds out of ``n_folds``."""
        self.folds, self._n_folds = tuple(folds), n_folds
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, themes.px(44))

    def _bars(self) -> list[Bar]:
        return bars(self.folds, self._n_folds, int(self._room() // NARROWEST))

    def _room(self) -> float:
        return self.width() - themes.px(30)

    def _place(self, index: int, n: int) -> QRectF:
        pitch = min(self._room() / max(1, n), 28.0)
        gap = min(GAP, 0.25 * pitch)
        return QRectF(index * pitch, 2, pitch - gap, self.height() - 4)

    @property
    def is_empty(self) -> bool:
        return not self.folds

    def table_rows(self) -> list[list[str]]:
        return fold_rows(self.folds)

    def paint(self, painter: QPainter, part: QRect | None = None, *, focus: bool = False) -> None:
        """Paints the bars and their scale."""
        if not self._n_folds:
            return
        theme, shown = current_theme(), self._bars()
        low = floor_of_scale([bar.share for bar in shown if bar.share is not None])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for i, bar in enumerate(shown):
            whole = self._place(i, len(shown))
            radius = min(2.0, whole.width() / 3)
            painter.setBrush(theme.color("bad_soft" if bar.failed else "soft"))
            painter.drawRoundedRect(whole, radius, radius)
            if bar.share is not None:
                height = max(2.0, whole.height() * (bar.share - low) / (1 - low))
                painter.setBrush(theme.color("accent"))
                painter.drawRoundedRect(whole.adjusted(0, whole.height() - height, 0, 0), radius, radius)
        painter.setPen(theme.color("dim"))
        painter.setFont(themes.font(10))
        side = QRectF(self.rect()).adjusted(0, 0, -1, 0)
        right = Qt.AlignmentFlag.AlignRight
        painter.drawText(side, right | Qt.AlignmentFlag.AlignTop, "100")
        painter.drawText(side, right | Qt.AlignmentFlag.AlignBottom, f"{100 * low:.0f}")

    def tip_at(self, point: QPointF) -> str | None:
        if not self._n_folds:
            return None
        shown = self._bars()
        hit = (bar.sentence() for i, bar in enumerate(shown) if self._place(i, len(shown)).contains(point))
        return next(hit, "")


FOLDS_HEIGHT: Final = 150
"""Height of the table of folds, at usual text size."""


def so_far(folds: Sequence[FoldDone]) -> str:
    """Interim accuracy with its interval: "94.3 in 100 so far (91.9 to 96.0)"; empty before the first test.

    Repeats test the same records again, so the interval counts one repeat. Weighted records count by their effective
    number (Kish).
    """
    tested, right = math.fsum(f.sums.tested for f in folds), math.fsum(f.sums.right for f in folds)
    if not tested:
        return ""
    by_repeat: dict[int, list[FoldDone]] = {}
    for fold in folds:
        by_repeat.setdefault(fold.repeat, []).append(fold)
    low, high = accuracy_interval(right / tested, max(map(_effective_n, by_repeat.values())))
    return f"{in_100(right / tested)} in 100 so far ({in_100(low)} to {in_100(high)})"


def _effective_n(folds: Sequence[FoldDone]) -> float:
    """Effective number (Σ w)² / Σ w² of the records tested in one repeat; 0 without weight."""
    squares = math.fsum(f.sums.squares for f in folds)
    return math.fsum(f.sums.tested for f in folds) ** 2 / squares if squares > 0 else 0.0


def waits_for(run: Run) -> str:
    """What a run without results is waiting for."""
    message = "" if run.job is None else run.job.context.message
    if message.startswith(PREPARING):
        return (
            "The program is being prepared for its first use on this computer: what calculates is translated for its "
            f"processor. That happens once and takes some minutes{message.removeprefix(PREPARING).replace(':', ';')}. "
            "Then this run goes on by itself; everything else can be used meanwhile."
        )
    return "The first model is being trained and judged."


def is_finishing(run: Run) -> bool:
    """Whether the run was asked to finish early and has not ended yet."""
    return run.is_running and run.job is not None and run.job.state is JobState.FINISHING


def state_words(run: Run) -> str:
    """State of a run in a few words."""
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
        RunState.STOPPED: "stopped",
        RunState.FAILED: "failed",
    }.get(run.state, "")


class ProgressPane(Pane):
    """Shows the progress of the current run, or of the one at work in a comparison; hidden without any, or after the
    end if room is scarce.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("While it runs", parent=parent)
        self.explain(meaning("fold"))
        self._session = session
        self._roomy = True
        self._heard: Job | None = None
        self.setObjectName("classify.progress")
        self.bars = FoldBars(self)
        self.words = named(label("", wrap=True), "classify.sofar")
        self.stop = quiet_button("Stop", "classify.stop", "Stop and drop this run", self._stop)
        self.finish = quiet_button(FINISH, "classify.finish", FINISH_TIP, self._finish)
        buttons = row_layout(self.stop, self.finish, 1)
        self.table = TextTable("classify.folds.table", "Folds as a table")
        self.table.hide()
        self.as_table = quiet_button("As table", "classify.folds.as-table", "The folds as a table", checkable=True)
        self.as_table.toggled.connect(self._show_table)
        self._save = Export(ExportedChart(self.bars, "folds", "Folds"), session.jobs, self).button(
            "classify.folds.save"
        )
        self.add_action(self.as_table, self._save)
        add_items(self.body, self.bars, self.table, self.words)
        add_items(self.body, LearningCourse(session, self), buttons)
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
        """Shows the current state of the run."""
        run = self._run
        n_folds = run.folds[0].n_folds if run is not None and run.folds else 0
        self.setVisible(run is not None and (run.is_running or (n_folds > 1 and self._roomy)))
        if run is None:
            return
        self.set_title("While it runs" if run.is_running else "Fold by fold")
        is_in_view = run is self._session.current_run
        name, words = run.learner.name, state_words(run)
        self.set_facts(*(words,) if is_in_view else (f"{name}: {words}", name, words))
        self.bars.set_folds(run.folds, n_folds)
        is_over = n_folds > 1 and not run.is_running
        self.as_table.setVisible(is_over)
        self._save.setVisible(is_over)
        if not is_over:
            self.as_table.setChecked(False)
        self.bars.setVisible(n_folds > 1 and not self.as_table.isChecked())
        if self.as_table.isChecked():
            self.table.show_rows(fold_rows(run.folds))
        if run.job is not self._heard and run.job is not None and run.is_running:
            self._heard = run.job
            run.job.progressed.connect(self._say)
            run.job.finishable_changed.connect(self.refresh)
        words = so_far(run.folds)
        self._say()
        self.words.setVisible(run.is_running)
        self.bars.setAccessibleDescription(f"{state_words(run)}. {words}")
        trial = self._session.analyses.comparison.current
        can_end = run.is_running and (trial is None or run.job is not trial.job or not trial.all_are_judged)
        self.stop.setVisible(can_end)
        self.finish.setVisible(can_end)
        self.finish.setEnabled(run.job is not None and run.job.is_finishable)

    def _say(self) -> None:
        run = self._run
        if run is not None:
            self.words.setText(so_far(run.folds) or waits_for(run))

    def _show_table(self, wanted: bool) -> None:
        self.table.setVisible(wanted)
        self.table.setFixedHeight(themes.px(FOLDS_HEIGHT))
        self.refresh()

    def _stop(self) -> None:
        run = self._run
        if run is not None and run.is_running and run.job is not None:
            run.job.stop()

    def _finish(self) -> None:
        run = self._run
        if run is not None and run.is_running and run.job is not None:
            run.job.finish()
            self.refresh()
