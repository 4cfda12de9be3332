"""Journal: an append-only file with every change of a project, so that a crash loses nothing.

A line that names the format is followed by frames. A frame has a kind (b"J" for JSON values, b"A" for an array), the
CRC-32 of kind, length and content, the length, and the content. The content of an array is its number in 8 bytes and an
.npy file. When :meth:`Journal.append` returns, the changes are on disk. A frame that was incomplete when the program
ended fails its length or CRC check. It and all later frames are cut off when the journal is read.

A journal is used by one thread at a time, and by one process: see :class:`algorithms.core.files.Lock`.
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
from algorithms.project.changes import Project, ProjectChange, changes_of
from algorithms.project.models import NONSENSE
from algorithms.project.projects import VERSION, Replay, check_version
from algorithms.project.shared_storage import SharedWriter

_FIRST_LINE: Final = b"coppice-journal %d\n"
_LONGEST_FIRST_LINE: Final = 64
_HEAD: Final = struct.Struct("<cIQ")
_JSON: Final = b"J"
_ARRAY: Final = b"A"


class Journal:
    """A journal opened for appending; created by :meth:`begin` or :meth:`resume`."""

    def __init__(self, path: Path, file: FileIO, size: int) -> None:
        self.path = path
        self._file = file
        self.size = size
        """Number of bytes that are known to be on disk."""
        self._writer = SharedWriter(_FrameSink(self._frame))
        self.is_whole = True
        """Whether all appended changes are in the file; after a failure nothing more can be appended."""

    @classmethod
    def begin(cls, path: Path, changes: Iterable[ProjectChange]) -> Self:
        """Create a journal, replacing the file at ``path`` atomically; raises :class:`ModelFileError` on failure."""
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
        """The project and journal, an incomplete end cut off; raises :class:`ModelFileError`, changing nothing.

        A journal from before version 6, whose steps lack the decision rules of the runs, is written anew: else a later
        step with rules would take them from all steps before it. If that fails, for example on a full disk, the file
        stays as it is, and nothing can be appended.
        """
        try:
            file = FileIO(path, "r+")
            path.chmod(PRIVATE)  # older versions created files that all users could read
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
        journal._writer.continue_after(replay.reader)
        project = replay.project.with_rules_in_steps()
        if project.steps is not replay.project.steps:
            journal.close()  # not every system renames over an open file
            try:
                journal = cls.begin(path, changes_of(project))
            except ModelFileError:
                journal.is_whole = False
        return project, journal

    def append(self, changes: Iterable[ProjectChange]) -> None:
        """Append changes and wait for the disk; raises :class:`ModelFileError`, after which a new journal is needed."""
        if not self.is_whole:
            raise ModelFileError("What you did before could not be kept.")
        self.is_whole = False  # after a failure, numbers without definitions may be in use
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
        """Close the file, which is complete on disk."""
        with suppress(OSError):
            self._file.close()

    def discard(self) -> None:
        """Delete the file; if the folder does not permit that, empty it."""
        self.close()
        try:
            self.path.unlink(missing_ok=True)
        except OSError:
            with suppress(OSError):
                os.truncate(self.path, 0)


class _FrameSink:
    """A sink that writes a frame for each definition and each array."""

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
    """The error for a journal that cannot be written."""
    return ModelFileError(
        f"What you do now cannot be kept against a crash: {error.strerror or error}.",
        remedy="Make room on the disk, and save the project.",
    )


def _unreadable(error: OSError) -> ModelFileError:
    return ModelFileError(f"What was kept cannot be read: {error.strerror or error}.")


def _replayed(file: FileIO, registry: Registry) -> tuple[Replay, int]:
    """The replayed project of the frames, and the end position of the last valid frame."""
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
    """Kind, content and end position of each frame before the first incomplete or damaged one."""
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
    content = np.empty(size, dtype=np.uint8).data  # unlike a bytearray it is not initialised
    left = content
    while len(left):
        n = file.readinto(left)
        if not n:
            raise OSError("the file became shorter")
        left = left[n:]
    return content
