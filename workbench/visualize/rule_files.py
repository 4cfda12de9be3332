"""The rules in view for other programs: as text, SQL, Python and PMML, in the menu of their view."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject

from algorithms.core.rule_set import RuleSet
from algorithms.core.trained import TrainedClassifier
from workbench.jobs import give_way
from workbench.views.export import Table

if TYPE_CHECKING:
    from workbench.views.rules import RuleSetView

SENTENCES: Final = {
    "text": "The rules as lines, to be read and pasted.",
    "sql": "One query that predicts for every row of a table.",
    "python": "A module with a function that predicts, without dependencies.",
    "pmml": "A rule set for programs that read the Predictive Model Markup Language 4.4.",
}


class RuleFiles(QObject):
    """Adds the formats to the menu of a view of rules; ``trained`` tells what is in view there."""

    def __init__(self, view: RuleSetView, trained: Callable[[], TrainedClassifier | None]) -> None:
        super().__init__(view)
        from algorithms.export.formats import format_of

        self._trained = trained
        view.export.add_file("spreadsheet (Excel)", "rules.xlsx", "Excel", self.write_spreadsheet)
        menu = view.export.menu.addMenu("For other programs")
        menu.setObjectName("visualize.rules.programs")
        menu.setToolTipsVisible(True)
        for id, sentence in SENTENCES.items():
            each = format_of(id)
            what, kind = ("lines of text", "Text") if id == "text" else (each.name, each.name)
            view.export.add_text(what, f"rules.{each.suffix}", partial(self._table, id), kind=kind, menu=menu)
            for action in menu.actions()[-2:]:
                action.setToolTip(sentence)

    def write_spreadsheet(self, path: str) -> None:
        """Write the rules in view as a workbook, in a worker."""
        from algorithms.io.excel_writing import write_excel
        from algorithms.rules.as_table import rules_as_table

        trained = self._trained()
        structure = None if trained is None else trained.structure()
        if isinstance(structure, RuleSet):
            write_excel(path, rules_as_table(structure))

    def _table(self, id: str) -> Table | None:
        """What writes the rules in view in this format, beside the window where they are many."""
        trained = self._trained()
        if trained is None or not isinstance(trained.structure(), RuleSet):
            return None

        def write(_delimiter: str) -> str:
            from algorithms.export.formats import exported

            return exported(trained, id, give_way)

        return write
