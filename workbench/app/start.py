"""The way in: the command ``coppice``. A verb goes to the command line, anything else opens the window.

Nothing of Qt is imported before it is known that the system can open a window.
"""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.app.qt_prerequisites import missing_package, what_is_missing

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from workbench.app.main_window import MainWindow
    from workbench.autosave.recovery import Recovery

KEPT: Final = "kept"
"""The folder of the journals, in that of the log."""
OPEN: Final = "open"
"""The folder of the locks of the projects that windows have open, beside it."""
SAMPLE: Final = "sample:"
WITHOUT_QT: Final = (
    "algorithms.learners.bayes.edits",
    "algorithms.catalogue",
    "algorithms.data.editing",
    "algorithms.core.registry",
    "algorithms.filters.step_effects",
    "algorithms.learners.rules.edits",
    "algorithms.learners.trees.edits",
)
"""What the window needs and knows nothing of Qt comes first: PySide6 reads the source of each module imported later."""
SWITCH_SECONDS: Final = 0.0005
"""How long a worker may hold the interpreter while the window waits for it."""


def run(argv: list[str] | None = None) -> int:
    """Open the window, with the file or ``sample:NAME`` of ``argv`` in it; returns the exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    if arguments and is_for_the_command_line(arguments[0]):
        from algorithms.cli import main

        return main(arguments)
    gc.disable()  # nearly all that is made before the window stands stays; then a collector of its own goes on
    missing = what_is_missing()
    if missing is not None:
        sys.stderr.write(f"{missing}\n")
        return 1
    for name in WITHOUT_QT:
        import_module(name)
    try:
        from PySide6 import QtSvg, QtWidgets  # noqa: F401 - the import is what may fail
    except ImportError as error:
        sys.stderr.write(f"{missing_package(error)}\n")
        return 1
    return _run_window(arguments)


def is_for_the_command_line(word: str) -> bool:
    """A verb, an option, or a bare word that is no file: the command line knows what to say to it."""
    return word.startswith("-") or (word.replace("-", "").isalpha() and not Path(word).exists())


def _run_window(arguments: list[str]) -> int:
    from PySide6.QtWidgets import QApplication

    from workbench.app.crash_reports import CrashFunnel, end_now, end_on_signals
    from workbench.app.preparation import AfterFirstPaint
    from workbench.session.settings import state_folder

    app = QApplication(["coppice"])
    end_on_signals(app)
    app.setApplicationName("coppice")
    app.setApplicationDisplayName("")
    funnel = CrashFunnel(state_folder())
    funnel.install()
    window = make_window(app)
    window.session.jobs.crashed.connect(funnel.report)
    AfterFirstPaint(window, lambda: settle(window))
    window.show()
    if arguments:
        open_argument(window, arguments[0])
    keep(window, state_folder() / KEPT).begin(at_once=not arguments)
    ended, code = False, 1
    try:
        code = app.exec()
    finally:
        ended = window.session.close()
        funnel.uninstall()
    if not ended:  # a thread hangs, in a file or a library: the interpreter would wait for it
        end_now(code)
    return code


def make_window(app: QApplication) -> MainWindow:
    """The window over this person's settings, in the theme they chose."""
    from PySide6.QtGui import QIcon

    from workbench.app.main_window import MainWindow
    from workbench.session.session import Session
    from workbench.session.settings import Settings
    from workbench.style.theme import LIGHT, SYSTEM, themes
    from workbench.widgets.buttons import pixmap

    settings = Settings.of_this_person()
    themes.install(app, settings.get("theme", SYSTEM), settings.get("text_scale", 1.0))
    app.setWindowIcon(QIcon(pixmap("logo", LIGHT.color("good"), 64)))
    window = MainWindow(Session(settings=settings))
    for problem in settings.problems:
        window.session.messages.warn(problem)
    return window


def keep(window: MainWindow, folder: Path) -> Recovery:
    """Keep what the window holds in a journal in ``folder``; what comes back brings what was left there before."""
    from workbench.autosave.autosave import Autosave
    from workbench.autosave.open_projects import OpenProject
    from workbench.autosave.recovery import Recovery

    session = window.session
    OpenProject(session, folder.parent / OPEN)
    return Recovery(session, Autosave(session, folder), folder, window.files.unless_lost)


def open_argument(window: MainWindow, argument: str) -> None:
    """Open what stands on the command line: a file, or ``sample:NAME``."""
    if argument.startswith(SAMPLE):
        window.open_sample(argument.removeprefix(SAMPLE))
    else:
        window.open_file(argument)


def settle(window: MainWindow) -> None:
    """Once the window stands: workers yield to it sooner, kernels compile, and when all is imported garbage is
    collected in the window's thread."""
    from workbench.app.preparation import CompilingNote
    from workbench.jobs.worker_threads import GarbageCollector

    sys.setswitchinterval(SWITCH_SECONDS)
    gc.disable()
    collector = GarbageCollector(window)
    window.warm_up(then=collector.begin)
    CompilingNote(window.session.jobs, window.strip.show_background, window).begin()
    window.prepare()
