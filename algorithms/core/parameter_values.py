"""The values of parameters: what each kind of them may be, and what a typed text means.

Kinds go by their words (:class:`algorithms.core.params.ParameterKind`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from algorithms.core import plain_json
from algorithms.core.plain_json import finite_number

if TYPE_CHECKING:
    from algorithms.core.params import Configurable, Parameter

_LONGEST: Final = 80
LARGEST: Final = 1e100
SMALLEST: Final = 1e-100
"""Between these a number can be squared, summed, and divide another without leaving the range of floats."""


COST_MATRIX_FORM: Final = 'a square table of costs like "0 1; 5 0" with a row for each true class'


def validated(p: Parameter, value: Any) -> Any:
    """The value in the parameter's own type; raises :class:`ParameterError` where it cannot be one."""
    return _VALIDATORS[p.kind](p, value)


def read(kind: str, text: str) -> Any:
    """What a typed text means for this kind of parameter; the text itself where it means nothing."""
    return _PARSERS.get(kind, str)(text)


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
    """A value in a sentence; a number of very many digits in short."""
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


def _columns(p: Parameter, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
        raise p.error(f"must be a list of column names, not {value!r}")
    return tuple(value)


def _integers(p: Parameter, value: Any) -> tuple[int, ...]:
    if not isinstance(value, list | tuple):
        raise p.error(f"must be a list of whole numbers, not {value!r}")
    return tuple(_integer(p, v) for v in value)


def _reals(p: Parameter, value: Any) -> tuple[float, ...]:
    if not isinstance(value, list | tuple):
        raise p.error(f"must be a list of numbers, not {value!r}")
    return tuple(_real(p, v) for v in value)


def _cost_matrix(p: Parameter, value: Any) -> tuple[tuple[float, ...], ...]:
    if not isinstance(value, list | tuple) or not all(
        isinstance(row, list | tuple) and len(row) == len(value) for row in value
    ):
        raise p.error(f"must be {COST_MATRIX_FORM}")
    if not all(isinstance(v, int | float) and not isinstance(v, bool) for row in value for v in row):
        raise p.error(f"must be {COST_MATRIX_FORM}")
    return tuple(tuple(_real(p, v) for v in row) for row in value)


def _learner(p: Parameter, value: Any) -> Any:
    from algorithms.core.params import Configurable

    if not isinstance(value, Configurable) or (p.default is not None and _role(value) is not _role(p.default)):
        raise p.error(f"must be a learner, not {getattr(value, 'id', value)!r}")
    return value


def _role(component: Configurable) -> type:
    """What a component is: the class below :class:`Configurable`, that of learners, of filters or of methods."""
    from algorithms.core.params import Configurable

    return [each for each in type(component).__mro__ if issubclass(each, Configurable)][-2]


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
    "integers": _integers,
    "reals": _reals,
    "cost-matrix": _cost_matrix,
}


def _number(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text


_TRUTHS: Final = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}


def _truth(text: str) -> Any:
    return _TRUTHS.get(text.lower(), text)


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(";" if ";" in text else ",") if part.strip()]


def _json(text: str) -> Any:
    try:
        return plain_json.loads(text)
    except (ValueError, RecursionError):
        return text


def _rows(text: str) -> Any:
    """A table as JSON, or its rows with semicolons between and their numbers with spaces or commas."""
    if text.lstrip()[:1] == "[":
        return _json(text)
    return [[_number(cell) for cell in row.replace(",", " ").split()] for row in text.split(";") if row.strip()]


_PARSERS: Final[Mapping[str, Callable[[str], Any]]] = {
    "real": _number,
    "integer": _number,
    "boolean": _truth,
    "columns": _split,
    "integers": lambda text: [_number(part) for part in _split(text)],
    "reals": lambda text: [_number(part) for part in _split(text)],
    "cost-matrix": _rows,
}
