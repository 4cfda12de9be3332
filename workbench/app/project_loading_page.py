"""A project that was read comes into view whole: until its page is filled, another one says that it is being opened."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from workbench.app.start_page import BAR, ProgressPage
from workbench.app.top_line import shown_name
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.widgets.job_strip import LINE

LOOK_MS: Final = 30
AT_LATEST_MS: Final = 10_000
"""What takes longer to fill is looked at as far as it is there."""


class ProjectLoadingPage(ProgressPage):
    """Stands before the page in which a project was left while that is made and filled, which it is as if it were seen:
    the values counted, what was tried ranked under the project's costs, all that follows from its runs shown."""

    changed = Signal(bool)
    """Whether something was opened that is not in view as it will be."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("", "settling", parent)
        self._session = session
        self._room = QWidget()  # as high as the button of the page before: nothing moves when this one comes
        self._add_in_the_middle(self._room)
        self._column.addStretch(3)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.far.setText("Showing what was done with it")
        self.bar.setAccessibleName("The project is being shown")
        self._is_shown = False
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self._look)
        self._latest = QTimer(self)
        self._latest.setSingleShot(True)
        self._latest.setInterval(AT_LATEST_MS)
        self._latest.timeout.connect(self._end)
        self.hide()

    def begin(self) -> None:
        """A document has come; one with a place in which it was left is a project."""
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
        """The page of the document is in its place."""
        self._is_shown = True

    def _look(self) -> None:
        """See whether all is there."""
        session = self._session
        if not self._is_shown or session.turns.is_busy:
            return
        if self.isHidden() or (session.summary is not None and not session.trials.is_ranking):
            self._end()

    def _end(self) -> None:
        self._timer.stop()
        self._latest.stop()
        self.hide()
        self.changed.emit(False)
