"""Text files split into blocks of whole records in UTF-8, and ordered processing on several threads."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import os
import re
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, BinaryIO, ClassVar, Final, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.extras import PARQUET
from algorithms.core.files import open_regular
from algorithms.core.run_control import thread_pool, usable_cores
from algorithms.data.columns import IntArray

T = TypeVar("T")

READ_SIZE: Final = 1 << 20
LARGEST_BLOCK: Final = 1 << 24
SMALLEST_BLOCK: Final = 1 << 21
_IN_CACHE: Final = 1 << 18

LARGEST_RATIO: Final = 200
"""A packed file that unpacks to more than this many times its size is taken for a decompression bomb."""
UTMOST_RATIO: Final = 1100
"""Largest ratio that gzip can reach: a file that declares more is damaged."""
FREE_OF_RATIO: Final = 256 << 20
"""Bytes up to which the ratio of unpacked to packed size is not checked."""
_PACKED: Final = {
    re.compile(rb"\x1f\x8b"): "gzip",
    re.compile(rb"BZh[1-9]1AY&SY"): "bzip2",
    re.compile(rb"\xfd7zXZ\x00"): "xz",
    re.compile(rb"\x28\xb5\x2f\xfd"): "zstd",
}
_LONGEST_BEGINNING: Final = 10


class _ZstdFile(io.RawIOBase):
    """What zstd packed, unpacked by the extra pyarrow; only its beginning can be sought."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw, self._n, self._stream = raw, 0, cast(BinaryIO, None)
        self.seek(0)

    def seek(self, offset: int, whence: int = 0, /) -> int:
        import pyarrow  # an extra

        self._raw.seek(0)
        self._n, self._stream = 0, pyarrow.CompressedInputStream(pyarrow.PythonFile(_Shared(self._raw), "r"), "zstd")
        return 0

    def read(self, size: int = -1, /) -> bytes:
        part = self._stream.read(size)
        self._n += len(part)
        return part

    def tell(self) -> int:
        return self._n


