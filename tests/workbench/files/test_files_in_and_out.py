"""Workbooks, pasted tables and saved predictions, with mouse and keys in the whole window."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
import xlsxwriter
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QAction, QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QMenu,
    QMessageBox,
    QPushButton,
)

from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.schema import AttributeKind
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.io.reading import read, sheets
from algorithms.learners.neighbors.k_nearest import KNearestNeighbors
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import cli as cli_wording
from tests.expected_texts import files as wording
from tests.expected_texts import tabs_preprocess as tabs_preprocess_wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import TABLE_KINDS, Wait, click, part, type_path
from workbench.app.main_window import MainWindow
from workbench.files.opening_and_saving import in_file_name
from workbench.jobs.jobs import JobState
from workbench.warnings.warning_drawer import WarningCard

TABLE = "size\tkind\n1,5\ta\n2,5\tb\n3,5\ta\n4,5\tb\n"


def choose(menu: QMenu, action: QAction) -> None:
    """Click an entry of a menu that is open."""
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())


def names(window: MainWindow) -> tuple[str, ...]:
    return () if window.session.data is None else window.session.data.schema.names


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A workbook of two tables."""
    path = tmp_path / "shop.xlsx"
    with xlsxwriter.Workbook(path) as made:
        for name, column in (("Sales", "price"), ("Stock & more", "count")):
            sheet = made.add_worksheet(name)
            sheet.write_row(0, 0, [column, "kind"])
            for i in range(40):
                sheet.write_row(i + 1, 0, [i * 1.5, "ab"[i % 2]])
    return path


def copy(text: str) -> None:
    QGuiApplication.clipboard().setText(text)


@pytest.mark.parametrize(
    ("answer", "n_tables", "n_records"), [("keep_both", 2, 4), ("append", 1, 8), ("replace", 1, 4)]
)
def test_a_table_that_a_database_has_is_kept_extended_or_replaced_as_is_answered(
    window: MainWindow, wait_until: Wait, tmp_path: Path, answer: str, n_tables: int, n_records: int
) -> None:
    (tmp_path / "rows.csv").write_text(TABLE, encoding="utf-8")
    window.open_file(str(tmp_path / "rows.csv"))
    wait_until(lambda: window.session.summary is not None)
    path = tmp_path / "shop.sqlite"
    job = window.session.saving.save_data(path)
    wait_until(lambda: job.state is JobState.DONE)
    window.files.choose_where_to_save_data()
    dialog = part(window, QFileDialog, "file_dialog")
    dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)
    type_path(dialog, path, wait_until)
    wait_until(lambda: window.findChild(QPushButton, f"question_box.{answer}") is not None)
    click(part(window, QPushButton, f"question_box.{answer}"))
    wait_until(lambda: not window.session.jobs.running and len(read(path, RunContext())) == n_records)
    assert len(sheets(path)) == n_tables


def test_a_copied_table_is_pasted_with_the_keys_and_not_lost_at_the_end(window: MainWindow, wait_until: Wait) -> None:
    copy(TABLE)
    QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    wait_until(lambda: names(window) == ("size", "kind"))
    assert part(window, QLabel, "document").text().startswith("pasted table")
    window.close()
    box = part(window, QMessageBox, "question_box")
    assert window.isVisible() and "not saved" in box.text()
    click(part(box, QPushButton, "question_box.stay"))


