"""Status line with jobs, last message, cores and memory; bar of errors and warnings."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Final

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QMouseEvent, QShowEvent, QUndoStack
from PySide6.QtWidgets import QFrame, QLabel, QProgressBar, QPushButton, QSizePolicy, QWidget

from algorithms.core.run_control import usable_cores
from algorithms.text.numbers import time_left
from algorithms.text.sentences import BRIEF_NAMES, MOST_OF_A_NAME, in_brief
from workbench.jobs.jobs import Job, Jobs, JobState
from workbench.jobs.messages import Message, Messages, MessageTone
from workbench.session.document import names_around
from workbench.style.theme import SPACE_1, SPACE_2, SPACE_3, SPACE_4, themes
from workbench.widgets.buttons import IconButton, PushButton, link_button, quiet_button
from workbench.widgets.labels import ElidedLabel, label, strong
from workbench.widgets.layouts import column_layout, named, row_layout

SHOWN_AFTER_MS: Final = 250
MOST_SHOWN: Final = 2
MEMORY_MS: Final = 2000
TITLE: Final = 280
"""Largest width of a job's title, at usual text size."""
BAR: Final = 160
NARROW_BAR: Final = 70
"""Width of a job's progress bar, and of each of two bars."""
LINE: Final = 28
"""Height of a button at usual text size."""
ROOT: Final = 4
"""Number of letters by which words are compared, whatever their endings."""
DONE: Final = "Done: "
"""What stands before the last edit, where it has room."""
FINISH: Final = "Finish now"
MACHINE_TIP: Final = "Processor cores that Coppice uses, and memory that it takes"
FINISH_TIP: Final = "End now and evaluate the folds that are done"
NOTHING_TO_EVALUATE: Final = "Nothing can be evaluated yet"
FINISHES: Final = "Finishing already"


class Chip(QFrame):
    """A pill with a short sentence; ``tone`` is plain, good, warning, bad or accent."""

    def __init__(self, text: str, tone: str = "plain", *, name: str = "") -> None:
        super().__init__()
        self.setProperty("part", "chip")
        self.setProperty("tone", tone)
        named(self, name, text)
        row_layout(label(text), inside=self, spacing=4, margins=(10, 3, 10, 3))


def offer_finish(button: QPushButton, job: Job | None) -> None:
    """Enables the button that ends a job early, or says why it is disabled."""
    is_possible = job is not None and job.is_finishable
    button.setEnabled(is_possible)
    why_not = FINISHES if job is not None and job.state is JobState.FINISHING else NOTHING_TO_EVALUATE
    button.setToolTip(FINISH_TIP if is_possible else why_not)


