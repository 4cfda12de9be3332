"""What tabs share: their base class, built in steps that never block the event loop for long, and the choice of run."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QIcon, QPainter, QPixmap, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QStyleOptionComboBox, QWidget

from algorithms.text.numbers import percent
from workbench.jobs.ui_scheduling import MadeInPieces
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import current_theme, themes
from workbench.widgets.fields import ElidedComboBox
from workbench.widgets.labels import ElidedLabel, elided_at_end
from workbench.widgets.layouts import ClearWidget, named, row_layout
from workbench.widgets.painting import draw_text, pen_and_brush

Step = Callable[[], object]
PagePart = tuple[QWidget, str, Callable[[], object]]
"""A part of a tab, where it is in words, and what brings it into view."""


class Tab(MadeInPieces, QWidget):
    """Tab that is built at once, or ``in_pieces`` by :meth:`steps` until :meth:`complete` is called.

    Widgets are created in their final parent, from outside to inside: Qt styles a subtree again whenever it gets a new
    parent. Events may arrive early, so :meth:`_come_into_view` and :meth:`_take_size` replace the events of showing and
    resizing: they run only once the tab is complete.
    """

    page_turns = Signal()
    """Comes before another page of the tab is shown."""
    selecting_changed = Signal()
    """The answer of :meth:`how_to_select` may have changed."""

    def __init__(self, session: Session, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__(parent)
        self._session = session
        self._was_seen = False
        self._make_by(self._make(), in_pieces)

    def steps(self) -> Iterator[Step]:
        """Steps that complete the tab, then further preparation."""
        yield from self.pieces()
        yield from self._steps_besides()

    def _make_some(self) -> None:
        super()._make_some()
        if self.is_complete:
            self._take_size()
            if self.isVisible():
                self._come_into_view()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.is_complete and not self._was_seen:
            self._was_seen = True
            self._session.turns.paint_later(*self._painted_last())
        if self.is_complete:
            self._come_into_view()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.is_complete:
            self._take_size()

    def _come_into_view(self) -> None:
        """Called when the complete tab is shown."""

    def _painted_last(self) -> Sequence[QWidget]:
        """Widgets whose first painting is slow: each is painted in an event of its own."""
        return ()

    def hidden_pages(self) -> Sequence[QWidget]:
        """Hidden pages that are laid out and painted ahead, each in a step."""
        return ()

    def how_to_select(self) -> Sequence[str]:
        """How to select records in what is shown, in decreasing numbers of words; empty where nothing can be."""
        return ()

    def chapter(self) -> str:
        """The heading of what is in view in the tab's page of the help; empty for the beginning of the page."""
        return ""

    def _chapter_of_focus(self, parts: Mapping[str, QWidget]) -> str:
        """The chapter, among these, of the part that has the keyboard."""
        focus = self.window().focusWidget()
        inside = (chapter for chapter, part in parts.items() if focus is part or part.isAncestorOf(focus or self))
        return next(inside, "")

    def parts(self) -> Iterator[PagePart]:
        """Parts whose controls can be used from other pages too."""
        return iter(())

    def _take_size(self) -> None:
        """Called when the complete tab is resized."""

    @abstractmethod
    def _make(self) -> Iterator[bool]:
        """Build the tab and connect it to the session; yields True after each slow piece."""

    def _steps_besides(self) -> Iterator[Step]:
        return iter(())


BADGE: Final = 17
"""Height and least width of the badge with the number of a run, at normal text size."""
WIDEST_RUN, NARROWEST_RUN = 240, 104
"""Most and least width of the choice of the run, at normal text size."""


def run_badge(number: int, width: int, *, is_in_view: bool) -> QIcon:
    """The number of a run in a square, which is filled for the run in view."""
    theme, ratio, height = current_theme(), 2.0, themes.px(BADGE)
    drawn = QPixmap(round(width * ratio), round(height * ratio))
    drawn.setDevicePixelRatio(ratio)
    drawn.fill(Qt.GlobalColor.transparent)
    with QPainter(drawn) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen_and_brush(painter, Qt.PenStyle.NoPen, theme.color("text" if is_in_view else "soft"))
        box = QRectF(0, 0, width, height)
        painter.drawRoundedRect(box, 4, 4)
        color = theme.color("pane" if is_in_view else "text")
        draw_text(painter, box, str(number), color, themes.font(12, bold=True), Qt.AlignmentFlag.AlignCenter)
    return QIcon(drawn)


