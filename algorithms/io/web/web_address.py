"""Files on the web, fetched into a temporary copy that is read as any file is: https only, unless the user asks.

Only http and https are opened, also where a server redirects, so that no address reaches the files of this computer. A
stop ends the connection. What is larger than a limit or than the free disk is refused.
"""

from __future__ import annotations

import http.client
import shutil
import socket
import ssl
import string
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urlsplit, urlunsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.io.text.text_source import temporary_copy

LARGEST: Final = 4 << 30
"""Largest number of bytes that are fetched."""
SECONDS: Final = 20.0
"""A server that sends nothing for so long is given up."""
PIECE: Final = 1 << 16
POLL: Final = 0.05
_LONGEST_NAME: Final = 100
"""Number of bytes of the name of the copy; systems take 255."""
_REMEDY: Final = "Check the address, or fetch the file with a browser and open that."
_REFUSED: Final = (401, 403, 407)


class _Redirects(HTTPRedirectHandler):
    """Follows a server to https addresses, and to http ones only if they are allowed."""

    def __init__(self, allows_http: bool) -> None:
        self._allows_http = allows_http

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: http.client.HTTPMessage, newurl: str
    ) -> Request | None:
        try:
            check_address(newurl, self._allows_http, redirected=True)
        except DataError:
            fp.close()
            raise
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _Https(HTTPSHandler):
    def __init__(self, sockets: list[socket.socket]) -> None:
        super().__init__()
        self._sockets = sockets

    def https_open(self, req: Request) -> http.client.HTTPResponse:
        return self.do_open(partial(_connection, http.client.HTTPSConnection, self._sockets), req)


class _Http(HTTPHandler):
    def __init__(self, sockets: list[socket.socket]) -> None:
        super().__init__()
        self._sockets = sockets

    def http_open(self, req: Request) -> http.client.HTTPResponse:
        return self.do_open(partial(_connection, http.client.HTTPConnection, self._sockets), req)


def _connection(
    kind: type[http.client.HTTPConnection], sockets: list[socket.socket], host: str, **more: Any
) -> http.client.HTTPConnection:
    """A connection that notes its socket, by which another thread can end it."""
    connection = kind(host, **more)
    connect = connection.connect

    def noted() -> None:
        connect()
        sockets.append(connection.sock)

    connection.connect = noted  # type: ignore[method-assign]
    return connection


def check_address(address: str, allows_http: bool, redirected: bool = False) -> None:
    """Raise :class:`DataError` unless the address is one of https without a password, or an allowed one of http."""
    try:
        parts = urlsplit(address)
        host = parts.hostname
    except ValueError:
        host = None
    if host is None:
        raise DataError("This is no address of a file on the web.", remedy=_REMEDY)
    scheme, where = parts.scheme.lower(), "redirects to" if redirected else "has"
    if scheme == "http" and not allows_http:
        raise DataError(
            f"{host} {where} an address without encryption (http): others could read or change the file on its way.",
            remedy="Use its https address, or allow http if you trust the network.",
            place=host,
        )
    if scheme not in ("http", "https"):
        raise DataError(f"{host or 'This'} {where} an address of {scheme}, which is not opened.", remedy=_REMEDY)
    if parts.password is not None:
        raise DataError("The address contains a password.", remedy="Leave it out.", place=host)


@contextmanager
def fetched(address: str, context: RunContext, allows_http: bool = False) -> Iterator[Path]:
    """Context manager: the path of a temporary copy of the file at a web address.

    The context's progress is the share of bytes fetched. Raises :class:`DataError` for a forbidden address, a server
    that refuses or does not answer, and a file that is too large or cut off.
    """
    check_address(address, allows_http)
    host = urlsplit(address).hostname or ""
    sockets = list[socket.socket]()
    opener = OpenerDirector()
    errors = HTTPDefaultErrorHandler(), HTTPErrorProcessor()
    for handler in (ProxyHandler(), _Https(sockets), _Http(sockets), _Redirects(allows_http), *errors):
        opener.add_handler(handler)
    context.say(f"Connecting to {host}")
    with _ended_by(context, sockets), _errors(host, context):
        request = Request(_in_ascii(address), headers={"User-Agent": "Coppice", "Accept-Encoding": "identity"})
        with opener.open(request, timeout=SECONDS) as response:
            check_address(response.url, allows_http, redirected=True)
            pieces = _pieces(response, _file_name(response.url), host, context)
            with temporary_copy(_file_name(response.url), pieces, context.checkpoint) as path:
                response.close()
                yield path


