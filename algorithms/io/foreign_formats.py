"""Detection of files in unsupported formats, with an error that names the format."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Final

from algorithms.core.errors import DataError
from algorithms.io.text.text_source import TextFile

SAVED_MODEL: Final = b'{"format": "coppice-model"'
"""First bytes of the first member of a saved model."""
PROJECT: Final = b'{"format": "coppice-project"'
MODEL_SAYS_SO_WITHIN: Final = 256
"""The format name occurs within this many bytes of the file."""
USE_A_MODEL: Final = "Predict new data by a saved model..."
"""The label of the command in the window."""

ARCHIVE: Final = b"PK\x03\x04"
COMPOUND: Final = b"\xd0\xcf\x11\xe0"
"""First bytes of a zip archive, and of a Microsoft compound file."""

_EXPORT: Final = "Export the table in it as CSV and open that."
_UNPACK: Final = "Unpack it and open the table in it."


@dataclass(frozen=True)
class ForeignFormat:
    """An unsupported format by name ("a PDF document"), and the remedy if there is a special one."""

    name: str
    remedy: str = ""
    is_packed: bool = False

    def refusal(self, source: TextFile) -> DataError:
        sentence = f"{source.subject} is {self.name}{'' if self.is_packed else ', not a table'}."
        return DataError(sentence, remedy=self.remedy, place=source.name)


_PROGRAM: Final = ForeignFormat("a program")
_SOUND: Final = ForeignFormat("a sound or video recording")
_MATLAB: Final = ForeignFormat("a MATLAB data file", "In MATLAB, write the table as CSV (writetable) and open that.")
_TIFF: Final = ForeignFormat("a TIFF picture")
_FONT: Final = ForeignFormat("a font")
_CAPTURE: Final = ForeignFormat("a recording of network traffic")
_PICKLE: Final = ForeignFormat("a Python pickle", "In Python, write the table as CSV (to_csv) and open that.")

_BEGINNINGS: Final = (
    (b"\x89PNG", ForeignFormat("a PNG picture")),
    (b"\xff\xd8\xff", ForeignFormat("a JPEG picture")),
    (b"GIF8", ForeignFormat("a GIF picture")),
    (b"II*\x00", _TIFF),
    (b"MM\x00*", _TIFF),
    (b"8BPS", ForeignFormat("a Photoshop picture")),
    (b"\x00\x00\x01\x00", ForeignFormat("an icon")),
    (b"AT&TFORM", ForeignFormat("a DjVu document")),
    (b"SIMPLE  =", ForeignFormat("a FITS file", _EXPORT)),
    (b"\x0e\x03\x13\x01", ForeignFormat("an HDF4 file", _EXPORT)),
    (b"AC10", ForeignFormat("a drawing (DWG)")),
    (b"!BDN", ForeignFormat("a mailbox of Outlook")),
    (b"GGUF", ForeignFormat("a language model")),
    (b"L\x00\x00\x00\x01\x14\x02\x00", ForeignFormat("a Windows shortcut", "Open the file that it leads to.")),
    (b"\x00\x01\x00\x00\x00", _FONT),
    (b"OTTO", _FONT),
    (b"wOF", _FONT),
    (b"\xd4\xc3\xb2\xa1", _CAPTURE),
    (b"\x0a\x0d\x0d\x0a", _CAPTURE),
    (b"\x04\x22\x4d\x18", ForeignFormat("packed with lz4", _UNPACK, is_packed=True)),
    (b"MSCF", ForeignFormat("packed as a cabinet", _UNPACK, is_packed=True)),
    (b"\x1f\x9d", ForeignFormat("packed with compress", _UNPACK, is_packed=True)),
    (b"%PDF-", ForeignFormat("a PDF document", "Copy the table from the document and paste it here.")),
    (b"%!PS-", ForeignFormat("a PostScript document")),
    (b"{\\rtf", ForeignFormat("a document (RTF)", "Copy the table from the document and paste it here.")),
    (b"FEA1", ForeignFormat("a Feather file of version 1", "Write it again with version 2, or as Parquet.")),
    (b"ORC", ForeignFormat("an ORC file", _EXPORT)),
    (b"Obj\x01", ForeignFormat("an Avro file", _EXPORT)),
    (b"\x89HDF\r\n", ForeignFormat("an HDF5 file", _EXPORT)),
    (b"CDF\x01", ForeignFormat("a NetCDF file", _EXPORT)),
    (b"CDF\x02", ForeignFormat("a NetCDF file", _EXPORT)),
    (b"\x93NUMPY", ForeignFormat("a NumPy array", "In Python, write it as CSV (numpy.savetxt) and open that.")),
    (b"MATLAB 5.0 MAT-file", _MATLAB),
    (b"MATLAB 7.3 MAT-file", _MATLAB),
    (b"\x80\x02", _PICKLE),
    (b"\x80\x03", _PICKLE),
    (b"\x80\x04", _PICKLE),
    (b"\x80\x05", _PICKLE),
    (bytes(12) + b"\xc2\xea\x81\x63\xb3\x14\x11\xcf", ForeignFormat("a catalogue of SAS formats")),
    (b"\x00\x01\x00\x00Standard ", ForeignFormat("an Access database", _EXPORT)),
    (b"\x7fELF", _PROGRAM),
    (b"MZ", _PROGRAM),
    (b"\xcf\xfa\xed\xfe", _PROGRAM),
    (b"\xce\xfa\xed\xfe", _PROGRAM),
    (b"\xca\xfe\xba\xbe", _PROGRAM),
    (b"\x00asm", _PROGRAM),
    (b"#!/", ForeignFormat("a script")),
    (b"ID3\x03", _SOUND),
    (b"ID3\x04", _SOUND),
    (b"\xff\xfb", _SOUND),
    (b"\xff\xf3", _SOUND),
    (b"\x1aE\xdf\xa3", _SOUND),
    (b"FLV\x01", _SOUND),
    (b"MThd", _SOUND),
    (b"OggS", _SOUND),
    (b"fLaC", _SOUND),
    (b"BZh91AY", ForeignFormat("packed twice, within with bzip2", _UNPACK, is_packed=True)),
    (b"\xfd7zXZ", ForeignFormat("packed twice, within with xz", _UNPACK, is_packed=True)),
    (b"7z\xbc\xaf", ForeignFormat("packed with 7-zip", _UNPACK, is_packed=True)),
    (b"\x28\xb5\x2f\xfd", ForeignFormat("packed twice, within with zstd", _UNPACK, is_packed=True)),
    (b"Rar!\x1a\x07", ForeignFormat("packed with RAR", _UNPACK, is_packed=True)),
    (b"\x1f\x8b\x08", ForeignFormat("packed twice, within with gzip", _UNPACK, is_packed=True)),
)
_WORD: Final = ForeignFormat("a text document", "Copy the table from the document and paste it here.")
_SLIDES: Final = ForeignFormat("a presentation", "Copy the table from a slide and paste it here.")
_NUMPY_ARCHIVE: Final = ForeignFormat("an archive of NumPy arrays", "In Python, write the table as CSV and open that.")
_IN_ARCHIVE: Final = (
    (b"word/", _WORD),
    (b"opendocument.text", _WORD),
    (b"epub+zip", ForeignFormat("an electronic book")),
    (b"ppt/", _SLIDES),
    (b"opendocument.presentation", _SLIDES),
    (b"META-INF/MANIFEST.MF", _PROGRAM),
    (b".npy", _NUMPY_ARCHIVE),
)
_WORKBOOK_PARTS: Final = (b"xl/", b"opendocument.spreadsheet")
_IN_COMPOUND: Final = (("WordDocument", _WORD), ("PowerPoint Document", _SLIDES))

_JSON: Final = ForeignFormat("JSON", "Save it as a file and open that.")
_JSON_LINES: Final = ForeignFormat("JSON lines", _JSON.remedy)
_HTML: Final = ForeignFormat("a web page (HTML)", "Open it in a browser, copy the table and paste it here.")
_XML: Final = ForeignFormat("XML", _EXPORT)

_TEXTS: Final = (
    (re.compile(r"\\documentclass\b|%.*\n\\documentclass\b"), ForeignFormat("a LaTeX document")),
    (re.compile(r"-----BEGIN [A-Z ]+-----\s"), ForeignFormat("a key or a certificate")),
    (re.compile(r"BEGIN:VCARD\s"), ForeignFormat("an address card (vCard)", _EXPORT)),
    (re.compile(r"BEGIN:VCALENDAR\s"), ForeignFormat("a calendar (iCalendar)", _EXPORT)),
    (re.compile(r"-- (?:MySQL|MariaDB) dump |--\s+-- PostgreSQL database dump"), ForeignFormat("an SQL dump", _EXPORT)),
    (
        re.compile(r"(?:Return-Path|Received|Delivered-To|MIME-Version|From): .*\r?\n(?:[A-Z][\w-]*: |[ \t]+\S)"),
        ForeignFormat("an e-mail"),
    ),
)
"""Texts by their first lines."""

_LIBSVM_LINE: Final = re.compile(
    r"[+-]?[\d.]+(?:,\d+)*(?:\s+qid:\d+)?"  # one label or several
    r"(?:\s+\d+:(?:[+-]?[\d.]+(?:[eE][+-]?\d+)?|nan|[+-]?inf))*\s*(?:#.*)?"
)
_LIBSVM_PAIR: Final = re.compile(r"(?<=\s)(\d+):(\S+)")
_MINUTES: Final = re.compile(r"[0-5]\d")
_LINE: Final = re.compile(r"[^\r\n]+")
_LINES_LOOKED_AT: Final = 50
_MOST_CHARACTERS: Final = 4 << 20
_BINARY_WITHIN: Final = 256
_JSON_BEGUN: Final = re.compile(r'(?:\[\s*)*\{\s*"[^"\n]*"\s*:\s*')
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0e-\x1f]")
_COMMENTS: Final = re.compile(r"\A(?:\s*<!--.*?-->)*\s*", re.S)
_TAG: Final = re.compile(r"<([A-Za-z][\w:.-]*)(?:\s[^<>]*)?>")
_TAG_NEXT: Final = re.compile(r"(?:[ \t]*\r?\n\s*)?<[A-Za-z/!?]")
_REST_OF_LINE: Final = re.compile(r"[^>]*>[ \t]*(?:\r?\n|\r|\Z)")
_HTML_TAG: Final = re.compile(
    r"html|head|body|table|t(head|body|[rdh])|div|p|span|[uo]l|li|a|img|script|style|meta|title|[bh]r|h[1-6]|form|center|font|b|i",
    re.I,
)


def refuse_foreign_file(head: bytes, source: TextFile) -> None:
    """Raise :class:`DataError` for an unsupported binary format; text, workbooks and unknown content pass."""
    if head.startswith(ARCHIVE):
        if SAVED_MODEL in head[:MODEL_SAYS_SO_WITHIN]:
            raise DataError(
                f"{source.name} is a model saved by Coppice, not a table.",
                remedy=f"Choose “{USE_A_MODEL}” in the window's “…” menu.",
                place=source.name,
            )
        if PROJECT in head[:MODEL_SAYS_SO_WITHIN]:
            raise DataError(
                f"{source.name} is a project saved by Coppice, not a table.",
                remedy="Open it as a project (Ctrl+O), or choose the file with the table.",
                place=source.name,
            )
    foreign = _binary_format(head)
    if foreign is not None:
        raise foreign.refusal(source)


def begins_with(head: bytes, beginnings: Iterable[bytes]) -> bool:
    """Whether a file begins with one of these and is no text, in which a column may have such a name."""
    return head.startswith(tuple(beginnings)) and _CONTROL.search(head[:_BINARY_WITHIN]) is not None


def _binary_format(head: bytes) -> ForeignFormat | None:
    if head.startswith(ARCHIVE):
        if any(part in head for part in _WORKBOOK_PARTS):
            return None
        return next((format for part, format in _IN_ARCHIVE if part in head), None)
    if head.startswith(COMPOUND):
        if "Workbook".encode("utf-16-le") in head or "Book\0".encode("utf-16-le") in head:
            return None
        return next((format for name, format in _IN_COMPOUND if name.encode("utf-16-le") in head), None)
    if head[:4] == b"RIFF" and head[8:12] in (b"WEBP", b"WAVE", b"AVI "):
        return ForeignFormat("a WebP picture") if head[8:12] == b"WEBP" else _SOUND
    if head[:2] == b"BM" and b"\x00" in head[2:14]:
        return ForeignFormat("a BMP picture")
    if head[:3] == bytes(3) and head[4:8] == b"ftyp":
        return ForeignFormat("a HEIF picture") if head[8:12] in (b"heic", b"mif1", b"avif") else _SOUND
    if head[128:132] == b"DICM" and b"\x00" in head[:128]:
        return ForeignFormat("a DICOM picture")
    if head[257:262] == b"ustar" and b"\x00" in head[:257]:
        return ForeignFormat("a packed archive (tar)", _UNPACK, is_packed=True)
    beginning = next(((start, format) for start, format in _BEGINNINGS if head.startswith(start)), None)
    may_be_text = beginning is not None and (beginning[0].isalnum() or not beginning[0].isascii())
    if beginning is None or (may_be_text and not _CONTROL.search(head[:_BINARY_WITHIN])):
        return None  # a column may be named PAR1 or FEA1
    return beginning[1]


def refuse_foreign_text(text: str, source: TextFile) -> None:
    """Raise :class:`DataError` if a text is XML or of another known kind, or JSON or HTML that was pasted."""
    begun = text.lstrip("\ufeff \t\r\n")
    foreign = _json_format(begun) if begun[:1] in ("{", "[") else _markup_format(begun) if begun[:1] == "<" else None
    if foreign is None:
        foreign = next((format for beginning, format in _TEXTS if beginning.match(begun)), None)
    if foreign is not None:
        raise foreign.refusal(source)


def is_json_text(text: str) -> bool:
    """Whether a text that begins with a brace or a bracket is JSON or JSON lines, complete, cut off or damaged."""
    return _json_format(text) is not None


def is_html_text(text: str) -> bool:
    """Whether a text is a web page (HTML), or begins with an element of one."""
    begun = text.lstrip("\ufeff \t\r\n")
    return begun[:1] == "<" and _markup_format(begun) is _HTML


def is_libsvm_text(text: str) -> bool:
    """Whether every line is a label and index:value pairs with rising indices; times of day are not such pairs."""
    text = text[:_MOST_CHARACTERS]
    lines = [line[0] for line in islice(_LINE.finditer(text), _LINES_LOOKED_AT + 1)]
    if len(lines) > 1 and (len(lines) > _LINES_LOOKED_AT or not text.endswith(("\n", "\r"))):
        lines.pop()  # the last line may be incomplete
    lines = [line for line in lines if not line.isspace() and not line.startswith("#")]
    pairs = [_LIBSVM_PAIR.findall(line.partition("#")[0]) for line in lines]
    if not any(pairs) or not all(map(_LIBSVM_LINE.fullmatch, lines)):
        return False
    rising = all(int(a[:18]) < int(b[:18]) for own in pairs for (a, _), (b, _) in pairwise(own))
    return rising and not all(_MINUTES.fullmatch(value) for own in pairs for _, value in own)


def _json_format(text: str) -> ForeignFormat | None:
    """JSON if the text is a single object or list, complete, cut off or damaged; JSON lines if each line is one."""
    try:
        _, end = json.JSONDecoder(strict=False).raw_decode(text)
    except RecursionError:
        return _JSON
    except json.JSONDecodeError as error:
        cut_off = error.msg.startswith("Unterminated string") or not text[error.pos :].strip()
        begun = _JSON_BEGUN.match(text)
        return _JSON if cut_off or (begun is not None and error.pos > begun.end()) else None
    except ValueError:  # a number of more digits than Python converts
        return _JSON
    rest = text[end:].lstrip(" \t,")
    if not rest.strip():
        return _JSON
    return _JSON_LINES if rest[0] in "\r\n" and rest.lstrip()[0] in "{[" else None


def _markup_format(text: str) -> ForeignFormat | None:
    """HTML or XML if the text begins with its declaration, or with an element that cannot be a table cell."""
    body = _COMMENTS.sub("", text, count=1)
    begun = body[:2000].lower()
    if begun.startswith(("<!doctype html", "<html>", "<html ")):
        return _HTML
    if begun.startswith(("<?xml", "<!doctype")):
        return _HTML if "<html" in begun else _XML
    tag = _TAG.match(body)
    if tag is None:
        return None
    name, format = tag[1], _HTML if _HTML_TAG.fullmatch(tag[1]) else _XML
    closed = body.find(f"</{name}", tag.end())
    if tag[0].endswith("/>"):
        return format if _REST_OF_LINE.match(body, tag.end() - 1) else None
    if closed >= 0 and "\n" not in body[:closed]:
        return format if _REST_OF_LINE.match(body, closed) else None
    nested = _TAG_NEXT.match(body, tag.end()) is not None and ("</" in body or "/>" in body)
    return format if nested or closed >= 0 else None
