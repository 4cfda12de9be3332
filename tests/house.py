"""Measures the structure of the source; ``python -m tests.house`` prints the figures, ``--layers`` the layers.

A module imports another if it names it anywhere, in functions too (a late import). Imports under TYPE_CHECKING are
counted apart: they tie files for a reader, but not at run time.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import Final

ROOT: Final = Path(__file__).parent.parent
PACKAGES: Final = ("algorithms", "workbench")
SHORT: Final = 60
"""A file with fewer lines needs a reason in the first line of its docstring."""
LONG: Final = 800
CROWDED: Final = 20
"""A folder has at most so many files."""
REASONS: Final = ("registry entry", "kernel", "public contract")

TEXTS: Final = "expected_texts"
"""The folder of tests in which all sentences stand that tests assert."""

Graph = Mapping[str, frozenset[str]]
"""The modules that each module imports."""


@dataclass(frozen=True)
class Module:
    """A source file with what it defines and imports."""

    name: str
    path: Path
    lines: int
    summary: str
    """The first line of its docstring."""
    classes: tuple[str, ...]
    """Its public classes at the top level."""
    imports: frozenset[str]
    type_imports: frozenset[str]
    """Modules that are imported under TYPE_CHECKING only."""

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    @property
    def gives_reason(self) -> bool:
        """Whether the docstring's first line says why the file is short."""
        return any(reason in self.summary.lower() for reason in REASONS)


@dataclass(frozen=True)
class House:
    """The figures of all modules."""

    root: Path
    modules: Mapping[str, Module]

    @property
    def lines(self) -> int:
        return sum(module.lines for module in self.modules.values())

    @property
    def median(self) -> float:
        """The median number of lines of a file."""
        return median(module.lines for module in self.modules.values())

    @property
    def short_files(self) -> list[str]:
        """Files under :data:`SHORT` lines without a reason; a package's ``__init__`` needs none."""
        return [
            name
            for name, module in self.modules.items()
            if module.lines < SHORT and not module.is_package and not module.gives_reason
        ]

    @property
    def long_files(self) -> list[str]:
        return [name for name, module in self.modules.items() if module.lines > LONG]

    @property
    def crowded_folders(self) -> dict[str, int]:
        """Folders with more than :data:`CROWDED` files, and how many they have."""
        sizes = Counter(
            module.path.parent.relative_to(self.root).as_posix()
            for module in self.modules.values()
            if not module.is_package
        )
        return {folder: n for folder, n in sizes.items() if n > CROWDED}

    @property
    def duplicated_classes(self) -> dict[str, list[str]]:
        """The modules of each public class name that is defined more than once."""
        owners = defaultdict(list)
        for name, module in self.modules.items():
            for label in module.classes:
                owners[label].append(name)
        return {label: names for label, names in sorted(owners.items()) if len(names) > 1}

    @property
    def lone_importers(self) -> dict[str, str]:
        """Modules with exactly one importer that stands in the same folder, and that importer."""
        importers = defaultdict(set)
        for name, module in self.modules.items():
            for target in module.imports | module.type_imports:
                importers[target].add(name)
        return {
            name: next(iter(importers[name]))
            for name, module in self.modules.items()
            if len(importers[name]) == 1 and self.modules[next(iter(importers[name]))].path.parent == module.path.parent
        }

    @property
    def cycles(self) -> list[list[str]]:
        """Groups of modules that import each other at run time, late imports counted."""
        return cycles_of({name: module.imports for name, module in self.modules.items()})

    @property
    def cycles_with_types(self) -> list[list[str]]:
        """As :attr:`cycles`, with the imports under TYPE_CHECKING."""
        return cycles_of({name: module.imports | module.type_imports for name, module in self.modules.items()})


def measured(root: Path = ROOT) -> House:
    """The figures of the packages below ``root``."""
    paths = {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
        for package in PACKAGES
        for path in sorted((root / package).rglob("*.py"))
    }
    return House(root, {name: _module(name, path, frozenset(paths)) for name, path in paths.items()})


