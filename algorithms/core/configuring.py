"""A learner, filter or method made from what was stored or typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from algorithms.core.errors import ParameterError
from algorithms.core.params import PRESET, Configurable, Parameter, ParameterKind

Resolver = Callable[[str], type[Configurable]]
"""Finds the class with an id; raises :class:`UnknownIdError`."""


def from_json(stored: Any, resolve: Resolver) -> Configurable:
    """The object that :meth:`Configurable.to_json` described; raises :class:`ParameterError` or UnknownIdError.

    What an older program described has the values by which that program worked (:attr:`Parameter.earlier`).
    """
    if not isinstance(stored, Mapping) or not isinstance(stored.get("id"), str):
        raise ParameterError("An id with its parameters was expected.")
    cls = resolve(stored["id"])
    given = stored.get("parameters", {})
    if not isinstance(given, Mapping):
        raise ParameterError(f"The parameters of {stored['id']!r} must be named values.")
    values = {name: _from_plain(cls.parameter(name), value, resolve) for name, value in given.items()}
    return cls(**{**cls.earlier_values(given), **values})


def _from_plain(parameter: Parameter, value: Any, resolve: Resolver) -> Any:
    if parameter.kind is ParameterKind.LEARNER and value is not None:
        return from_json(value, resolve)
    if isinstance(value, list):
        return tuple(tuple(v) if isinstance(v, list) else v for v in value)
    return value


def configured(
    cls: type[Configurable], assignments: Mapping[str, str], resolve: Resolver, within: str = ""
) -> Configurable:
    """An object from typed text: ``{"base": "c4.5", "base.confidence": "0.1"}``; raises :class:`ParameterError`.

    ``{"preset": "cn2"}`` stands for the values of a preset, before any that are typed.

    ``within`` is what stands before the names in the whole command: "base." for the parameters of a base learner.
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
