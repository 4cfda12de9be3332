"""The scatter matrix and parallel coordinates over a real session, by mouse and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QListWidget, QPushButton, QTableView, QWidget

from algorithms.core.data import Attribute, Dataset, Kind, Schema
from algorithms.evaluation.methods import CrossValidation
from algorithms.trees.c45 import C45
from workbench.geometry.axes_in_row import MISSING
from workbench.parts import ElidedLabel
from workbench.session import Session
from workbench.settings import Settings
from workbench.theme import DARK_NAME, LIGHT_NAME, themes
from workbench.views.parallel_canvas import ParallelCanvas
from workbench.views.scatter_matrix_canvas import ScatterMatrixCanvas
from workbench.visualize.arrangement import RECORDS, Arrangement
from workbench.visualize.many_pane import ManyAxesPane
from workbench.visualize.matrix_pane import MatrixPane
from workbench.visualize.parallel_pane import ParallelPane
from workbench.visualize.records import MATRIX, PARALLEL, SCATTER, Records
from workbench.visualize.scatter_pane import ScatterPane
from workbench.visualize.tab import VisualizeTab

Wait = Callable[..., None]
LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
CONTROL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier


@pytest.fixture
def session(qapp: QApplication, tmp_path: Path) -> Iterator[Session]:
    made = Session(settings=Settings(tmp_path / "settings.json"))
    yield made
    assert made.close()


@pytest.fixture
def tab(session: Session) -> Iterator[VisualizeTab]:
    made = VisualizeTab(session)
    made.resize(1200, 800)
    made.show()
    yield made
    made.close()
    made.deleteLater()


def mixed_table(n: int = 300, seed: int = 3) -> Dataset:
    """Three numbers and a nominal attribute, some values missing, and three classes that two of them tell."""
    random = np.random.default_rng(seed)
    codes = np.arange(n) % 3
    first, second = codes + random.normal(0, 0.3, n), -codes + random.normal(0, 0.5, n)
    second[:20] = np.nan
    colors = np.where(random.random(n) < 0.7, codes, random.integers(0, 3, n))
    colors[-10:] = -1
    schema = Schema(
        (
            Attribute("noise", Kind.NUMERIC),
            Attribute("first", Kind.NUMERIC),
            Attribute("second", Kind.NUMERIC),
            Attribute("color", Kind.NOMINAL, ("red", "green", "blue")),
            Attribute("class", Kind.NOMINAL, ("a", "b", "c")),
        ),
        4,
    )
    return Dataset(schema, [random.normal(size=n), first, second, colors, codes])


def rest(session: Session, pane: ManyAxesPane, wait_until: Wait) -> None:
    def is_at_rest() -> bool:
        return pane.view.is_drawn and not session.jobs.running and not session.turns.is_busy

    wait_until(lambda: pane.shown_attributes and is_at_rest(), 30)


def press(tab: VisualizeTab, name: str) -> None:
    for button in tab.findChildren(QPushButton, name):
        if button.isVisible():
            QTest.mouseClick(button, LEFT)
            return
    raise AssertionError(f"no {name} is seen")


def stood(session: Session, tab: VisualizeTab, wait_until: Wait) -> None:
    """Wait until the records stand in their place, laid out."""

    def is_laid_out() -> bool:
        last = tab.findChild(QPushButton, "visualize.show-parallel")
        at_rest = session.summary is not None and not session.jobs.running and not session.turns.is_busy
        return last is not None and last.x() > 0 and last.isVisible() and at_rest

    wait_until(is_laid_out)


def opened(session: Session, tab: VisualizeTab, kind: str, data: Dataset, wait_until: Wait) -> ManyAxesPane:
    session.set_document(data)
    stood(session, tab, wait_until)
    press(tab, f"visualize.show-{kind}")
    pane = tab.findChild(MatrixPane if kind == MATRIX else ParallelPane)
    assert isinstance(pane, ManyAxesPane)
    arrangement = tab.findChild(Arrangement)
    assert arrangement is not None
    arrangement.show_only(RECORDS)
    rest(session, pane, wait_until)
    return pane


@pytest.fixture
def matrix(session: Session, tab: VisualizeTab, wait_until: Wait) -> MatrixPane:
    pane = opened(session, tab, MATRIX, mixed_table(), wait_until)
    assert isinstance(pane, MatrixPane)
    return pane


@pytest.fixture
def parallel(session: Session, tab: VisualizeTab, wait_until: Wait) -> ParallelPane:
    pane = opened(session, tab, PARALLEL, mixed_table(), wait_until)
    assert isinstance(pane, ParallelPane)
    return pane


def drag(
    canvas: QWidget, start: QPointF, end: QPointF, keys: Qt.KeyboardModifier = NONE, button: object = LEFT
) -> None:
    QTest.mousePress(canvas, button, keys, start.toPoint())  # type: ignore[call-overload]
    QTest.mouseMove(canvas, ((start + end) / 2).toPoint())
    QTest.mouseMove(canvas, end.toPoint())
    QTest.mouseRelease(canvas, button, keys, end.toPoint())  # type: ignore[call-overload]


def wheel(canvas: QWidget, at: QPointF, turns: int) -> None:
    event = QWheelEvent(
        at, canvas.mapToGlobal(at), QPoint(), QPoint(0, 120 * turns), Qt.MouseButton.NoButton, NONE,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(canvas, event)


def selected(session: Session) -> list[int]:
    assert session.data is not None
    return session.selection.rows_of(session.data).tolist()


def corner(canvas: ScatterMatrixCanvas, cell: tuple[int, int], x: float, y: float) -> QPointF:
    """A place in a cell, in shares of its width and height."""
    grid = canvas.grid
    return QPointF(grid.x(cell[1]) + x * grid.cell_width, grid.y(cell[0]) + y * grid.cell_height)


def values(session: Session, name: str) -> np.ndarray:
    assert session.data is not None
    return session.data.column(session.data.schema.index_of(name))


def act(pane: ManyAxesPane, text: str) -> None:
    """Choose an entry of the pane's menu."""
    found = [action for action in pane.findChildren(QAction) if action.text() == text]
    assert found, text
    found[0].trigger()


