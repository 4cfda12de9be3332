"""The program of the child process that reads and writes files of statistics programs with native libraries.

When it reads, its messages to :mod:`algorithms.io.typed.statistics_files`, besides those of every such program
(:mod:`algorithms.io.child_program`), are these.

=========  ============================================================================================
message    content
=========  ============================================================================================
objects    the objects of an R file as [name, is a data frame]
opening    the columns, each as the fields of ``statistics_files.FileColumn``, and the number of records if known
block      ``n`` records, by column as [type, sizes of its bodies]: float64 numbers, seconds since 1970-01-01
           ("moments") or hours, or a JSON list of texts and int32 codes into it
missing    by column, how many records have which of the values that the file declares as missing
error      why the file is not read: ``encoding``, ``objects`` (no data frame) or ``damaged`` with a reason
=========  ============================================================================================

The library that writes keeps the interpreter to itself until the file is complete, so the window would stand still, and
it hears no stop. The request (``want`` is "file") names the ``path`` and the ``format`` (sav, dta, xpt), a ``folder``
with the values, and for each column the fields of ``statistics_files.WrittenColumn``. Column i is i.npy: float64
numbers, or int32 codes (-1 if missing) into the list of texts that i.json.npy holds as the bytes of JSON.
"""

from __future__ import annotations

import json
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.io.child_program import LEAST_MEMORY, UNABLE_TO_WRITE, RefusedError, limit, run, send

CELLS_AT_A_TIME: Final = 2_000_000
BYTES_AT_A_TIME: Final = 16 << 20
LEAST_RECORDS: Final = 256
MEMORY_RATIO: Final = 20
"""The memory limit is this many times the file's size, plus the smallest limit; R packs its files."""
MOST_DECLARED: Final = 12
"""Largest number of values declared as missing that are counted for a column."""

_DAY: Final = 86400.0
_SINCE_1582: Final = 141428.0 * _DAY
_SINCE_1960: Final = -3653.0 * _DAY
_ENCODING: Final = re.compile(r"encoding|character set", re.I)
_MEMORY: Final = re.compile(r"memory", re.I)

_STATA_UNITS: Final = ("tc", "tC", "td", "d", "tw", "tm", "tq", "th")
_SPSS_DATES: Final = ("DATETIME", "YMDHMS", "DATE", "ADATE", "EDATE", "JDATE", "SDATE", "QYR", "MOYR", "WKYR")
_SPSS_TIMES: Final = ("TIME", "DTIME", "MTIME")
_SAS_MOMENTS: Final = (
    "DATETIME", "E8601DT", "E8601DZ", "DATEAMPM", "MDYAMPM", "IS8601DT", "B8601DT", "B8601DN", "E8601DN", "DTDATE",
    "DTMONYY", "DTYEAR", "DTWKDATX", "DTYYQC", "NLDATM",
)  # fmt: skip
_SAS_DATES: Final = (
    "DATE", "DAY", "DDMMYY", "DDMMYYB", "DDMMYYC", "DDMMYYD", "DDMMYYN", "DDMMYYP", "DDMMYYS", "MMDDYY", "MMDDYYB",
    "MMDDYYC", "MMDDYYD", "MMDDYYN", "MMDDYYP", "MMDDYYS", "YYMMDD", "YYMMDDB", "YYMMDDC", "YYMMDDD", "YYMMDDN",
    "YYMMDDP", "YYMMDDS", "MONYY", "MMYY", "YYMM", "YYMON", "WEEKDATE", "WEEKDATX", "WORDDATE", "WORDDATX", "JULIAN",
    "JULDAY", "E8601DA", "B8601DA", "IS8601DA", "NLDATE", "MINGUO", "NENGO", "YYQ",
)  # fmt: skip
_SAS_TIMES_OF_DAY: Final = ("TOD", "TIMEAMPM")
"""Formats that show the time of day of times and of moments (SAS Formats and Informats: Reference)."""
_SAS_TIMES: Final = ("TIME", "HHMM", "IS8601TM", "E8601TM", "B8601TM", "HOUR", "MMSS", "NLTIME")


