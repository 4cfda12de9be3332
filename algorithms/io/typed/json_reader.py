"""The program of the child process that reads JSON and JSON lines; it finds the table and flattens its records.

Its messages to :mod:`algorithms.io.typed.json_tables`, besides those of every such program
(:mod:`algorithms.io.child_program`), are these.

=========  ============================================================================================
message    content
=========  ============================================================================================
tables     the names of the lists of records in a single object; empty if it holds one table
opening    the ``table`` that is read, if it has a name
header     whether the first of those records that are lists holds names
block      ``n`` records, the ``names`` of further columns, and those ``columns`` with a value as [index,
           type, sizes of its bodies]: float64 numbers, a JSON list of texts and int32 codes into it, or
           a JSON list of cells; ``at`` is the number of bytes read so far
remarks    what became of keys that occur twice, and of lists
error      why the file is not read: ``encoding``, ``table`` (there is none of that name), ``syntax``, ``cut``,
           ``deep``, ``wide``, ``mixed``, ``unequal`` or ``no table``; with the line if one is to blame
=========  ============================================================================================
"""

from __future__ import annotations

import codecs
import json
import math
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, Final

from algorithms.io.child_program import RefusedError, run, send
from algorithms.io.text.options import MOST_COLUMNS

CELLS_AT_A_TIME: Final = 100_000
PIECE: Final = 1 << 20
LARGE_PIECE: Final = 64 << 20
"""A value that is not whole is parsed again with eight times the text, from this size on with twice the text."""
FIRST_ROWS: Final = 300
LONGEST_LIST: Final = 1024
"""Lists of numbers up to this become columns."""
DEEPEST: Final = 16
"""Objects within so many objects are left out."""
DEEPEST_TABLE: Final = 4
MOST_NAMES: Final = 1000
"""Number of names kept for a remark."""
_EXACT: Final = 1 << 53
_MANY_DIGITS: Final = 4000
_NONE: Final = type(None)
_NOTHING: Final = object()
_NUMBERS: Final[frozenset[type]] = frozenset({int, float})
_BLANKS: Final = re.compile(r"[ \t\r\n]*")
_DIGITS: Final = re.compile(r"\d+")
_IN_A_NUMBER: Final = ("", ".", "e", "E")
"""What may follow on a number that the end of the text cuts, though digits alone are a whole number."""
_NEAR_THE_END: Final = 20
"""An error within so many characters of what was read may be due to the end."""

Row = list[Any]
Record = Mapping[str, Any]


