"""Training: a recipe and a model learned on the same records, held-out predictions, and the saved classifier.

Source of the search: Tan, Steinbach, Karpatne and Kumar, Introduction to Data Mining, Algorithms 3.2 and 3.3; of the
correction: Tibshirani and Tibshirani (2009), A bias correction for the minimum error rate in cross-validation.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from algorithms.core.filters import Filter, FittedRecipe, Recipe, fit_recipe
from algorithms.core.learner import Codes, Explanation, Learner, Model, Predictions, Probabilities
from algorithms.core.resampling import Method, inner_fold_numbers, learned_beside
from algorithms.core.run_control import RunContext
from algorithms.data.alignment import SchemaDifference, aligned, differences, empty_columns, with_absent_as_missing
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, free_name, nominal, numeric
from algorithms.structures.model_structure import ModelStructure


@dataclass(frozen=True, eq=False)
class SearchResult:
    """Result of a search over c settings, tested by K folds of the training records.

    ``names`` are the tuned parameters, ``settings`` their values as typed, "" for a parameter that does not count.
    ``losses`` (c, K) is the loss of each setting on each fold, NaN where not tested. ``weights`` (K,) are the weights
    of the folds, ``n_train`` (c,) the training records of the last test. ``failures`` (c,) says why a setting could not
    be tested. The numbers are optimistic for new records, since the chosen setting looked best here.
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    settings: tuple[tuple[str, ...], ...]
    losses: FloatArray
    weights: FloatArray
    n_train: IntArray
    chosen: int
    measure: str
    strategy: str
    n_records: int
    failures: tuple[str, ...] = ()
    partial: bool = False
    said: tuple[tuple[str, ...], ...] = ()
    """The settings with choices by their labels; empty in older files."""

    @property
    def read(self) -> tuple[tuple[str, ...], ...]:
        """The settings with labels, or as typed where labels are absent."""
        return self.said or self.settings

    @property
    def n_settings(self) -> int:
        return len(self.settings)

    @property
    def n_folds(self) -> int:
        return len(self.weights)

    @cached_property
    def mean(self) -> FloatArray:
        """Mean loss of each setting over all folds (c,); NaN where a fold was not tested."""
        shares = self.weights / max(float(self.weights.sum()), 1e-300)
        return np.asarray(self.losses @ shares)

    @cached_property
    def spread(self) -> FloatArray:
        """Standard error of each mean over the folds (c,); 0 for one fold."""
        if self.n_folds < 2:
            return np.zeros(self.n_settings)
        return np.asarray(np.std(self.losses, axis=1, ddof=1) / np.sqrt(self.n_folds))

    @property
    def is_final(self) -> NDArray[np.bool_]:
        """Mask (c,) of the settings tested with as many training records as the chosen one."""
        return np.asarray(np.isfinite(self.mean) & (self.n_train >= self.n_train[self.chosen]))

    @property
    def optimistic(self) -> float:
        """Loss of the chosen setting in the search, which is optimistic."""
        return float(self.mean[self.chosen])

    @property
    def bias(self) -> float | None:
        """Estimated bias of :attr:`optimistic`; None for one fold.

        It is the weighted mean over the folds of the chosen setting's loss less that of the fold's best setting.
        Settings dropped early count with their loss on fewer records, since the choice rejected them as well.
        """
        judged = self.losses[np.isfinite(self.mean)]
        if self.n_folds < 2 or not len(judged):
            return None
        excess = self.losses[self.chosen] - judged.min(axis=0)
        return float(np.average(excess, weights=np.maximum(self.weights, 1e-300)))

    @property
    def has_left_behind(self) -> bool:
        """Whether some settings were tested only with fewer training records than the chosen one."""
        return bool(np.any(np.isfinite(self.mean) & ~self.is_final))

    @property
    def corrected(self) -> float | None:
        """The optimistic loss with its estimated bias added (Tibshirani and Tibshirani 2009)."""
        return None if self.bias is None else self.optimistic + self.bias

    def words(self, setting: int) -> str:
        """A setting as text: "min leaf 5, criterion gini"."""
        pairs = zip(self.labels, self.read[setting], strict=True)
        return ", ".join(f"{label[:1].lower()}{label[1:]} {value}" for label, value in pairs if value)


