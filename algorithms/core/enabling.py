"""When a parameter counts: while others have certain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Condition:
    """A parameter counts only while another one has one of these values."""

    parameter: str
    values: tuple[Any, ...]

    def holds(self, values: Mapping[str, Any]) -> bool:
        return values.get(self.parameter) in self.values

    def __or__(self, other: Condition) -> AnyOf:
        return AnyOf((self, other))

    def __and__(self, other: Condition) -> AllOf:
        return AllOf((self, other))


@dataclass(frozen=True)
class AnyOf:
    """A parameter counts while one of several conditions holds."""

    conditions: tuple[Condition, ...]

    def holds(self, values: Mapping[str, Any]) -> bool:
        return any(condition.holds(values) for condition in self.conditions)


@dataclass(frozen=True)
class AllOf:
    """A parameter counts while all of several conditions hold."""

    conditions: tuple[Condition, ...]

    def __and__(self, other: Condition) -> AllOf:
        return AllOf((*self.conditions, other))

    def holds(self, values: Mapping[str, Any]) -> bool:
        return all(condition.holds(values) for condition in self.conditions)


def when(parameter: str, *values: Any) -> Condition:
    return Condition(parameter, values)
