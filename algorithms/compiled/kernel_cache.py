"""Cache of compiled kernels between starts; does not import numba, so that queries are cheap.

The cache is a folder that only the user can read, since it holds pickles. numba stores code by the path of its source
and does not notice changes in other files. Therefore each kernel module has its own folder, named by a hash of its
source and all sources it depends on. A second installation shares the compiled code, and an edit recompiles only what
depends on it. The folder around them is named by the relevant versions. Folders unused for long are removed.

A package may ship such folders (see :func:`shipped_folder`); what is in them is only read.
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
"""Cache locators of numba: ours for the package, its own for anything else."""

FORGOTTEN_AFTER: Final = 14 * 86400.0
"""Seconds without use after which another version's folder is removed."""

GIVEN_FOLDER: Final = "COPPICE_KERNEL_CACHE"
"""Environment variable with the cache folder, for a compiling process."""

SHIPPED_FOLDER: Final = "COPPICE_KERNELS"
"""Environment variable with a folder of shipped kernels, instead of the one in this package."""

READY: Final = "ready"
"""File in a module's folder once all its kernels are compiled."""

PROCESSOR_LEVEL: Final = "x86-64-v3"
"""Target of the compiler on x86 processors that have AVX2 (2013 or later). Code for it can be shipped."""

JIT: Final = "algorithms.compiled.jit"
"""The module with loops of its own that no kernel module names."""

_own_folders: list[Path] = []

IMPORTED: Final = re.compile(r"^from (algorithms(?:\.\w+)+) import ", re.MULTILINE)
"""Import of another module of the package, which kernel modules have at the head of the file in this form."""


NEEDED_LATER: Final = ("binned", "binning", "oblique")
"""Prefixes of kernel files that are rarely needed first and take longest to compile; they come last."""


@cache
def kernel_modules() -> tuple[str, ...]:
    """All kernel modules in the order of compilation: trees, then others, those that most others call first."""
    files = sorted(PACKAGE.rglob("*kernels.py"))
    names = [".".join((PACKAGE.name, *file.relative_to(PACKAGE).with_suffix("").parts)) for file in files]
    needed = {name: needed_in_turn(name) for name in names}
    waited_for = {name: sum(name in others for others in needed.values()) for name in names}
    ranks = [(file.name.startswith(NEEDED_LATER), "trees" not in file.parts) for file in files]
    order = sorted(zip(ranks, names, strict=True), key=lambda ranked: (ranked[0], -waited_for[ranked[1]]))
    return tuple(name for _, name in order)


def needed_in_turn(module: str) -> set[str]:
    """The kernel modules that ``module`` calls directly or indirectly."""
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
    """The source of a module; empty if it is no file of the package."""
    file = _source(module)
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def needed_kernels(module: str) -> tuple[str, ...]:
    """The kernel modules that ``module`` calls directly."""
    return tuple(name for name in dict.fromkeys(IMPORTED.findall(_text(module))) if name.endswith("kernels"))


@cache
def _digest(module: str) -> str:
    """Hash of the sources of ``module``, of the kernels it calls, and of the files of its constants."""
    digest = hashlib.sha256(f"{module}\n{_text(module)}".encode())
    for name in sorted(set(IMPORTED.findall(_text(module)))):
        digest.update((_digest(name) if name.endswith("kernels") else _text(name)).encode())
    return digest.hexdigest()[:16]


def _versions() -> str:
    """Hash of the versions and the platform on which compiled code depends."""
    from importlib.metadata import PackageNotFoundError, version  # late: the start of the window does without

    digest = hashlib.sha256()
    for package in ("numba", "llvmlite", "numpy"):
        try:
            digest.update(f"{package} {version(package)}".encode())
        except PackageNotFoundError:
            digest.update(f"{package} unknown".encode())
    digest.update(f"{sys.implementation.cache_tag} {platform.machine()} {platform.system()} {processor()}".encode())
    return digest.hexdigest()[:20]


