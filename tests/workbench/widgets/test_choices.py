"""Choices in panes that scroll."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFontMetrics, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip, QVBoxLayout, QWidget

from tests.expected_texts import widgets as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, small_data
from workbench.style.theme import LEAST_PX, LIGHT_NAME, themes
from workbench.tabs.tab import RunBox
from workbench.tabs.visualize.explain.record_form import PlainNumber, RecordForm
from workbench.widgets.fields import NumberField, RecordField, SearchableComboBox, SearchPopup, Slider, drop_down
from workbench.widgets.panes import UprightScrollArea


def turn_the_wheel_over(widget: QWidget) -> bool:
    """Turn it by one notch; whether it was left to the pane around the widget."""
    at = QPointF(widget.rect().center())
    turned = QWheelEvent(
        at,
        widget.mapToGlobal(at),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    return not QApplication.sendEvent(widget, turned) or not turned.isAccepted()


def test_the_wheel_scrolls_the_pane_and_does_not_change_a_choice_in_passing(stage: Stage, wait_until: Wait) -> None:
    inside = QWidget()
    column = QVBoxLayout(inside)
    choice = drop_down("choice", "A choice", "Which one")
    choice.addItems(["no", "yes", "perhaps"])
    choice.setCurrentIndex(1)
    column.addWidget(choice)
    column.addSpacing(900)
    pane = stage.show(UprightScrollArea(inside), 300, 120)
    bar = pane.verticalScrollBar()
    wait_until(lambda: bar.maximum() > 0)
    assert turn_the_wheel_over(choice)
    assert choice.currentText() == "yes" and not choice.hasFocus()


def test_the_wheel_changes_no_value_of_what_if_and_no_number_or_slider(stage: Stage) -> None:
    form = RecordForm()
    data = small_data()
    form.set_attributes(data, (0, 1))
    form.show_values({0: 2.0, 1: 3.0})
    stage.show(form, 500, 200)
    for field in form.findChildren(PlainNumber):
        assert turn_the_wheel_over(field) and turn_the_wheel_over(field.lineEdit())
    assert form.values == {0: 2.0, 1: 3.0}
    for widget in (NumberField(), Slider()):
        widget.setValue(5)
        assert turn_the_wheel_over(stage.show(widget, 100, 30)) and widget.value() == 5


def test_of_many_choices_typing_finds_one(stage: Stage, wait_until: Wait) -> None:
    box = stage.show(SearchableComboBox(), 200, 32)
    box.setObjectName("axis")
    box.addItems([f"Measure {i}" for i in range(300)])
    taken: list[int] = []
    box.activated.connect(taken.append)
    QTest.mouseClick(box, Qt.MouseButton.LeftButton)
    wait_until(lambda: box.findChild(SearchPopup) is not None)
    popup = box.findChild(SearchPopup)
    assert popup is not None
    QTest.keyClicks(popup.search, "ure 29")
    assert popup.choices.model().rowCount() == 11  # 29 and 290 to 299
    QTest.keyClick(popup.search, Qt.Key.Key_Down)
    QTest.keyClick(popup.search, Qt.Key.Key_Return)
    assert taken == [290] and box.currentText() == "Measure 290"


def test_a_drop_down_shows_its_placeholder_while_nothing_is_chosen(stage: Stage) -> None:
    choice = drop_down("choice", "A choice", "Which one", choices=(("no", 0), ("yes", 1)))
    choice.setCurrentIndex(-1)
    stage.show(choice, 200, 40)
    empty = choice.grab().toImage()
    choice.setPlaceholderText("choose")
    assert choice.grab().toImage() != empty


@pytest.mark.parametrize("to_list", ["", "tab", "press"])
def test_the_keys_of_a_searched_list_work_wherever_the_focus_was_put(
    stage: Stage, wait_until: Wait, to_list: str
) -> None:
    box = stage.show(SearchableComboBox(), 200, 32)
    box.addItems([f"Measure {i}" for i in range(300)])
    box.setFocus()
    for key, wanted in ((Qt.Key.Key_Return, 2), (Qt.Key.Key_Enter, 4), (Qt.Key.Key_Escape, 4)):
        QTest.keyClick(box, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
        wait_until(lambda: QApplication.activePopupWidget() is not None)
        popup = QApplication.activePopupWidget()
        assert isinstance(popup, SearchPopup)
        if to_list == "tab":
            QTest.keyClick(popup.focusWidget(), Qt.Key.Key_Tab)
        elif to_list == "press":
            QTest.mousePress(popup.choices.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
            popup.choices.setCurrentIndex(popup.choices.model().index(box.currentIndex(), 0))
        for pressed in (Qt.Key.Key_Down, Qt.Key.Key_Down, key):
            QTest.keyClick(popup.focusWidget(), pressed)
        assert box.currentIndex() == wanted and not popup.isVisible()


def record_field(stage: Stage) -> RecordField:
    field = stage.show(RecordField(), 160, 30, active=True)
    field.setPrefix("record ")
    field.show_ids(np.arange(150))
    return field


@pytest.mark.parametrize("reason", [Qt.FocusReason.TabFocusReason, Qt.FocusReason.OtherFocusReason])
def test_a_typed_record_number_replaces_the_one_there(stage: Stage, reason: Qt.FocusReason) -> None:
    field = record_field(stage)
    field.clearFocus()
    field.setFocus(reason)
    field.setValue(100)  # another record comes into view
    QTest.keyClicks(field, "42")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert field.record == 42


def test_a_record_number_that_does_not_exist_is_refused_in_words(stage: Stage, wait_until: Wait) -> None:
    field = record_field(stage)
    field.setFocus(Qt.FocusReason.OtherFocusReason)
    QTest.keyClicks(field, "17700")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert field.text() == "record 1" and field.lineEdit().selectedText() == "1"
    wait_until(lambda: QToolTip.text() == wording.NO_SUCH_RECORD)


@pytest.fixture
def styled(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The style sheet of the program."""
    monkeypatch.setattr(themes, "_app", None)
    themes.install(qapp, LIGHT_NAME)
    yield
    qapp.setStyleSheet("")


