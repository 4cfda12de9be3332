"""Files that the program itself writes: models, projects, journals, recipes, costs."""

from __future__ import annotations

import io
import json
import struct
import tempfile
import zlib
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.lib import format as npy
from numpy.random import Generator

from algorithms.catalogue import builtin
from algorithms.core.errors import CoppiceError
from algorithms.core.filters import RecipeStep
from algorithms.core.run_control import RunContext
from algorithms.evaluation.costs.cost_matrix import read_costs, write_costs
from algorithms.evaluation.result import PhaseSeconds
from algorithms.project import archive
from algorithms.project.archive import ArchiveContent
from algorithms.project.changes import Project, changes_of
from algorithms.project.journal import Journal
from algorithms.project.models import load_model
from algorithms.project.projects import load_project, save_project
from algorithms.project.recipes import load_recipe, save_recipe
from tests.algorithms.battery_data import mixed
from tests.algorithms.filter_battery import variants
from tests.algorithms.project import damaged_models, made_projects
from tests.fuzz import bytes_mutators
from tests.fuzz.bytes_mutators import NUMBERS, TEXT_CHANGES, soup
from tests.fuzz.case import READ, BrokenRuleError, Case, written
from tests.fuzz.rules import check_classifier, check_probabilities, check_table
from tests.fuzz.structure_mutators import changed_archive, changed_json, changed_value, json_bytes, zipped

CONTENT: Final = "content.json"
_FRAME: Final = struct.Struct("<cIQ")
_MOST_LEARNED: Final = 10
"""Steps of a recipe that are learned, of those that a file lists."""
_ROUGH: Final = 1e-4
"""How far from one shares in single precision may sum."""


def _changed_member(name: str, content: bytes, random: Generator) -> bytes:
    if name == CONTENT:
        return changed_json(content, random)
    if name.endswith(".npy") and random.random() < 0.8:
        return changed_array(content, random)
    return bytes_mutators.mutated(content, random)[0]


def changed_array(content: bytes, random: Generator) -> bytes:
    """An .npy file with other numbers, another shape or another type."""
    try:
        array = np.load(io.BytesIO(content), allow_pickle=False)
    except (ValueError, EOFError, OSError):
        return bytes_mutators.mutated(content, random)[0]
    with np.errstate(all="ignore"):
        changed = damaged_models.damaged_array(array, random)
    whole = io.BytesIO()
    npy.write_array(whole, np.ascontiguousarray(changed), version=(1, 0), allow_pickle=False)
    return whole.getvalue()


def _packed(content: ArchiveContent, random: Generator) -> bytes:
    """What a file with this content would be, values that no program of ours writes included."""
    members = {CONTENT: json_bytes(content.values, random)}
    for name, array in content.arrays.items():
        members[f"{name}.npy"] = b"".join(bytes(piece) for piece in archive.array_pieces(array))
    return zipped(members, stored=True)


class Models:
    """Models of every learner and filter: their arrays, their values and their bytes changed."""

    name = "models"

    def __init__(self) -> None:
        self._registry = builtin()
        self._names = damaged_models.names(self._registry)
        self._subjects: dict[str, damaged_models.Subject] = {}

    def _subject(self, name: str) -> damaged_models.Subject:
        if name not in self._subjects:
            self._subjects[name] = damaged_models.subject_of(name, self._registry)
            damaged_models.outcome(self._subjects[name].content, self._subjects[name].records, self._registry)
        return self._subjects[name]

    def make(self, random: Generator) -> Case:
        name = str(random.choice(self._names))
        subject = self._subject(name)
        if random.random() < 0.7:
            content, told = damaged_models.damaged(subject.content, random)
            packed = _packed(content, random)
        else:
            packed, told = changed_archive(_packed(subject.content, random), random, _changed_member, stored=True)
        return Case(packed, "model.coppice-model", {"subject": name}, told)

    def run(self, case: Case, folder: Path) -> str:
        check_classifier(
            load_model(written(case, folder), self._registry), self._subject(case.options["subject"]).records
        )
        return READ


