"""Where the table of a project was read from, and whether it is still as it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from algorithms.core.errors import ModelFileError
from algorithms.data.schema import AttributeKind
from algorithms.io.text.options import ReadOptions
from algorithms.project.shared import SharedReader, SharedWriter
from algorithms.project.stored_values import a_text, an_integer, an_object, strings_in

_WORDS: Final = ("delimiter", "decimal", "thousands", "encoding", "quote", "class_name", "sheet")


@dataclass(frozen=True, eq=False)
class TableSource:
    """A file (``path``, with its ``size`` in bytes and ``modified`` in nanoseconds) or a pasted ``text``, or neither.

    ``options`` is what a person said of how it is written, ``read_as`` what it was taken for.
    """

    path: str | None = None
    size: int = 0
    modified: int = 0
    text: str | None = None
    options: ReadOptions | None = None
    read_as: ReadOptions | None = None

    @property
    def can_be_looked_at(self) -> bool:
        """Whether it is a file of this machine that was there: a path in a network would call upon a stranger's."""
        return self.path is not None and bool(self.modified) and not self.path.replace("\\", "/").startswith("//")

    def what_became_of_it(self) -> str:
        """In a sentence, where the file is not as it was; else empty. Only a person's wish has it looked at."""
        if self.path is None or not self.can_be_looked_at:
            return ""
        name = Path(self.path).name
        try:
            found = Path(self.path).stat()
        except OSError:
            return f"{name} is no longer where it was; the project has the values of its own."
        if (found.st_size, found.st_mtime_ns) == (self.size, self.modified):
            return ""
        return f"{name} has changed since; the project has the values that were read then."


def source_to_json(source: TableSource, writer: SharedWriter) -> dict[str, Any]:
    return {
        "path": source.path,
        "size": source.size,
        "modified": source.modified,
        "text": None if source.text is None else writer.words((source.text,)),
        "options": None if source.options is None else _options_to_json(source.options),
        "read_as": None if source.read_as is None else _options_to_json(source.read_as),
    }


def source_from_json(stored: Mapping[str, Any], reader: SharedReader) -> TableSource:
    """The source again; raises :class:`ModelFileError` or one of ``NONSENSE``."""
    path, text = stored.get("path"), stored.get("text")
    words = () if text is None else reader.get(text, tuple)
    if words and not isinstance(words[0], str):
        raise ModelFileError("The file is damaged: what was pasted is no text.")
    return TableSource(
        path=None if path is None else a_text(stored, "path"),
        size=an_integer(stored, "size"),
        modified=an_integer(stored, "modified"),
        text=words[0] if words else None,
        options=None if stored.get("options") is None else _options_from_json(an_object(stored, "options")),
        read_as=None if stored.get("read_as") is None else _options_from_json(an_object(stored, "read_as")),
    )


def _options_to_json(options: ReadOptions) -> dict[str, Any]:
    return {
        **{name: getattr(options, name) for name in _WORDS},
        "header": options.header,
        "missing": None if options.missing is None else list(options.missing),
        "kinds": {name: kind.value for name, kind in options.kinds.items()},
        "ragged": options.ragged,
    }


def _options_from_json(stored: Mapping[str, Any]) -> ReadOptions:
    words = {name: None if stored.get(name) is None else a_text(stored, name) for name in _WORDS}
    header = stored.get("header")
    if not isinstance(header, bool | None):
        raise ModelFileError("The file is damaged: how its table was read makes no sense.")
    return ReadOptions(
        **words,
        header=header,
        missing=None if stored.get("missing") is None else tuple(strings_in(stored, "missing")),
        kinds={str(name): AttributeKind(kind) for name, kind in an_object(stored, "kinds").items()},
        ragged=a_text(stored, "ragged"),
    )
