"""Reading the test file of a run, unless only a project that was opened names it."""

from __future__ import annotations

from pathlib import Path

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.errors import DataError
from workbench.runs import Run


def read_test_file(run: Run, context: RunContext, key: int) -> Dataset:
    """In a worker: the table of the test file; ``key`` numbers the reading among the parts of the context.

    Raises :class:`DataError` where a project names the file and the person has not said that it may be read: a
    stranger's project would have the program open any file, or call upon any machine.
    """
    from algorithms.io.reading import read

    path = str(run.method.values()["path"])
    if run.is_test_file_unread:
        raise DataError(
            f"The test file {Path(path).name} was not looked at, since the project names it.",
            remedy="Choose Check it among the warnings of the run.",
            place=path,
        )
    context.check_may_open(path)
    context.say("Reading the test file")
    return read(path, context.child(0.0, key=key))
