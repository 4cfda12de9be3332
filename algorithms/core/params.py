"""Parameters: declared once, as typed fields of the frozen dataclass that is the learner, filter or method.

From the one declaration come validation, the form, its help, the command line, JSON and the report::

    @dataclass(frozen=True, kw_only=True)
    class C45(Learner):
        confidence: float = real(0.25, lo=0.0001, hi=0.5, label="Pruning confidence", help="...",
                                 enabled_if=when("pruning", "error-based"))
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import cache
from typing import Any, ClassVar, Final, Self, TypedDict, Unpack

from algorithms.core.enabling import AllOf, AnyOf, Condition
from algorithms.core.errors import ParameterError
from algorithms.core.parameter_values import COST_MATRIX_FORM, read, validated
from algorithms.core.suggestions import did_you_mean

_SPECIFICATION: Final = "coppice.parameter"
ALWAYS_THERE: Final[Any] = object()
"""Stands for no earlier value: every program that wrote files had the parameter."""


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
    """One value of a choice: the word that is stored and typed, its label, and a sentence."""

    word: str
    label: str
    help: str = ""


@dataclass(frozen=True)
class Parameter:
    """The declaration of one parameter, complete but for its current value.

    ``lo`` and ``hi`` are inclusive bounds. ``optional`` parameters may be None, shown as ``none_label``, which
    of columns says what choosing none means (empty: none).
    ``advanced`` ones stand under "More". ``unit`` follows the number in the form. For a ``suggested`` one the learner
    finds a value in the data where it is asked to. A parameter added later has an ``earlier`` value: what programs
    without it did, which files that they wrote mean.
    """

    name: str
    kind: ParameterKind
    default: Any
    label: str
    help: str
    lo: float | None = None
    hi: float | None = None
    options: tuple[Option, ...] = ()
    enabled_if: Condition | AnyOf | AllOf | None = None
    advanced: bool = False
    optional: bool = False
    none_label: str = "no limit"
    unit: str = ""
    suggested: bool = False
    earlier: Any = ALWAYS_THERE

    def validated(self, value: Any) -> Any:
        """The value in the parameter's own type; raises :class:`ParameterError` where it cannot be one."""
        if value is None:
            if self.optional:
                return None
            raise self.error("needs a value")
        return validated(self, value)

    def parsed(self, text: str) -> Any:
        """The value that a person typed as text; raises :class:`ParameterError`."""
        if self.optional and text.strip().lower() in ("", "none"):
            return None
        return self.validated(read(self.kind, text.strip()))

    def error(self, what: str) -> ParameterError:
        return ParameterError(f"{self.label} {what}.", place=self.name)

    def allowed(self) -> str:
        """What the value may be, in words."""
        if self.kind is ParameterKind.CHOICE:
            return ", ".join(option.word for option in self.options)
        if self.kind is ParameterKind.BOOLEAN:
            return "true or false"
        bounds = [f"{k} {_short(v)}" for k, v in (("from", self.lo), ("to", self.hi)) if v is not None]
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


def _short(number: float) -> str:
    return f"{number:g}"


def _declared(kind: ParameterKind, default: Any, label: str, help: str, **more: Any) -> Any:
    specification = {"kind": kind, "label": label, "help": help, **more}
    return field(default=default, metadata={_SPECIFICATION: specification})


class OfNumber(TypedDict, total=False):
    """What more there is to say of a parameter that is a number; see :class:`Parameter`."""

    lo: float | None
    hi: float | None
    optional: bool
    none_label: str
    unit: str
    enabled_if: Condition | AnyOf | AllOf | None
    advanced: bool
    earlier: float | None


def real(default: float | None, *, label: str, help: str, **more: Unpack[OfNumber]) -> Any:
    """A real number between ``lo`` and ``hi`` inclusive."""
    return _declared(ParameterKind.REAL, default, label, help, **more)


def integer(default: int | None, *, label: str, help: str, **more: Unpack[OfNumber]) -> Any:
    """A whole number between ``lo`` and ``hi`` inclusive."""
    return _declared(ParameterKind.INTEGER, default, label, help, **more)


