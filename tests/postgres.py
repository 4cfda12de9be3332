"""A PostgreSQL server of the tests' own, on a socket of this machine only; absent where its programs are."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PASSWORD = "Kiefernzapfen-4711"
"""The password of the server's user, which no file may contain."""


def programs() -> Path | None:
    """The folder with ``initdb`` and ``postgres``; None where there is none."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name))
    return next((folder for folder in reversed(folders) if (folder / "initdb").is_file()), None)


@dataclass(frozen=True)
class PostgresServer:
    """A running server."""

    port: int
    database: str = "postgres"

    @property
    def address(self) -> str:
        return f"postgresql://tester@127.0.0.1:{self.port}/{self.database}"

    def fresh(self, database: str) -> PostgresServer:
        """A new database of the server, for one module of tests."""
        self.run(f"CREATE DATABASE {database}")
        return PostgresServer(self.port, database)

    def connect(self, **more: Any) -> Any:
        import psycopg

        return psycopg.connect(
            host="127.0.0.1", port=self.port, user="tester", password=PASSWORD, dbname=self.database, **more
        )

    def run(self, *statements: str) -> None:
        with self.connect(autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)


def _unprivileged() -> dict[str, Any]:
    """What makes a child process run as a user whom the server accepts: it refuses root."""
    if os.getuid() != 0:
        return {}
    import pwd

    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    return {}


@contextmanager
def running(folder: Path) -> Iterator[PostgresServer]:
    """Context manager: a server whose programs are in ``folder``; ends with the block."""
    who = _unprivileged()
    with tempfile.TemporaryDirectory(prefix="coppice-pg", ignore_cleanup_errors=True) as place:
        data, secret = Path(place) / "data", Path(place) / "password"
        secret.write_text(PASSWORD)
        if who:
            os.chown(place, who["user"], who["group"])
            os.chown(secret, who["user"], who["group"])
        initdb = [
            "-D",
            str(data),
            "-A",
            "scram-sha-256",
            "-U",
            "tester",
            f"--pwfile={secret}",
            "--no-sync",
            "-E",
            "UTF8",
        ]
        subprocess.run([folder / "initdb", *initdb, "--locale=C"], check=True, capture_output=True, cwd="/", **who)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        options = f"-p {port} -h 127.0.0.1 -k {place} -F -c log_statement=all"
        control = [str(folder / "pg_ctl"), "-D", str(data), "-l", f"{place}/log", "-w", "-o", options]
        subprocess.run([*control, "start"], check=True, capture_output=True, cwd="/", **who)
        try:
            yield PostgresServer(port)
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], check=False, capture_output=True, cwd="/", **who)
