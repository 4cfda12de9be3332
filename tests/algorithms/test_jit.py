"""Compiled loops: they see a stop, they are kept where only their owner can read them, and they are made ahead."""

from __future__ import annotations

import ast
import importlib
import os
import shutil
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from algorithms.compiled import ahead_of_time, kernel_cache
from algorithms.compiled.ahead_of_time import PREPARING, ensure_compiled, kernels_ready, start_compiling, stop_compiling
from algorithms.compiled.jit import called_by_loops, compiled, passed_by_reference, stop_word
from algorithms.core.errors import Cancelled
from algorithms.core.run_control import CANCEL, DONE, STOP, RunContext
from tests.expected_texts import core as core_wording
from tests.waiting import wait_until

ROOT = kernel_cache.PACKAGE.parent


@compiled
def _until_stopped(control: np.ndarray) -> int:
    turns, control[DONE] = 0, 1
    while stop_word(control) == 0:
        turns += 1
    return turns


def test_a_loop_sees_the_stop_word_while_it_runs() -> None:
    _until_stopped(np.ones(3, dtype=np.int64))
    control = np.zeros(3, dtype=np.int64)
    thread = threading.Thread(target=_until_stopped, args=(control,), daemon=True)
    thread.start()
    assert wait_until(lambda: control[DONE])
    assert thread.is_alive()
    control[STOP] = CANCEL
    thread.join(1.0)
    assert not thread.is_alive()


@called_by_loops
def _next(number: Any) -> Any:
    return number + 1


@compiled
def _count_up(numbers: np.ndarray) -> Any:
    return _next(0) + _next(numbers[0]) + _next(np.int64(numbers[0]))


@passed_by_reference
class _Inner(NamedTuple):
    values: np.ndarray
    factor: float


@passed_by_reference
class _Outer(NamedTuple):
    inner: _Inner
    is_negative: bool
    shift: np.uint64


@called_by_loops
def _scaled(inner: Any, i: Any) -> Any:
    inner.values[i] *= inner.factor
    return inner.values[i]


@compiled
def _sum_scaled(outer: Any) -> Any:
    total = 0.0
    for i in range(len(outer.inner.values)):
        total += _scaled(outer.inner, i)
    return (-total if outer.is_negative else total) + float(outer.shift)


def test_only_loops_can_call_what_is_compiled_for_them() -> None:
    with pytest.raises(TypeError, match=core_wording.ONLY_LOOPS_CALL_NEXT):
        _next(1)
    assert _count_up(np.array([4], dtype=np.int16)) == 1 + 5 + 5


def test_a_loop_is_compiled_once_for_all_integers_that_other_loops_pass() -> None:
    _count_up(np.array([4], dtype=np.int32))
    _count_up(np.array([4], dtype=np.int8))
    _count_up.recompile()  # type: ignore[attr-defined]  # what the cache gives needs no inner loop
    assert [str(signature) for signature in _next.signatures] == ["(int64,)"]  # type: ignore[attr-defined]


def test_only_loops_that_python_calls_become_machine_code_and_private_ones_are_not_kept() -> None:
    _sum_scaled(_Outer(_Inner(np.ones(2), 2.0), False, np.uint64(0)))
    _sum_scaled.recompile()  # type: ignore[attr-defined]
    loops: list[Any] = [_sum_scaled, _scaled]
    [called, inner] = [next(iter(loop.overloads.values())).library for loop in loops]
    assert called.serialize_using_object_code()[1] == "object"
    assert inner.serialize_using_object_code()[1] == "bitcode"
    assert loops[1]._cache.cache_path is None


def test_a_tuple_passed_by_reference_gives_its_fields_and_keeps_no_array() -> None:
    values = np.array([1.0, 2.0])
    before = sys.getrefcount(values)
    assert _sum_scaled(_Outer(_Inner(values, 2.0), True, np.uint64(1))) == -5.0
    assert _sum_scaled(_Outer(_Inner(values, 0.5), False, np.uint64(0))) == 3.0
    assert values.tolist() == [1.0, 2.0]
    assert sys.getrefcount(values) == before