def test_a_pasted_table_is_read_again_as_a_person_corrects_it(window: MainWindow, wait_until: Wait) -> None:
    copy(TABLE)
    click(part(window, QPushButton, "welcome.paste"))
    wait_until(lambda: names(window) == ("size", "kind"))
    words = part(window, QLabel, "preprocess.read_as")
    wait_until(lambda: "tabs" in words.text())
    click(part(window, QPushButton, "preprocess.read_as.change"))
    QTest.keyClick(part(window, QCheckBox, "preprocess.header"), Qt.Key.Key_Space)
    click(part(window, QPushButton, "preprocess.read_again"))
    wait_until(lambda: window.session.data is not None and len(window.session.data) == 5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, wording.NO_TABLE_IN_CLIPBOARD),
        ("", wording.NO_TABLE_IN_CLIPBOARD),
        ("A sentence.", wording.ONE_LINE_ONLY),
        ("a\nb\nc", "one column"),
    ],
)
def test_without_a_table_in_the_clipboard_it_is_said_so(
    window: MainWindow, wait_until: Wait, text: str | None, said: str
) -> None:
    if text is None:
        QGuiApplication.clipboard().clear()
    else:
        copy(text)
    click(part(window, QPushButton, "welcome.paste"))
    wait_until(lambda: any(said in message.text for message in window.session.messages.history))
    assert window.session.data is None


def test_where_looking_at_a_file_is_stopped_no_empty_line_about_it_stays(window: MainWindow, wait_until: Wait) -> None:
    jobs = window.session.jobs
    jobs.started.connect(lambda job: job.title == wording.LOOK_AT_FILE and QTimer.singleShot(0, job, job.stop))
    stopped: list[str] = []
    jobs.started.connect(lambda job: job.stopped.connect(lambda: stopped.append(job.title)))
    copy(TABLE)
    click(part(window, QPushButton, "welcome.paste"))
    wait_until(lambda: wording.LOOK_AT_FILE in stopped)
    assert not part(window, QLabel, "preprocess.read_as").isVisible()


def test_pasting_over_edits_asks_first(window: MainWindow, wait_until: Wait) -> None:
    window.open_sample("iris")
    wait_until(lambda: window.session.summary is not None)
    window.session.set_class(None)
    copy(TABLE)
    window.actions_.named["paste"].trigger()
    box = next(found for found in window.findChildren(QMessageBox, "question_box") if found.isVisible())
    assert len(names(window)) == 5
    click(part(box, QPushButton, "question_box.go_on"))
    wait_until(lambda: names(window) == ("size", "kind"))


def test_a_copied_file_is_opened(window: MainWindow, wait_until: Wait, book: Path) -> None:
    copied = QMimeData()
    copied.setUrls([QUrl.fromLocalFile(str(book))])
    QGuiApplication.clipboard().setMimeData(copied)
    click(part(window, QPushButton, "welcome.paste"))
    wait_until(lambda: names(window) == ("price", "kind"))


@pytest.mark.parametrize(("answer", "columns"), [("stack", ()), ("stack_named", ("file",))])
def test_dropped_files_are_one_table_if_a_person_wants_so(
    window: MainWindow, wait_until: Wait, tmp_path: Path, answer: str, columns: tuple[str, ...]
) -> None:
    (tmp_path / "may.csv").write_text("size,kind\n1.5,a\n2.5,b\n3.5,a\n", "utf-8")
    (tmp_path / "june.csv").write_text("kind,size,shop\na,4.5,x\nb,5.5,y\n", "utf-8")
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile(str(tmp_path / name)) for name in ("may.csv", "june.csv")])
    place, buttons, keys = QPointF(300, 300), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(place, Qt.DropAction.CopyAction, dropped, buttons, keys))
    box = next(box for box in window.findChildren(QMessageBox, "question_box") if box.isVisible())
    assert box.text() == wording.TWO_FILES_AS_ONE
    click(part(box, QPushButton, f"question_box.{answer}"))
    wait_until(lambda: names(window) == ("size", "kind", "shop", *columns))
    assert window.session.data is not None and len(window.session.data) == 5
    assert window.session.saving.is_unsaved
    assert any(message.sentence == wording.MAY_LACKS_SHOP for message in window.session.messages.history)


