"""A warning about a result or its data; a public contract, cheap to import for the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

MEANING: Final = "what that means"
"""The remedy text of a warning that can only be explained, not mended."""
ON_TRAINING: Final = "It was tested on its own training data, which is optimistic."
"""The remark of a result that was tested on its training records."""


@dataclass(frozen=True)
class Emphasis:
    """A highlighted part of a warning's sentence.

    ``is_name`` marks the name of a column or class; ``among`` are the names it may be confused with.
    """

    text: str
    is_name: bool = False
    among: tuple[str, ...] = ()


def name_of(name: str, among: tuple[str, ...] = ()) -> Emphasis:
    """A highlighted column or class name; ``among`` are the other names, which an abbreviation must not match."""
    return Emphasis(name, is_name=True, among=among)


@dataclass(frozen=True)
class ResultWarning:
    """A reason to doubt a result.

    ``parts`` make the sentence and ``why`` explains it. ``remedy`` labels the button, ``command`` is the remedy on the
    command line. The remedy acts on ``columns`` and ``labels`` (classes). ``harmless`` warnings only inform. ``leak``
    is a clause for the verdict if the class leaks into training or testing.
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
        """The sentence as plain text with unabbreviated names."""
        return "".join(part if isinstance(part, str) else part.text for part in self.parts)

    def to_json(self) -> dict[str, Any]:
        """``{"id", "sentence", "why", "remedy"}`` with the command-line remedy."""
        return {"id": self.id, "sentence": self.sentence, "why": self.why, "remedy": self.command}
