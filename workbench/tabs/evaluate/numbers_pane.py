"""The pane of the numbers: the whole or class by class, and both where there is room for both."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from algorithms.evaluation.measures.metrics import MetricOptions
from workbench.forms.form import OptionRow
from workbench.style.theme import SPACE_2, themes
from workbench.tabs.evaluate.figure_table import ROW_HEIGHT, FigureTable
from workbench.widgets.buttons import quiet_button
from workbench.widgets.labels import label
from workbench.widgets.panes import Pane

MOST_HEIGHT: Final = 16_777_215
"""What Qt takes for no limit."""
LEAST_ROWS: Final = 7
"""So many figures are always in view."""
WHOLE, BY_CLASS = "In numbers", "Class by class"


class NumbersPane(Pane):
    """Two tables of figures, one behind the other; in a tall window one under the other."""

    turned = Signal()
    """Other tables are in view."""

    def __init__(self, whole: FigureTable, classes: FigureTable, parent: QWidget | None = None) -> None:
        super().__init__(WHOLE, parent=parent)
        self._whole, self._classes = whole, classes
        self._is_tall = False
        self._pages = QStackedWidget()
        for table in (whole, classes):
            self._pages.addWidget(table)
        self._head = label(BY_CLASS, "heading")
        self._head.setContentsMargins(0, SPACE_2, 0, 0)
        self._head.hide()
        self.body.addWidget(self._pages, 3)
        self.body.addWidget(self._head)
        self._leak = label("", "small", wrap=True)
        self._leak.setObjectName("evaluate.leak")
        self._leak.setProperty("tone", "warning")
        self._leak.hide()
        self.body.addWidget(self._leak)  # below the figures, which so stay where they are when it comes
        self.shuffle = quiet_button(
            "Is it luck?", "evaluate.shuffle", "The shuffle test: the same run on classes that mean nothing"
        )
        self.shuffle.setCheckable(True)
        self.add_action(self.shuffle)
        self._by_class = quiet_button("By class", "evaluate.by-class", "The numbers of every class")
        self._by_class.setCheckable(True)
        self._by_class.toggled.connect(self._turn)
        self.options = OptionRow(MetricOptions(), "evaluate.measures")
        self.options.hide()
        self.body.addWidget(self.options)
        self._choose = quiet_button(
            "Options", "evaluate.measures", "Choose beta of F, and what the weighted accuracy weighs"
        )
        self._choose.setCheckable(True)
        themes.follow(self._measure)
        self._measure()
        self._choose.toggled.connect(self.options.setVisible)
        self.options.changed.connect(self.turned)
        self.add_action(self._choose)
        self.add_action(self._by_class)

    def chosen(self) -> MetricOptions:
        """What is chosen of the measures."""
        chosen = self.options.value()
        assert isinstance(chosen, MetricOptions)
        return chosen

    def say_leaks(self, words: str) -> None:
        """What was left in of the answer, so that the figures are too good; empty where nothing was."""
        self._leak.setText(words)
        self._leak.setVisible(bool(words))

    def shows(self, table: FigureTable) -> bool:
        """Whether somebody sees this table."""
        return self._is_tall or self._pages.currentWidget() is table

    @property
    def is_tall(self) -> bool:
        """Whether both tables are in view."""
        return self._is_tall

    def set_tall(self, is_tall: bool) -> None:
        """Whether there is room for both tables."""
        if is_tall == self._is_tall:
            return
        self._by_class.setChecked(False)
        self._is_tall = is_tall
        if is_tall:
            self._pages.removeWidget(self._classes)
            self.body.addWidget(self._classes, 2)
        else:
            self.body.removeWidget(self._classes)
            self._pages.addWidget(self._classes)
        self._classes.setVisible(is_tall)
        self.share_room()
        self._head.setVisible(is_tall)
        self._by_class.setVisible(not is_tall)
        self.turned.emit()

    def share_room(self) -> None:
        """Where both tables are in view, neither takes more room than its rows need, for the other's sake."""
        for table in (self._pages, self._classes):
            wanted = self._whole if table is self._pages else self._classes
            table.setMaximumHeight(wanted.content_height() if self._is_tall else MOST_HEIGHT)

    def _measure(self) -> None:
        """The figures asked for most are never scrolled to, however much room the costs take."""
        head = self._whole.horizontalHeader().sizeHint().height()
        self._pages.setMinimumHeight(head + LEAST_ROWS * themes.px(ROW_HEIGHT))

    def _turn(self, wanted: bool) -> None:
        """The classes one by one in place of the whole."""
        self._pages.setCurrentIndex(int(wanted))
        self.set_title(BY_CLASS if wanted else WHOLE)
        self.turned.emit()
        (self._classes if wanted else self._whole).setFocus()