def _in_ascii(address: str) -> str:
    """An address as it is sent: letters beyond ASCII and blanks in its path as percent signs and digits."""
    parts = urlsplit(address.strip())
    coded = (quote(part, safe=string.punctuation) for part in (parts.path, parts.query))
    return urlunsplit((parts.scheme, parts.netloc, *coded, ""))


def _file_name(address: str) -> str:
    """The last part of an address as the name of a file."""
    name = unquote(urlsplit(address).path).rstrip("/").rpartition("/")[2]
    name = "".join(c if c.isprintable() and c not in '\\/:*?"<>|' else "_" for c in name)
    short = name.encode()[-_LONGEST_NAME:].decode(errors="ignore")
    return short.lstrip(".") or "table"


def _pieces(response: Any, name: str, host: str, context: RunContext) -> Iterator[bytes]:
    length = response.headers.get("Content-Length", "")
    total, n = int(length) if length.isdecimal() else 0, 0
    _refuse_large(name, total)
    context.say(f"Fetching {name} from {host}")
    while piece := response.read(PIECE):
        n += len(piece)
        if not total or n > total:
            _refuse_large(name, n)
        if total:
            context.advance(min(n, total), total)
        else:
            context.say(f"Fetching {name} from {host}: {n / 1e6:,.1f} MB")
        yield piece
    context.checkpoint()
    if total and n < total:
        raise DataError(f"{name} was cut off on its way.", remedy="Try again.", place=host)


def _refuse_large(name: str, size: int) -> None:
    """Raise :class:`DataError` for more bytes than the limit, or than are free on the disk."""
    free = shutil.disk_usage(tempfile.gettempdir()).free
    if size > min(LARGEST, free):
        limit = f"at most {LARGEST / 1e9:,.1f} GB are fetched" if free > LARGEST else f"{free / 1e9:,.1f} GB are free"
        raise DataError(f"{name} has {size / 1e9:,.1f} GB, and {limit}.", remedy="Fetch it with a browser.", place=name)


@contextmanager
def _errors(host: str, context: RunContext) -> Iterator[None]:
    """Context manager: errors of the network become :class:`DataError`, or :class:`Cancelled` after a stop."""
    try:
        yield
    except HTTPError as error:
        error.close()
        remedy = "It wants a login: fetch the file with a browser." if error.code in _REFUSED else _REMEDY
        raise DataError(
            f"{host} answers {' '.join([str(error.code), *str(error.reason).splitlines()[:1]])}.",
            remedy=remedy,
            place=host,
        ) from None
    except (URLError, http.client.HTTPException, TimeoutError, ConnectionError, ssl.SSLError) as error:
        context.checkpoint()
        reason = getattr(error, "reason", None) or error
        raise DataError(f"{host} does not give the file: {reason}.", remedy=_REMEDY, place=host) from None
    except ValueError:  # the socket was ended while a chunk was read, or the server leads to no address
        context.checkpoint()
        raise DataError(f"{host} gives an answer that makes no sense.", remedy=_REMEDY, place=host) from None


@contextmanager
def _ended_by(context: RunContext, sockets: list[socket.socket]) -> Iterator[None]:
    """Context manager: a thread that ends the connections once the context is cancelled."""
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(POLL):
            if context.cancelled:
                for each in list(sockets):
                    with suppress(OSError):
                        each.shutdown(socket.SHUT_RDWR)

    thread = threading.Thread(target=watch, name="coppice-fetch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
