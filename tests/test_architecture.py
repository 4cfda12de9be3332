"""The directions in which the program may look, and a few things that stand nowhere in it."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from workbench.session.runs import Run

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted([*ROOT.glob("algorithms/**/*.py"), *ROOT.glob("workbench/**/*.py"), ROOT / "main.py"])


@dataclass(frozen=True)
class Source:
    """A file of the program, parsed."""

    path: Path
    text: str
    nodes: tuple[ast.AST, ...]
    """All nodes of its tree."""

    @property
    def name(self) -> str:
        return self.path.name


def parsed(text: str, path: Path = ROOT) -> Source:
    return Source(path, text, tuple(ast.walk(ast.parse(text))))


CHECKS: Final[dict[str, Callable[[Source], None]]] = {}
"""What is asked of every file, by its name."""


@cache
def failures() -> dict[str, list[str]]:
    """What fails in the files, by the check; each is parsed once for all that is asked of it, and let go."""
    found: dict[str, list[str]] = {name: [] for name in CHECKS}
    for path in SOURCES:
        source = parsed(path.read_text(), path)
        for name, check in CHECKS.items():
            try:
                check(source)
            except AssertionError as failure:
                found[name].append(f"{path.relative_to(ROOT)}: {failure}")
    return found


def of_every_source(check: Callable[[Source], None]) -> Callable[[], None]:
    """One test of all files, which names those that fail: a test of each takes longer to report than to run."""
    CHECKS[check.__name__] = check

    def test() -> None:
        assert not failures()[check.__name__], "\n".join(failures()[check.__name__])

    test.__doc__ = check.__doc__
    return test


def test_the_import_rules_hold() -> None:
    pytest.importorskip("importlinter", reason="the test extra is not installed")
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    done = subprocess.run([*command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


def imports(source: Source) -> Iterator[tuple[str, int]]:
    for node in source.nodes:
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.col_offset) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, node.col_offset


@of_every_source
def test_compiled_code_stands_in_kernels_only_and_is_imported_late(source: Source) -> None:
    is_kernel = source.name.endswith("kernels.py")
    for module, column in imports(source):
        if module.split(".")[0] in ("numba", "llvmlite"):
            assert is_kernel or source.name in ("jit.py", "kernel_locator.py"), (
                f"{module} may be imported by kernels only"
            )
        if module.endswith("kernels") and not is_kernel:
            assert column > 0, f"{module} must be imported inside the function that needs it"


@of_every_source
def test_nothing_runs_what_a_stranger_wrote_and_no_event_loop_is_nested(source: Source) -> None:
    for node in source.nodes:
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            owner = isinstance(node.func, ast.Name)
            assert not (owner and name in ("eval", "exec", "__import__")), name
            assert name not in ("processEvents", "QEventLoop"), name
            pickles = [k for k in node.keywords if k.arg == "allow_pickle"]
            assert all(isinstance(k.value, ast.Constant) and k.value.value is False for k in pickles)


@of_every_source
def test_every_label_says_whether_its_text_is_markup(source: Source) -> None:
    """A bare label guesses, and takes a column named ``<img ...>`` for markup: widgets/labels.py makes labels."""
    if source.name == "labels.py":
        return
    for node in source.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("QLabel", "QStaticText"), f"line {node.lineno}"


@of_every_source
def test_every_field_that_the_wheel_could_change_leaves_it_to_the_pane(source: Source) -> None:
    for node in source.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            bare = ("QSpinBox", "QDoubleSpinBox", "QSlider", "QComboBox")
            assert node.func.id not in bare, f"line {node.lineno}: widgets/fields.py makes it"


@of_every_source
def test_no_file_is_so_long_that_everything_passes_through_it(source: Source) -> None:
    assert len(source.text.splitlines()) <= 800


def test_every_package_is_listed_for_installation() -> None:
    import tomllib

    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    found = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for top in ("algorithms", "workbench", "resources")
        for path in ROOT.glob(f"{top}/**/__init__.py")
    }
    assert found == listed


def test_every_file_of_the_program_is_installed() -> None:
    """All of resources but the pages for developers."""
    import tomllib

    data = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["resources"]
    folder = ROOT / "resources"
    installed = {path for pattern in data for path in folder.glob(pattern) if path.is_file()}
    files = {path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")}
    assert installed == {path for path in files if path.relative_to(folder).parts[0] != "docs"}


OWN_FILES = {
    "algorithms/compiled/ahead_of_time.py": "marks and locks of the cache",
    "algorithms/core/files.py": "writes for all others",
    "algorithms/evaluation/out_of_core.py": "working files in a folder of their own",
    "algorithms/io/text/text_source.py": "unpacked copies in a folder of their own",
    "algorithms/io/workbook_reader.py": "a copy of the workbook without its empty columns, in memory",
    "algorithms/io/excel.py": "the stream that the workbook is packed into, beside its place",
    "algorithms/project/archive.py": "packs what is written into a stream beside its place",
    "algorithms/project/journal.py": "grows at its end",
    "algorithms/learners/partitions.py": "working files in a folder of their own",
    "algorithms/learners/trees/growth/on_disk.py": "working files in a folder of their own",
    "algorithms/learners/trees/growth/partitioned.py": "working files beside those of the parts",
    "workbench/viewers/charts/export.py": "a picture as PDF, in memory",
}
"""Modules that may write a file otherwise than by ``algorithms.core.files``, and why."""
WRITING_CALLS = {
    *("write_text", "write_bytes", "to_csv", "to_excel", "to_parquet", "tofile", "savez", "savetxt"),
    *("setFileName", "QSaveFile", "QFile", "QPdfWriter", "NamedTemporaryFile", "mkstemp", "FileIO", "fdopen"),
    *("copyfile", "copy2", "copyfileobj"),
}


def writes_in_place(source: Source) -> Iterator[str]:
    """The calls that write a file, but for those on what :func:`replacing` gives."""
    replaced = {
        inner
        for node in source.nodes
        if isinstance(node, ast.With) and any("replacing" in ast.dump(item.context_expr) for item in node.items)
        for inner in ast.walk(node)
    }
    is_of_pictures = "QImage" in source.text or "QPixmap" in source.text
    for node in source.nodes:
        if not isinstance(node, ast.Call) or node in replaced:
            continue
        is_method = isinstance(node.func, ast.Attribute)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        words = [arg.value for arg in (*node.args, *(k.value for k in node.keywords)) if isinstance(arg, ast.Constant)]
        modes = [word for word in words if isinstance(word, str) and len(word) <= 3 and set(word) & set("wax+")]
        if name in WRITING_CALLS and (is_method or name not in ("write_text", "write_bytes")):
            yield f"line {node.lineno}: {name}"
        elif name in ("open", "ZipFile") and modes:
            yield f"line {node.lineno}: {name} {modes[0]!r}"
        elif name == "save" and "PNG" not in words and node.args and is_of_pictures:
            yield f"line {node.lineno}: save"


@of_every_source
def test_files_are_written_in_one_way(source: Source) -> None:
    found = list(writes_in_place(source))
    if source.path.relative_to(ROOT).as_posix() not in OWN_FILES:
        assert not found, f"write by algorithms.core.files: {found}"


RUN_ATTRIBUTES = frozenset(attribute.name for attribute in fields(Run))
NOT_RUNS = ("self", "job", "trial", "context")
"""Names of other objects that have an attribute called as one of a run's: a job has a state, a trial a job."""


