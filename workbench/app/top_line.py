"""The line at the top: document, tabs, palette, positive class, warnings, undo, menu; and the history."""

from __future__ import annotations

from functools import partial
from html import escape
from pathlib import Path
from typing import Final

from PySide6.QtCore import QEvent, QPoint, QPointF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFontMetrics, QGuiApplication, QIcon, QKeyEvent, QKeySequence, QPainter, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFrame,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QSizePolicy,
    QTabBar,
    QWidget,
)

from algorithms.text.names import shortened
from algorithms.text.sentences import in_room
from workbench.session.document import names_around
from workbench.session.session import Session
from workbench.style.structure_colors import StructureColors, draw_symbol
from workbench.style.theme import SPACE_1, SPACE_2, SPACE_3, SPACE_4, current_theme, set_property, themes
from workbench.warnings.warning_drawer import WarningBadge
from workbench.widgets.buttons import IconButton, spacer
from workbench.widgets.fields import ElidedComboBox
from workbench.widgets.labels import AIR, ElidedLabel, LinkLabel, elided, label
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, named, row_layout

MOST_SEEN: Final = 14
WIDTH: Final = 380
"""Least width at normal text size."""
WIDEST: Final = 0.6
"""Largest share of the window's width."""
BESIDE: Final = 32
"""Margin beside the text of a step, in pixels at normal text size."""
HERE: Final = "you are here"
SAYS: Final = "Choose a step to go back or forward to it. The next change to the table replaces what is undone."


class _Steps(QListWidget):
    """The steps, the oldest first. Enter or a click chooses one, Ctrl+C copies all."""

    asked = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.asked.emit(self.currentRow())
        elif event.matches(QKeySequence.StandardKey.Copy):
            lines = (str(self.item(row).data(Qt.ItemDataRole.UserRole)) for row in range(self.count()))
            QGuiApplication.clipboard().setText("\n".join(lines))
        else:
            super().keyPressEvent(event)


class HistoryPopover(QFrame):
    """The history below its button, with the focus on the present step; closes once a step is chosen."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._session = session
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("part", "popover")
        named(self, "history.popover", "History")
        self._list = named(_Steps(), "history.steps", "Steps, the oldest first")
        self._list.setUniformItemSizes(True)
        self._list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.itemClicked.connect(lambda item: self._go(self._list.row(item)))
        self._list.asked.connect(self._go)
        self._bold = themes.font(bold=True)
        self._width = self._fitting(parent.window().width())
        words = label(SAYS, "small", wrap=True)
        words.setFixedWidth(self._width)
        margins = (SPACE_3, SPACE_2, SPACE_3, SPACE_2)
        column_layout(words, self._list, inside=self, spacing=SPACE_2, margins=margins)
        self._fill()

    def _fitting(self, window: int) -> int:
        """Width of the longest name with its suffix, within bounds, for this width of the window."""
        stack, metrics = self._session.undo_stack, QFontMetrics(self._bold)
        names = (f"{stack.text(step)}  ·  {HERE}" for step in range(stack.count()))
        needed = max((metrics.horizontalAdvance(name) for name in names), default=0) + themes.px(BESIDE)
        return max(themes.px(WIDTH), min(needed + AIR, round(WIDEST * window)))

    def _fill(self) -> None:
        stack, theme = self._session.undo_stack, current_theme()
        names = ["As it was opened", *(stack.text(step) for step in range(stack.count()))]
        for step, name in enumerate(names):
            state = HERE if step == stack.index() else "undone" if step > stack.index() else ""
            words = f"{name}  ·  {state}" if state else name
            cut = self._cut(name, state, names_around(stack.command(step - 1)) if step else ())
            item = QListWidgetItem(f"{cut}  ·  {state}" if state else cut)
            item.setToolTip(name)
            item.setData(Qt.ItemDataRole.UserRole, words)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, words)
            if step == stack.index():
                item.setFont(self._bold)
            elif step > stack.index():
                item.setForeground(theme.color("dim"))
            self._list.addItem(item)
        self._list.setCurrentRow(stack.index())
        row = max(1, self._list.sizeHintForRow(0))
        self._list.setFixedSize(self._width, min(len(names), MOST_SEEN) * row + 4)

    def _cut(self, name: str, state: str, among: tuple[str, ...]) -> str:
        """The name shortened to leave room for the state; column names ``among`` it stay distinct."""
        metrics = QFontMetrics(self._bold)
        room = self._width - metrics.horizontalAdvance(f"  ·  {state}" if state else "") - themes.px(BESIDE)
        return elided(metrics, in_room(name, among, lambda words: metrics.horizontalAdvance(words) <= room), room)

    def open_under(self, button: QWidget) -> None:
        """Show the history below the button, inside the screen."""
        self.adjustSize()
        corner = button.mapToGlobal(QPoint(button.width() - self.width(), button.height() + 4))
        screen = button.screen().availableGeometry()
        corner.setX(max(screen.left(), min(corner.x(), screen.right() - self.width())))
        corner.setY(max(screen.top(), min(corner.y(), screen.bottom() - self.height())))
        self.move(corner)
        self.show()
        self._list.setFocus()
        self._list.scrollToItem(self._list.currentItem())

    def _go(self, step: int) -> None:
        self.close()
        self._session.history.go_to(step)


TAB_NAMES: Final = ("Preprocess", "Classify", "Evaluate", "Visualize")
PROGRAM: Final = "Coppice"
CLASS_NAME: Final = 20
SHORT_CLASS_NAME: Final = 11
"""Most characters of the name of the class, and of it where room is short."""
MOST_COLUMNS: Final = 40
NAME_ROOM: Final = 110
"""Least width of the name of the document with the facts beside it."""
DOCUMENT_SHARE, NARROW_SHARE = 0.24, 0.16
"""Share of the window's width before the tabs, whatever stands there, so that they never move."""
BRIEFEST_CLASS_NAME: Final = 8
SEARCH_WORDS: Final = ("Search or run…   Ctrl K", "Ctrl K")
"""Words beside the icon of the palette where there is room left, the longest first."""
ROOM: Final = (1400, 1240, 1160, 1080)
"""Below each of these widths, in pixels at normal text size, the line drops words."""
WITHOUT_FACTS: Final = len(ROOM) + 1
"""At this level the class attribute is shown in Preprocess only."""
TIGHTEST: Final = len(ROOM) + 2
"""At this level the positive class is shown without its label."""


