"""A learner with parameter search: settings are evaluated inside the training records, the best trains on all.

Source: TSKK section 3.7 and Algorithm 3.2 (model selection inside the training part); Bergstra and Bengio (2012) for
random search; Jamieson and Talwalkar (2016) for successive halving.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Self

import numpy as np

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.filters import Recipe
from algorithms.core.learner import Learner, Model, Problem
from algorithms.core.parameters import Option, choice, column, declared_as, integer, learner_parameter, text, when
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.core.training import LearnedModel, RecipeLearner, learn
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.evaluation.tuning.search import ERROR, LEAST_RECORDS, OPTIONS, InnerFolds, inner_folds_of, searched
from algorithms.evaluation.tuning.search_space import RECIPE, TriedSetting, axis_of, space_of, tried_values
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.trees.c45 import C45
from algorithms.text.sentences import within_sentence

_SEARCHING: Final = 0.95
_KEY: Final = 2
"""Key of the search's child context; the final model keeps the seed that it has without a search."""

GRID: Final = "grid"
RANDOM: Final = "random"
HALVING: Final = "halving"


class InnerFoldsLearner(RecipeLearner):
    """Base of learners whose inner folds respect the columns ``together`` and ``ordered``."""

    together: str | None
    ordered: str | None

    @property
    def inner(self) -> InnerFolds | None:
        """The column that inner folds respect; None if neither groups nor order are set."""
        if self.together:
            return InnerFolds(self.together)
        return InnerFolds(self.ordered, in_order=True) if self.ordered else None

    def judged_by(self, method: Method) -> Self:
        """The learner with inner folds that respect the method's column; its own column takes precedence."""
        by = inner_folds_of(method)
        if by is None or self.inner is not None:
            return self
        return self.with_values(ordered=by.column) if by.in_order else self.with_values(together=by.column)


@dataclass(frozen=True, kw_only=True)
class Tuned(InnerFoldsLearner):
    """Chooses settings of ``base`` and the recipe by inner folds, which fit both; tested records play no part."""

    id: ClassVar[str] = "tuned"
    name: ClassVar[str] = "Parameter search"
    sentence: ClassVar[str] = (
        "Tries parameter values of a learner by cross-validation inside the training records and takes the best."
    )
    source: ClassVar[str] = "Tan, Steinbach, Karpatne and Kumar, Algorithm 3.2"
    family: ClassVar[str] = "Trees"
    listed: ClassVar[bool] = False

    base: Learner = learner_parameter(C45(), label="Base learner", help="The learner whose parameters are tuned.")
    tried: str = text(
        "", label="Parameter grid", help="The values to try: min_leaf=1,2,5; criterion=gini,information-gain."
    )
    strategy: str = choice(
        GRID,
        Option(GRID, "Grid", "Every combination of the values."),
        Option(RANDOM, "Random", "A number of random combinations; nearly as good with many values, and faster."),
        Option(
            HALVING,
            "Successive halving",
            "All start on few records; the best third continues on three times as many, and so on.",
        ),
        label="Search",
        help="Whether every combination is tried, or some are left out to save time.",
    )
    draws: int = integer(
        30,
        lo=1,
        hi=5000,
        label="Candidates",
        help="Number of combinations drawn at random; all if there are no more.",
        unit="combinations",
        enabled_if=when("strategy", RANDOM, HALVING),
    )
    folds: int = integer(
        5,
        lo=2,
        hi=100,
        label="Inner folds",
        help="Number of folds inside the training records that compare the candidates. The tested records "
        "are not used.",
        unit="folds",
    )
    together: str | None = column(
        None,
        label="Group column",
        help="Records with the same value in this column stay in one fold. Empty: as in the test method.",
        advanced=True,
    )
    ordered: str | None = column(
        None,
        label="Order column",
        help="A column that grows with time: each fold is trained on earlier records. Empty: as in the test method.",
        advanced=True,
    )
    measure: str = choice(ERROR, *OPTIONS, label="Measure", help="The measure that compares the candidates.")

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, values in tried_values(self.tried).items():
            if not name.startswith(f"{RECIPE}."):  # the recipe is unknown until fitting
                axis_of(self.base, (), name, values)

    @property
    def resamples(self) -> bool:
        return bool(self.tried.strip()) or self.base.resamples

    def check(self, summary: Summary) -> list[Problem]:
        return self.base.check(summary)

    def summary(self) -> str:
        parts = []
        for name, values in tried_values(self.tried).items():
            label = name if name.startswith(RECIPE) else within_sentence(axis_of(self.base, (), name, values).label)
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


