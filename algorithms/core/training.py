"""Training of a recipe and a model on the same records, held-out predictions, and the saved classifier.

Sources: parameter search: Tan, Steinbach, Karpatne and Kumar, Introduction to Data Mining, Algorithms 3.2 and 3.3; bias
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
from algorithms.data.alignment import aligned, differences, empty_columns, with_absent_as_missing
from algorithms.data.columns import FloatArray, IntArray, missing_mask
from algorithms.data.dataset import Dataset, ReplayedEdit
from algorithms.data.schema import Schema, SchemaDifference, free_name, nominal, numeric
from algorithms.structures.model_structure import ModelStructure


@dataclass(frozen=True, eq=False)
class SearchResult:
    """Result of a parameter search over c settings, tested by K-fold cross-validation on the training records.

    ``names`` are the tuned parameters, ``settings`` their values as typed ("" for a parameter without effect).
    ``losses`` (c, K) is the loss of each setting on each fold, NaN if not tested. ``weights`` (K,) are the fold
    weights, ``n_train`` (c,) the number of training records in a setting's last test. ``failures`` (c,) says why a
    setting could not be tested. The losses are optimistic for new records, since the chosen setting had the smallest
    here.
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
    labelled_settings: tuple[tuple[str, ...], ...] = ()
    """The settings with the labels of choices instead of their stored words; empty in older files."""

    @property
    def settings_shown(self) -> tuple[tuple[str, ...], ...]:
        """The settings with labels; as typed if the file has no labels."""
        return self.labelled_settings or self.settings

    @property
    def n_settings(self) -> int:
        return len(self.settings)

    @property
    def n_folds(self) -> int:
        return len(self.weights)

    @cached_property
    def mean(self) -> FloatArray:
        """Mean loss of each setting over all folds (c,); NaN if a fold was not tested."""
        shares = self.weights / max(float(self.weights.sum()), 1e-300)
        return np.asarray(self.losses @ shares)

    @cached_property
    def spread(self) -> FloatArray:
        """Standard error of each mean loss over the folds (c,); 0 for one fold."""
        if self.n_folds < 2:
            return np.zeros(self.n_settings)
        return np.asarray(np.std(self.losses, axis=1, ddof=1) / np.sqrt(self.n_folds))

    @property
    def is_final(self) -> NDArray[np.bool_]:
        """Mask (c,) of the settings that were tested with as many training records as the chosen one."""
        return np.asarray(np.isfinite(self.mean) & (self.n_train >= self.n_train[self.chosen]))

    @property
    def optimistic(self) -> float:
        """Loss of the chosen setting in the search; it is optimistic, as the minimum of several losses."""
        return float(self.mean[self.chosen])

    @property
    def bias(self) -> float | None:
        """Estimated bias of :attr:`optimistic`; None for a single fold or without a tested setting.

        It is the weighted mean over the folds of the difference: loss of the chosen setting minus loss of that fold's
        best setting. Settings dropped early count with their loss on fewer records, since the search rejected them too.
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
        """The optimistic loss plus its estimated bias (Tibshirani and Tibshirani 2009); None without the bias."""
        return None if self.bias is None else self.optimistic + self.bias

    def words(self, setting: int) -> str:
        """The setting with this index as text: "min leaf 5, criterion gini"."""
        pairs = zip(self.labels, self.settings_shown[setting], strict=True)
        return ", ".join(f"{label[:1].lower()}{label[1:]} {value}" for label, value in pairs if value)


@dataclass(frozen=True, eq=False)
class LearnedModel:
    """A fitted recipe and a model trained on the same records, with their filters, learner and any search."""

    recipe: FittedRecipe
    model: Model
    learner: Learner
    filters: Recipe
    search: SearchResult | None = None


@dataclass(frozen=True, kw_only=True)
class RecipeLearner(Learner):
    """A learner that also chooses parameters of the recipe and therefore fits the recipe itself."""

    def judged_by(self, method: Method) -> RecipeLearner:
        """The learner adapted to an evaluation method: its inner tests respect the method's groups or time order."""
        return self

    @abstractmethod
    def fit_with(self, recipe: Recipe, data: Dataset, context: RunContext) -> LearnedModel:
        """The recipe and the model fitted to training records that all have a class."""


def suited_to(learner: Learner, method: Method | None) -> Learner:
    """The learner adapted to this evaluation method (see :meth:`RecipeLearner.judged_by`)."""
    return learner.judged_by(method) if method is not None and isinstance(learner, RecipeLearner) else learner


def learn(learner: Learner, recipe: Sequence[Filter], data: Dataset, context: RunContext) -> LearnedModel:
    """The recipe fitted to training records, and the model trained on its output."""
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
    """A decision rule that replaces the model's own, such as a threshold or costs."""

    def __call__(
        self,
        probabilities: Probabilities,
        own: Codes,
        checkpoint: Callable[[], object] = int,
        data: Dataset | None = None,
    ) -> Codes:
        """Class codes (n,) by probabilities (n, k), the model's ``own`` codes (n,), and the raw records ``data``."""


