"""Filters that remove, keep, rename, reorder attributes and change their kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import Problem, State
from algorithms.core.parameters import Option, choice, column, columns, text
from algorithms.core.run_control import RunContext
from algorithms.data.columns import Column, smallest_code_dtype
from algorithms.data.convert_kind import as_strings, recast, written_format, written_numbers
from algorithms.data.dataset import Dataset
from algorithms.data.dates import ISO, KNOWN_FORMATS, parse_dates
from algorithms.data.number_formats import PLAIN, NumberFormat
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.data.summary import Summary
from algorithms.filters.checks import StoredState, chosen, problems_of_choice


class AttributesRemoved(FittedFilter):
    """Removes the named columns; ``judged`` returns the rows of a table of scored columns and is not saved."""

    id: ClassVar[str] = "attributes-removed"

    def __init__(self, names: tuple[str, ...], judged: Callable[[], list[list[str]]] | None = None) -> None:
        self.names = names
        self._judged = judged

    def transform(self, data: Dataset) -> Dataset:
        gone = set(self.names)
        return data.select_columns(i for i, name in enumerate(data.schema.names) if name not in gone)

    def removed(self) -> tuple[str, ...]:
        return self.names

    def learned_rows(self) -> list[list[str]]:
        return [] if self._judged is None else self._judged()

    def to_state(self) -> State:
        return State({"names": list(self.names)}, {})

    @classmethod
    def from_state(cls, state: State) -> Self:
        return cls(tuple(StoredState(state, "names of columns").names("names")))


@dataclass(frozen=True, kw_only=True)
class RemoveAttributes(Filter):
    """Removes columns."""

    id: ClassVar[str] = "remove-attributes"
    name: ClassVar[str] = "Remove attributes"
    sentence: ClassVar[str] = "Removes attributes, so that training does not use them."
    family: ClassVar[str] = "Columns"
    looks_at_records: ClassVar[bool] = False
    fitted: ClassVar[type[FittedFilter]] = AttributesRemoved

    columns: tuple[str, ...] = columns((), label="Attributes", help="The attributes that are removed.")

    def check(self, summary: Summary) -> list[Problem]:
        schema = summary.schema
        problems = [
            Problem(f"There is no column {name!r} to remove.", "Choose among the columns there are.", name)
            for name in self.columns
            if name not in schema
        ]
        class_name = None if schema.class_index is None else schema.class_attribute.name
        if class_name in self.columns:
            remedy = "Leave it in, or choose another column to predict first."
            problems.append(Problem(f"{class_name} is the column to predict.", remedy, class_name))
        return problems

    def fit(self, data: Dataset, context: RunContext) -> AttributesRemoved:
        for name in self.columns:
            if data.schema.index_of(name) == data.schema.class_index:
                remedy = "Leave it in, or choose another column to predict first."
                raise DataError(f"{name} is the column to predict.", remedy=remedy, place=name)
        return AttributesRemoved(self.columns)


_KINDS: Final = tuple(AttributeKind)
_BLOCK: Final = 8192
_ANY: Final = "any column can be chosen"


@dataclass(frozen=True, kw_only=True)
class KeepAttributes(Filter):
    """Removes all columns except the named ones and the class."""

    id: ClassVar[str] = "keep-attributes"
    name: ClassVar[str] = "Keep attributes"
    sentence: ClassVar[str] = "Keeps the chosen attributes and the class and removes all others."
    family: ClassVar[str] = "Columns"
    looks_at_records: ClassVar[bool] = False
    fitted: ClassVar[type[FittedFilter]] = AttributesRemoved

    columns: tuple[str, ...] = columns((), label="Attributes", help="The attributes that stay", without="all")

    def check(self, summary: Summary) -> list[Problem]:
        return [
            Problem(f"There is no column {name!r} to keep.", "Choose among those there are.", name)
            for name in self.columns
            if name not in summary.schema
        ]

    def fit(self, data: Dataset, context: RunContext) -> AttributesRemoved:
        schema = data.schema
        kept = {schema.index_of(name) for name in self.columns} or set(range(len(schema)))
        gone = (i for i in range(len(schema)) if i not in kept and i != schema.class_index)
        return AttributesRemoved(tuple(schema.names[i] for i in gone))


class AttributeRenamed(FittedFilter):
    """Renames one column."""

    id: ClassVar[str] = "attribute-renamed"

    def __init__(self, old: str, new: str) -> None:
        self.old, self.new = old, new

    def transform(self, data: Dataset) -> Dataset:
        if self.old not in data.schema or self.old == self.new:
            return data
        index = data.schema.index_of(self.old)
        return data.with_schema(
            data.schema.with_attribute(index, replace(data.schema.attributes[index], name=self.new))
        )

    def renamed(self, name: str) -> str:
        return self.new if name == self.old else name

    def to_state(self) -> State:
        return State({"old": self.old, "new": self.new}, {})

    @classmethod
    def from_state(cls, state: State) -> Self:
        stored = StoredState(state, "names of columns")
        return cls(stored.text("old"), stored.text("new"))


@dataclass(frozen=True, kw_only=True)
class RenameAttribute(Filter):
    """Renames one column."""

    id: ClassVar[str] = "rename-attribute"
    name: ClassVar[str] = "Rename attribute"
    sentence: ClassVar[str] = "Gives an attribute another name in trees, rules and reports."
    family: ClassVar[str] = "Columns"
    looks_at_records: ClassVar[bool] = False
    adds_columns: ClassVar[bool] = True
    fitted: ClassVar[type[FittedFilter]] = AttributeRenamed

    column: str | None = column(None, label="Attribute", help="The attribute that is renamed.")
    to: str = text("", label="New name", help="The name of the attribute from here on.")

    def check(self, summary: Summary) -> list[Problem]:
        schema = summary.schema
        if self.column is None or not self.to.strip():
            return [Problem("Nothing is renamed yet.", "Choose the column and type its new name.")]
        if self.column not in schema:
            return [Problem(f"There is no column {self.column!r}.", "Choose among those there are.", self.column)]
        if schema.index_of(self.column) == schema.class_index:
            remedy = "Rename it in the list of attributes."
            return [Problem(f"{self.column} is the column to predict: it keeps its name.", remedy, self.column)]
        if self.to.strip() in schema and self.to.strip() != self.column:
            return [Problem(f"Another column is named {self.to.strip()!r}.", "Choose another name.", self.column)]
        return []

    def fit(self, data: Dataset, context: RunContext) -> AttributeRenamed:
        """Check the names; raises :class:`DataError` for an unknown column or a name in use."""
        old, new = self.column or "", self.to.strip()
        if not old or not new:
            return AttributeRenamed("", "")
        if data.schema.index_of(old) == data.schema.class_index:
            raise DataError(f"{old} is the column to predict: it keeps its name.", place=old)
        if new in data.schema and new != old:
            raise DataError(f"Another column is named {new!r}.", remedy="Choose another name.", place=old)
        return AttributeRenamed(old, new)


class AttributesMoved(FittedFilter):
    """Orders the columns; unknown ones follow in their order."""

    id: ClassVar[str] = "attributes-moved"

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)

    def transform(self, data: Dataset) -> Dataset:
        positions = [data.schema.index_of(name) for name in self.names if name in data.schema]
        order = [*positions, *(i for i in range(len(data.schema)) if i not in set(positions))]
        return data if order == list(range(len(order))) else data.select_columns(order)

    def to_state(self) -> State:
        return State({"names": list(self.names)}, {})

    @classmethod
    def from_state(cls, state: State) -> Self:
        names = StoredState(state, "order of columns").names("names")
        if len(set(names)) < len(names):
            raise StoredState(state, "order of columns").damaged()
        return cls(names)


@dataclass(frozen=True, kw_only=True)
class MoveAttributes(Filter):
    """Moves columns first, last or into alphabetical order; learners break ties by column order."""

    id: ClassVar[str] = "move-attributes"
    name: ClassVar[str] = "Reorder attributes"
    sentence: ClassVar[str] = (
        "Puts attributes first, last or in alphabetical order. Of two equally good attributes learners take the first."
    )
    family: ClassVar[str] = "Columns"
    looks_at_records: ClassVar[bool] = False
    fitted: ClassVar[type[FittedFilter]] = AttributesMoved

    to: str = choice(
        "first",
        Option("first", "First", "Before all others."),
        Option("last", "Last", "After all others."),
        Option("name", "By name", "Alphabetical order, in the places they have."),
        label="Move",
        help="Where the attributes go.",
    )
    columns: tuple[str, ...] = columns((), label="Attributes", help="The attributes that move", without="all")

    def check(self, summary: Summary) -> list[Problem]:
        return [
            Problem(f"There is no column {name!r} to move.", "Choose among those there are.", name)
            for name in self.columns
            if name not in summary.schema
        ]

    def fit(self, data: Dataset, context: RunContext) -> AttributesMoved:
        names = data.schema.names
        moving = [names[data.schema.index_of(name)] for name in dict.fromkeys(self.columns or names)]
        others = [name for name in names if name not in set(moving)]
        if self.to == "name":
            places = sorted(names.index(name) for name in moving)
            ordered = list(names)
            for place, name in zip(places, sorted(moving, key=str.casefold), strict=True):
                ordered[place] = name
            return AttributesMoved(ordered)
        return AttributesMoved([*moving, *others] if self.to == "first" else [*others, *moving])


class KindsChanged(FittedFilter):
    """Converts columns to other kinds, invalid values to missing; ``patterns`` of dates, ``forms`` of numbers."""

    id: ClassVar[str] = "kinds-changed"

    def __init__(
        self,
        attributes: Sequence[Attribute],
        patterns: Mapping[str, str] | None = None,
        forms: Mapping[str, NumberFormat] | None = None,
    ) -> None:
        self.attributes = tuple(attributes)
        self.patterns, self.forms = dict(patterns or {}), dict(forms or {})

    def transform(self, data: Dataset) -> Dataset:
        replaced: dict[int, tuple[Attribute, Any]] = {}
        for attribute in self.attributes:
            if attribute.name in data.schema:
                index = data.schema.index_of(attribute.name)
                changed = replace(attribute, used=data.schema.attributes[index].used)
                given, name = data.schema.attributes[index], attribute.name
                pattern, form = self.patterns.get(name, ISO), self.forms.get(name, PLAIN)
                replaced[index] = (changed, _read(changed, given, data.column(index), pattern, form))
        return data.with_columns(replaced) if replaced else data

    def lists_of_numbers(self) -> dict[str, Attribute]:
        """The columns that become nominal, by name; numbers not among their values become missing."""
        return {attribute.name: attribute for attribute in self.attributes if attribute.kind.is_coded}

    def to_state(self) -> State:
        attributes = self.attributes
        names, kinds = [a.name for a in attributes], [str(a.kind) for a in attributes]
        values: dict[str, Any] = {"names": names, "kinds": kinds, "values": [list(a.values) for a in attributes]}
        if self.patterns:
            values["patterns"] = [self.patterns.get(n, ISO) for n in names]
        if self.forms:
            values["forms"] = [list(self.forms.get(n, PLAIN).to_state()) for n in names]
        return State(values, {})

    @classmethod
    def from_state(cls, state: State) -> Self:
        stored = StoredState(state, "kinds of columns")
        names, kinds = stored.names("names"), stored.names("kinds")
        values = stored.lists("values", len(names))
        if len(kinds) != len(names) or any(kind not in _KINDS for kind in kinds):
            raise stored.damaged()
        if any(len(set(entry)) < len(entry) for entry in values):
            raise stored.damaged()
        patterns = stored.names("patterns") if "patterns" in state.values else [ISO] * len(names)
        if len(patterns) != len(names) or any(entry not in KNOWN_FORMATS for entry in patterns):
            raise stored.damaged()
        parts = stored.lists("forms", len(names)) if "forms" in state.values else [PLAIN.to_state()] * len(names)
        forms = [NumberFormat.from_state(entry) for entry in parts]
        if None in forms:
            raise stored.damaged()
        attributes = [Attribute(n, AttributeKind(k), tuple(v)) for n, k, v in zip(names, kinds, values, strict=True)]
        return cls(
            attributes,
            {n: entry for n, entry in zip(names, patterns, strict=True) if entry != ISO},
            {n: entry for n, entry in zip(names, forms, strict=True) if entry is not None and entry != PLAIN},
        )


def _read(
    wanted: Attribute, given: Attribute, column: Column, pattern: str = ISO, form: NumberFormat = PLAIN
) -> Column:
    """The column converted to the wanted kind; unknown labels and invalid values are missing."""
    if wanted.kind.is_string or wanted.kind is given.kind is AttributeKind.NUMERIC:
        return column if given.kind.is_string or wanted.kind is AttributeKind.NUMERIC else as_strings(given, column)
    if wanted.kind.is_float and given.kind.is_float:
        return column
    distinct, places = _distinct(given, column)
    if wanted.kind is AttributeKind.NUMERIC:
        return np.array([*map(form.parse, distinct), np.nan], dtype=np.float64)[places]
    if wanted.kind is AttributeKind.DATE:
        return np.append(parse_dates(distinct, pattern), np.nan)[places]
    code_of = {value: code for code, value in enumerate(wanted.values)}
    codes = [*(code_of.get(label, -1) for label in distinct), -1]
    return np.asarray(np.array(codes, dtype=smallest_code_dtype(len(wanted.values)))[places])


def _distinct(given: Attribute, column: Column) -> tuple[Sequence[str], Column]:
    """The distinct labels of a column, and the index of each record's label; ``len(labels)`` if missing."""
    if given.kind.is_coded:
        return given.values, np.where(column < 0, len(given.values), column)
    places = np.zeros(len(column), dtype=np.int64)
    present = ~np.isnan(column)
    if given.kind.is_float:
        values, places[present] = np.unique(column[present] + 0.0, return_inverse=True)
        labels = as_strings(given, values).tolist()
    else:
        place_of: dict[str, int] = {}
        rows = np.flatnonzero(present)
        for start in range(0, len(rows), _BLOCK):
            block = rows[start : start + _BLOCK]
            places[block] = [place_of.setdefault(label, len(place_of)) for label in column[block].tolist()]
        labels = list(place_of)
    places[~present] = len(labels)
    return labels, places


