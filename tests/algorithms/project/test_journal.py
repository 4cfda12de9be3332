"""The journal: what was appended is there again, wherever the program was killed."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.errors import Cancelled, ModelFileError
from algorithms.core.files import Lock
from algorithms.core.registry import Registry
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, Schema, nominal
from algorithms.project.changes import (
    DocumentChanged,
    Project,
    ProjectChange,
    RunNoteChanged,
    WindowPlaceChanged,
    changes_of,
)
from algorithms.project.journal import Journal
from algorithms.project.run_record import DocumentStep
from tests.algorithms.project.made_projects import assert_same, project, step, table
from tests.expected_texts import project as wording


@pytest.fixture(scope="module")
def registry() -> Registry:
    return builtin()


@pytest.fixture(scope="module")
def made() -> Project:
    return project()


def edited(history: list[DocumentStep], row: int) -> DocumentChanged:
    """One more edit of the last step, which is added to the history."""
    history.append(step(f"Change {row}", history[-1].document.data.with_cells(0, [row], [float(row)])))
    return DocumentChanged(len(history) - 1, (history[-1],), len(history) - 1)


def test_what_was_appended_comes_back(tmp_path: Path, made: Project, registry: Registry) -> None:
    first, *others = changes_of(made)
    journal = Journal.begin(tmp_path / "a.coppice-journal", [first])
    for change in others:
        journal.append([change])
    journal.close()
    found, again = Journal.resume(journal.path, registry)
    again.close()
    assert_same(found, made)
    assert [path.name for path in tmp_path.iterdir()] == ["a.coppice-journal"]


@pytest.mark.skipif(os.name != "posix", reason="the owner's rights are set otherwise there")
def test_a_journal_is_for_its_owner_alone_also_one_of_an_older_version(
    tmp_path: Path, made: Project, registry: Registry
) -> None:
    path = tmp_path / "a.coppice-journal"
    Journal.begin(path, changes_of(made)).close()
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    Journal.resume(path, registry)[1].close()
    assert path.stat().st_mode & 0o777 == 0o600


def test_it_goes_on_where_it_ended_and_stores_nothing_twice(tmp_path: Path, registry: Registry) -> None:
    history = [step("", table(5000))]
    journal = Journal.begin(tmp_path / "a.coppice-journal", changes_of(Project(steps=list(history))))
    journal.close()
    size = journal.size
    for row in range(4):
        found, journal = Journal.resume(journal.path, registry)
        history = found.steps
        journal.append([edited(history, row)])
        journal.close()
    assert journal.size - size < 4 * 3000
    found, journal = Journal.resume(journal.path, registry)
    journal.close()
    assert [step.text for step in found.steps] == ["", *(f"Change {row}" for row in range(4))]
    np.testing.assert_array_equal(found.steps[-1].document.data.column(0)[:4], [0, 1, 2, 3])


def test_an_undone_branch_is_replaced(tmp_path: Path, registry: Registry) -> None:
    history = [step("", table())]
    journal = Journal.begin(tmp_path / "a.coppice-journal", changes_of(Project(steps=list(history))))
    journal.append([edited(history, 1), edited(history, 2), DocumentChanged(3, (), 1)])
    other = step("Another", history[1].document.data.with_class(None))
    journal.append([DocumentChanged(2, (other,), 2)])
    journal.close()
    found, journal = Journal.resume(journal.path, registry)
    journal.close()
    assert [step.text for step in found.steps] == ["", "Change 1", "Another"] and found.index == 2


def test_cut_off_anywhere_it_keeps_every_change_that_was_whole(tmp_path: Path, registry: Registry) -> None:
    history = [step("", table())]
    journal = Journal.begin(tmp_path / "a.coppice-journal", changes_of(Project(steps=list(history))))
    ends = [journal.size]
    for row in range(6):
        journal.append([edited(history, row)])
        ends.append(journal.size)
    journal.close()
    whole = journal.path.read_bytes()
    for size in np.linspace(ends[0], ends[-1], 40).astype(int):
        path = tmp_path / "cut.coppice-journal"
        path.write_bytes(whole[:size])
        found, again = Journal.resume(path, registry)
        n_whole = sum(end <= size for end in ends[1:])
        assert len(found.steps) == 1 + n_whole
        again.append([edited(found.steps, 50)])  # it can be gone on with
        again.close()
        found, again = Journal.resume(path, registry)
        again.close()
        assert len(found.steps) == 2 + n_whole


def test_a_tail_of_zeros_or_of_noise_is_cut_off(tmp_path: Path, registry: Registry) -> None:
    history = [step("", table())]
    journal = Journal.begin(tmp_path / "a.coppice-journal", changes_of(Project(steps=list(history))))
    journal.append([edited(history, 1)])
    journal.close()
    whole = journal.path.read_bytes()
    for tail in (b"\0" * 4096, b"J" + b"\xff" * 300, os.urandom(500)):
        journal.path.write_bytes(whole + tail)
        found, again = Journal.resume(journal.path, registry)
        again.close()
        assert len(found.steps) == 2 and journal.path.read_bytes() == whole


@pytest.mark.parametrize("attribute", [nominal("\ud800", ["a", "b"]), nominal("size", ["a", "\ud800"])])
def test_a_column_that_no_file_can_hold_is_refused(tmp_path: Path, registry: Registry, attribute: Attribute) -> None:
    data = Dataset(Schema((attribute, nominal("class", ["x", "y"])), 1), [np.array([0, 1]), np.array([0, 1])])
    journal = Journal.begin(tmp_path / "a.coppice-journal", changes_of(Project(steps=[step("", data)])))
    journal.close()
    with pytest.raises(ModelFileError, match=wording.MAKES_NO_SENSE):
        Journal.resume(journal.path, registry)


def test_another_file_or_a_later_version_is_left_as_it_is(tmp_path: Path, registry: Registry) -> None:
    for content in (b"", b"a,b\n1,2\n", b"coppice-journal 7\n", b"coppice-journal x\n", b"coppice-journal 3\n"):
        path = tmp_path / "other.coppice-journal"
        path.write_bytes(content)
        with pytest.raises(ModelFileError):
            Journal.resume(path, registry)
        assert path.read_bytes() == content


def test_a_journal_of_the_version_before_is_gone_on_with_as_one_of_this(tmp_path: Path, registry: Registry) -> None:
    journal = Journal.begin(tmp_path / "a.coppice-journal", changes_of(Project(steps=[step("", table())])))
    journal.close()
    whole = journal.path.read_bytes()
    assert whole.startswith(b"coppice-journal 7\n")
    journal.path.write_bytes(whole.replace(b" 7", b" 1", 1))
    found, again = Journal.resume(journal.path, registry)
    again.append([WindowPlaceChanged({"tab": "Classify"})])
    again.close()
    assert len(found.steps) == 1 and journal.path.read_bytes().startswith(whole)
    found, again = Journal.resume(journal.path, registry)
    again.close()
    assert found.place == {"tab": "Classify"}


def test_an_older_journal_is_read_though_the_disk_is_too_full_to_write_it_anew(
    tmp_path: Path, made: Project, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a crash left could not be recovered then, which no earlier version refused."""
    path = tmp_path / "a.coppice-journal"
    Journal.begin(path, changes_of(made.with_rules_in_runs())).close()
    assert made.with_rules_in_runs().with_rules_in_steps().steps[0].document.rules
    before = path.read_bytes()

    def full(*_places: object, **_options: object) -> NoReturn:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as disk:
        disk.setattr("algorithms.project.journal.replacing", full)
        found, journal = Journal.resume(path, registry)
    assert found.steps[0].document.rules and path.read_bytes() == before
    with pytest.raises(ModelFileError):
        journal.append([RunNoteChanged(1, "x")])
    Journal.begin(path, changes_of(found)).close()
    again, journal = Journal.resume(path, registry)
    journal.close()
    assert again.steps[0].document.rules == found.steps[0].document.rules


