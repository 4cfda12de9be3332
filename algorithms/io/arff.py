"""ARFF, Weka's attribute-relation file format: parser of the header, parser of the records, and the reader.

Blocks of plain lines use the same fast parser as delimited text. Blocks with escapes, sparse records, weights, comments
or errors are parsed line by line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import LARGEST_EXACT, STRING, FloatArray, smallest_code_dtype
from algorithms.data.convert_kind import recast
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.dates import check_format, parse_date_columns
from algorithms.data.number_formats import NumberFormat
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.io.column_meaning import kind_by_recurrence, with_guessed_class
from algorithms.io.column_pieces import CodePiece, NumberPiece, Storage, StringPiece, string_pieces
from algorithms.io.missing_marks import EXACT_DIGITS, is_beyond_floats
from algorithms.io.text.layout_recognition import TextLayout, recognise_encoding
from algorithms.io.text.options import ReadOptions, refuse_too_wide
from algorithms.io.text.parsing import ParsingPlan, evenly_delimited, try_columns
from algorithms.io.text.text_source import (
    LARGEST_BLOCK,
    RecordFormat,
    TextBlock,
    TextFile,
    block_size,
    blocks,
    helpers,
    in_fitting_encoding,
    in_order,
)

ISO_FORMAT: Final = "yyyy-MM-dd'T'HH:mm:ss"

_TOKEN: Final = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{},'"]+))""")
_VALUE: Final = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,]*))\s*(?:,|$)""")
_QUOTED: Final = {"'": re.compile(r"(?:[^'\\]|\\.)*+'"), '"': re.compile(r'(?:[^"\\]|\\.)*+"')}
_MARK: Final = re.compile(r"""['"}]""")
_DECLARATION: Final = re.compile(r"@(attribute|data)\b", re.I)
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.S)
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r"}
_DATE_PARTS: Final = {
    "yyyy": "%Y",
    "yy": "%y",
    "MMMM": "%B",
    "MMM": "%b",
    "MM": "%m",
    "M": "%m",
    "dd": "%d",
    "d": "%d",
    "HH": "%H",
    "H": "%H",
    "hh": "%I",
    "h": "%I",
    "mm": "%M",
    "m": "%M",
    "ss": "%S",
    "s": "%S",
    "SSS": "%f",
    "S": "%f",
    "a": "%p",
    "EEEE": "%A",
    "EEE": "%a",
    "E": "%a",
    "Z": "%z",
    "z": "%Z",
    "X": "%z",
    "XXX": "%z",
}


@dataclass(frozen=True)
class ArffHeader:
    """The header of an ARFF file: relation name, declared attributes, and date patterns by attribute index."""

    relation: str
    attributes: tuple[Attribute, ...]
    date_patterns: dict[int, str]
    n_lines: int

    def date_format(self, index: int) -> str:
        """The ``strptime`` format of a date attribute; empty for other attributes."""
        return python_date_format(self.date_patterns[index]) if index in self.date_patterns else ""


