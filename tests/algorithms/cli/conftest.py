"""A small file and a model learned from it."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from algorithms.cli import main, output


@pytest.fixture(autouse=True)
def no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long a slow machine compiles, standard error has no progress but in tests of it."""
    monkeypatch.setattr(output, "FIRST_LINE", math.inf)


@pytest.fixture
def table(tmp_path) -> Path:
    """A small file: two predictors, a numeric code, a class."""
    path = tmp_path / "table.csv"
    rows = [f"{i * 0.5},{'red' if i % 3 else 'blue'},{i % 2},{'yes' if i > 19 else 'no'}" for i in range(30)]
    path.write_text("\n".join(["x,colour,group,answer", *rows, ""]), encoding="utf-8")
    return path


@pytest.fixture
def model(tmp_path, table, capsys) -> Path:
    path = tmp_path / "model"
    assert main(["evaluate", str(table), "--learner", "c4.5", "--save", str(path)]) == 0
    assert f"saved as {path}" in capsys.readouterr().out
    return path
