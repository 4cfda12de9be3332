"""Parameters of learners, filters and methods, declared once as typed fields of a dataclass.

Validation, the form, its help, the command line, JSON and the report all read this declaration::

    @dataclass(frozen=True, kw_only=True)
    class C45(Learner):
        confidence: float = real(0.25, lo=0.0001, hi=0.5, label="Pruning confidence", help="...",
                                 enabled_if=when("pruning", "error-based"))
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, TypedDict, Unpack, cast

from algorithms.core import plain_json
from algorithms.core.errors import DataError, ParameterError
from algorithms.core.plain_json import finite_number, typed_number
from algorithms.text.names import did_you_mean
from algorithms.text.numbers import in_thousands
from algorithms.text.sentences import within_sentence

if TYPE_CHECKING:
    from algorithms.core.record_costs import CostCell
    from algorithms.data.schema import AttributeKind

_LONGEST: Final = 80
LARGEST: Final = 1e100
SMALLEST: Final = 1e-100
"""Absolute values between these bounds can be squared, summed and divided without overflow or underflow."""


COST_MATRIX_FORM: Final = 'a square table of costs like "0 1; 5 0" with a row for each true class'


def _real(p: Parameter, value: Any) -> float:
    number = finite_number(value)
    if number is None:
        raise p.error(f"must be {p.allowed()}, not {_shown(value)}")
    _bounded(p, number)
    if number and not SMALLEST <= abs(number) <= LARGEST:
        raise p.error(f"must be 0, or from {SMALLEST:g} to {LARGEST:g} in size, not {number:g}")
    return number


def _integer(p: Parameter, value: Any) -> int:
    if isinstance(value, bool) or not (isinstance(value, int) or (isinstance(value, float) and value.is_integer())):
        raise p.error(f"must be {p.allowed()}, not {_shown(value)}")
    number = int(value)
    if abs(number) > plain_json.MOST:
        raise p.error(f"must be {p.allowed()}, not {_shown(number)}")
    return cast(int, _bounded(p, number))


def _shown(value: Any) -> str:
    """The value as text for an error message, shortened if it is long."""
    if isinstance(value, int) and abs(value) > plain_json.MOST:
        return "a number of so many digits"
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _bounded(p: Parameter, value: float) -> float:
    if (p.lo is not None and value < p.lo) or (p.hi is not None and value > p.hi):
        raise p.error(f"must be {p.allowed()}, not {value:g}")
    return value


def _choice(p: Parameter, value: Any) -> str:
    if value not in [option.word for option in p.options]:
        raise p.error(f"must be one of {p.allowed()}, not {value!r}")
    return cast(str, value)


def _boolean(p: Parameter, value: Any) -> bool:
    if not isinstance(value, bool):
        raise p.error(f"must be true or false, not {value!r}")
    return value


def _text(p: Parameter, value: Any) -> str:
    if not isinstance(value, str):
        raise p.error(f"must be text, not {value!r}")
    return value


def _list_of(item: Callable[[Parameter, Any], Any], what: str) -> Callable[[Parameter, Any], tuple[Any, ...]]:
    """A validator of lists that applies ``item`` to each element; ``what`` names the elements in errors."""

    def validate(p: Parameter, value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise p.error(f"must be a list of {what}, not {value!r}")
        return tuple(item(p, v) for v in value)

    return validate


def _columns(p: Parameter, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
        raise p.error(f"must be a list of column names, not {value!r}")
    return tuple(value)


def _cost_matrix(p: Parameter, value: Any) -> tuple[tuple[CostCell, ...], ...]:
    rows: Any = value if isinstance(value, list | tuple) else [None]
    if not all(isinstance(row, list | tuple) and len(row) == len(rows) for row in rows):
        raise p.error(f"must be {COST_MATRIX_FORM}")
    return tuple(tuple(_cost(p, v) for v in row) for row in rows)


def _cost(p: Parameter, value: Any) -> CostCell:
    """A cost that is a number, or the text of a formula if the parameter allows formulas."""
    if p.formulas and isinstance(value, str):
        from algorithms.core.record_costs import parse_cost  # late: it loads NumPy, which --version need not

        try:
            cost = parse_cost(value)
        except DataError as error:
            raise p.error(f"must be {COST_MATRIX_FORM}. {error.sentence}") from error
        return _real(p, cost) if isinstance(cost, float) else value.strip()
    if not isinstance(value, int | float) or isinstance(value, bool):
        alone = f"; {_shown(value)} is no number" if isinstance(value, str) else ""
        raise p.error(f"must be {COST_MATRIX_FORM}{alone}")
    return _real(p, value)


def _learner(p: Parameter, value: Any) -> Any:
    if not isinstance(value, Configurable) or (p.default is not None and _role(value) is not _role(p.default)):
        raise p.error(f"must be a learner, not {getattr(value, 'id', value)!r}")
    return value


def _role(component: Configurable) -> type:
    """The class directly below :class:`Configurable` in the hierarchy: that of learners, filters or methods."""
    return [base for base in type(component).__mro__ if issubclass(base, Configurable)][-2]


_VALIDATORS: Final[Mapping[str, Callable[[Parameter, Any], Any]]] = {
    "real": _real,
    "integer": _integer,
    "choice": _choice,
    "boolean": _boolean,
    "text": _text,
    "column": _text,
    "file": _text,
    "columns": _columns,
    "learner": _learner,
    "integers": _list_of(_integer, "whole numbers"),
    "reals": _list_of(_real, "numbers"),
    "cost-matrix": _cost_matrix,
}


def _number(text: str) -> Any:
    try:
        return int(text) if "_" not in text else text
    except ValueError:
        try:
            return typed_number(text)
        except ValueError:
            return text


_TRUTHS: Final = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(";" if ";" in text else ",") if part.strip()]


def _rows(text: str) -> Any:
    """The table in JSON text, or in rows separated by semicolons with numbers separated by spaces or commas."""
    if text.lstrip()[:1] == "[":
        try:
            return plain_json.loads(text)
        except (ValueError, RecursionError):
            return text
    return [[_number(cell) for cell in row.replace(",", " ").split()] for row in text.split(";") if row.strip()]


_PARSERS: Final[Mapping[str, Callable[[str], Any]]] = {
    "real": _number,
    "integer": _number,
    "boolean": lambda text: _TRUTHS.get(text.lower(), text),
    "columns": _split,
    "integers": lambda text: [_number(part) for part in _split(text)],
    "reals": lambda text: [_number(part) for part in _split(text)],
    "cost-matrix": _rows,
}


def read(kind: str, text: str) -> Any:
    """The value of typed text for this kind of parameter; the text itself if it cannot be parsed."""
    return _PARSERS.get(kind, str)(text)


@dataclass(frozen=True)
class EnabledIf:
    """Condition under which a parameter has an effect: another parameter has one of these values."""

    parameter: str
    values: tuple[Any, ...]

    def holds(self, values: Mapping[str, Any]) -> bool:
        return values.get(self.parameter) in self.values

    def __or__(self, other: EnabledIf) -> AnyOf:
        return AnyOf((self, other))

    def __and__(self, other: EnabledIf) -> AllOf:
        return AllOf((self, other))


@dataclass(frozen=True)
class AnyOf:
    """Condition that holds if one of several conditions holds."""

    conditions: tuple[EnabledIf, ...]

    def holds(self, values: Mapping[str, Any]) -> bool:
        return any(condition.holds(values) for condition in self.conditions)


@dataclass(frozen=True)
class AllOf:
    """Condition that holds if all of several conditions hold."""

    conditions: tuple[EnabledIf, ...]

    def __and__(self, other: EnabledIf) -> AllOf:
        return AllOf((*self.conditions, other))

    def holds(self, values: Mapping[str, Any]) -> bool:
        return all(condition.holds(values) for condition in self.conditions)


Condition = EnabledIf | AnyOf | AllOf


def when(parameter: str, *values: Any) -> EnabledIf:
    return EnabledIf(parameter, values)


_SPECIFICATION: Final = "coppice.parameter"
ALWAYS_THERE: Final[Any] = object()
"""Value of ``Parameter.earlier`` for a parameter that every version of the program has had."""


class ParameterKind(StrEnum):
    REAL = "real"
    INTEGER = "integer"
    CHOICE = "choice"
    BOOLEAN = "boolean"
    TEXT = "text"
    COLUMN = "column"
    COLUMNS = "columns"
    LEARNER = "learner"
    INTEGERS = "integers"
    REALS = "reals"
    COST_MATRIX = "cost-matrix"
    FILE = "file"


@dataclass(frozen=True)
class Option:
    """One value of a choice: the stored word, its label, and a help sentence."""

    word: str
    label: str
    help: str = ""


@dataclass(frozen=True)
class Spelling:
    """Conversion of values of a special type to text and back; ``read`` also accepts the values themselves."""

    read: Callable[[Any], Any]
    write: Callable[[Any], str]


@dataclass(frozen=True)
class Parameter:
    """The declaration of one parameter.

    ``lo`` and ``hi`` are inclusive bounds. An ``optional`` parameter may be None, shown as ``none_label``. For columns
    ``none_label`` names the columns that an empty choice stands for. An ``advanced`` parameter is shown under "More".
    ``unit`` follows the number in the form. A learner can derive the value of a ``suggested`` parameter from the data.
    ``earlier`` is the value assumed for files of older programs, which lack the parameter. With a ``spelling``, values
    of another type are written as text. A text is a formula of columns if it has ``formulas``, and the cells of a cost
    matrix may be some. A column is of one of the ``kinds`` of attributes, of any if there are none.
    """

    name: str
    kind: ParameterKind
    default: Any
    label: str
    help: str
    lo: float | None = None
    hi: float | None = None
    options: tuple[Option, ...] = ()
    enabled_if: Condition | None = None
    advanced: bool = False
    optional: bool = False
    none_label: str = "no limit"
    unit: str = ""
    suggested: bool = False
    earlier: Any = ALWAYS_THERE
    spelling: Spelling | None = None
    formulas: bool = False
    kinds: tuple[AttributeKind, ...] = ()

    def validated(self, value: Any) -> Any:
        """The value converted to the parameter's type; raises :class:`ParameterError` if it is invalid."""
        if value is None and not self.optional:
            raise self.error("needs a value")
        if self.spelling is not None:
            return self.spelling.read(value)
        return None if value is None else _VALIDATORS[self.kind](self, value)

    def parsed(self, text: str) -> Any:
        """The value of typed text; raises :class:`ParameterError` if it is invalid."""
        if self.optional and text.strip().lower() in ("", "none"):
            return None
        return self.validated(read(self.kind, text.strip()))

    def plain(self, value: Any) -> Any:
        """The value as plain JSON values."""
        return _to_plain(value) if self.spelling is None else self.spelling.write(value)

    def error(self, what: str) -> ParameterError:
        return ParameterError(f"{self.label} {what}.", place=self.name)

    def allowed(self) -> str:
        """The allowed values as text."""
        if self.kind is ParameterKind.CHOICE:
            return ", ".join(option.word for option in self.options)
        if self.kind is ParameterKind.BOOLEAN:
            return "true or false"
        bounds = [f"{k} {v:g}" for k, v in (("from", self.lo), ("to", self.hi)) if v is not None]
        words = {
            ParameterKind.REAL: "a number",
            ParameterKind.INTEGER: "a whole number",
            ParameterKind.REALS: "numbers",
            ParameterKind.INTEGERS: "whole numbers",
            ParameterKind.COST_MATRIX: COST_MATRIX_FORM,
            ParameterKind.COLUMN: "the name of a column",
            ParameterKind.COLUMNS: "names of columns",
            ParameterKind.FILE: "the path of a file",
            ParameterKind.LEARNER: "a learner, with its parameters after a dot",
        }.get(self.kind, self.kind.value)
        return " ".join([words, *bounds]) + (" or none" if self.optional else "")


