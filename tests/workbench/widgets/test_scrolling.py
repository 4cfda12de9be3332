"""What is scrolled stays where it is while what stands around it is laid out."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QVBoxLayout, QWidget

from tests.workbench.stage import Stage
from workbench.style.theme import themes
from workbench.widgets.layouts import FlowFrame, column_layout
from workbench.widgets.panes import ColumnSplitter, HighScrollArea, UprightScrollArea


def test_room_for_a_moment_moves_nothing_and_room_that_stays_does(stage: Stage) -> None:
    whole, above, inside = QWidget(), QWidget(), QWidget()
    inside.setMinimumHeight(400)
    above.setFixedHeight(60)
    scroll = UprightScrollArea(inside)
    column = QVBoxLayout(whole)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    column.addWidget(above)
    column.addWidget(scroll, 1)
    stage.show(whole, 300, 360)
    bar = scroll.verticalScrollBar()
    bar.setValue(bar.maximum())
    end = bar.value()
    assert end > 60
    for height in (0, 60):  # as where chips are hidden before others are shown
        above.setFixedHeight(height)
        column.activate()
    assert bar.value() == end
    above.setFixedHeight(0)
    column.activate()
    QApplication.processEvents()
    above.setFixedHeight(60)
    column.activate()
    assert bar.value() == end - 60, "what was scrolled back to the end stays there once it was seen so"


def test_room_for_the_bar_is_kept_at_every_height_and_what_is_inside_stays_as_wide(stage: Stage) -> None:
    inside, text = QWidget(), QLabel("some words that need another line in a narrower pane " * 6)
    text.setWordWrap(True)
    layout = QVBoxLayout(inside)
    layout.addWidget(text)
    scroll = HighScrollArea(inside)
    scroll.keep_room_for_bar()
    stage.show(scroll, 240, 400)
    widths = set()
    shown = set()
    for height in range(400, 100, -1):
        scroll.resize(240, height)
        QApplication.processEvents()
        widths.add(inside.width())
        shown.add(scroll.verticalScrollBar().isVisible())
    assert shown == {False, True} and len(widths) == 1
    text.setText("few words")
    QApplication.processEvents()
    QApplication.processEvents()
    assert not scroll.verticalScrollBar().isVisible() and inside.width() in widths


def test_columns_grow_with_the_text_up_to_their_share(qapp: QApplication, stage: Stage) -> None:
    themes.install(qapp, "light")
    whole = QWidget()
    column_layout(splitter := ColumnSplitter(whole), inside=whole)
    for _ in range(3):
        splitter.addWidget(QWidget())
    stage.show(whole, 1000 + 2 * splitter.handleWidth(), 200)
    splitter.set_widths(100, 200)
    try:
        themes.set_scale(1.5)
        assert splitter.sizes() == [150, 300, 550]
        themes.set_scale(2.0)
        assert splitter.sizes()[:2] == [167, 333], "half of the whole"
        whole.resize(2000, 200)
        assert splitter.sizes()[:2] == [200, 400], "and all of it in a wider window"
        splitter.moveSplitter(300, 1)
        splitter.splitterMoved.emit(300, 1)
        whole.resize(2200, 200)
        assert splitter.sizes()[0] == 300, "a moved handle stays"
    finally:
        themes.set_scale(1.0)


def test_a_frame_of_wrapping_widgets_is_as_high_as_they_become(qapp: QApplication, stage: Stage) -> None:
    themes.install(qapp, "light")
    frame, button = FlowFrame(), QPushButton("Filter")
    frame.flow.addWidget(button)
    whole = QWidget()
    column_layout(frame, 1, inside=whole)
    stage.show(whole, 300, 300)
    try:
        themes.set_scale(2.0)
        QApplication.processEvents()
        assert frame.rect().contains(button.geometry())
    finally:
        themes.set_scale(1.0)
