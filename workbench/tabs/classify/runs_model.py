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
from algorithms.evaluation.costs.cost_workings import cheapest_guess
from algorithms.evaluation.costs.decision_rules import ByCost
from algorithms.evaluation.measures.class_rates import accuracy_working, interval_workings
from algorithms.evaluation.measures.measure import Unit
from algorithms.evaluation.measures.ranking_measures import auc_name, weighted_auc_working
from algorithms.text.names import shortened
from algorithms.text.numbers import (
    UNDEFINED,
    coefficient,
    decimals_of,
    p_words,
    percent,
    percent_range,
    price,
    price_alike,
    seconds,
)
from algorithms.text.sentences import accuracy_words, counted
from workbench.session.decision_rules import OPTIMISTIC_MARK, WHY_MARKED
from workbench.session.runs import Run, RunState, after_steps, steps_listed
from workbench.session.session import Session
from workbench.tabs.classify.progress import mean_interval, so_far, state_words
from workbench.widgets.help_pages import meaning
from workbench.widgets.labels import link, strong
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT
from workbench.widgets.tables import CellsModel, Index, Role

LONGEST_CLASS = 30
COSTS: Final = "costs"


def cost_sentence(run: Run, session: Session) -> str:
    """Cost of a record now, by the default, by least expected cost and by the best constant, as HTML."""
    decisions = session.decisions
    own, report, costs = cost_per_record(run, session), decisions.report_of(run), decisions.costs_of(run)
    if own is None or report is None or costs is None:
        return ""
    cost, itself, least = own, " by default", ""
    mark = session.decisions.mark_of(run)
    if session.decisions.reports.decided(run) is not None:
        now = session.decisions.reports.cost_per_record(run)
        if now is None:
            return ""
        cost, itself = now, f" under the rule set in Evaluate, {price(own)} by default"
    elif (expected := decisions.reports.expected_of(run)) is not None:
        by_cost = ratio(expected.total, float(expected.confusion.sum())) or 0.0
        least = f" By {decisions.by_cost_words(run)}, which compares runs, it is {price(by_cost)}."
        least += f" {link(COSTS, 'Costs & threshold')} sets the decision rule."
    code, total = cheapest_guess(report.confusion, costs.table, report.classes, report.cost_sums)
    guess = ratio(total.value or 0.0, float(report.confusion.sum())) or 0.0
    label = escape(shortened(report.classes[code], LONGEST_CLASS, report.classes))
    written, guessed = price(cost), price(guess)
    beside = ", the same" if written == guessed else "" if cost < guess else ", less"
    guess_words = f"Always predicting <b>{label}</b> would cost {guessed}{beside}."
    return f"Cost of a record: {strong(f'{written}{mark}')}{itself}.{least} {guess_words}"


RUN_ROLE: Final = Qt.ItemDataRole.UserRole
SORT_ROLE: Final = Qt.ItemDataRole.UserRole + 1
LINES_ROLE: Final = Qt.ItemDataRole.UserRole + 2
"""Role of the dim lines below the first one."""
DOUBTS_ROLE: Final = Qt.ItemDataRole.UserRole + 3
"""Role of lines that say why the figures are doubtful."""
NOW_ROLE: Final = Qt.ItemDataRole.UserRole + 4
"""Role of the last line: the figure under a rule of the user."""


BRIEF: Final = "cross-validation", "CV"
"""A word and its short form in the narrow column; the tooltip has the word."""


class RunsColumn(IntEnum):
    LEARNER = 0
    RIGHT = 1
    AUC = 2
    COST = 3
    TIME = 4


HEADERS: Final = {
    RunsColumn.LEARNER: ("Learner", "Learner, options and test method"),
    RunsColumn.RIGHT: (
        "Accuracy",
        "Accuracy with its 95% confidence interval under the default decision rule, which compares runs. Below it the "
        "accuracy under the rule set in Evaluate",
    ),
    RunsColumn.AUC: (
        "AUC",
        f"{meaning('AUC')} Weighted: of more than two classes, their mean by records. Over all tested records "
        "together, as in Evaluate; learners are compared by the mean AUC of the folds",
    ),
    RunsColumn.COST: (
        "Cost",
        "Mean cost of a record under the run's decision rule, with the costs of Evaluate. Below it, where it is lower, "
        f"the cost of deciding by least expected cost. {OPTIMISTIC_MARK} marks an optimistic cost: its threshold was "
        "chosen on the tested records",
    ),
    RunsColumn.TIME: ("Time", "How long the run took"),
}


