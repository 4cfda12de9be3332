"""The program of the child process that writes files of SPSS, Stata and SAS.

Their library keeps the interpreter to itself until the file is complete, so the window would stand still, and it hears
no stop. The request (:mod:`algorithms.io.typed.statistics_writing`) names the ``path`` and the ``format`` (sav, dta,
xpt), a ``folder`` with the values, and for each column the fields of ``statistics_writing.WrittenColumn``. Column i is
i.npy: float64 numbers, or int32 codes (-1 if missing) into the list of texts that i.json.npy holds
as the bytes of JSON.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from algorithms.io.child_program import RefusedError, run


def _write(request: dict[str, Any]) -> None:
    """Write the file; raises :class:`RefusedError` with the library's reason if it cannot."""
    import pyreadstat

    write: dict[str, Any] = {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta, "xpt": pyreadstat.write_xport}
    frame, options = _frame(Path(request["folder"]), request["columns"]), _options(request)
    try:
        write[request["format"]](frame, request["path"], **options)
    except (pyreadstat.PyreadstatError, pyreadstat.ReadstatError, ValueError, OSError) as error:
        raise RefusedError("failed", reason=str(error)) from error


def _frame(folder: Path, columns: list[dict[str, Any]]) -> Any:
    """The values in the folder as a pandas frame; a missing text is an empty one."""
    import pandas as pd

    values = dict[str, Any]()
    for index, column in enumerate(columns):
        stored = np.load(folder / f"{index}.npy")
        if column["is_text"]:
            texts = np.array([*json.loads(np.load(folder / f"{index}.json.npy").tobytes()), ""], dtype=object)
            stored = texts[stored]
        values[column["name"]] = stored
    return pd.DataFrame(values, copy=False)


def _options(request: dict[str, Any]) -> dict[str, Any]:
    """What the library is told of the columns: labels, formats and levels, as far as the format has them."""
    columns = request["columns"]
    options: dict[str, Any] = {
        "column_labels": {column["name"]: column["label"] for column in columns if column["label"]},
        "variable_format": {column["name"]: column["format"] for column in columns if column["format"]},
    }
    if request["format"] != "xpt":
        labels = {column["name"]: dict(enumerate(column["labels"], 1)) for column in columns if column["labels"]}
        options["variable_value_labels"] = labels
    if request["format"] == "sav":
        options["variable_measure"] = {column["name"]: column["measure"] for column in columns}
        options["row_compress"] = True
    return options


if __name__ == "__main__":
    run(_write)
