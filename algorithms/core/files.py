"""File access: regular files, atomic replacement, CSV text safe for spreadsheets, locks between processes.

A full disk, a stop or a crash leaves the old file unchanged. Every module that stores user data writes through this
one; ``tests/test_architecture.py`` names the few with working files of their own. The system releases a lock however
its holder ends. A process id could not show whether the holder still runs, since ids are reused.

Sources: RFC 4180; OWASP, CSV Injection: an apostrophe before text keeps a spreadsheet from reading it as a formula.
"""

from __future__ import annotations

import csv
import errno
import io
import os
import re
import shutil
import stat
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, TextIO, TypedDict, Unpack

from algorithms.core.errors import CoppiceError, DataError

if TYPE_CHECKING:
    from filelock import BaseFileLock


_FLAGS: Final = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
"""Flags that open an idle pipe or a terminal without blocking."""


def open_regular(path: str | Path, error: type[CoppiceError] = DataError) -> BinaryIO:
    """The regular file opened for reading; raises ``error`` for other kinds, ``OSError`` if it cannot be opened."""
    file = Path(path)
    if file.is_dir():
        raise error(f"{file.name or file} is a folder, not a file.", remedy="Choose a file in it.", place=str(path))
    try:
        descriptor = os.open(file, _FLAGS)
    except ValueError as nonsense:  # a name with a null character
        raise error("This is no name of a file.", place=repr(str(path))[:80]) from nonsense
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise error(
            f"{file.name} is a pipe or a device, not a file.", remedy="Choose a file on a disk.", place=str(path)
        )
    return open(descriptor, "rb")  # noqa: PTH123 - the caller closes it; there is no path to open it by


JOURNAL_SUFFIX: Final = ".coppice-journal"
STRAYS: Final = ".coppice-*.part"
"""Name pattern of temporary files, which exist in the folder of a file while it is written."""
STRAY_SECONDS: Final = 3600
_NO_ROOM: Final = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT if hasattr(errno, "EDQUOT") else errno.ENOSPC)
_READ_WRITE: Final = 0o666
SYNCED_AT_ONCE: Final = 1 << 23
"""Bytes between two syncs: a disk that writes 100 MB a second needs 80 ms for them."""
_sync: Final[Callable[[int], None]] = getattr(os, "fdatasync", os.fsync)
PRIVATE: Final = 0o600
"""File mode that lets only the owner read and write."""

Commit = Callable[[], object]
"""A function called right before the rename; its exception leaves the file unchanged."""


@dataclass(frozen=True)
class Stamp:
    """Size and modification time (nanoseconds) of a file, compared to detect changes."""

    size: int
    modified: int

    @classmethod
    def of(cls, path: str | Path) -> Stamp | None:
        """The stamp of the file at ``path``; None if there is no file."""
        try:
            status = Path(path).stat()
        except OSError:
            return None
        return cls(status.st_size, status.st_mtime_ns)


class WriteOptions(TypedDict, total=False):
    """Options of :func:`replacing`."""

    private: bool
    durable: bool
    commit: Commit | None


