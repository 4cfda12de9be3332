"""Parsing of the command line, with errors that suggest a remedy."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from algorithms.core.errors import ParameterError
from algorithms.core.files import check_writable
from algorithms.core.parameters import (
    COST_MATRIX_FORM,
    PRESET,
    AllOf,
    AnyOf,
    Configurable,
    EnabledIf,
    ParameterKind,
    configured,
)
from algorithms.core.plain_json import MOST, typed_number
from algorithms.data.schema import Schema
from algorithms.evaluation.checks.warning import ResultWarning
from algorithms.io.text.options import MOST_MINUTES, READ_FORMS
from algorithms.text.names import did_you_mean

if TYPE_CHECKING:
    from algorithms.core.learner import Learner
    from algorithms.core.registry import Registry
    from algorithms.core.resampling import Method


INVALID_CHOICE: Final = re.compile(r"invalid choice: '(?P<word>.*?)' \(choose from (?P<choices>.*)\)")
LACKING: Final = "the following arguments are required"
LEAST_SECONDS: Final = 0.01
MOST_SECONDS: Final = 1_000_000
MOST_THREADS: Final = 1_000
LONGEST: Final = 40
"""Number of characters of an invalid number that its error message shows."""
COST_FILE: Final = "the name of a file that --costs reads"
NO_NUMBERS: Final = re.compile(r"[^\d\s.,;+\-eE\[\]]")
"""A character that cannot occur in a typed cost matrix; it marks the text as a file name."""
QUOTED: Final = re.compile(r"[\w.-]+")
GIVEN: Final = "_given"
"""Name of the namespace attribute that collects the options given so far."""


METHOD_FORM: Final = "ID[:NAME=VALUE,...]"
PARAMETER_HELP: Final = "a parameter; one of a learner within: -p base=cart -p base.max_depth=3 (see: list learners ID)"


class WrongUseError(Exception):
    """The command line is invalid; the message says why in one line."""


class StoreOnce(argparse.Action):
    """Stores the value of an option; a repeated option raises :class:`WrongUseError`."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        given: frozenset[str] = getattr(namespace, GIVEN, frozenset())
        if option is not None and self.dest in given:
            parser.error(f"{option} is given twice")
        if option is not None:
            setattr(namespace, GIVEN, given | {self.dest})
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """Argument parser that raises :class:`WrongUseError` with a "did you mean" suggestion."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.register("action", None, StoreOnce)
        self.register("action", "store", StoreOnce)
        self._words: tuple[str, ...] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """As in the standard library, but rejects unknown options here, where the subcommand's options are known."""
        self._words = tuple(sys.argv[1:] if args is None else args)
        parsed, rest = super().parse_known_args(args, namespace)
        if rest:
            near = self._suggestion(rest)
            self.error(f"unrecognized arguments: {' '.join(rest)}{f'. {near}' if near else ''}")
        return parsed, rest

    def _suggestion(self, words: Sequence[str]) -> str:
        """The sentence "Did you mean ...?" for the first unknown option in ``words``, or an empty text."""
        options = [option for action in self._actions for option in action.option_strings]
        names = (word.partition("=")[0] for word in words if word.startswith("--") and len(word) > len("--"))
        strange = next((name for name in names if not any(option.startswith(name) for option in options)), "")
        return did_you_mean(strange, options) if strange else ""

    def error(self, message: str) -> NoReturn:
        if message.startswith(LACKING):
            near = self._suggestion(self._words)
            message = f"{message}. {near}" if near else message
        strange = INVALID_CHOICE.search(message)
        if strange is not None:
            near = did_you_mean(strange["word"], QUOTED.findall(strange["choices"]))
            message = f"{message}. {near}" if near else message
        raise WrongUseError(f"{message} (see {self.prog} --help)")


def whole(text: str, least: int = 0, most: int = MOST) -> int:
    """The integer of a text of digits; raises ``ArgumentTypeError`` unless it lies in [least, most]."""
    digits = text.lstrip("0") or "0"
    if text.isascii() and text.isdigit() and len(digits) <= len(str(most)) and least <= int(digits) <= most:
        return int(digits)
    shown = repr(text) if len(text) <= LONGEST else f"{text[:LONGEST]!r}..."
    raise argparse.ArgumentTypeError(f"{shown} is not a whole number from {least} to {most:,}")


