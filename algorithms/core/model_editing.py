"""What a person changed in a model by hand, whatever it is a model of: the parts that all of them share.

A change is plain data that is replayed on any model of the same learner. Where it does not fit, as on the records of a
fold, it is left out.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from algorithms.core.context import RunContext
from algorithms.core.learner import Learner, Model, Problem
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary

_SHARE_OF_LEARNING: Final = 0.7


@dataclass(frozen=True)
class ModelEdits:
    """A model that is being edited: the number of its run, of the run it came from, and all changes so far.

    ``kind`` says of what it is a model, as :attr:`EditedByHand.kind` does.
    """

    run: int
    origin: int
    edits: tuple[Any, ...]
    kind: str = "tree"


@dataclass(frozen=True)
class EditsApplied:
    """Published once a model is changed: for each edit whether there was what it is about."""

    made: tuple[bool, ...]


class EditedByHand(Learner):
    """The model of ``base``, changed by hand. A subclass declares ``base`` and ``edits``, which is JSON text."""

    listed: ClassVar[bool] = False
    kind: ClassVar[str]
    """What is changed: "tree", "rules", "network"."""
    whole: ClassVar[str]
    """How that is called: "tree", "rules", "network"."""
    came_about: ClassVar[str]
    """What the unchanged one did or had done to it: "grew", "were found"."""
    leads_there: ClassVar[str]
    """In which folds a change can be made: "where the same questions led to the place"."""

    @property
    @abstractmethod
    def grower(self) -> Learner:
        """The learner whose model is changed."""

    @property
    @abstractmethod
    def changes(self) -> tuple[Any, ...]:
        """What was changed, in turn."""

    @abstractmethod
    def changed_model(self, model: Model, edits: Sequence[Any], data: Dataset, context: RunContext) -> Model:
        """A model of the base on ``data`` with these changes made; tells which by :class:`EditsApplied`."""

    @property
    def resamples(self) -> bool:
        return self.grower.resamples

    def check(self, summary: Summary) -> list[Problem]:
        return self.grower.check(summary)

    def summary(self) -> str:
        n = len(self.changes)
        return f"{self.name}, {self.grower.summary()}, {n} change{'' if n == 1 else 's'}"

    def _fit(self, data: Dataset, context: RunContext) -> Model:
        share = _SHARE_OF_LEARNING if self.changes else 1.0
        learning = context.child(share, 0, same_seed=True)
        model = self.grower.fit(data, learning)
        learning.complete()
        return self.changed_model(model, self.changes, data, self.changing(context)) if self.changes else model

    def changing(self, context: RunContext) -> RunContext:
        """The part of the context of :meth:`fit` in which the changes are made: its seeds are those of any fit."""
        return context.child(1.0 - _SHARE_OF_LEARNING, 1)