# ---- projects --------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def made_project() -> Project:
    """A project with a bit of everything, without the times that its runs took and when."""
    project = made_projects.project()
    for number, run in project.runs.items():
        result = None if run.result is None else replace(run.result, timings=PhaseSeconds())
        trained = None if run.trained is None else replace(run.trained, created="2020-01-01T00:00:00")
        project.runs[number] = replace(run, result=result, trained=trained)
    return project


@lru_cache(maxsize=1)
def project_file() -> bytes:
    """The same as a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.coppice"
        save_project(path, made_project())
        return path.read_bytes()


def check_project(project: Project) -> None:
    """Raise :class:`BrokenRuleError` where a table, a result or a model of a project breaks a rule."""
    for step in project.steps:
        check_table(step.document.data)
    if not 0 <= project.index < len(project.steps):
        raise BrokenRuleError("the project stands at a step that it has not")
    for run in project.runs.values():
        check_table(run.data)
        if run.result is not None:
            shares = run.result.probabilities.astype(np.float64)
            n, k = len(run.result.truth), len(run.result.classes)
            if n and shares.shape == (n, k) and np.allclose(shares.sum(axis=1), 1.0, atol=_ROUGH):
                shares = shares / shares.sum(axis=1, keepdims=True)
            check_probabilities(shares, n, k)
        if run.trained is not None:
            try:
                check_classifier(run.trained, run.data)
            except CoppiceError:
                continue  # of other columns: refused in a sentence when it is asked


class Projects:
    """Project files: their values, arrays and bytes changed."""

    name = "projects"

    def __init__(self) -> None:
        self._registry = builtin()
        check_project(made_project())

    def make(self, random: Generator) -> Case:
        content, told = changed_archive(project_file(), random, _changed_member, stored=True, likely=(CONTENT,))
        return Case(content, "made.coppice", {}, told)

    def run(self, case: Case, folder: Path) -> str:
        check_project(load_project(written(case, folder), self._registry))
        return READ


@lru_cache(maxsize=1)
def _journal_file() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal.begin(Path(folder) / "made.coppice-journal", changes_of(made_project()))
        journal.close()
        return journal.path.read_bytes()


class Journals:
    """Journals: bytes changed, and frames whose content is changed and that are whole."""

    name = "journals"

    def __init__(self) -> None:
        self._registry = builtin()
        check_project(made_project())

    def make(self, random: Generator) -> Case:
        whole = _journal_file()
        if random.random() < 0.25:
            content, told = bytes_mutators.mutated(whole, random)
            return Case(content, "made.coppice-journal", {}, told)
        head, frames = _frames_of(whole)
        at = int(random.integers(len(frames)))
        if random.random() < 0.5:  # most frames are arrays
            at = int(random.choice([i for i, (kind, _) in enumerate(frames) if kind == b"J"]))
        kind, content = frames[at]
        how = random.random()
        if how < 0.1:
            other = int(random.integers(len(frames)))
            frames[at], frames[other] = frames[other], frames[at]
        elif how < 0.2:
            frames[at : at + 1] = [frames[at]] * int(random.choice([0, 2, 50]))
        elif how < 0.25:
            frames[at] = bytes(random.choice([b"A", b"J", b"X"])), content
        elif kind == b"J":
            frames[at] = kind, changed_json(content, random)
        else:
            frames[at] = kind, content[:8] + changed_array(content[8:], random)
        return Case(head + b"".join(_framed(*frame) for frame in frames), "made.coppice-journal", {}, f"frame {at}")

    def run(self, case: Case, folder: Path) -> str:
        project, journal = Journal.resume(written(case, folder), self._registry)
        try:
            check_project(project)
            journal.append(())
        finally:
            journal.close()
        return READ


def _frames_of(whole: bytes) -> tuple[bytes, list[tuple[bytes, bytes]]]:
    at = whole.index(b"\n") + 1
    head, frames = whole[:at], []
    while at < len(whole):
        kind, _, length = _FRAME.unpack_from(whole, at)
        at += _FRAME.size + length
        frames.append((kind, whole[at - length : at]))
    return head, frames


def _framed(kind: bytes, content: bytes) -> bytes:
    crc = zlib.crc32(content, zlib.crc32(kind + len(content).to_bytes(8, "little")))
    return _FRAME.pack(kind, crc, len(content)) + content


# ---- recipes and costs -----------------------------------------------------------------------------------------------


class Recipes:
    """Recipe files; those that are accepted are learned on a small table."""

    name = "recipes"

    def __init__(self) -> None:
        self._registry = builtin()
        self._steps = [RecipeStep(step, True) for kind in self._registry.filters for step in variants(kind)]
        self._data = mixed(40, missing=0.1)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "made.coppice-recipe"
            save_recipe(path, tuple(self._steps))
            self._stored: list[Any] = json.loads(path.read_bytes())["steps"]

    def make(self, random: Generator) -> Case:
        chosen = [self._stored[int(random.integers(len(self._stored)))] for _ in range(int(random.integers(1, 4)))]
        stored: Any = {"format": "coppice-recipe", "version": int(random.choice([1, 2])), "steps": chosen}
        told = "values"
        for _ in range(int(random.choice([1, 1, 2, 3]))):
            stored = changed_value(stored, random)
        content = json_bytes(stored, random)
        if random.random() < 0.2:
            content, told = bytes_mutators.mutated(content, random, TEXT_CHANGES)
        return Case(content, "made.coppice-recipe", {}, told)

    def run(self, case: Case, folder: Path) -> str:
        for step in load_recipe(written(case, folder), self._registry)[:_MOST_LEARNED]:
            _, data = step.filter.learn(self._data, RunContext(seed=1))
            check_table(data)
        return READ


class Costs:
    """Cost matrices as CSV and JSON."""

    name = "costs"
    _CLASSES: Final = ("a", "b", "c")

    def make(self, random: Generator) -> Case:
        rows = [[0 if i == j else float(random.integers(100)) / 4 for j in range(3)] for i in range(3)]
        how = int(random.integers(6))
        table = [["", *self._CLASSES], *([label, *row] for label, row in zip(self._CLASSES, rows, strict=True))]
        values: Any = rows
        if how == 1:
            values = {"classes": list(self._CLASSES), "costs": rows, "currency": "EUR", "amounts": "size"}
        elif how == 2:
            rows[0][1] = str(random.choice(["size", "-[size] / 3", 'if(kind = "a", 1, size)']))
            values = {a: dict(zip(self._CLASSES, row, strict=True)) for a, row in zip(self._CLASSES, rows, strict=True)}
        if how <= 2:
            content, told = json_bytes(changed_value(values, random), random), "values"
        elif how == 3:
            content, told = soup(random, (*NUMBERS, b"a", b"b", b"c", b",", b";", b"\n", b'"', b"[", b"{")), "soup"
        else:
            mark = str(random.choice([",", ";", "\t"]))
            listed: Sequence[Sequence[Any]] = table if how == 4 else rows
            content, told = "\n".join(mark.join(map(str, row)) for row in listed).encode(), "table"
        if how >= 3 or random.random() < 0.3:
            content, changes = bytes_mutators.mutated(content, random, TEXT_CHANGES)
            told = f"{told}, {changes}"
        return Case(content, str(random.choice(["costs.csv", "costs.json"])), {}, told)

    def run(self, case: Case, folder: Path) -> str:
        costs = read_costs(written(case, folder), self._CLASSES)
        if not costs.varies and not np.all(np.isfinite(costs.ordered(self._CLASSES))):
            raise BrokenRuleError("a cost that is no number")
        again = folder / "again.json"
        write_costs(again, costs)
        if read_costs(again, self._CLASSES) != costs:
            raise BrokenRuleError("costs that are others when they are read again")
        return READ
