"""Registry of the formats in which tables are written; the name of the file chooses one.

File dialogs and the help of the command line need names only, so each writer imports its module when it writes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from algorithms.core import extras
from algorithms.core.errors import DataError
from algorithms.core.files import shortened_name
from algorithms.io.servers import is_server_address

if TYPE_CHECKING:
    from algorithms.core.extras import Extra
    from algorithms.core.run_control import RunContext
    from algorithms.data.dataset import Dataset
    from algorithms.io.text.options import Style


@dataclass(frozen=True)
class WritableFormat:
    """A format in which any table is written, with the ``name`` and ``suffixes`` shown in file dialogs.

    ``write(path, data, context, style)`` replaces the file only when the new one is complete, checks for a stop, and
    raises :class:`DataError` for what the format cannot hold. The style says how CSV is written, and
    which table of a database.
    """

    name: str
    suffixes: tuple[str, ...]
    write: Callable[[str | Path, Dataset, RunContext, Style], None]
    extra: Extra | None = None
    """The packages that it needs besides those of the program."""

    @property
    def kind(self) -> str:
        """The entry of a file dialog: "Excel (*.xlsx)"."""
        return f"{self.name} ({' '.join(f'*{suffix}' for suffix in self.suffixes)})"


def _write_csv(path: str | Path, data: Dataset, context: RunContext, style: Style) -> None:
    from algorithms.io.text.text_writing import write_csv

    write_csv(path, data, context, style)


def _write_tsv(path: str | Path, data: Dataset, context: RunContext, style: Style) -> None:
    from algorithms.io.text.text_writing import write_csv

    write_csv(path, data, context, replace(style, delimiter="\t"))


def _write_excel(path: str | Path, data: Dataset, context: RunContext, _style: Style) -> None:
    from algorithms.io.excel import write_excel

    write_excel(path, data, context)


def _write_arff(path: str | Path, data: Dataset, context: RunContext, _style: Style) -> None:
    from algorithms.io.text.text_writing import write_arff

    write_arff(path, data, context)


def _write_sqlite(path: str | Path, data: Dataset, context: RunContext, style: Style) -> None:
    from algorithms.io.typed.sqlite import write_sqlite

    write_sqlite(path, data, context, style)


def _write_parquet(path: str | Path, data: Dataset, context: RunContext, _style: Style) -> None:
    from algorithms.io.typed.parquet import write_parquet

    write_parquet(path, data, context)


def _write_feather(path: str | Path, data: Dataset, context: RunContext, _style: Style) -> None:
    from algorithms.io.typed.parquet import write_feather

    write_feather(path, data, context)


def _write_spss(path: str | Path, data: Dataset, context: RunContext, _style: Style) -> None:
    from algorithms.io.typed.statistics_files import SPSS, write_statistics

    write_statistics(path, data, SPSS, context)


def _write_stata(path: str | Path, data: Dataset, context: RunContext, _style: Style) -> None:
    from algorithms.io.typed.statistics_files import STATA, write_statistics

    write_statistics(path, data, STATA, context)


def _write_sas(path: str | Path, data: Dataset, context: RunContext, _style: Style) -> None:
    from algorithms.io.typed.statistics_files import SAS, write_statistics

    write_statistics(path, data, SAS, context)


def _write_server(path: str | Path, data: Dataset, context: RunContext, style: Style) -> None:
    from algorithms.io.typed.database_writing import write_to_server

    write_to_server(str(path), data, context, style)


CSV: Final = WritableFormat("CSV", (".csv",), _write_csv)
TSV: Final = WritableFormat("TSV", (".tsv", ".tab"), _write_tsv)
EXCEL: Final = WritableFormat("Excel", (".xlsx",), _write_excel)
ARFF: Final = WritableFormat("ARFF, for Weka", (".arff",), _write_arff)
SQLITE: Final = WritableFormat("SQLite", (".sqlite", ".sqlite3", ".db"), _write_sqlite)
SPSS: Final = WritableFormat("SPSS", (".sav",), _write_spss, extras.STATISTICS)
STATA: Final = WritableFormat("Stata", (".dta",), _write_stata, extras.STATISTICS)
SAS: Final = WritableFormat("SAS transport file", (".xpt",), _write_sas, extras.STATISTICS)
PARQUET: Final = WritableFormat("Parquet", (".parquet", ".pq"), _write_parquet, extras.PARQUET)
FEATHER: Final = WritableFormat("Feather, Arrow", (".feather", ".arrow"), _write_feather, extras.PARQUET)
WRITABLE: Final[list[WritableFormat]] = [CSV, EXCEL, TSV, PARQUET, FEATHER, SPSS, STATA, SAS, ARFF, SQLITE]
"""The formats in the order of file dialogs."""
SERVER: Final = WritableFormat("Database", (), _write_server)
"""A database on a server, which has an address in place of a file."""
TEXTS: Final = (CSV, TSV)
"""The formats whose cells have no types, so that a spreadsheet may take text for a formula."""
PACKED: Final = (".gz", ".bz2", ".xz", ".zst")
OUT_SUFFIXES: Final = " ".join(suffix for format in WRITABLE for suffix in format.suffixes)


def written_format(path: str | Path) -> WritableFormat:
    """The format of a table saved under this name: a server by its address, a file by its suffix, else CSV.

    Raises :class:`DataError` for a suffix of a format that is read, but not written.
    """
    if is_server_address(path):
        return SERVER
    suffix = Path(path).suffix.lower()
    for format in WRITABLE:
        if suffix in format.suffixes:
            return format
    from algorithms.io.reading import FORMATS, TEXT

    other = next((each for each in FORMATS if each is not TEXT and suffix in each.suffixes), None)
    if other is not None or suffix in PACKED:
        raise DataError(
            f"Tables are not written as {suffix} files.",
            remedy=f"Choose a name that ends in one of {OUT_SUFFIXES}.",
            place=str(path),
        )
    return CSV


def usable_format(path: str | Path) -> WritableFormat:
    """As :func:`written_format`; raises :class:`MissingExtraError` with its remedy if a package is missing."""
    format = written_format(path)
    if format.extra is not None:
        name = shortened_name(path)
        format.extra.require(f"{name} is to be written in the format {format.name}", str(path), "Writing it")
    return format


def write_table(path: str | Path, data: Dataset, context: RunContext | None = None, style: Style | None = None) -> None:
    """Write the table in the format that the file's name chooses; raises as :func:`usable_format` and the writer."""
    from algorithms.core.run_control import RunContext
    from algorithms.io.text.options import PLAIN

    usable_format(path).write(path, data, context or RunContext(), style or PLAIN)
