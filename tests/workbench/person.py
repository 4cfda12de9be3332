"""A person at the window: sees what is visible, clicks and types; nothing else."""

from __future__ import annotations

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QComboBox, QLabel, QLineEdit, QTabBar

from tests.workbench.window_helpers import W, Wait, choose_entry
from workbench.app.main_window import MainWindow
from workbench.viewers.tree.tree_canvas import TreeCanvas


class Person:
    """Looks for widgets by name, clicks and types."""

    def __init__(self, window: MainWindow, wait: Wait) -> None:
        self.window, self.wait = window, wait

    def see(self, kind: type[W], name: str) -> W:
        """The visible widget of this name, once it is to be seen."""

        def shown() -> list[W]:
            tops = [top for top in QApplication.topLevelWidgets() if top.isVisible()]
            found = [w for top in tops for w in (top, *top.findChildren(kind, name))]
            return [w for w in found if isinstance(w, kind) and w.objectName() == name and w.isVisible()]

        self.wait(shown)
        return shown()[0]

    def click(self, name: str) -> None:
        widget = self.see(QAbstractButton, name)
        self.wait(widget.isEnabled)
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton)

    def choose_entry(self, name: str) -> None:
        """Choose the entry of this name in a menu."""
        self.wait(lambda: self.window.findChild(QAction, name) is not None)
        choose_entry(self.window, name)

    def go_to(self, tab: str) -> None:
        tabs = self.see(QTabBar, "tabs")
        at = [tabs.tabText(i) for i in range(tabs.count())].index(tab)
        QTest.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(at).center())
        assert tabs.currentIndex() == at

    def click_row(self, name: str, words: str) -> None:
        view = self.see(QAbstractItemView, name)
        model = view.model()
        columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(QModelIndex())
        rows = [model.index(r, c) for r in range(model.rowCount(QModelIndex())) for c in range(columns)]
        index = next(i for i in rows if str(i.data()) == words)
        view.scrollTo(index)
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(index).center())
        assert view.currentIndex().row() == index.row()

    def choose(self, name: str, words: str) -> None:
        """Choose in a combo box with the keys."""
        box = self.see(QComboBox, name)
        box.setFocus()
        at = box.findText(words)
        assert at >= 0, f"{words!r} is not among {[box.itemText(i) for i in range(box.count())]}"
        QTest.mouseClick(box, Qt.MouseButton.LeftButton)
        choices = box.view()
        self.wait(choices.isVisible)
        for _ in range(box.count()):
            row = choices.currentIndex().row()
            if row != at:
                QTest.keyClick(choices, Qt.Key.Key_Down if row < at else Qt.Key.Key_Up)
        QTest.keyClick(choices, Qt.Key.Key_Return)
        assert box.currentText() == words
        self.wait(lambda: not choices.isVisible())
        self.wait(self._is_active)

    def _is_active(self) -> bool:
        """Whether the window is active; asks for it, which the offscreen platform does not do when a list closes."""
        self.window.activateWindow()
        return self.window.isActiveWindow()

    def type(self, name: str, words: str) -> None:
        line = self.see(QLineEdit, name)
        line.setFocus()
        line.selectAll()
        QTest.keyClicks(line, words)
        QTest.keyClick(line, Qt.Key.Key_Tab)

    def point_at_a_node(self, canvas: TreeCanvas) -> None:
        """Wander over the picture with the mouse until there is a node under it."""
        under: list[int] = []
        canvas.hovered.connect(lambda node, _at: under.append(node))
        area = canvas.viewport().rect()
        for y in range(0, area.height(), 15):
            for x in range(0, area.width(), 30):
                QTest.mouseMove(canvas.viewport(), QPoint(x, y))
                if under and under[-1] >= 0:
                    return
        raise AssertionError("there is no node in the picture")

    def read(self, name: str) -> str:
        return self.see(QLabel, name).text()