def said(pane: QWidget) -> str:
    return " | ".join(label.text() for label in pane.findChildren(QLabel) if label.isVisible())


# ---- which picture ---------------------------------------------------------------------------------------------------


def test_three_pictures_of_the_records_share_one_place(session: Session, tab: VisualizeTab, matrix: MatrixPane) -> None:
    scatter = tab.findChild(ScatterPane)
    assert matrix.isVisible() and scatter is not None and not scatter.isVisible()
    press(tab, "visualize.show-parallel")
    assert not matrix.isVisible() and session.settings.get("visualize.records", "") == PARALLEL
    focus = QApplication.focusWidget()
    assert focus is not None and focus.objectName() == "visualize.show-parallel"
    QTest.keyClick(focus, Qt.Key.Key_Tab, SHIFT)
    records = tab.findChild(Records)
    assert records is not None
    press(tab, "visualize.show-scatter")
    assert records.kind == SCATTER and scatter.isVisible()


def test_the_most_telling_attributes_come_first_and_the_class_is_the_colour(matrix: MatrixPane) -> None:
    assert matrix.shown_attributes[:2] == ("first", "second")
    assert matrix.shown_attributes[-1] == "noise" and "class" not in matrix.shown_attributes
    assert "300 records · 30 with a value missing" in said(matrix)


def test_a_hidden_picture_waits_until_it_is_seen(session: Session, tab: VisualizeTab, wait_until: Wait) -> None:
    session.set_document(mixed_table())
    stood(session, tab, wait_until)
    assert tab.findChild(MatrixPane) is None and tab.findChild(ParallelPane) is None


