"""Addresses of databases on servers and of files on the web, and passwords, which no address or message contains.

An address names a server, a database and a user ("postgresql://ada@host:5432/shop"). Its password comes from the user
or the key ring of the system, on the command line also from the environment.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TypeVar
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from algorithms.core import extras
from algorithms.core.errors import DataError
from algorithms.core.extras import Extra

if TYPE_CHECKING:
    from algorithms.core.run_control import RunContext

PASSWORD_VARIABLE: Final = "COPPICE_DATABASE_PASSWORD"
"""Environment variable with the password of the servers that a command names; a project's servers never get it."""
KEY_RING_SERVICE: Final = "Coppice"
POLL: Final = 0.05
"""Seconds between two looks whether a stop was asked for."""
_SAFE_PARAMETERS: Final = ("sslmode", "sslrootcert", "charset", "service_name", "table")
_SERVER_ADDRESS: Final = re.compile(r"(?:postgres(?:ql)?|mysql|mariadb|mssql|sqlserver|oracle)(?:\+\w+)?://", re.I)


@dataclass(frozen=True)
class ServerKind:
    """A kind of database server: the ``scheme`` of its addresses, its name, its port, and what reads it."""

    scheme: str
    name: str
    port: int
    extra: Extra
    driver: str = ""
    """The name of its driver for SQLAlchemy; empty for one that is used directly."""


SERVERS: Final = {
    kind.scheme: kind
    for kind in (
        ServerKind("postgresql", "PostgreSQL", 5432, extras.POSTGRESQL),
        ServerKind("mysql", "MySQL or MariaDB", 3306, extras.MYSQL, "mysql+pymysql"),
        ServerKind("mssql", "SQL Server", 1433, extras.SQL_SERVER, "mssql+pymssql"),
        ServerKind("oracle", "Oracle", 1521, extras.ORACLE, "oracle+oracledb"),
    )
}
"""The kinds of servers by scheme, in the order of forms."""
_OTHER_NAMES: Final = {"postgres": "postgresql", "mariadb": "mysql", "sqlserver": "mssql"}


@dataclass(frozen=True)
class ServerAddress:
    """A database on a server as seen by a user, without password; ``table`` is what the address itself names."""

    kind: ServerKind
    host: str
    database: str
    user: str = ""
    port: int = 0
    parameters: tuple[tuple[str, str], ...] = ()
    table: str | None = None

    @classmethod
    def of(cls, text: str) -> ServerAddress:
        """The address in a text; raises :class:`DataError` for another text, or one with a password."""
        remedy = "An address reads postgresql://USER@HOST:PORT/DATABASE; the password is asked for."
        try:
            parts = urlsplit(text)
            port = parts.port or 0
        except ValueError:
            raise DataError("The address of the database makes no sense.", remedy=remedy) from None
        parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
        if parts.password is not None or any(name.lower() in ("password", "passwd", "pwd") for name in parameters):
            raise DataError("The address of the database contains a password.", remedy=f"Leave it out. {remedy}")
        scheme = parts.scheme.partition("+")[0].lower()
        kind = SERVERS.get(_OTHER_NAMES.get(scheme, scheme))
        strange = [name for name in parameters if name not in _SAFE_PARAMETERS]
        if kind is None or not parts.path.strip("/") or strange or parts.fragment:
            what = f"its part {strange[0]!r} is not known" if strange else "it names no database"
            raise DataError(f"The address of the database makes no sense: {what}.", remedy=remedy)
        table = parameters.pop("table", None)
        host, database = parts.hostname or "localhost", unquote(parts.path[1:])
        return cls(kind, host, database, unquote(parts.username or ""), port, tuple(parameters.items()), table)

    def __str__(self) -> str:
        """The address without the table, under which its password is remembered."""
        user = f"{quote(self.user, safe='')}@" if self.user else ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        more = "&".join(f"{name}={quote(value, safe='/')}" for name, value in self.parameters)
        path = quote(self.database, safe="")
        return f"{self.kind.scheme}://{user}{host}:{self.port or self.kind.port}/{path}{f'?{more}' if more else ''}"

    @property
    def label(self) -> str:
        """The database and its server in a sentence."""
        return f"{self.database} on {self.host}"

    def with_table(self, table: str) -> str:
        """The address that also names a table."""
        return f"{self}{'&' if self.parameters else '?'}table={quote(table, safe='')}"


