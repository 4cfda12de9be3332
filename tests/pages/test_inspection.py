"""The inspection of a page notices each of its faults, and no others."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QScrollArea,
    QTableWidget,
    QWidget,
)

from tests.pages.__main__ import main
from tests.pages.inspection import inspect, replaced_terms
from tests.pages.tables import TABLES, name_and_file, table_of_file
from workbench.widgets.labels import ElidedLabel


@pytest.fixture
def page(qapp: QApplication) -> Iterator[QWidget]:
    """An empty page of 300 x 200 px in view."""
    widget = QWidget()
    widget.resize(300, 200)
    widget.show()
    yield widget
    widget.hide()
    widget.deleteLater()


def put(page: QWidget, widget: QWidget, x: int, y: int, width: int, height: int = 24, size: int = 12) -> None:
    """Place the widget on the page."""
    font = QFont()
    font.setPixelSize(size)
    widget.setFont(font)
    widget.setParent(page)
    widget.setGeometry(x, y, width, height)
    widget.show()


def test_a_page_without_faults_has_none(page: QWidget) -> None:
    put(page, QLabel("Accuracy 94.7% (95% CI 89.8–97.3)"), 0, 0, 290)
    put(page, QPushButton("Train"), 0, 40, 100)
    seen = inspect(page)
    assert seen.buttons == ("'Train'",)
    assert not seen.cut_off and not seen.small and not seen.replaced and not list(seen.lines())


def test_buttons_that_are_hidden_are_not_counted(page: QWidget) -> None:
    put(page, QPushButton("Train"), 0, 0, 100)
    put(page, QPushButton("Save"), 0, 40, 100)
    page.findChildren(QPushButton)[1].hide()
    assert inspect(page).buttons == ("'Train'",)


def test_a_button_under_something_else_is_not_counted(page: QWidget) -> None:
    put(page, QPushButton("Train"), 0, 0, 100)
    put(page, QPushButton("Save"), 0, 40, 100)
    put(page, QWidget(), 0, 30, 120, 60)
    assert inspect(page).buttons == ("'Train'",)


def test_a_label_wider_than_its_place_is_cut_off(page: QWidget) -> None:
    put(page, QLabel("A sentence that is far wider than its place"), 0, 0, 60)
    (fault,) = inspect(page).cut_off
    assert fault.partition(" (")[2].startswith("60 px")


def test_a_shorter_wording_is_not_cut_off_but_a_cut_sentence_is(page: QWidget) -> None:
    label = ElidedLabel()
    put(page, label, 0, 0, 120)
    label.set_wordings("Click a bar, a point or the number of a record", "Click a bar")
    assert not inspect(page).cut_off
    label.set_wordings("Click a bar, a point or the number of a record")
    assert len(inspect(page).cut_off) == 1


def test_a_control_that_leaves_the_page_is_cut_off_but_not_in_something_that_scrolls(page: QWidget) -> None:
    put(page, QLineEdit(), 250, 0, 100)
    (fault,) = inspect(page).cut_off
    shown, height, whole, whole_height = re.findall(r"\d+", fault)
    assert (shown, whole) == ("50", "100")
    assert height == whole_height
    area = QScrollArea()
    put(page, area, 0, 60, 200, 60)
    inner = QPushButton("Train")
    inner.resize(400, 24)
    area.setWidget(inner)
    assert len(inspect(page).cut_off) == 1


def test_a_control_wider_than_an_area_that_scrolls_only_upright_is_cut_off(page: QWidget) -> None:
    area, inner = QScrollArea(), QWidget()
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    put(page, area, 0, 0, 200, 60)
    inner.resize(400, 200)
    area.setWidget(inner)
    put(inner, QPushButton("Train"), 0, 0, 150)
    assert not inspect(page).cut_off
    inner.findChildren(QPushButton)[0].resize(300, 24)
    (fault,) = inspect(page).cut_off
    assert "300" in fault


def test_a_sentence_of_more_lines_than_its_place_is_cut_off(page: QWidget) -> None:
    label = QLabel("A sentence that takes several lines")
    label.setWordWrap(True)
    put(page, label, 0, 0, 60, 24)
    assert len(inspect(page).cut_off) == 1
    label.resize(60, label.heightForWidth(60))
    assert not inspect(page).cut_off


def test_a_table_whose_fixed_height_cuts_its_rows_is_cut_off(page: QWidget) -> None:
    table = QTableWidget(3, 1)
    put(page, table, 0, 0, 200, 60)
    assert not inspect(page).cut_off, "a pane may scroll as high as it is"
    table.setFixedHeight(60)
    assert len(inspect(page).cut_off) == 1
    table.setFixedHeight(190)
    assert not inspect(page).cut_off


def test_a_list_of_a_fixed_height_may_scroll_if_several_of_its_rows_are_in_view(page: QWidget) -> None:
    rows = QListWidget()
    rows.addItems([f"row {i}" for i in range(30)])
    put(page, rows, 0, 0, 200, 60)
    rows.setFixedHeight(2 * rows.sizeHintForRow(0))
    assert len(inspect(page).cut_off) == 1
    rows.setFixedHeight(7 * rows.sizeHintForRow(0))
    assert not inspect(page).cut_off


def test_text_under_eleven_pixels_is_small_at_any_scale(page: QWidget) -> None:
    put(page, QLabel("tiny"), 0, 0, 100, size=10)
    put(page, QLabel("usual"), 0, 40, 100, size=12)
    assert len(inspect(page).small) == 1
    assert len(inspect(page, scale=1.5).small) == 2


def test_replaced_terms_are_noticed_in_choices_tooltips_and_markup(page: QWidget) -> None:
    box = QComboBox()
    box.addItems(["Accuracy", "Found"])
    box.setToolTip("<p>What the model <b>said</b></p>")
    put(page, box, 0, 0, 200)
    assert len(inspect(page).replaced) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Right 94.7 times in 100 (between 89.8 and 97.3)", 2),
        ("Show or hide the ledger", 1),
        ("Accuracy 94.7%", 0),
        ("On the right: the runs", 0),
        ("No record was found", 0),
    ],
)
def test_the_old_terms_are_told_from_ordinary_words(text: str, expected: int) -> None:
    assert len(replaced_terms(text)) == expected


@pytest.mark.parametrize("name", [name for name in TABLES if name != "many-records"])
def test_each_table_has_records_of_each_class(name: str) -> None:
    data = TABLES[name]()
    assert set(data.class_codes.tolist()) == set(range(len(data.schema.class_attribute.values)))


def test_a_table_of_a_file_has_its_name_and_its_class(tmp_path: Path) -> None:
    path = tmp_path / "shapes=1.csv"
    path.write_text("letter,width\n" + "".join(f"{'AB'[i % 2]},{i % 3}\n" for i in range(30)))
    assert name_and_file(f"letters={path}") == ("letters", str(path))
    for text in ("letters", "=file.csv", "letters="):
        with pytest.raises(ArgumentTypeError):
            name_and_file(text)
    data = table_of_file(str(path), "letter")
    assert (data.schema.class_attribute.values, len(data)) == (("A", "B"), 30)


def test_pages_of_an_unknown_table_are_refused_before_any_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path / "pages"), "--tables", "xyzzy"])
    assert "xyzzy" in capsys.readouterr().err and not list(tmp_path.iterdir())
