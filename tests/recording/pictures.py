"""Pictures of every page of the window in both themes, and their comparison pixel by pixel.

They are taken without a display, of the recorded project, whose runs keep the times they took: so no clock is in them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor, QImage
from PySide6.QtWidgets import QApplication, QComboBox, QPushButton

from algorithms.catalogue import builtin
from tests.recording.differences import Difference
from tests.recording.projects import open_project
from tests.scripted_session import turn
from workbench.app.main_window import MainWindow
from workbench.session.session import Session
from workbench.session.settings import Settings
from workbench.style.theme import DARK_NAME, LIGHT_NAME, themes

SIZE: Final = (1280, 800)
SUFFIX: Final = ".png"
STILL: Final = 3
"""A page has come to rest that looks the same so many times in a row."""
PATIENCE: Final = 200
PREPROCESS, CLASSIFY, EVALUATE, VISUALIZE = range(4)


def take_pictures(folder: Path, project: Path) -> list[Path]:
    """Take all of them into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    application = QApplication.instance() or QApplication(["recording"])
    assert isinstance(application, QApplication)
    application.setCursorFlashTime(0)
    themes.install(application, LIGHT_NAME)
    QCursor.setPos(QPoint(1, 1))
    window = MainWindow(Session(builtin(), Settings()))
    window.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    window.resize(*SIZE)
    window.show()
    taken = []
    for name in _pages(window, project):
        for theme in (LIGHT_NAME, DARK_NAME):
            themes.choose(theme)
            path = folder / f"{name}-{theme}{SUFFIX}"
            at_rest(window).save(str(path))
            taken.append(path)
        themes.choose(LIGHT_NAME)
    window.hide()
    window.session.close()
    return taken


def _pages(window: MainWindow, project: Path) -> Iterator[str]:
    """Brings each page into view and yields its name."""
    yield "start"
    open_project(window.session, project)
    yield from pages_of_table(window)


def pages_of_table(window: MainWindow) -> Iterator[str]:
    """Brings each page that shows the table and its runs into view and yields its name."""
    session = window.session
    window.show_tab(PREPROCESS)
    yield "preprocess"
    window.show_tab(CLASSIFY)
    yield "classify"
    window.show_tab(EVALUATE)
    turn(after(20))  # the tab is made when it is first shown
    pages = names_of_visible(window, "evaluate.page.")
    for name in pages[:-1]:
        window.findChild(QPushButton, name).click()
        yield name.replace(".", "-")
    window.findChild(QPushButton, pages[-1]).click()
    analyses = window.findChild(QComboBox, "evaluate.analysis")  # the views of the last page, Diagnostics
    for index in range(analyses.count()):
        analyses.setCurrentIndex(index)
        analyses.activated.emit(index)
        yield f"evaluate-view-{analyses.itemText(index).lower().replace(' ', '-')}"
    window.show_tab(VISUALIZE)
    for run in session.runs:
        session.set_current_run(run)
        turn(after(20))
        for name in names_of_visible(window, "visualize.page."):
            window.findChild(QPushButton, name).click()
            yield f"visualize-{run.number:02}-{run.learner.id}-{name.rpartition('.')[2]}"


def names_of_visible(window: MainWindow, beginning: str) -> list[str]:
    """Object names of the visible buttons whose name begins like this."""
    buttons = [button for button in window.findChildren(QPushButton) if button.isVisible()]
    return [button.objectName() for button in buttons if button.objectName().startswith(beginning)]


def at_rest(window: MainWindow, still: int = STILL) -> QImage:
    """The window once nothing works and it looks the same several times in a row."""
    last: list[QImage] = []
    for _ in range(PATIENCE):
        turn(lambda: not window.session.jobs.running and not window.session.turns.is_busy)
        image = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
        if last and image != last[-1]:
            last.clear()
        last.append(image)
        if len(last) >= still:
            return image
        turn(after(20))
    raise RuntimeError("the window does not come to rest")


def at_work(window: MainWindow) -> QImage:
    """The window shortly after work began that goes on."""
    turn(after(200))
    return window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def after(turns: int) -> Callable[[], bool]:
    """True after so many turns of the event loop."""
    left = iter(range(turns))
    return lambda: next(left, None) is None


def picture_differences(before: Path, now: Path) -> list[Difference]:
    """The pictures of two folders that are not the same, with the number of pixels and where they lie."""
    names = sorted({path.name for folder in (before, now) for path in folder.glob(f"*{SUFFIX}")})
    found = (_picture_difference(name, before / name, now / name) for name in names)
    return [difference for difference in found if difference is not None]


def _picture_difference(name: str, before: Path, now: Path) -> Difference | None:
    if not before.exists() or not now.exists():
        return Difference(name, *("a picture" if path.exists() else "absent" for path in (before, now)))
    one, other = _pixels(before), _pixels(now)
    if one.shape != other.shape:
        return Difference(name, str(one.shape), str(other.shape))
    rows, columns = np.nonzero((one != other).any(axis=2))
    if not len(rows):
        return None
    box = f"x {columns.min()} to {columns.max()}, y {rows.min()} to {rows.max()}"
    return Difference(name, str(before), f"{now}: {len(rows)} pixels differ, {box}")


def _pixels(path: Path) -> np.ndarray:
    image = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB32)
    bits = np.frombuffer(image.constBits(), np.uint8)
    return bits.reshape(image.height(), image.bytesPerLine() // 4, 4)[:, : image.width(), :3].copy()