@dataclass(frozen=True, eq=False)
class LearnedModel:
    """A recipe and a model learned on the same records, with filters, learner and, if any, the search for values."""

    recipe: FittedRecipe
    model: Model
    learner: Learner
    filters: Recipe
    search: SearchResult | None = None


@dataclass(frozen=True, kw_only=True)
class RecipeLearner(Learner):
    """A learner that also chooses parameters of the recipe, so that it fits the recipe itself."""

    def judged_by(self, method: Method) -> RecipeLearner:
        """The learner under an evaluation method, whose grouping or order its inner tests respect."""
        return self

    @abstractmethod
    def fit_with(self, recipe: Recipe, data: Dataset, context: RunContext) -> LearnedModel:
        """The recipe and the model learned on training records that have a class."""


def suited_to(learner: Learner, method: Method | None) -> Learner:
    """The learner under this evaluation method (see :meth:`RecipeLearner.judged_by`)."""
    return learner.judged_by(method) if method is not None and isinstance(learner, RecipeLearner) else learner


def learn(learner: Learner, recipe: Sequence[Filter], data: Dataset, context: RunContext) -> LearnedModel:
    """The recipe learned on training records, and the model learned on its output."""
    if isinstance(learner, RecipeLearner):
        return learner.fit_with(tuple(recipe), data, context)
    fitted, prepared = fit_recipe(recipe, data, context.child(0.1, 0))
    model = learner.fit(prepared, context.child(0.9, 1))
    return LearnedModel(fitted, model, learner, tuple(recipe))


PREDICTED: Final = "predicted"
PROBABILITY: Final = "probability"
PROBABILITY_DIGITS: Final = 6
"""Decimals of a written probability."""


class DecisionFunction(Protocol):
    """Decision rule that replaces the model's own: at a threshold, or by costs."""

    def __call__(self, probabilities: Probabilities, own: Codes, checkpoint: Callable[[], object] = int) -> Codes:
        """The decisions (n,) from probabilities (n, k) and the model's ``own`` decisions (n,)."""


