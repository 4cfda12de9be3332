"""Attributes of a table, their kinds, and the schema that lists them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Final

from algorithms.core.errors import DataError

MISSING_CODE: Final = -1


class AttributeKind(StrEnum):
    """Kind of an attribute, which determines how its values are stored and used."""

    NUMERIC = "numeric"
    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    DATE = "date"
    TEXT = "text"
    IDENTIFIER = "identifier"

    @cached_property
    def is_coded(self) -> bool:
        """Whether values are stored as codes into a fixed list (nominal, ordinal)."""
        return self in (AttributeKind.NOMINAL, AttributeKind.ORDINAL)

    @cached_property
    def is_float(self) -> bool:
        """Whether values are stored as float64 (numeric, date)."""
        return self in (AttributeKind.NUMERIC, AttributeKind.DATE)

    @cached_property
    def is_string(self) -> bool:
        """Whether values are stored as strings (text, identifier)."""
        return self in (AttributeKind.TEXT, AttributeKind.IDENTIFIER)

    @cached_property
    def is_learnable(self) -> bool:
        """Whether learners can use attributes of this kind; they ignore identifiers, dates and text."""
        return self in (AttributeKind.NUMERIC, AttributeKind.NOMINAL, AttributeKind.ORDINAL)


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Attribute:
    """Name and kind of a column; ``values`` in code order; ``used`` is False if excluded from learning.

    ``description`` is what the file says about the column (the label of a variable), ``unit`` what was removed from its
    numbers as they were read ("kg"); no file of our own keeps the unit. Neither makes an attribute another.
    """

    name: str
    kind: AttributeKind
    values: tuple[str, ...] = ()
    used: bool = True
    description: str = field(default="", compare=False)
    unit: str = field(default="", compare=False)

    def code_of(self, value: str) -> int:
        """The code of a value; -1 if it is not among ``values``."""
        try:
            return self.values.index(value)
        except ValueError:
            return MISSING_CODE


@dataclass(frozen=True)
class Schema:
    """Attributes and class index (or None); raises :class:`DataError` for duplicate names or an invalid index."""

    attributes: tuple[Attribute, ...]
    class_index: int | None = None
    _index: Mapping[str, int] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        index = {attribute.name: i for i, attribute in enumerate(self.attributes)}
        if len(index) < len(self.attributes):
            seen: set[str] = set()
            for attribute in self.attributes:
                if attribute.name in seen:
                    raise DataError(f"Two columns are named {attribute.name!r}.", place=attribute.name)
                seen.add(attribute.name)
        if self.class_index is not None and not 0 <= self.class_index < len(self.attributes):
            raise DataError(f"There is no column number {self.class_index + 1} to be the class.")
        object.__setattr__(self, "_index", index)

    def __len__(self) -> int:
        return len(self.attributes)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def kinds(self) -> dict[str, AttributeKind]:
        """The kind of each attribute by its name, in order."""
        return {attribute.name: attribute.kind for attribute in self.attributes}

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def index_of(self, name: str) -> int:
        """The index of the attribute with this name; raises :class:`DataError` for an unknown name."""
        try:
            return self._index[name]
        except KeyError:
            raise DataError(f"There is no column named {name!r}.", place=name) from None

    @property
    def class_attribute(self) -> Attribute:
        """The class attribute; raises :class:`DataError` if there is none."""
        if self.class_index is None:
            raise DataError("No class is chosen.", remedy="Choose the column to predict.")
        return self.attributes[self.class_index]

    @property
    def classes(self) -> tuple[str, ...]:
        """The class labels in code order."""
        return self.class_attribute.values

    @cached_property
    def predictors(self) -> tuple[int, ...]:
        """Indices of the attributes that learners use: those of a learnable kind that are in use, except the class."""
        return tuple(
            i for i, a in enumerate(self.attributes) if i != self.class_index and a.used and a.kind.is_learnable
        )

    def with_attribute(self, index: int, attribute: Attribute) -> Schema:
        attributes = (*self.attributes[:index], attribute, *self.attributes[index + 1 :])
        return Schema(attributes, self.class_index)

    def without_use(self, indices: Iterable[int]) -> Schema:
        """The same columns, with these excluded from learning."""
        unused = {index for index in indices if self.attributes[index].used}
        if not unused:
            return self
        attributes = (replace(a, used=False) if i in unused else a for i, a in enumerate(self.attributes))
        return Schema(tuple(attributes), self.class_index)

    def with_class(self, name: str | None) -> Schema:
        return Schema(self.attributes, None if name is None else self.index_of(name))


def nominal(name: str, values: Iterable[str], *, ordinal: bool = False) -> Attribute:
    """A nominal (or ordinal) attribute with these values in this order."""
    return Attribute(name, AttributeKind.ORDINAL if ordinal else AttributeKind.NOMINAL, tuple(values))


def numeric(name: str) -> Attribute:
    return Attribute(name, AttributeKind.NUMERIC)


def renamed(attribute: Attribute, name: str) -> Attribute:
    return replace(attribute, name=name)


def free_name(name: str, taken: Container[str]) -> str:
    """``name``, followed by a number if it is in ``taken``."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name} {number}", number + 1
    return free


TRAINED_ON: Final = "The model needs the columns it was trained on."


@dataclass(frozen=True)
class SchemaDifference:
    """One difference between data and the schema of a model. A ``fatal`` one prevents prediction."""

    column: str
    sentence: str
    fatal: bool = False
    remedy: str = TRAINED_ON