def cost_per_record(run: Run, session: Session) -> float | None:
    """Mean cost of a record under the session's costs; None if they do not apply to the run's classes."""
    if run.report is None or session.costs is None:
        return None
    costs, report = session.decisions.costs_of(run), session.decisions.report_of(run)
    if costs is None or report is None:
        return None
    return cost_workings.costs_worked(report, costs.table)[0].value


def cost_now(run: Run, session: Session) -> float | None:
    """Mean cost of a record under the run's current decision rule; None without costs, or until it is computed."""
    if run.report is None or session.decisions.active_choice(run) is None:
        return cost_per_record(run, session)
    return session.decisions.reports.cost_per_record(run)


def least_cost(run: Run, session: Session) -> float | None:
    """Mean cost of a record by least expected cost; None where :func:`cost_now` is by default and no higher."""
    now, expected = cost_now(run, session), session.decisions.reports.expected_of(run)
    least = None if expected is None else ratio(expected.total, float(expected.confusion.sum()))
    if now is None or least is None or session.decisions.active_choice(run) is not None:
        return None if now is None else least
    return least if price(least) != price(now) and least < now else None


def workings(run: Run, column: RunsColumn, session: Session) -> tuple[FormulaWorking, ...]:
    """Formulas of the figures of a cell; empty if there are none."""
    report = run.report
    if report is None:
        return ()
    if column is RunsColumn.RIGHT:
        now = session.decisions.reports.decided(run)
        as_now = () if now is None else (replace(accuracy_working(now), name="Accuracy, rule set in Evaluate"),)
        workings = (accuracy_working(report), *interval_workings(report), *as_now)
        return tuple(Unit.PERCENT.written(working, report.n) for working in workings)
    if column is RunsColumn.AUC and report.auc is not None:
        return (Unit.INDEX.written(weighted_auc_working(report), report.n),)
    costs = session.decisions.costs_of(run)
    if column is RunsColumn.COST and costs is not None:
        report = session.decisions.reports.decided(run) or session.decisions.report_of(run) or report
        workings = cost_workings.costs_worked(report, costs.table)
        return tuple(replace(working, shown=price(working.value)) for working in workings)
    return ()


def how(run: Run) -> str:
    """Test method and seed in a few words."""
    return f"{run.method.described()} · seed {run.seed}"


def options(run: Run) -> str:
    return run.learner.summary().removeprefix(run.learner.name).removeprefix(", ")


def luck_words(run: Run) -> str:
    """Result of a permutation test in favour of a run; else empty."""
    test = run.shuffle
    if test is None or not test.is_real:
        return ""
    return f"significant by permutation ({test.by.in_sentence}), {p_words(test.p_value)}"


def doubts(run: Run) -> list[str]:
    """Why the figures of a run are doubtful, in very few words."""
    if run.report is None or run.result is None:
        return []
    reasons = ["training data (optimistic)"] if run.report.test_is_training else []
    if run.shuffle is not None and run.shuffle.is_whole and not run.shuffle.is_real:
        reasons.append(f"{run.shuffle.by.in_sentence} not significant ({p_words(run.shuffle.p_value)})")
    if run.result.partial:
        reasons.append(f"only {run.parts_judged}" if run.parts_judged else "finished early")
    return reasons


def right_words(run: Run) -> tuple[str, str]:
    """Accuracy with its interval, or the state of a run without a result."""
    if run.report is None:
        mean = mean_interval(run.folds) if run.is_running else None
        so_far_right = "" if mean is None else percent(mean[0])
        state = "stopped" if run.state is RunState.STOPPED else state_words(run).removesuffix(" folds")
        return so_far_right or UNDEFINED, state
    low, high = run.report.interval
    return percent(run.report.accuracy, run.report.n), percent_range(low, high, run.report.n)


def cost_decimals(session: Session) -> int:
    """Common number of decimals of all costs in the column."""
    if session.costs is None:
        return 0
    judged = [run for run in session.runs if run.is_judged]
    return decimals_of(cost(run, session) for run in judged for cost in (cost_now, least_cost))


def now_words(run: Run, column: RunsColumn, session: Session) -> str:
    """A figure under the current rule; empty for the default rule or if unknown."""
    now = session.decisions.reports.decided(run)
    if now is None:
        return ""
    if column is RunsColumn.LEARNER:
        return f"now {session.decisions.asked(run).words}"
    return f"now {percent(now.accuracy, now.n)}" if column is RunsColumn.RIGHT else ""


