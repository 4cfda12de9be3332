"""What cells, rows and columns of a confusion matrix say, in words and as text. No widgets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from workbench.views.figures import amount, in_100

Cells = NDArray[np.bool_]

HEAD = -1
"""The number of the row above the first, and of the column left of it: the names, which stand for all of theirs."""


def cell_sentence(classes: Sequence[str], counts: FloatArray, row: int, column: int) -> str:
    """One cell in words: "18 records that are malignant were said to be benign: 7.5 in 100 of them."."""
    n, total = float(counts[row, column]), float(counts[row].sum())
    records = "record that is" if n == 1 else "records that are"
    said = "rightly called so" if row == column else f"said to be {classes[column]}"
    were = "was" if n == 1 else "were"
    share = f": {in_100(n / total)} in 100 of them" if total else ""
    return f"{amount(n)} {records} {classes[row]} {were} {said}{share}."


def place_sentence(classes: Sequence[str], counts: FloatArray, row: int, column: int) -> str:
    """A cell in words, or a whole row (column :data:`HEAD`) or column (row :data:`HEAD`) of the matrix."""
    if row != HEAD and column != HEAD:
        return cell_sentence(classes, counts, row, column)
    if column == HEAD:
        n, right = float(counts[row].sum()), float(counts[row, row])
        return (
            f"{amount(n)} {'record is' if n == 1 else 'records are'} {classes[row]}, {amount(right)} rightly called so."
        )
    n, right = float(counts[:, column].sum()), float(counts[column, column])
    was = "record was" if n == 1 else "records were"
    return f"{amount(n)} {was} said to be {classes[column]}, {amount(right)} rightly."


def selected_words(n: float, n_selected: float) -> str:
    """How many of some records are selected, in words to follow a sentence."""
    if not n:
        return ""
    if n == 1:
        return f" It is {'' if n_selected else 'not '}selected."
    some = "All" if n_selected == n else amount(n_selected) if n_selected else "None"
    return f" {some} of them {'is' if n_selected == 1 else 'are'} selected."


def as_rows(classes: Sequence[str], counts: FloatArray) -> list[list[str]]:
    """The matrix with its labels as rows of text; numbers without separators, as other programs read them."""
    head = ["", *(f"said {name}" for name in classes)]
    return [head, *([f"is {n}", *(f"{c:.12g}" for c in row)] for n, row in zip(classes, counts.tolist(), strict=True))]


def as_text(classes: Sequence[str], counts: FloatArray) -> str:
    """The matrix as tab-separated lines with its labels, for pasting into a table."""
    return "\n".join("\t".join(row) for row in as_rows(classes, counts))


def covered(k: int, row: int, column: int) -> Cells:
    """Which cells (k, k) a cell, or the name of a row or column, stands for."""
    cells = np.zeros((k, k), dtype=np.bool_)
    cells[slice(None) if row == HEAD else row, slice(None) if column == HEAD else column] = True
    return cells
