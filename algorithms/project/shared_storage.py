"""Serialisation of arrays, strings, attributes, schemas and data sets, each written once and then referenced by number.

Strings are converted in blocks, so that no thread holds the interpreter lock for long.

A :class:`SharedWriter` numbers each object when it first occurs and sends its definition to a sink; afterwards only the
number is written. Equal objects are recognised by identity. So a data set costs only what it does not share with
earlier ones, whatever edit created it. A :class:`SharedReader` reads the definitions in the same order.

=============  =====================================================================================================
definition     content
=============  =====================================================================================================
array          an array of plain numbers, sent to the sink as an array
texts          a column of strings, as the numbers of its three arrays (see :class:`Texts`)
words          a sequence of strings, in the same form
attribute      name, kind, used, values (as a list, or as the number of ``words`` if there are many)
schema         the numbers of its attributes, and the class index
columns        the numbers of arrays or texts
data           a data set: the numbers of its parts (see :mod:`algorithms.data.dataset`), and its origin
=============  =====================================================================================================
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import ModelFileError
from algorithms.core.plain_json import a_list, a_text, an_integer, an_object, strings_in
from algorithms.data.columns import STRING, Column
from algorithms.data.dataset import DataOrigin, Dataset, DatasetParts, Family, parts_of
from algorithms.data.schema import Attribute, Schema
from algorithms.data.whole_file import WholeFile
from algorithms.filters.cleaning_rules import rules_from_json
from algorithms.project.models import attribute_to_json, described_attribute, reading_from_json, reading_to_json

BLOCK: Final = 4096


@dataclass(frozen=True, eq=False)
class Texts:
    """n strings: ``content`` uint8 (all bytes), ``ends`` int64 (n,) end offsets, ``missing`` bool (n,)."""

    content: NDArray[np.uint8]
    ends: NDArray[np.int64]
    missing: NDArray[np.bool_]


def packed(strings: Column | Sequence[str], checkpoint: Callable[[], object] = int) -> Texts:
    """The strings of a column (NaN is missing) or of a sequence; ``checkpoint`` is called before each block."""
    n = len(strings)
    ends, missing = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_)
    pieces: list[bytes] = []
    total = 0
    for start in range(0, n, BLOCK):
        checkpoint()
        block = strings[start : start + BLOCK]
        values: Sequence[Any] = block.tolist() if isinstance(block, np.ndarray) else block
        encoded = [value.encode("utf-8", "surrogatepass") if isinstance(value, str) else b"" for value in values]
        missing[start : start + BLOCK] = [not isinstance(value, str) for value in values]
        sizes = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
        ends[start : start + BLOCK] = total + np.cumsum(sizes)
        total += int(sizes.sum())
        pieces.append(b"".join(encoded))
    content = np.empty(total, dtype=np.uint8)
    start = 0
    for piece in pieces:
        content[start : start + len(piece)] = np.frombuffer(piece, dtype=np.uint8)
        start += len(piece)
    return Texts(content, ends, missing)


def column_of(texts: Texts) -> Column:
    """The column of strings; raises :class:`ModelFileError` if the arrays are inconsistent."""
    column = np.empty(len(texts.ends), dtype=STRING)

    def take(start: int, values: list[str | None]) -> None:
        column[start : start + len(values)] = [np.nan if value is None else value for value in values]

    _each_block(texts, take)
    column.flags.writeable = False
    return column


def strings_of(texts: Texts) -> tuple[str, ...]:
    """The strings; raises :class:`ModelFileError` if one is missing or the arrays are inconsistent."""
    strings: list[str] = []

    def take(_start: int, values: list[str | None]) -> None:
        strings.extend(value for value in values if value is not None)

    _each_block(texts, take)
    if len(strings) < len(texts.ends):
        raise ModelFileError("The file is damaged: a word is missing.")
    return tuple(strings)


def _each_block(texts: Texts, take: Callable[[int, list[str | None]], None]) -> None:
    n = len(texts.ends)
    fits = (
        [a.dtype.str[1:] for a in (texts.content, texts.ends, texts.missing)] == ["u1", "i8", "b1"]
        and texts.content.ndim == 1
        and texts.ends.shape == texts.missing.shape == (n,)
        and bool(np.all(texts.ends[1:] >= texts.ends[:-1]))
        and (int(texts.ends[0]) >= 0 and int(texts.ends[-1]) == len(texts.content) if n else not len(texts.content))
    )
    if not fits:
        raise ModelFileError("The file is damaged: its words do not fit together.")
    before = 0
    for start in range(0, n, BLOCK):
        ends = texts.ends[start : start + BLOCK].tolist()
        raw = texts.content[before : ends[-1]].tobytes()
        begins = [before, *ends[:-1]]
        absent = texts.missing[start : start + BLOCK].tolist()
        take(
            start,
            [
                None if gone else raw[a - before : b - before].decode("utf-8", "surrogatepass")
                for a, b, gone in zip(begins, ends, absent, strict=True)
            ],
        )
        before = ends[-1]


FEW: Final = 256
"""Attributes with up to this many values list them in their definition."""
MOST_TUPLES: Final = 1000
"""Number of tuples of values whose numbers are remembered; a forgotten tuple is written again."""
MOST_GROUPS: Final = 10_000
"""The same number for schemas and sets of columns, identified by the numbers of their parts."""

T = TypeVar("T")


class DefinitionSink(Protocol):
    """Receives definitions in order."""

    def array(self, number: int, array: NDArray[Any]) -> None:
        """Receive an array of plain numbers."""

    def definition(self, values: Mapping[str, Any]) -> None:
        """Receive a definition as JSON values, among them "number"."""


class CollectingSink:
    """A sink that collects definitions and changes in one list, and arrays by their names in an archive."""

    def __init__(self) -> None:
        self.entries: list[Mapping[str, Any]] = []
        self.arrays: dict[str, NDArray[Any]] = {}

    def array(self, number: int, array: NDArray[Any]) -> None:
        self.entries.append({"array": number})
        self.arrays[_array_name(number)] = array

    def definition(self, values: Mapping[str, Any]) -> None:
        self.entries.append(values)


def read_collected(
    entries: Iterable[Any],
    arrays: Mapping[str, NDArray[Any]],
    reader: SharedReader,
    take: Callable[[Mapping[str, Any]], object],
) -> None:
    """Pass what a :class:`CollectingSink` collected on in order: arrays to ``reader``, other entries to ``take``."""
    for entry in entries:
        if "array" in entry:
            number = an_integer(entry, "array")
            reader.array(number, arrays[_array_name(number)])
        else:
            take(entry)


def _array_name(number: int) -> str:
    return f"arrays/{number}"


class _NumbersByIdentity:
    """Numbers of objects by identity. Entries of dead objects go; tuples have no weak references, the latest stay."""

    def __init__(self) -> None:
        self._alive: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._tuples: OrderedDict[int, tuple[Any, int]] = OrderedDict()

    def get(self, thing: object) -> int | None:
        if isinstance(thing, tuple):
            held, number = self._tuples.get(id(thing), (None, 0))
            return number if held is thing else None
        entry = self._alive.get(id(thing))
        return entry[1] if entry is not None and entry[0]() is thing else None

    def put(self, thing: object, number: int) -> None:
        if isinstance(thing, tuple):
            self._tuples[id(thing)] = (thing, number)
            while len(self._tuples) > MOST_TUPLES:
                self._tuples.popitem(last=False)
            return
        key, alive = id(thing), self._alive

        def forget(gone: weakref.ref[Any]) -> None:
            if key in alive and alive[key][0] is gone:
                del alive[key]

        alive[key] = (weakref.ref(thing, forget), number)

    def __len__(self) -> int:
        return len(self._alive) + len(self._tuples)


class SharedWriter:
    """Numbers objects and writes each once; ``checkpoint`` is called between blocks and may raise."""

    def __init__(self, outlet: DefinitionSink, checkpoint: Callable[[], object] = int) -> None:
        self._outlet, self._checkpoint = outlet, checkpoint
        self._known = _NumbersByIdentity()
        self._groups: dict[tuple[Any, ...], int] = {}
        self._next = 0

    def continue_after(self, reader: SharedReader) -> None:
        """Continue the numbering of a reader, so that what it read is not written again."""
        self._next = reader.n_read
        for number, thing in reader.things.items():
            if number not in reader.groups:  # remembering a group would keep its parts alive
                self._known.put(thing, number)
        self._groups.update({group: number for number, group in reader.groups.items()})

    def _take(self) -> int:
        self._next += 1
        return self._next - 1

    def _define(self, what: str, values: Mapping[str, Any]) -> int:
        number = self._take()
        self._outlet.definition({"define": what, "number": number, **values})
        return number

    def array(self, array: NDArray[Any]) -> int:
        """The number of an array of plain numbers, which is written if it is new."""
        number = self._known.get(array)
        if number is None:
            number = self._take()
            self._outlet.array(number, array)
            self._known.put(array, number)
        return number

    def column(self, column: Column) -> int:
        """The number of a column of any type."""
        if column.dtype.kind != "T":
            return self.array(column)
        number = self._known.get(column)
        if number is None:
            number = self._texts("texts", packed(column, self._checkpoint))
            self._known.put(column, number)
        return number

    def words(self, words: tuple[str, ...]) -> int:
        """The number of a sequence of strings."""
        number = self._known.get(words)
        if number is None:
            number = self._texts("words", packed(words, self._checkpoint))
            self._known.put(words, number)
        return number

    def _texts(self, what: str, texts: Texts) -> int:
        parts = {name: self.array(getattr(texts, name)) for name in ("content", "ends", "missing")}
        return self._define(what, parts)

    def attribute(self, attribute: Attribute) -> int:
        number = self._known.get(attribute)
        if number is None:
            few = len(attribute.values) <= FEW
            values = {"values": list(attribute.values)} if few else {"words": self.words(attribute.values)}
            number = self._define("attribute", {**attribute_to_json(attribute), **values})
            self._known.put(attribute, number)
        return number

    def schema(self, schema: Schema) -> int:
        group = ("schema", *(self.attribute(attribute) for attribute in schema.attributes), schema.class_index)
        return self._group(group, {"attributes": list(group[1:-1]), "class": schema.class_index})

    def columns(self, columns: Sequence[Column]) -> int:
        group = ("columns", *(self.column(column) for column in columns))
        return self._group(group, {"columns": list(group[1:])})

    def _group(self, group: tuple[Any, ...], values: Mapping[str, Any]) -> int:
        number = self._groups.get(group)
        if number is None:
            number = self._groups[group] = self._define(group[0], values)
            while len(self._groups) > MOST_GROUPS:
                self._groups.pop(next(iter(self._groups)))
        return number

    def data(self, data: Dataset) -> int:
        number = self._known.get(data)
        if number is None:
            parts = parts_of(data)
            number = self._define(
                "data",
                {
                    "schema": self.schema(parts.schema),
                    "origin": {
                        "name": parts.origin.name,
                        "path": parts.origin.path,
                        "description": parts.origin.description,
                        "marks": list(parts.origin.marks),
                        **_cleaning_to_json(parts.origin),
                        **({"reading": reading_to_json(parts.origin.reading)} if parts.origin.reading else {}),
                        **({"whole": parts.origin.whole.to_json()} if parts.origin.whole else {}),
                    },
                    "columns": self.columns(parts.columns),
                    "patches": [[i, self.array(p), self.column(v)] for i, (p, v) in parts.patches.items()],
                    "rows": None if parts.rows is None else self.array(parts.rows),
                    "base_ids": self.array(parts.base_ids),
                    "added_ids": self.array(parts.added_ids),
                    "weights": None if parts.weights is None else self.array(parts.weights),
                },
            )
            self._known.put(data, number)
        return number


class SharedReader:
    """Reads the objects by their numbers. All methods raise :class:`ModelFileError` or similar for damaged data."""

    def __init__(self) -> None:
        self.things: dict[int, Any] = {}
        self.groups: dict[int, tuple[Any, ...]] = {}
        self.n_read = 0
        self._family = Family()

    def array(self, number: int, array: NDArray[Any]) -> None:
        array.flags.writeable = False
        self._put(number, array)

    def definition(self, values: Mapping[str, Any]) -> None:
        """Read a definition; it may only refer to earlier ones."""
        what = a_text(values, "define")
        make: dict[str, Callable[[], object]] = {
            "texts": lambda: column_of(self._texts(values)),
            "words": lambda: strings_of(self._texts(values)),
            "attribute": lambda: self._attribute(values),
            "schema": lambda: self._schema(values),
            "columns": lambda: tuple(self.column(n) for n in a_list(values, "columns")),
            "data": lambda: self._data(values),
        }
        if what not in make:
            raise ModelFileError(f"The file is damaged: it defines {what[:40]!r}.")
        number = an_integer(values, "number")
        self._put(number, make[what]())
        if what == "schema":
            self.groups[number] = ("schema", *values["attributes"], values["class"])
        elif what == "columns":
            self.groups[number] = ("columns", *values["columns"])

    def _put(self, number: int, thing: object) -> None:
        if number != self.n_read:
            raise ModelFileError("The file is damaged: its parts are not in their order.")
        self.things[number] = thing
        self.n_read += 1

    def get(self, number: Any, kind: type[T]) -> T:
        thing = self.things.get(number) if isinstance(number, int) and not isinstance(number, bool) else None
        if not isinstance(thing, kind):
            raise ModelFileError("The file is damaged: it speaks of something that is not in it.")
        return thing

    def column(self, number: Any) -> Column:
        """The one-dimensional array with this number."""
        column: Column = self.get(number, np.ndarray)
        if column.ndim != 1:
            raise ModelFileError("The file is damaged: a column is not one.")
        return column

    def _texts(self, values: Mapping[str, Any]) -> Texts:
        return Texts(*(self.column(values.get(name)) for name in ("content", "ends", "missing")))

    def _attribute(self, values: Mapping[str, Any]) -> Attribute:
        words = self.get(values["words"], tuple) if "words" in values else tuple(strings_in(values, "values"))
        return described_attribute(values, words)

    def _schema(self, values: Mapping[str, Any]) -> Schema:
        class_index = None if values.get("class") is None else an_integer(values, "class")
        return Schema(tuple(self.get(n, Attribute) for n in a_list(values, "attributes")), class_index)

    def _data(self, values: Mapping[str, Any]) -> Dataset:
        rows, weights = values.get("rows"), values.get("weights")
        patches = {an_index: (self.column(p), self.column(v)) for an_index, p, v in a_list(values, "patches")}
        return self._family.made(
            DatasetParts(
                schema=self.get(values.get("schema"), Schema),
                origin=_origin_from_json(an_object(values, "origin")),
                columns=self.get(values.get("columns"), tuple),
                patches=patches,
                rows=None if rows is None else self.column(rows),
                base_ids=self.column(values.get("base_ids")),
                added_ids=self.column(values.get("added_ids")),
                weights=None if weights is None else self.column(weights),
            )
        )


def _cleaning_to_json(origin: DataOrigin) -> dict[str, Any]:
    """The cleaning rules of an origin; nothing without one, as in older files."""
    return {"cleaning": [rule.to_json() for rule in origin.cleaning]} if origin.cleaning else {}


def _origin_from_json(stored: Mapping[str, Any]) -> DataOrigin:
    path = None if stored.get("path") is None else a_text(stored, "path")
    return DataOrigin(
        a_text(stored, "name"),
        path,
        a_text(stored, "description"),
        tuple(strings_in(stored, "marks")),
        rules_from_json(a_list(stored, "cleaning")) if "cleaning" in stored else (),
        reading_from_json(an_object(stored, "reading")) if "reading" in stored else None,
        WholeFile.from_json(an_object(stored, "whole")) if "whole" in stored else None,
    )