positive: Final = partial(whole, least=1)
threads: Final = partial(whole, least=1, most=MOST_THREADS)


def widths(text: str) -> tuple[int, ...]:
    """The widths of columns in a text such as "10,5,8"; raises ``ArgumentTypeError`` for anything else."""
    parts = text.replace(",", " ").split()
    if not parts:
        raise argparse.ArgumentTypeError(f"{text!r} names no width")
    return tuple(positive(part, most=MOST_WIDTH) for part in parts)


MOST_WIDTH: Final = 1 << 20
"""Largest width of a column of text, in characters."""
_ARGUMENTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "model": {"metavar": "MODEL"},
    "data": {
        "metavar": "DATA",
        "help": "a file, https://ADDRESS, sample:NAME[:size=N,seed=N], or a database: "
        "postgresql://USER@HOST:PORT/DATABASE (or mysql, mssql, oracle); its password comes from "
        "COPPICE_DATABASE_PASSWORD, the key ring, or a question",
    },
    "--sheet": {
        "metavar": "NAME",
        "help": "sheet of a workbook, table of a database, data frame of an R file (default: the first with records)",
    },
    "--http": {"action": "store_true", "help": "allow web addresses without encryption"},
    "--query": {"metavar": "SELECT", "help": "the result of this query of a database, instead of a table"},
    "--widths": {
        "metavar": "N,N,...",
        "type": widths,
        "help": "characters of each column of a fixed-width text; the last reaches to the end of the line "
        "(default: recognized by columns of blanks)",
    },
    "--read": {
        "metavar": "NAME=VALUE",
        "action": "append",
        "default": [],
        "help": "how the file is read, where the notes on it are wrong; may be repeated: " + READ_FORMS,
    },
    "--sample": {
        "metavar": "N[:seed=S]",
        "help": "a random sample of at most N records of a text or Parquet file, with exact statistics of all of them: "
        "for files larger than memory",
    },
    "--append": {
        "metavar": "FILE",
        "action": "append",
        "default": [],
        "help": "a file with the same columns, whose records come below those of DATA; may be repeated",
    },
    "--file-column": {"metavar": "NAME", "help": "a column of this name with the file of each record (--append)"},
    "--learner": {"metavar": METHOD_FORM, "required": True, "help": "see: list learners"},
    "-p": {"metavar": "NAME=VALUE", "action": "append", "default": [], "help": PARAMETER_HELP},
    "--class": {"metavar": "COLUMN", "dest": "class_name", "help": "the column to predict"},
    "--method": {"metavar": METHOD_FORM, "help": "see: list methods (default: cross-validation)"},
    "--seed": {"metavar": "N", "type": whole, "default": 1, "help": "the same seed gives the same numbers"},
    "--threads": {"metavar": "N", "type": threads, "help": "default: one a processor core"},
    "--cluster": {
        "metavar": "ADDRESS",
        "help": "give the work to processes of this computer (processes, processes:N) or to the workers of a Dask "
        "scheduler (tcp://HOST:PORT; tls:// with the certificates of Dask's configuration, distributed.comm.tls). "
        "Same numbers. Workers need the same Coppice, and run what they get: only between machines that you trust",
    },
    "--json": {"action": "store_true", "help": "one JSON object"},
}
"""Arguments that several subcommands share."""


def add_arguments(verb: argparse.ArgumentParser, *names: str) -> None:
    """Declare shared arguments of a subcommand, in this order."""
    for name in names:
        verb.add_argument(name, **_ARGUMENTS[name])


def bounded(text: str, name: str, least: int, most: int) -> int:
    """As :func:`whole`, for a number inside the value of option ``name``; raises :class:`WrongUseError`."""
    try:
        return whole(text, least, most)
    except argparse.ArgumentTypeError as error:
        raise WrongUseError(f"{name}: {error}.") from error


def seconds(text: str) -> float:
    try:
        number = typed_number(text)
    except ValueError:
        number = 0.0
    if not LEAST_SECONDS <= number <= MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from {LEAST_SECONDS} to {MOST_SECONDS}")
    return number