@dataclass(frozen=True, eq=False)
class TrainedClassifier:
    """A classifier for raw data; ``input_schema`` is the schema of the raw training data.

    ``filters`` and ``learner`` produced ``recipe`` and ``model`` from the data ``data_name`` at the time ``created``
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
    """The parameter search on all training records, if any."""
    deciding: DecisionFunction | None = None
    """The decision rule that replaces the model's own, if any."""
    cleaning: tuple[ReplayedEdit, ...] = ()
    """The cleaning rules that made the training data; a new file needs them before the recipe."""
    reading: Any = None
    """How the file of the training data was read (see ``DataOrigin``); a new one is read alike."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The class labels in code order."""
        return self.model.classes

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """The columns of raw data that do not reach the model, neither by the recipe nor by formulas of costs."""
        read = self.learner.raw_columns
        return tuple(name for name in self.recipe.left_out(self.input_schema) if name not in read)

    def differences(self, data: Dataset) -> list[SchemaDifference]:
        """The differences between raw data and the training data; fatal ones make prediction impossible."""
        given = with_absent_as_missing(self.input_schema, data, self.left_out)
        left_out = set(self.left_out)
        deviations = empty_columns(self.input_schema, given)
        schema = self.input_schema
        deviations += differences(schema, given, self.recipe.rare_values(schema), self.recipe.lists_of_numbers(schema))
        remarks = (remark for fitted in self.recipe.filters for remark in fitted.remarks(given))
        deviations += [SchemaDifference(column, sentence) for column, sentence in remarks]
        return [deviation for deviation in deviations if deviation.fatal or deviation.column not in left_out]

    def completed(self, data: Dataset) -> Dataset:
        """Raw data with each absent column of the training data added as a column of missing values."""
        return with_absent_as_missing(self.input_schema, data)

    def prepared(self, data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> Dataset:
        """Raw data after the recipe; raises :class:`DataError` if a needed column is absent or of another kind."""
        given = with_absent_as_missing(self.input_schema, data, self.left_out)
        raw = aligned(self.input_schema, given, self.recipe.rare_values(self.input_schema))
        return self.recipe.transform(raw, checkpoint)

    def predict(self, data: Dataset) -> Codes:
        """The class code decided for each record of raw data (n,)."""
        if self.deciding is None:
            return self.model.predict(self.prepared(data))
        return self.judged(data, RunContext()).decisions

    def predict_proba(self, data: Dataset) -> Probabilities:
        """Class probabilities (n, k) of raw data."""
        return self.model.predict_proba(self.prepared(data))

    def judged(self, data: Dataset, context: RunContext) -> Predictions:
        """Decisions and probabilities for raw data; checks the context for stops."""
        own = self.model.judged(self.prepared(data, context.checkpoint), context)
        if self.deciding is None:
            return own
        return replace(own, decisions=self.deciding(own.probabilities, own.decisions, context.checkpoint, data))

    def with_judgement(self, data: Dataset, judgement: Predictions) -> Dataset:
        """Raw data with a column of decisions and one column of probabilities for each class appended."""
        probabilities = np.round(judgement.probabilities.astype(np.float64), PROBABILITY_DIGITS)
        return with_decisions(data, self.classes, judgement.decisions, probabilities)

    def n_right(self, predicted: Dataset) -> tuple[int, int]:
        """The number of records with a known class, and of correct decisions, in data from :meth:`with_judgement`."""
        if (truth := self.truth(predicted)) is None:
            return 0, 0
        decisions = predicted.column(len(predicted.schema) - len(self.classes) - 1)
        return int(np.count_nonzero(truth >= 0)), int(np.count_nonzero(truth == decisions))

    def truth(self, data: Dataset) -> Codes | None:
        """The class codes (n,) of raw data, negative where unknown; None without the class column."""
        if self.input_schema.class_attribute.name not in data.schema:
            return None
        return aligned(self.input_schema, self.completed(data)).class_codes

    def n_incomplete(self, data: Dataset) -> int:
        """The number of records of raw data with a missing value in a column that the model gets."""
        names = [self.input_schema.names[index] for index in self.input_schema.predictors]
        used = [data.schema.index_of(name) for name in names if name in data.schema and name not in self.left_out]
        masks = [missing_mask(data.schema.attributes[index], data.column(index)) for index in used]
        return int(np.count_nonzero(np.logical_or.reduce(masks))) if masks else 0

    def explain(self, data: Dataset, row: int) -> Explanation:
        """The explanation of the decision for record ``row`` of the raw data."""
        return self.model.explain(self.prepared(data.take([row])), 0)

    def structure(self) -> ModelStructure:
        """The contents of the model for display and export: tree, rules, coefficients ..."""
        return self.model.structure()


def with_decisions(
    data: Dataset, classes: tuple[str, ...], decisions: NDArray[Any], probabilities: NDArray[Any]
) -> Dataset:
    """The data with decisions (n,) and probabilities (n, k) appended: one column, and one for each class."""
    data = data.with_new_column(nominal(free_name(PREDICTED, data.schema), classes), decisions)
    for code, label in enumerate(classes):
        data = data.with_new_column(numeric(free_name(f"{PROBABILITY} {label}", data.schema)), probabilities[:, code])
    return data


@dataclass(frozen=True, eq=False)
class HeldOutPredictions:
    """Probabilities (n, k) and decisions (n,) by models not trained on them; valid in the mask ``tested`` (n,)."""

    probabilities: FloatArray
    decisions: Codes
    tested: NDArray[np.bool_]

    def accuracy(self, data: Dataset) -> float | None:
        """Weighted accuracy on the tested records; None if their weights sum to 0."""
        weights = data.weight_array[self.tested]
        right = self.decisions[self.tested] == data.class_codes[self.tested]
        return float(weights[right].sum() / weights.sum()) if weights.sum() > 0 else None


def held_out(learner: Learner, data: Dataset, folds: int, context: RunContext) -> HeldOutPredictions | None:
    """Predictions by stratified folds; None for fewer than two records. An early finish leaves some untested."""
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
