"""Writing what a run found, in a worker."""

from __future__ import annotations

from pathlib import Path

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.errors import DataError
from workbench.runs import Run

KINDS_OF_TABLE = "CSV (*.csv);;Excel (*.xlsx)"


def save_predictions(run: Run, path: str, context: RunContext) -> int:
    """Write the judged records of a run with their decisions; how many there were.

    Raises :class:`DataError` where there are none yet or the file cannot be written.
    """
    from algorithms.evaluation.predictions import predictions
    from algorithms.io.excel_writing import write_table

    if run.result is None:
        raise DataError("This run has judged no records yet.", remedy="Let it end first.")
    table = predictions(run.result, _tested(run, context))
    context.say(f"Writing {Path(path).name}")
    write_table(path, table, context)
    return len(table)


def _tested(run: Run, context: RunContext) -> Dataset:
    """The records that were judged, as they were: the run's own, or those of its test file."""
    if not run.method.needs_test_data:
        return run.data
    from algorithms.io.reading import read

    context.say("Reading the test file")
    return read(run.method.values()["path"], context.child(0.0, key=1))
