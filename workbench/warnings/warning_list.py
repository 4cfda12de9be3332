"""The warnings as chips: what to know before trusting a number, each with its remedy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent, QTextDocumentFragment
from PySide6.QtWidgets import QMenu, QWidget

from workbench.session.session import Session
from workbench.style.theme import SPACE_1, SPACE_2, SPACE_4, themes
from workbench.widgets.buttons import pill_button
from workbench.widgets.chips import Chip, FlowLayout, how_many_fit, lines_of
from workbench.widgets.layouts import named
from workbench.widgets.popover import show_popover

if TYPE_CHECKING:
    from algorithms.data.dataset import Dataset
    from workbench.session.runs import Run, RunState
    from workbench.warnings.warnings import Fact

MOST_LINES: Final = 2


class FactChip(Chip):
    """A fact as a chip."""

    def __init__(self, fact: Fact) -> None:
        super().__init__(
            fact.sentence,
            fact.tone,
            rich=True,
            tip=fact.tip,
            name=f"honesty.{fact.name}",
            action_text=fact.remedy,
            explanation=fact.explanation if fact.act is not None else "",
        )
        self.fact = fact


class WarningList(QWidget):
    """The facts as chips in at most two lines, refreshed whenever data, runs or the current run change.

    While a tab is shown the list grows only when a run changes, and gives lines back only when a comparison ends: else
    the page below would move under the mouse. It has its first line as soon as a table is open. Chips without room are
    counted.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._findings = session.analyses.checks
        self._chips: list[FactChip] = []
        self._data: Dataset | None = None
        self._states: tuple[tuple[Run, RunState], ...] = ()
        self._run: Run | None = None
        self._may_grow = True
        self._lines_kept = 0
        self._is_comparing = self._gives_back = False
        self.setObjectName("honesty")
        self.setAccessibleName("What to know before believing a number")
        self._flow = FlowLayout(self, spacing=SPACE_2)
        self._flow.setContentsMargins(SPACE_4, SPACE_2, SPACE_4, SPACE_1)
        self._highest = Chip("", action_text="leave out", name="honesty.highest", parent=self)
        self._highest.hide()  # sets the height of a line
        self._more = pill_button("", "honesty.more", "What has no room here", self._show_the_rest)
        for signal in (
            session.data_changed,
            session.summary_changed,
            session.runs_changed,
            session.current_run_changed,
            session.decisions.reports.changed,
        ):
            signal.connect(self._follow)
        self._findings.changed.connect(self._follow)
        session.analyses.comparison.changed.connect(self._follow_comparison)
        themes.follow(self.make_room)
        self.refresh()

    def _follow(self) -> None:
        self._session.turns.later(self.refresh)

    def _follow_comparison(self) -> None:
        trial = self._session.analyses.comparison.current
        was_comparing, self._is_comparing = self._is_comparing, trial is not None and trial.is_running
        if was_comparing and not self._is_comparing:
            self._gives_back = True
            self._follow()

    def refresh(self) -> None:
        session = self._session
        if session.data is not None and session.summary is None and session.current_run is None:
            self._keep_lines(1)
            return
        shown: Sequence[Fact] = ()
        if session.data is not None or session.current_run is not None:
            from workbench.warnings.warnings import facts  # late: a new window has no facts

            shown = facts(session, self._findings)
        self._notice()
        before = [_key(chip.fact) for chip in self._chips]
        if before == [_key(fact) for fact in shown]:
            for chip, fact in zip(self._chips, shown, strict=True):
                chip.fact = fact  # the same words may now be about another run or table
        else:
            self._show(shown)
        if self._gives_back:
            self._gives_back = False
            self.make_room()
        self.updateGeometry()

    def make_room(self) -> None:
        """Shrink to the lines of the warnings, since another page is shown below."""
        self._may_grow, self._lines_kept = self._session.data is self._data, 0
        self._fit()

    def _notice(self) -> None:
        """Allow another line after a change of a run, but not after another table or current run alone."""
        session = self._session
        states = tuple((run, run.state) for run in session.runs)
        if states != self._states:
            self._may_grow = True
        elif session.data is not self._data or session.current_run is not self._run:
            self._may_grow = False
        self._data, self._states, self._run = session.data, states, session.current_run

    def _show(self, shown: Sequence[Fact]) -> None:
        """Show these facts, reusing equal chips, as making one is slow."""
        kept = {_key(chip.fact): chip for chip in self._chips}
        while self._flow.count():
            self._flow.takeAt(0)
        self._chips = []
        for fact in shown:
            chip = kept.pop(_key(fact), None) or self._chip(fact)
            chip.fact = fact
            self._chips.append(chip)
        for gone in kept.values():
            gone.hide()
            gone.deleteLater()
        for widget in (*self._chips, self._more):
            self._flow.addWidget(widget)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.make_room()

    def _fit(self) -> None:
        margins, n = self._flow.contentsMargins(), len(self._chips)
        room = self.width() - margins.left() - margins.right()
        self._more.setText(f"+{n} more")
        widths = [chip.sizeHint().width() for chip in self._chips]
        most = MOST_LINES if self._may_grow else max(self._lines_kept, 1)
        fit = how_many_fit(widths, self._more.sizeHint().width(), room, SPACE_2, lines=most)
        for index, chip in enumerate(self._chips):
            chip.setVisible(index < fit)
        self._more.setText(f"+{n - fit} more")
        self._more.setVisible(fit < n)
        self._more.setAccessibleDescription("; ".join(plain(chip.fact.sentence) for chip in self._chips[fit:]))
        self._flow.invalidate()
        self._keep_lines(min(lines_of(widths, room, SPACE_2), most))
        self.updateGeometry()

    def _keep_lines(self, n: int) -> None:
        self._lines_kept = max(n, self._lines_kept, 1)
        margins = self._flow.contentsMargins()
        line = max(part.sizeHint().height() for part in (self._more, self._highest, *self._chips))
        room = self._lines_kept * (line + SPACE_2) - SPACE_2 + margins.top() + margins.bottom()
        self.setMinimumHeight(max(room, 0))

    def _show_the_rest(self) -> None:
        menu = named(QMenu(self), "honesty.rest")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        for chip in self._chips:
            if chip.isHidden():
                fact = chip.fact
                action = menu.addAction(plain(fact.sentence) + (f": {fact.remedy}" if fact.remedy else ""))
                action.setToolTip(fact.tip)
                action.triggered.connect(partial(self._choose, fact))
        menu.popup(self._more.mapToGlobal(self._more.rect().bottomLeft()))

    def _chip(self, fact: Fact) -> FactChip:
        chip = FactChip(fact)
        chip.acted.connect(lambda acted: self._act(acted.fact, acted))
        return chip

    def _choose(self, fact: Fact, _checked: bool = False) -> None:
        self._act(fact, self._more)

    def _act(self, fact: Fact, beside: QWidget) -> None:
        if fact.act is not None:
            fact.act(self._session)
        elif fact.explanation or fact.tip:
            show_popover(fact.explanation or fact.tip, beside)


def _key(fact: Fact) -> tuple[str, ...]:
    return fact.name, fact.sentence, fact.tone, fact.tip, fact.remedy


def plain(sentence: str) -> str:
    """A sentence of HTML as plain text."""
    return QTextDocumentFragment.fromHtml(sentence).toPlainText()