def test_a_journal_that_cannot_be_written_says_so_and_takes_nothing_more(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=wording.CANNOT_BE_KEPT):
        Journal.begin(tmp_path / "absent" / "a.coppice-journal", [])
    journal = Journal.begin(tmp_path / "a.coppice-journal", changes_of(Project(steps=[step("", table())])))
    journal._file.close()
    journal._file = FileIO(os.devnull, "r")  # a disk that takes nothing
    for _ in range(2):
        with pytest.raises(ModelFileError):
            journal.append([RunNoteChanged(1, "x")])
    journal.close()


def test_a_change_that_cannot_be_written_spoils_nothing_that_was(tmp_path: Path, registry: Registry) -> None:
    unwritable = WindowPlaceChanged({"zoom": float("nan")})
    history = [step("", table(50))]
    journal = Journal.begin(tmp_path / "a.coppice-journal", changes_of(Project(steps=list(history))))
    journal.append([edited(history, 3)])
    with pytest.raises(ValueError, match="JSON"):
        journal.append([unwritable])
    assert not journal.is_whole
    with pytest.raises(ModelFileError):
        journal.append([edited(history, 4)])
    journal.close()
    with pytest.raises(ValueError, match="JSON"):
        Journal.begin(journal.path, [*changes_of(Project(steps=list(history))), unwritable])
    assert [path.name for path in tmp_path.iterdir()] == ["a.coppice-journal"]
    found, again = Journal.resume(journal.path, registry)
    again.close()
    assert [step.text for step in found.steps] == ["", "Change 3"]


def test_a_new_journal_takes_the_place_of_the_old_one_at_once(tmp_path: Path, registry: Registry) -> None:
    path = tmp_path / "a.coppice-journal"
    history = [step("", table())]
    old = Journal.begin(path, changes_of(Project(steps=list(history))))
    for row in range(20):
        old.append([edited(history, row)])
    old.close()
    new = Journal.begin(path, changes_of(Project(steps=history[:2], index=1)))
    assert new.size < old.size and new.path == path
    new.append([DocumentChanged(2, (), 0)])
    new.close()
    found, again = Journal.resume(path, registry)
    again.discard()
    assert len(found.steps) == 2 and found.index == 0 and not path.exists()


def test_a_journal_whose_beginning_is_stopped_leaves_nothing_and_the_old_one_as_it_was(
    tmp_path: Path, made: Project
) -> None:
    path = tmp_path / "a.coppice-journal"
    Journal.begin(path, changes_of(made)).close()
    before = path.read_bytes()

    def stopped() -> Iterator[ProjectChange]:
        yield next(iter(changes_of(made)))
        raise Cancelled

    with pytest.raises(Cancelled):
        Journal.begin(path, stopped())
    assert [left.name for left in tmp_path.iterdir()] == [path.name] and path.read_bytes() == before


def test_a_lock_is_held_by_one_and_gone_with_a_killed_process(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    code = (
        "import sys, pathlib; from algorithms.core.files import Lock\n"
        "lock = Lock(pathlib.Path(sys.argv[1])); print(lock.acquire(), flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline().strip() == "True"
    lock = Lock(path)
    assert not lock.acquire()
    holder.kill()
    holder.communicate()
    assert lock.acquire() and not Lock(path).acquire()
    lock.release()
    assert not path.exists()
