"""Where compiled code is kept between starts. Knows nothing of numba, so that asking costs nothing.

It is the user's own cache folder, readable by them alone, since it holds pickles. numba notices a change in the file
of a kernel but not in that of a helper the kernel calls, so the folder's name carries a hash over all kernel sources
and the versions that matter. Folders that no installation has used for a while are removed.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import stat
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).parent.parent
"""The folder of the package ``algorithms``."""

FORGOTTEN_AFTER: Final = 14 * 86400.0
"""Seconds without use after which another version's folder is removed."""


NEEDED_LATER: Final = ("binned", "binning", "oblique")
"""Compiled loops whose files begin so are for what few ask for first; they take longest to compile, and come last."""


def kernel_files() -> list[Path]:
    """The source files of all compiled loops: those of the trees first, what is rarely needed first last."""
    files = sorted(PACKAGE.rglob("*kernels.py"))
    return sorted(files, key=lambda file: (file.name.startswith(NEEDED_LATER), file.parent.name != "trees"))


def kernel_modules() -> tuple[str, ...]:
    """The names of all modules of compiled loops, in the order in which they are compiled."""
    return tuple(".".join((PACKAGE.name, *file.relative_to(PACKAGE).with_suffix("").parts)) for file in kernel_files())


def _fingerprint() -> str:
    """Hash over everything on which the compiled code depends and that numba does not check itself."""
    from importlib.metadata import PackageNotFoundError, version  # late: the start of the window does without

    digest = hashlib.sha256()
    for file in [*sorted(kernel_files()), Path(__file__).with_name("jit.py")]:
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
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
    for other in kernels.iterdir():
        try:
            used = (other / "used").stat().st_mtime
        except OSError:
            used = other.lstat().st_mtime
        if other != current and other.is_dir() and time.time() - used > FORGOTTEN_AFTER:
            shutil.rmtree(other, ignore_errors=True)


@cache
def cache_folder() -> Path:
    """Where this version's compiled code is; a folder for this process alone where the user's cannot be written."""
    try:
        kernels = _private_folder(user_cache_folder() / "kernels")
        current = _private_folder(kernels / _fingerprint())
        remove_forgotten(kernels, current)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="coppice-kernels-"))
    return current
