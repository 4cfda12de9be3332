"""Guesses of a reading in the tab: each with its reason, corrected by one click, remembered for next month's file."""

from __future__ import annotations

from pathlib import Path

import pytest
import xlsxwriter
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QTableView

from tests.algorithms.io.messy_files import MESSY_FILES
from tests.expected_texts import tabs_preprocess as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, part, press
from workbench.session.session import Session
from workbench.session.settings import Settings, name_pattern
from workbench.tabs.preprocess.tab import PreprocessTab
from workbench.widgets.labels import LinkLabel

MAKE = {messy.name: messy.make for messy in MESSY_FILES}


@pytest.fixture
def tab(session: Session, stage: Stage) -> PreprocessTab:
    return stage.show(PreprocessTab(session), 1280, 800)


def kind_of(session: Session, name: str) -> str:
    data = session.data
    assert data is not None
    return data.schema.attributes[data.schema.index_of(name)].kind.value


def opened(tab: PreprocessTab, session: Session, wait_until: Wait, path: Path) -> LinkLabel:
    """The guesses of a file, after it was opened."""
    session.open_file(path)
    wait_until(lambda: session.reading is not None and session.reading.path == str(path))
    return part(tab, LinkLabel, "preprocess.guesses")


def follow(guesses: LinkLabel, words: str) -> None:
    target = next(target for target, text in guesses.links() if text == words)
    guesses.linkActivated.emit(target)