def is_server_address(path: str | Path) -> bool:
    """Whether a text is the address of a database on a server."""
    return isinstance(path, str) and _SERVER_ADDRESS.match(path) is not None


_WEB_ADDRESS: Final = re.compile(r"[a-z][a-z0-9+.-]+://", re.I)


def is_web_address(path: str | Path) -> bool:
    """Whether a text is the address of a file on the web, also one of a scheme that is not opened."""
    return isinstance(path, str) and _WEB_ADDRESS.match(path) is not None and not is_server_address(path)


def is_address(path: str | Path) -> bool:
    """Whether a text is the address of a server or of a file on the web, not the path of a file."""
    return is_server_address(path) or is_web_address(path)


def source_name(path: str | Path) -> str:
    """What a sentence calls the source of a table: the name of a file, or the database and its server."""
    if is_web_address(path):
        return unquote(urlsplit(str(path)).path).rstrip("/").rpartition("/")[2] or "the web address"
    if not is_server_address(path):
        return Path(path).name
    try:
        address = ServerAddress.of(str(path))
        return address.label if address.table is None else f"{address.table} in {address.label}"
    except DataError:
        return "the database"


# ---- queries ---------------------------------------------------------------------------------------------------------

_UNSAFE_WORDS: Final = {
    "mysql": re.compile(r"\b(?:outfile|dumpfile)\b|/\*M?!", re.I),
    "mssql": re.compile(
        r"\b(?:commit|rollback|exec|execute|shutdown|kill|backup|restore|dbcc|reconfigure|openrowset|openquery|"
        r"opendatasource)\b",
        re.I,
    ),
    "oracle": re.compile(r"\bautonomous_transaction\b", re.I),
}
"""What writes or ends the transaction within a query although the transaction can only read or is rolled back.

SQL Server takes a second statement without a semicolon before it, and MySQL runs some comments. The words are looked
for in strings and comments too, for servers differ in where these end.
"""


def refuse_unsafe_words(query: str, kind: ServerKind, place: str) -> None:
    """Raise :class:`DataError` for a query with words that could write in spite of its transaction."""
    pattern = _UNSAFE_WORDS.get(kind.scheme)
    match = None if pattern is None else pattern.search(query)
    if match is not None:
        what = f"The query contains {match[0]!r}, with which {kind.name} could write."
        raise DataError(what, remedy="Leave this out, or make a view with it in the database.", place=place)


# ---- passwords -------------------------------------------------------------------------------------------------------


def password_of(address: ServerAddress, context: RunContext) -> str | None:
    """The password that the user gave, else that of the key ring; None without one."""
    given = context.passwords.get(str(address))
    return given if given is not None else remembered_password(address)


def remembered_password(address: ServerAddress) -> str | None:
    """The password in the system's key ring; None without one, or without a key ring. It may wait for the user."""
    if not extras.KEYRING.is_installed:
        return None
    import keyring

    with suppress(Exception):  # each system's key ring has errors of its own, and none must keep from asking
        kept: str | None = keyring.get_password(KEY_RING_SERVICE, str(address))
        return kept
    return None


def remember_password(address: ServerAddress, password: str | None) -> bool:
    """Keep the password in the key ring of the system, or remove it (None); False if that is not possible."""
    if not extras.KEYRING.is_installed:
        return False
    import keyring

    try:
        if password is None:
            keyring.delete_password(KEY_RING_SERVICE, str(address))
        else:
            keyring.set_password(KEY_RING_SERVICE, str(address), password)
    except Exception:  # each system's key ring has errors of its own
        return False
    return True


class _Closable(Protocol):
    def close(self) -> object: ...


T = TypeVar("T", bound=_Closable)


def awaited_connection(connect: Callable[[], T], context: RunContext) -> T:
    """What ``connect`` opens; a stop does not wait for a server that does not answer, and leaves nothing open."""
    opened: Future[T] = Future()

    def run() -> None:
        try:
            opened.set_result(connect())
        except BaseException as error:  # it is raised below
            opened.set_exception(error)

    threading.Thread(target=run, name="connecting", daemon=True).start()
    try:
        while not wait([opened], timeout=POLL).done:
            context.checkpoint()
    except BaseException:
        opened.add_done_callback(_close_opened)  # at once, or once the server answers
        raise
    return opened.result()


def _close_opened(opened: Future[T]) -> None:
    """Close what nobody waits for any more."""
    if opened.exception() is None:
        with suppress(Exception):  # the server may be gone
            opened.result().close()
