"""What a model is made of, and what each kind of structure says of itself: a public contract."""

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
    """What a structure says of itself.

    ``title`` heads it ("The tree"), ``facts`` are its sizes ("27 leaves · depth 5"), and ``member_phrase`` is the same
    for a member of an ensemble ("tree of 27 leaves, depth 5").
    """

    title: str
    facts: str
    member_phrase: str
    attributes_used: Callable[[], Iterable[int]] = tuple
    """The attributes it looks at as indices of its schema, the most important first; empty if it has no order."""
    uses_no_others: bool = False
    """Whether its predictions depend on no attribute but ``attributes_used``, if none of their values is missing."""
    boundaries: Callable[[int], FloatArray] = lambda _index: np.empty(0)
    """The upper ends (e,) of the intervals of an attribute that it treats alike; empty if it has none."""


class ArrayFields:
    """A data class that saves its fields annotated as arrays."""

    ARRAYS: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls) -> None:
        kinds = cls.__annotations__.items()
        cls.ARRAYS = tuple(name for name, kind in kinds if kind.endswith("Array") or kind.startswith("NDArray"))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays by name, for saving."""
        return {name: getattr(self, name) for name in self.ARRAYS}


class ModelStructure(ArrayFields, ABC):
    """A plain data class of flat arrays: what there is to look at in a model.

    A subclass names its viewer: ``class Tree(ModelStructure, viewer_key="tree")``. The key is that of
    ``workbench.viewers.structures.VIEWERS``.
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
        """What it says of itself."""
