"""Compiling ahead: a process of low priority fills the cache of compiled loops while the program is already usable.

``python -m algorithms.core.compiling`` compiles every kernel module that has no marker in the cache yet and writes its
marker. :func:`ensure_compiled` starts that process where needed, waits for it, and loads the modules asked for.
"""

from __future__ import annotations

import atexit
import gc
import hashlib
import importlib
import os
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from algorithms.core.context import RunContext
from algorithms.core.kernel_cache import PACKAGE, cache_folder, kernel_modules

PREPARING: Final = "Preparing the fast parts"
"""What whoever waits for compiled loops is told."""
PATIENCE: Final = 0.05
"""Seconds between two looks at whether compiling has ended."""

_loaded: set[str] = set()
_loading = threading.Lock()
_starting = threading.Lock()
_processes: list[subprocess.Popen[bytes]] = []


def kernels_ready(modules: Sequence[str] | None = None) -> bool:
    """Whether these modules (default: all) need not be compiled any more. Asks the file system; never waits."""
    return all(name in _loaded or _marker(name).exists() for name in (kernel_modules() if modules is None else modules))


def ensure_compiled(modules: Sequence[str], context: RunContext) -> None:
    """Have the kernel modules compiled and loaded, so that what comes next spends no time on it.

    Where the cache lacks one, waits for the compiling process, starting it unless it runs; where that fails, compiles
    here. Raises :class:`Cancelled` on a stop: the process goes on for the next who asks.
    """
    missing = [name for name in modules if name not in _loaded]
    if not missing:
        return
    context.say(PREPARING)
    if not kernels_ready(missing):
        _wait_for_process(missing, context.checkpoint)
    while not _loading.acquire(timeout=PATIENCE):
        context.checkpoint()
    try:
        with _uncollected():
            for name in missing:
                context.checkpoint()
                if name not in _loaded:
                    importlib.import_module(name).warm_up()
                    _marker(name).touch()
                    _loaded.add(name)
    finally:
        _loading.release()
    context.say("")


def start_compiling() -> bool:
    """Start the compiling process unless everything is compiled or it runs already; returns whether one runs.

    Never waits, so that the window can call it when it opens.
    """
    with _starting:
        if _processes and _processes[-1].poll() is None:
            return True
        if kernels_ready():
            return False
        process = _process()
        if process is None:
            return False
        _processes.append(process)
        return True


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep the garbage collector from walking over what is loaded, now and later.

    The compiler brings several hundred thousand objects that live as long as the program. Collecting among them holds
    every thread for a tenth of a second, which a person sees.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()


def _marker(module: str) -> Path:
    """The file that says this module is compiled, for this place: numba keeps the code by the path of its source.

    Without the place a second copy of the program, or one that was moved, would believe the first one's markers and
    compile unannounced.
    """
    return cache_folder() / f"{module}.{_place()}.ready"


def _place() -> str:
    """Where this copy of the program is, in a few letters."""
    return hashlib.sha256(str(PACKAGE).encode()).hexdigest()[:8]


def _process() -> subprocess.Popen[bytes] | None:
    """The compiling process, or None where none can be started."""
    if not sys.executable:
        return None
    paths = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.BELOW_NORMAL_PRIORITY_CLASS | subprocess.CREATE_NO_WINDOW
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "algorithms.core.compiling"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            creationflags=flags,
        )
    except OSError:
        return None


def _wait_for_process(modules: Sequence[str], checkpoint: Callable[[], None]) -> None:
    """Wait until the modules are compiled or the process, started where none runs, has ended."""
    if not start_compiling():
        return
    process = _processes[-1]
    while not kernels_ready(modules):
        checkpoint()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            continue
        return


@atexit.register
def stop_compiling() -> None:
    """End the compiling process, if one of this program's runs; what it has compiled stays compiled."""
    with _starting:
        for process in _processes:
            if process.poll() is None:
                process.terminate()
                process.wait()
        _processes.clear()


@contextmanager
def alone(file: Path) -> Iterator[None]:
    """Hold the lock on a file against other processes; the system frees it when the process ends."""
    with file.open("a+b") as held:
        if sys.platform == "win32":
            import msvcrt

            while True:
                try:
                    held.seek(0)
                    msvcrt.locking(held.fileno(), msvcrt.LK_NBLCK, 1)
                    break
                except OSError:
                    time.sleep(PATIENCE)
        else:
            import fcntl

            fcntl.flock(held, fcntl.LOCK_EX)
        yield


def compile_kernels(modules: Sequence[str]) -> list[str]:
    """Compile these modules into the cache, in turn, and mark each when it is done; those marked are skipped.

    Returns the traces of the modules that failed; they do not keep the others from being compiled.
    """
    failures = []
    for name in modules:
        if _marker(name).exists():
            continue
        try:
            importlib.import_module(name).warm_up()
        except Exception:  # the others can still be compiled; this one's failure is kept for the log
            failures.append(f"{name}\n{traceback.format_exc()}")
        else:
            _marker(name).touch()
    return failures


def main() -> int:
    """Compile everything at low priority, one process at a time; failures go to a file beside the compiled code."""
    if hasattr(os, "nice"):
        os.nice(10)
    with alone(cache_folder() / f"{_place()}.lock"):
        failures = compile_kernels(kernel_modules())
        if failures:
            (cache_folder() / "failures.txt").write_text("\n".join(failures), encoding="utf-8")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
