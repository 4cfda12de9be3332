"""One against the rest: a member for each class, which tells it from all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.multiclass.codes import one_vs_rest
from algorithms.multiclass.learning import ByCode, coded_model
from algorithms.multiclass.model import REST, CodedModel
from algorithms.trees.c45 import C45


@dataclass(frozen=True, kw_only=True)
class OneVsRest(ByCode):
    """The class whose member is surest of it is taken; shares are how sure the members are, divided by their sum."""

    id: ClassVar[str] = "one-vs-rest"
    name: ClassVar[str] = "One against the rest"
    sentence: ClassVar[str] = (
        "Makes a model for each class that tells it from all others, and takes the class whose model is surest: so a "
        "learner for two classes takes many."
    )
    source: ClassVar[str] = "TSKK section 5.8; Rifkin and Klautau, In defense of one-vs-all classification (2004)"
    family: ClassVar[str] = "Many classes"
    kernels: ClassVar[tuple[str, ...]] = C45.kernels

    def _fit(self, data: Dataset, context: RunContext) -> CodedModel:
        return coded_model(self, data, one_vs_rest(len(data.schema.classes)), REST, context)
