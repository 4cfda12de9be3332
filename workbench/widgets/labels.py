"""Text labels in their roles, and names shortened to the room on the screen."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from html import escape
from typing import Final

from PySide6.QtCore import QEvent, QMargins, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QHelpEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QLabel,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QTableView,
    QToolTip,
    QWidget,
)

from algorithms.text.names import at_word_edges, cut, end_of_word, most_fitting, with_whole_numbers
from workbench.style.theme import current_theme
from workbench.widgets.painting import draw_focus_frame, draw_text

NEAR: Final = 50
"""Number of neighbours on each side from which an elided title or cell must differ."""
AIR: Final = 3
"""Pixels kept free, because Qt may otherwise elide a text that just fits."""


def elided(metrics: QFontMetrics | QFontMetricsF, name: str, room: float, among: tuple[str, ...] = ()) -> str:
    """The name elided to a width, at edges of words: in its middle, or so that it differs from those ``among``."""

    def in_the_middle(name: str) -> str:
        return metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, max(0, int(room)))

    middle = in_the_middle(name)
    if middle == name:
        return name
    width = metrics.horizontalAdvance
    if among:
        return cut(name, in_the_middle, room, width, among)
    return with_whole_numbers(name, at_word_edges(name, middle, lambda shown: width(shown) <= room))


def elided_at_end(metrics: QFontMetrics | QFontMetricsF, text: str, room: float) -> str:
    """The text elided at its end to a width, but never within a number."""
    return with_whole_numbers(text, metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0, int(room))))


def draw_elided(
    painter: QPainter,
    box: QRectF,
    text: str,
    color: QColor,
    font: QFont,
    align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignCenter,
) -> None:
    """Paints a line of text in a box, elided in its middle where it does not fit."""
    draw_text(painter, box, elided(QFontMetricsF(font), text, box.width()), color, font, align)


@lru_cache(maxsize=1000)
def in_two_lines(font: QFont, name: str, room: int, among: tuple[str, ...] = ()) -> str:
    """A long name in two lines of whole words; what does not fit is left out of the middle of the second.

    With names ``among`` which it stands, it is left out where the name stays distinct.
    """
    metrics = QFontMetrics(font)

    def n_fitting(most: int, text: Callable[[int], str]) -> int:
        return most_fitting(most, lambda n: metrics.horizontalAdvance(text(n)) <= room)

    words = name.split(" ")
    n = n_fitting(len(words), lambda n: " ".join(words[:n]))
    if n in (0, len(words)):
        return name if n else elided(metrics, name, room, among)
    first, rest = " ".join(words[:n]), words[n:]
    n_rest, alike = len(rest), tuple(other.removeprefix(first).strip() for other in among if other.startswith(first))
    if n_rest == 1 or alike or n_fitting(n_rest, lambda n: " ".join(rest[:n])) == n_rest:
        return f"{first}\n{elided(metrics, ' '.join(rest), room, alike)}"

    def ends(n: int) -> str:
        return " ".join((*rest[: n // 2], "…", *rest[n // 2 - n :]))

    n = max(1, n_fitting(n_rest - 1, ends))
    return f"{first}\n{elided(metrics, ends(n), room)}"


class NameHeader(QHeaderView):
    """A header that elides titles so that they stay distinct."""

    def __init__(self, orientation: Qt.Orientation, table: QTableView) -> None:
        super().__init__(orientation, table)
        self.setSectionsClickable(True)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, section: int) -> None:
        super().initStyleOptionForIndex(option, section)
        is_across = self.orientation() is Qt.Orientation.Horizontal
        length = self._in_view(section).width() if is_across else self.sectionSize(section)
        option.rect = QRect(0, 0, length if is_across else self.width(), self.height() if is_across else length)
        room = self.style().subElementRect(QStyle.SubElement.SE_HeaderLabel, option, self).width()
        metrics = QFontMetrics(option.fontMetrics)
        is_fitted = "\n" in option.text  # who broke it into lines has seen to its room
        if not is_fitted and metrics.horizontalAdvance(option.text) > room:
            if length < self.sectionSize(section):  # of a column half in view its beginning, as of its cells
                option.text = elided_at_end(metrics, option.text, room - AIR)
            else:
                option.text = elided(metrics, option.text, room - AIR, self._near(section))

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        if self.orientation() is Qt.Orientation.Horizontal:
            rect = rect.intersected(self._in_view(section)) if rect.isValid() else rect
        super().paintSection(painter, rect, section)

    def _in_view(self, section: int) -> QRect:
        """The part of a column's title that is in view; the whole one of a column wider than the view."""
        whole = QRect(self.sectionViewportPosition(section), 0, self.sectionSize(section), self.height())
        return whole if whole.width() > self.width() else whole.intersected(self.rect())

    def _near(self, section: int) -> tuple[str, ...]:
        model, way = self.model(), self.orientation()
        near = range(max(0, section - NEAR), min(self.count(), section + NEAR + 1))
        return tuple(str(model.headerData(section_near, way)) for section_near in near)


