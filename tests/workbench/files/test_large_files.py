"""Files too large for memory in the whole window: told before anything is read, and grown in pieces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QMessageBox, QPushButton, QSpinBox

from algorithms.catalogue import builtin
from algorithms.core.run_control import free_memory
from algorithms.data.whole_file import whole_file
from algorithms.evaluation.methods.methods import Holdout
from algorithms.io.text.large_files import too_large
from algorithms.io.text.options import ReadOptions
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.project.projects import load_project
from algorithms.structures.tree import Tree
from tests.algorithms.io.web.generated_logs import write_log
from tests.expected_texts import evaluation as evaluation_wording
from tests.expected_texts import files as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged, part
from workbench.app.main_window import MainWindow
from workbench.session.runs import RunState
from workbench.tabs.preprocess.attributes.attribute_pane import AttributePane
from workbench.tabs.preprocess.attributes.attributes_model import AttributesColumn, AttributesModel
from workbench.tabs.preprocess.reading import ImportOptionsBar
from workbench.tabs.preprocess.tab import PreprocessTab

LITTLE = 1000
"""Bytes of memory in which no table fits."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(6000, 3)).round(4)
    frame = pd.DataFrame(x, columns=["width", "height", "depth"])
    frame["class"] = np.where(x[:, 0] + (x[:, 1] > 0) > 0.3, "fits", "too wide")
    frame.to_csv(tmp_path / "boxes.csv", index=False)
    return tmp_path / "boxes.csv"


def asked(window: MainWindow, wait_until: Wait) -> QMessageBox:
    wait_until(lambda: window.findChild(QMessageBox, "question_box") is not None)
    box = window.findChild(QMessageBox, "question_box")
    assert box is not None
    wait_until(box.isVisible)
    return box


def answer(box: QMessageBox, name: str) -> None:
    button = box.findChild(QPushButton, name)
    assert button is not None
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_a_file_too_large_is_offered_to_be_grown_in_pieces(window: MainWindow, wait_until: Wait, path: Path) -> None:
    window.files.free_memory = lambda: LITTLE
    window.open_file(str(path))
    box = asked(window, wait_until)
    assert wording.BOXES_TOO_LARGE in box.text()
    assert wording.BOXES_HAS_1_MB in box.informativeText()
    assert window.session.data is None
    answer(box, "question_box.pieces")
    wait_until(lambda: window.session.current_run is not None, 120.0)
    session, run = window.session, window.session.current_run
    assert run is not None
    assert run.state is RunState.DONE
    assert session.data is not None
    assert session.data.origin.name == wording.BOXES_SAMPLE
    assert session.data.schema.names == ("width", "height", "depth", "class")
    assert run.result is not None
    assert run.report is not None
    assert run.report.accuracy > 0.9
    assert set(run.result.row_ids.tolist()) <= set(session.data.row_ids.tolist())
    assert any(evaluation_wording.READ_IN_PIECES in remark for remark in run.result.remarks())
    assert run.trained is not None
    assert isinstance(run.trained.structure(), Tree)
    assert run.trained.structure().counts[0].sum() == 6000
    for tab in ("evaluate", "visualize", "preprocess", "classify"):
        session.ask_for_tab(tab)
        QTest.qWait(50)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_sample_is_opened_with_the_statistics_of_the_whole_file(
    window: MainWindow, stage: Stage, wait_until: Wait, path: Path, suffix: str
) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
        pd.read_csv(path).to_parquet(path.with_suffix(".parquet"))
        path = path.with_suffix(".parquet")
    window.files.free_memory = lambda: LITTLE
    window.open_file(str(path))
    box = asked(window, wait_until)
    assert wording.SAMPLE_FITS in box.informativeText()
    assert (box.findChild(QPushButton, "question_box.pieces") is None) is (suffix == ".parquet")
    records = part(box, QSpinBox, "question_box.records")
    assert records.value() == 1000
    answer(box, "question_box.sample")
    wait_until(lambda: window.session.data is not None)
    session = window.session
    data = session.data
    assert data is not None and len(data) == 1000 and wording.SAMPLE_OF_BOXES in data.origin.description
    whole = whole_file(data)
    assert whole is not None and whole.n_records == 6000 and set(whole.columns) == set(data.schema.names)
    session.ask_for_tab("preprocess")
    pane = window.findChildren(AttributePane)[0]
    pane.show_attributes(data, [0], 0)
    words = part(pane, QLabel, "preprocess.statistics.of")
    wait_until(lambda: wording.FIGURES_OF_ALL in words.text())
    model = window.findChildren(AttributesModel)[0]
    wait_until(lambda: model.text(0, AttributesColumn.DISTINCT) not in ("", "…"))
    assert model.text(0, AttributesColumn.DISTINCT) == f"{whole.columns['width'].n_distinct:,}"
    assert wording.OF_THE_FILE in (model.tip(0, AttributesColumn.MISSING) or "")
    run = judged(session, wait_until, Cart(max_depth=2), Holdout())
    assert run.result is not None and any(wording.LEARNED_FROM_A_SAMPLE in each for each in run.result.remarks())

    project = path.with_suffix(".coppice")
    session.saving.save_project(project)
    wait_until(project.exists)
    kept = load_project(project, builtin())
    again = kept.steps[kept.index].document.data.origin.whole
    assert again is not None and again.to_json() == whole.to_json()
    assert kept.source.options is not None and kept.source.options.sample == 1000