@dataclass(frozen=True, eq=False)
class TrainedClassifier:
    """A model for raw data, whose schema in training was ``input_schema``.

    ``recipe`` and ``model`` come from ``filters`` and ``learner``, the data ``data_name`` and the time ``created``
    (ISO 8601). ``marks`` are earlier changes of the data (see ``DataOrigin``).
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
    search: SearchResult | None = None
    """The search for settings on all training records, if any."""
    deciding: DecisionFunction | None = None
    """The decision rule that replaces the model's own, if any."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The class labels in code order."""
        return self.model.classes

    @property
    def left_out(self) -> tuple[str, ...]:
        """The columns of raw data that do not reach the model."""
        return self.recipe.left_out(self.input_schema)

    def differences(self, data: Dataset) -> list[SchemaDifference]:
        """Differences of raw data from the training data; fatal ones make prediction impossible."""
        given = with_absent_as_missing(self.input_schema, data, self.left_out)
        left_out = set(self.left_out)
        deviations = empty_columns(self.input_schema, given)
        schema = self.input_schema
        deviations += differences(schema, given, self.recipe.rare_values(schema), self.recipe.lists_of_numbers(schema))
        return [deviation for deviation in deviations if deviation.fatal or deviation.column not in left_out]

    def completed(self, data: Dataset) -> Dataset:
        """Raw data with a column of missing values for each absent column of the training data."""
        return with_absent_as_missing(self.input_schema, data)

    def prepared(self, data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> Dataset:
        """Raw data as the model sees it; ``checkpoint``, which may raise, is called every few milliseconds.

        Raises :class:`DataError` for a needed column that is absent or of another kind.
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

    def judged(self, data: Dataset, context: RunContext) -> Predictions:
        """Predictions for raw data; checks the context for stops."""
        own = self.model.judged(self.prepared(data, context.checkpoint), context)
        if self.deciding is None:
            return own
        return replace(own, decisions=self.deciding(own.probabilities, own.decisions, context.checkpoint))

    def with_judgement(self, data: Dataset, judgement: Predictions) -> Dataset:
        """Raw data followed by a column of decisions and a column of probabilities for each class."""
        probabilities = np.round(judgement.probabilities.astype(np.float64), PROBABILITY_DIGITS)
        return with_decisions(data, self.classes, judgement.decisions, probabilities)

    def n_right(self, predicted: Dataset) -> tuple[int, int]:
        """Numbers of records with a known class and of correct ones in data from :meth:`with_judgement`."""
        if self.input_schema.class_attribute.name not in predicted.schema:
            return 0, 0
        truth = aligned(self.input_schema, self.completed(predicted)).class_codes
        decisions = predicted.column(len(predicted.schema) - len(self.classes) - 1)
        return int(np.count_nonzero(truth >= 0)), int(np.count_nonzero(truth == decisions))

    def explain(self, data: Dataset, row: int) -> Explanation:
        """Why record ``row`` of the raw data is classified as it is."""
        return self.model.explain(self.prepared(data.take([row])), 0)

    def structure(self) -> ModelStructure:
        """The structure of the model."""
        return self.model.structure()


def with_decisions(
    data: Dataset, classes: tuple[str, ...], decisions: NDArray[Any], probabilities: NDArray[Any]
) -> Dataset:
    """The data followed by a column of decisions (n,) and a column of probabilities (n, k) for each class."""
    data = data.with_new_column(nominal(free_name(PREDICTED, data.schema), classes), decisions)
    for code, label in enumerate(classes):
        data = data.with_new_column(numeric(free_name(f"{PROBABILITY} {label}", data.schema)), probabilities[:, code])
    return data


@dataclass(frozen=True, eq=False)
class HeldOutPredictions:
    """Probabilities (n, k) and decisions (n,) for training records by models that had not seen them.

    Only records in the mask ``tested`` (n,) have valid entries; synthetic records are never tested.
    """

    probabilities: FloatArray
    decisions: Codes
    tested: NDArray[np.bool_]

    def accuracy(self, data: Dataset) -> float | None:
        """Weighted accuracy on the tested records; None without weight."""
        weights = data.weight_array[self.tested]
        right = self.decisions[self.tested] == data.class_codes[self.tested]
        return float(weights[right].sum() / weights.sum()) if weights.sum() > 0 else None


def held_out(learner: Learner, data: Dataset, folds: int, context: RunContext) -> HeldOutPredictions | None:
    """Predictions by stratified cross-validation on the training records, on the threads of the context.

    None for fewer than two records. After an early finish the remaining folds are not ``tested``.
    """
    k = min(folds, len(np.unique(data.row_ids[data.row_ids >= 0])))
    if k < 2:
        return None
    fold = inner_fold_numbers(data, k, context.random(), stratified=True)
    parts = [context.child(1 / k, number) for number in range(k)]

    def judge(number: int) -> tuple[FloatArray, Codes] | None:
        if number and context.finishing:
            return None
        outside = data.take(fold == number)
        inside = data.take(learned_beside(data, fold == number))
        model = learner.fit(inside, parts[number])
        parts[number].complete()
        predictions = model.judged(outside, context.child(0.0, k + number))
        return predictions.probabilities, predictions.decisions

    n, n_classes = len(data), len(data.schema.classes)
    result = HeldOutPredictions(np.zeros((n, n_classes)), np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.bool_))
    for number, predicted in enumerate(context.map(judge, range(k))):
        if predicted is not None:
            rows = np.flatnonzero(fold == number)
            result.probabilities[rows], result.decisions[rows] = predicted
            result.tested[rows] = True
    return result
