"""Which column a file wants to have predicted."""

from __future__ import annotations

from algorithms.core.errors import DataError
from algorithms.core.schema import Schema


def with_guessed_class(schema: Schema, given: str | None) -> Schema:
    """The schema with the class that is given, or else the attribute named class, or else the last nominal one.

    Raises :class:`DataError` where there is no attribute of the given name.
    """
    if given and given not in schema:
        shown = ", ".join(schema.names[:8]) + (", ..." if len(schema) > 8 else "")
        raise DataError(f"There is no column named {given!r}.", remedy=f"The columns are {shown}.", place=given)
    if given is not None:
        return schema.with_class(given or None)
    coded = [a.name for a in schema.attributes if a.kind.is_coded]
    named = [a.name for a in schema.attributes if a.name.strip().casefold() == "class"]
    named_coded = [name for name in named if name in coded]
    chosen = named_coded or named or coded[-1:]
    return schema.with_class(chosen[0] if chosen else None)