class Text:
    """The values in a text, which is read as far as the next one needs; ``doubled`` are keys that occur twice."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._utf8 = file, codecs.getincrementaldecoder("utf-8-sig")()
        self._text, self._position, self._is_whole, self._line = "", 0, False, 1
        self._decoder = json.JSONDecoder(strict=False, object_pairs_hook=self._object)
        self.doubled = dict[str, None]()

    @property
    def n_bytes(self) -> int:
        return self._file.tell()

    def peek(self) -> str:
        """The next character that is no blank; empty at the end."""
        while True:
            blanks = _BLANKS.match(self._text, self._position)
            self._position = blanks.end() if blanks else self._position
            if self._position < len(self._text):
                return self._text[self._position]
            if self._is_whole:
                return ""
            self._read_on()

    def skip(self) -> None:
        """Pass over the character that :meth:`peek` shows."""
        self._position += 1

    def value(self) -> Any:
        """The next value."""
        self.peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._position)
                if self._is_whole or self._text[end : end + 1] not in _IN_A_NUMBER:
                    self._position = end
                    return value
            except json.JSONDecodeError as error:
                unended = error.msg.startswith("Unterminated")
                if self._is_whole and (unended or error.pos >= len(self._text.rstrip())):
                    raise self.refusal("cut") from None
                if self._is_whole or not (unended or error.pos > len(self._text) - _NEAR_THE_END):
                    raise self.refusal("syntax", error.pos, reason=error.msg) from None
            except RecursionError:
                raise self.refusal("deep") from None
            except ValueError:  # a number of more digits than Python converts
                self._decoder = json.JSONDecoder(strict=False, object_pairs_hook=self._object, parse_int=_integer)
                continue
            self._read_on()

    def elements(self) -> Iterator[Any]:
        """The elements of the list that begins here."""
        self.skip()
        if self.peek() == "]":
            self.skip()
            return
        while True:
            yield self.value()
            mark = self.peek()
            if mark not in (",", "]"):
                raise self.refusal("syntax" if mark else "cut", reason="Expecting ',' delimiter")
            self.skip()
            if mark == "]":
                return

    def values(self) -> Iterator[Any]:
        """The values up to the end of the text; a comma may end each."""
        while True:
            if self.peek() == ",":
                self.skip()
            if not self.peek():
                return
            yield self.value()

    def refusal(self, why: str, position: int | None = None, **details: Any) -> RefusedError:
        position = self._position if position is None else position
        return RefusedError(why, line=self._line + self._text.count("\n", 0, position), **details)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record = dict(pairs)
        if len(record) < len(pairs) and len(self.doubled) < MOST_NAMES:
            keys = [key for key, _ in pairs]
            self.doubled.update(dict.fromkeys(key for key in record if keys.count(key) > 1))
        return record

    def _read_on(self) -> None:
        """Read several times as much as is not yet used."""
        rest = self._text[self._position :]
        self._line += self._text.count("\n", 0, self._position)
        size = max(PIECE, len(rest) * (7 if len(rest) < LARGE_PIECE else 1))
        part = self._file.read(size)
        self._is_whole = len(part) < size
        try:
            self._text, self._position = rest + self._utf8.decode(part, final=self._is_whole), 0
        except UnicodeDecodeError:
            raise RefusedError("encoding", line=self._line + rest.count("\n")) from None


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) < _MANY_DIGITS else digits


# ---- the table in the text -------------------------------------------------------------------------------------------


def _read(request: dict[str, Any]) -> None:
    with Path(request["path"]).open("rb") as file:
        text = Text(file)
        try:
            records, is_rows = _records(text, request)
            if request["want"] == "table":
                _send_table(text, records, request["header"] if is_rows else False, is_rows)
        except RecursionError:
            raise RefusedError("deep", line=1) from None


def _records(text: Text, request: dict[str, Any]) -> tuple[Iterator[Any], bool]:
    """The records of the table that is asked for, and whether they are lists."""
    begun = text.peek()
    if begun == "{":
        first = text.value()
        if text.peek():
            return _only_one_table(request, chain([first], text.values())), False
        return _of_object(first, request)
    if begun != "[":
        raise text.refusal("no table")
    elements = text.elements()
    first_element = next(elements, _NOTHING)
    if first_element is _NOTHING:
        return _only_one_table(request, _to_the_end(text, iter(()))), False
    if isinstance(first_element, (dict, list)):
        return _only_one_table(request, _to_the_end(text, chain([first_element], elements))), isinstance(
            first_element, list
        )
    row = [first_element, *elements]
    if text.peek():
        return _only_one_table(request, chain([row], text.values())), True
    return _only_one_table(request, ([cell] for cell in row)), True


def _to_the_end(text: Text, elements: Iterator[Any]) -> Iterator[Any]:
    yield from elements
    if text.peek():
        raise text.refusal("syntax", reason="Extra data")


def _only_one_table(request: dict[str, Any], records: Iterator[Any]) -> Iterator[Any]:
    """The records of a text without names of tables."""
    _announce({}, request)
    return records


def _announce(tables: Mapping[str, Any], request: dict[str, Any]) -> str | None:
    """Send the names of the tables if there are several, and return the one that is asked for."""
    names = list(tables) if len(tables) > 1 else []
    send("tables", names=names)
    wanted: str | None = request["table"]
    if wanted is not None and wanted not in tables:
        raise RefusedError("table", names=list(tables))
    table = wanted if wanted is not None else next(iter(names), None)
    if request["want"] == "table":
        send("opening", table=table)
    return table if table is not None else next(iter(tables), None)


def _of_object(value: dict[str, Any], request: dict[str, Any]) -> tuple[Iterator[Any], bool]:
    """The records in a single object: split, by column, by key, in lists inside it, or the object as the only one."""
    rows, names = value.get("data"), value.get("columns")
    if _is_list_of(rows, list) and _is_list_of(names, str):
        _announce({}, request)
        request["header"] = True
        return chain([names], rows or ()), True
    parts = list(value.values())
    if parts and all(isinstance(part, list) and not any(isinstance(cell, dict) for cell in part) for part in parts):
        return _only_one_table(request, _of_columns(value)), False
    if parts and all(isinstance(part, dict) and part for part in parts):
        if all(map(_DIGITS.fullmatch, chain.from_iterable(parts))):
            return _only_one_table(request, _of_numbered_cells(value)), False
        if len(parts) > 1 and set(parts[0]).intersection(*parts[1:]):
            name = next(name for name in ("key", "key_", "key__", "(key)") if name not in parts[0])
            return _only_one_table(request, ({name: key, **record} for key, record in value.items())), False
    described = _is_list_of(rows, dict) and "schema" in value  # Table Schema, whose description is a list too
    lists = [("data", value["data"])] if described else list(_tables(value))
    names = _distinct([path for path, _ in lists])  # a key with a point may give the path of another list
    tables = {name: records for name, (_, records) in zip(names, lists, strict=True)}
    table = _announce(tables, request)
    return (iter([value]) if table is None else iter(tables[table])), False


def _is_list_of(value: object, kind: type) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(part, kind) for part in value)


def _tables(value: dict[str, Any], prefix: str = "", depth: int = 1) -> Iterator[tuple[str, list[Any]]]:
    """The lists of objects in an object, by their path in it."""
    for key, part in value.items():
        if _is_list_of(part, dict):
            yield f"{prefix}{key}", part
        elif isinstance(part, dict) and depth < DEEPEST_TABLE:
            yield from _tables(part, f"{prefix}{key}.", depth + 1)


def _of_columns(columns: Mapping[str, list[Any]]) -> Iterator[Record]:
    if len(set(map(len, columns.values()))) > 1:
        raise RefusedError("unequal")
    return (dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True))


def _of_numbered_cells(columns: Mapping[str, Mapping[str, Any]]) -> Iterator[Record]:
    numbers = dict.fromkeys(chain.from_iterable(columns.values()))
    return ({name: cells.get(number) for name, cells in columns.items()} for number in numbers)


# ---- records to columns ----------------------------------------------------------------------------------------------


class _Columns:
    """The columns of blocks of records, and what became of keys and lists, by the names of the columns."""

    def __init__(self) -> None:
        self._index_of = dict[str, int]()
        self._block = dict[str, Row]()
        self.notes: dict[str, dict[str, None]] = {}

    def note(self, what: str, name: str) -> None:
        names = self.notes.setdefault(what, {})
        if len(names) < MOST_NAMES:
            names[name] = None

    def send(self, records: list[Record], n_bytes: int) -> None:
        """Send the records as one block, or as several if most of their keys differ."""
        keys = dict.fromkeys(chain.from_iterable(records))
        if len(records) > 1 and len(records) * len(keys) > 4 * CELLS_AT_A_TIME:
            half = len(records) // 2
            self.send(records[:half], n_bytes)
            self.send(records[half:], n_bytes)
            return
        n_before = len(self._index_of)
        self._block = {}
        self._add_objects("", records, 1)
        columns, bodies = list[tuple[int, str, list[int]]](), list[bytes]()
        for name, cells in self._block.items():
            index = self._index_of.setdefault(name, len(self._index_of))
            if index >= MOST_COLUMNS:
                raise RefusedError("wide")
            type_, parts = _encoded(cells)
            columns.append((index, type_, list(map(len, parts))))
            bodies += parts
        names = [_sound(name) for name in islice(self._index_of, n_before, None)]
        send("block", bodies, n=len(records), names=names, columns=columns, at=n_bytes)

    def _add_objects(self, prefix: str, objects: Sequence[Record], depth: int) -> None:
        for key in dict.fromkeys(chain.from_iterable(objects)):
            self._add_values(f"{prefix}{key}", [each.get(key) for each in objects], depth)

    def _add_values(self, name: str, values: Row, depth: int) -> None:
        types, n_before = set(map(type, values)), len(self._block)
        if dict in types and depth > DEEPEST:
            self.note("nested objects", name)
        elif dict in types:
            objects: list[Record] = [value if type(value) is dict else {} for value in values]
            self._add_objects(f"{name}.", objects, depth + 1)
        if list in types:
            values = self._without_lists(name, values)
        elif dict in types:
            values = [None if type(value) is dict else value for value in values]
        is_elsewhere = len(self._block) > n_before or any(name in names for names in self.notes.values())
        if not is_elsewhere or any(value is not None for value in values):
            self._add_cells(name, values)

    def _without_lists(self, name: str, values: Row) -> Row:
        """The values without objects and lists, but with texts for lists of texts; lists of numbers become columns."""
        kept: Row = [None] * len(values)
        spread = list[Row]()
        for row, value in enumerate(values):
            if type(value) is not list:
                kept[row] = value if type(value) is not dict else None
                continue
            types = set(map(type, value))
            if types & {dict, list}:
                self.note("lists of objects" if dict in types else "lists of lists", name)
            elif not types <= {int, float, _NONE}:
                self.note("joined", name)
                kept[row] = ", ".join(_spelled(part) for part in value if part is not None)
            elif len(value) > LONGEST_LIST:
                self.note("long lists", name)
            else:
                while len(spread) < len(value):
                    spread.append([None] * len(values))
                for column, part in zip(spread, value, strict=False):
                    column[row] = part
        if spread:
            self.note("spread", name)
        for index, column in enumerate(spread):
            self._add_cells(f"{name}[{index}]", column)
        return kept

    def _add_cells(self, name: str, cells: Row) -> None:
        """Add a column; a key with a point and an object may give the same name."""
        others = self._block.get(name)
        if others is None:
            self._block[name] = cells
            return
        if any(cell is not None and other is not None for cell, other in zip(cells, others, strict=True)):
            self.note("doubled", name)
        self._block[name] = [cell if other is None else other for cell, other in zip(cells, others, strict=True)]


def _spelled(value: object) -> str:
    return ("TRUE" if value else "FALSE") if isinstance(value, bool) else str(value)


def _sound(text: str) -> str:
    """The text with a replacement for NUL, and for halves of characters, which no encoding has."""
    text = text.replace("\0", "\ufffd")
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _encoded(cells: Row) -> tuple[str, list[bytes]]:
    """The type of a block of cells and its bodies."""
    types = set(map(type, cells)) - {_NONE}
    if int in types and any(type(cell) is int and not -_EXACT < cell < _EXACT for cell in cells):
        cells = [str(cell) if type(cell) is int and not -_EXACT < cell < _EXACT else cell for cell in cells]
        types = set(map(type, cells)) - {_NONE}
    if types <= _NUMBERS:
        return "numbers", [array("d", [math.nan if cell is None else cell for cell in cells]).tobytes()]
    if types <= {str, bool}:
        code_of: dict[Any, int] = {}
        codes = array("i", [-1 if cell is None else code_of.setdefault(cell, len(code_of)) for cell in cells])
        return "texts", [json.dumps([_sound(_spelled(text)) for text in code_of]).encode(), codes.tobytes()]
    sound = ["" if cell is None else _sound(cell) if type(cell) is str else cell for cell in cells]
    return "cells", [json.dumps(sound).encode()]


def _send_table(text: Text, records: Iterator[Any], header: bool | None, is_rows: bool) -> None:
    columns, block, n_cells = _Columns(), list[Record](), 0
    for record in _named(records, header) if is_rows else records:
        if record is None:
            continue
        if type(record) is not dict:
            raise text.refusal("mixed")
        block.append(record)
        n_cells += 1 + len(record)
        if n_cells >= CELLS_AT_A_TIME:
            columns.send(block, text.n_bytes)
            block, n_cells = [], 0
    columns.send(block, text.n_bytes)
    for name in text.doubled:
        columns.note("doubled", name)
    send("remarks", notes={what: list(map(_sound, names)) for what, names in columns.notes.items()})


def _named(rows: Iterator[Any], header: bool | None) -> Iterator[Any]:
    """The rows as records; the names are in the first row, or numbers."""
    first = list(islice(rows, FIRST_ROWS))
    if header is None:
        header = _has_names(first)
    send("header", header=header)
    names = _distinct(list(map(_spelled, first.pop(0))) if header and first and type(first[0]) is list else [])
    for row in chain(first, rows):
        if type(row) is not list:
            yield row
            continue
        if len(row) > len(names):
            names += _distinct([f"Column {number}" for number in range(len(names) + 1, len(row) + 1)], names)
        yield dict(zip(names, row, strict=False))


def _distinct(names: Sequence[str], taken: Sequence[str] = ()) -> list[str]:
    """The names, with their number behind those that are empty, recur or are ``taken``: one for each column."""
    times, distinct = Counter(names), list[str]()
    kept = {name for name in times if times[name] == 1 and name.strip() and name not in taken}
    used = {*kept, *taken}
    for number, name in enumerate(names, 1):
        own = name if name in kept else f"{name} [{number}]"
        while name not in kept and own in used:
            own = f"{own} [{number}]"
        used.add(own)
        distinct.append(own)
    return distinct


def _has_names(rows: list[Any]) -> bool:
    """Whether the first row holds distinct texts, with other types below one of them or none that recurs."""
    names, *rest = rows or [None]
    if type(names) is not list or not rest or not _is_list_of(names, str) or len(set(names)) < len(names):
        return False
    below = [[row[at] for row in rest if type(row) is list and at < len(row)] for at in range(len(names))]
    if any(cells and all(type(cell) in (int, float) for cell in cells if cell is not None) for cells in below):
        return True
    return not any(name in cells for name, cells in zip(names, below, strict=True)) and len(names) > 1


if __name__ == "__main__":
    run(_read)
