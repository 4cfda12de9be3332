"""Export of the model in view: text, SQL, Python, PMML, and rules as a workbook."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.structures.model_structure import ModelStructure
from algorithms.structures.rule_set import RuleSet
from workbench.jobs.worker_threads import give_way
from workbench.viewers.charts.export import Export, Table
from workbench.widgets.layouts import named

Trained = Callable[[], TrainedClassifier | None]


def add_programs(export: Export, name: str, kind: type[ModelStructure], trained: Trained) -> None:
    """Adds the export formats of this kind of model, text first; ``trained`` returns the model."""
    from algorithms.export.formats import TEXT, exporters_of

    exporters, stem = exporters_of(kind), export.exported.name
    if not exporters:
        return
    menu = named(export.menu.addMenu("For other programs"), name)
    for shown in (menu, export.menu):
        shown.setToolTipsVisible(True)
    for exporter in exporters:
        format, table = exporter.format, partial(_table, exporter.format.id, kind, trained)
        file = f"{stem}.{format.suffix}"
        if format is TEXT:
            actions = export.add_text(f"{stem} as text", file, table, kind="Text", comes_first=True)
        else:
            actions = export.add_text(format.name, file, table, kind=format.name, menu=menu)
        for action in actions:
            action.setToolTip(exporter.sentence)


def _table(id: str, kind: type[ModelStructure], trained: Trained) -> Table | None:
    """A writer of the model in view in this format; None if it is of another kind."""
    classifier = trained()
    if classifier is None or type(classifier.structure()) is not kind:
        return None

    def write(_delimiter: str) -> str:
        from algorithms.export.formats import exported

        return exported(classifier, id, give_way)

    return write


def write_rules(trained: Trained, path: str, context: RunContext) -> None:
    """Writes the rules in view as a workbook; runs in a worker."""
    from algorithms.io.excel_writing import write_excel
    from algorithms.learners.rules.words import rules_as_table

    classifier = trained()
    structure = None if classifier is None else classifier.structure()
    if isinstance(structure, RuleSet):
        write_excel(path, rules_as_table(structure), context)
