"""Cleaning rules: edits of a table that a rule can say, so that the next file of the same make gets them too.

A rule learns nothing. It names columns and values, and :meth:`CleaningRule.apply` changes a table as it was read. What
does not fit the table is no error: the rule changes the rest and says so, with a remedy. A rule that a table needs no
more (a column has its new name already) changes nothing. :class:`~algorithms.data.dataset.DataOrigin` keeps the rules
that made a data set, so a model trained on it has them, and edits of single cells are not among them.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import CoppiceError, DataError, ParameterError
from algorithms.core.parameters import Configurable, Option, Spelling, boolean, choice, column, columns, spelled, text
from algorithms.core.parameters import from_json as configurable_from_json
from algorithms.core.registry import RegistryShelf
from algorithms.core.run_control import RunContext
from algorithms.data.columns import STRING, Column, FloatArray, missing_mask, smallest_code_dtype
from algorithms.data.conditions import CellSearch, find_cells, replaced
from algorithms.data.convert_kind import (
    Checkpoint,
    as_strings,
    numbers_where_read,
    recast,
    written_format,
    written_numbers,
)
from algorithms.data.dataset import Dataset, ReplayedEdit
from algorithms.data.dates import ISO, KNOWN_FORMATS, parse_dates
from algorithms.data.editing import relabelled
from algorithms.data.number_formats import PLAIN, NumberForm, NumberFormat
from algorithms.data.schema import Attribute, AttributeKind, SchemaDifference, renamed
from algorithms.filters.arrange_attributes import RemoveAttributes, RenameAttribute
from algorithms.filters.computed_columns import FormulaColumn
from algorithms.filters.discretize import discretize_column
from algorithms.text.names import did_you_mean, shortened
from algorithms.text.sentences import and_more

_BLOCK: Final = 8192
_MOST_SHOWN: Final = 3
_LONGEST: Final = 30
REPLACE_OR_CORRECT: Final = "Correct these values in the file, or add a rule that replaces them."
ADD_OR_REMOVE: Final = "Add the column to the file, or remove the rule."
Rules = tuple["CleaningRule", ...]


def _texts_of(value: Any) -> tuple[str, ...]:
    """Texts from a list, or from "a; b" or JSON as typed; raises :class:`ParameterError`."""
    if isinstance(value, str):
        value = _json(value) if value.lstrip()[:1] == "[" else [part.strip() for part in value.split(";")]
    if not isinstance(value, list | tuple) or not all(isinstance(part, str) for part in value):
        raise ParameterError("A list of texts was expected.", remedy="Write them as n/a; k.A.; -999.")
    return tuple(dict.fromkeys(value))


def _pairs_of(value: Any) -> tuple[tuple[str, str], ...]:
    """Pairs of texts from a mapping, or from "old=new; other=new" or JSON as typed; raises :class:`ParameterError`."""
    if isinstance(value, str):
        is_json = value.lstrip()[:1] == "{"
        parts = [part.partition("=") for part in value.split(";") if part.strip()]
        value = _json(value) if is_json else {old.strip(): new.strip() for old, equals, new in parts if equals}
    pairs = tuple(value.items()) if isinstance(value, Mapping) else tuple(map(tuple, value or ()))
    if not all(len(pair) == 2 and all(isinstance(part, str) for part in pair) for pair in pairs):
        raise ParameterError("Values with their new names were expected.", remedy="Write them as old=new; other=new.")
    return pairs


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _date_format(value: Any) -> str:
    """A known format of dates; raises :class:`ParameterError`."""
    if value != ISO and value not in KNOWN_FORMATS:
        known = ", ".join(sorted(KNOWN_FORMATS | {ISO})[:_LONGEST])
        raise ParameterError(f"{value!r} is no known date format.", remedy=f"There are: {known}.", place="format")
    return str(value)


_TEXTS: Final = Spelling(_texts_of, lambda texts: json.dumps(list(texts), ensure_ascii=False))
_PAIRS: Final = Spelling(_pairs_of, lambda pairs: json.dumps(dict(pairs), ensure_ascii=False))


@dataclass(frozen=True, kw_only=True)
class CleaningRule(Configurable, ABC):
    """One rule with its parameters; equal rules are equal values."""

    @property
    @abstractmethod
    def words(self) -> str:
        """The rule in one line: "Rename column zip to postcode"."""

    @abstractmethod
    def apply(self, data: Dataset, checkpoint: Checkpoint) -> tuple[Dataset, Sequence[SchemaDifference]]:
        """The changed table, and what did not fit it; the same object if nothing changes."""

    def _absent(self, name: str, data: Dataset) -> list[SchemaDifference]:
        near = did_you_mean(name, data.schema.names)
        sentence = f"Column {name!r} is missing, so this was left out: {self.words}."
        return [SchemaDifference(name, sentence, remedy=f"{near} {ADD_OR_REMOVE}".strip())]

    def _absent_among(self, names: Sequence[str], data: Dataset) -> list[SchemaDifference]:
        return [misfit for name in names if name not in data.schema for misfit in self._absent(name, data)]

    def _misfit(self, name: str, n: int, values: Sequence[str], what: str) -> list[SchemaDifference]:
        """That ``n`` records with these values of a column did not fit; empty for none."""
        if not n:
            return []
        shown = ", ".join(repr(shortened(value, _LONGEST)) for value in values[:_MOST_SHOWN])
        more = ", ..." if len(values) > _MOST_SHOWN else ""
        where = "1 record" if n == 1 else f"{n:,} records"
        sentence = f"Column {name!r}: {where} with {shown}{more} {what}."
        return [SchemaDifference(name, sentence, remedy=REPLACE_OR_CORRECT)]


def _column(help: str) -> Any:
    return column(None, label="Attribute", help=help)


def _columns_in_words(names: Sequence[str]) -> str:
    return and_more([shortened(name, _LONGEST) for name in names], _MOST_SHOWN) or "all columns"


@dataclass(frozen=True, kw_only=True)
class RenameColumn(CleaningRule):
    """Gives a column another name; nothing to do where the new name is there and the old one is not."""

    id: ClassVar[str] = "rename-column"
    name: ClassVar[str] = "Rename column"
    sentence: ClassVar[str] = "Gives a column another name."

    column: str | None = _column("The column as the file names it.")
    to: str = text("", label="New name", help="Its name from here on.")

    @property
    def words(self) -> str:
        return f"Rename column {shortened(self.column or '', _LONGEST)} to {shortened(self.to, _LONGEST)}"

    def apply(self, data: Dataset, checkpoint: Checkpoint) -> tuple[Dataset, Sequence[SchemaDifference]]:
        name = self.column or ""
        if name not in data.schema:
            return data, [] if self.to in data.schema else self._absent(name, data)
        if self.to in data.schema or not self.to.strip():
            sentence = f"Column {name!r} keeps its name, since there is a column {self.to!r} already."
            return data, [SchemaDifference(name, sentence, remedy="Remove one of the two from the file.")]
        index = data.schema.index_of(name)
        attribute = renamed(data.schema.attributes[index], self.to)
        return data.with_schema(data.schema.with_attribute(index, attribute)), []


@dataclass(frozen=True, kw_only=True)
class RemoveColumns(CleaningRule):
    """Removes columns; those that a table lacks are no misfit."""

    id: ClassVar[str] = "remove-columns"
    name: ClassVar[str] = "Remove columns"
    sentence: ClassVar[str] = "Removes columns."

    columns: tuple[str, ...] = columns((), label="Attributes", help="The columns to remove.")

    @property
    def words(self) -> str:
        if len(self.columns) > _MOST_SHOWN:
            return f"Remove {len(self.columns):,} columns"
        names = ", ".join(shortened(name, _LONGEST) for name in self.columns)
        return f"Remove {'column' if len(self.columns) == 1 else 'columns'} {names}"

    def apply(self, data: Dataset, checkpoint: Checkpoint) -> tuple[Dataset, Sequence[SchemaDifference]]:
        gone = set(self.columns)
        kept = [index for index, name in enumerate(data.schema.names) if name not in gone]
        if not kept:
            sentence = "No column would be left, so none was removed."
            return data, [SchemaDifference(self.columns[0], sentence, remedy="Compare the file with an earlier one.")]
        return data if len(kept) == len(data.schema) else data.select_columns(kept), []


_DECIMALS: Final = {"point": ".", "comma": ","}
_THOUSANDS: Final = {"none": "", "point": ".", "comma": ",", "apostrophe": "'", "space": " "}


def _word_of(marks: Mapping[str, str], mark: str) -> str:
    return next(word for word, own in marks.items() if own == mark)


@dataclass(frozen=True, kw_only=True)
class ConvertColumn(CleaningRule):
    """Changes the kind of a column; numbers and dates are read in one stated form.

    A value that does not read in this form becomes missing and is reported. Values of an ordinal column keep the stated
    order; others come after them.
    """

    id: ClassVar[str] = "convert-column"
    name: ClassVar[str] = "Change kind of column"
    sentence: ClassVar[str] = "Changes the kind of a column, and reads its numbers or dates in a stated form."

    column: str | None = _column("The column to convert.")
    kind: str = choice(
        "numeric",
        *(Option(kind.value, kind.value.capitalize()) for kind in AttributeKind),
        label="Kind",
        help="The kind of its values from here on.",
    )
    decimal: str = choice(
        "point",
        *(Option(word, word.capitalize()) for word in _DECIMALS),
        label="Decimal mark",
        help="What stands before the decimals of a number.",
    )
    thousands: str = choice(
        "none",
        *(Option(word, word.capitalize()) for word in _THOUSANDS),
        label="Thousands mark",
        help="What separates the thousands of a number.",
    )
    unit: str = text("", label="Unit", help="The usual currency or percent sign, which is removed: EUR, %.")
    accounting: bool = boolean(
        False, label="Accounting form", help="Numbers in brackets, or with a minus behind, are negative."
    )
    format: str = spelled(
        ISO, Spelling(_date_format, str), label="Date format", help="The form of dates, such as %d.%m.%Y."
    )
    order: tuple[str, ...] = spelled((), _TEXTS, label="Order", help="The values of an ordinal column from the lowest.")

    @classmethod
    def of(
        cls,
        data: Dataset,
        index: int,
        kind: AttributeKind,
        checkpoint: Checkpoint,
        form: NumberFormat | None = None,
        order: Sequence[str] = (),
    ) -> ConvertColumn:
        """The rule that converts a column as it is here; raises :class:`DataError` if its values have no one form."""
        attribute = data.schema.attributes[index]
        reads = not attribute.kind.is_float and kind in (AttributeKind.NUMERIC, AttributeKind.DATE)
        labels = _labels(attribute, data.column(index), checkpoint) if reads and form is None else []
        if reads and form is None and kind is AttributeKind.NUMERIC:
            starts = range(0, len(labels), _BLOCK)
            is_plain = all(_is_plain(labels[start : start + _BLOCK], checkpoint) for start in starts)
            form = PLAIN if is_plain else written_numbers(attribute, labels, checkpoint)
        numbers = form or PLAIN
        return cls(
            column=attribute.name,
            kind=kind.value,
            decimal=_word_of(_DECIMALS, numbers.decimal),
            thousands=_word_of(_THOUSANDS, numbers.thousands),
            unit=numbers.unit,
            accounting=numbers.accounting,
            format=written_format(attribute, labels, checkpoint) if reads and kind is AttributeKind.DATE else ISO,
            order=tuple(order),
        )

    @property
    def numbers(self) -> NumberFormat:
        """The form of the numbers."""
        return NumberFormat(_DECIMALS[self.decimal], _THOUSANDS[self.thousands], self.unit, self.accounting)

    @property
    def words(self) -> str:
        marks = []
        if self.kind == AttributeKind.NUMERIC and self.numbers != PLAIN:
            marks = [f"decimal {self.decimal}"] if self.decimal != "point" else []
            marks += [f"thousands {self.thousands}"] if self.thousands != "none" else []
            marks += [self.unit] if self.unit else []
        elif self.kind == AttributeKind.DATE and self.format != ISO:
            marks = [self.format]
        form = f" ({', '.join(marks)})" if marks else ""
        return f"Change kind of {shortened(self.column or '', _LONGEST)} to {self.kind}{form}"

    def apply(self, data: Dataset, checkpoint: Checkpoint) -> tuple[Dataset, Sequence[SchemaDifference]]:
        name, kind = self.column or "", AttributeKind(self.kind)
        if name not in data.schema:
            return data, self._absent(name, data)
        index = data.schema.index_of(name)
        given = data.schema.attributes[index]
        if given.kind is kind and not self.order:
            return data, []
        if kind.is_coded or kind.is_string or given.kind.is_float:
            return self._as_labels(data, index, kind, checkpoint)
        before = missing_mask(given, data.column(index))
        if kind is AttributeKind.NUMERIC:
            changed = numbers_where_read(data, name, NumberForm(self.numbers, ()), checkpoint)
        else:
            dates = _parsed(data, index, lambda labels: parse_dates(labels, self.format, checkpoint), checkpoint)
            changed = data.with_column(index, replace(given, kind=kind, values=()), dates)
        lost = np.flatnonzero(np.isnan(changed.column(index)) & ~before)
        what = "numbers" if kind is AttributeKind.NUMERIC else "dates"
        blank, values = _blank(given, data.column(index), lost)
        misfits = self._misfit(name, len(lost) - blank, values, f"do not read as {what} and count as missing")
        return changed, misfits

    def _as_labels(
        self, data: Dataset, index: int, kind: AttributeKind, checkpoint: Checkpoint
    ) -> tuple[Dataset, Sequence[SchemaDifference]]:
        attribute = data.schema.attributes[index]
        try:
            changed = recast(data, index, kind, checkpoint)
        except DataError as error:
            return data, [SchemaDifference(attribute.name, error.sentence, remedy=error.remedy)]
        if kind is not AttributeKind.ORDINAL or not self.order:
            return changed, []
        given = changed.schema.attributes[index]
        new = tuple(value for value in given.values if value not in self.order)
        values = (*self.order, *new)
        if values == given.values:
            return changed, []
        codes = np.array([*map(values.index, given.values), -1], dtype=smallest_code_dtype(len(values)))
        codes = codes[changed.column(index)]
        n = int(np.count_nonzero(codes >= len(self.order)))
        misfits = self._misfit(attribute.name, n, new, "have no place in the order and come last")
        return changed.with_column(index, replace(given, values=values), codes), misfits


@dataclass(frozen=True, kw_only=True)
class RenameValues(CleaningRule):
    """Renames values of a column; values with the same new name are merged."""

    id: ClassVar[str] = "rename-values"
    name: ClassVar[str] = "Rename values"
    sentence: ClassVar[str] = "Renames values of a column, and merges those with the same new name."

    column: str | None = _column("The column with the values.")
    names: tuple[tuple[str, str], ...] = spelled(
        (), _PAIRS, label="Values", help="Values with their new names: BE=Bern; ZH=Zurich."
    )

    @property
    def words(self) -> str:
        name = shortened(self.column or "", _LONGEST)
        new = dict.fromkeys(to for _, to in self.names)
        if len(self.names) > 1 and len(new) == 1:
            return f"Merge {len(self.names):,} values of {name} into {shortened(next(iter(new)), _LONGEST)}"
        shown = [f"{shortened(a, _LONGEST)} to {shortened(b, _LONGEST)}" for a, b in self.names]
        return f"Rename in {name}: {and_more(shown, _MOST_SHOWN)}"

    def apply(self, data: Dataset, checkpoint: Checkpoint) -> tuple[Dataset, Sequence[SchemaDifference]]:
        name = self.column or ""
        if name not in data.schema:
            return data, self._absent(name, data)
        index, names = data.schema.index_of(name), dict(self.names)
        attribute = data.schema.attributes[index]
        if attribute.kind.is_string:
            return data.with_column(index, attribute, _changed_texts(data.column(index), names.get, checkpoint)), []
        if attribute.kind.is_float:
            present = np.unique(data.column(index)[~np.isnan(data.column(index))])
            labels = as_strings(attribute, present).tolist()
            if not set(labels) & set(names):
                return data, []
            try:
                data = recast(data, index, AttributeKind.NOMINAL, checkpoint)
            except DataError as error:
                return data, [SchemaDifference(name, error.sentence, remedy=error.remedy)]
            attribute = data.schema.attributes[index]
        here = {value: to for value, to in names.items() if value in attribute.values}
        return (relabelled(data, index, here) if here else data), []


@dataclass(frozen=True, kw_only=True)
class ReplaceText(CleaningRule):
    """Replaces a text in cells, as displayed; a cell that becomes empty is missing."""

    id: ClassVar[str] = "replace-text"
    name: ClassVar[str] = "Replace text"
    sentence: ClassVar[str] = "Replaces a text in the cells of some columns, or of all."

    old: str = text("", label="Text", help="The text to replace.")
    new: str = text("", label="New text", help="What stands there instead; nothing makes a whole cell missing.")
    columns: tuple[str, ...] = columns((), label="Attributes", help="Only in these", without="in all columns")
    whole: bool = boolean(False, label="Whole cell", help="Only where the text is all that stands in the cell.")
    match_case: bool = boolean(False, label="Match case", help="Capitals differ from small letters.")

    @property
    def words(self) -> str:
        what = f"{shortened(self.old, _LONGEST)!r} by {shortened(self.new, _LONGEST)!r}"
        return f"Replace {what} in {_columns_in_words(self.columns)}"

    def apply(self, data: Dataset, checkpoint: Checkpoint) -> tuple[Dataset, Sequence[SchemaDifference]]:
        misfits = self._absent_among(self.columns, data)
        for name in self.columns or data.schema.names:
            if not self.old or name not in data.schema:
                continue
            search = CellSearch(self.old, (name,), self.whole, self.match_case)
            try:
                data = self._in_column(data, data.schema.index_of(name), search, checkpoint)
            except DataError as error:
                misfits.append(SchemaDifference(name, error.sentence, remedy=REPLACE_OR_CORRECT))
        return data, misfits

    def _in_column(self, data: Dataset, index: int, search: CellSearch, checkpoint: Checkpoint) -> Dataset:
        attribute = data.schema.attributes[index]
        if not attribute.kind.is_string:
            cells = find_cells(data, search, checkpoint)
            return replaced(data, cells, search, self.new, checkpoint) if len(cells) else data

        def change(value: str) -> str | None:
            return search.replaced(value, self.new) if search.finds(value) else None

        return data.with_column(index, attribute, _changed_texts(data.column(index), change, checkpoint))


@dataclass(frozen=True, kw_only=True)
class MissingMarks(CleaningRule):
    """Makes cells missing that hold nothing but one of the marks, which no longer are values then."""

    id: ClassVar[str] = "missing-marks"
    name: ClassVar[str] = "Missing marks"
    sentence: ClassVar[str] = "Makes cells missing that hold a mark such as n/a or -999."

    marks: tuple[str, ...] = spelled((), _TEXTS, label="Marks", help="What stands for missing values: n/a; -999.")
    columns: tuple[str, ...] = columns((), label="Attributes", help="Only in these", without="in all columns")

    @property
    def words(self) -> str:
        marks = ", ".join(repr(shortened(mark, _LONGEST)) for mark in self.marks[:_MOST_SHOWN])
        more = ", ..." if len(self.marks) > _MOST_SHOWN else ""
        return f"Count {marks}{more} as missing in {_columns_in_words(self.columns)}"

    def apply(self, data: Dataset, checkpoint: Checkpoint) -> tuple[Dataset, Sequence[SchemaDifference]]:
        misfits = self._absent_among(self.columns, data)
        changed: dict[int, tuple[Attribute, Column]] = {}
        for name in self.columns or data.schema.names:
            if name in data.schema:
                checkpoint()
                index = data.schema.index_of(name)
                new = self._marked(data.schema.attributes[index], data.column(index), checkpoint)
                changed |= {} if new is None else {index: new}
        return (data.with_columns(changed) if changed else data), misfits

    def _marked(self, given: Attribute, values: Column, checkpoint: Checkpoint) -> tuple[Attribute, Column] | None:
        """The attribute and its column without the marks; None where there is none."""
        if given.kind.is_coded:
            kept = tuple(value for value in given.values if value.strip() not in self.marks)
            code = {value: number for number, value in enumerate(kept)}
            table = np.array([*(code.get(v, -1) for v in given.values), -1], dtype=smallest_code_dtype(len(kept)))
            return None if len(kept) == len(given.values) else (replace(given, values=kept), table[values])
        if given.kind.is_string:
            marks = set(self.marks)
            return given, _changed_texts(values, lambda value: "" if value.strip() in marks else None, checkpoint)
        numbers = [number for number in map(PLAIN.parse, self.marks) if not np.isnan(number)]
        hit = np.isin(values, numbers) if numbers and given.kind is AttributeKind.NUMERIC else np.zeros(0, np.bool_)
        return (given, np.where(hit, np.nan, values)) if hit.any() else None


@dataclass(frozen=True, kw_only=True)
class CutColumn(CleaningRule):
    """Discretizes a numeric column at stated values, in place or as a new column."""

    id: ClassVar[str] = "cut-column"
    name: ClassVar[str] = "Cut column"
    sentence: ClassVar[str] = "Cuts a numeric column into ranges at stated values."

    column: str | None = _column("The column to cut.")
    cuts: tuple[str, ...] = spelled((), _TEXTS, label="Cuts", help="The values at which ranges begin: 18; 65.")
    keep: bool = boolean(False, label="Keep numbers", help="The ranges become a new column beside the numbers.")

    @property
    def words(self) -> str:
        return f"Cut {shortened(self.column or '', _LONGEST)} into {len(self.cuts) + 1:,} ranges"

    def apply(self, data: Dataset, checkpoint: Checkpoint) -> tuple[Dataset, Sequence[SchemaDifference]]:
        name = self.column or ""
        if name not in data.schema:
            return data, self._absent(name, data)
        index = data.schema.index_of(name)
        try:
            data = recast(data, index, AttributeKind.NUMERIC, checkpoint)
            cuts = tuple(map(float, self.cuts))
            return discretize_column(data, index, cuts, keep=self.keep, found_in_data=False), []
        except (DataError, ValueError) as error:
            sentence = error.sentence if isinstance(error, DataError) else f"The cuts of {name!r} are no numbers."
            return data, [SchemaDifference(name, sentence, remedy=REPLACE_OR_CORRECT)]


@dataclass(frozen=True, kw_only=True)
class AddFormula(CleaningRule):
    """Adds a column computed by a formula from columns of the same record."""

    id: ClassVar[str] = "add-formula"
    name: ClassVar[str] = "Formula column"
    sentence: ClassVar[str] = "Adds a column computed by a formula."

    to: str = text("result", label="New name", help="The name of the new column.")
    formula: str = text("", label="Formula", help="As in the step Formula column.", formulas=True)
    texts: str = choice(
        "auto",
        *FormulaColumn.parameter("texts").options,
        label="Texts become",
        help="The kind of a column of texts, as in the step Formula column.",
        earlier="auto",
    )

    @property
    def words(self) -> str:
        return f"Add {shortened(self.to, _LONGEST)} = {shortened(self.formula, 2 * _LONGEST)}"

    def apply(self, data: Dataset, checkpoint: Checkpoint) -> tuple[Dataset, Sequence[SchemaDifference]]:
        if self.to in data.schema:
            sentence = f"There is a column {self.to!r} already, so this was left out: {self.words}."
            return data, [SchemaDifference(self.to, sentence, remedy="Rename the column in the file.")]
        try:
            fitted = FormulaColumn(to=self.to, formula=self.formula, texts=self.texts).fit(data, RunContext())
        except CoppiceError as error:
            return data, [SchemaDifference(self.to, error.sentence, remedy=error.remedy or ADD_OR_REMOVE)]
        return fitted.transform_watched(data, checkpoint), []


RULES: Final[RegistryShelf[type[CleaningRule]]] = RegistryShelf("cleaning rule")
"""All kinds of rules, in the order of lists."""
RULES.add(RenameColumn.id, RenameColumn)
RULES.add(RemoveColumns.id, RemoveColumns)
RULES.add(ConvertColumn.id, ConvertColumn)
RULES.add(RenameValues.id, RenameValues)
RULES.add(ReplaceText.id, ReplaceText)
RULES.add(MissingMarks.id, MissingMarks)
RULES.add(CutColumn.id, CutColumn)
RULES.add(AddFormula.id, AddFormula)


def rules_from_json(stored: Sequence[Any]) -> Rules:
    """The rules from their JSON forms; raises :class:`ParameterError` or :class:`UnknownIdError`."""
    rules = (configurable_from_json(entry, RULES.get) for entry in stored)
    return tuple(rule for rule in rules if isinstance(rule, CleaningRule))


def cleaned(
    data: Dataset, rules: Sequence[ReplayedEdit], checkpoint: Checkpoint = lambda: None
) -> tuple[Dataset, list[SchemaDifference]]:
    """The table after all rules in order, which its origin names then, and what did not fit, each column once."""
    misfits: dict[tuple[str, bool], SchemaDifference] = {}
    for rule in rules:
        checkpoint()
        data, differences = rule.apply(data, checkpoint)
        for difference in differences:
            misfits.setdefault((difference.column, difference.column in data.schema), difference)
    return kept_with(data, rules), list(misfits.values())


def kept_with(data: Dataset, rules: Sequence[ReplayedEdit]) -> Dataset:
    """The data set whose origin says that these rules made it, after those that it names already."""
    origin = data.origin
    return data.with_origin(replace(origin, cleaning=(*origin.cleaning, *rules))) if rules else data


def rules_of_step(step: Configurable) -> Rules:
    """The rules that do what a step of a recipe does; empty for a step that learns."""
    if isinstance(step, FormulaColumn) and step.formula.strip():
        return (AddFormula(to=step.to.strip() or "result", formula=step.formula.strip(), texts=step.texts),)
    if isinstance(step, RemoveAttributes) and step.columns:
        return (RemoveColumns(columns=step.columns),)
    if isinstance(step, RenameAttribute) and step.column and step.to.strip():
        return (RenameColumn(column=step.column, to=step.to.strip()),)
    return ()


def _labels(attribute: Attribute, values: Column, checkpoint: Checkpoint) -> list[str]:
    """The distinct labels of a column of codes or texts."""
    if attribute.kind.is_coded:
        return [attribute.values[code] for code in np.unique(values[values >= 0]).tolist()]
    distinct: dict[str, None] = {}
    present = np.flatnonzero(~np.isnan(values))
    for start in range(0, len(present), _BLOCK):
        checkpoint()
        distinct.update(dict.fromkeys(values[present[start : start + _BLOCK]].tolist()))
    return list(distinct)


def _is_plain(labels: Sequence[str], checkpoint: Checkpoint) -> bool:
    """Whether all labels are numbers with a decimal point, or blank."""
    checkpoint()
    return PLAIN.match_all([label for label in labels if label.strip()])


def converted(data: Dataset, index: int, kind: AttributeKind, checkpoint: Checkpoint = lambda: None) -> Dataset:
    """The data with a column of another kind, strictly (see ``recast``), and the rule that does the same."""
    changed = recast(data, index, kind, checkpoint)
    if changed is data:
        return data
    order = changed.schema.attributes[index].values if kind is AttributeKind.ORDINAL else ()
    return kept_with(changed, (ConvertColumn.of(data, index, kind, checkpoint, order=order),))


def rebuilt(
    base: Dataset, now: Dataset, rules: Sequence[ReplayedEdit], checkpoint: Checkpoint = lambda: None
) -> Dataset:
    """The table ``base`` after more rules, with the class and the used attributes of ``now``.

    Raises :class:`DataError` with the first thing that does not fit.
    """
    data, misfits = cleaned(base, rules, checkpoint)
    if misfits:
        raise DataError(misfits[0].sentence, remedy="Nothing was changed. Remove or change that rule first.")
    used = {attribute.name: attribute.used for attribute in now.schema.attributes}
    schema = data.schema
    for index, attribute in enumerate(schema.attributes):
        schema = schema.with_attribute(index, replace(attribute, used=used.get(attribute.name, attribute.used)))
    is_class = now.schema.class_index is not None and now.schema.class_attribute.name in schema
    return data.with_schema(schema.with_class(now.schema.class_attribute.name) if is_class else schema)


def is_replayed(before: Dataset, after: Dataset) -> bool:
    """Whether an edit between two data sets was one of rules, or of the class and the used attributes alone."""
    if before is after or before.origin.cleaning != after.origin.cleaning:
        return True
    if len(before) != len(after) or before.schema.names != after.schema.names:
        return False
    kinds = ([(a.kind, a.values) for a in data.schema.attributes] for data in (before, after))
    same = all(before.same_column(index, after, index) for index in range(len(before.schema)))
    return next(kinds) == next(kinds) and same and np.array_equal(before.row_ids, after.row_ids)


def _blank(attribute: Attribute, values: Column, rows: NDArray[np.int64]) -> tuple[int, list[str]]:
    """The number of blank texts in these rows, and the distinct others."""
    own = values[rows].tolist()
    texts = [attribute.values[code] for code in own] if attribute.kind.is_coded else own
    return sum(not value.strip() for value in texts), list(dict.fromkeys(value for value in texts if value.strip()))


def _parsed(
    data: Dataset, index: int, parse: Callable[[Sequence[str]], FloatArray], checkpoint: Checkpoint
) -> FloatArray:
    """The parsed labels of a column of codes or texts (n,), NaN where missing."""
    attribute, values = data.schema.attributes[index], data.column(index)
    if attribute.kind.is_coded:
        table: FloatArray = np.append(parse(attribute.values), np.nan)
        return table[values]
    parsed, present = np.full(len(values), np.nan), np.flatnonzero(~np.isnan(values))
    for start in range(0, len(present), _BLOCK):
        checkpoint()
        rows = present[start : start + _BLOCK]
        parsed[rows] = parse(values[rows].tolist())
    return parsed


def _changed_texts(values: Column, change: Callable[[str], str | None], checkpoint: Checkpoint) -> Column:
    """The texts (n,) with those replaced for which ``change`` returns another; an empty one is missing."""
    texts = values.copy()
    for start in range(0, len(values), _BLOCK):
        checkpoint()
        rows = np.flatnonzero(~np.isnan(values[start : start + _BLOCK])) + start
        new = [(value, change(value)) for value in values[rows].tolist()]
        block = [old if to is None else to or np.nan for old, to in new]
        texts[rows] = np.array(block, dtype=STRING)
    return texts