@dataclass(frozen=True, kw_only=True)
class ChangeKind(Filter):
    """Converts columns to another kind (see :func:`algorithms.data.convert_kind.recast`)."""

    id: ClassVar[str] = "change-kind"
    name: ClassVar[str] = "Change kind"
    sentence: ClassVar[str] = (
        "Makes attributes numeric, nominal, ordinal, dates or text, for example codes that look like numbers."
    )
    family: ClassVar[str] = "Columns"
    fitted: ClassVar[type[FittedFilter]] = KindsChanged

    kind: str = choice(
        "nominal",
        Option("nominal", "Nominal", "Each distinct training value becomes a category."),
        Option("ordinal", "Ordinal", "As nominal, with an order: of numbers by size, of words by a known scale."),
        Option(
            "numeric",
            "Numeric",
            "Values that read as numbers, with one currency, a percent sign or none; the step refuses others.",
        ),
        Option(
            "date",
            "Date",
            "Days and times, written like 2024-01-31 or 31.01.2024; numbers are seconds since 1970. Not "
            "used in training, but in formulas: year([date]).",
        ),
        Option("text", "Text", "Not used in training."),
        Option("identifier", "Identifier", "Names of records, not used in training."),
        label="Kind",
        help="The kind of the values from here on.",
    )
    columns: tuple[str, ...] = columns((), label="Attributes", help="The attributes that get this kind.")

    def check(self, summary: Summary) -> list[Problem]:
        return problems_of_choice(summary, self.columns, _KINDS, do="change", done="changed", only=_ANY)

    def fit(self, data: Dataset, context: RunContext) -> KindsChanged:
        """Learn values and formats; raises :class:`DataError` for a value that does not fit the new kind."""
        attributes, patterns, forms = [], {}, {}
        for index in chosen(data.schema, self.columns, _KINDS) if self.columns else ():
            context.checkpoint()
            changed = recast(data, index, AttributeKind(self.kind), context.checkpoint)
            if changed is not data:
                given = data.schema.attributes[index]
                attributes.append(changed.schema.attributes[index])
                if self.kind in (AttributeKind.DATE.value, AttributeKind.NUMERIC.value) and not given.kind.is_float:
                    distinct, places = _distinct(given, data.column(index))
                    seen = [distinct[place] for place in np.unique(places).tolist() if place < len(distinct)]
                    if self.kind == AttributeKind.DATE.value:
                        patterns[given.name] = written_format(given, seen, context.checkpoint)
                    else:
                        forms[given.name] = written_numbers(given, seen, context.checkpoint)
        return KindsChanged(
            attributes,
            {name: form for name, form in patterns.items() if form != ISO},
            {name: form for name, form in forms.items() if form != PLAIN},
        )
