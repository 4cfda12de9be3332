"""Container of all saved files: a zip of one JSON member and .npy arrays, safe to read from an untrusted source.

Members are stored uncompressed, so that a file cannot claim more content than its size on disk. Nothing is unpacked to
disk, arrays are plain numbers, and member names are not used as paths.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import struct
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, NoReturn

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from algorithms.core import plain_json
from algorithms.core.errors import ModelFileError
from algorithms.core.files import Commit, GradualSync, Stamp, open_regular, replacing_or

_CONTENT: Final = "content.json"
_ARRAY_NAME: Final = re.compile(r"[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*")
_MOST_MEMBERS: Final = 100_000
_ARRAY_HEADER: Final = re.compile(
    rb"\x93NUMPY\x01\x00(?P<length>..)\{'descr': '(?P<dtype>[<>|](?:b1|[iu][1248]|f[248]))', "
    rb"'fortran_order': (?P<fortran>True|False), 'shape': \((?P<shape>(?:\d{1,18}(?:, ?)?){0,32})\), \} *\n",
    re.DOTALL,
)
_LARGE: Final = 1 << 30
_PIECE: Final = 1 << 20
_LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)
DAMAGE: Final = (
    zipfile.BadZipFile,
    struct.error,
    EOFError,
    NotImplementedError,
    OverflowError,
    RecursionError,
    RuntimeError,
    UnicodeError,
    ValueError,
)
"""The errors that the standard library raises for a damaged zip, JSON or array."""


@dataclass(frozen=True, eq=False)
class ArchiveContent:
    """JSON values and named arrays. An array's name consists of words and slashes: "model/counts"."""

    values: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)


def write(
    path: str | Path, content: ArchiveContent, commit: Commit | None = None, checkpoint: Callable[[], object] = int
) -> Stamp:
    """Write a file atomically and return its stamp; ``commit`` is that of :func:`replacing`.

    ``checkpoint`` is called before each chunk is written and may raise. Raises :class:`ModelFileError` if the file
    cannot be written.
    """
    with replacing_or(ModelFileError, path, commit=commit) as part:
        with part.open("wb") as stream:
            _write_members(stream, content, checkpoint)
        status = part.stat()
    return Stamp(status.st_size, status.st_mtime_ns)


def to_bytes(content: ArchiveContent, checkpoint: Callable[[], object] = int) -> bytes:
    """The bytes of a file of :func:`write`, to be kept within another file."""
    stream = io.BytesIO()
    _write_members(stream, content, checkpoint)
    return stream.getvalue()


