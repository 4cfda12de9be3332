"""Conditions on records, and text search in cells, by kind of attribute; only "is missing" matches a missing value."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.data.columns import Column, IntArray, Mask, missing_mask
from algorithms.data.convert_kind import cell_texts
from algorithms.data.dataset import Dataset
from algorithms.data.editing import UnknownValueError, read_cell, with_texts
from algorithms.data.schema import Attribute, AttributeKind

Checkpoint = Callable[[], None]

_BLOCK: Final = 8192


class Relation(StrEnum):
    """Relation between a record's value and the value of a condition."""

    IS = "is"
    IS_NOT = "is not"
    LESS = "is less than"
    AT_MOST = "is at most"
    AT_LEAST = "is at least"
    MORE = "is more than"
    CONTAINS = "contains"
    CONTAINS_NOT = "does not contain"
    BEGINS = "begins with"
    ENDS = "ends with"
    MISSING = "is missing"
    PRESENT = "is not missing"

    @property
    def needs_value(self) -> bool:
        return self not in (Relation.MISSING, Relation.PRESENT)


class Join(StrEnum):
    """Whether all conditions must hold, or any one."""

    ALL = "all"
    ANY = "any"


@dataclass(frozen=True)
class RecordCondition:
    """A condition such as "age is at least 18": the attribute by name, the value as typed."""

    attribute: str
    relation: Relation
    value: str = ""

    def __str__(self) -> str:
        return f"{self.attribute} {self.relation}" + (f" {self.value}" if self.relation.needs_value else "")


_ORDERED: Final = (Relation.IS, Relation.IS_NOT, Relation.LESS, Relation.AT_MOST, Relation.AT_LEAST, Relation.MORE)
_SPELLED: Final = (Relation.CONTAINS, Relation.CONTAINS_NOT, Relation.BEGINS, Relation.ENDS)
_MISSING: Final = (Relation.MISSING, Relation.PRESENT)


def relations(kind: AttributeKind) -> tuple[Relation, ...]:
    """The relations that apply to a kind of attribute, the most usual first."""
    if kind.is_float or kind is AttributeKind.ORDINAL:
        return (*_ORDERED, *_MISSING)
    return (Relation.IS, Relation.IS_NOT, *_SPELLED, *_MISSING)


def matching(
    data: Dataset, conditions: Sequence[RecordCondition], join: Join = Join.ALL, checkpoint: Checkpoint = lambda: None
) -> Mask:
    """Mask (n,) of the records that satisfy all or any conditions; raises :class:`DataError` for an invalid one."""
    if not conditions:
        return np.ones(len(data), dtype=np.bool_)
    masks = (matches(data, condition, checkpoint) for condition in conditions)
    joined = next(masks)
    for mask in masks:
        joined = joined & mask if join is Join.ALL else joined | mask
    return joined


def check(attribute: Attribute, condition: RecordCondition) -> None:
    """Raise :class:`DataError` if the condition does not apply to this attribute."""
    if condition.relation not in relations(attribute.kind):
        raise DataError(
            f"{attribute.name!r} is {attribute.kind.value}: it cannot be asked whether it {condition.relation}.",
            place=attribute.name,
        )
    if condition.relation.needs_value:
        _asked(attribute, condition)


def matches(data: Dataset, condition: RecordCondition, checkpoint: Checkpoint = lambda: None) -> Mask:
    """Mask (n,) of the records that satisfy one condition; see :func:`matching`."""
    index = data.schema.index_of(condition.attribute)
    attribute = data.schema.attributes[index]
    check(attribute, condition)
    checkpoint()
    column, relation = data.column(index), condition.relation
    missing = missing_mask(attribute, column)
    if relation is Relation.MISSING:
        return missing
    if relation is Relation.PRESENT:
        return ~missing
    asked = _asked(attribute, condition)
    if attribute.kind.is_float or attribute.kind is AttributeKind.ORDINAL:
        return _compared(column, relation, asked) & ~missing
    if attribute.kind.is_coded:
        labels: Column = np.array([*(_spelled(value, relation, asked) for value in attribute.values), False])
        return labels[column].astype(np.bool_) & ~missing
    return _texts_match(column, missing, relation, asked, checkpoint)


def _asked(attribute: Attribute, condition: RecordCondition) -> Any:
    """The value of the condition in the column's type: a number, a rank, or case-folded text."""
    if not condition.value.strip():
        raise DataError("The condition needs a value.", remedy="Type or choose one.", place=attribute.name)
    if attribute.kind.is_float:
        return read_cell(attribute, condition.value)
    if attribute.kind is AttributeKind.ORDINAL:
        try:
            return read_cell(attribute, condition.value)
        except UnknownValueError as unknown:
            raise DataError(
                f"{attribute.name!r} has no value {unknown.value!r}.", remedy="Choose one of its values."
            ) from None
    if attribute.kind.is_coded and condition.relation in (Relation.IS, Relation.IS_NOT):
        return condition.value if condition.value in attribute.values else condition.value.strip()
    return condition.value.casefold()


def _compared(column: Column, relation: Relation, asked: float) -> Mask:
    compare = {
        Relation.IS: np.equal,
        Relation.IS_NOT: np.not_equal,
        Relation.LESS: np.less,
        Relation.AT_MOST: np.less_equal,
        Relation.AT_LEAST: np.greater_equal,
        Relation.MORE: np.greater,
    }[relation]
    mask: Mask = compare(column, asked)
    return mask


