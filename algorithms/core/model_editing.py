"""Manual edits of models: plain data, replayed on any model of the same learner; a fold skips those that do not fit."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Final, Self, TypeVar

from algorithms.core import plain_json
from algorithms.core.errors import ParameterError
from algorithms.core.learner import Model, WrappingLearner
from algorithms.core.parameters import Spelling, spelled
from algorithms.core.registry import Registry
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.text.sentences import counted

_SHARE_OF_LEARNING: Final = 0.7


class ModelEdit(ABC):
    """One edit: an immutable value, comparable and hashable."""

    kind: ClassVar[str]
    """The kind of model that is edited, also its noun in sentences: "tree", "rules", "network"."""

    @abstractmethod
    def words(self) -> str:
        """The edit as text."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]: ...

    @classmethod
    @abstractmethod
    def from_json(cls, stored: Any) -> Self:
        """The edit from its JSON form; raises :class:`ParameterError` if that is malformed."""


E = TypeVar("E", bound=ModelEdit)


@dataclass(frozen=True)
class ModelEdits:
    """A model that the user is editing: the number of its run, the number of the original run, and all edits so far."""

    run: int
    origin: int
    edits: tuple[ModelEdit, ...]

    @property
    def kind(self) -> str:
        """The kind of model that is edited, see :attr:`ModelEdit.kind`."""
        return self.edits[0].kind if self.edits else "tree"


@dataclass(frozen=True)
class EditsApplied:
    """Event published after a model is edited: for each edit, whether it applied."""

    made: tuple[bool, ...]


def unreadable_edits(what: str) -> ParameterError:
    return ParameterError(f"The changes of the {what} cannot be read.", remedy="Save them again.", place="edits")


def edits_to_text(edits: Sequence[ModelEdit]) -> str:
    """The edits as canonical JSON text, the form used in files and commands."""
    return json.dumps([edit.to_json() for edit in edits], ensure_ascii=False, sort_keys=True)


def edits_from(kind: type[E], given: Any) -> tuple[E, ...]:
    """The edits in ``given``, a tuple of edits or JSON text; raises :class:`ParameterError` if malformed."""
    if isinstance(given, tuple) and all(isinstance(edit, kind) for edit in given):
        return given
    try:
        stored = plain_json.loads(given) if given.strip() else []
    except (AttributeError, ValueError, RecursionError) as error:
        raise unreadable_edits(kind.kind) from error
    if not isinstance(stored, list):
        raise unreadable_edits(kind.kind)
    return tuple(map(kind.from_json, stored))


def edits_parameter(kind: type[ModelEdit]) -> Any:
    """Declares the parameter that holds the edits of an :class:`EditedModel`."""
    spelling = Spelling(partial(edits_from, kind), edits_to_text)
    return spelled((), spelling, label="Edits", help="The edits as plain data.")


class EditedModel(WrappingLearner):
    """Base of the learners that train ``base`` and edit its model; a subclass declares ``base`` and ``edits``.

    The id of a subclass is "edited-" followed by the :attr:`ModelEdit.kind` of its edits.
    """

    listed: ClassVar[bool] = False
    edit: ClassVar[type[ModelEdit]]
    came_about: ClassVar[str]
    """The verb used in sentences on how the model arose: "grew", "were found"."""
    leads_there: ClassVar[str]
    """Clause that says in which folds an edit applies: "where the same tests led to the place"."""
    edits: tuple[Any, ...]

    @abstractmethod
    def changed_model(self, model: Model, data: Dataset, context: RunContext) -> Model:
        """``model``, trained on ``data``, with the edits applied; publishes :class:`EditsApplied`."""

    def summary(self) -> str:
        return f"{super().summary()}, {counted(len(self.edits), 'change')}"

    def _fit(self, data: Dataset, context: RunContext) -> Model:
        share = _SHARE_OF_LEARNING if self.edits else 1.0
        learning = context.child(share, 0, same_seed=True)
        model = self.base.fit(data, learning)
        learning.complete()
        return self.changed_model(model, data, self.changing(context)) if self.edits else model

    @staticmethod
    def of_kind(kind: Any, registry: Registry) -> type[EditedModel]:
        """The learner class for edits of this kind; raises :class:`CoppiceError` for an unknown kind."""
        learner = registry.learners.get(f"edited-{kind}")
        if not issubclass(learner, EditedModel):
            raise unreadable_edits("tree")
        return learner

    def changing(self, context: RunContext) -> RunContext:
        """The child context for applying the edits, after the training of ``base``."""
        return context.child(1.0 - _SHARE_OF_LEARNING, 1)
