"""Text labels in their roles, terms that lead to the glossary, and names shortened to the room on the screen."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from html import escape, unescape
from typing import Final

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QMargins,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QEnterEvent,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QShortcut,
    QTextCursor,
    QTextDocument,
    QTextOption,
    QWhatsThisClickedEvent,
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

from algorithms.text.names import at_word_edges, cut, end_of_word, most_fitting, with_bracket, with_whole_numbers
from workbench.style.theme import Theme, current_theme, recolored, themes
from workbench.widgets.help_pages import term_in
from workbench.widgets.painting import draw_focus_frame, draw_info_mark, draw_text, lines_of_text, saved

NEAR: Final = 50
"""Number of neighbours on each side from which an elided title or cell must differ."""
FEWEST: Final = 4
"""Least number of characters shown of a name elided in its middle."""
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

    def fits(shown: str) -> bool:
        return width(shown) <= room

    if among:
        return with_bracket(name, cut(name, in_the_middle, room, width, among), fits, among)
    return with_bracket(name, with_whole_numbers(name, at_word_edges(name, middle, fits)), fits)


def elided_in_part(metrics: QFontMetrics | QFontMetricsF, name: str, room: float, among: tuple[str, ...] = ()) -> str:
    """The name in a column half in view: elided, or its begin, or nothing where hardly a letter would be shown."""
    ways = (elided(metrics, name, room, among), FEWEST), (elided_at_end(metrics, name, room).replace(" …", "…"), 2)
    return next((shown for shown, least in ways if len(shown.replace("…", "")) >= min(least, len(name))), "")


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
    """A long name in two lines of whole words, cut in the second where it differs from those ``among``."""
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


def width_in_two_lines(metrics: QFontMetrics, name: str) -> int:
    """The least width in which :func:`in_two_lines` shows a name whole."""
    words = name.split(" ")
    lines = ((" ".join(words[:n]), " ".join(words[n:])) for n in range(1, len(words) + 1))
    return min(max(map(metrics.horizontalAdvance, two)) for two in lines)


class NameHeader(QHeaderView):
    """A header that elides titles so that they stay distinct."""

    def __init__(self, orientation: Qt.Orientation, table: QTableView) -> None:
        super().__init__(orientation, table)
        self.setSectionsClickable(True)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)  # it elides itself, and Qt would cut two lines as one

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, section: int) -> None:
        super().initStyleOptionForIndex(option, section)
        is_across = self.orientation() is Qt.Orientation.Horizontal
        size = self.in_view(section).size() if is_across else QSize(self.width(), self.sectionSize(section))
        option.rect = QRect(QPoint(), size)
        room = self.style().subElementRect(QStyle.SubElement.SE_HeaderLabel, option, self).width()
        metrics = QFontMetrics(option.fontMetrics)
        if "\n" not in option.text and metrics.horizontalAdvance(option.text) > room:  # two lines have their room
            shorten = elided_in_part if is_across and self.is_cut(section) else elided
            option.text = shorten(metrics, option.text, room - AIR, self._near(section))

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        if self.orientation() is Qt.Orientation.Horizontal:
            rect = rect.intersected(self.in_view(section)) if rect.isValid() else rect
        super().paintSection(painter, rect, section)

    def is_cut(self, section: int) -> bool:
        """Whether a part of a column is out of view."""
        return self.in_view(section).width() < self.place(section).width()

    def place(self, section: int) -> QRect:
        """Where the title of a column stands."""
        return QRect(self.sectionViewportPosition(section), 0, self.sectionSize(section), self.height())

    def in_view(self, section: int) -> QRect:
        """The part of a column's title that is in view; the whole one of a column wider than the view."""
        whole = self.place(section)
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
            option.text = self._fitted(metrics, option, room - AIR, index)

    def _fitted(
        self, metrics: QFontMetrics, option: QStyleOptionViewItem, room: int, index: QModelIndex | QPersistentModelIndex
    ) -> str:
        """The text of a cell that is wider than its ``room``."""
        return elided(metrics, option.text, room, _near(index))


