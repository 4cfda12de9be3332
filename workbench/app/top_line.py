"""The line at the top: document, tabs, palette, positive class, warnings, undo, menu; and the history."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Final

from PySide6.QtCore import QEvent, QPointF, QRect, QSignalBlocker, Qt, Signal
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
from algorithms.text.sentences import counted, in_room
from workbench.session.document import document_name, names_around
from workbench.session.session import Session
from workbench.style.structure_colors import StructureColors, draw_symbol
from workbench.style.theme import LEAST_PX, SPACE_1, SPACE_2, SPACE_3, SPACE_4, current_theme, set_property, themes
from workbench.warnings.warning_drawer import WarningBadge
from workbench.widgets.buttons import IconButton, UsableButton, spacer
from workbench.widgets.dialogs import show_under
from workbench.widgets.fields import SEARCHED_FROM, ElidedComboBox, SearchPopup
from workbench.widgets.keyboard_focus import enable, keep_place
from workbench.widgets.labels import AIR, ElidedLabel, LinkLabel, elided, in_two_lines, label
from workbench.widgets.layouts import ClearWidget, add_items, as_high_as_needed, column_layout, named, row_layout

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
        metrics = QFontMetrics(self._bold)
        room = self._width - metrics.horizontalAdvance(f"  ·  {state}" if state else "") - themes.px(BESIDE)
        return elided(metrics, in_room(name, among, lambda words: metrics.horizontalAdvance(words) <= room), room)

    def open_under(self, button: QWidget) -> None:
        """Show the history below the button, inside the screen."""
        self.adjustSize()
        show_under(self, button, QRect(button.width() - self.width(), 1, self.width(), button.height()))
        self._list.setFocus()
        self._list.scrollToItem(self._list.currentItem())

    def _go(self, step: int) -> None:
        self.close()
        self._session.history.go_to(step)


TAB_NAMES: Final = ("Preprocess", "Classify", "Evaluate", "Visualize")
PROGRAM: Final = "Coppice"
CLASS_NAME: Final = 20
SHORT_CLASS_NAME: Final = 11
WIDER_CLASS_NAMES: Final = (40, 30, 24, 20, 17, 15, 13, 11, 9)
"""Numbers of letters that are tried where the line has more room, down to the least."""
"""Most characters of the name of the class, and of it where room is short."""
NAME_ROOM: Final = 90
"""Least width of the name of the document with the facts beside it, if it has no shorter wording."""
DOCUMENT_SHARE, NARROW_SHARE = 0.24, 0.16
"""Most and least share of the window's width before the tabs, whatever stands there, so that they never move."""
GAPS_BESIDE, NARROW_BESIDE, WIDE_BESIDE = 318, 463, 540
"""Width of the line from the tabs on with its fewest words: gaps in pixels, and words at normal text size."""
BRIEFEST_CLASS_NAME: Final = 9
WIDEST_CLASS: Final = 420
"""Most width of the choice of the positive class where there is room, in pixels at normal text size."""
SEARCH_WORDS: Final = ("Search or run…   Ctrl K", "Ctrl K")
"""Words beside the icon of the palette where there is room left, the longest first."""
ROOM: Final = (1400, 1240, 1160, 1080)
"""Below each of these widths, in pixels at normal text size, the line drops words."""
MOST_ATTEMPTS: Final = 3
"""So often words are dropped anew because that itself changed the size of the line."""
LABEL_INSIDE: Final = len(ROOM) + 1
"""From this level on the label of the positive class stands within its box, above the name."""
POSITIVE_CLASS: Final = "Positive class"
POSITIVE: Final = "Positive"
"""The label where its two words have no room within the box."""
NAME_ONLY: Final = len(ROOM) + 2
"""At this level the class attribute is shown by its name only."""
TIGHTEST: Final = len(ROOM) + 3
"""At this level the class attribute is not shown."""


AROUND_LINES: Final = 4
"""Pixels above and below both lines of a long name together."""


class ClassBox(ElidedComboBox):
    """The choice of the positive class, whose name stands in two lines of small text where one is too short.

    Where the line has no room for its label, that is the first of the two lines.
    """

    _label = ""

    def set_label(self, words: str) -> None:
        """Sets the label to show within the box; empty for none."""
        self._label = words
        self.update()

    def _elided(self, words: str, most: int) -> str:
        choices = self._choices(words, most)
        if self._label:
            metrics = QFontMetrics(themes.font(LEAST_PX))
            fitting = next((each for each in (self._label, POSITIVE) if metrics.horizontalAdvance(each) <= most), "")
            if fitting:
                return f"{fitting}\n{elided(metrics, words, most, choices)}"
        return in_two_lines(themes.font(LEAST_PX), words, most, choices) if choices else words

    def height_within(self, width: int) -> int:
        """The height for the names in this width: of two lines if one of them is too long for one."""
        hint, lines = self.sizeHint(), 2 * QFontMetrics(themes.font(LEAST_PX)).height() + AROUND_LINES
        return hint.height() if hint.width() <= width and not self._label else max(hint.height(), lines)


