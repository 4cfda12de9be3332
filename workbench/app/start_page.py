"""The page shown while no table is open, and the page shown while a project loads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSize, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from algorithms.core.registry import Sample
from algorithms.io.reading import listed_formats
from algorithms.io.servers import is_address, source_name
from algorithms.text.names import shortened
from algorithms.text.numbers import time_left
from workbench.app.top_line import shown_name
from workbench.jobs.jobs import Job, JobState
from workbench.jobs.ui_scheduling import single_shot
from workbench.session.session import Session
from workbench.style.theme import SPACE_1, SPACE_2, SPACE_3, SPACE_4, set_property, themes
from workbench.widgets.buttons import accent_button, add_entry, link_button, menu_button, quiet_button
from workbench.widgets.keyboard_focus import set_visible
from workbench.widgets.labels import ElidedLabel, LinkLabel, WholeLabel, label, link
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, named, row_layout, row_widget
from workbench.widgets.panes import CurrentPageStack
from workbench.widgets.status_line import LINE, SHOWN_AFTER_MS

if TYPE_CHECKING:
    from workbench.tabs.evaluate.experiment_page import ExperimentPage

COLUMNS: Final = 2
WIDTH: Final = 1080
LONGEST_NAME: Final = 40
RECENT_SHOWN: Final = 5


class SampleCard(QPushButton):
    """A sample's name, question and size, with a sentence in the tooltip; a click opens it."""

    def __init__(self, sample: Sample) -> None:
        super().__init__()
        self.setProperty("part", "card")
        size = f"{sample.n_records:,} records · {sample.n_classes} classes"
        says, tip = f"{sample.name}. {sample.question} {size}", sample.sentence[:1].upper() + sample.sentence[1:]
        named(self, f"welcome.sample.{sample.id}", says, tip)
        self.setAutoDefault(True)  # Enter presses it, as Space does
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        margins = (SPACE_4, SPACE_3, SPACE_4, SPACE_3)
        inside = column_layout(inside=self, spacing=SPACE_1, margins=margins)
        for text, part in ((sample.name, "heading"), (sample.question, ""), (size, "small")):
            words = label(text, part, wrap=True)
            words.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            inside.addWidget(words)
        inside.addStretch(1)

    def sizeHint(self) -> QSize:
        inside = self.layout()
        return super().sizeHint() if inside is None else inside.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())


class DropArea(QFrame):
    """The drop area, with buttons that open a file or a database, or paste a table."""

    open_asked = Signal()
    database_asked = Signal()
    web_asked = Signal()
    paste_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("part", "drop")
        self.setObjectName("welcome.drop")
        self.setMinimumHeight(110)
        row = QHBoxLayout()
        row.setSpacing(SPACE_2)
        self.open = accent_button("Open...", "welcome.open", "Open a table (Ctrl+O)", self.open_asked.emit)
        tip = "Open what was copied from a spreadsheet (Ctrl+V)"
        paste = quiet_button("Paste a table", "welcome.paste", tip, self.paste_asked.emit)
        other = menu_button("Other source", "welcome.other", "Open a table of a database, or on the web")
        about = "Open a table of a database on a server"
        add_entry(other.menu(), "welcome.database", "Database...", about, self.database_asked.emit)
        add_entry(other.menu(), "welcome.web", "Web address...", "Open a table on the web", self.web_asked.emit)
        add_items(row, 1, label("Drop a file here"))
        row.addWidget(label("or"))
        row.addSpacing(SPACE_2)
        add_items(row, self.open, other, paste, 1)
        formats = named(WholeLabel(", ".join((*listed_formats(), "projects")), "dim"), "welcome.formats")
        formats.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column_layout(1, row, formats, 1, inside=self, spacing=SPACE_2, margins=SPACE_3)

    def show_over(self, over: bool) -> None:
        set_property(self, "over", over)


