"""The curve view by mouse and keys, its table twin, and what can be taken away of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pyqtgraph import BarGraphItem, PlotDataItem
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication, QImage
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QGraphicsItem, QToolTip

from algorithms.core.errors import DataError
from algorithms.core.scores import halfway
from algorithms.evaluation.curves.curve_base import (
    CurveKind,
    Guide,
    Role,
    Trace,
    TraceColumn,
    ValueFormat,
    class_curves,
)
from algorithms.evaluation.curves.curve_kinds import (
    CURVES,
    Calibration,
    CostCurveKind,
    MarginCurve,
    PrecisionRecall,
    Roc,
)
from algorithms.text.numbers import amount, coefficient, percent, price, price_alike
from algorithms.text.sentences import threshold_words
from tests.algorithms.evaluation.results import random_result
from tests.expected_texts import core as core_wording
from tests.expected_texts import viewers as wording
from tests.workbench.window_helpers import LEFT
from workbench.style.theme import current_theme, themes
from workbench.tabs.evaluate.curve_pane import TIGHT_FIGURE, CurveModel, CurveView
from workbench.viewers.charts.chart_base import SignedAxis
from workbench.viewers.charts.curve_plot import (
    SOMETIMES,
    CurveLine,
    CurvePlot,
    as_csv,
    cell_words,
    guide_pen,
    line_pen,
    nearest_point,
    point_sentence,
)
from workbench.viewers.nomogram_canvas import odds_words


def trace_of(seed: int = 0, n: int = 400, kind: CurveKind | None = None) -> Trace:
    return (kind or Roc()).trace(class_curves(random_result(n, seed=seed), 1))


@pytest.fixture
def line() -> CurveLine:
    return CurveLine("C4.5 (run 1)", trace_of())


def test_the_hull_is_seen_where_it_lies_on_the_curve(view: CurveView, line: CurveLine) -> None:
    """The legend promised a red line that lay under the black one."""
    (x, y), color = line.trace.outline, guide_pen(Role.BEST).color()
    on_the_curve = Guide("ROC convex hull", "", np.asarray(x), np.asarray(y), Role.BEST)
    view.show_lines([replace(line, trace=replace(line.trace, guides=(on_the_curve,)))], Roc())
    image = view.plot.grab().toImage()
    pixels = (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()))
    assert sum(abs(p.red() - color.red()) + abs(p.blue() - color.blue()) < 60 for p in pixels) > 100


def place_of(plot: CurvePlot, threshold: float) -> tuple[float, float]:
    """The point of a threshold on the first line."""
    trace = plot.lines[0].trace
    row = trace.nearest(threshold)
    return float(trace.x[row]), float(trace.y[row])


@pytest.fixture
def view(qapp: QApplication, line: CurveLine) -> Iterator[CurveView]:
    view = CurveView("evaluate.roc")
    view.resize(420, 360)
    view.show()
    QTest.qWaitForWindowExposed(view)
    view.show_lines([line, CurveLine("CART (run 2)", trace_of(3), 1)], Roc())
    view.plot.show_point(0.5, place_of(view.plot, 0.5))
    yield view
    view.close()
    view.deleteLater()


def at(view: CurveView, place: tuple[float, float]) -> QPoint:
    return view.plot.to_view(*place).toPoint()


@pytest.mark.parametrize(
    ("threshold", "words"),
    [
        (0.0, "0%"),
        (0.0083, "0.83%"),
        (6.3e-7, "0.000063%"),
        (0.0312499999999763, "3.1%"),
        (1 / 11, "9.1%"),
        (0.09, "9%"),
        (0.5, "50%"),
        (0.345, "34.5%"),
        (0.99999, "99.999%"),
        (1 - 1e-14, ">99.9%"),
        (1.0, "100%"),
        (1.001, "over 100%"),
        (float("inf"), "over 100%"),
    ],
)
def test_a_threshold_is_written_in_percent_whole_if_ten_decimals_suffice(threshold, words):
    assert threshold_words(threshold) == words
    column = TraceColumn("Threshold", np.array([threshold]), ValueFormat.THRESHOLD)
    assert cell_words(column, 0) == threshold_words(threshold, 1)


def test_the_percentages_below_a_narrow_curve_do_not_touch(view, line, wait_until):
    view.show_lines([line], Roc())
    axis, places = view.plot.getAxis("bottom"), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    view.resize(900, 300)
    wait_until(lambda: axis.tickStrings(places, 100, 0.2) == ["0%", "20%", "40%", "60%", "80%", "100%"])
    view.resize(200, 300)
    wait_until(lambda: axis.tickStrings(places, 100, 0.2) == ["0%", "", "40%", "", "80%", ""])


def test_lines_are_told_apart_by_colour_and_pattern_together():
    looks = {(line_pen(i).color().name(), *line_pen(i).dashPattern()) for i in range(30)}
    assert len(looks) == 30
    assert line_pen(0, in_view=True).color().name() not in {line_pen(i).color().name() for i in range(30)}
    assert line_pen(0, in_view=True).style() is Qt.PenStyle.SolidLine
    assert line_pen(0).style() is not Qt.PenStyle.SolidLine


def test_nearest_point_counts_in_pixels(line):
    fpr, tpr = line.trace.x, line.trace.y
    found, away = nearest_point(line.trace, float(fpr[7]), float(tpr[7]) + 0.001, 300, 300)
    assert (fpr[found], tpr[found]) == (fpr[7], tpr[7])
    assert away == pytest.approx(0.3)


def test_operating_point_is_dragged_along_its_curve(view, line):
    chosen: list[float] = []
    view.threshold_chosen.connect(chosen.append)
    view.threshold_chosen.connect(lambda t: view.plot.show_point(t, place_of(view.plot, t)))
    goal = place_of(view.plot, 0.8)
    assert view.plot.point is not None
    QTest.mousePress(view.plot.viewport(), LEFT, pos=at(view, view.plot.point))
    QTest.mouseMove(view.plot.viewport(), at(view, goal) + QPoint(2, 2))
    QTest.mouseRelease(view.plot.viewport(), LEFT, pos=at(view, goal))
    assert chosen
    assert view.plot.point == pytest.approx(goal, abs=0.03)
    assert chosen[-1] in line.trace.thresholds
    before = list(chosen)
    QTest.mouseMove(view.plot.viewport(), at(view, (0.9, 0.2)))
    assert chosen == before


def test_click_on_the_curve_takes_the_point_there(view):
    chosen: list[float] = []
    view.threshold_chosen.connect(chosen.append)
    QTest.mouseClick(view.plot.viewport(), LEFT, pos=at(view, place_of(view.plot, 0.3)))
    assert chosen[-1] == pytest.approx(0.3, abs=0.06)


def test_arrows_step_from_threshold_to_threshold(view, line):
    view.threshold_chosen.connect(lambda t: view.plot.show_point(t, place_of(view.plot, t)))
    chosen: list[float] = []
    view.threshold_chosen.connect(chosen.append)
    start = line.trace.nearest(0.5)
    view.plot.setFocus()
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Right):
        QTest.keyClick(view.plot, key)
    thresholds = line.trace.thresholds
    assert chosen == [thresholds[start + 1], thresholds[start + 2], thresholds[start + 1]]


def test_keys_and_double_click_zoom_and_show_all(view):
    whole = view.plot.getViewBox().viewRect()
    view.plot.setFocus()
    QTest.keyClicks(view.plot, "+")
    assert view.plot.getViewBox().viewRect().width() < whole.width()
    QTest.mouseDClick(view.plot.viewport(), LEFT, pos=at(view, (0.6, 0.4)))
    QTest.mouseRelease(view.plot.viewport(), LEFT)  # it leaves the button pressed for the tests to come
    assert view.plot.getViewBox().viewRect().width() == pytest.approx(whole.width())


def test_guides_are_drawn_go_and_come_back(view):
    def seen():
        return [item for item in view.plot.getPlotItem().items if item.isVisible()]

    def same_cost(low):
        return Guide.straight("same cost", "equal", (0, low), (1, 0.9), Role.COST)

    least = replace(Guide.straight("least cost", "least", (0, 0.5), (1, 1.0), Role.LEAST), touch=(0.2, 0.6))
    before = seen()
    view.plot.show_guides([least, same_cost(0.4)])
    there = [item for item in seen() if item not in before]
    assert len(there) == 3 and len(view.plot.touches) == 1
    view.plot.show_guides([same_cost(0.3)])
    (line,) = (item for item in seen() if item not in before)
    assert line in there and line.getData()[1].tolist() == [0.3, 0.9] and not view.plot.touches
    view.plot.show_guides([])
    assert seen() == before
    view.plot.show_guides([replace(least, touch=(0.4, 0.7)), same_cost(0.4)])
    assert set(seen()) - set(before) == set(there)
    (square,) = view.plot.touches
    assert [axis.tolist() for axis in square.getData()] == [[0.4], [0.7]]
    view.plot.dress()
    assert len(seen()) == len(before) + 3


def test_every_role_of_a_guide_has_a_pattern_of_its_own(qapp):
    assert len({guide_pen(role).style() for role in Role}) == len(Role)


@pytest.mark.parametrize("kind", CURVES, ids=lambda kind: kind.id)
def test_every_kind_of_curve_is_shown_whole_and_has_its_table(view, kind):
    line = CurveLine("C4.5 (run 1)", trace_of(kind=kind()))
    view.show_lines([line], kind())
    box = view.plot.getViewBox().viewRect()
    x, y = line.trace.outline
    assert box.left() <= x.min() + 1e-9 and x.max() <= box.right() + 1e-9
    assert box.top() <= y.min() + 1e-9 and y.max() <= box.bottom() + 1e-9
    model = view.table.model()
    assert (model.rowCount(), model.columnCount()) == (len(line.trace), len(line.trace.columns))
    assert point_sentence(line, 0).startswith(wording.POINT_OF_C45)
    assert kind().sentence in view.plot.accessibleDescription()


@pytest.mark.parametrize("kind", [Calibration(), MarginCurve()], ids=lambda kind: kind.id)
def test_points_that_decide_nothing_are_not_dragged(view, kind):
    line = CurveLine("C4.5 (run 1)", trace_of(kind=kind))
    view.show_lines([line], kind)
    chosen: list[float] = []
    view.threshold_chosen.connect(chosen.append)
    QTest.mouseClick(view.plot.viewport(), LEFT, pos=at(view, (float(line.trace.x[2]), float(line.trace.y[2]))))
    view.plot.setFocus()
    QTest.keyClick(view.plot, Qt.Key.Key_Left)
    view.show_table(True)
    view.table.setCurrentIndex(view.table.model().index(1, 0))
    QTest.keyClick(view.table, Qt.Key.Key_Return)
    assert chosen == []


def test_the_words_of_the_table_have_their_room_where_it_is_narrow(view, line):
    view.show_lines([line], Roc())
    view.show_table(True)
    view.resize(300, 300)
    table, last = view.table, len(line.trace.columns) - 1
    wide = QFontMetrics(themes.font(bold=True)).horizontalAdvance(SOMETIMES)
    assert table.columnWidth(last) >= wide + TIGHT_FIGURE, "as much room around a word as around a figure"


def test_the_thresholds_of_a_narrow_table_have_their_room(view, line):
    near = [1.4e-45, 2.036e-12, 2.044e-12, 0.0312, 0.03121, 0.5, 0.99999988, 0.99999994, 1.0, np.inf]
    values = np.concatenate([near[:-2], np.linspace(1.0, 1.0, len(line.trace) - len(near)), near[-2:]])
    at = next(i for i, column in enumerate(line.trace.columns) if column.form is ValueFormat.THRESHOLD)
    columns = list(line.trace.columns)
    columns[at] = replace(columns[at], values=values)
    view.show_lines([replace(line, trace=replace(line.trace, columns=tuple(columns), thresholds=values))], Roc())
    view.show_table(True)
    view.resize(300, 300)
    metrics, model = QFontMetrics(themes.font(bold=True)), view.table.model()
    words = [model.index(row, at).data() for row in range(model.rowCount())]
    assert {"<0.1%", "3.1%", ">99.9%", "over 100%"} <= set(words)
    assert view.table.columnWidth(at) >= max(map(metrics.horizontalAdvance, words)) + TIGHT_FIGURE


def test_the_row_marked_as_the_cheapest_is_that_which_decides_as_the_threshold_does(view, line):
    """Between two neighbouring scores there is no other: what is to part them is the upper one."""
    low, n = 0.5, len(line.trace)
    high = float(np.nextafter(low, 1))
    scores = np.concatenate([[low, high], np.linspace(0.6, 1.0, n - 2)])
    view.show_lines([replace(line, trace=replace(line.trace, thresholds=scores))], Roc())
    view.table.mark_cheapest(float(halfway(low, high)))
    assert view.table.model().cheapest == 1
    view.table.mark_cheapest(low)
    assert view.table.model().cheapest == 0
    view.table.mark_cheapest(0.55)
    assert view.table.model().cheapest == 2


def test_bars_at_the_foot_lie_below_every_line(view):
    view.show_lines([CurveLine("C4.5 (run 1)", trace_of(kind=Calibration()))], Calibration())
    drawn = view.plot.getPlotItem().items
    (bars,) = [item for item in drawn if isinstance(item, BarGraphItem)]
    assert bars.zValue() < min(item.zValue() for item in drawn if isinstance(item, PlotDataItem))


def test_precision_recall_is_drawn_with_its_hyperbolas(view):
    line = CurveLine("C4.5 (run 1)", trace_of(kind=PrecisionRecall()))
    view.show_lines([line], PrecisionRecall())
    drawn = max((item.getData()[0] for item in view.plot._items), key=len)
    assert len(drawn) == len(line.trace.outline[0]) > len(line.trace)


def test_pointing_at_a_curve_reads_it_out(view, wait_until):
    viewport, place = view.plot.viewport(), at(view, place_of(view.plot, 0.6))
    sentences = {point_sentence(each, i) for each in view.plot.lines for i in range(len(each.trace))}

    def read_out() -> bool:
        QTest.mouseMove(viewport, place + QPoint(1, 1))
        QTest.mouseMove(viewport, place)
        return QToolTip.text() in sentences

    wait_until(read_out)
    QTest.mouseMove(viewport, at(view, (0.95, 0.1)))
    wait_until(lambda: not QToolTip.isVisible())


def test_curve_is_described_for_those_who_do_not_see_it(view):
    assert view.plot.accessibleName() == "ROC curve"
    assert wording.C45_IN_DESCRIPTION in view.plot.accessibleDescription()
    assert "Operating point" in view.plot.accessibleDescription()


def test_table_twin_says_the_same_and_enter_decides_by_a_row(view, line):
    view.show_table(True)
    model = view.table.model()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    assert model.rowCount() == len(line.trace)
    assert model.index(0, 1).data() == "100.0%"
    assert model.index(model.rowCount() - 1, 3).data() == "–"
    assert model.index(3, 0).data(Qt.ItemDataRole.ToolTipRole) == point_sentence(line, 3)
    chosen: list[float] = []
    view.threshold_chosen.connect(chosen.append)
    view.table.setCurrentIndex(model.index(5, 0))
    QTest.keyClick(view.table, Qt.Key.Key_Return)
    assert chosen == [line.trace.thresholds[5]]
    QTest.keyClick(view.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().splitlines()[0].split("\t")[1] == "Threshold"


def test_model_without_a_line_is_empty(qapp):
    model = CurveModel()
    assert model.rowCount() == 0


def test_curves_are_saved_as_png_svg_and_csv(view, line, tmp_path: Path):
    view.export.save_picture(str(tmp_path / "roc.png"))
    image = QImage(str(tmp_path / "roc.png"))
    assert image.width() == 2 * view.plot.viewport().width()
    colors = {image.pixelColor(x, y).name() for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)}
    assert len(colors) > 5
    view.export.save_picture(str(tmp_path / "roc.svg"))
    drawing = (tmp_path / "roc.svg").read_text("utf-8")
    assert "<image" not in drawing, "lines stay lines, also those that the screen keeps as a picture"
    assert drawing.count("<polyline") > 5
    assert wording.C45_IN_DESCRIPTION in drawing
    view.export.save_csv(str(tmp_path / "roc.csv"))
    rows = (tmp_path / "roc.csv").read_text("utf-8").splitlines()
    assert rows[0] == wording.HEAD_OF_SAVED_CURVE
    assert len(rows) == 1 + sum(len(shown.trace) for shown in view.plot.lines)
    assert rows[1].startswith(wording.ROW_OF_SAVED_CURVE)
    with pytest.raises(DataError, match=core_wording.CANNOT_BE_WRITTEN):
        view.export.save_picture(str(tmp_path / "none" / "roc.svg"))


def test_copied_table_has_what_the_file_has(view):
    view.plot.setFocus()
    QTest.keyClick(view.plot, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == as_csv(view.plot.lines, "\t")


def test_place_under_the_mouse_is_that_of_the_plot(view):
    x, y, width, height = view.plot._place(QPointF(at(view, (0.25, 0.75))))
    assert (x, y) == pytest.approx((0.25, 0.75), abs=0.02)
    assert width > 100
    assert height > 100


def test_what_lies_up_is_said_in_brief_where_the_plot_is_low(view: CurveView, line: CurveLine) -> None:
    view.show_lines([CurveLine("C4.5 (run 1)", trace_of(kind=PrecisionRecall()))], PrecisionRecall())
    up = view.plot.getAxis("left")
    assert up.labelText == "Precision"
    view.plot.resize(420, 120)
    QApplication.sendPostedEvents()
    assert up.labelText == "Precision"
    view.plot.resize(420, 360)
    QApplication.sendPostedEvents()
    assert up.labelText == "Precision"


@pytest.mark.parametrize(("size", "step"), [(60, 100), (130, 50), (400, 20)])
def test_both_ends_of_a_narrow_axis_of_shares_have_a_number(qapp: QApplication, size: int, step: int) -> None:
    axis = SignedAxis("bottom")
    axis.setScale(100)
    assert axis.tickSpacing(-2, 102, size)[0][0] == step
    assert axis.tickSpacing(2, 6, 130)[0][0] <= 2, "also of a part of it that is zoomed in"


def test_an_axis_labels_no_other_step_between_the_numbers_of_a_step(qapp: QApplication) -> None:
    axis = SignedAxis("bottom")
    axis.setRange(-9.7, 10.7)
    axis.setGeometry(0, 0, 300, 34)
    texts = [axis.tickStrings(values, 1.0, step) for step, values in axis.tickValues(-9.7, 10.7, 300)]
    assert texts[0] == ["−5", "0", "5", "10"]
    assert not any(map(any, texts[1:])), "−6, −5 and −4 have no room side by side"


def test_numbers_below_0_have_one_sign_on_axes_and_in_figures():
    assert SignedAxis("bottom").tickStrings([-0.5, 0.5], 1.0, 0.5) == ["−0.5", "0.5"]
    said = [
        percent(-0.25),
        coefficient(-0.021),
        amount(-1.5),
        price(-120.0),
        price_alike(-0.42, 2),
        price_alike(-0.001, 2),
    ]
    assert said == ["−25.0%", "−0.021", "−1.5", "−120", "−0.42", "0.00"]
    assert odds_words(-0.7).endswith("(−0.70)")


@pytest.mark.parametrize("kind", CURVES, ids=lambda kind: kind.id)
def test_axes_end_where_their_values_end(view: CurveView, kind: type[CurveKind]) -> None:
    """They went on for 6% at each side, beyond 0 and 100%."""
    trace = trace_of(kind=kind())
    view.show_lines([CurveLine("C4.5 (run 1)", trace)], kind())
    ends = [pytest.approx([axis.low, axis.high], abs=1e-6) for axis in (trace.across, trace.up)]
    assert view.plot.getViewBox().viewRange() == ends
    view.plot.getViewBox().scaleBy((1.5, 1.5))
    assert view.plot.getViewBox().viewRange() == ends


def test_a_point_at_the_ends_of_both_axes_is_whole_and_zoomed_axes_clip(view: CurveView) -> None:
    plot = view.plot
    plot.show_point(0.0, (1.0, 1.0))
    QApplication.processEvents()
    corner, image = plot.to_view(1.0, 1.0).toPoint(), plot.grab().toImage()
    beyond = [image.pixelColor(corner + QPoint(x, y)).name() for x, y in ((3, -3), (0, -4), (4, 0))]
    assert set(beyond) == {current_theme().accent}
    plot.getViewBox().scaleBy((0.5, 0.5))
    assert plot.getViewBox().clips
    plot.fit()
    assert not plot.getViewBox().clips


def test_the_area_of_the_curves_never_switches_how_qt_clips(view: CurveView) -> None:
    """Qt crashed where a zoom switched the flag while cached curves were drawn."""
    box, clips = view.plot.getViewBox(), QGraphicsItem.GraphicsItemFlag.ItemClipsChildrenToShape
    assert box.flags() & clips and not box.clips
    assert box.shape().boundingRect().width() > box.boundingRect().width()
    box.scaleBy((0.5, 0.5))
    assert box.flags() & clips and box.clips
    assert box.shape().boundingRect() == box.boundingRect()


def test_costs_beyond_the_axis_are_cut_at_its_end(view: CurveView) -> None:
    """The line of costs of decisions worse than one class always was painted over all that stands above."""
    plot, kind = view.plot, CostCurveKind()
    view.show_lines([CurveLine("C4.5 (run 1)", trace_of(kind=kind))], kind)
    plot.show_point(0.5, (0.5, 0.2))
    plot.show_guides([Guide.straight("current decisions", "now", (0.0, 0.1), (1.0, 0.5), Role.OWN)])
    assert not plot.getViewBox().clips
    QApplication.processEvents()
    before = plot.grab().toImage()
    plot.show_guides([Guide.straight("current decisions", "now", (0.0, 0.1), (1.0, 1.0), Role.OWN)])
    assert plot.getViewBox().clips
    QApplication.processEvents()
    above = QRect(0, 0, plot.width(), int(plot.to_view(0.0, 0.5).y()) - 2)
    assert plot.grab().toImage().copy(above) == before.copy(above)
    plot.show_guides([])
    assert not plot.getViewBox().clips
    plot.show_point(0.0, (0.9, 0.9))
    assert plot.getViewBox().clips