def assigned_attributes(source: Source) -> Iterator[tuple[int, str, str]]:
    """Line, object and name of every attribute that is assigned, deleted or set by ``setattr``."""
    for node in source.nodes:
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            yield node.lineno, ast.unparse(node.value), node.attr
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("setattr", "object.__setattr__"):
            yield node.lineno, ast.unparse(node.args[0]), "setattr"


def changes_of_runs(source: Source) -> list[tuple[int, str, str]]:
    return [
        (line, of, name)
        for line, of, name in assigned_attributes(source)
        if (name in RUN_ATTRIBUTES and of not in NOT_RUNS) or (name == "setattr" and of != "self")
    ]


@of_every_source
def test_runs_are_changed_by_the_run_list_alone(source: Source) -> None:
    if source.path.relative_to(ROOT).parts[0] != "workbench":
        return
    changed = changes_of_runs(source)
    if source.path.relative_to(ROOT) == Path("workbench/session/runs.py"):
        assert [(of, name) for _, of, name in changed] == [("run", "setattr")]
    else:
        assert changed == []


def test_a_changed_run_is_noticed_however_it_is_changed() -> None:
    changes = ["run.state = 1", "entry.run.note += 'x'", "a, other.report = b", "setattr(run, n, 2)", "del run.job"]
    text = "\n".join([*changes, "self.job = run.job", "job.state = done"])
    assert sorted(line for line, *_ in changes_of_runs(parsed(text))) == [1, 2, 3, 4, 5]