class WelcomePage(QScrollArea):
    open_asked = Signal()
    database_asked = Signal()
    web_asked = Signal()
    paste_asked = Signal()
    file_asked = Signal(str)
    sample_asked = Signal(str)
    guide_asked = Signal()
    experiment_asked = Signal()

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self.setObjectName("welcome")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        page = ClearWidget()
        self.setWidget(page)
        self._column = column = ClearWidget(page)
        themes.follow_now(self._measure)
        add_items(QHBoxLayout(page), 1, (column, 100), 1)
        self._inside = QVBoxLayout(column)
        self._inside.setSpacing(SPACE_3)
        self._inside.addStretch(2)
        self._fill()
        self._inside.addStretch(3)
        self.setFocusProxy(self.drop.open)
        paste = QShortcut(QKeySequence(QKeySequence.StandardKey.Paste), self)
        paste.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        paste.activated.connect(self.paste_asked)

    def _measure(self) -> None:
        self._column.setMaximumWidth(themes.px(WIDTH))

    def _fill(self) -> None:
        how = "Open a table with one row for each case and one column to predict."
        self.drop = DropArea()
        self.drop.open_asked.connect(self.open_asked)
        self.drop.database_asked.connect(self.database_asked)
        self.drop.web_asked.connect(self.web_asked)
        self.drop.paste_asked.connect(self.paste_asked)
        samples = [sample for sample in self._session.registry.samples if sample.on_welcome]
        heads = label("Samples", "heading"), label("included, ready to use", "small")
        left = column_layout(self.drop, row_layout(*heads, 1, spacing=SPACE_2), self._cards(samples), 1)
        right = column_layout(self._first_time(), self._several_tables(), *self._recent(), 1)
        both = row_layout((left, 7), (right, 4), spacing=2 * SPACE_4)
        for column in (left, right):
            column.setSpacing(SPACE_3)
        title = label("What would you like to predict?", "title")
        add_items(self._inside, title, label(how, "dim", wrap=True), both)
        if not samples:
            set_visible(False, *heads)

    def _first_time(self) -> QFrame:
        """The card that offers the guided run."""
        card = QFrame()
        card.setProperty("part", "card")
        about = "Five steps from the Iris sample to a tested model, in this window."
        start = quiet_button("Start the guided run", "welcome.guide", "Five steps, ended by Esc", self.guide_asked.emit)
        words = label("First time here?", "heading"), label(about, "dim", wrap=True)
        parts = *words, (start, 0, Qt.AlignmentFlag.AlignLeft)
        column_layout(*parts, inside=card, spacing=SPACE_2, margins=SPACE_4)
        return card

    def _several_tables(self) -> QWidget:
        """The way to an experiment."""
        words = f"Several learners on several tables: {link('experiment', 'New experiment')}"
        sentence = named(LinkLabel(words, "dim"), "welcome.experiment")
        sentence.linkActivated.connect(lambda _target: self.experiment_asked.emit())
        return sentence

    def _cards(self, samples: list[Sample]) -> QGridLayout:
        grid = QGridLayout()
        grid.setSpacing(SPACE_3)
        for index, sample in enumerate(samples):
            card = SampleCard(sample)
            card.clicked.connect(lambda _checked=False, id=sample.id: self.sample_asked.emit(id))
            grid.addWidget(card, index // COLUMNS, index % COLUMNS)
        for column in range(COLUMNS):
            grid.setColumnStretch(column, 1)
        return grid

    def _recent(self) -> Iterator[QWidget]:
        """The heading and a line for each file opened last; nothing without one."""
        for index, path in enumerate(self._session.settings.recent_files[:RECENT_SHOWN]):
            if index == 0:
                yield label("Recent", "heading")
            name = link_button(shortened(source_name(path), LONGEST_NAME), "welcome.recent", path)
            name.clicked.connect(lambda _checked=False, path=path: self.file_asked.emit(path))
            folder = ElidedLabel("" if is_address(path) else str(Path(path).parent), "small")
            folder.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            yield row_widget(name, (folder, 1), spacing=SPACE_2)


BAR: Final = 360
"""Width of the bar at usual text size."""
DOING: Final = {"Open": "Opening", "Paste": "Reading what was pasted:", "Grow": "Growing"}
"""First words of job titles as shown while the job runs."""


class ProgressPage(QWidget):
    """A title and a progress bar in the middle of the page."""

    def __init__(self, title: str, name: str, parent: QWidget | None = None) -> None:
        """``name`` is the object name of the page and the prefix of those of its parts."""
        super().__init__(parent)
        self.setObjectName(name)
        self.title = named(label(title, "title", wrap=True), f"{name}.title")
        self.title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 0)
        self.bar.setFixedWidth(themes.px(BAR))
        self.far = named(label("", "dim"), f"{name}.far")
        self._column = QVBoxLayout(self)
        self._column.setSpacing(SPACE_3)
        self._column.addStretch(2)
        self._column.addWidget(self.title)
        self._add_in_the_middle(self.bar, self.far)

    def _add_in_the_middle(self, *parts: QWidget) -> None:
        for part in parts:
            self._column.addLayout(row_layout(1, part, 1))


