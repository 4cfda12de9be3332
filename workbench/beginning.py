"""What stands in the window while nothing is open: the welcome page, or what is being opened and how far that is."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt, QTimer, SignalInstance
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from workbench.jobs import Job, JobState
from workbench.parts.buttons import quiet_button
from workbench.parts.job_strip import SHOWN_AFTER_MS, time_left
from workbench.parts.labels import label
from workbench.parts.pages import Pages
from workbench.theme import SPACE_3, themes
from workbench.welcome import Welcome

BAR: Final = 360
"""Width of the bar at usual text size."""
DOING: Final = {"Open": "Opening", "Paste": "Reading what was pasted:", "Grow": "Growing"}
"""How the first word of a job's title is said while the job runs."""


class ProgressPage(QWidget):
    """What is going on and how far that is, in the middle of the page."""

    def __init__(self, title: str, name: str, parent: QWidget | None = None) -> None:
        """``name`` is the page's object name, and begins those of its parts."""
        super().__init__(parent)
        self.setObjectName(name)
        self.title = label(title, "title", wrap=True)
        self.title.setObjectName(f"{name}.title")
        self.title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 0)
        self.bar.setFixedWidth(themes.px(BAR))
        self.far = label("", "dim")
        self.far.setObjectName(f"{name}.far")
        self._column = QVBoxLayout(self)
        self._column.setSpacing(SPACE_3)
        self._column.addStretch(2)
        self._column.addWidget(self.title)
        self._add_in_the_middle(self.bar, self.far)

    def _add_in_the_middle(self, *parts: QWidget) -> None:
        for part in parts:
            row = QHBoxLayout()
            row.addStretch(1)
            row.addWidget(part)
            row.addStretch(1)
            self._column.addLayout(row)


class OpeningPage(ProgressPage):
    """What is being opened, how far that is, and a way to stop it."""

    def __init__(self, job: Job, parent: QWidget | None = None) -> None:
        first, _, rest = job.title.partition(" ")
        super().__init__(f"{DOING.get(first, first)} {rest} ...", "opening", parent)
        self.bar.setAccessibleName(f"Progress of {job.title}")
        self.stop = quiet_button("Stop", "opening.stop", f"Stop: {job.title}", job.stop)
        self._add_in_the_middle(self.stop)
        self._column.addStretch(3)
        self.setFocusProxy(self.stop)
        self._job = job
        job.progressed.connect(self._progressed)
        self._progressed(job.progress, job.context.message)

    def _progressed(self, share: float, text: str) -> None:
        is_known = share > 0 and not self._job.is_waiting
        self.bar.setRange(0, 1000 if is_known else 0)
        if is_known:
            self.bar.setValue(round(1000 * share))
            left = self._job.seconds_left
            text = f"{100 * share:.0f} of 100 done" + ("" if left is None else f", {time_left(left)}")
        self.far.setText(text or "Getting ready")


class Beginning(Pages):
    """The welcome page, until something takes a while to open; back to it where that came to nothing."""

    def __init__(self, welcome: Welcome, begun: SignalInstance, parent: QWidget | None = None) -> None:
        """``begun`` comes with each job that opens something."""
        super().__init__(parent)
        self._welcome = welcome
        self._job: Job | None = None
        self._page: OpeningPage | None = None
        self.addWidget(welcome)
        self.setFocusProxy(welcome)
        begun.connect(self._follow)

    def _follow(self, job: Job) -> None:
        """Say of this job how far it is, should it take a while."""
        self._job = job
        job.over.connect(self._ended)
        QTimer.singleShot(SHOWN_AFTER_MS, self, self._show)

    def _show(self) -> None:
        job = self._job
        if job is None or not job.is_running or not self.isVisible():
            return
        self._leave()
        self._page = OpeningPage(job, self)
        self.addWidget(self._page)
        self.setCurrentWidget(self._page)
        self.setFocusProxy(self._page)
        self._page.setFocus(Qt.FocusReason.OtherFocusReason)

    def _ended(self, job: Job) -> None:
        if job is not self._job:
            return
        self._job = None
        if job.state is not JobState.DONE:  # or the table comes into view next
            had_keyboard = self._page is not None and self._page.stop.hasFocus()
            self._leave()
            if had_keyboard:
                self._welcome.setFocus(Qt.FocusReason.OtherFocusReason)

    def _leave(self) -> None:
        """Back to the welcome page."""
        self.setCurrentWidget(self._welcome)
        self.setFocusProxy(self._welcome)
        if self._page is not None:
            self.removeWidget(self._page)
            self._page.hide()
            self._page.deleteLater()
            self._page = None