@cache
def processor() -> str:
    """The processor to compile for: a level that many have, or empty for exactly this one."""
    if given := os.environ.get("NUMBA_CPU_NAME"):
        return given
    return PROCESSOR_LEVEL if platform.machine().lower() in ("x86_64", "amd64") and _has_avx2() else ""


def _has_avx2() -> bool:
    """Whether this x86 processor has AVX2 and what came with it; False where the system does not tell."""
    try:
        if sys.platform == "win32":
            import ctypes

            return bool(ctypes.windll.kernel32.IsProcessorFeaturePresent(40))  # PF_AVX2_INSTRUCTIONS_AVAILABLE
        if sys.platform == "linux":
            flags = re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(encoding="ascii"), re.MULTILINE)
            return flags is not None and {"avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"} <= set(
                flags[1].split()
            )
    except (OSError, AttributeError, UnicodeDecodeError):
        pass
    return False


def user_cache_folder() -> Path:
    """The cache folder of the platform for this program."""
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "Coppice" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "Coppice"
    given = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(given) if Path(given).is_absolute() else Path.home() / ".cache") / "coppice"


def _private_folder(folder: Path) -> Path:
    """The folder, created if absent, readable by its owner alone; raises ``OSError`` if it belongs to another user."""
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
    """Remove all folders of ``kernels`` but ``current`` that no process used for :data:`FORGOTTEN_AFTER` seconds."""
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
    """The cache folder of this version: that of :data:`GIVEN_FOLDER`, or a temporary one if it cannot be written."""
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
    """Remove the temporary folder of this process, if any."""
    while _own_folders:
        shutil.rmtree(_own_folders.pop(), ignore_errors=True)


@cache
def shipped_folder() -> Path | None:
    """The folder of shipped kernels for these versions and this processor; None without one."""
    folder = Path(os.environ.get(SHIPPED_FOLDER) or PACKAGE / "compiled" / "shipped") / _versions()
    return folder if folder.is_dir() else None


def module_folder(module: str) -> Path:
    """The folder of the compiled code of a module, which need not exist: the shipped one where it is complete."""
    name, shipped = f"{module}-{_digest(module)}", shipped_folder()
    return shipped / name if shipped is not None and (shipped / name / READY).exists() else cache_folder() / name


def is_shipped(folder: Path) -> bool:
    """Whether the folder of a module is a shipped one, which is only read."""
    return folder.parent == shipped_folder()


def ship_kernels(folder: Path) -> Path:
    """Copy the compiled kernels of all modules into ``folder`` for :data:`SHIPPED_FOLDER`; returns their folder.

    A module counts as shipped once its copy is complete. Copies of other sources are removed. Raises ``OSError`` if the
    folder cannot be written.
    """
    target = folder / _versions()
    sources = [source for module in (JIT, *kernel_modules()) if (source := module_folder(module)).is_dir()]
    target.mkdir(parents=True, exist_ok=True)
    for other in target.iterdir():
        if other.name not in {source.name for source in sources}:
            shutil.rmtree(other)
    for source in sources:
        copy, part = target / source.name, target / f"{source.name}.part"
        if source != copy:
            shutil.copytree(source, part, ignore=shutil.ignore_patterns("lock", READY))
            shutil.rmtree(copy, ignore_errors=True)
            (part / READY).touch()
            part.rename(copy)
    return target


def is_kept() -> bool:
    """Whether the cache folder outlives this process."""
    return cache_folder() not in _own_folders


def keep_current() -> None:
    """Mark the folders of this version's modules as used, and remove those unused for long."""
    folder, others = cache_folder(), list[Path]()
    for module in (JIT, *kernel_modules()):
        with suppress(OSError):  # removed or not writable: the code is compiled again when needed
            if module_folder(module).is_dir() and not is_shipped(module_folder(module)):
                (module_folder(module) / "used").touch()
    with suppress(OSError):
        others = [*folder.iterdir()]
    for other in others:
        if other.is_dir():
            _remove_if_forgotten(other)
