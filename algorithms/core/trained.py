"""What is saved and used: a model together with the recipe that its data went through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from algorithms.core.align import Difference, aligned, differences, empty_columns, with_absent_as_missing
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.filters import FittedRecipe, Recipe
from algorithms.core.learned import Search
from algorithms.core.learner import Codes, Explanation, Judgement, Learner, Model, Probabilities
from algorithms.core.members import ModelStructure
from algorithms.core.schema import Schema, free_name, nominal, numeric

PREDICTED: Final = "predicted"
PROBABILITY: Final = "probability"
PROBABILITY_DIGITS: Final = 6
"""So many decimals of a probability are worth writing down."""


class Deciding(Protocol):
    """Decides for another class than the model does: from a threshold on, or by what mistakes cost."""

    def __call__(self, probabilities: Probabilities, own: Codes, checkpoint: Callable[[], object] = int) -> Codes:
        """The class (n,) by the probabilities (n, k); ``own`` (n,) is what the model decides."""


@dataclass(frozen=True, eq=False)
class TrainedClassifier:
    """A model that takes data as it came: ``input_schema`` is that of the raw training data.

    ``filters`` and ``learner`` say how ``recipe`` and ``model`` were made; ``data_name`` and ``created`` (ISO 8601)
    from what and when, ``marks`` what was done to the data before (see ``Origin``).
    """

    input_schema: Schema
    recipe: FittedRecipe
    model: Model
    learner: Learner
    filters: Recipe = ()
    data_name: str = ""
    created: str = ""
    marks: tuple[str, ...] = ()
    note: str = ""
    search: Search | None = None
    """What was tried on all training records, where settings were chosen."""
    deciding: Deciding | None = None
    """What decides in the model's place, by its probabilities, where somebody had it decide otherwise."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The class labels in code order."""
        return self.model.classes

    @property
    def left_out(self) -> tuple[str, ...]:
        """The columns of raw data that the recipe takes away: nothing of them reaches the model."""
        return self.recipe.left_out(self.input_schema)

    def differences(self, data: Dataset) -> list[Difference]:
        """How raw data differs from what this was trained on; the fatal ones make prediction impossible."""
        given = with_absent_as_missing(self.input_schema, data, self.left_out)
        left_out = set(self.left_out)
        found = empty_columns(self.input_schema, given)
        found += differences(self.input_schema, given, self.recipe.rare_values(self.input_schema))
        return [each for each in found if each.fatal or each.column not in left_out]

    def completed(self, data: Dataset) -> Dataset:
        """Raw data with a column of missing values for each that this was trained on and the data lacks."""
        return with_absent_as_missing(self.input_schema, data)

    def prepared(self, data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> Dataset:
        """Raw data as the model sees it; ``checkpoint``, which may raise, is called every few milliseconds.

        Raises :class:`DataError` where a needed column is absent or another kind.
        """
        given = with_absent_as_missing(self.input_schema, data, self.left_out)
        raw = aligned(self.input_schema, given, self.recipe.rare_values(self.input_schema))
        return self.recipe.transform(raw, checkpoint)

    def predict(self, data: Dataset) -> Codes:
        """The class code decided for each record of raw data (n,)."""
        if self.deciding is None:
            return self.model.predict(self.prepared(data))
        return self.judged(data, RunContext()).decisions

    def predict_proba(self, data: Dataset) -> Probabilities:
        """Class probabilities (n, k) for raw data."""
        return self.model.predict_proba(self.prepared(data))

    def judged(self, data: Dataset, context: RunContext) -> Judgement:
        """What is said of raw data; heeds the context's stops."""
        said = self.model.judged(self.prepared(data, context.checkpoint), context)
        if self.deciding is None:
            return said
        return replace(said, decisions=self.deciding(said.probabilities, said.decisions, context.checkpoint))

    def with_judgement(self, data: Dataset, judgement: Judgement) -> Dataset:
        """Raw data with a column of decisions and a column of probabilities for each class at its end."""
        probabilities = np.round(judgement.probabilities.astype(np.float64), PROBABILITY_DIGITS)
        return with_decisions(data, self.classes, judgement.decisions, probabilities)

    def n_right(self, predicted: Dataset) -> tuple[int, int]:
        """Of data made by :meth:`with_judgement`: how many records have a known class, and how many are right."""
        if self.input_schema.class_attribute.name not in predicted.schema:
            return 0, 0
        truth = aligned(self.input_schema, self.completed(predicted)).class_codes
        decisions = predicted.column(len(predicted.schema) - len(self.classes) - 1)
        return int(np.count_nonzero(truth >= 0)), int(np.count_nonzero(truth == decisions))

    def explain(self, data: Dataset, row: int) -> Explanation:
        """Why record ``row`` of the raw data is classified as it is."""
        return self.model.explain(self.prepared(data.take([row])), 0)

    def structure(self) -> ModelStructure:
        """What there is to look at in the model."""
        return self.model.structure()


def with_decisions(
    data: Dataset, classes: tuple[str, ...], decisions: NDArray[Any], probabilities: NDArray[Any]
) -> Dataset:
    """The data with a column of decisions (n,) and a column of probabilities (n, k) for each class at its end."""
    data = data.with_new_column(nominal(free_name(PREDICTED, data.schema), classes), decisions)
    for code, label in enumerate(classes):
        data = data.with_new_column(numeric(free_name(f"{PROBABILITY} {label}", data.schema)), probabilities[:, code])
    return data
