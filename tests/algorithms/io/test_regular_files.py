"""Nothing but a regular file is opened, by whatever reads files."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from algorithms.catalogue import builtin
from algorithms.core.errors import CoppiceError
from algorithms.core.run_control import RunContext
from algorithms.evaluation.costs.cost_matrix import read_costs
from algorithms.io.reading import column_names, read, sheets, sniff
from algorithms.learners.bayes.network_files import read_network
from algorithms.project.models import load_model
from algorithms.project.projects import load_project
from algorithms.project.recipes import load_recipe
from tests.expected_texts import io as wording

READERS: dict[str, Callable[[str], Any]] = {
    "table": lambda path: read(path, RunContext()),
    "what a table is": sniff,
    "columns": column_names,
    "sheets": lambda path: sheets(path, RunContext()),
    "costs": lambda path: read_costs(path, ("a", "b")),
    "network": read_network,
    "recipe": lambda path: load_recipe(path, builtin()),
    "model": lambda path: load_model(path, builtin()),
    "project": lambda path: load_project(path, builtin()),
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", ["pipe.csv", "pipe.xlsx"])
def test_a_pipe_is_refused_without_waiting_for_it(reader: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    os.mkfifo(path)
    with pytest.raises(CoppiceError, match=wording.PIPE_OR_DEVICE):
        READERS[reader](str(path))


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there are no devices here")
@pytest.mark.parametrize("reader", READERS)
def test_a_device_is_refused(reader: str) -> None:
    with pytest.raises(CoppiceError, match=wording.PIPE_OR_DEVICE):
        READERS[reader]("/dev/zero")


@pytest.mark.parametrize("reader", READERS)
def test_a_folder_is_refused(reader: str, tmp_path: Path) -> None:
    with pytest.raises(CoppiceError, match=wording.IS_A_FOLDER):
        READERS[reader](str(tmp_path))
