"""How many times the costs count for each record: once, or as a column of its own says."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from algorithms.core.errors import DataError
from algorithms.core.schema import Kind
from algorithms.evaluation.costs import zero_one
from workbench.parts.fields import ElidedComboBox
from workbench.runs import Run
from workbench.session import Session
from workbench.theme import themes

ONCE: Final = "each once"
TIP: Final = "How many times the costs count for each record: once, or as often as a column of numbers says"
WIDTH: Final = 112


class AmountsChoice(ElidedComboBox):
    """A choice among the columns of numbers of the run in view; the session's costs follow it."""

    def __init__(self, session: Session, name: str) -> None:
        super().__init__()
        self._session = session
        self._run: Run | None = None
        self._classes: tuple[str, ...] = ()
        self.setObjectName(name)
        self.setAccessibleName("How many times the costs count for each record")
        self.setToolTip(TIP)
        themes.follow(self._measure)
        self._measure()
        self.activated.connect(self._chosen)

    def _measure(self) -> None:
        self.setFixedWidth(themes.px(WIDTH))

    def show_run(self, run: Run, classes: tuple[str, ...]) -> None:
        """Offer the columns of the table that a run was judged on, and stand at the one in force."""
        self._run, self._classes = run, classes
        now = self._session.data
        attributes = [each for table in (run.data, now) if table is not None for each in table.schema.attributes]
        names = dict.fromkeys(each.name for each in attributes if each.kind is Kind.NUMERIC)
        costs = self._session.costs
        column = "" if costs is None else costs.amounts
        offered = [ONCE, *(f"× {name}" for name in names)] if not run.method.needs_test_data else [ONCE]
        if column and f"× {column}" not in offered:
            offered.append(f"× {column}")
        self.blockSignals(True)
        if [self.itemText(at) for at in range(self.count())] != offered:
            self.clear()
            self.addItems(offered)
        self.setCurrentIndex(offered.index(f"× {column}") if column else 0)
        self.blockSignals(False)
        self.setEnabled(len(offered) > 1)

    def _chosen(self, at: int) -> None:
        column = self.itemText(at).removeprefix("× ") if at > 0 else ""
        run, before = self._run, self._session.costs
        if run is None or run.result is None or column == ("" if before is None else before.amounts):
            return
        try:
            if column:
                self._session.decisions.amounts_in(run, column)
        except DataError as error:
            self._session.messages.error(error)
            self.show_run(run, self._classes)
            return
        made = replace(before or zero_one(self._classes), amounts=column)
        usual = made == zero_one(self._classes)
        self._session.set_costs(None if usual else made)