def _declared(kind: ParameterKind, default: Any, label: str, help: str, **more: Any) -> Any:
    specification = {"kind": kind, "label": label, "help": help, **more}
    return field(default=default, metadata={_SPECIFICATION: specification})


class ParameterOptions(TypedDict, total=False):
    """Further properties of a declared parameter; see :class:`Parameter`."""

    enabled_if: Condition | None
    advanced: bool
    suggested: bool
    earlier: Any


class TextParameterOptions(ParameterOptions, total=False):
    """Further properties of a parameter that is a text; see :class:`Parameter`."""

    formulas: bool


class ColumnParameterOptions(ParameterOptions, total=False):
    """Further properties of a parameter that names columns; see :class:`Parameter`."""

    kinds: tuple[AttributeKind, ...]


class NumberParameterOptions(ParameterOptions, total=False):
    """Further properties of a parameter that is a number; see :class:`Parameter`."""

    lo: float | None
    hi: float | None
    optional: bool
    none_label: str
    unit: str


def real(default: float | None, *, label: str, help: str, **more: Unpack[NumberParameterOptions]) -> Any:
    """Declares a real number between ``lo`` and ``hi`` inclusive."""
    return _declared(ParameterKind.REAL, default, label, help, **more)


def integer(default: int | None, *, label: str, help: str, **more: Unpack[NumberParameterOptions]) -> Any:
    """Declares a whole number between ``lo`` and ``hi`` inclusive."""
    return _declared(ParameterKind.INTEGER, default, label, help, **more)


