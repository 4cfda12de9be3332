"""Help window: list of pages, links, search and glossary."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from PySide6.QtCore import QRegularExpression, QSignalBlocker, Qt, QUrl
from PySide6.QtGui import (
    QDesktopServices,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QPalette,
    QShortcut,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QAbstractSlider, QDialog, QListWidget, QListWidgetItem, QTextBrowser, QTextEdit, QWidget

import resources
from workbench.style.theme import SPACE_2, SPACE_3, SPACE_4, current_theme, themes
from workbench.widgets.buttons import quiet_button
from workbench.widgets.fields import SearchField
from workbench.widgets.layouts import column_layout, named, row_layout

FOLDER: Final = Path(resources.FOLDER) / "help"
GLOSSARY: Final = "glossary"
"""Page whose headings are the terms with their synonyms."""
BETWEEN_NAMES: Final = " · "
ORDER: Final = ("start", "preprocess", "classify", "evaluate", "visualize", GLOSSARY, "keys", "about")
"""Order of the pages in the list; others follow."""
EXPLAINING: Final = ("what it means", "what it says")
"""Last headings of tables that explain words."""
KEYS_PLACE: Final = "{keys}"
"""Placeholder for the keyboard shortcuts."""

Keys = Mapping[str, Sequence[tuple[str, str]]]
"""Shortcuts and their effects by place ("Everywhere", "Classify")."""


@dataclass(frozen=True)
class Page:
    """A help page: file name, title and Markdown text."""

    name: str
    title: str
    text: str


def page_names() -> list[str]:
    names = sorted(path.stem for path in FOLDER.glob("*.md"))
    return [*(name for name in ORDER if name in names), *(name for name in names if name not in ORDER)]


def page(name: str, keys: Keys | None = None) -> Page:
    """A page by its name, with ``keys`` inserted; raises ``FileNotFoundError``."""
    text = _read(name)
    if KEYS_PLACE in text:
        text = text.replace(KEYS_PLACE, keys_as_markdown(keys or {}))
    return Page(name, text.partition("\n")[0].removeprefix("# ").strip(), text)


def keys_as_markdown(keys: Keys) -> str:
    """A heading and a table of shortcuts for each place."""
    parts = []
    for place, lines in keys.items():
        rows = [f"| {_cell(key)} | {_cell(what)} |" for key, what in lines]
        parts.append("\n".join([f"## {place}", "", "| key | what it does |", "|---|---|", *rows]))
    return "\n\n".join(parts)


def pages_with(words: str, pages: Sequence[Page]) -> list[tuple[Page, int]]:
    """The pages that contain words with all these beginnings, with the number of matches, most first; a page of that
    title leads."""
    wanted = words.split()
    if not wanted:
        return [(candidate, 0) for candidate in pages]
    matches = []
    for candidate in pages:
        times = [len(re.findall(beginning_with(word), candidate.text, re.IGNORECASE)) for word in wanted]
        if all(times):
            matches.append((candidate, sum(times)))
    return sorted(matches, key=lambda pair: (not _is_title(words, pair[0]), -pair[1]))


def _is_title(words: str, candidate: Page) -> bool:
    return words.strip().lower() == candidate.title.lower()


def beginning_with(word: str) -> str:
    """Regular expression for words that begin like this; signs may stand anywhere."""
    return (r"(?<![^\W_])" if word[:1].isalnum() else "") + re.escape(word)


def meaning(word: str) -> str:
    """The explanation of a word of the window, from the tables of help; raises ``KeyError`` without one."""
    return _meanings()[word.lower()]


def entry_of(term: str) -> str | None:
    """The glossary heading that defines a term or a synonym; None without one."""
    return _entries().get(" ".join(term.lower().split()))


def other_names(term: str) -> str:
    """All names of a term by the heading that defines it, as one text to search; empty without one."""
    return (entry_of(term) or entry_of(term.partition(" (")[0]) or "").replace(BETWEEN_NAMES, " ")


@cache
def _entries() -> Mapping[str, str]:
    """Lower-case names of all terms with the headings of their entries."""
    heads = [line.removeprefix("## ") for line in _read(GLOSSARY).splitlines() if line.startswith("## ")]
    return {name.lower(): head for head in reversed(heads) for name in head.split(BETWEEN_NAMES)}


def links(text: str) -> list[str]:
    """The targets of the links of a page."""
    return re.findall(r"\]\(([^)]+)\)", text)


@cache
def _meanings() -> Mapping[str, str]:
    """First cell of each explaining row, in lower case, with its last cell."""
    meanings: dict[str, str] = {}
    for name in page_names():
        explains = False
        for line in _read(name).splitlines():
            cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")] if line.startswith("|") else []
            if not cells:
                explains = False
            elif cells[-1] in EXPLAINING:
                explains = True
            elif explains and len(cells) > 1:
                meanings.setdefault(cells[0].lower(), f"{cells[-1][0].upper()}{cells[-1][1:]}.")
    return meanings


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


@cache
def _read(name: str) -> str:
    return (FOLDER / f"{name}.md").read_text("utf-8")


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
ABOVE_HEADING: Final = 12
BETWEEN_PARAGRAPHS: Final = 8
BETWEEN_POINTS: Final = 3


class HelpWindow(QDialog):
    """Shows the pages of ``resources/help`` beside its parent window."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Tool)
        self.setObjectName("help.window")
        self.setWindowTitle("Help")
        self.resize(themes.px(860), themes.px(640))
        self.keys: Keys = {}
        """The shortcuts that the page about keys lists."""
        self._name = ""
        self._before: list[str] = []
        self._field = SearchField("Search the help", "help.search")
        self._field.textChanged.connect(self._search)
        self._field.returnPressed.connect(self._next)
        self._list = named(QListWidget(), "help.pages", "Pages of help")
        self._list.currentItemChanged.connect(self._chosen)
        self._page = named(QTextBrowser(), "help.page")
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

    def show_page(self, name: str) -> None:
        """Shows ``resources/help/<name>.md``."""
        self._field.clear()
        self._go(name)
        self._appear()

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

    # ---- pages -----------------------------------------------------------------------------------------------------

    def _go(self, name: str) -> None:
        self._leave(name)
        self._write(page(name, self.keys).text)
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

    # ---- searching -------------------------------------------------------------------------------------------------

    def _search(self) -> None:
        """Lists the pages that match, and shows the best one if the current page does not match."""
        matches = self._list_pages()
        entry = entry_of(self._field.text())
        if entry is not None:
            self._go(GLOSSARY)
            self.show_entry(entry)
            return
        is_title = bool(matches) and _is_title(self._field.text(), page(matches[0]))
        if matches and (is_title or self._name not in matches) and self._field.text().strip():
            self._go(matches[0])
        self._mark()
        self._next()

    def show_entry(self, heading: str) -> None:
        """Scrolls to a glossary entry and selects its heading."""
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
        if not self._page.find(wanted):
            self._page.moveCursor(QTextCursor.MoveOperation.Start)
            self._page.find(wanted)

    # ---- looks -----------------------------------------------------------------------------------------------------

    def _measure(self) -> None:
        metrics = QFontMetrics(themes.font())
        names = (_with_times(page(name).title, MOST_TIMES) for name in page_names())
        self._list.setFixedWidth(max(map(metrics.horizontalAdvance, names)) + themes.px(LIST_MARGIN))
        palette = self._page.palette()
        palette.setColor(QPalette.ColorRole.Highlight, current_theme().color("accent"))
        self._page.setPalette(palette)
        self._page.document().setDefaultFont(themes.font())
        self._mark()

    def _appear(self) -> None:
        self.show()
        self.raise_()
        self.activateWindow()
        self._field.setFocus()


def _with_times(title: str, times: int) -> str:
    """Title of a page with its number of matches."""
    return f"{title}  ({times})"


def as_plain_text(text: str) -> str:
    """Markdown that shows every character of the text literally."""
    return re.sub(r"([\\`*_{}\[\]<>()#+\-.!|~&])", r"\\\1", text)
