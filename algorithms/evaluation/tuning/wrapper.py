"""Wrapper attribute selection: a learner evaluates subsets inside the training records (Kohavi and John 1997)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import CoppiceError
from algorithms.core.learner import Learner, Problem, monotone_problems
from algorithms.core.parameters import Option, choice, integer, learner_parameter, when
from algorithms.core.resampling import inner_fold_numbers, learned_beside
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.evaluation.runner import kernels_of
from algorithms.filters.checks import problems_without_class, require_class
from algorithms.filters.select_attributes import AttributeScores, AttributeSelection
from algorithms.learners.trees.c45 import C45
from algorithms.text.numbers import percent

Subset = tuple[int, ...]
_BETTER: Final = 1e-9
_WORST: Final = -1.0


@dataclass(frozen=True, kw_only=True)
class WrapperSelection(AttributeSelection):
    """Searches attribute subsets, each evaluated by stratified cross-validation inside the training records.

    All subsets share the folds. Ties go to the smaller subset, then to the first.
    """

    id: ClassVar[str] = "wrapper"
    name: ClassVar[str] = "Wrapper selection"
    sentence: ClassVar[str] = (
        "Searches for the set of attributes with the highest accuracy of a learner, by cross-validation "
        "inside the training records. Thorough, and slow with many attributes."
    )
    family: ClassVar[str] = "Columns"

    base: Learner = learner_parameter(
        C45(), label="Base learner", help="The learner that evaluates sets of attributes: best the one to be trained."
    )
    search: str = choice(
        "forward",
        Option("forward", "Forward", "Adds the attribute that helps most, while one does."),
        Option("backward", "Backward", "Removes the attribute that is needed least, while one is not needed."),
        Option("best-first", "Best first", "As forward, but returns to earlier sets before it stops."),
        label="Search",
        help="The order in which sets of attributes are tried.",
    )
    patience: int = integer(
        5,
        lo=1,
        hi=100,
        label="Patience",
        help="The search ends after this many expanded sets without improvement.",
        unit="sets",
        enabled_if=when("search", "best-first"),
    )
    measure: str = choice(
        "accuracy",
        Option("accuracy", "Accuracy", "All records count the same."),
        Option("balanced", "Balanced accuracy", "All classes count the same."),
        label="Measure",
        help="The measure that compares sets of attributes.",
    )
    folds: int = integer(
        5,
        lo=2,
        hi=50,
        label="Inner folds",
        help="Number of folds inside the training records that test a set.",
        unit="folds",
    )

    def check(self, summary: Summary) -> list[Problem]:
        problems = problems_without_class(summary, "evaluate with") or self.base.check(summary)
        return problems or monotone_problems(self.base, "a set of columns may lack them")

    @property
    def measure_words(self) -> str:
        return "Lost without it" if self.search == "backward" else "Alone"

    def judged(self, data: Dataset, context: RunContext) -> AttributeScores:
        """The best subset, and the accuracy of each attribute alone (NaN if not evaluated).

        With backward search, instead the loss in accuracy from removing each attribute alone.
        """
        require_class(data, "evaluate with")
        data = data.labelled()
        indices = list(data.schema.predictors)
        names = tuple(data.schema.names[index] for index in indices)
        all_stay = AttributeScores(names, np.full(len(names), np.nan), np.ones(len(names), dtype=np.bool_))
        if not indices or len(data) < 2 or len(np.unique(data.class_codes)) < 2:
            return all_stay
        ensure_compiled(kernels_of(self.base), context)
        trying = WrapperSearch(self, data, context)
        best = {"backward": trying.backward, "forward": trying.forward, "best-first": trying.best_first}[self.search]()
        kept = np.zeros(len(indices), dtype=np.bool_)
        kept[list(best)] = True
        scores = trying.missed() if self.search == "backward" else trying.alone()
        return AttributeScores(names, scores, kept)


class WrapperSearch:
    """The search in one training part; ``known`` maps each evaluated subset to its accuracy."""

    def __init__(self, step: WrapperSelection, data: Dataset, context: RunContext) -> None:
        self._step, self._context = step, context
        self._data = data.with_recipe_input(data.raw_records)  # costs may need a column that a subset lacks
        self._indices = list(data.schema.predictors)
        folds = min(step.folds, len(data))
        self._fold: IntArray = inner_fold_numbers(data, folds, context.random(), stratified=True)
        self._folds = [fold for fold in range(folds) if np.any(self._fold == fold) and np.any(self._fold != fold)]
        self._error: CoppiceError | None = None
        self.known: dict[Subset, float] = {(): self._baseline_accuracy()}

    @property
    def d(self) -> int:
        return len(self._indices)

    def forward(self) -> Subset:
        best: Subset = ()
        while len(best) < self.d:
            candidate = self._best_of(_grown(best, self.d))
            if candidate is None or (best and not self._is_better(candidate, best)):
                break
            best = candidate
            if self._context.finishing:
                break
        return self._checked(best)

    def backward(self) -> Subset:
        best = tuple(range(self.d))
        self._evaluate([best])
        while len(best) > 1 and not self._context.finishing:
            candidate = self._best_of([tuple(column for column in best if column != gone) for gone in best])
            if candidate is None or self.known[candidate] < self.known[best] - _BETTER:
                break
            best = candidate
        return self._checked(best)

    def best_first(self) -> Subset:
        """Expand the best subset until ``patience`` expansions in a row bring no gain."""
        best: Subset = ()
        waiting: list[Subset] = [()]
        stale = 0
        while waiting and stale < self._step.patience and not self._context.finishing:
            start = max(waiting, key=lambda subset: (self.known[subset], -len(subset), [-column for column in subset]))
            waiting.remove(start)
            new = [subset for subset in _grown(start, self.d) if subset not in self.known]
            self._evaluate(new)
            waiting += [subset for subset in new if subset in self.known]
            candidate = self._best_of(new)
            if candidate is not None and (not best or self._is_better(candidate, best)):
                best, stale = candidate, 0
            else:
                stale += 1
        return self._checked(best)

    def alone(self) -> FloatArray:
        """Accuracy with each attribute alone (d,); NaN if not evaluated."""
        return np.array([self._tried((column,)) for column in range(self.d)])

    def missed(self) -> FloatArray:
        """Loss of accuracy without each attribute (d,); NaN if not evaluated."""
        every = tuple(range(self.d))
        return self._tried(every) - np.array(
            [self._tried(tuple(column for column in every if column != gone)) for gone in every]
        )

    def _tried(self, subset: Subset) -> float:
        score = self.known.get(subset, np.nan)
        return score if score > _WORST else np.nan

    def _checked(self, best: Subset) -> Subset:
        """``best``, or all attributes if it is empty; raises the learner's error if training on ``best`` failed."""
        if self._error is not None and self.known.get(best, _WORST) <= _WORST:
            raise self._error
        return best or tuple(range(self.d))

    def _is_better(self, one: Subset, other: Subset) -> bool:
        return self.known[one] > self.known[other] + _BETTER

    def _best_of(self, subsets: Iterable[Subset]) -> Subset | None:
        """The best of these subsets, the first in a tie; None after an early stop."""
        wanted = list(subsets)
        self._evaluate(wanted)
        judged = [subset for subset in wanted if subset in self.known]
        return max(judged, key=lambda subset: self.known[subset]) if judged else None

    def _evaluate(self, subsets: Iterable[Subset]) -> None:
        new = [subset for subset in subsets if subset not in self.known]
        if not new:
            return
        self._context.checkpoint()
        round_ = self._context.child(1 / (self.d + 1), 1)  # the same seeds for every subset
        best = max(self.known, key=lambda subset: self.known[subset])
        self._context.say(f"Trying sets of {len(new[0])} columns; best accuracy {percent(self.known[best])}")

        def score(subset: Subset) -> tuple[Subset, float | None]:
            return subset, None if round_.finishing else self._accuracy(subset, round_.child(1 / len(new), 0))

        scores = round_.map(score, new)
        round_.complete()
        self.known.update({subset: value for subset, value in scores if value is not None})

    def _accuracy(self, subset: Subset, context: RunContext) -> float:
        """Accuracy with these attributes on the inner folds; :data:`_WORST` if the learner fails."""
        class_index = self._data.schema.class_index
        assert class_index is not None
        data = self._data.select_columns([*(self._indices[column] for column in subset), class_index])
        decided = np.full(len(data), -1, dtype=np.int64)
        try:
            for fold in self._folds:
                context.checkpoint()
                tested = np.flatnonzero(self._fold == fold)
                part = context.child(1 / len(self._folds), fold)
                model = self._step.base.fit(data.take(learned_beside(data, self._fold == fold)), part)
                decided[tested] = model.judged(data.take(tested), part).decisions
        except CoppiceError as error:
            self._error = self._error or error
            return _WORST
        finally:
            context.complete()
        return self._score(decided)

    def _baseline_accuracy(self) -> float:
        """Accuracy of predicting the most frequent class of each training part."""
        k, decided = len(self._data.schema.classes), np.full(len(self._data), -1, dtype=np.int64)
        codes, weights = self._data.class_codes.astype(np.int64), self._data.weight_array
        for fold in self._folds:
            learned = learned_beside(self._data, self._fold == fold)
            decided[~learned] = int(np.argmax(np.bincount(codes[learned], weights[learned], minlength=k)))
        return self._score(decided)

    def _score(self, decided: NDArray[np.int64]) -> float:
        tested = self._fold >= 0
        codes, weights = self._data.class_codes[tested].astype(np.int64), self._data.weight_array[tested]
        right = (decided[tested] == codes) * weights
        if self._step.measure == "accuracy":
            return float(right.sum() / weights.sum()) if weights.sum() > 0 else 0.0
        k = len(self._data.schema.classes)
        of_class, right_of = np.bincount(codes, weights, minlength=k), np.bincount(codes, right, minlength=k)
        present = of_class > 0
        return float(np.mean(right_of[present] / of_class[present])) if present.any() else 0.0


def _grown(subset: Subset, d: int) -> list[Subset]:
    return [tuple(sorted((*subset, more))) for more in range(d) if more not in subset]
