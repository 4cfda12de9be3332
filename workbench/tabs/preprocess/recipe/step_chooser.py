"""What may be done to the data before learning: all steps by family, each with its sentence, found by typing."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from algorithms.core.filters import Filter
from algorithms.core.registry import Registry
from workbench.style.theme import CONTROL_RADIUS, SPACE_2, SPACE_3, current_theme, themes
from workbench.widgets.fields import SearchField
from workbench.widgets.labels import label

FILTER: Final = Qt.ItemDataRole.UserRole
SENTENCE: Final = Qt.ItemDataRole.UserRole + 1
WIDTH: Final = 560
HEIGHT: Final = 460
_ARROWS: Final = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)

Index = QModelIndex | QPersistentModelIndex


def matches(filter: type[Filter], search: str) -> bool:
    """Whether every word searched for is in the step's name, id, family, sentence or the names of its choices."""
    choices = (f"{option.word} {option.label}" for parameter in filter.parameters() for option in parameter.options)
    text = " ".join((filter.name, filter.id, filter.family, filter.sentence, *choices)).lower()
    return all(word in text for word in search.lower().split())


def is_named(filter: type[Filter], search: str) -> bool:
    """Whether every word searched for is in what the step is called: such steps come first."""
    return all(word in f"{filter.name} {filter.id}".lower() for word in search.lower().split())


class _Lines(QStyledItemDelegate):
    """Paints families as small headings, steps as their name with the sentence below."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        heading = index.data(SENTENCE) is None
        return QSize(10, themes.px(26) if heading else self._line(True) + self._line(False) + themes.px(10))

    @staticmethod
    def _line(name: bool) -> int:
        return QFontMetrics(themes.font(bold=True) if name else themes.font(12)).height()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, area, sentence = current_theme(), option.rect, index.data(SENTENCE)
        painter.save()
        left = Qt.AlignmentFlag.AlignLeft
        if sentence is None:
            painter.setPen(theme.color("dim"))
            painter.setFont(themes.font(11))
            painter.drawText(
                area.adjusted(SPACE_2, 0, 0, -4), left | Qt.AlignmentFlag.AlignBottom, str(index.data()).upper()
            )
            painter.restore()
            return
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("accent_soft" if chosen else "soft"))
            painter.drawRoundedRect(QRectF(area).adjusted(0, 1, 0, -1), CONTROL_RADIUS, CONTROL_RADIUS)
        inner = area.adjusted(SPACE_2, themes.px(5), -SPACE_2, 0)
        for text, font, colour, top in (
            (str(index.data()), themes.font(bold=True), "accent" if chosen else "text", 0),
            (sentence, themes.font(12), "dim", self._line(True)),
        ):
            painter.setFont(font)
            painter.setPen(theme.color(colour))
            fits = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, inner.width())
            painter.drawText(inner.adjusted(0, top, 0, 0), left | Qt.AlignmentFlag.AlignTop, fits)
        painter.restore()


class StepChooser(QFrame):
    """The panel under the button: ``chosen`` comes with the step's class, by a click or Enter."""

    chosen = Signal(object)

    def __init__(self, registry: Registry, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._registry = registry
        self.setProperty("part", "popover")
        self.setObjectName("preprocess.filters")
        self.setAccessibleName("Steps that can be added")
        self.search = SearchField("Search steps…", "preprocess.filters.search")
        self.search.setToolTip("Words of what you want to do: fill, scale, best columns")
        self.search.textChanged.connect(self._fill)
        self.search.installEventFilter(self)
        self.list = QListWidget()
        self.list.setObjectName("preprocess.filters.list")
        self.list.setAccessibleName("Steps by family; Enter adds the one chosen")
        self.list.setToolTip("A click or Enter adds the step at the end of the recipe")
        self.list.setItemDelegate(_Lines(self.list))
        self.list.setMouseTracking(True)
        self.list.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemClicked.connect(self._take)
        self.list.installEventFilter(self)
        self._nothing = label("No step is about this.", "small")
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_3, SPACE_3, SPACE_3, SPACE_3)
        column.setSpacing(SPACE_2)
        for widget in (self.search, self.list, self._nothing):
            column.addWidget(widget)
        self._fill("")

    def show_under(self, button: QWidget) -> None:
        """Show every step under the button, inside the screen, ready to be typed into."""
        self.search.clear()
        screen = button.screen().availableGeometry()
        self.resize(min(themes.px(WIDTH), screen.width()), min(themes.px(HEIGHT), screen.height()))
        at = button.mapToGlobal(button.rect().bottomLeft() + QPoint(0, 4))
        at.setX(max(screen.left(), min(at.x(), screen.right() - self.width())))
        at.setY(max(screen.top(), min(at.y(), screen.bottom() - self.height())))
        self.move(at)
        self.show()
        self.search.setFocus(Qt.FocusReason.PopupFocusReason)

    def _fill(self, search: str) -> None:
        families: dict[str, list[type[Filter]]] = {}
        found = [filter for filter in self._registry.filters if matches(filter, search)]
        for filter in sorted(found, key=lambda filter: not is_named(filter, search)):
            families.setdefault(filter.family, []).append(filter)
        self.list.clear()
        for family, filters in families.items():
            heading = QListWidgetItem(family)
            heading.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addItem(heading)
            for filter in filters:
                item = QListWidgetItem(filter.name)
                item.setData(FILTER, filter.id)
                item.setData(SENTENCE, filter.sentence)
                item.setToolTip(filter.sentence)
                item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, filter.sentence)
                self.list.addItem(item)
        self._nothing.setVisible(not families)
        self.list.setCurrentRow(1 if families else -1)
        self.list.scrollToTop()

    def _take(self, item: QListWidgetItem | None) -> None:
        id = None if item is None else item.data(FILTER)
        if id is not None:
            self.hide()
            self.chosen.emit(self._registry.filters.get(id))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter adds the step, from the search field too; the arrows walk through the list from there."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take(self.list.currentItem())
                return True
            if watched is self.search and event.key() in _ARROWS:
                self.list.keyPressEvent(event)
                return True
        return super().eventFilter(watched, event)
