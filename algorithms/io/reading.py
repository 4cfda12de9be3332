"""Opening a table of any format that can be read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from algorithms.core.context import RunContext
from algorithms.core.errors import DataError
from algorithms.data.dataset import Dataset
from algorithms.io import excel
from algorithms.io.arff import is_arff, read_arff
from algorithms.io.foreign_formats import refuse_foreign_file
from algorithms.io.text.delimited import opened, read_delimited, recognised_options
from algorithms.io.text.layout_recognition import SAMPLE_SIZE, recognise_encoding, refuse_what_is_no_text
from algorithms.io.text.options import ReadOptions, describe
from algorithms.io.text.text_source import TextFile, in_fitting_encoding

__all__ = ["ReadOptions", "column_names", "describe", "read", "sheets", "sniff"]


def read(path: str | Path, context: RunContext, options: ReadOptions | None = None) -> Dataset:
    """The table in a file, the class guessed: the attribute named class, else the last nominal one, else none.

    ARFF is told by its suffix or its first lines, a workbook by its content; everything else is text with delimiters,
    packed with gzip or not.
    What was recognised is published to the context as :class:`ReadOptions`. Bytes read are the context's progress.
    Raises :class:`DataError` with a sentence, a remedy and the place for whatever is wrong with the file.
    """
    with TextFile(Path(path)) as source:
        if _says_arff(source):
            return read_arff(source, context, options or ReadOptions())
        if excel.is_workbook(source):
            return excel.read_sheet(source, context, options or ReadOptions())
        return read_delimited(source, context, options or ReadOptions())


def sniff(path: str | Path, options: ReadOptions | None = None, context: RunContext | None = None) -> ReadOptions:
    """What would be recognised in a file, told from its first part; what ``options`` gives is kept.

    A stop of the context ends the unpacking of a workbook. Raises :class:`DataError` where the file cannot be read as
    a table.
    """
    given = options or ReadOptions()
    with TextFile(Path(path)) as source:
        if _says_arff(source):
            return replace(
                given, encoding=given.encoding or recognise_encoding(source.head(SAMPLE_SIZE)), missing=("?",)
            )
        if excel.is_workbook(source):
            return excel.recognised(source, context or RunContext(), given)

        def attempt(encoding: str | None) -> ReadOptions:
            return recognised_options(opened(source, given, encoding), given)

        return in_fitting_encoding(source, given.encoding, attempt)


def column_names(path: str | Path, options: ReadOptions | None = None) -> tuple[str, ...]:
    """The names of the columns of a text table, told from its first part.

    Raises :class:`DataError` where the file cannot be read as a table.
    """
    given = options or ReadOptions()
    with TextFile(Path(path)) as source:
        return in_fitting_encoding(source, given.encoding, lambda encoding: opened(source, given, encoding).names)


def sheets(path: str | Path, context: RunContext | None = None) -> tuple[str, ...]:
    """The names of a workbook's sheets, () for a file that has none.

    A stop of the context ends the unpacking. Raises :class:`DataError` where the file cannot be read.
    """
    with TextFile(Path(path)) as source:
        return excel.sheets(source, context or RunContext()) if source.size and excel.is_workbook(source) else ()


def _says_arff(source: TextFile) -> bool:
    head = source.head(SAMPLE_SIZE)
    if not head:
        raise DataError(f"{source.name} is empty.", remedy="Choose a file that holds a table.", place=source.name)
    refuse_foreign_file(head, source)
    if source.path.suffix.lower() == ".arff":
        refuse_what_is_no_text(head, source.name)
        return True
    return is_arff(head)
