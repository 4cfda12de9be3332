"""Which columns a step is for, and what is wrong with the choice of them, in words."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from algorithms.core.learner import Problem
from algorithms.core.schema import Kind, Schema
from algorithms.core.summary import Summary


def chosen(schema: Schema, names: Sequence[str], kinds: Collection[Kind]) -> list[int]:
    """Positions of the named columns that are of these kinds; without names, of all in use. Never the class.

    Raises :class:`DataError` for a name that is no column's.
    """
    if names:
        indices = [schema.index_of(name) for name in names]
    else:
        indices = [i for i, attribute in enumerate(schema.attributes) if attribute.used]
    return [i for i in indices if i != schema.class_index and schema.attributes[i].kind in kinds]


def problems_of_choice(
    summary: Summary, names: Sequence[str], kinds: Collection[Kind], *, do: str, done: str, only: str
) -> list[Problem]:
    """What keeps named columns from being changed: "There is no column 'x' to fill", "x is text: only numbers ...".

    ``do`` and ``done`` are forms of what is done to a column ("fill", "filled"), ``only`` says what it can be done to.
    """
    found = []
    schema = summary.schema
    for name in names:
        if name not in schema:
            found.append(Problem(f"There is no column {name!r} to {do}.", "Choose among those there are.", name))
            continue
        index = schema.index_of(name)
        attribute = schema.attributes[index]
        if index == schema.class_index:
            found.append(Problem(f"{name} is the column to predict: it is not {done}.", "Leave it out.", name))
        elif attribute.kind not in kinds:
            found.append(Problem(f"{name} is {attribute.kind.value}: {only}.", "Leave it out.", name))
    return found
