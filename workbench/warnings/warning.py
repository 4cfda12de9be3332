"""A sentence of the honesty strip, with what a click does about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Final

from algorithms.evaluation.checks.warning import MEANING, ResultWarning
from algorithms.text.names import shortened
from workbench.session.session import Session
from workbench.widgets.labels import strong

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


def html_of(warning: ResultWarning) -> str:
    """The sentence of a warning with its names shortened and what matters in bold."""
    return "".join(
        escape(part) if isinstance(part, str) else named(part.text, part.among) if part.is_name else strong(part.text)
        for part in warning.parts
    )


def fact_of(warning: ResultWarning, act: Callable[[Session], object] | None = None) -> Fact:
    """A warning with what a click on its remedy does; without an ``act`` there is no remedy but to know it."""
    tone = "plain" if warning.harmless else "warning"
    sentence = html_of(warning)
    if act is not None:
        return Fact(warning.id, sentence, tone, warning.why, warning.remedy, act)
    if warning.remedy == MEANING:
        return Fact(warning.id, sentence, tone, remedy=MEANING, explanation=warning.why)
    return Fact(warning.id, sentence, tone, warning.why)
