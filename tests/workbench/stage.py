"""Sessions, widgets and windows for one test, and their end."""

from __future__ import annotations

import threading
from pathlib import Path

from PySide6.QtWidgets import QWidget

from algorithms.catalogue import builtin
from algorithms.core.learner import Learner
from algorithms.core.registry import Registry
from algorithms.data.dataset import Dataset
from tests.workbench.toy import ToyModel
from tests.workbench.window_helpers import W, Wait, activate
from workbench.app.main_window import MainWindow
from workbench.session.session import Session
from workbench.session.settings import Settings


class Stage:
    """Makes sessions, and shows what a test is about; at its end closes what was shown, then the sessions."""

    def __init__(self, folder: Path, wait_until: Wait) -> None:
        self.settings_path = folder / "settings.json"
        self._wait = wait_until
        self._shown: list[QWidget] = []
        self._sessions: list[Session] = []

    def session(
        self, data: Dataset | None = None, *learners: type[Learner], registry: Registry | None = None
    ) -> Session:
        """A session with settings of its own, over ``data`` once that is summed up; it knows these ``learners``, whose
        models are toys, besides those of the registry."""
        registry = registry or builtin()
        for learner in learners:
            registry.add_learner(learner, ToyModel)
        session = Session(registry, Settings(self.settings_path))
        self._sessions.append(session)
        if data is not None:
            self.open(session, data)
        return session

    def open(self, session: Session, data: Dataset) -> None:
        """Give the session this table, and wait until it is summed up."""
        session.set_document(data)
        self._wait(lambda: session.summary is not None)

    def show(self, widget: W, width: int, height: int, *, active: bool = False) -> W:
        """Show the widget at this size; with the keyboard, where it is to be ``active``."""
        self._shown.append(widget)
        if isinstance(widget, MainWindow) and widget.session not in self._sessions:
            self._sessions.append(widget.session)
        widget.resize(width, height)
        widget.show()
        if active:
            activate(widget, self._wait)
        return widget

    def window(self, width: int = 1280, height: int = 720, *, registry: Registry | None = None) -> MainWindow:
        """The whole window, which has the keyboard."""
        return self.show(MainWindow(self.session(registry=registry)), width, height, active=True)

    def close(self) -> None:
        """Close what was shown, without being asked what to save, and see every job and thread end."""
        for widget in reversed(self._shown):
            if isinstance(widget, MainWindow):
                widget._agreed_to_close = True
            if widget.isVisible():
                widget.close()
            widget.deleteLater()  # it is Qt's from here on: the last to let go of it does not take it down
        for session in reversed(self._sessions):
            session.close()
        if self._sessions:
            self._wait(lambda: not [each for each in threading.enumerate() if each.name.startswith("coppice")])
