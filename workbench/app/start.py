"""Entry point of ``coppice``: a verb runs the command line, else a window opens if Qt's system libraries are there."""

from __future__ import annotations

import builtins
import ctypes
import gc
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from workbench.app.main_window import MainWindow
    from workbench.autosave.recovery import Recovery


Finder = Callable[[str], bool]

LIBRARIES: Final[Mapping[str, str]] = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1",
}
"""Libraries that Qt needs, each with its Debian and Ubuntu package."""

X11_LIBRARIES: Final[Mapping[str, str]] = {
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb.so.1": "libxcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
"""Further libraries for a window on an X display."""

WAYLAND_LIBRARIES: Final[Mapping[str, str]] = {
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
}


def can_load(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def what_is_missing(
    find: Finder = can_load, environment: Mapping[str, str] = os.environ, platform: str = sys.platform
) -> str | None:
    """One line on why no window can open and what to install; None where one can."""
    if not platform.startswith("linux"):
        return None
    chosen = environment.get("QT_QPA_PLATFORM", "").partition(":")[0]
    needed = dict(LIBRARIES)
    if chosen in ("", "xcb", "wayland"):
        wayland, x11 = _wayland_socket(environment), environment.get("DISPLAY", "")
        if not wayland and not x11:
            return (
                "There is no display to open a window on (neither DISPLAY nor WAYLAND_DISPLAY is set). "
                "Without one, use the command line: coppice evaluate --help"
            )
        if not (wayland and all(find(name) for name in WAYLAND_LIBRARIES)):
            needed.update(X11_LIBRARIES if x11 else WAYLAND_LIBRARIES)
    packages = [package for name, package in needed.items() if not find(name)]
    if packages:
        return f"Libraries that a window needs are missing. Install them with: sudo apt install {' '.join(packages)}"
    display = environment.get("DISPLAY", "")
    if "libxcb.so.1" in needed and not x11_answers(display):
        return f"The display {display} does not answer, so no window can open on it."
    return None


def missing_package(error: ImportError) -> str:
    """One line for a failed import of Qt."""
    library = str(error).partition(":")[0].strip()
    package = {**LIBRARIES, **X11_LIBRARIES, **WAYLAND_LIBRARIES}.get(library)
    if package:
        return f"A library that a window needs is missing. Install it with: sudo apt install {package}"
    return f"Qt, which draws the window, cannot be loaded ({error})."


def _wayland_socket(environment: Mapping[str, str]) -> bool:
    name, folder = environment.get("WAYLAND_DISPLAY", ""), environment.get("XDG_RUNTIME_DIR", "")
    return bool(name) and (Path(folder) / name).exists()


def x11_answers(display: str) -> bool:
    """Whether an X display of this name accepts a connection."""
    xcb = ctypes.CDLL("libxcb.so.1")
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(display.encode(), None))
    answers = xcb.xcb_connection_has_error(connection) == 0
    xcb.xcb_disconnect(connection)
    return bool(answers)


KEPT: Final = "kept"
"""Folder of the journals, in the folder of the log."""
OPEN: Final = "open"
"""Folder of the locks of open projects, beside it."""
SAMPLE: Final = "sample:"
SWITCH_SECONDS: Final = 0.0005
"""Longest time a worker holds the interpreter while the window waits for it."""


def run(argv: list[str] | None = None) -> int:
    """Open the window, with the file or ``sample:NAME`` of ``argv`` in it; returns the exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    if arguments and is_for_the_command_line(arguments[0]):
        from algorithms.cli import main

        return main(arguments)
    gc.disable()  # nearly all objects of the start stay; a collector of its own takes over then
    missing = what_is_missing()
    if missing is not None:
        sys.stderr.write(f"{missing}\n")
        return 1
    try:
        load_qt()
    except ImportError as error:
        sys.stderr.write(f"{missing_package(error)}\n")
        return 1
    return _run_window(arguments)


def load_qt() -> None:
    """Load Qt; raises :class:`ImportError`.

    PySide6 then looks for its ``__feature__`` switches in the source of each imported module, which is an eighth of
    the start. Coppice uses none, so Python's own import comes back.
    """
    from PySide6 import QtSvg, QtWidgets  # noqa: F401 - the import is what may fail

    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)


def is_for_the_command_line(word: str) -> bool:
    """Whether the word is a verb, an option, or a bare word without a file, which the command line reports."""
    return word.startswith("-") or (word.replace("-", "").isalpha() and not Path(word).exists())


def _run_window(arguments: list[str]) -> int:
    from PySide6.QtWidgets import QApplication

    from workbench.app.background_preparation import AfterFirstPaint
    from workbench.app.crash_reports import CrashFunnel, end_now, end_on_signals
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
    if not ended:  # a thread hangs in a file or a library, and the interpreter would wait for it
        end_now(code)
    return code


def make_window(app: QApplication) -> MainWindow:
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
    """Start autosave into a journal in ``folder``; returns the recovery of journals left there."""
    from workbench.autosave.autosave import Autosave
    from workbench.autosave.recovery import OpenProject, Recovery

    session = window.session
    OpenProject(session, folder.parent / OPEN)
    return Recovery(session, Autosave(session, folder), folder, window.files.unless_lost)


def open_argument(window: MainWindow, argument: str) -> None:
    """Open the argument of the command line: a file, or ``sample:NAME``."""
    if argument.startswith(SAMPLE):
        window.open_sample(argument.removeprefix(SAMPLE))
    else:
        window.open_file(argument)


def settle(window: MainWindow) -> None:
    """Does what can wait for the first paint: workers yield sooner, kernels compile, a timer collects garbage."""
    from workbench.app.background_preparation import CompilingNote
    from workbench.jobs.jobs import GarbageCollector
    from workbench.style.motion import follow_desktop

    follow_desktop(window)
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.disable()
    collector = GarbageCollector(window)
    window.warm_up(then=collector.begin)
    CompilingNote(window.session.jobs, window.strip.show_background, window).begin()
    window.prepare()