def choice(default: str, *options: Option, label: str, help: str, **more: Unpack[ParameterOptions]) -> Any:
    """Declares a parameter that takes the word of one of ``options``."""
    return _declared(ParameterKind.CHOICE, default, label, help, options=options, **more)


def boolean(default: bool, *, label: str, help: str, **more: Unpack[ParameterOptions]) -> Any:
    return _declared(ParameterKind.BOOLEAN, default, label, help, **more)


def text(default: str, *, label: str, help: str, **more: Unpack[TextParameterOptions]) -> Any:
    """Declares a line of text."""
    return _declared(ParameterKind.TEXT, default, label, help, **more)


def spelled(default: Any, spelling: Spelling, *, label: str, help: str) -> Any:
    """Declares a parameter of a special type that ``spelling`` converts to text and back."""
    return _declared(ParameterKind.TEXT, default, label, help, spelling=spelling)


def file(default: str, *, label: str, help: str, **more: Unpack[ParameterOptions]) -> Any:
    """Declares the path of a file to read."""
    return _declared(ParameterKind.FILE, default, label, help, **more)


def column(default: str | None, *, label: str, help: str, **more: Unpack[ColumnParameterOptions]) -> Any:
    """Declares the name of one column of the data."""
    return _declared(ParameterKind.COLUMN, default, label, help, optional=True, none_label="none", **more)


