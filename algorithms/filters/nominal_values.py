"""Encoding of nominal attributes as numbers, and merging of their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import Problem, State
from algorithms.core.parameters import Option, choice, columns, integer, real, text, when
from algorithms.core.resampling import inner_fold_numbers
from algorithms.core.run_control import RunContext
from algorithms.data.alignment import RareLabels
from algorithms.data.columns import FloatArray, smallest_code_dtype
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, free_name, numeric
from algorithms.data.summary import Summary
from algorithms.data.synthetic_ids import kin_of
from algorithms.filters.checks import StoredState, chosen, has_class, problems_of_choice, require_class

_LISTS: Final = (AttributeKind.NOMINAL, AttributeKind.ORDINAL)
MOST_COLUMNS: Final = 2000
"""Largest number of values of an attribute for one-of-k coding."""


@dataclass(frozen=True, eq=False)
class Code:
    """Encoding of a column: ``table`` (v + 1, c) has a row for each of ``values``, the last for all others."""

    name: str
    values: tuple[str, ...]
    columns: tuple[str, ...]
    table: FloatArray


class Encoded(FittedFilter):
    """Replaces nominal columns by numeric ones."""

    id: ClassVar[str] = "encoded"

    def __init__(self, codes: Sequence[Code]) -> None:
        self.codes = tuple(codes)

    def transform(self, data: Dataset) -> Dataset:
        return self.with_tables(data, {})

    def with_tables(self, data: Dataset, own: dict[str, FloatArray]) -> Dataset:
        """The encoded data; columns in ``own`` get these numbers (n, c) instead of those of their table."""
        encoded: dict[int, tuple[Code, FloatArray]] = {}
        for code in self.codes:
            if code.name not in data.schema:
                continue
            index = data.schema.index_of(code.name)
            if data.schema.attributes[index].kind.is_coded:
                numbers = own[code.name] if code.name in own else code.table[places(data, index, code.values)]
                encoded[index] = (code, numbers)
        return _in_place(data, encoded)

    def learned_rows(self) -> list[list[str]]:
        """The numbers of each value, as a table; empty for one-of-k coding, whose column names say it all."""
        headings = [
            [column.removeprefix(code.name).strip(" :") or "Number" for column in code.columns] for code in self.codes
        ]
        longest = max(headings, key=len, default=[])
        if not longest or any(heading.startswith("=") for own in headings for heading in own):
            return []
        rows = [
            [f"{code.name} = {value}" if row < len(code.values) else f"{code.name} is missing"]
            + [""] * (len(longest) - len(code.columns))
            + [f"{number:.4g}" if number == number else "missing" for number in numbers]
            for code in self.codes
            for row, (value, numbers) in enumerate(zip((*code.values, ""), code.table.tolist(), strict=True))
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
    """The index of each record's value (n,) in ``values``; ``len(values)`` for others."""
    place_of = {value: place for place, value in enumerate(values)}
    own = data.schema.attributes[index].values
    table = np.array([*(place_of.get(value, len(values)) for value in own), len(values)], dtype=np.int64)
    return np.asarray(table[data.column(index)])


def _in_place(data: Dataset, encoded: dict[int, tuple[Code, FloatArray]]) -> Dataset:
    """The data with encoded columns in place of their originals; a name in use gets a number."""
    if not encoded:
        return data
    taken = {name for i, name in enumerate(data.schema.names) if i not in encoded}
    attributes: list[Attribute] = []
    contents: list[Any] = []
    class_at = None
    for index, attribute in enumerate(data.schema.attributes):
        if index not in encoded:
            class_at = len(attributes) if index == data.schema.class_index else class_at
            attributes.append(attribute)
            contents.append(data.content(index))
            continue
        code, numbers = encoded[index]
        for number, column in enumerate(code.columns):
            name = free_name(column, taken)
            taken.add(name)
            attributes.append(numeric(name) if attribute.used else Attribute(name, AttributeKind.NUMERIC, used=False))
            contents.append(np.ascontiguousarray(numbers[:, number]))
    return data.remade(attributes, contents, class_at)