class _Shared(io.RawIOBase):
    """A file that stays open when its reader ends."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        return self._raw.read(size)


_UNPACKED: Final[dict[str, Callable[[BinaryIO], BinaryIO]]] = {
    "gzip": lambda raw: cast(BinaryIO, gzip.GzipFile(fileobj=raw)),
    "bzip2": lambda raw: cast(BinaryIO, bz2.BZ2File(raw)),
    "xz": lambda raw: cast(BinaryIO, lzma.LZMAFile(raw)),  # noqa: SIM115  the text file closes it
    "zstd": lambda raw: cast(BinaryIO, _ZstdFile(raw)),
}
_FAULTS: Final = (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError, MemoryError)
"""Errors of damaged files, and of what unpacks them."""
UNIT_SEPARATOR: Final = "\x1f"
"""Character between the fields that were cut out of columns of fixed width."""
RULE: Final = re.compile(r"[-= ]*(?:-{3}|={3})[-= ]*")
"""Matches a line that only rules off the names of columns."""
_LONE_RETURN: Final = re.compile(rb"\r(?!\n)")


@dataclass(frozen=True)
class TextBlock:
    """Whole records as UTF-8 lines, from line ``first_line`` (from 1); only quotes contain lone carriage returns."""

    index: int
    first_line: int
    data: bytes


class TextFile:
    """An open text file, used as a context manager. Raises :class:`DataError` for any fault of the file."""

    is_server: ClassVar[bool] = False
    """Whether it is a database on a server, which has no bytes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.name
        try:
            self._raw: BinaryIO = open_regular(path)
            self.size = os.fstat(self._raw.fileno()).st_size
            self.packing = _packing(self._raw.read(_LONGEST_BEGINNING))
            unpacked = _unpacked_size(self._raw, self.size) if self.packing == "gzip" else 0
            self._raw.seek(0)
        except OSError as error:
            raise _unreadable(path, error) from None
        try:
            if self.packing == "zstd":
                PARQUET.require(f"{self.name} is packed with zstd", self.name)
            if self.packing:
                self.refuse_swelling(unpacked, self.size)
        except DataError:
            self._raw.close()
            raise
        self._file: BinaryIO = _UNPACKED[self.packing](self._raw) if self.packing else self._raw

    def __enter__(self) -> TextFile:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._file.close()
        self._raw.close()

    @property
    def subject(self) -> str:
        """The name of the file at the start of a sentence."""
        return self.name

    @property
    def is_packed(self) -> bool:
        """Whether the file is packed by the program named ``packing`` (and unpacked while reading)."""
        return bool(self.packing)

    @property
    def position(self) -> int:
        """Number of bytes read, out of ``size``."""
        return self._raw.tell()

    def place(self, line: int | None = None) -> str:
        """The place of an error: the file, and the line if given."""
        return self.name if line is None else f"{self.name}, line {line}"

    def head(self, size: int) -> bytes:
        """The first bytes of the (unpacked) file."""
        self._rewind()
        parts: list[bytes] = []
        while size > 0 and (part := self._read(size)):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def tail(self, size: int) -> bytes:
        """The last bytes of a file; empty if it is packed, since they would cost as much as the whole."""
        if self.packing:
            return b""
        try:
            self._file.seek(max(0, self.size - size))
        except _FAULTS as error:
            raise _unreadable(self.path, error) from None
        return self._read(size)

    def pieces(self) -> Iterator[bytes]:
        """The (unpacked) file in pieces of bytes."""
        self._rewind()
        while part := self._read(READ_SIZE):
            yield part

    def text(self, encoding: str, *, guessed: bool) -> Iterator[bytes]:
        """The text in chunks of UTF-8 without byte order mark; raises :class:`EncodingMismatchError` if it misfits."""
        self._rewind()
        plain = self._codec(encoding) in ("utf-8", "ascii", "utf-8-sig")
        decoder = codecs.getincrementaldecoder("utf-8-sig" if plain else encoding)()
        n_pieces, first = 0, True
        while True:
            part = self._read(READ_SIZE)
            if plain and part and not first and part.isascii() and not decoder.getstate()[0]:
                n_pieces += 1
                yield part
                continue
            try:
                text = decoder.decode(part, final=not part)
                encoded = text.removeprefix("\ufeff").encode("utf-8") if first else text.encode("utf-8")
            except UnicodeError as error:
                start = error.start if isinstance(error, UnicodeDecodeError) else 0
                before = sum(count_bytes(p, b"\n") for p in islice(self.text(encoding, guessed=guessed), n_pieces))
                raise EncodingMismatchError(1 + before + part[:start].count(b"\n"), guessed) from None
            if not part and not text:
                return
            first = first and not text
            n_pieces += 1
            yield encoded

    def _codec(self, encoding: str) -> str:
        try:
            "".encode(encoding)  # "hex" and "rot13" are codecs too, but not for text
            return codecs.lookup(encoding).name
        except (LookupError, ValueError):
            raise DataError(
                f"There is no encoding named {encoding!r}.",
                remedy="Common ones are utf-8, cp1252 and utf-16.",
                place=self.name,
            ) from None

    def _rewind(self) -> None:
        try:
            self._file.seek(0)
        except _FAULTS as error:
            raise _unreadable(self.path, error, self.packing) from None

    def refuse_swelling(self, unpacked: int, packed: int) -> None:
        """Raise :class:`DataError` if the unpacked size suggests a decompression bomb."""
        if unpacked > FREE_OF_RATIO and unpacked > LARGEST_RATIO * packed:
            raise DataError(
                f"{self.name} unpacks to more than {LARGEST_RATIO} times its size.",
                remedy="If you trust it, unpack it with another program and open what comes of it.",
                place=self.name,
            )

    def _read(self, size: int) -> bytes:
        try:
            part = self._file.read(size)
            if self.packing:
                self.refuse_swelling(self._file.tell(), self._raw.tell())
            if not part and not self.packing and self._raw.tell() < self.size:
                raise DataError(
                    f"{self.name} became shorter while it was being read.",
                    remedy="Open it again when nothing writes to it.",
                    place=self.name,
                )
        except _FAULTS as error:
            raise _unreadable(self.path, error, self.packing) from None
        return part


