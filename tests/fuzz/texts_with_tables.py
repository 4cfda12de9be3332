"""Texts of other formats with tables: JSON, web pages, LIBSVM, C4.5 and Orange, whole and damaged."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Final

from numpy.random import Generator

from algorithms.io.reading import sheets
from algorithms.io.text.options import ReadOptions
from tests.fuzz import bytes_mutators
from tests.fuzz.bytes_mutators import ENCODINGS, TEXT_CHANGES
from tests.fuzz.case import Case, written
from tests.fuzz.structure_mutators import changed_json, changed_xml
from tests.fuzz.tables import read_as_the_window_does


class _Text:
    suffix: ClassVar[str]

    def make(self, random: Generator) -> Case:
        content, told = self.whole(random), "as it is"
        if random.random() < 0.7:
            content, told = self.changed(content, random)
        if random.random() < 0.1:
            encoding = str(random.choice(ENCODINGS))
            content, told = content.decode("utf-8", "replace").encode(encoding, "replace"), f"{told}, {encoding}"
        suffix = self.suffix if random.random() < 0.8 else str(random.choice([".csv", ".arff", ".xlsx", ""]))
        options = {"sheet": str(random.choice(["x", "1", ""]))} if random.random() < 0.05 else {}
        return Case(content, f"table{suffix}", options, told)

    def whole(self, random: Generator) -> bytes:
        raise NotImplementedError

    def changed(self, content: bytes, random: Generator) -> tuple[bytes, str]:
        return bytes_mutators.mutated(content, random, TEXT_CHANGES)

    def run(self, case: Case, folder: Path) -> str:
        path = written(case, folder)
        sheets(path)
        return read_as_the_window_does(path, ReadOptions(**case.options))


class Json(_Text):
    """JSON in all orientations, and JSON lines."""

    name = "json"
    suffix = ".json"
    _CELLS: Final[tuple[Any, ...]] = (
        None, True, 0, 1.5, -7, 2**60, "x", "2020-01-31", "1,5", "NA", ["p", "q"], [1, 2.5], [[1]], [{"x": 1}],
        {"x": 1, "y": {"z": "q"}}, {"x": [1, "a"]}, "", " ",
    )  # fmt: skip

    def whole(self, random: Generator) -> bytes:
        n, names = int(random.choice([1, 2, 8, 60])), "abcd"[: int(random.integers(1, 5))]
        of = [random.choice(len(self._CELLS), size=3) for _ in names]
        records = [
            {name: self._CELLS[int(random.choice(own))] for name, own in zip(names, of, strict=True)} for _ in range(n)
        ]
        for record in records:
            if random.random() < 0.1:
                record.pop(names[0])
        rows = [list(record.values()) for record in records]
        shapes: tuple[Any, ...] = (
            records, {"columns": list(names), "data": rows}, rows, [list(names), *rows],
            {name: [record.get(name) for record in records] for name in names},
            {name: {str(at): record.get(name) for at, record in enumerate(records)} for name in names},
            {f"key {at}": record for at, record in enumerate(records)},
            {"x": records, "n": n, "y": {"1": records[:3]}},
        )  # fmt: skip
        which = int(random.integers(len(shapes) + 1))
        if which == len(shapes):
            return b"\n".join(json.dumps(record).encode() for record in records)
        return json.dumps(shapes[which], indent=int(random.integers(3)) or None).encode()

    def changed(self, content: bytes, random: Generator) -> tuple[bytes, str]:
        if random.random() < 0.5:
            return super().changed(content, random)
        for _ in range(int(random.integers(1, 4))):
            content = changed_json(content, random)
        return content, "values"


class Html(_Text):
    """Web pages with tables in tables, spans, hidden parts and elements that are never closed."""

    name = "html"
    suffix = ".html"
    _CELLS: Final = (
        "<td>1.5</td>", "<td>x", "<td rowspan=2>y</td>", "<td colspan='3'>2</td>", "<th>n</th>", "<td/>", "<td>&nbsp;",
        "<td rowspan=70000 colspan=9999>z", "<td style='display:none'>no</td>", "<td><script>1<2</script>3</td>",
        "<td><table><tr><td>a<td>b<tr><td>1<td>2</table>", "<td><!-- c -->4<br>5", "<td>&#0;&bogus;&#x110000;</td>",
        "<td><![if x]>6<![endif]>", "<td a=\"", "<td>-</td>", "<td hidden>7",
    )  # fmt: skip

    def whole(self, random: Generator) -> bytes:
        parts = ["<!DOCTYPE html><html><body>"]
        for _ in range(int(random.choice([1, 1, 2, 4]))):
            head = "<thead><tr><th>n<th>c</thead>" if random.random() < 0.5 else ""
            parts.append(f"<table><caption>x</caption>{head}")
            of = random.choice(len(self._CELLS), size=4)
            for _ in range(int(random.choice([0, 1, 5, 40]))):
                cells = "".join(self._CELLS[int(random.choice(of))] for _ in range(int(random.integers(1, 5))))
                parts.append(f"<tr>{cells}</tr>\n")
            parts.append("</table>" if random.random() < 0.9 else "")
        return "".join(parts).encode()

    def changed(self, content: bytes, random: Generator) -> tuple[bytes, str]:
        if random.random() < 0.5:
            return super().changed(content, random)
        return changed_xml(content, random), "elements"


class Libsvm(_Text):
    """LIBSVM text with labels, queries and remarks."""

    name = "libsvm"
    suffix = ".libsvm"
    _VALUES: Final = (b"1", b"-0.5", b"1e-300", b"1e999", b"nan", b"+.5", b"0")
    _LABELS: Final = (b"+1", b"-1", b"0.5", b"1,3", b"spam")

    def whole(self, random: Generator) -> bytes:
        of = random.choice(len(self._LABELS), size=2)
        lines = []
        for row in range(int(random.choice([0, 1, 5, 60]))):
            most = int(random.choice([9, 300, 70_000], p=[0.8, 0.15, 0.05]))
            indices = sorted(set(random.integers(0, most, int(random.integers(6))).tolist()))
            pairs = [b"%d:%s" % (at, self._VALUES[int(random.integers(len(self._VALUES)))]) for at in indices]
            query = [b"qid:%d" % (row // 3)] if of[0] % 2 else []
            remark = [b"# of row 1:2"] if random.random() < 0.1 else []
            lines.append(b" ".join([self._LABELS[int(random.choice(of))], *query, *pairs, *remark]))
        return b"\n".join(lines) + b"\n"


class Orange(_Text):
    """Tables of Orange, with declared kinds in rows or prefixes."""

    name = "orange"
    suffix = ".tab"
    _KINDS: Final = (b"continuous", b"d", b"red blue", b"string", b"t", b"", b"c", b"a\\ b c")
    _ROLES: Final = (b"", b"class", b"meta", b"i", b"weight", b"x=1 class")
    _PREFIXES: Final = (b"C#", b"D#", b"mS#", b"i#", b"wC#", b"cD#", b"T#", b"")
    _CELLS: Final = (b"1.5", b"red", b"?", b"", b"2020-01-31", b"x", b"-1", b'"a\tb"')

    def whole(self, random: Generator) -> bytes:
        n = int(random.integers(1, 6))

        def row(pieces: tuple[bytes, ...]) -> list[bytes]:
            return [pieces[int(random.integers(len(pieces)))] for _ in range(n)]

        names = [b"n%d" % at for at in range(n)]
        rows = [names, row(self._KINDS), row(self._ROLES)]
        if random.random() < 0.5:
            rows = [[prefix + name for prefix, name in zip(row(self._PREFIXES), names, strict=True)]]
        rows += [row(self._CELLS) for _ in range(int(random.choice([0, 1, 5, 40])))]
        mark = b"\t" if random.random() < 0.7 else b","
        return b"\n".join(mark.join(cells) for cells in rows) + b"\n"


class C45(_Text):
    """Names and data of C4.5; the first line with === alone parts the two files."""

    name = "c45"
    suffix = ".names"
    _VALUES: Final = (b"continuous", b"ignore", b"discrete 5", b"red, blue", b"a\\, b, c\\.", b"yes,\n  no", b"date")
    _CELLS: Final = (b"1.5", b"red", b"?", b" blue", b"a\\, b", b"c\\.", b"no", b"N/A", b"")

    def whole(self, random: Generator) -> bytes:
        kinds = random.choice(len(self._VALUES), size=int(random.integers(1, 6)))
        lines = [b"yes, no.  | classes", *(b"n%d: %s." % (at, self._VALUES[int(k)]) for at, k in enumerate(kinds))]
        for _ in range(int(random.choice([0, 1, 5, 40]))):
            cells = [self._CELLS[int(random.integers(len(self._CELLS)))] for _ in kinds]
            lines.append(b",".join([*cells, b"yes" if random.random() < 0.5 else b"no."]))
        lines.insert(1 + len(kinds), b"===")
        return b"\n".join(lines) + b"\n"

    def run(self, case: Case, folder: Path) -> str:
        names, _, records = case.content.partition(b"===\n")
        (folder / "table.data").write_bytes(records)
        return super().run(replace(case, content=names, name="table.names"), folder)
