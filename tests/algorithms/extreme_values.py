"""Values of parameters at the ends of what their declarations accept."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, Final

from algorithms.core import plain_json
from algorithms.core.errors import ParameterError
from algorithms.core.parameters import AllOf, AnyOf, Configurable, EnabledIf, Parameter, ParameterKind

CLASSES: Final = 4
"""How many classes the records of the battery have."""

_TINIEST: Final = 5e-324
_WHOLE: Final = (10**9, 2**63 - 1, 2**63, plain_json.MOST)
_REAL: Final = (_TINIEST, 1e-300, 1e9, 1e300, sys.float_info.max)


def extreme_settings(cls: type[Configurable]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Values of a learner, filter or method in each of which one parameter is extreme and counts; with a name."""
    for parameter in cls.parameters():
        for value in _extremes(parameter):
            for needed in _enabling(cls, parameter):
                values = {**needed, parameter.name: value}
                try:
                    cls(**values)
                except ParameterError:
                    continue
                yield ", ".join(f"{k}={v!s:.24}" for k, v in values.items()), values


def _extremes(parameter: Parameter) -> list[Any]:
    """The least and the largest that is accepted, and what is much and hardly anything."""
    ends = [end for end in (parameter.lo, parameter.hi) if end is not None]
    if parameter.kind in (ParameterKind.INTEGER, ParameterKind.INTEGERS):
        numbers: list[Any] = list(dict.fromkeys([*(int(end) for end in ends), *_WHOLE]))
    elif parameter.kind in (ParameterKind.REAL, ParameterKind.REALS):
        signed = [*_REAL, *(-number for number in _REAL)]
        numbers = list(dict.fromkeys([*(float(end) for end in ends), 0.0, *signed]))
    elif parameter.kind is ParameterKind.COST_MATRIX:
        return [tuple(tuple(c if i != j else 0.0 for j in range(CLASSES)) for i in range(CLASSES)) for c in _REAL]
    else:
        return []
    if parameter.kind is ParameterKind.INTEGERS:
        return [*((number,) for number in numbers), (numbers[0],) * 10_000]
    if parameter.kind is ParameterKind.REALS:
        return [*((number,) * CLASSES for number in numbers), (numbers[0],) * 10_000]
    return numbers


def _enabling(cls: type[Configurable], parameter: Parameter) -> list[dict[str, Any]]:
    """The ways in which the parameter comes to count."""
    condition = parameter.enabled_if
    if condition is None:
        return [{}]
    if isinstance(condition, AnyOf):
        return [way for each in condition.conditions for way in _holding(cls, each)]
    ways: list[dict[str, Any]] = [{}]
    for each in condition.conditions if isinstance(condition, AllOf) else (condition,):
        ways = [{**way, **more} for way in ways for more in _holding(cls, each)]
    return ways


def _holding(cls: type[Configurable], condition: EnabledIf) -> list[dict[str, Any]]:
    asked = cls.parameter(condition.parameter)
    return [{**way, asked.name: value} for value in condition.values for way in _enabling(cls, asked)]