def _packing(beginning: bytes) -> str:
    """The program that packed a file which begins so; empty for none."""
    return next((name for start, name in _PACKED.items() if start.match(beginning)), "")


def _unpacked_size(file: BinaryIO, packed: int) -> int:
    """The unpacked size that the end of a gzip file declares (modulo 4 GiB); 0 if it is impossible."""
    if packed < 18:
        return 0
    file.seek(packed - 4)
    unpacked = int.from_bytes(file.read(4), "little")
    return unpacked if unpacked <= UTMOST_RATIO * packed else 0


@contextmanager
def temporary_copy(name: str, pieces: Iterable[bytes], checkpoint: Callable[[], None]) -> Iterator[Path]:
    """Context manager: the path of a file with the pieces, in a folder that is deleted with the block."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        with path.open("wb") as file:
            for piece in pieces:
                checkpoint()
                file.write(piece)
        yield path


@contextmanager
def with_remedy(remedy: str) -> Iterator[None]:
    """Context manager: errors of a file that have no remedy get this one."""
    try:
        yield
    except DataError as error:
        if error.remedy:
            raise
        raise DataError(error.sentence, remedy=remedy, place=error.place) from None


class EncodingMismatchError(Exception):
    """The file is not in the encoding in which it is read; ``line`` is the first line with an error."""

    def __init__(self, line: int, guessed: bool) -> None:
        super().__init__(line)
        self.line = line
        self.guessed = guessed


def in_fitting_encoding(source: TextFile, given: str | None, work: Callable[[str | None], T]) -> T:
    """``work`` by the given encoding, else by None, cp1252, latin-1; raises :class:`DataError` if the given misfits."""
    tried: str | None = given
    while True:
        try:
            return work(tried)
        except EncodingMismatchError as mismatch:
            if not mismatch.guessed or tried == "latin-1":
                raise DataError(
                    f"The text is not in the encoding {given or tried}.",
                    remedy="Choose another encoding, or let it be recognised.",
                    place=source.place(mismatch.line),
                ) from None
            tried = "latin-1" if tried == "cp1252" else "cp1252"


def count_outside_quotes(data: bytes, quote: bytes, first: bytes, second: bytes) -> tuple[int, int]:
    """The numbers of occurrences of two bytes outside quotes; every quote character opens or closes a quote."""
    raw = np.frombuffer(data, dtype=np.uint8)
    inside, n_first, n_second = False, 0, 0
    for start in range(0, len(raw), _IN_CACHE):
        part = raw[start : start + _IN_CACHE]
        within = np.logical_xor.accumulate(part == quote[0])
        within ^= inside
        n_first += int(np.count_nonzero((part == first[0]) & ~within))
        n_second += int(np.count_nonzero((part == second[0]) & ~within))
        inside = bool(within[-1])
    return n_first, n_second


def count_bytes(data: bytes, what: bytes) -> int:
    """The number of occurrences; for a single byte faster than ``bytes.count`` and without the interpreter lock."""
    if len(what) != 1:
        return data.count(what)
    raw = np.frombuffer(data, dtype=np.uint8)
    return sum(int(np.count_nonzero(raw[i : i + _IN_CACHE] == what[0])) for i in range(0, len(raw), _IN_CACHE))


def _unreadable(path: Path, error: BaseException, packing: str = "") -> DataError:
    place = path.name
    if isinstance(error, FileNotFoundError):
        return DataError(f"There is no file {path}.", remedy="Was it moved, renamed or deleted?", place=place)
    if isinstance(error, PermissionError):
        return DataError(
            f"{path.name} may not be read.",
            remedy="Ask for permission, or close the program that holds it.",
            place=place,
        )
    if isinstance(error, IsADirectoryError):
        return DataError(f"{path.name} is a folder, not a file.", remedy="Choose a file in it.", place=place)
    if packing and (not isinstance(error, OSError) or error.errno is None):
        return DataError(
            f"{path.name} is packed with {packing}, and the package is damaged or cut off.",
            remedy="Fetch it again.",
            place=place,
        )
    reason = getattr(error, "strerror", None) or str(error)
    return DataError(
        f"{path.name} could not be read: {reason}.", remedy="Is the disk or the network still there?", place=place
    )


@dataclass(frozen=True)
class RecordFormat:
    """The separators of records: ``delimiter`` and ``quote`` as bytes (quote may be empty), and the line ends.

    With ``carriage_returns`` lone carriage returns end lines; with ``blanks`` runs of blanks separate fields. With
    ``widths`` each line is cut into columns of fixed width first; ``uncut`` refuses values that cross a border.
    """

    delimiter: bytes
    quote: bytes
    carriage_returns: bool = False
    blanks: bool = False
    widths: tuple[int, ...] = ()
    uncut: bool = False


def blocks(pieces: Iterator[bytes], shape: RecordFormat, size: int, place: TextFile) -> Iterator[TextBlock]:
    """Blocks of about ``size`` bytes of whole records; raises :class:`DataError` if a quote is never closed."""
    cutter = _Cutter(shape)
    kept: list[bytes] = []
    weight, index, line, wanted = 0, 0, 1, size
    for piece in pieces:
        kept.append(piece.replace(b"\r", b"\n") if shape.carriage_returns else piece)
        weight += len(piece)
        if weight < wanted:
            continue
        whole, rest = cutter.whole_records(kept)
        kept, weight = [rest], len(rest)
        if not whole:
            wanted = 2 * weight
            continue
        cleaned = cutter.cleaned(whole, place, line)
        yield TextBlock(index, line, cleaned)
        index, line, wanted = index + 1, line + count_bytes(cleaned, b"\n"), size
    data = b"".join(kept)
    if data:
        data = data if data.endswith(b"\n") else data + b"\n"
        opened = cutter.unclosed(data)
        if opened is not None:
            raise DataError(
                "A quoted field begins here and is never closed.",
                remedy="The file may have been cut off; or close the quote, or say that quotes mean nothing.",
                place=place.place(line + data.count(b"\n", 0, opened)),
            )
        yield TextBlock(index, line, cutter.cleaned(data, place, line))


def block_size(source: TextFile, n_fields: int, most: int = LARGEST_BLOCK) -> int:
    """Bytes to parse at once, at most ``most``: worth a call, a small part of the file, more for very many fields."""
    return max(min(max(source.size // 12, SMALLEST_BLOCK), most), 4096 * n_fields)


def is_unclosed(text: str, shape: RecordFormat) -> bool:
    """Whether a quoted field begins in a record and does not end in it."""
    quote = shape.quote.decode()
    return bool(quote) and text.count(quote) % 2 == 1 and _Cutter(shape).unclosed(text.encode("utf-8")) is not None


class _Cutter:
    def __init__(self, shape: RecordFormat) -> None:
        self.shape = shape
        quote, delimiter = re.escape(shape.quote), re.escape(shape.delimiter)
        if shape.quote:
            start = rb"(?:\A|(?<=[" + delimiter + rb"\n\r]))" + (rb" *" if shape.delimiter != b" " else b"") + quote
            self._quoted = re.compile(start + rb"(?:[^" + quote + rb"]|" + quote + quote + rb")*(" + quote + rb"|\Z)")
            self._quoted_or_return = re.compile(self._quoted.pattern + rb"|" + _LONE_RETURN.pattern)

    def whole_records(self, parts: Sequence[bytes]) -> tuple[bytes, bytes]:
        """The text in ``parts`` up to the end of its last whole record, and the rest."""
        end = parts[-1].rfind(b"\n") + 1
        whole, rest = b"".join((*parts[:-1], parts[-1][:end])), parts[-1][end:]
        before = self.unclosed(whole) if end else len(whole)
        while before is not None:
            end = whole.rfind(b"\n", 0, before) + 1
            whole, rest = whole[:end], whole[end:] + rest
            before = self.unclosed(whole)
        return whole, rest

    def unclosed(self, data: bytes) -> int | None:
        """The start of a quoted field that does not end in ``data``; None if there is none."""
        if not self.shape.quote or self.shape.quote not in data:
            return None
        raw = np.frombuffer(data, dtype=np.uint8)
        quotes = np.flatnonzero(raw == self.shape.quote[0])
        if not self._in_pairs(raw, quotes):
            for match in self._quoted.finditer(data):
                if match.end() == len(data) and not match.group(1):
                    return match.start()
            return None
        if len(quotes) % 2 == 0:
            return None
        last = len(quotes) - 1
        while last > 0 and quotes[last] == quotes[last - 1] + 1:
            last -= 2
        return int(quotes[last])

    def _in_pairs(self, raw: NDArray[np.uint8], quotes: IntArray) -> bool:
        """Whether quotes alternately begin and end a field; a doubled quote counts as both."""
        borders = np.frombuffer(self.shape.delimiter[:1] + b"\r\n" + self.shape.quote, dtype=np.uint8)
        opening, closing = quotes[0::2], quotes[1::2]
        before, after = raw[opening[opening > 0] - 1], raw[closing[closing < len(raw) - 1] + 1]
        return bool(np.isin(before, borders).all() and np.isin(after, borders).all())

    def cleaned(self, data: bytes, place: TextFile, line: int) -> bytes:
        """The records with line feeds as line ends, cut by widths; single blanks if blanks separate fields."""
        data = self._with_line_feeds(data)
        if self.shape.widths:
            return cut_by_width(data, self.shape.widths, place.place if self.shape.uncut else None, line)
        if not self.shape.blanks:
            return data
        return with_single_blanks(data)

    def _with_line_feeds(self, data: bytes) -> bytes:
        """The records with lone carriage returns outside quotes replaced by line feeds."""
        if b"\r" not in data or count_bytes(data, b"\r") == data.count(b"\r\n"):
            return data
        if not self.shape.quote or self.shape.quote not in data:
            return _LONE_RETURN.sub(b"\n", data)
        return self._quoted_or_return.sub(lambda match: match[0] if len(match[0]) > 1 else b"\n", data)


def with_single_blanks(data: bytes) -> bytes:
    """The lines with a single blank for each run of blanks and tabs, and none at either end."""
    data = data.replace(b"\t", b" ")
    while b"  " in data:  # each pass halves the longest run
        data = data.replace(b"  ", b" ")
    data = data.replace(b" \n", b"\n").replace(b" \r\n", b"\r\n").replace(b"\n ", b"\n").strip(b" ")
    return data.removesuffix(b" \r") + b"\r" if data.endswith(b" \r") else data


def cut_by_width(
    data: bytes, widths: Sequence[int], place: Callable[[int], str] | None = None, first_line: int = 1
) -> bytes:
    """Whole lines (UTF-8) with a unit separator between the columns of these widths, in characters.

    The last column reaches to the end of the line. Blanks around values are left out. Rules under names, and blank
    lines, become empty lines. With ``place`` (of a line) :class:`DataError` is raised for a value that crosses a
    border.
    """
    for mark, other in ((b"\r\n", b"\n"), (UNIT_SEPARATOR.encode(), b" ")):
        data = data.replace(mark, other) if mark[:1] in data else data  # a single byte is found faster
    plain = data.isascii()
    raw = np.frombuffer(data if plain else data.decode("utf-8").encode("utf-32-le"), dtype=np.uint8 if plain else "<u4")
    ends = np.flatnonzero(raw == ord("\n")) + 1
    borders = np.cumsum(widths[:-1], dtype=np.int64)
    parts: list[bytes] = []
    row = start = 0
    while row < len(ends):
        n_lines = max(1, _IN_CACHE // len(widths))
        stop = min(row + n_lines, max(row + 1, int(np.searchsorted(ends, start + _IN_CACHE))))
        lines, own = raw[start : ends[stop - 1]], ends[row:stop] - start
        cuts = np.minimum(np.concatenate(([0], own[:-1]))[:, None] + borders, own[:, None] - 1)
        empty = _lines_without_values(lines, own)
        if place is not None:
            crossed = (lines[cuts - 1] > 32) & (lines[cuts] > 32) & ~empty[:, None]
            if crossed.any():
                i, column = np.argwhere(crossed)[0]
                raise DataError(
                    f"A value crosses the border between the columns {column + 1} and {column + 2}.",
                    remedy="Correct the widths of the columns, or the line.",
                    place=place(first_line + row + int(i)),
                )
        written = _without_blanks_around(np.insert(lines, cuts.ravel(), ord(UNIT_SEPARATOR)), own, len(borders), empty)
        cut = written.tobytes()
        parts.append(cut if plain else cut.decode("utf-32-le").encode("utf-8"))
        row, start = stop, int(ends[stop - 1])
    return b"".join(parts)


def _lines_without_values(lines: NDArray[Any], ends: IntArray) -> NDArray[np.bool_]:
    """Whether each line, up to its end, is blank or a rule."""
    starts = np.concatenate(([0], ends[:-1]))
    filled = (lines > 32) & (lines != ord("-")) & (lines != ord("="))
    empty: NDArray[np.bool_] = ~np.logical_or.reduceat(filled, starts)
    for i in np.flatnonzero(empty):
        text = "".join(map(chr, lines[starts[i] : ends[i]].tolist())).strip()
        empty[i] = not text or RULE.fullmatch(text) is not None
    return empty


def _without_blanks_around(
    written: NDArray[Any], ends: IntArray, n_borders: int, empty: NDArray[np.bool_]
) -> NDArray[Any]:
    """Lines with separators, but without the blanks around them, and without what is in the empty ones."""
    blank = np.concatenate(([False], written == 32, [False]))
    runs = np.flatnonzero(blank[1:] != blank[:-1])
    first, after = runs[::2], runs[1::2]
    is_border = (written == ord(UNIT_SEPARATOR)) | (written == ord("\n"))
    inside = (first > 0) & ~is_border[first - 1] & ~is_border[after]
    lengths = np.diff(np.concatenate(([0], runs, [len(written)])))
    kept = np.ones(len(lengths), dtype=np.bool_)
    kept[1::2] = inside
    chosen = np.repeat(kept, lengths)
    if empty.any():
        last = ends + n_borders * np.arange(1, len(ends) + 1)
        chosen &= ~np.repeat(empty, np.diff(np.concatenate(([0], last))))
        chosen[last - 1] = True
    result: NDArray[Any] = written[chosen]
    return result


R = TypeVar("R")


def in_order(
    executor: Executor | None, work: Callable[[T], R], items: Iterable[T], checkpoint: Callable[[], None]
) -> Iterator[R]:
    """Yields ``work(item)`` for each item, in order; computes only a few items ahead of the consumer.

    The caller itself processes an item that no thread has started. ``checkpoint`` is called every few milliseconds and
    may raise. Then, or if the caller stops iterating, nothing is left running.
    """
    if executor is None:
        for item in items:
            checkpoint()
            yield work(item)
        return
    pending: deque[tuple[T, Future[R]]] = deque()
    try:
        for item in items:
            checkpoint()
            pending.append((item, executor.submit(work, item)))
            if len(pending) > usable_cores() + 1:
                yield _result(work, *pending.popleft(), checkpoint)
        while pending:
            yield _result(work, *pending.popleft(), checkpoint)
    finally:
        for _, future in pending:
            future.cancel()
        wait([future for _, future in pending if not future.cancelled()])


def _result(work: Callable[[T], R], item: T, future: Future[R], checkpoint: Callable[[], None]) -> R:
    if future.cancel():
        return work(item)
    while not wait([future], timeout=0.02).done:
        checkpoint()
    return future.result()


@contextmanager
def helpers(executor: Executor | None, wanted: bool) -> Iterator[Executor | None]:
    """Context manager: the given executor, or a temporary thread pool if threads are ``wanted``; else None."""
    if executor is not None or not wanted or usable_cores() == 1:
        yield executor if wanted else None
        return
    with thread_pool() as pool:
        yield pool