class StopButton(PushButton):
    """Stops a job where its result will be; while it is in view, the status line has no Stop for that job."""

    def __init__(self, name: str, tip: str, stop: Callable[[], object]) -> None:
        super().__init__("Stop")
        named(self, name, "Stop", tip)
        self.setProperty("part", "stop")
        self.setAutoDefault(True)
        self._job: Job | None = None
        self.clicked.connect(lambda _checked=False: stop())

    def follow(self, job: Job | None) -> None:
        """Sets the job that it stops."""
        if job is not self._job:
            self._place(False)
            self._job = job
            self._place(self.isVisible())

    def _place(self, is_in_view: bool) -> None:
        if self._job is not None:
            self._job.set_stop_in_view(is_in_view)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._place(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._place(False)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """The second half of a double click on the button that started the job stops nothing."""
        event.accept()


def show_progress(bar: QProgressBar, left: QLabel, job: Job) -> bool:
    """Shows the progress of a job and the time left; returns whether it is known."""
    is_known = job.progress > 0 and not job.is_waiting
    left.setVisible(is_known)
    bar.setRange(0, 1000 if is_known else 0)
    if is_known:
        bar.setValue(round(1000 * job.progress))
        seconds = job.seconds_left
        left.setText(f"{100 * job.progress:.0f}%" if seconds is None else time_left(seconds))
    return is_known


class JobRow(QWidget):
    """A running job: title, progress, time left, stop, and finish if the job can finish early."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        self.job = job
        self._name = job.title.partition(", ")[0]
        self._title = ElidedLabel("", "dim")
        self._title.set_wordings(job.title, self._name)
        self._title.setMaximumWidth(themes.px(TITLE))
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 0)
        self._bar.setFixedWidth(BAR)
        self._bar.setAccessibleName(f"Progress of {job.title}")
        self._doing = ElidedLabel("", "dim")
        self._left = label("", "dim")
        self.stop = quiet_button("Stop", "jobs.stop", f"Stop: {job.title}", job.stop)
        row = row_layout(self._title, self._bar, self._doing, self._left, self.stop, inside=self, spacing=SPACE_2)
        if job.can_finish:
            self.finish = quiet_button(FINISH, "jobs.finish", FINISH_TIP, job.finish)
            row.addWidget(self.finish)
            job.finishable_changed.connect(self._can_finish)
            self._can_finish()
        job.stop_moved.connect(self._show_stop)
        self._show_stop()
        row.addStretch(1)  # where nothing else is in the line, the room is left empty
        job.progressed.connect(self._progressed)
        self._progressed(job.progress, job.context.message)

    def fit_in(self, *, is_shared: bool, is_one_of_two: bool) -> None:
        """Shows a progress bar; beside another job the title comes first and the bar is narrower."""
        self._bar.setVisible(not is_shared)
        self._bar.setFixedWidth(NARROW_BAR if is_one_of_two else BAR)
        needed = self._title.fontMetrics().horizontalAdvance(self._name) + 1
        room = self._title.minimumSizeHint().width() + BAR - NARROW_BAR
        self._title.setMinimumWidth(min(needed, room) if is_one_of_two else 0)

    def _show_stop(self) -> None:
        """Hides the buttons while the page in view has them."""
        self.stop.setVisible(not self.job.has_stop_in_view)
        if self.job.can_finish:
            self.finish.setVisible(not self.job.has_stop_in_view)

    def _can_finish(self) -> None:
        offer_finish(self.finish, self.job)

    def _progressed(self, _share: float, text: str) -> None:
        self._bar.setToolTip(text)
        is_known = show_progress(self._bar, self._left, self.job)
        says = "" if is_known or says_again(self.job.title, text) else text
        self._doing.setVisible(bool(says))
        if not is_known:
            self._doing.set_wordings(*shorter_and_shorter(says), "")


class JobStrip(QFrame):
    def __init__(self, jobs: Jobs, messages: Messages, steps: QUndoStack, parent: QWidget) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._steps, self._step = steps, steps.index()
        self._rows: dict[Job, JobRow] = {}
        self._says_stopped = self._says_step = self._is_shared = self._settles = False
        self.setProperty("part", "strip")
        named(self, "jobs", "Jobs and messages")
        self._state = Chip("Ready", "good", name="jobs.state")
        self._settling = Chip("Opening", "accent", name="jobs.settling")
        self._settling.hide()
        self._preparing = Chip("Preparing", "accent", name="jobs.preparing")
        self._preparing.hide()
        self._running = row_layout(spacing=SPACE_4)
        self._more = label("", "dim")
        self._message_label = named(ElidedLabel("", "dim"), "jobs.said")
        self._message_label.setSizePolicy(
            QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed
        )  # it takes what room is left
        self._background = named(ElidedLabel("", "dim"), "jobs.background")
        self._background.hide()
        self._machine = named(label("", "facts"), "jobs.machine", "Computer", MACHINE_TIP)
        self._row = row_layout(
            self._state,
            self._settling,
            self._preparing,
            self._running,
            self._more,
            (self._message_label, 2),
            self._background,
            self._machine,
            inside=self,
            spacing=SPACE_3,
            margins=(SPACE_4, 2, SPACE_4, 2),
        )
        jobs.started.connect(self._started)
        jobs.ended.connect(self._ended)
        messages.added.connect(self._say)
        messages.dismissed.connect(self._forget)
        steps.indexChanged.connect(self._say_step)
        themes.follow_now(self._measure)
        self._timer = QTimer(self)
        self._timer.setInterval(MEMORY_MS)
        self._timer.timeout.connect(self._show_machine)
        self._timer.start()
        self._show_machine()
        self._refresh()

    def add_part(self, part: QWidget) -> None:
        """Adds a widget after the last message."""
        self._row.insertWidget(self._row.indexOf(self._message_label) + 1, part, 3)

    def share_line(self, is_shared: bool) -> None:
        """Whether other widgets need most of the line, so that progress is shown as text."""
        if is_shared != self._is_shared:
            self._is_shared = is_shared
            self._refresh()

    def show_settling(self, settles: bool) -> None:
        """Shows that a table or project is still being opened."""
        self._settles = settles
        self._refresh()

    def show_background(self, text: str) -> None:
        """Shows background work at the right, which prepares the program; empty to hide it."""
        self._background.set_wordings(*shorter_and_shorter(text))
        self._refresh()

    def _measure(self) -> None:
        """Keeps the height of a line with buttons, so that nothing moves when a job begins."""
        self.setFixedHeight(themes.px(LINE) + 6)

    def _started(self, job: Job) -> None:
        if not job.title:
            return
        if self._says_stopped:
            self._say_stopped("")
        QTimer.singleShot(SHOWN_AFTER_MS, self, lambda: self._show_late(job))

    def _show_late(self, job: Job) -> None:
        if job.is_running and job not in self._rows:
            self._rows[job] = JobRow(job)
            self._running.addWidget(self._rows[job])
            self._refresh()

    def _ended(self, job: Job) -> None:
        row = self._rows.pop(job, None)
        if row is not None:
            self._running.removeWidget(row)
            row.hide()
            row.deleteLater()
        if job.state.value == "stopped" and row is not None:
            self._say_stopped(f"Stopped: {job.title}")
        self._refresh()

    def _refresh(self) -> None:
        most = 1 if self._is_shared else MOST_SHOWN
        for position, row in enumerate(self._rows.values()):
            row.setVisible(position < most)
            row.fit_in(is_shared=self._is_shared, is_one_of_two=min(most, len(self._rows)) > 1)
        hidden = len(self._rows) - most
        self._more.setText(f"and {hidden} more" if hidden > 0 else "")
        self._more.setVisible(hidden > 0)
        is_preparing = bool(self._background.text())
        self._state.setVisible(not self._rows and not self._settles and not is_preparing)
        self._preparing.setVisible(not self._rows and not self._settles and is_preparing)
        self._settling.setVisible(not self._rows and self._settles)
        self._show_said()
        self._background.setVisible(bool(self._background.text()) and not self._rows)
        self._machine.setVisible(not self._is_shared)

    def begin_anew(self) -> None:
        """Forgets the last message when another table is opened."""
        self._step = self._steps.index()
        self._say_stopped("")

    def _say_step(self, step: int) -> None:
        """Shows the last edit of the table, or what was undone."""
        before, self._step = self._step, step
        if step > before:
            self._say_words(f"{DONE}{self._steps.text(step - 1)}", names_around(self._steps.command(step - 1)))
        elif step < before and step < self._steps.count():
            self._say_words(f"Undone: {self._steps.text(step)}", names_around(self._steps.command(step)))
        elif step < before:
            self._say_words("")
        self._says_step = True

    def forget_step(self) -> None:
        """Shows the last edit no more, since something else was done after it."""
        if self._says_step:
            self._say_words("")

    def _say(self, message: Message) -> None:
        if message.tone in (MessageTone.NOTE, MessageTone.GOOD) and message.action is None:
            self._say_words(message.text, message.names, message.brief)

    def _say_words(self, words: str, names: tuple[str, ...] = (), brief: str = "") -> None:
        """Shows a text, or ``brief`` if it does not fit; these names in it are shortened first."""
        self._says_stopped = self._says_step = False
        briefer = [in_brief(brief or words, names, most) for most in (MOST_OF_A_NAME, *BRIEF_NAMES)]
        self._message_label.set_wordings(words, *briefer, briefer[-1].removeprefix(DONE))
        self._show_said()

    def _forget(self, message: Message) -> None:
        if message.text == self._message_label.text():
            self._say_stopped("")

    def _say_stopped(self, text: str) -> None:
        self._says_stopped = bool(text)
        self._message_label.set_wordings(text, text.partition(", ")[0])
        self._show_said()

    def _show_said(self) -> None:
        """Shows the last message if jobs leave room."""
        is_told = bool(self._message_label.text()) and not self._rows
        self._message_label.setVisible(is_told or not (self._rows or self._is_shared))

    def _show_machine(self) -> None:
        cores = usable_cores()
        used = resident_memory()
        words = f"{cores} core{'s' if cores > 1 else ''}"
        self._machine.setText(words if used is None else f"{words} · {used / 2**30:.1f} GB")


def shorter_and_shorter(text: str) -> tuple[str, ...]:
    """Ever shorter wordings of a job's progress: "Reading, line by line: 3 of 9", "Reading: 3 of 9", "3 of 9"."""
    doing, colon, how_far = text.rpartition(": ")
    return (text, f"{doing.partition(',')[0]}: {how_far}", how_far) if colon else (text,)


def says_again(title: str, text: str) -> bool:
    """Whether all words of a text occur in the title in some form: "Ranking columns" after "Rank columns"."""
    roots = {word[:ROOT] for word in title.casefold().split()}
    return all(word[:ROOT] in roots for word in text.casefold().split())


def resident_memory() -> int | None:
    """Resident memory of this process in bytes; None if the system does not tell cheaply."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    import resource

    return pages * resource.getpagesize()


SHOWN_AT_ONCE = 2


class MessageRow(QFrame):
    """A message with its remedy and a button to dismiss it; its action dismisses it too."""

    def __init__(self, message: Message, dismiss: Callable[[Message], object]) -> None:
        super().__init__()
        self.setProperty("part", "message")
        self.setProperty("tone", {MessageTone.ERROR: "bad", MessageTone.WARNING: "warning"}.get(message.tone, "plain"))
        self.setAccessibleName(message.text)
        row = row_layout(inside=self, spacing=SPACE_3, margins=(SPACE_3, SPACE_1, SPACE_1, SPACE_1))
        where = f"{escape(message.place)}: " if message.place else ""
        words = label(f"{where}{strong(message.sentence)} {escape(message.remedy)}", rich=True, wrap=True)
        words.setObjectName("messages.text")
        row.addWidget(words, 1)
        if message.action is not None:
            action = message.action
            act = link_button(message.action_text, "messages.action", on_click=lambda: (dismiss(message), action()))
            row.addWidget(act)
        row.addWidget(IconButton("close", "Dismiss", "messages.dismiss", lambda: dismiss(message), plain=True))


class MessageBar(QWidget):
    """The latest errors, warnings and offers that were not dismissed."""

    def __init__(self, messages: Messages, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._messages = messages
        named(self, "messages", "Messages")
        self._rows = column_layout(inside=self, spacing=SPACE_1, margins=(SPACE_4, SPACE_2, SPACE_4, 0))
        messages.added.connect(self._refresh)
        messages.dismissed.connect(self._refresh)
        self._refresh()

    def _refresh(self, _message: Message | None = None) -> None:
        while (item := self._rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        asking = [m for m in self._messages.open if m.tone in (MessageTone.WARNING, MessageTone.ERROR) or m.action]
        for message in reversed(asking[-SHOWN_AT_ONCE:]):
            self._rows.addWidget(MessageRow(message, self._messages.dismiss))
        if len(asking) > SHOWN_AT_ONCE:
            self._rows.addWidget(label(f"and {len(asking) - SHOWN_AT_ONCE} more", "small"))
        self.setVisible(bool(asking))
