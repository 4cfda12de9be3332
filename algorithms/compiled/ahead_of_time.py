"""Ahead-of-time compilation: processes of low priority fill the kernel cache while the program is usable.

``python -m algorithms.compiled.ahead_of_time`` compiles every kernel module without a marker in the cache that no other
process is compiling, and writes its marker. :func:`ensure_compiled` starts such processes where needed, waits for them,
and loads the requested modules.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from algorithms.compiled.kernel_cache import (
    GIVEN_FOLDER,
    PACKAGE,
    READY,
    cache_folder,
    is_shipped,
    keep_current,
    kernel_modules,
    module_folder,
    needed_in_turn,
    needed_kernels,
    remove_own_folder,
)
from algorithms.core.files import Lock
from algorithms.core.run_control import RunContext, usable_cores

PREPARING: Final = "Preparing the program, once, for its first use on this computer"
"""Message while kernels are compiled."""
LOADING: Final = "Loading what calculates"
"""Message while compiled kernels are loaded."""
PATIENCE: Final = 0.05
"""Seconds between two checks whether compilation has ended."""
MOST_PROCESSES: Final = 4
"""Largest number of compiling processes, also limited by the processors; each takes some 300 MB."""

PATIENT_NICENESS: Final = 10
STACK_BYTES: Final = 16 << 20
"""Stack size of a compiling thread, since the compiler recurses deeply."""
AWAITED: Final = "awaited"
"""File in the cache that names the modules waited for; it need not be removed, since they become ready."""

_loaded: set[str] = set()
_loading = threading.Lock()
_starting = threading.Lock()
_processes: list[subprocess.Popen[bytes]] = []


def kernels_ready(modules: Sequence[str] | None = None) -> bool:
    """Whether these modules (default: all) are compiled; reads the file system and never waits."""
    return all(name in _loaded or _marker(name).exists() for name in (kernel_modules() if modules is None else modules))


def parts_ready() -> tuple[int, int]:
    """Number of compiled kernel modules, and of all; never waits."""
    modules = kernel_modules()
    return sum(kernels_ready([name]) for name in modules), len(modules)


def preparing_words() -> str:
    """:data:`PREPARING` with its progress."""
    ready, total = parts_ready()
    return f"{PREPARING}: {ready} of {total} parts ready"


def ensure_compiled(modules: Sequence[str], context: RunContext) -> None:
    """Make sure that the kernel modules are compiled and loaded.

    Missing modules are compiled by other processes, which are started unless they run, or here if they fail. Raises
    :class:`Cancelled` on a stop; the processes continue.
    """
    missing = [name for name in modules if name not in _loaded]
    if not missing:
        return
    try:
        _compile_missing(missing, context)
    finally:  # a wait that a stop ends is over, too
        context.say("")


def _compile_missing(missing: Sequence[str], context: RunContext) -> None:
    if not kernels_ready(missing):

        def tell() -> None:
            context.checkpoint()
            context.say(preparing_words(), is_waiting=True)

        tell()
        _wait_for_processes(missing, tell)
    else:
        context.say(LOADING, is_waiting=True)
    while not _loading.acquire(timeout=PATIENCE):
        context.checkpoint()
    try:
        with _uncollected():
            for name in missing:
                context.checkpoint()
                if name not in _loaded:
                    warm_up(name)
                    _mark(name)
                    _loaded.add(name)
    finally:
        _loading.release()


def warm_up(name: str) -> None:
    """Import a kernel module and compile its loops by calling them.

    A module in a folder ``kernels`` is called by the function of its name in the module ``warm_up`` beside that folder;
    without one, only other loops call it. Any other module has a function ``warm_up`` of its own.
    """
    module = importlib.import_module(name)
    family, _, kernels = name.rpartition(".kernels.")
    if not family:
        module.warm_up()
    elif call := getattr(importlib.import_module(f"{family}.warm_up"), kernels, None):
        call()


def start_compiling() -> bool:
    """Start the compiling processes unless all is compiled or one runs; returns whether any runs, without waiting."""
    with _starting:
        if _let_go_of_ended():
            return True
        if kernels_ready():
            keep_current()
            return False
        for _ in range(min(MOST_PROCESSES, usable_cores())):
            process = _process()
            if process is not None:
                _processes.append(process)
        return bool(_processes)


def is_compiling() -> bool:
    """Whether any compiling process still runs; never waits, and forgets ended ones."""
    with _starting:
        return _let_go_of_ended()


def compile_all(tell: Callable[[], None] = lambda: None) -> bool:
    """Compile everything in separate processes; returns whether all succeeded. ``tell`` is called while they run."""
    _wait_for_processes(kernel_modules(), tell)
    while is_compiling():  # they end by themselves once nothing is left to compile
        tell()
        time.sleep(PATIENCE)
    return kernels_ready()


def _let_go_of_ended() -> bool:
    """Forget the ended processes, under the lock; returns whether any still runs."""
    _processes[:] = [process for process in _processes if process.poll() is None]
    return bool(_processes)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep what the block loads out of garbage collection, which would block all threads for a visible time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()


def _marker(module: str) -> Path:
    """The file that marks this module as compiled."""
    return module_folder(module) / READY


def _mark(module: str) -> None:
    """Mark a module as compiled and in use; without write access it is compiled again another time."""
    if is_shipped(module_folder(module)):
        return
    with suppress(OSError):
        _marker(module).parent.mkdir(parents=True, exist_ok=True)
        (_marker(module).parent / "used").touch()
        _marker(module).touch()


def _process() -> subprocess.Popen[bytes] | None:
    """A new compiling process; None if none can be started."""
    if not sys.executable:
        return None
    paths = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), GIVEN_FOLDER: str(cache_folder())}
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.BELOW_NORMAL_PRIORITY_CLASS | subprocess.CREATE_NO_WINDOW
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "algorithms.compiled.ahead_of_time"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            creationflags=flags,
        )
    except OSError:
        return None


def _wait_for_processes(modules: Sequence[str], checkpoint: Callable[[], None]) -> None:
    """Wait until the modules are compiled or all processes, started if none runs, have ended."""
    with suppress(OSError):  # the compiling processes take the latest request first
        cache_folder().mkdir(parents=True, exist_ok=True)
        (cache_folder() / AWAITED).write_text("\n".join(modules), encoding="utf-8")
    if not start_compiling():
        return
    while not kernels_ready(modules):
        checkpoint()
        with _starting:  # whoever holds it may replace the list
            running = next((process for process in _processes if process.poll() is None), None)
        if running is None:
            return
        with suppress(subprocess.TimeoutExpired):
            running.wait(PATIENCE)


@atexit.register
def stop_compiling() -> None:
    """End the compiling processes of this program; finished modules stay compiled."""
    with _starting:
        for process in _processes:
            if process.poll() is None:
                process.terminate()
                process.wait()
        _processes.clear()
    remove_own_folder()


@contextmanager
def claimed(file: Path) -> Iterator[bool]:
    """Hold the lock on a file during the block; yields False if another process holds it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    lock = Lock(file)
    try:
        yield lock.acquire()
    finally:
        lock.release()


