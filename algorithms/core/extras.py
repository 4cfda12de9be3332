"""The version of the program, and its extras: how an optional package that is missing or too old is refused."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from importlib import import_module, invalidate_caches
from pathlib import Path
from threading import Lock
from typing import Final

from algorithms.core.errors import MissingExtraError


def program_version() -> str:
    """The version in pyproject.toml, or that of the installed package."""
    from importlib import metadata

    project = Path(__file__).resolve().parents[2] / "pyproject.toml"
    if not project.is_file():
        return metadata.version("coppice")
    import tomllib

    written: str = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"]
    return written


_NUMBERS: Final = re.compile(r"\d+(?:\.\d+)*")
_NO_PARTS: Final = re.compile(r"\[.*\]")
"""Matches the optional parts of a requirement, such as [binary]."""

_FORGETTING: Final = Lock()
"""Held while the caches of imports are emptied, which raises KeyError in two threads at once."""


@dataclass(frozen=True)
class Extra:
    """An extra in ``pyproject.toml``: its name, its requirements ("package>=version"), and the modules they bring."""

    name: str
    requirements: tuple[str, ...]
    modules: tuple[str, ...]

    @property
    def command(self) -> str:
        """The command that installs the packages for the Python that runs the program."""
        python = f'"{sys.executable}"' if " " in sys.executable else sys.executable or "python"
        return " ".join([python, "-m pip install", *(f'"{requirement}"' for requirement in self.requirements)])

    @property
    def is_installed(self) -> bool:
        """Whether all packages are there, in a version that meets the requirements, and can be imported."""
        from importlib import metadata  # late: it takes 20 ms, and all file dialogs know the extras

        with _FORGETTING:
            invalidate_caches()  # it may have been installed since the program began
        try:
            for requirement in self.requirements:
                package, _, least = _NO_PARTS.sub("", requirement).partition(">=")
                if _version(metadata.version(package)) < _version(least):
                    return False
            for module in self.modules:
                import_module(module)
        except ImportError:  # a package without metadata too
            return False
        return True

    def require(self, need: str, place: str, act: str = "Reading it") -> None:
        """Raise :class:`MissingExtraError` unless it is installed; ``need`` is a clause ("a.sav is an SPSS file")."""
        if not self.is_installed:
            packages = " and ".join(_NO_PARTS.sub("", each).replace(">=", " ") for each in self.requirements)
            raise MissingExtraError(
                f"{need}. {act} needs {packages} or later, not yet installed.",
                remedy=f"Install it by this command, then try again: {self.command}",
                place=place,
            )


def _version(text: str) -> tuple[int, ...]:
    found = _NUMBERS.match(text)
    return tuple(map(int, found[0].split("."))) if found else ()


# a schema that is nested very deeply ends the process of any earlier version
PARQUET: Final = Extra("parquet", ("pyarrow>=26",), ("pyarrow",))
STATISTICS: Final = Extra("statistics-files", ("pyreadstat>=1.3.7", "pyreadr>=0.5.8"), ("pyreadstat", "pyreadr"))
KEYRING: Final = Extra("database", ("keyring>=25",), ("keyring",))
POSTGRESQL: Final = Extra("database", ("psycopg[binary]>=3.2",), ("psycopg",))
DUCKDB: Final = Extra("database", ("duckdb>=1.3",), ("duckdb",))
MYSQL: Final = Extra("database", ("SQLAlchemy>=2.0.40", "PyMySQL>=1.1"), ("sqlalchemy", "pymysql"))
SQL_SERVER: Final = Extra("database", ("SQLAlchemy>=2.0.40", "pymssql>=2.3"), ("sqlalchemy", "pymssql"))
ORACLE: Final = Extra("database", ("SQLAlchemy>=2.0.40", "oracledb>=3"), ("sqlalchemy", "oracledb"))
DATABASES: Final = (KEYRING, POSTGRESQL, DUCKDB, MYSQL, SQL_SERVER, ORACLE)
"""The parts of the extra ``database``, each needed for one kind of database, or for remembering passwords."""
CLUSTER: Final = Extra(
    "cluster", ("dask>=2026.8", "distributed>=2026.8", "cryptography>=42"), ("dask", "distributed", "cryptography")
)
EXTRAS: Final = (
    PARQUET,
    STATISTICS,
    Extra(
        "database",
        tuple(dict.fromkeys(requirement for part in DATABASES for requirement in part.requirements)),
        tuple(dict.fromkeys(module for part in DATABASES for module in part.modules)),
    ),
    CLUSTER,
)
"""The extras that the program uses where they are installed; a test compares them with ``pyproject.toml``."""
