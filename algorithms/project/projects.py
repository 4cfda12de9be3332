"""Project files, which store the sequence of changes that creates a project.

A project file holds the shortest sequence of :mod:`~algorithms.project.changes`, a journal
(:mod:`algorithms.project.journal`) each change as it occurred; the same code reads both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from algorithms.core.errors import CoppiceError, ModelFileError, UnknownIdError
from algorithms.core.files import Commit, Stamp
from algorithms.core.plain_json import a_list, a_text
from algorithms.core.registry import Registry
from algorithms.project import archive
from algorithms.project.archive import ArchiveContent
from algorithms.project.changes import CHANGES, Project, ProjectSaved, RunChanged, changes_of
from algorithms.project.models import NONSENSE
from algorithms.project.shared_storage import CollectingSink, SharedReader, SharedWriter, read_collected

FORMAT: Final = "coppice-project"
VERSION: Final = 7
"""Format version with cleaning rules; also of any journal, whose later content is unknown."""
RULES: Final = 6
"""Format version with decision rules that differ between steps."""
COSTS: Final = 5
"""Format version with costs that differ between steps."""
FORMULAS: Final = 4
"""Format version with costs that are formulas of columns."""
DOUBLE: Final = 3
"""Format version with runs whose probabilities have double precision."""
SINGLE: Final = 2
"""Format version with disabled steps, a column of amounts, or analyses of a run."""
WITHOUT: Final = 1
"""Format version without any of these."""
SUFFIX: Final = ".coppice"


class Replay:
    """Reconstructs a project from the entries of a file or a journal, one by one."""

    def __init__(self, registry: Registry) -> None:
        self.project = Project()
        self.reader = SharedReader()
        self._registry = registry

    def take(self, entry: Mapping[str, Any]) -> None:
        """Apply a definition or a change; raises :class:`CoppiceError` or one of ``NONSENSE``.

        A run with an unknown learner is skipped, with a remark.
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


def save_project(
    path: str | Path, project: Project, commit: Commit | None = None, checkpoint: Callable[[], object] = int
) -> Stamp:
    """Write a project and return the stamp (size and time) of the file; raises :class:`ModelFileError` on failure.

    ``commit`` is called right before the file is replaced. ``checkpoint`` is called every few milliseconds and may
    raise.
    """
    outlet = CollectingSink()
    writer = SharedWriter(outlet, checkpoint)
    for change in changes_of(project.with_rules_in_runs() if project.has_one_set_of_rules else project):
        checkpoint()
        if not isinstance(change, ProjectSaved):
            values = change.to_json(writer)
            outlet.entries.append({"do": change.do, **values})
    values = {"format": FORMAT, "version": _version_of(project), "entries": outlet.entries}
    return archive.write(path, ArchiveContent(values, outlet.arrays), commit, checkpoint)


def _version_of(project: Project) -> int:
    """The lowest format version that can store this project."""
    is_later = any(not each.on for step in project.steps for each in step.document.steps) or any(
        run.findings is not None for run in project.runs.values()
    )
    runs = (run.data for run in project.runs.values())
    if any(data.origin.cleaning for data in (*(step.document.data for step in project.steps), *runs)):
        return VERSION
    if not project.has_one_set_of_rules:
        return RULES
    if any(step.document.costs != project.costs for step in project.steps):
        return COSTS
    if project.costs is not None and project.costs.varies:
        return FORMULAS
    results = (run.result for run in project.runs.values() if run.result is not None)
    is_double = any(result.probabilities.dtype == np.float64 for result in results)
    if is_double or any(run.parts for run in project.runs.values()):  # which older programs cannot read
        return DOUBLE
    return SINGLE if is_later else WITHOUT


def load_project(path: str | Path, registry: Registry) -> Project:
    """The project in a file; its ``path`` is this file.

    Raises :class:`ModelFileError` if the file cannot be read, is damaged or of a newer version, or needs an unknown
    filter. No file can run code, write to disk or allocate more memory than a few times its size.
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
    read_collected(a_list(values, "entries"), content.arrays, replay.reader, replay.take)
    if not replay.project.steps:
        raise ModelFileError("The file is damaged: it holds no table.")
    return replay.project.with_rules_in_steps()


def check_version(version: object) -> None:
    """Raise :class:`ModelFileError` for a format version that this program cannot read."""
    if version not in (WITHOUT, SINGLE, DOUBLE, FORMULAS, COSTS, RULES, VERSION) or isinstance(version, bool):
        raise ModelFileError(
            f"It is of format version {version!r}; this program reads version {VERSION}.", remedy="Update the program."
        )
