"""A learner with parameter search: settings are evaluated inside the training records, the best trains on all.

Source: TSKK section 3.6 and Algorithm 3.2 (model selection inside the training part); Bergstra and Bengio (2012) for
random search; Jamieson and Talwalkar (2016) for successive halving.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.filters import Recipe
from algorithms.core.learner import Learner, Model, Problem
from algorithms.core.parameters import Option, choice, column, integer, learner_parameter, text, when
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.core.training import LearnedModel, RecipeLearner, learn
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.evaluation.tuning.search import ERROR, LEAST_RECORDS, OPTIONS, InnerFolds, inner_folds_of, searched
from algorithms.evaluation.tuning.search_space import RECIPE, TriedSetting, axis_of, space_of, tried_values
from algorithms.learners.trees.c45 import C45

_SEARCHING: Final = 0.95
_KEY: Final = 2
"""Key of the search's child context; the final model keeps the seed that it has without a search."""

GRID: Final = "grid"
RANDOM: Final = "random"
HALVING: Final = "halving"


@dataclass(frozen=True, kw_only=True)
class Tuned(RecipeLearner):
    """Chooses the best setting of ``base`` and of the recipe's steps by folds of the training records.

    Recipe and learner are fitted inside each inner fold; tested records play no part.
    """

    id: ClassVar[str] = "tuned"
    name: ClassVar[str] = "Several settings"
    sentence: ClassVar[str] = "Tries several settings of a learner on parts of the training records and takes the best."
    source: ClassVar[str] = "Tan, Steinbach, Karpatne and Kumar, Algorithm 3.2"
    family: ClassVar[str] = "Trees"
    listed: ClassVar[bool] = False

    base: Learner = learner_parameter(C45(), label="Learner", help="Whose settings are tried.")
    tried: str = text("", label="Tried", help="The values to try: min_leaf=1,2,5; criterion=gini,information-gain.")
    strategy: str = choice(
        GRID,
        Option(GRID, "All of them", "Every combination of the values is tried."),
        Option(
            RANDOM, "Some at random", "So many combinations are drawn; nearly as good with many values, and faster."
        ),
        Option(
            HALVING,
            "All on few records, the best on more",
            "All begin with few training records; the best third goes on with three times as many, and so on.",
        ),
        label="Which are tried",
        help="Whether every combination of the values is tried, or how some of them are left out to save time.",
    )
    draws: int = integer(
        30,
        lo=1,
        hi=5000,
        label="Settings drawn",
        help="How many combinations are drawn at random; all are tried where there are no more.",
        unit="settings",
        enabled_if=when("strategy", RANDOM, HALVING),
    )
    folds: int = integer(
        5,
        lo=2,
        hi=100,
        label="Folds to choose by",
        help="Into how many parts the training records are cut to judge the settings. The tested records are not used.",
        unit="folds",
    )
    together: str | None = column(
        None,
        label="Keep together",
        help="Records with the same value in this column are in one of these folds. By itself as they are judged.",
        advanced=True,
    )
    ordered: str | None = column(
        None,
        label="In the order of",
        help="A column that grows with time: each fold is learned from what came before it. By itself as it is judged.",
        advanced=True,
    )
    measure: str = choice(
        ERROR, *OPTIONS, label="Best is", help="By what the settings are compared on the folds' records."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, values in tried_values(self.tried).items():
            if not name.startswith(f"{RECIPE}."):  # the recipe is unknown until fitting
                axis_of(self.base, (), name, values)

    @property
    def inner(self) -> InnerFolds | None:
        """The column that inner folds respect; None if neither groups nor order are set."""
        if self.together:
            return InnerFolds(self.together)
        return InnerFolds(self.ordered, in_order=True) if self.ordered else None

    def judged_by(self, method: Method) -> Tuned:
        """The learner with inner folds that respect the method's column; its own column takes precedence."""
        by = inner_folds_of(method)
        if by is None or self.inner is not None:
            return self
        return replace(self, ordered=by.column) if by.in_order else replace(self, together=by.column)

    @property
    def resamples(self) -> bool:
        return bool(self.tried.strip()) or self.base.resamples

    def check(self, summary: Summary) -> list[Problem]:
        return self.base.check(summary)

    def summary(self) -> str:
        parts = []
        for name, values in tried_values(self.tried).items():
            label = name if name.startswith(RECIPE) else axis_of(self.base, (), name, values).label.lower()
            parts.append(f"{label} {values}")
        return (
            f"{self.name}, {self.base.summary()}: {' and '.join(parts)}" if parts else f"{self.name}, {self.base.name}"
        )

    def settings(self, recipe: Recipe, context: RunContext) -> list[TriedSetting]:
        """The settings to try; raises :class:`ParameterError`. Random ones depend on the context's seed."""
        space = space_of(self.base, recipe, self.tried)
        if not space.axes:
            return [TriedSetting((), self.base, recipe)]
        if self.strategy == GRID:
            return space.grid()
        return space.drawn(self.draws, context.random())

    def fit_with(self, recipe: Recipe, data: Dataset, context: RunContext) -> LearnedModel:
        if not self.tried.strip():
            return learn(self.base, recipe, data, context)
        searching = context.child(_SEARCHING, _KEY)
        settings = self.settings(recipe, searching)
        names = tuple(tried_values(self.tried))
        labels = tuple(
            axis_of(self.base, recipe, name, values).label for name, values in tried_values(self.tried).items()
        )
        if len(settings) > 1 and len(np.unique(data.row_ids[data.row_ids >= 0])) >= LEAST_RECORDS:
            halving = self.strategy == HALVING
            by = self.inner
            search = searched(settings, names, labels, data, searching, self.folds, self.measure, halving, by)
        else:
            search = None
        searching.complete()
        chosen = settings[0 if search is None else search.chosen]
        final = context.child(1 - _SEARCHING, _KEY + 1, same_seed=True, finish_forgotten=True)
        learned = learn(chosen.learner, chosen.recipe, data, final)
        if search is not None and search.partial:
            learned.model.partial = True
        return LearnedModel(learned.recipe, learned.model, chosen.learner, chosen.recipe, search)

    def _fit(self, data: Dataset, context: RunContext) -> Model:
        ensure_compiled(self.base.kernels, context)
        return self.fit_with((), data, context).model


def tuned_base(learner: Learner) -> Learner:
    """The learner whose parameters are searched; ``learner`` itself without a search."""
    return learner.base if isinstance(learner, Tuned) else learner
