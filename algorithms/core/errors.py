"""What can go wrong because of what a person did or gave, and the two ways a run ends early.

Everything else that is raised is a bug of the program and is treated as one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

LONGEST: Final = 600
"""Characters of a sentence, a remedy or a place; names in files may be as long as the files."""


class CoppiceError(Exception):
    """Something a person did or gave cannot be used.

    ``sentence`` says what is wrong in plain words, ``remedy`` what to do about it (may be empty),
    ``place`` where it is: a file with its line, a column, an option (may be empty).
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
    """A file or table cannot be read, or does not hold what the operation needs."""


class AbsentColumnsError(DataError):
    """Data lacks columns that a model needs, and has others of them: these could count as missing."""


class UnreadFileError(DataError):
    """Only a project that was opened names this file; ``allow`` has it read from now on."""

    def __init__(self, name: str, allow: Callable[[], object], *, place: str) -> None:
        super().__init__(
            f"The file {name} was not opened, since only the project names it.",
            remedy="Allow it if you trust the project, then start again.",
            place=place,
        )
        self.allow = allow


class ParameterError(CoppiceError):
    """An option has a value that it cannot take, or there is no such option."""


class UnknownIdError(CoppiceError):
    """No learner, filter, method or sample has this id."""


class UnsuitableDataError(CoppiceError):
    """A learner cannot take this data; see :meth:`Learner.check`."""


class ModelFileError(CoppiceError):
    """A saved model or project cannot be read or written, or does not fit the data it is applied to."""


class TimeLimitError(CoppiceError):
    """Work was stopped since it took longer than a person allowed it to."""


class ChangedMeanwhileError(ModelFileError):
    """A file was changed by another program or window since it was opened."""


class Cancelled(BaseException):
    """The run was cancelled. Not an ``Exception``, so that no ``except Exception`` eats it."""


def _in_short(text: str) -> str:
    """The text; of a very long one its beginning and its end."""
    if len(text) <= LONGEST:
        return text
    half = (LONGEST - 3) // 2
    return f"{text[:half]}...{text[-half:]}"
