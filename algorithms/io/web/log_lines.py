"""Lines of web logs, turned into requests by compiled loops.

A log is read in blocks of whole lines, which threads parse. A line that is no request is counted and left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.io.text.text_source import TextFile, helpers, in_order
from algorithms.io.web.log_formats import EXTENDED, FIELDS, JSON_LINES, ROLE_OF_KEY, SIGNATURE, roles_of

KERNELS: Final = "algorithms.io.web.log_kernels"
BLOCK: Final = 1 << 23
LONGEST_LINE: Final = 1 << 20
"""A longer line is no request."""
FEWEST_MARKS: Final = 20
"""Fewest characters other than blanks in a request: its time, address, page and status have no fewer."""
LONGEST_TEXT: Final = 500
"""Number of bytes of an address or agent that are kept."""
_IMAGES: Final = ("gif", "jpg", "jpeg", "png", "bmp", "ico", "svg", "webp", "avif", "tif", "tiff")
_EMBEDDED: Final = ("css", "js", "mjs", "map", "woff", "woff2", "ttf", "otf", "eot")
_ROBOTS: Final = np.frombuffer(b"/robots.txt", dtype=np.uint8)


@dataclass(frozen=True, eq=False)
class Requests:
    """The n requests of some lines.

    ``keys`` (n, 4) are hashes of address, agent, page and referrer; an absent agent or referrer is 0. ``times`` are
    seconds since 1970 UTC, ``sizes`` bytes, ``flags`` those of :mod:`~algorithms.io.web.log_kernels`. ``addresses`` and
    ``agents`` are the texts by hash. ``malformed`` are the first numbers of lines left out, of ``n_malformed``.
    """

    keys: IntArray
    times: FloatArray
    sizes: IntArray
    flags: IntArray
    addresses: Mapping[int, bytes]
    agents: Mapping[int, bytes]
    malformed: Sequence[int]
    n_malformed: int


@dataclass(frozen=True, eq=False)
class _LogBlock:
    """Whole lines from number ``first_line``; ``roles`` are those of the fields in W3C extended format."""

    data: bytes
    first_line: int
    roles: IntArray


def requests(source: TextFile, format: str, context: RunContext) -> Iterator[Requests]:
    """The requests of a log in the order of its lines, in parts."""
    ensure_compiled([KERNELS], context)
    parser = _Parser(format)
    with helpers(context.executor, source.size > BLOCK) as executor:
        blocks = _with_fields(_blocks(source)) if format == EXTENDED else _blocks(source)
        yield from in_order(executor, parser.parsed, blocks, context.checkpoint)


def _blocks(source: TextFile) -> Iterator[_LogBlock]:
    """Blocks of whole lines; of a line that is too long the beginning stands for all."""
    none = np.empty(0, dtype=np.int64)
    parts: list[bytes] = []
    weight, line, is_first, is_skipping = 0, 1, True, False
    for piece in source.pieces():
        part = piece.removeprefix(SIGNATURE) if is_first else piece
        is_first = False
        if is_skipping:
            end = part.find(b"\n")
            if end < 0:
                continue
            part, is_skipping = part[end:], False
        parts.append(part)
        weight += len(part)
        if weight < BLOCK:
            continue
        whole, _, rest = b"".join(parts).rpartition(b"\n")
        if len(rest) > LONGEST_LINE:
            rest, is_skipping = b"?", True
        if whole:
            yield _LogBlock(whole, line, none)
            line += whole.count(b"\n") + 1
        parts, weight = [rest], len(rest)
    data = b"".join(parts)
    if data.strip():
        yield _LogBlock(data, line, none)


def _with_fields(blocks: Iterator[_LogBlock]) -> Iterator[_LogBlock]:
    """The blocks with the roles of their fields, cut where these change."""
    roles = np.full(1, -1, dtype=np.int64)
    for block in blocks:
        data, line, begin = b"\n" + block.data, block.first_line, 0
        while (place := data.find(b"\n" + FIELDS, begin)) >= 0:
            if place > begin:
                yield _LogBlock(data[begin + 1 : place], line, roles)
            line += data.count(b"\n", begin + 1, place + 1) + 1
            begin = max(data.find(b"\n", place + 1), 0) or len(data)
            roles = roles_of(data[place + 1 : begin])
        if begin < len(data):
            yield _LogBlock(data[begin + 1 :], line, roles)


class _Parser:
    """Turns blocks of lines into requests; its method may run in several threads at once."""

    def __init__(self, format: str) -> None:
        from algorithms.io.web import log_kernels

        self._kernels, self._format = log_kernels, format
        self._images, self._embedded = _extensions(_IMAGES), _extensions(_EMBEDDED)
        texts = [key.encode("ascii") for key in ROLE_OF_KEY]
        ends = np.cumsum([len(text) for text in texts])
        hashes = np.empty(len(texts), dtype=np.int64)
        joined = np.frombuffer(b"".join(texts), dtype=np.uint8)
        log_kernels.hash_keys(joined, ends - np.array([len(text) for text in texts]), ends, hashes)
        order = np.argsort(hashes)
        self._keys, self._roles = hashes[order], np.array(list(ROLE_OF_KEY.values()), dtype=np.int64)[order]

    def parsed(self, block: _LogBlock) -> Requests:
        kernels, data = self._kernels, np.frombuffer(block.data, dtype=np.uint8)
        ends = np.append(np.flatnonzero(data == ord("\n")), len(data))
        begins = np.append(0, ends[:-1] + 1)
        lines, malformed = self._long_enough(data, begins, ends)
        begins, ends, n = begins[lines], ends[lines], len(lines)
        spans = np.full((n, kernels.N_ROLES, 2), -1, dtype=np.int64)
        states = np.empty(n, dtype=np.int8)
        if self._format == EXTENDED:
            kernels.split_extended(data, begins, ends, block.roles, spans, states)
        elif self._format == JSON_LINES:
            kernels.split_json(data, begins, ends, self._keys, self._roles, spans, states)
        else:
            kernels.split_common(data, begins, ends, spans, states)
        keys, times = np.empty((n, 5), dtype=np.int64), np.empty(n)
        sizes, flags = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
        whole = kernels.digest(data, self._images, self._embedded, _ROBOTS, spans, states, keys, times, sizes, flags)
        malformed = np.sort(np.append(malformed, lines[states == kernels.MALFORMED]))
        return Requests(
            keys[:whole, :4].copy(),
            times[:whole].copy(),
            sizes[:whole].copy(),
            flags[:whole].copy(),
            self._texts(block.data, keys[:whole, 0], keys[:whole, 4], spans[:, kernels.ADDRESS]),
            self._texts(block.data, keys[:whole, 1], keys[:whole, 4], spans[:, kernels.AGENT]),
            (malformed[:3] + block.first_line).tolist(),
            len(malformed),
        )

    def _long_enough(self, data: NDArray[np.uint8], begins: IntArray, ends: IntArray) -> tuple[IntArray, IntArray]:
        """The lines that can be requests, and the shorter ones that are malformed; blank lines take no memory."""
        marks = np.zeros(len(data) + 1, dtype=np.int32)
        np.cumsum(data > ord(" "), out=marks[1:])
        n_marks = marks[ends] - marks[begins]
        is_malformed = (n_marks > 0) & (n_marks < FEWEST_MARKS)
        if self._format == EXTENDED and len(data):
            is_malformed &= data[np.minimum(begins, len(data) - 1)] != ord("#")
        return np.flatnonzero(n_marks >= FEWEST_MARKS), np.flatnonzero(is_malformed)

    def _texts(
        self, data: bytes, hashes: IntArray, lines: IntArray, spans: NDArray[np.integer[Any]]
    ) -> dict[int, bytes]:
        distinct, first = np.unique(hashes, return_index=True)
        places = spans[lines[first]].tolist()
        return {
            hash: data[begin : min(end, begin + LONGEST_TEXT)]
            for hash, (begin, end) in zip(distinct.tolist(), places, strict=True)
            if hash
        }


def text_of(raw: bytes, format: str) -> str:
    """An address or agent as a person reads it: escapes of the format are undone."""
    text = raw.decode("utf-8", "replace")
    if format == JSON_LINES and "\\" in text:
        with suppress(ValueError):
            text = str(json.loads(f'"{text}"'))
    elif format == EXTENDED:
        blanks = "%20" if "%20" in text else "+"  # CloudFront and IIS
        text = " +".join(part.replace(blanks, " ") for part in text.split("++"))
    text = text.replace('\\"', '"').encode("utf-8", "replace").decode("utf-8")
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _extensions(names: Sequence[str]) -> IntArray:
    """File extensions as numbers, the last letter in the lowest byte."""
    return np.array([int.from_bytes(name.encode("ascii"), "big") for name in names], dtype=np.int64)