@dataclass(frozen=True, kw_only=True)
class Encode(Filter):
    """Encodes nominal values one-of-k, by rank, in bits, by frequency, or by target encoding.

    Target encoding smooths the class shares of a value towards those of all records (Micci-Barreca 2001):
    ``weight * share + (1 - weight) * share of all``, where n records have the weight
    ``1 / (1 + exp((midpoint - n) / steepness))`` or ``n / (n + records)``. Unseen values get the share of all, and
    *missing* counts as a value. Training records are encoded out of fold, never by their own class. Frequency encoding
    gives the share of a value among the known ones, 0 for a value without training records; missing stays missing.
    """

    id: ClassVar[str] = "encode"
    name: ClassVar[str] = "Encode nominal attributes"
    sentence: ClassVar[str] = (
        "Replaces nominal attributes by numbers, for learners that take numeric attributes only: one-hot, "
        "ordinal, binary digits, frequency or target encoding."
    )
    family: ClassVar[str] = "Nominal attributes"
    adds_columns: ClassVar[bool] = True
    fitted: ClassVar[type[FittedFilter]] = Encoded

    by: str = choice(
        "one-of-k",
        Option("one-of-k", "One-hot", "1 for the value of the record, else 0. One column for two values."),
        Option("ordinal", "Ordinal", "0 for the first value, 1 for the second, and so on."),
        Option("binary", "Binary digits", "The rank in binary digits: few columns for many values."),
        Option("target", "Target encoding", "The class distribution of the value. For many values."),
        Option("frequency", "Frequency", "The share of training records with the value. For many values."),
        label="Method",
        help="What replaces a nominal value.",
    )
    smoothing: str = choice(
        "sigmoid",
        Option("sigmoid", "Sigmoid", "The weight of a value grows with its number of records along a sigmoid."),
        Option("m-estimate", "m-estimate", "m virtual records with the prior class distribution."),
        label="Smoothing",
        help="How class shares of rare values are shrunk towards those of all records.",
        enabled_if=when("by", "target"),
    )
    midpoint: float = real(
        20.0,
        lo=0,
        label="Midpoint",
        help="A value with this many records gets half weight.",
        unit="records",
        enabled_if=when("by", "target") & when("smoothing", "sigmoid"),
    )
    steepness: float = real(
        10.0,
        lo=0.01,
        label="Steepness",
        help="How slowly the weight grows with the number of records.",
        unit="records",
        enabled_if=when("by", "target") & when("smoothing", "sigmoid"),
        advanced=True,
    )
    records: float = real(
        10.0,
        lo=0,
        label="m",
        help="Number of virtual records with the prior class distribution added to each value.",
        unit="records",
        enabled_if=when("by", "target") & when("smoothing", "m-estimate"),
    )
    folds: int = integer(
        5,
        lo=2,
        hi=100,
        label="Inner folds",
        help="Training records are encoded by the other folds, so that none uses its own class.",
        enabled_if=when("by", "target"),
        advanced=True,
    )
    columns: tuple[str, ...] = columns(
        (), label="Attributes", help="Only these are encoded", without="all nominal attributes", kinds=_LISTS
    )

    def check(self, summary: Summary) -> list[Problem]:
        only = "only values of a list are turned into numbers"
        problems = problems_of_choice(summary, self.columns, _LISTS, do="turn into numbers", done="changed", only=only)
        schema = summary.schema
        if self.by == "target" and not has_class(schema):
            remedy = "Choose the column to predict, or other numbers."
            problems.append(Problem("No class is chosen to encode by.", remedy))
        if self.by == "one-of-k" and not problems:
            lists = [schema.attributes[i] for i in self._chosen(schema)]
            problems += [_too_long(attribute) for attribute in lists if len(attribute.values) > MOST_COLUMNS]
        return problems

    def _chosen(self, schema: Schema) -> list[int]:
        return chosen(schema, self.columns, _LISTS)

    def fit(self, data: Dataset, context: RunContext) -> Encoded:
        """Learn the encodings; raises :class:`DataError` if :meth:`check` reports a problem."""
        if self.by == "target":
            require_class(data, "encode by")
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
        """As :meth:`Filter.learn`, with out-of-fold target encoding of the training records."""
        fitted = self.fit(data, context)
        if self.by != "target":
            return fitted, fitted.transform(data)
        fold = inner_fold_numbers(data, min(self.folds, max(1, len(data))), context.random())
        fold[fold < 0] = self.folds  # synthetic records are encoded by all real ones
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
            named = tuple(f"{name}: share of {classes[i]}" for i in kept)
            return Code(name, attribute.values, named, self._shares(counts, counts.sum(axis=0)))
        if self.by == "ordinal":
            return Code(name, attribute.values, (name,), _missing_last(np.arange(k, dtype=np.float64)[:, None]))
        if self.by == "frequency":
            return Code(
                name, attribute.values, (f"{name}: frequency",), _missing_last(_known_shares(data, index)[:, None])
            )
        if self.by == "binary":
            digits = max(1, (k - 1).bit_length())
            bits = (np.arange(k)[:, None] >> np.arange(digits)[::-1]) & 1
            named = tuple(f"{name} bit {digits - i}" for i in range(digits))
            return Code(name, attribute.values, named, _missing_last(bits.astype(np.float64)))
        kept = range(1, 2) if k == 2 else range(k)
        ones = np.eye(k)[:, list(kept)] if k else np.zeros((0, 1))
        named = tuple(f"{name} = {attribute.values[i]}" for i in kept) or (name,)
        return Code(name, attribute.values, named, _missing_last(ones))

    def _counts(self, data: Dataset, index: int) -> FloatArray:
        """Class weights of each value (v + 1, classes); the last row is for missing values."""
        k, n_classes = len(data.schema.attributes[index].values), len(data.schema.classes)
        cells = self._cells(data, index)
        has_class = data.class_codes >= 0
        weights = None if data.weights is None else data.weights[has_class]
        counts = np.bincount(cells[has_class], weights, minlength=(k + 1) * n_classes)
        return counts.astype(np.float64).reshape(k + 1, n_classes)

    @staticmethod
    def _cells(data: Dataset, index: int) -> NDArray[np.int64]:
        """Index value * k + class into the flattened contingency table for each record (n,), valid with a class."""
        value = places(data, index, data.schema.attributes[index].values)
        return value * len(data.schema.classes) + data.class_codes

    def _shares(self, counts: FloatArray, whole: FloatArray) -> FloatArray:
        """The smoothed class shares of each value (v + 1, c)."""
        n = counts.sum(axis=1, keepdims=True)
        total = float(whole.sum())
        every = whole / total if total > 0 else np.full(len(whole), 1 / max(1, len(whole)))
        if self.smoothing == "sigmoid":
            weight = 1 / (1 + np.exp(np.clip((self.midpoint - n) / self.steepness, -700, 700)))
            weight = np.where(n > 0, weight, 0.0)
            share = np.divide(counts, n, out=np.tile(every, (len(counts), 1)), where=n > 0)
            shares = weight * share + (1 - weight) * every
        else:
            added = n + self.records
            blank = np.tile(every, (len(counts), 1))
            shares = np.divide(counts + self.records * every, added, out=blank, where=added > 0)
        return np.asarray(shares[:, 1:2] if len(whole) == 2 else shares)

    def _by_other_folds(self, data: Dataset, index: int, fold: NDArray[np.int64]) -> FloatArray:
        """The class shares of each record's value (n, c), from the other folds."""
        k, n_classes = len(data.schema.attributes[index].values), len(data.schema.classes)
        n_folds = int(fold.max()) + 1 if len(fold) else 1
        cells, has_class = self._cells(data, index), data.class_codes >= 0
        place = (fold * ((k + 1) * n_classes) + cells)[has_class]
        weights = None if data.weights is None else data.weights[has_class]
        counts = np.bincount(place, weights, minlength=n_folds * (k + 1) * n_classes).astype(np.float64)
        parts = counts.reshape(n_folds, k + 1, n_classes)
        others = [np.delete(parts, number, axis=0).sum(axis=0) for number in range(n_folds)]
        for number in range(n_folds if (data.row_ids < 0).any() else 0):
            kin = has_class & (fold != number) & kin_of(data, fold == number)
            own = None if data.weights is None else data.weights[kin]
            others[number] -= np.bincount(cells[kin], own, minlength=(k + 1) * n_classes).reshape(k + 1, n_classes)
        tables = np.stack([self._shares(counts, counts.sum(axis=0)) for counts in others])
        return np.asarray(tables[fold, places(data, index, data.schema.attributes[index].values)])


