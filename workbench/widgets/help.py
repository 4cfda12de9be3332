"""Help window: list of pages, links, search and glossary."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QMargins, QRegularExpression, QSignalBlocker, QSize, Qt, QUrl
from PySide6.QtGui import (
    QDesktopServices,
    QFontMetrics,
    QImage,
    QKeyEvent,
    QKeySequence,
    QPalette,
    QResizeEvent,
    QShortcut,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QAbstractSlider, QDialog, QListWidget, QListWidgetItem, QTextBrowser, QTextEdit, QWidget

from workbench.style.theme import SPACE_2, SPACE_3, SPACE_4, current_theme, themes
from workbench.widgets.buttons import quiet_button
from workbench.widgets.fields import SearchField
from workbench.widgets.help_pages import (
    GLOSSARY,
    NO_VALUES,
    GlossaryValues,
    Keys,
    beginning_with,
    entry_of,
    is_title,
    page,
    page_names,
    pages_with,
    picture_file,
    with_values,
)
from workbench.widgets.layouts import column_layout, named, row_layout

LIST_MARGIN: Final = 48
MOST_TIMES: Final = 999
"""Most matches counted on a page."""
SCROLLS: Final[dict[int, QAbstractSlider.SliderAction]] = {
    Qt.Key.Key_Up: QAbstractSlider.SliderAction.SliderSingleStepSub,
    Qt.Key.Key_Down: QAbstractSlider.SliderAction.SliderSingleStepAdd,
    Qt.Key.Key_PageUp: QAbstractSlider.SliderAction.SliderPageStepSub,
    Qt.Key.Key_PageDown: QAbstractSlider.SliderAction.SliderPageStepAdd,
}
MOST_MARKED: Final = 500
FRAME: Final = QSize(24, 48)
"""Room for the frame and the title of the window, in pixels."""
HIT_FROM_TOP: Final = 5
"""A match that was out of view comes to stand at this part of the height of the view."""
ABOVE_HEADING: Final = 12
BETWEEN_PARAGRAPHS: Final = 8
BETWEEN_POINTS: Final = 3


class HelpPage(QTextBrowser):
    """A page of the help; its pictures have the colours of the theme, and are no wider than the page."""

    def loadResource(self, type: int, name: QUrl | str) -> object:
        """The picture of this name, as wide as the page at most; an empty one if it cannot be read."""
        return self._picture(QUrl(name).path())

    def _picture(self, name: str) -> QImage:
        image = QImage(str(picture_file(name, current_theme().is_dark)))
        width = min(image.width(), self.viewport().width() - 2 * round(self.document().documentMargin()))
        pixels = min(image.width(), round(width * self.devicePixelRatioF()))
        if width <= 0:
            return QImage()
        if pixels < image.width():
            image = image.scaledToWidth(pixels, Qt.TransformationMode.SmoothTransformation)
        image.setDevicePixelRatio(pixels / width)
        return image

    def _load_pictures(self) -> None:
        document = self.document()
        names = {form.toImageFormat().name() for form in document.allFormats() if form.isImageFormat()}
        for name in names:
            document.addResource(QTextDocument.ResourceType.ImageResource, QUrl(name), self._picture(name))

    def fit_pictures(self) -> None:
        """Draw the pictures of the page anew, for its present width and theme."""
        self._load_pictures()
        self.document().markContentsDirty(0, self.document().characterCount())

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.size().width() != event.oldSize().width():
            self._load_pictures()
        super().resizeEvent(event)  # it lays out the whole page


class HelpWindow(QDialog):
    """Shows the pages of ``resources/help`` beside its parent window."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Tool)
        self.setObjectName("help.window")
        self.setWindowTitle("Help")
        self.resize(themes.px(1040), themes.px(680))
        self.keys: Keys = {}
        """The shortcuts that the page about keys lists."""
        self.values: Callable[[], GlossaryValues] = lambda: NO_VALUES
        """Gives the values of the run in view for the glossary."""
        self._name = ""
        self._before: list[str] = []
        self._field = SearchField("Search the help", "help.search")
        self._field.textChanged.connect(self._search)
        self._field.returnPressed.connect(self._next)
        self._list = named(QListWidget(), "help.pages", "Pages of help")
        self._list.currentItemChanged.connect(self._chosen)
        self._page = named(HelpPage(), "help.page")
        self._page.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)  # its room is no part of a line
        self._page.setAccessibleName("Help")
        self._page.setOpenLinks(False)
        self._page.anchorClicked.connect(self._follow)
        self._back = quiet_button("Back", "help.back", "The page before (Alt+Left)", self._go_back)
        column_layout(
            row_layout(self._back, (self._field, 1), spacing=SPACE_2),
            (row_layout(self._list, (self._page, 1), spacing=SPACE_3), 1),
            inside=self,
            spacing=SPACE_3,
            margins=SPACE_4,
        )
        for keys, act in (
            (QKeySequence("Esc"), self.close),
            (QKeySequence("Alt+Left"), self._go_back),
            (QKeySequence(QKeySequence.StandardKey.Find), self._field.setFocus),
            (QKeySequence("F3"), self._next),
        ):
            QShortcut(keys, self, act)
        themes.follow_now(self._measure)

    def show_page(self, name: str, chapter: str = "") -> None:
        """Shows ``resources/help/<name>.md``, at the heading ``chapter`` if that is given."""
        self._field.clear()
        self._go(name)
        self._appear()
        if chapter:
            self.show_entry(chapter)

    def show_term(self, term: str) -> None:
        """Shows the glossary at the entry of a term, or at its beginning without one."""
        self.show_page(GLOSSARY)
        entry = entry_of(term)
        if entry is not None:
            self.show_entry(entry)

    def show_text(self, markdown: str) -> None:
        self._leave("")
        self._list.setCurrentRow(-1)
        self._write(markdown)
        self._appear()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Passes unused keys, such as those for scrolling, to the page; arrows in the search go through the pages."""
        step = SCROLLS.get(event.key())
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        if self._field.hasFocus() and event.key() in steps:
            row = self._list.currentRow() + steps[Qt.Key(event.key())]
            self._list.setCurrentRow(min(max(0, row), self._list.count() - 1))
        elif step is not None:
            self._page.verticalScrollBar().triggerAction(step)
        elif event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):  # they search, and close nothing
            super().keyPressEvent(event)

    def _write(self, markdown: str) -> None:
        """Shows a text with space between paragraphs, which Qt computes only for fonts in points."""
        self._page.setMarkdown(markdown)
        cursor = QTextCursor(self._page.document())
        cursor.beginEditBlock()
        block = self._page.document().begin()
        while block.isValid():
            cursor.setPosition(block.position())
            if cursor.currentTable() is None:
                form = block.blockFormat()
                form.setTopMargin(themes.px(ABOVE_HEADING) if form.headingLevel() else 0)
                form.setBottomMargin(themes.px(BETWEEN_POINTS if block.textList() else BETWEEN_PARAGRAPHS))
                cursor.setBlockFormat(form)
            block = block.next()
        cursor.endEditBlock()

    def _go(self, name: str) -> None:
        self._leave(name)
        text = page(name, self.keys).text
        self._write(with_values(text, self.values()) if name == GLOSSARY else text)
        self._page.moveCursor(QTextCursor.MoveOperation.Start)
        self._list_pages()
        self._mark()

    def _leave(self, name: str) -> None:
        if self._name and self._name != name:
            self._before.append(self._name)
        self._name = name
        self._back.setEnabled(bool(self._before))

    def _go_back(self) -> None:
        if self._before:
            before = self._before.pop()
            self._name = ""
            self._go(before)

    def _follow(self, link: QUrl) -> None:
        if link.isRelative():
            self._go(link.path().removesuffix(".md"))
        else:
            QDesktopServices.openUrl(link)

    def _chosen(self, item: QListWidgetItem | None) -> None:
        name = None if item is None else item.data(Qt.ItemDataRole.UserRole)
        if name is not None and name != self._name:
            self._go(name)
            self._next()

    def _search(self) -> None:
        matches = self._list_pages()
        entry = entry_of(self._field.text())
        if entry is not None:
            self._go(GLOSSARY)
            self.show_entry(entry)
            return
        has_title = bool(matches) and is_title(self._field.text(), page(matches[0]))
        if matches and (has_title or self._name not in matches) and self._field.text().strip():
            self._go(matches[0])
        self._mark()
        self._next()

    def show_entry(self, heading: str) -> None:
        """Scrolls to a chapter or a glossary entry and selects its heading."""
        cursor = QTextCursor(self._page.document())
        block = self._page.document().begin()
        while block.isValid() and not (block.blockFormat().headingLevel() and block.text() == heading):
            block = block.next()
        cursor.setPosition(block.position())
        cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        self._page.setTextCursor(cursor)
        top = self._page.document().documentLayout().blockBoundingRect(block).top()
        self._page.verticalScrollBar().setValue(round(top))

    def _list_pages(self) -> list[str]:
        words = self._field.text()
        matches = pages_with(words, [page(name, self.keys) for name in page_names()])
        if not words.strip():
            matches = [(match, 0) for match, _ in matches]
        with QSignalBlocker(self._list):
            self._list.clear()
            for match, times in matches:
                item = QListWidgetItem(_with_times(match.title, times) if times else match.title)
                item.setData(Qt.ItemDataRole.UserRole, match.name)
                self._list.addItem(item)
                if match.name == self._name:
                    self._list.setCurrentItem(item)
            if not matches:
                nothing = QListWidgetItem("Nothing found")
                nothing.setFlags(Qt.ItemFlag.NoItemFlags)
                self._list.addItem(nothing)
        return [match.name for match, _ in matches]

    def _mark(self) -> None:
        words = [beginning_with(word) for word in self._field.text().split()]
        marks: list[QTextEdit.ExtraSelection] = []
        if words:
            tint = QTextCharFormat()
            tint.setBackground(current_theme().color("warning_soft"))
            for match in re.finditer("|".join(words), self._page.toPlainText(), re.IGNORECASE):
                mark = QTextEdit.ExtraSelection()
                cursor = QTextCursor(self._page.document())
                cursor.setPosition(match.start())
                cursor.setPosition(match.end(), QTextCursor.MoveMode.KeepAnchor)
                mark.cursor, mark.format = cursor, tint
                marks.append(mark)
                if len(marks) == MOST_MARKED:
                    break
        self._page.setExtraSelections(marks)

    def _next(self) -> None:
        """Goes to the next match of the first word, after the last one to the first."""
        words = self._field.text().split()
        if not words:
            return
        wanted = QRegularExpression(beginning_with(words[0]), QRegularExpression.PatternOption.CaseInsensitiveOption)
        bar = self._page.verticalScrollBar()
        before = bar.value()
        if not self._page.find(wanted):
            self._page.moveCursor(QTextCursor.MoveOperation.Start)
            self._page.find(wanted)
        if bar.value() != before:  # it was out of view
            bar.setValue(bar.value() + self._page.cursorRect().top() - self._page.viewport().height() // HIT_FROM_TOP)

    def _measure(self) -> None:
        metrics = QFontMetrics(themes.font())
        names = (_with_times(page(name).title, MOST_TIMES) for name in page_names())
        self._list.setFixedWidth(max(map(metrics.horizontalAdvance, names)) + themes.px(LIST_MARGIN))
        palette = self._page.palette()
        palette.setColor(QPalette.ColorRole.Highlight, current_theme().color("accent"))
        self._page.setPalette(palette)
        self._page.document().setDefaultFont(themes.font())
        self._page.fit_pictures()
        self._mark()

    def _place(self) -> None:
        """Centres the window on its parent, with its frame inside the screen."""
        parent = self.parentWidget() or self
        room = parent.screen().availableGeometry().marginsRemoved(QMargins(0, 0, FRAME.width(), FRAME.height()))
        self.resize(self.size().boundedTo(room.size()))
        corner = parent.frameGeometry().center() - self.rect().center()
        last = room.bottomRight() - self.rect().bottomRight()
        self.move(max(room.left(), min(corner.x(), last.x())), max(room.top(), min(corner.y(), last.y())))

    def _appear(self) -> None:
        if not self.isVisible():
            self._place()
        self.show()
        self.raise_()
        self.activateWindow()
        self._field.setFocus()


def _with_times(title: str, times: int) -> str:
    return f"{title}  ({times})"
