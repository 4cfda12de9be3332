"""The guided run: five steps from a sample to a threshold in the real window, with a ring and a hint at each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QTabBar, QWidget
from shiboken6 import isValid

from workbench.session.session import Session
from workbench.style.motion import move_to
from workbench.style.theme import SPACE_2, SPACE_3, SPACE_4, current_theme, themes
from workbench.widgets.buttons import accent_button, link_button
from workbench.widgets.labels import label
from workbench.widgets.layouts import column_layout, named, row_layout

FOLLOW_MS: Final = 100
LEAD_MS: Final = 300
"""A tab just shown takes the keyboard to its main view before."""
RING: Final = 4
"""Pixels between the ring and what it is about."""
WIDTH: Final = 300
CLASSIFY, EVALUATE, VISUALIZE = 1, 2, 3


@dataclass(frozen=True)
class GuideStep:
    """What to do in which tab, and the controls that get the ring; without ``is_done`` it is read, with Next."""

    title: str
    text: str
    tab: int | None
    targets: tuple[str, ...]
    is_done: Callable[[Session], bool] | None = None


def _is_tested(session: Session) -> bool:
    run = session.current_run
    return run is not None and run.report is not None


def _is_decided(session: Session) -> bool:
    run = session.current_run
    return run is not None and session.decisions.active_choice(run) is not None


STEPS: Final = (
    GuideStep(
        "Open a sample",
        "Iris has 150 flowers of three species. Click it to open the table.",
        None,
        ("welcome.sample.iris",),
        lambda session: session.data is not None,
    ),
    GuideStep(
        "Train a model",
        "Press Train. Cross-validation tests the model on records it was not trained on.",
        CLASSIFY,
        ("classify.start",),
        _is_tested,
    ),
    GuideStep(
        "Read the accuracy",
        "This share of the records was predicted correctly. The baseline predicts the same class for every record.",
        CLASSIFY,
        ("classify.verdict",),
    ),
    GuideStep(
        "Look at the model",
        "A tree tests one attribute in each node. Its leaves predict the class.",
        VISUALIZE,
        ("visualize.page.model",),
    ),
    GuideStep(
        "Move the threshold",
        "A lower threshold predicts the positive class more often: recall rises, precision falls.",
        EVALUATE,
        ("evaluate.threshold", "evaluate.page.performance"),
        _is_decided,
    ),
)
END: Final = ("This was the guided run", "The menu predicts new data with a model (Ctrl+P). F1 opens the help.")


class Ring(QWidget):
    """An outline around a control, which mouse and keyboard pass through."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("guide.ring")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def surround(self, place: QRect) -> None:
        """Moves around a place of the window."""
        move_to(self, place)
        self.show()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(current_theme().color("accent"), 2.5))
            painter.drawRoundedRect(self.rect().adjusted(2, 2, -2, -2), 8, 8)


