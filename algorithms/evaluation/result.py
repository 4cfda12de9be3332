"""The result of an evaluation: true class, prediction and probabilities of each tested record."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.filters import Recipe
from algorithms.core.learner import Codes, Learner
from algorithms.core.resampling import AccuracyEstimate, FoldTests, Method
from algorithms.core.training import SearchResult
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.schema import Schema
from algorithms.evaluation.checks.warning import ON_TRAINING
from algorithms.text.sentences import and_more

MOST_NAMED: Final = 3


def chosen_words(searches: Sequence[SearchResult], part: str) -> str:
    """A sentence on the settings that the folds chose."""
    counts = Counter(search.words(search.chosen) for search in searches)
    n, tried = len(searches), max(search.n_settings for search in searches)
    named = [f"{words} in {count:,}" for words, count in counts.most_common(MOST_NAMED)]
    rest = len(counts) - len(named)
    others = "another choice in the rest" if rest == 1 else f"{rest:,} other choices in the rest"
    choices = "; ".join(named) + (f"; {others}" if rest else "")
    if n == 1:
        return f"The best of {tried:,} settings was chosen by training records only: {next(iter(counts))}."
    return (
        f"In each {part} the best of {tried:,} settings was chosen by its training records only. "
        f"Of {n:,} {part}s: {choices}."
    )


def ranked_settings(search: SearchResult) -> list[int]:
    """Indices of the settings: the chosen one, then by loss; incomplete and failed ones last."""
    mean = np.where(np.isfinite(search.mean), search.mean, np.inf)
    order = np.lexsort((np.arange(search.n_settings), mean, -search.n_train))
    return [search.chosen, *(int(setting) for setting in order if setting != search.chosen)]


def left_behind_words(search: SearchResult) -> str:
    """The explanation of settings without a value; empty if all have one."""
    return "A setting without a number was left behind on fewer records." if search.has_left_behind else ""


@dataclass(frozen=True)
class FoldFailure:
    """A fold that failed, with the reason in a sentence."""

    repeat: int
    fold: int
    sentence: str


@dataclass(frozen=True)
class PhaseSeconds:
    """Seconds summed over the folds, without compilation; the reader of the data sets ``load``."""

    fit: float = 0.0
    predict: float = 0.0
    load: float = 0.0


MOST_WEIGHT: Final = 1e50
"""Limit of weights, since measures multiply four sums of them."""


@dataclass(frozen=True, eq=False)
class EvaluationResult:
    """Tests of one evaluation, from which all measures, curves and matrices are computed.

    The arrays run over the m tests by repeat, fold and record:

    ===============  =========  ==============================================================================
    array            shape      meaning
    ===============  =========  ==============================================================================
    row_ids          (m,)       stable ids of the records (for a test file, those of its records)
    repeats, folds   (m,)       int32, repeat and fold that tested the record
    truth            (m,)       int32, true class code
    decision         (m,)       int32, class decided by the model, not always the most probable one
    probabilities    (m, k)     float64; float32 in runs saved by older versions
    weights          (m,)       float64, None if unweighted; scaled to the largest if that is beyond 1e50 or below
                                1e-50, since no measure depends on their unit
    ===============  =========  ==============================================================================

    ``baseline_class`` is the most frequent class of the training parts. ``resubstitution`` (k, k) is the confusion
    matrix of the full model on its training records, for methods that use it (the bootstraps). ``warnings`` are
    sentences.
    """

    learner: Learner
    method: Method
    recipe: Recipe
    seed: int
    schema: Schema
    classes: tuple[str, ...]
    row_ids: IntArray
    repeats: NDArray[np.int32]
    folds: NDArray[np.int32]
    truth: Codes
    decision: Codes
    probabilities: NDArray[np.floating]
    weights: FloatArray | None
    baseline_class: int
    n_training: int
    """Number of labelled records, from which the training parts were taken."""
    n_without_class: int
    """Number of records omitted for a missing class."""
    test_is_training: bool
    n_folds: int
    """Planned number of folds; fewer were tested if ``partial`` or if some failed."""
    timings: PhaseSeconds = PhaseSeconds()
    failures: tuple[FoldFailure, ...] = ()
    partial: bool = False
    resubstitution: FloatArray | None = None
    warnings: tuple[str, ...] = field(default=())
    marks: tuple[str, ...] = ()
    """Changes of the data that the result must show (see ``DataOrigin``)."""
    searches: tuple[SearchResult, ...] = ()
    """Parameter search of each fold, if any."""

    def __post_init__(self) -> None:
        """Rescales the weights (see :func:`weights_in_range`), so that no product overflows or underflows."""
        if self.weights is not None:
            object.__setattr__(self, "weights", weights_in_range(self.weights))

    def __len__(self) -> int:
        """Number of tests, counting a record once per repeat."""
        return len(self.truth)

    @cached_property
    def n_records(self) -> int:
        """Number of distinct tested records."""
        ids = np.sort(self.row_ids)  # ten times as fast as np.unique, which hashes
        return int(np.count_nonzero(ids[1:] != ids[:-1])) + int(len(ids) > 0)

    @cached_property
    def class_counts(self) -> list[float]:
        """Number of distinct tested records of each class that has any."""
        _, first = np.unique(self.row_ids, return_index=True)
        counts = np.bincount(self.truth[first], self.weight_array[first] if self.weights_are_counts else None)
        return [float(n) for n in counts if n]

    @property
    def weights_are_counts(self) -> bool:
        """Whether a row with weight w stands for w records."""
        return False

    @cached_property
    def n_effective(self) -> float:
        """(Σ w)² / Σ w² over distinct records (Kish 1965, 11.7): a few heavy ones inform less than many light ones."""
        if self.weights is None or self.weights_are_counts:
            return float(self.n_records)
        return kish(self.weights[np.unique(self.row_ids, return_index=True)[1]])

    @property
    def weight_array(self) -> FloatArray:
        """Record weights (m,), ones if unweighted."""
        return np.ones(len(self.truth)) if self.weights is None else self.weights

    @property
    def right(self) -> NDArray[np.bool_]:
        """Mask of the correctly classified tests (m,)."""
        return np.equal(self.truth, self.decision)

    @cached_property
    def n_judged(self) -> int:
        """Number of tested folds."""
        changes = (np.diff(self.repeats) != 0) | (np.diff(self.folds) != 0)
        return int(len(self) > 0) + int(np.count_nonzero(changes))

    def parts_judged(self) -> str:
        """Tested parts of a partial result, "4 of 10 folds"; empty if complete."""
        if not self.partial or self.n_judged + len(self.failures) >= self.n_folds:
            return ""
        return f"{self.n_judged:,} of {self.n_folds:,} {self.method.part_name}s"

    def finished_early(self) -> str:
        """The coverage of a partial result as a sentence without full stop; empty if complete."""
        if not self.partial:
            return ""
        parts = self.parts_judged()
        if not parts:
            return "Finished early: learning was cut short"
        judged = f"Finished early: tested on {parts}"
        if self.n_records >= self.n_training:
            return judged
        return f"{judged}, which test {self.n_records:,} of {self.n_training:,} records"

    def named(self, failure: FoldFailure) -> str:
        """Name of a failed fold: "Fold 3 of repeat 1", "Sample 8"."""
        part = self.method.part_name
        if part != "fold":
            return f"{part.capitalize()} {failure.repeat + 1}"
        return f"Fold {failure.fold + 1} of repeat {failure.repeat + 1}"

    @cached_property
    def estimate(self) -> AccuracyEstimate | None:
        """The method's own accuracy estimate (the bootstraps); None for other methods."""
        if self.resubstitution is None:
            return None
        return self.method.estimate(
            FoldTests(self.repeats, self.row_ids, self.right, self.weight_array, self.resubstitution)
        )

    @property
    def estimate_remark(self) -> str:
        """Remark on :attr:`estimate`; empty without one."""
        return "" if self.estimate is None else self.estimate.remark

    def remarks(self) -> tuple[str, ...]:
        """Remarks on the result: omitted records, failures, optimistic values."""
        sentences = list(self.marks)
        if self.test_is_training:
            sentences.append(ON_TRAINING)
        if self.partial:
            sentences.append(f"{self.finished_early()}.")
        if self.estimate_remark:
            sentences.append(self.estimate_remark)
        if self.n_without_class:
            were = "record without a class was" if self.n_without_class == 1 else "records without a class were"
            sentences.append(f"{self.n_without_class} {were} left out.")
        if not self.recipe and (left_out := left_out_words(self.schema)):  # with a recipe, each fold reports this
            sentences.append(left_out)
        if self.searches:
            sentences.append(chosen_words(self.searches, self.method.part_name))
        sentences.extend(self.warnings)
        sentences.extend(f"{self.named(f)} failed: {f.sentence}" for f in self.failures[:3])
        if len(self.failures) > 3:
            sentences.append(f"{len(self.failures)} of {self.n_folds} {self.method.part_name}s failed.")
        return tuple(sentences)

    @property
    def own_warnings(self) -> tuple[str, ...]:
        """The warnings, except that on unusable columns, which views of the table show themselves."""
        of_the_table = left_out_words(self.schema)
        return tuple(warning for warning in self.warnings if warning != of_the_table)


def weights_in_range(weights: FloatArray) -> FloatArray:
    """The weights (n,), scaled if the largest is beyond 1e50 or below 1e-50."""
    largest = float(weights.max(initial=0.0))
    if largest == 0 or 1 / MOST_WEIGHT < largest < MOST_WEIGHT:
        return weights
    return np.ldexp(weights, -math.frexp(largest)[1])


def kish(weights: FloatArray) -> float:
    """Effective number of records (Σ w)² / Σ w² of weights (n,); 0 if all are 0."""
    largest = float(weights.max(initial=0.0))
    if not largest > 0:
        return 0.0
    relative = np.ldexp(weights, -math.frexp(largest)[1])  # the square of 1e200 overflows
    return float(relative.sum()) ** 2 / float(relative @ relative)


def left_out_words(schema: Schema) -> str:
    """A sentence on the columns of a kind that cannot be learned from; empty without any."""
    names = [
        f"{attribute.name} ({attribute.kind.value})"
        for i, attribute in enumerate(schema.attributes)
        if i != schema.class_index and not attribute.kind.is_learnable
    ]
    return f"Left out of learning: {and_more(names, 5)}." if names else ""
