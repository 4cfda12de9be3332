"""Cost of all runs under the current cost matrix: computation, ranking by bars, comparison with a constant answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isclose
from typing import ClassVar, Final

import numpy as np
from PySide6.QtCore import QModelIndex, QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from algorithms.core.record_costs import RecordCosts
from algorithms.evaluation.compare.comparison import LEAST_EXPECTED_COST
from algorithms.evaluation.compare.multi_comparison import listed
from algorithms.evaluation.compare.significance_tests import LEAST_PARTS
from algorithms.evaluation.costs.cost_workings import (
    ComparedCost,
    CostEvaluation,
    CostStanding,
    cheapest_guess,
    compared_cost,
    ranked,
    standings,
)
from algorithms.evaluation.costs.decision_rules import ByCost, Choice, DecisionRule
from algorithms.evaluation.costs.mean_cost import MeanCost
from algorithms.text.numbers import decimals_of, price_alike
from algorithms.text.sentences import counted
from workbench.jobs.jobs import LatestTask, are_same
from workbench.session.decision_rules import OPTIMISTIC_MARK, WHY_MARKED, DecisionQuery
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import current_theme, themes
from workbench.tabs.evaluate.costs.decision_changes import NEXT_TO_NOTHING
from workbench.widgets.labels import TOGETHER
from workbench.widgets.painting import pen_and_brush, saved
from workbench.widgets.tables import Index, TextModel, TextTable

AT_ONCE: Final = 400_000
"""Up to this number of probabilities costs are computed at once (about 10 ms), else in a job."""


SLOWER: Final = 10
"""How much longer costs of each record take."""
MOST_ALIKE: Final = 4
"""Up to so many equally cheap runs are listed."""


@dataclass(frozen=True, eq=False)
class RankedRuns:
    """Runs tested on the classes of the cost matrix with their costs, and the number of other runs."""

    runs: tuple[Run, ...]
    standings: tuple[CostStanding, ...]
    n_others: int

    def of(self, run: Run | None) -> CostStanding | None:
        """Costs of a run; None if it is not ranked."""
        return self.standings[self.runs.index(run)] if run in self.runs else None


class CostRankingModel(QObject):
    """Computes the costs of all runs for the latest request."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._task = LatestTask(session.jobs)
        self._is_due = False
        self.ranked = RankedRuns((), (), 0)
        self._source: tuple[object, ...] = ()

    @property
    def is_busy(self) -> bool:
        return self._task.is_running

    def weigh(self) -> None:
        """Compute the costs of all runs under the current cost matrix; ``changed`` reports another result."""
        runs, wanted, sources = self._wanted()
        n_others = sum(run.is_judged for run in self._session.runs) - len(runs)
        source = (*runs, *sources, n_others)
        if are_same(source, self._source):
            self._task.stop()
            self._is_due = False
            return

        def done(costs: list[CostStanding]) -> None:
            self.ranked, self._source = RankedRuns(runs, tuple(costs), n_others), source
            self.changed.emit()
            if self._is_due:
                self.weigh()

        if sum(one.result.probabilities.size * (SLOWER if one.costs.varies else 1) for one in wanted) <= AT_ONCE:
            self._task.stop()
            self._is_due = False
            done(standings(wanted))
        else:
            self._is_due = self._task.is_running  # costs that are dragged would stop every job before it lands
            if not self._is_due:
                self._task.run(
                    "Compute the costs of all runs",
                    lambda context: standings(wanted, context.checkpoint),
                    on_done=done,
                    says="Computing costs",
                )

    def _wanted(self) -> tuple[tuple[Run, ...], list[CostEvaluation], list[object]]:
        """Runs that the costs apply to, the evaluation of each, and what it follows from."""
        runs: list[Run] = []
        wanted = []
        sources: list[object] = []
        current = self._session.current_run
        classes = set(current.report.classes) if current is not None and current.report is not None else set()
        for run in self._session.runs:
            if run.result is None or run.report is None or set(run.report.classes) != classes:
                continue
            decisions, given = self._session.decisions, self._session.costs
            costs = decisions.costs_of(run)
            if given is not None and costs is None:
                continue
            runs.append(run)
            wanted.append(CostEvaluation(run.result, run.report.confusion, costs or zero_one(run)))
            sources += [run.result, run.report, costs]
        return tuple(runs), wanted, sources