def choice(
    default: str,
    *options: Option,
    label: str,
    help: str,
    enabled_if: Condition | AnyOf | AllOf | None = None,
    advanced: bool = False,
    earlier: Any = ALWAYS_THERE,
) -> Any:
    """One of a few words."""
    more = {"options": options, "enabled_if": enabled_if, "advanced": advanced, "earlier": earlier}
    return _declared(ParameterKind.CHOICE, default, label, help, **more)


def boolean(
    default: bool,
    *,
    label: str,
    help: str,
    enabled_if: Condition | AnyOf | AllOf | None = None,
    advanced: bool = False,
    earlier: Any = ALWAYS_THERE,
) -> Any:
    """Yes or no."""
    more = {"enabled_if": enabled_if, "advanced": advanced, "earlier": earlier}
    return _declared(ParameterKind.BOOLEAN, default, label, help, **more)


def text(
    default: str,
    *,
    label: str,
    help: str,
    enabled_if: Condition | AnyOf | AllOf | None = None,
    advanced: bool = False,
    suggested: bool = False,
) -> Any:
    """A line of text."""
    more = {"enabled_if": enabled_if, "advanced": advanced, "suggested": suggested}
    return _declared(ParameterKind.TEXT, default, label, help, **more)


def file(default: str, *, label: str, help: str, enabled_if: Condition | AnyOf | AllOf | None = None) -> Any:
    """The path of a file to read."""
    return _declared(ParameterKind.FILE, default, label, help, enabled_if=enabled_if)


def column(
    default: str | None,
    *,
    label: str,
    help: str,
    optional: bool = True,
    enabled_if: Condition | AnyOf | AllOf | None = None,
    advanced: bool = False,
) -> Any:
    """The name of one column of the data."""
    return _declared(
        ParameterKind.COLUMN,
        default,
        label,
        help,
        optional=optional,
        none_label="none",
        enabled_if=enabled_if,
        advanced=advanced,
    )


def columns(default: tuple[str, ...] = (), *, label: str, help: str, without: str = "", advanced: bool = False) -> Any:
    """The names of some columns of the data; ``without`` says which are meant where none is chosen."""
    told = f"{help.removesuffix('.')}; without a choice, {without}." if without else help
    return _declared(ParameterKind.COLUMNS, default, label, told, none_label=without, advanced=advanced)


def learner(default: Any, *, label: str, help: str, advanced: bool = False) -> Any:
    """A learner with its own parameters."""
    return _declared(ParameterKind.LEARNER, default, label, help, advanced=advanced)


def integers(
    default: tuple[int, ...],
    *,
    label: str,
    help: str,
    lo: int | None = None,
    hi: int | None = None,
    advanced: bool = False,
) -> Any:
    """A list of whole numbers, each between ``lo`` and ``hi`` inclusive."""
    return _declared(ParameterKind.INTEGERS, default, label, help, lo=lo, hi=hi, advanced=advanced)


def reals(
    default: tuple[float, ...],
    *,
    label: str,
    help: str,
    lo: float | None = None,
    enabled_if: Condition | AnyOf | AllOf | None = None,
    advanced: bool = False,
) -> Any:
    """A list of real numbers."""
    return _declared(ParameterKind.REALS, default, label, help, lo=lo, enabled_if=enabled_if, advanced=advanced)


def cost_matrix(
    default: tuple[tuple[float, ...], ...] = (),
    *,
    label: str,
    help: str,
    enabled_if: Condition | AnyOf | AllOf | None = None,
    advanced: bool = False,
) -> Any:
    """A square table of costs, row: true class, column: predicted class; empty: zero-one."""
    return _declared(ParameterKind.COST_MATRIX, default, label, help, enabled_if=enabled_if, advanced=advanced)


@dataclass(frozen=True)
class Preset:
    """Values of several parameters that go by a name of their own; the others have their defaults."""

    word: str
    name: str
    help: str
    values: Mapping[str, Any]


PRESET: Final = "preset"
"""What is typed before the word of a preset where parameters are typed: ``preset=cn2``."""


