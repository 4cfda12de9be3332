"""The contents of a project: all saved work with one table, and the source of that table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from algorithms.core.errors import ModelFileError
from algorithms.core.files import Stamp
from algorithms.core.plain_json import a_text, an_integer, an_object, strings_in
from algorithms.data.schema import AttributeKind
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.io.text.options import ReadOptions
from algorithms.project.run_record import ComparisonRecord, DocumentStep, RunRecord, TableSource
from algorithms.project.shared_storage import SharedReader, SharedWriter

_WORDS: Final = ("delimiter", "decimal", "thousands", "encoding", "quote", "class_name", "sheet")


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
    """The source from its JSON form; raises :class:`ModelFileError` or one of ``NONSENSE``."""
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


@dataclass(eq=False)
class Project:
    """The contents of a project.

    ``steps[0]`` is the table as opened, ``index`` the current step, later steps are undone. ``runs`` are by number;
    ``ledger`` lists the displayed ones in order, ``view`` the selected one. ``interest`` is the class of interest by
    class attribute. ``place`` is the state of the window (JSON values), ``tried`` the latest comparison of learners.
    ``path`` is the project file, if any, and ``stamp`` its version when this window wrote or read it. ``is_edited``
    says whether some edits are in no file, ``is_saved`` whether the file holds everything. ``notes_aside`` are the
    notes on hand-edited trees that were undone, by run number. ``remarks`` are sentences on what could not be read.
    """

    steps: list[DocumentStep] = field(default_factory=list)
    index: int = 0
    source: TableSource = field(default_factory=TableSource)
    runs: dict[int, RunRecord] = field(default_factory=dict)
    ledger: list[int] = field(default_factory=list)
    view: int | None = None
    interest: Mapping[str, str] = field(default_factory=dict)
    costs: CostMatrix | None = None
    place: Mapping[str, Any] = field(default_factory=dict)
    tried: ComparisonRecord | None = None
    path: str | None = None
    stamp: Stamp | None = None
    is_edited: bool = False
    is_saved: bool = False
    notes_aside: Mapping[int, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    @property
    def last_number(self) -> int:
        """The highest run number in use, including runs of undone trees; the next run needs a higher one."""
        by_hand = (tree.run for step in self.steps for tree in step.document.trees)
        return max((*self.runs, *by_hand), default=0)

    @property
    def notes_not_shown(self) -> dict[int, str]:
        """The notes on runs that are not displayed, including those left by an incomplete journal."""
        left = {number: run.note for number, run in self.runs.items() if run.note and number not in self.ledger}
        return {**self.notes_aside, **left}

    @property
    def shown_runs(self) -> list[RunRecord]:
        """The displayed runs, in order."""
        return [self.runs[number] for number in self.ledger if number in self.runs]