class GuidedRun(QFrame):
    """The hint of the current step, beside its control. It waits for what the user does; Escape ends it."""

    def __init__(self, window: QWidget, session: Session, tabs: QTabBar) -> None:
        super().__init__(window)
        named(self, "guide", "Guided run").setProperty("part", "guide")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._window, self._session, self._tabs = window, session, tabs
        self._n_read, self._shown = 0, -1
        self._led: QWidget | None = None
        self._used, self._has_opened = QApplication.focusWidget(), False
        """The control with the ring before, at first the one that began the run; whether using it opened a view."""
        self._ring = Ring(window)
        self._title = named(label("", "heading", wrap=True), "guide.title")
        self._text = named(label("", wrap=True), "guide.text")
        self._count = named(label("", "small"), "guide.count")
        self._skip = link_button("Skip", "guide.skip", "End the guided run (Esc)", self.close)
        self._next = accent_button("Next", "guide.next", "Go on with the next step", self._go_on)
        foot = row_layout(self._count, 1, self._skip, self._next, spacing=SPACE_2)
        column_layout(self._title, self._text, foot, inside=self, spacing=SPACE_2, margins=(SPACE_4, SPACE_3) * 2)
        self.setFixedWidth(themes.px(WIDTH))
        for signal in (session.document_replaced, session.runs_changed, session.current_run_changed):
            signal.connect(self._advance)
        session.decisions.changed.connect(self._advance)
        tabs.currentChanged.connect(self._advance)
        window.installEventFilter(self)
        self._timer = QTimer(self)  # layouts, scroll bars and splitters move the control, and none of them says so
        self._timer.timeout.connect(self._place)
        self._timer.start(FOLLOW_MS)
        self._advance()

    @property
    def step(self) -> int:
        """The first step not done yet, in the order of the steps; their number at the end."""
        n_to_read = 0
        for index, step in enumerate(STEPS):
            n_to_read += step.is_done is None
            if not (self._n_read >= n_to_read if step.is_done is None else step.is_done(self._session)):
                return index
        return len(STEPS)

    def _advance(self, _value: object = None) -> None:
        index = self.step
        step = STEPS[index] if index < len(STEPS) else None
        is_there = step is not None and step.tab == self._tabs.currentIndex()
        self._next.setVisible(step is None or (step.is_done is None and is_there))
        self._next.setText("Next" if step is not None else "Close")
        self._skip.setVisible(step is not None)
        if index != self._shown:
            self._shown = index
            title, text = END if step is None else (step.title, step.text)
            self._title.setText(title)
            self._text.setText(text)
            self._count.setText(f"{min(index + 1, len(STEPS))} of {len(STEPS)}")
            self.setAccessibleDescription(f"{self._count.text()}: {title}. {text}")
            announcement = QAccessibleAnnouncementEvent(self, self.accessibleDescription())
            QAccessible.updateAccessibility(announcement)
        self._place()

    def _lead_keyboard(self) -> None:
        """Puts the keyboard on what is to be pressed, unless the user works elsewhere."""
        target, focused = self._target()[0], QApplication.focusWidget()
        is_typing = isinstance(focused, QLineEdit) and bool(focused.text())
        if target is not None and not is_typing and focused is not self._tabs and self._is_free(focused):
            target = self._next if self._next.isVisible() else target
            target.setFocus(Qt.FocusReason.OtherFocusReason)
        self._has_opened = False

    def _is_free(self, focused: QWidget | None) -> bool:
        """Whether the keyboard is on nothing, on the guide, or on the control just used or what this opened."""
        if focused is None or focused in (self._window, self._used) or self.isAncestorOf(focused) or self._has_opened:
            return True
        return self._used is not None and isValid(self._used) and self._used.isAncestorOf(focused)

    def _go_on(self) -> None:
        if self._shown == len(STEPS):
            self.close()
            return
        self._n_read += 1
        self._advance()

    def _target(self) -> tuple[QWidget | None, QRect]:
        """The control in view to press and its place in the window: the tab where it is, if it is in another."""
        if self._shown == len(STEPS):
            return None, QRect()
        step, tabs = STEPS[self._shown], self._tabs
        if step.tab is not None and step.tab != tabs.currentIndex():
            tab = tabs.tabRect(step.tab)
            return tabs, QRect(tabs.mapTo(self._window, tab.topLeft()), tab.size())
        for name in step.targets:
            target = self._window.findChild(QWidget, name)
            if target is not None and target.isVisible():
                seen = target.visibleRegion().boundingRect()
                return target, QRect(target.mapTo(self._window, seen.topLeft()), seen.size())
        return None, QRect()

    def _place(self) -> None:
        target, place = self._target()
        room = self._window.rect().adjusted(SPACE_3, SPACE_3, -SPACE_3, -SPACE_3)
        self.resize(self.width(), self.heightForWidth(self.width()))
        self._ring.setVisible(target is not None)
        if target is not self._led:
            if self._led is not None:
                self._used = self._led
                is_welcome_left = self._shown == 1 and not (isValid(self._used) and self._used.isVisible())
                self._has_opened = is_welcome_left or self._used is self._tabs
            self._led = target
            QTimer.singleShot(LEAD_MS, self, self._lead_keyboard)
        if target is not None:
            place = place.adjusted(-RING, -RING, RING, RING)
            self._ring.surround(place)
        corner = next((at for at in self._beside(place) if room.contains(QRect(at, self.size()))), None)
        self.move(corner or room.bottomRight() - QPoint(self.width(), self.height() + themes.px(28)))
        if self.isHidden():
            self.show()
            self._ring.raise_()
            self.raise_()

    def _beside(self, place: QRect) -> tuple[QPoint, ...]:
        """Corners of the hint at the right, left, below and above a place."""
        if place.isEmpty():
            return ()
        right, below = place.right() + SPACE_3, place.bottom() + SPACE_3
        lowest = min(place.top(), self._window.height() - self.height() - SPACE_3)
        return (
            QPoint(right, lowest),
            QPoint(place.left() - self.width() - SPACE_3, lowest),
            QPoint(place.left(), below),
            QPoint(place.left(), place.top() - self.height() - SPACE_3),
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ends on an Escape that nothing else used."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Escape:
            self.close()
            return True
        return super().eventFilter(watched, event)

    def close(self) -> bool:
        self._window.removeEventFilter(self)
        self._timer.stop()
        self._ring.deleteLater()
        if self.isAncestorOf(QApplication.focusWidget() or self._window):
            self._window.setFocus()
        return super().close()
