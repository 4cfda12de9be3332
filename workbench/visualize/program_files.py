"""A model in view as text, and for other programs as SQL, Python and PMML, in the menu of its view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from PySide6.QtWidgets import QMenu

from algorithms.core.trained import TrainedClassifier
from workbench.giving_way import give_way
from workbench.views.export import Export, Table

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
    """Add the formats to the menu of a view: text first of all, the others in a menu of their own.

    ``trained`` tells what is in view there, None where it is no such model. ``name`` is that of the menu, ``stem`` that
    of the files: what the model is called, too.
    """
    from algorithms.export.formats import format_of

    menu = export.menu.addMenu("For other programs")
    menu.setObjectName(name)
    for shown in (menu, export.menu):
        shown.setToolTipsVisible(True)
    for id, sentence in sentences.items():
        each, table = format_of(id), partial(_table, id, trained)
        if id == TEXT:
            made = export.add_text(f"{stem} as text", f"{stem}.{each.suffix}", table, kind="Text", comes_first=True)
        else:
            made = export.add_text(each.name, f"{stem}.{each.suffix}", table, kind=each.name, menu=menu)
        for action in made:
            action.setToolTip(sentence)
    return menu


def _table(id: str, trained: Trained) -> Table | None:
    """What writes the model in view in this format, beside the window where it is large."""
    held = trained()
    if held is None:
        return None

    def write(_delimiter: str) -> str:
        from algorithms.export.formats import exported

        return exported(held, id, give_way)

    return write