def test_another_sheet_of_a_dropped_workbook_is_chosen_with_the_keys(
    window: MainWindow, wait_until: Wait, book: Path
) -> None:
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile(str(book))])
    place, buttons, keys = QPointF(300, 300), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(place, Qt.DropAction.CopyAction, dropped, buttons, keys))
    wait_until(lambda: names(window) == ("price", "kind"))
    words = part(window, QLabel, "preprocess.read_as")
    wait_until(lambda: "sheet Sales" in words.text())
    click(part(window, QPushButton, "preprocess.read_as.change"))
    sheet = part(window, QComboBox, "preprocess.sheet")
    assert sheet.isVisible() and sheet.hasFocus()
    assert not part(window, QComboBox, "preprocess.delimiter").isVisible()
    QTest.keyClick(sheet, Qt.Key.Key_Down)
    name = "Stock & more"
    assert sheet.currentData() == name
    click(part(window, QPushButton, "preprocess.read_again"))
    wait_until(lambda: names(window) == ("count", "kind"))
    wait_until(lambda: wording.SHEET_STOCK in words.text())
    click(part(window, QPushButton, "preprocess.read_as.change"))
    QTest.keyClick(part(window, QCheckBox, "preprocess.header"), Qt.Key.Key_Space)
    click(part(window, QPushButton, "preprocess.read_again"))
    wait_until(lambda: window.session.data is not None and len(window.session.data) == 41)
    wait_until(lambda: tabs_preprocess_wording.NO_ROW_OF_NAMES in words.text() and "Stock" in words.text())


def test_recent_files_are_in_the_menu(window: MainWindow, wait_until: Wait, book: Path) -> None:
    window.open_file(str(book))
    wait_until(lambda: names(window) == ("price", "kind"))
    window.open_sample("iris")
    wait_until(lambda: len(names(window)) == 5)
    window.actions_.refresh()
    recent = part(window, QMenu, "menu.recent")
    assert [action.text() for action in recent.actions()] == ["shop.xlsx"]
    recent.popup(window.mapToGlobal(QPoint(50, 50)))
    wait_until(recent.isVisible)
    choose(recent, recent.actions()[0])
    wait_until(lambda: names(window) == ("price", "kind"))


@pytest.mark.parametrize("name", ["found.csv", "found.xlsx"])
def test_the_predictions_of_the_run_in_view_are_saved(
    window: MainWindow, wait_until: Wait, tmp_path: Path, name: str
) -> None:
    window.open_sample("iris")
    wait_until(lambda: window.session.summary is not None)
    window.show_tab(1)
    window.session.start_run(ZeroR(), CrossValidation(folds=5))
    wait_until(lambda: not window.session.runs[0].is_running)
    save = part(window, QPushButton, "classify.save")
    wait_until(save.isVisible)
    menu = part(window, QMenu, "classify.save.menu")
    menu.popup(save.mapToGlobal(save.rect().bottomLeft()))
    wait_until(menu.isVisible)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return):
        QTest.keyClick(menu, key)
    dialog = part(window, QFileDialog, "file_dialog")
    wait_until(dialog.isVisible)
    offered = part(dialog, QLineEdit, "fileNameEdit").text()
    assert offered.endswith("-predictions.csv")
    assert dialog.nameFilters() == TABLE_KINDS
    path = tmp_path / name
    type_path(dialog, path, wait_until)
    wait_until(
        lambda: any(wording.SAVED_150_PREDICTIONS in message.text for message in window.session.messages.history)
    )
    found = read(path, RunContext())
    assert len(found) == 150
    assert found.schema.names[0] == "record" and found.schema.names[-3:] == (
        "probability virginica",
        "correct",
        "fold",
    )
    if path.suffix == ".csv":
        with path.open(encoding="utf-8") as file:
            assert next(csv.reader(file))[0] == "record"


