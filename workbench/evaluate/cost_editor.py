"""The session's costs as a table to type into, for the classes of the run in view."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from algorithms.core.errors import ParameterError
from algorithms.evaluation.costs import CostMatrix
from algorithms.evaluation.metrics import Report
from workbench.evaluate.numbers import ordered_costs
from workbench.forms.costs import CostTable, zero_one
from workbench.session import Session


class CostEditor(QWidget):
    """A table of its own for each set of classes; ``made`` comes with a new one.

    What is typed is the session's at once, and what others set is shown. ``accepted`` comes after each cost that is a
    number, ``refused`` with what is wrong with any other.
    """

    made = Signal()
    accepted = Signal()
    refused = Signal(str)

    def __init__(self, session: Session, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "clear")
        self._session = session
        self._name = name
        self._report: Report | None = None
        self._classes: tuple[str, ...] = ()
        self._is_typing = False
        self.table = CostTable(())
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self.table)
        self.setFocusProxy(self.table)
        session.costs_changed.connect(self._follow)

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes the table is for."""
        return self._classes

    def show_report(self, report: Report) -> None:
        """Show the costs for the classes of a run."""
        self._report = report
        if report.classes == self._classes:
            return
        self._classes = report.classes
        old, self.table = self.table, CostTable(report.classes)
        self.table.setObjectName(self._name)
        self.table.setAccessibleName("What a mistake costs, true class by said class")
        self._column.replaceWidget(old, self.table)
        self.setFocusProxy(self.table)
        old.hide()
        old.deleteLater()
        self.table.edited.connect(self._edited)
        self._follow()
        self.made.emit()

    def reset(self) -> None:
        """Every mistake costs 1 again; the currency stays."""
        self._show(())
        self._edited()

    def _edited(self) -> None:
        try:
            costs = self.table.costs()
        except ParameterError as error:
            self.refused.emit(error.sentence)
            return
        before = self._session.costs
        currency, amounts = ("", "") if before is None else (before.currency, before.amounts)
        usual = costs == zero_one(len(costs)) and not currency and not amounts
        self._is_typing = True
        self._session.set_costs(None if usual else CostMatrix(self._classes, costs, currency, amounts))
        self._is_typing = False
        self.accepted.emit()

    def _follow(self) -> None:
        """Show the session's costs, unless they were typed here just now: the text stays as it was typed."""
        if self._is_typing or self._report is None:
            return
        costs = ordered_costs(self._report, self._session.costs)
        shown: tuple[tuple[float, ...], ...] = () if costs is None else tuple(tuple(row) for row in costs.tolist())
        self._show(shown)

    def _show(self, costs: tuple[tuple[float, ...], ...]) -> None:
        """Show these costs, every mistake 1 for none, with the same cell chosen."""
        current = self.table.currentIndex()
        row, column = current.row(), current.column()
        self.table.show_costs(costs)
        if row >= 0:
            self.table.setCurrentIndex(self.table.model().index(row, column))
