"""The scatter plot over a real session, by mouse and keys: axes, mistakes, selection, density, export."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QTableView

from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.evaluation.methods.methods import CrossValidation, TestFile, TrainingSet
from algorithms.evaluation.tested_records import RecordPredictions
from algorithms.io.text.text_writing import write_csv
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.trees.c45 import C45
from tests.expected_texts import tabs_visualize as wording
from tests.workbench.style.test_theme import contrast
from tests.workbench.tabs.visualize.scatter_helpers import (
    colour_at,
    drag,
    hue_apart,
    lonely_row,
    many,
    pane_of,
    place_of,
    rest,
)
from tests.workbench.window_helpers import LEFT, NONE, RIGHT, Wait, judged
from workbench.layout.camera import Window
from workbench.layout.density import counts_of_class
from workbench.layout.points import points_of
from workbench.layout.ticks import ticks
from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.style.structure_colors import class_letter
from workbench.style.theme import DARK_NAME, LIGHT_NAME, current_theme, themes
from workbench.tabs.visualize.scatter.records_shown import SubjectPredictions
from workbench.tabs.visualize.scatter.records_views import UNMARKED, ScatterPane
from workbench.tabs.visualize.tab import SELECT_CELLS, SELECT_POINT, VisualizeTab
from workbench.viewers.scatter.rendering import CELL
from workbench.viewers.scatter.scatter_canvas import ScatterCanvas
from workbench.viewers.scatter.scatter_paint import (
    WRONG_BESIDE,
    Layer,
    ScatterPainter,
    ScatterScene,
    leader_line,
    pile_words,
    piles,
    upright,
)
from workbench.viewers.tree.tree_view import TreeView


def test_records_are_seen_before_anything_is_learned(session: Session, tab: VisualizeTab, wait_until: Wait) -> None:
    session.open_sample("iris")
    wait_until(lambda: session.data is not None)
    pane = pane_of(tab)
    assert pane.isVisible() and pane.view.n_shown() == 150
    assert not pane.boundary.isEnabled() and not pane.boundary.isChecked()
    assert wording.TRAIN_ONE_IN_CLASSIFY in pane.boundary.toolTip()
    assert any(wording.CHOOSE_A_LEARNER in label.text() for label in tab.findChildren(QLabel))


def test_the_axes_are_the_attributes_highest_in_the_tree(iris: ScatterPane) -> None:
    assert {iris.across.currentText(), iris.up.currentText()} == {"Petal Width", "Petal Length"}


def test_numbers_beside_the_axis_have_room_at_any_height(iris: ScatterPane) -> None:
    scene, painter = iris.view.canvas.scene, ScatterPainter()
    assert scene.points is not None
    scale, line = scene.points.up, painter.metrics.height()
    low, high = scale.span
    for height in (200.0, 480.0, 900.0, 1440.0):
        area = painter.plot_area(scene, 2.0 * height, height)
        for part in (1.0, 0.9, 0.7):
            seen = ticks(scale, low, low + part * (high - low), max(2, int(area.height() / (line * 1.9))))
            assert max(painter.metrics.horizontalAdvance(text) for _, text in seen) <= area.left() - line - 14


def test_other_axes_are_chosen_by_keys(session: Session, iris: ScatterPane, wait_until: Wait) -> None:
    before = iris.view.points
    iris.across.setFocus()
    QTest.keyClick(iris.across, Qt.Key.Key_Home)
    assert iris.across.currentText() == "Sepal Length"
    rest(session, iris, wait_until)
    assert iris.view.points is not None and iris.view.points is not before
    assert iris.view.points.across.attribute.name == "Sepal Length"


def test_wrong_records_are_marked_and_counted(session: Session, iris: ScatterPane, tab: VisualizeTab) -> None:
    run, points = session.current_run, iris.view.points
    assert run is not None and run.result is not None and points is not None
    wrong_ids = run.result.row_ids[~run.result.right]
    assert sorted(run.data.row_ids[points.rows[points.wrong]].tolist()) == sorted(wrong_ids.tolist())
    assert any(f"· {len(wrong_ids)} wrong" in label.text() for label in tab.findChildren(QLabel))


def test_wrong_records_are_counted_of_those_tested_where_not_all_were() -> None:
    decision = np.array([0, 1, 1, -1, -1], dtype=np.int32)
    found = SubjectPredictions(RecordPredictions(decision, np.array([False, True, True, False, False])))
    assert found.wrong_words(np.arange(3)) == ("2 wrong", "2 wrong")
    assert found.wrong_words(np.arange(5)) == (wording.WRONG_2_OF_3, wording.WRONG_2_OF_3)
    assert found.wrong_words(np.array([0, 3]))[0] == wording.WRONG_NONE_OF_1


def test_very_many_wrong_records_have_a_dot_and_no_circle(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    session.open_sample("breast-cancer")
    wait_until(lambda: session.data is not None and session.summary is not None)
    session.start_run(session.registry.learners.get("zero-r")(), CrossValidation(folds=3), 1)
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running)
    pane = pane_of(tab)
    rest(session, pane, wait_until)
    wait_until(lambda: "dotted: wrong" in pane.view.remark.text())
    points, seen = pane.view.points, pane.view.canvas.window_seen
    assert points is not None and np.count_nonzero(points.wrong) > 150
    x, y = points.x * seen.per_x, points.y * seen.per_y
    apart = (np.hypot(x[:, None] - x, y[:, None] - y) + 1e9 * np.eye(len(x))).min(axis=1)
    for is_wrong in (True, False):
        at = int(np.argmax(np.where(points.wrong == is_wrong, apart, 0.0)))
        pixel = QColor(colour_at(pane.view, float(points.x[at]), float(points.y[at])))
        assert (pixel.lightness() < 60) is is_wrong


def test_a_click_selects_the_nearest_record_and_elsewhere_nothing(session: Session, iris: ScatterPane) -> None:
    view, data = iris.view, session.data
    assert data is not None
    row = lonely_row(view)
    QTest.mouseClick(view.canvas, LEFT, NONE, place_of(view, row) + QPoint(3, 2))
    assert session.selection.rows_of(data).tolist() == [row]
    area = view.canvas.area.toRect()
    QTest.mouseClick(view.canvas, LEFT, NONE, area.topLeft() + QPoint(3, 3))
    assert len(session.selection) == 0


def test_dragging_selects_a_rectangle_and_keys_say_how(session: Session, iris: ScatterPane) -> None:
    view, data = iris.view, session.data
    assert data is not None and view.points is not None
    area = view.canvas.area.toRect()
    left = QPoint(area.left() + area.width() * 3 // 10, area.bottom() - 2)
    drag(view, area.topLeft() + QPoint(2, 2), left)
    first = set(session.selection.rows_of(data).tolist())
    seen, points = view.canvas.window_seen, view.points
    edge = seen.to_unit(left.x() - view.canvas.area.x(), 0)[0]
    assert first == set(points.rows[points.x <= edge].tolist()) and 0 < len(first) < 150
    drag(
        view,
        QPoint(left.x() + 2, area.top() + 2),
        area.bottomRight() - QPoint(2, 2),
        keys=Qt.KeyboardModifier.ShiftModifier,
    )
    assert len(session.selection) == 150
    drag(view, area.topLeft() + QPoint(2, 2), left, keys=Qt.KeyboardModifier.AltModifier)
    assert set(session.selection.rows_of(data).tolist()) == set(range(150)) - first


def test_what_is_selected_elsewhere_is_marked_here(session: Session, iris: ScatterPane) -> None:
    data, points = session.data, iris.view.points
    assert data is not None and points is not None
    before = iris.view.canvas.grab().toImage()
    session.selection.select(data, np.array([5, 77]))
    chosen = iris.view.canvas.scene.chosen
    assert chosen is not None and sorted(points.rows[chosen].tolist()) == [5, 77]
    assert iris.view.canvas.grab().toImage() != before
    assert all(words in iris.view.remark.text() for words in (wording.NOT_TRAINED_ON_THEM, wording.RINGED))
    assert wording.JITTERED in iris.view.remark.text()
    session.selection.select(data, np.arange(100))
    assert wording.PALE_NOT_SELECTED in iris.view.remark.text()
    session.selection.clear()
    assert iris.view.canvas.grab().toImage() == before
    assert "selected" not in iris.view.remark.text()


def test_the_notes_below_the_points_have_a_row_of_their_own(iris: ScatterPane) -> None:
    """Beside the legend, they were cut to one of them in large text."""
    remark, legend = iris.view.remark, iris.view.legend
    assert remark.width() >= 0.95 * iris.view.width() and remark.y() >= legend.geometry().bottom()


def test_the_name_of_the_upright_axis_goes_below_the_points_before_it_is_cut(qapp: QApplication) -> None:
    metrics, names = QFontMetricsF(themes.font(12)), ("Petal Width", "Petal Length")
    width = metrics.horizontalAdvance(names[1])
    low, high = QRectF(60, 8, 300, 0.8 * width), QRectF(60, 8, 300, 3 * width)
    assert upright(metrics, names, high, 40) == (names[1], high.center().y())
    shown, middle = upright(metrics, names, low, 40)
    assert shown == names[1] and middle - width / 2 == pytest.approx(low.top())
    assert upright(metrics, names, low, 0)[0].endswith("Length")


def test_the_record_under_the_mouse_is_told_in_words(iris: ScatterPane, wait_until: Wait) -> None:
    view = iris.view
    row = lonely_row(view)
    QTest.mouseMove(view.canvas, QPoint(2, 2))
    QTest.mouseMove(view.canvas, place_of(view, row))
    wait_until(view.card.isVisible)
    assert f"Record {row + 1} is " in view.card.html and "predicted " in view.card.html
    assert "Petal Width: " in view.card.html


def test_records_are_walked_through_and_selected_by_keys(session: Session, iris: ScatterPane) -> None:
    canvas, data = iris.view.canvas, session.data
    assert data is not None and iris.view.points is not None
    canvas.setFocus()
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    first = canvas.scene.focus
    assert first >= 0
    QTest.keyClick(canvas, Qt.Key.Key_Left)
    second = canvas.scene.focus
    assert iris.view.points.x[second] < iris.view.points.x[first]
    assert "Record" in canvas.accessibleDescription()
    QTest.keyClick(canvas, Qt.Key.Key_Space)
    assert session.selection.rows_of(data).tolist() == [int(iris.view.points.rows[second])]
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert len(session.selection) == 0


def test_wheel_keys_and_dragging_move_the_view_and_f_shows_all(iris: ScatterPane) -> None:
    canvas = iris.view.canvas
    whole = canvas.window_seen
    at = canvas.area.center()
    QApplication.sendEvent(
        canvas,
        QWheelEvent(
            at, canvas.mapToGlobal(at), QPoint(), QPoint(0, 240), Qt.MouseButton.NoButton, NONE,
            Qt.ScrollPhase.NoScrollPhase, False,
        ),
    )  # fmt: skip
    zoomed = canvas.window_seen
    assert zoomed.right - zoomed.left < whole.right - whole.left
    drag(iris.view, at.toPoint(), at.toPoint() + QPoint(50, 0), RIGHT)
    assert canvas.window_seen.left == pytest.approx(zoomed.left - 50 / zoomed.per_x)
    QTest.keyClick(canvas, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert canvas.window_seen.left > zoomed.left - 50 / zoomed.per_x
    QTest.keyClick(canvas, Qt.Key.Key_F)
    assert canvas.window_seen == whole


def test_no_class_hides_the_others_where_points_overlap() -> None:
    """Of 20,000 points on a grid the last class won."""
    random, n = np.random.default_rng(1), 2000
    schema = Schema((numeric("x"), numeric("y"), nominal("c", ("a", "b"))), 2)
    codes = np.repeat([0, 1], n // 2)
    data = Dataset(schema, [random.integers(0, 10, n).astype(float), random.integers(0, 10, n).astype(float), codes])
    points = points_of(data, 0, 1, spread=False)
    scene = ScatterScene(points=points)
    scene.layer = Layer(Window(-9.0, 9.0, -9.0, 9.0), np.arange(n))
    image = QImage(400, 400, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    with QPainter(image) as painter:
        place = Window(-0.05, 1.05, -0.05, 1.05, 400.0, 400.0)
        ScatterPainter().paint_plane(painter, scene, place, QRectF(0, 0, 400, 400))
    theme = themes.current
    middles = np.unique(np.column_stack([points.x, points.y]), axis=0).tolist()
    tops = [image.pixelColor(*map(round, place.to_pixel(x, y))) for x, y in middles]
    assert len(tops) == 100
    near = [min((0, 1), key=lambda code: hue_apart(theme.class_color(code), top)) for top in tops]
    assert 15 <= sum(near) <= 85


def test_both_axes_are_named(iris: ScatterPane, tab: VisualizeTab) -> None:
    names = [label.text() for label in tab.findChildren(QLabel) if label.text() in ("x", "y")]
    assert names == ["x", "y"]
    assert iris.across.accessibleName() == wording.HORIZONTAL_AXIS and iris.up.accessibleName() == wording.VERTICAL_AXIS


def test_the_table_twin_shows_the_selected_records_and_selects(
    session: Session, iris: ScatterPane, tab: VisualizeTab
) -> None:
    data = session.data
    assert data is not None
    session.selection.select(data, np.array([3, 60, 140]))
    QTest.keyClick(iris.view.canvas, Qt.Key.Key_T)
    table = tab.findChild(QTableView, "visualize.scatter-table")
    assert table is not None and table.isVisible()
    model = table.model()
    assert [model.index(row, 0).data() for row in range(model.rowCount())] == ["4", "61", "141"]
    table.setFocus()
    QTest.mouseClick(table.viewport(), LEFT, NONE, table.visualRect(model.index(1, 1)).center())
    assert session.selection.rows_of(data).tolist() == [60]


def test_picture_drawing_and_table_are_saved(iris: ScatterPane, tmp_path: Path, wait_until: Wait) -> None:
    export = iris.view.export
    for save, name in ((export.save_picture, "a.png"), (export.save_picture, "a.svg"), (export.save_csv, "a.csv")):
        save(str(tmp_path / name))
        wait_until((tmp_path / name).exists)
    wait_until(lambda: not QImage(str(tmp_path / "a.png")).isNull())
    assert "<svg" in (tmp_path / "a.svg").read_text() and "Petal Width" in (tmp_path / "a.svg").read_text()
    wait_until(lambda: len((tmp_path / "a.csv").read_text().splitlines()) == 151)
    assert (tmp_path / "a.csv").read_text().startswith("Record,")


def test_both_themes_are_worn(session: Session, iris: ScatterPane, qapp: QApplication, wait_until: Wait) -> None:
    light = iris.view.canvas.grab().toImage()
    themes.choose(DARK_NAME)
    try:
        rest(session, iris, wait_until)
        assert iris.view.canvas.grab().toImage().pixelColor(2, 2).name() == themes.current.pane
        assert iris.view.canvas.grab().toImage() != light
    finally:
        themes.choose(LIGHT_NAME)


def test_many_records_are_shown_by_density_and_few_in_view_one_by_one(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    session.set_document(many(120_000))
    pane = pane_of(tab)
    rest(session, pane, wait_until)
    assert pane.view.n_shown() is None
    pane.view.canvas.zoom(20.0)
    wait_until(lambda: pane.view.n_shown() is not None)
    shown = pane.view.n_shown()
    assert shown is not None and 0 < shown < 120_000
    pane.view.canvas.fit()
    wait_until(lambda: pane.view.n_shown() is None)


def test_the_remark_about_wrong_records_is_not_said_of_density(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    session.set_document(many(60_000))
    judged(session, wait_until, NaiveBayes(), CrossValidation(folds=2))
    pane = pane_of(tab)
    rest(session, pane, wait_until)
    assert pane.view.n_shown() is None and session.runs[-1].report is not None
    assert wording.NOT_TRAINED not in pane.view.remark.text()
    assert UNMARKED in pane.view.remark.text() and tab.how_to_select() == SELECT_CELLS
    turned: list[bool] = []
    tab.selecting_changed.connect(lambda: turned.append(tab.how_to_select() == SELECT_POINT))
    pane.view.canvas.zoom(20.0)
    wait_until(lambda: turned == [True])
    assert UNMARKED not in pane.view.remark.text()


def test_a_density_picture_has_a_key_with_the_records_in_its_fullest_cell(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    """It only said "the stronger the more records"."""
    data = many(60_000)
    session.set_document(data)
    pane = pane_of(tab)
    rest(session, pane, wait_until)
    view, points = pane.view, pane.view.points
    layer = view.canvas.scene.layer
    assert points is not None and layer is not None and view.density.isVisible()
    counts = sum(counts_of_class(points, code, layer.window, CELL) for code in range(points.n_classes))
    assert view.density.fullest == counts.max() > 1  # type: ignore[union-attr]
    assert view.density.accessibleName() == wording.density_of(f"{view.density.fullest:,} records")
    [shades] = view.density.shades()
    assert [place for place, _color in shades] == [0.0, 1.0] and shades[0][1].alpha() < shades[1][1].alpha() == 255
    session.selection.select(data, np.arange(0, 60_000, 4))
    wait_until(lambda: "selected" in view.density.accessibleName())
    view.canvas.zoom(20.0)
    wait_until(lambda: view.n_shown() is not None)
    assert not view.density.isVisible()


def test_a_rectangle_over_density_selects_and_the_rest_fades(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    data = many(60_000)
    session.set_document(data)
    pane = pane_of(tab)
    rest(session, pane, wait_until)
    area = pane.view.canvas.area.toRect()
    before = pane.view.canvas.grab().toImage().pixelColor(area.center() + QPoint(30, 0))
    drag(pane.view, area.topLeft() + QPoint(1, 1), QPoint(area.center().x(), area.bottom() - 1))
    rows = session.selection.rows_of(data)
    assert 25_000 < len(rows) < 35_000 and data.column(0)[rows].max() < np.delete(data.column(0), rows).min()
    wait_until(lambda: pane.view.canvas.grab().toImage().pixelColor(area.center() + QPoint(30, 0)) != before)
    assert pane.view.n_shown() is None
    n = f"{len(rows):,}"
    assert wording.all_selected_in_view(n) in pane.view.remark.text()
    pane.view.canvas.pan(area.width() / 4, 0.0)
    points = pane.view.points
    assert points is not None
    left = points.across.value(pane.view.canvas.window_seen.left)
    n_seen = int(np.count_nonzero(data.column(0)[rows] >= left))
    assert 0 < n_seen < len(rows)
    assert wording.some_selected_in_view(n_seen, n) in pane.view.remark.text()


def test_another_table_is_shown_whole_with_its_own_axes(session: Session, iris: ScatterPane, wait_until: Wait) -> None:
    iris.view.canvas.zoom(3.0)
    session.open_sample("loan")
    wait_until(lambda: session.data is not None and "Home Owner" in session.data.schema)
    names = [iris.across.itemText(i) for i in range(iris.across.count())]
    assert "Home Owner" in names and "Petal Width" not in names
    assert iris.view.canvas.is_fitted and iris.view.points is not None and len(iris.view.points) == 10


def test_a_table_without_any_placeable_column_says_so(session: Session, tab: VisualizeTab) -> None:
    session.set_document(
        Dataset(Schema((Attribute("name", AttributeKind.TEXT),)), [np.array(["u", "v"], dtype=object)])
    )
    pane = pane_of(tab)
    assert pane.view.points is None
    assert any("no attribute" in label.text() for label in tab.findChildren(QLabel))


def test_hovering_and_clicking_an_empty_plot_does_nothing(session: Session, tab: VisualizeTab) -> None:
    session.set_document(many(0))
    pane = pane_of(tab)
    at = pane.view.canvas.area.center()
    QTest.mouseMove(pane.view.canvas, at.toPoint())
    QTest.mouseClick(pane.view.canvas, LEFT, NONE, at.toPoint())
    QTest.keyClick(pane.view.canvas, Qt.Key.Key_Right)
    assert pane.view.canvas.scene.focus == -1 and len(session.selection) == 0


def test_choosers_name_themselves(iris: ScatterPane, tab: VisualizeTab) -> None:
    for name, axis in (("visualize.x", wording.HORIZONTAL_AXIS), ("visualize.y", wording.VERTICAL_AXIS)):
        chooser = tab.findChild(QComboBox, name)
        assert chooser is not None and chooser.accessibleName() == axis


def test_a_click_on_a_node_selects_its_records(
    session: Session, iris: ScatterPane, tab: VisualizeTab, wait_until: Wait
) -> None:
    tree, data = tab.findChild(TreeView), session.data
    assert tree is not None and data is not None
    wait_until(lambda: tree.drawing is not None)
    assert tree.drawing is not None and tree.tree is not None
    x, y = tree.canvas.camera.to_view(float(tree.drawing.layout.x[1]), float(tree.drawing.top[1]) + 12)
    QTest.mouseClick(tree.canvas.viewport(), LEFT, NONE, QPoint(round(x), round(y)))
    wait_until(lambda: len(session.selection) > 0)
    assert len(session.selection) == tree.tree.counts[1].sum()
    assert iris.view.canvas.scene.chosen is not None
    tree.canvas.set_focus_node(2)
    QTest.keyClick(tree.canvas, Qt.Key.Key_S, Qt.KeyboardModifier.ShiftModifier)
    wait_until(lambda: len(session.selection) == 150)


def test_what_is_selected_while_the_tab_is_hidden_is_marked_when_it_is_seen(
    session: Session, iris: ScatterPane, tab: VisualizeTab
) -> None:
    data = session.data
    assert data is not None
    tab.hide()
    session.selection.select(data, np.array([7]))
    tab.show()
    chosen, points = iris.view.canvas.scene.chosen, iris.view.points
    assert chosen is not None and points is not None and points.rows[chosen].tolist() == [7]


def test_a_model_judged_on_a_test_file_marks_no_record(
    session: Session, tab: VisualizeTab, tmp_path: Path, wait_until: Wait
) -> None:
    session.open_sample("iris")
    wait_until(lambda: session.data is not None)
    assert session.data is not None
    write_csv(tmp_path / "test.csv", session.data.take(np.arange(0, 150, 3)))
    session.start_run(C45(), TestFile(path=str(tmp_path / "test.csv")))
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 60)
    points = pane_of(tab).view.points
    assert points is not None and not points.wrong.any()
    assert not any("wrong" in label.text() for label in pane_of(tab).findChildren(QLabel))


def test_the_last_number_of_an_axis_has_room_and_the_numbers_are_few(qapp: QApplication) -> None:
    values = np.linspace(0.0, 700.0, 60)
    data = Dataset(Schema((numeric("a"), numeric("b"))), [values, values])
    painter, scene = ScatterPainter(), ScatterScene(points_of(data, 0, 1))
    area, scale = painter.plot_area(scene, 2000, 900), scene.points.across if scene.points else None
    assert scale is not None
    assert area.right() + painter.metrics.horizontalAdvance("700.00") / 2 < 2000 or area.right() < 1985
    assert painter._most_up(900) <= 8 and painter._most_across(scale, Window(0, 1, 0, 1, 2000, 900), area) <= 8


def test_points_say_of_which_attributes_equal_values_are_spread() -> None:
    few, many_values = np.repeat([1.0, 2.0, 3.0], 30), np.linspace(0.0, 1.0, 90)
    data = Dataset(Schema((numeric("few"), numeric("many"))), [few, many_values])
    assert points_of(data, 0, 1).jittered == ("few",)
    assert points_of(data, 0, 1, spread=False).jittered == ()
    assert points_of(data, 1, 1).jittered == ()


def test_records_of_exactly_one_place_are_counted_the_most_first() -> None:
    x = np.array([11.0, 11.5, 11.0, 50.0, 50.0, 50.0, 50.0, 90.0, 90.0])
    assert [pile.tolist() for pile in piles(x, x)] == [[3, 4, 5, 6], [0, 2], [7, 8]]
    assert [pile.tolist() for pile in piles(x, x, near=1.0)] == [[3, 4, 5, 6], [0, 2, 1], [7, 8]]


def test_every_pile_of_a_crowd_has_its_number(qapp: QApplication) -> None:
    """A pile of 39 records with one wrong looked like one wrong record, since its number had no room beside it."""
    sizes = [39, 9, 5, 3, 2]
    x, y = np.repeat([100.0, 116.0, 104.0, 122.0, 110.0], sizes), np.repeat([300.0, 290.0, 284.0, 306.0, 315.0], sizes)
    counted = [(f"{len(pile)}", int(pile[0])) for pile in piles(x, y, near=5.0)]
    labels = ScatterPainter.pile_labels(counted, x, y, 5.0, QRectF(80, 80, 300, 260))
    assert [words for words, _, _ in labels] == ["39", "9", "5", "3", "2"]
    boxes = [box for _, box, _ in labels]
    assert not any(one.intersects(other) for i, one in enumerate(boxes) for other in boxes[:i])
    far = leader_line(QRectF(140, 100, 20, 14), QPointF(100, 100), 7.5)
    assert far is not None and (far.x1(), far.x2()) == (107.5, 138.5)
    assert leader_line(QRectF(108, 88, 20, 14), QPointF(100, 100), 7.5) is None, "it stands beside its symbol"


def test_a_pile_says_its_records_of_each_class_and_the_wrong_ones() -> None:
    right = np.zeros(4, dtype=np.bool_)
    assert pile_words(np.array([1, 1, 1, 1]), right) == "4"
    assert pile_words(np.array([1, 2, 1, -1]), right) == f"?1 {class_letter(1)}2 {class_letter(2)}1"
    assert pile_words(np.array([1, 1, 1, 1]), np.array([False, True, False, False])) == wording.FOUR_ONE_WRONG


@pytest.mark.parametrize(("width", "height"), [(1280, 400), (400, 900), (2400, 1200)])
def test_a_map_has_one_scale_and_the_same_numbers_beside_its_points_at_every_size(
    qapp: QApplication, width: int, height: int
) -> None:
    x, y = np.repeat([-0.4, -0.39, 0.6, 0.1, 0.11], 3), np.repeat([0.1, 0.1, -0.1, 0.2, 0.2], 3)
    data = Dataset(Schema((numeric("a"), numeric("b"))), [x, y])
    canvas = ScatterCanvas()
    canvas.scene.is_map = True
    canvas.resize(width, height)
    canvas.set_points(points_of(data, 0, 1, spread=False))
    points, seen, area = canvas.scene.points, canvas.window_seen, canvas.area
    assert points is not None
    assert seen.per_x / points.across.spanned(1.0) == pytest.approx(seen.per_y / points.up.spanned(1.0))
    assert seen.left < 0.0 and seen.right > 1.0 and seen.low < 0.0 and seen.high > 1.0
    counted = piles(points.x, points.y)
    assert [len(pile) for pile in counted] == [3] * 5
    px = area.x() + (points.x - seen.left) * seen.per_x
    py = area.y() + (seen.high - points.y) * seen.per_y
    labels = ScatterPainter.pile_labels([("3", int(pile[0])) for pile in counted], px, py, 4.4, area)
    assert {words for words, *_ in labels} == {"3"}
    assert not any(
        box.adjusted(-4.4, -4.4, 4.4, 4.4).contains(*place)
        for _, box, _ in labels
        for place in zip(px.tolist(), py.tolist(), strict=True)
    )


def test_numbers_below_zero_have_room_beside_a_high_plot(qapp: QApplication) -> None:
    values = np.linspace(-0.16, 0.4, 60)
    data = Dataset(Schema((numeric("a"), numeric("b"))), [values, values])
    painter, scene = ScatterPainter(), ScatterScene(points_of(data, 0, 1))
    area = painter.plot_area(scene, 1000, 900)
    room = area.left() - painter.metrics.height() - 14
    assert painter.metrics.horizontalAdvance("−0.14") <= room


def test_records_of_a_run_are_marked_also_where_the_table_has_fewer_by_now(
    session: Session, iris: ScatterPane, wait_until: Wait
) -> None:
    first, data = session.current_run, session.data
    assert first is not None and data is not None
    session.edit("Remove records", data.take(np.arange(30, 150)))
    assert session.data is not None
    judged(session, wait_until, C45(), TrainingSet())
    session.turns.finish()
    session.selection.select(session.data, np.array([5]))
    session.set_current_run(first)
    session.turns.finish()
    chosen, points = iris.view.canvas.scene.chosen, iris.view.points
    assert chosen is not None and points is not None and len(points) == 150
    assert points.rows[chosen].tolist() == [35]


def test_while_other_records_are_on_their_way_the_selection_goes_by_those_in_view(
    session: Session, tab: VisualizeTab, wait_until: Wait
) -> None:
    before = many(60_000)
    session.set_document(before)
    pane = pane_of(tab)
    rest(session, pane, wait_until)
    now = before.take(np.arange(20_000, 60_000))
    session.edit("Remove records", now)
    session.turns.finish()
    assert pane.view.records is before  # they are placed in a job, of which nothing is heard before the next turn
    session.selection.select(now, np.array([39_999]))
    chosen, points = pane.view.canvas.scene.chosen, pane.view.points
    assert chosen is not None and points is not None and points.rows[chosen].tolist() == [59_999]
    pane.view.selected.emit(np.array([59_998]), SelectionMode.REPLACE, "a click")
    assert session.selection.rows_of(now).tolist() == [39_998]
    rest(session, pane, wait_until)
    wait_until(lambda: pane.view.records is now)
    chosen, points = pane.view.canvas.scene.chosen, pane.view.points
    assert chosen is not None and points is not None and points.rows[chosen].tolist() == [39_998]


@pytest.mark.parametrize("theme", [LIGHT_NAME, DARK_NAME])
def test_circles_of_wrong_records_beside_selected_ones_can_be_seen(qapp: QApplication, theme: str) -> None:
    """At an opacity of 0.35 they were lost on the grounds of the regions."""
    themes.install(qapp, theme)
    try:
        text, pane = (current_theme().color(token) for token in ("text", "pane"))
        parts = zip(text.getRgb()[:3], pane.getRgb()[:3], strict=True)
        circle = QColor(*(round(WRONG_BESIDE * over + (1 - WRONG_BESIDE) * under) for over, under in parts))
        assert contrast(circle.name(), pane.name()) >= 3.0
    finally:
        themes.install(qapp, LIGHT_NAME)
