"""CSV text: quotes where they are needed, and formulas neutralised where that is asked for (CSV injection, CWE-1236).

Source: RFC 4180; OWASP, CSV Injection: an apostrophe before text keeps a spreadsheet from taking it for a formula.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import Final, TextIO

_FORMULA: Final = re.compile("[=+\\-@\t\r\n＝＋－＠]")
"""How text begins that a spreadsheet takes for a formula, the wide signs of East Asian keyboards among them."""
_NUMBER: Final = re.compile(r"[+-]?(?:(?:\d[\d.,'\u00a0\u202f ]*|[.,]\d+)(?:[eE][+-]?\d+)?\s?%?|inf|nan)|[+-]")
"""A number as tables write it, or a lone sign: neither calls anything."""


def neutralised(text: str) -> str:
    """``text`` with an apostrophe before it where a spreadsheet would take it for a formula; numbers stay."""
    if _FORMULA.match(text) is None or _NUMBER.fullmatch(text) is not None:
        return text
    return f"'{text}"


def neutralised_csv(text: str) -> str:
    """A whole CSV text with commas, every cell :func:`neutralised`."""
    written = io.StringIO()
    rows = csv.reader(io.StringIO(text, newline=""))
    CsvWriter(written).writerows([neutralised(cell) for cell in row] for row in rows)
    return written.getvalue()


class CsvWriter:
    """Writes rows with a line feed after each, as :func:`csv.writer` does, but quotes a carriage return too.

    Unquoted, spreadsheets take it for the end of the row, and what follows for a cell of its own.
    """

    def __init__(self, stream: TextIO, delimiter: str = ",") -> None:
        self._stream, self._delimiter = stream, delimiter
        self._needs_quotes = re.compile(rf'[{re.escape(delimiter)}"\r\n]')

    def writerow(self, row: Iterable[object]) -> None:
        """Write one row; None is an empty cell."""
        cells = [self._quoted("" if cell is None else str(cell)) for cell in row]
        self._stream.write(self._delimiter.join(cells if cells != [""] else ['""']) + "\n")

    def writerows(self, rows: Iterable[Iterable[object]]) -> None:
        for row in rows:
            self.writerow(row)

    def _quoted(self, text: str) -> str:
        return text if self._needs_quotes.search(text) is None else '"' + text.replace('"', '""') + '"'
