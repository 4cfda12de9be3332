"""Edits of a model by hand, whatever it is a model of.

An edit is plain data that is replayed on any model of the same learner. An edit that does not fit, as on the records of
a fold, is left out.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final, TypeVar

from algorithms.core import plain_json
from algorithms.core.errors import ParameterError
from algorithms.core.learner import Model, WrappingLearner
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.text.sentences import counted

E = TypeVar("E")
_SHARE_OF_LEARNING: Final = 0.7


@dataclass(frozen=True)
class ModelEdits:
    """A model that is being edited: the number of its run, of the run it came from, and all edits so far.

    ``kind`` says of what it is a model, as :attr:`EditedByHand.kind` does.
    """

    run: int
    origin: int
    edits: tuple[Any, ...]
    kind: str = "tree"


@dataclass(frozen=True)
class EditsApplied:
    """Published once a model is edited: whether each edit applied."""

    made: tuple[bool, ...]


def unreadable_edits(what: str) -> ParameterError:
    return ParameterError(f"The changes of the {what} cannot be read.", remedy="Save them again.", place="edits")


def read_edits(text: str, what: str, read: Callable[[Any], E]) -> tuple[E, ...]:
    """The edits of a list in JSON text, each by ``read``; raises :class:`ParameterError` where it is malformed."""
    try:
        stored = plain_json.loads(text) if text.strip() else []
    except (ValueError, RecursionError) as error:
        raise unreadable_edits(what) from error
    if not isinstance(stored, list):
        raise unreadable_edits(what)
    return tuple(map(read, stored))


class EditedByHand(WrappingLearner):
    """Base of the learners that edit the model of ``base``; a subclass declares ``base`` and ``edits``, JSON text."""

    listed: ClassVar[bool] = False
    kind: ClassVar[str]
    """What is edited: "tree", "rules", "network"."""
    whole: ClassVar[str]
    """Its noun in sentences: "tree", "rules", "network"."""
    came_about: ClassVar[str]
    """The verb of its origin in sentences: "grew", "were found"."""
    leads_there: ClassVar[str]
    """In which folds an edit applies: "where the same questions led to the place"."""
    edits: str

    @staticmethod
    @abstractmethod
    def parse_edits(text: str) -> tuple[Any, ...]:
        """The edits in JSON text; raises :class:`ParameterError` where it is malformed."""

    @staticmethod
    @abstractmethod
    def spell_edits(edits: Sequence[Any]) -> str:
        """The edits as canonical JSON text."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "edits", self.spell_edits(self.parse_edits(self.edits)))

    @cached_property
    def changes(self) -> tuple[Any, ...]:
        """The edits in turn."""
        return self.parse_edits(self.edits)

    @abstractmethod
    def changed_model(self, model: Model, edits: Sequence[Any], data: Dataset, context: RunContext) -> Model:
        """A model of ``base`` on ``data`` with these edits; publishes :class:`EditsApplied`."""

    def summary(self) -> str:
        return f"{super().summary()}, {counted(len(self.changes), 'change')}"

    def _fit(self, data: Dataset, context: RunContext) -> Model:
        share = _SHARE_OF_LEARNING if self.changes else 1.0
        learning = context.child(share, 0, same_seed=True)
        model = self.base.fit(data, learning)
        learning.complete()
        return self.changed_model(model, self.changes, data, self.changing(context)) if self.changes else model

    def changing(self, context: RunContext) -> RunContext:
        """The child of the context of :meth:`fit` in which the edits are made."""
        return context.child(1.0 - _SHARE_OF_LEARNING, 1)
