"""Editor of the cost matrix."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from algorithms.core.errors import DataError
from algorithms.core.record_costs import Cell, FormulaCosts, check_cost
from algorithms.data.columns import FloatArray
from algorithms.data.formulas import is_writable, parse_formula
from algorithms.data.schema import AttributeKind
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.measures.metrics import Report
from algorithms.text.names import did_you_mean
from algorithms.text.numbers import amount, price
from algorithms.text.sentences import and_more, counted, quoted
from workbench.forms.costs import CostCells, CostTable, unit_costs
from workbench.session.decision_rules import costs_of_run
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.widgets.labels import Naming
from workbench.widgets.layouts import ClearWidget, column_layout, named

Money = Callable[[float], str]
MOST_NAMED = 3
"""So many of equally costly errors are named."""


def money_words(currency: str, value: float) -> str:
    return f"{price(value)} {currency}".rstrip()


def formula_facts(costs: FormulaCosts, record: int, mean: float, label: str, money: Money) -> str:
    """Cost of the class ``label`` by a formula: of its first ``record``, mean, and range."""
    least, most = float(costs.values.min()), float(costs.values.max())
    words = (
        f"{costs.formula} = {money(float(costs.values[0]))} for record {record:,}; a record of class {quoted(label)}: "
    )
    words += f"{money(mean)} on average, from {price(least)} to {price(most)}"
    missing = f"{counted(costs.n_missing, 'missing value')} replaced by {money(costs.usual)}"
    return f"{words}, {missing}" if costs.n_missing else words


def cost_sentence(
    cells: CostCells, means: FloatArray, classes: Sequence[str], code: int, money: Money, naming: Naming = str
) -> str:
    """The cost matrix in words; ``means`` (k, k) of formulas, ``code`` of the positive class."""
    names = [quoted(naming(label)) for label in classes]

    def words(row: int, column: int) -> str:
        cell, mean = cells[row][column], money(float(means[row, column]))
        if not isinstance(cell, str):
            return mean
        alone = cell.strip("[] ") in parse_formula(cell).columns()
        return f"{'its ' if alone else ''}{cell.strip('[] ') if alone else cell}, {mean} on average"

    numbers = [cell for row in cells for cell in row if not isinstance(cell, str)]
    other, missing = 1 - code, f"Missing a record of class {names[code]} costs"
    if len(classes) == 2 and len(numbers) == 4:
        miss, alarm = float(means[code, other]), float(means[other, code])
        if miss > 0 and alarm > 0:
            times = "as much as" if miss == alarm else f"{amount(round(max(miss, alarm) / min(miss, alarm), 2))} times"
            if miss >= alarm:
                sentence = f"{missing} {times} a false positive."
            else:
                sentence = f"A false positive costs {times} a missed record of class {names[code]}."
        else:
            sentence = f"{missing} {money(miss)}; a false positive costs {money(alarm)}."
    elif len(classes) == 2:
        sentence = f"{missing} {words(code, other)}; "
        sentence += f"a false positive costs {words(other, code)}."
    else:
        errors = np.where(np.eye(len(classes), dtype=np.bool_), -np.inf, means)
        row, column = np.unravel_index(int(errors.argmax()), errors.shape)
        worst, apart = words(int(row), int(column)), errors[np.isfinite(errors)]
        if len(numbers) == len(classes) ** 2 and apart.min() == apart.max():
            sentence = f"Every error costs {worst}."
        else:
            tied = [(i, j) for i, j in np.argwhere(errors == errors.max()).tolist() if words(i, j) == worst]
            kinds = [f"{names[i]} predicted {names[j]}" for i, j in tied]
            if len(tied) == 1:
                sentence = f"The costliest error is {kinds[0]}: {worst}."
            elif len(tied) == len(classes) - 1 and {i for i, _ in tied} == {row}:
                sentence = f"The costliest errors are those on records of class {names[row]}: {worst}."
            else:
                sentence = f"The costliest errors are {and_more(kinds, MOST_NAMED)}: {worst}."
    right = [i for i in range(len(classes)) if cells[i][i] != 0]
    if len(right) == 1:
        i = right[0]
        mean = float(means[i, i])
        does = "earns" if mean < 0 else "costs"
        on_average = " on average" if isinstance(cells[i][i], str) else ""
        sentence += f" Each correct {names[i]} {does} {money(abs(mean))}{on_average}."
    elif right:
        sentence += f" {len(right)} correct predictions have a cost or a reward."
    return sentence


class CostEditor(ClearWidget):
    """The cost table of the classes of a run; typed costs reach the session at once (``accepted``, ``refused``).

    ``typing`` carries whether one is typed that is not yet in use.
    """

    classes_changed = Signal()
    typing = Signal(bool)
    accepted = Signal()
    refused = Signal(str)

    def __init__(self, session: Session, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.report: Report | None = None
        self.classes: tuple[str, ...] = ()
        self.columns: tuple[str, ...] = ()
        self._is_typing = False
        self.table = named(CostTable(()), name, "Cost matrix, actual by predicted class")
        self.table.edited.connect(self._edited)
        self.table.restore_asked.connect(self._restore)
        self.table.typing.connect(self.typing)
        column_layout(self.table, inside=self)
        self.setFocusProxy(self.table)
        for signal in (session.costs_changed, session.document_replaced):
            signal.connect(self._follow)

    def show_report(self, report: Report) -> None:
        self.report = report
        if report.classes == self.classes:
            return
        self.classes = report.classes
        self.table.show_classes(report.classes)
        self.typing.emit(False)
        self._follow()
        self.classes_changed.emit()

    def reset(self) -> None:
        """Resets the costs to zero-one and keeps the currency."""
        self._show(())
        self._edited()

    def _check(self, cost: str) -> None:
        """Checks a formula on the table of the run, else on the current one."""
        run, first = self._session.current_run, None
        for data in filter(None, (None if run is None else run.data, self._session.data)):
            try:
                check_cost(cost, data)
                return
            except DataError as error:
                first = first or error
        if first is not None:
            raise first

    def _problems(self) -> dict[tuple[int, int], DataError]:
        """Cells that are neither a number nor a formula of columns, each with its error."""
        problems = dict[tuple[int, int], DataError]()
        for row, column in itertools.product(range(len(self.classes)), repeat=2):
            try:
                cost = self.table.costs_model.cell(row, column)
                if isinstance(cost, str):
                    self._check(cost)
            except DataError as error:
                problems[row, column] = error
        return problems

    def _edited(self) -> None:
        currency, run = "" if self._session.costs is None else self._session.costs.currency, self._session.current_run
        problems = self._problems()
        self.table.costs_model.problems = {cell: f"{e.sentence} {e.remedy}".strip() for cell, e in problems.items()}
        self.table.costs_model.changed()
        for (row, column), error in problems.items():
            place = f"Actual {self.classes[row]}, predicted {self.classes[column]}"
            remedy = did_you_mean(error.place or "", self.columns) or error.remedy
            self.refused.emit(f"{place}: {error.sentence} {remedy}".rstrip())
            return
        try:
            costs = CostMatrix(self.classes, self.table.cells(), currency)
            if costs.varies and run is not None and run.result is not None:
                costs_of_run(costs, run, self._session.data)
        except DataError as error:
            self.refused.emit(error.sentence)
            return
        usual = costs == CostMatrix(self.classes, unit_costs(len(self.classes)))
        self._is_typing = True
        self._session.set_costs(None if usual else costs)
        self._is_typing = False
        self.accepted.emit()

    def _restore(self) -> None:
        self._follow()
        self.accepted.emit()

    def explain(self, run: Run) -> None:
        """Offers the columns of a run's table, and tells what each formula comes to on its tests."""
        attributes = run.data.schema.attributes
        numeric = (one for one in attributes if one.kind is AttributeKind.NUMERIC)
        self.columns = tuple(one.name for one in numeric if is_writable(one.name))
        self.table.offer_columns(self.columns)
        costs = self._session.decisions.costs_of(run)
        report, result, facts = self._session.decisions.report_of(run), run.result, dict[Cell, str]()
        if result is not None and report is not None:
            for (i, j), formula in ({} if costs is None else costs.formulas).items():
                rows = np.flatnonzero(result.truth == i)
                if costs is not None and report.cost_sums is not None and len(rows):
                    given, money = formula.take(rows), partial(money_words, costs.currency)
                    record, mean = int(result.row_ids[rows[0]]) + 1, float(report.cost_sums.table[i, j])
                    facts[i, j] = formula_facts(given, record, mean, report.classes[i], money)
            self.table.costs_model.facts = facts  # tooltips alone; a signal would reload the cell that is typed in

    def _follow(self) -> None:
        """Shows the session's costs, unless they were just typed here."""
        if self._is_typing or self.report is None:
            return
        costs = self._session.costs
        try:
            self._show(() if costs is None else costs.cells(self.report.classes))
        except DataError:
            self._show(())

    def _show(self, costs: CostCells) -> None:
        """Shows costs, zero-one for None, and keeps the selected cell."""
        current = self.table.currentIndex()
        row, column = current.row(), current.column()
        self.table.show_costs(costs)
        if row >= 0:
            self.table.setCurrentIndex(self.table.model().index(row, column))
