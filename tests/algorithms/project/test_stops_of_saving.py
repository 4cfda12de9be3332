"""A stop ends saving after one bounded piece of work, however large the table is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from algorithms.core.errors import Cancelled
from algorithms.core.files import Stamp
from algorithms.core.run_control import CANCEL, STOP, RunContext
from algorithms.data.columns import STRING
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.evaluation.methods.methods import Holdout
from algorithms.evaluation.runner import evaluate
from algorithms.evaluation.tested_records import predictions
from algorithms.io.excel import write_excel
from algorithms.io.reading import read
from algorithms.io.text.text_writing import in_original_spelling, write_csv
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.project.changes import Project
from algorithms.project.projects import save_project
from tests.algorithms.project.made_projects import step


class Looks(RunContext):
    """Counts how often a worker looks whether to stop, and is cancelled at the look of a given number."""

    def __init__(self, cancel_at: int | None = None) -> None:
        super().__init__(seed=1)
        self.n, self.cancel_at = 0, cancel_at

    def checkpoint(self) -> None:
        self._look()
        super().checkpoint()

    @property
    def cancelled(self) -> bool:
        self._look()
        return super().cancelled

    def _look(self) -> None:
        self.n += 1
        if self.n == self.cancel_at:
            self.control[STOP] = CANCEL  # within commit, which holds the lock that cancel needs


def table(n: int) -> Dataset:
    rng = np.random.default_rng(1)
    words = np.array([f"{number:.17f}" for number in rng.random(n)], dtype=object).astype(STRING)
    schema = Schema((numeric("x"), Attribute("note", AttributeKind.TEXT), nominal("class", "pq")), 2)
    return Dataset(schema, [rng.random(n), words, np.arange(n) % 2])


def as_csv(path: Path, data: Dataset, context: RunContext) -> None:
    write_csv(path, data, context)


def as_workbook(path: Path, data: Dataset, context: RunContext) -> None:
    write_excel(path, data, context)


def as_project(path: Path, data: Dataset, context: RunContext) -> None:
    save_project(path, Project(steps=[step("Open", data)]), context.commit, context.checkpoint)


@pytest.mark.parametrize(("write", "rows_a_look"), [(as_csv, 4096), (as_workbook, 512), (as_project, 4096)])
def test_writing_looks_for_a_stop_between_bounded_pieces(
    tmp_path: Path, write: Callable[[Path, Dataset, RunContext], None], rows_a_look: int
) -> None:
    path, few, many = tmp_path / "a", Looks(), Looks()
    write(path, table(1), few)
    data = table(20_000)
    write(path, data, many)
    assert many.n - few.n >= len(data) // rows_a_look
    path.write_bytes(b"before")
    for cancel_at in {1, many.n // 3, many.n * 2 // 3, many.n}:
        stopped = Looks(cancel_at)
        with pytest.raises(Cancelled):
            write(path, data, stopped)
        assert stopped.n <= cancel_at + 1
        assert path.read_bytes() == b"before" and [each.name for each in tmp_path.iterdir()] == ["a"]


def test_packing_a_workbook_looks_for_a_stop_every_64_kilobytes(tmp_path: Path) -> None:
    """The package copies the rows of the sheet, then packs them: neither goes on after a stop."""
    rows, whole = Looks(), Looks()
    data = table(20_000)
    write_excel(tmp_path / "a.xlsx", data, whole)
    rows.cancel_at = len(data) // 512  # so many are before packing, at least
    with pytest.raises(Cancelled):
        write_excel(tmp_path / "a.xlsx", data, rows)
    assert whole.n - rows.n >= 20


def test_predictions_and_columns_letter_by_letter_look_for_a_stop_between_columns(tmp_path: Path) -> None:
    data = table(50)
    result = evaluate(ZeroR(), data, Holdout(), RunContext(seed=1))
    looks = Looks()
    predictions(result, data, None, looks.checkpoint)
    assert looks.n >= len(data.schema)
    with pytest.raises(Cancelled):
        predictions(result, data, None, Looks(looks.n).checkpoint)
    path = tmp_path / "a.csv"
    write_csv(path, data)
    given = read(path, RunContext())
    looks = Looks()
    in_original_spelling(path, Stamp.of(path), given, looks)
    with pytest.raises(Cancelled):
        in_original_spelling(path, Stamp.of(path), given, Looks(looks.n))


def test_the_disk_takes_a_file_in_parts_while_it_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr("algorithms.core.files.SYNCED_AT_ONCE", 10_000)
    monkeypatch.setattr("algorithms.core.files._sync", synced.append)
    for write in (as_csv, as_workbook, as_project):
        before = len(synced)
        write(tmp_path / "a", table(20_000), RunContext())
        assert len(synced) - before >= 4, write
