"""Files of SPSS, SAS, Stata and R, read and written by a child (:mod:`algorithms.io.typed.statistics_program`).

The names of values become the values of nominal attributes, labels of variables their descriptions. Values that the
file declares as missing are missing, and the table's description counts them. R files are only read.

Sources: the limits of names, labels and texts in the file formats as ReadStat 1.1.9 checks them; days and seconds are
counted from 1582-10-14 in SPSS, from 1960-01-01 in Stata and SAS.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.files import replacing_or, shortened_name
from algorithms.core.run_control import RunContext, free_memory
from algorithms.data.columns import Column
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.io.child_process import (
    PATIENCE,
    FileWords,
    ProcessLimits,
    ReadingProcess,
    reading_process,
    start_process,
)
from algorithms.io.child_program import OUT_OF_MEMORY, UNABLE_TO_WRITE
from algorithms.io.text.layout_recognition import SAMPLE_SIZE
from algorithms.io.text.options import ReadOptions, refuse_too_wide
from algorithms.io.text.text_source import TextFile
from algorithms.io.typed_columns import (
    FIRST_RECORDS,
    ColumnCells,
    ColumnDetails,
    TypedTable,
    no_records,
    number_format,
    spelling,
)
from algorithms.text.sentences import and_more, counted

PROGRAM: Final = "algorithms.io.typed.statistics_program"
LIMITS: Final = ProcessLimits()
ENCODINGS: Final = ("WINDOWS-1252", "ISO-8859-1")
"""Encodings tried for texts that are not in the encoding that their file declares."""

_NAMES: Final = {
    "sav": "an SPSS file",
    "por": "an SPSS portable file",
    "sas7bdat": "a SAS file",
    "xport": "a SAS transport file",
    "dta": "a Stata file",
    "r": "an R file",
}
_BEGINNINGS: Final = (
    (b"$FL2@(#)", "sav"),
    (b"$FL3@(#)", "sav"),
    (b"<stata_dta>", "dta"),
    (b"HEADER RECORD*******LIB", "xport"),
    (bytes(12) + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf", "sas7bdat"),
)
_R: Final = (b"RDX2\nX\n", b"RDX3\nX\n", b"X\n\x00\x00\x00\x02", b"X\n\x00\x00\x00\x03")
_R_OF_ANOTHER_FORM: Final = re.compile(rb"RDA[23]\nA\n|RDB[23]\nB\n|A\n[23]\n\d{6}\n\d{6}\n|B\n[\x02\x03]\x00\x00\x00")
"""R files with numbers as text, or in the order of bytes of the processor."""
_STATA: Final = range(0x69, 0x74)
"""First bytes of the files of Stata 5 to 12."""
_HEAD: Final = 64


def format_by_content(source: TextFile) -> str | None:
    """The format of a file by its first bytes, a key of the child's request; None for another one."""
    head = source.head(SAMPLE_SIZE)
    if head[:1] and head[0] in _STATA and head[1:4] in (b"\x01\x01\x00", b"\x02\x01\x00"):
        return "dta"
    beginning = head[:_HEAD]
    if beginning.startswith(_R) or _R_OF_ANOTHER_FORM.match(beginning):
        return "r"
    portable = b"SPSSPORT" in head[400:560].replace(b"\r", b"").replace(b"\n", b"")
    return "por" if portable else next((name for start, name in _BEGINNINGS if head.startswith(start)), None)


def name_of(source: TextFile) -> str:
    """What the file is ("an SPSS file")."""
    return _NAMES[format_by_content(source) or "r"]


@dataclass(frozen=True)
class FileColumn:
    """A column as the child describes it; ``labels`` are values with their names, ``missing`` those declared so."""

    name: str
    type: str
    description: str
    labels: Sequence[tuple[float | str, str]]
    is_ordered: bool
    missing: Sequence[float | str]

    def details(self) -> ColumnDetails:
        """What the conversion must know; names of values declared as missing are none of a category."""
        kept = {spelling(value): label for value, label in self.labels if value not in self.missing}
        return ColumnDetails(kept, self.is_ordered, " ".join(self.description.split()))

    def told_of(self, missing: Mapping[str, int]) -> str:
        """The values declared as missing that occur, with their names and numbers of records."""
        named = {spelling(value): label for value, label in self.labels}
        label_of = {value: named.get(value, named.get(value.removeprefix("."), "")) for value in missing}
        parts = [f"{value}{f' = {label}' if (label := label_of[value]) else ''}: {n:,}" for value, n in missing.items()]
        return f"{self.name} ({'; '.join(parts)})"