def lines_of(name: str, room: int, metrics: QFontMetrics) -> list[str]:
    """A name on one line, else on two broken between words, the second elided if needed."""
    if metrics.horizontalAdvance(name) <= room:
        return [name]
    words = name.split(" ")
    fit = sum(metrics.horizontalAdvance(" ".join(words[:n])) <= room for n in range(1, len(words)))
    if not fit:
        return [elided_at_end(metrics, name, room)]
    rest = elided_at_end(metrics, " ".join(words[fit:]), room)
    return [" ".join(words[:fit]), rest]


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


def link(target: str, text: str, color: str = "") -> str:
    """A link in a rich label, which emits its target when it is followed; by default in the accent colour."""
    return f'<a href="{target}" style="color:{color or current_theme().accent};text-decoration:none">{escape(text)}</a>'


TERM: Final = "term:"
"""How the target of a link begins that leads to the glossary."""


def ask_for_term(widget: QWidget, term: str) -> None:
    """Asks the window around a widget for the glossary's entry of a term; a popup or dialog passes that on."""
    asked: QWidget | None = widget
    while asked is not None and not QCoreApplication.sendEvent(asked, QWhatsThisClickedEvent(term)):
        asked = asked.window().parentWidget()


def term_link(words: str, term: str = "", *, color: str = "") -> str:
    """The words as a link to the glossary, by default in the colour of text, or as they are if they name no term."""
    term = term_in(term or words)
    return link(f"{TERM}{term}", words, color or current_theme().text) if term else escape(words)


def rule() -> QFrame:
    line = QFrame()
    line.setProperty("part", "line")
    return line


def breaking(text: str) -> str:
    """A text with line breaks allowed inside long words, but not between a number and its unit."""
    return NUMBER_AND_UNIT.sub(TOGETHER, LONG_WORD.sub(lambda word: PIECE.sub(rf"\g<0>{BREAK}", word[0]), text))


