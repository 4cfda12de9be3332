"""The journal: every change of a project as it came, in a file that only grows, so that a killed program loses nothing.

After a line that names the format come frames: kind (b"J" JSON values, b"A" an array), the CRC-32 of kind, length and
content, the length, the content. An array's content is its number in 8 bytes and then an .npy file. What was appended
counts once :meth:`Journal.append` has returned: it is on the disk by then. A frame that was being written when the
program ended fails its length or its CRC; it and what follows is cut off when the journal is read again.

A journal is used by one thread at a time, and by one process: see :class:`algorithms.core.locks.Lock`.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from io import FileIO
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import CoppiceError, ModelFileError
from algorithms.core.files import PRIVATE, replacing
from algorithms.core.registry import Registry
from algorithms.project import archive
from algorithms.project.changes import ProjectChange
from algorithms.project.kept_project import Project
from algorithms.project.models import NONSENSE
from algorithms.project.projects import VERSION, Replay, check_version
from algorithms.project.shared import SharedWriter

SUFFIX: Final = ".coppice-journal"
_FIRST_LINE: Final = b"coppice-journal %d\n"
_LONGEST_FIRST_LINE: Final = 64
_HEAD: Final = struct.Struct("<cIQ")
_JSON: Final = b"J"
_ARRAY: Final = b"A"


class Journal:
    """An open journal, at its end. Made by :meth:`begin` or :meth:`resume`."""

    def __init__(self, path: Path, file: FileIO, size: int) -> None:
        self.path = path
        self._file = file
        self.size = size
        """Bytes that are known to be on the disk."""
        self._writer = SharedWriter(_Frames(self._frame))
        self.is_whole = True
        """Whether everything that was given is in it; once it is not, it takes no more."""

    @classmethod
    def begin(cls, path: Path, changes: Iterable[ProjectChange]) -> Self:
        """A new journal with these changes, in place of one that may be there; it is there whole or not at all.

        Raises :class:`ModelFileError` where it cannot be written.
        """
        try:
            with replacing(path, private=True) as beside, closing(FileIO(beside, "w")) as file:
                journal = cls(path, file, 0)
                _write(file, _FIRST_LINE % VERSION)
                journal._append(changes)  # closed before the rename: not every system renames an open file
            journal._file = FileIO(path, "r+")
            journal._file.seek(journal.size)
        except OSError as error:
            raise unwritable(error) from error
        return journal

    @classmethod
    def resume(cls, path: Path, registry: Registry) -> tuple[Project, Self]:
        """What the journal at ``path`` holds, and the journal to go on with; what was cut short is cut off.

        Raises :class:`ModelFileError` where it cannot be read, and leaves it as it is.
        """
        try:
            file = FileIO(path, "r+")
            path.chmod(PRIVATE)  # those of older versions could be read by all
        except OSError as error:
            raise _unreadable(error) from error
        with ExitStack() as unread:
            unread.callback(file.close)
            try:
                replay, size = _replayed(file, registry)
                file.seek(0)
                _write(
                    file, _FIRST_LINE % VERSION
                )  # in the place of an older one: what is appended may be of this version
                file.truncate(size)
                file.seek(size)
            except OSError as error:
                raise _unreadable(error) from error
            unread.pop_all()
        journal = cls(path, file, size)
        journal._writer.goes_on_after(replay.reader)
        return replay.project, journal

    def append(self, changes: Iterable[ProjectChange]) -> None:
        """Write changes and wait until the disk has them.

        Raises :class:`ModelFileError` where that fails; then nothing can be appended any more: begin another.
        """
        if not self.is_whole:
            raise ModelFileError("What you did before could not be kept.")
        self.is_whole = False  # what fails half way has numbers that nothing stands for
        try:
            self._append(changes)
        except OSError as error:
            raise unwritable(error) from error
        self.is_whole = True

    def _append(self, changes: Iterable[ProjectChange]) -> None:
        for change in changes:
            values = change.to_json(self._writer)
            self._frame(_JSON, [_json({"do": change.do, **values})])
        os.fsync(self._file.fileno())
        self.size = self._file.tell()

    def _frame(self, kind: bytes, pieces: Sequence[bytes | memoryview]) -> None:
        length = sum(len(piece) for piece in pieces)
        crc = zlib.crc32(kind + length.to_bytes(8, "little"))
        for piece in pieces:
            crc = zlib.crc32(piece, crc)
        _write(self._file, _HEAD.pack(kind, crc, length))
        for piece in pieces:
            _write(self._file, piece)

    def close(self) -> None:
        """Let go of the file; the disk has all of it already."""
        with suppress(OSError):
            self._file.close()

    def discard(self) -> None:
        """Remove the file: nothing of it is wanted any more. In a folder that lets no file go it is emptied instead."""
        self.close()
        try:
            self.path.unlink(missing_ok=True)
        except OSError:
            with suppress(OSError):
                os.truncate(self.path, 0)


class _Frames:
    """The outlet of a writer: a frame for each definition and each array."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def array(self, number: int, array: NDArray[Any]) -> None:
        self._frame(_ARRAY, [number.to_bytes(8, "little"), *archive.array_pieces(array)])

    def definition(self, values: Mapping[str, Any]) -> None:
        self._frame(_JSON, [_json(values)])


