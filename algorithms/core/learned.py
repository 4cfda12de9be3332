"""Learning on training records: the recipe first, then the model, or both together where the learner decides on both.

Source of the search: Tan, Steinbach, Karpatne and Kumar, Introduction to Data Mining, Algorithms 3.2 and 3.3; of the
correction: Tibshirani and Tibshirani (2009), A bias correction for the minimum error rate in cross-validation.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.filters import Filter, FittedRecipe, Recipe, fit_recipe
from algorithms.core.learner import Learner, Model
from algorithms.core.resampling import Method


@dataclass(frozen=True, eq=False)
class Search:
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
        found: FloatArray = self.losses @ shares
        return found

    @cached_property
    def spread(self) -> FloatArray:
        """Standard error of each mean over the folds (c,); 0 where there is one fold."""
        k = self.n_folds
        if k < 2:
            return np.zeros(self.n_settings)
        found: FloatArray = np.std(self.losses, axis=1, ddof=1) / np.sqrt(k)
        return found

    @property
    def is_final(self) -> NDArray[np.bool_]:
        """Whether each setting was judged on as many records as the one chosen, and so is beside it (c,)."""
        found: NDArray[np.bool_] = np.isfinite(self.mean) & (self.n_train >= self.n_train[self.chosen])
        return found

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
class Learned:
    """A recipe and a model learned on the same records, and by what they were made.

    ``search`` says what was tried where values were chosen.
    """

    recipe: FittedRecipe
    model: Model
    learner: Learner
    filters: Recipe
    search: Search | None = None


@dataclass(frozen=True, kw_only=True)
class LearnsRecipe(Learner):
    """A learner that decides on the steps before it as well, so that it must learn them itself."""

    def judged_by(self, method: Method) -> LearnsRecipe:
        """The learner as it learns where it is judged so: what it tests inside keeps to what the method keeps to."""
        return self

    @abstractmethod
    def fit_with(self, recipe: Recipe, data: Dataset, context: RunContext) -> Learned:
        """The recipe and the model learned on training records that have a class; nothing else may be looked at."""


def suited_to(learner: Learner, method: Method | None) -> Learner:
    """The learner as it learns where it is judged by this method (see :meth:`LearnsRecipe.judged_by`)."""
    return learner.judged_by(method) if method is not None and isinstance(learner, LearnsRecipe) else learner


def learn(learner: Learner, recipe: Sequence[Filter], data: Dataset, context: RunContext) -> Learned:
    """The recipe learned on training records, and the model on what the recipe made of them."""
    if isinstance(learner, LearnsRecipe):
        return learner.fit_with(tuple(recipe), data, context)
    fitted, prepared = fit_recipe(recipe, data, context.child(0.1, 0))
    model = learner.fit(prepared, context.child(0.9, 1))
    return Learned(fitted, model, learner, tuple(recipe))