class LinkDelegate(QStyledItemDelegate):
    """Underlines cells with an underlined font only under the pointer or the keyboard."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        states = QStyle.StateFlag
        if option.font.underline() and not option.state & (states.State_MouseOver | states.State_HasFocus):
            option.font.setUnderline(False)


class NameDelegate(LinkDelegate):
    """Elides names in a table column so that they differ from those above and below."""

    _is_measuring = False

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        self._is_measuring = True
        size = super().sizeHint(option, index)
        self._is_measuring = False
        return size.grownBy(QMargins(0, 0, AIR, 0))

    def helpEvent(
        self,
        event: QHelpEvent,
        view: QAbstractItemView,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> bool:
        whole = str(index.data())
        says_more = index.data(Qt.ItemDataRole.ToolTipRole) not in (None, "", whole)
        if event.type() == QEvent.Type.ToolTip and index.isValid() and not says_more:
            shown = QStyleOptionViewItem(option)
            self.initStyleOption(shown, index)
            QToolTip.showText(event.globalPos(), "" if shown.text == whole else whole, view)
            return True
        return super().helpEvent(event, view, option, index)

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        if self._is_measuring or option.widget is None:
            return
        style = option.widget.style()
        around = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, option, option.widget) + 1
        area = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, option, option.widget)
        room, metrics = area.width() - 2 * around, QFontMetrics(option.font)
        if metrics.horizontalAdvance(option.text) > room:
            option.text = elided(metrics, option.text, room - AIR, _near(index))


def _near(index: QModelIndex | QPersistentModelIndex) -> tuple[str, ...]:
    model = index.model()
    near = range(max(0, index.row() - NEAR), min(model.rowCount(), index.row() + NEAR + 1))
    return tuple(str(model.index(row, index.column()).data()) for row in near)


def label(
    text: str = "", part: str = "", *, wrap: bool = False, rich: bool = False, of: QWidget | None = None
) -> QLabel:
    """A label in the role ``part``: heading, facts, dim, small, section, title, verdict, or plain; ``of`` a field."""
    words = BreakingLabel() if wrap else QLabel()
    words.setTextFormat(Qt.TextFormat.RichText if rich else Qt.TextFormat.PlainText)
    words.setText(text)
    words.setProperty("part", part)
    words.setWordWrap(wrap)
    if of is not None:
        words.setBuddy(of)
    return words


def show_text(words: QLabel, text: str) -> None:
    """Sets the text of a label, which is hidden while it has none."""
    words.setText(text)
    words.setVisible(bool(text))


MARKUP: Final = re.compile(r"(<[^>]*>|&#?\w+;)")
"""Tags and entities of rich text."""
NUMBER_AND_UNIT: Final = re.compile(r"(?<=\d) (?=(?:%|ms|s|min|h|kB|MB|GB)(?!\w))")
TOGETHER: Final = "\u00a0"
"""A space that does not break."""
LONG_WORD: Final = re.compile(r"\S{24,}")
PIECE: Final = re.compile(r".{6}")
BREAK: Final = "\u200b"
"""A zero-width space at which a line may break."""


def strong(text: str) -> str:
    """The text in bold, for a rich label."""
    return f"<b>{escape(text)}</b>"


def link(target: str, text: str) -> str:
    """A link in a rich label, which emits its target when it is followed."""
    return f'<a href="{target}" style="color:{current_theme().accent};text-decoration:none">{escape(text)}</a>'


def rule() -> QFrame:
    """A thin line between parts."""
    line = QFrame()
    line.setProperty("part", "line")
    return line


def breaking(text: str) -> str:
    """A text with line breaks allowed inside long words, but not between a number and its unit."""
    return NUMBER_AND_UNIT.sub(TOGETHER, LONG_WORD.sub(lambda word: PIECE.sub(rf"\g<0>{BREAK}", word[0]), text))


class BreakingLabel(QLabel):
    """A wrapping label that also breaks words longer than a line, so that names never widen their pane.

    In rich text it changes only the text, not the tags.
    """

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(text)

    def setText(self, text: str) -> None:
        parts = MARKUP.split(text) if self.textFormat() is Qt.TextFormat.RichText else [text]
        super().setText("".join(breaking(part) if index % 2 == 0 else part for index, part in enumerate(parts)))

    def text(self) -> str:
        return super().text().replace(BREAK, "").replace(TOGETHER, " ")


class WholeLabel(BreakingLabel):
    """A wrapping plain-text label that always has the height its width needs.

    Its surroundings are laid out at once, so that no frame shows it over other widgets.
    """

    _lines = 0  # of the class, as the constructor of the base sets a text

    def __init__(self, text: str = "", part: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("part", part)
        self.setWordWrap(True)

    def reserve(self, lines: int) -> None:
        """Reserves the height of some lines, so that the widgets below do not move with the text."""
        if lines != self._lines:
            self._lines = lines
            self._insist()

    def setText(self, text: str) -> None:
        super().setText(text)
        before, around = self.minimumHeight(), self.parentWidget()
        self._insist()
        layout = around.layout() if around is not None and self.minimumHeight() != before and self.isVisible() else None
        if layout is not None:
            layout.activate()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._insist()

    def _insist(self) -> None:
        self.setMinimumHeight(0)  # or the height of a narrower place would be kept: no label asks for less than it
        reserved = self._lines * (self.fontMetrics().lineSpacing() + 1)  # rich text is a little higher than its lines
        self.setMinimumHeight(max(0, reserved, self.heightForWidth(self.width())))


class LinkLabel(WholeLabel):
    """Rich text whose links are reached by Tab and opened by Enter; without a link it takes no focus."""

    def __init__(self, text: str = "", part: str = "", parent: QWidget | None = None) -> None:
        super().__init__("", part, parent)
        self.setTextFormat(Qt.TextFormat.RichText)
        flags = Qt.TextInteractionFlag
        self.setTextInteractionFlags(flags.LinksAccessibleByMouse | flags.LinksAccessibleByKeyboard)
        self.setText(text)

    def setText(self, text: str) -> None:
        if text == self.text():  # it keeps its link in focus
            return
        super().setText(text)
        has_link = "<a " in text
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if has_link else Qt.FocusPolicy.NoFocus)
        if has_link and self.hasFocus():  # the new text has no cursor: its first link gets it
            super().focusNextPrevChild(True)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Tab moves to a link directly, not to the sentence first."""
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            super().focusNextPrevChild(event.reason() is Qt.FocusReason.TabFocusReason)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus():
            with QPainter(self) as painter:
                draw_focus_frame(painter, self.rect())