def columns(
    default: tuple[str, ...] = (), *, label: str, help: str, without: str = "", **more: Unpack[ColumnParameterOptions]
) -> Any:
    """Declares the names of some columns of the data; ``without`` describes the columns used if none is chosen."""
    full_help = f"{help.removesuffix('.')}; without a choice, {without}." if without else help
    return _declared(ParameterKind.COLUMNS, default, label, full_help, none_label=without, **more)


BALANCED: Final = "balanced"


def class_weights(earlier: Any = ALWAYS_THERE) -> Any:
    """Declares whether the records of rare classes weigh more in training."""
    return choice(
        "equal",
        Option("equal", "Equal", "Every record has the same weight."),
        Option(BALANCED, "Balanced", "The rarer a class, the larger the weight of its records."),
        label="Class weights",
        help="Whether errors of rare classes weigh more. For weights of your own use the step Class weights.",
        advanced=True,
        earlier=earlier,
    )


def learner_parameter(default: Any, *, label: str, help: str, **more: Unpack[ParameterOptions]) -> Any:
    """Declares a learner with its own parameters."""
    return _declared(ParameterKind.LEARNER, default, label, help, **more)


def integers(default: tuple[int, ...], *, label: str, help: str, **more: Unpack[NumberParameterOptions]) -> Any:
    """Declares a list of whole numbers, each between ``lo`` and ``hi`` inclusive."""
    return _declared(ParameterKind.INTEGERS, default, label, help, **more)


def reals(default: tuple[float, ...], *, label: str, help: str, **more: Unpack[NumberParameterOptions]) -> Any:
    """Declares a list of real numbers, each between ``lo`` and ``hi`` inclusive."""
    return _declared(ParameterKind.REALS, default, label, help, **more)


def cost_matrix(
    default: tuple[tuple[float, ...], ...] = (),
    *,
    label: str,
    help: str,
    formulas: bool = False,
    **more: Unpack[ParameterOptions],
) -> Any:
    """Declares a square cost matrix (row: true class), maybe of formulas of columns; empty stands for zero-one."""
    return _declared(ParameterKind.COST_MATRIX, default, label, help, formulas=formulas, **more)


def declared_as(owner: type[Any], name: str, **changes: Any) -> Any:
    """Declares the same parameter as ``name`` of the class ``owner``, with another default or other properties."""
    (declared,) = (f for f in fields(owner) if f.name == name)
    default = changes.pop("default", declared.default)
    return field(default=default, metadata={_SPECIFICATION: {**declared.metadata[_SPECIFICATION], **changes}})


@dataclass(frozen=True)
class Preset:
    """A named setting: values of several parameters; the others keep their defaults."""

    word: str
    name: str
    help: str
    values: Mapping[str, Any]


PRESET: Final = "preset"
"""The name under which a preset is typed: ``preset=cn2``."""