def _known_counts(data: Dataset, index: int) -> FloatArray:
    """The weight of the records of each value (v,)."""
    codes = data.column(index)
    present = codes >= 0
    weights = None if data.weights is None else data.weights[present]
    counts = np.bincount(codes[present], weights, minlength=len(data.schema.attributes[index].values))
    return counts.astype(np.float64)


def _known_shares(data: Dataset, index: int) -> FloatArray:
    """The share of each value (v,) among the records whose value is known, by weight; zeros if there are none."""
    counts = _known_counts(data, index)
    return np.asarray(counts / max(float(counts.sum()), np.finfo(float).tiny))


def _missing_last(table: FloatArray) -> FloatArray:
    return np.vstack([table, np.full((1, table.shape[1]), np.nan)])


def _too_long(attribute: Attribute) -> Problem:
    sentence = f"{attribute.name} has {len(attribute.values):,} values: too many for a column each."
    return Problem(sentence, "Encode it in bits or by the class.", attribute.name)


class ValuesMerged(FittedFilter):
    """Merges some values of named columns into one, at the position of the first."""

    id: ClassVar[str] = "values-merged"

    def __init__(self, merged: Mapping[str, tuple[str, ...]], to: str, are_rare: bool = False) -> None:
        self.merged, self.to, self.are_rare = dict(merged), to, are_rare

    def rare_values(self) -> dict[str, RareLabels]:
        """The merged rare values by column, so that unseen values are merged too."""
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

    def learned_rows(self) -> list[list[str]]:
        """The merged values, as a table."""
        rows = [[name, ", ".join(labels), self.to] for name, labels in self.merged.items() if labels]
        return [["Column", "Values", "Became"], *rows] if rows else []

    def to_state(self) -> State:
        lists = [list(labels) for labels in self.merged.values()]
        return State({"names": list(self.merged), "values": lists, "to": self.to, "rare": self.are_rare}, {})

    @classmethod
    def from_state(cls, state: State) -> Self:
        stored = StoredState(state, "merged values")
        names = stored.names("names")
        lists = stored.lists("values", len(names))
        merged = {name: tuple(labels) for name, labels in zip(names, lists, strict=True)}
        are_rare = "rare" in state.values and stored.flag("rare")  # older versions did not save it
        return cls(merged, stored.text("to"), are_rare)


