"""Projects: everything a person did with one table, as changes that one after the other make it again.

A :class:`Project` is plain values. A :class:`Change` is one step towards it; :func:`changes_of` are the fewest that
make a project from nothing. A project file holds those, a journal (:mod:`algorithms.persistence.journal`) every one as
it came, so that both are read in one way.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Final, Self

from numpy.typing import NDArray

from algorithms.core.data import Dataset
from algorithms.core.errors import CoppiceError, ModelFileError, UnknownIdError
from algorithms.core.filters import Recipe
from algorithms.core.registry import Registry
from algorithms.evaluation.costs import CostMatrix
from algorithms.persistence import archive
from algorithms.persistence.archive import Content
from algorithms.persistence.kept_runs import KeptRun, recipe_from_json, recipe_to_json, run_from_json, run_to_json
from algorithms.persistence.models import NONSENSE
from algorithms.persistence.shared import Reader, Writer
from algorithms.persistence.sources import Source, source_from_json, source_to_json
from algorithms.persistence.stored import a_flag, a_list, a_text, an_integer, an_object
from algorithms.trees.hand_edits import HandTree, hand_trees_from_json, hand_trees_to_json

FORMAT: Final = "coppice-project"
VERSION: Final = 1
SUFFIX: Final = ".coppice"


@dataclass(frozen=True, eq=False)
class Step:
    """The document after one named change: "Change kind of zip to nominal". The first is the table as it was opened."""

    text: str
    data: Dataset
    recipe: Recipe = ()
    trees: tuple[HandTree, ...] = ()
    """The trees that were edited by hand until then."""


@dataclass(eq=False)
class Project:
    """What there is to keep. ``steps[0]`` is the table as opened, ``index`` the step in view, later ones were undone.

    ``runs`` by number, ``ledger`` those that are shown in their order, ``view`` the one in view; ``interest`` the class
    of interest by class attribute; ``place`` where the person was (JSON values); ``path`` the project file, if it has
    one, ``is_edited`` whether there are edits that no file has, ``is_saved`` whether that file holds all of this;
    ``remarks`` what could not be read, in sentences.
    """

    steps: list[Step] = field(default_factory=list)
    index: int = 0
    source: Source = field(default_factory=Source)
    runs: dict[int, KeptRun] = field(default_factory=dict)
    ledger: list[int] = field(default_factory=list)
    view: int | None = None
    interest: Mapping[str, str] = field(default_factory=dict)
    costs: CostMatrix | None = None
    place: Mapping[str, Any] = field(default_factory=dict)
    path: str | None = None
    is_edited: bool = False
    is_saved: bool = False
    remarks: list[str] = field(default_factory=list)

    @property
    def shown_runs(self) -> list[KeptRun]:
        """The runs of the ledger in its order."""
        return [self.runs[number] for number in self.ledger if number in self.runs]


# ---- changes ---------------------------------------------------------------------------------------------------------


class Change(ABC):
    """One step from nothing to a project."""

    do: ClassVar[str]

    @abstractmethod
    def to_json(self, writer: Writer) -> dict[str, Any]:
        """JSON values, with what is shared by its numbers."""

    @classmethod
    @abstractmethod
    def from_json(cls, stored: Mapping[str, Any], reader: Reader, registry: Registry) -> Self:
        """The change again; raises :class:`CoppiceError` or one of ``NONSENSE``."""

    @abstractmethod
    def apply(self, project: Project) -> None: ...


@dataclass(frozen=True, eq=False)
class Opened(Change):
    """A table was opened."""

    do = "open"
    step: Step
    source: Source

    def to_json(self, writer: Writer) -> dict[str, Any]:
        return {"step": _step_to_json(self.step, writer), "source": source_to_json(self.source, writer)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: Reader, registry: Registry) -> Self:
        step = _step_from_json(an_object(stored, "step"), reader, registry)
        return cls(step, source_from_json(an_object(stored, "source"), reader))

    def apply(self, project: Project) -> None:
        project.steps, project.index, project.source = [self.step], 0, self.source


@dataclass(frozen=True, eq=False)
class Edited(Change):
    """After the first ``kept`` steps (the opened table counts as one) come these; ``index`` is the one in view."""

    do = "edit"
    kept: int
    steps: tuple[Step, ...]
    index: int

    def to_json(self, writer: Writer) -> dict[str, Any]:
        steps = [_step_to_json(step, writer) for step in self.steps]
        return {"kept": self.kept, "steps": steps, "index": self.index}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: Reader, registry: Registry) -> Self:
        steps = tuple(_step_from_json(step, reader, registry) for step in a_list(stored, "steps"))
        return cls(an_integer(stored, "kept"), steps, an_integer(stored, "index"))

    def apply(self, project: Project) -> None:
        steps = [*project.steps[: self.kept], *self.steps]
        if not 1 <= self.kept <= len(project.steps) or not 0 <= self.index < len(steps):
            raise ModelFileError("The file is damaged: its changes do not follow one another.")
        project.steps, project.index = steps, self.index


@dataclass(frozen=True, eq=False)
class RunChanged(Change):
    """A run began or came further."""

    do = "run"
    run: KeptRun

    def to_json(self, writer: Writer) -> dict[str, Any]:
        return run_to_json(self.run, writer)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: Reader, registry: Registry) -> Self:
        return cls(run_from_json(stored, reader, registry))

    def apply(self, project: Project) -> None:
        project.runs[self.run.number] = self.run


@dataclass(frozen=True, eq=False)
class LedgerChanged(Change):
    """Which runs are shown, and which of them is in view; their notes."""

    do = "ledger"
    ledger: tuple[int, ...]
    view: int | None

    def to_json(self, writer: Writer) -> dict[str, Any]:
        return {"ledger": list(self.ledger), "view": self.view}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: Reader, registry: Registry) -> Self:
        ledger = tuple(int(number) for number in a_list(stored, "ledger"))
        return cls(ledger, None if stored.get("view") is None else an_integer(stored, "view"))

    def apply(self, project: Project) -> None:
        project.ledger, project.view = list(dict.fromkeys(self.ledger)), self.view


@dataclass(frozen=True, eq=False)
class Noted(Change):
    """A note was written on a run."""

    do = "note"
    number: int
    note: str

    def to_json(self, writer: Writer) -> dict[str, Any]:
        return {"number": self.number, "note": self.note}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: Reader, registry: Registry) -> Self:
        return cls(an_integer(stored, "number"), a_text(stored, "note"))

    def apply(self, project: Project) -> None:
        if self.number in project.runs:
            project.runs[self.number] = replace(project.runs[self.number], note=self.note)


@dataclass(frozen=True, eq=False)
class Chosen(Change):
    """The classes of interest, and what mistakes cost."""

    do = "choose"
    interest: Mapping[str, str]
    costs: CostMatrix | None

    def to_json(self, writer: Writer) -> dict[str, Any]:
        costs = self.costs
        rows = None if costs is None else {"classes": list(costs.classes), "costs": [list(row) for row in costs.costs]}
        return {"interest": dict(self.interest), "costs": rows}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: Reader, registry: Registry) -> Self:
        interest = {str(name): str(label) for name, label in an_object(stored, "interest").items()}
        if stored.get("costs") is None:
            return cls(interest, None)
        costs = an_object(stored, "costs")
        rows = tuple(tuple(float(cost) for cost in row) for row in a_list(costs, "costs"))
        return cls(interest, CostMatrix(tuple(str(label) for label in a_list(costs, "classes")), rows))

    def apply(self, project: Project) -> None:
        project.interest, project.costs = self.interest, self.costs


@dataclass(frozen=True, eq=False)
class Placed(Change):
    """Where the person is in the window."""

    do = "place"
    place: Mapping[str, Any]

    def to_json(self, writer: Writer) -> dict[str, Any]:
        return {"place": dict(self.place)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: Reader, registry: Registry) -> Self:
        return cls(an_object(stored, "place"))

    def apply(self, project: Project) -> None:
        project.place = self.place


@dataclass(frozen=True, eq=False)
class Saved(Change):
    """The project has a file, whether there are edits that no file has, and whether that one holds everything."""

    do = "save"
    path: str | None
    is_edited: bool
    is_saved: bool

    def to_json(self, writer: Writer) -> dict[str, Any]:
        return {"path": self.path, "is_edited": self.is_edited, "is_saved": self.is_saved}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: Reader, registry: Registry) -> Self:
        path = None if stored.get("path") is None else a_text(stored, "path")
        return cls(path, a_flag(stored, "is_edited"), a_flag(stored, "is_saved"))

    def apply(self, project: Project) -> None:
        project.path, project.is_edited, project.is_saved = self.path, self.is_edited, self.is_saved


CHANGES: Final[Mapping[str, type[Change]]] = {
    change.do: change for change in (Opened, Edited, RunChanged, LedgerChanged, Noted, Chosen, Placed, Saved)
}


def changes_of(project: Project) -> list[Change]:
    """The changes that make this project from nothing."""
    first, *others = project.steps
    return [
        Opened(first, project.source),
        Edited(1, tuple(others), project.index),
        *(RunChanged(run) for run in project.runs.values()),
        LedgerChanged(tuple(project.ledger), project.view),
        Chosen(project.interest, project.costs),
        Placed(project.place),
        Saved(project.path, project.is_edited, project.is_saved),
    ]


def _step_to_json(step: Step, writer: Writer) -> dict[str, Any]:
    found = {"text": step.text, "data": writer.data(step.data), "recipe": recipe_to_json(step.recipe)}
    return {**found, "trees": hand_trees_to_json(step.trees)} if step.trees else found


def _step_from_json(stored: Mapping[str, Any], reader: Reader, registry: Registry) -> Step:
    data = reader.get(stored.get("data"), Dataset)
    trees = hand_trees_from_json(stored.get("trees", []))
    return Step(a_text(stored, "text"), data, recipe_from_json(stored, "recipe", registry), trees)


class Replay:
    """Takes what a file or a journal holds, entry by entry, and makes the project of it."""

    def __init__(self, registry: Registry) -> None:
        self.project = Project()
        self.reader = Reader()
        self._registry = registry

    def take(self, entry: Mapping[str, Any]) -> None:
        """A definition or a change; raises :class:`CoppiceError` or one of ``NONSENSE``.

        A run that needs a learner which is not registered is left out, and a remark says so.
        """
        if "define" in entry:
            self.reader.definition(entry)
            return
        kind = CHANGES[a_text(entry, "do")]
        try:
            change = kind.from_json(entry, self.reader, self._registry)
        except UnknownIdError as error:
            if kind is not RunChanged:
                raise
            self.project.remarks.append(f"Run {entry.get('number')} was left out: {error.sentence}")
        else:
            change.apply(self.project)


# ---- files -----------------------------------------------------------------------------------------------------------


class _Collected:
    """An outlet that keeps definitions in one list with the changes, and arrays by their names in the archive."""

    def __init__(self) -> None:
        self.entries: list[Mapping[str, Any]] = []
        self.arrays: dict[str, NDArray[Any]] = {}

    def array(self, number: int, array: NDArray[Any]) -> None:
        self.entries.append({"array": number})
        self.arrays[_name(number)] = array

    def definition(self, values: Mapping[str, Any]) -> None:
        self.entries.append(values)


def _name(number: int) -> str:
    return f"arrays/{number}"


def save_project(path: str | Path, project: Project) -> None:
    """Write a project; raises :class:`ModelFileError` where the file cannot be written."""
    outlet = _Collected()
    writer = Writer(outlet)
    for change in changes_of(project):
        if not isinstance(change, Saved):
            values = change.to_json(writer)
            outlet.entries.append({"do": change.do, **values})
    values = {"format": FORMAT, "version": VERSION, "entries": outlet.entries}
    archive.write(path, Content(values, outlet.arrays))


def load_project(path: str | Path, registry: Registry) -> Project:
    """The project again; its ``path`` is this one.

    Raises :class:`ModelFileError` where the file cannot be read, is damaged, was written by a newer version, or needs
    a filter that is not registered. No file can run code, write to disk or claim more memory than a few times its size.
    """
    content, name = archive.read(path), Path(path).name
    try:
        project = _project(content, registry)
    except CoppiceError as error:
        raise ModelFileError(
            f"The project cannot be opened. {error.sentence}", remedy=error.remedy, place=name
        ) from error
    except NONSENSE as error:
        raise ModelFileError("The file is damaged: its parts do not fit together.", place=name) from error
    project.path, project.is_saved = str(path), True
    return project


def _project(content: Content, registry: Registry) -> Project:
    values = content.values
    if values.get("format") != FORMAT:
        raise ModelFileError("This is not a saved project.", remedy="Choose a file that was saved as a project.")
    check_version(values.get("version"))
    replay = Replay(registry)
    entries: Iterable[Any] = a_list(values, "entries")
    for entry in entries:
        if "array" in entry:
            number = an_integer(entry, "array")
            replay.reader.array(number, content.arrays[_name(number)])
        else:
            replay.take(entry)
    if not replay.project.steps:
        raise ModelFileError("The file is damaged: it holds no table.")
    return replay.project


def check_version(version: object) -> None:
    """Raises :class:`ModelFileError` for a version that this program does not read."""
    if version != VERSION or isinstance(version, bool):
        raise ModelFileError(
            f"It is of format version {version!r}; this program reads version {VERSION}.", remedy="Update the program."
        )
