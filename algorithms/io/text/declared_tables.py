"""Delimited text whose columns are declared: C4.5 (``.names`` beside ``.data``) and Orange (types above the records).

C4.5 declares attributes in a file of their own: ``height: continuous.``, ``colour: red, blue.``, ``id: ignore.``; its
first line lists the classes. Orange declares them in a second and third row, or by prefixes of names (``mS#name``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, smallest_code_dtype
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.io.arff import undeclared
from algorithms.io.column_meaning import with_guessed_class
from algorithms.io.text.delimited import DelimitedReading, FileHead
from algorithms.io.text.layout_recognition import (
    SAMPLE_SIZE,
    TextLayout,
    distinct_names,
    marks_in_numbers,
    recognise_encoding,
    split_rows,
)
from algorithms.io.text.options import ReadOptions, refuse_too_wide
from algorithms.io.text.text_source import (
    LARGEST_BLOCK,
    TextFile,
    helpers,
    in_fitting_encoding,
    temporary_copy,
)
from algorithms.io.typed_columns import no_records

NAMES: Final = ".names"
_DATA: Final = (".data", ".test")
_LONGEST_NAMES: Final = 16 << 20
_MARKS: Final = ("?", "N/A")
_ENTRY: Final = re.compile(r"((?:\\.|[^\\,:.\n]|\.(?=\S))*)([,:.\n]|\Z)", re.S)
_COMMENT: Final = re.compile(r"(?<!\\)\|[^\n]*")
_COUNT: Final = re.compile(r"discrete\s+\d+", re.I)
_PREFIX: Final = re.compile(r"([mciw]?)([CDST]?)#(.*)", re.S)
_KINDS: Final = {
    **dict.fromkeys(("continuous", "c", "numeric", "n", "C"), AttributeKind.NUMERIC),
    **dict.fromkeys(("discrete", "d", "categorical", "D"), AttributeKind.NOMINAL),
    **dict.fromkeys(("string", "s", "text", "S"), AttributeKind.TEXT),
    **dict.fromkeys(("time", "t", "T"), AttributeKind.DATE),
}
_ROLES: Final = {"class": "c", "c": "c", "meta": "m", "m": "m", "ignore": "i", "i": "i", "skip": "i", "weight": "w"}
_ROLES["w"] = "w"


@dataclass(frozen=True)
class DeclaredColumn:
    """A column: its kind (None if only its values tell), declared values in order, and its role: class, meta, ..."""

    name: str
    kind: AttributeKind | None = None
    values: tuple[str, ...] = ()
    role: str = ""


@dataclass(frozen=True)
class _Declaration:
    """The columns of a table, its delimiter, and the number of lines that declare them."""

    columns: Sequence[DeclaredColumn]
    delimiter: str
    n_lines: int = 0
    is_closed: bool = False
    """Whether values beyond the declared ones are errors."""


# ---- C4.5 ------------------------------------------------------------------------------------------------------------


def c45_files(source: TextFile) -> tuple[Path, Path] | None:
    """The paths of the names and the data, if a file is one of them and the other stands beside it; else None."""
    path = source.path
    if path.suffix.lower() == NAMES:
        data = next((own for suffix in _DATA if (own := path.with_suffix(suffix)).is_file()), None)
        return None if data is None else (path, data)
    names = path.with_suffix(NAMES)
    return (names, path) if path.suffix.lower() in _DATA and names.is_file() else None


def is_c45(source: TextFile) -> bool:
    """Whether a file declares attributes as C4.5 does, or holds their records; many .names files are prose."""
    if source.path.suffix.lower() not in (NAMES, *_DATA):
        return False
    files = c45_files(source)
    names = source.path if source.path.suffix.lower() == NAMES else files[0] if files else None
    if names is None:
        return False
    try:
        with TextFile(names) as declaring:
            return bool(c45_columns(declaring))
    except DataError:
        return False


def c45_columns(source: TextFile) -> list[DeclaredColumn]:
    """The columns that a .names file declares, the class last; empty if it is another text."""
    head = source.head(_LONGEST_NAMES)
    text = head.decode(recognise_encoding(head), "replace").lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    entries, position = list[tuple[str, list[str]]](), 0
    text = _COMMENT.sub("", text)
    parts, is_named = list[str](), False
    while position < len(text):
        match = _ENTRY.match(text, position)
        if match is None:
            return []
        position = match.end() if match[2] else len(text)
        word, end = _unescaped(match[1]), match[2]
        if end == "\n" and not word:
            continue  # a list goes on after a comma
        if word:
            parts.append(word)
        if end == ":":
            if is_named or not word:
                return []
            is_named = True
        elif end != "," and parts:
            entries.append((parts[0], parts[1:]) if is_named else ("", parts))
            parts, is_named = [], False
    if parts:
        entries.append((parts[0], parts[1:]) if is_named else ("", parts))
    if len(entries) < 2 or entries[0][0] or not all(name and values for name, values in entries[1:]):
        return []
    classes = entries[0][1]
    columns = [_c45_column(name, values) for name, values in entries[1:]]
    if len(classes) == 1 and classes[0] in [column.name for column in columns]:  # C5.0 names an attribute
        return [replace(column, role="c") if column.name == classes[0] else column for column in columns]
    return [*columns, DeclaredColumn("class", AttributeKind.NOMINAL, tuple(dict.fromkeys(classes)), "c")]


def _c45_column(name: str, values: Sequence[str]) -> DeclaredColumn:
    word = values[0].lower() if len(values) == 1 else ""
    if word == "continuous":
        return DeclaredColumn(name, AttributeKind.NUMERIC)
    if word in ("ignore", "label"):
        return DeclaredColumn(name, role="i")
    if word in ("date", "time", "timestamp"):
        return DeclaredColumn(name)
    if _COUNT.fullmatch(word) or word == "discrete":
        return DeclaredColumn(name, AttributeKind.NOMINAL)
    return DeclaredColumn(name, AttributeKind.NOMINAL, tuple(dict.fromkeys(values)))


def _unescaped(word: str) -> str:
    return " ".join(re.sub(r"\\(.)", r"\1", word, flags=re.S).split())


def read_c45(source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
    """The records of the .data file by what the .names file declares; raises :class:`DataError` if one is absent."""
    files = c45_files(source)
    if files is None:
        raise DataError(
            f"{source.name} declares the attributes of a C4.5 table, and no {source.path.stem}.data stands beside it.",
            remedy="Put both files into one folder.",
            place=source.name,
        )
    with TextFile(files[0]) as names, TextFile(files[1]) as records:
        declaration = _Declaration(c45_columns(names), ",", is_closed=True)
        return _read(records, context, replace(options, missing=options.missing or _MARKS), declaration, _c45_line)


def _c45_line(line: bytes) -> bytes:
    """A record as CSV: without its remark and the point at its end, and with quotes for escapes."""
    if b"|" in line:
        line = re.sub(rb"(?<!\\)\|.*", b"", line)
    line = line.strip()
    line = line[:-1] if line.endswith(b".") and not line.endswith(b"\\.") and not line[:-1].isdigit() else line
    if b"\\" not in line and b'"' not in line:
        return line
    fields = re.findall(rb"((?:\\.|[^\\,])*)(?:,|\Z)", line)[: line.count(b",") + 1]
    plain = [re.sub(rb"\\(.)", rb"\1", field).strip().replace(b'"', b'""') for field in fields]
    count = len(re.findall(rb"(?<!\\),", line)) + 1
    return b",".join(b'"%s"' % field for field in plain[:count])


# ---- Orange ----------------------------------------------------------------------------------------------------------


def orange_declaration(source: TextFile) -> _Declaration | None:
    """What the first rows declare as Orange does; None for any other text."""
    head = source.head(SAMPLE_SIZE)
    encoding = recognise_encoding(head)
    text = head.decode(encoding, "ignore").lstrip("\ufeff").replace("\r\n", "\n")
    lines = text.split("\n", 3)
    delimiter = next((mark for mark in "\t,;" if mark in lines[0]), "")
    if not delimiter or len(lines) < 2:
        return None
    names, *rows = (next(iter(split_rows(line, delimiter, '"', whole=True)), [""]) for line in lines[:3])
    prefixed = [_PREFIX.fullmatch(name.strip()) for name in names]
    flagged = [match for match in prefixed if match is not None and (match[1] or match[2]) and match[3]]
    if 2 * len(flagged) >= len(names) and len(flagged) == sum("#" in name for name in names):
        columns = [
            DeclaredColumn(match[3], _KINDS.get(match[2]), (), match[1]) if match in flagged and match else _plain(name)
            for match, name in zip(prefixed, names, strict=True)
        ]
        return _Declaration(columns, delimiter, 1)
    if len(rows) < 2 or len(rows[0]) != len(names) or len(rows[1]) > len(names):
        return None
    kinds = [cell.strip() for cell in rows[0]]
    flags = [cell.strip() for cell in rows[1]] + [""] * (len(names) - len(rows[1]))
    is_typed = all(not kind or kind in _KINDS or len(_values(kind)) > 1 for kind in kinds)
    is_flagged = all(all(flag in _ROLES or "=" in flag for flag in cell.split()) for cell in flags)
    if (
        not is_typed
        or not is_flagged
        or not any(len(kind) > 1 or flag for kind, flag in zip(kinds, flags, strict=True))
    ):
        return None
    if not any(kind in _KINDS for kind in kinds):
        return None
    return _Declaration([_orange_column(*cells) for cells in zip(names, kinds, flags, strict=True)], delimiter, 3)


def _plain(name: str) -> DeclaredColumn:
    return DeclaredColumn(name.strip())


def _orange_column(name: str, kind: str, flags: str) -> DeclaredColumn:
    values = () if kind in _KINDS or not kind else _values(kind)
    role = next((_ROLES[flag] for flag in flags.split() if flag in _ROLES), "")
    return DeclaredColumn(name.strip(), AttributeKind.NOMINAL if values else _KINDS.get(kind), values, role)


def _values(kind: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(re.sub(r"\\(.)", r"\1", value) for value in re.findall(r"(?:\\.|[^\\\s])+", kind)))


def read_orange(source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
    """The records below the rows that declare them."""
    declaration = orange_declaration(source)
    assert declaration is not None, "the reader has recognised the file"
    return _read(source, context, options, declaration)


# ---- records by a declaration ----------------------------------------------------------------------------------------


def _read(
    source: TextFile,
    context: RunContext,
    options: ReadOptions,
    declaration: _Declaration,
    cleaned: Callable[[bytes], bytes] = bytes,
) -> Dataset:
    """The records with the declared kinds, values, class and weights; ``cleaned`` makes each line one of CSV."""
    refuse_too_wide(len(declaration.columns), source.name)
    names, remarks = distinct_names([column.name for column in declaration.columns])
    kinds = {
        name: kind
        for name, column in zip(names, declaration.columns, strict=True)
        if (kind := AttributeKind.NUMERIC if column.role == "w" else column.kind) is not None
        and kind is not AttributeKind.DATE
    }
    given = replace(options, kinds={**kinds, **options.kinds}, class_name="", encoding="utf-8")
    quiet = context.child(1.0, 0, same_seed=True, listener=lambda _event: None)

    def read(encoding: str | None) -> Dataset:
        chosen = encoding or recognise_encoding(source.head(SAMPLE_SIZE))
        lines = _lines(source, chosen, declaration.n_lines, cleaned, guessed=options.encoding is None)
        with (
            temporary_copy(source.name, lines, context.checkpoint) as path,
            TextFile(path) as plain,
            helpers(context.executor, plain.size > LARGEST_BLOCK) as executor,
        ):
            opening = _head(plain, given, declaration, names, remarks)
            return DelimitedReading(plain, quiet, given, opening, executor).table()

    data = in_fitting_encoding(source, options.encoding, read)
    return _as_declared(data, source, declaration, names, options)


def _lines(
    source: TextFile, encoding: str, n_lines: int, cleaned: Callable[[bytes], bytes], *, guessed: bool
) -> Iterator[bytes]:
    """The text with the same number of lines, those of the declaration empty."""
    rest, n = b"", 0
    for piece in source.text(encoding, guessed=guessed):
        *lines, rest = (rest + piece).split(b"\n")
        blank = max(0, min(len(lines), n_lines - n))
        n += len(lines)
        yield b"\n".join([*[b""] * blank, *map(cleaned, lines[blank:]), b""])
    yield cleaned(rest) if n >= n_lines else b""


def _head(
    source: TextFile, options: ReadOptions, declaration: _Declaration, names: tuple[str, ...], remarks: tuple[str, ...]
) -> FileHead:
    sample = source.head(SAMPLE_SIZE).decode("utf-8", "ignore").replace("\r\n", "\n")
    rows = split_rows(sample, declaration.delimiter, '"', source.size <= SAMPLE_SIZE)
    if not rows:
        raise no_records(source.name)
    decimal, thousands, is_known = marks_in_numbers([(), *rows], declaration.delimiter, options)
    layout = TextLayout(
        "utf-8", declaration.delimiter, '"', decimal, thousands, False, False, names, marks_are_known=is_known
    )
    return FileHead(layout, names, remarks, rows, len(names))


def _as_weights(cells: FloatArray, source: TextFile) -> FloatArray:
    """The weights of the records; raises :class:`DataError` for one that is missing or negative."""
    wrong = np.flatnonzero(~(cells >= 0))
    if len(wrong):
        raise DataError(
            f"The weight of record {wrong[0] + 1:,} is missing or negative.",
            remedy="Write a number of 0 or more there, or declare the column as meta instead of weight.",
            place=f"{source.name}, record {wrong[0] + 1:,}",
        )
    return cells


def _as_declared(
    data: Dataset, source: TextFile, declaration: _Declaration, names: tuple[str, ...], options: ReadOptions
) -> Dataset:
    attributes, values, weights = list[Attribute](), list[Any](), None
    for index, column in enumerate(declaration.columns):
        attribute, cells = data.schema.attributes[index], data.column(index)
        if column.values and attribute.kind.is_coded:
            others = [value for value in attribute.values if value not in column.values]
            if others and declaration.is_closed:
                record = int(np.flatnonzero(cells == attribute.code_of(others[0]))[0]) + 1
                declared = replace(attribute, values=column.values)
                raise undeclared(declared, others[0], f"{source.name}, record {record:,}")
            kept = (*column.values, *others)
            code_of = {value: code for code, value in enumerate(kept)}
            table = np.array([*map(code_of.__getitem__, attribute.values), -1], dtype=smallest_code_dtype(len(kept)))
            attribute, cells = replace(attribute, values=kept), table[cells]
        if column.role == "w" and attribute.kind is AttributeKind.NUMERIC:
            weights = _as_weights(cells, source)
        attributes.append(replace(attribute, used=column.role not in ("i", "m", "w")))
        values.append(cells)
    classes = [name for name, column in zip(names, declaration.columns, strict=True) if column.role == "c"]
    schema = Schema(tuple(attributes))
    named = options.class_name if options.class_name is not None else next(iter(classes), None)
    origin = replace(data.origin, name=source.path.stem, path=str(source.path))
    return Dataset(with_guessed_class(schema, named), values, weights=weights, origin=origin)
