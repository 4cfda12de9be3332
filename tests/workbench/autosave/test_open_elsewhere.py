"""One project in two windows: both are told, and no saving drops what the other saved without a question."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QMessageBox, QPushButton

from algorithms.catalogue import builtin
from algorithms.core.files import Stamp
from algorithms.project.changes import changes_of
from algorithms.project.journal import Journal
from algorithms.project.projects import load_project
from tests.expected_texts import autosave as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, click, part
from workbench.app.main_window import MainWindow
from workbench.app.start import keep
from workbench.autosave.session_serialization import kept_project

TABLE = "size,kind\n1,a\n2,b\n3,a\n4,b\n"
OPEN_ELSEWHERE = "is also open in another window"


@pytest.fixture
def project(stage: Stage, tmp_path: Path, wait_until: Wait) -> Path:
    """The file of a project that no window has open."""
    (tmp_path / "shop.csv").write_text(TABLE, "utf-8")
    session, path = stage.session(), tmp_path / "work.coppice"
    session.open_file(tmp_path / "shop.csv")
    wait_until(lambda: session.summary is not None)
    job = session.saving.save_project(path)
    wait_until(lambda: not job.is_running)
    return path


@pytest.fixture
def opened(stage: Stage, project: Path, wait_until: Wait, tmp_path: Path) -> Callable[[], MainWindow]:
    def open_it() -> MainWindow:
        window = stage.window()
        keep(window, tmp_path / "state" / "kept")
        window.open_file(str(project))
        wait_until(lambda: window.session.summary is not None)
        return window

    return open_it


def edit(window: MainWindow, size: float) -> None:
    data = window.session.data
    assert data is not None
    window.session.edit("Change a cell", data.with_cells(0, [0], [size]))


def save(window: MainWindow, wait_until: Wait) -> None:
    window.files.save_project()
    wait_until(lambda: not [job for job in window.session.jobs.running if job.title.startswith("Save")])


def first_size(path: Path) -> float:
    kept = load_project(path, builtin())
    return float(kept.steps[kept.index].document.data.column(0)[0])


def warnings(window: MainWindow) -> list[str]:
    return [message.text for message in window.session.messages.history if OPEN_ELSEWHERE in message.text]


def test_whoever_opens_a_project_that_is_open_is_told(opened: Callable[[], MainWindow], wait_until: Wait) -> None:
    first = opened()
    assert not warnings(first)
    second = opened()
    assert len(warnings(second)) == 1
    first.session.close()
    third = opened()
    assert not warnings(third), "the first has let go of it"
    third.session.open_sample("iris")
    wait_until(lambda: third.session.saving.path is None)
    assert not warnings(opened()), "the third has another table in view"


def test_saving_over_what_another_window_saved_asks(
    opened: Callable[[], MainWindow], project: Path, wait_until: Wait
) -> None:
    first, second = opened(), opened()
    edit(first, 10.0)
    edit(second, 20.0)
    save(first, wait_until)
    assert first_size(project) == 10.0
    save(second, wait_until)
    box = part(second, QMessageBox, "question_box")
    assert wording.CHANGED_SINCE_OPENED in box.text()
    assert first_size(project) == 10.0 and second.session.saving.is_unsaved
    box.reject()
    assert first_size(project) == 10.0

    save(second, wait_until)
    wait_until(lambda: second.findChild(QPushButton, "question_box.overwrite") is not None)
    click(part(second, QPushButton, "question_box.overwrite"))
    wait_until(lambda: not second.session.saving.is_unsaved)
    assert first_size(project) == 20.0
    edit(second, 21.0)
    save(second, wait_until)
    assert first_size(project) == 21.0, "what it saved itself is no change of others"


def test_a_copy_keeps_both(opened: Callable[[], MainWindow], project: Path, wait_until: Wait) -> None:
    first, second = opened(), opened()
    edit(first, 10.0)
    edit(second, 20.0)
    save(first, wait_until)
    save(second, wait_until)
    click(part(second, QPushButton, "question_box.copy"))
    dialog = part(second, QFileDialog, "file_dialog")
    assert Path(dialog.selectedFiles()[0]).name == "work (copy).coppice"
    copy = project.with_name("work (copy).coppice")
    dialog.fileSelected.emit(str(copy))
    dialog.reject()
    wait_until(lambda: second.session.saving.path == str(copy))
    assert (first_size(project), first_size(copy)) == (10.0, 20.0)


def test_two_savings_one_after_the_other_do_not_ask(
    opened: Callable[[], MainWindow], project: Path, wait_until: Wait
) -> None:
    window = opened()
    edit(window, 10.0)
    window.files.save_project()
    edit(window, 11.0)
    save(window, wait_until)
    assert first_size(project) == 11.0 and window.findChild(QMessageBox, "question_box") is None


def test_a_project_that_was_removed_is_saved_again(
    opened: Callable[[], MainWindow], project: Path, wait_until: Wait
) -> None:
    window = opened()
    edit(window, 10.0)
    project.unlink()
    save(window, wait_until)
    assert first_size(project) == 10.0


def test_what_comes_back_after_a_crash_still_knows_which_file_it_was(
    opened: Callable[[], MainWindow], project: Path, tmp_path: Path
) -> None:
    window = opened()
    journal = Journal.begin(tmp_path / "x.coppice-journal", changes_of(kept_project(window.session)))
    journal.close()
    again, journal = Journal.resume(tmp_path / "x.coppice-journal", builtin())
    journal.close()
    assert again.stamp == Stamp.of(project) is not None
    os.utime(project, (0, 0))
    assert again.stamp != Stamp.of(project)