@dataclass(frozen=True, kw_only=True)
class MergeValues(Filter):
    """Merges rare values, or named ones."""

    id: ClassVar[str] = "merge-values"
    name: ClassVar[str] = "Merge rare values"
    sentence: ClassVar[str] = (
        "Merges several values into one: those that are rare in the training records, or given ones."
    )
    family: ClassVar[str] = "Nominal attributes"
    fitted: ClassVar[type[FittedFilter]] = ValuesMerged

    by: str = choice(
        "rare",
        Option("rare", "Rare values", "Values of few training records, if there are at least two."),
        Option("share", "Rare values by share", "Values of a small share of the training records, if at least two."),
        Option("given", "Given values", "The values below, separated by semicolons."),
        label="Merge",
        help="Which values are merged.",
    )
    at_least: int = integer(
        5,
        lo=1,
        label="Min. records",
        help="A value with fewer training records is rare.",
        unit="records",
        enabled_if=when("by", "rare"),
    )
    share: float = real(
        1.0,
        lo=0,
        hi=100,
        label="Min. share",
        help="A value with a smaller share of the training records is rare.",
        unit="%",
        enabled_if=when("by", "share"),
        earlier=1.0,
    )
    values_named: str = text(
        "", label="Values", help="The values to merge: red; blue; green.", enabled_if=when("by", "given")
    )
    to: str = text("other", label="New value", help="The name of the merged value.")
    columns: tuple[str, ...] = columns(
        (), label="Attributes", help="Only these are merged", without="all nominal attributes", kinds=_LISTS
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
        """Find the values to merge in each chosen column; a single one stays."""
        merged: dict[str, tuple[str, ...]] = {}
        for index in chosen(data.schema, self.columns, _LISTS) if self.to.strip() else ():
            context.checkpoint()
            attribute = data.schema.attributes[index]
            if self.by == "given":
                values = tuple(value for value in attribute.values if value in self._named())
            else:
                counts = _known_counts(data, index)
                # multiplied, since 7 / 100 of 100 records would be more than 7
                n, least = (counts, self.at_least) if self.by == "rare" else (counts * 100, self.share * counts.sum())
                values = tuple(v for v, is_rare in zip(attribute.values, (n < least).tolist(), strict=True) if is_rare)
            if len(values) > 1 or (values and self.to.strip() in attribute.values):
                merged[attribute.name] = values
        return ValuesMerged(merged, self.to.strip(), are_rare=self.by != "given")
