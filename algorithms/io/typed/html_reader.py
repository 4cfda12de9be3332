"""The program of the child process that reads the tables of web pages; damaged pages take its parser very long.

Its messages to :mod:`algorithms.io.typed.html_tables`, besides those of every such program
(:mod:`algorithms.io.child_program`), are these.

=========  ============================================================================================
message    content
=========  ============================================================================================
tables     the tables of the page as [name, number of records; None without headings]
opening    the ``table`` that is read and the ``names`` of its columns; None if it has no row of headings
block      a JSON list of rows of texts, whose ``size`` is that of the body
error      why the page is not read: ``table`` (none of that name), ``no table``, ``wide`` or ``swells``
=========  ============================================================================================
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import takewhile
from pathlib import Path
from typing import Any, Final

from algorithms.io.child_program import RefusedError, run, send
from algorithms.io.text.options import MOST_COLUMNS

CELLS_AT_A_TIME: Final = 50_000
FREE_CELLS: Final = 100_000
"""Number of cells to which spans may swell any page."""
WIDEST_SPAN: Final = 1000
TALLEST_SPAN: Final = 65534
"""Largest spans of a cell, as the standard of HTML has them."""
_CELL: Final = len("<td>")
_UNSEEN: Final = ("script", "style", "template", "title", "noscript", "select", "textarea")
_APART: Final = ("br", "p", "div", "li", "ul", "ol", "hr", "h1", "h2", "h3", "h4", "h5", "h6")
_GROUPS: Final = ("thead", "tbody", "tfoot")
_ENDING: Final = {
    "td": ("td", "th", "tr", "thead", "tbody", "tfoot", "table"),
    "th": ("td", "th", "tr", "thead", "tbody", "tfoot", "table"),
    "tr": ("tr", "thead", "tbody", "tfoot", "table"),
}
"""Tags that end a cell or row whose own end is left out."""
_VOID: Final = ("br", "hr", "img", "input", "meta", "link", "col", "wbr", "area", "base", "embed", "source", "track")


@dataclass(eq=False)
class _Cell:
    is_heading: bool
    width: int
    height: int
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join("".join(self.parts).replace("\0", "\ufffd").split())


@dataclass(eq=False)
class _Table:
    """A table while it is read; ``n_headings`` are the first rows, as far as they are in its head."""

    label: str
    rows: list[list[_Cell]] = field(default_factory=list)
    n_headings: int = 0
    in_head: bool = False
    group_starts: set[int] = field(default_factory=set)
    """The first rows of head, bodies and foot, beyond which no cell spans."""
    caption: list[str] | None = None
    open: list[str] | None = None
    """The parts of the text that is read: those of a cell or the caption."""

    def begin_group(self, tag: str) -> None:
        """Begin the head, a body or the foot, or what follows on one of them without a tag."""
        self.in_head, self.open = tag == "thead", None
        self.group_starts.add(len(self.rows) - bool(self.rows and not self.rows[-1]))

    def begin_row(self) -> None:
        self.open = None
        if not self.rows or self.rows[-1]:
            self.rows.append([])
        if self.in_head and self.n_headings == len(self.rows) - 1:
            self.n_headings += 1

    def begin_cell(self, is_heading: bool, attributes: dict[str, str | None]) -> None:
        if not self.rows:
            self.begin_row()
        width, height = _span(attributes.get("colspan")), _span(attributes.get("rowspan"))
        cell = _Cell(is_heading, min(width, WIDEST_SPAN), min(height, TALLEST_SPAN))
        self.rows[-1].append(cell)
        self.open = cell.parts

    def name(self) -> str:
        return " ".join("".join(self.caption or ()).split())[:80] or self.label


def _span(text: str | None) -> int:
    digits = (text or "").strip()[:6]
    return max(1, int(digits)) if digits.isascii() and digits.isdigit() else 1


class _Page(HTMLParser):
    """The tables of a page in the order of their beginnings; a table within a cell is one of its own."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables = list[_Table]()
        self._within = list[_Table]()
        self._hidden: tuple[str, int] | None = None
        self._n_hidden_tables = 0

    def _ends_hidden(self, tag: str, is_end: bool) -> bool:
        """Whether a tag ends the hidden cell or row in which it stands, since its own end is left out."""
        assert self._hidden is not None
        if tag == "table" and (self._n_hidden_tables or not is_end):
            self._n_hidden_tables += -1 if is_end else 1
            return False
        ends = tag != self._hidden[0] if is_end else True
        return ends and not self._n_hidden_tables and tag in _ENDING.get(self._hidden[0], ())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if self._hidden is not None and self._ends_hidden(tag, is_end=False):
            self._hidden = None
        if self._hidden is not None:
            if tag == self._hidden[0] and tag not in _ENDING:
                self._hidden = tag, self._hidden[1] + 1
            return
        style = (attributes.get("style") or "").replace(" ", "").lower()
        if tag not in _VOID and (tag in _UNSEEN or "hidden" in attributes or "display:none" in style):
            self._hidden, self._n_hidden_tables = (tag, 1), 0
            return
        if tag == "table":
            table = _Table(f"Table {len(self.tables) + 1}")
            self.tables.append(table)
            self._within.append(table)
            return
        if not self._within:
            return
        table = self._within[-1]
        if tag in _GROUPS:
            table.begin_group(tag)
        elif tag == "tr":
            table.begin_row()
        elif tag in ("td", "th"):
            table.begin_cell(tag == "th", attributes)
        elif tag == "caption":
            table.caption = table.open = []
        elif tag in _APART and table.open is not None:
            table.open.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if self._hidden is not None and self._ends_hidden(tag, is_end=True):
            self._hidden = None
        if self._hidden is not None:
            if tag == self._hidden[0] and not (tag in _ENDING and self._n_hidden_tables):
                self._hidden = (tag, self._hidden[1] - 1) if self._hidden[1] > 1 else None
            return
        if not self._within:
            return
        table = self._within[-1]
        if tag == "table":
            self._within.pop()
        elif tag in ("td", "th", "caption", "tr"):
            table.open = None
        elif tag in _GROUPS:
            table.begin_group("")
        elif tag in _APART and table.open is not None:
            table.open.append(" ")

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """Pass over a section that the parser has no name for, instead of failing."""
        try:
            return super().parse_marked_section(i, report)
        except AssertionError:
            return self.parse_bogus_comment(i, report)

    def handle_data(self, data: str) -> None:
        if self._within and self._hidden is None and self._within[-1].open is not None:
            self._within[-1].open.append(data)


