"""Writing of files of SPSS, Stata and SAS by a child process (:mod:`algorithms.io.typed.statistics_writer`).

Sources: the limits of names, labels and texts in the file formats as ReadStat 1.1.9 checks them; days and seconds are
counted from 1582-10-14 in SPSS, from 1960-01-01 in Stata and SAS.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.files import replacing_or, shortened_name
from algorithms.core.run_control import RunContext
from algorithms.data.columns import Column
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.io.child_process import PATIENCE, ProcessLimits, start_process
from algorithms.io.child_program import OUT_OF_MEMORY

WRITER: Final = "algorithms.io.typed.statistics_writer"
_DAY: Final = 86400.0
_SINCE_1582: Final = 141428.0 * _DAY
_SINCE_1960: Final = 3653.0 * _DAY
_RESERVED: Final = frozenset(
    {*("all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with")}
    | {*("byte", "double", "float", "if", "in", "int", "long", "str", "strl", "using")}
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
    "sav", "SPSS", (64, 64), re.compile(r"[^\w.]"), 256, 120, 32_767, np.inf, "DATE11", "DATETIME23.2"
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
    lengths = [len(value.encode("utf-8")) for value in attribute.values]
    if attribute.kind.is_coded and lengths and min(lengths) and max(lengths) <= format.longest_value_label:
        np.save(folder / f"{index}.npy", np.where(column < 0, np.nan, column + 1.0))
        return WrittenColumn(name, label, is_text=False, labels=attribute.values, measure=measure)
    texts, codes = _texts(attribute, column)
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
        "path": str(part.absolute()),
        "format": format.id,
        "folder": folder,
        "columns": [asdict(column) for column in columns],
        "memory": ProcessLimits(1 << 50).of_this_machine().memory,
    }
    name = shortened_name(place)
    with tempfile.TemporaryFile() as complaints:
        try:
            process = start_process(WRITER, complaints)
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
    if answer["message"] != "end":
        what = f"The table cannot be written for {format.program}: {answer['reason'].rstrip('.')}."
        raise DataError(what, remedy="Save it as CSV or Parquet.", place=place)
