"""Export of the model in view: text, SQL, Python, PMML, and rules as a workbook."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from algorithms.core.context import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.structures.rule_set import RuleSet
from algorithms.structures.tree import Tree
from workbench.jobs.worker_threads import give_way
from workbench.viewers.charts.export import Export, Table
from workbench.widgets.layouts import named

if TYPE_CHECKING:
    from workbench.viewers.rules.rules_view import RuleSetView
    from workbench.viewers.tree.tree_view import TreeView

Trained = Callable[[], TrainedClassifier | None]
TEXT: Final = "text"
RULES: Final = {
    TEXT: "The rules as lines, to be read, pasted or printed.",
    "sql": "One query that predicts for every row of a table.",
    "python": "A module with a function that predicts, without dependencies.",
    "pmml": "A rule set for programs that read the Predictive Model Markup Language 4.4.",
}
WEIGHED_SUMS: Final = {
    TEXT: "The sum of each class as lines, to be read, pasted or printed.",
    "sql": "One query that predicts for every row of a table.",
    "python": "A module with a function that predicts, without dependencies.",
    "pmml": "A regression model for programs that read the Predictive Model Markup Language 4.4.",
}


def add_programs(export: Export, name: str, stem: str, sentences: Mapping[str, str], trained: Trained) -> QMenu:
    """Adds export formats to a viewer's menu: text first, the others in a submenu called ``name``.

    ``trained`` returns the model in view, or None if it is of another kind; ``stem`` names the files.
    """
    from algorithms.export.formats import format_of

    menu = named(export.menu.addMenu("For other programs"), name)
    for shown in (menu, export.menu):
        shown.setToolTipsVisible(True)
    for id, sentence in sentences.items():
        format, table = format_of(id), partial(_table, id, trained)
        if id == TEXT:
            actions = export.add_text(
                f"{stem} as text", f"{stem}.{format.suffix}", table, kind="Text", comes_first=True
            )
        else:
            actions = export.add_text(format.name, f"{stem}.{format.suffix}", table, kind=format.name, menu=menu)
        for action in actions:
            action.setToolTip(sentence)
    return menu


def _table(id: str, trained: Trained) -> Table | None:
    """A writer of the model in view in this format."""
    classifier = trained()
    if classifier is None:
        return None

    def write(_delimiter: str) -> str:
        from algorithms.export.formats import exported

        return exported(classifier, id, give_way)

    return write


class RuleFiles(QObject):
    """Export of rules; ``trained`` returns the model in view."""

    def __init__(self, view: RuleSetView, trained: Callable[[], TrainedClassifier | None]) -> None:
        super().__init__(view)
        self._trained = trained
        view.export.add_file("spreadsheet (Excel)", "rules.xlsx", "Excel", self.write_spreadsheet)
        add_programs(view.export, "visualize.rules.programs", "rules", RULES, self._rules)

    def write_spreadsheet(self, path: str, context: RunContext) -> None:
        """Writes the rules in view as a workbook; runs in a worker."""
        from algorithms.io.excel_writing import write_excel
        from algorithms.learners.rules.words import rules_as_table

        trained = self._rules()
        structure = None if trained is None else trained.structure()
        if isinstance(structure, RuleSet):
            write_excel(path, rules_as_table(structure), context)

    def _rules(self) -> TrainedClassifier | None:
        trained = self._trained()
        return trained if trained is not None and isinstance(trained.structure(), RuleSet) else None


class TreeFiles(QObject):
    """Export of trees; ``trained`` returns the model in view."""

    def __init__(self, view: TreeView, trained: Callable[[], TrainedClassifier | None]) -> None:
        super().__init__(view)
        from algorithms.export.formats import FORMATS

        self._trained = trained
        sentences = {format.id: format.sentence for format in FORMATS}
        add_programs(view.export, "visualize.save.programs", "tree", sentences, self._tree)

    def _tree(self) -> TrainedClassifier | None:
        trained = self._trained()
        return trained if trained is not None and isinstance(trained.structure(), Tree) else None