def _weight(row: list[str]) -> int:
    """A row's number of characters, and of those that its cells take at least in a page without spans."""
    return _CELL * len(row) + sum(map(len, row))


def _grid(table: _Table, most: int) -> tuple[list[list[str]], int]:
    """The texts of all rows but empty ones, those of spans repeated, and how many of the first are headings."""
    rows, headings, pending, weight = list[list[str]](), list[bool](), dict[int, tuple[int, str]](), 0
    n_in_head = 0
    for number, cells in enumerate(table.rows):
        row = list[str]()
        if number in table.group_starts:
            pending.clear()

        def fill(row: list[str] = row) -> None:
            """Append what cells of earlier rows reach into."""
            while (above := pending.get(len(row))) is not None:
                left, text = above
                pending[len(row)] = left - 1, text
                if left == 1:
                    del pending[len(row)]
                row.append(text)

        for cell in cells:
            fill()
            text = cell.text
            for _ in range(cell.width):
                if cell.height > 1:
                    pending[len(row)] = cell.height - 1, text
                row.append(text)
            if len(row) > MOST_COLUMNS:
                raise RefusedError("wide")
        fill()
        while max(pending, default=-1) >= len(row):  # a short row below a cell that spans
            row.append("")
            fill()
        weight += _weight(row)
        if weight > most:
            raise RefusedError("swells")
        if any(row):
            rows.append(row)
            headings.append(bool(cells) and all(cell.is_heading for cell in cells))
            n_in_head += number < table.n_headings
    return rows, max(n_in_head, len(list(takewhile(bool, headings))))


def _read(request: dict[str, Any]) -> None:
    text = Path(request["path"]).read_text("utf-8", "replace")
    page = _Page()
    page.feed(text)
    page.close()
    most = _CELL * FREE_CELLS + 3 * len(text)
    grids = dict[str, tuple[list[list[str]], int]]()
    for table in page.tables:
        rows, n_headings = _grid(table, most)
        most -= sum(map(_weight, rows))
        if len(rows) > n_headings:
            name = table.name()
            while name in grids:
                name = table.label if table.label not in grids else f"{name} (2)"
            grids[name] = rows, n_headings
    send("tables", tables=[[name, len(rows) - n if n else None] for name, (rows, n) in grids.items()])
    if not grids:
        raise RefusedError("no table")
    wanted = request["table"]
    if wanted is not None and wanted not in grids:
        raise RefusedError("table", names=list(grids))
    if request["want"] == "table":
        largest = max(grids, key=lambda name: sum(map(len, grids[name][0])))
        _send_table(wanted if wanted is not None else largest, *grids[wanted if wanted is not None else largest])


def _send_table(name: str, rows: list[list[str]], n_headings: int) -> None:
    width = max(map(len, rows))
    names = None
    if n_headings:
        columns = [[row[at] for row in rows[:n_headings] if at < len(row) and row[at]] for at in range(width)]
        names = [" ".join(dict.fromkeys(column)) for column in columns]
    send("opening", table=name, names=names, width=width)
    n = max(1, CELLS_AT_A_TIME // width)
    for start in range(n_headings, len(rows), n):
        block = [row + [""] * (width - len(row)) for row in rows[start : start + n]]
        body = json.dumps(block).encode()
        send("block", [body], size=len(body))


if __name__ == "__main__":
    run(_read)
