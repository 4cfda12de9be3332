"""Table model of the runs, sortable by figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import IntEnum
from html import escape
from typing import Any, Final

from PySide6.QtCore import QModelIndex, QSortFilterProxyModel, Qt

from algorithms.core.scores import FormulaWorking, ratio
from algorithms.evaluation.costs import cost_workings
from algorithms.evaluation.costs.cost_workings import cheapest_guess, summed
from algorithms.evaluation.measures.agreement import accuracy_working, interval_workings
from algorithms.evaluation.measures.ranking_measures import weighted_auc_working
from algorithms.text.names import shortened
from algorithms.text.numbers import UNDEFINED, decimals_of, in_100, index, price, price_alike, seconds_briefly
from algorithms.text.sentences import counted
from workbench.session.runs import Run, RunState, after_steps, steps_listed
from workbench.session.session import Session
from workbench.tabs.classify.progress import so_far, state_words
from workbench.widgets.help import meaning
from workbench.widgets.labels import strong
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT
from workbench.widgets.tables import CellsModel, Index, Role

LONGEST_CLASS = 30


def cost_sentence(run: Run, session: Session) -> str:
    """Cost of a record under the current decision rule, compared with the default rule and the cheapest constant
    prediction, as HTML; empty without costs.
    """
    own, report, table = (
        cost_per_record(run, session),
        session.decisions.report_of(run),
        session.decisions.costs_of(run),
    )
    if own is None or report is None or table is None:
        return ""
    cost, itself = own, ""
    if session.decisions.reports.decided(run) is not None:
        now = session.decisions.reports.cost_per_record(run)
        if now is None:
            return ""
        cost, itself = now, f" as decided now, {price(own)} as the model itself decides"
    matrix, column = summed(report)
    code, total = cheapest_guess(matrix, table, report.classes, column)
    guess = ratio(total.value or 0.0, float(report.confusion.sum())) or 0.0
    label = escape(shortened(report.classes[code], LONGEST_CLASS, report.classes))
    written, guessed = price(cost), price(guess)
    beside = ", the same" if written == guessed else "" if cost < guess else ", less"
    return (
        f"With the costs set in Evaluate a record costs {strong(written)}{itself}; always saying <b>{label}</b> "
        f"would cost {guessed}{beside}."
    )


RUN_ROLE: Final = Qt.ItemDataRole.UserRole
SORT_ROLE: Final = Qt.ItemDataRole.UserRole + 1
LINES_ROLE: Final = Qt.ItemDataRole.UserRole + 2
"""Role of the dim lines below the first one."""
DOUBTS_ROLE: Final = Qt.ItemDataRole.UserRole + 3
"""Role of lines that say why the figures are doubtful."""
NOW_ROLE: Final = Qt.ItemDataRole.UserRole + 4
"""Role of the last line: the figure under a rule of the user."""


class RunsColumn(IntEnum):
    LEARNER = 0
    RIGHT = 1
    AUC = 2
    COST = 3
    TIME = 4


HEADERS: Final = {
    RunsColumn.LEARNER: ("Learner", "What was judged and how"),
    RunsColumn.RIGHT: (
        "Right",
        "How many times in 100 it was right (accuracy), with the 95% interval, as the model itself decides: by that "
        "runs are compared. Below it how often it is as you have it decide in Evaluate",
    ),
    RunsColumn.AUC: ("AUC", meaning("AUC")),
    RunsColumn.COST: (
        "Cost by\nmodel",
        "What a record costs with the costs of Evaluate, as the model itself decides. Below it what it costs as you "
        "have it decide in Evaluate",
    ),
    RunsColumn.TIME: ("Time", "How long the run took"),
}


def cost_per_record(run: Run, session: Session) -> float | None:
    """Mean cost of a record under the session's costs; None if they do not apply to the run's classes."""
    if run.report is None or session.costs is None:
        return None
    costs, report = session.decisions.costs_of(run), session.decisions.report_of(run)
    if costs is None or report is None or not session.decisions.is_priced(run):
        return None
    stake = report.confusion if report.at_stake is None else report.at_stake.sums
    return ratio(float((stake * costs).sum()), float(report.confusion.sum()))


def workings(run: Run, column: RunsColumn, session: Session) -> tuple[FormulaWorking, ...]:
    """Formulas of the figures of a cell; empty if there are none."""
    report = run.report
    if report is None:
        return ()
    if column is RunsColumn.RIGHT:
        now = session.decisions.reports.decided(run)
        as_now = () if now is None else (_named(accuracy_working(now), "Right, as decided now"),)
        return (accuracy_working(report), *interval_workings(report), *as_now)
    if column is RunsColumn.AUC and report.auc is not None:
        return (weighted_auc_working(report),)
    if column is RunsColumn.COST and session.costs is not None and cost_per_record(run, session) is not None:
        report = session.decisions.report_of(run) or report
        return cost_workings.costs_worked(report, session.costs.ordered(report.classes))
    return ()


def _named(working: FormulaWorking, name: str) -> FormulaWorking:
    return replace(working, name=name)


def how(run: Run) -> str:
    """Test method and seed in a few words."""
    return f"{run.method.described()} · seed {run.seed}"


def options(run: Run) -> str:
    """Options that differ from their defaults; empty without any."""
    return run.learner.summary().removeprefix(run.learner.name).removeprefix(", ")


def luck_words(run: Run) -> str:
    """Result of a permutation test in favour of a run; else empty."""
    test = run.shuffle
    return (
        f"not by luck ({test.by.in_sentence}): chance {in_100(test.p_value)} in 100"
        if test is not None and test.is_real
        else ""
    )


def doubts(run: Run) -> list[str]:
    """Why the figures of a run are doubtful, in very few words."""
    if run.report is None or run.result is None:
        return []
    reasons = ["on training records"] if run.report.test_is_training else []
    if run.shuffle is not None and run.shuffle.is_whole and not run.shuffle.is_real:
        reasons.append(f"{run.shuffle.by.in_sentence} may be luck ({in_100(run.shuffle.p_value)} in 100)")
    if run.result.partial:
        parts = run.result.parts_judged()
        reasons.append(f"only {parts}" if parts else "finished early")
    return reasons


def right_words(run: Run) -> tuple[str, str]:
    """Accuracy with its interval, or the state of a run without a result."""
    if run.report is None:
        done = sum(f.n_tested for f in run.folds)
        so_far_right = in_100(sum(f.n_right for f in run.folds) / done) if done and run.is_running else ""
        return so_far_right or UNDEFINED, state_words(run).removesuffix(" folds")
    low, high = run.report.interval
    return in_100(run.report.accuracy), f"{in_100(low)}–{in_100(high)}"


def cost_decimals(session: Session) -> int:
    """Common number of decimals of the costs of all runs, under default and current rules."""
    if session.costs is None:
        return 0
    own = (cost_per_record(run, session) for run in session.runs)
    return decimals_of(
        [*own, *(session.decisions.reports.cost_per_record(run) for run in session.runs if run.is_judged)]
    )


def now_words(run: Run, column: RunsColumn, session: Session, decimals: int) -> str:
    """A figure under the current rule, costs with this number of decimals; empty for the default rule or if unknown."""
    now = session.decisions.reports.decided(run)
    if now is None:
        return ""
    if column is RunsColumn.LEARNER:
        return f"now {session.decisions.asked(run).words}"
    if column is RunsColumn.RIGHT:
        return f"now {in_100(now.accuracy)}"
    cost = session.decisions.reports.cost_per_record(run) if column is RunsColumn.COST else None
    return "" if cost is None else price_alike(cost, decimals)


def now_sentence(run: Run, session: Session) -> str:
    """The same as a sentence for the tooltip; empty for the default rule."""
    now = session.decisions.reports.decided(run)
    if now is None:
        return ""
    low, high = now.interval
    right = f"right {in_100(now.accuracy)} times in 100 ({in_100(low)} to {in_100(high)})"
    return f"As you have it decide now, it {session.decisions.asked(run).words}: {right}"


def sentence(run: Run, now: str = "") -> str:
    """The whole row in words, for tooltip and screen readers; ``now`` describes the current rule."""
    parts = [f"Run {run.number}: {run.learner.summary()}", how(run)]
    if run.recipe:
        parts.append(f"after {counted(len(run.recipe), 'step')}:\n{steps_listed(run.recipe)}")
    if run.report is not None:
        low, high = run.report.interval
        parts.append(f"right {in_100(run.report.accuracy)} times in 100 ({in_100(low)} to {in_100(high)})")
        parts.append(f"AUC {index(run.report.auc)}")
        parts.append(now)
        if run.shuffle is not None:
            parts.append(run.shuffle.sentences()[0])
    elif run.is_running:
        parts.append(so_far(run.folds))
    parts.append(state_words(run))
    parts.extend(f"Doubtful: {doubt}" for doubt in doubts(run))
    if run.message:
        parts.append(run.message)
    if run.note:
        parts.append(f"note: {run.note}")
    return "\n".join(part for part in parts if part)


class RunsModel(CellsModel):
    """Table model of the session's runs."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._runs: list[Run] = list(session.runs)
        self._decimals: int | None = None
        self._first: dict[RunsColumn, Callable[[Run], str]] = {
            RunsColumn.LEARNER: lambda run: f"{run.number} · {run.learner.name}",
            RunsColumn.RIGHT: lambda run: right_words(run)[0],
            RunsColumn.AUC: lambda run: index(run.report.auc) if run.report else "",
            RunsColumn.COST: lambda run: self._cost(run) if run.report else "",
            RunsColumn.TIME: lambda run: "" if run.is_running else seconds_briefly(run.seconds),
        }
        self._below: dict[RunsColumn, Callable[[Run], list[str]]] = {
            RunsColumn.LEARNER: lambda run: [
                line for line in (options(run), after_steps(run.recipe), how(run), luck_words(run)) if line
            ],
            RunsColumn.RIGHT: lambda run: [right_words(run)[1]],
        }
        self._order: dict[RunsColumn, Callable[[Run], Any]] = {
            RunsColumn.LEARNER: lambda run: (run.learner.name.lower(), run.number),
            RunsColumn.RIGHT: lambda run: run.report.accuracy if run.report else -1.0,
            RunsColumn.AUC: lambda run: -1.0 if run.report is None or run.report.auc is None else run.report.auc,
            RunsColumn.COST: lambda run: _or(cost_per_record(run, session), float("inf")),
            RunsColumn.TIME: lambda run: run.seconds,
        }

    def _cost_decimals(self) -> int:
        """Result of :func:`cost_decimals`, cached for all rows."""
        if self._decimals is None:
            self._decimals = cost_decimals(self._session)
        return self._decimals

    def _cost(self, run: Run) -> str:
        return price_alike(cost_per_record(run, self._session), self._cost_decimals())

    def refresh(self) -> None:
        """Follows added, removed and changed runs."""
        self._decimals = None
        now = list(self._session.runs)
        if now != self._runs:
            if now[: len(self._runs)] == self._runs:
                self.beginInsertRows(QModelIndex(), len(self._runs), len(now) - 1)
                self._runs = now
                self.endInsertRows()
            else:
                self._remove_all_but(now)
        self.changed()

    def _remove_all_but(self, kept: list[Run]) -> None:
        for row in reversed(range(len(self._runs))):
            if self._runs[row] not in kept:
                self.beginRemoveRows(QModelIndex(), row, row)
                del self._runs[row]
                self.endRemoveRows()
        if self._runs != kept:
            self.beginResetModel()
            self._runs = kept
            self.endResetModel()

    def row_of(self, run: Run) -> int:
        """Row of a run; -1 without one."""
        return self._runs.index(run) if run in self._runs else -1

    def size(self) -> tuple[int, int]:
        return len(self._runs), len(RunsColumn)

    def heading(self, column: int) -> str:
        return HEADERS[RunsColumn(column)][0]

    def heading_tip(self, column: int) -> str:
        return f"{HEADERS[RunsColumn(column)][1].removesuffix('.')}. Press to sort."

    def side(self, column: int) -> Qt.AlignmentFlag:
        return MIDDLE_LEFT if column == RunsColumn.LEARNER else MIDDLE_RIGHT

    def text(self, row: int, column: int) -> str:
        return self._first[RunsColumn(column)](self._runs[row])

    def tip(self, row: int, column: int) -> str:
        return sentence(self._runs[row], now_sentence(self._runs[row], self._session))

    def value(self, row: int, column: int, role: int) -> Any:
        run, part = self._runs[row], RunsColumn(column)
        if role == LINES_ROLE:
            return self._below[part](run) if part in self._below else []
        if role == DOUBTS_ROLE:
            return doubts(run)
        if role == NOW_ROLE:
            return now_words(run, part, self._session, self._cost_decimals())
        if role == SORT_ROLE:
            return self._order[part](run)
        if role == RUN_ROLE:
            return run
        return self.tip(row, column) if role == Role.AccessibleTextRole and part is RunsColumn.LEARNER else None


class RunsProxyModel(QSortFilterProxyModel):
    """Sorts by the figures; without a sort column in order of starting."""

    def lessThan(self, left: Index, right: Index) -> bool:
        a, b = left.data(SORT_ROLE), right.data(SORT_ROLE)
        return bool(left.row() < right.row()) if a == b else bool(a < b)


def is_over_without_result(run: Run) -> bool:
    """Whether a run ended without a result, so that its row is dim."""
    return not run.is_judged and run.state in (RunState.STOPPED, RunState.FAILED)


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value