def unescaped(text: str) -> str:
    """The text with its backslash escapes resolved."""
    if "\\" not in text:
        return text

    def one(match: re.Match[str]) -> str:
        code = match.group(1)
        return chr(int(code[1:], 16)) if len(code) == 5 else _ESCAPED.get(code, code)

    # two escapes may be a surrogate pair; a lone surrogate is replaced
    return _ESCAPE.sub(one, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def read_header(lines: Iterator[str], source: TextFile) -> ArffHeader:
    """The header up to and including the line @data; raises :class:`DataError` with the line if it is invalid."""
    relation, number = "", 0
    attributes: list[Attribute] = []
    taken: set[str] = set()
    patterns: dict[int, str] = {}
    for line in lines:
        number += 1
        text = line.strip()
        if not text or text.startswith("%"):
            continue
        word = text.split(None, 1)[0].lower()
        if word == "@relation":
            match = _TOKEN.match(text[len("@relation") :])
            relation = unescaped(_chosen(match)) if match else ""
        elif word == "@attribute":
            first = number
            refuse_too_wide(len(attributes) + 1, source.place(first))
            name = _TOKEN.match(text, len("@attribute"))  # it may hold a brace, in quotes
            declared = "" if name is None else text[name.end() :].lstrip()
            more = _rest_of_values(declared, lines) if declared.startswith("{") else []
            number += len(more)
            _attribute(" ".join([text, *more]), attributes, taken, patterns, source.place(first))
        elif word == "@data":
            if not attributes:
                raise DataError(
                    "No attribute is declared before @data.", remedy="Is the file complete?", place=source.place(number)
                )
            return ArffHeader(relation, tuple(attributes), patterns, number)
        elif word == "@end":
            continue
        else:
            raise DataError(
                f"This line is neither a comment nor a declaration: {text[:40]!r}.",
                remedy="Lines before @data begin with @relation, @attribute or %.",
                place=source.place(number),
            )
    raise DataError(
        "The file ends before its records begin: there is no line @data.",
        remedy="The file may have been cut off; fetch it again.",
        place=source.place(number),
    )


def _chosen(match: re.Match[str]) -> str:
    return next((group for group in match.groups() if group is not None), "")


def _rest_of_values(text: str, lines: Iterator[str]) -> list[str]:
    """Further lines of the values begun in ``text``, up to a closing brace or the next declaration, each read once."""
    more: list[str] = []
    is_closed, quote = _closes(text, "")
    while not is_closed:
        line = next(lines, None)
        if line is None or (not quote and _DECLARATION.match(line.strip())):
            break
        more.append(line.strip())
        is_closed, quote = _closes(more[-1], quote)
    return more


def _closes(line: str, quote: str) -> tuple[bool, str]:
    """Whether a list of values closes in this line, and the quote that is open at its end ("" for none).

    ``quote`` is the one open at the start. A quote that never closes is an ordinary character, and a brace after it
    closes the list.
    """
    position = 0
    while True:
        if quote:
            end = _QUOTED[quote].match(line, position)
            if end is None:
                return "}" in line[position:], quote
            position = end.end()
        mark = _MARK.search(line, position)
        if mark is None or mark[0] == "}":
            return mark is not None, ""
        quote, position = mark[0], mark.end()


def _attribute(text: str, attributes: list[Attribute], taken: set[str], patterns: dict[int, str], place: str) -> None:
    rest = text[len("@attribute") :]
    match = _TOKEN.match(rest)
    if match is None:
        raise DataError("An attribute without a name is declared.", remedy="Give it a name.", place=place)
    name = unescaped(_chosen(match)).strip()
    declared = rest[match.end() :].strip()
    if name in taken:
        raise DataError(
            f"Two attributes are named {name!r}.", remedy="Give one of them another name in the file.", place=place
        )
    taken.add(name)
    kind = declared.split(None, 1)[0].lower() if declared else ""
    if declared.startswith("{"):
        attributes.append(Attribute(name, AttributeKind.NOMINAL, _values(declared, name, place)))
    elif re.match(r"(numeric|real|integer)\b", kind):
        attributes.append(Attribute(name, AttributeKind.NUMERIC))
    elif kind == "string":
        attributes.append(Attribute(name, AttributeKind.TEXT))
    elif kind == "date":
        given = _TOKEN.match(declared[len("date") :])
        patterns[len(attributes)] = pattern = unescaped(_chosen(given)) if given else ISO_FORMAT
        _check_pattern(name, pattern, place)
        attributes.append(Attribute(name, AttributeKind.DATE))
    elif kind == "relational":
        raise DataError(
            f"The attribute {name!r} holds tables within records, which cannot be learned from here.",
            remedy="Export the data with one row a record and without relational attributes.",
            place=place,
        )
    else:
        raise DataError(
            f"The attribute {name!r} has the unknown type {declared[:30]!r}.",
            remedy="Types are numeric, real, integer, string, date, or values in braces.",
            place=place,
        )


def _check_pattern(name: str, pattern: str, place: str) -> None:
    try:
        check_format(python_date_format(pattern))
    except DataError:
        raise DataError(
            f"The dates of {name!r} cannot be read by the pattern {pattern!r}.",
            remedy="Write one that names each part of a date once, such as yyyy-MM-dd.",
            place=place,
        ) from None


def _values(declared: str, name: str, place: str) -> tuple[str, ...]:
    inside = declared[1:].strip()
    end = len(inside) - len(re.sub(r"\}[^}]*$", "", inside))
    if end == 0:
        raise DataError(f"Attribute {name!r} is not closed.", remedy="Close it with a brace.", place=place)
    inside = inside[: len(inside) - end].strip()
    values: list[str] = []
    position = 0
    while position < len(inside):
        match = _VALUE.match(inside, position)
        if match is None:
            raise DataError(
                f"The values of {name!r} cannot be told apart near {inside[position : position + 20]!r}.",
                remedy="Put commas between them and quotes around those with blanks.",
                place=place,
            )
        value = unescaped(_chosen(match)) if match.group(3) is None else match.group(3).strip()
        if value or match.group(3) is None:
            values.append(value)
        position = match.end()
    if len(set(values)) < len(values):
        twice = next(value for value, count in Counter(values).items() if count > 1)
        raise DataError(
            f"The value {twice!r} of {name!r} is declared twice.", remedy="Declare each value once.", place=place
        )
    return tuple(values)


@lru_cache(maxsize=256)  # the attributes of a wide table have few patterns
def python_date_format(java: str) -> str:
    """The ``strptime`` format of a date pattern of Java's SimpleDateFormat."""
    parts: list[str] = []
    for match in re.finditer(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+", java):
        text = match.group(0)
        if text.startswith("'"):
            parts.append((match.group(1) or "'").replace("''", "'").replace("%", "%%"))
        else:
            parts.append(_DATE_PARTS.get(text, text.replace("%", "%%") if not text.isalpha() else text))
    return "".join(parts)


Cell = str | None
ArffColumn = NDArray[Any] | StringPiece

_FIELD: Final = re.compile(r"""\s*(?:(?:'((?:[^'\\]|\\.)*+)'|"((?:[^"\\]|\\.)*+)")\s*+|([^,]*+))(?:,|$)""", re.S)
_WORD: Final = re.compile(r"""'((?:[^'\\]|\\.)*+)'|"((?:[^"\\]|\\.)*+)"|([^,\s]+)""", re.S)
_WEIGHT: Final = re.compile(r"\{\s*([0-9.eE+-]+)\s*\}")
_LINE: Final = re.compile(rb"[^\n]+")
_FURTHER: Final = 1000
"""Number of fields beyond the declared ones that are counted in a record with too many."""
_SPARSE: Final = re.compile(r"\{(.*)\}\s*$", re.S)
_INDEX: Final = re.compile(r"\s*(\d{1,9})\s+", re.ASCII)
_INTEGER: Final = re.compile(r"[+-]?\d+", re.ASCII)
_NUMBERS: Final = NumberFormat()


@dataclass(frozen=True, eq=False)
class ArffPart:
    """The records of one block as columns in their final type; ``weights`` is None if none are given."""

    block: TextBlock
    columns: Sequence[ArffColumn]
    weights: NDArray[np.float64] | None
    n_records: int


class LongIntegers(Exception):  # noqa: N818  (no error: the columns are read again as strings)
    """Numeric attributes hold integers that floats cannot represent exactly."""

    def __init__(self, indices: Collection[int]) -> None:
        super().__init__(indices)
        self.indices = frozenset(indices)


def parse_lines(block: TextBlock, header: ArffHeader, file_name: str, checkpoint: Callable[[], None]) -> ArffPart:
    """The records of the block; raises :class:`DataError` with line, column and remedy for the first error."""
    rows: list[list[Cell]] = []
    weights: list[float] = []
    numbers: list[int] = []
    number, start = block.first_line, 0
    for line in _LINE.finditer(block.data):  # blank lines may be very many
        number, start = number + block.data.count(b"\n", start, line.start()), line.start()
        if len(rows) % 1000 == 0:
            checkpoint()
        text = line[0].decode("utf-8").strip()
        if not text or text.startswith("%"):
            continue
        place = f"{file_name}, line {number}"
        row, weight = _record(text, header, place)
        rows.append(row)
        weights.append(weight)
        numbers.append(number)
    cells: Sequence[Sequence[Cell]] = list(zip(*rows, strict=True)) if rows else [()] * len(header.attributes)
    by_kind = {kind: [i for i, a in enumerate(header.attributes) if a.kind is kind] for kind in AttributeKind}
    wide = [i for i in by_kind[AttributeKind.NUMERIC] if any(map(_is_long_integer, cells[i]))]
    if wide:
        raise LongIntegers(wide)
    dates = _dates(header, {i: cells[i] for i in by_kind[AttributeKind.DATE]})
    strings = _strings({i: cells[i] for i in by_kind[AttributeKind.TEXT]})
    columns: list[ArffColumn] = []
    for index in range(len(header.attributes)):
        checkpoint()
        if index in strings:
            columns.append(strings[index])
        else:
            columns.append(_column(header, index, cells[index], dates.get(index), numbers, file_name))
    weighted = None if all(weight == 1.0 for weight in weights) else np.array(weights)
    return ArffPart(block, columns, weighted, len(rows))


def _record(text: str, header: ArffHeader, place: str) -> tuple[list[Cell], float]:
    """The cells of a record (None if missing) and its weight."""
    weight = 1.0
    brace = text.rfind("{") if text.endswith("}") else -1
    weight_match = _WEIGHT.fullmatch(text, brace) if brace > 0 else None
    if weight_match is not None and (before := _without_end(text[:brace])):
        weight = _weight(weight_match.group(1), place)
        text = before
    if text.startswith("{"):
        return _sparse(text, header, place), weight
    expected = len(header.attributes)
    most = expected + _FURTHER
    cells = list(islice(_fields(text), most))
    if len(cells) != expected and "%" in text:
        cells = list(islice(_fields(re.sub(r"(^|[\s,])%.*$", "", text)), most))
    if len(cells) != expected:
        words = list(islice(map(_cell, _WORD.finditer(text)), most))
        cells = words if len(words) == expected else cells
    if len(cells) != expected:
        values = "1 value" if len(cells) == 1 else f"{len(cells)} values"
        values = f"{most} values or more" if len(cells) == most else values
        raise DataError(
            f"This record has {values} where {expected} attributes are declared.",
            remedy="Correct the line; a value with a comma or a blank needs quotes.",
            place=place,
        )
    return cells, weight


def _without_end(text: str) -> str:
    """The text without trailing commas and blanks."""
    end = len(text)
    while end and (text[end - 1] == "," or text[end - 1].isspace()):
        end -= 1
    return text[:end]


def _weight(text: str, place: str) -> float:
    weight = _NUMBERS.parse(text)
    if not weight >= 0:
        raise DataError(
            f"{text!r} is not a weight.", remedy="A weight is a number of zero or more in braces.", place=place
        )
    return weight


def _cell(match: re.Match[str]) -> Cell:
    single, double, plain = match.groups()
    if plain is not None:
        plain = plain.rstrip()
        return None if plain in ("?", "") else plain
    return unescaped(single if single is not None else double)


def _fields(text: str) -> Iterator[Cell]:
    position = 0
    while position <= len(text):
        match = _FIELD.match(text, position)
        if match is None:
            yield text[position:]
            return
        yield _cell(match)
        if match.end() == len(text) and not match.group(0).endswith(","):
            return
        position = match.end()


def _sparse(text: str, header: ArffHeader, place: str) -> list[Cell]:
    """The cells of a sparse record; values that are not listed are 0 or the first nominal value."""
    inside = _SPARSE.match(text)
    if inside is None:
        raise DataError("A sparse record is not closed.", remedy="Close it with a brace.", place=place)
    cells: list[Cell] = [_default(attribute) for attribute in header.attributes]
    position, body, n_listed = 0, inside.group(1).strip(), 0
    while position < len(body):
        n_listed += 1
        index = _INDEX.match(body, position)
        match = _FIELD.match(body, index.end()) if index else None
        if index is None or match is None or int(index.group(1)) >= len(cells) or n_listed > len(cells):
            raise DataError(
                f"A sparse record cannot be read near {body[position : position + 20]!r}.",
                remedy=f"It lists attribute numbers from 0 to {len(cells) - 1}, each with a value.",
                place=place,
            )
        cells[int(index.group(1))] = _cell(match)
        position = match.end()
    return cells


def _default(attribute: Attribute) -> Cell:
    if attribute.kind is AttributeKind.NOMINAL:
        return attribute.values[0] if attribute.values else None
    return "0" if attribute.kind is AttributeKind.NUMERIC else None


def _is_long_integer(cell: Cell) -> bool:
    """Whether a cell is an integer that floats cannot represent exactly."""
    if cell is None or len(cell) <= EXACT_DIGITS or _INTEGER.fullmatch(cell) is None:
        return False
    return is_beyond_floats(cell)


def _dates(header: ArffHeader, columns: Mapping[int, Sequence[Cell]]) -> dict[int, FloatArray]:
    """The values of date attributes by index, NaN for what is missing or no date; those of one pattern at once."""
    alike: dict[str, list[int]] = {}
    for index in columns:
        alike.setdefault(header.date_format(index), []).append(index)
    values: dict[int, FloatArray] = {}
    for format, indices in alike.items():
        texts = [[cell or "" for cell in columns[index]] for index in indices]
        values.update(zip(indices, parse_date_columns(texts, format), strict=True))
    return values


def _strings(columns: Mapping[int, Sequence[Cell]]) -> dict[int, StringPiece]:
    """The values of text attributes by index, nan for what is missing."""
    if not columns:
        return {}
    cells = np.empty((len(columns), len(next(iter(columns.values())))), dtype=object)
    for place, column in enumerate(columns.values()):
        cells[place] = [np.nan if cell is None else cell for cell in column]
    return dict(zip(columns, string_pieces(cells), strict=True))


def _column(
    header: ArffHeader,
    index: int,
    cells: Sequence[Cell],
    dates: FloatArray | None,
    lines: Sequence[int],
    file_name: str,
) -> FloatArray | NDArray[np.signedinteger[Any]]:
    """The codes, numbers or ``dates`` of an attribute; raises :class:`DataError` for a cell without a value."""
    attribute = header.attributes[index]
    if attribute.kind is AttributeKind.NOMINAL:
        code_of: dict[Cell, int] = {value: code for code, value in enumerate(attribute.values)}
        code_of[None] = -1
        codes = [code_of.get(cell, -2) for cell in cells]
        if -2 in codes:
            unknown = codes.index(-2)
            raise undeclared(attribute, cells[unknown] or "", f"{file_name}, line {lines[unknown]}")
        return np.array(codes, dtype=smallest_code_dtype(len(attribute.values)))
    texts = [cell or "" for cell in cells]
    values = np.array([_NUMBERS.parse(text) for text in texts], dtype=np.float64) if dates is None else dates
    for unknown in np.flatnonzero(np.isnan(values)).tolist():
        infinite = attribute.kind is AttributeKind.NUMERIC and _infinite_or_nan(texts[unknown])
        if cells[unknown] is not None and not infinite:
            pattern = header.date_patterns.get(index, "")
            raise _no_value(attribute, texts[unknown], pattern, f"{file_name}, line {lines[unknown]}")
    return values


def _infinite_or_nan(text: str) -> bool:
    return text.strip().lower().lstrip("+-") in ("nan", "inf", "infinity") or _NUMBERS.matches(text)


def undeclared(attribute: Attribute, value: str, place: str) -> DataError:
    """The error for a nominal value that the header does not declare."""
    declared = ", ".join(attribute.values[:6]) + (", ..." if len(attribute.values) > 6 else "")
    return DataError(
        f"Column {attribute.name!r} holds {value!r}, which the header does not declare ({declared}).",
        remedy="Correct the value, or add it to the attribute's list in the header.",
        place=place,
    )


def _no_value(attribute: Attribute, text: str, pattern: str, place: str) -> DataError:
    what = "a number" if attribute.kind is AttributeKind.NUMERIC else f"a date like {pattern}"
    return DataError(
        f"Column {attribute.name!r} holds {text!r}, which is not {what}.",
        remedy="Correct the value, or write ? where it is missing.",
        place=place,
    )


_COMMENT_LINE: Final = re.compile(rb"^[ \t]*(?:%.*)?\r?\n", re.M)
_STORED: Final = {AttributeKind.NUMERIC: Storage.NUMBERS, AttributeKind.NOMINAL: Storage.CODES}


def is_arff(head: bytes) -> bool:
    """Whether a text begins like ARFF: comments, then @relation or @attribute."""
    text = head.decode("utf-8", "ignore").lstrip("\ufeff")
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("%"):
            return line.lstrip().lower().startswith(("@relation", "@attribute"))
    return False


def read_arff(source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
    """The table in an ARFF file; raises :class:`DataError` with the line of any error."""

    def attempt(encoding: str | None) -> Dataset:
        recognised = encoding or recognise_encoding(source.head(1 << 18))
        spelled: frozenset[int] = frozenset()
        while True:
            try:
                with helpers(context.executor, source.size > LARGEST_BLOCK) as executor:
                    return _ArffReading(source, context, options, recognised, executor, spelled).table()
            except LongIntegers as wide:
                spelled |= wide.indices

    return in_fitting_encoding(source, options.encoding, attempt)


class _ArffReading:
    """The state of one reading of one file."""

    def __init__(
        self,
        source: TextFile,
        context: RunContext,
        options: ReadOptions,
        encoding: str,
        executor: Executor | None,
        spelled: frozenset[int],
    ) -> None:
        self.source, self.context, self.options = source, context, options
        self.encoding, self.executor = encoding, executor
        first = next(source.text(encoding, guessed=options.encoding is None), b"")
        self.carriage_returns = b"\r" in first and b"\n" not in first
        self.header = _with_strings(read_header(self._lines(), source), spelled)
        storage = tuple(_STORED.get(a.kind, Storage.STRINGS) for a in self.header.attributes)
        self.plans = {
            quote: ParsingPlan(_layout(encoding, quote, self.header), storage, ("", "?"), "refuse", source.name)
            for quote in ("", "'", '"')
        }

    def table(self) -> Dataset:
        self.context.say(f"Reading {self.source.name}")
        parts = list(in_order(self.executor, self._parsed, self._blocks(), self.context.checkpoint))
        n_records = sum(part.n_records for part in parts)
        if n_records == 0:
            raise DataError(
                f"{self.source.name} declares attributes but holds no records.",
                remedy="Choose a file with records after @data.",
                place=self.source.name,
            )
        columns: list[Any] = []
        attributes: list[Attribute] = []
        named = self.options.class_name
        schema = with_guessed_class(Schema(self.header.attributes), None)
        last = schema.class_index
        for index, attribute in enumerate(self.header.attributes):
            self.context.checkpoint()
            column = _whole([part.columns[index] for part in parts])
            is_class = attribute.name == named if named else index == last
            final, values = _final_column(attribute, column, is_class)
            attributes.append(final)
            columns.append(values)
        weights = _weights(parts)
        origin = DataOrigin(self.source.path.stem, str(self.source.path), self.header.relation)
        data = Dataset(Schema(tuple(attributes)), columns, weights=weights, origin=origin)
        for name, kind in self.options.kinds.items():
            if name in data.schema:
                data = recast(data, data.schema.index_of(name), kind, self.context.checkpoint)
        return data.with_schema(with_guessed_class(data.schema, self.options.class_name))

    def _lines(self) -> Iterator[str]:
        kept = b""
        for piece in self.source.text(self.encoding, guessed=self.options.encoding is None):
            piece = piece.replace(b"\r", b"\n") if self.carriage_returns else piece
            *lines, kept = (kept + piece).split(b"\n")
            for line in lines:
                yield line.decode("utf-8")
        if kept:
            yield kept.decode("utf-8")

    def _blocks(self) -> Iterator[TextBlock]:
        pieces = self.source.text(self.encoding, guessed=self.options.encoding is None)
        size = block_size(self.source, len(self.header.attributes))
        skip = self.header.n_lines
        for block in blocks(pieces, RecordFormat(b",", b"", self.carriage_returns), size, self.source):
            self.context.advance(self.source.position, max(1, self.source.size))
            lines = block.data.count(b"\n")
            if skip >= lines:
                skip -= lines
                continue
            data = block.data.split(b"\n", skip)[-1]
            yield TextBlock(block.index, block.first_line + skip, data)
            skip = 0

    def _parsed(self, block: TextBlock) -> ArffPart:
        data = _COMMENT_LINE.sub(b"", block.data) if b"%" in block.data else block.data
        quote = _quote_of(data)
        if quote is not None and data.strip():
            part = _parsed_fast(TextBlock(block.index, block.first_line, data), self.header, self.plans[quote])
            if part is not None:
                return part
        return parse_lines(block, self.header, self.source.name, self.context.checkpoint)


def _with_strings(header: ArffHeader, spelled: frozenset[int]) -> ArffHeader:
    """The header with the attributes at these indices changed to strings."""
    attributes = tuple(
        Attribute(attribute.name, AttributeKind.TEXT) if index in spelled else attribute
        for index, attribute in enumerate(header.attributes)
    )
    return replace(header, attributes=attributes)


def _layout(encoding: str, quote: str, header: ArffHeader) -> TextLayout:
    names = tuple(attribute.name for attribute in header.attributes)
    return TextLayout(encoding, ",", quote, ".", "", False, False, names)


def _quote_of(data: bytes) -> str | None:
    """The only quote character in the block ("" for none); None if it must be parsed line by line."""
    if b"\\" in data or b"{" in data or b"%" in data:
        return None
    single, double = b"'" in data, b'"' in data
    if single and double:
        return None
    quote = b"'" if single else b'"'
    if (single or double) and quote + b"?" + quote in data:
        return None
    return quote.decode() if single or double else ""


def _parsed_fast(block: TextBlock, header: ArffHeader, plan: ParsingPlan) -> ArffPart | None:
    """The records of the block from the fast parser; None if the block is not plain enough for it."""
    if not evenly_delimited(block.data, plan):
        return None
    try:
        pieces = try_columns(block.data, plan, range(len(plan.storage)))
    except pd.errors.ParserError:
        return None
    if pieces is None:
        return None
    spelled = {i: _present(piece) for i, piece in pieces.items() if isinstance(piece, StringPiece)}
    days = [i for i in spelled if header.attributes[i].kind is AttributeKind.DATE]
    dates = _dates(header, {i: [v if isinstance(v, str) else None for v in spelled[i].values.tolist()] for i in days})
    if any(not np.array_equal(np.isnan(values), np.isnan(spelled[i].values)) for i, values in dates.items()):
        return None
    columns: list[ArffColumn] = []
    for index, attribute in enumerate(header.attributes):
        piece = pieces[index]
        if isinstance(piece, StringPiece):
            columns.append(dates[index] if index in dates else spelled[index])
            continue
        values = _plain_column(attribute, piece)
        if values is None:
            return None
        columns.append(values)
    return ArffPart(block, columns, None, len(pieces[0]))


def _present(piece: StringPiece) -> StringPiece:
    """The strings, nan for missing markers."""
    missing = (piece.values == "?") | (piece.values == "")
    values = piece.values.copy()
    values[missing] = np.nan
    return StringPiece(values, piece.hashes)


def _plain_column(attribute: Attribute, piece: NumberPiece | CodePiece) -> NDArray[Any] | None:
    if isinstance(piece, NumberPiece):
        with np.errstate(invalid="ignore"):
            too_large = piece.infinite or np.any(np.abs(piece.values) >= LARGEST_EXACT)
            return None if too_large else piece.values
    code_of = {value: code for code, value in enumerate(attribute.values)}
    table = [-1 if s in ("?", "") else code_of.get(s, -2) for s in piece.spellings]
    if -2 in table:
        return None
    return np.array([*table, -1], dtype=smallest_code_dtype(len(attribute.values)))[piece.codes]


def _whole(parts: Sequence[ArffColumn]) -> ArffColumn:
    if len(parts) == 1:
        return parts[0]
    pieces = [part for part in parts if isinstance(part, StringPiece)]
    if pieces:
        values = np.empty(sum(map(len, pieces)), dtype=STRING)
        start = 0
        for piece in pieces:
            values[start : start + len(piece)] = piece.values
            start += len(piece)
        return StringPiece(values, np.concatenate([piece.hashes for piece in pieces]))
    return np.concatenate([part for part in parts if not isinstance(part, StringPiece)])


def _final_column(attribute: Attribute, column: ArffColumn, is_class: bool) -> tuple[Attribute, Any]:
    """The attribute and column as used: nominal values or strings that hardly recur become identifiers."""
    if isinstance(column, StringPiece):
        present = ~np.isnan(column.values)
        n_distinct = len(np.unique(column.hashes[present]))
        length = float(np.mean(np.strings.str_len(column.values[present]))) if n_distinct else 0.0
        kind = kind_by_recurrence(n_distinct, int(np.count_nonzero(present)), length)
        return Attribute(
            attribute.name, kind if kind is AttributeKind.IDENTIFIER else AttributeKind.TEXT
        ), column.values
    if attribute.kind is not AttributeKind.NOMINAL or is_class:
        return attribute, column
    present_codes = column[column >= 0]
    if len(present_codes) < 20 or len(np.unique(present_codes)) < 0.9 * len(present_codes):
        return attribute, column
    spelled: NDArray[Any] = np.array([*attribute.values, np.nan], dtype=STRING)
    return Attribute(attribute.name, AttributeKind.IDENTIFIER), spelled[column]


def _weights(parts: Sequence[ArffPart]) -> NDArray[np.float64] | None:
    if all(part.weights is None for part in parts):
        return None
    return np.concatenate([np.ones(p.n_records) if p.weights is None else p.weights for p in parts])
