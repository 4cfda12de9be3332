"""The rules in view for other programs and as a workbook, in the menu of their view."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from algorithms.core.context import RunContext
from algorithms.core.rule_set import RuleSet
from algorithms.core.trained import TrainedClassifier
from workbench.visualize.program_files import RULES, add_programs

if TYPE_CHECKING:
    from workbench.views.rules import RuleSetView


class RuleFiles(QObject):
    """Adds the formats to the menu of a view of rules; ``trained`` tells what is in view there."""

    def __init__(self, view: RuleSetView, trained: Callable[[], TrainedClassifier | None]) -> None:
        super().__init__(view)
        self._trained = trained
        view.export.add_file("spreadsheet (Excel)", "rules.xlsx", "Excel", self.write_spreadsheet)
        add_programs(view.export, "visualize.rules.programs", "rules", RULES, self._rules)

    def write_spreadsheet(self, path: str, context: RunContext) -> None:
        """Write the rules in view as a workbook, in a worker."""
        from algorithms.io.excel_writing import write_excel
        from algorithms.rules.as_table import rules_as_table

        trained = self._rules()
        structure = None if trained is None else trained.structure()
        if isinstance(structure, RuleSet):
            write_excel(path, rules_as_table(structure), context)

    def _rules(self) -> TrainedClassifier | None:
        trained = self._trained()
        return trained if trained is not None and isinstance(trained.structure(), RuleSet) else None