def test_a_table_that_cannot_be_drawn_is_said_to_be_so(session: Session, tab: VisualizeTab, wait_until: Wait) -> None:
    session.set_document(Dataset(Schema((Attribute("note", Kind.TEXT),)), [["a", "b"]]))
    stood(session, tab, wait_until)
    for kind in (MATRIX, PARALLEL):
        press(tab, f"visualize.show-{kind}")
        pane = tab.findChild(MatrixPane if kind == MATRIX else ParallelPane)
        assert isinstance(pane, ManyAxesPane)
        assert "No attribute has values that can be placed" in said(pane)
        assert not pane.attributes.isEnabled()


# ---- the scatter matrix ----------------------------------------------------------------------------------------------


def test_a_rectangle_in_a_cell_selects_and_lights_in_all(session: Session, matrix: MatrixPane) -> None:
    canvas = matrix.matrix.matrix
    window = canvas.seen_in((0, 1))
    drag(canvas, corner(canvas, (0, 1), 0.05, 0.05), corner(canvas, (0, 1), 0.5, 0.5))
    chosen = selected(session)
    first, second = canvas.places.scales[0], canvas.places.scales[1]  # type: ignore[union-attr]
    left, high = window.to_unit(0.05 * window.width, 0.05 * window.height)
    right, low = window.to_unit(0.5 * window.width, 0.5 * window.height)
    x, y = second.units(values(session, "second")), first.units(values(session, "first"))
    slack = 0.01  # a pixel of the rectangle
    sure = (x > left + slack) & (x < right - slack) & (y > low + slack) & (y < high - slack)
    may = (x > left - slack) & (x < right + slack) & (y > low - slack) & (y < high + slack)
    assert sure.any() and set(np.flatnonzero(sure)) <= set(chosen) <= set(np.flatnonzero(may))
    lit = canvas.lit
    assert lit is not None and sorted(canvas.places.rows[lit].tolist()) == chosen  # type: ignore[union-attr]
    held = canvas.scene.bars[0].lit
    assert held is not None and held.counts.sum() == len(chosen)


def test_keys_held_while_a_rectangle_is_drawn_add_and_take_away(session: Session, matrix: MatrixPane) -> None:
    canvas = matrix.matrix.matrix
    whole = corner(canvas, (0, 3), 0.01, 0.01), corner(canvas, (0, 3), 0.99, 0.99)
    drag(canvas, corner(canvas, (0, 3), 0.01, 0.5), whole[1])
    below = selected(session)
    drag(canvas, *whole, keys=SHIFT)
    assert len(selected(session)) == 300
    drag(canvas, corner(canvas, (0, 3), 0.01, 0.5), whole[1], keys=ALT)
    assert selected(session) == sorted(set(range(300)) - set(below))
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert not selected(session) and canvas.lit is None


def test_a_range_on_the_diagonal_selects_by_one_attribute(session: Session, matrix: MatrixPane) -> None:
    canvas = matrix.matrix.matrix
    at = matrix.shown_attributes.index("color")
    drag(canvas, corner(canvas, (at, at), 0.01, 0.8), corner(canvas, (at, at), 0.33, 0.9))
    assert selected(session) == np.flatnonzero(values(session, "color") == 0).tolist()


def test_zoom_is_shared_by_the_row_and_the_column(matrix: MatrixPane) -> None:
    canvas = matrix.matrix.matrix
    before = canvas.scene.ranges
    wheel(canvas, corner(canvas, (0, 1), 0.5, 0.5), 3)
    after = canvas.scene.ranges
    assert after[2:] == before[2:]
    for axis in (0, 1):
        assert after[axis][1] - after[axis][0] < 0.7 * (before[axis][1] - before[axis][0])
    assert canvas.seen_in((3, 1)).left == after[1][0] and canvas.seen_in((1, 2)).low == after[1][0]
    drag(canvas, corner(canvas, (0, 1), 0.5, 0.5), corner(canvas, (0, 1), 0.7, 0.5), button=RIGHT)
    assert canvas.scene.ranges[1][0] < after[1][0] and canvas.scene.ranges[0] == after[0]
    QTest.keyClick(canvas, Qt.Key.Key_F)
    assert canvas.scene.ranges == before