def test_a_sample_is_read_again_as_one_when_its_reading_is_corrected(
    stage: Stage, wait_until: Wait, path: Path
) -> None:
    session = stage.session()
    session.settings.set("readings", [])
    tab = stage.show(PreprocessTab(session), 1280, 800)
    session.open_file(str(path), ReadOptions(sample=500))
    wait_until(lambda: session.data is not None)
    assert session.settings.readings_of(str(path)) == ()
    before = session.data
    bar = tab.findChildren(ImportOptionsBar)[0]
    bar._open_again(ReadOptions(missing=("", "9")))
    wait_until(lambda: session.data is not before)
    assert session.data is not None and len(session.data) == 500
    (kept,) = session.settings.readings_of(str(path))
    assert kept.options.sample is None and kept.options.missing == ("", "9")


def test_a_large_web_log_opens_without_a_question(window: MainWindow, wait_until: Wait, tmp_path: Path) -> None:
    """Its sessions are few, and only delimited text can be grown in pieces."""
    window.files.free_memory = lambda: LITTLE
    log = tmp_path / "access.txt"
    write_log(log, 2000, seed=1, sessions_an_hour=60)
    window.open_file(str(log))
    wait_until(lambda: window.session.data is not None)
    assert window.session.data is not None and "breadth" in window.session.data.schema
    assert window.findChild(QMessageBox, "question_box") is None


def test_the_column_to_predict_and_the_learner_are_chosen(window: MainWindow, wait_until: Wait, path: Path) -> None:
    frame = pd.read_csv(path)
    frame["class"] = np.where(frame["class"] == "fits", 1, 2)
    frame["size"] = np.where(frame["width"] > 0.2, "large", "small")
    frame["seen"] = np.where(np.arange(len(frame)) % 2, "yes", "no")
    frame.to_csv(path, index=False)
    window.files.free_memory = lambda: LITTLE
    window.open_file(str(path))
    box = asked(window, wait_until)
    column, learner = box.findChild(QComboBox, "question_box.class"), box.findChild(QComboBox, "question_box.learner")
    assert column is not None
    assert learner is not None
    assert [column.itemText(at) for at in range(1, column.count())] == list(frame.columns)
    assert learner.currentText() == C45.name
    column.setFocus()
    QTest.keyClicks(column, "size")
    learner.setFocus()
    QTest.keyClick(learner, Qt.Key.Key_Down)
    assert (column.currentText(), learner.currentText()) == ("size", "CART")
    answer(box, "question_box.pieces")
    wait_until(lambda: window.session.current_run is not None, 120.0)
    run = window.session.current_run
    assert run is not None
    assert run.result is not None
    assert run.report is not None
    assert run.learner.id == "cart"
    assert run.result.classes == ("large", "small")
    assert run.report.accuracy > 0.95


def test_it_can_be_opened_all_the_same_or_left(window: MainWindow, wait_until: Wait, path: Path) -> None:
    window.files.free_memory = lambda: LITTLE
    window.open_file(str(path))
    answer(asked(window, wait_until), "question_box.stay")
    wait_until(lambda: window.findChild(QMessageBox, "question_box") is None)
    assert window.session.data is None
    assert not window.files.is_opening
    window.open_file(str(path))
    answer(asked(window, wait_until), "question_box.whole")
    wait_until(lambda: window.session.data is not None)
    assert len(window.session.data or ()) == 6000


def test_a_file_that_cannot_be_grown_from_says_why(window: MainWindow, wait_until: Wait, tmp_path: Path) -> None:
    numbers = tmp_path / "numbers.csv"
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(size=(500, 2)).round(3), columns=["a", "b"]).to_csv(numbers, index=False)
    window.files.free_memory = lambda: LITTLE
    window.open_file(str(numbers))
    answer(asked(window, wait_until), "question_box.pieces")
    wait_until(lambda: not window.files.is_opening)
    assert window.session.data is None
    assert any(wording.NO_COLUMN_FOR_CLASS in message.text for message in window.session.messages.open)


def test_small_files_and_what_is_no_text_are_opened_without_a_question(path: Path, tmp_path: Path) -> None:
    assert too_large(str(path), 10**9) is None
    assert too_large(str(path), None) is None
    assert too_large(str(tmp_path / "absent.csv"), 1) is None
    book = tmp_path / "book.xlsx"
    book.write_bytes(b"x" * 5000)
    assert too_large(str(book), 1000) is None
    found = too_large(str(path), 200_000)
    assert found is not None
    assert wording.MB_OF_MEMORY in found.sentence("boxes.csv") or "memory" in found.sentence("boxes.csv")
    free = free_memory()
    assert free is None or free > 1_000_000


def test_what_grows_from_a_file_is_finished_early_with_a_usable_tree(
    window: MainWindow, wait_until: Wait, tmp_path: Path
) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(120_000, 8)).round(3)
    frame = pd.DataFrame(x, columns=[f"x{i}" for i in range(8)])
    frame["class"] = np.where(x[:, 0] + x[:, 1] * x[:, 2] > 0.3, "yes", "no")
    frame.to_csv(tmp_path / "many.csv", index=False)
    window.files.free_memory = lambda: LITTLE
    window.open_file(str(tmp_path / "many.csv"))
    answer(asked(window, wait_until), "question_box.pieces")
    jobs = window.session.jobs
    wait_until(lambda: any(job.title.startswith(wording.GROW_A_TREE) for job in jobs.running), 60.0)
    job = next(job for job in jobs.running if job.title.startswith(wording.GROW_A_TREE))
    wait_until(lambda: job.progress > 0.0, 60.0)
    job.finish()
    wait_until(lambda: window.session.current_run is not None, 120.0)
    run = window.session.current_run
    assert run is not None and run.trained is not None and run.report is not None
    assert run.state is RunState.PARTIAL
    assert run.report.accuracy > 0.6
    structure = run.trained.structure()
    assert isinstance(structure, Tree) and structure.n_leaves > 1