def test_amounts_that_were_read_as_numbers_are_named_whole_in_a_small_window(
    stage: Stage, wait_until: Wait, tmp_path: Path
) -> None:
    """The sentences have lines of their own below how the file was read, from the first sight of the table on."""
    remark = ("-", "k.A.", "ok")
    rows = [
        f"€ {i}.{100 + i},50;{'-' if i % 9 == 0 else f'€ {i + 1}.234,00'};{i % 7},5 %;{remark[i % 3]};{'xy'[i % 2]}"
        for i in range(1, 90)
    ]
    path = tmp_path / "loans.csv"
    path.write_text("\n".join(["amount;monthly income;rate;remark;class", *rows]) + "\n", "utf-8")
    window = stage.window(1280, 720)
    window.open_file(str(path))
    wait_until(lambda: window.session.data is not None and names(window)[0] == "amount")
    remarks, read_as = (part(window, QLabel, f"preprocess.{name}") for name in ("read_as.remarks", "read_as"))
    wait_until(lambda: "semicolons" in read_as.accessibleName() and remarks.isVisible())
    for sentence in (
        wording.AMOUNT_AND_INCOME_READ_AS_NUMBERS,
        cli_wording.RATE_READ_AS_NUMBERS,
        wording.DASH_IN_INCOME_AND_REMARK,
    ):
        assert sentence in remarks.text() and sentence in read_as.accessibleName()
    assert remarks.wordWrap() and remarks.height() >= remarks.heightForWidth(remarks.width())
    assert read_as.width() >= read_as.fontMetrics().horizontalAdvance(read_as.text())


def test_columns_that_may_be_amounts_are_asked_about_and_read_with_a_click(
    stage: Stage, wait_until: Wait, tmp_path: Path
) -> None:
    lines = [
        f"{'$' if i % 2 else '€'} {i},50;{'on request' if i == 3 else f'{i},25 €'};{'xy'[i % 2]}" for i in range(60)
    ]
    path = tmp_path / "prices.csv"
    path.write_text("\n".join(["mixed;price;class", *lines]) + "\n", "utf-8")
    window = stage.window(1280, 720)
    window.open_file(str(path))

    def asked() -> dict[str, WarningCard]:
        cards = window.drawer.findChildren(WarningCard)
        return {card.fact.sentence: card for card in cards if card.fact.name == "unread-amounts" and card.isVisible()}

    wait_until(part(window, QPushButton, "warnings").isVisible)
    click(part(window, QPushButton, "warnings"))

    wait_until(lambda: len(asked()) == 2)
    chip = next(chip for sentence, chip in asked().items() if "price" in sentence)
    assert wording.LOOKS_LIKE_AMOUNTS in chip.fact.sentence and "on request" in chip.fact.why
    click(part(chip, QPushButton, f"{chip.objectName()}.remedy"))
    session = window.session
    wait_until(lambda: session.data is not None and session.data.schema.attributes[1].kind is AttributeKind.NUMERIC)
    assert session.data is not None
    assert session.data.column(1)[:3].tolist() == [0.25, 1.25, 2.25] and np.isnan(session.data.column(1)[3])
    wait_until(lambda: len(asked()) == 1 and "mixed" in next(iter(asked())))
    window.session.undo_stack.undo()
    wait_until(lambda: len(asked()) == 2)


@pytest.mark.parametrize(
    ("learner", "words"), [(KNearestNeighbors(), "k-nearest-neighbours"), (C45(), "c45-decision-tree")]
)
def test_a_file_name_spells_a_learner_as_the_window_does(learner: Learner, words: str) -> None:
    """It said "neighbors" where the window says "neighbours"."""
    assert in_file_name(learner) == words


def test_saving_proposes_the_folder_of_the_table_and_never_the_file_it_came_from(
    window: MainWindow, wait_until: Wait, tmp_path: Path
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    path = tmp_path / "here" / "people.csv"
    path.write_text("size,kind\n1,a\n2,b\n3,a\n4,b\n", "utf-8")
    window.open_file(str(path))
    wait_until(lambda: names(window) == ("size", "kind"))
    window.folder = str(tmp_path / "there")  # as after another table was chosen in the dialog
    window.files.choose_where_to_save_project()
    dialog = part(window, QFileDialog, "file_dialog")
    assert dialog.directory().path() == str(tmp_path / "here")
    dialog.reject()
    wait_until(lambda: window.findChild(QFileDialog, "file_dialog") is None)
    window.files.choose_where_to_save_data()
    dialog = part(window, QFileDialog, "file_dialog")
    assert [Path(chosen).name for chosen in dialog.selectedFiles()] == ["people-edited.csv"]
    dialog.reject()
