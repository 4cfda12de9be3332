"""Errors that a user or a file can cause, and that of a cancelled run; any other exception is a bug."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Final

from algorithms.text.sentences import and_more

LONGEST: Final = 600
"""Largest number of characters of a sentence, remedy or place; names in files may be very long."""


class CoppiceError(Exception):
    """A user's error: ``sentence`` says what is wrong, ``remedy`` what to do, ``place`` where; both may be empty."""

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
    """The data lacks columns that a model needs; the user may have them treated as missing values."""


class MissingExtraError(DataError):
    """A file needs a package that is not installed; the remedy ends with the command that installs it."""


class PasswordNeededError(DataError):
    """A database server wants a password, or refused the one it got; ``address`` says which, without password."""

    def __init__(self, sentence: str, address: str, *, remedy: str = "") -> None:
        super().__init__(sentence, remedy=remedy)
        self.address = address


class UnreadFileError(DataError):
    """Files were not opened because only a loaded file names them; calling ``allow`` permits reading them."""

    def __init__(self, paths: Sequence[str], allow: Callable[[], object], *, named_by: str = "project") -> None:
        """``paths`` has at least one path or address; ``named_by`` is the kind of the file that names them."""
        is_one = len(paths) == 1
        them, were = ("it", "was") if is_one else ("them", "were")
        files = f"The file {PurePath(paths[0]).name}" if is_one else f"{len(paths):,} files"
        which = "" if is_one else f": {and_more(paths, 3)}"
        super().__init__(
            f"{files} {were} not opened, since only the {named_by} names {them}{which}.",
            remedy=f"Allow {them} if you trust the {named_by}, then start again.",
            place=paths[0] if is_one else "",
        )
        self.allow, self.paths = allow, tuple(paths)
        self.allow_words = "Allow it" if is_one else "Allow them"


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


class ClusterError(CoppiceError):
    """The workers of a cluster cannot be reached, or were lost; what was not done can be done again."""


class WorkersEndedError(CoppiceError):
    """Every worker that ran a part ended; perhaps the part needs more memory than a worker has."""


class ChangedMeanwhileError(ModelFileError):
    """A file was changed by another program or window since it was opened."""


class Cancelled(BaseException):
    """Raised when a run is cancelled; no ``Exception``, so that ``except Exception`` does not catch it."""


def _in_short(text: str) -> str:
    """The text; if it is very long, its middle is replaced by an ellipsis."""
    if len(text) <= LONGEST:
        return text
    half = (LONGEST - 3) // 2
    return f"{text[:half]}...{text[-half:]}"
