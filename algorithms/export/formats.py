"""The formats that trained models can be exported to, and the registry of exporters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from algorithms.core.errors import DataError
from algorithms.core.training import TrainedClassifier
from algorithms.export import linear, pmml, rules, tree_code
from algorithms.export.linear import LinearSubject
from algorithms.export.model_view import ExportSubject, GiveWay, TreeSubject
from algorithms.export.rules import RuleSubject
from algorithms.export.tree_code import Query, mysql, standard_sql
from algorithms.structures.model_structure import ModelStructure


@dataclass(frozen=True)
class Format:
    """A format with its ``id``; ``suffix`` is that of its files, ``brief`` describes it in the help."""

    id: str
    name: str
    suffix: str
    brief: str


TEXT: Final = Format("text", "text", "txt", "indented lines")
SQL: Final = Format("sql", "SQL", "sql", "one query")
MYSQL: Final = Format("mysql", "SQL for MySQL", "sql", "one query for MySQL or MariaDB")
PYTHON: Final = Format("python", "Python", "py", "a module")
PMML: Final = Format("pmml", "PMML", "pmml", "PMML 4.4")


@dataclass(frozen=True)
class Exporter:
    """Exporter of one kind of model to one format.

    ``sentence`` describes the file in menus. ``write`` calls its second argument every few milliseconds and raises
    :class:`DataError` if the model cannot be exported.
    """

    format: Format
    subject: type[ExportSubject[Any]]
    sentence: str
    write: Callable[[Any, GiveWay], str]


_QUERY: Final = "One query that predicts for every row of a table."
_IN_MYSQL: Final = "One query that predicts for every row of a table in MySQL or MariaDB."
_MODULE: Final = "A module with a function that predicts, without dependencies."
_READERS: Final = "programs that read the Predictive Model Markup Language 4.4."


def _in(dialect: Callable[[Query], str], write: Callable[[Any, GiveWay], Query]) -> Callable[[Any, GiveWay], str]:
    """A writer of queries in one dialect."""
    return lambda subject, give_way: dialect(write(subject, give_way))


EXPORTERS: Final[list[Exporter]] = [
    Exporter(TEXT, TreeSubject, "The tree as indented lines, to be read, pasted or printed.", tree_code.tree_as_text),
    Exporter(SQL, TreeSubject, _QUERY, _in(standard_sql, tree_code.tree_as_sql)),
    Exporter(MYSQL, TreeSubject, _IN_MYSQL, _in(mysql, tree_code.tree_as_sql)),
    Exporter(PYTHON, TreeSubject, _MODULE, tree_code.tree_as_python),
    Exporter(PMML, TreeSubject, f"For {_READERS}", pmml.tree_as_pmml),
    Exporter(TEXT, RuleSubject, "The rules as lines, to be read, pasted or printed.", rules.rules_as_text),
    Exporter(SQL, RuleSubject, _QUERY, _in(standard_sql, rules.rules_as_sql)),
    Exporter(MYSQL, RuleSubject, _IN_MYSQL, _in(mysql, rules.rules_as_sql)),
    Exporter(PYTHON, RuleSubject, _MODULE, rules.rules_as_python),
    Exporter(PMML, RuleSubject, f"A rule set for {_READERS}", rules.rules_as_pmml),
    Exporter(
        TEXT, LinearSubject, "The sum of each class as lines, to be read, pasted or printed.", linear.linear_as_text
    ),
    Exporter(SQL, LinearSubject, _QUERY, _in(standard_sql, linear.linear_as_sql)),
    Exporter(MYSQL, LinearSubject, _IN_MYSQL, _in(mysql, linear.linear_as_sql)),
    Exporter(PYTHON, LinearSubject, _MODULE, linear.linear_as_python),
    Exporter(PMML, LinearSubject, f"A regression model for {_READERS}", linear.linear_as_pmml),
]
"""The registry of exporters; a new format, or a new kind of model for a format, is an exporter in it."""


def formats() -> list[Format]:
    return list(dict.fromkeys(exporter.format for exporter in EXPORTERS))


def exporters_of(structure: type[ModelStructure]) -> list[Exporter]:
    return [exporter for exporter in EXPORTERS if exporter.subject.kind is structure]


def exporter_of(structure: type[ModelStructure], id: str) -> Exporter | None:
    """The exporter of models with this structure to the format with this id; None if there is none."""
    return next((exporter for exporter in exporters_of(structure) if exporter.format.id == id), None)


def exported(trained: TrainedClassifier, id: str, give_way: GiveWay = lambda: None) -> str:
    """A trained model in the format with this id; raises :class:`DataError` if it cannot be exported."""
    structure = type(trained.structure())
    exporter = exporter_of(structure, id)
    if exporter is not None:
        return exporter.write(exporter.subject.of(trained), give_way)
    suitable = exporters_of(structure)
    of_format = [each for each in EXPORTERS if not suitable or each.format.id == id]
    *others, last = dict.fromkeys(name for each in of_format for name in each.subject.models)
    models = f"{', '.join(others)} and {last}" if others else last
    so = f" as {of_format[0].format.name}" if suitable else ""
    raise DataError(f"{trained.learner.name} cannot be exported{so}: only {models} can.", remedy="Save it as a model.")