class BreakingLabel(QLabel):
    """A wrapping label that breaks words longer than a line, in rich text without touching tags."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.setText(text)

    def heightForWidth(self, width: int) -> int:
        if (place := (width, self.minimumHeight())) not in self._heights:  # Qt asks for no less than that
            self._heights[place] = super().heightForWidth(width)
        return self._heights[place]

    def changeEvent(self, event: QEvent) -> None:
        self._heights: dict[tuple[int, int], int] = {}  # layouts ask for the same ones, and Qt would set the lines anew
        super().changeEvent(event)

    def setText(self, text: str) -> None:
        self._heights = {}
        parts = MARKUP.split(text) if self.textFormat() is Qt.TextFormat.RichText else [text]
        super().setText("".join(breaking(part) if index % 2 == 0 else part for index, part in enumerate(parts)))

    def text(self) -> str:
        return super().text().replace(BREAK, "").replace(TOGETHER, " ")

    def to_lay_out(self) -> QTextDocument:
        """Its rich text as ``QLabel`` lays it out, once it gets a width."""
        document, option = QTextDocument(), QTextOption(self.alignment())
        option.setWrapMode(QTextOption.WrapMode.WordWrap if self.wordWrap() else QTextOption.WrapMode.ManualWrap)
        document.setDefaultFont(self.font())
        document.setDocumentMargin(0)
        document.setHtml(QLabel.text(self))
        document.setDefaultTextOption(option)
        return document


class WholeLabel(BreakingLabel):
    """A wrapping plain label as high as its width needs, with its surroundings laid out at once."""

    _lines = 0  # of the class, as the constructor of the base sets a text
    _subject: object = None
    _highest: tuple[object, int] = (None, 0)

    def __init__(self, text: str = "", part: str = "") -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("part", part)
        self.setWordWrap(True)

    def reserve(self, lines: int) -> None:
        """Reserves the height of some lines, so that the widgets below do not move with the text."""
        if lines != self._lines:
            self._lines = lines
            self._insist()

    def keep_height(self, subject: object) -> None:
        """Never gets lower while its texts are about the same ``subject``, also while it is hidden without a text."""
        self._subject, policy = subject, self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.setSizePolicy(policy)

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
        height = max(0, reserved, self.heightForWidth(self.width()) if self.text() else 0)
        if self._subject is not None:
            place = (self._subject, self.width(), self.fontMetrics().lineSpacing())
            height = max(height, self._highest[1]) if self._highest[0] == place else height
            self._highest = (place, height)
        self.setMinimumHeight(height)


Naming = Callable[[str], str]
"""How a name is written."""


class NamingLabel(WholeLabel):
    """Sentences whose names are elided to a share of its width; its tooltip has the whole names."""

    def __init__(self, part: str = "", share: float = 1.0) -> None:
        super().__init__("", part)
        self._share = share
        self._sentence: Callable[[Naming], str] = lambda _naming: ""
        self._whole: Callable[[Naming], str] | None = None
        self._among: tuple[str, ...] = ()
        themes.follow(self._write)  # larger letters leave less room, also where the width stays

    def set_sentence(
        self,
        sentence: Callable[[Naming], str],
        among: tuple[str, ...] = (),
        whole: Callable[[Naming], str] | None = None,
    ) -> None:
        """Shows what ``sentence`` makes of names; when elided they differ from those ``among``. Hidden if empty.

        The tooltip has what ``whole`` makes of them, by default the sentence, where that is more than is shown.
        """
        self._sentence, self._among, self._whole = sentence, among, whole
        self._write()
        self.setVisible(bool(self.text()))

    def _write(self) -> None:
        metrics, room = self.fontMetrics(), self._share * self.contentsRect().width()
        shown = self._sentence(lambda name: elided(metrics, name, room, self._among))
        whole = (self._whole or self._sentence)(str)
        self.setToolTip("" if shown == whole else whole)
        if shown != self.text():
            self.setText(shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._write()
        super().resizeEvent(event)


class LinkLabel(WholeLabel):
    """Rich text whose links are reached by Tab and opened by Enter; without a link it takes no focus.

    A link to a term (:data:`TERM`) asks for its entry in the glossary.
    """

    _theme: Theme | None = None  # of the class, as the constructor of the base sets a text

    def __init__(self, text: str = "", part: str = "") -> None:
        super().__init__("", part)
        self.setTextFormat(Qt.TextFormat.RichText)
        flags = Qt.TextInteractionFlag
        self.setTextInteractionFlags(flags.LinksAccessibleByMouse | flags.LinksAccessibleByKeyboard)
        self.linkActivated.connect(self._ask_for_term)
        themes.follow(self._recolor)
        self.setText(text)

    def _recolor(self) -> None:
        """Gives words in the colours of another theme those of the current one."""
        if self._theme is not None and self._theme.name != current_theme().name:
            self.setText(recolored(self.text(), self._theme))

    def _ask_for_term(self, target: str) -> None:
        if target.startswith(TERM):
            ask_for_term(self, target.removeprefix(TERM))

    def setText(self, text: str) -> None:
        if text == self.text():  # it keeps its link in focus
            return
        self._theme = current_theme()
        super().setText(text)
        has_link = "<a " in text
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if has_link else Qt.FocusPolicy.NoFocus)
        if has_link and self.hasFocus():  # the new text has no cursor: its first link gets it
            super().focusNextPrevChild(True)

    def links(self) -> list[tuple[str, str]]:
        """The target and the words of each link, those to terms left out."""
        pairs = re.findall(r'<a href="([^"]*)"[^>]*>(.*?)</a>', self.text())
        return [
            (target, unescape(re.sub("<[^>]*>", "", words))) for target, words in pairs if not target.startswith(TERM)
        ]

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Tab moves to a link directly, not to the sentence first."""
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            super().focusNextPrevChild(event.reason() is Qt.FocusReason.TabFocusReason)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the frame of the focus around the link that has it, as around a button; Qt would dot it."""
        if not (link := self._lines_of_link_in_focus()):
            super().paintEvent(event)
        with QPainter(self) as painter:
            if link:
                self._paint_link_in_focus(painter, link)
            elif self.hasFocus() and not self.hasSelectedText():
                draw_focus_frame(painter, self.rect())

    def _lines_of_link_in_focus(self) -> list[QRectF]:
        """The lines of the link that the keys have reached; empty while none is, or other text is selected."""
        if not self.hasFocus() or not self.hasSelectedText():
            return []
        document, start = self.to_lay_out(), self.selectionStart()
        document.setTextWidth(self.contentsRect().width())
        end, cursor = start + len(self.selectedText()), QTextCursor(document)
        for place in range(start + 1, end + 1):  # the format of a place is that of the character before it
            cursor.setPosition(place)
            if not cursor.charFormat().isAnchor():
                return []
        return list(lines_of_text(document, start, end))

    def _paint_link_in_focus(self, painter: QPainter, link: Sequence[QRectF]) -> None:
        """Paints the text as ``QLabel`` lays it out, and a frame around each line of the link."""
        document, area, align = self.to_lay_out(), QRectF(self.contentsRect()), self.alignment()
        document.setTextWidth(area.width())
        spare, sides = max(0.0, area.height() - document.size().height()), Qt.AlignmentFlag
        top = spare if align & sides.AlignBottom else spare / 2 if align & sides.AlignVCenter else 0.0
        context, colors = QAbstractTextDocumentLayout.PaintContext(), QPalette(self.palette())
        colors.setColor(QPalette.ColorRole.Text, colors.color(self.foregroundRole()))
        context.palette = colors
        painter.translate(area.left(), area.top() + top)
        document.documentLayout().draw(painter, context)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for place in link:
            draw_focus_frame(painter, place.toAlignedRect().adjusted(-2, 0, 2, 0))


FEWEST_OF_FACTS: Final = 9
"""The same of facts, whose first syllable says nothing."""
FACT: Final = " · "


class ElidedLabel(QLabel):
    """A line of plain text, elided if it does not fit, with the whole text in its tooltip.

    A line of facts shows as many whole facts as fit. With shorter wordings (:meth:`set_wordings`) it shows the longest
    that fits. Further tooltip text goes through :meth:`set_note`, because each resize rewrites the tooltip.
    """

    def __init__(self, text: str = "", part: str = "") -> None:
        super().__init__()
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

    def least_width(self) -> int:
        """Width of the shortest wording, whole."""
        return min(map(self.fontMetrics().horizontalAdvance, self._wordings))

    def shown(self) -> str:
        return self.shown_in(self.contentsRect().width())

    def shown_in(self, width: int) -> str:
        """The text as it is shown in this width."""
        metrics = self.fontMetrics()
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
        fits = self.wordWrap() or self.fontMetrics().horizontalAdvance(self.text()) <= self.contentsRect().width()
        self.setToolTip("\n".join(filter(None, ["" if fits else self.text(), self._note])))

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            area = self.contentsRect()
            painter.setPen(self.palette().color(self.foregroundRole()))
            painter.drawText(area, int(self.alignment() | Qt.AlignmentFlag.AlignVCenter), self.shown())


OPENS: Final = "Opens its entry in the glossary"
TERM_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 40
"""Term of a head whose title is shortened."""
MARK: Final = 15
"""Diameter of a mark at normal text size."""


class TermLabel(ElidedLabel):
    """A label that is a link to the glossary where its text names a term; it can wrap instead of eliding.

    With ``of``, the control of an option, Tab passes it: Shift+F1 in the control explains the option.
    """

    _term = ""
    _takes_tab = True

    def __init__(self, text: str = "", part: str = "", *, wrap: bool = False, of: QWidget | None = None) -> None:
        super().__init__(part=part)
        self.setWordWrap(wrap)
        self._takes_tab = of is None
        if of is not None:
            self.setBuddy(of)
        self.setText(text)

    @property
    def term(self) -> str:
        """The term it leads to; empty without an entry."""
        return self._term

    def set_wordings(self, text: str, *shorter: str) -> None:
        super().set_wordings(text, *shorter)
        self._term = term_in(text)
        takes_tab = self._takes_tab and bool(self._term)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if takes_tab else Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor if self._term else Qt.CursorShape.ArrowCursor)
        self.setAccessibleName(text)
        self.setAccessibleDescription(OPENS if self._term else "")
        self.update()

    def shown(self) -> str:
        return self.text() if self.wordWrap() else super().shown()

    def minimumSizeHint(self) -> QSize:
        return QLabel.minimumSizeHint(self) if self.wordWrap() else super().minimumSizeHint()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self._term or event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if (
            self._term
            and event.button() == Qt.MouseButton.LeftButton
            and self.rect().contains(event.position().toPoint())
        ):
            ask_for_term(self, self._term)
        else:
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._term and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            ask_for_term(self, self._term)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            font = self.font()
            font.setUnderline(bool(self._term) and (self.underMouse() or self.hasFocus()))
            wrap = Qt.TextFlag.TextWordWrap if self.wordWrap() else Qt.TextFlag(0)
            painter.setFont(font)
            painter.setPen(self.palette().color(self.foregroundRole()))
            flags = int(self.alignment() | Qt.AlignmentFlag.AlignVCenter) | int(wrap)
            painter.drawText(self.contentsRect(), flags, self.shown())
            if self.hasFocus():
                draw_focus_frame(painter, self.rect())


class TermHeader(NameHeader):
    """Heads of columns that lead to the glossary: by a click on them, or on their "i" where a click on them sorts.

    Shift+F1 on a cell asks for the term of its column.
    """

    def __init__(self, table: QTableView) -> None:
        super().__init__(Qt.Orientation.Horizontal, table)
        self._hovered = self._pressed = -1
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        shortcut = QShortcut(QKeySequence("Shift+F1"), table, context=Qt.ShortcutContext.WidgetShortcut)
        shortcut.activated.connect(self._ask_of_cell)

    def term_of(self, section: int) -> str:
        """The term of a head; empty without an entry."""
        if section < 0:
            return ""
        term = self.model().headerData(section, self.orientation(), TERM_ROLE)
        return term or term_in(str(self.model().headerData(section, self.orientation()) or ""))

    def link_area(self, section: int) -> QRect:
        """Where a click asks for the term: the whole head, or the mark at its left end where the table sorts."""
        whole = QRect(self.sectionViewportPosition(section), 0, self.sectionSize(section), self.height())
        return (
            whole if not self._sorts else whole.intersected(QRect(whole.left(), 0, themes.px(MARK) + 2, whole.height()))
        )

    @property
    def _sorts(self) -> bool:
        table = self.parentWidget()
        return isinstance(table, QTableView) and table.isSortingEnabled()

    def _link_at(self, place: QPointF) -> int:
        """The section whose link is at a place; -1 for none."""
        section = self.logicalIndexAt(place.toPoint())
        return section if self.term_of(section) and self.link_area(section).contains(place.toPoint()) else -1

    def _ask_of_cell(self) -> None:
        table = self.parentWidget()
        assert isinstance(table, QTableView)
        term = self.term_of(table.currentIndex().column())
        if term:
            ask_for_term(self, term)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        hovered = self.logicalIndexAt(event.position().toPoint())
        if hovered != self._hovered:
            self._hovered = hovered
            self.viewport().update()
        super().mouseMoveEvent(event)
        if self._link_at(event.position()) >= 0:
            self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        elif self.viewport().cursor().shape() == Qt.CursorShape.PointingHandCursor:
            self.viewport().unsetCursor()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = self._link_at(event.position()) if event.button() == Qt.MouseButton.LeftButton else -1
        if self._pressed < 0:
            super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        pressed, self._pressed = self._pressed, -1
        if pressed < 0:
            super().mouseReleaseEvent(event)
        elif self._link_at(event.position()) == pressed:
            ask_for_term(self, self.term_of(pressed))

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        is_link = section == self._hovered and self.underMouse() and bool(self.term_of(section))
        with saved(painter):
            font = painter.font()
            font.setUnderline(is_link and not self._sorts)
            painter.setFont(font)
            super().paintSection(painter, rect, section)
        if is_link and self._sorts:
            area, size = self.link_area(section), themes.px(MARK)
            with saved(painter):
                painter.fillRect(area.adjusted(0, 1, 0, -1), current_theme().color("pane"))
                draw_info_mark(painter, QRectF(area.left() + 1, area.center().y() - size / 2, size, size))
