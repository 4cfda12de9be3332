"""Files that may exceed the memory: how large a table they make, and the survey of a text read in pieces."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.io.reading import ARROW, TEXT, format_of, is_named_as_text, opened_file
from algorithms.io.text.layout_recognition import SAMPLE_SIZE
from algorithms.io.text.options import ReadOptions

if TYPE_CHECKING:
    from algorithms.io.text.surveying import Survey

NEEDED: Final = 2.5
"""Peak memory for reading a text table, per byte of the file."""
PACKED: Final = 8
"""Bytes of text per byte of a compressed file."""
TYPED: Final = 4
"""Bytes of a table per byte of a Parquet file that are expected before its metadata are read."""
USABLE: Final = 0.75
"""Largest share of the free memory for one table."""
USUAL: Final = 1_000_000
"""Number of records of a sample unless another is asked for; fewer where they would not fit into memory."""
FEWEST: Final = 1000


@dataclass(frozen=True)
class OversizedFile:
    """A file that exceeds the memory: its size, the memory needed and the free memory, in bytes.

    ``n_fitting`` is a number of records that fits, 0 if unknown.
    """

    size: int
    needed: int
    free: int
    n_fitting: int = 0

    def sentence(self, name: str) -> str:
        return (
            f"{name} has {_gigabytes(self.size)}. As a table it would take about {_gigabytes(self.needed)} of memory; "
            f"{_gigabytes(self.free)} are free."
        )

    @property
    def usual_sample(self) -> int:
        """How many records a sample has unless another number is asked for."""
        return min(USUAL, self.n_fitting or USUAL)


def _gigabytes(n: int) -> str:
    return f"{n / 1e9:.1f} GB" if n >= 1e8 else f"{max(1, round(n / 1e6)):,} MB"


def too_large(path: str, free: int | None) -> OversizedFile | None:
    """Sizes of a file that probably exceeds the memory, by its size alone; None where it fits or that is unknown."""
    file = Path(path)
    try:
        size = file.stat().st_size
    except OSError:  # opening it reports the error
        return None
    is_typed = ARROW.is_named(file)
    if free is None or not (is_typed or is_named_as_text(file)):
        return None
    needed = int(size * (TYPED if is_typed else NEEDED * (PACKED if file.suffix.lower() == ".gz" else 1)))
    return OversizedFile(size, needed, free) if needed > USABLE * free else None


def measured(path: str, large: OversizedFile) -> OversizedFile | None:
    """The sizes with the number of records that fit, after a look into the file; None where the whole table fits.

    Raises :class:`DataError` for a file that cannot be read.
    """
    with opened_file(path) as source:
        format = format_of(source)
        if format is ARROW:
            from algorithms.io.typed.parquet import table_size

            n, n_bytes = table_size(source)
            if n_bytes <= USABLE * large.free:
                return None
            large, record = replace(large, needed=n_bytes), n_bytes / max(1, n)
        elif format is TEXT:
            head = source.head(SAMPLE_SIZE)
            record = NEEDED * len(head) / max(1, head.count(b"\n"))
        else:
            return large
    return replace(large, n_fitting=max(FEWEST, int(USABLE * large.free / max(1.0, record))))


def survey(
    path: str | Path,
    context: RunContext,
    options: ReadOptions | None = None,
    most: int | None = None,
    seed: int = 0,
) -> Survey:
    """The survey of a text table (:func:`.surveying.survey`); raises :class:`DataError` for another file."""
    from algorithms.io.text.surveying import SAMPLE
    from algorithms.io.text.surveying import survey as surveyed

    with opened_file(path) as source:
        if format_of(source) is not TEXT:
            raise DataError(
                f"{source.name} is no text table, and only those can be read in pieces.",
                remedy="Save it as CSV.",
                place=source.name,
            )
        return surveyed(source, context, options, most or SAMPLE, seed)