def compile_kernels(modules: Sequence[str]) -> list[str]:
    """Compile and mark these modules; returns the names of those that failed.

    A module waits for those of ``modules`` that it calls, and is skipped while another process compiles it. A failure
    leaves its trace in a file of the module's folder and does not stop the others. Modules waited for come first, at
    normal priority; the rest have low priority.
    """
    waiting, failed = list(modules), []
    while waiting:
        waiting = [name for name in waiting if not _marker(name).exists()]
        free, awaited = [name for name in waiting if not set(needed_kernels(name)) & set(waiting)], _awaited()
        for name in sorted(free, key=lambda name: name not in awaited):
            with claimed(module_folder(name) / "lock") as is_mine:
                if not is_mine or _marker(name).exists():
                    continue
                if not (_compile(name) if name in awaited else _compile_patiently(name)):
                    failed.append(name)
                    waiting.remove(name)
                break
        else:
            time.sleep(PATIENCE)
    return failed


def _awaited() -> set[str]:
    """The uncompiled modules waited for, with those they call."""
    try:
        names = (cache_folder() / AWAITED).read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError):
        return set()
    modules = set(kernel_modules())
    asked = {name for name in names if name in modules and not _marker(name).exists()}
    return asked.union(*map(needed_in_turn, asked))


def _compile_patiently(name: str) -> bool:
    """:func:`_compile` in a thread of low priority; a thread, since the next module may be urgent."""
    if sys.platform != "linux":
        return _compile(name)

    def give_way() -> None:
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), PATIENT_NICENESS)

    with ThreadPoolExecutor(1, initializer=give_way) as thread:
        return thread.submit(_compile, name).result()


def _compile(name: str) -> bool:
    """Compile and mark one module; on failure store the trace and return False."""
    failure = module_folder(name) / "failure.txt"
    try:
        warm_up(name)
    except Exception:  # the others can still be compiled; the trace is kept for the log
        failure.write_text(traceback.format_exc(), encoding="utf-8")
        return False
    failure.unlink(missing_ok=True)
    _mark(name)
    return True


def main() -> int:
    """Compile everything, at low priority unless it is waited for; returns 1 if a module failed.

    Only Linux has niceness per thread; elsewhere the whole process has low priority.
    """
    gc.set_threshold(50_000, 20)  # the compiler makes many objects and little garbage
    if sys.platform == "linux":
        threading.stack_size(STACK_BYTES)
    elif hasattr(os, "nice"):
        os.nice(PATIENT_NICENESS)
    return 1 if compile_kernels(kernel_modules()) else 0


if __name__ == "__main__":
    sys.exit(main())