def _json(values: Mapping[str, Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass")


def _write(file: FileIO, piece: bytes | memoryview) -> None:
    left = memoryview(piece)
    while len(left):
        left = left[file.write(left) or 0 :]


def unwritable(error: OSError) -> ModelFileError:
    """That the journal cannot be written, in words."""
    return ModelFileError(
        f"What you do now cannot be kept against a crash: {error.strerror or error}.",
        remedy="Make room on the disk, and save the project.",
    )


def _unreadable(error: OSError) -> ModelFileError:
    return ModelFileError(f"What was kept cannot be read: {error.strerror or error}.")


def _replayed(file: FileIO, registry: Registry) -> tuple[Replay, int]:
    """The project that the frames make, and the end of the last good frame."""
    start = _after_first_line(file)
    replay = Replay(registry)
    try:
        good = start
        for kind, content, end in _frames(file, start):
            if kind == _ARRAY:
                number = int.from_bytes(content[:8], "little")
                replay.reader.array(number, archive.array_of(content[8:]))
            else:
                replay.take(archive.json_of(bytes(content)))
            good = end
    except CoppiceError as error:
        raise ModelFileError(f"What was kept cannot be used. {error.sentence}", remedy=error.remedy) from error
    except (*NONSENSE, *archive.DAMAGE) as error:
        raise ModelFileError("What was kept is damaged: its parts do not fit together.") from error
    if not replay.project.steps:
        raise ModelFileError("What was kept holds no table.")
    return replay, good


def _after_first_line(file: FileIO) -> int:
    line = file.read(_LONGEST_FIRST_LINE).partition(b"\n")[0] + b"\n"
    word, _, version = line.strip().partition(b" ")
    if word != _FIRST_LINE.split()[0]:
        raise ModelFileError("This is no journal of this program.")
    check_version(int(version) if version.isdigit() else version.decode("ascii", "replace"))
    return len(line)


def _frames(file: FileIO, start: int) -> Iterator[tuple[bytes, memoryview, int]]:
    """Kind, content and end of the frames up to the first that is cut short or damaged."""
    size, end = file.seek(0, os.SEEK_END), start
    while end + _HEAD.size <= size:
        file.seek(end)
        kind, crc, length = _HEAD.unpack(_read(file, _HEAD.size))
        end += _HEAD.size + length
        if kind not in (_JSON, _ARRAY) or end > size:
            return
        content = _read(file, length)
        if zlib.crc32(content, zlib.crc32(kind + length.to_bytes(8, "little"))) != crc:
            return
        yield kind, content, end


def _read(file: FileIO, size: int) -> memoryview:
    content = np.empty(size, dtype=np.uint8).data  # unlike a bytearray it costs nothing before it is filled
    left = content
    while len(left):
        n = file.readinto(left)
        if not n:
            raise OSError("the file became shorter")
        left = left[n:]
    return content