RUN, BAR, COST, SAID, NOW, TOTAL = range(6)
HEADING: Final = ("Run", "", LEAST_EXPECTED_COST, "Default", "Current rule", "Total")
BAR_HEIGHT: Final = 10.0
HOW_TO_READ: Final = (
    f"Costs per record. Line and ±: 95% CI over the records; Compare: over {LEAST_PARTS} folds or more if wider. "
    "Dotted: default. Cut or ›: longer than shown."
)
ROOM_FOR: Final = {SAID: 520, TOTAL: 640}
"""Least table width at which a column is shown."""
WIDEST_NAME: Final = 210
"""Largest width of a name, but for a third of a wide table."""
LEAST_BAR: Final = 60
LEAST_LENGTH: Final = 28.0
"""Least length of the shortest bar with its interval; longer bars are cut for it."""
BREAK: Final = 12.0
"""Distance of the cut from the end of a bar beyond the scale."""
GAP: Final = 3.0
"""Suffix of runs tested on some folds only."""


def mean_words(cost: MeanCost, decimals: int | None = None) -> str:
    """Mean with interval: "0.420 ± 0.052", or "0.040 (0 to 0.093)" if it is cut off at the least cost."""
    figures = _figures(cost)
    if decimals is None:
        decimals = decimals_of(figures)
    mean, *others = (price_alike(figure, decimals) for figure in figures)
    if len(others) < 2:
        return " ± ".join((mean, *others))
    return f"{mean} ({others[0] if figures[1] else '0'} to {others[1]})"


def _figures(cost: MeanCost) -> tuple[float, ...]:
    """Mean and half width of the interval; mean and both ends if it is cut off at the least cost."""
    if cost.spread is None:
        return (cost.mean,)
    if cost.low is not None and cost.low > cost.mean - cost.spread:
        return cost.mean, cost.low, cost.mean + cost.spread
    return cost.mean, cost.spread


def _decimals(costs: Iterable[MeanCost]) -> int:
    """Common number of decimals of a column of costs."""
    return max((decimals_of(_figures(cost)) for cost in costs), default=0)


def _name(run: Run, held: CostStanding) -> str:
    """Name of a run under least expected cost: its learner, or "Always X" if both rules give constant answers."""
    assert run.report is not None
    cheapest, default = (np.flatnonzero(matrix.sum(axis=0)) for matrix in (held.confusion, run.report.confusion))
    if len(cheapest) != 1 or len(default) != 1:
        return run.learner.name
    return f"Always {run.report.classes[cheapest[0]]}"


class _Runs(TextModel):
    """Table model with tooltips that name the learners."""

    tips: tuple[str, ...] = ()

    def tip(self, row: int, column: int) -> str | None:
        if column == NOW and row + 1 < len(self.rows) and self.rows[row + 1][NOW].endswith(OPTIMISTIC_MARK):
            return WHY_MARKED
        if column != RUN:
            return super().tip(row, column)
        return self.tips[row] if row < len(self.tips) else None