class FileOpeningPage(ProgressPage):
    """Progress of an opening file, with a button to stop it."""

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
            text = f"{100 * share:.0f}% done" + ("" if left is None else f", {time_left(left)}")
        self.far.setText(text or "Getting ready")


class StartPages(CurrentPageStack):
    """The welcome page, replaced by progress while a file opens slowly, and shown again if that fails."""

    def __init__(self, session: Session, begun: SignalInstance, parent: QWidget) -> None:
        """``begun`` is emitted with each job that opens a file."""
        super().__init__(parent)
        self.welcome = welcome = WelcomePage(session, self)
        self._job: Job | None = None
        self._session = session
        self._page: FileOpeningPage | None = None
        self._experiment: ExperimentPage | None = None
        self.addWidget(welcome)
        self.setFocusProxy(welcome)
        begun.connect(self._follow)

    def show_experiment(self) -> None:
        """Shows the page of experiments in place of the welcome page."""
        from workbench.tabs.evaluate.experiment_page import ExperimentPage  # not needed at the start

        if self._experiment is None:
            around = ClearWidget(self)
            self._experiment = ExperimentPage(self._session, around, "Start page")
            self._around_experiment = around
            self._experiment.left.connect(self._show_welcome)
            column_layout(self._experiment, inside=around, margins=(SPACE_4, SPACE_2, SPACE_4, SPACE_3))
            self.addWidget(around)
        self._experiment.refresh()
        self.setCurrentWidget(self._around_experiment)
        self.setFocusProxy(self._experiment)
        self._experiment.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_welcome(self) -> None:
        self.setCurrentWidget(self.welcome)
        self.setFocusProxy(self.welcome)
        self.welcome.setFocus(Qt.FocusReason.OtherFocusReason)

    def _follow(self, job: Job) -> None:
        self._job = job
        job.ended.connect(self._ended)
        QTimer.singleShot(SHOWN_AFTER_MS, self, self._show)

    def _show(self) -> None:
        job = self._job
        if job is None or not job.is_running or not self.isVisible():
            return
        self._leave()
        self._page = FileOpeningPage(job, self)
        self.addWidget(self._page)
        self.setCurrentWidget(self._page)
        self.setFocusProxy(self._page)
        self._page.setFocus(Qt.FocusReason.OtherFocusReason)

    def _ended(self, job: Job) -> None:
        if job is not self._job:
            return
        self._job = None
        if job.state is not JobState.DONE:  # else the table is shown next
            had_keyboard = self._page is not None and self._page.stop.hasFocus()
            self._leave()
            if had_keyboard:
                self.welcome.setFocus(Qt.FocusReason.OtherFocusReason)

    def _leave(self) -> None:
        self.setCurrentWidget(self.welcome)
        self.setFocusProxy(self.welcome)
        if self._page is not None:
            self.removeWidget(self._page)
            self._page.hide()
            self._page.deleteLater()
            self._page = None


LOOK_MS: Final = 30
AT_LATEST_MS: Final = 10_000
"""A page that takes longer is shown as it is."""


class ProjectLoadingPage(ProgressPage):
    """Covers the page in which a project was left until its values, ranking and views are complete."""

    changed = Signal(bool)
    """Whether an opened document is not completely shown yet."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__("", "settling", parent)
        self._session = session
        self._room = QWidget()  # as high as the button of the previous page, so that nothing moves
        self._add_in_the_middle(self._room)
        self._column.addStretch(3)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.far.setText("Showing what was done with it")
        self.bar.setAccessibleName("The project is being shown")
        self._is_shown = False
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self._look)
        self._latest = single_shot(self, AT_LATEST_MS, self._end)
        self.hide()

    def begin(self) -> None:
        """Start for another document; only a project has a place in which it was left."""
        self._is_shown = False
        self.changed.emit(True)
        if self._session.place:
            self.bar.setFixedWidth(themes.px(BAR))
            self.title.setText(f"Opening {shown_name(self._session)} ...")
            self._room.setFixedHeight(themes.px(LINE))
            self.show()
            self.raise_()
        self._timer.start()
        self._latest.start()

    def show_behind(self) -> None:
        """The page of the document is in place behind this one."""
        self._is_shown = True

    def _look(self) -> None:
        session = self._session
        if not self._is_shown or session.turns.is_busy:
            return
        if self.isHidden() or (session.summary is not None and not session.analyses.comparison.is_ranking):
            self._end()

    def _end(self) -> None:
        self._timer.stop()
        self._latest.stop()
        self.hide()
        self.changed.emit(False)