class TopBar(QFrame):
    """The open document, the tabs and buttons; ``menu`` holds the actions without a button."""

    palette_asked = Signal()
    ledger_toggled = Signal()

    def __init__(self, session: Session, menu: QMenu, badge: WarningBadge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._badge = session, badge
        self._squeeze = -1
        self.setProperty("part", "top")
        self.setObjectName("top")
        self._name = named(ElidedLabel(PROGRAM, "heading"), "document")
        self._facts = named(LinkLabel("", "facts"), "document.facts")
        self._facts.setWordWrap(False)
        self._facts.linkActivated.connect(self.ask_for_class)
        self._edited = named(label("", "heading"), "document.edited")
        self._document = ClearWidget()
        words = (self._name, self._edited, self._facts)
        self._document_row = row_layout(*words, 1, inside=self._document, spacing=SPACE_2)
        self.tabs = _made_tabs()
        self.search = IconButton("search", "Search or run (Ctrl+K)", "palette.open", self.palette_asked.emit)
        self.search.setProperty("part", "search")
        self.undo = IconButton("undo", "Undo", "undo", session.undo_stack.undo, plain=True)
        self.redo = IconButton("redo", "Redo", "redo", session.undo_stack.redo, plain=True)
        self.ledger = IconButton(
            "panel-right", "Show or hide the runs", "ledger.toggle", self.ledger_toggled.emit, plain=True
        )
        self.ledger.setCheckable(True)
        self.more = IconButton("more", "Open, save, look and help", "menu", plain=True)
        self.more.setMenu(menu)
        self.more.setPopupMode(IconButton.ToolButtonPopupMode.InstantPopup)
        buttons = self.undo, self.redo, self.ledger, self.more
        self._row = row_layout(self._document, inside=self, spacing=SPACE_2, margins=(SPACE_4, 0, SPACE_4, 0))
        self._row.addSpacing(SPACE_3)
        add_items(self._row, self.tabs, (spacer(), 1), self.search, self._make_interest(), badge, *buttons)
        self._fitted: tuple[object, ...] = ()
        self._offered: tuple[object, ...] = ()
        stack = session.undo_stack
        for signal in (stack.indexChanged, stack.cleanChanged):
            signal.connect(self._refresh_undo)
        session.saving.changed.connect(self._show_unsaved)
        session.saving.named.connect(self._refresh_document)
        session.data_changed.connect(self._refresh_document)
        session.runs_changed.connect(self._show_ledger)
        self.ledger.toggled.connect(self._show_ledger)
        self.tabs.currentChanged.connect(self._show_ledger)
        session.class_of_interest_changed.connect(self._refresh_interest)
        themes.follow(self._refresh_document)
        themes.follow(self._refresh_interest)
        themes.follow(self._fit)
        self._refresh_undo()
        self._refresh_document()
        self._refresh_interest()

    def _make_interest(self) -> QWidget:
        self._interest_box = ClearWidget()
        tip = "The positive class: recall, precision and curves are about it"
        self._interest_words = words = label("Positive class", "facts")
        words.setToolTip(tip)
        self.interest = named(ElidedComboBox(), "class_of_interest", "Positive class", tip)
        self.interest.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.interest.setMaximumWidth(190)
        self.interest.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.interest.activated.connect(self._session.set_class_of_interest)
        words.setBuddy(self.interest)
        self._interest_row = row_layout(
            words, self.interest, inside=self._interest_box, spacing=SPACE_2, margins=(0, 0, SPACE_1, 0)
        )
        return self._interest_box

    def show_history(self) -> None:
        """Show the steps of the history under the button that undoes."""
        HistoryPopover(self._session, self.undo).open_under(self.undo)

    def ask_for_class(self, _link: str = "") -> None:
        """Show a menu of columns to predict; Preprocess has the rest of many."""
        data = self._session.data
        if data is None:
            return
        menu = named(QMenu(self), "document.class")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for index, attribute in enumerate(data.schema.attributes[:MOST_COLUMNS]):
            action = menu.addAction(shortened(attribute.name, 48, data.schema.names))
            action.setCheckable(True)
            action.setChecked(index == data.schema.class_index)
            action.triggered.connect(partial(self._predict, attribute.name))
        if len(data.schema) > MOST_COLUMNS:
            menu.addSeparator()
            menu.addAction("More in Preprocess...").triggered.connect(lambda: self.tabs.setCurrentIndex(0))
        menu.popup(self._facts.mapToGlobal(self._facts.rect().bottomLeft()))

    def _predict(self, name: str, _checked: bool = True) -> None:
        data = self._session.data
        if data is not None and (data.schema.class_index is None or data.schema.class_attribute.name != name):
            self._session.set_class(name)

    def show_open(self, is_open: bool) -> None:
        """Disable the tabs without a document."""
        self.tabs.setEnabled(is_open)
        for index, name in enumerate(TAB_NAMES):
            self.tabs.setTabToolTip(index, f"{name} (Ctrl+{index + 1})" if is_open else f"{name}: open a table first")
        self._show_ledger()
        self._badge.setVisible(is_open)
        self._fit()

    def _show_ledger(self) -> None:
        """Show the switch of the runs, in its place; Preprocess has it once there are runs or their pane is open."""
        has_some = bool(self._session.runs) or self.ledger.isChecked() or self.tabs.currentIndex() > 0
        keep_place(self.ledger, self._session.data is not None)
        self.ledger.setVisible(self._session.data is not None and has_some)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Drop words until the line fits the width. The place of the tabs depends on the window's width only."""
        room = self.width() / themes.scale
        is_narrow = room < ROOM[-1]
        self._document.setFixedWidth(round((NARROW_SHARE if is_narrow else DOCUMENT_SHARE) * self.width()))
        set_property(self.tabs, "narrow", is_narrow)
        QApplication.sendEvent(self.tabs, QEvent(QEvent.Type.StyleChange))  # else it keeps its measured widths
        squeeze = sum(room < enough for enough in ROOM)
        self._show_search("")
        self._say(squeeze)
        while squeeze < TIGHTEST and not self._has_room():
            squeeze += 1
            self._say(squeeze)
        for words in SEARCH_WORDS:
            self._show_search(words)
            if self._has_room():
                break
        else:
            self._show_search("")
        self._fitted = self._words()

    def _show_search(self, words: str) -> None:
        self.search.setText(words)
        style = Qt.ToolButtonStyle.ToolButtonTextBesideIcon if words else Qt.ToolButtonStyle.ToolButtonIconOnly
        self.search.setToolButtonStyle(style)

    def _beside_name(self) -> int:
        shown = [widget for widget in (self._edited, self._facts) if not widget.isHidden()]
        return sum(max(widget.sizeHint().width(), widget.minimumWidth()) + SPACE_2 for widget in shown)

    def _words(self) -> tuple[object, ...]:
        """The texts, except the name, that need a new layout when they change."""
        return self._facts.text(), self._offered[:1]

    def _fit_other_words(self) -> None:
        """Fit again if the words changed, as measuring is slow."""
        if self._words() != self._fitted:
            self._fit()

    def _has_room(self) -> bool:
        """Whether the line, and the document in its place before the tabs, fit."""
        self._interest_row.invalidate()
        self._interest_box.updateGeometry()
        self._row.invalidate()
        name = min(themes.px(NAME_ROOM), self._name.fontMetrics().horizontalAdvance(self._name.text()))
        if self._facts.isVisibleTo(self) and self._beside_name() + name > self._document.width():
            return False
        return self._row.totalMinimumSize().width() <= self.width()

    def _say(self, squeeze: int) -> None:
        if squeeze == self._squeeze:
            return
        self._squeeze = squeeze
        is_narrow = squeeze >= len(ROOM)
        self._badge.set_brief(squeeze >= 2)
        self._interest_words.setText("Positive class" if squeeze < 3 else "Positive")
        self._interest_words.setVisible(squeeze < TIGHTEST)
        self._facts.setVisible(squeeze < WITHOUT_FACTS)
        self.interest.setMaximumWidth(themes.px(190 if not is_narrow else 150 if squeeze == len(ROOM) else 112))
        self._write_document()

    def _refresh_undo(self, _value: object = None) -> None:
        stack = self._session.undo_stack
        self.undo.setEnabled(stack.canUndo())
        self.redo.setEnabled(stack.canRedo())
        self.undo.setToolTip(f"Undo: {stack.undoText()} (Ctrl+Z)" if stack.canUndo() else "Nothing to undo")
        self.redo.setToolTip(f"Redo: {stack.redoText()} (Ctrl+Shift+Z)" if stack.canRedo() else "Nothing to redo")
        self._refresh_document()

    def _refresh_document(self) -> None:
        self._write_document()
        self._fit_other_words()

    def _write_document(self) -> None:
        data = self._session.data
        if data is None:
            self._name.setText(PROGRAM)
            self._edited.setText("")
            self._facts.setText("")
            return
        self._edited.setFixedWidth(self._edited.fontMetrics().horizontalAdvance("*"))  # keeps its place
        self._show_unsaved()
        name = shown_name(self._session)
        self._name.set_wordings(name, Path(name).stem, name.partition(" (")[0])
        n_attributes = len(data.schema) - (data.schema.class_index is not None)
        chosen = None if data.schema.class_index is None else data.schema.class_attribute.name
        link = f"color:{themes.current.text};text-decoration:none"
        longest = CLASS_NAME if self._squeeze < 2 else SHORT_CLASS_NAME if self._squeeze < 4 else BRIEFEST_CLASS_NAME
        words = (
            "no class" if chosen is None else f"class <b>{escape(shortened(chosen, longest, data.schema.names))}</b>"
        )
        facts = [f"{len(data):,} records", f"{n_attributes:,} attributes"][: max(0, 2 - max(0, self._squeeze))]
        facts.append(f'<a href="class" style="{link}">{words} ▾</a>')
        self._facts.setText(" · ".join(facts))
        tip = "Choose another column to predict" + ("" if chosen is None else f" instead of {chosen}")
        self._facts.setToolTip(tip)
        self._facts.setAccessibleName(tip)

    def _show_unsaved(self) -> None:
        """Show a star while anything is unsaved, with the details as tooltip."""
        self._edited.setText("*" if self._session.saving.is_unsaved else "")
        self._edited.setAccessibleName(self._session.saving.unsaved)
        self._edited.setToolTip(f"{self._session.saving.unsaved} Ctrl+S saves everything as a project.")

    def _refresh_interest(self) -> None:
        classes = self._session.classes
        self._interest_box.setVisible(len(classes) > 1)
        with QSignalBlocker(self.interest):
            if self._offered != (classes, themes.current, themes.scale):
                self._offered = (classes, themes.current, themes.scale)
                self.interest.clear()
                for code, name in enumerate(classes[:500]):
                    self.interest.addItem(_symbol(code), name)
            self.interest.setCurrentIndex(self._session.class_of_interest if classes else -1)
        self._fit_other_words()


def keep_place(widget: QWidget, wanted: bool) -> None:
    """Keep the room of a hidden widget, so that what stands beside it stays in place."""
    policy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(wanted)
    widget.setSizePolicy(policy)


def shown_name(session: Session) -> str:
    """Name of the project file, of the table's file, or of a table without one; empty with nothing open."""
    if session.data is None:
        return ""
    path = session.saving.path or session.data.origin.path
    return session.data.origin.name if path is None else Path(path).name


def _made_tabs() -> QTabBar:
    tabs = named(QTabBar(), "tabs", "Tabs")
    tabs.setExpanding(False)
    tabs.setDrawBase(False)
    tabs.setUsesScrollButtons(False)
    tabs.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
    tabs.setElideMode(Qt.TextElideMode.ElideNone)
    for index, name in enumerate(TAB_NAMES):
        tabs.addTab(name)
        tabs.setTabToolTip(index, f"{name} (Ctrl+{index + 1})")
    return tabs


def _symbol(code: int) -> QIcon:
    """The symbol of a class in its colour."""
    drawn = QPixmap(24, 24)
    drawn.fill(Qt.GlobalColor.transparent)
    with QPainter(drawn) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw_symbol(painter, StructureColors(current_theme()), code, QPointF(12, 12), 9)
    drawn.setDevicePixelRatio(2)
    return QIcon(drawn)
