"""Errors that a user or a file can cause, and the exception of a cancelled run.

Any other exception is treated as a bug of the program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

LONGEST: Final = 600
"""Largest number of characters of a sentence, remedy or place, since names in files may be very long."""


class CoppiceError(Exception):
    """An error caused by user input.

    ``sentence`` says what is wrong and ``remedy`` what to do. ``place`` is a file with its line, a column or an option.
    Remedy and place may be empty.
    """

    def __init__(self, sentence: str, *, remedy: str = "", place: str = "") -> None:
        super().__init__(sentence, remedy, place)
        self.sentence = _in_short(sentence)
        self.remedy = _in_short(remedy)
        self.place = _in_short(place)

    def __str__(self) -> str:
        is_named = repr(self.place) in self.sentence or self.sentence.startswith(f"{self.place} ")
        where = f"{self.place}: " if self.place and not is_named else ""
        what_to_do = f" {self.remedy}" if self.remedy else ""
        return f"{where}{self.sentence}{what_to_do}"


class DataError(CoppiceError):
    """A file or table cannot be read, or lacks what the operation needs."""


class AbsentColumnsError(DataError):
    """Data lacks some of the columns that a model needs; these could count as missing."""


class UnreadFileError(DataError):
    """A file that only an opened project names; ``allow`` permits reading it."""

    def __init__(self, name: str, allow: Callable[[], object], *, place: str) -> None:
        super().__init__(
            f"The file {name} was not opened, since only the project names it.",
            remedy="Allow it if you trust the project, then start again.",
            place=place,
        )
        self.allow = allow


class ParameterError(CoppiceError):
    """An option has an invalid value, or does not exist."""


class UnknownIdError(CoppiceError):
    """No learner, filter, method or sample has this id."""


class UnsuitableDataError(CoppiceError):
    """A learner cannot take this data; see :meth:`Learner.check`."""


class ModelFileError(CoppiceError):
    """A saved model or project cannot be read or written, or does not fit the data."""


class TimeLimitError(CoppiceError):
    """Work exceeded its time limit."""


class ChangedMeanwhileError(ModelFileError):
    """A file was changed by another program or window since it was opened."""


class Cancelled(BaseException):
    """The run was cancelled; no ``Exception``, so that ``except Exception`` does not catch it."""


def _in_short(text: str) -> str:
    """The text, with the middle of a very long one left out."""
    if len(text) <= LONGEST:
        return text
    half = (LONGEST - 3) // 2
    return f"{text[:half]}...{text[-half:]}"