def minutes(text: str) -> float:
    try:
        number = typed_number(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= MOST_MINUTES:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of minutes above 0, {MOST_MINUTES:,} at most")
    return number


def share(text: str) -> float:
    try:
        number = typed_number(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 up to 1")
    return number


def assignments_of(words: Sequence[str], where: str) -> dict[str, str]:
    assignments: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise WrongUseError(f"{where}: {word!r} is not NAME=VALUE.")
        if name.strip() in assignments:
            raise WrongUseError(f"{where}: {name.strip()} is given twice.")
        assignments[name.strip()] = value
    return assignments


def id_and_assignments(text: str) -> tuple[str, dict[str, str]]:
    """ "id:a=1,b=2" split into id and assignments; a comma splits only before the next NAME=."""
    id, _, rest = text.partition(":")
    words = re.split(r",(?=[A-Za-z_][\w.]*=)", rest) if rest else []
    return id, assignments_of(words, id)


def id_and_all_assignments(text: str, words: Sequence[str]) -> tuple[str, dict[str, str]]:
    """As :func:`id_and_assignments`, with the words of ``-p`` added; raises if a name is given twice."""
    id, given = id_and_assignments(text)
    more = assignments_of(words, "-p")
    for name in more:
        if name in given:
            raise WrongUseError(f"-p: {name} is given twice.")
    return id, {**given, **more}


def check_untried(given: Iterable[str], tried: Iterable[str], option: str) -> None:
    """Raise :class:`WrongUseError` if a parameter in ``tried`` (by ``option``) also has a value in ``given``."""
    for text in tried:
        name = text.partition("=")[0].strip()
        if name in given:
            raise WrongUseError(f"{option} tries values of {name}: leave out its own value.")


def configure(cls: type[Configurable], assignments: Mapping[str, str], registry: Registry) -> Any:
    return configured(cls, assignments, registry.resolve)


def method_of(
    options: argparse.Namespace, registry: Registry, default: str = "cross-validation"
) -> tuple[Method, list[ResultWarning]]:
    """The evaluation method that the options name, and warnings on its parameters without effect."""
    id, assignments = id_and_assignments(options.method or default)
    method: Method = configure(registry.methods.get(id), assignments, registry)
    return method, without_effect(method, assignments)


class LearnerArgument:
    """A learner as typed; cost files among its parameters are read once the classes are known."""

    def __init__(self, id: str, given: Mapping[str, str], registry: Registry) -> None:
        """Raises as :func:`configure` does, and :class:`ParameterError` if a cost file does not exist."""
        self._cls, self._given, self._registry = registry.learners.get(id), given, registry
        files = ((name, text.strip()) for name, text in given.items() if NO_NUMBERS.search(text))
        self._files = {name: path for name, path in files if self._is_cost_matrix(name)}
        for name, path in self._files.items():
            if not path_exists(path):
                label = self._cls.parameter(name.partition(".")[0]).label
                raise ParameterError(f"{label} must be {COST_MATRIX_FORM}, or {COST_FILE}, not {path!r}.", place=name)
        self.unread: Learner = self._with_costs("[]")

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of the cost files."""
        return tuple(self._files.values())

    def of(self, classes: tuple[str, ...]) -> Learner:
        """The learner for these classes; raises :class:`DataError` if a cost file does not fit them."""
        from algorithms.evaluation.costs.cost_matrix import read_costs

        read = {name: read_costs(path, classes).cells(classes) for name, path in self._files.items()}
        return self._with_costs(**{name: json.dumps(costs) for name, costs in read.items()})

    def _with_costs(self, unread: str = "", **read: str) -> Learner:
        typed = {**self._given, **(read or dict.fromkeys(self._files, unread))}
        learner: Learner = configure(self._cls, typed, self._registry)
        return learner

    def _is_cost_matrix(self, name: str) -> bool:
        cls: type[Configurable] = self._cls
        within = ""
        *heads, last = name.split(".")
        for head in heads:
            within += head
            typed, default = self._given.get(within), cls.parameter(head).default
            if cls.parameter(head).kind is not ParameterKind.LEARNER:
                return False
            cls, within = self._registry.resolve(typed) if typed else type(default), f"{within}."
        return last != PRESET and cls.parameter(last, named=name).kind is ParameterKind.COST_MATRIX


def path_exists(path: str) -> bool:
    """Whether a file or folder has this path; False for a name that the file system rejects."""
    return os.path.exists(path)  # noqa: PTH110 - Path.exists raises for a name of over 255 bytes


def check_output(option: str, written: str | None, *read: str | None) -> None:
    """Check that the file of an option can be written and is none of the files that are read.

    Raises :class:`WrongUseError` if the name is empty or equals a file in ``read``, and :class:`DataError` if the file
    cannot be written.
    """
    if written is None:
        return
    if not written:
        raise WrongUseError(f"{option} needs the name of a file.")
    for path in filter(None, read):
        if path_exists(path) and path_exists(written) and Path(path).samefile(written):
            raise WrongUseError(f"{option} {written} would overwrite {path}, which is read here. Give it another name.")
    check_writable(written)


def condition_words(condition: EnabledIf | AnyOf | AllOf) -> str:
    """The condition under which a parameter has an effect: "pruning=error-based or pruning=pessimistic"."""
    if isinstance(condition, EnabledIf):
        return " or ".join(
            f"{condition.parameter}={(str(value).lower() if isinstance(value, bool) or value is None else str(value))}"
            for value in condition.values
        )
    between = " or " if isinstance(condition, AnyOf) else " and "
    return between.join(condition_words(part) for part in condition.conditions)


def without_effect(thing: Configurable, given: Iterable[str], within: str = "") -> list[ResultWarning]:
    """Warnings on ``given`` parameters that others switch off; ``within`` is the prefix of a nested learner's names."""
    warnings: list[ResultWarning] = []
    for name in given:
        head, dot, rest = name.partition(".")
        if name == PRESET:
            continue
        inner = getattr(thing, head)
        condition = thing.parameter(head).enabled_if
        if condition is not None and not thing.enabled(head):
            why = f"It counts only with {condition_words(condition)}."
            warnings.append(ResultWarning("no-effect", (f"{within}{name} has no effect here",), why))
        elif dot and isinstance(inner, Configurable):
            warnings += without_effect(inner, [rest], f"{within}{head}.")
    return warnings


def check_columns(things: Sequence[Configurable], schema: Schema) -> None:
    """Raise :class:`ParameterError` if a parameter of ``things`` names a column that does not exist.

    ``things`` stand in the order of application. The check ends at the first filter that may add columns.
    """
    for thing in things:
        for parameter in thing.parameters():
            value = getattr(thing, parameter.name)
            if parameter.kind is ParameterKind.LEARNER and isinstance(value, Configurable):
                check_columns([value], schema)
            if parameter.kind not in (ParameterKind.COLUMN, ParameterKind.COLUMNS) or not thing.enabled(parameter.name):
                continue
            for name in (value,) if isinstance(value, str) else value or ():
                check_column(schema, name, thing.id)
        if getattr(thing, "adds_columns", False):
            return


def check_column(schema: Schema, name: str, place: str) -> None:
    """Raise :class:`ParameterError` with a suggestion if the schema has no column ``name``."""
    if name not in schema:
        raise ParameterError(f"There is no column {name!r}.", remedy=other_columns(name, schema.names), place=place)


def other_columns(name: str, names: Sequence[str]) -> str:
    """A suggestion of similar column names, or the first ten columns if none is similar."""
    more = ", ..." if len(names) > 10 else ""
    return did_you_mean(name, names) or f"The columns are {', '.join(names[:10])}{more}."


SEARCH: Final = "search:"
"""Begins a word of a learner that names values to try."""


class AddLearner(argparse.Action):
    """Starts a new learner to compare: a list of its words, the id first."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or []), [values]])


class AddParameter(argparse.Action):
    """Appends a parameter to the learner named last."""

    prefix = ""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        learners = getattr(namespace, self.dest)
        if not learners:
            parser.error(f"{option} {values} comes before a learner: write it after --learner ID")
        learners[-1].append(f"{self.prefix}{values}")


class AddSearch(AddParameter):
    """Appends values to try to the learner named last."""

    prefix = SEARCH
