"""Project files: the changes that make a project one after the other.

A project file holds the fewest :mod:`~algorithms.project.changes` that make it, a journal
(:mod:`algorithms.project.journal`) every one as it came, so that both are read in one way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import CoppiceError, ModelFileError, UnknownIdError
from algorithms.core.files import Commit, Stamp
from algorithms.core.plain_json import a_list, a_text, an_integer
from algorithms.core.registry import Registry
from algorithms.project import archive
from algorithms.project.archive import ArchiveContent
from algorithms.project.changes import CHANGES, ProjectSaved, RunChanged, changes_of
from algorithms.project.kept_project import Project
from algorithms.project.models import NONSENSE
from algorithms.project.run_record import RunRecord
from algorithms.project.shared import SharedReader, SharedWriter

FORMAT: Final = "coppice-project"
VERSION: Final = 3
"""With runs whose probabilities are in double precision. A journal is always of this version: it is begun before
anybody knows what will come."""
SINGLE: Final = 2
"""With steps that are switched off, a column of amounts, or what was found about a run."""
WITHOUT: Final = 1
"""The version of a file that has none of these."""
SUFFIX: Final = ".coppice"


class Replay:
    """Takes what a file or a journal holds, entry by entry, and makes the project of it."""

    def __init__(self, registry: Registry) -> None:
        self.project = Project()
        self.reader = SharedReader()
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


def save_project(
    path: str | Path, project: Project, commit: Commit | None = None, checkpoint: Callable[[], object] = int
) -> Stamp:
    """Write a project and return by what its file is known; raises :class:`ModelFileError` where that cannot be.

    ``checkpoint``, which may raise, is called every few milliseconds.
    """
    outlet = _Collected()
    writer = SharedWriter(outlet, checkpoint)
    for change in changes_of(project):
        checkpoint()
        if not isinstance(change, ProjectSaved):
            values = change.to_json(writer)
            outlet.entries.append({"do": change.do, **values})
    values = {"format": FORMAT, "version": _version_of(project), "entries": outlet.entries}
    return archive.write(path, ArchiveContent(values, outlet.arrays), commit, checkpoint)


def _version_of(project: Project) -> int:
    """The first version that keeps all of this project."""
    is_later = (
        any(step.document.aside for step in project.steps)
        or any(run.findings is not None for run in project.runs.values())
        or (project.costs is not None and project.costs.amounts != "")
    )
    if any(_in_double(run) for run in project.runs.values()):
        return VERSION
    return SINGLE if is_later else WITHOUT


def _in_double(run: RunRecord) -> bool:
    """Whether any of its probabilities are in double precision, which older programs do not read."""
    return bool(run.parts) or (run.result is not None and run.result.probabilities.dtype == np.float64)


def load_project(path: str | Path, registry: Registry) -> Project:
    """The project again; its ``path`` is this one.

    Raises :class:`ModelFileError` where the file cannot be read, is damaged, was written by a newer version, or needs
    a filter that is not registered. No file can run code, write to disk or claim more memory than a few times its size.
    """
    stamp = Stamp.of(path)
    content, name = archive.read(path), Path(path).name
    try:
        project = _project(content, registry)
    except CoppiceError as error:
        raise ModelFileError(
            f"The project cannot be opened. {error.sentence}", remedy=error.remedy, place=name
        ) from error
    except NONSENSE as error:
        raise ModelFileError("The file is damaged: its parts do not fit together.", place=name) from error
    project.path, project.is_saved, project.stamp = str(path), True, stamp
    return project


def _project(content: ArchiveContent, registry: Registry) -> Project:
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
    if version not in (WITHOUT, SINGLE, VERSION) or isinstance(version, bool):
        raise ModelFileError(
            f"It is of format version {version!r}; this program reads version {VERSION}.", remedy="Update the program."
        )
