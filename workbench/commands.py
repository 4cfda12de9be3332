"""What can be undone: each command holds the document before and after, which share all that did not change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from PySide6.QtGui import QUndoCommand, QUndoStack

from algorithms.core.by_hand import HandMade
from algorithms.core.data import Dataset
from algorithms.core.filters import Recipe
from algorithms.core.schema import Attribute, Schema
from algorithms.core.steps import Aside, Steps, aside_of, recipe_of, reconciled
from algorithms.core.steps import steps_of as all_steps_of


@dataclass(frozen=True, eq=False)
class Document:
    """The edited data and the recipe that is learned on it inside each fold; the trees that were edited by hand.

    ``aside`` are the steps of the recipe that are switched off for now.
    """

    data: Dataset
    recipe: Recipe = ()
    trees: tuple[HandMade, ...] = ()
    aside: tuple[Aside, ...] = ()

    @property
    def steps(self) -> Steps:
        """All steps, those that are switched off in their places."""
        return all_steps_of(self.recipe, self.aside)

    def with_steps(self, steps: Steps) -> Document:
        """The document with other steps."""
        return replace(self, recipe=recipe_of(steps), aside=aside_of(steps))

    def with_recipe(self, recipe: Recipe) -> Document:
        """The document with other steps in use; those that are switched off keep their places where they can."""
        return self.with_steps(reconciled(self.steps, recipe))


CSV_KEEPS: Final = "A CSV keeps the values, not the kinds, the class and what is left out."


def loses_in_csv(opened: Document, now: Document) -> bool:
    """Whether a CSV of ``now`` forgets edits: of kinds, of the class, of what is left out, or a recipe."""
    if now.steps != opened.steps and now.steps:
        return True
    before, after = opened.data.schema, now.data.schema
    aligned = len(before) == len(after)
    was: dict[int | str, Attribute] = (
        dict(enumerate(before.attributes)) if aligned else {a.name: a for a in before.attributes}
    )
    for at, attribute in enumerate(after.attributes):
        old = was.get(at if aligned else attribute.name)
        if old is not None and (old.kind, old.used) != (attribute.kind, attribute.used):
            return True
    return before.class_index != after.class_index if aligned else _class_name(before) != _class_name(after)


def _class_name(schema: Schema) -> str | None:
    return None if schema.class_index is None else schema.class_attribute.name


class Edit(QUndoCommand):
    """One change of the document, with its name for a person: "Change kind of zip to nominal"."""

    def __init__(self, text: str, before: Document, after: Document, show: Callable[[Document], None]) -> None:
        super().__init__(text)
        self.before = before
        self.after = after
        self._show = show

    def redo(self) -> None:
        self._show(self.after)

    def undo(self) -> None:
        self._show(self.before)


def document_after(command: QUndoCommand) -> Document | None:
    """What a command, or the last of several that count as one, leaves; None where that is not known."""
    while not isinstance(command, Edit) and command.childCount():
        command = command.child(command.childCount() - 1)
    return command.after if isinstance(command, Edit) else None


def names_around(command: QUndoCommand) -> tuple[str, ...]:
    """The names of the columns before a command and after it, of which its own name may tell."""
    first, last = command, command
    while not isinstance(first, Edit) and first.childCount():
        first = first.child(0)
    while not isinstance(last, Edit) and last.childCount():
        last = last.child(last.childCount() - 1)
    before = first.before.data.schema.names if isinstance(first, Edit) else ()
    after = last.after.data.schema.names if isinstance(last, Edit) else ()
    return before if before == after else tuple(dict.fromkeys((*before, *after)))


def steps_of(stack: QUndoStack, start: int = 0) -> list[tuple[str, Document]]:
    """The commands of the stack from ``start`` on, done or undone: their names, and what each leaves."""
    found = []
    for at in range(start, stack.count()):
        command = stack.command(at)
        after = document_after(command)
        if after is not None:
            found.append((command.actionText(), after))
    return found