@pytest.mark.skipif(sys.platform == "win32", reason="the owner's rights are set otherwise there")
def test_only_its_owner_can_read_the_compiled_code() -> None:
    assert stat.S_IMODE(kernel_cache.cache_folder().stat().st_mode) == stat.S_IRWXU
    assert os.environ["NUMBA_CACHE_DIR"] == str(kernel_cache.cache_folder())


def test_folders_of_other_versions_go_when_nobody_used_them_for_long(tmp_path: Path) -> None:
    for name in ("current", "recent", "forgotten"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "used").touch()
    long_ago = time.time() - 2 * kernel_cache.FORGOTTEN_AFTER
    for name in ("current", "forgotten"):
        os.utime(tmp_path / name / "used", (long_ago, long_ago))
    kernel_cache.remove_forgotten(tmp_path, tmp_path / "current")
    assert {folder.name for folder in tmp_path.iterdir()} == {"current", "recent"}


def test_every_module_of_compiled_loops_can_be_compiled_ahead() -> None:
    names = kernel_cache.kernel_modules()
    assert names[0].startswith("algorithms.learners.trees.")
    later = [any(f".{word}" in name for word in kernel_cache.NEEDED_LATER) for name in names]
    assert any(later) and later == sorted(later), "what few ask for first keeps the others waiting"
    trees = [
        name
        for name in names
        if name.startswith("algorithms.learners.trees.") and name not in names[later.index(True) :]
    ]
    assert list(names[: len(trees)]) == trees, "the loops of the usual trees are ready before others are begun"
    waited_for = [sum(name in kernel_cache.needed_kernels(other) for other in trees) for name in trees]
    assert waited_for[0] == max(waited_for), "what most of them wait for comes first"


def test_every_kernel_module_is_warmed_up_or_called_by_others() -> None:
    names = kernel_cache.kernel_modules()
    called = {needed for name in names for needed in kernel_cache.needed_kernels(name)}
    for name in names:
        family, _, kernels = name.rpartition(".kernels.")
        place, function = (f"{family}.warm_up", kernels) if family else (name, "warm_up")
        assert callable(getattr(importlib.import_module(place), function, None)) or name in called, name


