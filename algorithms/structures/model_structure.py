"""Public contract: base class of model structures, and the description that each structure gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray
from algorithms.data.schema import Schema


@dataclass(frozen=True)
class StructureInfo:
    """Description of a model structure.

    ``title`` is its heading ("The tree"), ``facts`` are its sizes ("27 leaves · depth 5"), and ``member_phrase``
    describes it as a member of an ensemble ("tree of 27 leaves, depth 5").
    """

    title: str
    facts: str
    member_phrase: str
    attributes_used: Callable[[], Iterable[int]] = tuple
    """The attributes it uses as indices of its schema, the most important first; empty if there is no order."""
    uses_no_others: bool = False
    """Whether predictions depend only on ``attributes_used``, if none of their values is missing."""
    boundaries: Callable[[int], FloatArray] = lambda _index: np.empty(0)
    """The upper ends (e,) of the intervals in which it treats an attribute's values alike; empty if it has none."""


class ArrayFields:
    """Base of data classes that list and save their array fields."""

    ARRAYS: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls) -> None:
        kinds = cls.__annotations__.items()
        cls.ARRAYS = tuple(name for name, kind in kinds if kind.endswith("Array") or kind.startswith("NDArray"))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All array fields by name, for saving."""
        return {name: getattr(self, name) for name in self.ARRAYS}


class ModelStructure(ArrayFields, ABC):
    """Base of plain data classes of flat arrays that hold the contents of a model for display and export.

    A subclass names its viewer: ``class Tree(ModelStructure, viewer_key="tree")``. The key is that of
    ``workbench.viewers.viewer_registry.VIEWERS``.
    """

    schema: Schema
    viewer_key: ClassVar[str]

    def __init_subclass__(cls, *, viewer_key: str) -> None:
        super().__init_subclass__()
        cls.viewer_key = viewer_key

    @property
    def n_classes(self) -> int:
        return len(self.schema.classes)

    @property
    @abstractmethod
    def info(self) -> StructureInfo:
        """The description of the structure."""