def test_a_pair_is_opened_in_the_scatter_plot_by_mouse_and_by_keys(
    session: Session, tab: VisualizeTab, matrix: MatrixPane, wait_until: Wait
) -> None:
    canvas = matrix.matrix.matrix
    names = matrix.shown_attributes
    across, up = tab.findChild(QComboBox, "visualize.x"), tab.findChild(QComboBox, "visualize.y")
    assert across is not None and up is not None
    opener = canvas._painter.opener(canvas._area((2, 0))).center()
    QTest.mouseMove(canvas, opener.toPoint())
    QTest.mouseClick(canvas, LEFT, NONE, opener.toPoint())
    assert (across.currentText(), up.currentText()) == (names[0], names[2]) and not matrix.isVisible()
    press(tab, "visualize.show-matrix")
    canvas.setFocus()
    canvas.set_focus_cell((0, 0))
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down):
        QTest.keyClick(canvas, key)
    assert canvas.accessibleDescription() == f"{names[1]} over {names[2]}"
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    assert (across.currentText(), up.currentText()) == (names[2], names[1])


def test_keys_zoom_a_cell_and_select_what_it_shows(session: Session, matrix: MatrixPane) -> None:
    canvas = matrix.matrix.matrix
    canvas.setFocus()
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    assert canvas.focus_cell == (0, 1)
    QTest.keyClick(canvas, Qt.Key.Key_Space)
    everywhere = selected(session)
    assert everywhere == np.flatnonzero(~np.isnan(values(session, "second"))).tolist()
    for _ in range(4):
        QTest.keyClicks(canvas, "+")
    QTest.keyClick(canvas, Qt.Key.Key_Space)
    assert 0 < len(selected(session)) < len(everywhere)
    QTest.keyClick(canvas, Qt.Key.Key_Left, CONTROL)
    assert canvas.scene.ranges[1][0] < canvas.scene.ranges[1][1]


def test_pointing_at_a_record_tells_what_it_is(matrix: MatrixPane, wait_until: Wait) -> None:
    canvas = matrix.matrix.matrix
    assert canvas.places is not None
    points, window = canvas.places.pair(1, 0), canvas.seen_in((0, 1))
    at = int(np.argmax(points.y))
    px, py = window.to_pixel(float(points.x[at]), float(points.y[at]))
    area = canvas._area((0, 1))
    QTest.mouseMove(canvas, QPoint(round(area.x() + px), round(area.y() + py)))
    wait_until(lambda: matrix.view.card.isVisible())
    row = int(points.rows[at])
    assert f"Record {row + 1} is " in matrix.view.card.html and "first: " in matrix.view.card.html


def test_one_record_is_selected_by_a_click_and_none_beside(session: Session, matrix: MatrixPane) -> None:
    canvas = matrix.matrix.matrix
    assert canvas.places is not None
    points, window, area = canvas.places.pair(1, 0), canvas.seen_in((0, 1)), canvas._area((0, 1))
    at = int(np.argmax(points.y))
    px, py = window.to_pixel(float(points.x[at]), float(points.y[at]))
    QTest.mouseClick(canvas, LEFT, NONE, QPoint(round(area.x() + px), round(area.y() + py)))
    assert selected(session) == [int(points.rows[at])]
    QTest.mouseClick(canvas, LEFT, NONE, corner(canvas, (0, 1), 0.98, 0.98).toPoint())
    assert not selected(session)


