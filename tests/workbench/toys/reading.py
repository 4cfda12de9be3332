"""Every text that widgets show: labels, buttons, tooltips, menus, choices, tables and accessible names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QLineEdit, QMenu, QTableView, QWidget

OTHER_MODELS = re.compile(
    r"\b(tree|trees|leaf|leaves|rule|rules|network|hyperplane|margin|support vector|neighbour|committee|members|"
    r"coefficient|knows only how frequent|weighed)\b",
    re.IGNORECASE,
)
"""What is said of the structures of other learners."""
UNFINISHED = re.compile(r"\bNone\b|\bnan\b|<[a-zA-Z_.]+ object|[{}]")
"""What a sentence has where something was not filled in."""


def texts_of(widget: QWidget) -> Iterator[str]:
    """Texts of a widget and of all its visible parts."""
    for part in (widget, *widget.findChildren(QWidget)):
        if part is widget or part.isVisibleTo(widget):
            yield from filter(None, (part.toolTip(), part.accessibleName(), part.accessibleDescription()))
            if isinstance(part, QLabel | QLineEdit):
                yield part.text()
            elif isinstance(part, QAbstractButton):
                yield part.text()
                menu = part.menu() if hasattr(part, "menu") else None
                yield from () if menu is None else texts_of_menu(menu)
            elif isinstance(part, QComboBox):
                yield from (part.itemText(row) for row in range(part.count()))
            elif isinstance(part, QTableView) and part.model() is not None:
                yield from texts_of_table(part)


def texts_of_table(view: QTableView) -> Iterator[str]:
    """Texts of the headings and cells of a table."""
    model, root = view.model(), QModelIndex()
    for column in range(model.columnCount(root)):
        yield str(model.headerData(column, Qt.Orientation.Horizontal) or "")
        yield from (str(model.index(row, column).data() or "") for row in range(min(model.rowCount(root), 50)))


def texts_of_menu(menu: QMenu) -> Iterator[str]:
    """Texts and tooltips of the actions of a menu and its submenus."""
    for action in menu.actions():
        if not action.isSeparator():
            yield action.text()
            yield action.toolTip()
        submenu = action.menu()
        if isinstance(submenu, QMenu):
            yield from texts_of_menu(submenu)


def plain(text: str) -> str:
    """A text without markup."""
    return " ".join(re.sub(r"<[^>]+>", "", text).replace("&nbsp;", " ").split())


def check_texts(texts: list[str], *, allowed: str = "") -> None:
    """Fail where a text is unfinished or speaks of another kind of model; ``allowed`` is a pattern to pass over."""
    for text in texts:
        shown = plain(re.sub(allowed, "", text) if allowed else text)
        assert not UNFINISHED.search(shown), f"unfinished: {text!r}"
        assert not OTHER_MODELS.search(shown), f"of another model: {text!r}"
