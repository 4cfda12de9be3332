"""A sentence of the honesty strip, with what a click does about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from workbench.parts.labels import strong
from workbench.session import Session
from workbench.wording import shortened

LONGEST_NAME: Final = 24


@dataclass(frozen=True, eq=False)
class Fact:
    """A sentence (HTML with bold parts), its tone (plain, good, warning), and what a click does about it."""

    name: str
    sentence: str
    tone: str = "plain"
    tip: str = ""
    remedy: str = ""
    act: Callable[[Session], object] | None = None
    explanation: str = ""


def named(name: str, among: tuple[str, ...] = ()) -> str:
    """A name in bold, as much of it as a chip has room for, told from the others ``among`` which it stands."""
    return strong(shortened(name, LONGEST_NAME, among))


def natural_copies(name: str, sentence: str) -> Fact:
    """Copies that the columns make likely by themselves."""
    tip = "These columns allow so few different records that copies are natural: it says nothing against the test."
    return Fact(name, sentence, tip=tip)