def test_wrong_records_are_marked_counted_and_shown_alone(
    session: Session, matrix: MatrixPane, wait_until: Wait
) -> None:
    session.start_run(C45(), CrossValidation(folds=3))
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 90)
    rest(session, matrix, wait_until)
    run = session.current_run
    assert run is not None and run.result is not None and matrix.view.places is not None
    n_wrong = int(np.count_nonzero(~run.result.right))
    wait_until(lambda: f"{n_wrong} wrong" in said(matrix))
    marked = matrix.view.canvas.grab().toImage()
    act(matrix, "Mark wrong records")
    assert matrix.view.canvas.grab().toImage() != marked
    act(matrix, "Wrong records only")
    rest(session, matrix, wait_until)
    assert len(matrix.view.places) == n_wrong and f"{n_wrong} wrong" in said(matrix)


def test_the_selection_of_another_view_is_lit(session: Session, matrix: MatrixPane) -> None:
    assert session.data is not None
    session.selection.select(session.data, np.array([3, 5]))
    canvas = matrix.view.canvas
    assert canvas.lit is not None and canvas.places is not None
    assert sorted(canvas.places.rows[canvas.lit].tolist()) == [3, 5]
    session.selection.clear()
    assert canvas.lit is None


# ---- what both have --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [MATRIX, PARALLEL])
def test_a_class_is_lit_from_the_legend(session: Session, tab: VisualizeTab, kind: str, wait_until: Wait) -> None:
    pane = opened(session, tab, kind, mixed_table(), wait_until)
    legend, canvas = pane.view.legend, pane.view.canvas
    area = legend.area_of(1)
    assert area is not None and canvas.places is not None
    QTest.mouseClick(legend, LEFT, NONE, area.center().toPoint())
    assert canvas.lit is not None and np.array_equal(canvas.lit, canvas.places.of_class(1))
    assert legend.accessibleDescription() == "Lit: b"
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
    pane.chooser.hide()


