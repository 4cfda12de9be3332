"""What the scatter matrix and parallel coordinates share, over a real session, by mouse and keys."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QListWidget, QMenu, QPushButton, QTableView

from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from tests.expected_texts import session as session_wording
from tests.expected_texts import tabs_visualize as wording
from tests.workbench.many_axes_helpers import corner, mixed_table, opened, rest, said, selected, stood, wheel
from tests.workbench.window_helpers import ALT, LEFT, NONE, SHIFT, Wait, press
from workbench.session.session import Session
from workbench.style.theme import DARK_NAME, LIGHT_NAME, themes
from workbench.tabs.visualize.scatter.many_axes_panes import ManyAxesPane, ParallelPane, ScatterMatrixPane
from workbench.tabs.visualize.scatter.records_views import MATRIX, PARALLEL, SCATTER, RecordsViews, ScatterPane
from workbench.tabs.visualize.tab import VisualizeTab
from workbench.viewers.scatter.scatter_matrix import ScatterMatrixCanvas
from workbench.widgets.keyboard_focus import move_focus


@pytest.fixture
def matrix(session: Session, tab: VisualizeTab, wait_until: Wait) -> ScatterMatrixPane:
    pane = opened(session, tab, MATRIX, mixed_table(), wait_until)
    assert isinstance(pane, ScatterMatrixPane)
    return pane


# ---- which picture ---------------------------------------------------------------------------------------------------


def test_three_pictures_of_the_records_share_one_place(
    session: Session, tab: VisualizeTab, matrix: ScatterMatrixPane
) -> None:
    scatter = tab.findChild(ScatterPane)
    assert matrix.isVisible() and scatter is not None and not scatter.isVisible()
    press(tab, "visualize.show-parallel")
    assert not matrix.isVisible() and session.settings.get("visualize.records", "") == PARALLEL
    focus = QApplication.focusWidget()
    assert focus is not None and focus.objectName() == "visualize.show-parallel"
    QTest.keyClick(focus, Qt.Key.Key_Tab, SHIFT)
    records = tab.findChild(RecordsViews)
    assert records is not None
    press(tab, "visualize.show-scatter")
    assert records.kind == SCATTER and scatter.isVisible()


def test_the_most_telling_attributes_come_first_and_the_class_is_the_colour(matrix: ScatterMatrixPane) -> None:
    assert matrix.shown_attributes[:2] == ("first", "second")
    assert matrix.shown_attributes[-1] == "noise" and "class" not in matrix.shown_attributes
    assert wording.MISSING_30_OF_300 in said(matrix)


def test_a_hidden_picture_waits_until_it_is_seen(session: Session, tab: VisualizeTab, wait_until: Wait) -> None:
    session.set_document(mixed_table())
    stood(session, tab, wait_until)
    assert tab.findChild(ScatterMatrixPane) is None and tab.findChild(ParallelPane) is None


def test_a_table_that_cannot_be_drawn_is_said_to_be_so(session: Session, tab: VisualizeTab, wait_until: Wait) -> None:
    session.set_document(Dataset(Schema((Attribute("note", AttributeKind.TEXT),)), [["a", "b"]]))
    stood(session, tab, wait_until)
    for kind in (MATRIX, PARALLEL):
        press(tab, f"visualize.show-{kind}")
        pane = tab.findChild(ScatterMatrixPane if kind == MATRIX else ParallelPane)
        assert isinstance(pane, ManyAxesPane)
        assert wording.NO_ATTRIBUTE_TO_PLACE in said(pane)
        assert not pane.attributes.isEnabled()


def test_the_pictures_share_one_pill_where_room_is_scarce(
    session: Session, tab: VisualizeTab, matrix: ScatterMatrixPane, wait_until: Wait
) -> None:
    press(tab, "visualize.show-scatter")
    scatter = tab.findChild(ScatterPane)
    assert scatter is not None
    heading = tab._pages._headings[scatter]
    one, all_three = (heading.findChild(QPushButton, f"visualize.show-{end}") for end in ("as-scatter", "matrix"))
    assert one is not None and all_three is not None
    assert all_three.isVisible() and not one.isVisible()
    tab.resize(700, 600)
    wait_until(lambda: one.isVisible() and not all_three.isVisible())
    one.menu().actions()[1].trigger()
    assert matrix.isVisible()


# ---- what both have --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [MATRIX, PARALLEL])
def test_a_class_is_lit_from_the_legend(session: Session, tab: VisualizeTab, kind: str, wait_until: Wait) -> None:
    pane = opened(session, tab, kind, mixed_table(), wait_until)
    legend, canvas = pane.view.legend, pane.view.canvas
    area = legend.area_of(1)
    assert area is not None and canvas.places is not None
    QTest.mouseClick(legend, LEFT, NONE, area.center().toPoint())
    assert canvas.lit is not None and np.array_equal(canvas.lit, canvas.places.of_class(1))
    assert legend.accessibleDescription() == "Shown: b"
    QTest.keyClick(legend, Qt.Key.Key_Right)
    assert np.array_equal(canvas.lit, canvas.places.of_class(2))
    session.selection.select(session.data, np.array([2, 3]))  # type: ignore[arg-type]
    assert canvas.places.rows[canvas.lit].tolist() == [2]
    QTest.keyClick(legend, Qt.Key.Key_Escape)
    assert canvas.places.rows[canvas.lit].tolist() == [2, 3] or sorted(canvas.places.rows[canvas.lit]) == [2, 3]


@pytest.mark.parametrize("kind", [MATRIX, PARALLEL])
def test_attributes_are_chosen_taken_away_and_moved_by_keys(
    session: Session, tab: VisualizeTab, kind: str, wait_until: Wait
) -> None:
    pane = opened(session, tab, kind, mixed_table(), wait_until)
    before = pane.shown_attributes
    QTest.mouseClick(pane.attributes, LEFT)
    listed = pane.chooser.findChild(QListWidget)
    assert listed is not None and pane.chooser.isVisible()
    listed.setCurrentRow(0)
    QTest.keyClick(listed, Qt.Key.Key_Down, ALT)
    rest(session, pane, wait_until)
    assert pane.shown_attributes == (before[1], before[0], *before[2:])
    QTest.keyClick(listed, Qt.Key.Key_Space)
    rest(session, pane, wait_until)
    assert pane.shown_attributes == (before[1], *before[2:])
    listed.setCurrentRow(listed.count() - 1)
    QTest.keyClick(listed, Qt.Key.Key_Space)
    rest(session, pane, wait_until)
    assert pane.shown_attributes[-1] == "class"
    best = pane.chooser.findChild(QPushButton, f"{pane.chooser.objectName()}.best")
    assert best is not None
    QTest.mouseClick(best, LEFT)
    rest(session, pane, wait_until)
    assert pane.shown_attributes == before
    QTest.keyClick(pane.chooser.search, Qt.Key.Key_Escape)
    assert not pane.chooser.isVisible()


def test_tab_leads_through_a_heading_from_left_to_right(matrix: ScatterMatrixPane, tab: VisualizeTab) -> None:
    names = ["visualize.show-matrix", "visualize.matrix-attributes"]
    widget = tab._pages._headings[matrix].findChild(QPushButton, names[0])
    assert widget is not None
    widget.setFocus()
    met = [widget.objectName()]
    while met.count(names[0]) == 1:
        move_focus(tab, forward=True)
        met.append(tab.focusWidget().objectName())
    others = ("visualize.show-scatter", "visualize.show-parallel")
    assert not set(met).intersection(others)  # arrow keys lead there
    assert [name for name in met[:-1] if name in names] == names


def test_the_last_attribute_stays_and_no_more_are_shown_than_can_be_read(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    schema = Schema(tuple(Attribute(f"x{i}", AttributeKind.NUMERIC) for i in range(30)))
    random = np.random.default_rng(0)
    pane = opened(session, tab, MATRIX, Dataset(schema, list(random.normal(size=(30, 50)))), wait_until)
    QTest.mouseClick(pane.attributes, LEFT)
    listed = pane.chooser.list
    for row in range(len(pane.shown_attributes), 10):
        listed.setCurrentRow(row)
        QTest.keyClick(listed, Qt.Key.Key_Space)
    rest(session, pane, wait_until)
    assert len(pane.shown_attributes) == 8
    assert any(wording.AT_MOST_8 in label.text() for label in pane.chooser.findChildren(QLabel))
    for _ in range(10):
        listed.setCurrentRow(0)
        QTest.keyClick(listed, Qt.Key.Key_Space)
    rest(session, pane, wait_until)
    assert len(pane.shown_attributes) == 1
    QTest.keyClicks(pane.chooser.search, "x29")
    assert [listed.item(i).text() for i in range(listed.count()) if not listed.item(i).isHidden()] == ["x29"]
    pane.chooser.hide()


@pytest.mark.parametrize("kind", [MATRIX, PARALLEL])
def test_the_picture_has_a_table_twin_that_selects(
    session: Session, tab: VisualizeTab, kind: str, wait_until: Wait
) -> None:
    pane = opened(session, tab, kind, mixed_table(), wait_until)
    canvas = pane.view.canvas
    QTest.keyClick(canvas, Qt.Key.Key_T)
    table = pane.findChild(QTableView, f"{canvas.objectName()}-table")
    assert table is not None and table.isVisible() and table.model().rowCount() == 300
    heads = [table.model().headerData(c, Qt.Orientation.Horizontal) for c in range(table.model().columnCount())]
    assert heads == ["Record", *pane.shown_attributes, "class"]
    table.setFocus()
    table.selectRow(4)
    assert selected(session) == [4]


@pytest.mark.parametrize("kind", [MATRIX, PARALLEL])
def test_the_picture_is_copied_and_saved(
    session: Session, tab: VisualizeTab, kind: str, wait_until: Wait, tmp_path: Path
) -> None:
    pane = opened(session, tab, kind, mixed_table(), wait_until)
    session.selection.select(session.data, np.arange(7))  # type: ignore[arg-type]
    rest(session, pane, wait_until)
    export = pane.view.export
    export.save_picture(str(tmp_path / "a.png"))
    export.save_picture(str(tmp_path / "a.svg"))
    export.save_csv(str(tmp_path / "a.csv"))
    wait_until(lambda: not session.jobs.running)
    image = QImage(str(tmp_path / "a.png"))
    assert image.width() == 2 * pane.view.canvas.width()
    svg = (tmp_path / "a.svg").read_text("utf-8")
    assert "<svg" in svg and "first" in svg
    lines = (tmp_path / "a.csv").read_text("utf-8").splitlines()
    assert len(lines) == 8 and lines[0].startswith("Record,")
    export.copy_table()
    assert QApplication.clipboard().text().count("\n") == 8
    export.copy_picture()
    assert not QApplication.clipboard().image().isNull()


@pytest.mark.parametrize("kind", [MATRIX, PARALLEL])
def test_both_themes_are_worn(session: Session, tab: VisualizeTab, kind: str, wait_until: Wait) -> None:
    pane = opened(session, tab, kind, mixed_table(), wait_until)
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    themes.install(app, LIGHT_NAME)
    try:
        light = pane.view.canvas.grab().toImage().pixelColor(3, 3)
        themes.choose(DARK_NAME)
        rest(session, pane, wait_until)
        dark = pane.view.canvas.grab().toImage().pixelColor(3, 3)
        assert light.lightness() > 200 > 80 > dark.lightness()
    finally:
        themes.choose(LIGHT_NAME)


@pytest.mark.parametrize("kind", [MATRIX, PARALLEL])
def test_many_records_are_shown_as_density_first_some_then_all(
    session: Session, tab: VisualizeTab, kind: str, wait_until: Wait
) -> None:
    pane = opened(session, tab, kind, mixed_table(120_000), wait_until)
    assert wording.STRONGER_THE_MORE in said(pane)
    canvas = pane.view.canvas
    assert canvas.places is not None and len(canvas.places) == 120_000
    before = canvas.grab().toImage()
    session.selection.select(session.data, np.arange(0, 120_000, 3))  # type: ignore[arg-type]
    rest(session, pane, wait_until)
    assert canvas.grab().toImage() != before
    if isinstance(canvas, ScatterMatrixCanvas):
        assert canvas.scene.bars[0].bars.counts.sum() == 120_000
        wheel(canvas, corner(canvas, (0, 1), 0.5, 0.5), 2)
        wait_until(lambda: canvas.is_prepared() and pane.view.is_drawn, 30)


@pytest.mark.parametrize("kind", [MATRIX, PARALLEL])
def test_twenty_six_classes_can_each_be_lit(session: Session, tab: VisualizeTab, kind: str, wait_until: Wait) -> None:
    random, letters = np.random.default_rng(1), tuple(f"the letter {chr(65 + i)} of the alphabet" for i in range(26))
    codes = np.arange(520) % 26
    schema = Schema(
        (
            Attribute("x" * 80, AttributeKind.NUMERIC),
            Attribute("y" * 80, AttributeKind.NUMERIC),
            Attribute("letter", AttributeKind.NOMINAL, letters),
        ),
        2,
    )
    data = Dataset(schema, [codes + random.normal(size=520), random.normal(size=520), codes])
    pane = opened(session, tab, kind, data, wait_until)
    legend, canvas = pane.view.legend, pane.view.canvas
    shown, more = legend.places()
    assert len(shown) == 9 and more == session_wording.and_in_grey(17)
    x, line = legend._rest_place(shown, more)
    QTest.mouseClick(legend, LEFT, NONE, QPoint(round(x) + 4, round(legend._line_area(line).center().y())))
    menus = [menu for menu in legend.findChildren(QMenu) if menu.isVisible()]
    assert len(menus) == 1 and [action.text() for action in menus[0].actions()] == list(letters)
    menus[0].actions()[24].trigger()
    menus[0].close()
    assert canvas.colored is not None and 24 in canvas.colored and len(canvas.colored) == 9
    assert canvas.lit is None
    legend.pick(24)
    assert canvas.lit is not None and canvas.places is not None
    assert np.array_equal(canvas.lit, canvas.places.of_class(24))
    assert legend.area_of(24) is not None and canvas.colored == {24}
    QTest.keyClick(legend, Qt.Key.Key_Space)
    assert canvas.lit is None


def test_while_other_records_are_on_their_way_the_selection_goes_by_those_in_view(
    session: Session, tab: VisualizeTab, matrix: ScatterMatrixPane, wait_until: Wait
) -> None:
    before = session.data
    assert before is not None
    now = before.take(np.arange(100, 250))
    session.edit("Remove records", now)
    session.turns.finish()
    assert matrix.view.records is before  # they are placed in a job, of which nothing is heard before the next turn
    session.selection.select(now, np.array([149]))
    lit, rows = matrix.view.canvas.lit, matrix.view.shown_rows
    assert lit is not None and rows is not None and rows[lit].tolist() == [249]
    wait_until(lambda: matrix.view.records is now)
    lit, rows = matrix.view.canvas.lit, matrix.view.shown_rows
    assert lit is not None and rows is not None and rows[lit].tolist() == [149]
