"""Parallel coordinates over a real session, by mouse and keys."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from tests.expected_texts import tabs_visualize as wording
from tests.workbench.many_axes_helpers import act, drag, mixed_table, opened, said, selected, values, wheel
from tests.workbench.window_helpers import CONTROL, LEFT, NONE, RIGHT, SHIFT, Wait
from workbench.layout.many_axes import MISSING
from workbench.session.session import Session
from workbench.tabs.visualize.scatter.many_axes_panes import ParallelPane
from workbench.tabs.visualize.scatter.records_views import PARALLEL
from workbench.tabs.visualize.tab import VisualizeTab
from workbench.viewers.scatter.parallel_coordinates import ParallelCanvas
from workbench.widgets.labels import ElidedLabel


@pytest.fixture
def parallel(session: Session, tab: VisualizeTab, wait_until: Wait) -> ParallelPane:
    pane = opened(session, tab, PARALLEL, mixed_table(), wait_until)
    assert isinstance(pane, ParallelPane)
    return pane


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
    assert any(wording.MISSING_30 in label.text() for label in parallel.window().findChildren(ElidedLabel))


def test_ranges_that_no_record_is_in_are_said_to_be_empty(session: Session, parallel: ParallelPane) -> None:
    canvas = parallel.parallel.lines
    first, second = (parallel.shown_attributes.index(name) for name in ("first", "second"))
    drag(canvas, on_axis(canvas, first, 0.85), on_axis(canvas, first, 1.0))
    drag(canvas, on_axis(canvas, second, 0.9), on_axis(canvas, second, 1.0))
    assert not selected(session) and len(canvas.scene.brushes) == 2
    assert canvas.lit is not None and not canvas.lit.any()
    assert wording.NO_RECORD_IN_RANGES in said(parallel)
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert canvas.lit is None and wording.DRAG_ALONG_AXIS in said(parallel)