BEFORE_ACCURACY: Final = " · "


class RunBox(ElidedComboBox):
    """Runs with number, learner and accuracy, the newest first; shows number and learner of the chosen one.

    A name too long for a line has two.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setSizeAdjustPolicy(ElidedComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)

    def _elided(self, words: str, most: int) -> str:
        name = self._name(words)
        return self._in_two_lines(name, most, elided_at_end(self.fontMetrics(), name, most))

    @staticmethod
    def _name(words: str) -> str:
        return words.rpartition(BEFORE_ACCURACY)[0] or words

    def whole_width(self) -> int:
        """The width in pixels in which the chosen run stands whole."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.rect = self.rect().adjusted(0, 0, themes.px(WIDEST_RUN), 0)
        text = self.fontMetrics().horizontalAdvance(self._name(self.currentText()))
        return option.rect.width() - self._room(option) + text + 1

    def showPopup(self) -> None:
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0) + themes.px(16))
        super().showPopup()


class RunSelector(ClearWidget):
    """Names the run in view and offers the others; with one run it is a label.

    Its width is a share of the page; a longer name takes free room of its row too.
    """

    def __init__(self, session: Session, name: str, share: float, less: float = 0.0) -> None:
        """It takes a ``share`` of the page's width, ``less`` pixels at normal text size, within bounds."""
        super().__init__()
        self._session, self._share, self._less, self._page, self._room = session, share, less, 0, 0
        self._offered: tuple[tuple[Run, str], ...] = ()
        self.label = named(ElidedLabel("", "facts"), f"{name}.name")
        self.box = named(RunBox(), name, "Run in view", "The run that every page shows")
        row_layout((self.label, 1), (self.box, 1), inside=self)
        self.box.activated.connect(self._choose)
        session.runs_changed.connect(self.refresh)
        session.current_run_changed.connect(self.refresh)
        themes.follow_now(self._dress)

    def take_width(self, page: int, room: int = 0) -> None:
        """Takes its part of the width of its page, and as much of the ``room`` of its row as its name needs."""
        self._page, self._room, wanted = page, room, round(self._share * page - self._less * themes.scale)
        needed = self.label.sizeHint().width() if self.box.isHidden() else self.box.whole_width()
        wanted = max(themes.px(NARROWEST_RUN), wanted, min(needed, room))
        self.setFixedWidth(min(themes.px(WIDEST_RUN), wanted))

    def refresh(self) -> None:
        """Offers the runs; names the current one."""
        runs = tuple(reversed(self._session.runs))
        offered = tuple((run, self._words(run)) for run in runs)
        current = self._session.current_run
        if current is not None:
            self.label.set_wordings(f"{current.learner.name}, run {current.number}", f"Run {current.number}")
        if offered != self._offered:
            self._offered = offered
            self.box.offer([words for _run, words in offered])
        with QSignalBlocker(self.box):
            self.box.setCurrentIndex(runs.index(current) if current in runs else -1)
        self._draw_badges()
        self.label.setVisible(len(runs) == 1)
        self.box.setVisible(len(runs) > 1)
        if self._room:
            self.take_width(self._page, self._room)

    def _words(self, run: Run) -> str:
        right = "not tested" if run.report is None else percent(run.report.accuracy, run.report.n)
        return f"{run.learner.name}{BEFORE_ACCURACY}{right}"

    def _choose(self, index: int) -> None:
        self._session.set_current_run(self._offered[index][0])

    def _dress(self) -> None:
        self.refresh()
        self.take_width(self._page, self._room)

    def _draw_badges(self) -> None:
        metrics = QFontMetricsF(themes.font(12, bold=True))
        numbers = [metrics.horizontalAdvance(str(run.number)) for run, _words in self._offered]
        width = max(themes.px(BADGE), round(max(numbers, default=0.0)) + themes.px(8))
        self.box.setIconSize(QSize(width, themes.px(BADGE)))
        for index, (run, _words) in enumerate(self._offered):
            self.box.setItemIcon(index, run_badge(run.number, width, is_in_view=run is self._session.current_run))
