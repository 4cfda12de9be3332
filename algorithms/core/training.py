"""Training: a recipe and a model learned on the same records, held-out predictions, and what is saved of both.

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

from algorithms.core.context import RunContext
from algorithms.core.filters import Filter, FittedRecipe, Recipe, fit_recipe
from algorithms.core.learner import Codes, Explanation, Learner, Model, Predictions, Probabilities
from algorithms.core.resampling import Method, inner_fold_numbers, learned_beside
from algorithms.data.alignment import SchemaDifference, aligned, differences, empty_columns, with_absent_as_missing
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, free_name, nominal, numeric
from algorithms.structures.members import ModelStructure


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What came of trying several settings on training records: c settings, judged by K folds of those records.

    ``names`` are those of the parameters that were tried, ``settings`` their values as typed, "" where the parameter
    does not count beside the others. ``losses`` (c, K) is what each setting lost on the records that each fold left
    out, NaN where it was not judged; ``weights`` (K,) what those records weigh; ``n_train`` (c,) on how many records a
    setting was trained at last. ``failures`` (c,) says why a setting could not be judged. None of these numbers says
    how good the chosen setting is on new records: it was chosen because it looked best here.
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
    """The settings as they are read, choices by their labels; empty where a file does not have them."""

    @property
    def read(self) -> tuple[tuple[str, ...], ...]:
        """The settings as they are read; as typed where nothing else is known."""
        return self.said or self.settings

    @property
    def n_settings(self) -> int:
        return len(self.settings)

    @property
    def n_folds(self) -> int:
        return len(self.weights)

    @cached_property
    def mean(self) -> FloatArray:
        """Loss of each setting over all records of its folds (c,); NaN where it was not judged by every fold."""
        shares = self.weights / max(float(self.weights.sum()), 1e-300)
        return np.asarray(self.losses @ shares)

    @cached_property
    def spread(self) -> FloatArray:
        """Standard error of each mean over the folds (c,); 0 where there is one fold."""
        if self.n_folds < 2:
            return np.zeros(self.n_settings)
        return np.asarray(np.std(self.losses, axis=1, ddof=1) / np.sqrt(self.n_folds))

    @property
    def is_final(self) -> NDArray[np.bool_]:
        """Whether each setting was judged on as many records as the one chosen, and so is beside it (c,)."""
        return np.asarray(np.isfinite(self.mean) & (self.n_train >= self.n_train[self.chosen]))

    @property
    def optimistic(self) -> float:
        """What the chosen setting lost in the search: too little, since it was chosen for that."""
        return float(self.mean[self.chosen])

    @property
    def bias(self) -> float | None:
        """How much too little that is, estimated from the same folds; None where there is one fold only.

        The mean over the folds, by their weight, of what the chosen setting loses there above the fold's own best one.
        A setting that was left behind on fewer records counts with what it lost there: it was chosen against as well,
        by the same tested records, and would hardly have lost more on all.
        """
        judged = self.losses[np.isfinite(self.mean)]
        if self.n_folds < 2 or not len(judged):
            return None
        excess = self.losses[self.chosen] - judged.min(axis=0)
        return float(np.average(excess, weights=np.maximum(self.weights, 1e-300)))

    @property
    def has_left_behind(self) -> bool:
        """Whether settings were judged on fewer records than the chosen one only."""
        return bool(np.any(np.isfinite(self.mean) & ~self.is_final))

    @property
    def corrected(self) -> float | None:
        """The optimistic loss with its estimated bias added (Tibshirani and Tibshirani 2009)."""
        return None if self.bias is None else self.optimistic + self.bias

    def words(self, setting: int) -> str:
        """A setting in words: "min leaf 5, criterion gini"."""
        pairs = zip(self.labels, self.read[setting], strict=True)
        return ", ".join(f"{label[:1].lower()}{label[1:]} {value}" for label, value in pairs if value)


@dataclass(frozen=True, eq=False)
class LearnedModel:
    """A recipe and a model learned on the same records, and by what they were made.

    ``search`` says what was tried where values were chosen.
    """

    recipe: FittedRecipe
    model: Model
    learner: Learner
    filters: Recipe
    search: SearchResult | None = None


@dataclass(frozen=True, kw_only=True)
class RecipeLearner(Learner):
    """A learner that decides on the steps before it as well, so that it must learn them itself."""

    def judged_by(self, method: Method) -> RecipeLearner:
        """The learner as it learns where it is judged so: what it tests inside keeps to what the method keeps to."""
        return self

    @abstractmethod
    def fit_with(self, recipe: Recipe, data: Dataset, context: RunContext) -> LearnedModel:
        """The recipe and the model learned on training records that have a class; nothing else may be looked at."""


def suited_to(learner: Learner, method: Method | None) -> Learner:
    """The learner as it learns where it is judged by this method (see :meth:`RecipeLearner.judged_by`)."""
    return learner.judged_by(method) if method is not None and isinstance(learner, RecipeLearner) else learner


def learn(learner: Learner, recipe: Sequence[Filter], data: Dataset, context: RunContext) -> LearnedModel:
    """The recipe learned on training records, and the model on what the recipe made of them."""
    if isinstance(learner, RecipeLearner):
        return learner.fit_with(tuple(recipe), data, context)
    fitted, prepared = fit_recipe(recipe, data, context.child(0.1, 0))
    model = learner.fit(prepared, context.child(0.9, 1))
    return LearnedModel(fitted, model, learner, tuple(recipe))


PREDICTED: Final = "predicted"
PROBABILITY: Final = "probability"
PROBABILITY_DIGITS: Final = 6
"""So many decimals of a probability are worth writing down."""


class DecisionFunction(Protocol):
    """Decides for another class than the model does: from a threshold on, or by what mistakes cost."""

    def __call__(self, probabilities: Probabilities, own: Codes, checkpoint: Callable[[], object] = int) -> Codes:
        """The class (n,) by the probabilities (n, k); ``own`` (n,) is what the model decides."""


@dataclass(frozen=True, eq=False)
class TrainedClassifier:
    """A model that takes data as it came: ``input_schema`` is that of the raw training data.

    ``filters`` and ``learner`` say how ``recipe`` and ``model`` were made; ``data_name`` and ``created`` (ISO 8601)
    from what and when, ``marks`` what was done to the data before (see ``DataOrigin``).
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
    """What was tried on all training records, where settings were chosen."""
    deciding: DecisionFunction | None = None
    """What decides in the model's place, by its probabilities, where somebody had it decide otherwise."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The class labels in code order."""
        return self.model.classes

    @property
    def left_out(self) -> tuple[str, ...]:
        """The columns of raw data that the recipe takes away: nothing of them reaches the model."""
        return self.recipe.left_out(self.input_schema)

    def differences(self, data: Dataset) -> list[SchemaDifference]:
        """How raw data differs from what this was trained on; the fatal ones make prediction impossible."""
        given = with_absent_as_missing(self.input_schema, data, self.left_out)
        left_out = set(self.left_out)
        deviations = empty_columns(self.input_schema, given)
        schema = self.input_schema
        deviations += differences(schema, given, self.recipe.rare_values(schema), self.recipe.lists_of_numbers(schema))
        return [deviation for deviation in deviations if deviation.fatal or deviation.column not in left_out]

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

    def judged(self, data: Dataset, context: RunContext) -> Predictions:
        """What is said of raw data; heeds the context's stops."""
        own = self.model.judged(self.prepared(data, context.checkpoint), context)
        if self.deciding is None:
            return own
        return replace(own, decisions=self.deciding(own.probabilities, own.decisions, context.checkpoint))

    def with_judgement(self, data: Dataset, judgement: Predictions) -> Dataset:
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


@dataclass(frozen=True, eq=False)
class HeldOutPredictions:
    """Probabilities (n, k) and decisions (n,) for training records, each by a model that had not seen the record.

    Only those in the mask ``tested`` (n,) mean anything: a record that was made up is never tested.
    """

    probabilities: FloatArray
    decisions: Codes
    tested: NDArray[np.bool_]

    def accuracy(self, data: Dataset) -> float | None:
        """Share, by weight, of the tested records that were decided rightly; None where none weighs anything."""
        weights = data.weight_array[self.tested]
        right = self.decisions[self.tested] == data.class_codes[self.tested]
        return float(weights[right].sum() / weights.sum()) if weights.sum() > 0 else None


def held_out(learner: Learner, data: Dataset, folds: int, context: RunContext) -> HeldOutPredictions | None:
    """Judge the learner by stratified folds of its training records, on the threads of the context.

    None where there are fewer than two records to test. Finished early, what was not judged is not ``tested``.
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