@dataclass(frozen=True, kw_only=True)
class NestedChoice(InnerFoldsLearner):
    """Chooses the best of several learners by folds of the training records; that one trains on all of them.

    The test then includes the choice (nested cross-validation), so its result is that of the best by any other records.
    ``other`` may be a choice itself, whose learners join.
    """

    id: ClassVar[str] = "nested-choice"
    name: ClassVar[str] = "Model selection"
    sentence: ClassVar[str] = (
        "Compares learners by cross-validation inside the training records and trains the best, so that the test "
        "includes the choice (nested cross-validation)."
    )
    source: ClassVar[str] = "Tan, Steinbach, Karpatne and Kumar, Algorithm 3.2"
    family: ClassVar[str] = "Trees"
    listed: ClassVar[bool] = False
    always_resamples: ClassVar[bool] = True

    base: Learner = learner_parameter(C45(), label="Base learner", help="A learner to choose from.")
    other: Learner = learner_parameter(NaiveBayes(), label="Second learner", help="Another one, or a choice of others.")
    folds: int = integer(5, lo=2, hi=100, label="Inner folds", help="Folds inside the training records.", unit="folds")
    together: str | None = declared_as(Tuned, "together")
    ordered: str | None = declared_as(Tuned, "ordered")

    @classmethod
    def of(cls, learners: Sequence[Learner]) -> Learner:
        first, *others = learners
        return cls(base=first, other=cls.of(others)) if others else first

    @property
    def learners(self) -> tuple[Learner, ...]:
        return self.base, *(self.other.learners if isinstance(self.other, NestedChoice) else (self.other,))

    def check(self, summary: Summary) -> list[Problem]:
        return next((problems for learner in self.learners if (problems := learner.check(summary))), [])

    def summary(self) -> str:
        return f"{self.name}, {len(self.learners)} learners"

    def fit_with(self, recipe: Recipe, data: Dataset, context: RunContext) -> LearnedModel:
        searching, labels = context.child(_SEARCHING, _KEY), ("Learner",)
        names = [learner.summary() for learner in self.learners]
        settings = [
            TriedSetting((name,), learner, recipe, (name,)) for name, learner in zip(names, self.learners, strict=True)
        ]
        search = None
        if len(np.unique(data.row_ids[data.row_ids >= 0])) >= LEAST_RECORDS and data.weight_array.any():
            search = searched(settings, ("learner",), labels, data, searching, self.folds, ERROR, False, self.inner)
        searching.complete()
        chosen = settings[0 if search is None else search.chosen].learner
        final = context.child(1 - _SEARCHING, _KEY + 1, same_seed=True, finish_forgotten=True)
        learned = learn(chosen, recipe, data, final)
        if search is not None and search.partial:
            learned.model.partial = True
        return LearnedModel(learned.recipe, learned.model, chosen, recipe, search)

    def _fit(self, data: Dataset, context: RunContext) -> Model:
        for learner in self.learners:
            ensure_compiled(learner.kernels, context)
        return self.fit_with((), data, context).model


def tuned_base(learner: Learner) -> Learner:
    """The learner whose parameters are searched; ``learner`` itself without a search."""
    return learner.base if isinstance(learner, Tuned | NestedChoice) else learner
