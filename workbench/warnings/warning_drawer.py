"""Badge with the number of warnings, and the drawer that explains each and offers its remedy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QKeyEvent, QMouseEvent, QPaintEvent, QTextDocumentFragment
from PySide6.QtWidgets import QFrame, QStyle, QStyleOptionButton, QWidget
from shiboken6 import isValid

from algorithms.text.sentences import counted
from workbench.session.session import Session
from workbench.style.motion import put, slide_in
from workbench.style.theme import SPACE_1, SPACE_2, SPACE_3, SPACE_4, current_theme, set_property, themes
from workbench.widgets.buttons import IconButton, PaneButton, PushButton, icon, link_button, quiet_button, set_caption
from workbench.widgets.labels import ElidedLabel, label, rule
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, named, row_layout, row_widget
from workbench.widgets.painting import draw_veil
from workbench.widgets.panes import UprightScrollArea

if TYPE_CHECKING:
    from workbench.warnings.warnings import Fact

NONE: Final = "No warnings"
CHECKED: Final = "Checked and not found"
DISMISSED: Final = "dismissed_warnings"
"""Name of the dismissed warnings in the session's view state."""
WIDTH: Final = 404
"""Width of the drawer at normal text size."""
MOST_OF_WINDOW: Final = 0.6


class WarningList(QObject):
    """Warnings and notes about the current data and run; ``changed`` follows each change of them."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._findings = session.analyses.checks
        self.facts: Sequence[Fact] = ()
        self.passed: Sequence[str] = ()
        self._shown: tuple[object, ...] = ()
        """What the last signal was about: the facts, those dismissed for the run in view, and the checks."""
        for signal in (
            session.data_changed,
            session.summary_changed,
            session.runs_changed,
            session.current_run_changed,
            session.costs_changed,
            session.decisions.reports.changed,
            self._findings.changed,
        ):
            signal.connect(self._follow)
        self.refresh()

    @property
    def warnings(self) -> list[Fact]:
        """Warnings that the user has not dismissed."""
        return [fact for fact in self.facts if fact.is_warning and self._key(fact) not in self._dismissed_keys]

    @property
    def dismissed(self) -> list[Fact]:
        return [fact for fact in self.facts if fact.is_warning and self._key(fact) in self._dismissed_keys]

    @property
    def _dismissed_keys(self) -> list[str]:
        """Keys of the dismissed warnings, which the project keeps."""
        kept = self.session.place.get(DISMISSED)
        return [key for key in kept if isinstance(key, str)] if isinstance(kept, list) else []

    def _key(self, fact: Fact) -> str:
        return fact.key(self.session.current_run)

    def dismiss(self, fact: Fact) -> None:
        """Count and show a warning no more, until :meth:`show_dismissed`."""
        self._keep([*self._dismissed_keys, self._key(fact)])

    def show_dismissed(self) -> None:
        """Show the dismissed warnings of the current data and run again."""
        again = [self._key(fact) for fact in self.dismissed]
        self._keep([key for key in self._dismissed_keys if key not in again])

    def _keep(self, keys: list[str]) -> None:
        self.session.set_place(**{DISMISSED: keys})
        self._announce()

    @property
    def notes(self) -> list[Fact]:
        return [fact for fact in self.facts if not fact.is_warning]

    def _follow(self) -> None:
        self.session.turns.later(self.refresh)

    def refresh(self) -> None:
        session = self.session
        if session.data is not None and session.summary is None and session.current_run is None:
            return
        self.facts, self.passed = (), ()
        if session.data is not None or session.current_run is not None:
            from workbench.warnings.warnings import facts, passed_checks  # late: a new window has no facts

            self.facts = facts(session, self._findings)
            self.passed = passed_checks(session, self._findings, self.facts)
        self._announce()

    def _announce(self) -> None:
        """Emits ``changed`` if something else is to be shown, as also after another run that has the same warnings."""
        shown = *map(_texts, self.facts), *map(self._key, self.dismissed), *self.passed
        if shown != self._shown:
            self._shown = shown
            self.changed.emit()

    def act(self, name: str, sentence: str) -> None:
        """Apply the remedy of the fact with this name and sentence, which may now be about another run or table."""
        fact = next((fact for fact in self.facts if (fact.name, fact.sentence) == (name, sentence)), None)
        if fact is not None and fact.act is not None:
            fact.act(self.session)


class WarningBadge(PushButton):
    """Button with the number of warnings, as wide with none as with many so that nothing beside it moves."""

    def __init__(self, warnings: WarningList) -> None:
        super().__init__()
        self._warnings, self._is_brief = warnings, False
        self.setProperty("part", "badge")
        self.setObjectName("warnings")
        self.setCheckable(True)
        self.setAutoDefault(True)  # Enter presses it, as Space does
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the focus where it goes back to
        warnings.changed.connect(self._show_number)
        themes.follow_now(self._show_number)

    def set_brief(self, brief: bool) -> None:
        """Show the number without the word where room is short."""
        if brief != self._is_brief:
            self._is_brief = brief
            self._show_number()

    def _show_number(self) -> None:
        n = len(self._warnings.warnings)
        words = counted(n, "warning") if n else NONE
        set_caption(self, str(n) if self._is_brief else words)
        self.setAccessibleName(words)
        self.setToolTip(f"{words}: why each matters, and how to remedy it")
        set_property(self, "tone", "warning" if n else "plain")
        has_icon = n or self._is_brief
        self.setIcon(icon("warning", current_theme().color("warning" if n else "dim")) if has_icon else QIcon())
        side = themes.px(14)
        self.setIconSize(QSize(side, side))
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        hint, metrics, option = super().sizeHint(), self.fontMetrics(), QStyleOptionButton()
        self.initStyleOption(option)
        mark = self.iconSize().width() + SPACE_1
        texts = (("88", mark),) if self._is_brief else ((NONE, 0), ("88 warnings", mark))
        widest = max(metrics.horizontalAdvance(text) + beside for text, beside in texts)
        contents = QSize(widest, metrics.height())
        width = self.style().sizeFromContents(QStyle.ContentsType.CT_PushButton, option, contents, self).width()
        return QSize(width, hint.height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()


class WarningCard(ClearWidget):
    """A fact with its explanation (lines after the first are folded), its remedy, and for a warning a dismissal.

    Without ``dismiss`` it has none; ``place`` is the beginning of its object names.
    """

    def __init__(
        self,
        fact: Fact,
        act: Callable[[], object],
        dismiss: Callable[[], object] | None = None,
        place: str = "warnings",
    ) -> None:
        super().__init__()
        self.fact = fact
        self.setObjectName(f"{place}.{fact.name}")
        self.setProperty("is_page", True)
        self.setAccessibleName(plain(fact.sentence))
        self.setAccessibleDescription(fact.why)
        title = label(fact.sentence, "heading" if fact.is_warning else "", wrap=True, rich=True)
        inside = column_layout(title, spacing=SPACE_1)
        if fact.why:
            first, _, rest = fact.why.partition("\n")
            inside.addWidget(label(first, "small", wrap=True))
            if rest:
                more = label(rest, "small", wrap=True)
                more.hide()
                unfold = link_button("More", f"{place}.{fact.name}.more", on_click=more.show)
                unfold.clicked.connect(unfold.hide)
                add_items(inside, row_layout(unfold, 1), more)
        buttons: list[QWidget] = []
        if fact.remedy and fact.act is not None:
            words = fact.remedy[:1].upper() + fact.remedy[1:]
            buttons.append(quiet_button(words, f"{place}.{fact.name}.remedy", on_click=act))
        if fact.is_warning and dismiss is not None:
            tip = "Show this warning no more; the project remembers it"
            name = f"{place}.{fact.name}.dismiss"
            buttons.append(PaneButton("close", tip, name, dismiss, text="Dismiss", plain=True))
        if buttons:
            add_items(inside, SPACE_1, row_layout(*buttons, 1, spacing=SPACE_3))
        mark = label()
        color = current_theme().color("warning" if fact.is_warning else "dim")
        mark.setPixmap(icon("warning" if fact.is_warning else "help", color).pixmap(QSize(*2 * (themes.px(16),))))
        row_layout((mark, 0, Qt.AlignmentFlag.AlignTop), (inside, 1), inside=self, spacing=SPACE_2)


class Veil(QWidget):
    """Dims the page beside the drawer, so that only the warnings ask for something; ``pressed`` by the mouse."""

    pressed = Signal()

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self.hide()

    def mousePressEvent(self, _event: QMouseEvent) -> None:
        self.pressed.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        draw_veil(self)


class WarningDrawer(QFrame):
    """Drawer over the right of ``page``: warnings, notes, passed checks; Escape or a click beside it closes it."""

    def __init__(self, warnings: WarningList, badge: WarningBadge, page: QWidget) -> None:
        super().__init__(page)
        self._warnings, self._badge, self._page = warnings, badge, page
        self._before: QWidget | None = None
        """What had the keyboard focus when the drawer opened."""
        self._veil = Veil(page)
        self._veil.pressed.connect(self.hide)
        self.setProperty("part", "drawer")
        named(self, "warnings.drawer", "Warnings")
        self._title, self._about = label("", "heading"), ElidedLabel("", "facts")
        self._close = IconButton("close", "Close (Esc)", "warnings.close", self.hide, plain=True)
        self._inside = QWidget()
        self._inside.setProperty("part", "clear")
        scroll = UprightScrollArea(self._inside, self)
        self._cards = column_layout(inside=self._inside, spacing=SPACE_3, margins=(SPACE_4, SPACE_3, SPACE_4, SPACE_4))
        heading = row_layout(self._title, (self._about, 1), self._close, spacing=SPACE_2, margins=SPACE_3)
        column_layout(heading, rule(), (scroll, 1), inside=self, spacing=0)
        self.hide()
        page.installEventFilter(self)
        badge.toggled.connect(self._toggle)
        warnings.changed.connect(self._refresh)
        themes.follow(self._refresh)

    def _toggle(self, shown: bool) -> None:
        if shown:
            self._before = self.window().focusWidget()
        self.setVisible(shown)
        if shown:
            self._refresh()
            self._take_place()
            self._veil.show()
            self._veil.raise_()
            self.raise_()
            slide_in(self)
            self._close.setFocus()

    def hideEvent(self, _event: object) -> None:
        self._veil.hide()
        focus, before = self.window().focusWidget(), self._before
        if focus is not None and self.isAncestorOf(focus):  # else Qt gives it to whatever is next
            (before if before is not None and isValid(before) and before.isVisible() else self._badge).setFocus()
        self._badge.setChecked(False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._page and event.type() is QEvent.Type.Resize:
            self._take_place()
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)

    def _take_place(self) -> None:
        width = min(themes.px(WIDTH), round(MOST_OF_WINDOW * self._page.width()))
        left, height = self._page.width() - width, self._page.height()
        put(self, QRect(left, 0, width, height))
        self._veil.setGeometry(0, 0, left, height)

    def _refresh(self) -> None:
        if not self.isVisible():
            return
        had_focus = self.isAncestorOf(self.focusWidget() or self._page)
        while (item := self._cards.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.setParent(None)
                widget.deleteLater()
        warnings, notes, run = self._warnings.warnings, self._warnings.notes, self._warnings.session.current_run
        self._title.setText(counted(len(warnings), "warning") if warnings else NONE)
        self._about.setText("" if run is None else f"on run {run.number}, {run.learner.name}")
        for index, fact in enumerate(warnings):
            add_items(self._cards, *([rule()] if index else []), self._card(fact))
        if notes:
            add_items(self._cards, *([rule()] if warnings else []), label("Notes", "heading"), *map(self._card, notes))
        dismissed = self._warnings.dismissed
        if dismissed:
            again = link_button("Show", "warnings.dismissed.show", "", self._warnings.show_dismissed)
            again.setToolTip("\n".join(plain(fact.sentence) for fact in dismissed))
            words = label(f"{len(dismissed)} dismissed", "small")
            add_items(self._cards, row_widget(words, again, 1, spacing=SPACE_2))
        if self._warnings.passed:
            before = [rule()] if warnings or notes else []
            passed = (label(check, "small", wrap=True) for check in self._warnings.passed)
            add_items(self._cards, *before, label(CHECKED, "heading"), *passed)
        for card in self._inside.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            card.show()  # else the layout shows it in a later event
        self._cards.addStretch(1)
        if had_focus:
            self._close.setFocus()

    def _card(self, fact: Fact) -> WarningCard:
        act = partial(self._warnings.act, fact.name, fact.sentence)
        return WarningCard(fact, act, partial(self._warnings.dismiss, fact))


def _texts(fact: Fact) -> tuple[str, ...]:
    return fact.name, fact.sentence, fact.tone, fact.why, fact.remedy


def plain(sentence: str) -> str:
    """A sentence of HTML as plain text."""
    return QTextDocumentFragment.fromHtml(sentence).toPlainText()
