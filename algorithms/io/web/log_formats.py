"""Formats of web logs: their names, how a file is recognised, and the roles of their fields.

Common and Combined Log Format of Apache and nginx, W3C extended format of IIS and CloudFront, and JSON lines of nginx,
Caddy and Traefik.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from algorithms.data.columns import IntArray
from algorithms.io.text.layout_recognition import SAMPLE_SIZE

SIGNATURE: Final = b"\xef\xbb\xbf"
"""A byte order mark of UTF-8, which IIS may write."""
FIELDS: Final = b"#Fields:"
BEGINNING: Final = 512
"""Archives have zero bytes in their first bytes; a log may have some where a computer lost its power."""
LINES_SEEN: Final = 100

COMMON: Final = "Common Log Format"
COMBINED: Final = "Combined Log Format"
EXTENDED: Final = "W3C extended log format"
JSON_LINES: Final = "JSON lines"

_COMMON_LINE: Final = re.compile(
    rb"\S+ [^\n]{1,2000}?\[\d\d/[A-Za-z]{3}/\d{4}:\d\d:\d\d:\d\d[^\]\n]{0,12}\] "
    rb'"(?:[^"\\\n]|\\.){0,9000}" \d{3} (?:\d+|-)(?P<more> ")?'
)
_STATUS_CODE: Final = re.compile(r"0|[1-5]\d\d|999")
"""Also 0 and 999, which servers write for requests that were broken off or refused."""
ADDRESS, TIME, LINE, METHOD, PATH, STATUS, SIZE, REFERRER, AGENT, DATE, QUERY = range(11)
"""Roles of the parts of a line; LINE is method, path and protocol together."""
N_ROLES: Final = 11
FALLBACK: Final = 16
"""Added to the role of a key that counts where no other key has that role."""
_W3C_ROLES: Final = {
    "c-ip": ADDRESS,
    "date": DATE,
    "time": TIME,
    "cs-method": METHOD,
    "cs-uri-stem": PATH,
    "cs-uri": PATH,
    "cs-uri-query": QUERY,
    "sc-status": STATUS,
    "sc-bytes": SIZE,
    "bytes": SIZE,
    "cs(referer)": REFERRER,
    "cs(referrer)": REFERRER,
    "cs(user-agent)": AGENT,
}
"""The roles of fields in W3C extended format; of two with one role the first counts."""
_JSON_ROLES: Final = {
    ADDRESS: ("remote_addr", "request.client_ip", "ClientHost", "remote_ip", "client_ip"),
    ADDRESS | FALLBACK: ("request.remote_ip", "request.remote_addr", "ClientAddr", "remote", "clientip", "ip"),
    TIME: ("time_iso8601", "time_local", "msec", "StartUTC", "ts"),
    TIME | FALLBACK: ("time", "timestamp", "@timestamp", "StartLocal", "date"),
    LINE: ("request",),
    METHOD: ("request_method", "request.method", "RequestMethod", "method"),
    PATH: ("request_uri", "request.uri", "RequestPath"),
    PATH | FALLBACK: ("uri", "path", "url"),
    STATUS: ("status", "DownstreamStatus", "status_code"),
    SIZE: ("body_bytes_sent", "size", "DownstreamContentSize"),
    SIZE | FALLBACK: ("bytes_sent", "bytes"),
    REFERRER: ("http_referer", "http_referrer", "request.headers.Referer", "request_Referer", "referer", "referrer"),
    AGENT: ("http_user_agent", "request.headers.User-Agent", "request_User-Agent", "user_agent", "agent"),
}
"""Keys of nginx, Caddy and Traefik; dots lead into objects, capitals do not matter."""
ROLE_OF_KEY: Final = {key.lower(): role for role, keys in _JSON_ROLES.items() for key in keys}


def log_format(head: bytes) -> str | None:
    """The format of a web log that begins so; None if it is none, but an archive of logs that are not compressed."""
    if b"\0" in head[:BEGINNING]:
        return None
    lines = head.removeprefix(SIGNATURE).splitlines()[: LINES_SEEN + 1]
    if len(head) >= SAMPLE_SIZE and len(lines) <= LINES_SEEN:
        lines = lines[:-1]  # it may be cut off
    first = next((line for line in lines if not line.startswith(b"#")), b"")
    if lines and lines[0].startswith(b"#"):
        fields = [line for line in lines[: lines.index(first) if first else None] if line.startswith(FIELDS)]
        return EXTENDED if fields and _is_web_log(roles_of(fields[-1])) else None
    lines = [line[: 1 << 14] for line in lines if line.strip()]
    if lines and lines[0].lstrip().startswith(b"{"):
        return JSON_LINES if 2 * sum(map(_is_json_request, lines)) > len(lines) else None
    matches = [match for line in lines if (match := _COMMON_LINE.match(line)) is not None]
    if 2 * len(matches) <= len(lines):
        return None
    return COMBINED if any(match["more"] for match in matches) else COMMON


def roles_of(directive: bytes) -> IntArray:
    """The roles of the fields that a line "#Fields: ..." names, -1 for those without."""
    roles: list[int] = []
    for field in directive[len(FIELDS) :].decode("latin-1").lower().split():
        role = _W3C_ROLES.get(field, -1)
        roles.append(-1 if role in roles else role)
    return np.array(roles, dtype=np.int64)


def _is_web_log(roles: IntArray) -> bool:
    return {ADDRESS, DATE, TIME, PATH, STATUS} <= set(roles.tolist())


def _is_json_request(line: bytes) -> bool:
    """Whether a line of JSON has the keys of a request, and the status of one."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return False
    values = dict(_values(entry)) if isinstance(entry, dict) else {}
    role_of = {key: ROLE_OF_KEY[key] % FALLBACK for key in values if key in ROLE_OF_KEY}
    statuses = [str(values[key]) for key, role in role_of.items() if role == STATUS]
    has_status = any(_STATUS_CODE.fullmatch(status) for status in statuses)
    roles = set(role_of.values())
    return has_status and {ADDRESS, TIME} <= roles and not roles.isdisjoint((LINE, PATH))


def _values(entry: Mapping[str, Any], above: str = "", depth: int = 3) -> Iterator[tuple[str, Any]]:
    """The values of an entry and of the objects in it, by their keys as :data:`ROLE_OF_KEY` has them."""
    for key, value in entry.items():
        name = f"{above}{key}".lower()
        if not isinstance(value, dict):
            yield name, value
        elif depth:
            yield from _values(value, f"{name}.", depth - 1)
