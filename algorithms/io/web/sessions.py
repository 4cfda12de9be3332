"""Web logs: lines turned into requests by compiled loops, and the sessions of the requests, as records of a table.

A log is read in blocks of whole lines, which threads parse. A line that is no request is counted and left out. A
session is the requests of an address and agent without a longer pause.

Requests are put in order of address, agent and time in portions. A session is closed when a later one of its visitor
begins or the log has gone on for twice the timeout; the requests of open sessions wait for the next portion.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray, Mask
from algorithms.data.convert_kind import recast
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal
from algorithms.io.text.layout_recognition import SAMPLE_SIZE
from algorithms.io.text.options import MOST_MINUTES, ReadOptions
from algorithms.io.text.text_source import TextFile, helpers, in_order
from algorithms.io.web.log_formats import EXTENDED, FIELDS, JSON_LINES, ROLE_OF_KEY, SIGNATURE, log_format, roles_of
from algorithms.text.sentences import counted

TIMEOUT: Final = 30.0
"""Minutes without a request after which a session has ended."""
PORTION: Final = 1 << 20
"""Number of new requests that are put in order at once."""
MOST_OPEN: Final = 4 << 20
"""Largest number of requests that wait; all sessions are closed where there are more."""
_LATEST: Final = 1000
"""The median time of so many last requests is the current time of the log."""

LOCAL: Final = "in the local time that the log notes (UTC if it notes no time zone)"
ROBOT, HUMAN = "robot", "human"
VISITOR: Final = "visitor"
_ROBOT_WORDS: Final = re.compile(
    r"(?<!cu)bot|crawl|spider|slurp|scrap|fetch|archive|monitor|check|scan|feed|preview|validator|https?:|@|curl|wget|"
    r"python|java/|go-http|libwww|perl|ruby|php|okhttp|httpclient|headless|phantom|selenium|facebookexternal|lighthouse"
)
_BROWSER_WORDS: Final = re.compile(r"^(?:mozilla|opera)/")


def visitor_of(agent: str) -> str | None:
    """What an agent says it is: a robot that names itself, a browser that a person uses, or neither."""
    lower = agent.lower()
    if _ROBOT_WORDS.search(lower):
        return ROBOT
    return HUMAN if _BROWSER_WORDS.search(lower) else None


def recognised(source: TextFile, options: ReadOptions) -> ReadOptions:
    """The options with the timeout in force."""
    timeout = TIMEOUT if options.timeout is None else options.timeout
    if not 0 < timeout <= MOST_MINUTES:
        raise DataError(
            f"A session cannot end after {timeout:g} minutes without a request.",
            remedy=f"Choose more than 0 and at most {MOST_MINUTES:,} minutes.",
            place=source.name,
        )
    return replace(options, timeout=timeout)


def read_sessions(source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
    """The sessions of a web log in the order of their beginnings; raises :class:`DataError` if it has no request."""
    context.say(f"Reading {source.name}")
    options = recognised(source, options)
    format = log_format(source.head(SAMPLE_SIZE)) or ""
    assert options.timeout is not None
    gathered = _Gathering(60.0 * options.timeout)
    context.publish(options)
    for part in requests(source, format, context):
        gathered.add(part)
        context.advance(source.position, source.size)
    gathered.close(is_last=True)
    context.checkpoint()
    if not gathered.n_requests:
        raise DataError(
            f"{source.name} holds no request that can be read.",
            remedy="Each line needs an address, a time, a page and a status.",
            place=source.place(next(iter(gathered.malformed), None)),
        )
    return _Table(gathered, format, source, options, context).dataset()


@dataclass(eq=False)
class _Closed:
    """Some sessions: hashes of address and agent, first and last time, and what the requests have in common.

    ``offsets`` are the seconds that the log's local time is ahead of UTC at the first request.
    """

    keys: IntArray
    first: FloatArray
    last: FloatArray
    offsets: IntArray
    counts: FloatArray


class _Gathering:
    """Puts requests in order and closes sessions; ``pause`` in seconds ends a session."""

    def __init__(self, pause: float) -> None:
        from algorithms.io.web import log_kernels

        self._kernels, self._pause = log_kernels, pause
        self._open: list[Requests] = []
        self._n_new = 0
        self.closed: list[_Closed] = []
        self.addresses: dict[int, bytes] = {}
        self.agents: dict[int, bytes] = {}
        self.malformed: list[int] = []
        self.n_requests, self.n_malformed = 0, 0
        self.was_cut = False

    def add(self, part: Requests) -> None:
        self.addresses.update(part.addresses)
        self.agents.update(part.agents)
        self.malformed += part.malformed[: max(0, 3 - len(self.malformed))]
        self.n_malformed += part.n_malformed
        self.n_requests += len(part.times)
        self._n_new += len(part.times)
        self._open.append(part)
        if self._n_new >= PORTION:
            self.close()

    def close(self, is_last: bool = False) -> None:
        """Close the sessions that have ended, or all if no request is to come."""
        if not self._open:
            return
        keys = np.concatenate([part.keys for part in self._open])
        times = np.concatenate([part.times for part in self._open])
        sizes = np.concatenate([part.sizes for part in self._open])
        flags = np.concatenate([part.flags for part in self._open])
        self._open, self._n_new = [], 0
        if not len(times):
            return
        visitors = keys[:, 0] * np.int64(1099511628211) ^ keys[:, 1]
        order = np.lexsort((times, visitors))
        visitors, ordered = visitors[order], times[order]
        is_other = np.append(True, visitors[1:] != visitors[:-1])
        begins = np.flatnonzero(is_other | np.append(True, np.diff(ordered) > self._pause))
        ends = np.append(begins[1:], len(order))
        ended = np.append(~is_other[begins[1:]], False)
        now = float(np.median(times[-_LATEST:]))
        ended |= np.abs(ordered[ends - 1] - now) > 2 * self._pause
        n_waiting = int((ends - begins)[~ended].sum())
        self.was_cut |= n_waiting > MOST_OPEN and not is_last
        if is_last or n_waiting > MOST_OPEN:
            ended[:] = True
        counts = np.empty((int(ended.sum()), self._kernels.N_ATTRIBUTES))
        self._kernels.describe(order, begins[ended], ends[ended], keys, sizes, flags, counts)
        heads = order[begins[ended]]
        offsets = (flags[heads] >> self._kernels.OFFSET_BITS) - self._kernels.DAY
        self.closed.append(_Closed(keys[heads, :2], times[heads], ordered[ends[ended] - 1], offsets, counts))
        waiting = np.sort(order[np.repeat(~ended, ends - begins)])
        if len(waiting):
            self._open = [Requests(keys[waiting], times[waiting], sizes[waiting], flags[waiting], {}, {}, (), 0)]


@dataclass(eq=False)
class _Columns:
    """Attributes and their values during the making of a table."""

    attributes: list[Attribute] = field(default_factory=list)
    values: list[NDArray[Any]] = field(default_factory=list)

    def add(self, attribute: Attribute, values: NDArray[Any], description: str = "") -> None:
        self.attributes.append(replace(attribute, description=description))
        self.values.append(values)

    def add_number(self, name: str, values: FloatArray, description: str) -> None:
        self.add(Attribute(name, AttributeKind.NUMERIC), values, description)

    def add_flag(self, name: str, mask: Mask, description: str) -> None:
        self.add(nominal(name, ("no", "yes")), mask.astype(np.int8), description)


class _Table:
    """The table of all sessions of a log."""

    def __init__(
        self, gathered: _Gathering, format: str, source: TextFile, options: ReadOptions, context: RunContext
    ) -> None:
        context.say("Describing the sessions")
        self._gathered, self._format, self._source, self._options = gathered, format, source, options
        first = np.concatenate([part.first for part in gathered.closed])
        order = np.argsort(first, kind="stable")
        self._first = first[order]
        self._last = np.concatenate([part.last for part in gathered.closed])[order]
        self._offsets = np.concatenate([part.offsets for part in gathered.closed])[order]
        self._keys = np.concatenate([part.keys for part in gathered.closed])[order]
        self._counts = np.concatenate([part.counts for part in gathered.closed])[order]
        self._checkpoint = context.checkpoint

    def dataset(self) -> Dataset:
        columns = self._columns()
        schema = Schema(tuple(columns.attributes))
        wanted = self._options.class_name
        wanted = (VISITOR if VISITOR in schema else None) if wanted is None else wanted or None
        if wanted is not None and wanted in schema:
            schema = schema.with_class(wanted)
        origin = DataOrigin(self._source.path.stem, str(self._source.path), " ".join(self._remarks(columns)))
        data = Dataset(schema, columns.values, origin=origin)
        for name, kind in self._options.kinds.items():
            if name in data.schema:
                data = recast(data, data.schema.index_of(name), kind, self._checkpoint)
        return data

    def _columns(self) -> _Columns:
        from algorithms.io.web import log_kernels as k

        counts, columns = self._counts, _Columns()
        total, seconds = counts[:, k.TOTAL], self._last - self._first
        addresses, codes = self._texts(0, self._gathered.addresses)
        columns.add(Attribute("address", AttributeKind.IDENTIFIER), addresses[codes], "address of the client")
        agents, agent_codes = self._texts(1, self._gathered.agents)
        has_agents = bool(self._gathered.agents)
        if has_agents:
            columns.add(Attribute("agent", AttributeKind.TEXT), agents[agent_codes], "user agent that the client names")
        local = self._first + self._offsets
        columns.add(Attribute("start", AttributeKind.DATE), local, f"time of the first request, {LOCAL}")
        every = "number of requests, those for images, styles and scripts included"
        columns.add_number("total pages", total, every)
        columns.add_number("image pages", counts[:, k.IMAGES], "number of requests for images")
        columns.add_number("total time (s)", seconds, "seconds from the first request to the last")
        self._add_share(columns, "repeated access (%)", k.REPEATED, "requests for a page requested before")
        columns.add_number("errors", counts[:, k.ERRORS], "number of requests with a status of 400 or more")
        for name, column in (("GET", k.GET), ("POST", k.POST), ("HEAD", k.HEAD)):
            self._add_share(columns, f"{name} (%)", column, f"requests by {name}")
        columns.add_number("breadth", counts[:, k.BREADTH], "largest number of pages in a level of the page tree")
        columns.add_number("depth", counts[:, k.DEPTH], "longest path from the first page, in links")
        if has_agents:
            networks = np.unique(np.array(list(map(_network, addresses.tolist()))), return_inverse=True)[1][codes]
            several = self._overlaps(networks, self._keys[:, 1])
            columns.add_flag("multiple addresses", several, "whether the agent also came from near addresses meanwhile")
            several = self._overlaps(self._keys[:, 0])
            columns.add_flag("multiple agents", several, "whether the address also named another agent meanwhile")
        if counts[:, k.BYTES].any():
            columns.add_number("bytes", counts[:, k.BYTES], "bytes sent to the client")
        columns.add_flag("robots.txt", counts[:, k.ROBOTS_ASKED] > 0, "whether /robots.txt was requested")
        if (counts[:, k.UNREFERRED] < total).any():
            self._add_share(columns, "no referrer (%)", k.UNREFERRED, "requests without a referrer")
        self._add_share(columns, "night (%)", k.AT_NIGHT, f"requests from 0 to 6 o'clock, {LOCAL}")
        pace = np.full(len(total), np.nan)
        np.divide(60.0 * (total - 1), np.maximum(seconds, 1.0), out=pace, where=total > 1)
        columns.add_number("requests a minute", pace, "requests after the first, by minutes since then")
        if has_agents:
            labels = [visitor_of(agent) if isinstance(agent, str) else None for agent in agents.tolist()]
            values = (ROBOT, HUMAN)
            label_codes = np.array([-1 if label is None else values.index(label) for label in labels], dtype=np.int8)
            columns.add(nominal(VISITOR, values), label_codes[agent_codes], "as the agent names itself")
        return columns

    def _add_share(self, columns: _Columns, name: str, column: int, what: str) -> None:
        share = 100.0 * self._counts[:, column] / self._counts[:, 0]
        columns.add_number(name, share, f"percent of the requests: {what}")

    def _texts(self, column: int, texts: dict[int, bytes]) -> tuple[NDArray[np.object_], IntArray]:
        """The distinct texts of a column of keys, NaN for an absent one, and the codes of the sessions."""
        hashes, codes = np.unique(self._keys[:, column], return_inverse=True)
        distinct = np.empty(len(hashes), dtype=object)
        distinct[:] = [text_of(texts[key], self._format) if key in texts else np.nan for key in hashes.tolist()]
        return distinct, codes

    def _overlaps(self, *keys: IntArray) -> Mask:
        """Which sessions have another one with the same keys at the same time."""
        order = np.lexsort((self._first, *keys))
        same = np.append(np.logical_and.reduce([key[order][1:] == key[order][:-1] for key in keys]), False)
        first, last = self._first[order], self._last[order]
        begins = np.append(0, np.flatnonzero(~same)[:-1] + 1)
        group = np.repeat(np.arange(len(begins)), np.diff(np.append(begins, len(order))))
        span = float(last.max() - first.min()) + 1.0
        latest = np.maximum.accumulate(last - first.min() + group * span) - group * span + first.min()
        with_next = np.append(same[:-1] & (first[1:] <= latest[:-1]), False)
        overlapping = np.zeros(len(order), dtype=np.bool_)
        overlapping[1:] |= with_next[:-1]
        overlapping[:-1] |= same[:-1] & (first[1:] <= last[:-1])
        mask = np.zeros(len(order), dtype=np.bool_)
        mask[order] = overlapping
        return mask

    def _remarks(self, columns: _Columns) -> Sequence[str]:
        gathered, minutes = self._gathered, self._options.timeout
        remarks = [
            f"{counted(len(self._first), 'session')} of {counted(gathered.n_requests, 'request')}.",
            f"A session ends after {minutes:g} min without a request.",
        ]
        if gathered.n_malformed:
            places = ", ".join(f"{line:,}" for line in gathered.malformed)
            lines = "line" if gathered.n_malformed == 1 else "lines"
            more = ", ..." if gathered.n_malformed > len(gathered.malformed) else ""
            remarks.append(
                f"Left out: {counted(gathered.n_malformed, 'line')} without a request ({lines} {places}{more})."
            )
        if gathered.was_cut:
            remarks.append(f"Where more than {MOST_OPEN:,} requests belonged to open sessions, all were ended.")
        unlabelled = int((columns.values[-1] < 0).sum()) if columns.attributes[-1].name == VISITOR else 0
        if unlabelled:
            remarks.append(f"The agents of {counted(unlabelled, 'session')} name neither a robot nor a browser.")
        return remarks


def _network(address: object) -> str:
    """The network of an address: the first three numbers of IPv4, the first four groups of IPv6."""
    text = str(address)
    if ":" in text:
        return ":".join(text.split(":")[:4])
    numbers = text.split(".")
    return ".".join(numbers[:3]) if len(numbers) == 4 and all(map(str.isdigit, numbers)) else text


# ---- Lines turned into requests --------------------------------------------------------------------------------------

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
