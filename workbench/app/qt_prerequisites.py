"""Whether the system has what Qt needs, asked before Qt is: where something is missing, Qt ends the whole process.

Imports nothing of Qt, as that import itself may be what fails.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

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
"""What Qt's own libraries need, and the Debian and Ubuntu package that has it."""

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
"""What a window on an X display needs besides."""

WAYLAND_LIBRARIES: Final[Mapping[str, str]] = {
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
}


def can_load(library: str) -> bool:
    """Whether the system's loader finds the library."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def what_is_missing(
    find: Finder = can_load, environment: Mapping[str, str] = os.environ, platform: str = sys.platform
) -> str | None:
    """One line that says why no window can open and what to install; None where one can."""
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
    """One line for an import of Qt that failed."""
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