def test_the_last_attribute_stays_and_no_more_are_shown_than_can_be_read(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    schema = Schema(tuple(Attribute(f"x{i}", Kind.NUMERIC) for i in range(30)))
    random = np.random.default_rng(0)
    pane = opened(session, tab, MATRIX, Dataset(schema, list(random.normal(size=(30, 50)))), wait_until)
    QTest.mouseClick(pane.attributes, LEFT)
    listed = pane.chooser.list
    for row in range(len(pane.shown_attributes), 10):
        listed.setCurrentRow(row)
        QTest.keyClick(listed, Qt.Key.Key_Space)
    rest(session, pane, wait_until)
    assert len(pane.shown_attributes) == 8
    assert any("At most 8" in label.text() for label in pane.chooser.findChildren(QLabel))
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
    export.save_png(str(tmp_path / "a.png"))
    export.save_svg(str(tmp_path / "a.svg"))
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
    assert "the stronger the more records" in said(pane)
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


# ---- parallel coordinates --------------------------------------------------------------------------------------------


def on_axis(canvas: ParallelCanvas, axis: int, height: float) -> QPointF:
    return QPointF(canvas.frame.x(axis), canvas.frame.y(height))


def test_a_brush_on_an_axis_selects_its_range(session: Session, parallel: ParallelPane) -> None:
    canvas = parallel.parallel.lines
    axis = parallel.shown_attributes.index("first")
    drag(canvas, on_axis(canvas, axis, 0.5), on_axis(canvas, axis, 1.0))
    brush = canvas.scene.brushes[axis]
    assert canvas.places is not None
    expected = np.sort(canvas.places.rows[brush.holds(canvas.places.units[axis])]).tolist()
    assert selected(session) == expected and 20 < len(expected) < 200
    scale = canvas.places.scales[axis]
    assert values(session, "first")[expected].min() >= scale.value(brush.low) - 1e-6
    assert scale.value(brush.low) == pytest.approx((scale.low + scale.high) / 2, rel=0.05)


def test_several_brushes_select_what_lies_in_all_of_them(session: Session, parallel: ParallelPane) -> None:
    canvas = parallel.parallel.lines
    first, color = (parallel.shown_attributes.index(name) for name in ("first", "color"))
    drag(canvas, on_axis(canvas, first, 0.5), on_axis(canvas, first, 1.0))
    one = selected(session)
    drag(canvas, on_axis(canvas, color, 0.7), on_axis(canvas, color, 0.99))
    both = selected(session)
    assert both == [row for row in one if values(session, "color")[row] == 2] and 0 < len(both) < len(one)
    QTest.mouseClick(canvas, LEFT, NONE, on_axis(canvas, first, 0.1).toPoint())
    assert selected(session) == np.flatnonzero(values(session, "color") == 2).tolist()
    QTest.mouseClick(canvas, LEFT, NONE, on_axis(canvas, color, 0.1).toPoint())
    assert not selected(session) and not canvas.scene.brushes


def test_the_records_without_a_value_can_be_brushed(session: Session, parallel: ParallelPane) -> None:
    canvas = parallel.parallel.lines
    axis = parallel.shown_attributes.index("second")
    drag(canvas, on_axis(canvas, axis, MISSING + 0.02), on_axis(canvas, axis, MISSING - 0.02))
    assert selected(session) == list(range(20))


def test_a_selection_from_elsewhere_drops_the_brushes(session: Session, parallel: ParallelPane) -> None:
    canvas = parallel.parallel.lines
    drag(canvas, on_axis(canvas, 0, 0.5), on_axis(canvas, 0, 1.0))
    assert canvas.scene.brushes
    session.selection.select(session.data, np.array([1]))  # type: ignore[arg-type]
    assert not canvas.scene.brushes


def test_an_axis_is_moved_by_its_name(session: Session, parallel: ParallelPane) -> None:
    canvas = parallel.parallel.lines
    names = parallel.shown_attributes
    start, end = (canvas.painter.name_area(canvas.frame, axis).center() for axis in (0, 2))
    drag(canvas, start, end)
    assert parallel.shown_attributes == (names[1], names[2], names[0], names[3])
    assert canvas.places is not None
    assert [scale.attribute.name for scale in canvas.places.scales] == list(parallel.shown_attributes)
    listed = parallel.chooser.list
    assert [listed.item(i).text() for i in range(4)] == list(parallel.shown_attributes)


def test_axes_are_moved_turned_and_zoomed_by_keys(parallel: ParallelPane) -> None:
    canvas = parallel.parallel.lines
    names = parallel.shown_attributes
    canvas.setFocus()
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    QTest.keyClick(canvas, Qt.Key.Key_Left, CONTROL)
    assert parallel.shown_attributes[:2] == (names[1], names[0]) and canvas.focus_axis == 0
    QTest.keyClicks(canvas, "r")
    assert canvas.scene.views[0].turned
    assert "turned around" in canvas.accessibleDescription() and names[1] in canvas.accessibleDescription()
    whole = canvas.scene.views[0]
    QTest.keyClicks(canvas, "++")
    assert canvas.scene.views[0].high - canvas.scene.views[0].low < whole.high - whole.low
    QTest.keyClicks(canvas, "f")
    assert canvas.scene.views[0] == whole


def test_a_range_is_brushed_by_keys(session: Session, parallel: ParallelPane) -> None:
    canvas = parallel.parallel.lines
    axis = parallel.shown_attributes.index("color")
    canvas.setFocus()
    for _ in range(axis):
        QTest.keyClick(canvas, Qt.Key.Key_Right)
    for _ in range(4):
        QTest.keyClick(canvas, Qt.Key.Key_Up)
    QTest.keyClick(canvas, Qt.Key.Key_Up, SHIFT)
    assert selected(session) == np.flatnonzero(values(session, "color") == 2).tolist()
    QTest.keyClick(canvas, Qt.Key.Key_Down, SHIFT)
    assert selected(session) == np.flatnonzero(values(session, "color") >= 1).tolist()
    QTest.keyClick(canvas, Qt.Key.Key_Delete)
    assert not selected(session)


def test_an_axis_is_turned_and_zoomed_by_mouse(parallel: ParallelPane) -> None:
    canvas = parallel.parallel.lines
    QTest.mouseClick(canvas, LEFT, NONE, canvas.painter.turn_area(canvas.frame, 1).center().toPoint())
    assert [view.turned for view in canvas.scene.views] == [False, True, False, False]
    before = canvas.scene.views
    wheel(canvas, on_axis(canvas, 1, 0.3), 4)
    zoomed = canvas.scene.views
    assert zoomed[0] == before[0] and zoomed[1].high - zoomed[1].low < 0.6 * (before[1].high - before[1].low)
    assert zoomed[1].unit(0.3) == pytest.approx(before[1].unit(0.3), abs=0.01)
    drag(canvas, on_axis(canvas, 1, 0.5), on_axis(canvas, 1, 0.2), button=RIGHT)
    assert canvas.scene.views[1] != zoomed[1]
    assert len(canvas.in_view()) < 300


def test_the_line_under_the_mouse_is_told_and_selected(
    session: Session, parallel: ParallelPane, wait_until: Wait
) -> None:
    canvas = parallel.parallel.lines
    assert canvas.places is not None
    heights = canvas.scene.views[0].heights(canvas.places.units[0])
    record = int(np.argmax(heights))
    after = canvas.scene.views[1].heights(canvas.places.units[1])[record]
    at = QPointF(canvas.frame.x(0.2), canvas.frame.y(0.8 * float(heights[record]) + 0.2 * float(after)))
    QTest.mouseMove(canvas, at.toPoint())
    wait_until(lambda: parallel.view.card.isVisible())
    assert canvas.hover != -1 and "Record " in parallel.view.card.html
    QTest.mouseClick(canvas, LEFT, NONE, at.toPoint())
    assert selected(session) == [int(canvas.places.rows[canvas.hover])] or len(selected(session)) == 1


def test_the_class_of_interest_is_lit_by_the_menu(session: Session, parallel: ParallelPane) -> None:
    session.set_class_of_interest(2)
    act(parallel, "Light the class of interest")
    canvas = parallel.view.canvas
    assert canvas.lit is not None and canvas.places is not None
    assert np.array_equal(canvas.lit, canvas.places.of_class(2))
    act(parallel, "Light the class of interest")
    assert canvas.lit is None


def test_missing_values_have_a_place_of_their_own(parallel: ParallelPane) -> None:
    canvas = parallel.parallel.lines
    axis = parallel.shown_attributes.index("second")
    assert canvas.places is not None and canvas.places.n_missing[axis] == 20
    assert canvas.frame.span[0] < MISSING
    assert any("30 with a value missing" in label.text() for label in parallel.findChildren(ElidedLabel))


def test_ranges_that_no_record_is_in_are_said_to_be_empty(session: Session, parallel: ParallelPane) -> None:
    canvas = parallel.parallel.lines
    first, second = (parallel.shown_attributes.index(name) for name in ("first", "second"))
    drag(canvas, on_axis(canvas, first, 0.85), on_axis(canvas, first, 1.0))
    drag(canvas, on_axis(canvas, second, 0.9), on_axis(canvas, second, 1.0))
    assert not selected(session) and len(canvas.scene.brushes) == 2
    assert canvas.lit is not None and not canvas.lit.any()
    assert "no record lies in all of these ranges" in said(parallel)
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert canvas.lit is None and "drag along an axis" in said(parallel)


def test_the_pictures_share_one_pill_where_room_is_scarce(
    session: Session, tab: VisualizeTab, matrix: MatrixPane, wait_until: Wait
) -> None:
    press(tab, "visualize.show-scatter")
    scatter = tab.findChild(ScatterPane)
    assert scatter is not None
    one, all_three = (scatter.findChild(QPushButton, f"visualize.show-{end}") for end in ("as-scatter", "matrix"))
    assert one is not None and all_three is not None
    assert all_three.isVisible() and not one.isVisible()
    tab.resize(700, 600)
    wait_until(lambda: one.isVisible() and not all_three.isVisible())
    one.menu().actions()[1].trigger()
    assert matrix.isVisible()
