"""Where a table lies among the rows of a sheet or text: titles, several tables, rows of names, units, totals, notes.

:func:`arrangement` looks at the first rows. :class:`RowFilter` then passes the records of the table, row by row, and
leaves out what is none. Rows are judged by the types of their cells: empty, number (or date), word, missing marker.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, Final

from algorithms.data.dates import is_written_date
from algorithms.data.number_formats import amount_value
from algorithms.io.missing_marks import ALL_MARKS
from algorithms.io.text.options import Guess, OtherReading, ReadOptions
from algorithms.text.sentences import and_more, counted

EMPTY, NUMBER, WORD, MARK = range(4)
MOST_TITLES: Final = 20
MOST_HEADS: Final = 3
LOOKED_AT: Final = 60
"""Number of records that show which columns hold numbers."""
MOST_CELLS: Final = 40_000
"""Largest number of cells of the first rows that are looked at; wide tables are seldom messy."""
LEAST_NUMBERS: Final = 0.6
"""Share of the present cells of a column that are numbers if it is one of numbers."""
EQUAL: Final = 2e-3
"""Largest relative difference between a total and the sum of rounded numbers."""

LONG_NOTE: Final = 25
LEAST_RECORDS: Final = 2
"""Notes stand below this many records, or more."""
_TO: Final = (" to ", " and ")
BETWEEN: Final = " / "
"""What joins the parts of a name in several rows."""

_TOTAL_WORDS: Final = (
    "grand total|sub-?total|total|totals|sum|summe|zwischensumme|gesamtsumme|gesamt|insgesamt|sous-total|somme|totale|"
    "subtotale|totaal|subtotaal|suma|razem|ogółem|soma|summa|totalt|yhteensä|celkem|toplam|итого|всего|合计|合計|总计|average|"
    "mean|mittelwert|durchschnitt|moyenne|media|promedio"
)
_TOTAL: Final = re.compile(rf"(?:{_TOTAL_WORDS})\b.*|.*\b(?:total|totals|gesamt|summe)", re.I)
_MEAN: Final = re.compile(r"(?:average|mean|mittelwert|durchschnitt|moyenne|media|promedio)\b", re.I)
_PURE_TOTAL: Final = re.compile(rf"(?:{_TOTAL_WORDS})[\s:.\d/-]*", re.I)
_NOTE: Final = re.compile(
    r"[*†‡§¹²³(\[#].{4}|\d\).{3}|(?:source|sources|note|notes|quelle|quellen|hinweis|anmerkung|anmerkungen|stand|fuente|fonte|bron|legend|"
    r"legende|footnote|remark|remarks|as of|prepared|printed|created|erstellt|gedruckt)\b",
    re.I,
)
_TYPE_WORDS: Final = frozenset(
    (
        *("continuous", "discrete", "string", "numeric", "nominal", "real", "integer", "int", "float", "double"),
        *("text", "date", "class", "meta", "c", "d", "s", "m"),
    )
)
"""Words for kinds of columns, which some programs write below the names."""
_UNIT_PARTS: Final = frozenset(
    (
        *("%", "‰", "ppm", "ppb", "mm", "cm", "dm", "m", "km", "nm", "µm", "μm", "um", "in", "inch", "ft", "yd", "mi"),
        *("mile", "miles", "kg", "g", "mg", "µg", "μg", "ug", "t", "lb", "lbs", "oz", "l", "ml", "µl", "μl"),
        *("ul", "dl"),
        *("cl", "hl", "gal", "s", "sec", "min", "h", "hr", "hrs", "hours", "d", "day", "days", "week", "weeks"),
        *("month", "months", "y", "yr", "yrs", "year", "years", "jahre", "jahr", "tage", "tag", "std", "stunden", "ms"),
        *("µs", "ns", "°c", "°f", "k", "c", "f", "°k", "celsius", "pa", "kpa", "hpa", "mpa", "bar", "mbar", "psi", "n"),
        *("kn", "j", "kj", "mj", "kwh", "wh", "mwh", "gwh", "w", "kw", "mw", "gw", "v", "mv", "kv", "a", "ma", "hz"),
        *("khz", "mhz", "ghz", "rpm", "mol", "mmol", "µmol", "umol", "nmol", "m2", "m²", "km2", "km²", "ha", "cm2"),
        *("cm²", "m3", "m³", "cm3", "cm³", "dm3", "db", "lx", "lm", "cd", "ω", "ohm", "kohm", "kcal", "cal"),
        *("eur", "€"),
        *("$", "usd", "gbp", "£", "chf", "¥", "jpy", "teur", "t€", "tsd", "mio", "mrd", "k€", "k$", "m€", "m$", "pcs"),
        *("pc", "stk", "stück", "st", "count", "deg", "°", "rad", "iu", "u", "kb", "gb", "tb", "mph", "kmh", "kph"),
        *("bpm", "ph"),
    )
)
"""The parts of units, in small letters."""
_UNIT_CUT: Final = re.compile(r"[/·*^\s]+|(?<=[a-z])-?[123]\b")
_BRACKETS: Final = re.compile(r"[\[(](?P<inner>.*)[\])]|(?P<plain>.*)")


@lru_cache(maxsize=1 << 14)
def _type_of_text(text: str) -> int:
    if text in ALL_MARKS:
        return EMPTY if not text else MARK
    is_number = any(map(str.isdigit, text)) and (amount_value(text, ".") is not None or is_written_date(text))
    return NUMBER if is_number or _EXPONENT.fullmatch(text) else WORD


_PLAIN_NUMBER: Final = re.compile(r"-?\d+(?:[.,]\d+)?")
_EXPONENT: Final = re.compile(r"[+-]?\d*[.,]?\d+[eE][+-]?\d+")


def type_of(cell: object) -> int:
    """The type of a cell: a text is judged by what it spells, anything else is a number."""
    if not isinstance(cell, str) or _PLAIN_NUMBER.fullmatch(cell):
        return NUMBER
    return _type_of_text(cell.strip())


def is_unit(text: str) -> bool:
    """Whether a text is a unit of measurement, such as "kg/m²", "[mm]" or "(%)"."""
    match = _BRACKETS.fullmatch(text.strip())
    inner = (match["inner"] or match["plain"] or "").strip() if match else ""
    parts = [part.strip(".").casefold() for part in _UNIT_CUT.split(inner) if part.strip(".")]
    return bool(parts) and len(inner) < 20 and all(part in _UNIT_PARTS for part in parts)


@dataclass(frozen=True, eq=False)
class GridRow:
    """A row: its number from 1, its cells ("" if empty), and whether a blank row precedes it."""

    number: int
    cells: Sequence[Any]
    after_gap: bool = False

    @cached_property
    def types(self) -> Sequence[int]:
        return list(map(type_of, self.cells))

    @cached_property
    def filled(self) -> Sequence[int]:
        """The positions of the cells that are not empty."""
        return [p for p, cell in enumerate(self.cells) if not isinstance(cell, str) or (cell and not cell.isspace())]

    def type(self, place: int) -> int:
        return self.types[place] if place < len(self.types) else EMPTY

    def text(self, place: int) -> str:
        """The cell as text; an integer without a decimal point."""
        cell = self.cells[place] if place < len(self.cells) else ""
        return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell).strip()

    def within(self, columns: Sequence[int]) -> GridRow:
        """The row with the cells of these columns only."""
        n = len(self.cells)
        if n == len(columns) == columns[-1] + 1:
            return self
        return GridRow(self.number, [self.cells[c] if c < n else "" for c in columns], self.after_gap)

    @property
    def is_lone_word(self) -> bool:
        return len(self.filled) == 1 and self.types[self.filled[0]] == WORD


def grid_rows(rows: Iterable[tuple[int, Sequence[Any]]], *, are_all: bool) -> Iterator[GridRow]:
    """The rows that hold something, of numbered rows; blank ones become gaps, and numbers left out unless all are."""
    gap, expected = False, None
    for number, cells in rows:
        gap = gap or (not are_all and expected is not None and number > expected)
        expected = number + 1
        row = GridRow(number, cells, gap)
        if row.filled:
            yield row
            gap = False
        else:
            gap = True


@dataclass(frozen=True, eq=False)
class Arrangement:
    """What the first rows show of the table in question.

    ``columns`` are its positions in the rows, ``names`` those joined from several rows of names (None if the reader
    judges the first row), ``units`` its units by name. Rows before ``begin`` and from ``end`` on are none of its own;
    ``head`` is the last row of names and units, 0 if there is none of several.
    """

    columns: tuple[int, ...]
    begin: int
    end: float = math.inf
    head: int = 0
    names: tuple[str, ...] | None = None
    units: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    """The cells of the first row of names, which pages may repeat; empty if it may be a record."""
    usual: int = 0
    """The usual number of filled cells of its rows."""
    numeric: frozenset[int] = frozenset()
    """The positions in ``columns`` that hold numbers."""
    head_rows: int | None = None
    n_tables: int = 1
    table: int = 1
    length: int = 0
    """The number of cells of its rows in a text, of which shorter and longer ones are no other table; 0 for any."""
    guesses: tuple[Guess, ...] = ()
    is_plain: bool = True
    """Whether the table begins with the first row, alone, and has at most one row of names."""

    @property
    def recognised(self) -> dict[str, Any]:
        """The fields of :class:`ReadOptions` that say where the table lies."""
        return {
            "first_row": self.begin,
            "head_rows": self.head_rows,
            "units": True if self.units else None,
            "table": self.table if self.n_tables > 1 else None,
        }

    def unit_of_name(self, names: Sequence[str]) -> dict[str, str]:
        """The units of the columns by their distinct names."""
        return {name: unit for name, unit in zip(names, self.units, strict=False) if unit}


def arrangement(rows: Sequence[GridRow], options: ReadOptions, *, is_whole: bool) -> Arrangement | None:
    """Where the table lies in the first rows of a sheet or text; None if there are no rows.

    With ``is_whole`` the rows are all there are. Options that are given are not questioned.
    """
    if options.first_row is not None:
        rows = [row for row in rows if row.number >= options.first_row]
    if not rows:
        return None
    tables = _tables(rows, is_whole=is_whole) if options.table != 0 else []
    chosen = max(range(len(tables)), key=lambda i: tables[i].size, default=0)
    if options.table and options.table <= len(tables):
        chosen = options.table - 1
    if len(tables) > 1:
        block, guesses = tables[chosen], _guess_of_tables(tables, chosen, is_given=bool(options.table))
    else:
        block, guesses = _Block(rows, range(max(len(row.cells) for row in rows))), []
    result = _arranged(block, options, guesses, is_whole=is_whole)
    return replace(result, n_tables=max(1, len(tables)), table=chosen + 1)


# ---- several tables --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Block:
    """Consecutive rows, and the columns of a table in them."""

    rows: Sequence[GridRow]
    columns: Sequence[int]

    @cached_property
    def own(self) -> list[GridRow]:
        """The rows with the cells of the columns only, those that hold something."""
        return list(grid_rows_again(row.within(self.columns) for row in self.rows))

    @property
    def size(self) -> int:
        return sum(len(row.filled) for row in self.own if len(row.filled) > 1)

    @cached_property
    def title(self) -> str:
        """The text of a lone cell above the table, else its first name."""
        first = self.own[0]
        return first.text(first.filled[0])[:40]


def grid_rows_again(rows: Iterable[GridRow]) -> Iterator[GridRow]:
    """The rows that still hold something after cells were left out; blank ones become gaps."""
    gap = False
    for row in rows:
        if row.filled:
            yield replace(row, after_gap=row.after_gap or gap)
            gap = False
        else:
            gap = True


def _tables(rows: Sequence[GridRow], *, is_whole: bool) -> list[_Block]:
    """The tables beside and below each other; at most one if nothing proves that there are several."""
    tables = [block for band in _bands(rows, is_whole=is_whole) for block in _stacked(band)]
    return tables if len(tables) > 1 else []


def _bands(rows: Sequence[GridRow], *, is_whole: bool) -> list[_Block]:
    """The tables side by side, parted by empty columns."""
    width = max(len(row.cells) for row in rows)
    whole = _Block(rows, range(width))
    if not is_whole:
        return [whole]
    used = sorted({place for row in rows if len(row.filled) > 1 for place in row.filled})
    runs: list[list[int]] = []
    for place in used:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    bands = [_Block(rows, run) for run in runs]
    if len(bands) < 2 or any(len(band.columns) < 2 or len(band.own) < 2 for band in bands):
        return [whole]
    heads = [_head_below(band.own, 0) for band in bands]
    if any(head is None for head in heads):
        return [whole]
    ends = {band.own[-1].number for band in bands}
    names = [
        name
        for band, head in zip(bands, heads, strict=True)
        for name in map(band.own[head or 0].text, band.own[head or 0].filled)
    ]
    starts_with_title = any(head for head in heads)
    are_apart = len(ends) > 1 or len(set(names)) < len(names) or starts_with_title
    return bands if are_apart else [whole]


def _stacked(band: _Block) -> list[_Block]:
    """The tables below each other in a band: a row of names after a gap or a title begins the next."""
    own = band.own
    starts = [0]
    first_head = _head_below(own, 0)
    names = own[first_head].cells if first_head is not None else ()
    place = (first_head or 0) + 2
    while place < len(own):
        row = own[place]
        if row.after_gap or row.is_lone_word:
            head = _head_below(own, place)
            if head is not None and (row.after_gap or head > place) and list(own[head].cells) != list(names):
                starts.append(place)
                place = head + 1
                continue
        place += 1
    if len(starts) < 2 or first_head is None:
        return [band]
    numbers = [own[start].number for start in starts] + [math.inf]
    parts = [[row for row in band.rows if begin <= row.number < end] for begin, end in pairwise(numbers)]
    parts[0] = [row for row in band.rows if row.number < numbers[1]]
    return [_Block(part, band.columns) for part in parts]


def _head_below(rows: Sequence[GridRow], start: int) -> int | None:
    """The index of a row of names that begins a table at ``start``, below at most two titles; None if there is none.

    It consists of words, more than one, and numbers stand below one of them.
    """
    head = start
    while head < len(rows) and head - start < 2 and rows[head].is_lone_word:
        head += 1
    if head >= len(rows) or len(rows[head].filled) < 2 or any(rows[head].types[p] != WORD for p in rows[head].filled):
        return None
    below: list[GridRow] = []
    for row in rows[head + 1 : head + 1 + LOOKED_AT]:
        if row.after_gap and below:
            break
        below.append(row)
    numeric = _numeric_places(below, len(rows[head].cells))
    return head if any(place in numeric for place in rows[head].filled) else None


def _guess_of_tables(tables: Sequence[_Block], chosen: int, *, is_given: bool) -> list[Guess]:
    titles = [table.title for table in tables]
    others = [title for number, title in enumerate(titles) if number != chosen]
    sentence = (
        f"{counted(len(tables), 'table')} stand apart, each with its own names; "
        f"{titles[chosen]!r} is read{'' if is_given else ', the largest'}, not "
        f"{and_more([repr(title) for title in others], 3)}."
    )
    corrections = [
        OtherReading(f"Read {title}", {"table": number + 1}, f"table={number + 1}")
        for number, title in enumerate(titles)
        if number != chosen
    ]
    corrections.append(OtherReading("Read all as one table", {"table": 0}, "table=0"))
    own = {row.number for row in tables[chosen].own}
    rows = sorted({row.number for table in tables for row in table.own} - own)
    return [Guess("table", sentence, tuple(corrections), rows=tuple(rows))]


# ---- one table -------------------------------------------------------------------------------------------------------


def _numeric_places(rows: Sequence[GridRow], width: int) -> frozenset[int]:
    """The positions in which most of the present cells are numbers."""
    numbers, present = [0] * width, [0] * width
    for row in rows[:LOOKED_AT]:
        for place in row.filled:
            if place < width and row.types[place] != MARK:
                present[place] += 1
                numbers[place] += row.types[place] == NUMBER
    return frozenset(p for p in range(width) if present[p] and numbers[p] >= LEAST_NUMBERS * present[p])


def _usual(rows: Sequence[GridRow]) -> int:
    """The most frequent number of filled cells, the largest of equally frequent ones."""
    widths = Counter(len(row.filled) for row in rows)
    return max(widths, key=lambda width: (widths[width], width)) if widths else 0


def _arranged(block: _Block, options: ReadOptions, guesses: list[Guess], *, is_whole: bool) -> Arrangement:
    rows = block.own
    usual = _usual(rows)
    n_titles = _n_titles(rows, usual) if options.first_row is None else 0
    titles, rows = rows[:n_titles], rows[n_titles:]
    if titles:
        shown = and_more([repr(row.text(row.filled[0])[:60]) for row in titles], 3)
        begin, last = titles[0].number, titles[-1].number
        which = f"Row {begin} stands" if begin == last else f"Rows {begin}{_TO[last - begin == 1]}{last} stand"
        rest = "one cell or two, where the table has" if len(titles) > 1 else "fewer cells than the table, which has"
        sentence = f"{which} above the table and {'is' if begin == last else 'are'} left out: {shown}. "
        sentence += f"{'It has' if len(titles) == 1 else 'They have'} {rest} {usual} in a row."
        keep = OtherReading("Begin there", {"first_row": begin}, f"first-row={begin}")
        numbers = tuple(row.number for row in titles)
        guesses = [*guesses, Guess("first row", sentence, (keep,), rows=numbers)]
    is_from_start = (options.first_row or 1) <= 1
    heads = _Heads.of(rows, options)
    guesses = [*guesses, *heads.guesses]
    columns = list(range(len(block.columns)))
    if is_whole:
        columns = [place for place in columns if any(row.type(place) != EMPTY for row in rows)]
    is_cut = len(columns) < len(block.columns)
    names = None if heads.names is None else tuple(heads.names[place] for place in columns)
    units = tuple(heads.units[place] for place in columns) if heads.units else ()
    numeric = _numeric_places(rows[heads.n :], len(block.columns))
    first = rows[0]
    lengths = Counter(len(row.cells) for row in block.rows if row.number >= first.number)
    return Arrangement(
        columns=tuple(block.columns[place] for place in columns),
        begin=first.number,
        end=block.rows[-1].number + 1 if guesses and guesses[0].key == "table" else math.inf,
        head=rows[heads.n - 1].number if heads.names is not None else 0,
        names=names,
        units=units,
        first=tuple(first.text(place) for place in columns) if heads.n or _head_below(rows, 0) == 0 else (),
        usual=usual,
        numeric=frozenset(index for index, place in enumerate(columns) if place in numeric),
        head_rows=heads.n - bool(heads.units) if heads.names is not None else None,
        length=0 if any(guess.key == "table" for guess in guesses) else lengths.most_common(1)[0][0],
        guesses=tuple(guesses),
        is_plain=not titles and heads.names is None and not guesses and not is_cut and is_from_start,
    )


def _n_titles(rows: Sequence[GridRow], usual: int) -> int:
    """The number of rows above a table: with one filled cell where others have more, or a name with its value."""
    n = 0
    while n < min(MOST_TITLES, len(rows) - 2) and _is_title(rows, n, usual):
        n += 1
    return n


def _is_title(rows: Sequence[GridRow], place: int, usual: int) -> bool:
    row, following = rows[place], rows[place + 1]
    if len(row.filled) == 1:
        if usual > 2:
            return not (following.type(row.filled[0]) == EMPTY and _is_head_of_groups(row, rows[place + 1 :]))
        return usual == 2 and len(following.filled) > 1 and _head_below(rows, place + 1) == place + 1
    pair = len(row.filled) == 2 and list(row.filled) == [row.filled[0], row.filled[0] + 1] and row.filled[0] == 0
    if not (pair and usual > 3 and following.type(0) != EMPTY and row.types[0] == WORD):
        return False
    ahead = rows[place + 1 : place + 1 + MOST_TITLES]
    head = next((i for i, other in enumerate(ahead, place + 1) if 4 * len(other.filled) >= 3 * usual), None)
    return head is not None and _head_below(rows, head) == head


def _is_head_of_groups(row: GridRow, below: Sequence[GridRow]) -> bool:
    """Whether a lone cell names a group of columns: it does not stand in the first column, and names follow below."""
    return row.filled[0] > 0 and len(below) > 1 and all(below[0].types[place] == WORD for place in below[0].filled)


@dataclass(frozen=True, eq=False)
class _Heads:
    """The ``n`` rows of names and units; ``names`` and ``units`` by position if they are joined from several rows."""

    n: int = 0
    names: Sequence[str] | None = None
    units: Sequence[str] = ()
    guesses: tuple[Guess, ...] = field(default=())

    @staticmethod
    def of(rows: Sequence[GridRow], options: ReadOptions) -> _Heads:
        if options.header is False or len(rows) < 2:
            return _Heads()
        width = max(len(row.cells) for row in rows)
        n = options.head_rows
        if n is None:
            n = 1
            while n < MOST_HEADS and len(rows) > n + 1 and _is_further_head(rows, n, width):
                n += 1
        n = min(n, len(rows) - 1)
        has_units = options.units
        if has_units is None:
            has_units = len(rows) > n + 1 and _is_unit_row(rows, n, width)
        has_units = has_units and len(rows) > n + 1
        if n == 1 and not has_units:
            return _Heads()
        units = [rows[n].text(place) for place in range(width)] if has_units else []
        names = _joined_names(rows[:n], width)
        return _Heads(n + bool(has_units), names, units, tuple(_guesses_of_heads(rows, n, names, units, options)))


def _guesses_of_heads(
    rows: Sequence[GridRow], n: int, names: Sequence[str], units: Sequence[str], options: ReadOptions
) -> Iterator[Guess]:
    if n > 1 and options.head_rows is None:
        example = next((name for name in names if BETWEEN in name), names[0])
        which = f"Rows {rows[0].number}{_TO[n == 2]}{rows[n - 1].number}"
        sentence = (
            f"{which} hold the names together: words stand where numbers follow, "
            f"and a name above spans the columns up to the next. So a column is called {example!r}."
        )
        one = OtherReading("One row of names", {"head_rows": 1}, "head-rows=1")
        yield Guess("names", sentence, (one,), rows=tuple(row.number for row in rows[:n]))
    if units and options.units is None:
        shown = and_more([unit for unit in units if unit], 4)
        sentence = f"Row {rows[n].number} holds units ({shown}): numbers follow below. They are kept with the columns."
        record = OtherReading("It is a record", {"units": False}, "units=no")
        yield Guess("units", sentence, (record,), rows=(rows[n].number,))


def _body(rows: Sequence[GridRow], n: int, width: int) -> tuple[Sequence[GridRow], frozenset[int]]:
    body = rows[n + 1 :]
    return body, _numeric_places(body, width)


def _is_further_head(rows: Sequence[GridRow], n: int, width: int) -> bool:
    """Whether row ``n`` continues the names above: words above numbers, where the rows above leave names open."""
    row, above = rows[n], rows[:n]
    body, numeric = _body(rows, n, width)
    if row.after_gap or len(row.filled) < 2 or any(row.types[place] != WORD for place in row.filled) or not numeric:
        return False
    if any(type_ == MARK for other in above for type_ in other.types):
        return False
    own = [place for place in row.filled if place in numeric]
    if 2 * len(own) < len(numeric) or _is_unit_row(rows, n, width):
        return False
    recurs = any(other.text(p) == row.text(p) for p in row.filled if p not in numeric for other in body[:LOOKED_AT])
    if recurs or {row.text(place).casefold() for place in row.filled} <= _TYPE_WORDS:
        return False
    names = [tuple(other.text(place) for other in above) for place in own]
    has_open = any(not "".join(name) for name in names) or len(set(names)) < len(names)
    is_above_names = all(
        above[-1].types[place] == WORD or _is_year(above[-1].text(place)) for place in above[-1].filled
    )
    return has_open and is_above_names


def _is_year(text: str) -> bool:
    return len(text) == 4 and text.isdigit() and 1900 <= int(text) <= 2100


def _is_unit_row(rows: Sequence[GridRow], n: int, width: int) -> bool:
    """Whether row ``n`` holds units only, above numbers."""
    row = rows[n]
    body, numeric = _body(rows, n, width)
    own = [place for place in row.filled if place in numeric]
    if not own or 2 * len(own) < len(numeric) or row.after_gap or any(t == NUMBER for t in row.types):
        return False
    others = [row.text(place) for place in row.filled if place not in numeric]
    if any(text not in ALL_MARKS and not is_unit(text) for text in others):
        return False
    texts = [row.text(place) for place in own]
    recurs = any(other.text(place) == row.text(place) for place in own for other in body[:LOOKED_AT])
    return not recurs and all(is_unit(text) or text in ALL_MARKS for text in texts) and any(map(is_unit, texts))


def _joined_names(rows: Sequence[GridRow], width: int) -> list[str]:
    """The names of the columns, of all rows; a name above is valid up to the next one, if a name stands below it."""
    spread: list[list[str]] = []
    for level, row in enumerate(rows):
        current, names = "", []
        for place in range(width):
            own, below = row.text(place), [other.text(place) for other in rows[level + 1 :]]
            if own:
                current = own if any(below) else ""
            names.append(own or (current if level < len(rows) - 1 and any(below) else ""))
        spread.append(names)
    return [BETWEEN.join(dict.fromkeys(filter(None, (names[place] for names in spread)))) for place in range(width)]


# ---- records ---------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class RowFilter:
    """Passes the records of an arranged table: no totals, no notes below it, no names repeated in it.

    Rows that may be totals or notes wait until a record follows them or the table ends.
    """

    layout: Arrangement
    options: ReadOptions
    adds_up: bool = True
    """Whether numbers are added up, which proves totals; without it, rows that may be totals are only counted."""
    n_labels: int = 0
    """The number of rows that may be totals."""
    totals: list[GridRow] = field(default_factory=list)
    notes: list[GridRow] = field(default_factory=list)
    repeats: list[GridRow] = field(default_factory=list)
    _waiting: list[GridRow] = field(default_factory=list)
    _sums: dict[tuple[int, str], list[float]] = field(init=False)
    """By column and decimal mark: sum of all records, and of those since the last total, and how many these are."""
    _keys: list[tuple[int, str]] = field(init=False)
    _n: int = 0
    _seen: set[str] = field(default_factory=set)
    """Words for totals with which records begin, in small letters: they are categories."""
    _n_sentences: Counter[int] = field(default_factory=Counter)
    """Number of sentences in the columns of the first records."""

    def passed(self, rows: Iterable[GridRow]) -> Iterator[GridRow]:
        """The records among further rows, with the cells of the table; those that wait come later."""
        layout = self.layout
        for whole in rows:
            if (
                whole.number < layout.begin
                or whole.number >= layout.end
                or (layout.head and whole.number <= layout.head)
            ):
                continue
            row = whole.within(layout.columns)
            if not row.filled:
                continue
            if whole.number > layout.begin and self.options.notes is not True and self._is_repeated(row):
                self.repeats.append(row)
            elif self._may_be_none(row, whole):
                self._waiting.append(row)
            else:
                yield from self._released(is_end=False)
                self._count(row)
                is_note = self.options.notes is True and len(whole.cells) == 1
                is_ragged = layout.length and len(whole.cells) != layout.length and not is_note
                yield replace(row, cells=whole.cells[layout.columns[0] :]) if is_ragged else row

    def rest(self, *, is_end: bool = True) -> Iterator[GridRow]:
        """The records among the rows that waited, at the end of the table or of the rows that are known."""
        yield from self._released(is_end=is_end)

    @property
    def n_dropped(self) -> int:
        return len(self.totals) + len(self.notes) + len(self.repeats)

    def _is_repeated(self, row: GridRow) -> bool:
        first = self.layout.first
        return (
            len(row.filled) > 1
            and first != ()
            and row.text(row.filled[0]) == first[row.filled[0]]
            and row.types[row.filled[0]] == WORD
            and all(row.text(place) == name for place, name in enumerate(first))
        )

    def _may_be_none(self, row: GridRow, whole: GridRow) -> bool:
        if whole.number == self.layout.begin:
            self._seen.add(row.text(row.filled[0]).casefold())
            return False
        if self.options.totals is not True and self._label(row):
            self.n_labels += 1
            return True
        return self.options.notes is not True and self._is_note(row, whole)

    def may_be_total(self, row: GridRow) -> bool:
        """Whether a row that ends the table is a total if its numbers add up, which all records show."""
        own = row.within(self.layout.columns)
        return bool(own.filled) and self.options.totals is not True and bool(_PURE_TOTAL.fullmatch(self._label(own)))

    def _label(self, row: GridRow) -> str:
        """The word for a total in the first filled cell of a row; "" if there is none."""
        place = row.filled[0]
        text = row.text(place)
        if not _TOTAL.fullmatch(text[:60]) or row.types[place] != WORD or (place in self.layout.numeric and place > 1):
            return ""
        return text if any(row.types[other] == NUMBER for other in row.filled) else ""

    def _is_note(self, row: GridRow, whole: GridRow) -> bool:
        if len(row.filled) > 1 and not row.after_gap:
            return False
        if self._n < LEAST_RECORDS or any(
            row.types[place] == NUMBER and place in self.layout.numeric for place in row.filled
        ):
            return False
        if len(row.filled) == 1 and self.layout.usual > 1:
            text = row.text(row.filled[0])
            is_cut = len(whole.cells) == 1 and len(self.layout.columns) > 1
            speaks = _NOTE.match(text) is not None or _is_sentence(text)
            return row.types[row.filled[0]] == WORD and (row.after_gap or is_cut or speaks or bool(self._waiting))
        return row.after_gap and self.layout.usual > 3 and 2 * len(row.filled) <= self.layout.usual

    def _released(self, *, is_end: bool) -> Iterator[GridRow]:
        waiting, self._waiting = self._waiting, []
        for row in waiting:
            label = self._label(row) if self.options.totals is not True else ""
            if label and self._is_total(row, label, is_end=is_end):
                self.totals.append(row)
                for sums in self._sums.values():
                    sums[1] = sums[3] = 0
            elif not label and is_end and not (len(row.filled) == 1 and self._speaks_often(row.filled[0])):
                self.notes.append(row)
            else:
                self._seen.update({label.casefold()} - {""})
                self._count(row)
                yield row

    def _is_total(self, row: GridRow, label: str, *, is_end: bool) -> bool:
        """Whether the numbers are sums (or means) of the records above, or the row has no other words at the end."""
        places = [place for place in row.filled if row.types[place] == NUMBER]
        if any(self._adds_up(row, place, label) for place in places):
            return True
        if label.casefold() in self._seen:  # it is a category
            return False
        words = [p for p in range(len(self.layout.columns)) if p not in self.layout.numeric and p != row.filled[0]]
        if words:
            return all(row.type(place) == EMPTY for place in words)
        is_comparable = self.adds_up and any(sums[0] for sums in self._sums.values())
        return is_end and not is_comparable and _PURE_TOTAL.fullmatch(label) is not None

    def _adds_up(self, row: GridRow, place: int, label: str) -> bool:
        for decimal in ".,":
            value, sums = _value(row.cells[place], decimal), self._sums.get((place, decimal))
            if sums is None or value is None or not math.isfinite(value):
                continue
            whole, group, *counts = sums
            if _MEAN.match(label):
                whole, group = whole / max(1, counts[0]), group / max(1, counts[1])
            if any(abs(value - s) <= EQUAL * max(abs(value), abs(s)) and s for s in (whole, group)):
                return self._n > 1
        return False

    def _speaks_often(self, place: int) -> bool:
        """Whether a column has sentences in the records too, such as answers or reviews."""
        return 4 * self._n_sentences[place] >= min(self._n, LOOKED_AT)

    def _count(self, row: GridRow) -> None:
        if self._n < LOOKED_AT:
            self._n_sentences.update(place for place in row.filled if _is_sentence(row.text(place)))
        self._n += 1
        if not self.adds_up:
            return
        for key in self._keys:
            value = _value(row.cells[key[0]], key[1]) if key[0] < len(row.cells) else None
            if value is not None and -math.inf < value < math.inf:
                sums = self._sums[key]
                sums[0] += value
                sums[1] += value
                sums[2] += 1
                sums[3] += 1

    def __post_init__(self) -> None:
        self._keys = [(place, decimal) for place in sorted(self.layout.numeric) for decimal in ".,"]
        self._sums = {key: [0.0, 0.0, 0, 0] for key in self._keys}

    def guesses(self) -> tuple[Guess, ...]:
        """What was left out, and why; complete after :meth:`rest`."""
        guesses = []
        if self.totals:
            label = self.totals[-1].text(self.totals[-1].filled[0])
            what = "holds a total" if len(self.totals) == 1 else "hold totals"
            are = "is" if len(self.totals) == 1 else "are"
            its, they = ("its", "it has") if len(self.totals) == 1 else ("their", "they have")
            sentence = f"{_rows_words(self.totals)} {what} ({label!r}) and {are} left out: "
            sentence += f"{its} numbers are sums of other rows, or {they} no other words."
            keep = OtherReading("Keep totals", {"totals": True}, "totals=keep")
            guesses.append(Guess("totals", sentence, (keep,), rows=tuple(row.number for row in self.totals)))
        none = sorted((*self.notes, *self.repeats), key=lambda row: row.number)
        if none:
            first = self.notes[0] if self.notes else none[0]
            held = [f"notes below the table ({first.text(first.filled[0])[:60]!r})"] if self.notes else []
            held += ["the names again"] if self.repeats else []
            holds, are = ("holds", "is") if len(none) == 1 else ("hold", "are")
            sentence = f"{_rows_words(none)} {holds} {' and '.join(held)} and {are} left out."
            keep = OtherReading("Keep these rows", {"notes": True}, "notes=keep")
            guesses.append(Guess("notes", sentence, (keep,), rows=tuple(row.number for row in none)))
        return tuple(guesses)


def _is_sentence(text: str) -> bool:
    return len(text) >= LONG_NOTE or len(text.split()) > 3 or ": " in text


def _rows_words(rows: Sequence[GridRow]) -> str:
    numbers = [f"{row.number:,}" for row in rows]
    return f"Row {numbers[0]}" if len(numbers) == 1 else f"Rows {and_more(numbers, 4)}"


def _value(cell: object, decimal: str) -> float | None:
    """The number in a cell; None if there is none, or no cell of this decimal mark."""
    if not isinstance(cell, str):
        return float(cell) if isinstance(cell, int | float) and decimal == "." else None
    try:  # faster than any number with unit and sign
        return float(cell.replace(",", "") if decimal == "." else cell.replace(".", "").replace(",", "."))
    except ValueError:
        return amount_value(cell, decimal)