def _answer(request: dict[str, Any]) -> None:
    if request["want"] == "file":
        _write(request)
    else:
        _read(request)


def _read(request: dict[str, Any]) -> None:
    warnings.simplefilter("ignore")
    size = Path(request["path"]).stat().st_size
    if request["format"] == "r":
        import pyreadr  # noqa: F401  the memory limit is beyond what the library itself takes
    else:
        import pyreadstat  # noqa: F401
    limit(request, LEAST_MEMORY + MEMORY_RATIO * size)
    try:
        if request["format"] == "r":
            _read_r(request)
        else:
            _read_statistics(request)
    except (RefusedError, MemoryError):
        raise
    except Exception as error:  # the libraries raise errors of many kinds for damaged files
        reason = str(error).strip().partition("\n")[0][:160].rstrip(".") or type(error).__name__
        if _MEMORY.search(reason):
            raise MemoryError from None
        if isinstance(error, UnicodeDecodeError) or _ENCODING.search(reason):
            raise RefusedError("encoding", reason=reason) from None
        raise RefusedError("damaged", reason=reason) from None


# ---- messages --------------------------------------------------------------------------------------------------------


def _send_block(n: int, columns: Sequence[tuple[str, Sequence[bytes]]]) -> None:
    heads = [[type, [len(body) for body in bodies]] for type, bodies in columns]
    send("block", [body for _, bodies in columns for body in bodies], n=n, columns=heads)


def _numbers(type: str, values: NDArray[np.float64]) -> tuple[str, list[bytes]]:
    return type, [np.ascontiguousarray(values, dtype=np.float64).tobytes()]


def _texts(values: Sequence[Any]) -> tuple[str, list[bytes]]:
    code_of: dict[str, int] = {}
    codes = np.empty(len(values), dtype=np.int32)
    for index, value in enumerate(values):
        codes[index] = code_of.setdefault(value, len(code_of)) if isinstance(value, str) and value else -1
    return _coded(codes, list(code_of))


def _coded(codes: NDArray[Any], texts: Sequence[str]) -> tuple[str, list[bytes]]:
    return "texts", [json.dumps(texts).encode("ascii"), codes.astype(np.int32).tobytes()]


# ---- SPSS, SAS, Stata ------------------------------------------------------------------------------------------------


