"""What is there already is not shown anew: what stands in something hidden would be dressed before anybody sees it."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget

from workbench.widgets.keyboard_focus import is_taken_away, set_there
from workbench.widgets.layouts import laid_out_once

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


class Column(QVBoxLayout):
    """Counts how often it places its widgets."""

    n = 0

    def setGeometry(self, area: QRect) -> None:  # noqa: N802
        self.n += 1
        super().setGeometry(area)


def test_widgets_that_come_together_are_laid_out_once(qapp: QApplication) -> None:
    outer = QWidget()
    column = Column(outer)
    inside = [QLabel(f"line {nth}") for nth in range(5)]
    for line in inside:
        column.addWidget(line)
        line.hide()
    outer.resize(300, 300)
    outer.show()
    column.n = 0
    with laid_out_once(outer):
        for line in inside:
            line.show()
    assert column.n == 1
    assert [line.y() for line in inside] == sorted({line.y() for line in inside})
    outer.close()