def now_sentence(run: Run, session: Session) -> str:
    """The same as a sentence for the tooltip, and the costs of a record; empty for the default rule without costs."""
    now, costs = session.decisions.reports.decided(run), cost_words(run, session)
    if now is None:
        return costs
    accuracy = accuracy_words(now.accuracy, now.interval, now.n)
    mark = session.decisions.mark_of(run)
    words = f"Decision rule set in Evaluate, {session.decisions.asked(run).words}: {accuracy}{mark}"
    return "\n".join(filter(None, (words, costs, WHY_MARKED if mark else "")))


def pooled_words(run: Run) -> list[str]:
    """How the AUC is named below it, in one line: a mean of classes, else one of all folds together."""
    if run.report is None:
        return []
    is_pooled = run.result is not None and run.result.n_judged > 1
    return auc_name(run.report).split(", ")[1:] or (["pooled"] if is_pooled else [])


def cost_words(run: Run, session: Session) -> str:
    """The costs of a record, each with its rule and threshold, for the tooltip; empty without costs."""
    cost, least = cost_now(run, session), least_cost(run, session)
    if cost is None:
        return ""
    marked, rule = f"{price(cost)}{session.decisions.mark_of(run)}", session.decisions.asked(run).phrase
    words = f"Cost per record {marked} {rule or 'by default'}"
    is_said = least is None or isinstance(session.decisions.active_choice(run), ByCost)
    return words if is_said else f"{words}, {price(least)} by {session.decisions.by_cost_words(run, is_whole=True)}"


def sentence(run: Run, now: str = "") -> str:
    """The whole row in words, for tooltip and screen readers; ``now`` describes the current rule."""
    parts = [f"Run {run.number}: {run.learner.summary()}", how(run)]
    if run.recipe:
        parts.append(f"after {counted(len(run.recipe), 'step')}:\n{steps_listed(run.recipe)}")
    if run.report is not None:
        parts.append(accuracy_words(run.report.accuracy, run.report.interval, run.report.n))
        parts.append(f"{auc_name(run.report)} {coefficient(run.report.auc)}")
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
    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._runs: list[Run] = list(session.runs)
        self._decimals: int | None = None
        self._first: dict[RunsColumn, Callable[[Run], str]] = {
            RunsColumn.LEARNER: lambda run: f"{run.number} · {run.learner.name}",
            RunsColumn.RIGHT: lambda run: right_words(run)[0],
            RunsColumn.AUC: lambda run: coefficient(run.report.auc) if run.report else "",
            RunsColumn.COST: self._cost,
            RunsColumn.TIME: lambda run: "" if run.is_running else seconds(run.seconds),
        }
        self._below: dict[RunsColumn, Callable[[Run], list[str]]] = {
            RunsColumn.LEARNER: lambda run: [
                line
                for line in (options(run), after_steps(run.recipe), how(run).replace(*BRIEF), luck_words(run))
                if line
            ],
            RunsColumn.RIGHT: lambda run: [right_words(run)[1]],
            RunsColumn.AUC: pooled_words,
            RunsColumn.COST: self._least,
        }
        self._order: dict[RunsColumn, Callable[[Run], Any]] = {
            RunsColumn.LEARNER: lambda run: (run.learner.name.lower(), run.number),
            RunsColumn.RIGHT: lambda run: run.report.accuracy if run.report else -1.0,
            RunsColumn.AUC: lambda run: -1.0 if run.report is None or run.report.auc is None else run.report.auc,
            RunsColumn.COST: lambda run: float("inf") if (cost := cost_now(run, session)) is None else cost,
            RunsColumn.TIME: lambda run: run.seconds,
        }

    def _cost(self, run: Run) -> str:
        """The cost of a record under the current rule, marked where that flatters it."""
        if run.report is None:
            return ""
        cost = price_alike(now := cost_now(run, self._session), self._cost_decimals())
        return cost if now is None else f"{cost}{self._session.decisions.mark_of(run)}"

    def _least(self, run: Run) -> list[str]:
        """The cost by least expected cost, below a higher one and below that under a rule of the user."""
        least = least_cost(run, self._session) if run.is_judged and self._session.costs is not None else None
        return [] if least is None else [f"by cost {price_alike(least, self._cost_decimals())}"]

    def _cost_decimals(self) -> int:
        if self._decimals is None:
            self._decimals = cost_decimals(self._session)
        return self._decimals

    def refresh(self) -> None:
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
            return now_words(run, part, self._session)
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