class CostRanking(TextTable):
    """Table of runs by cost, cheapest first; a click or Enter makes a run current."""

    run_meant = Signal(object)
    shares_room: ClassVar[bool] = False

    def __init__(self, name: str) -> None:
        self._rows = _Runs()
        super().__init__(name, "All runs by cost, the cheapest first", self._rows)
        self.runs: tuple[Run, ...] = ()
        self.shown: tuple[CostStanding, ...] = ()
        self.decimals = 0
        self._has_now = False
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setItemDelegateForColumn(BAR, _Bar(self))
        self.clicked.connect(self._meant)
        self.activated.connect(self._meant)

    def show_ranked(
        self,
        costs: RankedRuns,
        current: Run | None,
        now: Mapping[Run, float] | None = None,
        mark_of: Callable[[Run], str] = lambda _run: "",
    ) -> None:
        """Show runs, cheapest first; ``now`` are costs per record, to be marked, of runs with a rule of the user."""
        now = now or {}
        self._has_now = bool(now)
        order, before = ranked(costs.standings), self.runs
        self.runs = tuple(costs.runs[i] for i in order)
        self.shown = tuple(costs.standings[i] for i in order)
        self.decimals = _decimals(held.cheapest for held in self.shown)
        by_model, by_now = _decimals(held.as_decided for held in self.shown), decimals_of(now.values())
        in_all = decimals_of(held.cheapest.total for held in self.shown)
        rows, tips = [HEADING], []
        for run, held in zip(self.runs, self.shown, strict=True):
            name = ", ".join(filter(None, (f"{run.number} · {_name(run, held)}", run.parts_judged)))
            as_now = f"{price_alike(now[run], by_now)}{mark_of(run)}" if run in now else ""
            means = mean_words(held.cheapest, self.decimals), mean_words(held.as_decided, by_model), as_now
            tips.append(f"{name}: {run.learner.summary()}")
            rows.append((name, "", *means, price_alike(held.cheapest.total, in_all)))
        self._rows.tips = tuple(tips)
        self.show_rows(rows)
        header = self.horizontalHeader()
        if header.count() == len(HEADING):
            for column in (COST, SAID, NOW, TOTAL):
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
            header.setSectionResizeMode(RUN, QHeaderView.ResizeMode.Fixed)
            header.setSectionResizeMode(BAR, QHeaderView.ResizeMode.Stretch)
            self._share_width()
        scrolled = self.verticalScrollBar().value() if before == self.runs else 0
        if current in self.runs:
            self.selectRow(self.runs.index(current))
        self.verticalScrollBar().setValue(scrolled)  # a new ranking starts at the cheapest run
        self.viewport().update()

    def span(self, width: float) -> tuple[float, float]:
        """Range of all intervals and 0; the shortest bar stays visible at this ``width`` (pixels)."""
        costs = [held.cheapest for held in self.shown]
        reaches = [cost.mean + (cost.spread or 0.0) for cost in costs]
        high = max([0.0, *reaches])
        low = min([0.0, *(cost.mean if cost.low is None else cost.low for cost in costs if cost.mean < 0)])
        some = [reach for reach in reaches if reach > 0.0]
        if low == 0.0 and some:
            high = min(high, min(some) * max(1.0, width / themes.px(LEAST_LENGTH)))
        return low, high if high > low else low + 1.0

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

    def _share_width(self) -> None:
        """Divide the width: bars have a least width, names are cut, some columns are hidden."""
        width = self.viewport().width()
        for column, least in ROOM_FOR.items():
            self.setColumnHidden(column, width < themes.px(least))
        self.setColumnHidden(NOW, not self._has_now)
        needed = max((self.sizeHintForColumn(RUN), themes.px(80)))
        figures = sum(self.columnWidth(c) for c in (COST, SAID, NOW, TOTAL) if not self.isColumnHidden(c))
        room = max(width // 3, width - figures - themes.px(LEAST_BAR))
        self.setColumnWidth(RUN, min(needed, max(themes.px(WIDEST_NAME), width // 3), room))

    def _meant(self, index: QModelIndex) -> None:
        if 0 <= index.row() < len(self.runs):
            self.run_meant.emit(self.runs[index.row()])

    def _measure(self) -> None:
        super()._measure()
        self.horizontalHeader().setMinimumSectionSize(themes.px(60))


class _Bar(QStyledItemDelegate):
    """Paints the cost per record as a bar, its interval as a line, and the default rule as a dotted mark."""

    def __init__(self, table: CostRanking) -> None:
        super().__init__(table)
        self._table = table

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        if index.row() >= len(self._table.shown):
            return
        held = self._table.shown[index.row()]
        theme, room = current_theme(), QRectF(option.rect).adjusted(6, 0, -10, 0)
        low, high = self._table.span(room.width())

        def x(value: float) -> float:
            return room.left() + room.width() * (min(value, high) - low) / max(high - low, 1e-300)

        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setClipRect(option.rect)
            middle, half = room.center().y(), themes.px(BAR_HEIGHT) / 2
            from_zero = sorted((x(0.0), x(held.cheapest.mean)))
            bar = QRectF(from_zero[0], middle - half, max(1.0, from_zero[1] - from_zero[0]), 2 * half)
            color = QColor(theme.color("accent"))
            color.setAlpha(150)
            pen_and_brush(painter, Qt.PenStyle.NoPen, QBrush(color))
            ends = QPen(theme.color("text"), 1.4)
            if held.cheapest.mean > high:
                _cut_through(painter, bar)
            else:
                painter.drawRoundedRect(bar, 2, 2)
                if held.cheapest.spread:
                    right = held.cheapest.mean + held.cheapest.spread
                    painter.setPen(ends)
                    _interval(painter, QPointF(x(held.cheapest.low or 0.0), middle), x(right), goes_on=right > high)
                own = x(held.as_decided.mean)
                painter.setPen(QPen(theme.color("dim"), 2, Qt.PenStyle.DotLine))
                painter.drawLine(QPointF(own, middle - half - 2), QPointF(own, middle + half + 2))
                if held.as_decided.mean > high:
                    painter.setPen(QPen(theme.color("dim"), 1.4))
                    _goes_on(painter, QPointF(own + 6, middle))


def _cut_through(painter: QPainter, bar: QRectF) -> None:
    """Paint a bar beyond the scale, with a slanted cut near its end."""
    slant, cut = bar.height() / 2, bar.right() - themes.px(BREAK)
    for left, right, is_first in ((bar.left(), cut, True), (cut + themes.px(GAP), bar.right(), False)):
        top_left, top_right = (left, right + slant) if is_first else (left + slant, right)
        corners = ((top_left, bar.top()), (top_right, bar.top()), (right, bar.bottom()), (left, bar.bottom()))
        painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))


def _interval(painter: QPainter, start: QPointF, right: float, *, goes_on: bool) -> None:
    """Paint an interval to ``right`` with end strokes; with an arrow if it exceeds the scale."""
    end = QPointF(right, start.y())
    painter.drawLine(start, end)
    for place in (start,) if goes_on else (start, end):
        painter.drawLine(place - QPointF(0, 3), place + QPointF(0, 3))
    if goes_on:
        _goes_on(painter, end)


def _goes_on(painter: QPainter, tip: QPointF) -> None:
    """Paint an arrow that points beyond the scale."""
    for side in (-3, 3):
        painter.drawLine(tip - QPointF(3, side), tip)


def zero_one(run: Run) -> RecordCosts:
    """Costs of 1 for every error, which count where none are set."""
    assert run.report is not None
    return RecordCosts(1.0 - np.eye(len(run.report.classes)))


def compared_cost_of(run: Run, choice: Choice, session: Session) -> ComparedCost | None:
    """Cost of a tested run under this rule compared with the best constant answer and the default rule.

    None without known costs or until it is computed; ``outcomes.arrived`` reports that.
    """
    decisions = session.decisions
    costs = decisions.costs_of(run)
    if run.result is None or run.report is None or decisions.cost_problem(run) is not None:
        return None
    evaluation = CostEvaluation(run.result, run.report.confusion, costs or zero_one(run))
    rule = DecisionRule(run.result.classes, choice, evaluation.costs if isinstance(choice, ByCost) else None)
    work = partial(_compare, DecisionQuery(run, run.result, rule), evaluation)
    return decisions.reports.compute("guess", run, (choice, costs), work)


def _compare(question: DecisionQuery, evaluation: CostEvaluation, checkpoint: Callable[[], object]) -> ComparedCost:
    return compared_cost(evaluation, question.decisions(checkpoint))


def baseline_of(run: Run, session: Session) -> tuple[str, float] | None:
    """The best constant prediction for the tests of a run, and its total cost; None until the costs are known."""
    costs, report = session.decisions.costs_of(run) or zero_one(run), session.decisions.report_of(run)
    if report is None or (costs.varies and report.cost_sums is None):
        return None
    code, total = cheapest_guess(report.confusion, costs.table, report.classes, report.cost_sums)
    return report.classes[code], total.value or 0.0


def cheapest_of(ranking: CostRanking, n_others: int, unit: str, by: str) -> str:
    """Names the cheapest run ``by`` least expected cost, and whether it differs from the second significantly."""
    best, held, n_runs = ranking.runs[0], ranking.shown[0].cheapest, len(ranking.runs)
    cost = f"{mean_words(held, ranking.decimals)}{unit} a record".replace(" ± ", f"{TOGETHER}±{TOGETHER}")
    alike = [
        run.number
        for run, standing in zip(ranking.runs, ranking.shown, strict=True)
        if isclose(standing.cheapest.mean, held.mean, rel_tol=NEXT_TO_NOTHING, abs_tol=NEXT_TO_NOTHING)
    ]
    sentence = f"By {by} run {best.number}, {best.learner.name}, costs {cost}"
    if len(alike) > 1:
        numbers = listed([str(number) for number in sorted(alike)])
        those = f"runs {numbers}" if len(alike) <= MOST_ALIKE else f"{len(alike)} runs"
        alike_words = "both" if len(alike) == 2 else "all"
        sentence = f"By {by} {those} of {n_runs} cost least, {alike_words} {cost}"
        if len(alike) == n_runs:
            sentence = f"By {by} all {n_runs} runs cost the same: {cost}"
    elif n_runs > 1:
        sentence = f"By {by} run {best.number}, {best.learner.name}, costs least: {cost}"
    if len(alike) < n_runs:
        second = ranking.shown[len(alike)].cheapest
        near = held.mean + (held.spread or 0.0) >= second.mean - (second.spread or 0.0)
        those = "the two cheapest" if len(alike) == 1 else "these and the next"
        sentence += f", but the intervals of {those} overlap" if near else ""
    sentence += _otherwise_cheapest(ranking, alike)
    others = f" {counted(n_others, 'run')} tested other classes." if n_others else ""
    return f"{sentence}.{others}"


def _otherwise_cheapest(ranking: CostRanking, numbers: Sequence[int]) -> str:
    """Names the cheapest run under the default rules, if it is none of ``numbers``."""
    by_model = list(zip((standing.as_decided.mean for standing in ranking.shown), ranking.runs, strict=True))
    least = min(mean for mean, _run in by_model) + NEXT_TO_NOTHING
    cheapest = [run for mean, run in by_model if mean <= least]
    if any(run.number in numbers for run in cheapest):
        return ""
    return f". By default, run {cheapest[0].number}, {cheapest[0].learner.name}, costs least"
