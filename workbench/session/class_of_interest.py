"""The class of interest, the "positive" one: chosen once for each column that is predicted, and used everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from weakref import WeakKeyDictionary

from algorithms.data.schema import Schema
from algorithms.data.summary import Summary
from algorithms.evaluation.verdict import affirmative
from workbench.session.document import Document


class ClassOfInterest:
    """Remembers the choice by the class attribute's name, and by document: an edit may call the class otherwise."""

    def __init__(self) -> None:
        self._chosen: dict[str, str] = {}
        self._chosen_in: WeakKeyDictionary[Document, str] = WeakKeyDictionary()

    @property
    def chosen(self) -> Mapping[str, str]:
        """The class that was chosen, for each class attribute that has one."""
        return self._chosen

    def begin(self, chosen: Mapping[str, str]) -> None:
        """Another table, for which these were chosen before."""
        self._chosen = dict(chosen)

    def choose(self, schema: Schema, code: int) -> None:
        self._chosen[schema.class_attribute.name] = schema.classes[code]

    def code(self, schema: Schema, summary: Summary | None) -> int:
        """Code of the class that was chosen, else of the one that says yes, else of the rarest that the data has."""
        classes = classes_of(schema)
        if not classes:
            return 0
        chosen = self._chosen.get(schema.class_attribute.name)
        if chosen in classes:
            return classes.index(chosen)
        counts = None if summary is None else summary.class_counts
        said_yes = affirmative(classes)
        if counts is None or len(counts) != len(classes):
            return len(classes) - 1 if said_yes is None else said_yes
        if said_yes is not None and counts[said_yes] > 0:
            return said_yes
        present = [code for code in range(len(classes)) if counts[code] > 0] or [len(classes) - 1]
        return min(reversed(present), key=lambda code: float(counts[code]))

    def remember(self, document: Document) -> None:
        """Which class was chosen while this document was in view."""
        schema = document.data.schema
        chosen = self._chosen.get(_class_name(schema))
        if chosen is not None and chosen in classes_of(schema):
            self._chosen_in[document] = chosen

    def bring_back(self, before: Document, document: Document) -> None:
        """Where the classes were renamed or merged and that is undone, the one chosen then is of interest again."""
        was, now = before.data.schema, document.data.schema
        name, chosen = _class_name(now), self._chosen_in.get(document)
        if chosen is not None and _class_name(was) == name and was.classes != now.classes:
            self._chosen[name] = chosen


def classes_of(schema: Schema) -> tuple[str, ...]:
    """The class labels; empty where no class is chosen, or one that is not nominal."""
    return () if schema.class_index is None else schema.classes


def code_among(classes: Sequence[str], chosen: str, counts: Sequence[float]) -> int:
    """The code of the class of interest among a run's own classes: the one chosen now, else the one that says yes,
    else the rarest tested."""
    if chosen in classes:
        return list(classes).index(chosen)
    said_yes = affirmative(classes)
    if said_yes is not None and counts[said_yes] > 0:
        return said_yes
    present = [code for code, count in enumerate(counts) if count > 0] or [len(classes) - 1]
    return min(reversed(present), key=lambda code: counts[code])


def _class_name(schema: Schema) -> str:
    return "" if schema.class_index is None else schema.class_attribute.name