def _read_statistics(request: dict[str, Any]) -> None:
    read, options = _reader(request)
    _, about = read(metadataonly=True, **options)
    names = list(about.column_names)
    types = {name: type_of(request["format"], about, name) for name in names}
    send("opening", n_records=about.number_rows, columns=[_described(about, name, types[name]) for name in names])
    width = sum(abs(int(about.variable_storage_width.get(name) or 8)) for name in names)
    size = max(LEAST_RECORDS, min(CELLS_AT_A_TIME // max(1, len(names)), BYTES_AT_A_TIME // max(1, width)))
    declared = {name: Counter[str]() for name in names}
    for n, values, own in _chunks(read, options, size):
        ranges = own.missing_ranges or {}
        _send_block(n, [_converted(values[name], types[name], ranges.get(name), declared[name]) for name in names])
    send("missing", declared={name: dict(counts) for name, counts in declared.items() if counts})


def _reader(request: dict[str, Any]) -> tuple[Callable[..., Any], dict[str, Any]]:
    import pyreadstat

    name = request["format"]
    functions: dict[str, Callable[..., Any]] = {
        "sav": pyreadstat.read_sav,
        "por": pyreadstat.read_por,
        "sas7bdat": pyreadstat.read_sas7bdat,
        "xport": pyreadstat.read_xport,
        "dta": pyreadstat.read_dta,
    }
    options: dict[str, Any] = {"output_format": "dict", "disable_datetime_conversion": True}
    if name in ("sav", "sas7bdat", "dta"):
        options["user_missing"] = True
    if request["encoding"] is not None and name != "por":
        options["encoding"] = request["encoding"]
    return lambda **more: functions[name](request["path"], **more), options


def _chunks(
    read: Callable[..., Any], options: Mapping[str, Any], size: int
) -> Iterator[tuple[int, dict[str, Sequence[Any]], Any]]:
    """The number of records, the values by column, and the metadata, for every ``size`` records."""
    start = 0
    while True:
        values, about = read(row_offset=start, row_limit=size, **options)
        n = len(next(iter(values.values()), ()))
        if n == 0:
            return
        yield n, values, about
        start += n
        if n < size:
            return


def _described(about: Any, name: str, type: str) -> dict[str, Any]:
    labels = (about.variable_value_labels or {}).get(name, {})
    ranges = (about.missing_ranges or {}).get(name, [])
    return {
        "name": name,
        "type": type,
        "description": about.column_names_to_labels.get(name) or "",
        "labels": [[value, label] for value, label in labels.items() if isinstance(value, (int, float, str))],
        "is_ordered": (about.variable_measure or {}).get(name) == "ordinal",
        "missing": [value for value in labels if _is_declared(value, type, ranges)],
    }


def _is_declared(value: object, type: str, ranges: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a labelled value is declared as missing: a letter among numbers, or a value in one of the ranges."""
    if isinstance(value, str):
        return type != "texts" or any(value.rstrip() == str(bounds["lo"]).rstrip() for bounds in ranges)
    numbers = [bounds for bounds in ranges if not isinstance(bounds["lo"], str)]
    return isinstance(value, (int, float)) and any(bounds["lo"] <= value <= bounds["hi"] for bounds in numbers)


def type_of(format: str, about: Any, name: str) -> str:
    """How the numbers of a column are converted: "texts", "numbers", or by the format that the file gives them."""
    if (about.readstat_variable_types or {}).get(name) == "string":
        return "texts"
    shown = str((about.original_variable_types or {}).get(name) or "")
    if format == "dta":
        shown = shown.removeprefix("%").removeprefix("-")  # the minus sign: at the left of its column
        unit = next((unit for unit in _STATA_UNITS if shown.startswith(unit)), "")
        if unit in ("tc", "tC") and re.fullmatch(r"tc[Hh]+:MM(:SS)?", shown):
            return "stata hours"
        return f"stata {unit}" if unit else "numbers"
    word = re.match(r"[A-Za-z_]*(?:8601[A-Za-z]*)?", shown)
    plain = word[0].upper() if word is not None else ""
    if format in ("sav", "por"):
        return "spss moments" if plain in _SPSS_DATES else "seconds" if plain in _SPSS_TIMES else "numbers"
    if plain in _SAS_MOMENTS:
        return "sas moments"
    if plain in _SAS_TIMES_OF_DAY:
        return "time of day"
    return "sas days" if plain in _SAS_DATES else "seconds" if plain in _SAS_TIMES else "numbers"


def _converted(
    values: Sequence[Any], type: str, ranges: Sequence[Mapping[str, Any]] | None, declared: Counter[str]
) -> tuple[str, Sequence[bytes]]:
    """The column for the parent; values declared as missing are counted in ``declared`` and become missing."""
    if type == "texts":
        gone = {str(bounds["lo"]).rstrip() for bounds in ranges or ()}
        if gone:
            _count(declared, [value for value in values if isinstance(value, str) and value.rstrip() in gone])
            values = ["" if isinstance(value, str) and value.rstrip() in gone else value for value in values]
        return _texts(values)
    try:
        numbers = np.array(values, dtype=np.float64)
    except ValueError:  # letters of special missing values
        _count(declared, [f".{value}" for value in values if isinstance(value, str)])
        numbers = np.array([None if isinstance(value, str) else value for value in values], dtype=np.float64)
    for bounds in ranges or ():
        if isinstance(bounds["lo"], (int, float)) and isinstance(bounds["hi"], (int, float)):
            is_gone = (numbers >= bounds["lo"]) & (numbers <= bounds["hi"])
            _count(declared, numbers[is_gone].tolist())
            numbers[is_gone] = np.nan
    return in_units(type, numbers)


def _count(declared: Counter[str], values: Sequence[Any]) -> None:
    for value, times in Counter(values).items():
        text = f"{value:.15g}" if isinstance(value, float) else value.rstrip()
        if text in declared or len(declared) < MOST_DECLARED:
            declared[text] += times


def in_units(type: str, numbers: NDArray[np.float64]) -> tuple[str, list[bytes]]:
    """Numbers, moments in seconds since 1970-01-01, or hours, from numbers of the units that ``type`` names."""
    if type == "numbers":
        return _numbers("numbers", numbers)
    if type == "time of day":
        return _numbers("hours", numbers % _DAY / 3600.0)
    if type in ("seconds", "stata hours"):
        return _numbers("hours", numbers / (3600.0 if type == "seconds" else 3.6e6))
    if type == "spss moments":
        seconds = numbers - _SINCE_1582
    elif type == "sas moments":
        seconds = numbers + _SINCE_1960
    elif type in ("stata tc", "stata tC"):
        seconds = numbers / 1e3 + _SINCE_1960
    elif type in ("sas days", "stata td", "stata d"):
        seconds = numbers * _DAY + _SINCE_1960
    elif type == "stata tw":  # the last week of a year has 8 or 9 days
        years = np.floor(numbers / 52.0)
        weeks = np.where(np.isfinite(numbers), numbers, 0.0) % 52.0
        seconds = _months(12.0 * years) + 7.0 * _DAY * weeks
    else:
        seconds = _months(numbers * {"stata tm": 1.0, "stata tq": 3.0, "stata th": 6.0}[type])
    return _numbers("moments", seconds)


def _months(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """The seconds since 1970-01-01 of the first day of months counted from January 1960."""
    usable = np.abs(numbers) < 120_000.0
    months = (np.where(usable, numbers, 0.0).astype(np.int64) - 120).astype("datetime64[M]")
    return np.where(usable, months.astype("datetime64[s]").astype(np.int64).astype(np.float64), np.nan)


# ---- R ---------------------------------------------------------------------------------------------------------------


def _read_r(request: dict[str, Any]) -> None:
    import pyreadr

    path, wanted = request["path"], request["object"]
    encoding = {} if request["encoding"] is None else {"encoding": request["encoding"]}
    objects = [(item["object_name"] or "", bool(item["columns"])) for item in pyreadr.list_objects(path, **encoding)]
    send("objects", objects=objects)
    if request["want"] == "objects":
        return
    frames = [name for name, is_frame in objects if is_frame]
    name = wanted if wanted is not None else frames[0] if frames else None
    if name not in frames:
        raise RefusedError("objects")
    send("object", name=name)
    whole = pyreadr.read_r(path, **({"use_objects": [name]} if name else {}), **encoding)
    frame = next(iter(whole.values()))
    if frame.index.dtype.kind not in "iu" and list(frame.index) != [str(row + 1) for row in range(len(frame))]:
        frame.insert(0, "row names", [str(label) for label in frame.index], allow_duplicates=True)
    names = [str(column) for column in frame.columns]
    described = [_described_in_r(frame.iloc[:, index], column) for index, column in enumerate(names)]
    send("opening", n_records=len(frame), columns=described)
    size = max(LEAST_RECORDS, CELLS_AT_A_TIME // max(1, len(names)))
    for start in range(0, len(frame), size):
        part = frame.iloc[start : start + size]
        _send_block(len(part), [_converted_from_r(part.iloc[:, index]) for index in range(len(names))])


def _described_in_r(column: Any, name: str) -> dict[str, Any]:
    categories = getattr(column, "cat", None)
    labels = [] if categories is None else [[str(level), str(level)] for level in categories.categories]
    is_ordered = categories is not None and bool(categories.ordered)
    return {"name": name, "type": "", "description": "", "labels": labels, "is_ordered": is_ordered, "missing": []}


def _converted_from_r(column: Any) -> tuple[str, Sequence[bytes]]:
    kind = column.dtype.kind
    if hasattr(column, "cat"):
        return _coded(column.cat.codes.to_numpy(), [str(level) for level in column.cat.categories])
    if kind == "b":
        return _coded(column.to_numpy().astype(np.int32), ["FALSE", "TRUE"])
    if kind in "iuf":
        return _numbers("numbers", column.to_numpy(dtype=np.float64))
    if kind == "M":
        return _numbers("moments", _since_1970(column.to_numpy(dtype="datetime64[us]")))
    return _converted_objects(column.tolist())


def _converted_objects(values: Sequence[Any]) -> tuple[str, Sequence[bytes]]:
    """Values with missing ones among them: dates, logical values, integers or texts."""
    from datetime import date

    present = {type(value) for value in values} - {type(None), float}
    if present == {date}:
        days = np.array([value if isinstance(value, date) else None for value in values], dtype="datetime64[D]")
        return _numbers("moments", _since_1970(days.astype("datetime64[us]")))
    if present == {bool}:
        codes = [int(value) if isinstance(value, bool) else -1 for value in values]
        return _coded(np.array(codes, dtype=np.int32), ["FALSE", "TRUE"])
    if present and str not in present:
        return _numbers("numbers", np.array(values, dtype=np.float64))
    return _texts(values)


def _since_1970(moments: NDArray[Any]) -> NDArray[np.float64]:
    seconds = moments.astype(np.int64) / 1e6
    seconds[np.isnat(moments)] = np.nan
    return seconds


# ---- Writing ---------------------------------------------------------------------------------------------------------

_OBSERVATIONS: Final = b"HEADER RECORD*******OBSV8 "
_HEADING: Final = 80
"""The line before the records of a SAS transport file of version 8 (SAS technical note TS-140), and its bytes."""


def _write(request: dict[str, Any]) -> None:
    """Write the file; raises :class:`RefusedError` with the library's reason if it cannot."""
    import pyreadstat

    write: dict[str, Any] = {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta, "xpt": pyreadstat.write_xport}
    frame, options = _frame(Path(request["folder"]), request["columns"]), _options(request)
    try:
        write[request["format"]](frame, request["path"], **options)
        if request["format"] == "xpt":
            _check_size(request["path"], len(frame))
    except (pyreadstat.PyreadstatError, pyreadstat.ReadstatError, ValueError, OSError) as error:
        raise RefusedError("failed", reason=str(error)) from error


def _check_size(path: str, n: int) -> None:
    """Raise ``OSError`` unless the SAS file has room for all n records: on a full disk the library reports nothing."""
    import pyreadstat

    with Path(path).open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        heading, size = content.find(_OBSERVATIONS), len(content)
    _, about = pyreadstat.read_xport(path, metadataonly=True)
    width = sum(map(int, about.variable_storage_width.values()))
    if heading < 0 or size < heading + _HEADING + n * width:
        raise OSError(UNABLE_TO_WRITE)


def _frame(folder: Path, columns: list[dict[str, Any]]) -> Any:
    """The values in the folder as a pandas frame; a missing text is an empty one."""
    import pandas as pd

    values = dict[str, Any]()
    for index, column in enumerate(columns):
        stored = np.load(folder / f"{index}.npy")
        if column["is_text"]:
            texts = np.array([*json.loads(np.load(folder / f"{index}.json.npy").tobytes()), ""], dtype=object)
            stored = texts[stored]
        values[column["name"]] = stored
    return pd.DataFrame(values, copy=False)


def _options(request: dict[str, Any]) -> dict[str, Any]:
    """What the library is told of the columns: labels, formats and levels, as far as the format has them."""
    columns = request["columns"]
    options: dict[str, Any] = {
        "column_labels": {column["name"]: column["label"] for column in columns if column["label"]},
        "variable_format": {column["name"]: column["format"] for column in columns if column["format"]},
    }
    if request["format"] != "xpt":
        labels = {column["name"]: dict(enumerate(column["labels"], 1)) for column in columns if column["labels"]}
        options["variable_value_labels"] = labels
    if request["format"] == "sav":
        options["variable_measure"] = {column["name"]: column["measure"] for column in columns}
        options["row_compress"] = True
    return options


if __name__ == "__main__":
    run(_answer)