def _folder_of_a_process(cache: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(cache), "LOCALAPPDATA": str(cache)}
    environment.pop("NUMBA_CACHE_DIR", None)
    command = [sys.executable, "-P", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.skipif(sys.platform == "darwin", reason="the cache folder is fixed there")
def test_the_cache_follows_the_user_and_a_change_of_source(tmp_path: Path) -> None:
    script = "from algorithms.compiled.kernel_cache import cache_folder; print(cache_folder())"
    found = Path(_folder_of_a_process(tmp_path / "cache", tmp_path, "-c", script).stdout.strip())
    assert found.is_dir()
    assert found.is_relative_to(tmp_path / "cache")
    assert found.name == kernel_cache.cache_folder().name


def test_code_compiled_for_an_argument_class_that_was_renamed_since_is_compiled_again(tmp_path: Path) -> None:
    loops = (
        "from algorithms.compiled.jit import compiled\n\n\n@compiled\ndef total(pair):\n    return pair.a + pair.b\n"
    )
    (tmp_path / "loops.py").write_text(loops)
    for name in ("Pair", "Summands"):
        caller = (
            f"from typing import NamedTuple\n\nimport loops\n\n\nclass {name}(NamedTuple):\n    a: int\n    b: int\n"
        )
        (tmp_path / "caller.py").write_text(f"{caller}\n\nprint(loops.total({name}(1, 2)))\n")
        command = [sys.executable, "-B", "-c", "import caller"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.stdout == "3\n", done.stderr


def test_the_compiling_process_runs_in_any_folder_and_marks_what_is_done(tmp_path: Path) -> None:
    (tmp_path / "algorithms").mkdir()
    script = (
        "from algorithms.compiled import ahead_of_time as ahead;"
        "ahead.kernel_modules = lambda: ('algorithms.learners.trees.kernels.split_kernels',);"
        "print(ahead.main(), ahead.kernels_ready(['algorithms.learners.trees.kernels.split_kernels']))"
    )
    done = _folder_of_a_process(tmp_path / "cache", tmp_path, "-c", script)
    assert done.stdout.split() == ["0", "True"], done.stderr


def test_what_is_loaded_is_ready_at_once() -> None:
    name = "algorithms.learners.trees.kernels.split_kernels"
    context = RunContext()
    ensure_compiled([name], context)
    assert kernels_ready([name])
    started = time.monotonic()
    ensure_compiled([name], context)
    assert time.monotonic() - started < 0.05


@pytest.fixture
def unprepared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """A module that has no marker and is not loaded; calls of its warm-up are noted."""
    calls: list[str] = []
    module = type(sys)("toy_kernels")
    vars(module)["warm_up"] = lambda: calls.append("warm_up")
    monkeypatch.setitem(sys.modules, "toy_kernels", module)
    monkeypatch.setattr(kernel_cache, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(ahead_of_time, "_loaded", set())
    monkeypatch.setattr(ahead_of_time, "_processes", [])
    return calls


def test_where_no_process_can_be_started_it_is_compiled_here(
    unprepared: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert not kernels_ready(["toy_kernels"])
    ensure_compiled(["toy_kernels"], RunContext())
    assert unprepared == ["warm_up"]
    assert kernels_ready(["toy_kernels"])


def _imported(module: str) -> set[str]:
    """The modules of the package that a module imports at its head, by Python's own parser.

    What a warm-up imports to have something to compile for is no source of the compiled code.
    """
    tree = ast.parse(ROOT.joinpath(*module.split(".")).with_suffix(".py").read_text(encoding="utf-8"))
    plain = {name.name for node in tree.body if isinstance(node, ast.Import) for name in node.names}
    named = {node.module or "" for node in tree.body if isinstance(node, ast.ImportFrom) and not node.level}
    return {name for name in plain | named if name.split(".")[0] == "algorithms"}


@pytest.mark.parametrize("module", kernel_cache.kernel_modules())
def test_all_sources_on_which_a_compiled_loop_depends_are_known(module: str) -> None:
    imported = _imported(module)
    assert set(kernel_cache.IMPORTED.findall(kernel_cache._text(module))) == imported
    assert set(kernel_cache.needed_kernels(module)) == {name for name in imported if name.endswith("kernels")}
    with_dots = [name for name in imported if not ROOT.joinpath(*name.split(".")).with_suffix(".py").is_file()]
    assert with_dots == [], "a package's own file would be taken for an empty source"


def _folders_in(copy: Path) -> dict[str, str]:
    script = (
        "from algorithms.compiled.kernel_cache import kernel_modules, module_folder;"
        "print(*[module_folder(name).name for name in kernel_modules()])"
    )
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    command = [sys.executable, "-P", "-c", script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=True)
    return dict(folder.rsplit("-", 1) for folder in done.stdout.split())


def test_a_second_copy_shares_what_is_compiled_and_an_edit_makes_anew_only_what_depends_on_it(tmp_path: Path) -> None:
    shutil.copytree(kernel_cache.PACKAGE, tmp_path / "algorithms", ignore=shutil.ignore_patterns("__pycache__"))
    here, there = _folders_in(ROOT), _folders_in(tmp_path)
    assert here == there
    edited = tmp_path / "algorithms" / "learners" / "trees" / "kernels" / "pruning_kernels.py"
    edited.write_text(edited.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
    after = _folders_in(tmp_path)
    changed = {name.rsplit(".", 1)[1] for name in here if after[name] != here[name]}
    assert {"pruning_kernels", "raising_kernels"} <= changed
    assert changed.isdisjoint({"split_kernels", "sorting_kernels", "prediction_kernels"})


def test_shipped_loops_are_only_read_and_nothing_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = kernel_cache.ship_kernels(tmp_path / "shipped")

    def contents() -> dict[Path, tuple[bytes, int]]:
        return {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in shipped.rglob("*") if file.is_file()}

    before = contents()
    assert len({file.parent for file in before}) > len(kernel_cache.kernel_modules()) / 2
    script = (
        "from algorithms.compiled import ahead_of_time as ahead, kernel_cache\n"
        "from algorithms.core.run_control import RunContext\n"
        "print(ahead.kernels_ready(), ahead.start_compiling())\n"
        "import algorithms.compiled.jit\n"
        "from numba.core import event\n"
        "with event.install_recorder('numba:compile') as compiled:\n"
        "    ahead.ensure_compiled(['algorithms.learners.trees.kernels.integer_kernels'], RunContext())\n"
        "kernel_cache.keep_current()\n"
        "print(len(compiled.buffer))\n"
        "import numpy as np; from algorithms.learners.trees.kernels.split_kernels import disorder\n"
        "disorder(0, np.ones(8, dtype=np.float32)[::2])  # a layout that nothing shipped is for\n"
        "print(len([*kernel_cache.cache_folder().glob('algorithms.*')]))"
    )
    monkeypatch.setenv(kernel_cache.SHIPPED_FOLDER, str(tmp_path / "shipped"))
    done = _folder_of_a_process(tmp_path / "cache", tmp_path, "-c", script)
    assert done.stdout.split() == ["True", "False", "0", "0"], done.stderr
    assert contents() == before
    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")  # loops for another processor are of no use
    script = "from algorithms.compiled.ahead_of_time import kernels_ready; print(kernels_ready())"
    assert _folder_of_a_process(tmp_path / "cache", tmp_path, "-c", script).stdout.split() == ["False"]


def test_loops_of_other_sources_and_copies_cut_off_are_not_shipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = kernel_cache.ship_kernels(tmp_path)
    whole = sorted(folder.name for folder in shipped.iterdir())
    (shipped / "algorithms.older_kernels-1234").mkdir()
    shutil.rmtree(shipped / whole[0])

    def cut_off(*_arguments: Any, **_options: Any) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patches, pytest.raises(OSError, match="full"):
        patches.setattr(kernel_cache.shutil, "copytree", cut_off)
        kernel_cache.ship_kernels(tmp_path)
    assert not (shipped / whole[0] / kernel_cache.READY).exists()
    kernel_cache.ship_kernels(tmp_path)
    assert sorted(folder.name for folder in shipped.iterdir()) == whole
    assert all((shipped / name / kernel_cache.READY).exists() for name in whole)


def test_a_module_that_another_process_compiles_is_left_to_it(unprepared: list[str]) -> None:
    folder = kernel_cache.module_folder("toy_kernels")
    with ahead_of_time.claimed(folder / "lock") as is_mine:
        assert is_mine
        other = threading.Thread(target=ahead_of_time.compile_kernels, args=(["toy_kernels"],))
        other.start()
        other.join(0.3)
        assert other.is_alive()
        assert unprepared == []
        (folder / "ready").touch()
        other.join(10.0)
    assert not other.is_alive()
    assert unprepared == []


def test_a_module_that_cannot_be_compiled_leaves_its_trace_and_the_others_alone(
    unprepared: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = type(sys)("broken_kernels")
    vars(broken)["warm_up"] = lambda: 1 // 0
    monkeypatch.setitem(sys.modules, "broken_kernels", broken)
    assert ahead_of_time.compile_kernels(["broken_kernels", "toy_kernels"]) == ["broken_kernels"]
    assert unprepared == ["warm_up"]
    trace = (kernel_cache.module_folder("broken_kernels") / "failure.txt").read_text(encoding="utf-8")
    assert "ZeroDivisionError" in trace


def test_what_somebody_waits_for_is_compiled_first_and_the_rest_gives_way(
    unprepared: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    names, found = ["first_kernels", "toy_kernels", "last_kernels"], []

    def niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) if sys.platform == "linux" else 0

    for name in names:
        module = type(sys)(name)
        vars(module)["warm_up"] = lambda name=name: found.append((name, niceness()))
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(ahead_of_time, "kernel_modules", lambda: tuple(names))
    monkeypatch.setattr(ahead_of_time, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(ahead_of_time, "start_compiling", lambda: False)
    ahead_of_time._wait_for_processes(["toy_kernels", "unknown"], lambda: None)
    assert ahead_of_time.compile_kernels(names) == []
    assert [name for name, _ in found] == ["toy_kernels", "first_kernels", "last_kernels"]
    if sys.platform == "linux":
        assert [nice for _, nice in found] == [niceness(), *[max(niceness(), ahead_of_time.PATIENT_NICENESS)] * 2]


def test_waiting_for_the_process_can_be_cancelled_and_leaves_none(
    unprepared: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    monkeypatch.setattr(ahead_of_time, "_processes", [sleeper])
    context, seen = RunContext(), list[tuple[str, bool]]()

    def stop() -> None:
        seen.append((context.message, context.is_waiting))
        context.cancel()

    threading.Timer(0.1, stop).start()
    with pytest.raises(Cancelled):
        ensure_compiled(["toy_kernels"], context)
    [(message, is_waiting)] = seen
    assert message.startswith(PREPARING) and is_waiting
    waited = context.waited
    assert unprepared == [] and waited > 0 and context.waited == waited and not context.is_waiting
    stop_compiling()
    assert sleeper.poll() is not None


def test_where_the_cache_cannot_be_written_one_folder_serves_all_processes_and_goes_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("no folder")
    script = (
        "from algorithms.compiled import ahead_of_time as compiling; "
        "print(compiling.cache_folder(), compiling.cache_folder().is_dir()); "
        "compiling.subprocess.Popen = lambda *a, env, **k: print(env[compiling.GIVEN_FOLDER]); compiling._process()"
    )
    folder, there, told = _folder_of_a_process(tmp_path / "cache", tmp_path, "-c", script).stdout.split()
    assert there == "True" and told == folder and not Path(folder).exists()


def test_a_cache_that_is_removed_while_it_is_used_stops_nobody(
    unprepared: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gone = tmp_path / "cleaned" / "away"
    monkeypatch.setattr(kernel_cache, "cache_folder", lambda: gone)
    kernel_cache.keep_current()
    kernel_cache._remove_if_forgotten(gone)
    with ahead_of_time.claimed(kernel_cache.module_folder("toy_kernels") / "lock") as is_mine:
        assert is_mine
    shutil.rmtree(tmp_path / "cleaned")
    monkeypatch.setattr(sys, "executable", "")
    ensure_compiled(["toy_kernels"], RunContext())
    assert unprepared == ["warm_up"] and kernels_ready(["toy_kernels"])
    shutil.rmtree(tmp_path / "cleaned")
    (tmp_path / "cleaned").write_text("no folder any more")
    monkeypatch.setattr(ahead_of_time, "_loaded", set())
    ensure_compiled(["toy_kernels"], RunContext())


def test_no_more_processes_compile_than_this_one_may_use_cores(
    unprepared: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[object] = []
    monkeypatch.setattr(ahead_of_time, "usable_cores", lambda: 1)
    monkeypatch.setattr(ahead_of_time.os, "cpu_count", lambda: 64)
    monkeypatch.setattr(ahead_of_time, "kernels_ready", lambda _modules=None: False)
    monkeypatch.setattr(ahead_of_time, "_process", lambda: started.append(1))
    assert not start_compiling()
    assert len(started) == 1


def test_who_waits_for_compiling_processes_looks_at_their_list_under_its_lock(
    unprepared: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another thread may replace the list at any other moment."""
    held: list[bool] = []

    class Watched(list[object]):
        def __iter__(self) -> Iterator[object]:
            held.append(ahead_of_time._starting.locked())
            return super().__iter__()

    monkeypatch.setattr(ahead_of_time, "_processes", Watched())
    monkeypatch.setattr(ahead_of_time, "start_compiling", lambda: True)
    ahead_of_time._wait_for_processes(["toy_kernels"], lambda: None)
    ahead_of_time.is_compiling()
    assert held
    assert all(held)