@dataclass(frozen=True, kw_only=True)
class Configurable:
    """Base of everything with an id and parameters: learners, filters and methods of evaluation.

    Subclasses are frozen dataclasses, so objects with the same parameters are equal and hashable.
    Construction raises :class:`ParameterError` for an invalid value.
    """

    id: ClassVar[str]
    name: ClassVar[str]
    sentence: ClassVar[str]
    """What the component does, in one sentence for a beginner."""
    presets: ClassVar[tuple[Preset, ...]] = ()
    """Named combinations of parameter values that are known in the field."""

    def __post_init__(self) -> None:
        for parameter in self.parameters():
            value = getattr(self, parameter.name)
            object.__setattr__(self, parameter.name, parameter.validated(value))

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """The declared parameters, in order of declaration."""
        declared: Callable[[Any], tuple[Parameter, ...]] = _declared_by
        return declared(cls)

    @classmethod
    def earlier_values(cls, stored: Collection[str]) -> dict[str, Any]:
        """Values for parameters unknown to the program that wrote a form; a typed form without them gets defaults."""
        missing = [parameter for parameter in cls.parameters() if parameter.name not in stored]
        return {parameter.name: parameter.earlier for parameter in missing} if cls.is_whole(stored) else {}

    @classmethod
    def is_whole(cls, stored: Collection[str]) -> bool:
        """Whether a form with these parameters was stored, not typed: it has all that were always there."""
        return all(parameter.earlier is not ALWAYS_THERE or parameter.name in stored for parameter in cls.parameters())

    @classmethod
    def parameter(cls, name: str, named: str = "") -> Parameter:
        """The parameter of this name; raises :class:`ParameterError`, with the full name ``named``, without it."""
        for parameter in cls.parameters():
            if parameter.name == name:
                return parameter
        names = [p.name for p in cls.parameters()]
        full = named or name
        remedy = did_you_mean(name, names) or f"It has: {', '.join(names) or 'no parameters'}."
        raise ParameterError(f"{cls.name} has no parameter {full!r}.", remedy=remedy, place=full)

    @classmethod
    def preset(cls, word: str) -> Preset:
        """The preset with this word; raises :class:`ParameterError` for an unknown one."""
        for preset in cls.presets:
            if preset.word == word:
                return preset
        words = [preset.word for preset in cls.presets]
        remedy = did_you_mean(word, words) or f"It has: {', '.join(words) or 'none'}."
        raise ParameterError(f"{cls.name} has no preset {word!r}.", remedy=remedy, place=PRESET)

    def preset_in_force(self) -> Preset | None:
        """The preset that equals the current values; None if no preset does."""
        defaults = {p.name: p.default for p in self.parameters()} if self.presets else {}
        return next((preset for preset in self.presets if {**defaults, **preset.values} == self.values()), None)

    def values(self) -> dict[str, Any]:
        return {parameter.name: getattr(self, parameter.name) for parameter in self.parameters()}

    def changed(self) -> dict[str, Any]:
        """The values that differ from their defaults, by name."""
        return {p.name: getattr(self, p.name) for p in self.parameters() if getattr(self, p.name) != p.default}

    def enabled(self, name: str) -> bool:
        """Whether the parameter has an effect under the current values of the others."""
        condition = self.parameter(name).enabled_if
        return condition is None or condition.holds(self.values())

    def with_values(self, **values: Any) -> Self:
        """A copy with some values changed; raises :class:`ParameterError` for an invalid one."""
        for name in values:
            self.parameter(name)
        return replace(self, **values)

    @property
    def form_version(self) -> int:
        """Above 1 for parameters that mean something else now than in forms of a lower version."""
        return 1

    def as_before(self) -> Self:
        """What these parameters meant in forms of a version below :attr:`form_version`."""
        return self

    def to_json(self) -> dict[str, Any]:
        """``{"id": ..., "parameters": {...}}``, with nested learners in the same form, and a "version" above 1."""
        version = {"version": self.form_version} if self.form_version > 1 else {}
        values = {p.name: p.plain(getattr(self, p.name)) for p in self.parameters()}
        return {"id": self.id, "parameters": values, **version}

    def summary(self) -> str:
        """The name and the changed values in one short line for lists and reports."""
        preset = self.preset_in_force()
        if preset is not None:
            return f"{self.name}, {preset.name}"
        changed = [(within_sentence(self.parameter(k).label), k, v) for k, v in self.changed().items()]
        settings = [
            label if v is True else f"{label} {v if k == SEED else setting_words(v)}" for label, k, v in changed
        ]
        return ", ".join([self.name, *settings])


