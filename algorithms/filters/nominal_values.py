"""Encoding of nominal attributes as numbers, and merging of their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.core.context import RunContext
from algorithms.core.errors import DataError
from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import Problem, State
from algorithms.core.parameters import Option, choice, columns, integer, real, text, when
from algorithms.core.resampling import inner_fold_numbers
from algorithms.data.alignment import RareLabels
from algorithms.data.columns import FloatArray, smallest_code_dtype
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, free_name, numeric
from algorithms.data.summary import Summary
from algorithms.data.synthetic_ids import kin_of
from algorithms.filters.checks import StoredState, chosen, problems_of_choice

_LISTS: Final = (AttributeKind.NOMINAL, AttributeKind.ORDINAL)
MOST_COLUMNS: Final = 2000
"""A list of more values than this does not become a column for each."""


@dataclass(frozen=True, eq=False)
class Code:
    """What stands in the place of one column: ``table`` (v + 1, c) has the numbers of each of ``values``, and at its
    end those where it is missing or unknown; ``columns`` names the c columns."""

    name: str
    values: tuple[str, ...]
    columns: tuple[str, ...]
    table: FloatArray


class Encoded(FittedFilter):
    """Puts columns of numbers in the place of each column of values."""

    id: ClassVar[str] = "encoded"

    def __init__(self, codes: Sequence[Code]) -> None:
        self.codes = tuple(codes)

    def transform(self, data: Dataset) -> Dataset:
        return self.with_tables(data, {})

    def with_tables(self, data: Dataset, own: dict[str, FloatArray]) -> Dataset:
        """The data encoded; columns in ``own`` get these numbers (n, c) rather than those of the table."""
        found: dict[int, tuple[Code, FloatArray]] = {}
        for code in self.codes:
            if code.name not in data.schema:
                continue
            index = data.schema.index_of(code.name)
            if data.schema.attributes[index].kind.is_coded:
                numbers = own[code.name] if code.name in own else code.table[places(data, index, code.values)]
                found[index] = (code, numbers)
        return _in_place(data, found)

    def found(self) -> list[list[str]]:
        """The numbers that stand for each value, and for none; nothing where the names of the columns say it."""
        headings = [
            [column.removeprefix(code.name).strip(" :") or "Number" for column in code.columns] for code in self.codes
        ]
        longest = max(headings, key=len, default=[])
        if not longest or any(heading.startswith("=") for own in headings for heading in own):
            return []
        rows = [
            [f"{code.name} = {value}" if at < len(code.values) else f"{code.name} is missing"]
            + [""] * (len(longest) - len(code.columns))
            + [f"{number:.4g}" if number == number else "missing" for number in numbers]
            for code in self.codes
            for at, (value, numbers) in enumerate(zip((*code.values, ""), code.table.tolist(), strict=True))
        ]
        return [["Value", *longest], *rows]

    def to_state(self) -> State:
        codes = self.codes
        values = {
            "names": [code.name for code in codes],
            "values": [list(code.values) for code in codes],
            "columns": [list(code.columns) for code in codes],
        }
        tables = [code.table.ravel() for code in codes]
        return State(values, {"numbers": np.concatenate([np.zeros(0), *tables])})

    @classmethod
    def from_state(cls, state: State) -> Self:
        stored = StoredState(state, "codes of values")
        names = stored.names("names")
        values, named = stored.lists("values", len(names)), stored.lists("columns", len(names))
        sizes = [(len(v) + 1) * len(c) for v, c in zip(values, named, strict=True)]
        parts = np.split(stored.numbers("numbers", sum(sizes)), np.cumsum(sizes)[:-1]) if sizes else []
        every = [column for columns in named for column in columns]
        if len(set(every)) < len(every) or not all(named) or any(np.any(np.isinf(part)) for part in parts):
            raise stored.damaged()
        whole = zip(names, values, named, parts, strict=True)
        return cls([Code(n, tuple(v), tuple(c), part.reshape(len(v) + 1, len(c))) for n, v, c, part in whole])


def places(data: Dataset, index: int, values: Sequence[str]) -> NDArray[np.int64]:
    """For each record (n,) which of ``values`` it has, ``len(values)`` where it has none of them."""
    place_of = {value: place for place, value in enumerate(values)}
    own = data.schema.attributes[index].values
    table = np.array([*(place_of.get(value, len(values)) for value in own), len(values)], dtype=np.int64)
    return np.asarray(table[data.column(index)])


def _in_place(data: Dataset, found: dict[int, tuple[Code, FloatArray]]) -> Dataset:
    """The data with the columns of each code where its column was; a name that is taken gets a number."""
    if not found:
        return data
    taken = {name for i, name in enumerate(data.schema.names) if i not in found}
    attributes: list[Attribute] = []
    contents: list[Any] = []
    class_at = None
    for index, attribute in enumerate(data.schema.attributes):
        if index not in found:
            class_at = len(attributes) if index == data.schema.class_index else class_at
            attributes.append(attribute)
            contents.append(data.column(index))
            continue
        code, numbers = found[index]
        for at, column in enumerate(code.columns):
            name = free_name(column, taken)
            taken.add(name)
            attributes.append(numeric(name) if attribute.used else Attribute(name, AttributeKind.NUMERIC, used=False))
            contents.append(np.ascontiguousarray(numbers[:, at]))
    return data.remade(attributes, contents, class_at)


@dataclass(frozen=True, kw_only=True)
class Encode(Filter):
    """Puts numbers in the place of values: a column for each, their rank, their code in bits, or what the class does.

    By the class: the share of each class among the training records with the value, drawn towards the share among all
    where they are few (Micci-Barreca 2001): ``weight * share + (1 - weight) * share of all``, the weight of n records
    being ``1 / (1 + exp((midpoint - n) / steepness))`` or ``n / (n + records)``. A value never seen gets the share of
    all, a missing one counts as a value. A training record is encoded by what the other folds of an inner split say,
    never by its own class.
    """

    id: ClassVar[str] = "encode"
    name: ClassVar[str] = "Turn values into numbers"
    sentence: ClassVar[str] = (
        "Puts numbers in the place of values of a list, for learners that take numbers only: yes or no for each value, "
        "ranks, or how often each class occurs with the value."
    )
    family: ClassVar[str] = "Values of lists"
    adds_columns: ClassVar[bool] = True
    fitted: ClassVar[type[FittedFilter]] = Encoded

    by: str = choice(
        "one-of-k",
        Option("one-of-k", "one column a value", "1 where the record has the value, else 0. Of two values one column."),
        Option("ordinal", "by rank", "0 for the first value of the list, 1 for the second, and so on."),
        Option("binary", "in bits", "The rank in binary digits: few columns for many values."),
        Option("target", "by the class", "How often each class occurs with the value. For lists of many values."),
        label="Numbers",
        help="What takes the place of a value.",
    )
    smoothing: str = choice(
        "sigmoid",
        Option("sigmoid", "by a curve", "Values of few records are held to the share of all along an S-shaped curve."),
        Option("m-estimate", "by so many records", "As if so many more records had the shares of all records."),
        label="Held to the average",
        help="How shares that rest on few records are drawn towards those of all records.",
        enabled_if=when("by", "target"),
    )
    midpoint: float = real(
        20.0,
        lo=0,
        label="Half trusted at",
        help="A value of so many records counts half.",
        unit="records",
        enabled_if=when("by", "target") & when("smoothing", "sigmoid"),
    )
    steepness: float = real(
        10.0,
        lo=0.01,
        label="Steepness",
        help="How slowly the trust grows with the records; small is sudden.",
        unit="records",
        enabled_if=when("by", "target") & when("smoothing", "sigmoid"),
        advanced=True,
    )
    records: float = real(
        10.0,
        lo=0,
        label="As many more",
        help="So many records with the shares of all are added to each value.",
        unit="records",
        enabled_if=when("by", "target") & when("smoothing", "m-estimate"),
    )
    folds: int = integer(
        5,
        lo=2,
        hi=100,
        label="Inner folds",
        help="Training records are encoded by the other folds, so that none sees its own class.",
        enabled_if=when("by", "target"),
        advanced=True,
    )
    columns: tuple[str, ...] = columns(
        (), label="Columns", help="Only these are written otherwise.", without="all lists of values"
    )

    def check(self, summary: Summary) -> list[Problem]:
        only = "only values of a list are turned into numbers"
        problems = problems_of_choice(summary, self.columns, _LISTS, do="turn into numbers", done="changed", only=only)
        schema = summary.schema
        if self.by == "target" and (schema.class_index is None or not schema.class_attribute.kind.is_coded):
            remedy = "Choose the column to predict, or other numbers."
            problems.append(Problem("No class is chosen to encode by.", remedy))
        if self.by == "one-of-k" and not problems:
            lists = [schema.attributes[i] for i in self._chosen(schema)]
            problems += [_too_long(attribute) for attribute in lists if len(attribute.values) > MOST_COLUMNS]
        return problems

    def _chosen(self, schema: Schema) -> list[int]:
        return chosen(schema, self.columns, _LISTS)

    def fit(self, data: Dataset, context: RunContext) -> Encoded:
        """The numbers of each value; raises :class:`DataError` where :meth:`check` finds a problem."""
        if self.by == "target" and (data.schema.class_index is None or not data.schema.class_attribute.kind.is_coded):
            raise DataError("No class is chosen to encode by.", remedy="Choose the column to predict.")
        codes = []
        for index in self._chosen(data.schema):
            context.checkpoint()
            attribute = data.schema.attributes[index]
            if self.by == "one-of-k" and len(attribute.values) > MOST_COLUMNS:
                problem = _too_long(attribute)
                raise DataError(problem.sentence, remedy=problem.remedy, place=attribute.name)
            codes.append(self._code(attribute, data, index))
        return Encoded(codes)

    def learn(self, data: Dataset, context: RunContext) -> tuple[FittedFilter, Dataset]:
        """As :meth:`Filter.learn`; by the class each training record gets what the other folds say."""
        fitted = self.fit(data, context)
        if self.by != "target":
            return fitted, fitted.transform(data)
        fold = inner_fold_numbers(data, min(self.folds, max(1, len(data))), context.random())
        fold[fold < 0] = self.folds  # records that were made up: encoded by all of the table's own
        own = {}
        for code in fitted.codes:
            context.checkpoint()
            own[code.name] = self._by_other_folds(data, data.schema.index_of(code.name), fold)
        return fitted, fitted.with_tables(data, own)

    def _code(self, attribute: Attribute, data: Dataset, index: int) -> Code:
        k, name = len(attribute.values), attribute.name
        if self.by == "target":
            counts = self._counts(data, index)
            classes = data.schema.classes
            kept = range(1, 2) if len(classes) == 2 else range(len(classes))
            named = tuple(f"{name}: share of {classes[at]}" for at in kept)
            return Code(name, attribute.values, named, self._shares(counts, counts.sum(axis=0)))
        if self.by == "ordinal":
            return Code(name, attribute.values, (name,), _missing_last(np.arange(k, dtype=np.float64)[:, None]))
        if self.by == "binary":
            digits = max(1, (k - 1).bit_length())
            bits = (np.arange(k)[:, None] >> np.arange(digits)[::-1]) & 1
            named = tuple(f"{name} bit {digits - at}" for at in range(digits))
            return Code(name, attribute.values, named, _missing_last(bits.astype(np.float64)))
        kept = range(1, 2) if k == 2 else range(k)
        ones = np.eye(k)[:, list(kept)] if k else np.zeros((0, 1))
        named = tuple(f"{name} = {attribute.values[at]}" for at in kept) or (name,)
        return Code(name, attribute.values, named, _missing_last(ones))

    def _counts(self, data: Dataset, index: int) -> FloatArray:
        """Weight of each class with each value, and at the end with none (v + 1, classes)."""
        k, n_classes = len(data.schema.attributes[index].values), len(data.schema.classes)
        cells = self._cells(data, index)
        known = data.class_codes >= 0
        weights = None if data.weights is None else data.weights[known]
        counts = np.bincount(cells[known], weights, minlength=(k + 1) * n_classes)
        return counts.astype(np.float64).reshape(k + 1, n_classes)

    @staticmethod
    def _cells(data: Dataset, index: int) -> NDArray[np.int64]:
        """Of each record the cell of value and class; a missing class counts for none."""
        value = places(data, index, data.schema.attributes[index].values)
        return value * len(data.schema.classes) + data.class_codes

    def _shares(self, counts: FloatArray, whole: FloatArray) -> FloatArray:
        """Shares (v + 1, c) of the classes with each value, held to those of all."""
        n = counts.sum(axis=1, keepdims=True)
        total = float(whole.sum())
        every = whole / total if total > 0 else np.full(len(whole), 1 / max(1, len(whole)))
        if self.smoothing == "sigmoid":
            weight = 1 / (1 + np.exp(np.clip((self.midpoint - n) / self.steepness, -700, 700)))
            weight = np.where(n > 0, weight, 0.0)
            share = np.divide(counts, n, out=np.tile(every, (len(counts), 1)), where=n > 0)
            found = weight * share + (1 - weight) * every
        else:
            added = n + self.records
            blank = np.tile(every, (len(counts), 1))
            found = np.divide(counts + self.records * every, added, out=blank, where=added > 0)
        return np.asarray(found[:, 1:2] if len(whole) == 2 else found)

    def _by_other_folds(self, data: Dataset, index: int, fold: NDArray[np.int64]) -> FloatArray:
        """For each record (n, c) the shares that the records of all other folds say."""
        k, n_classes = len(data.schema.attributes[index].values), len(data.schema.classes)
        n_folds = int(fold.max()) + 1 if len(fold) else 1
        cells, known = self._cells(data, index), data.class_codes >= 0
        place = (fold * ((k + 1) * n_classes) + cells)[known]
        weights = None if data.weights is None else data.weights[known]
        counts = np.bincount(place, weights, minlength=n_folds * (k + 1) * n_classes).astype(np.float64)
        parts = counts.reshape(n_folds, k + 1, n_classes)
        others = [np.delete(parts, at, axis=0).sum(axis=0) for at in range(n_folds)]
        for at in range(n_folds if (data.row_ids < 0).any() else 0):
            kin = known & (fold != at) & kin_of(data, fold == at)
            own = None if data.weights is None else data.weights[kin]
            others[at] -= np.bincount(cells[kin], own, minlength=(k + 1) * n_classes).reshape(k + 1, n_classes)
        tables = np.stack([self._shares(counts, counts.sum(axis=0)) for counts in others])
        return np.asarray(tables[fold, places(data, index, data.schema.attributes[index].values)])


def _missing_last(table: FloatArray) -> FloatArray:
    return np.vstack([table, np.full((1, table.shape[1]), np.nan)])


def _too_long(attribute: Attribute) -> Problem:
    sentence = f"{attribute.name} has {len(attribute.values):,} values: too many for a column each."
    return Problem(sentence, "Encode it in bits or by the class.", attribute.name)


class ValuesMerged(FittedFilter):
    """Gives some values of each named column one name, in the place of the first of them."""

    id: ClassVar[str] = "values-merged"

    def __init__(self, merged: Mapping[str, tuple[str, ...]], to: str, are_rare: bool = False) -> None:
        self.merged, self.to, self.are_rare = dict(merged), to, are_rare

    def rare_values(self) -> dict[str, RareLabels]:
        """Where rare values were merged: no value is rarer than one that training never saw."""
        return {name: RareLabels(labels, self.to) for name, labels in self.merged.items() if self.are_rare}

    def transform(self, data: Dataset) -> Dataset:
        replaced: dict[int, tuple[Attribute, Any]] = {}
        for name, labels in self.merged.items():
            if name not in data.schema:
                continue
            index = data.schema.index_of(name)
            attribute = data.schema.attributes[index]
            if attribute.kind.is_coded and set(labels) & set(attribute.values):
                named = [self.to if value in labels else value for value in attribute.values]
                values = tuple(dict.fromkeys(named))
                codes = np.array([*map(values.index, named), -1], dtype=smallest_code_dtype(len(values)))
                replaced[index] = (replace(attribute, values=values), codes[data.column(index)])
        return data.with_columns(replaced) if replaced else data

    def found(self) -> list[list[str]]:
        """Which values of each column became one."""
        rows = [[name, ", ".join(labels), self.to] for name, labels in self.merged.items() if labels]
        return [["Column", "Values", "Became"], *rows] if rows else []

    def to_state(self) -> State:
        lists = [list(each) for each in self.merged.values()]
        return State({"names": list(self.merged), "values": lists, "to": self.to, "rare": self.are_rare}, {})

    @classmethod
    def from_state(cls, state: State) -> Self:
        stored = StoredState(state, "merged values")
        names = stored.names("names")
        lists = stored.lists("values", len(names))
        merged = {name: tuple(each) for name, each in zip(names, lists, strict=True)}
        are_rare = "rare" in state.values and stored.flag("rare")  # which older versions did not keep
        return cls(merged, stored.text("to"), are_rare)


@dataclass(frozen=True, kw_only=True)
class MergeValues(Filter):
    """Makes one value of those that fewer training records have than a number, or of those that are named."""

    id: ClassVar[str] = "merge-values"
    name: ClassVar[str] = "Merge values"
    sentence: ClassVar[str] = (
        "Makes one value of several: of all that are rare among the training records, or of those you name."
    )
    family: ClassVar[str] = "Values of lists"
    fitted: ClassVar[type[FittedFilter]] = ValuesMerged

    by: str = choice(
        "rare",
        Option("rare", "the rare ones", "Those that few training records have, where there are at least two."),
        Option("given", "those named", "The values typed below, with semicolons between them."),
        label="Merge",
        help="Which values become one.",
    )
    at_least: int = integer(
        5,
        lo=1,
        label="Rare is under",
        help="A value that fewer training records have is rare.",
        unit="records",
        enabled_if=when("by", "rare"),
    )
    values_named: str = text(
        "", label="Values", help="The values to merge: red; blue; green.", enabled_if=when("by", "given")
    )
    to: str = text("other", label="Its name", help="What the merged value is called.")
    columns: tuple[str, ...] = columns(
        (), label="Columns", help="Only these are merged.", without="all lists of values"
    )

    def _named(self) -> tuple[str, ...]:
        return tuple(part.strip() for part in self.values_named.split(";") if part.strip())

    def check(self, summary: Summary) -> list[Problem]:
        only = "only values of a list are merged"
        problems = problems_of_choice(summary, self.columns, _LISTS, do="merge values of", done="changed", only=only)
        if self.by == "given" and not self._named():
            problems.append(Problem("No values to merge are named yet.", "Type them with semicolons: red; blue."))
        if not self.to.strip():
            problems.append(Problem("The merged value has no name.", "Type one, such as other."))
        return problems

    def fit(self, data: Dataset, context: RunContext) -> ValuesMerged:
        """Find the rare values of each chosen column; one alone is left as it is."""
        merged: dict[str, tuple[str, ...]] = {}
        for index in chosen(data.schema, self.columns, _LISTS) if self.to.strip() else ():
            context.checkpoint()
            attribute = data.schema.attributes[index]
            if self.by == "given":
                found = tuple(value for value in attribute.values if value in self._named())
            else:
                codes = data.column(index)
                known = codes >= 0
                weights = None if data.weights is None else data.weights[known]
                counts = np.bincount(codes[known], weights, minlength=len(attribute.values))
                found = tuple(v for v, n in zip(attribute.values, counts.tolist(), strict=True) if n < self.at_least)
            if len(found) > 1 or (found and self.to.strip() in attribute.values):
                merged[attribute.name] = found
        return ValuesMerged(merged, self.to.strip(), are_rare=self.by == "rare")
