"""Text in its few roles, and text that is too long for its place."""

from __future__ import annotations

import re
from html import escape
from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget

from workbench.widgets.elision import elided


def label(text: str = "", part: str = "", *, wrap: bool = False, rich: bool = False) -> QLabel:
    """A label in the role ``part``: heading, facts, dim, small, section, title, verdict, or plain."""
    made = BreakingLabel() if wrap else QLabel()
    made.setTextFormat(Qt.TextFormat.RichText if rich else Qt.TextFormat.PlainText)
    made.setText(text)
    made.setProperty("part", part)
    made.setWordWrap(wrap)
    return made


MARKUP: Final = re.compile(r"(<[^>]*>|&#?\w+;)")
"""What of rich text is not written but says how."""
NUMBER_AND_UNIT: Final = re.compile(r"(?<=\d) (?=(?:%|ms|s|min|h|kB|MB|GB)(?!\w))")
TOGETHER: Final = "\u00a0"
"""A space at which no line ends."""
LONG_WORD: Final = re.compile(r"\S{24,}")
PIECE: Final = re.compile(r".{6}")
BREAK: Final = "\u200b"
"""A space without width: a line may end there."""


def strong(text: str) -> str:
    """The text in bold, for a rich label."""
    return f"<b>{escape(text)}</b>"


def rule() -> QFrame:
    """A thin line between parts."""
    line = QFrame()
    line.setProperty("part", "line")
    return line


def breaking(text: str) -> str:
    """Written text whose lines end where they may: in words longer than a line, but not between number and unit."""
    return NUMBER_AND_UNIT.sub(TOGETHER, LONG_WORD.sub(lambda word: PIECE.sub(rf"\g<0>{BREAK}", word[0]), text))


class BreakingLabel(QLabel):
    """Wrapped text in which a word longer than a line may be broken: else a name would push what it stands in beyond
    the edge. Of rich text only what is written is touched, never its marks."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(text)

    def setText(self, text: str) -> None:
        parts = MARKUP.split(text) if self.textFormat() is Qt.TextFormat.RichText else [text]
        super().setText("".join(breaking(part) if at % 2 == 0 else part for at, part in enumerate(parts)))

    def text(self) -> str:
        return super().text().replace(BREAK, "").replace(TOGETHER, " ")


class WholeLabel(BreakingLabel):
    """Wrapped plain text that is never cut: it insists on the height that its width asks for.

    What stands around it gives way in the same moment: no frame is painted in which it lies over the next line.
    """

    _lines = 0  # of the class, as the constructor of the base sets a text

    def __init__(self, text: str = "", part: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("part", part)
        self.setWordWrap(True)

    def reserve(self, lines: int) -> None:
        """Be as high as so many lines at least: what stands below does not move while the words come and go."""
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


def as_high_as_needed(words: QLabel) -> None:
    """Let wrapped words take the height that they need and no more."""
    policy = words.sizePolicy()
    policy.setVerticalPolicy(QSizePolicy.Policy.Fixed)
    words.setSizePolicy(policy)


FEWEST: Final = 4
"""So many characters must have room, or none is shown."""
FEWEST_OF_FACTS: Final = 9
"""Facts beside a title are a phrase: its first syllable says nothing, a name cut short still does."""


FACT: Final = " · "
"""Between two facts in a line."""


class ElidedLabel(QLabel):
    """One line of plain text that is cut with an ellipsis where it does not fit, and whole in its tooltip.

    Of facts in a line as many are shown as there is room for, whole. Where it can be said in fewer words
    (:meth:`set_wordings`), the longest wording that fits is shown whole. What else the tooltip is to say goes by
    :meth:`set_note`: the label writes the tooltip anew whenever it is resized.
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
        """The text, and ways of saying it in fewer and fewer words."""
        self._wordings = (text, *shorter)
        super().setText(text)
        self._explain()

    def set_name(self, name: str, among: tuple[str, ...] = ()) -> None:
        """A name instead of a sentence: what is cut of it leaves what tells it from those among which it stands."""
        self._among = (*among, name)
        self.setText(name)

    def set_note(self, note: str) -> None:
        """What the tooltip says under the text, whether that is cut or not."""
        self._note = note
        self._explain()

    def shown(self) -> str:
        """What of the text is painted."""
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
        cut = metrics.elidedText(shortest, Qt.TextElideMode.ElideRight, width)
        return "" if len(cut) < min(self._fewest, len(shortest)) else cut  # an ellipsis alone says nothing

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
        painter = QPainter(self)
        area = self.contentsRect()
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(area, int(self.alignment() | Qt.AlignmentFlag.AlignVCenter), self.shown())
        painter.end()
