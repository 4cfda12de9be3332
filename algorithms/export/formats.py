"""The ways in which a trained tree, rules or weighed sums can be written for other programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from algorithms.core.training import TrainedClassifier
from algorithms.export.linear import linear_exported
from algorithms.export.model_view import ExportSubject
from algorithms.export.pmml import as_pmml
from algorithms.export.rules import rules_exported
from algorithms.export.tree_code import as_python, as_sql, as_text
from algorithms.structures.hyperplanes import Hyperplanes
from algorithms.structures.members import ModelStructure
from algorithms.structures.rule_set import RuleSet
from algorithms.structures.tree import Tree

GiveWay = Callable[[], None]


@dataclass(frozen=True)
class Format:
    """A way of writing a tree: ``id`` names it, files end on ``suffix``, ``sentence`` says what it is for."""

    id: str
    name: str
    suffix: str
    sentence: str
    write: Callable[[ExportSubject, GiveWay], str]


FORMATS: Final = (
    Format("text", "text", "txt", "The tree as indented lines, to be read, pasted or printed.", as_text),
    Format("sql", "SQL", "sql", "One query that predicts for every row of a table.", as_sql),
    Format("python", "Python", "py", "A module with a function that predicts, without dependencies.", as_python),
    Format("pmml", "PMML", "pmml", "For programs that read the Predictive Model Markup Language 4.4.", as_pmml),
)


def format_of(id: str) -> Format:
    """The format with this id."""
    return next(each for each in FORMATS if each.id == id)


def can_be_written(structure: ModelStructure) -> bool:
    """Whether a model that shows this can be written for other programs."""
    return isinstance(structure, Tree | RuleSet | Hyperplanes)


def exported(trained: TrainedClassifier, id: str, give_way: GiveWay = lambda: None) -> str:
    """A trained tree, rules, or weighed sums in the format with this id.

    Raises :class:`DataError` where it cannot be written so; ``give_way`` is called every few milliseconds.
    """
    structure = trained.structure()
    if isinstance(structure, RuleSet):
        return rules_exported(trained, structure, id, give_way)
    if isinstance(structure, Hyperplanes):
        return linear_exported(trained, structure, id, give_way)
    return format_of(id).write(ExportSubject.of(trained), give_way)