def data_frames(source: TextFile, context: RunContext) -> tuple[str, ...]:
    """The names of the data frames in an R file; empty if it holds a single one without a name."""
    objects = _read(source, context, "objects", ReadOptions()).objects
    return tuple(name for name, is_frame in objects if is_frame and name)


def read_statistics(source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
    """The table in the file, or the data frame that the options name as sheet.

    Raises :class:`DataError` if the file is damaged, packed, or holds no such data frame.
    """
    context.say(f"Reading {source.name}")
    return _read(source, context, "table", options).table()


def _read(source: TextFile, context: RunContext, want: str, options: ReadOptions) -> _Reading:
    """What the child tells, in the encoding of the options, else in the first one that fits."""
    given = [options.encoding] if options.encoding is not None else [None, *ENCODINGS]
    for encoding in given:
        with _child(source, context, want, options, encoding) as process:
            reading = _Reading(source, process, context, options, encoding)
            try:
                reading.gather()
            except _EncodingError as error:
                reason = str(error)
            else:
                return reading
    raise _damaged(source, reason)


def _damaged(source: TextFile, reason: str) -> DataError:
    words = _words(source)
    sentence = words.damaged(source.name).sentence.rstrip(".")
    return DataError(f"{sentence}: {reason}.", remedy=words.repair, place=source.name)


class _EncodingError(Exception):
    """The texts of the file are not in the encoding that was taken."""


def _child(source: TextFile, context: RunContext, want: str, options: ReadOptions, encoding: str | None) -> Any:
    format = format_by_content(source)
    if format == "r" and _R_OF_ANOTHER_FORM.match(source.head(_HEAD)):
        raise DataError(
            f"{source.name} is an R file that was saved as text or not in XDR form.",
            remedy="In R, save it again without the options ascii and xdr, and open that.",
            place=source.name,
        )
    request = {"format": format, "want": want, "object": options.sheet, "encoding": encoding}
    return reading_process(PROGRAM, source, context, LIMITS.of_this_machine(), _words(source), **request)


def _words(source: TextFile) -> FileWords:
    return FileWords(
        plural="files of statistics programs",
        whole=f"not {name_of(source)}",
        repair="Fetch it again, or save it again in the program that made it.",
        lighten="Save fewer columns or records in it, or save the table as CSV and open that.",
        convert="Save the table as CSV in the program that made it and open that.",
    )


class _Reading:
    """The state of one reading of one file in one encoding."""

    def __init__(
        self,
        source: TextFile,
        process: ReadingProcess,
        context: RunContext,
        options: ReadOptions,
        encoding: str | None,
    ) -> None:
        self._source, self._process, self._context, self._options = source, process, context, options
        self._recognised = options
        self._remarks = list[str]()
        if encoding is not None and options.encoding is None:
            self._remarks.append(f"Its texts are not in the encoding that it declares; they were read as {encoding}.")
        self.objects = list[tuple[str, bool]]()
        self._columns = list[FileColumn]()
        self._cells = list[ColumnCells]()
        self._first = list[list[str]]()
        self._declared: Mapping[str, Mapping[str, int]] = {}
        self._n, self._expected = 0, 0

    def gather(self) -> None:
        """Take all messages of the child."""
        for head in self._process.messages():
            self._take(head)

    def table(self) -> Dataset:
        if not self._n or not self._columns:
            raise no_records(self._source.name)
        self._context.say(f"Looking at the values of {self._source.name}")
        numbers, marks_are_known = number_format(self._first, self._options)
        told = [
            column.told_of(self._declared[column.name]) for column in self._columns if column.name in self._declared
        ]
        if told:
            self._remarks.append(f"Declared as missing: {and_more(told, 5)}.")
        table = TypedTable(
            self._source,
            [column.name for column in self._columns],
            self._context,
            self._options,
            numbers=numbers,
            marks_are_known=marks_are_known,
            recognised=self._recognised,
            remarks=self._remarks,
        )
        for column, cells in zip(self._columns, self._cells, strict=True):
            table.add(cells, column.details())
        return table.dataset()

    def _take(self, head: dict[str, Any]) -> None:
        kind = head["message"]
        if kind == "error":
            raise self._refusal(head)
        if kind == "objects":
            self.objects = [(name, is_frame) for name, is_frame in head["objects"]]
        elif kind == "object":
            self._recognised = replace(self._options, sheet=head["name"] or None)
            others = [name for name, is_frame in self.objects if not is_frame]
            if others:
                self._remarks.append(f"Left out: {and_more(others, 5)} (no data frames).")
        elif kind == "opening":
            self._open(head)
        elif kind == "block":
            self._add(head)
        else:
            self._declared = head["declared"]

    def _open(self, head: dict[str, Any]) -> None:
        self._columns = [FileColumn(**column) for column in head["columns"]]
        refuse_too_wide(len(self._columns), self._source.name)
        self._cells = [ColumnCells() for _ in self._columns]
        self._expected = head["n_records"] or 0
        n = self._expected
        size = f"{counted(n, 'record')} of {counted(len(self._columns), 'column')}"
        self._refuse_too_large(n, f"holds {size}, more than fit into the free memory")
        self._context.publish(self._recognised)

    def _add(self, head: dict[str, Any]) -> None:
        self._n += head["n"]
        self._refuse_too_large(head["n"], "needs more memory than there is")
        is_first = not self._first
        for cells, (type, sizes) in zip(self._cells, head["columns"], strict=True):
            bodies = [self._process.body(size) for size in sizes]
            if type == "texts":
                texts, codes = json.loads(bodies[0]), np.frombuffer(bodies[1], dtype=np.int32)
                cells.add_labels(codes, texts)
                if is_first:
                    self._first.append([texts[code] if code >= 0 else "" for code in codes[:FIRST_RECORDS].tolist()])
                continue
            values = np.frombuffer(bodies[0], dtype=np.float64)
            {"numbers": cells.add, "moments": cells.add_moments, "hours": cells.add_hours}[type](values)
        if self._expected:
            self._context.advance(min(self._n, self._expected), self._expected)

    def _refuse_too_large(self, n: int, sentence: str) -> None:
        """Raise :class:`DataError` with the sentence if so many records cannot fit into free memory."""
        free, needed = free_memory(), n * sum(1 if column.type == "texts" else 8 for column in self._columns)
        if free is not None and needed > free:
            remedy = "Close other programs, or save fewer columns or records in it."
            raise DataError(f"{self._source.name} {sentence}.", remedy=remedy, place=self._source.name)

    def _refusal(self, head: dict[str, Any]) -> Exception:
        name, why = self._source.name, head["why"]
        if why == "encoding":
            return _EncodingError(head["reason"])
        if why == "damaged":
            return _damaged(self._source, head["reason"])
        frames = [own for own, is_frame in self.objects if is_frame]
        if frames:
            what = f"{name} has no data frame named {self._options.sheet!r}."
            return DataError(what, remedy=f"Its data frames are {and_more(frames, 8)}.", place=name)
        others = [own for own, _ in self.objects if own]
        held = f", but {and_more(others, 5)}" if others else ""
        return DataError(
            f"{name} holds no data frame that can be read{held}.",
            remedy="In R, save a data frame by saveRDS, or write it as CSV (write.csv), and open that.",
            place=name,
        )


# ---- Writing ---------------------------------------------------------------------------------------------------------

_DAY: Final = 86400.0
_SINCE_1582: Final = 141428.0 * _DAY
_SINCE_1960: Final = 3653.0 * _DAY
_RESERVED: Final = frozenset(
    {*("all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with")}
    | {*("byte", "double", "float", "if", "in", "int", "long", "str", "strl", "using")}
    | {*("_all", "_b", "_coef", "_cons", "_n", "_pi", "_pred", "_rc", "_skip")}
    | {*("_all_", "_character_", "_error_", "_n_", "_numeric_")}
)
_STRING_TYPE: Final = re.compile(r"str\d+")


@dataclass(frozen=True)
class StatisticsFormat:
    """What a format can hold: its program, lengths of names (characters, bytes), of labels and texts (bytes)."""

    id: str
    program: str
    longest_name: tuple[int, int]
    illegal: re.Pattern[str]
    """Matches a character that no name has."""
    longest_label: int
    longest_value_label: int
    """0 if values have no labels."""
    longest_text: int
    largest: float
    """Larger numbers cannot be told from missing ones."""
    day: str
    moment: str


SPSS: Final = StatisticsFormat(
    "sav", "SPSS", (64, 64), re.compile(r"[^\w.]"), 256, 120, 32_767, 1.79e308, "DATE11", "DATETIME23.2"
)
STATA: Final = StatisticsFormat(
    "dta", "Stata", (32, 128), re.compile(r"\W"), 80, 32_000, 2_000_000_000, 8.9e307, "%td", "%tc"
)
SAS: Final = StatisticsFormat(
    "xpt", "SAS", (32, 32), re.compile(r"[^A-Za-z0-9_]"), 256, 0, 32_767, 7.2e75, "DATE9", "DATETIME20"
)


@dataclass(frozen=True)
class WrittenColumn:
    """A column as the child is told of it; ``labels`` are the names of the values 1, 2, ..."""

    name: str
    label: str
    is_text: bool
    labels: tuple[str, ...] = ()
    format: str = ""
    measure: str = "scale"


def write_statistics(
    path: str | Path, data: Dataset, format: StatisticsFormat, context: RunContext | None = None
) -> None:
    """Write the table as a file of SPSS (.sav), Stata 14 (.dta) or SAS (transport file of version 8).

    Nominal attributes become numbers from 1 on with labels, or texts where the format has no labels or one is too long.
    A name that the program does not allow is changed, and the label of its variable begins with it; otherwise the label
    is the description. Dates are in UTC. An empty text is a missing one. The file at ``path`` is replaced only when the
    new one is complete; a stop ends the child. Raises :class:`DataError` for what the format cannot hold.
    """
    context = context or RunContext()
    with (
        replacing_or(DataError, path, commit=context.commit) as part,
        tempfile.TemporaryDirectory(prefix="coppice-") as folder,
    ):
        names = lawful_names(data.schema.names, format)
        columns = list[WrittenColumn]()
        for index, name in enumerate(names):
            context.checkpoint()
            context.advance(index, 2 * len(names))
            columns.append(_store(data, index, name, format, Path(folder), str(path)))
        _run_child(part, format, columns, folder, context, str(path))
        context.checkpoint()


def lawful_names(names: Iterable[str], format: StatisticsFormat) -> list[str]:
    """The names that the program allows, all different whatever their case; lawful ones are unchanged."""
    names = list(names)
    lawful = [_lawful_name(name, format) for name in names]
    taken = {name.casefold() for name, own in zip(lawful, names, strict=True) if name == own}
    seen, made = set[str](), list[str]()
    for name, own in zip(lawful, names, strict=True):
        free, number = name, 2
        while free.casefold() in seen or (free != own and free.casefold() in taken):
            end = f"_{number}"
            free, number = f"{_cut(name, format, len(end))}{end}", number + 1
        seen.add(free.casefold())
        made.append(free)
    return made


def _lawful_name(name: str, format: StatisticsFormat) -> str:
    lawful = format.illegal.sub("_", name)
    is_reserved = lawful.lower() in _RESERVED or _STRING_TYPE.fullmatch(lawful.lower()) is not None
    starts = lawful[:1].isalpha() or (lawful[:1] == "_" and format is not SPSS)
    lawful = _cut(lawful if starts and not is_reserved else f"v{lawful}", format)
    return f"{lawful[:-1]}_" if lawful.endswith(".") else lawful


def _cut(name: str, format: StatisticsFormat, less: int = 0) -> str:
    characters, n_bytes = format.longest_name
    return _within(name[: characters - less], n_bytes - less)


def _within(text: str, n_bytes: int) -> str:
    """The longest beginning of a text that takes so many bytes."""
    return text.encode("utf-8")[:n_bytes].decode("utf-8", "ignore")


def _store(data: Dataset, index: int, name: str, format: StatisticsFormat, folder: Path, place: str) -> WrittenColumn:
    """Store the values of a column in the folder, and describe it."""
    attribute, column = data.schema.attributes[index], data.column(index)
    described = [*([attribute.name] if name != attribute.name else []), *filter(None, [attribute.description])]
    label = _within(": ".join(described), format.longest_label)
    if attribute.kind.is_float:
        is_date = attribute.kind is AttributeKind.DATE
        numbers, shown = _in_units(column, format) if is_date else (column, "")
        too_large = np.abs(numbers[~np.isnan(numbers)]) > format.largest
        if too_large.any():
            what = f"{attribute.name!r} holds numbers that {format.program} takes for missing ones."
            raise DataError(what, remedy="Save the table as CSV or Parquet.", place=place)
        np.save(folder / f"{index}.npy", numbers)
        return WrittenColumn(name, label, is_text=False, format=shown)
    measure = "ordinal" if attribute.kind is AttributeKind.ORDINAL else "nominal"
    texts, codes = _texts(attribute, column)
    if any("\0" in text for text in texts):  # the library ends a text there
        what = f"{attribute.name!r} holds a text with a zero character, which {format.program} has no place for."
        raise DataError(what, remedy="Save the table as Parquet or SQLite.", place=place)
    lengths = [len(value.encode("utf-8")) for value in attribute.values]
    if attribute.kind.is_coded and lengths and min(lengths) and max(lengths) <= format.longest_value_label:
        np.save(folder / f"{index}.npy", np.where(column < 0, np.nan, column + 1.0))
        return WrittenColumn(name, label, is_text=False, labels=attribute.values, measure=measure)
    if max(map(len, (text.encode("utf-8") for text in texts)), default=0) > format.longest_text:
        what = (
            f"{attribute.name!r} holds texts of more than {format.longest_text:,} bytes, the most of {format.program}."
        )
        raise DataError(what, remedy="Save the table as CSV or Parquet.", place=place)
    np.save(folder / f"{index}.npy", codes)
    np.save(folder / f"{index}.json.npy", np.frombuffer(json.dumps(texts).encode("ascii"), dtype=np.uint8))
    return WrittenColumn(name, label, is_text=True, measure=measure)


def _texts(attribute: Attribute, column: Column) -> tuple[list[str], Any]:
    """Texts as a list, and int32 codes (n,) into it, -1 where missing."""
    if attribute.kind.is_coded:
        return list(attribute.values), column.astype(np.int32)
    code_of = dict[str, int]()
    codes = [code_of.setdefault(text, len(code_of)) if isinstance(text, str) else -1 for text in column.tolist()]
    return list(code_of), np.array(codes, dtype=np.int32)


def _in_units(column: Column, format: StatisticsFormat) -> tuple[Any, str]:
    """Seconds since 1970-01-01 as the program counts, and the format that shows them as days or moments."""
    is_days = bool(np.all(column[~np.isnan(column)] % _DAY == 0))
    if format is SPSS:
        return column + _SINCE_1582, format.day if is_days else format.moment
    since_1960 = column + _SINCE_1960
    if is_days:
        return since_1960 / _DAY, format.day
    return since_1960 * 1e3 if format is STATA else since_1960, format.moment


def _run_child(
    part: Path, format: StatisticsFormat, columns: list[WrittenColumn], folder: str, context: RunContext, place: str
) -> None:
    """Let a child write the file; raises :class:`DataError` if it fails, and kills it on a stop."""
    request = {
        "want": "file",
        "path": str(part.absolute()),
        "format": format.id,
        "folder": folder,
        "columns": [asdict(column) for column in columns],
        "memory": ProcessLimits(1 << 50).of_this_machine().memory,
    }
    name = shortened_name(place)
    with tempfile.TemporaryFile() as complaints:
        try:
            process = start_process(PROGRAM, complaints)
        except OSError as error:
            what = f"The process that writes {name} could not be started: {error.strerror or error}."
            raise DataError(what, remedy="Close other programs and try again.", place=place) from None
        with process:
            assert process.stdin is not None and process.stdout is not None
            try:
                process.stdin.write(json.dumps(request).encode("ascii") + b"\n")
                process.stdin.flush()
                while True:
                    try:
                        code = process.wait(PATIENCE)
                        break
                    except subprocess.TimeoutExpired:
                        context.checkpoint()
            except BrokenPipeError:
                code = process.wait()
            finally:
                process.kill()
            last = process.stdout.read().splitlines()[-1:]
    if code == OUT_OF_MEMORY:
        remedy = "Close other programs, or save fewer columns or records."
        raise DataError(f"Writing {name} needs more memory than there is.", remedy=remedy, place=place)
    answer = json.loads(last[0]) if last else {"message": "error", "reason": "the process ended early"}
    if answer["message"] != "end" and answer["reason"].startswith(UNABLE_TO_WRITE):
        remedy = "Make room on the disk, or choose another folder."
        raise DataError(f"{name} cannot be written as a whole.", remedy=remedy, place=place)
    if answer["message"] != "end":
        what = f"The table cannot be written for {format.program}: {answer['reason'].rstrip('.')}."
        raise DataError(what, remedy="Save it as CSV or Parquet.", place=place)