def files_of(configurable: Configurable) -> Iterator[str]:
    """Paths in the options of a learner, filter or method, nested learners included; without blanks around them too."""
    for parameter in configurable.parameters():
        value = getattr(configurable, parameter.name)
        if parameter.kind is ParameterKind.FILE and value:
            yield from dict.fromkeys((str(value), str(value).strip()))
        for within in value if isinstance(value, tuple) else (value,):
            if isinstance(within, Configurable):
                yield from files_of(within)


@cache
def _declared_by(cls: type[Any]) -> tuple[Parameter, ...]:
    """The declared parameters of a class, cached since one construction reads them many times."""
    return tuple(
        Parameter(name=f.name, default=f.default, **f.metadata[_SPECIFICATION])
        for f in fields(cls)
        if _SPECIFICATION in f.metadata
    )


def _to_plain(value: Any) -> Any:
    if isinstance(value, Configurable):
        return value.to_json()
    if isinstance(value, tuple):
        return [_to_plain(v) for v in value]
    return value


SEED: Final = "seed"
"""The name of the random seed. Its number is an identifier, so it is written without separated thousands."""


def setting_words(value: Any) -> str:
    """The value as text with separated thousands, as in "members 10,000"; typed values have none."""
    if isinstance(value, Configurable):
        return value.summary()
    if isinstance(value, tuple):
        return ", ".join(map(setting_words, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return in_thousands(f"{value:.6g}" if isinstance(value, float) else str(value))
    return str(value)


Resolver = Callable[[str], type[Configurable]]
"""Returns the class with an id; raises :class:`UnknownIdError` for an unknown id."""


def from_json(stored: Any, resolve: Resolver) -> Configurable:
    """The object from the form of :meth:`Configurable.to_json`; raises :class:`ParameterError` or UnknownIdError.

    Parameters that an older program lacked get the value :attr:`Parameter.earlier`; those that meant something else
    there are converted by :meth:`Configurable.as_before`.
    """
    if not isinstance(stored, Mapping) or not isinstance(stored.get("id"), str):
        raise ParameterError("An id with its parameters was expected.")
    cls = resolve(stored["id"])
    given = stored.get("parameters", {})
    if not isinstance(given, Mapping):
        raise ParameterError(f"The parameters of {stored['id']!r} must be named values.")
    values = {name: _from_plain(cls.parameter(name), value, resolve) for name, value in given.items()}
    component, version = cls(**{**cls.earlier_values(given), **values}), stored.get("version", 1)
    is_earlier = cls.is_whole(given) and not (isinstance(version, int) and version >= component.form_version)
    return component.as_before() if is_earlier else component


def _from_plain(parameter: Parameter, value: Any, resolve: Resolver) -> Any:
    if parameter.kind is ParameterKind.LEARNER and value is not None:
        return from_json(value, resolve)
    if isinstance(value, list):
        return tuple(tuple(v) if isinstance(v, list) else v for v in value)
    return value


def configured(
    cls: type[Configurable], assignments: Mapping[str, str], resolve: Resolver, within: str = ""
) -> Configurable:
    """The object described by typed text such as ``{"base": "c4.5", "base.confidence": "0.1"}``.

    ``{"preset": "cn2"}`` sets the values of a preset, which typed values override. ``within`` is the prefix of the
    names in the whole command: "base." for the parameters of a base learner. Raises :class:`ParameterError`.
    """
    values: dict[str, Any] = dict(cls.preset(assignments[PRESET]).values) if PRESET in assignments else {}
    nested: dict[str, dict[str, str]] = {}
    for name, typed in assignments.items():
        if name == PRESET:
            continue
        head, dot, rest = name.partition(".")
        parameter = cls.parameter(head, named=within + name)
        if dot and parameter.kind is ParameterKind.LEARNER:
            nested.setdefault(head, {})[rest] = typed
        elif dot:
            raise ParameterError(f"{parameter.label} has no parameters of its own.", place=within + name)
        elif parameter.kind is ParameterKind.LEARNER:
            values[head] = configured(resolve(typed), {}, resolve)
        else:
            values[head] = parameter.parsed(typed)
    for head, inner in nested.items():
        base = values.get(head, cls.parameter(head).default)
        changed = configured(type(base), inner, resolve, f"{within}{head}.")
        given = {k.partition(".")[0] for k in inner if k != PRESET}
        if PRESET in inner:
            given |= set(type(base).preset(inner[PRESET]).values)
        values[head] = base.with_values(**{name: getattr(changed, name) for name in given})
    return cls(**values)
