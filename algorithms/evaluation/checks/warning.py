"""A warning about a result or its data (public contract, light enough for the start of the command line)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

MEANING: Final = "what that means"
"""The remedy of a warning that nothing can be done about but to know it."""
ON_TRAINING: Final = "It was tested on its own training records, which flatters it."
"""What a result says itself where it was tested so."""


@dataclass(frozen=True)
class Emphasis:
    """A part of a sentence that stands out where the sentence is shown.

    ``is_name`` marks the name of a column or class; ``among`` are the names it may be confused with.
    """

    text: str
    is_name: bool = False
    among: tuple[str, ...] = ()


def name_of(name: str, among: tuple[str, ...] = ()) -> Emphasis:
    """The name of a column or class, told from the others ``among`` which it stands."""
    return Emphasis(name, is_name=True, among=among)


@dataclass(frozen=True)
class ResultWarning:
    """Something to know before believing a result.

    ``parts`` make the sentence, ``why`` says why it matters, ``remedy`` what a click does, ``command`` what to do
    on the command line. ``columns`` and ``labels`` are the columns and classes that the remedy acts on. A
    ``harmless`` one is good to know and speaks against nothing. ``leak`` is a clause for the verdict, where the
    answer is left in what is learned from or tested on.
    """

    id: str
    parts: tuple[str | Emphasis, ...]
    why: str = ""
    remedy: str = ""
    columns: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    harmless: bool = False
    leak: str = ""
    command: str = ""

    @property
    def sentence(self) -> str:
        """The sentence as plain text, every name whole."""
        return "".join(part if isinstance(part, str) else part.text for part in self.parts)

    def to_json(self) -> dict[str, Any]:
        """``{"id", "sentence", "why", "remedy"}``, the remedy that of the command line."""
        return {"id": self.id, "sentence": self.sentence, "why": self.why, "remedy": self.command}
