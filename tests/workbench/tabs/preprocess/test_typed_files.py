"""Files whose columns have types, in the tab: the form offers what such a file leaves open."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QLineEdit, QSpinBox, QTableView

from algorithms.core import extras
from algorithms.core.extras import PARQUET
from algorithms.io.text.options import ReadOptions
from tests.algorithms.io.test_fixed_width import PEOPLE
from tests.algorithms.io.typed.test_sqlite import made
from tests.algorithms.io.web.generated_logs import write_log
from tests.expected_texts import tabs_preprocess as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, part, press
from workbench.session.session import Session
from workbench.tabs.preprocess.attributes.attributes_model import AttributesColumn
from workbench.tabs.preprocess.tab import PreprocessTab

SEX = "Sex of the person"


@pytest.fixture
def tab(session: Session, stage: Stage) -> PreprocessTab:
    return stage.show(PreprocessTab(session), 1280, 800)


def names(session: Session) -> tuple[str, ...]:
    return () if session.data is None else session.data.schema.names


def test_another_table_of_a_database_is_chosen_by_name_and_size(
    tab: PreprocessTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    path = tmp_path / "shop.db"
    with made(path) as base:
        base.execute("CREATE TABLE people (name, size REAL)")
        base.executemany("INSERT INTO people VALUES (?, ?)", [("ab"[k % 2], k / 4) for k in range(1200)])
        base.execute("CREATE TABLE visits (day, class)")
        base.execute("INSERT INTO visits VALUES ('2024-01-31', 'x')")
        base.execute("CREATE VIEW days AS SELECT day FROM visits")
    session.open_file(path)
    words = part(tab, QLabel, "preprocess.read_as")
    wait_until(lambda: words.text() == wording.READ_AS_ONE_OF_3)
    press(tab, "preprocess.read_as.change")
    tables = part(tab, QComboBox, "preprocess.sheet")
    assert [tables.itemText(index) for index in range(3)] == [
        wording.PEOPLE_OF_1200,
        wording.VISITS_OF_1,
        wording.A_VIEW,
    ]
    assert tables.isVisible() and part(tab, QLineEdit, "preprocess.missing").isVisible()
    for kind, name in ((QComboBox, "delimiter"), (QComboBox, "encoding"), (QCheckBox, "header")):
        assert not part(tab, kind, f"preprocess.{name}").isVisible()
    QTest.keyClick(tables, Qt.Key.Key_Down)
    press(tab, "preprocess.read_again")
    wait_until(lambda: names(session) == ("day", "class"))
    press(tab, "preprocess.read_as.change")
    part(tab, QComboBox, "preprocess.sheet").setCurrentIndex(2)
    press(tab, "preprocess.read_again")
    wait_until(lambda: words.text() == wording.READ_AS_A_VIEW)


def test_the_last_choice_of_query_and_table_counts(
    tab: PreprocessTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    path = tmp_path / "shop.db"
    with made(path) as base:
        base.execute("CREATE TABLE people (name, size REAL)")
        base.executemany("INSERT INTO people VALUES (?, ?)", [("ab"[k % 2], k / 4) for k in range(40)])
        base.execute("CREATE TABLE visits (day, class)")
        base.execute("INSERT INTO visits VALUES ('2024-01-31', 'x')")
    session.open_file(path)
    words = part(tab, QLabel, "preprocess.read_as")
    wait_until(lambda: words.text().startswith(wording.READ_AS))
    press(tab, "preprocess.read_as.change")
    tables, query = part(tab, QComboBox, "preprocess.sheet"), part(tab, QLineEdit, "preprocess.query")
    QTest.keyClicks(query, wording.QUERY_OF_SIZES)
    assert tables.currentIndex() == -1
    press(tab, "preprocess.read_again")
    wait_until(lambda: names(session) == ("size",))
    wait_until(lambda: "SELECT" in words.text())
    press(tab, "preprocess.read_as.change")
    assert tables.currentIndex() == -1 and query.text() == wording.QUERY_OF_SIZES
    QTest.keyClick(tables, Qt.Key.Key_Down)
    QTest.keyClick(tables, Qt.Key.Key_Down)
    assert tables.currentData() == "visits" and query.text() == ""
    query.undo()
    assert query.text() == wording.QUERY_OF_SIZES and tables.currentIndex() == -1
    query.clear()
    assert tables.currentIndex() == 0
    QTest.keyClick(tables, Qt.Key.Key_Down)
    press(tab, "preprocess.read_again")
    wait_until(lambda: names(session) == ("day", "class"))


def test_a_wrong_query_is_not_offered_again(session: Session, wait_until: Wait, tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    with made(path) as base:
        base.execute("CREATE TABLE people (name, size REAL)")
        base.execute("INSERT INTO people VALUES ('a', 1.5)")
    session.open_file(path, ReadOptions(query=wording.WRONG_QUERY))
    wait_until(lambda: bool(session.messages.history))
    assert session.messages.history[-1].action is None


def test_borders_of_fixed_width_are_corrected(
    tab: PreprocessTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    (tmp_path / "people.txt").write_text(PEOPLE, "utf-8")
    session.open_file(tmp_path / "people.txt")
    words = part(tab, QLabel, "preprocess.read_as")
    wait_until(lambda: words.text() == wording.READ_BY_WIDTHS)
    press(tab, "preprocess.read_as.change")
    widths, delimiter = part(tab, QLineEdit, "preprocess.widths"), part(tab, QComboBox, "preprocess.delimiter")
    assert delimiter.isVisible() and widths.isVisible() and widths.text() == "12, 15, 4"
    widths.setText("7, 5, 15, 9")
    press(tab, "preprocess.read_again")
    wait_until(lambda: words.text() == wording.READ_BY_GIVEN_WIDTHS)
    assert len(names(session)) == 4
    press(tab, "preprocess.read_as.change")
    assert widths.text() == "7, 5, 15, 9"
    delimiter.setCurrentIndex(delimiter.findData(","))
    assert not widths.isVisible()
    press(tab, "preprocess.read_again")
    wait_until(lambda: len(names(session)) == 2)
    wait_until(lambda: session.reading is not None and session.reading.options == ReadOptions(delimiter=","))


def test_a_parquet_file_is_read_again_with_other_markers(
    tab: PreprocessTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow (the extra parquet) is not installed")
    pq = pytest.importorskip("pyarrow.parquet")
    field = pa.field("length", pa.string(), metadata={"comment": "in cm"})
    schema = pa.schema([field, pa.field("class", pa.string())])
    pq.write_table(pa.table([["1,5", "2,5", "gone"] * 9, ["x", "y", "z"] * 9], schema=schema), tmp_path / "a.parquet")
    session.open_file(tmp_path / "a.parquet")
    words = part(tab, QLabel, "preprocess.read_as")
    wait_until(lambda: words.text() == wording.READ_BY_TYPES)
    press(tab, "preprocess.read_as.change")
    for kind, name in ((QComboBox, "sheet"), (QComboBox, "delimiter"), (QComboBox, "encoding"), (QCheckBox, "header")):
        assert not part(tab, kind, f"preprocess.{name}").isVisible()
    marks = part(tab, QLineEdit, "preprocess.missing")
    assert marks.hasFocus()
    QTest.keyClicks(marks, "x, gone")
    before = session.data
    press(tab, "preprocess.read_again")
    wait_until(lambda: session.data is not before and session.summary is not None)
    assert session.data is not None and session.classes == ("y", "z")
    model = part(tab, QTableView, "preprocess.attributes").model()
    tip = model.index(0, AttributesColumn.NAME).data(Qt.ItemDataRole.ToolTipRole)
    assert tip.splitlines() == ["length", "in cm"]


def test_another_data_frame_of_an_r_file_is_chosen_by_name(
    tab: PreprocessTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    pyreadr = pytest.importorskip("pyreadr", reason="pyreadr (the extra statistics-files) is not installed")
    for name, frame in (("people", {"size": [1.5, 2.5, 3.5]}), ("pets", {"legs": [4.0, 2.0, 6.5]})):
        pyreadr.write_rdata(str(tmp_path / f"{name}.rdata"), pd.DataFrame(frame), df_name=name)
    one, two = [(tmp_path / f"{name}.rdata").read_bytes() for name in ("people", "pets")]
    path = tmp_path / "all.rdata"
    path.write_bytes(one[:-4] + two[two.index(b"\0\0\4\2") :])
    session.open_file(path)
    words = part(tab, QLabel, "preprocess.read_as")
    wait_until(lambda: wording.DATA_FRAME_PEOPLE in words.text())
    press(tab, "preprocess.read_as.change")
    frames = part(tab, QComboBox, "preprocess.sheet")
    wait_until(frames.isVisible)
    assert [frames.itemText(index) for index in range(frames.count())] == ["people", "pets"]
    QTest.keyClick(frames, Qt.Key.Key_Down)
    press(tab, "preprocess.read_again")
    wait_until(lambda: names(session) == ("legs",))


def test_a_web_log_opens_as_its_sessions_and_their_timeout_is_set(
    tab: PreprocessTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    path = tmp_path / "access.log"
    write_log(path, 3000, seed=3, sessions_an_hour=60)
    session.open_file(path)
    words = part(tab, QLabel, "preprocess.read_as")
    wait_until(lambda: words.text() == wording.READ_AS_SESSIONS)
    assert session.data is not None and session.classes == ("robot", "human")
    before = len(session.data)
    assert session.data.origin.description in part(tab, QLabel, "preprocess.read_as.remarks").text()
    press(tab, "preprocess.read_as.change")
    timeout = part(tab, QSpinBox, "preprocess.timeout")
    for kind, name in ((QLineEdit, "missing"), (QComboBox, "decimal"), (QComboBox, "delimiter"), (QComboBox, "sheet")):
        assert not part(tab, kind, f"preprocess.{name}").isVisible()
    assert timeout.hasFocus() and timeout.value() == 30
    timeout.setValue(2)
    press(tab, "preprocess.read_again")
    wait_until(lambda: words.text() == wording.READ_AS_SHORT_SESSIONS)
    assert session.data is not None and len(session.data) > before
    assert session.reading is not None and session.reading.options == ReadOptions(timeout=2)
    press(tab, "preprocess.read_as.change")
    wait_until(timeout.isVisible)
    assert timeout.value() == 2


def test_labels_of_an_spss_file_are_values_and_tooltips(
    tab: PreprocessTab, session: Session, wait_until: Wait, tmp_path: Path
) -> None:
    pyreadstat = pytest.importorskip("pyreadstat", reason="pyreadstat (the extra statistics-files) is not installed")
    frame = pd.DataFrame({"sex": [1, 2, 9] * 4, "class": ["a", "b", "a"] * 4})
    labels = {"sex": {1: "male", 2: "female", 9: "unknown"}}
    about = {"column_labels": [SEX, None], "missing_ranges": {"sex": [9]}}
    pyreadstat.write_sav(frame, tmp_path / "survey.sav", variable_value_labels=labels, **about)
    session.open_file(tmp_path / "survey.sav")
    wait_until(lambda: session.data is not None and session.summary is not None)
    assert session.data is not None and session.data.schema.attributes[0].values == ("male", "female")
    assert part(tab, QLabel, "preprocess.read_as.remarks").text() == wording.DECLARED_OF_SEX
    model = part(tab, QTableView, "preprocess.attributes").model()
    tip = model.index(0, AttributesColumn.NAME).data(Qt.ItemDataRole.ToolTipRole)
    assert tip.splitlines() == ["sex", SEX]


def test_without_pyarrow_the_window_names_the_command_that_installs_it(
    session: Session, wait_until: Wait, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(extras, "import_module", absent)
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    session.open_file(path)
    wait_until(lambda: any(PARQUET.command in message.text for message in session.messages.history))