@contextmanager
def replacing(
    path: str | Path, *, private: bool = False, durable: bool = True, commit: Commit | None = None
) -> Iterator[Path]:
    """Context manager: yields the path of an empty file to write to, which then replaces the file at ``path``.

    A symbolic link stays a link; its target is replaced. A replaced file keeps its mode and owner. A new file gets the
    system's defaults, or is readable by its owner alone if ``private``. ``commit`` is called right before the rename
    (see :data:`Commit`). Without ``durable`` nothing is synced to disk, which suits unimportant files written in the
    window's thread. Raises ``OSError`` if the file cannot be written; the old file then stays.
    """
    target, before = _target(path)
    if before is not None and not stat.S_ISREG(before.st_mode):
        with _written_through(target, before, commit) as part:
            yield part
        return
    if before is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    sweep(target.parent)
    part = target.with_name(STRAYS.replace("*", uuid.uuid4().hex))
    mode = (PRIVATE if private else _READ_WRITE) if before is None else before.st_mode & 0o666 | 0o600
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
    try:
        yield part
        if before is not None:
            now = part.stat()
            if hasattr(os, "chown") and (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
                with suppress(OSError):
                    os.chown(part, before.st_uid, before.st_gid)
            part.chmod(stat.S_IMODE(before.st_mode))
        if durable:
            with part.open("rb+") as file:
                os.fsync(file.fileno())
        if commit is not None:
            commit()
        part.replace(target)
        if durable:
            sync_folder(target.parent)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def replacing_or(error: type[CoppiceError], path: str | Path, **options: Unpack[WriteOptions]) -> Iterator[Path]:
    """As :func:`replacing`, but failures are raised as ``error`` with a remedy."""
    try:
        with replacing(path, **options) as part:
            yield part
    except OSError as cause:
        raise unwritable(path, cause, error) from cause


def check_writable(path: str | Path, error: type[CoppiceError] = DataError) -> None:
    """Raise ``error`` if a file certainly cannot be written."""
    try:
        target, before = _target(path)
        if before is None and not target.parent.is_dir():
            raise error("The file cannot be written: there is no such folder.", place=str(path))
        if before is not None and stat.S_ISDIR(before.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        beside = before is None or stat.S_ISREG(before.st_mode)
        for place in (*([] if before is None else [target]), *([target.parent] if beside else [])):
            if not os.access(place, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    except OSError as cause:
        raise unwritable(path, cause, error) from cause
    except ValueError as nonsense:  # a name with a null character
        raise error("This is no name of a file.", place=repr(str(path))[:80]) from nonsense


class GradualSync:
    """Syncs a file while it grows, so that the final sync is short and a stop need not wait for it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._unsynced = descriptor, 0

    def wrote(self, n: int) -> None:
        """Count ``n`` written bytes, and sync after every :data:`SYNCED_AT_ONCE` of them."""
        self._unsynced += n
        if self._unsynced >= SYNCED_AT_ONCE:
            self._unsynced = 0
            with suppress(OSError):  # devices cannot sync; the final sync reports other errors
                _sync(self._descriptor)


def write_bytes(
    path: str | Path, content: bytes, *, error: type[CoppiceError] = DataError, **options: Unpack[WriteOptions]
) -> None:
    """Write a whole file; raises ``error`` on failure, and the old file then stays."""
    with replacing_or(error, path, **options) as part:
        part.write_bytes(content)


def write_text(
    path: str | Path, text: str, *, error: type[CoppiceError] = DataError, **options: Unpack[WriteOptions]
) -> None:
    """Write a file as UTF-8 with unchanged line ends; raises ``error`` on failure, and the old file then stays."""
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError as cause:
        before = text[max(0, cause.start - 20) : cause.start]
        raise error(
            f"{shortened_name(path)} cannot be written: half of a character follows {before!r}.",
            remedy="Type that name again.",
            place=str(path),
        ) from cause
    write_bytes(path, content, error=error, **options)


def unwritable(path: str | Path, cause: OSError, error: type[CoppiceError] = DataError) -> CoppiceError:
    """An ``error`` with a remedy, for a file that cannot be written because of ``cause``."""
    if cause.errno in _NO_ROOM:
        remedy = "Make room on the disk, or choose another folder."
    elif cause.errno == errno.ENAMETOOLONG:
        remedy = "Choose a shorter name."
    else:
        remedy = "Choose another folder or name."
    sentence = f"{shortened_name(path)} cannot be written: {cause.strerror or cause}."
    return error(sentence, remedy=remedy, place=str(path))


def shortened_name(path: str | Path) -> str:
    """The file's name, with an ellipsis in the middle if it is very long."""
    name = Path(path).name or str(path)
    return name if len(name) <= 80 else f"{name[:50]}…{name[-25:]}"


def sweep(folder: Path) -> None:
    """Remove temporary files that a killed program left at least :data:`STRAY_SECONDS` ago."""
    with suppress(OSError):
        for stray in folder.glob(STRAYS):
            with suppress(OSError):
                inside = stray.iterdir() if stray.is_dir() else ()
                if time.time() - max(part.stat().st_mtime for part in (stray, *inside)) > STRAY_SECONDS:
                    shutil.rmtree(stray) if stray.is_dir() else stray.unlink()


def sync_folder(folder: Path) -> None:
    """Sync the directory entries of a folder to disk, if the system supports it."""
    if os.name != "posix":
        return
    with suppress(OSError):  # the file is in its place already
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _target(path: str | Path) -> tuple[Path, os.stat_result | None]:
    """The path with links resolved, and the file's status (None if absent); a pipe or a device keeps its path.

    A link such as ``/dev/stdout`` to a pipe leads to no file.
    """
    target = Path(os.path.realpath(path))
    try:
        before = Path(path).stat()
    except FileNotFoundError:
        return target, None
    return (target if stat.S_ISREG(before.st_mode) else Path(path)), before


@contextmanager
def _written_through(target: Path, before: os.stat_result, commit: Commit | None) -> Iterator[Path]:
    """Yield a temporary file, then copy it to a device or a pipe, which cannot be replaced."""
    if stat.S_ISDIR(before.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    with tempfile.TemporaryDirectory(prefix="coppice-") as folder:
        part = Path(folder) / "part"
        part.touch()
        yield part
        if commit is not None:
            commit()
        with part.open("rb") as source, target.open("wb") as sink:
            shutil.copyfileobj(source, sink)


_FORMULA: Final = re.compile("[=+\\-@\t\r\n＝＋－＠]")
"""Matches a first character that makes spreadsheets read text as a formula, including full-width signs."""
_NUMBER: Final = re.compile(r"[+-]?(?:(?:\d[\d.,'\u00a0\u202f ]*|[.,]\d+)(?:[eE][+-]?\d+)?\s?%?|inf|nan)|[+-]")
"""Matches a number as tables write it, or a lone sign; both are harmless."""


def neutralised(text: str) -> str:
    """``text``, after an apostrophe if a spreadsheet would read it as a formula; numbers are unchanged."""
    if _FORMULA.match(text) is None or _NUMBER.fullmatch(text) is not None:
        return text
    return f"'{text}"


def neutralised_csv(text: str) -> str:
    """A whole comma-separated text with every cell :func:`neutralised`."""
    written = io.StringIO()
    rows = csv.reader(io.StringIO(text, newline=""))
    CsvWriter(written).writerows([neutralised(cell) for cell in row] for row in rows)
    return written.getvalue()


class CsvWriter:
    """Writes CSV rows like :func:`csv.writer`, ended by line feeds, with quotes around carriage returns too."""

    def __init__(self, stream: TextIO, delimiter: str = ",") -> None:
        self._stream, self._delimiter = stream, delimiter
        self._needs_quotes = re.compile(rf'[{re.escape(delimiter)}"\r\n]')

    def writerow(self, row: Iterable[object]) -> None:
        """Write one row; None is an empty cell."""
        cells = [self._quoted("" if cell is None else str(cell)) for cell in row]
        self._stream.write(self._delimiter.join(cells if cells != [""] else ['""']) + "\n")

    def writerows(self, rows: Iterable[Iterable[object]]) -> None:
        for row in rows:
            self.writerow(row)

    def _quoted(self, text: str) -> str:
        return text if self._needs_quotes.search(text) is None else '"' + text.replace('"', '""') + '"'


class Lock:
    """A file lock that one process holds at a time; any thread of it may release the lock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: BaseFileLock | None = None

    def acquire(self) -> bool:
        """Take the lock; False if it is held, here too. Raises ``OSError`` if its file or file system refuses."""
        from filelock import FileLock, Timeout  # late: its import takes 0.1 s, for which the first window would wait

        lock = FileLock(self.path, timeout=0, mode=0o600, thread_local=False)
        try:
            lock.acquire()
        except Timeout:
            return False
        except NotImplementedError as error:
            raise OSError(str(error)) from error
        self._lock = lock
        return True

    def release(self) -> None:
        """Free the lock and remove its file if possible; the system frees the rest when the process ends."""
        lock, self._lock = self._lock, None
        if lock is None:
            return
        if sys.platform == "win32":  # an open file cannot be removed there
            with suppress(OSError):
                lock.release()
        with suppress(OSError):
            self.path.unlink()
        with suppress(OSError):
            lock.release()
