"""Zip archives and packed files: what is read from them, unpacked to a temporary copy with limits.

Only the names and sizes in the directory of the archive decide; nothing is written under a name from it but its last
part, in a folder of its own. What unpacks to very many times its size is refused.
"""

from __future__ import annotations

import lzma
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path, PurePosixPath
from typing import Final

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.io.foreign_formats import ARCHIVE, MODEL_SAYS_SO_WITHIN, PROJECT, SAVED_MODEL
from algorithms.io.text.options import ReadOptions
from algorithms.io.text.text_source import READ_SIZE, TextFile, temporary_copy
from algorithms.text.sentences import and_more

_OF_PROGRAMS: Final = ("[Content_Types].xml", "mimetype", "META-INF/MANIFEST.MF")
"""Files in archives that are documents or programs."""
_ENCRYPTED: Final = 1
_LONGEST_NAME: Final = 100
_FAULTS: Final = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    RuntimeError,
    NotImplementedError,
    ValueError,
    MemoryError,
)


def is_archive(source: TextFile) -> bool:
    """Whether the file is a zip archive of any files, and no workbook, document, program, model or project."""
    head = source.head(MODEL_SAYS_SO_WITHIN)
    if not head.startswith(ARCHIVE) or source.is_packed or SAVED_MODEL in head or PROJECT in head:
        return False
    try:
        with zipfile.ZipFile(source.path) as archive:
            names = archive.namelist()
    except _FAULTS:
        return False
    return not any(name in _OF_PROGRAMS or name.endswith(".npy") for name in names)


def members(source: TextFile, is_table: Callable[[str], bool]) -> tuple[str, ...]:
    """The names of the files in an archive, in order, those whose name ``is_table`` first; hidden ones are left out."""
    with _opened(source) as archive:
        return tuple(_files(archive, is_table))


def _files(archive: zipfile.ZipFile, is_table: Callable[[str], bool]) -> Mapping[str, zipfile.ZipInfo]:
    files = {
        info.filename: info
        for info in archive.infolist()
        if not info.is_dir()
        and info.file_size
        and not info.filename.startswith("__MACOSX/")
        and not PurePosixPath(info.filename).name.startswith(".")
    }
    return dict(sorted(files.items(), key=lambda item: not is_table(item[0])))


@contextmanager
def unpacked_member(
    source: TextFile, context: RunContext, options: ReadOptions, is_table: Callable[[str], bool]
) -> Iterator[tuple[str, Path]]:
    """Context manager: the name of the member that the options name as sheet, else of the first, and a copy's path.

    Raises :class:`DataError` if the archive is damaged, locked or empty, or the member is absent or too large.
    """
    with _opened(source) as archive:
        files = _files(archive, is_table)
        if not files:
            raise DataError(f"{source.name} holds no files.", remedy="Choose another archive.", place=source.name)
        chosen = options.sheet if options.sheet is not None else next(iter(files))
        if chosen not in files:
            what = f"{source.name} has no file named {chosen!r}."
            raise DataError(what, remedy=f"Its files are {and_more(list(files), 8)}.", place=source.name)
        with _copy(source, archive, files[chosen], context) as path:
            yield chosen, path


def _copy(
    source: TextFile, archive: zipfile.ZipFile, info: zipfile.ZipInfo, context: RunContext
) -> AbstractContextManager[Path]:
    if info.flag_bits & _ENCRYPTED:
        raise DataError(
            f"{info.filename} in {source.name} is locked with a password.",
            remedy="Unpack it with its password and open that.",
            place=source.name,
        )
    source.refuse_swelling(info.file_size, info.compress_size)
    _refuse_full_disk(source, info.filename, info.file_size, info.file_size)
    name = "".join(c if c.isprintable() and c not in '\\/:*?"<>|' else "_" for c in info.filename.rpartition("/")[2])
    return temporary_copy(name[-_LONGEST_NAME:] or "table", _pieces(source, archive, info), context.checkpoint)


@contextmanager
def unpacked_copy(source: TextFile, context: RunContext) -> Iterator[Path]:
    """Context manager: the path of an unpacked copy of a packed file; raises :class:`DataError` if it is too large."""

    def pieces() -> Iterator[bytes]:
        n = 0
        for piece in source.pieces():
            n += len(piece)
            _refuse_full_disk(source, source.name, n, len(piece))
            yield piece

    with temporary_copy(source.path.stem or "table", pieces(), context.checkpoint) as path:
        yield path


def _refuse_full_disk(source: TextFile, name: str, size: int, left: int) -> None:
    """Raise :class:`DataError` if the ``left`` bytes of the unpacked size cannot be written."""
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if left > free:
        where = f"{name} in {source.name}" if name != source.name else name
        raise DataError(
            f"{where} takes {size / 1e9:,.1f} GB or more unpacked, and {free / 1e9:,.1f} GB are free on the disk.",
            remedy="Free some space, or unpack it on another disk and open that.",
            place=source.name,
        )


def _pieces(source: TextFile, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    try:
        with archive.open(info) as file:
            while piece := file.read(READ_SIZE):
                yield piece
    except _FAULTS as error:
        raise _damaged(source, error) from None


@contextmanager
def _opened(source: TextFile) -> Iterator[zipfile.ZipFile]:
    try:
        archive = zipfile.ZipFile(source.path)
    except _FAULTS as error:
        raise _damaged(source, error) from None
    with archive:
        yield archive


def _damaged(source: TextFile, error: BaseException) -> DataError:
    if isinstance(error, NotImplementedError):
        what = f"{source.name} is packed in a way that is not supported."
        return DataError(what, remedy="Unpack it with another program and open that.", place=source.name)
    return DataError(f"{source.name} is a damaged or cut off archive.", remedy="Fetch it again.", place=source.name)