@dataclass(frozen=True, kw_only=True)
class Configurable:
    """Something with an id and parameters: learners, filters and methods of evaluation.

    Subclasses are frozen dataclasses, so two of the same parameters are equal and can be hashed.
    Making one with a value it cannot have raises :class:`ParameterError`.
    """

    id: ClassVar[str]
    name: ClassVar[str]
    sentence: ClassVar[str]
    """What it does, in a sentence for a person who never saw it."""
    presets: ClassVar[tuple[Preset, ...]] = ()
    """Settings of it that have a name in the field."""

    def __post_init__(self) -> None:
        for parameter in self.parameters():
            value = getattr(self, parameter.name)
            object.__setattr__(self, parameter.name, parameter.validated(value))

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """The declared parameters in their order."""
        declared: Callable[[Any], tuple[Parameter, ...]] = _declared_by
        return declared(cls)

    @classmethod
    def earlier_values(cls, stored: Collection[str]) -> dict[str, Any]:
        """What a stored form means by the parameters that it does not name, where these came after it was written.

        A program writes every parameter it has. So a form that lacks other parameters was typed, and means defaults.
        """
        missing = [parameter for parameter in cls.parameters() if parameter.name not in stored]
        if any(parameter.earlier is ALWAYS_THERE for parameter in missing):
            return {}
        return {parameter.name: parameter.earlier for parameter in missing}

    @classmethod
    def parameter(cls, name: str, named: str = "") -> Parameter:
        """One declared parameter; raises :class:`ParameterError` where there is none of this name.

        The error tells what was ``named``, where that is more than the name.
        """
        for parameter in cls.parameters():
            if parameter.name == name:
                return parameter
        names = [p.name for p in cls.parameters()]
        full = named or name
        remedy = did_you_mean(name, names) or f"It has: {', '.join(names) or 'no parameters'}."
        raise ParameterError(f"{cls.name} has no parameter {full!r}.", remedy=remedy, place=full)

    @classmethod
    def preset(cls, word: str) -> Preset:
        """The named setting with this word; raises :class:`ParameterError` where there is none."""
        for preset in cls.presets:
            if preset.word == word:
                return preset
        words = [preset.word for preset in cls.presets]
        remedy = did_you_mean(word, words) or f"It has: {', '.join(words) or 'none'}."
        raise ParameterError(f"{cls.name} has no preset {word!r}.", remedy=remedy, place=PRESET)

    def preset_in_force(self) -> Preset | None:
        """The named setting that these values are; None where they are none."""
        defaults = {p.name: p.default for p in self.parameters()} if self.presets else {}
        return next((each for each in self.presets if {**defaults, **each.values} == self.values()), None)

    def values(self) -> dict[str, Any]:
        """The current value of every parameter."""
        return {parameter.name: getattr(self, parameter.name) for parameter in self.parameters()}

    def changed(self) -> dict[str, Any]:
        """The values that differ from their defaults."""
        return {p.name: getattr(self, p.name) for p in self.parameters() if getattr(self, p.name) != p.default}

    def enabled(self, name: str) -> bool:
        """Whether the parameter counts under the current values of the others."""
        condition = self.parameter(name).enabled_if
        return condition is None or condition.holds(self.values())

    def with_values(self, **values: Any) -> Self:
        """The same with some values changed; raises :class:`ParameterError`."""
        for name in values:
            self.parameter(name)
        return replace(self, **values)

    def to_json(self) -> dict[str, Any]:
        """``{"id": ..., "parameters": {...}}``, learners nested in the same form."""
        return {"id": self.id, "parameters": {k: _to_plain(v) for k, v in self.values().items()}}

    def summary(self) -> str:
        """Name and changed values in one short line for lists and reports."""
        preset = self.preset_in_force()
        if preset is not None:
            return f"{self.name}, {preset.name}"
        changed = [_setting(self.parameter(k).label.lower(), v) for k, v in self.changed().items()]
        return ", ".join([self.name, *changed])


@cache
def _declared_by(cls: type[Any]) -> tuple[Parameter, ...]:
    """The parameters of a class; asked for a hundred times where one thing is made, so they are put together once."""
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


def _setting(label: str, value: Any) -> str:
    """A setting in words: what is switched on needs no more than its name."""
    return label if value is True else f"{label} {_shown(value)}"


def _shown(value: Any) -> str:
    if isinstance(value, Configurable):
        return value.summary()
    if isinstance(value, tuple):
        return ", ".join(_shown(v) for v in value)
    return (
        f"{value:g}"
        if isinstance(value, float)
        else ("yes" if value else "no")
        if isinstance(value, bool)
        else str(value)
    )