def from_bytes(raw: bytes) -> ArchiveContent:
    """The content of :func:`to_bytes`; raises :class:`ModelFileError` or one of ``DAMAGE``."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return _content_of(archive, len(raw))


def _write_members(stream: BinaryIO, content: ArchiveContent, checkpoint: Callable[[], object]) -> None:
    synced = None if isinstance(stream, io.BytesIO) else GradualSync(stream.fileno())
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        text = json.dumps(content.values, ensure_ascii=False, allow_nan=False)
        archive.writestr(zipfile.ZipInfo(_CONTENT, _LONG_AGO), text.encode("utf-8", "surrogatepass"))
        for name, array in content.arrays.items():
            if not _ARRAY_NAME.fullmatch(name):
                raise ValueError(f"{name!r} cannot be the name of an array")
            info = zipfile.ZipInfo(f"{name}.npy", _LONG_AGO)
            with archive.open(info, "w", force_zip64=np.asarray(array).nbytes >= _LARGE) as member:
                for piece in array_pieces(array):
                    checkpoint()
                    member.write(piece)
                    if synced is not None:
                        synced.wrote(len(piece))


def array_pieces(array: NDArray[Any]) -> Iterator[bytes | memoryview]:
    """The bytes of an .npy file for an array of plain numbers, in chunks; a contiguous array is not copied."""
    plain = np.asarray(array, order="C")
    if plain.dtype.kind not in "biuf":
        raise ValueError(f"{plain.dtype} cannot be stored")
    header = io.BytesIO()
    npy.write_array_header_1_0(header, npy.header_data_from_array_1_0(plain))
    yield header.getvalue()
    flat = plain.reshape(-1).view(np.uint8).data
    for start in range(0, len(flat), _PIECE):
        yield flat[start : start + _PIECE]


def read(path: str | Path) -> ArchiveContent:
    """The content of a file; raises :class:`ModelFileError` if it cannot be read or :func:`write` did not write it."""
    source = Path(path)
    try:
        with open_regular(source, ModelFileError) as stream, zipfile.ZipFile(stream) as archive:
            return _content_of(archive, os.fstat(stream.fileno()).st_size)
    except OSError as error:
        raise ModelFileError(f"The file cannot be read: {error.strerror or error}.", place=str(source)) from error
    except DAMAGE as error:
        raise _damaged(f"{error}", source) from error
    except ModelFileError as error:
        raise ModelFileError(error.sentence, remedy=error.remedy, place=source.name) from error


def _content_of(archive: zipfile.ZipFile, size: int) -> ArchiveContent:
    """The checked content of an archive of ``size`` bytes."""
    members = _checked_members(archive, size)
    values = json_of(archive.read(members.pop(_CONTENT)))
    arrays = {name.removesuffix(".npy"): array_of(archive.read(member)) for name, member in members.items()}
    return ArchiveContent(values, arrays)


def _damaged(detail: str, source: Path) -> ModelFileError:
    what = f" ({detail.rstrip('.')[:120]})" if detail else ""
    return ModelFileError(f"This is not a saved file of this program, or it is damaged{what}.", place=source.name)


def _refuse(what: str) -> NoReturn:
    raise ModelFileError(f"The file is damaged or was made to do harm: {what}.")


def _checked_members(archive: zipfile.ZipFile, size: int) -> dict[str, zipfile.ZipInfo]:
    """The members by name, checked: known names, no duplicates, uncompressed, together no larger than the file."""
    infos = archive.infolist()
    if len(infos) > _MOST_MEMBERS:
        _refuse("it has too many parts")
    members: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        if info.compress_type != zipfile.ZIP_STORED or info.compress_size != info.file_size or info.flag_bits & 1:
            _refuse("a part is compressed or encrypted")
        if info.filename != _CONTENT and not _is_array_member(info.filename):
            _refuse(f"it has a part named {info.filename[:80]!r}")
        if info.filename in members:
            _refuse("two of its parts have one name")
        members[info.filename] = info
    if sum(info.file_size for info in infos) > size:
        _refuse("its parts are larger than the whole")
    if _CONTENT not in members:
        _refuse("its description is missing")
    return members


def _is_array_member(name: str) -> bool:
    stem = name.removesuffix(".npy")
    parts = stem.split("/")
    return stem != name and bool(_ARRAY_NAME.fullmatch(stem)) and not any(set(part) == {"."} for part in parts)


def json_of(raw: bytes) -> Mapping[str, Any]:
    """An untrusted JSON object; raises :class:`ModelFileError` or one of ``DAMAGE``."""
    values = plain_json.loads(raw.decode("utf-8", "surrogatepass"), half_pairs=True)
    if not isinstance(values, dict):
        _refuse("its description is not an object")
    return values


def array_of(raw: bytes | memoryview) -> NDArray[Any]:
    """The array from bytes of :func:`array_pieces`; its declared size must be exact.

    Raises :class:`ModelFileError` or one of ``DAMAGE``. The header is matched against the form that numpy writes for
    such arrays, not evaluated.
    """
    header = _ARRAY_HEADER.match(raw)
    if header is None or int.from_bytes(header["length"], "little") != header.end() - header.end("length"):
        _refuse("an array does not hold plain numbers")
    dtype, shape = np.dtype(header["dtype"].decode()), tuple(int(size) for size in header["shape"].split(b",") if size)
    if math.prod(shape) * dtype.itemsize != len(raw) - header.end():
        _refuse("an array is larger or smaller than it says")
    flat = np.frombuffer(raw, dtype=dtype, offset=header.end()).astype(dtype.newbyteorder("="))
    return flat.reshape(shape, order="F" if header["fortran"] == b"True" else "C")
