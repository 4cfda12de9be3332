"""A case of a fuzzer and what a target does with it.

A case follows from the name of its target, a seed and its number alone, so that each can be run again by itself.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.random import Generator

from algorithms.core.errors import CoppiceError

LONGEST_ERROR: Final = 2000
"""No sentence that a person is to read has more characters."""

READ: Final = "read"
REFUSED: Final = "refused"


class BrokenRuleError(Exception):
    """What was read breaks a rule that holds for everything that is read."""


@dataclass(frozen=True)
class Case:
    """What is read: the ``content`` of a file with this ``name``, and with which ``options``.

    ``told`` names the mutations. ``unpacked`` is how many bytes a packed content has, where that is known.
    """

    content: bytes
    name: str = "case"
    options: dict[str, Any] = field(default_factory=dict)
    told: str = ""
    unpacked: int = 0

    @property
    def size(self) -> int:
        """Bytes of which the memory may be a multiple."""
        return max(len(self.content), self.unpacked)


class Target(Protocol):
    """Something that reads."""

    name: str

    def make(self, random: Generator) -> Case:
        """The next case; nothing of this counts for the limits."""

    def run(self, case: Case, folder: Path) -> str:
        """Read the case, with files in ``folder`` only; ``READ`` or ``REFUSED``.

        Raises :class:`BrokenRuleError` where what was read breaks a rule. Anything else that it raises is a fault.
        """


def random_of(target: str, seed: int, number: int) -> Generator:
    """The source of all chance in one case."""
    return np.random.default_rng([zlib.crc32(target.encode()), seed, number])


def refused(error: CoppiceError) -> str:
    """``REFUSED``; raises :class:`BrokenRuleError` where the error is no plain sentence."""
    text = str(error)
    if not error.sentence.strip() or error.sentence.rstrip()[-1] not in ".?!":
        raise BrokenRuleError(f"the refusal is no sentence: {text[:200]!r}") from error
    if len(text) > LONGEST_ERROR:
        raise BrokenRuleError(f"the refusal is too long: {len(text)} characters, {text[:200]!r}") from error
    return REFUSED


def written(case: Case, folder: Path) -> Path:
    """The case as a file."""
    path = folder / case.name
    path.write_bytes(case.content)
    return path