def test_a_question_is_answered_by_one_click_and_remembered(
    tab: PreprocessTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    march, april = tmp_path / "orders-2024-03.csv", tmp_path / "orders-2024-04.csv"
    MAKE["slashes.csv"](march)
    MAKE["slashes.csv"](april)
    guesses = opened(tab, session, wait_until, march)
    assert guesses.isVisible() and wording.TO_DECIDE in guesses.text()
    assert kind_of(session, "Day") == "nominal"
    follow(guesses, wording.DAY_FIRST)
    wait_until(lambda: kind_of(session, "Day") == "date")
    assert not guesses.isVisible()
    guesses = opened(tab, session, wait_until, april)
    assert kind_of(session, "Day") == "date"
    assert wording.READ_AS_CHOSEN_FOR_MARCH in guesses.text()
    follow(guesses, wording.WITHOUT_CHOICES)
    wait_until(lambda: kind_of(session, "Day") == "nominal")
    assert session.settings.readings_of(str(march)) == ()


def test_remembered_choices_are_not_for_other_columns(
    tab: PreprocessTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    first, other = tmp_path / "report 1.csv", tmp_path / "report 2.csv"
    MAKE["sentinel.csv"](first)
    follow(opened(tab, session, wait_until, first), wording.TAKE_999)
    wait_until(lambda: session.data is not None and bool(session.data.missing(2).any()))
    other.write_text("Site,Depth,Salt\na,1,-999\nb,2,3\nc,3,4\nd,4,5\n", "utf-8")
    guesses = opened(tab, session, wait_until, other)
    assert session.data is not None and not session.data.missing(2).any()
    assert wording.TAKE_999 in [text for _, text in guesses.links()]


def test_the_form_shows_the_rows_of_the_file_beside_what_was_read(
    tab: PreprocessTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    path = tmp_path / "subtotals.xlsx"
    MAKE["subtotals.xlsx"](path)
    opened(tab, session, wait_until, path)
    change = part(tab, QLabel, "preprocess.read_as")
    wait_until(lambda: wording.READ_AS in change.text())
    press(tab, "preprocess.read_as.change")
    raw, read = part(tab, QTableView, "preprocess.raw_rows"), part(tab, QTableView, "preprocess.read_rows")
    wait_until(raw.isVisible)
    rows = [[raw.model().index(r, c).data() for c in range(3)] for r in range(raw.model().rowCount())]
    assert rows[0] == ["1", "names", "Region"] and rows[3] == ["4", "total", "North total"]
    assert read.model().rowCount() == 5 and read.model().index(2, 0).data() == "South"
    listed = part(tab, LinkLabel, "preprocess.all_guesses")
    assert wording.KEEP_TOTALS in [text for _, text in listed.links()]
    follow(listed, wording.KEEP_TOTALS)
    wait_until(lambda: session.data is not None and len(session.data) == 8)


def test_the_same_file_opened_again_is_not_called_another(
    tab: PreprocessTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    path = tmp_path / "sales.csv"
    MAKE["slashes.csv"](path)
    follow(opened(tab, session, wait_until, path), wording.DAY_FIRST)
    wait_until(lambda: kind_of(session, "Day") == "date")
    session.open_text("a,b\n1,2\n3,4\n")
    wait_until(lambda: session.reading is not None and session.reading.path is None)
    guesses = opened(tab, session, wait_until, path)
    assert wording.READ_AS_CHOSEN_BEFORE in guesses.text()


REPORT = """Report of the clinic;;;;
Printed in October;;;;
;;;;
Nr;Ward;Size;Costs;ill
;;cm;EUR;
1;A;170,5;1.200,50;yes
2;B;181,5;2.200,50;no
3;A;165,5;3.200,50;yes
4;B;190,5;1.700,50;no
5;A;175,5;1.900,50;yes
Sum;;;10.202,50;
Source: the office;;;;
"""


def test_names_and_blank_rows_of_the_file_are_no_records(
    tab: PreprocessTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    path = tmp_path / "clinic.csv"
    path.write_text(REPORT, "utf-8")
    guesses = opened(tab, session, wait_until, path)
    n = len(session.reading.read_as.guesses) if session.reading and session.reading.read_as else 0
    assert n > 4 and f"{n - 3} more guesses" in guesses.text()
    change = part(tab, QLabel, "preprocess.read_as")
    wait_until(lambda: wording.READ_AS in change.text())
    press(tab, "preprocess.read_as.change")
    raw, listed = part(tab, QTableView, "preprocess.raw_rows"), part(tab, LinkLabel, "preprocess.all_guesses")
    wait_until(raw.isVisible)
    assert listed.text().count("<br>") == n - 1
    taken = [raw.model().index(row, 1).data() for row in range(6)]
    assert taken == ["title", "title", "empty", "names", "units", "record"]


def test_rows_in_the_form_follow_the_chosen_sheet_and_guesses_stand_once(
    tab: PreprocessTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    path = tmp_path / "two.xlsx"
    with xlsxwriter.Workbook(path) as book:
        for name, begin in (("Old", 0), ("New", 2)):
            sheet = book.add_worksheet(name)
            sheet.write(0, 0, "number" if begin == 0 else "A title above")
            for column, head in enumerate(("number", "kind", name)):
                sheet.write_column(begin, column, [head, *(f"x{row % 2}" if column else row for row in range(9))])
    opened(tab, session, wait_until, path)
    change = part(tab, QLabel, "preprocess.read_as")
    wait_until(lambda: wording.READ_AS in change.text())
    press(tab, "preprocess.read_as.change")
    raw, read = part(tab, QTableView, "preprocess.raw_rows"), part(tab, QTableView, "preprocess.read_rows")
    wait_until(lambda: raw.isVisible() and read.isVisible())
    QTest.keyClick(part(tab, QComboBox, "preprocess.sheet"), Qt.Key.Key_Down)
    wait_until(lambda: raw.model().index(0, 1).data() == "title")
    assert raw.model().index(1, 1).data() == "names" and not read.isVisible()
    press(tab, "preprocess.read_again")
    wait_until(lambda: session.data is not None and "New" in session.data.schema.names)
    listed, guesses = part(tab, LinkLabel, "preprocess.all_guesses"), part(tab, LinkLabel, "preprocess.guesses")
    wait_until(guesses.isVisible)
    assert not listed.isVisible() and not raw.isVisible()


def test_edits_are_not_discarded_by_the_first_click(
    tab: PreprocessTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    path = tmp_path / "totals.csv"
    MAKE["totals.csv"](path)
    guesses = opened(tab, session, wait_until, path)
    change = part(tab, QLabel, "preprocess.read_as")
    wait_until(lambda: wording.READ_AS in change.text())
    session.saving.take_for_edited()
    follow(guesses, wording.KEEP_TOTALS)
    assert session.data is not None and len(session.data) == 4
    press(tab, "preprocess.read_again")
    wait_until(lambda: session.data is not None and len(session.data) == 5)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("sales-2024-03.csv", "sales-2024-04.csv"),
        ("Umsatz März.xlsx", "Umsatz April.xlsx"),
        ("a 1 2.csv", "a 17.csv"),
    ],
)
def test_names_of_months_have_one_pattern(one: str, other: str) -> None:
    assert name_pattern(one) == name_pattern(other)
    assert name_pattern("summary.csv") == "summary.csv" and name_pattern(one) != name_pattern("other 1.csv")


def test_unusable_remembered_readings_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(
        '{"readings": [3, {"pattern": "a#.csv", "file": "a1.csv", "names": ["x"], "options": {"header": 7}}]}'
    )
    assert Settings(path).readings_of("a2.csv") == ()
