"""What is there already is not shown anew: what stands in something hidden would be dressed before anybody sees it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from workbench.widgets.keyboard_focus import is_taken_away, set_there

POLISHED = Qt.WidgetAttribute.WA_WState_Polished


def in_a_column() -> tuple[QWidget, QWidget]:
    outer = QWidget()
    inner = QWidget(outer)
    QVBoxLayout(outer).addWidget(inner)
    return outer, inner


def test_what_is_there_is_not_dressed_before_it_is_seen(qapp: QApplication) -> None:
    outer, inner = in_a_column()
    set_there(inner, True)
    assert not inner.testAttribute(POLISHED)
    outer.show()
    assert inner.isVisible() and inner.testAttribute(POLISHED)
    outer.close()


def test_what_is_taken_away_stays_away_until_it_is_wanted(qapp: QApplication) -> None:
    outer, inner = in_a_column()
    set_there(inner, False)
    assert is_taken_away(inner)
    outer.show()
    assert not inner.isVisible()
    set_there(inner, True)
    assert inner.isVisible() and not is_taken_away(inner)
    set_there(inner, False)
    assert not inner.isVisible()
    outer.close()
