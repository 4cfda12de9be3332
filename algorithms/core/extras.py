"""Public contract of optional packages: the extras of the project, and how a missing or too old one is refused."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from importlib import import_module, invalidate_caches
from typing import Final

from algorithms.core.errors import MissingExtraError

_NUMBERS: Final = re.compile(r"\d+(?:\.\d+)*")


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

        invalidate_caches()  # it may have been installed since the program began
        try:
            for requirement in self.requirements:
                package, _, least = requirement.partition(">=")
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
            packages = " and ".join(requirement.replace(">=", " ") for requirement in self.requirements)
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
EXTRAS: Final = (PARQUET, STATISTICS)
"""The extras that the program uses where they are installed; a test compares them with ``pyproject.toml``."""