def _spelled(value: str, relation: Relation, asked: str) -> bool:
    """Whether a label is in this relation to the condition's text."""
    if relation in (Relation.IS, Relation.IS_NOT):
        return (value == asked) is (relation is Relation.IS)
    folded = value.casefold()
    if relation in (Relation.CONTAINS, Relation.CONTAINS_NOT):
        return (asked in folded) is (relation is Relation.CONTAINS)
    return folded.startswith(asked) if relation is Relation.BEGINS else folded.endswith(asked)


def _texts_match(column: Column, missing: Mask, relation: Relation, asked: str, checkpoint: Checkpoint) -> Mask:
    """Mask (n,) of :func:`_spelled` for a column of text, ignoring case, in short blocks."""
    mask = np.zeros(len(column), dtype=np.bool_)
    for start in range(0, len(column), _BLOCK):
        checkpoint()
        here = np.flatnonzero(~missing[start : start + _BLOCK]) + start
        texts = [text.casefold() for text in column[here].tolist()]
        mask[here] = [_spelled(text, relation, asked) for text in texts]
    return mask


_SEARCH_BLOCK: Final = 4096
_IN_NUMBERS: Final = re.compile(r"[-+.e\d]*", re.IGNORECASE)
_IN_DATES: Final = re.compile(r"[-:. \d]*")


@dataclass(frozen=True)
class CellSearch:
    """A text search in any part of a cell, or in the ``whole`` cell; in some columns or in all (None)."""

    text: str
    columns: tuple[str, ...] | None = None
    whole: bool = False
    match_case: bool = False

    def finds(self, text: str) -> bool:
        sought, text = (self.text, text) if self.match_case else (self.text.casefold(), text.casefold())
        return text == sought if self.whole else sought in text

    def replaced(self, text: str, by: str) -> str:
        """The text with every match replaced."""
        if self.whole:
            return by
        return re.sub(re.escape(self.text), lambda _: by, text, flags=re.NOFLAG if self.match_case else re.IGNORECASE)

    def could_be_in(self, attribute: Attribute) -> bool:
        """Whether the search includes this attribute's column, and its kind could contain such a text."""
        if self.columns is not None and attribute.name not in self.columns:
            return False
        if attribute.kind.is_float:
            written = _IN_DATES if attribute.kind is AttributeKind.DATE else _IN_NUMBERS
            return written.fullmatch(self.text) is not None
        return True


@dataclass(frozen=True, eq=False)
class CellMatches:
    """Matching cells (m,) by row and column, sorted by row, then column."""

    rows: IntArray
    columns: IntArray

    def __len__(self) -> int:
        return len(self.rows)


def find_cells(data: Dataset, search: CellSearch, checkpoint: Checkpoint = lambda: None) -> CellMatches:
    """All cells that match the search, compared as displayed; missing cells never match."""
    rows: list[IntArray] = []
    columns: list[IntArray] = []
    for index, attribute in enumerate(data.schema.attributes):
        checkpoint()
        if search.text and search.could_be_in(attribute):
            here = _rows_found(attribute, data.column(index), search, checkpoint)
            rows.append(here)
            columns.append(np.full(len(here), index))
    if not rows:
        return CellMatches(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
    all_rows, all_columns = np.concatenate(rows), np.concatenate(columns)
    order = np.lexsort((all_columns, all_rows))
    return CellMatches(all_rows[order], all_columns[order])


def _rows_found(attribute: Attribute, column: Column, search: CellSearch, checkpoint: Checkpoint) -> IntArray:
    if attribute.kind.is_coded:
        labels = np.array([*(search.finds(value) for value in attribute.values), False])
        return np.flatnonzero(labels[column])
    rows: list[NDArray[np.int64]] = []
    for start in range(0, len(column), _SEARCH_BLOCK):
        checkpoint()
        texts = cell_texts(attribute, column[start : start + _SEARCH_BLOCK])
        here = [number for number, text in enumerate(texts) if text is not None and search.finds(text)]
        rows.append(np.array(here, dtype=np.int64) + start)
    return np.concatenate(rows) if rows else np.empty(0, dtype=np.int64)


def replaced(
    data: Dataset, found: CellMatches, search: CellSearch, by: str, checkpoint: Checkpoint = lambda: None
) -> Dataset:
    """The data with these matches replaced and new labels added; raises :class:`DataError` if any text is invalid."""
    before = data.schema
    for index in np.unique(found.columns).tolist():
        attribute = before.attributes[index]
        rows = found.rows[found.columns == index]
        texts: list[str] = []
        for start in range(0, len(rows), _SEARCH_BLOCK):
            checkpoint()
            present = cell_texts(attribute, data.cells(index, rows[start : start + _SEARCH_BLOCK]))
            texts += [search.replaced(text, by) if text is not None else "" for text in present]
        try:
            data = with_texts(data, index, rows, texts, add_values=True)
        except DataError as error:
            sentence = f"In {attribute.name!r}: {error.sentence}"
            raise DataError(sentence, remedy="Nothing was replaced.", place=attribute.name) from None
    return data