@pytest.mark.usefixtures("styled")
def test_the_list_of_a_low_field_shows_all_of_few_values(stage: Stage) -> None:
    """Of four values it showed three, the first scrolled away: only with the padding of the style sheet."""
    box = drop_down("region", "Region", "", 6, [(name, None) for name in ("north", "south", "east", "west")])
    box.setProperty("part", "low")
    box.setCurrentIndex(3)
    stage.show(box, 148, 30)
    box.showPopup()
    view = box.view()
    rows = [view.visualRect(box.model().index(row, 0)) for row in range(4)]
    assert all(view.viewport().rect().contains(row.center()) for row in rows)
    assert rows[0].top() >= 0 and rows[-1].bottom() <= view.viewport().height()
    box.hidePopup()


@pytest.mark.parametrize("name", ["Area (worst)", "AdaBoost"])
def test_a_name_that_a_smaller_line_holds_stands_whole_in_a_chooser(stage: Stage, name: str) -> None:
    """It was "Ar…worst)" while longer names had two lines."""
    box = SearchableComboBox(choices=[(name, None), ("Area (mean)", None)])
    runs = RunBox()
    runs.addItem(f"{name} · 90.0%")
    room = QFontMetrics(themes.font(LEAST_PX)).horizontalAdvance(name) + 2
    for field in (box, runs):
        stage.show(field, 400, 60)
        assert room < field.fontMetrics().horizontalAdvance(name)
        assert field._elided(field.currentText(), room) == f"{name}\n"


def test_a_name_too_long_for_a_line_of_a_chooser_has_two_where_they_show_more_of_it(stage: Stage) -> None:
    """It was "…ts (wor…" between two ellipses."""
    names = [f"{part} ({kind})" for part in ("Concave Points", "Perimeter") for kind in ("mean", "worst")]
    box = SearchableComboBox(choices=[(name, None) for name in names])
    stage.show(box, 400, 60)
    font = QFontMetrics(themes.font(LEAST_PX))
    room = font.horizontalAdvance("Points (worst)") + 2
    for name in names:
        box.setCurrentText(name)
        assert box._elided(name, 400) == name
        assert box._elided(name, room).replace("\n", " ") == name
    box.resize(400, font.height())
    assert "\n" not in box._elided(names[0], room), "two lines would be cut in their height"
