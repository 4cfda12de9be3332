"""Where compiled code is kept between starts. Knows nothing of numba, so that asking costs nothing.

It is the user's own cache folder, readable by them alone, since it holds pickles. numba keeps code by the path of its
source and does not notice a change in a helper of another file. So each module of compiled loops has a folder of its
own, whose name carries a hash over its source and all sources it draws on: a second copy of the program finds what the
first one compiled, and after an edit only what depends on it is compiled anew. The versions that matter name the folder
around them. Folders that no installation has used for a while are removed.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import stat
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).parent.parent
"""The folder of the package ``algorithms``."""

LOCATORS: Final = "algorithms.compiled.kernel_locator.KernelLocator,UserProvidedCacheLocator"
"""Who tells numba where compiled code is kept: ours for the package, its own for anything else."""

FORGOTTEN_AFTER: Final = 14 * 86400.0
"""Seconds without use after which another version's folder is removed."""

GIVEN_FOLDER: Final = "COPPICE_KERNELS"
"""The variable of the environment that names the folder to a process that compiles for another one."""

_own_folders: list[Path] = []

IMPORTED: Final = re.compile(r"^from (algorithms(?:\.\w+)+) import ", re.MULTILINE)
"""How a module of compiled loops names another module of the package: always at the head of the file, in this form."""


NEEDED_LATER: Final = ("binned", "binning", "oblique")
"""Compiled loops whose files begin so are for what few ask for first; they take longest to compile, and come last."""


def kernel_files() -> list[Path]:
    """The source files of all compiled loops: those of the trees first, what is rarely needed first last."""
    files = sorted(PACKAGE.rglob("*kernels.py"))
    return sorted(files, key=lambda file: (file.name.startswith(NEEDED_LATER), "trees" not in file.parts))


@cache
def kernel_modules() -> tuple[str, ...]:
    """The names of all modules of compiled loops, in the order in which they are compiled.

    Of those of the trees, and of the others, the loops that most others wait for come first.
    """
    files = kernel_files()
    names = [".".join((PACKAGE.name, *file.relative_to(PACKAGE).with_suffix("").parts)) for file in files]
    needed = {name: needed_in_turn(name) for name in names}
    waited_for = {name: sum(name in others for others in needed.values()) for name in names}
    ranks = [(file.name.startswith(NEEDED_LATER), "trees" not in file.parts) for file in files]
    order = sorted(zip(ranks, names, strict=True), key=lambda ranked: (ranked[0], -waited_for[ranked[1]]))
    return tuple(name for _, name in order)


def needed_in_turn(module: str) -> set[str]:
    """The modules of compiled loops that ``module`` calls, and those that they call in turn."""
    needed: set[str] = set()
    waiting = list(needed_kernels(module))
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += needed_kernels(name)
    return needed


def _source(module: str) -> Path:
    return PACKAGE.parent.joinpath(*module.split(".")).with_suffix(".py")


@cache
def _text(module: str) -> str:
    """The source of a module; empty for one that is no file of the package."""
    file = _source(module)
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def needed_kernels(module: str) -> tuple[str, ...]:
    """The modules of compiled loops whose loops those of ``module`` call directly."""
    return tuple(name for name in dict.fromkeys(IMPORTED.findall(_text(module))) if name.endswith("kernels"))


@cache
def _digest(module: str) -> str:
    """Hash over the sources on which the compiled code of ``module`` depends.

    Those are its own, those of the loops it calls and in turn of theirs, and the files from which it takes constants,
    which are frozen into the code.
    """
    digest = hashlib.sha256(f"{module}\n{_text(module)}".encode())
    for name in sorted(set(IMPORTED.findall(_text(module)))):
        digest.update((_digest(name) if name.endswith("kernels") else _text(name)).encode())
    return digest.hexdigest()[:16]


def _versions() -> str:
    """Hash over what compiled code depends on besides its sources."""
    from importlib.metadata import PackageNotFoundError, version  # late: the start of the window does without

    digest = hashlib.sha256()
    for package in ("numba", "llvmlite", "numpy"):
        try:
            digest.update(f"{package} {version(package)}".encode())
        except PackageNotFoundError:
            digest.update(f"{package} unknown".encode())
    digest.update(f"{sys.version} {platform.machine()} {platform.system()}".encode())
    return digest.hexdigest()[:20]


def user_cache_folder() -> Path:
    """Where this platform keeps what a program may make anew at any time, for this program."""
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "Coppice" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "Coppice"
    given = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(given) if Path(given).is_absolute() else Path.home() / ".cache") / "coppice"


def _private_folder(folder: Path) -> Path:
    """The folder, made where it is absent, readable by its owner alone; raises ``OSError`` where it is another's."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if sys.platform != "win32":
        if folder.stat().st_uid != os.getuid():
            raise PermissionError(f"{folder} belongs to somebody else")
        folder.chmod(stat.S_IRWXU)
    probe = folder / f"used-{os.getpid()}"
    probe.touch()
    probe.replace(folder / "used")
    return folder


def remove_forgotten(kernels: Path, current: Path) -> None:
    """Remove the folders beside ``current`` that nothing has used for :data:`FORGOTTEN_AFTER` seconds."""
    for other in [*kernels.iterdir()]:
        if other != current and other.is_dir():
            _remove_if_forgotten(other)


def _remove_if_forgotten(folder: Path) -> None:
    try:
        used = (folder / "used" if (folder / "used").exists() else folder).lstat().st_mtime
    except OSError:  # another process removed it this very moment
        return
    if time.time() - used > FORGOTTEN_AFTER:
        shutil.rmtree(folder, ignore_errors=True)


@cache
def cache_folder() -> Path:
    """Where this version's compiled code is; a folder for this process alone where the user's cannot be written.

    The processes that compile for another one are told its folder by :data:`GIVEN_FOLDER`.
    """
    given = os.environ.get(GIVEN_FOLDER)
    try:
        if given:
            return _private_folder(Path(given))
        kernels = _private_folder(user_cache_folder() / "kernels")
        current = _private_folder(kernels / _versions())
        remove_forgotten(kernels, current)
    except OSError:
        own = Path(tempfile.mkdtemp(prefix="coppice-kernels-"))
        _own_folders.append(own)
        return own
    return current


def remove_own_folder() -> None:
    """Remove the folder that was made for this process alone, if there is one; nobody else would find it again."""
    while _own_folders:
        shutil.rmtree(_own_folders.pop(), ignore_errors=True)


def module_folder(module: str) -> Path:
    """Where the compiled code of one module is; the folder need not exist yet."""
    return cache_folder() / f"{module}-{_digest(module)}"


def keep_current() -> None:
    """Note that the folders of this version's modules are in use, and remove those that nothing has used for long."""
    folder, others = cache_folder(), list[Path]()
    for module in ("algorithms.compiled.jit", *kernel_modules()):
        with suppress(OSError):  # removed, or not to be written: then the code is made anew when it is needed
            if module_folder(module).is_dir():
                (module_folder(module) / "used").touch()
    with suppress(OSError):
        others = [*folder.iterdir()]
    for other in others:
        if other.is_dir():
            _remove_if_forgotten(other)