def as_high_as_needed(words: QLabel) -> None:
    """Fixes the height of a wrapping label to what it needs."""
    policy = words.sizePolicy()
    policy.setVerticalPolicy(QSizePolicy.Policy.Fixed)
    words.setSizePolicy(policy)


FEWEST: Final = 4
"""Least number of characters shown; with less room the label is empty."""
FEWEST_OF_FACTS: Final = 9
"""The same for facts, whose first syllable says nothing."""


FACT: Final = " · "
"""Separator of facts."""


class ElidedLabel(QLabel):
    """A line of plain text, elided if it does not fit, with the whole text in its tooltip.

    A line of facts shows as many whole facts as fit. With shorter wordings (:meth:`set_wordings`) it shows the longest
    that fits. Further tooltip text goes through :meth:`set_note`, because each resize rewrites the tooltip.
    """

    def __init__(self, text: str = "", part: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("part", part)
        self._note = ""
        self._among: tuple[str, ...] = ()
        self._wordings: tuple[str, ...] = (text,)
        self._are_facts = part == "facts"
        self._fewest = FEWEST_OF_FACTS if self._are_facts else FEWEST
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def setText(self, text: str) -> None:
        self.set_wordings(text)

    def set_wordings(self, text: str, *shorter: str) -> None:
        """Sets the text and ever shorter wordings of it."""
        self._wordings = (text, *shorter)
        super().setText(text)
        self._explain()

    def set_name(self, name: str, among: tuple[str, ...] = ()) -> None:
        """Sets a name, which is elided so that it differs from the names ``among``."""
        self._among = (*among, name)
        self.setText(name)

    def set_note(self, note: str) -> None:
        """Sets text for the tooltip, below the label's own."""
        self._note = note
        self._explain()

    def shown(self) -> str:
        width, metrics = self.contentsRect().width(), self.fontMetrics()
        for whole in self._wordings:
            if metrics.horizontalAdvance(whole) <= width:
                return whole
        shortest = self._wordings[-1]
        if self._among:
            return elided(metrics, shortest, width, self._among)
        facts = shortest.split(FACT) if self._are_facts else []
        for n in range(len(facts) - 1, 0, -1):
            whole = FACT.join(facts[:n])
            if metrics.horizontalAdvance(whole) <= width:
                return whole  # a fact that is cut says nothing; the tooltip has all of them
        cut = elided_at_end(metrics, shortest, width)
        if len(cut) < min(self._fewest, len(shortest)):
            return ""  # an ellipsis alone says nothing
        end = len(cut) - 1
        return cut if cut == shortest else f"{shortest[: end_of_word(shortest, end // 3, end)].rstrip(' (')}…"

    def minimumSizeHint(self) -> QSize:
        return QSize(
            min(self.fontMetrics().horizontalAdvance("mmm..."), self.sizeHint().width()), super().sizeHint().height()
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._explain()

    def _explain(self) -> None:
        fits = self.fontMetrics().horizontalAdvance(self.text()) <= self.contentsRect().width()
        self.setToolTip("\n".join(filter(None, ["" if fits else self.text(), self._note])))

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            area = self.contentsRect()
            painter.setPen(self.palette().color(self.foregroundRole()))
            painter.drawText(area, int(self.alignment() | Qt.AlignmentFlag.AlignVCenter), self.shown())