def cycles_of(graph: Graph) -> list[list[str]]:
    """The strongly connected components of at least two modules, the largest first (Tarjan 1972)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    waiting: set[str] = set()
    components = []
    for start in graph:
        if start in order:
            continue
        order[start] = low[start] = len(order)
        stack.append(start)
        waiting.add(start)
        path: list[tuple[str, Iterator[str]]] = [(start, iter(sorted(graph[start])))]
        while path:
            node, targets = path[-1]
            target = next(targets, None)
            if target is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == order[node]:
                    cut = stack.index(node)
                    component, stack[cut:] = sorted(stack[cut:]), []
                    waiting.difference_update(component)
                    components.append(component)
            elif target not in order:
                order[target] = low[target] = len(order)
                stack.append(target)
                waiting.add(target)
                path.append((target, iter(sorted(graph[target]))))
            elif target in waiting:
                low[node] = min(low[node], order[target])
    return sorted((each for each in components if len(each) > 1), key=lambda each: (-len(each), each))


def loose_sentences(root: Path = ROOT) -> list[str]:
    """Sentences in asserts, matches and awaited conditions of tests that do not stand in :data:`TEXTS`."""
    return [sentence for test in _tests(root) for sentence in test.sentences]


def unused_texts(root: Path = ROOT) -> list[str]:
    """Names in :data:`TEXTS` that no test uses."""
    used = {text for test in _tests(root) for text in test.texts}
    return [
        f"{path.stem}.{name}"
        for path in sorted((root / "tests" / TEXTS).glob("*.py"))
        for name in _top_names(ast.parse(path.read_text(encoding="utf-8")))
        if (path.stem, name) not in used
    ]


@dataclass(frozen=True)
class _Test:
    """What is asked of a file of tests; its tree is as large as all this is small."""

    sentences: tuple[str, ...]
    """Place and text of the sentences that it asserts."""
    texts: frozenset[tuple[str, str]]
    """Module and name of each of :data:`TEXTS` that it uses."""


@cache
def _tests(root: Path) -> list[_Test]:
    paths = sorted((root / "tests").rglob("*.py"))
    return [_test(path, root) for path in paths if TEXTS not in path.parts]


def _test(path: Path, root: Path) -> _Test:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    place, nodes = path.relative_to(root).as_posix(), list(ast.walk(tree))
    modules = {
        alias.asname or alias.name: alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == f"tests.{TEXTS}"
        for alias in node.names
    }
    return _Test(
        tuple(f"{place}:{node.lineno} {text}" for part in _asserted(nodes) for node, text in _sentences(part)),
        frozenset(
            (modules[node.value.id], node.attr)
            for node in nodes
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules
        ),
    )


def _top_names(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            if not node.name.startswith("_"):
                yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _asserted(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """What asserts test, what ``match`` of ``pytest.raises`` takes, and what ``wait_until`` waits for."""
    for node in nodes:
        if isinstance(node, ast.Assert):
            yield node.test
        elif isinstance(node, ast.Call):
            yield from (keyword.value for keyword in node.keywords if keyword.arg == "match")
            if isinstance(node.func, ast.Name) and node.func.id in ("wait", "wait_until"):
                yield from node.args


def _sentences(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """The literals below a node that have three words or more."""
    if isinstance(node, ast.JoinedStr):
        literal = "".join(part.value if isinstance(part, ast.Constant) else " " for part in node.values)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        literal = node.value
    else:
        literal = ""
    if isinstance(node, ast.expr) and len(literal.split()) >= 3 and re.search("[a-z]{3}", literal):
        yield node, " ".join(literal.split())
    elif not isinstance(node, ast.Constant):
        for child in ast.iter_child_nodes(node):
            yield from _sentences(child)


def _module(name: str, path: Path, names: frozenset[str]) -> Module:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    runtime = frozenset(_imported(tree, name, path, names)) - {name}
    types = frozenset(_imported(_type_blocks(tree), name, path, names)) - {name}
    return Module(
        name,
        path,
        text.count("\n"),
        (ast.get_docstring(tree) or "").partition("\n")[0],
        tuple(node.name for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")),
        runtime,
        types - runtime,
    )


def _is_type_block(node: ast.AST) -> bool:
    if not isinstance(node, ast.If) or not isinstance(node.test, ast.Name | ast.Attribute):
        return False
    return ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def _type_blocks(tree: ast.Module) -> ast.Module:
    """The statements that stand under TYPE_CHECKING."""
    blocks = [node for node in _statements(tree) if isinstance(node, ast.If) and _is_type_block(node)]
    return ast.Module([statement for block in blocks for statement in block.body], [])


def _statements(node: ast.AST, *, at_run_time: bool = False) -> Iterator[ast.AST]:
    """All statements below with their handlers and cases, ``at_run_time`` without those under TYPE_CHECKING.

    Expressions, most of a tree, are passed over: nothing is imported in them.
    """
    is_left_out = at_run_time and _is_type_block(node)
    for part in ("orelse",) if is_left_out else ("body", "handlers", "cases", "orelse", "finalbody"):
        for child in getattr(node, part, ()):
            yield child
            yield from _statements(child, at_run_time=at_run_time)


def _imported(tree: ast.AST, name: str, path: Path, names: frozenset[str]) -> Iterable[str]:
    """The modules of the packages that are imported, a name of a package as the package itself."""
    for node in _statements(tree, at_run_time=True):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom):
            source = _source(node, name, path)
            for alias in node.names:
                full = f"{source}.{alias.name}"
                if full in names:
                    yield full
                elif source in names:
                    yield source


def _source(node: ast.ImportFrom, name: str, path: Path) -> str:
    if not node.level:
        return node.module or ""
    parts = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    parts = parts[: len(parts) - node.level + 1]
    return ".".join([*parts, *([node.module] if node.module else [])])


def report(house: House) -> str:
    """The figures in words, one a line, with the names behind them."""
    lines = [
        f"source files                        {len(house.modules):,}",
        f"lines                               {house.lines:,}",
        f"median lines of a file              {house.median:g}",
    ]

    def listed(title: str, entries: Iterable[str]) -> None:
        entries = list(entries)
        lines.append(f"{title:<35} {len(entries):,}")
        lines.extend(f"    {entry}" for entry in entries)

    listed(f"files under {SHORT} lines, no reason", house.short_files)
    listed(f"files over {LONG} lines", house.long_files)
    listed(f"folders of more than {CROWDED} files", (f"{folder} {n}" for folder, n in house.crowded_folders.items()))
    listed(
        "duplicated public class names", (f"{k}: {', '.join(names)}" for k, names in house.duplicated_classes.items())
    )
    listed("one importer, in the same folder", (f"{k} <- {name}" for k, name in house.lone_importers.items()))
    listed("cycles, late imports counted", (f"{len(each)}: {', '.join(each)}" for each in house.cycles))
    listed("cycles, type imports counted too", (f"{len(each)}: {', '.join(each)}" for each in house.cycles_with_types))
    listed("sentences asserted in tests", loose_sentences(house.root))
    listed("expected texts without a test", unused_texts(house.root))
    return "\n".join(lines)


def layers(root: Path = ROOT) -> str:
    """The layers of the import contracts in ``pyproject.toml``, highest first, as on the page on architecture."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    pictures = []
    for contract in settings["contracts"]:
        if contract["type"] == "layers" and "containers" in contract:
            rows = [f"    {layer}" for layer in contract["layers"]]
            pictures.append("\n".join([" and ".join(contract["containers"]), *rows]))
    return "\n\n".join(pictures)


if __name__ == "__main__":
    print(layers() if "--layers" in sys.argv else report(measured()))
