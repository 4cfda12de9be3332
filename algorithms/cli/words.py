"""The words of a command: what they mean, and what is said where they mean nothing."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from algorithms.core.configuring import configured
from algorithms.core.params import Configurable
from algorithms.core.plain_json import MOST
from algorithms.core.registry import Registry


class WrongUseError(Exception):
    """The command cannot be understood; says why in one line."""


class Parser(argparse.ArgumentParser):
    """Raises :class:`WrongUseError` where the words make no command."""

    def error(self, message: str) -> NoReturn:
        raise WrongUseError(f"{message} (see {self.prog} --help)")


def whole(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    if len(text) > len(str(MOST)) or int(text) > MOST:
        raise argparse.ArgumentTypeError(f"a whole number is at most {MOST}")
    return int(text)


def positive(text: str) -> int:
    number = whole(text)
    if not number:
        raise argparse.ArgumentTypeError("at least 1 is needed")
    return number


def share(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 up to 1")
    return number


def assignments_of(words: Sequence[str], where: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise WrongUseError(f"{where}: {word!r} is not NAME=VALUE.")
        found[name.strip()] = value
    return found


def id_and_assignments(text: str) -> tuple[str, dict[str, str]]:
    """ "id:a=1,b=2" in its parts; a comma inside a value is one that no name follows."""
    id, _, rest = text.partition(":")
    words = re.split(r",(?=[A-Za-z_.]+=)", rest) if rest else []
    return id, assignments_of(words, id)


def made(cls: type[Configurable], assignments: dict[str, str], registry: Registry) -> Any:
    return configured(cls, assignments, registry.resolve)


def refuse_to_write_over(read: str | None, option: str, written: str | None) -> None:
    """Raise a wrong use where a file that is read is also the one to write, by whatever path."""
    if not read or not written or not Path(read).exists():
        return
    ours, theirs = Path(written), Path(read)
    if ours.resolve() == theirs.resolve() or (ours.exists() and ours.samefile(theirs)):
        raise WrongUseError(f"{option} {written} would overwrite {read}, which is read here. Give it another name.")