class TopBar(QFrame):
    """The open document, the tabs and buttons; ``menu`` holds the actions without a button."""

    palette_asked = Signal()
    ledger_toggled = Signal()

    def __init__(self, session: Session, menu: QMenu, badge: WarningBadge, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._badge = session, badge
        self._squeeze, self._said_at = -1, themes.scale
        self._overfull = 0
        """Width that the line needed when it was too narrow; 0 while it has room."""
        self._widened = 0
        """Letters of the class name for which the line has room; 0 before it is fitted."""
        self.setProperty("part", "top")
        self.setObjectName("top")
        self._name = named(ElidedLabel(PROGRAM, "heading"), "document")
        self._facts = named(LinkLabel("", "facts"), "document.facts")
        self._facts.setWordWrap(False)
        self._facts.setContentsMargins(SPACE_1, SPACE_1, SPACE_1, SPACE_1)  # room for the frame of the focus
        as_high_as_needed(self._facts)
        self._facts.linkActivated.connect(self.ask_for_class)
        self._edited = named(label("", "heading"), "document.edited")
        self._document = ClearWidget(self)
        words = (self._name, self._edited, self._facts)
        self._document_row = row_layout(*words, 1, inside=self._document, spacing=SPACE_1)
        self.tabs = _made_tabs()
        self.search = IconButton("search", "Search or run (Ctrl+K)", "palette.open", self.palette_asked.emit)
        self.search.setProperty("part", "search")
        self.undo = IconButton("undo", "Undo", "undo", session.undo_stack.undo, plain=True)
        self.redo = UsableButton("redo", "Redo", "redo", session.undo_stack.redo, plain=True)
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
        self._is_fitting = self._is_due = False
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
        badge.toggled.connect(self._show_ledger)
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
        self._interest_words = words = label(POSITIVE_CLASS, "facts")
        words.setToolTip(tip)
        self.interest = named(ClassBox(), "class_of_interest", POSITIVE_CLASS, tip)
        self.interest.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.interest.setMaximumWidth(190)
        self.interest.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.interest.activated.connect(self._session.set_class_of_interest)
        words.setBuddy(self.interest)
        self._interest_row = row_layout(
            words, self.interest, inside=self._interest_box, spacing=SPACE_2, margins=(0, 0, SPACE_1, 0)
        )
        return self._interest_box

    def show_history(self) -> None:
        HistoryPopover(self._session, self.undo).open_under(self.undo)

    def ask_for_class(self, _link: str = "") -> None:
        """Show a menu of columns to predict, or a list to search if they are many."""
        data = self._session.data
        if data is None:
            return
        if len(data.schema) > SEARCHED_FROM:
            columns = named(ElidedComboBox(), "document.class.columns", "Attribute to predict")
            columns.addItems(data.schema.names)
            columns.setCurrentIndex(-1 if data.schema.class_index is None else data.schema.class_index)
            popup = SearchPopup(columns, self)
            popup.chosen.connect(lambda index: self._predict(data.schema.names[index]))
            show_under(popup, self._facts)
            popup.search.setFocus()
            return
        menu = named(QMenu(self), "document.class")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for index, attribute in enumerate(data.schema.attributes):
            action = menu.addAction(shortened(attribute.name, 48, data.schema.names))
            action.setCheckable(True)
            action.setChecked(index == data.schema.class_index)
            action.triggered.connect(partial(self._predict, attribute.name))
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
        is_covered = self._badge.isChecked()  # the drawer of warnings is over the runs
        self.ledger.setVisible(self._session.data is not None and has_some and not is_covered)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        """Fit again, once, if a part took a larger size after the line was fitted, as with larger text."""
        is_done = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:
            needed = self._row.totalMinimumSize().width()
            before, self._overfull = self._overfull, needed if needed > self.width() else 0
            if self._overfull and self._overfull != before:
                self._fit()
        return is_done

    def _fit(self) -> None:
        """Drop words until the line fits the width, again if its size changes meanwhile, as showing words may do."""
        self._is_due = True
        if self._is_fitting:
            return
        self._is_fitting = True
        try:
            for _attempt in range(MOST_ATTEMPTS):
                if self._is_due:
                    self._is_due = False
                    self._fit_words()
        finally:
            self._is_fitting = False

    def _fit_words(self) -> None:
        """Drop words until the line fits the width. The place of the tabs depends on the window's width only."""
        room = self.width() / themes.scale
        is_narrow = room < ROOM[-1]
        least, most = (round(share * self.width()) for share in (NARROW_SHARE, DOCUMENT_SHARE))
        beside = GAPS_BESIDE + themes.px(NARROW_BESIDE if is_narrow else WIDE_BESIDE)
        self._document.setFixedWidth(max(least, min(most, self.width() - beside)))
        set_property(self.tabs, "narrow", is_narrow)
        QApplication.sendEvent(self.tabs, QEvent(QEvent.Type.StyleChange))  # else it keeps its measured widths
        squeeze = sum(room < enough for enough in ROOM)
        if self._widened:
            self._widened = 0
            self._write_document()
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
        self._widen_interest()
        self._widen_class()
        self._fit_name()
        self._fitted = self._words()

    def _widen_interest(self) -> None:
        """Give the positive class the room that is left in the line, as far as its names need it."""
        spare = 0 if not self._has_room() else self.width() - self._row.totalMinimumSize().width()
        least = self.interest.maximumWidth()
        most = max(least, min(least + spare, themes.px(WIDEST_CLASS)))
        self.interest.setMaximumWidth(most)
        self.interest.setMaximumHeight(self.interest.height_within(most))  # as far as the line is so high

    def _widen_class(self) -> None:
        """Show as much of the class name as has room beside what is shown of the name of the table."""
        data, room = self._session.data, self._document.width()
        if data is None or data.schema.class_index is None or not self._facts.isVisibleTo(self):
            return
        least, length = self._longest_class, len(data.schema.class_attribute.name)
        name = self._name.fontMetrics().horizontalAdvance(self._name.shown_in(room - self._beside_name()))
        for most in WIDER_CLASS_NAMES if length > least else ():
            self._widened = most
            self._write_document()
            if most <= least or name + self._beside_name() <= room:
                break

    @property
    def _longest_class(self) -> int:
        """Number of letters shown of the class name."""
        by_room = CLASS_NAME if self._squeeze < 2 else SHORT_CLASS_NAME if self._squeeze < 4 else BRIEFEST_CLASS_NAME
        return max(self._widened, by_room)

    def _fit_name(self) -> None:
        """Make the name as wide as its wording, so that the star stands directly beside it."""
        shown, metrics = self._name.shown_in(self._document.width() - self._beside_name()), self._name.fontMetrics()
        self._name.setFixedWidth(metrics.horizontalAdvance(shown))

    def _show_search(self, words: str) -> None:
        self.search.setText(words)
        style = Qt.ToolButtonStyle.ToolButtonTextBesideIcon if words else Qt.ToolButtonStyle.ToolButtonIconOnly
        self.search.setToolButtonStyle(style)

    def _beside_name(self) -> int:
        shown = [widget for widget in (self._edited, self._facts) if not widget.isHidden()]
        return sum(max(widget.sizeHint().width(), widget.minimumWidth()) + SPACE_1 for widget in shown)

    def _words(self) -> tuple[object, ...]:
        """The texts, except the name, that need a new layout when they change."""
        return self._facts.text(), self._offered[:1]

    def _fit_other_words(self) -> None:
        """Fit again if the words changed, as measuring is slow."""
        if self._words() != self._fitted:
            self._fit()
        else:
            self._fit_name()

    def _has_room(self) -> bool:
        self._interest_row.invalidate()
        self._interest_box.updateGeometry()
        self._row.invalidate()
        name = min(themes.px(NAME_ROOM), self._name.least_width())
        if self._facts.isVisibleTo(self) and self._beside_name() + name > self._document.width():
            return False
        return self._row.totalMinimumSize().width() <= self.width()

    def _say(self, squeeze: int) -> None:
        is_narrow = squeeze >= len(ROOM)
        self.interest.setMaximumWidth(themes.px(190 if not is_narrow else 150 if squeeze == len(ROOM) else 106))
        if (squeeze, themes.scale) == (self._squeeze, self._said_at):
            return
        self._squeeze, self._said_at = squeeze, themes.scale
        self._badge.set_brief(squeeze >= 2)
        self._interest_words.setText(POSITIVE_CLASS if squeeze < 3 else "Positive")
        self._interest_words.setVisible(squeeze < LABEL_INSIDE)
        self.interest.set_label(POSITIVE_CLASS if squeeze >= LABEL_INSIDE else "")
        self._facts.setVisible(squeeze < TIGHTEST)
        self._write_document()

    def _refresh_undo(self, _value: object = None) -> None:
        stack = self._session.undo_stack
        self.undo.setEnabled(stack.canUndo())
        enable(self.redo, stack.canRedo(), self.undo)
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
        self._name.set_wordings(name, name.partition(" (")[0])
        n_attributes = len(data.schema) - (data.schema.class_index is not None)
        chosen = None if data.schema.class_index is None else data.schema.class_attribute.name
        link = f"color:{themes.current.text};text-decoration:none"
        shown = "" if chosen is None else shortened(chosen, self._longest_class, data.schema.names)
        words = f"<b>{escape(shown)}</b>" if shown else "no class"
        if chosen is not None and self._squeeze < NAME_ONLY:
            words = f"class {words}"
        facts = [counted(len(data), "record"), counted(n_attributes, "attribute")][: max(0, 2 - max(0, self._squeeze))]
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


def shown_name(session: Session) -> str:
    """Name of the open document; empty with nothing open."""
    return "" if session.data is None else document_name(session.data, session.saving.path)


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
    drawn = QPixmap(24, 24)
    drawn.fill(Qt.GlobalColor.transparent)
    with QPainter(drawn) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw_symbol(painter, StructureColors(current_theme()), code, QPointF(12, 12), 9)
    drawn.setDevicePixelRatio(2)
    return QIcon(drawn)
