"""The directions in which the program may look, and a few things that stand nowhere in it."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted([*ROOT.glob("algorithms/**/*.py"), *ROOT.glob("workbench/**/*.py"), ROOT / "main.py"])


def test_the_import_rules_hold() -> None:
    pytest.importorskip("importlinter", reason="the test extra is not installed")
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    done = subprocess.run([*command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


def imports(tree: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.col_offset) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, node.col_offset


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_compiled_code_stands_in_kernels_only_and_is_imported_late(path: Path) -> None:
    is_kernel = path.name.endswith("kernels.py")
    for module, column in imports(ast.parse(path.read_text())):
        if module.split(".")[0] in ("numba", "llvmlite"):
            assert is_kernel or path.name in ("jit.py", "kernel_locator.py"), (
                f"{module} may be imported by kernels only"
            )
        if module.endswith("kernels") and not is_kernel:
            assert column > 0, f"{module} must be imported inside the function that needs it"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_nothing_runs_what_a_stranger_wrote_and_no_event_loop_is_nested(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            owner = isinstance(node.func, ast.Name)
            assert not (owner and name in ("eval", "exec", "__import__")), name
            assert name not in ("processEvents", "QEventLoop"), name
            pickles = [k for k in node.keywords if k.arg == "allow_pickle"]
            assert all(isinstance(k.value, ast.Constant) and k.value.value is False for k in pickles)


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_label_says_whether_its_text_is_markup(path: Path) -> None:
    """A bare label guesses, and takes a column named ``<img ...>`` for markup: parts/labels.py makes labels."""
    if path.name == "labels.py":
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("QLabel", "QStaticText"), f"line {node.lineno}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_file_is_so_long_that_everything_passes_through_it(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 700


def test_every_package_is_listed_for_installation() -> None:
    import tomllib

    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    found = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for top in ("algorithms", "workbench", "resources")
        for path in ROOT.glob(f"{top}/**/__init__.py")
    }
    assert found == listed
