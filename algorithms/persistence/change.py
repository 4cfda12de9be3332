"""One step from nothing to a project."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from algorithms.core.registry import Registry
from algorithms.persistence.kept_project import Project
from algorithms.persistence.shared import Reader, Writer


class Change(ABC):
    """One step from nothing to a project."""

    do: ClassVar[str]

    @abstractmethod
    def to_json(self, writer: Writer) -> dict[str, Any]:
        """JSON values, with what is shared by its numbers."""

    @classmethod
    @abstractmethod
    def from_json(cls, stored: Mapping[str, Any], reader: Reader, registry: Registry) -> Self:
        """The change again; raises :class:`CoppiceError` or one of ``NONSENSE``."""

    @abstractmethod
    def apply(self, project: Project) -> None: ...
